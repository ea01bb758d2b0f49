"""The quorum was lost: voters sought a leader in vain, or most of them were down (F11); or single ones were cut off from it (F10)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.processes import STARTS
from replay.columns.evidence import evidence_of
from replay.columns.phrases import clock, counted, named
from replay.columns.times import millis, plus_millis
from replay.columns.windows import so_far
from replay.faults.shape import fault
from replay.faults.taxonomy import ORDERED_STOPS

_ROLES_LATE_MS = 2_000  # a broker applies what controllers decided within this
_ELECTION_ATTEMPTS = (
    "raft_become_candidate",
    "raft_become_prospective",
    "raft_election_timeout",
    "raft_election_lost_votes",
    "raft_check_quorum_lost",
    "raft_reelect_after_backoff",
)
_QUORUM_GONE_MS = 10_000
LEADER_BACK_MS = 15_000  # voters that come back find a leader, and brokers it, within this
_DOWN = ("killed", "halted", *ORDERED_STOPS, "paused")  # one that only fell silent may be one whose files end early
_VOTERS = r"\bvoters=\[([0-9, ]+)\]"


def quorum_lost(events: DataFrame) -> DataFrame:
    """F11: voters that sought a leader for longer than an election takes, while nobody had one, as far as the files of most voters tell."""
    in_vain = F.format_string(" to elect a controller came to nothing between %s and %s", clock("ts"), clock("end_ts"))
    because = F.concat(counted("_attempts", "attempt"), F.lit(" of "), named("_nodes", "node"), in_vain)
    return _lost(_vain_elections(events).where("not _led and _most_heard"), F.expr("ts - interval 5 seconds"), because)


def majority_down(events: DataFrame, known: DataFrame) -> DataFrame:
    """F11: so many voters were down at once (`known`) that those left were no majority.

    Up to 3.6 a leader that is left alone does not resign: it seeks nobody, goes on printing, and commits nothing (facts §5, F11).
    """
    down = (
        known.where(F.col("kind").isin(*_DOWN))
        .crossJoin(F.broadcast(_voters(events)))
        .where(F.array_contains("_voters", F.col("broker_id")))
        .select("broker_id", "ts", "end_ts", "evidence", "_voters")
    )
    others = down.select(
        F.col("broker_id").alias("_down"),
        F.col("ts").alias("_from"),
        F.col("end_ts").alias("_to"),
        F.col("evidence").alias("_proof"),
    )
    most = F.floor((F.size("_voters") + 1) / 2).cast("int")
    at_once = (
        down.join(
            F.broadcast(others), (F.col("_from") <= F.col("ts")) & F.coalesce(F.col("_to") > F.col("ts"), F.lit(True))
        )
        .groupBy("broker_id", "ts", "_voters")
        .agg(
            F.array_sort(F.collect_set("_down")).alias("_nodes"),
            F.min("_to").alias("end_ts"),
            F.array_distinct(F.flatten(F.collect_list("_proof"))).alias("evidence"),
        )
        .where((F.size("_nodes") == most) & F.coalesce(millis("end_ts", "ts") >= _QUORUM_GONE_MS, F.lit(True)))
        .dropDuplicates(["ts"])
    )
    because = F.concat(
        F.format_string("%d of the %d voters, ", F.size("_nodes"), F.size("_voters")),
        named("_nodes", "node"),
        F.lit(", were down "),
        F.when(F.col("end_ts").isNull(), F.concat(F.lit("from "), clock("ts"), F.lit(" on"))).otherwise(
            F.concat(F.lit("between "), clock("ts"), F.lit(" and "), clock("end_ts"))
        ),
        F.lit(": those left were no majority, and nothing that a controller decided could be committed"),
    )
    return _lost(at_once, F.col("ts"), because)


def _lost(spells: DataFrame, t0_low: Column, because: Column) -> DataFrame:
    """F11 for every spell of `ts, end_ts, _nodes, evidence`; no one node is at fault."""
    return fault(
        spells,
        "quorum_lost",
        "F11",
        broker_id=F.lit(None),
        nodes=F.col("_nodes"),
        t0_low=t0_low,
        confidence=F.lit(0.9),
        because=because,
    )


def fenced_without_quorum(faults: DataFrame) -> DataFrame:
    """`faults` in which no broker was cut from the controllers (F06) that only had none: a leader without a majority answers no heartbeat in time (F12)."""
    lost = faults.where(F.col("kind") == "quorum_lost").agg(F.collect_list(F.struct("ts", "end_ts")).alias("_lost"))
    without = F.exists(
        "_lost",
        lambda spell: (
            (F.col("ts") >= spell["ts"])
            & F.coalesce(F.col("ts") <= plus_millis(spell["end_ts"], LEADER_BACK_MS), F.lit(True))
        ),
    )
    theirs = (F.col("kind") == "cut_off") & (F.col("code") == "F06") & without
    said = F.concat(
        F.substring_index("because", ";", 1),
        F.lit("; no majority of the voters was up as its heartbeats began to fail"),
    )
    return (
        faults.crossJoin(F.broadcast(lost))
        .withColumns(
            {
                "code": F.when(theirs, "F12").otherwise(F.col("code")),
                "because": F.when(theirs, said).otherwise(F.col("because")),
            }
        )
        .drop("_lost")
    )


def voters_cut_off(events: DataFrame) -> DataFrame:
    """F10: a voter that sought a leader in vain while another one led (facts §5, F10), or while nobody knows whether one did, for want of most voters' files."""
    vain = _vain_elections(events).where("_led or not _most_heard").withColumn("broker_id", F.explode("_nodes"))
    led = F.col("_led")
    return fault(
        vain,
        "voter_cut_off",
        "F10",
        t0_low=F.expr("ts - interval 5 seconds"),
        confidence=F.when(led, 0.8).otherwise(0.5),
        because=F.concat(
            F.format_string(
                "node %d sought a leader from %s to %s and found none", "broker_id", clock("ts"), clock("end_ts")
            ),
            F.when(~led, "")
            .when(F.col("_leader").isNull(), " while the others had one")
            .otherwise(F.format_string(" while node %d led", "_leader")),
            F.lit(": it could not reach the other voters"),
            F.when(led, "").otherwise(
                "; whether it alone could not, or they were down and the quorum was lost, their files would tell"
            ),
        ),
        blind_spots=F.when(led, F.array().cast("array<string>")).otherwise(
            F.array(F.lit("most voters gave no file: whether another of them led in that time is not known"))
        ),
    )


