"""The notebook runs, cell by cell, over a recorded incident, and answers as the cluster's own truth does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest
from pyspark.sql import DataFrame

from kafka_replay import Replay
from pipelines.docs import notebook_page
from replay.errors import InputError
from tests.golden import TRACES

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "after_an_incident.py"
HEADER, *CELLS = NOTEBOOK.read_text(encoding="utf-8").split("# COMMAND ----------\n")
TRACE = TRACES / "unclean-election-zk-2.8.2"


class _Dbutils:
    """Databricks' widgets, as far as the notebook uses them."""

    def __init__(self, **values: str) -> None:
        self.widgets = self
        self._values = values

    def text(self, name: str, default: str) -> None:
        self._values.setdefault(name, default)

    def get(self, name: str) -> str:
        return self._values[name]


@pytest.fixture(scope="module")
def answered(result_of) -> dict[str, Any]:
    """What each cell displays, by the question above it."""
    return run_cells(result_of(TRACE))


def run_cells(result: Path) -> dict[str, Any]:
    """What each cell of the notebook displays of `result`, by the question above it."""
    shown: dict[str, Any] = {}
    question = ""

    def display(what: Any) -> None:
        shown[question] = what.toPandas() if isinstance(what, DataFrame) else what

    names = {"dbutils": _Dbutils(RESULT=str(result)), "display": display}
    for cell in CELLS:
        title = next(
            (line.removeprefix("# MAGIC ## ") for line in cell.splitlines() if line.startswith("# MAGIC ## ")), None
        )
        if title is not None:
            question = title
            assert question not in shown
        imports = [line for line in cell.splitlines() if line.startswith(("import ", "from "))]
        assert len(imports) <= 2 and not [
            line for line in imports if line.split()[1].partition(".")[0] in ("pipelines", "replay", "viz")
        ]
        exec(compile(cell, f"{NOTEBOOK.name}: {question}", "exec"), names)
    return shown


def test_it_is_a_notebook_in_databricks_format():
    assert HEADER.startswith("# Databricks notebook source\n# MAGIC %md\n")


def test_it_analyses_what_it_is_given_unless_that_was_done(result_of, tmp_path, monkeypatch):
    asked = []

    def copied(inputs: list[str], out: Path, **_: object) -> None:
        asked.append((inputs, out))
        shutil.copytree(result_of(TRACE), out)

    monkeypatch.setattr("pipelines.main_job.analyze", copied)
    monkeypatch.setenv("INPUT", "/logs/of/the/night")
    monkeypatch.setenv("RESULT", str(tmp_path / "result"))
    for _ in range(2):
        exec(compile(CELLS[0], NOTEBOOK.name, "exec"), {"display": lambda what: None})
    assert asked == [(["/logs/of/the/night"], tmp_path / "result")]


def test_every_question_has_an_answer(answered):
    asked = [
        line.removeprefix("# MAGIC ## ")
        for cell in CELLS
        for line in cell.splitlines()
        if line.startswith("# MAGIC ## ")
    ]
    assert [question for question in answered if question] == asked and len(asked) >= 25
    did_not_happen = (
        "Which part of a tiered topic is in remote storage, and where does the local log start?",
        "Which groups rebalanced, which members left, and which transactions timed out?",
        "Which controlled shutdowns were slow or failed, why, and for which partitions?",
        "Which followers have not rejoined the ISR, and what do they log?",
        "Did a broker continue as leader after another one was elected?",
    )
    frames = {question: answer for question, answer in answered.items() if isinstance(answer, pd.DataFrame)}
    assert [question for question, answer in frames.items() if answer.empty] == list(did_not_happen)


def test_every_cell_answers_of_a_result_that_reports_no_partition(spark, tmp_path):
    """One line of a broker: nothing happened to any partition, and no cell fails for want of one."""
    (tmp_path / "node-1").mkdir()
    (tmp_path / "node-1" / "server.log").write_text(
        "[2026-11-21 05:37:15,007] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n", encoding="utf-8"
    )
    result = tmp_path / "result"
    Replay.analyze(spark, tmp_path / "node-1", result)
    shown = run_cells(result)
    told = [answer for answer in shown.values() if isinstance(answer, str) and "no partition" in answer]
    assert len(shown) > 25 and len(told) == 3


def test_every_cell_answers_of_partitions_without_files_of_leader_epochs(spark, result_of):
    """Before 0.11 there are none: the cell shows an empty table, not an error."""
    replay = Replay.load(spark, result_of(TRACE))
    replay.tables["epoch_files"].limit(0).createOrReplaceTempView("none")
    without = {**replay.tables, "epoch_files": spark.table("none")}
    replay.__dict__["tables"] = without
    assert replay.epochs("orders-0").isEmpty() and "notation" in replay.epochs("orders-0").columns
    with pytest.raises(InputError, match="nowhere-7: these logs have no line about it"):
        replay.epochs("nowhere-7")


