"""The three timelines in plain Python, over rows: the reference for the queries of this package.

`explain` uses them, because a few pasted lines need no Spark. Each function has the name, the inputs and the result of
its query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from replay.facts.evidence import earliest
from replay.facts.groups import by_key
from replay.facts.order import less
from replay.facts.times import first_known, greatest, least, millis
from replay.partitions.isr_spans import PASSING_MS
from replay.partitions.observed_states import TRUST, best_known, first_stated
from replay.partitions.state_reports import LATE_WITNESSES
from replay.tables.offsets import HighWatermark, HighWatermarkStep
from replay.tables.partitions import IsrState, LaidIsr, PartitionStateReport, StatedLeaderEpoch
from replay.timelines.high_watermark_curves import ADOPTED, SET


def leader_epochs(partition_state_reports: Iterable[PartitionStateReport]) -> list[StatedLeaderEpoch]:
    """The leader epochs of all partitions, in order; the last of each stays open."""
    dated = (report for report in partition_state_reports if None not in (report.ts, report.leader_epoch))
    return [epoch for own in by_key(dated, _partition).values() for epoch in _epochs_of_partition(own)]


def _partition(row: Any) -> tuple[str, int, int]:
    """The key of one life of a partition."""
    return row.topic, row.life, row.partition


def _epochs_of_partition(reports: Sequence[PartitionStateReport]) -> list[StatedLeaderEpoch]:
    of_epochs = by_key(reports, lambda report: report.leader_epoch)
    numbers = sorted(of_epochs)
    epochs = [
        _epoch(of_epochs[number], of_epochs[then] if then is not None else ())
        for number, then in zip(numbers, [*numbers[1:], None], strict=True)
    ]
    return [epoch for epoch in epochs if epoch.leader_id is not None or epoch.epoch_start_offset is not None]


def _epoch(reports: Sequence[PartitionStateReport], following: Sequence[PartitionStateReport]) -> StatedLeaderEpoch:
    """One leader epoch, from all observations of it; it ends when the next one in any line begins."""
    first = reports[0]
    fresh = [(report.ts, report.epoch_start_offset) for report in reports if report.epoch_start_offset is not None]
    leader_ts, start_offset = min(fresh, default=(None, None))
    seen = any(report.born and report.witness not in LATE_WITNESSES for report in reports)
    return StatedLeaderEpoch(
        topic=first.topic,
        life=first.life,
        partition=first.partition,
        leader_epoch=first.leader_epoch,
        topic_id=greatest(*[report.topic_id for report in reports]),
        leader_id=best_known(reports, "leader_id"),
        epoch_start_offset=start_offset,
        leader_ts=leader_ts,
        start_ts=first_stated(reports),
        confidence="observed" if seen else "inferred",
        evidence=earliest((report.ts, report.event_id) for report in reports),
        end_ts=first_stated(following) if following else None,
        next_leader_epoch=following[0].leader_epoch if following else None,
        next_witness=min((one.witness for one in following), key=TRUST.__getitem__) if following else None,
    )


def isr_spans(isr_states: Iterable[IsrState]) -> list[LaidIsr]:
    """The ISRs of all partitions, one after the other."""
    of_partitions = by_key(isr_states, _partition).values()
    return [span for own in of_partitions for span in _laid_end_to_end(list(_changes(own)))]


def _changes(states: Iterable[IsrState]) -> Iterator[IsrState]:
    """The states whose leader epoch or ISR differs from the one before."""
    before: IsrState | None = None
    for state in _with_gaps(sorted(states, key=lambda state: state.place)):
        is_first = before is None or before.leader_epoch != state.leader_epoch
        is_other = is_first or before is None or before.isr != state.isr
        before = state
        if is_first and state.leader_id == -1:
            state = state.but(ts=least(state.ts, state.epoch_start_ts))
        if is_other:
            yield state


def _with_gaps(states: Sequence[IsrState]) -> Iterator[IsrState]:
    """The states, each with the number of unlogged states that follow it before the next ISR: it may have ended with
    the first of them.
    """
    unlogged = 0
    in_reverse: list[IsrState] = []
    for state, then in zip(reversed(states), (None, *reversed(states[1:]))):
        if then is not None:
            own, next_one = state.partition_epoch, then.partition_epoch
            is_other = then.isr != state.isr or then.leader_epoch != state.leader_epoch
            missing = 0 if own is None or next_one is None else max(next_one - own - 1, 0)
            unlogged = missing if is_other else unlogged + missing
        in_reverse.append(state.but(untold_after=unlogged or None))
    yield from reversed(in_reverse)


def _laid_end_to_end(changes: Sequence[IsrState]) -> Iterator[LaidIsr]:
    replicas: Sequence[int] | None = None
    for state, after in zip(changes, (*changes[1:], None), strict=False):
        replicas = first_known(state.replicas, replicas)
        reaches = first_known(state.reaches_epoch, state.leader_epoch)
        goes_on = after is not None and reaches is not None and after.leader_epoch <= reaches
        end_ts = after.ts if goes_on and after is not None else state.epoch_end_ts
        is_passing = state.leader_id == -1 and less(millis(end_ts, state.ts), PASSING_MS)
        is_inferred = state.confidence == "inferred"
        if not (is_passing and is_inferred) or state.is_kept:
            laid = {name: getattr(state, name) for name in LaidIsr._names}
            yield LaidIsr(**laid | {"start_ts": state.ts, "end_ts": end_ts, "replicas": replicas})


def high_watermark_curves(high_watermarks: Iterable[HighWatermark]) -> list[HighWatermarkStep]:
    """The steps of the high watermarks of all replicas."""
    lines = [row for row in high_watermarks if None not in (row.ts, row.leader_epoch, row.high_watermark)]
    lines.sort(key=lambda row: (row.ts, row.high_watermark, row.source, row.evidence))
    setters: dict[tuple[Any, ...], HighWatermark] = {}
    for row in sorted(lines, key=lambda row: (row.ts, row.node_id)):
        if row.source == SET:
            setters.setdefault((row.topic, row.partition, row.leader_epoch, row.high_watermark), row)
    of_replicas = by_key(lines, lambda row: (row.topic, row.partition, row.node_id, row.leader_epoch))
    return [step for own in of_replicas.values() for step in _ended(list(_steps(own, setters)))]


def _steps(
    lines: Sequence[HighWatermark], setters: Mapping[tuple[Any, ...], HighWatermark]
) -> Iterator[HighWatermarkStep]:
    """The lines of one replica in one leader epoch that show a higher value than all lines before."""
    reached: int | None = None
    for before, line in pairwise((None, *lines)):
        if line is None or (reached is not None and line.high_watermark <= reached):
            continue
        setter = setters.get((line.topic, line.partition, line.leader_epoch, line.high_watermark))
        if line.source not in ADOPTED or (setter is not None and setter.node_id == line.node_id):
            setter = None
        if setter is not None and setter.ts > line.ts:
            setter = None
        yield HighWatermarkStep(
            topic=line.topic,
            partition=line.partition,
            node_id=line.node_id,
            leader_epoch=line.leader_epoch,
            role=line.role,
            high_watermark=line.high_watermark,
            previous_high_watermark=reached,
            start_ts=line.ts,
            after_ts=before.ts if before is not None else None,
            leader_id=setter.node_id if setter is not None else None,
            set_ts=setter.ts if setter is not None else None,
            learned_ms=millis(line.ts, setter.ts) if setter is not None else None,
            source=line.source,
            evidence=line.evidence,
        )
        reached = line.high_watermark


def _ended(steps: Sequence[HighWatermarkStep]) -> Iterator[HighWatermarkStep]:
    """The steps, each until the next one."""
    for step, then in zip(steps, (*steps[1:], None), strict=False):
        yield step if then is None else step.but(end_ts=then.start_ts)
