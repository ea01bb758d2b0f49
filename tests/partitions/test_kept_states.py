"""The states that the cluster itself kept: the metadata log, folded as a broker folds it (facts §1.9), and what ZooKeeper's
tools print, each state with its path and its stat.
"""

from __future__ import annotations

from replay.facts.metadata_log import Committed, merged_metadata_records, metadata_log, metadata_records
from replay.facts.window import ALL_TIME
from replay.partitions.kept_states import kept_states, zookeeper_states
from replay.tables import EVENTS
from replay.tables.partitions import KEPT_STATES, KeptState
from tests.nodes import of_nodes
from tests.tables import rows, same_rows

_TOPIC = '{"type":"TOPIC_RECORD","version":0,"data":{"name":"orders","topicId":"AAA"}}'
_CREATED = '{"type":"PARTITION_RECORD","version":1,"data":{"partitionId":3,"topicId":"AAA","isr":[2,3,1],"replicas":[2,3,1],"leader":2,"leaderEpoch":0,"partitionEpoch":0}}'


def _change(fields: str) -> str:
    return f'{{"type":"PARTITION_CHANGE_RECORD","version":1,"data":{{"partitionId":3,"topicId":"AAA"{fields}}}}}'


def log_of(text: str) -> list[Committed]:
    """The committed records of dumps, one of each node."""
    return metadata_log(merged_metadata_records(of_nodes(metadata_records, rows(EVENTS, text), ALL_TIME)))


def dump(*payloads: str) -> list[KeptState]:
    """The states in a dump: each record its offset, and its payload as JSON."""
    lines = "\n".join(
        f"10:00:{n:02d} | dump_metadata_record | dump.txt | offset={n} | r{n} | {payload}"
        for n, payload in enumerate(payloads)
    )
    return kept_states(log_of("ts | kind | source_file | details | event_id | message\n" + lines), [])


def test_no_dump_no_states():
    assert dump() == []


def test_a_partition_record_is_the_whole_state():
    same_rows(
        dump(_TOPIC, _CREATED),
        KEPT_STATES,
        """
        topic  | topic_id | partition | leader_epoch | partition_epoch | leader_id | isr   | replicas | elr | recovering | event_id
        orders | AAA      | 3         | 0            | 0               | 2         | 2,3,1 | 2,3,1    |     | false      | r1 """,
    )


def test_each_change_is_a_partition_epoch_and_one_that_writes_the_leader_is_a_leader_epoch():
    """Leader −2 is the default: not written. −1 is written: nobody leads. The same leader again is a new leader epoch too."""
    same_rows(
        dump(
            _TOPIC,
            _CREATED,
            _change(',"isr":[2,3]'),
            _change(',"isr":[3],"leader":3'),
            _change(',"leader":-1'),
            _change(',"leader":3'),
            _change(',"leader":3,"isr":[3,2]'),
            _change(',"leader":-2,"isr":[3,2,1]'),
        ),
        KEPT_STATES,
        """
        event_id        | partition_epoch | leader_epoch | leader_id | isr  
        r1              | 0               | 0            | 2         | 2,3,1
        r2              | 1               | 0            | 2         | 2,3
        r3              | 2               | 1            | 3         | 3    
        r4              | 3               | 2            | -1        | 3    
        r5              | 4               | 3            | 3         | 3    
        r6              | 5               | 4            | 3         | 3,2  
        r7              | 6               | 4            | 3         | 3,2,1""",
    )


def test_a_snapshots_record_starts_from_its_own_numbers():
    snapshot = _CREATED.replace('"leaderEpoch":0,"partitionEpoch":0', '"leaderEpoch":7,"partitionEpoch":12')
    same_rows(
        dump(_TOPIC, snapshot, _change(',"leader":3')),
        KEPT_STATES,
        """
        leader_epoch | partition_epoch | leader_id
        7            | 12              | 2
        8            | 13              | 3         """,
    )


def test_the_elr_and_the_recovery_state_last_until_they_are_written_again():
    same_rows(
        dump(
            _TOPIC,
            _CREATED,
            _change(',"isr":[],"leader":-1,"eligibleLeaderReplicas":[3],"lastKnownElr":[1]'),
            _change(',"isr":[3],"leader":3,"eligibleLeaderReplicas":[]'),
            _change(',"isr":[1],"leader":1,"leaderRecoveryState":1'),
            _change(',"isr":[1,2]'),
            _change(',"leaderRecoveryState":0'),
        ),
        KEPT_STATES,
        """
        event_id        | leader_id | isr   | elr | last_known_elr | recovering
        r1              | 2         | 2,3,1 |     |                | false
        r2              | -1        | []    | 3   | 1              | false
        r3              | 3         | 3     | []  | 1              | false
        r4              | 1         | 1     | []  | 1              | true
        r5              | 1         | 1,2   | []  | 1              | true
        r6              | 1         | 1,2   | []  | 1              | false      """,
    )


def _mark(type_: str) -> str:
    return f'{{"type":"{type_}_TRANSACTION_RECORD","version":0,"data":{{}}}}'


def test_an_aborted_transaction_changed_nothing():
    """Metadata version 3.6-IV1 and later write large changes in transactions."""
    same_rows(
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
        ),
        KEPT_STATES,
        """
        event_id        | leader_epoch | partition_epoch | leader_id
        r1              | 0            | 0               | 2
        r6              | 1            | 1               | 3         """,
    )


