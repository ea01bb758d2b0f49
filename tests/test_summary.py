"""The one screen on the terminal."""

from __future__ import annotations

import io
import re
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from rich.console import Console

from pipelines.answers.lines import of_text
from pipelines.found_files import Inputs
from pipelines.main_job import Outcome
from pipelines.summary import summary
from replay.tables import BLIND_SPOTS
from tests.each import for_each
from tests.frames import at, frame, whole
from viz import phrases as words
from viz import shift
from viz.frames import rows, tidy
from viz.phrases import waited
from viz.summary import _overlaps, counted_since, discarded_elsewhere, figures, in_time, recoverable
from viz.topics import longest_wait

DAY = pd.Timestamp("2024-05-01 10:00:00")


def incident(
    number: int, severity: str, start: pd.Timestamp, end: pd.Timestamp, discarded: int | None = 0, **more: object
) -> dict[str, object]:
    return {
        "incident_id": f"incident-{number}",
        "severity": severity,
        "title": f"Fault {number}",
        "start_ts": start,
        "end_ts": end,
        "told": f"What fault {number} did.",
        "lasted_low_ms": 60_000,
        "lasted_high_ms": 62_000,
        "is_over": True,
        "still": [],
        "afterwards": [],
        "unanswered": "none found",
        "unanswered_offsets": 0,
        "down": [],
        "next_steps": ["Look at the disk.", "Wait."],
        "broker_ids": [1],
        "root_finding_id": f"root-{number}",
        "acked_possible_min": discarded or 0,
        "acked_possible_max": discarded,
        "lost_committed": "none found",
        "lost_uncommitted": "some records of orders",
        **more,
    }


def printed(
    *incidents: dict[str, object],
    findings: tuple[tuple[object, ...], ...] = (),
    remarks: tuple[tuple[str, str], ...] = (),
    spots: tuple[tuple[str, int], ...] = (),
    verbose: bool = False,
    lines: str = "",
) -> str:
    tables = {
        "incidents": whole("incidents", pd.DataFrame(incidents, columns=list(incident(0, "low", DAY, DAY)))),
        "findings": whole(
            "findings",
            pd.DataFrame(
                findings,
                columns=["incident_id", "role", "severity", "code", "title", "start_ts", "finding_id", "evidence"],
            ),
        ).assign(broker_ids=[(1,)] * len(findings)),
        "coverage": whole(
            "coverage",
            pd.DataFrame([{"source_file": "a", "layout": "default", "log_records": 10, "unmatched": 1, "foreign": 1}]),
        ),
        "blind_spots": whole("blind_spots", pd.DataFrame(spots, columns=["kind", "node_id"])),
        "glossary": whole("glossary", pd.DataFrame([("F01", "Broker crashed")], columns=["code", "name"])),
        "broker_sessions": whole("broker_sessions", pd.DataFrame({"broker_id": [1]})),
        "isr_spans": whole("isr_spans", pd.DataFrame(columns=["leader_id", "isr", "replicas"])),
    }
    tables["limits"] = whole("limits", pd.DataFrame(columns=["kind", "statement"]))
    clear = ("none_found", "No loss of committed records was found.", [])
    tables["all_clear"] = whole("all_clear", pd.DataFrame([clear], columns=["verdict", "statement", "doubts"]))
    tables["leader_epochs"] = whole("leader_epochs", pd.DataFrame(columns=["leader_id", "replicas", "topic"]))
    said = io.StringIO()
    answer = of_text(lines) if lines else None
    outcome = Outcome(Path("out"), tables, Inputs([], [], list(remarks)), answer)
    summary(outcome, Console(file=said), verbose=verbose)
    return said.getvalue()


