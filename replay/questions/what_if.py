"""The same history under other settings: what would have been refused, led by nobody, kept; each with what it takes
for granted.

A setting changes what brokers do, and then what clients do; a replay knows only the history that was. So each answer
holds the rest still: load, faults and their times are those of the recording.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.phrases import clock
from replay.columns.times import plus_millis
from replay.columns.windows import before, so_far
from replay.partitions.elections import is_unclean
from replay.tables import WHAT_IFS

MIN_ISR, UNCLEAN, LAG = "min.insync.replicas", "unclean.leader.election.enable", "replica.lag.time.max.ms"
SETTINGS = (MIN_ISR, UNCLEAN, LAG)
_LAG_DEFAULT_MS = 30_000  # since 2.5 (KIP-537); 10 s before
_BY_CONTROLLER_MS = 30_000  # a session that ended this shortly before took the broker out of the ISR, not its lag
_SKEW_MS = 1_000  # what two nodes tell of one moment lies this close
_SAME = "load, faults and their times stay as they were"
_ACKS_ALL = "producers use acks=all: others are not refused"
_MORE_THAN_REPLICAS = "the setting is above the number of replicas: from 3.7 on as many as there are replicas do, before that no write with acks=all is ever taken"
_KEY = ("topic", "partition")


def with_min_isr(isr_spans: DataFrame, commit_bands: DataFrame, losses: DataFrame, min_isr: int) -> DataFrame:
    """What `min.insync.replicas` = `min_isr` would have refused, and which lost ranges would then never have been
    acknowledged. Returns `WHAT_IFS`.

    acks=all writes are refused while the ISR is smaller (facts §1.6). A committed range lost in an election was
    written while the ISR was too small, as far as it lies above the commit point at the time at which the ISR shrank.
    """
    below_it = _with_bands(_times_below(isr_spans, min_isr), commit_bands)
    return _refused(below_it, min_isr).unionByName(_ranges_with_min_isr(below_it, losses, min_isr))


def _times_below(isr_spans: DataFrame, min_isr: int) -> DataFrame:
    """The times in which a leader's ISR was smaller than `min_isr`, and its setting let writes with acks=all pass."""
    below = F.size("isr") < F.least(F.lit(min_isr), F.coalesce(F.size("replicas"), F.lit(min_isr)))
    spans = isr_spans.where((F.col("leader_id") >= 0) & below & (F.coalesce("min_isr", F.lit(1)) < min_isr))
    in_order = Window.partitionBy(*_KEY, "topic_id").orderBy("start_ts", "end_ts")
    parted = F.col("start_ts") > F.coalesce(
        F.max(F.coalesce("end_ts", F.lit("9999-01-01").cast("timestamp"))).over(before(in_order)),
        F.lit("0001-01-01").cast("timestamp"),
    )
    return (
        spans.withColumn("_nth", F.count_if(parted).over(so_far(in_order)))
        .groupBy(*_KEY, "topic_id", "_nth")
        .agg(
            F.min("start_ts").alias("start_ts"),
            F.when(F.bool_or(F.col("end_ts").isNull()), None).otherwise(F.max("end_ts")).alias("end_ts"),
            F.min(F.size("isr")).alias("_size"),
            F.max(F.when(F.col("replicas").isNotNull(), F.size("replicas"))).alias("_replicas"),
            F.slice(F.array_distinct(F.flatten(F.collect_list("evidence"))), 1, 8).alias("evidence"),
        )
    )


def _with_bands(times: DataFrame, commit_bands: DataFrame) -> DataFrame:
    """The times with what is known of the commit point at their begin and just before their end."""
    begun = _band_at(times, commit_bands, "start_ts", "_begin")
    return _band_at(begun, commit_bands, "end_ts", "_end", just_before=True)


def _refused(below_it: DataFrame, min_isr: int) -> DataFrame:
    """The writes with acks=all that would have been refused."""
    least = F.greatest(F.col("_end_low") - F.col("_begin_high"), F.lit(0))
    most = F.col("_end_high") - F.col("_begin_low")
    return _row(
        below_it,
        MIN_ISR,
        str(min_isr),
        "writes_refused",
        F.concat(
            F.format_string("writes with acks=all refused while the ISR was down to %d", F.col("_size")),
            F.when(
                least.isNotNull() & most.isNotNull(),
                F.format_string("; %d to %d records were written in that time", least, most),
            )
            .when(least > 0, F.format_string("; at least %d records were written in that time", least))
            .otherwise("; how many records that concerns is not logged"),
        ),
        F.array_compact(
            F.array(
                F.lit(_SAME),
                F.lit(_ACKS_ALL),
                F.lit("refused producers try again later, so nothing of theirs is lost"),
                F.when(F.col("_replicas") < min_isr, F.lit(_MORE_THAN_REPLICAS)),
            )
        ),
        from_offset=F.col("_begin_low"),
        to_offset=F.col("_end_high"),
    )


