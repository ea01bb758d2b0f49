"""A broker that learns late of what the controllers decided (facts §5, F32)."""

from __future__ import annotations

import pytest

from replay.faults.late_metadata import metadata_late
from replay.tables.faults import FAULTS
from tests.faults.given import facts, first_lines, late_roles
from tests.tables import same_rows


def learnt_late(told):
    return metadata_late(late_roles(told), first_lines(told), told)


LINES = """
    ts           | kind           | node_id | topic  | topic_id | partition | leader_epoch | partition_epoch
    10:00:00.000 | any            | 1       |        |          |           |              |
    10:00:00.000 | any            | 2       |        |          |           |              |
    10:00:00.000 | any            | 3       |        |          |           |              |
    10:05:00.000 | leader_start   | 1       | orders | t1       | 0         | 4            | 9
    10:05:00.300 | follower_start | 2       | orders | t1       | 0         | 4            | 9
    {between}
    10:07:10.000 | follower_start | 3       | orders | t1       | 0         | 4            | {epoch} """


def test_a_broker_that_takes_up_its_part_two_minutes_late_learnt_late(said):
    found = learnt_late(facts(LINES.format(between="10:06:00.000 | any | 3 | | | | |", epoch=9)))
    same_rows(
        found,
        FAULTS,
        """
        kind          | code | broker_id | ts           | end_ts       | evidence
        metadata_late | F32  | 3         | 10:05:00.000 | 10:07:10.000 | e4,e7    """,
    )
    assert said(found) == [
        "broker 3 applied the controller's decisions for 1 partition up to 130.0 s after another broker did, between "
        "10:05:00.000 and 10:07:10.000, and ran the whole time"
    ]


@pytest.mark.parametrize(
    "between, epoch",
    [
        ("10:06:00.000 | broker_starting | 3 | | | | |", 9),  # it reads what it had missed
        ("10:06:00.000 | any | 3 | | | | |", 10),  # a replica that was added later
    ],
)
def test_one_that_started_meanwhile_or_was_added_later_did_not(between, epoch):
    assert not learnt_late(facts(LINES.format(between=between, epoch=epoch)))


def test_one_whose_files_begin_later_is_not_judged():
    told = facts(LINES.format(between="10:06:00.000 | any | 3 | | | | |", epoch=9))
    assert not learnt_late([fact for fact in told if fact.event_id != "e3"])
