"""The verdict on each change of leader: on committed records, and on those above the commit point (facts §3.2)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import joined
from replay.columns.times import millis
from replay.losses.changes import damaged
from replay.losses.judgements import Judgement, first_that_holds
from replay.losses.shape import ledger_rows
from replay.partitions.elections import is_unclean
from replay.tables import OPEN_VERDICTS

_CUT_IS_PRINTED_WITHIN_MS = 1_000  # a follower cuts its log as it begins to follow


def committed(changes: DataFrame) -> DataFrame:
    """The verdict on committed records, one row a change."""
    judged = F.col("_judged")
    return _rows(
        changes.withColumn("_judged", first_that_holds(_judgements())),
        loss_class=F.lit("committed"),
        verdict=judged["verdict"],
        scenario=judged["scenario"],
        from_offset=_begins(),
        to_offset_low=judged["at_least"],
        to_offset_high=judged["at_most"],
        premise=judged["premise"],
    )


def _judgements() -> tuple[Judgement, ...]:
    """Every verdict on committed records."""
    start, n_old, low = F.col("_from"), F.col("_n_old"), F.col("_low.high_watermark")
    unclean, clean = is_unclean(), _clean()
    others_led = F.col("_others_may_have_led")
    nothing_cut = F.coalesce(start >= n_old, F.lit(False)) & ~others_led
    exact = F.coalesce(unclean & F.col("_alone") & F.col("_gate_open") & (n_old > start) & F.col("_sure"), F.lit(False))
    anchored = F.coalesce(low > start, F.lit(False)) & ~nothing_cut & F.col("_sure")
    # It held committed records that it came back without: only a loss of power does that, and how much more it took
    # nobody knows.
    short = F.coalesce(F.col("_died") & nothing_cut & (low > n_old), F.lit(False))
    leads_above_it = F.coalesce(low <= F.col("epoch_start_offset"), F.lit(False))
    follows_by_epochs = ~F.col("_maybe_to_own_hw") & F.col("_rule_is_told")
    s4 = F.when(unclean | ~clean, "S4")
    anchored_scenario = (
        F.when(unclean, "S4")
        .when(F.col("_cut_before").isNotNull(), "S1")
        .when(F.col("_forked"), "S2")
        .when(F.col("elected_from").isNotNull(), "S6")
    )
    proven_to = F.least(low, F.coalesce(n_old, low))
    nothing, old_end = _begins(), F.when(~others_led, n_old)
    unknown = F.lit(None)
    of_anchored = F.when(~others_led, F.when(clean, proven_to).otherwise(n_old))

    def by_protocol(when: Column) -> Judgement:
        return Judgement(when, "NO_COMMITTED_LOSS_BY_PROTOCOL", s4, _premise_by_protocol(), nothing, nothing)

    def undetermined(when: Column) -> Judgement:
        return Judgement(when, "UNDETERMINED", s4, _premise_undetermined(), nothing, old_end)

    return (
        by_protocol(start.isNull() & clean & follows_by_epochs),
        undetermined(start.isNull()),
        Judgement(exact, "PROVEN_LOSS", s4, _premise_alone(), n_old, n_old),
        Judgement(anchored, "PROVEN_LOSS", anchored_scenario, _premise_anchored(), proven_to, of_anchored),
        by_protocol(short & clean & leads_above_it),
        Judgement(short, "UNDETERMINED", s4, _premise_came_back_short(), nothing, unknown),
        Judgement(nothing_cut, "NO_LOSS_OBSERVED", s4, _premise_nothing_cut(), nothing, nothing),
        Judgement(clean & F.col("_to_own_hw"), "POSSIBLE_LOSS", F.lit("S1"), _premise_cut_to_own(), nothing, old_end),
        undetermined(clean & F.col("_maybe_to_own_hw")),
        by_protocol(clean),
        Judgement(unclean & (n_old > start), "POSSIBLE_LOSS", s4, _premise_outside_isr(), nothing, old_end),
        undetermined(F.lit(True)),
    )


def _clean() -> Column:
    return F.col("elected_from").isin("isr", "elr") & ~_may_have_left()


def _begins() -> Column:
    """The offset from which committed records may be lost."""
    return F.coalesce("_from", F.when(_clean(), F.col("_low.high_watermark")), F.lit(0))


def _leads_from() -> Column:
    return F.coalesce("epoch_start_offset", "_from")


def _said_high_watermark() -> Column:
    return F.format_string("broker %d said high watermark %d (%s)", "_low._node", "_low.high_watermark", "_low.source")


def _parts_earlier() -> Column:
    return F.when(
        F.col("_from") < F.least(_leads_from(), "_n_old"),
        F.format_string("; their logs diverge at %d already", "_from"),
    ).otherwise("")


def _as_it_came_back() -> Column:
    return F.when(
        F.col("_died"),
        "; that is its log as it came back: all that it had held if its process died, less than that if its machine lost power",
    ).otherwise("")


def _premise_alone() -> Column:
    return F.concat(
        F.format_string(
            "broker %d was alone in the ISR, so its high watermark was its log end: all of its log up to %d was committed, and broker %d, outside that ISR, leads from %d",
            "old_leader_id",
            "_n_old",
            "new_leader_id",
            _leads_from(),
        ),
        _parts_earlier(),
        _as_it_came_back(),
    )


def _premise_anchored() -> Column:
    forked = F.format_string(
        "; broker %d then cut its log only to its own high watermark %d: from %d to there its records are not its leader's",
        "old_leader_id",
        "_by_hw.high_watermark",
        "_from",
    )
    return F.concat(
        _said_high_watermark(),
        F.format_string(", but broker %d leads from offset %d", "new_leader_id", _leads_from()),
        _parts_earlier(),
        F.when(F.col("_forked"), forked).otherwise(""),
    )


def _premise_came_back_short() -> Column:
    return F.concat(
        _said_high_watermark(),
        F.format_string(
            ", but the log of broker %d ended at %d when it came back, so it lost records that it had held, and broker %d leads from offset %d: how much was lost is not logged",
            "old_leader_id",
            "_n_old",
            "new_leader_id",
            "epoch_start_offset",
        ),
    )


def _premise_nothing_cut() -> Column:
    return F.concat(
        F.format_string(
            "the old leader's log ended at %d and the new leader starts at %d: nothing was discarded",
            "_n_old",
            "epoch_start_offset",
        ),
        _as_it_came_back(),
    )


def _premise_by_protocol() -> Column:
    return F.concat(
        F.format_string(
            "broker %d was in the %s, which holds every committed record (KIP-101, KIP-279), and no high watermark above its log was seen",
            "new_leader_id",
            F.upper("elected_from"),
        ),
        F.when(F.col("_from").isNull(), "; the offset it started from is not in these logs").otherwise(""),
    )


def _premise_cut_to_own() -> Column:
    held = F.format_string(
        "the old log held [%d, %d), and how much of that was committed is not logged", "_from", "_n_old"
    )
    return F.concat(
        F.format_string(
            "broker %d was in the ISR, but had cut its log to its own high watermark %d and led before it had fetched anything again (KIP-101, scenario 1): ",
            "new_leader_id",
            "epoch_start_offset",
        ),
        F.when(F.col("_n_old").isNull(), "how much was committed above that is not logged").otherwise(held),
    )


def _premise_outside_isr() -> Column:
    return F.format_string(
        "broker %d was elected from outside the ISR; the old log held [%d, %d) and no high watermark above %d was seen",
        "new_leader_id",
        "_from",
        "_n_old",
        "_from",
    )


def _premise_undetermined() -> Column:
    """What the lines do not tell."""
    may_have_left = F.format_string(
        "broker %d started anew after the last state that shows it in the ISR (partition epoch %d), and changes of the ISR since then are not logged",
        "new_leader_id",
        "_isr_last.partition_epoch",
    )
    rule_untold = F.format_string(
        "broker %d was in the ISR, but whether its messages carry leader epochs, by which it would hold every committed record (KIP-101), is not logged",
        "new_leader_id",
    )
    without_epochs = F.format_string(
        "broker %d was in the ISR, but replicas here follow without leader epochs: each cuts its log to its own high watermark as it begins to follow, and whether this one had fetched again what it cut is not logged",
        "new_leader_id",
    )
    others_led = F.format_string(
        "; who led between leader epochs %d and %d is not logged", "_old_epoch", "leader_epoch"
    )
    return F.concat(
        F.when(is_unclean(), "the new leader was outside the ISR")
        .when(_may_have_left(), may_have_left)
        .when(_clean() & ~F.col("_rule_is_told"), rule_untold)
        .when(_clean(), without_epochs)
        .otherwise("whether the new leader was in the ISR is not known"),
        F.when(F.col("_others_may_have_led"), others_led).otherwise(""),
        F.when(F.col("_n_old").isNull(), "; no line tells where the old leader's log ended").otherwise(""),
        F.when(F.col("_from").isNull(), "; no line tells where the new leader began").otherwise(""),
    )


def _may_have_left() -> Column:
    """The new leader started anew since the last ISR that shows it, and changes of the ISR since then are not logged:
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
    low = F.col("_low.high_watermark")
    above = F.greatest("_from", F.when(low > F.col("_from"), low))
    judged = changes.where(~_judged_as_committed() & F.col("_from").isNotNull()).withColumns(
        {"_begin": above, "_never_cut": _was_never_cut()}
    )
    asked = judged.where(_discarded() | (F.col("_n_old").isNull() & ~F.col("_never_cut")))
    return _rows(
        asked,
        loss_class=F.lit("acked_possible"),
        verdict=F.when(_discarded(), "POSSIBLE_LOSS").otherwise("UNDETERMINED"),
        scenario=F.lit("S7"),
        from_offset=F.col("_begin"),
        to_offset_low=F.col("_begin"),
        to_offset_high=F.col("_n_old"),
        premise=F.when(_discarded(), _premise_discarded()).otherwise(_premise_end_unknown()),
    )


