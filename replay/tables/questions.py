"""What operators ask, and what cannot be answered."""

from __future__ import annotations

from replay.tables.columns import END, EVIDENCE, PARTITION, START, TOPIC
from replay.tables.table import BOOLEAN, INT, INTS, LONG, STRING, STRINGS, TIMESTAMP, TIMESTAMPS, Table, column

BLIND_SPOTS = Table(
    name="blind_spots",
    row="One thing that the logs at hand cannot tell.",
    key=("kind", "node_id", "what"),
    columns=(
        column(
            "kind",
            STRING,
            "`outside_window`, `no_file`, `shared_file`, `gap`, `quiet`, `begins_late`, `level_too_high`, `no_metadata_log`, `no_copy_of_checkpoints`.",
        ),
        column("node_id", INT, "Node whose lines are missing; null if it is not about one."),
        START,
        END,
        column("what", STRING, "What is missing, as a sentence."),
        column("questions", STRINGS, "Questions that cannot be answered for it."),
        column("would_tell", STRING, "The files, or the logger's setting, that would answer them."),
        EVIDENCE,
    ),
)

NODES_HEARD = Table(
    name="nodes_heard",
    row="What the lines of one node tell of; without a node: those of no known node.",
    key=("node_id",),
    columns=(
        column("node_id", INT, "The node."),
        column("is_kafka", BOOLEAN, "Some are of Kafka, not of ZooKeeper or Java alone."),
        column("takes_roles", BOOLEAN, "It takes on roles in partitions."),
        column("controls", BOOLEAN, "Some are of the controller's own loggers."),
        column("has_kraft", BOOLEAN, "It is in KRaft mode."),
        column("has_dump", BOOLEAN, "A dump of its metadata log is among them."),
        column("checkpoints_copied", TIMESTAMPS, "When its checkpoint files were copied that are among them."),
    ),
)

NODES_NAMED = Table(
    name="nodes_named",
    row="One node that lines name in a replica set or an ISR, as a leader or as a controller.",
    key=("node_id",),
    columns=(
        column("node_id", INT, "The node."),
        column("lines", LONG, "How many lines name it."),
        EVIDENCE,
    ),
)

EPOCHS_WITHOUT_LINE = Table(
    name="epochs_without_line",
    row="One leader epoch of which a node's files say nothing, though it took part in it.",
    key=("node_id", "topic", "partition", "leader_epoch", "start_ts"),
    columns=(
        column("node_id", INT, "The node."),
        TOPIC,
        PARTITION,
        column("leader_epoch", INT, "The leader epoch."),
        column("start_ts", TIMESTAMP, "When it began."),
    ),
)

EPOCHS_TOLD = Table(
    name="epochs_told",
    row="How many leader epochs one node began, and of how many lines are missing.",
    key=("node_id",),
    columns=(
        column("node_id", INT, "The node."),
        column("begun", LONG, "Leader epochs that it began as the leader; null if none."),
        column("begun_ts", TIMESTAMP, "The first of them."),
        column("without_isr", LONG, "Of how many of them no line tells an ISR."),
        column(
            "without_line",
            LONG,
            "Leader epochs in which it took part and of which its files say nothing; null if none.",
        ),
        column("without_line_ts", TIMESTAMP, "The first of these."),
    ),
)

QUIET_TIMES = Table(
    name="quiet_times",
    row="A time in which all files of one node are silent though leader epochs began.",
    key=("node_id", "start_ts", "end_ts"),
    columns=(
        column("node_id", INT, "The node."),
        column("start_ts", TIMESTAMP, "The last line before."),
        column("end_ts", TIMESTAMP, "The first line after."),
        column("without_line", LONG, "In how many of these leader epochs it took part; 0: leaders changed elsewhere."),
        EVIDENCE,
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
        EVIDENCE,
    ),
)

DEPOSED_LEADERS = Table(
    name="deposed_leaders",
    row="One leader that went on as such while another led, until it learnt of that: for some milliseconds in every change of leader, for seconds a zombie.",
    key=("topic", "partition", "broker_id", "leader_epoch"),
    columns=(
        TOPIC,
        PARTITION,
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
        EVIDENCE,
    ),
)

