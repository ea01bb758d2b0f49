"""A pass makes the same tables in the driver and inside Spark, whatever the batches are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pyarrow as pa
import pytest

from pipelines import stages
from pipelines.stages import From, Laid, Pass
from pipelines.store import Store
from replay.errors import InputError, SchemaError
from replay.passes import Input, KeyWalk, Sum, _Shell, _slots, in_order, walked
from replay.tables.arrow import from_arrow, to_arrow
from replay.tables.offsets import FetchPosition as Position
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


@pytest.mark.parametrize("null_keys", [False, True])
def test_spark_and_the_driver_make_the_same(spark, tmp_path, null_keys):
    walk, given = walk_of(null_keys), rows(LEADERS, TOLD)
    store = Store(spark, tmp_path / "result", tmp_path / "work")
    store.hold(LEADERS, given)
    made = walked(walk, {"leaders": store.frame("leaders")})
    store.set_down_made("pass", made, [LOADS, CHANGES], kept={"changes"}, sums=walk.sums)
    expected = walk.rows({"leaders": given})
    assert sorted(store.rows("changes", CHANGES), key=repr) == sorted(expected["changes"], key=repr)
    assert walk.merged("loads", list(store.rows_of("loads", LOADS))) == expected["loads"]
    assert (store.count("changes"), (tmp_path / "result" / "tables" / "changes").is_dir()) == (
        len(expected["changes"]),
        True,
    )


def test_a_worker_drops_the_rows_of_a_key_before_it_reads_those_of_the_next():
    walk = walk_of()
    (slots,) = _slots(walk)
    by_topic = [row for topic in ("clicks", "orders") for row in rows(LEADERS, TOLD) if row.topic == topic]
    shuffled = to_arrow(LEADERS, by_topic).rename_columns([slots[name][0] for name in LEADERS.schema.names])
    (batch,) = shuffled.append_column("_input", pa.array([0] * len(by_topic))).to_batches()
    by_key = _Shell(walk)._by_key([batch])
    held = next(by_key)
    assert held == {"leaders": by_topic[:2]}
    assert len(next(by_key)["leaders"]) == 3
    assert held == {}


def seen(leaders: Sequence[Leader]) -> list[Leader]:
    """The rows of a key as its makers see them."""
    return [leader.but(leader_id=place) for place, leader in enumerate(leaders)]


def test_the_rows_of_a_key_come_to_spark_in_the_order_of_their_table(spark, tmp_path):
    given = [
        Leader(topic, epoch % 3, epoch) for epoch in range(400) for topic in ("orders", "clicks", None, "payments")
    ]
    walk = KeyWalk(("topic",), [Input("leaders", LEADERS)], {"seen_leaders": seen}, {"seen_leaders": LEADERS}, {})
    store = Store(spark, tmp_path / "result", tmp_path / "work")
    store.hold(LEADERS, given)
    store.set_down_made(
        "pass", walked(walk, {"leaders": store.frame("leaders")}), [LEADERS.renamed("seen_leaders")], (), ()
    )
    made = list(store.rows_of("seen_leaders", LEADERS))
    for topic in ("orders", "clicks", "payments"):
        own = [row for row in made if row.topic == topic]
        assert [row.leader_epoch for row in own] == [row.leader_epoch for row in given if row.topic == topic]
        assert [row.leader_id for row in own] == [*range(400)]
    assert store.frame("seen_leaders").count() == len(made) == 1_200


def test_a_key_with_more_rows_than_a_worker_holds_is_refused_in_one_line(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "SMALL_ROWS", 0)
    monkeypatch.setattr(stages, "MOST_ROWS_OF_KEY", 5)
    store = Store(spark, tmp_path / "result", tmp_path / "work")
    given = [Position("orders", n % 3, 1, 1, None, None, n, f"a.log:{n}") for n in range(19)]
    store.hold(table_of(Position), given)
    walk = Pass(
        "positions",
        ("topic", "partition"),
        {"fetch_positions": From("fetch_positions")},
        {"damaged_partitions": lambda fetch_positions: []},
    )
    with pytest.raises(
        InputError,
        match=r"^partition orders-0 has 7 rows, and one worker holds 5 of one partition: analyze a shorter time",
    ):
        walk.run({"fetch_positions": Laid("fetch_positions")}, store)


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
