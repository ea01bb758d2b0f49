"""Times and durations in plain Python: times are `datetime` in UTC, durations milliseconds. Functions return None
for None.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TypeVar, overload

T = TypeVar("T")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CLOCKS_DIFFER_MS = (
    2_000  # corrected clocks of two nodes may differ by this: of two lines nearer to each other either may be the first
)
CLOCKS_AT_MOST_MS = 5_000  # and by no more than this: rules that need the certain order of two lines rely on it


def unix_micros(ts: datetime) -> int:
    """Microseconds since 1970."""
    since = ts - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def unix_millis(ts: datetime) -> int:
    """Whole milliseconds since 1970, rounded down."""
    return unix_micros(ts) // 1_000


def millis(later: datetime | None, earlier: datetime | None) -> int | None:
    """`later` − `earlier` in whole milliseconds; None if one of them is unknown."""
    return None if later is None or earlier is None else unix_millis(later) - unix_millis(earlier)


@overload
def plus_millis(ts: datetime, amount: float) -> datetime: ...
@overload
def plus_millis(ts: datetime | None, amount: float | None) -> datetime | None: ...
def plus_millis(ts: datetime | None, amount: float | None) -> datetime | None:
    """`ts` moved by `amount` milliseconds; None if one of them is unknown."""
    return None if ts is None or amount is None else ts + timedelta(microseconds=int(amount * 1_000))


def in_whole_seconds(ts: datetime | None) -> datetime | None:
    """`ts` rounded up to the second, for sentences of the form "by 10:00:07"."""
    return None if ts is None else (ts + timedelta(microseconds=999_999)).replace(microsecond=0)


def iso_stamp(ts: datetime | None) -> str | None:
    """A time as text, `2024-05-01T10:00:07.250Z`."""
    return None if ts is None else f"{ts.isoformat(timespec='milliseconds')[:23]}Z"


def least(*values: T | None) -> T | None:
    """The least known value; None without one."""
    found = [value for value in values if value is not None]
    return min(found) if found else None  # type: ignore[type-var]


def greatest(*values: T | None) -> T | None:
    """The greatest known value; None without one."""
    found = [value for value in values if value is not None]
    return max(found) if found else None  # type: ignore[type-var]


def first_known(*values: T | None) -> T | None:
    """The first known value; None without one."""
    for value in values:
        if value is not None:
            return value
    return None


def known(values: Iterable[T | None]) -> list[T]:
    """The values that are known."""
    return [value for value in values if value is not None]
