"""Registrations that were refused because the id was registered already (facts §5, F29)."""

from __future__ import annotations

from replay.faults.registrations import registration_refused
from replay.tables.brokers import BROKER_SESSIONS
from replay.tables.faults import FAULTS
from tests.faults.given import facts
from tests.tables import rows, same_rows

REFUSED = "[BrokerLifecycleManager id=2] Unable to register broker 2 because the controller returned error DUPLICATE_BROKER_REGISTRATION"
TAKEN = "Error while creating ephemeral at /brokers/ids/2, node already exists and owner '1' does not match current session '2'"


def test_a_second_process_is_distinguished_from_a_restart_that_was_refused(said):
    told = facts(
        f"""
        ts       | node_id | broker_id | source_file         | kind                       | message
        10:01:02 |         | 2         | kafka-2b/server.log | broker_registration_failed | {REFUSED}
        10:01:03 |         | 2         | kafka-2b/server.log | broker_registration_failed | {REFUSED}
        10:02:00 | 2       |           | kafka-2/server.log  | zk_ephemeral_conflict      | {TAKEN}    """
    )
    same_rows(
        registration_refused(told),
        FAULTS,
        """
        kind                 | code | broker_id | ts       | end_ts   | evidence
        second_process       | F29  | 2         | 10:01:02 | 10:01:03 | e1,e2
        registration_refused | F29  | 2         | 10:02:00 | 10:02:00 | e3       """,
    )
    assert said(registration_refused(told)) == [
        "while broker 2 kept running, another process tried to register with its id and was refused twice; the analysis counts the lines of that process (kafka-2b/server.log and neighboring files) and attributes them to no node",
        "the start of broker 2 was refused once at 10:02:00.000: the ZooKeeper session of its previous process was still active, which lasts until zookeeper.session.timeout.ms after its last contact",
    ]


def test_a_broker_that_zookeeper_refuses_stops_itself(said):
    """As recorded of 2.4.1: started again 3 s after it was killed, within its session of 6 s, it never served again."""
    told = facts(
        f"""
        ts       | node_id | source_file         | kind                   | message
        10:02:00 | 2       | kafka-2/server.log  | zk_ephemeral_conflict  | {TAKEN}
        10:02:00 | 2       | kafka-2/server.log  | process_startup_failed | Fatal error during KafkaServer startup. Prepare to shutdown
        10:02:03 | 2       | kafka-2/server.log  | process_startup_failed | Exiting Kafka. """,
    )
    same_rows(
        registration_refused(told),
        FAULTS,
        """
        kind                 | code | broker_id | ts       | evidence
        registration_refused | F29  | 2         | 10:02:00 | e1       """,
    )
    assert said(registration_refused(told)) == [
        "the start of broker 2 was refused once at 10:02:00.000: the ZooKeeper session of its previous process was still active, which lasts until zookeeper.session.timeout.ms after its last contact; the broker stopped itself at 10:02:00.000 and must be started again after that session has ended"
    ]


def test_a_broker_that_kraft_registers_after_refusals_says_when(said):
    told = facts(
        f"""
        ts       | node_id | source_file        | kind                       | message
        11:20:15 | 2       | kafka-2/server.log | broker_registration_failed | {REFUSED}
        11:20:18 | 2       | kafka-2/server.log | broker_registration_failed | {REFUSED}
        11:20:21 | 2       | kafka-2/server.log | broker_registered          | [BrokerLifecycleManager id=2] Successfully registered broker 2 with broker epoch 90412
        11:30:00 | 2       | kafka-2/server.log | broker_registered          | [BrokerLifecycleManager id=2] Successfully registered broker 2 with broker epoch 95001"""
    )
    refused = "the start of broker 2 was refused twice at 11:20:15.000, the last time at 11:20:18.000: the controllers still had the session of its previous process, which lasts until broker.session.timeout.ms after its last heartbeat, from Kafka 4.0 on also if a controlled shutdown has fenced the registration"
    passed = "the broker asked again until it was registered at 11:20:21.000, so nothing has to be done"
    assert said(registration_refused(told)) == [
        f"{refused}; that session ended between 11:20:18.000 and 11:20:21.000; {passed}"
    ]
    # The session of the process before: not the one that follows, nor that of another broker.
    sessions = rows(
        BROKER_SESSIONS,
        """
        broker_id | start_ts | end_ts   | ended_by
        2         | 11:00:00 | 11:20:19 | crash
        2         | 11:20:20 | 11:20:20 | crash
        3         | 11:00:00 | 11:20:18 | crash    """,
    )
    assert said(registration_refused(told, sessions)) == [f"{refused}; that session ended at 11:20:19.000; {passed}"]
    only_refused = [fact for fact in told if fact.kind != "broker_registered"]
    assert said(registration_refused(only_refused)) == [
        f"{refused}; the broker asks again until then, and no line shows that it was registered"
    ]
