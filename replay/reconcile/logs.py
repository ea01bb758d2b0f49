"""The log of each partition as its leader epochs wrote it: which part each wrote, and what of it survived.

A record is identified by topic, partition, leader epoch and offset. An offset alone is not enough: after a loss it is
used again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

UNBOUNDED = 1 << 62  # an offset, or a time in microseconds, without an upper bound
_CLEAN = ("isr", "elr")
_CONTROLLERS = ("record", "znode", "decision")  # witnesses of the time at which the controller began a leader epoch
_DEPOSED = 60_000_000  # microseconds after which a leader that was deposed before the logs began acknowledges nothing
_STILL_THERE = 30_000_000  # microseconds after which a replica that kept its log was not deleted with its topic
Span = tuple[int, int]  # from when to when a node's log of leader changes is there
Covered = Mapping[int, Sequence[Span]]
Rows = Mapping[str, Sequence[Any]]  # the rows of the tables of one partition, by table

TABLES = (
    "leader_epochs",
    "truncations",
    "losses",
    "deposed_leaders",
    "epoch_files",
    "high_watermarks",
    "log_starts",
    "isr_spans",
)


@dataclass(frozen=True)
class EpochPart:
    """The part of a partition's log that one leader epoch wrote: its offsets, its time, and what survived of it."""

    life: int
    leader_epoch: int | None  # None: leader epochs that no line shows
    last_epoch: int | None  # the last of them, if several
    leader_id: int | None
    from_offset: int  # its first offset, or a lower bound
    is_start_known: bool
    to_offset: int  # its leader's log ended there at most
    committed_to: int  # nothing from here on was committed in this leader epoch, nor acknowledged with acks=all
    kept_low: int  # [from_offset, kept_low) survived
    kept_high: int  # nothing from here on survived
    from_ts: int  # its leader acknowledged nothing before
    begun_by: int  # it had begun by then
    to_ts: int  # its leader acknowledged nothing after
    evidence: tuple[str, ...] = ()
    cut_by: tuple[str, ...] = ()  # the lines of the leader epoch that replaced its end
    cut_epoch: int | None = None
    gone_because: str = "truncated"

    @property
    def is_known(self) -> bool:
        """Whether lines show this leader epoch."""
        return self.leader_epoch is not None


@dataclass(frozen=True)
class PartitionLog:
    """All parts of one partition's log, oldest first, and how far the input shows it."""

    topic: str
    partition: int
    parts: tuple[EpochPart, ...]
    log_start: int = 0
    log_start_evidence: tuple[str, ...] = ()
    compacted_to: int = 0
    known_end: int = 0  # the surviving log reaches this offset at least
    known_from_ts: int = -UNBOUNDED
    known_to_ts: int = UNBOUNDED
    has_all_replicas: bool = True  # the logs of all its replicas are in the input
    anchors: tuple[tuple[int, int, int], ...] = field(default=())  # (offset, microseconds, life): committed by then
    deleted_ts: int = (
        -UNBOUNDED
    )  # a broker deleted its log then, and no line shows that the topic was not deleted with it
    deleted_evidence: tuple[str, ...] = ()


def micros(ts: datetime | None) -> int | None:
    """A time as microseconds since 1970; a time without zone is in UTC."""
    if ts is None:
        return None
    whole = ts.timestamp() if ts.tzinfo else (ts - datetime(1970, 1, 1)).total_seconds()
    return round(whole * 1_000_000)


def partition_log(
    topic: str,
    partition: int,
    rows: Rows,
    covered: Covered,
    deletions: Sequence[Any] = (),
    servers: Covered | None = None,
) -> PartitionLog:
    """The log of one partition from its rows.

    `covered` has the nodes whose log of leader changes is in the input, `servers` those whose server log is (None: the
    same). `deletions` are the events `log_deleted`.
    """
    epochs = sorted(rows["leader_epochs"], key=lambda row: (row.life or 0, row.leader_epoch))
    replicas = {node for row in rows["isr_spans"] for node in (*(row.isr or ()), *(row.replicas or ()))}
    replicas |= {row.leader_id for row in epochs if row.leader_id is not None and row.leader_id >= 0}
    times = [span for node in replicas for span in covered.get(node, ())]
    known_from = min((begin for begin, _ in times), default=UNBOUNDED)
    known_to = max((end for _, end in times), default=-UNBOUNDED)
    parts = _with_ends(_with_gaps(_parts(epochs), known_from), rows, covered)
    parts = _cut(parts, epochs, rows, covered)
    starts = _log_starts(rows["log_starts"], epochs)
    last_life = max((part.life for part in parts), default=0)
    deleted = _deleted(deletions, parts, rows, covered if servers is None else servers)
    return PartitionLog(
        topic,
        partition,
        tuple(parts),
        log_start=starts[0],
        log_start_evidence=starts[1],
        compacted_to=max((row.to_offset or 0 for row in rows["log_starts"] if row.change == "compacted"), default=0),
        known_end=_known_end(parts, rows),
        known_from_ts=known_from,
        known_to_ts=known_to,
        has_all_replicas=bool(times) and replicas <= set(covered),
        anchors=tuple(_committed(rows["high_watermarks"], epochs, last_life)),
        deleted_ts=deleted[0],
        deleted_evidence=deleted[1],
    )


