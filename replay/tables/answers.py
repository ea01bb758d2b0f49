"""The answers of `Replay` in a notebook, as tables. They are not part of a result folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from pyspark.sql.types import ArrayType, IntegerType, MapType, StringType

from replay.tables.columns import END, EVIDENCE, PARTITION, START, TOPIC
from replay.tables.offsets import EPOCH_ENTRY
from replay.tables.row import MaybeNone, Row
from replay.tables.table import Long, column, row, table_of

_DIRECTORIES = MapType(IntegerType(), StringType())


@row("partitions_at", key=("topic", "partition"))
class PartitionAt(Row):
    """One partition at one moment (`Replay.at`)."""

    topic: str = TOPIC
    partition: int = PARTITION
    leader_id: int | MaybeNone = column("Broker that led; -1 for no leader, null if unknown.")
    leader_epoch: int | MaybeNone = column("Its leader epoch.")
    replicas: Sequence[int] | MaybeNone = column("The assignment, the preferred leader first.")
    isr: Sequence[int] | MaybeNone = column("The in-sync replicas.")
    isr_is_last_known: bool | MaybeNone = column("No line confirms the ISR at that time; it is the last one known.")
    elr: Sequence[int] | MaybeNone = column("The eligible leader replicas; null if no line or dump shows them.")
    log_dirs: Annotated[Mapping[int, str], _DIRECTORIES] | MaybeNone = column(
        "The directory of each broker's replica, `/d0 -> /d1` during a copy to another one; null if no line shows "
        "moves between directories."
    )
    min_isr: int | MaybeNone = column("min.insync.replicas.")
    committed_low: Long | MaybeNone = column("The log was committed at least up to this offset.")
    committed_high: Long | MaybeNone = column("The log was committed at most up to this offset.")
    writes: str | MaybeNone = column("Whether it accepted writes with acks=all; null if no table shows it.")
    state: str | MaybeNone = column(
        "The problem: `no leader`, `leader not known`, `under min ISR`, `under-replicated`; null if there is none."
    )


PARTITIONS_AT = table_of(PartitionAt)

_SINCE, _UNTIL = "at the first moment", "at the second moment"


@row("changed_partitions", key=("topic", "partition"))
class ChangedPartition(Row):
    """One partition that changed between two moments (`Replay.diff`)."""

    topic: str = TOPIC
    partition: int = PARTITION
    leader_id_since: int | MaybeNone = column(f"Leader {_SINCE}.")
    leader_epoch_since: int | MaybeNone = column(f"Leader epoch {_SINCE}.")
    isr_since: Sequence[int] | MaybeNone = column(f"ISR {_SINCE}.")
    elr_since: Sequence[int] | MaybeNone = column(f"Eligible leader replicas {_SINCE}.")
    leader_id_until: int | MaybeNone = column(f"Leader {_UNTIL}.")
    leader_epoch_until: int | MaybeNone = column(f"Leader epoch {_UNTIL}.")
    isr_until: Sequence[int] | MaybeNone = column(f"ISR {_UNTIL}.")
    elr_until: Sequence[int] | MaybeNone = column(f"Eligible leader replicas {_UNTIL}.")
    elections: int = column("Elections between the two moments.")


CHANGED_PARTITIONS = table_of(ChangedPartition)


@row("partition_story", key=("ts", "what", "told"))
class PartitionStory(Row):
    """One event in the history of a partition (`Replay.partition`)."""

    ts: datetime | MaybeNone = column("When it happened; null if unknown.")
    what: str = column("`leader`, `isr`, `election`, `writes`, `offsets`, `cut`, `loss` or `directory`.")
    told: str = column("What happened, as a sentence.")
    evidence: Sequence[str] = EVIDENCE


PARTITION_STORY = table_of(PartitionStory)


@row("broker_story", key=("ts", "what", "told"))
class BrokerStory(Row):
    """One event in the history of a broker (`Replay.broker`)."""

    ts: datetime | MaybeNone = column("When it happened; null if unknown.")
    what: str = column("`session`, `fault`, `leads`, `isr`, `cut`, `loss`, or `restart`: whether a restart is safe.")
    told: str = column("What happened, as a sentence.")
    evidence: Sequence[str] = EVIDENCE


BROKER_STORY = table_of(BrokerStory)


@row("epoch_files_at", key=("topic", "partition", "node_id", "start_ts"))
class EpochFileAt(Row):
    """The content of one replica's leader-epoch checkpoint at a moment, or from one change to the next
    (`Replay.epochs`).
    """

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica it is.")
    start_ts: datetime | MaybeNone = column("Since when; null if unknown.")
    end_ts: datetime | MaybeNone = column("When it changed; null if it is unchanged at the end of the logs.")
    notation: str | MaybeNone = column("Its entries in the usual notation, `(0 0)(1 0)(2 1)`.")
    entries: Annotated[Sequence[Any], ArrayType(EPOCH_ENTRY)] | MaybeNone = column("Its entries, oldest first.")
    told_by: Sequence[str] | MaybeNone = column("The source of the entries that were added then.")
    evidence: Sequence[str] = EVIDENCE
    leader_id: int | MaybeNone = column("Leader at that moment; null in the history.")
    parts_at: Long | MaybeNone = column("Offset where it diverges from its leader's file; null if it does not.")


EPOCH_FILES_AT = table_of(EpochFileAt)


@row("partition_offsets", key=("name", "told_by"))
class PartitionOffset(Row):
    """One offset of a partition and what it means there (`Replay.offsets`)."""

    name: str = column("Name of the offset.")
    value: Long | MaybeNone = column("The offset; null if unknown.")
    means: str = column("What it means here.")
    told_by: str = column("The source.")
    ts: datetime | MaybeNone = column("When; null if unknown.")
    evidence: Sequence[str] = EVIDENCE


PARTITION_OFFSETS = table_of(PartitionOffset)


@row("acks_told", key=("topic", "partition", "start_ts"))
class AcksTold(Row):
    """What producers of a partition received, by acks, from one change to the next (`Replay.acks_told`)."""

    topic: str = TOPIC
    partition: int = PARTITION
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = END
    zero: str = column("What a producer with acks=0 received.")
    one: str = column("What a producer with acks=1 received.")
    all: str = column("What a producer with acks=all received.")
    zero_state: str = column(
        "Whether the partition took writes with acks=0: `open`, `closed`, `unknown`, or `dropped`: some may have been truncated later."
    )
    one_state: str = column("Whether it took writes with acks=1.")
    all_state: str = column("Whether it took writes with acks=all.")
    evidence: Sequence[str] = EVIDENCE


ACKS_TOLD = table_of(AcksTold)


@row("off_preferred", key=("topic", "partition", "start_ts"))
class LedByAnother(Row):
    """A time in which the leader of a partition was not the first replica of its assignment (`Replay.off_preferred`)."""

    topic: str = TOPIC
    partition: int = PARTITION
    preferred: int = column("Preferred leader: the first replica of the assignment.")
    leader_id: int = column("Broker that led; -1 for no leader.")
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = END
    leader_epoch: int = column("Leader epoch with which that time began.")
    ended_by: str | MaybeNone = column("What triggered the election of the preferred replica; null if there was none.")
    evidence: Sequence[str] = EVIDENCE


OFF_PREFERRED = table_of(LedByAnother)

ANSWERS = (
    PARTITIONS_AT,
    CHANGED_PARTITIONS,
    PARTITION_STORY,
    BROKER_STORY,
    EPOCH_FILES_AT,
    PARTITION_OFFSETS,
    ACKS_TOLD,
    OFF_PREFERRED,
)
"""The return types of `Replay`'s methods."""