def _committed(losses: DataFrame) -> DataFrame:
    return losses.where((F.col("loss_class") == "committed") & F.col("verdict").isin("PROVEN_LOSS", "POSSIBLE_LOSS"))


def _ranges_with_min_isr(below_it: DataFrame, losses: DataFrame, min_isr: int) -> DataFrame:
    """What would have become of the committed ranges that were lost: what was written while the ISR was too small
    would not have been acknowledged.
    """
    committed = _committed(losses).select(
        *_KEY,
        F.col("ts").alias("_lost_ts"),
        "leader_epoch",
        F.col("from_offset").alias("_from"),
        F.col("to_offset_high").alias("_to"),
        F.col("evidence").alias("_lost"),
    )
    began = below_it.select(*_KEY, F.col("start_ts").alias("_since"), F.col("_begin_low"), F.col("_begin_high"))
    near = committed.join(began, list(_KEY), "left").withColumn(
        "_before", F.col("_since") < F.col("_lost_ts")
    )  # an ISR that the election itself made small comes after
    last = near.groupBy(*_KEY, "_lost_ts", "leader_epoch", "_from", "_to", "_lost").agg(
        F.max(F.when(F.col("_before"), F.struct("_since", "_begin_low", "_begin_high"))).alias("_w")
    )
    safe_from, at_risk_to = F.col("_w._begin_high"), F.col("_w._begin_low")
    never = F.col("_w").isNull()
    whole = F.col("_w._begin_high") <= F.col("_from")
    none = never | (at_risk_to >= F.col("_to"))
    return _row(
        last.withColumns({"start_ts": F.col("_lost_ts"), "evidence": F.col("_lost")}),
        MIN_ISR,
        str(min_isr),
        F.when(whole, "range_never_acknowledged").when(none, "range_still_lost").otherwise("range_partly_unknown"),
        F.when(
            whole,
            "all of the lost range was written after the ISR had shrunk: with this setting none of it would have been acknowledged",
        )
        .when(
            never, "no line shows the ISR below this number before the loss: the setting would not have saved the range"
        )
        .when(none, "the range was committed before the ISR shrank: the setting would not have saved it")
        .when(
            safe_from.isNotNull(),
            F.format_string(
                "what lies from offset %d on would not have been acknowledged; below that the lines do not tell",
                safe_from,
            ),
        )
        .otherwise(
            "how much of it was written after the ISR had shrunk, and would not have been acknowledged, is not logged"
        ),
        F.array(F.lit(_SAME), F.lit(_ACKS_ALL)),
        from_offset=F.col("_from"),
        to_offset=F.col("_to"),
    )


def without_unclean_elections(
    elections: DataFrame, leader_epochs: DataFrame, isr_spans: DataFrame, broker_sessions: DataFrame, losses: DataFrame
) -> DataFrame:
    """What `unclean.leader.election.enable` = false would have done: partitions that wait for a broker of their ISR,
    ranges kept. Returns `WHAT_IFS`.
    """
    unclean = elections.where(is_unclean()).select(*_KEY, "leader_epoch", "ts", "evidence")
    waiting = _waiting(_without_leader_since(unclean, leader_epochs, isr_spans), broker_sessions)
    return waiting.unionByName(_ranges_kept(unclean, losses))


