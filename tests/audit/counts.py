"""Counts: each is counted again over the rows that it is of."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import timedelta
from typing import Any

from tests.audit.checks import CLOCKS, Found, check, isr_changes, name_of
from tests.audit.printed import PAGE, Result

_TIMES = (
    "leaderless_ms",
    "under_min_isr_ms",
    "at_min_isr_ms",
    "under_replicated_ms",
    "blocked_all_min_ms",
    "blocked_one_min_ms",
)
_HEADING = re.compile(r"^(?P<name>[\w.-]+-\d+) (?P<counts>\d+ leader epochs?, .*)$")
_ELECTED = re.compile(
    r"^(?P<at>\d\d:\d\d:\d\d\.\d{3}) elected leader of (?P<names>.+?)(?:, the last at (?P<last>\d\d:\d\d:\d\d\.\d{3}))? \S+/\S+"
)
_WITH_SESSION = re.compile(
    r"^broker (\d+) .*left ISRs (?:at least )?([\d,]+) times?, each within 30 s of the end of its session"
)
_NEAR = timedelta(seconds=30)
_COUNTED = {
    "leader epochs": "leader epoch",
    "truncations": "truncation",
    "losses": "loss",
    "possible losses": "possible loss",
}


@check
def replicas_that_left_isrs_are_counted(result: Result) -> Found:
    """A table of departures counts no fewer than the ISRs that lost the replica, also those that lost their leader with it."""
    if any(span.confidence != "observed" for span in result.rows("isr_spans")):
        return
    shrinks = [(set(a.isr), set(b.isr)) for a, b in isr_changes(result)]
    left = Counter(broker for before, after in shrinks if after < before for broker in before - after)
    told: Counter[int] = Counter()
    for row in result.rows("isr_drops"):
        told[row.broker_id] += row.drops
    for broker, number in left.items():
        if told and told[broker] < number:
            yield f"broker {broker} left ISRs {told[broker]} times", f"isr_spans: {number} times"


@check
def departures_with_a_session_are_near_its_end(result: Result) -> Found:
    """ "Each within 30 s of the end of its session" holds of each."""
    ends = defaultdict(list)
    for session in result.rows("broker_sessions"):
        if session.end_ts is not None:
            ends[session.broker_id].append(session.end_ts)
    left = defaultdict(list)
    for a, b in isr_changes(result):
        for broker in set(a.isr) - set(b.isr):
            left[broker].append(b.start_ts)
    for one in result.printed:
        found = _WITH_SESSION.match(one.text) if one.place == "brokers" else None
        for ts in left[int(found[1])] if found else ():
            if not any(abs(ts - end) <= _NEAR + CLOCKS for end in ends[int(found[1])]):  # type: ignore[index]
                yield one.text, f"left at {ts}, and no session ended then"


@check
def summed_times_fit_into_their_incident(result: Result) -> Found:
    """What is summed over partitions is no longer than all partitions for the whole incident, unless it is counted from before."""
    partitions = len({name_of(epoch) for epoch in result.rows("leader_epochs")})
    last = max((event.ts for event in result.rows("events") if event.ts is not None), default=None)
    if any("; counted from" in one.text for one in result.printed):
        return
    for row in result.rows("incidents"):
        begin = row.t0_low if row.t0_low is not None else row.start_ts
        if begin is None or last is None or (row.is_over and row.end_ts is None):
            continue
        most = partitions * ((last - begin) / timedelta(milliseconds=1) + 2_000)
        for name in _TIMES:
            if (getattr(row, name) or 0) > most:
                yield (
                    f"{row.incident_id}: {name} {getattr(row, name)}",
                    f"{partitions} partitions from {begin} to {last}",
                )


@check
def headings_of_partitions_count_their_rows(result: Result) -> Found:
    """The heading of a partition counts its leader epochs, its truncations and its losses."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for epoch in result.rows("leader_epochs"):
        counts[name_of(epoch)]["leader epoch"] += 1
    for cut in result.rows("truncations"):
        counts[name_of(cut)]["truncation"] += 1
    for loss in result.rows("losses"):
        counts[name_of(loss)]["loss"] += loss.verdict == "PROVEN_LOSS"
        counts[name_of(loss)]["possible loss"] += loss.verdict == "POSSIBLE_LOSS"
    for one in result.printed:
        found = _HEADING.match(one.text) if one.place == "partitions" and one.surface == PAGE else None
        for part in found["counts"].split(", ") if found else ():
            number, _, what = part.partition(" ")
            what = _COUNTED.get(what, what)
            known = counts[found["name"]][what]  # type: ignore[index]
            if what in _COUNTED.values() and number.isdigit() and int(number) != known:
                yield one.text, f"{known} {what}"


