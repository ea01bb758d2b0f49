"""Who came and went as dumps of the metadata log have it."""

from __future__ import annotations

from itertools import permutations

from replay.facts.metadata_log import merged_metadata_records, metadata_log, metadata_records
from replay.facts.recorded_members import recorded_membership
from replay.facts.window import ALL_TIME
from replay.tables import EVENTS
from replay.tables.brokers import RECORDED_MEMBERSHIP
from replay.tables.row import Row
from tests.nodes import of_nodes
from tests.tables import rows, same_rows

_HEADER = "ts | node_id | kind | source_file | controller_epoch | details | event_id | message"
_LOST = '{"type":"FENCE_BROKER_RECORD","version":0,"data":{"id":%d,"epoch":%d}}'
_BACK = '{"type":"UNFENCE_BROKER_RECORD","version":0,"data":{"id":%d,"epoch":%d}}'


def recorded(text: str) -> list[Row]:
    told = rows(EVENTS, text)
    return recorded_membership(metadata_log(merged_metadata_records(of_nodes(metadata_records, told, ALL_TIME))))


def dump(node: int, *records: str) -> str:
    """Lines of a node's dump: `epoch 3` begins a batch of that Raft epoch, `17 {…}` is a record with its offset."""
    lines = []
    for n, record in enumerate(records):
        first, _, rest = record.partition(" ")
        is_batch = first == "epoch"
        kind, epoch, details = (
            ("dump_batch", rest, "{}") if is_batch else ("dump_metadata_record", "", f"offset={first}")
        )
        message = "" if is_batch else rest
        lines.append(
            f"10:00:{n:02d} | {node} | {kind} | dump-{node}.txt | {epoch} | {details} | d{node}.{n} | {message}"
        )
    return "\n".join(lines)


def test_registrations_of_a_dumped_metadata_log_show_who_came_and_went():
    same_rows(
        recorded("""
        ts       | kind                 | source_file | details  | message
        10:00:00 | dump_batch           | dump.txt    | {}       |
        10:00:00 | dump_metadata_record | dump.txt    | offset=1 | {"type":"REGISTER_BROKER_RECORD","version":1,"data":{"brokerId":2,"brokerEpoch":7,"fenced":true}}
        10:00:01 | dump_metadata_record | dump.txt    | offset=2 | {"type":"BROKER_REGISTRATION_CHANGE_RECORD","version":1,"data":{"brokerId":2,"brokerEpoch":7,"fenced":-1}}
        10:00:05 | dump_metadata_record | dump.txt    | offset=3 | {"type":"BROKER_REGISTRATION_CHANGE_RECORD","version":1,"data":{"brokerId":2,"brokerEpoch":7,"fenced":1}}
        10:00:06 | dump_metadata_record | dump.txt    | offset=4 | {"type":"BROKER_REGISTRATION_CHANGE_RECORD","version":1,"data":{"brokerId":2,"brokerEpoch":7}}
        10:00:07 | dump_metadata_record | dump.txt    | offset=5 | {"type":"UNFENCE_BROKER_RECORD","version":1,"data":{"id":3,"epoch":9}} """),
        RECORDED_MEMBERSHIP,
        """
        broker_id | ts       | change     | broker_epoch | event_id
        2         | 10:00:00 | registered | 7            | e2
        2         | 10:00:01 | back       | 7            | e3
        2         | 10:00:05 | lost       | 7            | e4
        3         | 10:00:07 | back       | 9            | e6       """,
    )


def test_where_dumps_do_not_agree_the_higher_raft_epoch_wins():
    """The old leader's last record was never committed: the new one has another at its offset, of whatever type."""
    first = dump(1, "epoch 3", "10 " + _LOST % (2, 7), "11 " + _LOST % (4, 8))
    second = dump(
        2, "epoch 3", "10 " + _LOST % (2, 7), "epoch 5", '11 {"type":"TOPIC_RECORD","data":{}}', "12 " + _BACK % (2, 9)
    )
    for one in permutations((first, second)):
        same_rows(
            recorded("\n".join((_HEADER, *one))),
            RECORDED_MEMBERSHIP,
            """
            broker_id | change | broker_epoch | event_id
            2         | lost   | 7            | d1.1
            2         | back   | 9            | d2.4     """,
        )


def test_what_stands_in_a_transaction_counts_if_it_was_ended():
    def of(mark: str) -> str:
        return f'{{"type":"{mark}_TRANSACTION_RECORD","data":{{}}}}'

    told = dump(
        1,
        "epoch 3",
        *("1 " + of("BEGIN"), "2 " + _LOST % (2, 7), "3 " + of("END")),
        *("4 " + of("BEGIN"), "5 " + _LOST % (3, 7), "6 " + of("ABORT")),
        *("7 " + _LOST % (4, 7), "8 " + of("BEGIN"), "9 " + _LOST % (5, 7)),
    )
    same_rows(
        recorded(f"{_HEADER}\n{told}"),
        RECORDED_MEMBERSHIP,
        """
        broker_id | change | event_id
        2         | lost   | d1.2
        4         | lost   | d1.7 """,
    )


def test_a_record_that_is_cut_off_shows_nothing():
    told = dump(1, "epoch 3", '1 {"type":"FENCE_BROKER_RECORD","data":{"id":2,', "2 " + _LOST % (3, 7), "3 []")
    same_rows(recorded(f"{_HEADER}\n{told}"), RECORDED_MEMBERSHIP, "broker_id | change\n 3 | lost")
