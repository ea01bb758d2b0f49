"""Which leader epochs each replica's log holds and where they start.

A replica's leader-epoch cache (the file `leader-epoch-checkpoint`) is rebuilt from what enters it and what leaves it:
epochs a leader begins, epochs that come with a leader's records, cuts of the log, and copies of the file itself. What
an entry does to those before it depends on the release (`LeaderEpochFileCache.assign`); a file that was read outranks
every rule. Source: facts §1.4, §1.5.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from replay.facts.evidence import AT_MOST
from replay.facts.times import first_known, greatest, known, least, millis
from replay.histories.cluster import Cluster
from replay.histories.epoch_arrivals import BEGUN_WITHIN_MS, Held, arrivals, beginnings
from replay.histories.lineages import Lineage
from replay.histories.partition import Partition, partitions
from replay.offsets.epoch_lines import STARTED, TRUNCATED
from replay.offsets.follower_rules import AS_IT_BEGINS, BY_HIGH_WATERMARK, WITH_FIRST_RECORD
from replay.tables.offsets import EpochLine, FollowerRule, HighWatermark, LeaderEpochCache, ReplicaEpoch
from replay.tables.partitions import CommittedIsr, LeaderEpoch

_GOING = re.compile(r"-(?:delete|stray)/")  # a file in the folder of a replica that is being removed

Rules = Mapping[int, FollowerRule]  # rows of `follower_rules` by node


@dataclass(slots=True)
class Entry:
    """A leader epoch that a replica's cache was given: by a leader's begin (`leader`), the cache's own line (`cache`), a
    copied record (`append`) or the file (`file`).

    - `is_clipped`: its offset may be the log start (facts §8 trap 11).
    - `since`: from when it stood there; None: nobody knows.
    """

    node_id: int
    leader_epoch: int
    epoch_start_offset: int
    ts: datetime | None
    told_by: str
    event_id: str | None
    is_clipped: bool = False
    since: datetime | None = None
    end_ts: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Loss:
    """What took entries away at `at`: a cut from an offset on (-1: all), a log start, or a file that lacks them."""

    at: datetime
    cut_to: int | None = None
    log_start: int | None = None
    in_file: frozenset[int] | None = None

    def takes(self, entry: Entry, next_start: int | None) -> bool:
        """Whether an entry left, where the one after it starts at `next_start`."""
        if self.cut_to is not None and self.cut_to <= entry.epoch_start_offset:
            return True
        if self.log_start is not None and next_start is not None and self.log_start >= next_start:
            return True
        return self.in_file is not None and entry.leader_epoch not in self.in_file


def leader_epoch_caches(replica_epochs: Iterable[ReplicaEpoch]) -> Iterator[LeaderEpochCache]:
    """Every leader epoch in every cache of a partition's replicas, of all topics that have had the name."""
    for row in replica_epochs:
        yield LeaderEpochCache(
            topic=row.topic,
            partition=row.partition,
            node_id=row.node_id,
            leader_epoch=row.leader_epoch,
            epoch_start_offset=row.epoch_start_offset,
            start_ts=row.start_ts,
            end_ts=row.end_ts,
            clipped=row.clipped,
            told_by=row.told_by,
            evidence=row.evidence,
        )


def replica_epochs(
    leader_epochs: Sequence[LeaderEpoch],
    committed_isrs: Sequence[CommittedIsr],
    high_watermarks: Sequence[HighWatermark],
    epoch_lines: Sequence[EpochLine],
    histories_cluster: Cluster,
) -> Iterator[ReplicaEpoch]:
    """Every leader epoch in every cache of a partition's replicas, for each topic that has had the name."""
    for partition in partitions(
        histories_cluster.lives,
        leader_epochs=leader_epochs,
        isrs=committed_isrs,
        high_watermarks=high_watermarks,
        epoch_lines=epoch_lines,
    ):
        yield from epochs_held(partition, histories_cluster.follower_rules)


