"""Changes of leader: from whom to whom, why, and whether the new leader was in sync. Recomputed from ISR and leader,
never from a word.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import evidence_of, joined
from replay.columns.times import millis
from replay.columns.values import looked_up
from replay.columns.windows import PARTITION_KEY, before, by_leader_epoch
from replay.facts.releases import before_version
from replay.faults.kinds import TRIGGERS, is_kind
from replay.partitions.assignments import first_assigned
from replay.tables import ELECTIONS, LEADER_EPOCHS

_RETRIED_MS = 5_000  # an election that was asked for is tried again at once, not later
_SKEW_S = 2  # a happening of another node this shortly after a change may have been before it
_SAME_CLOCK_S = 1  # the same for what controllers print, mostly the one that made the change
# From the end of a leader to the next. Sessions time out before: 9 s with a KRaft controller (KIP-631), 18 s with ZooKeeper
# since 2.5 (KIP-537).
_ELECTED_WITHIN_MS = 30_000
_LEADERS_FOLLOW_S = 60  # leaders are elected anew shortly after the last replica of a reassignment has moved
_OF_CHANGE = (
    "ts",
    "old_leader_id",
    "new_leader_id",
    "elected_from",
    "leaderless_ms",
    "isr_before",
    "isr_before_evidence",
    "replicas",
    "_evidence",
    "_trigger",
    "_why",
)


def judged(leader_epochs: DataFrame, isr_spans: DataFrame, assignments: DataFrame, releases: DataFrame) -> DataFrame:
    """`leader_epochs` with `elected_from`, `reason`, and of the epoch before: `old_leader_id` (-1 none),
    `last_leader_id`, `isr_before`, `isr_before_evidence`, `replicas`, `leaderless_ms`, `untold_epochs` (leader epochs
    since the last one with a leader that no line tells).

    An election is unclean if the new leader is outside the ISR (and the ELR) of the state just before. To say so, no
    change of the ISR may have gone unseen since that state; otherwise `elected_from` is null (facts, I4, I6). None has
    if each step of the partition epoch since was a new leader epoch, which only takes members away. None has either
    if the state is that of a time without leader, in which the ISR stays. An election is not clean if it follows a
    leader epoch whose ISR is not logged: that one may have begun by taking the new leader out. From Kafka 4.0 on a leader
    from outside the ISR may come from the ELR: it is unclean if the ELR is printed without it, or if it leads in
    recovery (facts, F30; `releases`: an ELR takes a cluster whose nodes all run 4.0 or later).
    """
    known = (
        leader_epochs.join(_first_and_last_states(isr_spans), [*PARTITION_KEY, "leader_epoch"], "left")
        .join(assignments, ["topic", "partition"], "left")
        .crossJoin(
            F.broadcast(releases.agg(F.coalesce(F.bool_or(before_version("4.0")), F.lit(False)).alias("_no_elr")))
        )
    )
    placed = _with_state_before(known)
    elected = (F.col("leader_id") >= 0) & (F.col("leader_id") != F.col("old_leader_id"))
    reason = (
        F.when((F.col("_nth") == 1) & (F.col("leader_epoch") == 0), "created")
        .when(F.col("leader_id") == -1, "leaderless")
        .when(elected, "election")
        .when(F.col("leader_id") == F.col("old_leader_id"), "isr_change")
        .otherwise("unknown")
    )
    since_led = F.when(F.col("old_leader_id") == -1, millis("start_ts", "_led.end_ts")).otherwise(F.lit(0))
    return placed.withColumns(
        {"elected_from": _elected_from(elected), "reason": reason, "leaderless_ms": since_led}
    ).drop("_nth", "_led", "_before", "_last", "_first", "_no_elr", "assigned", "described", "moved_ts")


def _first_and_last_states(isr_spans: DataFrame) -> DataFrame:
    """The first and the last state of each leader epoch. An ISR that was carried over from the epoch before is no
    state of its own.
    """
    last = F.struct("state_order", "ts", "leader_epoch", "isr", "elr", "partition_epoch", "evidence", "replicas")
    first = F.struct("state_order", "ts", "partition_epoch", "recovering", "replicas")
    carried = F.coalesce((F.col("leader_id") == -1) & (F.col("confidence") == "inferred"), F.lit(False))
    return isr_spans.groupBy(*PARTITION_KEY, "leader_epoch").agg(
        F.max(F.when(~carried, last)).alias("_last"), F.min(first).alias("_first")
    )


def _with_state_before(known: DataFrame) -> DataFrame:
    """Each leader epoch with the last leader and the last state before it, and how many epochs since no line tells."""
    earlier = before(by_leader_epoch())
    led = F.when(F.col("leader_id") >= 0, F.struct("leader_id", "end_ts", "leader_epoch", "_nth"))
    return (
        known.withColumn("_nth", F.row_number().over(by_leader_epoch()))
        .withColumns(
            {
                "old_leader_id": F.lag("leader_id").over(by_leader_epoch()),
                "_led": F.last(led, ignorenulls=True).over(earlier),
                "_before": F.last("_last", ignorenulls=True).over(earlier),
            }
        )
        .withColumns(
            {
                "last_leader_id": F.col("_led.leader_id"),
                "isr_before": F.col("_before.isr"),
                "isr_before_evidence": F.col("_before.evidence"),
                "replicas": F.coalesce("_first.replicas", "_before.replicas", first_assigned()),
                "untold_epochs": (F.col("leader_epoch") - F.col("_led.leader_epoch"))
                - (F.col("_nth") - F.col("_led._nth")),
            }
        )
    )


def _elected_from(elected: Column) -> Column:
    """Out of which set the new leader came; null where a change of the ISR may have gone unseen."""
    only_epochs = F.col("_first.partition_epoch") - F.col("_before.partition_epoch") == F.col("leader_epoch") - F.col(
        "_before.leader_epoch"
    )
    of_leaderless = (F.col("old_leader_id") == -1) & (F.col("_before.leader_epoch") == F.col("leader_epoch") - 1)
    dense = only_epochs | of_leaderless
    in_isr = F.array_contains("isr_before", F.col("leader_id"))
    elr_is_known = F.col("_no_elr") | F.col("_first.recovering") | F.col("_before.elr").isNotNull()
    isr_is_known = (F.col("_before.leader_epoch") >= F.col("_led.leader_epoch")) & (F.col("untold_epochs") == 0)
    return F.when(
        elected & F.col("isr_before").isNotNull(),
        F.when(in_isr, F.when(isr_is_known, "isr"))
        .when(F.array_contains("_before.elr", F.col("leader_id")), "elr")
        .when(
            (F.size("isr_before") == 0) & F.col("_first.recovering") & (F.col("leader_id") == F.col("last_leader_id")),
            "last_known_leader",
        )
        .when(
            dense & elr_is_known & ((F.size("isr_before") > 0) | F.col("_before.elr").isNotNull()),
            "any_replica",
        ),
    )


def leader_epochs_table(judged: DataFrame) -> DataFrame:
    """Returns `LEADER_EPOCHS`."""
    return LEADER_EPOCHS.of(judged)


def elections(judged: DataFrame, events: DataFrame, sessions: DataFrame, faults: DataFrame) -> DataFrame:
    """Every change of leader to a broker. Returns `JUDGED_ELECTIONS`.

    The trigger is the nearest happening before it that concerns the old leader or the request (facts §6.1: R2, R4,
    R21, R24, R28).
    """
    by_broker = _with_what_befell_the_old_leader(_changes_of_leader(judged), sessions, faults)
    return _with_trigger(_with_requests(by_broker, _requests(events), _moves(faults)))


def _changes_of_leader(judged: DataFrame) -> DataFrame:
    """The leader epochs with a leader that is another than before, or that leads again after a time without one."""
    return judged.where(
        (F.col("leader_id") >= 0)
        & F.col("last_leader_id").isNotNull()
        & ((F.col("leader_id") != F.col("last_leader_id")) | (F.col("old_leader_id") == -1))
    ).select(
        *PARTITION_KEY,
        "leader_epoch",
        F.col("start_ts").alias("ts"),
        F.col("last_leader_id").alias("old_leader_id"),
        F.col("leader_id").alias("new_leader_id"),
        "elected_from",
        "leaderless_ms",
        "isr_before",
        "isr_before_evidence",
        "replicas",
        F.col("evidence").alias("_evidence"),
    )


def _with_what_befell_the_old_leader(changes: DataFrame, sessions: DataFrame, faults: DataFrame) -> DataFrame:
    """Each change with the latest thing that befell its old leader in time to be its trigger (`_trigger`, `_why`)."""
    befallen = _ended_sessions(sessions).unionByName(_faults_of_leaders(faults))
    about_old = F.col("_about") == F.col("old_leader_id")
    in_time = (F.col("_ts") <= F.expr(f"ts + interval {_SKEW_S} seconds")) & (
        (millis("ts", "_ts") <= F.lit(_ELECTED_WITHIN_MS) + F.col("leaderless_ms"))
        | (F.col("_trigger").isin("broker_failure", "log_dir_failure") & (F.col("leaderless_ms") > 0))
    )
    nearest = Window.partitionBy(*PARTITION_KEY, "leader_epoch").orderBy(F.desc("_ts"))
    return (
        changes.join(befallen, about_old & in_time, "left")
        .withColumn("_nth", F.row_number().over(nearest))
        .where(F.col("_nth") == 1)
        .drop("_nth", "_about")
    )


def _ended_sessions(sessions: DataFrame) -> DataFrame:
    return sessions.where(F.col("end_ts").isNotNull()).select(
        F.col("broker_id").alias("_about"),
        F.col("end_ts").alias("_ts"),
        F.when(F.col("ended_by") == "controlled_shutdown", "controlled_shutdown")
        .otherwise("broker_failure")
        .alias("_trigger"),
        F.col("evidence").alias("_why"),
    )


def _faults_of_leaders(faults: DataFrame) -> DataFrame:
    """The faults that take leadership from a broker."""
    return faults.where(is_kind(*TRIGGERS)).select(
        F.col("broker_id").alias("_about"),
        F.col("ts").alias("_ts"),
        looked_up(TRIGGERS, F.col("kind")).alias("_trigger"),
        F.col("evidence").alias("_why"),
    )


def _requests(events: DataFrame) -> DataFrame:
    """Requests for elections, an administrator's and the controller's own for preferred leaders, with the partitions
    that they name (none: all).
    """
    moves_preferred = (F.col("kind") == "kraft_periodic_task_run") & (detail("task_name") == "electPreferred")
    return events.where(
        F.col("kind").isin("controller_election_begin", "kraft_balance_leaders_run") | moves_preferred
    ).select(
        F.col("ts").alias("_asked_ts"),
        F.when(detail("election_trigger") == "AdminClientTriggered", "admin").otherwise("preferred").alias("_asked"),
        F.regexp_extract_all(F.coalesce(detail("partitions"), F.lit("")), F.lit(r"([A-Za-z0-9._-]+-\d+)")).alias(
            "_asked_for"
        ),
        F.col("event_id").alias("_asked_event"),
    )


def _moves(faults: DataFrame) -> DataFrame:
    """The times in which replicas were reassigned."""
    return faults.where(F.col("kind") == "reassigned").select(
        F.col("ts").alias("_moved_ts"), F.col("end_ts").alias("_moved_end"), F.col("evidence").alias("_moved")
    )


def _with_requests(by_broker: DataFrame, requests: DataFrame, moves: DataFrame) -> DataFrame:
    """Each change with the latest request that it can come of, and the reassignment in which it lies."""
    named = F.concat_ws("-", "topic", "partition")
    asked_now = (F.col("_asked_ts") <= F.expr(f"ts + interval {_SAME_CLOCK_S} second")) & (
        millis("ts", "_asked_ts") <= _RETRIED_MS
    )
    asked_for = asked_now & ((F.size("_asked_for") == 0) | F.array_contains("_asked_for", named))
    moving = (F.col("_moved_ts") <= F.expr(f"ts + interval {_SAME_CLOCK_S} second")) & (
        F.col("ts") <= F.expr(f"_moved_end + interval {_LEADERS_FOLLOW_S} seconds")
    )
    return (
        by_broker.join(requests, asked_for, "left")
        .join(moves, moving, "left")
        .groupBy(*PARTITION_KEY, "leader_epoch")
        .agg(
            *[F.first(column).alias(column) for column in _OF_CHANGE],
            F.max_by("_asked", "_asked_ts").alias("_asked"),
            F.max(F.size("_asked_for")).alias("_asked_by_name"),
            evidence_of("_asked_event", "_asked_ts").alias("_asked_events"),
            F.max("_moved_ts").alias("_moved_ts"),
            F.first("_moved", True).alias("_moved"),
        )
    )


def _with_trigger(asked: DataFrame) -> DataFrame:
    """`trigger`, and the events that show it. What befell the old leader counts before requests, these before moves."""
    to_preferred = F.get("replicas", F.lit(0)) == F.col("new_leader_id")
    clean_and_alive = (F.col("leaderless_ms") == 0) & F.coalesce(F.col("elected_from") == "isr", F.lit(True))
    preferred = F.col("_trigger").isNull() & (to_preferred | (F.col("_asked_by_name") > 0)) & clean_and_alive
    trigger = (
        F.when(F.col("_trigger").isNotNull(), F.col("_trigger"))
        .when(preferred & F.col("_asked").isNotNull(), F.col("_asked"))
        .when(F.col("_moved_ts").isNotNull(), "reassignment")
        .when(preferred & F.array_contains("isr_before", F.col("old_leader_id")), "preferred")
        .otherwise("unknown")
    )
    shown_by = (
        F.when(F.col("_trigger").isNotNull(), F.col("_why"))
        .when(preferred, F.col("_asked_events"))
        .when(F.col("_moved_ts").isNotNull(), F.col("_moved"))
    )
    evidence = joined("_evidence", "isr_before_evidence", shown_by)
    return asked.withColumns({"trigger": trigger, "evidence": evidence}).select(
        "life", "isr_before", "replicas", *ELECTIONS.schema.fieldNames()
    )


def is_unclean(elected_from: Column | str = "elected_from") -> Column:
    """The new leader was neither in the ISR nor in the ELR."""
    return (F.col(elected_from) if isinstance(elected_from, str) else elected_from).isin(
        "any_replica", "last_known_leader"
    )


def elections_table(elections: DataFrame) -> DataFrame:
    """Returns `ELECTIONS`."""
    return ELECTIONS.of(elections)
