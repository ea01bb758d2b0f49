"""Timestamps of lines as microseconds since 1970, UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

_SECOND = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})[ T](\d{1,2}):(\d{1,2}):(\d{1,2})")
_STAMP = re.compile(rf"({_SECOND.pattern})(?:\.(\d*))?")
_EPOCH = re.compile(r"\d{9,}")
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d\d))?")
# Names of daylight saving time and similar ones whose time zone Java knows.
_HOURS_AHEAD = {"CEST": 2, "EEST": 3, "WEST": 1, "MSK": 3, "KST": 9, "EDT": -4, "CDT": -5, "MDT": -6, "PDT": -7}
_BEGIN = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LEAP = 60  # the second after 23:59:59 UTC, which a zone shows at the end of a quarter of an hour
_FARTHEST = timedelta(hours=14)  # from UTC: a zone farther away is no zone
_FIRST = (datetime(1678, 1, 1, tzinfo=UTC) - _BEGIN) // _MICROSECOND
_LAST = (datetime(2262, 1, 1, tzinfo=UTC) - _BEGIN) // _MICROSECOND

# Java's short zone names that the IANA database lacks, or defines otherwise (`ZoneId.SHORT_IDS`).
_SHORT_NAMES = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}


def micros_of(stamp: str, zone: str | None = None) -> int | None:
    """The microseconds of `yyyy-MM-dd HH:mm:ss.fraction`, or of seconds or milliseconds since 1970, in the time zone
    `zone` (UTC by default). None for an invalid time.
    """
    found = _STAMP.fullmatch(stamp.strip())
    if found is None:
        return _since_1970(stamp)
    second = second_of(found[1], zone or None)
    return None if second is None else second + int((found[8] or "0")[:6].ljust(6, "0"))


@lru_cache(maxsize=4_096)
def second_of(text: str, zone: str | None = None) -> int | None:
    """`yyyy-MM-dd HH:mm:ss` as microseconds; None for an invalid time, and for years before 1678 or after 2261. A leap
    second is the second after it. Cached, because most lines have the same second as the line before.
    """
    found = _SECOND.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = map(int, found.groups())
    is_leap = second == _LEAP and minute % 15 == 14
    try:
        local = datetime(year, month, day, hour, minute, second - is_leap) + timedelta(seconds=is_leap)
        instant = local.replace(tzinfo=UTC) if zone is None else _instant(local, zone)
    except (ValueError, OverflowError, KeyError, OSError):
        return None
    return in_range((instant - _BEGIN) // _MICROSECOND)


def in_range(micros: int) -> int | None:
    """A time within the range of every tool (nanoseconds since 1970 in 64 bits: the years 1678 to 2261), else None."""
    return micros if _FIRST <= micros < _LAST else None


def datetime_of(micros: int | None) -> datetime | None:
    """The time in UTC; None if `micros` is None or the year is one that Python does not support."""
    try:
        return None if micros is None else _BEGIN + timedelta(microseconds=micros)
    except OverflowError:
        return None


def micros_at(time: datetime | None) -> int | None:
    """A time as microseconds."""
    return None if time is None else (time - _BEGIN) // _MICROSECOND


def millis_of(text: str | None) -> int | None:
    """Milliseconds since 1970 as microseconds; None for None."""
    millis = None if text is None else int(text)
    return in_range(millis * 1_000) if millis is not None and 0 < millis < 1 << 53 else None


def _instant(local: datetime, zone: str) -> datetime:
    zone = zone.strip()
    if zone in ("Z", "UTC", "GMT", "UT"):
        return local.replace(tzinfo=UTC)
    if zone in _HOURS_AHEAD:
        return local.replace(tzinfo=UTC) - timedelta(hours=_HOURS_AHEAD[zone])
    offset = _OFFSET.fullmatch(zone)
    if offset is None:
        return local.replace(tzinfo=ZoneInfo(_SHORT_NAMES.get(zone, zone))).astimezone(UTC)
    sign, hours, minutes = offset.groups()
    if int(minutes or 0) > 59 or (ahead := timedelta(hours=int(hours), minutes=int(minutes or 0))) > _FARTHEST:
        raise ValueError(f"{zone} is no time zone")
    return local.replace(tzinfo=UTC) - (ahead if sign == "+" else -ahead)


def _since_1970(stamp: str) -> int | None:
    whole, _, fraction = stamp.partition(".")
    if _EPOCH.fullmatch(whole) is None or len(whole) > 18:
        return None
    number = int(whole)
    if number >= 100_000_000_000:  # milliseconds
        return in_range(number * 1_000 + int((fraction if fraction.isdecimal() else "0")[:3].ljust(3, "0")))
    return in_range(number * 1_000_000 + int((fraction if fraction.isdecimal() else "0")[:6].ljust(6, "0")))
