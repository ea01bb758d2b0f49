"""When each node's log of each kind is there: from the runs of its lines, the proven gaps, and what the node's other
logs show.

A quiet log is no gap. A log begins and ends with its own lines, or with the node's other lines if nothing shows that it
lacks lines before or after its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

from replay.coverage.log_kinds import SERVER, STATE_CHANGE
from replay.facts.groups import by_key, grouped
from replay.facts.missing_lines import FETCHERS, ROLES
from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, least, plus_millis
from replay.facts.window import TimeWindow
from replay.faults.kinds import CRASHES, ORDERED_STOPS, Stops, stopping
from replay.tables.brokers import MissingLine, RoleChange
from replay.tables.coverage import CoverageSpan, LogRun, RotationGap
from replay.tables.faults import Fault
from replay.tables.questions import EpochWithoutLine, QuietTime

_AT_ONCE_MS = 2_000  # the lines of one change of roles in two logs are within this time
_AWAY_AT_MOST_MS = 3_600_000  # a fault without a known end explains silence for this long
_AWAY = (*CRASHES, *ORDERED_STOPS, "paused", "silent")
_MISSES = (*stopping(Stops.RUNNING), *stopping(Stops.SESSION))
_BACK_MS = 5_000  # a node that is back has applied the changes that it missed within this time
_OFTEN = 3  # a log in which this many leader epochs lack their line lacks lines
_ANSWERS = {STATE_CHANGE: FETCHERS, SERVER: ROLES}  # each log prints its own lines of these changes of roles


def coverage_spans(
    log_runs: Sequence[LogRun],
    role_changes: Sequence[RoleChange],
    missing_lines: Sequence[MissingLine],
    rotation_gaps: Sequence[RotationGap],
    quiet_times: Sequence[QuietTime],
    epochs_without_line: Sequence[EpochWithoutLine],
    faults: Sequence[Fault],
    window: TimeWindow,
) -> list[CoverageSpan]:
    """The times that each node's log of each kind covers. The silence of a node that was away is covered."""
    unexplained = [time for time in quiet_times if time.without_line and not was_away(time, faults)]
    gaps = _Gaps(missing_lines, rotation_gaps, unexplained)
    changes = by_key(role_changes, lambda change: change.node_id)
    away = by_key(faults, lambda fault: fault.broker_id)
    lacking = by_key(
        (epoch for epoch in epochs_without_line if not any(_is_away(fault, epoch) for fault in away[epoch.node_id])),
        lambda epoch: epoch.node_id,
    )
    found: list[CoverageSpan] = []
    for node, runs in sorted(grouped(log_runs, lambda run: run.node_id).items()):
        node_begin, node_end = min(run.start_ts for run in runs), max(run.end_ts for run in runs)
        logs = by_key(runs, lambda run: run.log)
        for log, own in logs.items():
            pieces = list(_joined(sorted(own, key=lambda run: run.number), gaps))
            pieces = _extended(pieces, log, changes.get(node, ()), node_begin, node_end)
            found += [_with_doubt(span, lacking.get(node, ()), logs) for span in _in_window(pieces, window)]
    return found


class _Gaps:
    """The times of each node in which lines are certainly missing."""

    def __init__(
        self, missing: Iterable[MissingLine], rotated: Iterable[RotationGap], quiet_times: Iterable[QuietTime]
    ) -> None:
        of_series: list[MissingLine | RotationGap] = [*missing, *rotated]
        self._of_series = grouped(of_series, lambda gap: gap.node_id)
        self._of_node = grouped(quiet_times, lambda gap: gap.node_id)

    def is_one_between(self, before: LogRun, after: LogRun) -> bool:
        """Whether lines of this log are missing between two of its runs."""
        logs = {*(before.series or ()), *(after.series or ())}
        of_series = (gap for gap in self._of_series.get(before.node_id, ()) if gap.series in logs)
        gaps: list[MissingLine | RotationGap | QuietTime] = [*of_series, *self._of_node.get(before.node_id, ())]
        return any(
            gap.start_ts is not None
            and gap.end_ts is not None
            and before.end_ts <= gap.start_ts
            and gap.end_ts <= after.start_ts
            for gap in gaps
        )


