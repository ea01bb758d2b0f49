"""Replicas that cut their logs: how far, from where, and in which leader epoch.

Source: facts §1.5, §3.5.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import joined, one_event
from replay.columns.times import millis
from replay.columns.windows import before, by_node_and_partition
from replay.facts.reads import gathers
from replay.partitions.state_reports import FETCHES, fetchers_begun
from replay.tables.offsets import LOG_CUTS

_BY_RECOVERY = "log_recovery_truncated"
_CUTS = ("log_truncated_to", "truncation_below_hw", _BY_RECOVERY, "log_truncated_fully")
_BEFORE = (
    "follower_start",
    "log_load_completed",
)  # exact log end offsets just before a follower cuts its log (facts §4)
_SAID_FRESHLY_MS = 60_000  # a replica says where its log ends as it begins to follow, and cuts it soon after
_ONE_CUT_MS = 1_000  # several lines tell of one cut within this


@gathers(*_CUTS)
def truncations(events: DataFrame) -> DataFrame:
    """Every real cut. Returns `LOG_CUTS`; one that has nothing to cut is printed as another message and left out.

    The log end offset before is known only from a line that tells it in the same minute and not below the cut. What a
    replica said before it last led counts for nothing.
    """
    kind = F.col("kind")
    lines = events.where(kind.isin(*_CUTS, *_BEFORE, "truncation_to_hw", "leader_start"))
    told = lines.unionByName(fetchers_begun(events).withColumn("kind", F.lit(FETCHES)), allowMissingColumns=True).where(
        F.col("topic").isNotNull() & F.col("ts").isNotNull()
    )
    earlier = before(by_node_and_partition())

    def last(value: Column, *kinds: str) -> Column:
        return F.last(F.when(kind.isin(*kinds), value), ignorenulls=True).over(earlier)

    placed = told.withColumns(
        {
            "_end": last(F.struct("log_end_offset", "ts", "event_id"), *_BEFORE),
            "_epoch": last(F.col("leader_epoch"), "follower_start", FETCHES),
            "_hw": last(
                F.struct("high_watermark", "ts", "event_id"),
                "follower_start",
                "truncation_to_hw",
                "truncation_below_hw",
            ),
            "_led_ts": last(F.col("ts"), "leader_start"),
            "_already": last(F.struct("truncation_offset", "ts"), *_CUTS),
        }
    ).where(kind.isin(*_CUTS) & F.col("truncation_offset").isNotNull())

    def fresh(said: str) -> Column:
        return (millis("ts", f"{said}.ts") < _SAID_FRESHLY_MS) & ~F.coalesce(
            F.col("_led_ts") > F.col(f"{said}.ts"), F.lit(False)
        )

    end_is_known = fresh("_end") & (F.col("_end.log_end_offset") >= F.col("truncation_offset"))
    first_of_cut = ~F.coalesce(
        (F.col("_already.truncation_offset") == F.col("truncation_offset"))
        & (millis("ts", "_already.ts") < _ONE_CUT_MS),
        F.lit(False),
    )
    cuts = placed.where(first_of_cut).withColumns(
        {
            "leader_epoch": F.when(kind != _BY_RECOVERY, F.col("_epoch")),
            "by_recovery": kind == _BY_RECOVERY,
            "log_end_offset": F.when(end_is_known, F.col("_end.log_end_offset")),
            "high_watermark": F.coalesce(F.col("high_watermark"), F.when(fresh("_hw"), F.col("_hw.high_watermark"))),
            "evidence": joined(one_event(), F.when(end_is_known, F.array("_end.event_id"))),
        }
    )
    return LOG_CUTS.of(cuts)
