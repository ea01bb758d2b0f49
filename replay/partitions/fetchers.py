"""Leader epochs that only followers' fetches name, dated by the fetchers that replicas stop: all that server.log shows of
a change of leader from 2.6 on.

A replica stops its fetcher with each change that it applies, and starts one if the change has another leader (facts §5).
So a stop without a start shows that the broker leads, that the partition has no leader, or that the ISR of a leader
changed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from operator import attrgetter, itemgetter

from replay.facts.evidence import joined
from replay.facts.groups import grouped
from replay.facts.lines import detail, ids
from replay.facts.times import millis
from replay.partitions.lives import TopicLives
from replay.tables.offsets import FetcherStop
from replay.tables.partitions import DatedLeaderEpoch, PartitionStateReport
from replay.tables.reading import Event

FETCHES = "fetcher_partitions_added"
_STOPPING_MS = 60_000  # a broker that shuts down stops fetchers within this
_OF_ISR_MS = 1_000  # a leader applies the ISR that it had committed within this
ISR_UPDATED = "isr_updated"
ISR_INTENTS = ("isr_shrink", "isr_expand")
_ts, _first = attrgetter("ts"), itemgetter(0)


@dataclass(frozen=True)
class Fetchers:
    """The fetchers of one life of a partition, by broker: `starts` with the leader epoch, and `left`, the stops after which
    the broker fetched from nobody; without those of a broker that shuts down, or that follow an ISR of its own.
    """

    starts: Mapping[int, Sequence[tuple[datetime, int]]]
    left: Mapping[int, Sequence[FetcherStop]]

    @staticmethod
    def of(
        reports: Iterable[PartitionStateReport],
        stops: Iterable[FetcherStop],
        events: Iterable[Event],
        stopping: Mapping[int, Sequence[datetime]],
    ) -> Fetchers:
        """The fetchers, from the lines that start and stop them."""
        begun = [one for one in reports if one.kind == FETCHES and one.ts is not None and one.node_id is not None]
        starts = {
            node: sorted((one.ts, one.leader_epoch) for one in own)
            for node, own in grouped(begun, lambda one: one.node_id).items()
        }
        updated = (one for one in events if one.kind == ISR_UPDATED and one.ts is not None)
        committed = {
            node: sorted(line.ts for line in own) for node, own in grouped(updated, lambda one: one.node_id).items()
        }
        ordered = {node: sorted(times) for node, times in stopping.items()}
        left: dict[int, list[FetcherStop]] = {}
        for node, own in grouped(stops, lambda one: one.node_id).items():
            in_time = sorted((one for one in own if one.ts is not None), key=lambda one: (one.ts, one.event_id))
            times = [ts for ts, _ in starts.get(node, ())]
            left[node] = [
                one
                for one, then in zip(in_time, [*in_time[1:], None], strict=False)
                if not _is_followed(times, one.ts, then.ts if then is not None else None)
                and not _is_after(ordered.get(node, ()), one.ts, _STOPPING_MS)
                and not _is_after(committed.get(node, ()), one.ts, _OF_ISR_MS)
            ]
        return Fetchers(starts, left)

    def begin(self, before: DatedLeaderEpoch, epoch: DatedLeaderEpoch) -> FetcherStop | None:
        """The stop with which a leader at the latest began to lead: its last one before a follower names it, since another
        leader, or its own fetch from another one.
        """
        if epoch.confidence == "observed" or epoch.leader_id in (None, -1, before.leader_id):
            return None
        starts = self.starts.get(epoch.leader_id, ())
        at = bisect_left(starts, epoch.start_ts, key=_first)
        since = max([before.start_ts, *(ts for ts, _ in starts[max(0, at - 1) : at])])
        found = _between(self.left.get(epoch.leader_id, ()), since, epoch.start_ts)
        return found[-1] if found else None

    def end(self, epoch: DatedLeaderEpoch, then: DatedLeaderEpoch) -> FetcherStop | None:
        """The first stop of a follower of this leader epoch, by which it had ended, before a later one begins that is not
        the next. Neither leader's own.
        """
        if then.leader_epoch == epoch.leader_epoch + 1:
            return None
        found = [
            stop
            for node, stops in self.left.items()
            if node not in (epoch.leader_id, then.leader_id)
            for stop in _between(stops, epoch.start_ts, then.start_ts)
            if self._followed(node, stop.ts) == epoch.leader_epoch
        ]
        return min(found, key=lambda one: (one.ts, one.event_id), default=None)

    def _followed(self, node: int, ts: datetime) -> int | None:
        """The leader epoch in which a broker last began to fetch."""
        own = self.starts.get(node, ())
        at = bisect_right(own, ts, key=_first)
        return own[at - 1][1] if at else None


def isrs_of_fetched_leaders(
    reports: Sequence[PartitionStateReport],
    stops: Sequence[FetcherStop],
    events: Sequence[Event],
    lives: TopicLives,
    stopping: Mapping[int, Sequence[datetime]],
) -> list[PartitionStateReport]:
    """The ISRs that leaders report as committed, where only followers' fetches name leader epochs: each in the one that
    followers had named for that leader, if it was the last one by then and the leader's role did not change since. The
    line with which the leader began the first change of a leader epoch prints the ISR before it.
    """
    named = [one for one in reports if one.ts is not None and one.leader_epoch is not None]
    committed = [one for one in events if one.kind == ISR_UPDATED and one.isr is not None and one.ts is not None]
    if not committed or not named or any(report.kind != FETCHES for report in reports):
        return []
    fetchers: dict[int, Fetchers] = {}
    latest: dict[int, Sequence[PartitionStateReport]] = {}
    found: list[PartitionStateReport] = []
    begun = [one for one in events if one.kind in ISR_INTENTS and one.isr is not None and one.ts is not None]
    intents = {node: sorted(own, key=_ts) for node, own in grouped(begun, lambda one: one.node_id).items()}
    changed: set[tuple[int, int]] = set()
    for line in sorted(committed, key=lambda one: (one.ts, one.event_id)):
        life = lives.life(line.topic, line.ts)
        if life not in fetchers:
            own = [one for one in stops if lives.life(one.topic, one.ts) == life]
            of_life = [one for one in named if one.life == life]
            fetchers[life], latest[life] = Fetchers.of(of_life, own, events, stopping), _latest(of_life)
        at = bisect_right(latest[life], line.ts, key=_ts)
        last = latest[life][at - 1] if at else None
        if last is None or last.leader_id != line.node_id:
            continue
        if _between(fetchers[life].left.get(last.leader_id, ()), last.ts, line.ts):
            continue
        intent = None if (life, last.leader_epoch) in changed else _intent(line, intents.get(line.node_id, ()))
        changed.add((life, last.leader_epoch))
        if intent is not None:
            before = None if line.partition_epoch is None else line.partition_epoch - 1
            found.append(_of_leader(last, intent, before, ids(detail(intent, "old_isr"))))
        found.append(_of_leader(last, line, line.partition_epoch, sorted(line.isr)))
    return found


def _of_leader(
    last: PartitionStateReport, line: Event, partition_epoch: int | None, isr: Sequence[int] | None
) -> PartitionStateReport:
    """What a leader's line shows of the ISR in the leader epoch that followers named last."""
    return last.but(
        partition_epoch=partition_epoch,
        isr=isr,
        ts=line.ts,
        event_id=line.event_id,
        node_id=line.node_id,
        kind=line.kind,
        witness="commit",
    )


