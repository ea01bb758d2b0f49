"""Which roots belong to one incident: those with shared effects or harm. Time decides only for roots without shared
effects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import combinations, pairwise

from replay.causes.crash_loops import FAILED_STARTS, LOOP_WITHIN_MS, crash_loops
from replay.causes.partition_causes import ClusterGraph
from replay.facts.groups import by_key, grouped
from replay.facts.in_time import InTime
from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, millis, plus_millis, unix_micros
from replay.faults.kinds import ASKED_FOR, CRASHES, DISKS, ORDERED_STOPS, ROUTINE
from replay.sentences.causes import LABELS
from replay.tables.brokers import BrokerSession
from replay.tables.causes import (
    ROOT_SPANS,
    VERTICES,
    AllRootSpan,
    Happening,
    IncidentLink,
    IncidentRoot,
    Reach,
    Root,
    RootSpan,
    SharedHarm,
    Vertex,
)
from replay.tables.faults import Fault

AT_ONCE_MS = 5_000  # faults that begin this near one another are one incident: what they share is not in these logs
MISSED_WITHIN_MS = 30_000  # replica.socket.timeout.ms: a live peer notices a dead broker within this time
STARTED_WITHIN_MS = 600_000  # processes that ended before the logs begin are started again within this
ROLLING_MS = 900_000  # ordered stops of one rolling restart may be this far apart
HARM_AFTER_MS = 5_000  # harm without an end in these logs is taken to last this long, as far as incidents go
BEFORE_MS, AFTER_MS = 5_000, 30_000  # a happening without a known root belongs to an incident that is this near
HARMS = ("isr_shrink", "leaderless", "writes_refused")


def root_spans(faults: Iterable[Fault], reach: Iterable[Reach]) -> list[AllRootSpan]:
    """Each fault with a known time that nothing else caused, with the time to its end and that of its last effect:
    without a time it belongs to no incident.
    """
    reached: dict[str, list[Reach]] = {}
    for alike in reach:
        for root in alike.root_ids:
            reached.setdefault(root, []).append(alike)
    return [_span(fault, reached[fault.fault_id]) for fault in faults if fault.fault_id in reached and fault.ts]


def _span(fault: Fault, reached: Sequence[Reach]) -> AllRootSpan:
    return AllRootSpan(
        root_id=fault.fault_id,
        code=fault.code,
        kind=fault.kind,
        broker_id=fault.broker_id,
        ts=fault.ts,
        end_ts=greatest(fault.ts, fault.end_ts, *(alike.last_ts for alike in reached)),
        effects=sum(alike.count for alike in reached) - 1,
    )


def incident_links(
    all_root_spans: Sequence[AllRootSpan],
    reach: Iterable[Reach],
    shared_harms: Iterable[SharedHarm],
    faults: Sequence[Fault],
    recorded_sessions: Iterable[BrokerSession] = (),
) -> list[IncidentLink]:
    """Two roots of one incident, and why."""
    found: dict[tuple[str, str], str] = {}
    for reason, pairs in (
        ("shared_effect", _of_shared_effects(all_root_spans, reach)),
        ("one_request", _of_one_request(all_root_spans, faults)),
        ("shared_harm", ((harm.src, harm.dst) for harm in shared_harms)),
        ("at_once", _at_once(all_root_spans)),
        ("no_quorum", _without_quorum(all_root_spans, faults)),
        ("rolling", _rolling(all_root_spans)),
        ("disk", _while_a_directory_failed(all_root_spans, faults)),
        ("crash_loop", _in_crash_loops(all_root_spans)),
        ("not_back", _before_it_was_back(all_root_spans, recorded_sessions)),
        ("not_told_apart", _indistinguishable(all_root_spans, faults)),
    ):
        for pair in pairs:
            found.setdefault(pair, reason)
    return [IncidentLink(src=src, dst=dst, reason=reason) for (src, dst), reason in found.items()]


def _of_shared_effects(root_spans: Iterable[RootSpan], reach: Iterable[Reach]) -> Iterator[tuple[str, str]]:
    faults = {span.root_id for span in root_spans}
    for alike in reach:
        yield from combinations(sorted(faults.intersection(alike.root_ids)), 2)


def _of_one_request(root_spans: Iterable[RootSpan], faults: Iterable[Fault]) -> Iterator[tuple[str, str]]:
    """Roots that a line proves together: one request of an operator can be told as several."""
    spans = {span.root_id for span in root_spans}
    of_line: dict[str, str] = {}
    for fault in faults:
        for line in fault.evidence or () if fault.fault_id in spans and fault.kind in ASKED_FOR else ():
            other = of_line.setdefault(line, fault.fault_id)
            if other != fault.fault_id:
                yield min(other, fault.fault_id), max(other, fault.fault_id)


def shared_harms(
    happenings: Iterable[Happening], roots: Iterable[Root], cluster_graph: ClusterGraph
) -> list[SharedHarm]:
    """Roots with harm to the same partition at overlapping times.

    Requested operations cause expected, brief harm: only shared effects join them to an incident.
    """
    root_ids = {row.id: row.root_ids for row in roots}
    harms: dict[str, list[tuple[datetime, datetime]]] = defaultdict(list)
    for happening in happenings:
        if happening.kind in HARMS and happening.topic is not None and happening.ts is not None:
            to_ts = first_known(happening.end_ts, plus_millis(happening.ts, HARM_AFTER_MS))
            for root in cluster_graph.not_asked_for.intersection(root_ids.get(happening.id, ())):
                harms[root].append((happening.ts, to_ts or happening.ts))
    spans = sorted(
        (root, min(from_ts for from_ts, _ in own), max(to_ts for _, to_ts in own)) for root, own in harms.items()
    )
    return [
        SharedHarm(src=src, dst=dst)
        for (src, from_ts, to_ts), (dst, other_from, other_to) in combinations(spans, 2)
        if from_ts <= other_to and other_from <= to_ts
    ]


def merge_shared_harms(shared_harms: Iterable[SharedHarm]) -> list[SharedHarm]:
    """One row for each two roots."""
    return [SharedHarm(src=src, dst=dst) for src, dst in sorted({(row.src, row.dst) for row in shared_harms})]


def _at_once(root_spans: Iterable[RootSpan]) -> Iterator[tuple[str, str]]:
    """Faults that began within `AT_ONCE_MS`."""
    faulty = sorted((span for span in root_spans if span.kind not in ROUTINE), key=lambda span: span.ts)
    for at, span in enumerate(faulty):
        for later in faulty[at + 1 :]:
            if (millis(later.ts, span.ts) or 0) > AT_ONCE_MS:
                break
            yield min(span.root_id, later.root_id), max(span.root_id, later.root_id)


def _without_quorum(root_spans: Sequence[RootSpan], faults: Iterable[Fault]) -> Iterator[tuple[str, str]]:
    """Faults that caused the loss of the metadata quorum or began during it: the controller could not react to one of
    them because of the others.
    """
    faulty = sorted((span for span in root_spans if span.kind not in ROUTINE), key=lambda span: span.ts)
    for lost in (fault for fault in faults if fault.kind == "quorum_lost"):
        begin = plus_millis(first_known(lost.began_low, lost.ts), -AT_ONCE_MS)
        meanwhile = [
            span for span in faulty if at_most(begin, span.ts) and (lost.end_ts is None or span.ts <= lost.end_ts)
        ]
        for before, later in pairwise(meanwhile):
            yield min(before.root_id, later.root_id), max(before.root_id, later.root_id)


def _rolling(root_spans: Iterable[RootSpan]) -> Iterator[tuple[str, str]]:
    """Ordered stops, each with the one before it. A rolling restart takes each broker once: a second stop of a broker
    begins another one.
    """
    stops = sorted(
        (span for span in root_spans if span.kind in ORDERED_STOPS), key=lambda span: (span.ts, span.root_id)
    )
    taken: set[int] = set()
    for before, stop in pairwise(stops):
        taken.add(before.broker_id)
        if stop.broker_id in taken or (millis(stop.ts, before.end_ts) or 0) > ROLLING_MS:
            taken.clear()
        else:
            yield stop.root_id, before.root_id


def _while_a_directory_failed(root_spans: Iterable[RootSpan], faults: Iterable[Fault]) -> Iterator[tuple[str, str]]:
    """A failed log directory, and the orders to stop its broker meanwhile: only a new start brings the directory back."""
    spans = {span.root_id: span for span in root_spans}
    stops = [span for span in spans.values() if span.kind in ORDERED_STOPS]
    for disk in (fault for fault in faults if fault.kind in DISKS and fault.fault_id in spans):
        for stop in stops:
            meanwhile = at_most(disk.ts, stop.ts) and (disk.end_ts is None or at_most(stop.ts, disk.end_ts))
            if stop.broker_id == disk.broker_id and meanwhile:
                yield disk.fault_id, stop.root_id


def _indistinguishable(root_spans: Iterable[RootSpan], faults: Iterable[Fault]) -> Iterator[tuple[str, str]]:
    """Deaths of brokers that no line orders and that others missed within `MISSED_WITHIN_MS`: after a power loss no line
    shows which broker died first. Of processes that ended before the logs begin, only the starts after them are known.
    """
    bounds = {fault.fault_id: (fault.began_low, fault.began_high) for fault in faults if fault.kind in CRASHES}
    deaths = sorted((span for span in root_spans if span.root_id in bounds), key=lambda span: span.root_id)
    for one, other in combinations(deaths, 2):
        (low, high), (other_low, other_high) = bounds[one.root_id], bounds[other.root_id]
        is_unlogged = low is None and other_low is None
        overlap = is_unlogged or (at_most(low, other_high) and at_most(other_low, high))
        within_ms = STARTED_WITHIN_MS if is_unlogged else MISSED_WITHIN_MS
        if overlap and one.broker_id != other.broker_id and abs(millis(high, other_high) or 0) <= within_ms:
            yield one.root_id, other.root_id


def _in_crash_loops(root_spans: Iterable[RootSpan]) -> Iterator[tuple[str, str]]:
    """The deaths and failed starts of one broker in a loop, each with the one before it."""
    for deaths in crash_loops(root_spans, (*CRASHES, *FAILED_STARTS)):
        for before, later in pairwise(deaths):
            yield before.root_id, later.root_id


def _before_it_was_back(
    root_spans: Iterable[RootSpan], recorded_sessions: Iterable[BrokerSession]
) -> Iterator[tuple[str, str]]:
    """The end of a broker with what kept it from coming back: failed starts, and deaths soon after, before it had a session
    again.
    """
    starts = by_key(recorded_sessions, lambda session: session.broker_id, lambda session: session.member_ts)
    ends = sorted(
        (span for span in root_spans if span.kind in (*ORDERED_STOPS, *CRASHES, *FAILED_STARTS)),
        key=lambda span: (span.ts, span.root_id),
    )
    for broker, own in grouped(ends, lambda span: span.broker_id).items():
        for end, later in pairwise(own) if broker in starts else ():
            was_back = any(less(end.ts, ts) and less(ts, later.ts) for ts in starts[broker])
            is_soon = later.kind in CRASHES and (millis(later.ts, end.ts) or 0) <= LOOP_WITHIN_MS
            if (is_soon or later.kind in FAILED_STARTS) and not was_back:
                yield end.root_id, later.root_id


def incident_roots(all_root_spans: Iterable[AllRootSpan], incident_links: Iterable[IncidentLink]) -> list[IncidentRoot]:
    """The connected components of the incident links, each named by its least root."""
    neighbours: dict[str, list[str]] = {span.root_id: [] for span in all_root_spans}
    for link in incident_links:
        neighbours[link.src].append(link.dst)
        neighbours[link.dst].append(link.src)
    first_of: dict[str, str] = {}
    for first in sorted(neighbours):
        reached = [first]
        while reached:
            root = reached.pop()
            if root not in first_of:
                first_of[root] = first
                reached.extend(neighbours[root])
    return [IncidentRoot(id=root, first=first) for root, first in first_of.items()]


def with_incidents(all_root_spans: Sequence[AllRootSpan], incident_roots: Iterable[IncidentRoot]) -> list[RootSpan]:
    """The roots with their incidents, numbered in the order of time."""
    first_of = {root.id: root.first for root in incident_roots}
    began: dict[str, int] = {}
    for span in sorted(all_root_spans, key=lambda span: span.ts, reverse=True):
        began[first_of[span.root_id]] = unix_micros(span.ts)
    in_time = sorted(began, key=lambda first: (began[first], first))
    names = {first: f"incident-{number}" for number, first in enumerate(in_time, 1)}
    return [_in_incident(span, names[first_of[span.root_id]]) for span in all_root_spans]


def _in_incident(span: RootSpan, incident_id: str) -> RootSpan:
    own = {name: getattr(span, name) for name in ROOT_SPANS.schema.names}
    return RootSpan(**{**own, "incident_id": incident_id})


class Incidents:
    """The incidents by their roots and times, to look up. `spans`: from when to when each lasted; `first_codes`: the code of
    each one's first root that is no routine work.
    """

    def __init__(self, root_spans: Iterable[RootSpan]) -> None:
        of_incident = by_key(root_spans, lambda span: span.incident_id)
        self.spans = {name: (min(s.ts for s in own), max(s.end_ts for s in own)) for name, own in of_incident.items()}
        self.first_codes: dict[str, str] = {
            name: min(own, key=lambda s: (s.kind in ROUTINE, s.ts)).code for name, own in of_incident.items()
        }
        self._of_root = {span.root_id: (span.ts, span.incident_id) for own in of_incident.values() for span in own}
        self._in_time = InTime[str]()
        for name, (began, over) in sorted(self.spans.items()):
            self._in_time.add(began, over, name)

    def at(self, ts: datetime | None, before_ms: float, after_ms: float | None = None) -> str | None:
        """The latest incident that had begun at `ts` and was not over, give or take so much."""
        begun_by = plus_millis(ts, before_ms)
        not_over_at = plus_millis(ts, -(before_ms if after_ms is None else after_ms))
        if begun_by is None or not_over_at is None:
            return None
        return next(self._in_time.lasting(begun_by, not_over_at), None)

    def of_roots(self, root_ids: Sequence[str], distances: Sequence[int]) -> str | None:
        """The incident of the nearest of these roots; of those at one distance the earliest counts."""
        rooted = [
            (distance, *self._of_root[root])
            for root, distance in zip(root_ids, distances, strict=True)
            if root in self._of_root
        ]
        return min(rooted)[2] if rooted else None


def vertices(happenings: Iterable[Happening], roots: Iterable[Root], incident_index: Incidents) -> list[Vertex]:
    """The vertices of the graph, each with its incident: that of its nearest root; without a known root, the one of its
    time.
    """
    of_vertex = {row.id: incident_index.of_roots(row.root_ids, row.distances) for row in roots}
    return [
        _vertex(happening, of_vertex.get(happening.id) or incident_index.at(happening.ts, BEFORE_MS, AFTER_MS))
        for happening in happenings
    ]


def _vertex(happening: Happening, incident_id: str | None) -> Vertex:
    own = {name: getattr(happening, name) for name in VERTICES.schema.names}
    label = LABELS.render(happening.reason, happening.arguments)
    return Vertex(**{**own, "incident_id": incident_id, "label": label})
