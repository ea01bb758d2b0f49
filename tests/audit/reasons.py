"""Reasons: of a time, of a change and of a line. Each cause had begun, was of that node, and could act then."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

from tests.audit.checks import CLOCKS, Found, by_id, check, name_of, overlap
from tests.audit.printed import PAGE, Result

_DEAD_OR_FROZEN = ("leader_dead", "leader_frozen")
_WAITS = ("waiting_for_isr_member", "waiting_for_dropped_replica", "waiting_for_next_write")
_OWN_HOST = re.compile(
    r"Invalid argument|Operation not permitted|Permission denied|Network is unreachable|No route to host"
)
_CAUSED = re.compile(
    r"Caused by: .*?\((?P<code>F\d\d), (?:began between )?(?P<since>[\d: -]+?)(?: and |, over by | to |\))"
)
_LINE = re.compile(r"(?:line|first) ([\w./-]+:\d+)$")
_BEHIND = "behind for longer than replica.lag.time.max.ms"
_CRASHED = re.compile(r"Caused by: (?:broker|controller|node) (\d+) crashed or was killed")
_NOT_REACHED = re.compile(r"A fetch .* failed|could not connect")
_ONE_REQUEST = timedelta(seconds=1)


@check
def a_leader_that_was_replaced_had_a_successor(result: Result) -> Found:
    """ "Another leader elected" is no reason of a time before any other leader of that partition, or none, was known."""
    epochs = defaultdict(list)
    for epoch in result.rows("leader_epochs"):
        if epoch.start_ts is not None:
            epochs[name_of(epoch)].append(epoch)
    for row in result.rows("availability"):
        if row.reason != "leader_deposed" or row.end_ts is None:
            continue
        own = sorted(epochs[name_of(row)], key=lambda e: e.leader_epoch)
        changes = [b.start_ts for a, b in pairwise(own) if a.leader_id != b.leader_id]
        if own and not own[0].begun_before and not any(ts <= row.end_ts + CLOCKS for ts in changes):
            yield f"{name_of(row)}: its leader was replaced by {row.end_ts}", "no other leader had been elected"


@check
def a_leader_that_waits_for_a_follower_is_not_dead(result: Result) -> Found:
    """At one time the leader of a partition does not both wait for a member of its ISR and lie dead."""
    waits = defaultdict(list)
    for row in result.rows("availability"):
        if row.acks == "all" and row.state == "closed" and row.reason in _WAITS:
            waits[name_of(row)].append(row)
    for row in result.rows("availability"):
        if row.acks != "1" or row.state != "closed" or row.reason not in _DEAD_OR_FROZEN:
            continue
        start, end = row.start_ts + CLOCKS, None if row.end_ts is None else row.end_ts - CLOCKS
        for wait in waits[name_of(row)]:
            if (end is None or start < end) and overlap(wait.start_ts, wait.end_ts, start, end):
                yield (
                    f"{name_of(row)}: leader dead from {row.start_ts}",
                    f"it waits for a follower from {wait.start_ts}",
                )


@check
def a_reason_that_names_a_fault_falls_into_its_time(result: Result) -> Found:
    """A time in which the leader is certainly dead or frozen begins no earlier than the fault that it names."""
    faults = by_id(result, "faults")
    for row in result.rows("availability"):
        fault = faults.get(row.fault_id)
        if fault is None or row.state != "closed" or row.reason not in _DEAD_OR_FROZEN or fault.began_high is None:
            continue
        if row.start_ts + CLOCKS < fault.began_high:
            yield f"{name_of(row)}: {row.reason} from {row.start_ts}", f"{fault.fault_id} began by {fault.began_high}"


@check
def a_replica_fell_behind_after_the_begin_of_its_cause(result: Result) -> Found:
    """What made a replica leave an ISR for lag had begun when it last caught up, or just after."""
    behind = defaultdict(list)
    for row in result.rows("follower_positions"):
        if row.source == "isr_shrink" and row.caught_up_ts is not None:
            behind[name_of(row)].append(row)
    vertices = by_id(result, "vertices")
    ends = by_id(result, "faults")
    for edge in result.rows("edges"):
        dst, fault = vertices.get(edge.dst), ends.get(edge.src)
        if edge.rank != 1 or fault is None or dst is None or dst.kind != "isr_shrink" or dst.ts is None:
            continue
        begin = fault.began_low
        for row in behind[name_of(dst)]:
            is_own = row.node_id == fault.broker_id and abs(row.ts - dst.ts) <= CLOCKS
            if is_own and begin is not None and begin > row.caught_up_ts + timedelta(seconds=10):
                yield (
                    f"{edge.because}: {fault.fault_id} from {begin}",
                    f"broker {row.node_id} was behind since {row.caught_up_ts}",
                )


def consequences(result: Result) -> Iterator[tuple[str, str, str]]:
    """The messages under the causes of "What the lines say": the heading of the cause, the message, and its first line."""
    cause = ""
    for one in result.printed:
        if one.surface != PAGE or one.place != "lines":
            continue
        if one.text.startswith("Caused by: "):
            cause = one.text
        elif re.match(r"\w+: \d+ messages?$", one.text):
            cause = ""
        elif cause and (line := _LINE.search(one.text)):
            yield cause, one.text, line[1]


@check
def what_a_line_follows_from_had_begun(result: Result) -> Found:
    """A message under a cause is not older than it; one about a replica behind for long is that much younger."""
    lines = by_id(result, "events")
    lags = [int(s.value) for s in result.rows("settings") if s.name == "replica.lag.time.max.ms" and s.value.isdigit()]
    for cause, text, line_id in consequences(result):
        found, line = _CAUSED.search(cause), lines.get(line_id)
        if found is None or line is None or line.ts is None:
            continue
        since = _time_on(line.ts, found["since"].strip())
        least = timedelta(milliseconds=min(lags)) if _BEHIND in text and lags else timedelta(0)
        if since is not None and line.ts + CLOCKS < since + least:
            yield f"{cause}: {text}", f"{line_id} at {line.ts}"


def _time_on(near: Any, text: str) -> Any:
    """The time `HH:MM:SS` on the day of `near`; None for one with a date."""
    found = re.fullmatch(r"(\d\d):(\d\d):(\d\d)", text)
    if found is None:
        return None
    return near.replace(hour=int(found[1]), minute=int(found[2]), second=int(found[3]), microsecond=0)


@check
def a_connection_that_the_own_host_rejects_has_no_crash_as_its_cause(result: Result) -> Found:
    """A request that fails just after the node's own host rejected its connection says nothing of the other end."""
    rejected = defaultdict(list)
    lines = by_id(result, "events")
    for event in lines.values():
        if event.kind == "node_connect_error" and event.ts is not None:
            peer = re.search(r"\(id: (\d+)", event.message or "")
            if peer and _OWN_HOST.search(str(dict(event.details or {}).get("exception", ""))):
                rejected[event.node_id, int(peer[1])].append(event.ts)
    for cause, text, line_id in consequences(result):
        line, node = lines.get(line_id), _CRASHED.search(cause)
        if node is None or line is None or line.ts is None or not _NOT_REACHED.search(text):
            continue
        times = [ts for ts in rejected[line.node_id, int(node[1])] if timedelta(0) <= line.ts - ts <= _ONE_REQUEST]
        if times:
            yield f"{cause}: {text}", f"the host of node {line.node_id} rejected the connection itself at {times[0]}"


