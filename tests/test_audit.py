"""The audit finds each planted contradiction in a result of a recorded incident, and nothing in the results themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pandas as pd
import pytest

from tests.audit import absolutes, advice, causes, counts, ends, figures, lives, reasons
from tests.audit.checks import CHECKS, contradictions, isr_changes, name_of
from tests.audit.printed import PAGE, TERMINAL, Grid, Mark, Printed, Result, read
from tests.each import for_each
from tests.golden import traces
from tests.recordings import TRACES

UNCLEAN, KILLED, CUT = (
    "unclean-election-zk-2.8.2",
    "kill-leader-kraft-4.1.1",
    "isolate-leader-from-followers-kraft-3.7.2",
)
LAST = "last-replica-standing-kraft-3.9.1"
HOUR = timedelta(hours=1)
MODULES = (absolutes, advice, causes, counts, ends, figures, lives, reasons)  # whose checks are in CHECKS


@pytest.fixture(scope="module")
def result(result_of) -> Callable[[str], Result]:
    """A function that returns a result of a trace as the audit reads it, each read once."""
    kept: dict[str, Result] = {}

    def of(name: str) -> Result:
        if name not in kept:
            kept[name] = read(result_of(TRACES / name))
        return kept[name]

    return of


@pytest.mark.parametrize("trace", traces(), ids=lambda trace: trace.name)
def test_the_audit_finds_nothing_on_a_trace(trace, result):
    assert [str(one) for one in contradictions(result(trace.name))] == []


def changed(result: Result, table: str, where: Callable[[Any], bool], **values: object) -> Result:
    """The result with other values in the first row of a table that fits. A value can be a function of the row."""
    frame = result.tables[table].copy().reset_index(drop=True)
    at = next(number for number, row in enumerate(result.rows(table)) if where(row))
    row = result.rows(table)[at]
    for name, value in values.items():
        own = value(row) if callable(value) else value
        if isinstance(own, pd.Timestamp) and own.tzinfo is None:
            own = own.tz_localize("UTC")
        frame[name] = frame[name].astype(object)
        frame.at[at, name] = own
    return result.but(tables={**result.tables, table: frame})


def added(result: Result, table: str, where: Callable[[Any], bool], **values: object) -> Result:
    """The result with one more row: a copy of the first one that fits, with other values."""
    one = changed(result, table, where, **values)
    at = next(number for number, row in enumerate(result.rows(table)) if where(row))
    frames = [result.tables[table].astype(object), one.tables[table].iloc[[at]].astype(object)]
    return result.but(tables={**result.tables, table: pd.concat(frames, ignore_index=True)})


def printed(result: Result, text: str, surface: str = PAGE) -> Result:
    return result.but(printed=[*result.printed, Printed(surface, "summary", text)])


def every(row: Any) -> bool:
    return True


def of_kind(kind: str) -> Callable[[Any], bool]:
    return lambda row: row.kind == kind


def committed(row: Any) -> bool:
    return row.loss_class == "committed" and row.verdict == "PROVEN_LOSS"


def told(text: str) -> Callable[[Any], str]:
    return lambda row: f"{row.told} {text}"


def concluded(text: str) -> Callable[[Any], str]:
    return lambda row: f"{row.summary} {text}"


def advised(text: str) -> Callable[[Any], list[str]]:
    return lambda row: [text, *row.next_steps]


@dataclass(frozen=True)
class Planted:
    """A contradiction: the check that finds it, and how it comes into a result."""

    check: str
    trace: str
    plant: Callable[[Result], Result]


def accepted(result: Result) -> Callable[[Any], bool]:
    """Whether an edge is an accepted one between two states of one partition."""
    of = {v.id: v for v in result.rows("vertices")}
    return lambda e: e.rank == 1 and e.src in of and e.dst in of and bool(of[e.src].topic and of[e.dst].topic)


def an_edge(result: Result) -> Any:
    return next(edge for edge in result.rows("edges") if accepted(result)(edge))


def with_vertex(result: Result, vertex_id: str, **values: object) -> Result:
    return changed(result, "vertices", lambda v: v.id == vertex_id, **values)


def with_rejected_write(result: Result) -> Result:
    """A shrink to two replicas as the cause of a write that was rejected for fewer than two."""
    edge = an_edge(result)
    topic, partition = next((v.topic, v.partition) for v in result.rows("vertices") if v.id == edge.dst)
    made = with_vertex(result, edge.src, kind="isr_shrink", label="ISR [2,3], was [1,2,3]")
    made = with_vertex(made, edge.dst, kind="writes_refused")
    return changed(made, "isr_spans", lambda s: (s.topic, s.partition) == (topic, partition), min_isr=2)


def with_member_that_was_back(result: Result) -> Result:
    """An earlier departure as the cause of rejected writes, though the member was back in between."""
    edge = an_edge(result)
    state = next(s for s in result.rows("isr_spans") if len(s.isr))
    made = with_vertex(result, edge.src, ts=state.start_ts - pd.Timedelta(minutes=1))
    later_ts = state.start_ts + pd.Timedelta(minutes=1)
    made = with_vertex(made, edge.dst, ts=later_ts, topic=state.topic, partition=state.partition)
    because = f"broker {state.isr[0]} had left the ISR of {name_of(state)} before and was not back in it"
    return changed(
        made,
        "edges",
        lambda e: (e.src, e.dst) == (edge.src, edge.dst),
        aspect="left_isr_before",
        because=because,
    )


def dead(result: Result) -> Any:
    return next(fault for fault in result.rows("faults") if fault.kind == "killed")


def with_open_time(result: Result) -> Result:
    """A partition that takes writes while its leader is dead."""
    fault = dead(result)
    led = next(
        e
        for e in result.rows("leader_epochs")
        if e.leader_id == fault.broker_id
        and e.start_ts < fault.began_high
        and (e.end_ts is None or e.end_ts > fault.began_high + timedelta(seconds=6))
    )
    return added(
        result,
        "availability",
        every,
        topic=led.topic,
        partition=led.partition,
        state="open",
        start_ts=fault.began_high + timedelta(seconds=3),
        end_ts=fault.began_high + timedelta(seconds=6),
        ended_by=None,
    )


def with_mark(result: Result, hover: str, start: Any, end: Any) -> Result:
    return result.but(marks=[*result.marks, Mark("brokers", "away", start, end, hover)])


def with_fenced_broker(result: Result) -> Result:
    """A broker that is drawn as not registered between two sessions with one broker epoch."""
    made = result
    for at, (start, end) in enumerate((("2026-11-21 10:00", "2026-11-21 10:01"), ("2026-11-21 10:02", None))):
        made = added(
            made,
            "broker_sessions",
            every,
            broker_id=99,
            broker_epoch=7,
            start_ts=pd.Timestamp(start),
            end_ts=None if end is None else pd.Timestamp(end),
        )
        assert at < 2
    until, since = pd.Timestamp("2026-11-21 10:02"), pd.Timestamp("2026-11-21 10:01")
    return with_mark(made, "<b>broker 99 not registered</b>", since, until)


def with_fenced_member(result: Result) -> Result:
    """An ISR that keeps a broker for an hour after the controller fenced it."""
    fenced = next(event for event in result.rows("events") if event.kind == "kraft_broker_session_timeout")

    def is_ended(span: Any) -> bool:
        return span.start_ts < fenced.ts - timedelta(seconds=3) and bool(span.end_ts) and fenced.broker_id in span.isr

    leads = next(span.leader_id for span in result.rows("isr_spans") if span.leader_id != fenced.broker_id)
    return changed(result, "isr_spans", is_ended, leader_id=leads, end_ts=fenced.ts + HOUR, untold_after=None)


def with_controller_after_death(result: Result) -> Result:
    fault = dead(result)
    start, end = fault.began_high - timedelta(seconds=9), fault.began_high + timedelta(seconds=9)
    return with_mark(result, f"<b>node {fault.broker_id} was the active controller</b>", start, end)


def with_power_failure(result: Result) -> Result:
    finding = next(f for f in result.rows("findings") if f.finding_id == dead(result).fault_id)
    line = finding.evidence[-1]
    made = changed(
        result,
        "events",
        lambda e: e.event_id == line,
        ts=dead(result).began_high,
        message="EndOfStreamException",
        node_id=0,
    )
    return changed(
        made,
        "findings",
        lambda f: f.finding_id == finding.finding_id,
        summary="A host or power failure looks the same in these logs.",
        began_high=dead(result).began_high,
    )


def with_later_session(result: Result) -> Result:
    """A dead broker with a session at the end of the logs."""
    return added(
        result,
        "broker_sessions",
        every,
        broker_id=dead(result).broker_id,
        start_ts=dead(result).began_high + HOUR,
        end_ts=None,
    )


def with_unknown_end(result: Result) -> Result:
    """A session whose end the graph explains, printed with an unknown cause."""
    made = changed(result, "broker_sessions", lambda s: s.ended_by == "crash", ended_by="unknown")
    return made.but(
        grids=[*made.grids, Grid("Broker sessions", 1, ["Broker", "Ended by"], [["broker 1", "cause not logged"]])]
    )


def with_unseen_end(result: Result) -> Result:
    """A session whose end no log would show, printed as open."""
    made = changed(result, "broker_sessions", lambda s: s.end_ts is None, seen_ts=lambda s: s.start_ts)
    row = next(s for s in made.rows("broker_sessions") if s.seen_ts is not None)
    grid = Grid("Broker sessions", 1, ["Broker", "To (UTC)"], [[f"broker {row.broker_id}", "still open"]])
    return made.but(grids=[grid])


def with_late_election(result: Result) -> Result:
    """An election that a late line shows, beside who had a session as of that line."""
    first = result.rows("failovers")[0]

    def is_of(row: Any) -> bool:
        own = (first.topic, first.partition, first.leader_epoch)
        return (row.topic, row.partition, row.leader_epoch) == own

    return changed(changed(result, "elections", is_of, begun_before=True), "leader_epochs", is_of, begun_before=True)


def with_unknown_high_watermark(result: Result) -> Result:
    """A cut of a log just after it was loaded, without the high watermark that was loaded."""
    cut = next(one for one in result.rows("truncations") if not one.by_recovery)
    made = changed(result, "truncations", lambda one: not one.by_recovery, high_watermark=None)
    return added(
        made,
        "high_watermarks",
        every,
        topic=cut.topic,
        partition=cut.partition,
        node_id=cut.node_id,
        ts=cut.ts,
        source="partition_log_loaded",
        high_watermark=cut.truncation_offset + 1,
    )


def with_epoch_of_a_freeze(result: Result) -> Result:
    """A leader epoch that a broker logs one second after a freeze, dated with that line."""
    line = next(row for row in result.rows("events") if row.kind == "follower_start")
    own = {"topic": "woken", "partition": 0, "leader_epoch": 7}
    made = added(result, "events", of_kind("follower_start"), **own)
    made = added(made, "leader_epochs", every, **own, start_ts=line.ts, begun_before=None)
    return added(made, "faults", every, kind="paused", broker_id=line.node_id, end_ts=line.ts - pd.Timedelta(seconds=1))


PLANTED = [
    Planted("a_sum_with_an_open_bound_is_at_least", UNCLEAN, lambda r: of_unknown_begin(r)),
    Planted("what_a_broker_first_logs_after_a_freeze_had_begun_before", KILLED, with_epoch_of_a_freeze),
    Planted("a_lost_majority_lacked_enough_voters", KILLED, lambda r: with_a_majority_left(r)),
    *(
        Planted(name, trace, plant)
        for name, trace, plant in (
            (
                "a_fault_ends_no_earlier_than_its_last_line",
                CUT,
                lambda r: with_bounded_cut(r, ended_high=lambda f: f.began_high - HOUR),
            ),
            (
                "a_cut_is_over_once_its_broker_is_back_in_an_isr",
                CUT,
                lambda r: with_bounded_cut(r, end_ts=None, ended_high=None),
            ),
            ("a_fenced_broker_is_in_no_isr", KILLED, lambda r: with_fenced_member(r)),
            (
                "an_incident_is_over_once_its_brokers_are_back",
                KILLED,
                lambda r: changed(
                    r,
                    "incidents",
                    lambda i: i.root_finding_id == dead(r).fault_id,
                    is_over=True,
                    end_ts=dead(r).began_high,
                ),
            ),
            ("a_session_that_bounds_a_death_lasted_until_then", KILLED, lambda r: with_early_end_of_a_session(r)),
            ("a_dead_broker_does_not_register", KILLED, lambda r: with_dead_bar(r, timedelta(0), HOUR)),
            ("a_time_that_is_sure_lies_within_its_bounds", KILLED, lambda r: with_dead_bar(r, -HOUR, timedelta(0))),
            ("nothing_here_could_lose_means_that_nothing_was_cut", UNCLEAN, lambda r: with_cut_here(r)),
            ("lost_records_are_younger_than_the_last_fetch_of_the_rest", UNCLEAN, lambda r: with_old_losses(r)),
            ("what_keeps_a_broker_fenced_did_not_let_it_back", KILLED, lambda r: with_stale_heartbeat(r)),
            ("who_ran_was_not_frozen", KILLED, lambda r: with_frozen_broker(r)),
            (
                "a_leader_that_was_replaced_had_a_successor",
                KILLED,
                lambda r: with_time(r, reason="leader_deposed", end_ts=lambda a: a.start_ts + timedelta(seconds=1)),
            ),
            (
                "a_leader_that_waits_for_a_follower_is_not_dead",
                KILLED,
                lambda r: with_time(
                    with_time(r, state="closed", reason="waiting_for_isr_member"),
                    acks="1",
                    state="closed",
                    reason="leader_dead",
                ),
            ),
            (
                "a_reason_that_names_a_fault_falls_into_its_time",
                KILLED,
                lambda r: with_time(
                    r,
                    state="closed",
                    reason="leader_dead",
                    fault_id=dead(r).fault_id,
                    start_ts=dead(r).began_high - HOUR,
                ),
            ),
            ("a_replica_fell_behind_after_the_begin_of_its_cause", CUT, lambda r: with_replica_behind_before(r)),
            (
                "what_a_line_follows_from_had_begun",
                KILLED,
                lambda r: with_consequence(
                    r, "broker 1 crashed or was killed (F01, 23:59:58 to 23:59:59)", "Broker 2 lost a connection."
                ),
            ),
            (
                "a_connection_that_the_own_host_rejects_has_no_crash_as_its_cause",
                KILLED,
                lambda r: with_rejected_connection(r),
            ),
            (
                "an_issue_of_some_releases_is_told_of_these",
                UNCLEAN,
                lambda r: printed(r, "From 0.9 to 0.10.0 the value is another one (KAFKA-1)."),
            ),
            ("a_node_without_files_is_not_silent", KILLED, lambda r: without_files(r)),
            (
                "replicas_that_left_isrs_are_counted",
                CUT,
                lambda r: changed(r, "isr_drops", lambda d: d.drops > 0, drops=0),
            ),
            ("departures_with_a_session_are_near_its_end", CUT, lambda r: with_departures(r)),
            (
                "summed_times_fit_into_their_incident",
                UNCLEAN,
                lambda r: changed(r, "incidents", every, at_min_isr_ms=10**13),
            ),
            (
                "headings_of_partitions_count_their_rows",
                UNCLEAN,
                lambda r: told_at(r, "partitions", "orders-0 99 leader epochs, 1 ISR"),
            ),
            ("who_is_elected_led_then_and_not_before", UNCLEAN, lambda r: with_early_leader(r)),
            ("stored_without_an_answer_began_in_its_incident", UNCLEAN, lambda r: with_stored_before(r)),
            ("an_entry_from_before_the_logs_is_of_an_older_partition", KILLED, lambda r: with_old_entry(r)),
            (
                "a_list_of_controllers_is_no_longer_than_there_are",
                KILLED,
                lambda r: printed(
                    r, "It had no answer from controller 101, controller 102, controller 103 and 9 more."
                ),
            ),
        )
    ),
    Planted(
        "losses_that_an_incident_contributed_to_are_told",
        KILLED,
        lambda r: changed(r, "incidents", every, contributed_to=["Contributed to the loss of at most 755 offsets."]),
    ),
    Planted(
        "waits_in_a_row_have_no_break",
        KILLED,
        lambda r: changed(
            r,
            "incidents",
            every,
            in_a_row=[{"partitions": ["orders-0"], "low_ms": 900_000, "high_ms": 900_000, "is_open": False}],
        ),
    ),
    Planted("members_that_had_left_before_were_out", UNCLEAN, with_member_that_was_back),
    Planted("an_end_that_the_graph_explains_is_no_unknown_one", KILLED, with_unknown_end),
    Planted("an_election_that_a_late_line_shows_has_no_state_as_of_that_line", KILLED, with_late_election),
    Planted("a_truncation_has_the_high_watermark_with_which_its_log_was_loaded", UNCLEAN, with_unknown_high_watermark),
    Planted("a_process_that_ended_is_no_stale_leader", KILLED, lambda r: with_dead_stale_leader(r)),
    Planted("a_process_that_ended_is_no_stale_leader", KILLED, lambda r: with_leader_deposed_when_dead(r)),
    Planted(
        "a_silent_leader_may_have_answered_its_clients",
        KILLED,
        lambda r: changed(
            r,
            "availability",
            lambda a: a.state == "closed" and a.acks == "1",
            fault_id="silent/1/2026-11-21T07:32:56.000Z",
        ),
    ),
    Planted(
        "a_partition_begins_as_the_active_controller_creates_it",
        KILLED,
        lambda r: changed(
            r, "leader_epochs", lambda e: e.leader_epoch == 0 and e.reason == "created", begun_before=True
        ),
    ),
    Planted("sessions_and_controllers_read_as_their_rows", KILLED, lambda r: with_unseen_end(r)),
    Planted("a_death_that_only_others_report_has_a_sign_of_it", KILLED, lambda r: with_death_by_session(r)),
    Planted(
        "bounds_are_in_order",
        UNCLEAN,
        lambda r: changed(r, "availability", lambda a: a.end_ts is not None, end_ts=lambda a: a.start_ts - HOUR),
    ),
    Planted(
        "bounds_are_in_order",
        KILLED,
        lambda r: changed(r, "findings", lambda f: f.began_low is not None, began_low=lambda f: f.began_high + HOUR),
    ),
    Planted(
        "losses_of_an_incident_add_up",
        UNCLEAN,
        lambda r: changed(r, "incidents", every, lost_offsets_min=lambda i: i.lost_offsets_min + 1),
    ),
    Planted(
        "amounts_in_words_are_the_amounts",
        UNCLEAN,
        lambda r: changed(r, "incidents", every, lost_committed="17 records of orders"),
    ),
    Planted(
        "totals_of_losses_add_up",
        UNCLEAN,
        lambda r: changed(r, "losses", committed, to_offset_low=lambda x: x.to_offset_low - 1),
    ),
    Planted("captions_count_their_rows", UNCLEAN, lambda r: added(r, "elections", every, leader_epoch=77)),
    Planted(
        "titles_count_their_partitions",
        UNCLEAN,
        lambda r: changed(
            r,
            "findings",
            lambda f: " partition" in (f.title or "") and len(f.partitions) > 1,
            partitions=lambda f: f.partitions[1:],
        ),
    ),
    Planted(
        "changes_of_leader_add_up",
        UNCLEAN,
        lambda r: changed(r, "incidents", every, elections=lambda i: i.elections + 1),
    ),
    Planted(
        "a_wait_is_that_of_each_topic_it_names",
        KILLED,
        lambda r: changed(
            r,
            "incidents",
            lambda i: bool(i.down),
            told=lambda i: (
                f"Writes with acks=all to 6 partitions of {i.down[0]['topic']} were blocked for 987.6 to 990.1 s; clients that retry may have waited longer."
            ),
        ),
    ),
    Planted(
        "one_thing_has_one_figure",
        UNCLEAN,
        lambda r: changed(r, "incidents", every, told=told("Only the table says this.")),
    ),
    Planted(
        "no_controller_has_one_duration",
        UNCLEAN,
        lambda r: changed(
            r,
            "incidents",
            every,
            no_controller_low_ms=500,
            no_controller_high_ms=900,
            told=told("No leader could be elected; no controller was active for 221.0 s."),
        ),
    ),
    Planted(
        "controllers_have_one_time",
        UNCLEAN,
        lambda r: changed(
            r,
            "findings",
            every,
            summary=concluded("Until node 2 took over at 00:00:00.000, no leader could be elected."),
        ),
    ),
    Planted(
        "durations_of_faults_are_those_of_their_bounds",
        UNCLEAN,
        lambda r: changed(r, "findings", lambda f: f.finding_id == dead(r).fault_id, title="Broker 1 froze for 99.0 s"),
    ),
    Planted(
        "harm_of_a_fault_is_what_follows_from_it",
        UNCLEAN,
        lambda r: changed(r, "findings", every, summary=concluded("As a result, leadership changed 999 times.")),
    ),
    Planted("incidents_are_counted_once", UNCLEAN, lambda r: printed(r, "7 incidents. Broker 1: pause.")),
    Planted(
        "none_lost_means_no_verdict_of_loss",
        UNCLEAN,
        lambda r: changed(r, "incidents", every, lost_committed="none found"),
    ),
    Planted("no_loss_anywhere", UNCLEAN, lambda r: printed(r, "No loss of committed records was found.", TERMINAL)),
    Planted(
        "no_meaning_denies_a_loss", UNCLEAN, lambda r: printed(r, "Other brokers lead its partitions; nothing is lost.")
    ),
    Planted(
        "no_code_of_a_table_stands_in_a_sentence", UNCLEAN, lambda r: printed(r, "PROVEN_LOSS: clicks-0 offsets [1, 2)")
    ),
    Planted(
        "over_by_is_the_latest_possible_end",
        KILLED,
        lambda r: printed(r, "broker 1 crashed (F01, began between 01:00:00 and 01:00:01, over by 01:00:02)"),
    ),
    Planted(
        "no_kind_of_a_line_stands_in_a_sentence",
        UNCLEAN,
        lambda r: printed(r, "broker 1 logged high watermark 5 (partition_log_loaded): all committed"),
    ),
    Planted(
        "single_partitions_wait_no_longer_than_their_topic",
        UNCLEAN,
        lambda r: changed(
            r,
            "incidents",
            every,
            down=lambda i: [
                one | {"acks_all_alike": [{"partitions": one["acks_all_partitions"], "low_ms": 1, "high_ms": 10**9}]}
                for one in i.down
            ],
        ),
    ),
    Planted("never_down_is_never_closed", UNCLEAN, lambda r: printed(r, "Never down: clicks, orders.")),
    Planted(
        "what_is_not_back_did_not_come_back",
        UNCLEAN,
        lambda r: changed(
            with_later_session(r), "incidents", every, still=lambda i: [f"broker {dead(r).broker_id} not back"]
        ),
    ),
    Planted(
        "what_is_not_back_joins_no_isr",
        KILLED,
        lambda r: changed(r, "incidents", every, still=lambda i: [f"broker {dead(r).broker_id} not back"]),
    ),
    Planted(
        "the_last_controller_is_the_last",
        UNCLEAN,
        lambda r: changed(
            added(r, "controllers", every, controller_id=9, start_ts=lambda c: c.start_ts + HOUR),
            "findings",
            every,
            summary=lambda f: (
                f"Node {r.rows('controllers')[0].controller_id} was the active controller, and these logs show no later one.".replace(
                    "Node", "node"
                )
            ),
        ),
    ),
    Planted("nothing_is_open_under_a_dead_leader", KILLED, with_open_time),
    Planted(
        "what_is_over_is_over", KILLED, lambda r: changed(r, "leader_epochs", lambda e: e.end_ts is None, leader_id=-1)
    ),
    Planted(
        "at_the_same_time_is_at_once",
        UNCLEAN,
        lambda r: changed(r, "incidents", every, title="Broker 1 crashed or was killed; broker 88 at the same time"),
    ),
    Planted(
        "all_partitions_are_all",
        UNCLEAN,
        lambda r: changed(
            r, "incidents", every, afterwards=["Broker 88 leads all 12 partitions.".replace("Broker", "broker")]
        ),
    ),
    Planted(
        "no_line_shows_acks_all",
        UNCLEAN,
        lambda r: changed(
            changed(r, "vertices", lambda v: v.topic == "orders", kind="writes_refused"),
            "incidents",
            every,
            unanswered="if their producers used acks=all, which no line shows: 9 offsets of orders",
        ),
    ),
    Planted("the_isr_before_an_election_is_looked_up", UNCLEAN, lambda r: with_unknown_isr(r)),
    Planted(
        "who_led_between_is_looked_up",
        UNCLEAN,
        lambda r: changed(
            r, "losses", lambda x: x.leader_epoch >= 2, premise="who led between leader epochs 0 and 2 is not logged"
        ),
    ),
    Planted(
        "what_began_before_the_first_leader_line_has_no_row",
        UNCLEAN,
        lambda r: changed(
            r,
            "losses",
            lambda x: x.leader_epoch >= 2,
            premise="it began before the first line that shows a leader of this partition",
        ),
    ),
    Planted("a_fault_that_changed_nothing_has_no_effect", UNCLEAN, lambda r: with_silent_fault(r)),
    Planted("changed_nothing_needs_a_log_of_roles", UNCLEAN, lambda r: without_roles(r)),
    Planted("no_time_without_a_leader_is_zero_over_missing_leader_epochs", UNCLEAN, lambda r: with_unnamed_epochs(r)),
    Planted("no_high_watermark_above_is_none", UNCLEAN, lambda r: with_high_watermark(r)),
    Planted("nothing_discarded_is_nothing_cut", UNCLEAN, lambda r: with_cut(r)),
    Planted("not_registered_is_not_fenced", KILLED, with_fenced_broker),
    Planted("a_dead_node_is_no_controller", UNCLEAN, with_controller_after_death),
    Planted(
        "no_fault_found_means_no_root_cause",
        UNCLEAN,
        lambda r: printed(r, "No fault found in 100 records of 9 files.", TERMINAL),
    ),
    Planted(
        "causes_begin_before_their_effects",
        UNCLEAN,
        lambda r: with_vertex(r, an_edge(r).dst, ts=pd.Timestamp("2020-01-01")),
    ),
    Planted("causes_are_of_their_partition", UNCLEAN, lambda r: with_vertex(r, an_edge(r).dst, partition=77)),
    Planted("rejected_writes_follow_from_an_isr_below_the_minimum", UNCLEAN, with_rejected_write),
    Planted(
        "waits_end_with_what_is_said_to_end_them",
        UNCLEAN,
        lambda r: changed(r, "availability", lambda a: a.ended_by == "isr_shrank", partition=77),
    ),
    Planted(
        "lines_of_a_row_are_of_its_partition",
        UNCLEAN,
        lambda r: changed(r, "truncations", lambda t: bool(t.evidence), partition=77),
    ),
    Planted(
        "what_is_observed_has_lines",
        UNCLEAN,
        lambda r: changed(r, "leader_epochs", lambda e: e.confidence == "observed", evidence=lambda e: []),
    ),
    Planted(
        "effects_stand_after_the_first_root",
        UNCLEAN,
        lambda r: changed(
            r,
            "findings",
            lambda f: f.role == "effect" and f.incident_id is not None,
            start_ts=pd.Timestamp("2020-01-01"),
            end_ts=pd.Timestamp("2020-01-01"),
        ),
    ),
    Planted(
        "brokers_that_run_need_no_start",
        UNCLEAN,
        lambda r: changed(
            with_later_session(r),
            "incidents",
            every,
            next_steps=advised(f"Start broker {dead(r).broker_id}: it is not back in these logs."),
        ),
    ),
    Planted(
        "settings_that_are_set_need_no_setting",
        UNCLEAN,
        lambda r: (
            changed(
                changed(r, "isr_spans", lambda s: s.topic == "orders" and s.end_ts is None, min_isr=2),
                "incidents",
                every,
                next_steps=advised(
                    "Set min.insync.replicas=2 for orders: with fewer, one broker alone could commit records and lose them."
                ),
            )
            if all_have_two(r)
            else with_minimum(r)
        ),
    ),
    Planted(
        "files_that_were_read_are_not_asked_for",
        UNCLEAN,
        lambda r: printed(r, "To answer this, get the logs of node 1."),
    ),
    Planted(
        "a_registered_broker_needs_no_later_start",
        LAST,
        lambda r: changed(
            changed(
                r,
                "incidents",
                every,
                next_steps=advised("Start broker 2 only after the session of its previous process has ended."),
            ),
            "findings",
            lambda f: f.incident_id is not None,
            summary=concluded(
                "The start of broker 2 was refused once; the broker asked again until it was registered, so nothing has to be done.".replace(
                    "The start", "the start"
                )
            ),
        ),
    ),
    Planted("a_power_failure_sends_no_end_of_stream", UNCLEAN, with_power_failure),
    Planted(
        "a_controller_that_stayed_elects",
        KILLED,
        lambda r: changed(
            r,
            "incidents",
            every,
            no_controller_high_ms=None,
            next_steps=advised(
                "Node 1 was the active controller: no leader could be elected until a controller was active again."
            ),
        ),
    ),
    Planted(
        "sessions_begin_with_their_registration",
        KILLED,
        lambda r: changed(
            r,
            "broker_sessions",
            lambda s: s.end_ts is None and s.broker_epoch is not None,
            start_ts=lambda s: s.start_ts + HOUR,
        ),
    ),
    Planted(
        "a_session_ends_before_the_next_begins",
        KILLED,
        lambda r: changed(r, "broker_sessions", lambda s: s.end_ts is not None, end_ts=lambda s: s.end_ts + HOUR),
    ),
    Planted("waits_of_a_deleted_topic_end_with_it", UNCLEAN, lambda r: with_wait_of_deleted_topic(r)),
    Planted(
        "lost_records_were_written_in_the_life_of_their_topic",
        UNCLEAN,
        lambda r: changed(r, "losses", committed, written_low=pd.Timestamp("2020-01-01")),
    ),
    Planted(
        "losses_are_counted_in_offsets",
        UNCLEAN,
        lambda r: changed(r, "incidents", every, told=told("Lost: 7,250 records of orders.")),
    ),
    Planted(
        "nothing_is_acknowledged_with_acks_0",
        CUT,
        lambda r: printed(r, "At most 236 of them acknowledged, only with acks=1 or acks=0"),
    ),
    Planted("one_outage_is_one_root", UNCLEAN, lambda r: with_outages_at_once(r)),
    Planted("who_rejects_connections_is_named", UNCLEAN, lambda r: with_rejections(r)),
    Planted(
        "one_root_is_of_one_incident",
        UNCLEAN,
        lambda r: added(r, "incidents", lambda i: bool(i.proof), incident_id="incident-77"),
    ),
]


CLASSES = {
    "A: undecided although lines decide": ("the_isr_before_an_election_is_looked_up", "who_led_between_is_looked_up"),
    "B: wrong cause or end": ("causes_begin_before_their_effects", "waits_end_with_what_is_said_to_end_them"),
    "C: the controller's decision taken for the broker's state": ("nothing_is_open_under_a_dead_leader",),
    "D: stale state": ("a_dead_node_is_no_controller", "what_is_over_is_over"),
    "E: the worst topic's figure for all": ("a_wait_is_that_of_each_topic_it_names",),
    "F: a standard caveat or advice": (
        "a_power_failure_sends_no_end_of_stream",
        "settings_that_are_set_need_no_setting",
    ),
    "G: a sum of separate times for one cause": ("harm_of_a_fault_is_what_follows_from_it",),
    "H: fenced called not registered": ("not_registered_is_not_fenced", "sessions_begin_with_their_registration"),
    "I: deleted things treated as live": ("waits_of_a_deleted_topic_end_with_it",),
    "J: one operation told as two incidents": ("one_root_is_of_one_incident", "one_outage_is_one_root"),
    "K: a message misread": ("files_that_were_read_are_not_asked_for", "nothing_is_acknowledged_with_acks_0"),
    "L: two figures for one thing": ("one_thing_has_one_figure", "controllers_have_one_time"),
    "M: a registration anew is the end of a session": ("a_session_ends_before_the_next_begins",),
    "N: loss understated, or its window too wide": ("lost_records_were_written_in_the_life_of_their_topic",),
    "O: retries counted as records": ("losses_are_counted_in_offsets",),
    "P: one side blamed": ("who_rejects_connections_is_named",),
}


def test_each_class_of_false_claims_has_a_planted_contradiction():
    planted = {one.check for one in PLANTED}
    assert [name for name, checks in CLASSES.items() if not set(checks) <= planted] == []


def with_wait_of_deleted_topic(result: Result) -> Result:
    """A topic that ends, and a wait that ends with it for an unknown reason."""
    last = next(e for e in result.rows("leader_epochs") if e.end_ts is None and e.topic == "orders")
    of_it = {"topic": last.topic, "partition": last.partition, "end_ts": last.start_ts + HOUR}
    made = changed(result, "leader_epochs", lambda e: e == last, end_ts=of_it["end_ts"])
    return added(made, "availability", every, **of_it, state="closed", ended_by=None)


def with_dead_stale_leader(result: Result) -> Result:
    """A broker that considered itself leader from before its end to an hour after its next start."""
    one = dead(result)
    led = {
        "topic": "orders",
        "partition": 0,
        "broker_id": one.broker_id,
        "believed_low_ms": 1,
        "believed_ms": 7_200_000,
    }
    row = pd.DataFrame([{**led, "deposed_ts": (one.began_low - timedelta(seconds=9)).tz_localize("UTC")}])
    return result.but(tables={**result.tables, "deposed_leaders": row})


def with_leader_deposed_when_dead(result: Result) -> Result:
    """A dead broker that considered itself leader from the election of another one to the next start of its own process."""
    one = dead(result)
    began = one.began_high + (one.end_ts - one.began_high) / 4
    believed_ms = int((one.end_ts - began).total_seconds() * 1000) + 1
    led = {"topic": "orders", "partition": 0, "broker_id": one.broker_id}
    led |= {"believed_low_ms": None, "believed_ms": believed_ms}
    row = pd.DataFrame([{**led, "deposed_ts": began.tz_localize("UTC")}])
    return result.but(tables={**result.tables, "deposed_leaders": row})


def with_death_by_session(result: Result) -> Result:
    """A death that only the end of the broker's session shows."""
    one = dead(result)
    ends = [e.event_id for e in result.rows("events") if e.kind == "kraft_broker_session_timeout"]
    is_it = lambda f: f.fault_id == one.fault_id  # noqa: E731
    return changed(result, "faults", is_it, reason="session_ended_unasked", evidence=lambda _: ends[:1])


