"""Lines -> the partition states in them: one scan of the events, one row per state that a line names.

Spark's windows relate a line to the others of its node and partition: the role that the node last took on (`last`), its
next line about a changed ISR (`last` in reverse order), and when it last logged the creation of the partition. They
give the leader epoch of a changed ISR, which a leader's line does not contain. `F.inline` then makes a row of each
state, and windows over all lines about the partition, of any node, remove states that were outdated when they were
logged, number the announcements of a leader (`lag` of the ISR), and find the next leader epoch. The functions beside
this file compute leader epochs, ISRs and elections from these states, in plain Python, partition by partition.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from replay.columns.events import detail
from replay.columns.times import millis, plus_millis
from replay.columns.windows import PARTITION_KEY, after, before, by_node_and_partition, so_far
from replay.facts.reads import reads_each
from replay.facts.releases import before_version
from replay.facts.sessions import SESSION_ENDED
from replay.facts.times import CLOCKS_AT_MOST_MS
from replay.partitions.fetchers import FETCHES
from replay.partitions.isr_spans import ISR_ANSWERS, ISR_COMMITTED, ISR_INTENTS, ISR_REFUSED
from replay.partitions.kept_states import KINDS_OF_KEPT_STATES
from replay.partitions.topics import with_life
from replay.tables.partitions import PARTITION_STATE_REPORTS

DECISIONS = (
    "partition_state_new",
    "partition_state_online_with_leader",
    "replica_removed_from_isr",
    "controller_isr_changed",
    "partition_leader_cache_updated",  # up to 1.0, after each election
)
_REQUESTS = (
    "controller_send_leader_and_isr",
    "controller_send_update_metadata",
    "broker_leader_and_isr_received",
    "broker_metadata_cached",
)
BEGINS = ("leader_start", "follower_start")
LEADERS = ("leader_start", "leader_transition_skipped")
FOLLOWERS = ("follower_start", "follower_transition_skipped")
TAKES_ROLE = (*LEADERS, *FOLLOWERS, "broker_leader_and_isr_received")
REPLAYED_CREATIONS = (
    "kraft_partition_created",
)  # a controller that starts logs its whole metadata log with the current time (facts, §8)
ISR_STORED = "alter_partition_isr_updated"
STATED = (*DECISIONS, *_REQUESTS, *LEADERS, *FOLLOWERS, ISR_STORED, *REPLAYED_CREATIONS)
# A broker can log a leader epoch long after it began: one that was frozen learns of it when it wakes.
LATE_WITNESSES = ("follower", "request", "intent")
CHANGES = ("kraft_partition_changed_unclean", "kraft_partition_changed")
FROM_OUTSIDE_ISR = ("kraft_leader_selected_elr", "kraft_leader_selected_unclean")
OF_LINES = (*STATED, *CHANGES, *FROM_OUTSIDE_ISR, FETCHES, *ISR_ANSWERS)
BROKER_FAILED = "controller_broker_failure"

FETCH_STATE = r"(?<![A-Za-z0-9._-])[A-Za-z0-9._-]+-\d+ -> (?:(?!, [A-Za-z0-9._-]{1,260}-\d+ -> ).)*+"  # `orders-0 -> InitialFetchState(...)`, of a list of them
FETCHED_EPOCH = r"(?:[lL]eaderEpoch=|[)\]], ?)(\d+)(?:[,)\]])"
LOGGED_WITHIN_MS = 1_000  # other controllers log a record within this
DEALT_WITH_MS = 2_000  # a controller that learns of a broker's failure elects its partitions' leaders within this
REPLAYED_MS = 60_000  # a controller that starts has read the whole log within this

_OF_THE_LINE = ("topic", "topic_id", "partition", "ts", "event_id", "node_id", "kind")  # unchanged from the line
_OF_WINDOWS = ("life", "visit")
_STATE = StructType([one for one in PARTITION_STATE_REPORTS.schema if one.name not in _OF_WINDOWS])


@reads_each(BROKER_FAILED, *SESSION_ENDED)
def partition_state_reports(
    events: DataFrame,
    topic_lives: DataFrame,
    releases: DataFrame,
    facts: DataFrame,
    kept_states: DataFrame,
    kinds: frozenset[str],
) -> DataFrame:
    """One row for each state of a partition that a line names. Returns `PARTITION_STATE_REPORTS`.

    `born`: the line was logged when the leader epoch began (it is no repetition, as after a restart). `kinds`: those in
    `events`.
    """
    lines = _placed(events.where(F.col("kind").isin(*OF_LINES)), events, releases, facts, kinds)
    stated = lines.select(F.inline(_states_of_line(kinds)))
    if kinds.intersection(KINDS_OF_KEPT_STATES):
        stated = stated.unionByName(kept_states.drop(*_OF_WINDOWS))
    return PARTITION_STATE_REPORTS.of(_current(with_life(stated, topic_lives), kinds))


# --- The windows over the lines of one node and partition


def _placed(
    lines: DataFrame, events: DataFrame, releases: DataFrame, facts: DataFrame, kinds: frozenset[str]
) -> DataFrame:
    """The lines with their context: window columns, and the lines about failed or fenced brokers."""
    placed = lines.select(
        *("event_id", "ts", "line_number", "node_id", "kind", "topic", "topic_id", "partition", "leader_id"),
        *("leader_epoch", "partition_epoch", "isr", "replicas", "epoch_start_offset", "details"),
        F.contains("message", F.lit("isr: [")).alias("names_isr"),
    )
    if kinds.intersection(FROM_OUTSIDE_ISR):
        placed = _with_names(placed, events)
    if kinds.intersection(ISR_COMMITTED):
        placed = _with_answers(_with_roles(placed)).join(F.broadcast(releases), "node_id", "left")
    if ISR_STORED in kinds:
        placed = _with_decisions(placed)
    if kinds.intersection(REPLAYED_CREATIONS):
        placed = _without_replayed_creations(placed)
    elif kinds.intersection(CHANGES):
        placed = placed.withColumn("replayed_ts", F.lit(None).cast("timestamp"))
    if kinds.intersection((*CHANGES, *FROM_OUTSIDE_ISR)):
        placed = _with_all(placed, "fenced", facts.where(F.col("kind").isin(*SESSION_ENDED)), "broker_id", "ts")
    if BROKER_FAILED in kinds:
        failed = facts.where(F.col("kind") == BROKER_FAILED).withColumn("brokers", _brokers("dead_brokers"))
        placed = _with_all(placed, "failed", failed, "ts", "node_id", "brokers")
    return placed


def _with_all(lines: DataFrame, name: str, few: DataFrame, *columns: str) -> DataFrame:
    """The lines, each with the `columns` of all rows of `few` as an array."""
    return lines.crossJoin(F.broadcast(few.agg(F.collect_list(F.struct(*columns)).alias(name))))


def _with_names(lines: DataFrame, events: DataFrame) -> DataFrame:
    """Adds the topic's name to lines of elections from outside the ISR, which contain its id; other lines have both."""
    names = (
        events.where(F.col("topic_id").isNotNull() & F.col("topic").isNotNull())
        .groupBy("topic_id")
        .agg(F.min("topic").alias("_name"))
    )
    by_id = F.when(F.col("kind").isin(*FROM_OUTSIDE_ISR), F.col("_name")).otherwise(F.col("topic"))
    return lines.join(F.broadcast(names), "topic_id", "left").withColumn("topic", by_id).drop("_name")