def _without_leader_since(unclean: DataFrame, leader_epochs: DataFrame, isr_spans: DataFrame) -> DataFrame:
    """Each unclean election with the last ISR before it (`_isr`), and since when there was no leader (`_without`)."""
    earlier = isr_spans.where(F.col("leader_epoch").isNotNull()).select(
        *_KEY, F.col("leader_epoch").alias("_epoch"), F.col("start_ts").alias("_since"), "isr"
    )
    last_isr = (
        unclean.join(earlier, list(_KEY))
        .where((F.col("_epoch") < F.col("leader_epoch")) & (F.size("isr") > 0))
        .groupBy(*_KEY, "leader_epoch", "ts", "evidence")
        .agg(F.max_by("isr", F.struct("_epoch", "_since")).alias("_isr"))
    )
    leaderless = leader_epochs.where(F.col("leader_id") == -1).select(
        *_KEY, F.col("leader_epoch").alias("_epoch"), F.col("start_ts").alias("_without")
    )
    return (
        last_isr.join(leaderless, list(_KEY), "left")
        .groupBy(*_KEY, "leader_epoch", "ts", "evidence", "_isr")
        .agg(F.max(F.when(F.col("_epoch") == F.col("leader_epoch") - 1, F.col("_without"))).alias("_without"))
        .withColumn("_without", F.coalesce("_without", "ts"))
    )


def _waiting(unclean: DataFrame, broker_sessions: DataFrame) -> DataFrame:
    """The times in which partitions would have waited for a broker of their last ISR."""
    back = broker_sessions.select(F.col("broker_id").alias("_broker"), F.col("start_ts").alias("_back"))
    returns = (
        unclean.join(back, F.array_contains("_isr", F.col("_broker")) & (F.col("_back") > F.col("ts")), "left")
        .groupBy(*_KEY, "leader_epoch", "ts", "evidence", "_isr", "_without")
        .agg(F.min(F.struct("_back", "_broker")).alias("_first"))
    )
    names = F.array_join(F.col("_isr").cast("array<string>"), ", ")
    never = F.col("_first._back").isNull()
    return _row(
        returns.withColumns({"start_ts": F.col("_without"), "end_ts": F.col("_first._back")}),
        UNCLEAN,
        "false",
        "leaderless",
        F.when(
            never,
            F.format_string(
                "without a leader to the end of these logs: none of its last ISR (%s) comes back in them", names
            ),
        ).otherwise(
            F.concat(
                F.format_string(
                    "without a leader until broker %d of its last ISR (%s) was back, ", F.col("_first._broker"), names
                ),
                F.format_string("%.1f s", (F.unix_millis("_first._back") - F.unix_millis("_without")) / 1000.0),
                F.lit(", and neither written nor read in that time"),
            )
        ),
        F.array(
            F.lit(_SAME),
            F.lit("the broker is elected as soon as its session begins"),
            F.lit("its disk still held its log"),
        ),
    )


def _ranges_kept(unclean: DataFrame, losses: DataFrame) -> DataFrame:
    """The committed ranges that would have stayed in the logs of the last ISR."""
    lost = _committed(losses).select(
        *_KEY, "leader_epoch", "from_offset", "to_offset_low", "to_offset_high", F.col("evidence").alias("_lost")
    )
    return _row(
        lost.join(
            unclean.select(*_KEY, "leader_epoch", F.col("ts").alias("start_ts")), [*_KEY, "leader_epoch"]
        ).withColumn("evidence", F.col("_lost")),
        UNCLEAN,
        "false",
        "range_kept",
        F.lit(
            "the replica that took over without these records would not have led: they would have stayed in the log of the last ISR"
        ),
        F.array(F.lit(_SAME), F.lit("the disks of the last ISR still held their logs")),
        from_offset=F.col("from_offset"),
        to_offset=F.coalesce("to_offset_high", "to_offset_low"),
    )