def _joined(runs: Sequence[LogRun], gaps: _Gaps) -> Iterator[LogRun]:
    """The runs of one log, those without a gap between them as one."""
    open_run = runs[0]
    for before, after in pairwise(runs):
        if gaps.is_one_between(before, after):
            yield open_run
            open_run = after
        else:
            open_run = open_run.but(
                end_ts=after.end_ts,
                end_event=after.end_event,
                lines=(open_run.lines or 0) + (after.lines or 0),
                roles=(open_run.roles or 0) + (after.roles or 0),
                series=sorted({*(open_run.series or ()), *(after.series or ())}),
                is_active=after.is_active,
            )
    yield open_run


def _extended(
    pieces: Sequence[LogRun], log: str, changes: Iterable[RoleChange], node_begin: datetime, node_end: datetime
) -> list[LogRun]:
    """The pieces of one log. The first begins with the node's first line, and the last ends with its last one, if the
    log was quiet there: no other log shows a change of roles that this log would show.

    server.log is never quiet before its first line, unless that begins a process. A log of which only rotated files are
    there goes on in a file that is not.
    """
    first, last = pieces[0], pieces[-1]
    asked = [
        change.ts
        for change in changes
        if change.sort == _ANSWERS.get(log) and change.series not in {*(first.series or ()), *(last.series or ())}
    ]
    starts_quiet = log != SERVER or first.begins_process
    is_cut_before = any(ts < plus_millis(first.start_ts, -_AT_ONCE_MS) for ts in asked)
    is_cut_after = any(ts > plus_millis(last.end_ts, _AT_ONCE_MS) for ts in asked)
    found = list(pieces)
    if starts_quiet and not is_cut_before:
        found[0] = found[0].but(start_ts=node_begin)
    if last.is_active and not is_cut_after:
        found[-1] = found[-1].but(end_ts=node_end)
    return found


def _in_window(pieces: Iterable[LogRun], window: TimeWindow) -> Iterator[CoverageSpan]:
    """The pieces as spans, cut to the window: of the time outside, only some lines were read."""
    for piece in pieces:
        start_ts, end_ts = greatest(piece.start_ts, window.since), least(piece.end_ts, window.until)
        if start_ts is not None and end_ts is not None and start_ts <= end_ts:
            yield CoverageSpan(
                node_id=piece.node_id,
                log=piece.log,
                start_ts=start_ts,
                end_ts=end_ts,
                lines=piece.lines,
                roles=piece.roles,
                complete=True,
                evidence=list(dict.fromkeys([piece.start_event, piece.end_event])),
            )


def _with_doubt(
    span: CoverageSpan, lacking: Sequence[EpochWithoutLine], logs: Mapping[str, Sequence[LogRun]]
) -> CoverageSpan:
    """The span; incomplete if the node took part in leader epochs of this time for which this log lacks the lines, and
    the log prints such lines.
    """
    prints_roles = any(run.roles for run in logs[span.log])
    missing = sum(span.start_ts <= epoch.start_ts <= span.end_ts for epoch in lacking) if prints_roles else 0
    return span.but(complete=False) if missing >= _OFTEN else span


def _is_away(fault: Fault, epoch: EpochWithoutLine) -> bool:
    """Whether a node with this fault may have missed a leader epoch: no process of it ran, or it reached nobody."""
    began, over = (
        first_known(fault.began_low, fault.ts),
        plus_millis(first_known(fault.ended_high, fault.end_ts), _BACK_MS),
    )
    return (
        fault.kind in _MISSES
        and at_most(plus_millis(began, -_AT_ONCE_MS), epoch.start_ts)
        and not less(over, epoch.start_ts)
    )


def was_away(quiet: QuietTime, faults: Iterable[Fault]) -> bool:
    """Whether a fault of the node explains its silence: it was dead, frozen, or did not reach anybody."""
    return any(_explains(fault, quiet) for fault in faults)


def _explains(fault: Fault, quiet: QuietTime) -> bool:
    began, over = first_known(fault.began_low, fault.ts), fault.end_ts or plus_millis(fault.ts, _AWAY_AT_MOST_MS)
    is_its_own = fault.kind in _AWAY and fault.broker_id == quiet.node_id
    return is_its_own and less(began, quiet.end_ts) and less(quiet.start_ts, over)
