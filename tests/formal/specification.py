"""KafkaReplication.tla in Python, action by action, and the search of all its behaviours within small bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

Log = tuple[int, ...]
"""The leader epoch of each record."""


class Bounds(NamedTuple):
    """The constants of the module."""

    replicas: int = 3
    max_epoch: int = 2
    max_log: int = 2
    unclean: bool = False
    lost_tail: bool = False


@dataclass(frozen=True)
class State:
    """The variables of the module; a replica is an index, None is no leader."""

    epoch: int
    leader: int | None
    isr: frozenset[int]
    led_by: tuple[int | None, ...]
    start_of: tuple[int, ...]
    up: frozenset[int]
    knows: tuple[int, ...]
    log: tuple[Log, ...]
    hw: tuple[int, ...]
    committed: Log
    excused: bool


def initial(bounds: Bounds) -> State:
    """The state Init."""
    everyone, none = frozenset(range(bounds.replicas)), (0,) * bounds.replicas
    nobody: tuple[int | None, ...] = (None,) * (bounds.max_epoch + 1)
    return State(
        *(0, None, everyone, nobody, (0,) * (bounds.max_epoch + 1), everyone),
        *(none, ((),) * bounds.replicas, none, (), False),
    )


def successors(s: State, bounds: Bounds) -> Iterator[tuple[str, State]]:
    """Every state that one action leads to, with the action's name."""
    yield from _controller(s, bounds)
    for r in range(bounds.replicas):
        yield from _replica(s, r, bounds)
        for leader in range(bounds.replicas):
            if _follows(s, r, leader):
                yield from _fetching(s, r, leader)


def _controller(s: State, bounds: Bounds) -> Iterator[tuple[str, State]]:
    able = s.isr & s.up
    if s.epoch < bounds.max_epoch:
        for r in able:
            yield f"ElectClean({r})", _elected(s, r, able)
        for r in s.up if bounds.unclean and not able else ():
            yield f"ElectUnclean({r})", replace(_elected(s, r, frozenset([r])), excused=True)
        if s.leader is not None and s.leader not in s.up and not able:
            yield "LoseLeader", _elected(s, None, s.isr)
    if s.leader is None or s.leader not in s.up or s.knows[s.leader] != s.epoch:
        return
    for r in s.isr - {s.leader}:
        yield f"ShrinkIsr({r})", replace(s, isr=s.isr - {r})
    for r in s.up - s.isr:
        caught_up = len(s.log[r]) >= max(s.hw[s.leader], s.start_of[s.epoch])
        if _follows(s, r, s.leader) and caught_up and not diverges(s.log[r], s.log[s.leader]):
            yield f"ExpandIsr({r})", replace(s, isr=s.isr | {r})


def _elected(s: State, leader: int | None, isr: frozenset[int]) -> State:
    return replace(s, epoch=s.epoch + 1, leader=leader, isr=isr, led_by=_set(s.led_by, s.epoch + 1, leader))


def _replica(s: State, r: int, bounds: Bounds) -> Iterator[tuple[str, State]]:
    if r not in s.up:
        yield f"Restart({r})", replace(s, up=s.up | {r}, knows=_set(s.knows, r, 0))
        if bounds.lost_tail and s.log[r]:
            yield f"LoseTail({r})", replace(_cut(s, r, len(s.log[r]) - 1), excused=True)
        return
    yield f"Crash({r})", replace(s, up=s.up - {r})
    if s.leader is not None and s.knows[r] < s.epoch:
        knows = replace(s, knows=_set(s.knows, r, s.epoch))
        if s.leader == r:
            yield f"BecomeLeader({r})", replace(knows, start_of=_set(s.start_of, s.epoch, len(s.log[r])))
        else:
            yield f"BecomeFollower({r})", knows
    if s.knows[r] and s.led_by[s.knows[r]] == r and len(s.log[r]) < bounds.max_log:
        yield f"Write({r})", replace(s, log=_set(s.log, r, (*s.log[r], s.knows[r])))
    if s.leader == r and s.knows[r] == s.epoch and s.hw[r] < len(s.log[r]) and _all_have(s, r, s.hw[r]):
        longest = s.committed if len(s.committed) > s.hw[r] else s.log[r][: s.hw[r] + 1]
        yield f"AdvanceHighWatermark({r})", replace(s, hw=_set(s.hw, r, s.hw[r] + 1), committed=longest)


