"""Each change of leader, with what the marks of replicas say of the old leader's log and of what was committed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from replay.facts.order import at_most, less, nulls_first
from replay.facts.releases import version_number
from replay.facts.times import first_known, greatest, least
from replay.histories.cluster import Broker, Cluster
from replay.histories.divergence import Branching, Parted, parted
from replay.histories.marks import ANCHORS, LEADERS_SAY, Mark, Marks
from replay.histories.partition import CLEAN, Partition, has_leader, is_unclean
from replay.histories.roles import NOTHING_TAKEN, AroundChange, Roles, around
from replay.offsets.high_watermarks import LOADING_MS, NOTHING_TO_CUT
from replay.tables.partitions import CommittedIsr, LeaderEpoch

_SKEW = timedelta(seconds=2)  # an anchor of another node this close before a change may be after it
_LOADING = timedelta(milliseconds=LOADING_MS)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of leader from one broker to another.

    - `row`: its leader epoch. `led`: the last leader epoch before it that has a leader; `then`: the next one after.
    - `border`: the last earlier leader epoch at which history was given up.
    - `given_up_epoch`: the first later one at which it may have been.
    - `led_ts`: when the new leader had begun, by every clock that tells; `old_since`: when the old one had.
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
    """For each leader epoch the next one whose leader may lack what was committed."""
    found: list[int | None] = []
    following = None
    for row in reversed(epochs):
        found.append(following)
        if has_leader(row) and not _kept(row):
            following = row.leader_epoch
    return found[::-1]


def _kept(row: LeaderEpoch) -> bool:
    """Its leader surely holds what was committed."""
    if row.elected_from is not None:
        return row.elected_from in CLEAN
    return row.last_leader_id is not None and row.leader_id == row.last_leader_id


@dataclass(frozen=True, slots=True)
class Isrs:
    """The ISRs that led up to a change.

    - `last`: the last one with a number; `as_led`: the last one while the old leader led.
    - `first`: the number of the first one of the new leader epoch.
    - `held_new_leader_ts`: when the last one began that holds the new leader.
    """

    last: CommittedIsr | None
    as_led: CommittedIsr | None
    first: int | None
    held_new_leader_ts: datetime | None


@dataclass(frozen=True, slots=True)
class OldLog:
    """Where the old leader's log ended (`ended`), and how it was cut: its first `cut` before it led again, with the
    log's end before the cut if that is of this history (`cut_end`); whether there was any cut since (`was_cut`); the
    cut to its own high watermark (`by_hw`). `reached`: the furthest log end that it said as leader, before the cut.
    `seen_ts`: until when it is seen; `took`: which roles it took on.
    """

    ended: Mark | None = None
    cut: Mark | None = None
    cut_end: int | None = None
    was_cut: bool = False
    by_hw: Mark | None = None
    reached: Mark | None = None
    seen_ts: datetime | None = None
    took: AroundChange = NOTHING_TAKEN


@dataclass(frozen=True, slots=True)
class NewLog:
    """What the new leader's log went through before it led.

    - `restarted_ts`: when it last loaded its log; `last_epoch`: the last leader epoch that it took on before.
    - `began`: where its log ended as it began to follow that one; `was_cut`: whether it cut its log then.
    - `cut_before`: its cut to where it led from; `to_own_hw`: it cut to its own high watermark, there.
    """

    restarted_ts: datetime | None = None
    last_epoch: int | None = None
    began: int | None = None
    was_cut: bool = False
    cut_before: Mark | None = None
    to_own_hw: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """By which rules the two leaders followed and committed.

    - `alone`: the old leader was alone in the ISR and knew it; `gate_open`: then the high watermark followed its log
      end (facts §1.3, T4).
    - `to_own_hw`: the new leader had cut its log to its own high watermark and fetched nothing since, as replicas
      without leader epochs do (facts §3.3, S1); `maybe_to_own_hw`: it may have.
    - `are_told`: lines tell whether it follows by leader epochs.
    - `died`: what the old log held is told after its process died; a loss of power may have made it shorter.
    """

    alone: bool
    gate_open: bool
    to_own_hw: bool
    maybe_to_own_hw: bool
    are_told: bool
    died: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """A change of leader with all that decides what it cost: `low` is the highest high watermark of the history
    before, `parted` where the two logs part.
    """

    change: Change
    isrs: Isrs
    low: Mark | None
    old: OldLog
    new: NewLog
    parted: Parted
    rules: Rules
    moved_away: bool

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
        """Where the old leader's log ended when it lost its role."""
        return end_of(self.old)

    @property
    def low_offset(self) -> int | None:
        return None if self.low is None else self.low.high_watermark


