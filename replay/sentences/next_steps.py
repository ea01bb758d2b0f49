"""What to check next, for each fault, and for each statement of a witness other than Kafka."""

NEXT_OF_FAULT = {
    "F00": "the host's system log and monitoring at that time; `kafka-replay lines` around it, for the lines of "
    "all nodes.",
    "F01": "the host's system log (OOM killer, power, reboot) and the process manager; then the page's Losses, "
    "and whether a copy of "
    "the dead broker's checkpoint files was made before its restart.",
    "F02": "who asked for it (deployment, operator, autoscaler); nothing else if every ISR was full before.",
    "F03": "whether two brokers were out at once: run `kafka-replay diff` over each restart.",
    "F04": "the garbage-collection log and the host's log (freeze, migration of the machine, a stop signal) for "
    "that time.",
    "F05": "the network between the two brokers, and the disk of the leader: a stalled disk looks the same.",
    "F06": "the network from that broker to the controllers and to the brokers that it could not fetch from; the "
    "controller's queue times if it was slow instead.",
    "F07": "the network from that broker to ZooKeeper; ZooKeeper's own log and the garbage-collection log; several brokers at once point at ZooKeeper.",
    "F08": "why the former controller was lost: its own findings come before this one.",
    "F09": "ZooKeeper sessions or Raft elections of each controller, and errors when it took office.",
    "F10": "the former quorum leader: a pause, a restart or a cut comes before this.",
    "F11": "how many voters ran and reached each other; the Raft lines of each voter.",
    "F12": "the controller's load, and heartbeat errors of that broker.",
    "F13": "disk, throttles, load and short pauses of that follower.",
    "F14": "the exception under the error line, and the disk; for a refused start, the owner of the directory: compare meta.properties of all nodes.",
    "F15": "free space, retention, and which topics grew.",
    "F16": "the page's Losses for each partition, `unclean.leader.election.enable`, and where the last ISR's "
    "logs are: they may still hold the records.",
    "F17": "nothing; routine.",
    "F18": "nothing if it was requested; under-replication is expected until it is complete.",
    "F19": "nothing if it was requested; a halted deletion waits for a broker that is down.",
    "F20": "which replicas were missing from the ISR and why; leaders rejected writes with acks=all until they were "
    "back.",
    "F21": "NTP or chrony of that host; the order of lines between nodes relies on corrected clocks.",
    "F22": "whether that broker is a stale leader (table deposed_leaders); it ends with a restart or a new controller.",
    "F23": "the controller's log at the same time, and the broker epoch of the leader's last registration; a restart of that leader ends it.",
    "F24": "how long the load took, and whether the log came back shorter (page, Losses).",
    "F25": "the exception of the fetcher; the partition stays behind until it gets a new leader epoch or the "
    "broker restarts.",
    "F26": "heap settings and a heap dump; restart the broker, since single threads may be dead.",
    "F27": "certificates and passwords of the inter-broker listener, and their expiry.",
    "F28": "nothing if it was requested; `kafka-features describe` shows the level and the supported range of each feature.",
    "F29": "wait until the old session has ended; then the controller accepts the start.",
    "F31": "the fixed version that the finding names.",
    "F32": "the metadata thread, disk and load of that broker.",
    "F33": "the exception under the line, and the release of that node beside the others; keep a copy of its metadata directory "
    "before anything else; `kafka-dump-log --cluster-metadata-decoder` shows the record at that offset.",
    "F34": "`kafka-metadata-quorum describe --replication`: whether each voter runs with the directory that the quorum has for it.",
    "F35": "the exception, the remote store's own log, its credentials and quota; free space on the local disks while copies fail.",
    "F36": "the consumers' own logs: ends of processes, time between polls against max.poll.interval.ms; static "
    "membership (group.instance.id) avoids rebalances at restarts.",
    "F37": "the exception; whether that partition's replicas are in sync. Another leader of the partition loads it again.",
    "F38": "the producer of that transactional id: did it die between begin and commit? kafka-transactions "
    "find-hanging and describe show the transactions that are open now.",
    "F39": "whether its heartbeats reach the active controller; its own lines of MetadataLoader and RaftManager: "
    "does it fetch the metadata log, and does it apply it; `kafka-metadata-quorum describe --replication` "
    "shows how far each node has read.",
    "F40": "copy the objects of those partitions out of the remote store at once: the leader's next cleanup "
    "(remote.log.manager.task.interval.ms) deletes everything before the log start offset.",
}

