"""Lines about the end of a process that goes on: they are of a second process that somebody started beside it, or of
another node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from replay.facts.lives import HELD_BY_ANOTHER
from replay.facts.node_lines import series
from replay.weighing.doubts import Doubt
from replay.weighing.evidence import ENDED, FAILURES, SECOND, SIGNALS, STARTS, STEPS, Evidence, Line
from replay.weighing.reasons import PROCESS_GOES_ON, SECOND_PROCESS

_OF_ONE_STOP = 60 * SECOND  # between two lines of one stop
_AFTER_THE_END = SECOND
_OF_ONE_START = 120 * SECOND
_BETWEEN_LINES_OF_A_START = 30 * SECOND
# Kinds of lines that a process prints while it starts, besides those that show a start.
_STARTING = (
    "process_",
    "config_",
    "zk_",
    "log_manager_",
    "log_dir_",
    "raft_",
    "listener_",
    "broker_",
    "meta_properties",
)


def ended_processes(evidence: Evidence) -> Iterator[Doubt]:
    """Lines about stops and fatal errors after which the node goes on without a start."""
    for node in sorted(evidence.nodes):
        for stop in _stops(evidence.of(*SIGNALS, *FAILURES, *STEPS, node=node)):
            yield from _of_stop(evidence, node, stop)


def _stops(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines of each stop. A step alone, without a line that begins a stop, is none."""
    stop: list[Line] = []
    for line in lines:
        if stop and line.at - stop[-1].at > _OF_ONE_STOP:
            yield stop
            stop = []
        if stop or line.kind in (*SIGNALS, *FAILURES):
            stop.append(line)
    if stop:
        yield stop


def _of_stop(evidence: Evidence, node: int, stop: Sequence[Line]) -> Iterator[Doubt]:
    starts = evidence.of(*STARTS, node=node)
    then = next((line for line in starts if line.at > stop[0].at), None)
    own = [line for line in stop if then is None or line.at <= then.at]
    has_steps = any(line.kind in STEPS and line.kind not in ENDED for line in own)
    has_ended = any(line.kind in (*ENDED, *FAILURES) for line in own)
    # Another log that goes on shows nothing: the start stands in the log that does not.
    until = inf if then is None else then.at
    running = evidence.running(node, own[-1].at + _AFTER_THE_END, until, series(own[-1].source_file))
    if running and (has_ended or not has_steps):
        yield from _second_process(evidence, node, starts, own, running)
    elif not (running or has_steps or has_ended) and then is not None and len(own) == 1 and _is_alone(own[0]):
        because = (
            f"No further step of a shutdown follows it, and the next start of node {node} shows that the log goes on."
        )
        yield Doubt(own[0], PROCESS_GOES_ON, because, [then.event_id])


def _is_alone(line: Line) -> bool:
    """Whether Kafka prints the next step within milliseconds of the line."""
    return line.kind == "broker_shutdown_begin"


def _second_process(
    evidence: Evidence, node: int, starts: Sequence[Line], stop: Sequence[Line], running: Sequence[str]
) -> Iterator[Doubt]:
    begin = _start_before(starts, stop[0])
    refused = any(_is_refused(line) for line in stop)
    starts_too = [] if begin is None else _lines_of_start(evidence, node, begin, stop[0])
    failed = any(line.kind == "process_startup_failed" or "during startup" in (line.message or "") for line in stop)
    is_second = refused or (failed and begin is not None)
    reason = SECOND_PROCESS if is_second else PROCESS_GOES_ON
    because = (
        f"Node {node} goes on without a start after it: another process tried to start beside it."
        if is_second
        else f"Node {node} goes on without a start after it."
    )
    for line in [*(starts_too if is_second else ()), *stop]:
        yield Doubt(line, reason, because, running)


def _is_refused(line: Line) -> bool:
    """Whether a process gave up because another one holds its port, its lock or its id."""
    texts = (line.message, line.details.get("exception"), line.details.get("caused_by"))
    return any(text is not None and HELD_BY_ANOTHER.search(text) for text in texts)


def _start_before(starts: Sequence[Line], stop: Line) -> Line | None:
    """The first line of a start shortly before a stop, if that start was not completed; None without one."""
    near = [line for line in starts if stop.at - _OF_ONE_START <= line.at <= stop.at]
    done = max((line.at for line in near if line.kind in ("broker_started", "broker_registered")), default=0)
    found = None
    for line in reversed([line for line in near if line.at > done]):
        if found is not None and found.at - line.at > _BETWEEN_LINES_OF_A_START:
            break
        found = line
    return found


def _lines_of_start(evidence: Evidence, node: int, begin: Line, stop: Line) -> list[Line]:
    """The lines that a process printed while it started."""
    kinds = [kind for kind in evidence.lines if kind in STARTS or kind.startswith(_STARTING)]
    return [
        line for line in evidence.of(*kinds, node=node) if begin.at <= line.at <= stop.at and line.kind not in FAILURES
    ]
