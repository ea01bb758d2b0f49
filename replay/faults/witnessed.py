"""Explains faults with evidence from outside Kafka: what ended or froze a broker, or broke its disk or its link.

A witness statement belongs to a fault if their times, with bounds, overlap. Of several statements the most specific
one counts: a statement of who killed a process is more specific than the signal. If a statement contradicts the
node's own log, the report shows both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from replay.facts.evidence import once_each
from replay.facts.groups import grouped
from replay.facts.lines import detail
from replay.facts.order import at_most
from replay.facts.times import greatest, least, millis, plus_millis
from replay.facts.witnesses import OF_JAVA
from replay.faults.kinds import BY_NAME, CRASHES, CUT_OFF, DISKS, ORDERED_STOPS, STOPS_THAT_ENDED
from replay.faults.shape import ends_of
from replay.sentences.statement import Statement, statement
from replay.tables.faults import Fault, Witness, WitnessedFault

CLOCKS_MS = 2_000  # the host's daemons, on the same clock, may log this much later than Kafka
SINCE_BOOT_MS = 60_000  # the error of dmesg's time since boot, which is never corrected
ASKED_BEFORE_MS = 60_000  # the order to stop may precede the end by this: terminationGracePeriodSeconds, TimeoutStopSec
BOOTS_WITHIN_MS = 900_000  # a host must boot within this time for its boot to explain the outage
BROKE_BEFORE_MS = 600_000  # the first errors of a disk may precede the failure of its log directory by this
BROKE_AFTER_MS = 60_000
PROBE_LOOP_MS = 1_800_000  # a probe that ends a process this soon after its start found it still recovering
MOSTLY = 50.0  # percent of the processor time: with less steal, a process still runs, but slowly
STOPS_WITHIN_MS = 600_000  # how long a stop may take before the process is killed
SIGNALS = {
    "129": "SIGHUP",
    "130": "SIGINT",
    "132": "SIGILL",
    "134": "SIGABRT",
    "135": "SIGBUS",
    "136": "SIGFPE",
    "137": "SIGKILL",
    "139": "SIGSEGV",
    "143": "SIGTERM",
}
ASKING = ("SIGTERM", "SIGINT", "SIGHUP")  # a JVM shuts down in an orderly way on these
_NOTED_LATE = (
    "container_exited",
    "container_oom_killed",
    "systemd_exited",
)  # the daemon's timestamp, about 100 ms after the end
_STARTS = (
    "systemd_starting",
    "systemd_started",
    "systemd_restart",
    "container_started",
    "container_restarted",
    "host_booted",
)
IN_ORDER = "0"
UNKNOWN_STATUS = "255"  # Docker and Kubernetes report this if they did not observe the end
_REMOVABLE = re.compile(r"^(?:fd|sr)\d")  # floppies and CDs: kernels of virtual machines often log errors about them
_JAVA = re.compile(r"(?i)^java|kafka")


@dataclass(frozen=True)
class WitnessRule:
    """How witness statements of some kinds explain a fault: a name, the title's predicate, and the statement of the
    reason.

    `ends`: the process ended. `orders`: the process was asked to stop, so its log should show a shutdown.
    `may_stop`: its log may show one. `is_instant`: the time is that of the event, not a measured duration. `code`:
    the fault's code, if the witness decides it.
    """

    name: str
    predicate: str
    fits: Callable[[Witness], bool]
    statement_of: Callable[[Witness], Statement]
    ends: bool = True
    orders: bool = False
    may_stop: bool = False
    is_instant: bool = True
    code: str | None = None
    lead_ms: int = CLOCKS_MS
    trail_ms: int = CLOCKS_MS


def _is_java(row: Witness) -> bool:
    process = detail(row, "process")
    is_others = detail(row, "other_unit") is not None
    return not is_others and (process is None or _JAVA.search(process) is not None)


def _of(*kinds: str) -> Callable[[Witness], bool]:
    return lambda row: row.kind in kinds


def _killed_java(*kinds: str) -> Callable[[Witness], bool]:
    return lambda row: row.kind in kinds and _is_java(row)


def _is_killed_for_memory(row: Witness) -> bool:
    """Whether the process was killed for memory, by a witness that does not name the memory limit."""
    if row.kind == "systemd_exited":
        return detail(row, "for_memory") is not None
    return row.kind == "container_oom_killed" or (row.kind == "kernel_oom_victim" and _is_java(row))


def _machine_killed_java(row: Witness) -> bool:
    return row.kind == "machine_oom_kill" and _JAVA.search(detail(row, "process") or "") is not None


def is_out_of_heap(row: Witness) -> bool:
    """Whether Java ended for lack of heap: its last line says so, or its crash report
    (-XX:+CrashOnOutOfMemoryError).
    """
    return row.kind == "jvm_out_of_memory_exit" or (
        row.kind == "jvm_crash" and "OutOfMemory encountered" in (detail(row, "said") or "")
    )


def _held(row: Witness) -> str | None:
    kilobytes = detail(row, "anon_rss")
    return f"{int(kilobytes) / 1024:,.0f} MB" if kilobytes and kilobytes.isdecimal() else None


def stated_time(row: Witness) -> str | None:
    """The time of a witness statement in words, with the precision of the statement."""
    if row.ts is None:
        return None
    if detail(row, "since_boot"):
        return f"about {row.ts:%H:%M:%S}"
    if row.latest_ts == row.ts and row.kind not in _NOTED_LATE:
        return f"{row.ts:%H:%M:%S}.{row.ts.microsecond // 1_000:03d}"
    if (row.latest_ts - row.ts).total_seconds() <= 1:
        return f"{row.ts:%H:%M:%S}"
    return f"between {row.ts:%H:%M:%S} and {row.latest_ts:%H:%M:%S}"


def _no_memory(row: Witness) -> Statement:
    return statement("killed_for_want_of_memory", told_at=stated_time(row), held=_held(row))


def _over_limit(row: Witness) -> Statement:
    return statement("killed_over_memory_limit", told_at=stated_time(row), held=_held(row))


def _for_memory(row: Witness) -> Statement:
    return statement("killed_for_memory", told_at=stated_time(row), held=_held(row))


def _heap_ran_out(row: Witness) -> Statement:
    aborts = row.kind == "jvm_crash" or (row.message or "").startswith("Aborting")
    option = "-XX:+CrashOnOutOfMemoryError" if aborts else "-XX:+ExitOnOutOfMemoryError"
    why = detail(row, "said" if row.kind == "jvm_crash" else "reason")
    return statement("heap_ran_out", told_at=stated_time(row), why=why, option=option)


def _java_broke(row: Witness) -> Statement:
    return statement(
        "java_broke",
        told_at=stated_time(row),
        signal=detail(row, "signal"),
        error=detail(row, "error"),
        frame=detail(row, "frame"),
        lacked=detail(row, "lacked"),
        ran_s=detail(row, "elapsed_s"),
    )


def _command(row: Witness) -> str:
    return f'{detail(row, "user")} gave the command "{detail(row, "command")}"'


def _asked(row: Witness) -> Statement:
    asked = {
        "systemd_stopping": "systemd was told to stop its unit",
        "host_command": _command(row),
        "container_stopped": "its container was stopped",
        "container_signalled": f"its container was sent signal {detail(row, 'signal')}",
        "container_killing": f"Kubernetes: {detail(row, 'said')}",
    }
    return statement("asked_to_stop", told_at=stated_time(row), asked=asked[row.kind])


def _orders_end(row: Witness) -> bool:
    if row.kind == "container_killing":
        return detail(row, "by_probe") is None
    if row.kind == "container_signalled":
        return _sent(row) in ASKING
    if row.kind == "host_command":
        return detail(row, "ends") == "kafka"
    return row.kind in ("systemd_stopping", "container_stopped")


def _stops_host(row: Witness) -> bool:
    return row.kind == "host_stopping" or (row.kind == "host_command" and detail(row, "ends") == "host")


def _host_was_stopped(row: Witness) -> Statement:
    asked = _command(row) if row.kind == "host_command" else None
    return statement("host_was_stopped", told_at=stated_time(row), asked=asked)


def _kills_at_once(row: Witness) -> bool:
    """Whether a person or a tool killed the process without stopping it first."""
    if row.kind == "container_signalled":
        return _sent(row) == "SIGKILL"
    return row.kind == "host_command" and detail(row, "ends") == "kafka_at_once"


def _killed_at_once(row: Witness) -> Statement:
    how = _command(row) if row.kind == "host_command" else "its container was sent SIGKILL"
    return statement("had_it_killed", told_at=stated_time(row), how=how)


def _sent(row: Witness) -> str | None:
    """The name of the signal that was sent to a container's process."""
    signal = detail(row, "signal") or ""
    return SIGNALS.get(str(128 + int(signal))) if signal.isdecimal() else signal or None


