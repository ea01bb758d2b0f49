"""Brokers: their processes, sessions, settings, and the controllers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.columns import END, EVIDENCE, START
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    Long,
    column,
    row,
    table_of,
)


@row("broker_sessions", key=("broker_id", "start_ts"))
class BrokerSession(Row):
    """One session of one broker, as the controller recorded it; if no line of a controller shows the broker, as the broker
    registered. A session begins when a process registers or, in KRaft after a timeout, when the controller unfences the broker
    again.
    """

    broker_id: int = column("The broker.")
    broker_epoch: Long | MaybeNone = column("Its broker epoch; null if no line prints it.")
    start_ts: datetime | MaybeNone = START
    live_ts: datetime | MaybeNone = column(
        "When the controller unfenced the broker (KRaft), or saw its registration (ZooKeeper), and could elect it from then on; null "
        "if that is `start_ts`."
    )
    end_ts: datetime | MaybeNone = END
    ended_by: str | MaybeNone = column(
        "`controlled_shutdown`, `crash`, `session_timeout` (alive, without contact), `process_ended` (the graph shows how), "
        "`registered_anew` (`end_ts` is the next registration: it had ended by then), `unknown`; null while it is still open."
    )
    silent_ts: datetime | MaybeNone = column("Its last line before the end, if its files show it.")
    ended_before: bool | MaybeNone = column(
        "It had ended by `end_ts`: only the broker's own lines show its end, when it learned that the session had expired or registered "
        "again; null if a controller or ZooKeeper logged it."
    )
    seen_ts: datetime | MaybeNone = column(
        "The last time at which lines show it open, if no log in the input would show its end after that; null if one would, or if it "
        "ended."
    )
    evidence: Sequence[str] = EVIDENCE

    @property
    def member_ts(self) -> datetime | MaybeNone:
        """From when on the controller could elect it."""
        return self.start_ts if self.live_ts is None else self.live_ts


@row("membership", key=("event_id", "broker_id", "change"))
class MembershipChange(Row):
    """One change in the set of brokers, from one line or one record of the metadata log."""

    broker_id: int | MaybeNone = column("The broker.")
    ts: datetime | MaybeNone = column("When.")
    change: str = column(
        "`lost`, `back`, `registered` (KRaft), `registered_anew` (KRaft: another process of it), `registered_in_zookeeper`, "
        "`found_expired` (ZooKeeper: its own client learned that its session had expired), or "
        "`named_controller` (ZooKeeper: another broker found it as the controller, or received the first request of its epoch)."
    )
    broker_epoch: Long | MaybeNone = column("Its broker epoch, if known.")
    event_id: str = column("The event that shows it.")


@row("recorded_membership")
class RecordedMembership(MembershipChange):
    """One change in the set of brokers, from a record of the dumped metadata log."""


@row("metadata_records", key=("metadata_offset", "message"))
class MetadataRecord(Row):
    """One record of the metadata log, as dumps of all nodes have it in the highest Raft epoch of its offset."""

    metadata_offset: Long = column("Its offset.")
    raft_epoch: Long = column("Raft epoch of its batch; -1 without a batch before it.")
    type: str | MaybeNone = column("Type of the record.")
    message: str = column("The record, as JSON.")
    ts: datetime | MaybeNone = column("When, by the clock of the controller that wrote it.")
    first_event: str = column("The first line that has it, by event id.")
    last_event: str = column("The last line that has it, by event id.")


@row("controllers", key=("mode", "controller_epoch"))
class Controller(Row):
    """One tenure of one active controller."""

    mode: str = column("`zk` or `kraft`: what elected it. In a migration both did, with separate epochs.")
    controller_id: int | MaybeNone = column("The node that was the active controller.")
    controller_epoch: int = column("Its controller epoch (KRaft: the Raft epoch in which it led the quorum).")
    start_ts: datetime | MaybeNone = column("When it won the election.")
    begun_before: bool | MaybeNone = column(
        "It had won the election before `start_ts`, when another node learned of it; null if its own line dates it, or in KRaft "
        "the tenure before it bounds it."
    )
    ready_ts: datetime | MaybeNone = column(
        "When it logged that it was active, with its state read; null if no line shows it."
    )
    end_ts: datetime | MaybeNone = column(
        "When it logged that it resigned, else when the next one began; null if neither is logged. One that crashed "
        "may have ended before."
    )
    lost_rounds: int | MaybeNone = column(
        "Raft epochs since the last leader in which nodes stood for election and nobody won; null if none."
    )
    lost_rounds_from: datetime | MaybeNone = column("When the first node stood in them.")
    lost_rounds_of: Sequence[int] | MaybeNone = column("The nodes that stood in them.")
    deposed_by: int | MaybeNone = column(
        "The voter whose candidacy in a later Raft epoch made it give up its leadership; null if no line shows one."
    )
    deposed_through: int | MaybeNone = column(
        "The voter that followed it until `deposed_by` asked for votes, and then stood for election too, if the controller learned of "
        "this candidacy; null if it learned of that of `deposed_by`."
    )
    deposed_in: int | MaybeNone = column("The Raft epoch of that candidacy.")
    deposed_at: datetime | MaybeNone = column("When it gave up its leadership because of it.")
    deposed_evidence: Sequence[str] | MaybeNone = column("Its own line, and the line that names the candidate.")
    evidence: Sequence[str] = EVIDENCE


@row("settings", key=("node_id", "ts", "name", "event_id"))
class Setting(Row):
    """One setting that a node printed at a start, or that a properties file holds."""

    node_id: int = column("The node.")
    ts: datetime | MaybeNone = column("When it printed it; null for a file.")
    name: str = column("The setting; those that a verdict may rest on (`replay.reading.settings.SETTINGS`).")
    value: str | MaybeNone = column("Its value; null if it is printed as null.")
    event_id: str = column("The event that shows it.")


SETTINGS = table_of(Setting)


@row("node_addresses", key=("node_id", "host"))
class NodeAddress(Row):
    """One host on which a node listens, by its own lines or by those of its followers."""

    node_id: int = column("The node.")
    host: str = column("The host.")
    event_id: str = column("The first line that shows it.")


@row("line_runs", key=("node_id", "number"))
class LineRun(Row):
    """The lines of one node, from a line that may begin or end a process to the next such line."""

    node_id: int = column("The node.")
    number: int = column("Number of the run of lines; 0 are the lines before the first such line.")
    first_ts: datetime | MaybeNone = column("Its first line.")
    first_event: str | MaybeNone = column("Its first line, by event: that with which a life may begin.")
    last_ts: datetime | MaybeNone = column("Its last line.")
    last_line: Long | MaybeNone = column("Its last line, by its number in the file.")
    last_event: str | MaybeNone = column("Its last line, by event.")
    of_server_log: bool | MaybeNone = column("Some line is one that the default configuration writes to server.log.")
    of_kafka: bool | MaybeNone = column("Some line is one that no client of Kafka or ZooKeeper prints.")
    recovery_event: str | MaybeNone = column("A line of the recovery of a log.")


@row("processes", key=("node_id", "life"))
class ProcessLife(Row):
    """One run of one node's process, from its own files: from a start to the next, or to the end of its files."""

    node_id: int = column("The node.")
    life: int = column("Number of the life, from 0; 0 may have begun before the files do.")
    start_ts: datetime | MaybeNone = column("When it started; null if it ran before the files begin.")
    start_event: str | MaybeNone = column("The line of the start.")
    release: str | MaybeNone = column("The release of Kafka that it prints.")
    first_ts: datetime | MaybeNone = column("Its first line.")
    last_ts: datetime | MaybeNone = column("Its last line.")
    last_event: str | MaybeNone = column("Its last line, by event.")
    stop_ts: datetime | MaybeNone = column("When a shutdown began; null if no line shows one.")
    stop_event: str | MaybeNone = column("The line of that.")
    stopped_event: str | MaybeNone = column("The line with which the shutdown was done.")
    gave_up_event: str | MaybeNone = column("The line with which a controlled shutdown was given up.")
    moved_away_event: str | MaybeNone = column("The line with which a controlled shutdown had moved the leaders away.")
    fatal_event: str | MaybeNone = column("The first fatal error.")
    fatal_ts: datetime | MaybeNone = column("When.")
    fatal_said: str | MaybeNone = column("Its message, and the exception under it.")
    unclean_start_event: str | MaybeNone = column(
        "The line that says that no clean-shutdown marker was found at its start."
    )
    clean_start_event: str | MaybeNone = column("The line that says that one was found.")
    recovery_event: str | MaybeNone = column("A line of its log recovery.")
    next_start_ts: datetime | MaybeNone = column("When the next life started.")
    next_start_event: str | MaybeNone = column("The line of that.")
    next_release: str | MaybeNone = column("The release that the next life prints.")
    recovered_event: str | MaybeNone = column("The line of the next life that shows an unclean end of this one.")
    clean_event: str | MaybeNone = column("The line of the next life that shows a clean end of this one.")
    ended: str | MaybeNone = column(
        "`stopped`, `stopped_unseen` (the next run found a clean-shutdown marker, the lines of the stop are "
        "missing), `fatal`, `killed`; null if it runs at the end of its files, or nothing shows why they end."
    )


