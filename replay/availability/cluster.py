"""The facts about the cluster on which a partition's availability depends: outages, sessions, releases, faults and
incidents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replay.availability.reasons import CLOSED
from replay.facts.controllers import KRAFT
from replay.facts.features import empties_isrs
from replay.facts.groups import by_key, grouped
from replay.facts.in_time import InTime, OfNodes
from replay.facts.times import first_known, greatest, known, least, plus_millis
from replay.facts.timings import Timings
from replay.facts.window import ALL_TIME, TimeWindow
from replay.faults.kinds import DOWN, MAYBE_DOWN, ROUTINE
from replay.tables.availability import FaultVertice, NodeOutage
from replay.tables.brokers import BrokerSession, Controller, NodeRelease, NodeTimings
from replay.tables.causes import RootSpan
from replay.tables.control_plane import FeatureLevel
from replay.tables.faults import Fault
from replay.tables.partitions import TopicSetting
from replay.tables.reading import KafkaFile

REMEMBERED_MS = 120_000  # a broker's fault explains missing lines for this long after its end


@dataclass(frozen=True)
class Incident:
    """When an incident began, and when the last of its roots ended."""

    incident_id: str
    start_ts: datetime
    end_ts: datetime


@dataclass(frozen=True)
class Cluster:
    """The cluster's tables, indexed.

    All mappings are by node, except `outages_of_fault`, `incidents` (by id), `of_fault` (ids of incidents by fault)
    and `min_isr` (by topic). `cuts`: the outages of connections to peers. `process_ends`: those in which the process
    ended, in time order. `down`: the faults in which the process did not run at all, or may not have run. `remembered`: all faults, for
    as long as they explain missing lines. `forbid_unclean`: the topics that do not accept a leader from outside the
    ISR. `modes`: how controllers were elected. `last_lines`: when each node's logs end. `logs_begin_ts`: before this time not all lines were read; None if
    all were. `empties_isrs`: whether eligible leader replicas are on (KIP-966), so that a partition without a leader
    has an empty ISR; None if no line shows it. `routine`: the roots that are routine work in an incident that has other
    roots.
    """

    outages: OfNodes[NodeOutage]
    outages_of_fault: Mapping[str, Sequence[NodeOutage]]
    cuts: Mapping[int, Sequence[NodeOutage]]
    process_ends: Mapping[int, Sequence[NodeOutage]]
    sessions: Mapping[int, Sequence[datetime]]
    faults: Mapping[int, Sequence[Fault]]
    down: OfNodes[Fault]
    remembered: OfNodes[Fault]
    version_low: int | None
    version_high: int | None
    min_isr: Mapping[str, int]
    forbid_unclean: frozenset[str]
    modes: frozenset[str]
    incidents: Mapping[str, Incident]
    incidents_in_time: InTime[Incident]
    of_fault: Mapping[str, frozenset[str]]
    logs_end_ts: datetime | None
    waits: Timings
    last_lines: Mapping[int, datetime] = field(default_factory=dict)
    logs_begin_ts: datetime | None = None
    empties_isrs: bool | None = None
    routine: frozenset[str] = frozenset()

    @staticmethod
    def of(
        node_outages: Sequence[NodeOutage],
        recorded_sessions: Iterable[BrokerSession],
        releases: Sequence[NodeRelease],
        timings: Iterable[NodeTimings],
        faults: Sequence[Fault],
        topic_settings: Sequence[TopicSetting],
        controllers: Iterable[Controller],
        kafka_files: Iterable[KafkaFile],
        root_spans: Sequence[RootSpan],
        fault_vertices: Iterable[FaultVertice],
        feature_levels: Iterable[FeatureLevel],
        window: TimeWindow = ALL_TIME,
    ) -> Cluster:
        """Indexes the cluster's tables."""
        kafka_files = list(kafka_files)
        sessions = grouped(recorded_sessions, lambda row: row.broker_id)
        modes = frozenset(row.mode for row in controllers)
        if KRAFT not in modes and sessions:  # the other nodes with logs are ZooKeeper servers
            releases = [row for row in releases if row.node_id in sessions]
        version_high = max(known(row.version_high for row in releases), default=None)
        incidents = incidents_of(root_spans)
        return Cluster(
            outages=OfNodes(node_outages, lambda row: row.node_id, _begins_ts, _over_ts),
            outages_of_fault=by_key(node_outages, lambda row: row.fault_id),
            cuts=grouped((row for row in node_outages if row.is_cut), lambda row: row.node_id),
            process_ends=_process_ends(node_outages),
            sessions={broker_id: sorted(known(row.member_ts for row in own)) for broker_id, own in sessions.items()},
            faults=grouped(faults, lambda row: row.broker_id),
            down=_down(faults),
            remembered=_remembered(faults),
            version_low=min(known(row.version_low for row in releases), default=None),
            version_high=version_high,
            min_isr={row.topic: row.min_isr for row in topic_settings if row.min_isr is not None},
            forbid_unclean=frozenset(row.topic for row in topic_settings if row.unclean_allowed is False),
            modes=modes,
            incidents={one.incident_id: one for one in incidents},
            incidents_in_time=_in_time(incidents),
            of_fault=_incidents_of_faults(fault_vertices),
            logs_end_ts=max(known(row.last_ts for row in kafka_files), default=None),
            waits=Timings(timings),
            last_lines={node_id: max(times) for node_id, times in _last_lines(kafka_files).items()},
            logs_begin_ts=window.since,
            empties_isrs=empties_isrs(releases, feature_levels),
            routine=_routine_beside_faults(root_spans),
        )

    def surely_from(self, version: int) -> bool:
        """Whether every node certainly runs this release (a number of `version_number`) or a later one."""
        return self.version_low is not None and self.version_low >= version

    def surely_before(self, version: int) -> bool:
        """Whether every node certainly runs an earlier release."""
        return self.version_high is not None and self.version_high < version


