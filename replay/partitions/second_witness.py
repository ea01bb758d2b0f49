"""Compares the partition states that the cluster itself stored with the nodes' logs: confirmed, refined, added or
contradicted, never averaged.

The dumped metadata log, or ZooKeeper, holds committed states, so it is the better witness of partition epochs and of
states that no broker lived to log. If both describe one state and disagree, one of them belongs to another cluster, or
metadata was rolled back (I3, I29).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import earliest
from replay.facts.groups import grouped
from replay.facts.times import greatest, least
from replay.tables.partitions import PartitionStateReport, WitnessedState

_RECORD = "record"
_KEPT = (_RECORD, "znode")
_NOT_COMMITTED = "intent"  # a change that a leader only announces may be refused
_METADATA_LOG, _ZOOKEEPER = "the metadata log", "ZooKeeper"


def second_witness(partition_state_reports: Sequence[PartitionStateReport]) -> list[WitnessedState]:
    """One row per committed state in the metadata log, ZooKeeper or the nodes' logs, with what the others show about
    it; none if there are only logs.

    A log line without a partition epoch is compared with all states of its leader epoch.
    """
    kept = grouped((one for one in partition_state_reports if one.witness in _KEPT), lambda report: report.life)
    logged = grouped(
        (one for one in partition_state_reports if one.witness not in (*_KEPT, _NOT_COMMITTED)),
        lambda report: report.life,
    )
    return [row for life in sorted(kept) for row in _of_life(kept[life], logged.get(life, ()))]


@dataclass(frozen=True)
class _Kept:
    """One state that the cluster stored, from all its records and znodes."""

    first: PartitionStateReport
    leader_id: int | None
    isr: list[int] | None
    topic_id: str | None
    ts: datetime | None
    evidence: list[str]
    kept_by: str


def _of_life(kept: Sequence[PartitionStateReport], logged: Sequence[PartitionStateReport]) -> Iterator[WitnessedState]:
    # A znode printed without its stat has no partition epoch: its ISR may be one of these.
    states = grouped(
        kept,
        lambda one: (
            one.leader_epoch,
            one.partition_epoch,
            tuple(one.isr) if one.partition_epoch is None and one.isr is not None else None,
        ),
    )
    of_epoch = grouped(logged, lambda report: report.leader_epoch)
    recorded = [_kept(own) for own in states.values()]
    for state in recorded:
        yield _held_against(state, of_epoch.get(state.first.leader_epoch, ()))
    yield from _of_logs_alone(recorded, of_epoch)


def _kept(reports: Sequence[PartitionStateReport]) -> _Kept:
    return _Kept(
        reports[0],
        greatest(*[report.leader_id for report in reports]),
        max((list(report.isr) for report in reports if report.isr is not None), default=None),
        greatest(*[report.topic_id for report in reports]),
        least(*[report.ts for report in reports]),
        earliest((report.ts, report.event_id) for report in reports),
        min(_METADATA_LOG if report.witness == _RECORD else _ZOOKEEPER for report in reports),
    )


def _held_against(state: _Kept, logged: Sequence[PartitionStateReport]) -> WitnessedState:
    """Compares a stored state with the log lines of its leader epoch."""
    against = [report for report in logged if _is_against(state, report)]
    agreeing = [report for report in logged if _is_same(state, report) and _agrees(state, report)]
    if against:
        verdict = "contradicted"
    elif any(report.isr is not None for report in agreeing):
        verdict = "confirmed"
    elif agreeing or any(_is_unnumbered(state, report) and _same_leader(state, report) for report in logged):
        verdict = "refined"
    else:
        verdict = "added"
    first = state.first
    return WitnessedState(
        topic=first.topic,
        topic_id=state.topic_id,
        partition=first.partition,
        leader_epoch=first.leader_epoch,
        partition_epoch=first.partition_epoch,
        leader_id=state.leader_id,
        isr=state.isr,
        ts=state.ts,
        verdict=verdict,
        told=_sentence(state, verdict, against),
        log_evidence=[] if verdict == "added" else earliest((report.ts, report.event_id) for report in logged),
        record_evidence=state.evidence,
    )


def _is_same(state: _Kept, report: PartitionStateReport) -> bool:
    """Whether a line describes exactly this state."""
    if state.first.partition_epoch is None:
        return report.isr is not None and report.isr == state.isr
    return bool(report.partition_epoch == state.first.partition_epoch)


def _is_unnumbered(state: _Kept, report: PartitionStateReport) -> bool:
    return report.partition_epoch is None or state.first.partition_epoch is None


def _same_leader(state: _Kept, report: PartitionStateReport) -> bool:
    return report.leader_id is None or state.leader_id is None or report.leader_id == state.leader_id


def _agrees(state: _Kept, report: PartitionStateReport) -> bool:
    same_isr = report.isr is None or state.isr is None or report.isr == state.isr
    return _same_leader(state, report) and same_isr


def _is_against(state: _Kept, report: PartitionStateReport) -> bool:
    """Whether a line contradicts the state: a leader epoch has one leader, and a line without a partition epoch can
    contradict no more than that.
    """
    if _is_same(state, report) and not _agrees(state, report):
        return True
    return _is_unnumbered(state, report) and not _same_leader(state, report)


def _sentence(state: _Kept, verdict: str, against: Sequence[PartitionStateReport]) -> str:
    """Both sides, as a sentence."""
    if verdict == "contradicted":
        others = sorted({_leader_and_isr(report.leader_id, report.isr) for report in against})
        return (
            f"{state.kept_by} says {_leader_and_isr(state.leader_id, state.isr)}; nodes' logs say {'; '.join(others)}"
        )
    if verdict == "confirmed":
        return f"logs and {state.kept_by.removeprefix('the ')} say the same"
    if verdict == "refined":
        return f"logs tell of the leader epoch; its partition epoch and ISR are told by {state.kept_by}"
    return "no log line tells of it"


def _leader_and_isr(leader: int | None, isr: Sequence[int] | None) -> str:
    named = [] if leader is None else [f"leader {leader}"]
    return ", ".join(named if isr is None else [*named, f"ISR {', '.join(map(str, isr))}"])


def _of_logs_alone(
    recorded: Sequence[_Kept], of_epoch: Mapping[int, Sequence[PartitionStateReport]]
) -> Iterator[WitnessedState]:
    """Leader epochs that only logs show: contradicted if the dump has older and newer ones of that partition, else
    beyond the dump.
    """
    epochs = {state.first.leader_epoch for state in recorded}
    first, last = min(epochs), max(epochs)
    kept_by = min(state.kept_by for state in recorded)
    for epoch in sorted(of_epoch.keys() - epochs):
        reports = of_epoch[epoch]
        # The metadata log is dumped completely between two offsets; of ZooKeeper only some states are available.
        is_within = first <= epoch <= last and kept_by == _METADATA_LOG
        yield WitnessedState(
            topic=reports[0].topic,
            partition=reports[0].partition,
            leader_epoch=epoch,
            partition_epoch=greatest(*[report.partition_epoch for report in reports]),
            leader_id=greatest(*[report.leader_id for report in reports]),
            ts=least(*[report.ts for report in reports]),
            verdict="contradicted" if is_within else "beyond_dump",
            told=_reach(kept_by, first, last, is_within=is_within),
            log_evidence=earliest((report.ts, report.event_id) for report in reports),
            record_evidence=[],
        )


def _reach(kept_by: str, first: int, last: int, *, is_within: bool) -> str:
    """The range of the stored states, as a sentence."""
    if is_within:
        return f"the metadata log goes from leader epoch {first} to {last} of this partition without this one"
    if kept_by == _ZOOKEEPER:
        return f"ZooKeeper's state is here for other leader epochs of this partition, from {first} to {last}"
    return f"the dump reaches from leader epoch {first} to {last} of this partition"
