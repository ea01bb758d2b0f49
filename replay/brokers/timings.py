"""How long each node waits for what: its own settings, else the defaults of its release.

Every window in time that a rule looks through comes from here: a cluster with sessions of 60 s is judged by 60 s.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.releases import version_number
from replay.columns.events import detail
from replay.columns.values import once
from replay.tables.brokers import TIMINGS


@dataclass(frozen=True)
class Timing:
    """One timing: its column in `TIMINGS`, Kafka's setting, and the default, which an older release may have had
    otherwise.
    """

    column: str
    setting: str
    default_ms: int
    until: str | None = None
    default_until_ms: int | None = None
    unit_ms: int = 1

    def default_of(self, version_high: Column) -> Column:
        """The default of a release, as a number of `version_number`; a release that is not known counts as the
        newest.
        """
        newest = F.lit(self.default_ms)
        if self.until is None:
            return newest
        return F.when(version_high < version_number(self.until), self.default_until_ms).otherwise(newest)


TIMED = (
    Timing("replica_lag_ms", "replica.lag.time.max.ms", 30_000, until="2.5.0", default_until_ms=10_000),  # KIP-537
    Timing("zookeeper_session_ms", "zookeeper.session.timeout.ms", 18_000, until="2.5.0", default_until_ms=6_000),
    Timing("broker_session_ms", "broker.session.timeout.ms", 9_000),  # KIP-631, and the next
    Timing("heartbeat_ms", "broker.heartbeat.interval.ms", 2_000),
    Timing("replica_socket_ms", "replica.socket.timeout.ms", 30_000),
    Timing("controller_socket_ms", "controller.socket.timeout.ms", 30_000),
    Timing("fetch_wait_ms", "replica.fetch.wait.max.ms", 500),
    Timing("checkpoint_ms", "replica.high.watermark.checkpoint.interval.ms", 5_000),
    Timing("quorum_fetch_ms", "controller.quorum.fetch.timeout.ms", 2_000),  # KIP-595, and the next
    Timing("quorum_election_ms", "controller.quorum.election.timeout.ms", 1_000),
    Timing("imbalance_check_ms", "leader.imbalance.check.interval.seconds", 300_000, unit_ms=1_000),
)
SETTINGS_READ = tuple(timing.setting for timing in TIMED)
_OF_CONTROLLERS = ("broker_session_ms",)  # what the controllers' setting decides, whatever a broker's own says
_ROLES = "process.roles"


def timings(settings: DataFrame, releases: DataFrame, events: DataFrame) -> DataFrame:
    """Each node's timings, from each time at which it printed its settings; and a row for all other nodes.

    A ZooKeeper session is as long as the ensemble granted it. The row without a node has the longest of each. Returns
    `TIMINGS`.
    """
    own = _with_defaults(_granted_sessions(_printed(settings, releases), events))
    return TIMINGS.of(_of_controllers(own).unionByName(_of_any_other(own)))


def _printed(settings: DataFrame, releases: DataFrame) -> DataFrame:
    """One row a node and a time at which it printed settings, with those that it printed; a node that printed none
    has one row.
    """
    values = [_value(timing).alias(timing.column) for timing in TIMED]
    is_controller = F.max(F.when(F.col("name") == _ROLES, F.contains("value", F.lit("controller")))).alias("_controls")
    dumps = (
        settings.where(F.col("node_id").isNotNull())
        .groupBy("node_id", F.col("ts").alias("start_ts"))
        .agg(*values, is_controller)
    )
    return releases.select("node_id", "version_high").join(dumps, "node_id", "full").transform(_until_the_next)


def _value(timing: Timing) -> Column:
    return F.max(F.when(F.col("name") == timing.setting, F.col("value").try_cast("bigint") * timing.unit_ms))


def _until_the_next(printed: DataFrame) -> DataFrame:
    """The first settings that a node printed hold for the time before, too."""
    in_time = Window.partitionBy("node_id").orderBy(F.col("start_ts").asc_nulls_first())
    is_first = F.row_number().over(in_time) == 1
    return (
        printed.withColumns({"end_ts": F.lead("start_ts").over(in_time), "_first": is_first})
        .withColumn("start_ts", F.when(~F.col("_first"), F.col("start_ts")))
        .drop("_first")
    )


def _granted_sessions(printed: DataFrame, events: DataFrame) -> DataFrame:
    granted = (
        events.where(F.col("kind") == "zk_session_connected")
        .groupBy("node_id")
        .agg(F.max(detail("timeout_ms").try_cast("bigint")).alias("_granted_ms"))
    )
    session_ms = F.coalesce("_granted_ms", "zookeeper_session_ms")
    return printed.join(granted, "node_id", "left").withColumn("zookeeper_session_ms", session_ms).drop("_granted_ms")


def _with_defaults(printed: DataFrame) -> DataFrame:
    defaults = {
        timing.column: F.coalesce(timing.column, timing.default_of(F.col("version_high"))).cast("bigint")
        for timing in TIMED
    }
    return printed.withColumns(defaults).drop("version_high")


def _of_controllers(own: DataFrame) -> DataFrame:
    """Every node's row with the controllers' value of what they decide, where a controller printed its roles."""
    everywhere = Window.partitionBy()
    decided = {
        name: F.coalesce(F.max(F.when(F.col("_controls"), F.col(name))).over(everywhere), name)
        for name in _OF_CONTROLLERS
    }
    return own.withColumns(decided).drop("_controls")


def _of_any_other(own: DataFrame) -> DataFrame:
    longest = [
        F.coalesce(F.max(timing.column), F.lit(timing.default_ms)).cast("bigint").alias(timing.column)
        for timing in TIMED
    ]
    nobody = {
        "node_id": F.lit(None).cast("int"),
        "start_ts": F.lit(None).cast("timestamp"),
        "end_ts": F.lit(None).cast("timestamp"),
    }
    return own.agg(*longest).withColumns(nobody)


def with_timings(rows: DataFrame, timings: DataFrame, node: str | Column, ts: str | Column, *names: str) -> DataFrame:
    """`rows` with the columns `names` of `TIMINGS`, as they were at `node` at `ts`; those of any other node where it
    has none.
    """
    node, ts = (F.col(value) if isinstance(value, str) else value for value in (node, ts))
    every = timings.agg(F.collect_list(F.struct("node_id", "start_ts", "end_ts", *names)).alias("_timings"))
    own_rows = F.filter("_timings", lambda row: (row["node_id"] == node) & _holds_at(row, ts))
    of_any_other = F.filter("_timings", lambda row: row["node_id"].isNull())
    chosen = once(
        own_rows, lambda own: F.when(F.size(own) > 0, F.get(own, F.lit(0))).otherwise(F.get(of_any_other, F.lit(0)))
    )
    placed = rows.crossJoin(F.broadcast(every)).withColumn("_timing", chosen)
    return placed.withColumns({name: F.col(f"_timing.{name}") for name in names}).drop("_timings", "_timing")


def _holds_at(row: Column, ts: Column) -> Column:
    begun = row["start_ts"].isNull() | (row["start_ts"] <= ts)
    return begun & (row["end_ts"].isNull() | (row["end_ts"] > ts))
