"""Happenings -> the edges of the causality graph, by every rule of `replay.causes.rules`. Each happening becomes a
possible cause once for every rule that allows it, under the keys of the rule, with the time range in which effects may
follow. An effect finds its causes by rule and key: those of the cluster, and those of its own partition.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from itertools import chain
from typing import Any

from replay.causes.happenings import LEADER
from replay.causes.rules import (
    CALLED,
    CHANGES_OF_LEADER,
    DEPOSED,
    FOLLOWS_MS,
    LED_UNTIL_IT_ENDED,
    LEFT_BEFORE,
    MEMBER,
    MEMORY_MS,
    NO_MAJORITY,
    OPEN_MS,
    PREFERRED_WAS_BACK,
    RULES,
    From,
    Key,
    Rule,
    Until,
)
from replay.facts.controllers import KRAFT
from replay.facts.groups import by_key
from replay.facts.in_time import InTime
from replay.facts.order import at_most, less
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, millis, plus_millis, unix_millis
from replay.facts.timings import Timings
from replay.faults.kinds import MISSED_CHANGES
from replay.faults.quorum import LEADER_BACK_MS
from replay.lists import listed
from replay.sentences.causes import BECAUSE
from replay.sentences.findings import CUT_FROM_ONE, PREDICATES
from replay.sentences.statement import LIST_SEPARATOR
from replay.tables.brokers import NodeTimings
from replay.tables.causes import ClusterHappening, Edge, Happening

LINK, _BOTH_ENDS = "link_cut", 2
RIVALS_KEPT = 3  # so many causes of one aspect, with the accepted one


def _by_kind(kinds_of: Callable[[Rule], Iterable[str]]) -> Mapping[str, list[tuple[int, Rule]]]:
    """The rules that name a kind of happening, each with its number."""
    rules: dict[str, list[tuple[int, Rule]]] = defaultdict(list)
    for number, rule in enumerate(RULES):
        for kind in kinds_of(rule):
            rules[kind].append((number, rule))
    return rules


_STATES = ("leaderless", "isr_shrink", *CHANGES_OF_LEADER)  # dated by the first line that shows them
_OF_CAUSES = _by_kind(lambda rule: rule.causes)
_OF_EFFECTS = _by_kind(lambda rule: rule.effects)


@dataclass(frozen=True, slots=True)
class Cause:
    """A happening as the cause under one rule: its effects begin between `from_ts` and `to_ts`. `lags_ts`: when a
    follower that it stalled has lagged for `replica.lag.time.max.ms`; None for effects other than a lag.
    """

    happening: Happening
    over_ts: datetime | None
    from_ts: datetime
    to_ts: datetime
    lags_ts: datetime | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cause that a rule accepts for an effect. `member`: the broker of the effect that it explains, if the key
    contains one; `during`: the effect began while the cause lasted; `lags_ts` as in `Cause`; `others`: the causes that
    share a joint effect; `out`: the members that had left the ISR in the cause and were not back.
    """

    number: int
    rule: Rule
    cause: Happening
    effect: Happening
    member: int | None
    during: bool
    lags_ts: datetime | None = None
    others: Sequence[Happening] = ()
    out: Sequence[int] = ()

    @property
    def explains(self) -> tuple[str, int | None]:
        """The aspect of the effect: a shrink that removed several brokers has a cause for each."""
        return self.rule.aspect, self.member if self.rule.aspect == MEMBER else None

    def is_like(self, other: Candidate) -> bool:
        """Whether both are equally likely, under one rule."""
        return (self.number, self.during) == (other.number, other.during)

    def rank(self) -> tuple[Any, ...]:
        """The sort key: the likeliest first."""
        nearness = -unix_millis(self.cause.ts) if self.rule.latest else abs(millis(self.effect.ts, self.cause.ts) or 0)
        return -self.rule.confidence, not self.during, nearness, self.cause.id, self.number


class Causes:
    """Possible causes, to look up by rule and key."""

    def __init__(self, happenings: Iterable[Happening], timings: Timings) -> None:
        self._of_rule: dict[int, defaultdict[Hashable, InTime[Cause]]] = {}
        for happening in happenings:
            for number, rule in _OF_CAUSES.get(happening.kind, ()):
                cause = _laid_out(happening, rule, timings)
                if cause is not None:
                    of_keys = self._of_rule.setdefault(number, defaultdict(InTime))
                    for key in _KEYS_OF_CAUSES[rule.key](happening):
                        of_keys[key].add(cause.from_ts, cause.to_ts, cause)

    def has_any(self, number: int) -> bool:
        """Whether there is a possible cause under the rule with this number."""
        return number in self._of_rule

    def at(self, number: int, key: Hashable, ts: datetime | None) -> Iterable[Cause]:
        """The causes under the rule of this number and key with `ts` in their window."""
        of_keys = self._of_rule.get(number)
        return () if ts is None or of_keys is None or key not in of_keys else of_keys[key].lasting(ts, ts)


