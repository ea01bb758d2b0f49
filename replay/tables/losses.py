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

# Verdicts with certain or possible losses.
VERDICTS = {
    "PROVEN_LOSS": "The logs prove that committed records were lost: a lower bound of what was committed is above "
    "the point at which the log was truncated. The loss has the certain range and the maximum range.",
    "POSSIBLE_LOSS": "Records were cut that can have been committed or acknowledged; the logs do not decide it.",
    "NO_COMMITTED_LOSS_BY_PROTOCOL": "No committed record was lost according to Kafka's own rules: a clean election, "
    "no gap in the leader epochs, no known bug. Records that only the leader had "
    "acknowledged (acks=1) may be gone.",
    "NO_LOSS_OBSERVED": "The log was not cut below its own end: nothing was discarded here.",
    "UNDETERMINED": "The logs do not show whether records were lost: a bound is missing (where the log was "
    "truncated, what was committed, or a leader epoch between them). The finding's blind spots name "
    "it.",
}
OPEN_VERDICTS = ("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED")
GONE_VERDICTS = ("PROVEN_LOSS", "POSSIBLE_LOSS")
UNKNOWN_EPOCH = -1  # as Kafka writes an unknown leader epoch


@row("losses", key=("topic", "life", "partition", "leader_epoch", "ts", "loss_class", "from_offset"))
class Loss(Row):
    """One leader change, restart or truncation that could have lost records, with its verdict."""

    topic: str = TOPIC
    partition: int = PARTITION
    leader_epoch: int = column("The leader epoch in which the records are gone; -1 if no line names it.")
    ts: datetime | MaybeNone = column(
        "When that leader epoch began, or the broker that held them loaded its log again."
    )
    begun_before: bool | MaybeNone = column(
        "That leader epoch had begun before `ts`, the first line that shows it: the change came earlier, and nothing shows when; null if not."
    )
    scenario: str | MaybeNone = column(
        "The kind of change, `S1` to `S10` (`kafka-replay explain S1`); null if it is unknown whether the election was clean."
    )
    loss_class: str = column(
        "`committed`: below the old leader's commit point; `acked_possible`: above it, so only an acks=1 "
        "producer can have received an acknowledgement."
    )
    verdict: str | MaybeNone = column(
        "PROVEN_LOSS, POSSIBLE_LOSS, NO_COMMITTED_LOSS_BY_PROTOCOL, NO_LOSS_OBSERVED, UNDETERMINED."
    )
    from_offset: Long = column("First offset of the range.")
    to_offset_low: Long | MaybeNone = column("[from, to_low) is lost for sure; null = nothing known.")
    to_offset_high: Long | MaybeNone = column("[from, to_high) is lost at most; null = unknown.")
    discarded_to_offset: Long | MaybeNone = column(
        "[from, discarded_to) was certainly discarded, whether or not a producer had an acknowledgement for it; null = "
        "nothing known."
    )
    old_leader_id: int | MaybeNone = column("Broker whose log held the records.")
    new_leader_id: int | MaybeNone = column("Broker whose log replaced it.")
    written_low: datetime | MaybeNone = column("None of them was written before this; null if no line shows it.")
    written_high: datetime | MaybeNone = column("All of them were written by then; null if no line shows it.")
    before_low: Long | MaybeNone = column(
        "The least number of these offsets that were written before the new leader was elected; null for class "
        "`committed`, and if no line shows the leader epoch of the broker that held them."
    )
    before_high: Long | MaybeNone = column("The greatest number; null = unknown.")
    after_low: Long | MaybeNone = column("The least number that a stale leader wrote after the new leader was elected.")
    after_high: Long | MaybeNone = column("The greatest number; null = unknown.")
    cut_ts: datetime | MaybeNone = column(
        "When the last of the brokers that held them truncated them: they are lost from then on, though the election "
        "comes before; null if no line shows when the old leader did."
    )
    cut_by: Sequence[int] | MaybeNone = column(
        "The brokers whose lines show that they truncated some of them, in the order of time."
    )
    cut_times: Sequence[datetime] | MaybeNone = column("When each of these brokers did.")
    recoverable_from: Sequence[int] | MaybeNone = column(
        "Brokers that still held the range at their last line; a broker without lines only if lines decide the verdict."
    )
    premise: str | MaybeNone = column("The fact that decides the verdict.")
    incident_id: str | MaybeNone = column("The incident it belongs to; null if to none.")
    contributing_ids: Sequence[str] | MaybeNone = column(
        "The faults (`faults.fault_id`) that kept the next leader from copying these records while they were written. The faults "
        "that ended the leadership are not among them: the loss counts only in their incident. Null if none did."
    )
    evidence: Sequence[str] = EVIDENCE
    life: int | MaybeNone = LIFE


@row("all_clear", key=("verdict",))
class AllClear(Row):
    """What the result says about lost committed records that no row of `losses` names. One row."""

    verdict: str = column(
        "`none_possible`: nothing in the logs could have lost any; `none_found`: each change of leader, truncation and restart is "
        "judged, and none lost any; `not_ruled_out`: no line shows a loss, and the logs lack what would rule it out; `open`: "
        "rows of `losses` are proven, possible or undetermined."
    )
    statement: str | MaybeNone = column("The verdict as a sentence; null if `open`.")
    doubts: Sequence[str] = column("What the logs lack, or which invariants are violated.")
    deletions: str | MaybeNone = column(
        "The topics and records that were deleted by request, in a sentence: that is no loss of replication, and no figure counts "
        "them. Null if none were."
    )
    evidence: Sequence[str] = EVIDENCE


def gone_ts(loss: Loss) -> datetime | None:
    """When its records were gone: as the last broker that held them truncated them, or, if no line shows that, some time after
    the change.
    """
    return loss.ts if loss.cut_ts is None else loss.cut_ts


def is_found(loss: Loss) -> bool:
    """Whether the first line of its leader epoch shows it, and nothing since when: neither its truncation nor the line of an
    earlier leader.
    """
    return bool(loss.begun_before) and (loss.cut_ts is None or loss.old_leader_id is None)


def came_before(loss: Loss) -> bool:
    """Whether lines show only that the change came before the first line about a leader: the loss belongs to no incident of
    these logs.
    """
    return bool(loss.begun_before) and loss.old_leader_id is None and not loss.cut_by


LOSSES = table_of(Loss)
ALL_CLEAR = table_of(AllClear)


LEDGER = LOSSES.renamed("ledger")  # before the incidents are known
PLACED_LOSSES = LOSSES.renamed("placed_losses")  # with their incidents, before missing files are named in the premise
