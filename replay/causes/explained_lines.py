"""Which fault of an analysis explains a line: a node that was down, a lost directory, an operator's order, an election."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from replay.causes.predicates import predicates
from replay.facts.controllers import controller_ids
from replay.facts.groups import by_key
from replay.facts.in_time import InTime
from replay.faults.kinds import (
    BY_NAME,
    CHANGE,
    DELETION,
    DIRECTORY,
    LOST_BATCHES,
    OUTAGE,
    REASSIGNED,
    REGISTRATION,
    SHORTER_LEADER,
    UNASKED_OUTAGE,
    UNCLEAN_END,
    Stops,
)
from replay.knowledge.choosing import Read
from replay.knowledge.meaning import ANYWHERE, AT_A_VOTER, AT_THE_CONTROLLER, HARMLESS, NAMED, Meaning
from replay.knowledge.meanings import meaning
from replay.knowledge.naming import nodes_named, writer
from replay.partitions.elected_from import is_unclean
from replay.tables.brokers import BrokerSession, Controller, NodeTimings
from replay.tables.causes import Edge
from replay.tables.control_plane import VoterSet
from replay.tables.faults import Fault, WitnessedFault
from replay.tables.losses import GONE_VERDICTS, Loss
from replay.tables.offsets import ShortenedLog
from replay.tables.partitions import Election

GOES_ON = timedelta(seconds=5)  # a restarted node has found what it missed
_WAKES = timedelta(seconds=2)  # a process that wakes up looks at all its timers within this time
_ALMOST_A_SECOND = timedelta(microseconds=999_999)  # rounds a time up to the second
_HAS_ITS_PARTITIONS = timedelta(seconds=15)  # after the first line of its start
_AFTER = timedelta(seconds=60)  # for reconnects, elections and fetches after its end
_BEFORE_IT_IS_LOGGED = timedelta(seconds=1)  # how long after others notice a change of leader the first broker logs it

_REJECTED_BY_THE_WRITERS_HOST = frozenset({"connection-not-permitted", "connection-rejected-here"})
_OF_ONE_REQUEST = timedelta(seconds=1)  # from a failed connection to the failure of the request that it was for
_BEHIND = "isr-shrunk"
_LAST_FETCH = timedelta(
    seconds=2
)  # before a fault began: a follower that waits for records fetches every half a second
_BY_FAILED_ATTEMPTS = (
    "cut_from_peers",
    "link_cut",
    "silent",
)  # they may have begun before the first failed attempt of a peer
_OF_TOPICS = ("F19",)
_OF_ONE_TIME = timedelta(seconds=10)  # elections within this time are merged
_SEQUENCES = 2**31  # sequence numbers start again at 0 after the greatest integer
_GAP = re.compile(
    r"OutOfOrderSequenceException: Out of order sequence number for producer (?P<producer_id>\d{1,19}) at offset (?P<offset>\d{1,19}) in partition (?P<tp>[\w.-]{1,260}): "
    r"(?P<incoming>\d{1,10}) \(incoming seq\. number\), (?P<current>-?\d{1,10}) \(current end sequence number\)"
)


@dataclass(frozen=True)
class Found:
    """A finding of an analysis. `says` names it (`broker 2 crashed or was killed`), `code` is its code; `node` is
    None if no single node is at fault. It began at `since` at the earliest and ended at `until`, None if no line
    shows its end. `unclean`: its logs were not closed properly. `asked`: somebody ordered the stop. `led`: the
    node was the active controller. `votes`: whether the node is a voter of the metadata quorum, None if no line
    shows the voters; without a node, the finding is about the quorum itself. `silences`: the process printed
    nothing from the beginning of the finding on. `after`: how long after its end lines can follow from it.
    """

    says: str
    code: str
    sort: str
    node: int | None
    peers: tuple[int, ...]
    since: datetime
    until: datetime | None
    unclean: bool = False
    asked: bool = False
    led: bool = False
    votes: bool | None = None
    silences: bool = False
    latest: datetime | None = None  # the latest time of its beginning; `since` is the earliest
    partitions: frozenset[str] = frozenset()  # named by a change, which explains no line about another partition
    offline: frozenset[str] = frozenset()  # of its failed directories, which explain no line about another partition
    is_election: bool = False  # it takes an instant, and explains only lines about its partitions
    after: timedelta = _AFTER
    fault_id: str = ""  # empty for an election
    causes: frozenset[str] = frozenset()  # the faults that it follows from
    lost: tuple[tuple[str, int, int], ...] = ()  # partitions of an election, each with the range that it certainly lost
    is_undated: bool = False  # nothing bounds how long before `since` it began
    lag: timedelta = timedelta(0)  # how long a follower must be behind before its leader removes it from the ISR

    @property
    def description(self) -> str:
        """`broker 2 crashed or was killed (F01, 05:37:34 to 05:38:18)`, `… (F01, began between 05:37:33 and 05:37:34, over by …)`."""
        # Setting a clock takes an instant and lasts.
        over = None if self.until in (None, self.latest) else self.until + _ALMOST_A_SECOND
        days = {ts.date() for ts in (self.since, self.latest, self.until, over) if ts is not None}
        shown = "%H:%M:%S" if len(days) == 1 else "%Y-%m-%d %H:%M:%S"
        code, since = f"{self.code}, " if self.code else "", f"{self.since:{shown}}"
        latest = since if self.latest is None else f"{self.latest:{shown}}"
        if self.is_undated:
            until = f", over by {over:{shown}}" if over is not None else ""
            return f"{self.says} ({code}began by {self.since + _ALMOST_A_SECOND:{shown}}{until})"
        if latest == since:
            ends = self.until is not None and f"{self.until:{shown}}" != since  # a time, or the span of two
            until = f" to {self.until:{shown}}" if ends else ""
            return f"{self.says} ({code}{since}{until})"
        until = f", over by {over:{shown}}" if over is not None else ""
        by = f"{(self.latest or self.since) + _ALMOST_A_SECOND:{shown}}"
        return f"{self.says} ({code}began between {since} and {by}{until})"

    def lasts_at(self, ts: datetime | None) -> bool:
        """Whether the node was down at that time or had just come back."""
        return self.sort == OUTAGE and (ts is None or self._is_recent(ts))

    def is_open_at(self, ts: datetime | None) -> bool:
        """Whether the node was certainly not back by that time."""
        return self.sort == OUTAGE and ts is not None and (self.until is None or ts < self.until)

    @cached_property
    def sorts(self) -> frozenset[str]:
        """The kinds of explanation (`Meaning.explained_by`) that this finding satisfies."""
        return frozenset(
            sort
            for sort, holds in (
                (self.sort, True),
                (UNASKED_OUTAGE, self.sort == OUTAGE and not self.asked),
                (UNCLEAN_END, self.sort == OUTAGE and self.unclean),
                (DELETION, self.sort == CHANGE and self.code in _OF_TOPICS),
                (LOST_BATCHES, bool(self.lost)),
            )
            if holds
        )

    @property
    def is_of_quorum(self) -> bool:
        """Whether the fault is one of the metadata quorum, not of one node."""
        return self.node is None and self.votes is True

    def explains(self, one: Read) -> bool:
        """Whether the finding explains the record: the time, the node and the kind match. No record precedes its
        cause.
        """
        ts = one.line.ts
        begin, end = self.reach
        if ts is None or ts < begin or (end is not None and ts > end):
            return False
        if self.silences and writer(one.line) == self.node and ts <= (self.latest or self.since):
            return False
        meanings = _meanings(one)
        if self._is_refuted_by({meaning.key for meaning in meanings}, one) or self._is_long_back(one):
            return False
        if one.means(_BEHIND) and not self.is_undated and ts < self.since + self.lag - _LAST_FETCH:
            return False
        if all(meaning.weight == HARMLESS for meaning in meanings):
            return False
        if not all(self.sorts & set(meaning.explained_by) for meaning in meanings):
            return False
        if self.sort == OUTAGE and [meaning.key for meaning in meanings] == ["fetch-refused", "unknown-topic"]:
            return self._has_just_ended(ts) and one.values.get("leader_id") == str(self.node)
        return self._concerns(one, meanings[0])

    @cached_property
    def reach(self) -> tuple[datetime, datetime | None]:
        """The first and the last time of lines that the finding can explain; the last is None if no line shows its
        end.
        """
        begin = self.since - _BEFORE_IT_IS_LOGGED if self.is_election else self.since
        return begin, None if self.until is None else self.until + (GOES_ON if self.is_election else self.after)

    def _is_recent(self, ts: datetime) -> bool:
        return self.until is None or ts <= self.until + GOES_ON

    def changed(self, one: Read) -> bool:
        """Whether the finding had just changed the partition that the record names, or its directory had failed."""
        if one.values.get("tp") in self.offline:
            return True
        return one.values.get("tp") in self.partitions and one.line.ts is not None and self._is_recent(one.line.ts)

    def _is_refuted_by(self, keys: Collection[str], one: Read) -> bool:
        """Whether the record excludes the finding as its cause.

        If a host rejects its own connections, that shows nothing about the other end; a leader that rejects records
        for lack of in-sync replicas was running, so its own end is not the cause.
        """
        if self.silences and not _REJECTED_BY_THE_WRITERS_HOST.isdisjoint(keys):
            return True
        return "not-enough-replicas" in keys and self.has_ended(writer(one.line))

    def _is_long_back(self, one: Read) -> bool:
        """Whether the record is of the node itself, about another one, after it had its partitions again: its own end is not
        why it does not reach that one.
        """
        me = writer(one.line)
        if not self.has_ended(me) or self.until is None or one.line.ts is None:
            return False
        others = nodes_named(one.line, one.values) - {me}
        return one.line.ts > self.until + _HAS_ITS_PARTITIONS and bool(others)

    def has_ended(self, node: int | None) -> bool:
        """Whether the finding ended that node's process: the node's later lines belong to its next process."""
        return node == self.node and (self.unclean or self.asked)

    def wakes(self, node: int | None, ts: datetime | None) -> bool:
        """Whether that node's process had just woken up: its own freeze caused the timeouts that it now finds,
        whichever node it had asked.
        """
        if node is None or node != self.node or not self.silences or self.has_ended(node):
            return False
        return ts is not None and self.until is not None and self.until <= ts <= self.until + _WAKES

    def _has_just_ended(self, ts: datetime) -> bool:
        """Whether the node had just restarted and did not have its partitions from the controller yet."""
        return self.until is not None and self.until <= ts <= self.until + _HAS_ITS_PARTITIONS

    def _concerns(self, one: Read, meaning: Meaning) -> bool:
        """Whether the finding is about a node that the record is about."""
        where = meaning.cause_at
        if self.is_of_quorum:
            return where in (AT_THE_CONTROLLER, AT_A_VOTER)
        if self.partitions:
            return one.values.get("tp", "" if self.is_election else None) in (None, *self.partitions)
        if self.sort == CHANGE or self.node is None:
            return True
        if self.offline and one.values.get("tp") not in (None, *self.offline):
            return False
        concerned = nodes_named(one.line, one.values)
        if self.sort in (DIRECTORY, REGISTRATION) or UNCLEAN_END in meaning.explained_by:
            return self.node in concerned
        if where == AT_A_VOTER:
            return self.votes is not False or writer(one.line) == self.node
        if where == ANYWHERE or (where == AT_THE_CONTROLLER and self.led):
            return True
        return self.node in concerned or bool(concerned & set(self.peers))


def _meanings(one: Read) -> list[Meaning]:
    return [meaning for meaning in (one.wording, one.cause) if meaning is not None]


class Findings:
    """The findings of an analysis, indexed by time to look up which one explains a record.

    `rejected`: when the node's own host rejected its connections to a peer, by node and peer.
    """

    def __init__(
        self, found: Iterable[Found] = (), rejected: Mapping[tuple[int, int], Sequence[datetime]] | None = None
    ) -> None:
        self.all = tuple(found)
        self._rejected = rejected or {}
        self._in_time: InTime[int] = InTime()
        for number, what in enumerate(self.all):
            self._in_time.add(*what.reach, number)

    def among(self, read: Iterable[Read]) -> Findings:
        """The findings, with the connections that hosts rejected themselves by these records."""
        rejected: dict[tuple[int, int], list[datetime]] = defaultdict(list)
        for one in read:
            if one.line.ts is None or not any(one.key in _REJECTED_BY_THE_WRITERS_HOST for one in _meanings(one)):
                continue
            me = writer(one.line)
            for peer in nodes_named(one.line, one.values) - {me, None}:
                if me is not None and peer is not None:
                    rejected[me, peer].append(one.line.ts)
        return Findings(self.all, {pair: sorted(times) for pair, times in rejected.items()})

    @property
    def begin(self) -> datetime | None:
        """When the first finding of an analysis began at the earliest; None without an analysis that found something."""
        return min((what.since for what in self.all if what.code), default=None)

    def explaining(self, one: Read) -> Found | None:
        """The finding that explains the record, or None. If there are several, the order of preference is: a change of
        its partition at that time; for a record about the metadata quorum, the loss of the quorum; for a record of a
        process that had just woken up, its freeze; for a record that names no cause, a finding that was not over yet,
        and not just over; a finding about the peer that the record names; one about the record's writer; one that
        follows from none of the others; the one that began last.
        """
        ts = one.line.ts
        if ts is None:
            return None
        lasting = (self.all[at] for at in sorted(self._in_time.lasting(ts, ts)))
        explains = [what for what in lasting if what.explains(one) and not self._stayed_here(what, one, ts)]
        if len(explains) < 2:
            return explains[0] if explains else None
        return max(explains, key=_fits(one, {what.fault_id for what in explains}))

    def _stayed_here(self, what: Found, one: Read, ts: datetime) -> bool:
        """Whether the writer's own host had just rejected the connection to the node of the finding: the reason is not
        at that node, even if its process had ended.
        """
        me = writer(one.line)
        if not what.silences or me is None or what.node is None or what.node not in nodes_named(one.line, one.values):
            return False
        times = self._rejected.get((me, what.node), ())
        at = bisect_right(times, ts) - 1
        return at >= 0 and ts - times[at] <= _OF_ONE_REQUEST

    def after_losses(self, read: Sequence[Read]) -> list[Read]:
        """`read`, with another meaning for batches of idempotent producers that a leader refused because an election lost the
        batches before them.
        """
        return [self._after_a_loss(one) for one in read]

    def _after_a_loss(self, one: Read) -> Read:
        is_refused = one.cause is not None and one.cause.key == "out-of-order-sequence" and not one.line.is_clients
        gap = _GAP.search(one.line.text[:2000]) if is_refused else None
        if gap is None:
            return one
        missing = (int(gap["incoming"]) - int(gap["current"]) - 1) % _SEQUENCES
        for what in self.all:
            for tp, begin, end in what.lost:
                if tp == gap["tp"] and end - begin == missing and int(gap["offset"]) >= begin:
                    values = {**one.values, "tp": tp, "from": str(begin), "to": str(end)}
                    found = replace(one, wording=meaning("sequence-gap-of-loss"), cause=None, values=values)
                    if what.explains(found):
                        return found
        return one


def _fits(
    one: Read, explaining: Collection[str]
) -> Callable[[Found], tuple[bool, bool, bool, bool, bool, bool, bool, bool, datetime]]:
    """A sort key: how well a finding that explains the record fits it; `explaining`: the faults that explain it."""
    concerned, me, ts = nodes_named(one.line, one.values), writer(one.line), one.line.ts
    where = _meanings(one)[0].cause_at

    def fits(what: Found) -> tuple[bool, bool, bool, bool, bool, bool, bool, bool, datetime]:
        is_down = what.lasts_at(ts)
        is_named = what.node in concerned and not (where == AT_A_VOTER and what.has_ended(me))
        is_quorums = where == AT_A_VOTER and what.is_of_quorum and is_down
        return (
            what.changed(one),
            is_quorums,
            what.wakes(me, ts),
            where != NAMED and is_down,
            where == ANYWHERE and what.is_open_at(ts),
            is_named and what.node != me,
            is_named,
            what.causes.isdisjoint(explaining),
            what.since,
        )

    return fits


@dataclass(frozen=True)
class Roles:
    """Which nodes had a broker's session, were controllers, and are voters of the metadata quorum."""

    brokers: Collection[int]
    controllers: Collection[int]
    voters: Collection[int]

    def named(self, node: int) -> str:
        """`broker 1`, or `controller 101` for a controller without a broker's session."""
        sort = "broker" if node in self.brokers else "controller" if node in self.controllers else "node"
        return f"{sort} {node}"


