"""The loss ledger: for each change of leader, and each restart of a last replica, which records are gone and what proves it.

When N becomes leader from offset O, the old leader L gives up what its log holds from D = min(O, n_old) on, where n_old is
where its log ended when it lost its role. Below the old commit point that is a loss of committed records; above it only a
producer with acks=1 or acks=0 can have been told that they were stored. Source: facts §3.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from replay.elections import is_unclean
from replay.evidence import joined, millis, plus_millis
from replay.high_watermarks import LOADING_MS, cut_by_recovery
from replay.resting import Rest, going_on
from replay.schema import LOSSES, OPEN_VERDICTS
from replay.sightings import fetchers_begun
from replay.topics import with_life
from replay.versions import before_version, broker_versions
from replay.windows import PARTITION_KEY, after, before, by_leader_epoch, so_far

_ROLE_TAKEN = ("leader_start", "follower_start", "broker_leader_and_isr_received", "leader_transition_skipped", "follower_transition_skipped")
_ANCHORS = ("checkpoint_high_watermark", "partition_log_loaded", "follower_start", "leader_start", "leader_transition_skipped", "isr_shrink", "hw_updated",
            "truncation_below_hw", "truncation_to_hw", "checkpoint_log_start_offset", "log_start_offset_incremented")  # fmt: skip
_LEADERS_SAY = ("leader_start", "leader_transition_skipped", "isr_shrink", "hw_updated")
_ENDS = ("leader_start", "follower_start", "log_truncated_to", "log_load_completed")  # what a replica's log was when, and with whom it agreed
_SKEW_MS = 2_000  # an anchor of another node this close before a change may be after it
_CHANGE = (*PARTITION_KEY, "leader_epoch")


def losses(judged: DataFrame, isr_spans: DataFrame, high_watermarks: DataFrame, truncations: DataFrame, processes: DataFrame, events: DataFrame, lives: DataFrame, topic_settings: DataFrame, rest: Rest = going_on) -> DataFrame:  # fmt: skip
    """Every leader change judged, for committed records and for those above the commit point. Returns `LOSSES` and `life`.

    A verdict never goes further than its premise (facts §3.2): no line shows an ack, so what was discarded above the commit
    point is `acked_possible` and at most POSSIBLE_LOSS.
    """
    marks = rest("marks_of_replicas", _used_up(_by_lives(_marks(high_watermarks, truncations, lives), processes), judged))
    changes = _measured(_changes(judged), marks.unionByName(_in_sync(isr_spans), allowMissingColumns=True), _roles_taken(events, lives))
    gated = rest("changes_measured", _with_gate(changes, events, topic_settings, processes))
    return _committed(gated).unionByName(_above_commit_point(gated)).unionByName(_last_replicas(judged, isr_spans, marks, processes))


def _changes(judged: DataFrame) -> DataFrame:
    """The changes of leader from one broker to another, with the last earlier epoch at which history was given up (`_border`), and the first later one at which it may have been."""
    border = F.max(F.when(is_unclean(), F.struct("leader_epoch", "start_ts"))).over(before(by_leader_epoch()))
    led = F.max(F.when(F.col("leader_id") >= 0, F.struct("leader_epoch", "leader_id", "start_ts"))).over(before(by_leader_epoch()))
    begun = F.collect_list(F.when(F.col("leader_id") >= 0, F.struct("leader_epoch", "leader_id", "epoch_start_offset", F.get("evidence", F.lit(0)).alias("event")))).over(before(by_leader_epoch()))
    then = F.first(F.when(F.col("leader_id") >= 0, F.struct("leader_id", "epoch_start_offset", "start_ts")), ignorenulls=True).over(after(by_leader_epoch()))
    kept = F.coalesce(F.col("elected_from").isin("isr", "elr"), F.col("leader_id") == F.col("last_leader_id"), F.lit(False))
    given_up = F.min(F.when((F.col("leader_id") >= 0) & ~kept, F.col("leader_epoch"))).over(after(by_leader_epoch()))
    return (
        judged.withColumns({"_border": border, "_led": led, "_begun": begun, "_then": then, "_given_up_epoch": given_up})
        .where((F.col("leader_id") >= 0) & F.col("last_leader_id").isNotNull() & (F.col("leader_id") != F.col("last_leader_id")))
        .select(
            *_CHANGE,
            F.col("start_ts").alias("ts"),
            F.greatest("start_ts", F.coalesce("leader_ts", "start_ts")).alias("_led_ts"),
            "epoch_start_offset",
            F.col("leader_id").alias("new_leader_id"),
            F.col("last_leader_id").alias("old_leader_id"),
            F.col("_led.start_ts").alias("_old_since"),
            F.col("_led.leader_epoch").alias("_old_epoch"),
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


def _marks(high_watermarks: DataFrame, truncations: DataFrame, lives: DataFrame) -> DataFrame:
    """What is known of replicas' offsets, and the cuts that leaders asked for, in one shape; `_damaged` where recovery cut the log to the end that is told."""
    known = high_watermarks.where(F.col("ts").isNotNull()).select(
        "topic", "partition", "node_id", "ts", F.col("leader_epoch").alias("_in_epoch"), "source", "high_watermark", "log_end_offset", cut_by_recovery().alias("_damaged"),
        F.lit(None).cast("bigint").alias("truncation_offset"), F.get("evidence", F.lit(0)).alias("_event"),
    )  # fmt: skip
    cut = truncations.where(~F.col("by_recovery")).select(
        "topic", "partition", "node_id", "ts", F.col("leader_epoch").alias("_in_epoch"), F.lit("truncation").alias("source"), "high_watermark", "log_end_offset", F.lit(False).alias("_damaged"),
        "truncation_offset", F.get("evidence", F.lit(0)).alias("_event"),
    )  # fmt: skip
    return with_life(known.unionByName(cut), lives).withColumnRenamed("ts", "_ts").withColumnRenamed("node_id", "_node")


