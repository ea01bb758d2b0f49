"""Each change of leader, with what the marks of replicas show about the old leader's log and the commit point."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from replay.facts.order import at_most, less, nulls_first
from replay.facts.times import first_known, greatest, least
from replay.histories.cluster import Broker, Cluster, Restart
from replay.histories.divergence import Branching, Divergence, log_divergence
from replay.histories.marks import ANCHORS, LOGGED_BY_LEADERS, OF_FOLLOWERS, Mark, Marks
from replay.histories.partition import CLEAN, Partition, has_leader, is_unclean
from replay.histories.recovered import Recovered, crashed_in_isr
from replay.histories.replicated import LEADER_FETCHED
from replay.histories.roles import NOTHING_TAKEN, AroundChange, Roles, around
from replay.offsets.follower_rules import BY_HIGH_WATERMARK
from replay.offsets.high_watermarks import LOADING_MS, NOTHING_TO_CUT
from replay.tables.partitions import CommittedIsr, LeaderEpoch

_SKEW = timedelta(seconds=2)  # an anchor of another node this close before a change may be after it
_LOADING = timedelta(milliseconds=LOADING_MS)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of leader from one broker to another.

    - `row`: its leader epoch. `led`: the last leader epoch before it that has a leader; `then`: the next one after.
    - `border`: the last earlier leader epoch whose leader was elected uncleanly, so that history was lost.
    - `given_up_epoch`: the first later one whose leader may lack committed records.
    - `led_ts`: when the new leader had begun, by all clocks; `old_since`: when the old one had.
    """

    row: LeaderEpoch
    led: LeaderEpoch | None
    then: LeaderEpoch | None
    border: LeaderEpoch | None
    given_up_epoch: int | None
    leader_epoch: int
    ts: datetime | None
    led_ts: datetime | None
    old_leader: int
    new_leader: int
    old_epoch: int | None
    old_since: datetime | None


def changes_of_leader(partition: Partition) -> list[Change]:
    """The changes of leader from one broker to another, in order."""
    epochs = partition.leader_epochs
    given_up, following = _given_up_after(epochs), _leader_after(epochs)
    changes: list[Change] = []
    border: LeaderEpoch | None = None
    led: LeaderEpoch | None = None
    for at, row in enumerate(epochs):
        if has_leader(row) and row.last_leader_id is not None and row.leader_id != row.last_leader_id:
            changes.append(_change(row, led, following[at], border, given_up[at]))
        if is_unclean(row):
            border = row
        if has_leader(row):
            led = row
    return changes


def _change(
    row: LeaderEpoch,
    led: LeaderEpoch | None,
    then: LeaderEpoch | None,
    border: LeaderEpoch | None,
    given_up_epoch: int | None,
) -> Change:
    return Change(
        row,
        led,
        then,
        border,
        given_up_epoch,
        leader_epoch=row.leader_epoch,
        ts=row.start_ts,
        led_ts=greatest(row.start_ts, row.leader_ts),
        old_leader=row.last_leader_id,
        new_leader=row.leader_id,
        old_epoch=None if led is None else led.leader_epoch,
        old_since=None if led is None else led.start_ts,
    )


def _leader_after(epochs: Sequence[LeaderEpoch]) -> list[LeaderEpoch | None]:
    """For each leader epoch the next one that has a leader."""
    found: list[LeaderEpoch | None] = []
    following = None
    for row in reversed(epochs):
        found.append(following)
        if has_leader(row):
            following = row
    return found[::-1]


def _given_up_after(epochs: Sequence[LeaderEpoch]) -> list[int | None]:
    """For each leader epoch the next one whose leader may lack committed records."""
    found: list[int | None] = []
    following = None
    for row in reversed(epochs):
        found.append(following)
        if has_leader(row) and not _kept(row):
            following = row.leader_epoch
    return found[::-1]


