"""A pass: one walk over the rows of each key, in which every maker receives the rows of one node, or of one
partition.

A maker is a plain function that returns the rows of one table. Its parameters name what it reads: rows of the key
(inputs of the pass, and the tables of other makers for the same key), or facts about the cluster, which are the same
for every key.

    def epoch_files(replica_epochs: Sequence[ReplicaEpoch], high_watermarks: Sequence[HighWatermark], lives:
    TopicLives): ...

With 16 partitions, the walk runs in the driver (`KeyWalk.rows`); with 12,000, it runs inside Spark, one key after the
other (`walked`). Both call the same functions.
"""

from __future__ import annotations

import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from graphlib import CycleError, TopologicalSorter
from itertools import chain, groupby
from operator import and_, attrgetter, itemgetter
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType, LongType, StringType, StructField, StructType

from replay.errors import SchemaError
from replay.tables.arrow import arrays, arrow_schema, from_arrow, to_arrow
from replay.tables.row import Row
from replay.tables.table import Long, Table, column, row, table_of
from replay.worker import prepare_worker

PER_BATCH = 500  # keys whose rows are returned at once
HELD_ROWS = 50_000  # rows of fewer keys, if these have more
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


@lru_cache(4096)
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


@row("made_rows")
class MadeRows(Row):
    """Some rows that a pass made in a Spark worker."""

    table: str = column("Name of their table.")
    count: Long = column("How many rows.")
    rows: Annotated[bytes, BinaryType()] = column("The rows, as an Arrow stream.")


MADE_ROWS = table_of(MadeRows)
_INPUT, _FILE, _PLACE = "_input", "_file", "_place"  # columns of shuffled rows: input, and place in its files
_PLACES = (StructField(_FILE, StringType()), StructField(_PLACE, LongType()))
_ROWS_OF_STREAM = 1 << 32  # more than a stream has


def walked(walk: KeyWalk, given: Mapping[str, DataFrame]) -> DataFrame:
    """The pass inside Spark, over frames of written or `unpacked` tables by the name of the input. Returns `MADE_ROWS`.

    Spark brings all rows of a key to one worker, in the order in which their files hold them. Inputs share columns of
    the same type, because each null costs time too. Java moves the rows, and no row passes through the driver.
    """
    slots = _slots(walk)
    types = {slot: type_ for own in slots for slot, type_ in own.values()}
    every = [_of_input(walk, number, given[source.name], slots, types) for number, source in enumerate(walk.inputs)]
    by_key = reduce(DataFrame.unionByName, every).repartition(*walk.key)
    in_order = by_key.sortWithinPartitions(*walk.key, _INPUT, _FILE, _PLACE)
    return in_order.mapInArrow(_Shell(walk), MADE_ROWS.schema)


def _slots(walk: KeyWalk) -> list[dict[str, tuple[str, DataType]]]:
    """For each input, the shuffled column of each of its columns, and the type. The key has its own names; the first
    column of a type shares a shuffled column with the first one of this type of the other inputs, and so on.
    """
    slots = []
    for source in walk.inputs:
        numbers: Counter[str] = Counter()
        own = {}
        for field in source.table.schema.fields:
            type_ = field.dataType.simpleString()
            is_key = field.name in walk.key
            own[field.name] = field.name if is_key else f"_{type_}_{numbers[type_]}", field.dataType
            numbers[type_] += not is_key
        slots.append(own)
    return slots


def _of_input(
    walk: KeyWalk,
    number: int,
    frame: DataFrame,
    slots: Sequence[Mapping[str, tuple[str, DataType]]],
    types: Mapping[str, DataType],
) -> DataFrame:
    """The rows of one input with their key, their place, and the columns of all inputs; those of others are null."""
    kept = frame
    if not walk.has_null_keys:
        kept = kept.where(reduce(and_, [F.col(name).isNotNull() for name in walk.key]))
    there = set(frame.columns)
    own = {slot: F.col(name) for name, (slot, _) in slots[number].items() if name in there}
    return kept.select(
        *walk.key,
        F.lit(number).alias(_INPUT),
        *_places(frame),
        *[own.get(slot, F.lit(None)).cast(type_).alias(slot) for slot, type_ in types.items() if slot not in walk.key],
    )


