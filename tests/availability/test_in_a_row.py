"""A wait that several incidents have parts of, in full."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from replay.availability.in_a_row import merge_waits_in_a_row, waits_in_a_row
from replay.tables.availability import HarmSpan
from tests.each import for_each


def at(seconds: float) -> datetime:
    return datetime(2024, 5, 1, 10, 0, tzinfo=UTC) + timedelta(seconds=seconds)


def blocked(incident: str, start: float, end: float, **given: object) -> HarmSpan:
    return HarmSpan(
        kind="blocked",
        topic="clicks",
        partition=0,
        name="clicks-0",
        acks="all",
        is_sure=True,
        is_internal=False,
        is_open=False,
        incident_id=incident,
        start_ts=at(start),
        end_ts=at(end),
        ms=int((end - start) * 1000),
    ).but(**given)


CUT, CRASH = blocked("incident-1", 1, 43), blocked("incident-2", 43, 49)
MAYBE = [blocked("incident-1", 0, 1, is_sure=False), blocked("incident-2", 49, 51, is_sure=False)]


def test_a_wait_lasts_from_the_begin_of_the_first_part_to_the_end_of_the_last():
    (row,) = waits_in_a_row([CRASH, *MAYBE, CUT])
    assert (row.incident_ids, row.partitions) == (["incident-1", "incident-2"], ["clicks-0"])
    assert (row.low_ms, row.high_ms, row.is_open) == (48_000, 51_000, False)


@for_each(
    "spans",
    [
        [CUT, CRASH.but(start_ts=at(44))],
        [CUT, CRASH.but(incident_id="incident-1")],
        [CUT, CRASH.but(is_sure=False)],
        [CUT, CRASH.but(acks="1")],
        [CUT.but(is_internal=True), CRASH.but(is_internal=True)],
        [CUT, CRASH.but(kind="under_min_isr")],
    ],
    ids=["a break", "one incident", "perhaps", "other writes", "Kafka's own topics", "no wait"],
)
def test_other_times_are_no_wait_in_a_row(spans):
    assert waits_in_a_row(spans) == []


def test_the_bounds_of_a_topic_hold_for_each_partition():
    rows = [
        *waits_in_a_row([CUT, CRASH, *MAYBE]),
        *waits_in_a_row([CUT.but(name="clicks-1", start_ts=at(2)), CRASH.but(name="clicks-1", is_open=True)]),
    ]
    (row,) = merge_waits_in_a_row(rows)
    assert (row.partitions, row.low_ms, row.high_ms, row.is_open) == (["clicks-0", "clicks-1"], 47_000, 51_000, True)