def _with_roles(lines: DataFrame) -> DataFrame:
    """`role`: the last role of the node in the partition. `leads_in`: the leader epoch in which it leads. A node that
    last began to follow but logs changes of the ISR became leader without a line: the leader epoch of its ISRs is
    unknown.
    """
    leads = F.col("kind").isin(*LEADERS) | (F.col("leader_id") == F.col("node_id"))
    role = F.struct("leader_epoch", F.coalesce(leads, F.lit(False)).alias("leads"), "ts")
    last_role = F.last(F.when(_takes_role(), role), ignorenulls=True).over(so_far(by_node_and_partition()))
    return lines.withColumn("role", last_role).withColumn(
        "leads_in", F.when(F.col("role.leads"), F.col("role.leader_epoch"))
    )


def _takes_role() -> Column:
    return F.col("kind").isin(*TAKES_ROLE) & F.col("leader_epoch").isNotNull()


def _with_decisions(lines: DataFrame) -> DataFrame:
    """`decided`: the last leader that the node decided on for the partition, as its controller. `by_leader`: a leader logged the
    state of this partition epoch itself.
    """
    is_decision = F.col("kind").isin(*DECISIONS) & F.col("leader_epoch").isNotNull()
    decision = F.when(is_decision, F.struct("leader_epoch", "leader_id", "partition_epoch"))
    by_leader = F.max(F.col("kind") == "isr_updated").over(Window.partitionBy("topic", "partition", "partition_epoch"))
    decided = F.last(decision, ignorenulls=True).over(so_far(by_node_and_partition()))
    return lines.withColumns({"decided": decided, "by_leader": by_leader})


