"""What lines of the host, of Kubernetes and of Java mean for a broker; the kind of the line decides, at any level.

Sources: mm/oom_kill.c, block/blk-core.c, fs/xfs and fs/ext4 of Linux; src/core/service.c of systemd; the kubelet's
events; vmError.cpp of OpenJDK.
"""

from __future__ import annotations

import re
from dataclasses import replace

from replay.knowledge.meaning import ENDED, HARMLESS, PASSING, STOPPED, TROUBLE, Meaning

_GONE = "It ended at once, without a shutdown; its next start checks its logs."
_AS_SAFE = (
    "Acknowledged records are as safe as acks and min.insync.replicas made them: other in-sync replicas hold them."
)

HOSTS: tuple[Meaning, ...] = (
    Meaning(
        "killed-for-memory",
        "{killer|The kernel} killed {victim|a process}<({resident} resident)><on {host}>: {limit|the host ran out of memory}.",
        "the host",
        ENDED,
        kinds=(
            "kernel_oom_kill",
            "kernel_cgroup_oom_kill",
            "container_oom_killed",
            "container_oom",
            "machine_oom_kill",
            "systemd_oom",
            "systemd_oomd_killed",
        ),
        effect=_GONE,
        data=_AS_SAFE,
        heals="only if something starts it again",
        next="Find what used the memory (for a host: dmesg -T lists the processes above this line). The heap and Java's memory outside the heap (threads, buffers, mapped indexes) must fit: lower -Xmx, or raise the limit. This is memory of the host or the container, not the Java heap.",
    ),
    Meaning(
        "service-ended",
        "The process of {unit} ended: {how}<on {host}>.",
        "this process",
        ENDED,
        kinds=("systemd_exited",),
        effect="It is down until it is started again.",
        data="Records on other in-sync replicas are safe.",
        heals="if the unit says Restart=",
        next="{what_to_do|Read the last lines of its own log.}",
        follows=("killed-for-memory", "jvm-crash", "service-stop-timed-out", "process-broke"),
    ),
    Meaning(
        "container-ended",
        "The container {container} ended: {how}.",
        "this process",
        ENDED,
        kinds=("container_exited",),
        effect="It is down until it is started again; what depends on it is not started.",
        data=_AS_SAFE,
        heals="only if its restart policy starts it again",
        next="{what_to_do|Read the last lines of its own log: they name the reason.}",
        follows=("killed-for-memory", "jvm-crash", "jvm-no-memory"),
        reason_before=True,
    ),
    Meaning(
        "service-failed",
        "systemd counts the end of {unit} as a failure<({result})>.",
        "this process",
        PASSING,
        kinds=("systemd_failed",),
        heals="if the unit says Restart=",
        next="Read the lines above it: they show how the process ended.",
        follows=("killed-for-memory", "service-ended", "jvm-crash"),
    ),
    Meaning(
        "service-stop-timed-out",
        "{unit} did not stop within its TimeoutStopSec; systemd ends it ({act|SIGKILL}).",
        "a setting",
        ENDED,
        kinds=("systemd_stop_timeout", "systemd_signalled"),
        effect="The broker is killed in the middle of its shutdown; its next start checks its logs.",
        data=_AS_SAFE,
        heals="with its next start",
        next="Raise TimeoutStopSec above the duration of the broker's controlled shutdown (minutes on large brokers).",
    ),
    Meaning(
        "service-start-timed-out",
        "{unit} did not come up within its TimeoutStartSec; systemd ends it.",
        "a setting",
        STOPPED,
        kinds=("systemd_start_timeout", "systemd_watchdog"),
        effect="The start is ended, and begins again if the unit says Restart=.",
        data="This loses no data.",
        heals="no, if every start takes that long",
        next="Raise TimeoutStartSec: recovery after an unclean stop takes minutes on a broker with many logs.",
    ),
    Meaning(
        "service-not-restarted",
        "systemd no longer starts {unit}: it failed too often.",
        "this process",
        STOPPED,
        kinds=("systemd_gave_up",),
        effect="It stays down.",
        data="Records on other in-sync replicas are safe.",
        heals="no",
        next="Find why it failed in its own log, then systemctl reset-failed and start it.",
    ),
    Meaning(
        "device-failed",
        "The kernel reports that the device {device|of a disk} failed<on {host}>.",
        "the disk",
        TROUBLE,
        kinds=("kernel_block_error",),
        effect="Reads and writes there fail or wait; Kafka takes a log directory on it offline at the first error.",
        data="Records on other in-sync replicas are safe; the copies on this device are in doubt.",
        heals="no, usually",
        next="Check the device (smartctl, the volume's state at the provider) and replace it; then let the broker copy its replicas again.",
    ),
    Meaning(
        "file-system-failed",
        "The kernel found an error in the file system on {device|a device} and {reaction|reports it}<on {host}>.",
        "the disk",
        STOPPED,
        kinds=("kernel_fs_error", "kernel_fs_readonly", "kernel_fs_shutdown"),
        effect="Log directories on it can no longer be written, and Kafka takes them offline.",
        data="Records on other in-sync replicas are safe; the copies on this file system are in doubt.",
        heals="no",
        next="Replace or repair the device below it, check the file system while it is not mounted (xfs_repair, fsck), then start the broker.",
        follows=("device-failed",),
    ),
    Meaning(
        "host-stood-still",
        "The kernel reports that {task|tasks} of this host were blocked<for {seconds} s><on {host}>.",
        "the host",
        TROUBLE,
        kinds=("kernel_hung_task", "kernel_soft_lockup", "kernel_suspended", "kernel_vm_restored"),
        effect="A broker there responds to nobody: it may lose its session and leave ISRs.",
        data="Stored data is not affected.",
        heals="yes, when the host continues",
        next="A hung task most often waits for a disk: see its latency. A lockup: see whether the hypervisor gave the machine its processors.",
    ),
    Meaning(
        "host-link-down",
        "The network link {link} went down<on {host}>.",
        "the network",
        TROUBLE,
        kinds=("kernel_link_down", "kernel_link_stuck"),
        effect="Nobody reaches a broker over it until it is up again.",
        data="Stored data is not affected.",
        heals="with the link",
        next="Check cable, switch port and driver.",
    ),
    Meaning(
        "host-clock-stepped",
        "The clock of the host was set<by {seconds} s><on {host}>.",
        "the host",
        PASSING,
        kinds=("host_clock_stepped", "kernel_clock_unstable"),
        effect="Times in the logs before and after do not fit together; timeouts may fire early or late.",
        data="Time-based retention uses this clock.",
        heals="it is done",
        next="Let chrony or ntpd slew the clock instead of stepping it.",
    ),
    Meaning(
        "process-broke",
        "{process|A process} broke: it read or wrote memory that is not its own<on {host}>.",
        "Java or a native library",
        ENDED,
        kinds=("kernel_segfault",),
        effect=_GONE,
        data=_AS_SAFE,
        heals="only if something starts it again",
        next="Read the hs_err_pid file of that process: it names the library.",
    ),
    Meaning(
        "kernel-panic",
        "The kernel itself stopped<on {host}>: {reason|a panic}.",
        "the host",
        ENDED,
        kinds=("kernel_panic",),
        effect="Every process of the host ended at once.",
        data=_AS_SAFE,
        heals="with the next start of the host",
        next="See the console of the host; check its memory and hardware.",
    ),
    Meaning(
        "probe-kill",
        "Kubernetes ended the container of {pod_is|a pod} because its {probe|liveness} probe failed: {said}.",
        "a setting of the pod",
        ENDED,
        kinds=("container_killing",),
        effect="The container gets SIGTERM, then SIGKILL after the grace period, and starts again; if the probe fails before it is ready each time, it never finishes its start.",
        data="A restart loses no data while other in-sync replicas are alive.",
        heals="no, while the start takes longer than the probe allows",
        next="Give the broker time: a startupProbe, or a longer initialDelaySeconds and failureThreshold. Recovery after an unclean stop takes minutes; it progresses with each start only if it is not interrupted.",
        never="Do not clear the broker's volume to make the start faster: its copies would be lost.",
    ),
    Meaning(
        "probe-failed",
        "A {probe|} probe of {pod_is|the container} failed: {said}.",
        "the broker, or the probe",
        PASSING,
        kinds=("probe_failed",),
        effect="A failed readiness probe takes the pod out of its service; a failed liveness or startup probe ends the container after failureThreshold tries.",
        data="Stored data is not affected.",
        heals="when the port answers again",
        next="Check what the broker did at that time: it opens its port only after it has loaded and checked its logs.",
    ),
    Meaning(
        "container-unhealthy",
        "The health check of {container_is|a container} failed<: {said}><; {waits} waits for it>.",
        "the container, or its health check",
        TROUBLE,
        kinds=("container_health",),
        effect="Docker Compose does not start what depends on it (condition: service_healthy). The container itself may run on.",
        data="Stored data is not affected.",
        heals="when the check passes again; Compose must be started again",
        next="See docker inspect of the container for the output of the last checks (State.Health), and docker logs for what it did. Often the check begins too early (start_period), names a tool or a port that the image does not have, or the broker did not start.",
    ),
    Meaning(
        "container-backed-off",
        "Kubernetes waits before it starts the container of {pod_is|a pod} again: it ended too often.",
        "this process",
        STOPPED,
        kinds=("container_backed_off",),
        effect="Until then the broker is down.",
        data="Records on other in-sync replicas are safe.",
        heals="no, while the cause of its end lasts",
        next="kubectl logs --previous, and the State and Last State of kubectl describe pod: how it ended.",
        follows=("probe-kill", "killed-for-memory"),
    ),
    Meaning(
        "pod-evicted",
        "{pod_is|A pod} was evicted from its machine: {said}.",
        "the machine",
        ENDED,
        kinds=("pod_evicted", "machine_not_ready", "machine_rebooted"),
        effect="The broker is gone until the pod is placed again.",
        data=_AS_SAFE,
        heals="when the pod is placed again",
        next="Check what put pressure on the machine (kubectl describe node).",
    ),
    Meaning(
        "pod-not-placed",
        "Kubernetes could not place {pod_is|a pod} or mount its volume: {said}.",
        "Kubernetes",
        STOPPED,
        kinds=("volume_not_mounted", "pod_not_scheduled"),
        effect="The broker does not start.",
        data="Data on the volume is kept.",
        heals="when a machine and the volume are free",
        next="kubectl describe pod and pvc: which machine, which volume, which zone.",
        never="Do not delete the volume claim: the data go with it.",
    ),
    Meaning(
        "jvm-crash",
        "Java itself crashed ({signal|a fatal error})<in the native library {library}><in {place}><, process {pid}>: {me} was gone at once.",
        "Java or a native library",
        ENDED,
        kinds=("jvm_crash",),
        effect=_GONE,
        data=_AS_SAFE,
        heals="only if something starts it again",
        next="Read hs_err_pid{pid|}.log. {of_signal|A library of Kafka's (zstd, snappy, lz4, RocksDB): does it match this system (musl instead of glibc, a /tmp without exec)? Upgrade it, or use another compression until then.}",
    ),
    Meaning(
        "jvm-no-memory",
        "Java ended because the system did not give it {lacks|enough memory}.",
        "the host or container, or a setting of the heap",
        ENDED,
        kinds=("jvm_no_memory",),
        effect="The process ended at once, without a shutdown.",
        data=_AS_SAFE,
        heals="no, each start ends the same way until there is more",
        next="{get_more|Compare -Xms and -Xmx (KAFKA_HEAP_OPTS) with the memory of the host and the limit of the container: heap, direct memory and threads must fit with room for the page cache.}",
    ),
    Meaning(
        "java-paused",
        "{Java_of|Java} was paused for {pause_ms} ms in {collection|garbage collection}<, from {from_ts}>.",
        "this process",
        TROUBLE,
        kinds=("gc_pause",),
        effect="The process responds to nothing during a pause: if it is longer than a session timeout, the broker counts as dead; if it is longer than replica.lag.time.max.ms, the broker leaves ISRs.",
        data="Stored data is not affected.",
        heals="yes, until the next one",
        next="{heap_says|See whether the host was swapping or short of processors.}",
    ),
)

