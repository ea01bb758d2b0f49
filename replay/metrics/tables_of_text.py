"""Tables as text: CSV of `kafka.tools.JmxTool` and of CloudWatch's console, and the reports of `iostat -t`."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from replay.metrics.documents import micros_of_iso, named, period_of
from replay.metrics.raw import RawSample
from replay.reading.stamps import micros_of

_BEAN = re.compile(r"^([\w.]+):(.+):([\w.%]+)$")
_US_TIME = re.compile(r"^(\d\d)/(\d\d)/(\d{2}|\d{4}) (\d\d):(\d\d):(\d\d)(?: ([AP]M))?\s*$")
_ISO_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)?\s*$")


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV text with the numbers of their lines."""
    reader = csv.reader(text.splitlines())
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            continue
        yield reader.line_num, row


def jmxtool(text: str) -> Iterator[RawSample]:
    """The samples of `JmxTool`: a column for each attribute of each MBean, a row for each time."""
    columns: list[tuple[str, dict[str, str]]] | None = None
    for number, row in _rows(text):
        if columns is None or (row and row[0] == "time"):
            columns = [_bean(cell) for cell in row[1:]]
            continue
        at = _jmx_time(row[0]) if row else None
        if at is None or len(row) != len(columns) + 1:
            continue
        for place, ((name, labels), cell) in enumerate(zip(columns, row[1:], strict=True), 2):
            try:
                yield RawSample(number, name, labels, at, float(cell), column=place)
            except ValueError:
                continue


def _jmx_time(cell: str) -> int | None:
    return int(cell) * 1000 if re.fullmatch(r"\d{13}", cell) else micros_of(cell.replace("T", " "))


def _bean(cell: str) -> tuple[str, dict[str, str]]:
    """The name and the labels of an attribute: type and name of its MBean in that order, the other properties as
    labels.
    """
    found = _BEAN.match(cell)
    if found is None:
        return cell, {}
    properties = dict(part.split("=", 1) for part in found[2].split(",") if "=" in part)
    shown = ",".join(f"{key}={properties.pop(key)}" for key in ("type", "name") if key in properties)
    return f"{found[1]}:{shown}:{found[3]}", properties


def cloudwatch_csv(text: str) -> Iterator[RawSample]:
    """The samples of a CSV file of CloudWatch's console: rows of labels first, then a row for each period."""
    labels: Sequence[str] = ()
    rows = []
    for number, row in _rows(text):
        at = micros_of_iso(row[0]) if row else None
        if at is not None:
            rows.append((number, at, row[1:]))
        elif not rows and row and (row[0] in ("Full label", "Label") or not labels):
            labels = row[1:]
    period = period_of(at for _, at, _ in rows)
    columns = [named(label) for label in labels]
    for number, at, cells in rows:
        for place, ((name, of_broker), cell) in enumerate(zip(columns, cells), 2):
            try:
                yield RawSample(number, name, of_broker, at + period * 1000, float(cell), period, column=place)
            except ValueError:
                continue


def iostat(text: str) -> Iterator[RawSample]:
    """The samples of `iostat -t`: means over the time since the report before. The first report is about all the time since the
    machine started, and is left out.
    """
    is_day_first = any(found and int(found[1]) > 12 for found in map(_US_TIME.match, text.splitlines()))
    at = before = None
    header: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if (stamp := _iostat_time(line, is_day_first)) is not None:
            before, at, header = at, stamp, []
            continue
        if line.startswith("Linux "):
            before = at = None
            continue
        cells = line.split()
        if not cells:
            header = []
        elif cells[0] in ("avg-cpu:", "Device", "Device:"):
            header = cells
        elif header and at is not None and before is not None and at > before:
            yield from _report(number, header, cells, at, (at - before) // 1000)


def _report(number: int, header: Sequence[str], cells: Sequence[str], at: int, interval_ms: int) -> Iterator[RawSample]:
    is_processor = header[0] == "avg-cpu:"
    labels = {} if is_processor else {"device": cells[0]}
    for place, (name, cell) in enumerate(zip(header[1:], cells if is_processor else cells[1:]), 1):
        try:
            yield RawSample(
                number, f"iostat:{name}", labels, at, float(cell.replace(",", ".")), interval_ms, column=place
            )
        except ValueError:
            continue


def _iostat_time(line: str, is_day_first: bool) -> int | None:
    """The time over a report. One without a zone is read as UTC."""
    if _ISO_TIME.match(line):
        return micros_of_iso(line)
    found = _US_TIME.match(line)
    if found is None:
        return None
    one, two, year, hour, minute, second = (int(part) for part in found.groups()[:6])
    day, month = (one, two) if is_day_first else (two, one)
    if found[7]:
        hour = hour % 12 + (12 if found[7] == "PM" else 0)
    try:
        time = datetime(year if year > 99 else 2000 + year, month, day, hour, minute, second)
    except ValueError:
        return None
    return micros_of(f"{time:%Y-%m-%d %H:%M:%S}")
