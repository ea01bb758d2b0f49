"""Rotated files that are missing between two others, by the names of the files that are there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from replay.facts.node_lines import series
from replay.tables.coverage import RotationGap
from replay.tables.reading import FileCoverage

_ONE_HOUR = re.compile(
    r"\.(\d{4}-\d\d-\d\d-\d\d)(?:\.(?:gz|bz2|xz|zip))?$"
)  # server.log.2026-11-21-05: Kafka's own rolling
_ONE_FILE = re.compile(r"\.(\d{1,3})(?:\.(?:gz|bz2|xz|zip))?$")  # server.log.3: rotated by size
_HOUR = timedelta(hours=1)


def rotation_gaps(coverage: Iterable[FileCoverage]) -> list[RotationGap]:
    """The gaps between rotated files of each log."""
    files = list(coverage)
    return [*_missing_numbers(files), *_missing_hours(files)]


def _missing_numbers(coverage: Iterable[FileCoverage]) -> Iterator[RotationGap]:
    """Files rotated by size with missing numbers between two others: server.log.1, server.log.3."""
    rotated = defaultdict(list)
    for file in coverage:
        if found := _ONE_FILE.search(file.source_file):
            rotated[file.node_id, file.source_file[: found.start()]].append((int(found[1]), file))
    for (node, log), files in rotated.items():
        for (number, later), (older_number, older) in pairwise(sorted(files, key=lambda file: file[0])):
            if older_number - number > 1:
                yield RotationGap(node, log, older.last_ts, later.first_ts, f"{log}.{number + 1}")


def _missing_hours(coverage: Iterable[FileCoverage]) -> Iterator[RotationGap]:
    """Logs that roll hourly and lack an hour between two others, while another log of the node has that hour."""
    rolled: dict[int, dict[str, list[tuple[datetime, FileCoverage]]]] = defaultdict(lambda: defaultdict(list))
    for file in coverage:
        hour = _hour_of(file.source_file)
        if file.node_id is not None and hour is not None:
            rolled[file.node_id][series(file.source_file)].append((hour, file))
    for node, logs in rolled.items():
        for log, files in logs.items():
            hours_of_others = sorted((hour, other) for other, own in logs.items() if other != log for hour, _ in own)
            for (hour, before), (next_hour, after) in pairwise(sorted(files, key=lambda file: file[0])):
                between = [later for later in hours_of_others if hour < later[0] < next_hour]
                if next_hour - hour > _HOUR and between:
                    missing, other = between[0]
                    name = f"{log}.{missing:%Y-%m-%d-%H}"
                    yield RotationGap(node, log, before.last_ts, after.first_ts, name, other)


def _hour_of(source_file: str) -> datetime | None:
    found = _ONE_HOUR.search(source_file)
    try:
        return datetime.strptime(found[1], "%Y-%m-%d-%H") if found else None
    except ValueError:  # the digits are not a date
        return None
