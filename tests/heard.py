"""What the lines of all nodes show about their processes and logs, computed as in the pass over nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts import missing_lines as holes
from replay.facts import node_lines
from replay.facts.processes import processes
from replay.facts.window import ALL_TIME
from replay.tables.reading import FileCoverage
from replay.tables.row import Row
from tests.nodes import by_node, of_nodes


def wordings(told: Iterable[Row]) -> list[Row]:
    return of_nodes(node_lines.wordings, told, ALL_TIME)


def processes_of(told: Sequence[Row], missing_lines: Iterable[Row] = ()) -> list[Row]:
    """The process lifetimes, from all lines of their nodes."""
    return processes(told, of_nodes(node_lines.line_runs, told), missing_lines)


def missing_lines_of(told: Sequence[Row]) -> list[Row]:
    """The gaps in logs, from all lines of their nodes."""
    files = [FileCoverage(line.node_id, line.source_file, log_records=1, first_ts=line.ts) for line in told]
    shared, found = node_lines.shared_logs(files), []
    for own in by_node(told).values():
        alone = holes.unanswered(node_lines.role_changes(own, shared, ALL_TIME))
        found += holes.missing_lines(alone, node_lines.silences_around(own, alone, ALL_TIME))
    return found
