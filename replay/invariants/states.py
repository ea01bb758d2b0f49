"""The states of a partition compared with each other, and the resulting ISRs: I1-I5, I7, I26, I28-I30."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from replay.facts.groups import by_key
from replay.facts.order import less, nulls_first
from replay.facts.times import first_known, known, millis
from replay.histories.cluster import UNCLEAN_ENDS
from replay.invariants.cluster import Known
from replay.invariants.shape import SLACK_MS, broken, first, number, shown
from replay.tables.invariants import Violation
from replay.tables.partitions import CommittedIsr, PartitionStateReport


@dataclass(frozen=True, slots=True)
class _State:
    """A reported partition state. `own`: the line itself contains the leader epoch (a leader's line about a commit does
    not); `recorded`: a record of the metadata log is among the reports.
    """

    report: PartitionStateReport
    event_id: str | None
    own: bool
    recorded: bool

    @property
    def is_led(self) -> bool:
        return self.report.leader_id is not None and self.report.leader_id >= 0

    @property
    def content(self) -> tuple[int | None, Sequence[int] | None, int | None]:
        """Its leader, its ISR, and its leader epoch if the line contains it."""
        return self.report.leader_id, self.report.isr, self.report.leader_epoch if self.own else None


def states_disagree(reports: Iterable[PartitionStateReport]) -> Iterator[Violation]:
    """I1-I5, I7, I26, and I29 if one of the two states is from the metadata log. `reports`: rows of
    `partition_state_reports` of one partition.
    """
    states = _reported_states(reports)
    in_epoch = _by_leader_epoch(states)
    before = _states_before(states)
    for state in states:
        yield from _leader_outside_isr(state)
        yield from _isr_is_no_set_of_replicas(state)
        yield from _elr_is_no_set_of_other_replicas(state)
        epoch = in_epoch[state.report.leader_epoch]
        if not epoch.is_of_one_topic:
            continue
        yield from _two_leaders_in_one_epoch(state, epoch)
        earlier = before.get(state.report.partition_epoch)
        if state.own and state.report.partition_epoch is not None and earlier is not None:
            yield from _leader_epoch_went_back(state.report, state.event_id, earlier)
            yield from _leader_epochs_outran_partition_epochs(state.report, state.event_id, earlier)
    yield from _two_contents_of_one_partition_epoch(states, in_epoch)


def _reported_states(reports: Iterable[PartitionStateReport]) -> list[_State]:
    grouped_states: dict[tuple[object, ...], list[PartitionStateReport]] = defaultdict(list)
    for report in reports:
        if report.witness is not None and report.witness != "intent":
            lists = [None if ids is None else tuple(ids) for ids in (report.isr, report.replicas, report.elr)]
            numbers = (report.topic_id, report.leader_epoch, report.partition_epoch, report.leader_id)
            grouped_states[(*numbers, *lists)].append(report)
    return [
        _State(
            same[0],
            min(same, key=lambda report: (report.ts is None, *nulls_first(report.ts, report.event_id))).event_id,
            any(report.witness != "commit" for report in same),
            any(report.witness == "record" for report in same),
        )
        for same in grouped_states.values()
    ]


@dataclass(frozen=True, slots=True)
class _Epoch:
    """A leader epoch: its leaders, the first of them with its line, and whether all lines have the same topic id."""

    leaders: Sequence[int]
    first_event: str | None
    is_of_one_topic: bool


def _by_leader_epoch(states: Iterable[_State]) -> Mapping[int | None, _Epoch]:
    epochs: dict[int | None, _Epoch] = {}
    for number_, same in by_key(states, lambda state: state.report.leader_epoch).items():
        led = sorted(
            ((state.report.leader_id, state.event_id) for state in same if state.is_led and state.own),
            key=lambda leader: nulls_first(*leader),
        )
        epochs[number_] = _Epoch(
            sorted({leader for leader, _ in led}),
            led[0][1] if led else None,
            len(set(known(state.report.topic_id for state in same))) <= 1,
        )
    return epochs


@dataclass(frozen=True, slots=True)
class _Before:
    """The highest leader epoch before a partition epoch, with its line."""

    leader_epoch: int
    partition_epoch: int
    event_id: str | None


def _states_before(states: Iterable[_State]) -> Mapping[int | None, _Before]:
    """For each partition epoch the state with the highest leader epoch before it, of lines that contain their leader
    epoch.
    """
    own = [state for state in states if state.own and state.report.partition_epoch is not None]
    by_epoch = by_key(own, lambda state: state.report.partition_epoch)
    before: dict[int | None, _Before] = {}
    highest: _Before | None = None
    for partition_epoch in sorted(by_epoch):
        if highest is not None:
            before[partition_epoch] = highest
        for state in by_epoch[partition_epoch]:
            candidate = _Before(state.report.leader_epoch, partition_epoch, state.event_id)
            if highest is None or _place(candidate) > _place(highest):
                highest = candidate
    return before


def _place(state: _Before) -> tuple[tuple[bool, object], ...]:
    return nulls_first(state.leader_epoch, state.partition_epoch, state.event_id)


def _two_leaders_in_one_epoch(state: _State, epoch: _Epoch) -> Iterator[Violation]:
    if state.is_led and state.own and len(epoch.leaders) > 1 and state.report.leader_id > epoch.leaders[0]:
        detail = f"leader epoch {state.report.leader_epoch} has the leaders {shown(epoch.leaders)}"
        yield broken("I1", detail, epoch.first_event, state.event_id)


def _leader_epoch_went_back(state: PartitionStateReport, event_id: str | None, earlier: _Before) -> Iterator[Violation]:
    if less(state.leader_epoch, earlier.leader_epoch):
        detail = (
            f"leader epoch {state.leader_epoch} at partition epoch {state.partition_epoch}, after leader epoch "
            f"{earlier.leader_epoch} at {earlier.partition_epoch}"
        )
        yield broken("I2", detail, earlier.event_id, event_id)


def _leader_epochs_outran_partition_epochs(
    state: PartitionStateReport, event_id: str | None, earlier: _Before
) -> Iterator[Violation]:
    if state.leader_epoch - earlier.leader_epoch > state.partition_epoch - earlier.partition_epoch:
        detail = (
            f"leader epoch {earlier.leader_epoch} -> {state.leader_epoch} while the partition epoch went "
            f"{earlier.partition_epoch} -> {state.partition_epoch}"
        )
        yield broken("I4", detail, earlier.event_id, event_id)


def _two_contents_of_one_partition_epoch(
    states: Iterable[_State], in_epoch: Mapping[int | None, _Epoch]
) -> Iterator[Violation]:
    """I29 if one of the two states is from the metadata log, otherwise I3."""
    grouped_states: dict[int, list[_State]] = defaultdict(list)
    for state in states:
        if state.report.partition_epoch is not None:
            grouped_states[state.report.partition_epoch].append(state)
    for partition_epoch, same in grouped_states.items():
        sides = sorted(same, key=lambda state: nulls_first(*state.content, state.event_id))
        differ = any(
            len({str(value) for value in known(values)}) > 1
            for values in zip(*(state.content for state in sides), strict=True)
        )
        if differ and any(in_epoch[state.report.leader_epoch].is_of_one_topic for state in same):
            contents = dict.fromkeys(
                f"leader epoch {number(epoch)}, leader {number(leader)}, ISR {shown(isr)}"
                for leader, isr, epoch in (state.content for state in sides)
            )
            yield broken(
                "I29" if any(state.recorded for state in same) else "I3",
                f"partition epoch {partition_epoch} has two contents: {'; '.join(contents)}",
                sides[0].event_id,
                sides[-1].event_id,
            )


def _leader_outside_isr(state: _State) -> Iterator[Violation]:
    report = state.report
    if state.is_led and report.isr and report.leader_id not in report.isr:
        detail = f"leader epoch {report.leader_epoch}: leader {report.leader_id}, ISR {shown(report.isr)}"
        yield broken("I5", f"{detail}; the leader is not in it", state.event_id)


def _isr_is_no_set_of_replicas(state: _State) -> Iterator[Violation]:
    report = state.report
    isr = report.isr
    if isr is None:
        return
    if report.replicas is not None and set(isr) - set(report.replicas):
        detail = f"ISR {shown(isr)} has brokers that are no replicas: assigned are {shown(report.replicas)}"
        yield broken("I7", detail, state.event_id)
    if len(isr) > len(set(isr)):
        yield broken("I7", f"ISR {shown(isr)} names a broker twice", state.event_id)
    if not isr and state.is_led and not report.elr:
        detail = f"leader {report.leader_id} has an empty ISR in leader epoch {report.leader_epoch}"
        yield broken("I7", detail, state.event_id)


def _elr_is_no_set_of_other_replicas(state: _State) -> Iterator[Violation]:
    report = state.report
    if report.elr is None:
        return
    if set(report.isr or ()) & set(report.elr):
        detail = f"ISR {shown(report.isr)} and ELR {shown(report.elr)} have a broker in common"
        yield broken("I26", detail, state.event_id)
    if report.replicas is not None and set(report.elr) - set(report.replicas):
        detail = f"ELR {shown(report.elr)} has brokers that are no replicas: assigned are {shown(report.replicas)}"
        yield broken("I26", detail, state.event_id)


def unclean_members(isrs: Sequence[CommittedIsr], cluster: Known) -> Iterator[Violation]:
    """I28: a broker that crashed, restarted without a clean-shutdown marker, and stayed in an ISR of several members
    that did not change meanwhile. `isrs`: rows of `committed_isrs` of one partition. Checks only states that are
    followed by the next partition epoch, so that no state in between can be missing.
    """
    in_order = sorted(isrs, key=lambda isr: nulls_first(isr.leader_epoch, isr.state_order, isr.start_ts))
    for isr, next_ in pairwise(in_order):
        if isr.isr is None or len(isr.isr) < 2 or next_.isr is None:
            continue
        if isr.partition_epoch is None or next_.partition_epoch != isr.partition_epoch + 1:
            continue
        if isr.start_ts is None or isr.end_ts is None:
            continue
        until_ts = isr.end_ts - timedelta(milliseconds=SLACK_MS)
        for node in sorted(set(isr.isr) & set(next_.isr)):
            for restart in cluster.cluster.restarts_within(node, isr.start_ts, until_ts):
                if restart.recovered_event is not None and restart.ended in UNCLEAN_ENDS:
                    detail = (
                        f"broker {node} died and came back without a clean stop, and stayed in ISR {shown(isr.isr)} "
                        f"(partition epochs {isr.partition_epoch} and {next_.partition_epoch})"
                    )
                    yield broken("I28", detail, first(isr.evidence), restart.recovered_event, first(next_.evidence))


def never_preferred(isrs: Iterable[CommittedIsr], cluster: Known) -> Iterator[Violation]:
    """I30: ISRs that contained the preferred replica for longer than the check interval plus a minute while another
    broker led.
    """
    if not cluster.is_rebalanced:
        return
    for isr in isrs:
        preferred = isr.replicas[0] if isr.replicas else None
        if isr.leader_id is None or isr.leader_id < 0 or preferred in (None, isr.leader_id):
            continue
        lasted = millis(first_known(isr.end_ts, cluster.last_ts), isr.start_ts)
        if preferred not in (isr.isr or ()) or lasted is None:
            continue
        if lasted > (cluster.rebalance_seconds + 60) * 1_000:
            detail = (
                f"broker {preferred}, the preferred replica, was in ISR {shown(isr.isr)} for {int(lasted / 1_000)} s "
                f"while broker {isr.leader_id} led"
            )
            yield broken("I30", detail, first(isr.evidence), verdict="unknown")