def _own_log() -> WindowSpec:
    """What is known of one replica, in the order of its own clock."""
    return Window.partitionBy(*PARTITION_KEY, "_node").orderBy("_ts", "_in_epoch")


def _by_lives(marks: DataFrame, processes: DataFrame) -> DataFrame:
    """`marks` with `_life_ts`, when the broker that speaks last started anew, and `_clamped_anew`: a high watermark that was cut to a recovered log's end, as it was at an earlier recovery already.

    A checkpoint past the end of a log that lost records stays there until it is written anew. Where the broker dies again before, it is cut to
    the new end, and that was never committed (facts §3.3, S5).
    """
    own_log = _own_log()
    restarts = processes.where(F.col("next_start_ts").isNotNull()).groupBy(F.col("node_id").alias("_node")).agg(F.collect_list(F.struct("next_start_ts", "ended")).alias("_restarts"))
    last = F.array_max(F.filter("_restarts", lambda r: r["next_start_ts"] <= F.col("_ts")))
    loaded = F.col("source") == "partition_log_loaded"
    end = F.last(F.when(F.col("source") == "log_load_completed", F.col("log_end_offset")), ignorenulls=True).over(so_far(own_log))
    clamped = loaded & last["ended"].isin("killed", "fatal") & (F.col("high_watermark") == end)
    known = marks.join(F.broadcast(restarts), "_node", "left").withColumns({"_clamped": clamped, "_life_ts": last["next_start_ts"]})
    known = known.withColumn("_anew", F.coalesce(F.col("_clamped") & F.max("_clamped").over(before(own_log)), F.lit(False)))
    told = F.last(F.when(loaded, F.struct("high_watermark", "_anew")), ignorenulls=True).over(so_far(own_log))
    anew = F.coalesce(told["_anew"] & (told["high_watermark"] == F.col("high_watermark")), F.lit(False))
    return known.withColumn("_clamped_anew", anew).drop("_restarts", "_clamped", "_anew")


def _in_sync(isr_spans: DataFrame) -> DataFrame:
    """The committed ISRs, as marks of no replica."""
    return isr_spans.select(*PARTITION_KEY, F.col("start_ts").alias("_ts"), F.col("leader_epoch").alias("_in_epoch"), F.lit("isr").alias("source"), "isr", "partition_epoch")


def _used_up(marks: DataFrame, judged: DataFrame) -> DataFrame:
    """`marks` with `_used_up_in`: the first later leader epoch that starts below its high watermark. There the mark proves a loss; after it other records stand at those offsets.

    Later than what a replica's log agreed with: a leader speaks of its own leader epoch, a follower of the last leader with which it agreed,
    however long it was away since.
    """
    starts = (
        judged.where((F.col("leader_id") >= 0) & F.col("epoch_start_offset").isNotNull())
        .groupBy(*PARTITION_KEY)
        .agg(F.collect_list(F.struct("leader_epoch", "epoch_start_offset", "start_ts")).alias("_starts"))
    )
    own_log = _own_log()
    source, told = F.col("source"), F.when(F.col("source").isin(*_ENDS), F.col("log_end_offset"))
    grew = (source == "follower_start") & (F.first(told, ignorenulls=True).over(after(own_log)) > F.col("log_end_offset"))
    agreed = F.when(source.isin("leader_start", "log_truncated_to") | F.coalesce(grew, F.lit(False)), F.col("_in_epoch"))
    marks = marks.withColumn("_agreed", agreed).withColumn("_agreed", F.last("_agreed", ignorenulls=True).over(before(own_log)))
    begins = F.col("_in_epoch") - source.isin("follower_start", "truncation_to_hw").cast("int")
    since = F.when(source.isin(*_LEADERS_SAY), F.col("_in_epoch")).otherwise(F.least("_agreed", begins))
    later = F.filter(
        "_starts", lambda s: (s["epoch_start_offset"] < F.col("high_watermark")) & F.coalesce(s["leader_epoch"] > since, s["start_ts"] > F.col("_ts"))
    )
    # Logs may part below where the later leader began: then the replica itself cuts away what its high watermark spoke of.
    cuts = F.collect_list(F.when(source == "truncation", F.struct("truncation_offset", "_in_epoch"))).over(after(own_log))
    own_cuts = F.filter("_cuts", lambda c: (c["truncation_offset"] < F.col("high_watermark")) & (c["_in_epoch"] > since))
    known = marks.withColumn("_cuts", cuts).join(F.broadcast(starts), list(PARTITION_KEY), "left")
    used_up_in = F.least(F.array_min(F.transform(later, lambda s: s["leader_epoch"])), F.array_min(F.transform(own_cuts, lambda c: c["_in_epoch"])))
    return known.withColumn("_used_up_in", used_up_in).drop("_starts", "_agreed", "_cuts")


def _roles_taken(events: DataFrame, lives: DataFrame) -> DataFrame:
    """`topic, life, partition, _node, _taken_epoch, _taken_ts, _leads_ts`: when each broker first took on each leader epoch that has a leader, and as its leader."""
    taken = events.where(F.col("kind").isin(*_ROLE_TAKEN) & F.col("topic").isNotNull() & F.col("leader_epoch").isNotNull() & F.col("node_id").isNotNull())
    said = ("topic", "partition", "node_id", "leader_epoch", "ts", "kind")
    taken = taken.where(F.coalesce(F.col("leader_id") >= 0, F.lit(True))).select(*said)
    fetching = fetchers_begun(events).where(F.col("node_id").isNotNull()).withColumn("kind", F.lit("fetcher_partitions_added")).select(*said)  # up to 2.3 no more is told at INFO
    return (
        with_life(taken.unionByName(fetching), lives)
        .groupBy(*PARTITION_KEY, F.col("node_id").alias("_node"), F.col("leader_epoch").alias("_taken_epoch"))
        .agg(F.min("ts").alias("_taken_ts"), F.min(F.when(F.col("kind") == "leader_start", F.col("ts"))).alias("_leads_ts"))
    )


