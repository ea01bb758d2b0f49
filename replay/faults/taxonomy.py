"""The faults of the taxonomy (facts §5) in words, and which of them are routine."""

from __future__ import annotations

ROUTINE = ("F02", "F03", "F17", "F18", "F19", "F28")
NOT_ROUTINE = (
    "migration_stuck",
    "protocol_refused",
    "stop_cut_short",
)  # kinds of faults that are none, though their code is
ORDERED_STOPS = ("stopped", "stop_cut_short")  # kinds of faults that began as an ordered stop

# What each fault is called (facts §5): what befell a broker, or a noun where no one broker is its subject.
HAPPENED = {
    "F01": "died without a shutdown",
    "F02": "was stopped in order",
    "F04": "stood still (a pause)",
    "F05": "was cut from its peers",
    "F06": "was cut from the controllers",
    "F07": "lost touch with ZooKeeper while it ran",
    "F10": "was cut from the other voters",
    "F12": "was fenced while it lived",
    "F13": "fell behind as a follower",
    "F14": "lost a log directory",
    "F15": "ran out of disk space",
    "F21": "had its clock stepped",
    "F22": "had its ISR writes refused by ZooKeeper",
    "F25": "lost a replica fetcher",
    "F26": "ran out of memory",
    "F00": "fell silent, and no line tells why",
    "F27": "failed to authenticate with its peers",
    "F29": "was refused at its start: its old session had not ended",
}
TITLES = {
    "F03": "Rolling restart",
    "F08": "Controller failover",
    "F09": "Controller moved again and again",
    "F11": "Metadata quorum lost",
    "F16": "Unclean election",
    "F17": "Preferred leaders took over",
    "F18": "Partitions reassigned",
    "F19": "Topic deleted",
    "F20": "Writes refused below min.insync.replicas",
    "F24": "Logs recovered after an unclean stop",
    "F28": "Metadata version changed",
    "F31": "Records cut by high-watermark truncation (KIP-101)",
    "F00": "Leaders or ISRs changed and no line tells why",
}

# Faults that share a code and are called otherwise, by kind.
HAPPENED_BY_KIND = {
    "halted": "stopped itself after a fatal error",
    "log_dirs_empty": "came back with empty log directories",
    "second_process": "shares its id with a second process, which was refused",
    "protocol_refused": "could not read the requests of newer brokers",
    "stop_cut_short": "was killed before its ordered stop was done",
    "records_damaged": "holds damaged records that its followers cannot fetch",
}
TITLES_BY_KIND = {
    "zookeeper_away": "No broker could reach ZooKeeper",
    "migrated": "Migration from ZooKeeper to KRaft",
    "migration_stuck": "Migration from ZooKeeper to KRaft waits and does not go on",
}

# What else a fault could be, and what would tell (facts §5.1).
ALTERNATIVES = {
    "F01": "A host or power failure looks the same from these logs; the host's own log would tell.",
    "F04": "A virtual machine's freeze, a stop signal and a long garbage collection look the same; the garbage-collection log or the host's log would tell.",
    "F05": "A leader whose disk or threads stall looks the same unless its followers print refused connections.",
    "F06": "An overloaded controller looks the same unless the broker prints its own heartbeat failures.",
    "F07": "An overloaded ZooKeeper looks the same; ZooKeeper's own log would tell.",
    "F12": "The broker or the controller may have been too slow; garbage-collection logs and the controller's event queue times would tell.",
    "F13": "Disk, throttle, load and repeated short pauses look the same; the broker's request metrics or garbage-collection log would tell.",
}
