"""Offsets of replicas: high watermarks, commit bands, truncations, leader-epoch caches."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pyspark.sql.types import ArrayType, StructField, StructType

from replay.tables.columns import END, EVIDENCE, LEADER_EPOCH, LIFE, PARTITION, START, TOPIC
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    INT,
    LONG,
    TIMESTAMP,
    Long,
    column,
    row,
    table_of,
)

EPOCH_ENTRY = StructType([StructField("leader_epoch", INT), StructField("epoch_start_offset", LONG)])
LINEAGE_BORDER = StructType([StructField("leader_epoch", INT), StructField("ts", TIMESTAMP)])


@row("high_watermarks", key=("topic", "partition", "node_id", "ts", "source", "evidence"))
class HighWatermark(Row):
    """The offsets of one replica in one line, at its time."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica it is.")
    ts: datetime | MaybeNone = column("When; null for checkpoint files without a time.")
    leader_epoch: int | MaybeNone = column("Leader epoch that the replica was in, where known.")
    role: str | MaybeNone = column("`leader`, `follower` or null.")
    high_watermark: Long | MaybeNone = column("The replica's own high watermark: a lower bound of the commit point.")
    log_end_offset: Long | MaybeNone = column("The replica's log end offset.")
    log_start_offset: Long | MaybeNone = column("The replica's log start offset.")
    leader_high_watermark: Long | MaybeNone = column(
        "The leader's high watermark, from its fetch response to this follower; null in all other lines."
    )
    previous_high_watermark: Long | MaybeNone = column(
        "The leader's own high watermark until then, if the line of an update prints it (2.4 and later)."
    )
    source: str = column("Kind of event that shows it.")
    evidence: Sequence[str] = EVIDENCE


@row("high_watermark_curves", key=("topic", "partition", "node_id", "leader_epoch", "start_ts"))
class HighWatermarkStep(Row):
    """One step of one replica's high watermark in one leader epoch: the highest one that it had logged by then."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica it is.")
    leader_epoch: int = LEADER_EPOCH
    role: str | MaybeNone = column("`leader`, `follower` or null.")
    high_watermark: Long = column("The replica's high watermark from then on: a lower bound of the commit point.")
    previous_high_watermark: Long | MaybeNone = column("The step before in this leader epoch; null for the first one.")
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = column("When the next step begins; null for the last one of the leader epoch.")
    after_ts: datetime | MaybeNone = column(
        "The replica's line before in this leader epoch: the fetch that carried the value was answered after it."
    )
    leader_id: int | MaybeNone = column("The leader that set the value; null if no line shows it.")
    set_ts: datetime | MaybeNone = column("When the leader set it, by its own line.")
    learned_ms: Long | MaybeNone = column("How much later the follower adopted it.")
    source: str = column("Kind of event that shows it.")
    evidence: Sequence[str] = EVIDENCE


@row("follower_positions", key=("topic", "partition", "node_id", "ts", "source", "evidence"))
class FollowerPosition(Row):
    """What a leader knew about a follower's log, from one line, at its time."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica follows.")
    leader_id: int | MaybeNone = column("Broker that leads, whose line shows it.")
    ts: datetime = column("When, by the leader.")
    log_end_offset: Long | MaybeNone = column(
        "Where the follower's log ended, from its last fetch: it ends there or later."
    )
    leader_log_end_offset: Long | MaybeNone = column(
        "Where the leader's own log ended then; null if the line does not show it."
    )
    caught_up_ts: datetime | MaybeNone = column(
        "When the follower last held all that the leader's log then held; null if the line does not show it."
    )
    source: str = column("Kind of event that shows it.")
    evidence: Sequence[str] = EVIDENCE


@row("fetch_positions", key=("topic", "partition", "node_id", "ts", "event_id"))
class FetchPosition(Row):
    """Where one follower's log ended, from its own fetch request that failed."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica follows.")
    leader_id: int | MaybeNone = column("Broker from which it fetches.")
    ts: datetime = column("When its line says that the fetch failed.")
    leader_epoch: int | MaybeNone = column("Leader epoch in which it follows; null if the release does not print it.")
    log_end_offset: Long = column("Where its log ends.")
    event_id: str = column("That line.")


@row("fetcher_starts", key=("topic", "partition", "node_id", "ts", "event_id"))
class FetcherStart(Row):
    """One partition that a broker starts to fetch, from a line of a release up to 2.7."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica follows.")
    leader_id: int = column("Broker from which it fetches.")
    leader_epoch: int | MaybeNone = column("Leader epoch in which it follows; null up to 2.0, which does not print it.")
    ts: datetime = column("When.")
    initial_offset: Long = column(
        "The offset in the line: in 0.11 and 1.0 where its log ends before it truncates it, from 1.1 on its high "
        "watermark (facts §4)."
    )
    event_id: str = column("That line.")


