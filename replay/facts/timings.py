"""How long each node waits for what, looked up by node and time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from replay.tables.brokers import TIMINGS
from replay.tables.row import Row


class Timings:
    """The rows of `TIMINGS`, to look up: `timings.at(node, ts).replica_lag_ms`."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._of_node: dict[int, list[Row]] = {}
        self._of_any_other: Row = TIMINGS.row_class()
        for row in rows:
            if row.node_id is None:
                self._of_any_other = row
            else:
                self._of_node.setdefault(row.node_id, []).append(row)

    def at(self, node_id: int | None, ts: datetime | None) -> Row:
        """The timings of a node at a time; those of any other node where it has none."""
        for row in self._of_node.get(node_id, ()) if node_id is not None else ():
            if _holds_at(row, ts):
                return row
        return self._of_any_other


def _holds_at(row: Row, ts: datetime | None) -> bool:
    if ts is None:
        return row.start_ts is None and row.end_ts is None
    return (row.start_ts is None or row.start_ts <= ts) and (row.end_ts is None or row.end_ts > ts)
