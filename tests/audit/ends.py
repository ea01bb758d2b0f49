"""Ends: a fault, a wait and an incident end no earlier than their last sign, and no later than the first sign of the opposite."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from tests.audit.checks import CLOCKS, ENDED, Found, by_id, check, isr_changes, name_of, sentences
from tests.audit.printed import Result

_CUTS = ("cut_from_peers", "link_cut", "cut_from_controllers", "cut_from_zookeeper")
_FROZEN = ("paused",)
_FENCED = ("kraft_broker_session_timeout", "kraft_broker_fence_granted")
_APPLIED = timedelta(seconds=10)  # brokers have applied a controller's decision within this
_ABSENT = re.compile(r"<b>(?:broker|node) (\d+): dead or frozen</b>")
_NOTHING_HERE = "No leader change, truncation or restart here could have lost data"


@check
def a_fault_ends_no_earlier_than_its_last_line(result: Result) -> Found:
    """No line that proves a fault is later than the latest time of its end."""
    lines = by_id(result, "events")
    for fault in result.rows("faults"):
        last = _last_time(fault, lines)
        if fault.kind in _CUTS and None not in (fault.ended_high, last) and last > fault.ended_high + CLOCKS:
            yield f"{fault.fault_id}: over by {fault.ended_high}", f"a line of its evidence at {last}"


def _last_time(fault: Any, lines: Mapping[str, Any]) -> Any:
    """The time of the last line that proves a fault; None if none has a time."""
    cited = (lines[one].ts for one in fault.evidence or () if one in lines)
    return max((ts for ts in cited if ts is not None), default=None)


@check
def a_cut_is_over_once_its_broker_is_back_in_an_isr(result: Result) -> Found:
    """A broker that joins an ISR led by a broker from which it was cut off fetches from it: the cut is over."""
    joins = [
        (after.leader_id, broker, after.start_ts)
        for before, after in isr_changes(result)
        for broker in set(after.isr) - set(before.isr)
    ]
    lines = by_id(result, "events")
    for fault in result.rows("faults"):
        if fault.kind not in ("cut_from_peers", "link_cut") or fault.end_ts is not None or fault.ended_high is not None:
            continue
        last = _last_time(fault, lines) or fault.began_high
        arguments = dict(fault.arguments or {})
        peers = {
            int(one) for one in re.findall(r"\d+", str(arguments.get("all_peers") or arguments.get("other") or ""))
        }
        for leader, broker, ts in joins:
            ends = {leader, broker}
            if fault.broker_id in ends and ends - {fault.broker_id} <= peers and ts > last + CLOCKS:
                yield (
                    f"{fault.fault_id}: not over at the end of the logs",
                    f"broker {broker} joined an ISR of {leader} at {ts}",
                )
                break


@check
def a_fenced_broker_is_in_no_isr(result: Result) -> Found:
    """A KRaft controller that fences a broker removes it in the same change from every ISR that has other members."""
    changes = defaultdict(list)
    for event in result.rows("events"):
        if event.kind == "kraft_leader_isr_updates_summary" and "handleBrokerFenced" in str(event.message):
            changes[event.node_id].append(event.ts)
    for event in result.rows("events"):
        own = changes[event.node_id] if event.kind in _FENCED and event.ts is not None else ()
        if not any(timedelta(0) <= ts - event.ts <= CLOCKS for ts in own):
            continue
        for span in result.rows("isr_spans"):
            others = set(span.isr) - {event.broker_id}
            is_held = span.start_ts < event.ts - CLOCKS and not (span.end_ts and span.end_ts <= event.ts + _APPLIED)
            is_shown = span.leader_id in others and event.broker_id in span.isr and span.untold_after is None
            if is_held and is_shown:
                yield (
                    f"{name_of(span)}: ISR {list(span.isr)} until {span.end_ts}",
                    f"broker {event.broker_id} was fenced at {event.ts}",
                )


@check
def an_incident_is_over_once_its_brokers_are_back(result: Result) -> Found:
    """An incident that is over ends no earlier than the brokers whose process ended have registered again."""
    begun = defaultdict(list)
    for session in result.rows("broker_sessions"):
        if session.start_ts is not None:
            begun[session.broker_id].append(session.start_ts)
    incident_of = {row.finding_id: row.incident_id for row in result.rows("findings") if row.role == "root_cause"}
    ends = {row.incident_id: row.end_ts for row in result.rows("incidents") if row.is_over and row.end_ts is not None}
    for fault in result.rows("faults"):
        end = ends.get(incident_of.get(fault.fault_id))
        if end is None or fault.kind not in ENDED:
            continue
        later = [ts for ts in begun[fault.broker_id] if ts > fault.began_high]
        if later and min(later) > end + CLOCKS:
            yield (
                f"{incident_of[fault.fault_id]}: over by {end}",
                f"broker {fault.broker_id} registered at {min(later)}",
            )


@check
def a_session_that_bounds_a_death_lasted_until_then(result: Result) -> Found:
    """The session of a broker bounds its death only if it ended after the last line of its process."""
    ended = defaultdict(list)
    for session in result.rows("broker_sessions"):
        if session.end_ts is not None:
            ended[session.broker_id].append(session.end_ts)
    faults = by_id(result, "faults")
    for row in result.rows("findings"):
        fault = faults.get(row.finding_id)
        for text in row.blind_spots or ():
            if fault is None or fault.began_low is None or "its session and its next start bound its death" not in text:
                continue
            if not any(end >= fault.began_low for end in ended[fault.broker_id]):
                yield text, f"no session of broker {fault.broker_id} ended after {fault.began_low}"


@check
def a_dead_broker_does_not_register(result: Result) -> Found:
    """No bar has a broker as dead or frozen beyond the time at which it registered again."""
    for mark in result.marks:
        found = _ABSENT.search(mark.hover)
        for session in result.rows("broker_sessions") if found else ():
            start = session.start_ts
            if session.broker_id == int(found[1]) and start and mark.start + CLOCKS < start < mark.end - CLOCKS:  # type: ignore[index]
                yield f"{found[0]} from {mark.start} to {mark.end}", f"it registered at {start}"  # type: ignore[index]


@check
def a_time_that_is_sure_lies_within_its_bounds(result: Result) -> Found:
    """A bar that has a broker as certainly dead or frozen lies between the latest begin and the earliest end of a fault."""
    faults = [fault for fault in result.rows("faults") if fault.kind in (*ENDED, "stopped", *_FROZEN)]
    sure = [mark for mark in result.marks if mark.meta == "absent"]
    for mark in sure:
        found = _ABSENT.search(mark.hover)
        own = [f for f in faults if found and f.broker_id == int(found[1]) and f.began_high is not None]
        if own and not any(f.began_high <= mark.start + CLOCKS for f in own):
            yield f"{mark.hover}: certain from {mark.start}", f"it began by {min(f.began_high for f in own)}"


@check
def nothing_here_could_lose_means_that_nothing_was_cut(result: Result) -> Found:
    """A truncation within the time of an incident is one that could have lost data."""
    for one in result.printed:
        found = re.fullmatch(r"incident-(.+)", one.place) if _NOTHING_HERE in one.text else None
        row = next((i for i in result.rows("incidents") if found and i.incident_id == found[1]), None)
        for cut in result.rows("truncations") if row is not None else ():
            is_within = row.start_ts <= cut.ts and (row.end_ts is None or cut.ts <= row.end_ts)
            if is_within and (cut.log_end_offset or 0) > cut.truncation_offset and not cut.by_recovery:
                yield (
                    one.text,
                    f"{name_of(cut)}: broker {cut.node_id} cut {cut.log_end_offset} to {cut.truncation_offset}",
                )


@check
def lost_records_are_younger_than_the_last_fetch_of_the_rest(result: Result) -> Found:
    """Records above an offset at which the leader's log still ended at some time were written after that time."""
    ends = defaultdict(list)
    for row in result.rows("high_watermarks"):
        if row.role == "leader" and row.log_end_offset is not None and row.ts is not None:
            ends[name_of(row), row.node_id].append((row.ts, row.log_end_offset))
    for row in result.rows("follower_positions"):
        if row.leader_log_end_offset is not None and row.ts is not None:
            ends[name_of(row), row.leader_id].append((row.ts, row.leader_log_end_offset))
    for loss in result.rows("losses"):
        if loss.written_low is None or loss.from_offset is None or loss.old_leader_id is None:
            continue
        before = [
            ts
            for ts, end in ends[name_of(loss), loss.old_leader_id]
            if end <= loss.from_offset and all(until is None or ts < until for until in (loss.ts, loss.written_high))
        ]
        if before and loss.written_low < max(before) - CLOCKS:
            yield (
                f"{name_of(loss)}: lost records written from {loss.written_low}",
                f"its log ended at or below them at {max(before)}",
            )


