"""What brokers print of the partitions they lead and follow: I10-I12, I19, I22-I24, I31."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.windows import PARTITION_KEY, before, by_node_and_partition, so_far
from replay.facts.releases import version_number
from replay.invariants.shape import SLACK_MS, breaches, broken, shown
from replay.partitions.topics import with_life

_ROLES = ("leader_start", "leader_transition_skipped", "follower_start", "isr_shrink", "isr_expand", "isr_updated")
_LEADERS = ("leader_start", "leader_transition_skipped", "isr_shrink")
_MOVED = ("alter_partition_completed_reassignment", "alter_partition_completed_reassignment_leader_change")
_STAMPS_APART_MS = 100  # a line is printed this much before or after the moment of which it tells
_QUARTER_HOUR_MS = 900_000  # zones differ by multiples of it


def tenures_broken(events: DataFrame, settings: DataFrame, topic_settings: DataFrame, lives: DataFrame) -> DataFrame:
    """I10, I11, I12, I19, I22, I23, I24, I31: what brokers print of the partitions they lead and follow, in the order
    of their files.
    """
    lines = _in_their_tenures(_role_lines(events), lives)
    known = (
        _with_lines_before(lines)
        .join(F.broadcast(_nodes(events, settings)), "node_id", "left")
        .join(F.broadcast(topic_settings.select("topic", "min_isr")), "topic", "left")
        .join(F.broadcast(_moves_done(events)), ["topic", "partition"], "left")
    )
    return breaches(
        _with_followers(known),
        _epoch_went_back(),
        _high_watermark_above_isr(),
        _isr_member_below_high_watermark(),
        _high_watermark_went_back(),
        _joined_isr_too_early(),
        *_shrunk_too_early_or_late(),
        _high_watermark_below_min_isr(),
        _replicas_still_moving(),
    )


def _role_lines(events: DataFrame) -> DataFrame:
    """What a line says of the role that its broker has in a partition."""
    moving = F.concat_ws(
        ",", F.nullif(detail("adding_replicas"), F.lit("")), F.nullif(detail("removing_replicas"), F.lit(""))
    )
    return events.where(
        F.col("kind").isin(*_ROLES)
        & F.col("topic").isNotNull()
        & F.col("node_id").isNotNull()
        & F.col("ts").isNotNull()
    ).select(
        "topic",
        "partition",
        "node_id",
        "ts",
        "raw_ts",
        "line_number",
        "kind",
        "leader_epoch",
        "partition_epoch",
        "isr",
        "replicas",
        "high_watermark",
        "log_end_offset",
        "epoch_start_offset",
        "event_id",
        detail("previous_leader_epoch").try_cast("int").alias("_previous"),
        F.split(F.replace(detail("old_isr"), F.lit(" ")), ",").try_cast("array<int>").alias("_old_isr"),
        F.nullif(moving, F.lit("")).alias("_moving"),
        _out_of_sync(detail("out_of_sync_replicas")).alias("_slow"),
    )


def _in_their_tenures(lines: DataFrame, lives: DataFrame) -> DataFrame:
    """Each line with the last role before it in its file (`_t`), and with how its leader epoch began (`_begun`)."""
    began_a_role = F.when(
        F.col("kind").isin("leader_start", "follower_start"),
        F.struct("kind", "leader_epoch", "epoch_start_offset", "isr", "ts", "line_number", "event_id"),
    )
    tenure = F.last(began_a_role, ignorenulls=True).over(so_far(by_node_and_partition()))
    begun = F.when(
        F.col("kind") == "leader_start", F.struct("ts", "isr", "high_watermark", "event_id", "partition_epoch")
    )
    of_leader_epoch = Window.partitionBy(*PARTITION_KEY, "leader_epoch")
    return (
        with_life(lines, lives)
        .repartition("topic", "partition")
        .withColumns({"_t": tenure, "_begun": F.min(begun).over(of_leader_epoch)})
    )


def _with_lines_before(lines: DataFrame) -> DataFrame:
    """Each line with the highest high watermark of its tenure before it (`_was`), the line before it (`_before`), the
    number of replicas (`_size`), and whether it is the last of its node, in the last leader epoch (`_last`).
    """
    node = by_node_and_partition()
    in_tenure = before(
        Window.partitionBy("node_id", "topic", "partition", "_t.ts", "_t.line_number").orderBy("ts", "line_number")
    )
    as_leader = F.when(_leading() & F.col("high_watermark").isNotNull(), F.struct("high_watermark", "event_id"))
    last_epoch = F.max("leader_epoch").over(Window.partitionBy(*PARTITION_KEY))
    return lines.withColumns(
        {
            "_was": F.max(as_leader).over(in_tenure),
            "_before": F.lag(F.struct("kind", "isr", "high_watermark", "event_id")).over(node),
            "_size": F.size(F.last(F.col("replicas"), ignorenulls=True).over(so_far(node))),
            "_last": F.lead("event_id").over(node).isNull() & (F.col("leader_epoch") == last_epoch),
        }
    )


def _moves_done(events: DataFrame) -> DataFrame:
    """When a reassignment of a partition was completed last."""
    return events.where(F.col("kind").isin(*_MOVED)).groupBy("topic", "partition").agg(F.max("ts").alias("_moved_ts"))


def _with_followers(lines: DataFrame) -> DataFrame:
    """Each shrink of an ISR with what its followers had reached.

    `_behind`: one that had reached less than the high watermark. `_late`: one that had joined before it reached the
    leader's first offset. `_lag`: a lag that replica.lag.time.max.ms does not explain.
    """

    def less_than(offset: str) -> Callable[[Column], Column]:
        return lambda r: (r["log_end_offset"] >= 0) & (r["log_end_offset"] < F.col(offset))

    def joined_late(r: Column) -> Column:
        joined = F.array_contains("_old_isr", r["broker_id"]) & ~F.array_contains("_t.isr", r["broker_id"])
        return less_than("_t.epoch_start_offset")(r) & joined

    lags = F.transform("_slow", lambda r: _in_zone(F.unix_millis("raw_ts") - r["caught_up_ms"], F.col("lag_ms")))
    strange = F.filter(
        lags,
        lambda lag: (lag <= F.col("lag_ms") - _STAMPS_APART_MS) | (lag > F.col("lag_ms") * 1.5 + SLACK_MS),
    )
    return lines.withColumns(
        {
            "_behind": F.get(F.filter("_slow", less_than("high_watermark")), F.lit(0)),
            "_late": F.get(F.filter("_slow", joined_late), F.lit(0)),
            "_lag": F.get(strange, F.lit(0)).cast("long"),
        }
    )


def _leading() -> Column:
    return F.col("kind").isin(*_LEADERS)


def _shrinks() -> Column:
    return F.col("kind") == "isr_shrink"


def _led() -> Column:
    """The broker leads: it began its tenure as leader."""
    return F.col("_t.kind") == "leader_start"


def _epoch_went_back() -> Column:
    return broken(
        "I10",
        F.col("kind").isin("leader_start", "follower_start") & (F.col("_previous") > F.col("leader_epoch")),
        F.format_string("broker %d took on leader epoch %d while it had %d", "node_id", "leader_epoch", "_previous"),
        "event_id",
    )


def _high_watermark_above_isr() -> Column:
    return broken(
        "I11",
        _shrinks() & F.col("_behind").isNotNull() & (F.col("version_low") >= version_number("2.7.0")),
        F.format_string(
            "leader %d had high watermark %d while broker %d of its ISR had reached %d",
            "node_id",
            "high_watermark",
            "_behind.broker_id",
            "_behind.log_end_offset",
        ),
        "event_id",
    )


def _isr_member_below_high_watermark() -> Column:
    """It may have left that ISR, and lost its tail, before it prints the line. From 3.3 on the partition epoch shows
    it, before that a restart does.
    """
    still_in_it = F.coalesce(
        F.col("partition_epoch") == F.col("_begun.partition_epoch"),
        (F.col("_previous") >= 0) & (F.col("_previous") < F.col("leader_epoch")),
    )
    return broken(
        "I12",
        (F.col("kind") == "follower_start")
        & still_in_it
        & F.array_contains("_begun.isr", F.col("node_id"))
        & (F.col("log_end_offset") < F.col("_begun.high_watermark")),
        F.format_string(
            "broker %d is in the ISR with which leader epoch %d began; the leader had high watermark %d then, its own log ends at %d",
            "node_id",
            "leader_epoch",
            "_begun.high_watermark",
            "log_end_offset",
        ),
        "_begun.event_id",
        "event_id",
    )


def _high_watermark_went_back() -> Column:
    return broken(
        "I19",
        _led() & _leading() & (F.col("high_watermark") < F.col("_was.high_watermark")),
        F.format_string(
            "leader %d in leader epoch %d: high watermark %d, after %d",
            "node_id",
            "_t.leader_epoch",
            "high_watermark",
            "_was.high_watermark",
        ),
        F.col("_was.event_id"),
        F.col("event_id"),
    )


def _joined_isr_too_early() -> Column:
    return broken(
        "I22",
        _shrinks() & _led() & F.col("_late").isNotNull(),
        F.format_string(
            "broker %d joined the ISR in leader epoch %d, which starts at %d, and had only reached %d",
            "_late.broker_id",
            "_t.leader_epoch",
            "_t.epoch_start_offset",
            "_late.log_end_offset",
        ),
        F.col("_t.event_id"),
        F.col("event_id"),
    )


def _shrunk_too_early_or_late() -> tuple[Column, Column]:
    """Too late can be right: the leader may have been frozen, or may have had nothing new until then."""
    out_after = (
        "leader %d took a follower out of the ISR %d ms after it was last caught up; replica.lag.time.max.ms is %d"
    )
    too_early = broken(
        "I23",
        _shrinks() & (F.col("_lag") <= F.col("lag_ms")),
        F.format_string(out_after, "node_id", "_lag", "lag_ms"),
        "event_id",
    )
    too_late = broken(
        "I23",
        _shrinks() & (F.col("_lag") > F.col("lag_ms")),
        F.format_string(
            out_after + ": it was frozen, or had no record that the follower lacked until then",
            "node_id",
            "_lag",
            "lag_ms",
        ),
        "event_id",
        verdict="unknown",
    )
    return too_early, too_late


def _high_watermark_below_min_isr() -> Column:
    """From 3.7 on (KIP-966) the high watermark stands still while the ISR is below min.insync.replicas."""
    needed = F.when(F.col("min_isr").isNotNull(), F.least(F.col("min_isr"), F.when(F.col("_size") > 0, F.col("_size"))))
    gate = (
        (F.col("version_low") >= version_number("3.7.0"))
        & (F.size("_before.isr") < needed)
        & (F.array_sort("_old_isr") == F.array_sort("_before.isr"))
    )
    return broken(
        "I24",
        _shrinks()
        & F.col("_before.kind").isin("leader_start", "leader_transition_skipped")
        & gate
        & (F.col("high_watermark") > F.col("_before.high_watermark")),
        F.format_string(
            "leader %d: high watermark %d -> %d with ISR %s, below min.insync.replicas %d",
            "node_id",
            "_before.high_watermark",
            "high_watermark",
            shown("_before.isr"),
            needed,
        ),
        F.col("_before.event_id"),
        F.col("event_id"),
    )


def _replicas_still_moving() -> Column:
    return broken(
        "I31",
        F.col("_last")
        & _leading()
        & F.col("_moving").isNotNull()
        & ~F.coalesce(F.col("_moved_ts") >= F.col("ts"), F.lit(False)),
        F.format_string("replicas %s are still being moved when the files of leader %d end", "_moving", "node_id"),
        "event_id",
        verdict="unknown",
    )


def _out_of_sync(text: Column) -> Column:
    """The replicas of a `Shrinking ISR` line: array of (broker_id, log_end_offset, caught_up_ms); null where the
    release prints none.
    """
    each = F.regexp_extract_all(text, F.lit(r"\(brokerId: \d+, endOffset: -?\d+[^)]*\)"), F.lit(0))
    return F.transform(
        each,
        lambda one: F.struct(
            F.regexp_extract(one, r"brokerId: (\d+)", 1).try_cast("int").alias("broker_id"),
            F.regexp_extract(one, r"endOffset: (-?\d+)", 1).try_cast("bigint").alias("log_end_offset"),
            F.nullif(F.regexp_extract(one, r"lastCaughtUpTimeMs: (\d{12,})", 1), F.lit(""))
            .try_cast("bigint")
            .alias("caught_up_ms"),
        ),
    )


def _in_zone(lag_ms: Column, around_ms: Column) -> Column:
    """A lag between a stamp without zone and a time in milliseconds since 1970, taken to the zone in which it is
    nearest to what is usual.
    """
    return lag_ms - F.round((lag_ms - around_ms * 1.25) / _QUARTER_HOUR_MS) * _QUARTER_HOUR_MS


def _nodes(events: DataFrame, settings: DataFrame) -> DataFrame:
    """`node_id, version_low, lag_ms`: the lowest release it said it runs, and replica.lag.time.max.ms where it was
    one value all the time.
    """
    parts = F.split(
        F.regexp_extract(F.coalesce(detail("kafka_version"), F.lit("")), r"^(\d+\.\d+(?:\.\d+)?)", 1), r"\."
    )
    number = (
        F.get(parts, F.lit(0)).try_cast("int") * 10_000
        + F.get(parts, F.lit(1)).try_cast("int") * 100
        + F.coalesce(F.get(parts, F.lit(2)).try_cast("int"), F.lit(0))
    )
    said = events.where((F.col("kind") == "process_version") & F.col("node_id").isNotNull()).select(
        "node_id", number.alias("version"), F.lit(None).cast("bigint").alias("lag_ms")
    )
    lags = settings.where((F.col("name") == "replica.lag.time.max.ms") & F.col("node_id").isNotNull()).select(
        "node_id", F.lit(None).cast("int").alias("version"), F.col("value").try_cast("bigint").alias("lag_ms")
    )
    return (
        said.unionByName(lags)
        .groupBy("node_id")
        .agg(
            F.min("version").alias("version_low"),
            F.when(F.min("lag_ms") == F.max("lag_ms"), F.max("lag_ms")).alias("lag_ms"),
        )
    )