def end_of(old: OldLog) -> int | None:
    """Where the old leader's log ended; None where nobody knows."""
    if is_damaged(old):
        return None
    return old.cut_end if old.ended is None else old.ended.log_end_offset


def is_damaged(old: OldLog) -> bool:
    """The old leader's log is told only as recovery cut it, damaged: where it had ended nobody knows."""
    return old.ended is not None and old.ended.damaged


def measured_changes(partition: Partition, marks: Marks, roles: Roles, cluster: Cluster) -> list[Measured]:
    """Every change of leader, with the offsets that decide what it cost.

    A replica's own words count for the old history until it takes on the new leader epoch; the new leader's until it
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
    old, new = old_leaders_log(change, marks, took), new_leaders_log(change, marks, took)
    caught_up = _was_caught_up(change, old)
    if caught_up:
        old = replace(old, ended=None, reached=None)
    low = witnesses.highest_before(change, took, unless_of_old_leader=caught_up)
    says = any(role.says_so and role.leader_epoch == change.leader_epoch for role in roles.get(change.new_leader, ()))
    replicas = change.row.replicas
    return Measured(
        change,
        isrs,
        low,
        old,
        new,
        parted(change, old, new, end_of(old), branching),
        _rules(change, isrs, old, new, branching.without_leader_epochs, says, cluster),
        replicas is not None and change.old_leader not in replicas,
    )


def _was_caught_up(change: Change, old: OldLog) -> bool:
    """The old leader's log was its successor's already: it went past where the new one began, and was never cut."""
    ended = None if old.ended is None else old.ended.log_end_offset
    return old.took.at_once is False and not old.was_cut and less(change.row.epoch_start_offset, ended)


# What is known of a change.


def isrs_before(change: Change, isrs: Sequence[CommittedIsr]) -> Isrs:
    """The ISRs that led up to the change, and when the new leader was last in one; `isrs` by leader epoch."""
    begin = bisect_left(isrs, change.leader_epoch, key=_epoch_of)
    end = bisect_right(isrs, change.leader_epoch, key=_epoch_of)
    led = 0 if change.old_epoch is None else bisect_right(isrs, change.old_epoch, key=_epoch_of)
    numbered = [row for row in isrs[:begin] if row.partition_epoch is not None]
    held = [row.start_ts for row in isrs[:begin] if row.isr is not None and change.new_leader in row.isr]
    return Isrs(
        max(numbered, key=lambda row: (row.partition_epoch, row.leader_epoch), default=None),
        isrs[led - 1] if led else None,
        least(*[row.partition_epoch for row in isrs[begin:end]]),
        greatest(*held),
    )


def _epoch_of(row: CommittedIsr) -> int:
    return int(row.leader_epoch)


class _Witnesses:
    """The marks that hold high watermarks, highest first."""

    def __init__(self, marks: Marks) -> None:
        anchors = [mark for own in marks.values() for mark in own if _may_anchor(mark)]
        self._anchors = sorted(anchors, key=highest, reverse=True)

    def highest_before(
        self, change: Change, took: dict[int, AroundChange], *, unless_of_old_leader: bool
    ) -> Mark | None:
        """The highest high watermark of the history before. `unless_of_old_leader`: without what the old leader itself
        said later.
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
    """The order of marks by their high watermarks; of equal ones the last told."""
    return nulls_first(mark.high_watermark, mark.ts, mark.event, mark.node_id, mark.source)


def _may_anchor(mark: Mark) -> bool:
    return mark.source in ANCHORS and mark.high_watermark is not None and not mark.clamped_anew


def _before_change(change: Change, mark: Mark) -> bool:
    """Clocks of two nodes may differ."""
    if change.ts is None:
        return False
    is_own = mark.node_id in (change.old_leader, change.new_leader)
    return mark.ts < (change.ts if is_own else change.ts - _SKEW)