_CRASHED_IN_ROCKSDB = Meaning(
    "jvm-crash-rocksdb",
    "Java itself crashed ({signal|a fatal error}) in RocksDB ({library})<, process {pid}>: it keeps the state stores of a Kafka Streams application (or ksqlDB), not a broker's logs.",
    "RocksDB, or what the application does with it",
    ENDED,
    kinds=("jvm_crash_rocksdb",),
    effect="That application ended at once.",
    data="Records in Kafka are not touched. Its state is in its changelog topics as well, and is restored from there.",
    heals="only if something starts it again; state on the disk that is broken breaks each start",
    next="Read hs_err_pid{pid|}.log for the thread and the store. If it crashes again: stop the application, remove only its own state directory (state.dir) so that it restores, and upgrade Kafka Streams, whose release brings RocksDB. Custom code that uses a store or an iterator after it was closed crashes like this too.",
)
_ROCKSDB = re.compile(r"librocksdbjni")
# Output of a probe that could not run its own command: it says nothing about the broker.
CANNOT_RUN = re.compile(
    r"[Nn]o such file or directory|: (?:command )?not found\b|[Pp]ermission denied|executable file not found|OCI runtime exec failed|exec format error|exit code 12[67]\b"
)
BROKEN_PROBE = "The probe's own command fails, whatever the broker does: correct the script, its path or its rights (a probe starts in the working directory of the image), or use the image that belongs to this chart or operator. A longer time for the probe does not help."
_BY_KIND = {kind: meaning for meaning in HOSTS for kind in meaning.kinds}
_OF_ANOTHER = Meaning(
    "another-program",
    "{says_of_another}",
    "another program",
    HARMLESS,
    kinds=("of_another_program",),
    next="Nothing for Kafka.",
)
_MOST_OF_A_MAP = 2**20  # bytes; Java asks for its heap in larger parts
_LONG_PAUSE_MS = 1_000
_ASKED = ("TERM", "143", "INT", "130")
_OF_SIGNALS = {
    "SIGILL": "This Java or library uses an instruction that the processor, or its emulation, does not have: take an image with a newer Java, or one made for this processor.",
    "SIGBUS": "A mapped file lies on a full or failing disk, or was truncated: see df, dmesg and the volume.",
}
_SIGNALS = {"130": "INT", "134": "ABRT", "137": "KILL", "139": "SEGV", "143": "TERM"}


