"""Which nodes wrote lines in the times that fault rules ask about, as runs of lines: few rows for any number of
lines.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from replay.facts.lines import kafka_lines
from replay.facts.lives import STARTS
from replay.facts.window import TimeWindow
from replay.tables.faults import AskedTime, WrittenLine, WrittenRun
from replay.tables.reading import Event

ROLES = ("leader_start", "follower_start")
HANDLED = ("broker_leader_and_isr_request", "broker_leader_and_isr_received", "broker_metadata_update_summary")
_SORT_OF = {
    **dict.fromkeys(STARTS, "start"),
    **dict.fromkeys(ROLES, "role"),
    **dict.fromkeys(HANDLED, "handled"),
}
# Lines this close together are one run. Runs of handled requests are shorter, because rules ask when they end.
_RUN = timedelta(seconds=1)
_RUN_OF_HANDLED = timedelta(milliseconds=100)


def written_runs(node_events: Sequence[Event], window: TimeWindow) -> list[WrittenRun]:
    """The runs of lines that the node wrote, by type."""
    found: list[WrittenRun] = []
    begun: dict[str, tuple[datetime, datetime]] = {}
    written = [line for line in kafka_lines(window.events_by_end(node_events)) if line.ts is not None]
    if not written or written[0].node_id is None:
        return []
    node = written[0].node_id
    for line in written:
        for sort in ("line", "logged" if line.logger is not None else None, _SORT_OF.get(line.kind)):
            if sort is None:
                continue
            start, end = begun.get(sort, (line.ts, line.ts))
            if line.ts - end > (_RUN_OF_HANDLED if sort == "handled" else _RUN):
                found.append(WrittenRun(node, sort, start, end))
                start = line.ts
            begun[sort] = start, line.ts
    return [*found, *(WrittenRun(node, sort, start, end) for sort, (start, end) in begun.items())]


class _Runs:
    """The runs of one type of one node."""

    def __init__(self, runs: Iterable[WrittenRun]) -> None:
        times = sorted((run.start_ts, run.end_ts) for run in runs)
        self._starts, self._ends = [start for start, _ in times], [end for _, end in times]

    def has_line(self, from_ts: datetime | None, to_ts: datetime) -> bool:
        """Whether a line is known between two times.

        Inside a run there is a line if the time is at least as long as the largest gap between the run's lines.
        """
        at = 0 if from_ts is None else bisect_left(self._ends, from_ts)
        if at == len(self._ends) or self._starts[at] > to_ts or (from_ts is not None and from_ts > to_ts):
            return False
        begins_inside = from_ts is None or self._starts[at] >= from_ts
        return begins_inside or self._ends[at] <= to_ts or to_ts - from_ts >= _RUN  # type: ignore[operator]

    def last(self, from_ts: datetime | None, to_ts: datetime) -> datetime | None:
        """The last known line between two times, or the first line of a run that continues after them."""
        at = bisect_right(self._starts, to_ts) - 1
        if at < 0:
            return None
        last_ts = self._ends[at] if self._ends[at] <= to_ts else self._starts[at]
        return last_ts if from_ts is None or last_ts >= from_ts else None


_NO_RUNS = _Runs(())


def written_lines(written_runs: Iterable[WrittenRun], asked_times: Iterable[AskedTime]) -> list[WrittenLine]:
    """Which nodes wrote lines in the times that rules ask about."""
    by_sort: dict[int, dict[str, list[WrittenRun]]] = {}
    for run in written_runs:
        by_sort.setdefault(run.node_id, {}).setdefault(run.sort, []).append(run)
    nodes = {node: {sort: _Runs(runs) for sort, runs in sorts.items()} for node, sorts in sorted(by_sort.items())}
    asked = dict.fromkeys((one.node_id, one.from_ts, one.to_ts) for one in asked_times if one.to_ts is not None)
    found: dict[tuple[int, datetime | None, datetime], WrittenLine] = {}
    for node, from_ts, to_ts in asked:
        for row in _written(nodes if node is None else {node: nodes.get(node, {})}, from_ts, to_ts):
            found[row.node_id, from_ts, to_ts] = row
    return list(found.values())


def _written(
    nodes: Mapping[int, Mapping[str, _Runs]], from_ts: datetime | None, to_ts: datetime
) -> Iterator[WrittenLine]:
    """What each node wrote in one time, if anything."""
    for node, runs in nodes.items():
        if runs.get("line", _NO_RUNS).has_line(from_ts, to_ts):
            yield WrittenLine(
                node_id=node,
                from_ts=from_ts,
                to_ts=to_ts,
                logs=runs.get("logged", _NO_RUNS).has_line(from_ts, to_ts),
                starts=runs.get("start", _NO_RUNS).has_line(from_ts, to_ts),
                takes_role=runs.get("role", _NO_RUNS).has_line(from_ts, to_ts),
                handled_ts=runs.get("handled", _NO_RUNS).last(from_ts, to_ts),
            )
