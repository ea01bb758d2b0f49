"""The rebuilt history of a partition as the steps of KafkaReplication.tla that logs show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

Partition = tuple[str, int, int | None]
"""Topic, partition, and the life of the topic: one that is made again begins another (None in golden tables)."""


class Control(NamedTuple):
    """A state that the controller wrote: an election, a leader lost, an ISR shrunk or expanded."""

    ts: pd.Timestamp
    epoch: int
    partition_epoch: int | None
    leader: int
    isr: frozenset[int] | None
    line: str


class Start(NamedTuple):
    """BecomeLeader: the leader of an epoch starts at an offset."""

    ts: pd.Timestamp
    epoch: int
    leader: int
    offset: int
    line: str


class Cut(NamedTuple):
    """Truncate: a replica cuts its log from `log_end` (if known) to `offset`."""

    ts: pd.Timestamp
    replica: int
    log_end: int | None
    offset: int
    by_high_watermark: bool
    by_recovery: bool
    line: str


class Committed(NamedTuple):
    """AdvanceHighWatermark: at this time at least `low` was committed."""

    ts: pd.Timestamp
    low: int
    line: str


Step = Control | Start | Cut | Committed


@dataclass(frozen=True)
class History:
    """What logs show of a partition, and what bounds the silent actions: who ran when, and which losses are claimed."""

    steps: list[Step]
    replicas: frozenset[int]
    elected_from: Mapping[int, str]
    """How the leader of an epoch was chosen."""
    lost_in: frozenset[int]
    """Leader epochs in which the history itself names a loss of committed records, or cannot rule it out."""
    sessions: Mapping[int, list[tuple[pd.Timestamp, pd.Timestamp | None, str]]]


def histories(tables: Mapping[str, pd.DataFrame]) -> Iterator[tuple[Partition, History]]:
    """The history of each partition in the tables of a result, or in the golden tables of a trace."""
    steps: dict[Partition, list[Step]] = defaultdict(list)
    spans = dict(_by_partition(tables["isr_spans"]))
    epochs = dict(_by_partition(tables["leader_epochs"]))
    sessions = _sessions(tables.get("broker_sessions"))
    for key, rows in spans.items():
        steps[key] += [_control(row) for row in rows]
        known = {row.leader_epoch for row in rows}
        own = epochs.get(key, [])
        steps[key] += [
            _of_epoch(row) for row in own if row.leader_epoch not in known and None not in (row.leader_id, row.start_ts)
        ]
        steps[key] += [
            Start(row.start_ts, row.leader_epoch, row.leader_id, int(row.epoch_start_offset), _line(row))
            for row in own
            if None not in (row.start_ts, row.epoch_start_offset, row.leader_id) and row.leader_id >= 0
        ]
        began = min(row.start_ts for row in rows)
        later = [
            other[0].start_ts for name, other in spans.items() if name[:2] == key[:2] and other[0].start_ts > began
        ]
        offsets = _cuts(tables.get("truncations"), key) + _commits(tables.get("commit_bands"), key)
        ends = min(later, default=None)
        steps[key] += [step for step in offsets if step.ts >= began and (ends is None or step.ts < ends)]
        members = frozenset(b for row in rows for b in [*(row.replicas or ()), *(row.isr or ())])
        losses = [row for row in _of(tables.get("losses"), key) if row.verdict != "NO_LOSS_OBSERVED"]
        yield (
            key,
            History(
                sorted(_after_their_states(steps[key]), key=_order),
                members,
                {row.leader_epoch: row.elected_from for row in own if row.elected_from},
                frozenset(row.leader_epoch for row in losses),
                sessions,
            ),
        )


def _after_their_states(steps: list[Step]) -> Iterator[Step]:
    """A leader starts after the state that made it leader, whatever the clocks of the two files say."""
    written: dict[int, pd.Timestamp] = {}
    for step in steps:
        if isinstance(step, Control):
            written[step.epoch] = min(step.ts, written.get(step.epoch, step.ts))
    for step in steps:
        late = isinstance(step, Start) and step.epoch in written
        yield step._replace(ts=max(step.ts, written[step.epoch])) if late else step


def _order(step: Step) -> tuple[Any, ...]:
    """Epochs order what they can; the rest is in order of time, states before what replicas do in them."""
    return (step.ts, (Control, Start, Cut, Committed).index(type(step)), getattr(step, "epoch", 0))


def _control(row: Any) -> Control:
    isr = None if row.isr is None else frozenset(map(int, row.isr))
    leader = -1 if row.leader_id is None else row.leader_id
    return Control(row.start_ts, row.leader_epoch, row.partition_epoch, leader, isr, _line(row))


def _of_epoch(row: Any) -> Control:
    return Control(row.start_ts, row.leader_epoch, None, row.leader_id, None, _line(row))


def _cuts(frame: pd.DataFrame | None, key: Partition) -> list[Step]:
    return [
        Cut(
            *(row.ts, row.node_id, row.log_end_offset, row.truncation_offset),
            *(row.rule == "high_watermark", bool(row.by_recovery), _line(row)),
        )
        for row in _of(frame, key)
        if row.ts is not None
    ]


def _commits(frame: pd.DataFrame | None, key: Partition) -> list[Step]:
    return [
        Committed(row.start_ts, row.committed_low, _line(row))
        for row in _of(frame, key)
        if row.committed_low is not None
    ]


def _sessions(frame: pd.DataFrame | None) -> dict[int, list[tuple[pd.Timestamp, pd.Timestamp | None, str]]]:
    found: dict[int, list[tuple[pd.Timestamp, pd.Timestamp | None, str]]] = defaultdict(list)
    for row in _plain(frame):
        found[row.broker_id].append((row.start_ts, row.end_ts, row.ended_by or ""))
    return found


def _by_partition(frame: pd.DataFrame) -> Iterator[tuple[Partition, list[Any]]]:
    found: dict[Partition, list[Any]] = defaultdict(list)
    for row in _plain(frame):
        found[row.topic, row.partition, row.life].append(row)
    yield from found.items()


def _of(frame: pd.DataFrame | None, key: Partition) -> list[Any]:
    return [r for r in _plain(frame) if (r.topic, r.partition) == key[:2] and r.life in (None, key[2])]


def _line(row: Any) -> str:
    return str(row.evidence[0]) if row.evidence else ""


_COLUMNS = (
    *("topic", "partition", "life", "leader_epoch", "partition_epoch", "leader_id", "isr", "replicas", "node_id"),
    *("epoch_start_offset", "elected_from", "truncation_offset", "log_end_offset", "rule", "by_recovery", "verdict"),
    *("committed_low", "broker_id", "ended_by", "ts", "start_ts", "end_ts", "evidence"),
)
_LISTS, _WORDS = ("isr", "replicas", "evidence"), ("topic", "elected_from", "rule", "verdict", "ended_by")


def _plain(frame: pd.DataFrame | None) -> Iterator[Any]:
    """Rows with the columns that are read here: None for what is missing, lists as lists, times in UTC."""
    if frame is None:
        return
    row_type = NamedTuple("Row", [(name, Any) for name in _COLUMNS])  # type: ignore[misc]
    frame = frame.rename(columns={"low_evidence": "evidence"})
    for values in frame.reindex(columns=list(_COLUMNS)).itertuples(index=False, name=None):
        yield row_type(*map(_value, _COLUMNS, values))


def _value(name: str, value: Any) -> Any:
    if name in _LISTS:
        words = value.split() if isinstance(value, str) else value
        return None if words is None or isinstance(words, float) else [_number(word) for word in words]
    if value is None or value is pd.NaT or value == "" or (isinstance(value, float) and value != value):
        return None
    if name == "ts" or name.endswith("_ts"):
        stamp = pd.Timestamp(value)
        return stamp.tz_localize("UTC") if stamp.tz is None else stamp
    return value if name in _WORDS or isinstance(value, bool) else _number(value)


def _number(value: Any) -> Any:
    return int(value) if not isinstance(value, str) or value.lstrip("-").isdigit() else value
