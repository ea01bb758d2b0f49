"""Reads a host's own log: lines of the kernel, systemd and the services that set the clock, in the formats of dmesg,
journalctl and syslog.

Skips lines of other programs, and lines that no template matches (`replay.catalogue.host_log`), because most of a
host's log has nothing to do with Kafka. Sources: the manuals of dmesg(1), journalctl(1) and rsyslog; public samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import NamedTuple

from replay.catalogue import Catalogue
from replay.catalogue.host_log import KERNEL, KUBELET, SYSTEMD, TEMPLATES
from replay.catalogue.template import Template
from replay.json_text import value_of_json
from replay.reading.container_names import is_beside_kafka, is_of_kafka, node_of_name
from replay.reading.kubernetes import ended_by_probe
from replay.reading.layouts import MONTHS
from replay.reading.parsed_witness import ParsedWitness
from replay.reading.stamps import micros_of

SECOND_MS = "1000"  # how late the true time may be when a timestamp has whole seconds
_MONTH = rf"(?P<month>{'|'.join(MONTHS)}) +(?P<day>\d{{1,2}})"
_NUMBERED_MONTH = r" ?(?P<number>\d{1,2})[月월] +(?P<numbered_day>\d{1,2})"
_TIME = r"(?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d{1,9}))?"
_DATE = r"(?P<date>\d{4}-\d\d-\d\d)"
_ZONE = r"(?P<zone>Z|[+-]\d\d:?\d\d)"
_TELLER = r"(?P<teller>[A-Za-z][\w./@-]*)(?:\[(?P<pid>\d+)\])?: ?(?P<message>.*+)"
_HOST = r"(?:(?P<host>[\w.:-]*[\w.-]) )?"  # journalctl --no-hostname leaves it out
_WRITER = r"(?:\[ *[TC]\d+\] ?)?"  # task or processor, printed by a kernel with CONFIG_PRINTK_CALLER
_LEVEL = r"(?:\w+ *: *\w+ *: )?"  # dmesg -x: the facility and the level
_KMSG = re.compile(rf"^\[ *(\d+\.\d+)\] ?{_WRITER}")

_KLOG = re.compile(
    r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\] "
)  # Kubernetes' programs (klog) print this before each line

FORMS: Mapping[str, re.Pattern[str]] = {
    name: re.compile("^" + pattern + r"\s*$")
    for name, pattern in {
        # `dmesg -T` prints names in the user's language; those with numeric months can be read.
        "dmesg -T": rf"{_LEVEL}\[\w+ (?:{_MONTH}|{_NUMBERED_MONTH}) {_TIME} (?P<year>\d{{4}})\] ?{_WRITER}(?P<message>.*+)",
        "dmesg": rf"{_LEVEL}(?:<\d+>)?\[ *(?P<uptime>\d+\.\d+)\] ?{_WRITER}(?P<message>.*+)",
        "journalctl -o short-monotonic": rf"\[ *(?P<uptime>\d+\.\d+)\] {_HOST}{_TELLER}",
        # Default format of /var/log/messages, kern.log and journalctl.
        "syslog": rf"(?:<\d+>)?{_MONTH} {_TIME} {_HOST}{_TELLER}",
        # Only the comma distinguishes this from a journal without host names: drivers also start their lines with their
        # name.
        "dmesg --time-format iso": rf"{_LEVEL}{_DATE}T(?P<time>\d\d:\d\d:\d\d),(?P<fraction>\d+){_ZONE} {_WRITER}(?P<message>.*+)",
        "journalctl -o short-iso": rf"(?:<\d+>)?{_DATE}T{_TIME}{_ZONE} {_HOST}{_TELLER}",
        "journalctl -o short-full": rf"[A-Z][a-z]{{2}} {_DATE} {_TIME} (?P<zone>[A-Z][A-Z0-9+-]*) {_HOST}{_TELLER}",
        "journalctl -o short-unix": rf"(?P<epoch>\d{{9,10}}\.\d+) {_HOST}{_TELLER}",
        "syslog, RFC 5424": rf"<\d+> ?1 {_DATE}T{_TIME}{_ZONE} {_HOST}(?P<teller>[\w./-]+) \S+ \S+ (?>- |\[.*?\] )(?P<message>.*+)",
        "talosctl dmesg": rf"(?:\S+: )?\w+: +\w+: \[{_DATE}T{_TIME}{_ZONE}\]: (?P<message>.*+)",
    }.items()
}
_OF_KERNEL_ALONE = ("dmesg -T", "dmesg", "talosctl dmesg", "dmesg --time-format iso")
_MARKS = (*(f" {teller}" for template in TEMPLATES for teller in template.logger.split("|")), "]")
_HEAD = 120  # characters in which a line names its program
_ISO_OF_DMESG = re.compile(r"\dT\d\d:\d\d:\d\d,")  # with a comma, unlike all other formats
_BOOT_MARK = re.compile(r"^-- (?:Boot [0-9a-f]{32}|Reboot) --\s*$")
_CLOCK_AT_BOOT = re.compile(r"setting system clock to [^(]{0,80}+\((\d{9,10})\)$")
_JOURNAL = ("__REALTIME_TIMESTAMP", "MESSAGE")
_CHOSEN = ("kernel_oom_kill", "kernel_cgroup_oom_kill")
_VICTIM_WITHIN = 3  # lines: the kernel names the killed process right after the chosen one
# Commands that end a host, a process or a service.
_ENDS_HOST = re.compile(
    r"^(?:[^\s/]*+/)*+(?:systemctl ++)?(?:-\S++ ++)*+(?:reboot|shutdown|poweroff|halt|(?:tel)?init +[06])\b"
)
_ENDS_PROCESS = re.compile(r"^(?:\S*/)?kill\b")
_ENDS_SERVICE = re.compile(
    r"\b(?:systemctl|service|supervisorctl|docker|docker-compose|podman|nerdctl)\b.{0,1000}\b(?:stop|restart|kill|rm|down)\b"
    r"|/init\.d/[^\s/]++ ++(?:stop|restart)\b|\b(?:pkill|killall)\b|\bkafka-server-stop\b"
)
_ENDS_ALL_JAVA = re.compile(r"^(?>.*?\b(?:pkill|killall)\b).*\bjava\b")
_BY_SIGKILL = re.compile(r"\b(?:pkill|killall|kill)\b.{0,1000}? -{1,2}+(?:s(?:ignal)?[ =]?)?(?:9|KILL|SIGKILL)\b")
_OF_CONTAINERS = re.compile(r"\b(?:docker|docker-compose|podman|nerdctl)\b")


@dataclass(frozen=True)
class HostLine:
    """A line of a host's log: program, host and time. `micros` is read as UTC unless `zone_known`, and None if the line
    has no time of day; `precise_ms` is how much later the true time may be. `since_boot`: the time was computed from
    the time since boot, on a clock that nobody sets, and may be off by seconds (dmesg(1), `--ctime`).
    """

    teller: str
    message: str
    host: str | None = None
    micros: int | None = None
    zone_known: bool = False
    precise_ms: str | None = None
    uptime_s: str | None = None
    since_boot: bool = False


class _Form(NamedTuple):
    name: str
    groups: dict[str, str]


def host_line(line: str, as_of: datetime | None = None) -> HostLine | None:
    """The parsed line of a host's log; None if it has none of the known formats. A timestamp without a year means the
    last such day before `as_of`.
    """
    if line.startswith("{"):
        return _of_journal(line)
    form = _form_of(line)
    if form is None:
        return None
    groups = form.groups
    message, uptime = groups["message"], groups.get("uptime") or None
    teller = KERNEL if form.name in _OF_KERNEL_ALONE else groups["teller"].rpartition("/")[2]
    if teller == KERNEL and (stamp := _KMSG.match(message)):
        message, uptime = message[stamp.end() :], stamp[1]
    if teller == KUBELET:
        message = _KLOG.sub("", message)
    micros, zone_known = _time(groups, as_of)
    return HostLine(
        teller,
        message,
        groups.get("host") or None,
        micros,
        zone_known,
        None if micros is None or groups.get("fraction") or groups.get("epoch") else SECOND_MS,
        uptime,
        form.name in _OF_KERNEL_ALONE,
    )


def is_host_line(line: str) -> bool:
    """Whether a line has one of the formats of a host's log and comes from a program that reports on the host."""
    if line.startswith("{"):
        parsed = _of_journal(line)
        return parsed is not None and parsed.teller in _catalogues()
    form = _form_of(line)
    return form is not None and (form.name in _OF_KERNEL_ALONE or form.groups["teller"] in _catalogues())