def _with_answers(lines: DataFrame) -> DataFrame:
    """`answer`: the node's next line about a change of the partition's ISR. `is_first`: no earlier line shows the ISR
    of this leader epoch.
    """
    answer = F.struct("kind", detail("old_isr").alias("old_isr"), "partition_epoch", "leads_in")
    next_answer = F.last(F.when(F.col("kind").isin(*ISR_ANSWERS), answer), ignorenulls=True)
    of_epoch = F.when(_takes_role(), F.col("leader_epoch")).when(F.col("kind").isin(*ISR_ANSWERS), F.col("leads_in"))
    last_with_isr = F.last(F.when(F.col("isr").isNotNull(), of_epoch), ignorenulls=True)
    return lines.withColumns(
        {
            "answer": next_answer.over(after(by_node_and_partition)),
            "is_first": ~last_with_isr.over(before(by_node_and_partition())).eqNullSafe(F.col("leads_in")),
        }
    )


def _without_replayed_creations(lines: DataFrame) -> DataFrame:
    """The lines without repeated creations of partitions that existed before; also if these lines are the first about
    the partition, but no broker takes on the leader epoch of the creation; a follower's line has no topic id,
    so it has to have the partition epoch too. `replayed_ts`: when the node last repeated the creation.
    """
    of_partition = Window.partitionBy(F.coalesce("topic_id", "topic"), "partition")
    taken = F.when(_is_stated() & F.col("kind").isin(*BEGINS), F.col("leader_epoch"))
    of_name = Window.partitionBy("topic", "partition")
    first_ts = F.min(F.when(_is_stated(), F.col("ts"))).over(of_partition)
    state = F.struct("leader_epoch", "partition_epoch")
    by_followers = F.when(F.col("topic_id").isNull() & taken.isNotNull() & F.col("partition_epoch").isNotNull(), state)
    is_taken = F.coalesce(F.min(taken).over(of_partition) == F.col("leader_epoch"), F.lit(False))
    is_taken |= F.coalesce(F.min(by_followers).over(of_name) == state, F.lit(False))
    is_again = F.col("kind").isin(*REPLAYED_CREATIONS) & (
        (millis(F.col("ts"), first_ts) > LOGGED_WITHIN_MS) | ~is_taken
    )
    again = lines.withColumn("_again", F.coalesce(is_again, F.lit(False)))
    replayed = F.last(F.when(F.col("_again"), F.col("ts")), ignorenulls=True).over(so_far(by_node_and_partition()))
    return again.withColumn("replayed_ts", replayed).where(~F.col("_again")).drop("_again")


# --- What one line states


