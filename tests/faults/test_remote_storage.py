"""Tiered storage: a remote store that cannot be written to or read from (F35)."""

from __future__ import annotations

import pytest

from replay.faults import remote_storage as stage
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables.faults import FAULTS
from tests.faults.given import facts
from tests.tables import same_rows

COPIES = """
    ts       | kind                       | level | node_id | topic  | partition | details
    10:00:00 | remote_copy_done           | INFO  | 1       | orders | 0         | base_offset=00000000000000000296
    10:01:00 | remote_copy_failed         | ERROR | 1       | orders | 0         | exception=org.apache.kafka.server.log.remote.storage.RemoteStorageException: x;caused_by=java.net.ConnectException: refused
    10:01:01 | remote_copy_failed         | ERROR | 1       | orders | 1         | exception=org.apache.kafka.server.log.remote.storage.RemoteStorageException: x;caused_by=java.net.ConnectException: refused
    10:01:01 | remote_segment_left_behind | INFO  | 1       | orders | 1         | error=refused
    10:01:30 | remote_copy_failed         | ERROR | 1       | orders | 0         | exception=org.apache.kafka.server.log.remote.storage.RemoteStorageException: x;caused_by=java.net.ConnectException: refused """


def said(found) -> list[str]:
    return [HOW_IT_IS_KNOWN.say(one.reason, one.arguments) or "" for one in found]


def test_segments_that_cannot_be_copied_try_after_try():
    again = "\n    10:02:00 | remote_copy_done           | INFO  | 2       | orders | 1         |"
    for later, ends in (("", "no later copy is told in these logs"), (again, "finished at 10:02:00.000")):
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
    assert "could not take up 1 partition as a follower" in said(found)[0]


def test_a_follower_that_does_not_get_through_to_its_leader_is_no_matter_of_the_store():
    thrown = "java.io.IOException: Connection to 10.77.0.11:9092 (id: 1 rack: null) failed."
    assert not stage.remote_state_not_built(facts(READS.format(kind="fetch_tier_state_error", thrown=thrown)))