def _kept(row: LeaderEpoch) -> bool:
    """Whether its leader certainly holds all committed records."""
    if row.elected_from is not None:
        return row.elected_from in CLEAN
    return row.last_leader_id is not None and row.leader_id == row.last_leader_id


@dataclass(frozen=True, slots=True)
class Isrs:
    """The ISRs before a change.

    - `last`: the last one with a partition epoch; `as_led`: the last one while the old leader led.
    - `first`: the partition epoch of the first one of the new leader epoch.
    - `held_new_leader_ts`: the start of the last one that contains the new leader.
    """

    last: CommittedIsr | None
    as_led: CommittedIsr | None
    first: int | None
    held_new_leader_ts: datetime | None


@dataclass(frozen=True, slots=True)
class OldLog:
    """The end of the old leader's log (`ended`) and its truncations: the first `cut` before it led again, with the log
    end before that if it belongs to this history (`cut_end`); whether there was any since (`was_cut`); the truncation
    to its own high watermark (`by_hw`). `reached`: the greatest log end that it logged as leader, before the
    truncation; `fetched`: how far followers had fetched its log. `discards`: the cut proves that its log was longer;
    `cuts_by_hw`: it always truncates to its own high watermark. `seen_ts`: its last line; `took`: the roles that it took
    on.
    """

    ended: Mark | None = None
    cut: Mark | None = None
    cut_end: int | None = None
    was_cut: bool = False
    by_hw: Mark | None = None
    reached: Mark | None = None
    fetched: Mark | None = None
    discards: bool = False
    cuts_by_hw: bool = False
    seen_ts: datetime | None = None
    took: AroundChange = NOTHING_TAKEN


@dataclass(frozen=True, slots=True)
class NewLog:
    """The new leader's log before it led.

    - `restarted_ts`: when it last loaded its log; `last_epoch`: the last leader epoch that it took on before.
    - `began`: its log end when it began to follow that leader epoch; `was_cut`: whether it truncated its log then.
    - `cut_before`: its truncation to the offset from which it led; `to_own_hw`: it truncated to its own high watermark,
      to that offset.
    - `crashed`: its log as it loaded it after a crash as a member of the ISR from which it was elected.
    - `shared`: the offset to which it truncated its log when it followed the old leader again, whose log had not changed:
      both logs agree up to there.
    """

    restarted_ts: datetime | None = None
    last_epoch: int | None = None
    began: int | None = None
    was_cut: bool = False
    cut_before: Mark | None = None
    to_own_hw: bool = False
    crashed: Recovered | None = None
    shared: int | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by which the two leaders followed and committed.

    - `alone`: the old leader was the only member of the ISR and knew it; `gate_open`: then the high watermark followed
      its log end (facts §1.3, T4).
    - `to_own_hw`: the new leader had truncated its log to its own high watermark and fetched nothing since, as replicas
      without leader epochs do (facts §3.3, S1); `maybe_to_own_hw`: it may have.
    - `rule_is_logged`: lines show whether it follows by leader epochs.
    - `died`: lines about the old log come from after a crash; a loss of power may have shortened it, unless the
      `host_ran` on after each such crash.
    """

    alone: bool
    gate_open: bool
    to_own_hw: bool
    maybe_to_own_hw: bool
    rule_is_logged: bool
    died: bool
    host_ran: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """A change of leader with the facts that decide its losses: `low` is the highest high watermark of the history
    before, `divergence` the offset at which the two logs diverge. `rejoined`: the old leader came back into the ISR of a
    successor, so its log equals the successor's up to the high watermark.
    """

    change: Change
    isrs: Isrs
    low: Mark | None
    old: OldLog
    new: NewLog
    divergence: Divergence
    rules: Rules
    moved_away: bool
    rejoined: bool

    @property
    def row(self) -> LeaderEpoch:
        return self.change.row

    @property
    def old_leader(self) -> int:
        return self.change.old_leader

    @property
    def new_leader(self) -> int:
        return self.change.new_leader

    @property
    def n_old(self) -> int | None:
        """The end of the old leader's log when it lost its role."""
        return end_of(self.old)

    @property
    def low_offset(self) -> int | None:
        return None if self.low is None else self.low.high_watermark

    @property
    def longer_by(self) -> list[Mark]:
        """The marks that show how far the old leader's log reached at least, the furthest first."""
        old = self.old
        marks = [mark for mark in (old.ended, old.reached, old.fetched) if mark is not None]
        return sorted(
            (mark for mark in marks if mark.log_end_offset is not None and not mark.damaged),
            key=lambda mark: (-(mark.log_end_offset or 0), mark.ts),
        )

    @property
    def reached_offset(self) -> int | None:
        """The old leader's log reached this offset at least; None if no line shows that."""
        cut = self.old.cut
        past_cut = None if cut is None or cut.truncation_offset is None else cut.truncation_offset + 1
        ends = [mark.log_end_offset for mark in self.longer_by]
        return greatest(*ends, self.old.cut_end, past_cut if self.old.discards else None)


