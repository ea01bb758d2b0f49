"""The faults of an analysis as explanations of lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pipelines.memory_store import MemoryStore
from pipelines.store import Store
from replay.causes.predicates import predicates
from replay.facts.controllers import controller_ids
from replay.facts.groups import by_key
from replay.faults.kinds import BY_NAME, EVERYTHING, REASSIGNED, FaultKind, Stops
from replay.knowledge.analyzed import Found
from replay.knowledge.meaning import CHANGE, DIRECTORY, OUTAGE, REGISTRATION, SHORTER_LEADER
from replay.partitions.elected_from import is_unclean
from replay.tables.brokers import BROKER_SESSIONS, CONTROLLERS, BrokerSession, Controller
from replay.tables.control_plane import VOTER_SETS, VoterSet
from replay.tables.faults import FAULTS, WITNESSED, Fault, WitnessedFault
from replay.tables.losses import GONE_VERDICTS, LOSSES, Loss
from replay.tables.offsets import SHORTENED_LOGS, ShortenedLog
from replay.tables.partitions import ELECTIONS, Election

_EXPLAINED_BY_LINES = ("out_of_memory", "authentication_failed", "protocol_refused")
_SILENT = ("paused", "silent")  # besides crashes
_OF_ONE_TIME = timedelta(seconds=10)  # elections within this time are merged
# They stop nothing by themselves, but lines can follow from them.
_WITHOUT_STOPS = (
    "zookeeper_lost",
    "zookeeper_away",
    "quorum_lost",
    "isr_updates_refused",
    "isr_changes_refused",
    "isr_changes_late",
)


@dataclass(frozen=True)
class Roles:
    """Which nodes had a broker's session, were controllers, and are voters of the metadata quorum."""

    brokers: Collection[int]
    controllers: Collection[int]
    voters: Collection[int]

    def named(self, node: int) -> str:
        """`broker 1`, or `controller 101` for a controller without a broker's session."""
        sort = "broker" if node in self.brokers else "controller" if node in self.controllers else "node"
        return f"{sort} {node}"


def faults_found(store: Store | MemoryStore, without: Collection[str] = ()) -> list[Found]:
    """The faults of a run that explain lines; `without`: the names of others."""
    rows = store.rows
    return found_of(
        [fault for fault in rows("faults", FAULTS) if fault.fault_id not in without],
        rows("controllers", CONTROLLERS),
        rows("voter_sets", VOTER_SETS),
        rows("broker_sessions", BROKER_SESSIONS),
        rows("elections", ELECTIONS),
        rows("shortened_logs", SHORTENED_LOGS),
        rows("witnessed", WITNESSED),
        rows("losses", LOSSES),
    )


def found_of(
    faults: Iterable[Fault],
    controllers: Sequence[Controller] = (),
    voter_sets: Sequence[VoterSet] = (),
    broker_sessions: Iterable[BrokerSession] = (),
    elections: Iterable[Election] = (),
    shortened_logs: Iterable[ShortenedLog] = (),
    witnessed: Iterable[WitnessedFault] = (),
    losses: Iterable[Loss] = (),
) -> list[Found]:
    """The faults and the preferred and unclean elections of an analysis that explain lines; each states what its finding
    states.
    """
    faults, elections = list(faults), list(elections)
    by_fault = predicates(faults, shortened_logs, witnessed)
    voters = {node for one in voter_sets for node in one.voters or ()}
    roles = Roles({one.broker_id for one in broker_sessions}, controller_ids(controllers, voter_sets), voters)
    of_faults = [
        _found(fault, controllers, roles, by_fault.get(fault.fault_id, ""))
        for fault in faults
        if _explains_lines(fault)
    ]
    return [*of_faults, *_preferred_elections(elections), *_unclean_elections(elections, losses)]


def _preferred_elections(elections: Iterable[Election]) -> Iterator[Found]:
    """Preferred leader elections; those close in time become one."""
    for burst in _bursts(one for one in elections if one.trigger == "preferred"):
        names = frozenset(f"{one.topic}-{one.partition}" for one in burst)
        since, until = burst[0].ts, burst[-1].ts
        yield Found(
            "Preferred leaders took over", "F17", CHANGE, None, (), since, until, partitions=names, is_election=True
        )


