"""What blind spots need from all lines of one node: few rows, whatever the input.

Each function gets the events of one node in time order, those without a time first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache

from replay.facts.evidence import AT_MOST
from replay.facts.groups import by_key
from replay.facts.lines import gaps, is_own_line, kafka_lines
from replay.facts.order import nulls_first
from replay.facts.window import TimeWindow
from replay.tables.questions import LineGap, NamedNode, NodeSubjects
from replay.tables.reading import Event

GAP_MS = 3_000  # a node that takes on roles logs more often than this
_ROLE_TAKEN = ("leader_start", "follower_start")
_NOT_KAFKA = re.compile(r"(?:zookeeper|zk|process|gc|jvm)_")
_OF_CONTROLLERS = re.compile(
    r"kafka\.controller\.|org\.apache\.kafka\.controller\.|k\.controller\."
    r"|(?:KafkaController|QuorumController|ReplicationControlManager)$"
)


def node_subjects(node_events: Sequence[Event], window: TimeWindow) -> list[NodeSubjects]:
    """The subjects of the node's lines."""
    events = kafka_lines(window.events_by_end(node_events))
    if not events:
        return []
    kinds, loggers = {line.kind for line in events}, {line.logger for line in events} - {None}
    copied = {line.ts for line in events if line.kind == "checkpoint_high_watermark"} - {None}
    return [
        NodeSubjects(
            node_id=events[0].node_id,
            is_kafka=any(_NOT_KAFKA.match(kind) is None for kind in kinds),
            takes_roles=not kinds.isdisjoint(_ROLE_TAKEN),
            controls=any(_is_of_controllers(logger) for logger in loggers),
            has_kraft=any(kind.startswith(("raft_", "kraft_")) for kind in kinds),
            has_dump=any(kind.startswith("dump_") for kind in kinds),
            dates_preferred="kraft_periodic_task_run" in kinds,
            checkpoints_copied=sorted(copied),
        )
    ]


@cache
def _is_of_controllers(logger: str) -> bool:
    return _OF_CONTROLLERS.match(logger) is not None


def nodes_named(node_events: Sequence[Event], window: TimeWindow) -> list[NamedNode]:
    """The nodes that the node's lines name in replica sets and ISRs, as leaders and as controllers. Rows of
    `NODES_NAMED`.
    """
    counts: dict[int, int] = {}
    first: dict[int, list[Event]] = {}
    for line in kafka_lines(window.events_by_end(node_events)):
        if line.isr or line.replicas:
            named = {*(line.isr or ()), *(line.replicas or ()), line.leader_id, line.controller_id}
        elif line.leader_id is not None or line.controller_id is not None:
            named = {line.leader_id, line.controller_id}
        else:
            continue
        for node in named:
            if node is not None and node >= 0:
                counts[node] = counts.get(node, 0) + 1
                earliest = first.setdefault(node, [])
                if len(earliest) < AT_MOST or line.ts == earliest[-1].ts:
                    earliest.append(line)
    return [_named(node, count, [(line.ts, line.event_id) for line in first[node]]) for node, count in counts.items()]


def all_nodes_named(nodes_named: Iterable[NamedNode]) -> list[NamedNode]:
    """The nodes that the lines of all nodes name."""
    of_node = by_key(nodes_named, lambda row: row.node_id)
    return [
        _named(
            node,
            sum(row.lines for row in rows),
            [line for row in rows for line in zip(row.evidence_times, row.evidence, strict=True)],
        )
        for node, rows in sorted(of_node.items())
    ]


def _named(node: int, lines: int, lines_of: Iterable[tuple[datetime | None, str]]) -> NamedNode:
    earliest = sorted(set(lines_of), key=lambda line: nulls_first(*line))[:AT_MOST]
    return NamedNode(
        node_id=node,
        lines=lines,
        evidence=[event for _, event in earliest],
        evidence_times=[ts for ts, _ in earliest],
    )


def line_gaps(node_events: Sequence[Event], window: TimeWindow) -> list[LineGap]:
    """The times of at least `GAP_MS` without a line in any of the node's files."""
    own = [line for line in window.unbroken_events(kafka_lines(node_events)) if is_own_line(line)]
    return [
        LineGap(
            node_id=line.node_id,
            start_ts=last.ts,
            end_ts=line.ts,
            start_event=last.event_id,
            end_event=line.event_id,
        )
        for last, line in gaps(own, GAP_MS)
    ]