def end_of(old: OldLog) -> int | None:
    """The end of the old leader's log; None if unknown."""
    if is_damaged(old):
        return None
    return old.cut_end if old.ended is None else old.ended.log_end_offset


def is_damaged(old: OldLog) -> bool:
    """Whether only the end to which recovery cut the damaged log of the old leader is known, not its original end."""
    return old.ended is not None and old.ended.damaged


def measured_changes(partition: Partition, marks: Marks, roles: Roles, cluster: Cluster) -> list[Measured]:
    """Every change of leader, with the facts that decide its losses.

    A replica's lines count for the old history until it takes on the new leader epoch; the new leader's lines until it
    leads.
    """
    changes = changes_of_leader(partition)
    if not changes:
        return []
    branching = Branching(partition, marks, roles)
    witnesses = _Witnesses(marks)
    return [_measured(change, partition, marks, roles, branching, witnesses, cluster) for change in changes]


def _measured(
    change: Change,
    partition: Partition,
    marks: Marks,
    roles: Roles,
    branching: Branching,
    witnesses: _Witnesses,
    cluster: Cluster,
) -> Measured:
    took = {node: around(roles.get(node, ()), change.leader_epoch) for node in marks}
    isrs = isrs_before(change, partition.isrs)
    old, new = old_leaders_log(change, marks, took, cluster), new_leaders_log(change, marks, took)
    own, ends = marks.get(change.new_leader, ()), cluster.unclean_ends(change.new_leader)
    crashed = crashed_in_isr(own, ends, isrs.held_new_leader_ts, change.led_ts)
    new = replace(new, crashed=crashed, shared=shared_with_old_leader(change, partition, took))
    caught_up = _was_caught_up(change, old)
    if caught_up:
        old = replace(old, ended=None, reached=None, fetched=None, discards=False)
    low = witnesses.highest_before(change, took, unless_of_old_leader=caught_up)
    is_logged = any(
        role.is_logged and role.leader_epoch == change.leader_epoch for role in roles.get(change.new_leader, ())
    )
    replicas = change.row.replicas
    return Measured(
        change,
        isrs,
        low,
        old,
        new,
        log_divergence(change, old, new, end_of(old), branching),
        _rules(change, isrs, old, new, branching.without_leader_epochs, is_logged, cluster),
        replicas is not None and change.old_leader not in replicas,
        _rejoined(change, partition),
    )


def _rejoined(change: Change, partition: Partition) -> bool:
    """Whether the old leader is in an ISR of a later leader, after one of this or a later leader epoch without it."""
    later = [isr for isr in partition.isrs if isr.isr and at_most(change.leader_epoch, isr.leader_epoch)]
    left = False
    for isr in sorted(later, key=lambda isr: (isr.leader_epoch, nulls_first(isr.start_ts))):
        if isr.leader_id == change.old_leader:
            return False
        if left and change.old_leader in isr.isr:
            return True
        left = left or change.old_leader not in isr.isr
    return False