def _is_stop_too_slow(row: Witness) -> bool:
    return row.kind == "systemd_stop_timeout" and (detail(row, "act") or "").startswith("Killing")


def signal_of(row: Witness) -> str | None:
    """The signal that ended a process; None if it exited on its own."""
    if row.kind == "systemd_exited" and detail(row, "code") in ("killed", "dumped"):
        name = detail(row, "name") or detail(row, "status")
        return f"SIG{name}" if name and name.isalpha() else f"signal {name}"
    if row.kind in ("container_exited", "container_oom_killed", "systemd_exited"):
        return SIGNALS.get(status_of(row) or "")
    return "SIGKILL" if row.kind == "process_killed_told" else None


def status_of(row: Witness) -> str | None:
    """The exit status of a process."""
    return detail(row, "status") if row.kind == "systemd_exited" else detail(row, "exit_code")


def _ended_by_signal(row: Witness) -> Statement:
    return statement("ended_by_signal", told_at=stated_time(row), signal=signal_of(row))


def _ended_when_asked(row: Witness) -> Statement:
    return statement("ended_when_asked", told_at=stated_time(row), signal=signal_of(row))


def _ended_with_status(row: Witness) -> Statement:
    status = status_of(row)
    return statement(
        "ended_with_status",
        told_at=stated_time(row),
        status=status,
        out_of_heap=status == "3",
        beside=detail(row, "oom") is not None,
    )


