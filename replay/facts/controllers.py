"""The tenures of the active controllers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import earliest
from replay.facts.lines import detail_number, number_in
from replay.facts.order import at_most, less, nulls_first
from replay.facts.reads import reads, reads_each
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, least, millis, plus_millis
from replay.tables.brokers import Controller, Setting
from replay.tables.control_plane import VoterSet
from replay.tables.reading import Fact

ZOOKEEPER, KRAFT = "zk", "kraft"
_ACTIVATED = "kraft_controller_activated"
_RESIGNED = ("kraft_controller_renounced", "controller_resigned")
_READY = ("controller_failover_complete", _ACTIVATED)
CLAIMED = ("controller_elected", "controller_epoch_incremented", *_READY)
TRANSITION = "raft_transition"
_LEADS, _LED, _STANDS = "Completed transition to Leader(", " from Leader(", "Completed transition to CandidateState("
LEFT_OFFICE = (*_RESIGNED, TRANSITION)
_REQUESTS = (  # the lines of brokers that print which controller sent a request, and its epoch
    "broker_metadata_update_summary",
    "broker_become_follower_leader_unavailable",
)
_VOTES, _PRE_VOTE = "raft_vote_decision", "preVote=true"
_RENOUNCES = "kraft_controller_renounced"
_EPOCH = r"\bepoch=(\d+)"
_CANDIDATE_EPOCH, _CANDIDATE = r"\b(?:candidate|replica)Epoch=(\d+)", r"\b(?:candidate|replica)Id=(\d+)"
_FOLLOWED = re.compile(
    r"from FollowerState\([^)\]]{0,200}\bepoch=(?P<epoch>\d{1,10}), leader(?:Id)?=(?P<leader>\d{1,10})\b"
)
ANSWERS_WITHIN_MS = 1_000  # a leader prints its answer to the request that made it give up this soon after it gave up
_WAITS, _CLAIMS = "migration_waiting", "migration_controller_claim_zk"


@dataclass(frozen=True)
class Claim:
    """One line by which a node is the controller of an epoch."""

    mode: str
    controller_id: int | None
    controller_epoch: int | None
    line: Fact


def controllers(facts: Sequence[Fact]) -> list[Controller]:
    """The tenures of active controllers. A KRaft node that restarts may print again that it became active in an earlier
    epoch; that is not a new tenure (facts, §8 trap 19). In a migration the quorum's leader waits while ZooKeeper's
    controller stays active, until it takes over (KIP-866); the two have separate epochs. A KRaft controller is elected
    as leader of the metadata quorum, and becomes active once it has read the log. Without lines of KRaft controllers,
    the transitions of voters and observers show the quorum's leaders (`ready_ts` is null). Without lines of a
    ZooKeeper controller in its epoch, the first request that a broker received from it shows the tenure.
    """
    tenures = _end_to_end(_of_active(_end_to_end(_first_of_each_epoch(_tenures(_claims(facts)))), facts))
    ended = list(_until_they_left(tenures, facts))
    return list(_with_lost_rounds(list(_with_deposers(ended, facts)), facts))


@reads_each(*CLAIMED)
def _claims(facts: Sequence[Fact]) -> list[Claim]:
    stated = [_claim_of_controller(fact) for fact in facts if fact.kind in CLAIMED]
    active = {(claim.controller_id, claim.controller_epoch) for claim in stated if claim.line.kind == _ACTIVATED}
    epochs = {claim.controller_epoch for claim in stated if claim.mode == ZOOKEEPER}
    return [
        *stated,
        *(one for one in _quorum_leaders(facts) if not active or _is_election_of(one, active)),
        *(one for one in first_requests(facts) if one.controller_epoch not in epochs),
    ]


@reads(*_REQUESTS)
def first_requests(facts: Iterable[Fact]) -> list[Claim]:
    """The first line of each ZooKeeper controller's epoch in which another node prints a request of that controller."""
    first: dict[tuple[int, int], Fact] = {}
    for fact in facts:
        if fact.kind in _REQUESTS and fact.ts is not None and None not in (fact.controller_id, fact.controller_epoch):
            key = int(fact.controller_epoch or 0), int(fact.controller_id or 0)
            known = first.get(key)
            if known is None or (fact.ts, fact.event_id) < (known.ts, known.event_id):
                first[key] = fact
    return [Claim(ZOOKEEPER, controller, epoch, line) for (epoch, controller), line in sorted(first.items())]


def _is_election_of(claim: Claim, active: Collection[tuple[int | None, int | None]]) -> bool:
    """Whether the line is a node's own line about an election that made it active, in the same epoch."""
    return (claim.controller_id, claim.controller_epoch) in active and elects_its_writer(claim.line)


def _claim_of_controller(fact: Fact) -> Claim:
    return Claim(
        KRAFT if fact.kind == _ACTIVATED else ZOOKEEPER,
        first_known(fact.controller_id, fact.node_id),
        first_known(fact.controller_epoch, detail_number(fact, "new_epoch")),
        fact,
    )


