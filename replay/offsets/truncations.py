"""Replicas that cut their logs: how far, from where, following whom, and whether that is where the two logs part.

Source: facts §1.5, §3.5.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import joined, one_event
from replay.columns.times import millis
from replay.columns.windows import PARTITION_KEY, before, by_node_and_partition
from replay.offsets.leader_epoch_caches import BY_HIGH_WATERMARK, divergence, lineages_at
from replay.partitions.state_reports import fetchers_begun
from replay.partitions.topics import with_life
from replay.tables import TRUNCATIONS

_BY_RECOVERY = "log_recovery_truncated"
_CUTS = ("log_truncated_to", "truncation_below_hw", _BY_RECOVERY, "log_truncated_fully")
_BEFORE = (
    "follower_start",
    "log_load_completed",
)  # exact log end offsets just before a follower cuts its log (facts §4)
_FETCHES = "fetcher_partitions_added"
_SAID_FRESHLY_MS = 60_000  # a replica says where its log ends as it begins to follow, and cuts it soon after
_ONE_CUT_MS = 1_000  # several lines tell of one cut within this
_BY_LINEAGE = ("leader_id", "rule", "expected_offset")


def truncations(events: DataFrame) -> DataFrame:
    """Every real cut: `TRUNCATIONS` but for what `explained` adds; one that has nothing to cut is printed as another
    message and left out.

    The log end offset before is known only from a line that tells it in the same minute and not below the cut. What a
    replica said before it last led counts for nothing.
    """
    kind = F.col("kind")
    lines = events.where(kind.isin(*_CUTS, *_BEFORE, "truncation_to_hw", "leader_start"))
    told = lines.unionByName(
        fetchers_begun(events).withColumn("kind", F.lit(_FETCHES)), allowMissingColumns=True
    ).where(F.col("topic").isNotNull() & F.col("ts").isNotNull())
    earlier = before(by_node_and_partition())

    def last(value: Column, *kinds: str) -> Column:
        return F.last(F.when(kind.isin(*kinds), value), ignorenulls=True).over(earlier)

    placed = told.withColumns(
        {
            "_end": last(F.struct("log_end_offset", "ts", "event_id"), *_BEFORE),
            "_epoch": last(F.col("leader_epoch"), "follower_start", _FETCHES),
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
    return cuts.select(*[c.name for c in TRUNCATIONS.columns if c.name not in _BY_LINEAGE])


def explained(
    cuts: DataFrame, leader_epochs: DataFrame, caches: DataFrame, rules: DataFrame, lives: DataFrame
) -> DataFrame:
    """Each cut with whom the replica followed, the rule of its release, and where by that rule the two logs part.
    Returns `TRUNCATIONS`.

    `cuts` is `truncations`, `leader_epochs` has `life` and `leader_ts`, `caches` and `rules` are those of
    `replay.offsets.leader_epoch_caches`. The follower's lineage is the one just before the cut, the leader's the one
    with which it began to lead.
    """
    led = leader_epochs.where(F.col("leader_id") >= 0).select(
        *PARTITION_KEY, "leader_epoch", "leader_id", F.coalesce("leader_ts", "start_ts").alias("_led_ts")
    )
    told = (
        with_life(cuts, lives)
        .join(led, [*PARTITION_KEY, "leader_epoch"], "left")
        .join(F.broadcast(rules), "node_id", "left")
    )
    cut = told.withColumnsRenamed({"node_id": "_node", "ts": "_cut_ts"})
    own = lineages_at(
        caches, cut.withColumns({"node_id": F.col("_node"), "ts": F.col("_cut_ts") - F.expr("interval 1 microsecond")})
    ).withColumnRenamed("lineage", "_own")
    both = lineages_at(
        caches, own.withColumns({"node_id": F.col("leader_id"), "ts": F.greatest("_cut_ts", "_led_ts")})
    ).withColumnRenamed("lineage", "_leaders")
    known = both.drop("node_id", "ts").withColumnsRenamed({"_node": "node_id", "_cut_ts": "ts"})
    in_time = F.filter("_leaders", lambda entry: entry["leader_epoch"] <= F.col("leader_epoch"))
    both_known = F.col("leader_id").isNotNull() & (F.size("_own") > 0) & (F.size("_leaders") > 0)
    no_leader_end = F.lit(None).cast("bigint")
    by_high_watermark = F.col("rule") == BY_HIGH_WATERMARK
    # A log whose end no line tells ended at the cut or later.
    end = F.coalesce(
        "log_end_offset",
        F.when(by_high_watermark & (F.col("high_watermark") <= F.col("truncation_offset")), F.col("truncation_offset")),
    )
    apart = divergence(in_time, no_leader_end, F.col("_own"), end, F.col("high_watermark"), F.col("rule"))
    return TRUNCATIONS.of(
        known.withColumn("expected_offset", F.when(~F.col("by_recovery") & (by_high_watermark | both_known), apart))
    )
