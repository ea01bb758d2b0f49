"""Faults -> node outages: what of a node's work each fault surely stops, and between which times."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.availability.reasons import CLOSED, UNKNOWN
from replay.columns.events import detail
from replay.columns.evidence import joined, one_event
from replay.columns.times import plus_millis
from replay.faults.kinds import DISKS, ORDERED_STOPS, Stops, is_kind, names, stopping
from replay.faults.kinds import KINDS as FAULT_KINDS
from replay.tables.availability import NODE_OUTAGES

GONE = tuple(kind for kind in stopping(Stops.RUNNING) if kind not in ORDERED_STOPS)
DEAD = ("killed", "halted")
UNCERTAIN = names(kind for kind in FAULT_KINDS if kind.uncertain)
FROZEN = tuple(kind for kind in GONE if kind not in DEAD and kind not in UNCERTAIN)
OUT_OF_REACH = ("cut_from_peers", "link_cut")  # of peers: clients may reach it
SESSION_LOST = ("cut_from_controllers", "cut_from_zookeeper")  # of peers too where its own fetches failed
_TOLD_APART = (*GONE, *ORDERED_STOPS, *OUT_OF_REACH, *SESSION_LOST, *DISKS)
IMPAIRED = tuple(
    kind
    for kind in stopping(Stops.FETCHING | Stops.SERVING)
    if kind not in _TOLD_APART and kind != "clock_stepped"  # replication goes by timers that no clock sets
)
SILENT_CUT_MS = 1_500  # a fetch on a silently cut link fails this near replica.socket.timeout.ms after the cut
FETCH_FAILED = ("fetch_send_error", "fetch_request_error")


def node_outages(faults: DataFrame, processes: DataFrame, events: DataFrame, timings: DataFrame) -> DataFrame:
    """What of a node's work each fault stopped. Returns `NODE_OUTAGES`."""
    known = faults.where(F.col("broker_id").isNotNull())
    return reduce(
        DataFrame.unionByName,
        (
            _dead(known),
            _frozen(known),
            _silent(known),
            _stopped(known, processes),
            _out_of_reach(known),
            _without_session(known),
            _out_of_reach_with_session(known, events, timings),
            _without_disk(known),
            _impaired(known),
            _fetches_unanswered(events),
        ),
    )


def _rows(faults: DataFrame, **given: Column) -> DataFrame:
    """Rows of `NODE_OUTAGES` with the bounds of `faults`, where none are `given`."""
    of_its_own = F.size("partitions") > 0
    bounds = {
        "node_id": F.col("broker_id"),
        "peers": F.lit(None),
        "partitions": F.when(of_its_own, F.col("partitions")),
        "is_cut": F.lit(False),
        "may_lead_on": F.lit(False),
        "must_start": F.lit(False),
        "low_ts": F.col("began_low"),
        "from_ts": F.col("began_high"),
        "to_ts": F.when(F.col("ended_high").isNotNull() | F.col("end_ts").isNotNull(), F.col("ended_low")),
        "back_ts": F.col("ended_high"),
    }
    return NODE_OUTAGES.rows(faults, **(bounds | given))


def _dead(faults: DataFrame) -> DataFrame:
    """A process that is gone serves nobody until it has started anew and takes up its partitions."""
    return _rows(
        faults.where(is_kind(*DEAD)),
        partitions=F.lit(None),
        as_leader=F.lit("leader_dead"),
        leads=F.lit(CLOSED),
        follows=F.lit(CLOSED),
        must_start=F.lit(True),
    )


def _frozen(faults: DataFrame) -> DataFrame:
    return _rows(
        faults.where(is_kind(*FROZEN)),
        partitions=F.lit(None),
        as_leader=F.lit("leader_frozen"),
        leads=F.lit(CLOSED),
        follows=F.lit(CLOSED),
    )


def _silent(faults: DataFrame) -> DataFrame:
    """A node that fell silent may be dead, stand still, or be cut off and serve whom it reaches."""
    return _rows(
        faults.where(is_kind(*UNCERTAIN)),
        partitions=F.lit(None),
        as_leader=F.lit("leader_silent"),
        leads=F.lit(UNKNOWN),
        follows=F.lit(UNKNOWN),
        may_lead_on=F.lit(True),
    )


def _stopped(faults: DataFrame, processes: DataFrame) -> DataFrame:
    """An ordered stop gives partitions away first; what it could not give away is not served from the process's last
    line on.
    """
    ends = processes.where(F.col("stopped_event").isNotNull()).select(
        F.col("node_id").alias("_node"),
        F.col("stop_ts").alias("_stop_ts"),
        F.col("last_ts").alias("_last_ts"),
        F.col("next_start_ts").alias("_next_start_ts"),
    )
    same_stop = (F.col("_node") == F.col("broker_id")) & (F.col("_stop_ts") == F.col("ts"))
    return _rows(
        faults.where(is_kind("stopped")).join(F.broadcast(ends), same_stop),
        partitions=F.lit(None),
        as_leader=F.lit("leader_dead"),
        leads=F.lit(CLOSED),
        follows=F.lit(CLOSED),
        must_start=F.lit(True),
        low_ts=F.col("_last_ts"),
        from_ts=F.col("_last_ts"),
        to_ts=F.col("_next_start_ts"),
        back_ts=F.col("_next_start_ts"),
    )


