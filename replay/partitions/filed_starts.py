"""The starts of leader epochs that only the files `leader-epoch-checkpoint` of replicas show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.evidence import joined
from replay.facts.groups import grouped
from replay.offsets.epoch_lines import filed_changes
from replay.partitions.lives import TopicLives
from replay.reading.names import INTERNAL_TOPICS
from replay.tables.offsets import EpochLine
from replay.tables.partitions import DatedLeaderEpoch

_MOVES = "-future/"  # a file in the folder of a replica that moves to another log directory


def with_filed_starts(
    leader_epochs: Sequence[DatedLeaderEpoch], epoch_lines: Iterable[EpochLine], lives: TopicLives
) -> list[DatedLeaderEpoch]:
    """The leader epochs. Those without a line about their start offset have the one in the files of replicas.

    A follower adds an entry with the first record of a leader epoch, which the leader appended at its log end (facts
    §1.4). The first entry of a file may be the log start instead, and compaction may have removed first records, as in
    internal topics. A file belongs to the last topic of its name.
    """
    starts = _starts(epoch_lines)
    if not starts or not leader_epochs or leader_epochs[0].topic in INTERNAL_TOPICS:
        return [*leader_epochs]
    life = lives.life(leader_epochs[0].topic, None)
    return [
        epoch.but(
            epoch_start_offset=starts[epoch.leader_epoch][0],
            evidence=joined(epoch.evidence, starts[epoch.leader_epoch][1]),
        )
        if epoch.epoch_start_offset is None
        and epoch.life == life
        and epoch.leader_epoch in starts
        and (epoch.leader_id or 0) >= 0
        else epoch
        for epoch in leader_epochs
    ]


def _starts(lines: Iterable[EpochLine]) -> dict[int, tuple[int, Sequence[str]]]:
    """The start of each leader epoch on which all files agree, and the lines of the files."""
    filed = (
        line for line in filed_changes(lines) if line.epoch_start_offset is not None and _MOVES not in line.source_file
    )
    entries = grouped(filed, lambda line: line.leader_epoch)
    return {
        leader_epoch: (own[0].epoch_start_offset or 0, sorted(line.event_id for line in own)[:1])
        for leader_epoch, own in entries.items()
        if len({line.epoch_start_offset for line in own}) == 1
    }
