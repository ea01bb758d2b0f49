"""What lines of the host, of Kubernetes and of Java mean for a broker; the kind of the line decides, at any level.

Sources: mm/oom_kill.c, block/blk-core.c, fs/xfs and fs/ext4 of Linux; src/core/service.c of systemd; the kubelet's
events; vmError.cpp of OpenJDK.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from replay.knowledge.code_tables import row_of
from replay.knowledge.meaning import PASSING, Meaning, filled
from replay.knowledge.meanings import HOST, MEANINGS, meaning

_ROCKSDB = re.compile(r"librocksdbjni")
_MOST_OF_A_MAP = 2**20  # bytes; Java asks for its heap in larger parts
_LONG_PAUSE_MS = 1_000
_ASKED = ("TERM", "143", "INT", "130")
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
    if kind in ("probe_failed", "container_killing") and (broken := row_of("probes", fields.get("said", ""))):
        return replace(found, heals="no", next=broken.next, whose="the probe"), values
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
    exits = row_of("exits", f"{fields.get('status', '')}/{fields.get('name', '')}")
    values["what_to_do"] = exits.next if exits is not None else ""
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
    """What Java lacked, and what to do. The likely reason for a refused allocation: too little memory if it asked for
    megabytes, too many memory maps if for a few kilobytes.
    """
    size = int(fields.get("bytes", "0"))
    of_size = "memory" if size >= _MOST_OF_A_MAP else "maps and guard" if "guard" in fields else "maps"
    lack = next((name for name in ("forbidden", "bytes", "threads") if name in fields), "")
    row = row_of("lacks", of_size if lack == "bytes" else lack)
    if row is None:
        return {}
    values = {"count": f"{size:,}", "memory": f"{size / 2**20:,.0f}"}
    return {"lacks": filled(row.says, values), "get_more": row.next}


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
    frame, signal = fields.get("frame", ""), row_of("signals", fields.get("signal", ""))
    library = frame.partition("+")[0].strip()
    is_native = fields.get("sort") == "C" and library and not library.startswith(("libjvm", "libc", "ld-"))
    return {
        "library": library if is_native else "",
        "place": "" if is_native else frame,
        "signal": fields.get("signal") or fields.get("error") or "",
        "of_signal": signal.next if signal is not None else "",
    }
