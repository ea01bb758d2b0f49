"""Lines of one sample each: `promtool tsdb dump`, and OpenMetrics or Prometheus text with timestamps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replay.metrics.raw import RawSample

_LABEL = re.compile(r'(?<![\w.-])([a-zA-Z_][\w.-]*+)\s*+=\s*+"((?:[^"\\]|\\.)*+)"')
_DUMPED = re.compile(r'^\{((?:[^"}]|"(?:[^"\\]|\\.)*+")*+)\} (\S+) (-?\d{10,16})\s*$')
_EXPOSED = re.compile(
    r'^([a-zA-Z_:][\w:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*+")*+)\})?\s++(\S++)\s++(-?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)\s*+(?:(?<=\s)#.*)?$'
)
_ESCAPED = re.compile(r"\\(.)")
_FIRST_SECOND = 100_000_000  # of 1973: a smaller number is no time
_LAST_SECOND = 100_000_000_000  # a larger number is milliseconds


def labels_of(text: str) -> dict[str, str]:
    """The labels between the braces of a sample."""
    return {
        key: _ESCAPED.sub(lambda m: "\n" if m[1] == "n" else m[1], value) if "\\" in value else value
        for key, value in _LABEL.findall(text)
    }


def is_dump(line: str) -> bool:
    """Whether the line is a sample that `promtool tsdb dump` printed."""
    found = _DUMPED.match(line)
    return found is not None and '__name__="' in found[1]


def is_exposed(line: str) -> bool:
    """Whether the line is a sample of a text exposition, with a time."""
    found = _EXPOSED.match(line)
    return found is not None and _number(found[3]) is not None and float(found[4]) >= _FIRST_SECOND


def is_untimed(line: str) -> bool:
    """Whether the line is a sample of a text exposition without a time."""
    found = re.match(r'^[a-zA-Z_:][\w:]*(?:\{(?:[^"}]|"(?:[^"\\]|\\.)*+")*+\})?\s+(\S+)\s*$', line)
    return found is not None and _number(found[1]) is not None


def dumped(text: str, first_line: int = 1) -> Iterator[RawSample]:
    """The samples of `promtool tsdb dump`; times are milliseconds, and the name is one of the labels."""
    series: dict[str, tuple[str, dict[str, str]]] = {}
    for number, line in enumerate(text.split("\n"), first_line):
        found = _DUMPED.match(line)
        if found is None or (value := _number(found[2])) is None:
            continue
        if found[1] not in series:
            labels = labels_of(found[1])
            series[found[1]] = labels.pop("__name__", ""), labels
        name, labels = series[found[1]]
        if name:
            yield RawSample(number, name, labels, int(found[3]) * 1000, value)


def exposed(text: str, first_line: int = 1) -> Iterator[RawSample]:
    """The samples of OpenMetrics text (times in seconds) or Prometheus text (times in milliseconds)."""
    labels: dict[str, dict[str, str]] = {}
    for number, line in enumerate(text.split("\n"), first_line):
        found = _EXPOSED.match(line)
        if found is None or (value := _number(found[3])) is None:
            continue
        braces = found[2] or ""
        if braces not in labels:
            labels[braces] = labels_of(braces)
        time = float(found[4])
        micros = round(time * (1_000_000 if time < _LAST_SECOND else 1_000))
        yield RawSample(number, found[1], labels[braces], micros, value)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