def _states_of_line(kinds: frozenset[str]) -> Column:
    """An array of the states in a line."""
    makers = (
        ((*STATED,), _stated),
        (("leader_start",), _led_before),
        ((BROKER_FAILED,), _offline_before),
        (CHANGES, _changed_to),
        (CHANGES, _changed_from),
        (FROM_OUTSIDE_ISR, _elected_from),
        (FROM_OUTSIDE_ISR, _elected),
        (ISR_COMMITTED, _changed_isr),
        ((ISR_STORED,), _stored_isr),
        (ISR_INTENTS, _first_isr),
    )
    each = [state() for of_kinds, state in makers if kinds.intersection(of_kinds)]
    named = F.array_compact(F.array(*each, F.lit(None).cast(_STATE)))
    return F.concat(named, _fetched()) if FETCHES in kinds else named


def _state(**named: Column) -> Column:
    """A state in a line; columns that it does not name are null, and those about the line itself are the line's own."""
    values = {name: F.col(name) for name in _OF_THE_LINE} | named
    return F.struct(*[values.get(one.name, F.lit(None)).cast(one.dataType).alias(one.name) for one in _STATE.fields])


def _brokers(name: str) -> Column:
    """The broker ids in a detail, `1, 2`; none for an empty one; null without such a detail."""
    listed = F.replace(detail(name), F.lit(" "))
    return F.when(listed == "", _nobody()).otherwise(F.split(listed, ",").try_cast("array<int>"))


def _nobody() -> Column:
    return F.array().cast("array<int>")


def _is_stated() -> Column:
    """Whether a line contains its leader epoch."""
    return (
        F.col("kind").isin(*STATED)
        & F.col("topic").isNotNull()
        & F.coalesce(F.col("leader_epoch") >= 0, F.lit(False))
        & F.coalesce(F.col("leader_id") >= -1, F.lit(True))  # -2: the topic is being deleted
    )


def _previous_epoch() -> Column:
    return detail("previous_leader_epoch").try_cast("int")


def _follows() -> Column:
    """Whether a broker takes on a role in a later leader epoch than its previous one."""
    return F.col("kind").isin(*BEGINS) & (_previous_epoch() >= 0) & (_previous_epoch() < F.col("leader_epoch"))


def _stated() -> Column:
    kind = F.col("kind")
    witness = (
        F.when(kind.isin(*DECISIONS), "decision")
        .when(kind.isin(*LEADERS), "leader")
        .when(kind.isin(*FOLLOWERS), "follower")
        .when(kind == ISR_STORED, "commit")
        .otherwise("request")
    )
    begins = kind.isin(*BEGINS) & (F.col("leader_epoch") == 0)
    for restarted in ("partition_epoch", "epoch_start_offset"):  # of a partition that exists, these are more than 0
        begins &= F.coalesce(F.col(restarted), F.lit(0)) == 0
    as_it_is = ("leader_epoch", "partition_epoch", "leader_id", "isr", "replicas")
    return F.when(
        _is_stated(),
        _state(
            **{name: F.col(name) for name in as_it_is},
            elr=_brokers("elr"),
            last_known_elr=_brokers("last_known_elr"),
            recovering=detail("leader_recovery_state") == "RECOVERING",
            epoch_start_offset=F.when(kind == "leader_start", F.col("epoch_start_offset")),
            witness=witness,
            born=kind.isin(*DECISIONS) | begins | _follows(),
        ),
    )


def _led_before() -> Column:
    """The previous leader. From 3.6 on a leader also logs it, which is the only line about it if the logs begin later;
    a follower logs its new leader there.
    """
    led = detail("previous_leader").try_cast("int")
    is_logged = _is_stated() & (F.col("kind") == "leader_start") & _follows() & led.isNotNull()
    return F.when(
        is_logged, _state(leader_epoch=_previous_epoch(), leader_id=led, witness=F.lit("request"), born=F.lit(False))
    )


