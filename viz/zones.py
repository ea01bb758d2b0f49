"""Times of a text in another zone. All texts have their times in UTC; one offset moves all times of a text, and its name
replaces "UTC", so a text never mixes two zones. `report.js` does the same with a page.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_TIME = re.compile(
    r"`[^`\n]*+`"  # commands stay as they are, as does what ends with Z
    r"|(?P<day>\d{4}-\d\d-\d\d)(?P<gap>[ T])(?P<of_day>[0-2]\d:[0-5]\d(?::[0-5]\d)?)(?![.:\d]*Z)(?P<fraction>\.\d+)?"
    r"|(?<![\w:.-])(?P<clock>[0-2]\d:[0-5]\d:[0-5]\d)(?![\d:])"
    r"|\bUTC\b"
)
_BLOCK = "```"  # around log lines, which stay as they are
_ANY_DAY = "2000-01-02"


def name_of(minutes: int) -> str:
    """The name of an offset: `UTC+01:00`."""
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d}" if minutes else "UTC"


def moved(text: str, minutes: int) -> str:
    """The text with its times `minutes` ahead of UTC, and the name of the offset."""
    if not minutes:
        return text
    parts = text.split(_BLOCK)
    parts[::2] = [_TIME.sub(lambda found: _moved(found, minutes), part) for part in parts[::2]]
    return _BLOCK.join(parts)


def _moved(found: re.Match[str], minutes: int) -> str:
    if found["clock"] is not None:
        return _at(_ANY_DAY, found["clock"], minutes)[1]
    if found["day"] is not None:
        day, clock = _at(found["day"], found["of_day"], minutes)
        return f"{day}{found['gap']}{clock}{found['fraction'] or ''}"
    return name_of(minutes) if found[0] == "UTC" else found[0]


def _at(day: str, clock: str, minutes: int) -> tuple[str, str]:
    try:
        then = datetime.fromisoformat(f"{day}T{clock}") + timedelta(minutes=minutes)
    except (ValueError, OverflowError):
        return day, clock  # no time of the calendar
    return f"{then:%Y-%m-%d}", f"{then:%H:%M:%S}"[: len(clock)]