@row("fetcher_stops", key=("topic", "partition", "node_id", "event_id"))
class FetcherStop(Row):
    """One partition that a broker stops to fetch: its leader changes, it becomes the leader, or it stops."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica followed.")
    ts: datetime = column("When.")
    event_id: str = column("The line.")


@row("shortened_logs", key=("node_id", "start_ts"))
class ShortenedLog(Row):
    """Logs of one broker that were shorter at its start than before it died, or damaged at their ends."""

    node_id: int = column("The broker.")
    start_ts: datetime = column("When it started again.")
    logs: int = column("How many logs.")
    topic: str = column("Topic of the log that lost the most.")
    partition: int = column("Its partition.")
    held_offset: Long | MaybeNone = column(
        "That log had reached this offset, at least; null if recovery found its end damaged and no line shows more."
    )
    log_end_offset: Long = column("It ended there as it was loaded again.")
    evidence: Sequence[str] = EVIDENCE


@row("deleted_records", key=("topic",))
class DeletedRecords(Row):
    """The records of one topic that were deleted by request (DeleteRecords), over its partitions."""

    topic: str = TOPIC
    partition: int = column("The first of them.")
    partitions: Long = column("In how many partitions.")
    log_start_offset: Long = column("Where the log of the first one starts since then.")
    first_ts: datetime | MaybeNone = column("The first line that shows it.")
    evidence: Sequence[str] = EVIDENCE


@row("log_starts", key=("topic", "partition", "node_id", "ts", "change", "evidence"))
class LogStart(Row):
    """One line that shows where one replica's log starts, or why its segments were created or deleted."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica it is.")
    ts: datetime | MaybeNone = column("When; null for checkpoint files without a time.")
    change: str = column(
        "`created` (an empty log), `loaded` (at a start of its broker), `rolled` (a new segment begins), "
        "`retention_time`, `retention_size`, `retention` (a segment is deleted, for an unknown reason), "
        "`local_retention_time`, `local_retention_size` (the local copy of a segment of a tiered topic is deleted: "
        "its records stay in the remote store), `moved_by_retention`, `moved_by_leader` (a follower adopts its "
        "leader's log start), `moved_by_request` (DeleteRecords), `moved` (the release does not print why), "
        "`restarted_at_leader` (its log ended before its leader's begins: it deletes all and starts there), "
        "`started_at_first_record` (the first batch it got begins before its log), `compacted`, `file`."
    )
    log_start_offset: Long | MaybeNone = column("Where its log starts from then on; null if the line does not show it.")
    from_offset: Long | MaybeNone = column(
        "First offset of the line's subject: the new or the deleted segment, the compacted range, the offsets that a follower never gets; else null."
    )
    to_offset: Long | MaybeNone = column("Where that ends; null if the line does not show it.")
    evidence: Sequence[str] = EVIDENCE


@row("remote_logs", key=("topic", "partition", "node_id", "ts", "change", "evidence"))
class RemoteLog(Row):
    """One line that shows which part of a partition of a tiered topic (KIP-405) is in the remote store, or where its
    local log starts.
    """

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker that logs it.")
    ts: datetime = column("When.")
    change: str = column(
        "`copied` (a segment's copy is complete), `copy_failed`, `left_behind` (a remote segment could not be "
        "deleted), `remote_deleted`, `found_remote_end` and `found_log_start` (what a new leader found), "
        "`local_start` (earlier segments were deleted locally), `epochs_rebuilt` (a follower rebuilt its state from "
        "the remote store)."
    )
    segment_base_offset: Long | MaybeNone = column(
        "First offset of the segment that the line names by its file; else null."
    )
    log_start_offset: Long | MaybeNone = column(
        "Where the whole log starts, including the remote part; null if the line does not show it."
    )
    local_log_start_offset: Long | MaybeNone = column("Where the local log starts; null if the line does not show it.")
    remote_end_offset: Long | MaybeNone = column(
        "Last offset in the remote store; null if nothing is there or the line does not show it."
    )
    leader_epoch: int | MaybeNone = column("Leader epoch of `remote_end_offset`.")
    evidence: Sequence[str] = EVIDENCE


