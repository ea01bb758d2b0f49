"""Lines of a host's own log: what the kernel, systemd and those who set the clock wrote, in the forms of dmesg, journalctl and syslog.

Other programs' lines are passed over, and so are lines of these that no template knows (`replay.catalogue.host_log`): a host writes of much that is none
of Kafka's. Sources: the manuals of dmesg(1), journalctl(1) and rsyslog; public samples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import NamedTuple

from replay.catalogue import Catalogue
from replay.catalogue.host_log import KERNEL, SYSTEMD, TEMPLATES
from replay.catalogue.template import Template
from replay.reading.container_names import node_of_name
from replay.reading.layouts import MONTHS
from replay.reading.stamps import micros_of
from replay.reading.told import Told

SECOND_MS = "1000"  # what a stamp of whole seconds may be behind
_MONTH = rf"(?P<month>{'|'.join(MONTHS)}) +(?P<day>\d{{1,2}})"
_TIME = r"(?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d{1,9}))?"
_DATE = r"(?P<date>\d{4}-\d\d-\d\d)"
_ZONE = r"(?P<zone>Z|[+-]\d\d:?\d\d)"
_TELLER = r"(?P<teller>[A-Za-z][\w./@-]*)(?:\[(?P<pid>\d+)\])?: ?(?P<message>.*)"
_HOST = r"(?P<host>[\w.:-]+) "
_KMSG = re.compile(r"^\[ *(\d+\.\d+)\] ?")

FORMS: Mapping[str, re.Pattern[str]] = {
    name: re.compile("^" + pattern + r"\s*$")
    for name, pattern in {
        # `dmesg -T`; `dmesg -x` has the facility and the level before it.
        "dmesg -T": rf"(?:\w+ *: ?\w+ *: )?\[[A-Z][a-z]{{2}} {_MONTH} {_TIME} (?P<year>\d{{4}})\] (?P<message>.*)",
        "dmesg": r"(?:\w+ *: ?\w+ *: )?(?:<\d+>)?\[ *(?P<uptime>\d+\.\d+)\] (?P<message>.*)",
        "journalctl -o short-monotonic": rf"\[ *(?P<uptime>\d+\.\d+)\] {_HOST}{_TELLER}",
        # /var/log/messages, kern.log and journalctl as they are by default.
        "syslog": rf"(?:<\d+>)?{_MONTH} {_TIME} {_HOST}{_TELLER}",
        "journalctl -o short-iso": rf"(?:<\d+>)?{_DATE}T{_TIME}{_ZONE} {_HOST}{_TELLER}",
        "journalctl -o short-full": rf"[A-Z][a-z]{{2}} {_DATE} {_TIME} (?P<zone>[A-Z][A-Z0-9+-]*) {_HOST}{_TELLER}",
        "journalctl -o short-unix": rf"(?P<epoch>\d{{9,10}}\.\d+) {_HOST}{_TELLER}",
        "dmesg --time-format iso": rf"(?:\w+ *: ?\w+ *: )?{_DATE}T{_TIME}{_ZONE} (?P<message>.*)",
    }.items()
}
_OF_KERNEL_ALONE = ("dmesg -T", "dmesg", "dmesg --time-format iso")
_MARKS = (*(f" {teller}" for template in TEMPLATES for teller in template.logger.split("|")), "]")
_HEAD = 120  # characters in which a line names who wrote it
_BOOT_MARK = re.compile(r"^-- (?:Boot [0-9a-f]{32}|Reboot) --\s*$")
_CLOCK_AT_BOOT = re.compile(r"setting system clock to .*\((\d{9,10})\)$")
_JOURNAL = ("__REALTIME_TIMESTAMP", "MESSAGE")
_KAFKA = re.compile(r"(?i)kafka|confluent-(?:server|kraft)|zookeeper")
_OF_ANY_UNIT = ("systemd_oomd_killed",)


@dataclass(frozen=True)
class HostLine:
    """A line of a host's log: who wrote it on which host, and when. `micros` is read as UTC unless `zone_known`, and None
    where the line tells no time of the day; `precise_ms` is by how much the true time may be later. `since_boot`: it was made of the
    time since the kernel started, on a clock that nobody sets: it may be off by seconds (dmesg(1), `--ctime`).
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
    told: dict[str, str]


