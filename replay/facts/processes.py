"""The processes of each node from its own files: when each started, its last line, and how it ended.

An ordered stop announces itself; a kill, an out-of-memory kill and a power loss leave nothing but the next start
(kafka-log-formats §8.12).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from replay.facts.groups import by_key
from replay.facts.lines import detail
from replay.facts.lives import (
    BOUNDS,
    CLEAN_START,
    FIRST_LINES,
    HELD_BY_ANOTHER,
    STOP_GRANTED,
    STOPPED,
    UNCLEAN_START,
    Life,
    is_stop,
    lives,
)
from replay.facts.order import at_most, less
from replay.facts.reads import reads_each
from replay.facts.times import first_known, known, millis, plus_millis
from replay.tables.brokers import LineRun, MissingLine, ProcessLife
from replay.tables.reading import Fact

GAVE_UP = ("broker_controlled_shutdown_gave_up",)
MOVED_AWAY = ("broker_controlled_shutdown_done",)
FATAL = (
    "process_fatal_exit",
    "process_startup_failed",
    "log_dirs_all_failed",
    "broker_halt_io_error",
    "broker_halt_dir_offline",
    "log_dir_failure_fatal",
    "fetch_truncation_not_allowed",
    "fault_fatal",
    "broker_offline_dir_unreported",
    "broker_registration_timeout",
)
_CLUSTER = ("cluster_id",)
_RELEASE = ("process_version",)
UNREGISTERED = ("process_app_unregistered",)
_READ = (*BOUNDS, *STOP_GRANTED, *GAVE_UP, *MOVED_AWAY, *FATAL, *UNREGISTERED, *_CLUSTER, *_RELEASE)
_STOP_LASTS_MS = 600_000
_GRANTED_AFTER_LAST_LINE_MS = 1_000  # clocks differ: the last line may be this much later than the grant
_STOPS_ITSELF_MS = 60_000  # the steps of a shutdown that a fatal error begins are no ordered stop


T = TypeVar("T", LineRun, MissingLine, Fact)


@dataclass(frozen=True)
class StopEvidence:
    """What other nodes logged about one node: when controllers granted it a stop, and at which times its lines are missing."""

    stops_granted: Sequence[datetime] = ()
    holes: Sequence[MissingLine] = ()


@dataclass(frozen=True)
class Ran:
    """One process by its own lines, with its cluster id, and whether another process prevented it from running."""

    row: ProcessLife
    cluster: str | None
    was_refused: bool = False


def processes(
    facts: Sequence[Fact], line_runs: Iterable[LineRun], missing_lines: Iterable[MissingLine]
) -> list[ProcessLife]:
    """The lives of each node's process.

    `ended` is null for a process that still runs at the end of its files or that ends with them without a known cause;
    for one that continued while another tried to start beside it; and for that failed start. If a process ends where lines
    are missing (`missing_lines`), it may have stopped there: the end is unknown unless the next start shows that it did
    not. The start of a broker of another cluster shows nothing about the end either.

    Lines of only a ZooKeeper client or server before the first start are no process: container images contact ZooKeeper
    first. Lines without a known node belong to no process, since several nodes may write to one file. A node without
    server.log has no row: its other files show neither start nor end. The controller's line that grants a shutdown also
    shows an ordered stop.
    """
    own, granted, holes = (
        by_key(_own_lines(facts), lambda line: line.node_id),
        _stops_granted(facts),
        by_key(missing_lines, lambda hole: hole.node_id),
    )
    runs_by_node = by_key(sorted(line_runs, key=lambda run: run.number), lambda run: run.node_id)
    prints_first_lines = any(fact.kind in FIRST_LINES for fact in facts)
    found = []
    for node, runs in sorted(runs_by_node.items()):
        if any(line_run.of_server_log for line_run in runs):
            in_order = sorted(own.get(node, []), key=_in_files)
            ran = _ran(lives(in_order, runs[0], prints_first_lines), runs)
            stops = StopEvidence(granted.get(node, []), holes.get(node, []))
            found += [_with_end(one, then, stops) for one, then in zip(ran, [*ran[1:], None], strict=False)]
    return found


@reads_each(*_READ)
def _own_lines(facts: Iterable[Fact]) -> list[Fact]:
    """A node's own lines about its process that have a time."""
    return [
        fact
        for fact in facts
        if fact.kind in _READ and fact.node_id is not None and fact.ts is not None and fact.logger is not None
    ]