REPLICAS = Table(
    name="replicas",
    row="One replica of one partition that was not deleted, as it stood when last told of.",
    key=("topic", "partition", "node_id"),
    columns=(
        TOPIC,
        PARTITION,
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
            "Its log reached at least here when its broker last told of it; one that still runs may have grown since. Null if no line tells.",
        ),
        column("told_ts", TIMESTAMP, "When it told that."),
        column("high_watermark", LONG, "The last high watermark that its broker told."),
        EVIDENCE,
    ),
)

TRUSTED = Table(
    name="trusted",
    row="One broker that holds the replica to trust of partitions that end without a leader.",
    key=("broker_id",),
    columns=(
        column("broker_id", INT, "The broker."),
        column("partitions", LONG, "Of how many of them."),
        column("out_of_isr", LONG, "Of how many it had left the ISR: what only the last members held is not there."),
    ),
)

WHAT_IFS = Table(
    name="what_ifs",
    row="One thing that would have been otherwise under another setting (`kafka-replay what-if`; no part of a result folder).",
    key=("setting", "topic", "partition", "effect", "start_ts", "from_offset"),
    columns=(
        column("setting", STRING, "The setting that is changed."),
        column("value", STRING, "The value it is given."),
        TOPIC,
        PARTITION,
        column(
            "effect",
            STRING,
            "`writes_refused`, `range_never_acknowledged`, `range_still_lost`, `range_partly_unknown`, `leaderless`, `range_kept`, "
            "`shrink_avoided`, `shrink_moved`, `shrink_unknown`.",
        ),
        START,
        END,
        column("from_offset", LONG, "First offset concerned; null if not known."),
        column("to_offset", LONG, "Offset after the last one concerned; null if not known."),
        column("told", STRING, "What would have been otherwise, as a sentence."),
        column("assumptions", STRINGS, "What the answer takes for granted."),
        EVIDENCE,
    ),
)

_SET_ASIDE = column(
    "set_aside",
    STRING,
    "Why the file is not believed: `other_cluster` (the logs know none of its topics), `other_time` (its time is not that of the logs, or of the hour after them), "
    "`contradicted` (the logs say otherwise); null if it is.",
)

TOLD_OFFSETS = Table(
    name="told_offsets",
    row="One offset of a partition that one of Kafka's tools told.",
    key=("topic", "partition", "tool", "what", "group", "node_id", "evidence"),
    columns=(
        TOPIC,
        PARTITION,
        column("ts", TIMESTAMP, "When the tool was asked: the time in its folder's name; null without one."),
        column("tool", STRING, "`kafka-consumer-groups`, `kafka-get-offsets`, `kafka-log-dirs`."),
        column(
            "what",
            STRING,
            "`committed` (of a group), `high_watermark` (also what kafka-consumer-groups calls LOG-END-OFFSET), `log_start_offset`, `size` (bytes), "
            "`offset_lag` (how far the replica's log ends below the high watermark that its broker knows).",
        ),
        column("value", LONG, "The offset, or the number."),
        column("group", STRING, "The consumer group that committed; else null."),
        column("node_id", INT, "The broker whose replica it is, of `size` and `offset_lag`; else null."),
        _SET_ASIDE,
        EVIDENCE,
    ),
)

DESCRIBED_PARTITIONS = Table(
    name="described_partitions",
    row="One partition as `kafka-topics --describe` told it.",
    key=("topic", "partition", "evidence"),
    columns=(
        TOPIC,
        PARTITION,
        column("ts", TIMESTAMP, "When the tool was asked: the time in its folder's name; null without one."),
        column("leader_id", INT, "Broker that led; -1 none."),
        column("preferred_id", INT, "First of the assignment."),
        column("replicas", INTS, "The assignment."),
        column("isr", INTS, "In-sync replicas."),
        column("out_of_isr", INTS, "Replicas that were not in sync."),
        _SET_ASIDE,
        EVIDENCE,
    ),
)
