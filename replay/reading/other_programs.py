"""The lines of other programs between the lines of Kafka in a text: the kernel, systemd, Kubernetes, a container runtime,
Java, a shell, a person.

Each line is first tested for its own head; without one, it belongs to the record above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from replay.catalogue.server_jvm import JVM_MESSAGES, SHELL_MESSAGE
from replay.reading.client_libraries import level_named
from replay.reading.container_names import node_of_name
from replay.reading.host_logs import host_line, host_line_template, is_host_line
from replay.reading.kubernetes import EVENTS_HEAD, ended_by_probe, kind_of_reason
from replay.reading.layouts import begins_a_record
from replay.reading.printed_line import NO_LEVEL, NOBODY, OTHERS, SETTING, TYPED, UNKNOWN, Line
from replay.reading.secrets import hidden_text
from replay.reading.stamps import datetime_of, micros_of
from replay.reading.wrapped import LOGGER_BEHIND, is_known

_GC = re.compile(
    r"^\[(?:(?P<date>\d{4}-\d\d-\d\d)T(?P<time>\d\d:\d\d:\d\d[.,]\d+)(?P<zone>[+-]\d{4}|Z)?\]|[\d.,]+m?s\])(?:\[[^\]]*\])*?\[(?:gc|safepoint)[^\]]*\]"
)
_KAFKAS_STAMP = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?P<zone> ?(?:Z|[+-]\d\d:?\d\d))?\]? ")
_OLD_GC = re.compile(
    r"^(?:(?P<date>\d{4}-\d\d-\d\d)T(?P<time>\d\d:\d\d:\d\d[.,]\d+)(?P<zone>[+-]\d{4})?: )?\d+[.,]\d+: (?:\[(?:Full )?GC|Total time for which|#\d+: \[)"
)
# Rows below a G1 pause that show how long each phase took.
_OF_A_PAUSE = re.compile(
    r"^\s*\[(?:Parallel Time|GC Worker|Ext Root Scanning|Update RS|Processed Buffers|Scan RS|Code Root|Object Copy|Termination|Clear CT|Other|Choose CSet|Ref (?:Proc|Enq)|Redirty Cards|Humongous|Free CSet|Eden|Times|String Dedup|Evacuation Failure)\b"
)
_PAUSE = re.compile(
    r"(?<!\d)(?:(?P<before>\d+)(?P<unit>[KMG])->(?P<after>\d+)[KMG]\((?P<heap>\d+)[KMG]\))?[,; ]{0,20}(?P<pause>\d+[.,]\d+) ?(?P<in>ms|secs)\]?\s*$"
)
_DESCRIBED_EVENT = re.compile(
    r"^\s*(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w+)\s+(?P<age>(?:\d+[ydhms])+(?: \(x\d+ over [^)]*\))?|<\w+>)\s+(?P<by>[\w-]+(?:, \S+)?)\s+(?P<message>\S.*)$"
)
_LISTED_EVENT = re.compile(
    r"^(?:[\w-]+\s+)?(?P<age>(?:\d+[ydhms])+)(?: \(x\d+ over [^)]*\))?\s+(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w+)\s+(?P<object>\w+/\S+)\s+(?P<message>\S.*)$"
)
_HEAD_OF_EVENTS = re.compile(rf"^\s*Events:\s*$|^\s*(?:Type\s+Reason\s+Age\b|-{{3,}}(?:\s+-{{2,}})*\s*$)|{EVENTS_HEAD}")
_OF_A_POD = re.compile(
    r"^\s+(?:State|Last State|Reason|Exit Code|Signal|Started|Finished|Ready|Restart Count|Message|Limits|Requests|memory|cpu|Image|Liveness|Readiness):\s++(?P<value>.*)$"
)
# A kill in the short form in which people paste it.
_CUT_KILL = re.compile(
    r"(?:Memory cgroup out of memory|Out of memory): Kill(?:ed)? process (?P<pid>\d+) \((?P<process>[^)]*)\)(?:.*?anon-rss:(?P<anon_rss>\d+)kB)?"
)
_KLOG = re.compile(r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+:\d+\] ")
_LOGFMT = re.compile(r'^time="[^"]+" level=(?P<level>\w+) msg=')
_CRASH = re.compile(r"^#(?:\s|$)")
_SIGNAL = re.compile(
    r"^#\s+(?:(?P<signal>(?:SIG|EXCEPTION_)\w+) \(0x[0-9a-f]+\)|(?P<error>Internal Error|Out of Memory Error) \()"
)
_LINES_BEFORE = 6  # Java warns before its report
# Java's warnings before and after its crash report; a refused commit of memory alone shows the same.
_JAVA_WARNS = re.compile(
    r"^(?:(?:Java HotSpot\(TM\)|OpenJDK) .{0,40}VM warning: (?:Attempt to \w{1,12} stack guard pages failed|INFO: os::commit_memory\(0x[0-9a-f]{1,16}, (?P<bytes>\d{1,18}), \d\) failed)|\[thread \d{1,20} also had an error\])"
)
_JOINED_ROWS = re.compile(r" # (?:# )?")
_FRAME_OF_CRASH = re.compile(r"^#\s+(?P<sort>[CJVvj])\s+\[?(?P<frame>[^\]\n]+)")
_PID = re.compile(r"\bpid=(?P<pid>\d+)")
_CRASH_BEGINS = re.compile(
    r"^#\s+(?:# )?(?:A fatal error has been detected|There is insufficient memory for the Java|(?:SIG|EXCEPTION_)\w+ \(0x|Problematic frame)"
)
_PROMPT = re.compile(
    r"^(?:(?:sudo |nohup |exec )?(?:[\w.~-]*/){0,12}(?:kafka|zookeeper|connect)-[\w-]{1,60}(?:\.sh|\.bat)?(?= (?:--?[a-z]|[\w./-]{1,200}\.properties))|\[?[\w.-]+@[\w.-]+[^$#%\n]{0,80}[$#%]|(?:PS )?[A-Z]:\\[^>]*>|[➜❯λ]|\$|sh-[\d.]+[$#]|bash-[\d.]+[$#])(?:\s|$)(?!\s*\d{4}-)"
)
_NOTHING = re.compile(
    r"^[\s`~=_*.·…\[\](){}<>|#+-]*$|^[A-Z][a-z]{2} \d{1,2}, \d{4} @ [\d:.]{8,16}\s*$|^(?:g?make(?:\[\d\])?: \*\*\* )|^\s*(?:\[?(?:snip|cut|skipping|truncated)\b[^\n]{0,40}|==> .* <==)\s*$"
)
# What somebody writes between lines: words, no marks of a log, and I, we, a question, or what follows.
_REMARK = re.compile(
    r"^(?:\d{1,2}[.)] |[-*] )?(?=[^\n]*(?:\b(?:I|I'm|I've|we|We|my|My|our|Our|me|us)(?=[ ,.!?]|$)|\b(?:Thanks|thanks|Hi|Hello|anyone|Anyone)\b|\?\s*$|\b(?:following|below|logs?|gotten|got|shows?)\b[^.:]{0,40}:\s*$|\bfollowing (?:logs?|errors?|messages?|exceptions?|output)\b|^(?:and|but|also|then|so|when) ))"
    r"(?![^\n]*(?:[A-Za-z]Exception|[a-z]Error\b|\b(?:ERROR|WARN|FATAL|INFO)\b|exited|refused|denied))[A-Za-z][^\n\[\]{}|=<>\t]{8,400}$"
)
_SETTING = re.compile(r"^\s*(?:#\s*)?[a-z][\w-]*(?:\.[\w-]+)+\s*=\s?.*$")
_TRACE = re.compile(
    r"\s*(?:at [\w$.<>/@-]+\(|Caused by: |Suppressed: |\.\.\. \d+ (?:more|common)|(?:Exception in thread \"[^\"]*\" )?[\w.$]{0,300}[A-Z][\w$]{0,150}(?:Exception|Error|Throwable)\b)"
)
_SAYS_AN_ERROR = re.compile(r"(?:Error|ERROR|Fatal|FATAL|Failed|FAILED|Cannot|Could not|Unable to)\b")
# Output of images' start scripts before Kafka starts.
_OF_A_START = re.compile(
    r"^(?:===> |uid=\d+\(|Running in (?:KRaft|Zookeeper) mode|Preparing (?:trust|key)store\b|Certificate was added to keystore|Looking for the right CA|Found the right CA|STRIMZI_BROKER_ID=|Starting Kafka with configuration:|Adding \S{1,200} to truststore )"
)
# A probe from a pod's events, without the event columns.
_PROBE = re.compile(r"^(?P<probe>Liveness|Readiness|Startup) probe (?:failed|errored): (?P<said>\S[^\n]*)")
_OUTPUT_OF_A_PROBE = 300  # characters of a probe's output
_EXITED = re.compile(
    r"^(?:dependency failed to start: )?(?:[Cc]ontainer )?(?P<container>[\w.-]{1,200}) exited (?:with code |\()(?P<status>\d{1,3})\)?(?: \(restarting\))?\s*$"
)
# A row of `docker-compose ps`: the container, its command, how it ended.
_LISTED = re.compile(r"^(?P<container>[\w.-]{1,200}) {2,}\S[^\n]{0,200}? {2,}Exit (?P<status>\d{1,3})\s*$")
_UNHEALTHY = re.compile(
    r"^(?:dependency failed to start: |ERROR: for (?P<waits>[\w.-]{1,200}) {1,4})?[Cc]ontainer \"?(?P<container>[\w.-]{1,200})\"? is unhealthy\.?\s*$"
)
_UNIT = re.compile(r"^\W{0,6}[●×○*] (?P<unit>[\w@.-]{1,200}\.service)\b")
_MAIN = re.compile(
    r"^\s{1,40}(?P<row>Process|Main PID): (?P<pid>\d{1,10}) (?:ExecStart=(?:[^\s/]{0,200}/){0,12}(?P<program>[\w.@-]{1,100}) )?[^\n]{0,1000}?\(code=(?P<code>\w{1,10}), (?:status=(?P<status>\d{1,3})(?:/(?P<name>[\w/]{1,20}))?|signal=(?P<signal>[A-Z\d]{1,10}))\)"
)
_OF_STATUS = re.compile(
    r"^\s{1,40}(?:Loaded|Active|Docs|Drop-In|Process|Main PID|Status|Tasks|Memory|CPU|CGroup|Invocation|Duration|TriggeredBy|Cntr\. PID): "
)
_SINCE = re.compile(
    r"^\s{1,40}Active: (?:failed|inactive)[^\n]{0,80} since [A-Z][a-z]{2} (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"
)
_WHOLE_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
_IN_A_POD = re.compile(r"\bin pod ([\w.-]+?)_")
_PROBED = re.compile(r"(\w+) probe")
_FAILED_TO_GET = re.compile(r"failed to (?:map|allocate|commit) (\d+) bytes")


def lines_of_others(rows: Sequence[str]) -> dict[int, Line]:
    """The rows that another program wrote, as their own heads show, each as a line; by the number of the row, from 0."""
    found: dict[int, Line] = {}
    as_of, is_local = latest_in(rows), _have_local_times(rows)
    at = 0
    while at < len(rows):
        many = _crash(rows, at, found) if _CRASH_BEGINS.match(rows[at]) else 0
        if not many and (one := _line_of_another(rows[at], at, as_of, is_local)) is not None:
            found[at] = one
        at += max(many, 1)
    _warnings_of_java(rows, found)
    found.update(_ended_processes(rows))
    return found


def _line(
    at: int,
    kind: str,
    message: str,
    writer: str,
    level: str = "INFO",
    fields: Mapping[str, str | None] | None = None,
    ts: datetime | None = None,
) -> Line:
    """A line of another program; secrets in it are hidden."""
    shown = {name: hidden_text(text) for name, text in (fields or {}).items() if text}
    return Line("", at + 1, ts, level, None, hidden_text(message), kind=kind, fields=shown, writer=writer)


def latest_in(rows: Sequence[str]) -> datetime | None:
    """The day after the last whole timestamp, which determines the year of timestamps without one."""
    stamps = [found[0] for row in rows if (found := _WHOLE_STAMP.search(row[:120]))]
    moment = datetime_of(micros_of(max(stamps).replace("T", " "))) if stamps else None
    return moment + timedelta(days=1) if moment is not None else None


def _have_local_times(rows: Sequence[str]) -> bool:
    """Whether the paste has Kafka records and none of them has a time zone: a garbage collector's lines of the same
    process then use the same clock.
    """
    stamps = [
        found for row in rows if (found := _KAFKAS_STAMP.match(row)) and not (_GC.match(row) or _OLD_GC.match(row))
    ]
    return bool(stamps) and not any(found["zone"] for found in stamps)


def _warnings_of_java(rows: Sequence[str], lines: dict[int, Line]) -> None:
    """Adds Java's warnings; without a crash report, the first warning about a refused commit stands for it."""
    warned = [(at, found) for at, row in enumerate(rows) if (found := _JAVA_WARNS.match(row)) is not None]
    has_report = any(one.kind == "jvm_no_memory" for one in lines.values())
    guard = "yes" if any("stack guard pages" in found[0] for _, found in warned) else None
    for at, found in warned:
        if has_report or found["bytes"] is None:
            lines[at] = _line(at, TYPED, rows[at], "Java")
        else:
            fields = {"bytes": found["bytes"], "guard": guard}
            lines[at] = _line(at, "jvm_no_memory", rows[at], "Java", "FATAL", fields)
            has_report = True


