"""The verdict on each change of leader: on committed records, and on those above the commit point (facts §3.2)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import joined
from replay.columns.times import millis
from replay.losses.changes import damaged
from replay.losses.shape import ledger_rows
from replay.partitions.elections import is_unclean
from replay.tables import OPEN_VERDICTS


def committed(changes: DataFrame) -> DataFrame:
    """The verdict on committed records, one row a change."""
    start, n_old, low = F.col("_from"), F.col("_n_old"), F.col("_low.high_watermark")
    unclean, clean = is_unclean(), F.col("elected_from").isin("isr", "elr") & ~_may_have_left()
    nothing_cut = F.coalesce(start >= n_old, F.lit(False)) & ~F.col("_others_may_have_led")
    exact = F.coalesce(unclean & F.col("_alone") & F.col("_gate_open") & (n_old > start) & F.col("_sure"), F.lit(False))
    anchored = F.coalesce(low > start, F.lit(False)) & ~nothing_cut & F.col("_sure")
    unknown_start = start.isNull()
    # It held committed records that it came back without: only a loss of power does that, and how much more it took
    # nobody knows.
    short = F.coalesce(F.col("_died") & nothing_cut & (low > n_old), F.lit(False))
    short_but_clean = short & clean & F.coalesce(low <= F.col("epoch_start_offset"), F.lit(False))
    verdict = (
        F.when(
            unknown_start,
            F.when(
                clean & ~F.col("_maybe_to_own_hw") & F.col("_rule_is_told"), "NO_COMMITTED_LOSS_BY_PROTOCOL"
            ).otherwise("UNDETERMINED"),
        )
        .when(exact | anchored, "PROVEN_LOSS")
        .when(short_but_clean, "NO_COMMITTED_LOSS_BY_PROTOCOL")
        .when(short, "UNDETERMINED")
        .when(nothing_cut, "NO_LOSS_OBSERVED")
        .when(clean & F.col("_to_own_hw"), "POSSIBLE_LOSS")
        .when(clean & F.col("_maybe_to_own_hw"), "UNDETERMINED")
        .when(clean, "NO_COMMITTED_LOSS_BY_PROTOCOL")
        .when(unclean & (n_old > start), "POSSIBLE_LOSS")
        .otherwise("UNDETERMINED")
    )
    proven_to = F.when(exact, n_old).when(anchored, F.least(low, F.coalesce(n_old, low)))
    open_end = verdict.isin("POSSIBLE_LOSS", "UNDETERMINED")
    low_text = F.format_string(
        "broker %d said high watermark %d (%s)", "_low._node", "_low.high_watermark", "_low.source"
    )
    leads_from = F.coalesce("epoch_start_offset", "_from")
    parts_earlier = F.when(
        start < F.least(leads_from, n_old), F.format_string("; their logs part at %d already", "_from")
    ).otherwise("")
    as_it_came_back = F.when(
        F.col("_died"),
        "; that is its log as it came back: all that it had held if its process died, less than that if its machine lost power",
    ).otherwise("")
    premise = (
        F.when(
            exact,
            F.concat(
                F.format_string(
                    "broker %d was alone in the ISR, so its high watermark was its log end: all of its log up to %d was committed, and broker %d, outside that ISR, leads from %d",
                    "old_leader_id",
                    "_n_old",
                    "new_leader_id",
                    leads_from,
                ),
                parts_earlier,
                as_it_came_back,
            ),
        )
        .when(
            anchored,
            F.concat(
                low_text,
                F.format_string(", but broker %d leads from offset %d", "new_leader_id", leads_from),
                parts_earlier,
                F.when(
                    F.col("_forked"),
                    F.format_string(
                        "; broker %d then cut its log only to its own high watermark %d: from %d to there its records are not its leader's",
                        "old_leader_id",
                        "_by_hw.high_watermark",
                        "_from",
                    ),
                ).otherwise(""),
            ),
        )
        .when(
            short & ~short_but_clean,
            F.concat(
                low_text,
                F.format_string(
                    ", but the log of broker %d ended at %d when it came back, so it lost records that it had held, and broker %d leads from offset %d: how much was lost is in no line",
                    "old_leader_id",
                    "_n_old",
                    "new_leader_id",
                    "epoch_start_offset",
                ),
            ),
        )
        .when(
            nothing_cut & ~short,
            F.concat(
                F.format_string(
                    "the old leader's log ended at %d and the new leader starts at %d: nothing was discarded",
                    "_n_old",
                    "epoch_start_offset",
                ),
                as_it_came_back,
            ),
        )
        .when(
            verdict == "NO_COMMITTED_LOSS_BY_PROTOCOL",
            F.concat(
                F.format_string(
                    "broker %d was in the %s, which holds every committed record (KIP-101, KIP-279), and no high watermark above its log was seen",
                    "new_leader_id",
                    F.upper("elected_from"),
                ),
                F.when(unknown_start, "; the offset it started from is not in these logs").otherwise(""),
            ),
        )
        .when(
            clean & (verdict == "POSSIBLE_LOSS"),
            F.concat(
                F.format_string(
                    "broker %d was in the ISR, but had cut its log to its own high watermark %d and led before it had fetched anything again (KIP-101, scenario 1): ",
                    "new_leader_id",
                    "epoch_start_offset",
                ),
                F.when(n_old.isNull(), "how much was committed above that is in no line").otherwise(
                    F.format_string(
                        "the old log held [%d, %d), and how much of that was committed is in no line", "_from", "_n_old"
                    )
                ),
            ),
        )
        .when(
            verdict == "POSSIBLE_LOSS",
            F.format_string(
                "broker %d was elected from outside the ISR; the old log held [%d, %d) and no high watermark above %d was seen",
                "new_leader_id",
                "_from",
                "_n_old",
                "_from",
            ),
        )
        .otherwise(
            F.concat(
                F.when(unclean, "the new leader was outside the ISR")
                .when(
                    _may_have_left(),
                    F.format_string(
                        "broker %d started anew after the last state that shows it in the ISR (partition epoch %d), and changes of the ISR since then are in no line",
                        "new_leader_id",
                        "_isr_last.partition_epoch",
                    ),
                )
                .when(
                    clean & ~F.col("_rule_is_told"),
                    F.format_string(
                        "broker %d was in the ISR, but whether its messages carry leader epochs, by which it would hold every committed record (KIP-101), is in no line",
                        "new_leader_id",
                    ),
                )
                .when(
                    clean,
                    F.format_string(
                        "broker %d was in the ISR, but replicas here follow without leader epochs: each cuts its log to its own high watermark as it begins to follow, and whether this one had fetched again what it cut is in no line",
                        "new_leader_id",
                    ),
                )
                .otherwise("whether the new leader was in the ISR is not known"),
                F.when(
                    F.col("_others_may_have_led"),
                    F.format_string(
                        "; who led between leader epochs %d and %d is in no line", "_old_epoch", "leader_epoch"
                    ),
                ).otherwise(""),
                F.when(n_old.isNull(), "; no line tells where the old leader's log ended").otherwise(""),
                F.when(unknown_start, "; no line tells where the new leader began").otherwise(""),
            )
        )
    )
    begins = F.coalesce(start, F.when(clean, low), F.lit(0))
    return _rows(
        changes,
        loss_class=F.lit("committed"),
        verdict=verdict,
        scenario=F.when(unclean, "S4")
        .when((anchored & F.col("_cut_before").isNotNull()) | (clean & (verdict == "POSSIBLE_LOSS")), "S1")
        .when(anchored & F.col("_forked"), "S2")
        .when(anchored & F.col("elected_from").isNotNull(), "S6")
        .when(~clean, "S4"),
        from_offset=begins,
        to_offset_low=F.coalesce(proven_to, begins),
        to_offset_high=F.when(short & ~short_but_clean, None)
        .when(exact, n_old)
        .when((anchored | open_end) & F.col("_others_may_have_led"), None)
        .when(anchored, F.when(clean, proven_to).otherwise(n_old))
        .when(open_end, n_old)
        .otherwise(begins),
        premise=premise,
    )


def _may_have_left() -> Column:
    """The new leader started anew since the last ISR that shows it, and changes of the ISR since then are in no line:
    it may have been taken out.
    """
    unseen = F.col("_isr_first") - F.col("_isr_last.partition_epoch") > F.col("leader_epoch") - F.col(
        "_isr_last._in_epoch"
    )
    return F.coalesce(
        F.col("elected_from").isNotNull() & ~is_unclean() & unseen & (F.col("_restarted_ts") > F.col("_in_isr_ts")),
        F.lit(False),
    )


def above_commit_point(changes: DataFrame) -> DataFrame:
    """What the old leader held above the commit point and had to discard: a row where it did, or where nobody can tell.

    A leader that leads again next, its log not cut, brings all of it back.
    """
    n_old, low = F.col("_n_old"), F.col("_low.high_watermark")
    by_protocol = (
        ~(F.col("_to_own_hw") | F.col("_maybe_to_own_hw"))
        | F.coalesce(low > F.col("_from"), F.lit(False))
        | F.coalesce(F.col("_from") >= n_old, F.lit(False))
    )
    judged_committed = is_unclean() | F.col("elected_from").isNull() | _may_have_left() | ~by_protocol
    start = F.greatest("_from", F.when(low > F.col("_from"), low))
    never_cut = (
        n_old.isNull()
        & F.col("_cut").isNull()
        & F.col("_old_follows_ts").isNotNull()
        & F.col("_old_says_so")
        & ~F.col("_moved_away")
        & (millis("_old_seen_ts", "_old_follows_ts") > 1_000)
        & ~damaged()
    )
    open_ = changes.where(~judged_committed & F.col("_from").isNotNull()).withColumns(
        {"_begin": start, "_never_cut": F.coalesce(never_cut, F.lit(False))}
    )
    not_cut = F.col("_cut").isNull() | (F.col("_cut._ts") > F.col("_then.start_ts"))
    brought_back = (
        (F.col("_then.leader_id") == F.col("old_leader_id"))
        & (F.col("_then.epoch_start_offset") >= F.col("_n_old"))
        & not_cut
    )
    discarded = (F.col("_n_old") > F.col("_begin")) & ~F.coalesce(brought_back, F.lit(False))
    asked = open_.where(F.coalesce(discarded, F.lit(False)) | (F.col("_n_old").isNull() & ~F.col("_never_cut")))
    rest = F.when(
        F.col("_begin") > F.col("_from"),
        F.format_string("what it held above the high watermark %d was discarded too", "_begin"),
    ).otherwise("the rest was discarded")
    premise = F.when(
        F.coalesce(discarded, F.lit(False)),
        F.concat(
            F.format_string(
                "the log of broker %d ended at %d and the new history starts at %d: ",
                "old_leader_id",
                "_n_old",
                "_from",
            ),
            rest,
            F.lit("; only a producer that did not wait for all in-sync replicas can have been told it was stored"),
        ),
    ).otherwise(
        F.concat(
            F.format_string("where the log of broker %d ended when it lost its role is in no line", "old_leader_id"),
            F.when(F.col("_moved_away"), ": it was reassigned away and its log deleted")
            .when(
                damaged(),
                F.format_string(": its recovery found the log damaged and cut it to %d", "_ended.log_end_offset"),
            )
            .when(F.col("_old_follows_ts").isNull(), ": it does not come back in these logs")
            .otherwise(""),
        )
    )
    return _rows(
        asked,
        loss_class=F.lit("acked_possible"),
        verdict=F.when(discarded, "POSSIBLE_LOSS").otherwise("UNDETERMINED"),
        scenario=F.lit("S7"),
        from_offset=F.col("_begin"),
        to_offset_low=F.col("_begin"),
        to_offset_high=F.col("_n_old"),
        premise=premise,
    )


def _rows(changes: DataFrame, **given: Column) -> DataFrame:
    """`LOSSES` and `life`."""
    told = joined(
        F.slice(F.col("_evidence"), 1, 3),
        F.array("_low.event", "_ended.event", "_cut.event", "_cut_before.event", "_apart_event"),
        F.when(F.col("_forked"), F.array("_by_hw.event")),
        F.slice(F.coalesce("isr_before_evidence", F.array().cast("array<string>")), 1, 2),
    )
    kept = F.when(
        (F.col("_old_follows_ts").isNull() & F.col("_cut").isNull() & ~F.col("_moved_away")) | F.col("_forked"),
        F.array("old_leader_id"),
    ).otherwise(F.array().cast("array<int>"))
    lost = given["verdict"].isin(*OPEN_VERDICTS)
    return ledger_rows(
        changes.withColumns(
            {**given, "recoverable_from": F.when(lost, kept).otherwise(F.array().cast("array<int>")), "evidence": told}
        )
    )