def _offline_before() -> Column:
    """The leader before an election out of `OfflinePartition`: the one broker whose failure the controller was
    handling. ZooKeeper mode has no other line that names it.
    """
    elected = (
        (F.col("kind") == "partition_state_online_with_leader")
        & (detail("from_state") == "OfflinePartition")
        & (F.col("leader_epoch") > 0)
        & (F.col("leader_id") >= 0)
        & F.col("topic").isNotNull()
    )
    dealt_with = F.filter(
        "failed",
        lambda one: (
            (one["node_id"] == F.col("node_id")) & F.col("ts").between(one["ts"], plus_millis(one["ts"], DEALT_WITH_MS))
        ),
    )
    dead = F.array_max(dealt_with)["brokers"]
    is_one = (F.size(dead) == 1) & ~F.array_contains(dead, F.col("leader_id"))
    return F.when(
        elected & is_one,
        _state(
            leader_epoch=F.col("leader_epoch") - 1,
            leader_id=F.get(dead, F.lit(0)),
            witness=F.lit("request"),
            born=F.lit(False),
        ),
    )


def _is_change() -> Column:
    """Whether it is a change that a KRaft controller logs: at INFO those that elect from outside the ISR (facts §1.8).

    A controller that starts logs old changes with the current time (facts, §8 trap 19), directly after the repeated
    creation of the partition: those do not count.
    """
    replayed = F.coalesce(millis("ts", "replayed_ts") <= REPLAYED_MS, F.lit(False))
    is_named = F.col("topic").isNotNull() & F.col("leader_epoch").isNotNull()
    return F.col("kind").isin(*CHANGES) & is_named & ~replayed


def _changed_to() -> Column:
    """The state after a change."""
    return F.when(
        _is_change(),
        _state(
            leader_epoch=F.col("leader_epoch"),
            partition_epoch=F.col("partition_epoch"),
            leader_id=F.col("leader_id"),
            isr=F.when(F.col("names_isr"), F.coalesce("isr", _nobody())),
            recovering=detail("leader_recovery_state") == "RECOVERING",
            witness=F.lit("decision"),
            born=F.lit(True),
        ),
    )


def _changed_from() -> Column:
    """The state before a change. Everything that the line does not name did not change: a leader that comes out of the
    ELR leaves it, so the ELR before is named (KIP-966).

    A partition loses its leader when the last member of its ISR is fenced; with an empty ISR, the last known leader.
    """
    isr, leader = F.coalesce(_brokers("previous_isr"), _nobody()), detail("previous_leader").try_cast("int")
    elr = F.when(F.size(isr) == 0, F.coalesce(_brokers("previous_elr"), _nobody()))
    last_known = F.get(_brokers("previous_last_known_elr"), F.lit(0))
    last = F.when(F.size(isr) == 1, F.get(isr, F.lit(0))).otherwise(
        F.coalesce(last_known, F.get(elr, F.lit(0)), F.col("leader_id"))
    )
    return F.when(
        _is_change(),
        _state(
            leader_epoch=_previous_epoch(),
            partition_epoch=detail("previous_partition_epoch").try_cast("int"),
            leader_id=leader,
            isr=F.when(F.col("names_isr"), isr),
            elr=F.when(F.col("names_isr"), elr),
            last_known_elr=_brokers("previous_last_known_elr"),
            ts=_lost_ts(leader, last),
            witness=F.lit("decision"),
            born=F.lit(False),
        ),
    )


def _lost_ts(leader: Column, last: Column) -> Column:
    """When a state began that is logged at its end: one without a leader began when broker `last`, with which the
    partition lost its leader, was fenced.
    """
    of_last = F.filter("fenced", lambda one: (one["broker_id"] == last) & (one["ts"] <= F.col("ts")))
    fenced_ts = F.array_max(F.transform(of_last, lambda one: one["ts"]))
    return F.coalesce(F.when(leader == -1, fenced_ts), F.col("ts"))


def _is_elected_from_outside() -> Column:
    """Whether it is an election from the ELR, or from outside ISR and ELR, as the KRaft controller that made it logs it
    from 4.1 on.
    """
    is_named = F.col("topic").isNotNull() & F.col("leader_epoch").isNotNull()
    return F.col("kind").isin(*FROM_OUTSIDE_ISR) & is_named


