"""What befell nodes whose own lines of that time are not here, as the controllers and their peers tell it."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.connections import broken_connections
from replay.columns.evidence import evidence_of, joined
from replay.columns.times import millis, plus_millis
from replay.facts.lives import STOP_GRANTED
from replay.facts.sessions import OUTLIVES_MS, SHUTDOWN_GRANTED
from replay.faults.process_ends import MISSED_WITHIN_MS
from replay.faults.rows import fault_rows, in_spells
from replay.sentences import statement

GRANTED = (*STOP_GRANTED, *SHUTDOWN_GRANTED)
REGISTERED_ANEW = ("kraft_broker_registering_new_incarnation", "kraft_broker_registered_new_incarnation")
STOP_LASTS_MS = 600_000  # a shutdown that was granted is over by then
RETRIED_MS = 5_000  # who loses a connection asks for a new one within this
ONE_CLOCK_MS = 2_000  # what two nodes' clocks may still differ by
REFUSALS, REFUSED_FOR_MS = 3, 3_000  # so many, over such a time: no node that is only slow to answer
RUN_MS = 60_000  # refusals further apart than this tell of two outages
LONG_AFTER_MS = 86_400_000  # a node that did not come back is away to the end of these logs
STOPPED, KILLED, SILENT = "stopped", "killed", "silent"


def outages_of_nodes_without_logs(lost: DataFrame, unreachable: DataFrame) -> DataFrame:
    """The outages of nodes that have no line of that time: those that controllers tell of, and those of which only
    peers do. Returns `FAULTS`.
    """
    return lost.unionByName(_untold_by_controllers(unreachable, lost))


def first_mentions(events: DataFrame) -> DataFrame:
    """`broker_id, member_ts`: when each broker is first named as a leader or in an ISR."""
    no_ids = F.array().cast("array<int>")
    members = F.array_union(F.coalesce("isr", no_ids), F.array("leader_id"))
    named = events.select(F.explode(members).alias("broker_id"), "ts").where(F.col("broker_id").isNotNull())
    return named.groupBy("broker_id").agg(F.min("ts").alias("member_ts"))


def sessions_lost_without_logs(
    events: DataFrame, processes: DataFrame, sessions: DataFrame, members: DataFrame
) -> DataFrame:
    """Sessions that ended while their broker gave no line. Returns `FAULTS`.

    A stop that was asked for is one (`stopped`, F02). Otherwise refused connections before the end, or a new
    incarnation of the broker after it, show that its process had ended (`killed`, F01). One that is frozen or cut off
    comes back as it was (facts §5, F01, F04). With neither sign it only fell `silent` (F00).
    """
    ended = _without_lines_at(_ended(sessions), processes, "session_end_ts")
    return _session_faults(_with_signs(ended.join(F.broadcast(members), "broker_id", "left"), _signs(events)))


def nodes_that_refused(events: DataFrame, processes: DataFrame, members: DataFrame) -> DataFrame:
    """Nodes that took part and then took no connection, while they gave no line. Returns `FAULTS`."""
    refusals = (
        broken_connections(events)
        .where("refused")
        .select(F.col("peer_id").alias("broker_id"), "ts", "event_id", "node_id")
    )
    as_members = refusals.join(F.broadcast(members), "broker_id").where(F.col("ts") > F.col("member_ts"))
    runs = (
        in_spells(_without_lines_at(as_members, processes, "ts"), ("broker_id",), RUN_MS)
        .groupBy("broker_id", "spell")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("count"),
            F.array_sort(F.collect_set("node_id")).alias("refused_peers"),
            evidence_of().alias("evidence"),
        )
    )
    outages = runs.where((F.col("count") >= REFUSALS) & (millis("end_ts", "ts") >= REFUSED_FOR_MS))
    return fault_rows(
        outages,
        SILENT,
        said=statement(
            "took_no_connection",
            node="broker_id",
            count="count",
            all_peers="refused_peers",
            at_from="ts",
            at_to="end_ts",
        ),
        confidence=0.5,
        unknowns=F.array(F.lit(_unknown_of(SILENT))),
    )


def _untold_by_controllers(unreachable: DataFrame, lost: DataFrame) -> DataFrame:
    """Outages that only peers tell of, where no session of the node tells more."""
    over_ts = F.coalesce("end_ts", plus_millis("ts", LONG_AFTER_MS))
    times = lost.select(
        F.col("broker_id").alias("_who"),
        plus_millis("ts", -RUN_MS).alias("_from"),
        plus_millis(over_ts, RUN_MS).alias("_to"),
    )
    overlaps = (
        (F.col("_who") == F.col("broker_id")) & (F.col("ts") <= F.col("_to")) & (F.col("end_ts") >= F.col("_from"))
    )
    return unreachable.join(F.broadcast(times), overlaps, "left_anti")


def _without_lines_at(rows: DataFrame, processes: DataFrame, ts: str) -> DataFrame:
    """The rows of brokers that have no line up to `ts`."""
    heard = processes.groupBy(F.col("node_id").alias("broker_id")).agg(F.min("first_ts").alias("_heard_ts"))
    not_yet = F.coalesce(F.col("_heard_ts") > F.col(ts), F.lit(True))
    return rows.join(F.broadcast(heard), "broker_id", "left").where(not_yet).drop("_heard_ts")


def _ended(sessions: DataFrame) -> DataFrame:
    """`broker_id, start_ts, session_end_ts, back_ts, session_evidence`: the sessions that ended, and when the next
    began.
    """
    in_order = Window.partitionBy("broker_id").orderBy(F.coalesce("start_ts", "end_ts"))
    followed = sessions.withColumn("back_ts", F.lead("start_ts").over(in_order)).where(F.col("end_ts").isNotNull())
    return followed.select(
        "broker_id",
        "start_ts",
        F.col("end_ts").alias("session_end_ts"),
        "back_ts",
        F.col("evidence").alias("session_evidence"),
    )


def _signs(events: DataFrame) -> DataFrame:
    """`about, sign_ts, sign_event, by, sign`: what controllers and peers tell of a node (`granted`, `anew`,
    `refused`, `closed`).
    """

    def signs(rows: DataFrame, about: str, sign: str) -> DataFrame:
        return rows.select(
            F.col(about).alias("about"),
            F.col("ts").alias("sign_ts"),
            F.col("event_id").alias("sign_event"),
            F.col("node_id").alias("by"),
            F.lit(sign).alias("sign"),
        )

    of_broker, broken = events.where(F.col("broker_id").isNotNull()), broken_connections(events)
    return (
        signs(of_broker.where(F.col("kind").isin(*GRANTED)), "broker_id", "granted")
        .unionByName(signs(of_broker.where(F.col("kind").isin(*REGISTERED_ANEW)), "broker_id", "anew"))
        .unionByName(signs(broken.where("refused"), "peer_id", "refused"))
        .unionByName(signs(broken.where("closed and not refused"), "peer_id", "closed"))
    )


def _with_signs(ended: DataFrame, signs: DataFrame) -> DataFrame:
    """`ended`, one row a session, with the first of each sign that belongs to it.

    Connections are refused before a node's first start as well as after its end; where no controller tells of the
    first, what it took part in does.
    """
    at = F.col("sign_ts")
    in_life = F.coalesce(at >= F.coalesce("start_ts", "member_ts"), F.lit(True))
    asked = in_life & at.between(
        plus_millis("session_end_ts", -STOP_LASTS_MS), plus_millis("session_end_ts", ONE_CLOCK_MS)
    )
    missed = in_life & at.between(plus_millis("session_end_ts", -OUTLIVES_MS), F.col("session_end_ts"))
    came_back = at.between(F.col("session_end_ts"), plus_millis("back_ts", ONE_CLOCK_MS))
    belongs = F.when(F.col("sign") == "granted", asked).when(F.col("sign") == "anew", came_back).otherwise(missed)

    def first(sign: str) -> Column:
        return F.min(F.when(F.col("sign") == sign, F.struct("sign_ts", "sign_event"))).alias(sign)

    whole = ("broker_id", "session_end_ts", "back_ts", "session_evidence")
    return (
        ended.join(signs, (F.col("about") == F.col("broker_id")) & belongs, "left")
        .groupBy(*whole)
        .agg(
            first("granted"),
            first("refused"),
            first("anew"),
            F.collect_set(F.when(F.col("sign") == "closed", F.struct("sign_ts", "sign_event"))).alias("_closed"),
            F.array_sort(F.collect_set(F.when(F.col("sign") == "refused", F.col("by")))).alias("refused_peers"),
        )
        .withColumn("closed", F.array_min(F.filter("_closed", _just_before_refusal)))
        .drop("_closed")
    )


def _just_before_refusal(line: Column) -> Column:
    return line["sign_ts"].between(plus_millis("refused.sign_ts", -RETRIED_MS), F.col("refused.sign_ts"))


def _session_faults(ended: DataFrame) -> DataFrame:
    is_stopped = F.col("granted").isNotNull()
    is_killed = F.col("refused").isNotNull() | F.col("anew").isNotNull()
    kind = F.when(is_stopped, STOPPED).when(is_killed, KILLED).otherwise(SILENT)
    first_ts = F.least("granted.sign_ts", "closed.sign_ts", "refused.sign_ts", "session_end_ts")
    died_low = F.when(~is_stopped & F.col("closed").isNotNull(), plus_millis("closed.sign_ts", -MISSED_WITHIN_MS))
    return fault_rows(
        ended.withColumns({"kind": kind, "first_ts": first_ts, "died_low": died_low}),
        F.col("kind"),
        said=_how_the_session_ended(),
        ts=F.col("first_ts"),
        began_low=F.when(F.col("kind") == STOPPED, F.col("first_ts")).otherwise(F.col("died_low")),
        end_ts=F.col("back_ts"),
        confidence=F.when(F.col("kind") == STOPPED, 0.9).when(F.col("kind") == KILLED, 0.7).otherwise(0.5),
        unknowns=F.array(
            F.when(F.col("kind") == STOPPED, _unknown_of(STOPPED))
            .when(F.col("kind") == KILLED, _unknown_of(KILLED))
            .otherwise(_unknown_of(SILENT))
        ),
        evidence=joined(
            F.array(*[f"{sign}.sign_event" for sign in ("granted", "closed", "refused", "anew")]), "session_evidence"
        ),
    )


def _how_the_session_ended() -> Column:
    is_stopped = F.col("kind") == STOPPED
    return statement(
        F.when(is_stopped, "session_ended_by_stop").otherwise("session_ended_unasked"),
        node="broker_id",
        at_session_end="session_end_ts",
        at_granted="granted.sign_ts",
        at_refused="refused.sign_ts",
        all_peers="refused_peers",
        at_anew="anew.sign_ts",
        at_back=F.when(F.col("anew").isNull(), F.col("back_ts")),
        gone=F.when(F.col("anew").isNull() & F.col("back_ts").isNull(), F.lit("yes")),
    )


def _unknown_of(kind: str) -> str:
    """What the node's own files would add."""
    return {STOPPED: "whether_its_stop_was_clean", KILLED: "how_it_ended", SILENT: "what_befell_it"}[kind]
