"""The names of time zones, as users and nodes write them."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

from replay.errors import InputError

HOUR_MS = 3_600_000

# Abbreviations that mean one offset only, in minutes, as `Date.toString` writes them into meta.properties.
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


def zone_named(text: str) -> str:
    """A time zone as Spark takes it: `UTC`, `+09:00` or a name of the IANA database; raises InputError for anything
    else.
    """
    said = text.strip()
    if said.upper() in ("Z", "UTC", "GMT"):
        return "UTC"
    offset = re.fullmatch(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?", said)
    if offset and int(offset[2]) <= 18 and int(offset[3] or 0) < 60:
        return f"{offset[1]}{int(offset[2]):02d}:{offset[3] or '00'}"
    try:
        return ZoneInfo(said).key
    except (KeyError, ValueError, OSError):
        raise InputError(
            f"{text}: no such time zone; give an offset like +09:00 or a name like Europe/Berlin"
        ) from None