def _form_of(line: str) -> _Form | None:
    head = line[:_HEAD]
    if line[:1] not in "[<" and not any(mark in head for mark in _MARKS) and not _ISO_OF_DMESG.search(head):
        return None
    for name, form in FORMS.items():
        found = form.match(line)
        if found is not None:
            return _Form(name, {group: text or "" for group, text in found.groupdict().items()})
    return None


def _time(groups: Mapping[str, str], as_of: datetime | None) -> tuple[int | None, bool]:
    """The time of a line in microseconds, and whether its time zone is known."""
    if groups.get("epoch"):
        return micros_of(groups["epoch"]), True
    if not groups.get("time"):
        return None, False
    time = f"{groups['time']}.{groups.get('fraction') or '0'}"
    zone = groups.get("zone") or None
    if groups.get("date"):
        micros = micros_of(f"{groups['date']} {time}", zone)
        return micros, zone is not None and micros is not None
    month = int(groups["number"]) if groups.get("number") else MONTHS.index(groups["month"]) + 1
    day = f"{month:02d}-{int(groups.get('numbered_day') or groups['day']):02d}"
    if groups.get("year"):
        return micros_of(f"{groups['year']}-{day} {time}"), False
    return _in_the_last_year(f"{day} {time}", as_of), False


def _in_the_last_year(stamp: str, as_of: datetime | None) -> int | None:
    """A timestamp without a year, in the last year in which it is not after the day of `as_of`."""
    if as_of is None:
        return None
    latest = (as_of + timedelta(days=1) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    years = (micros_of(f"{as_of.year + ahead}-{stamp}") for ahead in (1, 0, -1, -2, -3, -4))
    return next((micros for micros in years if micros is not None and micros <= latest), None)


def _of_journal(line: str) -> HostLine | None:
    """`journalctl -o json`: one object per line."""
    entry = value_of_json(line)
    if not isinstance(entry, dict) or not all(isinstance(entry.get(name), str) for name in _JOURNAL):
        return None
    stamp = str(entry["__REALTIME_TIMESTAMP"])
    teller = str(entry.get("SYSLOG_IDENTIFIER") or entry.get("_COMM") or "")
    return HostLine(
        KERNEL if entry.get("_TRANSPORT") == KERNEL else teller,
        entry["MESSAGE"],
        entry.get("_HOSTNAME"),
        int(stamp) if stamp.isdecimal() and len(stamp) <= 18 else None,
        True,
    )


@cache
def _catalogues() -> Mapping[str, Catalogue]:
    """The templates by program."""
    tellers = {teller for template in TEMPLATES for teller in template.logger.split("|")}
    return {
        teller: Catalogue(tuple(template for template in TEMPLATES if teller in template.logger.split("|")))
        for teller in tellers
    }


def host_statements(text: str, first_line: int, as_of: datetime | None) -> Iterator[tuple[int, ParsedWitness]]:
    """The statements of a host's log, each with its line number; skips units other than Kafka's.

    A line with only the time since boot gets its time from the line in which the kernel set its clock, if the log
    has it. For a log with kernel lines, the first and last timestamp are statements too: what no line between them
    reports did not happen.
    """
    booted: int | None = None
    stamped: list[tuple[int, HostLine, str]] = []  # the first and the last
    holds_kernel = False
    witness_statements: list[tuple[int, ParsedWitness]] = []
    for number, line in enumerate(text.split("\n"), first_line):
        if _BOOT_MARK.match(line):
            witness_statements.append((number, ParsedWitness("host_booted", dated=True, message=line.strip())))
            continue
        parsed = host_line(line, as_of) if line.strip() else None
        if parsed is None:
            continue
        if parsed.micros is not None:
            stamped[1:] = [(number, parsed, line)]
            holds_kernel = holds_kernel or parsed.teller == KERNEL
        if parsed.teller not in _catalogues():
            continue
        clock = _CLOCK_AT_BOOT.search(parsed.message) if parsed.uptime_s else None
        if clock is not None and parsed.uptime_s is not None:
            booted = int(clock[1]) * 1_000_000 - _micros(parsed.uptime_s)
        statement = _statement(parsed, booted)
        if statement is not None:
            witness_statements.append((number, statement))
    yield from _ended_for_memory(_with_victims(witness_statements))
    for number, parsed, line in stamped if holds_kernel else ():
        yield (
            number,
            ParsedWitness(
                "kernel_heard",
                {},
                _about(parsed),
                True,
                parsed.micros,
                line,
                node_id=node_of_name(parsed.host),
                zone_known=parsed.zone_known,
            ),
        )


def _with_victims(witness_statements: Iterable[tuple[int, ParsedWitness]]) -> Iterator[tuple[int, ParsedWitness]]:
    """Joins the two lines of kernels before 5.0: the process that the kernel chose, then the one that it killed, which
    is the same or its child ("sacrifice child").
    """
    chosen: tuple[int, ParsedWitness] | None = None
    for number, statement in witness_statements:
        details = statement.details or {}
        if statement.kind == "kernel_oom_victim" and chosen is not None and number <= chosen[0] + _VICTIM_WITHIN:
            first, of_choice = chosen
            if (of_choice.details or {})["pid"] == details["pid"]:
                yield first, of_choice._replace(details={**details, **(of_choice.details or {})})
                yield number, statement
            else:
                yield number, statement._replace(kind=of_choice.kind)
            chosen = None
            continue
        if chosen is not None:
            yield chosen
        chosen = (number, statement) if statement.kind in _CHOSEN and "anon_rss" not in details else None
        if chosen is None:
            yield number, statement
    if chosen is not None:
        yield chosen


def _ended_for_memory(witness_statements: Iterable[tuple[int, ParsedWitness]]) -> Iterator[tuple[int, ParsedWitness]]:
    """Marks an end by SIGKILL if systemd reported an OOM kill in that unit; the OOM kill alone may concern another
    process.
    """
    killed: set[str | None] = set()  # the units
    for number, statement in witness_statements:
        details = statement.details or {}
        if statement.kind == "systemd_oom":
            killed.add(details.get("unit"))
        elif statement.kind == "systemd_started":
            killed.clear()
        elif statement.kind == "systemd_exited" and details.get("unit") in killed and details.get("name") == "KILL":
            statement = statement._replace(details={**details, "for_memory": "yes"})
        yield number, statement


def _about(line: HostLine) -> dict[str, str]:
    """The host and the precision of a line's time."""
    about = {
        "host": line.host,
        "since_boot": "yes" if line.since_boot else None,
        "precise_ms": line.precise_ms,
        "uptime_s": line.uptime_s,
    }
    return {name: text for name, text in about.items() if text}


def _micros(seconds: str) -> int:
    return round(float(seconds) * 1_000_000)


def host_line_template(line: str) -> tuple[Template, dict[str, str]] | None:
    """The template of a line of a host's log, of any unit, and its fields; None if no template matches."""
    parsed = host_line(line)
    found = (
        _catalogues()[parsed.teller].find(parsed.message)
        if parsed is not None and parsed.teller in _catalogues()
        else None
    )
    return None if found is None else (found[0], found[0].filled(found[1]))


def _statement(line: HostLine, booted: int | None) -> ParsedWitness | None:
    found = _catalogues()[line.teller].find(line.message)
    if found is None:
        return None
    template, groups = found
    fields = template.filled(groups)
    if line.teller == SYSTEMD and not _is_of_broker(fields):
        return None
    if line.teller == KUBELET:
        return _of_kubelet(line, template.kind, fields)
    if template.kind == "host_command":
        ends = _what_ends(fields["command"])
        if ends is None:
            return None
        fields |= {"ends": ends, "user": fields["user"].strip()}
    micros, zone_known, precise = line.micros, line.zone_known, line.precise_ms
    if micros is None and line.uptime_s is not None and booted is not None:
        micros, zone_known, precise = booted + _micros(line.uptime_s), True, SECOND_MS
    return ParsedWitness(
        template.kind,
        {},
        {**fields, **_about(replace(line, precise_ms=precise))},
        True,
        micros,
        line.message,
        node_id=_node_named_by(fields, line.host),
        zone_known=zone_known,
    )


def _of_kubelet(line: HostLine, kind: str, fields: Mapping[str, str]) -> ParsedWitness | None:
    """What a machine's kubelet did to a pod of Kafka; the machine also runs pods of other nodes."""
    node = node_of_name(fields["pod"])
    if node is None or is_beside_kafka(fields.get("container")):
        return None
    message = fields.get("said") or line.message.partition('" pod=')[0].lstrip('"')
    details = {name: fields[name] for name in ("pod", "container", "container_id") if name in fields}
    if "probe" in fields:
        details["probe"] = fields["probe"].lower()
    elif ended_by_probe(message):
        details["by_probe"] = "yes"
    about = _about(line)
    about.pop("host", None)
    return ParsedWitness(
        kind,
        {},
        {**details, "said": message, **about},
        True,
        line.micros,
        line.message,
        node_id=node,
        zone_known=line.zone_known,
    )


def _what_ends(command: str) -> str | None:
    """What a command ends: the `host`, `kafka` (cleanly), `kafka_at_once` (SIGKILL), or a `process` known only by
    its number; None for any other command.
    """
    if _ENDS_HOST.match(command):
        return "host"
    if _ENDS_PROCESS.match(command):
        return "process"
    if _ENDS_SERVICE.search(command) and (is_of_kafka(command) or _ENDS_ALL_JAVA.search(command)):
        return "kafka_at_once" if _BY_SIGKILL.search(command) else "kafka"
    return None


def _node_named_by(fields: Mapping[str, str], host: str | None) -> int | None:
    """The node in the name of a unit (`kafka@2.service`, because brokers can share a host) or of the container in a
    command, else the host's node.
    """
    command = fields.get("command", "")
    named = node_of_name(fields.get("unit", "").replace("@", "-").removesuffix(".service"))
    if named is None and _OF_CONTAINERS.search(command):
        named = node_of_name(command)
    return named if named is not None else node_of_name(host)


def _is_of_broker(fields: Mapping[str, str]) -> bool:
    """Whether a line of systemd is about a broker's unit or the host."""
    named = fields.get("unit") or fields.get("description")
    return named is None or is_of_kafka(named)