def _was_caught_up(change: Change, old: OldLog) -> bool:
    """Whether the old leader already had its successor's log: it grew past the start of the new leader epoch, and was
    never truncated.
    """
    ended = None if old.ended is None else old.ended.log_end_offset
    return old.took.at_once is False and not old.was_cut and less(change.row.epoch_start_offset, ended)


# The facts about a change.


def isrs_before(change: Change, isrs: Sequence[CommittedIsr]) -> Isrs:
    """The ISRs before the change, and when the new leader was last a member; `isrs` are sorted by leader epoch."""
    begin = bisect_left(isrs, change.leader_epoch, key=_epoch_of)
    end = bisect_right(isrs, change.leader_epoch, key=_epoch_of)
    led = 0 if change.old_epoch is None else bisect_right(isrs, change.old_epoch, key=_epoch_of)
    numbered = [row for row in isrs[:begin] if row.partition_epoch is not None]
    held = [row.start_ts for row in isrs[:begin] if row.isr is not None and change.new_leader in row.isr]
    return Isrs(
        max(numbered, key=lambda row: (row.partition_epoch, _epoch_of(row)), default=None),
        isrs[led - 1] if led else None,
        least(*[row.partition_epoch for row in isrs[begin:end]]),
        greatest(*held),
    )


def _epoch_of(row: CommittedIsr) -> int:
    """Its leader epoch; of an ISR that was announced before any is known -1, as it comes first."""
    return -1 if row.leader_epoch is None else row.leader_epoch


class _Witnesses:
    """The marks that hold high watermarks, highest first."""

    def __init__(self, marks: Marks) -> None:
        anchors = [mark for own in marks.values() for mark in own if _may_anchor(mark)]
        self._anchors = sorted(anchors, key=highest, reverse=True)

    def highest_before(
        self, change: Change, took: dict[int, AroundChange], *, unless_of_old_leader: bool
    ) -> Mark | None:
        """The highest high watermark of the history before. `unless_of_old_leader`: without the later lines of the old
        leader.
        """
        for mark in self._anchors:
            if not _of_this_history(change, mark) or _of_later_leader(change, mark):
                continue
            if _before_change(change, mark):
                return mark
            if unless_of_old_leader and mark.node_id == change.old_leader:
                continue
            if _still_of_old_epoch(change, mark, took[mark.node_id]):
                return mark
        return None


def highest(mark: Mark) -> tuple[tuple[bool, object], ...]:
    """The order of marks by their high watermarks, then by time."""
    return nulls_first(mark.high_watermark, mark.ts, mark.event, mark.node_id, mark.source)


def _may_anchor(mark: Mark) -> bool:
    return mark.source in ANCHORS and mark.high_watermark is not None and not mark.clamped_again


def _before_change(change: Change, mark: Mark) -> bool:
    """Whether the mark is from before the change, although the clocks of two nodes may differ."""
    if change.ts is None:
        return False
    is_own = mark.node_id in (change.old_leader, change.new_leader)
    return mark.ts < (change.ts if is_own else change.ts - _SKEW)


def _from_change(change: Change, mark: Mark) -> bool:
    return change.ts is not None and mark.ts >= change.ts - _SKEW


def _of_later_leader(change: Change, mark: Mark) -> bool:
    return mark.source in LOGGED_BY_LEADERS and less(change.leader_epoch, mark.leader_epoch)


def _of_this_history(change: Change, mark: Mark) -> bool:
    """Whether a mark describes the history of this change. After an unclean election only the lines of leaders count,
    and those of a broker that has led: a replica that returns still describes the history before.
    """
    if mark.superseded_in is not None and mark.superseded_in < change.leader_epoch:
        return False
    border = change.border
    if border is None:
        return True
    after_lead = mark.node_id == change.old_leader and less(change.old_since, mark.ts)
    is_by_leader = mark.source in LOGGED_BY_LEADERS or (mark.source == "follower_start" and after_lead)
    return is_by_leader and less(border.start_ts, mark.ts) and at_most(border.leader_epoch, mark.leader_epoch)