_ENDED = ("systemd_exited", "container_exited", "process_killed_told")


def _is_end_by_signal(row: Witness) -> bool:
    return row.kind in _ENDED and signal_of(row) not in (None, *ASKING)


def _is_end_when_asked(row: Witness) -> bool:
    return row.kind in _ENDED and signal_of(row) in ASKING


def _is_end_by_itself(row: Witness) -> bool:
    if row.kind == "container_exited" and status_of(row) == UNKNOWN_STATUS:
        return False
    return row.kind in ("systemd_exited", "container_exited") and status_of(row) is not None and signal_of(row) is None


def _is_end_without_status(row: Witness) -> bool:
    return row.kind == "container_exited" and status_of(row) is None


def _ended_somehow(row: Witness) -> Statement:
    return statement("container_ended", told_at=stated_time(row), runs=detail(row, "running") is not None)


def _is_end(row: Witness) -> bool:
    return _is_end_by_signal(row) or _is_end_when_asked(row) or _is_end_by_itself(row)


def _is_out_of_sight(row: Witness) -> bool:
    """Whether a machine no longer reports its state. A machine that reports that it is not ready still does."""
    return row.kind == "machine_not_ready" and detail(row, "status") != "False"


def _are_mostly_stolen(row: Witness) -> bool:
    return row.kind == "processors_stolen" and float(detail(row, "percent") or 0) >= MOSTLY


