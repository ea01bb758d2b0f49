"""Partitions: leaders, ISRs, elections."""

from __future__ import annotations

from replay.tables.columns import CONFIDENCE, END, EVIDENCE, LEADER_EPOCH, LIFE, PARTITION, START, TOPIC, TOPIC_ID
from replay.tables.table import BOOLEAN, INT, INTS, LONG, STRING, STRINGS, TIMESTAMP, TIMESTAMPS, Table, column

LEADER_EPOCHS = Table(
    name="leader_epochs",
    row="One leader epoch of one partition.",
    key=("topic", "topic_id", "partition", "leader_epoch"),
    columns=(
        TOPIC,
        column(
            "topic_id",
            STRING,
            "Topic id; tells a topic from its successor of the same name. Null if no line prints it.",
        ),
        PARTITION,
        LEADER_EPOCH,
        column("leader_id", INT, "Broker that leads; -1 while the partition has no leader."),
        column("epoch_start_offset", LONG, "Log end offset of the leader when the epoch began; null if no line tells."),
        START,
        END,
        column(
            "elected_from",
            STRING,
            "Where the leader came from: `isr`, `elr` (clean), `last_known_leader`, `any_replica` (unclean); null "
            "if it led before or the ISR before is not known.",
        ),
        column("reason", STRING, "What made the epoch: created, election, leaderless, isr_change, unknown."),
        CONFIDENCE,
        EVIDENCE,
    ),
)

ISR_SPANS = Table(
    name="isr_spans",
    row="One committed ISR of one partition; an empty one commits nothing and has no row.",
    key=("topic", "topic_id", "partition", "leader_epoch", "partition_epoch", "start_ts"),
    columns=(
        TOPIC,
        TOPIC_ID,
        PARTITION,
        LEADER_EPOCH,
        column("partition_epoch", INT, "Partition epoch of the state; null if no line prints it."),
        column("leader_id", INT, "Leader at that time; -1 none."),
        column("isr", INTS, "In-sync replicas, ascending."),
        column("replicas", INTS, "Assigned replicas; null if no line prints them."),
        column("min_isr", INT, "min.insync.replicas of the topic; null if no line tells."),
        START,
        END,
        CONFIDENCE,
        EVIDENCE,
    ),
)

ELIGIBLE_LEADERS = Table(
    name="eligible_leaders",
    row="The eligible leader replicas of one partition (KIP-966), from the line or record that tells them to the next state that is told.",
    key=("topic", "topic_id", "partition", "leader_epoch", "partition_epoch", "start_ts"),
    columns=(
        TOPIC,
        TOPIC_ID,
        PARTITION,
        LEADER_EPOCH,
        column("partition_epoch", INT, "Partition epoch of the state; null if no line prints it."),
        column("leader_id", INT, "Leader at that time; -1 none."),
        column("isr", INTS, "In-sync replicas, ascending; it may be empty."),
        column(
            "elr",
            INTS,
            "Who holds all that is committed though not in sync, and may be elected cleanly; null if not told.",
        ),
        column(
            "last_known_elr",
            INTS,
            "The last known ELR: who left the ELR by an unclean stop, or led last; null if not told.",
        ),
        START,
        END,
        EVIDENCE,
    ),
)

ELECTIONS = Table(
    name="elections",
    row="One change of leader to a broker.",
    key=("topic", "partition", "leader_epoch", "ts"),
    columns=(
        TOPIC,
        PARTITION,
        LEADER_EPOCH,
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
        EVIDENCE,
    ),
)

FAILOVERS = Table(
    name="failovers",
    row="One replica in one change of leader: why it was taken or was not, when it learnt of it, and what it cut.",
    key=("topic", "partition", "leader_epoch", "ts", "broker_id"),
    columns=(
        TOPIC,
        PARTITION,
        LEADER_EPOCH,
        column("ts", TIMESTAMP, "When the new leader epoch began."),
        column("broker_id", INT, "The replica's broker."),
        column(
            "place",
            INT,
            "Its place in the assignment, 1 is the preferred leader; null if it is not in it, or none is known.",
        ),
        column("in_isr", BOOLEAN, "It was in the ISR just before; null if that is not known."),
        column("is_alive", BOOLEAN, "The controller knew it as alive then; null if no line tells of its sessions."),
        column("was_taken", BOOLEAN, "It leads from then on."),
        column(
            "reason",
            STRING,
            "Why it was taken: `preferred_and_in_isr`, `in_isr`, `in_elr`, "
            "`last_known_leader`, `any_replica` (unclean), `state_before_not_known`. Why it was not: `being_stopped`, `not_alive`, "
            "`not_in_isr`, `later_in_assignment`, `moved_by_reassignment`, `not_known`.",
        ),
        column("learnt_ts", TIMESTAMP, "When its own lines first name the new leader epoch; null if they never do."),
        column(
            "lag_ms", LONG, "How long after the beginning of the leader epoch that was; 0 for a clock that is behind."
        ),
        column(
            "log_end_offset",
            LONG,
            "Where its log ended as it took its role: the leader leads from there; null if no line tells.",
        ),
        column(
            "truncation_offset", LONG, "To where it cut its log first, as it followed; null if no line tells of a cut."
        ),
        EVIDENCE,
    ),
)

