"""Brokers: their processes, sessions, settings, and the controllers."""

from __future__ import annotations

from replay.tables.columns import END, EVIDENCE, START
from replay.tables.table import BOOLEAN, INT, LONG, STRING, STRINGS, TIMESTAMP, Table, column

BROKER_SESSIONS = Table(
    name="broker_sessions",
    row="One life of one broker as the controller saw it.",
    key=("broker_id", "start_ts"),
    columns=(
        column("broker_id", INT, "The broker."),
        column("broker_epoch", LONG, "Its broker epoch; null if no line prints it."),
        START,
        END,
        column(
            "ended_by",
            STRING,
            "`controlled_shutdown`, `crash`, `session_timeout` (alive, but not heard), "
            "`unknown`; null while it is still open.",
        ),
        column("silent_ts", TIMESTAMP, "Its last line before the end, where its files tell."),
        EVIDENCE,
    ),
)

MEMBERSHIP = Table(
    name="membership",
    row="One change in who is in the cluster, as one line or one record of the metadata log tells it.",
    key=("event_id", "broker_id", "change"),
    columns=(
        column("broker_id", INT, "The broker."),
        column("ts", TIMESTAMP, "When."),
        column("change", STRING, "`lost`, `back` or `registered`."),
        column("broker_epoch", LONG, "Its broker epoch, where that is told."),
        column("event_id", STRING, "The event that tells it."),
    ),
)

RECORDED_MEMBERSHIP = MEMBERSHIP.extended(
    "recorded_membership", "One change in who is in the cluster, as a record of the dumped metadata log tells it."
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
        EVIDENCE,
    ),
)

SETTINGS = Table(
    name="settings",
    row="One setting that a node printed at a start, or that a properties file holds.",
    key=("node_id", "ts", "name", "event_id"),
    columns=(
        column("node_id", INT, "The node."),
        column("ts", TIMESTAMP, "When it printed it; null for a file."),
        column("name", STRING, "The setting; those that a verdict may rest on (`replay.reading.settings.SETTINGS`)."),
        column("value", STRING, "Its value; null if it is printed as null."),
        column("event_id", STRING, "The event that tells it."),
    ),
)

STRETCHES = Table(
    name="stretches",
    row="The lines of one node from one line that may begin or end a life of its process to the next such line.",
    key=("node_id", "number"),
    columns=(
        column("node_id", INT, "The node."),
        column("number", INT, "Number of the stretch; 0 are the lines before the first such line."),
        column("first_ts", TIMESTAMP, "Its first line."),
        column("first_event", STRING, "Its first line, by event: that with which a life may begin."),
        column("last_ts", TIMESTAMP, "Its last line."),
        column("last_line", LONG, "Its last line, by its number in the file."),
        column("last_event", STRING, "Its last line, by event."),
        column("of_server_log", BOOLEAN, "Some line is one that the shipped configuration writes to server.log."),
        column("of_kafka", BOOLEAN, "Some line is none that any client of Kafka or ZooKeeper prints too."),
        column("recovery_event", STRING, "A line of the recovery of a log."),
    ),
)

PROCESSES = Table(
    name="processes",
    row="One life of one node's process, as its own files tell: from a start to the next, or to the end of its files.",
    key=("node_id", "life"),
    columns=(
        column("node_id", INT, "The node."),
        column("life", INT, "Number of the life, from 0; 0 may have begun before the files do."),
        column("start_ts", TIMESTAMP, "When it started; null if it ran before the files begin."),
        column("start_event", STRING, "The line that tells the start."),
        column("first_ts", TIMESTAMP, "Its first line."),
        column("last_ts", TIMESTAMP, "Its last line."),
        column("last_event", STRING, "Its last line, by event."),
        column("stop_ts", TIMESTAMP, "When a shutdown began; null if no line tells one."),
        column("stop_event", STRING, "The line that tells that."),
        column("stopped_event", STRING, "The line with which the shutdown was done."),
        column("gave_up_event", STRING, "The line with which a controlled shutdown was given up."),
        column("fatal_event", STRING, "The first fatal error."),
        column("fatal_ts", TIMESTAMP, "When."),
        column("fatal_said", STRING, "Its message, and the exception under it."),
        column(
            "unclean_start_event", STRING, "The line that says that no clean-shutdown marker was found at its start."
        ),
        column("clean_start_event", STRING, "The line that says that one was found."),
        column("recovery_event", STRING, "A line of its log recovery."),
        column("next_start_ts", TIMESTAMP, "When the next life started."),
        column("next_start_event", STRING, "The line that tells that."),
        column("recovered_event", STRING, "The line of the next life that shows an unclean end of this one."),
        column("clean_event", STRING, "The line of the next life that shows a clean end of this one."),
        column(
            "ended",
            STRING,
            "`stopped`, `stopped_unseen` (the next life found a clean-shutdown marker, no line of the stop is here), "
            "`fatal`, `killed`; null where it runs at the end of its files, or nothing tells why they end.",
        ),
    ),
)

WORDINGS = Table(
    name="wordings",
    row="One node that has lines.",
    key=("node_id",),
    columns=(
        column("node_id", INT, "The node."),
        column("template_ids", STRINGS, "The templates that its lines are of, each once."),
    ),
)

