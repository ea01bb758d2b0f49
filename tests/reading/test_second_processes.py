"""Two folders that say they are of one node: the lines of the process that was refused are no node's."""

from __future__ import annotations

import pytest

from replay.reading.owners import SecondProcesses
from replay.tables.arrow import from_arrow
from replay.tables.reading import PRINTED
from replay.tables.row import Row
from tests.tables import arrow_table, same_rows

REFUSED = "[BrokerLifecycleManager id=2] Unable to register broker 2 because the controller returned error DUPLICATE_BROKER_REGISTRATION"
TAKEN = "Error while creating ephemeral at /brokers/ids/2, node already exists and owner '1' does not match current session '2'"


def records_of(text: str) -> list[Row]:
    """The records of the text, as they are told when second processes are known."""
    header, *lines = text.strip("\n").splitlines()
    numbered = [f"{header} | event_id | level", *(f"{line} | e{n + 1} | INFO" for n, line in enumerate(lines))]
    batches = arrow_table(PRINTED, "\n".join(numbered)).to_batches(max_chunksize=2)
    second = SecondProcesses(batch.select(SecondProcesses.COLUMNS) for batch in batches)
    return [row for batch in second.batches(batches) for row in from_arrow(PRINTED, batch)]


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
def test_what_a_refused_process_wrote_while_the_node_lived_on_is_no_nodes(kind, message):
    same_rows(
        records_of(_TWO.format(kind=kind, message=message, goes_on="kafka-2")),
        PRINTED,
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
def test_a_process_that_comes_after_the_first_one_ended_or_was_not_refused_is_the_node(kind, message, goes_on):
    assert all(row.node_id == 2 for row in records_of(_TWO.format(kind=kind, message=message, goes_on=goes_on)))


def test_one_that_registers_in_the_end_is_the_node():
    records = records_of(
        _TWO.format(kind="broker_registration_failed", message=REFUSED, goes_on="kafka-2")
        + """
    10:01:09 | 2       | kafka-2b/server.log | broker_registered | """
    )
    assert all(row.node_id == 2 for row in records)
