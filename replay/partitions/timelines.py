"""Sightings -> each partition's leader epochs and ISR spans, laid end to end."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import evidence_of, joined
from replay.columns.times import millis
from replay.columns.windows import (
    PARTITION_KEY,
    before,
    by_leader_epoch,
    by_node_and_partition,
    by_state,
    so_far,
)
from replay.facts.lives import STOP_GRANTED
from replay.facts.reads import gathers
from replay.facts.releases import from_version
from replay.facts.sessions import SESSION_ENDED
from replay.partitions.state_reports import ISR_INTENTS, ISR_REFUSED, LATE_WITNESSES, STATES_WITH_ELR, WITNESSES
from replay.partitions.topics import life_ends, with_life
from replay.tables import ELIGIBLE_LEADERS, ISR_SPANS

UNFENCED = "kraft_broker_unfence_granted"
ELECTED_UNFENCED_MS = 5_000  # a broker that is unfenced has read of its election within this: it had caught up before
PASSING_MS = 1_000  # a leaderless state shorter than this is one controller action in two writes (facts, §8 trap 22)


def _trust() -> Column:
    """How far a sighting's witness is believed: 1 is the most."""
    return F.array_position(F.array(*map(F.lit, WITNESSES)), F.col("witness")).cast("int")


def partition_states(sightings: DataFrame) -> DataFrame:
    """One row a distinct state of a partition that some witness saw whole or in part:

    `topic, life, topic_id, partition, leader_epoch, partition_epoch, leader_id, isr, replicas, elr, last_known_elr, recovering, ts`
    (first seen), `witness` (the best), `evidence`. States of one leader epoch follow their partition epoch where it
    is printed.
    """
    trusted = F.struct(_trust(), "ts")
    intent = F.col("witness") == "intent"
    announced = Window.partitionBy(*PARTITION_KEY, "leader_epoch", intent).orderBy("ts")
    return (
        sightings.where(F.col("isr").isNotNull() & F.col("ts").isNotNull())
        .withColumn("_changed", intent & ~F.lag("isr").over(announced).eqNullSafe(F.col("isr")))
        .withColumn("_visit", F.when(intent, F.count_if("_changed").over(so_far(announced))))
        .groupBy(*PARTITION_KEY, "leader_epoch", "partition_epoch", "isr", "_visit")
        .agg(
            F.max("topic_id").alias("topic_id"),
            F.min_by("leader_id", F.when(F.col("leader_id").isNotNull(), trusted)).alias("leader_id"),
            F.min_by("replicas", F.when(F.col("replicas").isNotNull(), trusted)).alias("replicas"),
            *[
                F.min_by(name, F.when(F.col(name).isNotNull(), trusted)).alias(name)
                for name in ("elr", "last_known_elr")
            ],
            F.max("recovering").alias("recovering"),
            F.min_by("witness", _trust()).alias("witness"),
            F.coalesce(F.min(F.when(F.col("witness") == "record", F.col("ts"))), F.min("ts")).alias("ts"),
            evidence_of().alias("evidence"),
        )
        .transform(_ordered)
    )


def _ordered(states: DataFrame) -> DataFrame:
    """Give each state its place in its leader epoch: its partition epoch, or that of the state seen before it. A state
    that another tells better is left out.
    """
    dated = _dated_as_first_told(_with_better_teller(states)).where(~F.col("_told_better"))
    seen = so_far(_in_leader_epoch().orderBy("ts"))
    place = F.coalesce("partition_epoch", F.max("partition_epoch").over(seen), F.lit(-1))
    return dated.withColumn("state_order", place).drop("_told_better", "_visit")


def _in_leader_epoch(*more: str | Column) -> WindowSpec:
    return Window.partitionBy(*PARTITION_KEY, "leader_epoch", *more)


def _with_better_teller(states: DataFrame) -> DataFrame:
    """`_told_better`: the state has no partition epoch, and one of the same ISR has it.

    An ISR that a leader before 2.4 announces may be one that it had been before (`_visit`): then it is told better
    only by what was seen after the one in between.
    """
    numbered_ts = F.max(F.when(F.col("partition_epoch").isNotNull(), F.col("ts"))).over(_in_leader_epoch("isr"))
    announced_before = F.lag("ts").over(_in_leader_epoch(F.col("_visit").isNull()).orderBy("_visit"))
    in_between_ts = F.when(F.col("_visit") > 1, announced_before)
    is_later = F.coalesce(numbered_ts >= in_between_ts, F.lit(True))
    return states.withColumn("_told_better", F.col("partition_epoch").isNull() & numbered_ts.isNotNull() & is_later)


