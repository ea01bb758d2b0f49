"""Positions of consumer groups in the output of `kafka-consumer-groups --describe` and of
`kafka-dump-log --offsets-decoder`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from replay.json_text import value_of_json

DESCRIBED, DECODED = "kafka-consumer-groups", "kafka-dump-log --offsets-decoder"
_HEADER = re.compile(r"\s*GROUP\s+TOPIC\s+PARTITION\s+(?:CURRENT-OFFSET|START-OFFSET)\b")
_ROW = re.compile(r"(\S+)\s+(\S+)\s+(\d+)\s+(\d+|-)(?:\s+(\d+|-))?(?:\s|$)")
_TIME = re.compile(r"CreateTime: (\d+)")
_OLD_KEY = re.compile(
    r"key: offset_commit::group=(?P<group>.{0,260}?),partition=(?P<topic>[\w.-]{1,249})-(?P<partition>\d{1,9}) payload: (?P<rest>.*)"
)
_OFFSET = re.compile(r"offset=(\d+)")
_NEW_KEY = re.compile(r"^[^{]{0,400}key: (\{.{0,2000}?\}\}) payload: (\{.*\})")


@dataclass(frozen=True)
class Position:
    """One committed offset of a group: everything before it was read."""

    group: str
    topic: str
    partition: int
    offset: int
    millis: int | None = None  # when it was committed
    leader_epoch: int | None = None  # of the last record before it
    log_end_offset: int | None = None
    is_share_group: bool = False


def form_of_groups(line: str) -> str | None:
    """The form of a file with positions of groups, from one of its lines."""
    if _HEADER.match(line):
        return DESCRIBED
    return (
        DECODED
        if "key: offset_commit::" in line or re.search(r'key: \{"type":"[01]","data":\{"group":', line)
        else None
    )


def described(lines: Iterable[str]) -> Iterator[Position]:
    """The positions in the output of `kafka-consumer-groups --describe`, or `kafka-share-groups --describe`."""
    is_share = False
    for line in lines:
        if _HEADER.match(line):
            is_share = "START-OFFSET" in line
            continue
        row = _ROW.match(line.strip())
        if row is not None and row[4] != "-":
            end = None if is_share or row[5] in (None, "-") else int(row[5])
            yield Position(row[1], row[2], int(row[3]), int(row[4]), log_end_offset=end, is_share_group=is_share)


def decoded(lines: Iterable[str]) -> Iterator[Position]:
    """The commits in a dump of `__consumer_offsets`, in the order of the log."""
    for line in lines:
        time = _TIME.search(line)
        millis = None if time is None else int(time[1])
        old = _OLD_KEY.search(line)
        if old is not None:
            offset = _OFFSET.search(old["rest"])
            if offset is not None:
                yield Position(old["group"], old["topic"], int(old["partition"]), int(offset[1]), millis)
            continue
        new = _NEW_KEY.search(line)
        if new is not None:
            yield from _of_json(value_of_json(new[1]), value_of_json(new[2]), millis)


def _of_json(key: Any, value: Any, millis: int | None) -> Iterator[Position]:
    data, committed = _data(key), _data(value)
    if (
        isinstance(data.get("partition"), int)
        and isinstance(committed.get("offset"), int)
        and isinstance(data.get("topic"), str)
    ):
        epoch, stamp = committed.get("leaderEpoch"), committed.get("commitTimestamp")
        yield Position(
            str(data.get("group")),
            data["topic"],
            data["partition"],
            committed["offset"],
            stamp if isinstance(stamp, int) and stamp > 0 else millis,
            epoch if isinstance(epoch, int) and epoch >= 0 else None,
        )


def _data(value: Any) -> Mapping[str, Any]:
    data = value.get("data") if isinstance(value, Mapping) else None
    return data if isinstance(data, Mapping) else {}