def _measured(changes: DataFrame, marks: DataFrame, taken: DataFrame) -> DataFrame:
    """Each change with n_old (`_n_old`), the committed lower bound (`_low`), the old leader's cut (`_cut`), and their events.

    A replica's own words count for the old history until it takes on the new leader epoch; the new leader's until it leads.
    """
    cutoffs = (
        changes.select(*_CHANGE)
        .join(taken, list(PARTITION_KEY))
        .groupBy(*_CHANGE, "_node")
        .agg(
            F.min(F.when(F.col("_taken_epoch") >= F.col("leader_epoch"), F.struct("_taken_ts", "_taken_epoch"))).alias("_first"),
            F.max(F.when(F.col("_taken_epoch") < F.col("leader_epoch"), F.struct("_taken_epoch", "_taken_ts"))).alias("_last"),
            F.collect_set("_taken_epoch").alias("_taken"),
            F.get(F.array_sort(F.collect_set(F.when(F.col("_taken_epoch") >= F.col("leader_epoch"), F.struct("_taken_epoch", "_taken_ts")))), F.lit(1))["_taken_ts"].alias("_left_ts"),
            F.min(F.when(F.col("_taken_epoch") > F.col("leader_epoch"), F.col("_leads_ts"))).alias("_again_ts"),
        )
        .withColumns({"_cutoff": F.col("_first._taken_ts"), "_at_once": F.col("_first._taken_epoch") == F.col("leader_epoch")})
    )
    about = changes.join(marks, list(PARTITION_KEY), "left").join(cutoffs, [*_CHANGE, "_node"], "left")
    old, new = F.col("_node") == F.col("old_leader_id"), F.col("_node") == F.col("new_leader_id")
    role = F.struct(F.col("_node").alias("node"), "_ts", F.col("_in_epoch").alias("leader_epoch"), "source", "log_end_offset")
    source, at, cutoff = F.col("source"), F.col("_ts"), F.col("_cutoff")
    after_change = at >= plus_millis("ts", -_SKEW_MS)
    follows = (source == "follower_start") & (F.col("_in_epoch") >= F.col("leader_epoch"))
    ended = old & F.col("log_end_offset").isNotNull() & ((follows & (at <= cutoff)) | ((source == "log_load_completed") & after_change & (cutoff.isNull() | (at <= cutoff))))
    # Once it leads again its log is another: what it cuts after that tells nothing of this change.
    any_cut = old & (source == "truncation") & after_change
    cut = any_cut & F.coalesce(at < F.col("_again_ts"), F.lit(True))
    # After an unclean election leaders testify, and who has led: a replica that returns still speaks of the history before.
    testifies = source.isin(*_LEADERS_SAY) | (old & (source == "follower_start") & (at > F.col("_old_since")))
    this_history = (F.col("_border_epoch").isNull() | ((at > F.col("_border_ts")) & (F.col("_in_epoch") >= F.col("_border_epoch")) & testifies)) & F.coalesce(
        F.col("_used_up_in") >= F.col("leader_epoch"), F.lit(True)
    )
    earlier = at < plus_millis("ts", F.when(old | new, 0).otherwise(-_SKEW_MS))
    # A checkpointed high watermark is read while the broker takes on its first role: it tells of the time before.
    # One that is next seen in a still later leader epoch may have followed this one where its lines are missing.
    loading = (source == "partition_log_loaded") & (at <= plus_millis("_cutoff", LOADING_MS)) & F.coalesce(F.col("_life_ts") <= cutoff, F.lit(True))
    still_old = ~new & (old | F.coalesce("_at_once", F.lit(True))) & ((at <= cutoff) | loading)
    of_later = ~old & source.isin(*_LEADERS_SAY) & (F.col("_in_epoch") > F.col("leader_epoch"))  # a later leader's, of its own history
    anchor = source.isin(*_ANCHORS) & F.col("high_watermark").isNotNull() & ~F.coalesce("_clamped_anew", F.lit(False)) & this_history & (earlier | still_old) & ~F.coalesce(of_later, F.lit(False))
    own_end = F.when(F.coalesce(at < F.col("_left_ts"), F.lit(True)), F.col("log_end_offset"))  # later its log may have grown under another leader
    in_sync = source == "isr"
    told_before = in_sync & (F.col("_in_epoch") < F.col("leader_epoch"))
    measured = about.groupBy(*_CHANGE).agg(
        F.max(F.when(told_before & F.col("partition_epoch").isNotNull(), F.struct("partition_epoch", "_in_epoch"))).alias("_isr_last"),
        F.max(F.when(in_sync & (F.col("_in_epoch") <= F.col("_old_epoch")), F.struct("_in_epoch", "partition_epoch", "_ts", "isr"))).alias("_isr_as_led"),
        F.min(F.when(in_sync & (F.col("_in_epoch") == F.col("leader_epoch")), F.col("partition_epoch"))).alias("_isr_first"),
        F.max(F.when(told_before & F.array_contains("isr", F.col("new_leader_id")), at)).alias("_in_isr_ts"),
        F.max(F.when(new & (source == "log_load_completed") & (at < F.col("_led_ts")), at)).alias("_restarted_ts"),
        F.max(F.when(ended, F.struct("log_end_offset", "_ts", F.col("_event").alias("event"), "_damaged"))).alias("_ended"),
        F.coalesce(F.bool_or(any_cut), F.lit(False)).alias("_cut_once"),
        F.min(F.when(cut, F.struct("_ts", "truncation_offset", own_end.alias("log_end_offset"), F.col("_event").alias("event"), "_in_epoch", "high_watermark"))).alias("_cut"),
        F.max(F.when(anchor, F.struct("high_watermark", "_ts", F.col("_event").alias("event"), "_node", "source"))).alias("_low"),
        F.max(F.when(anchor & (earlier | ~old), F.struct("high_watermark", "_ts", F.col("_event").alias("event"), "_node", "source"))).alias("_low_as_led"),
        F.bool_or(F.when(old, F.col("_at_once"))).alias("_old_at_once"),
        F.max(F.when(new, F.col("_last._taken_epoch"))).alias("_new_last_epoch"),
        F.max(F.when(new & (source == "follower_start") & (at == F.col("_last._taken_ts")), F.col("log_end_offset"))).alias("_new_began"),
        F.coalesce(F.bool_or(new & (source == "truncation") & (at >= F.col("_last._taken_ts")) & (at <= F.col("_led_ts"))), F.lit(False)).alias("_new_cut"),
        F.max(F.when(old, F.col("_last._taken_epoch"))).alias("_old_last_epoch"),
        F.max(F.when(old & (source == "truncation_to_hw") & (at >= cutoff), F.struct("high_watermark", F.col("_event").alias("event")))).alias("_by_hw"),
        F.max(F.when(old, cutoff)).alias("_old_follows_ts"),
        F.max(F.when(old, at)).alias("_old_seen_ts"),
        F.min(F.when(new & (source == "truncation") & (at < F.col("_led_ts")) & (F.col("truncation_offset") == F.col("epoch_start_offset")), F.struct("_ts", F.col("_event").alias("event")))).alias("_cut_before"),
        F.array_sort(F.collect_list(F.when(source.isin(*_ENDS), role))).alias("_roles"),
        F.collect_set(F.when(F.col("_taken").isNotNull(), F.struct(F.col("_node").alias("node"), F.col("_taken").alias("leader_epochs")))).alias("_taken"),
        F.coalesce(F.bool_or(source == "truncation_to_hw"), F.lit(False)).alias("_cut_to_high_watermarks"),
    )
    # The old leader, too: if its log went past where the new one began it had to be cut, and if it never was it was its successor's log already.
    caught_up = F.coalesce(~F.col("_old_at_once") & ~F.col("_cut_once") & (F.col("_ended.log_end_offset") > F.col("epoch_start_offset")), F.lit(False))
    return changes.join(measured, list(_CHANGE), "left").withColumn("_caught_up", caught_up).withColumns(
        {
            "_ended": F.when(~F.col("_caught_up"), F.col("_ended")),
            "_low": F.when(F.col("_caught_up"), F.col("_low_as_led")).otherwise(F.col("_low")),
        }
    ).withColumns(
        {
            "_n_old": F.when(~_damaged(), F.coalesce("_ended.log_end_offset", "_cut.log_end_offset")),
            "_moved_away": F.coalesce(~F.array_contains("replicas", F.col("old_leader_id")), F.lit(False)),
        }
    ).withColumns({"_held": _held(), "_untold": _untold()}).withColumn("_walked", _walked()).transform(_parted)


