"""The times of incidents for which samples are kept."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from replay.tables.causes import IncidentSummary

PAST = timedelta(minutes=30)  # before an incident: what was usual
AFTER = timedelta(minutes=10)
LONGEST = timedelta(hours=2)  # of an incident


def spans_of(incidents: Iterable[IncidentSummary]) -> list[tuple[datetime, datetime]]:
    """From half an hour before each incident to ten minutes after it, at most two hours and ten minutes after its begin."""
    spans = []
    for incident in incidents:
        begin = min((ts for ts in (incident.t0_low, incident.start_ts) if ts is not None), default=None)
        if begin is not None:
            end = incident.end_ts if incident.end_ts is not None else begin + LONGEST
            spans.append((begin - PAST, min(end, begin + LONGEST) + AFTER))
    return spans
