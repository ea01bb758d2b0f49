"""The lines of each node's logs, in runs between the times in which lines may be missing. Few rows, whatever the input.

Each function sees the events of one node in the order of time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replay.coverage.log_kinds import LOG_KINDS, log_of
from replay.facts.lines import is_own_line, kafka_lines
from replay.facts.lives import FIRST_LINES
from replay.facts.node_lines import ROLE_LINES, series
from replay.facts.window import TimeWindow
from replay.tables.brokers import MissingLine
from replay.tables.coverage import LogRun, RotationGap
from replay.tables.questions import LineGap
from replay.tables.reading import Event


def log_runs(
    node_events: Sequence[Event],
    line_gaps: Sequence[LineGap],
    missing_lines: Sequence[MissingLine],
    rotation_gaps: Sequence[RotationGap],
    window: TimeWindow,
) -> list[LogRun]:
    """The runs of the node's logs of each kind: a run ends where a gap lies between two lines of the log."""
    own = [line for line in window.unbroken_in(kafka_lines(node_events), series) if is_own_line(line)]
    gaps = Gaps([*line_gaps, *missing_lines, *(gap for gap in rotation_gaps if own and gap.node_id == own[0].node_id)])
    runs: dict[str, list[_Run]] = {log: [] for log in LOG_KINDS}
    for line in own:
        found = runs[log_of(line.logger, line.template_id)]
        if not found or gaps.is_one_between(found[-1].last.ts, line.ts):
            found.append(_Run(line, line))
        found[-1].add(line, window.holds(line.ts))
    return [run.row(log, number) for log in LOG_KINDS for number, run in enumerate(runs[log])]


class Gaps:
    """Times in which lines are, or may be, missing."""

    def __init__(self, gaps: Iterable[LineGap | MissingLine | RotationGap]) -> None:
        self._gaps = sorted(
            (gap.start_ts, gap.end_ts) for gap in gaps if gap.start_ts is not None and gap.end_ts is not None
        )

    def is_one_between(self, before: datetime, after: datetime) -> bool:
        """Whether a whole gap lies between two lines."""
        at = bisect_left(self._gaps, (before,))
        while at < len(self._gaps) and self._gaps[at][0] <= after:
            if self._gaps[at][1] <= after:
                return True
            at += 1
        return False


@dataclass
class _Run:
    """The lines of a run so far."""

    first: Event
    last: Event
    lines: int = 0
    roles: int = 0
    series: dict[str, None] = field(default_factory=dict)

    def add(self, line: Event, is_in_window: bool) -> None:
        """Adds the next line. Lines outside the window are not counted."""
        self.last = line
        self.lines += is_in_window
        self.roles += line.kind in ROLE_LINES
        self.series[series(line.source_file)] = None

    def row(self, log: str, number: int) -> LogRun:
        """The run as a row."""
        return LogRun(
            node_id=self.first.node_id,
            log=log,
            number=number,
            start_ts=self.first.ts,
            end_ts=self.last.ts,
            start_event=self.first.event_id,
            end_event=self.last.event_id,
            lines=self.lines,
            roles=self.roles,
            series=sorted(self.series),
            begins_process=self.first.kind in FIRST_LINES,
            is_active=series(self.last.source_file) == self.last.source_file,
        )
