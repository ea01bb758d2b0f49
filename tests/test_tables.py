"""The literal tables themselves: what the other tests' texts mean."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
import pytest

from replay.tables import EVENTS
from replay.tables.arrow import arrays, plain_column
from replay.tables.reading import Event
from tests.tables import same, table


def test_cells_take_the_types_of_the_table(spark):
    events = table(
        spark,
        EVENTS,
        """
        ts           | kind         | partition | isr | replicas | details   | message
        10:00:01.250 | leader_start | 3         | 1,2 | []       | a=1;b=x=y | ''
                     |              |           |     |          |           |      """,
    )
    assert events.schema == EVENTS.schema
    first, second = events.collect()
    assert (first.kind, first.partition, first.isr, first.replicas, first.details, first.message) == (
        "leader_start",
        3,
        [1, 2],
        [],
        {"a": "1", "b": "x=y"},
        "",
    )
    assert (
        first.ts.astimezone(tz=None).timestamp() == datetime.fromisoformat("2024-05-01T10:00:01.250+00:00").timestamp()
    )
    assert (second.ts, second.kind, second.isr, second.details) == (None, None, None, None)
    assert (first.event_id, second.event_id, second.line_number) == ("e1", "e2", 2)


def test_a_column_of_its_own_shows_its_type(spark):
    rows = table(
        spark,
        EVENTS,
        """
        topic  | life:int
        orders | 1        """,
    )
    same(
        rows,
        "life int",
        """
        life
        1    """,
    )


def test_rows_are_compared_in_any_order_and_a_difference_fails(spark):
    rows = table(
        spark,
        "n int, seen timestamp",
        """
        n | seen
        2 | 10:00:01
        1 |          """,
    )
    same(
        rows,
        "n int, seen timestamp",
        """
        n | seen
        1 |
        2 | 10:00:01 """,
    )
    with pytest.raises(AssertionError, match="10:00:02"):
        same(
            rows,
            "n int, seen timestamp",
            """
            n | seen
            1 |
            2 | 10:00:02 """,
        )


def test_types_are_compared(spark):
    with pytest.raises(AssertionError, match="n is int, not bigint"):
        same(table(spark, "n int", "n\n 1"), "n long", "n\n 1")


def test_an_empty_table_has_its_columns(spark):
    assert table(spark, EVENTS, "ts").schema == EVENTS.schema
    assert table(spark, EVENTS, "ts").isEmpty()


def test_times_that_a_file_holds_without_a_zone_come_in_utc():
    """As Spark writes them to Parquet: nanoseconds, no zone; within lists of structs too."""
    ten = datetime.fromisoformat("2024-05-01T10:00:00+00:00")
    lines = pa.list_(pa.struct([("ts", pa.timestamp("ns"))]))
    assert list(plain_column(pa.array([ten.replace(tzinfo=None), None], pa.timestamp("ns")))) == [ten, None]
    assert list(plain_column(pa.array([[{"ts": ten.replace(tzinfo=None)}]], lines))) == [[{"ts": ten}]]


@pytest.mark.parametrize(("number", "held"), [(2**31 - 1, 2**31 - 1), (2**31, None), (-(2**31), -(2**31))])
def test_a_number_that_its_type_cannot_hold_is_missing(number, held):
    (partitions,) = (
        column
        for name, column in zip(EVENTS.schema.names, arrays(EVENTS, [Event(partition=number)]))
        if name == "partition"
    )
    assert partitions.to_pylist() == [held]