def test_every_incident_has_a_line_the_worst_first_and_the_worst_is_reported():
    said = printed(
        *[
            incident(n, severity, DAY + pd.Timedelta(hours=n), DAY + pd.Timedelta(hours=n))
            for n, severity in enumerate(["low", "medium", "critical", "high"])
        ]
    )
    lines = said.splitlines()
    assert [line for line in lines if "Fault" in line] == [
        "2024-05-01 12:00:00 UTC, 1 min 00 s to 1 min 02 s  CRITICAL  Fault 2",
        "2024-05-01 13:00:00 UTC, 1 min 00 s to 1 min 02 s  HIGH  Fault 3",
        "2024-05-01 11:00:00 UTC, 1 min 00 s to 1 min 02 s  MEDIUM  Fault 1",
        "2024-05-01 10:00:00 UTC, 1 min 00 s to 1 min 02 s  LOW  Fault 0",
    ]
    assert "4 incidents, the worst first, then in the order of time:" in lines
    assert "12:00:00: What fault 2 did.\n1. Look at the disk.\n2. Wait." in said
    assert "What fault 3 did." not in said


def test_of_equally_severe_incidents_the_one_that_blocked_writers_longest_is_shown():
    def waited(ms: int) -> dict[str, object]:
        return {"down": [{"topic": "orders", "acks_all_low_ms": ms, "acks_all_high_ms": ms + 100}]}

    said = printed(
        *[
            incident(n, "medium", DAY + pd.Timedelta(hours=n), DAY, **waited(ms))
            for n, ms in enumerate([0, 9_000, 2_000])
        ]
    )
    assert "11:00:00: What fault 1 did." in said


def test_what_was_lost_comes_first_acks_all_and_acks_1_apart():
    """The few records that any failover costs acks=1 stand in the incident's line."""
    lost = {"lost_committed": "5 records of orders"}
    assert printed(incident(1, "high", DAY, DAY, **lost)).startswith(
        "Lost, committed: 5 records of orders\n2024-05-01 10:00:00"
    )
    assert printed(incident(1, "high", DAY, DAY, 432)).startswith(
        "Lost, uncommitted (acks=1 or 0 only): some records of orders\nNo loss of committed records was found.\n"
    )
    assert printed(incident(1, "high", DAY, DAY, None, acked_possible_min=5)).startswith(
        "Lost, uncommitted (acks=1 or 0 only): some records of orders"
    )
    assert printed(incident(1, "high", DAY, DAY, None)).startswith(
        "Perhaps lost, uncommitted (acks=1 or 0 only): some records of orders"
    )
    assert "Fault 1; lost, uncommitted: at most 1 offset\n" in printed(incident(1, "high", DAY, DAY, 1))
    two = printed(incident(1, "high", DAY, DAY, **lost), incident(2, "high", DAY, DAY))
    assert two.startswith("Lost, committed (incident that began at 10:00:00): 5 records of orders\n")
    assert "No loss of committed" not in two


def test_each_broker_is_named_with_its_own_fault():
    """One incident has two causes at two brokers: the clock of broker 1 was set, and broker 2 was killed."""
    tables = {
        "glossary": pd.DataFrame([("F01", "Crash"), ("F21", "Clock step")], columns=["code", "name"]),
        "findings": pd.DataFrame(
            [
                ("clock", "one", "F21", "root_cause", (1,)),
                ("crash", "one", "F01", "root_cause", (2,)),
                ("crash again", "two", "F01", "root_cause", (2,)),
                ("failover", "two", "F08", "effect", (1,)),
            ],
            columns=["finding_id", "incident_id", "code", "role", "broker_ids"],
        ),
    }
    whole_tables = {name: whole(name, table) for name, table in tables.items()}
    whole_tables["broker_sessions"] = whole("broker_sessions", pd.DataFrame({"broker_id": [1, 2]}))
    whole_tables["isr_spans"] = whole("isr_spans", pd.DataFrame(columns=["leader_id", "isr", "replicas"]))
    whole_tables["leader_epochs"] = whole("leader_epochs", pd.DataFrame(columns=["leader_id", "replicas", "topic"]))
    incidents = [
        SimpleNamespace(incident_id="one", start_ts=DAY, root_finding_id="clock", broker_ids=(1, 2)),
        SimpleNamespace(incident_id="two", start_ts=DAY, root_finding_id="crash again", broker_ids=(2,)),
    ]
    said = shift.summary(whole_tables, incidents)
    assert said == "2 incidents. Broker 1: clock step. Broker 2: crash (twice)."


