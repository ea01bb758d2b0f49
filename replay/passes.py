"""A pass: one walk over the rows of each key, in which every maker sees the rows of one node, or of one partition.

A maker is a plain function that returns the rows of one table. Its parameters are what it reads: rows of the key (inputs
of the pass, and what other makers made of the same key), or facts about the cluster, which are the same for every key.

    def epoch_files(replica_epochs: Sequence[ReplicaEpoch], high_watermarks: Sequence[HighWatermark], lives: TopicLives): ...

With 16 partitions the walk runs in the driver (`KeyWalk.rows`); with 12,000 it runs inside Spark, sorted by key and
without an object for each group but its rows (`walked`). Both call the same functions.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from itertools import chain, groupby, islice
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from replay.errors import SchemaError
from replay.tables.arrow import from_arrow, to_arrow
from replay.tables.row import Row
from replay.tables.table import Table

PER_BATCH = 500  # keys whose rows are returned at once
MERGE_EVERY = 20_000  # partial rows of a sum that one task holds before it merges them

Maker = Callable[..., Iterable[Any]]


@dataclass(frozen=True)
class Sum:
    """A table summed over all keys: `partial` returns one key's rows, `merge` combines the rows of many keys into rows of
    the same shape. `merge` is associative, and the order of its rows does not change what it returns.
    """

    partial: Maker
    merge: Callable[[Iterable[Any]], Sequence[Any]]


@dataclass(frozen=True)
class Input:
    """Rows of `table` that makers read under the name `name`, in the order of the columns `order`."""

    name: str
    table: Table
    order: tuple[str, ...] = ()


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a maker's parameters."""
    return tuple(
        name
        for name, one in inspect.signature(function).parameters.items()
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    )


def reads_of(made: Maker | Sum) -> tuple[str, ...]:
    """The names that a table of a pass depends on."""
    return parameters(made.partial if isinstance(made, Sum) else made)


def in_order(makes: Mapping[str, Maker | Sum]) -> dict[str, Maker | Sum]:
    """The makers by table name, each after those whose tables it reads. Raises SchemaError for a cycle."""
    sorter = TopologicalSorter({name: [one for one in reads_of(made) if one in makes] for name, made in makes.items()})
    try:
        return {name: makes[name] for name in sorter.static_order()}
    except CycleError as cycle:
        raise SchemaError("these tables read each other: " + " -> ".join(cycle.args[1])) from cycle


