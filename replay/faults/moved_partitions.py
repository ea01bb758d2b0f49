"""What one node's lines show about partitions that are reassigned to other replicas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.groups import grouped
from replay.facts.lines import detail, kafka_lines
from replay.facts.order import nulls_first
from replay.facts.times import greatest
from replay.facts.window import TimeWindow
from replay.faults.earliest_lines import combined, first_of, second_of
from replay.tables.faults import MovedPartition
from replay.tables.reading import Event

REASSIGNED = frozenset(
    (
        "kraft_reassignment_result",
        "kraft_reassignment_replayed",
        "controller_reassign_begin",
        "controller_reassign_assignment_updated",
        "controller_reassign_leader_check",
    )
)


def moved_partitions(node_events: Sequence[Event], window: TimeWindow) -> list[MovedPartition]:
    """The node's lines about reassigned partitions, merged by second."""
    lines = [
        event for event in node_events if event.kind in REASSIGNED and detail(event, "successful_alterations") != "0"
    ]
    if not lines:
        return []
    return all_moved_partitions(_of_line(event) for event in kafka_lines(window.events_by_end(lines)))


def _of_line(event: Event) -> MovedPartition:
    is_named = event.topic is not None and event.partition is not None
    return MovedPartition(
        ts=event.ts,
        last_ts=event.ts,
        event_id=event.event_id,
        node_id=event.node_id,
        names=[f"{event.topic}-{event.partition}"] if is_named else [],
        lines=first_of([(event.ts, event.event_id)]),
    )


def all_moved_partitions(moved: Iterable[MovedPartition]) -> list[MovedPartition]:
    """The lines of all nodes about reassigned partitions, merged by second."""
    seconds = grouped(moved, lambda row: (second_of(row.ts),))
    rows = [_together(own) for own in seconds.values()]
    return sorted(rows, key=lambda row: nulls_first(row.ts))


def _together(rows: Sequence[MovedPartition]) -> MovedPartition:
    first = min(rows, key=lambda row: nulls_first(row.ts, row.event_id, row.node_id))
    return first.but(
        last_ts=greatest(*[row.last_ts for row in rows]),
        names=sorted({name for row in rows for name in row.names}),
        lines=combined(row.lines for row in rows),
    )
