"""The verdict of every record of a partition, as a table over offsets and times: a cell holds the records of a range of
offsets that were acknowledged in a range of time.

The rules work on cells, of which there are few; the records join them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from replay.reconcile.logs import UNBOUNDED, EpochPart, PartitionLog

KEPT, GONE, POSSIBLE, REWRITTEN = "kept", "gone", "gone_possible", "rewritten"
EXPIRED, COMPACTED, DUPLICATE, UNDECIDED = "expired", "compacted", "duplicate", "undecided"
VERDICTS = {
    KEPT: "The surviving log holds this record.",
    GONE: "The record was in the log and is not any more.",
    POSSIBLE: "It can be gone; the logs do not decide it.",
    REWRITTEN: "The record is gone, and its offset exists: it holds another record, of a later leader epoch.",
    EXPIRED: "Retention, or a request, deleted the offsets up to the log start: not a loss by itself.",
    COMPACTED: "Compaction went over this offset: a later record with its key can have replaced it. Not a loss by itself.",
    DUPLICATE: "The surviving log holds the same record at a lower offset too: a retry appended it again.",
    UNDECIDED: "The logs do not show what became of it.",
}
_OPEN = 10_000_000  # microseconds by which records must outlast the logs to show that these end early
_EARLY, _LATE = 500_000, 1_000_000  # microseconds by which an acknowledgement can seem early, or arrive late


@dataclass(frozen=True)
class Clock:
    """By how much the clock of the application can be ahead of the cluster's, in microseconds: from the least to the most."""

    low: int = -UNBOUNDED
    high: int = UNBOUNDED


@dataclass(frozen=True)
class Cell:
    """The verdict of the records of one partition with `from_offset` <= offset < `to_offset` and `from_ts` <= time < `to_ts`."""

    topic: str
    partition: int
    from_offset: int
    to_offset: int
    from_ts: int
    to_ts: int
    leader_epoch: int | None  # only for records of this leader epoch; None: for records without one
    verdict: str
    reason: str
    epoch_low: int | None
    epoch_high: int | None
    evidence: tuple[str, ...]
    parts: tuple[int, ...]  # the parts of the log that its records can belong to
    by_part: tuple[str, ...]  # the verdict if it belongs to that part
    cut: int | None = None  # where a later leader's log replaced the part, if it did
    cut_epoch: int | None = None
    log_start: int = 0
    compacted_to: int = 0

    @property
    def is_contested(self) -> bool:
        """Whether the order of its records can decide more."""
        return len(self.parts) > 1 and len(set(self.by_part)) > 1


@dataclass(frozen=True)
class _Case:
    """What the rules look at: the parts that the records of a cell can belong to, and what survived there."""

    log: PartitionLog
    offset: int  # the first of the cell; what survived is the same for all of it
    parts: tuple[EpochPart, ...]
    is_after_end: bool
    is_open: bool  # the logs end before the records do, and not all replicas are in them
    can_be_earlier: bool  # another topic of this name can have existed before the first leader epoch
    can_be_deleted: bool  # a broker deleted its log after the records, perhaps with the topic

    @property
    def states(self) -> tuple[str, ...]:
        return tuple(state_of(part, self.offset) for part in self.parts)

    @property
    def unknown(self) -> bool:
        return any(not part.is_known for part in self.parts)

    @property
    def of_earlier_topic(self) -> bool:
        return self.can_be_earlier and any(_is_first(part) for part in self.parts)


def _is_first(part: EpochPart) -> bool:
    """Whether a line shows that the topic began with this part."""
    return part.life == 0 and part.leader_epoch == 0 and part.from_ts > -UNBOUNDED


def state_of(part: EpochPart, offset: int) -> str:
    """What became of the record at this offset of a part of the log."""
    if offset >= part.kept_high:
        return GONE
    return KEPT if offset < part.kept_low else POSSIBLE


def _gone(case: _Case) -> bool:
    return bool(case.parts) and set(case.states) == {GONE}


def _kept(case: _Case) -> bool:
    return bool(case.parts) and set(case.states) == {KEPT}


RULES: tuple[tuple[Callable[[_Case], bool], str, str], ...] = (
    (lambda case: not case.parts, UNDECIDED, "no_epoch"),
    (
        lambda case: _gone(case) and all(part.gone_because == "topic_deleted" for part in case.parts),
        GONE,
        "topic_deleted",
    ),
    (_gone, GONE, "truncated"),
    (lambda case: case.is_after_end, UNDECIDED, "after_the_logs"),
    (lambda case: case.of_earlier_topic, UNDECIDED, "before_the_topic"),
    (lambda case: case.can_be_deleted, UNDECIDED, "log_deleted"),
    (lambda case: case.unknown, UNDECIDED, "epochs_without_lines"),
    (lambda case: case.is_open and KEPT in case.states, UNDECIDED, "logs_end_before_the_records"),
    (lambda case: _kept(case) and case.offset < case.log.log_start, EXPIRED, "below_log_start"),
    (lambda case: _kept(case) and case.offset < case.log.compacted_to, COMPACTED, "compacted"),
    (_kept, KEPT, "in_surviving_log"),
    (lambda case: POSSIBLE in case.states, POSSIBLE, "start_of_later_epoch_unknown"),
    (lambda case: len({part.life for part in case.parts}) > 1, POSSIBLE, "either_topic"),
    (lambda case: True, POSSIBLE, "either_epoch"),
)
"""The first condition that holds gives the verdict and its reason."""


def judged(case: _Case) -> tuple[str, str]:
    """The verdict and its reason."""
    return next((verdict, reason) for holds, verdict, reason in RULES if holds(case))


