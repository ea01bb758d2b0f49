"""The partition states that the cluster itself kept: in its metadata log, in ZooKeeper's znodes, or in ZooKeeper's
transaction log. They are evidence beside the nodes' logs.

The metadata log holds every committed state, with the controller's clock; the fold follows `PartitionRegistration`
(constructor and `merge`), facts §1.9. A znode's version is the partition epoch (facts §1.1). Its times are whole seconds of
a ZooKeeper server's clock, later than the brokers' lines about the same state, so the brokers' times take precedence.
Sources: `TopicPartitionStateZNode`, ZooKeeper's `StatPrinter` and `TxnLogToolkit`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from replay.facts.groups import by_key
from replay.facts.lines import detail_number, kafka_lines
from replay.facts.metadata_log import DUMPED_RECORD, Committed
from replay.facts.times import plus_millis
from replay.facts.window import TimeWindow
from replay.reading.stamps import datetime_of, second_of
from replay.tables.partitions import KeptState, PartitionStateReport, ZookeeperState
from replay.tables.reading import Event

_WHOLE, _CHANGE = "PARTITION_RECORD", "PARTITION_CHANGE_RECORD"
_ZNODES = ("znode_path", "znode_state", "znode_stat", "zookeeper_command")
_WRITTEN = "zookeeper_state_written"
KINDS_OF_KEPT_STATES = (DUMPED_RECORD, "znode_state", _WRITTEN)
_WHOLE_SECOND_MS = 999  # a time without a fraction may be anywhere in its second
_JAVA_DATE = re.compile(r"\w{3} (\w{3} \d{1,2} [\d:]{8}) (\S+) (\d{4})", re.ASCII)


def kept_states(
    metadata_log: Sequence[Committed], zookeeper_states: Sequence[ZookeeperState]
) -> list[PartitionStateReport]:
    """The states in all of these places."""
    return [*_recorded(metadata_log), *zookeeper_states]


def _recorded(log: Sequence[Committed]) -> Iterator[KeptState]:
    """The state after each partition record of the metadata log."""
    names = {one.data.get("topicId"): one.data.get("name") for one in log if one.type == "TOPIC_RECORD"}
    changes = (one for one in log if one.type in (_WHOLE, _CHANGE))
    of_partitions = by_key(changes, lambda one: (one.data.get("topicId"), one.number("partitionId")))
    for (topic_id, partition), own in of_partitions.items():
        name = None if topic_id is None else names.get(topic_id)
        if name is not None and partition is not None:
            for state in _folded(own):
                yield KeptState(
                    topic=name, topic_id=topic_id, partition=partition, witness="record", born=True, **state
                )


def _folded(changes: Sequence[Committed]) -> Iterator[dict[str, Any]]:
    """The fields of the state after each record of one partition."""
    last: dict[str, Any] = dict.fromkeys(("leader_id", "isr", "replicas", "elr", "last_known_elr", "recovery"))
    first_epoch: int | None = None
    first_partition_epoch: int | None = None
    leaders = changed = 0
    for one in changes:
        is_whole = one.type == _WHOLE
        if is_whole:
            first_epoch, first_partition_epoch, leaders, changed = None, None, 0, 0
        leader = one.number("leader")
        is_written = leader is not None and leader != -2
        first_epoch = one.number("leaderEpoch") if first_epoch is None else first_epoch
        first_partition_epoch = one.number("partitionEpoch") if first_partition_epoch is None else first_partition_epoch
        leaders += is_written and not is_whole
        changed += not is_whole
        recovery = one.number("leaderRecoveryState")
        named = {
            "leader_id": leader if is_written else None,
            "isr": one.numbers("isr"),
            "replicas": one.numbers("replicas"),
            "elr": one.numbers("eligibleLeaderReplicas"),
            "last_known_elr": one.numbers("lastKnownElr", "lastKnownELR"),
            "recovery": 0 if recovery is None and is_whole else recovery,
        }
        last |= {name: value for name, value in named.items() if value is not None}
        yield {
            **{name: value for name, value in last.items() if name != "recovery"},
            "recovering": None if last["recovery"] is None else last["recovery"] == 1,
            "leader_epoch": None if first_epoch is None else first_epoch + leaders,
            "partition_epoch": None if first_partition_epoch is None else first_partition_epoch + changed,
            "ts": one.ts,
            "event_id": one.event_id,
        }


def zookeeper_states(node_events: Sequence[Event], window: TimeWindow) -> list[ZookeeperState]:
    """The states in the znodes of `get -s`, and those in ZooKeeper's transaction log. They do not show which of them began
    a leader epoch.
    """
    events = kafka_lines(window.events_by_end(node_events))
    found: list[ZookeeperState] = []
    for lines in by_key((one for one in events if one.kind in _ZNODES), lambda one: one.source_file).values():
        found += _held(sorted(lines, key=lambda one: one.line_number))
    for one in events:
        if one.kind == _WRITTEN and one.leader_epoch is not None:
            ts = plus_millis(one.ts, _WHOLE_SECOND_MS)
            found.append(_state_of(one, one.topic, one.partition, one.partition_epoch, ts))
    return found


def _state_of(
    line: Event, topic: str, partition: int, partition_epoch: int | None, ts: datetime | None
) -> ZookeeperState:
    return ZookeeperState(
        topic=topic,
        partition=partition,
        leader_epoch=line.leader_epoch,
        partition_epoch=partition_epoch,
        leader_id=line.leader_id,
        isr=line.isr,
        ts=ts,
        witness="znode",
        born=False,
        event_id=line.event_id,
    )


def _held(lines: Iterable[Event]) -> Iterator[ZookeeperState]:
    """The states of one file: the path is before a state, its stat after it."""
    path: tuple[str, int] | None = None
    state: tuple[Event, tuple[str, int] | None] | None = None
    stats: list[Event] = []

    def read() -> Iterator[ZookeeperState]:
        if state is not None and state[0].leader_epoch is not None and state[1] is not None:
            versions = [detail_number(one, "dataVersion") for one in stats]
            times = [written for one in stats if (written := (one.details or {}).get("mtime"))]
            version = max((number for number in versions if number is not None), default=None)
            modified = plus_millis(_java_date(max(times)) if times else None, _WHOLE_SECOND_MS)
            yield _state_of(state[0], *state[1], version, modified)

    for line in lines:
        if line.topic is not None or line.kind == "zookeeper_command":
            path = None if line.topic is None else (line.topic, line.partition)
        if line.kind != "znode_stat":
            yield from read()
            state, stats = None, []
        if line.kind == "znode_state":
            state = line, path
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
    except ValueError:
        return None
    return datetime_of(second_of(local.isoformat(" "), zone))
