"""Followers that leaders dropped for lag: cut off from their peers (F05), or slow (F13).

A leader looks at its followers every half of `replica.lag.time.max.ms`, so one fault's shrinks stand within half of
that of each other, all over the cluster: those are judged together, each spell by itself. Source: facts §1.2, §5 and
§5.1.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.timings import with_timings
from replay.columns.events import detail
from replay.columns.evidence import AT_MOST, evidence_of, joined
from replay.columns.partitions import partition_name
from replay.columns.times import millis, plus_millis
from replay.columns.windows import so_far
from replay.faults.kinds import ORDERED_STOPS, REPLICATION_STOPPED, is_kind
from replay.faults.rows import (
    AFTERMATH_MS,
    OPEN_MS,
    fault_rows,
    files_begun_in_mid_flow,
    in_spells,
    removed_from_isr,
    times_explained,
    times_of,
)
from replay.sentences import statement
from replay.tables.faults import FAULTS, LAG_DROPS, LAG_SHRINKS

BACK_AT_ONCE_MS = 1_000  # a leader that wakes has its followers back within 15 to 50 ms (facts §5, F13)
WAKING_MS = 5_000  # and writes its ISRs again within this, where it must find ZooKeeper first
CHECKED_LATE_MS = 1_000  # the check for lag is run late by less than this
FETCHED_WITHIN_MS = 2_000  # a follower that keeps up fetches again within this, beyond what a fetch waits
FLAPS_WITHIN = 4  # times replica.lag.time.max.ms: a follower that is slow again so soon is slow still (facts §5, F13)
SLOW, CUT, ALONE, LINK = "slow", "cut", "alone", "link"


def lag_shrinks(events: DataFrame, timings: DataFrame) -> DataFrame:
    """The lines about shrinking ISRs, with what the leader's lines say of the time around. Returns `LAG_SHRINKS`."""
    return LAG_SHRINKS.of(with_timings(_shrinks(events), timings, "leader_id", "ts", "replica_lag_ms", "fetch_wait_ms"))


def lag_drops(
    lag_shrinks: DataFrame, events: DataFrame, known: DataFrame, stated: DataFrame, timings: DataFrame
) -> DataFrame:
    """Who dropped whom from ISRs for lag, in spells, where no other fault explains it, nor may one that these logs
    begin too late to tell of. Returns `LAG_DROPS`.

    What a leader drops and takes back at once it dropped on waking: that tells nothing of its followers. A link that
    is known to be cut explains no more than that its ends drop each other.
    """
    is_link = is_kind("link_cut")
    unexplained = _without_explained(lag_shrinks.where(~F.col("woke")), known.where(~is_link), stated, timings)
    spelled = in_spells(_not_as_files_begin(unexplained, events), (), F.col("replica_lag_ms"))
    ends = F.broadcast(_ends(known.where(is_link)))
    return LAG_DROPS.of(_drops(spelled).join(ends, _is_between_ends(), "left_anti"))


def with_partitions_of_links(faults: DataFrame, lag_shrinks: DataFrame) -> DataFrame:
    """The faults, the cut links among them with the partitions in which one end dropped the other; one that is dropped
    had not caught up for `replica.lag.time.max.ms`, which bounds the begin too. Returns `FAULTS`.
    """
    by = _would_have_fetched(plus_millis("ts", -F.col("replica_lag_ms")))
    drops = lag_shrinks.select("leader_id", F.explode("removed").alias("dropped_id"), "name", "ts", by.alias("_by"))
    ends = F.broadcast(_ends(faults.where(is_kind("link_cut"))))
    of_link = (
        drops.join(ends, _is_between_ends())
        .groupBy("fault_id")
        .agg(F.array_sort(F.collect_set("name")).alias("_names"), F.min("_by").alias("_by"))
    )
    told = faults.join(of_link, "fault_id", "left").withColumns(
        {
            "partitions": F.coalesce("_names", "partitions"),
            "began_high": F.greatest("began_low", F.least("began_high", "_by")),
        }
    )
    return FAULTS.of(told)


