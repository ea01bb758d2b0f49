"""A run in one process finds what a run in Spark finds, and `explain` states it first."""

from __future__ import annotations

import csv

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


def test_the_findings_and_losses_of_every_trace_are_those_of_spark():
    compared = 0
    for trace in recordings():
        if "by-hand" in trace.name:
            continue
        with run_here([inputs_of(trace)]) as run:
            assert run is not None
            for name, table, columns in (("findings", FINDINGS, _OF_FINDINGS), ("losses", LOSSES, _OF_LOSSES)):
                file = trace / "expected" / f"{name}.csv"
                if not file.exists():
                    continue
                with file.open(encoding="utf-8", newline="") as text:
                    golden = sorted(tuple(row[column] for column in columns) for row in csv.DictReader(text))
                rows = run.store.rows(name, table)
                made = sorted(tuple(text_of(getattr(row, column)) for column in columns) for row in rows)
                assert made == golden, (trace.name, name)
                compared += len(golden)
    assert compared > 100


def test_the_kills_and_the_lost_records_of_a_folder_of_logs_stand_first():
    trace = TRACES / "unclean-election-zk-2.8.2"
    told = list(as_text(of_files([inputs_of(trace)])))
    assert told[0].startswith(
        "Lost, committed: 8,390 offsets of clicks and orders (retries count each time): broker 2 was elected from"
    )
    assert "CRITICAL  Broker 2 crashed or was killed; then brokers 3" in " ".join(told[1:3])
    assert len(told) <= 50 and told[-1] == "More: --all"
