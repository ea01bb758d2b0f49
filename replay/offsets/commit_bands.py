"""How far a partition's records were committed: a band that contains the true high watermark at every moment.
No file stores the true high watermark. Every replica's own high watermark is a lower bound of it (T1); every later
log end of the leader and every clean successor's first log end is an upper bound (T2, T3). Between anchors there is a
band, never a line. Source: facts §1.3, §3.1, §4.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from replay.facts.groups import by_key
from replay.facts.order import at_most, less, nulls_first
from replay.facts.times import CLOCKS_DIFFER_MS, greatest, least, plus_millis, unix_millis
from replay.histories.partition import has_leader, is_unclean
from replay.offsets.high_watermarks import LOADING_MS
from replay.partitions.lives import TopicLives
from replay.partitions.state_reports import LATE_WITNESSES
from replay.tables.losses import OPEN_VERDICTS, Loss
from replay.tables.offsets import CommitBand, HighWatermark, PartitionLineage
from replay.tables.partitions import LeaderEpoch

_SHOW_A_LOG_END = ("isr_shrink", "follower_start", "log_rolled", "producer_snapshot_written", "leader_start")
_ROLES = ("leader_start", "follower_start")
_LOADED = ("partition_log_loaded", "log_load_completed")

Bound = tuple[int, Sequence[str]]  # an offset, and the events that carry it


def lineages(leader_epochs: Iterable[LeaderEpoch], ledger: Iterable[Loss]) -> Iterator[PartitionLineage]:
    """The leader epochs of one partition at which committed records may have been lost. Earlier bounds of the commit
    point end there.
    """
    boundaries: dict[tuple[str, int, int], set[tuple[int, datetime | None]]] = defaultdict(set)
    for epoch in leader_epochs:
        if is_unclean(epoch):
            boundaries[epoch.topic, epoch.life, epoch.partition].add((epoch.leader_epoch, epoch.start_ts))
    for loss in ledger:
        # S4 whatever was lost: a leader that was not, or not surely, in the ISR begins with what it knows.
        if loss.loss_class == "committed" and (loss.verdict in OPEN_VERDICTS or loss.scenario == "S4"):
            boundaries[loss.topic, loss.life, loss.partition].add((loss.leader_epoch, loss.ts))
    for (topic, life, partition), own in boundaries.items():
        in_order = sorted(own, key=lambda border: nulls_first(*border))
        yield PartitionLineage(
            topic=topic,
            life=life,
            partition=partition,
            boundaries=[{"leader_epoch": leader_epoch, "ts": ts} for leader_epoch, ts in in_order],
        )


@dataclass(frozen=True)
class _Borders:
    """The leader epochs of one topic's partition at which a new history may begin."""

    boundaries: Sequence[tuple[int, datetime | None]] = field(default_factory=list)

    def lineage(self, ts: datetime) -> int:
        """The number of these leader epochs that had begun at a time."""
        return sum(at_most(begun, ts) for _, begun in self.boundaries)

    def holds(self, leader_epoch: int) -> bool:
        return any(border == leader_epoch for border, _ in self.boundaries)


_ONE_HISTORY = _Borders()


@dataclass(slots=True)
class _Moment:
    """The highest lower bound and the lowest upper bound at one time."""

    low: Bound | None = None
    high: Bound | None = None


_Moments = dict[tuple[int, int], dict[datetime, _Moment]]  # by life and lineage


def commit_bands(
    high_watermarks: Sequence[HighWatermark],
    leader_epochs: Sequence[LeaderEpoch],
    lineages: Iterable[PartitionLineage],
    lives: TopicLives,
) -> list[CommitBand]:
    """The bands of one partition, end to end, from the first lower bound on. Omits an upper bound below an offset that
    was already committed: that is a contradiction, which the invariants and the loss ledger report.
    """
    boundaries = {
        one.life: _Borders([(border["leader_epoch"], border["ts"]) for border in one.boundaries]) for one in lineages
    }
    moments: _Moments = defaultdict(lambda: defaultdict(_Moment))
    for row in high_watermarks:
        if row.ts is not None:
            _add_lower_bound(row, lives.life(row.topic, row.ts), boundaries, moments)
    for life, ts, bound in _upper_bounds(high_watermarks, leader_epochs, boundaries, lives):
        moment = moments[life, boundaries.get(life, _ONE_HISTORY).lineage(ts)][ts]
        moment.high = bound if moment.high is None else min(moment.high, bound)
    bands = [band for _, of_lineage in sorted(moments.items()) for band in _laid(of_lineage)]
    if not high_watermarks:
        return []
    first = high_watermarks[0]
    return [
        CommitBand(
            topic=first.topic,
            partition=first.partition,
            start_ts=ts,
            end_ts=None if then is None else then[0],
            committed_low=low[0],
            committed_high=None if high is None else high[0],
            low_evidence=low[1],
            high_evidence=[] if high is None else high[1],
        )
        for (ts, low, high), then in _with_next(bands)
    ]