def lagging(lag_drops: DataFrame, lag_shrinks: DataFrame) -> DataFrame:
    """F05 and F13: followers that leaders dropped for lag. Returns `FAULTS`.

    Cut off from its peers (F05) is a broker that drops all others while other leaders drop just it. So are two that
    drop each other while every other leader keeps both. So is one that drops all its followers at once while no other
    leader drops any of them. A broker that only others drop is slow (F13).
    """
    return _as_faults(_flapping_as_one(_judged(lag_drops)), lag_shrinks.where("woke"))


def _shrinks(events: DataFrame) -> DataFrame:
    """One row a shrink: `leader_id, name, ts, event_id, removed, alone, several, caught_up, back_ts, woke`.

    `alone`: it left the leader alone. `several`: it dropped several. `back_ts`: when the leader had all of them back.
    `woke`: it is of a time in which its leader dropped all followers of a partition and had them all back at once.
    Followers that had stopped fetching come back one by one, over the network. A leader that was frozen finds them all
    late, and then their fetches in its queue (facts §5, F13).
    """
    is_change = F.col("kind").isin("isr_shrink", "isr_updated", "isr_expand") & F.col("isr").isNotNull()
    about_then = Window.partitionBy("node_id").orderBy(F.unix_millis("ts")).rangeBetween(-WAKING_MS, WAKING_MS)
    changes = events.where(is_change & F.col("topic").isNotNull())
    shrinks = (
        changes.where(F.col("kind") == "isr_shrink")
        .withColumn("removed", removed_from_isr())
        .where(F.size("removed") > 0)
    )
    alone, several = F.size("isr") == 1, F.size("removed") > 1
    back = shrinks.join(_all_back(changes, shrinks), "event_id", "left")
    at_once = F.coalesce(millis("back_ts", "ts") <= BACK_AT_ONCE_MS, F.lit(False))
    return back.withColumn("woke", F.max(alone & several & at_once).over(about_then)).select(
        F.col("node_id").alias("leader_id"),
        partition_name().alias("name"),
        "ts",
        "event_id",
        "removed",
        alone.alias("alone"),
        several.alias("several"),
        _caught_up_times().alias("caught_up"),
        "back_ts",
        "woke",
    )


def _all_back(changes: DataFrame, shrinks: DataFrame) -> DataFrame:
    """`event_id, back_ts`: when the leader had back all replicas that a shrink took out of the ISR."""
    partition = ("node_id", "topic", "partition", "replica")
    members = changes.select(*partition[:-1], "ts", F.explode("isr").alias("replica"), F.col("ts").alias("_in_ts"))
    gone = shrinks.select(*partition[:-1], "ts", F.explode("removed").alias("replica"), "event_id")
    from_then_on = (
        Window.partitionBy(*partition)
        .orderBy(F.unix_millis("ts").desc())
        .rangeBetween(Window.unboundedPreceding, Window.currentRow)
    )
    told = gone.unionByName(members, allowMissingColumns=True)
    each = told.withColumn("_in_ts", F.min("_in_ts").over(from_then_on)).where(F.col("event_id").isNotNull())
    all_are = F.count("_in_ts") == F.count("*")
    return each.groupBy("event_id").agg(F.when(all_are, F.max("_in_ts")).alias("back_ts"))


def _caught_up_times() -> Column:
    """map(broker, epoch ms): when each follower had last caught up, as shrink lines tell from 3.6 on."""
    pattern = F.lit(r"brokerId: (\d+), endOffset: -?\d+, lastCaughtUpTimeMs: (\d+)")
    told = F.coalesce(detail("out_of_sync_replicas"), F.lit(""))
    brokers = F.transform(F.regexp_extract_all(told, pattern, 1), lambda broker: broker.try_cast("int"))
    times = F.transform(F.regexp_extract_all(told, pattern, 2), lambda ms: ms.try_cast("bigint"))
    return F.map_from_arrays(F.array_distinct(brokers), F.slice(times, 1, F.size(F.array_distinct(brokers))))


