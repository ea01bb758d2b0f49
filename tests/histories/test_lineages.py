"""The offset at which two logs part, against the rules of the facts in their plainest form (facts §1.5, §3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from replay.histories.lineages import divergence
from replay.offsets.follower_rules import BY_HIGH_WATERMARK, IN_FETCH, ITERATIVE, ITERATIVE_2_0_0, ONE_ROUND, RULES

Lineage = list[tuple[int, int]]


@dataclass(frozen=True)
class Log:
    """A replica's log as far as its leader epochs go."""

    entries: Lineage  # (leader epoch, start offset), oldest first
    end: int
    high_watermark: int


def end_offset_for(log: Log, asked: int, below_all_is_known: bool) -> tuple[int, int] | None:
    """`LeaderEpochFileCache.endOffsetFor`: the largest leader epoch up to the one asked for, and where it ends; None if undefined."""
    if not log.entries or asked > log.entries[-1][0]:
        return None
    if asked == log.entries[-1][0]:
        return asked, log.end
    higher = next(start for epoch, start in log.entries if epoch > asked)
    floor = [epoch for epoch, _ in log.entries if epoch <= asked]
    if not floor:
        return (asked, higher) if below_all_is_known else None
    return floor[-1], higher


def cut_to(leader: Log, follower: Log, rule: str) -> int:
    """Where the follower's log ends when it agrees with the leader's: facts §3.5, and for each rule what its releases do.

    A follower whose leader epochs are all higher than the leader's answer cuts no later than at its own first entry: it looks its own
    end up by the same function as the leader.
    """
    if rule == BY_HIGH_WATERMARK:
        return min(follower.high_watermark, follower.end)
    entries, end = list(follower.entries), follower.end
    if not entries:
        return min(follower.high_watermark, end)
    if rule == ONE_ROUND:
        answer = end_offset_for(leader, entries[-1][0], below_all_is_known=False)
        return min(follower.high_watermark, end) if answer is None else min(answer[1], end)
    while True:
        if not entries:
            return min(end, leader.end) if rule == IN_FETCH else min(follower.high_watermark, end)
        last = entries[-1][0]
        answer = end_offset_for(leader, last, below_all_is_known=rule != ITERATIVE_2_0_0)
        if answer is None:  # from 2.8 on the fetch is out of range, and the follower goes on at the leader's end
            return min(end, leader.end) if rule == IN_FETCH else min(follower.high_watermark, end)
        epoch, offset = answer
        if rule == IN_FETCH and epoch == last and offset >= end:
            return end
        own_epoch = next((e for e, _ in reversed(entries) if e <= epoch), None)
        own_end = next((start for e, start in entries if e > epoch), end)
        found = own_epoch is None or own_epoch == epoch
        end = min(own_end, offset, end) if found else min(own_end, end)
        entries = [(e, start) for e, start in entries if start < end]
        if found and rule != IN_FETCH:
            return end


@st.composite
def logs(draw) -> Log:
    """Any log: growing leader epochs at growing offsets (some leader epochs empty), an end past them, a high watermark within."""
    epochs = sorted(draw(st.sets(st.integers(0, 9), max_size=5)))
    starts = sorted(draw(st.lists(st.integers(0, 40), min_size=len(epochs), max_size=len(epochs), unique=True)))
    end = draw(st.integers(starts[-1] if starts else 0, 50))
    return Log(list(zip(epochs, starts, strict=True)), end, draw(st.integers(0, end)))


@st.composite
def histories(draw) -> tuple[Log, Log]:
    """Two replicas of one partition: a shared beginning, then leaders that did not know of each other."""
    shared = draw(logs())
    offset, epoch = shared.end, count(shared.entries[-1][0] + 1 if shared.entries else 0)

    def gone_on() -> Log:
        entries, end = list(shared.entries), offset
        for _ in range(draw(st.integers(0, 3))):
            entries, end = [*entries, (next(epoch), end)], end + draw(st.integers(1, 6))
        return Log(entries, end, draw(st.integers(0, end)))

    return gone_on(), gone_on()