def _parts(epochs: Sequence[Any]) -> list[EpochPart]:
    found: list[EpochPart] = []
    for n, row in enumerate(epochs):
        begins = [ts for ts in (micros(row.start_ts), micros(row.leader_ts)) if ts is not None]
        first = min(begins, default=-UNBOUNDED)
        is_next = bool(found) and found[-1].life == (row.life or 0)
        decided = is_next and getattr(epochs[n - 1], "next_witness", None) in _CONTROLLERS
        if (
            row.leader_ts is None and not decided
        ):  # another broker's line is the first about it: it can have begun before
            first = found[-1].from_ts if is_next else -UNBOUNDED
        found.append(
            EpochPart(
                life=row.life or 0,
                leader_epoch=row.leader_epoch,
                last_epoch=row.leader_epoch,
                leader_id=row.leader_id,
                from_offset=0 if row.epoch_start_offset is None else row.epoch_start_offset,
                is_start_known=row.epoch_start_offset is not None,
                to_offset=UNBOUNDED,
                committed_to=UNBOUNDED,
                kept_low=UNBOUNDED,
                kept_high=UNBOUNDED,
                from_ts=first,
                begun_by=max(begins, default=UNBOUNDED),
                to_ts=UNBOUNDED,
                evidence=tuple(row.evidence or ())[:2],
            )
        )
    return found


def _with_gaps(parts: Sequence[EpochPart], known_from: int) -> list[EpochPart]:
    """The parts, with one for each run of leader epochs that no line shows."""
    found: list[EpochPart] = []
    before: EpochPart | None = None
    for part in parts:
        assert part.leader_epoch is not None
        first = 0 if before is None or before.life != part.life else (before.leader_epoch or 0) + 1
        if part.leader_epoch > first:
            begin = before.from_ts if before is not None and before.life == part.life else -UNBOUNDED
            seen = before is not None or part.from_ts > known_from + _DEPOSED
            end = UNBOUNDED if seen else max(part.begun_by, known_from) + _DEPOSED
            found.append(
                EpochPart(
                    part.life,
                    None,
                    part.leader_epoch - 1,
                    None,
                    0,
                    False,
                    UNBOUNDED,
                    UNBOUNDED,
                    0,
                    UNBOUNDED,
                    begin,
                    part.begun_by,
                    end,
                )
            )
        elif part.leader_epoch == 0 and not part.is_start_known:
            part = replace(part, is_start_known=True)
        found.append(part)
        before = part
    return found


def _with_ends(parts: list[EpochPart], rows: Rows, covered: Covered) -> list[EpochPart]:
    """The parts with the last offset and the last time of each."""
    found = []
    for n, part in enumerate(parts):
        later = [one for one in parts[n + 1 :] if one.life == part.life]
        if part.is_known and part.leader_id is not None and part.leader_id >= 0:
            to_offset = _log_end(part, later, rows, covered)
            part = replace(
                part,
                to_offset=to_offset,
                committed_to=min(to_offset, _committed_end(part, later, rows)),
                to_ts=_last_time(part, parts[n + 1 :], rows, covered),
            )
        elif part.leader_id == -1:
            part = replace(part, to_offset=0, from_offset=0)
        found.append(part)
    return found