def _still_of_old_epoch(change: Change, mark: Mark, took: AroundChange) -> bool:
    """Whether a replica still describes the old history, which it does until it takes on the new leader epoch.

    A checkpointed high watermark is read while the broker takes on its first role: it describes the time before. A
    broker that next logs a still later leader epoch may have followed this one without a line.
    """
    if mark.node_id == change.new_leader or took.cutoff is None:
        return False
    if mark.node_id != change.old_leader and took.at_once is False:
        return False
    if mark.ts <= took.cutoff:
        return True
    in_same_life = mark.life_ts is None or mark.life_ts <= took.cutoff
    return mark.source == "partition_log_loaded" and mark.ts <= took.cutoff + _LOADING and in_same_life


def old_leaders_log(change: Change, marks: Marks, took: dict[int, AroundChange], cluster: Cluster) -> OldLog:
    """The end of the old leader's log, and its truncations."""
    own = marks.get(change.old_leader, ())
    if not own:
        return OldLog()
    role = took[change.old_leader]
    cuts = [mark for mark in own if mark.source == "truncation" and _from_change(change, mark)]
    # When it leads again its log is another one: later truncations say nothing about this change.
    of_this = [mark for mark in cuts if role.again_ts is None or mark.ts < role.again_ts]
    first_cut = min(((_cut_order(mark, role), mark) for mark in of_this), key=lambda cut: cut[0], default=(None, None))
    cut = first_cut[1]
    to_hw = [mark for mark in own if mark.source == "truncation_to_hw" and at_most(role.cutoff, mark.ts)]
    whole = _kept_whole(change, own, cut, role)
    ends = [mark for mark in own if mark.log_end_offset is not None and _shows_end(change, mark, role, whole)]
    return OldLog(
        max(ends, key=lambda mark: nulls_first(mark.log_end_offset, mark.ts, mark.event, mark.damaged), default=None),
        cut,
        None if cut is None else _end_before(cut, role),
        bool(cuts),
        max(to_hw, key=lambda mark: nulls_first(mark.high_watermark, mark.event), default=None),
        _reached(change, own, cut),
        _fetched(change, own),
        cut is not None
        and _discards(change, cut, own, role)
        and cluster.broker(change.old_leader).runs_since("0.11.0"),
        bool(cluster.broker(change.old_leader).by_high_watermark),
        greatest(*[mark.ts for mark in own if mark.source not in OF_FOLLOWERS]),
        role,
    )


def _kept_whole(change: Change, own: Sequence[Mark], cut: Mark | None, role: AroundChange) -> Mark | None:
    """The mark of an old leader that follows the new one and first logs that there is nothing to truncate: its log ends
    where the new leader began, or before. A log that goes beyond that may have grown since; the log of a broker that
    died may have lost its end.
    """
    nothing_to_cut = next(
        (mark for mark in own if mark.source == NOTHING_TO_CUT and at_most(role.cutoff, mark.ts)), None
    )
    if nothing_to_cut is None or not at_most(nothing_to_cut.log_end_offset, change.row.epoch_start_offset):
        return None
    came_later = any(at_most(ts, nothing_to_cut.ts) for ts in (None if cut is None else cut.ts, role.left_ts))
    return None if came_later or less(change.old_since, nothing_to_cut.life_ts) else nothing_to_cut


def _shows_end(change: Change, mark: Mark, role: AroundChange, kept_whole: Mark | None) -> bool:
    """Whether the mark shows the end of the old leader's log when it took on another's leader epoch, or returned to do
    so.
    """
    if mark.source == "follower_start":
        return at_most(change.leader_epoch, mark.leader_epoch) and at_most(mark.ts, role.cutoff)
    if mark.source == "log_load_completed":
        return _from_change(change, mark) and (role.cutoff is None or mark.ts <= role.cutoff)
    return mark is kept_whole


