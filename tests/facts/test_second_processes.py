"""Two folders that say they are of one node: the lines of the process that was refused are no node's."""

from __future__ import annotations

import pytest

from replay.facts.second_processes import without_second_processes
from replay.tables import EVENTS
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
