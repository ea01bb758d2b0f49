"""The lines of brokers about the partitions that they lead and follow: I10-I12, I19, I22-I24, I31."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.lines import whole_number
from replay.facts.order import at_most, less, nulls_first
from replay.facts.releases import version_number
from replay.facts.times import greatest, least, unix_millis
from replay.invariants.cluster import Known, Node
from replay.invariants.shape import SLACK_MS, broken, number, shown
from replay.invariants.tenure_lines import LEADERS, MOVED
from replay.tables.invariants import TenureLine, Violation

_BEGINS = ("leader_start", "follower_start")
_STAMPS_APART_MS = 100  # a line is printed this much before or after the moment of which it tells
_QUARTER_HOUR_MS = 900_000  # zones differ by multiples of it
_OUT_OF_SYNC = re.compile(r"\(brokerId: \d+, endOffset: -?\d++[^()]*+\)")


@dataclass(frozen=True, slots=True)
class _Follower:
    """What a leader knew about a replica that it removed from the ISR."""

    broker_id: int
    log_end_offset: int
    caught_up_ms: int | None


@dataclass
class _Line:
    """A line with the context of the node's earlier lines and of its leader epoch. `role`: the first line of its
    tenure. `begun`: the first line of its leader epoch. `was`: the earlier line of its tenure with the highest high
    watermark. `before`: the line before it. `size`: the number of replicas. `is_last`: whether it is the node's last
    line, in the last leader epoch.
    """

    line: TenureLine
    node: Node
    role: TenureLine | None = None
    begun: TenureLine | None = None
    was: TenureLine | None = None
    before: TenureLine | None = None
    size: int | None = None
    is_last: bool = False

    @property
    def leads(self) -> bool:
        """Whether the broker began its tenure as leader."""
        return self.role is not None and self.role.kind == "leader_start"


def tenures_broken(tenure_lines: Sequence[TenureLine], cluster: Known) -> Iterator[Violation]:
    """I10, I11, I12, I19, I22, I23, I24, I31: the lines of brokers about the partitions that they lead and follow, in
    the order of their files. `tenure_lines`: the rows of that table of one partition.
    """
    moved_ts = greatest(*(line.ts for line in tenure_lines if line.kind in MOVED))
    for placed in _in_their_tenures([line for line in tenure_lines if line.kind not in MOVED], cluster):
        line = placed.line
        if line.kind in _BEGINS:
            yield from _epoch_went_back(line)
        if line.kind == "follower_start":
            yield from _isr_member_below_high_watermark(line, placed.begun)
        if line.kind in LEADERS:
            yield from _high_watermark_went_back(placed)
            yield from _replicas_still_moving(placed, moved_ts)
        if line.kind == "isr_shrink":
            yield from _shrink_broken(placed, cluster)


def _in_their_tenures(lines: Iterable[TenureLine], cluster: Known) -> Iterator[_Line]:
    """Each line with the lines to compare it with."""
    by_node: dict[int, list[TenureLine]] = defaultdict(list)
    begun: dict[tuple[int, int | None], TenureLine] = {}
    last_epochs: dict[int, int] = {}
    for line in lines:
        by_node[line.node_id].append(line)
        life = cluster.cluster.lives.life(line.topic, line.ts)
        if line.kind == "leader_start":
            known = begun.get((life, line.leader_epoch))
            begun[life, line.leader_epoch] = line if known is None else min(line, known, key=_begin_place)
        if line.leader_epoch is not None:
            last_epochs[life] = max(line.leader_epoch, last_epochs.get(life, line.leader_epoch))
    for node_id, own in by_node.items():
        own.sort(key=lambda line: nulls_first(line.ts, line.line_number))
        role: TenureLine | None = None
        was: TenureLine | None = None
        size: int | None = None
        for at, line in enumerate(own):
            if line.kind in _BEGINS:
                if role is None or (line.ts, line.line_number) != (role.ts, role.line_number):
                    was = None
                role = line
            size = size if line.replicas is None else len(line.replicas)
            life = cluster.cluster.lives.life(line.topic, line.ts)
            yield _Line(
                line,
                cluster.node(node_id),
                role,
                begun.get((life, line.leader_epoch)),
                was,
                own[at - 1] if at else None,
                size,
                at == len(own) - 1 and line.leader_epoch is not None and line.leader_epoch == last_epochs.get(life),
            )
            if line.kind in LEADERS and line.high_watermark is not None:
                was = line if was is None else max(line, was, key=_reach)


def _begin_place(line: TenureLine) -> tuple[tuple[bool, object], ...]:
    return nulls_first(line.ts, line.isr, line.high_watermark, line.event_id)


def _reach(line: TenureLine) -> tuple[tuple[bool, object], ...]:
    return nulls_first(line.high_watermark, line.event_id)


def _epoch_went_back(line: TenureLine) -> Iterator[Violation]:
    if less(line.leader_epoch, line.previous_leader_epoch):
        detail = (
            f"broker {line.node_id} took on leader epoch {line.leader_epoch} while it had {line.previous_leader_epoch}"
        )
        yield broken("I10", detail, line.event_id)


def _isr_member_below_high_watermark(line: TenureLine, begun: TenureLine | None) -> Iterator[Violation]:
    """A member of the ISR whose high watermark is below the leader's. It may have left that ISR, and lost its tail,
    before it prints the line. From 3.3 on the partition epoch shows that, before 3.3 a restart does.
    """
    if begun is None or line.node_id not in (begun.isr or ()) or not less(line.log_end_offset, begun.high_watermark):
        return
    if line.partition_epoch is not None and begun.partition_epoch is not None:
        still_in_it = line.partition_epoch == begun.partition_epoch
    else:
        still_in_it = at_most(0, line.previous_leader_epoch) and less(line.previous_leader_epoch, line.leader_epoch)
    if still_in_it:
        detail = (
            f"broker {line.node_id} is in the ISR with which leader epoch {line.leader_epoch} began; the leader had high "
            f"watermark {begun.high_watermark} then, its own log ends at {line.log_end_offset}"
        )
        yield broken("I12", detail, begun.event_id, line.event_id)


def _high_watermark_went_back(placed: _Line) -> Iterator[Violation]:
    if (
        placed.leads
        and placed.was is not None
        and placed.role
        and less(placed.line.high_watermark, placed.was.high_watermark)
    ):
        detail = (
            f"leader {placed.line.node_id} in leader epoch {number(placed.role.leader_epoch)}: high watermark "
            f"{placed.line.high_watermark}, after {placed.was.high_watermark}"
        )
        yield broken("I19", detail, placed.was.event_id, placed.line.event_id)


def _replicas_still_moving(placed: _Line, moved_ts: datetime | None) -> Iterator[Violation]:
    line = placed.line
    moving = ",".join(ids for ids in (line.adding_replicas, line.removing_replicas) if ids)
    if placed.is_last and moving and not at_most(line.ts, moved_ts):
        detail = f"replicas {moving} are still being moved when the files of leader {line.node_id} end"
        yield broken("I31", detail, line.event_id, verdict="unknown")


def _shrink_broken(placed: _Line, cluster: Known) -> Iterator[Violation]:
    """I11, I22, I23, I24: a leader's lines about ISR shrinks."""
    slow = _out_of_sync(placed.line.out_of_sync_replicas)
    yield from _high_watermark_above_isr(placed, slow)
    yield from _joined_isr_too_early(placed, slow)
    yield from _shrunk_too_early_or_late(placed, slow)
    yield from _high_watermark_below_min_isr(placed, cluster.cluster.min_isr)