def _log_end(part: EpochPart, later: Sequence[EpochPart], rows: Rows, covered: Covered) -> int:
    """Where the leader's log ended when it stopped leading in this epoch, at most."""
    led = [one for one in later if one.leader_id != -1]
    if not led:
        return UNBOUNDED
    after = led[0]
    if not after.is_known:
        return UNBOUNDED
    if after.leader_id == part.leader_id and after.is_start_known:
        return UNBOUNDED if _restarted(part, after, rows, covered) else after.from_offset
    lost = _judged_at(part, after, rows)
    if lost and all(row.verdict == "NO_LOSS_OBSERVED" and row.from_offset is not None for row in lost):
        return max(after.from_offset, *(int(row.from_offset) for row in lost))
    cuts = [
        row.log_end_offset
        for row in rows["truncations"]
        if row.node_id == part.leader_id
        and not row.by_recovery
        and row.log_end_offset is not None
        and part.from_ts <= (micros(row.ts) or 0)
        and (len(led) == 1 or (micros(row.ts) or 0) >= after.from_ts)
    ]
    discarded = [row.to_offset_high for row in lost if row.loss_class == "acked_possible"]
    if discarded and None not in discarded:
        cuts.append(max(discarded))
    return int(cuts[0]) if cuts else UNBOUNDED


def _judged_at(part: EpochPart, after: EpochPart, rows: Rows) -> list[Any]:
    """The verdicts on the records that the leader of a part held when the next leader began."""
    return [
        row
        for row in rows["losses"]
        if (row.leader_epoch, row.life or 0) == (after.leader_epoch, part.life) and row.old_leader_id == part.leader_id
    ]


def _committed_end(part: EpochPart, later: Sequence[EpochPart], rows: Rows) -> int:
    """Nothing from this offset on was committed in this epoch, if its losses show that."""
    led = [one for one in later if one.leader_id != -1]
    lost = (
        [row for row in _judged_at(part, led[0], rows) if row.loss_class == "committed"]
        if led and led[0].is_known
        else []
    )
    ends = [_end_of(row, is_start_known=led[0].is_start_known) for row in lost if row.verdict != "UNDETERMINED"]
    known = [end for end in ends if end is not None]
    return max(known) if known and len(known) == len(lost) else UNBOUNDED


def _end_of(row: Any, *, is_start_known: bool) -> int | None:
    """The offset that all committed records are below, by a verdict on them; None if it gives none.

    Where the next leader began is that offset. If no line shows it, the verdict begins at a high watermark: more can
    have been committed.
    """
    if row.verdict == "NO_COMMITTED_LOSS_BY_PROTOCOL":
        return row.from_offset if is_start_known else None
    end: int | None = row.from_offset if row.verdict == "NO_LOSS_OBSERVED" else row.to_offset_high
    return end


def _restarted(part: EpochPart, after: EpochPart, rows: Rows, covered: Covered) -> bool:
    """Whether the leader's own recovery shortened its log between two epochs that it led, or can have: its log does not
    cover all of that time.
    """
    spans = covered.get(part.leader_id or 0, ())
    if not any(begin <= part.begun_by and after.begun_by <= end for begin, end in spans):
        return True
    return any(
        row.node_id == part.leader_id and row.by_recovery and part.from_ts <= (micros(row.ts) or 0) <= after.begun_by
        for row in rows["truncations"]
    )


def _last_time(part: EpochPart, following: Sequence[EpochPart], rows: Rows, covered: Covered) -> int:
    """Until when the leader can have acknowledged records in this epoch."""
    for row in rows["deposed_leaders"]:
        is_it = (row.broker_id, row.leader_epoch) == (part.leader_id, part.leader_epoch)
        if is_it and part.from_ts <= (micros(row.deposed_ts) or 0):
            return micros(row.learnt_ts) or UNBOUNDED
    later = [one for one in following if one.life == part.life]
    if not later:
        return min((one.begun_by for one in following), default=UNBOUNDED)
    after = later[0]
    led = [one for one in later if one.leader_id != -1]
    written = [micros(row.written_high) for row in _judged_at(part, led[0], rows)] if led else []
    known = max((ts for ts in written if ts is not None), default=UNBOUNDED)
    spans = covered.get(part.leader_id or 0, ())
    if after.leader_id != part.leader_id and not any(begin <= after.begun_by <= end for begin, end in spans):
        return UNBOUNDED  # a leader without a log can have acknowledged records after it was deposed
    return min(after.begun_by if after.is_known else after.to_ts, known)


