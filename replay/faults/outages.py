"""The outages of nodes: processes that died, froze or lost their session, without duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.order import at_most
from replay.faults.broker_returns import ended_by_returns
from replay.faults.kinds import DOWN
from replay.faults.process_ends import ended_before_logs
from replay.tables.brokers import BrokerSession, ProcessLife
from replay.tables.faults import BrokerReturn, Fault, Pause, ProcessEnd


def outages(
    pauses: Sequence[Pause],
    process_ends: Sequence[ProcessEnd],
    sessions_lost_alive: Iterable[Fault],
    outages_without_logs: Iterable[Fault],
    processes: Sequence[ProcessLife] = (),
    broker_returns: Sequence[BrokerReturn] = (),
    recorded_sessions: Sequence[BrokerSession] = (),
) -> list[Fault]:
    """Processes that ended, froze or lost their session; for nodes without their own lines, the outages that others
    report. An outage without an end of its own ends with the first line of another node that shows the broker back. A
    process that ended before its node's files begin is known by the start after it, unless others report that outage.

    Ignores reports of others within a pause that the node's own lines show.
    """
    reported_by_others = [
        outage for outage in outages_without_logs if not any(_is_in_pause(outage, pause) for pause in pauses)
    ]
    reported = [*reported_by_others, *process_ends, *sessions_lost_alive]
    ended_before = [
        end for end in ended_before_logs(processes) if not any(_is_down_before(one, end) for one in reported)
    ]
    found = [*reported_by_others, *process_ends, *ended_before, *pauses, *sessions_lost_alive]
    return ended_by_returns(found, broker_returns, recorded_sessions)


def _is_down_before(outage: Fault, end: Fault) -> bool:
    """Whether an outage of the same broker had begun when the process started that shows the `end`."""
    return outage.broker_id == end.broker_id and outage.kind in DOWN and at_most(outage.ts, end.ts)


def _is_in_pause(outage: Fault, pause: Pause) -> bool:
    return (
        outage.broker_id == pause.broker_id and at_most(pause.began_low, outage.ts) and at_most(outage.ts, pause.end_ts)
    )
