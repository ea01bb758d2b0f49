"""Cuts the availability of a partition to what these logs could have shown.

That a partition was open, or closed, follows from silence: nobody logged another leader. This proves something only
where somebody would have logged it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise, zip_longest

from replay.availability.claims import ACKS_ALL
from replay.availability.cluster import Cluster
from replay.availability.reasons import CLOSED, DEAD_LEADER, HOLDS_HIGH_WATERMARK, NOT_LOGGED, OPEN, UNKNOWN
from replay.availability.words import LOG_DELETED, ROLES_TAKEN, SHRINKS, since
from replay.coverage.covered import Covered
from replay.facts.controllers import KRAFT
from replay.facts.in_time import EVER, NEVER
from replay.facts.intervals import Interval, common, united, without
from replay.facts.order import at_most, less
from replay.facts.times import CLOCKS_AT_MOST_MS, CLOCKS_DIFFER_MS, greatest, least, plus_millis
from replay.partitions.fetchers import FETCHES
from replay.tables.availability import BrokerStatement, NodeOutage, ServiceSpan, Tenure
from replay.tables.offsets import FetcherStop
from replay.tables.partitions import IsrSpan, RoleLine

_OF_ISR = (*HOLDS_HIGH_WATERMARK, "below_min_isr")  # the leader would log that the ISR has changed
_STOPS_MS = 60_000  # a node that stops in order gets no more changes this long before its end
_APPLIES_MS = 5_000  # a node that works again has applied the changes that it missed within this time
_AS_IT_LEADS = ("isr_updated", "leader_transition_skipped", SHRINKS)  # a leader logs these when its ISR changes
_OUT_OF_TOUCH = ("leader_frozen", "leader_silent", "leader_cut_off")  # the controllers may be out of its reach, too


@dataclass(frozen=True)
class Known:
    """When the state of a partition is known: whether it is open for acks=1 (`open`) and for acks=all (`open_all`),
    whether it is `closed`, and whether it is closed because of its ISR.
    """

    open: Sequence[Interval]
    open_all: Sequence[Interval]
    closed: Sequence[Interval]
    closed_by_isr: Sequence[Interval]


@dataclass(frozen=True)
class Lines:
    """Brokers' lines about the partition: their roles in the state-change log, and in server.log the beginning and the end
    of the fetches that a follower's role makes.
    """

    words: Sequence[BrokerStatement]
    role_lines: Sequence[RoleLine] = ()
    fetcher_stops: Sequence[FetcherStop] = ()

    def fetches(self, node_id: int) -> list[tuple[datetime, int | None]]:
        """When a node began to fetch, with the leader epoch, and when it ended (None), in the order of time."""
        begins = (
            (line.ts, line.leader_epoch) for line in self.role_lines if (line.node_id, line.kind) == (node_id, FETCHES)
        )
        ends = ((line.ts, None) for line in self.fetcher_stops if line.node_id == node_id)
        return sorted([*begins, *ends], key=lambda line: (line[0], line[1] is not None))


def as_far_as_logged(
    spans: Iterable[ServiceSpan],
    tenures: Sequence[Tenure],
    lines: Lines,
    isr_spans: Sequence[IsrSpan],
    cluster: Cluster,
    covered: Covered,
) -> Iterator[ServiceSpan]:
    """The rows. `open` and `closed` become `unknown` where nobody would have logged that another broker led."""
    known = _known(tenures, lines, isr_spans, cluster, covered)
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
    opened = known.open_all if span.acks == ACKS_ALL else known.open
    times = opened if span.state == OPEN else known.closed_by_isr if by_isr else known.closed
    whole = (span.start_ts, span.end_ts or NEVER)
    sure = common([whole], times)
    unsure = dict.fromkeys(without([whole], sure), False)
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
    lines: Lines,
    isr_spans: Sequence[IsrSpan],
    cluster: Cluster,
    covered: Covered,
) -> Known:
    """When the state is known: in each tenure, as long as a replica that applies changes still follows its leader epoch,
    or each replica is dead or would have logged that it led.

    Only the leader logs that it froze, or that a member of its ISR did not fetch. A follower's fetches show who leads, but
    not which replicas are in sync: they prove that a partition was closed, not that it was open. In KRaft the controllers
    decide which replicas are in sync, so a leader without logs has no other ISR than theirs.
    """
    replicas = {node for span in isr_spans for node in (*(span.replicas or ()), *span.isr)}
    replicas |= {word.node_id for word in lines.words if word.node_id is not None} | {
        tenure.leader_id for tenure in tenures if tenure.leader_id >= 0
    }
    name = f"{tenures[0].topic}-{tenures[0].partition}" if tenures else ""
    nodes = {node: _Node.of(node, name, lines, cluster, covered) for node in sorted(replicas)}
    lacking = {
        node: united(one.lacking(_taken_part(node, tenures, isr_spans, lines.words))) for node, one in nodes.items()
    }
    silent = _in_all([united([*without(one.roles, lacking[node]), *one.down]) for node, one in nodes.items()])
    opened: list[Interval] = []
    closed: list[Interval] = []
    for tenure in tenures:
        own = [(tenure.start_ts, tenure.until_ts or NEVER)]
        leader = nodes.get(tenure.leader_id)
        of_server = [] if leader is None else leader.server
        by_roles = (times for node, one in nodes.items() for times in without(one.follows(tenure), lacking[node]))
        by_fetches = (times for node, one in nodes.items() for times in without(one.fetches_in(tenure), lacking[node]))
        roles_known = common(own, united([*silent, *by_roles]))
        leader_known = united([*roles_known, *common(own, united(by_fetches))])
        closed += without(leader_known, [*_elected_in_outage(tenure, name, cluster, lines.words)])
        opened += without(common(roles_known, of_server), united(_not_serving(tenure, name, cluster)))
    unsure_isrs = united(
        [
            *_before_unknown_isrs(isr_spans),
            *_without_line(isr_spans, lines.words),
            *_of_later_epochs(isr_spans, tenures, lines.words),
        ]
    )
    of_isrs = united(
        (span.start_ts, span.end_ts or NEVER) for span in isr_spans if less(span.start_ts, span.end_ts or NEVER)
    )
    opened = united(opened)
    known_isrs = without(of_isrs, united(_before_unknown_isrs(isr_spans)))
    isrs_logged = united([*opened, *closed]) if KRAFT in cluster.modes else opened
    return Known(opened, common(opened, known_isrs), united(closed), without(isrs_logged, unsure_isrs))


def _taken_part(
    node_id: int, tenures: Sequence[Tenure], isr_spans: Sequence[IsrSpan], words: Sequence[BrokerStatement]
) -> list[Tenure]:
    """The leader epochs that lasted, and in which the node led, or was a replica by their ISRs. Those of a replica only
    where followers print their roles.
    """
    are_printed = any(word.kind == "follower_start" for word in words)
    members = ((span.leader_epoch, (*(span.replicas or ()), *span.isr)) for span in isr_spans if are_printed)
    member_in = {leader_epoch for leader_epoch, nodes in members if node_id in nodes}
    return [
        tenure
        for tenure, later in zip_longest(tenures, tenures[1:])
        if tenure.leader_id == node_id or (tenure.leader_id >= 0 and tenure.leader_epoch in member_in)
        if later is None or at_most(plus_millis(tenure.start_ts, CLOCKS_DIFFER_MS), later.start_ts)
    ]


def _before_unknown_isrs(isr_spans: Sequence[IsrSpan]) -> Iterator[Interval]:
    """The ISRs after which a partition epoch is missing: another ISR, which no line shows, may have followed at any time."""
    in_order = sorted((s for s in isr_spans if s.partition_epoch is not None), key=lambda span: span.start_ts)
    for before, span in pairwise(in_order):
        is_gap = span.partition_epoch > before.partition_epoch + 1 and span.replicas == before.replicas
        if is_gap and at_most(span.leader_epoch, (before.leader_epoch or 0) + 1):
            yield before.start_ts, span.start_ts


def _not_serving(tenure: Tenure, partition: str, cluster: Cluster) -> Iterator[Interval]:
    """Times in which a leader that had restarted may not have let clients in: no line shows its new session, or it got
    its first session later.
    """
    until_ts = tenure.until_ts or NEVER
    sessions = cluster.sessions.get(tenure.leader_id, ())
    for outage in _outages(tenure.leader_id, partition, cluster) if cluster.sessions else ():
        is_back = outage.serves_ts is not None or any(at_most(outage.to_ts, ts) and ts <= until_ts for ts in sessions)
        is_within = at_most(tenure.start_ts, outage.to_ts) and less(outage.to_ts, until_ts)
        if outage.as_leader == DEAD_LEADER and is_within and not is_back:
            yield outage.to_ts, until_ts
    first_ts = next(iter(sessions), None)
    if first_ts is not None and tenure.start_ts < first_ts:
        yield tenure.start_ts, min(first_ts, until_ts)


def _elected_in_outage(
    tenure: Tenure, partition: str, cluster: Cluster, words: Sequence[BrokerStatement]
) -> Iterator[Interval]:
    """The tenure, if its leader was elected in an outage without a known end, or after one without a line that it leads:
    a controller elects brokers that are back.
    """
    if tenure.last_leader_id in (None, tenure.leader_id):
        return
    for outage in _outages(tenure.leader_id, partition, cluster):
        if less(outage.from_ts, tenure.start_ts) and not _leads_after(outage, tenure, words):
            yield tenure.start_ts, tenure.until_ts or NEVER
            return


def _leads_after(outage: NodeOutage, tenure: Tenure, words: Sequence[BrokerStatement]) -> bool:
    """Whether the outage is over and, if the process has to start, the leader's own line shows that it leads."""
    if outage.to_ts is None or not outage.must_start:
        return outage.to_ts is not None
    return any(
        word.kind == "leader_start" and word.node_id == tenure.leader_id
        for word in since(words, outage.to_ts, tenure.until_ts)
    )