def _line_of_another(row: str, at: int, as_of: datetime | None, is_local: bool) -> Line | None:
    if not row.strip():
        return None
    if found := _GC.match(row) or _OLD_GC.match(row):
        return _of_collector(row, at, found, is_local)
    if _OF_A_PAUSE.match(row):
        return _line(at, TYPED, row.strip(), "Java")
    if is_host_line(row):
        return _of_host(row, at, as_of)
    if event := _DESCRIBED_EVENT.match(row) or _LISTED_EVENT.match(row):
        return _of_kubernetes(event, at)
    if any(one.match(row) for one in (_HEAD_OF_EVENTS, _PROMPT, _NOTHING, _OF_A_START, _REMARK)):
        return _line(at, TYPED, row.strip(), "a person or a script")
    if _OF_A_POD.match(row):
        kind, level = ("container_oom_killed", "ERROR") if "OOMKilled" in row else (TYPED, "INFO")
        return _line(at, kind, row.strip(), "Kubernetes", level)
    if found := _PROBE.match(row):
        fields = {"probe": found["probe"].lower(), "said": found["said"][:_OUTPUT_OF_A_PROBE]}
        return _line(at, "probe_failed", row, "Kubernetes", "WARN", fields)
    if _KLOG.match(row):
        return _line(at, OTHERS, row, "kubelet", level_named(row[0]))
    if found := _LOGFMT.match(row):
        return _line(at, OTHERS, row, "a container's runtime", level_named(found["level"]))
    return None