@row("log_directories", key=("node_id", "topic", "partition", "change", "start_ts"))
class LogDirectory(Row):
    """A time in which one replica was in one log directory of its broker, or was copied to another one; only if lines
    show a move between directories, or a failed one.
    """

    node_id: int = column("Broker whose directory it is.")
    topic: str = TOPIC
    partition: int = PARTITION
    log_dir: str | MaybeNone = column("The directory, as log.dirs names it.")
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = END
    before: str | MaybeNone = column("The previous directory of the replica, if known.")
    change: str = column(
        "`created`, `found` (as the broker started), `moved` (its copy took its place); `copying`: the copy, until it took the replica's place or was given up."
    )
    evidence: Sequence[str] = EVIDENCE


@row("commit_bands", key=("topic", "partition", "start_ts"))
class CommitBand(Row):
    """A time in which the known bounds of a partition's commit point (true high watermark) stay the same."""

    topic: str = TOPIC
    partition: int = PARTITION
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = END
    committed_low: Long | MaybeNone = column("The commit point is at least this.")
    committed_high: Long | MaybeNone = column("The commit point is at most this; null = unbounded.")
    low_evidence: Sequence[str] | MaybeNone = column("Events that carry the lower bound.")
    high_evidence: Sequence[str] | MaybeNone = column("Events that carry the upper bound.")


@row("truncations", key=("topic", "partition", "node_id", "ts"))
class Truncation(Row):
    """One truncation of one replica's log."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica truncated its log.")
    ts: datetime = column("When.")
    leader_epoch: int | MaybeNone = column("Leader epoch it followed; null if unknown.")
    log_end_offset: Long | MaybeNone = column("Log end offset before the truncation; null if no line shows it.")
    log_end_offset_low: Long | MaybeNone = column(
        "Where no line shows that: the log had reached this offset before, at least; for a recovery, before the process ended. Null "
        "if no line shows that either."
    )
    truncation_offset: Long | MaybeNone = column("Log end offset after it.")
    high_watermark: Long | MaybeNone = column(
        "The replica's high watermark before was at least this: the last value that a line states; for a recovery also the checkpoint."
    )
    by_recovery: bool | MaybeNone = column(
        "The broker's own recovery truncated a damaged log at startup; no leader asked for it."
    )
    leader_id: int | MaybeNone = column("Broker that led in that leader epoch; null if unknown.")
    rule: str | MaybeNone = column(
        "The behavior of a follower of its release: `high_watermark`, `one_round`, `iterative_2_0_0`, `iterative`, `in_fetch` (facts §1.5)."
    )
    expected_offset: Long | MaybeNone = column(
        "Where its log and the leader's diverge by that rule and the leader epochs in both; null if these are unknown."
    )
    evidence: Sequence[str] = EVIDENCE


@row("leader_epoch_caches", key=("topic", "partition", "node_id", "leader_epoch", "start_ts"))
class LeaderEpochCache(Row):
    """One leader epoch in one replica's leader-epoch cache (the file `leader-epoch-checkpoint`), while it is there."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica it is.")
    leader_epoch: int = LEADER_EPOCH
    epoch_start_offset: Long | MaybeNone = column("First offset of that leader epoch in this replica's log.")
    start_ts: datetime | MaybeNone = column(
        "When it was added: at the earliest, if only a later file shows it; null if nothing bounds it."
    )
    end_ts: datetime | MaybeNone = column(
        "When it was removed: the log was truncated, another replaced it, or the log start passed it; null while it is there."
    )
    clipped: bool | MaybeNone = column(
        "It is the first entry of a file, whose offset may have been moved up to the log start."
    )
    is_earliest: bool | MaybeNone = column("`start_ts` is the earliest possible time: no line shows when it was there.")
    told_by: Sequence[str] | MaybeNone = column(
        "`leader` (it began to lead), `cache` (the cache says so), `append` (records of that leader epoch had come by then), `file`."
    )
    evidence: Sequence[str] = EVIDENCE


@row("replica_epochs", key=("topic", "life", "partition", "node_id", "leader_epoch", "start_ts"))
class ReplicaEpoch(LeaderEpochCache):
    """One leader epoch in one replica's leader-epoch cache, for one of the topics with that name."""

    life: int = LIFE
    removed_by: str | MaybeNone = column("What removed it (see `epoch_files`); null if another entry replaced it.")
    removal_id: str | MaybeNone = column("The line that shows its removal.")