def found_of(
    faults: Iterable[Fault],
    controllers: Sequence[Controller] = (),
    voter_sets: Sequence[VoterSet] = (),
    broker_sessions: Iterable[BrokerSession] = (),
    elections: Iterable[Election] = (),
    shortened_logs: Iterable[ShortenedLog] = (),
    witnessed: Iterable[WitnessedFault] = (),
    losses: Iterable[Loss] = (),
    edges: Iterable[Edge] = (),
    timings: Iterable[NodeTimings] = (),
) -> list[Found]:
    """The faults and the preferred and unclean elections of an analysis that explain lines; each states what its finding
    states.
    """
    lag_ms = min((row.replica_lag_ms for row in timings if row.replica_lag_ms is not None), default=0)
    faults, elections = list(faults), list(elections)
    by_fault = predicates(faults, shortened_logs, witnessed)
    causes = by_key((edge for edge in edges if edge.rank == 1), lambda edge: edge.dst, lambda edge: edge.src)
    voters = {node for one in voter_sets for node in one.voters or ()}
    roles = Roles({one.broker_id for one in broker_sessions}, controller_ids(controllers, voter_sets), voters)
    of_faults = [
        replace(
            _found(fault, controllers, roles, by_fault.get(fault.fault_id, "")),
            fault_id=fault.fault_id or "",
            lag=timedelta(milliseconds=lag_ms),
            causes=frozenset(causes.get(fault.fault_id, ())),
        )
        for fault in faults
        if BY_NAME[fault.kind].explains and _has_begun(fault)
    ]
    return [*of_faults, *_preferred_elections(elections), *_unclean_elections(elections, losses)]