def _damaged() -> Column:
    """The old leader's log is told only as recovery cut it, damaged: where it had ended nobody knows."""
    return F.coalesce("_ended._damaged", F.lit(False))


def _held() -> Column:
    """array<struct(node, leader_epoch)>: the leader epochs with whose leader a replica's log surely agreed: it led, or cut its log to follow, or its log grew while it followed.

    A follower whose log did not change holds what it held before, whether or not it ever reached its leader.
    """

    def agreed(role: Column, nth: Column) -> Column:
        then = F.get(F.col("_roles"), nth + 1)
        grew = (role["source"] == "follower_start") & (then["node"] == role["node"]) & (then["log_end_offset"] > role["log_end_offset"])
        return role["leader_epoch"].isNotNull() & (role["source"].isin("leader_start", "log_truncated_to") | F.coalesce(grew, F.lit(False)))

    return F.transform(F.filter("_roles", agreed), lambda role: F.struct(role["node"].alias("node"), role["leader_epoch"].alias("leader_epoch")))


def _untold() -> Column:
    """array<struct(node, leader_epoch)>: the leader epochs that a replica took on without a line that tells its log end."""

    def of(taken: Column) -> Column:
        def told(epoch: Column) -> Column:
            return F.exists("_roles", lambda role: (role["node"] == taken["node"]) & (role["leader_epoch"] == epoch))

        return F.transform(F.filter(taken["leader_epochs"], lambda epoch: ~told(epoch)), lambda epoch: F.struct(taken["node"].alias("node"), epoch.alias("leader_epoch")))

    return F.flatten(F.transform("_taken", of))


def _walked() -> Column:
    """struct(old, new, apart): back from the old and the new leader's log through the leaders that each came from, to the leader epoch that both have.

    `apart` is the leader epoch with the least start that only one of them has: struct(epoch_start_offset, event), null if there is none; `old` and `new` are equal where the walk came to its
    end. Where messages of before 0.11 are cut to high watermarks no log tells from whom it came.
    """

    def came_from(node: Column, before_epoch: Column) -> Column:
        own = F.filter("_held", lambda held: (held["node"] == node) & (held["leader_epoch"] < before_epoch))
        last = F.array_max(F.transform(own, lambda held: held["leader_epoch"]))
        unknown = F.exists("_untold", lambda untold: (untold["node"] == node) & (untold["leader_epoch"] > last) & (untold["leader_epoch"] < before_epoch))
        return F.when(~unknown, last)

    def state(old: Column, new: Column, apart: Column) -> Column:
        return F.struct(old.cast("int").alias("old"), new.cast("int").alias("new"), apart.cast("struct<epoch_start_offset:bigint,event:string>").alias("apart"))

    def step(now: Column, begun: Column) -> Column:
        old, new, apart = now["old"], now["new"], F.least(now["apart"], F.when(begun["epoch_start_offset"].isNotNull(), F.struct(begun["epoch_start_offset"], begun["event"])))
        back = came_from(begun["leader_id"], begun["leader_epoch"])
        return (
            F.when(old == new, now)
            .when(old == begun["leader_epoch"], state(back, new, apart))
            .when(new == begun["leader_epoch"], state(old, back, apart))
            .otherwise(now)
        )

    begins = state(came_from(F.col("old_leader_id"), F.col("leader_epoch")), came_from(F.col("new_leader_id"), F.col("leader_epoch")), F.lit(None))
    return F.when(~F.col("_cut_to_high_watermarks"), F.aggregate(F.reverse("_begun"), begins, step))