def _out_of_sync(text: str | None) -> list[_Follower]:
    """The replicas in a `Shrinking ISR` line; none if the release prints none."""
    followers = []
    for one in _OUT_OF_SYNC.findall(text or ""):
        broker, end = re.search(r"brokerId: (\d+)", one), re.search(r"endOffset: (-?\d+)", one)
        caught_up = re.search(r"lastCaughtUpTimeMs: (\d{12,})", one)
        if broker and end:
            followers.append(_Follower(int(broker[1]), int(end[1]), int(caught_up[1]) if caught_up else None))
    return followers


def _high_watermark_above_isr(placed: _Line, slow: Iterable[_Follower]) -> Iterator[Violation]:
    line = placed.line
    behind = next(
        (one for one in slow if one.log_end_offset >= 0 and less(one.log_end_offset, line.high_watermark)), None
    )
    if behind is not None and at_most(version_number("2.7.0"), placed.node.version_low):
        detail = (
            f"leader {line.node_id} had high watermark {line.high_watermark} while broker {behind.broker_id} of its ISR had "
            f"reached {behind.log_end_offset}"
        )
        yield broken("I11", detail, line.event_id)


def _joined_isr_too_early(placed: _Line, slow: Iterable[_Follower]) -> Iterator[Violation]:
    """A follower that joined the ISR after the leader began, but had not reached the leader's start offset."""
    role = placed.role
    if role is None or not placed.leads or role.isr is None:
        return
    for one in slow:
        joined = one.broker_id in (_brokers(placed.line.old_isr) or ()) and one.broker_id not in role.isr
        if joined and one.log_end_offset >= 0 and less(one.log_end_offset, role.epoch_start_offset):
            detail = (
                f"broker {one.broker_id} joined the ISR in leader epoch {number(role.leader_epoch)}, which starts at "
                f"{role.epoch_start_offset}, and had only reached {one.log_end_offset}"
            )
            yield broken("I22", detail, role.event_id, placed.line.event_id)
            return


