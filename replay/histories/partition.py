"""The rows of one partition of one topic, by what they tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from replay.facts.order import nulls_first
from replay.histories.cluster import Cluster
from replay.tables.partitions import Election, JudgedLeaderEpoch, LeaderEpoch
from replay.tables.row import UntypedRow

UNCLEAN = ("any_replica", "last_known_leader")  # out of which sets a leader may lack what was committed
CLEAN = ("isr", "elr")

Own = Mapping[str, Sequence[UntypedRow]]


@dataclass(frozen=True)
class Partition:
    """One partition of one topic: rows of `judged_leader_epochs` and `committed_isrs` by leader epoch, of
    `high_watermarks`, `log_cuts`, `role_lines` and `epoch_lines` in no order.
    """

    topic: str
    partition: int
    life: int
    leader_epochs: Sequence[UntypedRow] = field(default_factory=list)
    isrs: Sequence[UntypedRow] = field(default_factory=list)
    high_watermarks: Sequence[UntypedRow] = field(default_factory=list)
    log_cuts: Sequence[UntypedRow] = field(default_factory=list)
    role_lines: Sequence[UntypedRow] = field(default_factory=list)
    epoch_lines: Sequence[UntypedRow] = field(default_factory=list)


def by_life(own: Own, cluster: Cluster) -> list[tuple[int, Mapping[str, list[UntypedRow]]]]:
    """The rows of each topic that has had one name, in their order, by table."""
    told: dict[int, dict[str, list[UntypedRow]]] = defaultdict(lambda: defaultdict(list))
    for name, rows in own.items():
        for row in rows:
            life = row.life if hasattr(row, "life") else cluster.life(row.topic, row.ts)
            told[life][name].append(row)
    return sorted(told.items())


def lives(own: Own, cluster: Cluster) -> Iterator[Partition]:
    """The partitions that have had one name: of each topic of that name the rows that are its own."""
    first = next(row for rows in own.values() for row in rows)
    for life, told in by_life(own, cluster):
        yield Partition(
            first.topic,
            first.partition,
            life,
            sorted(told["judged_leader_epochs"], key=lambda row: row.leader_epoch),
            sorted(told["committed_isrs"], key=_in_order),
            told["high_watermarks"],
            told["log_cuts"],
            told["role_lines"],
            told["epoch_lines"],
        )


def _in_order(isr: UntypedRow) -> tuple[tuple[bool, object], ...]:
    return nulls_first(isr.leader_epoch, isr.partition_epoch, isr.start_ts, isr.isr)


def is_unclean(leader_epoch: LeaderEpoch | JudgedLeaderEpoch | Election) -> bool:
    """Its leader was neither in the ISR nor in the ELR."""
    return leader_epoch.elected_from in UNCLEAN


def has_leader(leader_epoch: JudgedLeaderEpoch) -> bool:
    return leader_epoch.leader_id is not None and leader_epoch.leader_id >= 0


def others_may_have_led(leader_epoch: JudgedLeaderEpoch) -> bool:
    """Between the last known leader and this one lie leader epochs that no line tells."""
    return (leader_epoch.untold_epochs or 0) > 0
