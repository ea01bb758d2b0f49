"""Who leads as the logs end, and which incident took leadership away from preferred replicas."""

from __future__ import annotations

import pytest

from replay.causes.preferred_leaders import leadership_at_last, merge_leadership_at_last
from replay.tables.causes import LEADERSHIP_AT_LAST, VERTICES
from replay.tables.partitions import LEADER_EPOCHS
from tests.each import for_each
from tests.tables import rows, same_rows

MOVES = """
    id                         | incident_id
    election/orders-0/5        | one
    election/orders-0/6        | two
    election/orders-0/7        | three       """
HEAD = "topic | life | partition | leader_epoch | leader_id | replicas | end_ts"


def led(epochs: str, moves: str = MOVES):
    return merge_leadership_at_last(leadership_at_last(rows(LEADER_EPOCHS, f"{HEAD}\n{epochs}"), rows(VERTICES, moves)))


@for_each(
    "epochs, told",
    [
        pytest.param("orders | 0 | 0 | 4 | 1 | 1,2,3 |", [(None, 1, 1, 0)], id="the preferred replica leads"),
        pytest.param(
            "orders | 0 | 0 | 4 | 1 | 1,2,3 | 10:00\n orders | 0 | 0 | 5 | 2 | 1,2,3 |",
            [(None, 2, 1, 0), ("one", 2, 0, 1)],
            id="it did not return",
        ),
        pytest.param(
            "orders | 0 | 0 | 4 | 1 | 1,2,3 | 10:00\n orders | 0 | 0 | 5 | -1 | | 10:01\n orders | 0 | 0 | 6 | 3 | 1,2,3 |",
            [(None, 3, 1, 0), ("two", 3, 0, 1)],
            id="the election that moved it is named, not the time without a leader",
        ),
        pytest.param(
            "orders | 0 | 0 | 5 | 2 | 1,2,3 | 10:00\n orders | 0 | 0 | 6 | 1 | 1,2,3 | 10:01\n orders | 0 | 0 | 7 | 2 | 1,2,3 |",
            [(None, 2, 1, 0), ("three", 2, 0, 1)],
            id="it had returned in between",
        ),
        pytest.param(
            "orders | 0 | 0 | 5 | 2 | 1,2,3 | 10:00\n orders | 0 | 0 | 6 | 3 | 1,2,3 |",
            [(None, 3, 1, 0), ("one", 3, 0, 1)],
            id="the first incident took it away, whoever leads since",
        ),
        pytest.param("orders | 0 | 0 | 4 | 2 | 1,2,3 |", [(None, 2, 1, 0)], id="it never led in these logs"),
        pytest.param(
            "orders | 0 | 0 | 4 | 1 | 1,2,3 | 10:00\n orders | 0 | 0 | 5 | 2 | 2,3,1 |",
            [(None, 2, 1, 0)],
            id="a reassignment made another replica the preferred one",
        ),
        pytest.param(
            "orders | 0 | 0 | 4 | 1 | 1,2,3 | 10:00\n orders | 0 | 0 | 5 | 2 | 1,2,3 | 10:05",
            [],
            id="the topic is deleted",
        ),
        pytest.param("orders | 0 | 0 | 5 | -1 | 1,2,3 |", [], id="nobody leads"),
        pytest.param("__consumer_offsets | 0 | 0 | 5 | 2 | 1,2,3 |", [(None, 2, 1, 0)], id="internal topics count"),
        pytest.param("orders | 0 | 0 | 5 | 2 | |", [(None, 2, 1, 0)], id="no assignment is told"),
    ],
)
def test_an_incident_is_named_for_the_leadership_that_it_took_and_that_did_not_return(epochs, told):
    assert [(row.incident_id, row.leader_id, row.led, row.away) for row in led(epochs)] == told


def test_partitions_are_added_up_by_leader_and_by_incident_in_any_order():
    parts = [
        row
        for partition in (0, 1, 2)
        for row in leadership_at_last(
            rows(
                LEADER_EPOCHS,
                f"{HEAD}\norders | 0 | {partition} | 4 | 1 | 1,2,3 | 10:00\norders | 0 | {partition} | 5 | 2 | 1,2,3 |",
            ),
            rows(VERTICES, f"id | incident_id\nelection/orders-{partition}/5 | one"),
        )
    ]
    same_rows(
        merge_leadership_at_last(parts),
        LEADERSHIP_AT_LAST,
        """
        incident_id | leader_id | led | away | partitions
                    | 2         | 3   | 0    | []
        one         | 2         | 0   | 3    | orders-0,orders-1,orders-2 """,
    )
    again = merge_leadership_at_last([*merge_leadership_at_last(parts[3:]), *merge_leadership_at_last(parts[2::-1])])
    assert again == merge_leadership_at_last(parts)
