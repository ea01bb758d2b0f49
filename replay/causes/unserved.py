"""How long partitions had nobody who served them, whatever the controller's record says (facts §7, leaderless time of
the data plane).

The controller learns of a death, or of a pause, only as the session ends: until then its record names a leader that
serves nobody.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.causes.happenings import leaderless_epochs as leaderless
from replay.columns.windows import PARTITION_KEY, after, before, by_leader_epoch, from_here
from replay.faults.kinds import DOWN, is_kind


def unserved(leader_epochs: DataFrame, faults: DataFrame) -> DataFrame:
    """`topic, life, partition, bound, start_ts, end_ts`: the times in which a partition had no leader, or one whose
    process was dead or stood still, until the next one leads.

    Those of one partition and `bound` do not overlap: `least` begin with the first proof that the leader was gone,
    `most` with the last that it was well. `end_ts` is null where the logs end first. A process that is started anew
    counts as there from its first line on.
    """
    leads = F.when(F.col("leader_id") >= 0, F.greatest("start_ts", "leader_ts"))
    until = F.coalesce(
        F.last(leads, ignorenulls=True).over(after(by_leader_epoch)),
        F.first("end_ts").over(from_here(by_leader_epoch)),
    )
    tenures = leader_epochs.withColumn("_until", until)
    without = leaderless(tenures, faults).select(
        *PARTITION_KEY, F.col("start_ts").alias("_most"), F.col("start_ts").alias("_least"), "_until"
    )
    down = faults.where(is_kind(*DOWN)).select(
        F.col("broker_id").alias("leader_id"),
        F.coalesce("began_low", "ts").alias("_well_ts"),
        F.coalesce("began_high", "ts").alias("_gone_ts"),
        F.col("end_ts").alias("_back_ts"),
    )
    dead = (
        tenures.where(F.col("leader_id") >= 0)
        .join(F.broadcast(down), "leader_id")
        .where(
            F.coalesce(F.col("_well_ts") < F.col("_until"), F.lit(True))
            & F.coalesce(F.col("_back_ts") > F.col("start_ts"), F.lit(True))
        )
        .select(
            *PARTITION_KEY,
            F.greatest("_well_ts", "start_ts").alias("_most"),
            F.greatest("_gone_ts", "start_ts").alias("_least"),
            F.least("_until", "_back_ts").alias("_until"),
        )
    )
    both = without.unionByName(dead)
    begins = F.array(
        *[F.struct(F.lit(bound).alias("bound"), F.col(f"_{bound}").alias("start_ts")) for bound in ("most", "least")]
    )
    spans = both.select(*PARTITION_KEY, F.explode(begins).alias("_begins"), F.col("_until").alias("end_ts")).select(
        *PARTITION_KEY, "_begins.*", "end_ts"
    )
    never = F.lit("9999-12-31").cast("timestamp")
    in_time = Window.partitionBy(*PARTITION_KEY, "bound").orderBy("start_ts", F.col("end_ts").asc_nulls_last())
    told_until = F.max(F.coalesce(F.col("end_ts"), never)).over(before(in_time))
    apart = spans.withColumn("start_ts", F.greatest("start_ts", told_until))
    return apart.where(F.coalesce(F.col("end_ts") > F.col("start_ts"), F.col("start_ts") < never))
