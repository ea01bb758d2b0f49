"""What a broker says of itself: refused ISR writes (F22), memory (F26), credentials (F27)."""

from __future__ import annotations

import pytest

from replay.faults import own_errors as stage
from replay.faults.refused_isr_writes import refused_isr_writes
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables.clocks import CLOCK_STEPS
from replay.tables.faults import FAULTS
from tests.each import for_each
from tests.faults import given
from tests.faults.given import facts, memory_errors
from tests.tables import rows, same_rows


def test_isr_writes_that_zookeeper_refuses_again_and_again():
    """Once is a race that the next attempt wins; a leader that works on an old state never wins."""
    told = """
        ts       | kind                           | node_id | topic  | partition
        10:00:01 | isr_update_zk_version_conflict | 2       | orders | 0
        10:00:02 | isr_update_zk_version_conflict | 2       | orders | 0
        {third}  | isr_update_zk_version_conflict | 2       | orders | {partition} """
    assert not refused_isr_writes(facts(told.format(third="10:00:03", partition=1)), given.timings())
    same_rows(
        stage.isr_updates_refused(
            refused_isr_writes(facts(told.format(third="10:00:03", partition=0)), given.timings())
        ),
        FAULTS,
        """
        code | broker_id | ts       | end_ts   | partitions
        F22  | 2         | 10:00:01 | 10:00:03 | orders-0   """,
    )


def test_a_fetcher_thread_that_dies():
    same_rows(
        stage.fetchers_died(
            facts("""
        ts       | kind        | node_id | logger                             | message
        10:00:00 | thread_died | 3       | kafka.server.ReplicaFetcherThread  | [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0]: Error due to
        10:00:01 | thread_died | 2       | kafka.coordinator.SomethingElse    | Error due to """),
            (),
            given.timings(),
        ),
        FAULTS,
        """
        code | broker_id | ts       | evidence
        F25  | 3         | 10:00:00 | e1       """,
    )


GIVEN_UP = """
        ts           | kind                   | node_id | topic  | partition | isr | details                                                                    | message
        10:00:00     | fetch_process_error    | 3       | orders | 0         |     | exception={exception} | Unexpected error occurred while processing data for partition orders-0 at offset 118
        10:00:00.002 | {marked}               | 3       | orders | 0         |     |                                                                            |
        10:00:40     | isr_shrink             | 1       | orders | {dropped} | 1,2 | old_isr=1,2,3                                                              |"""


def test_a_partition_that_a_fetcher_gives_up_for_an_error_and_its_leader_drops_it_for():
    def died(text):
        return stage.fetchers_died(facts(text), given.given_up_partitions(facts(text)), given.timings())

    told = dict(exception="java.lang.IllegalStateException: x", marked="fetch_partition_failed", dropped=0)
    same_rows(
        died(GIVEN_UP.format(**told)),
        FAULTS,
        """
        code | broker_id | ts       | end_ts   | evidence
        F25  | 3         | 10:00:00 | 10:00:40 | e1,e3    """,
    )
    for other in (
        dict(exception="org.apache.kafka.common.errors.KafkaStorageException: x"),
        dict(marked="any"),
        dict(dropped=1),
    ):
        assert not died(GIVEN_UP.format(**told | other)), other


def test_out_of_memory_and_refused_credentials():
    same_rows(
        stage.out_of_memory(
            memory_errors(
                facts("""
        ts       | kind         | node_id | message
        10:00:00 | thread_died  | 2       | Uncaught exception: java.lang.OutOfMemoryError: Java heap space """)
            )
        ),
        FAULTS,
        """
        code | broker_id
        F26  | 2         """,
    )
    same_rows(
        stage.authentication_failed(
            facts("""
        ts       | kind             | node_id | broker_id | details
        10:00:00 | node_auth_failed | 2       | 1         | error=bad certificate
        10:00:01 | node_auth_failed | 2       | 1         | error=bad certificate
        10:00:01 | node_auth_failed | 3       | -1        | error=bad certificate """)
        ),
        FAULTS,
        """
        code | broker_id
        F27  | 2         """,
    )


def test_who_alone_is_in_all_refused_connections_is_the_one_that_cannot_authenticate(said):
    """1 and 3 fail with 2 alone, as the peers of a broker whose certificate they do not trust do."""
    found = stage.authentication_failed(
        facts("""
        ts       | kind             | node_id | broker_id | details
        10:00:00 | node_auth_failed | 2       | 1         |
        10:00:01 | node_auth_failed | 2       | 3         | error=handshake failed
        10:00:02 | node_auth_failed | 1       | 2         | error=handshake failed
        10:00:03 | node_auth_failed | 3       | 2         | error=handshake failed
        10:00:04 | node_auth_failed | 3       | 2         | error=handshake failed """)
    )
    same_rows(
        found,
        FAULTS,
        """
        broker_id | ts       | end_ts
        2         | 10:00:00 | 10:00:04 """,
    )
    assert said(found) == [
        "2 connections of node 2 to nodes 1 and 3 and 3 connections of nodes 1 and 3 to node 2 failed authentication "
        '("handshake failed")'
    ]


