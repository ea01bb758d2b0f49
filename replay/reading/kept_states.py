"""The partition states that the cluster itself kept, in plain Python: the same rows as `replay.reading.metadata_log` and
`replay.reading.znodes`, for a run without Spark.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from replay.facts.groups import by_key
from replay.facts.lines import detail_number
from replay.facts.times import plus_millis
from replay.json_text import value_of_json
from replay.tables.reading import Event

_BEGIN, _END, _ABORT = "BEGIN_TRANSACTION_RECORD", "END_TRANSACTION_RECORD", "ABORT_TRANSACTION_RECORD"
_TRANSACTION = (_BEGIN, _END, _ABORT)
_STATES = ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")
_WHOLE_SECOND_MS = 999  # a time without a fraction may be anywhere in its second
_JAVA_DATE = re.compile(r"\w{3} (\w{3} \d{1,2} [\d:]{8}) (\S+) (\d{4})", re.ASCII)


@dataclass(frozen=True)
class MetadataRecord:
    """One committed record of the metadata log."""

    offset: int
    type: str | None
    data: Mapping[str, Any]
    event: Event


@dataclass(frozen=True)
class KeptState:
    """One state of a partition that the cluster stored; None for what the source does not show."""

    topic: str
    topic_id: str | None
    partition: int | None
    leader_epoch: int | None
    partition_epoch: int | None
    leader_id: int | None
    isr: Sequence[int] | None
    ts: datetime | None
    event_id: str
    replicas: Sequence[int] | None = None
    elr: Sequence[int] | None = None
    last_known_elr: Sequence[int] | None = None
    recovering: bool | None = None


def metadata_records(events: Iterable[Event]) -> list[MetadataRecord]:
    """The committed records, each offset once, in the order of the log. Where dumps differ, the higher Raft epoch wins;
    records of a transaction that did not end are left out.
    """
    newest: dict[int | None, tuple[tuple[Any, ...], Event]] = {}
    files = by_key(
        (one for one in events if one.kind in ("dump_metadata_record", "dump_batch")), lambda one: one.source_file
    )
    for lines in files.values():
        epoch = None
        for line in sorted(lines, key=lambda one: one.line_number):
            if line.kind == "dump_batch":
                epoch = line.controller_epoch if line.controller_epoch is not None else epoch
                continue
            rank = (epoch is None, -(epoch or 0), line.event_id)
            offset = detail_number(line, "offset")
            if offset not in newest or rank < newest[offset][0]:
                newest[offset] = rank, line
    in_log = sorted(newest.items(), key=lambda item: (item[0] is not None, item[0] or 0))
    return list(_committed([_record(offset, line) for offset, (_, line) in in_log]))


def _record(offset: int | None, line: Event) -> MetadataRecord:
    payload = value_of_json(line.message or "")
    payload = payload if isinstance(payload, dict) else {}
    data = payload.get("data")
    return MetadataRecord(
        -1 if offset is None else offset, payload.get("type"), data if isinstance(data, dict) else {}, line
    )


def _committed(records: Sequence[MetadataRecord]) -> Iterator[MetadataRecord]:
    """The records outside of transactions, and those of transactions that ended."""
    ends: list[bool] = []
    following: str | None = None
    for one in reversed(records):
        ends.append(following == _END)
        following = one.type if one.type in _TRANSACTION else following
    mark: str | None = None
    for one, has_ended in zip(records, reversed(ends), strict=True):
        if one.type in _TRANSACTION or mark != _BEGIN or has_ended:
            yield one
        mark = one.type if one.type in _TRANSACTION else mark


def recorded_states(events: Iterable[Event]) -> Iterator[KeptState]:
    """The state after each partition record of the metadata log (`PartitionRegistration`, facts §1.9)."""
    records = metadata_records(events)
    names: dict[str | None, list[str]] = defaultdict(list)
    for one in records:
        if one.type == "TOPIC_RECORD":
            names[one.data.get("topicId")].append(one.data.get("name", ""))
    changes = (one for one in records if one.type in _STATES)
    of_partitions = by_key(changes, lambda one: (one.data.get("topicId"), _int(one.data, "partitionId")))
    for (topic_id, partition), own in of_partitions.items():
        for state in _folded(own):
            for name in names.get(topic_id, ()) if topic_id is not None else ():
                yield KeptState(topic=name, topic_id=topic_id, partition=partition, **state)


def _folded(changes: Sequence[MetadataRecord]) -> Iterator[dict[str, Any]]:
    """The fields of the state after each record of one partition."""
    last: dict[str, Any] = dict.fromkeys(("leader_id", "isr", "replicas", "elr", "last_known_elr", "recovery"))
    first_epoch: int | None = None
    first_partition_epoch: int | None = None
    leaders = changed = 0
    for one in changes:
        data, is_whole = one.data, one.type == "PARTITION_RECORD"
        if is_whole:
            first_epoch, first_partition_epoch, leaders, changed = None, None, 0, 0
        leader = _int(data, "leader")
        is_written = leader is not None and leader != -2
        first_epoch = _int(data, "leaderEpoch") if first_epoch is None else first_epoch
        first_partition_epoch = _int(data, "partitionEpoch") if first_partition_epoch is None else first_partition_epoch
        leaders += is_written and not is_whole
        changed += not is_whole
        recovery = _int(data, "leaderRecoveryState")
        named = {
            "leader_id": leader if is_written else None,
            "isr": data.get("isr"),
            "replicas": data.get("replicas"),
            "elr": data.get("eligibleLeaderReplicas"),
            "last_known_elr": data.get("lastKnownElr", data.get("lastKnownELR")),
            "recovery": 0 if recovery is None and is_whole else recovery,
        }
        last |= {name: value for name, value in named.items() if value is not None}
        yield {
            **{name: value for name, value in last.items() if name != "recovery"},
            "recovering": None if last["recovery"] is None else last["recovery"] == 1,
            "leader_epoch": None if first_epoch is None else first_epoch + leaders,
            "partition_epoch": None if first_partition_epoch is None else first_partition_epoch + changed,
            "ts": one.event.ts,
            "event_id": one.event.event_id,
        }


def _int(data: Mapping[str, Any], name: str) -> int | None:
    value = data.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def states_of_zookeeper(events: Sequence[Event]) -> Iterator[KeptState]:
    """The states in the znodes of `get -s`, and those in ZooKeeper's transaction log."""
    znodes = ("znode_path", "znode_state", "znode_stat", "zookeeper_command")
    for lines in by_key((one for one in events if one.kind in znodes), lambda one: one.source_file).values():
        yield from _held(sorted(lines, key=lambda one: one.line_number))
    for one in events:
        if one.kind == "zookeeper_state_written" and one.leader_epoch is not None:
            yield _state_of(one, one.topic, one.partition, one.partition_epoch, plus_millis(one.ts, _WHOLE_SECOND_MS))


