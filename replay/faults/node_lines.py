"""What the fault rules need from all lines of one node: few rows, whatever the input.

Each function gets the events of one node in time order, those without a time first. The rules read everything else
from `FACTS`, which hold only some kinds of events, and one row for each run of similar ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from heapq import nlargest

from replay.facts.evidence import AT_MOST, earliest
from replay.facts.lines import detail, gaps, is_own_line, kafka_lines
from replay.facts.lives import CLEAN_START, STARTS, UNCLEAN_START
from replay.facts.times import greatest, least, millis
from replay.facts.window import TimeWindow
from replay.facts.witnesses import OF_JAVA
from replay.faults.unreachable import ZOOKEEPER_FOUND, ZOOKEEPER_LOST
from replay.tables.faults import EmptiedLogDir, FirstLine, FirstMention, MemoryError, PauseSign, Silence
from replay.tables.reading import Event

SILENCE_MS = 3_000  # a healthy node has shorter gaps between its lines
MOST_SILENCES = 10_000  # the longest ones of a node: a node that logs every four seconds all day has more
STARTS_PRINTED = ("process_start_line", "process_signal_registered", "broker_starting")
ROLES = ("leader_start", "follower_start")
SHRINK, FENCED_EPOCH = "isr_shrink", "fetch_fenced_epoch"
JAVA_PAUSES = ("gc_pause", "jvm_safepoint")
_SIGNS = frozenset((SHRINK, FENCED_EPOCH, *JAVA_PAUSES))
_OUT_OF_MEMORY = "java.lang.OutOfMemoryError"
_NUMBER = re.compile(r"\d+", re.ASCII)


def first_lines(node_events: Sequence[Event], window: TimeWindow) -> list[FirstLine]:
    """The node's first line and its first start."""
    events = window.unbroken_events(kafka_lines(node_events))
    if not events:
        return []
    starts = frozenset((*STARTS, *UNCLEAN_START, *CLEAN_START))
    own = next((line for line in events if is_own_line(line)), None)
    return [
        FirstLine(
            node_id=events[0].node_id,
            told_ts=next((line.ts for line in events if line.ts is not None), None),
            first_ts=own.ts if own else None,
            first_event=own.event_id if own else None,
            start_ts=next((line.ts for line in events if line.kind in starts and is_own_line(line)), None),
        )
    ]


def silences(node_events: Sequence[Event], window: TimeWindow) -> list[Silence]:
    """Times within one run of the process in which none of the node's files has a line."""
    own = [line for line in window.unbroken_events(kafka_lines(node_events)) if is_own_line(line)]
    turns = [line for line in own if line.kind in ZOOKEEPER_LOST or line.kind in ZOOKEEPER_FOUND]
    found = []
    for last, line in gaps(own, SILENCE_MS):
        if line.kind not in STARTS_PRINTED:
            at = bisect_right(turns, _order(last), key=_order)
            lost = turns[at - 1].kind in ZOOKEEPER_LOST if at else None
            found.append(Silence(line.node_id, last.ts, line.ts, last.event_id, line.event_id, lost))
    longest = nlargest(MOST_SILENCES, range(len(found)), key=lambda n: (millis(found[n].to_ts, found[n].from_ts), -n))
    return [found[n] for n in sorted(longest)]


def _order(line: Event) -> tuple[datetime, str, int]:
    return line.ts, line.source_file, line.line_number


def pause_signs(node_events: Sequence[Event], window: TimeWindow) -> list[PauseSign]:
    """Signs of a frozen node in lines about single partitions and garbage collection, by second.

    The signs are followers that a leader removed from an ISR alone, leader epochs that were new to a follower, and
    long pauses.
    """
    seconds: dict[tuple[str, int, datetime], list[tuple[Event, int | None]]] = {}
    for line in window.events_by_end(node_events):
        if line.kind not in _SIGNS or line.ts is None:
            continue
        elapsed_ms = _elapsed_ms(line) if line.kind in JAVA_PAUSES else None
        about = _dropped_alone(line) if line.kind == SHRINK else line.node_id
        if about is not None and (line.kind not in JAVA_PAUSES or (elapsed_ms or 0) >= SILENCE_MS):
            key = line.kind, about, line.ts.replace(microsecond=0)
            seconds.setdefault(key, []).append((line, elapsed_ms))
    return [_sign(about, lines) for (_, about, _), lines in seconds.items()]


def _sign(about: int, lines: Sequence[tuple[Event, int | None]]) -> PauseSign:
    first = lines[0][0]
    proof = sorted({(line.ts, line.event_id) for line, _ in lines})[:AT_MOST]
    return PauseSign(
        kind=first.kind,
        node_id=about,
        told_by=first.node_id,
        ts=first.ts,
        elapsed_ms=greatest(*[elapsed_ms for _, elapsed_ms in lines]),
        lines=[{"ts": ts, "event_id": event_id} for ts, event_id in proof],
    )


