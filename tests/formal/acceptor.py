"""Whether a rebuilt history is one that KafkaReplication.tla allows; else the step that no behaviour explains.

What logs do not show (writes, fetches, moves of the high watermark, crashes) are silent actions. The acceptor keeps all
states that they can lead to at once: of each replica the interval in which its log can end. A step is explained if an
enabled action of its kind leaves no interval empty. Silent actions are bounded by what is known:

- a replica fetches only while its broker runs, and only from a leader of an epoch that it can know;
- only a replica whose broker stopped unclean, or whose stop nobody saw, can lose a tail (LoseTail);
- steps of different files are in order only if they are five seconds apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from tests.formal.history import Committed, Control, Cut, History, Start, Step

_APART = pd.Timedelta(seconds=5)
_UNCLEAN = ("any_replica", "last_known_leader")


class Verdict(NamedTuple):
    """How many steps are explained; the first that is not: its action, the guard that fails, its line; or why none is known."""

    explained: int
    rejected: str | None = None
    line: str | None = None
    undecided: str | None = None


class _Unexplained(Exception):
    """No behaviour has this step."""


@dataclass
class _Ends:
    """Where a replica's log can end."""

    low: float = 0
    high: float = 0


@dataclass
class _Known:
    """All states of the module that agree with the steps so far."""

    history: History
    epoch: int = -1
    partition_epoch: int = -1
    leader: int = -1
    isr: frozenset[int] | None = None
    since: pd.Timestamp | None = None
    committed: int = 0
    ends: dict[int, _Ends] = field(default_factory=dict)


def accept(history: History) -> Verdict:
    """Holds the steps of a history against the module, one after the other."""
    first = next((step for step in history.steps if isinstance(step, Control)), None)
    known = _begin(history, empty=first is not None and is_first(first))
    for explained, step in enumerate(history.steps):
        if isinstance(step, Control) and is_first(step):
            known = _begin(history, empty=True)  # the topic is made, or made again under its name
        try:
            _take(known, step)
        except _Unexplained as why:
            return Verdict(explained, f"{action(step)} at {step.ts:%H:%M:%S.%f}: {why}", step.line or None)
    return Verdict(len(history.steps))


def is_first(step: Control) -> bool:
    """Whether the state is that of a new topic."""
    return step.epoch == 0 and step.partition_epoch == 0


def _begin(history: History, empty: bool) -> _Known:
    """What is known at the begin: logs are empty, or of any length where the logs of brokers begin later."""
    return _Known(history, ends={r: _Ends(0, 0 if empty else math.inf) for r in history.replicas})


def from_outside_isr(elected_from: str | None) -> bool:
    """Whether an election was unclean, or from the eligible leader replicas (KIP-966)."""
    return elected_from in (*_UNCLEAN, "elr")


def action(step: Step) -> str:
    """The action of the module that a step is."""
    if isinstance(step, Control):
        return f"state with leader epoch {step.epoch}, leader {step.leader}, ISR {_ids(step.isr)}"
    if isinstance(step, Start):
        return f"BecomeLeader({step.leader}) in epoch {step.epoch} from {step.offset}"
    if isinstance(step, Cut):
        return f"Truncate({step.replica}) to {step.offset}"
    return f"AdvanceHighWatermark to {step.low}"


def _take(known: _Known, step: Step) -> None:
    if isinstance(step, Control):
        _control(known, step)
    elif isinstance(step, Start):
        _start(known, step)
    elif isinstance(step, Cut):
        _cut(known, step)
    else:
        _commit(known, step)


def _control(known: _Known, step: Control) -> None:
    """ElectClean, ElectUnclean, LoseLeader, ShrinkIsr, ExpandIsr; or several at once where partition epochs are missing."""
    before = known.isr
    if step.epoch < known.epoch:
        raise _Unexplained(f"Controller raises the leader epoch, and it was {known.epoch} before")
    if step.partition_epoch is not None and step.partition_epoch < known.partition_epoch:
        raise _Unexplained(f"the partition epoch was {known.partition_epoch} before")
    if step.epoch == known.epoch and step.leader not in (known.leader, -1) and known.leader != -1:
        raise _Unexplained(f"OneLeaderPerEpoch: {known.leader} leads in leader epoch {step.epoch}")
    between = step.partition_epoch is None or step.partition_epoch > known.partition_epoch + 1
    if step.epoch > known.epoch and step.leader >= 0 and before is not None and not between:
        _elected(known, step, before)
    if step.isr is not None and step.leader >= 0 and before is not None:
        for member in step.isr - before:
            _expands(known, step, member)
    if step.epoch > known.epoch:
        _leave(known, step)
    known.epoch, known.leader = step.epoch, step.leader
    known.partition_epoch = known.partition_epoch if step.partition_epoch is None else step.partition_epoch
    known.isr = step.isr if step.isr is not None else None


def _elected(known: _Known, step: Control, before: frozenset[int]) -> None:
    if step.leader not in known.history.replicas:
        raise _Unexplained(f"broker {step.leader} is no replica")
    how = known.history.elected_from.get(step.epoch)
    if step.leader not in before and not from_outside_isr(how):
        raise _Unexplained(
            f"ElectClean: broker {step.leader} is not in the ISR {_ids(before)}, and ElectUnclean is not named"
        )


