"""The outages of nodes: what several rules tell of processes that were gone, stood still or were missed, each told once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.order import at_most
from replay.tables.faults import Fault, Pause, ProcessEnd


def outages(
    pauses: Sequence[Pause],
    process_ends: Iterable[ProcessEnd],
    sessions_lost_alive: Iterable[Fault],
    outages_without_logs: Iterable[Fault],
) -> list[Fault]:
    """Processes that ended, stood still or lost their session; of nodes that have no line of it, what others tell.
    Returns `FAULTS`.

    A pause that a node's own lines tell is not told again by others.
    """
    told_by_others = [
        outage for outage in outages_without_logs if not any(_is_in_pause(outage, pause) for pause in pauses)
    ]
    return [*told_by_others, *process_ends, *pauses, *sessions_lost_alive]


def _is_in_pause(outage: Fault, pause: Pause) -> bool:
    return (
        outage.broker_id == pause.broker_id and at_most(pause.began_low, outage.ts) and at_most(outage.ts, pause.end_ts)
    )
