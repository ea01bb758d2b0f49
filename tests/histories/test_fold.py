"""The shell of a fold hands each partition its own rows, whatever Spark's batches are, and gives back what was made of them."""

from __future__ import annotations

from replay.histories.fold import folded, made
from replay.tables import INT, STRING, STRINGS
from tests.tables import same, table, table_of_test

KEY = {"topic": STRING, "life": INT, "partition": INT}
LEADERS = table_of_test("leaders", KEY | {"leader_epoch": INT, "leader_id": INT})
MARKS = table_of_test("marks", KEY | {"names": STRINGS})
COUNTS = table_of_test("counts", KEY | {"leaders": INT, "names": STRINGS})


def counted(own):
    """How many leaders, and all names."""
    rows = [*own["leaders"], *own["marks"]]
    first = rows[0]
    names = sorted(name for mark in own["marks"] for name in mark.names)
    count = COUNTS.row_class(first.topic, first.life, first.partition, len(own["leaders"]), names)
    return {"counts": [count]}


def test_each_partition_is_given_its_own_rows(spark):
    leaders = table(
        spark,
        LEADERS,
        """
        topic  | life | partition | leader_epoch | leader_id
        orders | 0    | 0         | 1            | 1
        orders | 0    | 1         | 1            | 2
        orders | 0    | 0         | 2            | 3
        orders | 1    | 0         | 0            | 1
        """,
    )
    marks = table(
        spark,
        MARKS,
        """
        topic  | life | partition | names
        orders | 0    | 0         | b,a
        clicks | 0    | 0         | c
        """,
    )
    histories = folded({LEADERS: leaders, MARKS: marks}, counted, (COUNTS,))
    same(
        made(histories, COUNTS),
        COUNTS,
        """
        topic  | life | partition | leaders | names
        orders | 0    | 0         | 2       | a,b
        orders | 0    | 1         | 1       | []
        orders | 1    | 0         | 1       | []
        clicks | 0    | 0         | 0       | c
        """,
    )
