"""Partitions that waited about as long as each other, told apart from those that waited longer."""

from replay.causes.alike_waits import alike_waits
from replay.tables.availability import TOPIC_DOWN
from tests.tables import rows

HEAD = "topic | what | low_ms | high_ms | partitions | lows_ms | highs_ms | may_partitions\n"


def waits(text):
    return [tuple(group) for group in alike_waits(rows(TOPIC_DOWN, HEAD + text))]


def test_partitions_that_waited_a_third_as_long_are_a_group_of_their_own():
    """Two of five waited as long as the topic; the others were back when the ISR shrank."""
    assert waits(
        "orders | acks_all | 39200 | 42300 | o-0,o-1,o-2,o-3,o-4 | 39200,12000,13800,39200,12000 | 40400,15100,15000,42300,13000 | o-0,o-1,o-2,o-3,o-4"
    ) == [(2, 39_200, 42_300), (3, 12_000, 15_100)]


def test_where_each_partition_waited_about_as_long_as_its_topic_there_are_no_groups():
    assert waits("orders | acks_all | 10000 | 11000 | o-0,o-1 | 10000,9500 | 11000,10000 | o-0,o-1") == []
    assert waits("orders | acks_all | 8000 | 10500 | o-0,o-1 | 8000,7900 | 10500,8700 | o-0,o-1") == []
    assert waits("orders | acks_all | 0     | 11000 | []      | 0 | 11000 | o-0") == []


def test_a_partition_did_not_wait_longer_than_its_topic():
    """Two kinds of wait of one partition can overlap: their sum is no more than the time of the topic."""
    assert waits("orders | acks_all | 10000 | 11000 | o-0,o-1 | 10000,2000 | 14000,3000 | o-0,o-1") == [
        (1, 10_000, 11_000),
        (1, 2_000, 3_000),
    ]


def test_only_the_clients_of_a_deposed_leader_may_have_waited_longer():
    """Two partitions had a leader that did not know of its successor; a third one only may have waited."""
    assert waits(
        "orders | acks_all | 7500 | 46300 | o-0,o-1,o-2,o-3 | 7500,7500,7400,7500,0 | 46300,46300,9600,9000,800 | o-0,o-1,o-2,o-3,o-4"
    ) == [(2, 7_500, 46_300), (2, 7_400, 9_600)]
