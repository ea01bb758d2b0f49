"""A pass: one walk over the rows of each key, in which every maker receives the rows of one node, or of one
partition.

A maker is a plain function that returns the rows of one table. Its parameters name what it reads: rows of the key
(inputs of the pass, and the tables of other makers for the same key), or facts about the cluster, which are the same
for every key.

    def epoch_files(replica_epochs: Sequence[ReplicaEpoch], high_watermarks: Sequence[HighWatermark], lives:
    TopicLives): ...

With 16 partitions, the walk runs in the driver (`KeyWalk.rows`); with 12,000, it runs inside Spark, one bucket of
keys after the other (`walked`). Both call the same functions.
"""

from __future__ import annotations

import gc
import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain, count, groupby, islice
from operator import attrgetter
from typing import Annotated, Any
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType

from replay.errors import SchemaError
from replay.garbage import RARELY
from replay.tables.arrow import from_arrow, to_arrow
from replay.tables.row import Row
from replay.tables.table import Long, Table, column, row, table_of

PER_BATCH = 500  # keys whose rows are returned at once
PARCELED_ROWS = 500_000  # rows that are in memory while they are put into buckets
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
    """Rows of `table` that makers read as `name`, ordered by the columns `order`; only rows for which `keeps` is
    true.
    """

    name: str
    table: Table
    order: tuple[str, ...] = ()
    keeps: Callable[[Any], bool] | None = None


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

    `facts` are what makers read beside the rows of their key, by name. `has_null_keys`: rows with a null key get a
    separate call; otherwise they are ignored.
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
        for own in self.by_key(given):
            for name, rows in self.of_key(own).items():
                made[name].extend(rows)
        return {name: self.merged(name, rows) for name, rows in made.items()}

    def merged(self, name: str, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows of a table; for a sum, merged from the partial rows of many keys."""
        return list(self.sums[name].merge(rows)) if name in self.sums else rows

    def by_key(self, given: Mapping[str, Iterable[Row]]) -> Iterator[dict[str, list[Row]]]:
        """The rows of each key, by input, in the order that the inputs declare."""
        of_key: dict[tuple[Any, ...], dict[str, list[Row]]] = defaultdict(lambda: {one.name: [] for one in self.inputs})
        key_of = _values_of(self.key)
        for source in self.inputs:
            rows = given[source.name]
            for one in rows if source.keeps is None else filter(source.keeps, rows):
                key = key_of(one)
                if self.has_null_keys or None not in key:
                    of_key[key][source.name].append(one)
        for key in sorted(of_key, key=_nulls_first):
            for source in self.inputs:
                if source.order:
                    of_key[key][source.name] = _in_order_of(source.order, of_key[key][source.name])
            yield of_key[key]


def _nulls_first(values: Iterable[Any]) -> tuple[tuple[bool, Any], ...]:
    return tuple((value is not None, value) for value in values)


def _values_of(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The values of some columns of a row."""
    if len(names) == 1:
        only = attrgetter(*names)
        return lambda row: (only(row),)
    return attrgetter(*names)


def _in_order_of(names: Sequence[str], rows: list[Row]) -> list[Row]:
    """The rows ordered by these columns, nulls first; without nulls, the values are compared directly."""
    values = _values_of(names)
    try:
        return sorted(rows, key=values)
    except TypeError:
        return sorted(rows, key=lambda row: _nulls_first(values(row)))


@row("parcels", key=("bucket", "part"))
class Parcel(Row):
    """Some rows of one input of a pass, which Spark sends to the worker for their bucket of keys."""

    bucket: Long = column("Number of the bucket.")
    part: Long = column("Number of the parcel, in the order of the rows.")
    input: str = column("Name of the input.")
    rows: Annotated[bytes, BinaryType()] = column("The rows, as an Arrow stream.")


@row("made_rows")
class MadeRows(Row):
    """Some rows that a pass made in a Spark worker."""

    table: str = column("Name of their table.")
    rows: Annotated[bytes, BinaryType()] = column("The rows, as an Arrow stream.")


PARCELS, MADE_ROWS = table_of(Parcel), table_of(MadeRows)


def parcels(
    walk: KeyWalk, given: Mapping[str, Iterable[pa.RecordBatch]], buckets: int, held_rows: int = PARCELED_ROWS
) -> Iterator[pa.RecordBatch]:
    """The rows of a pass for Spark (`PARCELS`), serialized, so that Java moves and sorts a few streams instead of
    many rows. At most about `held_rows` rows are in memory at a time.
    """
    numbers = count()
    for source in walk.inputs:
        for some in _some_at_once(given[source.name], held_rows):
            made = [
                Parcel(bucket, next(numbers), source.name, as_stream(rows))
                for bucket, rows in _by_bucket(some, walk.key, buckets)
            ]
            yield from to_arrow(PARCELS, made).to_batches()


def _some_at_once(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """The batches as tables of about `rows` rows each."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(one.num_rows for one in held) >= rows:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _by_bucket(rows: pa.Table, key: Sequence[str], buckets: int) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each non-empty bucket, in order; rows with the same key are in the same bucket."""
    hashed = pa.repeat(0, rows.num_rows)
    for name in key:
        values = rows.column(name).combine_chunks().dictionary_encode("encode")
        of_value = pa.array([crc32(repr(value).encode()) for value in values.dictionary.to_pylist()], pa.int64())
        hashed = pc.add(pc.multiply(hashed, 31), of_value.take(values.indices))
    bucket = pc.bit_wise_and(hashed, buckets - 1)
    in_order, begin = rows.take(pc.sort_indices(bucket)), 0
    for number, size in sorted(Counter(bucket.to_pylist()).items()):
        yield number, in_order.slice(begin, size).combine_chunks()
        begin += size


def walked(walk: KeyWalk, given: DataFrame) -> DataFrame:
    """The pass inside Spark, over a frame of `PARCELS`. Returns `MADE_ROWS`: serialized streams that Java does not
    decode.
    """
    in_buckets = given.repartition("bucket").sortWithinPartitions("bucket", "part")
    return in_buckets.mapInArrow(_Shell(walk), MADE_ROWS.schema)


class _Shell:
    """Converts batches of parcels, sorted by bucket, to batches of the rows of the makers."""

    def __init__(self, walk: KeyWalk) -> None:
        self._walk = walk

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gc.set_threshold(*RARELY)
        walk = self._walk
        partial: dict[str, Sequence[Row]] = {name: [] for name in walk.sums}
        buckets = groupby(chain.from_iterable(map(_parcels_of, batches)), key=attrgetter("bucket"))
        made = (walk.of_key(own) for _, bucket in buckets for own in walk.by_key(self._rows(bucket)))
        while some := list(islice(made, PER_BATCH)):
            for name in walk.sums:
                summed = [*partial[name], *chain.from_iterable(one[name] for one in some)]
                partial[name] = walk.merged(name, summed) if len(summed) > MERGE_EVERY else summed
            own = {
                name: [*chain.from_iterable(one[name] for one in some)] for name in walk.makes if name not in walk.sums
            }
            yield from self._batches(own)
        yield from self._batches({name: walk.merged(name, rows) for name, rows in partial.items()})

    def _batches(self, made: Mapping[str, Sequence[Row]]) -> Iterator[pa.RecordBatch]:
        tables = self._walk.tables
        some = [MadeRows(name, as_stream(to_arrow(tables[name], rows))) for name, rows in made.items() if rows]
        yield from to_arrow(MADE_ROWS, some).to_batches()

    def _rows(self, bucket: Iterable[Parcel]) -> dict[str, list[Row]]:
        """The rows of one bucket, by input."""
        tables = {one.name: one.table for one in self._walk.inputs}
        rows: dict[str, list[Row]] = {name: [] for name in tables}
        for parcel in bucket:
            rows[parcel.input] += from_arrow(tables[parcel.input], of_stream(parcel.rows))
        return rows


def _parcels_of(batch: pa.RecordBatch) -> list[Parcel]:
    rows: list[Parcel] = from_arrow(PARCELS, batch)
    return rows


def as_stream(rows: pa.Table) -> bytes:
    """Rows as a compressed Arrow stream."""
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, rows.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as out:
        out.write_table(rows)
    made: bytes = stream.getvalue().to_pybytes()
    return made


def of_stream(rows: bytes) -> pa.Table:
    """The rows of an Arrow stream."""
    with pa.ipc.open_stream(rows) as stream:
        return stream.read_all()
