"""Tiered storage: a remote store that cannot be written to or read from (F35), a log start that jumps (F40)."""

from __future__ import annotations

import pytest

from replay.faults import remote_storage as stage
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables.brokers import NodeRelease
from replay.tables.faults import FAULTS
from replay.tables.row import Row
from tests.faults.given import facts, jumped_log_starts
from tests.tables import same_rows

COPIES = """
    ts       | kind                       | level | node_id | topic  | partition | details
    10:00:00 | remote_copy_done           | INFO  | 1       | orders | 0         | base_offset=00000000000000000296
    10:01:00 | remote_copy_failed         | ERROR | 1       | orders | 0         | exception=org.apache.kafka.server.log.remote.storage.RemoteStorageException: x;caused_by=java.net.ConnectException: refused
    10:01:01 | remote_copy_failed         | ERROR | 1       | orders | 1         | exception=org.apache.kafka.server.log.remote.storage.RemoteStorageException: x;caused_by=java.net.ConnectException: refused
    10:01:01 | remote_segment_left_behind | INFO  | 1       | orders | 1         | error=refused
    10:01:30 | remote_copy_failed         | ERROR | 1       | orders | 0         | exception=org.apache.kafka.server.log.remote.storage.RemoteStorageException: x;caused_by=java.net.ConnectException: refused """


def said(found) -> list[str]:
    return [HOW_IT_IS_KNOWN.render(one.reason, one.arguments) or "" for one in found]


def test_segments_that_cannot_be_copied_try_after_try():
    again = "\n    10:02:00 | remote_copy_done           | INFO  | 2       | orders | 1         |"
    for later, ends in (("", "these logs show no later copy"), (again, "the next copy was complete at 10:02:00.000")):
        found = stage.remote_copies_failed(facts(COPIES + later))
        same_rows(
            found,
            FAULTS,
            """
            kind                 | code | broker_id | ts       | end_ts   | partitions
            remote_copies_failed | F35  | 1         | 10:01:00 | 10:01:30 | orders-0,orders-1 """,
        )
        (text,) = said(found)
        assert "could not copy segments of 2 partitions to the remote store, in 3 attempts" in text
        assert "(java.net.ConnectException: refused)" in text and "1 remote segment could not be deleted" in text
        assert ends in text


@pytest.mark.parametrize(
    "told",
    [
        # One try more heals it.
        """
        ts       | kind               | level | node_id | topic  | partition | details
        10:00:00 | remote_copy_failed | ERROR | 1       | orders | 0         |
        10:00:30 | remote_copy_failed | ERROR | 1       | orders | 0         | """,
        # The leader moved meanwhile.
        """
        ts       | kind               | level | node_id | topic  | partition | details
        10:00:00 | remote_copy_failed | ERROR | 1       | orders | 0         | exception=org.apache.kafka.common.errors.NotLeaderOrFollowerException: x
        10:00:30 | remote_copy_failed | ERROR | 1       | orders | 1         | exception=org.apache.kafka.common.errors.NotLeaderOrFollowerException: x
        10:01:00 | remote_copy_failed | ERROR | 1       | orders | 2         | exception=org.apache.kafka.common.errors.NotLeaderOrFollowerException: x """,
        # The topic of the store's metadata has no leader: whatever took that one is the cause.
        """
        ts       | kind               | level | node_id | topic  | partition | details
        10:00:00 | remote_copy_failed | ERROR | 1       | orders | 0         | exception=java.util.concurrent.ExecutionException: x;caused_by=org.apache.kafka.common.errors.TimeoutException: Expiring 1 record(s) for __remote_log_metadata-3:120000 ms has passed since batch creation
        10:00:30 | remote_copy_failed | ERROR | 1       | orders | 1         | exception=java.util.concurrent.ExecutionException: x;caused_by=org.apache.kafka.common.errors.TimeoutException: Topic __remote_log_metadata not present in metadata after 60000 ms.
        10:01:00 | remote_copy_failed | ERROR | 1       | orders | 2         | exception=java.util.concurrent.TimeoutException: Timed out in catching up with the expected offset by consumer. """,
        # All within a moment.
        """
        ts       | kind               | level | node_id | topic  | partition | details
        10:00:00 | remote_copy_failed | ERROR | 1       | orders | 0         |
        10:00:01 | remote_copy_failed | ERROR | 1       | orders | 1         |
        10:00:02 | remote_copy_failed | ERROR | 1       | orders | 2         | """,
    ],
)
def test_copies_that_fail_now_and_then_are_no_fault(told):
    assert not stage.remote_copies_failed(facts(told))