def test_of_many_incidents_the_worst_stand_there_and_how_many_more_there_are():
    """A day of sixty faults is one screen; what befell whom, how often, comes before the lines."""
    said = printed(
        *[
            incident(
                n,
                "critical" if n % 3 == 0 else "low",
                DAY + pd.Timedelta(minutes=n),
                DAY,
                500,
                lost_committed=f"{n} records of orders" if n % 5 == 0 else "none found",
            )
            for n in range(60)
        ],
        findings=[(None, "root_cause", "low", "F01", "A crash", DAY, f"root-{n}", []) for n in range(60)],
    ).splitlines()
    lines = [line for line in said if "  Fault " in line]
    assert [line.split("Fault ")[1] for line in lines] == [str(n) for n in range(0, 60, 3)]
    assert "… and 40 more incidents, none of them worse, in the report." in said
    assert "60 incidents. Broker 1: broker crashed (60 times)." in said
    assert said[:11] == [
        *(
            f"Lost, committed (incident that began at 10:{n:02}:00): {n} records of orders"
            for n in (0, 15, 30, 45, 5, 10, 20, 25, 35, 40)
        ),
        "… and in 2 more incidents, in the report.",
    ]
    assert sum(line.startswith("Lost, uncommitted") for line in said) == 10


def test_what_is_not_over_is_said():
    said = printed(incident(1, "high", DAY, DAY, is_over=False, still=["3 ISRs not full", "broker 2 not back"]))
    assert "Fault 1; not over\n" in said
    assert "Not over: 3 ISRs not full and broker 2 not back" in said


def test_arithmetic_and_stage_times_are_for_who_asks():
    one = incident(1, "high", DAY, DAY)
    assert "understood" not in printed(one) and "Time:" not in printed(one)
    finding = ("incident-1", "root_cause", "high", "F01", "Broker 1 crashed", DAY, "x", ["n1/server.log:7"])
    told = " ".join(printed(one, findings=(finding,), verbose=True).split())
    assert "10 records = 9 recognized + 1 not (1 of these from loggers outside Kafka)" in told
    assert "10:00:00 high root cause F01 Broker 1 crashed n1/server.log:7" in told
    assert "Time: 0 s" in told


def test_what_no_fault_explains_is_no_all_clear():
    said = printed(findings=((None, "effect", "medium", "F00", "Leaders changed", DAY, "x", ["n1/server.log:7"]),))
    assert "Leaders changed, cause not logged\nNo fault that explains it was found in 10 records" in said
    assert "medium effect F00 Leaders changed n1/server.log:7" in " ".join(said.split())
    assert "cannot rule out" not in said


def test_a_loss_without_a_known_cause_stands_first():
    lost = "At least 6,250 offsets of committed records lost in 9 partitions"
    said = printed(
        findings=(
            (None, "effect", "medium", "F00", "Leaders changed, cause not logged", DAY, "x", ["n1/server.log:7"]),
            (None, "effect", "critical", "S0", lost, DAY, "x", ["n1/server.log:9"]),
        )
    )
    assert f"{lost}, cause not logged\n" in said and said.index(lost) < said.index("Leaders changed")
    assert "1. Copy the log directories of these partitions before Kafka truncates more" in said


def test_a_loss_that_is_not_decided_has_no_cause_to_log():
    open_loss = "Whether records of 10 partitions were lost is unknown"
    said = printed(findings=((None, "effect", "medium", "S0", open_loss, DAY, "x", ["n1/server.log:9"]),))
    assert f"{open_loss}\n" in said and "cause not logged" not in said


def test_without_anything_unexplained_it_is_calm():
    calm = printed(findings=((None, "benign", "info", "F17", "Preferred leaders took over", DAY, "x", []),))
    assert "No fault found in 10 records" in calm
    assert "cannot rule out a fault that crosses no timeout" in " ".join(calm.split())


_ERRORS = (None, "effect", "low", "F00", "Errors were logged, cause unknown", DAY, "x", ["n1/server.log:7"])