@check
def what_keeps_a_broker_fenced_did_not_let_it_back(result: Result) -> Found:
    """A line about a heartbeat with an old broker epoch keeps no broker fenced that had registered with a later one."""
    for one in result.printed:
        found = re.search(r"stays fenced until it registers again", one.text)
        lines = [e for e in result.rows("events") if found and e.kind == "kraft_event_failed" and e.ts is not None]
        for line in lines:
            epochs = re.search(r"Expected broker epoch (\d+)\D{1,40}got broker epoch (\d+)", line.message or "")
            for session in result.rows("broker_sessions") if epochs else ():
                if session.broker_epoch == int(epochs[1]) and session.start_ts and session.start_ts < line.ts:  # type: ignore[index]
                    yield (
                        one.text,
                        f"broker {session.broker_id} had registered with {session.broker_epoch} at {session.start_ts}",
                    )


@check
def who_ran_was_not_frozen(result: Result) -> Found:
    """A broker whose session timed out "although the process ran" was not frozen then."""
    frozen = [fault for fault in result.rows("faults") if fault.kind in _FROZEN and fault.began_high is not None]
    ends = [session for session in result.rows("broker_sessions") if session.end_ts is not None]
    for _, text in [*sentences(result), *((None, one.text) for one in result.printed)]:
        found = re.search(r"session with broker epoch (\d+) ended because it timed out, although the process ran", text)
        for session in ends if found else ():
            over = [f for f in frozen if f.broker_id == session.broker_id and session.broker_epoch == int(found[1])]  # type: ignore[index]
            for fault in over:
                until = fault.ended_low or fault.ended_high
                if fault.began_high <= session.end_ts and (until is None or session.end_ts <= until):
                    yield text, f"{fault.fault_id}: frozen at {session.end_ts}"