_Band = tuple[datetime, Bound, Bound | None]


def _with_next(bands: Sequence[_Band]) -> Iterator[tuple[_Band, _Band | None]]:
    for band, then in pairwise([*bands, None]):
        if band is not None:
            yield band, then


def _add_lower_bound(row: HighWatermark, life: int, boundaries: Mapping[int, _Borders], moments: _Moments) -> None:
    """Adds a lower bound: from this time on the commit point is at least a replica's high watermark. After an unclean
    election only the leaders of the new lineage count, because a returning replica still prints offsets of the old one.
    """
    low = greatest(row.high_watermark, row.log_start_offset, row.leader_high_watermark)
    if low is None:
        return
    own = boundaries.get(life, _ONE_HISTORY)
    lineage = own.lineage(row.ts)
    if lineage and not (row.role == "leader" and at_most(own.boundaries[lineage - 1][0], row.leader_epoch)):
        return
    moment, bound = moments[life, lineage][row.ts], (low, row.evidence)
    moment.low = bound if moment.low is None else max(moment.low, bound)


def _laid(moments: Mapping[datetime, _Moment]) -> list[_Band]:
    """The bands of one lineage: at each time the highest lower bound so far and the lowest upper bound from then on."""
    in_time = sorted(moments.items(), key=lambda moment: moment[0])
    low: Bound | None = None
    lows, highs = [], []
    for _, moment in in_time:
        low = moment.low if low is None else low if moment.low is None else max(low, moment.low)
        lows.append(low)
        holds = moment.high is not None and moment.high[0] >= (0 if low is None else low[0])
        highs.append(moment.high if holds else None)
    bands: list[_Band] = []
    high: Bound | None = None
    for (ts, _), own_low, own_high in zip(reversed(in_time), reversed(lows), reversed(highs), strict=True):
        if own_low is not None:
            bands.append((ts, own_low, high))
        if own_high is not None:
            high = own_high if high is None else min(high, own_high)
    bands.reverse()
    return [band for was, band in pairwise([None, *bands]) if band is not None and _offsets(was) != _offsets(band)]


def _offsets(band: _Band | None) -> tuple[int, int | None] | None:
    return None if band is None else (band[1][0], None if band[2] is None else band[2][0])


# Upper bounds.


@dataclass(frozen=True, slots=True)
class _Tenure:
    """A leader epoch with a leader.
    - `end_ts`: when it ended if that is certain; otherwise when it began.
    - `was_away`: its leader had led before, and another leader epoch came in between.
    - `then_start`: the offset at which the next leader began.
    """

    epoch: LeaderEpoch
    end_ts: datetime | None
    was_away: bool
    then_start: int | None


def _upper_bounds(
    high_watermarks: Sequence[HighWatermark],
    leader_epochs: Iterable[LeaderEpoch],
    boundaries: Mapping[int, _Borders],
    lives: TopicLives,
) -> Iterator[tuple[int, datetime, Bound]]:
    """Times until which the commit point is at most an offset, with the topic's life. A leader's log end bounds the
    commit point for the time before it in its tenure. A clean successor's first log end bounds it for all time before.
    If the leader epoch after a tenure is unknown, or only brokers that may have been frozen report it, only the start
    of the tenure is known. Ignores three kinds of log ends. First, that of a leader that was away and leads again,
    because it began with what its disk still held (facts §3.3, S5, S6). Second, one that shows that the disk lost
    records: recovery truncated the log there, or another leader continues from a higher offset. Third, one that a
    leader prints after it loaded its log again: if the host lost power, the log may have come back shorter without a
    line of recovery.
    """
    by_life = by_key(leader_epochs, lambda epoch: epoch.life)
    if not by_life:
        return
    ends = _log_ends(high_watermarks, lives)
    loads: dict[int, list[datetime]] = defaultdict(list)
    for row in high_watermarks:
        if row.source in _LOADED and row.ts is not None:
            loads[row.node_id].append(row.ts)
    for life, own in by_life.items():
        tenures = _tenures(sorted(own, key=lambda epoch: epoch.leader_epoch))
        # Where a new history begins says nothing of the one given up.
        for tenure in tenures:
            if _is_clean_successor(tenure) and not boundaries.get(life, _ONE_HISTORY).holds(tenure.epoch.leader_epoch):
                start: int = tenure.epoch.epoch_start_offset
                yield life, tenure.epoch.leader_ts, (start, (tenure.epoch.evidence or [])[:2])
        for ts, bound in _of_leaders(tenures, ends.get(life, {}), loads):
            yield life, ts, bound


