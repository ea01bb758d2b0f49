"""Lines that the node's own later lines or its peers contradict, and their look-alikes."""

from __future__ import annotations

import pytest

from replay.tables.reading import PRINTED
from replay.weighing.weighed import Weighing
from tests.tables import arrow_table

COLUMNS = "ts | node_id:int | kind | topic | topic_id | partition | leader_epoch | isr | details | message"

# Three brokers that run, each with a start, and the partitions that they lead.
CALM = """
10:00:00 | 1 | process_start_line | | | | | | |
10:00:00 | 2 | process_start_line | | | | | | |
10:00:00 | 3 | process_start_line | | | | | | |
10:00:05 | 1 | leader_start   | orders | A | 0 | 0 | 1,2,3 | dir=/d1 |
10:00:05 | 2 | follower_start | orders | A | 0 | 0 |       | dir=/d1 |
10:00:05 | 3 | follower_start | orders | A | 0 | 0 |       | dir=/d1 |
10:00:05 | 1 | leader_start   | orders | A | 1 | 0 | 1,2,3 | |
10:00:05 | 2 | follower_start | orders | A | 1 | 0 |       | |
10:01:00 | 1 | coordinator_load_done | | | | | | |
10:01:00 | 2 | coordinator_load_done | | | | | | |
10:01:00 | 3 | coordinator_load_done | | | | | | |
10:02:00 | 1 | coordinator_load_done | | | | | | |
10:02:00 | 2 | coordinator_load_done | | | | | | |
10:02:00 | 3 | coordinator_load_done | | | | | | |
"""


def weighed(text: str, calm: str = CALM) -> Weighing:
    """The lines of `text` among those of a calm cluster; line numbers are those of the text, from 1."""
    rows = [row for row in (*calm.splitlines(), *text.splitlines()) if row.strip()]
    before = sum(bool(row.strip()) for row in calm.splitlines())
    read = arrow_table(PRINTED, "\n".join([COLUMNS, *rows]))
    numbers = [number - before for number in range(1, read.num_rows + 1)]
    named = {
        "event_id": [f"f:{number}" for number in numbers],
        "source_file": ["f"] * read.num_rows,
        "line_number": numbers,
        "level": ["INFO"] * read.num_rows,
        "controller_id": [_number(details, "controller") for details in read["details"].to_pylist()],
        "controller_epoch": [_number(details, "epoch") for details in read["details"].to_pylist()],
        "broker_id": [_number(details, "broker") for details in read["details"].to_pylist()],
    }
    for name, values in named.items():
        at = read.schema.get_field_index(name)
        read = read.set_column(at, name, [_cast(values, read.schema.field(name).type)])
    return Weighing(lambda: read.to_batches())


def _number(details: list | None, name: str) -> int | None:
    found = dict(details or ()).get(name)
    return None if found is None else int(found)


def _cast(values, type_):
    import pyarrow as pa

    return pa.array(values, type_)


def doubts(text: str, calm: str = CALM) -> list[tuple[str, str]]:
    return [(row.event_id, row.reason) for row in weighed(text, calm).rows]


def test_a_calm_cluster_has_no_doubtful_lines():
    assert doubts("") == []


def test_an_end_after_which_the_process_goes_on():
    line = "10:01:10 | 1 | process_fatal_exit | | | | | | exception=java.lang.RuntimeException | Exiting Kafka due to fatal exception"
    (row,) = weighed(line).rows
    assert (row.event_id, row.reason) == ("f:1", "process_goes_on")
    assert row.because == "Node 1 goes on without a start after it."
    assert row.contradicted_by  # its line at 10:02:00


def test_a_second_process_takes_its_start_with_it():
    assert doubts("""
        10:01:10 | 1 | process_start_line | | | | | | |
        10:01:11 | 1 | config_dump        | | | | | | |
        10:01:12 | 1 | process_fatal_exit | | | | | | exception=Failed to acquire lock on file .lock in /d1 | Exiting Kafka
    """) == [("f:1", "second_process"), ("f:2", "second_process"), ("f:3", "second_process")]


