"""What acks=all, fewer replicas or eligible leader replicas would have changed: the acknowledged writes and the possible leaders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from pipelines.answers.what_if_rows import MOST_LINES, SAME, Tables, WhatIf, by_partition, clock, later, millis
from replay.errors import InputError

ACKS, REPLICAS, ELR = "acks", "replication.factor", "eligible.leader.replicas.version"
_LOST = ("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED")
_NOT_KNOWN_BY_FOLLOWERS = "a leader acknowledges with acks=all what all of its in-sync replicas have"


def with_acks_all(tables: Tables) -> Iterator[WhatIf]:
    """Which lost ranges producers with acks=all would have sent again, and how long they would have waited."""
    for lost in rows(tables["losses"]):
        if lost.loss_class == "acked_possible" and lost.verdict in _LOST:
            effect = "range_sent_again"
            sentence = "only the leader had these records: with acks=all it would have acknowledged none of them"
        elif lost.loss_class == "committed" and lost.verdict in _LOST:
            effect = "range_still_lost"
            sentence = "the range was committed: with acks=all the leader would have acknowledged it too"
        else:
            continue
        place = (lost.topic, lost.partition, effect, lost.ts, None, lost.from_offset, lost.to_offset_high)
        yield WhatIf(ACKS, "all", *place, sentence, (SAME, _NOT_KNOWN_BY_FOLLOWERS), lost.evidence or ())
    closed = by_partition(tables["availability"])
    for (topic, partition), spans in closed.items():
        other = [span for span in spans if span.acks == "1" and span.state == "closed"]
        for span in spans:
            if span.acks != "all" or span.state != "closed" or any(_within(span, one) for one in other):
                continue
            sentence = (
                f"a write with acks=all waits here, one with acks=1 does not ({str(span.reason).replace('_', ' ')})"
            )
            place = (topic, partition, "writes_wait", span.start_ts, span.end_ts, None, None)
            yield WhatIf(ACKS, "all", *place, sentence, (SAME,), span.evidence or ())


def _within(span: Any, other: Any) -> bool:
    open_end = other.end_ts is None or (span.end_ts is not None and span.end_ts <= other.end_ts)
    return bool(other.start_ts <= span.start_ts and open_end)


def with_replicas(tables: Tables, replicas: int) -> Iterator[WhatIf]:
    """When `replicas` replicas would not have sufficed: the last ones of each assignment are omitted."""
    spans = {key: found for key, found in by_partition(tables["isr_spans"]).items() if _assigned(found)}
    if not any(len(_assigned(found)) > replicas for found in spans.values()):
        raise InputError(
            f"{REPLICAS}={replicas}: no partition of these logs is known to have more replicas; what a further one "
            "would have had cannot be told"
        )
    granted = (SAME, "the last replicas of each assignment are the ones that are left out")
    for partition, found in spans.items():
        kept = set(_assigned(found)[:replicas])
        for effect, some in _runs(found, kept, replicas):
            end = None if any(span.end_ts is None for span in some) else max(span.end_ts for span in some)
            left = sorted(set(some[-1].isr or ()) & kept)
            names = ", ".join(map(str, left)) or "none"
            sentence = (
                f"writes with acks=all refused: of its ISR {names} would have been left"
                if effect == "writes_refused"
                else "without a leader: all of its ISR would have been replicas that are left out"
            )
            lines = tuple(dict.fromkeys(line for span in some for line in span.evidence or ()))[:MOST_LINES]
            place = (*partition, effect, some[0].start_ts, end, None, None)
            yield WhatIf(REPLICAS, str(replicas), *place, sentence, granted, lines)


def _assigned(spans: Sequence[Any]) -> list[int]:
    """The replicas as first assigned, in order of preference."""
    return next((list(span.replicas) for span in spans if span.replicas is not None), [])


def _runs(spans: Sequence[Any], kept: set[int], replicas: int) -> Iterator[tuple[str, list[Any]]]:
    """Runs of consecutive spans in which only the smaller replica set would have left the partition without a
    leader, or rejected its writes.
    """
    run: list[Any] = []
    last = ""
    for span in sorted((s for s in spans if s.isr is not None), key=lambda s: (s.start_ts, s.leader_epoch)):
        effect = _with_fewer(span, kept, replicas)
        if effect != last and run:
            yield last, run
            run = []
        last = effect
        run = [*run, span] if effect else []
    if run:
        yield last, run


def _with_fewer(span: Any, kept: set[int], replicas: int) -> str:
    if span.leader_id is None or span.leader_id < 0:
        return ""  # no leader in either case
    left, least = set(span.isr) & kept, min(span.min_isr or 1, replicas)
    if not left:
        return "leaderless"
    was_refused = len(span.isr) < (span.min_isr or 1)
    return "writes_refused" if len(left) < least and not was_refused else ""


def with_eligible_leaders(tables: Tables) -> Iterator[WhatIf]:
    """When a partition without a leader would have had an eligible one (KIP-966).

    A broker that leaves an ISR smaller than min.insync.replicas stays eligible until the ISR is large enough again,
    or until it returns from an unclean stop.
    """
    granted = (SAME, "the cluster runs 4.0 or later with KRaft", "an eligible broker is elected as its session begins")
    sessions = rows(tables["broker_sessions"])
    for partition, found in by_partition(tables["isr_spans"]).items():
        for gone, eligible, end in _leaderless(found):
            at = gone.end_ts if gone.leader_id != -1 else gone.start_ts
            since, broker = min(_able(eligible, sessions, at), default=(None, None))
            if since is None or broker is None or (end is not None and since >= end):
                continue
            sooner = "" if end is None else f", {(millis(end) - millis(since)) / 1000:.1f} s before the one that led"
            sentence = (
                f"broker {broker} lacked nothing that was committed: it would have led from {clock(since)} on{sooner}"
            )
            place = (*partition, "leader_sooner", since, end, None, None)
            yield WhatIf(ELR, "1", *place, sentence, granted, gone.evidence or ())


def _leaderless(spans: Sequence[Any]) -> Iterator[tuple[Any, set[int], pd.Timestamp | None]]:
    """For each period without a leader: the last state before it (or its first state), the brokers that would have
    been eligible, and when a replica led again.

    If no log shows the period itself, a gap before a new leader epoch indicates it.
    """
    with_isr = sorted((s for s in spans if s.isr is not None), key=lambda s: (s.start_ts, s.leader_epoch))
    eligible: set[int] = set()
    before: set[int] = set()
    for n, span in enumerate(with_isr):
        isr = set(span.isr)
        eligible = (eligible | before) - isr if len(isr) < (span.min_isr or 1) else set()
        before = isr
        after = with_isr[n + 1] if n + 1 < len(with_isr) else None
        if span.leader_id == -1 or _is_gap(span, after):
            end = next((s.start_ts for s in with_isr[n + 1 :] if s.leader_id is not None and s.leader_id >= 0), None)
            yield span, eligible, end


def _is_gap(span: Any, after: Any) -> bool:
    """Whether a new leader epoch begins after a period without any line."""
    if after is None or span.end_ts is None or after.leader_id == -1:
        return False
    return bool(after.start_ts > span.end_ts and after.leader_epoch > span.leader_epoch)


def _able(eligible: set[int], sessions: Sequence[Any], at: pd.Timestamp) -> Iterator[tuple[pd.Timestamp, int]]:
    """Eligible brokers that were running at the time, or returned later from a clean stop; each with the time from
    which it could lead.
    """
    for broker in sorted(eligible):
        own = sorted((s for s in sessions if s.broker_id == broker), key=lambda s: s.start_ts)
        for before, session in zip([None, *own], own):
            clean = before is None or before.ended_by == "controlled_shutdown"
            if clean and (session.end_ts is None or later(session.end_ts, at)):
                yield max(session.start_ts, at), broker
                break
