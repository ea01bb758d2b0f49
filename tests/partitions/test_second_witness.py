"""The metadata log beside the nodes' logs: every state confirmed, refined, added or contradicted, with both sides."""

from __future__ import annotations

import pytest

from replay.partitions.second_witness import second_witness
from replay.tables import SECOND_WITNESS
from replay.tables.partitions import PARTITION_STATE_REPORTS
from tests.tables import rows, same_rows


def compared(text: str, **only):
    """The comparison of what is reported about orders-0; `only` the rows with these values."""
    reports = rows(PARTITION_STATE_REPORTS, text)
    found = second_witness([report.but(topic="orders", partition=0, life=report.life or 0) for report in reports])
    return [row for row in found if all(getattr(row, name) == value for name, value in only.items())]


DUMP = """
    ts       | witness | leader_epoch | partition_epoch | leader_id | isr   | event_id
    10:00:00 | record  | 4            | 10              | 1         | 1,2,3 | r10
    10:00:05 | record  | 4            | 11              | 1         | 1,3   | r11
    10:00:09 | record  | 5            | 12              | 3         | 3     | r12      """


def test_without_a_dump_there_is_nothing_to_compare():
    assert not compared("""
        ts       | witness | leader_epoch | leader_id | isr | event_id
        10:00:00 | leader  | 4            | 1         | 1,2 | a        """)


def test_states_by_what_logs_say_of_them():
    same_rows(
        compared(
            DUMP
            + """
    10:00:00.2 | leader   | 4           | 10              | 1         | 1,2,3 | a
    10:00:09.3 | follower | 5           |                 | 3         |       | b        """
        ),
        SECOND_WITNESS,
        """
        leader_epoch | partition_epoch | leader_id | isr   | verdict   | log_evidence | record_evidence
        4            | 10              | 1         | 1,2,3 | confirmed | a            | r10
        4            | 11              | 1         | 1,3   | added     | []           | r11
        5            | 12              | 3         | 3     | refined   | b            | r12             """,
    )


def test_two_contents_of_one_partition_epoch_contradict_each_other_and_are_both_shown():
    same_rows(
        compared(
            DUMP
            + """
    10:00:05.2 | leader   | 4           | 11              | 1         | 1,2   | a
    10:00:09.3 | follower | 5           |                 | 2         |       | b        """,
            verdict="contradicted",
        ),
        SECOND_WITNESS,
        """
        leader_epoch | partition_epoch | told                                                                     | log_evidence | record_evidence
        4            | 11              | the metadata log says leader 1, ISR 1, 3; nodes' logs say leader 1, ISR 1, 2 | a        | r11
        5            | 12              | the metadata log says leader 3, ISR 3; nodes' logs say leader 2              | b        | r12             """,
    )


def test_what_a_leader_only_announces_contradicts_nothing():
    assert not compared(
        DUMP
        + """
    10:00:05.2 | intent   | 4           | 11              | 1         | 1     | a        """,
        verdict="contradicted",
    )


@pytest.mark.parametrize(("leader_epoch", "verdict"), [(6, "beyond_dump"), (3, "beyond_dump"), (5, "contradicted")])
def test_a_leader_epoch_that_only_logs_show(leader_epoch, verdict):
    dump = DUMP.replace("| 5            | 12 ", "| 6            | 12 ") if leader_epoch == 5 else DUMP
    same_rows(
        compared(
            dump
            + f"""
    10:00:20   | leader   | {leader_epoch}  |                 | 2         | 2     | a        """,
            leader_id=2,
        ),
        SECOND_WITNESS,
        f"""
        leader_epoch   | partition_epoch | leader_id | verdict   | log_evidence | record_evidence
        {leader_epoch} |                 | 2         | {verdict} | a            | []              """,
    )


ZNODES = """
    ts         | witness | leader_epoch | partition_epoch | leader_id | isr   | event_id
    10:00:05.9 | znode   | 4            | 11              | 1         | 1,3   | z11
    10:00:50.9 | znode   | 9            | 17              | 3         | 3     | z17      """


def test_states_that_zookeeper_keeps_are_held_against_the_logs_too():
    same_rows(
        compared(
            ZNODES
            + """
    10:00:05.2 | leader   | 4           | 11              | 1         | 1,3   | a
    10:00:50.1 | leader   | 9           | 17              | 2         | 2,3   | b        """
        ),
        SECOND_WITNESS,
        """
        leader_epoch | partition_epoch | leader_id | isr | verdict      | told                                                               | log_evidence | record_evidence
        4            | 11              | 1         | 1,3 | confirmed    | logs and ZooKeeper say the same                                    | a            | z11
        9            | 17              | 3         | 3   | contradicted | ZooKeeper says leader 3, ISR 3; nodes' logs say leader 2, ISR 2, 3 | b            | z17 """,
    )


def test_zookeeper_keeps_the_last_state_alone_and_contradicts_none_in_between():
    same_rows(
        compared(
            ZNODES
            + """
    10:00:20.2 | leader   | 6           |                 | 2         | 2,3   | a """,
            leader_epoch=6,
        ),
        SECOND_WITNESS,
        """
        leader_epoch | verdict     | told                                                                                  | log_evidence
        6            | beyond_dump | ZooKeeper's state is here for other leader epochs of this partition, from 4 to 9 | a """,
    )


@pytest.mark.parametrize(
    ("said", "verdict"), [("| 1 | 1,3 |", "confirmed"), ("| 1 | 1 |", "refined"), ("| 2 | 2 |", "contradicted")]
)
def test_a_state_without_its_partition_epoch_is_one_of_its_leader_epochs(said, verdict):
    same_rows(
        compared(f"""
    ts         | witness | leader_epoch | partition_epoch | leader_id | isr   | event_id
               | znode   | 4            |                 | 1         | 1,3   | z
    10:00:05.2 | leader  | 4            | 11              {said} a """),
        SECOND_WITNESS,
        f"""
        leader_epoch | partition_epoch | isr | verdict   | log_evidence | record_evidence
        4            |                 | 1,3 | {verdict} | a            | z """,
    )
