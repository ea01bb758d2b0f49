"""Results as Delta: written with Delta's own classes, the same rows as Parquet; read with and without Spark, by topic from the files of that topic alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kafka_replay import Replay
from pipelines import delta
from pipelines.result import Result
from replay.errors import InputError, SetupError
from replay.tables import TABLES
from tests.golden import TRACES, inputs_of

pytestmark = pytest.mark.nightly

TRACE = TRACES / "leader-epochs-by-hand"
IN_NOTEBOOK = """
import sys
from kafka_replay import Replay
from pipelines.session import session

spark = session(input_bytes=1, writes_delta=True)
replay = Replay.load(spark, sys.argv[1])
print("rows", replay.leader_epochs.count(), replay.at("10:00:30").count())
print("views", len(replay.sql_views()))
of_topic = spark.sql("select * from leader_epochs where topic = 'orders'")
of_topic.explain("formatted")
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SPARK_MASTER": "local[2]", "KAFKA_REPLAY_MEMORY": "1g"}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, timeout=550)


@pytest.fixture(scope="module")
def as_delta(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("delta") / "result"
    ended = run("-m", "pipelines", "analyze", str(inputs_of(TRACE)), "--out", str(out), "--format", "delta", "--quiet")
    if ended.returncode == 2 and "Delta's classes" in ended.stderr:
        pytest.skip(f"Delta's classes cannot be had here: {ended.stderr.strip()}")
    assert ended.returncode == 0, ended.stderr
    return out


def test_its_rows_are_those_of_the_result_in_parquet(as_delta, result_of):
    parquet, read = Result(result_of(TRACE)), Result(as_delta)
    for table in TABLES:
        assert delta.is_delta(as_delta / "tables" / table.name)
        one, other = parquet.table(table.name), read.table(table.name)
        key = [name for name in table.key if name in one.columns]
        assert list(other.columns) == list(one.columns), table.name
        pd.testing.assert_frame_equal(
            *(frame.sort_values(key, key=lambda column: column.astype(str)).reset_index(drop=True) for frame in (one, other)),
            check_dtype=not one.empty,
            obj=table.name,
        )  # fmt: skip


def test_commands_answer_from_it(as_delta):
    for command in (
        ("partition", str(as_delta), "orders-0"),
        ("at", str(as_delta), "--at", "10:00:30"),
        ("epochs", str(as_delta)),
        ("explain", str(as_delta)),
        ("lines", str(as_delta), "--topic", "orders"),
    ):
        ended = run("-m", "pipelines", *command)
        assert ended.returncode == 0 and ended.stdout.strip(), (command, ended.stderr)


def test_a_session_with_deltas_classes_loads_it_and_asks_one_topic_of_its_own_files(as_delta):
    ended = run("-c", IN_NOTEBOOK, str(as_delta))
    assert ended.returncode == 0, ended.stderr
    told = dict(line.split(" ", 1) for line in ended.stdout.splitlines() if line.split(" ")[0] in ("rows", "views"))
    assert int(told["rows"].split()[0]) == len(Result(as_delta).table("leader_epochs")) > 0
    assert int(told["rows"].split()[1]) > 0
    assert int(told["views"]) == len(TABLES)
    assert re.search(r"PartitionFilters: \[[^\]]*topic#\d+ = orders", ended.stdout)


def test_a_session_without_deltas_classes_gets_an_error_that_names_them(as_delta, spark, tmp_path):
    with pytest.raises(SetupError, match=r"cannot read; start it with spark\.jars\.packages=io\.delta:delta-spark_"):
        assert Replay.load(spark, as_delta).tables
    with pytest.raises(
        SetupError, match=r"cannot write Delta .*start it with spark\.jars\.packages=io\.delta:delta-spark_"
    ):
        Replay.analyze(spark, inputs_of(TRACE), tmp_path / "out", format="delta")
    assert not (tmp_path / "out").exists()


@pytest.fixture
def by_hand(tmp_path) -> Path:
    """A Delta table of two topics and one row without, as its log tells."""
    folder = tmp_path / "elections"
    (folder / delta.LOG).mkdir(parents=True)
    fields = [
        {"name": "ts", "type": "timestamp", "nullable": True, "metadata": {}},
        {"name": "topic", "type": "string", "nullable": True, "metadata": {}},
        {"name": "isr", "type": {"type": "array", "elementType": "integer", "containsNull": True}, "nullable": True, "metadata": {}},
    ]  # fmt: skip
    actions: list[dict[str, object]] = [
        {"metaData": {"schemaString": json.dumps({"type": "struct", "fields": fields}), "partitionColumns": ["topic"], "configuration": {}}}
    ]  # fmt: skip
    for name, topic, isr in (("a b", "orders", [1]), ("c", "clicks", [2, 3]), ("d", None, [])):
        rows = {
            "ts": pa.array([pd.Timestamp("2026-11-21", tz="UTC")], pa.timestamp("ns")),
            "isr": pa.array([isr], pa.list_(pa.int32())),
        }
        pq.write_table(pa.table(rows), folder / f"{name}.parquet")
        actions.append({"add": {"path": f"{name.replace(' ', '%20')}.parquet", "partitionValues": {"topic": topic}}})
    write_commit(folder, 0, actions)
    return folder


def write_commit(folder: Path, number: int, actions: list[dict[str, object]]) -> None:
    text = "\n".join(map(json.dumps, actions))
    (folder / delta.LOG / f"{number:020}.json").write_text(text + "\n", encoding="utf-8")


def test_one_topic_is_read_from_its_own_files(by_hand, monkeypatch):
    opened = []
    whole = pq.ParquetFile

    def counted(path: Path) -> pq.ParquetFile:
        opened.append(path.name)
        return whole(path)

    monkeypatch.setattr(pq, "ParquetFile", counted)
    told = delta.rows(by_hand, None, [("topic", "==", "orders")])
    assert told.to_pydict() == {"ts": [pd.Timestamp("2026-11-21", tz="UTC")], "topic": ["orders"], "isr": [[1]]}
    assert opened == ["a b.parquet"]
    assert delta.rows(by_hand, ["isr"], [("topic", "in", ["clicks", "nothing"])]).to_pydict() == {"isr": [[2, 3]]}
    assert delta.rows(by_hand).column("topic").to_pylist() == ["orders", "clicks", None]
    assert delta.rows(by_hand, ["isr"], [("topic", "==", "gone")]).to_pydict() == {"isr": []}


def test_a_row_that_a_later_commit_removed_is_not_read(by_hand):
    write_commit(by_hand, 1, [{"remove": {"path": "c.parquet"}}])
    assert delta.rows(by_hand).column("topic").to_pylist() == ["orders", None]


@pytest.mark.parametrize(
    ("number", "action"),
    [
        (3, {"remove": {"path": "c.parquet"}}),
        (1, {"add": {"path": "c.parquet", "partitionValues": {"topic": "clicks"}, "deletionVector": {"sizeInBytes": 1}}}),
        (1, {"metaData": {"schemaString": "{}", "partitionColumns": ["isr"], "configuration": {}}}),
        (1, {"metaData": {"schemaString": "{}", "partitionColumns": ["topic"], "configuration": {"delta.columnMapping.mode": "name"}}}),
    ],
    ids=["a log cut short", "rows deleted within a file", "other partitions", "columns renamed"],
)  # fmt: skip
def test_what_is_not_read_here_is_refused(by_hand, number, action):
    write_commit(by_hand, number, [action])
    with pytest.raises(InputError, match=r"another program has changed this Delta table .*\(Replay\.load\)"):
        delta.rows(by_hand)


def test_classes_of_a_place_of_ones_own_are_taken(monkeypatch):
    monkeypatch.setenv(delta.DELTA_SETTING, "/opt/delta-spark.jar,/opt/delta-storage.jar")
    assert delta.classes() == "/opt/delta-spark.jar,/opt/delta-storage.jar"
    monkeypatch.delenv(delta.DELTA_SETTING)
    assert delta.classes().startswith("io.delta:delta-spark_4.") and delta.classes().endswith(f":{delta.DELTA_RELEASE}")
