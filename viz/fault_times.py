"""When a fault certainly lasted, and when it may have: both ends of a fault can be known only between bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd


class Range(NamedTuple):
    """A time in which a fault lasted, certainly or perhaps."""

    start: pd.Timestamp
    end: pd.Timestamp
    is_certain: bool


class FaultTimes(NamedTuple):
    """A fault certainly lasted from `start` to `end`, if that is later; it lasted within `may_start` and `may_end`."""

    start: pd.Timestamp
    end: pd.Timestamp | None  # None: it lasts
    may_start: pd.Timestamp | None = None  # None: no earlier than `start`
    may_end: pd.Timestamp | None = None  # None: no later than `end`
    is_open: bool = False  # no line shows its end, though nothing shows that it lasts after `end`

    @property
    def first(self) -> pd.Timestamp:
        """Its earliest possible begin."""
        return self.start if self.may_start is None else min(self.may_start, self.start)

    @property
    def is_exact(self) -> bool:
        """Both ends are known, or it lasts as the logs end."""
        return self.first == self.start and not self.is_open and self.may_end in (None, self.end)

    def ranges(self, logs_end: pd.Timestamp | None) -> list[Range]:
        """The time in which it may have lasted, if that is longer than the certain one, then the certain one, if any."""
        end = self.end or logs_end or self.start
        latest = logs_end if self.is_open else self.may_end
        may = Range(self.first, end if latest is None else max(latest, end), False)
        is_exact = (may.start, may.end) == (self.start, end)
        return [*([] if is_exact else [may]), *([Range(self.start, end, True)] if is_exact or self.start < end else [])]


def fault_times(f: Any) -> FaultTimes:
    """The times of a finding. Without bounds it lasted from its first to its last line."""
    start = f.start_ts if f.began_high is None else f.began_high
    end = f.end_ts if f.ended_low is None else f.ended_low
    if end is not None and end < start:  # it may have ended before it certainly had begun
        return FaultTimes(start, start, min(f.began_low or end, end), f.ended_high)
    return FaultTimes(start, end, f.began_low, f.ended_high, end is not None and (f.ended_high or f.end_ts) is None)
