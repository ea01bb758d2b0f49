"""The names of time zones, as users and nodes write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

from replay.errors import InputError
from replay.facts.times import unix_micros

HOUR_MS = 3_600_000
_WEST_MS, _EAST_MS = -12 * HOUR_MS, 14 * HOUR_MS
_ROUGHLY_MS = HOUR_MS / 2  # a line may print a time that is this much older than its timestamp

# Unambiguous abbreviations and their offsets in minutes, as `Date.toString` writes them into meta.properties.
ABBREVIATIONS = {
    "UTC": 0,
    "GMT": 0,
    "WET": 0,
    "CET": 60,
    "CEST": 120,
    "EET": 120,
    "EEST": 180,
    "MSK": 180,
    "JST": 540,
    "KST": 540,
    "EST": -300,
    "EDT": -240,
    "CDT": -300,
    "MDT": -360,
    "MST": -420,
    "PDT": -420,
    "PST": -480,
}


def is_zone(offset_ms: float) -> bool:
    """Whether an offset from UTC can be that of a time zone: none lies outside -12:00 to +14:00."""
    return _WEST_MS - _ROUGHLY_MS <= offset_ms <= _EAST_MS + _ROUGHLY_MS


def zone_named(text: str) -> str:
    """A time zone in its normal form: `UTC`, `+09:00` or a name of the IANA database. Raises InputError for anything
    else.
    """
    name = text.strip()
    if name.upper() in ("Z", "UTC", "GMT"):
        return "UTC"
    offset = re.fullmatch(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?", name)
    if offset and int(offset[2]) <= 18 and int(offset[3] or 0) < 60:
        return f"{offset[1]}{int(offset[2]):02d}:{offset[3] or '00'}"
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        raise InputError(
            f"{text}: no such time zone; give an offset like +09:00 or a name like Europe/Berlin"
        ) from None


@cache
def _zone(name: str) -> tzinfo:
    offset = re.fullmatch(r"([+-])(\d\d):(\d\d)", name)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    return UTC if name == "UTC" else ZoneInfo(name)


def local_micros(local: datetime, zone: str) -> int:
    """A timestamp of a zone's clock (written as if it were UTC) as microseconds since 1970. If the local time occurs
    twice, the first one counts.
    """
    return unix_micros(local.replace(tzinfo=_zone(zone)).astimezone(UTC))


def same_local_time(local: datetime | None, zone: str | None) -> bool:
    """Whether the local time occurs twice in the zone, because its clocks are set back; false if the zone is
    unknown.
    """
    if local is None or zone is None or isinstance(_zone(zone), timezone):
        return False
    later = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=local_micros(local, zone) + HOUR_MS * 1_000)
    return later.astimezone(_zone(zone)).replace(tzinfo=UTC, fold=0) == local.replace(fold=0)