def _elapsed_ms(pause: Event) -> int | None:
    """How long Java was paused; None if the line does not state it."""
    try:
        return int(float(detail(pause, "duration_ms") or ""))
    except (ValueError, OverflowError):
        return None


def _dropped_alone(shrink: Event) -> int | None:
    """The only follower that a leader removed from an ISR; None if it removed several, or itself."""
    if shrink.isr is None:
        return None
    removed = set(map(int, _NUMBER.findall(detail(shrink, "old_isr") or ""))).difference(shrink.isr)
    return removed.pop() if len(removed) == 1 and shrink.node_id not in {None, *removed} else None


def first_mentions(node_events: Sequence[Event], window: TimeWindow) -> list[FirstMention]:
    """When the node's lines first name each broker as a leader or in an ISR."""
    found: dict[int, datetime | None] = {}
    for line in kafka_lines(window.events_by_end(node_events)):
        if line.leader_id is not None or line.isr:
            for broker in (line.leader_id, *(line.isr or ())):
                if broker is not None and found.get(broker) is None:
                    found[broker] = line.ts  # the earliest with a time: those without one come first
    return [FirstMention(broker_id=broker, member_ts=ts) for broker, ts in found.items()]


def earliest_mentions(mentions: Iterable[FirstMention]) -> list[FirstMention]:
    """The first mention of each broker in the lines of all nodes."""
    found: dict[int, datetime | None] = {}
    for mention in mentions:
        found[mention.broker_id] = least(found.get(mention.broker_id), mention.member_ts)
    return [FirstMention(broker_id=broker, member_ts=ts) for broker, ts in sorted(found.items())]


def memory_errors(node_events: Sequence[Event], window: TimeWindow) -> list[MemoryError]:
    """The lines of any kind with an OutOfMemoryError, by second.

    Omits those that Java prints as it exits (see `replay.faults.witnessed`).
    """
    seconds: dict[datetime | None, list[Event]] = {}
    for line in kafka_lines(window.events_by_end(node_events)):
        if _reports_memory(line) and line.node_id is not None and line.kind not in OF_JAVA:
            seconds.setdefault(line.ts and line.ts.replace(microsecond=0), []).append(line)
    return [
        MemoryError(
            node_id=lines[0].node_id,
            ts=lines[0].ts,
            last_ts=lines[-1].ts,
            event_id=min(line.event_id for line in lines if line.ts == lines[0].ts),
            count=len(lines),
            evidence=earliest((line.ts, line.event_id) for line in lines),
        )
        for lines in seconds.values()
    ]


def _reports_memory(line: Event) -> bool:
    return _OUT_OF_MEMORY in (line.message or "") or _OUT_OF_MEMORY in ((line.details or {}).get("exception") or "")


def emptied_log_dirs(node_events: Sequence[Event], window: TimeWindow) -> list[EmptiedLogDir]:
    """Starts at which the broker found no logs, with the partitions that it had before and received again."""
    events = kafka_lines(window.events_by_end(node_events))
    emptied = [line for line in events if line.kind == "log_manager_load_done" and detail(line, "num_logs") == "0"]
    if not emptied or emptied[0].node_id is None:
        return []
    roles: dict[str, list[Event]] = {}
    for line in events:
        if line.kind in ROLES and None not in (line.topic, line.partition, line.ts):
            roles.setdefault(f"{line.topic}-{line.partition}", []).append(line)
    found = (_emptied(line, roles) for line in emptied if line.ts is not None)
    return [row for row in found if row is not None]


def _emptied(start: Event, roles: Mapping[str, Sequence[Event]]) -> EmptiedLogDir | None:
    """The start with the partitions that had a role both before and after it; None if there are none."""
    held: dict[str, tuple[str, str]] = {}
    for partition, lines in roles.items():
        before = [line for line in lines if line.ts < start.ts]
        after = [line for line in lines if line.ts >= start.ts]
        if before and after:
            last, first = max(before, key=_place), min(after, key=_place)
            held[partition] = (last.event_id, first.event_id)
    if not held:
        return None
    return EmptiedLogDir(
        node_id=start.node_id,
        ts=start.ts,
        event_id=start.event_id,
        partitions=sorted(held),
        held_event=min(last for last, _ in held.values()),
        again_event=min(first for _, first in held.values()),
    )


def _place(line: Event) -> tuple[datetime, str]:
    return line.ts, line.event_id
