"""The same history under other settings: what would have been rejected, without a leader or kept, with the
assumptions of each answer.

A setting changes what brokers do, and then what clients do, but a replay only knows the recorded history. So each
answer assumes that load, faults and their times stay as recorded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from pipelines.answers.what_if_replicas import ACKS, ELR, REPLICAS, with_acks_all, with_eligible_leaders, with_replicas
from pipelines.answers.what_if_rows import (
    MOST_LINES,
    SAME,
    Partition,
    Tables,
    WhatIf,
    by_partition,
    clock,
    later,
    millis,
    number,
    whole,
)
from pipelines.answers.what_if_sessions import CONTROLLED, SESSIONS, with_session_timeout, without_controlled_shutdown
from replay.errors import InputError
from replay.facts.groups import by_key

_PARTITION, _SPAN = ("topic", "partition"), ("start_ts", "end_ts")
_LEDGER = ("loss_class", "verdict", "leader_epoch", "ts", "from_offset", "to_offset_low", "to_offset_high", "evidence")
_READ = {
    "isr_spans": (
        *_PARTITION,
        "topic_id",
        "leader_epoch",
        "leader_id",
        "isr",
        "replicas",
        "min_isr",
        *_SPAN,
        "evidence",
    ),
    "commit_bands": (*_PARTITION, *_SPAN, "committed_low", "committed_high"),
    "losses": (*_PARTITION, *_LEDGER),
    "elections": (*_PARTITION, "leader_epoch", "ts", "old_leader_id", "elected_from", "trigger", "evidence"),
    "leader_epochs": (*_PARTITION, "leader_epoch", "leader_id", "start_ts"),
    "broker_sessions": ("broker_id", *_SPAN, "live_ts", "ended_by"),
    "settings": ("node_id", "name", "value"),
    "availability": (*_PARTITION, "acks", *_SPAN, "state", "reason", "evidence"),
}
TABLES = tuple(_READ)
MIN_ISR, UNCLEAN, LAG = "min.insync.replicas", "unclean.leader.election.enable", "replica.lag.time.max.ms"
SETTINGS = (MIN_ISR, UNCLEAN, LAG, ACKS, *SESSIONS, REPLICAS, ELR, CONTROLLED)
_LAG_DEFAULT_MS = 30_000  # since 2.5 (KIP-537); 10 s before
_BEFORE_GONE, _BY_CONTROLLER = pd.Timedelta(seconds=1), pd.Timedelta(seconds=30)
"""A session that ended this shortly before took the broker out of the ISR, not its lag."""
_ACKS_ALL = "producers use acks=all: others are not refused"
_MORE_THAN_REPLICAS = (
    "the setting is above the number of replicas: from 3.7 on as many as there are replicas do, before that no write "
    "with acks=all is ever taken"
)
_UNCLEAN = ("any_replica", "last_known_leader")
_BEGIN, _END = pd.Timestamp.min, pd.Timestamp.max


def question(name: str, value: str) -> Callable[[Tables], list[WhatIf]]:
    """The function that computes the answer for one setting from the tables of a result. Raises InputError for an
    unsupported setting or value.
    """
    if name == MIN_ISR:
        least = number(name, value)
        return lambda tables: _in_order(with_min_isr(_whole(tables), least))
    if name == LAG:
        limit = number(name, value)
        return lambda tables: _in_order(with_lag_time(_whole(tables), limit))
    if name in SESSIONS:
        timeout = number(name, value)
        return lambda tables: _in_order(with_session_timeout(_whole(tables), name, timeout))
    if name == REPLICAS:
        replicas = number(name, value)
        return lambda tables: _in_order(with_replicas(_whole(tables), replicas))
    one_value = _one_value()
    if name in one_value:
        asked, why, answered = one_value[name]
        if value.lower() != asked:
            raise InputError(f"{name}={value}: only {asked} can be asked for: {why}")
        return lambda tables: _in_order(answered(_whole(tables)))
    raise InputError(f"{name}: no answer for this setting; ask for one of {', '.join(SETTINGS)}")


def assignments() -> list[str]:
    """Each supported setting as one types it: `acks=all`, `min.insync.replicas=`."""
    only = _one_value()
    return [f"{name}={only[name][0] if name in only else ''}" for name in SETTINGS]


def _one_value() -> dict[str, tuple[str, str, Callable[[Tables], Iterator[WhatIf]]]]:
    """The settings that support only one value: that value, why no other, and the function that computes the answer."""
    return {
        UNCLEAN: (
            "false",
            "who would have led with true depends on disks that no log describes",
            without_unclean_elections,
        ),
        ACKS: ("all", "what others acknowledge depends on the load of producers that do not wait", with_acks_all),
        ELR: (
            "1",
            "a cluster without it keeps the last member in the ISR; how that one would have fared is not logged",
            with_eligible_leaders,
        ),
        CONTROLLED: (
            "false",
            "whether brokers that were killed could have moved their leaders is not logged",
            without_controlled_shutdown,
        ),
    }


def with_min_isr(tables: Tables, min_isr: int) -> Iterator[WhatIf]:
    """Which writes `min.insync.replicas` = `min_isr` would have rejected, and which lost ranges would then never
    have been acknowledged.

    acks=all writes are rejected while the ISR is smaller (facts §1.6). Of a committed range lost in an election, the
    part above the commit point at the time the ISR shrank was written while the ISR was too small.
    """
    bands = by_partition(tables["commit_bands"])
    shrunk: dict[Partition, list[_Shrunk]] = defaultdict(list)
    for time in _times_below(tables["isr_spans"], min_isr):
        own = bands[time.partition]
        time.begin_low, time.begin_high = _band_at(own, time.start_ts)
        time.end_low, time.end_high = _band_at(own, time.end_ts, just_before=True)
        shrunk[time.partition].append(time)
        yield _refused(time, min_isr)
    for lost in _committed_losses(tables["losses"]):
        earlier = [time for time in shrunk[lost.topic, lost.partition] if time.start_ts < lost.ts]
        last = max(earlier, key=lambda time: time.start_ts, default=None)
        for effect, from_offset, to_offset, sentence in _of_lost_range(lost, last):
            yield WhatIf(
                MIN_ISR,
                str(min_isr),
                lost.topic,
                lost.partition,
                effect,
                lost.ts,
                None,
                from_offset,
                to_offset,
                sentence,
                (SAME, _ACKS_ALL),
                lost.evidence or (),
            )


@dataclass
class _Shrunk:
    """A period in which an ISR was smaller than `min_isr`, and the bounds of the commit point at its start and end."""

    partition: Partition
    start_ts: pd.Timestamp
    end_ts: pd.Timestamp | None
    size: int
    replicas: int | None
    evidence: tuple[str, ...]
    begin_low: int | None = None
    begin_high: int | None = None
    end_low: int | None = None
    end_high: int | None = None


def _times_below(isr_spans: pd.DataFrame, min_isr: int) -> Iterator[_Shrunk]:
    """The periods in which the ISR of a partition with a leader was smaller than `min_isr` and the recorded setting
    allowed that. Adjacent periods become one.
    """

    def is_below(span: Any) -> bool:
        if span.isr is None or span.leader_id is None or span.leader_id < 0 or (span.min_isr or 1) >= min_isr:
            return False
        return len(span.isr) < min(min_isr, len(span.replicas) if span.replicas is not None else min_isr)

    def key(span: Any) -> tuple[str, int, str]:
        return span.topic, span.partition, span.topic_id or ""

    small = sorted(filter(is_below, rows(isr_spans)), key=lambda span: (*key(span), span.start_ts, span.end_ts or _END))
    for (topic, partition, _), spans in groupby(small, key):
        joined: list[list[Any]] = []
        until = _BEGIN
        for span in spans:
            if span.start_ts > until or not joined:
                joined.append([])
            joined[-1].append(span)
            until = max(until, span.end_ts or _END)
        for one in joined:
            sizes = [len(span.replicas) for span in one if span.replicas is not None]
            lines = dict.fromkeys(line for span in one for line in span.evidence or ())
            yield _Shrunk(
                (topic, partition),
                one[0].start_ts,
                None if any(span.end_ts is None for span in one) else max(span.end_ts for span in one),
                min(len(span.isr) for span in one),
                max(sizes, default=None),
                tuple(lines)[:MOST_LINES],
            )


def _refused(time: _Shrunk, min_isr: int) -> WhatIf:
    least = 0
    if time.end_low is not None and time.begin_high is not None:
        least = max(time.end_low - time.begin_high, 0)
    if time.end_high is not None and time.begin_low is not None:
        count = f"{least} to {time.end_high - time.begin_low} records were written in that time"
    elif least > 0:
        count = f"at least {least} records were written in that time"
    else:
        count = "how many records that concerns is not logged"
    granted = (SAME, _ACKS_ALL, "refused producers try again later, so nothing of theirs is lost")
    too_many = (_MORE_THAN_REPLICAS,) if time.replicas is not None and time.replicas < min_isr else ()
    return WhatIf(
        MIN_ISR,
        str(min_isr),
        *time.partition,
        "writes_refused",
        time.start_ts,
        time.end_ts,
        time.begin_low,
        time.end_high,
        f"writes with acks=all refused while the ISR was down to {time.size}; {count}",
        granted + too_many,
        time.evidence,
    )


def _of_lost_range(lost: Any, shrunk: _Shrunk | None) -> Iterator[tuple[str, int | None, int | None, str]]:
    """The effect on a lost range, or on its two parts: effect, first offset, end, sentence. `shrunk` is the last period
    before it in which the ISR was too small.
    """
    first, end = whole(lost.from_offset), whole(lost.to_offset_high)
    at_most, at_least = (None, None) if shrunk is None else (shrunk.begin_high, shrunk.begin_low)
    if shrunk is None:
        yield "range_still_lost", first, end, _NO_SHRINK
    elif at_most is not None and first is not None and at_most <= first:
        yield "range_never_acknowledged", first, end, _ALL_AFTER
    elif at_least is not None and end is not None and at_least >= end:
        yield "range_still_lost", first, end, _ALL_BEFORE
    elif at_most is not None and end is not None and at_most < end:
        yield "range_partly_unknown", first, at_most, _PART_UNKNOWN
        yield "range_never_acknowledged", at_most, end, _PART_AFTER
    else:
        yield "range_partly_unknown", first, end, _UNKNOWN


_NO_SHRINK = "no line shows the ISR below this number before the loss: the setting would not have saved the range"
_ALL_AFTER = "all of the lost range was written after the ISR had shrunk: with this setting none of it would have been acknowledged"
_ALL_BEFORE = "the range was committed before the ISR shrank: the setting would not have saved it"
_PART_AFTER = (
    "this part was written after the ISR had shrunk: with this setting none of it would have been acknowledged"
)
_PART_UNKNOWN = "how much of it was written after the ISR had shrunk is not logged"
_UNKNOWN = "how much of it was written after the ISR had shrunk, and would not have been acknowledged, is not logged"


def without_unclean_elections(tables: Tables) -> Iterator[WhatIf]:
    """What `unclean.leader.election.enable` = false would have changed: partitions that wait for a broker of their
    ISR, and ranges that are kept.
    """
    isrs, epochs = by_partition(tables["isr_spans"]), by_partition(tables["leader_epochs"])
    sessions = rows(tables["broker_sessions"])
    losses = by_key(_committed_losses(tables["losses"]), lambda lost: (lost.topic, lost.partition, lost.leader_epoch))
    for election in rows(tables["elections"]):
        if election.elected_from not in _UNCLEAN:
            continue
        partition = (election.topic, election.partition)
        earlier = [
            span
            for span in isrs[partition]
            if span.leader_epoch is not None and span.leader_epoch < election.leader_epoch and span.isr
        ]
        if earlier:
            last = max(earlier, key=lambda span: (span.leader_epoch, span.start_ts))
            yield _waiting(election, last.isr, epochs[partition], sessions)
        for lost in losses[(*partition, election.leader_epoch)]:
            yield WhatIf(
                UNCLEAN,
                "false",
                *partition,
                "range_kept",
                election.ts,
                None,
                lost.from_offset,
                lost.to_offset_low if lost.to_offset_high is None else lost.to_offset_high,
                "the replica that took over without these records would not have led: they would have stayed in the log "
                "of the last ISR",
                (SAME, "the disks of the last ISR still held their logs"),
                lost.evidence or (),
            )


def _waiting(election: Any, isr: Sequence[int], epochs: Sequence[Any], sessions: Sequence[Any]) -> WhatIf:
    """How long the partition would have waited for a broker of its last ISR."""
    before = [e.start_ts for e in epochs if e.leader_id == -1 and e.leader_epoch == election.leader_epoch - 1]
    since = max((ts for ts in before if ts is not None), default=election.ts)
    returns = [(s.start_ts, s.broker_id) for s in sessions if s.broker_id in isr and later(s.start_ts, election.ts)]
    back, broker = min(returns, default=(None, None))
    names = ", ".join(map(str, isr))
    if back is None:
        sentence = f"without a leader to the end of these logs: none of its last ISR ({names}) comes back in them"
    else:
        sentence = (
            f"without a leader until broker {whole(broker)} of its last ISR ({names}) was back, "
            f"{(millis(back) - millis(since)) / 1000:.1f} s, and neither written nor read in that time"
        )
    granted = (SAME, "the broker is elected as soon as its session begins", "its disk still held its log")
    return WhatIf(
        UNCLEAN,
        "false",
        election.topic,
        election.partition,
        "leaderless",
        since,
        back,
        None,
        None,
        sentence,
        granted,
        election.evidence or (),
    )


def with_lag_time(tables: Tables, lag_ms: int) -> Iterator[WhatIf]:
    """Which ISR shrinks for lag would not have happened, or at another time, with `replica.lag.time.max.ms` =
    `lag_ms`.

    A leader checks its followers every half of the limit, so a follower that it drops at t last caught up between t
    − 1.5 and t − 1 times the limit (facts §1.2). It is not dropped if it catches up before the other limit expires.
    """
    gone: dict[int, list[pd.Timestamp]] = defaultdict(list)
    for session in rows(tables["broker_sessions"]):
        if session.end_ts is not None:
            gone[session.broker_id].append(session.end_ts)
    limits: dict[int, int] = {}
    for setting in rows(tables["settings"]):
        if setting.name == LAG and setting.node_id is not None and str(setting.value).isdecimal():
            limits[setting.node_id] = max(limits.get(setting.node_id, 0), int(setting.value))
    for partition, spans in by_partition(tables["isr_spans"]).items():
        for span, broker in _dropped(spans):
            if any(-_BEFORE_GONE <= span.start_ts - end <= _BY_CONTROLLER for end in gone[broker]):
                continue
            back = min(
                (s.start_ts for s in spans if s.start_ts > span.start_ts and broker in (s.isr or ())), default=None
            )
            yield _shrink(partition, span, broker, back, limits.get(span.leader_id), lag_ms)


def _dropped(spans: Iterable[Any]) -> Iterator[tuple[Any, int]]:
    """The spans that begin when a continuing leader drops a follower, each with the dropped follower."""

    def key(span: Any) -> str:
        return span.topic_id or ""

    def order(span: Any) -> tuple[str, int, pd.Timestamp]:
        return key(span), -1 if span.leader_epoch is None else span.leader_epoch, span.start_ts

    for _, of_topic in groupby(sorted(spans, key=order), key):
        last = None
        for span in of_topic:
            if last is not None and span.leader_id is not None and 0 <= span.leader_id == last.leader_id:
                now = set(span.isr or ())
                yield from ((span, b) for b in dict.fromkeys(last.isr or ()) if span.isr is not None and b not in now)
            last = span


def _shrink(
    partition: Partition, span: Any, broker: int, back: pd.Timestamp | None, limit: int | None, lag_ms: int
) -> WhatIf:
    was = _LAG_DEFAULT_MS if limit is None else limit
    earliest = span.start_ts + pd.Timedelta(milliseconds=-1.5 * was + lag_ms)
    latest = span.start_ts + pd.Timedelta(milliseconds=-was + 1.5 * lag_ms)
    if back is not None and back < earliest:
        effect, sentence = "shrink_avoided", "it would have stayed: it had caught up again before the limit was over"
    elif back is None or back > latest:
        effect, sentence = "shrink_moved", f"it would have left between {clock(earliest)} and {clock(latest)}"
    else:
        effect, sentence = "shrink_unknown", "it may have stayed: it caught up about when the limit was over"
    printed = " ms" if limit is not None else " ms, the default since 2.5; no line prints it"
    return WhatIf(
        LAG,
        str(lag_ms),
        *partition,
        effect,
        span.start_ts,
        back,
        None,
        None,
        f"broker {broker} left the ISR for lag; with this limit {sentence}",
        (SAME, f"the limit was {was}{printed}", "a leader looks at its followers every half of the limit"),
        span.evidence or (),
    )


def _whole(tables: Tables) -> Tables:
    """`tables` with every column that the answers need; null if a result does not have it."""
    return {name: tables[name].reindex(columns=list(columns)) for name, columns in _READ.items()}


def committed_losses(losses: pd.DataFrame) -> int:
    """How many committed ranges were lost or may have been lost."""
    return sum(1 for _ in _committed_losses(losses))


def _committed_losses(losses: pd.DataFrame) -> Iterator[Any]:
    for lost in rows(losses):
        if lost.loss_class == "committed" and lost.verdict in ("PROVEN_LOSS", "POSSIBLE_LOSS"):
            yield lost


def _band_at(bands: Iterable[Any], at: pd.Timestamp | None, just_before: bool = False) -> tuple[int | None, int | None]:
    """The bounds of the commit point at a time, or just before it (with `just_before`), since an election may start
    another history.
    """
    inside = [
        band
        for band in bands
        if at is not None
        and (
            (band.start_ts < at <= (band.end_ts or _END))
            if just_before
            else (band.start_ts <= at < (band.end_ts or _END))
        )
    ]
    last = max(inside, key=lambda band: band.start_ts, default=None)
    return (None, None) if last is None else (whole(last.committed_low), whole(last.committed_high))


def _in_order(found: Iterable[WhatIf]) -> list[WhatIf]:
    def order(row: WhatIf) -> tuple[Any, ...]:
        return (
            row.effect,
            row.topic,
            row.partition,
            row.start_ts or _BEGIN,
            -1 if row.from_offset is None else row.from_offset,
        )

    return sorted(dict.fromkeys(found), key=order)
