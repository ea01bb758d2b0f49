"""Replicas that cut their logs: how far, from where, following which leader epoch."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.evidence import joined, millis, one_event
from replay.schema import TRUNCATIONS
from replay.windows import before, by_node_and_partition

_BY_RECOVERY = "log_recovery_truncated"
_CUTS = ("log_truncated_to", "truncation_below_hw", _BY_RECOVERY, "log_truncated_fully")
_BEFORE = ("follower_start", "log_load_completed")  # exact log end offsets just before a follower cuts its log (facts §4)


def truncations(events: DataFrame) -> DataFrame:
    """Every real cut. Returns `TRUNCATIONS`; a truncation that has nothing to cut is printed as another message and left out.

    The log end offset before is known only from a line that tells it in the same minute and not below the cut.
    """
    kind = F.col("kind")
    told = events.where(kind.isin(*_CUTS, *_BEFORE, "hw_non_monotonic", "truncation_to_hw") & F.col("topic").isNotNull() & F.col("ts").isNotNull())
    earlier = before(by_node_and_partition())

    def last(value: F.Column, *kinds: str) -> F.Column:
        return F.last(F.when(kind.isin(*kinds), value), ignorenulls=True).over(earlier)

    placed = told.withColumns(
        {
            "_end": last(F.struct("log_end_offset", "ts", "event_id"), *_BEFORE),
            "_epoch": last(F.col("leader_epoch"), "follower_start"),
            "_hw": last(F.struct("high_watermark", "ts", "event_id"), "follower_start", "truncation_to_hw", "truncation_below_hw"),
            "_already": last(F.struct("truncation_offset", "ts"), *_CUTS),
        }
    ).where(kind.isin(*_CUTS) & F.col("truncation_offset").isNotNull())
    fresh = (millis("ts", "_end.ts") < 60_000) & (F.col("_end.log_end_offset") >= F.col("truncation_offset"))
    first_of_cut = ~F.coalesce((F.col("_already.truncation_offset") == F.col("truncation_offset")) & (millis("ts", "_already.ts") < 1_000), F.lit(False))
    own_hw = F.coalesce(F.col("high_watermark"), F.when(millis("ts", "_hw.ts") < 60_000, F.col("_hw.high_watermark")))
    return TRUNCATIONS.of(
        placed.where(first_of_cut).withColumns(
            {
                "leader_epoch": F.when(kind != _BY_RECOVERY, F.col("_epoch")),
                "by_recovery": kind == _BY_RECOVERY,
                "log_end_offset": F.when(fresh, F.col("_end.log_end_offset")),
                "high_watermark": own_hw,
                "evidence": joined(one_event(), F.when(fresh, F.array("_end.event_id"))),
            }
        )
    )
