"""The rows of one partition of one topic, by what they state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from replay.facts.order import nulls_first
from replay.partitions.lives import TopicLives
from replay.tables.offsets import EpochLine, FetchPosition, FollowerPosition, HighWatermark, Truncation
from replay.tables.partitions import CommittedIsr, Election, LeaderEpoch, RoleLine
from replay.tables.reading import Event

LAST_KNOWN = "last_known_leader"  # KIP-966: the leader of before leads again, though its disk may have lost records
UNCLEAN = (
    "any_replica",
    LAST_KNOWN,
)  # sets from which a leader may lack committed records
CLEAN = ("isr", "elr")


@dataclass(frozen=True)
class Partition:
    """One partition of one topic: rows of `leader_epochs` and `committed_isrs` by leader epoch, and of
    `high_watermarks`, `truncations`, `role_lines`, `epoch_lines`, `fetch_positions` and `follower_positions` in no
    order. `steps_down`: lines of brokers that have stopped to lead it; `started_anew`: lines of replicas that deleted their log
    and began a new one where their leader's log begins.
    """

    topic: str
    partition: int
    life: int
    leader_epochs: Sequence[LeaderEpoch] = field(default_factory=list)
    isrs: Sequence[CommittedIsr] = field(default_factory=list)
    high_watermarks: Sequence[HighWatermark] = field(default_factory=list)
    truncations: Sequence[Truncation] = field(default_factory=list)
    role_lines: Sequence[RoleLine] = field(default_factory=list)
    epoch_lines: Sequence[EpochLine] = field(default_factory=list)
    fetch_positions: Sequence[FetchPosition] = field(default_factory=list)
    follower_positions: Sequence[FollowerPosition] = field(default_factory=list)
    steps_down: Sequence[Event] = field(default_factory=list)
    started_anew: Sequence[Event] = field(default_factory=list)


def by_life(lives: TopicLives, **rows: Sequence[Any]) -> list[tuple[int, dict[str, Sequence[Any]]]]:
    """The rows of each topic that had the name, in their order, by table. `rows` are those of one partition."""
    first = next((row for of_table in rows.values() for row in of_table), None)
    if first is None:
        return []
    if lives.life(first.topic, None) == 0:
        return [(0, dict(rows))]
    lives_rows: dict[int, dict[str, Any]] = defaultdict(lambda: {name: [] for name in rows})
    for name, of_table in rows.items():
        for row in of_table:
            life = row.life if hasattr(row, "life") else lives.life(row.topic, row.ts)
            lives_rows[life][name].append(row)
    return sorted(lives_rows.items())


def partitions(
    lives: TopicLives,
    *,
    leader_epochs: Sequence[LeaderEpoch] = (),
    isrs: Sequence[CommittedIsr] = (),
    high_watermarks: Sequence[HighWatermark] = (),
    truncations: Sequence[Truncation] = (),
    role_lines: Sequence[RoleLine] = (),
    epoch_lines: Sequence[EpochLine] = (),
    fetch_positions: Sequence[FetchPosition] = (),
    follower_positions: Sequence[FollowerPosition] = (),
    steps_down: Sequence[Event] = (),
    started_anew: Sequence[Event] = (),
) -> Iterator[Partition]:
    """The partitions that had one name: for each topic of that name its own rows."""
    rows: dict[str, Sequence[Any]] = {
        "leader_epochs": sorted(leader_epochs, key=lambda row: row.leader_epoch),
        "isrs": sorted(isrs, key=_in_order),
        "high_watermarks": high_watermarks,
        "truncations": truncations,
        "role_lines": role_lines,
        "epoch_lines": epoch_lines,
        "fetch_positions": fetch_positions,
        "follower_positions": follower_positions,
        "steps_down": steps_down,
        "started_anew": started_anew,
    }
    first = next((row for of_table in rows.values() for row in of_table), None)
    for life, own in by_life(lives, **rows):
        if first is not None:
            yield Partition(first.topic, first.partition, life, **own)


def _in_order(isr: CommittedIsr) -> tuple[tuple[bool, object], ...]:
    return nulls_first(isr.leader_epoch, isr.partition_epoch, isr.start_ts, isr.isr)


def is_unclean(leader_epoch: LeaderEpoch | LeaderEpoch | Election) -> bool:
    """Whether its leader was neither in the ISR nor in the ELR."""
    return leader_epoch.elected_from in UNCLEAN


def scenario_of_unclean(leader_epoch: LeaderEpoch) -> str | None:
    """What an unclean election can lose: what the ISR had committed (S4); the last known leader, what its own disk lost
    (S5).
    """
    if leader_epoch.elected_from == LAST_KNOWN:
        return "S5"
    return "S4" if is_unclean(leader_epoch) else None


def has_leader(leader_epoch: LeaderEpoch) -> bool:
    return leader_epoch.leader_id is not None and leader_epoch.leader_id >= 0


def others_may_have_led(leader_epoch: LeaderEpoch) -> bool:
    """Whether leader epochs that no line names lie between the last known leader and this one."""
    return (leader_epoch.untold_epochs or 0) > 0
