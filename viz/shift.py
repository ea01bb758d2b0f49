"""A shift of several incidents: a table of them, repeated ones in one row, and a sentence on each broker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from viz import frames, overview
from viz import phrases as words
from viz.all_clear import NONE_LOST, names_none
from viz.by_severity import SEVERITIES
from viz.cluster import nodes_by_role
from viz.markup import keys

FEWEST = 2


@dataclass(frozen=True)
class Row:
    """Similar incidents: the same cause at the same brokers."""

    incidents: Sequence[Any]
    what: str
    who: str
    severity: str | None
    lasted: str
    down: str
    lost: str
    keys: str


@dataclass(frozen=True)
class Shift:
    """All incidents of a recording."""

    told: str
    rows: Sequence[Row]
    timeline: overview.Overview | None


def shift(tables: Mapping[str, pd.DataFrame], incidents: Sequence[Any], link_to: Any) -> Shift | None:
    """The incidents of a recording, if there are several, in their given order."""
    if len(incidents) < FEWEST:
        return None
    name, alike = _names(tables), _alike(tables, incidents)
    rows = [_row(tables, some, code, name.get(code) or code) for (code, _), some in alike.items()]
    timeline = overview.of_incidents(incidents, frames.recorded(tables), link_to)
    return Shift(summary(tables, incidents), rows, timeline)


def summary(tables: Mapping[str, pd.DataFrame], incidents: Sequence[Any]) -> str:
    """How many incidents there were, and how often each broker had which fault."""
    name = _names(tables)
    counts: dict[tuple[int, str | None], int] = {}
    faults, codes = _own_faults(tables), _codes(tables)
    for incident in sorted(incidents, key=lambda i: (i.start_ts is None, i.start_ts or 0, i.incident_id)):
        cause = codes.get(incident.root_finding_id)
        for one in faults.get(incident.incident_id) or [(broker, cause) for broker in incident.broker_ids]:
            counts[one] = counts.get(one, 0) + 1
    of_broker: dict[int, list[str]] = {}
    for (broker, code), count in counts.items():
        times = "" if count == 1 else f" ({words.times(count)})"
        of_broker.setdefault(broker, []).append(f"{(name.get(code or '') or code or 'unknown').lower()}{times}")
    each = [f"{nodes_by_role(tables, [broker])}: {'; '.join(what)}" for broker, what in sorted(of_broker.items())]
    return f"{words.counted(len(incidents), 'incident')}. " + " ".join(words.sentence(one) for one in each)


def _own_faults(tables: Mapping[str, pd.DataFrame]) -> dict[str, dict[tuple[int, str | None], None]]:
    """By incident, the broker and the code of each fault that caused it: several brokers can fail in different ways."""
    own: dict[str, dict[tuple[int, str | None], None]] = {}
    for finding in frames.table(tables, "findings"):
        if finding.role == "root_cause" and finding.incident_id is not None:
            own.setdefault(finding.incident_id, {}).update(dict.fromkeys((b, finding.code) for b in finding.broker_ids))
    return own


def _codes(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    return {finding.finding_id: finding.code for finding in frames.table(tables, "findings")}


def _names(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    return {g.code: g.name for g in frames.table(tables, "glossary")}


def _alike(tables: Mapping[str, pd.DataFrame], incidents: Sequence[Any]) -> dict[tuple[Any, ...], list[Any]]:
    """The incidents by code of their cause and brokers, each in the order of time; the groups in the given order."""
    code = _codes(tables)
    alike = frames.by_key(incidents, lambda i: (code.get(i.root_finding_id), i.broker_ids))
    return {
        key: sorted(some, key=lambda i: (i.start_ts is None, i.start_ts or 0, i.incident_id))
        for key, some in alike.items()
    }


def _row(tables: Mapping[str, pd.DataFrame], some: Sequence[Any], code: str | None, cause: str | None) -> Row:
    """One row: of several, the longest duration, the longest wait and the largest loss."""
    worst = min(some, key=lambda i: frames.place(i.severity, SEVERITIES))
    longest = max(some, key=lambda i: i.lasted_high_ms or 0)
    waits = max(some, key=lambda i: max((d["acks_all_high_ms"] for d in i.down), default=0))
    down = max(waits.down, key=lambda d: (d["acks_all_low_ms"], d["acks_all_high_ms"]), default=None)
    several = len(some) > 1
    return Row(
        some,
        (some[0].title if len(some) == 1 else cause) or some[0].incident_id,
        nodes_by_role(tables, some[0].broker_ids),
        worst.severity,
        words.bounds(None if several else longest.lasted_low_ms, longest.lasted_high_ms),
        "none known"
        if down is None
        else words.waited({**down, "acks_all_low_ms": None} if several else down, "acks_all"),
        _lost(some),
        keys(brokers=some[0].broker_ids, code=code, severity=worst.severity),
    )


def _lost(some: Sequence[Any]) -> str:
    """What was lost, committed records and others separately; each incident in its own words."""
    parts = []
    for column, what in (("lost_committed", "committed"), ("lost_uncommitted", "uncommitted")):
        texts = [getattr(i, column) for i in some]
        own = dict.fromkeys(text for text in texts if text and not names_none(text))
        if own:
            parts.append(f"{what}: {'; '.join(_how_often(text, texts) for text in own)}")
    return "; ".join(parts) or (some[0].lost_committed if some else None) or NONE_LOST


def _how_often(text: str, texts: Sequence[str]) -> str:
    """The texts of some incidents, and how many incidents each text applies to."""
    of_these, of_all = texts.count(text), len(texts)
    return text if of_all == 1 else f"{text} {'each time' if of_these == of_all else f'({words.times(of_these)})'}"