def _cut(parts: list[EpochPart], epochs: Sequence[Any], rows: Rows, covered: Covered) -> list[EpochPart]:
    """The parts with what survived of each: a later leader's log replaces everything from its start on."""
    by_epoch = {(row.life or 0, row.leader_epoch): row for row in epochs}
    last_life = max((part.life for part in parts), default=0)
    found: list[EpochPart] = []
    for n, part in enumerate(parts):
        if part.life < last_life:
            after = next(one for one in parts if one.life > part.life)
            found.append(replace(part, kept_low=0, kept_high=0, cut_by=after.evidence, gone_because="topic_deleted"))
            continue
        low, high = UNBOUNDED, UNBOUNDED
        cut_by: tuple[str, ...] = ()
        cut_epoch: int | None = None
        for later in parts[n + 1 :]:
            now_low, now_high = _cut_between(part, later, parts, rows, covered)
            if now_high < high:
                cut_by, cut_epoch = later.evidence, later.leader_epoch
            doubt = _brought_back_from(part, later, parts, by_epoch)
            if doubt is None:
                low, high = min(low, now_low), min(high, now_high)
            else:  # its leader can hold this part where another one replaced it, or the other way round
                low, high = min(low, doubt), later.from_offset
        if not part.is_known:
            low = 0
        found.append(replace(part, kept_low=low, kept_high=high, cut_by=cut_by, cut_epoch=cut_epoch))
    return _by_file(found, rows)


def _cut_between(
    part: EpochPart, later: EpochPart, parts: Sequence[EpochPart], rows: Rows, covered: Covered
) -> tuple[int, int]:
    """At which offset a later leader epoch cut a part: the least and the greatest that it can be."""
    if later.leader_id == -1:
        return UNBOUNDED, UNBOUNDED
    if not later.is_known:
        return 0, UNBOUNDED
    led = [one for one in parts if one.life == later.life and _order(one) < _order(later) and one.leader_id != -1]
    before = led[-1] if led else None
    if later.is_start_known:
        return later.from_offset, later.from_offset
    if (
        before is not None
        and before.is_known
        and before.leader_id == later.leader_id
        and not _restarted(before, later, rows, covered)
    ):
        return UNBOUNDED, UNBOUNDED
    lost = [
        row
        for row in rows["losses"]
        if (row.life or 0, row.leader_epoch) == (later.life, later.leader_epoch) and row.from_offset is not None
    ]
    none = [row for row in lost if row.verdict == "NO_LOSS_OBSERVED"]
    if none and len(none) == len(lost):
        return UNBOUNDED, UNBOUNDED
    return 0, UNBOUNDED


def _brought_back_from(
    part: EpochPart, later: EpochPart, parts: Sequence[EpochPart], by_epoch: Mapping[tuple[int, int], Any]
) -> int | None:
    """From which offset on a leader from outside the ISR can hold another part of the log than the leader before it did;
    None if its log is certain, because only one part has these offsets.
    """
    row = by_epoch.get((later.life, later.leader_epoch if later.leader_epoch is not None else -1))
    led = [one for one in parts if one.life == later.life and _order(one) < _order(later) and one.leader_id != -1]
    if (
        row is None
        or not later.is_start_known
        or row.elected_from in _CLEAN
        or row.reason not in ("election", "unknown", None)
    ):
        return None
    if not led or led[-1].leader_id == later.leader_id:
        return None
    both = [
        max(part.from_offset, one.from_offset)
        for one in led
        if one is not part
        and not _is_one_log(part, one)
        and max(part.from_offset, one.from_offset) < min(part.to_offset, one.to_offset, later.from_offset)
    ]
    return min(both, default=None)


def _is_one_log(one: EpochPart, other: EpochPart) -> bool:
    """Whether one leader wrote both parts, the second one after the first in the same log."""
    return one.leader_id == other.leader_id and not (one.is_start_known and other.is_start_known)


def _order(part: EpochPart) -> tuple[int, int]:
    return part.life, part.last_epoch if part.last_epoch is not None else -1


def _by_file(parts: list[EpochPart], rows: Rows) -> list[EpochPart]:
    """The parts, with what a checkpoint of the last leader shows of those that lines leave open."""
    known = [part for part in parts if part.is_known]
    if not known or all(part.kept_low == part.kept_high for part in parts if part.leader_id != -1):
        return parts
    last = known[-1]
    standing = [row for row in rows["epoch_files"] if row.end_ts is None and row.entries is not None]
    mine = [row for row in standing if row.node_id == last.leader_id] or standing
    files = [_entries(row) for row in mine]
    whole = [entries for entries in files if entries and entries[-1][0] == last.leader_epoch]
    if not whole:
        return parts
    entries = whole[0]
    return [
        _as_filed(part, entries) if part.life == last.life and part.kept_low != part.kept_high else part
        for part in parts
    ]