def _shrunk_too_early_or_late(placed: _Line, slow: Iterable[_Follower]) -> Iterator[Violation]:
    """A lag that replica.lag.time.max.ms does not explain. A late shrink can be right: the leader may have been frozen,
    or may have had no new records until then.
    """
    line, usual_ms = placed.line, placed.node.lag_ms
    if usual_ms is None or line.raw_ts is None:
        return
    lags = (
        _in_zone(unix_millis(line.raw_ts) - one.caught_up_ms, usual_ms) for one in slow if one.caught_up_ms is not None
    )
    lag = next((lag for lag in lags if lag <= usual_ms - _STAMPS_APART_MS or lag > usual_ms * 1.5 + SLACK_MS), None)
    if lag is None:
        return
    detail = (
        f"leader {line.node_id} took a follower out of the ISR {int(lag)} ms after it was last caught up; "
        f"replica.lag.time.max.ms is {usual_ms}"
    )
    if lag <= usual_ms:
        yield broken("I23", detail, line.event_id)
    else:
        late = f"{detail}: it was frozen, or had no record that the follower lacked until then"
        yield broken("I23", late, line.event_id, verdict="unknown")


def _in_zone(lag_ms: int, around_ms: int) -> float:
    """The lag between a stamp without zone and a time in milliseconds since 1970, in the zone that gives the value
    nearest to `around_ms`.
    """
    quarters = (lag_ms - around_ms * 1.25) / _QUARTER_HOUR_MS
    return lag_ms - math.copysign(math.floor(abs(quarters) + 0.5), quarters) * _QUARTER_HOUR_MS


def _high_watermark_below_min_isr(placed: _Line, min_isrs: Mapping[str, int | None]) -> Iterator[Violation]:
    """From 3.7 on (KIP-966) the high watermark does not move while the ISR is below min.insync.replicas."""
    line, before, min_isr = placed.line, placed.before, min_isrs.get(placed.line.topic)
    if before is None or before.kind not in ("leader_start", "leader_transition_skipped") or before.isr is None:
        return
    if min_isr is None or not at_most(version_number("3.7.0"), placed.node.version_low):
        return
    needed = least(min_isr, placed.size or None)
    old_isr = _brokers(line.old_isr)
    is_same = old_isr is not None and sorted(old_isr) == sorted(before.isr)
    if is_same and less(len(before.isr), needed) and less(before.high_watermark, line.high_watermark):
        detail = (
            f"leader {line.node_id}: high watermark {before.high_watermark} -> {line.high_watermark} with ISR "
            f"{shown(before.isr)}, below min.insync.replicas {needed}"
        )
        yield broken("I24", detail, before.event_id, line.event_id)


def _brokers(text: str | None) -> list[int] | None:
    """The broker ids in a text, `1, 2`; None if it is not such a list."""
    ids = [whole_number(one) for one in text.split(",")] if text is not None else [None]
    return None if None in ids else [id_ for id_ in ids if id_ is not None]
