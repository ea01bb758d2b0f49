"""A cause begins before its effect, is of its partition, and its condition holds then."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict

from tests.audit.checks import CLOCKS, Found, by_id, check, name_of
from tests.audit.printed import Result


@check
def causes_begin_before_their_effects(result: Result) -> Found:
    vertices = by_id(result, "vertices")
    for edge in result.rows("edges"):
        src, dst = vertices.get(edge.src), vertices.get(edge.dst)
        if edge.rank != 1 or src is None or dst is None or None in (src.ts, dst.ts):
            continue
        begin = src.began_low if src.began_low is not None else src.ts
        if begin > dst.ts + CLOCKS:
            yield f"{edge.because} ({edge.relation})", f"cause at {begin}, effect at {dst.ts}"


@check
def causes_are_of_their_partition(result: Result) -> Found:
    vertices = by_id(result, "vertices")
    for edge in result.rows("edges"):
        src, dst = vertices.get(edge.src), vertices.get(edge.dst)
        if edge.rank != 1 or src is None or dst is None or not (src.topic and dst.topic):
            continue
        if (src.topic, src.partition) != (dst.topic, dst.partition):
            yield f"{edge.because} ({edge.relation})", f"{name_of(src)} is not {name_of(dst)}"


@check
def rejected_writes_follow_from_an_isr_below_the_minimum(result: Result) -> Found:
    """R15: the ISR of the cause is smaller than min.insync.replicas, as far as that is known."""
    vertices = by_id(result, "vertices")
    minimum = {name_of(s): s.min_isr for s in result.rows("isr_spans") if s.min_isr is not None}
    for edge in result.rows("edges"):
        src, dst = vertices.get(edge.src), vertices.get(edge.dst)
        if edge.rank != 1 or src is None or dst is None or src.kind != "isr_shrink" or dst.kind != "writes_refused":
            continue
        if edge.aspect == "left_isr_before":
            continue
        found = re.search(r"ISR \[([\d,]*)\]", src.label or "")
        needed = minimum.get(name_of(dst))
        if found and needed is not None and len(found[1].split(",")) >= needed:
            yield f"{edge.because} ({edge.relation})", f"min.insync.replicas={needed}"


@check
def members_that_had_left_before_were_out(result: Result) -> Found:
    """R15: no ISR of the partition since the earlier shrink, up to the rejected writes, holds the members again."""
    vertices = by_id(result, "vertices")
    for edge in result.rows("edges"):
        src, dst = vertices.get(edge.src), vertices.get(edge.dst)
        if edge.aspect != "left_isr_before" or src is None or dst is None or dst.ts is None:
            continue
        out = set(map(int, re.findall(r"\d+", (edge.because or "").split(" had left")[0])))
        for state in result.rows("isr_spans"):
            is_meanwhile = state.start_ts > src.ts and state.start_ts < dst.ts - CLOCKS
            if name_of(state) == name_of(dst) and is_meanwhile and out & set(state.isr):
                yield edge.because, f"ISR {list(state.isr)} at {state.start_ts}"


@check
def waits_end_with_what_is_said_to_end_them(result: Result) -> Found:
    """What ended a wait is an event of that partition at that time."""
    epochs, isrs = defaultdict(list), defaultdict(list)
    for epoch in result.rows("leader_epochs"):
        epochs[name_of(epoch)].append(epoch)
    for state in result.rows("isr_spans"):
        isrs[name_of(state)].append(state)
    for row in result.rows("availability"):
        if row.ended_by is None or row.end_ts is None:
            continue
        if row.ended_by == "isr_shrank":
            own = sorted(
                (s for s in isrs[name_of(row)] if s.leader_id is not None and s.leader_id >= 0),
                key=lambda s: s.start_ts,
            )
            shrank = [
                (before, after)
                for before, after in itertools.pairwise(own)
                if set(after.isr) < set(before.isr) and after.start_ts <= row.end_ts + CLOCKS
            ]
            if not shrank:
                yield f"{name_of(row)}: {row.ended_by} at {row.end_ts}", "no ISR of it shrank by then"
        if row.ended_by == "leader_elected":
            begun = [e for e in epochs[name_of(row)] if e.start_ts is not None and e.start_ts <= row.end_ts + CLOCKS]
            last = max(begun, key=lambda e: e.leader_epoch, default=None)
            before = [
                e for e in begun if last is not None and e.leader_epoch < last.leader_epoch and (e.leader_id or -1) >= 0
            ]
            if last is None or (before and max(before, key=lambda e: e.leader_epoch).leader_id == last.leader_id):
                yield f"{name_of(row)}: {row.ended_by} at {row.end_ts}", "no other leader began"


@check
def lines_of_a_row_are_of_its_partition(result: Result) -> Found:
    """Evidence names events of this input, and of this partition if the event names one."""
    events = by_id(result, "events")
    for table, columns in (
        ("leader_epochs", ("evidence",)),
        ("isr_spans", ("evidence",)),
        ("truncations", ("evidence",)),
        ("availability", ("end_evidence",)),
    ):
        for row in result.rows(table):
            for one in (line for name in columns for line in getattr(row, name) or ()):
                event = events.get(one)
                if event is None or not event.topic or event.partition is None or not row.topic:
                    continue
                if (event.topic, event.partition) != (row.topic, row.partition):
                    yield f"{table} {name_of(row)}", f"{one} is of {name_of(event)}"


@check
def what_is_observed_has_lines(result: Result) -> Found:
    for table in ("leader_epochs", "isr_spans"):
        for row in result.rows(table):
            if row.confidence == "observed" and not row.evidence:
                yield f"{table} {name_of(row)} epoch {row.leader_epoch} observed", "no line"


@check
def sessions_end_before_what_their_end_causes(result: Result) -> Found:
    """R4: a leader or ISR changes because a session ended only after that session ended."""
    vertices = by_id(result, "vertices")
    for edge in result.rows("edges"):
        src, dst = vertices.get(edge.src), vertices.get(edge.dst)
        if edge.rank != 1 or src is None or dst is None or src.kind != "detected":
            continue
        if dst.ts is not None and src.ts is not None and src.ts > dst.ts + CLOCKS:
            yield edge.because, f"session ended {src.ts}, effect {dst.ts}"


@check
def elections_by_a_sessions_end_have_one(result: Result) -> Found:
    """ "End of the previous leader's session" needs a session of that broker that ended by then and no preferred return."""
    ends = defaultdict(list)
    for session in result.rows("broker_sessions"):
        if session.end_ts is not None:
            ends[session.broker_id].append(session.end_ts)
    known = {s.broker_id for s in result.rows("broker_sessions")}
    for row in result.rows("elections"):
        if (
            row.trigger == "broker_failure"
            and row.old_leader_id in known
            and row.ts is not None
            and ends[row.old_leader_id]
        ) and min(ends[row.old_leader_id]) > row.ts + CLOCKS:
            yield (
                f"{name_of(row)} at {row.ts}: end of the previous leader's session",
                f"first end {min(ends[row.old_leader_id])}",
            )


@check
def effects_stand_after_the_first_root(result: Result) -> Found:
    """No effect of an incident ends before the first of its root causes can have begun."""
    first = {}
    for row in result.rows("findings"):
        if row.role == "root_cause" and row.incident_id is not None:
            begin = row.began_low if row.began_low is not None else row.start_ts
            if begin is not None:
                first[row.incident_id] = min(begin, first.get(row.incident_id, begin))
    for row in result.rows("findings"):
        if row.role == "effect" and row.incident_id in first and row.start_ts is not None:
            end = row.end_ts if row.end_ts is not None else row.start_ts
            if end + CLOCKS < first[row.incident_id]:
                yield row.title, f"ends {end}, before the first root {first[row.incident_id]}"


@check
def a_lost_majority_lacked_enough_voters(result: Result) -> Found:
    """Too few voters for a majority were left only if as many were missing, or did not reach each other, as the cited faults show."""
    faults = by_id(result, "faults")
    missing = defaultdict(set)
    for edge in result.rows("edges"):
        if edge.rank == 1 and edge.reason == "voters_left_were_no_majority" and edge.src in faults:
            fault = faults[edge.src]
            missing[edge.dst].add(("link", fault.ts) if fault.kind == "link_cut" else ("node", fault.broker_id))
    for lost, nodes in missing.items():
        voters = len(faults[lost].peers) if lost in faults and faults[lost].peers is not None else 0
        if 2 * (voters - len(nodes)) > voters:
            yield f"{lost}: the remaining voters were not a majority", f"{len(nodes)} of {voters} were missing"
