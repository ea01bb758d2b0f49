"""What Kafka's own tools printed about partitions: offsets, commits of groups, leaders and ISRs, each as of its
time.

The output of `kafka-consumer-groups`, `kafka-get-offsets`, `kafka-log-dirs` and `kafka-topics` does not name the
cluster. Its contents show whether it can be from the cluster and the time of the logs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from replay.facts.groups import by_key
from replay.facts.lines import detail, detail_number, kafka_lines
from replay.facts.order import less
from replay.facts.times import greatest, least
from replay.facts.window import TimeWindow
from replay.json_text import value_of_json
from replay.tables import DESCRIBED_PARTITIONS, TOLD_OFFSETS
from replay.tables.questions import (
    ContradictedFile,
    DescribedPartition,
    LoggedTopic,
    StatedOffset,
    StatedPartition,
    StatedTopicId,
    ToolOffset,
)
from replay.tables.reading import Event

_OF_GROUP, _GIVEN, _LOG_DIRS = "described_group_offset", "described_offset", "described_log_dirs"
_PARTITION = re.compile(r"(.+)-(\d+)")
_LATER = timedelta(hours=1)  # operators use the tools during an incident or soon after
_BY_TOOLS = "described_"
_STATE_HIGH_WATERMARK = ("leader_start", "isr_shrink", "hw_updated", "follower_start")

# What the tools printed and what the logs show about it, from the lines of each node.


def stated_offsets(node_events: Sequence[Event], window: TimeWindow) -> Iterator[StatedOffset]:
    """All offsets that a tool printed.

    Only the file's name shows which offset `kafka-get-offsets` was asked for (`earliest`). Its default is the
    latest, which for any client is the high watermark.
    """
    for line in kafka_lines(window.events_by_end(node_events)):
        if line.kind == _LOG_DIRS:
            yield from _of_log_dirs(line)
        elif line.topic is not None and line.partition is not None:
            if line.kind == _OF_GROUP:
                tool = "kafka-consumer-groups"
                yield from _stated(line, tool, "committed", detail_number(line, "committed"), "group")
                yield from _stated(line, tool, "high_watermark", line.high_watermark)
            elif line.kind == _GIVEN:
                what = "log_start_offset" if _is_earliest(line) else "high_watermark"
                yield from _stated(line, "kafka-get-offsets", what, detail_number(line, "offset"))


def _is_earliest(line: Event) -> bool:
    return "earliest" in (line.source_file or "").lower()


def _stated(line: Event, tool: str, what: str, value: int | None, group: str | None = None) -> Iterator[StatedOffset]:
    if value is not None:
        yield StatedOffset(
            topic=line.topic,
            partition=line.partition,
            ts=line.ts,
            tool=tool,
            what=what,
            value=value,
            group=None if group is None else detail(line, group),
            evidence=[line.event_id],
            source_file=line.source_file,
        )


def _of_log_dirs(line: Event) -> Iterator[StatedOffset]:
    """The sizes and offset lags of all brokers' replicas in one line of JSON."""
    for broker, replica in _replicas(line.message or ""):
        name = _PARTITION.fullmatch(str(replica.get("partition") or ""))
        if name and not replica.get("isFuture"):
            for what, value in (("size", replica.get("size")), ("offset_lag", replica.get("offsetLag"))):
                if isinstance(value, int):
                    yield StatedOffset(
                        topic=name[1],
                        partition=int(name[2]),
                        ts=line.ts,
                        tool="kafka-log-dirs",
                        what=what,
                        value=value,
                        node_id=broker,
                        evidence=[line.event_id],
                        source_file=line.source_file,
                    )


