"""States of a partition against themselves and each other, and the ISRs that came of them: I1-I5, I7, I26, I28-I30."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.times import millis, plus_millis
from replay.columns.windows import PARTITION_KEY
from replay.invariants.shape import SLACK_MS, breaches, broken, shown


def states_disagree(sightings: DataFrame) -> DataFrame:
    """I1-I5, I7, I26, and I29 where a record of the metadata log is one of the sides: states of a partition against
    themselves and each other.
    """
    return breaches(
        _against_each_other(_states_told(sightings)),
        _two_leaders_in_one_epoch(),
        _leader_epoch_went_back(),
        _two_contents_of_one_partition_epoch(),
        _leader_epochs_outran_partition_epochs(),
        _leader_outside_isr(),
        *_isr_is_no_set_of_replicas(),
        *_elr_is_no_set_of_other_replicas(),
    )


def _states_told(sightings: DataFrame) -> DataFrame:
    """Each state that somebody told, once: whether in its own words (`_own`: a leader that tells a commit tells no
    leader epoch, an earlier line does), and whether a record of the metadata log is among them (`_recorded`).
    """
    return (
        sightings.where(F.col("witness") != "intent")
        .repartition(*PARTITION_KEY)  # one shuffle for the windows below
        .groupBy(*PARTITION_KEY, "topic_id", "leader_epoch", "partition_epoch", "leader_id", "isr", "replicas", "elr")
        .agg(
            F.min_by("event_id", F.col("ts")).alias("event_id"),
            F.bool_or(F.col("witness") != "commit").alias("_own"),
            F.bool_or(F.col("witness") == "record").alias("_recorded"),
        )
    )


def _against_each_other(states: DataFrame) -> DataFrame:
    """Each state with the leaders of its leader epoch (`_leaders`, `_first`, `_ids`), the contents of its partition
    epoch (`_contents`, `_of_record`), and the state before it (`_before`).
    """
    in_leader_epoch = Window.partitionBy(*PARTITION_KEY, "leader_epoch")
    in_partition_epoch = Window.partitionBy(*PARTITION_KEY, "partition_epoch")
    earlier = Window.partitionBy(*PARTITION_KEY).orderBy("partition_epoch").rangeBetween(Window.unboundedPreceding, -1)
    own_epoch = F.when(F.col("_own"), F.col("leader_epoch"))
    content = F.struct(F.col("leader_id").alias("leader_id"), "isr", own_epoch.alias("leader_epoch"), "event_id")
    own_state = F.when(_numbered() & F.col("_own"), F.struct("leader_epoch", "partition_epoch", "event_id"))
    return states.withColumns(
        {
            "_leaders": F.collect_set(F.when(_led() & F.col("_own"), F.col("leader_id"))).over(in_leader_epoch),
            "_first": F.min(F.when(_led() & F.col("_own"), F.struct("leader_id", "event_id"))).over(in_leader_epoch),
            "_ids": F.collect_set("topic_id").over(in_leader_epoch),
            "_contents": F.collect_set(content).over(in_partition_epoch),
            "_of_record": F.bool_or("_recorded").over(in_partition_epoch),
            "_before": F.max(own_state).over(earlier),
        }
    )


def _led() -> Column:
    return F.col("leader_id") >= 0


def _numbered() -> Column:
    return F.col("partition_epoch").isNotNull()


def _members() -> Column:
    return F.coalesce(F.size("isr"), F.lit(0))


def _one_topic() -> Column:
    return F.size("_ids") <= 1


def _follows_another() -> Column:
    """The state can be held against the one before it."""
    return _numbered() & F.col("_own") & _one_topic()


def _two_leaders_in_one_epoch() -> Column:
    return broken(
        "I1",
        _led()
        & F.col("_own")
        & _one_topic()
        & (F.size("_leaders") > 1)
        & (F.col("leader_id") > F.col("_first.leader_id")),
        F.format_string("leader epoch %d has the leaders %s", "leader_epoch", shown(F.array_sort("_leaders"))),
        "_first.event_id",
        "event_id",
    )


def _leader_epoch_went_back() -> Column:
    return broken(
        "I2",
        _follows_another() & (F.col("leader_epoch") < F.col("_before.leader_epoch")),
        F.format_string(
            "leader epoch %d at partition epoch %d, after leader epoch %d at %d",
            "leader_epoch",
            "partition_epoch",
            F.col("_before.leader_epoch"),
            "_before.partition_epoch",
        ),
        "_before.event_id",
        "event_id",
    )


def _two_contents_of_one_partition_epoch() -> Column:
    """I29 where a record of the metadata log is one of the sides, else I3."""
    sides = F.array_sort("_contents")

    def differ(name: str) -> Column:
        return (
            F.size(F.array_distinct(F.filter(F.transform("_contents", lambda c: c[name]), lambda v: v.isNotNull()))) > 1
        )

    def written(c: Column) -> Column:
        return F.format_string("leader epoch %d, leader %d, ISR %s", c["leader_epoch"], c["leader_id"], shown(c["isr"]))

    contents = F.array_join(F.array_distinct(F.transform(sides, written)), "; ")
    return broken(
        F.when(F.col("_of_record"), "I29").otherwise("I3"),
        _numbered() & _one_topic() & (differ("leader_epoch") | differ("leader_id") | differ("isr")),
        F.format_string("partition epoch %d has two contents: %s", "partition_epoch", contents),
        F.get(sides, F.lit(0))["event_id"],
        F.get(sides, F.size(sides) - 1)["event_id"],
    )


def _leader_epochs_outran_partition_epochs() -> Column:
    leader_steps = F.col("leader_epoch") - F.col("_before.leader_epoch")
    return broken(
        "I4",
        _follows_another() & (leader_steps > F.col("partition_epoch") - F.col("_before.partition_epoch")),
        F.format_string(
            "leader epoch %d -> %d while the partition epoch went %d -> %d",
            F.col("_before.leader_epoch"),
            "leader_epoch",
            "_before.partition_epoch",
            "partition_epoch",
        ),
        "_before.event_id",
        "event_id",
    )


def _leader_outside_isr() -> Column:
    state = F.format_string("leader epoch %d: leader %d, ISR %s", "leader_epoch", "leader_id", shown("isr"))
    return broken(
        "I5",
        _led() & (_members() > 0) & ~F.array_contains("isr", F.col("leader_id")),
        F.concat(state, F.lit("; the leader is not in it")),
        "event_id",
    )


def _isr_is_no_set_of_replicas() -> tuple[Column, ...]:
    strangers = broken(
        "I7",
        F.size(F.array_except("isr", "replicas")) > 0,
        F.format_string("ISR %s has brokers that are no replicas: assigned are %s", shown("isr"), shown("replicas")),
        "event_id",
    )
    twice = broken(
        "I7",
        _members() > F.size(F.array_distinct("isr")),
        F.format_string("ISR %s names a broker twice", shown("isr")),
        "event_id",
    )
    empty = broken(
        "I7",
        F.col("isr").isNotNull() & (_members() == 0) & _led() & F.coalesce(F.size("elr") == 0, F.lit(True)),
        F.format_string("leader %d has an empty ISR in leader epoch %d", "leader_id", "leader_epoch"),
        "event_id",
    )
    return strangers, twice, empty


def _elr_is_no_set_of_other_replicas() -> tuple[Column, ...]:
    in_both = broken(
        "I26",
        F.arrays_overlap("isr", "elr"),
        F.format_string("ISR %s and ELR %s have a broker in common", shown("isr"), shown("elr")),
        "event_id",
    )
    strangers = broken(
        "I26",
        F.size(F.array_except("elr", "replicas")) > 0,
        F.format_string("ELR %s has brokers that are no replicas: assigned are %s", shown("elr"), shown("replicas")),
        "event_id",
    )
    return in_both, strangers


def unclean_members(isrs: DataFrame, processes: DataFrame) -> DataFrame:
    """I28: a broker that died and found no mark of a clean stop when it came back, in an ISR of several that did not change meanwhile.

    Only where the next state carries the next partition epoch, so that no state in between has gone unseen.
    """
    came_back = processes.where(
        F.col("recovered_event").isNotNull()
        & F.col("next_start_ts").isNotNull()
        & F.col("ended").isin("killed", "fatal")
    ).select(
        F.col("node_id").alias("_node"),
        F.col("last_ts").alias("_died_ts"),
        F.col("next_start_ts").alias("_back_ts"),
        "recovered_event",
    )
    in_order = Window.partitionBy(*PARTITION_KEY).orderBy("leader_epoch", "state_order", "start_ts")
    spans = isrs.select(
        *PARTITION_KEY, "leader_epoch", "state_order", "partition_epoch", "isr", "start_ts", "end_ts", "evidence"
    ).withColumns(
        {
            "_next_isr": F.lead("isr").over(in_order),
            "_next_epoch": F.lead("partition_epoch").over(in_order),
            "_next_evidence": F.lead("evidence").over(in_order),
        }
    )
    stayed = spans.join(
        F.broadcast(came_back),
        F.array_contains("isr", F.col("_node"))
        & (F.size("isr") > 1)
        & (F.col("start_ts") < F.col("_died_ts"))
        & (plus_millis("_back_ts", SLACK_MS) < F.col("end_ts")),
    ).where((F.col("_next_epoch") == F.col("partition_epoch") + 1) & F.array_contains("_next_isr", F.col("_node")))
    return breaches(
        stayed,
        broken(
            "I28",
            F.lit(True),
            F.format_string(
                "broker %d died and came back without a clean stop, and stayed in ISR %s (partition epochs %d and %d)",
                "_node",
                shown("isr"),
                "partition_epoch",
                "_next_epoch",
            ),
            F.get("evidence", F.lit(0)),
            F.col("recovered_event"),
            F.get("_next_evidence", F.lit(0)),
        ),
    )


def never_preferred(isrs: DataFrame, processes: DataFrame, settings: DataFrame) -> DataFrame:
    """I30: ISRs that held the preferred replica for longer than the check interval (and a minute) without its leading."""
    value = F.col("value")
    known = (
        settings.select("name", "value")
        .unionByName(processes.select("last_ts"), allowMissingColumns=True)
        .agg(
            F.coalesce(
                F.max(F.when(F.col("name") == "leader.imbalance.check.interval.seconds", value.try_cast("bigint"))),
                F.lit(300),
            ).alias("_interval"),
            F.coalesce(
                F.min(F.when(F.col("name") == "auto.leader.rebalance.enable", value.try_cast("boolean"))), F.lit(True)
            ).alias("_auto"),
            F.max("last_ts").alias("_last_ts"),
        )
    )
    preferred = F.get("replicas", F.lit(0))
    waiting = isrs.where(
        (F.col("leader_id") >= 0) & (preferred != F.col("leader_id")) & F.array_contains("isr", preferred)
    ).crossJoin(F.broadcast(known))
    lasted = millis(F.coalesce("end_ts", "_last_ts"), "start_ts")
    return breaches(
        waiting,
        broken(
            "I30",
            F.col("_auto") & (lasted > (F.col("_interval") + 60) * 1_000),
            F.format_string(
                "broker %d, the preferred replica, was in ISR %s for %d s while broker %d led",
                preferred,
                shown("isr"),
                (lasted / 1_000).cast("long"),
                "leader_id",
            ),
            F.get("evidence", F.lit(0)),
            verdict="unknown",
        ),
    )
