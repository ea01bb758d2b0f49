"""What single lines say of single replicas: high watermark, log end offset, log start offset, each at its moment.

A replica's own high watermark is always a lower bound of the commit point (facts §1.3, T1). Which field of which
message is which offset, by release, is in facts §4; this file is that table.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.evidence import one_event
from replay.columns.windows import by_node_and_partition, so_far
from replay.facts.reads import gathers
from replay.tables import FOLLOWER_POSITIONS, HIGH_WATERMARKS

_UNCHECKPOINTED = "partition_no_checkpointed_hw"
NOTHING_TO_CUT = "log_truncation_noop"  # names the last offset of the log, in every release (`Log.truncateTo`)
# kind -> role of the replica that prints it (None: either)
_ROLES = {
    "leader_start": "leader",
    "leader_transition_skipped": "leader",
    "isr_shrink": "leader",
    "follower_start": "follower",
    "hw_updated": "leader",
    "partition_log_loaded": None,
    _UNCHECKPOINTED: None,
    "log_load_completed": None,
    "log_truncated_to": None,
    NOTHING_TO_CUT: None,
    "truncation_to_hw": "follower",
    "truncation_below_hw": None,
    "hw_non_monotonic": None,
    "log_rolled": None,
    "producer_snapshot_written": None,
    "log_start_offset_incremented": None,
    "log_recovery_truncated": None,
    "checkpoint_high_watermark": None,
    "checkpoint_log_start_offset": None,
    # At DEBUG and TRACE: each update.
    "follower_hw_received": "follower",
    "follower_hw_set": "follower",
    "follower_before_append": "follower",
    "follower_after_append": "follower",
    "log_appended": None,
    "log_hw_set": None,
    "replica_hw_set": None,
}
# The field that tells an offset, where it is not the column of that name.
_HIGH_WATERMARK_IN = {
    "follower_hw_set": "follower_high_watermark",
    "log_hw_set": "new_high_watermark",
    "replica_hw_set": "new_high_watermark",
}
_NO_OWN_HIGH_WATERMARK = ("log_load_completed", "follower_before_append")  # a default; the leader's
_TELL_LOG_END = (
    "follower_start",
    "isr_shrink",
    "log_load_completed",
    "log_rolled",
    "producer_snapshot_written",
    "follower_before_append",
    "follower_after_append",
)
_POSITIONS = ("isr_shrink", "follower_leo_recorded", "replica_leo_set")
_EPOCH_FROM = ("leader_start", "leader_transition_skipped", "follower_start", "follower_transition_skipped")
_TOLD_TO_FOLLOW = (
    "broker_leader_and_isr_received"  # up to 2.3 nothing else tells in which leader epoch a broker follows
)
_BEFORE_0_11_1 = "PRT-095"  # later releases print the high watermark that they begin with beside it
_SLOW_REPLICA = r"brokerId: \d+, endOffset: \d+"  # in the line of a leader that shrinks the ISR
LOADING_MS = 5_000  # a broker that is told its role has loaded the log within this


def cut_by_recovery() -> Column:
    """Whether the log end that a row of `HIGH_WATERMARKS` tells is what recovery left of a damaged log: its broker
    cut it as it started and has taken no role since.

    Where such a log had ended before is not known (facts §5, F24).
    """
    in_time = Window.partitionBy("topic", "partition", "node_id").orderBy(F.unix_millis("ts"))
    cut_ts = F.max(F.when(F.col("source") == "log_recovery_truncated", F.col("ts"))).over(
        in_time.rangeBetween(Window.unboundedPreceding, LOADING_MS)
    )
    role_ts = F.max(F.when(F.col("source").isin("leader_start", "follower_start"), F.col("ts"))).over(
        in_time.rangeBetween(Window.unboundedPreceding, -1)
    )
    return F.coalesce(cut_ts > role_ts, cut_ts.isNotNull())


@gathers(*_ROLES)
def high_watermarks(events: DataFrame) -> DataFrame:
    """Every anchor of every replica's offsets. Returns `HIGH_WATERMARKS`.

    `Completed load … highWatermark=` is no anchor (its value is a default), and of the several `Replica loaded` lines
    that releases up to 2.3 print for one partition only the largest is the broker's own (facts §4). A replica without
    a checkpointed one begins with 0, which up to 0.10 no other line tells. What a follower prints of its leader's
    high watermark is not its own: it makes of it what its log allows, and a line of its own tells that.
    """
    kind = F.col("kind")
    told = events.where(
        kind.isin(*_ROLES, *_EPOCH_FROM, _TOLD_TO_FOLLOW) & F.col("topic").isNotNull() & F.col("node_id").isNotNull()
    )
    known_epoch = F.last(F.when(kind.isin(*_EPOCH_FROM), F.col("leader_epoch")), ignorenulls=True).over(
        so_far(by_node_and_partition())
    )
    told_epoch = F.last(F.when(kind.isin(*_EPOCH_FROM, _TOLD_TO_FOLLOW), F.col("leader_epoch")), ignorenulls=True)
    # What makes a broker load its log is of its next leader epoch; what it loads is of the one before.
    before_loading = (
        Window.partitionBy("node_id", "topic", "partition")
        .orderBy(F.unix_millis("ts"))
        .rangeBetween(Window.unboundedPreceding, -LOADING_MS)
    )
    epoch = (
        F.when(kind == "truncation_to_hw", told_epoch.over(so_far(by_node_and_partition())))
        .when(
            kind.isin("partition_log_loaded", _UNCHECKPOINTED), F.coalesce(known_epoch, told_epoch.over(before_loading))
        )
        .otherwise(known_epoch)
    )
    process = F.col("ts").isNotNull()
    roles = F.create_map(*[part for name, role in _ROLES.items() for part in (F.lit(name), F.lit(role).cast("string"))])
    leo = (
        F.when(kind == "leader_start", F.col("epoch_start_offset"))
        .when(kind.isin("log_truncated_to", "log_recovery_truncated"), F.col("truncation_offset"))
        .when(kind.isin(*_TELL_LOG_END), F.col("log_end_offset"))
        .when(kind == NOTHING_TO_CUT, _offset_in("log_end_offset_minus_1") + 1)
        .when(kind == "log_appended", _offset_in("next_offset"))
    )
    elsewhere = F.create_map(*[F.lit(word) for pair in _HIGH_WATERMARK_IN.items() for word in pair])
    hw = (
        F.when((kind == _UNCHECKPOINTED) & (F.col("template_id") == _BEFORE_0_11_1), F.lit(0))
        .when(kind.isin(*_HIGH_WATERMARK_IN), _offset_in(elsewhere[kind]))
        .when(~kind.isin(*_NO_OWN_HIGH_WATERMARK), F.col("high_watermark"))
    )
    of_leader = F.when(kind == "follower_before_append", F.col("high_watermark")).when(
        kind == "follower_hw_received", _offset_in("leader_high_watermark")
    )
    run = (
        Window.partitionBy("node_id", "topic", "partition", "kind")
        .orderBy(F.col("ts").cast("double"))
        .rangeBetween(-1, 1)
    )
    own = ~((F.col("template_id") == "PRT-109") & (F.col("high_watermark") < F.max("high_watermark").over(run)))
    return HIGH_WATERMARKS.of(
        told.withColumns({"leader_epoch": F.when(process, epoch), "_own": own})
        .where(kind.isin(*_ROLES) & F.coalesce(F.col("_own"), F.lit(True)))
        .withColumns(
            {
                "high_watermark": hw,
                "log_end_offset": leo,
                "leader_high_watermark": of_leader,
                "previous_high_watermark": F.when(kind == "hw_updated", _offset_in("previous_high_watermark")),
                "role": roles[kind],
                "source": kind,
                "evidence": one_event(),
            }
        )
        .where(F.coalesce("high_watermark", "log_end_offset", "log_start_offset", "leader_high_watermark").isNotNull())
    )


def _offset_in(field: str | Column) -> Column:
    """An offset among the fields of the template that have no column of their own."""
    return F.col("details")[field].try_cast("bigint")


@gathers(*_POSITIONS)
def follower_positions(events: DataFrame) -> DataFrame:
    """What leaders knew of their followers' logs: each position recorded (DEBUG), and that of a follower too slow for
    the ISR (2.2 and later, INFO). Returns `FOLLOWER_POSITIONS`.

    The position of a fetch is where the follower's log ended as it asked; the log may have grown since, once the
    answer has come.
    """
    kind = F.col("kind")
    told = events.where(kind.isin(*_POSITIONS) & F.col("topic").isNotNull() & F.col("node_id").isNotNull())
    slow = F.regexp_extract_all(
        F.coalesce(F.when(kind == "isr_shrink", F.col("details")["out_of_sync_replicas"]), F.lit("")),
        F.lit(_SLOW_REPLICA),
        F.lit(0),
    )
    one = F.array(
        F.when(
            kind == "follower_leo_recorded",
            F.concat(F.col("details")["replica_id"], F.lit(" "), F.col("log_end_offset").cast("string")),
        ).when(
            kind == "replica_leo_set",
            F.concat(F.col("broker_id").cast("string"), F.lit(" "), F.col("details")["log_end_offset_metadata"]),
        )
    )
    positions = told.select(
        "topic",
        "partition",
        F.col("node_id").alias("leader_id"),
        "ts",
        kind.alias("source"),
        one_event().alias("evidence"),
        F.when(kind == "isr_shrink", F.col("log_end_offset")).alias("leader_log_end_offset"),
        F.explode(F.when(kind == "isr_shrink", slow).otherwise(one)).alias("_told"),
    )
    numbers = F.regexp_extract_all("_told", F.lit(r"(\d+)"), F.lit(1))
    return FOLLOWER_POSITIONS.of(
        positions.withColumns(
            {
                "node_id": F.get(numbers, F.lit(0)).try_cast("int"),
                "log_end_offset": F.get(numbers, F.lit(1)).try_cast("bigint"),
            }
        ).where("node_id is not null and log_end_offset is not null and node_id <> leader_id")
    )