def _laid_out(happening: Happening, rule: Rule, timings: Timings) -> Cause | None:
    """The happening as a cause under the rule; None if the time of its effects is unknown, or if effects may begin only
    after its end and it has none.
    """
    if happening.over_ts is None and rule.since is From.OVER:
        return None
    over_ts = first_known(happening.over_ts, plus_millis(happening.begin_ts, OPEN_MS))
    full_ts = first_known(happening.end_ts, plus_millis(happening.begin_ts, MEMORY_MS))
    moment = {From.BEGIN: happening.begin_ts, From.OVER: over_ts, From.FULL: full_ts}
    from_ts = plus_millis(moment[rule.since], rule.since_ms)
    to_ts = plus_millis(moment[rule.until.base], _until_ms(happening, rule.until, timings))
    lags_ts = _lags_from(happening, timings) if rule.reason == "left_isr_for_lag" else None
    return None if from_ts is None or to_ts is None else Cause(happening, over_ts, from_ts, to_ts, lags_ts)


def _lags_from(stall: Happening, timings: Timings) -> datetime | None:
    """The earliest time at which a leader may drop a follower for lag that kept up until it stalled."""
    lag_ms = timings.at(_node(stall), stall.ts).replica_lag_ms or 0
    return plus_millis(stall.begin_ts, max(lag_ms - CLOCKS_DIFFER_MS, 0))


def _until_ms(happening: Happening, until: Until, timings: Timings) -> float:
    if not (until.sessions or until.lags or until.imbalance_checks):
        return until.ms
    waits = timings.at(_node(happening), happening.ts)
    session_ms = greatest(waits.broker_session_ms, waits.zookeeper_session_ms) or 0
    return (
        until.ms
        + until.sessions * session_ms
        + until.lags * (waits.replica_lag_ms or 0)
        + until.imbalance_checks * (waits.imbalance_check_ms or 0)
    )


def edges_to(effects: Iterable[Happening], *causes: Causes) -> list[Edge]:
    """Every cause that the rules accept for these effects, and its likeliest rivals."""
    return [edge for effect in effects for edge in _edges_of(effect, causes)]


def edges_of_cluster(cluster_happenings: Sequence[ClusterHappening], timings: Iterable[NodeTimings]) -> list[Edge]:
    """The edges between happenings that concern no partition, with what a lost metadata quorum only delayed."""
    edges = edges_to(cluster_happenings, Causes(cluster_happenings, Timings(timings)))
    return [*edges, *delays(cluster_happenings, edges)]


def delays(happenings: Sequence[Happening], edges: Iterable[Edge]) -> Iterator[Edge]:
    """The next controller after the loss of the metadata quorum; and the ends of sessions whose timeout began only with that
    controller, though the fault of the broker is older.
    """
    dated = sorted((one for one in happenings if one.ts is not None), key=lambda one: (one.ts, one.id))
    changes = [one for one in dated if one.kind == "controller_change" and one.by == KRAFT]
    times = [one.ts for one in changes]
    endings = (one for one in dated if one.kind == "detected" and one.by != "controlled_shutdown")
    ended_after = by_key(endings, lambda one: bisect_right(times, one.ts) - 1)  # by the last change of the controller
    by_id = {one.id: one for one in happenings}
    accepted = (edge for edge in edges if edge.rank == 1 and edge.src in by_id)
    causes = by_key(accepted, lambda edge: edge.dst, lambda edge: by_id[edge.src])
    for lost in (one for one in dated if one.kind == "quorum_lost" and one.over_ts is not None):
        begin, end = bisect_left(times, lost.ts), bisect_right(times, plus_millis(lost.over_ts, LEADER_BACK_MS))
        for number in range(begin, end):
            if number == begin:
                yield _delay(lost, changes[number], "no_controller_could_be_elected")
            for ended in ended_after[number]:
                if any(less(cause.began_high, changes[number].ts) for cause in causes[ended.id]):
                    yield _delay(lost, ended, "no_controller_could_fence")


