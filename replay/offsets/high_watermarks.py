"""What single lines say of single replicas: high watermark, log end offset, log start offset, each at its moment.

A replica's own high watermark is always a lower bound of the commit point (facts §1.3, T1). Which field of which message is
which offset, by release, is in facts §4; this file is that table.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.evidence import one_event
from replay.columns.windows import by_node_and_partition, so_far
from replay.tables import HIGH_WATERMARKS

_UNCHECKPOINTED = "partition_no_checkpointed_hw"
# kind -> role of the replica that prints it (None: either)
_ROLES = {
    "leader_start": "leader",
    "leader_transition_skipped": "leader",
    "isr_shrink": "leader",
    "follower_start": "follower",
    "hw_updated": None,
    "partition_log_loaded": None,
    _UNCHECKPOINTED: None,
    "log_load_completed": None,
    "log_truncated_to": None,
    "truncation_to_hw": "follower",
    "truncation_below_hw": None,
    "hw_non_monotonic": None,
    "log_rolled": None,
    "producer_snapshot_written": None,
    "log_start_offset_incremented": None,
    "log_recovery_truncated": None,
    "checkpoint_high_watermark": None,
    "checkpoint_log_start_offset": None,
}
_EPOCH_FROM = ("leader_start", "leader_transition_skipped", "follower_start", "follower_transition_skipped")
_TOLD_TO_FOLLOW = (
    "broker_leader_and_isr_received"  # up to 2.3 nothing else tells in which leader epoch a broker follows
)
_BEFORE_0_11_1 = "PRT-095"  # later releases print the high watermark that they begin with beside it
LOADING_MS = 5_000  # a broker that is told its role has loaded the log within this


def cut_by_recovery() -> Column:
    """Whether the log end that a row of `HIGH_WATERMARKS` tells is what recovery left of a damaged log: its broker cut it as it started and has taken no role since.

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


def high_watermarks(events: DataFrame) -> DataFrame:
    """Every anchor of every replica's offsets. Returns `HIGH_WATERMARKS`.

    `Completed load … highWatermark=` is no anchor (its value is a default), and of the several `Replica loaded` lines that
    releases up to 2.3 print for one partition only the largest is the broker's own (facts §4). A replica without a checkpointed one
    begins with 0, which up to 0.10 no other line tells.
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
        .when(
            kind.isin("follower_start", "isr_shrink", "log_load_completed", "log_rolled", "producer_snapshot_written"),
            F.col("log_end_offset"),
        )
    )
    uncheckpointed = F.when((kind == _UNCHECKPOINTED) & (F.col("template_id") == _BEFORE_0_11_1), F.lit(0))
    hw = F.coalesce(uncheckpointed, F.when(~kind.isin("log_load_completed"), F.col("high_watermark")))
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
            {"high_watermark": hw, "log_end_offset": leo, "role": roles[kind], "source": kind, "evidence": one_event()}
        )
        .where("high_watermark is not null or log_end_offset is not null or log_start_offset is not null")
    )
