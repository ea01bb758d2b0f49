"""What of the events comes over to plain Python."""

from __future__ import annotations

import resource

from pyspark.sql import functions as F

from replay.facts import gather
from replay.facts.gather import AT_MOST, facts
from replay.facts.reads import reads, reads_each
from replay.tables.reading import EVENTS, FACTS
from tests.tables import same, table


@reads("broker_started", "checkpoint_hw", "fetch_send_error", "node_inflight_cancelled")
def _some_rule() -> None:
    """A rule that reads some kinds."""


def test_only_what_a_rule_reads_comes_over(spark):
    told = table(
        spark,
        EVENTS,
        """
        ts       | kind           | node_id | topic  | partition
        10:00:00 | broker_started | 1       |        |
        10:00:01 | any            | 1       |        |
                 | checkpoint_hw  | 1       | orders | 0        """,
    )
    same(
        facts(told, {"broker_started": 1, "any": 1, "checkpoint_hw": 1}),
        FACTS,
        """
        ts       | kind           | node_id | count | last_ts  | event_id | last_event_id
        10:00:00 | broker_started | 1       | 1     | 10:00:00 | e1       | e1
                 | checkpoint_hw  | 1       | 1     |          | e3       | e3      """,
    )


@reads_each("process_signal")
def _some_rule_of_lives() -> None:
    """A rule that needs every line of a kind."""


MANY = """
    ts           | kind                    | node_id | leader_id | topic  | partition
    10:00:00     | fetch_send_error        | 1       | 2         |        |
    10:00:00.500 | fetch_send_error        | 1       | 2         |        |
    10:00:00.600 | fetch_send_error        | 1       | 3         |        |
    10:00:01     | fetch_send_error        | 1       | 2         |        |
    10:00:01     | node_inflight_cancelled | 1       | 2         |        |
    10:00:01     | node_inflight_cancelled | 1       | 2         |        |
    10:00:02     | process_signal          | 1       |           |        |
    10:00:02.100 | process_signal          | 1       |           |        |
                 | checkpoint_hw           | 1       |           | orders | 0
                 | checkpoint_hw           | 1       |           | orders | 0     """


def test_beyond_what_may_come_over_lines_that_say_the_same_are_runs(spark, monkeypatch):
    monkeypatch.setattr(gather, "AT_MOST", 7)
    same(
        facts(table(spark, EVENTS, MANY), {"fetch_send_error": 4, "node_inflight_cancelled": 2, "checkpoint_hw": 2}),
        FACTS,
        """
        ts           | kind                    | node_id | leader_id | count | last_ts      | event_id | last_event_id
        10:00:00     | fetch_send_error        | 1       | 2         | 2     | 10:00:00.500 | e1       | e2
        10:00:00.600 | fetch_send_error        | 1       | 3         | 1     | 10:00:00.600 | e3       | e3
        10:00:01     | fetch_send_error        | 1       | 2         | 1     | 10:00:01     | e4       | e4
        10:00:01     | node_inflight_cancelled | 1       | 2         | 1     | 10:00:01     | e5       | e5
        10:00:01     | node_inflight_cancelled | 1       | 2         | 1     | 10:00:01     | e6       | e6
        10:00:02     | process_signal          | 1       |           | 1     | 10:00:02     | e7       | e7
        10:00:02.100 | process_signal          | 1       |           | 1     | 10:00:02.100 | e8       | e8
                     | checkpoint_hw           | 1       |           | 1     |              | e9       | e9
                     | checkpoint_hw           | 1       |           | 1     |              | e10      | e10""",
    )


def test_runs_are_as_long_as_they_must_be(spark, monkeypatch):
    monkeypatch.setattr(gather, "AT_MOST", 3)
    monkeypatch.setattr(gather, "_ESTIMATED", 2)
    minute = [row for row in facts(table(spark, EVENTS, MANY), {"fetch_send_error": 4}).collect() if row.leader_id == 2]
    assert [row["count"] for row in minute if row.kind == "fetch_send_error"] == [3]


def test_two_million_lines_come_over_as_few_enough_rows(spark):
    """A follower that cannot reach three leaders tries again all day, of each of 500 partitions."""
    lines = 2_000_000
    tries = spark.range(lines).select(
        F.lit("fetch_send_error").alias("kind"),
        F.lit(1).alias("node_id"),
        (F.col("id") % 3 + 2).cast("int").alias("leader_id"),
        F.lit("orders").alias("topic"),
        (F.col("id") % 500).cast("int").alias("partition"),
        F.timestamp_micros(F.lit(1_700_000_000_000_000) + F.col("id") * 43_200).alias("ts"),
        F.lit("node-1/server.log").alias("source_file"),
        F.col("id").alias("line_number"),
        F.concat(F.lit("node-1/server.log:"), F.col("id").cast("string")).alias("event_id"),
    )
    runs = facts(EVENTS.rows(tries), {"fetch_send_error": lines}).toArrow()
    print(f"\npeak of memory of Python: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    assert runs.num_rows <= AT_MOST
    assert sum(runs.column("count").to_pylist()) == lines
    assert set(runs.column("leader_id").to_pylist()) == {2, 3, 4}
