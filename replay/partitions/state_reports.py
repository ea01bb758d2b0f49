"""Every mention of a partition's state, whoever made it: the controller's decision, the metadata log, a leader, a
follower.

A sighting says at least (topic, partition, leader epoch); most say more. What is concluded from them is in `timelines`.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.times import millis, plus_millis
from replay.columns.windows import PARTITION_KEY, after, before, by_node_and_partition, so_far
from replay.facts.reads import gathers, may_have_rows
from replay.facts.releases import before_version
from replay.facts.sessions import SESSION_ENDED
from replay.facts.times import CLOCKS_AT_MOST_MS
from replay.partitions.topics import with_life
from replay.reading.metadata_log import metadata_records, partition_states
from replay.reading.znodes import znode_states

# Who says it, the most trusted first: of two that disagree on one state the first is taken.
WITNESSES = ("record", "znode", "decision", "commit", "leader", "follower", "request", "intent")
LATE_WITNESSES = (
    "follower",
    "request",
    "intent",
)  # they may tell of a leader epoch long after it began: a broker that stood still learns of it as it wakes

_DECISIONS = (
    "partition_state_new",
    "partition_state_online_with_leader",
    "replica_removed_from_isr",
    "controller_isr_changed",
)
_REQUESTS = (
    "controller_send_leader_and_isr",
    "controller_send_update_metadata",
    "broker_leader_and_isr_received",
    "broker_metadata_cached",
)
_BROKER = ("leader_start", "leader_transition_skipped", "follower_start", "follower_transition_skipped")
_STATED = (*_DECISIONS, *_REQUESTS, *_BROKER, "alter_partition_isr_updated", "kraft_partition_created")
ISR_INTENTS = ("isr_shrink", "isr_expand")
ISR_REFUSED = ("isr_update_zk_version_conflict",)
_COMMITTED = ("isr_updated", *ISR_INTENTS)
FETCHES = "fetcher_partitions_added"
_KEPT_BY_ZOOKEEPER = ("znode_state", "zookeeper_state_written")
_FETCH_STATE = r"[A-Za-z0-9._-]+-\d+ -> .*?(?=, [A-Za-z0-9._-]+-\d+ -> |$)"  # `orders-0 -> InitialFetchState(...)`, of a list of them
_FETCHED_EPOCH = r"(?:[lL]eaderEpoch=|[)\]], ?)(\d+)(?:[,)\]])"
_CHANGES = ("kraft_partition_changed_unclean", "kraft_partition_changed")
_FROM_OUTSIDE_ISR = ("kraft_leader_selected_elr", "kraft_leader_selected_unclean")
_TOLD_ANEW = (
    "kraft_partition_created",
)  # a controller that starts prints its whole log with today's stamps (facts, §8 trap 19)
STATES_WITH_ELR = (
    *_TOLD_ANEW,
    "leader_transition_skipped",
    "follower_transition_skipped",
    *_CHANGES,
    *_FROM_OUTSIDE_ISR,
    "dump_metadata_record",
)
_TOLD_AT_ONCE_MS = 1_000  # the other controllers print a record within this
_DEALT_WITH_MS = 2_000  # a controller that learns of a broker's failure elects its partitions' leaders within this
_REPLAYED_MS = 60_000  # a controller that starts has read the whole log within this

COLUMNS = {
    "topic": "string",
    "topic_id": "string",
    "partition": "int",
    "leader_epoch": "int",
    "partition_epoch": "int",
    "leader_id": "int",
    "isr": "array<int>",
    "replicas": "array<int>",
    "elr": "array<int>",
    "last_known_elr": "array<int>",
    "recovering": "boolean",
    "epoch_start_offset": "bigint",
    "ts": "timestamp",
    "node_id": "int",
    "witness": "string",
    "born": "boolean",
    "event_id": "string",
}


@gathers(*_STATED, *_CHANGES, *_FROM_OUTSIDE_ISR, FETCHES, *_COMMITTED, "dump_metadata_record", *_KEPT_BY_ZOOKEEPER)
def sightings(
    events: DataFrame, lives: DataFrame, releases: DataFrame, kinds: frozenset[str] | None = None
) -> DataFrame:
    """One row a mention of a partition's state: the columns of `COLUMNS` and `life`
    (`replay.partitions.topics.with_life`).

    `born` says that the mention is made as the leader epoch begins (not a repeat, as after a restart). A shrink or
    expansion that a leader only announces counts as committed just where the release prints no commit (facts, §8 trap
    12; formats §8.2). A commit whose leader epoch is taken from the lines before it is left out if a later leader epoch
    had begun by then: a leader that was replaced commits no ISR. Another's partition epoch shows that (I2), or a line
    about a later leader epoch well before. `kinds`: those that `events` has, where they are known.
    """
    every = (
        (_stated, (events,)),
        (_offline_before, (events,)),
        (_changed, (events,)),
        (_elected_from_outside_isr, (events,)),
        (fetchers_begun, (events,)),
        (_committed_by_leader, (events, releases)),
        (_recorded, (events,)),
        (_kept_by_zookeeper, (events,)),
    )
    said = reduce(DataFrame.unionByName, (told(*given) for told, given in every if may_have_rows(told, kinds)))
    by_partition_epoch = (
        Window.partitionBy(*PARTITION_KEY)
        .orderBy("partition_epoch")
        .rangeBetween(Window.unboundedPreceding, Window.currentRow)
    )
    well_before = (
        Window.partitionBy(*PARTITION_KEY)
        .orderBy(F.unix_millis("ts"))
        .rangeBetween(Window.unboundedPreceding, -CLOCKS_AT_MOST_MS)
    )
    placed_by_order = F.col("witness").isin("commit", "intent")
    by_epoch = F.max(F.when(F.col("partition_epoch").isNotNull(), F.col("leader_epoch"))).over(by_partition_epoch)
    begun = F.greatest(F.when(F.col("partition_epoch").isNotNull(), by_epoch), F.max("leader_epoch").over(well_before))
    placed = with_life(said, lives).withColumn("_outdated", placed_by_order & (begun > F.col("leader_epoch")))
    return placed.where(~F.coalesce("_outdated", F.lit(False))).drop("_outdated").withColumn("isr", F.array_sort("isr"))


def _columns(**given: Column) -> list[Column]:
    return [
        given.get(name, F.col(name) if name in ("topic", "topic_id", "partition", "ts", "event_id") else F.lit(None))
        .cast(type_)
        .alias(name)
        for name, type_ in COLUMNS.items()
    ]


def _brokers(name: str) -> Column:
    """The broker ids of a detail, `1, 2`, none of ``; null where there is no such detail."""
    told = F.replace(detail(name), F.lit(" "))
    return F.when(told == "", _nobody()).otherwise(F.split(told, ",").try_cast("array<int>"))


def _nobody() -> Column:
    return F.array().cast("array<int>")


@gathers(*_STATED)
def _stated(events: DataFrame) -> DataFrame:
    """Mentions that carry their leader epoch themselves; a creation that is told again, of a partition long known, is
    none.
    """
    kind = F.col("kind")
    stated = events.where(
        kind.isin(*_STATED)
        & F.col("topic").isNotNull()
        & F.col("leader_epoch").isNotNull()
        & F.coalesce(F.col("leader_epoch") >= 0, F.lit(False))
        & F.coalesce(F.col("leader_id") >= -1, F.lit(True))  # -2: the topic is being deleted
    )
    whole = Window.partitionBy(F.coalesce("topic_id", "topic"), "partition")
    first_ts, taken = (
        F.min("ts").over(whole),
        F.min(F.when(kind.isin("leader_start", "follower_start"), F.col("leader_epoch"))).over(whole),
    )
    # Also where these lines are the first of the partition, but no broker takes on the leader epoch of its creation.
    told_anew = kind.isin(*_TOLD_ANEW) & (
        (millis(F.col("ts"), first_ts) > _TOLD_AT_ONCE_MS) | ~F.coalesce(taken == F.col("leader_epoch"), F.lit(False))
    )
    stated = stated.withColumn("_told_anew", told_anew).where(~F.coalesce("_told_anew", F.lit(False)))
    previous = detail("previous_leader_epoch").try_cast("int")
    witness = (
        F.when(kind.isin(*_DECISIONS), "decision")
        .when(kind.isin("leader_start", "leader_transition_skipped"), "leader")
        .when(kind.isin("follower_start", "follower_transition_skipped"), "follower")
        .when(kind == "alter_partition_isr_updated", "commit")
        .otherwise("request")
    )
    begins = kind.isin("leader_start", "follower_start")
    follows = begins & (previous >= 0) & (previous < F.col("leader_epoch"))
    said = stated.select(
        *_columns(
            leader_epoch=F.col("leader_epoch"),
            partition_epoch=F.col("partition_epoch"),
            leader_id=F.col("leader_id"),
            isr=F.col("isr"),
            replicas=F.col("replicas"),
            elr=_brokers("elr"),
            last_known_elr=_brokers("last_known_elr"),
            recovering=detail("leader_recovery_state") == "RECOVERING",
            epoch_start_offset=F.when(kind == "leader_start", F.col("epoch_start_offset")),
            node_id=F.col("node_id"),
            witness=witness,
            born=kind.isin(*_DECISIONS) | (begins & ((F.col("leader_epoch") == 0) | follows)),
        )
    )
    # From 3.6 on a leader also says who led before, all that tells of it where the logs begin later; a follower
    # prints its new leader there.
    before = stated.withColumn("_led", detail("previous_leader").try_cast("int")).where(
        (kind == "leader_start") & follows & F.col("_led").isNotNull()
    )
    return said.unionByName(
        before.select(
            *_columns(
                leader_epoch=previous,
                leader_id=F.col("_led"),
                node_id=F.col("node_id"),
                witness=F.lit("request"),
                born=F.lit(False),
            )
        )
    )


@gathers("controller_broker_failure")
def _offline_before(events: DataFrame) -> DataFrame:
    """The leader before an election out of `OfflinePartition`: the one broker whose failure the controller was
    dealing with. ZooKeeper's lines name it nowhere else.
    """
    failed = events.where(F.col("kind") == "controller_broker_failure").select(
        "node_id", "ts", _brokers("dead_brokers").alias("brokers")
    )
    every = failed.agg(F.collect_list(F.struct("ts", "node_id", "brokers")).alias("_failed"))
    elected = (
        (F.col("kind") == "partition_state_online_with_leader")
        & (detail("from_state") == "OfflinePartition")
        & (F.col("leader_epoch") > 0)
        & (F.col("leader_id") >= 0)
    )
    dealt_with = F.filter(
        "_failed",
        lambda f: (
            (f["node_id"] == F.col("node_id")) & F.col("ts").between(f["ts"], plus_millis(f["ts"], _DEALT_WITH_MS))
        ),
    )
    told = (
        events.where(elected & F.col("topic").isNotNull())
        .crossJoin(F.broadcast(every))
        .withColumn("_dead", F.array_max(dealt_with)["brokers"])
    )
    one = told.where((F.size("_dead") == 1) & ~F.array_contains("_dead", F.col("leader_id")))
    return one.select(
        *_columns(
            leader_epoch=F.col("leader_epoch") - 1,
            leader_id=F.get("_dead", F.lit(0)),
            node_id=F.col("node_id"),
            witness=F.lit("request"),
            born=F.lit(False),
        )
    )


@gathers(*_CHANGES)
def _changed(events: DataFrame) -> DataFrame:
    """The state before and the state after a change that a KRaft controller prints: at INFO those that elect from
    outside the ISR (facts §1.8).

    A controller that starts prints old changes with today's stamps (facts, §8 trap 19), right after the creation of
    the partition: those are none.
    """
    told = events.where(
        F.col("kind").isin(*_CHANGES, *_TOLD_ANEW) & F.col("topic").isNotNull() & F.col("leader_epoch").isNotNull()
    )
    created = F.last(F.when(F.col("kind").isin(*_TOLD_ANEW), F.col("ts")), ignorenulls=True).over(
        so_far(by_node_and_partition())
    )
    replayed = F.coalesce(millis("ts", "_created") <= _REPLAYED_MS, F.lit(False))
    known = told.withColumn("_created", created).where(F.col("kind").isin(*_CHANGES) & ~replayed)
    names_isr = F.contains("message", F.lit("isr: ["))
    previous_isr = F.coalesce(_brokers("previous_isr"), _nobody())
    previous_leader = detail("previous_leader").try_cast("int")
    # What is not named did not change: a leader that comes out of the ELR leaves it, so the ELR before is named
    # (KIP-966).
    previous_elr = F.when(F.size(previous_isr) == 0, F.coalesce(_brokers("previous_elr"), _nobody()))
    # A partition is without a leader from when the last member of its ISR is fenced: of an empty ISR, the last known
    # leader.
    last = F.when(F.size(previous_isr) == 1, F.get(previous_isr, F.lit(0))).otherwise(
        F.coalesce(
            F.get(_brokers("previous_last_known_elr"), F.lit(0)), F.get(previous_elr, F.lit(0)), F.col("leader_id")
        )
    )
    known = _with_leader_lost(known, events, last)
    after = known.select(
        *_columns(
            leader_epoch=F.col("leader_epoch"),
            partition_epoch=F.col("partition_epoch"),
            leader_id=F.col("leader_id"),
            isr=F.when(names_isr, F.coalesce("isr", _nobody())),
            recovering=detail("leader_recovery_state") == "RECOVERING",
            node_id=F.col("node_id"),
            witness=F.lit("decision"),
            born=F.lit(True),
        )
    )
    before = known.select(
        *_columns(
            leader_epoch=detail("previous_leader_epoch").try_cast("int"),
            partition_epoch=detail("previous_partition_epoch").try_cast("int"),
            leader_id=previous_leader,
            isr=F.when(names_isr, previous_isr),
            elr=F.when(names_isr, previous_elr),
            last_known_elr=_brokers("previous_last_known_elr"),
            ts=F.coalesce(F.when(previous_leader == -1, F.col("_lost_ts")), "ts"),
            node_id=F.col("node_id"),
            witness=F.lit("decision"),
            born=F.lit(False),
        )
    )
    return after.unionByName(before)


def _with_leader_lost(changes: DataFrame, events: DataFrame, last: Column) -> DataFrame:
    """`changes` with `_lost_ts`: when broker `last`, with which the partition lost its leader, was fenced before."""
    fenced = events.where(F.col("kind").isin(*SESSION_ENDED)).agg(
        F.collect_list(F.struct("broker_id", "ts")).alias("_fenced")
    )
    of_last = F.filter("_fenced", lambda f: (f["broker_id"] == last) & (f["ts"] <= F.col("ts")))
    return (
        changes.crossJoin(F.broadcast(fenced))
        .withColumn("_lost_ts", F.array_max(F.transform(of_last, lambda f: f["ts"])))
        .drop("_fenced")
    )


@gathers(*_FROM_OUTSIDE_ISR)
def _elected_from_outside_isr(events: DataFrame) -> DataFrame:
    """The state before and the state after an election from the ELR, or from outside both, as the KRaft controller that
    made it prints them from 4.1 on: the state before whole, the topic by its id. The new leader is the whole ISR (KIP-966).
    """
    names = (
        events.where(F.col("topic_id").isNotNull() & F.col("topic").isNotNull())
        .groupBy("topic_id")
        .agg(F.min("topic").alias("topic"))
    )
    told = events.where(F.col("kind").isin(*_FROM_OUTSIDE_ISR) & F.col("leader_epoch").isNotNull()).drop("topic")
    last = F.coalesce(F.get(_brokers("last_known_elr"), F.lit(0)), F.get(_brokers("elr"), F.lit(0)))
    elected = _with_leader_lost(told.join(F.broadcast(names), "topic_id"), events, last)
    new_leader = detail("election_result_node").try_cast("int")
    before = elected.select(
        *_columns(
            leader_epoch=F.col("leader_epoch"),
            partition_epoch=F.col("partition_epoch"),
            leader_id=F.col("leader_id"),
            isr=F.coalesce("isr", _nobody()),
            replicas=F.col("replicas"),
            elr=_brokers("elr"),
            last_known_elr=_brokers("last_known_elr"),
            ts=F.coalesce(F.when(F.col("leader_id") == -1, F.col("_lost_ts")), "ts"),
            node_id=F.col("node_id"),
            witness=F.lit("decision"),
            born=F.lit(False),
        )
    )
    after = elected.select(
        *_columns(
            leader_epoch=F.col("leader_epoch") + 1,
            partition_epoch=F.col("partition_epoch") + 1,
            leader_id=new_leader,
            isr=F.array(new_leader),
            replicas=F.col("replicas"),
            recovering=F.col("kind") == "kraft_leader_selected_unclean",
            node_id=F.col("node_id"),
            witness=F.lit("decision"),
            born=F.lit(True),
        )
    )
    return before.unionByName(after)


@gathers(FETCHES)
def fetchers_begun(events: DataFrame) -> DataFrame:
    """Whom a follower began to fetch from, and in which leader epoch (from 2.1 on): the leader's name where its own
    files are missing. Returns `COLUMNS`.
    """
    told = events.where(
        (F.col("kind") == FETCHES) & F.col("leader_id").isNotNull() & detail("initial_fetch_states").isNotNull()
    ).select(
        "ts",
        "event_id",
        "node_id",
        "leader_id",
        F.lit(None).cast("string").alias("topic_id"),
        F.explode(F.regexp_extract_all(detail("initial_fetch_states"), F.lit(_FETCH_STATE), 0)).alias("_state"),
    )
    name = F.regexp_extract("_state", r"^(\S+) -> ", 1)
    epoch = F.regexp_extract("_state", _FETCHED_EPOCH, 1).try_cast("int")
    named = told.withColumns(
        {
            "topic": F.regexp_extract(name, r"^(.*)-\d+$", 1),
            "partition": F.regexp_extract(name, r"-(\d+)$", 1).try_cast("int"),
            "_epoch": epoch,
        }
    )
    return named.where(F.col("_epoch").isNotNull()).select(
        *_columns(
            leader_epoch=F.col("_epoch"),
            leader_id=F.col("leader_id"),
            node_id=F.col("node_id"),
            witness=F.lit("follower"),
            born=F.lit(False),
        )
    )


@gathers(*_COMMITTED)
def _committed_by_leader(events: DataFrame, releases: DataFrame) -> DataFrame:
    """ISRs that a leader says it has committed (or, before 2.4, announces), and those with which it says that it began.
    Their leader epoch is the one it last began to lead in.
    """
    told = events.where(F.col("kind").isin(*_BROKER, "broker_leader_and_isr_received", *_ANSWERS))
    answered = _with_answers(_with_roles(told))
    return _changed_isrs(answered, releases).unionByName(_first_isrs(answered))


_ANSWERS = (*_COMMITTED, *ISR_REFUSED)  # what a leader prints of a change of the ISR, and of its end


def _with_roles(told: DataFrame) -> DataFrame:
    """`_role`: what the node last became in the partition. `_epoch`: the leader epoch in which it leads.

    One that last began to follow has its begin as a leader where its lines are missing: of which leader epoch its
    ISRs are nobody knows.
    """
    leads = F.col("kind").isin("leader_start", "leader_transition_skipped") | (F.col("leader_id") == F.col("node_id"))
    role = F.struct("leader_epoch", F.coalesce(leads, F.lit(False)).alias("leads"), "ts")
    last_role = F.last(F.when(_takes_role(), role), ignorenulls=True).over(so_far(by_node_and_partition()))
    leads_in = F.when(F.col("_role.leads"), F.col("_role.leader_epoch"))
    return told.withColumn("_role", last_role).withColumn("_epoch", leads_in)


def _takes_role() -> Column:
    return ~F.col("kind").isin(*_ANSWERS) & F.col("leader_epoch").isNotNull()


def _with_answers(told: DataFrame) -> DataFrame:
    """`_answer`: what the node prints next of a change of the partition's ISR. `_is_first`: no line before it says
    what the ISR was in this leader epoch.
    """
    answer = F.struct("kind", detail("old_isr").alias("old_isr"), "partition_epoch", "_epoch")
    next_answer = F.last(F.when(F.col("kind").isin(*_ANSWERS), answer), ignorenulls=True).over(
        after(by_node_and_partition)
    )
    with_isr = F.when(F.col("isr").isNotNull(), F.when(_takes_role(), F.col("leader_epoch")).otherwise(F.col("_epoch")))
    last_with_isr = F.last(with_isr, ignorenulls=True).over(before(by_node_and_partition()))
    return told.withColumns({"_answer": next_answer, "_is_first": ~last_with_isr.eqNullSafe(F.col("_epoch"))})


def _changed_isrs(answered: DataFrame, releases: DataFrame) -> DataFrame:
    """The ISRs that were committed; before 2.4, which does not say that, those that were announced and not refused.

    What is announced was refused where ZooKeeper's version conflicts, and where the same is announced again from the
    same ISR: writing it failed, as while ZooKeeper was away (facts §5, F07 and F22).
    """
    is_commit = F.col("kind") == "isr_updated"
    again = (
        F.col("_answer.kind").isin(*ISR_INTENTS)
        & (F.col("_answer.old_isr") == detail("old_isr"))
        & (F.col("_answer._epoch") == F.col("_epoch"))
    )
    refused = F.coalesce(F.col("_answer.kind").isin(*ISR_REFUSED) | again, F.lit(False))
    only_announces = F.coalesce(before_version("2.4.0"), F.lit(False))
    changed = (
        answered.where(F.col("kind").isin(*_COMMITTED) & F.col("_epoch").isNotNull())
        .join(F.broadcast(releases), "node_id", "left")
        .where(is_commit | (only_announces & ~refused))
    )
    return changed.select(
        *_columns(
            leader_epoch=F.col("_epoch"),
            partition_epoch=F.col("partition_epoch"),
            leader_id=F.col("node_id"),
            isr=F.col("isr"),
            node_id=F.col("node_id"),
            witness=F.when(is_commit, "commit").otherwise("intent"),
            born=F.lit(False),
        )
    )


def _first_isrs(answered: DataFrame) -> DataFrame:
    """What the ISR was as a leader began: the first change in a leader epoch says it, up to 2.5 no other line at INFO
    does. In ZooKeeper's compare-and-set it is the state one partition epoch before.
    """
    first_change = answered.where(F.col("kind").isin(*ISR_INTENTS) & F.col("_epoch").isNotNull() & F.col("_is_first"))
    began_with = first_change.select(
        *_columns(
            leader_epoch=F.col("_epoch"),
            partition_epoch=F.when(F.col("_answer.kind") == "isr_updated", F.col("_answer.partition_epoch") - 1),
            leader_id=F.col("node_id"),
            isr=_brokers("old_isr"),
            ts=F.col("_role.ts"),
            node_id=F.col("node_id"),
            witness=F.lit("commit"),
            born=F.lit(False),
        )
    )
    return began_with.where(F.col("isr").isNotNull())


@gathers("dump_metadata_record")
def _recorded(events: DataFrame) -> DataFrame:
    """The committed states of a dumped metadata log."""
    states = partition_states(metadata_records(events))
    told = {name: F.col(name) for name in ("replicas", "elr", "last_known_elr", "recovering")}
    return _kept(states, "record", born=True, **told)


@gathers(*_KEPT_BY_ZOOKEEPER)
def _kept_by_zookeeper(events: DataFrame) -> DataFrame:
    """The states that ZooKeeper's znodes and its transaction log hold; which of them began a leader epoch they do not
    say.
    """
    return _kept(znode_states(events).withColumn("topic_id", F.lit(None)), "znode", born=False)


def _kept(states: DataFrame, witness: str, born: bool, **more: Column) -> DataFrame:
    """States that the cluster itself kept; no node prints them."""
    said = {name: F.col(name) for name in ("leader_epoch", "partition_epoch", "leader_id", "isr")}
    return states.select(*_columns(**said, witness=F.lit(witness), born=F.lit(born), **more))
