"""Two folders that say they are of one node: the lines of the process that was refused are no node's."""

from __future__ import annotations

import pytest

from replay.brokers.second_processes import without_second_processes
from replay.faults import registration_refused
from replay.tables import EVENTS
from replay.tables.faults import FAULTS
from tests.tables import same, table

WHOSE = "node_id int, source_file string, event_id string"
REFUSED = "[BrokerLifecycleManager id=2] Unable to register broker 2 because the controller returned error DUPLICATE_BROKER_REGISTRATION"
TAKEN = "Error while creating ephemeral at /brokers/ids/2, node already exists and owner '1' does not match current session '2'"


@pytest.fixture
def records(spark):
    return lambda text: table(spark, EVENTS, text).fillna({"level": "INFO", "message": ""})


_TWO = """
    raw_ts   | node_id | source_file         | kind       | message
    10:00:00 | 2       | kafka-2/server.log  | any        |
    10:01:00 | 2       | kafka-2b/server.log | any        |
    10:01:02 | 2       | kafka-2b/server.log | {kind}     | {message}
    10:01:03 | 2       | kafka-2b/data/meta.properties | |
    10:01:30 | 2       | {goes_on}/server.log | any       | """


@pytest.mark.parametrize(
    ("kind", "message"), [("broker_registration_failed", REFUSED), ("zk_ephemeral_conflict", TAKEN)]
)
def test_what_a_refused_process_wrote_while_the_node_lived_on_is_no_nodes(records, kind, message):
    same(
        without_second_processes(records(_TWO.format(kind=kind, message=message, goes_on="kafka-2"))),
        WHOSE,
        """
        node_id | source_file                   | event_id
        2       | kafka-2/server.log            | e1
                | kafka-2b/server.log           | e2
                | kafka-2b/server.log           | e3
                | kafka-2b/data/meta.properties | e4
        2       | kafka-2/server.log            | e5       """,
    )


@pytest.mark.parametrize(
    ("kind", "message", "goes_on"),
    [
        ("broker_registration_failed", REFUSED, "kafka-2b"),
        ("any", "", "kafka-2"),
        ("broker_registration_failed", "Unable to register broker 2 because of an API version problem.", "kafka-2"),
    ],
)
def test_a_process_that_comes_after_the_first_one_ended_or_was_not_refused_is_the_node(records, kind, message, goes_on):
    told = records(_TWO.format(kind=kind, message=message, goes_on=goes_on))
    assert without_second_processes(told).where("node_id is null").isEmpty()


def test_one_that_registers_in_the_end_is_the_node(records):
    told = records(
        _TWO.format(kind="broker_registration_failed", message=REFUSED, goes_on="kafka-2")
        + """
    10:01:09 | 2       | kafka-2b/server.log | broker_registered | """
    )
    assert without_second_processes(told).where("node_id is null").isEmpty()


def test_a_second_process_is_told_apart_from_a_restart_that_was_refused(spark, said):
    told = table(
        spark,
        EVENTS,
        f"""
        ts       | node_id | broker_id | source_file         | kind                       | message
        10:01:02 |         | 2         | kafka-2b/server.log | broker_registration_failed | {REFUSED}
        10:01:03 |         | 2         | kafka-2b/server.log | broker_registration_failed | {REFUSED}
        10:02:00 | 2       |           | kafka-2/server.log  | zk_ephemeral_conflict      | {TAKEN}    """,
    )
    same(
        registration_refused(told),
        FAULTS,
        """
        kind                 | code | broker_id | ts       | end_ts   | evidence
        second_process       | F29  | 2         | 10:01:02 | 10:01:03 | e1,e2
        registration_refused | F29  | 2         | 10:02:00 | 10:02:00 | e3       """,
    )
    assert said(registration_refused(told)) == [
        "while broker 2 lived on, another process asked for its id and was refused twice; what it wrote (kafka-2b/server.log and beside) is counted, and told of no node",
        "broker 2 had its restart rejected: its previous session was still active",
    ]


def test_a_broker_that_zookeeper_refuses_stops_itself(spark, said):
    """As recorded of 2.4.1: started again 3 s after it was killed, within its session of 6 s, it never served again."""
    told = table(
        spark,
        EVENTS,
        f"""
        ts       | node_id | source_file         | kind                   | message
        10:02:00 | 2       | kafka-2/server.log  | zk_ephemeral_conflict  | {TAKEN}
        10:02:00 | 2       | kafka-2/server.log  | process_startup_failed | Fatal error during KafkaServer startup. Prepare to shutdown
        10:02:03 | 2       | kafka-2/server.log  | process_startup_failed | Exiting Kafka. """,
    )
    same(
        registration_refused(told),
        FAULTS,
        """
        kind                 | code | broker_id | ts       | evidence
        registration_refused | F29  | 2         | 10:02:00 | e1       """,
    )
    assert said(registration_refused(told)) == [
        "broker 2 had its restart rejected: its previous session was still active; it stopped itself at 10:02:00.000 and has to be started again"
    ]
