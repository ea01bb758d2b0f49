"""What the input lacks and what is unknown because of it, in the same words on page, terminal and notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from viz import frames
from viz import phrases as words
from viz.ledgers import columned
from viz.markup import Evidence, Grid, when

HOW_TO_GET_THEM = "docs/getting-the-logs.md says how to get the missing logs."
_MOST = 4
_ORDER = (
    "server_log_only",
    "no_state_change_log",
    "no_server_log",
    "no_node",
    "lines_missing",
    "begins_late",
    "window",
    "gap",
    "no_controller_log",
    "no_server_log_of_controller",
)
_LOGS = {"server": "server", "controller": "controller", "state_change": "state-change", "other": "other"}


def sentences(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The limits of the input, the widest first, and where to read how to get the rest. Empty if nothing is missing."""
    found = sorted(frames.table(tables, "limits"), key=lambda limit: frames.place(limit.kind, _ORDER))
    shown = [str(limit.statement) for limit in found[:_MOST]]
    if len(found) > _MOST:
        shown.append(f"{words.counted(len(found) - _MOST, 'more limit')}: see Coverage and limits.")
    return [*shown, HOW_TO_GET_THEM] if shown else []


def coverage_grid(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Grid:
    """The times that each node's log of each kind covers."""
    spans, spots = frames.rows(tables["coverage_spans"]), frames.rows(tables["blind_spots"])
    found_running = {spot.node_id: spot.end_ts for spot in spots if spot.kind == "begins_late"}
    columns = {
        "Node": lambda c: str(c.node_id),
        "Log": lambda c: _LOGS.get(c.log, c.log),
        "From (UTC)": lambda c: when(c.start_ts),
        "To (UTC)": lambda c: when(c.end_ts),
        "Records understood": lambda c: words.number(c.lines or 0),
        "Of roles": lambda c: words.number(c.roles or 0),
        "Complete": lambda c: _complete(c, found_running.get(c.node_id)),
        "Evidence": lambda c: evidence.proof(c.evidence),
    }
    rows: Sequence[Any] = sorted(spans, key=lambda c: (c.node_id, [*_LOGS].index(c.log), c.start_ts))
    return columned("Times that the logs cover", columns, rows, numeric=(4, 5), table="coverage_spans")


def _complete(span: Any, found_running: pd.Timestamp | None) -> str:
    """Whether lines of a span are known to be missing; `found_running`: the first line of a node that already ran then."""
    begun = "begins while it runs; " if found_running is not None and span.start_ts <= found_running else ""
    lacks = "from its first line on, no line is known to be missing" if span.complete else "single lines are missing"
    return f"{begun}{lacks}"