def _tenures(epochs: Sequence[LeaderEpoch]) -> list[_Tenure]:
    tenures: list[_Tenure] = []
    then: LeaderEpoch | None = None
    led = [epoch for epoch in epochs if has_leader(epoch)]
    for before, epoch in reversed(list(zip([None, *led], led, strict=False))):
        was_away = (
            before is not None and before.leader_id == epoch.leader_id and before.leader_epoch < epoch.leader_epoch - 1
        )
        is_known = epoch.next_leader_epoch in (None, epoch.leader_epoch + 1)
        end_is_sure = is_known and epoch.next_witness not in LATE_WITNESSES
        tenures.append(
            _Tenure(
                epoch,
                epoch.end_ts if end_is_sure else epoch.start_ts,
                was_away,
                None if then is None else then.epoch_start_offset,
            )
        )
        then = epoch
    return tenures[::-1]


def _is_clean_successor(tenure: _Tenure) -> bool:
    """Whether the first log end of this tenure bounds all time before it, as that of each clean successor does (T3)."""
    epoch = tenure.epoch
    is_logged = epoch.epoch_start_offset is not None and epoch.leader_ts is not None
    return is_logged and not tenure.was_away and not is_unclean(epoch)


_LogEnds = Mapping[int, Sequence[tuple[HighWatermark, bool]]]  # by broker, with whether recovery cut the log


def _log_ends(high_watermarks: Iterable[HighWatermark], lives: TopicLives) -> Mapping[int, _LogEnds]:
    """The log ends that replicas print, by the topic's life and by broker."""
    of_node: dict[int, list[HighWatermark]] = defaultdict(list)
    for row in high_watermarks:
        if row.ts is not None and (row.source in _SHOW_A_LOG_END or row.source == "log_recovery_truncated"):
            of_node[row.node_id].append(row)
    ends: dict[int, dict[int, list[tuple[HighWatermark, bool]]]] = defaultdict(lambda: defaultdict(list))
    for node_id, own in of_node.items():
        cuts = sorted(row.ts for row in own if row.source == "log_recovery_truncated")
        roles = sorted(row.ts for row in own if row.source in _ROLES)
        for row in own:
            if row.log_end_offset is not None and row.source in _SHOW_A_LOG_END:
                ends[lives.life(row.topic, row.ts)][node_id].append((row, _is_cut_by_recovery(row.ts, cuts, roles)))
    return ends


def _is_cut_by_recovery(ts: datetime, cuts: Sequence[datetime], roles: Sequence[datetime]) -> bool:
    """Whether a log end is what recovery left of a damaged log: its broker truncated it at its start and has taken no
    role since. The earlier end of such a log is unknown (facts §5, F24).
    """
    now = unix_millis(ts)
    cut = bisect_right(cuts, now + LOADING_MS, key=unix_millis)
    role = bisect_right(roles, now - 1, key=unix_millis)
    return cut > 0 and (role == 0 or cuts[cut - 1] > roles[role - 1])


def _of_leaders(
    tenures: Iterable[_Tenure], ends: _LogEnds, loads: Mapping[int, Sequence[datetime]]
) -> Iterator[tuple[datetime, Bound]]:
    """The upper bounds from leaders: a leader's log end bounds the commit point for the time before it in its tenure
    (T2).
    """
    latest: dict[tuple[int, datetime, str], tuple[_Tenure, HighWatermark]] = {}
    for tenure in tenures:
        for row in _ends_of(tenure, ends.get(tenure.epoch.leader_id, ()), loads.get(tenure.epoch.leader_id, ())):
            key = row.node_id, row.ts, row.source
            known = latest.get(key)
            if known is None or _nearer(tenure, row) > _nearer(*known):
                latest[key] = tenure, row
    for tenure, row in latest.values():
        yield least(row.ts, tenure.end_ts) or row.ts, (row.log_end_offset, row.evidence)


def _nearer(tenure: _Tenure, row: HighWatermark) -> tuple[int, int]:
    """The order of bounds: the later of two tenures; of two lines in one tenure the tighter one."""
    return tenure.epoch.leader_epoch, -row.log_end_offset


def _ends_of(
    tenure: _Tenure, ends: Iterable[tuple[HighWatermark, bool]], loads: Sequence[datetime]
) -> Iterator[HighWatermark]:
    """The log ends that the leader prints in its leader epoch until it loads its log again, and the one with which it
    first follows a later leader epoch. After that its log is a different one.
    """
    epoch, follows = tenure.epoch, []
    created_by = plus_millis(greatest(epoch.start_ts, epoch.leader_ts), CLOCKS_DIFFER_MS)  # a new log is loaded, too
    loaded_ts = min((ts for ts in loads if less(created_by, ts)), default=None)
    for row, is_cut in ends:
        if not at_most(epoch.start_ts, row.ts):
            continue
        if row.source == "follower_start":
            if less(epoch.leader_epoch, row.leader_epoch):
                follows.append((row, is_cut))
        elif row.leader_epoch == epoch.leader_epoch and not is_cut and not less(loaded_ts, row.ts):
            yield row
    first_ts = min((row.ts for row, _ in follows), default=None)
    for row, is_cut in follows:
        if row.ts == first_ts and not is_cut and not less(row.log_end_offset, tenure.then_start):
            yield row
