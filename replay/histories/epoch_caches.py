"""The leader epochs in each replica's log, with their start offsets.

A replica's leader-epoch cache (the file `leader-epoch-checkpoint`) is rebuilt from the entries that it gets and loses:
leader epochs that the replica begins, leader epochs of copied records, truncations, and copies of the file itself. What
an entry does to earlier ones depends on the release (`LeaderEpochFileCache.assign`); a file outranks every rule.
Source: facts §1.4, §1.5.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, islice
from operator import attrgetter, itemgetter
from types import MappingProxyType

from replay.facts.evidence import AT_MOST
from replay.facts.groups import by_key
from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, known, least, millis
from replay.histories.cluster import Cluster
from replay.histories.epoch_arrivals import BEGUN_WITHIN_MS, LOADS, Held, arrivals, beginnings
from replay.histories.lineages import Lineage
from replay.histories.marks import ENDS
from replay.histories.partition import Partition, partitions
from replay.offsets.epoch_lines import LOADED, STARTED, TRUNCATED, checkpoint_files
from replay.offsets.follower_rules import AS_IT_BEGINS, BY_HIGH_WATERMARK, WITH_FIRST_RECORD
from replay.tables.offsets import EpochLine, FollowerRule, HighWatermark, LeaderEpochCache, ReplicaEpoch
from replay.tables.partitions import CommittedIsr, LeaderEpoch

METADATA_TOPIC = "__cluster_metadata"

_LOG_ENDS = (*ENDS, "isr_shrink", "log_truncation_noop")  # lines with the log end of a replica at their time

_JUST = timedelta(microseconds=1)

Rules = Mapping[int, FollowerRule]  # rows of `follower_rules` by node


@dataclass(slots=True)
class Entry:
    """A leader epoch in a replica's cache, from the begin of a leader (`leader`), the cache's own line (`cache`), a
    copied record (`append`) or the file (`file`).

    - `is_clipped`: its offset may be the log start (facts §8 trap 11).
    - `since`: the time from which it was there; None if unknown. `is_earliest`: the earliest possible time, because no
      line shows when it was there.
    """

    node_id: int
    leader_epoch: int
    epoch_start_offset: int
    ts: datetime | None
    told_by: str
    event_id: str | None
    is_clipped: bool = False
    since: datetime | None = None
    is_earliest: bool = False
    end_ts: datetime | None = None
    removed_by: str | None = None
    removal_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Loss:
    """The removal of entries at `at`: a truncation to an offset (-1: all), a log start, or a file that lacks them."""

    at: datetime
    by: str
    event_id: str | None = None
    cut_to: int | None = None
    log_start: int | None = None
    in_file: frozenset[int] | None = None

    def takes(self, entry: Entry, next_start: int | None) -> bool:
        """Whether an entry is removed, if the one after it starts at `next_start`."""
        if self.cut_to is not None and self.cut_to <= entry.epoch_start_offset:
            return True
        if self.log_start is not None and next_start is not None and self.log_start >= next_start:
            return True
        return self.in_file is not None and entry.leader_epoch not in self.in_file


def leader_epoch_caches(replica_epochs: Sequence[ReplicaEpoch]) -> Sequence[LeaderEpochCache]:
    """Every leader epoch in every cache of a partition's replicas, for all topics that had the name."""
    return replica_epochs


def replica_epochs(
    leader_epochs: Sequence[LeaderEpoch],
    committed_isrs: Sequence[CommittedIsr],
    high_watermarks: Sequence[HighWatermark],
    epoch_lines: Sequence[EpochLine],
    histories_cluster: Cluster,
) -> Iterator[ReplicaEpoch]:
    """Every leader epoch in every cache of a partition's replicas, for each topic that had the name."""
    for partition in partitions(
        histories_cluster.lives,
        leader_epochs=leader_epochs,
        isrs=committed_isrs,
        high_watermarks=high_watermarks,
        epoch_lines=epoch_lines,
    ):
        quorum_epochs = histories_cluster.quorum_epochs if partition.topic == METADATA_TOPIC else {}
        yield from epochs_held(partition, histories_cluster.follower_rules, quorum_epochs)


