"""What was committed and taken back, and offsets of single replicas: I6, I13, I14, I18, I20, I21, I32."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.evidence import AT_MOST
from replay.columns.windows import PARTITION_KEY, before, by_leader_epoch
from replay.invariants.shape import breaches, broken, shown
from replay.partitions.elections import is_unclean
from replay.partitions.topics import with_life


def commits_taken_back(judged: DataFrame, high_watermarks: DataFrame, losses: DataFrame, lives: DataFrame) -> DataFrame:
    """I6 from the elections, I13 from the loss ledger, I18 and I32 from what leaders printed, in the order of leader
    epochs: no clock in it.

    Leader epochs, printed high watermarks and ledger rows of a partition stand in one frame, told apart by what they
    hold.
    """
    rows = _leaders_and_commits(judged, high_watermarks, losses, lives)
    return breaches(
        _with_commits_before_and_after(rows),
        *_leader_from_outside_isr(),
        *_committed_and_gone(),
        _leads_below_high_watermark(),
        _committed_twice(),
    )


def _leaders_and_commits(
    judged: DataFrame, high_watermarks: DataFrame, losses: DataFrame, lives: DataFrame
) -> DataFrame:
    """The leader epochs (`_new`), what leaders printed of their high watermarks (`_hw`), and proven losses (`_lost`)."""
    key = (*PARTITION_KEY, "leader_epoch")
    leader = F.struct(
        "leader_id",
        "last_leader_id",
        "epoch_start_offset",
        "elected_from",
        "isr_before",
        "isr_before_evidence",
        "evidence",
    )
    at = F.struct("high_watermark", F.get("evidence", F.lit(0)).alias("event_id"))
    printed = with_life(
        high_watermarks.where(
            (F.col("role") == "leader") & F.col("high_watermark").isNotNull() & F.col("leader_epoch").isNotNull()
        ),
        lives,
    )
    ledger = F.struct("from_offset", "to_offset_low", "scenario", "premise", "evidence")
    proven = losses.where((F.col("loss_class") == "committed") & (F.col("verdict") == "PROVEN_LOSS"))
    return (
        judged.select(*key, leader.alias("_new"))
        .unionByName(printed.select(*key, at.alias("_hw")), allowMissingColumns=True)
        .unionByName(proven.select(*key, ledger.alias("_lost")), allowMissingColumns=True)
    )


def _with_commits_before_and_after(rows: DataFrame) -> DataFrame:
    """Each row with the highest high watermark that was printed before it in its history (`_was`), and from it on
    (`_again`). With an unclean election another history begins.
    """
    placed = rows.withColumns(
        {
            "_lineage": F.count_if(F.coalesce(_is_unclean(), F.lit(False))).over(
                by_leader_epoch().rangeBetween(Window.unboundedPreceding, Window.currentRow)
            ),
            "_again": F.max("_hw").over(
                by_leader_epoch(newest_first=True).rangeBetween(Window.unboundedPreceding, Window.currentRow)
            ),
        }
    )
    earlier = (
        Window.partitionBy(*PARTITION_KEY, "_lineage")
        .orderBy("leader_epoch")
        .rangeBetween(Window.unboundedPreceding, -1)
    )
    return placed.withColumn("_was", F.max("_hw").over(earlier))


def _is_unclean() -> Column:
    return is_unclean(F.col("_new.elected_from"))


def _first_event() -> Column:
    return F.get("_new.evidence", F.lit(0))


def _leader_from_outside_isr() -> tuple[Column, Column]:
    leader_id = F.col("_new.leader_id")
    sure = broken(
        "I6",
        _is_unclean(),
        F.concat(
            F.format_string("broker %d leads in leader epoch %d; the ISR before was ", leader_id, "leader_epoch"),
            shown("_new.isr_before"),
        ),
        _first_event(),
        F.get("_new.isr_before_evidence", F.lit(0)),
    )
    not_sure = broken(
        "I6",
        (leader_id >= 0) & (leader_id != F.col("_new.last_leader_id")) & F.col("_new.elected_from").isNull(),
        F.format_string(
            "broker %d leads in leader epoch %d; no line tells for sure the ISR just before", leader_id, "leader_epoch"
        ),
        _first_event(),
        verdict="unknown",
    )
    return sure, not_sure


def _proof_of_loss() -> list[Column]:
    return [F.get(F.col("_lost")["evidence"], F.lit(n)) for n in range(AT_MOST)]


def _committed_and_gone() -> tuple[Column, Column]:
    """A loss in a clean election breaks I13; in an unclean one (S4) nothing was promised."""
    lost = F.col("_lost")
    gone = F.format_string(
        "offsets [%d, %d) were committed and are gone in leader epoch %d: %s",
        lost["from_offset"],
        lost["to_offset_low"],
        "leader_epoch",
        lost["premise"],
    )
    sure = broken("I13", lost["scenario"] != "S4", gone, *_proof_of_loss())
    not_sure = broken(
        "I13",
        lost.isNotNull() & lost["scenario"].isNull(),
        F.concat(gone, F.lit("; whether that leader was elected cleanly no line tells")),
        *_proof_of_loss(),
        verdict="unknown",
    )
    return sure, not_sure


def _leads_below_high_watermark() -> Column:
    was, leader_id = F.col("_was.high_watermark"), F.col("_new.leader_id")
    return broken(
        "I18",
        (leader_id >= 0) & (F.col("_new.epoch_start_offset") < was),
        F.format_string(
            "an earlier leader printed high watermark %d; broker %d leads from offset %d in leader epoch %d",
            was,
            leader_id,
            "_new.epoch_start_offset",
            "leader_epoch",
        ),
        "_was.event_id",
        _first_event(),
    )


def _committed_twice() -> Column:
    lost = F.col("_lost")
    return broken(
        "I32",
        F.col("_again.high_watermark") > lost["from_offset"],
        F.format_string(
            "offsets [%d, %d) were committed before leader epoch %d and again, as other records, after it",
            lost["from_offset"],
            F.least(lost["to_offset_low"], F.col("_again.high_watermark")),
            "leader_epoch",
        ),
        *_proof_of_loss()[:4],
        "_again.event_id",
    )


def offsets_out_of_order(high_watermarks: DataFrame, truncations: DataFrame) -> DataFrame:
    """I14, I20, I21: single replicas' offsets against each other and over time."""
    return breaches(
        _in_time(_offsets_told(high_watermarks, truncations)),
        _cut_below_high_watermark(),
        *_offsets_contradict(),
        _log_start_went_back(),
    )