def test_a_process_that_ends_and_is_started_again_did_end():
    assert (
        doubts("""
        10:01:10 | 1 | process_fatal_exit | | | | | | exception=java.lang.RuntimeException | Exiting Kafka
        10:01:20 | 1 | process_start_line | | | | | | |
    """)
        == []
    )


def test_a_shutdown_that_takes_its_steps_is_one_however_long_the_process_lives():
    assert (
        doubts("""
        10:01:10 | 1 | process_signal                   | | | | | | |
        10:01:10 | 1 | broker_shutdown_begin            | | | | | | |
        10:01:11 | 1 | broker_controlled_shutdown_begin | | | | | | |
    """)
        == []
    )


def test_a_signal_without_any_step_of_a_shutdown():
    assert doubts("10:01:10 | 1 | process_signal | | | | | | |") == [("f:1", "process_goes_on")]


def test_a_directory_that_the_node_does_not_have():
    named = "\n".join(
        f"10:00:0{second} | 1 | partition_log_loaded | orders | | 0 | | | dir=/d1 |" for second in range(1, 10)
    )
    fails = "10:01:10 | 1 | log_dir_failure_begin | | | | | | dir=/other |"
    assert doubts(f"{fails}\n{named}") == [("f:1", "unknown_directory")]
    assert doubts(fails) == []  # too few lines name any directory
    assert doubts(f"10:01:10 | 1 | log_dir_failure_begin | | | | | | dir=/d1 |\n{named}") == []


def test_a_topic_that_goes_on_was_not_deleted():
    deleted = "10:01:10 | 1 | topic_deletion_completed | orders | | | | | |"
    goes_on = "10:01:30 | 2 | leader_start | orders | A | 0 | 1 | 2,3 | |\n10:01:30 | 3 | follower_start | orders | A | 0 | 1 | | |"
    created = "10:01:20 | 1 | partition_state_new | orders | | 0 | | | |"
    assert doubts(f"{deleted}\n{goes_on}") == [("f:1", "topic_goes_on")]
    assert doubts(f"{deleted}\n{created}\n{goes_on}") == []
    assert doubts(deleted) == []


def test_a_line_with_another_topic_id():
    line = "10:01:10 | 2 | leader_start | orders | B | 0 | 7 | 2 | |"
    assert doubts(line) == [("f:1", "other_topic_id")]


def test_a_topic_that_is_created_again_is_named_by_all():
    text = "\n".join(f"10:01:10 | {node} | broker_partition_created | orders | B | 0 | | | |" for node in (1, 2, 3))
    assert doubts(text) == []


def test_an_isr_of_a_partition_that_no_other_line_names():
    line = "10:01:10 | 1 | isr_shrink | payments | | 2 | | 1 | old_isr=1,2,3 |"
    assert doubts(line) == [("f:1", "unknown_partition")]


def test_an_isr_that_nothing_confirms_and_no_other_partition_shares():
    line = "10:01:20 | 1 | isr_shrink | orders | | 0 | | 1 | old_isr=1,2,3 |"
    assert doubts(line) == [("f:1", "isr_goes_on")]
    assert doubts(f"{line}\n10:01:20 | 1 | isr_updated | orders | | 0 | | 1 | |") == []
    assert doubts(f"{line}\n10:01:22 | 1 | isr_shrink | orders | | 1 | | 1 | old_isr=1,2,3 |") == []


def test_a_fenced_broker_of_which_no_partition_takes_notice():
    line = "10:01:10 | 1 | kraft_broker_session_timeout | | | | | | broker=3 |"
    assert doubts(line) == [("f:1", "broker_goes_on")]
    noticed = "10:01:10 | 1 | kraft_leader_isr_updates_summary | | | | | | |"
    assert doubts(f"{line}\n{noticed}") == []


