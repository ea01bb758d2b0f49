"""The common form of a conclusion: data and statements, rendered to sentences at the very end. And functions about
effects that several conclusions share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from replay.facts.evidence import once_each
from replay.facts.groups import by_key
from replay.facts.times import greatest, iso_stamp, known, least
from replay.faults.kinds import ROUTINE
from replay.sentences.findings import NOT_LOGGED, SUMMARIES, TITLES
from replay.sentences.statement import Statement
from replay.tables.causes import FINDINGS, Conclusion, Effect, Finding
from replay.tables.faults import Fault

ABOUT: Mapping[str, tuple[str, ...]] = {
    "leaderless": ("leaderless",),
    "writes_refused": ("writes_refused",),
    "damaged_logs": ("recovery_cut",),
    "controller_changes": ("controller_change",),
    "unexplained_controllers": ("controller_change",),
    "preferred_elections": ("election",),
    "unexplained": ("leaderless", "isr_shrink", "unclean_election"),
    "last_known_leaders": ("unclean_election",),
    "unclean_elections": ("unclean_election",),
    "likely_unclean_elections": (),
    "loss": ("loss",),
    "seen_cause_unknown": (),
}
"""Of which kinds of happenings a conclusion tells that is of no one fault, by the first part of its id."""

LINES_KEPT = 24  # of the evidence of one conclusion


def conclusion(
    *,
    id: str,
    title: Statement,
    statements: Iterable[Statement | None],
    not_logged: Iterable[Statement | None] = (),
    **given: Any,
) -> Conclusion:
    """A row of `CONCLUSIONS`; omits statements that are None."""
    whole = {"partitions": [], "broker_ids": [], **given}
    return Conclusion(
        finding_id=id,
        reason=title.reason,
        arguments=title.arguments,
        said=[_as_struct(one) for one in statements if one is not None],
        not_logged=[_as_struct(one) for one in not_logged if one is not None],
        **whole,
    )


def _as_struct(made: Statement) -> dict[str, Any]:
    return {"reason": made.reason, "arguments": made.arguments or {}}


def as_finding(conclusion: Conclusion) -> Finding:
    """A conclusion with its sentences, a row of `FINDINGS`."""
    given = {name: getattr(conclusion, name) for name in FINDINGS.schema.names if hasattr(conclusion, name)}
    return Finding(
        **given,
        title=TITLES.render(conclusion.reason, conclusion.arguments),
        summary=SUMMARIES.sentences((one["reason"], one["arguments"]) for one in conclusion.said),
        blind_spots=[NOT_LOGGED.render(one["reason"], one["arguments"]) for one in conclusion.not_logged],
    )


def conclusion_id(kind: str, incident_id: str | None, start_ts: datetime | None, *more: str | None) -> str:
    """`kind`, incident and time: stable for the same input. Raises KeyError for a kind without an entry in `ABOUT`."""
    ABOUT[kind]
    return "/".join(known((kind, incident_id or "no-incident", iso_stamp(start_ts), *more)))


@dataclass(frozen=True)
class EffectGroup:
    """The effects of one incident that share a conclusion."""

    incident_id: str | None
    effects: tuple[Effect, ...]

    @property
    def start_ts(self) -> datetime | None:
        return least(*(effect.ts for effect in self.effects))

    @property
    def end_ts(self) -> datetime | None:
        return greatest(*(effect.last_ts for effect in self.effects))

    @property
    def count(self) -> int:
        return sum(effect.count for effect in self.effects)

    @property
    def brokers(self) -> list[int]:
        return sorted(set(known(effect.node_id for effect in self.effects)))

    @property
    def partitions(self) -> list[str]:
        return sorted({name for effect in self.effects for name in effect.partitions})

    @property
    def evidence(self) -> list[str]:
        return first_lines(self.effects)

    @property
    def what(self) -> dict[str, Any]:
        """The columns that conclusions about these effects share."""
        return {
            "incident_id": self.incident_id,
            "start_ts": self.start_ts,
            "end_ts": self.end_ts,
            "broker_ids": self.brokers,
            "partitions": self.partitions,
            "evidence": self.evidence,
        }


def by_incident(effects: Iterable[Effect]) -> list[EffectGroup]:
    """The effects of each incident, and those without an incident."""
    of_incident = by_key(effects, lambda effect: effect.incident_id)
    return [EffectGroup(incident, tuple(own)) for incident, own in of_incident.items()]


def effect_groups(effects: Iterable[Effect], what: str) -> list[EffectGroup]:
    """The effects of the conclusion `what`, by incident."""
    return by_incident(effect for effect in effects if effect.kind in ABOUT[what])


def first_lines(effects: Sequence[Effect]) -> list[str]:
    """The first lines of all these effects, in the order of time."""
    in_time = sorted(
        (
            pair
            for effect in sorted(effects, key=lambda effect: effect.first_id)
            for pair in zip(effect.evidence_ts, effect.evidence, strict=True)
        ),
        key=lambda pair: (pair[0] is not None, pair[0].timestamp() if pair[0] else 0.0),
    )
    return once_each(event for _, event in in_time)[:LINES_KEPT]


@dataclass(frozen=True)
class Causes:
    """The faults that effects follow from."""

    faults: Mapping[str, Fault]

    @classmethod
    def of(cls, faults: Iterable[Fault]) -> Causes:
        return cls({fault.fault_id: fault for fault in faults})

    def behind(self, root_ids: Iterable[str] | None) -> list[Fault]:
        """The faults among some roots, in the order of the roots."""
        return [self.faults[root] for root in root_ids or () if root in self.faults]

    def code(self, root_ids: Iterable[str] | None) -> str | None:
        """The code of the nearest fault among some roots; routine work counts only if it is alone."""
        nearest_first = sorted(self.behind(root_ids), key=lambda fault: fault.kind in ROUTINE)
        return nearest_first[0].code if nearest_first else None
