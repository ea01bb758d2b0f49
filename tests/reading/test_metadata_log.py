"""The metadata log, folded as a broker folds it (facts §1.9)."""

from __future__ import annotations

import pytest

from replay.reading.metadata_log import metadata_records, partition_states, topic_names
from replay.tables import EVENTS
from tests.tables import same, table

RECORDS = "metadata_offset bigint, raft_epoch int, ts timestamp, type string, event_id string"
STATES = (
    "topic string, topic_id string, partition int, leader_epoch int, partition_epoch int, leader_id int, isr array<int>, replicas array<int>, elr array<int>, "
    "last_known_elr array<int>, recovering boolean, leader_written boolean, metadata_offset bigint"
)
_TOPIC = '{"type":"TOPIC_RECORD","version":0,"data":{"name":"orders","topicId":"AAA"}}'
_CREATED = '{"type":"PARTITION_RECORD","version":1,"data":{"partitionId":3,"topicId":"AAA","isr":[2,3,1],"replicas":[2,3,1],"leader":2,"leaderEpoch":0,"partitionEpoch":0}}'


def _change(fields: str) -> str:
    return f'{{"type":"PARTITION_CHANGE_RECORD","version":1,"data":{{"partitionId":3,"topicId":"AAA"{fields}}}}}'


@pytest.fixture
def dump(spark):
    """The records of a dump: each its offset, and its payload as JSON."""

    def dump_(*payloads: str):
        rows = "\n".join(
            f"10:00:{n:02d} | dump_metadata_record | dump.txt | offset={n} | {payload}"
            for n, payload in enumerate(payloads)
        )
        return metadata_records(table(spark, EVENTS, "ts | kind | source_file | details | message\n" + rows))

    return dump_


def test_no_dump_no_records(dump):
    assert dump().isEmpty()
    assert partition_states(dump()).isEmpty()


def test_topics_are_named_by_their_id(dump):
    same(
        topic_names(dump(_TOPIC, _CREATED)),
        "topic_id string, topic string",
        """
        topic_id | topic
        AAA      | orders """,
    )


def test_a_partition_record_is_the_whole_state(dump):
    same(
        partition_states(dump(_TOPIC, _CREATED)),
        STATES,
        """
        topic  | topic_id | partition | leader_epoch | partition_epoch | leader_id | isr   | replicas | elr | recovering | metadata_offset
        orders | AAA      | 3         | 0            | 0               | 2         | 2,3,1 | 2,3,1    |     | false      | 1               """,
    )


def test_each_change_is_a_partition_epoch_and_one_that_writes_the_leader_is_a_leader_epoch(dump):
    """Leader −2 is the default: not written. −1 is written: nobody leads. The same leader again is a new leader epoch too."""
    same(
        partition_states(
            dump(
                _TOPIC,
                _CREATED,
                _change(',"isr":[2,3]'),
                _change(',"isr":[3],"leader":3'),
                _change(',"leader":-1'),
                _change(',"leader":3'),
                _change(',"leader":3,"isr":[3,2]'),
                _change(',"leader":-2,"isr":[3,2,1]'),
            )
        ),
        STATES,
        """
        metadata_offset | partition_epoch | leader_epoch | leader_id | isr   | leader_written
        1               | 0               | 0            | 2         | 2,3,1 | true
        2               | 1               | 0            | 2         | 2,3   | false
        3               | 2               | 1            | 3         | 3     | true
        4               | 3               | 2            | -1        | 3     | true
        5               | 4               | 3            | 3         | 3     | true
        6               | 5               | 4            | 3         | 3,2   | true
        7               | 6               | 4            | 3         | 3,2,1 | false          """,
    )


def test_a_snapshots_record_starts_from_its_own_numbers(dump):
    snapshot = _CREATED.replace('"leaderEpoch":0,"partitionEpoch":0', '"leaderEpoch":7,"partitionEpoch":12')
    same(
        partition_states(dump(_TOPIC, snapshot, _change(',"leader":3'))),
        STATES,
        """
        leader_epoch | partition_epoch | leader_id
        7            | 12              | 2
        8            | 13              | 3         """,
    )


def test_the_elr_and_the_recovery_state_last_until_they_are_written_again(dump):
    same(
        partition_states(
            dump(
                _TOPIC,
                _CREATED,
                _change(',"isr":[],"leader":-1,"eligibleLeaderReplicas":[3],"lastKnownElr":[1]'),
                _change(',"isr":[3],"leader":3,"eligibleLeaderReplicas":[]'),
                _change(',"isr":[1],"leader":1,"leaderRecoveryState":1'),
                _change(',"isr":[1,2]'),
                _change(',"leaderRecoveryState":0'),
            )
        ),
        STATES,
        """
        metadata_offset | leader_id | isr   | elr | last_known_elr | recovering
        1               | 2         | 2,3,1 |     |                | false
        2               | -1        | []    | 3   | 1              | false
        3               | 3         | 3     | []  | 1              | false
        4               | 1         | 1     | []  | 1              | true
        5               | 1         | 1,2   | []  | 1              | true
        6               | 1         | 1,2   | []  | 1              | false      """,
    )


def test_where_dumps_of_several_nodes_differ_the_higher_raft_epoch_is_committed(spark):
    """A deposed leader's log may end with records that never were."""
    kept, dropped = _change(',"leader":3'), _change(',"leader":1')
    records = metadata_records(
        table(
            spark,
            EVENTS,
            f"""
        ts       | kind                 | source_file | line_number | controller_epoch | details  | message
        10:00:01 | dump_batch           | old.txt     | 1           | 4                |          | batch
        10:00:01 | dump_metadata_record | old.txt     | 2           |                  | offset=8 | {dropped}
        10:00:02 | dump_batch           | new.txt     | 1           | 5                |          | batch
        10:00:02 | dump_metadata_record | new.txt     | 2           |                  | offset=8 | {kept}    """,
        )
    )
    same(
        records,
        RECORDS + ", leader int",
        """
        metadata_offset | raft_epoch | ts       | type                    | event_id
        8               | 5          | 10:00:02 | PARTITION_CHANGE_RECORD | e4       """,
    )
    assert records.first().data.leader == 3


def _mark(type_: str) -> str:
    return f'{{"type":"{type_}_TRANSACTION_RECORD","version":0,"data":{{}}}}'


def test_an_aborted_transaction_changed_nothing(dump):
    """Metadata version 3.6-IV1 and later write large changes in transactions."""
    same(
        partition_states(
            dump(
                _TOPIC,
                _CREATED,
                _mark("BEGIN"),
                _change(',"leader":1'),
                _mark("ABORT"),
                _mark("BEGIN"),
                _change(',"leader":3'),
                _mark("END"),
                _mark("BEGIN"),
                _change(',"leader":2'),
            )
        ),
        STATES,
        """
        metadata_offset | leader_epoch | partition_epoch | leader_id
        1               | 0            | 0               | 2
        6               | 1            | 1               | 3         """,
    )


def test_one_record_in_two_dumps_is_one(spark):
    records = metadata_records(
        table(
            spark,
            EVENTS,
            f"""
        ts       | kind                 | source_file | details  | message
        10:00:01 | dump_metadata_record | a.txt       | offset=8 | {_TOPIC}
        10:00:01 | dump_metadata_record | b.txt       | offset=8 | {_TOPIC} """,
        )
    )
    same(
        records,
        RECORDS,
        """
        metadata_offset | type
        8               | TOPIC_RECORD """,
    )