@row("wordings", key=("node_id",))
class NodeWordings(Row):
    """One node that has lines."""

    node_id: int = column("The node.")
    template_ids: Sequence[str] | MaybeNone = column("The templates of its lines, each once.")


@row("releases", key=("node_id",))
class NodeRelease(Row):
    """The Kafka release of one node."""

    node_id: int = column("The node.")
    version_low: int | MaybeNone = column("The lowest release it can be, as a number (`replay.facts.releases`).")
    version_high: int | MaybeNone = column("The highest.")


@row("timings", key=("node_id", "start_ts"))
class NodeTimings(Row):
    """The timeouts of one node, from one logged set of settings to the next; without a node: any other node."""

    node_id: int | MaybeNone = column("The node; null: any node without its own row.")
    start_ts: datetime | MaybeNone = column(
        "When it printed these settings; null for the first, which hold for the time before too."
    )
    end_ts: datetime | MaybeNone = column("When it printed the next ones; null while they hold.")
    replica_lag_ms: Long | MaybeNone = column(
        "replica.lag.time.max.ms: a leader drops a follower after 1 to 1.5 times this."
    )
    zookeeper_session_ms: Long | MaybeNone = column("The granted ZooKeeper session timeout, else the requested one.")
    broker_session_ms: Long | MaybeNone = column("broker.session.timeout.ms of the controllers (KRaft).")
    heartbeat_ms: Long | MaybeNone = column("broker.heartbeat.interval.ms (KRaft).")
    replica_socket_ms: Long | MaybeNone = column(
        "replica.socket.timeout.ms: a fetch on a silently cut link fails after this."
    )
    controller_socket_ms: Long | MaybeNone = column(
        "controller.socket.timeout.ms: a request of the controller that is not answered fails after this (ZooKeeper)."
    )
    fetch_wait_ms: Long | MaybeNone = column("replica.fetch.wait.max.ms: a fetch without news is answered after this.")
    fetch_backoff_ms: Long | MaybeNone = column(
        "replica.fetch.backoff.ms: how long a follower waits after an error before it fetches again."
    )
    checkpoint_ms: Long | MaybeNone = column(
        "replica.high.watermark.checkpoint.interval.ms: each log directory is written to so often."
    )
    quorum_fetch_ms: Long | MaybeNone = column(
        "controller.quorum.fetch.timeout.ms: a voter without answer seeks an election after this."
    )
    quorum_election_ms: Long | MaybeNone = column("controller.quorum.election.timeout.ms.")
    imbalance_check_ms: Long | MaybeNone = column("leader.imbalance.check.interval.seconds, in ms.")