def _without_explained(shrinks: DataFrame, known: DataFrame, stated: DataFrame, timings: DataFrame) -> DataFrame:
    """Shrinks that no known fault explains: of the leader, or of a follower that it dropped; an ordered stop explains
    only that its own broker is dropped.
    """
    until = plus_millis("ts", OPEN_MS)
    stops_replication = with_timings(
        stated.where(is_kind(*REPLICATION_STOPPED)), timings, "broker_id", "ts", "replica_lag_ms"
    )
    at_fault = times_explained(known, until).unionByName(
        times_explained(stops_replication, F.col("ts"), F.col("replica_lag_ms") * 1.5)
    )
    stops = times_of(known.where(is_kind(*ORDERED_STOPS)), until)
    explained = at_fault.withColumn("_leads_too", F.lit(True)).unionByName(stops.withColumn("_leads_too", F.lit(False)))
    of_leader = F.col("_leads_too") & (F.col("fault_broker") == F.col("leader_id"))
    concerned = of_leader | F.array_contains("removed", F.col("fault_broker"))
    return shrinks.join(
        F.broadcast(explained), F.col("ts").between(F.col("from_ts"), F.col("to_ts")) & concerned, "left_anti"
    )


def _not_as_files_begin(shrinks: DataFrame, events: DataFrame) -> DataFrame:
    """Without those of leaders whose files begin just before: they may follow from what went before."""
    just_begun = F.col("ts") < plus_millis("begun_ts", F.col("replica_lag_ms") * 1.5)
    begun = F.broadcast(files_begun_in_mid_flow(events))
    return shrinks.join(begun, (F.col("leader_id") == F.col("begun_node")) & just_begun, "left_anti")


def _drops(shrinks: DataFrame) -> DataFrame:
    """One row a spell, leader and broker that it dropped: how often, when, and what the lines tell of when that one
    had last caught up.
    """
    timed = _with_begin(shrinks.select("*", F.explode("removed").alias("dropped_id")))
    return timed.groupBy("spell", "leader_id", "dropped_id").agg(
        F.count("*").alias("drops"),
        F.count_if("alone").alias("left_alone"),
        F.count_if(F.col("alone") & F.col("several")).alias("at_once"),
        *_sums_of_time(F.col("ts")),
        F.collect_set("name").alias("names"),
        F.collect_set(F.struct("ts", "event_id")).alias("lines"),
    )


def _ends(links: DataFrame) -> DataFrame:
    """`fault_id, _ends, _from, _to`: between whom each link was cut, and in which time they may drop each other."""
    return links.select(
        "fault_id",
        F.array_sort(F.array("broker_id", F.element_at("peers", 1))).alias("_ends"),
        F.col("began_low").alias("_from"),
        plus_millis("end_ts", AFTERMATH_MS).alias("_to"),
    )


def _is_between_ends() -> Column:
    at_that_time = F.col("ts").between(F.col("_from"), F.col("_to"))
    return (F.array_sort(F.array("leader_id", "dropped_id")) == F.col("_ends")) & at_that_time


def _with_begin(drops: DataFrame) -> DataFrame:
    """`drops` with `began_low`, `began_high`: when the follower had last fetched all there was, as the line tells or
    the setting leaves possible.
    """
    told_ms, lag_ms = F.col("caught_up")[F.col("dropped_id")], F.col("replica_lag_ms")
    age_ms = F.unix_millis("ts") - told_ms
    # The leader's own clock wrote it: where that was off, the age shows it.
    is_plausible = age_ms.between(lag_ms - CHECKED_LATE_MS, lag_ms * 1.5 + 5 * CHECKED_LATE_MS)
    caught_up_ts = F.when(F.coalesce(is_plausible, F.lit(False)), F.timestamp_millis(told_ms))
    earliest = plus_millis("ts", -lag_ms * 1.5 - CHECKED_LATE_MS)
    latest = F.coalesce(caught_up_ts, plus_millis("ts", -lag_ms))
    return drops.withColumns(
        {
            "told": caught_up_ts.isNotNull(),
            "began_low": F.coalesce(plus_millis(caught_up_ts, -F.col("fetch_wait_ms")), earliest),
            "began_high": _would_have_fetched(latest),
            "last_ts": F.col("ts"),
            "first_back_ts": F.col("back_ts"),
        }
    )