def _intent(committed: Event, intents: Sequence[Event]) -> Event | None:
    """The leader's line with which it began this change of the ISR, if it names the ISR before; `intents` are in order."""
    at = bisect_right(intents, committed.ts, key=_ts)
    last = intents[at - 1] if at else None
    if last is None or sorted(last.isr) != sorted(committed.isr) or not ids(detail(last, "old_isr")):
        return None
    return last


def _latest(named: Iterable[PartitionStateReport]) -> list[PartitionStateReport]:
    """Those that name a later leader epoch than all before them, in the order of time."""
    found: list[PartitionStateReport] = []
    for one in sorted(named, key=_ts):
        if not found or one.leader_epoch > found[-1].leader_epoch:
            found.append(one)
    return found


def _between(stops: Sequence[FetcherStop], low: datetime, high: datetime) -> Sequence[FetcherStop]:
    """The stops between two times, without those at either."""
    return stops[bisect_right(stops, low, key=_ts) : bisect_left(stops, high, key=_ts)]


def _is_followed(starts: Sequence[datetime], ts: datetime, until: datetime | None) -> bool:
    """Whether a fetcher was started after a stop and before the next one."""
    at = bisect_right(starts, ts)
    at -= bool(at and starts[at - 1] == ts)
    return at < len(starts) and (until is None or starts[at] < until or starts[at] == ts)


def _is_after(times: Sequence[datetime], ts: datetime, within_ms: int) -> bool:
    """Whether one of the times, which are in order, is at most that long before `ts`."""
    at = bisect_right(times, ts)
    return at > 0 and (millis(ts, times[at - 1]) or 0) <= within_ms


def dated_by_fetchers(epochs: Sequence[DatedLeaderEpoch], fetchers: Fetchers) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life: each begins no later than with the stop of its leader's fetcher. One after which leader
    epochs are missing ends with the stop of a follower, which may have led then (`may_lead_next`).
    """
    begun: list[DatedLeaderEpoch] = []
    for epoch in epochs:
        stop = fetchers.begin(begun[-1], epoch) if begun else None
        if stop is not None:
            evidence = joined([stop.event_id], epoch.evidence)
            epoch = epoch.but(start_ts=stop.ts, evidence=evidence, begun_before=None)
            begun[-1] = begun[-1].but(end_ts=stop.ts)
        begun.append(epoch)
    for at, (epoch, then) in enumerate(pairwise(begun)):
        end = fetchers.end(epoch, then)
        if end is not None:
            evidence = joined(epoch.evidence[:2], [end.event_id], epoch.evidence[2:])
            begun[at] = epoch.but(end_ts=end.ts, may_lead_next=end.node_id, evidence=evidence)
    return begun