def _elected_from() -> Column:
    """The complete state before such an election."""
    last = F.coalesce(F.get(_brokers("last_known_elr"), F.lit(0)), F.get(_brokers("elr"), F.lit(0)))
    return F.when(
        _is_elected_from_outside(),
        _state(
            leader_epoch=F.col("leader_epoch"),
            partition_epoch=F.col("partition_epoch"),
            leader_id=F.col("leader_id"),
            isr=F.coalesce("isr", _nobody()),
            replicas=F.col("replicas"),
            elr=_brokers("elr"),
            last_known_elr=_brokers("last_known_elr"),
            ts=_lost_ts(F.col("leader_id"), last),
            witness=F.lit("decision"),
            born=F.lit(False),
        ),
    )


def _elected() -> Column:
    """The state after it. The new leader is the only member of the ISR (KIP-966)."""
    new_leader = detail("election_result_node").try_cast("int")
    return F.when(
        _is_elected_from_outside(),
        _state(
            leader_epoch=F.col("leader_epoch") + 1,
            partition_epoch=F.col("partition_epoch") + 1,
            leader_id=new_leader,
            isr=F.array(new_leader),
            replicas=F.col("replicas"),
            recovering=F.col("kind") == "kraft_leader_selected_unclean",
            witness=F.lit("decision"),
            born=F.lit(True),
        ),
    )


def _changed_isr() -> Column:
    """An ISR that was committed; before 2.4, which does not log that, one that was announced and not refused.

    An announcement was refused if ZooKeeper reported a version conflict, or if the same change from the same ISR is
    announced again: the write failed, for example while ZooKeeper was unavailable (facts §5, F07 and F22).
    """
    is_commit = F.col("kind") == "isr_updated"
    again = (
        F.col("answer.kind").isin(*ISR_INTENTS)
        & (F.col("answer.old_isr") == detail("old_isr"))
        & (F.col("answer.leads_in") == F.col("leads_in"))
    )
    refused = F.coalesce(F.col("answer.kind").isin(*ISR_REFUSED) | again, F.lit(False))
    only_announces = F.coalesce(before_version("2.4.0"), F.lit(False))
    counts = is_commit | (only_announces & ~refused)
    return F.when(
        F.col("kind").isin(*ISR_COMMITTED) & F.col("leads_in").isNotNull() & counts,
        _state(
            leader_epoch=F.col("leads_in"),
            partition_epoch=F.col("partition_epoch"),
            leader_id=F.col("node_id"),
            isr=F.col("isr"),
            witness=F.when(is_commit, "commit").otherwise("intent"),
            born=F.lit(False),
        ),
    )


def _stored_isr() -> Column:
    """An ISR that a ZooKeeper controller stored for a leader whose own line about it is missing. The line names no leader: it is the one
    that this controller decided on last.
    """
    later = F.coalesce(F.col("partition_epoch") > F.col("decided.partition_epoch"), F.lit(False))
    return F.when(
        (F.col("kind") == ISR_STORED)
        & F.col("topic").isNotNull()
        & F.col("leader_epoch").isNull()
        & later
        & ~F.col("by_leader"),
        _state(
            leader_epoch=F.col("decided.leader_epoch"),
            partition_epoch=F.col("partition_epoch"),
            leader_id=F.col("decided.leader_id"),
            isr=F.col("isr"),
            witness=F.lit("commit"),
            born=F.lit(False),
        ),
    )


def _first_isr() -> Column:
    """The ISR at the start of a leader's term: the first change in a leader epoch shows it, and up to 2.5 no other line
    at INFO does. In ZooKeeper's compare-and-set it is the state one partition epoch before.
    """
    is_first_change = F.col("kind").isin(*ISR_INTENTS) & F.col("leads_in").isNotNull() & F.col("is_first")
    was = _brokers("old_isr")
    return F.when(
        is_first_change & was.isNotNull(),
        _state(
            leader_epoch=F.col("leads_in"),
            partition_epoch=F.when(F.col("answer.kind") == "isr_updated", F.col("answer.partition_epoch") - 1),
            leader_id=F.col("node_id"),
            isr=was,
            ts=F.col("role.ts"),
            witness=F.lit("commit"),
            born=F.lit(False),
        ),
    )


