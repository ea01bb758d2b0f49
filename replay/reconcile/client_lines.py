"""Lines of consumers and producers that carry offsets or counts: Kafka's Java clients and librdkafka."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)[.,](\d{3})")
_RD_STAMP = re.compile(r"%\d\|(\d{9,10})\.(\d{3})\|")
_CLIENT = re.compile(r"(?:Consumer|Producer) (?:instanceId=\S+ )?clientId=([^,\]]+)")
_GROUP = re.compile(r"groupId=([^,\]]+)")
_RD_CLIENT = re.compile(r"(?<![\w.-])([\w.-]{1,255})#(?:consumer|producer)-\d+")
_POSITION = (
    r"(?:FetchPosition\{offset=(?P<{0}>\d+), offsetEpoch=Optional(?:\[(?P<{0}_epoch>\d+)\]|\.empty)|(?P<{0}_bare>\d+))"
)


def _at(name: str) -> str:
    return _POSITION.replace("{0}", name)


_TRUNCATED = re.compile(
    rf"Truncation detected for partition (?P<tp>\S{{1,260}}-\d{{1,9}}) at offset {_at('old')}.{{0,400}}?(?:diverge {_at('new')})?(?:, current|$|\}}\}} \()"
)
_DIVERGES = re.compile(r"first offset known to diverge FetchPosition\{offset=(\d+)")
_OUT_OF_RANGE = re.compile(
    rf"Fetch (?:position|offset) {_at('old')}.{{0,400}}? is out of range for partition (?P<tp>\S{{1,260}}-\d{{1,9}})"
)
_RESET = re.compile(rf"Resetting offset for partition (?P<tp>\S+-\d+) to (?:position|offset) {_at('new')}")
_RD_RESET = re.compile(
    r"(?<![\w.-])(?P<topic>[\w.-]{1,249}) \[(?P<partition>\d{1,9})\]: offset reset \(at offset (?P<old>\d+)(?: \(leader epoch (?P<old_epoch>-?\d+)\))?, broker (?P<broker>-?\d+)\) "
    r"to (?:offset )?(?P<new>BEGINNING|END|\d+)"
)
_EXPIRED = re.compile(r"Expiring (?P<count>\d+) record\(s\) for (?P<tp>\S+-\d+)")
_REJECTED = re.compile(
    r"(?:Got error produce response with correlation id \d+ on topic-partition (?P<a>\S{1,260}-\d{1,9}), (?:retrying|splitting).{0,400}?Error: (?P<a_error>\w+)"
    r"|Received invalid metadata error in produce request on partition (?P<b>\S{1,260}-\d{1,9}) due to (?P<b_error>[\w.]+))"
)
_RD_TIMED_OUT = re.compile(
    r"(?<![\w.-])(?P<topic>[\w.-]{1,249}) \[(?P<partition>\d{1,9})\]: (?P<count>\d+) message\(s\) timed out"
)
_PARTITION = re.compile(r"(.+)-(\d+)")
TRUNCATED, OUT_OF_RANGE, RESET = "truncation_detected", "out_of_range", "reset"
EXPIRED, REJECTED = "expired", "rejected"


@dataclass(frozen=True)
class ClientLine:
    """What one line of a client states about a partition."""

    kind: str
    client: str
    group: str | None
    topic: str
    partition: int
    micros: int | None
    offset: int | None = None  # its position before
    leader_epoch: int | None = None  # of that position
    new_offset: int | None = None  # its position after, or where the logs diverge
    reset_to: str | None = None  # BEGINNING or END
    count: int = 1
    error: str | None = None


def client_lines(lines: Iterable[str]) -> Iterator[ClientLine]:
    """The lines that carry offsets or counts, in their order."""
    for line in lines:
        found = _of_line(line)
        if found is not None:
            yield found


def is_client_log(line: str) -> bool:
    """Whether a client of Kafka wrote this line."""
    return bool(_CLIENT.search(line) or (_RD_CLIENT.search(line) and "[thrd:" in line))


def _of_line(line: str) -> ClientLine | None:
    if (found := _TRUNCATED.search(line)) is not None:
        diverges = _DIVERGES.search(line)
        return _line(TRUNCATED, line, found["tp"], found, new_offset=None if diverges is None else int(diverges[1]))
    if (found := _OUT_OF_RANGE.search(line)) is not None:
        return _line(OUT_OF_RANGE, line, found["tp"], found)
    if (found := _RESET.search(line)) is not None:
        return _line(RESET, line, found["tp"], None, new_offset=int(found["new"] or found["new_bare"]))
    if (found := _RD_RESET.search(line)) is not None:
        return _of_librdkafka(line, found)
    if (found := _EXPIRED.search(line)) is not None:
        return _line(EXPIRED, line, found["tp"], None, count=int(found["count"]))
    if (found := _REJECTED.search(line)) is not None:
        error = (found["a_error"] or found["b_error"].rpartition(".")[2]).removesuffix("Exception")
        return _line(REJECTED, line, found["a"] or found["b"], None, error=error)
    if (found := _RD_TIMED_OUT.search(line)) is not None:
        return _line(EXPIRED, line, f"{found['topic']}-{found['partition']}", None, count=int(found["count"]))
    return None


def _of_librdkafka(line: str, found: re.Match[str]) -> ClientLine | None:
    new = found["new"]
    one = _line(
        OUT_OF_RANGE,
        line,
        f"{found['topic']}-{found['partition']}",
        None,
        new_offset=int(new) if new.isdigit() else None,
        reset_to=None if new.isdigit() else new,
    )
    epoch = found["old_epoch"]
    values = {
        **one.__dict__,
        "offset": int(found["old"]),
        "leader_epoch": int(epoch) if epoch and int(epoch) >= 0 else None,
    }
    return ClientLine(**values)


def _line(kind: str, line: str, partition: str, found: re.Match[str] | None, **values: Any) -> ClientLine:
    name = _PARTITION.fullmatch(partition)
    client = _CLIENT.search(line) or _RD_CLIENT.search(line)
    group = _GROUP.search(line)
    if found is not None:
        old, epoch = found["old"] or found["old_bare"], found["old_epoch"]
        values |= {"offset": int(old), "leader_epoch": None if epoch is None else int(epoch)}
    return ClientLine(
        kind,
        "" if client is None else client[1],
        None if group is None else group[1],
        partition if name is None else name[1],
        -1 if name is None else int(name[2]),
        _micros(line),
        **values,
    )


def _micros(line: str) -> int | None:
    stamp = _RD_STAMP.search(line)
    if stamp is not None:
        return int(stamp[1]) * 1_000_000 + int(stamp[2]) * 1_000
    stamp = _STAMP.search(line[:120])
    if stamp is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{stamp[1]}T{stamp[2]}.{stamp[3]}").replace(tzinfo=UTC)
    except ValueError:
        return None
    return round(moment.timestamp() * 1_000_000)
