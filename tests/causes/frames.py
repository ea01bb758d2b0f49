"""Frames that the rooms before hand to the causes, and many small tables worked on in one go."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from replay.tables import ELECTIONS, LEADER_EPOCHS, LOSSES, Table
from replay.tables.columns import LIFE
from replay.tables.table import INT, LONG, TIMESTAMP, column
from tests.tables import DAY, arrow_schema, table

JUDGED_LEADER_EPOCHS = LEADER_EPOCHS.extended(
    "judged_leader_epochs",
    "One leader epoch with what is known of its election.",
    LIFE,
    column("leader_ts", TIMESTAMP, "When the leader itself says that it began."),
    column("old_leader_id", INT, "Broker that led the leader epoch before."),
    column("last_leader_id", INT, "The last broker that led before."),
    column("leaderless_ms", LONG, "How long the partition had had no leader."),
)
JUDGED_ELECTIONS = ELECTIONS.extended("judged_elections", "One change of leader.", LIFE)
LEDGER = LOSSES.extended("ledger", "One row of the loss ledger.", LIFE)

APART_DAYS = 10  # further than any rule of causality reaches
_CLOCK = re.compile(r"(?<![\w:-])(\d\d:\d\d:\d\d(?:\.\d+)?)(?![\w:])")


def days_of(cases: Mapping[str, object]) -> dict[str, str]:
    """Each case's own day, far from the others."""
    return {name: (DAY + timedelta(days=APART_DAYS * n)).isoformat() for n, name in enumerate(cases, 1)}


def on_day(text: str, day: str) -> str:
    """`text` with its times of day on `day`."""
    return _CLOCK.sub(rf"{day}T\1", text)


def together(
    spark: SparkSession,
    columns: Table,
    texts: Mapping[str, str],
    of_case: Callable[[DataFrame, str], DataFrame] = lambda rows, name: rows,
) -> DataFrame:
    """The rows of all `texts` as one frame, each text on a day of its own; `of_case` tells them apart otherwise."""
    days = days_of(texts)
    each = [of_case(table(spark, columns, on_day(text, days[name])), name).toArrow() for name, text in texts.items()]
    schema = arrow_schema(columns.schema)
    return literal(spark, columns, pa.concat_tables([one.select(columns.schema.names).cast(schema) for one in each]))


def literal(spark: SparkSession, columns: Table, rows: pa.Table) -> DataFrame:
    """Rows that Spark has already worked out: looked at by many tests, computed once."""
    return spark.createDataFrame(rows, columns.schema)


def worked_out(spark: SparkSession, columns: Table, frame: DataFrame) -> DataFrame:
    """`frame` computed once, for the tests that look at it."""
    return literal(spark, columns, frame.toArrow().cast(arrow_schema(columns.schema)))


def named(rows: DataFrame, case: str, *ids: str) -> DataFrame:
    """`rows` whose ids begin with the name of their case."""
    return rows.withColumns({name: F.concat(F.lit(f"{case}: "), F.col(name)) for name in ids})


def of(rows: DataFrame, case: str, *ids: str) -> DataFrame:
    """The rows of one case, with the ids that its text gives them."""
    mine = rows.where(F.startswith(F.col(ids[0]), F.lit(f"{case}: ")))
    return mine.withColumns({name: F.substr(name, F.lit(len(case) + 3)) for name in ids})
