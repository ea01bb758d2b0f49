"""Each change of leader, with what the marks of replicas say of the old leader's log and of what was committed."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.brokers.releases import before_version, broker_versions
from replay.columns.times import plus_millis
from replay.columns.windows import PARTITION_KEY, after, before, by_leader_epoch
from replay.losses.divergence import parted
from replay.losses.offset_anchors import ANCHORS, ENDS, LEADERS_SAY
from replay.offsets.high_watermarks import LOADING_MS
from replay.offsets.leader_epoch_caches import BY_HIGH_WATERMARK
from replay.partitions.elections import is_unclean, others_may_have_led

_SKEW_MS = 2_000  # an anchor of another node this close before a change may be after it
_CHANGE = (*PARTITION_KEY, "leader_epoch")


def changes_of_leader(judged: DataFrame) -> DataFrame:
    """The changes of leader from one broker to another, with the last earlier epoch at which history was given up
    (`_border`), and the first later one at which it may have been.
    """
    border = F.max(F.when(is_unclean(), F.struct("leader_epoch", "start_ts"))).over(before(by_leader_epoch()))
    led = F.max(F.when(F.col("leader_id") >= 0, F.struct("leader_epoch", "leader_id", "start_ts"))).over(
        before(by_leader_epoch())
    )
    begun = F.collect_list(
        F.when(
            F.col("leader_id") >= 0,
            F.struct("leader_epoch", "leader_id", "epoch_start_offset", F.get("evidence", F.lit(0)).alias("event")),
        )
    ).over(before(by_leader_epoch()))
    then = F.first(
        F.when(F.col("leader_id") >= 0, F.struct("leader_id", "epoch_start_offset", "start_ts")), ignorenulls=True
    ).over(after(by_leader_epoch()))
    kept = F.coalesce(
        F.col("elected_from").isin("isr", "elr"), F.col("leader_id") == F.col("last_leader_id"), F.lit(False)
    )
    given_up = F.min(F.when((F.col("leader_id") >= 0) & ~kept, F.col("leader_epoch"))).over(after(by_leader_epoch()))
    return (
        judged.withColumns(
            {"_border": border, "_led": led, "_begun": begun, "_then": then, "_given_up_epoch": given_up}
        )
        .where(
            (F.col("leader_id") >= 0)
            & F.col("last_leader_id").isNotNull()
            & (F.col("leader_id") != F.col("last_leader_id"))
        )
        .select(
            *_CHANGE,
            F.col("start_ts").alias("ts"),
            F.greatest("start_ts", F.coalesce("leader_ts", "start_ts")).alias("_led_ts"),
            "epoch_start_offset",
            F.col("leader_id").alias("new_leader_id"),
            F.col("last_leader_id").alias("old_leader_id"),
            F.col("_led.start_ts").alias("_old_since"),
            F.col("_led.leader_epoch").alias("_old_epoch"),
            others_may_have_led().alias("_others_may_have_led"),
            "_begun",
            "_then",
            "_given_up_epoch",
            "elected_from",
            "isr_before",
            "isr_before_evidence",
            "replicas",
            F.col("_border.leader_epoch").alias("_border_epoch"),
            F.col("_border.start_ts").alias("_border_ts"),
            F.col("evidence").alias("_evidence"),
        )
    )


def measure(changes: DataFrame, marks: DataFrame, taken: DataFrame) -> DataFrame:
    """Each change with n_old (`_n_old`), the committed lower bound (`_low`), the old leader's cut (`_cut`), and their
    events.

    A replica's own words count for the old history until it takes on the new leader epoch; the new leader's until it
    leads.
    """
    cutoffs = (
        changes.select(*_CHANGE)
        .join(taken, list(PARTITION_KEY))
        .groupBy(*_CHANGE, "_node")
        .agg(
            F.min(
                F.when(
                    F.col("_taken_epoch") >= F.col("leader_epoch"), F.struct("_taken_ts", "_taken_epoch", "_says_so")
                )
            ).alias("_first"),
            F.max(
                F.when(
                    F.col("_says_so") & (F.col("_taken_epoch") < F.col("leader_epoch")),
                    F.struct("_taken_epoch", "_taken_ts"),
                )
            ).alias("_last"),
            F.collect_set("_taken_epoch").alias("_taken"),
            F.get(
                F.array_sort(
                    F.collect_set(
                        F.when(F.col("_taken_epoch") >= F.col("leader_epoch"), F.struct("_taken_epoch", "_taken_ts"))
                    )
                ),
                F.lit(1),
            )["_taken_ts"].alias("_left_ts"),
            F.min(F.when(F.col("_taken_epoch") > F.col("leader_epoch"), F.col("_leads_ts"))).alias("_again_ts"),
        )
        .withColumns(
            {"_cutoff": F.col("_first._taken_ts"), "_at_once": F.col("_first._taken_epoch") == F.col("leader_epoch")}
        )
    )
    about = changes.join(marks, list(PARTITION_KEY), "left").join(cutoffs, [*_CHANGE, "_node"], "left")
    old, new = F.col("_node") == F.col("old_leader_id"), F.col("_node") == F.col("new_leader_id")
    role = F.struct(
        F.col("_node").alias("node"), "_ts", F.col("_in_epoch").alias("leader_epoch"), "source", "log_end_offset"
    )
    source, at, cutoff = F.col("source"), F.col("_ts"), F.col("_cutoff")
    after_change = at >= plus_millis("ts", -_SKEW_MS)
    follows = (source == "follower_start") & (F.col("_in_epoch") >= F.col("leader_epoch"))
    ended = (
        old
        & F.col("log_end_offset").isNotNull()
        & (
            (follows & (at <= cutoff))
            | ((source == "log_load_completed") & after_change & (cutoff.isNull() | (at <= cutoff)))
        )
    )
    # Once it leads again its log is another: what it cuts after that tells nothing of this change.
    any_cut = old & (source == "truncation") & after_change
    cut = any_cut & F.coalesce(at < F.col("_again_ts"), F.lit(True))
    # After an unclean election leaders testify, and who has led: a replica that returns still speaks of the history
    # before.
    testifies = source.isin(*LEADERS_SAY) | (old & (source == "follower_start") & (at > F.col("_old_since")))
    this_history = (
        F.col("_border_epoch").isNull()
        | ((at > F.col("_border_ts")) & (F.col("_in_epoch") >= F.col("_border_epoch")) & testifies)
    ) & F.coalesce(F.col("_used_up_in") >= F.col("leader_epoch"), F.lit(True))
    earlier = at < plus_millis("ts", F.when(old | new, 0).otherwise(-_SKEW_MS))
    # A checkpointed high watermark is read while the broker takes on its first role: it tells of the time before.
    # One that is next seen in a still later leader epoch may have followed this one where its lines are missing.
    loading = (
        (source == "partition_log_loaded")
        & (at <= plus_millis("_cutoff", LOADING_MS))
        & F.coalesce(F.col("_life_ts") <= cutoff, F.lit(True))
    )
    still_old = ~new & (old | F.coalesce("_at_once", F.lit(True))) & ((at <= cutoff) | loading)
    of_later = source.isin(*LEADERS_SAY) & (
        F.col("_in_epoch") > F.col("leader_epoch")
    )  # a later leader's, of its own history
    anchor = (
        source.isin(*ANCHORS)
        & F.col("high_watermark").isNotNull()
        & ~F.coalesce("_clamped_anew", F.lit(False))
        & this_history
        & (earlier | still_old)
        & ~F.coalesce(of_later, F.lit(False))
    )
    own_end = F.when(
        F.coalesce(at < F.col("_left_ts"), F.lit(True)), F.col("log_end_offset")
    )  # later its log may have grown under another leader
    in_sync = source == "isr"
    told_before = in_sync & (F.col("_in_epoch") < F.col("leader_epoch"))
    measured = about.groupBy(*_CHANGE).agg(
        F.max(
            F.when(told_before & F.col("partition_epoch").isNotNull(), F.struct("partition_epoch", "_in_epoch"))
        ).alias("_isr_last"),
        F.max(
            F.when(
                in_sync & (F.col("_in_epoch") <= F.col("_old_epoch")),
                F.struct("_in_epoch", "partition_epoch", "_ts", "isr"),
            )
        ).alias("_isr_as_led"),
        F.min(F.when(in_sync & (F.col("_in_epoch") == F.col("leader_epoch")), F.col("partition_epoch"))).alias(
            "_isr_first"
        ),
        F.max(F.when(told_before & F.array_contains("isr", F.col("new_leader_id")), at)).alias("_in_isr_ts"),
        F.max(F.when(new & (source == "log_load_completed") & (at < F.col("_led_ts")), at)).alias("_restarted_ts"),
        F.max(F.when(ended, F.struct("log_end_offset", "_ts", F.col("_event").alias("event"), "_damaged"))).alias(
            "_ended"
        ),
        F.coalesce(F.bool_or(any_cut), F.lit(False)).alias("_cut_once"),
        F.min(
            F.when(
                cut,
                F.struct(
                    "_ts",
                    "truncation_offset",
                    own_end.alias("log_end_offset"),
                    F.col("_event").alias("event"),
                    "_in_epoch",
                    "high_watermark",
                ),
            )
        ).alias("_cut"),
        F.max(
            F.when(anchor, F.struct("high_watermark", "_ts", F.col("_event").alias("event"), "_node", "source"))
        ).alias("_low"),
        F.max(
            F.when(
                anchor & (earlier | ~old),
                F.struct("high_watermark", "_ts", F.col("_event").alias("event"), "_node", "source"),
            )
        ).alias("_low_as_led"),
        F.bool_or(F.when(old, F.col("_at_once"))).alias("_old_at_once"),
        F.max(F.when(new, F.col("_last._taken_epoch"))).alias("_new_last_epoch"),
        F.max(
            F.when(new & (source == "follower_start") & (at == F.col("_last._taken_ts")), F.col("log_end_offset"))
        ).alias("_new_began"),
        F.coalesce(
            F.bool_or(new & (source == "truncation") & (at >= F.col("_last._taken_ts")) & (at <= F.col("_led_ts"))),
            F.lit(False),
        ).alias("_new_cut"),
        F.max(F.when(old, F.col("_last._taken_epoch"))).alias("_old_last_epoch"),
        F.max(
            F.when(
                old & (source == "truncation_to_hw") & (at >= cutoff),
                F.struct("high_watermark", F.col("_event").alias("event")),
            )
        ).alias("_by_hw"),
        F.max(F.when(old, cutoff)).alias("_old_follows_ts"),
        F.bool_or(F.when(old, F.col("_first._says_so"))).alias("_old_says_so"),
        F.max(F.when(old, at)).alias("_old_seen_ts"),
        F.min(
            F.when(
                new
                & (source == "truncation")
                & (at < F.col("_led_ts"))
                & (F.col("truncation_offset") == F.col("epoch_start_offset")),
                F.struct("_ts", F.col("_event").alias("event"), "log_end_offset"),
            )
        ).alias("_cut_before"),
        F.coalesce(
            F.bool_or(
                new
                & (source == "truncation_to_hw")
                & (at < F.col("_led_ts"))
                & (F.col("high_watermark") == F.col("epoch_start_offset"))
            ),
            F.lit(False),
        ).alias("_to_own_hw"),
        F.coalesce(F.bool_or((source == "truncation_to_hw") & (F.col("high_watermark") > 0)), F.lit(False)).alias(
            "_without_leader_epochs"
        ),
        F.array_sort(F.collect_list(F.when(source.isin(*ENDS), role))).alias("_roles"),
        F.collect_set(
            F.when(
                F.col("_taken").isNotNull(),
                F.struct(F.col("_node").alias("node"), F.col("_taken").alias("leader_epochs")),
            )
        ).alias("_taken"),
    )
    # The old leader, too: if its log went past where the new one began it had to be cut, and if it never was it was
    # its successor's log already.
    caught_up = F.coalesce(
        ~F.col("_old_at_once") & ~F.col("_cut_once") & (F.col("_ended.log_end_offset") > F.col("epoch_start_offset")),
        F.lit(False),
    )
    its_own = taken.where("_says_so").select(
        *PARTITION_KEY,
        F.col("_taken_epoch").alias("leader_epoch"),
        F.col("_node").alias("new_leader_id"),
        F.lit(True).alias("_new_says"),
    )
    return (
        changes.join(measured, list(_CHANGE), "left")
        .join(F.broadcast(its_own), [*_CHANGE, "new_leader_id"], "left")
        .withColumn("_caught_up", caught_up)
        .withColumns(
            {
                "_ended": F.when(~F.col("_caught_up"), F.col("_ended")),
                "_low": F.when(F.col("_caught_up"), F.col("_low_as_led")).otherwise(F.col("_low")),
            }
        )
        .withColumns(
            {
                "_n_old": F.when(~damaged(), F.coalesce("_ended.log_end_offset", "_cut.log_end_offset")),
                "_moved_away": F.coalesce(~F.array_contains("replicas", F.col("old_leader_id")), F.lit(False)),
            }
        )
        .transform(parted)
    )


def damaged() -> Column:
    """The old leader's log is told only as recovery cut it, damaged: where it had ended nobody knows."""
    return F.coalesce("_ended._damaged", F.lit(False))


