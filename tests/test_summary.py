"""The one screen on the terminal."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from pipelines.found_files import Inputs
from pipelines.main_job import Outcome
from pipelines.summary import summary
from replay.tables import BLIND_SPOTS

DAY = pd.Timestamp("2024-05-01 10:00:00")


def incident(
    number: int, severity: str, start: pd.Timestamp, end: pd.Timestamp, discarded: int | None = 0
) -> dict[str, object]:
    return {
        "incident_id": f"incident-{number}",
        "severity": severity,
        "title": f"Fault {number}",
        "start_ts": start,
        "end_ts": end,
        "elections": 2,
        "leaders_untold": 0,
        "unclean_elections": 0,
        "leaderless_ms": 0,
        "blocked_all_min_ms": 0,
        "blocked_all_max_ms": 0,
        "unserved_min_ms": 0,
        "unserved_max_ms": 0,
        "partitions_affected": 2,
        "lost_offsets_min": 0,
        "lost_offsets_max": 0,
        "acked_possible_max": discarded,
        "undetermined": 0,
    }


def printed(
    *incidents: dict[str, object],
    findings: tuple[tuple[object, ...], ...] = (),
    remarks: tuple[tuple[str, str], ...] = (),
    spots: tuple[tuple[str, int], ...] = (),
) -> str:
    tables = {
        "incidents": pd.DataFrame(incidents, columns=list(incident(0, "low", DAY, DAY))),
        "findings": pd.DataFrame(
            findings, columns=["incident_id", "role", "severity", "code", "title", "start_ts", "finding_id", "evidence"]
        ),
        "coverage": pd.DataFrame(
            [{"source_file": "a", "layout": "default", "log_records": 10, "unmatched": 1, "foreign": 1}]
        ),
        "blind_spots": pd.DataFrame(spots, columns=["kind", "node_id"]),
    }
    said = io.StringIO()
    summary(Outcome(Path("out"), tables, Inputs([], [], list(remarks))), Console(file=said))
    return said.getvalue()


def test_the_worst_incidents_are_shown_and_the_others_counted():
    said = printed(
        *[
            incident(n, severity, DAY + pd.Timedelta(hours=n), DAY + pd.Timedelta(hours=n))
            for n, severity in enumerate(["low", "medium", "low", "critical", "high"])
        ]
    )
    assert [line.split()[:3] for line in said.splitlines() if "Fault" in line] == [
        ["CRITICAL", "Fault", "3"],
        ["HIGH", "Fault", "4"],
        ["MEDIUM", "Fault", "1"],
    ]
    assert "… and 2 more incidents, in the report." in said


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (DAY + pd.Timedelta(hours=1), "2024-05-01 10:00:00 – 11:00:00 UTC"),
        (DAY + pd.Timedelta(days=1), "2024-05-01 10:00:00 – 2024-05-02 10:00:00 UTC"),
        (pd.NaT, "2024-05-01 10:00:00 – ? UTC"),
    ],
)
def test_the_date_of_the_end_is_told_unless_it_is_that_of_the_start(end, said):
    assert said in printed(incident(1, "high", DAY, end))


@pytest.mark.parametrize(
    ("offsets", "said"),
    [
        (1, "above the commit point at most 1 offset discarded"),
        (1_200, "at most 1,200 offsets discarded"),
        (None, "how much was discarded above the commit point is not known"),
    ],
)
def test_offsets_above_the_commit_point_are_counted(offsets, said):
    assert said in printed(incident(1, "high", DAY, DAY, offsets))


def test_leaders_that_may_have_led_before_are_no_changes_and_are_told():
    assert "leader before" not in printed(incident(1, "high", DAY, DAY))
    assert "2 changes of leader; 12 leader epochs of which no line names the leader before" in " ".join(
        printed(incident(1, "high", DAY, DAY) | {"leaders_untold": 12}).split()
    )


def test_what_no_fault_explains_is_no_all_clear():
    said = printed(findings=((None, "effect", "medium", "F00", "Leaders changed", DAY, "x", ["n1/server.log:7"]),))
    assert (
        "Something went wrong, and no fault of it could be named in 10 records" in said
        and "medium effect F00 Leaders changed n1/server.log:7" in " ".join(said.split())
    )
    assert "No fault found in 10 records" in printed(
        findings=((None, "benign", "info", "F17", "Preferred leaders took over", DAY, "x", []),)
    )


_ERRORS = (None, "effect", "low", "F00", "Errors were logged, cause unknown", DAY, "x", ["n1/server.log:7"])


def test_errors_that_no_fault_explains_are_no_all_clear_either():
    said = printed(findings=(_ERRORS,))
    assert "Errors were logged, and no fault of them could be named in 10 records" in said
    assert "low effect F00 Errors were logged, cause unknown n1/server.log:7" in " ".join(said.split())
    assert "No fault found" not in said


def test_what_belongs_to_no_incident_is_told_beside_them():
    said = " ".join(printed(incident(1, "high", DAY, DAY), findings=(_ERRORS,)).split())
    assert "In no incident 10:00:00 low effect F00 Errors were logged" in said
    assert "In no incident" not in printed(incident(1, "high", DAY, DAY))


def test_what_kafka_topics_described_is_no_all_clear():
    """Without a log nothing is known of faults; leaders and ISRs are, as of its time."""
    tables = {
        "incidents": pd.DataFrame(columns=["incident_id", "severity", "start_ts"]),
        "findings": pd.DataFrame(columns=["incident_id", "severity", "code"]),
        "coverage": pd.DataFrame([{"source_file": "a", "layout": "default", "log_records": 2, "unmatched": 0, "foreign": 0}]),
        "blind_spots": pd.DataFrame(columns=["kind", "node_id"]),
        "leader_epochs": pd.DataFrame(),
        "described_partitions": pd.DataFrame(
            [("orders", 0, DAY, 2, 1, [1, 2, 3], [2, 3], [1], None)],
            columns=["topic", "partition", "ts", "leader_id", "preferred_id", "replicas", "isr", "out_of_isr", "set_aside"],
        ),
    }  # fmt: skip
    said = io.StringIO()
    summary(Outcome(Path("out"), tables, Inputs([], [], [])), Console(file=said))
    told = " ".join(said.getvalue().split())
    assert (
        "1 partition, 0 without a leader, 1 not led by the preferred replica, 1 with a replica out of sync. "
        "Whether anything went wrong cannot be told" in told
    )
    assert "No fault found" not in told


def test_what_is_odd_about_the_files_is_told_the_first_three_and_how_many_more():
    said = printed(remarks=tuple((f"node-{n}/server.log", "was given twice: read once") for n in range(1, 6)))
    assert [line for line in said.splitlines() if "twice" in line] == [
        f"Note: node-{n}/server.log was given twice: read once." for n in (1, 2, 3)
    ]
    assert "… and 2 more notes on the files, in the report." in said


def test_every_kind_of_blind_spot_has_words():
    (meaning,) = [column.meaning for column in BLIND_SPOTS.columns if column.name == "kind"]
    for kind in re.findall(r"`(\w+)`", meaning):
        (said,) = [line for line in printed(spots=((kind, 3),)).splitlines() if line.startswith("Not in these files:")]
        assert re.match(r"Not in these files: [a-z]", said), kind


def test_what_clients_felt_is_told_with_least_and_most():
    one = incident(1, "high", DAY, DAY) | {
        "blocked_all_min_ms": 263_877,
        "blocked_all_max_ms": 275_877,
        "unserved_min_ms": 16_000,
        "unserved_max_ms": 16_000,
    }
    text = " ".join(printed(one).split())
    assert "263.9 to 275.9 partition-seconds closed to acks=all; 16.0 partition-seconds without a live leader" in text
    assert "closed to" not in printed(incident(1, "high", DAY, DAY))
