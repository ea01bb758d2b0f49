"""What a producer was told at each moment, by its acks: from the times in which a partition took writes or did not.

Brokers answer acks=1 once the leader has written the batch, acks=all once every member of the ISR has it, and acks=0
never. What was answered “stored” can be lost later: the ledger of losses tells that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd

KINDS = (("zero", "zero_state"), ("one", "one_state"), ("all", "all_state"))
_STORED_ONE = "“stored”, once the leader has written it"
_STORED_ALL = "“stored”, once all members of the ISR have it"
_UNTOLD = "nothing: it does not wait for an answer"
_NOT_KNOWN = "not known"
# What a client meets while a partition surely takes none of its writes, by the reason (`availability.reason`).
_CLOSED: Mapping[str, str] = {
    "no_leader": "no leader is named: the client waits and retries",
    "leader_dead": "the connection to the leader is refused or broken: the client retries",
    "leader_frozen": "no answer: the client's own request timeout ends it, then it retries",
    "log_dir_offline": "an error: the leader's log directory is offline; the client retries",
    "disk_full": "an error: the leader cannot write; the client retries",
    "below_min_isr": "NOT_ENOUGH_REPLICAS (or …_AFTER_APPEND): the ISR is smaller than min.insync.replicas; the client retries",
    "waiting_for_isr_member": "no answer yet: it waits for a member of the ISR that does not fetch, until that one leaves the ISR or the request times out",
    "isr_member_backs_off": "no answer yet: a member of the ISR met an error and lets replica.fetch.backoff.ms pass before it fetches again",
    "waiting_for_dropped_replica": "no answer yet: its leader still waits for a replica that has left the ISR, for replica.lag.time.max.ms after that last caught up",
    "leader_deposed": "an error: it is no longer the leader; the client asks who is, and retries",
}


@dataclass(frozen=True)
class Told:
    """What producers of a partition were told in [start, end), by acks; with the state that this rests on."""

    topic: str
    partition: int
    start: pd.Timestamp
    end: pd.Timestamp | None
    zero: str
    one: str
    all: str
    zero_state: str
    one_state: str
    all_state: str
    evidence: tuple[str, ...]

    @property
    def is_worth_telling(self) -> bool:
        """Not all of them were plainly taken."""
        return (self.one_state, self.all_state) != ("open", "open")


def told_spans(availability: Iterable[Any]) -> list[Told]:
    """The times of each partition in order, cut where what one of them is told changes.

    `availability` are rows of the table: those of acks=1 tell of acks=0 too, which needs the leader alone as well.
    """
    spans: dict[tuple[str, int], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for row in availability:
        spans[row.topic, row.partition][row.acks or "all"].append(row)
    found: list[Told] = []
    for (topic, partition), kinds in sorted(spans.items()):
        moments = sorted({t for rows in kinds.values() for r in rows for t in (r.start_ts, r.end_ts) if t is not None})
        is_open = any(r.end_ts is None for rows in kinds.values() for r in rows)
        edges: list[pd.Timestamp | None] = [*moments, *([None] if is_open else [])]
        own: list[Told] = []
        for start, end in pairwise(edges):
            if start is None:
                continue
            one, every = (_at(kinds.get(kind, ()), start) for kind in ("1", "all"))
            if one is None and every is None:
                continue
            told = Told(
                topic,
                partition,
                start,
                end,
                _zero(one),
                _said(one, _STORED_ONE),
                _said(every, _STORED_ALL),
                _state(one),
                _state(one),
                _state(every),
                tuple(dict.fromkeys(e for row in (one, every) if row is not None for e in row.evidence)),
            )
            before = own[-1] if own else None
            if before is not None and before.end == start and _same(before, told):
                own[-1] = Told(**{**before.__dict__, "end": end})
            else:
                own.append(told)
        found += own
    return found


def _same(one: Told, other: Told) -> bool:
    return all(getattr(one, name) == getattr(other, name) for pair in KINDS for name in pair)


def _at(rows: Sequence[Any], ts: pd.Timestamp) -> Any | None:
    return next((r for r in rows if r.start_ts <= ts and (r.end_ts is None or r.end_ts > ts)), None)


def _state(row: Any | None) -> str:
    return "unknown" if row is None else str(row.state)


def _said(row: Any | None, stored: str) -> str:
    if row is None:
        return _NOT_KNOWN
    if row.state == "open":
        return stored
    return (
        _CLOSED.get(row.reason, "no answer, or an error")
        if row.state == "closed"
        else f"{_NOT_KNOWN}: perhaps stored, perhaps an error"
    )


def _zero(row: Any | None) -> str:
    kept = {"open": "the leader writes it", "closed": "it is not stored"}.get(
        _state(row), "whether it is stored is not known"
    )
    return f"{_UNTOLD}; {kept}"
