"""What to check next after each kind of message (`explain`, `catalogue --explain`)."""

from __future__ import annotations

import re

# For kinds of messages, the first that fits.
_NEXT_OF_KIND = (
    (r"unclean", "what the new leader lacked: `kafka-replay partition DIR TOPIC-N`, and the page's Losses."),
    (
        r"broker_change|live_brokers",
        "the last lines of each broker that left, and its next start: `kafka-replay explain DIR`.",
    ),
    (
        r"truncat|^hw_non",
        "which leader it follows and from which offset the two logs differ: `kafka-replay partition DIR TOPIC-N`.",
    ),
    (
        r"shrink|lagging_replicas",
        "who was dropped, under which leaders, and whether its session ended too: table isr_drops.",
    ),
    (
        r"^alter_partition|^isr_|^isr_update",
        "whether the ISR change was committed: the next leader or ISR line of the partition.",
    ),
    (r"log_dir|directories|^fault_|disk", "the exception below this line, and the disk under that directory."),
    (r"^fetch|^fetcher|^follower_", "the leader that is named: did it run, and does another follower complain too?"),
    (
        r"^append_batch|^epoch_|^leader_|^broker_become|^follower_start",
        "the other replicas' lines of the same leader epoch: `kafka-replay lines DIR --topic TOPIC`.",
    ),
    (
        r"controlled_shutdown|shutdown|shutting|^broker_stop",
        "whether it ends with a clean-shutdown marker, and how long partitions had no leader.",
    ),
    (
        r"^zookeeper|^zk_|session",
        "ZooKeeper's log, and pauses of the process: was the session expired, or the connection lost?",
    ),
    (r"^raft|quorum|vote", "the other voters' Raft lines of the same epoch."),
    (
        r"fenc|heartbeat|registration|registered|incarnation",
        "the controller's lines about that broker, and its heartbeats just before.",
    ),
    (r"election|^controller_leader|preferred|balance", "ISR and leader just before: was the new leader in the ISR?"),
    (
        r"^controller|^kraft_controller|^migration",
        "who was controller then (table controllers), and the last lines of the controller before it.",
    ),
    (r"^kraft", "the brokers' lines that apply it: table leader_epochs shows the result."),
    (
        r"recover|^log_load|^log_manager|clean_shutdown|^log_segment",
        "whether the stop before it was clean, and how long the load took.",
    ),
    (r"^checkpoint", "the named file; a copy made before a restart is the best proof of what was committed."),
    (r"reassign|replica_move|future_replica", "whether it was requested; the ISR is short until it is complete."),
    (r"^topic|delet", "whether it was requested, and whether a topic of the same name came back."),
    (r"auth|sasl|ssl", "certificates and passwords of the listener that is named."),
    (
        r"memory|uncaught|died|fatal|halt",
        "the exception below this line; single threads may be dead while the process runs on.",
    ),
    (
        r"^node_|^connection|^socket|^wait_|channel",
        "whether that node ran then, and whether others lost it at the same time.",
    ),
    (
        r"^group|^coordinator|^transaction|^producer",
        "the leader of the coordinator's partition (__consumer_offsets or __transaction_state) at that time.",
    ),
    (r"min_isr|^produce", "the partition's ISR at that time: `kafka-replay at DIR --at …`."),
    (r"clock", "NTP of that host."),
)


def next_of_kind(kind: str) -> str:
    """What to check after a message of `kind`."""
    for pattern, step in _NEXT_OF_KIND:
        if re.search(pattern, kind):
            return step
    return "the lines around it on all nodes: `kafka-replay lines INPUT... --since … --until …`."
