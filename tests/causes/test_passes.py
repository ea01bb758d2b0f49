"""The passes over causes and costs make the same in the driver and inside Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest

from pipelines import stages as running
from pipelines.stages import Laid, Pass
from pipelines.store import Store
from replay.facts.window import ALL_TIME
from replay.tables import DECLARED
from replay.tables.row import Row
from tests.sentences.test_sentences import history, wanted_stages
from tests.stages import made_in_driver


def _two_partitions() -> Mapping[str, list[Row]]:
    """The history of orders-0, and the same of clicks-3."""
    of_one = history()
    of_other = {
        name: [
            row.but(topic="clicks", partition=3, **({"id": f"other/{row.id}"} if hasattr(row, "id") else {}))
            for row in rows
            if getattr(row, "partition", None) is not None
        ]
        for name, rows in of_one.items()
    }
    return {name: [*rows, *of_other[name]] for name, rows in of_one.items()}


@pytest.fixture(scope="module")
def in_driver() -> Mapping[str, Any]:
    return made_in_driver(wanted_stages(), **_two_partitions(), window=ALL_TIME)


@pytest.mark.parametrize("name", ["causes", "costs"])
def test_spark_and_the_driver_make_the_same_of_partitions(spark, tmp_path, monkeypatch, in_driver, name):
    """Every object that makers read goes to Spark's workers; the happenings of the cluster have a call of their own."""
    (walked,) = (stage for stage in wanted_stages() if isinstance(stage, Pass) and stage.table == name)
    store = Store(spark, tmp_path / "result", tmp_path / "work")
    given = {table: in_driver[table] for table in walked.reads}
    for table, rows in given.items():
        if table in DECLARED:
            store.hold(DECLARED[table], rows)
    monkeypatch.setattr(running, "SMALL_ROWS", -1)
    walked.run({table: Laid(table) if table in DECLARED else one for table, one in given.items()}, store)
    for table in walked.names:
        assert _as_text(store.rows(table, DECLARED[table])) == _as_text(in_driver[table]), table
    assert any(in_driver[table] for table in walked.names)


def _as_text(rows: Sequence[Row]) -> list[str]:
    """Rows in one order, whatever holds their lists and whatever names UTC."""
    return sorted(repr([_plain(getattr(row, name)) for name in type(row).__dataclass_fields__]) for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, datetime) else value