def _out_of_reach(faults: DataFrame) -> DataFrame:
    """A node that is cut off from peers keeps its partitions' acks=all waiting for them; as a follower it keeps
    theirs waiting.
    """
    return _rows(
        faults.where(is_kind(*OUT_OF_REACH)),
        peers=F.when(F.size("peers") > 0, F.col("peers")),
        as_leader=F.when(F.col("kind") == "cut_from_peers", "leader_cut_off"),
        leads=F.when(F.col("kind") == "cut_from_peers", UNKNOWN),
        follows=F.lit(CLOSED),
        is_cut=F.lit(True),
        partitions=F.lit(None),
    )


def _without_session(faults: DataFrame) -> DataFrame:
    """A node that the controllers gave up while it ran: clients that still know it as the leader may write to it."""
    runs_on = [kind for kind in stopping(Stops.SESSION) if kind not in (*GONE, *ORDERED_STOPS)]
    return _rows(faults.where(is_kind(*runs_on)), partitions=F.lit(None), may_lead_on=F.lit(True))


def _out_of_reach_with_session(faults: DataFrame, events: DataFrame, timings: DataFrame) -> DataFrame:
    """A node whose session was lost in a cut that took its peers along.

    Its fetches tell it: one that is open as a link is silently cut fails a `replica.socket.timeout.ms` later. Those
    that failed just then were open as the session's link was cut, so one cut took both.
    """
    lost = faults.where(is_kind(*SESSION_LOST)).drop("arguments")
    failed = _failed_fetches(events).select("node_id", F.col("peer_id").alias("_peer"), F.col("ts").alias("_failed_ts"))
    timed = _with_socket_timeout(lost, timings)
    open_since = plus_millis("_failed_ts", -F.col("_socket_ms"))
    of_this_cut = (F.col("node_id") == F.col("broker_id")) & open_since.between(
        plus_millis("began_low", -SILENT_CUT_MS), plus_millis("began_high", SILENT_CUT_MS)
    )
    together = (
        timed.join(failed, of_this_cut)
        .groupBy(*lost.columns)
        .agg(F.array_sort(F.collect_set("_peer")).alias("_peers"), F.max("_failed_ts").alias("_until"))
    )
    return _rows(
        together,
        peers=F.col("_peers"),
        partitions=F.lit(None),
        as_leader=F.lit("leader_cut_off"),
        leads=F.lit(UNKNOWN),
        follows=F.lit(CLOSED),
        is_cut=F.lit(True),
        may_lead_on=F.lit(True),
        to_ts=F.greatest("ended_low", "_until"),
        back_ts=F.greatest("ended_high", "_until"),
    )


def _with_socket_timeout(faults: DataFrame, timings: DataFrame) -> DataFrame:
    longest = timings.groupBy("node_id").agg(F.max("replica_socket_ms").alias("_socket_ms"))
    return faults.join(F.broadcast(longest.withColumnRenamed("node_id", "broker_id")), "broker_id")


def _failed_fetches(events: DataFrame) -> DataFrame:
    """`node_id, peer_id, ts, event_id`: fetches of a follower's fetcher that failed."""
    fetcher = r"\[ReplicaFetcher replicaId=\d+, leaderId=(\d+)"
    failed = events.where(F.col("kind").isin(*FETCH_FAILED) & F.col("node_id").isNotNull())
    peer = F.regexp_extract("message", fetcher, 1).try_cast("int")
    return failed.select("node_id", peer.alias("peer_id"), "ts", "event_id").where(F.col("peer_id").isNotNull())


def _without_disk(faults: DataFrame) -> DataFrame:
    """A lost log directory closes the partitions that it holds, from the first error on; which those are, the
    broker's own line tells.
    """
    named = F.size("partitions") > 0
    state = F.when(named, CLOSED).otherwise(UNKNOWN)
    reason = F.when(F.col("kind") == "disk_full", "disk_full").otherwise("log_dir_offline")
    return _rows(faults.where(is_kind(*DISKS)), as_leader=reason, leads=state, follows=state, must_start=F.lit(True))


def _impaired(faults: DataFrame) -> DataFrame:
    """Faults under which a node may or may not go on: nothing is sure."""
    serves = F.col("kind").isin(*stopping(Stops.SERVING))
    fetches = F.col("kind").isin(*stopping(Stops.FETCHING))
    return _rows(
        faults.where(is_kind(*IMPAIRED)),
        peers=F.when(F.size("peers") > 0, F.col("peers")),
        as_leader=F.when(serves, "leader_impaired"),
        leads=F.when(serves, UNKNOWN),
        follows=F.when(fetches, UNKNOWN),
    )


def _fetches_unanswered(events: DataFrame) -> DataFrame:
    """Fetches that got no answer for as long as their line says: what was written meanwhile no other fetch of theirs
    took over.

    A fetcher has one request open at a time, so its follower fetched nothing from that leader until it was given up.
    """
    fetcher = r"\[ReplicaFetcher replicaId=(\d+), leaderId=(\d+)"
    elapsed_ms = detail("time_elapsed_since_create_ms").try_cast("bigint")
    cancelled = events.where((F.col("kind") == "node_inflight_cancelled") & F.col("message").rlike(fetcher))
    leader = F.regexp_extract("message", fetcher, 2).try_cast("int")
    open_ = cancelled.where((detail("api_key") == "FETCH") & elapsed_ms.isNotNull())
    return NODE_OUTAGES.rows(
        open_,
        fault_id=F.lit(None),
        node_id=F.col("node_id"),
        peers=F.array(leader),
        follows=F.lit(CLOSED),
        is_cut=F.lit(False),
        may_lead_on=F.lit(False),
        must_start=F.lit(False),
        low_ts=plus_millis("ts", -elapsed_ms),
        from_ts=plus_millis("ts", -elapsed_ms),
        to_ts=F.col("ts"),
        back_ts=F.col("ts"),
        evidence=joined(one_event()),
    )