def _from_change(change: Change, mark: Mark) -> bool:
    return change.ts is not None and mark.ts >= change.ts - _SKEW


def _of_later_leader(change: Change, mark: Mark) -> bool:
    return mark.source in LEADERS_SAY and less(change.leader_epoch, mark.leader_epoch)


def _of_this_history(change: Change, mark: Mark) -> bool:
    """After an unclean election leaders testify, and who has led: a replica that returns still speaks of the history
    before.
    """
    if mark.used_up_in is not None and mark.used_up_in < change.leader_epoch:
        return False
    border = change.border
    if border is None:
        return True
    after_lead = mark.node_id == change.old_leader and less(change.old_since, mark.ts)
    testifies = mark.source in LEADERS_SAY or (mark.source == "follower_start" and after_lead)
    return testifies and less(border.start_ts, mark.ts) and at_most(border.leader_epoch, mark.leader_epoch)


def _still_of_old_epoch(change: Change, mark: Mark, took: AroundChange) -> bool:
    """A replica speaks of the old history until it takes on the new leader epoch.

    A checkpointed high watermark is read while the broker takes on its first role: it tells of the time before. One
    that is next seen in a still later leader epoch may have followed this one where its lines are missing.
    """
    if mark.node_id == change.new_leader or took.cutoff is None:
        return False
    if mark.node_id != change.old_leader and took.at_once is False:
        return False
    if mark.ts <= took.cutoff:
        return True
    in_same_life = mark.life_ts is None or mark.life_ts <= took.cutoff
    return mark.source == "partition_log_loaded" and mark.ts <= took.cutoff + _LOADING and in_same_life


def old_leaders_log(change: Change, marks: Marks, took: dict[int, AroundChange]) -> OldLog:
    """Where the old leader's log ended, and how it was cut."""
    own = marks.get(change.old_leader, ())
    if not own:
        return OldLog()
    role = took[change.old_leader]
    cuts = [mark for mark in own if mark.source == "truncation" and _from_change(change, mark)]
    # Once it leads again its log is another: what it cuts after that tells nothing of this change.
    of_this = [mark for mark in cuts if role.again_ts is None or mark.ts < role.again_ts]
    first_cut = min(((_cut_order(mark, role), mark) for mark in of_this), key=lambda cut: cut[0], default=(None, None))
    cut = first_cut[1]
    to_hw = [mark for mark in own if mark.source == "truncation_to_hw" and at_most(role.cutoff, mark.ts)]
    whole = _kept_whole(change, own, cut, role)
    ends = [mark for mark in own if mark.log_end_offset is not None and _tells_end(change, mark, role, whole)]
    return OldLog(
        max(ends, key=lambda mark: nulls_first(mark.log_end_offset, mark.ts, mark.event, mark.damaged), default=None),
        cut,
        None if cut is None else _end_before(cut, role),
        bool(cuts),
        max(to_hw, key=lambda mark: nulls_first(mark.high_watermark, mark.event), default=None),
        _reached(change, own, cut),
        greatest(*[mark.ts for mark in own]),
        role,
    )


def _kept_whole(change: Change, own: Sequence[Mark], cut: Mark | None, role: AroundChange) -> Mark | None:
    """The old leader follows the new one, and the first that it says of its log is that there is nothing to cut: it ends
    where the new leader began, or before. One that goes on past that may have grown since; one of a broker that died may have
    lost its end.
    """
    said = next((mark for mark in own if mark.source == NOTHING_TO_CUT and at_most(role.cutoff, mark.ts)), None)
    if said is None or not at_most(said.log_end_offset, change.row.epoch_start_offset):
        return None
    came_later = any(at_most(ts, said.ts) for ts in (None if cut is None else cut.ts, role.left_ts))
    return None if came_later or less(change.old_since, said.life_ts) else said


def _tells_end(change: Change, mark: Mark, role: AroundChange, kept_whole: Mark | None) -> bool:
    """The mark tells where the old leader's log ended when it took on another's leader epoch, or came back to do so."""
    if mark.source == "follower_start":
        return at_most(change.leader_epoch, mark.leader_epoch) and at_most(mark.ts, role.cutoff)
    if mark.source == "log_load_completed":
        return _from_change(change, mark) and (role.cutoff is None or mark.ts <= role.cutoff)
    return mark is kept_whole