def host_line(line: str, as_of: datetime | None = None) -> HostLine | None:
    """What a line of a host's log says; None for one that is laid out in no form of it.

    A stamp without a year is of the last such day before `as_of`.
    """
    if line.startswith("{"):
        return _of_journal(line)
    form = _form_of(line)
    if form is None:
        return None
    told = form.told
    message, uptime = told["message"], told.get("uptime") or None
    teller = KERNEL if form.name in _OF_KERNEL_ALONE else told["teller"].rpartition("/")[2]
    if teller == KERNEL and (stamp := _KMSG.match(message)):
        message, uptime = message[stamp.end() :], stamp[1]
    micros, zone_known = _time(told, as_of)
    return HostLine(
        teller,
        message,
        told.get("host") or None,
        micros,
        zone_known,
        None if micros is None or told.get("fraction") or told.get("epoch") else SECOND_MS,
        uptime,
        form.name in _OF_KERNEL_ALONE,
    )


def is_host_line(line: str) -> bool:
    """Whether a line is of one of those who tell of a host, in one of the forms of a host's log."""
    if line.startswith("{"):
        said = _of_journal(line)
        return said is not None and said.teller in _catalogues()
    form = _form_of(line)
    if form is None:
        return False
    if form.name == "dmesg --time-format iso":  # nothing else marks it: a stamp begins lines of many programs
        return "," in line[:20]
    return form.name in _OF_KERNEL_ALONE or form.told["teller"] in _catalogues()


def _form_of(line: str) -> _Form | None:
    if line[:1] not in "[<" and not any(mark in line[:_HEAD] for mark in _MARKS) and line[19:20] != ",":
        return None
    for name, form in FORMS.items():
        found = form.match(line)
        if found is not None:
            return _Form(name, {group: text or "" for group, text in found.groupdict().items()})
    return None


def _time(told: Mapping[str, str], as_of: datetime | None) -> tuple[int | None, bool]:
    """The time of a line in microseconds, and whether its zone is told."""
    if told.get("epoch"):
        return micros_of(told["epoch"]), True
    if not told.get("time"):
        return None, False
    time = f"{told['time']}.{told.get('fraction') or '0'}"
    zone = told.get("zone") or None
    if told.get("date"):
        micros = micros_of(f"{told['date']} {time}", zone)
        return micros, zone is not None and micros is not None
    day = f"{MONTHS.index(told['month']) + 1:02d}-{int(told['day']):02d}"
    if told.get("year"):
        return micros_of(f"{told['year']}-{day} {time}"), False
    return _in_the_last_year(f"{day} {time}", as_of), False


