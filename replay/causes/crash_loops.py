"""Crash loops: a broker that dies or fails to start, is started, and soon does so again, three times or more."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from datetime import datetime
from typing import Any, Protocol, TypeVar

from replay.facts.groups import grouped
from replay.facts.times import millis
from replay.faults.kinds import CRASHES

FAILED_STARTS = ("disk_refused", "registration_refused")
LOOP_DEATHS = 3
LOOP_WITHIN_MS = 300_000  # each death so soon after the one before: the longest back-off of Kubernetes


class Death(Protocol):
    """A fault, or a sign of one: what happened, to which node, and when."""

    @property
    def kind(self) -> str | Any: ...

    @property
    def broker_id(self) -> int | Any: ...

    @property
    def ts(self) -> datetime | Any: ...


D = TypeVar("D", bound=Death)


def crash_loops(faults: Iterable[D], kinds: Container[str] = CRASHES) -> list[list[D]]:
    """The deaths of each crash loop, faults of these kinds, in the order of time."""
    deaths = sorted((one for one in faults if one.kind in kinds and one.ts is not None), key=lambda one: one.ts)
    of_broker = grouped(deaths, lambda one: one.broker_id)
    return [run for own in of_broker.values() for run in _in_a_row(own) if len(run) >= LOOP_DEATHS]


def _in_a_row(deaths: Iterable[D]) -> Iterator[list[D]]:
    """Runs of deaths of one broker, each soon after the one before."""
    run: list[D] = []
    for death in deaths:
        if run and (millis(death.ts, run[-1].ts) or 0) > LOOP_WITHIN_MS:
            yield run
            run = []
        run.append(death)
    yield run
