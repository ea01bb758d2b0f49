"""The tenures of the active controllers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import earliest
from replay.facts.lines import detail_number, number_in
from replay.facts.order import at_most, less, nulls_first
from replay.facts.reads import reads, reads_each
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, least, plus_millis
from replay.tables.brokers import Controller, Setting
from replay.tables.control_plane import VoterSet
from replay.tables.reading import Fact

ZOOKEEPER, KRAFT = "zk", "kraft"
_ACTIVATED = "kraft_controller_activated"
_RESIGNED = ("kraft_controller_renounced", "controller_resigned")
_READY = ("controller_failover_complete", _ACTIVATED)
CLAIMED = ("controller_elected", "controller_epoch_incremented", *_READY)
_TRANSITION = "raft_transition"
_LEADS, _LED, _STANDS = "Completed transition to Leader(", " from Leader(", "Completed transition to CandidateState("
LEFT_OFFICE = (*_RESIGNED, _TRANSITION)
_WAITS, _CLAIMS = "migration_waiting", "migration_controller_claim_zk"


@dataclass(frozen=True)
class Claim:
    """One line by which a node is the controller of an epoch."""

    mode: str
    controller_id: int | None
    controller_epoch: int | None
    line: Fact


def controllers(facts: Sequence[Fact]) -> list[Controller]:
    """The tenures of active controllers.
    A KRaft node that restarts may print again that it became active in an earlier epoch; that is not a new tenure
    (facts, §8
    trap 19). In a migration the quorum's leader waits while ZooKeeper's controller stays active, until it takes over
    (KIP-866); the two have separate epochs. A KRaft controller is elected as leader of the metadata quorum, and
    becomes active
    once it has read the log. Without lines of KRaft controllers, the transitions of voters and observers show the
    quorum's leaders (`ready_ts` is null).
    """
    tenures = _end_to_end(_of_active(_end_to_end(_first_of_each_epoch(_tenures(_claims(facts)))), facts))
    return list(_with_lost_rounds(list(_until_they_left(tenures, facts)), facts))


@reads_each(*CLAIMED)
def _claims(facts: Sequence[Fact]) -> list[Claim]:
    stated = [_claim_of_controller(fact) for fact in facts if fact.kind in CLAIMED]
    active = {(claim.controller_id, claim.controller_epoch) for claim in stated if claim.line.kind == _ACTIVATED}
    return [*stated, *(one for one in _quorum_leaders(facts) if not active or _is_election_of(one, active))]


def _is_election_of(claim: Claim, active: Collection[tuple[int | None, int | None]]) -> bool:
    """Whether the line is a node's own line about an election that made it active, in the same epoch."""
    return (claim.controller_id, claim.controller_epoch) in active and _LEADS in claim.line.message


def _claim_of_controller(fact: Fact) -> Claim:
    return Claim(
        KRAFT if fact.kind == _ACTIVATED else ZOOKEEPER,
        first_known(fact.controller_id, fact.node_id),
        first_known(fact.controller_epoch, detail_number(fact, "new_epoch")),
        fact,
    )


@reads(_TRANSITION)
def _quorum_leaders(facts: Iterable[Fact]) -> Iterator[Claim]:
    """The leaders of the metadata quorum in the lines of its voters and observers."""
    for fact in facts:
        leader = _reported_leader(fact.message or "") if fact.kind == _TRANSITION else None
        if leader is not None:
            yield Claim(KRAFT, leader, number_in(fact.message, r"\bepoch=(\d+)"), fact)


def _reported_leader(message: str) -> int | None:
    if _LEADS in message:
        return number_in(message, r"RaftManager (?:id|nodeId)=(\d+)")
    if "Completed transition to FollowerState(" in message:
        return number_in(message, r"\bleader(?:Id)?=(\d+)")
    return None


def _tenures(claims: Iterable[Claim]) -> list[Controller]:
    """One tenure for each node and epoch in which it is the controller."""
    by_claim: dict[tuple[str, int | None, int], list[Fact]] = {}
    for claim in claims:
        if claim.controller_epoch is not None:
            by_claim.setdefault((claim.mode, claim.controller_id, claim.controller_epoch), []).append(claim.line)
    return [
        Controller(
            mode=mode,
            controller_id=controller,
            controller_epoch=epoch,
            start_ts=least(*[line.ts for line in lines]),
            ready_ts=least(*[line.ts for line in lines if line.kind in _READY]),
            evidence=earliest((line.ts, line.event_id) for line in lines),
        )
        for (mode, controller, epoch), lines in by_claim.items()
    ]


def _first_of_each_epoch(tenures: Iterable[Controller]) -> list[Controller]:
    """The first claim of each epoch."""
    first: dict[tuple[str, int], Controller] = {}
    for tenure in sorted(tenures, key=lambda tenure: nulls_first(tenure.start_ts)):
        first.setdefault((tenure.mode, tenure.controller_epoch), tenure)
    return list(first.values())


def _end_to_end(tenures: Iterable[Controller]) -> list[Controller]:
    """The tenures, each ended by the next: ZooKeeper's controllers first, then the quorum's, by their epochs."""
    in_order = sorted(tenures, key=lambda tenure: (tenure.mode == KRAFT, tenure.controller_epoch))
    begins = [tenure.start_ts for tenure in in_order[1:]]
    return [tenure.but(end_ts=end_ts) for tenure, end_ts in zip(in_order, [*begins, None], strict=False)]