def test_errors_that_no_fault_explains_are_no_all_clear_either():
    said = printed(findings=(_ERRORS,))
    assert "Errors were logged, and no fault of them could be named in 10 records" in said
    assert "low effect F00 Errors were logged, cause unknown n1/server.log:7" in " ".join(said.split())
    assert "No fault found" not in said


def test_what_belongs_to_no_incident_is_reported_beside_them():
    said = " ".join(printed(incident(1, "high", DAY, DAY), findings=(_ERRORS,)).split())
    assert "In no incident 10:00:00 low effect F00 Errors were logged" in said
    assert "In no incident" not in printed(incident(1, "high", DAY, DAY))


def test_what_kafka_topics_described_is_no_all_clear():
    """Without a log nothing is known of faults; leaders and ISRs are, as of its time."""
    tables = {
        "incidents": whole("incidents", pd.DataFrame(columns=["incident_id", "severity", "start_ts"])),
        "findings": whole("findings", pd.DataFrame(columns=["incident_id", "severity", "code", "evidence"])),
        "coverage": whole("coverage", pd.DataFrame([{"source_file": "a", "layout": "default", "log_records": 2, "unmatched": 0, "foreign": 0}])),
        "blind_spots": whole("blind_spots", pd.DataFrame(columns=["kind", "node_id"])),
        "limits": whole("limits", pd.DataFrame(columns=["kind", "statement"])),
        "leader_epochs": pd.DataFrame(),
        "described_partitions": whole("described_partitions", pd.DataFrame(
            [("orders", 0, DAY, 2, 1, [1, 2, 3], [2, 3], [1], None)],
            columns=["topic", "partition", "ts", "leader_id", "preferred_id", "replicas", "isr", "out_of_isr", "set_aside"],
        )),
    }  # fmt: skip
    said = io.StringIO()
    summary(Outcome(Path("out"), tables, Inputs([], [], [])), Console(file=said))
    told = " ".join(said.getvalue().split())
    assert (
        "1 partition, 0 without a leader, 1 not led by the preferred replica, 1 with a replica out of sync. "
        "Whether anything went wrong is unknown" in told
    )
    assert "No fault found" not in told


def test_what_is_odd_about_the_files_is_reported_the_first_three_and_how_many_more():
    said = printed(remarks=tuple((f"node-{n}/server.log", "was given twice: read once") for n in range(1, 6)))
    assert [line for line in said.splitlines() if "twice" in line] == [
        f"Note: node-{n}/server.log was given twice: read once." for n in (1, 2, 3)
    ]
    assert "… and 2 more notes on the files, in the report." in said


def test_every_kind_of_blind_spot_has_words():
    (meaning,) = [column.meaning for column in BLIND_SPOTS.columns if column.name == "kind"]
    for kind in re.findall(r"`(\w+)`", meaning):
        (said,) = [line for line in printed(spots=((kind, 3),)).splitlines() if line.startswith("Not in these files:")]
        assert re.match(r"Not in these files: [a-z]", said), kind


def test_the_wall_clock_downtime_is_that_of_the_topic_that_waited_longest():
    down = [
        {"topic": "clicks", "acks_all_low_ms": 1_000, "acks_all_high_ms": 9_000, "is_open": False},
        {"topic": "orders", "acks_all_low_ms": 7_900, "acks_all_high_ms": 8_200, "is_open": False},
    ]
    assert "Fault 1; writes blocked 7.9 to 8.2 s\n" in printed(incident(1, "high", DAY, DAY, down=down))
    assert "writes blocked" not in printed(incident(1, "high", DAY, DAY))