def _stops_granted(facts: Iterable[Fact]) -> dict[int, list[datetime]]:
    """By broker, when another node that was the controller granted it a stop."""
    granted: dict[int, list[datetime]] = {}
    for fact in facts:
        by_another = fact.node_id is not None and fact.broker_id is not None and fact.node_id != fact.broker_id
        if fact.kind in STOP_GRANTED and by_another and fact.ts is not None:
            granted.setdefault(fact.broker_id, []).append(fact.ts)
    return granted


def _in_files(line: Fact) -> tuple[datetime, str, int]:
    return line.ts, line.source_file, line.line_number


def _ran(lives: Sequence[Life], runs: Sequence[LineRun]) -> list[Ran]:
    """The lives that were processes: those with a start, or with a line that Kafka printed."""
    in_lives = zip(lives, _runs_of(lives, runs), strict=True)
    return [_as_logged(life, own) for life, own in in_lives if life.start or any(one.of_kafka for one in own)]


def _runs_of(lives: Sequence[Life], runs: Sequence[LineRun]) -> Iterator[list[LineRun]]:
    """For each life its runs of lines; a life begins with the first line of a run."""
    begins = {life.begins_with.event_id for life in lives if life.begins_with}
    of_life: list[LineRun] = []
    for line_run in runs:
        if line_run.first_event in begins:
            yield of_life
            of_life = []
        of_life.append(line_run)
    yield of_life


def _as_logged(life: Life, runs: Sequence[LineRun]) -> Ran:
    last = max(runs, key=lambda line_run: (line_run.last_ts, line_run.last_line))
    bound = life.lines[-1] if life.was_refused else None  # what follows is of the process that was there before
    stop, fatal = _first(life, is_stop), _first_of(life, FATAL)
    cluster, release = _first_of(life, _CLUSTER), _first_of(life, _RELEASE)
    row = ProcessLife(
        node_id=last.node_id,
        life=life.number,
        start_ts=life.start.ts if life.start else None,
        start_event=life.start.event_id if life.start else None,
        release=_release_of(release),
        first_ts=runs[0].first_ts,
        last_ts=bound.ts if bound else last.last_ts,
        last_event=bound.event_id if bound else last.last_event,
        stop_ts=stop.ts if stop else None,
        stop_event=stop.event_id if stop else None,
        stopped_event=_event(_first_of(life, STOPPED) or _first(life, _is_last_of_a_node)),
        gave_up_event=_event(_first_of(life, GAVE_UP)),
        moved_away_event=_event(_first_of(life, MOVED_AWAY)),
        fatal_event=_event(fatal),
        fatal_ts=fatal.ts if fatal else None,
        fatal_said=_full_message(fatal) if fatal else None,
        unclean_start_event=_event(_first_of(life, UNCLEAN_START)),
        clean_start_event=_event(_first_of(life, CLEAN_START)),
        recovery_event=max(known(line_run.recovery_event for line_run in runs), default=None),
    )
    return Ran(row, detail(cluster, "cluster_id") if cluster else None, life.was_refused)


def _release_of(line: Fact | None) -> str | None:
    """`3.9.1`, without a vendor's suffix."""
    found = re.match(r"\d+(?:\.\d+)+", detail(line, "kafka_version") or "") if line else None
    return found[0] if found else None


