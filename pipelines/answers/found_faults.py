"""The faults of an analysis as explanations of lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from replay.faults.kinds import BY_NAME, EVERYTHING, FaultKind, Stops
from replay.knowledge.analyzed import Found
from replay.knowledge.meaning import CHANGE, DIRECTORY, OUTAGE, REGISTRATION
from replay.tables.brokers import Controller
from replay.tables.control_plane import VoterSet
from replay.tables.faults import Fault

_EXPLAINED_BY_LINES = ("out_of_memory", "authentication_failed", "protocol_refused")
_SILENT = ("paused", "silent")  # besides crashes
# They stop nothing by themselves, and yet lines follow from them.
_WITHOUT_STOPS = ("zookeeper_lost", "zookeeper_away", "quorum_lost", "isr_updates_refused", "isr_changes_refused")


def found_of(
    faults: Iterable[Fault], controllers: Sequence[Controller] = (), voter_sets: Sequence[VoterSet] = ()
) -> list[Found]:
    """The lines that the faults of an analysis explain: those in its time."""
    voters = {node for one in voter_sets for node in one.voters or ()}
    return [_found(fault, controllers, voters) for fault in faults if _explains_lines(fault)]


def _explains_lines(fault: Fault) -> bool:
    """Whether lines follow from it; of some kinds the lines say more than the analysis found."""
    has_begun = any(ts is not None for ts in (fault.ts, fault.began_low, fault.began_high))
    is_silent = _sort_of(BY_NAME[fault.kind]) == OUTAGE and not BY_NAME[fault.kind].stops & EVERYTHING
    return has_begun and fault.kind not in _EXPLAINED_BY_LINES and (not is_silent or fault.kind in _WITHOUT_STOPS)


def _sort_of(kind: FaultKind) -> str:
    if kind.name in ("registration_refused", "second_process"):
        return REGISTRATION
    return CHANGE if kind.asked_for else DIRECTORY if kind.stops == Stops.STORING else OUTAGE


def _found(fault: Fault, controllers: Sequence[Controller], voters: Collection[int]) -> Found:
    kind, node = BY_NAME[fault.kind], fault.broker_id
    predicate = re.sub(r" \([^()]*+\)$", "", kind.predicate)
    title = f"node {node} {predicate}" if predicate and node is not None else kind.title
    begins = [ts for ts in (fault.ts, fault.began_low, fault.began_high) if ts is not None]
    ends = [ts for ts in (fault.end_ts, fault.ended_high) if ts is not None]
    return Found(
        title or kind.name,
        fault.code,
        _sort_of(kind),
        node,
        tuple(fault.peers or ()),
        min(begins),
        max(ends, default=None),
        unclean=bool(kind.stops & Stops.STORING),
        asked=kind.ordered_stop,
        led=any(_rules_at(tenure, node, min(begins), max(begins)) for tenure in controllers),
        votes=True if kind.name == "quorum_lost" else node in voters if voters else None,
        silences=kind.crash or kind.name in _SILENT,
        latest=max(begins),
    )


def _rules_at(tenure: Controller, node_id: int | None, low: datetime, high: datetime) -> bool:
    """Whether a node was the active controller at some moment between these two."""
    if node_id is None or tenure.controller_id != node_id:
        return False
    has_begun = tenure.start_ts is None or tenure.start_ts <= high
    return has_begun and (tenure.end_ts is None or tenure.end_ts >= low)