def _vain_elections(events: DataFrame) -> DataFrame:
    """`ts, end_ts, _nodes, _attempts, evidence, _leader, _led, _most_heard`: spells longer than an election takes in which voters sought a leader.

    One voter that is cut off seeks in vain too, while the others have a leader (`_led`): the last one elected (`_leader`), who seeks none and
    goes on printing lines; or brokers that take on new roles tell of one. Where most voters have no file (`_most_heard`) nobody tells.
    """
    elected = (F.col("kind") == "raft_transition") & F.col("message").contains("Completed transition to Leader")
    told = events.where((F.col("kind").isin(*_ELECTION_ATTEMPTS) | elected) & F.col("ts").isNotNull()).select(
        "ts", "event_id", "node_id", elected.alias("_elected")
    )
    in_time = so_far(Window.orderBy("ts", "event_id"))
    spells = (
        told.withColumns(
            {
                "_reign": F.count_if("_elected").over(in_time),
                "_by": F.last(F.when(F.col("_elected"), F.col("node_id")), ignorenulls=True).over(in_time),
            }
        )
        .where(~F.col("_elected") & (F.col("_reign") > 0))
        .groupBy("_reign", "_by")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("_attempts"),
            F.array_sort(F.collect_set("node_id")).alias("_nodes"),
            evidence_of().alias("evidence"),
        )
        .where(millis("end_ts", "ts") >= _QUORUM_GONE_MS)
    )
    within = F.col("_said_ts").between(
        plus_millis("ts", _ROLES_LATE_MS), plus_millis("end_ts", -_ROLES_LATE_MS)
    ) & ~F.array_contains("_nodes", F.col("_said_by"))
    role, starts = F.col("kind").isin("leader_start", "follower_start"), F.col("kind").isin(*STARTS)
    said = events.where(F.col("node_id").isNotNull()).select(
        F.col("node_id").alias("_said_by"), F.col("ts").alias("_said_ts"), role.alias("_role"), starts.alias("_starts")
    )
    by_leader = F.coalesce(F.col("_said_by") == F.col("_by"), F.lit(False))
    return (
        said.join(F.broadcast(spells), within & (F.col("_role") | by_leader), "right")
        .groupBy(*spells.columns)
        .agg(
            F.bool_or(by_leader).alias("_speaks"),
            F.bool_or(by_leader & F.col("_starts")).alias("_begins"),
            F.coalesce(F.bool_or("_role"), F.lit(False)).alias("_led"),
        )
        .withColumn("_leader", F.when(F.col("_speaks") & ~F.coalesce("_begins", F.lit(False)), F.col("_by")))
        .withColumn("_led", F.col("_led") | F.col("_leader").isNotNull())
        .crossJoin(F.broadcast(_most_heard(events)))
    )


def _voters(events: DataFrame) -> DataFrame:
    """One row: `_voters`, the last set of voters that a node prints, or null."""
    told = events.where(F.col("kind") == "raft_transition").select(
        "ts",
        F.split(F.nullif(F.regexp_extract("message", _VOTERS, 1), F.lit("")), ", ")
        .try_cast("array<int>")
        .alias("_voters"),
    )
    return told.agg(F.max_by("_voters", F.when(F.col("_voters").isNotNull(), F.col("ts"))).alias("_voters"))


def _most_heard(events: DataFrame) -> DataFrame:
    """One row: `_most_heard`, whether a majority of the voters has lines of its own; true where no line names the voters."""
    heard = events.where(F.col("logger").isNotNull()).agg(F.collect_set("node_id").alias("_heard"))
    most = F.size(F.array_intersect("_voters", "_heard")) * 2 > F.size("_voters")
    return (
        _voters(events)
        .crossJoin(F.broadcast(heard))
        .select(F.coalesce(F.when(F.col("_voters").isNotNull(), most), F.lit(True)).alias("_most_heard"))
    )