def epochs_held(
    partition: Partition, rules: Rules, quorum_epochs: Mapping[int, datetime] = MappingProxyType({})
) -> list[ReplicaEpoch]:
    """Every leader epoch in every cache of the replicas of one topic's partition.

    A follower has an entry only after a record of that leader epoch arrived (facts §1.4); nodes that truncate to the
    high watermark have none. `quorum_epochs`: for the metadata log, when the leader of each epoch was elected.
    """
    kept = [line for line in partition.epoch_lines if _keeps_leader_epochs(line.node_id, rules)]
    entries = by_key(_entries(kept, partition, rules), lambda entry: entry.node_id)
    losses = _losses(kept)
    began = {**quorum_epochs, **_began(partition)}
    ends = by_key((mark for mark in partition.high_watermarks if _is_end(mark)), lambda mark: mark.node_id)
    rows: list[ReplicaEpoch] = []
    for node_id, own in sorted(entries.items()):
        taken = [*losses[node_id], *_files(own)]
        _date(own, taken, began, _Ends.of(ends[node_id]))
        _in_order(own)
        equals_stay = _entry_rule(node_id, rules) == WITH_FIRST_RECORD
        _end(own, sorted(taken, key=lambda loss: loss.at), equals_stay)
        rows += _standing(own, partition)
    return rows


def lineage_at(caches: Iterable[ReplicaEpoch], node_id: int | None, ts: datetime) -> Lineage:
    """A replica's entries at a time, oldest first.

    Entries of files without a time count from the beginning, or from the last truncation that would have removed them.
    They were there at the end, and nothing shows that they arrived after a moment in the logs.
    """
    return sorted(
        {
            (row.leader_epoch, row.epoch_start_offset)
            for row in caches
            if row.node_id == node_id
            and (row.start_ts is None or row.start_ts <= ts)
            and (row.end_ts is None or row.end_ts > ts)
        }
    )


def _entry_rule(node_id: int, rules: Rules) -> str | None:
    return rules[node_id].entry_rule if node_id in rules else None


def _keeps_leader_epochs(node_id: int, rules: Rules) -> bool:
    """Whether a replica may keep leader epochs: its release is not known to keep none."""
    return node_id not in rules or rules[node_id].rule != BY_HIGH_WATERMARK


def _entries(lines: Sequence[EpochLine], partition: Partition, rules: Rules) -> Iterator[Entry]:
    """Every entry that a replica's cache got from lines, copied records and files."""
    begun = beginnings(lines, partition.leader_epochs)
    copied, led = arrivals(begun, partition.high_watermarks, partition.isrs)
    for line in begun:
        if _entry_rule(line.node_id, rules) == AS_IT_BEGINS:
            yield _entry(line, "leader")
    for line in lines:
        if line.kind == "epoch_cache_assigned" and line.epoch_start_offset is not None:
            yield _entry(line, "cache")
    for held in copied:
        if _keeps_leader_epochs(held.node_id, rules):
            yield _arrived(held)
    for held in led:
        if _keeps_leader_epochs(held.node_id, rules) and _entry_rule(held.node_id, rules) != AS_IT_BEGINS:
            yield _arrived(held)
    yield from _filed(lines)


def _entry(line: EpochLine, source: str, is_clipped: bool = False) -> Entry:
    return Entry(line.node_id, line.leader_epoch, line.epoch_start_offset, line.ts, source, line.event_id, is_clipped)


def _arrived(held: Held) -> Entry:
    return Entry(held.node_id, held.leader_epoch, held.epoch_start_offset, held.ts, "append", held.event_id)


