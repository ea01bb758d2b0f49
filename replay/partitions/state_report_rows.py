"""Lines -> the partition states in them, in plain Python: the same rows as `replay.partitions.state_reports`, which
Spark's windows make, for a run without Spark.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from replay.facts.groups import by_key
from replay.facts.lines import detail
from replay.facts.order import less
from replay.facts.reads import reads_each
from replay.facts.releases import version_number
from replay.facts.sessions import SESSION_ENDED
from replay.facts.times import CLOCKS_AT_MOST_MS, millis, unix_millis
from replay.partitions.fetchers import FETCHES
from replay.partitions.isr_spans import ISR_ANSWERS, ISR_COMMITTED, ISR_INTENTS, ISR_REFUSED
from replay.partitions.state_reports import (
    BEGINS,
    BROKER_FAILED,
    CHANGES,
    DEALT_WITH_MS,
    DECISIONS,
    FETCH_STATE,
    FETCHED_EPOCH,
    FOLLOWERS,
    FROM_OUTSIDE_ISR,
    ISR_STORED,
    LEADERS,
    LOGGED_WITHIN_MS,
    OF_LINES,
    REPLAYED_CREATIONS,
    REPLAYED_MS,
    STATED,
    TAKES_ROLE,
)
from replay.tables.brokers import NodeRelease
from replay.tables.partitions import PARTITION_STATE_REPORTS, KeptState, PartitionStateReport, TopicLife
from replay.tables.reading import Event, Fact

_NEVER = -(2**62)  # the place of a line without a time
_BEFORE_2_4 = version_number("2.4.0")
_FETCHED = re.compile(FETCH_STATE, re.ASCII)
_EPOCH_FETCHED = re.compile(FETCHED_EPOCH, re.ASCII)
_COLUMNS = PARTITION_STATE_REPORTS.schema.names
_NAME = re.compile(r"^(\S+) -> ", re.ASCII)


@dataclass
class _Line:
    """A line with what Spark's windows give it."""

    event: Event
    topic: str | None
    leads_in: int | None = None
    role_ts: datetime | None = None
    answer: _Line | None = None
    is_first: bool = False
    replayed_ts: datetime | None = None
    before_2_4: bool = False
    decided: Event | None = None
    by_leader: bool = False


@dataclass(frozen=True)
class _OfBrokers:
    """What lines about brokers state: which sessions ended, and which failures a controller was handling."""

    fenced: Sequence[tuple[int | None, datetime | None]]
    failed: Sequence[tuple[datetime | None, int | None, list[int | None] | None]]


@reads_each(BROKER_FAILED, *SESSION_ENDED)
def partition_state_reports(
    events: Sequence[Event],
    kafka_events: Any,
    topic_lives: Iterable[TopicLife],
    releases: Iterable[NodeRelease],
    facts: Iterable[Fact],
    kept_states: Iterable[KeptState],
    kinds: frozenset[str],
) -> list[PartitionStateReport]:
    """One row for each state of a partition that a line names. Returns `PARTITION_STATE_REPORTS`.

    `kafka_events`: which events count, those of Kafka before the end of the window.
    """
    own = [one for one in events if kafka_events.keeps(one)]
    of_brokers = _OfBrokers(
        [(one.broker_id, one.ts) for one in facts if one.kind in SESSION_ENDED],
        [(one.ts, one.node_id, _brokers(one, "dead_brokers")) for one in facts if one.kind == BROKER_FAILED],
    )
    lines = _placed([one for one in own if one.kind in OF_LINES], own, releases, kinds)
    stated = [state for line in lines for state in _states_of(line, kinds, of_brokers)]
    stated += [PartitionStateReport(**{name: getattr(kept, name) for name in _COLUMNS}) for kept in kept_states]
    lives = {life.topic: life.boundaries or () for life in topic_lives}
    return _current([_with_life(one, lives) for one in stated], kinds)


def _with_life(report: PartitionStateReport, lives: Mapping[str, Sequence[datetime]]) -> PartitionStateReport:
    boundaries = lives.get(report.topic, ())
    life = sum(report.ts is None or border <= report.ts for border in boundaries)
    isr = report.isr
    sorted_isr = None if isr is None else sorted(isr, key=lambda one: (one is None, one or 0))
    return report.but(life=life, isr=sorted_isr)


