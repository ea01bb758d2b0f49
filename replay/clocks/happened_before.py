"""Which lines cannot have been logged before which others (facts §6.2)."""

from __future__ import annotations

from dataclasses import dataclass

from replay.clocks import controller_requests


@dataclass(frozen=True)
class _Rule:
    """A reason why one line cannot have been logged before another. `causes` and `effects` name a line, the key that
    joins them, and its timestamp.

    Keys and timestamps are those of `message_keys.KEYS` and `message_keys.STAMPS`; `own` is the line's own
    timestamp. `counts` selects among several lines of one clock with the same key. `first`: the key identifies one
    event, whose effects may be logged again after a restart. `answer`: all causes precede the one effect, so the
    last cause counts. `once`: the key may recur, like a topic's name, so several lines do not count. `any`: the
    order is unknown, so the last cause and the first effect count.
    """

    name: str
    counts: str
    causes: tuple[tuple[str, str, str], ...]
    effects: tuple[tuple[str, str, str], ...]


_DECIDED_STATES = (
    "leader_start",
    "follower_start",
    "leader_transition_skipped",
    "follower_transition_skipped",
    "isr_updated",
)
REGISTERED = ("kraft_broker_registered", "kraft_broker_registered_new_incarnation")
# Without the lines about replicas that a controller removes from an ISR: it prints each again when the session of the
# stopped broker ends.
_DECIDED = ("partition_state_online_with_leader",)

RULES = (
    # A node takes epoch milliseconds before it logs them, some of them just before.
    _Rule(
        "time_printed",
        "first",
        tuple((k, "event", "printed") for k in ("process_start_time", "raft_leader_hw_first", "isr_shrink")),
        tuple((k, "event", "own") for k in ("process_start_time", "raft_leader_hw_first", "isr_shrink")),
    ),
    _Rule(
        "time_printed_at_once",
        "first",
        tuple((k, "event", "own") for k in ("process_start_time", "raft_leader_hw_first")),
        tuple((k, "event", "printed_at_once") for k in ("process_start_time", "raft_leader_hw_first")),
    ),
    # Releases that log no start time log that meta.properties is missing, then write it with the date.
    _Rule(
        "meta_properties_written",
        "any",
        (("meta_properties", "node", "own"),),
        (("meta_properties_missing", "node", "own"),),
    ),
    # A broker finds the controller, then registers; the controller's record and replay precede the response.
    _Rule(
        "registration_sent",
        "first",
        (("broker_registered", "own_incarnation", "registering"),),
        (
            ("kraft_broker_registering", "incarnation", "own"),
            ("kraft_broker_registering_new_incarnation", "incarnation", "own"),
            *((prefix + k, "incarnation", "own") for k in REGISTERED for prefix in ("", "active ")),
            ("record REGISTER_BROKER_RECORD", "incarnation", "written"),
        ),
    ),
    _Rule(
        "registration_answered",
        "first",
        (
            *(("active " + k, "incarnation", "own") for k in REGISTERED),
            ("record REGISTER_BROKER_RECORD", "incarnation", "own"),
        ),
        (("broker_registered", "own_incarnation", "own"),),
    ),
    _Rule(
        "unfence_asked",
        "first",
        (("broker_unfenced", "own_session", "recovering"),),
        (("kraft_broker_unfence_granted", "session", "own"), ("record unfenced", "session", "written")),
    ),
    _Rule(
        "unfence_granted",
        "first",
        (("kraft_broker_unfence_granted", "session", "own"), ("record unfenced", "session", "own")),
        (("broker_unfenced", "own_session", "own"),),
    ),
    _Rule(
        "controller_registration_sent",
        "first",
        (("controller_acknowledged", "incarnation", "sending"),),
        (
            ("kraft_controller_registered", "incarnation", "own"),
            ("active kraft_controller_registered", "incarnation", "own"),
            ("record REGISTER_CONTROLLER_RECORD", "incarnation", "written"),
        ),
    ),
    _Rule(
        "controller_registration_answered",
        "first",
        (
            ("active kraft_controller_registered", "incarnation", "own"),
            ("record REGISTER_CONTROLLER_RECORD", "incarnation", "own"),
        ),
        (("controller_acknowledged", "incarnation", "own"),),
    ),
    # Raft: a candidate requests votes, the voters respond, the leader announces itself, the followers follow, and the
    # leader counts them.
    _Rule(
        "raft_vote_asked",
        "first",
        (("raft Candidate", "raft_epoch_node", "own"),),
        (("raft_vote_decision", "vote", "own"),),
    ),
    _Rule(
        "raft_leader_known", "first", (("raft Leader", "raft_epoch", "own"),), (("raft Follower", "raft_epoch", "own"),)
    ),
    _Rule(
        "raft_leader_followed",
        "first",
        (("raft Follower", "raft_epoch_node", "own"),),
        (("raft_leader_hw_first", "votes_counted", "own"),),
    ),
    # Not an order but an identity: whose clock dates the records of a Raft epoch.
    _Rule("raft_term", "any", (("record batch", "raft_epoch", "offset"),), (("raft Leader", "raft_epoch", "own"),)),
    # The active controller replays its own records before others can read them; brokers apply them later.
    _Rule(
        "partition_created",
        "first",
        (("active kraft_partition_created", "partition_id", "own"),),
        (("kraft_partition_created", "partition_id", "own"), ("broker_partition_created", "partition_id", "own")),
    ),
    _Rule(
        "partition_recorded",
        "first",
        (("record partition", "state", "own"),),
        (("broker_partition_created", "first_state", "own"), *((k, "state", "own") for k in _DECIDED_STATES)),
    ),
    _Rule(
        "isr_recorded",
        "first",
        (("isr_updated", "state", "changing"),),
        (("record partition", "state", "written"), *((k, "state", "own") for k in _DECIDED_STATES)),
    ),
    # ZooKeeper mode: a leader requests an ISR change; the controller decides, and the brokers receive it and respond.
    _Rule(
        "isr_asked",
        "once",
        (("isr_updated", "named_state", "changing"),),
        (("alter_partition_isr_updated", "named_state", "own"),),
    ),
    _Rule(
        "isr_written",
        "once",
        (("alter_partition_isr_updated", "named_state", "own"),),
        (("isr_updated", "named_state", "own"),),
    ),
    _Rule(
        "leader_decided",
        "once",
        tuple((k, "term", "own") for k in _DECIDED),
        (("leader_start", "term", "own"), ("follower_start", "term", "own")),
    ),
    _Rule(
        "leader_received",
        "once",
        tuple((k, "term", "own") for k in _DECIDED),
        (("broker_leader_and_isr_received", "term", "own"),),
    ),
    _Rule(
        "request_answered",
        "answer",
        (("broker_become_leader_done", "request", "own"), ("broker_become_follower_done", "request", "own")),
        (("controller_response_received", "response", "own"),),
    ),
    # A controller's requests to a broker, and a broker's request for a controlled shutdown.
    _Rule(
        "request_sent",
        "once",
        tuple((k, "sent", "own") for k in controller_requests.SENT),
        (
            (controller_requests.UPDATED, "handled", "own"),
            (controller_requests.UPDATED, "handled_before", "handling"),
        ),
    ),
    _Rule(
        "shutdown_asked",
        "once",
        (("broker_controlled_shutdown_begin", "node", "own"),),
        (("controller_controlled_shutdown_begin", "broker", "own"),),
    ),
    _Rule(
        "shutdown_allowed",
        "once",
        (("controller_controlled_shutdown_begin", "broker", "own"),),
        (("broker_controlled_shutdown_done", "node", "own"),),
    ),
    # ZooKeeper: sessions by id, znodes by czxid, which is also a broker's epoch; their ctime is by the server's clock.
    _Rule(
        "session_asked",
        "first",
        (("zk_session_connected", "zk_session", "connecting"),),
        (("zookeeper_session_established", "zk_session", "own"),),
    ),
    _Rule(
        "session_granted",
        "first",
        (("zookeeper_session_established", "zk_session", "own"),),
        (("zk_session_connected", "zk_session", "own"),),
    ),
    _Rule(
        "session_refused",
        "first",
        (("zookeeper_session_invalid", "zk_session", "own"),),
        (("zk_session_expired", "zk_session", "own"),),
    ),
    _Rule("znode_asked", "first", (("zk_znode_stat", "czxid", "creating"),), (("zk_znode_stat", "czxid", "ctime"),)),
    _Rule("znode_written", "first", (("zk_znode_stat", "czxid", "ctime"),), (("zk_znode_stat", "czxid", "own"),)),
    _Rule(
        "broker_epoch_listed",
        "first",
        (("zk_znode_stat", "broker_epoch", "creating"),),
        (("controller_broker_epochs", "broker_epochs", "own"),),
    ),
    _Rule(
        "broker_listed",
        "once",
        (("zk_znode_created", "broker_created", "creating"),),
        (("controller_broker_change", "broker_added", "own"),),
    ),
)