def _as_filed(part: EpochPart, entries: Sequence[tuple[int, int]]) -> EpochPart:
    if not part.is_known:
        return part
    epochs = [epoch for epoch, _ in entries]
    if part.leader_epoch in epochs:
        n = epochs.index(part.leader_epoch)
        end = entries[n + 1][1] if n + 1 < len(entries) else UNBOUNDED
        begin = part.from_offset if part.is_start_known or n == 0 else entries[n][1]
        return replace(
            part, kept_low=end, kept_high=end, from_offset=begin, is_start_known=part.is_start_known or n > 0
        )
    if entries[0][0] < (part.leader_epoch or 0):  # its records did not survive, or it has none
        return replace(part, kept_low=0, kept_high=0)
    return part


def _entries(row: Any) -> list[tuple[int, int]]:
    return [
        (int(entry["leader_epoch"]), int(entry["epoch_start_offset"]))
        for entry in row.entries
        if entry["epoch_start_offset"] is not None
    ]


def _deleted(
    deletions: Sequence[Any], parts: Sequence[EpochPart], rows: Rows, servers: Covered
) -> tuple[int, tuple[str, ...]]:
    """When a broker last deleted its log of the last topic of this name, and the lines; no time if only a replica moved.

    The deletion of a topic deletes the logs of all its replicas. A replica that keeps its log shows that the topic
    goes on.
    """
    last_life = max((part.life for part in parts), default=0)
    border = min((part.begun_by for part in parts if part.life == last_life and part.is_known), default=-UNBOUNDED)
    found = [
        (ts, row)
        for row in deletions
        if (ts := micros(row.ts)) is not None and _is_of_replica(row) and (last_life == 0 or ts > border)
    ]
    nodes = {row.node_id for _, row in found}
    unexplained = [(ts, row) for ts, row in found if not _others_at(ts, rows, servers) - nodes]
    last = max((ts for ts, _ in unexplained), default=-UNBOUNDED)
    return last, tuple(row.event_id for ts, row in unexplained if ts == last)[:2]


def _is_of_replica(row: Any) -> bool:
    """Whether a line shows that a replica's log goes, not a copy for another directory, nor a folder that was renamed
    before.
    """
    message = row.message or ""
    return "-future" not in message and (" is renamed to " in message or "-delete" not in message)


def _others_at(ts: int, rows: Rows, servers: Covered) -> set[int]:
    """The replicas whose server log covers a deletion."""
    there = [row for row in rows["isr_spans"] if row.start_ts is None or (micros(row.start_ts) or 0) <= ts]
    replicas = {node for row in there for node in (*(row.isr or ()), *(row.replicas or ()))}
    return {
        node
        for node in replicas
        if any(begin <= ts and ts + _STILL_THERE <= end for begin, end in servers.get(node, ()))
    }


def _log_starts(rows: Iterable[Any], epochs: Sequence[Any]) -> tuple[int, tuple[str, ...]]:
    """Where the log starts in the end, and the lines that show it."""
    border = max((micros(row.start_ts) or 0 for row in epochs if row.life and row.leader_epoch == 0), default=0)
    best: tuple[int, tuple[str, ...]] = (0, ())
    for row in rows:
        there = micros(row.ts)
        is_later = row.log_start_offset and (there is None or there >= border) and row.log_start_offset > best[0]
        if is_later and row.change not in ("rolled", "compacted"):
            best = (row.log_start_offset, tuple(row.evidence or ())[:2])
    return best


def _known_end(parts: Sequence[EpochPart], rows: Rows) -> int:
    """The surviving log reaches this offset at least, by lines of its last leader epoch."""
    last = [part for part in parts if part.is_known and part.leader_id != -1]
    if not last:
        return 0
    return max(
        (
            row.high_watermark or 0
            for row in rows["high_watermarks"]
            if row.leader_epoch == last[-1].leader_epoch
            and row.node_id == last[-1].leader_id
            and (micros(row.ts) or 0) >= last[-1].from_ts
        ),
        default=0,
    )


def _committed(rows: Iterable[Any], epochs: Sequence[Any], life: int) -> Iterable[tuple[int, int, int]]:
    """Offsets that were committed by a time, from high watermarks of one life."""
    border = max(
        (micros(row.start_ts) or 0 for row in epochs if (row.life or 0) == life and row.leader_epoch == 0), default=0
    )
    for row in rows:
        there = micros(row.ts)
        if row.high_watermark and there is not None and there >= border:
            yield row.high_watermark, there, life
