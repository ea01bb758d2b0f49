"""The quorum was lost: voters sought a leader in vain, or most of them were down (F11); single ones were cut off from
it (F10); or the active controller was overloaded (F12).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import evidence_of
from replay.columns.times import millis, plus_millis
from replay.columns.windows import so_far
from replay.facts.lives import STARTS
from replay.faults.kinds import CRASHES, ORDERED_STOPS, code_of, is_kind
from replay.faults.rows import fault_rows, in_spells, no_texts
from replay.faults.rule import finds_in
from replay.sentences import statement

ROLES_LATE_MS = 2_000  # a broker applies what controllers decided within this
ELECTION_TAKES_MS = 10_000  # voters that can reach each other have found a leader by then (facts §5, F10: 2 to 5 s)
TRIED_AGAIN_MS = 30_000  # a voter without a leader tries again every few seconds: after this it had found one
LEADER_BACK_MS = 15_000  # voters that come back find a leader, and brokers it, within this
BEFORE_ATTEMPT_MS = 5_000  # a voter seeks a leader after a fetch timeout (2 s), and an election timeout (1 to 2 s)
HEARTBEAT_EXPIRED, SLOW_EVENT = "kraft_heartbeat_timed_out_queue", "kraft_event_slow"
HEARTBEAT_EXPIRES_MS = 1_000  # half of broker.heartbeat.interval.ms: so long a heartbeat may wait (ControllerApis)
SLOW_AGAIN = 3  # so many slow events in a spell are no single stop
ELECTION_ATTEMPTS = (
    "raft_become_candidate",
    "raft_become_prospective",
    "raft_election_timeout",
    "raft_election_lost_votes",
    "raft_check_quorum_lost",
    "raft_reelect_after_backoff",
)
_VOTERS = r"\bvoters=\[([0-9, ]+)\]"


@finds_in(*ELECTION_ATTEMPTS)
def quorum_lost(events: DataFrame) -> DataFrame:
    """F11: voters that sought a leader for longer than an election takes, while nobody had one, as far as the files of most voters tell. Returns `FAULTS`."""
    spells = _vain_elections(events).where("not has_leader and most_heard")
    said = statement("sought_leader_in_vain", attempts="attempts", all_nodes="nodes", at_from="ts", at_to="end_ts")
    return _lost_quorum(spells, plus_millis("ts", -BEFORE_ATTEMPT_MS), said)


@finds_in("raft_transition")
def majority_down(events: DataFrame, known: DataFrame) -> DataFrame:
    """F11: so many voters were down at once (`known` faults) that those left were no majority. Returns `FAULTS`.

    Up to 3.6 a leader that is left alone does not resign: it seeks nobody, goes on printing, and commits nothing (facts
    §5, F11). A voter that only fell silent may be one whose files end early: it does not count.
    """
    is_voter = F.array_contains("voters", F.col("broker_id"))
    down = (
        known.where(is_kind(*CRASHES, *ORDERED_STOPS, "paused")).crossJoin(F.broadcast(_voters(events))).where(is_voter)
    )
    down = down.select("broker_id", "ts", "end_ts", "evidence", "voters")
    others = down.select(
        F.col("broker_id").alias("_other"),
        F.col("ts").alias("_from"),
        F.col("end_ts").alias("_to"),
        F.col("evidence").alias("_proof"),
    )
    at_once = (F.col("_from") <= F.col("ts")) & F.coalesce(F.col("_to") > F.col("ts"), F.lit(True))
    together = (
        down.join(F.broadcast(others), at_once)
        .groupBy("broker_id", "ts", "voters")
        .agg(
            F.array_sort(F.collect_set("_other")).alias("nodes"),
            F.min("_to").alias("end_ts"),
            F.array_sort(F.array_distinct(F.flatten(F.collect_list("_proof")))).alias("evidence"),
        )
    )
    too_many = F.floor((F.size("voters") + 1) / 2).cast("int")
    lasting = F.coalesce(millis("end_ts", "ts") >= ELECTION_TAKES_MS, F.lit(True))
    spells = together.where((F.size("nodes") == too_many) & lasting).dropDuplicates(["ts"])
    said = statement(
        "most_voters_down",
        count=F.size("nodes"),
        voters=F.size("voters"),
        all_nodes="nodes",
        at_from="ts",
        at_to="end_ts",
        open=F.when(F.col("end_ts").isNull(), F.lit("yes")),
    )
    return _lost_quorum(spells, F.col("ts"), said)


def _lost_quorum(spells: DataFrame, began_low: Column, said: Column) -> DataFrame:
    """F11 for every spell; no one node is at fault."""
    return fault_rows(
        spells,
        "quorum_lost",
        broker_id=F.lit(None),
        peers=F.col("nodes"),
        began_low=began_low,
        said=said,
        confidence=0.9,
    )


def untold_majorities_down(found: DataFrame, stated: DataFrame) -> DataFrame:
    """Of the times in which most voters were down, those of which the voters' own search for a leader (`stated`)
    tells nothing.
    """
    sought = stated.where(is_kind("quorum_lost")).select(
        F.col("ts").alias("_from"), F.coalesce("end_ts", "ts").alias("_to")
    )
    overlaps = (F.col("_from") <= F.coalesce(F.col("end_ts"), F.col("_from"))) & (F.col("_to") >= F.col("ts"))
    return found.join(F.broadcast(sought), overlaps, "left_anti")


def fenced_without_quorum(faults: DataFrame) -> DataFrame:
    """`faults` in which no broker was cut from the controllers (F06) that only had none, or one that was overloaded: a
    leader without a majority answers no heartbeat in time, and neither does a slow one (F12). Returns `FAULTS`.
    """
    spells = faults.agg(
        F.collect_list(F.when(is_kind("quorum_lost"), F.struct("ts", "end_ts"))).alias("_lost"),
        F.collect_list(
            F.when(is_kind("controller_overloaded"), F.struct(F.col("began_low").alias("ts"), "end_ts"))
        ).alias("_overloaded"),
    )

    def during(spell: Column) -> Column:
        return (F.col("ts") >= spell["ts"]) & F.coalesce(
            F.col("ts") <= plus_millis(spell["end_ts"], LEADER_BACK_MS), F.lit(True)
        )

    why = F.when(F.exists("_lost", during), "fenced_without_quorum").when(
        F.exists("_overloaded", during), "fenced_by_overloaded_controller"
    )
    judged = faults.crossJoin(F.broadcast(spells)).withColumn("_why", F.when(is_kind("cut_from_controllers"), why))
    kind = F.when(F.col("_why").isNotNull(), "fenced_alive").otherwise(F.col("kind"))
    return judged.withColumns({"kind": kind, "code": code_of(kind), "reason": F.coalesce("_why", "reason")}).select(
        *faults.columns
    )


@finds_in(HEARTBEAT_EXPIRED, SLOW_EVENT)
def controllers_overloaded(events: DataFrame) -> DataFrame:
    """F12: an active controller whose queue outlasts the heartbeats in it, or whose events take seconds again and again. Returns `FAULTS`.

    One slow event is none: a process that stood still finds one on waking.
    """
    lines = events.where(F.col("kind").isin(HEARTBEAT_EXPIRED, SLOW_EVENT) & F.col("node_id").isNotNull())
    spells = (
        in_spells(lines, ("node_id",), TRIED_AGAIN_MS)
        .groupBy("node_id", "spell")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count_if(F.col("kind") == SLOW_EVENT).alias("slow"),
            F.max(detail("elapsed_ms").try_cast("bigint")).alias("longest_ms"),
            F.count_if(F.col("kind") == HEARTBEAT_EXPIRED).alias("timed_out"),
            evidence_of().alias("evidence"),
        )
        .where((F.col("slow") >= SLOW_AGAIN) | (F.col("timed_out") > 0))
    )
    said = statement(
        "events_took_seconds",
        node="node_id",
        at_from="ts",
        at_to="end_ts",
        slow=F.when(F.col("slow") > 0, F.col("slow")),
        longest_ms="longest_ms",
        timed_out=F.when(F.col("timed_out") > 0, F.col("timed_out")),
    )
    began_low = plus_millis("ts", -F.greatest(F.coalesce("longest_ms", F.lit(0)), F.lit(HEARTBEAT_EXPIRES_MS)))
    return fault_rows(
        spells, "controller_overloaded", broker_id=F.col("node_id"), said=said, began_low=began_low, confidence=0.8
    )


def without_overload(found: DataFrame, stated: DataFrame) -> DataFrame:
    """Of the voters that sought a leader (`found`), those that did while no active controller was overloaded: one that
    is too slow to answer was not out of reach.
    """
    overloads = stated.where(is_kind("controller_overloaded")).select(
        F.col("began_low").alias("_from"), plus_millis("end_ts", LEADER_BACK_MS).alias("_to")
    )
    overlaps = (F.col("ts") <= F.col("_to")) & (F.coalesce("end_ts", "ts") >= F.col("_from"))
    return found.join(F.broadcast(overloads), overlaps, "left_anti")


@finds_in(*ELECTION_ATTEMPTS)
def voters_cut_off(events: DataFrame) -> DataFrame:
    """F10: a voter that sought a leader in vain while another one led, or while nobody knows whether one did, for want of most voters' files. Returns `FAULTS`."""
    spells = _vain_elections(events).where("has_leader or not most_heard").withColumn("broker_id", F.explode("nodes"))
    has_leader = F.col("has_leader")
    return fault_rows(
        spells,
        "voter_cut_off",
        said=statement(
            "sought_leader_alone",
            node="broker_id",
            at_from="ts",
            at_to="end_ts",
            leader=F.when(has_leader, F.col("leader")),
            others_led=F.when(has_leader & F.col("leader").isNull(), F.lit("yes")),
            unheard=F.when(~has_leader, F.lit("yes")),
        ),
        began_low=plus_millis("ts", -BEFORE_ATTEMPT_MS),
        confidence=F.when(has_leader, 0.8).otherwise(0.5),
        unknowns=F.when(has_leader, no_texts()).otherwise(F.array(F.lit("whether_others_had_a_leader"))),
    )


