"""New leaders of tiered partitions whose log start is after segments that remote storage still holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import once_each
from replay.facts.lines import detail, detail_number
from replay.facts.times import millis
from replay.tables.faults import JumpedLogStart
from replay.tables.reading import Event

TAKES_OVER_MS = 5_000  # a new leader raises its log start, and logs what it found, within this time
FOUND_START, COPIED, DELETED = "remote_log_become_leader", "remote_copy_done", "remote_log_segment_deleted"
_RAISED = "log_start_offset_incremented"
_READ = frozenset((FOUND_START, COPIED, DELETED, _RAISED))


def jumped_log_starts(partition_events: Sequence[Event]) -> list[JumpedLogStart]:
    """The times at which a new leader started the log after segments that had been copied to remote storage, and
    that no line reports as deleted.

    A new leader takes the start of the first remote segment of its leader epochs as the log start, or the local
    start if it finds none (RemoteLogManager.findLogStartOffset). Retention also moves the log start when it deletes
    segments, and DeleteRecords moves it before that; lines report both.
    """
    lines = [event for event in partition_events if event.kind in _READ and None not in (event.node_id, event.ts)]
    rows = (_jumped(raised, found, lines) for raised, found in _raised_at_take_over(lines))
    return [row for row in rows if row is not None]


def _raised_at_take_over(lines: Iterable[Event]) -> Iterator[tuple[Event, Event]]:
    """The lines in which a new leader raised the log start, each with the line about the start that it found in the
    remote store.
    """
    lines = list(lines)
    found = [line for line in lines if line.kind == FOUND_START and line.log_start_offset is not None]
    for line in lines if found else ():
        if line.kind == _RAISED and detail(line, "reason") == "segment deletion":
            for start in found:
                same = (start.node_id, start.log_start_offset) == (line.node_id, line.log_start_offset)
                if same and abs(millis(start.ts, line.ts) or 0) <= TAKES_OVER_MS:
                    yield line, start


@dataclass(frozen=True, slots=True)
class _Copy:
    """A segment that was copied to the remote store."""

    base_offset: int
    ts: datetime
    event_id: str


def _jumped(raised: Event, found: Event, lines: Sequence[Event]) -> JumpedLogStart | None:
    """The jump, if segments from the earlier log start on were copied and none has been deleted since; None
    otherwise.
    """
    own = [line for line in lines if None in (line.topic_id, found.topic_id) or line.topic_id == found.topic_id]
    earlier = [line for line in own if line.ts < raised.ts]
    starts = [
        (line.log_start_offset, line.ts)
        for line in earlier
        if line.log_start_offset is not None and line.kind != DELETED and not _is_of_this_jump(line, raised)
    ]
    before, before_ts = max(starts, default=(None, None))
    deleted_ts = max((line.ts for line in earlier if line.kind == DELETED), default=None)
    kept = [copy for copy in _copies(earlier, raised.log_start_offset) if copy.base_offset >= (before or 0)]
    is_deleted = deleted_ts is not None and not (before_ts is not None and deleted_ts < before_ts)
    if not kept or is_deleted:
        return None
    return JumpedLogStart(
        name=f"{raised.topic}-{raised.partition}",
        node_id=raised.node_id,
        ts=raised.ts,
        event_id=raised.event_id,
        log_start_offset=raised.log_start_offset,
        before=before,
        first_offset=kept[0].base_offset,
        segments=len(kept),
        copied_ts=max(copy.ts for copy in kept),
        deleted=sum(_is_deleted_for_start(line) for line in own if line.ts >= raised.ts),
        evidence=once_each((raised.event_id, found.event_id, kept[0].event_id, kept[-1].event_id)),
    )


def _is_of_this_jump(line: Event, raised: Event) -> bool:
    near = millis(raised.ts, line.ts) or 0
    return bool(line.log_start_offset == raised.log_start_offset) and near <= TAKES_OVER_MS


def _copies(lines: Iterable[Event], log_start: int) -> list[_Copy]:
    """The copied segments that begin before a log start, by offset."""
    copies = set()
    for line in lines:
        base = detail_number(line, "base_offset") if line.kind == COPIED else None
        if base is not None and base < log_start:
            copies.add(_Copy(base, line.ts, line.event_id))
    return sorted(copies, key=lambda copy: (copy.base_offset, copy.ts, copy.event_id))


def _is_deleted_for_start(line: Event) -> bool:
    """Whether a segment was deleted because it lies before the log start."""
    return line.kind == DELETED and "log-start-offset" in (line.message or "")