def _of_collector(row: str, at: int, found: re.Match[str], is_local: bool) -> Line:
    zone = None if is_local else found.groupdict().get("zone") or None
    stamp = f"{found['date']} {found['time'].replace(',', '.')}" if found["date"] else ""
    pause = _PAUSE.search(row[found.end() - 5 :])
    fields: dict[str, str | None] = {}
    if pause and ("GC" in row or "Pause" in row or "stopped" in row):
        ms = float(pause["pause"].replace(",", ".")) * (1000 if pause["in"] == "secs" else 1)
        fields = {"pause_ms": f"{ms:.0f}", "full": "yes" if re.search("Pause Full|Full GC", row) else ""}
        fields |= {name: pause[name] + pause["unit"] for name in ("before", "after", "heap") if pause[name]}
    kind = "gc_pause" if fields and "Concurrent Mark Cycle" not in row else "gc_progress"
    return _line(at, kind, row, "Java", "INFO", fields, datetime_of(micros_of(stamp, zone)) if stamp else None)


def _of_host(row: str, at: int, as_of: datetime | None) -> Line:
    parsed, match = host_line(row, as_of), host_line_template(row)
    assert parsed is not None  # `is_host_line`
    kind, level, template, fields = OTHERS, "INFO", None, {}
    if match is not None:
        kind, level, template, fields = match[0].kind, match[0].level, match[0].id, match[1]
    elif (cut := _CUT_KILL.match(parsed.message)) is not None:
        kind = "kernel_cgroup_oom_kill" if parsed.message.startswith("Memory cgroup") else "kernel_oom_kill"
        fields = cut.groupdict()
    one = _line(
        at, kind, parsed.message, parsed.teller, level, fields | {"host": parsed.host}, datetime_of(parsed.micros)
    )
    return replace(one, template=template, node=node_of_name(parsed.host))