_VERSION = re.compile(r"Kafka version: (\d+)\.(\d+)(?:\.(\d+))?")  # AppInfoParser, as a process starts


@check
def an_issue_of_some_releases_is_told_of_these(result: Result) -> Found:
    """ "From 2.7 to 3.4.0 … (KAFKA-14704)" is told only if a node can have such a release."""
    printed = ((row.node_id, _VERSION.match(row.message or "")) for row in result.rows("events"))
    known = {node: _number(found.groups(), 0) for node, found in printed if found is not None}
    all_known = known and known.keys() >= {row.broker_id for row in result.rows("broker_sessions")}
    for one in result.printed if all_known else ():
        found = re.search(r"From (\d+)\.(\d+)(?:\.(\d+))? to (\d+)\.(\d+)(?:\.(\d+))? [^.]*?\(KAFKA-\d+\)", one.text)
        if found is None or one.place == "glossary":
            continue
        first, last = _number(found.groups()[:3], 0), _number(found.groups()[3:], 99)
        if not any(first <= release <= last for release in known.values()):
            yield one.text, f"releases {sorted(set(known.values()))}"


def _number(parts: tuple[str | None, ...], patch: int) -> int:
    major, minor, last = parts
    return int(major or 0) * 10_000 + int(minor or 0) * 100 + int(last or patch)


@check
def a_node_without_files_is_not_silent(result: Result) -> Found:
    """That a node has no line of its own from a time shows nothing if no file of it was read."""
    with_files = {row.node_id for row in result.rows("coverage")}
    faults = by_id(result, "faults")
    for row in result.rows("findings"):
        fault = faults.get(row.finding_id)
        if fault is None or fault.broker_id is None or fault.broker_id in with_files:
            continue
        if re.search(r"these logs hold no line of its own|stopped logging", row.summary or ""):
            yield row.summary, f"coverage: no file of node {fault.broker_id}"
