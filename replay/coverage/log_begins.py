"""Whether a node's log reaches back to a time: what a log that begins later does not show may have happened before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.groups import by_key
from replay.facts.times import plus_millis
from replay.tables.coverage import LogRun

STARTS_WITHIN_MS = 60_000  # each log of a process has a line this soon after the process's first line


@dataclass(frozen=True)
class LogBegins:
    """The runs of each node's logs, by node and kind of log. Without any runs, all logs count as complete."""

    runs: Mapping[tuple[int, str], Sequence[LogRun]]
    starts: Mapping[int, Sequence[datetime]]

    @staticmethod
    def of(log_runs: Iterable[LogRun]) -> LogBegins:
        log_runs = list(log_runs)
        begun = (run for run in log_runs if run.begins_process)
        return LogBegins(
            by_key(log_runs, lambda run: (run.node_id, run.log)),
            by_key(begun, lambda run: run.node_id, lambda run: run.start_ts),
        )

    def may_lack(self, node_id: int | None, log: str, ts: datetime | None) -> bool:
        """Whether the first line of this log of the node is later than `ts`, while the process already ran.

        Times without lines inside a log do not count: a controller that nobody asks logs nothing for minutes.
        """
        if node_id is None or ts is None:
            return False
        begin_ts = min((run.start_ts for run in self.runs.get((node_id, log), ())), default=ts)
        earliest = plus_millis(begin_ts, -STARTS_WITHIN_MS)
        is_start = any(earliest <= start_ts <= begin_ts for start_ts in self.starts.get(node_id, ()))
        return begin_ts > ts and not is_start