def _end_before(cut: Mark, role: AroundChange) -> int | None:
    """The log end before the truncation. After the new leader epoch the log may have grown under another leader."""
    return cut.log_end_offset if role.left_ts is None or cut.ts < role.left_ts else None


def _reached(change: Change, own: Sequence[Mark], cut: Mark | None) -> Mark | None:
    """The greatest log end that the old leader logged when it dropped followers, after its election and before its
    truncation: a leader's log only grows.
    """
    if cut is None or change.old_since is None:
        return None
    shrinks = [
        mark
        for mark in own
        if mark.source == "isr_shrink"
        and mark.log_end_offset is not None
        and change.old_since <= mark.ts <= cut.ts
        and not less(mark.life_ts, cut.life_ts)  # a broker that died since may have lost the end of its log
    ]
    return max(shrinks, key=lambda mark: nulls_first(mark.log_end_offset, mark.event), default=None)


def _fetched(change: Change, own: Sequence[Mark]) -> Mark | None:
    """How far followers had fetched the old leader's log in its leader epoch."""
    fetched = [mark for mark in own if mark.source == LEADER_FETCHED and mark.leader_epoch == change.old_epoch]
    return max(fetched, key=lambda mark: nulls_first(mark.log_end_offset, mark.event), default=None)


def _discards(change: Change, cut: Mark, own: Sequence[Mark], role: AroundChange) -> bool:
    """Whether a truncation shows that the log of the deposed leader went beyond it. From 0.11 on Kafka logs the line only
    where the log is longer (`Log.truncateTo`). A log that had grown as a follower's since discards other records.
    """
    if not less(change.old_since, cut.ts) or (role.left_ts is not None and cut.ts >= role.left_ts):
        return False
    since = first_known(change.ts, change.old_since)
    agreed = any(mark.source == NOTHING_TO_CUT and at_most(since, mark.ts) and mark.ts <= cut.ts for mark in own)
    return not agreed and at_most(role.cutoff, cut.ts)


def _cut_order(mark: Mark, role: AroundChange) -> tuple[tuple[bool, object], ...]:
    end = _end_before(mark, role)
    return nulls_first(mark.ts, mark.truncation_offset, end, mark.event, mark.leader_epoch, mark.high_watermark)


def new_leaders_log(change: Change, marks: Marks, took: dict[int, AroundChange]) -> NewLog:
    """The new leader's log before it led."""
    own = marks.get(change.new_leader, ())
    if not own:
        return NewLog()
    last = took[change.new_leader].last
    last_ts, start = None if last is None else last.taken_ts, change.row.epoch_start_offset
    before = [] if change.led_ts is None else own[: bisect_left(own, change.led_ts, key=_ts_of)]
    began = [mark.log_end_offset for mark in own if mark.source == "follower_start" and mark.ts == last_ts]
    return NewLog(
        greatest(*[mark.ts for mark in before if mark.source == "log_load_completed"]),
        None if last is None else last.leader_epoch,
        greatest(*began),
        any(
            mark.source == "truncation" and at_most(last_ts, mark.ts) for mark in own if at_most(mark.ts, change.led_ts)
        ),
        None if start is None else _first_cut_to(start, before),
        start is not None and any(m.source == "truncation_to_hw" and m.high_watermark == start for m in before),
    )


def _first_cut_to(offset: int, marks: Iterable[Mark]) -> Mark | None:
    cuts = [mark for mark in marks if mark.source == "truncation" and mark.truncation_offset == offset]
    return min(cuts, key=lambda mark: nulls_first(mark.ts, mark.event, mark.log_end_offset), default=None)


def _ts_of(mark: Mark) -> datetime:
    return mark.ts