def _filed(lines: Iterable[EpochLine]) -> Iterator[Entry]:
    """The entries of the files; the first of each file is clipped."""
    for file in checkpoint_files(lines):
        for nth, line in enumerate(file):
            yield _entry(line, "file", is_clipped=nth == 0)


def _losses(lines: Iterable[EpochLine]) -> dict[int, list[_Loss]]:
    """The truncations of each replica's log, at either end."""
    losses: dict[int, list[_Loss]] = defaultdict(list)
    for line in lines:
        if line.ts is None:
            continue
        own = losses[line.node_id]
        if line.kind in ("log_truncated_fully", "log_deleted"):
            by = "deleted" if line.kind == "log_deleted" else "truncated"
            own.append(_Loss(line.ts, by, line.event_id, cut_to=-1))
        elif line.kind in TRUNCATED:
            own.append(_Loss(line.ts, "truncated", line.event_id, cut_to=line.truncation_offset))
        elif line.kind == LOADED:
            # Before all that the broker logs of its role in the same millisecond.
            own.append(_Loss(line.ts - _JUST, "loaded", line.event_id, cut_to=line.truncation_offset))
        elif line.kind in STARTED:
            own.append(_Loss(line.ts, "log_start", line.event_id, log_start=line.log_start_offset))
    return losses


def _files(own: Iterable[Entry]) -> list[_Loss]:
    """The files with a known time: entries that they lack had been removed by then."""
    files = defaultdict(set)
    for entry in own:
        if entry.told_by == "file" and entry.ts is not None:
            files[entry.ts].add(entry.leader_epoch)
    return [_Loss(ts, "file", in_file=frozenset(epochs)) for ts, epochs in files.items()]


def _is_end(mark: HighWatermark) -> bool:
    return mark.source in _LOG_ENDS and mark.ts is not None and mark.log_end_offset is not None


@dataclass(frozen=True, slots=True)
class _Ends:
    """The log end offsets of one replica, the lowest first, each with the last time at which the log ended there or
    lower.
    """

    offsets: Sequence[int]
    times: Sequence[datetime]

    @classmethod
    def of(cls, marks: Iterable[HighWatermark]) -> _Ends:
        ends = sorted((mark.log_end_offset, mark.ts) for mark in marks)
        return cls([end for end, _ in ends], [*accumulate((ts for _, ts in ends), max)])

    def last_before(self, offset: int) -> datetime | None:
        """The last time at which the log ended below an offset: it held no record at or above it."""
        at = bisect_left(self.offsets, offset)
        return self.times[at - 1] if at else None


def _date(own: Sequence[Entry], taken: Iterable[_Loss], began: Mapping[int, datetime | None], ends: _Ends) -> None:
    """Sets `since`. For an entry that is also shown without a time, a line after its earliest possible arrival shows
    when it was there.
    """
    later_lines = defaultdict(list)
    for entry in own:
        if entry.ts is not None:
            later_lines[entry.leader_epoch, entry.epoch_start_offset].append(entry.ts)
    for entry in own:
        if entry.ts is not None:
            entry.since = entry.ts
            continue
        shorter_ts = None if entry.is_clipped else ends.last_before(entry.epoch_start_offset)
        after = greatest(_earliest(entry, taken, began.get(entry.leader_epoch)), shorter_ts)
        then = later_lines[entry.leader_epoch, entry.epoch_start_offset]
        shown = min((ts for ts in then if after is None or ts >= after), default=None)
        entry.since, entry.is_earliest = first_known(shown, after), shown is None and after is not None


def _began(partition: Partition) -> dict[int, datetime | None]:
    """When each dated leader epoch began: at its leader's line, if that follows the decision closely, or if the leader
    had not learned of the decision earlier.
    """
    late = _learned_late(partition)
    dated = [row for row in partition.leader_epochs if not row.begun_before or row.last_leader_id is not None]
    return {row.leader_epoch: greatest(_began_ts(row), late.get(row.leader_epoch)) for row in dated}


