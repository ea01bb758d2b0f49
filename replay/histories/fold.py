"""A plain Python function of one partition, run by Spark for every partition in one sorted pass.

One shuffle, sorted rows, no object a group but the rows: `groupBy().applyInArrow` costs 0.8 ms a group beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import accumulate, chain, groupby, islice
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructField, StructType

from replay.columns.windows import PARTITION_KEY
from replay.tables.arrow import arrays, arrow_schema, from_arrow
from replay.tables.row import UntypedRow
from replay.tables.table import Table

PER_BATCH = 500  # histories handed back at once

# What one partition's rows are, by the names of their tables, and what the function makes of them, by table as well.
Own = Mapping[str, Sequence[UntypedRow]]
Told = Mapping[str, Iterable[UntypedRow]]
History = Callable[[Own], Told]


def folded(
    frames: Mapping[Table, DataFrame],
    history: History,
    makes: Sequence[Table],
    key: Sequence[str] = PARTITION_KEY,
) -> DataFrame:
    """One row a partition: its `key`, and for each table of `makes` an array of the rows that `history` made.

    `history` is given each table's rows of one partition, in no order; a partition has a call if any table has a row
    of it. Facts of the cluster are bound to it beforehand (`functools.partial`). Lay the frame down, then take its tables with
    `made`.
    """
    names = [table.name for table in frames]
    together = reduce(
        DataFrame.unionByName,
        [_tagged(table, frame, frames, key) for table, frame in frames.items()],
    )
    given = {table.name: table for table in frames}
    schema = fold_schema(next(iter(frames)), makes, key)
    run = _Shell(tuple(key), tuple(names), given, history, tuple(makes), arrow_schema(schema))
    return together.repartition(*key).sortWithinPartitions(*key).mapInArrow(run, schema)


def fold_schema(keyed: Table, makes: Sequence[Table], key: Sequence[str]) -> StructType:
    """The columns of a fold: its `key`, typed as in `keyed`, and an array for each table of `makes`."""
    arrays = [StructField(table.name, ArrayType(table.schema)) for table in makes]
    return StructType([*[keyed.schema[name] for name in key], *arrays])


def made(histories: DataFrame, table: Table) -> DataFrame:
    """One of the tables that a fold made."""
    return table.of(histories.select(F.inline(table.name)))


def _tagged(table: Table, frame: DataFrame, frames: Iterable[Table], key: Sequence[str]) -> DataFrame:
    """A table's rows beside the other tables' columns, which are null: each in a struct of its own."""
    own = F.struct(*[F.col(name) for name in table.schema.names])
    others = [(own if other is table else F.lit(None).cast(other.schema)).alias(f"_{other.name}") for other in frames]
    return table.of(frame).select(*[F.col(name) for name in key], *others)


class _Shell:
    """Batches of tagged rows, sorted by key, to batches of histories."""

    def __init__(
        self,
        key: tuple[str, ...],
        names: tuple[str, ...],
        given: Mapping[str, Table],
        history: History,
        makes: tuple[Table, ...],
        schema: pa.Schema,
    ) -> None:
        self._key, self._names, self._given, self._history = key, names, given, history
        self._makes, self._schema = makes, schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = chain.from_iterable(map(self._rows, batches))
        told = (self._told(key, own) for key, own in groupby(rows, key=lambda row: row[0]))
        while some := list(islice(told, PER_BATCH)):
            keys = zip(*[key for key, _ in some], strict=True)
            columns = [pa.array(values, field.type) for values, field in zip(keys, self._schema, strict=False)]
            columns += [_lists(table, [list(rows.get(table.name, ())) for _, rows in some]) for table in self._makes]
            yield pa.RecordBatch.from_arrays(columns, schema=self._schema)

    def _rows(self, batch: pa.RecordBatch) -> Iterator[tuple[tuple[Any, ...], str, UntypedRow]]:
        """Every row of a batch: its key, the name of its table, and itself."""
        keys = list(zip(*[batch.column(name).to_pylist() for name in self._key], strict=True))
        found: list[tuple[str, UntypedRow] | None] = [None] * len(keys)
        for name in self._names:
            column, table = batch.column(f"_{name}"), self._given[name]
            there = column.is_valid()
            if not there.true_count:
                continue
            positions = [at for at, is_there in enumerate(there.to_pylist()) if is_there]
            for at, row in zip(positions, _plain_rows(table, column.filter(there)), strict=True):
                found[at] = (name, row)
        for key, one in zip(keys, found, strict=True):
            if one is not None:
                yield key, *one

    def _told(
        self, key: tuple[Any, ...], rows: Iterable[tuple[tuple[Any, ...], str, UntypedRow]]
    ) -> tuple[tuple[Any, ...], Told]:
        own: dict[str, list[UntypedRow]] = {name: [] for name in self._names}
        for _, name, row in rows:
            own[name].append(row)
        return key, self._history(own)


def _plain_rows(table: Table, structs: pa.StructArray) -> list[UntypedRow]:
    return from_arrow(table, pa.RecordBatch.from_arrays(structs.flatten(), names=[f.name for f in structs.type]))


def _lists(table: Table, of_each: Sequence[Sequence[UntypedRow]]) -> pa.ListArray:
    """The rows of each partition as an array of them."""
    ends = pa.array(accumulate(map(len, of_each), initial=0), pa.int32())
    fields = list(arrow_schema(table.schema))
    structs = pa.StructArray.from_arrays(arrays(table, list(chain.from_iterable(of_each))), fields=fields)
    return pa.ListArray.from_arrays(ends, structs)
