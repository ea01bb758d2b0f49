"""The outages of nodes: processes that died, froze or lost their session, without duplicates."""

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
    """Processes that ended, froze or lost their session; for nodes without their own lines, the outages that others
    report.

    Ignores reports of others within a pause that the node's own lines show.
    """
    reported_by_others = [
        outage for outage in outages_without_logs if not any(_is_in_pause(outage, pause) for pause in pauses)
    ]
    return [*reported_by_others, *process_ends, *pauses, *sessions_lost_alive]


def _is_in_pause(outage: Fault, pause: Pause) -> bool:
    return (
        outage.broker_id == pause.broker_id and at_most(pause.began_low, outage.ts) and at_most(outage.ts, pause.end_ts)
    )
