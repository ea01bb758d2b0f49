"""Counts of error lines that the catalogue knows, so that the report omits none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from replay.facts.evidence import AT_MOST
from replay.facts.lines import detail, kafka_lines
from replay.facts.order import nulls_first
from replay.facts.times import greatest, least, unix_millis
from replay.facts.window import TimeWindow
from replay.tables.causes import LoggedError
from replay.tables.reading import Event

LEVELS = ("ERROR", "FATAL", "SEVERE")
KINDS = ("zk_session_expired", "isr_shrink", "zk_client_timeout", "process_startup_failed")
REPEATED = ("fetch_send_error", "fetch_request_error", "fetch_partition_error")
SLOT_MS = 120_000  # lines are counted by intervals of this length: a fault explains only those of its own intervals
# What healthy clusters print as errors, at their start, as topics are made and as leaders move (facts §9.3).
HARMLESS = (
    "broker_become_follower_leader_unavailable",
    "fetch_marked_failed",
    "kraft_controller_api_error",
    "quorum_event_failed_not_controller",
)
EXAMPLE_CHARS = 300
_AT_ANY_LEVEL = frozenset((*KINDS, *REPEATED))


def logged_errors(node_events: Sequence[Event], window: TimeWindow) -> list[LoggedError]:
    """The lines of the node that are errors or name a loss, by kind and time."""
    slots: dict[tuple[str, int | None], list[Event]] = {}
    for line in kafka_lines(window.events_by_end(node_events)):
        if (line.level in LEVELS and line.kind not in HARMLESS) or line.kind in _AT_ANY_LEVEL:
            slots.setdefault((line.kind, _slot(line.ts)), []).append(line)
    return [_counted(lines) for lines in slots.values()]


def _slot(ts: datetime | None) -> int | None:
    return None if ts is None else unix_millis(ts) // SLOT_MS


def _counted(lines: Sequence[Event]) -> LoggedError:
    first = min(lines, key=lambda line: nulls_first(line.ts, line.event_id))
    earliest = sorted(lines, key=lambda line: nulls_first(line.ts, line.event_id))[:AT_MOST]
    return LoggedError(
        kind=first.kind,
        rank=min(_rank(line.level) for line in lines),
        ts=least(*[line.ts for line in lines]),
        end_ts=greatest(*[line.ts for line in lines]),
        count=len(lines),
        nodes=sorted({line.node_id for line in lines} - {None}),
        example=None if first.message is None else first.message[:EXAMPLE_CHARS],
        caused_by=detail(first, "caused_by"),
        evidence=[line.event_id for line in earliest],
        evidence_times=[line.ts for line in earliest],
    )


def _rank(level: str | None) -> int:
    if level == "FATAL":
        return 1
    return 2 if level in LEVELS else 3


def all_logged_errors(logged_errors: Iterable[LoggedError]) -> list[LoggedError]:
    """Those of the lines of all nodes."""
    slots: dict[tuple[str, int | None], LoggedError] = {}
    for row in logged_errors:
        slot = row.kind, _slot(row.ts)
        slots[slot] = _merged_error(slots[slot], row) if slot in slots else row
    return list(slots.values())


def _merged_error(one: LoggedError, other: LoggedError) -> LoggedError:
    first, then = sorted((one, other), key=lambda row: nulls_first(row.evidence_times[0], row.evidence[0]))
    proof = {
        *zip(first.evidence_times, first.evidence, strict=True),
        *zip(then.evidence_times, then.evidence, strict=True),
    }
    earliest = sorted(proof, key=lambda line: nulls_first(*line))[:AT_MOST]
    return first.but(
        rank=min(first.rank, then.rank),
        ts=least(first.ts, then.ts),
        end_ts=greatest(first.end_ts, then.end_ts),
        count=first.count + then.count,
        nodes=sorted({*first.nodes, *then.nodes}),
        evidence=[event for _, event in earliest],
        evidence_times=[ts for ts, _ in earliest],
    )
