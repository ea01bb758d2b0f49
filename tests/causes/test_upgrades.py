"""Restarts on another release: a rolling upgrade names the releases, the brokers with their times, and what became of the protocol."""

from __future__ import annotations

import pytest

from replay.causes.conclusions import as_finding
from replay.causes.fault_conclusions import rolling_restarts
from replay.causes.upgrades import Releases
from replay.tables.brokers import PROCESSES, SETTINGS
from replay.tables.causes import ROOT_SPANS
from replay.tables.control_plane import FEATURE_LEVELS
from replay.tables.faults import FAULTS
from tests.tables import rows

STOPS = """
    fault_id | kind    | broker_id | began_low | ts       | end_ts   | evidence
    stop-1   | stopped | 1         | 10:00:00  | 10:00:00 | 10:00:10 | s1
    stop-2   | stopped | 2         | 10:01:00  | 10:01:00 | 10:01:10 | s2
    stop-3   | stopped | 3         | 10:02:00  | 10:02:00 | 10:02:10 | s3 """
ROOTED = """
    root_id | kind    | broker_id | ts       | end_ts   | incident_id
    stop-1  | stopped | 1         | 10:00:00 | 10:00:10 | one
    stop-2  | stopped | 2         | 10:01:00 | 10:01:10 | one
    stop-3  | stopped | 3         | 10:02:00 | 10:02:10 | one """
LIVES = """
    node_id | life | release | stop_ts  | next_start_ts | next_release
    1       | 0    | 3.9.1   | 10:00:00 | 10:00:10      | {0}
    2       | 0    | 3.9.1   | 10:01:00 | 10:01:10      | {1}
    3       | 0    | 3.9.1   | 10:02:00 | 10:02:10      | {2} """
STAYED = """
    node_id | feature          | level   | start_ts | changed
    1       | metadata.version | 3.9-IV0 | 09:00:00 | false   """
RAISED = (
    STAYED
    + """
    1       | metadata.version | 4.1-IV1 | 10:05:00 | true    """
)
PRINTED = """
    node_id | ts       | name                          | value   | event_id
    1       | 09:00:00 | inter.broker.protocol.version | 2.8-IV1 | s0
    1       | 10:00:12 | inter.broker.protocol.version | {0}     | s1
    2       | 10:01:12 | inter.broker.protocol.version | {0}     | s2 """


def told(after=("4.1.1", "4.1.1", "4.1.1"), levels="feature", settings="name", before="3.9.1"):
    releases = Releases(
        rows(PROCESSES, LIVES.format(*after).replace("3.9.1", before)),
        rows(SETTINGS, settings),
        rows(FEATURE_LEVELS, levels),
    )
    (found,) = map(as_finding, rolling_restarts(rows(FAULTS, STOPS), rows(ROOT_SPANS, ROOTED), releases))
    return found.title, found.summary


@pytest.mark.parametrize(
    ("after", "title"),
    [
        (("4.1.1", "4.1.1", "4.1.1"), "Rolling upgrade 3.9.1 → 4.1.1: brokers 1, 2 and 3"),
        (("3.8.0", "3.8.0", "3.8.0"), "Rolling downgrade 3.9.1 → 3.8.0: brokers 1, 2 and 3"),
        (("4.1.1", "4.1.1", "3.9.1"), "Rolling restart: brokers 1, 2 and 3; upgrade 3.9.1 → 4.1.1 of brokers 1 and 2"),
        (("3.9.1", "3.9.1", "3.9.1"), "Rolling restart: brokers 1, 2 and 3"),
        (("", "", ""), "Rolling restart: brokers 1, 2 and 3"),
    ],
)
def test_a_title_names_the_releases(after, title):
    assert told(after)[0] == title


def test_an_upgrade_is_reported_node_by_node_with_its_times():
    summary = told(levels=STAYED)[1]
    assert (
        "Started on the other release: broker 1 by 10:00:10, broker 2 by 10:01:10 and broker 3 by 10:02:10." in summary
    )
    assert "From 10:00:10 at the latest until 10:02:10 at the latest, brokers ran different releases." in summary
    assert (
        "Brokers run different releases since 10:00:10 at the latest, to the end of these logs."
        in told(("4.1.1", "4.1.1", ""))[1]
    )


def test_a_protocol_that_is_raised_later_was_pinned_at_the_upgrade():
    raised = (
        PRINTED.format("2.8-IV1")
        + """
    1       | 10:09:00 | inter.broker.protocol.version | 3.5-IV2 | s3 """
    )
    assert "the setting is pinned" in told(before="2.8.2", after=("3.5.2",) * 3, settings=raised)[1]


def test_a_downgrade_asks_for_no_newer_protocol():
    assert "protocol" not in told(before="3.5.2", after=("3.4.1",) * 3, settings=PRINTED.format("2.8-IV1"))[1]
    assert (
        "metadata.version" not in told(("3.9.1",) * 3, levels=STAYED.replace("3.9-IV0", "3.8-IV0"), before="4.1.1")[1]
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"levels": STAYED}, "The level of metadata.version is still 3.9-IV0 at the end of these logs"),
        ({"levels": RAISED}, "The level of metadata.version was raised"),
        ({"before": "2.8.2", "after": ("3.5.2",) * 3, "settings": PRINTED.format("2.8-IV1")}, "the setting is pinned"),
        (
            {"before": "2.8.2", "after": ("3.5.2",) * 3, "settings": PRINTED.format("3.5-IV2")},
            "The brokers did not pin inter.broker.protocol.version: broker 1 started with 3.5-IV2 at 10:00:10",
        ),
    ],
)
def test_whether_the_protocol_was_raised_or_held_back_is_reported(given, said):
    assert said in told(**given)[1]
