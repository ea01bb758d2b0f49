"""Every table's contract: what one row is, its key, and what each column means.

The documentation (docs/tables.md), the empty tables and the checks at the end of each stage are made from these
declarations; nothing about a table is said twice. Timestamps are UTC instants, corrected for zone and clock skew. Spans are
half-open, `end_ts` null while open. `-1` leads = no leader.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from replay.errors import SchemaError

INT, LONG, DOUBLE, STRING, BOOLEAN, TIMESTAMP = (
    IntegerType(),
    LongType(),
    DoubleType(),
    StringType(),
    BooleanType(),
    TimestampType(),
)
INTS, STRINGS = ArrayType(IntegerType()), ArrayType(StringType())


@dataclass(frozen=True)
class TableColumn:
    """A column with its meaning."""

    name: str
    type: DataType
    meaning: str


def column(name: str, type: DataType, meaning: str) -> TableColumn:
    """A column of a table: its name, its Spark type, and what it tells."""
    return TableColumn(name, type, meaning)


@dataclass(frozen=True)
class Table:
    """A table's contract."""

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[TableColumn, ...]

    @property
    def schema(self) -> StructType:
        return StructType([StructField(c.name, c.type) for c in self.columns])

    def of(self, frame: DataFrame) -> DataFrame:
        """Exactly this table's columns of `frame`, in order, with their types; raises SchemaError if one is missing."""
        missing = [c.name for c in self.columns if c.name not in frame.columns]
        if missing:
            raise SchemaError(f"{self.name} lacks {', '.join(missing)}")
        return frame.select(*[F.col(c.name) for c in self.columns]).to(self.schema)

    def filled(self, frame: DataFrame) -> DataFrame:
        """Like `of`, but a column that `frame` does not have is null."""
        return self.of(
            frame.select(
                "*", *[F.lit(None).cast(c.type).alias(c.name) for c in self.columns if c.name not in frame.columns]
            )
        )

    def empty(self, spark: SparkSession) -> DataFrame:
        """The table without rows."""
        return spark.range(0).select(*[F.lit(None).cast(c.type).alias(c.name) for c in self.columns])


_TOPIC = column("topic", STRING, "Topic of the partition.")
_PARTITION = column("partition", INT, "Number of the partition in its topic.")
_LEADER_EPOCH = column(
    "leader_epoch", INT, "Number the controller gave this leadership; only ever grows while the topic lives."
)
_EVIDENCE = column("evidence", STRINGS, "Events that prove the row (`events.event_id`, which reads file:line).")
_CONFIDENCE = column("confidence", STRING, "`observed`: a line states it; `inferred`: concluded from other lines.")
_START = column("start_ts", TIMESTAMP, "When it began.")
_END = column("end_ts", TIMESTAMP, "When it ended; null while it goes on at the end of the logs.")

SOURCES = Table(
    name="sources",
    row="One file to read, as the input stage found it.",
    key=("path",),
    columns=(
        column("path", STRING, "Where Spark reads it (a URI, as `_metadata.file_path` prints it)."),
        column("source_file", STRING, "Its name in every table: the path inside the input."),
        column("node_id", INT, "The node that wrote it; null if not known."),
        column("layout", STRING, "How its lines are laid out (`replay.reading.layouts`)."),
        column("first_line", LONG, "Number of its first line, for a file that was cut into parts."),
        column("as_of_ts", TIMESTAMP, "The time at which the file stood so, from a path part YYYYMMDDThhmmssZ."),
    ),
)

COVERAGE = Table(
    name="coverage",
    row="One input file (and, where one file holds several nodes, one row a node).",
    key=("source_file", "node_id"),
    columns=(
        column("node_id", INT, "Node that wrote the file; null if not known."),
        column("source_file", STRING, "Path inside the input."),
        column("layout", STRING, "Layout its lines were read by."),
        column(
            "log_records", LONG, "Records in the file: a stack trace or a dump of several lines belongs to its record."
        ),
        column("matched", LONG, "Records that a template knows."),
        column("unmatched", LONG, "Records that no template knows; matched + unmatched = log_records."),
        column("foreign", LONG, "Unmatched records of loggers outside Kafka."),
        column("first_ts", TIMESTAMP, "First stamp in the file, corrected."),
        column("last_ts", TIMESTAMP, "Last stamp in the file, corrected."),
    ),
)

