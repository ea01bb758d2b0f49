"""A line, why it is doubtful, and the lines that contradict it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replay.tables.weighing import DoubtfulLine
from replay.weighing.evidence import Line, moment


class Doubt(NamedTuple):
    """One doubtful line."""

    line: Line
    reason: str
    because: str
    contradicted_by: Sequence[str]


def rows_of(doubts: Iterable[Doubt]) -> list[DoubtfulLine]:
    """The doubtful lines, each once."""
    found: dict[str, DoubtfulLine] = {}
    for line, reason, because, contradicted_by in doubts:
        found.setdefault(
            line.event_id,
            DoubtfulLine(
                event_id=line.event_id,
                last_event_id=line.event_id,
                lines=1,
                reason=reason,
                ts=moment(line.ts),
                node_id=line.node_id,
                source_file=line.source_file,
                line_number=line.line_number,
                kind=line.kind,
                topic=line.topic,
                partition=line.partition,
                message=line.message,
                because=because,
                contradicted_by=sorted(contradicted_by),
            ),
        )
    return sorted(found.values(), key=lambda row: (row.source_file or "", row.line_number or 0))