# The most specific comes first.
ENDERS: tuple[WitnessRule, ...] = (
    WitnessRule(
        "memory",
        "was killed by the kernel: out of memory",
        lambda row: _killed_java("kernel_oom_kill")(row) or _machine_killed_java(row),
        _no_memory,
    ),
    WitnessRule(
        "memory_limit",
        "was killed by the kernel: over its memory limit",
        _killed_java("kernel_cgroup_oom_kill"),
        _over_limit,
    ),
    WitnessRule("for_memory", "was killed by the kernel: out of memory", _is_killed_for_memory, _for_memory),
    WitnessRule(
        "oomd",
        "was killed by systemd-oomd for its memory",
        _killed_java("systemd_oomd_killed"),
        lambda row: statement("killed_by_oomd", told_at=stated_time(row)),
    ),
    WitnessRule(
        "sent_signal",
        "was killed by a signal that somebody sent",
        lambda row: row.kind == "jvm_crash" and detail(row, "sent") is not None,
        lambda row: statement(
            "was_sent_a_signal", told_at=stated_time(row), signal=detail(row, "signal"), sent=detail(row, "sent")
        ),
    ),
    WitnessRule("heap", "ran out of heap and exited", is_out_of_heap, _heap_ran_out, code="F26"),
    WitnessRule("java", "crashed: Java itself broke", _of("jvm_crash"), _java_broke),
    WitnessRule(
        "java_announced",
        "crashed: Java itself broke",
        _killed_java("jvm_crash_announced", "kernel_segfault"),
        _java_broke,
    ),
    WitnessRule(
        "probe",
        "was ended by Kubernetes: its probe failed",
        lambda row: row.kind == "container_killing" and detail(row, "by_probe") is not None,
        lambda row: statement("ended_by_probe", told_at=stated_time(row), said=detail(row, "said")),
        may_stop=True,
        lead_ms=ASKED_BEFORE_MS,
    ),
    WitnessRule(
        "watchdog",
        "was ended by systemd: it did not answer the watchdog",
        _of("systemd_watchdog"),
        lambda row: statement("watchdog_not_answered", told_at=stated_time(row), limit=detail(row, "limit")),
        lead_ms=ASKED_BEFORE_MS,
    ),
    WitnessRule(
        "evicted",
        "was evicted by Kubernetes",
        _of("pod_evicted"),
        lambda row: statement("evicted", told_at=stated_time(row), said=detail(row, "said")),
        orders=True,
        lead_ms=ASKED_BEFORE_MS,
    ),
    WitnessRule(
        "operator",
        "was rolled by the operator",
        _of("operator_rolled_pod"),
        lambda row: statement(
            "rolled_by_operator",
            told_at=stated_time(row),
            why=detail(row, "why"),
            reconciliation=detail(row, "reconciliation"),
        ),
        orders=True,
        lead_ms=ASKED_BEFORE_MS,
    ),
    WitnessRule(
        "host_stopped",
        "went down with its host, which was stopped",
        _stops_host,
        _host_was_stopped,
        orders=True,
        lead_ms=ASKED_BEFORE_MS,
    ),
    WitnessRule(
        "too_slow_a_stop",
        "was killed by systemd: its stop took too long",
        _is_stop_too_slow,
        lambda row: statement("stop_took_too_long", told_at=stated_time(row)),
        may_stop=True,
    ),
    WitnessRule(
        "too_slow_a_start",
        "was ended by systemd: its start took too long",
        _of("systemd_start_timeout"),
        lambda row: statement("start_took_too_long", told_at=stated_time(row)),
        may_stop=True,
        lead_ms=ASKED_BEFORE_MS,
    ),
    WitnessRule("killed_at_once", "was killed on request", _kills_at_once, _killed_at_once, may_stop=True),
    WitnessRule("asked", "was stopped on request", _orders_end, _asked, orders=True, lead_ms=ASKED_BEFORE_MS),
    WitnessRule("signal", "was killed by a signal", _is_end_by_signal, _ended_by_signal, may_stop=True),
    WitnessRule("terminated", "was asked to stop by a signal", _is_end_when_asked, _ended_when_asked, orders=True),
    WitnessRule("status", "ended by itself", _is_end_by_itself, _ended_with_status, may_stop=True),
    WitnessRule("ended", "ended", _is_end_without_status, _ended_somehow, may_stop=True),
    WitnessRule(
        "host_died",
        "went down with its host",
        _of("kernel_panic", "host_booted", "machine_rebooted"),
        lambda row: statement(
            "host_went_down", told_at=stated_time(row), said=detail(row, "said") or detail(row, "reason")
        ),
        may_stop=True,
        trail_ms=BOOTS_WITHIN_MS,
    ),
    WitnessRule(
        "machine_lost",
        "went out of sight with its machine",
        _is_out_of_sight,
        lambda row: statement("machine_lost", told_at=stated_time(row), said=detail(row, "reason")),
        may_stop=True,
        trail_ms=ASKED_BEFORE_MS,
    ),
)

