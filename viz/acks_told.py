"""What a producer received at each moment, by its acks setting: derived from the times in which a partition accepted
writes or did not.

Brokers acknowledge acks=1 once the leader has written the batch, acks=all once every member of the ISR has it, and
acks=0 never. An acknowledged record can be lost later: see the ledger of losses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pandas as pd

from viz import phrases as words

KINDS = (("zero", "zero_state"), ("one", "one_state"), ("all", "all_state"))
_STORED_ONE = "acknowledged, once the leader has written it"
_STORED_ALL = "acknowledged, once all members of the ISR have it"
_ACKS_0 = "nothing: the producer does not wait for an acknowledgement"
_NOT_KNOWN = "not known"
_ONCE_AWAKE = "the leader writes it only after it wakes up, if its socket had received it"
_NO_ACKNOWLEDGEMENT = "no acknowledgement: no answer, or an error"
# What a client receives while a partition is certainly unavailable for its writes, by the reason
# (`availability.reason`).
_CLOSED: Mapping[str, str] = {
    "no_leader": "no leader is known: the client waits and retries",
    "leader_dead": "the connection to the leader is refused or broken: the client retries",
    "leader_frozen": "no answer until the client's request timeout, then it retries; a leader that wakes up before its connections close executes what they had received",
    "log_dir_offline": "an error: the leader's log directory is offline; the client retries",
    "disk_full": "an error: the leader cannot write; the client retries",
    "below_min_isr": "NOT_ENOUGH_REPLICAS (or …_AFTER_APPEND): the ISR is smaller than min.insync.replicas; the client retries",
    "waiting_for_isr_member": "no answer yet: the leader waits for a member of the ISR that does not fetch, until that member fetches again or leaves the ISR, or the request times out",
    "isr_member_backs_off": "no answer yet: a member of the ISR had an error and waits replica.fetch.backoff.ms before it fetches again",
    "waiting_for_dropped_replica": "no answer yet: the leader still waits for a replica that has left the ISR, up to replica.lag.time.max.ms after that replica last caught up",
    "leader_deposed": "an error: the broker is no longer the leader; the client requests new metadata and retries",
}
# What a client may have received instead of an acknowledgement, by the reason for which a partition may have been unavailable.
_NO_ANSWER = frozenset(
    {
        "no_leader",
        "leader_dead",
        "leader_frozen",
        "leader_silent",
        "waiting_for_isr_member",
        "isr_member_backs_off",
        "waiting_for_dropped_replica",
        "waiting_for_next_write",
    }
)
_REJECTED = ("an error", "NOT_ENOUGH_REPLICAS")  # beginnings of the answers that are errors
DROPPED = "dropped"  # the state of writes if some of them may have been truncated later


@dataclass(frozen=True)
class ProducerAnswers:
    """What producers of a partition received in [start, end), by acks, and the state that this follows from."""

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

    def refusal(self, kind: str) -> str:
        """The result of a write of this kind that was not accepted: rejected with an error, or no answer."""
        answer = getattr(self, kind)
        if kind == "zero":
            return "not yet written" if answer.endswith(_ONCE_AWAKE) else "not written"
        if answer == _NO_ACKNOWLEDGEMENT:
            return "not accepted"
        return "rejected" if answer.startswith(_REJECTED) else "no answer"

    @property
    def was_refused(self) -> bool:
        """Whether the partition refused some or all of the writes."""
        return (self.one_state, self.all_state) != ("open", "open")

    @property
    def is_unknown(self) -> bool:
        """Whether the logs show of no kind of producer what it received."""
        return {self.one_state, self.all_state} == {"unknown"} and all(
            answer.startswith("not known") for answer in (self.one, self.all)
        )


def answer_spans(availability: Iterable[Any], losses: Iterable[Any]) -> list[ProducerAnswers]:
    """The times of each partition in order, split whenever the answer to one of the producers changes, or at the
    bounds of records that a leader accepted and that were truncated later.

    Both arguments hold rows of the tables; availability for acks=1 also applies to acks=0, which needs only the
    leader too.
    """
    spans: dict[tuple[str, int], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for row in availability:
        spans[row.topic, row.partition][row.acks or "all"].append(row)
    dropped: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for loss in filter(_was_dropped, losses):
        dropped[loss.topic, loss.partition].append(loss)
    return [
        answers
        for topic, partition in sorted({*spans, *dropped})
        for answers in _joined(_of_partition(topic, partition, spans[topic, partition], dropped[topic, partition]))
    ]


def _of_partition(
    topic: str, partition: int, kinds: Mapping[str, Sequence[Any]], dropped: Sequence[Any]
) -> Iterator[ProducerAnswers]:
    """What producers of one partition received, from one change to the next."""
    rows = [row for some in kinds.values() for row in some]
    moments = {time for row in rows for time in (row.start_ts, row.end_ts) if time is not None}
    for loss in dropped:
        moments |= {loss.written_low, loss.written_high}
        if loss.ts is not None and loss.written_low < loss.ts < loss.written_high:
            moments.add(loss.ts)
    edges: list[pd.Timestamp | None] = [*sorted(moments), *([None] if any(row.end_ts is None for row in rows) else [])]
    for start, end in pairwise(edges):
        if start is None:
            continue
        one, every = (_at(kinds.get(kind, ()), start) for kind in ("1", "all"))
        lost = next((loss for loss in dropped if loss.written_low <= start < loss.written_high), None)
        if one is None and every is None and lost is None:
            continue
        answers = ProducerAnswers(
            topic,
            partition,
            start,
            end,
            _zero(one),
            _answer(one, _STORED_ONE),
            _answer(every, _STORED_ALL),
            _state(one),
            _state(one),
            _state(every),
            tuple(dict.fromkeys(e for row in (one, every) if row is not None for e in row.evidence)),
        )
        yield answers if lost is None else _with_dropped(answers, lost)


def _joined(spans: Iterable[ProducerAnswers]) -> list[ProducerAnswers]:
    """Consecutive times with the same answers, merged."""
    found: list[ProducerAnswers] = []
    for answers in spans:
        if found and found[-1].end == answers.start and _same(found[-1], answers):
            found[-1] = replace(found[-1], end=answers.end)
        else:
            found.append(answers)
    return found


def _was_dropped(loss: Any) -> bool:
    """Whether a leader accepted writes, in a time with known bounds, that not all in-sync replicas held and that
    were truncated later. Other writes of this time stayed.
    """
    return (
        (loss.loss_class, loss.verdict) == ("acked_possible", "POSSIBLE_LOSS")
        and None not in (loss.written_low, loss.written_high)
        and loss.to_offset_high != loss.from_offset
    )


def _with_dropped(answers: ProducerAnswers, loss: Any) -> ProducerAnswers:
    """The answers for a time in which records may have been written that were truncated later. If certainly no leader
    writes in that time, the answers stay as they are. A frozen leader writes after it wakes up what clients sent meanwhile.
    """
    if answers.one_state == "closed" and not answers.zero.endswith(_ONCE_AWAKE):
        return answers
    cut = f"records that only {_holders(loss, answers.start)} had were truncated later (see Losses), perhaps some of this time"
    return replace(
        answers,
        zero=f"{answers.zero}; {cut}",
        one=f"{answers.one}{_acknowledging_leaders(answers, loss)}; but {cut}",
        all=f"{answers.all}; {cut}; those were never acknowledged",
        zero_state=DROPPED,
        one_state=DROPPED,
        all_state=DROPPED,
        evidence=tuple(dict.fromkeys((*answers.evidence, *loss.evidence))),
    )


def _holders(loss: Any, since: pd.Timestamp) -> str:
    """Who held records of a time that were truncated later: the former leader, and perhaps the replicas that truncated some of
    the range later than that time began.
    """
    cut_by, cut_times = loss.cut_by or (), loss.cut_times or ()
    whole = zip(cut_by, cut_times, strict=True) if len(cut_by) == len(cut_times) else ((one, None) for one in cut_by)
    late = (broker for broker, ts in whole if ts is None or pd.Timestamp(ts).replace(tzinfo=None) > since)
    others = {*late} - {loss.old_leader_id}
    perhaps = f", and perhaps {words.brokers(others)}," if others else ""
    return f"{words.brokers([loss.old_leader_id])}{perhaps}"


def _acknowledging_leaders(answers: ProducerAnswers, loss: Any) -> str:
    """Which brokers acknowledge acks=1 after another leader is elected, each with its condition. The tables do not show
    when the new leader takes its role, or when the old one runs.
    """
    old, new = loss.old_leader_id, loss.new_leader_id
    is_after = loss.ts is not None and answers.start >= loss.ts
    if not is_after or new in (None, old) or answers.one_state != "open":
        return ""
    return f": broker {new} only after it took its role, broker {old} only while it ran and still considered itself the leader"


def _same(one: ProducerAnswers, other: ProducerAnswers) -> bool:
    return all(getattr(one, name) == getattr(other, name) for pair in KINDS for name in pair)


def _at(rows: Sequence[Any], ts: pd.Timestamp) -> Any | None:
    return next((r for r in rows if r.start_ts <= ts and (r.end_ts is None or r.end_ts > ts)), None)


def _state(row: Any | None) -> str:
    return "unknown" if row is None else str(row.state)


def _answer(row: Any | None, stored: str) -> str:
    if row is None:
        return _NOT_KNOWN
    if row.state == "open":
        return stored
    return (
        _CLOSED.get(row.reason, _NO_ACKNOWLEDGEMENT)
        if row.state == "closed"
        else f"{_NOT_KNOWN}: acknowledged or {_instead(row.reason)}"
    )


def _instead(reason: str | None) -> str:
    """What a client may have received instead of an acknowledgement. Only a small ISR certainly means a rejection."""
    if reason == "below_min_isr":
        return "rejected"
    return "no answer" if reason in _NO_ANSWER else "not"


def _zero(row: Any | None) -> str:
    kept = {"open": "the leader writes it", "closed": "the leader does not write it"}.get(
        _state(row), "whether the leader writes it is unknown"
    )
    if row is not None and (row.state, row.reason) == ("closed", "leader_frozen"):
        kept = _ONCE_AWAKE
    return f"{_ACKS_0}; {kept}"
