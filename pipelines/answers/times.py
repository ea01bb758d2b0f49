"""Times as people type and read them: `07:32`, ISO 8601, in any zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pandas as pd

from replay.errors import InputError
from viz.zones import moved

_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6}))?)?")
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?")


def zone(name: str | None) -> tzinfo:
    """The time zone with this name: `Europe/Berlin`, `+09:00`, `local`; UTC for None. Raises InputError for an
    unknown one.
    """
    if name is None or name.upper() in ("UTC", "Z"):
        return UTC
    if name.lower() == "local":
        return _local()
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        sign, hours, minutes = offset.groups()
        ahead = timedelta(hours=int(hours), minutes=int(minutes or 0))
        if ahead < timedelta(hours=24):
            return timezone(ahead if sign == "+" else -ahead)
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise InputError(f"{name}: no such time zone; give one like Europe/Berlin, +09:00, local or UTC") from None


def iso(ts: pd.Timestamp | None) -> str | None:
    """A time for JSON, in UTC with milliseconds; None if it is unknown."""
    return None if ts is None or pd.isna(ts) else f"{ts.isoformat(timespec='milliseconds')}Z"


def _local() -> tzinfo:
    """The zone of this machine, with its daylight saving rules if the system has them."""
    try:
        with open("/etc/localtime", "rb") as rules:
            return ZoneInfo.from_file(rules, key="local")
    except (OSError, ValueError):
        return datetime.now().astimezone().tzinfo or UTC


def moment(text: str, here: tzinfo, recorded: tuple[pd.Timestamp, pd.Timestamp] | None) -> pd.Timestamp:
    """The time that `text` means, naive in UTC.

    A text without a zone is in the zone `here`. A time of day belongs to the day of the logs. Raises InputError for
    an invalid text, and for a time of day if the logs span several days.
    """
    clock = _CLOCK.fullmatch(text.strip())
    if clock is not None:
        return _of_day(text, clock, here, recorded)
    try:
        typed = datetime.fromisoformat(text.strip().replace(",", "."))
    except ValueError:
        raise InputError(
            f"{text}: not a time; give one like 07:32, 2026-11-21T05:37:40 or 2026-11-21T05:37:40+09:00"
        ) from None
    return _utc(typed if typed.tzinfo is not None else typed.replace(tzinfo=here))


def _of_day(
    text: str, clock: re.Match[str], here: tzinfo, recorded: tuple[pd.Timestamp, pd.Timestamp] | None
) -> pd.Timestamp:
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise InputError(f"{text}: not a time of day; give one like 07:32")
    if recorded is None:
        raise InputError(f"{text}: these files hold no time, so the day is not known; give a date too")
    first, last = (stamp.tz_localize("UTC").astimezone(here) for stamp in recorded)
    days = [first.date() + timedelta(days=n) for n in range((last.date() - first.date()).days + 1)]
    micros = int((clock[4] or "").ljust(6, "0"))
    meant = [_utc(datetime(day.year, day.month, day.day, hour, minute, second, micros, tzinfo=here)) for day in days]
    inside = [m for m in meant if recorded[0].floor("min") <= m <= recorded[1].ceil("min")]
    if len(inside) > 1:
        raise InputError(
            f"{text}: the logs span several days; give the date too, as {days[0].isoformat()}T{hour:02d}:{minute:02d}"
        )
    # A time before the first line or after the last is still on the day of the logs.
    return inside[0] if inside else meant[0]


def _utc(typed: datetime) -> pd.Timestamp:
    try:
        return pd.Timestamp(typed.astimezone(UTC).replace(tzinfo=None))
    except (OverflowError, ValueError):
        raise InputError(
            f"{typed.isoformat()}: no moment of the years 1 to 9999 in UTC; give a later or an earlier one"
        ) from None


class Clock:
    """Formats times in one zone."""

    def __init__(self, here: tzinfo = UTC) -> None:
        self.here = here

    def _in_zone(self, ts: pd.Timestamp) -> datetime:
        """A time in the zone; in UTC if the zone's time would be outside the years 1 to 9999."""
        utc: datetime = ts.tz_localize("UTC").to_pydatetime()
        try:
            return utc.astimezone(self.here)
        except OverflowError:
            return utc

    def stamp(self, ts: pd.Timestamp | None) -> str:
        """Date and time with milliseconds, followed by the offset if it is not UTC's."""
        if ts is None or pd.isna(ts):
            return "?"
        local = self._in_zone(ts)
        return f"{local:%Y-%m-%d %H:%M:%S}.{local.microsecond // 1000:03d}{self._offset(local)}"

    def time(self, ts: pd.Timestamp | None) -> str:
        """The time of day with milliseconds."""
        return "?" if ts is None or pd.isna(ts) else self.stamp(ts)[11:23]

    def iso(self, ts: pd.Timestamp | None) -> str:
        """ISO 8601 with milliseconds: `2026-11-21T05:37:40.001Z`."""
        if ts is None or pd.isna(ts):
            return "-"
        local = self._in_zone(ts)
        return f"{local:%Y-%m-%dT%H:%M:%S}.{local.microsecond // 1000:03d}{self._offset(local) or 'Z'}"

    def span(self, start: pd.Timestamp | None, end: pd.Timestamp | None) -> str:
        """Start and end as text, with the date only once if both are on one day."""
        if end is None or pd.isna(end):
            return f"from {self.stamp(start)}, still open as the logs end"
        one_day = start is not None and self.stamp(start)[:10] == self.stamp(end)[:10]
        return f"{self.stamp(start)} to {self.time(end) if one_day else self.stamp(end)}"

    def sentence(self, text: str, near: pd.Timestamp | None) -> str:
        """A text whose times are UTC with its times in the zone, by the zone's offset at `near`."""
        return moved(text, 0 if near is None or pd.isna(near) else self.minutes(near))

    def minutes(self, ts: pd.Timestamp) -> int:
        """How far the zone is ahead of UTC at a time."""
        ahead = self._in_zone(ts).utcoffset()
        return 0 if ahead is None else round(ahead.total_seconds() / 60)

    @property
    def name(self) -> str:
        """The name of the zone as printed next to a time."""
        return "UTC" if self.here is UTC else str(self.here)

    def _offset(self, local: datetime) -> str:
        text = local.strftime("%z")
        return "" if self.here is UTC else f"{text[:3]}:{text[3:5]}"


def check_inside(
    asked: str,
    since: pd.Timestamp | None,
    until: pd.Timestamp | None,
    recorded: tuple[pd.Timestamp, pd.Timestamp] | None,
    clock: Clock,
) -> None:
    """Raises InputError for a time that is wholly outside the logs: of it nothing is known."""
    if recorded is None:
        return
    first, last = recorded
    if (since is not None and since > last) or (until is not None and until < first):
        raise InputError(
            f"{asked}: outside these logs, which reach from {clock.stamp(first)} to {clock.stamp(last)} {clock.name}"
        )