@row("epoch_files", key=("topic", "partition", "node_id", "start_ts"))
class EpochFile(Row):
    """The content of one replica's file `leader-epoch-checkpoint`, from one change of it to the next."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker whose replica it is.")
    start_ts: datetime | MaybeNone = column(
        "When it began: at the latest, or at the earliest if only a later file shows it; null if nothing bounds it."
    )
    end_ts: datetime | MaybeNone = column("When it changed; null if it is unchanged at the end of the logs.")
    is_earliest: bool | MaybeNone = column(
        "`start_ts` is the earliest possible time of an entry that was added: no line shows when it was there."
    )
    entries: Annotated[Sequence[Any], ArrayType(EPOCH_ENTRY)] | MaybeNone = column(
        "Its entries, oldest first: leader epoch and first offset."
    )
    notation: str | MaybeNone = column(
        "The entries in the usual notation, `(0 0)(1 0)(2 1)`; empty for a file without entries."
    )
    told_by: Sequence[str] | MaybeNone = column(
        "The source of the entries that were added then (see `leader_epoch_caches`). If some were only removed: `loaded` "
        "(the broker loaded the log, which ended before them), `truncated`, `deleted` (the log), `log_start`, `file`."
    )
    evidence: Sequence[str] = EVIDENCE


@row("follower_rules", key=("node_id",))
class FollowerRule(Row):
    """How one node truncates its log when it becomes a follower, by its release and protocol."""

    node_id: int = column("The node.")
    rule: str | MaybeNone = column(
        "One of `replay.offsets.follower_rules.RULES`; null where its release leaves several."
    )
    is_told: bool | MaybeNone = column("Lines show it; else the newest protocol of its release is assumed.")
    entry_rule: str | MaybeNone = column(
        "When a leader's entry enters its leader-epoch cache: `with_first_record` (0.11-2.0.0) or `as_it_begins`; null where its release leaves both."
    )


@row("lineages", key=("topic", "life", "partition"))
class PartitionLineage(Row):
    """A partition with leader epochs that may have lost committed records."""

    topic: str = TOPIC
    life: int = LIFE
    partition: int = PARTITION
    boundaries: Annotated[Sequence[Any], ArrayType(LINEAGE_BORDER)] | MaybeNone = column(
        "Those leader epochs, oldest first, and when each began."
    )


@row("epoch_lines", key=("event_id", "topic", "partition"))
class EpochLine(Row):
    """One line about a replica's leader-epoch cache, a truncation of its log, or its log start."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int | MaybeNone = column("Broker whose replica it is.")
    ts: datetime | MaybeNone = column("When; null for files without a time.")
    line_number: Long | MaybeNone = column("Line in its file.")
    kind: str | MaybeNone = column("Kind of event.")
    source_file: str | MaybeNone = column("Its file.")
    event_id: str = column("The line.")
    truncation_offset: Long | MaybeNone = column("Offset to which the log is cut.")
    log_start_offset: Long | MaybeNone = column("Where the log starts from then on.")
    leader_epoch: int | MaybeNone = LEADER_EPOCH
    epoch_start_offset: Long | MaybeNone = column("First offset of that leader epoch.")
    previous_leader_epoch: int | MaybeNone = column("The leader epoch before, where a leader's line prints it.")


HIGH_WATERMARKS = table_of(HighWatermark)
HIGH_WATERMARK_CURVES = table_of(HighWatermarkStep)
FOLLOWER_POSITIONS = table_of(FollowerPosition)
FETCH_POSITIONS = table_of(FetchPosition)
FETCHER_STARTS = table_of(FetcherStart)
FETCHER_STOPS = table_of(FetcherStop)
SHORTENED_LOGS = table_of(ShortenedLog)
LOG_STARTS = table_of(LogStart)
REMOTE_LOGS = table_of(RemoteLog)
LOG_DIRECTORIES = table_of(LogDirectory)
COMMIT_BANDS = table_of(CommitBand)
TRUNCATIONS = table_of(Truncation)
LEADER_EPOCH_CACHES = table_of(LeaderEpochCache)
REPLICA_EPOCHS = table_of(ReplicaEpoch)
EPOCH_FILES = table_of(EpochFile)
FOLLOWER_RULES = table_of(FollowerRule)
EPOCH_LINES = table_of(EpochLine)