EVENTS = Table(
    name="events",
    row="One understood log record, or one line of a witness file (checkpoint, dump, description).",
    key=("event_id",),
    columns=(
        column("event_id", STRING, "source_file:line_number; the same for the same input."),
        column("ts", TIMESTAMP, "When, in UTC, corrected for zone and clock skew; null for files without time."),
        column("raw_ts", TIMESTAMP, "The line's own stamp, read as if it were UTC."),
        column("node_id", INT, "Node that wrote the line."),
        column("source_file", STRING, "File, as a path inside the input."),
        column("line_number", LONG, "Line in the file, from 1."),
        column("level", STRING, "Log level."),
        column("logger", STRING, "Logger as printed."),
        column("kind", STRING, "What kind of message it is (`replay.catalogue.kinds`)."),
        column("template_id", STRING, "Template that knew it (`kafka-replay catalogue`)."),
        column("topic", STRING, "Topic it is about."),
        column("topic_id", STRING, "Topic id, where printed."),
        column("partition", INT, "Partition it is about."),
        column("broker_id", INT, "Broker it is about."),
        column("leader_id", INT, "Leader it names; -1 none."),
        column("leader_epoch", INT, "Leader epoch it names."),
        column("partition_epoch", INT, "Partition epoch (zkVersion of the state znode) it names."),
        column("controller_id", INT, "Controller it names."),
        column("controller_epoch", INT, "Controller epoch it names."),
        column("broker_epoch", LONG, "Broker epoch it names."),
        column("isr", INTS, "In-sync replicas it names."),
        column("replicas", INTS, "Assigned replicas it names, in order of preference."),
        column("high_watermark", LONG, "High watermark it names."),
        column("log_end_offset", LONG, "Log end offset it names."),
        column("log_start_offset", LONG, "Log start offset it names."),
        column("epoch_start_offset", LONG, "Offset at which a leader epoch starts."),
        column("truncation_offset", LONG, "Offset to which a log is cut."),
        column("details", MapType(StringType(), StringType()), "Every other field of the template, by name."),
        column("message", STRING, "Message as printed (first line)."),
    ),
)

UNMATCHED = Table(
    name="unmatched",
    row="One wording that no template knows.",
    key=("normalized", "logger", "level"),
    columns=(
        column("normalized", STRING, "Message with its numbers and names replaced by <…>."),
        column("logger", STRING, "Logger as printed."),
        column("level", STRING, "Log level."),
        column("foreign", BOOLEAN, "The logger is not Kafka's."),
        column("count", LONG, "How often."),
        column("first_ts", TIMESTAMP, "First time."),
        column("last_ts", TIMESTAMP, "Last time."),
        column("example", STRING, "One of the messages."),
    ),
)

LEADER_EPOCHS = Table(
    name="leader_epochs",
    row="One leader epoch of one partition.",
    key=("topic", "topic_id", "partition", "leader_epoch"),
    columns=(
        _TOPIC,
        column(
            "topic_id",
            STRING,
            "Topic id; tells a topic from its successor of the same name. Null if no line prints it.",
        ),
        _PARTITION,
        _LEADER_EPOCH,
        column("leader_id", INT, "Broker that leads; -1 while the partition has no leader."),
        column("epoch_start_offset", LONG, "Log end offset of the leader when the epoch began; null if no line tells."),
        _START,
        _END,
        column(
            "elected_from",
            STRING,
            "Where the leader came from: `isr`, `elr` (clean), `last_known_leader`, `any_replica` (unclean); null "
            "if it led before or the ISR before is not known.",
        ),
        column("reason", STRING, "What made the epoch: created, election, leaderless, isr_change, unknown."),
        _CONFIDENCE,
        _EVIDENCE,
    ),
)

