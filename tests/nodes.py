"""Runs functions of the pass over nodes: each gets the lines of one node, in order of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from replay.facts.order import nulls_first
from replay.tables.row import Row


def by_node(lines: Iterable[Row]) -> dict[int | None, list[Row]]:
    """The lines of each node, in the form that the pass uses."""
    nodes: dict[int | None, list[Row]] = {}
    for line in sorted(lines, key=lambda one: nulls_first(one.node_id, one.ts, one.source_file, one.line_number)):
        nodes.setdefault(line.node_id, []).append(line)
    return nodes


def of_nodes(make: Callable[..., Sequence[Row]], lines: Iterable[Row], *more: Any) -> list[Row]:
    """The combined results of `make` for every node."""
    return [row for own in by_node(lines).values() for row in make(own, *more)]