def _preferred_elections(elections: Iterable[Election]) -> Iterator[Found]:
    """Preferred leader elections; those close in time become one."""
    for burst in _bursts(one for one in elections if one.trigger == "preferred"):
        names = frozenset(f"{one.topic}-{one.partition}" for one in burst)
        since, until = burst[0].ts, burst[-1].ts
        yield Found(
            "Preferred leaders took over", "F17", CHANGE, None, (), since, until, partitions=names, is_election=True
        )


def _unclean_elections(elections: Sequence[Election], losses: Iterable[Loss] = ()) -> Iterator[Found]:
    """Elections from outside the ISR (facts §6.1, R10). The others cut their logs, and with them their high watermarks, to
    that of the new leader when they follow it: whenever they return, unless another leader was elected by then.
    """
    in_order = sorted((one for one in elections if one.ts is not None), key=lambda one: one.ts)
    last = {(one.topic, one.partition): one for one in in_order}
    unclean = [one for one in in_order if is_unclean(one.elected_from)]
    lost = _lost_ranges(losses)
    groups = by_key(unclean, lambda one: (one.new_leader_id, one is last[one.topic, one.partition]))
    for (leader, is_last), own in groups.items():
        for burst in _bursts(own):
            yield Found(
                f"broker {leader} was elected from outside the ISR",
                "F16",
                SHORTER_LEADER,
                leader,
                (),
                burst[0].ts,
                None if is_last else burst[-1].ts,
                partitions=frozenset(f"{one.topic}-{one.partition}" for one in burst),
                is_election=True,
                lost=tuple(
                    (f"{one.topic}-{one.partition}", *lost[key])
                    for one in burst
                    if (key := (one.topic, one.partition, one.leader_epoch)) in lost
                ),
            )