_STOOD_STILL = (
    WitnessRule(
        "container_paused",
        "froze: its container was paused",
        _of("container_paused", "container_unpaused"),
        lambda row: statement("container_was_paused", told_at=stated_time(row)),
    ),
    WitnessRule(
        "vm_restored",
        "froze with its virtual machine, which goes on from a copy",
        _of("kernel_vm_restored"),
        lambda row: statement("machine_was_restored", told_at=stated_time(row)),
    ),
    WitnessRule(
        "host_slept",
        "froze with its host, which slept",
        _of("kernel_suspended", "kernel_resumed"),
        lambda row: statement("host_slept", told_at=stated_time(row)),
    ),
    WitnessRule(
        "processors_stolen",
        "froze as the hypervisor gave its processors to others",
        _are_mostly_stolen,
        lambda row: statement(
            "processors_were_stolen", at_from=row.ts, at_to=row.latest_ts, percent=detail(row, "percent")
        ),
        is_instant=False,
    ),
    WitnessRule(
        "processors_stood",
        "froze with the processors of its host",
        _of("kernel_soft_lockup"),
        lambda row: statement("processors_stood_still", told_at=stated_time(row), stuck_s=detail(row, "seconds")),
        trail_ms=30_000,
    ),
    WitnessRule(
        "hung_task",
        "froze as its host waited for a disk",
        _killed_java("kernel_hung_task"),
        lambda row: statement("task_was_hung", told_at=stated_time(row), seconds=detail(row, "seconds")),
        trail_ms=150_000,
    ),
)
_OF_DISKS = ("kernel_block_error", "kernel_fs_error", "kernel_fs_readonly", "kernel_fs_shutdown")
_DISK = (
    WitnessRule(
        "disk",
        "",
        lambda row: row.kind in _OF_DISKS and _REMOVABLE.match(detail(row, "device") or "") is None,
        lambda row: statement("disk_broke", told_at=stated_time(row), device=detail(row, "device"), line=row.message),
        lead_ms=BROKE_BEFORE_MS,
        trail_ms=BROKE_AFTER_MS,
    ),
    WitnessRule(
        "volume",
        "",
        _of("volume_not_mounted"),
        lambda row: statement("volume_not_mounted", told_at=stated_time(row), line=detail(row, "said")),
        lead_ms=BROKE_BEFORE_MS,
        trail_ms=BROKE_AFTER_MS,
    ),
)
_LINK = (
    WitnessRule(
        "link",
        "",
        _of("kernel_link_down", "kernel_link_stuck"),
        lambda row: statement("link_was_down", told_at=stated_time(row), link=detail(row, "link")),
        lead_ms=10_000,
    ),
    WitnessRule(
        "machine_lost",
        "",
        _is_out_of_sight,
        lambda row: statement("machine_lost", told_at=stated_time(row), said=detail(row, "reason")),
        trail_ms=ASKED_BEFORE_MS,
    ),
)
_CLOCK = (
    WitnessRule(
        "clock",
        "",
        _of("host_clock_stepped", "kernel_clock_unstable", "kernel_vm_restored"),
        lambda row: statement("clock_was_set", told_at=stated_time(row), line=row.message),
        lead_ms=BROKE_AFTER_MS,
        trail_ms=BROKE_AFTER_MS,
    ),
)

_CODES = {rule.name: rule.code for rule in ENDERS if rule.code is not None}

PROVE_AN_END = (
    "memory",
    "memory_limit",
    "for_memory",
    "oomd",
    "sent_signal",
    "heap",
    "java",
    "signal",
    "terminated",
    "status",
    "ended",
)
"""What shows by itself that a process ended, whatever its own log and its peers say."""

_WITHOUT_REASON = ("signal", "terminated", "status", "ended")
ENDS = (*CRASHES, "silent", *ORDERED_STOPS)
EXPLAINED_BY = {
    **dict.fromkeys(ENDS, ENDERS),
    **dict.fromkeys(("paused", "fenced_alive", "slow_follower"), _STOOD_STILL),
    "silent": (*ENDERS, *_STOOD_STILL, *_LINK),
    **dict.fromkeys((*DISKS, "records_damaged"), _DISK),
    **dict.fromkeys(CUT_OFF, _LINK),
    "clock_stepped": _CLOCK,
}
"""What may explain a fault of each kind, what says most first."""