def test_copies_that_a_restart_discarded_are_no_all_clear_where_their_loss_counts_in_another_incident():
    """Broker 3 was cut off and led on; it was killed, and its next process truncated what only its disk held."""
    incidents = frame(
        "incidents",
        """
        incident_id | title                | start_ts | end_ts   | broker_ids
        cut         | Broker 3 was cut off | 10:00:07 | 10:00:53 | 3
        kill        | Broker 3 crashed     | 10:00:38 | 10:00:54 | 3
        other       | Broker 2 crashed     | 10:00:38 | 10:00:54 | 2
        later       | Broker 3 crashed     | 10:02:00 | 10:03:00 | 3 """,
    )
    losses = frame(
        "losses",
        """
        topic  | partition | incident_id | verdict       | cut_ts   | cut_by
        clicks | 2         | cut         | POSSIBLE_LOSS | 10:00:53 | 3
        orders | 0         | cut         | NO_LOSS_OBSERVED | 10:00:53 | 3 """,
    )
    tables = {"incidents": tidy(incidents, "incidents"), "losses": tidy(losses, "losses")}
    told = {row.incident_id: discarded_elsewhere(row, tables) for row in rows(tables["incidents"])}
    assert told == {
        "cut": "",
        "kill": "Broker 3 discarded its copies of records of clicks-2 when it followed other leaders again: this loss counts in another "
        "incident, “Broker 3 was cut off”.",
        "other": "",
        "later": "",
    }


@pytest.mark.parametrize(
    ("start_ts", "is_over", "is_shared"),
    [("10:05", True, True), ("10:20", True, False), ("10:20", False, True)],
    ids=["overlaps", "comes later", "comes later, and the first is not over"],
)
def test_sums_of_incidents_that_overlap_say_that_each_time_counts_once(start_ts, is_over, is_shared):
    one, other = (
        SimpleNamespace(incident_id=name, start_ts=pd.Timestamp(f"2024-05-01 {start}"), end_ts=end, is_over=over)
        for name, start, end, over in (
            ("one", "10:00", pd.Timestamp("2024-05-01 10:10"), is_over),
            ("other", start_ts, pd.Timestamp("2024-05-01 10:30"), True),
        )
    )
    assert _overlaps(one, [one, other]) == _overlaps(other, [one, other]) == is_shared
    (tile,) = figures(_Quiet(single_copy_ms=60_000), is_shared=is_shared)
    assert ("each time counts in only one incident" in tile.note) == is_shared


@for_each(
    ("row", "text"),
    [
        ((7_000, 8_200, 1, 1, False, False), "7.0 to 8.2 s"),
        ((7_000, 8_200, 3, 3, False, False), "7.0 to 8.2 s in 3 waits"),
        ((7_000, 8_200, 3, 2, False, False), "7.0 to 8.2 s in up to 3 waits"),
        ((7_000, 8_200, 1, 1, True, False), "at least 7.0 s, to the end of the logs"),
        ((7_000, 8_200, 1, 1, False, True), "at least 7.0 s; no line shows for how long altogether"),
        ((0, 8_200, 1, 0, False, True), "an unknown time"),
    ],
)
def test_a_wait_that_lasted_as_the_logs_ended_has_no_upper_bound_and_a_sum_is_named_as_a_sum(row, text):
    names = ("low_ms", "high_ms", "times", "sure_times", "is_open", "may_last")
    assert waited({f"reads_{name}": figure for name, figure in zip(names, row, strict=True)}, "reads") == text


FENCED = "[2024-02-10 03:00:09,120] INFO [QuorumController id=1] Fencing broker 2 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)\n"
UNFENCED = "[2024-02-10 03:00:31,900] INFO [QuorumController id=1] The request from broker 2 to unfence has been granted because it has caught up with the offset of its register broker record 90117. (org.apache.kafka.controller.BrokerHeartbeatManager)\n"
STOPPED = "[2024-02-10 03:00:00,000] INFO [KafkaServer id=2] shut down completed (kafka.server.KafkaServer)\n"
GONE = "[2024-02-10 03:00:02,000] INFO [Controller id=1] Broker failure callback for 2 (kafka.controller.KafkaController)\n"


def test_what_the_lines_show_of_a_transient_event_is_no_all_clear():
    said = " ".join(printed(lines=FENCED + UNFENCED).split())
    assert "No fault found" not in said and "is transient, or needs more lines" in said
    assert "the controller fenced broker 2" in said


def test_what_several_lines_settle_is_named_though_it_is_harmless():
    said = " ".join(printed(lines=STOPPED + GONE).split())
    assert "Broker 2 stopped in order" in said