def _first(life: Life, which: Callable[[Fact], bool]) -> Fact | None:
    return min(filter(which, life.lines), key=lambda line: (line.ts, line.line_number), default=None)


def _first_of(life: Life, kinds: Sequence[str]) -> Fact | None:
    return _first(life, lambda line: line.kind in kinds)


def _is_last_of_a_node(line: Fact) -> bool:
    """Whether it is the last line of a node without a broker that stops."""
    return line.kind in UNREGISTERED and detail(line, "app_name") == "kafka.server"


def _event(line: Fact | None) -> str | None:
    return line.event_id if line else None


def _full_message(line: Fact) -> str:
    """The message of a line, its exception, and the innermost cause."""
    cause = detail(line, "caused_by")
    text = ": ".join(known([line.message, detail(line, "exception")]))
    return text if cause is None else f"{text}; caused by {cause}"


def _with_end(one: Ran, next_one: Ran | None, stops: StopEvidence) -> ProcessLife:
    """A life with what the next one found at its start, and how it ended."""
    then = next_one.row if next_one else ProcessLife()
    return one.row.but(
        next_start_ts=then.start_ts,
        next_start_event=then.start_event,
        next_release=then.release,
        recovered_event=_recovered(then),
        clean_event=then.clean_start_event,
        ended=_ended(one, next_one, stops),
    )


def _recovered(then: ProcessLife) -> str | None:
    """An event that shows that a life found no clean-shutdown marker of the one before it."""
    return first_known(then.unclean_start_event, then.recovery_event)


def _ended(one: Ran, next_one: Ran | None, stops: StopEvidence) -> str | None:
    """How a process ended, by its own lines, by what the next one found, or by the controller's grant."""
    then = next_one.row if next_one else ProcessLife()
    found_clean = then.clean_start_event is not None and _recovered(then) is None
    if one.was_refused:
        return None
    if _is_fatal(one.row):
        return "fatal"
    if one.row.stop_event is not None:
        return "stopped"
    if found_clean or (_recovered(then) is None and _was_granted_a_stop(one.row, then, stops)):
        return "stopped_unseen"
    if next_one and not _is_end_unseen(one.row, then, stops) and not _proves_no_end(one, next_one):
        return "killed"
    return None


def _is_fatal(life: ProcessLife) -> bool:
    """Whether a fatal error ended it, even if it then began to shut itself down."""
    since_fatal = millis(life.stop_ts, life.fatal_ts)
    return life.fatal_event is not None and (
        life.stop_event is None or (since_fatal is not None and 0 <= since_fatal <= _STOPS_ITSELF_MS)
    )


def _was_granted_a_stop(life: ProcessLife, then: ProcessLife, stops: StopEvidence) -> bool:
    since = plus_millis(life.last_ts, -_GRANTED_AFTER_LAST_LINE_MS)
    until = first_known(then.start_ts, plus_millis(life.last_ts, _STOP_LASTS_MS))
    return any(at_most(since, ts) and at_most(ts, until) for ts in stops.stops_granted)


def _is_end_unseen(life: ProcessLife, then: ProcessLife, stops: StopEvidence) -> bool:
    """Whether it ended where lines of its node are missing, and the next process does not show how."""
    in_a_hole = any(less(hole.start_ts, then.start_ts) and less(life.last_ts, hole.end_ts) for hole in stops.holes)
    return _recovered(then) is None and in_a_hole


def _proves_no_end(one: Ran, next_one: Ran) -> bool:
    """Whether the next start shows nothing about the end: it found another process running, belongs to another cluster,
    or only its failure is logged, so that its begin is unknown.
    """
    then = next_one.row
    found_another = HELD_BY_ANOTHER.search(then.fatal_said or "") is not None
    is_shown_by_its_end = then.start_event is not None and then.start_event == then.fatal_event
    of_another_cluster = one.cluster is not None and next_one.cluster is not None and one.cluster != next_one.cluster
    return found_another or of_another_cluster or is_shown_by_its_end