def _without_line(isr_spans: Sequence[IsrSpan], words: Sequence[BrokerStatement]) -> Iterator[Interval]:
    """The ISRs whose end is not known: their leader has no line about the next ISR of its leader epoch as that began, so
    it may have begun at any time before. Only where the partition's leaders print such lines.
    """
    if not any(word.kind in _AS_IT_LEADS for word in words):
        return
    in_order = sorted(isr_spans, key=lambda span: span.start_ts)
    for before, span in pairwise(in_order):
        if before.leader_epoch != span.leader_epoch or span.leader_id < 0:
            continue
        earliest_ts = plus_millis(span.start_ts, -CLOCKS_DIFFER_MS)
        own = (word for word in since(words, earliest_ts, span.end_ts) if word.node_id == span.leader_id)
        if not any(word.kind in _AS_IT_LEADS and _has_isr(word, span) for word in own):
            yield before.start_ts, span.start_ts


def _of_later_epochs(
    isr_spans: Iterable[IsrSpan], tenures: Sequence[Tenure], words: Sequence[BrokerStatement]
) -> Iterator[Interval]:
    """The times of ISRs after a later leader epoch began: its ISR is not known. A leader that stays keeps the ISR until it
    starts the new leader epoch.
    """
    starts = {(w.node_id, w.leader_epoch): w.ts for w in reversed(words) if w.kind == "leader_start"}
    for span in isr_spans:
        later = (tenure for tenure in tenures if less(span.leader_epoch, tenure.leader_epoch))
        begins = (starts.get((span.leader_id, tenure.leader_epoch), tenure.start_ts) for tenure in later)
        later_ts = min((ts for ts in begins if ts >= span.start_ts), default=None)
        end_ts = span.end_ts or NEVER
        if later_ts is not None and later_ts < end_ts:
            yield later_ts, end_ts


