"""What consumers read that is gone, what they skipped, and what they read twice: from positions of groups, and from lines
of clients.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from replay.reconcile.client_lines import EXPIRED, OUT_OF_RANGE, REJECTED, RESET, TRUNCATED, ClientLine
from replay.reconcile.group_lines import Position
from replay.reconcile.logs import UNBOUNDED, EpochPart, PartitionLog
from replay.reconcile.transaction_lines import ABORTED, COMMITTED, Transaction

READ_THEN_GONE, SKIPPED, READ_TWICE = "read_then_gone", "skipped", "read_twice"
MAY_SKIP, REFUSED, TIMED_OUT = "beyond_log_end", "refused", "timed_out"
COMMIT_GONE, COMMIT_CUT = "committed_then_gone", "committed_and_cut"
TXN_ABORTED, TXN_OPEN = "transaction_aborted", "transaction_open"
EFFECTS = {
    READ_THEN_GONE: "The consumer read these offsets; the records that it read are gone.",
    SKIPPED: "The consumer did not read these offsets of the surviving log.",
    READ_TWICE: "The consumer read these offsets of the surviving log twice.",
    MAY_SKIP: "The committed position is beyond the point where the log was cut: unless it is reset, the group skips the records "
    "that the new leader wrote below it.",
    REFUSED: "Brokers refused this many produce requests; the producer sends a refused batch again until its delivery timeout.",
    TIMED_OUT: "This many records were given up by the producer: they may be stored or not.",
    COMMIT_GONE: "These transactions were committed; their records in this partition are gone.",
    COMMIT_CUT: "These transactions were committed; this partition's log was cut afterwards. Their records here, or the marker of their "
    "commit, may be gone: without it, consumers with isolation.level=read_committed do not see the records that are kept.",
    TXN_ABORTED: "These transactions were aborted: consumers with isolation.level=read_committed do not see their records, which the log keeps.",
    TXN_OPEN: "The dump shows no end of this transaction: consumers with isolation.level=read_committed read nothing from its first record on.",
}
_EARLY = 2_000_000  # microseconds


@dataclass(frozen=True)
class Effect:
    """What one consumer or producer of a partition did or missed."""

    effect: str
    who: str  # the group, or the client id
    topic: str
    partition: int
    from_offset: int | None
    to_offset: int | None  # exclusive
    count: int | None
    leader_epoch: int | None  # of the records
    since: int | None  # microseconds
    until: int | None
    reason: str
    evidence: tuple[str, ...] = ()


Logs = Mapping[tuple[str, int], PartitionLog]


def of_positions(files: Sequence[Sequence[Position]], logs: Logs) -> Iterator[Effect]:
    """The effects on groups, from files of positions in the order of time."""
    ordered = [position for file in files for position in file]
    key = lambda one: (one.group, one.topic, one.partition)  # noqa: E731
    for (_, topic, partition), own in groupby(sorted(ordered, key=key), key):
        log = logs.get((topic, partition))
        if log is not None:
            yield from _of_group(list(own), log)


def _of_group(own: Sequence[Position], log: PartitionLog) -> Iterator[Effect]:
    """What one group did with one partition; its positions are in the order of time."""
    lost = [(n, position, part) for n, position in enumerate(own) if (part := _part_of(position, log)) is not None]
    if not lost:
        return
    _n, last, part = max(lost, key=lambda one: (one[1].offset, one[0]))
    yield _effect(
        READ_THEN_GONE,
        last,
        log,
        part.kept_high,
        last.offset,
        part,
        "Committed beyond the offset at which the log was cut.",
    )
    last_lost = max(one[0] for one in lost)
    later = own[last_lost + 1 :]
    back = [one for one in later if one.offset < last.offset]
    if not later:
        yield _effect(MAY_SKIP, last, log, part.kept_high, last.offset, part, "No later position of the group is here.")
    elif not back:
        yield _effect(
            SKIPPED,
            later[0],
            log,
            part.kept_high,
            min(last.offset, later[0].offset),
            None,
            "The group went on from its old position in the new log.",
        )
    else:
        low = min(one.offset for one in back)
        if low < part.kept_high:
            yield _effect(
                READ_TWICE, back[0], log, low, part.kept_high, None, "The group was reset to this offset or below."
            )
        elif low > part.kept_high and len(later) == 1:
            return


def _part_of(position: Position, log: PartitionLog) -> EpochPart | None:
    """The part of the log whose lost records the group had read; None if all that it had read can have survived."""
    for part in log.parts:
        if part.leader_id == -1 or not part.is_known or part.kept_high >= min(position.offset, UNBOUNDED):
            continue
        if part.kept_high != part.kept_low or part.to_offset < position.offset:
            continue
        if position.leader_epoch is not None:
            if part.leader_epoch == position.leader_epoch:
                return part
        elif position.millis is not None and part.from_offset <= position.offset:
            if part.from_ts - _EARLY <= position.millis * 1_000 <= part.to_ts + _EARLY and not _is_later(
                position, part, log
            ):
                return part
        elif (
            position.millis is None
            and position.log_end_offset is not None
            and log.known_end
            and position.log_end_offset > log.known_end
        ):
            return part
    return None


def _is_later(position: Position, part: EpochPart, log: PartitionLog) -> bool:
    """Whether a later leader epoch can have served the position too."""
    return any(
        one.is_known
        and one.leader_id != -1
        and (one.leader_epoch or 0) > (part.leader_epoch or 0)
        and one.kept_high > part.kept_high
        and one.from_ts - _EARLY <= (position.millis or 0) * 1_000
        for one in log.parts
    )


def _effect(
    effect: str, position: Position, log: PartitionLog, begin: int, end: int, part: EpochPart | None, reason: str
) -> Effect:
    at = None if position.millis is None else position.millis * 1_000
    evidence = () if part is None else (*part.cut_by,)
    count = max(0, end - begin)
    epoch = None if part is None else part.leader_epoch
    return Effect(effect, position.group, log.topic, log.partition, begin, end, count, epoch, at, at, reason, evidence)


def of_transactions(found: Iterable[Transaction], logs: Logs) -> Iterator[Effect]:
    """What became of transactions in each partition: a row for those of one producer with one fate."""
    grouped: dict[tuple[str, str, int, str], list[tuple[Transaction, tuple[EpochPart, ...]]]] = {}
    for one in found:
        for topic, partition in sorted(one.partitions):
            log = logs.get((topic, partition))
            fate, parts = _fate(one, log) if log is not None else (None, ())
            if fate is not None:
                grouped.setdefault((one.transactional_id, topic, partition, fate), []).append((one, parts))
    for (who, topic, partition, fate), own in sorted(grouped.items()):
        first, last = (min(one.first_millis for one, _ in own), max(one.last_millis for one, _ in own))
        cut = [part for _, parts in own for part in parts]
        epochs = [part.leader_epoch for part in cut if part.leader_epoch is not None]
        yield Effect(
            fate,
            who,
            topic,
            partition,
            None,
            None,
            len(own),
            max(epochs, default=None),
            first * 1_000,
            last * 1_000,
            _REASONS.get(fate, "By the log of transactions."),
            tuple(dict.fromkeys(line for part in cut for line in part.cut_by))[:4],
        )


_REASONS = {
    COMMIT_GONE: "Committed in a leader epoch of which the surviving log holds nothing.",
    COMMIT_CUT: "Committed in a leader epoch whose end was cut; kafka-dump-log of the partition's segments would decide it.",
}


def _fate(one: Transaction, log: PartitionLog) -> tuple[str | None, tuple[EpochPart, ...]]:
    """What became of one transaction in one partition, and the parts of its log that it can have been written in."""
    if one.ended != COMMITTED:
        return (TXN_ABORTED if one.ended == ABORTED else TXN_OPEN), ()
    last = one.last_millis * 1_000
    led = tuple(part for part in log.parts if part.is_known and part.leader_id != -1)
    parts = tuple(part for part in led if part.from_ts - _EARLY <= last <= part.to_ts + _EARLY)
    cut = tuple(part for part in parts if part.kept_high < min(part.to_offset, UNBOUNDED))
    if not cut or any(part.gone_because == "topic_deleted" for part in cut):
        return None, ()
    if cut == parts and all(part.from_offset >= part.kept_high and part.is_start_known for part in cut):
        begun = one.first_millis * 1_000
        return (COMMIT_GONE if all(part.from_ts + _EARLY <= begun for part in cut) else COMMIT_CUT), cut
    kept = min(part.kept_high for part in cut)
    if any(offset <= kept and last + _EARLY <= ts <= min(part.to_ts for part in cut) for offset, ts, _ in log.anchors):
        return None, ()  # all that was written by then is below the cut
    return COMMIT_CUT, cut


def of_clients(lines: Iterable[ClientLine], logs: Logs) -> Iterator[Effect]:
    """The effects that clients' own lines show."""
    resets: dict[tuple[str, str, int], ClientLine] = {}
    refused: dict[tuple[str, str, str, int, str], ClientLine] = {}
    counts: dict[tuple[str, str, str, int, str], int] = {}
    for line in lines:
        if line.kind in (REJECTED, EXPIRED):
            key = (line.kind, line.client, line.topic, line.partition, line.error or "")
            refused.setdefault(key, line)
            counts[key] = counts.get(key, 0) + line.count
            refused[key] = replace(refused[key], new_offset=line.micros)
        elif line.kind == OUT_OF_RANGE and line.new_offset is None and line.reset_to is None:
            resets[line.client, line.topic, line.partition] = line
        elif line.kind == RESET:
            before = resets.pop((line.client, line.topic, line.partition), None)
            if before is not None:
                yield from _moved(replace(before, new_offset=line.new_offset), logs)
        elif line.kind in (TRUNCATED, OUT_OF_RANGE):
            yield from _moved(line, logs)
    for line in resets.values():
        yield from _moved(line, logs)
    for key, line in refused.items():
        what = f"Error {line.error}." if line.error else "Given up after the delivery timeout."
        yield Effect(
            REFUSED if line.kind == REJECTED else TIMED_OUT,
            line.client,
            line.topic,
            line.partition,
            None,
            None,
            counts[key],
            None,
            line.micros,
            line.new_offset,
            what,
        )


