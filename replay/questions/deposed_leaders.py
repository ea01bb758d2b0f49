"""Leaders that still acted as leaders after another one was elected (operator question 19)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from operator import attrgetter

from replay.facts.evidence import earliest
from replay.facts.order import at_most, less
from replay.facts.times import greatest, least, millis
from replay.histories.partition import by_life, has_leader
from replay.partitions.lives import TopicLives
from replay.tables.brokers import BrokerSession, ProcessLife
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import LeaderEpoch, LearntLeaderEpoch
from replay.tables.questions import DeposedLeader
from replay.tables.reading import Event

# Only a leader logs these. Up to 2.1 they state no offsets, and no other line shows that a stale leader still leads.
_ISR_CHANGES = ("isr_shrink", "isr_expand", "isr_update_zk_version_conflict")

Stops = Mapping[int, Sequence[datetime]]
_time = attrgetter("ts")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line in which a broker acts in a leader epoch, or first names it."""

    leader_epoch: int
    ts: datetime
    event: str
    log_end_offset: int | None = None


def broker_stops(
    recorded_sessions: Iterable[BrokerSession], processes: Iterable[ProcessLife]
) -> dict[int, list[datetime]]:
    """When each broker's processes had ended, in order.

    A session that times out does not end the process. A process has ended when the next one starts, even if no
    controller's line shows its session, and even if the logs show no line of it.
    """
    stops: dict[int, list[datetime]] = defaultdict(list)
    for session in recorded_sessions:
        if session.end_ts is not None and session.ended_by not in (None, "session_timeout"):
            stops[session.broker_id].append(session.end_ts)
    for process in processes:
        stops[process.node_id] += [ts for ts in (process.start_ts, process.next_start_ts) if ts is not None]
    return {broker: sorted(set(times)) for broker, times in stops.items() if times}


def deposed_leaders(
    leader_epochs: Sequence[LeaderEpoch],
    high_watermarks: Sequence[HighWatermark],
    learnt_leader_epochs: Sequence[LearntLeaderEpoch],
    partition_events: Sequence[Event],
    broker_stops: Stops,
    lives: TopicLives,
) -> Iterator[DeposedLeader]:
    """One row for each leader of one partition that continued to act as the leader while another led.

    `deposed_ts`: when the other's leader epoch began. `last_led_ts`: the last line in which the old leader acts as
    the leader. `learnt_ts`: when it first names a later epoch. Each is None if no line states it. A process that had
    ended (`ended_ts`) considers itself nothing: `believed_ms` ends there, and only its last line as the leader shows how
    long it did at least. Omits a leader that had stopped or died meanwhile without such a line. A leader that leads
    again before any line shows it as a follower had learned by then; how soon is unknown.
    """
    changes = [event for event in partition_events if event.kind in _ISR_CHANGES]
    rows = {"leader_epochs": leader_epochs, "marks": high_watermarks, "learnt": learnt_leader_epochs}
    for _, own in by_life(lives, **rows, changes=changes):
        led = sorted(
            (epoch for epoch in own["leader_epochs"] if has_leader(epoch)), key=lambda epoch: epoch.leader_epoch
        )
        learns = _learns(own["marks"], own["learnt"])
        leads = _leads(own["marks"], own["changes"], learns)
        for at, (epoch, then) in enumerate(pairwise(led)):
            if epoch.leader_id != then.leader_id and then.start_ts is not None:
                later_starts = (later.start_ts for later in led[at + 2 :] if later.leader_id == epoch.leader_id)
                leads_again_ts = least(next(later_starts, None))
                follows = [line for line in learns[epoch.leader_id] if not less(leads_again_ts, line.ts)]
                deposed = _deposed(epoch, then, leads[epoch.leader_id, epoch.leader_epoch], follows, broker_stops)
                if deposed is not None:
                    yield deposed


def _leads(
    marks: Iterable[HighWatermark], changes: Iterable[Event], learns: Mapping[int, Sequence[_Line]]
) -> dict[tuple[int, int], list[_Line]]:
    """The lines in which brokers act as leaders of their leader epochs."""
    leads: dict[tuple[int, int], list[_Line]] = defaultdict(list)
    for mark in marks:
        if mark.role == "leader" and mark.leader_epoch is not None and mark.ts is not None:
            leads[mark.node_id, mark.leader_epoch].append(
                _Line(mark.leader_epoch, mark.ts, mark.evidence[0], mark.log_end_offset)
            )
    for change in changes:
        epochs = [line.leader_epoch for line in learns.get(change.node_id, ()) if at_most(line.ts, change.ts)]
        if epochs and change.ts is not None:
            leads[change.node_id, max(epochs)].append(_Line(max(epochs), change.ts, change.event_id))
    return leads


