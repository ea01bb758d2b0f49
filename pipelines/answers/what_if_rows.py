"""Shared parts of the answers of `what-if`: the row of an answer, and functions that read the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from pipelines.answers.times import iso
from replay.errors import InputError
from replay.facts.groups import by_key

Tables = Mapping[str, pd.DataFrame]
Partition = tuple[str, int]
SAME = "load, faults and their times stay as they were"
MOST_LINES = 8


@dataclass(frozen=True)
class WhatIf:
    """One thing that would have been different: a row of the table `what_ifs`."""

    setting: str
    value: str
    topic: str
    partition: int
    effect: str
    start_ts: pd.Timestamp | None
    end_ts: pd.Timestamp | None
    from_offset: int | None
    to_offset: int | None
    told: str
    assumptions: tuple[str, ...]
    evidence: tuple[str, ...]

    def row(self) -> dict[str, Any]:
        """The row, times as ISO text in UTC."""
        stamps = {name: iso(getattr(self, name)) for name in ("start_ts", "end_ts")}
        lists = {name: list(getattr(self, name)) for name in ("assumptions", "evidence")}
        offsets = {name: whole(getattr(self, name)) for name in ("partition", "from_offset", "to_offset")}
        return asdict(self) | stamps | lists | offsets


def by_partition(frame: pd.DataFrame) -> dict[Partition, list[Any]]:
    """The rows of each partition."""
    return by_key(rows(frame), lambda row: (row.topic, row.partition))


def later(one: pd.Timestamp | None, other: pd.Timestamp) -> bool:
    """Whether `one` is known and after `other`."""
    return one is not None and one > other


_LONGEST = 19  # digits of a number of 64 bits


def number(name: str, value: str) -> int:
    """A setting's value as a whole number of at least 1. Raises InputError for any other value."""
    if not value.isdecimal() or len(value) > _LONGEST or not 1 <= int(value) < 1 << 63:
        raise InputError(f"{name}={value[:40]}: give a whole number from 1 on, of 64 bits at most")
    return int(value)


def whole(value: float | None) -> int | None:
    """A whole number that a frame with nulls may store as a float."""
    return None if value is None else int(value)


def millis(ts: pd.Timestamp) -> int:
    """Milliseconds since the epoch."""
    return int(ts.value) // 1_000_000


def clock(ts: pd.Timestamp) -> str:
    """The time of day, to the millisecond."""
    return str(ts.strftime("%H:%M:%S.%f"))[:-3]