def test_where_dumps_of_several_nodes_differ_the_higher_raft_epoch_is_committed():
    """A deposed leader's log may end with records that never were."""
    log = log_of(f"""
        ts       | node_id | kind                 | source_file | line_number | controller_epoch | details  | event_id | message
        10:00:01 | 1       | dump_batch           | old.txt     | 1           | 4                |          | e1       | batch
        10:00:01 | 1       | dump_metadata_record | old.txt     | 2           |                  | offset=8 | e2       | {_change(',"leader":1')}
        10:00:02 | 2       | dump_batch           | new.txt     | 1           | 5                |          | e3       | batch
        10:00:02 | 2       | dump_metadata_record | new.txt     | 2           |                  | offset=8 | e4       | {_change(',"leader":3')} """)
    assert [(one.event_id, one.number("leader")) for one in log] == [("e4", 3)]


def test_one_record_in_two_dumps_is_one_and_the_first_line_shows_it():
    log = log_of(f"""
        ts       | node_id | kind                 | source_file | details  | event_id | message
        10:00:01 | 1       | dump_metadata_record | a.txt       | offset=8 | e1       | {_TOPIC}
        10:00:01 | 2       | dump_metadata_record | b.txt       | offset=8 | e2       | {_TOPIC} """)
    assert [(one.type, one.event_id) for one in log] == [("TOPIC_RECORD", "e1")]


def test_a_field_of_another_type_is_no_number_and_no_list_of_numbers():
    (state,) = dump(_TOPIC, _CREATED.replace("[2,3,1]", '[2,"3"]', 1).replace('"leader":2', '"leader":"2"'))
    assert (state.isr, state.leader_id, state.replicas) == (None, None, [2, 3, 1])


# What ZooKeeper kept


def stored(text: str) -> list[KeptState]:
    return kept_states([], of_nodes(zookeeper_states, rows(EVENTS, text), ALL_TIME))


def test_each_state_has_the_path_before_it_and_the_stat_after_it():
    same_rows(
        stored("""
        line_number | kind           | event_id | topic  | partition | leader_id | leader_epoch | isr | controller_epoch | details
        1           | zookeeper_talk | a        |        |           |           |              |     |                  |
        2           | znode_path     | b        | orders | 3         |           |              |     |                  |
        2           | zookeeper_talk | b2       |        |           |           |              |     |                  |
        3           | znode_state    | c        |        |           | 2         | 12           | 2,3 | 7                |
        4           | znode_stat     | d        |        |           |           |              |     |                  | ctime=Sat Nov 21 01:00:00 UTC 2026
        5           | znode_stat     | e        |        |           |           |              |     |                  | mtime=Sat Nov 21 05:34:41 UTC 2026
        6           | znode_stat     | f        |        |           |           |              |     |                  | dataVersion=30
        7           | znode_path     | g        | clicks | 0         |           |              |     |                  |
        8           | znode_state    | h        |        |           | -1        | 4            | 1   | 7                |
        9           | znode_stat     | i        |        |           |           |              |     |                  | mtime=Fri Jul 3 07:00:00 CEST 2026
        10          | znode_stat     | j        |        |           |           |              |     |                  | dataVersion=9 """),
        KEPT_STATES,
        """
        topic  | partition | leader_epoch | partition_epoch | leader_id | isr | ts                      | event_id
        orders | 3         | 12           | 30              | 2         | 2,3 | 2026-11-21T05:34:41.999 | c
        clicks | 0         | 4            | 9               | -1        | 1   | 2026-07-03T05:00:00.999 | h """,
    )


def test_a_state_without_a_stat_has_neither_time_nor_partition_epoch():
    same_rows(
        stored("""
        line_number | kind        | event_id | topic  | partition | leader_id | leader_epoch | isr | controller_epoch
        1           | znode_state | a        | orders | 3         | 2         | 12           | 2,3 | 7
        2           | znode_state | b        | clicks | 0         | 1         | 4            | 1   | 7 """),
        KEPT_STATES,
        """
        topic  | partition | leader_epoch | partition_epoch | leader_id | isr | ts | event_id
        orders | 3         | 12           |                 | 2         | 2,3 |    | a
        clicks | 0         | 4            |                 | 1         | 1   |    | b """,
    )


def test_the_stat_of_another_znode_is_not_a_states_and_a_state_without_a_path_is_nobodys():
    same_rows(
        stored("""
        line_number | kind           | event_id | topic  | partition | leader_id | leader_epoch | isr | details
        1           | znode_path     | a        | orders | 3         |           |              |     |
        2           | znode_state    | b        |        |           | 2         | 12           | 2,3 |
        3           | zookeeper_command | c     |        |           |           |              |     |
        4           | znode_stat     | d        |        |           |           |              |     | dataVersion=77
        5           | znode_state    | e        |        |           | 1         | 1            | 1   | """),
        KEPT_STATES,
        """
        topic  | partition | leader_epoch | partition_epoch | event_id
        orders | 3         | 12           |                 | b """,
    )


def test_what_the_transaction_log_holds():
    same_rows(
        stored("""
        line_number | kind                    | event_id | ts       | topic  | partition | leader_id | leader_epoch | partition_epoch | isr
        1           | zookeeper_state_written | a        | 10:00:00 | orders | 0         | 1         | 0            | 0               | 1,2
        2           | zookeeper_transaction   | b        | 10:00:01 |        |           |           |              |                 |
        3           | zookeeper_state_written | c        | 10:00:07 | orders | 0         | 1         | 0            |                 | 1 """),
        KEPT_STATES,
        """
        topic  | partition | leader_epoch | partition_epoch | leader_id | isr | ts           | event_id
        orders | 0         | 0            | 0               | 1         | 1,2 | 10:00:00.999 | a
        orders | 0         | 0            |                 | 1         | 1   | 10:00:07.999 | c """,
    )