def _moved(line: ClientLine, logs: Logs) -> Iterator[Effect]:
    """What a consumer whose position was moved had read that is gone, skipped, or reads twice."""
    old, log = line.offset or 0, logs.get((line.topic, line.partition))
    cut, part = _cut_below(old, line, log)
    if line.kind == TRUNCATED and line.new_offset is not None:
        cut = line.new_offset
    if cut is not None and cut < old:
        diverged = "its position diverged from the leader's log."
        why = diverged if line.kind == TRUNCATED else "its position was out of range."
        epoch = line.leader_epoch if line.leader_epoch is not None else None if part is None else part.leader_epoch
        gone = _by_line(READ_THEN_GONE, line, cut, old, f"The consumer's own line: {why}")
        yield replace(gone, leader_epoch=epoch, evidence=() if part is None else part.cut_by)
    if line.kind == TRUNCATED:
        return
    begin = log.log_start if line.reset_to == "BEGINNING" and log is not None else line.new_offset
    kept = old if cut is None else min(old, cut)
    if begin is not None and begin < kept:
        yield _by_line(READ_TWICE, line, begin, kept, "Its position was reset to this offset (auto.offset.reset).")
    elif begin is not None and begin > kept:
        yield _by_line(SKIPPED, line, kept, begin, "Its position was reset beyond these offsets (auto.offset.reset).")
    elif line.reset_to == "END":
        yield _by_line(SKIPPED, line, kept, None, "Its position was reset to the end of the log (auto.offset.reset).")


def _by_line(effect: str, line: ClientLine, begin: int, end: int | None, reason: str) -> Effect:
    count = None if end is None else end - begin
    who = line.group or line.client
    return Effect(effect, who, line.topic, line.partition, begin, end, count, None, line.micros, line.micros, reason)


def _cut_below(old: int, line: ClientLine, log: PartitionLog | None) -> tuple[int | None, EpochPart | None]:
    """Where the log that the consumer had read was cut, and which part of it."""
    parts = [
        part
        for part in (() if log is None else log.parts)
        if part.is_known
        and part.leader_id != -1
        and part.kept_high == part.kept_low
        and part.kept_high < old <= part.to_offset
    ]
    mine = [part for part in parts if part.leader_epoch == line.leader_epoch] or [
        part for part in parts if line.micros is None or part.from_ts <= line.micros
    ]
    return (mine[-1].kept_high, mine[-1]) if mine else (None, None)
