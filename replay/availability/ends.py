"""What ended the times in which a partition took no writes, where a line shows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, pairwise

from replay.availability.reasons import OPEN
from replay.availability.words import FOLLOWS, LEADERS_LINES, since
from replay.facts.times import known
from replay.tables.availability import BrokerStatement, NodeOutage, ServiceSpan, Tenure
from replay.tables.partitions import IsrSpan

LEADER_ELECTED, LEADER_BACK = "leader_elected", "leader_back"
ISR_SHRANK, ISR_GREW, MEMBER_BACK, FAULT_ENDED = "isr_shrank", "isr_grew", "member_back", "fault_ended"
TOPIC_DELETED = "topic_deleted"


@dataclass(frozen=True)
class End:
    """What happened to a partition at one time, and the lines that show it."""

    by: str
    evidence: Sequence[str]


def with_ends(
    available: Iterable[ServiceSpan],
    tenures: Sequence[Tenure],
    words: Sequence[BrokerStatement],
    isr_spans: Sequence[IsrSpan],
    outages_of_fault: Mapping[str, Sequence[NodeOutage]],
    deletions: Collection[datetime] = (),
) -> Iterator[ServiceSpan]:
    """The rows. Those in which writes were not taken, or may not have been, have the event at their end.

    The deletion of the topic ends every wait; `deletions`: when topics of this name were deleted. If no line about the partition has that time, it may be the end of the fault, as the lines of the broker show it.
    """
    ends: Mapping[datetime, End] | None = None
    for row in available:
        if row.state == OPEN or row.end_ts is None:
            yield row
            continue
        if row.end_ts in deletions:
            yield row.but(ended_by=TOPIC_DELETED, end_evidence=[])
            continue
        ends = _ends(tenures, words, isr_spans) if ends is None else ends
        end = ends.get(row.end_ts)
        if end is None and row.fault_id is not None:
            bounds = ((one.to_ts, one.back_ts, one.serves_ts) for one in outages_of_fault.get(row.fault_id, ()))
            end = End(FAULT_ENDED, []) if row.end_ts in chain.from_iterable(bounds) else None
        yield row if end is None else row.but(ended_by=end.by, end_evidence=end.evidence)


def _ends(
    tenures: Sequence[Tenure], words: Sequence[BrokerStatement], isr_spans: Sequence[IsrSpan]
) -> dict[datetime, End]:
    """The events that can end a wait, by their times; of several at one time, the first kind in this order: a new leader,
    a changed ISR, a leader that leads again, a follower that fetches again.
    """
    ends: dict[datetime, End] = {}
    for ts, end in (
        *_elected(tenures, words),
        *_changed(isr_spans, words),
        *((word.ts, End(LEADER_BACK, known([word.event_id]))) for word in words if word.kind == "leader_start"),
        *((word.ts, End(MEMBER_BACK, known([word.event_id]))) for word in words if word.kind in FOLLOWS),
    ):
        ends.setdefault(ts, end)
    return ends


def _elected(tenures: Iterable[Tenure], words: Sequence[BrokerStatement]) -> Iterator[tuple[datetime, End]]:
    """When new leaders took the partition up, by their own lines or else by the lines of their election."""
    starts = {
        (word.node_id, word.leader_epoch, word.ts): known([word.event_id])
        for word in words
        if word.kind == "leader_start"
    }
    for tenure in tenures:
        if tenure.serves_ts is not None and tenure.last_leader_id not in (None, tenure.leader_id):
            own = starts.get((tenure.leader_id, tenure.leader_epoch, tenure.serves_ts))
            yield tenure.serves_ts, End(LEADER_ELECTED, own or list(tenure.evidence[:1]))


def _changed(isr_spans: Sequence[IsrSpan], words: Sequence[BrokerStatement]) -> Iterator[tuple[datetime, End]]:
    """When an ISR lost or gained members: as committed, and when its leader logged it."""
    in_order = sorted((span for span in isr_spans if span.leader_id >= 0), key=lambda span: span.start_ts)
    for before, span in pairwise(in_order):
        by = ISR_SHRANK if set(span.isr) < set(before.isr) else ISR_GREW if set(span.isr) > set(before.isr) else None
        if by is None:
            continue
        yield span.start_ts, End(by, list(span.evidence[:1]))
        for word in since(words, span.start_ts, span.end_ts):
            is_own = word.kind in LEADERS_LINES and word.node_id == span.leader_id
            if is_own and _names(word, before, span):
                yield word.ts, End(by, known([word.event_id]))


def _names(word: BrokerStatement, before: IsrSpan, span: IsrSpan) -> bool:
    """Whether a leader's line shows that it leads with this ISR. In old releases, a line with which it starts a leader
    epoch names no ISR; the leader epoch has that with which it begins.
    """
    if word.isr is not None:
        return sorted(word.isr) == sorted(span.isr)
    return before.leader_epoch != span.leader_epoch == word.leader_epoch