def _parted(changes: DataFrame) -> DataFrame:
    """`_from`, where the old leader's log and the new one's part, and `_sure`: whether that is more than a bound from above.

    Mostly the shorter log's end; where leader epochs lie in between that only one of them has, the first of them (`_walked`). Where
    no lines tell from whom a log came: a new leader that missed leader epochs, or began to follow one and never came to cut its log, holds
    nothing of them: its log may go on past the start of the first one with records of its own (facts §3.1). Where the old leader comes to
    follow it and cuts its log by leader epochs, the cut is exact. Where it cuts only to its own high watermark, beyond that offset,
    the two logs go on with different records (`_forked`; KIP-101, scenario 2).
    """
    ends = F.least("epoch_start_offset", "_n_old")
    last_start = F.get(F.filter("_begun", lambda b: b["leader_epoch"] == F.col("_new_last_epoch")), F.lit(0))["epoch_start_offset"]
    not_cut = F.coalesce((F.col("_new_began") > last_start) & ~F.col("_new_cut"), F.lit(False))
    # With an unclean election in between the old leader, too, may lack what the new one holds: then they surely share only what came before all changes.
    in_sync = F.coalesce(F.col("elected_from").isin("isr", "elr"), F.lit(False))
    border, last = F.col("_border_epoch"), F.col("_new_last_epoch")
    out_of_touch = not_cut | (~in_sync & F.coalesce((last < border) | ((last == border) & ~F.col("_new_cut")), F.lit(False)))
    missed = F.filter("_begun", lambda b: b["leader_epoch"] > F.when(out_of_touch, 0).otherwise(last))
    apart = F.array_min(F.transform(missed, lambda b: b["epoch_start_offset"]))
    walked = F.coalesce(F.col("_walked.old") == F.col("_walked.new"), F.lit(False))
    by_epoch = (F.col("_cut._in_epoch") == F.col("leader_epoch")) & F.col("_by_hw").isNull()
    cut = F.when(by_epoch, F.col("_cut.truncation_offset"))
    # A leader who may hold less than this one did has other logs cut to what it holds: that tells nothing of where this one began.
    in_its_stead = F.when(F.coalesce(F.col("_cut._in_epoch") < F.col("_given_up_epoch"), F.col("_given_up_epoch").isNull() | (F.col("_cut._in_epoch") == F.col("leader_epoch"))), F.col("_cut.truncation_offset"))
    return changes.withColumns(
        {
            "_from": F.when(F.col("epoch_start_offset").isNotNull(), F.least(ends, F.coalesce(cut, F.when(walked, F.col("_walked.apart.epoch_start_offset")).otherwise(apart)))).otherwise(in_its_stead),
            "_apart_event": F.when(walked & cut.isNull() & (F.col("_walked.apart.epoch_start_offset") < ends), F.col("_walked.apart.event")),
            "_sure": cut.isNotNull() | walked | F.coalesce(apart >= ends, F.lit(True)),
        }
    ).withColumn("_forked", F.coalesce(F.col("_by_hw.high_watermark") > F.col("_from"), F.lit(False))).drop("_begun", "_roles", "_taken", "_held", "_untold")


def _with_gate(changes: DataFrame, events: DataFrame, topic_settings: DataFrame, processes: DataFrame) -> DataFrame:
    """`_alone`: the old leader was alone in the ISR and knew it; `_gate_open`: then the high watermark followed its log end (facts §1.3, T4);
    `_died`: what its log held is told after its process died, so that a loss of power may have made it shorter.

    A leader that is cut off, or dead, does not hear that the controller took the others out: its high watermark still waits for them.
    """
    deaths = processes.where(F.col("ended").isin("killed", "fatal") & F.col("next_start_ts").isNotNull())
    died = deaths.groupBy(F.col("node_id").alias("old_leader_id")).agg(F.collect_list(F.struct("last_ts", "next_start_ts")).alias("_deaths"))
    told_ts = F.coalesce("_ended._ts", "_cut._ts")
    since = F.exists("_deaths", lambda d: F.coalesce(d["last_ts"] >= F.col("_old_since"), F.lit(True)) & (d["next_start_ts"] <= told_ts))
    alone = F.array("old_leader_id")
    as_led = F.col("_isr_as_led.isr") == alone
    versions = broker_versions(events).withColumnRenamed("node_id", "old_leader_id")
    known = changes.join(F.broadcast(versions), "old_leader_id", "left").join(F.broadcast(topic_settings.select("topic", "min_isr")), "topic", "left").join(F.broadcast(died), "old_leader_id", "left")
    one_is_enough = F.least(F.col("min_isr"), F.when(F.col("replicas").isNotNull(), F.size("replicas"))) == 1
    return known.withColumns(
        {
            "_gate_open": F.coalesce(before_version("3.7.0"), F.lit(False)) | F.coalesce(one_is_enough, F.lit(False)),
            "_alone": F.when(F.size("isr_before") == 0, F.coalesce(as_led, F.lit(False)))  # the last member left as it was fenced (KIP-966)
            .otherwise(F.coalesce(F.col("isr_before") == alone, F.lit(False)) & F.coalesce(as_led, F.col("_isr_last").isNull()))
            & ~F.coalesce(F.col("_old_last_epoch") < F.col("_old_epoch"), F.lit(False)),
            "_died": F.coalesce(since, F.lit(False)),
        }
    ).drop("_deaths")


