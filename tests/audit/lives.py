"""Lives of brokers, topics and records: sessions, waits and losses begin and end with the life that they belong to."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import timedelta
from itertools import pairwise
from typing import Any

from replay.causes.names import ended_with_process, session_end_name
from tests.audit.checks import CLOCKS, Found, by_id, check, name_of, sentences
from tests.audit.printed import Result

WAKING = timedelta(seconds=3)  # a broker that wakes logs within this what it has missed
_REGISTERED = ("broker_registered", "broker_registered_zk")
_OWN_HOST = re.compile(
    r"Exception: (?:Invalid argument|Operation not permitted|Permission denied|Network is unreachable)"
)
_ENDED_BY_HOST = re.compile(
    r"could not be established|Error connecting|Connection refused|[Nn]ode -?\d+ (?:being )?disconnected"
)


def _sessions(result: Result) -> dict[int, list[Any]]:
    of: dict[int, list[Any]] = defaultdict(list)
    for session in result.rows("broker_sessions"):
        if session.start_ts is not None:
            of[session.broker_id].append(session)
    return {broker: sorted(own, key=lambda s: s.start_ts) for broker, own in of.items()}


@check
def sessions_begin_with_their_registration(result: Result) -> Found:
    """A session with a broker epoch begins no later than the line with which the broker registered under that epoch."""
    lines = {
        (event.node_id, event.broker_epoch): event
        for event in result.rows("events")
        if event.kind in _REGISTERED and event.ts is not None and getattr(event, "broker_epoch", None) is not None
    }
    for broker, own in _sessions(result).items():
        for before, session in pairwise([None, *own]):
            line = lines.get((broker, session.broker_epoch))
            is_first = before is None or before.broker_epoch != session.broker_epoch
            if line is not None and is_first and session.start_ts > line.ts + CLOCKS:
                yield f"broker {broker} registered at {session.start_ts}", f"{line.event_id}: registered at {line.ts}"


@check
def a_session_ends_before_the_next_begins(result: Result) -> Found:
    """Two sessions of one broker have no common moment: a new registration ends the one before."""
    for broker, own in _sessions(result).items():
        for before, after in pairwise(own):
            if before.end_ts is None or before.end_ts > after.start_ts + CLOCKS:
                yield f"broker {broker}: session from {before.start_ts}", f"the next one begins at {after.start_ts}"


@check
def a_process_that_ended_is_no_stale_leader(result: Result) -> Found:
    """No broker considered itself leader while its process did not run, from its end to its next start. One that was dead as
    another was elected did not do so at all.
    """
    dead = [f for f in result.rows("faults") if f.kind in ("killed", "halted") and f.began_high is not None]
    ends = [f for f in dead if f.began_low is not None]
    for led in result.rows("deposed_leaders"):
        if led.deposed_ts is None or led.believed_ms is None:
            continue
        until = led.deposed_ts + timedelta(milliseconds=led.believed_ms)
        for end in ends:
            started = end.end_ts or end.began_high
            if end.broker_id == led.broker_id and led.deposed_ts < end.began_low and started + CLOCKS < until:
                yield f"{name_of(led)}: broker {led.broker_id} was a stale leader until {until}", f"{end.fault_id}"
        for end in dead:
            back = end.ended_low or end.end_ts
            is_dead = end.began_high <= led.deposed_ts and (back is None or led.deposed_ts + CLOCKS < back)
            if end.broker_id == led.broker_id and is_dead and (back is None or until > back):
                yield f"{name_of(led)}: broker {led.broker_id} was a stale leader from {led.deposed_ts}", end.fault_id
        if led.believed_low_ms is not None and led.believed_low_ms > led.believed_ms:
            yield f"{name_of(led)}: stale for at least {led.believed_low_ms} ms", f"at most {led.believed_ms} ms"


@check
def a_death_that_only_others_report_has_a_sign_of_it(result: Result) -> Found:
    """A session that timed out and a new process later do not show that the process before died as the session ended: it may
    have run on, cut off. A connection that its host refused or ended shows it.
    """
    lines = by_id(result, "events")
    for fault in result.rows("faults"):
        if fault.kind != "killed" or fault.reason != "session_ended_unasked":
            continue
        cited = [lines[line] for line in fault.evidence if line in lines]
        ended = [line for line in cited if line.kind == "kraft_broker_session_timeout"]
        if ended and not any(_ENDED_BY_HOST.search(line.message or "") for line in cited):
            yield f"{fault.fault_id}: it died by {fault.began_high}", f"{ended[0].event_id}: only its session timed out"


@check
def a_silent_leader_may_have_answered_its_clients(result: Result) -> Found:
    """Nobody heard from it, so no line shows that it did not take writes with acks=1."""
    for row in result.rows("availability"):
        if row.state == "closed" and row.acks == "1" and str(row.fault_id or "").startswith("silent/"):
            yield (
                f"{name_of(row)} took no writes with acks=1 from {row.start_ts}",
                f"{row.fault_id}: its leader fell silent",
            )


@check
def a_partition_begins_as_the_active_controller_creates_it(result: Result) -> Found:
    """The first leader epoch of a partition did not begin before the line in which the active controller creates it."""
    lines = {event.event_id: event for event in result.rows("events") if event.kind == "kraft_partition_created"}
    active = [row for row in result.rows("controllers") if row.start_ts is not None]
    for epoch in result.rows("leader_epochs"):
        if epoch.leader_epoch != 0 or not epoch.begun_before:
            continue
        for line in (lines[one] for one in epoch.evidence if one in lines):
            is_new = any(
                row.controller_id == line.node_id
                and row.start_ts <= line.ts
                and (row.end_ts is None or line.ts < row.end_ts)
                for row in active
            )
            if is_new and line.ts == epoch.start_ts:
                yield f"{name_of(epoch)}: its first leader epoch had begun before its first line", line.event_id


@check
def waits_of_a_deleted_topic_end_with_it(result: Result) -> Found:
    """What ended a wait at the deletion of its topic is known."""
    last = {}
    for epoch in result.rows("leader_epochs"):
        last[name_of(epoch), epoch.life] = epoch
    ends = {(name, epoch.end_ts) for (name, _), epoch in last.items() if epoch.end_ts is not None}
    for row in result.rows("availability"):
        if (
            row.state != "open"
            and row.end_ts is not None
            and row.ended_by is None
            and (name_of(row), row.end_ts) in ends
        ):
            yield f"{name_of(row)}: what ended the wait at {row.end_ts} is not known", "its topic was deleted then"


@check
def lost_records_were_written_in_the_life_of_their_topic(result: Result) -> Found:
    """No lost record was written before its partition had a leader, or after it was gone."""
    begun: dict[str, Any] = {}
    for epoch in result.rows("leader_epochs"):
        if epoch.start_ts is not None and (
            name_of(epoch) not in begun or epoch.start_ts < begun[name_of(epoch)].start_ts
        ):
            begun[name_of(epoch)] = epoch
    for loss in result.rows("losses"):
        first = begun.get(name_of(loss))
        created = first is not None and first.reason == "created"
        if created and loss.written_low is not None and loss.written_low < first.start_ts - CLOCKS:
            yield f"{name_of(loss)}: written from {loss.written_low}", f"created at {first.start_ts}"
        if None not in (loss.written_low, loss.written_high) and loss.written_high < loss.written_low:
            yield f"{name_of(loss)}: written by {loss.written_high}", f"written from {loss.written_low}"


@check
def losses_are_counted_in_offsets(result: Result) -> Found:
    """Logs show offsets; retries have several. A count of lost records says so."""
    for where, text in sentences(result):
        found = re.search(r"(?:^|[Ll]ost: |at (?:least|most) )([\d,]+ records? (?:of|lost))", text)
        if found:
            yield f"{where}: {found[1]}", "losses count offsets"


@check
def nothing_is_acknowledged_with_acks_0(result: Result) -> Found:
    """A producer with acks=0 waits for no acknowledgement and gets none."""
    texts = [text for _, text in sentences(result)] + [one.text for one in result.printed]
    for text in texts:
        if re.search(
            r"acknowledged, only with acks=1 or acks=0|acks=0 can have (?:received|had) an acknowledgement", text
        ):
            yield text, "acks=0: no acknowledgement"


@check
def one_outage_is_one_root(result: Result) -> Found:
    """Two causes that are not found, of one broker without lines at one time, are one."""
    of: dict[int, list[Any]] = defaultdict(list)
    for fault in result.rows("faults"):
        if fault.code == "F00" and fault.broker_id is not None and fault.kind in ("silent", "dropped_unseen"):
            of[fault.broker_id].append(fault)
    for broker, own in of.items():
        for one, other in pairwise(sorted(own, key=lambda f: f.ts)):
            if one.end_ts is not None and other.ts <= one.end_ts:
                yield f"broker {broker}: {other.fault_id}", f"within {one.fault_id}"


@check
def who_rejects_connections_is_named(result: Result) -> Found:
    """No node is out of reach for an unknown reason while the hosts of its peers reject their connections to it themselves."""
    rejected: dict[int, set[int]] = defaultdict(set)
    for event in result.rows("events"):
        if event.kind == "node_connect_error" and _OWN_HOST.search(str(dict(event.details or {}).get("exception", ""))):
            peer = re.search(r"\(id: (\d+)", event.message or "")
            if peer:
                rejected[int(peer[1])].add(event.node_id)
    for fault in result.rows("faults"):
        peers = {int(one) for one in re.findall(r"\d+", dict(fault.arguments or {}).get("all_peers", ""))}
        if fault.kind == "silent" and peers and peers <= rejected.get(fault.broker_id, set()):
            yield f"{fault.fault_id}: cause not logged", f"the hosts of {sorted(peers)} rejected connections to it"


@check
def an_end_that_the_graph_explains_is_no_unknown_one(result: Result) -> Found:
    """The end of a session whose process had ended, as an arrow of the graph says, is nowhere printed with an unknown cause."""
    explained = ended_with_process(result.rows("edges"))
    for grid in result.grids:
        if grid.caption != "Broker sessions":
            continue
        at = grid.head.index("Ended by")
        unknown = [
            session
            for session in result.rows("broker_sessions")
            if session.ended_by == "unknown" and session_end_name(session.broker_id, session.end_ts) not in explained
        ]
        said = [row for row in grid.rows if "cause not logged" in row[at]]
        if len(said) > len(unknown):
            yield f"{len(said)} sessions ended, cause not logged", f"the graph explains all but {len(unknown)}"


@check
def what_a_broker_first_logs_after_a_freeze_had_begun_before(result: Result) -> Found:
    """A leader epoch that only the line of a broker shows that has just woken can be as old as its freeze."""
    frozen = [fault for fault in result.rows("faults") if fault.kind == "paused" and fault.end_ts is not None]
    told = defaultdict(set)
    for event in result.rows("events") if frozen else ():
        told[event.topic, event.partition, event.leader_epoch].add((event.node_id, event.ts, event.kind))
    for epoch in result.rows("leader_epochs") if frozen else ():
        lines = told[epoch.topic, epoch.partition, epoch.leader_epoch]
        nodes = {node for node, ts, _ in lines if ts is not None and ts <= epoch.start_ts + CLOCKS}
        kinds = {kind for _, ts, kind in lines if ts == epoch.start_ts}
        woken = [
            fault
            for fault in frozen
            if nodes == {fault.broker_id} and fault.end_ts <= epoch.start_ts < fault.end_ts + WAKING
        ]
        if woken and kinds == {"follower_start"} and not epoch.begun_before and epoch.leader_epoch > 0:
            yield f"{name_of(epoch)}: leader epoch {epoch.leader_epoch} began at {epoch.start_ts}", woken[0].fault_id


@check
def an_election_that_a_late_line_shows_has_no_state_as_of_that_line(result: Result) -> Found:
    """Nobody knows who had a session at such an election, or how long after it brokers learned of it."""
    late = {
        (e.topic, e.partition, e.leader_epoch, e.ts): name_of(e) for e in result.rows("elections") if e.begun_before
    }
    epochs = {(e.topic, e.partition, e.leader_epoch, e.start_ts): e.begun_before for e in result.rows("leader_epochs")}
    for key, name in late.items():
        if not epochs.get(key):
            yield f"{name}: elected by {key[-1]}", "its leader epoch begins then"
    for row in result.rows("failovers") if late else ():
        name = late.get((row.topic, row.partition, row.leader_epoch, row.ts))
        if name is not None and (row.is_alive is not None or row.lag_ms is not None):
            yield (
                f"{name}: elected by {row.ts}",
                f"broker {row.broker_id} is said to have a session, or a delay, as of then",
            )


@check
def a_truncation_has_the_high_watermark_with_which_its_log_was_loaded(result: Result) -> Found:
    """A replica that cuts its log soon after it loaded it, without another role in between, cuts below or above that."""
    loaded = defaultdict(list)
    for row in result.rows("high_watermarks"):
        if row.source == "partition_log_loaded" and None not in (row.ts, row.high_watermark):
            loaded[row.topic, row.partition, row.node_id].append(row)
    for cut in result.rows("truncations"):
        own = [row for row in loaded[cut.topic, cut.partition, cut.node_id] if row.ts <= cut.ts < row.ts + CLOCKS]
        if own and cut.high_watermark is None and not cut.by_recovery:
            yield f"{name_of(cut)}: high watermark not known", f"{own[-1].evidence}: {own[-1].high_watermark}"


_OVER_BY = re.compile(
    r"\((F\d\d), began between [\d: -]+ and [\d: -]+, over by (?:\d{4}-\d\d-\d\d )?(\d\d:\d\d:\d\d)\)"
)


@check
def over_by_is_the_latest_possible_end(result: Result) -> Found:
    """A fault that is "over by" a time ended no later: the whole second after the latest possible end of one of this code."""
    ends: dict[str, set[str]] = {}
    for fault in result.rows("faults"):
        if fault.ended_high is not None:
            second = fault.ended_high + timedelta(milliseconds=999)
            ends.setdefault(fault.code, set()).add(f"{second:%H:%M:%S}")
    for one in result.printed:
        for code, by in _OVER_BY.findall(one.text):
            if by not in ends.get(code, set()):
                yield f"{code} over by {by}", f"faults: latest possible ends {sorted(ends.get(code, set()))}"