RELEASES = Table(
    name="releases",
    row="What is known of the Kafka release that one node runs.",
    key=("node_id",),
    columns=(
        column("node_id", INT, "The node."),
        column("version_low", INT, "The lowest release it can be, as a number (`replay.facts.releases`)."),
        column("version_high", INT, "The highest."),
    ),
)

TIMINGS = Table(
    name="timings",
    row="How long one node waits for what, from one printing of its settings to the next; without a node: any other node.",
    key=("node_id", "start_ts"),
    columns=(
        column("node_id", INT, "The node; null: any that has no row of its own."),
        column(
            "start_ts",
            TIMESTAMP,
            "When it printed these settings; null for the first, which hold for the time before too.",
        ),
        column("end_ts", TIMESTAMP, "When it printed the next ones; null while they hold."),
        column("replica_lag_ms", LONG, "replica.lag.time.max.ms: a leader drops a follower after 1 to 1.5 times this."),
        column("zookeeper_session_ms", LONG, "The ZooKeeper session timeout that was granted, else asked for."),
        column("broker_session_ms", LONG, "broker.session.timeout.ms of the controllers (KRaft)."),
        column("heartbeat_ms", LONG, "broker.heartbeat.interval.ms (KRaft)."),
        column(
            "replica_socket_ms", LONG, "replica.socket.timeout.ms: a fetch on a silently cut link fails after this."
        ),
        column(
            "controller_socket_ms",
            LONG,
            "controller.socket.timeout.ms: a request of the controller that is not answered fails after this (ZooKeeper).",
        ),
        column("fetch_wait_ms", LONG, "replica.fetch.wait.max.ms: a fetch without news is answered after this."),
        column(
            "fetch_backoff_ms", LONG, "replica.fetch.backoff.ms: a follower that met an error fetches again after this."
        ),
        column(
            "checkpoint_ms",
            LONG,
            "replica.high.watermark.checkpoint.interval.ms: each log directory is written to so often.",
        ),
        column(
            "quorum_fetch_ms",
            LONG,
            "controller.quorum.fetch.timeout.ms: a voter without answer seeks an election after this.",
        ),
        column("quorum_election_ms", LONG, "controller.quorum.election.timeout.ms."),
        column("imbalance_check_ms", LONG, "leader.imbalance.check.interval.seconds, in ms."),
    ),
)

BROKEN_CONNECTIONS = Table(
    name="broken_connections",
    row="One line about a connection to another node that broke or did not come about; of many alike the run of them.",
    key=("event_id", "peer_id"),
    columns=(
        column("peer_id", INT, "That node."),
        column("node_id", INT, "The node that tells it."),
        column("ts", TIMESTAMP, "When; of a run the first time."),
        column("last_ts", TIMESTAMP, "The last time."),
        column("event_id", STRING, "The line; of a run the first."),
        column("last_event_id", STRING, "The last line."),
        column("count", LONG, "How many lines."),
        column("closed", BOOLEAN, "It was closed, not by the node that tells it."),
        column("refused", BOOLEAN, "No new one came about."),
    ),
)

ROLE_CHANGES = Table(
    name="role_changes",
    row="What one log of a node tells of changes of roles in one second.",
    key=("node_id", "series", "sort", "ts"),
    columns=(
        column("node_id", INT, "The node."),
        column("series", STRING, "The log: a file, with those that were rolled off it."),
        column("sort", STRING, "`roles`: leaders and followers begin; `fetchers`: what fetchers do for it."),
        column("ts", TIMESTAMP, "The first line in that second."),
        column("last_ts", TIMESTAMP, "The last."),
        column("event_id", STRING, "One of the lines."),
    ),
)

UNANSWERED = Table(
    name="unanswered",
    row="One change of roles that one log of a node tells of, and another one does not.",
    key=("series", "sort", "event_id"),
    columns=(
        column("node_id", INT, "The node."),
        column("series", STRING, "The log that does not tell of it."),
        column("sort", STRING, "What the other log tells: `roles` or `fetchers`."),
        column("ts", TIMESTAMP, "When."),
        column("event_id", STRING, "A line that tells it."),
        column("answered", LONG, "How many others of this sort the log answers."),
    ),
)

SILENCES_AROUND = Table(
    name="silences_around",
    row="The time between the lines of a log before and after a change of roles that it does not tell of.",
    key=("node_id", "series", "ts"),
    columns=(
        column("node_id", INT, "The node."),
        column("series", STRING, "The log."),
        column("ts", TIMESTAMP, "When the change was."),
        column("start_ts", TIMESTAMP, "The line before it."),
        column("start_event", STRING, "That line, by event."),
        column("end_ts", TIMESTAMP, "The line after it."),
        column("end_event", STRING, "That line, by event."),
    ),
)

MISSING_LINES = Table(
    name="missing_lines",
    row="One hole in one of a node's logs.",
    key=("node_id", "series", "start_ts"),
    columns=(
        column("node_id", INT, "The node."),
        column("series", STRING, "The log: a file, with those that were rolled off it."),
        column("start_ts", TIMESTAMP, "The last line before it."),
        column("end_ts", TIMESTAMP, "The first line after it."),
        column("told", LONG, "How many changes of roles the node's other logs tell of in that time."),
        EVIDENCE,
    ),
)
