"""Processes that ended: without a word (F01), or in order (F02)."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.connections import broken_connections
from replay.columns.evidence import AT_MOST, joined
from replay.columns.phrases import clock, named
from replay.columns.times import plus_millis
from replay.faults.shape import fault

_QUOTED = 300  # so much of what a process said as it stopped itself
_AT_ONCE_MS = 5_000  # processes that were missed, or ended, this near one another may have died of one thing


def killed(events: DataFrame, processes: DataFrame, sessions: DataFrame) -> DataFrame:
    """F01: a process that ended without a word: its files stop in mid-flow and the next life has no clean mark, or peers see their connections to it closed and refused.

    One that does not come back in these logs, and whose sockets stay open as far as they tell, may as well stand still (facts, F04): it only fell `silent` (F00).
    Of several that went silent together each says so: what they share (host, rack, power) no line of theirs tells.
    """
    gone = (
        processes.join(
            sessions.where(F.col("ended_by") == "crash").select(
                F.col("broker_id").alias("node_id"),
                F.col("end_ts").alias("_lost_ts"),
                F.when(F.col("start_ts").isNotNull() & (F.size("evidence") > 1), F.slice("evidence", 2, AT_MOST))
                .otherwise(F.col("evidence"))
                .alias("_lost"),
            ),
            "node_id",
            "left",
        )
        .where(
            F.col("_lost_ts").isNull()
            | (
                (F.col("_lost_ts") > F.col("last_ts"))
                & (F.col("_lost_ts") <= F.expr("coalesce(next_start_ts, _lost_ts) + interval 60 seconds"))
            )
        )
        .where(F.col("ended").isin("killed", "fatal") | (F.col("ended").isNull() & F.col("_lost_ts").isNotNull()))
        .withColumn(
            "_until",
            F.coalesce(F.least("next_start_ts", plus_millis("last_ts", 600_000)), plus_millis("_lost_ts", 60_000)),
        )
    )
    told = broken_connections(events).select(
        F.col("peer_id").alias("_peer"),
        F.col("ts").alias("_told_ts"),
        F.col("event_id").alias("_told"),
        F.col("closed").alias("_closed"),
    )
    witnessed = gone.join(
        told,
        (F.col("node_id") == F.col("_peer"))
        & (F.col("_told_ts") > F.col("last_ts"))
        & (F.col("_told_ts") <= F.col("_until")),
        "left",
    )
    first = witnessed.groupBy(
        "node_id",
        "life",
        "last_ts",
        "last_event",
        "next_start_ts",
        "next_start_event",
        "recovered_event",
        "fatal_event",
        "fatal_said",
        "ended",
    ).agg(
        F.min("_told_ts").alias("_told_ts"),
        F.min_by("_told", F.struct("_told_ts", "_told")).alias("_told"),
        F.min("_lost_ts").alias("_lost_ts"),
        F.first("_lost", True).alias("_lost"),
        F.coalesce(F.bool_or("_closed"), F.lit(False)).alias("_closed"),
    )
    silent = F.col("ended").isNull() & ~F.col("_closed")
    missed = F.least("_told_ts", "_lost_ts")
    at_once = Window.orderBy(F.unix_millis(F.coalesce(missed, "last_ts"))).rangeBetween(-_AT_ONCE_MS, _AT_ONCE_MS)
    first = first.withColumn(
        "_others",
        F.array_sort(F.array_remove(F.collect_set(F.when(~silent, F.col("node_id"))).over(at_once), F.col("node_id"))),
    )
    open_ended = F.lit(
        "; no line tells that its connections were closed or refused, and the logs end before it comes back, if it does: it died, stands still or is cut off"
    )
    ts = F.coalesce(
        F.least(missed, F.col("next_start_ts")), "last_ts"
    )  # a new start proves the end before it, also where its session still runs
    return fault(
        first,
        F.when(F.col("ended") == "fatal", "halted").when(silent, "silent").otherwise("killed"),
        F.when(silent, "F00").otherwise("F01"),
        broker_id=F.col("node_id"),
        ts=F.when(F.col("ended") == "fatal", F.col("last_ts")).otherwise(ts),
        t0_low=F.col("last_ts"),
        end_ts=F.col("next_start_ts"),
        confidence=F.when(silent, 0.5)
        .when(F.col("next_start_event").isNull(), 0.7)
        .when(F.col("recovered_event").isNotNull(), 0.98)
        .otherwise(0.9),
        because=F.concat(
            F.format_string(
                "node %d %s (last line %s)",
                F.col("node_id"),
                F.when(F.col("fatal_event").isNotNull(), "stopped itself after a fatal error").otherwise(
                    "ended without a shutdown line"
                ),
                clock("last_ts"),
            ),
            F.coalesce(
                F.concat(
                    F.lit(': "'),
                    F.when(
                        F.length("fatal_said") > _QUOTED, F.concat(F.left("fatal_said", F.lit(_QUOTED)), F.lit("…"))
                    ).otherwise(F.col("fatal_said")),
                    F.lit('"'),
                ),
                F.lit(""),
            ),
            F.when(
                F.col("_told_ts").isNotNull(),
                F.format_string("; first error of a peer towards it %s", clock("_told_ts")),
            ).otherwise(""),
            F.when(
                F.col("recovered_event").isNotNull(),
                "; its next start found no clean shutdown mark and recovered its logs",
            ).otherwise(""),
            F.when(silent, open_ended)
            .when(F.col("next_start_ts").isNull(), "; it did not come back in these logs")
            .otherwise(""),
            F.when(
                ~silent & (F.size("_others") > 0),
                F.concat(
                    F.lit("; "),
                    named("_others", "node"),
                    F.lit(f" went silent within {_AT_ONCE_MS // 1_000} s of it: look for what they share"),
                ),
            ).otherwise(""),
        ),
        blind_spots=F.when(
            silent,
            F.array(
                F.lit(
                    "whether it died, stands still or is cut off: its own later lines would tell, or what its peers meet when they connect"
                )
            ),
        )
        .when(
            F.col("_told_ts").isNull(),
            F.array(
                F.lit(
                    "no peer tells when it went silent: the time of death is only known between its last line and the next proof"
                )
            ),
        )
        .otherwise(F.array()),
        evidence=joined(
            F.array("last_event", "_told", "fatal_event"), "_lost", F.array("next_start_event", "recovered_event")
        ),
    )


def stopped(processes: DataFrame) -> DataFrame:
    """F02: an ordered stop, announced in the broker's own files, or left unseen and proven by the clean-shutdown mark that the next start found.

    One that did not get to its last line, and whose next life found no such mark, was killed before it was done (`stop_cut_short`): whoever
    stops brokers there waits less than a shutdown takes (`terminationGracePeriodSeconds`, `TimeoutStopSec`).
    """
    seen = F.col("ended") == "stopped"
    cut_short = (
        seen & F.col("stopped_event").isNull() & F.col("gave_up_event").isNull() & F.col("recovered_event").isNotNull()
    )
    return fault(
        processes.where(F.col("ended").isin("stopped", "stopped_unseen")),
        F.when(cut_short, "stop_cut_short").otherwise("stopped"),
        "F02",
        broker_id=F.col("node_id"),
        ts=F.coalesce("stop_ts", "last_ts"),
        t0_low=F.coalesce("stop_ts", "last_ts"),
        end_ts=F.coalesce("next_start_ts", "last_ts"),
        confidence=F.when(cut_short, 0.9).when(seen, 0.98).otherwise(0.8),
        because=F.concat(
            F.when(seen, F.format_string("node %d was told to stop at %s", "node_id", clock("stop_ts"))).otherwise(
                F.format_string(
                    "node %d was stopped in order after its last line at %s: its next start found the mark of a clean shutdown",
                    "node_id",
                    clock("last_ts"),
                )
            ),
            F.when(
                cut_short,
                F.concat(
                    F.lit(" and was killed before it had (last line "),
                    clock("last_ts"),
                    F.lit(
                        "): its next start found no mark of a clean shutdown and recovered its logs; it was given less time than its shutdown takes"
                    ),
                ),
            ).otherwise(""),
            F.when(
                F.col("gave_up_event").isNotNull(), "; its controlled shutdown failed and it stopped uncleanly"
            ).otherwise(""),
            F.when(
                F.col("next_start_ts").isNotNull(),
                F.format_string("; it was started again at %s", clock("next_start_ts")),
            ).otherwise(""),
        ),
        blind_spots=F.when(seen, F.array()).otherwise(
            F.array(F.lit("the lines of the stop itself are missing: when it began is not known"))
        ),
        evidence=joined(
            F.array("stop_event", "gave_up_event", "stopped_event"),
            F.when(cut_short, F.array("last_event")),
            F.array("next_start_event", "clean_event", F.when(cut_short, F.col("recovered_event"))),
        ),
    )