def with_outages_at_once(result: Result) -> Result:
    """Two causes that are not found, of one broker at one time."""
    one = dead(result)
    of_it = {"code": "F00", "ts": one.ts, "end_ts": one.ts + HOUR}
    made = added(result, "faults", lambda f: f.fault_id == one.fault_id, kind="silent", fault_id="silent/1", **of_it)
    return added(
        made,
        "faults",
        lambda f: f.fault_id == one.fault_id,
        kind="dropped_unseen",
        fault_id="dropped_unseen/1",
        **of_it,
    )


def with_rejections(result: Result) -> Result:
    """A broker that fell silent for an unknown reason while the host of its peer rejected the connection itself."""
    made = added(
        result,
        "faults",
        lambda f: f.fault_id == dead(result).fault_id,
        kind="silent",
        fault_id="silent/1",
        broker_id=1,
        arguments={"all_peers": "2"},
    )
    return added(
        made,
        "events",
        every,
        kind="node_connect_error",
        node_id=2,
        details={"exception": "java.net.SocketException: Invalid argument"},
        message="Error connecting to node 10.0.0.1:9092 (id: 1 rack: null)",
    )


def all_have_two(result: Result) -> bool:
    return all(s.min_isr == 2 for s in result.rows("isr_spans") if s.topic == "orders")


