"""What befell nodes whose own lines of that time are not here, as the controllers and their peers tell it."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.connections import broken_connections
from replay.brokers.processes import STOP_GRANTED
from replay.brokers.sessions import OUTLIVES_MS, SHUTDOWN_GRANTED
from replay.columns.evidence import evidence_of, joined
from replay.columns.phrases import clock, counted, named
from replay.columns.times import millis, plus_millis
from replay.columns.windows import so_far
from replay.resting import Rest, going_on

_GRANTED = (*STOP_GRANTED, *SHUTDOWN_GRANTED)
_REGISTERED_ANEW = ("kraft_broker_registering_new_incarnation", "kraft_broker_registered_new_incarnation")
_STOP_LASTS_MS = 600_000
_RETRIED_MS = 5_000  # who loses a connection asks for a new one within this
_ONE_CLOCK_MS = 2_000  # what two nodes' clocks may still differ by
_REFUSALS, _REFUSED_FOR_MS = 3, 3_000  # so many, over such a time: no node that is only slow to answer
_NO_LINE = "; no line of its own of that time is here"
_RUN_MS = 60_000  # refusals further apart than this tell of two outages


def unheard(events: DataFrame, processes: DataFrame, sessions: DataFrame, rest: Rest = going_on) -> DataFrame:
    """One row an outage of a node that has no line of that time: `broker_id, kind, code, ts, end_ts, confidence, because, blind_spots, evidence`.

    Controllers tell that a session ended, and whether a stop was asked for (`stopped`, F02); if not, peers whose connections were
    refused before that, or a new incarnation of the broker after it, tell that its process had ended (`killed`, F01): one that stands
    still, or is cut off, comes back as it was (facts §5, F01, F04). With neither, and where no controller tells of the node at all,
    it only fell `silent` (F00).
    """
    heard = processes.groupBy(F.col("node_id").alias("broker_id")).agg(F.min("first_ts").alias("_heard_ts"))
    members = rest("members", _members(events))
    lost = rest("unheard_sessions", _lost_sessions(events, sessions, heard, members))
    return lost.unionByName(_unreachable(events, heard, members, lost))


def _unheard_at(rows: DataFrame, heard: DataFrame, ts: str) -> DataFrame:
    return (
        rows.join(F.broadcast(heard), "broker_id", "left")
        .where(F.coalesce(F.col("_heard_ts") > F.col(ts), F.lit(True)))
        .drop("_heard_ts")
    )


def _lost_sessions(events: DataFrame, sessions: DataFrame, heard: DataFrame, members: DataFrame) -> DataFrame:
    in_order = Window.partitionBy("broker_id").orderBy(F.coalesce("start_ts", "end_ts"))
    lives = sessions.withColumn("_back_ts", F.lead("start_ts").over(in_order)).where(F.col("end_ts").isNotNull())
    ended = _unheard_at(lives, heard, "end_ts").select(
        "broker_id", "start_ts", "end_ts", "_back_ts", F.col("evidence").alias("_session")
    )

    def told(rows: DataFrame, peer: str, what: str) -> DataFrame:
        return rows.select(
            F.col(peer).alias("broker_id"),
            F.col("ts").alias("_ts"),
            F.col("event_id").alias("_event"),
            F.col("node_id").alias("_by"),
            F.lit(what).alias("_what"),
        )

    of_broker = events.where(F.col("broker_id").isNotNull())
    broken = broken_connections(events)
    said = (
        told(of_broker.where(F.col("kind").isin(*_GRANTED)), "broker_id", "granted")
        .unionByName(told(of_broker.where(F.col("kind").isin(*_REGISTERED_ANEW)), "broker_id", "anew"))
        .unionByName(told(broken.where("refused"), "peer_id", "refused"))
        .unionByName(told(broken.where("closed and not refused"), "peer_id", "closed"))
    )
    # Connections are refused before a node's first start as well as after its end; where no controller tells of the first, what it took part in does.
    began = F.coalesce("start_ts", "_member_ts")
    in_life = F.coalesce(F.col("_ts") >= began, F.lit(True))
    asked = in_life & F.col("_ts").between(plus_millis("end_ts", -_STOP_LASTS_MS), plus_millis("end_ts", _ONE_CLOCK_MS))
    missed = in_life & F.col("_ts").between(plus_millis("end_ts", -OUTLIVES_MS), F.col("end_ts"))
    back = F.col("_ts").between(F.col("end_ts"), plus_millis("_back_ts", _ONE_CLOCK_MS))
    belongs = F.when(F.col("_what") == "granted", asked).when(F.col("_what") == "anew", back).otherwise(missed)

    def first(what: str) -> Column:
        return F.min(F.when(F.col("_what") == what, F.struct("_ts", "_event")))

    judged = (
        ended.join(F.broadcast(members), "broker_id", "left")
        .join(said.withColumnRenamed("broker_id", "_about"), (F.col("_about") == F.col("broker_id")) & belongs, "left")
        .groupBy("broker_id", "end_ts", "_back_ts", "_session")
        .agg(
            *[first(what).alias(f"_{what}") for what in ("granted", "refused", "anew")],
            F.collect_set(F.when(F.col("_what") == "closed", F.struct("_ts", "_event"))).alias("_closed"),
            F.array_sort(F.collect_set(F.when(F.col("_what") == "refused", F.col("_by")))).alias("_peers"),
        )
        .withColumnRenamed("end_ts", "_lost_ts")
        .withColumn(
            "_broken",
            F.array_min(
                F.filter(
                    "_closed",
                    lambda line: line["_ts"].between(plus_millis("_refused._ts", -_RETRIED_MS), F.col("_refused._ts")),
                )
            ),
        )
    )
    stopped, ended_itself = F.col("_granted").isNotNull(), F.col("_refused").isNotNull() | F.col("_anew").isNotNull()
    kind = F.when(stopped, "stopped").when(ended_itself, "killed").otherwise("silent")
    because = F.concat(
        F.format_string("the session of broker %d ended at %s", "broker_id", clock("_lost_ts")),
        F.when(
            stopped, F.format_string("; it had asked to stop at %s, which was granted", clock("_granted._ts"))
        ).otherwise(
            F.concat(
                F.lit(" and no controller tells that it asked to stop"),
                F.when(
                    F.col("_refused").isNotNull(),
                    F.concat(
                        F.format_string("; from %s on it took no connection of ", clock("_refused._ts")),
                        named("_peers", "node"),
                    ),
                ).otherwise(""),
                F.when(
                    F.col("_anew").isNotNull(),
                    F.format_string("; a new process of it registered at %s", clock("_anew._ts")),
                )
                .when(F.col("_back_ts").isNotNull(), F.format_string("; it was back at %s", clock("_back_ts")))
                .otherwise("; it did not come back in these logs"),
            )
        ),
        F.lit(_NO_LINE),
    )
    return judged.select(
        "broker_id",
        kind.alias("kind"),
        _code(kind).alias("code"),
        F.least("_granted._ts", "_broken._ts", "_refused._ts", "_lost_ts").alias("ts"),
        F.col("_back_ts").alias("end_ts"),
        F.when(stopped, 0.9).when(ended_itself, 0.7).otherwise(0.5).alias("confidence"),
        because.alias("because"),
        _would_tell(kind).alias("blind_spots"),
        joined(F.array(*[f"{line}._event" for line in ("_granted", "_broken", "_refused", "_anew")]), "_session").alias(
            "evidence"
        ),
    )


def _unreachable(events: DataFrame, heard: DataFrame, members: DataFrame, lost: DataFrame) -> DataFrame:
    """Nodes that took part and then took no connection, where no session of theirs tells more of it."""
    refused = (
        broken_connections(events)
        .where("refused")
        .select(F.col("peer_id").alias("broker_id"), "ts", "event_id", "node_id")
    )
    later = refused.join(F.broadcast(members), "broker_id").where(F.col("ts") > F.col("_member_ts"))
    in_time = Window.partitionBy("broker_id").orderBy("ts", "event_id")
    parted = F.coalesce(millis("ts", F.lag("ts").over(in_time)) > _RUN_MS, F.lit(True))
    runs = (
        _unheard_at(later, heard, "ts")
        .withColumn("_parted", parted)
        .withColumn("_run", F.count_if("_parted").over(so_far(in_time)))
        .groupBy("broker_id", "_run")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("_count"),
            F.array_sort(F.collect_set("node_id")).alias("_peers"),
            evidence_of().alias("evidence"),
        )
        .where((F.col("_count") >= _REFUSALS) & (millis("end_ts", "ts") >= _REFUSED_FOR_MS))
    )
    known = lost.select(
        F.col("broker_id").alias("_known"),
        plus_millis("ts", -_RUN_MS).alias("_from"),
        plus_millis(F.coalesce("end_ts", F.expr("ts + interval 1 day")), _RUN_MS).alias("_to"),
    )
    told = runs.join(
        F.broadcast(known),
        (F.col("_known") == F.col("broker_id")) & (F.col("ts") <= F.col("_to")) & (F.col("end_ts") >= F.col("_from")),
        "left_anti",
    )
    kind = F.lit("silent")
    because = F.concat(
        F.format_string("node %d took none of ", "broker_id"),
        counted("_count", "connection"),
        F.lit(" of "),
        named("_peers", "node"),
        F.format_string(" from %s to %s, and no line of a controller tells of it", clock("ts"), clock("end_ts")),
        F.lit(_NO_LINE),
    )
    return told.select(
        "broker_id",
        kind.alias("kind"),
        _code(kind).alias("code"),
        "ts",
        "end_ts",
        F.lit(0.5).alias("confidence"),
        because.alias("because"),
        _would_tell(kind).alias("blind_spots"),
        "evidence",
    )


def _members(events: DataFrame) -> DataFrame:
    """`broker_id, _member_ts`: when each broker is first named as a leader or in an ISR."""
    members = F.array_union(F.coalesce("isr", F.array().cast("array<int>")), F.array("leader_id"))
    return (
        events.select(F.explode(members).alias("broker_id"), "ts")
        .groupBy("broker_id")
        .agg(F.min("ts").alias("_member_ts"))
    )


def _code(kind: Column) -> Column:
    return F.when(kind == "stopped", "F02").when(kind == "killed", "F01").otherwise("F00")


def _would_tell(kind: Column) -> Column:
    """What its own files would add."""
    return F.array(
        F.when(kind == "stopped", "whether its stop ended cleanly: its own files would tell")
        .when(
            kind == "killed",
            "how its process ended (killed, halted, out of memory, power): its own files and the host's log would tell",
        )
        .otherwise("whether it died, stood still or was cut off: its own files would tell")
    )
