"""The lines of one partition by the broker that prints them, in the order of its clock and its files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime

from replay.facts.times import EPOCH
from replay.tables.reading import Event


def by_broker(events: Iterable[Event], kinds: Collection[str]) -> dict[int | None, list[Event]]:
    """The lines of these kinds of each broker, in the order of its clock; lines without a time come first."""
    own: dict[int | None, list[Event]] = defaultdict(list)
    for event in events:
        if event.kind in kinds:
            own[event.node_id].append(event)
    for lines in own.values():
        lines.sort(key=in_own_order)
    return own


def in_own_order(event: Event) -> tuple[bool, datetime, int, str]:
    """The place of a line among those of its broker: its time, then its place in its file."""
    return event.ts is not None, event.ts or EPOCH, event.line_number or 0, event.source_file or ""