def _offsets_told(high_watermarks: DataFrame, truncations: DataFrame) -> DataFrame:
    """What replicas told of their offsets, and the cuts of their logs."""
    nothing = F.lit(None)
    event = F.get("evidence", F.lit(0)).alias("event_id")
    told = high_watermarks.select(
        "topic",
        "partition",
        "node_id",
        "ts",
        "source",
        "high_watermark",
        "log_end_offset",
        "log_start_offset",
        nothing.cast("bigint").alias("truncation_offset"),
        event,
    )
    cut = truncations.select(
        "topic",
        "partition",
        "node_id",
        "ts",
        F.lit("truncation").alias("source"),
        "high_watermark",
        nothing.cast("bigint").alias("log_end_offset"),
        nothing.cast("bigint").alias("log_start_offset"),
        "truncation_offset",
        event,
    )
    return told.unionByName(cut)


def _in_time(offsets: DataFrame) -> DataFrame:
    """Each with the highest log start that its replica told before (`_was`), and its last cut before (`_cut_ts`)."""
    in_time = Window.partitionBy("node_id", "topic", "partition").orderBy(F.col("ts").asc_nulls_last(), "event_id")
    start = F.when(
        F.col("ts").isNotNull() & F.col("log_start_offset").isNotNull(), F.struct("log_start_offset", "ts", "event_id")
    )
    cuts_so_far = F.max(F.when(F.col("truncation_offset").isNotNull(), F.col("ts"))).over(before(in_time))
    return offsets.withColumns({"_was": F.max(start).over(before(in_time)), "_cut_ts": cuts_so_far})


def _is_cut() -> Column:
    return F.col("source") == "truncation"


def _cut_below_high_watermark() -> Column:
    return broken(
        "I14",
        _is_cut() & (F.col("truncation_offset") < F.col("high_watermark")),
        F.format_string(
            "broker %d cut its log to %d, below its own high watermark %d",
            "node_id",
            "truncation_offset",
            "high_watermark",
        ),
        "event_id",
    )


def _offsets_contradict() -> tuple[Column, Column, Column]:
    """Log start, high watermark and log end of one replica at one moment stand in this order."""
    high_watermark, end, first = F.col("high_watermark"), F.col("log_end_offset"), F.col("log_start_offset")
    above_end = broken(
        "I20",
        ~_is_cut() & (high_watermark > end),
        F.format_string("broker %d: high watermark %d above log end %d (%s)", "node_id", high_watermark, end, "source"),
        "event_id",
    )
    start_above = broken(
        "I20",
        ~_is_cut() & (first > high_watermark) & (high_watermark > 0),
        F.format_string(
            "broker %d: log start %d above high watermark %d (%s)", "node_id", first, high_watermark, "source"
        ),
        "event_id",
    )
    start_above_end = broken(
        "I20",
        ~_is_cut() & (first > end),
        F.format_string("broker %d: log start %d above log end %d (%s)", "node_id", first, end, "source"),
        "event_id",
    )
    return above_end, start_above, start_above_end


def _log_start_went_back() -> Column:
    """To 0 it may have been deleted and begun anew; after a cut it may be anywhere."""
    first = F.col("log_start_offset")
    fell = (
        (first < F.col("_was.log_start_offset"))
        & F.col("ts").isNotNull()
        & ~F.coalesce(F.col("_cut_ts") >= F.col("_was.ts"), F.lit(False))
    )
    return broken(
        "I21",
        fell,
        F.format_string("broker %d: log start %d, after %d", "node_id", first, F.col("_was.log_start_offset")),
        F.col("_was.event_id"),
        F.col("event_id"),
        verdict=F.when(first == 0, "unknown").otherwise("violated"),
    )
