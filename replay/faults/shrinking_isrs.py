"""What one leader's lines show about shrinking ISRs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from replay.facts.groups import grouped
from replay.facts.lines import detail, kafka_lines, number_in
from replay.facts.order import less
from replay.facts.times import greatest, least, millis, unix_millis
from replay.facts.window import TimeWindow
from replay.faults.earliest_lines import lines_of, second_of
from replay.tables.faults import LagShrink
from replay.tables.reading import Event

SHRINK = "isr_shrink"
BACK_AT_ONCE_MS = 1_000  # a resuming leader has its followers back within 15 to 50 ms (facts §5, F13)
WAKING_MS = 5_000  # it writes its ISRs within this time, even if it must reconnect to ZooKeeper first
_CHANGES = frozenset((SHRINK, "isr_updated", "isr_expand"))
_RESET_MS = 1_000  # a new leader logs its election within this time; it regards its in-sync followers as caught up then
_ID = re.compile(r"\d+", re.ASCII)


def removed_from_isr(shrink: Event) -> list[int]:
    """The brokers that a shrink removes from the ISR, ascending."""
    was = {int(broker) for broker in _ID.findall(detail(shrink, "old_isr") or "")}
    return sorted(was.difference(shrink.isr))


@dataclass(frozen=True, slots=True)
class _Shrink:
    """A line that removes followers from an ISR, when all of them had returned, and when its leader had taken over."""

    line: Event
    removed: tuple[int, ...]
    back_ts: datetime | None
    led_ts: datetime | None

    @property
    def left_alone(self) -> bool:
        return len(self.line.isr) == 1

    @property
    def wakes(self) -> bool:
        """Whether the leader was paused: it removed all followers, and all of them returned at once.

        Followers that stopped fetching return one by one, over the network. A leader that was frozen first finds all
        of them late, and then finds their fetches in its queue (facts §5, F13).
        """
        back_ms = millis(self.back_ts, self.line.ts)
        return self.left_alone and len(self.removed) > 1 and back_ms is not None and back_ms <= BACK_AT_ONCE_MS


def lag_shrinks(node_events: Sequence[Event], window: TimeWindow) -> list[LagShrink]:
    """The followers that a leader removed from ISRs, by second.

    `woke`: the leader was just resuming from a pause.
    """
    lines = kafka_lines(window.events_by_end(node_events))
    changes = [event for event in lines if _is_change(event)]
    if not any(change.kind == SHRINK for change in changes):
        return []
    of_partitions = grouped(changes, lambda change: (change.topic, change.partition))
    led = grouped((event for event in lines if event.kind == "leader_start"), lambda one: (one.topic, one.partition))
    shrinks = [shrink for name, own in of_partitions.items() for shrink in _with_return(own, led.get(name, ()))]
    woke_ms = sorted(unix_millis(shrink.line.ts) for shrink in shrinks if shrink.wakes)
    groups = grouped(
        (
            (dropped, _is_near(unix_millis(shrink.line.ts), woke_ms), shrink)
            for shrink in shrinks
            for dropped in shrink.removed
        ),
        lambda one: (one[0], one[2].removed, one[1], second_of(one[2].line.ts)),
    )
    rows = [_of_second(dropped, woke, [one[2] for one in own]) for (dropped, _, woke, _), own in groups.items()]
    return sorted(rows, key=lambda row: (row.ts, row.dropped_id))


def _is_change(event: Event) -> bool:
    return event.kind in _CHANGES and event.isr is not None and event.topic is not None and event.ts is not None


def _with_return(changes: Iterable[Event], led: Sequence[Event]) -> Iterator[_Shrink]:
    """The shrinks of one partition, from the last to the first. `led`: the lines in which its leader took over."""
    back: dict[int, datetime] = {}
    newest_first = sorted(changes, key=lambda change: change.ts, reverse=True)
    for _, at_once in groupby(newest_first, key=lambda change: unix_millis(change.ts)):
        now = list(at_once)
        for change in now:
            back.update(dict.fromkeys(change.isr, change.ts))
        for change in now:
            removed = removed_from_isr(change) if change.kind == SHRINK else []
            if removed:
                are_back = all(broker in back for broker in removed)
                back_ts = max(back[broker] for broker in removed) if are_back else None
                led_ts = greatest(*(one.ts for one in led if less(one.ts, change.ts)))
                yield _Shrink(change, tuple(removed), back_ts, led_ts)


def _is_near(ms: int, in_order: Sequence[int]) -> bool:
    """Whether one of the times is within `WAKING_MS`."""
    at = bisect_left(in_order, ms - WAKING_MS)
    return at < len(in_order) and in_order[at] <= ms + WAKING_MS


def _of_second(dropped: int, woke: bool, shrinks: Sequence[_Shrink]) -> LagShrink:
    """The shrinks of one second that remove one follower from ISRs."""
    lines = [shrink.line for shrink in shrinks]
    first = min(lines, key=lambda line: (line.ts, line.event_id))
    back = [shrink.back_ts for shrink in shrinks]
    return LagShrink(
        leader_id=first.node_id,
        dropped_id=dropped,
        removed=list(shrinks[0].removed),
        woke=woke,
        ts=first.ts,
        last_ts=max(line.ts for line in lines),
        event_id=first.event_id,
        drops=len(shrinks),
        left_alone=sum(shrink.left_alone for shrink in shrinks),
        caught_up_ms=greatest(*[_caught_up_ms(shrink, dropped) for shrink in shrinks]),
        first_back_ts=least(*back),
        back_ts=None if None in back else greatest(*back),
        names=sorted({f"{line.topic}-{line.partition}" for line in lines if line.partition is not None}),
        lines=lines_of(lines),
    )


def _caught_up_ms(shrink: _Shrink, dropped: int) -> int | None:
    """When the removed follower had last caught up, in epoch ms; shrink lines state this from 3.6.

    None if the stated time is only that of the leader's election.
    """
    pattern = rf"brokerId: {dropped}, endOffset: -?\d+, lastCaughtUpTimeMs: (\d+)"
    stated_ms = number_in(detail(shrink.line, "out_of_sync_replicas"), pattern)
    if stated_ms is None or shrink.led_ts is None:
        return stated_ms
    return stated_ms if abs(stated_ms - unix_millis(shrink.led_ts)) > _RESET_MS else None