# --- A line among the others of its node and partition


def _placed(
    lines: Sequence[Event], events: Iterable[Event], releases: Iterable[NodeRelease], kinds: frozenset[str]
) -> list[_Line]:
    """The lines with their context."""
    names: dict[str, str] = {}
    for one in events if kinds.intersection(FROM_OUTSIDE_ISR) else ():
        if one.topic_id is not None and one.topic is not None:
            names[one.topic_id] = min(names.get(one.topic_id, one.topic), one.topic)
    placed = [_Line(one, names.get(one.topic_id) if one.kind in FROM_OUTSIDE_ISR else one.topic) for one in lines]
    keyed = by_key(placed, lambda line: (line.event.node_id, line.topic, line.event.partition))
    of_nodes = [sorted(own, key=_in_file) for own in keyed.values()]
    if kinds.intersection(ISR_COMMITTED):
        version = {one.node_id: one.version_high for one in releases if one.node_id is not None}
        for own in of_nodes:
            _give_roles(own)
            _give_answers(own)
        for line in placed:
            high = version.get(line.event.node_id)
            line.before_2_4 = high is not None and high < _BEFORE_2_4
    if ISR_STORED in kinds:
        updated = {_numbered(line) for line in placed if line.event.kind == "isr_updated"}
        for own in of_nodes:
            _give_decisions(own)
        for line in placed:
            line.by_leader = _numbered(line) in updated
    return _without_replayed_creations(placed, of_nodes) if kinds.intersection(REPLAYED_CREATIONS) else placed


def _in_file(line: _Line) -> tuple[bool, float, bool, int]:
    ts, number = line.event.ts, line.event.line_number
    return ts is not None, ts.timestamp() if ts is not None else 0.0, number is not None, number or 0


def _takes_role(event: Event) -> bool:
    return event.kind in TAKES_ROLE and event.leader_epoch is not None


def _give_roles(own: Iterable[_Line]) -> None:
    """The leader epoch in which the node leads, by its last role in the partition, and when it took that role."""
    leads_in, role_ts = None, None
    for line in own:
        event = line.event
        if _takes_role(event):
            leads = event.kind in LEADERS or (event.leader_id is not None and event.leader_id == event.node_id)
            leads_in, role_ts = event.leader_epoch if leads else None, event.ts
        line.leads_in, line.role_ts = leads_in, role_ts


def _numbered(line: _Line) -> tuple[str | None, int | None, int | None]:
    return line.topic, line.event.partition, line.event.partition_epoch


def _give_decisions(own: Iterable[_Line]) -> None:
    """The last leader that the node decided on for the partition, as its controller."""
    decided: Event | None = None
    for line in own:
        if line.event.kind in DECISIONS and line.event.leader_epoch is not None:
            decided = line.event
        line.decided = decided


def _give_answers(own: Sequence[_Line]) -> None:
    """The node's next line about a change of the ISR, and whether no earlier line shows the ISR of the leader epoch."""
    answer: _Line | None = None
    for line in reversed(own):
        line.answer = answer
        answer = line if line.event.kind in ISR_ANSWERS else answer
    with_isr: int | None = None
    for line in own:
        line.is_first = with_isr != line.leads_in
        if line.event.isr is not None:
            epoch = line.event.leader_epoch if _takes_role(line.event) else None
            epoch = line.leads_in if epoch is None and line.event.kind in ISR_ANSWERS else epoch
            with_isr = epoch if epoch is not None else with_isr


