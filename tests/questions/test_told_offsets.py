"""What Kafka's own tools told, and which of their files are not of these logs."""

from __future__ import annotations

import pytest

from replay.questions.told_offsets import described_partitions, told_offsets
from replay.tables import DESCRIBED_PARTITIONS, EVENTS, TOLD_OFFSETS
from tests.tables import same, table

LOGS = """
    ts       | kind                   | level | node_id | topic  | partition | topic_id | high_watermark | source_file     | details
    10:00:00 | leader_start           | INFO  | 1       | orders | 0         | abc      | 120            | node-1/a.log    |
    10:05:00 | isr_shrink             | INFO  | 1       | orders | 0         |          | 400            | node-1/a.log    |
    10:09:00 | log_rolled             | INFO  | 1       | orders | 0         |          |                | node-1/a.log    |  """
GROUP = "described_group_offset |       |         | orders | 0         |          |"


def told(spark, rows):
    return told_offsets(table(spark, EVENTS, f"{LOGS.rstrip()}\n{rows}"))


def test_without_a_tools_output_nothing_is_told(spark):
    assert told_offsets(table(spark, EVENTS, LOGS)).isEmpty()


def test_a_group_an_offset_and_a_log_directory(spark):
    same(
        told(
            spark,
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


def test_a_line_of_log_directories_holds_the_replicas_of_all_brokers(spark):
    json = (
        '{"brokers":[{"broker":3,"logDirs":[{"partitions":[{"partition":"orders-0","size":46149,"offsetLag":2,"isFuture":false},'
        '{"partition":"orders-0","size":7,"offsetLag":9,"isFuture":true}],"error":null,"logDir":"/d"}]}],"version":1}'
    )
    events = table(spark, EVENTS, f"{LOGS.rstrip()}\n 10:10:00 | described_log_dirs | | | | | | | dirs.txt | ")
    same(
        told_offsets(events.withColumn("message", _where_log_dirs(json))),
        TOLD_OFFSETS,
        """
        topic  | partition | tool           | what       | value | node_id
        orders | 0         | kafka-log-dirs | size       | 46149 | 3
        orders | 0         | kafka-log-dirs | offset_lag | 2     | 3       """,
    )


def _where_log_dirs(json):
    from pyspark.sql import functions as F

    return F.when(F.col("kind") == "described_log_dirs", F.lit(json))


@pytest.mark.parametrize(
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
def test_output_of_another_cluster_or_time_is_set_aside(spark, line, why):
    assert {row.set_aside for row in told(spark, line).collect()} == {why}


def test_a_tool_alone_is_believed(spark):
    alone = table(spark, EVENTS, "ts | kind | topic | partition | high_watermark | source_file | details\n | described_group_offset | bills | 0 | 7 | x | group=g;committed=1")  # fmt: skip
    assert {row.set_aside for row in told_offsets(alone).collect()} == {None}


def test_partitions_as_kafka_topics_described_them(spark):
    same(
        described_partitions(
            table(
                spark,
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
