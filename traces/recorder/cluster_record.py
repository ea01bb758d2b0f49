"""The cluster's own record, as rows: partition states from its metadata log, high watermarks from DEBUG lines. No
analysis reads them.
"""

from __future__ import annotations

import calendar
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import Any, NamedTuple

Counts = Counter[tuple[str, int, int]]
"""How often a record can be read: its topic, partition and number."""


class State(NamedTuple):
    """One partition epoch of a partition; `elected_from`: where the new leader was just before (such as the ISR)."""

    topic: str
    partition: int
    partition_epoch: int
    leader_epoch: int
    leader_id: int
    isr: str
    replicas: str
    time_ms: int
    metadata_offset: int | str
    elected_from: str


class HighWatermark(NamedTuple):
    """One change of a replica's high watermark, from a line at DEBUG; not all releases print the previous one."""

    topic: str
    partition: int
    node_id: int
    time_ms: int
    previous_high_watermark: str
    high_watermark: int


_RECORD = re.compile(r"\| offset: (\d+) CreateTime: (\d+) .*?payload: (\{.*\})\s*$")
_LISTS = ("isr", "replicas", "eligibleLeaderReplicas", "lastKnownElr")


def states_of_dump(dump: str) -> Iterator[State]:
    """Folds the decoded metadata log: one row for each change of a partition."""
    names: dict[str, str] = {}
    now: dict[tuple[str, int], dict[str, Any]] = {}
    for found in filter(None, map(_RECORD.match, dump.splitlines())):
        record = json.loads(found[3])
        data, kind = record["data"], record["type"]
        if kind == "TOPIC_RECORD":
            names[data["topicId"]] = data["name"]
        if kind not in ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD"):
            continue
        key = (data["topicId"], data["partitionId"])
        before = now.get(key, {name: [] for name in _LISTS} | {"leader": -1, "leaderEpoch": 0, "partitionEpoch": -1})
        after = {**before, "partitionEpoch": before["partitionEpoch"] + 1}
        after |= {name: data[name] for name in _LISTS if data.get(name) is not None}
        elected_from = ""
        if kind == "PARTITION_RECORD":
            after |= {name: data[name] for name in ("leader", "leaderEpoch", "partitionEpoch")}
            elected_from = "isr"
        elif data.get("leader", -2) != -2:
            after |= {"leader": data["leader"], "leaderEpoch": before["leaderEpoch"] + 1}
            if 0 <= data["leader"] != before["leader"]:
                elected_from = _stood_in(data["leader"], before)
        now[key] = after
        epochs = (after["partitionEpoch"], after["leaderEpoch"], after["leader"])
        sets = (words(after["isr"]), words(after["replicas"]))
        yield State(names[key[0]], key[1], *epochs, *sets, int(found[2]), int(found[1]), elected_from)


def _stood_in(leader: int, before: dict[str, Any]) -> str:
    for name, members in (("isr", "isr"), ("elr", "eligibleLeaderReplicas"), ("last_known_leader", "lastKnownElr")):
        if leader in before[members]:
            return name
    return "any_replica"


def words(numbers: Iterable[int]) -> str:
    """Ids separated by spaces."""
    return " ".join(map(str, numbers))


_STAMP = re.compile(r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})\] DEBUG (.*)$")
_PARTITION = re.compile(r"\[Partition (?P<topic>.+)-(?P<partition>\d+) broker=(?P<node>\d+)\]")
_OLD_PARTITION = re.compile(
    r"Partition \[(?P<topic>.+),(?P<partition>\d+)\] on broker (?P<node>\d+): High watermark for partition"
)
_MOVED = re.compile(
    r"High watermark (?:for partition \S+ )?updated (?:from \(offset=(?P<before>\d+)[^)]*\) )?to (?:\(offset=|HW\(offset=)?(?P<after>\d+)"
)


def high_watermarks(lines: Iterable[str]) -> Iterator[HighWatermark]:
    """Changes of high watermarks in the DEBUG lines of a partition's leader."""
    for line in lines:
        stamp, moved = _STAMP.match(line), _MOVED.search(line)
        where = _PARTITION.search(line) or _OLD_PARTITION.search(line)
        if stamp and moved and where:
            at = calendar.timegm(time.strptime(stamp[1], "%Y-%m-%d %H:%M:%S")) * 1000 + int(stamp[2])
            place = (where["topic"], int(where["partition"]), int(where["node"]))
            yield HighWatermark(*place, at, moved["before"] or "", int(moved["after"]))


def compared(before: Counts, after: Counts, lost: Set[tuple[str, int, int]]) -> dict[str, int]:
    """How often the lost records can be read after a rescue, and which others it repeated or added."""
    times = Counter(min(after[one], 2) for one in lost)
    return {
        "lost": len(lost),
        "restored_once": times[1],
        "restored_more": times[2],
        "still_missing": times[0],
        "survivors_repeated": sum(after[one] > count for one, count in before.items()),
        "never_acknowledged": sum(one not in before and one not in lost for one in after),
    }