def epochs_held(partition: Partition, rules: Rules) -> list[ReplicaEpoch]:
    """Every leader epoch in every cache of the replicas of one topic's partition.

    A follower has an entry only when a record of that leader epoch has arrived (facts §1.4); nodes that cut by high
    watermark have none.
    """
    kept = [line for line in partition.epoch_lines if _keeps_leader_epochs(line.node_id, rules)]
    entries = defaultdict(list)
    for entry in _entries(kept, partition, rules):
        entries[entry.node_id].append(entry)
    losses = _losses(kept)
    began = {row.leader_epoch: _began_ts(row) for row in partition.leader_epochs}
    rows: list[ReplicaEpoch] = []
    for node_id, own in sorted(entries.items()):
        taken = [*losses[node_id], *_files(own)]
        _date(own, taken, began)
        _in_order(own)
        equals_stay = _entry_rule(node_id, rules) == WITH_FIRST_RECORD
        _end(own, sorted(taken, key=lambda loss: loss.at), equals_stay)
        rows += _standing(own, partition)
    return rows


def lineage_at(caches: Iterable[ReplicaEpoch], node_id: int | None, ts: datetime) -> Lineage:
    """A replica's entries at a time, oldest first.

    Entries of files without a time count from the beginning, or from the last cut that would have taken them away.
    They were there at the end, and nothing says that they came later than a moment of which the logs tell.
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
    """Or may: that its release keeps none is not known."""
    return node_id not in rules or rules[node_id].rule != BY_HIGH_WATERMARK


def _entries(lines: Sequence[EpochLine], partition: Partition, rules: Rules) -> Iterator[Entry]:
    """Every entry that a replica's cache was given, by lines, copied records and files."""
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


def _entry(line: EpochLine, told_by: str, is_clipped: bool = False) -> Entry:
    return Entry(line.node_id, line.leader_epoch, line.epoch_start_offset, line.ts, told_by, line.event_id, is_clipped)


def _arrived(held: Held) -> Entry:
    return Entry(held.node_id, held.leader_epoch, held.epoch_start_offset, held.ts, "append", held.event_id)


def _filed(lines: Iterable[EpochLine]) -> Iterator[Entry]:
    """The entries of the files, the first of each clipped."""
    files = defaultdict(list)
    for line in lines:
        if line.kind == "checkpoint_leader_epoch" and not _GOING.search(line.source_file):
            files[line.node_id, line.source_file].append(line)
    for held in files.values():
        held.sort(key=lambda line: line.line_number)
        for nth, line in enumerate(held):
            yield _entry(line, "file", is_clipped=nth == 0)


def _losses(lines: Iterable[EpochLine]) -> dict[int, list[_Loss]]:
    """What was cut off of each replica's log, at either end."""
    losses: dict[int, list[_Loss]] = defaultdict(list)
    for line in lines:
        if line.ts is None:
            continue
        if line.kind in ("log_truncated_fully", "log_deleted"):
            losses[line.node_id].append(_Loss(line.ts, cut_to=-1))
        elif line.kind in TRUNCATED:
            losses[line.node_id].append(_Loss(line.ts, cut_to=line.truncation_offset))
        elif line.kind in STARTED:
            losses[line.node_id].append(_Loss(line.ts, log_start=line.log_start_offset))
    return losses


def _files(own: Iterable[Entry]) -> list[_Loss]:
    """The files that were read at a known time: what they lack was gone by then."""
    files = defaultdict(set)
    for entry in own:
        if entry.told_by == "file" and entry.ts is not None:
            files[entry.ts].add(entry.leader_epoch)
    return [_Loss(ts, in_file=frozenset(epochs)) for ts, epochs in files.items()]


def _date(own: Sequence[Entry], taken: Iterable[_Loss], began: Mapping[int, datetime | None]) -> None:
    """`since`. Of an entry that is told without a time too, a line that tells it after it can first have come says
    when it was there.
    """
    told = defaultdict(list)
    for entry in own:
        if entry.ts is not None:
            told[entry.leader_epoch, entry.epoch_start_offset].append(entry.ts)
    for entry in own:
        if entry.ts is not None:
            entry.since = entry.ts
            continue
        after = _earliest(entry, taken, began.get(entry.leader_epoch))
        then = told[entry.leader_epoch, entry.epoch_start_offset]
        entry.since = first_known(min((ts for ts in then if after is None or ts >= after), default=None), after)


