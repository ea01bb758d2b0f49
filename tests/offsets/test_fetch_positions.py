"""Positions in the fetch requests of followers that failed, as releases print them."""

from __future__ import annotations

from replay.offsets.fetch_positions import fetch_positions
from replay.tables import EVENTS
from replay.tables.offsets import FETCH_POSITIONS
from tests.tables import rows, same_rows

LINE = "ts | node_id | leader_id | kind | logger | event_id"
OF_0_11 = "(type=FetchRequest, replicaId=2, maxWait=500, fetchData={a.b-c-0=(offset=433, logStartOffset=0, maxBytes=1048576), d-12=(offset=0, logStartOffset=0, maxBytes=1048576)})"
OF_2_6 = "(type=FetchRequest, replicaId=2, fetchData={d-3=(fetchOffset=94, logStartOffset=0, maxBytes=1048576, currentLeaderEpoch=Optional[7])}, isolationLevel=READ_UNCOMMITTED)"
OF_3_9 = (
    "(type=FetchRequest, replicaId=2, fetchData={d-3=PartitionData(topicId=MwjOrAYJRcm3LJ1esgqmcA, fetchOffset={offset}, "
    "logStartOffset=0, maxBytes=1048576, currentLeaderEpoch=Optional[7], lastFetchedEpoch={fetched})}, rackId=)"
)


def found(*requests: str):
    text = "\n".join(f"10:00:0{at} | 2 | 1 | fetch_request_error | L | e{at}" for at in range(len(requests)))
    lines = rows(EVENTS, f"{LINE}\n{text}")
    return fetch_positions(
        [line.but(details={"fetch_request": request}) for line, request in zip(lines, requests, strict=True)]
    )


def of_3_9(offset: int, fetched: str) -> str:
    return OF_3_9.replace("{offset}", str(offset)).replace("{fetched}", fetched)


def test_each_release_prints_where_the_followers_log_ends():
    same_rows(
        found(OF_0_11, OF_2_6, of_3_9(120, "Optional[7]")),
        FETCH_POSITIONS,
        """
        topic | partition | node_id | leader_id | ts       | leader_epoch | log_end_offset | event_id
        a.b-c | 0         | 2       | 1         | 10:00:00 |              | 433            | e0
        d     | 12        | 2       | 1         | 10:00:00 |              | 0              | e0
        d     | 3         | 2       | 1         | 10:00:01 | 7            | 94             | e1
        d     | 3         | 2       | 1         | 10:00:02 | 7            | 120            | e2 """,
    )


def test_a_request_that_is_repeated_says_nothing_new():
    assert [one.event_id for one in found(of_3_9(120, "Optional[7]"), of_3_9(120, "Optional[7]"), OF_0_11)] == [
        "e0",
        "e2",
        "e2",
    ]


def test_a_follower_without_a_record_of_this_leader_epoch_may_hold_others_than_its_leader():
    """It fetches from its log end, and truncates when the leader answers that the two diverge (2.8 and later)."""
    assert not list(found(of_3_9(120, "Optional[6]")))
    assert [one.log_end_offset for one in found(of_3_9(120, "Optional.empty"))] == [120]


def test_a_request_that_is_printed_as_an_object_names_no_position():
    assert not list(found("kafka.server.ReplicaFetcherThread$FetchRequest@203cd5f0"))