def _delay(lost: Happening, effect: Happening, reason: str) -> Edge:
    """An edge without a rank: the effect has causes of its own."""
    arguments = {"node": str(effect.node_id)}
    return Edge(
        src=lost.id,
        dst=effect.id,
        relation="R26",
        because=BECAUSE.render(reason, arguments),
        reason=reason,
        arguments=arguments,
        aspect="delayed",
        confidence=0.9,
        delay_ms=_shortest_delay_ms(lost, effect),
        delay_high_ms=_longest_delay_ms(lost, effect),
    )


def _edges_of(effect: Happening, causes: Iterable[Causes]) -> Iterator[Edge]:
    """One edge for each cause and relation, from the likeliest candidate."""
    explained = by_key(_of_members_out(list(_candidates(effect, causes))), lambda candidate: candidate.explains)
    found: dict[tuple[str, str], tuple[int, float, Candidate]] = {}
    for candidates in explained.values():
        for rank, confidence, candidate in _ranked(
            _after_lag(effect, _by_one_mechanism(effect, _of_one_leader(effect, _of_one_return(candidates))))
        ):
            of_cause = (candidate.cause.id, candidate.rule.number)
            if of_cause not in found or (rank, -confidence) < (found[of_cause][0], -found[of_cause][1]):
                found[of_cause] = (rank, confidence, candidate)
    for rank, confidence, candidate in found.values():
        yield _edge(candidate, rank, confidence)