def _has_isr(word: BrokerStatement, span: IsrSpan) -> bool:
    return word.kind == SHRINKS or (word.isr is not None and sorted(word.isr) == sorted(span.isr))


def _outages(node_id: int, partition: str, cluster: Cluster) -> list[NodeOutage]:
    """The outages of a node that concern the partition."""
    every = cluster.outages.lasting(node_id, None, EVER)
    return [outage for outage in every if outage.partitions is None or partition in outage.partitions]


def _in_all(sets: Sequence[Sequence[Interval]]) -> Sequence[Interval]:
    """The times that lie in all sets."""
    found: Sequence[Interval] = [(EVER, NEVER)] if sets else []
    for times in sets:
        found = common(found, times)
    return found


@dataclass(frozen=True)
class _Node:
    """A replica: when it would log its roles (`roles`), its faults (`server`), and both (`logged`); when it certainly
    served nobody (`down`); when it may not have applied a change (`away`); when its processes ended, or it deleted its log
    (`ends`); its changes of roles; the beginnings and ends of its fetches.
    """

    roles: Sequence[Interval]
    server: Sequence[Interval]
    logged: Sequence[Interval]
    down: Sequence[Interval]
    away: Sequence[Interval]
    ends: Sequence[datetime]
    lines: Sequence[BrokerStatement]
    fetches: Sequence[tuple[datetime, int | None]]

    @staticmethod
    def of(node_id: int, partition: str, lines: Lines, cluster: Cluster, covered: Covered) -> _Node:
        outages = _outages(node_id, partition, cluster)
        returns = united([*covered.server(node_id), *_of_active_controllers(partition, cluster, covered)])
        deleted = [word.ts for word in lines.words if (word.node_id, word.kind) == (node_id, LOG_DELETED)]
        led = [word.ts for word in lines.words if (word.node_id, word.kind) == (node_id, "leader_start")]
        return _Node(
            covered.roles(node_id),
            covered.server(node_id),
            covered.roles_and_faults(node_id),
            united(time for one in outages if one.leads == CLOSED for time in _sure(one, returns)),
            united(_away(outage, led) for outage in outages if _keeps_from_changes(outage)),
            sorted((*deleted, *(_possible(outage)[0] for outage in outages if outage.stops_replicas))),
            [word for word in lines.words if word.node_id == node_id and word.kind in ROLES_TAKEN],
            lines.fetches(node_id),
        )

    def follows(self, tenure: Tenure) -> list[Interval]:
        """When the node would have logged a change of leader: from its line about this leader epoch to its next role."""
        roles = [(line.ts, line.leader_epoch) for line in self.lines]
        return without(common(united(self._lasting(roles, tenure)), self.logged), self.away)

    def lacking(self, tenures: Sequence[Tenure]) -> Iterator[Interval]:
        """The times from a role, or a fetch, of the node to its next role in which it lacks a line about one of these leader
        epochs: single lines of its log are missing.
        """
        logged = {line.leader_epoch for line in self.lines}
        times = [line.ts for line in self.lines]
        away = united((plus_millis(a, -_STOPS_MS) if a > EVER else a, b) for a, b in self.away)
        for tenure in tenures:
            if tenure.leader_epoch in logged:
                continue
            start_ts = tenure.start_ts
            is_there = any(a <= start_ts < b for a, b in without(self.logged, away))
            before = max((ts for ts in (*times, *(ts for ts, _ in self.fetches)) if ts < start_ts), default=None)
            if is_there and before is not None:
                yield before, min((ts for ts in times if ts > start_ts), default=NEVER)

    def fetches_in(self, tenure: Tenure) -> list[Interval]:
        """When the node fetched in this leader epoch: it would have logged that it no longer does."""
        return without(common(united(self._lasting(self.fetches, tenure)), self.server), self.away)

    def _lasting(self, lines: Sequence[tuple[datetime, int | None]], tenure: Tenure) -> Iterator[Interval]:
        """From each line about the tenure's leader epoch to the next line about another one, or to the end of the
        process. None if that next line is late: the node did not learn of changes, and no line shows since when.
        """
        earliest_ts = plus_millis(tenure.start_ts, -CLOCKS_AT_MOST_MS)
        for at, (ts, leader_epoch) in enumerate(lines):
            if leader_epoch == tenure.leader_epoch and ts >= earliest_ts:
                later_ts = next((next_ts for next_ts, epoch in lines[at + 1 :] if epoch != leader_epoch), NEVER)
                ended = (end_ts for end_ts in self.ends if end_ts >= ts)  # the next process begins with its own lines
                until_ts = max(ts, min(later_ts, next(ended, NEVER)))
                if until_ts < later_ts or not self._learnt_late(tenure, later_ts):
                    yield ts, until_ts

    def _learnt_late(self, tenure: Tenure, later_ts: datetime) -> bool:
        """Whether a later leader epoch began long before the node's next line about one, and no outage of the node
        explains this.
        """
        begun_ts, due_ts = tenure.until_ts, plus_millis(tenure.until_ts, _APPLIES_MS)
        if begun_ts is None or due_ts is None or later_ts <= due_ts:
            return False
        if later_ts == NEVER and not any(since_ts <= due_ts < end_ts for since_ts, end_ts in self.server):
            return False  # its lines may end before
        return not any(begin_ts < later_ts and begun_ts < end_ts for begin_ts, end_ts in self.away)