def _lost_ranges(losses: Iterable[Loss]) -> dict[tuple[str, int, int], tuple[int, int]]:
    """By topic, partition and leader epoch: the range of offsets that was certainly discarded."""
    gone = [one for one in losses if one.verdict in GONE_VERDICTS and one.discarded_to_offset is not None]
    return {
        key: (min(one.from_offset for one in own), max(one.discarded_to_offset for one in own))
        for key, own in by_key(gone, lambda one: (one.topic, one.partition, one.leader_epoch)).items()
    }


def _bursts(elections: Iterable[Election]) -> list[list[Election]]:
    """Elections in order; those close in time together."""
    bursts: list[list[Election]] = []
    for one in sorted((one for one in elections if one.ts is not None), key=lambda one: one.ts):
        if not bursts or one.ts - bursts[-1][-1].ts > _OF_ONE_TIME:
            bursts.append([])
        bursts[-1].append(one)
    return bursts


def _has_begun(fault: Fault) -> bool:
    return any(ts is not None for ts in (fault.ts, fault.began_low, fault.began_high))


def _found(fault: Fault, controllers: Sequence[Controller], roles: Roles, predicate: str) -> Found:
    kind, node = BY_NAME[fault.kind], fault.broker_id
    title = f"{roles.named(node)} {predicate}" if predicate and node is not None else kind.title
    begins = [ts for ts in (fault.ts, fault.began_low, fault.began_high) if ts is not None]
    ends = [ts for ts in (fault.end_ts, fault.ended_high) if ts is not None]
    return Found(
        title or kind.name,
        fault.code,
        kind.explains,
        node,
        tuple(fault.peers or ()),
        min(begins),
        max(ends, default=None),
        unclean=bool(kind.stops & Stops.STORING),
        asked=kind.ordered_stop,
        led=any(_rules_at(tenure, node, min(begins), max(begins)) for tenure in controllers),
        votes=True if kind.name == "quorum_lost" else node in roles.voters if roles.voters else None,
        silences=kind.crash or kind.is_silent,
        latest=max(begins),
        is_undated=(kind.crash or fault.kind in _BY_FAILED_ATTEMPTS)
        and fault.began_low is None
        and fault.began_high is not None,
        partitions=frozenset(fault.partitions or ()) if fault.kind in REASSIGNED else frozenset(),
        offline=frozenset(fault.partitions or ()) if kind.explains == DIRECTORY else frozenset(),
    )


def _rules_at(tenure: Controller, node_id: int | None, low: datetime, high: datetime) -> bool:
    """Whether a node was the active controller at some time between `low` and `high`."""
    if node_id is None or tenure.controller_id != node_id:
        return False
    has_begun = tenure.start_ts is None or tenure.start_ts <= high
    return has_begun and (tenure.end_ts is None or tenure.end_ts >= low)
