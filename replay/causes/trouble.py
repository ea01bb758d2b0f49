"""Lines that tell of trouble: what is listed where no rule finds a fault at that time, so that nothing is passed over in
silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.catalogue import explain
from replay.columns.events import detail
from replay.columns.evidence import AT_MOST, evidence_of
from replay.knowledge.choosing import cause_of, wording_of
from replay.knowledge.text_lines import Line
from replay.tables.causes import TROUBLE
from replay.tables.row import Row

LEVELS = ("ERROR", "FATAL", "SEVERE")
KINDS = ("zk_session_expired", "isr_shrink", "zk_client_timeout", "process_startup_failed")
REPEATED = ("fetch_send_error", "fetch_request_error", "fetch_partition_error")
_RANK_OF_ERRORS = 2
LEAST_REPEATED = 3  # once is a leader that moves
SLOT_MS = 120_000  # lines are counted by so much time: a fault explains those of its own time and no others
CLIENTS = r"^org\.apache\.kafka\.clients\.(producer|consumer)\."  # what they warn of is what a user felt
# What healthy clusters print as errors, at their start, as topics are made and as leaders move (facts §9.3).
HARMLESS = (
    "broker_become_follower_leader_unavailable",
    "fetch_marked_failed",
    "kraft_controller_api_error",
    "quorum_event_failed_not_controller",
)


def trouble(events: DataFrame, unmatched: DataFrame) -> DataFrame:
    """One row a slot of time and kind of line that is an error or names a loss: sessions that expired, ISRs that
    shrank, fetches that failed again and again; and Kafka's errors whose wording no template knows, of which only the
    first and the last time are known. Returns `TROUBLE`.
    """
    is_error = F.col("level").isin(*LEVELS) & ~F.col("kind").isin(*HARMLESS)
    is_repeated = F.col("kind").isin(*REPEATED)
    lines = events.where(is_error | F.col("kind").isin(*KINDS) | is_repeated)
    rank = F.when(F.col("level") == "FATAL", 1).when(F.col("level").isin(*LEVELS), 2).otherwise(3)
    summed = lines.groupBy("kind", F.floor(F.unix_millis("ts") / SLOT_MS)).agg(
        F.min(rank).alias("rank"),
        F.min("ts").alias("ts"),
        F.max("ts").alias("end_ts"),
        F.count("*").alias("count"),
        F.array_sort(F.collect_set("node_id")).alias("nodes"),
        F.min_by(F.left("message", F.lit(300)), F.struct("ts", "event_id")).alias("example"),
        F.min_by(detail("caused_by"), F.struct("ts", "event_id")).alias("caused_by"),
        evidence_of().alias("evidence"),
    )
    return TROUBLE.of(summed).unionByName(_unknown_errors(unmatched))


def often_enough(trouble: Sequence[Row]) -> list[Row]:
    """`trouble` without what a moving leader explains: fetches that failed once or twice in all of it."""
    of_kind: Counter[str] = Counter()
    for one in trouble:
        of_kind[one.kind] += one.count
    return [one for one in trouble if one.kind not in REPEATED or of_kind[one.kind] >= LEAST_REPEATED]


def untold_trouble(trouble: Sequence[Row]) -> list[Row]:
    """`trouble` in wordings of which nothing is known: what the others mean is told of the lines themselves."""
    return [one for one in trouble if not _is_known(one)]


def _is_known(one: Row) -> bool:
    level = "WARN" if one.rank > _RANK_OF_ERRORS else "ERROR"
    line = Line("", 0, None, level, None, one.example or "", one.caused_by or "")
    found = explain(line.message)
    if found is not None:
        line = replace(line, template=found[0].id, kind=found[0].kind)
    return wording_of(line) is not None or cause_of(line) is not None


def _unknown_errors(unmatched: DataFrame) -> DataFrame:
    """The same of errors, and of warnings of clients, whose wording no template knows, by their logger."""
    of_logger = F.concat(
        F.lit("unknown line of "), F.coalesce(F.substring_index("logger", ".", -1), F.lit("no logger"))
    )
    is_clients = (F.col("level") == "WARN") & F.col("logger").rlike(CLIENTS)
    summed = (
        unmatched.where((F.col("level").isin(*LEVELS) | is_clients) & ~F.col("foreign"))
        .groupBy(of_logger.alias("kind"))
        .agg(
            F.min(F.when(F.col("level") == "FATAL", 1).when(is_clients, 3).otherwise(2)).alias("rank"),
            F.min("first_ts").alias("ts"),
            F.max("last_ts").alias("end_ts"),
            F.sum("count").alias("count"),
            F.min_by(F.left("example", F.lit(300)), F.struct("first_ts", "normalized")).alias("example"),
            F.slice(F.array_sort(F.flatten(F.collect_list("evidence"))), 1, AT_MOST).alias("evidence"),
        )
    )
    return TROUBLE.rows(summed, nodes=F.array().cast("array<int>"), caused_by=F.lit(None))
