"""Which lines of the time before a window are needed to read it: small tables in, the lines that are kept out."""

from __future__ import annotations

from replay.catalogue import whole_catalogue
from replay.facts.needed_before import KINDS, MARKS, NeededLine, last_start, needed
from tests.each import for_each


def told(text: str) -> list[NeededLine]:
    """`seconds | node | kind | partition or another field | leader epoch`, a line each; `place` numbers them from 1."""
    lines = []
    for number, line in enumerate(text.strip().splitlines(), 1):
        seconds, node, kind, partition, epoch = (cell.strip() for cell in line.split("|"))
        topic, _, number_ = partition.rpartition("-")
        fields: dict[str, object] = {"topic": topic, "partition": int(number_)} if topic else {}
        fields |= {partition: "7"} if partition and not topic else {}
        fields |= {"leader_epoch": int(epoch)} if epoch else {}
        lines.append(NeededLine(int(seconds) * 1_000_000, int(node), kind, fields, number))
    return lines


def places(text: str) -> list[int]:
    return [line.place for line in needed(told(text)).lines]


def test_of_a_process_its_last_start_counts_with_what_it_was_started_with():
    found = needed(
        told("""
        10    | 1 | process_signal_registered |          |
        11    | 1 | process_version           |          |
        20    | 1 | broker_started            |          |
        1000  | 1 | process_signal_registered |          |
        1001  | 1 | config_dump               |          |
        1001  | 1 | process_version           |          |
        1002  | 1 | broker_starting           |          |
        1009  | 1 | broker_started            |          |
        1500  | 1 | config_dump               |          |
        900   | 2 | process_signal            |          |
        """)
    )
    assert [line.place for line in found.lines] == [10, 4, 5, 6, 7, 8]  # of node 2 only its stop is told
    assert found.starts == 1


def test_how_a_process_ended_after_its_last_start_is_told_too():
    assert places("""
        1000  | 1 | broker_starting           |          |
        1010  | 1 | broker_started            |          |
        2000  | 1 | process_signal            |          |
        2001  | 1 | broker_shutdown_done      |          |
        """) == [1, 2, 3, 4]


def test_a_start_is_found_by_its_first_line():
    starts = """
        1000  | 1 | broker_starting           |          |
        3000  | 1 | process_start_line        |          |
        3003  | 1 | process_signal_registered |          |
        3004  | 1 | broker_starting           |          |
        """
    assert last_start(told(starts)) == 3_000_000_000
    assert last_start([]) is None


def test_of_a_partition_the_last_leader_epoch_counts_and_its_last_isr():
    found = needed(
        told("""
        10  | 1 | leader_start   | orders-0 | 3
        11  | 2 | follower_start | orders-0 | 3
        20  | 1 | isr_shrink     | orders-0 |
        20  | 1 | isr_updated    | orders-0 |
        300 | 2 | leader_start   | orders-0 | 4
        301 | 1 | follower_start | orders-0 | 4
        310 | 2 | isr_updated    | orders-0 |
        390 | 2 | isr_updated    | orders-0 |
        400 | 2 | leader_start   | clicks-1 | 0
        """)
    )
    assert [line.place for line in found.lines] == [5, 6, 8, 9]
    assert found.partitions == 2


def test_the_isr_that_a_controller_committed_counts_as_the_leader_logs_it():
    """A KRaft controller takes a fenced broker out of the ISR: the leader skips its own transition and prints the ISR."""
    assert places("""
        10  | 1 | leader_start              | orders-0 | 3
        20  | 1 | leader_transition_skipped | orders-0 | 3
        60  | 1 | leader_transition_skipped | orders-0 | 3
        """) == [1, 3]


def test_who_learns_late_of_an_old_leader_epoch_does_not_bring_it_back():
    assert places("""
        300 | 2 | leader_start   | orders-0 | 4
        320 | 3 | follower_start | orders-0 | 3
        """) == [1]


def test_a_partition_that_a_controller_logs_again_keeps_its_leader_epoch():
    assert places("""
        100  | 3 | kraft_partition_created | orders-0 | 0
        101  | 1 | leader_start            | orders-0 | 0
        300  | 2 | leader_start            | orders-0 | 4
        4000 | 3 | kraft_partition_created | orders-0 | 0
        """) == [3]
    assert places("""
        100  | 3 | kraft_partition_created | orders-0 | 0
        101  | 1 | leader_start            | orders-0 | 0
        """) == [1, 2]


def test_a_topic_that_was_made_again_counts_from_its_new_beginning():
    assert places("""
        300  | 2 | leader_start   | orders-0 | 4
        4000 | 1 | leader_start   | orders-0 | 0
        """) == [2]


def test_what_a_broker_logged_before_it_was_started_again_is_not_its_state():
    assert places("""
        300  | 1 | leader_start              | orders-0 | 4
        400  | 1 | process_signal_registered |          |
        410  | 1 | broker_started            |          |
        """) == [2, 3]


def test_who_was_the_controller_and_each_brokers_session_are_reported_by_the_last_who_said_so():
    found = needed(
        told("""
        100 | 1 | zk_session_connected         | session_id |
        101 | 1 | zk_session_connected         |            |
        110 | 1 | controller_elected           | new_epoch  |
        111 | 1 | controller_failover_complete | new_epoch  |
        200 | 2 | zk_session_connected         | session_id |
        300 | 2 | controller_elected           | new_epoch  |
        301 | 2 | controller_failover_complete | new_epoch  |
        302 | 3 | controller_elected           |            |
        400 | 2 | zk_session_connected         | session_id |
        """)
    )
    assert [line.place for line in found.lines] == [1, 6, 7, 9]
    assert found.has_controller


def test_the_last_session_of_each_broker_counts_as_kraft_controllers_logged_it():
    """Also from before a restart of the controller: the session of the broker lasts."""
    assert places("""
        100 | 101 | kraft_broker_unfence_granted | broker_id |
        150 | 101 | kraft_broker_session_timeout | broker_id |
        200 | 102 | kraft_broker_unfence_granted | broker_id |
        300 | 102 | process_start_line           |           |
        """) == [2, 3, 4]


def test_the_settings_of_a_topic_count_by_their_last_line_of_each_kind():
    assert places("""
        100 | 1 | log_created           | orders-0 |
        101 | 2 | log_created           | orders-1 |
        102 | 2 | log_created           | clicks-1 |
        110 | 1 | broker_config_changed |          |
        120 | 1 | broker_config_changed |          |
        """) == [2, 3, 4, 5]


def test_nothing_is_needed_of_no_line():
    assert needed([]).lines == []


@for_each(
    "template",
    [t for t in whole_catalogue().templates if t.kind in KINDS and t.text != "{exception}"],
    ids=lambda t: t.id,
)
def test_a_line_that_may_be_needed_is_found_by_its_text(template):
    assert any(mark in template.example for mark in MARKS)