def test_a_removed_broker_that_starts_again_was_gone():
    line = "10:01:10 | 1 | controller_broker_change | | | | | | dead_brokers=3 |"
    assert doubts(line) == [("f:1", "broker_goes_on")]
    assert doubts(f"{line}\n10:01:30 | 3 | process_start_line | | | | | | |") == []


def test_a_leader_epoch_that_a_lower_one_follows():
    line = "10:00:30 | 3 | leader_start | orders | A | 0 | 19 | 3 | |"
    lower = "10:01:30 | 2 | leader_start | orders | A | 0 | 1 | 2,3 | |\n10:01:30 | 3 | follower_start | orders | A | 0 | 1 | | |"
    assert doubts(f"{line}\n{lower}") == [("f:1", "epoch_goes_on")]
    assert doubts(line) == []  # nothing contradicts it


def test_a_controller_epoch_in_which_nobody_was_elected():
    elected = "10:00:01 | 2 | controller_elected | | | | | | controller=2;epoch=1 |"
    later = "10:02:00 | 2 | controller_broker_metadata_updated | | | | | | controller=2;epoch=1 |"
    line = "10:01:10 | 1 | partition_state_online_with_leader | orders | | 0 | 9 | 1 | controller=1;epoch=9 |"
    assert doubts(f"{elected}\n{later}\n{line}") == [("f:3", "epoch_goes_on")]
    won = "10:01:09 | 1 | controller_elected | | | | | | controller=1;epoch=9 |"
    assert doubts(f"{elected}\n{later}\n{line}\n{won}") == []


def _cluster(node: int, cluster: str, at: str = "10:00:01") -> str:
    return f"{at} | {node} | cluster_id | | | | | | cluster_id={cluster} |"


def test_a_node_of_another_cluster_is_left_out():
    found = weighed("\n".join([_cluster(1, "X"), _cluster(2, "X"), _cluster(3, "Y")]))
    (row,) = found.rows
    assert (row.reason, row.node_id, row.lines) == ("other_cluster", 3, 5)
    assert list(found.nodes) == [3]
    assert row.because == "The log of node 3 is of cluster Y, and those of other nodes are of cluster X."


def test_two_clusters_of_as_many_nodes_are_not_decided():
    assert weighed("\n".join([_cluster(1, "X"), _cluster(2, "Y")])).rows == []


def test_a_log_with_lines_of_two_clusters_at_once_is_left_out():
    found = weighed("\n".join([_cluster(1, "X"), _cluster(2, "X"), _cluster(3, "X"), _cluster(3, "Y", "10:01:30")]))
    assert [(row.reason, row.node_id) for row in found.rows] == [("mixed_clusters", 3)]


def test_a_host_that_was_given_to_another_cluster_is_left_out_from_then_on():
    moved = f"10:01:10 | 3 | process_signal | | | | | | |\n10:01:10 | 3 | broker_controlled_shutdown_begin | | | | | | |\n{_cluster(3, 'Y', '10:01:30')}"
    found = weighed("\n".join([_cluster(1, "X"), _cluster(2, "X"), _cluster(3, "X"), moved]))
    assert [(row.reason, row.node_id, row.lines) for row in found.rows] == [("other_cluster", 3, 2)]
    assert list(found.nodes) == []


def test_a_node_whose_topics_all_have_other_ids():
    clicks = "\n".join(
        f"10:00:06 | {node} | broker_partition_created | clicks | {'D' if node == 3 else 'C'} | 0 | | | |"
        for node in (1, 2, 3)
    )
    calm = CALM.replace("3 | follower_start | orders | A", "3 | follower_start | orders | E")
    found = weighed(clicks, calm)
    assert [(row.reason, row.node_id) for row in found.rows] == [("other_cluster", 3)]


@pytest.mark.parametrize("node", [1, 2])
def test_events_are_left_without_the_doubtful_lines(node):
    found = weighed(f"10:01:10 | {node} | process_signal | | | | | | |")
    assert found.is_doubtful(node, None, "f:1")
    assert not found.is_doubtful(node, None, "f:0")