def test_its_pictures_are_those_of_the_page(answered):
    pictures = {q: f for q, f in answered.items() if isinstance(f, go.Figure)}
    assert len(pictures) == 4
    assert all(len(figure.data) > 1 for figure in pictures.values())


def test_the_notebook_file_is_made_from_the_source():
    made = notebook_page(NOTEBOOK.read_text(encoding="utf-8"))
    assert NOTEBOOK.with_suffix(".ipynb").read_text(encoding="utf-8") == made, "run `python -m pipelines.docs`"
    cells = json.loads(made)["cells"]
    assert len(cells) == 1 + len(CELLS)
    for cell, source in zip(cells[1:], CELLS, strict=True):
        if cell["cell_type"] == "code":
            assert "".join(cell["source"]) == source.strip("\n")


def test_what_was_lost_is_what_the_cluster_lost(answered):
    lost = pd.read_csv(TRACE / "truth" / "lost.csv")
    told = answered["How many records were lost, and is the loss proven?"].set_index("topic")
    assert dict(told.lost_for_sure) == dict(told.lost_at_most) and {v for some in told.verdicts for v in some} == {
        "PROVEN_LOSS"
    }
    ranges = answered["Which ranges were lost, under which premises, and which brokers still hold them?"]
    for row in lost.itertuples():
        assert (
            (ranges.topic == row.topic)
            & (ranges.partition == row.partition)
            & (ranges.from_offset <= row.offset)
            & (row.offset < ranges.to_offset_low)
        ).any(), row


def test_the_unclean_elections_come_first_with_the_isr_that_was(answered):
    told = answered["Was an election unclean? Was the new leader in sync when the old one died?"]
    unclean = told[told.elected_from == "any_replica"]
    assert list(unclean.index) == list(range(6))
    assert {
        (row.old_leader_id, row.new_leader_id, tuple(row.isr_before), row.was_in_sync) for row in unclean.itertuples()
    } == {(1, 2, (1,), False)}
    assert set(told[told.elected_from == "isr"].was_in_sync) == {True}


def test_the_root_is_reported_with_its_broker(answered):
    told = answered["What happened, what caused it, and how long did it take?"]
    assert [(row.code, list(row.broker_ids), row.unclean_elections) for row in told.itertuples()] == [
        ("F01", [1, 2, 3], 6)
    ]


def test_who_was_controller(answered):
    told = answered["Which broker was the controller, and how long did each failover take?"]
    assert list(zip(told.controller_epoch, told.controller_id, strict=True)) == [(1, 1), (2, 2)]
    assert list(told.active_after_ms) == [220, 97]


def test_each_start_says_whether_the_stop_before_it_was_clean(answered):
    told = answered["Was each broker's shutdown clean, and how long did loading and recovering its logs take?"]
    lines = [
        (file.parent.name, line)
        for file in (TRACE / "input").glob("*/server.log")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    unclean = sorted(
        int(node.removeprefix("node-")) for node, line in lines if "since no clean shutdown file was found" in line
    )
    assert sorted(told[told.was_clean == False].node_id) == unclean and len(unclean) >= 3  # noqa: E712
    assert sorted(told.load_ms) == sorted(
        int(line.split("logs in ")[1].split("ms")[0]) for _, line in lines if "] INFO Loaded " in line
    )


def test_as_the_logs_end_any_one_broker_can_be_stopped(answered):
    told = answered["What blocks a rolling restart: which brokers can be stopped at the end of the logs?"]
    assert [
        row.broker_id for row in told.itertuples() if len(row.has_the_last_copy_of) or len(row.writes_it_would_stop)
    ] == []
    assert list(told.broker_id) == [1, 2, 3]


def test_the_drops_point_at_the_brokers_that_died_as_followers(answered):
    told = answered["ISRs keep shrinking: which broker is the cause?"]
    assert {(row.broker_id, row.suspect_id) for row in told.itertuples()} == {(2, 2), (3, 3)}


def test_the_story_of_the_partition_that_had_most_happen_ends_with_its_loss(answered):
    told = answered["What happened to one partition?"]
    assert {"leader_epochs", "isr_spans", "high_watermarks", "truncations", "losses"} == set(told.table)
    assert told.what.str.startswith("leader epoch 4 led by 2 from offset").sum() == 1
    assert (told.what.str.startswith("PROVEN_LOSS committed")).sum() == 1


def test_the_lines_that_prove_the_root_are_shown_as_printed(answered):
    told = answered["The lines that prove the root causes"]
    for row in told.head(5).itertuples():
        name, _, number = row.event_id.rpartition(":")
        assert row.message in (TRACE / "input" / name).read_text(encoding="utf-8").splitlines()[int(number) - 1]