class Found(NamedTuple):
    """A node's witness statements about a time: the rule and the statement that explain it best, and the ids of
    their lines.
    """

    rule: WitnessRule
    first: Witness
    lines: list[str]


def found_in(
    own: Sequence[Witness], low: datetime | None, high: datetime | None, rule: Iterable[WitnessRule]
) -> Found | None:
    """The witness statements `own` of a node about the time between `low` and `high`; None without any."""
    for one in rule:
        fitting = [
            row
            for row in own
            if row.ts is not None and one.fits(row) and _meets(row, low, high, one.lead_ms, one.trail_ms)
        ]
        if fitting:
            beside = [row for row in own if _is_end(row) and _meets(row, low, high, CLOCKS_MS, CLOCKS_MS)]
            lines = once_each(row.event_id for row in (*fitting[:4], *(beside[:2] if one.ends else ())))
            return Found(one, min(fitting, key=lambda row: _apart(row, low, high)), lines)
    return None


def _apart(row: Witness, low: datetime | None, high: datetime | None) -> int:
    """How far a witness statement is outside the time between `low` and `high`, in milliseconds."""
    return max(millis(low, row.latest_ts) or 0, millis(row.ts, high) or 0, 0)


def _meets(row: Witness, low: datetime | None, high: datetime | None, lead_ms: int, trail_ms: int) -> bool:
    """Whether the time of a witness statement, with its bounds, overlaps the time from `low` to `high`; None means
    no bound.
    """
    lead_ms, trail_ms = max(lead_ms, _since_boot_ms(row)), max(trail_ms, _since_boot_ms(row))
    return at_most(plus_millis(low, -lead_ms) or row.latest_ts, row.latest_ts) and at_most(
        row.ts, plus_millis(high, trail_ms) or row.ts
    )


def _since_boot_ms(row: Witness) -> int:
    """The largest error of a time that the host counts from its boot, in milliseconds."""
    return SINCE_BOOT_MS if detail(row, "since_boot") else 0


def witnessed(faults: Iterable[Fault], witnesses: Sequence[Witness]) -> list[WitnessedFault]:
    """The explanation of each fault by evidence from outside Kafka. Omits faults without one."""
    of_node = grouped(sorted(witnesses, key=_by_time), lambda row: row.node_id)
    in_order = sorted(faults, key=lambda fault: (fault.ts is None, fault.ts, fault.fault_id))
    rows: list[WitnessedFault] = []
    for fault in in_order:
        for node in ends_of(fault):
            row = _witnessed(fault, of_node.get(node, []), in_order)
            if row is not None:
                rows.append(row)
                break
    return rows


def with_codes_of_witnesses(faults: Sequence[Fault], witnesses: Sequence[Witness]) -> list[Fault]:
    """The faults. If a witness decides the kind of a fault, the fault has the code of that kind."""
    codes = {row.fault_id: _CODES[row.by] for row in witnessed(faults, witnesses) if row.by in _CODES}
    return [one.but(code=codes.get(one.fault_id, one.code)) for one in faults]


def _by_time(row: Witness) -> tuple[bool, float, str]:
    return row.ts is None, row.ts.timestamp() if row.ts is not None else 0.0, row.event_id


def _witnessed(fault: Fault, own: Sequence[Witness], faults: Sequence[Fault]) -> WitnessedFault | None:
    if not own or fault.kind not in EXPLAINED_BY:
        return None
    low, high = time_of(fault)
    found = found_in(own, low, high, EXPLAINED_BY[fault.kind])
    if (found is None or found.rule.name in _WITHOUT_REASON) and _is_only_end(fault, faults):
        found = _undated(own, fault) or found
    if found is None:
        return _nothing_seen(fault, own, low, high)
    asked, put_off = _asked_before(fault, found, own, faults), _put_off(found, own)
    statements = [found.rule.statement_of(found.first), *_further_statements(fault, found, own, faults, asked, put_off)]
    predicate = _predicate(fault, found)
    return WitnessedFault(
        fault_id=fault.fault_id,
        by=found.rule.name,
        predicate=predicate,
        is_dated=predicate is not None and _dated(found) is not None,
        said=[{"reason": one.reason, "arguments": one.arguments} for one in statements],
        evidence=once_each([*found.lines, *_further_lines(found, own, asked, put_off)]),
    )