READS = """
    ts       | kind   | level | node_id | topic  | partition | details
    10:00:00 | {kind} | ERROR | 2       | orders | 0         | exception={thrown}
    10:00:10 | {kind} | ERROR | 2       | orders | 0         | exception={thrown}
    10:00:20 | {kind} | ERROR | 2       | orders | 0         | exception={thrown} """


def test_records_that_cannot_be_read_from_the_store():
    found = stage.remote_reads_failed(facts(READS.format(kind="remote_fetch_failed", thrown="java.io.IOException: x")))
    same_rows(
        found,
        FAULTS,
        """
        kind                | code | broker_id | ts       | end_ts   | partitions
        remote_reads_failed | F35  | 2         | 10:00:00 | 10:00:20 | orders-0   """,
    )
    refused = "java.util.concurrent.RejectedExecutionException: queue"
    assert not stage.remote_reads_failed(facts(READS.format(kind="remote_fetch_failed", thrown=refused)))


def test_a_follower_that_cannot_build_what_lies_in_the_store():
    found = stage.remote_state_not_built(
        facts(
            READS.format(kind="fetch_tier_state_error", thrown="org.apache.kafka.x.RemoteStorageException: not found")
        )
    )
    same_rows(
        found,
        FAULTS,
        """
        kind                   | code | broker_id | ts       | end_ts   | partitions
        remote_state_not_built | F35  | 2         | 10:00:00 | 10:00:20 | orders-0   """,
    )
    assert "could not become follower of 1 partition," in said(found)[0]


def test_a_follower_that_does_not_get_through_to_its_leader_is_no_matter_of_the_store():
    thrown = "java.io.IOException: Connection to 10.77.0.11:9092 (id: 1 rack: null) failed."
    assert not stage.remote_state_not_built(facts(READS.format(kind="fetch_tier_state_error", thrown=thrown)))


ID = "e0CpHhJLRdurqmD8IMbjJg"
TAKEN_OVER = f"""
    ts           | kind                         | node_id | topic  | partition | topic_id | log_start_offset | details                          | message
    10:00:00     | remote_copy_done             | 1       | orders | 0         | {ID}     |                  | base_offset=00000000000000000000 |
    10:10:00     | remote_copy_done             | 1       | orders | 0         | {ID}     |                  | base_offset=00000000000000000300 |
    10:20:00     | remote_copy_done             | 1       | orders | 0         | {ID}     |                  | base_offset=00000000000000000600 |
    10:30:00     | log_start_offset_incremented | 3       | orders | 0         |          | 900              | reason=segment deletion          |
    10:30:00.001 | remote_log_become_leader     | 3       | orders | 0         | {ID}     | 900              |                                  |
    10:30:00.400 | log_start_offset_incremented | 2       | orders | 0         |          | 900              | reason=leader offset increment   |"""
BEFORE = "\n    10:05:00 | log_start_offset_incremented | 1 | orders | 0 | | {start} | reason={reason} |"
DELETED = "\n    {ts} | remote_log_segment_deleted | {node} | orders | 0 | {topic_id} | | | About to delete remote log segment x due to {why} breach"


def jumped(*more: str) -> list:
    return stage.log_starts_jumped(jumped_log_starts(facts(TAKEN_OVER + "".join(more))))