def _last_lines(kafka_files: Iterable[KafkaFile]) -> dict[int, list[datetime]]:
    """By node, when its files end."""
    dated = [row for row in kafka_files if row.last_ts is not None]
    return {node_id: [row.last_ts for row in own] for node_id, own in grouped(dated, lambda row: row.node_id).items()}


def _begins_ts(outage: NodeOutage) -> datetime | None:
    """The earliest time at which an outage may have begun."""
    return None if outage.low_ts is None else least(outage.low_ts, outage.from_ts)


def _over_ts(outage: NodeOutage) -> datetime | None:
    """The latest time at which an outage may have ended; None if no line shows its end."""
    is_open = outage.to_ts is None or outage.back_ts is None
    return None if is_open else greatest(outage.to_ts, outage.back_ts, outage.serves_ts)


def _down(faults: Iterable[Fault]) -> OfNodes[Fault]:
    return OfNodes(
        (row for row in faults if row.kind in (*DOWN, *MAYBE_DOWN)),
        lambda row: row.broker_id,
        lambda row: first_known(row.began_low, row.ts),
        lambda row: row.end_ts,
    )


def _remembered(faults: Iterable[Fault]) -> OfNodes[Fault]:
    return OfNodes(
        (row for row in faults if row.began_high is not None),
        lambda row: row.broker_id,
        lambda row: row.began_high,
        lambda row: plus_millis(first_known(row.ended_high, row.end_ts), REMEMBERED_MS),
    )


def _routine_beside_faults(root_spans: Sequence[RootSpan]) -> frozenset[str]:
    troubled = {root.incident_id for root in root_spans if root.kind not in ROUTINE}
    return frozenset(root.root_id for root in root_spans if root.kind in ROUTINE and root.incident_id in troubled)


def _incidents_of_faults(fault_vertices: Iterable[FaultVertice]) -> dict[str, frozenset[str]]:
    of_fault = grouped(fault_vertices, lambda row: row.id)
    return {fault_id: frozenset(row.incident_id for row in vertices) for fault_id, vertices in of_fault.items()}


def _process_ends(node_outages: Iterable[NodeOutage]) -> dict[int, list[NodeOutage]]:
    """The outages in which a node's process ended at a known time, by node in time order."""
    ends = (row for row in node_outages if row.stops_replicas and row.follows == CLOSED and not row.partitions)
    dated = sorted((row for row in ends if row.low_ts is not None), key=lambda row: row.low_ts)
    return grouped(dated, lambda row: row.node_id)


def _in_time(incidents: Iterable[Incident]) -> InTime[Incident]:
    in_time = InTime[Incident]()
    for one in incidents:
        in_time.add(one.start_ts, one.end_ts, one)
    return in_time


def incidents_of(root_spans: Iterable[RootSpan]) -> list[Incident]:
    """The incidents, by id, from their roots."""
    made = []
    for incident_id, roots in sorted(grouped(root_spans, lambda row: row.incident_id).items()):
        start_ts = min(row.ts for row in roots)
        end_ts = max(known(row.end_ts for row in roots), default=start_ts)
        made.append(Incident(incident_id, start_ts, end_ts))
    return made
