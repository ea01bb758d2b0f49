"""Broken invariants."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.columns import EVIDENCE, LEADER_EPOCH, PARTITION, TOPIC
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    Long,
    column,
    row,
    table_of,
)


@row("violations", key=("invariant", "topic", "partition", "detail"))
class Violation(Row):
    """One violated invariant."""

    invariant: str = column("I1-I32 of the facts, §2.")
    topic: str = TOPIC
    partition: int = PARTITION
    severity: str | MaybeNone = column("`critical`, `high`, `medium`, `low`, `info`.")
    verdict: str | MaybeNone = column("`violated`, or `unknown` where the evidence is incomplete.")
    detail: str = column("The observation and the expectation.")
    evidence: Sequence[str] = EVIDENCE


@row("tenure_lines", key=("event_id", "topic", "partition"))
class TenureLine(Row):
    """One line in which a broker prints its role in a partition, or a controller that a reassignment is complete."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int | MaybeNone = column("Who prints it.")
    ts: datetime | MaybeNone = column("When.")
    raw_ts: datetime | MaybeNone = column("Its stamp as printed.")
    line_number: Long | MaybeNone = column("Line in its file.")
    kind: str | MaybeNone = column("Kind of event.")
    leader_epoch: int | MaybeNone = LEADER_EPOCH
    previous_leader_epoch: int | MaybeNone = column("The leader epoch that the broker had before.")
    partition_epoch: int | MaybeNone = column("Partition epoch it names.")
    isr: Sequence[int] | MaybeNone = column("In-sync replicas in the line.")
    old_isr: str | MaybeNone = column("The ISR before, as printed.")
    replicas: Sequence[int] | MaybeNone = column("Assigned replicas it names.")
    adding_replicas: str | MaybeNone = column("Replicas that a reassignment adds, as printed.")
    removing_replicas: str | MaybeNone = column("Replicas that it removes, as printed.")
    out_of_sync_replicas: str | MaybeNone = column(
        "What the leader knows about those that it removes from the ISR, as printed."
    )
    high_watermark: Long | MaybeNone = column("High watermark in the line.")
    log_end_offset: Long | MaybeNone = column("Log end offset in the line.")
    epoch_start_offset: Long | MaybeNone = column("First offset of that leader epoch.")
    event_id: str = column("The line.")


@row("violations_of_partitions")
class PartitionViolation(Violation):
    """A row of `violations` of one partition."""


@row("violations_of_cluster")
class ClusterViolation(Violation):
    """A row of `violations` of controllers or brokers."""


@row("violations_of_metadata")
class MetadataViolation(Violation):
    """A row of `violations` that the metadata log shows."""


VIOLATIONS = table_of(Violation)
TENURE_LINES = table_of(TenureLine)
