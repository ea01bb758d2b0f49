"""Connections that broke, as the node at the other end tells (facts §5.1)."""

from __future__ import annotations

from replay.facts.connections import broken_connections
from replay.tables.brokers import BROKEN_CONNECTIONS
from tests.tables import facts, same_rows


def test_a_connection_that_was_closed_is_distinguished_from_one_that_was_refused_or_timed_out():
    told = facts("""
        ts       | kind                | node_id | broker_id | message
        10:00:01 | node_disconnected   | 1       | 2         | Node 2 disconnected.
        10:00:02 | node_connect_failed | 1       | 2         | Connection to node 2 (b:9092) could not be established.
        10:00:03 | fetch_send_error    | 1       |           | [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Error in response
        10:00:04 | node_disconnected   | 1       | 2         | Client requested disconnect from node 2   """)
    same_rows(
        broken_connections(told),
        BROKEN_CONNECTIONS,
        """
        peer_id | node_id | ts       | event_id | count | closed | refused
        2       | 1       | 10:00:01 | e1       | 1     | true   | false
        2       | 1       | 10:00:02 | e2       | 1     | true   | true
        2       | 1       | 10:00:03 | e3       | 1     | false  | false   """,
    )


def test_what_zookeeper_says_of_a_session_is_about_the_broker_that_had_it():
    told = facts("""
        ts       | kind                      | node_id | details
        10:00:00 | zk_session_connected      | 3       | session_id=0xABC
        10:00:09 | zookeeper_connection_lost |         | session_id=abc
        10:00:15 | zookeeper_session_expired |         | session_id=0xabc
        10:00:16 | zookeeper_session_expired |         | session_id=0xdef    """)
    same_rows(
        broken_connections(told),
        BROKEN_CONNECTIONS,
        """
        peer_id | node_id | ts       | event_id | closed | refused
        3       |         | 10:00:09 | e2       | true   | false
        3       |         | 10:00:15 | e3       | false  | false    """,
    )


def test_a_connection_that_zookeeper_closes_before_its_session_ends_is_one_that_broke():
    """As Kafka up to 2.3 prints it. What it closes as it expires a session, or as the client says goodbye, did not break."""
    told = facts("""
        ts           | kind                         | node_id | details
        10:00:00.000 | zk_session_connected         | 1       | session_id=0xa
        10:00:00.000 | zk_session_connected         | 2       | session_id=0xb
        10:00:00.000 | zk_session_connected         | 3       | session_id=0xc
        10:00:09.000 | zookeeper_connection_closed  | 0       | session_id=0xa
        10:00:15.000 | zookeeper_session_expired    | 0       | session_id=0xb
        10:00:15.001 | zookeeper_connection_closed  | 0       | session_id=0xb
        10:00:20.000 | zookeeper_session_terminated | 0       | session_id=0xc
        10:00:20.003 | zookeeper_connection_closed  | 0       | session_id=0xc """)
    same_rows(
        broken_connections(told),
        BROKEN_CONNECTIONS,
        """
        peer_id | ts       | event_id | closed
        1       | 10:00:09 | e4       | true
        2       | 10:00:15 | e5       | false   """,
    )