def _in_the_last_year(stamp: str, as_of: datetime | None) -> int | None:
    """A stamp without a year, in the last year in which it does not lie after the day of `as_of`."""
    if as_of is None:
        return None
    latest = (as_of + timedelta(days=1) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    years = (micros_of(f"{as_of.year + ahead}-{stamp}") for ahead in (1, 0, -1, -2, -3, -4))
    return next((micros for micros in years if micros is not None and micros <= latest), None)


def _of_journal(line: str) -> HostLine | None:
    """`journalctl -o json`: one object a line."""
    try:
        told = json.loads(line)
    except ValueError:
        return None
    if not isinstance(told, dict) or not all(isinstance(told.get(name), str) for name in _JOURNAL):
        return None
    stamp = str(told["__REALTIME_TIMESTAMP"])
    teller = str(told.get("SYSLOG_IDENTIFIER") or told.get("_COMM") or "")
    return HostLine(
        KERNEL if told.get("_TRANSPORT") == KERNEL else teller,
        told["MESSAGE"],
        told.get("_HOSTNAME"),
        int(stamp) if stamp.isdigit() else None,
        True,
    )


@cache
def _catalogues() -> Mapping[str, Catalogue]:
    """The templates, by the program that writes them."""
    tellers = {teller for template in TEMPLATES for teller in template.logger.split("|")}
    return {
        teller: Catalogue(tuple(template for template in TEMPLATES if teller in template.logger.split("|")))
        for teller in tellers
    }


def host_testimonies(text: str, first_line: int, as_of: datetime | None) -> Iterator[tuple[int, Told]]:
    """What the lines of a host's log testify, each with its number. Those of other units than Kafka's are passed over.

    The time of a line that tells only how long the kernel had run comes of the line with which the kernel set its clock,
    if that is here. Of a log that holds lines of the kernel the first and the last stamp are told too: what it has no line
    of in between did not happen.
    """
    booted: int | None = None
    stamped: list[tuple[int, HostLine, str]] = []  # the first and the last
    holds_kernel = False
    for number, line in enumerate(text.split("\n"), first_line):
        if _BOOT_MARK.match(line):
            yield number, Told("host_booted", dated=True, message=line.strip())
            continue
        said = host_line(line, as_of) if line.strip() else None
        if said is None:
            continue
        if said.micros is not None:
            stamped[1:] = [(number, said, line)]
            holds_kernel = holds_kernel or said.teller == KERNEL
        if said.teller not in _catalogues():
            continue
        clock = _CLOCK_AT_BOOT.search(said.message) if said.uptime_s else None
        if clock is not None and said.uptime_s is not None:
            booted = int(clock[1]) * 1_000_000 - _micros(said.uptime_s)
        told = _told(said, booted)
        if told is not None:
            yield number, told
    for number, said, line in stamped if holds_kernel else ():
        details = {"host": said.host} if said.host else {}
        node = node_of_name(said.host)
        yield (
            number,
            Told("kernel_heard", {}, details, True, said.micros, line, node_id=node, zone_known=said.zone_known),
        )


def _micros(seconds: str) -> int:
    return round(float(seconds) * 1_000_000)


def known_host_line(line: str) -> tuple[Template, dict[str, str]] | None:
    """The template of a line of a host's log, of whatever unit, and its fields; None where none knows it."""
    said = host_line(line)
    found = _catalogues()[said.teller].find(said.message) if said is not None and said.teller in _catalogues() else None
    return None if found is None else (found[0], found[0].filled(found[1]))


def _told(said: HostLine, booted: int | None) -> Told | None:
    found = _catalogues()[said.teller].find(said.message)
    if found is None:
        return None
    template, groups = found
    fields = template.filled(groups)
    if said.teller == SYSTEMD and not _is_of_kafka(template.kind, fields):
        return None
    if template.kind == "host_command" and not _KAFKA.search(fields["command"]) and not _ENDS.search(fields["command"]):
        return None
    micros, zone_known, precise = said.micros, said.zone_known, said.precise_ms
    if micros is None and said.uptime_s is not None and booted is not None:
        micros, zone_known, precise = booted + _micros(said.uptime_s), True, SECOND_MS
    since_boot = "yes" if said.since_boot else None
    about = {"host": said.host, "since_boot": since_boot, "precise_ms": precise, "uptime_s": said.uptime_s}
    return Told(
        template.kind,
        {},
        {**fields, **{name: text for name, text in about.items() if text}},
        True,
        micros,
        said.message,
        node_id=node_of_name(said.host),
        zone_known=zone_known,
    )


_ENDS = re.compile(r"\b(?:kill|pkill|killall|reboot|shutdown|poweroff|halt|init [06])\b")


def _is_of_kafka(kind: str, fields: Mapping[str, str]) -> bool:
    """Whether a line of systemd is about Kafka's unit, or about the host."""
    named = fields.get("unit") or fields.get("description")
    return named is None or kind in _OF_ANY_UNIT or _KAFKA.search(named) is not None