@row("broken_connections", key=("event_id", "peer_id"))
class BrokenConnection(Row):
    """One line about a connection to another node that broke or could not be established; a run of similar lines is
    one row.
    """

    peer_id: int | MaybeNone = column("That node.")
    node_id: int | MaybeNone = column("The node that logged it.")
    ts: datetime | MaybeNone = column("When; of a run the first time.")
    last_ts: datetime | MaybeNone = column("The last time.")
    event_id: str = column("The line; of a run the first.")
    last_event_id: str | MaybeNone = column("The last line.")
    count: Long | MaybeNone = column("How many lines.")
    closed: bool | MaybeNone = column("It was closed, by the other side.")
    refused: bool | MaybeNone = column("No new one came about.")
    no_way: bool | MaybeNone = column(
        "The host of the node that logged it, or the network, rejected the attempt: no packet reached the process."
    )
    by_own_host: bool | MaybeNone = column("The host of the node that logged it rejected the attempt.")
    end_of_stream: bool | MaybeNone = column(
        "The other side's kernel ended it, as it does for every process that ends: its host ran."
    )
    open_ms: Long | MaybeNone = column("How long the fetch had been open that its end cancelled; null if it was none.")


@row("role_changes", key=("node_id", "series", "sort", "ts"))
class RoleChange(Row):
    """The changes of roles in one log of a node in one second."""

    node_id: int = column("The node.")
    series: str = column("The log: a file, with those that were rolled off it.")
    sort: str = column("`roles`: leaders and followers begin; `fetchers`: the fetcher actions for it.")
    ts: datetime = column("The first line in that second.")
    last_ts: datetime | MaybeNone = column("The last.")
    event_id: str | MaybeNone = column("One of the lines.")


