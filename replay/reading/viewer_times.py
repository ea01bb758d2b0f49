"""The times that a log viewer or a collector prints before each row of a paste, before those of a stack trace too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from replay.reading.stamps import datetime_of, micros_of

_ISO = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?"
_AMERICAN = r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}),? (?P<hour>\d{1,2}):(?P<rest>\d\d:\d\d(?:\.\d{1,6})?) (?P<half>[AP]M)"
_HEAD = re.compile(rf"(?:{_ISO}|{_AMERICAN})(?: ?\|)?(?: |$)")
# Only a viewer prints a time before a frame: a program prints it once, before its message.
_IN_A_TRACE = re.compile(
    rf"(?:{_ISO}|{_AMERICAN})(?: ?\|)?[ \t]{{1,20}}(?:at {{1,4}}[\w.$<>/`@-]{{3,300}}\(|Caused by: |\.\.\. \d{{1,5}} (?:more|common)|(?:[A-Za-z_][\w$]{{0,60}}\.){{1,12}}[A-Z]\w{{0,80}}(?:Exception|Error)(?::|\s*$))"
)
_FRAME = re.compile(r"\s{0,8}at {1,4}\S")
_THROWN = re.compile(r"(?:[A-Za-z_][\w$]{0,60}\.){1,12}[A-Z]\w{0,80}(?:Exception|Error): \S")
_OF_AMERICA = re.compile(_AMERICAN)


def without_viewers_times(rows: Sequence[str]) -> list[str]:
    """The rows without the times before them, if such times also stand before the rows of a stack trace."""
    if not any(map(_IN_A_TRACE.match, rows)):
        return list(rows)
    bare = [_HEAD.sub("", row, count=1) if _HEAD.match(row) else row for row in rows]
    # Newest first, an exception stands below its frames: it begins a record.
    below = {at for at, (above, row) in enumerate(pairwise(bare), 1) if _FRAME.match(above) and _THROWN.match(row)}
    return [f"ERROR {row}" if at in below else row for at, row in enumerate(bare)]


def american_moment(row: str) -> datetime | None:
    """The time at the beginning of a row, month first and with AM or PM; None for another row."""
    found = _OF_AMERICA.match(row)
    if found is None or not (1 <= int(found["month"]) <= 12 and 1 <= int(found["day"]) <= 31):
        return None
    hour = int(found["hour"]) % 12 + (12 if found["half"] == "PM" else 0)
    date = f"{found['year']}-{int(found['month']):02}-{int(found['day']):02}"
    rest = found["rest"] if "." in found["rest"] else f"{found['rest']}.0"
    return datetime_of(micros_of(f"{date} {hour:02}:{rest}"))