def _committed(changes: DataFrame) -> DataFrame:
    """The verdict on committed records, one row a change."""
    start, n_old, low = F.col("_from"), F.col("_n_old"), F.col("_low.high_watermark")
    unclean, clean = is_unclean(), F.col("elected_from").isin("isr", "elr") & ~_may_have_left()
    nothing_cut = F.coalesce(start >= n_old, F.lit(False))
    exact = F.coalesce(unclean & F.col("_alone") & F.col("_gate_open") & (n_old > start) & F.col("_sure"), F.lit(False))
    anchored = F.coalesce(low > start, F.lit(False)) & ~nothing_cut & F.col("_sure")
    unknown_start = start.isNull()
    # It held committed records that it came back without: only a loss of power does that, and how much more it took nobody knows.
    short = F.coalesce(F.col("_died") & nothing_cut & (low > n_old), F.lit(False))
    short_but_clean = short & clean & F.coalesce(low <= F.col("epoch_start_offset"), F.lit(False))
    verdict = (
        F.when(unknown_start, F.when(clean, "NO_COMMITTED_LOSS_BY_PROTOCOL").otherwise("UNDETERMINED"))
        .when(exact | anchored, "PROVEN_LOSS")
        .when(short_but_clean, "NO_COMMITTED_LOSS_BY_PROTOCOL")
        .when(short, "UNDETERMINED")
        .when(nothing_cut, "NO_LOSS_OBSERVED")
        .when(clean, "NO_COMMITTED_LOSS_BY_PROTOCOL")
        .when(unclean & (n_old > start), "POSSIBLE_LOSS")
        .otherwise("UNDETERMINED")
    )
    proven_to = F.when(exact, n_old).when(anchored, F.least(low, F.coalesce(n_old, low)))
    open_end = verdict.isin("POSSIBLE_LOSS", "UNDETERMINED")
    low_text = F.format_string("broker %d said high watermark %d (%s)", "_low._node", "_low.high_watermark", "_low.source")
    leads_from = F.coalesce("epoch_start_offset", "_from")
    parts_earlier = F.when(start < F.least(leads_from, n_old), F.format_string("; their logs part at %d already", "_from")).otherwise("")
    as_it_came_back = F.when(F.col("_died"), "; that is its log as it came back: all that it had held if its process died, less than that if its machine lost power").otherwise("")
    premise = (
        F.when(exact, F.concat(
            F.format_string("broker %d was alone in the ISR, so its high watermark was its log end: all of its log up to %d was committed, and broker %d, outside that ISR, leads from %d", "old_leader_id", "_n_old", "new_leader_id", leads_from),
            parts_earlier,
            as_it_came_back))
        .when(anchored, F.concat(
            low_text,
            F.format_string(", but broker %d leads from offset %d", "new_leader_id", leads_from),
            parts_earlier,
            F.when(F.col("_forked"), F.format_string("; broker %d then cut its log only to its own high watermark %d: from %d to there its records are not its leader's", "old_leader_id", "_by_hw.high_watermark", "_from")).otherwise("")))
        .when(short & ~short_but_clean, F.concat(low_text, F.format_string(", but the log of broker %d ended at %d when it came back, so it lost records that it had held, and broker %d leads from offset %d: how much was lost is in no line", "old_leader_id", "_n_old", "new_leader_id", "epoch_start_offset")))
        .when(nothing_cut & ~short, F.concat(
            F.format_string("the old leader's log ended at %d and the new leader starts at %d: nothing was discarded", "_n_old", "epoch_start_offset"),
            as_it_came_back))
        .when(verdict == "NO_COMMITTED_LOSS_BY_PROTOCOL", F.concat(
            F.format_string("broker %d was in the %s, which holds every committed record (KIP-101, KIP-279), and no high watermark above its log was seen", "new_leader_id", F.upper("elected_from")),
            F.when(unknown_start, "; the offset it started from is not in these logs").otherwise("")))
        .when(verdict == "POSSIBLE_LOSS", F.format_string("broker %d was elected from outside the ISR; the old log held [%d, %d) and no high watermark above %d was seen", "new_leader_id", "_from", "_n_old", "_from"))
        .otherwise(F.concat(
            F.when(unclean, "the new leader was outside the ISR")
            .when(_may_have_left(), F.format_string("broker %d started anew after the last state that shows it in the ISR (partition epoch %d), and changes of the ISR since then are in no line", "new_leader_id", "_isr_last.partition_epoch"))
            .otherwise("whether the new leader was in the ISR is not known"),
            F.when(n_old.isNull(), "; no line tells where the old leader's log ended").otherwise(""),
            F.when(unknown_start, "; no line tells where the new leader began").otherwise("")))
    )  # fmt: skip
    begins = F.coalesce(start, F.when(clean, low), F.lit(0))
    return _rows(
        changes,
        loss_class=F.lit("committed"),
        verdict=verdict,
        scenario=F.when(unclean, "S4").when(anchored & F.col("_cut_before").isNotNull(), "S1").when(anchored & F.col("_forked"), "S2").when(anchored & F.col("elected_from").isNotNull(), "S6").when(~clean, "S4"),
        from_offset=begins,
        to_offset_low=F.coalesce(proven_to, begins),
        to_offset_high=F.when(short & ~short_but_clean, None)
        .when(exact, n_old)
        .when(anchored, F.when(clean, proven_to).otherwise(n_old))
        .when(open_end, n_old)
        .otherwise(begins),
        premise=premise,
    )


def _may_have_left() -> Column:
    """The new leader started anew since the last ISR that shows it, and changes of the ISR since then are in no line: it may have been taken out."""
    unseen = F.col("_isr_first") - F.col("_isr_last.partition_epoch") > F.col("leader_epoch") - F.col("_isr_last._in_epoch")
    return F.coalesce(F.col("elected_from").isNotNull() & ~is_unclean() & unseen & (F.col("_restarted_ts") > F.col("_in_isr_ts")), F.lit(False))