def parted(leader: Log, follower: Log, rule: str) -> int | None:
    """What `divergence` says."""
    return divergence(leader.entries, leader.end, follower.entries, follower.end, follower.high_watermark, rule)


@settings(max_examples=3_000, derandomize=True, database=None)
@given(st.one_of(st.tuples(logs(), logs()), histories()), st.sampled_from(RULES))
def test_the_follower_cuts_where_the_rule_of_its_release_says(pair, rule):
    assert parted(*pair, rule) == cut_to(*pair, rule)


@settings(max_examples=200, derandomize=True, database=None)
@given(histories())
def test_histories_part_where_their_last_common_record_ends(pair):
    """The rule itself, on logs that some run of Kafka can make: nothing that both hold alike is cut, nothing else is kept."""
    leader, follower = pair

    def epoch_at(log: Log, offset: int) -> int | None:
        return next((e for e, start in reversed(log.entries) if start <= offset), None) if offset < log.end else None

    common = next((o for o in range(follower.end) if epoch_at(follower, o) != epoch_at(leader, o)), follower.end)
    if (
        follower.entries
        and leader.entries
        and follower.entries[-1][0] <= leader.entries[-1][0]
        and leader.entries[0] == follower.entries[0]
    ):
        assert cut_to(leader, follower, ITERATIVE) == cut_to(leader, follower, IN_FETCH) == common


WORKED = (
    # facts §3.4: leader 2 was elected uncleanly; 1 comes back with its longer log
    (Log([(0, 0), (3, 120), (4, 135)], 135, 135), Log([(0, 0), (3, 120)], 170, 150), ITERATIVE, 135),
    (Log([(0, 0), (3, 120), (4, 135)], 160, 135), Log([(0, 0), (3, 120)], 170, 150), IN_FETCH, 135),
    # KIP-101: cut to the high watermark, though the leader has all of it
    (Log([(0, 0)], 345, 345), Log([(0, 0)], 345, 319), BY_HIGH_WATERMARK, 319),
    (Log([(0, 0)], 345, 345), Log([(0, 0)], 345, 319), ONE_ROUND, 345),
    # KIP-279: a leader epoch that the new leader never saw; one round keeps what the leader does not hold
    (Log([(0, 0), (2, 10)], 20, 10), Log([(0, 0), (1, 8)], 15, 8), ONE_ROUND, 10),
    (Log([(0, 0), (2, 10)], 20, 10), Log([(0, 0), (1, 8)], 15, 8), ITERATIVE, 8),
    # the leader gives no answer: its leader epochs are all lower
    (Log([(0, 0)], 9, 9), Log([(3, 4)], 12, 5), ITERATIVE, 5),
    (Log([(0, 0)], 9, 9), Log([(3, 4)], 12, 5), IN_FETCH, 9),
    # the leader's first entry is clipped by retention: known from 2.0.1 on
    (Log([(5, 30)], 60, 50), Log([(4, 10)], 40, 20), ITERATIVE, 30),
    (Log([(5, 30)], 60, 50), Log([(4, 10)], 40, 20), ITERATIVE_2_0_0, 20),
    # an empty log, and no leader epochs at all
    (Log([(0, 0)], 9, 9), Log([], 0, 0), IN_FETCH, 0),
    (Log([(0, 0)], 9, 9), Log([], 7, 3), ITERATIVE, 3),
)


def test_the_worked_examples():
    assert [parted(*case[:3]) for case in WORKED] == [case[3] for case in WORKED]
    assert [cut_to(*case[:3]) for case in WORKED] == [case[3] for case in WORKED]


def test_what_is_not_known_gives_no_offset():
    known = [(0, 0)]
    assert divergence(known, None, known, 9, 9, IN_FETCH) is None  # no leader end
    assert divergence(known, 9, known, None, 9, ITERATIVE) is None  # no follower end
    assert divergence(known, 9, known, 9, None, BY_HIGH_WATERMARK) is None  # no high watermark
    assert divergence(known, 9, known, 9, 9, None) is None  # no rule
