"""Leaders that went on as such after another was elected (operator question 19)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

from replay.facts.evidence import earliest
from replay.facts.order import less
from replay.facts.times import first_known, greatest, least, millis
from replay.histories.partition import by_life, has_leader
from replay.partitions.lives import TopicLives
from replay.tables.brokers import BrokerSession
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import LeaderEpoch
from replay.tables.questions import DeposedLeader

Stops = Mapping[int, Sequence[datetime]]


def broker_stops(broker_sessions: Iterable[BrokerSession]) -> dict[int, list[datetime]]:
    """When each broker's processes ended, in order; a session that times out ends without its process."""
    stops: dict[int, list[datetime]] = defaultdict(list)
    for session in broker_sessions:
        if session.end_ts is not None and session.ended_by not in (None, "session_timeout"):
            stops[session.broker_id].append(session.end_ts)
    return {broker: sorted(times) for broker, times in stops.items()}


def deposed_leaders(
    leader_epochs: Sequence[LeaderEpoch],
    high_watermarks: Sequence[HighWatermark],
    broker_stops: Stops,
    lives: TopicLives,
) -> Iterator[DeposedLeader]:
    """One row a leader of one partition that went on as such while another led.

    `deposed_ts` is when the leader epoch of the other began, `last_led_ts` the last line in which the old one acts as
    the leader, `learnt_ts` when it first follows; each null where no line states it. `believed_ms`: until the latest of
    what is known. One that had stopped or died meanwhile learnt nothing and is left out. One that leads again before any line
    states that it followed had learnt by then: how soon is not known.
    """
    for _, own in by_life(lives, leader_epochs=leader_epochs, marks=high_watermarks):
        led = sorted(
            (epoch for epoch in own["leader_epochs"] if has_leader(epoch)), key=lambda epoch: epoch.leader_epoch
        )
        leads, learns = _leads(own["marks"]), _learns(own["marks"])
        for at, (epoch, then) in enumerate(pairwise(led)):
            if epoch.leader_id != then.leader_id and then.start_ts is not None:
                again = (later.start_ts for later in led[at + 2 :] if later.leader_id == epoch.leader_id)
                leads_again_ts = least(next(again, None))
                follows = [mark for mark in learns[epoch.leader_id] if not less(leads_again_ts, mark.ts)]
                deposed = _deposed(epoch, then, leads[epoch.leader_id, epoch.leader_epoch], follows, broker_stops)
                if deposed is not None:
                    yield deposed


def _leads(marks: Iterable[HighWatermark]) -> dict[tuple[int, int], list[HighWatermark]]:
    """The lines in which brokers act as leaders of their leader epochs."""
    leads: dict[tuple[int, int], list[HighWatermark]] = defaultdict(list)
    for mark in marks:
        if mark.role == "leader" and mark.leader_epoch is not None and mark.ts is not None:
            leads[mark.node_id, mark.leader_epoch].append(mark)
    return leads


def _learns(marks: Iterable[HighWatermark]) -> dict[int, list[HighWatermark]]:
    """The lines in which brokers begin to follow."""
    learns: dict[int, list[HighWatermark]] = defaultdict(list)
    for mark in marks:
        if mark.source == "follower_start" and mark.leader_epoch is not None and mark.ts is not None:
            learns[mark.node_id].append(mark)
    return learns


def _deposed(
    epoch: LeaderEpoch,
    then: LeaderEpoch,
    leads: Iterable[HighWatermark],
    learns: Iterable[HighWatermark],
    stops: Stops,
) -> DeposedLeader | None:
    led = list(leads)
    ended = [ts for ts in stops.get(epoch.leader_id, ()) if not less(ts, epoch.start_ts)]
    acts = [mark for mark in led if mark.ts > then.start_ts and _led_in_this_life(mark, led, then.start_ts, ended)]
    follows = [mark for mark in learns if mark.leader_epoch > epoch.leader_epoch and mark.ts > then.start_ts]
    last_led_ts, learnt_ts = greatest(*(mark.ts for mark in acts)), least(*(mark.ts for mark in follows))
    stopped = learnt_ts is None or _stopped(stops.get(epoch.leader_id, ()), epoch.start_ts, learnt_ts)
    if last_led_ts is None and stopped:
        return None
    return DeposedLeader(
        topic=epoch.topic,
        partition=epoch.partition,
        broker_id=epoch.leader_id,
        leader_epoch=epoch.leader_epoch,
        deposed_ts=then.start_ts,
        last_led_ts=last_led_ts,
        learnt_ts=learnt_ts,
        believed_ms=millis(first_known(learnt_ts, last_led_ts), then.start_ts),
        evidence=earliest((mark.ts, mark.evidence[0]) for mark in (*acts, *follows) if mark.evidence),
    )


def _led_in_this_life(
    act: HighWatermark, led: Iterable[HighWatermark], deposed_ts: datetime, ended: Sequence[datetime]
) -> bool:
    """Whether the process that acts as the leader was it before another was elected. One that starts afterwards only reads
    the old metadata again, and serves nobody yet (facts §8, trap 16).
    """
    last_end_ts = max((ts for ts in ended if ts <= act.ts), default=None)
    return last_end_ts is None or any(last_end_ts < mark.ts <= deposed_ts for mark in led)


def _stopped(stops: Sequence[datetime], since: datetime | None, until: datetime) -> bool:
    """Whether a broker's process ended in a time, both ends included."""
    if since is None:
        return False
    at = bisect_left(stops, since)
    return at < len(stops) and stops[at] <= until