def _replicas(message: str) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The replicas in a line of JSON, each with its broker; none if the line is truncated."""
    read = value_of_json(message)
    for broker in _dicts(read.get("brokers") if isinstance(read, dict) else None):
        number = broker.get("broker")
        for log_dir in _dicts(broker.get("logDirs")):
            for replica in _dicts(log_dir.get("partitions")):
                yield number if isinstance(number, int) else None, replica


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def stated_partitions(node_events: Sequence[Event], window: TimeWindow) -> Iterator[StatedPartition]:
    """All partitions that `kafka-topics --describe` printed."""
    for line in kafka_lines(window.events_by_end(node_events)):
        if line.kind == "described_partition" and line.topic is not None:
            isr = line.isr or ()
            yield StatedPartition(
                topic=line.topic,
                partition=line.partition,
                ts=line.ts,
                leader_id=line.leader_id,
                preferred_id=line.replicas[0] if line.replicas else None,
                replicas=line.replicas,
                isr=line.isr,
                out_of_isr=None if line.replicas is None else sorted(set(line.replicas) - set(isr)),
                evidence=[line.event_id],
                source_file=line.source_file,
            )


def stated_topic_ids(node_events: Sequence[Event], window: TimeWindow) -> Iterator[StatedTopicId]:
    """All topic ids that `kafka-topics --describe` printed."""
    for line in kafka_lines(window.events_by_end(node_events)):
        if line.kind == "described_topic" and line.topic is not None and line.topic_id is not None:
            yield StatedTopicId(topic=line.topic, topic_id=line.topic_id, source_file=line.source_file)


def logged_topics(node_events: Sequence[Event], window: TimeWindow) -> list[LoggedTopic]:
    """The topics that the node's logs name, with their ids, and a row without a topic for the time that its lines
    cover.
    """
    ids: dict[str, set[str]] = defaultdict(set)
    times: list[datetime] = []
    for line in kafka_lines(window.events_by_end(node_events)):
        if line.topic is not None and not line.kind.startswith(_BY_TOOLS):
            ids[line.topic].update(() if line.topic_id is None else (line.topic_id,))
        if line.level is not None and line.ts is not None:
            times.append(line.ts)
    topics = [LoggedTopic(topic=topic, topic_ids=sorted(own)) for topic, own in ids.items()]
    return [*topics, LoggedTopic(first_ts=min(times), last_ts=max(times))] if times else topics


def all_logged_topics(logged_topics: Iterable[LoggedTopic]) -> list[LoggedTopic]:
    """The logged topics of several nodes, merged by topic."""
    of_topic = by_key(logged_topics, lambda one: one.topic)
    return [
        LoggedTopic(
            topic=topic,
            topic_ids=sorted({id_ for one in own for id_ in one.topic_ids or ()}),
            first_ts=least(*(one.first_ts for one in own)),
            last_ts=greatest(*(one.last_ts for one in own)),
        )
        for topic, own in of_topic.items()
    ]


# Which files contradict the logs, from the lines of each partition.


def contradicted_files(partition_events: Sequence[Event]) -> list[ContradictedFile]:
    """The tools' output files that state a lower high watermark than a replica's own earlier line."""
    stated = [
        (line, offset)
        for line in partition_events
        if line.kind in (_OF_GROUP, _GIVEN) and line.ts is not None and (offset := _stated_offset(line)) is not None
    ]
    if not stated:
        return []
    reached = [
        line
        for line in partition_events
        if line.kind in _STATE_HIGH_WATERMARK
        and line.level is not None
        and line.ts is not None
        and line.high_watermark is not None
    ]
    files = {
        line.source_file
        for line, offset in stated
        if any(one.ts <= line.ts and offset < one.high_watermark for one in reached)
    }
    return [ContradictedFile(source_file=file) for file in sorted(files)]


def _stated_offset(line: Event) -> int | None:
    if line.kind == _OF_GROUP:
        offset: int | None = line.high_watermark
        return offset
    return None if _is_earliest(line) else detail_number(line, "offset")


def all_contradicted_files(contradicted_files: Iterable[ContradictedFile]) -> list[ContradictedFile]:
    """The contradicted files of several partitions, without duplicates."""
    return [ContradictedFile(source_file=file) for file in sorted({one.source_file for one in contradicted_files})]


# The tables; each row has the reason for ignoring its file, if any.


def told_offsets(
    stated_offsets: Sequence[StatedOffset],
    logged_topics: Sequence[LoggedTopic],
    contradicted_files: Iterable[ContradictedFile],
) -> list[ToolOffset]:
    """All offsets that a tool printed, each with the reason for ignoring it, if any."""
    judge = _Judge(logged_topics, {one.source_file for one in contradicted_files})
    why = judge.files(stated_offsets)
    names = [name for name in TOLD_OFFSETS.schema.names if name != "set_aside"]
    return [
        ToolOffset(**{name: getattr(one, name) for name in names}, set_aside=why[one.source_file])
        for one in stated_offsets
    ]


def described_partitions(
    stated_partitions: Sequence[StatedPartition],
    stated_topic_ids: Iterable[StatedTopicId],
    logged_topics: Sequence[LoggedTopic],
) -> list[DescribedPartition]:
    """All partitions that `kafka-topics --describe` printed, each with the reason for ignoring it, if any.

    A file that gives a topic another id than all lines of the logs is from another cluster or another time.
    """
    ids = {one.topic: set(one.topic_ids or ()) for one in logged_topics}
    wrong = {one.source_file for one in stated_topic_ids if ids.get(one.topic) and one.topic_id not in ids[one.topic]}
    why = _Judge(logged_topics, wrong).files(stated_partitions)
    names = [name for name in DESCRIBED_PARTITIONS.schema.names if name != "set_aside"]
    return [
        DescribedPartition(**{name: getattr(one, name) for name in names}, set_aside=why[one.source_file])
        for one in stated_partitions
    ]


@dataclass(slots=True)
class _File:
    shares_topic: bool = False
    first_ts: datetime | None = None


class _Judge:
    """Decides which tools' files are from the cluster and the time of the logs. The logs contradict the files in
    `contradicted`.
    """

    def __init__(self, logged_topics: Iterable[LoggedTopic], contradicted: set[str]) -> None:
        logged = list(logged_topics)
        self._topics = {one.topic for one in logged if one.topic is not None}
        self._time = next((one for one in logged if one.topic is None), None)
        self._contradicted = contradicted

    def files(self, stated: Iterable[StatedOffset | StatedPartition]) -> dict[str, str | None]:
        """The reason for ignoring each file; None for a credible one."""
        files: dict[str, _File] = defaultdict(_File)
        for one in stated:
            file = files[one.source_file]
            file.shares_topic = file.shares_topic or one.topic in self._topics
            file.first_ts = least(file.first_ts, one.ts)
        return {name: self._why(name, file) for name, file in files.items()}

    def _why(self, name: str, file: _File) -> str | None:
        logs = self._time
        if logs is not None and not file.shares_topic:
            return "other_cluster"
        if logs is not None and (less(file.first_ts, logs.first_ts) or less(logs.last_ts + _LATER, file.first_ts)):
            return "other_time"
        return "contradicted" if name in self._contradicted else None