ISR_SPANS = Table(
    name="isr_spans",
    row="One committed ISR of one partition; an empty one commits nothing and has no row.",
    key=("topic", "topic_id", "partition", "leader_epoch", "partition_epoch", "start_ts"),
    columns=(
        _TOPIC,
        column("topic_id", STRING, "Topic id, where known."),
        _PARTITION,
        _LEADER_EPOCH,
        column("partition_epoch", INT, "Partition epoch of the state; null if no line prints it."),
        column("leader_id", INT, "Leader at that time; -1 none."),
        column("isr", INTS, "In-sync replicas, ascending."),
        column("replicas", INTS, "Assigned replicas; null if no line prints them."),
        column("min_isr", INT, "min.insync.replicas of the topic; null if no line tells."),
        _START,
        _END,
        _CONFIDENCE,
        _EVIDENCE,
    ),
)

ELECTIONS = Table(
    name="elections",
    row="One change of leader to a broker.",
    key=("topic", "partition", "leader_epoch", "ts"),
    columns=(
        _TOPIC,
        _PARTITION,
        _LEADER_EPOCH,
        column("ts", TIMESTAMP, "When the new leader epoch began."),
        column("old_leader_id", INT, "Broker that led before; null if not known."),
        column("new_leader_id", INT, "Broker that leads now."),
        column(
            "elected_from",
            STRING,
            "`isr`, `elr`, `last_known_leader`, `any_replica`; null if the state before is not known.",
        ),
        column(
            "trigger",
            STRING,
            "`broker_failure`, `controlled_shutdown`, `preferred`, `reassignment`, `admin`, "
            "`log_dir_failure`, `unknown`.",
        ),
        column(
            "leaderless_ms",
            LONG,
            "How long the partition had had no leader, by the controller's record; 0 if it never was without.",
        ),
        _EVIDENCE,
    ),
)

HIGH_WATERMARKS = Table(
    name="high_watermarks",
    row="One thing known of one replica's offsets at one moment.",
    key=("topic", "partition", "node_id", "ts", "source", "evidence"),
    columns=(
        _TOPIC,
        _PARTITION,
        column("node_id", INT, "Broker whose replica it is."),
        column("ts", TIMESTAMP, "When; null for checkpoint files without a time."),
        column("leader_epoch", INT, "Leader epoch that the replica was in, where known."),
        column("role", STRING, "`leader`, `follower` or null."),
        column("high_watermark", LONG, "The replica's own high watermark: a lower bound of the commit point."),
        column("log_end_offset", LONG, "The replica's log end offset."),
        column("log_start_offset", LONG, "The replica's log start offset."),
        column("source", STRING, "Kind of event that tells it."),
        _EVIDENCE,
    ),
)

COMMIT_BANDS = Table(
    name="commit_bands",
    row="A time in which what is known of a partition's commit point (true high watermark) stays the same.",
    key=("topic", "partition", "start_ts"),
    columns=(
        _TOPIC,
        _PARTITION,
        _START,
        _END,
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
        _TOPIC,
        _PARTITION,
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
        _EVIDENCE,
    ),
)

LEADER_EPOCH_CACHES = Table(
    name="leader_epoch_caches",
    row="One leader epoch in one replica's leader-epoch cache (the file `leader-epoch-checkpoint`), for as long as it stands there.",
    key=("topic", "partition", "node_id", "leader_epoch", "start_ts"),
    columns=(
        _TOPIC,
        _PARTITION,
        column("node_id", INT, "Broker whose replica it is."),
        _LEADER_EPOCH,
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
            "`leader` (it began to lead), `cache` (the cache says so), `append` (records of that leader epoch had come when it went on), `file`.",
        ),
        _EVIDENCE,
    ),
)

# Verdicts of a loss under which records are gone, or may be.
OPEN_VERDICTS = ("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED")