def _dated_as_first_told(states: DataFrame) -> DataFrame:
    """States with the time at which they were first told: by the leader that changed the ISR, long before a
    controller's request repeats it with its partition epoch. Not from before the state that this one followed.
    """
    same = _in_leader_epoch("isr")
    unnumbered_ts = F.min(F.when(F.col("partition_epoch").isNull(), F.col("ts"))).over(same)
    earlier = _in_leader_epoch().orderBy("partition_epoch").rangeBetween(Window.unboundedPreceding, -1)
    followed_ts = F.max(F.when(F.col("partition_epoch").isNotNull(), F.col("ts"))).over(earlier)
    is_repeated = (F.col("witness") == "request") & (F.col("partition_epoch") == F.min("partition_epoch").over(same))
    told_first = F.when(is_repeated & (unnumbered_ts > followed_ts), F.least("ts", unnumbered_ts))
    return states.withColumn("ts", F.coalesce(told_first, "ts"))


def leader_epochs(sightings: DataFrame) -> DataFrame:
    """Lay each partition's leader epochs end to end; the last stays open.

    Returns the columns of `LEADER_EPOCHS` and `life`; `elected_from` and `reason` are those of
    `replay.partitions.elections.judged`, not yet filled. An epoch is `observed` if its leader or a controller saw it
    begin, else `inferred` (it began before its first mention). An epoch of which nothing but its number is told ends
    the one before it and has no row: `next_leader_epoch` is the next mentioned, `next_witness` the best of those who
    mention it.
    """
    trusted = F.struct(_trust(), "ts")
    fresh = F.col("epoch_start_offset").isNotNull()
    epochs = (
        sightings.where(F.col("ts").isNotNull())
        .groupBy(*PARTITION_KEY, "leader_epoch")
        .agg(
            F.max("topic_id").alias("topic_id"),
            F.min_by("leader_id", F.when(F.col("leader_id").isNotNull(), trusted)).alias("leader_id"),
            F.min_by("epoch_start_offset", F.when(fresh, F.col("ts"))).alias("epoch_start_offset"),
            F.min(F.when(fresh, F.col("ts"))).alias("leader_ts"),
            F.coalesce(F.min(F.when(F.col("witness") == "record", F.col("ts"))), F.min("ts")).alias("start_ts"),
            F.when(F.bool_or(F.col("born") & ~F.col("witness").isin(*LATE_WITNESSES)), "observed")
            .otherwise("inferred")
            .alias("confidence"),
            F.min_by("witness", _trust()).alias("_witness"),
            evidence_of().alias("evidence"),
        )
    )
    following = {"end_ts": "start_ts", "next_leader_epoch": "leader_epoch", "next_witness": "_witness"}
    placed = epochs.withColumns({name: F.lead(of).over(by_leader_epoch()) for name, of in following.items()}).drop(
        "_witness"
    )
    return placed.where(F.col("leader_id").isNotNull() | F.col("epoch_start_offset").isNotNull())


def ended_with_topic(leader_epochs: DataFrame, lives: DataFrame) -> DataFrame:
    """`leader_epochs` whose last one ends when its topic was deleted (`replay.partitions.topics.topic_lives`)."""
    ended = leader_epochs.join(F.broadcast(life_ends(lives)), ["topic", "life"], "left")
    return ended.withColumn("end_ts", F.coalesce("end_ts", "life_end_ts")).select(*leader_epochs.columns)


