"""The times for which samples are kept: of incidents, and of service that waited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from replay.tables.causes import IncidentSummary
from replay.tables.metrics import SampleRead

PAST = timedelta(minutes=30)  # before an incident: what was usual
AFTER = timedelta(minutes=10)
LONGEST = timedelta(hours=2)  # of an incident
WAITED_MS = 1_000.0
WAITS = ("produce_total_ms", "produce_remote_ms")
ONE_IN_100 = "0.99"  # the quantile whose values are compared with `WAITED_MS`
MOST_WAITS = 5  # times without an incident, those with the longest waits
Span = tuple[datetime, datetime]


def spans_of(incidents: Iterable[IncidentSummary]) -> list[Span]:
    """From half an hour before each incident to ten minutes after it, at most two hours and ten minutes after its begin."""
    spans = []
    for incident in incidents:
        begin = _begin(incident)
        if begin is not None:
            end = incident.end_ts if incident.end_ts is not None else begin + LONGEST
            spans.append((begin - PAST, min(end, begin + LONGEST) + AFTER))
    return spans


def calm_until(incident: IncidentSummary, incidents: Iterable[IncidentSummary]) -> datetime | None:
    """When an incident began, or the first of those that had ended at most ten minutes before the next began: what samples show in one of them is
    not usual. None if its begin is unknown.
    """
    begin = _begin(incident)
    known = [(first, one.end_ts or first) for one in incidents if (first := _begin(one)) is not None]
    for first, end in sorted(known, reverse=True):
        if begin is not None and first < begin <= end + AFTER:
            begin = first
    return begin


def _begin(incident: IncidentSummary) -> datetime | None:
    return min((ts for ts in (incident.t0_low, incident.start_ts) if ts is not None), default=None)


def is_of_waits(metric: str | None, labels: Mapping[str, str] | None) -> bool:
    """Whether a series has the time that one in a hundred produce requests waited at least."""
    return metric in WAITS and (labels or {}).get("quantile") == ONE_IN_100


def is_wait(sample: SampleRead) -> bool:
    """Whether one in a hundred produce requests waited for a second or longer."""
    return is_of_waits(sample.metric, sample.labels) and sample.value is not None and sample.value >= WAITED_MS


def spans_of_waits(waits: Iterable[tuple[datetime, float]], spans: Iterable[Span]) -> list[Span]:
    """From half an hour before produce requests waited to ten minutes after, outside of the given spans; waits at most ten minutes
    apart share a span. `waits`: the times of samples and their values. Of many spans, those with the longest waits.
    """
    known = list(spans)
    outside = sorted((ts, value) for ts, value in waits if not any(low <= ts <= high for low, high in known))
    found: list[tuple[datetime, datetime, float]] = []
    for ts, value in outside:
        if found and ts - found[-1][1] <= AFTER and ts - found[-1][0] <= LONGEST:
            found[-1] = found[-1][0], ts, max(value, found[-1][2])
        else:
            found.append((ts, ts, value))
    worst = sorted(found, key=lambda one: (-one[2], one[0]))[:MOST_WAITS]
    return sorted((first - PAST, last + AFTER) for first, last, _ in worst)
