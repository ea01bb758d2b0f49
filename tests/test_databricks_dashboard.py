"""The dashboard and the SQL of docs/databricks.md ask for tables and columns that a result has, and answer with its rows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipelines.databricks_dashboard import FILE, QUERIES, SCHEMA, dashboard, written
from replay.tables.results import STORED_RESULTS
from tests.results_here import result_here

ROOT = Path(__file__).parent.parent
TRACE = ROOT / "traces" / "unclean-election-zk-2.8.2" / "input"
PAGE = (ROOT / "docs" / "databricks.md").read_text(encoding="utf-8")
ASKED = [sql for sql in re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL) if f"{SCHEMA}." in sql and "GRANT" not in sql]


@pytest.fixture(scope="module")
def session(spark, tmp_path_factory):
    """A session with the tables of the demo's incident under the names that the queries ask for, without the schema."""
    result = result_here([TRACE], tmp_path_factory.mktemp("dashboard") / "result")
    for folder in (result / "tables").iterdir():
        rows = spark.createDataFrame(pq.read_table(folder))
        rows.selectExpr("'demo' AS incident", "*").createOrReplaceTempView(folder.name)
    stored = spark.createDataFrame([], STORED_RESULTS.schema)
    values = {"analyzed_ts": "current_timestamp()", "inputs": "array('node-1')"}
    one = ", ".join(f"{values.get(f.name, 'NULL')} AS {f.name}" for f in stored.schema)
    spark.sql(f"SELECT 'demo' AS incident, {one}").createOrReplaceTempView("results")
    return spark


def asked(spark, sql: str) -> list[dict]:
    return [row.asDict() for row in spark.sql(sql.replace(f"{SCHEMA}.", "").strip().rstrip(";")).collect()]


def test_the_file_of_the_bundle_is_the_dashboard_of_its_schema(tmp_path):
    assert json.loads(FILE.read_text(encoding="utf-8")) == dashboard(SCHEMA)
    other = written("prod.kafka", tmp_path / "other.lvdash.json").read_text(encoding="utf-8")
    assert "prod.kafka.incidents" in other and SCHEMA not in other


def test_the_datasets_of_the_dashboard_have_the_rows_of_an_incident(session):
    found = {name: asked(session, query.format(schema=SCHEMA)) for name, query in QUERIES.items()}
    assert [(row["incident"], row["severity"]) for row in found["incidents"]] == [("demo", "critical")]
    assert found["not_over"] == [{"incidents_not_over": 0}]
    assert {row["topic"]: row["lost_offsets"] for row in found["lost"]} == {"orders": 5782, "clicks": 2608}
    assert {row["topic"] for row in found["blocked"]} == {"orders", "clicks"}
    assert all(43 < row["at_least_seconds"] <= row["at_most_seconds"] < 46 for row in found["blocked"])
    assert sum(row["faults"] for row in found["faults"]) == 3


def test_each_widget_shows_columns_of_its_dataset(session):
    columns = {
        name: set(session.sql(query.format(schema=SCHEMA).replace(f"{SCHEMA}.", "")).columns)
        for name, query in QUERIES.items()
    }
    widgets = [one["widget"] for page in dashboard(SCHEMA)["pages"] for one in page["layout"]]
    assert {widget["queries"][0]["query"]["datasetName"] for widget in widgets} == set(QUERIES)
    for widget in widgets:
        query = widget["queries"][0]["query"]
        assert {field["name"] for field in query["fields"]} <= columns[query["datasetName"]], widget["name"]


def test_the_sql_of_the_page_answers(session):
    assert len(ASKED) == 4
    rows = [asked(session, sql) for sql in ASKED]
    assert all(rows)
    (alert,) = next(one for one in rows if "incidents_to_look_at" in one[0])
    assert alert["incidents_to_look_at"] == 1 and alert["latest"].startswith("Broker 2 crashed or was killed")


def test_widgets_do_not_overlap():
    taken: set[tuple[int, int]] = set()
    for page in dashboard(SCHEMA)["pages"]:
        for one in page["layout"]:
            at = one["position"]
            cells = {
                (x, y) for x in range(at["x"], at["x"] + at["width"]) for y in range(at["y"], at["y"] + at["height"])
            }
            assert not cells & taken and at["x"] + at["width"] <= 6
            taken |= cells