def _would_have_fetched(caught_up_ts: Column) -> Column:
    """By when a follower that had caught up then, and goes on, has fetched again."""
    return plus_millis(caught_up_ts, F.col("fetch_wait_ms") + FETCHED_WITHIN_MS)


def _sums_of_time(ts: Column) -> list[Column]:
    """What the times of several drops, or spells of them, tell together.

    Where no line tells when a follower had caught up, the first drop bounds the begin: an idle partition is dropped
    only when it is written to.
    """
    all_back = F.count_if(F.col("back_ts").isNull()) == 0
    return [
        F.min(ts).alias("ts"),
        F.max("last_ts").alias("last_ts"),
        *[
            F.coalesce(F.max(F.when(F.col("told"), F.col(name))), F.min(name)).alias(name)
            for name in ("began_low", "began_high")
        ],
        F.bool_or("told").alias("told"),
        F.min("first_back_ts").alias("first_back_ts"),
        F.when(all_back, F.max("back_ts")).alias("back_ts"),
        F.max("replica_lag_ms").alias("replica_lag_ms"),
    ]


def _judged(drops: DataFrame) -> DataFrame:
    """One row a spell and broker at fault: `pattern` (`cut`, `alone`, `link`, `slow`), `peer_id` of a link, and what
    its drops tell.
    """
    centers = _isolated(_brokers_of_spells(drops))
    leader_is_cut = F.array_contains("isolated", F.col("leader_id"))
    is_cut = F.coalesce(leader_is_cut | F.array_contains("isolated", F.col("dropped_id")), F.lit(False))
    placed = drops.join(centers, "spell", "left").withColumn("_is_cut", is_cut)
    center = F.when(leader_is_cut, F.col("leader_id")).otherwise(F.col("dropped_id"))
    others = _with_droppers(placed.where(~F.col("_is_cut")))
    by_pattern = (
        (placed.where("_is_cut"), CUT, center),
        (others.where("drops_all_of_its_own"), ALONE, F.col("leader_id")),
        (others.where("not drops_all_of_its_own and is_link"), LINK, F.col("dropped_id")),
        (others.where("not drops_all_of_its_own and not is_link"), SLOW, F.col("dropped_id")),
    )
    return reduce(DataFrame.unionByName, [_summed(rows, pattern, broker) for rows, pattern, broker in by_pattern])


def _brokers_of_spells(drops: DataFrame) -> DataFrame:
    """`spell, node, rank, neighbours`: the brokers that were left alone by their drops and were dropped themselves,
    by how many and how often.
    """
    as_leader = drops.groupBy("spell", F.col("leader_id").alias("node")).agg(
        F.sum("left_alone").alias("_left_alone"), F.collect_set("dropped_id").alias("_dropped")
    )
    as_follower = drops.groupBy("spell", F.col("dropped_id").alias("node")).agg(
        F.collect_set("leader_id").alias("_dropped_by"), F.sum("drops").alias("_drops")
    )
    return (
        as_leader.where(F.col("_left_alone") > 0)
        .join(as_follower, ["spell", "node"])
        .select(
            "spell",
            "node",
            F.struct(F.size("_dropped_by").alias("leaders"), "_drops", (-F.col("node")).alias("id")).alias("rank"),
            F.array_union("_dropped", "_dropped_by").alias("neighbours"),
        )
    )


