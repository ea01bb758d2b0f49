"""Records and batches in the output of Kafka's own tools and of kcat, one line at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from replay.json_text import value_of_json

_CONSOLE = re.compile(
    r"(?P<kind>CreateTime|LogAppendTime|NO_TIMESTAMP):?(?P<ts>-?\d+)?\t(?:.*?\t)??Partition:(?P<partition>\d+)\tOffset:(?P<offset>\d+)"
    r"(?:\tDelivery:\S+)?(?:\tEpoch:(?P<epoch>\d+|NOT_PRESENT))?"
)
_CONSOLE_BARE = re.compile(
    r"Partition:(?P<partition>\d+)\tOffset:(?P<offset>\d+)(?:\tEpoch:(?P<epoch>\d+|NOT_PRESENT))?"
)
_DUMPED_FILE = re.compile(r"Dumping (?:\S*[/\\])?(?P<topic>[\w.-]+)-(?P<partition>\d+)[/\\]\d+\.(?:log|index)")
_BATCH = re.compile(r"baseOffset: (\d+) lastOffset: (\d+) count: (-?\d+) .*?position: ")
_OLD_BATCH = re.compile(r"offset: (\d+) position: \d+ (?:\w+: )?")
_FIELD = re.compile(r"(?<!\w)(\w+): (\S+)")


@dataclass(frozen=True)
class KeptRecord:
    """One record, or one batch of records, that a line shows."""

    topic: str | None
    partition: int
    offset: int
    last_offset: int | None = None  # of a batch
    leader_epoch: int | None = None
    millis: int | None = None
    time_is: str | None = None  # `acknowledged`, `created`, `appended` (by the broker) or None
    producer_id: int | None = None
    producer_epoch: int | None = None
    sequence: int | None = None
    key: str | None = None
    is_control: bool | None = None


COLUMNS = tuple(field.name for field in fields(KeptRecord))
_TIME_IS = {"CreateTime": "created", "LogAppendTime": "appended"}


def form_of(line: str) -> str | None:
    """The form of a file, from its first line that is not empty; None if no tool of Kafka prints it."""
    if line.startswith("{"):
        return _json_form(value_of_json(line))
    if _DUMPED_FILE.match(line):
        return "kafka-dump-log"
    if _CONSOLE.match(line) or _CONSOLE_BARE.match(line):
        return "kafka-console-consumer"
    return None


def _json_form(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    if ("name" in value and "timestamp" in value and "offset" not in value) or value.get("name") in _VERIFIABLE:
        return "kafka-verifiable-producer" if value.get("name") in _OF_PRODUCER else "kafka-verifiable"
    if {"topic", "partition", "offset", "tstype"} <= set(value):
        return "kcat -J"
    if "offsets" in value and isinstance(value["offsets"], list):
        return "connect-offsets"
    return "jsonl"


_OF_PRODUCER = ("producer_send_success", "producer_send_error", "tool_data")
_VERIFIABLE = (
    *_OF_PRODUCER,
    "startup_complete",
    "shutdown_complete",
    "record_data",
    "records_consumed",
    "partitions_assigned",
    "partitions_revoked",
    "offsets_committed",
)


def of_console(line: str) -> KeptRecord | None:
    """A record of `kafka-console-consumer` with print.partition and print.offset; None for any other line."""
    found = _CONSOLE.match(line)
    if found is not None:
        return KeptRecord(
            None,
            int(found["partition"]),
            int(found["offset"]),
            leader_epoch=_int(found["epoch"]),
            millis=_int(found["ts"]),
            time_is=_TIME_IS.get(found["kind"]),
        )
    found = _CONSOLE_BARE.match(line)
    if found is None:
        return None
    return KeptRecord(None, int(found["partition"]), int(found["offset"]), leader_epoch=_int(found["epoch"]))


def of_json(line: str) -> KeptRecord | None:
    """A record of `kafka-verifiable-producer`, `kafka-verifiable-consumer --verbose` or `kcat -J`; None for any other
    line.
    """
    value = value_of_json(line)
    if not isinstance(value, Mapping) or not isinstance(value.get("topic"), str):
        return None
    partition, offset = _int(value.get("partition")), _int(value.get("offset"))
    if partition is None or offset is None:
        return None
    if "tstype" in value:
        kind = {"create": "created", "logappend": "appended"}.get(str(value["tstype"]))
        return KeptRecord(
            value["topic"],
            partition,
            offset,
            leader_epoch=_int(value.get("leader_epoch")),
            millis=_int(value.get("ts")),
            time_is=kind,
        )
    name = value.get("name")
    if name == "producer_send_success":
        return KeptRecord(
            value["topic"], partition, offset, millis=_int(value.get("timestamp")), time_is="acknowledged"
        )
    if name == "record_data":
        return KeptRecord(value["topic"], partition, offset)
    return None


def of_dump(lines: Iterable[str]) -> Iterator[KeptRecord]:
    """The batches in the text of `kafka-dump-log --files` of data segments, without payload."""
    topic, partition = None, -1
    for line in lines:
        file = _DUMPED_FILE.match(line)
        if file is not None:
            topic, partition = file["topic"], int(file["partition"])
            continue
        batch = _BATCH.match(line)
        if batch is not None and topic is not None:
            yield _batch(topic, partition, line)
        elif topic is not None and (old := _OLD_BATCH.match(line)) is not None:
            values = dict(_FIELD.findall(line))
            yield KeptRecord(topic, partition, int(old[1]), **_time(values))


def _batch(topic: str, partition: int, line: str) -> KeptRecord:
    values = dict(_FIELD.findall(line))
    return KeptRecord(
        topic,
        partition,
        int(values["baseOffset"]),
        last_offset=int(values["lastOffset"]),
        leader_epoch=_known(values.get("partitionLeaderEpoch")),
        producer_id=_known(values.get("producerId")),
        producer_epoch=_known(values.get("producerEpoch")),
        sequence=_known(values.get("baseSequence")),
        is_control=values.get("isControl") == "true",
        **_time(values),
    )


def _time(values: Mapping[str, str]) -> dict[str, Any]:
    for name, kind in _TIME_IS.items():
        if name in values:
            return {"millis": _known(values[name]), "time_is": kind}
    return {}


def _known(text: str | None) -> int | None:
    value = _int(text)
    return None if value is None or value < 0 else value


def _int(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 1 << 63 else None
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value.strip()) and abs(int(value)) < 1 << 63:
        return int(value)
    return None
