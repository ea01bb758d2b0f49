"""Fields of single lines that have no column of their own, in plain Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any, Protocol

from replay.catalogue.kinds import HOST_KINDS
from replay.facts.times import millis
from replay.tables.reading import Event


class HasDetails(Protocol):
    """A row with fields of a template that have no column of their own."""

    @property
    def details(self) -> Mapping[str, str] | Any: ...


def kafka_lines(events: Iterable[Event]) -> Sequence[Event]:
    """The events of Kafka's own logs, without those of hosts, containers and operators."""
    return [event for event in events if event.kind not in HOST_KINDS]


def gaps(lines: Iterable[Event], at_least_ms: int) -> Iterator[tuple[Event, Event]]:
    """Pairs of consecutive lines, in the order of time, that are at least this far apart."""
    nearly = timedelta(milliseconds=at_least_ms - 1)  # whole milliseconds count
    for last, line in pairwise(lines):
        if line.ts - last.ts > nearly and (millis(line.ts, last.ts) or 0) >= at_least_ms:
            yield last, line


def is_own_line(event: Event) -> bool:
    """Whether a node printed the event itself, with a time."""
    return event.node_id is not None and event.ts is not None and event.logger is not None


def detail(event: HasDetails, name: str) -> str | None:
    """A field of the template that has no column of its own; None if the event does not have it."""
    return (event.details or {}).get(name) or None


def whole_number(text: str | None) -> int | None:
    """The number in a text, also with leading zeros as in segment names; None if it is not a number."""
    return int(text) if text is not None and re.fullmatch(r"\s*+[+-]?0*\d{1,18}\s*+", text) else None


def detail_number(event: HasDetails, name: str) -> int | None:
    """A number among the fields of the template that have no column of their own."""
    return whole_number(detail(event, name))


def ids(text: str | None) -> list[int] | None:
    """The broker ids of `1, 2`, ascending; None for none."""
    if text is None:
        return None
    return sorted(int(one) for one in text.replace(" ", "").split(",") if one.lstrip("-").isdecimal())


def number_in(text: str | None, pattern: str) -> int | None:
    """The number that the first group of `pattern` finds in a text; None if it finds none."""
    found = re.search(pattern, text or "")
    return whole_number(found[1]) if found else None