def _isolated(brokers: DataFrame) -> DataFrame:
    """`spell, isolated`: the brokers that drop all others and are dropped; of two that drop each other the one that
    more leaders drop.
    """
    others = brokers.select("spell", F.col("node").alias("_other"), F.col("rank").alias("_rank"))
    highest = F.max(F.when(F.array_contains("neighbours", F.col("_other")), F.col("_rank")))
    ranked = brokers.join(others, "spell").groupBy("spell", "node", "rank").agg(highest.alias("_highest"))
    is_worst = F.coalesce(F.col("rank") > F.col("_highest"), F.lit(True))
    return ranked.where(is_worst).groupBy("spell").agg(F.collect_set("node").alias("isolated"))


def _with_droppers(drops: DataFrame) -> DataFrame:
    """`drops` with `drops_all_of_its_own`: the leader dropped several at once that nobody else drops, and nobody
    drops it; and `is_link`: the two drop each other alone.
    """
    of_dropped, of_leader = Window.partitionBy("spell", "dropped_id"), Window.partitionBy("spell", "leader_id")
    counted = drops.withColumn("_droppers", F.count("*").over(of_dropped))
    was_dropped = drops.select(
        "spell", F.col("dropped_id").alias("leader_id"), F.lit(True).alias("_was_dropped")
    ).distinct()
    only_its = F.count_if(F.col("_droppers") == 1).over(of_leader) > 1
    all_at_once = (F.max("at_once").over(of_leader) > 0) & only_its
    judged = counted.withColumn("_all_at_once", all_at_once).join(was_dropped, ["spell", "leader_id"], "left")
    by_one_alone = (F.col("_droppers") == 1) & (F.col("left_alone") == 0)
    other_way = counted.where(by_one_alone).select(
        "spell",
        F.col("dropped_id").alias("leader_id"),
        F.col("leader_id").alias("dropped_id"),
        F.lit(True).alias("_back"),
        F.col("names").alias("back_names"),
    )
    return judged.join(other_way, ["spell", "leader_id", "dropped_id"], "left").withColumns(
        {
            "drops_all_of_its_own": F.col("_all_at_once") & F.col("_was_dropped").isNull(),
            "is_link": F.coalesce(F.col("_back"), F.lit(False)) & by_one_alone,
        }
    )


def _summed(drops: DataFrame, pattern: str, broker: Column) -> DataFrame:
    """The drops of a spell that one broker is at fault for: those that it made as a leader, and those of it; of a link
    also those the other way.
    """
    own = F.col("leader_id") == F.col("broker_id")
    peer = F.min("leader_id") if pattern == LINK else F.lit(None).cast("int")
    names = F.array_union("names", "back_names") if pattern == LINK else F.col("names")
    return (
        drops.withColumn("broker_id", broker)
        .groupBy("spell", "broker_id")
        .agg(
            F.lit(pattern).alias("pattern"),
            peer.alias("peer_id"),
            F.sum(F.when(own, F.col("left_alone")).otherwise(0)).alias("left_alone"),
            F.sum(F.when(own, F.col("at_once")).otherwise(0)).alias("at_once"),
            F.sum(F.when(~own, F.col("drops")).otherwise(0)).alias("drops"),
            F.collect_set(F.when(~own, F.col("leader_id"))).alias("leaders"),
            F.collect_set(F.when(own, F.col("dropped_id"))).alias("followers"),
            *_sums_of_time(F.col("ts")),
            F.array_distinct(F.flatten(F.collect_list(names))).alias("names"),
            F.flatten(F.collect_list("lines")).alias("lines"),
        )
    )