def _learns(marks: Iterable[HighWatermark], learnt: Iterable[LearntLeaderEpoch]) -> dict[int, list[_Line]]:
    """The lines in which brokers first name a leader epoch, or begin to follow in it. Omits offline replicas: they do not
    lead.

    Up to 2.5 a follower does not log its role; only the controller's request names the leader epoch.
    """
    learns: dict[int, list[_Line]] = defaultdict(list)
    for mark in marks:
        if mark.source == "follower_start" and mark.leader_epoch is not None and mark.ts is not None:
            learns[mark.node_id].append(_Line(mark.leader_epoch, mark.ts, mark.evidence[0], mark.log_end_offset))
    for row in learnt:
        if row.is_offline:
            continue
        learns[row.node_id].append(_Line(row.leader_epoch, row.ts, row.event_id))
    return learns


def _deposed(
    epoch: LeaderEpoch, then: LeaderEpoch, led: Sequence[_Line], learns: Iterable[_Line], stops: Stops
) -> DeposedLeader | None:
    ended = [ts for ts in stops.get(epoch.leader_id, ()) if not less(ts, epoch.start_ts)]
    acts = [line for line in led if line.ts > then.start_ts and _led_in_this_life(line, led, then.start_ts, ended)]
    follows = [
        line
        for line in learns
        if line.leader_epoch > epoch.leader_epoch
        and (line.ts > then.start_ts or (then.begun_before and line.ts == then.start_ts))
    ]
    last_led_ts, learnt_ts = greatest(*(line.ts for line in acts)), least(*(line.ts for line in follows))
    stops_since = stops.get(epoch.leader_id, ())
    if last_led_ts is None and (learnt_ts is None or _first_stop(stops_since, epoch.start_ts, learnt_ts) is not None):
        return None
    ended_ts = None if last_led_ts is None else _first_stop(stops_since, last_led_ts, learnt_ts)
    learned = learnt_ts is not None and ended_ts is None
    at_once = then.begun_before and last_led_ts is None and learnt_ts == then.start_ts  # one line shows both
    return DeposedLeader(
        topic=epoch.topic,
        partition=epoch.partition,
        broker_id=epoch.leader_id,
        leader_epoch=epoch.leader_epoch,
        deposed_ts=then.start_ts,
        deposed_before=then.begun_before or None,
        last_led_ts=last_led_ts,
        stored_after=_stored_after(acts, follows),
        learnt_ts=learnt_ts,
        ended_ts=ended_ts,
        believed_low_ms=millis(greatest(last_led_ts, learnt_ts if learned else None), then.start_ts),
        believed_ms=None if at_once else millis(ended_ts or greatest(learnt_ts, last_led_ts), then.start_ts),
        evidence=earliest((line.ts, line.event) for line in (*acts, *follows)),
    )


def _stored_after(acts: Iterable[_Line], follows: Iterable[_Line]) -> int | None:
    """How many offsets the leader stored after its last line as the leader, by its log end offset when it began to
    follow.
    """
    last = max(acts, key=_time, default=None)
    first = min((line for line in follows if line.log_end_offset is not None), key=_time, default=None)
    if last is None or first is None or not less(last.log_end_offset, first.log_end_offset):
        return None
    return (first.log_end_offset or 0) - (last.log_end_offset or 0)


def _led_in_this_life(act: _Line, led: Iterable[_Line], deposed_ts: datetime, ended: Sequence[datetime]) -> bool:
    """Whether the process that acts as leader already led before another leader was elected.

    A process that starts later only reads old metadata again and does not serve clients yet (facts §8, trap 16).
    """
    last_end_ts = max((ts for ts in ended if ts <= act.ts), default=None)
    return last_end_ts is None or any(last_end_ts < line.ts <= deposed_ts for line in led)


def _first_stop(stops: Sequence[datetime], since: datetime | None, until: datetime | None) -> datetime | None:
    """When a broker's process had first ended between two times, both inclusive."""
    if since is None:
        return None
    at = bisect_left(stops, since)
    return stops[at] if at < len(stops) and at_most(stops[at], until or stops[at]) else None