def with_minimum(result: Result) -> Result:
    """Advice for a topic whose every last state has min.insync.replicas=2."""
    frame = result.tables["isr_spans"].copy()
    frame.loc[frame.topic == "orders", "min_isr"] = 2
    made = result.but(tables={**result.tables, "isr_spans": frame})
    step = "Set min.insync.replicas=2 for orders: with fewer, one broker alone could commit records and lose them."
    return changed(made, "incidents", every, next_steps=advised(step))


def with_unknown_isr(result: Result) -> Result:
    """An election whose ISR a line prints just before, with a premise that does not know it."""
    event = next(
        e for e in result.rows("events") if e.topic and e.isr and e.leader_epoch is not None and e.partition is not None
    )
    values = {"topic": event.topic, "partition": event.partition, "leader_epoch": event.leader_epoch + 1}
    premise = "whether the new leader was in the ISR is not known"
    return added(result, "losses", every, new_leader_id=event.isr[0], premise=premise, **values)


def with_silent_fault(result: Result) -> Result:
    """A fault that changed nothing, with an accepted edge to a change of an ISR."""
    dst = next(v.id for v in result.rows("vertices") if v.kind in ("isr_shrink", "election", "unclean_election"))
    made = changed(result, "edges", lambda e: e.rank == 1, src=dead(result).fault_id, dst=dst)
    text = "No line shows that a leader or ISR changed because of it."
    return changed(made, "findings", lambda f: f.finding_id == dead(result).fault_id, summary=text)