def _began_ts(epoch: LeaderEpoch) -> datetime | None:
    """The start of a leader epoch: the time of its leader's line, if that follows the decision closely."""
    late_ms = millis(epoch.leader_ts, epoch.start_ts)
    is_prompt = late_ms is not None and 0 <= late_ms <= BEGUN_WITHIN_MS
    began_ts: datetime | None = epoch.leader_ts if is_prompt else epoch.start_ts
    return began_ts


def _learned_late(partition: Partition) -> dict[int, datetime]:
    """When leaders began leader epochs that had been decided earlier: their first line names an earlier leader epoch.
    Only where the same process had the partition all the time.
    """
    first: dict[tuple[int | None, int | None], datetime] = {}
    for line in partition.epoch_lines:
        before, name = line.previous_leader_epoch, (line.node_id, line.leader_epoch)
        if line.kind == "leader_start" and line.ts is not None and before not in (None, -1) and less(before, name[1]):
            first[name] = min(line.ts, first.get(name, line.ts))
    if not first:
        return {}
    own = by_key((mark for mark in partition.high_watermarks if mark.ts is not None), lambda mark: mark.node_id)
    seen = {node: min(mark.ts for mark in marks) for node, marks in own.items()}
    loads = {node: sorted(mark.ts for mark in marks if mark.source in LOADS) for node, marks in own.items()}
    found: dict[int, datetime] = {}
    for row in partition.leader_epochs:
        node, begun_ts = row.leader_id, first.get((row.leader_id, row.leader_epoch))
        if begun_ts is None or row.start_ts is None or not less(seen.get(node), row.start_ts):
            continue
        if bisect_left(loads[node], row.start_ts) == bisect_right(loads[node], begun_ts):
            found[row.leader_epoch] = begun_ts
    return found


def _in_order(own: Sequence[Entry]) -> None:
    """Sets `since` of the entries that were there at the end: each arrived before those of later leader epochs."""
    at_end = {entry.leader_epoch for entry in own if entry.ts is None}
    later: Entry | None = None
    for entry in sorted(own, key=lambda entry: entry.leader_epoch, reverse=True):
        if entry.leader_epoch in at_end and entry.since is not None:
            if later is not None and later.since is not None and later.since < entry.since:
                entry.since, entry.is_earliest = later.since, later.is_earliest
            later = entry if entry.ts is None else later


def _earliest(entry: Entry, taken: Iterable[_Loss], began: datetime | None) -> datetime | None:
    """The earliest possible time of an entry without a time: its leader epoch had begun, and the last truncation at or
    below its start, and every file that lacks it, was before.
    """
    before = [
        loss.at + timedelta(milliseconds=1) if loss.in_file is not None else loss.at
        for loss in taken
        if loss.log_start is None and loss.takes(entry, None)
    ]
    return greatest(began, *before)


def _end(own: Sequence[Entry], taken: Sequence[_Loss], equals_stay: bool) -> None:
    """The time of removal, `end_ts`: a truncation at or below the entry's start, a conflicting entry, a log start
    beyond the next one, or a later file that lacks it.

    An entry that is there by a time need not have arrived at that time: it only shows that the entries it replaces were
    gone by then.
    """
    arrived = _arrival_times(own)
    next_starts = _next_starts(own)
    seen: dict[tuple[int, int], Entry] = {}
    for entry in sorted((one for one in own if one.ts is not None), key=attrgetter("ts")):
        assert entry.ts is not None
        before = seen.setdefault((entry.leader_epoch, entry.epoch_start_offset), entry)
        if before is not entry and (before.end_ts is None or before.end_ts > entry.ts):
            # it was there all the time
            entry.end_ts, entry.removed_by, entry.removal_id = before.end_ts, before.removed_by, before.removal_id
            continue
        seen[entry.leader_epoch, entry.epoch_start_offset] = entry
        later = islice(taken, bisect_left(taken, entry.ts, key=attrgetter("at")), None)
        left = next((loss for loss in later if loss.takes(entry, next_starts[entry.leader_epoch])), None)
        entry.end_ts = least(None if left is None else left.at, _displaced_ts(entry, arrived, equals_stay))
        if left is not None and left.at == entry.end_ts:
            entry.removed_by, entry.removal_id = left.by, left.event_id