def _undated(own: Sequence[Witness], fault: Fault) -> Found | None:
    """Java's lines about its own end, from an output without timestamps."""
    undated = [row for row in own if row.ts is None and row.kind in OF_JAVA]
    for one in EXPLAINED_BY[fault.kind]:
        fitting = [row for row in undated if one.fits(row)]
        if fitting:
            return Found(one, fitting[-1], [row.event_id for row in fitting[-2:]])
    return None


def _is_only_end(fault: Fault, faults: Sequence[Fault]) -> bool:
    """Whether this is the node's only unordered end, so that lines without a time belong to it."""
    ends = [one for one in faults if one.broker_id == fault.broker_id and one.kind in (*CRASHES, "silent")]
    return len(ends) == 1 and ends[0].fault_id == fault.fault_id


def time_of(fault: Fault) -> tuple[datetime | None, datetime | None]:
    """The time in which the cause of a fault may lie: for a crash, up to its detection; for other faults, up to
    their end.
    """
    low = least(fault.began_low, fault.ts)
    if fault.kind in CRASHES:
        return low, greatest(fault.ts, fault.began_high)
    return low, greatest(fault.ts, fault.end_ts)


def _dated(found: Found) -> str | None:
    """The time for the title; None if the statement's time is not that of the event."""
    return stated_time(found.first) if found.rule.is_instant else None


def _predicate(fault: Fault, found: Found) -> str | None:
    """The title's predicate with its time. An ordered stop names its requester; disks and links keep their own
    titles.
    """
    at = f", {dated}" if (dated := _dated(found)) is not None else ""
    if not found.rule.predicate:
        return None
    if fault.kind in STOPS_THAT_ENDED:
        asked = {
            "evicted": "evicted by Kubernetes",
            "probe": "ended by Kubernetes, as its probe failed",
            "operator": "rolled by the operator",
            "host_stopped": "with its host",
        }
        how = asked.get(found.rule.name)
        return f"{BY_NAME[fault.kind].predicate}: {how}{at}" if how else None
    if found.rule.name in ("status", "ended") and fault.kind != "silent":
        return None
    if found.rule.name == "signal":
        return f"was killed by {signal_of(found.first)}{at}"
    if found.rule.name == "terminated":
        return f"ended when it was sent {signal_of(found.first)}{at}"
    return f"{found.rule.predicate}{at}"


def _further_statements(
    fault: Fault,
    found: Found,
    own: Sequence[Witness],
    faults: Sequence[Fault],
    asked: Witness | None,
    put_off: Sequence[Witness],
) -> Iterator[Statement]:
    """Contradictions with the node's own log, probes that end recoveries, delayed rolls by the operator, and other
    orders.
    """
    in_order = found.rule.orders or _ended_in_order(found)
    if fault.kind == "killed" and in_order and not _was_killed_then(fault, own):
        yield statement("log_shows_no_shutdown")
    if fault.kind == "stopped" and found.rule.ends and not in_order and not found.rule.may_stop:
        yield statement("log_shows_a_shutdown")
    if found.rule.name == "probe" and _was_recovering(fault, faults):
        yield statement("probe_ends_recoveries")
    if put_off:
        yield statement("operator_had_put_it_off", times=len(put_off), told_at=stated_time(put_off[0]))
    if asked is not None:
        yield _asked(asked)
    before = [row for row in own if at_most(row.ts, found.first.ts)]
    commands = [row for row in before if row.kind == "host_command" and detail(row, "ends") == "process"]
    if found.rule.name == "signal" and commands and (millis(commands[-1].ts, found.first.ts) or 0) <= CLOCKS_MS:
        yield statement("command_was_given", command=_command(commands[-1]), told_at=stated_time(commands[-1]))


