"""Cuts the availability of a partition to what these logs could have shown.

That a partition was open, or closed, follows from silence: nobody logged another leader. This proves something only
where somebody would have logged it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from replay.availability.cluster import Cluster
from replay.availability.reasons import CLOSED, HOLDS_HIGH_WATERMARK, NOT_LOGGED, OPEN, UNKNOWN
from replay.availability.words import ROLES_TAKEN
from replay.coverage.covered import Covered
from replay.facts.in_time import EVER, NEVER
from replay.facts.intervals import Interval, common, united, without
from replay.facts.times import CLOCKS_AT_MOST_MS, first_known, greatest, least, plus_millis
from replay.tables.availability import BrokerStatement, NodeOutage, ServiceSpan, Tenure
from replay.tables.partitions import IsrSpan

_OF_ISR = (*HOLDS_HIGH_WATERMARK, "below_min_isr")  # the leader would log that the ISR has changed
_FROZEN_OR_SILENT = ("leader_frozen", "leader_silent")


@dataclass(frozen=True)
class Known:
    """When the state of a partition is known: whether it is `open`, whether it is `closed`, and whether it is closed
    because of its ISR.
    """

    open: Sequence[Interval]
    closed: Sequence[Interval]
    closed_by_isr: Sequence[Interval]


def as_far_as_logged(
    spans: Iterable[ServiceSpan],
    tenures: Sequence[Tenure],
    words: Sequence[BrokerStatement],
    isr_spans: Sequence[IsrSpan],
    cluster: Cluster,
    covered: Covered,
) -> Iterator[ServiceSpan]:
    """The rows. `open` and `closed` become `unknown` where nobody would have logged that another broker led."""
    known = _known(tenures, words, isr_spans, cluster, covered)
    before: ServiceSpan | None = None
    for span in spans:
        for piece in _pieces(span, known):
            if before is not None and _is_alike(before, piece):
                before = before.but(end_ts=piece.end_ts)
                continue
            if before is not None:
                yield before
            before = piece
    if before is not None:
        yield before


def _is_alike(one: ServiceSpan, other: ServiceSpan) -> bool:
    def kind(row: ServiceSpan) -> tuple[object, ...]:
        return row.acks, row.state, row.reason, row.fault_id, row.confidence

    return one.end_ts == other.start_ts and kind(one) == kind(other)


def _pieces(span: ServiceSpan, known: Known) -> Iterator[ServiceSpan]:
    """A row, split where what is known begins or ends."""
    if span.state == UNKNOWN:
        yield span
        return
    by_isr = span.state == CLOSED and span.reason in _OF_ISR
    times = known.open if span.state == OPEN else known.closed_by_isr if by_isr else known.closed
    whole = (span.start_ts, span.end_ts or NEVER)
    sure = common([whole], times)
    unsure = {piece: False for piece in without([whole], sure)}
    for (start_ts, end_ts), is_sure in sorted((unsure | dict.fromkeys(sure, True)).items()):
        piece = span.but(start_ts=start_ts, end_ts=None if end_ts == NEVER else end_ts)
        if is_sure:
            yield piece
        elif span.state == OPEN:
            yield piece.but(state=UNKNOWN, reason=NOT_LOGGED)
        else:
            yield piece.but(state=UNKNOWN, confidence="inferred")


def _known(
    tenures: Sequence[Tenure],
    words: Sequence[BrokerStatement],
    isr_spans: Sequence[IsrSpan],
    cluster: Cluster,
    covered: Covered,
) -> Known:
    """When the state is known: in each tenure, as long as a replica that applies changes still follows its leader epoch,
    or each replica is dead or would have logged that it led.
    """
    replicas = {node for span in isr_spans for node in (*(span.replicas or ()), *span.isr)}
    replicas |= {word.node_id for word in words} | {tenure.leader_id for tenure in tenures if tenure.leader_id >= 0}
    name = f"{tenures[0].topic}-{tenures[0].partition}" if tenures else ""
    nodes = {node: _Node.of(node, name, words, cluster, covered) for node in sorted(replicas)}
    silent = _in_all([united([*node.roles, *node.down]) for node in nodes.values()])
    opened: list[Interval] = []
    closed: list[Interval] = []
    by_isr: list[Interval] = []
    for tenure in tenures:
        own = [(tenure.start_ts, tenure.until_ts or NEVER)]
        leader = nodes.get(tenure.leader_id)
        of_server = [] if leader is None else leader.server
        follows = [(node, node.follows(tenure)) for node in nodes.values()]
        of_followers = united(times for node, own_times in follows if node is not leader for times in own_times)
        known = united([*silent, *(times for _, own_times in follows for times in own_times)])
        closed += common(own, known)
        by_isr += common(common(own, known), of_server)
        opened += common(own, united([*common(known, of_server), *of_followers]))
    return Known(united(opened), united(closed), united(by_isr))


def _in_all(sets: Sequence[Sequence[Interval]]) -> Sequence[Interval]:
    """The times that lie in all sets."""
    found: Sequence[Interval] = [(EVER, NEVER)] if sets else []
    for times in sets:
        found = common(found, times)
    return found


@dataclass(frozen=True)
class _Node:
    """A replica: when it would log its roles (`roles`), its faults (`server`), and both (`logged`); when it certainly
    served nobody (`down`); when it may not have applied a change (`away`); its changes of roles.
    """

    roles: Sequence[Interval]
    server: Sequence[Interval]
    logged: Sequence[Interval]
    down: Sequence[Interval]
    away: Sequence[Interval]
    lines: Sequence[BrokerStatement]

    @staticmethod
    def of(node_id: int, partition: str, words: Sequence[BrokerStatement], cluster: Cluster, covered: Covered) -> _Node:
        outages = [
            outage
            for outage in cluster.outages.lasting(node_id, None, EVER)
            if outage.partitions is None or partition in outage.partitions
        ]
        return _Node(
            covered.roles(node_id),
            covered.server(node_id),
            covered.roles_and_faults(node_id),
            united(time for outage in outages if outage.leads == CLOSED for time in _sure(outage)),
            united(_possible(outage) for outage in outages if _keeps_from_changes(outage)),
            [word for word in words if word.node_id == node_id and word.kind in ROLES_TAKEN],
        )

    def follows(self, tenure: Tenure) -> list[Interval]:
        """When the node would have logged a change of leader: from its line about this leader epoch to its next role."""
        earliest_ts = plus_millis(tenure.start_ts, -CLOCKS_AT_MOST_MS)
        found: list[Interval] = []
        for at, line in enumerate(self.lines):
            if line.leader_epoch != tenure.leader_epoch or line.ts < earliest_ts:
                continue
            later = (next_.ts for next_ in self.lines[at + 1 :] if next_.leader_epoch != line.leader_epoch)
            found.append((line.ts, next(later, NEVER)))
        return without(common(united(found), self.logged), self.away)


def _keeps_from_changes(outage: NodeOutage) -> bool:
    """Whether a node with this outage may not apply the changes of its partitions' leaders."""
    return bool(outage.must_start or outage.may_lead_on or outage.as_leader in _FROZEN_OR_SILENT)


def _sure(outage: NodeOutage) -> Iterator[Interval]:
    """The time in which the outage surely lasted."""
    start_ts, end_ts = outage.from_ts, outage.to_ts or NEVER
    if start_ts is not None and start_ts < end_ts:
        yield start_ts, end_ts


def _possible(outage: NodeOutage) -> Interval:
    """The time in which the outage may have lasted."""
    start_ts = least(outage.low_ts, outage.from_ts) or EVER
    is_open = outage.to_ts is None and outage.back_ts is None
    end_ts = NEVER if is_open else first_known(greatest(outage.to_ts, outage.back_ts), NEVER)
    return start_ts, max(start_ts, end_ts)
