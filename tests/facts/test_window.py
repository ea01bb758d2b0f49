"""What may be concluded of a window: which lines, spans and faults of the time around it count."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from replay.facts.window import ALL_TIME, KafkaEvents, TimeWindow
from replay.tables import EVENTS
from replay.tables.arrow import to_arrow
from replay.tables.faults import FAULTS
from replay.tables.reading import PRINTED
from tests.each import for_each
from tests.nodes import of_nodes
from tests.tables import arrow_table, rows


def at(time: str) -> datetime:
    return datetime.fromisoformat(f"2024-05-01T{time}").replace(tzinfo=UTC)


WINDOW = TimeWindow(at("10:00:00"), at("11:00:00"))
LINES = """
    ts       | event_id | node_id | logger
    08:00:00 | start    | 1       | kafka
    09:50:00 | last     | 1       | kafka
    10:00:00 | in1      | 1       | kafka
    10:59:59 | in2      | 1       | kafka
    11:00:00 | next     | 1       | kafka
    12:00:00 | later    | 1       | kafka
    09:00:00 | state    | 2       | kafka
    09:00:00 | gc       | 2       |
             | setting  | 2       | """


def ids(frame) -> list[str]:
    return sorted(row.event_id for row in frame.collect())


def test_events_up_to_its_end_and_those_of_which_every_line_is_here():
    events = rows(EVENTS, LINES)

    def unbroken(window: TimeWindow) -> list[str]:
        return sorted(row.event_id for row in of_nodes(lambda own: window.unbroken_events(own), events))

    told = [row.event_id for row in WINDOW.events_by_end(events)]
    assert told == ["start", "last", "in1", "in2", "state", "gc", "setting"]
    assert unbroken(WINDOW) == ["in1", "in2", "last", "next", "setting", "state"]
    assert unbroken(TimeWindow(WINDOW.since, WINDOW.until, False)) == ["in1", "in2", "setting"]
    assert ALL_TIME.unbroken_events(events) is events and ALL_TIME.events_by_end(events) is events


def test_a_pass_and_spark_see_the_same_events_of_a_window(spark):
    told = KafkaEvents(WINDOW)
    events = rows(EVENTS, LINES)
    events[0] = events[0].but(kind="kernel_oom_kill")
    frame = spark.createDataFrame(to_arrow(EVENTS, events))
    assert ids(told.frame(frame)) == sorted(row.event_id for row in filter(told.keeps, events))


@pytest.mark.parametrize("rows_at_once", [1, 3, 100])
def test_files_that_testify_count_in_their_time(rows_at_once):
    lines = """
        ts       | event_id | layout
        09:00:00 | log      | default
        09:00:00 | gc       | gc-log
        10:30:00 | gc now   | gc-log
        09:00:00 | dump     | kafka-dump-log
        11:00:00 | dumped   | kafka-dump-log
        12:00:00 | cluster  | meta.properties
                 | undated  | gc-log
        12:00:00 | nowhere  |
                 | settings | server.properties """

    def kept(window: TimeWindow) -> list[str]:
        batches = arrow_table(PRINTED, lines).to_batches(rows_at_once)
        return [one for batch in window.without_other_times(batches) for one in batch.column("event_id").to_pylist()]

    assert kept(WINDOW) == ["log", "gc now", "dump", "cluster", "undated", "nowhere", "settings"]
    assert kept(TimeWindow(since=WINDOW.since)) == [*kept(WINDOW)[:3], "dumped", *kept(WINDOW)[3:]]
    assert len(kept(ALL_TIME)) == 9


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_each_of_some_times_lies_in_it_or_not(zone):
    """Whether the file that they are read of says that they are in UTC, or not."""
    times = [at("09:59:59"), at("10:00:00"), at("10:59:59"), at("11:00:00"), None]
    array = pa.array(times, pa.timestamp("us", tz="UTC")).cast(pa.timestamp("us", tz=zone))
    assert WINDOW.hold_each(array).to_pylist() == [False, True, True, False, False]
    assert TimeWindow(until=WINDOW.until).hold_each(array).to_pylist() == [True, True, True, False, False]
    assert ALL_TIME.hold_each(array).to_pylist() == [True, True, True, True, False]


@pytest.mark.parametrize(
    ("end", "reaches"), [("10:00:00", False), ("10:00:01", True), ("12:00:00", True), (None, True)]
)
def test_spans_that_end_in_it_or_later_reach_into_it(end, reaches):
    assert WINDOW.is_reached_by(at(end) if end else None) is reaches


@for_each(
    ("fault", "counts"),
    [
        ("killed | 09:50:00 | 09:55:00 | 10:00:00", False),  # over as the window begins
        ("killed | 09:50:00 | 09:55:00 | 10:20:00", True),
        ("killed | 09:50:00 | 09:55:00 |         ", False),  # one proof, before it
        ("killed | 09:50:00 | 10:05:00 |         ", True),
        ("paused | 10:59:00 | 11:00:10 | 11:00:20", True),  # began in it, and was noticed after it
        ("paused | 11:00:00 | 11:00:10 | 11:00:20", False),
    ],
)
def test_a_fault_counts_that_was_not_over_before_and_began_before_its_end(fault, counts):
    found = rows(FAULTS, f"kind | began_low | ts | end_ts\n{fault}")
    assert WINDOW.overlapping(found) == (found if counts else [])
    assert ALL_TIME.overlapping(found) == found