def test_peers_of_a_broker_that_dies_have_no_wrong_credentials():
    """Connections to it that end in the middle of a handshake give no reason; in TLS clusters a few of them are seen at every death."""
    assert not stage.authentication_failed(
        facts("""
        ts       | kind             | node_id | broker_id
        10:00:00 | node_auth_failed | 2       | 1
        10:00:01 | node_auth_failed | 3       | 1         """)
    )


_UPGRADED = """
    ts           | kind               | node_id | details                        | message
    10:00:00.000 | process_version    | 3       | kafka_version=2.4.1            |
    10:05:00.000 | process_version    | 1       | kafka_version={release}        |
    10:05:03.000 | request_unreadable | 3       | exception=o.a.k.InvalidRequestException: Error getting request for apiKey: FETCH, apiVersion: 12, connectionId: a |
    10:05:03.002 | fetch_send_error   | 1       |                                | [ReplicaFetcher replicaId=1, leaderId={of}, fetcherId=0] Error sending fetch request
    10:05:04.000 | request_unreadable | 3       | exception=o.a.k.InvalidRequestException: Error getting request for apiKey: FETCH, apiVersion: 12, connectionId: a |
    10:06:05.000 | request_unreadable | 3       | exception=o.a.k.InvalidRequestException: Error getting request for apiKey: FETCH, apiVersion: 12, connectionId: a | """


def test_a_broker_that_newer_ones_ask_in_a_protocol_it_does_not_know(said):
    """An upgrade that did not keep inter.broker.protocol.version (recorded anew: 2.4.1 to 2.8.2)."""
    found = stage.protocol_refused(facts(_UPGRADED.format(release="2.8.2", of=3)))
    same_rows(
        found,
        FAULTS,
        """
        kind             | code | broker_id | ts       | end_ts   | confidence
        protocol_refused | F28  | 3         | 10:05:03 | 10:06:05 | 0.9        """,
    )
    assert said(found)[0].startswith(
        "broker 3 (Kafka 2.4.1) could not read 3 requests (apiKey: FETCH, apiVersion: 12) while fetches of broker 1 (Kafka 2.8.2) from it failed"
    )


@pytest.mark.parametrize(
    ("release", "of"),
    [("2.4.1", 3), ("2.3.0", 3), ("2.8.2", 2)],
    ids=["same release", "older release", "nobody's fetches failed"],
)
def test_nor_where_no_newer_broker_asks(release, of):
    assert not stage.protocol_refused(facts(_UPGRADED.format(release=release, of=of)))


def test_isr_changes_that_the_controller_ignores_for_seconds_are_a_fault_of_the_leader():
    """Not what a broker that registers anew learns at once."""
    told = facts("""
        ts       | kind                               | node_id | broker_id
        10:00:00 | alter_partition_stale_broker_epoch | 1       | 2
        10:00:30 | isr_update_retry                   | 2       |
        10:05:00 | alter_partition_stale_broker_epoch | 1       | 3
        10:05:02 | alter_partition_stale_broker_epoch | 1       | 3 """)
    same_rows(
        stage.isr_changes_refused(told),
        FAULTS,
        """
        kind                | code | broker_id | ts       | end_ts
        isr_changes_refused | F23  | 2         | 10:00:00 | 10:00:30 """,
    )


@for_each(
    ("step_ms", "low", "high", "said"),
    [
        (90_022.5, "89995", "90050", "forward by about 90,022 ms"),
        (-90_000, "-90050", "-89990", "back by about 90,000 ms"),
        (89_940, "89940.2", "", "forward, to at least 89,940 ms ahead of the others"),
        (-90_000, "", "-89990.2", "back, to at least 89,990 ms behind the others"),
        (-30_000, "", "", "back by about 30,000 ms"),
        (2_000, "-500", "", "forward by about 2,000 ms"),  # the bound does not even show that it is ahead
    ],
)
def test_how_far_a_clock_was_set_is_its_correction(step_ms, low, high, said):
    """The Clocks table shows the same figure."""
    steps = rows(
        CLOCK_STEPS,
        f"""
        node_id | last_ts  | ts       | step_ms   | offset_low_ms | offset_high_ms | cause     | evidence
        1       | 10:00:00 | 10:00:05 | {step_ms} | {low}         | {high}         | clock_set | a        """,
    )
    [found] = stage.clocks_stepped(steps)
    assert HOW_IT_IS_KNOWN.render(found.reason, found.arguments) == f"the clock of node 1 was set {said}"


@pytest.mark.parametrize(
    ("off_at_last_ms", "right_ts", "told"),
    [
        ("90000", "", ", and was still ahead of the others at the end of the logs"),
        ("-5000", "", ", and was still behind the others at the end of the logs"),
        ("", "10:01:00", ", and was right again by 10:01:00.000"),
        ("", "", ""),
    ],
)
def test_a_clock_that_was_not_set_back_is_still_off(off_at_last_ms, right_ts, told):
    steps = rows(
        CLOCK_STEPS,
        f"""
        node_id | last_ts  | ts       | step_ms | cause     | off_at_last_ms   | right_ts   | evidence
        1       | 10:00:00 | 10:00:05 | 90000   | clock_set | {off_at_last_ms} | {right_ts} | a        """,
    )
    [found] = stage.clocks_stepped(steps)
    said = HOW_IT_IS_KNOWN.render(found.reason, found.arguments)
    assert said == f"the clock of node 1 was set forward by about 90,000 ms{told}"
