"""A pass makes the same tables in the driver and inside Spark, whatever the batches are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pyarrow as pa
import pytest

from pipelines.stages import From, Pass
from pipelines.store import Store
from replay.errors import SchemaError
from replay.passes import PARCELS, Input, KeyWalk, Sum, in_order, of_stream, parcels, walked
from replay.tables.arrow import from_arrow, to_arrow
from replay.tables.row import MaybeNone, Row
from replay.tables.table import column, row, table_of
from tests.tables import rows


@row("leaders", key=("topic", "leader_epoch"))
class Leader(Row):
    """One leader."""

    topic: str | MaybeNone = column("Topic.")
    leader_epoch: int = column("Its leader epoch.")
    leader_id: int = column("The broker.")


@row("changes", key=("topic", "leader_epoch"))
class Change(Row):
    """One change of leader."""

    topic: str | MaybeNone = column("Topic.")
    old_leader_id: int = column("Before.")
    new_leader_id: int = column("After.")
    is_known: bool = column("Whether the new leader is a known broker.")


@row("loads", key=("leader_id",))
class Load(Row):
    """How often one broker became leader."""

    leader_id: int = column("The broker.")
    times: int = column("How often.")


LEADERS, CHANGES, LOADS = table_of(Leader), table_of(Change), table_of(Load)
TOLD = """
    topic  | leader_epoch | leader_id
    orders | 7            | 3
    clicks | 1            | 1
    orders | 5            | 1
    orders | 6            | 2
    clicks | 2            | 3
           | 1            | 9 """


def changes(leaders: Sequence[Leader], brokers: frozenset[int]) -> Iterable[Change]:
    for before, after in pairwise(leaders):
        yield Change(after.topic, before.leader_id, after.leader_id, after.leader_id in brokers)


def loads(changes: Sequence[Change]) -> list[Load]:
    return [Load(change.new_leader_id, 1) for change in changes]


def merged(partial: Iterable[Load]) -> list[Load]:
    times: Counter[int] = Counter()
    for load in partial:
        times[load.leader_id] += load.times
    return [Load(leader, count) for leader, count in sorted(times.items())]


def walk_of(null_keys: bool = False) -> KeyWalk:
    makes = in_order({"loads": Sum(loads, merged), "changes": changes})
    inputs = [Input("leaders", LEADERS, ("leader_epoch",))]
    tables = {"loads": LOADS, "changes": CHANGES}
    return KeyWalk(("topic",), inputs, makes, tables, {"brokers": frozenset({1, 2})}, null_keys)


def test_makers_run_after_those_whose_tables_they_read():
    assert list(in_order({"loads": Sum(loads, merged), "changes": changes})) == ["changes", "loads"]


def test_each_key_is_handed_its_rows_in_order_and_sums_are_merged():
    made = walk_of().rows({"leaders": rows(LEADERS, TOLD)})
    assert made["changes"] == [
        Change("clicks", 1, 3, False),
        Change("orders", 1, 2, True),
        Change("orders", 2, 3, False),
    ]
    assert made["loads"] == [Load(2, 1), Load(3, 2)]


def test_rows_without_a_key_have_a_call_of_their_own_where_the_pass_asks_for_it():
    given = rows(LEADERS, TOLD + "\n           | 2            | 8 ")
    assert Change(None, 9, 8, False) in walk_of(null_keys=True).rows({"leaders": given})["changes"]
    assert Change(None, 9, 8, False) not in walk_of().rows({"leaders": given})["changes"]


@pytest.mark.parametrize("epochs", [[3, 1, 2], [3, None, 1, None, 2], [None, None]])
def test_rows_of_a_key_come_in_order_nulls_first_and_equal_ones_as_they_came(epochs):
    given = [Leader("orders", epoch, place) for place, epoch in enumerate(epochs)]
    (own,) = walk_of().by_key({"leaders": given})
    wanted = sorted(given, key=lambda row: (row.leader_epoch is not None, row.leader_epoch or 0))
    assert own["leaders"] == wanted


def batches(rows_of_table: Sequence[Leader], size: int) -> list[pa.RecordBatch]:
    return to_arrow(LEADERS, rows_of_table).combine_chunks().to_batches(size)


@pytest.mark.parametrize("null_keys", [False, True])
def test_spark_and_the_driver_make_the_same(spark, tmp_path, null_keys):
    walk, given = walk_of(null_keys), rows(LEADERS, TOLD)
    store = Store(spark, tmp_path / "result", tmp_path / "work")
    store.write_batches("rows", PARCELS, parcels(walk, {"leaders": batches(given, 2)}, buckets=2, held_rows=3))
    store.set_down("pass", walked(walk, store.frame("rows")))
    partial = store.split("pass", [LOADS, CHANGES], kept=(), sums=walk.sums)
    expected = walk.rows({"leaders": given})
    assert sorted(store.rows("changes", CHANGES), key=repr) == sorted(expected["changes"], key=repr)
    assert walk.merged("loads", partial["loads"]) == expected["loads"]


def test_rows_of_one_key_come_to_one_bucket_in_their_order():
    given = [Leader(topic, epoch, epoch % 3) for epoch in range(40) for topic in ("orders", "clicks", None, "payments")]
    made = from_arrow(
        PARCELS, pa.Table.from_batches(parcels(walk_of(), {"leaders": batches(given, 7)}, 4, held_rows=20))
    )
    came = [(parcel.bucket, row) for parcel in made for row in from_arrow(LEADERS, of_stream(parcel.rows))]
    of_topic = {
        topic: [row for _, row in came if row.topic == topic] for topic in ("orders", "clicks", None, "payments")
    }
    assert {topic: [row for row in given if row.topic == topic] for topic in of_topic} == of_topic
    assert len({(bucket, row.topic) for bucket, row in came}) == 4 and len({bucket for bucket, _ in came}) > 1
    assert [parcel.part for parcel in made] == [*range(len(made))]


def test_a_cycle_and_a_table_that_is_not_declared_are_refused():
    with pytest.raises(SchemaError, match="read each other"):
        in_order({"changes": lambda loads: [], "loads": lambda changes: []})
    with pytest.raises(SchemaError, match="changes, which is not declared"):
        Pass("leaders", ("topic",), {"leaders": From("events")}, {"changes": changes})


def test_a_number_that_its_column_cannot_hold_is_missing():
    (held,) = from_arrow(LOADS, to_arrow(LOADS, [Load(1 << 31, 5)]))
    assert (held.leader_id, held.times) == (None, 5)
    with pytest.raises(pa.ArrowInvalid):
        to_arrow(LOADS, [Load("three", 5)])