def _expands(known: _Known, step: Control, member: int) -> None:
    """ExpandIsr: the member runs, and has fetched from the leader in this epoch."""
    if member == step.leader:
        return  # an unclean election, or the last known leader
    if member not in known.history.replicas:
        raise _Unexplained(f"ExpandIsr({member}): broker {member} is no replica")
    since = known.since if step.epoch == known.epoch and known.since is not None else step.ts
    if not ran(known.history, member, since, step.ts):
        raise _Unexplained(
            f"ExpandIsr({member}): broker {member} joins the ISR and never fetched in leader epoch {step.epoch}: it did not run"
        )
    ends = known.ends.setdefault(member, _Ends())
    ends.high = math.inf
    ends.low = max(ends.low, known.committed) if not known.history.lost_in else ends.low


def _leave(known: _Known, step: Control) -> None:
    """A new leader epoch: logs of those that ran have grown by what nobody logged."""
    for replica, ends in known.ends.items():
        if known.since is None or ran(known.history, replica, known.since, step.ts):
            ends.high = math.inf if known.since is not None else ends.high
        if _may_have_lost(known.history, replica, step.ts):
            ends.low = 0
    known.since = step.ts


def _start(known: _Known, step: Start) -> None:
    """BecomeLeader: the log ends there; CommittedInLeader, if the election was clean and no tail was lost."""
    history, ends = known.history, known.ends.setdefault(step.leader, _Ends(0, math.inf))
    if step.epoch < known.epoch:
        return  # logged late; the epoch is over
    low = 0 if _may_have_lost(history, step.leader, step.ts) or step.epoch in history.lost_in else ends.low
    if not low <= step.offset <= ends.high:
        raise _Unexplained(f"its log can end in [{_number(low)}, {_number(ends.high)}] by what is known")
    if step.offset < known.committed:
        excused = step.epoch in history.lost_in or history.elected_from.get(step.epoch) in _UNCLEAN
        if not excused:
            raise _Unexplained(
                f"CommittedInLeader: {known.committed} was committed, and the history names neither an unclean election nor a loss"
            )
        known.committed = step.offset
        for other in known.ends.values():
            other.low = min(other.low, step.offset)
    known.ends[step.leader] = _Ends(step.offset, math.inf)


def _cut(known: _Known, step: Cut) -> None:
    """Truncate: from a log end that the replica can have, never to behind it."""
    history, ends = known.history, known.ends.setdefault(step.replica, _Ends(0, math.inf))
    if step.log_end is not None:
        if step.offset > step.log_end:
            raise _Unexplained(f"the log ended at {step.log_end}")
        low = 0 if _may_have_lost(history, step.replica, step.ts) or history.lost_in else ends.low
        if not low <= step.log_end <= ends.high:
            raise _Unexplained(
                f"the log ended at {step.log_end}, and can end in [{_number(low)}, {_number(ends.high)}]"
            )
    in_isr = known.isr is not None and step.replica in known.isr
    allowed = step.by_high_watermark or step.by_recovery or history.lost_in
    if in_isr and step.offset < known.committed and not allowed and _settled(known, step.ts):
        raise _Unexplained(f"CommittedInIsr: {known.committed} was committed, and the replica is in the ISR")
    known.ends[step.replica] = _Ends(step.offset if not step.by_recovery else 0, math.inf)


def _commit(known: _Known, step: Committed) -> None:
    """AdvanceHighWatermark: every member of the ISR has the record."""
    if step.low <= known.committed:
        known.committed = step.low if known.history.lost_in else known.committed
        return
    for member in known.isr or ():
        ends = known.ends.setdefault(member, _Ends(0, math.inf))
        if ends.high == 0 and known.since is not None and ran(known.history, member, known.since, step.ts):
            ends.high = math.inf
        if ends.high < step.low and _settled(known, step.ts):
            raise _Unexplained(f"broker {member} is in the ISR, and its log can end at {_number(ends.high)} at most")
    known.committed = step.low


def _settled(known: _Known, ts: pd.Timestamp) -> bool:
    return known.since is not None and ts - known.since > _APART


def ran(history: History, broker: int, since: pd.Timestamp, until: pd.Timestamp) -> bool:
    """Whether a broker can have run at some time between the two; True where nothing is known of it."""
    sessions = history.sessions.get(broker)
    if not sessions:
        return True
    return any(
        (start is None or start - _APART <= until) and (end is None or end + _APART >= since)
        for start, end, _ in sessions
    )


def _may_have_lost(history: History, broker: int, until: pd.Timestamp) -> bool:
    """Whether a broker can have lost the tail of its log by then: it stopped otherwise than in order."""
    sessions = history.sessions.get(broker)
    return not sessions or any(
        end is not None and end - _APART <= until and how != "controlled_shutdown" for _, end, how in sessions
    )


def _ids(members: frozenset[int] | None) -> str:
    return "unknown" if members is None else str(sorted(members))


def _number(value: float) -> str:
    return "any" if value == math.inf else str(int(value))
