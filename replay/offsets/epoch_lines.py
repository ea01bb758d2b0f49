"""The lines that show the entries of replicas' leader-epoch caches (the files `leader-epoch-checkpoint`; facts §1.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from replay.facts.groups import by_key
from replay.facts.lines import detail, detail_number, number_in
from replay.facts.times import first_known
from replay.tables.offsets import EpochLine
from replay.tables.reading import Event

TRUNCATED = ("log_truncated_to", "truncation_below_hw", "log_recovery_truncated", "log_truncated_fully")
STARTED = ("log_start_offset_incremented", "checkpoint_log_start_offset")
LOADED = "log_load_completed"  # a broker that loads a log removes the entries from its log end on
CHECKPOINT_ENTRY = "checkpoint_leader_epoch"
_ALWAYS_KEPT = {"leader_start", "epoch_cache_assigned", CHECKPOINT_ENTRY, LOADED, *TRUNCATED, *STARTED}
_DELETED = "log_deleted"
_RENAMED = " is renamed to "  # a replica's folder, before it is deleted
_SET_ASIDE = re.compile(r"-(?:delete|stray)/")  # a file in the folder of a replica that is being removed


def epoch_lines(partition_events: Iterable[Event]) -> Iterator[EpochLine]:
    """The lines that start a leader epoch, add a cache entry, truncate a log, or show a file's content."""
    for line in partition_events:
        is_kept = line.kind in _ALWAYS_KEPT or (line.kind == _DELETED and _RENAMED in (line.message or ""))
        if is_kept and line.node_id is not None:
            entry = detail(line, "epoch_entry")
            yield EpochLine(
                topic=line.topic,
                partition=line.partition,
                node_id=line.node_id,
                ts=line.ts,
                line_number=line.line_number,
                kind=line.kind,
                source_file=line.source_file,
                event_id=line.event_id,
                truncation_offset=line.log_end_offset if line.kind == LOADED else line.truncation_offset,
                log_start_offset=line.log_start_offset,
                leader_epoch=first_known(line.leader_epoch, number_in(entry, r"epoch=(\d+)")),
                epoch_start_offset=first_known(line.epoch_start_offset, number_in(entry, r"startOffset=(\d+)")),
                previous_leader_epoch=detail_number(line, "previous_leader_epoch"),
            )


def checkpoint_files(lines: Iterable[EpochLine]) -> list[list[EpochLine]]:
    """The entries of each file in their order, without files in folders of replicas that are being removed."""
    entries = [line for line in lines if line.kind == CHECKPOINT_ENTRY and not _SET_ASIDE.search(line.source_file)]
    files = by_key(entries, lambda line: (line.node_id, line.source_file))
    return [sorted(file, key=lambda line: line.line_number) for file in files.values()]


def filed_changes(lines: Iterable[EpochLine]) -> list[EpochLine]:
    """The entries of the files after the first one of each: the log holds records of an earlier leader epoch before
    them. The first entry of a file may be the log start instead.
    """
    return [line for file in checkpoint_files(lines) for line in file[1:]]
