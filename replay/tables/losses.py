"""The loss ledger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.columns import EVIDENCE, LIFE, PARTITION, TOPIC
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    Long,
    column,
    row,
    table_of,
)

# Verdicts of a loss under which records are gone, or may be.
VERDICTS = {
    "PROVEN_LOSS": "The logs prove that committed records were lost: a lower bound of what was committed lies above the point at which the log was cut. "
    "The loss names the range for sure and at most.",
    "POSSIBLE_LOSS": "Records were cut that can have been committed or acknowledged; the logs do not decide it.",
    "NO_COMMITTED_LOSS_BY_PROTOCOL": "No committed record was lost, as far as Kafka's own rules hold: a clean election, no gap in the leader epochs, no known bug. "
    "Records that only the leader had acknowledged (acks=1) can be gone.",
    "NO_LOSS_OBSERVED": "The log was not cut below its own end: nothing was discarded here.",
    "UNDETERMINED": "The logs do not tell whether records were lost: a bound is missing (where the log was cut, what was committed, or a leader epoch between them). "
    "The finding's blind spots name it.",
}
OPEN_VERDICTS = ("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED")
GONE_VERDICTS = ("PROVEN_LOSS", "POSSIBLE_LOSS")


@row("losses", key=("topic", "life", "partition", "leader_epoch", "ts", "loss_class", "from_offset"))
class Loss(Row):
    """One judged leader change or restart that could have lost records."""

    topic: str = TOPIC
    partition: int = PARTITION
    leader_epoch: int = column("The leader epoch in which the records are gone.")
    ts: datetime | MaybeNone = column("When that leader epoch began, or the broker that held them loaded its log anew.")
    scenario: str | MaybeNone = column(
        "S1-S9 of the facts, §3.3; null where whether the election was clean is not known."
    )
    loss_class: str = column(
        "`committed`: below the old leader's commit point; `acked_possible`: above it, so only an acks=1 or acks=0 "
        "producer can have been told they were stored."
    )
    verdict: str | MaybeNone = column(
        "PROVEN_LOSS, POSSIBLE_LOSS, NO_COMMITTED_LOSS_BY_PROTOCOL, NO_LOSS_OBSERVED, UNDETERMINED."
    )
    from_offset: Long = column("First offset of the range.")
    to_offset_low: Long | MaybeNone = column("[from, to_low) is lost for sure; null = nothing known.")
    to_offset_high: Long | MaybeNone = column("[from, to_high) is lost at most; null = unknown.")
    old_leader_id: int | MaybeNone = column("Broker whose log held the records.")
    new_leader_id: int | MaybeNone = column("Broker whose log took its place.")
    written_low: datetime | MaybeNone = column("None of them was written before this; null if no line tells.")
    written_high: datetime | MaybeNone = column("All of them were written by then; null if no line tells.")
    cut_ts: datetime | MaybeNone = column(
        "When the broker that held them truncated them: they are lost from then on, though the election comes before; null if no "
        "line tells."
    )
    recoverable_from: Sequence[int] | MaybeNone = column("Brokers that still held the range when last heard of.")
    premise: str | MaybeNone = column("The one thing that carries the verdict.")
    incident_id: str | MaybeNone = column("The incident it belongs to; null if to none.")
    evidence: Sequence[str] = EVIDENCE
    life: int | MaybeNone = LIFE


LOSSES = table_of(Loss)


LEDGER = LOSSES.renamed("ledger")  # before the incidents are known
PLACED_LOSSES = LOSSES.renamed("placed_losses")  # with their incidents, before missing files are named in the premise
