"""The kinds of faults: one record per kind, one per code of findings, and the sets of kinds that other packages use.

To add a fault, add one record here, one rule that finds it, its wordings in `replay.sentences.faults`, and a test.
Source: facts §5 (what each is, what proves it) and §5.1 (what distinguishes it from similar faults).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Flag, auto

from replay.codes import Code


class Stops(Flag):
    """What a node cannot do while a fault lasts."""

    NOTHING = 0
    RUNNING = auto()  # its process is gone or stopped
    SESSION = auto()  # the controllers, or ZooKeeper, may end its session
    FETCHING = auto()  # it cannot fetch as a follower, so it leaves ISRs
    SERVING = auto()  # it serves no fetches as a leader, so its followers leave ISRs
    VOTING = auto()  # it is missing as a voter, or calls elections
    STORING = auto()  # its logs may be shorter when it returns


EVERYTHING = Stops.RUNNING | Stops.SESSION | Stops.FETCHING | Stops.SERVING | Stops.VOTING
CRASH = EVERYTHING | Stops.STORING
UNREACHABLE = Stops.SESSION | Stops.FETCHING | Stops.SERVING | Stops.VOTING


@dataclass(frozen=True)
class FaultCode(Code):
    """A code of faults.

    `look_next`: what to check next (`look_next_of_controller`: on a dedicated controller). `settings`: the settings
    involved. `stops_process`: the process is dead or frozen during the fault.
    """

    look_next: str = ""
    look_next_of_controller: str = ""
    settings: tuple[str, ...] = ()
    stops_process: bool = False


# What a fault explains in the lines of others (`explained_by` of packs): a node out of reach; the same without an order to stop; a
# process that ended without closing its logs; a lost directory; an ordered change; the deletion of a topic; a refused
# registration; a leader from outside the ISR, whose shorter log the others follow; batches that its election lost.
OUTAGE, UNASKED_OUTAGE, UNCLEAN_END = "outage", "unasked outage", "unclean end"
DIRECTORY, CHANGE, DELETION, REGISTRATION = "directory", "change", "deletion", "registration"
SHORTER_LEADER, LOST_BATCHES = "shorter leader", "lost batches"
EXPLAIN = (OUTAGE, UNASKED_OUTAGE, UNCLEAN_END, DIRECTORY, CHANGE, DELETION, REGISTRATION, SHORTER_LEADER, LOST_BATCHES)


@dataclass(frozen=True)
class Follows:
    """The kinds of faults of the same node that can cause a fault of this kind, the rule that decides it, and the
    reason.
    """

    causes: tuple[str, ...]
    rule: str
    reason: str


@dataclass(frozen=True)
class FaultKind:
    """A kind of fault.

    `predicate`: what happened to the node ("broker 2 froze"); kinds without a single node have a `title` instead.
    `rival`: the alternative explanation, and the line that would decide between the two. `proof`: the line that
    proves it. `seen_in`: the bundled traces that show it (`kafka-replay docs faults`). `trigger`: why the controller
    replaces an affected leader. `look_next`: what to check next, if the code's text does not fit. `look_next_if`:
    replaces `look_next` if the fault's statement has one of these arguments; the first match counts.
    `stops_replication`: the node logs the fault itself and runs on without replicating. `holds_isr`: the node's
    partitions keep ISR members that it tries to remove, so acks=all waits for them. `is_of_peers`: the fault
    concerns only the nodes that it names as peers. `crash`: the process ended without a clean shutdown. `of_disk`:
    the node runs on without a log directory. `cut_off`: the node ran but could not reach others or be reached.
    `needs_cause`: another fault always comes before it, so without one in these logs it is no root cause.
    `refuses_start`: the node's registration or start is refused. `is_silent`: the process prints nothing while it lasts.
    `explains_lines`: whether other lines can follow from it, where that is not simply whether it stops anything.
    """

    name: str
    code: str
    predicate: str
    proof: str
    stops: Stops = Stops.NOTHING
    title: str = ""
    routine: bool = False
    ordered_stop: bool = False
    asked_for: bool = False
    uncertain: bool = False
    decided_by: tuple[str, ...] = ()
    stops_replication: bool = False
    holds_isr: bool = False
    is_of_peers: bool = False
    crash: bool = False
    of_disk: bool = False
    cut_off: bool = False
    needs_cause: bool = False
    refuses_start: bool = False
    is_silent: bool = False
    explains_lines: bool | None = None
    trigger: str = ""
    severity: str = "medium"
    rival: str = ""
    look_next: str = ""
    look_next_if: tuple[tuple[str, str], ...] = ()
    follows: tuple[Follows, ...] = ()
    seen_in: tuple[str, ...] = ()

    @property
    def explains(self) -> str:
        """What it explains in the lines of others; empty if no line follows from it."""
        sort = DIRECTORY if self.stops == Stops.STORING else OUTAGE
        sort = REGISTRATION if self.refuses_start else CHANGE if self.asked_for else sort
        stops = sort != OUTAGE or bool(self.stops & EVERYTHING)
        return sort if (stops if self.explains_lines is None else self.explains_lines) else ""


CODES: tuple[FaultCode, ...] = (
    FaultCode(
        "F00",
        "Cause not found",
        "Something changed or failed, and no line shows why.",
        "the host's system log and monitoring at that time; `kafka-replay lines` around it, for the lines of all nodes.",
    ),
    FaultCode(
        "F01",
        "Crash or kill",
        "The process ended without a shutdown. A kill and a crash leave the same trace; so does a power loss, unless logs come back shorter than they were.",
        "the host's system log (OOM killer, power, reboot), the process manager, and whether somebody copied the dead broker's checkpoint files before its restart.",
        look_next_of_controller="the host's system log (OOM killer, power, reboot) and the process manager.",
        settings=("zookeeper.session.timeout.ms", "broker.session.timeout.ms"),
        stops_process=True,
    ),
    FaultCode(
        "F02",
        "Shutdown",
        "The broker was asked to stop. A clean shutdown moves its leaders away and writes clean-shutdown markers; the title says where that failed.",
        "who asked for it (deployment, operator, autoscaler); nothing else if every ISR was full before.",
    ),
    FaultCode(
        "F03",
        "Rolling restart",
        "Every broker was shut down and started again, one after the other.",
        "whether two brokers were out at once: run `kafka-replay diff` over each restart.",
    ),
    FaultCode(
        "F04",
        "Pause",
        "The whole process froze and resumed: garbage collection, a frozen machine, a stop signal.",
        "the garbage-collection log and the host's log (freeze, migration of the machine, a stop signal) for that time.",
        settings=("zookeeper.session.timeout.ms", "broker.session.timeout.ms"),
        stops_process=True,
    ),
    FaultCode(
        "F05",
        "Cut from peers",
        "A broker could not reach other brokers, and kept its session.",
        "the network between the two brokers, and the disk of the leader: a stalled disk looks the same.",
        settings=("replica.lag.time.max.ms", "min.insync.replicas"),
    ),
    FaultCode(
        "F06",
        "Cut from the controllers",
        "A broker could not reach the controllers; its finding states whether it reached its peers.",
        "the network between that broker and the controllers; the controller's queue times if it was slow instead.",
    ),
    FaultCode(
        "F07",
        "ZooKeeper session lost",
        "The broker ran, and its ZooKeeper session expired.",
        "the network between that broker and ZooKeeper, ZooKeeper's own log, and the broker's garbage-collection log; several brokers at once point at ZooKeeper.",
    ),
    FaultCode(
        "F08",
        "Controller failover",
        "Another node became the active controller.",
        "why the former controller was lost: its own findings come before this one.",
    ),
    FaultCode(
        "F09",
        "Controller moved repeatedly",
        "Several changes of controller within minutes.",
        "ZooKeeper sessions or Raft elections of each controller, and errors when it took office.",
    ),
    FaultCode(
        "F10",
        "Metadata quorum changed its leader",
        "The KRaft voters elected another leader.",
        "the former quorum leader: a pause, a restart or a cut comes before this.",
    ),
    FaultCode(
        "F11",
        "Metadata quorum lost",
        "No KRaft leader could be elected, so the metadata could not change.",
        "how many voters ran and reached each other; the Raft lines of each voter.",
    ),
    FaultCode(
        "F12",
        "Fenced while alive",
        "The controller fenced a broker that still ran.",
        "the controller's load, and heartbeat errors of that broker.",
        settings=("broker.session.timeout.ms",),
    ),
    FaultCode(
        "F13",
        "Slow follower",
        "A follower fell behind and left ISRs repeatedly.",
        "disk, throttles, load and short pauses of that follower.",
        settings=("replica.lag.time.max.ms",),
    ),
    FaultCode(
        "F14",
        "Log directory problem",
        "A log directory failed, came back empty, holds damaged records, belongs to another node or cluster, or could not be reported to the controllers.",
        "the exception under the error line, and the disk.",
    ),
    FaultCode("F15", "Disk full", "A broker had no space left.", "free space, retention, and which topics grew."),
    FaultCode(
        "F16",
        "Unclean election",
        "A replica from outside the ISR became leader; records that only the ISR held are lost.",
        "the page's Losses for each partition, `unclean.leader.election.enable`, and where the last ISR's logs are: they may still hold the records.",
        settings=("unclean.leader.election.enable",),
    ),
    FaultCode(
        "F17",
        "Preferred leader election",
        "Leadership moved to the first replica of the assignment. Routine.",
        "whether it was expected; as a rule it is routine.",
    ),
    FaultCode(
        "F18",
        "Reassignment",
        "Replicas moved to other brokers.",
        "whether it was requested; under-replication is expected until it is complete.",
    ),
    FaultCode(
        "F19",
        "Topic deletion",
        "A topic was deleted, or its deletion waits for a broker.",
        "whether it was requested; a halted deletion waits for a broker that is down.",
    ),
    FaultCode(
        "F20",
        "Too few in-sync replicas",
        "The ISR was smaller than min.insync.replicas, so writes with acks=all were rejected.",
        "which replicas were missing from the ISR and why; leaders rejected writes with acks=all until they were back.",
        settings=("min.insync.replicas",),
    ),
    FaultCode(
        "F21",
        "Clock step",
        "A clock was set, or drifted from the others.",
        "NTP or chrony of that host; the order of lines between nodes relies on corrected clocks.",
    ),
    FaultCode(
        "F22",
        "ISR change refused by ZooKeeper",
        "A leader's view of the partition was stale, so it could not change the ISR. Writes with acks=all are blocked by members that it cannot remove, until it applies the newer state.",
        "whether that broker is a stale leader (table deposed_leaders); it ends with a restart or a new controller.",
    ),
    FaultCode(
        "F23",
        "ISR change refused by the controller",
        "The controller ignored a leader's ISR change, or the leader could not deliver it.",
        "the controller's log at the same time, and the broker epoch of the leader's last registration; a restart of that leader ends it.",
    ),
    FaultCode(
        "F24",
        "Log recovery",
        "The broker checked the logs of a directory without a clean-shutdown marker before it served: the stop was unclean, or the directory had failed before it.",
        "how long the load took, and whether the log came back shorter (page, Losses).",
    ),
    FaultCode(
        "F25",
        "Replica fetcher died",
        "A follower stopped fetching a partition after an error.",
        "the exception of the fetcher; the partition stays behind until it gets a new leader epoch or the broker restarts.",
    ),
    FaultCode(
        "F26",
        "Out of memory",
        "Java ran out of memory; single threads may have died.",
        "heap settings and a heap dump; restart the broker, since single threads may be dead.",
    ),
    FaultCode(
        "F27",
        "Authentication failed",
        "Brokers could not authenticate with each other.",
        "certificates and passwords of the inter-broker listener, and their expiry.",
    ),
    FaultCode(
        "F28",
        "Metadata version changed",
        "The protocol or metadata version of the cluster was raised.",
        "whether it was requested; `kafka-features describe` shows the level and the supported range of each feature.",
    ),
    FaultCode(
        "F29",
        "Restart rejected",
        "The previous session of the same broker was still active.",
        "whether the old session has ended and the broker is registered since; if the refusals continue, which other process uses its id.",
    ),
    FaultCode(
        "F32",
        "Metadata lag",
        "One broker applied the cluster's metadata much later than the others.",
        "the metadata thread, disk and load of that broker.",
    ),
    FaultCode(
        "F33",
        "Metadata not applied",
        "A node could not apply a record or a snapshot of the cluster's metadata.",
        "the exception under the line, and the release of that node beside the others; keep a copy of its metadata directory before anything else; `kafka-dump-log --cluster-metadata-decoder` shows the record at that offset.",
    ),
    FaultCode(
        "F34",
        "Quorum voters changed, or differ",
        "A voter joined the metadata quorum, left it, or came back with another disk; or nodes run with different voters.",
        "`kafka-metadata-quorum describe --replication`: whether each voter runs with the directory that the quorum has for it.",
    ),
    FaultCode(
        "F35",
        "Remote store failed",
        "A broker could not copy to the remote store of tiered storage, or read from it.",
        "the exception, the remote store's own log, its credentials and quota; free space on the local disks while copies fail.",
    ),
    FaultCode(
        "F36",
        "Group rebalanced repeatedly",
        "A group was rebalanced many times while members missed heartbeats.",
        "the consumers' own logs: ends of processes, time between polls against max.poll.interval.ms; static membership (group.instance.id) avoids rebalances at restarts.",
    ),
    FaultCode(
        "F37",
        "Coordinator not loaded",
        "A broker could not load the state of a group, a share group or transactions.",
        "the exception; whether that partition's replicas are in sync. Another leader of the partition loads it again.",
    ),
    FaultCode(
        "F38",
        "Transaction left open",
        "A producer did not end its transaction before its timeout, or a partition did not accept the marker that ends one.",
        "the producer of that transactional id: did it die between begin and commit? kafka-transactions find-hanging and describe show the transactions that are open now.",
    ),
    FaultCode(
        "F39",
        "Kept fenced",
        "A broker registered at startup, and the controllers did not unfence it, or refuse its heartbeats because of its registration.",
        "whether its heartbeats reach the active controller; its own lines of MetadataLoader and RaftManager: does it fetch the metadata log, and does it apply it; `kafka-metadata-quorum describe --replication` shows how far each node has read.",
    ),
    FaultCode(
        "F40",
        "Log start jumped",
        "A new leader of a tiered topic set its log start offset above records that the remote store held, or deleted them there at once.",
        "which objects of those partitions the remote store still has, and copy them out at once: the leader's next cleanup (remote.log.manager.task.interval.ms) deletes everything before the log start offset.",
    ),
)

# Faults that keep a leader from learning about changes, so that it continues with stale state.
_STATES_CHANGED_MEANWHILE = Follows(
    (
        "cut_from_zookeeper",
        "cut_from_controllers",
        "out_of_controllers_reach",
        "paused",
        "silent",
        "zookeeper_lost",
    ),
    "R3",
    "partitions_had_changed_meanwhile",
)

# Cuts that keep the controller's requests from a leader in ZooKeeper mode.
MISSED_CHANGES = "missed_changes_of_controller"
_MISSED_ITS_CHANGES = Follows(("link_cut", "cut_from_peers"), "R3", MISSED_CHANGES)

# Faults that keep a leader's ISR changes from the controller, or the answers from the leader.
_HELD_UP_ITS_CHANGES = Follows(
    (
        "cut_from_zookeeper",
        "cut_from_controllers",
        "out_of_controllers_reach",
        "cut_from_peers",
        "link_cut",
        "fenced_alive",
        "paused",
        "silent",
        "zookeeper_lost",
        "slow_follower",
        "dropped_unseen",
    ),
    "R3",
    "held_up_its_isr_changes",
)

_HOSTS_OF_PEERS = (
    "error",
    "the routes and outgoing firewall rules on the hosts of its peers, which rejected their connections to it themselves (`ip route get ADDRESS`, `ip route show table all`, `iptables -S OUTPUT`, `nft list ruleset`).",
)
_HOSTS_OF_LINK = (
    "all_rejecting",
    "the routes and outgoing firewall rules on each host that rejected connections of this link itself (`ip route get ADDRESS`, "
    "`ip route show table all`, `iptables -S OUTPUT`, `nft list ruleset`).",
)
_ALL_HOSTS = (
    "all_rejecting",
    "the routes and outgoing firewall rules on its host and on those of its peers: each of these hosts rejected connections itself (`ip route get ADDRESS`, `ip route show table all`, `iptables -S OUTPUT`, `nft list ruleset`).",
)
_OWN_HOST = (
    "rejected",
    "the routes and outgoing firewall rules on its host, which rejected the connections itself (`ip route get ADDRESS`, `ip route show table all`, `iptables -S OUTPUT`, `nft list ruleset`).",
)
# In place of the predicate of a kind that may be a kill.
LOST_ITS_END = "crashed and lost the end of its log"
LEFT_DAMAGE = "crashed and left damaged logs"

KINDS: tuple[FaultKind, ...] = (
    FaultKind(
        "killed",
        "F01",
        "crashed or was killed",
        "The node's files end without a shutdown; its next start finds no clean-shutdown marker, or peers find its connections closed and refused.",
        CRASH,
        rival="A host or power failure looks the same in these logs; check the host's system log.",
        look_next_if=(
            (
                "host_ran",
                "the host's system log (OOM killer, reboot), the process manager, and whether somebody copied the dead broker's checkpoint files before its restart.",
            ),
        ),
        follows=(Follows(("out_of_memory", "log_dir_failed", "disk_full"), "R1", "did_not_outlive_it"),),
        seen_in=("kill-leader-kraft-4.1.1", "unclean-election-zk-2.8.2", "last-replica-standing-kraft-3.9.1"),
        trigger="broker_failure",
        crash=True,
        decided_by=(
            "log_dir_unclean_shutdown",
            "log_segment_recovery",
            "node_disconnected",
            "node_connect_failed",
            "zookeeper_connection_lost",
        ),
    ),
    FaultKind(
        "halted",
        "F01",
        "stopped itself after a fatal error",
        "A fatal error is the last thing the node prints.",
        CRASH,
        follows=(
            Follows(
                (
                    "log_dir_failed",
                    "disk_full",
                    "out_of_memory",
                    "registration_refused",
                    "disk_refused",
                    "metadata_unapplied",
                    "feature_unsupported",
                    "controllers_unreached",
                ),
                "R1",
                "stopped_itself",
            ),
        ),
        trigger="broker_failure",
        crash=True,
        decided_by=(
            "process_fatal_exit",
            "process_startup_failed",
            "log_dirs_all_failed",
            "broker_halt_io_error",
            "broker_halt_dir_offline",
            "log_dir_failure_fatal",
            "fetch_truncation_not_allowed",
            "fault_fatal",
            "broker_offline_dir_unreported",
            "broker_registration_timeout",
        ),
    ),
    FaultKind(
        "stopped",
        "F02",
        "was shut down cleanly",
        "The node's own shutdown lines, the controller that granted the stop, or the clean-shutdown marker that its next start finds.",
        EVERYTHING,
        routine=True,
        ordered_stop=True,
        seen_in=("last-replica-standing-kraft-3.9.1",),
        trigger="controlled_shutdown",
        decided_by=(
            "process_signal",
            "broker_controlled_shutdown_done",
            "broker_shutdown_done",
            "log_dir_clean_shutdown",
        ),
    ),
    FaultKind(
        "stopped_uncleanly",
        "F02",
        "was stopped, but not cleanly",
        "Its controlled shutdown failed, or its next start finds no clean-shutdown marker though the stop came to its end.",
        CRASH,
        ordered_stop=True,
        trigger="controlled_shutdown",
        decided_by=("broker_controlled_shutdown_gave_up", "log_dir_unclean_shutdown"),
    ),
    FaultKind(
        "stopped_with_failed_disk",
        "F02",
        "was shut down after a log directory had failed",
        "A stop that came to its end and left no clean-shutdown marker in the log directory that had failed before; or that left the marker in some log directories but not in all.",
        EVERYTHING,
        routine=True,
        ordered_stop=True,
        trigger="controlled_shutdown",
        decided_by=("process_signal", "broker_shutdown_done", "log_dir_unclean_shutdown"),
    ),
    FaultKind(
        "stop_begun",
        "F02",
        "was asked to stop; the end of its shutdown is not in these logs",
        "The node's first shutdown lines, without the last one and without a start after them.",
        EVERYTHING,
        routine=True,
        ordered_stop=True,
        trigger="controlled_shutdown",
        decided_by=(
            "process_signal",
            "broker_shutdown_begin",
            "broker_shutting_down",
            "broker_controlled_shutdown_begin",
        ),
    ),
    FaultKind(
        "stop_cut_short",
        "F02",
        "was killed before its shutdown was complete",
        "Shutdown lines without the last one, and a next start that finds no clean-shutdown marker.",
        CRASH,
        ordered_stop=True,
        trigger="controlled_shutdown",
        decided_by=("log_dir_unclean_shutdown", "log_segment_recovery"),
    ),
    FaultKind(
        "paused",
        "F04",
        "froze",
        "An elapsed time far above its timeout in the first lines after a silence, or the garbage-collection log.",
        EVERYTHING,
        rival="A virtual machine's freeze, a stop signal and a long garbage collection look the same; check the garbage-collection log and the host's system log.",
        seen_in=(),
        decided_by=("node_inflight_cancelled", "zk_client_timeout", "gc_pause", "jvm_safepoint"),
        is_silent=True,
    ),
    FaultKind(
        "silent",
        "F00",
        "fell silent, cause not logged",
        "The node's lines stop, others continue without it, and no line shows why.",
        EVERYTHING,
        uncertain=True,
        look_next_if=(
            (
                "kept",
                "the network of its host (links, switches, firewall rules) and what froze it (garbage collection, disk, "
                "virtual machine): its process did not end. Its own server.log would show which of the two.",
            ),
            (
                "at_anew",
                "its own server.log first: it shows until when it ran. Then the network of its host (links, switches, firewall "
                "rules), what froze it (garbage collection, disk, virtual machine), and what ended its process before its restart "
                "(out-of-memory killer, process manager, reboot).",
            ),
        ),
        decided_by=(
            "node_disconnected",
            "node_connect_failed",
            "kraft_broker_session_timeout",
            "controller_broker_change",
        ),
        is_silent=True,
    ),
    FaultKind(
        "cut_from_peers",
        "F05",
        "was cut off from its peers",
        "Its leaders drop all other replicas while other leaders drop only this broker; no session ends and its files continue.",
        Stops.FETCHING | Stops.SERVING | Stops.VOTING,
        rival="A leader whose disk or threads stall looks the same unless its followers print refused connections.",
        seen_in=("isolate-leader-from-followers-kraft-3.7.2",),
        cut_off=True,
        look_next="the network to its peers, and its own disk: a stalled disk looks the same.",
        look_next_if=(_ALL_HOSTS, _OWN_HOST, _HOSTS_OF_PEERS),
        decided_by=("isr_shrink",),
    ),
    FaultKind(
        "link_cut",
        "F05",
        "was cut off from one peer",
        "Two brokers drop each other from the ISRs they lead while every other leader keeps both; or fetches between them, and no others, fail both ways repeatedly.",
        Stops.FETCHING | Stops.SERVING,
        rival="If neither fetches from a third broker, a network failure of one of them looks the same.",
        cut_off=True,
        look_next_if=(_HOSTS_OF_LINK,),
        decided_by=("fetch_send_error", "fetch_request_error", "isr_shrink"),
    ),
    FaultKind(
        "cut_from_controllers",
        "F06",
        "was cut off from the controllers",
        "Its session times out while its files continue, and its own heartbeats fail.",
        UNREACHABLE,
        rival="An overloaded controller, which answers no heartbeat in time, looks the same.",
        cut_off=True,
        look_next_if=(
            _ALL_HOSTS,
            _OWN_HOST,
            (
                "all_peers",
                "the network from that broker to the controllers and to the brokers that it could not fetch from.",
            ),
            ("unconnected", "the network from that broker to the controllers."),
        ),
        decided_by=("broker_heartbeat_failed", "node_request_timeout", "node_connect_failed"),
    ),
    FaultKind(
        "controllers_unreached",
        "F06",
        "could not reach the active controller at startup",
        "Its attempts to register are not answered, for half a minute or until it gives up.",
        Stops.SESSION | Stops.FETCHING,
        rival="A quorum without a leader looks the same from there: check the controllers' own lines.",
        follows=(Follows(("quorum_lost",), "R26", "no_controller_to_register_with"),),
        cut_off=True,
        look_next_if=(
            _ALL_HOSTS,
            _OWN_HOST,
        ),
        decided_by=("broker_registration_timeout", "broker_registration_failed"),
    ),
    FaultKind(
        "out_of_controllers_reach",
        "F06",
        "could not be reached by the controller",
        "The controller's requests to it, or the connections for them, fail repeatedly while it keeps logging and keeps its session (ZooKeeper).",
        Stops.FETCHING | Stops.SERVING,
        rival="A broker whose request threads are all busy looks the same if no connection is refused; check its request metrics.",
        cut_off=True,
        look_next_if=(
            _ALL_HOSTS,
            _OWN_HOST,
        ),
        decided_by=("controller_broker_connect_failed", "controller_send_failed_retry"),
    ),
    FaultKind(
        "cut_from_zookeeper",
        "F07",
        "lost its ZooKeeper session while it ran",
        "Its session expires while its files continue, and its ZooKeeper client finds no server.",
        UNREACHABLE,
        rival="An overloaded ZooKeeper looks the same; check ZooKeeper's own log.",
        follows=(Follows(("zookeeper_away",), "R3", "no_broker_had_zookeeper"),),
        cut_off=True,
        look_next_if=(
            _ALL_HOSTS,
            _OWN_HOST,
            (
                "all_peers",
                "the network from that broker to ZooKeeper and to the brokers that it could not fetch from.",
            ),
            (
                "all_kept",
                "the network between that broker and ZooKeeper, and the broker's garbage-collection log.",
            ),
        ),
        decided_by=("zk_client_timeout", "zk_session_expired"),
    ),
    FaultKind(
        "zookeeper_lost",
        "F07",
        "lost contact with ZooKeeper while it ran",
        "Its ZooKeeper client was without a server for longer than one reconnect takes.",
        Stops.NOTHING,
        rival="An overloaded ZooKeeper looks the same; check ZooKeeper's own log.",
        follows=(Follows(("zookeeper_away",), "R3", "no_broker_had_zookeeper"),),
        cut_off=True,
        look_next_if=(
            _ALL_HOSTS,
            _OWN_HOST,
        ),
        decided_by=("zk_client_timeout", "zk_session_expired"),
        explains_lines=True,
    ),
    FaultKind(
        "zookeeper_away",
        "F07",
        "",
        "All brokers of these logs were without ZooKeeper at the same time.",
        title="No broker could reach ZooKeeper",
        decided_by=("zk_client_timeout", "zk_client_disconnected", "zk_session_expired"),
        explains_lines=True,
    ),
    FaultKind(
        "voter_cut_off",
        "F10",
        "was cut off from the other voters",
        "A voter finds no leader while another voter leads.",
        Stops.VOTING,
        look_next_if=(
            _ALL_HOSTS,
            _OWN_HOST,
        ),
        decided_by=(
            "raft_election_timeout",
            "raft_become_candidate",
            "raft_become_prospective",
            "raft_election_lost_votes",
            "raft_check_quorum_lost",
        ),
    ),
    FaultKind(
        "quorum_lost",
        "F11",
        "",
        "Voters look for a leader for longer than an election takes while none exists, or most voters are down.",
        title="Metadata quorum lost",
        severity="high",
        is_of_peers=True,
        decided_by=(
            "raft_check_quorum_lost",
            "raft_election_timeout",
            "raft_become_candidate",
            "raft_become_prospective",
            "raft_election_lost_votes",
        ),
        explains_lines=True,
    ),
    FaultKind(
        "fenced_alive",
        "F12",
        "was fenced while it was alive",
        "Its session times out while its files continue, and none of its lines reports anything out of reach.",
        Stops.SESSION,
        rival="The broker or the controller may have been too slow; check garbage-collection logs and the controller's event queue times.",
        decided_by=("kraft_broker_session_timeout", "controller_broker_change", "zk_session_expired"),
    ),
    FaultKind(
        "kept_fenced",
        "F39",
        "was kept fenced after it had registered",
        "It registers and is not unfenced within a minute, not counting the time in which it loads its logs.",
        Stops.SESSION | Stops.FETCHING,
        rival="If none of its heartbeats failed, only DEBUG shows what it waits for: check its BrokerLifecycleManager and the active controller's BrokerHeartbeatManager.",
        follows=(
            Follows(("metadata_unapplied",), "R17", "could_not_read_on"),
            Follows(("quorum_lost",), "R26", "nothing_was_committed"),
        ),
        decided_by=("kraft_broker_unfence_waiting", "broker_waiting_unfence", "broker_registered"),
    ),
    FaultKind(
        "heartbeats_refused",
        "F39",
        "had its heartbeats refused by the controllers",
        "The controllers answer its heartbeats with STALE_BROKER_EPOCH or BROKER_ID_NOT_REGISTERED, repeatedly.",
        UNREACHABLE,
        rival="Another process with its id, registered in its place, looks the same; check the endpoints of the registration.",
        follows=(Follows(("second_process",), "R17", "another_has_its_id"),),
        decided_by=("broker_heartbeat_failed", "kraft_event_failed"),
    ),
    FaultKind(
        "controller_overloaded",
        "F12",
        "could not keep up as the active controller",
        "It logs that heartbeats timed out in its queue, or that its events took seconds, repeatedly.",
        Stops.VOTING,
        rival="A slow metadata disk or a host without CPU time looks the same; check the host's metrics.",
        decided_by=("kraft_heartbeat_timed_out_queue", "kraft_event_slow"),
    ),
    FaultKind(
        "slow_follower",
        "F13",
        "fell behind as a follower",
        "Leaders remove it from their ISRs for lag while it stays in the cluster.",
        Stops.FETCHING,
        rival="Disk, throttle, load and repeated short pauses look the same; check the broker's request metrics or garbage-collection log.",
        follows=(
            Follows(
                ("log_dir_failed", "disk_full", "authentication_failed", "out_of_memory"), "R13", "could_not_replicate"
            ),
        ),
        decided_by=("isr_shrink",),
    ),
    FaultKind(
        "dropped_unseen",
        "F00",
        "fell behind its leaders, cause not logged",
        "Leaders remove it from their ISRs for lag, and its own lines of that time are missing.",
        Stops.FETCHING,
        decided_by=("isr_shrink",),
    ),
    FaultKind(
        "log_dir_failed",
        "F14",
        "lost a log directory",
        "The broker stops serving a directory after an I/O error.",
        Stops.STORING,
        trigger="log_dir_failure",
        stops_replication=True,
        of_disk=True,
        decided_by=("log_dir_failed",),
    ),
    FaultKind(
        "log_dirs_empty",
        "F14",
        "came back with empty log directories",
        "It loads no log at startup, though it held partitions that it is assigned again.",
        Stops.STORING,
        decided_by=("log_manager_load_done",),
    ),
    FaultKind(
        "disk_refused",
        "F14",
        "did not start because of the content of its disk",
        "Its start ends with the check of meta.properties: another cluster's or node's directory, one that was never formatted, or one directory id twice.",
        Stops.RUNNING | Stops.VOTING,
        look_next="the owner of the directory: compare its meta.properties with the id of this node and the cluster.id of the other nodes.",
        decided_by=("raft_unexpected_error", "process_startup_failed", "process_fatal_exit"),
    ),
    FaultKind(
        "directories_untold",
        "F14",
        "could not report to the controllers in which log directories its replicas are",
        "Its assignments of replicas to directories fail, again and again, for more than a minute.",
        rival="In 3.7, assignments of partitions that it no longer owns are refused permanently, without harm.",
        follows=(
            Follows(("quorum_lost",), "R26", "no_controller_took_it"),
            Follows(("cut_from_controllers",), "R3", "no_controller_took_it"),
        ),
        decided_by=("assign_dirs_failed", "assign_dirs_event"),
    ),
    FaultKind(
        "records_damaged",
        "F14",
        "holds damaged records that its followers cannot fetch",
        "Followers print CorruptRecordException for the same offset, fetch after fetch.",
        severity="high",
        stops_replication=True,
        decided_by=("fetch_corrupt_records",),
    ),
    FaultKind(
        "disk_full",
        "F15",
        "ran out of disk space",
        'A failed log directory, with "No space left on device" in the exception.',
        Stops.STORING,
        trigger="log_dir_failure",
        stops_replication=True,
        of_disk=True,
        decided_by=("log_dir_failed",),
    ),
    FaultKind(
        "clock_stepped",
        "F21",
        "had its clock set",
        "The node's timestamps jump against those of its peers.",
        Stops.SERVING,
        stops_replication=True,
    ),
    FaultKind(
        "isr_updates_refused",
        "F22",
        "had its ISR writes refused by ZooKeeper",
        '"Cached zkVersion … not equal" for one partition repeatedly.',
        holds_isr=True,
        follows=(_STATES_CHANGED_MEANWHILE, _MISSED_ITS_CHANGES),
        decided_by=("isr_update_zk_version_conflict",),
        explains_lines=True,
    ),
    FaultKind(
        "isr_changes_refused",
        "F23",
        "had its ISR changes refused by the controller",
        "The controller ignores its ISR changes because of their broker epoch, or it retries them, for five seconds or more. A change dropped because of an old partition epoch is printed at DEBUG only.",
        holds_isr=True,
        follows=(_STATES_CHANGED_MEANWHILE,),
        decided_by=("alter_partition_stale_broker_epoch", "isr_update_retry"),
        explains_lines=True,
    ),
    FaultKind(
        "isr_changes_late",
        "F23",
        "had its ISR changes confirmed late",
        "A leader asks to remove members from ISRs, and prints that an ISR is updated only five seconds later or more, while one controller was active all the time.",
        holds_isr=True,
        look_next="the connection of that broker to the active controller at that time, in both directions.",
        follows=(_HELD_UP_ITS_CHANGES,),
        decided_by=("isr_shrink", "isr_updated"),
        explains_lines=True,
    ),
    FaultKind(
        "fetcher_died",
        "F25",
        "lost a replica fetcher",
        "A replica fetcher thread ends with an error, or stops fetching partitions, whose leaders then drop the broker.",
        Stops.FETCHING,
        follows=(Follows(("log_dir_failed", "disk_full", "out_of_memory"), "R13", "fetchers_ended_with_it"),),
        stops_replication=True,
        decided_by=("thread_died", "fetch_partition_failed"),
    ),
    FaultKind(
        "out_of_memory",
        "F26",
        "ran out of memory",
        "java.lang.OutOfMemoryError in its log.",
        Stops.SESSION | Stops.FETCHING | Stops.SERVING | Stops.STORING,
        stops_replication=True,
        explains_lines=False,
    ),
    FaultKind(
        "authentication_failed",
        "F27",
        "failed to authenticate with its peers",
        "TLS or SASL refuses connections between nodes, with a reason, or many without.",
        Stops.SESSION | Stops.FETCHING | Stops.SERVING,
        stops_replication=True,
        decided_by=("node_auth_failed",),
        explains_lines=False,
    ),
    FaultKind(
        "protocol_refused",
        "F28",
        "could not read the requests of newer brokers",
        "It refuses requests of an unsupported API version while fetches of newer brokers from it fail.",
        Stops.SERVING,
        stops_replication=True,
        decided_by=("request_unreadable", "fetch_send_error"),
        explains_lines=False,
    ),
    FaultKind(
        "registration_refused",
        "F29",
        "had its restart rejected: its previous session was still active",
        "Its registration is refused because its id is registered.",
        follows=(
            Follows(
                ("killed", "halted", "stopped", "stop_cut_short", "paused", "silent", "zookeeper_lost"),
                "R17",
                "previous_session_still_active",
            ),
        ),
        needs_cause=True,
        trigger="broker_failure",
        decided_by=("broker_registration_failed", "zk_ephemeral_conflict"),
        refuses_start=True,
    ),
    FaultKind(
        "second_process",
        "F29",
        "shares its id with a second process, which was refused",
        "Another process tries to register with the id of a running broker.",
        decided_by=("broker_registration_failed", "zk_ephemeral_conflict"),
        refuses_start=True,
    ),
    FaultKind(
        "metadata_late",
        "F32",
        "received the controllers' decisions late",
        "It applies a decision 30 s or more after another broker did, though it ran the whole time.",
        rival="A slow disk under the metadata log, a busy metadata thread and a slow link to the controllers look "
        "the same; check its metadata-apply metrics.",
        decided_by=("leader_start", "follower_start"),
    ),
    FaultKind(
        "metadata_unapplied",
        "F33",
        "could not apply the cluster's metadata",
        "It logs a fault while it loads or publishes a record, a snapshot or an image of the metadata log.",
        rival="A node with a release older than the log's contents and a damaged log look alike; the exception under the line shows which.",
        severity="high",
        decided_by=("fault_fatal", "fault_logged"),
    ),
    FaultKind(
        "feature_unsupported",
        "F28",
        "was refused: it does not support the level of a feature",
        "The controller refuses its registration with UNSUPPORTED_VERSION.",
        Stops.SESSION,
        decided_by=("broker_registration_failed", "kraft_event_failed"),
    ),
    FaultKind(
        "remote_copies_failed",
        "F35",
        "could not copy segments to the remote store",
        "Its errors while it copies segments, three or more within two minutes of each other, for ten seconds or longer.",
        rival="A store that is down, refuses the broker's credentials or is full looks the same; check the exception and the store's own log.",
        decided_by=("remote_copy_failed",),
    ),
    FaultKind(
        "remote_reads_failed",
        "F35",
        "could not read from the remote store",
        "Its errors while it reads remote data, three or more within two minutes of each other, for ten seconds or longer; offsets out of range and a full queue do not count.",
        rival="A store that is down and one that lost a segment look the same; check the exception and the store's own log.",
        decided_by=("remote_fetch_failed",),
    ),
    FaultKind(
        "remote_state_not_built",
        "F35",
        "could not become follower of partitions whose older records are in the remote store",
        "Its remote store errors while it builds the auxiliary state of a partition, three or more, for ten seconds or longer.",
        Stops.FETCHING,
        stops_replication=True,
        decided_by=("fetch_tier_state_error",),
    ),
    FaultKind(
        "log_start_jumped",
        "F40",
        "set the log start offset of partitions above records that the remote store held",
        "A new leader raises the log start offset to what it found of the remote log, though earlier segments were copied there and no line shows that they were deleted.",
        severity="high",
        rival="A deleted segment whose deletion is logged in missing files looks the same; check the metadata of the remote log.",
        decided_by=("log_start_offset_incremented",),
    ),
    FaultKind(
        "deleted_at_take_over",
        "F40",
        "deleted remote segments because of their size as soon as it led their partition",
        "Within a minute of taking over a tiered partition the leader deletes three or more of its remote segments for retention.bytes; releases before 4.3.2, or unknown ones.",
        rival="A partition that was really larger than retention.bytes, for example after this was lowered or while deletions failed, looks the same; check the sizes of its segments.",
        look_next="whether those partitions were really larger than retention.bytes. Deleted segments are gone, unless the store keeps old versions of its objects; raise retention.bytes before leaders move again.",
        decided_by=("remote_log_segment_deleted",),
    ),
    FaultKind(
        "group_rebalanced",
        "F36",
        "",
        "Five or more generations of a group, none more than six minutes after the one before, and three or more members removed for missed heartbeats among them.",
        title="A group rebalanced repeatedly",
        rival="Consumers that die, that take longer than max.poll.interval.ms and that cannot reach the coordinator look alike; check their own logs.",
        decided_by=("group_rebalance_begun", "group_member_failed"),
    ),
    FaultKind(
        "coordinator_not_loaded",
        "F37",
        "could not load the state of groups or transactions",
        "Its error while it loads a partition, except for a moved leader, without a successful load of it within a minute.",
        decided_by=("coordinator_load_failed",),
    ),
    FaultKind(
        "share_partition_not_loaded",
        "F37",
        "could not initialize partitions of a share group",
        "Its errors while it initializes them, for longer than a minute, except for a moved leader or coordinator.",
        decided_by=("share_partition_failed",),
    ),
    FaultKind(
        "transaction_end_not_written",
        "F38",
        "",
        "The coordinator's failed attempts to write the marker that ends a transaction to a partition, for more than a minute.",
        title="The end of a transaction could not be written",
        rival="The log of the partition's leader shows why it does not accept the marker: too few in-sync replicas, no leader, a disk.",
        decided_by=("transaction_marker_retry",),
    ),
    FaultKind(
        "transaction_left_open",
        "F38",
        "",
        "The coordinator's line that it rolled back a transaction because of its timeout. No line reports a transaction that is still open.",
        title="A transaction was left open until its timeout",
        severity="low",
        decided_by=("transaction_aborted_timeout",),
    ),
    FaultKind(
        "reassigned",
        "F18",
        "",
        "A request to move partitions.",
        title="Partitions reassigned",
        routine=True,
        asked_for=True,
    ),
    FaultKind(
        "replication_factor_lowered",
        "F18",
        "",
        "Lines, a description or deleted logs that show fewer replicas of a partition than before.",
        title="Replication factor lowered",
        severity="low",
        asked_for=True,
    ),
    FaultKind(
        "topic_deleted",
        "F19",
        "",
        "A topic's deletion.",
        title="Topic deleted",
        routine=True,
        asked_for=True,
        decided_by=(
            "kraft_topic_removed",
            "controller_topic_deletion_begin",
            "topic_deletion_completed",
            "kraft_delete_topics_result",
        ),
    ),
    FaultKind(
        "feature_changed",
        "F28",
        "",
        "A feature record with another level, on a running node.",
        title="Feature level changed",
        routine=True,
        asked_for=True,
    ),
    FaultKind(
        "feature_change_refused",
        "F28",
        "",
        "The controller states why it does not set the requested level.",
        title="Change of a feature refused",
        routine=True,
        asked_for=True,
        decided_by=("kraft_feature_error",),
    ),
    FaultKind(
        "voters_changed",
        "F34",
        "",
        "Another set of voters in the metadata log, reported by running nodes.",
        title="Voters of the metadata quorum changed",
        routine=True,
        asked_for=True,
    ),
    FaultKind(
        "static_voters_differ",
        "F34",
        "",
        "Nodes that run at the same time print different values of controller.quorum.voters at startup, and the metadata log holds no voters.",
        title="Nodes run with different quorum voters",
        is_of_peers=True,
        rival="Two addresses of one voter may be the same host; two ids are not.",
        look_next="`controller.quorum.voters` of all nodes: it must be the same; restart those on which it is wrong.",
    ),
    FaultKind(
        "voter_directory_differs",
        "F34",
        "ran with a different directory than the one that the quorum has for it",
        "Twice or more within a minute, requests to it as a voter name a directory id that is not its own.",
        rival="A new or emptied disk and a directory of another time look the same; find out who formatted it.",
        look_next="`kafka-metadata-quorum describe --replication`; then remove-controller with the directory id that is gone, and add-controller from that node, one after the other.",
        decided_by=("raft_voter_key_mismatch",),
    ),
    FaultKind(
        "voter_came_back",
        "F34",
        "came back as a voter after it was removed",
        "The metadata log removes it from the voters and soon holds it again with the same directory.",
        rival="Somebody may have added it again; its own settings show whether it joined by itself (controller.quorum.auto.join.enable).",
    ),
    FaultKind(
        "migrated",
        "F28",
        "",
        "The states of the migration from ZooKeeper to KRaft.",
        title="Migration from ZooKeeper to KRaft",
        routine=True,
        asked_for=True,
        decided_by=("migration_state", "kraft_migration_state_replayed"),
    ),
    FaultKind(
        "migration_stuck",
        "F28",
        "",
        "A migration that waits for brokers and makes no progress.",
        title="Migration from ZooKeeper to KRaft is stuck",
        asked_for=True,
        decided_by=("migration_waiting", "migration_state"),
    ),
)

BY_CODE = {code.code: code for code in CODES}
BY_NAME = {kind.name: kind for kind in KINDS}
UNKNOWN = "F00"


def names(kinds: Iterable[FaultKind]) -> tuple[str, ...]:
    """The names of `kinds`."""
    return tuple(kind.name for kind in kinds)


def stopping(what: Stops) -> tuple[str, ...]:
    """The kinds that stop `what`, or at least one part of it."""
    return names(kind for kind in KINDS if kind.stops & what)


OF_CLUSTER = names(kind for kind in KINDS if not kind.predicate)  # of no single node
ORDERED_STOPS = names(kind for kind in KINDS if kind.ordered_stop)
STOPS_THAT_ENDED = ("stopped", "stopped_with_failed_disk", "stopped_uncleanly")  # by the process's own last lines
CRASHES = names(kind for kind in KINDS if kind.crash)
# The process ended without an ordered stop, which would move its partitions away first.
DOWN = names(kind for kind in KINDS if kind.stops & Stops.RUNNING and not (kind.ordered_stop or kind.uncertain))
MAYBE_DOWN = names(kind for kind in KINDS if kind.uncertain)  # or it runs on, unheard
ROUTINE = names(kind for kind in KINDS if kind.routine)
LOWERED = "replication_factor_lowered"
REASSIGNED = names(kind for kind in KINDS if kind.code == "F18")
ASKED_FOR = names(kind for kind in KINDS if kind.asked_for)
DISKS = names(kind for kind in KINDS if kind.of_disk)
CUT_OFF = names(kind for kind in KINDS if kind.cut_off)
CUTS = (*CUT_OFF, "voter_cut_off")
REPLICATION_STOPPED = names(kind for kind in KINDS if kind.stops_replication)
TRIGGERS = {kind.name: kind.trigger for kind in KINDS if kind.trigger}