LOSSES = Table(
    name="losses",
    row="One judged leader change or restart that could have lost records.",
    key=("topic", "partition", "leader_epoch", "ts", "loss_class", "from_offset"),
    columns=(
        _TOPIC,
        _PARTITION,
        column("leader_epoch", INT, "The leader epoch in which the records are gone."),
        column("ts", TIMESTAMP, "When they were gone."),
        column("scenario", STRING, "S1-S9 of the facts, §3.3; null where whether the election was clean is not known."),
        column(
            "loss_class",
            STRING,
            "`committed`: below the old leader's commit point; `acked_possible`: above it, so only an acks=1 or acks=0 "
            "producer can have been told they were stored.",
        ),
        column(
            "verdict",
            STRING,
            "PROVEN_LOSS, POSSIBLE_LOSS, NO_COMMITTED_LOSS_BY_PROTOCOL, NO_LOSS_OBSERVED, UNDETERMINED.",
        ),
        column("from_offset", LONG, "First offset of the range."),
        column("to_offset_low", LONG, "[from, to_low) is lost for sure; null = nothing known."),
        column("to_offset_high", LONG, "[from, to_high) is lost at most; null = unknown."),
        column("old_leader_id", INT, "Broker whose log held the records."),
        column("new_leader_id", INT, "Broker whose log took its place."),
        column("recoverable_from", INTS, "Brokers that still held the range when last heard of."),
        column("premise", STRING, "The one thing that carries the verdict."),
        _EVIDENCE,
    ),
)

BROKER_SESSIONS = Table(
    name="broker_sessions",
    row="One life of one broker as the controller saw it.",
    key=("broker_id", "start_ts"),
    columns=(
        column("broker_id", INT, "The broker."),
        column("broker_epoch", LONG, "Its broker epoch; null if no line prints it."),
        _START,
        _END,
        column(
            "ended_by",
            STRING,
            "`controlled_shutdown`, `crash`, `session_timeout` (alive, but not heard), "
            "`unknown`; null while it goes on.",
        ),
        column("silent_ts", TIMESTAMP, "Last sign of life of the broker before the end, where its files tell."),
        _EVIDENCE,
    ),
)

FINDINGS = Table(
    name="findings",
    row="One conclusion.",
    key=("finding_id",),
    columns=(
        column("finding_id", STRING, "Name of the finding, stable for the same input."),
        column("incident_id", STRING, "Incident it belongs to."),
        column("code", STRING, "Fault of the taxonomy (facts §5), F01 …"),
        column("role", STRING, "`root_cause`, `contributing`, `effect`, `benign`."),
        column("severity", STRING, "`critical`, `high`, `medium`, `low`, `info`."),
        column("title", STRING, "One line."),
        column("summary", STRING, "What happened, how it is known, what else it could be and what would tell."),
        _START,
        _END,
        column("broker_ids", INTS, "For a root cause the brokers at fault, else those concerned."),
        column("partitions", STRINGS, "Partitions concerned, `topic-partition`."),
        column("confidence", DOUBLE, "How sure, 0 to 1."),
        column("blind_spots", STRINGS, "What the logs at hand cannot tell about it; empty if nothing is missing."),
        _EVIDENCE,
    ),
)

