"""What Kafka's own tools told, and which of their files are not of these logs."""

from __future__ import annotations

import pytest

from replay.facts.window import ALL_TIME
from replay.questions import told_offsets as tools
from replay.tables import DESCRIBED_PARTITIONS, EVENTS, TOLD_OFFSETS
from tests.each import for_each
from tests.nodes import of_nodes
from tests.tables import of_each_partition, rows, same_rows

LOGS = """
    ts       | kind                   | level | node_id | topic  | partition | topic_id | high_watermark | source_file     | details
    10:00:00 | leader_start           | INFO  | 1       | orders | 0         | abc      | 120            | node-1/a.log    |
    10:05:00 | isr_shrink             | INFO  | 1       | orders | 0         |          | 400            | node-1/a.log    |
    10:09:00 | log_rolled             | INFO  | 1       | orders | 0         |          |                | node-1/a.log    |  """
GROUP = "described_group_offset |       |         | orders | 0         |          |"


def offsets(events):
    logged = tools.all_logged_topics(of_nodes(tools.logged_topics, events, ALL_TIME))
    in_partitions = [event for event in events if event.topic is not None and event.partition is not None]
    contradicted = tools.all_contradicted_files(of_each_partition(tools.contradicted_files, in_partitions))
    return tools.told_offsets(of_nodes(tools.stated_offsets, events, ALL_TIME), logged, contradicted)


def partitions(events):
    return tools.described_partitions(
        of_nodes(tools.stated_partitions, events, ALL_TIME),
        of_nodes(tools.stated_topic_ids, events, ALL_TIME),
        tools.all_logged_topics(of_nodes(tools.logged_topics, events, ALL_TIME)),
    )


def told(lines):
    return offsets(rows(EVENTS, f"{LOGS.rstrip()}\n{lines}"))


def test_without_a_tools_output_nothing_is_reported():
    assert offsets(rows(EVENTS, LOGS)) == []


def test_a_group_an_offset_and_a_log_directory():
    same_rows(
        told(
            f"""
            10:10:00 | {GROUP} 460 | groups.txt | group=billing;committed=398;lag=62
            10:10:00 | described_offset |  |  | orders | 0 | | | latest.txt | offset=460
            10:10:00 | described_offset |  |  | orders | 0 | | | get-earliest.txt | offset=394
            10:10:00 | described_offset |  |  | orders | 1 | | | latest.txt | offset=""",
        ),
        TOLD_OFFSETS,
        """
        topic  | partition | ts       | tool                  | what             | value | group   | set_aside
        orders | 0         | 10:10:00 | kafka-consumer-groups | committed        | 398   | billing |
        orders | 0         | 10:10:00 | kafka-consumer-groups | high_watermark   | 460   |         |
        orders | 0         | 10:10:00 | kafka-get-offsets     | high_watermark   | 460   |         |
        orders | 0         | 10:10:00 | kafka-get-offsets     | log_start_offset | 394   |         | """,
    )


def test_a_line_of_log_directories_holds_the_replicas_of_all_brokers():
    json = (
        '{"brokers":[{"broker":3,"logDirs":[{"partitions":[{"partition":"orders-0","size":46149,"offsetLag":2,"isFuture":false},'
        '{"partition":"orders-0","size":7,"offsetLag":9,"isFuture":true}],"error":null,"logDir":"/d"}]}],"version":1}'
    )
    events = rows(EVENTS, f"{LOGS.rstrip()}\n 10:10:00 | described_log_dirs | | | | | | | dirs.txt | ")
    same_rows(
        offsets([event.but(message=json if event.kind == "described_log_dirs" else None) for event in events]),
        TOLD_OFFSETS,
        """
        topic  | partition | tool           | what       | value | node_id
        orders | 0         | kafka-log-dirs | size       | 46149 | 3
        orders | 0         | kafka-log-dirs | offset_lag | 2     | 3       """,
    )


@pytest.mark.parametrize("cut_off", ['{"brokers":[{"broker":3,"logDirs":[{"par', "[]", '{"brokers":3}', "nothing"])
def test_a_line_of_log_directories_that_is_cut_off_states_nothing(cut_off):
    (event,) = rows(EVENTS, "kind | source_file\n described_log_dirs | dirs.txt")
    assert offsets([event.but(message=cut_off)]) == []


@for_each(
    ("line", "why"),
    [
        ("10:10:00 | described_group_offset | | | bills | 0 | | 460 | x.txt | group=g;committed=1", "other_cluster"),
        (f"09:00:00 | {GROUP} 460 | x.txt | group=g;committed=1", "other_time"),
        (f"11:30:00 | {GROUP} 460 | x.txt | group=g;committed=1", "other_time"),
        (f"10:10:00 | {GROUP} 399 | x.txt | group=g;committed=1", "contradicted"),
        (f"10:04:00 | {GROUP} 399 | x.txt | group=g;committed=1", None),
        (f"         | {GROUP} 399 | x.txt | group=g;committed=1", None),
    ],
    ids=["topics that the logs do not know", "before the logs", "long after", "below what was committed", "before it was committed", "no time"],
)  # fmt: skip
def test_output_of_another_cluster_or_time_is_set_aside(line, why):
    assert {row.set_aside for row in told(line)} == {why}


def test_a_tool_alone_is_believed():
    alone = rows(EVENTS, "ts | kind | topic | partition | high_watermark | source_file | details\n | described_group_offset | bills | 0 | 7 | x | group=g;committed=1")  # fmt: skip
    assert {row.set_aside for row in offsets(alone)} == {None}


def test_partitions_as_kafka_topics_described_them():
    same_rows(
        partitions(
            rows(
                EVENTS,
                """
                ts       | kind                | level | topic  | partition | topic_id | leader_id | replicas | isr | source_file
                10:00:00 | leader_start        | INFO  | orders | 0         | abc      | 1         |          |     | a.log
                10:10:00 | described_topic     |       | orders |           | abc      |           |          |     | topics.txt
                10:10:00 | described_partition |       | orders | 0         |          | 2         | 1,2,3    | 2,3 | topics.txt
                10:10:00 | described_topic     |       | orders |           | xyz      |           |          |     | other.txt
                10:10:00 | described_partition |       | orders | 0         |          | -1        | 1,2      | []  | other.txt """,
            )
        ),
        DESCRIBED_PARTITIONS,
        """
        topic  | partition | leader_id | preferred_id | replicas | isr | out_of_isr | set_aside
        orders | 0         | 2         | 1            | 1,2,3    | 2,3 | 1          |
        orders | 0         | -1        | 1            | 1,2      | []  | 1,2        | contradicted """,
    )