_Arrivals = Mapping[tuple[int, int, bool], Sequence[datetime]]


def _arrival_times(own: Iterable[Entry]) -> _Arrivals:
    """When each entry was there, by leader epoch, start and whether a line about the entry itself shows it."""
    times: defaultdict[tuple[int, int, bool], list[datetime]] = defaultdict(list)
    for entry in own:
        if entry.since is not None and (entry.told_by != "file" or entry.ts is None):
            is_own_line = entry.told_by not in ("append", "file")
            times[entry.leader_epoch, entry.epoch_start_offset, is_own_line].append(entry.since)
    return {name: sorted(of_entry) for name, of_entry in times.items()}


def _next_starts(own: Iterable[Entry]) -> dict[int, int | None]:
    """The lowest start of the leader epochs after each one."""
    starts = by_key(own, attrgetter("leader_epoch"), attrgetter("epoch_start_offset"))
    found: dict[int, int | None] = {}
    lowest: int | None = None
    for epoch in sorted(starts, reverse=True):
        found[epoch] = lowest
        lowest = least(lowest, *starts[epoch])
    return found


def _displaced_ts(entry: Entry, arrived: _Arrivals, equals_stay: bool) -> datetime | None:
    """When the first entry arrived that replaced `entry`: one of a later leader epoch that starts at or before it, or
    the own line of an earlier leader epoch.
    """
    assert entry.ts is not None
    found: list[datetime] = []
    for (epoch, start, is_own_line), times in arrived.items():
        if epoch > entry.leader_epoch:
            if start < entry.epoch_start_offset or (start == entry.epoch_start_offset and not equals_stay):
                at = bisect_left(times, entry.ts)
                found += times[at : at + 1]
        elif epoch < entry.leader_epoch and is_own_line:
            at = bisect_right(times, entry.ts)
            found += times[at : at + 1]
    return min(found, default=None)


def _standing(own: Sequence[Entry], partition: Partition) -> Iterator[ReplicaEpoch]:
    """One row per entry, however many lines show it before its removal. A clipped entry with the start of a complete
    one is that one; with a later start it adds nothing to one of the same leader epoch that was not removed before.
    """
    alike = defaultdict(list)
    complete = {(one.leader_epoch, one.end_ts, one.epoch_start_offset) for one in own if not one.is_clipped}
    for entry in own:
        is_complete = (entry.leader_epoch, entry.end_ts, entry.epoch_start_offset) in complete
        start = entry.epoch_start_offset if is_complete else None
        alike[entry.leader_epoch, entry.end_ts, start].append(entry)
    ends = by_key(((e, end_ts) for e, end_ts, start in alike if start is not None), itemgetter(0), itemgetter(1))
    for (epoch, end_ts, start), entries in alike.items():
        since = least(*[entry.since for entry in entries])
        if start is None and not all(at_most(end, since) for end in ends.get(epoch, ())):
            continue
        yield ReplicaEpoch(
            topic=partition.topic,
            partition=partition.partition,
            life=partition.life,
            node_id=entries[0].node_id,
            leader_epoch=epoch,
            epoch_start_offset=min(entry.epoch_start_offset for entry in entries),
            start_ts=since,
            end_ts=end_ts,
            clipped=start is None,
            is_earliest=any(entry.is_earliest for entry in entries if entry.since == since),
            told_by=sorted({entry.told_by for entry in entries}),
            evidence=sorted(set(known(entry.event_id for entry in entries)))[:AT_MOST],
            removed_by=first_known(*(entry.removed_by for entry in entries)),
            removal_id=first_known(*(entry.removal_id for entry in entries)),
        )