@row("unanswered", key=("series", "sort", "event_id"))
class UnansweredRoleChange(Row):
    """One change of roles that is in one log of a node and missing in another one."""

    node_id: int | MaybeNone = column("The node.")
    series: str = column("The log that lacks it.")
    sort: str = column("The part that the other log has: `roles` or `fetchers`.")
    ts: datetime | MaybeNone = column("When.")
    event_id: str = column("A line that shows it.")
    answered: Long | MaybeNone = column("How many others of this sort the log answers.")


@row("silences_around", key=("node_id", "series", "ts"))
class SilenceAround(Row):
    """The time between the lines of a log around a change of roles that it lacks."""

    node_id: int = column("The node.")
    series: str = column("The log.")
    ts: datetime = column("When the change was.")
    start_ts: datetime | MaybeNone = column("The line before it.")
    start_event: str | MaybeNone = column("That line, by event.")
    end_ts: datetime | MaybeNone = column("The line after it.")
    end_event: str | MaybeNone = column("That line, by event.")
    is_whole: bool | MaybeNone = column(
        "Both are of consecutive requests of one controller: no line is missing between."
    )


@row("missing_lines", key=("node_id", "series", "start_ts"))
class MissingLine(Row):
    """One hole in one of a node's logs."""

    node_id: int = column("The node.")
    series: str = column("The log: a file, with those that were rolled off it.")
    start_ts: datetime = column("The last line before it.")
    end_ts: datetime | MaybeNone = column("The first line after it.")
    told: Long | MaybeNone = column("How many changes of roles the node's other logs have in that time.")
    evidence: Sequence[str] = EVIDENCE


BROKER_SESSIONS = table_of(BrokerSession)
MEMBERSHIP = table_of(MembershipChange)
RECORDED_MEMBERSHIP = table_of(RecordedMembership)
CONTROLLERS = table_of(Controller)
LINE_RUNS = table_of(LineRun)
PROCESSES = table_of(ProcessLife)
WORDINGS = table_of(NodeWordings)
RELEASES = table_of(NodeRelease)
TIMINGS = table_of(NodeTimings)
BROKEN_CONNECTIONS = table_of(BrokenConnection)
ROLE_CHANGES = table_of(RoleChange)
UNANSWERED = table_of(UnansweredRoleChange)
SILENCES_AROUND = table_of(SilenceAround)
MISSING_LINES = table_of(MissingLine)