def without_roles(result: Result) -> Result:
    """A fault that changed nothing, by logs without the leader epochs that brokers take on."""
    made = result.but(tables={**result.tables, "coverage_spans": result.tables["coverage_spans"].assign(roles=0)})
    text = "No line shows that a leader or ISR changed because of it."
    return changed(made, "findings", lambda f: f.finding_id == dead(result).fault_id, summary=text)


def with_a_majority_left(result: Result) -> Result:
    """A lost quorum of three voters because one of them died."""
    one = result.rows("faults")[0]
    made = added(result, "faults", every, fault_id="lost", kind="quorum_lost", peers=[1, 2, 3])
    reason = "voters_left_were_no_majority"
    return added(made, "edges", every, src=one.fault_id, dst="lost", rank=1, reason=reason)


def with_unnamed_epochs(result: Result) -> Result:
    """An election over leader epochs that no line names, with no time without a leader."""
    one = result.rows("elections")[0]

    def is_own(row: Any) -> bool:
        return (row.topic, row.partition, row.leader_epoch) == (one.topic, one.partition, one.leader_epoch)

    made = changed(result, "leader_epochs", is_own, untold_epochs=2, confidence="inferred")
    return changed(made, "elections", is_own, leaderless_ms=0)


def with_high_watermark(result: Result) -> Result:
    """A high watermark above the log of a new leader, before its election."""
    mark = next(m for m in result.rows("high_watermarks") if m.high_watermark and m.leader_epoch is not None)
    return added(
        result,
        "losses",
        every,
        topic=mark.topic,
        partition=mark.partition,
        leader_epoch=mark.leader_epoch + 1,
        ts=mark.ts + HOUR,
        from_offset=mark.high_watermark - 1,
        premise="broker 2 was in the ISR, and no high watermark above its log was seen",
    )


