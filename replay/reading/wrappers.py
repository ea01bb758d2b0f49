"""Removes what a container runtime, an orchestrator, syslog or a paste put around a log line.

Wrappers are data. The reader removes them before it reads the line, outermost first. The label of a wrapper (`label`)
names the writer of the line, so that the nodes of a merged file can be separated.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from replay.json_text import whole as without_halves

_STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_RFC3339 = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)"
_LABEL = "(?P<label>"


@dataclass(frozen=True)
class Wrapper:
    """One way of wrapping a line: `find` is replaced by `put`, then each pair of `then`; or the line is a JSON object
    that holds it under one of `members`.

    The group `label` of `find`, or one of the JSON members `labels`, names the writer of the line. A file is tested for
    a wrapper if at least `share` of its lines have it. `example` without the wrapper is `inside`. `years`: for a
    calendar, how many years its years (the group `year` of `find`) are ahead.
    """

    name: str
    example: str
    inside: str
    find: str = ""
    put: str = ""
    then: tuple[tuple[str, str], ...] = ()
    members: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    share: float = 0.3
    years: int = 0

    @property
    def has_label(self) -> bool:
        return _LABEL in self.find or bool(self.labels)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.find)

    def fits(self, line: str) -> bool:
        """Whether `line` has this wrapper."""
        if self.members:
            return line.startswith("{") and self._member(line) is not None
        return bool(self.find) and self._compiled.search(line) is not None

    def peeled(self, line: str) -> str:
        """`line` without this wrapper; unchanged if it does not have it."""
        if self.members:
            inside = self._member(line) if line.startswith("{") else None
            return line if inside is None else inside.rstrip("\n")
        if not self.find:
            return line
        if self.years:
            return self._compiled.sub(lambda found: found["before"] + str(int(found["year"]) - self.years), line)
        line = self._compiled.sub(self.put.replace("$1", r"\g<1>"), line)
        for old, new in self.then:
            line = line.replace(old, new)
        return line

    def label(self, line: str) -> str | None:
        """The writer of `line`, if the wrapper names it."""
        if self.members:
            members = members_of(line) if line.startswith("{") else {}
            return next((str(members[name]) for name in self.labels if name in members), None)
        found = self._compiled.match(line)
        return found["label"] if found else None

    def _member(self, line: str) -> str | None:
        members = members_of(line)
        held = (members.get(name) for name in self.members)
        return next((text for text in held if isinstance(text, str)), None)


_DEEP = 200  # with more nested brackets in a line, their depth is checked


@lru_cache(maxsize=1)
def members_of(line: str) -> dict[str, object]:
    """The members of a JSON object, and those of its objects as `a.b`; empty if `line` is no object."""
    try:
        whole = json.loads(line, parse_int=str, parse_float=str)  # numbers as printed
        if "\\ud" in line.lower():
            whole = without_halves(whole)
        if line.count("[") + line.count("{") > _DEEP:
            json.dumps(whole)  # an object that is too deeply nested to be serialized is not a record
    except (ValueError, RecursionError):
        return {}
    if not isinstance(whole, dict):
        return {}
    nested = {
        f"{name}.{inner}": value
        for name, held in whole.items()
        if isinstance(held, dict)
        for inner, value in held.items()
    }
    return {**nested, **whole}


_BUDDHIST = 543  # years by which the Buddhist calendar of Thailand is ahead
IN_ITS_CALENDAR = f"has stamps of the Buddhist calendar: {_BUDDHIST} years were taken off each (2565 is 2022)"
_BUDDHIST_YEAR = r"^(?P<before>[^\w\s]{0,3})(?P<year>2[4-6]\d\d)(?=[-/]\d\d[-/]\d\d[T ]\d\d:)"

_LINE = "[2026-11-21 05:34:41,986] INFO starting (kafka.server.KafkaServer)"

WRAPPERS: tuple[Wrapper, ...] = (
    Wrapper("ansi", f"\x1b[36m{_LINE}\x1b[0m", _LINE, find=r"\x1b\[[0-9;?]*[A-Za-z]", share=0.001),
    Wrapper(
        "docker-json",
        '{"log":"' + _LINE + '\\n","stream":"stdout","time":"2026-11-21T05:34:41.987654321Z"}',
        _LINE,
        members=("log",),
    ),
    Wrapper(
        "json-lines",
        '{"kubernetes":{"pod_name":"kafka-1"},"message":"' + _LINE + '"}',
        _LINE,
        members=("message", "MESSAGE", "log", "line", "textPayload"),
        labels=(
            "kubernetes.pod_name",
            "kubernetes.pod",
            "pod_name",
            "pod",
            "container_name",
            "_HOSTNAME",
            "hostname",
            "host",
        ),
    ),
    Wrapper("compose", f"kafka-1  | {_LINE}", _LINE, find=rf"^(?:{_STAMP} )?(?P<label>[A-Za-z0-9][\w.@-]*) *\|(?: |$)"),
    Wrapper(
        "kubectl", f"[pod/my-cluster-kafka-1/kafka] {_LINE}", _LINE, find=r"^\[pod/(?P<label>[\w.-]+)/[\w.-]+\](?: |$)"
    ),
    Wrapper(
        "stern",
        f"my-cluster-kafka-1 kafka {_LINE}",
        _LINE,
        find=r"^(?P<label>[a-z0-9][a-z0-9.-]*-\d+) (?:› )?(?:[a-z-]*kafka|broker|controller|zookeeper)(?: |$)",
    ),
    Wrapper(
        "cri",
        f"2026-11-21T05:34:41.987654321Z stdout F {_LINE}",
        _LINE,
        find=rf"^{_RFC3339} (?:stdout|stderr) [FP](?: |$)",
    ),
    Wrapper("docker-stamps", f"2026-11-21T05:34:41.987654321Z {_LINE}", _LINE, find=rf"^{_RFC3339}(?: |$)"),
    Wrapper(
        "syslog",
        f"Nov 21 05:34:41 kafka-1 kafka-server-start.sh[2229]: {_LINE}",
        _LINE,
        find=rf"^(?:<\d{{1,3}}>)?(?:[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|{_STAMP}) (?P<label>[\w.:-]+) [\w./@()-]+(?:\[\d+\])?:(?: |$)",
        then=(("#011", "\t"),),
    ),
    Wrapper(
        "syslog-5424",
        f"<30>1 2026-11-21T05:34:41.986Z kafka-1 kafka 2229 - - {_LINE}",
        _LINE,
        find=r"^<\d{1,3}>1 \S+ (?P<label>\S+) \S+ \S+ \S+ (?:-|\[.*?\])(?: \ufeff?|$)",
        then=(("#011", "\t"),),
    ),
    Wrapper(
        "windows-service",
        f"INFO|5652/0|Service org.apache.kafka|22-01-19 10:44:46|{_LINE}",
        _LINE,
        find=r"^[A-Z]+\|\d+/\d+\|[^|]{1,80}\|[\d/-]{8,10} \d\d:\d\d:\d\d\|",
    ),
    Wrapper(
        "grep",
        f"node-1/server.log:17:{_LINE}",
        _LINE,
        find=r"^(?P<label>\S{0,400}?\.(?:log|out)[\w.-]{0,100}):(?:\d+:)?",
    ),
    Wrapper("numbered", f"  12. {_LINE}", _LINE, find=r"^ *\d{1,7}(?:[.:)|] ?|\t| +(?=\[?\d{4}-))"),
    Wrapper(
        "doubled",
        f"2026-11-21 08:34:42 host kafka {_LINE}",
        _LINE,
        find=rf"^{_STAMP} (?:\S+ ){{0,3}}?(?=\[\d{{4}}-\d\d-\d\d )",
    ),
    Wrapper(
        "docker-desktop",
        f"2026-11-21 08:34:42 {_LINE}",
        _LINE,
        find=r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?=\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[ \t]{1,8}at |Caused by: |(?:[a-z]\w{0,40}\.){1,10}[A-Z]\w{0,80}(?:Exception|Error)\b)",
        share=0.5,
    ),
    Wrapper(
        "quoted",
        '"' + _LINE.replace("starting", 'said ""yes""') + '"',
        _LINE.replace("starting", 'said "yes"'),
        find=r'^"(.*?)"?[,;]?$',
        put="$1",
        then=(('""', '"'),),
    ),
    Wrapper("indented", f"  * {_LINE}", _LINE, find=r"^[ \t>*_`]+(?=\[?\d{4}[-/]\d\d[-/]\d\d[T ])", share=0.02),
    Wrapper("buddhist", f"[2569{_LINE[5:]}", _LINE, find=_BUDDHIST_YEAR, years=_BUDDHIST),
    Wrapper(
        "joined", _LINE, _LINE
    ),  # some lines hold two records; the input stage detects it, `replay.reading.lines` splits them
    Wrapper(
        "damaged-brackets",
        f"Ä{_LINE[1:].replace(']', 'Å')}",
        _LINE,
        find=r"^Ä(?=\d{4}-)",
        put="[",
        then=(("Ä", "["), ("Å", "]")),
    ),
)
