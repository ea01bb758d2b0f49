"""What to check next, for each statement of a witness outside Kafka."""

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
