"""What to look at next: for each fault, and for each kind of message (`explain`, `catalogue --explain`)."""

from __future__ import annotations

import re

NEXT_OF_FAULT = {
    "F00": "the host's system log and monitoring at that time; `kafka-replay lines` around it, for the lines of "
    "all nodes.",
    "F01": "the host's system log (OOM killer, power, reboot) and the process manager; then the page's Losses, "
    "and whether a copy of "
    "the dead broker's checkpoint files was made before its restart.",
    "F02": "who asked for it (deployment, operator, autoscaler); nothing else if every ISR was full before.",
    "F03": "whether two brokers were out at once: `kafka-replay diff` over each restart.",
    "F04": "the garbage-collection log and the host's log (freeze, migration of the machine, a stop signal) for "
    "that time.",
    "F05": "the network between the two brokers, and the disk of the leader: a stalled disk looks the same.",
    "F06": "the network from that broker to the controllers; the controller's queue times if it was slow instead.",
    "F07": "ZooKeeper's own log and the garbage-collection log; several brokers at once point at ZooKeeper.",
    "F08": "why the former controller went: its own findings come before this one.",
    "F09": "ZooKeeper sessions or Raft elections of each controller, and errors as it took office.",
    "F10": "the former quorum leader: a pause, a restart or a cut comes before this.",
    "F11": "how many voters ran and reached each other; the Raft lines of each voter.",
    "F12": "the controller's load, and heartbeat errors of that broker.",
    "F13": "disk, throttles, load and short pauses of that follower.",
    "F14": "the exception under the error line, and the disk.",
    "F15": "free space, retention, and which topics grew.",
    "F16": "the page's Losses for each partition, `unclean.leader.election.enable`, and where the last ISR's "
    "logs are: they may still hold the records.",
    "F17": "nothing; routine.",
    "F18": "nothing if it was asked for; under-replication is expected until it is done.",
    "F19": "nothing if it was asked for; a deletion that halts waits for a broker that is away.",
    "F20": "which replicas were missing from the ISR and why; producers with acks=all were refused until they "
    "were back.",
    "F21": "NTP or chrony of that host; order between nodes rests on corrected clocks.",
    "F22": "whether that broker is a stale leader (table deposed_leaders); it ends with a restart or a new controller.",
    "F23": "the controller's log at the same time, and the broker epoch with which the leader registered last; a restart of that leader ends it.",
    "F24": "how long the load took, and whether the log came back shorter (page, Losses).",
    "F25": "the exception of the fetcher; the partition stays behind until it gets a new leader epoch or the "
    "broker restarts.",
    "F26": "heap settings and a heap dump; restart the broker, since single threads may be dead.",
    "F27": "certificates and passwords of the inter-broker listener, and their expiry.",
    "F28": "nothing if it was asked for.",
    "F29": "wait until the old session has ended; then the start is accepted.",
    "F31": "the fixed version that the finding names.",
    "F32": "the metadata thread, disk and load of that broker.",
}

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
        "who was dropped, by which leaders, and whether its session ended too: table isr_drops.",
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
        "who was controller then (table controllers), and what the controller before it said last.",
    ),
    (r"^kraft", "the brokers' lines that apply it: table leader_epochs tells what came of it."),
    (
        r"recover|^log_load|^log_manager|clean_shutdown|^log_segment",
        "whether the stop before it was clean, and how long the load took.",
    ),
    (r"^checkpoint", "the file that is named; a copy made before a restart is the best proof of what was committed."),
    (r"reassign|replica_move|future_replica", "whether it was asked for; the ISR is short until it is done."),
    (r"^topic|delet", "whether it was asked for, and whether a topic of the same name came back."),
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
    (r"min_isr|^produce", "the partition's ISR at that time: `kafka-replay at DIR --time …`."),
    (r"clock", "NTP of that host."),
)


def next_of_kind(kind: str) -> str:
    """What to look at after a message of `kind`."""
    for pattern, told in _NEXT_OF_KIND:
        if re.search(pattern, kind):
            return told
    return "the lines around it on all nodes: `kafka-replay lines INPUT... --start-time … --end-time …`."
