"""Truncations of replicas' logs: to which offset, from which log end, and in which leader epoch.
Source: facts §1.5, §3.5.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from replay.facts.evidence import joined
from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, unix_millis
from replay.offsets.high_watermarks import OF_EVERY_REPLICA
from replay.offsets.own_lines import by_broker
from replay.partitions.fetchers import FETCHES
from replay.tables.offsets import Truncation
from replay.tables.partitions import RoleLine
from replay.tables.reading import Event

_BY_RECOVERY = "log_recovery_truncated"
_CUTS = ("log_truncated_to", "truncation_below_hw", _BY_RECOVERY, "log_truncated_fully")
# Exact log end offsets just before a follower cuts its log (facts §4).
_STATE_END = ("follower_start", "log_load_completed")
_BY_FETCHER = ("truncation_to_hw", "truncation_below_hw")  # others state it before they begin to fetch
_STATE_HIGH_WATERMARK = ("follower_start", *_BY_FETCHER)
_AFTER_LOAD = ("partition_log_loaded", "follower_start")  # they state the checkpointed high watermark after a start
_KINDS = {*_CUTS, *_STATE_END, *_STATE_HIGH_WATERMARK, *_AFTER_LOAD, "leader_start"}
_FRESH_MS = 60_000  # a replica states where its log ends as it begins to follow, and cuts it soon after
_ONE_CUT_MS = 1_000  # several lines of one cut are printed within this


def log_cuts(partition_events: Iterable[Event], role_lines: Iterable[RoleLine]) -> Iterator[Truncation]:
    """Every real truncation in one partition. Kafka prints another message if there is nothing to truncate; such lines
    are omitted. A replica's lines alone do not show which leader it followed, or whether it truncated where both logs
    diverge (`replay.histories.truncations`). The log end offset before the truncation is known only from a line of the
    same minute with an offset not below the truncation. Ignores lines from before the replica last led, or before it
    fetched from the leader that it followed before.
    """
    fetches: dict[int | None, list[RoleLine]] = defaultdict(list)
    for role in role_lines:
        if role.kind == FETCHES:
            fetches[role.node_id].append(role)
    for node_id, lines in by_broker(partition_events, _KINDS).items():
        if any(line.kind in _CUTS for line in lines):
            in_time = sorted(fetches[node_id], key=lambda role: (role.ts, role.leader_epoch))
            in_order = [line for line in lines if line.ts is not None]
            yield from (_with_checkpoint(cut, in_order) for cut in _of_replica(in_order, in_time))


def _of_replica(lines: Iterable[Event], fetches: Sequence[RoleLine]) -> Iterator[Truncation]:
    end: Event | None = None
    high_watermark: Event | None = None
    led: Event | None = None
    cut: Event | None = None
    followed: Event | None = None
    for line in lines:
        if line.kind in _CUTS:
            if line.truncation_offset is not None and not _is_of_cut(line, cut):
                leader_epoch = _followed_epoch(line, followed, fetches)
                yield _cut(
                    line, leader_epoch, _fresh(end, line, led, fetches), _fresh(high_watermark, line, led, fetches)
                )
            cut = line
        if line.kind in _STATE_END:
            end = line
        if line.kind in _STATE_HIGH_WATERMARK or _states_own(line):
            high_watermark = line
        if line.kind == "follower_start" and line.leader_epoch is not None:
            followed = line
        if line.kind == "leader_start":
            led = line


def _states_own(line: Event) -> bool:
    """Whether a broker states the high watermark with which it loaded its own replica; up to 2.3 it prints those of others, too."""
    return line.kind == "partition_log_loaded" and line.template_id != OF_EVERY_REPLICA


def _with_checkpoint(cut: Truncation, lines: Iterable[Event]) -> Truncation:
    """The truncation by a recovery, with the high watermark that the broker had written to its checkpoint before it stopped. It
    states that after the load.
    """
    if not cut.by_recovery:
        return cut
    loaded = (line.high_watermark for line in lines if line.kind in _AFTER_LOAD and less(cut.ts, line.ts))
    checkpointed = next((value for value in loaded if value is not None), None)
    if not at_most(checkpointed, cut.truncation_offset):
        return cut
    return cut.but(high_watermark=greatest(cut.high_watermark, checkpointed))


def _followed_epoch(line: Event, followed: Event | None, fetches: Sequence[RoleLine]) -> int | None:
    """The leader epoch in which the replica last began to follow, or to fetch."""
    before = bisect_right(fetches, line.ts, key=_ts_of)
    fetch = fetches[before - 1] if before else None
    if followed is None or (fetch is not None and fetch.ts > followed.ts):
        return None if fetch is None else fetch.leader_epoch
    leader_epoch: int = followed.leader_epoch
    return leader_epoch


def _ts_of(role: RoleLine) -> datetime:
    ts: datetime = role.ts
    return ts


def _is_of_cut(line: Event, cut: Event | None) -> bool:
    """Whether the line belongs to the truncation that an earlier line shows."""
    if cut is None or cut.truncation_offset != line.truncation_offset:
        return False
    return unix_millis(line.ts) - unix_millis(cut.ts) < _ONE_CUT_MS


def _fresh(stated: Event | None, line: Event, led: Event | None, fetches: Sequence[RoleLine]) -> Event | None:
    """A line of the replica shortly before `line`, after it last led and after it last fetched."""
    if stated is None or unix_millis(line.ts) - unix_millis(stated.ts) >= _FRESH_MS:
        return None
    begun = bisect_right(fetches, line.ts, key=_ts_of) - bisect_right(fetches, stated.ts, key=_ts_of)
    has_fetched = begun > (0 if stated.kind in _BY_FETCHER else 1)
    return None if has_fetched or (led is not None and less(stated.ts, led.ts)) else stated


def _cut(line: Event, leader_epoch: int | None, end: Event | None, high_watermark: Event | None) -> Truncation:
    before = end if end is not None and at_most(line.truncation_offset, end.log_end_offset) else None
    return Truncation(
        topic=line.topic,
        partition=line.partition,
        node_id=line.node_id,
        ts=line.ts,
        leader_epoch=None if line.kind == _BY_RECOVERY else leader_epoch,
        log_end_offset=None if before is None else before.log_end_offset,
        truncation_offset=line.truncation_offset,
        high_watermark=first_known(
            line.high_watermark, None if high_watermark is None else high_watermark.high_watermark
        ),
        by_recovery=line.kind == _BY_RECOVERY,
        evidence=joined([line.event_id], None if before is None else [before.event_id]),
    )
