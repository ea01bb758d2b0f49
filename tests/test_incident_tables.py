"""Results in a catalog: Delta tables of the session's catalog, with comments, replaced and added to by incident."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipelines import table_input
from pipelines.incident_tables import ALL_INCIDENTS
from pipelines.result import Result
from replay.errors import InputError
from replay.tables import DECLARED, TABLES
from tests.golden import TRACES, inputs_of
from tests.test_connect import rows_of

TRACE = TRACES / "leader-epochs-by-hand"
SCRIPT = """
import json, sys
from pathlib import Path
from pyspark.sql import functions as F
from kafka_replay import Replay
from pipelines.session import session
from replay.errors import ReplayError
from replay.tables import TABLES

logs, out = map(Path, sys.argv[1:])
spark = session(input_bytes=1, writes_delta=True, stays=True)
told = {}
first = Replay.append(spark, logs / "node-1", catalog_schema="incidents", incident="it's one")
told["first"] = [row.node_id for row in first.coverage.collect()]
both = Replay.append(spark, logs / "node-2", catalog_schema="incidents", incident="it's one")
told["path"], told["page"] = both.path, len(both.report())
told["figures"] = sorted(both.figures())
for table in TABLES:
    both.tables[table.name].write.parquet(str(out / "tables" / table.name))
lines = spark.read.text([str(file) for file in logs.rglob("*.log")]).select(
    "value", F.regexp_extract("_metadata.file_path", r"node-(\\d+)", 1).alias("broker"),
    F.col("_metadata.file_name").alias("path"), F.monotonically_increasing_id().alias("number"))
lines.write.saveAsTable("raw_logs")
columns = {"text": "value", "node": "broker", "file": "path", "order": "number"}
again = Replay.analyze(spark, table="raw_logs", columns=columns, catalog_schema="incidents", incident="another")
told["known"] = [row.incident for row in Replay.incidents_in(spark, "incidents").collect()]
told["from_table"] = sorted(f"{r.node_id} {r.kind} {r.message}" for r in again.events.collect())
told["events"] = [both.events.count(), spark.table("incidents.events").count()]
spark.sql("drop table incidents.voter_sets")  # as if an earlier release had written the incident
told["dropped"] = Replay.of(spark, "incidents", incident="another").voter_sets.count()
told["described"] = [tuple(row) for row in spark.sql("describe table extended incidents.losses").collect()]
told["history"] = [row.operation for row in spark.sql("describe history incidents.events").collect()]
for ask in (lambda: Replay.of(spark, "incidents", incident="none"), lambda: Replay.of(spark, "a b", incident="x"),
            lambda: Replay.analyze(spark, logs, catalog_schema="incidents"),
            lambda: Replay.analyze(spark, table="raw_logs", columns={"text": "nothing"})):
    try:
        ask()
    except ReplayError as error:
        told.setdefault("refused", []).append(str(error))
Path(out / "told.json").write_text(json.dumps(told))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> dict[str, Any]:
    """What a session with Delta's classes did, and where it wrote the tables of the incident."""
    out = tmp_path_factory.mktemp("catalog")
    environment = os.environ | {"SPARK_MASTER": "local[2]", "KAFKA_REPLAY_MEMORY": "2g"}
    environment["PYTHONPATH"] = str(Path(__file__).parent.parent)
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(inputs_of(TRACE)), str(out)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=out,
        timeout=1_700,
    )
    if "Delta's classes" in ended.stderr:
        pytest.skip(f"Delta's classes cannot be had here: {ended.stderr.strip()[-300:]}")
    assert ended.returncode == 0, ended.stderr[-4_000:]
    return {**json.loads((out / "told.json").read_text()), "out": out}


@pytest.mark.nightly
@pytest.mark.timeout(2_000)
def test_files_that_are_added_make_the_tables_of_one_analysis(written, result_of):
    assert set(written["first"]) == {1}
    for table in TABLES:
        assert rows_of(written["out"], table.name) == rows_of(result_of(TRACE), table.name), table.name
    assert written["path"] == "incidents, incident it's one"
    assert written["page"] > 100_000 and "leader-epochs" in written["figures"]


@pytest.mark.nightly
def test_a_run_replaces_the_rows_of_its_incident_and_of_no_other(written, result_of):
    of_one, of_all = written["events"]
    assert of_one == len(Result(result_of(TRACE)).table("events"))
    assert of_all == of_one + len(written["from_table"])
    assert sorted(written["known"]) == ["another", "it's one"]
    *writes, made = written["history"]
    assert made == "CREATE TABLE" and len(writes) == 3, "one transaction a run"