class KeyWalk:
    """The makers of a pass, bound to the facts about the cluster.

    `facts` are what makers read beside the rows of their key, by name. `has_null_keys`: rows with a null key get a call
    of their own; otherwise no call gets them.
    """

    def __init__(
        self,
        key: Sequence[str],
        inputs: Sequence[Input],
        makes: Mapping[str, Maker | Sum],
        tables: Mapping[str, Table],
        facts: Mapping[str, Any],
        has_null_keys: bool = False,
    ) -> None:
        self.key, self.inputs, self.has_null_keys = tuple(key), tuple(inputs), has_null_keys
        self.makes, self.tables = tuple(makes), {name: tables[name] for name in makes}
        self.sums = {name: made for name, made in makes.items() if isinstance(made, Sum)}
        rows = {*makes, *(one.name for one in inputs)}
        self._makers = []
        for name, made in makes.items():
            maker = made.partial if isinstance(made, Sum) else made
            reads = reads_of(made)
            bound = {one: facts[one] for one in reads if one not in rows}
            self._makers.append((name, maker, tuple(one for one in reads if one in rows), bound))

    def of_key(self, own: Mapping[str, Sequence[Row]]) -> dict[str, Sequence[Row]]:
        """The rows that each maker returns for one key, by table; for a sum, that key's partial rows."""
        there: dict[str, Sequence[Row]] = dict(own)
        for name, maker, reads, bound in self._makers:
            there[name] = list(maker(**{one: there[one] for one in reads}, **bound))
        return {name: there[name] for name in self.makes}

    def rows(self, given: Mapping[str, Iterable[Row]]) -> dict[str, Sequence[Row]]:
        """The tables of the pass, computed in the driver from the rows of its inputs."""
        made: dict[str, list[Row]] = {name: [] for name in self.makes}
        for own in self._by_key(given):
            for name, rows in self.of_key(own).items():
                made[name].extend(rows)
        return {name: self.merged(name, rows) for name, rows in made.items()}

    def merged(self, name: str, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows of a table; for a sum, merged from the partial rows of many keys."""
        return list(self.sums[name].merge(rows)) if name in self.sums else rows

    def _by_key(self, given: Mapping[str, Iterable[Row]]) -> Iterator[dict[str, list[Row]]]:
        of_key: dict[tuple[Any, ...], dict[str, list[Row]]] = defaultdict(lambda: {one.name: [] for one in self.inputs})
        for source in self.inputs:
            for row in given[source.name]:
                key = tuple(getattr(row, name) for name in self.key)
                if self.has_null_keys or None not in key:
                    of_key[key][source.name].append(row)
        for key in sorted(of_key, key=_nulls_first):
            for source in self.inputs:
                if source.order:
                    of_key[key][source.name].sort(key=lambda row, by=source.order: _place(row, by))  # type: ignore[misc]
            yield of_key[key]


def _nulls_first(values: Iterable[Any]) -> tuple[tuple[bool, Any], ...]:
    return tuple((value is not None, value) for value in values)


def _place(row: Row, order: Sequence[str]) -> tuple[tuple[bool, Any], ...]:
    return _nulls_first(getattr(row, name) for name in order)


def walked(walk: KeyWalk, frames: Mapping[str, DataFrame]) -> DataFrame:
    """The pass inside Spark: for some keys, one row for each of their tables, with the table's rows as one Arrow stream that
    Java does not decode. `frames` are the inputs by name. Write the result, then read the streams (`unpacked`).
    """
    together = reduce(DataFrame.unionByName, [_tagged(one, frames[one.name], walk) for one in walk.inputs])
    key, order = list(walk.key), [f"_{n}" for n in range(max(len(one.order) for one in walk.inputs))]
    return (
        together.repartition(*key)
        .sortWithinPartitions(*key, *order)
        .mapInArrow(_Shell(walk), StructType([StructField("made", StringType()), StructField("rows", BinaryType())]))
    )


def _tagged(source: Input, frame: DataFrame, walk: KeyWalk) -> DataFrame:
    """An input's rows beside the columns of the other inputs, which are null: each input in a struct of its own."""
    columns = {
        f"of_{one.name}": F.struct(*[F.col(name) for name in one.table.schema.names])
        if one is source
        else F.lit(None).cast(one.table.schema)
        for one in walk.inputs
    }
    longest = max((one.order for one in walk.inputs), key=len)
    types = next(one.table for one in walk.inputs if one.order == longest)
    for n, name in enumerate(longest):
        own = F.col(source.order[n]) if n < len(source.order) else F.lit(None)
        columns[f"_{n}"] = own.cast(types.schema[name].dataType)
    keyed = frame if walk.has_null_keys else frame.dropna(subset=list(walk.key))
    return source.table.of(keyed).select(*walk.key, *[column.alias(name) for name, column in columns.items()])


class _Shell:
    """Converts batches of tagged rows, sorted by key, to batches of the makers' rows: the name of a table, and its rows."""

    def __init__(self, walk: KeyWalk) -> None:
        self._walk = walk

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        walk = self._walk
        partial: dict[str, Sequence[Row]] = {name: [] for name in walk.sums}
        rows = chain.from_iterable(map(self._rows, batches))
        made = (walk.of_key(self._own(own)) for _, own in groupby(rows, key=lambda row: row[0]))
        while some := list(islice(made, PER_BATCH)):
            for name in walk.sums:
                summed = [*partial[name], *chain.from_iterable(one[name] for one in some)]
                partial[name] = walk.merged(name, summed) if len(summed) > MERGE_EVERY else summed
            own = {
                name: [*chain.from_iterable(one[name] for one in some)] for name in walk.makes if name not in walk.sums
            }
            yield self._batch(own)
        yield self._batch({name: walk.merged(name, rows) for name, rows in partial.items() if rows})

    def _batch(self, made: Mapping[str, Sequence[Row]]) -> pa.RecordBatch:
        some = {name: _packed(self._walk.tables[name], rows) for name, rows in made.items() if rows}
        return pa.RecordBatch.from_arrays(
            [pa.array([*some.keys()], pa.string()), pa.array([*some.values()], pa.binary())], names=["made", "rows"]
        )

    def _rows(self, batch: pa.RecordBatch) -> Iterator[tuple[tuple[Any, ...], str, Row]]:
        """Every row of a batch with its key and the name of its input."""
        keys = list(zip(*[batch.column(name).to_pylist() for name in self._walk.key], strict=True))
        found: list[tuple[str, Row] | None] = [None] * len(keys)
        for source in self._walk.inputs:
            column = batch.column(f"of_{source.name}")
            there = column.is_valid()
            if there.true_count:
                positions = (at for at, is_there in enumerate(there.to_pylist()) if is_there)
                for at, row in zip(positions, _plain_rows(source.table, column.filter(there)), strict=True):
                    found[at] = (source.name, row)
        for key, one in zip(keys, found, strict=True):
            if one is not None:
                yield key, *one

    def _own(self, rows: Iterable[tuple[tuple[Any, ...], str, Row]]) -> dict[str, list[Row]]:
        own: dict[str, list[Row]] = {one.name: [] for one in self._walk.inputs}
        for _, name, row in rows:
            own[name].append(row)
        return own


def _plain_rows(table: Table, structs: pa.StructArray) -> list[Any]:
    return from_arrow(table, pa.RecordBatch.from_arrays(structs.flatten(), names=[f.name for f in structs.type]))


def _packed(table: Table, rows: Sequence[Row]) -> bytes:
    """The rows of a table as an Arrow stream."""
    made, stream = to_arrow(table, rows), pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, made.schema) as out:
        out.write_table(made)
    packed: bytes = stream.getvalue().to_pybytes()
    return packed


def unpacked(rows: bytes) -> pa.Table:
    """The rows of a table of a pass, from their stream."""
    with pa.ipc.open_stream(rows) as stream:
        return stream.read_all()
