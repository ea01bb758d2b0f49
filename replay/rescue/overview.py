"""What one read of a saved tail shows without the records of its batches: leader epochs, offsets, times and the ends of
transactions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from replay.record_batches.batches import RecordBatch, SegmentEnd
from replay.rescue.surviving_log import CopiedPart

_BATCHES_OF_A_RUN = 1_000


@dataclass(frozen=True)
class Tail:
    """The saved end of one replica's log. `read` reads its batches from the begin, each time that it is called."""

    node_id: int
    read: Callable[[], Iterator[RecordBatch | SegmentEnd]]


@dataclass
class Run:
    """Consecutive batches of one leader epoch: their offsets and the range of their timestamps (ms)."""

    leader_epoch: int
    first_offset: int
    last_offset: int
    from_time: int
    to_time: int
    batches: int = 1

    def takes(self, batch: RecordBatch) -> bool:
        """Whether the next batch of the tail continues this run; then it does."""
        if batch.leader_epoch != self.leader_epoch or self.batches >= _BATCHES_OF_A_RUN:
            return False
        self.last_offset, self.batches = batch.last_offset, self.batches + 1
        self.from_time = min(self.from_time, batch.base_timestamp)
        self.to_time = max(self.to_time, batch.max_timestamp)
        return True


@dataclass
class _Markers:
    """The transaction markers of one producer, in the order of the log."""

    offsets: list[int] = field(default_factory=list)
    commits: list[bool] = field(default_factory=list)


@dataclass
class Overview:
    """One tail: its runs, its leader epochs, and its transaction markers."""

    runs: list[Run] = field(default_factory=list)
    has_broker_times: bool = False  # timestamps are those of the append (LogAppendTime)
    _parts: dict[int, CopiedPart] = field(default_factory=dict)
    _markers: dict[int, _Markers] = field(default_factory=dict)

    @property
    def parts(self) -> Sequence[CopiedPart]:
        """The offsets of each leader epoch, in order."""
        return tuple(self._parts.values())

    def _has(self, leader_epoch: int, offset: int) -> bool:
        """Whether the tail holds this offset of this leader epoch."""
        part = self._parts.get(leader_epoch)
        return part is not None and part.first_offset <= offset <= part.last_offset

    def commits(self, batch: RecordBatch) -> bool | None:
        """Whether the next marker of its producer commits a batch that the tail holds; None without one."""
        own = self._markers.get(batch.producer_id)
        if own is None or not self._has(batch.leader_epoch, batch.last_offset):
            return None
        after = bisect_right(own.offsets, batch.last_offset)
        return own.commits[after] if after < len(own.offsets) else None

    def add(self, batch: RecordBatch) -> None:
        """Takes the next batch. Raises ValueError for a transaction marker that cannot be read."""
        if not self.runs or not self.runs[-1].takes(batch):
            times = batch.base_timestamp, batch.max_timestamp
            self.runs.append(Run(batch.leader_epoch, batch.base_offset, batch.last_offset, min(times), max(times)))
        epoch, first = batch.leader_epoch, self._parts.get(batch.leader_epoch)
        self._parts[epoch] = CopiedPart(
            epoch, batch.base_offset if first is None else first.first_offset, batch.last_offset
        )
        self.has_broker_times |= batch.is_log_append_time and not batch.is_control
        commits = batch.marker()
        if commits is not None:
            own = self._markers.setdefault(batch.producer_id, _Markers())
            own.offsets.append(batch.base_offset)
            own.commits.append(commits)


def overview(tail: Tail) -> Overview:
    """What the batches of a tail show. Reads it once."""
    made = Overview()
    for batch in tail.read():
        if isinstance(batch, RecordBatch):
            made.add(batch)
    return made