def _fetched() -> Column:
    """An array of the leaders from which a follower began to fetch, with their leader epochs (from 2.1 on): it names a
    leader whose own files are missing.
    """
    fetches = F.when(
        (F.col("kind") == FETCHES) & F.col("leader_id").isNotNull(),
        F.regexp_extract_all(detail("initial_fetch_states"), F.lit(FETCH_STATE), 0),
    )

    def fetch(text: Column) -> Column:
        name = F.regexp_extract(text, r"^(\S+) -> ", 1)
        return _state(
            topic=F.regexp_extract(name, r"^(.*)-\d+$", 1),
            topic_id=F.lit(None),
            partition=F.regexp_extract(name, r"-(\d+)$", 1).try_cast("int"),
            leader_epoch=F.regexp_extract(text, FETCHED_EPOCH, 1).try_cast("int"),
            leader_id=F.col("leader_id"),
            witness=F.lit("follower"),
            born=F.lit(False),
        )

    states = F.transform(F.coalesce(fetches, F.array().cast("array<string>")), fetch)
    return F.filter(states, lambda one: one["leader_epoch"].isNotNull())


# --- The windows over all lines about a partition


def _current(stated: DataFrame, kinds: frozenset[str]) -> DataFrame:
    """The states without those that were outdated when they were logged, and `visit` of each ISR that a leader only
    announces.

    A shrink or expansion that a leader only announces counts as committed only if the release logs no commit (facts, §8
    trap 12; formats §8.2). A commit whose leader epoch is taken from earlier lines is removed if a later leader epoch
    had begun by then, because a deposed leader commits no ISR. A partition epoch of another leader shows that (I2), or
    a line about a later leader epoch well before.
    """
    sorted_isr = stated.withColumn("isr", F.array_sort("isr"))
    if not kinds.intersection(ISR_COMMITTED):
        return sorted_isr.withColumn("visit", F.lit(None))
    by_partition_epoch = Window.partitionBy(*PARTITION_KEY).orderBy("partition_epoch")
    up_to_this = by_partition_epoch.rangeBetween(Window.unboundedPreceding, Window.currentRow)
    by_time = Window.partitionBy(*PARTITION_KEY).orderBy(F.unix_millis("ts"))
    well_before = by_time.rangeBetween(Window.unboundedPreceding, -CLOCKS_AT_MOST_MS)
    numbered = F.when(F.col("partition_epoch").isNotNull(), F.col("leader_epoch"))
    begun = F.greatest(
        F.when(F.col("partition_epoch").isNotNull(), F.max(numbered).over(up_to_this)),
        F.max("leader_epoch").over(well_before),
    )
    placed_by_order = F.col("witness").isin("commit", "intent")
    outdated = F.coalesce(placed_by_order & (begun > F.col("leader_epoch")), F.lit(False))
    current = sorted_isr.withColumn("_outdated", outdated).where(~F.col("_outdated")).drop("_outdated")
    return _with_visits(current)


def _with_visits(stated: DataFrame) -> DataFrame:
    """`visit`: the number of the time at which a leader before 2.4 announces this ISR, because it can return to an
    earlier one.
    """
    intent = F.col("witness") == "intent"
    announced = Window.partitionBy(*PARTITION_KEY, "leader_epoch", intent).orderBy("ts", "event_id")
    is_other = intent & ~F.lag("isr").over(announced).eqNullSafe(F.col("isr"))
    return (
        stated.withColumn("_other", is_other)
        .withColumn("visit", F.when(intent, F.count_if("_other").over(so_far(announced))).cast("int"))
        .drop("_other")
    )
