"""The voters of the metadata quorum and the levels of features over time, combined from the lines of all nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from viz import frames
from viz import phrases as words
from viz.markup import Evidence, Grid, grid, when


@dataclass(frozen=True)
class Voters:
    """One set of voters: since when nodes report it, which nodes, and what changed for the first node that had
    reported another set before.
    """

    ts: pd.Timestamp
    voters: tuple[int, ...]
    directory_ids: tuple[str | None, ...]
    dynamic: bool | None
    metadata_offset: int | None
    added: tuple[int, ...]
    removed: tuple[int, ...]
    told_by: tuple[int, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Level:
    """One level of one feature: since when nodes report it; `changed`: it was set at that time, at the latest."""

    ts: pd.Timestamp
    feature: str
    level: str
    before: str | None
    changed: bool
    evidence: tuple[str, ...]


def voter_history(frame: pd.DataFrame) -> list[Voters]:
    """The sets of voters in the order in which nodes first reported them. Sets from the metadata log are ordered by
    their offsets; a set without an offset is ordered by the nodes that report it.
    """
    rows = frames.rows(frames.tidy(frame, "voter_sets"))
    groups: list[list[Any]] = []
    for row in sorted((row for row in rows if row.metadata_offset is not None), key=lambda row: row.metadata_offset):
        if groups and _same(groups[-1][-1], row):
            groups[-1].append(row)
        else:
            groups.append([row])
    for row in (row for row in rows if row.metadata_offset is None):
        group = next((group for group in groups if _same(group[0], row)), None)
        if group is None:
            groups.append([row])
        else:
            group.append(row)
    return sorted((_put_together(group) for group in groups), key=lambda one: one.ts)


def _same(one: Any, other: Any) -> bool:
    """Whether the voters are the same, as far as both sets name their directories."""
    return one.voters == other.voters and all(
        a is None or b is None or a == b for a, b in zip(one.directory_ids, other.directory_ids, strict=True)
    )


def _put_together(rows: Sequence[Any]) -> Voters:
    first = min(rows, key=lambda row: row.start_ts)
    news = next((row for row in sorted(rows, key=lambda row: row.start_ts) if row.added or row.removed), first)
    fullest = max(rows, key=lambda row: sum(one is not None for one in row.directory_ids))
    return Voters(
        ts=first.start_ts,
        voters=first.voters,
        directory_ids=fullest.directory_ids,
        dynamic=next((row.dynamic for row in rows if row.dynamic is not None), None),
        metadata_offset=first.metadata_offset,
        added=news.added,
        removed=news.removed,
        told_by=tuple(sorted({row.node_id for row in rows})),
        evidence=tuple(dict.fromkeys(line for row in rows for line in row.evidence)),
    )


def level_history(frame: pd.DataFrame) -> list[Level]:
    """The levels of each feature in order; nodes that report the same level share one entry."""
    by_feature = frames.by_key(frames.rows(frames.tidy(frame, "feature_levels")), lambda row: row.feature)
    history: list[Level] = []
    for feature, rows in sorted(by_feature.items()):
        held: Level | None = None
        for row in sorted(rows, key=lambda row: (row.start_ts, row.node_id)):
            # A node that starts also replays earlier records: these are not changes.
            if held is not None and (held.level == row.level or not row.changed):
                continue
            held = Level(row.start_ts, feature, row.level, held.level if held else None, row.changed, row.evidence)
            history.append(held)
    return history


def voters_at(frame: pd.DataFrame, moment: pd.Timestamp) -> Voters | None:
    """The voters last reported by `moment`; None if no line reported them by then."""
    return next((one for one in reversed(voter_history(frame)) if one.ts <= moment), None)


def levels_at(frame: pd.DataFrame, moment: pd.Timestamp) -> dict[str, str]:
    """The level of each feature as last reported by `moment`."""
    return {one.feature: one.level for one in level_history(frame) if one.ts <= moment}


def named(voters: Voters) -> str:
    """The voters with their known directories: `101 (FsDYUZLpQlGZOvhGuwsRAA), 102`."""
    return ", ".join(
        f"{node} ({directory})" if directory else str(node)
        for node, directory in zip(voters.voters, voters.directory_ids, strict=True)
    )


def voters_grid(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """The sets of voters, if there was more than one."""
    history = voter_history(frame)
    head = ("Reported from (UTC)", "Voters (directory)", "New", "Gone", "Kept in", "Source", "Evidence")
    rows = [
        (
            when(one.ts),
            named(one),
            _ids(one.added),
            _ids(one.removed),
            _kept_in(one),
            words.listed([f"node {node}" for node in one.told_by]),
            evidence.proof(one.evidence),
        )
        for one in history
    ]
    return grid("Voters of the metadata quorum", head, rows if len(rows) > 1 else [], wide=(1,), table="voter_sets")


def levels_grid(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """The features whose level was set while nodes ran."""
    history = level_history(frame)
    changed = {one.feature for one in history if one.before is not None}
    head = ("Feature", "Reported from (UTC)", "Level", "Before", "Evidence")
    rows = [
        (one.feature, when(one.ts), one.level, one.before or "–", evidence.proof(one.evidence))
        for one in history
        if one.feature in changed
    ]
    return grid("Feature levels that changed", head, rows, table="feature_levels")


def _kept_in(one: Voters) -> str:
    if one.dynamic is None:
        return words.UNKNOWN
    if not one.dynamic:
        return "controller.quorum.voters"
    return "the metadata log" if one.metadata_offset is None else f"the metadata log, offset {one.metadata_offset}"


def _ids(nodes: Sequence[int]) -> str:
    return ", ".join(map(str, nodes)) or "–"
