"""Leaders that led on after another leader was elected, by incident."""

from __future__ import annotations

import pytest

from replay.causes.stale_leaders import merge_stale_leaders, stale_leaders
from replay.tables.causes import STALE_LEADERS, VERTICES
from replay.tables.faults import FAULTS
from replay.tables.partitions import LEADER_EPOCHS
from replay.tables.questions import DEPOSED_LEADERS
from tests.availability.frames import cluster
from tests.tables import rows, same_rows

DEPOSED = """
    topic              | partition | broker_id | deposed_ts | last_led_ts | believed_ms
    orders             | 0         | 1         | 10:00:09   | 10:00:13    | 33000
    orders             | 3         | 1         | 10:05:00   |             | 120
    orders             | 0         | 2         | 10:07:00   |             | 5000
    __consumer_offsets | 0         | 1         | 10:00:09   |             | 33000       """
ELECTED = """
    id  | kind             | ts       | incident_id
    e-1 | election         | 10:00:09 | one
    e-0 | election         | 10:05:00 | one
    e-2 | unclean_election | 10:07:00 | two
    e-3 | isr_shrink       | 10:07:00 | one         """


def test_who_led_on_for_seconds_counts_in_the_incident_of_the_election():
    """For milliseconds every change of leader has two. Internal topics count."""
    same_rows(
        merge_stale_leaders(stale_leaders(rows(DEPOSED_LEADERS, DEPOSED), [], rows(VERTICES, ELECTED), cluster())),
        STALE_LEADERS,
        """
        incident_id | broker_id | longest_ms | partitions                    | acted_in
        one         | 1         | 33000      | __consumer_offsets-0,orders-0 | orders-0
        two         | 2         | 5000       | orders-0                      | []       """,
    )


def test_partitions_are_added_up_in_any_order():
    parts = rows(
        STALE_LEADERS,
        """
        incident_id | broker_id | longest_ms | partitions | acted_in
        one         | 1         | 33000      | orders-0   | []
        one         | 1         | 33200      | orders-1   | orders-1
        one         | 2         | 4000       | orders-1   | []       """,
    )
    merged = merge_stale_leaders(parts)
    assert [(row.broker_id, row.longest_ms, row.partitions, row.acted_in) for row in merged] == [
        (1, 33_200, ["orders-0", "orders-1"], ["orders-1"]),
        (2, 4_000, ["orders-1"], []),
    ]
    assert merge_stale_leaders([*merge_stale_leaders(parts[1:]), parts[0]]) == merged


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("paused | 1 | 09:59:40 | 10:00:07", [2000]),
        ("paused | 1 | 09:59:40 | 10:00:08.500", []),
        ("paused | 1 | 09:58:00 | 10:00:07", []),  # before it led
        ("killed | 1 | 09:59:40 | 10:00:07", []),
    ],
)
def test_who_wakes_from_a_freeze_leads_on_until_it_learns(fault, found):
    """Only the line with which broker 1 learns shows that another leader had been elected."""
    deposed = """
        topic  | partition | broker_id | leader_epoch | deposed_ts | deposed_before | learnt_ts | believed_ms
        orders | 0         | 1         | 3            | 10:00:09   | true           | 10:00:09  |             """
    epochs = "topic | partition | leader_epoch | leader_id | life | start_ts\norders | 0 | 3 | 1 | 0 | 09:59:00"
    faults = rows(FAULTS, f"kind | broker_id | began_high | ended_high\n{fault}")
    made = stale_leaders(
        rows(DEPOSED_LEADERS, deposed), rows(LEADER_EPOCHS, epochs), rows(VERTICES, ELECTED), cluster(faults=faults)
    )
    assert [row.longest_ms for row in made] == found