def _vain_elections(events: DataFrame) -> DataFrame:
    """`ts, end_ts, nodes, attempts, evidence, leader, has_leader, most_heard`: spells longer than an election takes
    in which voters sought a leader.

    One voter that is cut off seeks in vain too, while the others have a leader: the last one elected (`leader`), who
    seeks none and goes on printing lines; or brokers that take on new roles tell of one. Where most voters have no file
    nobody tells (`most_heard`).
    """
    spells = _spells_of_attempts(events)
    return _with_leader(spells, events).crossJoin(F.broadcast(_most_heard(events)))


def _spells_of_attempts(events: DataFrame) -> DataFrame:
    """`reign, elected, ts, end_ts, attempts, nodes, evidence`: attempts after one leader was elected, in spells."""
    is_elected = (F.col("kind") == "raft_transition") & F.col("message").contains("Completed transition to Leader")
    lines = events.where((F.col("kind").isin(*ELECTION_ATTEMPTS) | is_elected) & F.col("ts").isNotNull())
    lines = lines.select("ts", "event_id", "node_id", is_elected.alias("_elected"))
    in_time = so_far(Window.orderBy("ts", "event_id"))
    reigns = lines.withColumns(
        {
            "reign": F.count_if("_elected").over(in_time),
            "elected": F.last(F.when(F.col("_elected"), F.col("node_id")), ignorenulls=True).over(in_time),
        }
    )
    attempts = reigns.where(~F.col("_elected") & (F.col("reign") > 0))
    return (
        in_spells(attempts, ("reign", "elected"), TRIED_AGAIN_MS)
        .groupBy("reign", "elected", "spell")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("attempts"),
            F.array_sort(F.collect_set("node_id")).alias("nodes"),
            evidence_of().alias("evidence"),
        )
        .where(millis("end_ts", "ts") >= ELECTION_TAKES_MS)
    )


