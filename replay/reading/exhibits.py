"""What people paste beside log lines: rows of iostat, df, docker and kubectl, klist, Kafka's own tools, settings. Each is
read into a record, so that an answer uses it and does not ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

_COMPOSE = re.compile(r"^(?P<program>[\w.-]{1,60}?) {0,24}\| {0,4}(?P<text>.*)$")
_SYSLOG = re.compile(
    r"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?P<host>[\w.-]+) (?P<program>[\w./@-]+)(?:\[\d+\])?: (?P<text>.*)$"
)
_HEADING = re.compile(r"^(?:-- )?(?P<name>[A-Za-z][\w.-]{1,60})(?=[ ,:(])[^\n]{0,80}:?\s*$")
_COMMAND = re.compile(r"^(?:[\w.@~:/-]{0,40})?[$#] (?P<command>\S.*)$")
_COLUMNS = re.compile(r"\s{2,}|\t+")
_PARTITION = re.compile(
    r"^\s*Topic: (?P<topic>\S+)\s+Partition: (?P<partition>\d+)\s+Leader: (?P<leader>\S+)\s+Replicas: (?P<replicas>[\d,]+)\s+Isr: (?P<isr>[\d,]*)"
)
_TOPIC = re.compile(
    r"^\s*Topic: ?(?P<topic>\S+)\s.*?ReplicationFactor: ?(?P<factor>\d+)(?:\s+Configs: ?(?P<configs>\S*))?"
)
_ASSIGNED = re.compile(
    r"^(?:(?P<file>[\w./-]{1,255}):)?(?P<name>[A-Za-z](?=[\w.]{0,255}[._])[\w.]{1,255})=(?P<value>\S.*)"
)
_FIELD = re.compile(r"^\s*+(?P<name>[A-Z][A-Za-z_ ]{1,60}):\s++(?P<value>\S.*)")
_FULL_GC = re.compile(
    r"\[gc[^\]]{0,40}\]\s{1,40}GC\(\d{1,9}\) Pause Full .{0,80}?(?P<before>\d{1,9})M->(?P<after>\d+)M\((?P<heap>\d+)M\) (?P<ms>[\d.]+)ms"
)
_KEY = re.compile(r"^\s+(?P<version>\d+) \d{4}-\d\d-\d\d \S+ (?P<principal>[\w./-]+@\S+)")
_LISTS_TOPICS = re.compile(r"kafka-topics\S{0,20} .{0,400}--list")
_TICKET = re.compile(r"^(?P<principal>[\w./-]+@\S+): kvno = (?P<version>\d+)")


@dataclass(frozen=True)
class Row:
    """A line of a paste: the program that printed it, as its prefix or the heading above names it, and its text."""

    number: int
    program: str
    text: str
    section: str = ""
    command: str = ""


@dataclass(frozen=True)
class PartitionRow:
    """A partition in the output of `kafka-topics --describe`."""

    topic: str
    partition: int
    leader: str
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


@dataclass(frozen=True)
class Pause:
    """A full collection of Java's heap."""

    program: str
    seconds: float
    after_mb: int
    heap_mb: int


