"""Leaders that led on after another leader was elected, by incident."""

from __future__ import annotations

from replay.causes.stale_leaders import merge_stale_leaders, stale_leaders
from replay.tables.causes import STALE_LEADERS, VERTICES
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
