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
    then = F.last(
        F.when(F.col("leader_id") >= 0, F.struct("leader_id", "epoch_start_offset", "start_ts")), ignorenulls=True
    ).over(after(by_leader_epoch))
    kept = F.coalesce(
        F.col("elected_from").isin("isr", "elr"), F.col("leader_id") == F.col("last_leader_id"), F.lit(False)
    )
    given_up = F.min(F.when((F.col("leader_id") >= 0) & ~kept, F.col("leader_epoch"))).over(after(by_leader_epoch))
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
    cutoffs = _cutoffs(changes, taken)
    about = changes.join(marks, list(PARTITION_KEY), "left").join(cutoffs, [*_CHANGE, "_node"], "left")
    measured = about.groupBy(*_CHANGE).agg(
        *_isrs_before(),
        *_high_watermarks_before(),
        *_old_leaders_log(),
        *_old_leaders_roles(),
        *_new_leaders_log(),
        *_of_all_replicas(),
    )
    return (
        changes.join(measured, list(_CHANGE), "left")
        .join(F.broadcast(_leaders_that_say_so(taken)), [*_CHANGE, "new_leader_id"], "left")
        .withColumn("_caught_up", _was_caught_up())
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


def _cutoffs(changes: DataFrame, taken: DataFrame) -> DataFrame:
    """Which leader epochs each replica took on around each change.

    `_first`, `_cutoff`: when it took on the new one or a later one; `_at_once`: just the new one. `_last`: the last
    earlier one. `_taken`: all of them. `_left_ts`: when it took on the second one from the change on. `_again_ts`:
    when it led again.
    """
    from_change = F.col("_taken_epoch") >= F.col("leader_epoch")
    in_turn = F.array_sort(F.collect_set(F.when(from_change, F.struct("_taken_epoch", "_taken_ts"))))
    said_before = F.col("_says_so") & (F.col("_taken_epoch") < F.col("leader_epoch"))
    return (
        changes.select(*_CHANGE)
        .join(taken, list(PARTITION_KEY))
        .groupBy(*_CHANGE, "_node")
        .agg(
            F.min(F.when(from_change, F.struct("_taken_ts", "_taken_epoch", "_says_so"))).alias("_first"),
            F.max(F.when(said_before, F.struct("_taken_epoch", "_taken_ts"))).alias("_last"),
            F.collect_set("_taken_epoch").alias("_taken"),
            F.get(in_turn, F.lit(1))["_taken_ts"].alias("_left_ts"),
            F.min(F.when(F.col("_taken_epoch") > F.col("leader_epoch"), F.col("_leads_ts"))).alias("_again_ts"),
        )
        .withColumns(
            {"_cutoff": F.col("_first._taken_ts"), "_at_once": F.col("_first._taken_epoch") == F.col("leader_epoch")}
        )
    )


# What the columns below ask of one mark of one replica.


def _old() -> Column:
    return F.col("_node") == F.col("old_leader_id")


def _new() -> Column:
    return F.col("_node") == F.col("new_leader_id")


def _from_change() -> Column:
    """From the change on; clocks of two nodes may differ."""
    return F.col("_ts") >= plus_millis("ts", -_SKEW_MS)


def _before_change() -> Column:
    return F.col("_ts") < plus_millis("ts", F.when(_old() | _new(), 0).otherwise(-_SKEW_MS))


def _cut_of_old_leader() -> Column:
    return _old() & (F.col("source") == "truncation") & _from_change()


def _of_this_history() -> Column:
    """After an unclean election leaders testify, and who has led: a replica that returns still speaks of the history
    before.
    """
    testifies = F.col("source").isin(*LEADERS_SAY) | (
        _old() & (F.col("source") == "follower_start") & (F.col("_ts") > F.col("_old_since"))
    )
    since_border = (F.col("_ts") > F.col("_border_ts")) & (F.col("_in_epoch") >= F.col("_border_epoch")) & testifies
    return (F.col("_border_epoch").isNull() | since_border) & F.coalesce(
        F.col("_used_up_in") >= F.col("leader_epoch"), F.lit(True)
    )


def _still_of_old_epoch() -> Column:
    """A replica speaks of the old history until it takes on the new leader epoch.

    A checkpointed high watermark is read while the broker takes on its first role: it tells of the time before. One
    that is next seen in a still later leader epoch may have followed this one where its lines are missing.
    """
    loading = (
        (F.col("source") == "partition_log_loaded")
        & (F.col("_ts") <= plus_millis("_cutoff", LOADING_MS))
        & F.coalesce(F.col("_life_ts") <= F.col("_cutoff"), F.lit(True))
    )
    followed_it = _old() | F.coalesce("_at_once", F.lit(True))
    return ~_new() & followed_it & ((F.col("_ts") <= F.col("_cutoff")) | loading)


def _anchors() -> Column:
    """The mark holds a high watermark of the history before the change."""
    of_later_leader = F.col("source").isin(*LEADERS_SAY) & (F.col("_in_epoch") > F.col("leader_epoch"))
    return (
        F.col("source").isin(*ANCHORS)
        & F.col("high_watermark").isNotNull()
        & ~F.coalesce("_clamped_anew", F.lit(False))
        & _of_this_history()
        & (_before_change() | _still_of_old_epoch())
        & ~F.coalesce(of_later_leader, F.lit(False))
    )


# What is known of a change, as columns over the marks of all replicas.


def _isrs_before() -> list[Column]:
    """The ISRs that led up to the change, and when the new leader was last in one."""
    is_isr = F.col("source") == "isr"
    before_it = is_isr & (F.col("_in_epoch") < F.col("leader_epoch"))
    as_led = is_isr & (F.col("_in_epoch") <= F.col("_old_epoch"))
    of_new_epoch = is_isr & (F.col("_in_epoch") == F.col("leader_epoch"))
    has_new_leader = before_it & F.array_contains("isr", F.col("new_leader_id"))
    numbered = before_it & F.col("partition_epoch").isNotNull()
    return [
        F.max(F.when(numbered, F.struct("partition_epoch", "_in_epoch"))).alias("_isr_last"),
        F.max(F.when(as_led, F.struct("_in_epoch", "partition_epoch", "_ts", "isr"))).alias("_isr_as_led"),
        F.min(F.when(of_new_epoch, F.col("partition_epoch"))).alias("_isr_first"),
        F.max(F.when(has_new_leader, F.col("_ts"))).alias("_in_isr_ts"),
    ]


def _high_watermarks_before() -> list[Column]:
    """The highest high watermark of the history before, and the highest that the old leader itself did not say later."""
    high_watermark = F.struct("high_watermark", "_ts", F.col("_event").alias("event"), "_node", "source")
    return [
        F.max(F.when(_anchors(), high_watermark)).alias("_low"),
        F.max(F.when(_anchors() & (_before_change() | ~_old()), high_watermark)).alias("_low_as_led"),
    ]


def _old_leaders_log() -> list[Column]:
    """Where the old leader's log ended, and how it was cut."""
    follows = (F.col("source") == "follower_start") & (F.col("_in_epoch") >= F.col("leader_epoch"))
    loaded = (F.col("source") == "log_load_completed") & _from_change()
    ended = (
        _old()
        & F.col("log_end_offset").isNotNull()
        & (
            (follows & (F.col("_ts") <= F.col("_cutoff")))
            | (loaded & (F.col("_cutoff").isNull() | (F.col("_ts") <= F.col("_cutoff"))))
        )
    )
    # Once it leads again its log is another: what it cuts after that tells nothing of this change.
    cut = _cut_of_old_leader() & F.coalesce(F.col("_ts") < F.col("_again_ts"), F.lit(True))
    # Once it left the new leader epoch its log may have grown under another leader.
    own_end = F.when(F.coalesce(F.col("_ts") < F.col("_left_ts"), F.lit(True)), F.col("log_end_offset"))
    first_cut = F.struct(
        "_ts",
        "truncation_offset",
        own_end.alias("log_end_offset"),
        F.col("_event").alias("event"),
        "_in_epoch",
        "high_watermark",
    )
    by_high_watermark = _old() & (F.col("source") == "truncation_to_hw") & (F.col("_ts") >= F.col("_cutoff"))
    return [
        F.max(F.when(ended, F.struct("log_end_offset", "_ts", F.col("_event").alias("event"), "_damaged"))).alias(
            "_ended"
        ),
        F.coalesce(F.bool_or(_cut_of_old_leader()), F.lit(False)).alias("_cut_once"),
        F.min(F.when(cut, first_cut)).alias("_cut"),
        F.max(F.when(by_high_watermark, F.struct("high_watermark", F.col("_event").alias("event")))).alias("_by_hw"),
    ]


def _old_leaders_roles() -> list[Column]:
    """What the old leader took on after the change, and until when it is seen."""
    return [
        F.bool_or(F.when(_old(), F.col("_at_once"))).alias("_old_at_once"),
        F.max(F.when(_old(), F.col("_last._taken_epoch"))).alias("_old_last_epoch"),
        F.max(F.when(_old(), F.col("_cutoff"))).alias("_old_follows_ts"),
        F.bool_or(F.when(_old(), F.col("_first._says_so"))).alias("_old_says_so"),
        F.max(F.when(_old(), F.col("_ts"))).alias("_old_seen_ts"),
    ]


def _new_leaders_log() -> list[Column]:
    """What the new leader's log went through before it led."""
    before_it_led = _new() & (F.col("_ts") < F.col("_led_ts"))
    last_role_ts = F.col("_last._taken_ts")
    began = _new() & (F.col("source") == "follower_start") & (F.col("_ts") == last_role_ts)
    cut_as_follower = (
        _new() & (F.col("source") == "truncation") & (F.col("_ts") >= last_role_ts) & (F.col("_ts") <= F.col("_led_ts"))
    )
    cut_to_where_it_led = (
        before_it_led & (F.col("source") == "truncation") & (F.col("truncation_offset") == F.col("epoch_start_offset"))
    )
    cut_to_own_hw = (
        before_it_led
        & (F.col("source") == "truncation_to_hw")
        & (F.col("high_watermark") == F.col("epoch_start_offset"))
    )
    return [
        F.max(F.when(before_it_led & (F.col("source") == "log_load_completed"), F.col("_ts"))).alias("_restarted_ts"),
        F.max(F.when(_new(), F.col("_last._taken_epoch"))).alias("_new_last_epoch"),
        F.max(F.when(began, F.col("log_end_offset"))).alias("_new_began"),
        F.coalesce(F.bool_or(cut_as_follower), F.lit(False)).alias("_new_cut"),
        F.min(F.when(cut_to_where_it_led, F.struct("_ts", F.col("_event").alias("event"), "log_end_offset"))).alias(
            "_cut_before"
        ),
        F.coalesce(F.bool_or(cut_to_own_hw), F.lit(False)).alias("_to_own_hw"),
    ]


def _of_all_replicas() -> list[Column]:
    """Whether any replica follows without leader epochs, the log ends that each role began with, and the leader epochs
    that each replica took on.
    """
    role = F.struct(
        F.col("_node").alias("node"), "_ts", F.col("_in_epoch").alias("leader_epoch"), "source", "log_end_offset"
    )
    took_on = F.struct(F.col("_node").alias("node"), F.col("_taken").alias("leader_epochs"))
    cut_to_hw = (F.col("source") == "truncation_to_hw") & (F.col("high_watermark") > 0)
    return [
        F.coalesce(F.bool_or(cut_to_hw), F.lit(False)).alias("_without_leader_epochs"),
        F.array_sort(F.collect_list(F.when(F.col("source").isin(*ENDS), role))).alias("_roles"),
        F.collect_set(F.when(F.col("_taken").isNotNull(), took_on)).alias("_taken"),
    ]


def _leaders_that_say_so(taken: DataFrame) -> DataFrame:
    """The leader epochs of which the leader's own line is here."""
    return taken.where("_says_so").select(
        *PARTITION_KEY,
        F.col("_taken_epoch").alias("leader_epoch"),
        F.col("_node").alias("new_leader_id"),
        F.lit(True).alias("_new_says"),
    )


def _was_caught_up() -> Column:
    """The old leader's log was its successor's already: it went past where the new one began, and was never cut."""
    return F.coalesce(
        ~F.col("_old_at_once") & ~F.col("_cut_once") & (F.col("_ended.log_end_offset") > F.col("epoch_start_offset")),
        F.lit(False),
    )


def damaged() -> Column:
    """The old leader's log is told only as recovery cut it, damaged: where it had ended nobody knows."""
    return F.coalesce("_ended._damaged", F.lit(False))


def with_gate(
    changes: DataFrame, events: DataFrame, topic_settings: DataFrame, processes: DataFrame, rules: DataFrame
) -> DataFrame:
    """Each change with what decides whether the old leader's log was committed, and how the new leader had cut its own.

    - `_alone`: the old leader was alone in the ISR and knew it.
    - `_gate_open`: then the high watermark followed its log end (facts §1.3, T4).
    - `_died`: what its log held is told after its process died; a loss of power may have made it shorter.
    - `_to_own_hw`: the new leader had cut its log to its own high watermark and fetched nothing since, as replicas
      without leader epochs do (`_without_leader_epochs`; facts §3.3, S1). `_maybe_to_own_hw`: it may have.
    - `_rule_is_told`: lines tell whether it follows by leader epochs.

    `rules` is `replay.offsets.leader_epoch_caches.follower_rules`; a broker of which none is known may do what any
    other of the cluster does. A leader that is cut off, or dead, does not hear that the controller took the others
    out: its high watermark still waits for them.
    """
    known = _with_rules_of_brokers(changes, events, rules)
    known = known.join(F.broadcast(topic_settings.select("topic", "min_isr")), "topic", "left")
    known = known.join(F.broadcast(_deaths(processes)), "old_leader_id", "left")
    to_own_hw = _cut_to_own_high_watermark()
    # Until 1.0 a log that ends just there is "truncated" as well.
    said_of_all = F.col("_cut_before.log_end_offset").isNull() & F.coalesce(
        before_version("1.0.0", "_new_version"), F.lit(False)
    )
    one_is_enough = F.least(F.col("min_isr"), F.when(F.col("replicas").isNotNull(), F.size("replicas"))) == 1
    return known.withColumns(
        {
            "_to_own_hw": to_own_hw & ~said_of_all,
            "_rule_is_told": F.coalesce("_new_told", "_any_told"),
            "_maybe_to_own_hw": (to_own_hw & said_of_all) | (_without_leader_epochs() & F.col("_new_says").isNull()),
            "_gate_open": F.coalesce(before_version("3.7.0", "_old_version"), F.lit(False))
            | F.coalesce(one_is_enough, F.lit(False)),
            "_alone": _was_alone(),
            "_died": F.coalesce(_died_in_between(), F.lit(False)),
        }
    ).drop("_deaths")


def _with_rules_of_brokers(changes: DataFrame, events: DataFrame, rules: DataFrame) -> DataFrame:
    """Each change with the releases of both leaders and the rules that they follow by (`_old_…`, `_new_…`); and
    whether any broker of the cluster follows by its high watermark (`_any_by_hw`, `_any_told`).
    """
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

    return (
        changes.join(broker("old"), "old_leader_id", "left")
        .join(broker("new"), "new_leader_id", "left")
        .crossJoin(F.broadcast(anybody))
    )


def _deaths(processes: DataFrame) -> DataFrame:
    """The times at which each broker died and came back."""
    died = processes.where(F.col("ended").isin("killed", "fatal") & F.col("next_start_ts").isNotNull())
    return died.groupBy(F.col("node_id").alias("old_leader_id")).agg(
        F.collect_list(F.struct("last_ts", "next_start_ts")).alias("_deaths")
    )


def _died_in_between() -> Column:
    """The old leader died after it began to lead and before its log is told."""
    told_ts = F.coalesce("_ended._ts", "_cut._ts")
    return F.exists(
        "_deaths",
        lambda d: F.coalesce(d["last_ts"] >= F.col("_old_since"), F.lit(True)) & (d["next_start_ts"] <= told_ts),
    )


def _was_alone() -> Column:
    """The old leader was alone in the ISR and knew it. With an empty ISR the last member left as it was fenced
    (KIP-966).
    """
    alone = F.array("old_leader_id")
    as_led = F.col("_isr_as_led.isr") == alone
    in_isr = F.when(F.size("isr_before") == 0, F.coalesce(as_led, F.lit(False))).otherwise(
        F.coalesce(F.col("isr_before") == alone, F.lit(False)) & F.coalesce(as_led, F.col("_isr_last").isNull())
    )
    return in_isr & ~F.coalesce(F.col("_old_last_epoch") < F.col("_old_epoch"), F.lit(False))


def _cut_to_own_high_watermark() -> Column:
    """The new leader had cut its log to its own high watermark, just where it then led from."""
    by_rule = F.col("_to_own_hw") | F.coalesce("_new_by_hw", F.lit(False))
    something_was_cut = F.col("_cut_before.log_end_offset") > F.col("epoch_start_offset")
    return F.col("_cut_before").isNotNull() & by_rule & F.coalesce(something_was_cut, F.lit(True))


def _without_leader_epochs() -> Column:
    """Replicas here follow, or may follow, without leader epochs."""
    return (
        F.col("_without_leader_epochs")
        | F.coalesce("_new_by_hw", "_any_by_hw")
        | F.coalesce("_old_by_hw", F.lit(False))
    )