@check
def who_is_elected_led_then_and_not_before(result: Result) -> Found:
    """A broker is elected leader of each partition of a step within the times of the step; another leader, or none, led before."""
    begun = defaultdict(list)
    for epoch in result.rows("leader_epochs"):
        if epoch.start_ts is not None and epoch.leader_id is not None:
            begun[name_of(epoch), epoch.leader_id].append(epoch)
    broker = None
    for one in result.printed:
        if one.surface != PAGE or one.place != "brokers":
            continue
        if head := re.match(r"broker (\d+) ", one.text):
            broker = int(head[1])
        found = _ELECTED.match(one.text)
        if found is None or broker is None or "…" in found["names"] or "partitions" in found["names"]:
            continue
        at, until = found["at"], found["last"] or found["at"]
        for name in re.split(r", | and ", found["names"]):
            own = [e for e in begun[name, broker] if at <= f"{e.start_ts:%H:%M:%S.%f}"[:-3] <= until]
            if begun[name, broker] and not own:
                yield (
                    one.text,
                    f"{name}: its leader epochs of broker {broker} began at {[str(e.start_ts) for e in begun[name, broker]]}",
                )
            if own and all(e.old_leader_id == broker and not e.leaderless_ms for e in own):
                yield one.text, f"{name}: broker {broker} led it before"


@check
def stored_without_an_answer_began_in_its_incident(result: Result) -> Found:
    """Offsets that are stored "at least" without an answer in an incident are those of partitions whose wait began in it."""
    waits: dict[str, list[Any]] = defaultdict(list)
    for row in result.rows("availability"):
        if row.acks == "all":
            waits[name_of(row)].append(row)
    begins = {name: _wait_begins(own) for name, own in waits.items()}
    for row in result.rows("incidents"):
        begin = row.t0_low
        for number, topic in re.findall(r"at least ([\d,]+) offsets of ([\w.-]+)", row.unanswered or ""):
            own = [ts for name, times in begins.items() for ts in times if name.rpartition("-")[0] == topic]
            is_within = begin is None or any(
                ts >= begin - CLOCKS and (row.end_ts is None or ts <= row.end_ts + CLOCKS) for ts in own
            )
            if own and not is_within:
                yield f"{row.incident_id}: at least {number} offsets of {topic}", f"no wait of {topic} began in it"


def _wait_begins(rows: list[Any]) -> list[Any]:
    """When the waits of a partition began: times without a break in which writes were not known to be accepted."""
    begins, open_until = [], None
    for row in sorted(rows, key=lambda row: row.start_ts):
        if row.state == "open" or row.reason == "leader_not_logged":
            open_until = None
            continue
        if open_until is None or row.start_ts > open_until:
            begins.append(row.start_ts)
        open_until = (row.end_ts or row.start_ts) if row.ended_by is None else None
    return begins


@check
def an_entry_from_before_the_logs_is_of_an_older_partition(result: Result) -> Found:
    """An entry of a checkpoint file is not older than the logs if its partition was created in them."""
    created = {
        name_of(e)
        for e in result.rows("leader_epochs")
        if e.leader_epoch == 0 and e.reason == "created" and not e.begun_before
    }
    for grid in result.grids:
        if not grid.caption.startswith("Changes of the leader-epoch checkpoints"):
            continue
        for row in grid.rows:
            if row and row[0] in created and any("before the logs begin" in cell for cell in row):
                yield " | ".join(row), f"{row[0]} was created in these logs"


@check
def a_list_of_controllers_is_no_longer_than_there_are(result: Result) -> Found:
    """ "Controllers 101, 102 and 2 more" are as many controllers as there can be."""
    nodes = {c.controller_id for c in result.rows("controllers")} | {row.node_id for row in result.rows("coverage")}
    brokers = {session.broker_id for session in result.rows("broker_sessions")}
    known = {node for row in result.rows("voter_sets") for node in row.voters or ()} or nodes - brokers
    for one in result.printed:
        for found in re.finditer(r"((?:controller \d+(?: at \S+)?(?:, | and )){2,})(\d+) more", one.text):
            number = len(re.findall(r"controller \d+", found[1])) + int(found[2])
            if known and number > len(known):
                yield found[0], f"{len(known)} controllers"