def _of_kubernetes(event: re.Match[str], at: int) -> Line:
    message, reason = event["message"].strip(), event["reason"]
    pod = (event.groupdict().get("object") or "").partition("/")[2]
    pod = pod or (found[1] if (found := _IN_A_POD.search(message)) else "")
    probe = _PROBED.match(message)
    fields = {
        "reason": reason,
        "said": message,
        "pod": pod,
        "probe": probe[1].lower() if probe else None,
        "by_probe": "yes" if ended_by_probe(message) else None,
    }
    level = "WARN" if event["type"] == "Warning" else "INFO"
    one = _line(at, kind_of_reason(reason, message) or OTHERS, f"{reason}: {message}", "Kubernetes", level, fields)
    return replace(one, node=node_of_name(pod))


def _crash(rows: Sequence[str], at: int, lines: dict[int, Line]) -> int:
    """Joins Java's crash report, from its first line at `at`, into one record; returns its number of lines."""
    end = at
    while end < len(rows) and (_CRASH.match(rows[end]) or not rows[end].strip()):
        end += 1
    report = rows[at:end]
    fields: dict[str, str | None] = {}
    parts = (f"# {part}" for row in report for part in _JOINED_ROWS.split(row.strip("# ")))  # some logs join its rows
    for row in parts:
        frame = _FRAME_OF_CRASH.match(row) if "Problematic" not in row else None
        for found in (_SIGNAL.match(row), _PID.search(row), frame):
            fields |= {name: text.strip() for name, text in (found.groupdict() if found else {}).items() if text}
    is_lack = any("insufficient memory" in row for row in report)
    if not (is_lack or "signal" in fields or "error" in fields):
        return 0
    message = " ".join(row.lstrip("#").strip() for row in report if row.strip("# "))
    kind = "jvm_no_memory" if is_lack and "signal" not in fields else "jvm_crash"
    if kind == "jvm_no_memory":
        fields |= _lacks(message, rows[max(0, at - _LINES_BEFORE) : at])
    lines[at] = _line(at, kind, message[:800], "Java", "FATAL", fields)
    lines.update((more, _line(more, TYPED, rows[more], "Java")) for more in range(at + 1, end) if rows[more].strip())
    return end - at


