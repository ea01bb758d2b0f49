"""Reads processor time that the hypervisor took: the %steal column of `sar -u`, `sar -P ALL` and `mpstat`.

A line covers the time since the previous line; the date of a time of day is in the first line. Sources: sar(1),
mpstat(1); public samples of sysstat 9 to 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replay.reading.container_names import node_of_name
from replay.reading.parsed_witness import ParsedWitness, known_details
from replay.reading.stamps import micros_of

_OF_DAY = r"(?:\d\d:\d\d:\d\d(?: [AP]M)?|\d\d[時시]\d\d[分분] ?\d\d[秒초])"
HEAD = rf"^{_OF_DAY}\s+CPU\s+%us(?:e)?r\s.*%steal\s"
_HEAD = re.compile(HEAD)
_MACHINE = re.compile(r"^Linux \S+ \((?P<host>[^)]+)\)\s+(?P<date>\S+)\s+_\w+_\s+\(\d+ CPU\)")
_ROW = re.compile(rf"^(?P<time>{_OF_DAY})\s+(?P<cpu>all|\d+)\s++(?P<shares>[\d.,\s]+)$")
_DAY_MICROS = 86_400_000_000
_LEAST = 1.0  # percent: any shared machine shows less


def stolen_time_statements(text: str, first_line: int) -> Iterator[tuple[int, ParsedWitness]]:
    """Each interval in which the hypervisor took a part of the time of all processors: its start and `percent`."""
    host = date = None
    place: int | None = None  # of %steal among the columns of shares
    before: int | None = None
    for number, line in enumerate(text.split("\n"), first_line):
        machine, head = _MACHINE.match(line), _HEAD.match(line)
        if machine:
            host, date, before = machine["host"], _iso_date(machine["date"]), None
            continue
        row = None if head else _ROW.match(line)
        time = re.match(_OF_DAY, line)
        if time is None or date is None:
            place = place if line.strip() else None
            continue
        now = _after(before, micros_of(f"{date} {_clock(time[0])}"))
        if head:
            place, before = line.split("CPU", 1)[1].split().index("%steal"), now
            continue
        if row is None or place is None or before is None or now is None or row["cpu"] != "all":
            continue
        shares = row["shares"].replace(",", ".").split()
        if len(shares) > place and float(shares[place]) >= _LEAST and now > before:
            details = known_details(host=host, percent=shares[place], precise_ms=(now - before) // 1_000)
            yield (
                number,
                ParsedWitness(
                    "processors_stolen",
                    {},
                    details,
                    True,
                    before,
                    line.rstrip(),
                    node_id=node_of_name(host),
                    zone_known=False,
                ),
            )
        before = now


def _iso_date(text: str) -> str | None:
    """The ISO date of `2024-01-26`, `02/19/2015`, `05/30/26` (month first, as in the C locale, unless there is no such
    month) or `2018年08月12日`.
    """
    numbers = re.findall(r"\d+", text)
    if len(numbers) != 3:
        return None
    if len(numbers[0]) == 4:
        year, month, day = numbers
    else:
        month, day, year = numbers if int(numbers[0]) <= 12 else (numbers[1], numbers[0], numbers[2])
    return f"{year if len(year) == 4 else f'20{year}'}-{month}-{day}"


def _clock(text: str) -> str:
    hour, minute, second = map(int, re.findall(r"\d+", text))
    if text.endswith("M"):
        hour = hour % 12 + (12 if text.endswith("PM") else 0)
    return f"{hour:02d}:{minute:02d}:{second:02d}"


def _after(before: int | None, now: int | None) -> int | None:
    """The time of day; one before the previous time belongs to the next day."""
    return now if now is None or before is None or now >= before else now + _DAY_MICROS
