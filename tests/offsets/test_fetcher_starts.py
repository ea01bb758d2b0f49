"""Partitions that a broker begins to fetch, as releases up to 2.7 print them."""

from __future__ import annotations

from replay.offsets.fetcher_starts import fetcher_starts
from replay.tables import EVENTS
from replay.tables.offsets import FETCHER_STARTS
from tests.tables import rows, same_rows

LINE = "ts | node_id | kind | logger | event_id\n10:00:01 | 1 | {} | kafka.server.ReplicaFetcherManager | added"


def started(partitions: str, kind: str = "fetcher_partitions_added", detail: str = "partition_and_offsets", **columns):
    lines = rows(EVENTS, LINE.format(kind))
    return list(fetcher_starts([line.but(details={detail: partitions}, **columns) for line in lines]))


def test_a_line_names_every_partition_with_its_initial_offset_and_its_leader():
    same_rows(
        started(
            "List([a.b-c-0, initOffset 829 to broker BrokerEndPoint(2,kafka-2.example,9092)] , "
            "[d-12, initOffset 0 to broker BrokerEndPoint(3,10.77.0.13,9092)] )"
        ),
        FETCHER_STARTS,
        """
        topic | partition | node_id | leader_id | ts       | initial_offset | event_id
        a.b-c | 0         | 1       | 2         | 10:00:01 | 829            | added
        d     | 12        | 1       | 3         | 10:00:01 | 0              | added """,
    )


def test_from_2_1_to_2_7_a_line_names_the_leader_once_and_each_leader_epoch():
    partitions = "Map(a.b-c-0 -> (offset=95, leaderEpoch=1), d-12 -> (offset=0, leaderEpoch=0))"
    same_rows(
        started(partitions, detail="initial_fetch_states", leader_id=2),
        FETCHER_STARTS,
        """
        topic | partition | node_id | leader_id | leader_epoch | initial_offset
        a.b-c | 0         | 1       | 2         | 1            | 95
        d     | 12        | 1       | 2         | 0            | 0              """,
    )


def test_other_lines_name_none():
    assert not started("List()")
    one = "List([d-1, initOffset 5 to broker BrokerEndPoint(2,kafka-2,9092)] )"
    assert started(one) and not started(one, kind="fetcher_partitions_removed")
    later = "Map(d-1 -> InitialFetchState(BrokerEndPoint(id=2, host=kafka-2:9092),0,5))"
    assert not started(later, detail="initial_fetch_states", leader_id=2)  # from 2.8 on, perhaps the log end