INCIDENTS = Table(
    name="incidents",
    row="One incident.",
    key=("incident_id",),
    columns=(
        column("incident_id", STRING, "Name of the incident, stable for the same input."),
        _START,
        _END,
        column("title", STRING, "One line."),
        column("severity", STRING, "The worst of its findings."),
        column("root_finding_id", STRING, "The finding it began with."),
        column("t0_low", TIMESTAMP, "Last proof of health before the root event."),
        column("t0_high", TIMESTAMP, "First proof of the fault."),
        column(
            "time_to_detect_ms",
            LONG,
            "From the first proof of the fault to the controller's detection; null if it never acted.",
        ),
        column("elections", LONG, "Changes of leader to another broker."),
        column(
            "leaders_untold",
            LONG,
            "Leader epochs that began in it and of which no line names the leader before: whether the leader changed is not known.",
        ),
        column("unclean_elections", LONG, "Elections of a replica outside the ISR (and ELR) before it."),
        column("leader_epoch_bumps", LONG, "New leader epochs that kept their leader."),
        column("leaderless_ms", LONG, "Sum over partitions of the time without a leader, by the controller's record."),
        column(
            "unserved_min_ms",
            LONG,
            "Sum over partitions of the time in which nobody served them, at least: without a leader, or with one whose process was dead or stood still, from the first proof of that to the next leader.",
        ),
        column("unserved_max_ms", LONG, "The same at most: from the last proof that the leader was well."),
        column(
            "under_replicated_ms",
            LONG,
            "Sum over partitions of the time with an ISR smaller than the replica set; null if no replica set is known.",
        ),
        column(
            "under_min_isr_ms",
            LONG,
            "Sum over partitions of the time with an ISR below min.insync.replicas; null if that is not known.",
        ),
        column(
            "single_copy_ms", LONG, "Sum over partitions of the time with one in-sync replica; null if no ISR is known."
        ),
        column("controller_downtime_ms", LONG, "Time without an active controller."),
        column(
            "partitions_affected",
            LONG,
            "Partitions that changed leader, lost members of their ISR, had a log cut or refused writes.",
        ),
        column("lost_offsets_min", LONG, "Committed offsets lost for sure."),
        column("lost_offsets_max", LONG, "Committed offsets lost at most; null = unknown."),
        column(
            "acked_possible_max",
            LONG,
            "Discarded offsets that an acks=1 producer may have been told were stored; null = unknown.",
        ),
        column("undetermined", LONG, "Loss questions that the logs cannot answer."),
        column(
            "leader_restored_ms",
            LONG,
            "From the first proof to a leader everywhere, 0 if there always was one; null if not reached.",
        ),
        column(
            "full_isr_ms",
            LONG,
            "From the first proof to full ISRs everywhere, 0 if they always were; null if not reached or not known.",
        ),
    ),
)

VERTICES = Table(
    name="vertices",
    row="One cause or effect: a happening that several events may tell of.",
    key=("id",),
    columns=(
        column("id", STRING, "Name of the vertex."),
        column("kind", STRING, "What happened, in one word (crash, detection, election, isr_shrink …)."),
        column("ts", TIMESTAMP, "When."),
        column("node_id", INT, "Broker it happened on, if on one."),
        column("topic", STRING, "Topic, if it concerns one partition."),
        column("partition", INT, "Partition, if it concerns one."),
        column("leader_epoch", INT, "Leader epoch, if it concerns one."),
        column("label", STRING, "One line for the graph."),
        column("incident_id", STRING, "Incident it belongs to."),
        _EVIDENCE,
    ),
)

EDGES = Table(
    name="edges",
    row="One cause and its effect.",
    key=("src", "dst", "relation"),
    columns=(
        column("src", STRING, "Cause (`vertices.id`)."),
        column("dst", STRING, "Effect (`vertices.id`)."),
        column("relation", STRING, "Causality rule (facts §6.1), R1 …"),
        column("because", STRING, "The facts that join the two, as a sentence."),
        column("confidence", DOUBLE, "How sure, 0 to 1."),
        column("delay_ms", LONG, "From cause to effect, in corrected time."),
    ),
)

BLIND_SPOTS = Table(
    name="blind_spots",
    row="One thing that the logs at hand cannot tell.",
    key=("kind", "node_id", "what"),
    columns=(
        column(
            "kind",
            STRING,
            "`no_file`, `gap`, `quiet`, `begins_late`, `level_too_high`, `no_metadata_log`, `no_copy_of_checkpoints`.",
        ),
        column("node_id", INT, "Node whose lines are missing; null if it is not about one."),
        _START,
        _END,
        column("what", STRING, "What is missing, as a sentence."),
        column("questions", STRINGS, "Questions that cannot be answered for it."),
        column("would_tell", STRING, "The files, or the logger's setting, that would answer them."),
        _EVIDENCE,
    ),
)

CONTROLLERS = Table(
    name="controllers",
    row="One tenure of one active controller.",
    key=("mode", "controller_epoch"),
    columns=(
        column(
            "mode", STRING, "`zk` or `kraft`: what elected it. In a migration both did, and their epochs count apart."
        ),
        column("controller_id", INT, "The node that was the active controller."),
        column("controller_epoch", INT, "Its controller epoch (KRaft: the Raft epoch in which it led the quorum)."),
        column("start_ts", TIMESTAMP, "When it won the election."),
        column("ready_ts", TIMESTAMP, "When it said that it was active, its state read; null if no line does."),
        column(
            "end_ts", TIMESTAMP, "When the next one began; null for the last. The old one may have been gone before."
        ),
        _EVIDENCE,
    ),
)