def _lacks(message: str, before: Sequence[str]) -> dict[str, str | None]:
    """What Java ran out of, from its report and the warnings above it."""
    warned = " ".join(before)
    if "EPERM" in warned:
        return {"forbidden": "yes"}
    if found := _FAILED_TO_GET.search(message):
        return {"bytes": found[1], "guard": "yes" if "stack guard pages" in warned else None}
    threads = "GC thread" in message or "native thread" in message or "pthread_create failed" in warned
    return {"threads": "yes" if threads else None}


def _ended_processes(rows: Sequence[str]) -> Iterator[tuple[int, Line]]:
    """The rows that show how a process ended, as `docker compose` and `systemctl status` print it."""
    unit, since = "", None
    for at, row in enumerate(rows):
        if found := _EXITED.match(row) or _LISTED.match(row):
            yield at, _line(at, "container_exited", row.strip(), "Docker", "ERROR", found.groupdict())
        elif found := _UNHEALTHY.match(row):
            fields = found.groupdict() | {"said": "Docker reports it as unhealthy"}
            yield at, _line(at, "container_health", row.strip(), "Docker", "ERROR", fields)
        elif found := _UNIT.match(row):
            unit = found["unit"]
            yield at, _line(at, TYPED, row.strip(), "systemd")
        elif (found := _MAIN.match(row)) is not None and found["row"] == "Process":
            unit = unit or found["program"]
            yield at, _line(at, TYPED, row.strip(), "systemd")
        elif unit and found is not None:
            fields = {name: found[name] for name in ("code", "status")}
            fields |= {"unit": unit, "name": found["signal"] or found["name"]}
            yield at, _line(at, "systemd_exited", row.strip(), "systemd", "ERROR", fields, since)
        elif unit and _OF_STATUS.match(row):
            since = datetime_of(micros_of(f"{found[1]}.0")) if (found := _SINCE.search(row)) else since
            yield at, _line(at, TYPED, row.strip(), "systemd")


def left_over(rows: Sequence[str], known: Mapping[int, Line]) -> dict[int, Line]:
    """The rows that belong to no record: not indented, below a complete record, and not part of a stack trace; and
    settings.
    """
    left: dict[int, Line] = {}
    is_open = in_trace = False  # text that may continue on the next line
    seen = False
    for at, row in enumerate(rows):
        if not row.strip():
            continue
        if at in known:
            is_open = in_trace = False
        elif begins_a_record(row):
            seen, in_trace = True, False
            is_open = LOGGER_BEHIND.search(row) is None and not is_known(row)
        elif _TRACE.match(row):
            in_trace = True
        elif row.startswith(JVM_MESSAGES) or SHELL_MESSAGE.match(row):
            is_open = in_trace = False
        elif _SETTING.match(row):
            if row[:1] not in " \t":
                left[at] = _line(at, SETTING, row.strip(), "a person")
        elif seen and not in_trace and row[:1] not in " \t" and (not is_open or _SAYS_AN_ERROR.match(row)):
            left[at] = _line(at, UNKNOWN, row.rstrip(), NOBODY, NO_LEVEL)
    return left
