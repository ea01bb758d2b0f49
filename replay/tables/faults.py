"""What went wrong, and what operators asked for."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, MapType, StringType, StructField, StructType

from replay.sentences.statement import STATEMENT
from replay.tables.columns import EVIDENCE
from replay.tables.reading import EVENTS
from replay.tables.table import BOOLEAN, DOUBLE, INT, INTS, LONG, STRING, STRINGS, TIMESTAMP, Table, column

LINE = StructType([StructField("ts", TIMESTAMP), StructField("event_id", STRING)])

FAULTS = Table(
    name="faults",
    row="One thing that went wrong on a broker, a disk, the network or a clock, or that an operator asked for.",
    key=("fault_id",),
    columns=(
        column("fault_id", STRING, "Kind, node and time of its first proof."),
        column("kind", STRING, "What it was (`replay.faults.kinds`)."),
        column("code", STRING, "Its code, F01 …"),
        column("broker_id", INT, "Node at fault; null where no one node is."),
        column("peers", INTS, "Other nodes concerned: the other end of a link, the voters that were down."),
        column(
            "partitions", STRINGS, "Partitions that it befell, `topic-partition`; empty where it befell the whole node."
        ),
        column("ts", TIMESTAMP, "The first proof of it."),
        column("end_ts", TIMESTAMP, "The first proof that it was over; null where these logs have none."),
        column(
            "began_low",
            TIMESTAMP,
            "It began no earlier than this: the last proof that all was well; null if there is none.",
        ),
        column("began_high", TIMESTAMP, "It began no later than this."),
        column("ended_low", TIMESTAMP, "It ended no earlier than this: the last proof of it."),
        column("ended_high", TIMESTAMP, "It ended no later than this; null where these logs have no end of it."),
        column("confidence", DOUBLE, "How sure, 0 to 1."),
        column("reason", STRING, "How it is known (`replay.sentences.faults`)."),
        column("arguments", MapType(StringType(), StringType()), "What that sentence names."),
        column("unknowns", STRINGS, "What no line tells of it, by the names of `replay.sentences.faults`."),
        EVIDENCE,
    ),
)

KNOWN_OUTAGES = FAULTS.extended(
    "known_outages", "One outage, or one time in which a node could not reach ZooKeeper or its peers."
)

STATED_FAULTS = FAULTS.extended(
    "stated_faults", "One fault that lines state outright, one setting of a clock, or one request of an operator."
)

LAG_SHRINKS = Table(
    name="lag_shrinks",
    row="Lines of one second with which one leader drops one follower from ISRs.",
    key=("leader_id", "dropped_id", "removed", "woke", "ts"),
    columns=(
        column("leader_id", INT, "The leader."),
        column("dropped_id", INT, "The follower."),
        column("removed", INTS, "All followers that each of those lines drops."),
        column("woke", BOOLEAN, "Its leader dropped all followers of a partition then, and had them all back at once."),
        column("ts", TIMESTAMP, "The first of them."),
        column("last_ts", TIMESTAMP, "The last."),
        column("event_id", STRING, "The first line."),
        column("drops", LONG, "From how many ISRs."),
        column("left_alone", LONG, "How many of those ISRs were left with the leader alone."),
        column("caught_up_ms", LONG, "When the follower had last caught up, in epoch ms, as lines tell from 3.6 on."),
        column("first_back_ts", TIMESTAMP, "When the leader first had all that it dropped back in one of those ISRs."),
        column("back_ts", TIMESTAMP, "When it had them back in all of those ISRs; null if it had not."),
        column("names", STRINGS, "The partitions, `topic-partition`."),
        column("lines", ArrayType(LINE), "The first lines, with their times."),
    ),
)

REFUSED_ISR_WRITES = Table(
    name="refused_isr_writes",
    row="One spell in which ZooKeeper refused a leader's ISR writes for the same partitions again and again.",
    key=("node_id", "ts"),
    columns=(
        column("node_id", INT, "The leader."),
        column("ts", TIMESTAMP, "The first."),
        column("last_ts", TIMESTAMP, "The last."),
        column("count", LONG, "How many."),
        column("period_ms", LONG, "So much later a write is tried again."),
        column("partitions", STRINGS, "The partitions, `topic-partition`."),
        EVIDENCE,
    ),
)

GIVEN_UP_PARTITIONS = Table(
    name="given_up_partitions",
    row="Partitions that a fetcher gave up for errors of one second, and whose leaders dropped its broker in one second.",
    key=("node_id", "error_ts", "dropped_ts"),
    columns=(
        column("node_id", INT, "The broker whose fetcher gave them up."),
        column("error_ts", TIMESTAMP, "The first of the errors."),
        column("last_error_ts", TIMESTAMP, "The last of them."),
        column("failed_ts", TIMESTAMP, "When the first partition was marked as failed."),
        column("dropped_ts", TIMESTAMP, "When the first leader dropped the broker."),
        column("last_dropped_ts", TIMESTAMP, "When the last one did."),
        column("errors", STRINGS, "The lines of the errors."),
        column("drops", STRINGS, "The lines of the shrinking ISRs."),
    ),
)

EMPTIED_LOG_DIRS = Table(
    name="emptied_log_dirs",
    row="One start at which a broker found no log, though it had held partitions that it was given again.",
    key=("event_id",),
    columns=(
        column("node_id", INT, "The broker."),
        column("ts", TIMESTAMP, "When it had found no log."),
        column("event_id", STRING, "The line that tells it."),
        column("partitions", STRINGS, "The partitions that it had held and was given again, `topic-partition`."),
        column("held_event", STRING, "A line of one that it held before."),
        column("again_event", STRING, "A line of one that it was given again."),
    ),
)

DAMAGED_PARTITIONS = Table(
    name="damaged_partitions",
    row="One partition of which followers found the same records damaged, fetch after fetch, in one spell.",
    key=("name", "spell", "leader_id"),
    columns=(
        column("name", STRING, "The partition, `topic-partition`."),
        column("spell", LONG, "Number of the spell, of this partition."),
        column("leader_id", INT, "Its leader."),
        column("isr", INTS, "Its ISR, as it was last told before."),
        column("ts", TIMESTAMP, "The first such fetch."),
        column("last_ts", TIMESTAMP, "The last."),
        column("attempts", LONG, "How many."),
        column("fetch_offset", LONG, "From which offset on."),
        column("followers", INTS, "Who fetched."),
        column("error", STRING, "The first error."),
        EVIDENCE,
    ),
)

JUMPED_LOG_STARTS = Table(
    name="jumped_log_starts",
    row="One partition of a tiered topic whose new leader let its log start behind segments that stood in the remote store.",
    key=("name", "node_id", "ts"),
    columns=(
        column("name", STRING, "The partition, `topic-partition`."),
        column("node_id", INT, "The new leader."),
        column("ts", TIMESTAMP, "When it raised the log start."),
        column("event_id", STRING, "The line that tells that."),
        column("log_start_offset", LONG, "Where the log starts from then on."),
        column("before", LONG, "The highest log start that any line told before; null if none does."),
        column("first_offset", LONG, "The first offset of the earliest segment that was copied and not deleted."),
        column(
            "segments",
            LONG,
            "How many segments are told as copied there, and as deleted by no line, that begin before the new start.",
        ),
        column("copied_ts", TIMESTAMP, "When the last of them was copied."),
        column("deleted", LONG, "How many segments were deleted for that log start afterwards."),
        EVIDENCE,
    ),
)

MOVED_PARTITIONS = Table(
    name="moved_partitions",
    row="The lines of one second about partitions that are moved to other replicas.",
    key=("ts",),
    columns=(
        column("ts", TIMESTAMP, "The first of them."),
        column("last_ts", TIMESTAMP, "The last."),
        column("event_id", STRING, "The first line."),
        column("node_id", INT, "The node that wrote it."),
        column("names", STRINGS, "The partitions, `topic-partition`."),
        EVIDENCE,
    ),
)

ASKED_TIMES = Table(
    name="asked_times",
    row="A time of which a rule of faults asks what was written in it.",
    key=("node_id", "from_ts", "to_ts"),
    columns=(
        column("node_id", INT, "By this node; null: by every node."),
        column("from_ts", TIMESTAMP, "From when on; null: from the begin of the logs."),
        column("to_ts", TIMESTAMP, "Until when."),
    ),
)

WRITTEN_LINES = Table(
    name="written_lines",
    row="What one node wrote in a time of which a rule of faults asks.",
    key=("node_id", "from_ts", "to_ts"),
    columns=(
        column("node_id", INT, "The node."),
        column("from_ts", TIMESTAMP, "The time, as it was asked for (`asked_times`)."),
        column("to_ts", TIMESTAMP, "Its end."),
        column("logs", BOOLEAN, "It wrote lines of a logger, not only what stands in other files."),
        column("starts", BOOLEAN, "A process of it started."),
        column("takes_role", BOOLEAN, "It took up a part in a partition."),
        column("handled_ts", TIMESTAMP, "When it last handled a request of the controller (ZooKeeper)."),
    ),
)

PAUSES = FAULTS.extended("pauses", "One time in which a process stood still, or fell silent and nobody can say why.")
PROCESS_ENDS = FAULTS.extended("process_ends", "One end of a process: without a word, or an ordered stop.")
SESSIONS_LOST_WITHOUT_LOGS = FAULTS.extended(
    "sessions_lost_without_logs", "One session that ended while its broker gave no line."
)
OUTAGES_WITHOUT_LOGS = FAULTS.extended("outages_without_logs", "One outage of a node that gave no line of that time.")
SESSIONS_LOST_ALIVE = FAULTS.extended("sessions_lost_alive", "One session that timed out while its broker ran on.")
OUTAGES = FAULTS.extended("outages", "One time in which a node was gone, stood still, or was missed while it ran.")

FIRST_LINES = Table(
    name="first_lines",
    row="Where the files of one node begin; without a node: the lines of no known node.",
    key=("node_id",),
    columns=(
        column("node_id", INT, "The node."),
        column("told_ts", TIMESTAMP, "The first time that any of its files names, also one without lines of a logger."),
        column("first_ts", TIMESTAMP, "Its first line with a logger."),
        column("first_event", STRING, "That line."),
        column("start_ts", TIMESTAMP, "Its first line that only a starting process prints."),
    ),
)

SILENCES = Table(
    name="silences",
    row="A time within one life of a process in which none of its node's files has a line.",
    key=("node_id", "from_ts", "to_ts"),
    columns=(
        column("node_id", INT, "The node."),
        column("from_ts", TIMESTAMP, "The last line before."),
        column("to_ts", TIMESTAMP, "The first line after."),
        column("from_event", STRING, "The last line before; null where the files begin after the silence."),
        column("to_event", STRING, "The first line after."),
        column(
            "without_zookeeper",
            BOOLEAN,
            "It had lost ZooKeeper as the silence began and not found it again: it ran, out of reach.",
        ),
    ),
)

FIRST_MENTIONS = Table(
    name="first_mentions",
    row="A broker that lines name as a leader or in an ISR.",
    key=("broker_id",),
    columns=(
        column("broker_id", INT, "The broker."),
        column("member_ts", TIMESTAMP, "When it is first named."),
    ),
)

MEMORY_ERRORS = Table(
    name="memory_errors",
    row="The lines of one node and second that tell of an OutOfMemoryError.",
    key=("node_id", "ts"),
    columns=(
        column("node_id", INT, "The node."),
        column("ts", TIMESTAMP, "The first of them."),
        column("last_ts", TIMESTAMP, "The last."),
        column("event_id", STRING, "The first line."),
        column("count", LONG, "How many."),
        EVIDENCE,
    ),
)

PAUSE_SIGNS = Table(
    name="pause_signs",
    row="What lines of which there may be many say of a node that may have stood still, those of one second as one row.",
    key=("kind", "node_id", "told_by", "ts"),
    columns=(
        column(
            "kind",
            STRING,
            "The kind of event: `isr_shrink` (its leader dropped it alone), `fetch_fenced_epoch` (a leader epoch was news"
            " to it), `gc_pause`, `jvm_safepoint` (it stood still for its Java).",
        ),
        column("node_id", INT, "The node that they tell of."),
        column("told_by", INT, "The node whose lines they are."),
        column("ts", TIMESTAMP, "The first of them."),
        column("elapsed_ms", LONG, "How long it stood still for its Java, at most; null of other kinds."),
        column("lines", ArrayType(LINE), "The first of the lines, with their times."),
    ),
)

LATE_ROLES = Table(
    name="late_roles",
    row="Parts in decisions of the KRaft controllers that a broker took up long after another one, of one second.",
    key=("node_id", "first_ts", "ts"),
    columns=(
        column("node_id", INT, "The broker."),
        column("first_ts", TIMESTAMP, "When the first broker took up its part."),
        column("first_event", STRING, "Its line."),
        column("ts", TIMESTAMP, "When this one did, first."),
        column("last_ts", TIMESTAMP, "And last."),
        column("event_id", STRING, "One of its lines."),
        column("late_ms", LONG, "How much later, at most."),
        column("names", STRINGS, "The partitions, `topic_id/partition`."),
        EVIDENCE,
    ),
)

TESTIMONIES = EVENTS.extended("testimonies", "One line of a host, of Java, a container or an operator that testifies.")
WITNESSES = Table(
    name="witnesses",
    row="What a host, Java, a container or an operator testifies of one node.",
    key=("event_id", "node_id"),
    columns=(
        column("node_id", INT, "The node that it is about."),
        column("kind", STRING, "What kind of line it is (`replay.catalogue.host_kinds`)."),
        column("ts", TIMESTAMP, "When, at the earliest; null where it does not tell."),
        column(
            "latest_ts",
            TIMESTAMP,
            "When, at the latest: a stamp of whole seconds may be of any time within its second.",
        ),
        column("event_id", STRING, "The line."),
        column("details", MapType(StringType(), StringType()), "What it names."),
        column("message", STRING, "The line as it is told."),
    ),
)

WITNESSED = Table(
    name="witnessed",
    row="One fault of which others than Kafka testify.",
    key=("fault_id",),
    columns=(
        column("fault_id", STRING, "The fault."),
        column("by", STRING, "What testifies, by the names of `replay.faults.witnessed`."),
        column("befell", STRING, "What the title says happened; null where the fault's own words stand."),
        column("is_dated", BOOLEAN, "That ends with the time that is testified."),
        column("said", ArrayType(STATEMENT), "What is testified, what contradicts it, what it rules out."),
        column("evidence", STRINGS, "The lines."),
    ),
)
