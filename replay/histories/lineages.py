"""The offset at which a follower's log diverges from its leader's: what each release does when it begins to follow.

A lineage is the leader epochs in a replica's log, oldest first, each with its first offset. Source: facts §1.5, §3.5;
`LeaderEpochFileCache.endOffsetFor`, `AbstractFetcherThread.getOffsetTruncationState`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replay.facts.times import least
from replay.offsets.follower_rules import BY_HIGH_WATERMARK, IN_FETCH, ITERATIVE_2_0_0, ONE_ROUND, RULES

Lineage = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Answer:
    """A leader's answer about a leader epoch: the largest one up to it in its own log, and its end offset (None: the
    leader does not know it).
    """

    leader_epoch: int
    end_offset: int | None


@dataclass(frozen=True, slots=True)
class _Log:
    """A follower's log between two requests. `is_done`: the follower knows where to truncate; `is_unanswered`: it never
    will.
    """

    entries: Lineage
    end: int | None
    is_done: bool = False
    is_unanswered: bool = False


def divergence(
    leader: Lineage,
    leader_end: int | None,
    follower: Lineage,
    follower_end: int | None,
    follower_high_watermark: int | None,
    rule: str | None,
) -> int | None:
    """The log end offset to which a follower truncates its log before it copies the leader's; None if a decisive fact
    is unknown.

    The ends are log end offsets, `rule` is one of `RULES`. If the leader has no answer the follower falls back to its
    own high watermark.
    """
    if rule not in RULES:
        return None
    if rule == BY_HIGH_WATERMARK:
        return _least_of_both(follower_high_watermark, follower_end)
    log = _Log(follower, follower_end)
    for _ in range(2 * len(follower) + 2):
        log = _asked(log, leader, leader_end, rule)
        if log.is_done:
            break
    if not log.is_unanswered:
        return log.end
    if rule == IN_FETCH and follower:  # out of range: the fetcher starts at the leader's log end
        return None if leader_end is None else least(log.end, leader_end)
    return None if follower_high_watermark is None else least(follower_high_watermark, log.end)


def _asked(log: _Log, leader: Lineage, leader_end: int | None, rule: str) -> _Log:
    """The follower's log after one more request to the leader."""
    if not log.entries:
        return _Log(log.entries, log.end, is_done=True, is_unanswered=True)
    last = log.entries[-1][0]
    answer = _answered(leader, leader_end, last, rule)
    if answer.end_offset is None:
        return _Log(log.entries, log.end, is_done=True, is_unanswered=True)
    both_hold_all = log.end is not None and answer.end_offset >= log.end
    if rule == IN_FETCH and answer.leader_epoch == last and both_hold_all:
        return _Log(log.entries, log.end, is_done=True)
    own = max((epoch for epoch, _ in log.entries if epoch <= answer.leader_epoch), default=None)
    own_end = next((start for epoch, start in log.entries if epoch > answer.leader_epoch), log.end)
    is_found = own is None or own == answer.leader_epoch
    if rule == ONE_ROUND:
        to = _least_of_both(answer.end_offset, log.end)
    elif is_found:
        to = _least_of_both(_least_of_both(own_end, answer.end_offset), log.end)
    else:
        to = _least_of_both(own_end, log.end)
    kept = [] if to is None else [(epoch, start) for epoch, start in log.entries if start < to]
    return _Log(kept, to, is_done=rule == ONE_ROUND or (rule != IN_FETCH and is_found))


def _answered(leader: Lineage, leader_end: int | None, asked: int, rule: str) -> _Answer:
    """The leader's answer to OffsetsForLeaderEpoch."""
    floor = max((epoch for epoch, _ in leader if epoch <= asked), default=None)
    epoch = asked if floor is None else floor
    if leader and leader[-1][0] == asked:
        return _Answer(epoch, leader_end)
    if floor is None and rule in (ONE_ROUND, ITERATIVE_2_0_0):  # an epoch before all that it has
        return _Answer(epoch, None)
    return _Answer(epoch, next((start for higher, start in leader if higher > asked), None))


def _least_of_both(one: int | None, other: int | None) -> int | None:
    """The smaller of two; None if one is unknown."""
    return None if one is None or other is None else min(one, other)