def with_lag_time(isr_spans: DataFrame, broker_sessions: DataFrame, settings: DataFrame, lag_ms: int) -> DataFrame:
    """Which ISR shrinks for lag would not have happened, or at another time, with `replica.lag.time.max.ms` =
    `lag_ms`. Returns `WHAT_IFS`.

    A leader looks every half of the limit, so a follower that it drops at t had last caught up between t − 1.5 and t
    − 1 times the limit (facts §1.2). It is not dropped if it is back before the other limit is over.
    """
    in_order = Window.partitionBy(*_KEY, "topic_id").orderBy("leader_epoch", "start_ts")
    led = isr_spans.withColumns({"_was": F.lag("isr").over(in_order), "_leader_was": F.lag("leader_id").over(in_order)})
    shrinks = led.where((F.col("leader_id") >= 0) & (F.col("leader_id") == F.col("_leader_was"))).select(
        *_KEY, "leader_id", "start_ts", "evidence", F.explode(F.array_except("_was", "isr")).alias("_broker")
    )
    gone = broker_sessions.where(F.col("end_ts").isNotNull()).select(
        F.col("broker_id").alias("_gone"), F.col("end_ts").alias("_gone_ts")
    )
    by_lag = shrinks.join(
        gone,
        (F.col("_gone") == F.col("_broker"))
        & F.col("start_ts").between(plus_millis("_gone_ts", -_SKEW_MS), plus_millis("_gone_ts", _BY_CONTROLLER_MS)),
        "left_anti",
    )
    back = isr_spans.select(*_KEY, F.col("start_ts").alias("_in_ts"), F.col("isr").alias("_in"))
    returned = (
        by_lag.join(back, list(_KEY), "left")
        .groupBy(*_KEY, "leader_id", "start_ts", "evidence", "_broker")
        .agg(
            F.min(
                F.when(
                    (F.col("_in_ts") > F.col("start_ts")) & F.array_contains("_in", F.col("_broker")), F.col("_in_ts")
                )
            ).alias("_back")
        )
    )
    said = (
        settings.where(F.col("name") == LAG)
        .groupBy(F.col("node_id").alias("leader_id"))
        .agg(F.max(F.col("value").try_cast("bigint")).alias("_limit"))
    )
    known = returned.join(F.broadcast(said), "leader_id", "left")
    limit = F.coalesce("_limit", F.lit(_LAG_DEFAULT_MS))
    earliest, latest = (
        plus_millis("start_ts", -1.5 * limit + lag_ms),
        plus_millis("start_ts", -1.0 * limit + 1.5 * lag_ms),
    )
    effect = (
        F.when(F.col("_back") < earliest, "shrink_avoided")
        .when(F.coalesce(F.col("_back") > latest, F.lit(True)), "shrink_moved")
        .otherwise("shrink_unknown")
    )
    return _row(
        known.withColumns({"end_ts": F.col("_back")}),
        LAG,
        str(lag_ms),
        effect,
        F.concat(
            F.format_string("broker %d left the ISR for lag; with this limit ", "_broker"),
            F.when(effect == "shrink_avoided", "it would have stayed: it had caught up again before the limit was over")
            .when(
                effect == "shrink_moved",
                F.concat(F.lit("it would have left between "), clock(earliest), F.lit(" and "), clock(latest)),
            )
            .otherwise("it may have stayed: it caught up about when the limit was over"),
        ),
        F.array(
            F.lit(_SAME),
            F.concat(
                F.lit("the limit was "),
                limit.cast("string"),
                F.when(F.col("_limit").isNull(), " ms, the default since 2.5; no line prints it").otherwise(" ms"),
            ),
            F.lit("a leader looks at its followers every half of the limit"),
        ),
    )


def _band_at(
    times: DataFrame, commit_bands: DataFrame, at: str, prefix: str, *, just_before: bool = False
) -> DataFrame:
    """`times` with `<prefix>_low` and `<prefix>_high`: the commit point's bounds at the time in column `at`, or just
    before it, where an election may begin another history.
    """
    bands = commit_bands.select(
        *_KEY,
        F.col("start_ts").alias("_a"),
        F.coalesce("end_ts", F.lit("9999-01-01").cast("timestamp")).alias("_b"),
        F.col("committed_low").alias("_low"),
        F.col("committed_high").alias("_high"),
    )
    inside = (
        (F.col(at) > F.col("_a")) & (F.col(at) <= F.col("_b"))
        if just_before
        else (F.col(at) >= F.col("_a")) & (F.col(at) < F.col("_b"))
    )
    columns = times.columns
    held = (
        times.join(bands, list(_KEY), "left")
        .groupBy(*columns)
        .agg(F.max(F.when(inside, F.struct("_a", "_low", "_high"))).alias("_band"))
    )
    return held.withColumns({f"{prefix}_low": F.col("_band._low"), f"{prefix}_high": F.col("_band._high")}).drop(
        "_band"
    )


def _row(
    rows: DataFrame, setting: str, value: str, effect: str | Column, told: Column, assumptions: Column, **given: Column
) -> DataFrame:
    columns = {
        "setting": F.lit(setting),
        "value": F.lit(value),
        "effect": F.lit(effect) if isinstance(effect, str) else effect,
        "told": told,
        "assumptions": assumptions,
        **given,
    }
    return rows.select(
        *[
            columns.get(c.name, F.col(c.name) if c.name in rows.columns else F.lit(None)).cast(c.type).alias(c.name)
            for c in WHAT_IFS.columns
        ]
    )