def _unclean_elections(elections: Sequence[Election], losses: Iterable[Loss] = ()) -> Iterator[Found]:
    """Elections from outside the ISR (facts §6.1, R10). The others cut their logs, and with them their high watermarks, to
    that of the new leader when they follow it: whenever they return, unless another leader was elected by then.
    """
    in_order = sorted((one for one in elections if one.ts is not None), key=lambda one: one.ts)
    last = {(one.topic, one.partition): one for one in in_order}
    unclean = [one for one in in_order if is_unclean(one.elected_from)]
    lost = _lost_ranges(losses)
    groups = by_key(unclean, lambda one: (one.new_leader_id, one is last[one.topic, one.partition]))
    for (leader, is_last), own in groups.items():
        for burst in _bursts(own):
            yield Found(
                f"broker {leader} was elected from outside the ISR",
                "F16",
                SHORTER_LEADER,
                leader,
                (),
                burst[0].ts,
                None if is_last else burst[-1].ts,
                partitions=frozenset(f"{one.topic}-{one.partition}" for one in burst),
                is_election=True,
                lost=tuple(
                    (f"{one.topic}-{one.partition}", *lost[key])
                    for one in burst
                    if (key := (one.topic, one.partition, one.leader_epoch)) in lost
                ),
            )


def _lost_ranges(losses: Iterable[Loss]) -> dict[tuple[str, int, int], tuple[int, int]]:
    """By topic, partition and leader epoch: the range of offsets that was certainly discarded."""
    gone = [one for one in losses if one.verdict in GONE_VERDICTS and one.discarded_to_offset is not None]
    return {
        key: (min(one.from_offset for one in own), max(one.discarded_to_offset for one in own))
        for key, own in by_key(gone, lambda one: (one.topic, one.partition, one.leader_epoch)).items()
    }


def _bursts(elections: Iterable[Election]) -> list[list[Election]]:
    """Elections in order; those close in time together."""
    bursts: list[list[Election]] = []
    for one in sorted((one for one in elections if one.ts is not None), key=lambda one: one.ts):
        if not bursts or one.ts - bursts[-1][-1].ts > _OF_ONE_TIME:
            bursts.append([])
        bursts[-1].append(one)
    return bursts


def _explains_lines(fault: Fault) -> bool:
    """Whether lines can be consequences of this fault. Excludes kinds of faults for which the lines say more than
    the analysis.
    """
    has_begun = any(ts is not None for ts in (fault.ts, fault.began_low, fault.began_high))
    is_silent = _sort_of(BY_NAME[fault.kind]) == OUTAGE and not BY_NAME[fault.kind].stops & EVERYTHING
    return has_begun and fault.kind not in _EXPLAINED_BY_LINES and (not is_silent or fault.kind in _WITHOUT_STOPS)


def _sort_of(kind: FaultKind) -> str:
    if kind.name in ("registration_refused", "second_process"):
        return REGISTRATION
    return CHANGE if kind.asked_for else DIRECTORY if kind.stops == Stops.STORING else OUTAGE


def _found(fault: Fault, controllers: Sequence[Controller], roles: Roles, predicate: str) -> Found:
    kind, node = BY_NAME[fault.kind], fault.broker_id
    title = f"{roles.named(node)} {predicate}" if predicate and node is not None else kind.title
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
        votes=True if kind.name == "quorum_lost" else node in roles.voters if roles.voters else None,
        silences=kind.crash or kind.name in _SILENT,
        latest=max(begins),
        partitions=frozenset(fault.partitions or ()) if fault.kind in REASSIGNED else frozenset(),
        offline=frozenset(fault.partitions or ()) if _sort_of(kind) == DIRECTORY else frozenset(),
    )


def _rules_at(tenure: Controller, node_id: int | None, low: datetime, high: datetime) -> bool:
    """Whether a node was the active controller at some time between `low` and `high`."""
    if node_id is None or tenure.controller_id != node_id:
        return False
    has_begun = tenure.start_ts is None or tenure.start_ts <= high
    return has_begun and (tenure.end_ts is None or tenure.end_ts >= low)
