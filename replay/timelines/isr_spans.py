"""The ISRs of each partition, one after the other.

The states of a partition are in the order of leader epoch, partition epoch and time. `lag` drops a state that repeats
the one before it, and `lead` ends each ISR where the next one begins.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.times import millis
from replay.columns.windows import PARTITION_KEY, ordered, so_far
from replay.partitions.isr_spans import PASSING_MS
from replay.tables.partitions import LAID_ISRS

_in_order = ordered(PARTITION_KEY, "place")


def isr_spans(isr_states: DataFrame) -> DataFrame:
    """One row for each ISR, from its first state to the next one with another ISR or leader epoch. Returns
    `LAID_ISRS`.

    An ISR ends with its leader epoch if no line shows an ISR of the next one. A state without a leader that the
    controller only passed through has no row, unless a line prints its ISR. An ISR keeps the last replicas that a line
    stated.
    """
    changes = _changes(isr_states)
    goes_on = F.lead("leader_epoch").over(_in_order()) <= F.coalesce("reaches_epoch", "leader_epoch")
    ended = changes.withColumns(
        {
            "start_ts": F.col("ts"),
            "end_ts": F.when(goes_on, F.lead("ts").over(_in_order())).otherwise(F.col("epoch_end_ts")),
            "replicas": F.last("replicas", ignorenulls=True).over(so_far(_in_order())),
        }
    )
    return LAID_ISRS.of(ended.where(~_is_passing() | F.col("is_kept")))


def _changes(isr_states: DataFrame) -> DataFrame:
    """The states whose ISR or leader epoch differs from the one before, and how many states between each and the next
    of them no line shows (`untold_after`).

    One write removes the leader and leaves this ISR: the first state of a leader epoch without a leader begins with it.
    """
    is_first = ~F.lag("leader_epoch").over(_in_order()).eqNullSafe(F.col("leader_epoch"))
    is_other = is_first | ~F.lag("isr").over(_in_order()).eqNullSafe(F.col("isr"))
    missing = F.lead("partition_epoch").over(_in_order()) - F.col("partition_epoch") - 1
    marked = isr_states.withColumns(
        {
            "_is_other": is_other,
            "_missing": F.greatest(missing, F.lit(0)),  # 0 if one of the two has no partition epoch
            "ts": F.when(is_first & (F.col("leader_id") == -1), F.least("ts", "epoch_start_ts")).otherwise(F.col("ts")),
        }
    ).withColumn("_run", F.count_if("_is_other").over(so_far(_in_order())))
    of_run = F.sum("_missing").over(Window.partitionBy(*PARTITION_KEY, "_run"))
    return marked.withColumn("untold_after", F.when(of_run > 0, of_run)).where("_is_other")


def _is_passing() -> Column:
    """Whether the controller only passed through the state, and no line prints its ISR: it has no leader and ends at
    once.
    """
    ends_at_once = millis("end_ts", "start_ts") < PASSING_MS
    is_inferred = F.col("confidence") == "inferred"
    return F.coalesce((F.col("leader_id") == -1) & ends_at_once & is_inferred, F.lit(False))
