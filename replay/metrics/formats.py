"""The formats of samples: how a file is recognized by its first lines, and which reader it has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from replay.metrics.documents import cloudwatch, prometheus, sadf
from replay.metrics.exposition import dumped, exposed, is_dump, is_exposed, is_untimed
from replay.metrics.raw import MetricFile, RawSample, counts_of_samples, rows_of_samples
from replay.metrics.tables_of_text import cloudwatch_csv, iostat, jmxtool
from replay.metrics.times import Span
from replay.tables.metrics import SampleCount, SampleRead

PROMETHEUS, DUMP, OPENMETRICS = "prometheus-json", "promtool-dump", "openmetrics"
CLOUDWATCH, CLOUDWATCH_CSV = "cloudwatch-json", "cloudwatch-csv"
JMXTOOL, SADF, IOSTAT = "jmxtool-csv", "sadf-json", "iostat"
UNTIMED = "exposition without times"
BY_LINE = (DUMP, OPENMETRICS)  # each line is a sample by itself: a large file is read in parts

_READERS: dict[str, Callable[[str], Iterator[RawSample]]] = {
    PROMETHEUS: prometheus,
    CLOUDWATCH: cloudwatch,
    CLOUDWATCH_CSV: cloudwatch_csv,
    JMXTOOL: jmxtool,
    SADF: sadf,
    IOSTAT: iostat,
}
FORMATS = (*_READERS, *BY_LINE)
_PROMETHEUS = re.compile(
    r'^\s*\{(?=.{0,400}"status"\s*:\s*"success").{0,600}?"resultType"\s*:\s*"(?:matrix|vector)"', re.DOTALL
)
_CLOUDWATCH = re.compile(r'^\s*\{\s*(?:"Messages"\s*:\s*\[\s*\]\s*,\s*)?"(?:MetricDataResults|Datapoints|Label)"\s*:')
_SADF = re.compile(r'^\s*\{\s*"sysstat"\s*:\s*\{\s*"hosts"\s*:')
_IOSTAT = re.compile(
    r"^Linux \S+ \(.{0,255}\)\s.*\n\s*\n?(?:\d\d/\d\d/\d{2,4} \d\d:|\d{4}-\d\d-\d\dT).*\n(?:avg-cpu:|Device:?\s)",
    re.MULTILINE,
)
_JMXTOOL = re.compile(r'^"?time"?,"?[\w.]+:[^",\n]*=')
_CLOUDWATCH_CSV = re.compile(r'^\ufeff?"?(?:Full label|Label|ID|Id)"?,', re.MULTILINE)
_CSV_TIME = re.compile(r'^"?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d', re.MULTILINE)


def format_of(head: str) -> str | None:
    """The format of a file by its beginning; None for a file without samples, `UNTIMED` for samples without a time."""
    head = head.lstrip("\ufeff")
    for name, pattern in ((PROMETHEUS, _PROMETHEUS), (CLOUDWATCH, _CLOUDWATCH), (SADF, _SADF), (JMXTOOL, _JMXTOOL)):
        if pattern.match(head):
            return name
    if _IOSTAT.search(head[:1_000]):
        return IOSTAT
    if _CLOUDWATCH_CSV.match(head) and _CSV_TIME.search(head):
        return CLOUDWATCH_CSV
    lines = [line for line in head.split("\n")[:200] if line.strip() and not line.startswith("#")][:20]
    whole = lines[:-1] if len(lines) > 1 else lines  # the last may be cut
    if not whole:
        return None
    if all(map(is_dump, whole)):
        return DUMP
    has_types = re.search(r"^# (?:TYPE|HELP) \w", head, re.MULTILINE) is not None
    if all(map(is_exposed, whole)):
        return OPENMETRICS if has_types or any("{" in line for line in whole) else None
    return UNTIMED if has_types and all(map(is_untimed, whole)) else None


def samples_of(text: str, file: MetricFile, spans: Sequence[Span] | None = None) -> Iterator[SampleRead]:
    """The samples of a text, as rows; with `spans`, only the known ones of these times."""
    return rows_of_samples(_read(text, file), file, spans)


def counts_of(text: str, file: MetricFile) -> list[SampleCount]:
    """How many samples of each name a text has, and the minutes in which produce requests waited."""
    return counts_of_samples(_read(text, file), file)


def _read(text: str, file: MetricFile) -> Iterator[RawSample]:
    if file.layout in BY_LINE:
        return dumped(text, file.first_line) if file.layout == DUMP else exposed(text, file.first_line)
    return _READERS[file.layout](text)
