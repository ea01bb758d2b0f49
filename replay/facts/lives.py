"""Where each process of a node begins, from the lines about its starts and stops. A process begins with a line of
`STARTS`. Other start lines soon after belong to the same process, but a repetition of the first line begins the next
process: a process may be killed repeatedly while it starts. If the start lines are missing, lines that only a starting
process prints show the start. If the files begin within the lines of a start, there is no earlier process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from replay.facts.lines import detail
from replay.facts.reads import reads_each
from replay.facts.times import first_known, millis
from replay.tables.brokers import LineRun
from replay.tables.reading import Fact

STARTS = ("process_start_line", "process_signal_registered", "controller_process_starting", "broker_starting")
FIRST_LINES = (
    "process_start_line",
    "process_signal_registered",
)  # from 1.1 on the other lines of a start come after one of these
STOPS = (
    "process_signal",
    "broker_shutdown_begin",
    "broker_shutting_down",
    "controller_process_shutdown_begin",
    "broker_controlled_shutdown_begin",
)
STOPPED = ("broker_shutdown_done",)
UNCLEAN_START = ("log_dir_unclean_shutdown",)
CLEAN_START = ("log_dir_clean_shutdown",)
# Lines that only a starting process prints, some time after its first ones. If those are missing, these show that it
# restarted.
SHOWS_A_START = (*UNCLEAN_START, *CLEAN_START)
# A start that gave up for one of these found another process in its place: it does not show the end of the life
# before it, which may go on.
HELD_BY_ANOTHER = re.compile(
    r"Failed to acquire lock on file \.lock|Address already in use|DUPLICATE_BROKER_REGISTRATION"
)
FAILED = ("process_startup_failed", "process_fatal_exit")  # lines of a start that gives up
REFUSED = ("broker_registration_failed",)
DUPLICATE_ID = "DUPLICATE_BROKER_REGISTRATION"  # why: another process has the id
STARTED = ("broker_started",)  # the last line of a start, however long it took
STOP_GRANTED = ("controller_controlled_shutdown_begin", "kraft_controlled_shutdown_granted")
# Lines are collected between each pair of these kinds: a life may begin with each of them.
BOUNDS = (*STARTS, *SHOWS_A_START, *FAILED, *REFUSED, *STARTED, *STOPS, *STOPPED)
_SHOWN_WITHIN_MS = 60_000
_START_LASTS_MS = 30_000  # the lines of one start are within this time
_RESTART_TAKES_MS = 1_000  # a line that occurs twice within this time was written to two files


@dataclass
class Life:
    """The lines of one process. `start` is None if it began before the files do, or if it continues after another
    process tried to start beside it. `begins_with`: the first of its lines, as a bound.
    """

    number: int
    start: Fact | None = None
    lines: list[Fact] = field(default_factory=list)
    begins_with: Fact | None = None
    was_refused: bool = False  # it found another process in its place, which continues


@dataclass
class SoFar:
    """The state of one node up to the current line."""

    first_ts: datetime | None = None  # of all of its lines
    last_start: datetime | None = None
    last_stop: datetime | None = None
    last_shown: datetime | None = None  # a line of a start, or one that shows it
    last_done: datetime | None = None
    last_step: str | None = None  # `begun`, `refused`, `done`, `stopping`, `failed`
    last_failed: datetime | None = None
    last_refused: datetime | None = None  # a start that found another process in its place
    began_with: str | None = None  # the kind of line with which the last life began

    def observe(self, line: Fact) -> None:
        """Adds one more line to the state."""
        if is_start(line):
            self.last_start = line.ts
        if is_start(line) or _shows_a_start(line):
            self.last_shown, self.last_step = line.ts, "refused" if line.kind in REFUSED else "begun"
        if line.kind in STARTED:
            self.last_done, self.last_step = line.ts, "done"
        if is_stop(line):
            self.last_stop, self.last_step = line.ts, "stopping"
        if line.kind in FAILED:
            self.last_failed, self.last_step = line.ts, "failed"
            if is_held_by_another(line):
                self.last_refused = line.ts


def is_held_by_another(line: Fact) -> bool:
    """Whether a start failed because another process holds its port, lock or registration."""
    stated = (line.message, detail(line, "exception"), detail(line, "caused_by"))
    return any(text is not None and HELD_BY_ANOTHER.search(text) for text in stated)


def is_start(line: Fact) -> bool:
    """Whether the line is one of the first lines of a start."""
    return line.kind in STARTS


def is_stop(line: Fact) -> bool:
    """Whether the line is a step of an ordered stop. A broker that is the controller grants its own stop."""
    return line.kind in STOPS or (
        line.kind in STOP_GRANTED and line.broker_id is not None and line.broker_id == line.node_id
    )


@reads_each(*BOUNDS, *STOP_GRANTED)
def lives(lines: Iterable[Fact], first_line: LineRun, prints_first_lines: bool) -> list[Life]:
    """The lives of one node, each with its own part of `lines`, which are in order. `first_line`: the node's first
    lines, of any kind. `prints_first_lines`: starts begin with a line of `FIRST_LINES`.
    """
    found, so_far = [Life(0)], SoFar()
    for line in lines:
        if line.event_id != first_line.first_event:
            so_far.first_ts = first_line.first_ts
        if _goes_on_beside(line, so_far):
            found[-1].was_refused = True
            found.append(Life(len(found), begins_with=line))
            so_far.last_refused = None
        apart = _begins_apart(line, so_far, prints_first_lines)
        if apart or _begins_again(line, so_far):
            found.append(Life(len(found), line, begins_with=line))
        if apart:
            so_far.began_with = line.kind
        so_far.observe(line)
        found[-1].lines.append(line)
    return found


def _goes_on_beside(line: Fact, so_far: SoFar) -> bool:
    """Whether the line belongs to the other process, long after a start that was refused because that process was
    running.
    """
    is_of_a_start = is_start(line) or line.kind in (*FAILED, *SHOWS_A_START, *REFUSED, *STARTED)
    return not is_of_a_start and _has_elapsed(so_far.last_refused, line, _SHOWN_WITHIN_MS)


def _begins_apart(line: Fact, so_far: SoFar, prints_first_lines: bool) -> bool:
    """Whether a life begins: with the first start, with a start long after the last one or after a stop, or with a
    start whose first lines are missing.
    """
    return _shows_a_start_unseen(line, so_far) or (
        is_start(line)
        and (
            (so_far.last_start is None and not (prints_first_lines and _is_amid_a_start(line, so_far)))
            or _has_elapsed(so_far.last_start, line, _START_LASTS_MS)
            or _stopped_since_start(so_far)
        )
    )


def _begins_again(line: Fact, so_far: SoFar) -> bool:
    """Whether the line repeats the first line of the last start."""
    at_first = line.kind == so_far.began_with if so_far.began_with is not None else line.kind in FIRST_LINES
    return is_start(line) and at_first and _has_elapsed(so_far.last_start, line, _RESTART_TAKES_MS)


def _shows_a_start_unseen(line: Fact, so_far: SoFar) -> bool:
    """Whether the line shows a start whose first lines are missing.

    In a file that several nodes share, only some lines of a start name the node. The end of a start after a stop, or
    after a finished start, belongs to another start.
    """
    if line.kind in FAILED:
        return _fails_by_itself(line, so_far)
    if _shows_a_start(line):
        asks_again = line.kind in REFUSED and so_far.last_step == "refused"  # the same process
        return not asks_again and _has_elapsed(first_known(so_far.last_shown, so_far.first_ts), line, _SHOWN_WITHIN_MS)
    done_before = so_far.last_step in ("done", "stopping")
    written_twice = so_far.last_done is not None and not _has_elapsed(so_far.last_done, line, _RESTART_TAKES_MS)
    return line.kind in STARTED and done_before and not written_twice


def _fails_by_itself(line: Fact, so_far: SoFar) -> bool:
    """Whether this is a failed start with only its failure in the logs: long after another start, or after a process
    that ran.
    """
    if so_far.last_failed is not None:
        return so_far.last_step == "failed" and _has_elapsed(so_far.last_failed, line, _SHOWN_WITHIN_MS)
    is_running = so_far.last_step in (None, "done")
    return (
        is_running
        and _is_of_a_start(line)
        and _has_elapsed(first_known(so_far.last_done, so_far.first_ts), line, _SHOWN_WITHIN_MS)
    )


def _is_of_a_start(line: Fact) -> bool:
    return line.kind == "process_startup_failed" or "during startup" in (line.message or "")


def _shows_a_start(line: Fact) -> bool:
    refused = line.kind in REFUSED and DUPLICATE_ID in (line.message or "")
    return line.kind in SHOWS_A_START or refused


def _is_amid_a_start(line: Fact, so_far: SoFar) -> bool:
    """Whether the files begin within the lines of a start, so that its first lines are missing."""
    since_first = millis(line.ts, so_far.first_ts)
    return line.kind not in FIRST_LINES and since_first is not None and since_first <= _START_LASTS_MS


def _stopped_since_start(so_far: SoFar) -> bool:
    return so_far.last_stop is not None and so_far.last_start is not None and so_far.last_stop > so_far.last_start


def _has_elapsed(since: datetime | None, line: Fact, amount_ms: int) -> bool:
    """Whether more than `amount_ms` passed from `since` to a line; False if `since` is unknown."""
    passed = millis(line.ts, since)
    return passed is not None and passed > amount_ms