def _all_have(s: State, leader: int, offset: int) -> bool:
    """Whether each member of the ISR has fetched the record at `offset` from this leader."""
    return all(
        s.knows[r] == s.epoch and len(s.log[r]) > offset and (r == leader or not diverges(s.log[r], s.log[leader]))
        for r in s.isr
    )


def _follows(s: State, r: int, leader: int) -> bool:
    epoch = s.knows[r]
    known = epoch > 0 and s.knows[leader] == epoch and s.led_by[epoch] == leader
    return r != leader and known and {r, leader} <= s.up


def _fetching(s: State, r: int, leader: int) -> Iterator[tuple[str, State]]:
    own, other = s.log[r], s.log[leader]
    if diverges(own, other):
        yield f"Truncate({r},{leader})", _cut(s, r, truncation_offset(own, other))
    elif len(own) < len(other):
        fetched = replace(s, log=_set(s.log, r, other[: len(own) + 1]))
        yield f"Fetch({r},{leader})", replace(fetched, hw=_set(s.hw, r, min(s.hw[leader], len(own) + 1)))


def end_of(log: Log, epoch: int) -> int:
    """Where the records of epochs up to `epoch` end."""
    return sum(one <= epoch for one in log)


def diverges(own: Log, leaders: Log) -> bool:
    """Whether the leader answers a fetch with a diverging epoch."""
    last = own[-1] if own else 0
    return bool(own) and (last not in leaders or end_of(leaders, last) < len(own))


def truncation_offset(own: Log, leaders: Log) -> int:
    """The end of the largest leader epoch that both know."""
    shared = max((epoch for epoch in set(own) if epoch in leaders), default=0)
    return min(end_of(own, shared), end_of(leaders, shared))


def _cut(s: State, r: int, to: int) -> State:
    return replace(s, log=_set(s.log, r, s.log[r][:to]), hw=_set(s.hw, r, min(s.hw[r], to)))


def _set(values: tuple, index: int, value: object) -> tuple:
    return (*values[:index], value, *values[index + 1 :])


def _prefix(one: Log, other: Log) -> bool:
    return other[: len(one)] == one


def broken(s: State) -> list[str]:
    """The invariants that a state breaks."""
    logs = s.log
    checks: Mapping[str, bool] = {
        "OneLeaderPerEpoch": s.leader is None or s.led_by[s.epoch] == s.leader,
        "EpochsRiseInLogs": all(list(log) == sorted(log) for log in logs),
        "SameEpochSamePrefix": s.excused
        or all(a[:i] == b[:i] for a in logs for b in logs for i in range(min(len(a), len(b))) if a[i] == b[i]),
        "HighWatermarkWithinLog": all(hw <= len(log) for hw, log in zip(s.hw, logs)),
        "CommittedInIsr": s.excused or all(_prefix(s.committed, logs[r]) for r in s.isr),
        "CommittedInLeader": s.excused or s.leader is None or _prefix(s.committed, logs[s.leader]),
    }
    return [name for name, holds in checks.items() if not holds]


def search(bounds: Bounds, most_states: int = 1_000_000) -> tuple[int, list[str]]:
    """How many states are reached, and the shortest behaviour that breaks an invariant, its name last."""
    first = initial(bounds)
    came_from: dict[State, tuple[State, str] | None] = {first: None}
    frontier = [first]
    while frontier and len(came_from) < most_states:
        following = []
        for state in frontier:
            for action, after in successors(state, bounds):
                if after in came_from:
                    continue
                came_from[after] = (state, action)
                following.append(after)
                if wrong := broken(after):
                    return len(came_from), [*_behaviour(came_from, after), *wrong]
        frontier = following
    return len(came_from), []


def _behaviour(came_from: Mapping[State, tuple[State, str] | None], state: State) -> list[str]:
    steps: list[str] = []
    while (before := came_from[state]) is not None:
        state, action = before
        steps.append(action)
    return steps[::-1]
