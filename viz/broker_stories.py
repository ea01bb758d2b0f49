"""The history of each broker, as the section of the page shows it; the histories themselves are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from viz.bounds import first
from viz.markup import Evidence, keys, render

_MOST_STEPS = 60
_MOST_BROKERS = 60


@dataclass(frozen=True)
class History:
    """What happened to one broker: a sentence, whether a restart is safe, and steps with `ts`, `told`, `evidence`."""

    broker_id: int
    head: str
    restart: str
    steps: Sequence[Any]


def broker_stories(histories: Sequence[History], evidence: Evidence) -> Markup:
    """The histories, each folded, with the evidence of each step."""
    return render("brokers.html.j2", stories=list(_drawn(histories)), evidence=evidence)


def _drawn(histories: Sequence[History]) -> Iterator[Mapping[str, Any]]:
    for one in first(histories, _MOST_BROKERS).shown:
        part = first(one.steps, _MOST_STEPS)
        yield {
            "broker_id": one.broker_id,
            "head": one.head,
            "restart": one.restart,
            "steps": part.shown,
            "more": part.left_out,
            "keys": keys(brokers=[one.broker_id]),
        }