def test_a_new_leader_whose_log_starts_behind_what_the_remote_store_holds():
    late = DELETED.format(ts="10:30:40", node=3, topic_id=ID, why="log-start-offset 900")
    found = jumped(late)
    same_rows(
        found,
        FAULTS,
        """
        kind             | code | broker_id | ts       | partitions | confidence | unknowns                          | evidence
        log_start_jumped | F40  | 3         | 10:30:00 | orders-0   | 0.8        | whether_remote_segments_are_there | e4,e5,e1,e3 """,
    )
    assert said(found) == [
        "broker 3 became leader of orders-0 at 10:30:00.000 and set its log start offset to 900, though 3 segments "
        "from offset 0 had been copied to the remote store, the last at 10:20:00.000, and no line shows that they "
        "were deleted: no replica can serve records before 900 any more; replicas do not truncate their logs for "
        "this, so no line reports a truncation; 1 remote segment was deleted for that log start afterwards"
    ]


def test_what_retention_or_a_request_had_left_out_before_is_not_counted():
    (found,) = jumped(BEFORE.format(start=300, reason="segment deletion"))
    assert "the highest log start told before is 300), though" not in said([found])[0]
    assert "offset before that is 300, though 2 segments from offset 300" in said([found])[0]
    assert jumped(BEFORE.format(start=900, reason="client delete records request")) == []


def test_segments_that_retention_deleted_are_not_left_out():
    assert jumped(DELETED.format(ts="10:25:00", node=1, topic_id=ID, why="retention time 60000ms")) == []
    others = DELETED.format(ts="10:25:00", node=1, topic_id="X8snIzwvRQ2wDuEVgycxrQ", why="retention time 60000ms")
    assert len(jumped(others)) == 1  # of a topic of the same name before


def test_a_leader_that_finds_the_start_as_it_was_moves_nothing():
    same = """
    ts       | kind                         | node_id | topic  | partition | topic_id | log_start_offset | details
    10:00:00 | remote_copy_done             | 1       | orders | 0         |          |                  | base_offset=00000000000000000000
    10:30:00 | remote_log_become_leader     | 3       | orders | 0         |          | 0                |
    10:31:00 | log_start_offset_incremented | 3       | orders | 0         |          | 300              | reason=segment deletion """
    assert stage.log_starts_jumped(jumped_log_starts(facts(same))) == []


FOR_SIZE = "About to delete remote log segment x due to retention size 1048576 breach. Log size after deletion will be 2000000."
AT_ONCE = f"""
    ts           | kind                       | node_id | topic  | partition | message
    10:30:00     | remote_log_become_leader   | 3       | orders | 0         |
    10:30:02     | remote_log_segment_deleted | 3       | orders | 0         | {FOR_SIZE}
    10:30:02.100 | remote_log_segment_deleted | 3       | orders | 0         | {FOR_SIZE}
    10:30:02.200 | remote_log_segment_deleted | 3       | orders | 0         | {FOR_SIZE}"""


def ran(node: int, low: int, high: int) -> Row:
    return NodeRelease(node_id=node, version_low=low, version_high=high)


def test_a_new_leader_that_deletes_many_segments_for_their_size_at_once():
    found = stage.deleted_at_take_over(facts(AT_ONCE), [ran(3, 40100, 40100)])
    same_rows(
        found,
        FAULTS,
        """
        kind                 | code | broker_id | ts       | end_ts       | partitions | confidence
        deleted_at_take_over | F40  | 3         | 10:30:00 | 10:30:02.200 | orders-0   | 0.5        """,
    )
    assert said(found)[0].startswith(
        "broker 3 became leader of orders-0 at 10:30:00.000 and deleted 3 remote segments there for their size by "
        "10:30:02.200 (retention.bytes is 1,048,576): before 4.3.2 a new leader can count data twice"
    )


@pytest.mark.parametrize(
    ("told", "release"),
    [
        (AT_ONCE, 40302),  # counts right
        (AT_ONCE.rpartition("\n")[0], 40100),  # two fell due
        (AT_ONCE.replace("10:30:00 ", "10:00:00 "), 40100),  # it led long before
        (AT_ONCE.replace("retention size 1048576 breach", "retention time 60000ms breach"), 40100),
    ],
)
def test_deletions_that_any_leader_makes(told, release):
    assert stage.deleted_at_take_over(facts(told), [ran(3, release, release)]) == []
