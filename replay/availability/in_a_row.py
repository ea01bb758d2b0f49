"""Waits that began in one incident and continued in another: each incident counts only its part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from replay.availability.harm import BLOCKED
from replay.facts.groups import by_key
from replay.facts.intervals import united
from replay.facts.times import millis
from replay.tables.availability import HarmSpan, WaitInARow


def waits_in_a_row(harm_spans: Iterable[HarmSpan]) -> list[WaitInARow]:
    """The uninterrupted times, through several incidents, in which one partition certainly accepted no writes with
    acks=all.
    """
    spans = [one for one in harm_spans if one.kind == BLOCKED and one.acks == "all" and not one.is_internal]
    possible = united((one.start_ts, one.end_ts) for one in spans)
    sure = [one for one in spans if one.is_sure and one.start_ts < one.end_ts]
    return [
        row
        for start_ts, end_ts in united((one.start_ts, one.end_ts) for one in sure)
        for row in _through_incidents([one for one in sure if start_ts <= one.start_ts <= end_ts], possible)
    ]


def _through_incidents(
    parts: Sequence[HarmSpan], possible: Iterable[tuple[datetime, datetime]]
) -> Iterator[WaitInARow]:
    """One wait without a break, if several incidents have parts of it."""
    in_time = sorted(parts, key=lambda one: one.start_ts)
    incident_ids = list(dict.fromkeys(one.incident_id for one in in_time))
    if len(incident_ids) < 2:
        return
    start_ts, end_ts = in_time[0].start_ts, max(one.end_ts for one in in_time)
    low_ms = millis(end_ts, start_ts) or 0
    around = [(begin, over) for begin, over in possible if begin <= start_ts and end_ts <= over]
    yield WaitInARow(
        incident_ids=incident_ids,
        topic=in_time[0].topic,
        partitions=[in_time[0].name],
        low_ms=low_ms,
        high_ms=max((millis(over, begin) or 0 for begin, over in around), default=low_ms),
        is_open=any(one.is_open for one in in_time),
    )


def merge_waits_in_a_row(waits_in_a_row: Iterable[WaitInARow]) -> list[WaitInARow]:
    """One row for each topic and sequence of incidents: the bounds hold for each of its partitions."""
    alike = by_key(waits_in_a_row, lambda row: (row.topic, tuple(row.incident_ids)))
    return [
        rows[0].but(
            partitions=sorted({name for row in rows for name in row.partitions}),
            low_ms=min(row.low_ms for row in rows),
            high_ms=max(row.high_ms for row in rows),
            is_open=any(row.is_open for row in rows),
        )
        for _, rows in sorted(alike.items())
    ]
