"""Whole runs over recorded incidents say what they said when a person last read it, and what the cluster itself knew."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from tests.epoch_files_read import contradicted, files_read
from tests.golden import COLUMNS, golden, traces
from tests.true_offsets import outside, true_high_watermarks


@pytest.fixture(scope="module", params=traces(), ids=lambda trace: trace.name)
def run(request, result_of) -> tuple[Path, Path]:
    """A trace and the result of the main job for it."""
    return request.param, result_of(request.param)


def test_the_tables_are_the_golden_ones(run):
    trace, out = run
    told = golden(out)
    for name in COLUMNS:
        expected = (trace / "expected" / f"{name}.csv").read_text(encoding="utf-8")
        assert told[name].splitlines() == expected.splitlines(), name


def test_no_leader_epoch_contradicts_what_the_cluster_knew(run):
    trace, out = run
    if not (trace / "truth").is_dir():
        pytest.skip("made by hand: the golden tables are its truth")
    with open(trace / "truth" / "partition_states.csv") as file:
        knew = {
            (row["topic"], int(row["partition"]), int(row["leader_epoch"])): int(row["leader_id"])
            for row in csv.DictReader(file)
        }
    epochs = pd.read_parquet(out / "tables" / "leader_epochs")
    said = {
        (row.topic, int(row.partition), int(row.leader_epoch)): int(row.leader_id)
        for row in epochs.itertuples()
        if row.leader_id >= 0
    }
    common = said.keys() & knew.keys()
    assert len(common) >= 10
    assert {key: said[key] for key in common} == {key: knew[key] for key in common}


def test_no_acknowledged_record_that_survived_is_called_lost(run):
    trace, out = run
    if not (trace / "truth").is_dir():
        pytest.skip("made by hand: the golden tables are its truth")
    lost = pd.read_csv(trace / "truth" / "lost.csv")
    gone = {(row.topic, int(row.partition)): set() for row in lost.itertuples()}
    for row in lost.itertuples():
        gone[row.topic, int(row.partition)].add(int(row.offset))
    losses = pd.read_parquet(out / "tables" / "losses")
    at_most: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for row in losses.itertuples():
        high = float("inf") if pd.isna(row.to_offset_high) else row.to_offset_high
        at_most.setdefault((row.topic, int(row.partition)), []).append((row.from_offset, high))
        if row.verdict == "PROVEN_LOSS" and row.to_offset_low > row.from_offset:
            assert gone.get((row.topic, int(row.partition))), f"{row.topic}-{row.partition} lost nothing"
    for key, offsets in gone.items():
        for offset in offsets:
            assert any(low <= offset < high for low, high in at_most.get(key, [])), (
                f"{key} {offset} is lost and in no range"
            )


def test_the_root_is_the_true_one_and_none_is_made_up(run):
    trace, out = run
    if not (trace / "truth").is_dir():
        pytest.skip("made by hand: the golden tables are its truth")
    truth = json.loads((trace / "truth" / "incident.json").read_text())
    findings = pd.read_parquet(out / "tables" / "findings")
    roots = findings[findings.role == "root_cause"]
    for root in truth["roots"]:
        assert any(
            row.code in root["codes"] and set(row.broker_ids) & set(root["broker_ids"]) for row in roots.itertuples()
        ), root
    if not truth["roots"]:
        assert set(findings.severity) <= {"info", "low"}


def test_no_true_high_watermark_lies_outside_what_is_drawn(run):
    trace, out = run
    if not (trace / "truth").is_dir():
        pytest.skip("made by hand: no recorder knew its high watermarks")
    tables = {
        name: pd.read_parquet(out / "tables" / name) for name in ("high_watermarks", "truncations", "commit_bands")
    }
    knew = true_high_watermarks(trace)
    wrong, compared = outside(knew, tables)
    assert wrong == []
    assert compared >= len(knew) * 0.9


def test_every_leader_epoch_file_that_was_read_reads_as_the_replay_says(run):
    _, out = run
    tables = {name: pd.read_parquet(out / "tables" / name) for name in ("events", "epoch_files")}
    files = files_read(tables["events"])
    assert [problem for file in files for problem in contradicted(file, tables["epoch_files"])] == []


def test_the_figures_of_harm_are_the_sums_of_their_spans(run):
    """Of the user's topics; what is still open at the end of the logs is counted to there, so at least the rest. From 4.0 on
    a partition without a leader has an empty ISR, of which no line tells: that time is below min.insync.replicas too.
    Writers that wait only after an incident ended are in its `afterwards`, and no harm of it.
    """
    trace, out = run
    if not (trace / "truth").is_dir():
        pytest.skip("made by hand: minutes of a few lines, not all of them in an incident")

    def table(name: str) -> pd.DataFrame:
        return pd.read_parquet(out / "tables" / name)

    incidents, epochs, isrs, times = (table(n) for n in ("incidents", "leader_epochs", "isr_spans", "availability"))
    spans = {
        "leaderless_ms": epochs[epochs.leader_id == -1],
        "under_min_isr_ms": isrs[isrs.isr.map(len) < isrs.min_isr],
        "single_copy_ms": isrs[isrs.isr.map(len) == 1],
        "blocked_all_min_ms": times[(times.acks == "all") & (times.state == "closed") & ~_afterwards(times, incidents)],
    }
    untold = {"under_min_isr_ms": _millis(spans["leaderless_ms"])}
    for figure, of in spans.items():
        told, summed = incidents[figure].sum(), _millis(of)
        assert told >= summed - 1, figure
        assert told <= summed + untold.get(figure, 0) + 1 or of.end_ts.isna().any(), figure


def _afterwards(times: pd.DataFrame, incidents: pd.DataFrame) -> pd.Series:
    """Which spans begin after the last incident ended; none while one is open."""
    return times.start_ts >= incidents.end_ts.max() if incidents.end_ts.notna().all() else times.start_ts.isna()


def _millis(spans: pd.DataFrame) -> float:
    own = spans[~spans.topic.str.startswith("__")]
    return (own.end_ts - own.start_ts).dropna().sum() / pd.Timedelta(milliseconds=1)