def _above_commit_point(changes: DataFrame) -> DataFrame:
    """What the old leader held above the commit point and had to discard: a row where it did, or where nobody can tell.

    A leader that leads again next, its log not cut, brings all of it back.
    """
    n_old, low = F.col("_n_old"), F.col("_low.high_watermark")
    judged_committed = is_unclean() | F.col("elected_from").isNull() | _may_have_left()
    start = F.greatest("_from", F.when(low > F.col("_from"), low))
    never_cut = n_old.isNull() & F.col("_cut").isNull() & F.col("_old_follows_ts").isNotNull() & ~F.col("_moved_away") & (millis("_old_seen_ts", "_old_follows_ts") > 1_000) & ~_damaged()
    open_ = changes.where(~judged_committed & F.col("_from").isNotNull()).withColumns({"_begin": start, "_never_cut": F.coalesce(never_cut, F.lit(False))})
    not_cut = F.col("_cut").isNull() | (F.col("_cut._ts") > F.col("_then.start_ts"))
    brought_back = (F.col("_then.leader_id") == F.col("old_leader_id")) & (F.col("_then.epoch_start_offset") >= F.col("_n_old")) & not_cut
    discarded = (F.col("_n_old") > F.col("_begin")) & ~F.coalesce(brought_back, F.lit(False))
    asked = open_.where(F.coalesce(discarded, F.lit(False)) | (F.col("_n_old").isNull() & ~F.col("_never_cut")))
    rest = F.when(F.col("_begin") > F.col("_from"), F.format_string("what it held above the high watermark %d was discarded too", "_begin")).otherwise("the rest was discarded")
    premise = F.when(
        F.coalesce(discarded, F.lit(False)),
        F.concat(
            F.format_string("the log of broker %d ended at %d and the new history starts at %d: ", "old_leader_id", "_n_old", "_from"),
            rest,
            F.lit("; only a producer that did not wait for all in-sync replicas can have been told it was stored"),
        ),
    ).otherwise(
        F.concat(
            F.format_string("where the log of broker %d ended when it lost its role is in no line", "old_leader_id"),
            F.when(F.col("_moved_away"), ": it was reassigned away and its log deleted")
            .when(_damaged(), F.format_string(": its recovery found the log damaged and cut it to %d", "_ended.log_end_offset"))
            .when(F.col("_old_follows_ts").isNull(), ": it does not come back in these logs").otherwise(""),
        )
    )  # fmt: skip
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
        _one("_low.event"),
        _one("_ended.event"),
        _one("_cut.event"),
        _one("_cut_before.event"),
        _one("_apart_event"),
        F.when(F.col("_forked"), F.array("_by_hw.event")),
        F.slice(F.coalesce("isr_before_evidence", F.array().cast("array<string>")), 1, 2),
    )
    kept = F.when((F.col("_old_follows_ts").isNull() & F.col("_cut").isNull() & ~F.col("_moved_away")) | F.col("_forked"), F.array("old_leader_id")).otherwise(F.array().cast("array<int>"))
    lost = given["verdict"].isin(*OPEN_VERDICTS)
    filled = changes.withColumns({**given, "recoverable_from": F.when(lost, kept).otherwise(F.array().cast("array<int>")), "evidence": told})
    return filled.select("life", *[F.col(c.name).cast(c.type).alias(c.name) for c in LOSSES.columns])


def _one(event: str) -> Column:
    return F.when(F.col(event).isNotNull(), F.array(event))