@reads(*LEFT_OFFICE)
def ends_of_office(facts: Iterable[Fact]) -> list[Fact]:
    """The lines with which nodes stop being the active controller: a node resigns, or no longer leads the metadata
    quorum.
    """
    return [
        line
        for line in facts
        if line.ts is not None
        and (line.kind in _RESIGNED or (line.kind == _TRANSITION and _LED in (line.message or "")))
    ]


def controller_ids(controllers: Iterable[Controller], voter_sets: Iterable[VoterSet]) -> set[int]:
    """The nodes that are KRaft controllers, including combined nodes that are brokers too: the voters and the active
    controllers.
    """
    active = {tenure.controller_id for tenure in controllers if tenure.mode == KRAFT}
    return {node for node in active.union(*(one.voters or () for one in voter_sets)) if node is not None}


def only_controllers(
    controllers: Iterable[Controller],
    voter_sets: Iterable[VoterSet],
    settings: Iterable[Setting],
    brokers: Collection[int | None],
) -> set[int]:
    """The KRaft controllers that are not brokers as far as lines show; `brokers`: nodes that are known to be
    brokers.
    """
    combined = {one.node_id for one in settings if one.name == "process.roles" and "broker" in (one.value or "")}
    return controller_ids(controllers, voter_sets).difference(brokers, combined)


def active_from(tenure: Controller) -> datetime | None:
    """When the node begins to act as controller: in KRaft when it becomes active, in ZooKeeper mode when it is
    elected.
    """
    return first_known(tenure.ready_ts, tenure.start_ts) if tenure.mode == KRAFT else tenure.start_ts


def _until_they_left(tenures: Iterable[Controller], facts: Iterable[Fact]) -> Iterator[Controller]:
    """The tenures, ended where the node logs its resignation if that is before the next tenure begins."""
    left = ends_of_office(facts)
    for tenure in tenures:
        own = (line.ts for line in left if line.node_id == tenure.controller_id and at_most(tenure.start_ts, line.ts))
        yield tenure.but(end_ts=least(tenure.end_ts, *own)) if tenure.start_ts is not None else tenure


@reads(_WAITS)
@reads_each(_CLAIMS)
def _of_active(tenures: Sequence[Controller], facts: Sequence[Fact]) -> Sequence[Controller]:
    """The tenures of the controllers: in a migration, the quorum's leaders from the claim on."""
    if not any(fact.kind in (_WAITS, _CLAIMS) for fact in facts):
        return tenures
    claimed_ts = least(*[fact.ts for fact in facts if fact.kind == _CLAIMS])
    return [
        _not_before(tenure, claimed_ts) if tenure.mode == KRAFT else tenure
        for tenure in tenures
        if tenure.mode != KRAFT or at_most(claimed_ts, first_known(tenure.end_ts, claimed_ts))
    ]


@dataclass(frozen=True)
class Candidacy:
    """A line with which a voter stands for election in an epoch."""

    epoch: int
    ts: datetime
    node_id: int | None
    event_id: str


@reads(_TRANSITION)
def _with_lost_rounds(tenures: Sequence[Controller], facts: Iterable[Fact]) -> Iterator[Controller]:
    """The tenures with the rounds of voting before them that nobody won: split votes, or candidates without a majority."""
    stood = [
        Candidacy(epoch, fact.ts, fact.node_id, fact.event_id)
        for fact in facts
        if fact.kind == _TRANSITION and _STANDS in (fact.message or "") and fact.ts is not None
        if (epoch := number_in(fact.message, r"\bepoch=(\d+)")) is not None
    ]
    before: Controller | None = None
    for tenure in tenures:
        lost = [] if before is None or tenure.mode != KRAFT else _lost_between(before, tenure, stood)
        before = tenure if tenure.mode == KRAFT else before
        if not lost:
            yield tenure
            continue
        yield tenure.but(
            lost_rounds=len({one.epoch for one in lost}),
            lost_rounds_from=min(one.ts for one in lost),
            lost_rounds_of=sorted({one.node_id for one in lost if one.node_id is not None}),
            evidence=[*tenure.evidence, *earliest((one.ts, one.event_id) for one in lost)],
        )


def _lost_between(before: Controller, then: Controller, stood: Iterable[Candidacy]) -> list[Candidacy]:
    """The rounds between two tenures: since the first one ended by its own line, otherwise since the next leader stood. A voter
    that is cut off stands again and again while the others have a leader.
    """
    rounds = [
        one for one in stood if less(before.controller_epoch, one.epoch) and less(one.epoch, then.controller_epoch)
    ]
    since_ts = before.end_ts if less(before.end_ts, then.start_ts) else None
    if since_ts is None:
        since_ts = min((one.ts for one in rounds if one.node_id == then.controller_id), default=None)
        since_ts = plus_millis(since_ts, -CLOCKS_DIFFER_MS)
    return [one for one in rounds if at_most(since_ts, one.ts)]


def _not_before(tenure: Controller, claimed_ts: datetime | None) -> Controller:
    return tenure.but(
        start_ts=greatest(tenure.start_ts, claimed_ts),
        ready_ts=greatest(tenure.ready_ts, claimed_ts),
    )