def _began_ts(epoch: LeaderEpoch) -> datetime | None:
    """When a leader epoch began: as its leader says, where it says so soon after the decision."""
    late_ms = millis(epoch.leader_ts, epoch.start_ts)
    is_prompt = late_ms is not None and 0 <= late_ms <= BEGUN_WITHIN_MS
    began_ts: datetime | None = epoch.leader_ts if is_prompt else epoch.start_ts
    return began_ts


def _in_order(own: Sequence[Entry]) -> None:
    """`since` of the entries that stood there at the end: each came before those of later leader epochs."""
    at_end = {entry.leader_epoch for entry in own if entry.ts is None}
    later = None
    for entry in sorted(own, key=lambda entry: entry.leader_epoch, reverse=True):
        if entry.leader_epoch in at_end and entry.since is not None:
            entry.since = least(later, entry.since)
            later = entry.since if entry.ts is None else later


def _earliest(entry: Entry, taken: Iterable[_Loss], began: datetime | None) -> datetime | None:
    """From when an entry without a time can be, at the earliest.

    Its leader epoch had begun by then. The last cut at or below its start lay before, and so did every file that lacks
    it.
    """
    before = [
        loss.at + timedelta(milliseconds=1) if loss.in_file is not None else loss.at
        for loss in taken
        if loss.log_start is None and loss.takes(entry, None)
    ]
    return greatest(began, *before)


def _end(own: Sequence[Entry], taken: Sequence[_Loss], equals_stay: bool) -> None:
    """`end_ts`: the log was cut at or below an entry's start, a conflicting entry came, the log start passed the next
    one, or a later file lacks it.

    That an entry has come by now does not tell that it came now: only what it takes the place of is gone by then.
    """
    comes = sorted(
        (entry for entry in own if entry.since is not None and (entry.told_by != "file" or entry.ts is None)),
        key=lambda entry: entry.since.timestamp() if entry.since is not None else 0.0,
    )
    starts: dict[int, int] = {}
    for entry in own:
        starts[entry.leader_epoch] = min(
            starts.get(entry.leader_epoch, entry.epoch_start_offset), entry.epoch_start_offset
        )
    for entry in own:
        if entry.ts is None:
            continue
        next_start = min((start for epoch, start in starts.items() if epoch > entry.leader_epoch), default=None)
        left = next((loss.at for loss in taken if loss.at >= entry.ts and loss.takes(entry, next_start)), None)
        displaced = next((one.since for one in comes if _displaces(one, entry, equals_stay)), None)
        entry.end_ts = least(left, displaced)


def _displaces(one: Entry, entry: Entry, equals_stay: bool) -> bool:
    """Whether `one` came and took the place of `entry`."""
    assert one.since is not None and entry.ts is not None
    if one.since < entry.ts:
        return False
    if one.leader_epoch > entry.leader_epoch:
        if one.epoch_start_offset == entry.epoch_start_offset:
            return not equals_stay
        return one.epoch_start_offset < entry.epoch_start_offset
    fell_back = one.leader_epoch < entry.leader_epoch and one.since > entry.ts
    return fell_back and one.told_by not in ("append", "file")


def _standing(own: Iterable[Entry], partition: Partition) -> Iterator[ReplicaEpoch]:
    """A row an entry, however often it was told before it left. A clipped entry says less than the same leader epoch
    told whole.
    """
    alike = defaultdict(list)
    for entry in own:
        start = None if entry.is_clipped else entry.epoch_start_offset
        alike[entry.leader_epoch, entry.end_ts, start].append(entry)
    whole = {epoch for epoch, _, start in alike if start is not None}
    for (epoch, end_ts, start), told in alike.items():
        if start is None and epoch in whole:
            continue
        yield ReplicaEpoch(
            topic=partition.topic,
            partition=partition.partition,
            life=partition.life,
            node_id=told[0].node_id,
            leader_epoch=epoch,
            epoch_start_offset=min(entry.epoch_start_offset for entry in told),
            start_ts=least(*[entry.since for entry in told]),
            end_ts=end_ts,
            clipped=start is None,
            told_by=sorted({entry.told_by for entry in told}),
            evidence=sorted(set(known(entry.event_id for entry in told)))[:AT_MOST],
        )
