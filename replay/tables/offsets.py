"""Offsets of replicas: high watermarks, commit bands, cuts, leader-epoch caches."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, StructField, StructType

from replay.tables.columns import END, EVIDENCE, LEADER_EPOCH, LIFE, PARTITION, START, TOPIC
from replay.tables.table import BOOLEAN, INT, LONG, STRING, STRINGS, TIMESTAMP, Table, column

EPOCH_ENTRY = StructType([StructField("leader_epoch", INT), StructField("epoch_start_offset", LONG)])
LINEAGE_BORDER = StructType([StructField("leader_epoch", INT), StructField("ts", TIMESTAMP)])

HIGH_WATERMARKS = Table(
    name="high_watermarks",
    row="One thing known of one replica's offsets at one moment.",
    key=("topic", "partition", "node_id", "ts", "source", "evidence"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "Broker whose replica it is."),
        column("ts", TIMESTAMP, "When; null for checkpoint files without a time."),
        column("leader_epoch", INT, "Leader epoch that the replica was in, where known."),
        column("role", STRING, "`leader`, `follower` or null."),
        column("high_watermark", LONG, "The replica's own high watermark: a lower bound of the commit point."),
        column("log_end_offset", LONG, "The replica's log end offset."),
        column("log_start_offset", LONG, "The replica's log start offset."),
        column(
            "leader_high_watermark",
            LONG,
            "The leader's high watermark, as its answer to a fetch told this follower; null in all other lines.",
        ),
        column(
            "previous_high_watermark",
            LONG,
            "The leader's own high watermark until then, where the line of an update prints it (2.4 and later).",
        ),
        column("source", STRING, "Kind of event that tells it."),
        EVIDENCE,
    ),
)

FOLLOWER_POSITIONS = Table(
    name="follower_positions",
    row="One thing that a leader knew of a follower's log at one moment.",
    key=("topic", "partition", "node_id", "ts", "source", "evidence"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "Broker whose replica follows."),
        column("leader_id", INT, "Broker that leads, whose line tells it."),
        column("ts", TIMESTAMP, "When, by the leader."),
        column(
            "log_end_offset",
            LONG,
            "Where the follower's log ended, as its last fetch told the leader: it ends there or further on.",
        ),
        column("leader_log_end_offset", LONG, "Where the leader's own log ended then; null if the line does not tell."),
        column("source", STRING, "Kind of event that tells it."),
        EVIDENCE,
    ),
)

LOG_STARTS = Table(
    name="log_starts",
    row="One line that tells where one replica's log starts, or what made segments of it or took them away.",
    key=("topic", "partition", "node_id", "ts", "change", "evidence"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "Broker whose replica it is."),
        column("ts", TIMESTAMP, "When; null for checkpoint files without a time."),
        column(
            "change",
            STRING,
            "`created` (an empty log), `loaded` (at a start of its broker), `rolled` (a new segment begins), `retention_time`, `retention_size`, "
            "`retention` (a segment is deleted, why is not told), `local_retention_time`, `local_retention_size` (the local copy of a segment of a tiered "
            "topic is deleted: its records stay in the remote store), `moved_by_retention`, `moved_by_leader` (a follower takes over its leader's log start), "
            "`moved_by_request` (DeleteRecords), `moved` (the release does not print why), `restarted_at_leader` (its log ended before its leader's "
            "begins: it deletes all and starts there), `started_at_first_record` (the first batch it got begins before its log), `compacted`, `file`.",
        ),
        column("log_start_offset", LONG, "Where its log starts from then on; null if the line does not tell."),
        column(
            "from_offset",
            LONG,
            "First offset of what the line is about: the new or the deleted segment, what compaction looks through, the offsets that a follower never gets; else null.",
        ),
        column("to_offset", LONG, "Where that ends; null if the line does not tell."),
        EVIDENCE,
    ),
)

REMOTE_LOGS = Table(
    name="remote_logs",
    row="One line that tells what of a partition of a tiered topic (KIP-405) lies in the remote store, or where its local log starts.",
    key=("topic", "partition", "node_id", "ts", "change", "evidence"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "Broker that tells it."),
        column("ts", TIMESTAMP, "When."),
        column(
            "change",
            STRING,
            "`copied` (a segment's copy is finished), `copy_failed`, `left_behind` (a remote segment could not be deleted), `remote_deleted`, "
            "`found_remote_end` and `found_log_start` (what a new leader found), `local_start` (segments before were deleted locally), "
            "`epochs_rebuilt` (a follower took up what lies in the remote store).",
        ),
        column("segment_base_offset", LONG, "First offset of the segment that the line names by its file; else null."),
        column(
            "log_start_offset",
            LONG,
            "Where the whole log starts, the remote part included; null if the line does not tell.",
        ),
        column("local_log_start_offset", LONG, "Where the local log starts; null if the line does not tell."),
        column(
            "remote_end_offset",
            LONG,
            "Last offset in the remote store; null if nothing is there or the line does not tell.",
        ),
        column("leader_epoch", INT, "Leader epoch of `remote_end_offset`."),
        EVIDENCE,
    ),
)

LOG_DIRECTORIES = Table(
    name="log_directories",
    row="A time in which one replica lay in one log directory of its broker, or a copy of it was made in another one; told where lines tell of a move between directories, or of one that failed.",
    key=("node_id", "topic", "partition", "change", "start_ts"),
    columns=(
        column("node_id", INT, "Broker whose directory it is."),
        TOPIC,
        PARTITION,
        column("log_dir", STRING, "The directory, as log.dirs names it."),
        START,
        END,
        column("before", STRING, "Where the replica lay before, if that is told."),
        column(
            "change",
            STRING,
            "`created`, `found` (as the broker started), `moved` (its copy took its place); `copying`: the copy, until it took the replica's place or was given up.",
        ),
        EVIDENCE,
    ),
)

COMMIT_BANDS = Table(
    name="commit_bands",
    row="A time in which what is known of a partition's commit point (true high watermark) stays the same.",
    key=("topic", "partition", "start_ts"),
    columns=(
        TOPIC,
        PARTITION,
        START,
        END,
        column("committed_low", LONG, "The commit point is at least this."),
        column("committed_high", LONG, "The commit point is at most this; null = unbounded."),
        column("low_evidence", STRINGS, "Events that carry the lower bound."),
        column("high_evidence", STRINGS, "Events that carry the upper bound."),
    ),
)

TRUNCATIONS = Table(
    name="truncations",
    row="One replica cutting its log.",
    key=("topic", "partition", "node_id", "ts"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "Broker whose replica cut its log."),
        column("ts", TIMESTAMP, "When."),
        column("leader_epoch", INT, "Leader epoch it followed; null if not known."),
        column("log_end_offset", LONG, "Log end offset before the cut; null if no line tells."),
        column("truncation_offset", LONG, "Log end offset after it."),
        column("high_watermark", LONG, "The replica's high watermark just before, where a line tells."),
        column(
            "by_recovery", BOOLEAN, "The broker's own recovery cut a damaged log as it started; no leader asked for it."
        ),
        column("leader_id", INT, "Broker that led in that leader epoch; null if not known."),
        column(
            "rule",
            STRING,
            "What a follower of its release does: `high_watermark`, `one_round`, `iterative_2_0_0`, `iterative`, `in_fetch` (facts §1.5).",
        ),
        column(
            "expected_offset",
            LONG,
            "Where its log and the leader's part by that rule and the leader epochs in both; null where these are not known.",
        ),
        EVIDENCE,
    ),
)

LEADER_EPOCH_CACHES = Table(
    name="leader_epoch_caches",
    row="One leader epoch in one replica's leader-epoch cache (the file `leader-epoch-checkpoint`), for as long as it stands there.",
    key=("topic", "partition", "node_id", "leader_epoch", "start_ts"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "Broker whose replica it is."),
        LEADER_EPOCH,
        column("epoch_start_offset", LONG, "First offset of that leader epoch in this replica's log."),
        column(
            "start_ts",
            TIMESTAMP,
            "Since when it stands there: at the earliest, where only a file of later tells it; null where nothing bounds that.",
        ),
        column(
            "end_ts",
            TIMESTAMP,
            "When it left: the log was cut, another took its place, or the log start passed it; null while it stands.",
        ),
        column(
            "clipped", BOOLEAN, "It is the first entry of a file, whose offset may have been moved up to the log start."
        ),
        column(
            "told_by",
            STRINGS,
            "`leader` (it began to lead), `cache` (the cache says so), `append` (records of that leader epoch had come by then), `file`.",
        ),
        EVIDENCE,
    ),
)

EPOCH_FILES = Table(
    name="epoch_files",
    row="What one replica's file `leader-epoch-checkpoint` holds, from one change of it to the next.",
    key=("topic", "partition", "node_id", "start_ts"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "Broker whose replica it is."),
        column(
            "start_ts",
            TIMESTAMP,
            "Since when: at the latest, or at the earliest where only a file of later tells it; null where nothing bounds that.",
        ),
        column("end_ts", TIMESTAMP, "Until when; null while it reads so at the end of the logs."),
        column("entries", ArrayType(EPOCH_ENTRY), "Its entries, oldest first: leader epoch and first offset."),
        column("notation", STRING, "The same as people write it: `(0 0)(1 0)(2 1)`; empty for a file without entries."),
        column(
            "told_by",
            STRINGS,
            "What tells of the entries that came then (see `leader_epoch_caches`); none where some left.",
        ),
        EVIDENCE,
    ),
)

LOG_CUTS = Table(
    name="log_cuts",
    row="One replica cutting its log, as its own lines tell.",
    key=("topic", "partition", "node_id", "ts"),
    columns=tuple(c for c in TRUNCATIONS.columns if c.name not in ("leader_id", "rule", "expected_offset")),
)

FOLLOWER_RULES = Table(
    name="follower_rules",
    row="What one node does with its log as it begins to follow, by its release and protocol.",
    key=("node_id",),
    columns=(
        column("node_id", INT, "The node."),
        column("rule", STRING, "One of `replay.offsets.follower_rules.RULES`; null where its release leaves several."),
        column("is_told", BOOLEAN, "Lines tell it; else the newest protocol of its release is assumed."),
        column(
            "entry_rule",
            STRING,
            "When a leader's entry enters its leader-epoch cache: `with_first_record` (0.11-2.0.0) or `as_it_begins`; null where its release leaves both.",
        ),
    ),
)

LINEAGES = Table(
    name="lineages",
    row="A partition some of whose leader epochs may have given up committed records.",
    key=("topic", "life", "partition"),
    columns=(
        TOPIC,
        LIFE,
        PARTITION,
        column("borders", ArrayType(LINEAGE_BORDER), "Those leader epochs, oldest first, and when each began."),
    ),
)

EPOCH_LINES = Table(
    name="epoch_lines",
    row="One line that tells of a replica's leader-epoch cache, of a cut of its log, or of where that starts.",
    key=("event_id", "topic", "partition"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "Broker whose replica it is."),
        column("ts", TIMESTAMP, "When; null for files without a time."),
        column("line_number", LONG, "Line in its file."),
        column("kind", STRING, "Kind of event."),
        column("source_file", STRING, "Its file."),
        column("event_id", STRING, "The line."),
        column("truncation_offset", LONG, "Offset to which the log is cut."),
        column("log_start_offset", LONG, "Where the log starts from then on."),
        LEADER_EPOCH,
        column("epoch_start_offset", LONG, "First offset of that leader epoch."),
        column("previous_leader_epoch", INT, "The leader epoch before, where a leader's line prints it."),
    ),
)
