"""What the input lacks, and what is unknown because of it: the first thing to know about a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from replay.coverage.log_kinds import CONTROLLER, SERVER, STATE_CHANGE
from replay.facts.controllers import KRAFT
from replay.facts.evidence import AT_MOST, once_each
from replay.facts.groups import by_key
from replay.facts.missing_lines import FETCHERS
from replay.facts.times import greatest, known, least
from replay.sentences.limits import statement as sentence_of
from replay.tables.brokers import BrokerSession, Controller, RoleChange
from replay.tables.coverage import CoverageSpan, Limit
from replay.tables.questions import BlindSpot, NodeSubjects

_FILES = {
    "server_log_only": "state-change.log and controller.log of these nodes",
    "no_state_change_log": "state-change.log of these nodes",
    "no_server_log": "server.log of these nodes",
    "no_controller_log": "controller.log of these nodes",
    "no_server_log_of_controller": "server.log of these nodes",
    "no_node": "server.log, state-change.log and controller.log of these nodes",
    "begins_late": "the older files of these nodes, back to their start",
    "lines_missing": "the files as the nodes wrote them",
}
_UNKNOWN = {
    "server_log_only": ("leader_changes", "elections", "availability", "losses"),
    "no_state_change_log": ("leader_changes", "availability", "losses"),
    "no_server_log": ("starts_and_stops", "isr_changes", "truncations", "availability", "losses"),
    "no_controller_log": ("elections",),
    "no_server_log_of_controller": ("elections",),
    "no_node": ("starts_and_stops", "truncations", "availability", "losses"),
    "begins_late": ("state_before",),
    "gap": ("starts_and_stops", "leader_changes", "isr_changes", "availability"),
    "lines_missing": ("leader_changes", "isr_changes", "availability", "losses"),
    "window": ("state_before",),
}
# A loss can be in no line where one of these is unknown: who led, who stopped, who truncated.
_SHOW_LOSSES = frozenset(("losses", "truncations", "leader_changes", "starts_and_stops"))
_OF_SPOTS = {"outside_window": "window", "no_file": "no_node", "begins_late": "begins_late", "gap": "gap"}
_IN_ORDER = (*_UNKNOWN,)  # the widest first


def limits(
    coverage_spans: Sequence[CoverageSpan],
    blind_spots: Sequence[BlindSpot],
    role_changes: Sequence[RoleChange],
    node_subjects: Sequence[NodeSubjects],
    controllers: Sequence[Controller],
    broker_sessions: Sequence[BrokerSession] = (),
) -> list[Limit]:
    """The limits of the input, the widest first."""
    found = [
        *_missing_logs(coverage_spans, role_changes, node_subjects, controllers, broker_sessions),
        *_of_blind_spots(blind_spots),
        *_missing_lines(coverage_spans),
    ]
    return sorted(found, key=lambda limit: (_IN_ORDER.index(limit.kind), limit.node_ids, str(limit.start_ts)))


def hiding_losses(limits: Iterable[Limit]) -> list[Limit]:
    """The limits because of which records can be lost without a line that shows it."""
    return [limit for limit in limits if _SHOW_LOSSES.intersection(limit.unknown)]


def _limit(
    kind: str,
    node_ids: Iterable[int],
    start_ts: datetime | None = None,
    end_ts: datetime | None = None,
    files: str | None = None,
    log: str | None = None,
    evidence: Iterable[str] = (),
) -> Limit:
    nodes = sorted(set(node_ids))
    return Limit(
        kind=kind,
        node_ids=nodes,
        start_ts=start_ts,
        end_ts=end_ts,
        unknown=[*_UNKNOWN[kind]],
        would_tell=files or _FILES[kind],
        statement=sentence_of(kind, nodes, start_ts, end_ts, log),
        evidence=once_each(evidence)[:AT_MOST],
    )


def _missing_logs(
    spans: Sequence[CoverageSpan],
    role_changes: Iterable[RoleChange],
    node_subjects: Iterable[NodeSubjects],
    controllers: Sequence[Controller],
    broker_sessions: Iterable[BrokerSession],
) -> Iterator[Limit]:
    """Nodes of which a kind of log is missing altogether, although they do what it logs."""
    logs = by_key(spans, lambda span: span.node_id)
    have = {node: {span.log for span in own} for node, own in logs.items()}
    with_roles = {span.node_id for span in spans if span.roles}
    brokers = {node.node_id for node in node_subjects if node.takes_roles}
    brokers |= {change.node_id for change in role_changes if change.sort == FETCHERS}
    without_roles = {
        node for node in brokers & have.keys() if node not in with_roles and STATE_CHANGE not in have[node]
    }
    only_server = {node for node in without_roles if not any(CONTROLLER in have[other] for other in have)}
    without_server = {node for node in have if SERVER not in have[node] and have[node] & {STATE_CHANGE, CONTROLLER}}
    registered = {session.broker_id for session in broker_sessions}
    in_kraft = any(tenure.mode == KRAFT for tenure in controllers)
    only_controllers = {
        node
        for node in without_server
        if in_kraft and node not in brokers | registered and STATE_CHANGE not in have[node]
    }
    was_active = {tenure.controller_id for tenure in controllers} & have.keys()
    for kind, nodes in (
        ("server_log_only", only_server),
        ("no_state_change_log", without_roles - only_server),
        ("no_server_log", without_server - only_controllers),
        ("no_server_log_of_controller", only_controllers),
        ("no_controller_log", {node for node in was_active if CONTROLLER not in have[node]} - only_server),
    ):
        if nodes:
            lines = (event for span in spans if span.node_id in nodes for event in span.evidence)
            yield _limit(kind, nodes, evidence=lines)


def _of_blind_spots(blind_spots: Iterable[BlindSpot]) -> Iterator[Limit]:
    """The limits among the blind spots: those of one kind as one, but each gap by itself."""
    named = [spot for spot in blind_spots if spot.kind in _OF_SPOTS]
    outside = [spot for spot in named if spot.kind == "outside_window"]
    if outside:
        shown = least(*(spot.would_tell for spot in outside))
        since_ts, until_ts = (least(*(getattr(spot, name) for spot in outside)) for name in ("end_ts", "start_ts"))
        yield _limit("window", (), until_ts, since_ts, shown)
    for kind in ("no_file", "begins_late"):
        spots = [spot for spot in named if spot.kind == kind]
        if spots:
            end_ts = greatest(*(spot.end_ts for spot in spots))
            lines = (event for spot in spots for event in spot.evidence or ())
            yield _limit(_OF_SPOTS[kind], known(spot.node_id for spot in spots), None, end_ts, evidence=lines)
    for spot in named:
        if spot.kind == "gap":
            node = known([spot.node_id])
            yield _limit("gap", node, spot.start_ts, spot.end_ts, spot.would_tell, evidence=spot.evidence or ())


def _missing_lines(spans: Iterable[CoverageSpan]) -> Iterator[Limit]:
    """Logs that lack single lines."""
    for (node, log), own in by_key((span for span in spans if not span.complete), lambda s: (s.node_id, s.log)).items():
        begin, end = min(span.start_ts for span in own), max(span.end_ts for span in own)
        yield _limit("lines_missing", [node], begin, end, log=log, evidence=own[0].evidence)
