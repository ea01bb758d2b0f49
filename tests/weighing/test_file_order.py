"""Files out of order, blocks sent again, days copied, and timestamps that are days off."""

from __future__ import annotations

from datetime import timedelta

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.facts.times import EPOCH
from replay.tables.arrow import arrow_schema
from replay.tables.reading import PRINTED
from replay.weighing.file_order import FileOrder

FILE = "node-1/server.log"
Lines = list[tuple[float, str]]


def batches(lines: Lines, file: str = FILE, kind: str | None = None, node: int = 1) -> list[pa.RecordBatch]:
    """The records of a file: seconds since 1970 and text of each, in the order of the file."""
    schema = arrow_schema(PRINTED.schema)
    rows = [
        {
            "event_id": f"{file}:{number}",
            "source_file": file,
            "node_id": node,
            "line_number": number,
            "level": "INFO",
            "kind": kind,
            "raw_ts": EPOCH + timedelta(milliseconds=round(at * 1_000)),
            "message": text,
        }
        for number, (at, text) in enumerate(lines, 1)
    ]
    return [pa.RecordBatch.from_pylist(rows, schema)]


def kept(lines: Lines) -> list[str]:
    read = batches(lines)
    return [text for batch in FileOrder(read).batches(read) for text in batch.column("message").to_pylist()]


def apart(count: int) -> Lines:
    """Lines of different texts, 0.7 s apart, with different milliseconds."""
    return [(at * 0.703, f"line {at}") for at in range(count)]


def test_a_log_in_order_shows_nothing():
    order = FileOrder(batches(apart(50)))
    assert (order.remarks, order.changes, order.disorder.displaced_ms) == ([], False, 0)


def test_threads_log_out_of_order_by_milliseconds():
    lines = apart(200)
    for at in range(0, 200, 2):
        lines[at] = lines[at][0], lines[at][1]
        lines[at + 1] = lines[at][0] - 0.02, lines[at + 1][1]
    assert FileOrder(batches(lines)).remarks == []


def test_a_file_out_of_order_is_named_and_bounds_the_steps_of_its_clock():
    lines = apart(60)
    moved = sorted(lines, key=lambda line: line[0] + (hash(line[1]) % 50) / 10 - 2.5)
    moved[10], moved[14] = (lines[14][0], "a"), (lines[10][0], "b")
    order = FileOrder(batches(moved))
    assert [name for name, _ in order.remarks] == [FILE]
    assert "is out of order" in order.remarks[0][1]
    assert 2 * order.disorder.displaced_ms == order.disorder.least_step_ms


def test_a_clock_set_back_once_is_no_disorder():
    lines = apart(60)
    assert FileOrder(batches([*lines, *((at + 20, f"later {at}") for at, _ in lines)])).remarks == []


def test_the_newest_lines_come_first():
    order = FileOrder(batches(apart(30)[::-1]))
    assert order.disorder.reversed == {FILE}


def test_the_tail_is_sent_again():
    lines = apart(100)
    again = [*lines, *lines[-15:]]
    assert kept(again) == [text for _, text in lines]
    read = batches(again)
    (row,) = FileOrder(read).doubtful(read)
    assert (row.reason, row.lines, row.event_id, row.last_event_id) == ("repeated", 15, f"{FILE}:101", f"{FILE}:115")
    assert row.contradicted_by == [f"{FILE}:86", f"{FILE}:100"]


@given(st.lists(st.integers(1, 3), min_size=40, max_size=40).filter(lambda times: sum(n > 1 for n in times) >= 12))
def test_every_line_up_to_three_times_is_read_once(times):
    lines = apart(40)
    repeated = [line for line, count in zip(lines, times, strict=True) for _ in range(count)]
    assert kept(repeated) == [text for _, text in lines]


def test_a_process_may_print_a_line_twice_in_a_millisecond():
    lines = apart(100)
    twice = [*lines[:50], lines[49], *lines[50:], lines[-1]]
    assert kept(twice) == [text for _, text in twice]


def test_lines_of_whole_seconds_may_be_equal():
    lines = [(at, f"line {at}") for at in range(40) for _ in range(2)]
    assert kept([(float(at), text) for at, text in lines]) == [text for _, text in lines]


def test_a_day_that_is_copied_under_another_date_is_read_once_also_in_short_files():
    day = 86_400.0
    lines = [(20 * day + at, text) for at, text in apart(30)]
    both = [*((at - day, text) for at, text in lines), *lines]
    short = batches([(19 * day + 5.001, "cleaner"), (20 * day + 5.001, "cleaner")], "node-1/log-cleaner.log")
    read = [*batches(both), *short]
    order = FileOrder(read)
    left = [text for batch in order.batches(read) for text in batch.column("message").to_pylist()]
    assert left == [*(text for _, text in lines), "cleaner"]
    assert order.remarks == [
        (
            "2 files",
            "hold the same lines under two dates (the first is node-1/log-cleaner.log): 31 of these lines are left out",
        )
    ]


def test_the_times_that_lines_print_tell_which_day_is_the_copy():
    day = 86_400.0
    lines = [(20 * day + at, text) for at, text in apart(30)]
    started = (20 * day + 30, f"Kafka startTimeMs: {((1_000_000_000 + 20 * 86_400) * 1_000)}")
    later = [(at + day, text) for at, text in lines]
    moved = [(at + 1_000_000_000, text) for at, text in [*lines, *later]]
    read = [*batches(moved), *batches([(started[0] + 1_000_000_000, started[1])], "node-1/a.log", "process_start_time")]
    order = FileOrder(read)
    left = {batch["raw_ts"].day for batch in (row for one in order.batches(read) for row in one.to_pylist())}
    assert left == {(EPOCH + timedelta(seconds=1_000_000_000 + 20 * day)).day}


@pytest.mark.parametrize("days", [-27, -1, 1, 3])
def test_stamps_that_are_days_off_are_read_with_the_date_corrected(days):
    at = 1_700_000_000
    printed = [(at + days * 86_400 + n / 1_000, f"startTimeMs: {at * 1_000 + n}") for n in range(3)]
    read = batches(printed, kind="process_start_time")
    order = FileOrder(read)
    times = {row["raw_ts"].date() for batch in order.batches(read) for row in batch.to_pylist()}
    assert times == {(EPOCH + timedelta(seconds=at)).date()}
    assert "days away" in order.remarks[0][1]


@pytest.mark.parametrize("hours", [-12, -5, 0, 5.5, 14])
def test_a_time_zone_is_no_wrong_date(hours):
    at = 1_700_000_000
    read = batches([(at + hours * 3_600, f"startTimeMs: {at * 1_000}")], kind="process_start_time")
    assert not FileOrder(read).changes


def test_the_part_of_a_log_that_another_file_holds_too_is_read_once():
    lines = apart(60)
    read = [*batches(lines), *batches(lines[:30], f"{FILE}.1")]
    order = FileOrder(read)
    left = [name for batch in order.batches(read) for name in batch.column("source_file").to_pylist()]
    assert left == [FILE] * 60