@dataclass(frozen=True)
class Asked:
    """What is known of the records of one application, besides their offsets and times."""

    clock: Clock = Clock()
    leader_epoch: int | None = None  # all of them have this leader epoch; None: they have none
    acks_all: bool = False  # their producers waited for the commit (acks=all)
    last_ts: int = -UNBOUNDED  # the last of their times
    can_be_earlier: bool = (
        False  # their times precede the topics of these logs: a topic of that name can have been deleted
    )
    delay: int = 0  # a record is appended at most this long after its time, in microseconds (times of creation)


def cells(log: PartitionLog, asked: Asked) -> list[Cell]:
    """The cells of one partition for the records of one application.

    They cover all offsets and all times without overlap.
    """
    numbered = [
        (n, part)
        for n, part in enumerate(log.parts)
        if part.leader_id != -1 and (asked.leader_epoch is None or _holds(part, asked.leader_epoch))
    ]
    ends = {n: part.committed_to if asked.acks_all else part.to_offset for n, part in numbered}
    boundaries = {0, UNBOUNDED, log.log_start, log.compacted_to}
    for n, part in numbered:
        boundaries |= {min(max(at, 0), UNBOUNDED) for at in (part.from_offset, ends[n], part.kept_low, part.kept_high)}
    found: list[Cell] = []
    for begin, end in pairwise(sorted(boundaries)):
        here = [(n, part) for n, part in numbered if part.from_offset <= begin < ends[n]]
        found += _over_time(log, (begin, end), here, asked)
    return found


def _holds(part: EpochPart, leader_epoch: int) -> bool:
    if part.is_known:
        return part.leader_epoch == leader_epoch
    return leader_epoch <= (part.last_epoch or 0)


def _over_time(
    log: PartitionLog, offsets: tuple[int, int], here: Sequence[tuple[int, EpochPart]], asked: Asked
) -> Iterator[Cell]:
    """The cells of one range of offsets, in the order of time."""
    spans = {n: _seen(part, asked) for n, part in here}
    ends = UNBOUNDED if asked.leader_epoch is not None else _shifted(log.known_to_ts, asked.clock.high + _LATE)
    deleted = _shifted(log.deleted_ts, asked.clock.high + _LATE)
    times = {-UNBOUNDED, UNBOUNDED, ends, deleted} | {at for span in spans.values() for at in span}
    last: Cell | None = None
    for since, until in pairwise(sorted(times)):
        possible = [(n, part) for n, part in here if spans[n][0] <= since < spans[n][1]]
        cell = _cell(log, (*offsets, since, until), possible, asked, (since >= ends, since < deleted))
        if last is not None and _same(last, cell):
            last = replace(last, to_ts=until)
            continue
        if last is not None:
            yield last
        last = cell
    if last is not None:
        yield last


def _same(one: Cell, other: Cell) -> bool:
    return (one.verdict, one.reason, one.parts) == (other.verdict, other.reason, other.parts)


def _seen(part: EpochPart, asked: Asked) -> tuple[int, int]:
    """From when to when, by the application's clock, acknowledgements of this part can arrive."""
    if asked.leader_epoch is not None and part.is_known:
        return -UNBOUNDED, UNBOUNDED
    return _shifted(part.from_ts, asked.clock.low - _EARLY - asked.delay), _shifted(
        part.to_ts, asked.clock.high + _LATE
    )


def _shifted(ts: int, by: int) -> int:
    """A time, moved; what has no bound keeps none."""
    if abs(ts) >= UNBOUNDED or abs(by) >= UNBOUNDED // 2:
        return ts if abs(ts) >= UNBOUNDED else (UNBOUNDED if by > 0 else -UNBOUNDED)
    return ts + by


def _cell(
    log: PartitionLog,
    where: tuple[int, int, int, int],
    possible: Sequence[tuple[int, EpochPart]],
    asked: Asked,
    beyond: tuple[bool, bool],
) -> Cell:
    """The cell of a range of offsets and of time. `beyond`: whether it is after the end of the logs, and whether it is
    before the log of a replica was deleted.
    """
    parts = tuple(part for _, part in possible)
    is_open = not log.has_all_replicas and asked.last_ts > _shifted(log.known_to_ts, asked.clock.high + _OPEN)

    def case(of: tuple[EpochPart, ...]) -> _Case:
        return _Case(log, where[0], of, beyond[0], is_open, asked.can_be_earlier, beyond[1])

    verdict, reason = judged(case(parts))
    epochs = [epoch for part in parts for epoch in (part.leader_epoch, part.last_epoch) if epoch is not None]
    evidence = [line for part in parts for line in (*part.evidence, *part.cut_by)]
    if verdict == EXPIRED:
        evidence = [*log.log_start_evidence, *evidence]
    if reason == "log_deleted":
        evidence = [*log.deleted_evidence, *evidence]
    each = tuple(judged(case((part,)))[0] for part in parts)
    return Cell(
        log.topic,
        log.partition,
        *where,
        asked.leader_epoch,
        verdict,
        reason,
        min(epochs, default=None),
        max(epochs, default=None),
        tuple(dict.fromkeys(evidence))[:4],
        tuple(n for n, _ in possible),
        each,
        min((part.kept_high for part in parts), default=None),
        next((part.cut_epoch for part in parts if part.cut_epoch is not None), None),
        log.log_start,
        log.compacted_to,
    )


def by_partition(found: Sequence[Cell]) -> Mapping[tuple[str, int], list[Cell]]:
    """Cells by topic and partition."""
    grouped: dict[tuple[str, int], list[Cell]] = {}
    for cell in found:
        grouped.setdefault((cell.topic, cell.partition), []).append(cell)
    return grouped