KINDS = (
    *controller_requests.KINDS,
    "alter_partition_isr_updated",
    "broker_become_follower_done",
    "broker_become_leader_done",
    "broker_controlled_shutdown_begin",
    "broker_controlled_shutdown_done",
    "broker_incarnation",
    "broker_leader_and_isr_received",
    "broker_partition_created",
    "broker_recovery",
    "broker_registered",
    "broker_unfenced",
    "broker_waiting_unfence",
    "controller_broker_epochs",
    "controller_controlled_shutdown_begin",
    "controller_recorded",
    "controller_response_received",
    "dump_batch",
    "dump_metadata_record",
    "follower_start",
    "follower_transition_skipped",
    "isr_expand",
    "isr_shrink",
    "isr_updated",
    "kraft_broker_registered",
    "kraft_broker_registered_new_incarnation",
    "kraft_broker_registering",
    "kraft_broker_registering_new_incarnation",
    "kraft_broker_unfence_granted",
    "kraft_controller_registered",
    "kraft_controller_registration",
    "kraft_partition_created",
    "leader_start",
    "leader_transition_skipped",
    "meta_properties",
    "meta_properties_missing",
    "partition_state_online_with_leader",
    "process_start_time",
    "raft_leader_hw_first",
    "raft_transition",
    "raft_vote_decision",
    "zk_client_progress",
    "zk_connecting",
    "zk_session_connected",
    "zk_session_expired",
    "zk_znode_created",
    "zk_znode_stat",
    "zookeeper_session_established",
    "zookeeper_session_invalid",
)
