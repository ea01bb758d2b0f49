"""What metrics prove about incidents and findings, as page and terminal say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from viz import frames
from viz import phrases as words

_ORDER = ("named", "confirmed", "contradicted", "waited", "exonerated", "seen")
_ANY = object()
_MOST_SAMPLES = 2  # of a sentence


def metric_statements(tables: Mapping[str, pd.DataFrame], incident_id: str | None, finding_id: Any = _ANY) -> list[Any]:
    """The statements about an incident, causes first (None: about no incident); with `finding_id`, those about this finding (None: about
    no finding).
    """
    given = tables.get("metric_statements")
    if given is None or given.empty:
        return []
    rows = frames.rows(frames.tidy(given, "metric_statements"))
    own = [one for one in rows if one.incident_id == incident_id and finding_id in (_ANY, one.finding_id)]
    return sorted(
        own, key=lambda one: (_ORDER.index(one.verdict), one.began_high is None, one.began_high, one.statement_id)
    )


def unlogged(tables: Mapping[str, pd.DataFrame], *, cited: bool = True) -> list[str]:
    """What metrics alone show, at times without an incident: each wait, then its cause; with samples if `cited`."""
    rows = sorted(metric_statements(tables, None), key=lambda one: one.verdict != "waited")
    return [metric_sentence(one) if cited else words.capitalized(words.ended(one.statement)) for one in rows]


def next_steps(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """What to do first about the causes that metrics name at times without an incident."""
    return [words.ended(one.next_step) for one in metric_statements(tables, None) if one.next_step]


def metric_sentence(one: Any) -> str:
    """A statement with when it began, and the samples that prove it."""
    cited = ", ".join(f"`{sample}`" for sample in one.samples[:_MOST_SAMPLES])
    more = len(one.samples) - _MOST_SAMPLES
    others = f" and {words.counted(more, 'more sample')}" if more > 0 else ""
    began = "" if one.verdict == "exonerated" else f" It began {_between(one)}."
    return (
        f"{words.capitalized(words.ended(one.statement))}{began} ({words.capitalized(one.verdict)}; {cited}{others}.)"
    )


def _between(one: Any) -> str:
    if one.began_low is None:
        return f"by {words.clock(one.began_high)}"
    return f"after {words.clock(one.began_low)} and by {words.clock(one.began_high)}"