def with_cut(result: Result) -> Result:
    """An old leader that cut off what its successor lacks, beside "nothing was discarded"."""
    cut = next(
        c
        for c in result.rows("truncations")
        if c.log_end_offset and c.log_end_offset > c.truncation_offset and not c.by_recovery
    )
    return added(
        result,
        "losses",
        every,
        topic=cut.topic,
        partition=cut.partition,
        leader_epoch=cut.leader_epoch,
        old_leader_id=cut.node_id,
        from_offset=cut.truncation_offset,
        verdict="NO_LOSS_OBSERVED",
        premise="the old leader's log ended there: nothing was discarded",
    )


def with_bounded_cut(result: Result, **values: object) -> Result:
    """A cut of a broker from its peers, with other bounds."""
    kind = "cut_from_peers"
    return changed(result, "faults", lambda f: f.kind.startswith("cut_") and bool(f.evidence), kind=kind, **values)


def with_early_end_of_a_session(result: Result) -> Result:
    """A death that a session bounds that had ended long before."""
    text = "No peer logged when it fell silent: only its last line, its session and its next start bound its death."
    fault = dead(result)
    made = changed(result, "findings", lambda f: f.finding_id == fault.fault_id, blind_spots=[text])
    frame = made.tables["broker_sessions"].copy()
    frame["end_ts"] = frame["end_ts"] - HOUR
    return made.but(tables={**made.tables, "broker_sessions": frame})