@reads(TRANSITION)
def _quorum_leaders(facts: Iterable[Fact]) -> Iterator[Claim]:
    """The leaders of the metadata quorum in the lines of its voters and observers."""
    for fact in facts:
        leader = _reported_leader(fact.message or "") if fact.kind == TRANSITION else None
        if leader is not None:
            yield Claim(KRAFT, leader, number_in(fact.message, r"\bepoch=(\d+)"), fact)


def elects_its_writer(transition: Fact) -> bool:
    """Whether a voter's line about its transition makes it the leader of the metadata quorum."""
    return _LEADS in (transition.message or "")


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
            begun_before=True if all(line.node_id not in (None, controller) for line in lines) else None,
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
    """The tenures, each ended by the next: ZooKeeper's controllers first, then the quorum's, by their epochs. A claim from
    after the next tenure began is a repeated one: when that tenure began is not in the logs. One that only others name began
    after the tenure before it; the first one has no such bound.
    """
    in_order = sorted(tenures, key=lambda tenure: (tenure.mode == KRAFT, tenure.controller_epoch))
    first = {(tenure.mode, tenure.controller_epoch) for tenure in in_order[:1]}
    bounded = [
        one if one.mode == ZOOKEEPER or (one.mode, one.controller_epoch) in first else one.but(begun_before=None)
        for one in in_order
    ]
    return [_ended_by(tenure, then) for tenure, then in zip(bounded, [*bounded[1:], None], strict=False)]


def _ended_by(tenure: Controller, then: Controller | None) -> Controller:
    if then is None:
        return tenure.but(end_ts=None)
    ended = tenure.but(end_ts=then.start_ts)
    is_repeated = then.mode == tenure.mode and less(then.start_ts, tenure.start_ts)
    return ended.but(start_ts=None, ready_ts=None) if is_repeated else ended


