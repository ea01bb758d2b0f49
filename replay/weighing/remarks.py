"""What a run remarks about doubtful lines: a file or a node, and a clause about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from replay.tables.weighing import DoubtfulLine
from replay.weighing.reasons import COPIED_DAY, MIXED_CLUSTERS, OTHER_CLUSTER, REASONS, REPEATED

_OF_A_NODE = (OTHER_CLUSTER, MIXED_CLUSTERS)
_NAMED_BY_FILES = (REPEATED, COPIED_DAY)


def remarks(doubtful: Iterable[DoubtfulLine]) -> list[tuple[str, str]]:
    """Pairs of a place and what is doubtful there, one for each node of another cluster and for each file and reason."""
    by_place: dict[tuple[str, str], list[DoubtfulLine]] = defaultdict(list)
    for row in doubtful:
        if row.reason not in _NAMED_BY_FILES:
            by_place[row.source_file or "", row.reason].append(row)
    found = []
    for (_, reason), rows in sorted(by_place.items()):
        if reason in _OF_A_NODE:
            because, lines = rows[0].because.rstrip("."), sum(row.lines for row in rows)
            found.append((f"Node {rows[0].node_id}", f"has {_lines(lines)} that no table uses. {because}"))
        else:
            more = "" if len(rows) == 1 else f", and {len(rows) - 1} more"
            found.append(
                (
                    rows[0].event_id,
                    f"is doubtful{more}: {REASONS[reason]}. {rows[0].because.rstrip('.')}. No table uses it",
                )
            )
    return found


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"