def with_dead_bar(result: Result, since: timedelta, until: timedelta) -> Result:
    """A bar of certain death around the begin of one."""
    fault = dead(result)
    hover = f"<b>broker {fault.broker_id}: dead or frozen</b>"
    bar = Mark("brokers", "absent", fault.began_high + since, fault.began_high + until, hover)
    return result.but(marks=[*result.marks, bar])


def told_at(result: Result, place: str, *texts: str) -> Result:
    """The result with more texts of the page at a place."""
    return result.but(printed=[*result.printed, *(Printed(PAGE, place, text) for text in texts)])


def with_cut_here(result: Result) -> Result:
    """A truncation in the time of an incident that is said to have none."""
    row = result.rows("incidents")[0]
    text = "No leader change, truncation or restart here could have lost data."
    made = told_at(result, f"incident-{row.incident_id}", text)
    return changed(
        made,
        "truncations",
        lambda c: not c.by_recovery and (c.log_end_offset or 0) > c.truncation_offset,
        ts=row.start_ts,
    )


def with_old_losses(result: Result) -> Result:
    """Lost records that are dated before a time at which the leader's log did not hold them."""
    loss = next(x for x in result.rows("losses") if x.written_low is not None and x.old_leader_id is not None)
    values = {"topic": loss.topic, "partition": loss.partition, "node_id": loss.old_leader_id, "role": "leader"}
    made = added(result, "high_watermarks", every, log_end_offset=loss.from_offset, ts=loss.written_low, **values)
    return changed(made, "losses", lambda x: x.written_low is not None, written_low=loss.written_low - HOUR)


