"""Derives tenures from the leader epochs of one partition: from when to when each leader led, as clients see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from replay.availability.words import LEADER_BEGUN, since
from replay.facts.groups import by_key
from replay.facts.times import CLOCKS_AT_MOST_MS
from replay.tables.availability import BrokerStatement, Tenure
from replay.tables.partitions import LeaderEpoch

TAKES_UP_MS = 5_000  # a broker leads a new partition this long after its creation, even if no line shows it
_TAKES_UP = ("leader_start", LEADER_BEGUN)


def in_time(leader_epochs: Iterable[LeaderEpoch]) -> list[LeaderEpoch]:
    """One partition's leader epochs, those of a deleted topic before those of its successor."""
    return sorted(leader_epochs, key=lambda row: (row.start_ts, row.leader_epoch))


def tenures(leader_epochs: Sequence[LeaderEpoch], words: Sequence[BrokerStatement]) -> list[Tenure]:
    """When each leader took up its leader epoch and when the next leader did, in time order. Rows of `TENURES`.

    A leader that stays keeps its tenure while its leader epoch changes. If no line shows that a leader took up the
    partition, it is assumed to have done so when it was elected. No tenure lasts longer than its topic. Before leader
    epochs that no line names, the replica that may have led has a tenure.
    """
    return [made for epochs in _lives(leader_epochs) for made in _of_life(epochs, words)]


def lifetimes(
    leader_epochs: Iterable[LeaderEpoch], words: Sequence[BrokerStatement]
) -> list[tuple[datetime, datetime | None]]:
    """From when to when clients could use a partition, once for each life of its topic; None while the topic exists.

    The controller's line of a new partition does not show that a broker leads it: clients get
    UNKNOWN_TOPIC_OR_PARTITION or NOT_LEADER until the leader has applied the decision. A partition that existed before
    the logs begin was led before its first line.
    """
    return [(_led_from(epochs, words), epochs[-1].end_ts) for epochs in _lives(leader_epochs)]


def _lives(leader_epochs: Iterable[LeaderEpoch]) -> Iterable[list[LeaderEpoch]]:
    return by_key(in_time(leader_epochs), lambda epoch: epoch.life).values()


def _led_from(epochs: Sequence[LeaderEpoch], words: Sequence[BrokerStatement]) -> datetime:
    """When the first leader of a life had taken up the partition."""
    first = epochs[0]
    start_ts: datetime = first.start_ts
    if first.reason != "created" or first.confidence != "observed":
        return start_ts
    taken = (word.ts for word in since(words, start_ts, epochs[-1].end_ts) if word.kind in _TAKES_UP)
    latest_ts = start_ts + timedelta(milliseconds=TAKES_UP_MS)
    return max(_first_start(first, words) or min(next(taken, latest_ts), latest_ts), start_ts)


def _of_life(epochs: Sequence[LeaderEpoch], words: Sequence[BrokerStatement]) -> list[Tenure]:
    """The tenures in one life of the topic."""
    topic_end_ts = epochs[-1].end_ts  # None while the topic exists
    serving: list[tuple[LeaderEpoch, datetime | None, int | None]] = []
    last_leader_id: int | None = None
    before: LeaderEpoch | None = None
    for epoch in epochs:
        serves_ts = _serves_ts(epoch, before, words)
        serving.append((epoch, serves_ts, last_leader_id))
        last_leader_id = epoch.leader_id if epoch.leader_id >= 0 else last_leader_id
        before = epoch
        if epoch.may_lead_next is not None:
            may_lead = epoch.but(
                leader_epoch=epoch.leader_epoch + 1, leader_id=epoch.may_lead_next, start_ts=epoch.end_ts, end_ts=None
            )
            serving.append((may_lead, epoch.end_ts, None))
            last_leader_id, before = None, None
    made = []
    next_serves_ts = next_start_ts = None
    for epoch, serves_ts, last_leader_id in reversed(serving):
        made.append(
            Tenure(
                topic=epoch.topic,
                partition=epoch.partition,
                leader_epoch=epoch.leader_epoch,
                leader_id=epoch.leader_id,
                last_leader_id=last_leader_id,
                start_ts=epoch.start_ts,
                serves_ts=serves_ts,
                next_start_ts=next_start_ts,
                until_ts=next_serves_ts or topic_end_ts,
                evidence=epoch.evidence,
            )
        )
        next_serves_ts = serves_ts or next_serves_ts
        next_start_ts = epoch.start_ts
    return made[::-1]


def _serves_ts(epoch: LeaderEpoch, before: LeaderEpoch | None, words: Sequence[BrokerStatement]) -> datetime | None:
    """When the leader of an epoch took up the partition; None if there is no leader."""
    if epoch.leader_id < 0:
        return None
    start_ts: datetime = epoch.start_ts
    if before is not None and before.leader_id == epoch.leader_id:
        return start_ts  # the leader stays
    return max(_first_start(epoch, words) or start_ts, start_ts)


def _first_start(epoch: LeaderEpoch, words: Sequence[BrokerStatement]) -> datetime | None:
    """The time of the first line in which a leader takes up its leader epoch."""
    earliest_ts: datetime = epoch.start_ts - timedelta(milliseconds=CLOCKS_AT_MOST_MS)
    own = (
        word.ts
        for word in since(words, earliest_ts, epoch.end_ts)
        if word.kind == "leader_start" and (word.leader_epoch, word.node_id) == (epoch.leader_epoch, epoch.leader_id)
    )
    return next(own, None)
