"""Whether a node's log reaches back to a time. What happened before a log begins is not in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.groups import grouped
from replay.facts.times import plus_millis
from replay.tables.coverage import LogRun

STARTS_WITHIN_MS = 60_000  # each log of a process has a line this soon after the process's first line


@dataclass(frozen=True)
class LogBegins:
    """The time of the first line of each log, by node and kind of log, and of the starts of each node's processes. A
    log without a first line counts as complete.
    """

    first_ts: Mapping[tuple[int, str], datetime]
    starts: Mapping[int, Sequence[datetime]]

    @staticmethod
    def of(log_runs: Iterable[LogRun]) -> LogBegins:
        runs = list(log_runs)
        of_logs = grouped(runs, lambda run: (run.node_id, run.log))
        begun = grouped((run for run in runs if run.begins_process), lambda run: run.node_id)
        return LogBegins(
            {log: min(run.start_ts for run in own) for log, own in of_logs.items()},
            {node: [run.start_ts for run in own] for node, own in begun.items()},
        )

    def may_lack(self, node_id: int | None, log: str, ts: datetime | None) -> bool:
        """Whether the first line of this log of the node is later than `ts`, while the process already ran.

        Times without lines inside a log do not count: a controller without requests logs nothing for minutes.
        """
        if node_id is None or ts is None:
            return False
        first_ts = self.first_ts.get((node_id, log))
        if first_ts is None or first_ts <= ts:
            return False
        earliest = plus_millis(first_ts, -STARTS_WITHIN_MS)
        return not any(earliest <= start_ts <= first_ts for start_ts in self.starts.get(node_id, ()))