def dated_by_others(leader_epochs: DataFrame, events: DataFrame) -> DataFrame:
    """`leader_epochs` that began when lines that do not name their partition tell.

    A KRaft controller prints that it fenced a broker, or granted its stop, but not which partitions that left without a
    leader (facts §1.8). So a time without a leader of which only brokers tell that came back later begins as the leader
    before it left the cluster. It ends as the controller unfences the broker that leads next: it elects then for all
    partitions without a leader (`ReplicationControlManager.handleBrokerUnfenced`), and the broker tells of it once it
    has read that. A first leader epoch that is named only as the next begins had begun before the logs did.
    """
    of_broker = F.struct("ts", "broker_id", "event_id")
    moves = events.where(F.col("broker_id").isNotNull()).agg(
        F.collect_list(F.when(F.col("kind").isin(*STOP_GRANTED, *SESSION_ENDED), of_broker)).alias("_left"),
        F.collect_list(F.when(F.col("kind") == UNFENCED, of_broker)).alias("_unfenced"),
    )
    begun = (
        events.where(F.col("node_id").isNotNull())
        .groupBy("node_id")
        .agg(F.min("ts").alias("_first_ts"))
        .agg(F.max("_first_ts").alias("_begun_ts"))
    )
    in_order = by_leader_epoch()
    inferred = F.col("confidence") == "inferred"
    follows = (
        (F.lag("leader_epoch").over(in_order) == F.col("leader_epoch") - 1) & (F.col("leader_id") == -1) & inferred
    )
    leader = F.struct(F.lag("leader_id").over(in_order).alias("id"), F.lag("start_ts").over(in_order).alias("since"))
    came_back = (
        (F.lag("leader_epoch").over(in_order) == F.col("leader_epoch") - 1)
        & (F.lag("leader_id").over(in_order) == -1)
        & (F.col("leader_id") >= 0)
    )
    dated = (
        leader_epochs.crossJoin(F.broadcast(moves))
        .withColumns(
            {"_leader": F.when(follows, leader), "_none_since": F.when(came_back, F.lag("start_ts").over(in_order))}
        )
        .withColumns(
            {
                "_went": F.array_min(_told_of("_left", F.col("_leader.id"), F.col("_leader.since"))),
                "_came": F.array_max(_told_of("_unfenced", F.col("leader_id"), F.col("_none_since"))),
            }
        )
        .withColumn("_came", F.when(millis("start_ts", "_came.ts") <= ELECTED_UNFENCED_MS, F.col("_came")))
        .withColumn("_dated", F.coalesce("_went", "_came"))
    )
    moved = dated.withColumns(
        {
            "start_ts": F.coalesce("_dated.ts", "start_ts"),
            "evidence": joined(F.when(F.col("_dated").isNotNull(), F.array("_dated.event_id")), "evidence"),
        }
    )
    ended = moved.withColumn("end_ts", F.coalesce(F.lead("_dated.ts").over(in_order), "end_ts"))
    named_late = F.coalesce(
        inferred & (F.row_number().over(in_order) == 1) & (F.col("start_ts") >= F.col("end_ts")), F.lit(False)
    )
    before_the_logs = ended.withColumn("_named_late", named_late).crossJoin(F.broadcast(begun))
    return before_the_logs.withColumn(
        "start_ts", F.when(F.col("_named_late"), F.least("_begun_ts", "end_ts")).otherwise(F.col("start_ts"))
    ).select(*leader_epochs.columns)


def _told_of(moves: str, broker: Column, since: Column) -> Column:
    """Of `moves` those of `broker` between `since` and the begin of the leader epoch."""
    return F.filter(moves, lambda told: (told["broker_id"] == broker) & told["ts"].between(since, F.col("start_ts")))


