"""*No, none, never, all, only, still, unknown, at the same time*: each against every row of its key."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pandas as pd

from replay.closing.absolutes import DENIES_A_LOSS
from tests.audit.checks import CLOCKS, ENDED, GONE, OPEN, Found, by_id, check, isr_changes, name_of, overlap, sentences
from tests.audit.printed import PAGE, TERMINAL, Result

AT_ONCE = timedelta(seconds=5)


@check
def none_lost_means_no_verdict_of_loss(result: Result) -> Found:
    for row in result.rows("incidents"):
        for text, is_committed in ((row.lost_committed, True), (row.lost_uncommitted, False)):
            own = [
                x
                for x in result.rows("losses")
                if x.incident_id == row.incident_id
                and x.verdict in OPEN
                and (x.loss_class == "committed") == is_committed
                and x.to_offset_high != x.from_offset
            ]
            if text == "none found" and own:
                yield f"{row.incident_id}: {text}", f"losses: {name_of(own[0])} {own[0].verdict}"


@check
def losses_that_an_incident_contributed_to_are_told(result: Result) -> Found:
    """An incident whose fault kept followers from copying lost records says so, and only such an incident does; the records count
    only in the incident of the loss.
    """
    of_fault = {f.finding_id: f.incident_id for f in result.rows("findings")}
    theirs = defaultdict(list)
    for loss in result.rows("losses"):
        for incident_id in {of_fault.get(fault) for fault in loss.contributing_ids or ()} - {None, loss.incident_id}:
            theirs[incident_id].append(loss)
    for row in result.rows("incidents"):
        text = " ".join(row.contributed_to or ())
        for loss in theirs[row.incident_id]:
            if name_of(loss) not in text:
                yield (
                    f"{row.incident_id}: {row.lost_uncommitted}",
                    f"its fault contributed to the loss of {name_of(loss)}",
                )
        sizes = [x.to_offset_high - x.from_offset for x in theirs[row.incident_id] if x.to_offset_high is not None]
        if text and not theirs[row.incident_id]:
            yield f"{row.incident_id}: {text}", "no row of losses names its faults"
        if text and len(sizes) == len(theirs[row.incident_id]) and row.contributed_offsets != sum(sizes):
            yield f"{row.incident_id}: {row.contributed_offsets} offsets", f"losses: {sum(sizes)}"


@check
def no_loss_anywhere(result: Result) -> Found:
    lost = [x for x in result.rows("losses") if x.verdict == "PROVEN_LOSS" and x.loss_class == "committed"]
    for one in result.printed:
        if lost and "No loss of committed records was found" in one.text:
            yield one.text, f"losses: {name_of(lost[0])}"


@check
def no_meaning_denies_a_loss(result: Result) -> Found:
    """What a line means may lose nothing by itself; that nothing is lost other lines decide."""
    lost = [x for x in result.rows("losses") if x.verdict in GONE]
    for one in result.printed:
        if lost and DENIES_A_LOSS.search(one.text) and one.place not in ("/log_lines", "glossary"):
            yield one.text, f"losses: {name_of(lost[0])} {lost[0].verdict}"


@check
def never_down_is_never_closed(result: Result) -> Found:
    """A topic that the page calls never down has no closed time in the incidents."""
    closed = {row.topic for row in result.rows("availability") if row.state == "closed"}
    for one in result.printed:
        found = re.search(r"Never down: ([^.]*(?:\.[^ .][^.]*)*)\.", one.text)
        for topic in re.split(r", | and ", found[1]) if found else ():
            if topic in closed:
                yield one.text, f"availability: {topic} closed"


@check
def what_is_not_back_did_not_come_back(result: Result) -> Found:
    """A broker that is not back has no later session, and no line of a later start."""
    last_start: dict[int, Any] = {}
    for session in result.rows("broker_sessions"):
        if session.start_ts is not None and session.end_ts is None:
            last_start[session.broker_id] = session.start_ts
    for statement, fault in _not_back(result):
        begun = last_start.get(fault.broker_id)
        if begun is not None and begun > fault.began_high + CLOCKS:
            yield statement, f"session from {begun}"


@check
def what_is_not_back_joins_no_isr(result: Result) -> Found:
    """A broker that is not back is in no ISR that it joined after its end."""
    for statement, fault in _not_back(result):
        for span in _joined_after(result, fault):
            yield statement, f"in the ISR of {name_of(span)} at {span.start_ts}"


def _not_back(result: Result) -> Iterator[tuple[str, Any]]:
    """The statements that a broker is not back, each with the end of that broker."""
    begun = {f.broker_id: f for f in result.rows("faults") if f.kind in ENDED}
    for incident_id, text in sentences(result):
        for found in re.finditer(
            r"(?:^|; |, |\b)brokers? ([\d, and]+) not back|node (\d+) .{0,400}?it did not come back in these logs", text
        ):
            for broker in map(int, re.findall(r"\d+", found[1] or found[2])):
                if broker in begun:
                    yield f"{incident_id}: broker {broker} not back", begun[broker]


def _joined_after(result: Result, fault: Any) -> Iterator[Any]:
    """The ISRs that a broker joined after a fault of it, and after a state of that time without it."""
    for before, span in isr_changes(result):
        if fault.broker_id in before.isr:
            continue
        left_meanwhile = before.start_ts >= min(filter(None, (fault.began_low, fault.began_high))) - CLOCKS
        if left_meanwhile and fault.broker_id in span.isr and span.start_ts > fault.began_high + AT_ONCE:
            yield span


@check
def the_last_controller_is_the_last(result: Result) -> Found:
    for _, text in sentences(result):
        for found in re.finditer(r"node (\d+) was the active controller, and these logs show no later one", text):
            own = [c.start_ts for c in result.rows("controllers") if c.controller_id == int(found[1])]
            later = [c for c in result.rows("controllers") if own and c.start_ts > max(own)]
            if later:
                yield found[0], f"controllers: node {later[0].controller_id} from {later[0].start_ts}"


@check
def nothing_is_open_under_a_dead_leader(result: Result) -> Found:
    """A partition takes no writes while the process of its leader is certainly gone."""
    led = defaultdict(list)
    for epoch in result.rows("leader_epochs"):
        if epoch.leader_id is not None and epoch.leader_id >= 0 and epoch.start_ts is not None:
            led[epoch.leader_id].append(epoch)
    spans = defaultdict(list)
    for row in result.rows("availability"):
        if row.state == "open":
            spans[name_of(row)].append(row)
    for fault in result.rows("faults"):
        if fault.kind not in ENDED or fault.began_high is None:
            continue
        for epoch in led[fault.broker_id]:
            begin = max(fault.began_high + CLOCKS, epoch.start_ts + CLOCKS)
            ends = [ts for ts in (fault.ended_low, epoch.end_ts) if ts is not None]
            end = min(ends) - CLOCKS if ends else None
            for row in spans[name_of(epoch)] if end is None or begin < end else ():
                if overlap(row.start_ts, row.end_ts, begin, end):
                    yield f"{name_of(row)} open from {row.start_ts}", f"broker {fault.broker_id} dead from {begin}"


@check
def what_is_over_is_over(result: Result) -> Found:
    """No partition of an incident that is over ends without a leader, or closed."""
    closed = [row for row in result.rows("availability") if row.state == "closed" and row.end_ts is None]
    headless = [row for row in result.rows("leader_epochs") if row.leader_id == -1 and row.end_ts is None]
    for row in result.rows("incidents"):
        if row.is_over and row.is_open:
            yield f"{row.incident_id} is over", "some of its harm lasts"
    if by_id(result, "incidents") and all(row.is_over for row in result.rows("incidents")):
        deleted = _deleted(result)
        for one in (*closed, *headless):
            if one.topic not in deleted:
                yield "every incident is over", f"{name_of(one)} without a leader or closed at the end"


def _deleted(result: Result) -> set[str]:
    """The topics of which lines show a deletion."""
    return {row.topic for row in result.rows("events") if row.topic and "delet" in (row.kind or "")}


@check
def at_the_same_time_is_at_once(result: Result) -> Found:
    """Brokers "at the same time" have faults that begin within a few seconds of each other."""
    faults = defaultdict(list)
    for fault in result.rows("faults"):
        faults[fault.broker_id].append(fault)
    for row in result.rows("incidents"):
        found = re.search(r"; brokers? ([\d, and]+) at the same time", row.title or "")
        root = next((f for f in result.rows("faults") if f.fault_id == row.root_finding_id), None)
        for broker in map(int, re.findall(r"\d+", found[1])) if found and root is not None else ():
            near = [f for f in faults[broker] if abs(f.began_high - root.began_high) <= AT_ONCE]
            if not near:
                yield row.title, f"no fault of broker {broker} within {AT_ONCE.seconds} s of {root.began_high}"


@check
def all_partitions_are_all(result: Result) -> Found:
    """A broker that leads all partitions leads every one of them at the end."""
    last = [e for e in result.rows("leader_epochs") if e.end_ts is None and e.leader_id is not None]
    for _, text in sentences(result):
        for found in re.finditer(r"broker (\d+) leads all ([\d,]+) partitions", text):
            others = [e for e in last if e.leader_id != int(found[1]) and not e.topic.startswith("__")]
            if others:
                yield found[0], f"broker {others[0].leader_id} leads {name_of(others[0])}"


@check
def no_line_shows_acks_all(result: Result) -> Found:
    """A topic of which "no line shows" acks=all has no rejected write: only such writes are rejected for a small ISR."""
    rejected = {v.topic for v in result.rows("vertices") if v.kind == "writes_refused" and v.topic}
    for row in result.rows("incidents"):
        text = row.unanswered or ""
        if "which no line shows" in text:
            for topic in sorted(rejected):
                if re.search(rf"\b(?:offsets?|records) of {re.escape(topic)}(?![\w.-])", text):
                    yield text, f"writes of {topic} were rejected"


_NOT_KNOWN_IN_ISR = "whether the new leader was in the ISR is not known"


@check
def the_isr_before_an_election_is_looked_up(result: Result) -> Found:
    """ "Not known" is no answer where the state just before the election has the new leader in its ISR."""
    states = defaultdict(list)
    for event in result.rows("events"):
        if event.topic and event.partition is not None and event.isr and event.leader_epoch is not None:
            states[name_of(event)].append(event)
    for loss in result.rows("losses"):
        if _NOT_KNOWN_IN_ISR not in (loss.premise or ""):
            continue
        before = [
            e for e in states[name_of(loss)] if e.leader_epoch == loss.leader_epoch - 1 and loss.new_leader_id in e.isr
        ]
        if before:
            yield (
                f"{name_of(loss)} epoch {loss.leader_epoch}: {_NOT_KNOWN_IN_ISR}",
                f"{before[0].event_id}: ISR {before[0].isr}",
            )


@check
def who_led_between_is_looked_up(result: Result) -> Found:
    """ "Who led between leader epochs a and b is not logged" holds if one of them is in no row."""
    known = defaultdict(set)
    for epoch in result.rows("leader_epochs"):
        if epoch.leader_id is not None:
            known[name_of(epoch)].add(epoch.leader_epoch)
    for loss in result.rows("losses"):
        found = re.search(r"who led between leader epochs (\d+) and (\d+) is not logged", loss.premise or "")
        if found and set(range(int(found[1]) + 1, int(found[2]))) <= known[name_of(loss)]:
            yield f"{name_of(loss)}: {found[0]}", "leader_epochs has each of them"


@check
def what_began_before_the_first_leader_line_has_no_row(result: Result) -> Found:
    """Leader epochs that "began before the first line that shows a leader" have no earlier row with a leader, and no known begin."""
    for loss in result.rows("losses"):
        if "began before the first line that shows a leader of this partition" not in (loss.premise or ""):
            continue
        for epoch in result.rows("leader_epochs"):
            is_earlier = epoch.leader_epoch < loss.leader_epoch or (
                epoch.leader_epoch == loss.leader_epoch and not epoch.begun_before
            )
            if (
                (name_of(epoch), epoch.life) == (name_of(loss), loss.life)
                and is_earlier
                and (epoch.leader_id or 0) >= 0
            ):
                yield f"{name_of(loss)}: {loss.premise}", f"leader epoch {epoch.leader_epoch} began at {epoch.start_ts}"


@check
def no_holder_means_none_known(result: Result) -> Found:
    held = {x.incident_id for x in result.rows("losses") if x.verdict in GONE and x.recoverable_from}
    if held and len(result.rows("incidents")) == 1:
        for one in result.printed:
            if one.surface == PAGE and one.text == "No replica is known to hold them":
                yield one.text, f"losses of {sorted(map(str, held))}"


@check
def a_fault_that_changed_nothing_has_no_effect(result: Result) -> Found:
    effects = {e.src for e in result.rows("edges") if e.rank == 1}
    for row in result.rows("findings"):
        if "o line shows that a leader or ISR changed because of it" in (row.summary or ""):
            own = [
                e for e in result.rows("edges") if e.src == row.finding_id and e.rank == 1 and _is_state(result, e.dst)
            ]
            if row.finding_id in effects and own:
                yield row.title, f"edge to {own[0].dst}"


@check
def changed_nothing_needs_a_log_of_roles(result: Result) -> Found:
    """That no leader changed is silence, which counts only where some broker logs the leader epochs that it takes on."""
    if any(span.roles for span in result.rows("coverage_spans")):
        return
    for row in result.rows("findings"):
        if "o line shows that a leader or ISR changed because of it" in (row.summary or ""):
            yield row.title, "coverage_spans: no log has a line of roles"


@check
def no_time_without_a_leader_is_zero_over_missing_leader_epochs(result: Result) -> Found:
    """Leader epochs that no line names may have had no leader."""
    epochs = {(name_of(e), e.leader_epoch): e for e in result.rows("leader_epochs")}
    for election in result.rows("elections"):
        epoch = epochs.get((name_of(election), election.leader_epoch))
        if epoch is not None and epoch.untold_epochs and epoch.confidence != "observed" and election.leaderless_ms == 0:
            yield (
                f"{name_of(election)} {election.leader_epoch}: 0 ms without a leader",
                f"{epoch.untold_epochs} unnamed",
            )


def _is_state(result: Result, vertex_id: str) -> bool:
    """Whether it is a change of a leader or of an ISR that is harm: a preferred election gives leadership back."""
    changes = ("isr_shrink", "election", "unclean_election", "leaderless")
    back = {f"election/{name_of(e)}/{e.leader_epoch}" for e in result.rows("elections") if e.trigger == "preferred"}
    return vertex_id not in back and any(v.id == vertex_id and v.kind in changes for v in result.rows("vertices"))


@check
def without_cause_means_no_edge(result: Result) -> Found:
    """A change "without a cause in these logs" has no accepted edge."""
    caused = {e.dst for e in result.rows("edges") if e.rank == 1}
    of = defaultdict(list)
    for vertex in result.rows("vertices"):
        if vertex.topic and vertex.kind in ("leaderless", "isr_shrink", "unclean_election"):
            of[name_of(vertex)].append(vertex)
    for row in result.rows("findings"):
        if row.reason == "unexplained_changes":
            within = [
                v for name in row.partitions or () for v in of[name] if row.start_ts <= v.ts <= (row.end_ts or v.ts)
            ]
            if within and all(v.id in caused for v in within):
                yield row.title, f"{within[0].id} has a cause"


@check
def no_high_watermark_above_is_none(result: Result) -> Found:
    """ "No high watermark above its log was seen" holds against every logged high watermark of that partition before."""
    marks = defaultdict(list)
    for mark in result.rows("high_watermarks"):
        if mark.high_watermark is not None and mark.ts is not None:
            marks[name_of(mark)].append(mark)
    for loss in result.rows("losses"):
        if "no high watermark above its log was seen" not in (loss.premise or "") or loss.from_offset is None:
            continue
        if loss.ts is None:
            continue
        above = [
            m
            for m in marks[name_of(loss)]
            if m.ts < loss.ts - CLOCKS
            and m.high_watermark > loss.from_offset
            and m.leader_epoch is not None
            and m.leader_epoch < loss.leader_epoch
        ]
        if above:
            yield (
                f"{name_of(loss)} epoch {loss.leader_epoch}: {loss.premise}",
                f"high watermark {above[0].high_watermark} at {above[0].ts}",
            )


@check
def nothing_discarded_is_nothing_cut(result: Result) -> Found:
    """ "Nothing was discarded" holds if no replica that led before cut its log to follow that leader epoch."""
    cuts = defaultdict(list)
    for cut in result.rows("truncations"):
        if cut.log_end_offset is not None and cut.truncation_offset < cut.log_end_offset and not cut.by_recovery:
            cuts[name_of(cut), cut.leader_epoch, cut.node_id].append(cut)
    for loss in result.rows("losses"):
        if loss.verdict == "NO_LOSS_OBSERVED" and "nothing was discarded" in (loss.premise or ""):
            own = [
                cut
                for cut in cuts[name_of(loss), loss.leader_epoch, loss.old_leader_id]
                if loss.from_offset is not None and cut.log_end_offset > loss.from_offset
            ]
            if own:
                yield (
                    f"{name_of(loss)} epoch {loss.leader_epoch}: nothing was discarded",
                    f"truncation from {own[0].log_end_offset} to {own[0].truncation_offset}",
                )


@check
def not_registered_is_not_fenced(result: Result) -> Found:
    """A broker between two sessions with one broker epoch was fenced: it stayed registered."""
    of = defaultdict(list)
    for session in result.rows("broker_sessions"):
        of[f"broker {session.broker_id}"].append(session)
    for mark in result.marks:
        if mark.chart != "brokers" or "not registered" not in mark.hover:
            continue
        name = re.search(r"broker \d+", mark.hover)
        for before in of[name[0]] if name else ():
            after = [s for s in of[name[0]] if s.start_ts is not None and before.end_ts and s.start_ts >= before.end_ts]
            if before.end_ts is None or abs(before.end_ts - mark.start) > timedelta(milliseconds=2) or not after:
                continue
            first = min(after, key=lambda s: s.start_ts)
            if None not in (first.broker_epoch, before.broker_epoch) and first.broker_epoch == before.broker_epoch:
                yield mark.hover, f"the same broker epoch {first.broker_epoch} before and after"


@check
def a_dead_node_is_no_controller(result: Result) -> Found:
    """No mark and no hover text has a node as active controller after its process ended."""
    for mark in result.marks:
        found = re.search(r"node (\d+) was the active controller", mark.hover)
        if mark.chart != "brokers" or found is None:
            continue
        stated = re.search(r"(\d{4}-\d\d-\d\d) [\d:.]+ to (?:(\d{4}-\d\d-\d\d) )?(\d\d:\d\d:\d\d\.\d{3})", mark.hover)
        end = mark.end if stated is None else max(mark.end, pd.Timestamp(f"{stated[2] or stated[1]} {stated[3]}"))
        for fault in result.rows("faults"):
            is_own = fault.kind in ENDED and fault.broker_id == int(found[1]) and fault.began_high is not None
            if is_own and mark.start <= fault.began_high and end > fault.began_high + CLOCKS:
                yield mark.hover, f"node {found[1]} ended by {fault.began_high}"


@check
def still_open_is_open(result: Result) -> Found:
    """The table of controllers ends the tenure of a node whose process ended for good."""
    dead = {f.broker_id for f in result.rows("faults") if f.kind in ENDED and f.ended_high is None}
    for grid in result.grids:
        if grid.caption == "Active controllers":
            for row in grid.rows:
                if row[4] == "still open" and int(re.sub(r"\D", "", row[1]) or -1) in dead:
                    yield f"{row[1]} still open", "its process ended and did not come back"


@check
def a_deleted_topic_has_no_state(result: Result) -> Found:
    """Nothing is told of a topic after its logs were deleted on every replica."""
    deleted: dict[str, Any] = {}
    for event in result.rows("events"):
        if event.kind == "topic_deleted" and event.topic:
            deleted[event.topic] = max(event.ts, deleted.get(event.topic, event.ts))
    born = defaultdict(list)
    for event in result.rows("events"):
        if event.kind in ("partition_state_new", "log_created") and event.topic in deleted:
            born[event.topic].append(event.ts)
    for row in result.rows("availability"):
        is_gone = row.topic in deleted and not any(ts > deleted[row.topic] for ts in born[row.topic])
        if is_gone and row.start_ts is not None and row.start_ts > deleted[row.topic] + CLOCKS:
            yield f"{name_of(row)} {row.state} from {row.start_ts}", f"deleted at {deleted[row.topic]}"


@check
def no_fault_found_means_no_root_cause(result: Result) -> Found:
    roots = [f for f in result.rows("findings") if f.role == "root_cause" and f.severity not in ("low", "info")]
    for one in result.printed:
        if roots and one.surface in (PAGE, TERMINAL) and one.text.startswith("No fault found"):
            yield one.text, roots[0].title