def _without_replayed_creations(placed: Sequence[_Line], of_nodes: Iterable[Sequence[_Line]]) -> list[_Line]:
    """The lines without repeated creations of partitions that existed before; each with the last repeated one."""
    repeated: set[int] = set()
    by_followers: dict[tuple[str | None, int | None], tuple[int, int]] = {}  # their lines have no topic id
    for line in placed:
        one, state = line.event, (line.event.leader_epoch, line.event.partition_epoch)
        if one.topic_id is None and None not in state and one.kind in BEGINS and _is_stated(line):
            by_followers[line.topic, one.partition] = min(state, by_followers.get((line.topic, one.partition), state))
    keyed = by_key(
        placed,
        lambda line: (line.event.topic_id if line.event.topic_id is not None else line.topic, line.event.partition),
    )
    for own in keyed.values():
        stated = [line for line in own if _is_stated(line)]
        first_ts = min((line.event.ts for line in stated if line.event.ts is not None), default=None)
        taken = min((line.event.leader_epoch for line in stated if line.event.kind in BEGINS), default=None)
        for line in own:
            if line.event.kind in REPLAYED_CREATIONS:
                late = millis(line.event.ts, first_ts)
                followed = by_followers.get((line.topic, line.event.partition))
                state = (line.event.leader_epoch, line.event.partition_epoch)
                is_taken = (taken is not None and taken == line.event.leader_epoch) or followed == state
                if (late is not None and late > LOGGED_WITHIN_MS) or not is_taken:
                    repeated.add(id(line))
    for of_node in of_nodes:
        replayed = None
        for line in of_node:
            if id(line) in repeated and line.event.ts is not None:
                replayed = line.event.ts
            line.replayed_ts = replayed
    return [line for line in placed if id(line) not in repeated]


# --- What one line states


def _states_of(line: _Line, kinds: frozenset[str], of_brokers: _OfBrokers) -> Iterator[PartitionStateReport]:
    """The states in a line."""
    for of_kinds, state in _MAKERS:
        if kinds.intersection(of_kinds):
            made = state(line, of_brokers)
            if made is not None:
                yield made
    if line.event.kind == FETCHES:
        yield from _fetched(line)


def _state(line: _Line, **named: Any) -> PartitionStateReport:
    """A state in a line; columns that it does not name are None, and those about the line itself are the line's own."""
    one = line.event
    own = {"topic": line.topic, "topic_id": one.topic_id, "partition": one.partition, "ts": one.ts}
    return PartitionStateReport(**{**own, "event_id": one.event_id, "node_id": one.node_id, "kind": one.kind, **named})


def _brokers(event: Event, name: str) -> list[int | None] | None:
    """The broker ids in a detail, `1, 2`; none for an empty one; None without such a detail."""
    text = detail(event, name)
    if text is None:
        return None
    listed = text.replace(" ", "")
    return [_int(one) for one in listed.split(",")] if listed else []


def _int(text: str | None) -> int | None:
    """The number in a text, if a column of 32 bits holds it."""
    if text is None or not re.fullmatch(r"\s*[+-]?[0-9]{1,30}\s*", text):
        return None
    number = int(text)
    return number if -(2**31) <= number < 2**31 else None


def _is_stated(line: _Line) -> bool:
    """Whether a line contains its leader epoch."""
    one = line.event
    has_epoch = one.leader_epoch is not None and one.leader_epoch >= 0
    # A leader of -2: the topic is being deleted.
    return (
        one.kind in STATED and line.topic is not None and has_epoch and (one.leader_id is None or one.leader_id >= -1)
    )


def _previous_epoch(event: Event) -> int | None:
    return _int(detail(event, "previous_leader_epoch"))


def _follows(event: Event) -> bool | None:
    """Whether a broker takes on a role in a later leader epoch than its previous one; None if the line lacks that one."""
    if event.kind not in BEGINS:
        return False
    previous = _previous_epoch(event)
    return None if previous is None else previous >= 0 and previous < event.leader_epoch


def _witness(kind: str | None) -> str:
    if kind in DECISIONS:
        return "decision"
    if kind in LEADERS:
        return "leader"
    if kind in FOLLOWERS:
        return "follower"
    return "commit" if kind == ISR_STORED else "request"


def _is_recovering(event: Event) -> bool | None:
    state = detail(event, "leader_recovery_state")
    return None if state is None else state == "RECOVERING"