def isr_spans(states: DataFrame, leader_epochs: DataFrame, versions: DataFrame | None = None) -> DataFrame:
    """Lay each partition's committed ISRs end to end; returns the columns of `ISR_SPANS` and `life`, `elr`,
    `recovering`.

    A leader epoch without a leader whose ISR no line prints keeps the last member of the ISR before it (facts §1.2),
    as `inferred`. From 4.0 on (`versions`: `RELEASES`) it does not: there an ISR may be
    empty (KIP-966). States without a leader that the controller only passed through are in
    `leader_epochs` alone: no ISR commits anything in them. An ISR ends with its leader epoch where none of the next
    is told.
    """
    ends = (
        F.col("start_ts").alias("_epoch_start_ts"),
        F.col("end_ts").alias("_epoch_end_ts"),
        F.col("next_leader_epoch").alias("_next_epoch"),
    )
    leaders = leader_epochs.select(
        *PARTITION_KEY,
        "leader_epoch",
        F.col("leader_id").alias("_leader_id"),
        F.col("topic_id").alias("_topic_id"),
        *ends,
    )
    told = states.join(leaders, [*PARTITION_KEY, "leader_epoch"], "left").select(
        *PARTITION_KEY,
        F.coalesce("topic_id", "_topic_id").alias("topic_id"),
        "leader_epoch",
        "partition_epoch",
        "state_order",
        F.coalesce("leader_id", "_leader_id").alias("leader_id"),
        "isr",
        "replicas",
        "elr",
        "recovering",
        "ts",
        F.when(F.col("witness") == "intent", "inferred").otherwise("observed").alias("confidence"),
        "evidence",
        "_epoch_start_ts",
        "_epoch_end_ts",
        "_next_epoch",
    )
    leaderless = _leaderless(leader_epochs, states)
    if versions is not None:
        leaderless = leaderless.join(F.broadcast(versions.where(from_version("4.0.0"))), F.lit(True), "left_anti")
    first_of_epoch = ~(F.lag("leader_epoch").over(by_state()).eqNullSafe(F.col("leader_epoch")))
    since = F.when((F.col("leader_id") == -1) & first_of_epoch, F.least("ts", "_epoch_start_ts")).otherwise(
        F.col("ts")
    )  # one record takes the leader and leaves this ISR
    spans = told.unionByName(leaderless, allowMissingColumns=True).withColumn("ts", since)
    changed = ~F.coalesce(
        (F.lag("isr").over(by_state()) == F.col("isr"))
        & (F.lag("leader_epoch").over(by_state()) == F.col("leader_epoch")),
        F.lit(False),
    )
    goes_on = F.lead("leader_epoch").over(by_state()) <= F.coalesce("_next_epoch", "leader_epoch")
    return (
        spans.withColumn("_changed", changed)
        .where("_changed")
        .withColumns(
            {
                "start_ts": F.col("ts"),
                "end_ts": F.when(goes_on, F.lead("ts").over(by_state())).otherwise(F.col("_epoch_end_ts")),
            }
        )
        .withColumn("replicas", F.last("replicas", ignorenulls=True).over(so_far(by_state())))
        .where(~F.coalesce((F.col("leader_id") == -1) & (millis("end_ts", "start_ts") < PASSING_MS), F.lit(False)))
        .drop("_changed", "_epoch_start_ts", "_epoch_end_ts", "_next_epoch")
    )


@gathers(*STATES_WITH_ELR)
def eligible_leaders(states: DataFrame) -> DataFrame:
    """Returns `ELIGIBLE_LEADERS`. What a state tells holds until the next one, whether that tells it or not."""
    told = F.struct("elr", "last_known_elr")
    news = states.withColumn("_told", told).withColumn(
        "_changed", ~F.lag("_told").over(by_state()).eqNullSafe(F.col("_told"))
    )
    spans = news.where("_changed").withColumns({"start_ts": F.col("ts"), "end_ts": F.lead("ts").over(by_state())})
    has_one = (F.size("elr") > 0) | (F.size("last_known_elr") > 0)
    return ELIGIBLE_LEADERS.of(spans.where(F.coalesce(has_one, F.lit(False))))


