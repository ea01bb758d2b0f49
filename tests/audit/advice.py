"""Advice that is already done, or that asks for what the input holds, contradicts the rows that show it."""

from __future__ import annotations

import re
from collections import defaultdict

from tests.audit.checks import CLOCKS, ENDED, Found, by_id, check, sentences
from tests.audit.printed import Result


def _brokers(text: str) -> list[int]:
    return list(map(int, re.findall(r"\d+", text)))


@check
def brokers_that_run_need_no_start(result: Result) -> Found:
    """A broker to start has no session at the end of the logs that began after its last fault."""
    last_fault = {}
    for fault in result.rows("faults"):
        if fault.kind in ENDED and fault.began_high is not None:
            last_fault[fault.broker_id] = max(fault.began_high, last_fault.get(fault.broker_id, fault.began_high))
    running = {
        s.broker_id
        for s in result.rows("broker_sessions")
        if s.end_ts is None
        and s.start_ts is not None
        and s.broker_id in last_fault
        and s.start_ts > last_fault[s.broker_id] + CLOCKS
    }
    for row in result.rows("incidents"):
        for step in row.next_steps or ():
            found = re.match(r"^(?:Start|Before you start) brokers? ([\d, and]+)", step)
            for broker in _brokers(found[1]) if found else ():
                if broker in running:
                    yield step, f"broker {broker} has a session at the end"


def _values(result: Result, name: str) -> set[str]:
    return {s.value for s in result.rows("settings") if s.name == name and s.node_id is not None}


@check
def settings_that_are_set_need_no_setting(result: Result) -> Found:
    """Advice to set min.insync.replicas=2 is not for topics that have it."""
    minimum = defaultdict(set)
    for state in result.rows("isr_spans"):
        if state.min_isr is not None and state.end_ts is None:
            minimum[state.topic].add(state.min_isr)
    for row in result.rows("incidents"):
        for step in row.next_steps or ():
            found = re.match(r"^Set min\.insync\.replicas=2 for ([\w.\-, ]+?)(?::|$)", step)
            for topic in re.split(r", | and ", found[1]) if found else ():
                if minimum[topic] and min(minimum[topic]) >= 2:
                    yield step, f"{topic} has min.insync.replicas={min(minimum[topic])}"


@check
def files_that_were_read_are_not_asked_for(result: Result) -> Found:
    """Files of a node that are among the files read are not missing; a node that no line names has no files."""
    have = {c.node_id for c in result.rows("coverage") if c.node_id is not None and c.log_records}
    named = have | {s.broker_id for s in result.rows("broker_sessions")}
    named |= {c.controller_id for c in result.rows("controllers")}
    for one in result.printed:
        for found in re.finditer(r"(?:any file of|get the (?:logs|files) of) nodes? ([\d, and]+)", one.text):
            for node in _brokers(found[1]):
                if node in have:
                    yield one.text[:200], f"coverage has files of node {node}"


@check
def a_registered_broker_needs_no_later_start(result: Result) -> Found:
    """ "Start broker N only after its session has ended" is not for a broker that registered by itself."""
    for incident_id, text in sentences(result):
        found = re.match(r"^Start broker (\d+) only after the session", text)
        if found:
            own = [
                t for i, t in sentences(result) if i == incident_id and f"start of broker {found[1]} was refused" in t
            ]
            if any("so nothing has to be done" in t for t in own):
                yield text, "it asked again until it was registered"


@check
def a_power_failure_sends_no_end_of_stream(result: Result) -> Found:
    """A host that lost power closes no connection: a line about a closed one at the instant of death rules it out."""
    events = by_id(result, "events")
    for row in result.rows("findings"):
        if "power failure looks the same" not in (row.summary or ""):
            continue
        for one in row.evidence or ():
            event = events.get(one)
            if event is None or event.ts is None or row.began_high is None:
                continue
            closed = re.search(
                r"EndOfStreamException|Unable to read additional data|java\.io\.EOFException|Connection refused",
                event.message or "",
            )
            if (
                closed
                and abs((event.ts - row.began_high).total_seconds()) <= 0.1
                and event.node_id not in row.broker_ids
            ):
                yield row.title, f"{one}: {closed[0]}"


@check
def a_controller_that_stayed_elects(result: Result) -> Found:
    """ "No leader could be elected until a controller was active" is not said if leaders were elected meanwhile. Where no
    line shows the next controller, how long that took is not known either.
    """
    last = max((c.controller_epoch for c in result.rows("controllers")), default=None)
    last_ids = {c.controller_id for c in result.rows("controllers") if c.controller_epoch == last}
    for row in result.rows("incidents"):
        for step in row.next_steps or ():
            found = re.search(r"Node (\d+) was the active controller: no leader could be elected", step)
            if found and not row.no_controller_high_ms and int(found[1]) not in last_ids:
                yield found[0], "no time without an active controller"


@check
def one_failure_is_not_announced_twice(result: Result) -> Found:
    """Advice is given once, and not beside "Nothing to do"."""
    for row in result.rows("incidents"):
        steps = list(row.next_steps or ())
        if len(steps) != len(set(steps)):
            yield f"{row.incident_id}: a step twice", max(steps, key=steps.count)
        if any(step.startswith("Nothing to do") for step in steps) and (row.lost_offsets_min or 0) > 0:
            yield f"{row.incident_id}: Nothing to do", f"{row.lost_offsets_min} committed offsets lost"


@check
def one_root_is_of_one_incident(result: Result) -> Found:
    """Two incidents have no proof line of a root in common: one request or fault is one incident."""
    seen: dict[str, str] = {}
    for name, row in by_id(result, "incidents").items():
        for proof in row.proof or ():
            if proof["finding_id"] == row.root_finding_id:
                other = seen.setdefault(proof["event_id"], name)
                if other != name:
                    yield f"{name} and {other}", f"the same proof {proof['event_id']}"