def _judged_as_committed() -> Column:
    """All that was cut may have been committed: then it is the other verdict's."""
    by_protocol = (
        ~(F.col("_to_own_hw") | F.col("_maybe_to_own_hw"))
        | F.coalesce(F.col("_low.high_watermark") > F.col("_from"), F.lit(False))
        | F.coalesce(F.col("_from") >= F.col("_n_old"), F.lit(False))
    )
    return is_unclean() | F.col("elected_from").isNull() | _may_have_left() | ~by_protocol


def _was_never_cut() -> Column:
    """The old leader followed at once, says so, and is seen for a while after: it would have printed a cut."""
    return F.coalesce(
        F.col("_n_old").isNull()
        & F.col("_cut").isNull()
        & F.col("_old_follows_ts").isNotNull()
        & F.col("_old_says_so")
        & ~F.col("_moved_away")
        & (millis("_old_seen_ts", "_old_follows_ts") > _CUT_IS_PRINTED_WITHIN_MS)
        & ~damaged(),
        F.lit(False),
    )


def _discarded() -> Column:
    """The old leader's log went past where the new history begins, and it did not bring it back."""
    not_cut = F.col("_cut").isNull() | (F.col("_cut._ts") > F.col("_then.start_ts"))
    brought_back = (
        (F.col("_then.leader_id") == F.col("old_leader_id"))
        & (F.col("_then.epoch_start_offset") >= F.col("_n_old"))
        & not_cut
    )
    return F.coalesce((F.col("_n_old") > F.col("_begin")) & ~F.coalesce(brought_back, F.lit(False)), F.lit(False))


def _premise_discarded() -> Column:
    rest = F.when(
        F.col("_begin") > F.col("_from"),
        F.format_string("what it held above the high watermark %d was discarded too", "_begin"),
    ).otherwise("the rest was discarded")
    return F.concat(
        F.format_string(
            "the log of broker %d ended at %d and the new history starts at %d: ", "old_leader_id", "_n_old", "_from"
        ),
        rest,
        F.lit("; only a producer that did not wait for all in-sync replicas can have been told it was stored"),
    )


def _premise_end_unknown() -> Column:
    return F.concat(
        F.format_string("where the log of broker %d ended when it lost its role is not logged", "old_leader_id"),
        F.when(F.col("_moved_away"), ": it was reassigned away and its log deleted")
        .when(
            damaged(),
            F.format_string(": its recovery found the log damaged and cut it to %d", "_ended.log_end_offset"),
        )
        .when(F.col("_old_follows_ts").isNull(), ": it does not come back in these logs")
        .otherwise(""),
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