def _further_lines(
    found: Found, own: Sequence[Witness], asked: Witness | None, put_off: Sequence[Witness]
) -> Iterator[str]:
    """The lines of the further statements: an earlier order, and the operator's reason for rolling a pod and its
    first delay.
    """
    if asked is not None:
        yield asked.event_id
    if found.rule.name == "operator":
        decided = [
            row
            for row in own
            if row.kind == "operator_decided_roll"
            and detail(row, "reconciliation") == detail(found.first, "reconciliation")
            and at_most(row.ts, found.first.ts)
        ]
        yield from (row.event_id for row in (*decided[-1:], *put_off[:1]))


def _put_off(found: Found, own: Sequence[Witness]) -> list[Witness]:
    """The lines in which the operator delayed rolling the pod."""
    if found.rule.name != "operator":
        return []
    return [row for row in own if row.kind == "operator_put_off_roll" and at_most(row.ts, found.first.ts)]


def _asked_before(fault: Fault, found: Found, own: Sequence[Witness], faults: Sequence[Fault]) -> Witness | None:
    """The last order to stop before an end that another witness reports; None if an earlier process ended on that
    order.
    """
    at = found.first.ts
    if found.rule.orders or not found.rule.ends or found.rule.name == "probe" or at is None:
        return None
    dated = [row for row in own if row.ts is not None and row.ts <= at]
    orders = [row for row in dated if _orders_end(row) and (millis(row.ts, at) or 0) <= STOPS_WITHIN_MS]
    if not orders:
        return None
    asked = orders[-1]
    was_over = any(row.kind in _STARTS and row.ts > asked.ts for row in dated) or any(
        one.broker_id == fault.broker_id
        and one.fault_id != fault.fault_id
        and one.kind in ENDS
        and at_most(plus_millis(asked.ts, -CLOCKS_MS), one.ts)
        and at_most(one.ts, at)
        for one in faults
    )
    return None if was_over else asked


def _ended_in_order(found: Found) -> bool:
    return found.rule.name == "status" and status_of(found.first) == IN_ORDER


def _was_killed_then(fault: Fault, own: Sequence[Witness]) -> bool:
    """Whether SIGKILL ended the process, so that an earlier order need not appear in its log."""
    low, high = time_of(fault)
    return any(signal_of(row) == "SIGKILL" and _meets(row, low, high, CLOCKS_MS, CLOCKS_MS) for row in own if row.ts)


def _was_recovering(fault: Fault, faults: Sequence[Fault]) -> bool:
    """Whether the process that ended had started shortly before, after an unclean shutdown."""
    return any(
        one.broker_id == fault.broker_id
        and one.kind in (*CRASHES, "stop_cut_short")
        and at_most(one.end_ts, fault.ts)
        and at_most(fault.ts, plus_millis(one.end_ts, PROBE_LOOP_MS))
        for one in faults
        if one.fault_id != fault.fault_id
    )


def _is_of_another_java(row: Witness) -> bool:
    """Whether a Java process in a differently named unit was killed. It is probably not Kafka, but unit names are
    free.
    """
    return detail(row, "other_unit") is not None and _JAVA.search(detail(row, "process") or "") is not None


def _nothing_seen(
    fault: Fault, own: Sequence[Witness], low: datetime | None, high: datetime | None
) -> WitnessedFault | None:
    """States that the host's kernel log covers the time without a kill or a boot.

    Neither the kernel's OOM killer nor a power loss then ended the process.
    """
    if fault.kind not in ("killed", "silent"):
        return None
    later_lines = [row for row in own if row.kind == "kernel_heard" and row.ts is not None]
    begins = [row for row in later_lines if at_most(plus_millis(row.ts, _since_boot_ms(row)), low)]
    ends = [row for row in later_lines if at_most(plus_millis(high, CLOCKS_MS + _since_boot_ms(row)), row.ts)]
    if (
        not begins
        or not ends
        or any(_is_of_another_java(row) and _meets(row, low, high, CLOCKS_MS, CLOCKS_MS) for row in own)
    ):
        return None
    seen = statement("kernel_saw_no_kill")
    return WitnessedFault(
        fault_id=fault.fault_id,
        by="kernel_saw_nothing",
        predicate=None,
        is_dated=False,
        said=[{"reason": seen.reason, "arguments": seen.arguments}],
        evidence=[begins[-1].event_id, ends[0].event_id],
    )
