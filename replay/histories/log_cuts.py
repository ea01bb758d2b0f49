"""Cuts of logs explained: whom the replica followed, and whether it was cut where the two logs part (facts §1.5,
§3.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pyspark.sql import DataFrame

from replay.facts.times import first_known, greatest
from replay.histories.epoch_caches import Rules, lineage_at
from replay.histories.fold import made
from replay.histories.lineages import divergence
from replay.histories.partition import Partition, has_leader
from replay.offsets.follower_rules import BY_HIGH_WATERMARK
from replay.tables import TRUNCATIONS
from replay.tables.offsets import Truncation
from replay.tables.row import UntypedRow

_JUST = timedelta(microseconds=1)
_ADDED = ("leader_id", "rule", "expected_offset")
_TOLD = [name for name in TRUNCATIONS.schema.names if name not in _ADDED]


def truncations(partition: Partition, caches: Sequence[UntypedRow], rules: Rules) -> list[UntypedRow]:
    """Each of a partition's `log_cuts` with whom the replica followed, the rule of its release, and where by that rule
    the two logs part. Returns rows of `TRUNCATIONS`.

    The follower's lineage is the one just before the cut, the leader's the one with which it began to lead.
    """
    led = {row.leader_epoch: row for row in partition.leader_epochs if has_leader(row)}
    return [_explained(cut, led.get(cut.leader_epoch), caches, rules) for cut in partition.log_cuts]


def truncations_table(histories: DataFrame) -> DataFrame:
    """What a fold made of each cut. Returns `TRUNCATIONS`."""
    return made(histories, TRUNCATIONS)


def _explained(cut: UntypedRow, epoch: UntypedRow | None, caches: Sequence[UntypedRow], rules: Rules) -> UntypedRow:
    rule = rules[cut.node_id].rule if cut.node_id in rules else None
    return Truncation(
        **{name: getattr(cut, name) for name in _TOLD},
        leader_id=epoch.leader_id if epoch is not None else None,
        rule=rule,
        expected_offset=None if cut.by_recovery else _expected(cut, epoch, caches, rule),
    )


def _expected(cut: UntypedRow, epoch: UntypedRow | None, caches: Sequence[UntypedRow], rule: str | None) -> int | None:
    if rule == BY_HIGH_WATERMARK:
        # A log whose end no line tells ended at the cut or later.
        below = cut.high_watermark is not None and cut.high_watermark <= cut.truncation_offset
        end = first_known(cut.log_end_offset, cut.truncation_offset if below else None)
        return divergence([], None, [], end, cut.high_watermark, rule)
    if epoch is None:
        return None
    began_ts = first_known(epoch.leader_ts, epoch.start_ts)
    own = lineage_at(caches, cut.node_id, cut.ts - _JUST)
    leaders = lineage_at(caches, epoch.leader_id, greatest(cut.ts, began_ts) or cut.ts)
    if not own or not leaders:
        return None
    by_then = [(number, start) for number, start in leaders if number <= cut.leader_epoch]
    return divergence(by_then, None, own, cut.log_end_offset, cut.high_watermark, rule)