def _with_leader(spells: DataFrame, events: DataFrame) -> DataFrame:
    """`spells` with `leader` and `has_leader`: what other nodes print in that time."""
    lines = events.where(F.col("node_id").isNotNull()).select(
        F.col("node_id").alias("_node"),
        F.col("ts").alias("_ts"),
        F.col("kind").isin("leader_start", "follower_start").alias("_takes_role"),
        F.col("kind").isin(*STARTS).alias("_starts"),
    )
    inside = F.col("_ts").between(plus_millis("ts", ROLES_LATE_MS), plus_millis("end_ts", -ROLES_LATE_MS))
    of_another = ~F.array_contains("nodes", F.col("_node"))
    by_leader = F.coalesce(F.col("_node") == F.col("elected"), F.lit(False))
    heard = lines.join(F.broadcast(spells), inside & of_another & (F.col("_takes_role") | by_leader), "right")
    told = heard.groupBy(*spells.columns).agg(
        F.bool_or(by_leader).alias("_leader_speaks"),
        F.bool_or(by_leader & F.col("_starts")).alias("_leader_starts"),
        F.coalesce(F.bool_or("_takes_role"), F.lit(False)).alias("_roles_taken"),
    )
    goes_on = F.col("_leader_speaks") & ~F.coalesce("_leader_starts", F.lit(False))
    led = told.withColumn("leader", F.when(goes_on, F.col("elected")))
    return led.withColumn("has_leader", F.col("_roles_taken") | F.col("leader").isNotNull())


def _voters(events: DataFrame) -> DataFrame:
    """One row: `voters`, the last set of voters that a node prints, or null."""
    ids = F.split(F.nullif(F.regexp_extract("message", _VOTERS, 1), F.lit("")), ", ").try_cast("array<int>")
    named = events.where(F.col("kind") == "raft_transition").select("ts", "event_id", ids.alias("voters"))
    return named.agg(
        F.max_by("voters", F.when(F.col("voters").isNotNull(), F.struct("ts", "event_id"))).alias("voters")
    )


def _most_heard(events: DataFrame) -> DataFrame:
    """One row: `most_heard`, whether a majority of the voters has lines of its own; true where no line names the
    voters.
    """
    heard = events.where(F.col("logger").isNotNull()).agg(F.collect_set("node_id").alias("_heard"))
    are_most = F.size(F.array_intersect("voters", "_heard")) * 2 > F.size("voters")
    both = _voters(events).crossJoin(F.broadcast(heard))
    return both.select(F.coalesce(F.when(F.col("voters").isNotNull(), are_most), F.lit(True)).alias("most_heard"))