def with_gate(
    changes: DataFrame, events: DataFrame, topic_settings: DataFrame, processes: DataFrame, rules: DataFrame
) -> DataFrame:
    """`_alone`: the old leader was alone in the ISR and knew it; `_gate_open`: then the high watermark followed its log end (facts §1.3, T4);
    `_died`: what its log held is told after its process died, so that a loss of power may have made it shorter;
    `_to_own_hw`: the new leader had cut its log to its own high watermark and fetched nothing since, as replicas without leader epochs do
    (`_without_leader_epochs`; facts §3.3, S1); `_maybe_to_own_hw`: it may have; `_rule_is_told`: lines tell whether
    it follows by leader epochs.

    `rules` is `replay.offsets.leader_epoch_caches.follower_rules`; a broker of which none is known may do what any
    other of the cluster does. A leader that is cut off, or dead, does not hear that the controller took the others
    out: its high watermark still waits for them.
    """
    deaths = processes.where(F.col("ended").isin("killed", "fatal") & F.col("next_start_ts").isNotNull())
    died = deaths.groupBy(F.col("node_id").alias("old_leader_id")).agg(
        F.collect_list(F.struct("last_ts", "next_start_ts")).alias("_deaths")
    )
    told_ts = F.coalesce("_ended._ts", "_cut._ts")
    since = F.exists(
        "_deaths",
        lambda d: F.coalesce(d["last_ts"] >= F.col("_old_since"), F.lit(True)) & (d["next_start_ts"] <= told_ts),
    )
    alone = F.array("old_leader_id")
    as_led = F.col("_isr_as_led.isr") == alone
    brokers = (
        broker_versions(events).join(rules, "node_id", "left").withColumn("_by_hw", F.col("rule") == BY_HIGH_WATERMARK)
    )
    anybody = brokers.agg(
        F.coalesce(F.bool_or("_by_hw"), F.lit(False)).alias("_any_by_hw"),
        F.coalesce(F.bool_or("is_told"), F.lit(False)).alias("_any_told"),
    )

    def broker(role: str) -> DataFrame:
        return F.broadcast(
            brokers.select(
                F.col("node_id").alias(f"{role}_leader_id"),
                F.col("version_high").alias(f"_{role}_version"),
                F.col("_by_hw").alias(f"_{role}_by_hw"),
                F.col("is_told").alias(f"_{role}_told"),
            )
        )

    known = (
        changes.join(broker("old"), "old_leader_id", "left")
        .join(broker("new"), "new_leader_id", "left")
        .crossJoin(F.broadcast(anybody))
        .join(F.broadcast(topic_settings.select("topic", "min_isr")), "topic", "left")
        .join(F.broadcast(died), "old_leader_id", "left")
    )
    one_is_enough = F.least(F.col("min_isr"), F.when(F.col("replicas").isNotNull(), F.size("replicas"))) == 1
    was_cut, cut_before = (
        F.col("_cut_before").isNotNull(),
        F.col("_cut_before.log_end_offset") > F.col("epoch_start_offset"),
    )
    by_rule = F.col("_to_own_hw") | F.coalesce("_new_by_hw", F.lit(False))
    # Until 1.0 a log that ends just there is "truncated" as well.
    said_of_all = F.col("_cut_before.log_end_offset").isNull() & F.coalesce(
        before_version("1.0.0", "_new_version"), F.lit(False)
    )
    without_epochs = (
        F.col("_without_leader_epochs")
        | F.coalesce("_new_by_hw", "_any_by_hw")
        | F.coalesce("_old_by_hw", F.lit(False))
    )
    to_own_hw = was_cut & by_rule & F.coalesce(cut_before, F.lit(True))
    return known.withColumns(
        {
            "_to_own_hw": to_own_hw & ~said_of_all,
            "_rule_is_told": F.coalesce("_new_told", "_any_told"),
            "_maybe_to_own_hw": (to_own_hw & said_of_all) | (without_epochs & F.col("_new_says").isNull()),
            "_gate_open": F.coalesce(before_version("3.7.0", "_old_version"), F.lit(False))
            | F.coalesce(one_is_enough, F.lit(False)),
            "_alone": F.when(
                F.size("isr_before") == 0, F.coalesce(as_led, F.lit(False))
            ).otherwise(  # the last member left as it was fenced (KIP-966)
                F.coalesce(F.col("isr_before") == alone, F.lit(False)) & F.coalesce(as_led, F.col("_isr_last").isNull())
            )
            & ~F.coalesce(F.col("_old_last_epoch") < F.col("_old_epoch"), F.lit(False)),
            "_died": F.coalesce(since, F.lit(False)),
        }
    ).drop("_deaths")