def meaning_of_host(kind: str, fields: dict[str, str]) -> tuple[Meaning, dict[str, str]] | None:
    """The meaning of a line of the host and the values for its text; None for a routine step."""
    meaning = _BY_KIND.get(kind)
    if meaning is None:
        return None
    values = _values(kind, fields)
    if kind == "jvm_crash" and _ROCKSDB.search(fields.get("frame", "")) is not None:
        return _CRASHED_IN_ROCKSDB, values
    if kind == "gc_pause" and int(fields.get("pause_ms", "0")) < _LONG_PAUSE_MS:
        return None
    if kind == "container_killing" and "by_probe" not in fields:
        return None
    if "says_of_another" in values:
        return _OF_ANOTHER, values
    if kind == "container_exited" and fields.get("status") == "0":
        return None
    if kind == "container_health" and fields.get("health") == "healthy":
        return None
    if kind in ("probe_failed", "container_killing") and CANNOT_RUN.search(fields.get("said", "")):
        return replace(meaning, heals="no", next=BROKEN_PROBE, whose="the probe"), values
    if kind in ("systemd_exited", "container_exited") and (
        fields.get("name") in _ASKED or fields.get("status") in _ASKED
    ):
        return replace(meaning, weight=PASSING, effect="It was asked to stop."), values
    return meaning, values