def with_stale_heartbeat(result: Result) -> Result:
    """A refused heartbeat of an earlier process, long after the next one had registered."""
    session = next(s for s in result.rows("broker_sessions") if s.broker_epoch is not None and s.start_ts is not None)
    text = f"StaleBrokerEpochException: Expected broker epoch {session.broker_epoch}, but got broker epoch 1"
    made = changed(result, "events", every, kind="kraft_event_failed", message=text, ts=session.start_ts + HOUR)
    return printed(made, "Each broker that sends them stays fenced until it registers again.")


def with_frozen_broker(result: Result) -> Result:
    """A broker that is frozen as its session times out, "although the process ran"."""
    fault = dead(result)
    session = next(
        s for s in result.rows("broker_sessions") if s.broker_id == fault.broker_id and s.end_ts and s.broker_epoch
    )
    second = timedelta(seconds=1)
    bounds = {"began_high": session.end_ts - second, "ended_low": session.end_ts + second}
    made = changed(result, "faults", lambda f: f.fault_id == fault.fault_id, kind="paused", **bounds)
    epoch = session.broker_epoch
    return printed(made, f"session with broker epoch {epoch} ended because it timed out, although the process ran")


def with_time(result: Result, **values: object) -> Result:
    """One more time of a partition: an hour from the begin of its first leader epoch on."""
    changes = {(e.topic, e.partition) for e in result.rows("elections")}
    first = next(
        e
        for e in result.rows("leader_epochs")
        if (e.topic, e.partition) in changes and e.leader_epoch == 0 and not e.begun_before
    )
    own = {"topic": first.topic, "partition": first.partition, "acks": "all", "state": "unknown", "ended_by": None}
    times = {"start_ts": first.start_ts, "end_ts": first.start_ts + HOUR}
    made = added(result, "availability", every, **{**own, **times, "fault_id": None, **values})
    return (
        made
        if "end_ts" not in values
        else changed(
            made, "availability", lambda a: a.reason == values["reason"], end_ts=first.start_ts + timedelta(seconds=1)
        )
    )