def _of_active_controllers(partition: str, cluster: Cluster, covered: Covered) -> Iterator[Interval]:
    """When the active controller would have logged that a broker returns: until the controller's first outage, in which
    another one may have taken over.
    """
    for controller_id, (start_ts, end_ts) in covered.active:
        begins = (_possible(outage)[0] for outage in _outages(controller_id, partition, cluster))
        out_ts = min((ts for ts in begins if ts > start_ts), default=NEVER)
        yield start_ts, min(end_ts, out_ts)


def _keeps_from_changes(outage: NodeOutage) -> bool:
    """Whether a node with this outage may not apply the changes of its partitions' leaders."""
    return bool(outage.stops_replicas or outage.may_lead_on or outage.as_leader in _OUT_OF_TOUCH)


def _sure(outage: NodeOutage, returns: Sequence[Interval]) -> Iterator[Interval]:
    """The time in which the outage surely lasted. Without a line about its end, only as long as somebody would have
    logged that.
    """
    start_ts, end_ts = outage.from_ts, outage.to_ts
    if start_ts is not None and end_ts is None:
        end_ts = next((over_ts for begin_ts, over_ts in returns if begin_ts <= start_ts < over_ts), None)
    if less(start_ts, end_ts):
        yield start_ts, end_ts


def _away(outage: NodeOutage, led: Sequence[datetime]) -> Interval:
    """The time in which the node may not have applied a change. A new process that begins to lead the partition (`led`)
    has applied the changes that it missed: a controller elects a broker only after that, or sends it the current state.
    """
    start_ts, end_ts = _possible(outage)
    if not outage.must_start or end_ts == NEVER:
        return start_ts, end_ts
    back_ts = plus_millis(end_ts, -_APPLIES_MS)
    return start_ts, min((ts for ts in led if back_ts <= ts < end_ts), default=end_ts)


def _possible(outage: NodeOutage) -> Interval:
    """The time in which the outage may have lasted."""
    start_ts = least(outage.low_ts, outage.from_ts) or EVER
    end_ts: datetime | None = greatest(outage.to_ts, outage.back_ts)
    return start_ts, NEVER if end_ts is None else max(start_ts, plus_millis(end_ts, _APPLIES_MS))
