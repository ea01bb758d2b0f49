"""What to look at next, for each fault."""

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
    "F14": "the exception under the error line, and the disk; of a start that was refused whose directory it is: compare meta.properties of all nodes.",
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
    "F28": "nothing if it was asked for; `kafka-features describe` tells what each level is and what is supported.",
    "F29": "wait until the old session has ended; then the start is accepted.",
    "F31": "the fixed version that the finding names.",
    "F32": "the metadata thread, disk and load of that broker.",
    "F33": "the exception under the line, and the release of that node beside the others; keep a copy of its metadata directory "
    "before anything else; `kafka-dump-log --cluster-metadata-decoder` shows the record at that offset.",
    "F34": "`kafka-metadata-quorum describe --replication`: whether each voter runs with the directory that the quorum knows.",
}
