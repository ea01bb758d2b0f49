"""Followers that leaders dropped for lag: cut from their peers (F05), or slow (F13)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.evidence import evidence_of, joined
from replay.columns.phrases import counted
from replay.columns.times import plus_millis
from replay.faults.shape import LAG_MS, begun_unseen, explaining, fault, lasting, removed
from replay.faults.taxonomy import ORDERED_STOPS

_CUT_OR_STALLED = "a network cut and a leader whose disk or threads stall look alike here: its own request timeouts or the host's network counters would tell"
_WHY_SLOW = "why it lagged (disk, throttle, load, short pauses) is not in these logs"
_WHY_STILL = "why it stood still (garbage collection, disk, virtual machine) is not in these logs: its garbage-collection log or the host's own would tell"
_AT_ONCE_MS = 1_000  # a leader that wakes has its followers back within 15 to 50 ms (facts §5, F13)
_WAKING_MS = 5_000  # and writes its ISRs again within this, where it must find ZooKeeper first
# Stated faults in which a broker lives on and its replication does not; a leader's clock that is set forward makes all its followers late.
_STOPS_REPLICATION = (
    "out_of_memory",
    "authentication_failed",
    "log_dir_failed",
    "records_damaged",
    "fetcher_died",
    "protocol_refused",
    "clock_stepped",
)


def lagging(events: DataFrame, known: DataFrame, stated: DataFrame) -> DataFrame:
    """F05 and F13: ISRs that leaders shrank for lag, where no process, session or pause explains it, nor a `stated` fault that stops replication, nor may one that these logs begin too late to tell of.

    A broker whose leaders drop all others while other leaders drop just it is cut from its peers (F05), as are two that drop each
    other while every other leader keeps both, and one that drops all its followers at once while no other leader drops any of them; one that
    only others drop is slow (F13). What a leader drops and takes back at once it dropped on waking: that tells nothing of its followers.
    """
    shrinks = _shrinks(events)
    at_fault = explaining(known, plus_millis("ts", 600_000)).unionByName(
        explaining(stated.where(F.col("kind").isin(*_STOPS_REPLICATION)), F.col("ts"), LAG_MS)
    )
    stopped = lasting(known.where(F.col("kind").isin(*ORDERED_STOPS)), plus_millis("ts", 600_000))
    explained = at_fault.withColumn("_leads", F.lit(True)).unionByName(stopped.withColumn("_leads", F.lit(False)))
    touched = F.col("ts").between(F.col("_from"), F.col("_to")) & (
        (F.col("_leads") & (F.col("_fault_broker") == F.col("_leader")))
        | F.array_contains("_removed", F.col("_fault_broker"))
    )
    # What befalls a node as its files begin may follow from what went before.
    unseen = (F.col("_leader") == F.col("_node")) & (F.col("ts") < plus_millis("_begun_ts", LAG_MS))
    open_ = (
        shrinks.where(~F.col("_woke"))
        .join(F.broadcast(explained), touched, "left_anti")
        .join(F.broadcast(begun_unseen(events)), unseen, "left_anti")
    )
    # A shrink tells of each follower it drops, and of the leader that drops them.
    parts = F.concat(
        F.transform("_removed", lambda removed: F.struct(removed.alias("broker_id"), F.col("_leader").alias("_by"))),
        F.array(F.struct(F.col("_leader").alias("broker_id"), F.lit(None).cast("int").alias("_by"))),
    )
    about = open_.select(F.explode(parts).alias("_part"), "_alone", "_several", "ts", "event_id", "_tp").select(
        "_part.*", "*"
    )
    dropped, drops_all = F.col("_by").isNotNull(), F.col("_by").isNull() & F.col("_alone")
    told = about.groupBy("broker_id").agg(
        F.count_if(dropped).alias("_dropped"),
        F.count_if(drops_all).alias("_drops_all"),
        F.count_if(drops_all & F.col("_several")).alias("_drops_all_at_once"),
        F.countDistinct("_by").alias("_leaders"),
        F.array_sort(F.collect_set("_by")).alias("_dropped_by"),
        F.min("ts").alias("ts"),
        F.max("ts").alias("end_ts"),
        F.array_sort(F.collect_set("_tp")).alias("partitions"),
        evidence_of().alias("evidence"),
    )
    woken = (
        shrinks.where("_woke")
        .groupBy(F.col("_leader").alias("broker_id"))
        .agg(F.countDistinct("_tp").alias("_woken"), evidence_of().alias("_waking"))
    )
    of_all, only_leader, me = (
        Window.partitionBy(),
        F.when(F.size("_dropped_by") == 1, F.get("_dropped_by", F.lit(0))),
        F.col("broker_id"),
    )
    seen = (
        told.withColumn(
            "_lone", F.when(F.col("_drops_all") == 0, only_leader)
        )  # the one leader that drops it, of a broker that does not drop all others itself
        # Of two brokers that drop each other the one at fault is dropped by others while it drops all.
        .withColumn(
            "_worst",
            F.min(
                F.when(
                    (F.col("_drops_all") > 0) & (F.col("_dropped") > 0),
                    F.struct(-F.col("_leaders"), -F.col("_dropped"), me),
                )
            ).over(of_all)["broker_id"],
        )
        # Followers that one leader alone drops, all of them at once, are not slow each by itself.
        .withColumn("_followers", F.size(F.filter(F.collect_list("_lone").over(of_all), lambda lone: lone == me)))
        .withColumn(
            "_is_alone", (F.col("_drops_all_at_once") > 0) & (F.col("_dropped") == 0) & (F.col("_followers") > 1)
        )
        .withColumn("_alone_ones", F.collect_set(F.when(F.col("_is_alone"), me)).over(of_all))
        .withColumn(
            "_dropped_by_one",
            F.collect_set(F.when(F.col("_lone").isNotNull(), F.struct("_lone", "broker_id"))).over(of_all),
        )
    )
    cut = F.coalesce(F.col("_worst") == me, F.lit(False))
    told_of_another = F.col("_worst").isNotNull() | F.coalesce(
        F.array_contains("_alone_ones", only_leader), F.lit(False)
    )
    link = F.col("_lone").isNotNull() & F.exists(
        "_dropped_by_one", lambda pair: (pair["_lone"] == me) & (pair["broker_id"] == F.col("_lone"))
    )
    stood_still = F.col("_woken").isNotNull()
    because = {
        "cut": F.format_string(
            "broker %d dropped all other replicas of %d partitions it leads while %d other leaders dropped it; no session ended and its files go on",
            me,
            "_drops_all",
            "_leaders",
        ),
        "alone": F.format_string(
            "broker %d dropped all other replicas of %d partitions it leads, %d brokers, and no other leader dropped any of them: its own network, disk or threads",
            me,
            "_drops_all_at_once",
            "_followers",
        ),
        "link": F.format_string(
            "brokers %d and %d dropped each other from the ISRs they lead while every other leader kept both, so neither was slow: the link between them",
            me,
            "_lone",
        ),
        "slow": F.concat(
            F.format_string(
                "%s removed broker %d from %s ISRs %d times for lag while it stayed in the cluster",
                counted("_leaders", "leader"),
                me,
                F.when(F.col("_leaders") == 1, "its").otherwise("their"),
                "_dropped",
            ),
            F.when(
                stood_still,
                F.format_string(
                    "; itself it then dropped all followers of %s that it leads and had them all back at once, so it had stood still",
                    counted("_woken", "partition"),
                ),
            ).otherwise(""),
        ),
    }
    pattern = (
        F.when(cut, "cut")
        .when(F.col("_is_alone"), "alone")
        .when((F.col("_dropped") == 0) | told_of_another, None)
        .when(link, "link")
        .otherwise("slow")
    )
    found = (
        seen.withColumn("_pattern", pattern)
        .where(F.col("_pattern").isNotNull())
        .join(F.broadcast(woken), "broker_id", "left")
    )
    slow, one_link = F.col("_pattern") == "slow", F.col("_pattern") == "link"
    return fault(
        found,
        F.when(slow, "slow_follower").when(one_link, "link_cut").otherwise("cut_from_peers"),
        F.when(slow, "F13").otherwise("F05"),
        t0_low=plus_millis("ts", -LAG_MS),
        partitions=F.col("partitions"),
        nodes=F.when(one_link, F.array("_lone")),
        confidence=_by_pattern(
            cut=F.lit(0.85), alone=F.lit(0.6), link=F.lit(0.8), slow=F.when(stood_still, 0.85).otherwise(0.75)
        ),
        because=_by_pattern(**because),
        blind_spots=_by_pattern(
            cut=F.array(F.lit(_CUT_OR_STALLED)),
            alone=F.array(F.lit(_CUT_OR_STALLED)),
            link=F.array().cast("array<string>"),
            slow=F.array(F.when(stood_still, _WHY_STILL).otherwise(_WHY_SLOW)),
        ),
        evidence=F.when(slow, joined("evidence", "_waking")).otherwise(F.col("evidence")),
    )


def _shrinks(events: DataFrame) -> DataFrame:
    """`_leader, _removed, _alone, _several, _woke, ts, event_id, _tp`: each shrink, whether it left the leader alone and dropped several, and
    whether it is of a time when its leader dropped all followers of a partition and had them all back at once.

    Followers that had stopped fetching come back one by one, over the network; a leader that stood still finds them all late, and then their
    fetches in its queue (facts §5, F13).
    """
    changes = events.where(
        F.col("kind").isin("isr_shrink", "isr_updated", "isr_expand")
        & F.col("isr").isNotNull()
        & F.col("topic").isNotNull()
    )
    at_once = (
        Window.partitionBy("node_id", "topic", "partition").orderBy(F.unix_millis("ts")).rangeBetween(0, _AT_ONCE_MS)
    )
    about_then = Window.partitionBy("node_id").orderBy(F.unix_millis("ts")).rangeBetween(-_WAKING_MS, _WAKING_MS)
    drops_all = (F.size("isr") == 1) & (F.size("_removed") > 1)
    back = F.exists("_isrs", lambda isr: F.size(F.array_except("_removed", isr)) == 0)
    return (
        changes.withColumn("_isrs", F.collect_list("isr").over(at_once))
        .where(F.col("kind") == "isr_shrink")
        .withColumn("_removed", removed())
        .where(F.size("_removed") > 0)
        .withColumn("_woke", F.max(drops_all & back).over(about_then))
        .select(
            F.col("node_id").alias("_leader"),
            "_removed",
            (F.size("isr") == 1).alias("_alone"),
            (F.size("_removed") > 1).alias("_several"),
            "_woke",
            "ts",
            "event_id",
            F.concat_ws("-", "topic", "partition").alias("_tp"),
        )
    )


def _by_pattern(**values: Column) -> Column:
    return F.coalesce(*[F.when(F.col("_pattern") == pattern, value) for pattern, value in values.items()])