NEXT_OF_KIND = {
    "static_voters_differ": "`controller.quorum.voters` of all nodes: it must be the same; restart those on which it is wrong.",
    "voter_directory_differs": "`kafka-metadata-quorum describe --replication`; then remove-controller with the "
    "directory id that is gone, and add-controller from that node, one after the other.",
    "deleted_at_take_over": "whether those partitions were really larger than retention.bytes. Deleted segments are "
    "gone, unless the store keeps old versions of its objects; raise retention.bytes before "
    "leaders move again.",
    "cut_from_peers": "the network to its peers, and the disks of leaders that it could not fetch from: a stalled disk looks the same.",
}

NEXT_OF_CONTROLLER = {
    "F01": "the host's system log (OOM killer, power, reboot) and the process manager.",
}

NEXT_OF_WITNESS = {
    "memory": "what else ran on that host: it needs room for Java's heap and for its memory outside the heap; the "
    "kernel's lines list every process with its memory.",
    "memory_limit": "the memory limit of its container or unit against -Xmx and -XX:MaxDirectMemorySize: memory "
    "outside the heap counts too; raise the limit or make the heap smaller.",
    "for_memory": "the kernel's log of its host, which shows whether the limit of its container or unit or the "
    "memory of the host was used up; compare both with -Xmx and -XX:MaxDirectMemorySize.",
    "oomd": "`ManagedOOMMemoryPressure` of its unit, and what used the memory of that host.",
    "sent_signal": "who sent the signal: Java's report names the sender's process or user if the kernel reported it.",
    "java": "the frame and the library in the report (hs_err_pid*.log): a known bug of that Java, a native library, memory "
    "or disk of the host.",
    "java_announced": "the report that it announces (hs_err_pid*.log): its frame names what failed.",
    "heap": "-Xmx, and a heap dump of the next occurrence (-XX:+HeapDumpOnOutOfMemoryError): which requests, "
    "partitions or producers fill it.",
    "probe": "the probe's own limits (failureThreshold, periodSeconds, a startupProbe): give a broker that recovers "
    "its logs enough time.",
    "watchdog": "why it did not answer (a pause, a disk), and WatchdogSec of its unit.",
    "evicted": "the reason of the eviction: disk or memory of that machine, and the pod's requests and priority.",
    "operator": "the reconciliation that the operator names: what had changed, and whether it waited for full ISRs.",
    "host_stopped": "who stopped that host.",
    "too_slow_a_stop": "TimeoutStopSec of its unit against the time that a controlled shutdown takes there.",
    "too_slow_a_start": "TimeoutStartSec of its unit against the time that loading its logs takes.",
    "killed_at_once": "who killed it, and why an ordinary stop was not enough.",
    "asked": "who asked for it.",
    "terminated": "who asked it to stop: the process manager's log, the history of commands on its host.",
    "signal": "who sent that signal: the process manager, a script, the kernel (its log of that time shows a kill for memory).",
    "status": "the last lines that it printed before it ended, on its log and on its console.",
    "ended": "`docker events` of that time, as long as they are kept: they show signals and the exit status.",
    "kernel_saw_nothing": "the process manager's log and the host's audit log: neither memory nor power ended it.",
    "host_died": "why that host went down: its hardware's or hypervisor's log.",
    "machine_lost": "that machine: its kubelet, network, load.",
    "container_paused": "who paused the container.",
    "vm_restored": "who moved or copied that virtual machine.",
    "host_slept": "the power settings of that host.",
    "processors_stolen": "what else runs on that hypervisor, and whether its processors are overcommitted.",
    "processors_stood": "the load of the hypervisor (stolen time) and of that host.",
    "hung_task": "the disk for which the task waited.",
    "disk": "the device that the kernel names and what is below it (a full pool, a cable, a worn disk), before you "
    "write to it again.",
    "volume": "why the volume could not be mounted.",
    "link": "the link and its switch port.",
    "clock": "what sets the clock of that host.",
}