def _end_before(cut: Mark, role: AroundChange) -> int | None:
    """Where the log ended before the cut. Once it left the new leader epoch it may have grown under another leader."""
    return cut.log_end_offset if role.left_ts is None or cut.ts < role.left_ts else None


def _reached(change: Change, own: Sequence[Mark], cut: Mark | None) -> Mark | None:
    """The furthest log end that the old leader said as it dropped followers, after it was elected and before its cut: while a
    broker leads, its log only grows.
    """
    if cut is None or change.old_since is None:
        return None
    said = [
        mark
        for mark in own
        if mark.source == "isr_shrink"
        and mark.log_end_offset is not None
        and change.old_since <= mark.ts <= cut.ts
        and not less(mark.life_ts, cut.life_ts)  # one that died since may have lost its end
    ]
    return max(said, key=lambda mark: nulls_first(mark.log_end_offset, mark.event), default=None)


def _cut_order(mark: Mark, role: AroundChange) -> tuple[tuple[bool, object], ...]:
    end = _end_before(mark, role)
    return nulls_first(mark.ts, mark.truncation_offset, end, mark.event, mark.leader_epoch, mark.high_watermark)


def new_leaders_log(change: Change, marks: Marks, took: dict[int, AroundChange]) -> NewLog:
    """What the new leader's log went through before it led."""
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


# By which rules.


def _rules(
    change: Change,
    isrs: Isrs,
    old: OldLog,
    new: NewLog,
    some_follow_without_epochs: bool,
    new_leader_says: bool,
    cluster: Cluster,
) -> Rules:
    """What decides whether the old leader's log was committed, and how the new leader had cut its own.

    A broker of whose rule nothing is known may do what any other of the cluster does. A leader that is cut off, or
    dead, does not hear that the controller took the others out: its high watermark still waits for them.
    """
    of_old, of_new = cluster.broker(change.old_leader), cluster.broker(change.new_leader)
    by_hw = first_known(of_new.by_high_watermark, cluster.any_by_high_watermark())
    without_epochs = some_follow_without_epochs or bool(by_hw) or bool(of_old.by_high_watermark)
    cut_to_own = _cut_to_own_high_watermark(change, new, of_new)
    # Until 1.0 a log that ends just there is "truncated" as well.
    end_untold = new.cut_before is None or new.cut_before.log_end_offset is None
    said_of_all = end_untold and _runs_before("1.0.0", of_new)
    is_told = first_known(of_new.is_told, cluster.any_told())
    return Rules(
        alone=_was_alone(change, isrs, old),
        gate_open=_runs_before("3.7.0", of_old) or _one_is_enough(change, cluster),
        to_own_hw=cut_to_own and not said_of_all,
        maybe_to_own_hw=(cut_to_own and said_of_all) or (without_epochs and not new_leader_says),
        are_told=bool(is_told),
        died=_died_in_between(change, old, cluster),
    )


def _runs_before(release: str, broker: Broker) -> bool:
    return broker.version_high is not None and broker.version_high < version_number(release)


def _one_is_enough(change: Change, cluster: Cluster) -> bool:
    """A leader that is alone may take writes with acks=all."""
    replicas = change.row.replicas
    return least(cluster.min_isr.get(change.row.topic), None if replicas is None else len(replicas)) == 1


def _died_in_between(change: Change, old: OldLog, cluster: Cluster) -> bool:
    """The old leader died after it began to lead and before its log is told."""
    told = old.ended or old.cut
    if told is None:
        return False
    since = change.old_since
    return any(
        restart.next_start_ts <= told.ts and (since is None or restart.last_ts >= since)
        for restart in cluster.ends_without_a_word(change.old_leader)
    )


def _was_alone(change: Change, isrs: Isrs, old: OldLog) -> bool:
    """The old leader was alone in the ISR and knew it. With an empty ISR the last member left as it was fenced
    (KIP-966).
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
    """The new leader had cut its log to its own high watermark, just where it then led from."""
    cut = new.cut_before
    if cut is None or not (new.to_own_hw or broker.by_high_watermark):
        return False
    return cut.log_end_offset is None or less(change.row.epoch_start_offset, cut.log_end_offset)