ISR_DROPS = Table(
    name="isr_drops",
    row="One broker that left ISRs under one leader, and at which of the two that points.",
    key=("broker_id", "leader_id"),
    columns=(
        column("broker_id", INT, "The broker that was dropped."),
        column("leader_id", INT, "The leader of the partitions at that time."),
        column("drops", LONG, "How often."),
        column(
            "as_session_ended",
            LONG,
            "How often of that as its session ended: it was stopped, died, or was not heard by the controller.",
        ),
        column("partition_count", LONG, "From the ISRs of how many partitions."),
        column(
            "suspect_id",
            INT,
            "The one that this points at: a broker that several leaders dropped or whose sessions ended, or a leader that alone dropped several; null if the two cannot be told apart by this.",
        ),
        column("first_ts", TIMESTAMP, "First time."),
        column("last_ts", TIMESTAMP, "Last time."),
        _EVIDENCE,
    ),
)

DEPOSED_LEADERS = Table(
    name="deposed_leaders",
    row="One leader that went on as such while another led, until it learnt of that: for some milliseconds in every change of leader, for seconds a zombie.",
    key=("topic", "partition", "broker_id", "leader_epoch"),
    columns=(
        _TOPIC,
        _PARTITION,
        column("broker_id", INT, "The broker that took itself for the leader."),
        column("leader_epoch", INT, "The leader epoch in which it had led."),
        column("deposed_ts", TIMESTAMP, "When the leader epoch of the other began."),
        column(
            "last_led_ts", TIMESTAMP, "The last line after that in which it acts as the leader; null if there is none."
        ),
        column("learnt_ts", TIMESTAMP, "When it first followed a later leader epoch; null if no line tells."),
        column(
            "believed_ms",
            LONG,
            "How long it took itself for the leader, as far as its lines tell; what an acks=1 producer wrote to it in that time was discarded.",
        ),
        _EVIDENCE,
    ),
)

REPLICAS = Table(
    name="replicas",
    row="One replica of one partition that was not deleted, as it stood when last told of.",
    key=("topic", "partition", "node_id"),
    columns=(
        _TOPIC,
        _PARTITION,
        column("node_id", INT, "Broker that holds the replica."),
        column(
            "trust",
            INT,
            "Which to trust first if the partition has no leader: 1 is a member of the last ISR, the one whose log reached furthest.",
        ),
        column("leader_id", INT, "Leader of the partition at the end of the logs; -1 none."),
        column(
            "in_isr",
            BOOLEAN,
            "It was in the last ISR that was committed: it holds every committed record, if its disk does.",
        ),
        column(
            "is_up", BOOLEAN, "The controller held the broker for alive at the end of the logs; null if no line tells."
        ),
        column(
            "log_end_offset",
            LONG,
            "Its log reached at least here when its broker last told of it; one that goes on may have grown since. Null if no line tells.",
        ),
        column("told_ts", TIMESTAMP, "When it told that."),
        column("high_watermark", LONG, "The last high watermark that its broker told."),
        _EVIDENCE,
    ),
)

CLOCK_OFFSETS = Table(
    name="clock_offsets",
    row="One node's clock in one window.",
    key=("node_id", "start_ts"),
    columns=(
        column("node_id", INT, "The node."),
        _START,
        _END,
        column("zone", STRING, "Time zone its stamps are read in."),
        column("offset_low_ms", DOUBLE, "Its clock is ahead of the reference by at least this (after the zone)."),
        column("offset_high_ms", DOUBLE, "… and at most this."),
        column("correction_ms", DOUBLE, "What was taken off its stamps."),
        column("reference_node_id", INT, "The node whose clock is the reference."),
    ),
)

