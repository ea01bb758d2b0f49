"""The log directory of each replica on a broker, and moves between directories (KIP-113), as far as lines show them.
A replica that moves is copied first: the directory of the copy ends in `-future` until it takes the replica's place.
Source:
LogManager, UnifiedLog.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from replay.facts.evidence import joined
from replay.facts.times import first_known
from replay.offsets.own_lines import by_broker
from replay.tables.offsets import LogDirectory
from replay.tables.reading import Event

_CREATED, _LOADED, _REPLACED, _DELETED = (
    "log_created",
    "log_load_completed",
    "future_replica_promoted",
    "log_deleted",
)
# Where no line is of these kinds, the replicas lie where the settings say.
MOVES = frozenset(
    (_REPLACED, "future_replica_copy", "log_dir_failed", "log_dir_failure_begin", "kraft_directories_offline")
)
_IS_REPLACED = re.compile(r"successfully (?:replaced|recovered)")
_IS_LEFT = re.compile(r"-(?:delete|stray)$")
_DIR = re.compile(r"\bdir=([^,)]+)")


@dataclass(frozen=True, slots=True)
class _Step:
    """One line about a replica's directory: `change` is `created`, `found`, `copying`, `moved` or `gone`; `copy` is the
    last copy until then.
    """

    line: Event
    change: str
    log_dir: str | None
    before: str | None = None
    copy: _Step | None = None


def log_directories(partition_events: Iterable[Event], kinds: frozenset[str]) -> Iterator[LogDirectory]:
    """The times in which replicas of one partition were in directories, and in which copies were made elsewhere;
    `kinds` are those of all events of the cluster. Only a log that is to be deleted is printed as renamed; the one that
    a copy replaces is not. Its later deletion says nothing about the replica.
    """
    if not MOVES & kinds:
        return
    for node_id, lines in by_broker(partition_events, (_CREATED, _LOADED, _REPLACED, _DELETED)).items():
        if node_id is not None:
            steps = [step for line in lines if line.ts is not None and (step := _step(line)) is not None]
            yield from _lain(steps)
            yield from _copied(steps)


def _step(line: Event) -> _Step | None:
    path = _path(line)
    last = "" if path is None else path.rsplit("/", 1)[-1]
    if line.kind != _DELETED and _IS_LEFT.search(last):
        return None  # what is to be deleted is no replica any more
    change = _change(line, last)
    if path is None:
        return _Step(line, change, None) if change == "moved" else None
    is_log = last.startswith(f"{line.topic}-{line.partition}")
    return _Step(line, change, path.rpartition("/")[0] if is_log else path)


def _path(line: Event) -> str | None:
    details = line.details or {}
    if line.kind == _CREATED:
        return details.get("log_dir")
    if line.kind == _LOADED:
        return first_known(_dir_in(line, "loaded_log"), details.get("log_dir"), details.get("dir"))
    if line.kind == _REPLACED:
        return first_known(_dir_in(line, "dest_log"), _dir_in(line, "future_log"))
    return details.get("new_path")


def _dir_in(line: Event, field: str) -> str | None:
    """The directory of a log as Kafka prints the log: `Log(dir=/d0/orders-0, topic=…`."""
    found = _DIR.search((line.details or {}).get(field) or "")
    return found[1] if found else None


def _change(line: Event, last: str) -> str:
    if line.kind == _DELETED:
        return "gone"
    if line.kind == _REPLACED:
        return "moved" if _IS_REPLACED.search(line.message or "") else "copying"
    if last.endswith("-future"):
        return "copying"
    return "created" if line.kind == _CREATED else "found"


def _lain(steps: Iterable[_Step]) -> Iterator[LogDirectory]:
    """The directory of a replica over time: from a line that names a new directory to the next such line."""
    for step, then in pairwise([*_moves(steps), None]):
        if step is not None and step.change != "gone":
            copied = None if step.change != "moved" or step.copy is None else [step.copy.line.event_id]
            yield _row(step, then, step.before, joined(copied, [step.line.event_id]))


def _moves(steps: Iterable[_Step]) -> Iterator[_Step]:
    """The steps that change the replica's directory or remove the replica."""
    copy: _Step | None = None
    lay_in: str | None = None
    before: str | None = None
    for step in steps:
        if step.change == "copying":
            copy = step
            continue
        log_dir = step.log_dir
        if step.change == "moved":
            log_dir = first_known(log_dir, None if copy is None else copy.log_dir)
        is_gone = step.change == "gone"
        if log_dir is None or (is_gone and log_dir != lay_in):
            continue  # what was deleted elsewhere was a copy
        if is_gone or log_dir != before:
            yield replace(step, log_dir=log_dir, before=before, copy=copy)
        before = None if is_gone else log_dir
        lay_in = lay_in if is_gone else log_dir


def _copied(steps: Iterable[_Step]) -> Iterator[LogDirectory]:
    """The copies in another directory, each until it took the replica's place or was abandoned."""
    for step, then in pairwise([*_begun(steps), None]):
        if step is not None and step.change == "copying":
            yield _row(step, then, None, [step.line.event_id])


def _begun(steps: Iterable[_Step]) -> Iterator[_Step]:
    before: str | None = None
    for step in steps:
        if step.change in ("copying", "moved", "gone"):
            is_copy = step.change == "copying"
            if not is_copy or step.log_dir != before:
                yield step
            before = step.log_dir if is_copy else None


def _row(step: _Step, then: _Step | None, before: str | None, evidence: Sequence[str]) -> LogDirectory:
    line = step.line
    return LogDirectory(
        node_id=line.node_id,
        topic=line.topic,
        partition=line.partition,
        log_dir=step.log_dir,
        start_ts=line.ts,
        end_ts=None if then is None else then.line.ts,
        before=before,
        change=step.change,
        evidence=evidence,
    )
