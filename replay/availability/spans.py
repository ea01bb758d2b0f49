"""Derives the availability of one partition from its claims: one state at a time, without gaps."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from replay.availability.claims import BOTH_KINDS
from replay.availability.reasons import CLOSED, OPEN, RANKS
from replay.facts.evidence import AT_MOST, once_each
from replay.facts.order import less
from replay.tables.availability import Claim, ServiceSpan, Tenure


def laid_end_to_end(
    claims: Sequence[Claim],
    tenures: Sequence[Tenure],
    lifetimes: Sequence[tuple[datetime, datetime | None]],
    logs_begin_ts: datetime | None = None,
) -> Iterator[ServiceSpan]:
    """The partition's time, split at the start and end of each claim; each piece has its strongest claim, or `open`
    without one. Rows of `AVAILABILITY`.

    Certain claims precede uncertain ones; then the order of `replay.availability.reasons` counts. A partition has rows
    from its first leader to its topic's end (`lifetimes`), and none while the topic does not exist. There are no claims
    about the time before all lines were read.
    """
    for acks in BOTH_KINDS:
        own = [claim for claim in claims if claim.acks == acks]
        for led_ts, gone_ts in lifetimes:
            born_ts = led_ts if logs_begin_ts is None else max(led_ts, logs_begin_ts)
            if gone_ts is None or less(born_ts, gone_ts):
                pieces = (
                    _available(tenures[0], acks, start_ts, end_ts, claim)
                    for start_ts, end_ts, claim in _strongest(own, _pieces(own, born_ts, gone_ts))
                )
                yield from _joined_where_alike(pieces)


def _pieces(
    claims: Iterable[Claim], born_ts: datetime, gone_ts: datetime | None
) -> list[tuple[datetime, datetime | None]]:
    """The pieces of time between the boundaries of claims while the partition exists; the last piece has no end if it
    still exists.
    """
    boundaries = {born_ts, gone_ts}
    for claim in claims:
        boundaries |= {claim.start_ts, claim.end_ts}
    lasting = sorted(ts for ts in boundaries if ts is not None and ts >= born_ts and (gone_ts is None or ts <= gone_ts))
    ends: list[datetime | None] = [*lasting[1:], None]
    pieces = list(zip(lasting, ends, strict=True))
    return pieces if gone_ts is None else pieces[:-1]


def _strongest(
    claims: Iterable[Claim], pieces: Iterable[tuple[datetime, datetime | None]]
) -> Iterator[tuple[datetime, datetime | None, Claim | None]]:
    """Each piece with the strongest claim that covers it."""
    waiting = sorted(claims, key=lambda claim: claim.start_ts, reverse=True)
    covering: list[tuple[Any, ...]] = []
    for start_ts, end_ts in pieces:
        while waiting and waiting[-1].start_ts <= start_ts:
            claim = waiting.pop()
            heapq.heappush(covering, (*_strength(claim), len(waiting), claim))
        while covering and _is_over(covering[0][-1], start_ts):
            heapq.heappop(covering)
        yield start_ts, end_ts, covering[0][-1] if covering else None


def _is_over(claim: Claim, ts: datetime) -> bool:
    return claim.end_ts is not None and bool(claim.end_ts <= ts)


def _strength(claim: Claim) -> tuple[Any, ...]:
    """The sort key of claims, the strongest first. Claims of equal strength are ordered by their contents, so that
    the order is stable.
    """
    is_unsure = claim.state != CLOSED
    lasts = claim.end_ts is None
    named = claim.fault_id or "", claim.confidence or "", claim.evidence or []
    return is_unsure, RANKS[claim.reason], claim.start_ts, not lasts, claim.end_ts or claim.start_ts, *named


def _available(of: Tenure, acks: str, start_ts: datetime, end_ts: datetime | None, claim: Claim | None) -> ServiceSpan:
    return ServiceSpan(
        topic=of.topic,
        partition=of.partition,
        acks=acks,
        start_ts=start_ts,
        end_ts=end_ts,
        state=claim.state if claim else OPEN,
        reason=claim.reason if claim else None,
        fault_id=claim.fault_id if claim else None,
        confidence=claim.confidence if claim else "inferred",
        evidence=(claim.evidence if claim else None) or [],
    )


def _joined_where_alike(pieces: Iterable[ServiceSpan]) -> Iterator[ServiceSpan]:
    """Merges consecutive pieces with the same state, reason, fault and confidence."""
    for _, alike in groupby(pieces, key=lambda row: (row.state, row.reason, row.fault_id, row.confidence)):
        run = list(alike)
        evidence = once_each(event for piece in run for event in piece.evidence)[:AT_MOST]
        yield run[0].but(end_ts=run[-1].end_ts, evidence=evidence)