def _places(frame: DataFrame) -> list[Column]:
    """The place of each row: its file, and its number there. `unpacked` rows have theirs."""
    if {_FILE, _PLACE} <= set(frame.columns):
        return [F.col(_FILE), F.col(_PLACE)]
    return [F.col("_metadata.file_name").alias(_FILE), F.col("_metadata.row_index").alias(_PLACE)]


class _Shell:
    """Converts batches of rows, sorted by key, to batches of the rows of the makers."""

    def __init__(self, walk: KeyWalk) -> None:
        self._walk, self._slots = walk, _slots(walk)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        prepare_worker()
        walk = self._walk
        partial: dict[str, Sequence[Row]] = {name: [] for name in walk.sums}
        for some in _chunks(walk.of_key(own) for own in self._by_key(batches)):
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
        some = [
            MadeRows(name, len(rows), as_stream(to_arrow(tables[name], rows))) for name, rows in made.items() if rows
        ]
        yield from to_arrow(MADE_ROWS, some).to_batches()

    def _by_key(self, batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, list[Row]]]:
        """The rows of each key, by input, in the order that the inputs declare. Those of one key are held at a time."""
        for _, rows in groupby(chain.from_iterable(map(self._keyed, batches)), key=itemgetter(0)):
            own: dict[str, list[Row]] = {one.name: [] for one in self._walk.inputs}
            for _, number, one in rows:
                source = self._walk.inputs[number]
                if source.keeps is None or source.keeps(one):
                    own[source.name].append(one)
            for source in self._walk.inputs:
                if source.order:
                    own[source.name] = _in_order_of(source.order, own[source.name])
            if any(own.values()):
                yield own
                own.clear()  # the rows of the next key take the place of these

    def _keyed(self, batch: pa.RecordBatch) -> Iterator[tuple[tuple[Any, ...], int, Row]]:
        """Each row of a batch with its key and the number of its input."""
        keys = zip(*[batch.column(name).to_pylist() for name in self._walk.key], strict=True)
        numbers = batch.column(_INPUT).to_pylist()
        of_input = {number: iter(self._rows(batch, number)) for number in set(numbers)}
        for key, number in zip(keys, numbers, strict=True):
            yield key, number, next(of_input[number])

    def _rows(self, batch: pa.RecordBatch, number: int) -> list[Any]:
        slots = self._slots[number]
        is_own = pc.equal(batch.column(_INPUT), number)
        own = [batch.column(slot).filter(is_own) for slot, _ in slots.values()]
        return from_arrow(self._walk.inputs[number].table, pa.RecordBatch.from_arrays(own, [*slots]))


def made_rows(made: Iterable[tuple[Table, Sequence[Row]]]) -> pa.RecordBatch:
    """The rows of some tables as a batch of `MADE_ROWS`; a table without rows is left out."""
    some = [MadeRows(table.name, len(rows), as_stream(to_arrow(table, rows))) for table, rows in made if rows]
    schema = arrow_schema(MADE_ROWS.schema)
    return pa.RecordBatch.from_arrays(arrays(MADE_ROWS, some), schema=schema)


def _chunks(made: Iterable[dict[str, Sequence[Row]]]) -> Iterator[list[dict[str, Sequence[Row]]]]:
    """The rows of some keys at a time: of `PER_BATCH`, or fewer if they have many rows."""
    some: list[dict[str, Sequence[Row]]] = []
    held = 0
    for own in made:
        some.append(own)
        held += sum(map(len, own.values()))
        if len(some) == PER_BATCH or held >= HELD_ROWS:
            yield some
            some, held = [], 0
    if some:
        yield some


def unpacked(streams: DataFrame, table: Table) -> DataFrame:
    """The rows of one table with their places, from files with the streams that its pass made."""
    placed = streams.select(*_places(streams), "rows")
    return placed.mapInArrow(_rows_in, StructType([*table.schema.fields, *_PLACES]))


def _rows_in(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of each stream. A row's place is the place of its stream in the file, and then its own in the stream."""
    prepare_worker()
    for batch in batches:
        for file, place, stream in zip(*(batch.column(name) for name in (_FILE, _PLACE, "rows")), strict=True):
            rows = of_stream(stream.as_buffer())
            first = place.as_py() * _ROWS_OF_STREAM
            places = pa.array(range(first, first + rows.num_rows), pa.int64())
            files = pa.repeat(file, rows.num_rows)
            yield from rows.append_column(_FILE, files).append_column(_PLACE, places).to_batches()


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