def _values(kind: str, fields: dict[str, str]) -> dict[str, str]:
    values = dict(fields)
    process, unit = fields.get("process", ""), fields.get("unit", "")
    if process and not _may_be_kafka(process) and kind not in ("kernel_hung_task", "kernel_soft_lockup"):
        values["says_of_another"] = f"The process {process} was killed or broke, which is another program than Kafka."
    if unit and not _may_be_kafka(unit):
        values["says_of_another"] = f"{unit} is another program than Kafka: its end does not concern the broker."
    if process:
        values["victim"] = f"the {'Java ' if process == 'java' else ''}process {process} (pid {fields.get('pid', '?')})"
    if fields.get("anon_rss", "").isdecimal():
        values["resident"] = f"{int(fields['anon_rss']) / 1e6:.1f} GB"
    if kind in ("kernel_cgroup_oom_kill", "container_oom_killed", "container_oom"):
        values["limit"] = "its container or unit had used up its memory limit"
    if kind == "container_oom_killed":
        values |= {"killer": "The kernel", "victim": "a process of the container (OOMKilled)"}
    values["how"] = " ".join(part for part in (fields.get("code"), _signal(fields)) if part)
    values["what_to_do"] = _after_exit(fields)
    values["reaction"] = {
        "kernel_fs_shutdown": "shut the file system down",
        "kernel_fs_readonly": "takes no more writes there",
    }.get(kind, "reports it")
    if fields.get("container"):
        values["container_is"] = f"container {fields['container']}"
    if fields.get("pod"):
        values["pod_is"] = f"pod {fields['pod']}"
    if kind == "gc_pause":
        values |= _of_pause(fields)
    if kind == "jvm_crash":
        values |= _of_crash(fields)
    if kind == "jvm_no_memory":
        values |= _of_lack(fields)
    return {name: value for name, value in values.items() if value}