def _of_members_out(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without earlier shrinks of an ISR whose members were back when writes were refused, or had left
    again since: for each member that was out, only its last departure counts.
    """
    if not any(one.rule.reason == LEFT_BEFORE for one in candidates):
        return candidates
    last = min((one for one in candidates if one.rule.reason == "too_few_in_sync"), key=Candidate.rank, default=None)
    isr = None if last is None else (last.cause.arguments or {}).get("isr")
    kept = [one for one in candidates if one.rule.reason != LEFT_BEFORE]
    if last is None or not isr:
        return kept
    settled = {*map(int, isr.split(",")), *last.cause.about}
    before = [one for one in candidates if one not in kept and less(one.cause.ts, last.cause.ts)]
    for one in sorted(before, key=lambda one: one.cause.ts, reverse=True):
        out = [member for member in one.cause.about if member not in settled]
        settled.update(out)
        kept += [replace(one, out=out)] if out else []
    return kept


def _by_one_mechanism(effect: Happening, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates of the mechanism that removed a replica from an ISR: its leader for lag, by the leader's own line,
    or else the controller when a session ended. Only one of the two did it, so the other is not a rival. An absent
    leader is not a rival either if the controller did it.
    """
    numbers = {candidate.rule.number for candidate in candidates}
    if effect.kind != "isr_shrink" or "R4" not in numbers:
        return candidates
    if effect.by != LEADER:
        return [candidate for candidate in candidates if candidate.rule.number not in ("R3", "R13")]
    return [
        candidate
        for candidate in candidates
        if candidate.rule.number != "R4" or not ("R13" in numbers or less(effect.ts, candidate.cause.ts))
    ]


def _after_lag(effect: Happening, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without stalls that began less than `replica.lag.time.max.ms` before the leader dropped the
    follower, if another stall began early enough.
    """
    too_late = [one for one in candidates if effect.by == LEADER and less(effect.ts, one.lags_ts)]
    if not any(one.lags_ts is not None and one not in too_late for one in candidates):
        return candidates
    return [one for one in candidates if one not in too_late]


def _of_one_return(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without earlier ends of a preferred leader's tenure: it leads again after one return."""
    returns = [candidate for candidate in candidates if candidate.rule.reason == PREFERRED_WAS_BACK]
    last = min(returns, key=Candidate.rank, default=None)
    return [candidate for candidate in candidates if candidate is last or candidate not in returns]


def _of_one_leader(cut: Happening, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without elections of earlier leaders, if the lines of a follower that truncated its log show the
    leader epoch in which it followed.
    """
    followed = [one for one in candidates if one.rule.reason == "followed_its_leader"]
    if cut.leader_epoch is None or not followed:
        return candidates
    last = greatest(*[one.cause.leader_epoch for one in followed])
    return [one for one in candidates if one not in followed or one.cause.leader_epoch == last]


def _ranked(candidates: list[Candidate]) -> Iterator[tuple[int, float, Candidate]]:
    """The likeliest candidates that explain one aspect, with rank and confidence: 1 is accepted, the next are its
    rivals. Equally good candidates share the confidence of their rule, or are accepted together.
    """
    alike = Counter((candidate.number, candidate.during) for candidate in candidates)
    in_order = sorted(candidates, key=Candidate.rank)
    together = [one for one in in_order if one.rule.jointly and one.is_like(in_order[0])]
    for one in together:
        others = {other.cause.id: other.cause for other in together if other.cause.id != one.cause.id}
        yield 1, _rounded(one.rule.confidence), replace(one, others=[*others.values()])
    for rank, candidate in enumerate(in_order[len(together) : RIVALS_KEPT], len(together) + 1):
        share = 1 if candidate.rule.latest else alike[candidate.number, candidate.during]
        yield rank, _rounded(candidate.rule.confidence / share), candidate


def _shortest_delay_ms(cause: Happening, effect: Happening) -> int | None:
    """From the latest begin of the cause to the earliest of the effect; 0 if the two overlap. None for a state of a
    partition that a controller or ZooKeeper set: its time is that of the first line that shows it, so the state is
    older by an unknown time, as is a controller that only others name. A leader logs a shrink before it asks for it (facts §5).
    """
    is_found_later = effect.code is None and effect.began_high is not None  # only its latest begin is known
    if is_found_later or (effect.kind in _STATES and effect.by != LEADER):
        return None
    earliest = effect.ts if effect.code is None else first_known(effect.began_low, cause.ts)
    shortest = millis(earliest, first_known(cause.began_high, cause.ts))
    return None if shortest is None else max(shortest, 0)


def _longest_delay_ms(cause: Happening, effect: Happening) -> int | None:
    """From the earliest begin of a fault to the latest begin of the effect. None for a cause that is a state: it is older
    than the first line that shows it by an unknown time.
    """
    latest = effect.ts if effect.code is None else effect.began_high
    longest = millis(latest, cause.began_low)
    return None if longest is None or longest < 0 else longest


@cache
def _rounded(confidence: float) -> float:
    return float(Decimal(repr(confidence)).quantize(Decimal("0.001"), ROUND_HALF_UP))


def _edge(candidate: Candidate, rank: int, confidence: float) -> Edge:
    cause, effect, rule = candidate.cause, candidate.effect, candidate.rule
    arguments = {f"cause_{name}": text for name, text in _arguments_of_cause(candidate).items()}
    arguments |= {f"effect_{name}": text for name, text in (effect.arguments or {}).items()}
    if candidate.member is not None:
        arguments["member"] = str(candidate.member)
    if candidate.out:
        arguments |= {"all_out": LIST_SEPARATOR.join(map(str, candidate.out)), "n": str(len(candidate.out))}
    if candidate.others:
        arguments["others"] = listed(
            [f"controller {_node(other)} {(other.arguments or {}).get('predicate', '')}" for other in candidate.others]
        )
    left = _voters_left(candidate) if rank == 1 else None
    reason = rule.reason
    if left is not None and 2 * left > len(effect.about):
        reason = "voters_left_were_a_majority"
        arguments |= {"left": str(left), "voters": str(len(effect.about))}
    if reason == LED_UNTIL_IT_ENDED and less(cause.began_high, effect.led_since):
        reason = "named_leader_after_it_ended"
    return Edge(
        src=cause.id,
        dst=effect.id,
        relation=rule.number,
        because=BECAUSE.render(reason, arguments),
        reason=reason,
        arguments=arguments,
        aspect=rule.aspect,
        rank=rank,
        confidence=confidence,
        delay_ms=_shortest_delay_ms(cause, effect),
        delay_high_ms=_longest_delay_ms(cause, effect),
    )


def _voters_left(candidate: Candidate) -> int | None:
    """How many voters could still reach each other. None if the effect is no lost majority, or no line names the
    voters.
    """
    if candidate.rule.reason != NO_MAJORITY or not candidate.effect.about:
        return None
    causes = (candidate.cause, *candidate.others)
    missing = {_node(one) for one in causes if one.kind != LINK}
    cut = [one for one in causes if one.kind == LINK and missing.isdisjoint(one.about)]
    return (
        len(candidate.effect.about) - len(missing) - min(len(cut), 1)
    )  # one end of a link can still vote with the others


def _candidates(effect: Happening, causes: Iterable[Causes]) -> Iterator[Candidate]:
    """The causes that share a rule's key with the effect, have it in their window, and meet the rule's conditions."""
    for number, rule in _OF_EFFECTS.get(effect.kind, ()):
        if (rule.by and effect.by not in rule.by) or effect.by in rule.not_by:
            continue
        laid_out = [one for one in causes if one.has_any(number)]
        for key, member in _KEYS_OF_EFFECTS[rule.effect_key or rule.key](effect) if laid_out else ():
            for cause in chain.from_iterable(one.at(number, key, effect.ts) for one in laid_out):
                if _fits(cause, effect, rule) and _is_between(cause.happening, effect, member, rule):
                    during = at_most(cause.happening.begin_ts, effect.ts) and at_most(effect.ts, cause.over_ts)
                    yield Candidate(number, rule, cause.happening, effect, member, during, cause.lags_ts)


def _fits(cause: Cause, effect: Happening, rule: Rule) -> bool:
    """Whether a cause with the effect in its window meets the rule's conditions."""
    before = cause.happening
    return (
        before.id != effect.id
        and (not rule.later_epoch or less(before.leader_epoch, effect.leader_epoch))
        and (not rule.of_another or before.kind == LINK or _node(before) != _node(effect))
        and (not rule.jointly or not effect.about or _node(before) in effect.about)
        and (not rule.while_open or at_most(effect.ts, plus_millis(cause.over_ts, CLOCKS_DIFFER_MS)))
        and (rule.reason not in _CONDITIONS or _CONDITIONS[rule.reason](cause, effect))
    )


def _has_called(cause: Cause, change: Happening) -> bool:
    """Whether a node can have called the elections that changed the active controller."""
    return change.called_by in (None, _node(cause.happening))


def _is_to_candidate(cause: Cause, change: Happening) -> bool:
    """Whether a cut link connects the active controller and the candidate that deposed it; true for any other cause."""
    link = cause.happening
    return link.kind != LINK or {change.called_by, change.leader_id} == {*link.about}


def _is_to_controller(cause: Cause, refused: Happening) -> bool:
    """Whether a cut link can have kept the controller's requests from the leader: one of its ends is the active
    controller, if lines show which node that was; true for any other cause.
    """
    link = cause.happening
    return link.kind != LINK or refused.leader_id is None or {refused.leader_id, refused.node_id} == {*link.about}


def _is_below_minimum(cause: Cause, refused: Happening) -> bool:
    """Whether a shrunk ISR is below the min.insync.replicas that the leader states when it rejects a write."""
    minimum, isr = (refused.arguments or {}).get("min_isr"), (cause.happening.arguments or {}).get("isr")
    return minimum is None or isr is None or len(isr.split(",")) < int(minimum)


def _is_between(cause: Happening, effect: Happening, member: int | None, rule: Rule) -> bool:
    """Whether a cut link connects the leader and the member that left its ISR; true for any other cause or effect."""
    is_in_isr = cause.kind == LINK and rule.aspect == MEMBER and effect.leader_id is not None
    return not is_in_isr or {effect.leader_id, member} == {*cause.about}


def _arguments_of_cause(candidate: Candidate) -> Mapping[str, str]:
    """The arguments of a cause. Those of a cut link describe it from the end that the reason names: the follower, the
    candidate, the leader, or the node of the effect.
    """
    cause, effect = candidate.cause, candidate.effect
    arguments = cause.arguments or {}
    if cause.kind != LINK or len(cause.about) != _BOTH_ENDS:
        return arguments
    follower = candidate.member if candidate.rule.key is Key.NODE_AND_PARTITION else None
    named = (follower, effect.called_by, effect.leader_id, effect.node_id, cause.about[0])
    node = next(node for node in named if node in cause.about)
    peer = next(end for end in cause.about if end != node)
    predicate = PREDICATES.render(CUT_FROM_ONE, {"peer": str(peer)})
    return {**arguments, "node": str(node), "peer": str(peer), "predicate": predicate}


def _is_followed(cause: Cause, cut: Happening) -> bool:
    """Whether a replica can follow this leader: that of its leader epoch, or of an earlier one, and never itself."""
    election = cause.happening
    return not less(cut.leader_epoch, election.leader_epoch) and election.new_leader_id != cut.node_id


def _ended_leadership(cause: Cause, election: Happening) -> bool:
    """Whether this fault can have ended the preferred leader's leadership: it ended while the fault lasted, or soon
    after, or at an unknown time.
    """
    until_ts = election.led_until
    begun_by = plus_millis(until_ts, CLOCKS_DIFFER_MS)
    return until_ts is None or (
        at_most(cause.happening.begin_ts, begun_by) and at_most(until_ts, plus_millis(cause.over_ts, FOLLOWS_MS))
    )


_CONDITIONS: Mapping[str, Callable[[Cause, Happening], bool]] = {  # of single rules, by their reasons
    CALLED: _has_called,
    DEPOSED: _is_to_candidate,
    "followed_its_leader": _is_followed,
    PREFERRED_WAS_BACK: _ended_leadership,
    "too_few_in_sync": _is_below_minimum,
    MISSED_CHANGES: _is_to_controller,
}


def _node(happening: Happening) -> int | None:
    """The node at fault."""
    return happening.about[0] if happening.about else None


def _partition(happening: Happening) -> tuple[str, int | None] | None:
    return None if happening.name is None else (happening.name, happening.life)


Keys = Iterator[Hashable]


def _where_known(*key: Hashable) -> Keys:
    """The key if all of it is known."""
    if None not in key:
        yield key


def _names_of_cause(happening: Happening) -> Keys:
    for node in _at_fault(happening):
        for name in happening.names:
            yield from _where_known(node, name)


def _at_fault(happening: Happening) -> Sequence[int]:
    """The nodes at fault: both ends of a link."""
    return happening.about if happening.kind == LINK else happening.about[:1]


def _node_and_partition_of_cause(happening: Happening) -> Keys:
    """A fault that names partitions is a cause only in those; one without partitions is a cause in all partitions of
    its node. A cut link without affected partitions affected none.
    """
    if happening.names or happening.kind == LINK:
        return _names_of_cause(happening)
    return _where_known(_node(happening))


_KEYS_OF_CAUSES: Mapping[Key, Callable[[Happening], Keys]] = {
    Key.ALL: lambda cause: _where_known(),
    Key.NODE: lambda cause: (key for node in cause.about for key in _where_known(node)),
    Key.NODE_AND_PARTITION: _node_and_partition_of_cause,
    Key.LEADER: lambda cause: ((node,) for node in _at_fault(cause)),
    Key.CANDIDATE: lambda cause: ((node,) for node in _at_fault(cause)),
    Key.LEADER_AND_PARTITION: _names_of_cause,
    Key.PARTITION: lambda cause: _where_known(_partition(cause)),
    Key.NAMED: lambda cause: (key for name in cause.names for key in _where_known(name)),
    Key.LEADER_EPOCH: lambda cause: _where_known(_partition(cause), cause.leader_epoch),
    Key.MEMBER: lambda cause: (key for node in cause.about for key in _where_known(_partition(cause), node)),
}


def _of_members(effect: Happening, *key: Hashable) -> Iterator[tuple[Hashable, int | None]]:
    """The key for each broker in the effect; once with None if the effect has no broker."""
    for known in _where_known(*key):
        for member in effect.about or (None,):
            yield known, member


def _of_nobody(*key: Hashable) -> Iterator[tuple[Hashable, int | None]]:
    for known in _where_known(*key):
        yield known, None


def _node_and_partition_of_effect(effect: Happening) -> Iterator[tuple[Hashable, int | None]]:
    for node in effect.about:
        yield (node, effect.name), node
        yield (node,), node


_KEYS_OF_EFFECTS: Mapping[Key, Callable[[Happening], Iterator[tuple[Hashable, int | None]]]] = {
    Key.ALL: lambda effect: _of_nobody(),
    Key.NODE: lambda effect: (((node,), node) for node in effect.about),
    Key.NODE_AND_PARTITION: _node_and_partition_of_effect,
    Key.LEADER: lambda effect: _of_members(effect, effect.leader_id),
    Key.LEADER_AND_PARTITION: lambda effect: _of_members(effect, effect.leader_id, effect.name),
    Key.CANDIDATE: lambda effect: _of_nobody(effect.called_by),
    Key.NEW_LEADER: lambda effect: _of_nobody(effect.new_leader_id),
    Key.RETURNED: lambda effect: _of_nobody(effect.new_leader_id) if effect.led_until is not None else iter(()),
    Key.PARTITION: lambda effect: _of_nobody(_partition(effect)),
    Key.NAMED: lambda effect: _of_members(effect, effect.name),
    Key.LEADER_EPOCH: lambda effect: _of_nobody(_partition(effect), effect.leader_epoch),
    Key.MEMBER: lambda effect: _of_nobody(_partition(effect), effect.new_leader_id),
}