class _Quiet(SimpleNamespace):
    """An incident of which all other figures are zero."""

    def __getattr__(self, name: str) -> int:
        return 0


def test_the_time_out_of_sync_is_no_bound_because_isrs_are_dated_by_their_first_lines():
    (recorded,) = figures(_Quiet(under_replicated_ms=60_000))
    assert (recorded.value, "by the recorded ISRs" in recorded.note) == ("about 1 min 00 s", True)
    (dead,) = figures(_Quiet(under_replicated_ms=60_000, dead_in_isr_ms=5_000))
    assert (dead.value, "held a broker that was dead, frozen, or cut off" in dead.note) == (
        "about 1 min 05 s or more",
        True,
    )


def test_an_effect_stands_below_the_root_whose_bounds_reach_past_its_first_line():
    """A cut that began between 10:00:00 and 10:00:06; its first effect is logged at 10:00:04."""

    def finding(id_: str, role: str, start: str, high: str | None = None):
        return SimpleNamespace(
            finding_id=id_, incident_id="one", role=role, start_ts=at(start), began_high=at(high) if high else None
        )

    effect, root = finding("a", "effect", "10:00:04"), finding("b", "root_cause", "10:00:03", "10:00:06")
    benign = finding("c", "benign", "10:00:05")
    assert [f.finding_id for f in in_time([effect, root, benign])] == ["c", "b", "a"]
    assert [f.finding_id for f in in_time([effect, benign])] == ["a", "c"]


def test_recoverable_names_the_disk_as_of_when_and_the_command():
    at = pd.Timestamp("2026-11-21 05:03:11.900")

    def loss(*holders: int) -> SimpleNamespace:
        return SimpleNamespace(verdict="PROVEN_LOSS", recoverable_from=holders, cut_ts=None)

    one = recoverable([loss(2)], {2: at, 3: at})
    assert one is not None and one.value == "From broker 2"
    assert one.note == (
        "as of its last line, 05:03:11 UTC; save the end of its log before it starts or follows another leader "
        "(kafka-replay collect … --tails), then kafka-replay rescue lists the records"
    )
    some = recoverable([loss(2), loss(3), loss()], {2: at, 3: at + pd.Timedelta(seconds=60)})
    assert some is not None and some.value == "2 of 3 ranges, from brokers 2 and 3"
    assert some.note.startswith(
        "as of their last lines, 05:03:11 and 05:04:11 UTC; save the ends of their logs before they start or"
    )
    none = recoverable([loss()], {2: at})
    assert none is not None and none.value == "No replica is known to hold them"


def test_a_sum_whose_begin_no_line_shows_is_at_least_and_only_its_begin_is_unknown():
    sums = dict(blocked_one_max_ms=3_600, leaderless_ms=714, single_copy_ms=100_539, at_min_isr_ms=9_000)
    tiles = figures(_Quiet(**sums, undated=["blocked_one", "leaderless", "single_copy", "at_min_isr"]))
    values = [words.UNKNOWN, "at least 714 ms", "at least 1 min 40 s", "about 9.0 s or more"]
    assert [tile.value for tile in tiles] == values
    assert all("; no line shows when some of these times began" in tile.note for tile in tiles)
    assert not any(" end of some" in tile.note for tile in tiles)
    (both,) = figures(_Quiet(leaderless_ms=714, undated=["leaderless"], unended=["leaderless"]))
    assert both.note.endswith("; no line shows when some of these times began, nor the end of some")
    (other,) = figures(_Quiet(leaderless_ms=714, undated=["single_copy"], unended=["single_copy"]))
    assert (other.value, other.note) == ("714 ms", "summed over all partitions")


