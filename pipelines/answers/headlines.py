"""An incident on one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from replay.reading.names import INTERNAL_TOPICS
from viz.phrases import UNKNOWN, bounds, counted, waited

_MUCH = 100  # records


@dataclass(frozen=True)
class Headline:
    """An incident on one line: time and duration, severity, title, and how long writers were down or whether it
    continues.
    """

    when: str
    severity: str
    title: str
    rest: str

    def __str__(self) -> str:
        return f"{self.when}  {self.severity}  {self.title}{self.rest}"


def headline(incident: Any) -> Headline:
    """The headline of a row of `incidents`, as `viz.frames` has it. Writes are those of users' topics."""
    of_users = [one for one in incident.down if one["topic"] not in INTERNAL_TOPICS]
    down = max(of_users, key=lambda one: (one["acks_all_low_ms"], one["acks_all_high_ms"]), default=None)
    rest = "" if down is None else f"; writes blocked {waited(down, 'acks_all')}"
    if incident.acked_possible_max and not is_much(incident.acked_possible_max):
        rest += f"; lost, uncommitted: at most {counted(incident.acked_possible_max, 'offset')}"
    rest += "" if incident.is_over or incident.is_over is None else "; not over"
    began = "?" if incident.start_ts is None else incident.start_ts.strftime("%Y-%m-%d %H:%M:%S")
    lasted = bounds(incident.lasted_low_ms, incident.lasted_high_ms)
    when = f"{began} UTC" + (f", {lasted}" if lasted != UNKNOWN else "")
    return Headline(when, (incident.severity or "").upper(), incident.title or "", rest)


def is_much(lost: int | None) -> bool:
    """Whether more was lost than the few records that any change of leader can cost producers without acks=all."""
    return lost is None or lost >= _MUCH