def _stated(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    if not _is_stated(line):
        return None
    one = line.event
    is_new = one.leader_epoch == 0 and not one.partition_epoch and not one.epoch_start_offset
    begins = one.kind in DECISIONS or (one.kind in BEGINS and is_new)
    return _state(
        line,
        leader_epoch=one.leader_epoch,
        partition_epoch=one.partition_epoch,
        leader_id=one.leader_id,
        isr=one.isr,
        replicas=one.replicas,
        elr=_brokers(one, "elr"),
        last_known_elr=_brokers(one, "last_known_elr"),
        recovering=_is_recovering(one),
        epoch_start_offset=one.epoch_start_offset if one.kind == "leader_start" else None,
        witness=_witness(one.kind),
        born=begins or _follows(one),
    )


def _led_before(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    """The previous leader, which a leader also logs from 3.6 on."""
    one, led = line.event, _int(detail(line.event, "previous_leader"))
    if one.kind != "leader_start" or led is None or not _is_stated(line) or not _follows(one):
        return None
    return _state(line, leader_epoch=_previous_epoch(one), leader_id=led, witness="request", born=False)


def _offline_before(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    """The leader before an election out of `OfflinePartition`: the one broker whose failure the controller was
    handling.
    """
    one = line.event
    elected = (
        one.kind == "partition_state_online_with_leader"
        and detail(one, "from_state") == "OfflinePartition"
        and (one.leader_epoch or 0) > 0
        and one.leader_id is not None
        and one.leader_id >= 0
        and line.topic is not None
    )
    if not elected or one.ts is None:
        return None
    within = timedelta(milliseconds=DEALT_WITH_MS)
    dealt_with = [
        (ts, node, brokers)
        for ts, node, brokers in of_brokers.failed
        if node == one.node_id and node is not None and ts is not None and ts <= one.ts <= ts + within
    ]
    dead = (
        max(dealt_with, key=lambda failed: (failed[0], [(one is not None, one or 0) for one in failed[2] or []]))[2]
        if dealt_with
        else None
    )
    if dead is None or len(dead) != 1 or dead[0] is None or dead[0] == one.leader_id:
        return None
    return _state(line, leader_epoch=one.leader_epoch - 1, leader_id=dead[0], witness="request", born=False)


def _is_change(line: _Line) -> bool:
    """Whether it is a change that a KRaft controller logs as it happens, not a repetition at its start."""
    one, since = line.event, millis(line.event.ts, line.replayed_ts)
    replayed = since is not None and since <= REPLAYED_MS
    return one.kind in CHANGES and line.topic is not None and one.leader_epoch is not None and not replayed


def _names_isr(event: Event) -> bool:
    return "isr: [" in (event.message or "")


def _changed_to(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    """The state after a change."""
    if not _is_change(line):
        return None
    one = line.event
    return _state(
        line,
        leader_epoch=one.leader_epoch,
        partition_epoch=one.partition_epoch,
        leader_id=one.leader_id,
        isr=(one.isr or []) if _names_isr(one) else None,
        recovering=_is_recovering(one),
        witness="decision",
        born=True,
    )


def _changed_from(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    """The state before a change."""
    if not _is_change(line):
        return None
    one = line.event
    isr, leader = _brokers(one, "previous_isr") or [], _int(detail(one, "previous_leader"))
    elr = None if isr else _brokers(one, "previous_elr") or []
    known = _brokers(one, "previous_last_known_elr")
    last = isr[0] if len(isr) == 1 else _first_of(_get(known), _get(elr), one.leader_id)
    names_isr = _names_isr(one)
    return _state(
        line,
        leader_epoch=_previous_epoch(one),
        partition_epoch=_int(detail(one, "previous_partition_epoch")),
        leader_id=leader,
        isr=isr if names_isr else None,
        elr=elr if names_isr else None,
        last_known_elr=known,
        ts=_lost_ts(one, leader, last, of_brokers),
        witness="decision",
        born=False,
    )


def _get(brokers: Sequence[int | None] | None) -> int | None:
    return brokers[0] if brokers else None


def _first_of(*ids: int | None) -> int | None:
    return next((one for one in ids if one is not None), None)


def _lost_ts(event: Event, leader: int | None, last: int | None, of_brokers: _OfBrokers) -> datetime | None:
    """When a state began that is logged at its end: one without a leader began when broker `last` was fenced."""
    if leader != -1 or event.ts is None or last is None:
        return event.ts
    fenced = [ts for broker, ts in of_brokers.fenced if broker == last and ts is not None and ts <= event.ts]
    return max(fenced, default=event.ts)


def _is_elected_from_outside(line: _Line) -> bool:
    one = line.event
    return one.kind in FROM_OUTSIDE_ISR and line.topic is not None and one.leader_epoch is not None


def _elected_from(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    """The complete state before an election from the ELR, or from outside ISR and ELR."""
    if not _is_elected_from_outside(line):
        return None
    one = line.event
    elr, known = _brokers(one, "elr"), _brokers(one, "last_known_elr")
    return _state(
        line,
        leader_epoch=one.leader_epoch,
        partition_epoch=one.partition_epoch,
        leader_id=one.leader_id,
        isr=one.isr or [],
        replicas=one.replicas,
        elr=elr,
        last_known_elr=known,
        ts=_lost_ts(one, one.leader_id, _first_of(_get(known), _get(elr)), of_brokers),
        witness="decision",
        born=False,
    )


def _elected(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    """The state after it: the new leader is the only member of the ISR."""
    if not _is_elected_from_outside(line):
        return None
    one = line.event
    leader = _int(detail(one, "election_result_node"))
    return _state(
        line,
        leader_epoch=one.leader_epoch + 1,
        partition_epoch=None if one.partition_epoch is None else one.partition_epoch + 1,
        leader_id=leader,
        isr=[leader],
        replicas=one.replicas,
        recovering=one.kind == "kraft_leader_selected_unclean",
        witness="decision",
        born=True,
    )


def _changed_isr(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    """An ISR that was committed; before 2.4, one that was announced and not refused."""
    one, answer = line.event, line.answer
    if one.kind not in ISR_COMMITTED or line.leads_in is None:
        return None
    is_commit = one.kind == "isr_updated"
    if not is_commit and (not line.before_2_4 or (answer is not None and _refuses(line, answer))):
        return None
    return _state(
        line,
        leader_epoch=line.leads_in,
        partition_epoch=one.partition_epoch,
        leader_id=one.node_id,
        isr=one.isr,
        witness="commit" if is_commit else "intent",
        born=False,
    )


def _stored_isr(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    """An ISR that a ZooKeeper controller stored for the leader that it decided on last, whose own line about it is missing."""
    one, decided = line.event, line.decided
    if one.kind != ISR_STORED or line.topic is None or one.leader_epoch is not None or decided is None:
        return None
    if line.by_leader or not less(decided.partition_epoch, one.partition_epoch):
        return None
    return _state(
        line,
        leader_epoch=decided.leader_epoch,
        partition_epoch=one.partition_epoch,
        leader_id=decided.leader_id,
        isr=one.isr,
        witness="commit",
        born=False,
    )


def _refuses(line: _Line, answer: _Line) -> bool:
    """Whether the next line shows that an announced change was not committed."""
    if answer.event.kind in ISR_REFUSED:
        return True
    was, now = detail(answer.event, "old_isr"), detail(line.event, "old_isr")
    return answer.event.kind in ISR_INTENTS and was is not None and was == now and answer.leads_in == line.leads_in


def _first_isr(line: _Line, of_brokers: _OfBrokers) -> PartitionStateReport | None:
    """The ISR at the start of a leader's term, which the first change in a leader epoch shows."""
    one, answer = line.event, line.answer
    was = _brokers(one, "old_isr")
    if one.kind not in ISR_INTENTS or line.leads_in is None or not line.is_first or was is None:
        return None
    is_answered = answer is not None and answer.event.kind == "isr_updated"
    epoch = answer.event.partition_epoch if answer is not None and is_answered else None
    return _state(
        line,
        leader_epoch=line.leads_in,
        partition_epoch=None if epoch is None else epoch - 1,
        leader_id=one.node_id,
        isr=was,
        ts=line.role_ts,
        witness="commit",
        born=False,
    )


def _fetched(line: _Line) -> Iterator[PartitionStateReport]:
    """The leaders from which a follower began to fetch, with their leader epochs."""
    text = detail(line.event, "initial_fetch_states")
    if line.event.leader_id is None or text is None:
        return
    for found in _FETCHED.finditer(text):
        name, epoch = _NAME.match(found[0]), _EPOCH_FETCHED.search(found[0])
        leader_epoch = _int(epoch[1]) if epoch is not None else None
        if name is None or leader_epoch is None:
            continue
        topic, _, partition = name[1].rpartition("-")
        yield _state(
            line,
            topic=topic,
            topic_id=None,
            partition=_int(partition),
            leader_epoch=leader_epoch,
            leader_id=line.event.leader_id,
            witness="follower",
            born=False,
        )


_Maker = Callable[[_Line, _OfBrokers], PartitionStateReport | None]
_MAKERS: tuple[tuple[Collection[str], _Maker], ...] = (
    (STATED, _stated),
    (("leader_start",), _led_before),
    ((BROKER_FAILED,), _offline_before),
    (CHANGES, _changed_to),
    (CHANGES, _changed_from),
    (FROM_OUTSIDE_ISR, _elected_from),
    (FROM_OUTSIDE_ISR, _elected),
    (ISR_COMMITTED, _changed_isr),
    ((ISR_STORED,), _stored_isr),
    (ISR_INTENTS, _first_isr),
)


# --- A state among all lines about its partition


def _current(stated: Sequence[PartitionStateReport], kinds: frozenset[str]) -> list[PartitionStateReport]:
    """The states without those that were outdated when they were logged, with their visits."""
    reports: list[PartitionStateReport] = []
    for own in by_key(stated, lambda one: (one.topic, one.life, one.partition)).values():
        if kinds.intersection(ISR_COMMITTED):
            own = _with_visits(_without_outdated(own))
        reports += own
    return reports


def _without_outdated(own: Sequence[PartitionStateReport]) -> list[PartitionStateReport]:
    """Without commits whose leader epoch is taken from earlier lines, if a later one had begun by then."""
    numbered = _Highest((one.partition_epoch, one.leader_epoch) for one in own if one.partition_epoch is not None)
    dated = _Highest((_NEVER if one.ts is None else unix_millis(one.ts), one.leader_epoch) for one in own)

    def begun(one: PartitionStateReport) -> int:
        of_number = -1 if one.partition_epoch is None else numbered.up_to(one.partition_epoch)
        return max(of_number, dated.up_to(_NEVER if one.ts is None else unix_millis(one.ts) - CLOCKS_AT_MOST_MS))

    def is_outdated(one: PartitionStateReport) -> bool:
        if one.witness not in ("commit", "intent") or one.leader_epoch is None:
            return False
        return begun(one) > one.leader_epoch

    return [one for one in own if not is_outdated(one)]


class _Highest:
    """The highest leader epoch up to a place."""

    def __init__(self, epochs: Iterable[tuple[int, int | None]]) -> None:
        in_order = sorted((place, epoch) for place, epoch in epochs if epoch is not None)
        self._places = [place for place, _ in in_order]
        self._highest = list(accumulate((epoch for _, epoch in in_order), max))

    def up_to(self, place: int) -> int:
        """The highest one at this place or before it; -1 without one."""
        count = bisect_right(self._places, place)
        return self._highest[count - 1] if count else -1


def _with_visits(own: Sequence[PartitionStateReport]) -> list[PartitionStateReport]:
    """With the number of the time at which a leader before 2.4 announces this ISR."""
    announced: dict[int | None, list[PartitionStateReport]] = defaultdict(list)
    for one in own:
        if one.witness == "intent":
            announced[one.leader_epoch].append(one)
    visits: dict[int, int] = {}
    for intents in announced.values():
        in_order = sorted(intents, key=lambda one: (one.ts is not None, one.ts and unix_millis(one.ts), one.event_id))
        count, last = 0, None
        for one in in_order:
            count += last != one.isr
            visits[id(one)], last = count, one.isr
    return [one.but(visit=visits.get(id(one))) for one in own]