class Exhibits:
    """The tables, settings and outputs in a paste."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.rows = tuple(_rows(text))

    def table(self, *heads: str) -> list[dict[str, str]]:
        """The rows of the table whose header begins with these words, by column name; with the section's name."""
        made: list[dict[str, str]] = []
        header = ""
        for row in self.rows:
            if row.text.lstrip().startswith(heads[0]) and all(head in row.text for head in heads):
                header = row.text
            elif header and row.text.strip() and (cells := _aligned(header, row.text)):
                made.append(cells | {"section": row.section})
            else:
                header = ""
        return made

    @cached_property
    def partitions(self) -> Sequence[PartitionRow]:
        """The partitions that `kafka-topics --describe` printed."""
        found = (_PARTITION.match(row.text) for row in self.rows)
        return [
            PartitionRow(one["topic"], int(one["partition"]), one["leader"], _ids(one["replicas"]), _ids(one["isr"]))
            for one in found
            if one
        ]

    @cached_property
    def topics(self) -> Mapping[str, tuple[int, str]]:
        """The replication factor and the settings of each described topic."""
        found = (_TOPIC.match(row.text) for row in self.rows)
        return {one["topic"]: (int(one["factor"]), one["configs"] or "") for one in found if one}

    @cached_property
    def listed_topics(self) -> Sequence[str] | None:
        """The topics that `kafka-topics --list` printed; None without its output."""
        if not any(_LISTS_TOPICS.search(row.text) for row in self.rows):
            return None
        names, is_listing = [], False
        for row in self.rows:
            if command := _COMMAND.match(row.text):
                is_listing = "kafka-topics" in command["command"] and "--list" in command["command"]
            elif is_listing and re.fullmatch(r"[\w.-]{1,249}", row.text.strip()):
                names.append(row.text.strip())
        return names

    @cached_property
    def settings(self) -> Sequence[tuple[str, str, str]]:
        """Settings and environment variables: the file or program, the name, the value."""
        found = ((row, _ASSIGNED.match(row.text.strip())) for row in self.rows)
        assigned = [(one["file"] or row.section, one["name"], one["value"]) for row, one in found if one]
        return [*assigned, *(("", name, value) for name, value in self.fields.items() if name.isupper())]

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """`Name: value` rows, such as those of `kubectl describe` and `kafka-metadata-quorum`; the last of a name."""
        found = (_FIELD.match(row.text) for row in self.rows)
        return {one["name"].strip(): one["value"].rstrip() for one in found if one}

    @cached_property
    def pauses(self) -> Sequence[Pause]:
        """Full collections of Java's heap, with the program whose log they stand in."""
        found = ((row, _FULL_GC.search(row.text)) for row in self.rows)
        return [
            Pause(row.program, float(one["ms"]) / 1000, int(one["after"]), int(one["heap"]))
            for row, one in found
            if one
        ]

    @cached_property
    def keys(self) -> Mapping[str, int]:
        """The newest key version of each principal in a keytab (`klist -kt`)."""
        made: dict[str, int] = {}
        for row in self.rows:
            if found := _KEY.match(row.text):
                made[found["principal"]] = max(made.get(found["principal"], 0), int(found["version"]))
        return made

    @cached_property
    def tickets(self) -> Mapping[str, int]:
        """The key version that the KDC uses for each principal (`kvno`)."""
        found = (_TICKET.match(row.text) for row in self.rows)
        return {one["principal"]: int(one["version"]) for one in found if one}


def _rows(text: str) -> Iterator[Row]:
    """The lines of a paste with the program that each shows; of blank lines in a row the first."""
    section = command = ""
    was_blank = False
    for number, line in enumerate(text.split("\n"), 1):
        is_again, was_blank = was_blank, not line or line.isspace()
        if is_again and was_blank:
            continue
        composed, logged = _COMPOSE.match(line), _SYSLOG.match(line)
        if typed := _COMMAND.match(line):
            yield Row(number, "", line, section, typed["command"])
            continue
        if composed and not line.startswith("|"):
            yield Row(number, composed["program"], composed["text"], section, command)
        elif logged:
            yield Row(number, logged["program"], logged["text"], logged["host"], command)
        else:
            heading = _HEADING.match(line)
            if heading and line.rstrip().endswith((":", "--")):
                section = heading["name"]
            elif heading and (host := re.match(r"([\w.-]+) host, \w+", line)):
                section = host[1]
            yield Row(number, section, line, section, command)


def _aligned(header: str, line: str) -> dict[str, str] | None:
    """The cells of a row by the names in its header; None if they do not fit."""
    named, header = (header.strip().replace("Mounted on", "Mounted"), header.strip())
    for names, cells in ((named.split(), line.split()), (_COLUMNS.split(header), _COLUMNS.split(line.strip()))):
        if len(names) == len(cells) > 1:
            return dict(zip(names, cells, strict=True))
    return None


def _ids(text: str) -> tuple[int, ...]:
    return tuple(int(one) for one in text.split(",") if one)