def _flapping_as_one(spells: DataFrame) -> DataFrame:
    """Spells of one broker and pattern that follow each other soon are one fault: it is slow still."""
    of_broker = Window.partitionBy("broker_id", "pattern", "peer_id").orderBy("ts")
    gap_ms = millis("ts", F.lag("last_ts").over(of_broker))
    is_apart = F.coalesce(gap_ms > F.col("replica_lag_ms") * FLAPS_WITHIN, F.lit(True))
    numbered = spells.withColumn("_apart", is_apart).withColumn("_fault", F.count_if("_apart").over(so_far(of_broker)))
    first = {name: F.min_by(name, "ts").alias(f"first_{name}") for name in ("began_low", "began_high")}
    merged = numbered.groupBy("broker_id", "pattern", "peer_id", "_fault").agg(
        F.sum("left_alone").alias("left_alone"),
        F.sum("at_once").alias("at_once"),
        F.sum("drops").alias("drops"),
        F.size(F.array_distinct(F.flatten(F.collect_list("leaders")))).alias("leaders"),
        F.size(F.array_distinct(F.flatten(F.collect_list("followers")))).alias("followers"),
        *_sums_of_time(F.col("ts")),
        *first.values(),
        F.array_sort(F.array_distinct(F.flatten(F.collect_list("names")))).alias("partitions"),
        _ids_in_time(F.flatten(F.collect_list("lines"))).alias("evidence"),
    )
    return merged.withColumns({"began_low": F.col("first_began_low"), "began_high": F.col("first_began_high")})


def _ids_in_time(lines: Column) -> Column:
    return F.slice(F.array_distinct(F.transform(F.array_sort(lines), lambda line: line["event_id"])), 1, AT_MOST)


def _as_faults(judged: DataFrame, on_waking: DataFrame) -> DataFrame:
    """The faults; a slow follower that itself dropped all its followers and had them back at once had stood still."""
    woke = on_waking.select(F.col("leader_id").alias("_woke"), F.col("ts").alias("_woke_ts"), "name", "event_id")
    until = plus_millis(F.coalesce("back_ts", "last_ts"), WAKING_MS + BACK_AT_ONCE_MS)
    in_its_time = (F.col("_woke") == F.col("broker_id")) & F.col("_woke_ts").between(F.col("ts"), until)
    waking = (
        judged.where(F.col("pattern") == SLOW)
        .join(woke, in_its_time)
        .groupBy("broker_id", "ts")
        .agg(F.countDistinct("name").alias("woken"), evidence_of("event_id", "_woke_ts").alias("waking_evidence"))
    )
    faults = judged.join(waking, ["broker_id", "ts"], "left").withColumn("stood_still", F.col("woken").isNotNull())
    return fault_rows(
        faults,
        F.when(F.col("pattern") == SLOW, "slow_follower")
        .when(F.col("pattern") == LINK, "link_cut")
        .otherwise("cut_from_peers"),
        said=_how_it_is_known(),
        began_low=F.col("began_low"),
        began_high=F.greatest("began_low", F.least("began_high", "ts")),
        end_ts=F.coalesce("back_ts", "last_ts"),
        ended_low=F.col("last_ts"),
        ended_high=F.when(F.col("pattern") == SLOW, F.col("back_ts")).otherwise(F.col("first_back_ts")),
        peers=F.when(F.col("pattern") == LINK, F.array("peer_id")),
        confidence=_confidence(),
        unknowns=_unknowns(),
        evidence=joined("evidence", "waking_evidence"),
    )


def _confidence() -> Column:
    pattern = F.col("pattern")
    slow = F.when(F.col("stood_still"), 0.85).otherwise(0.75)
    return F.when(pattern == CUT, 0.85).when(pattern == ALONE, 0.6).when(pattern == LINK, 0.8).otherwise(slow)


def _unknowns() -> Column:
    slow = F.when(F.col("stood_still"), "why_it_stood_still").otherwise("why_it_lagged")
    of_pattern = F.when(F.col("pattern").isin(CUT, ALONE), "cut_or_stalled").when(F.col("pattern") == SLOW, slow)
    return F.array_compact(F.array(of_pattern))


def _how_it_is_known() -> Column:
    pattern = F.col("pattern")
    reason = (
        F.when(pattern == CUT, "dropped_all_and_was_dropped")
        .when(pattern == ALONE, "dropped_all_at_once")
        .when(pattern == LINK, "dropped_each_other")
        .otherwise("dropped_for_lag")
    )
    return statement(
        reason,
        broker="broker_id",
        peer="peer_id",
        left_alone="left_alone",
        dropped_at_once="at_once",
        drops="drops",
        leaders="leaders",
        followers="followers",
        woken="woken",
    )