VIOLATIONS = Table(
    name="violations",
    row="One broken invariant.",
    key=("invariant", "topic", "partition", "detail"),
    columns=(
        column("invariant", STRING, "I1-I32 of the facts, §2."),
        _TOPIC,
        _PARTITION,
        column("severity", STRING, "`critical`, `high`, `medium`, `low`, `info`."),
        column("verdict", STRING, "`violated`, or `unknown` where the evidence is incomplete."),
        column("detail", STRING, "What was seen against what was expected."),
        _EVIDENCE,
    ),
)

SECOND_WITNESS = Table(
    name="second_witness",
    row="One committed state of a partition: what the cluster kept of it (a dump of the metadata log, ZooKeeper's state) and what the nodes' logs say; empty where only logs are at hand.",
    key=("topic", "partition", "leader_epoch", "partition_epoch"),
    columns=(
        _TOPIC,
        column("topic_id", STRING, "Topic id, where known."),
        _PARTITION,
        _LEADER_EPOCH,
        column("partition_epoch", INT, "Partition epoch of the state; null where only logs tell of it and print none."),
        column("leader_id", INT, "Its leader by what the cluster kept, or else by the logs."),
        column("isr", INTS, "Its ISR by what the cluster kept."),
        column("ts", TIMESTAMP, "When the controller wrote it, or else when a log first tells of it."),
        column(
            "verdict",
            STRING,
            "`confirmed`: both say the same; `refined`: logs know the leader epoch, the metadata log or ZooKeeper the rest; `added`: no log "
            "tells of it; `contradicted`; `beyond_dump`: only logs tell of it, and what the cluster kept does not reach there.",
        ),
        column("told", STRING, "Both sides, as a sentence."),
        column("log_evidence", STRINGS, "What the nodes' logs say."),
        column("record_evidence", STRINGS, "What the metadata log or ZooKeeper says."),
    ),
)

SETTINGS = Table(
    name="settings",
    row="One setting that a node printed at a start, or that a properties file holds.",
    key=("node_id", "ts", "name", "event_id"),
    columns=(
        column("node_id", INT, "The node."),
        column("ts", TIMESTAMP, "When it printed it; null for a file."),
        column("name", STRING, "The setting; those that a verdict may rest on (`replay.reading.parse.SETTINGS`)."),
        column("value", STRING, "Its value; null if it is printed as null."),
        column("event_id", STRING, "The event that tells it."),
    ),
)

WHAT_IFS = Table(
    name="what_ifs",
    row="One thing that would have been otherwise under another setting (`kafka-replay what-if`; no part of a result folder).",
    key=("setting", "topic", "partition", "effect", "start_ts", "from_offset"),
    columns=(
        column("setting", STRING, "The setting that is changed."),
        column("value", STRING, "The value it is given."),
        _TOPIC,
        _PARTITION,
        column(
            "effect",
            STRING,
            "`writes_refused`, `range_never_acknowledged`, `range_still_lost`, `range_partly_unknown`, `leaderless`, `range_kept`, "
            "`shrink_avoided`, `shrink_moved`, `shrink_unknown`.",
        ),
        _START,
        _END,
        column("from_offset", LONG, "First offset concerned; null if not known."),
        column("to_offset", LONG, "Offset after the last one concerned; null if not known."),
        column("told", STRING, "What would have been otherwise, as a sentence."),
        column("assumptions", STRINGS, "What the answer takes for granted."),
        _EVIDENCE,
    ),
)

TABLES: tuple[Table, ...] = (
    COVERAGE,
    EVENTS,
    UNMATCHED,
    LEADER_EPOCHS,
    ISR_SPANS,
    ELECTIONS,
    HIGH_WATERMARKS,
    COMMIT_BANDS,
    TRUNCATIONS,
    LEADER_EPOCH_CACHES,
    LOSSES,
    BROKER_SESSIONS,
    CONTROLLERS,
    ISR_DROPS,
    DEPOSED_LEADERS,
    REPLICAS,
    FINDINGS,
    INCIDENTS,
    VERTICES,
    EDGES,
    CLOCK_OFFSETS,
    SETTINGS,
    SECOND_WITNESS,
    BLIND_SPOTS,
    VIOLATIONS,
)