def test_a_sum_whose_ends_no_line_shows_has_no_upper_bound():
    """Where writes with acks=all may have waited on, and where another leader than the known ones may have been dead."""
    figure = dict(blocked_all_min_ms=8_000, blocked_all_max_ms=9_000)
    (closed,) = figures(_Quiet(**figure))
    (tile,) = figures(_Quiet(**figure, unended=["blocked_all"]))
    assert (closed.value, tile.value) == ("8.0 to 9.0 s", "at least 8.0 s")
    assert "no line shows the end of some of these times" in tile.note
    (possible,) = figures(_Quiet(blocked_all_max_ms=9_000, unended=["blocked_all"]))
    assert possible.value == words.UNKNOWN
    changes, dead = figures(_Quiet(unserved_min_ms=8_000, unserved_max_ms=9_000, leaders_untold=4))
    assert (changes.note, dead.value) == (
        "to another broker; 4 more whose former leader is not logged",
        "at least 8.0 s",
    )
    assert words.waited({"acks_all_low_ms": 0, "acks_all_high_ms": 9_000, "acks_all_may_last": True}, "acks_all") == (
        "an unknown time"
    )


def test_the_longest_of_several_waits_is_at_least_as_long_as_the_largest_lower_bound():
    """One incident has the largest lower bound, another the largest upper bound: the longest wait lies between the two."""

    def wait(low_ms: int, high_ms: int, **more: bool) -> dict[str, object]:
        return {"acks_all_low_ms": low_ms, "acks_all_high_ms": high_ms, **more}

    assert longest_wait([wait(6_900, 29_000), wait(22_300, 22_900)]) == "22.3 to 29.0 s, the longest of 2 times"
    assert longest_wait([wait(6_900, 7_000), wait(22_300, 22_900)]) == "22.3 to 22.9 s, the longest of 2 times"
    lasts = wait(22_300, 22_900, acks_all_is_open=True)
    assert longest_wait([wait(6_900, 29_000), lasts]) == "at least 22.3 s, the longest of 2 times"
    assert longest_wait([wait(6_900, 29_000)]) == "6.9 to 29.0 s"
    in_a_row = [{"low_ms": 48_200, "high_ms": 50_500, "is_open": False}]
    parts = [wait(42_500, 43_200), wait(6_200, 7_800)]
    assert longest_wait(parts, in_a_row) == "48.2 to 50.5 s in a row, the longest of these waits"


def test_a_line_shows_offsets_and_not_what_it_only_announces():
    """A leader epoch that a change of the ISR began had the same leader before; a truncation to the high watermark can
    have nothing to truncate; and the first value of a "non-monotonic" line can be the end of the log (KAFKA-14704).
    """
    shown = [words.shown_by(source) for source in ("leader_start", "truncation_to_hw", "hw_non_monotonic")]
    assert shown == [
        "this leader epoch began on it as the leader",
        "it was to truncate what its log had beyond its high watermark",
        "its high watermark was set to this",
    ]


def test_figures_that_count_a_clean_stop_before_the_incident_name_it():
    """The elections and ISRs of a stop 14 s before the crash are in the figures of the incident that begins with the crash."""

    def finding(title: str, begin: str) -> SimpleNamespace:
        return SimpleNamespace(title=title, start_ts=at(begin), began_low=None, began_high=None)

    incident = _Quiet(start_ts=at("10:44:49"), elections=10, at_min_isr_ms=197_000, partitions_affected=12)
    crash = finding("Broker 3 crashed", "10:44:49")
    since = counted_since(incident, [crash, finding("Broker 1 was shut down cleanly", "10:44:35")])
    assert since == "; counted from 10:44:35.000 (Broker 1 was shut down cleanly), before this incident began"
    told = {tile.label: since in tile.note for tile in figures(incident, since=since)}
    assert told == {"Leader changes": True, "Partitions affected": False, "Exactly at min.insync.replicas": True}
    assert counted_since(incident, [crash]) == ""


def test_a_wait_names_the_clients_of_a_former_leader_apart():
    """One wait has one figure in the text and in the tiles: that of the leader in office, and then what its clients may add."""
    wait = {"acks_all_low_ms": 8_400, "acks_all_high_ms": 40_800}
    assert words.waited(wait, "acks_all") == "8.4 to 40.8 s"
    led = wait | {"acks_all_led_high_ms": 10_600}
    assert words.waited(led, "acks_all") == "8.4 to 10.6 s, up to 40.8 s for clients of a former leader"
    assert words.waited(led | {"acks_all_is_open": True}, "acks_all") == "at least 8.4 s, to the end of the logs"
