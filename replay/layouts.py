"""How a line is laid out: where its stamp, level, logger and message stand. Layouts are data; a site's own is one more.

`detect` names the layout of a file from its first lines. Wrappers (what a container runtime or syslog puts before each line)
come off first. Sources: kafka-log-formats §2, operator-questions.md (layouts met in the wild).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

_GROUP = re.compile(r"\(\?P<(\w+)>")
LEVELS = "TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL"


@dataclass(frozen=True)
class Layout:
    """A layout: a regular expression for the first line of a record, with groups named after what they hold.

    `stamp` says how the stamp's groups make `yyyy-MM-dd HH:mm:ss.SSS`; groups of one name in several branches are one value.
    """

    name: str
    example: str
    regex: str
    stamp: str = "{date} {time}.{fraction}"

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.plain_regex)

    @cached_property
    def plain_regex(self) -> str:
        """The expression with plain groups, as Spark takes it."""
        return _GROUP.sub("(", self.regex)

    def replacement(self, template: str) -> str:
        """`template` with each `{group}` as `$n` for Spark's `regexp_replace`; `{stamp}` is the whole stamp."""
        names = _GROUP.findall(self.regex)
        text = template.replace("{stamp}", self.stamp)
        for name in dict.fromkeys(re.findall(r"\{(\w+)\}", text)):
            groups = "".join(f"${number}" for number, group in enumerate(names, start=1) if group == name)
            text = text.replace("{" + name + "}", groups)
        return text


DEFAULT = Layout(
    name="default",
    example="[2026-11-21 05:34:41,986] INFO [Controller id=3] Broker failure callback for 1 (kafka.controller.KafkaController)",
    regex=rf"^\[(?P<date>\d{{4}}-\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)[,.](?P<fraction>\d{{1,9}})\] (?P<level>{LEVELS}) +"
    r"(?:(?:(?P<message>.*) )?\((?P<logger>[\w.$]+)\)\s*|(?P<message>.*))$",
)

# A text file in no known layout: each line is a record that no template knows, so that nothing is dropped in silence.
PLAIN = Layout(name="plain", example="hello", regex=r"^(?P<message>.*\S.*)$", stamp="")

LAYOUTS: tuple[Layout, ...] = (DEFAULT,)


def layout_named(name: str) -> Layout:
    """The layout called `name`; raises KeyError if there is none."""
    return {layout.name: layout for layout in (*LAYOUTS, PLAIN)}[name]


def detect(lines: Iterable[str], layouts: Sequence[Layout] = LAYOUTS) -> Layout | None:
    """The layout that most of `lines` start a record in; None if no line does."""
    counts = dict.fromkeys(layouts, 0)
    for line in lines:
        for layout in layouts:
            if layout.compiled.match(line):
                counts[layout] += 1
                break
    best = max(counts, key=lambda layout: counts[layout])
    return best if counts[best] else None
