"""Transactions in the output of `kafka-dump-log --transaction-log-decoder`, and what became of their records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from replay.json_text import value_of_json

_OLD = re.compile(
    r"key: transaction_metadata::transactionalId=(?P<id>.{0,260}?) payload: producerId:(?P<producer>\d{1,19}),producerEpoch:-?\d{1,6},"
    r"state=(?P<state>\w{1,40}),partitions=\[(?P<partitions>[^\]:]*+)\],txnLastUpdateTimestamp=(?P<millis>\d{1,15})"
)
_NEW = re.compile(r'key: (\{"type":"0","data":\{"transactionalId":.{0,600}?\}\}) payload: \{')
_PARTITION = re.compile(r"([\w.-]{1,249})-(\d{1,9})")
_STATES = ("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead")
COMMITTED, ABORTED, OPEN = "committed", "aborted", "open"
_ENDS = {
    "PrepareCommit": COMMITTED,
    "CompleteCommit": COMMITTED,
    "PrepareAbort": ABORTED,
    "CompleteAbort": ABORTED,
}
Partition = tuple[str, int]


@dataclass(frozen=True)
class Transaction:
    """One transaction: its partitions, when it began and when its coordinator decided, and how."""

    transactional_id: str
    partitions: frozenset[Partition]
    first_millis: int
    last_millis: int  # of its last line: where it is complete, its end was written to all partitions by then
    ended: str  # COMMITTED, ABORTED or OPEN


@dataclass(frozen=True)
class _State:
    transactional_id: str
    state: str
    partitions: frozenset[Partition]
    millis: int


def is_transaction_log(line: str) -> bool:
    """Whether a line shows a state of a transaction."""
    return bool(_OLD.search(line) or _NEW.search(line))


def transactions(lines: Iterable[str]) -> Iterator[Transaction]:
    """The transactions of a dump, in the order in which their ends were written to all partitions; then the others."""
    begun: dict[str, Transaction] = {}
    for line in lines:
        one = _state(line)
        if one is None:
            continue
        before = begun.pop(one.transactional_id, None)
        if one.state == "Ongoing":
            first = one.millis if before is None or before.ended != OPEN else before.first_millis
            begun[one.transactional_id] = _with(one, first, one.partitions, OPEN)
        elif one.state in _ENDS:
            partitions = one.partitions if before is None else before.partitions | one.partitions
            now = _with(one, one.millis if before is None else before.first_millis, partitions, _ENDS[one.state])
            if one.state.startswith("Prepare"):
                begun[one.transactional_id] = now
            elif partitions:
                yield now
    yield from begun.values()


def _with(one: _State, first: int, partitions: frozenset[Partition], ended: str) -> Transaction:
    return Transaction(one.transactional_id, partitions, first, one.millis, ended)


def _state(line: str) -> _State | None:
    old = _OLD.search(line)
    if old is not None:
        named = (_PARTITION.fullmatch(text.strip()) for text in old["partitions"].split(","))
        partitions = frozenset((one[1], int(one[2])) for one in named if one is not None)
        return _State(old["id"], old["state"], partitions, int(old["millis"]))
    new = _NEW.search(line)
    if new is None:
        return None
    payload = line[new.end() - 1 : line.rfind("}") + 1]
    return _of_json(_data(value_of_json(new[1])), _data(value_of_json(payload)))


def _of_json(key: Mapping[str, Any], value: Mapping[str, Any]) -> _State | None:
    status, millis = value.get("transactionStatus"), value.get("transactionLastUpdateTimestampMs")
    if not isinstance(status, int) or not isinstance(millis, int) or not 0 <= status < len(_STATES):
        return None
    named = value.get("transactionPartitions")
    partitions = frozenset(
        (one["topic"], number)
        for one in (named if isinstance(named, list) else [])
        if isinstance(one, Mapping) and isinstance(one.get("topic"), str) and isinstance(one.get("partitionIds"), list)
        for number in one["partitionIds"]
        if isinstance(number, int)
    )
    return _State(str(key.get("transactionalId")), _STATES[status], partitions, millis)


def _data(value: Any) -> Mapping[str, Any]:
    data = value.get("data") if isinstance(value, Mapping) else None
    return data if isinstance(data, Mapping) else {}
