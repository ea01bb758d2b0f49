"""A run in one process finds what a run in Spark finds, and `explain` states it first."""

from __future__ import annotations

import csv
import re
from functools import cache

from pipelines.answers.in_process import run_here
from pipelines.answers.lines import as_text, of_files
from replay.tables import LOSSES
from replay.tables.causes import FINDINGS
from tests.golden import inputs_of, text_of
from tests.recordings import TRACES, recordings

_OF_FINDINGS = ("incident_id", "code", "role", "severity", "title", "start_ts", "end_ts", "broker_ids")
_OF_LOSSES = (
    "topic",
    "partition",
    "leader_epoch",
    "scenario",
    "verdict",
    "from_offset",
    "to_offset_low",
    "to_offset_high",
)


def golden_rows(trace, name):
    file = trace / "expected" / f"{name}.csv"
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


@cache
def rows_here(trace):
    """The findings, the losses and the incidents of a trace's run in this process."""
    with run_here([inputs_of(trace)]) as run:
        assert run is not None
        return run.store.rows("findings", FINDINGS), run.store.rows("losses", LOSSES), run.incidents


def recorded():
    return [trace for trace in recordings() if "by-hand" not in trace.name]


def test_the_findings_and_losses_of_every_trace_are_those_of_spark():
    compared = 0
    for trace in recorded():
        findings, losses, _ = rows_here(trace)
        for name, rows, columns in (("findings", findings, _OF_FINDINGS), ("losses", losses, _OF_LOSSES)):
            if not (trace / "expected" / f"{name}.csv").exists():
                continue
            golden = sorted(tuple(row[column] for column in columns) for row in golden_rows(trace, name))
            made = sorted(tuple(text_of(getattr(row, column)) for column in columns) for row in rows)
            assert made == golden, (trace.name, name)
            compared += len(golden)
    assert compared > 100


def test_explain_names_the_roots_and_losses_that_analyze_finds_in_each_trace():
    """Of each root its title or its brokers; of each loss its topic, and of each incident how many offsets were lost."""
    named = 0
    for trace in recorded():
        incidents = rows_here(trace)[2]
        told = " ".join(
            f"{one.headline} {one.happened} {one.lost_committed} {one.lost_uncommitted}" for one in incidents
        )
        numbers = set(re.findall(r"\d+", told))
        for root in golden_rows(trace, "findings"):
            if root["role"] == "root_cause" and root["severity"] not in ("low", "info"):
                brokers = set(root["broker_ids"].split())
                assert root["title"] in told or (brokers and brokers <= numbers), (trace.name, root["title"])
                named += 1
        lost = {row["topic"] for row in golden_rows(trace, "losses") if row["verdict"] == "PROVEN_LOSS"}
        assert all(topic in told for topic in lost), (trace.name, lost)
        for incident in golden_rows(trace, "incidents"):
            many = int(incident["lost_offsets_max"] or 0)
            assert not many or incident["severity"] in ("low", "info") or f"{many:,}" in told, (trace.name, many)
    assert named >= 14


def test_the_kills_and_the_lost_records_of_a_folder_of_logs_stand_first():
    trace = TRACES / "unclean-election-zk-2.8.2"
    told = list(as_text(of_files([inputs_of(trace)])))
    assert told[0].startswith(
        "Lost, committed: 8,390 offsets of clicks and orders (retries count each time): broker 2 was elected from"
    )
    assert "CRITICAL  Broker 2 crashed or was killed; then brokers 3" in " ".join(told[1:3])
    assert len(told) <= 50 and told[-1] == "More: --all"