def _state_of(
    line: Event, topic: str, partition: int | None, partition_epoch: int | None, ts: datetime | None
) -> KeptState:
    epoch, leader, isr = line.leader_epoch, line.leader_id, line.isr
    return KeptState(topic, None, partition, epoch, partition_epoch, leader, isr, ts, line.event_id)


def _held(lines: Iterable[Event]) -> Iterator[KeptState]:
    """The states of one file: the path is before a state, its stat after it."""
    path: tuple[str | None, int | None] | None = None
    state: tuple[Event, str | None, int | None] | None = None
    stats: list[Event] = []

    def read() -> Iterator[KeptState]:
        if state is not None and state[0].leader_epoch is not None and state[1] is not None:
            versions = [detail_number(one, "dataVersion") for one in stats]
            times = [written for one in stats if (written := (one.details or {}).get("mtime"))]
            version = max((number for number in versions if number is not None), default=None)
            modified = plus_millis(_java_date(max(times)) if times else None, _WHOLE_SECOND_MS)
            yield _state_of(state[0], state[1], state[2], version, modified)

    for line in lines:
        if line.topic is not None or line.kind == "zookeeper_command":
            path = line.topic, line.partition
        if line.kind != "znode_stat":
            yield from read()
            state, stats = None, []
        if line.kind == "znode_state":
            state = line, *(path or (None, None))
        stats.append(line)
    yield from read()


def _java_date(text: str) -> datetime | None:
    """The time that `java.util.Date` prints, `Mon May 06 10:00:00 UTC 2024`; None for another text."""
    found = _JAVA_DATE.fullmatch(text)
    if found is None:
        return None
    day, zone, year = found.groups()
    try:
        local = datetime.strptime(f"{day} {year}", "%b %d %H:%M:%S %Y")
        return local.replace(tzinfo=UTC if zone in ("UTC", "GMT", "Z") else ZoneInfo(zone)).astimezone(UTC)
    except (ValueError, KeyError, OSError):
        return None
