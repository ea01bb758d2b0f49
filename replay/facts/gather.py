"""What of the events comes over to plain Python, as rows of `FACTS`: never more than `AT_MOST`, whatever the input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.catalogue.host_kinds import HOST_KINDS
from replay.columns.events import detail
from replay.facts.reads import EACH, READ
from replay.facts.witnesses import TESTIFY
from replay.tables.faults import TESTIMONIES
from replay.tables.reading import FACTS

AT_MOST = 200_000  # rows that come over
_ESTIMATED = 150_000  # so many runs by an estimate that is 5 % off
_APART = ("node_inflight_cancelled",)  # how long each request was open is a proof of its own


@dataclass(frozen=True)
class _Run:
    """How lines of a kind are put together: those of one node, about the same, within so many seconds."""

    seconds: int
    by_partition: bool

    def key(self) -> Column:
        """A number that the lines of a run share."""
        exception = F.regexp_extract(F.coalesce(detail("exception"), F.lit("")), r"^[\w.$]*", 0)
        about: list[Column | str] = ["node_id", "kind", "broker_id", "leader_id", "controller_id", exception]
        if self.by_partition:
            about += ["topic", "partition"]
        return F.xxhash64(*about, F.floor(F.unix_seconds("ts") / self.seconds))


# From fine to coarse.
_RUNS = (_Run(1, True), _Run(60, True), _Run(60, False), _Run(3_600, False), _Run(86_400, False))


def facts(events: DataFrame, kind_counts: Mapping[str, int]) -> DataFrame:
    """The events of the kinds that plain Python reads. Returns `FACTS`.

    `kind_counts`: how many there are of each. Up to `AT_MOST` each is a row of its own. Beyond that lines of a node
    that say the same come as runs of a second, a minute, an hour or a day, the shortest with which they are few
    enough; a run shows its first line.
    """
    read = events.where(F.col("kind").isin(sorted(READ)))
    if sum(kind_counts.get(kind, 0) for kind in READ) <= AT_MOST:
        return FACTS.rows(read, count=F.lit(1), last_ts=F.col("ts"), last_event_id=F.col("event_id"))
    return _in_runs(read)


def _in_runs(read: DataFrame) -> DataFrame:
    """The lines put together in the shortest runs of `_RUNS` of which there are few enough."""
    keys = [F.when(~_stands_apart(), run.key()) for run in _RUNS]
    number_of_runs = [F.approx_count_distinct(key).alias(str(n)) for n, key in enumerate(keys)]
    shortest = F.lit(len(_RUNS) - 1)
    for n in reversed(range(len(_RUNS) - 1)):
        shortest = F.when(F.col(str(n)) <= _ESTIMATED, n).otherwise(shortest)
    chosen = read.agg(*number_of_runs).select(shortest.alias("_run"))
    keyed = read.crossJoin(F.broadcast(chosen)).withColumn("_key", F.get(F.array(*keys), F.col("_run")))
    in_order = F.struct("ts", "source_file", "line_number")
    runs = keyed.groupBy("_key", F.when(_stands_apart(), F.col("event_id"))).agg(
        F.min_by(F.struct(*read.columns), in_order).alias("first"),
        F.count("*").alias("count"),
        F.max("ts").alias("last_ts"),
        F.max_by("event_id", in_order).alias("last_event_id"),
    )
    return FACTS.rows(runs.select("first.*", "count", "last_ts", "last_event_id"))


def _stands_apart() -> Column:
    return F.col("kind").isin(*_APART, *sorted(EACH)) | F.col("ts").isNull()


def testimonies(all_events: DataFrame) -> DataFrame:
    """What hosts, Java, containers and operators say. Returns `TESTIMONIES`."""
    return TESTIMONIES.of(all_events.where(F.col("kind").isin(sorted(TESTIFY))))


def of_kafka(all_events: DataFrame) -> DataFrame:
    """The events without what hosts, containers and operators say: all that other rules read is Kafka's."""
    return all_events.where(~F.col("kind").isin(sorted(HOST_KINDS)))
