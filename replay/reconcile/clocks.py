"""By how much an application's clock can differ from the cluster's, from the times of its own acknowledgements.

An acknowledgement cannot precede the leader epoch that its offset belongs to, and it does not arrive long after the
records up to its offset were committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from replay.reconcile.cells import Clock
from replay.reconcile.logs import UNBOUNDED, EpochPart, PartitionLog

_LATE = 1_000_000  # microseconds after which an acknowledgement has arrived
_EARLY = 500_000


@dataclass(frozen=True)
class Anchor:
    """Offsets of one partition whose records only one leader epoch can have written, and the time of their acknowledgements."""

    topic: str
    partition: int
    from_offset: int
    to_offset: int
    not_before: int  # microseconds, in the cluster's time
    not_after: int


def anchors(log: PartitionLog) -> Iterator[Anchor]:
    """The anchors of one partition."""
    wrote = [part for part in log.parts if part.leader_id != -1]
    boundaries = {0, UNBOUNDED} | {min(at, UNBOUNDED) for part in wrote for at in (part.from_offset, part.to_offset)}
    boundaries |= {offset for offset, _, _ in log.anchors}
    for begin, end in pairwise(sorted(boundaries)):
        here = [part for part in wrote if part.from_offset <= begin < part.to_offset]
        if len(here) == 1 and here[0].is_known:
            yield Anchor(log.topic, log.partition, begin, end, here[0].from_ts, _committed_by(log, here[0], end))


def _committed_by(log: PartitionLog, part: EpochPart, end: int) -> int:
    """The first time at which a line shows that all offsets up to `end` were committed, or the end of the leader epoch."""
    by = [ts for offset, ts, life in log.anchors if offset >= end and life == part.life and ts >= part.from_ts]
    return min([part.to_ts, *by])


def clock_of(found: Iterable[tuple[Anchor, int, int]], error: int | None, delay: int = 0) -> Clock:
    """The clock of one application, from its first and its last acknowledgement in each anchor (microseconds).

    `error` is how far its owner says that the clock is off at most; `delay` how long after its time a record can be
    appended. Bounds that contradict each other are of several
    clocks: the result covers them all.
    """
    low, high = -UNBOUNDED, UNBOUNDED
    for anchor, first, last in found:
        if anchor.not_before > -UNBOUNDED:
            high = min(high, first - anchor.not_before + _EARLY + delay)
        if anchor.not_after < UNBOUNDED:
            low = max(low, last - anchor.not_after - _LATE)
    if error is not None:
        low, high = max(low, -error), min(high, error)
    return Clock(min(low, high), max(low, high))


def by_client(rows: Iterable[tuple[str, Anchor, int, int]], error: int | None, delay: int = 0) -> Mapping[str, Clock]:
    """The clock of each client."""
    grouped: dict[str, list[tuple[Anchor, int, int]]] = {}
    for client, anchor, first, last in rows:
        grouped.setdefault(client, []).append((anchor, first, last))
    return {client: clock_of(found, error, delay) for client, found in grouped.items()}