def _last_replicas(judged: DataFrame, isr_spans: DataFrame, marks: DataFrame, processes: DataFrame) -> DataFrame:
    """S5 and S6: a leader that ended without a word and led again, nobody else in between, from what its disk still held.

    Its log may be shorter than what it had committed. Alone in the ISR (S5) nobody else holds the rest; with others in it (S6) they cut
    their logs to its end. Proof is a checkpoint copied before the restart, or any older anchor of this history, above its recovered log end
    (facts §3.3).
    """
    restarts = processes.where(F.col("ended").isin("killed", "fatal") & F.col("next_start_ts").isNotNull()).select(
        "node_id", F.col("last_ts").alias("_died_ts"), F.col("next_start_ts").alias("_back_ts"), F.col("recovered_event").alias("_recovered"), "next_start_event"
    )
    in_elr = (F.size("isr") == 0) & F.array_contains(F.coalesce("elr", F.array().cast("array<int>")), F.col("leader_id"))
    alone = isr_spans.where(F.array_contains("isr", F.col("leader_id")) | in_elr).select(
        *PARTITION_KEY, F.col("leader_id").alias("node_id"), "leader_id", (F.size("isr") <= 1).alias("_single"), F.col("leader_epoch").alias("_alone_epoch"), "start_ts", "end_ts", F.col("evidence").alias("_alone")
    )
    died_alone = alone.join(restarts, "node_id").where(
        (F.col("leader_id") == F.col("node_id")) & (F.col("start_ts") <= F.expr("_died_ts + interval 1 second")) & (F.coalesce("end_ts", "_back_ts") > F.col("_died_ts"))
    )
    next_led = judged.where(F.col("leader_id") >= 0).select(
        *PARTITION_KEY, F.col("leader_epoch").alias("_next_epoch"), F.col("leader_id").alias("_next_leader"), F.col("evidence").alias("_next"), F.col("epoch_start_offset").alias("_next_start"), F.col("leader_ts").alias("_next_ts"),
        F.col("start_ts").alias("_next_since"),
    )
    first_next = (
        died_alone.select(*PARTITION_KEY, "node_id", "_alone_epoch", "_died_ts", "_back_ts")
        .join(next_led, list(PARTITION_KEY))
        .where((F.col("_next_epoch") > F.col("_alone_epoch")) & ((F.col("_next_leader") != F.col("node_id")) | (F.coalesce("_next_ts", "_next_since") >= F.col("_back_ts"))))
        .groupBy(*PARTITION_KEY, "node_id", "_alone_epoch", "_died_ts")
        .agg(F.min(F.struct("_next_epoch", "_next_leader", "_next", "_next_start", "_next_ts")).alias("_n"))
    )
    again = died_alone.join(first_next, [*PARTITION_KEY, "node_id", "_alone_epoch", "_died_ts"], "left").where(
        (F.col("_n").isNull() & F.col("_single")) | (F.col("_n._next_leader") == F.col("node_id"))
    )
    key = (*PARTITION_KEY, "node_id", "_died_ts")
    borders = judged.where(is_unclean()).groupBy(*PARTITION_KEY).agg(F.collect_list(F.struct("leader_epoch", "start_ts")).alias("_borders"))
    border = F.array_max(F.filter("_borders", lambda b: b["leader_epoch"] <= F.col("_alone_epoch")))
    near = again.join(borders, list(PARTITION_KEY), "left").withColumn("_border", border).drop("_borders").join(marks, list(PARTITION_KEY))
    own = F.col("_node") == F.col("node_id")
    in_next_life = (F.col("_ts") >= F.col("_back_ts")) & (F.col("_ts") < F.expr("_back_ts + interval 600 seconds"))
    anchor = F.col("source").isin(*_ANCHORS) & (F.col("_ts") < F.col("_back_ts")) & F.col("high_watermark").isNotNull() & ~F.col("_clamped_anew") & F.coalesce(F.col("_used_up_in") > F.col("_alone_epoch"), F.lit(True))
    # After an unclean election only its leader's line testifies: a replica that returns still speaks of the old history.
    anchor = anchor & (F.col("_border").isNull() | (own & (F.col("_ts") >= F.col("_border.start_ts")) & F.coalesce(F.col("_in_epoch") >= F.col("_border.leader_epoch"), F.col("source").startswith("checkpoint"))))
    measured = near.groupBy(*key).agg(
        F.min(F.when(own & in_next_life & (F.col("source") == "log_load_completed"), F.struct("_ts", F.col("log_end_offset").alias("offset"), F.col("_event").alias("event")))).alias("_loaded"),
        F.min(F.when(own & in_next_life & (F.col("source") == "partition_log_loaded"), F.struct("_ts", F.col("high_watermark").alias("offset"), F.col("_event").alias("event")))).alias("_w"),
        F.max(F.when(anchor, F.struct(F.col("high_watermark").alias("offset"), "_ts", F.col("_event").alias("event"), "_node", "source"))).alias("_v"),
    )
    known = again.join(measured, list(key)).withColumn("_end", F.coalesce("_n._next_start", "_loaded.offset")).where(F.col("_end").isNotNull())
    newest = Window.partitionBy(*key).orderBy(F.desc("_alone_epoch"), F.desc("start_ts"))
    rows = known.withColumn("_nth", F.row_number().over(newest)).where(F.col("_nth") == 1)
    end, clamped = F.col("_end"), F.coalesce(F.col("_w.offset") >= F.col("_end"), F.lit(False))
    proven = F.coalesce(F.col("_v.offset") > end, F.lit(False))
    verdict = F.when(proven, "PROVEN_LOSS").when(clamped, "POSSIBLE_LOSS").when(F.col("_w").isNull(), "UNDETERMINED").otherwise("NO_LOSS_OBSERVED")
    premise = (
        F.when(proven, F.format_string("broker %d had the high watermark %d before it died (%s of broker %d) and its log ended at %d when it came back", "node_id", "_v.offset", "_v.source", "_v._node", "_end"))
        .when(clamped, _as_it_died("broker %d %s; it came back with log end %d, to which its high watermark was cut: how far it had committed is in no line (a copy of replication-offset-checkpoint from before the restart would tell)", "_end"))
        .when(F.col("_w").isNull(), _as_it_died("broker %d %s; it came back with log end %d, and no line tells the high watermark it had checkpointed", "_end"))
        .otherwise(_as_it_died("broker %d %s; its recovered log (end %d) reaches past the high watermark %d last checkpointed, so nothing shows that its disk lost records", "_end", "_w.offset"))
    )  # fmt: skip
    filled = rows.withColumns(
        {
            "leader_epoch": F.coalesce("_n._next_epoch", "_alone_epoch"),
            "ts": F.coalesce("_n._next_ts", "_loaded._ts", "_back_ts"),
            "scenario": F.when(F.col("_single"), "S5").otherwise("S6"),
            "loss_class": F.lit("committed"),
            "verdict": verdict,
            "from_offset": end,
            "to_offset_low": F.when(proven, F.col("_v.offset")).otherwise(end),
            "to_offset_high": F.when(verdict == "NO_LOSS_OBSERVED", end),
            "old_leader_id": F.col("node_id"),
            "new_leader_id": F.col("node_id"),
            "recoverable_from": F.array().cast("array<int>"),
            "premise": premise,
            "evidence": joined(F.slice("_alone", 1, 2), _one("_v.event"), _one("_recovered"), _one("_loaded.event"), _one("_w.event"), F.slice("_n._next", 1, 2)),
        }
    )
    return filled.select("life", *[F.col(c.name).cast(c.type).alias(c.name) for c in LOSSES.columns])


def _as_it_died(text: str, *rest: str) -> Column:
    """`text` with the broker, and how it stood when it died."""
    return F.format_string(text, "node_id", F.when(F.col("_single"), "was alone in the ISR when it died").otherwise("led when it died, and leads again"), *rest)


def losses_table(losses: DataFrame) -> DataFrame:
    """Returns `LOSSES`."""
    return LOSSES.of(losses)