@pytest.mark.nightly
def test_lines_in_a_table_say_what_they_say_in_files(written, result_of):
    events = Result(result_of(TRACE)).table("events")
    logs = events[events.event_id.str.contains(r"\.log:")]
    expected = sorted(f"{row.node_id} {row.kind} {row.message}" for row in logs.itertuples())
    assert written["from_table"] == expected


@pytest.mark.nightly
def test_tables_are_managed_delta_tables_with_the_comments_of_their_declarations(written):
    described = {name: (kind, comment) for name, kind, comment in written["described"]}
    losses = DECLARED["losses"]
    assert described["incident"][0] == "string"
    for column in losses.columns:
        assert described[column.name] == (column.type.simpleString(), column.meaning)
    assert described["Comment"][0] == losses.row and written["dropped"] == 0
    assert described["Type"][0] == "MANAGED" and described["Provider"][0] == "delta"
    assert 'clusteringColumns=[["incident"]]' in described["Table Properties"][0]


@pytest.mark.nightly
def test_what_is_not_there_is_refused_in_one_line(written):
    none, name, alone, column = written["refused"]
    assert (
        none.startswith("incidents: holds no incident 'none'; it holds ") and "another" in none and "it's one" in none
    )
    assert "as in ops.incidents" in name and "belong together" in alone and "has no column nothing" in column


def test_the_page_on_databricks_has_the_query_that_lists_all_incidents():
    page = (Path(__file__).parent.parent / "docs" / "databricks.md").read_text(encoding="utf-8")
    assert ALL_INCIDENTS.format(schema="ops.incidents") in page


STAMPED = [
    "[2026-11-21 05:37:16,000] INFO b (kafka.A)\n\tat a.B(C.java:1)",
    "[2026-11-21 05:37:15,000] INFO a (kafka.A)",
]


def test_records_without_a_column_that_sorts_them_are_sorted_by_their_stamps():
    assert table_input.by_stamp(STAMPED, "raw, file a") == STAMPED[::-1]


def test_lines_without_a_stamp_need_a_column_that_sorts_them():
    with pytest.raises(InputError, match=r"raw, file a: the order of its rows is not known.*at a.B"):
        table_input.by_stamp([*STAMPED, "\tat a.B(C.java:1)"], "raw, file a")


@pytest.mark.parametrize(
    ("node", "file", "path"),
    [
        ("1", "/var/log/kafka/server.log", "node-1/var/log/kafka/server.log"),
        ("broker-2", "server.log", "broker-2/server.log"),
        (None, "../../etc/passwd", "etc/passwd"),
        ("..", None, "server.log"),
    ],
)
def test_names_in_a_table_lead_to_no_other_folder(node, file, path, tmp_path):
    laid = table_input._path(node, file)
    assert (tmp_path / laid).resolve().is_relative_to(tmp_path) and str(laid) == path


def test_lines_of_a_table_are_laid_down_as_the_files_that_they_come_from(spark, tmp_path):
    files = {("1", "server.log"): [*STAMPED[0].split("\n"), STAMPED[1]], ("2", "logs/controller.log"): STAMPED[::-1]}
    rows = [(node, file, line, n) for (node, file), lines in files.items() for n, line in enumerate(lines)]
    spark.createDataFrame(rows[::-1], "broker string, path string, line string, n int").createOrReplaceTempView("raw")
    columns = {"text": "line", "node": "broker", "file": "path", "order": "n"}
    table_input.laid_down(spark, "raw", columns, tmp_path / "laid")
    laid = {str(file.relative_to(tmp_path / "laid")): file.read_text() for file in (tmp_path / "laid").rglob("*.log")}
    assert laid == {f"node-{node}/{file}": "\n".join(lines) + "\n" for (node, file), lines in files.items()}
    for wrong, said in (
        ({"text": "nothing"}, "has no column nothing; it has broker"),
        ({"node": "n"}, "text is missing"),
    ):
        with pytest.raises(InputError, match=said):
            table_input.laid_down(spark, "raw", wrong, tmp_path / "again")
    with pytest.raises(InputError, match="no_such_table: cannot be read"):
        table_input.laid_down(spark, "no_such_table", columns, tmp_path / "again")
