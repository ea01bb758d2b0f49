"""What lines of the host, of Kubernetes and of Java mean for a broker; the kind of the line decides, at any level.

Sources: mm/oom_kill.c, block/blk-core.c, fs/xfs and fs/ext4 of Linux; src/core/service.c of systemd; the kubelet's
events; vmError.cpp of OpenJDK.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from replay.knowledge.meaning import PASSING, Meaning
from replay.knowledge.meanings import HOST, MEANINGS, meaning

_ROCKSDB = re.compile(r"librocksdbjni")
# Output of a probe that could not run its own command: it says nothing about the broker.
CANNOT_RUN = re.compile(
    r"[Nn]o such file or directory|: (?:command )?not found\b|[Pp]ermission denied|executable file not found|OCI runtime exec failed|exec format error|exit code 12[67]\b"
)
BROKEN_PROBE = "The probe's own command fails, whatever the broker does: correct the script, its path or its rights (a probe starts in the working directory of the image), or use the image that belongs to this chart or operator. A longer time for the probe does not help."
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
    found = _by_kind().get(kind)
    if found is None:
        return None
    values = _values(kind, fields)
    if kind == "jvm_crash" and _ROCKSDB.search(fields.get("frame", "")) is not None:
        return meaning("jvm-crash-rocksdb"), values
    if kind == "gc_pause" and int(fields.get("pause_ms", "0")) < _LONG_PAUSE_MS:
        return None
    if kind == "container_killing" and "by_probe" not in fields:
        return None
    if "says_of_another" in values:
        return meaning("another-program"), values
    if kind == "container_exited" and fields.get("status") == "0":
        return None
    if kind == "container_health" and fields.get("health") == "healthy":
        return None
    if kind in ("probe_failed", "container_killing") and CANNOT_RUN.search(fields.get("said", "")):
        return replace(found, heals="no", next=BROKEN_PROBE, whose="the probe"), values
    if kind in ("systemd_exited", "container_exited") and (
        fields.get("name") in _ASKED or fields.get("status") in _ASKED
    ):
        return replace(found, weight=PASSING, effect="It was asked to stop."), values
    return found, values


@cache
def _by_kind() -> dict[str, Meaning]:
    return {kind: one for one in MEANINGS if one.written_by == HOST for kind in one.kinds}


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