def with_replica_behind_before(result: Result) -> Result:
    """A replica that was behind an hour before the fault that is said to have made it fall behind."""
    fault = next(f for f in result.rows("faults") if f.began_low is not None)
    of = {v.id: v for v in result.rows("vertices") if v.kind == "isr_shrink"}
    edge = next(e for e in result.rows("edges") if e.rank == 1 and e.dst in of)
    shrink = of[edge.dst]
    made = changed(result, "edges", lambda e: (e.src, e.dst) == (edge.src, edge.dst), src=fault.fault_id)
    values = {"topic": shrink.topic, "partition": shrink.partition, "node_id": fault.broker_id, "ts": shrink.ts}
    behind = {"source": "isr_shrink", "caught_up_ts": fault.began_low - HOUR}
    return changed(made, "follower_positions", every, **values, **behind)


def with_consequence(result: Result, cause: str, text: str) -> Result:
    """A message under a cause, about the first line that has a time."""
    line = next(e.event_id for e in result.rows("events") if e.ts is not None and ".log:" in e.event_id)
    return told_at(result, "lines", f"Caused by: {cause} 1 message", f"{text} line {line}")


def with_rejected_connection(result: Result) -> Result:
    """A fetch whose connection the follower's own host rejected, as a consequence of the leader's crash."""
    line = next(e for e in result.rows("events") if e.ts is not None and ".log:" in e.event_id)
    made = changed(
        result,
        "events",
        lambda e: e.event_id == line.event_id,
        kind="node_connect_error",
        message="Error connecting to node host:9092 (id: 1 rack: null)",
        details={"exception": "java.net.SocketException: Invalid argument"},
    )
    return with_consequence(
        made, "broker 1 crashed or was killed (F01, 00:00:00 to 00:00:01)", "A fetch of broker 2 failed."
    )


def without_files(result: Result) -> Result:
    """A death that the silence of a node shows of which no file is there."""
    fault = dead(result)
    coverage = result.tables["coverage"]
    made = result.but(tables={**result.tables, "coverage": coverage[coverage.node_id != fault.broker_id]})
    return changed(
        made,
        "findings",
        lambda f: f.finding_id == fault.fault_id,
        summary=concluded("these logs hold no line of its own from that time"),
    )


def with_departures(result: Result) -> Result:
    """A broker that left an ISR for lag, said to have left with its session."""
    gone = [broker for a, b in isr_changes(result) for broker in set(a.isr) - set(b.isr)]
    text = f"broker {gone[0]} 1 session; left ISRs 1 time, each within 30 s of the end of its session."
    return told_at(
        result.but(tables={**result.tables, "broker_sessions": result.tables["broker_sessions"].iloc[:0]}),
        "brokers",
        text,
    )


def with_early_leader(result: Result) -> Result:
    """A broker that is elected at a time at which it was not."""
    epoch = next(e for e in result.rows("leader_epochs") if e.leader_id is not None and e.leader_id >= 0 and e.start_ts)
    name = f"{epoch.topic}-{epoch.partition}"
    step = f"00:00:00.001 elected leader of {name} node-1/controller.log:1"
    return told_at(result, "brokers", f"broker {epoch.leader_id} 1 session", step)


def with_stored_before(result: Result) -> Result:
    """Offsets that are said to be stored in an incident before whose begin all waits had begun."""
    topic = next(a.topic for a in result.rows("availability") if a.acks == "all" and a.state == "closed")
    return changed(
        result,
        "incidents",
        every,
        unanswered=f"at least 5 offsets of {topic}",
        t0_low=lambda i: i.start_ts + 24 * HOUR,
        end_ts=lambda i: i.start_ts + 25 * HOUR,
    )


def of_unknown_begin(result: Result) -> Result:
    """All incidents with a time without a leader that its first line shows under way."""
    frame = result.tables["incidents"].astype(object)
    frame["undated"] = [["leaderless"]] * len(frame)
    return result.but(tables={**result.tables, "incidents": frame})


def with_old_entry(result: Result) -> Result:
    """An entry of a checkpoint file from before the logs, of a partition that was created in them."""
    epoch = next(
        e for e in result.rows("leader_epochs") if e.leader_epoch == 0 and e.reason == "created" and not e.begun_before
    )
    row = [f"{epoch.topic}-{epoch.partition}", "broker 1", "(0 0)", "before the logs begin"]
    grid = Grid("Changes of the leader-epoch checkpoints that lines or files show", 1, ["Partition"], [row])
    return result.but(grids=[*result.grids, grid])


def test_contradictions_are_planted_for_at_least_thirty_checks():
    assert len({one.check for one in PLANTED}) >= 30
    assert len({(one.check, one.plant) for one in PLANTED}) == len(PLANTED)
    assert {one.check for one in PLANTED} <= CHECKS.keys()


@for_each("planted", PLANTED, ids=lambda planted: planted.check)
def test_the_audit_finds_a_planted_contradiction(planted, result):
    whole = result(planted.trace)
    check = CHECKS[planted.check]
    assert list(check(whole)) == []
    assert list(check(planted.plant(whole)))
