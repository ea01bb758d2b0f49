# Databricks notebook source
# MAGIC %md
# MAGIC # Follow an incident in the tables of a catalog
# MAGIC
# MAGIC Each run adds new files to the incident's Delta tables. The first run creates the tables. Schedule this notebook, or the job of `databricks.yml`, every few
# MAGIC minutes while the incident lasts. A file that the incident already has is not counted twice. A file that has grown replaces its earlier version.
# MAGIC
# MAGIC Settings are widgets on Databricks and environment variables elsewhere:
# MAGIC
# MAGIC | setting | value |
# MAGIC |---|---|
# MAGIC | `LOGS` | the logs: a folder, file or archive with the logs of all nodes |
# MAGIC | `LATER` | more logs to add in the same run; can be empty |
# MAGIC | `CATALOG_SCHEMA` | the catalog and the schema that hold the incidents, `ops.incidents` |
# MAGIC | `INCIDENT` | the name of the incident |
# MAGIC | `SHARED` | a folder in a volume for intermediate files; empty if Spark's workers see this machine's disk |

# COMMAND ----------

import os

from kafka_replay import Replay


def setting(name: str, default: str) -> str:
    """A widget of the notebook on Databricks, an environment variable elsewhere."""
    if "dbutils" not in globals():
        return os.environ.get(name, default)
    dbutils.widgets.text(name, default)
    return dbutils.widgets.get(name)


if "display" not in globals():
    display = Replay.show
if "spark" not in globals():
    spark = Replay.session(delta=True)

into = {
    "catalog_schema": setting("CATALOG_SCHEMA", "incidents"),
    "incident": setting("INCIDENT", "unclean-election"),
    "shared": setting("SHARED", "") or None,
}

# COMMAND ----------

# MAGIC %md
# MAGIC ## Add the logs to the incident

# COMMAND ----------

replay = Replay.append(spark, setting("LOGS", "traces/leader-epochs-by-hand/input/node-1"), **into)
display(replay)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Add later logs
# MAGIC The result equals one analysis of all files. Each table is replaced in one transaction, so a query never sees a half-written table.

# COMMAND ----------

if later := setting("LATER", "traces/leader-epochs-by-hand/input/node-2"):
    replay = Replay.append(spark, later, **into)
display(replay)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which incidents does the schema hold?

# COMMAND ----------

display(Replay.incidents_in(spark, into["catalog_schema"]))

# COMMAND ----------

# MAGIC %md
# MAGIC ## What was lost?

# COMMAND ----------

display(
    replay.losses().select("topic", "partition", "verdict", "from_offset", "lost_for_sure", "lost_at_most", "premise")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Chart: leaders of each partition

# COMMAND ----------

display(replay.leader_epochs_figure())

# COMMAND ----------

# MAGIC %md
# MAGIC ## The whole page

# COMMAND ----------

display(replay.report())