def shared_with_old_leader(change: Change, partition: Partition, took: Mapping[int, AroundChange]) -> int | None:
    """The offset up to which the new leader's log agreed with that of the old one, by its first truncation since: the old
    leader led next, from the log with which it had lost its role.
    """
    cuts = [cut for cut in partition.truncations if cut.node_id == change.new_leader and less(change.ts, cut.ts)]
    first = min(cuts, key=lambda cut: cut.ts, default=None)
    if first is None or first.by_recovery or first.leader_id != change.old_leader:
        return None
    taken = took.get(change.old_leader, NOTHING_TAKEN).first
    is_same = taken is None or at_most(first.leader_epoch, taken.leader_epoch)
    by_epochs = first.rule not in (None, BY_HIGH_WATERMARK) and less(change.leader_epoch, first.leader_epoch)
    return first.truncation_offset if is_same and by_epochs else None


# The rules.


def _rules(
    change: Change,
    isrs: Isrs,
    old: OldLog,
    new: NewLog,
    some_follow_without_epochs: bool,
    new_leader_is_logged: bool,
    cluster: Cluster,
) -> Rules:
    """The rules that decide whether the old leader's log was committed, and how the new leader had truncated its own.

    A broker with an unknown rule may follow any rule of the cluster's other brokers. A leader that is cut off, or dead,
    does not learn that the controller removed followers from the ISR: its high watermark still waits for them.
    """
    of_old, of_new = cluster.broker(change.old_leader), cluster.broker(change.new_leader)
    by_hw = first_known(of_new.by_high_watermark, cluster.any_by_high_watermark())
    without_epochs = some_follow_without_epochs or bool(by_hw) or bool(of_old.by_high_watermark)
    cut_to_own = _cut_to_own_high_watermark(change, new, of_new)
    # Until 0.10 a broker logs a truncation also if its log ends just there.
    end_is_unknown = new.cut_before is None or new.cut_before.log_end_offset is None
    always_logged = end_is_unknown and of_new.runs_before("0.11.0")
    deaths = _deaths_in_between(change, old, cluster)
    rule_is_logged = first_known(of_new.rule_is_logged, cluster.any_rule_is_logged())
    return Rules(
        alone=_was_alone(change, isrs, old),
        gate_open=cluster.gate_open(change.old_leader, change.row.topic, change.row.replicas),
        to_own_hw=cut_to_own and not always_logged,
        maybe_to_own_hw=(cut_to_own and always_logged) or (without_epochs and not new_leader_is_logged),
        rule_is_logged=bool(rule_is_logged),
        died=bool(deaths),
        host_ran=bool(deaths) and all(restart.host_ran for restart in deaths),
    )


def _deaths_in_between(change: Change, old: OldLog, cluster: Cluster) -> list[Restart]:
    """The crashes of the old leader after it began to lead and before the line about its log."""
    end = old.ended or old.cut
    if end is None:
        return []
    since = change.old_since
    return [
        restart
        for restart in cluster.unclean_ends(change.old_leader)
        if restart.next_start_ts <= end.ts and (since is None or restart.last_ts >= since)
    ]


def _was_alone(change: Change, isrs: Isrs, old: OldLog) -> bool:
    """Whether the old leader was the only member of the ISR and knew it. If the ISR is empty, the last member left when
    it was fenced (KIP-966).
    """
    alone = [change.old_leader]
    if old.took.last is not None and less(old.took.last.leader_epoch, change.old_epoch):
        return False
    as_led = None if isrs.as_led is None or isrs.as_led.isr is None else isrs.as_led.isr == alone
    if change.row.isr_before == []:
        return bool(as_led)
    knew = isrs.last is None if as_led is None else as_led
    return bool(change.row.isr_before == alone and knew)


def _cut_to_own_high_watermark(change: Change, new: NewLog, broker: Broker) -> bool:
    """Whether the new leader had truncated its log to its own high watermark, to the offset from which it then led."""
    cut = new.cut_before
    if cut is None or not (new.to_own_hw or broker.by_high_watermark):
        return False
    return cut.log_end_offset is None or less(change.row.epoch_start_offset, cut.log_end_offset)