def isr_spans_of_unknown_epochs(events: DataFrame, leader_epochs: DataFrame, lives: DataFrame) -> DataFrame:
    """ISRs that a leader announces, or says to be committed, before any line tells a leader epoch of the partition:
    an excerpt, or files that begin late.

    The columns of `isr_spans`, with `leader_epoch` null and `confidence` `inferred`: whether this node still led,
    nobody says. The ISR before the first change is a span of no length. What ZooKeeper's version conflict refused is
    left out.
    """
    known = leader_epochs.groupBy(*PARTITION_KEY).agg(F.min("start_ts").alias("_known_ts"))
    told = (
        events.where(
            F.col("kind").isin("isr_updated", *ISR_INTENTS, *ISR_REFUSED)
            & F.col("topic").isNotNull()
            & F.col("node_id").isNotNull()
            & F.col("ts").isNotNull()
        )
        .withColumn("_next", F.lead("kind").over(by_node_and_partition()))
        .where(F.col("isr").isNotNull() & ~F.coalesce(F.col("_next").isin(*ISR_REFUSED), F.lit(False)))
        .select(
            "topic",
            "topic_id",
            "partition",
            "partition_epoch",
            F.col("node_id").alias("leader_id"),
            F.array_sort("isr").alias("isr"),
            F.array_sort(F.split(F.replace(detail("old_isr"), F.lit(" ")), ",").try_cast("array<int>")).alias("_was"),
            "ts",
            "line_number",
            F.array("event_id").alias("evidence"),
        )
    )
    placed = with_life(told, lives).join(known, list(PARTITION_KEY), "left")
    unknown = placed.where(F.col("_known_ts").isNull() | (F.col("ts") < F.col("_known_ts")))
    in_time = Window.partitionBy(*PARTITION_KEY).orderBy("ts", "line_number")
    first = unknown.withColumn("_number", F.row_number().over(in_time)).where("_number = 1 and _was is not null")
    began_with = first.select(*[c for c in unknown.columns if c != "isr"], F.col("_was").alias("isr")).withColumn(
        "partition_epoch", F.lit(None).cast("int")
    )
    both = began_with.withColumn("_before", F.lit(0)).unionByName(unknown.withColumn("_before", F.lit(1)))
    in_order = Window.partitionBy(*PARTITION_KEY).orderBy("ts", "_before", "line_number")
    changed = both.withColumns(
        {"_same": F.lag("isr").over(in_order).eqNullSafe(F.col("isr")), "state_order": F.row_number().over(in_order)}
    ).where(~F.col("_same"))
    return changed.select(
        *PARTITION_KEY,
        "topic_id",
        F.lit(None).cast("int").alias("leader_epoch"),
        "partition_epoch",
        F.col("state_order").cast("int").alias("state_order"),
        "leader_id",
        "isr",
        F.lit(None).cast("array<int>").alias("replicas"),
        F.lit(None).cast("array<int>").alias("elr"),
        F.lit(None).cast("boolean").alias("recovering"),
        "ts",
        F.lit("inferred").alias("confidence"),
        "evidence",
        F.col("ts").alias("start_ts"),
        F.coalesce(F.lead("ts").over(in_order), "_known_ts").alias("end_ts"),
    )


def _leaderless(leader_epochs: DataFrame, states: DataFrame) -> DataFrame:
    """ISRs of leader epochs without a leader, where the ISR before had one member: it is never removed (facts §1.2)."""
    last_isr = states.groupBy(*PARTITION_KEY, "leader_epoch").agg(
        F.max_by("isr", F.struct("state_order", "ts")).alias("_isr"),
        F.max_by("replicas", F.struct("state_order", "ts")).alias("_replicas"),
    )
    carried = leader_epochs.join(last_isr, [*PARTITION_KEY, "leader_epoch"], "left").withColumns(
        {
            "_before": F.last("_isr", ignorenulls=True).over(before(by_leader_epoch())),
            "_replicas_before": F.last("_replicas", ignorenulls=True).over(before(by_leader_epoch())),
        }
    )
    return carried.where((F.col("leader_id") == -1) & F.col("_isr").isNull() & (F.size("_before") == 1)).select(
        *PARTITION_KEY,
        "topic_id",
        "leader_epoch",
        F.lit(None).cast("int").alias("partition_epoch"),
        F.lit(-1).alias("state_order"),
        "leader_id",
        F.col("_before").alias("isr"),
        F.col("_replicas_before").alias("replicas"),
        F.lit(None).cast("array<int>").alias("elr"),
        F.lit(None).cast("boolean").alias("recovering"),
        F.col("start_ts").alias("ts"),
        F.lit("inferred").alias("confidence"),
        "evidence",
        F.col("end_ts").alias("_epoch_end_ts"),
        F.col("next_leader_epoch").alias("_next_epoch"),
    )


def isr_spans_table(isr_spans: DataFrame, topic_settings: DataFrame) -> DataFrame:
    """Returns `ISR_SPANS`. An empty ISR (KIP-966) commits nothing and has no row; `leader_epochs` tells that there
    was no leader.
    """
    return ISR_SPANS.of(
        isr_spans.where(F.size("isr") > 0).join(F.broadcast(topic_settings.select("topic", "min_isr")), "topic", "left")
    )
