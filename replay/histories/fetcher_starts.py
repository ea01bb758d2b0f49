"""Truncations of releases up to 2.7, whose lines name neither the leader epoch nor where the log ended before: the line
about the fetcher that a broker started just before shows both up to 1.0, and from 1.1 on the leader epoch and the high
watermark. Before, the high watermark is that with which the broker loaded the log, if it loaded it for this fetcher.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from replay.facts.evidence import joined
from replay.facts.order import less
from replay.facts.times import first_known
from replay.histories.cluster import Cluster
from replay.histories.partition import by_life
from replay.offsets.fetcher_starts import shows_high_watermark
from replay.offsets.high_watermarks import LOADING_MS, NOTHING_TO_CUT
from replay.tables.offsets import FetcherStart, Truncation
from replay.tables.partitions import LeaderEpoch, RoleLine
from replay.tables.reading import Event

_ASKED = "broker_leader_and_isr_received"
_LOADED = "partition_log_loaded"
_SOON = timedelta(seconds=60)  # a follower asks its leader where to truncate as soon as it begins to fetch


def after_fetcher_starts(
    cuts: Sequence[Truncation],
    partition_events: Iterable[Event],
    role_lines: Sequence[RoleLine],
    leader_epochs: Sequence[LeaderEpoch],
    fetcher_starts: Sequence[FetcherStart],
    cluster: Cluster,
) -> list[Truncation]:
    """The truncations of a partition's logs, those just after a fetcher's start with the leader epoch that the broker
    then followed, and with its log end.
    """
    dated = [one for one in partition_events if one.ts is not None]
    others = [one for one in dated if one.kind in (NOTHING_TO_CUT, "leader_start")]
    loads = [one for one in dated if one.kind == _LOADED and one.high_watermark is not None]
    found: list[Truncation] = []
    for _, own in by_life(
        cluster.lives,
        cuts=cuts,
        others=others,
        loads=loads,
        roles=role_lines,
        epochs=leader_epochs,
        starts=fetcher_starts,
    ):
        starts = _by_node(own["starts"])
        lines = _by_node([*own["cuts"], *own["others"]])
        begun = _by_node([*own["others"], *own["starts"]])
        loaded = _by_node(own["loads"])
        asked = _by_node([role for role in own["roles"] if role.kind == _ASKED])
        leaders = {row.leader_epoch: row.leader_id for row in own["epochs"]}
        for cut in own["cuts"]:
            start = _just_before(cut, starts[cut.node_id], lines[cut.node_id], cluster)
            if start is not None:
                cut = _explained_by(cut, start, asked[cut.node_id], leaders, cluster)
                cut = _loaded_for(cut, start, loaded[cut.node_id], begun[cut.node_id], cluster)
            found.append(cut)
    return found


def _by_node(rows: Iterable[Any]) -> Mapping[int, list[Any]]:
    """The rows of each node in their order of time."""
    nodes: dict[int, list[Any]] = defaultdict(list)
    for row in sorted(rows, key=_ts_of):
        nodes[row.node_id].append(row)
    return nodes


def _ts_of(row: Any) -> datetime:
    ts: datetime = row.ts
    return ts


def _just_before(
    cut: Truncation, starts: Sequence[FetcherStart], lines: Sequence[Truncation | Event], cluster: Cluster
) -> FetcherStart | None:
    """The fetcher's start after which a truncation is the first line about the log: later its log has grown."""
    at = bisect_right(starts, cut.ts, key=_ts_of)
    if cut.by_recovery or at == 0 or cut.ts - starts[at - 1].ts >= _SOON:
        return None
    start = starts[at - 1]
    since = bisect_right(lines, cut.ts, key=_ts_of) - bisect_left(lines, start.ts, key=_ts_of)
    is_one_life = cluster.last_restart(cut.node_id, start.ts) == cluster.last_restart(cut.node_id, cut.ts)
    return start if since == 1 and is_one_life else None


def _explained_by(
    cut: Truncation,
    start: FetcherStart,
    asked: Sequence[RoleLine],
    leaders: Mapping[int, int | None],
    cluster: Cluster,
) -> Truncation:
    leader_epoch, end, high_watermark = cut.leader_epoch, cut.log_end_offset, cut.high_watermark
    if leader_epoch is None:
        leader_epoch = first_known(start.leader_epoch, _followed_epoch(start, asked, leaders))
    if end is None and _names_log_end(start, cluster) and less(cut.truncation_offset, start.initial_offset):
        end = start.initial_offset
    if high_watermark is None and shows_high_watermark(start, cluster):
        high_watermark = start.initial_offset
    if (leader_epoch, end, high_watermark) == (cut.leader_epoch, cut.log_end_offset, cut.high_watermark):
        return cut
    return cut.but(
        leader_epoch=leader_epoch,
        log_end_offset=end,
        high_watermark=high_watermark,
        evidence=joined(cut.evidence, [start.event_id]),
    )


def _loaded_for(
    cut: Truncation,
    start: FetcherStart,
    loaded: Sequence[Event],
    begun: Sequence[Event | FetcherStart],
    cluster: Cluster,
) -> Truncation:
    """The truncation with the high watermark of a log that the broker loaded for this fetcher: it has neither led nor
    fetched since. Of the lines of one loading, only the largest is the broker's own (facts §4).
    """
    before = bisect_left(begun, start.ts, key=_ts_of)
    since_ts = start.ts - timedelta(milliseconds=LOADING_MS)
    life = cluster.last_restart(cut.node_id, cut.ts)
    own = [
        line
        for line in loaded
        if since_ts <= line.ts <= start.ts
        and (before == 0 or _ts_of(begun[before - 1]) < line.ts)
        and cluster.last_restart(cut.node_id, line.ts) == life
    ]
    if cut.high_watermark is not None or not own:
        return cut
    largest = max(own, key=lambda line: int(line.high_watermark))
    return cut.but(high_watermark=largest.high_watermark, evidence=joined(cut.evidence, [largest.event_id]))


def _names_log_end(start: FetcherStart, cluster: Cluster) -> bool:
    """Whether the broker's release certainly prints its log end as the initial offset (facts §4)."""
    broker = cluster.broker(start.node_id)
    return broker.runs_since("0.11.0") and broker.runs_before("1.1.0")


def _followed_epoch(start: FetcherStart, asked: Sequence[RoleLine], leaders: Mapping[int, int | None]) -> int | None:
    """The leader epoch that a controller last sent to the broker, if its leader is the one from which it fetches."""
    before = bisect_right(asked, start.ts, key=_ts_of)
    if before == 0:
        return None
    last: int = asked[before - 1].leader_epoch
    return last if leaders.get(last) == start.leader_id else None