def _of_lack(fields: dict[str, str]) -> dict[str, str]:
    if "forbidden" in fields:
        return {
            "lacks": "a thread: the call was not permitted (EPERM)",
            "get_more": "Memory is not the reason. An old container runtime (Docker before 20.10, an old libseccomp) refuses a system call that the image's newer C library uses: upgrade the runtime, or use an older image.",
        }
    if "bytes" in fields:
        return _of_bytes(int(fields["bytes"]), is_guard="guard" in fields)
    if "threads" in fields:
        return {
            "lacks": "one more thread",
            "get_more": "Raise the limits of processes and threads (ulimit -u, pids limit of the container or of systemd's TasksMax), and see that the memory suffices for the threads' stacks.",
        }
    return {}


def _of_bytes(count: int, *, is_guard: bool) -> dict[str, str]:
    """The likely reason for a refused allocation: too little memory if it asked for megabytes, too many memory maps
    if for a few kilobytes.
    """
    if count >= _MOST_OF_A_MAP:
        return {"lacks": f"{count / 2**20:,.0f} MB of memory"}
    sign = "the warnings about stack guard pages show it" if is_guard else "usual for so small a request"
    return {
        "lacks": f"another {count:,} bytes: its limit of memory maps is used up ({sign}), or all memory",
        "get_more": "Compare wc -l < /proc/PID/maps of a running broker with sysctl vm.max_map_count, and raise that (262144 is usual): each log segment needs two maps or more, each thread some. If memory is short (free -m, the limit of the container), make room or lower -Xmx; a larger heap makes it worse.",
    }


def _may_be_kafka(name: str) -> bool:
    from replay.reading.container_names import is_beside_kafka

    lower = name.lower()
    if "zookeeper" in lower and "exporter" not in lower:
        return True  # brokers in ZooKeeper mode depend on it
    return (
        "java" in lower or "kafka" in lower or lower.startswith(("broker", "confluent-server"))
    ) and not is_beside_kafka(name)


def _signal(fields: dict[str, str]) -> str:
    """The signal as shown: `143/n/a`, `9/KILL`, `KILL`; for a container, its exit status and the signal that it
    stands for.
    """
    status, name = fields.get("status", ""), fields.get("name") or _SIGNALS.get(fields.get("status", ""), "")
    if "container" in fields:
        return f"exit status {status}" + (f" (SIG{name})" if name else "")
    return f"{status}/{name}".strip("/")


def _after_exit(fields: dict[str, str]) -> str:
    if fields.get("status") == "137":
        return "Find what killed it. Memory is the usual reason: docker inspect (State.OOMKilled), dmesg -T, the memory limit of the container or of Docker's virtual machine against -Xmx (KAFKA_HEAP_OPTS). Else docker kill, or a stop that took longer than its grace period."
    if fields.get("name") == "KILL":
        return "Find what killed it: memory (dmesg -T), somebody's kill -9, or a stop that took longer than TimeoutStopSec."
    if fields.get("name") == "ABRT" or fields.get("status") == "134":
        return "Java crashed or was aborted: read its hs_err_pid file."
    if fields.get("status") == "3":
        return "With -XX:+ExitOnOutOfMemoryError this is a full Java heap; else read the last lines of its log."
    return "Read the last lines of its own log: they name the reason."


def _of_pause(fields: dict[str, str]) -> dict[str, str]:
    before, after, heap = (fields.get(name, "") for name in ("before", "after", "heap"))
    is_full = fields.get("full") == "yes"
    held = f" ({before} to {after} of {heap})" if before else ""
    freed_little = bool(before) and _number(after) > 0.85 * _number(heap)
    return {
        "collection": ("a full garbage collection" if is_full else "garbage collection") + held,
        "heap_says": "The heap is nearly full and this freed little: take a heap dump, then give it a larger heap or less to hold."
        if freed_little
        else "",
    }


def _number(text: str) -> float:
    return float(text[:-1]) if text[:-1].isdecimal() else 0.0


def _of_crash(fields: dict[str, str]) -> dict[str, str]:
    frame = fields.get("frame", "")
    library = frame.partition("+")[0].strip()
    is_native = fields.get("sort") == "C" and library and not library.startswith(("libjvm", "libc", "ld-"))
    return {
        "library": library if is_native else "",
        "place": "" if is_native else frame,
        "signal": fields.get("signal") or fields.get("error") or "",
        "of_signal": _OF_SIGNALS.get(fields.get("signal", ""), ""),
    }
