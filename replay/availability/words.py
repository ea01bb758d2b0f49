"""Brokers' lines about single partitions that show whether these accepted writes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from operator import attrgetter

from replay.facts.times import first_known
from replay.tables.availability import BrokerStatement
from replay.tables.causes import RefusedWrite
from replay.tables.reading import Event

REFUSES = "writes_refused"
SHRINKS = "isr_shrink"  # logged before the change is committed
LEADERS_LINES = ("leader_start", "leader_transition_skipped", "isr_updated")
ROLES_TAKEN = ("leader_start", "follower_start")
BECOMES_FOLLOWER = ("broker_become_follower_fetcher_started", "broker_become_follower_done")  # at TRACE
CUTS_BY_EPOCH = "truncation_by_epoch"
FETCHER_CUTS = ("truncation_to_hw", CUTS_BY_EPOCH, "truncation_not_needed")  # logged by a fetcher before it fetches
LOG_CUTS = ("log_truncated_to", "log_truncation_noop")  # logged by a replica's log before its fetcher fetches
FOLLOWS = ("follower_start", *BECOMES_FOLLOWER, *FETCHER_CUTS)
BACKS_OFF = (  # a follower knows a newer leader epoch than its leader, or got no response about where to truncate
    "fetch_fenced_epoch_stale_leader_view",
    "epoch_request_retry",
)
FENCED = "fetch_fenced_epoch"  # the leader has started a leader epoch that the follower does not know yet
LEADER_BEGUN = "broker_become_leader_done"  # at TRACE, up to 2.5
FIRST_RECORD = "epoch_cache_assigned"  # up to 2.0.0 a leader logs it with the first record of a leader epoch
METADATA_CACHED = "broker_metadata_cached"  # at TRACE, up to 2.5
LOG_DELETED = "log_deleted"  # the broker is no replica any more, or the topic was deleted
_ONCE = (FIRST_RECORD, METADATA_CACHED)  # only the first line of each broker and leader epoch matters
KINDS = frozenset(
    (*LEADERS_LINES, *ROLES_TAKEN, *FOLLOWS, *BACKS_OFF, FENCED, SHRINKS, LEADER_BEGUN, *LOG_CUTS, LOG_DELETED, *_ONCE)
)


def brokers_words(partition_events: Iterable[Event], refused_writes: Iterable[RefusedWrite]) -> list[BrokerStatement]:
    """The lines, in time order, in which brokers begin to lead or follow one partition, log its ISR, its first
    record or its metadata, or delay their next fetch, and their first rejections of acks=all.
    """
    lines = [
        BrokerStatement(
            topic=event.topic,
            partition=event.partition,
            node_id=event.node_id,
            kind=event.kind,
            ts=event.ts,
            leader_id=event.leader_id,
            leader_epoch=event.leader_epoch,
            isr=event.isr,
            high_watermark=event.high_watermark,
            log_end_offset=first_known(event.log_end_offset, event.epoch_start_offset),
            event_id=event.event_id,
        )
        for event in partition_events
        if event.kind in KINDS and event.ts is not None
    ]
    refusals = [
        BrokerStatement(
            topic=refused.topic, partition=refused.partition, node_id=refused.node_id, kind=REFUSES, ts=refused.ts
        )
        for refused in refused_writes
        if refused.ts is not None
    ]
    return sorted((*_first_of_each(lines), *refusals), key=_time)


_time = attrgetter("ts")


def since(
    words: Sequence[BrokerStatement], ts: datetime, until_ts: datetime | None = None
) -> Iterator[BrokerStatement]:
    """The lines from `ts` to `until_ts`, both inclusive; the lines must be in time order."""
    end = None if until_ts is None else bisect_right(words, until_ts, key=_time)
    return islice(words, bisect_left(words, ts, key=_time), end)


def _first_of_each(lines: Sequence[BrokerStatement]) -> Iterator[BrokerStatement]:
    """The lines. Of kinds that count only once, the first line of each broker and leader epoch."""
    first: dict[tuple[str, int, int | None], BrokerStatement] = {}
    for line in lines:
        if line.kind not in _ONCE:
            yield line
            continue
        key = line.kind, line.node_id, line.leader_epoch
        if key not in first or line.ts < first[key].ts:
            first[key] = line
    yield from first.values()