SECOND_WITNESS = Table(
    name="second_witness",
    row="One committed state of a partition: what the cluster kept of it (a dump of the metadata log, ZooKeeper's state) and what the nodes' logs say; empty where only logs are at hand.",
    key=("topic", "partition", "leader_epoch", "partition_epoch"),
    columns=(
        TOPIC,
        TOPIC_ID,
        PARTITION,
        LEADER_EPOCH,
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

TOPIC_LIVES = Table(
    name="topic_lives",
    row="A name that several topics have had, or whose topic was deleted.",
    key=("topic",),
    columns=(
        column("topic", STRING, "The name."),
        column("borders", TIMESTAMPS, "When each successor of the first topic began."),
        column("ends", TIMESTAMPS, "When each topic of the name ended; null for one that still exists."),
    ),
)

TOPIC_SETTINGS = Table(
    name="topic_settings",
    row="The settings of one topic that verdicts rest on: its own, else the cluster's, else its brokers' defaults.",
    key=("topic",),
    columns=(
        TOPIC,
        column("min_isr", INT, "min.insync.replicas; null if no line tells."),
        column("unclean_allowed", BOOLEAN, "unclean.leader.election.enable; null if no line tells."),
        column("setting_event", STRING, "The line that tells the topic's own."),
        column(
            "unclean_set_ts",
            TIMESTAMP,
            "When a line first told that unclean elections are allowed for the topic, after one that told that they were not.",
        ),
        column("unclean_set_event", STRING, "That line."),
    ),
)

ASSIGNMENTS = Table(
    name="assignments",
    row="The first assignment told of one partition.",
    key=("topic", "partition"),
    columns=(
        TOPIC,
        PARTITION,
        column("assigned", INTS, "Its replicas, in order of preference."),
        column("described", INTS, "Its replicas as they are described at the end; null if they are not."),
        column("moved_ts", TIMESTAMP, "From when on it may have other replicas; null if nothing says so."),
    ),
)

PARTITION_STATE_REPORTS = Table(
    name="partition_state_reports",
    row="One mention of a partition's state, whoever made it.",
    key=("event_id", "topic", "partition", "leader_epoch", "source"),
    columns=(
        TOPIC,
        LIFE,
        column("topic_id", STRING, "Topic id, where printed."),
        PARTITION,
        LEADER_EPOCH,
        column("partition_epoch", INT, "Partition epoch it names."),
        column("leader_id", INT, "Leader it names; -1 none."),
        column("isr", INTS, "In-sync replicas it names, ascending."),
        column("replicas", INTS, "Assigned replicas it names."),
        column("elr", INTS, "Eligible leader replicas it names (KIP-966)."),
        column("last_known_elr", INTS, "Last known eligible leader replicas it names."),
        column("recovering", BOOLEAN, "The leader is recovering from an unclean election (KIP-704)."),
        column("epoch_start_offset", LONG, "Log end offset with which the leader begins."),
        column("ts", TIMESTAMP, "When it was said; null for a file without time."),
        column("node_id", INT, "Node that said it."),
        column(
            "witness",
            STRING,
            "Who says it: `record`, `znode`, `decision`, `commit`, `leader`, `follower`, `request`, `intent`.",
        ),
        column("born", BOOLEAN, "It is said as the leader epoch begins, and is not a repetition."),
        column("event_id", STRING, "The line."),
    ),
)

PARTITION_STATES = Table(
    name="partition_states",
    row="One distinct state of a partition that some report told, whole or in part.",
    key=("topic", "life", "partition", "leader_epoch", "state_order"),
    columns=(
        TOPIC,
        LIFE,
        PARTITION,
        LEADER_EPOCH,
        column("partition_epoch", INT, "Partition epoch; null if no line prints it."),
        column("isr", INTS, "In-sync replicas."),
        TOPIC_ID,
        column("leader_id", INT, "Leader; -1 none."),
        column("replicas", INTS, "Assigned replicas; null if no line prints them."),
        column("elr", INTS, "Eligible leader replicas; null if no line prints them."),
        column("last_known_elr", INTS, "Last known eligible leader replicas; null if no line prints them."),
        column("recovering", BOOLEAN, "The leader is recovering from an unclean election."),
        column("witness", STRING, "The best of those who told it."),
        column("ts", TIMESTAMP, "When it was first told."),
        EVIDENCE,
        column("state_order", INT, "Its place in its leader epoch: the partition epoch, or that of the state before."),
    ),
)

REBUILT_LEADER_EPOCHS = Table(
    name="rebuilt_leader_epochs",
    row="One leader epoch of one partition, laid end to end with the others, before its election is judged.",
    key=("topic", "life", "partition", "leader_epoch"),
    columns=(
        TOPIC,
        LIFE,
        PARTITION,
        LEADER_EPOCH,
        TOPIC_ID,
        column("leader_id", INT, "Leader; -1 none; null if only its log end is told."),
        column("epoch_start_offset", LONG, "Log end offset of the leader when it began to lead."),
        column("leader_ts", TIMESTAMP, "When the leader itself says that it began."),
        START,
        CONFIDENCE,
        EVIDENCE,
        END,
        column("next_leader_epoch", INT, "The next leader epoch that is mentioned."),
        column("next_witness", STRING, "The best of the sorts of lines that mention it."),
    ),
)

JUDGED_LEADER_EPOCHS = REBUILT_LEADER_EPOCHS.extended(
    "judged_leader_epochs",
    "One leader epoch of one partition, and how its leader came to lead.",
    column("old_leader_id", INT, "Leader of the leader epoch before; -1 none."),
    column("last_leader_id", INT, "The last leader before."),
    column("isr_before", INTS, "The ISR of the state just before."),
    column("isr_before_evidence", STRINGS, "The lines that tell that."),
    column("replicas", INTS, "Assigned replicas; null if no line tells them."),
    column("untold_epochs", INT, "Leader epochs since the last one with a leader that no line tells."),
    column("elected_from", STRING, "Where the leader came from, as in `leader_epochs`."),
    column("reason", STRING, "What made the leader epoch, as in `leader_epochs`."),
    column("leaderless_ms", LONG, "For how long there was no leader before."),
)

JUDGED_ELECTIONS = ELECTIONS.extended(
    "judged_elections",
    "One change of leader to a broker, with the state before it.",
    LIFE,
    column("isr_before", INTS, "The ISR before it; null if not known."),
    column("replicas", INTS, "Assigned replicas; null if no line prints them."),
    key=("topic", "life", "partition", "leader_epoch", "ts"),
)

COMMITTED_ISRS = Table(
    name="committed_isrs",
    row="One committed ISR of one partition; with KIP-966 it may be empty.",
    key=("topic", "life", "partition", "leader_epoch", "state_order"),
    columns=(
        TOPIC,
        LIFE,
        PARTITION,
        TOPIC_ID,
        LEADER_EPOCH,
        column("partition_epoch", INT, "Partition epoch; null if no line prints it."),
        column("state_order", INT, "Its place in its leader epoch."),
        column("leader_id", INT, "Leader; -1 none."),
        column("isr", INTS, "In-sync replicas, ascending."),
        column("replicas", INTS, "Assigned replicas; null if no line prints them."),
        column("elr", INTS, "Eligible leader replicas; null if no line prints them."),
        column("recovering", BOOLEAN, "The leader is recovering from an unclean election."),
        column("ts", TIMESTAMP, "When it was first told."),
        CONFIDENCE,
        EVIDENCE,
        START,
        END,
    ),
)

ISR_SHRINKS = COMMITTED_ISRS.extended(
    "isr_shrinks",
    "One time at which a partition's committed ISR lost members while it had a leader.",
    column("isr_was", INTS, "The ISR before."),
    column("removed", INTS, "The members that left."),
    column("id", STRING, "Name of its vertex."),
    key=("id",),
)

ROLE_LINES = Table(
    name="role_lines",
    row="One line in which a broker takes on a leader epoch of a partition.",
    key=("topic", "partition", "node_id", "leader_epoch", "ts", "kind"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "The broker."),
        LEADER_EPOCH,
        column("ts", TIMESTAMP, "When it says so."),
        column("kind", STRING, "The line's kind."),
    ),
)