@reads(*LEFT_OFFICE)
def ends_of_office(facts: Iterable[Fact]) -> list[Fact]:
    """The lines with which nodes stop being the active controller: a node resigns, or no longer leads the metadata
    quorum.
    """
    return [
        line
        for line in facts
        if line.ts is not None
        and (line.kind in _RESIGNED or (line.kind == TRANSITION and _LED in (line.message or "")))
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


@reads(TRANSITION)
def _with_lost_rounds(tenures: Sequence[Controller], facts: Collection[Fact]) -> Iterator[Controller]:
    """The tenures with the rounds of voting before them that nobody won: split votes, or candidates without a majority."""
    stood = [
        Candidacy(epoch, fact.ts, fact.node_id, fact.event_id)
        for fact in facts
        if fact.kind == TRANSITION and _STANDS in (fact.message or "") and fact.ts is not None
        if (epoch := number_in(fact.message, r"\bepoch=(\d+)")) is not None
    ]
    won = {number_in(fact.message, _EPOCH) for fact in facts if fact.kind == TRANSITION and elects_its_writer(fact)}
    stood = [one for one in stood if one.epoch not in won]
    before: Controller | None = None
    for tenure in tenures:
        lost = [] if before is None or tenure.mode != KRAFT else _lost_between(before, tenure, stood)
        deposed_ts = None if before is None else before.deposed_at
        before = tenure if tenure.mode == KRAFT else before
        if not lost:
            yield tenure
            continue
        yield tenure.but(
            lost_rounds=len({one.epoch for one in lost}),
            lost_rounds_from=greatest(deposed_ts, min(one.ts for one in lost)),
            lost_rounds_of=sorted({one.node_id for one in lost if one.node_id is not None}),
            evidence=[*tenure.evidence, *earliest((one.ts, one.event_id) for one in lost)],
        )


def _lost_between(before: Controller, then: Controller, stood: Iterable[Candidacy]) -> list[Candidacy]:
    """The rounds between two tenures: since the first one ended by its own line, otherwise since the next leader stood. A voter
    that is cut off stands again and again while the others have a leader. The first round after a deposition is that of the voter
    that deposed the first one.
    """
    rounds = [
        one for one in stood if less(before.controller_epoch, one.epoch) and less(one.epoch, then.controller_epoch)
    ]
    if before.deposed_in is not None:
        then_ts = plus_millis(before.deposed_at, -CLOCKS_DIFFER_MS)
        return [one for one in rounds if not less(one.epoch, before.deposed_in) and at_most(then_ts, one.ts)]
    since_ts = before.end_ts if less(before.end_ts, then.start_ts) else None
    if since_ts is None:
        since_ts = min((one.ts for one in rounds if one.node_id == then.controller_id), default=None)
        since_ts = plus_millis(since_ts, -CLOCKS_DIFFER_MS)
    return [one for one in rounds if at_most(since_ts, one.ts)]


@dataclass(frozen=True)
class _Departure:
    """The first line with which a leader of the quorum gives up its leadership for a later Raft epoch."""

    epoch: int
    line: Fact


@reads(TRANSITION, _VOTES, _RENOUNCES)
def _with_deposers(tenures: Sequence[Controller], facts: Iterable[Fact]) -> Iterator[Controller]:
    """The tenures with the voter that deposed the controller: a leader gives up for every request for votes in a later
    Raft epoch, whoever wins the election (facts §5, F04 and F10). With pre-votes (KIP-996) a voter asks first.
    """
    lines = [fact for fact in facts if fact.kind in (TRANSITION, _VOTES, _RENOUNCES) and fact.ts is not None]
    in_order = [one for one in tenures if one.mode == KRAFT]
    following = dict(zip(map(id, in_order), in_order[1:], strict=False))
    for tenure in tenures:
        next_one = following.get(id(tenure))
        departure = None if next_one is None else _departure(tenure, next_one, lines)
        yield tenure if departure is None else _deposed(tenure, departure, lines)


def _departure(tenure: Controller, following: Controller, lines: Iterable[Fact]) -> _Departure | None:
    """When the controller gave up for a later epoch, before the election of the next one: a controller that gives up only
    afterwards was away, and the others had elected the next one without it.
    """
    found = [
        _Departure(epoch, line)
        for line in lines
        if line.node_id == tenure.controller_id
        and at_most(tenure.start_ts, line.ts)
        and at_most(line.ts, following.start_ts)
        and (epoch := _epoch_left_for(line)) is not None
        and less(tenure.controller_epoch, epoch)
    ]
    return min(found, key=lambda one: (one.epoch, one.line.ts), default=None)


def _epoch_left_for(line: Fact) -> int | None:
    """The epoch for which a leader gives up, if this is such a line. A leader that stands itself is not deposed."""
    if line.kind == _RENOUNCES:
        return detail_number(line, "new_epoch")
    message = line.message or ""
    return number_in(message, _EPOCH) if re.search(r"Completed transition to (?:Unattached|Voted)\(", message) else None


def _deposed(tenure: Controller, departure: _Departure, lines: Iterable[Fact]) -> Controller:
    """The tenure with the candidate of the epoch: from the controller's own answer to the request for its vote, else the only
    node that stood in that epoch.
    """
    of_epoch = [one for one in map(_candidacy, lines) if one is not None and one.epoch == departure.epoch]
    own = [one for one in of_epoch if one.answered_by == tenure.controller_id and _is_soon(one.line, departure.line)]
    stood = [one for one in of_epoch if one.answered_by is None]
    named = own or stood
    nodes = {one.candidate for one in named} - {tenure.controller_id}
    if len(nodes) != 1:
        return tenure
    proof = [departure.line.event_id, min(named, key=lambda one: one.line.ts).line.event_id]
    found = tenure.but(
        deposed_by=nodes.pop(), deposed_in=departure.epoch, deposed_at=departure.line.ts, deposed_evidence=proof
    )
    drawn = _drawn_away(found, lines)
    if drawn is None:
        return found
    return found.but(
        deposed_by=drawn.candidate,
        deposed_through=found.deposed_by,
        deposed_in=drawn.epoch,
        deposed_evidence=[*proof, drawn.line.event_id],
    )


def _drawn_away(deposed: Controller, lines: Iterable[Fact]) -> _Standing | None:
    """The request of a third voter for which the candidate left the controller that it still followed, before it became
    a candidate: it had not lost contact (facts §5, F10). None if it left for another reason.
    """
    left = [
        epoch
        for line in lines
        if line.node_id == deposed.deposed_by
        and (was := _FOLLOWED.search(line.message or "")) is not None
        and (int(was["epoch"]), int(was["leader"])) == (deposed.controller_epoch, deposed.controller_id)
        and (epoch := _epoch_left_for(line)) is not None
        and less(epoch, deposed.deposed_in)
    ]
    requests = [
        one
        for one in map(_candidacy, lines)
        if one is not None and one.answered_by == deposed.deposed_by and one.epoch in left
    ]
    third = [one for one in requests if one.candidate not in (deposed.deposed_by, deposed.controller_id)]
    return min(third, key=lambda one: (one.epoch, one.line.ts), default=None)


def _is_soon(answer: Fact, departure: Fact) -> bool:
    return abs(millis(answer.ts, departure.ts) or 0) <= ANSWERS_WITHIN_MS


@dataclass(frozen=True)
class _Standing:
    """A line that names a candidate of an epoch: its own, or the answer of a voter to its request."""

    epoch: int
    candidate: int
    answered_by: int | None
    line: Fact


def _candidacy(line: Fact) -> _Standing | None:
    message = line.message or ""
    if line.kind == _VOTES and _PRE_VOTE not in message:
        epoch, candidate = number_in(message, _CANDIDATE_EPOCH), number_in(message, _CANDIDATE)
        answered_by = line.node_id
    elif line.kind == TRANSITION and _STANDS in message:
        epoch, candidate, answered_by = number_in(message, _EPOCH), line.node_id, None
    else:
        return None
    return None if epoch is None or candidate is None else _Standing(epoch, candidate, answered_by, line)


def _not_before(tenure: Controller, claimed_ts: datetime | None) -> Controller:
    return tenure.but(
        start_ts=greatest(tenure.start_ts, claimed_ts),
        ready_ts=greatest(tenure.ready_ts, claimed_ts),
    )
