"""Passes and stages as data, and their scheduler.

A `Pass` makes every table of one key (a node, a partition) in one walk over its rows: in the driver for few rows,
else inside Spark. A `DriverStage` makes one small table, or an object that other stages read, from whole tables. The
parameters of a function are its inputs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipelines.memory_store import MemoryStore
from pipelines.store import Store
from replay.errors import InputError, SchemaError
from replay.passes import Input, KeyWalk, Maker, Sum, in_order, parameters, reads_of, walked
from replay.tables import DECLARED, TABLES, Table
from replay.tables.arrow import to_arrow

# A pass over at most this many rows runs in the driver: Spark's cost per row is more than a second core saves.
SMALL_ROWS = 1_000_000
# Inside Spark, the rows of one key are in the memory of one worker at the same time: about 1.3 KB each.
KEY_SETTING = "KAFKA_REPLAY_ROWS_OF_KEY"
MOST_ROWS_OF_KEY = int(os.environ.get(KEY_SETTING) or 8_000_000)
KEPT = frozenset(table.name for table in TABLES)
AnyStore = Store | MemoryStore


def is_large(store: AnyStore, *names: str) -> bool:
    """Whether tables together have more rows than this process reads: then Spark's workers read them."""
    return isinstance(store, Store) and sum(map(store.count, names)) > SMALL_ROWS


@dataclass(frozen=True)
class Laid:
    """A table that the store holds: as rows, or as Parquet."""

    name: str


@dataclass(frozen=True)
class Listed:
    """One table of the list, for the documentation: its name, its function, and its inputs."""

    name: str
    made_by: Callable[..., Any]
    reads: tuple[str, ...]


class Selection(Protocol):
    """Which rows of a table a pass sees."""

    def keeps(self, row: Any) -> bool: ...


@dataclass(frozen=True)
class From:
    """Rows of a table as the input of a pass, in the order of the columns `order`; `select` names the `Selection`
    that filters them.

    `of`: the name of another table whose columns supply the rows; `kinds`: only its records of these kinds.
    """

    table: str
    order: tuple[str, ...] = ()
    select: str | None = None
    of: str | None = None
    kinds: frozenset[str] | None = None

    @property
    def name(self) -> str:
        """The name under which the store has the rows."""
        return self.of or self.table

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.name,) if self.select is None else (self.name, self.select)

    def input(self, name: str, tables: Mapping[str, Any]) -> Input:
        """The input as functions read it, under this name."""
        keeps = None if self.select is None else tables[self.select].keeps
        return Input(name, DECLARED[self.table], self.order, keeps)

    def rows(self, store: AnyStore) -> Iterable[Any]:
        """The rows in plain Python."""
        declared = DECLARED[self.table]
        if self.of is not None:
            return store.rows_of(self.of, declared, self.kinds)
        rows, kinds = store.rows(self.name, declared), self.kinds
        return rows if kinds is None else (row for row in rows if row.kind in kinds)

    def frame(self, store: Store) -> DataFrame:
        """The rows in Spark."""
        frame = store.frame(self.name)
        return frame if self.kinds is None else frame.where(F.col("kind").isin(sorted(self.kinds)))

    def batches(self, store: AnyStore) -> Iterator[pa.RecordBatch]:
        """The rows as Arrow batches."""
        return store.batches_of(self.name, DECLARED[self.table], self.kinds)


def framed(name: str, tables: Mapping[str, Any], store: Store) -> Any:
    """A table as Spark reads it; any other object unchanged."""
    return store.frame(name) if isinstance(tables[name], Laid) else tables[name]


def in_driver(name: str, tables: Mapping[str, Any], store: AnyStore) -> Any:
    """The rows of a table; any other object unchanged."""
    given = tables[name]
    return store.rows(name, DECLARED.get(name)) if isinstance(given, DataFrame | Laid) else given


@dataclass(frozen=True)
class _Stage:
    """One table: `made_by` takes tables by the names of its parameters."""

    table: str
    made_by: Callable[..., Any]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.table,)

    @property
    def reads(self) -> tuple[str, ...]:
        return parameters(self.made_by)

    def listed(self) -> Iterator[Listed]:
        yield Listed(self.table, self.made_by, self.reads)


class DriverStage(_Stage):
    """One small table, or an object that functions read: `made_by` takes whole tables."""

    def run(self, tables: Mapping[str, Any], store: AnyStore) -> dict[str, Any]:
        """The table, held by the store; an object unchanged."""
        made = self.made_by(**{name: in_driver(name, tables, store) for name in self.reads})
        declared = DECLARED.get(self.table)
        if declared is None:
            return {self.table: made}
        store.hold(declared, list(made), kept=self.table in KEPT)
        return {self.table: Laid(self.table)}


@dataclass(frozen=True)
class ColumnStage(_Stage):
    """One small table, made from the columns of a large one without making Python objects of its rows: `made_by`
    takes Arrow batches of `source` under the name of its table. Rows of one `key` can be looked at without the others: of
    many rows, Spark brings those of each key to one worker.
    """

    source: From
    key: tuple[str, ...]

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.source.name, *(name for name in parameters(self.made_by) if name != self.source.table))

    def run(self, tables: Mapping[str, Any], store: AnyStore) -> dict[str, Any]:
        """The table, held by the store."""
        others = {name: in_driver(name, tables, store) for name in self.reads[1:]}
        if isinstance(store, Store) and is_large(store, self.source.name):
            of_key = _of_key(self.made_by, self.source.table, others, DECLARED[self.table])
            columns = self.source.frame(store).select(*DECLARED[self.source.table].schema.names)
            made_rows = columns.groupBy(*self.key).applyInArrow(of_key, DECLARED[self.table].schema)
            store.set_down(self.table, made_rows)
            return {self.table: Laid(self.table)}
        made = self.made_by(**{self.source.table: self.source.batches(store)}, **others)
        store.hold(DECLARED[self.table], list(made), kept=self.table in KEPT)
        return {self.table: Laid(self.table)}


def _of_key(
    made_by: Callable[..., Any], source: str, others: Mapping[str, Any], table: Table
) -> Callable[[pa.Table], pa.Table]:
    """A function that makes rows from the columns of one key, in a Spark worker. Spark asks for a function of one
    parameter.
    """
    return lambda columns: to_arrow(table, list(made_by(**{source: columns.to_batches()}, **others)))


@dataclass(frozen=True)
class Lookup:
    """The rows of `source` that other rows name: `made_by` returns their event ids, `select` names the `Selection`
    that filters them.
    """

    table: str
    source: str
    made_by: Callable[..., Collection[str]]
    select: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.table,)

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.source, *parameters(self.made_by), self.select)

    def listed(self) -> Iterator[Listed]:
        yield Listed(self.table, self.made_by, self.reads)

    def run(self, tables: Mapping[str, Any], store: AnyStore) -> dict[str, Any]:
        """The rows, held by the store. They are few of many, so they are looked up in the files of `source`."""
        ids = self.made_by(**{name: in_driver(name, tables, store) for name in parameters(self.made_by)})
        found = store.rows_with(self.source, DECLARED[self.source], "event_id", ids)
        declared = DECLARED[self.table]
        names = declared.schema.names
        kept = filter(tables[self.select].keeps, found)
        store.hold(declared, [declared.row_class(*(getattr(row, name) for name in names)) for row in kept])
        return {self.table: Laid(self.table)}


@dataclass(frozen=True)
class SparkStage(_Stage):
    """One table that Spark makes in one job: `made_by` takes frames.

    `rows_of`: if that table is empty, this one is empty too and is not planned.
    """

    rows_of: str | None = None

    def run(self, tables: Mapping[str, Any], store: Store) -> dict[str, Any]:
        """The table, written and read back."""
        if self.rows_of is not None and not store.count(self.rows_of):
            store.hold(DECLARED[self.table], [], kept=self.table in KEPT)
            return {self.table: Laid(self.table)}
        made = self.made(tables, store)
        return {self.table: (store.keep if self.table in KEPT else store.set_down)(self.table, made)}

    def made(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        """The table, planned."""
        frame: DataFrame = self.made_by(**{name: framed(name, tables, store) for name in self.reads})
        return frame


@dataclass(frozen=True)
class SparkRounds(SparkStage):
    """A table that Spark computes in rounds.

    `made_by` returns the first state, and `step` the next one, as long as a row has `news` (a boolean column);
    `ends_as` makes the table from the last state.
    """

    step: Callable[..., DataFrame] = lambda state: state
    ends_as: Callable[[DataFrame], DataFrame] = lambda state: state

    def made(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        """The table once no row has news; the state of each round is written."""
        given = {name: framed(name, tables, store) for name in self.reads}
        state, rounds = store.set_down(f"{self.table}_0", self.made_by(**given)), 0
        while store.is_any(f"{self.table}_{rounds}", "news"):
            rounds += 1
            state = store.set_down(f"{self.table}_{rounds}", self.step(state, **given))
        return self.ends_as(state)


class Pass:
    """All tables of one key, made in one walk over its rows.

    `inputs`: the rows that each key gets. `makes`: the tables and their functions (a `Sum` combines rows of many
    keys). Raises SchemaError for a cycle and for an undeclared table.
    """

    def __init__(
        self,
        name: str,
        key: tuple[str, ...],
        inputs: Mapping[str, From],
        makes: Mapping[str, Maker | Sum],
        has_null_keys: bool = False,
    ) -> None:
        if undeclared := [one for one in makes if one not in DECLARED]:
            raise SchemaError(f"the pass {name} makes {undeclared[0]}, which is not declared")
        self.table, self._key, self._inputs, self._has_null_keys = name, key, dict(inputs), has_null_keys
        self._made = in_order(makes)
        own = {*makes, *inputs}
        self._facts = tuple(dict.fromkeys(one for made in makes.values() for one in reads_of(made) if one not in own))
        self.names = tuple(self._made)
        self.reads = tuple(dict.fromkeys([*(name for one in inputs.values() for name in one.reads), *self._facts]))

    def listed(self) -> Iterator[Listed]:
        for name, made in self._made.items():
            yield Listed(name, made.partial if isinstance(made, Sum) else made, reads_of(made))

    def run(self, tables: Mapping[str, Any], store: AnyStore) -> dict[str, Any]:
        """The tables, held by the store: made in the driver if there are few rows, inside Spark if there are many."""
        facts = {name: in_driver(name, tables, store) for name in self._facts}
        inputs = [one.input(name, tables) for name, one in self._inputs.items()]
        walk = KeyWalk(self._key, inputs, self._made, DECLARED, facts, self._has_null_keys)
        names = {one.name for one in self._inputs.values()}
        if isinstance(store, Store) and is_large(store, *names):
            self._in_spark(walk, store, sum(map(store.count, names)))
        else:
            made = walk.rows({name: one.rows(store) for name, one in self._inputs.items()})
            for name, rows_of_table in made.items():
                store.hold(DECLARED[name], rows_of_table, kept=name in KEPT)
        return {name: Laid(name) for name in self.names}

    def _in_spark(self, walk: KeyWalk, store: Store, rows: int) -> None:
        """Makes the tables in Spark's workers. The store reads them from there; it holds the rows of sums."""
        given = {name: one.frame(store) for name, one in self._inputs.items()}
        if rows > MOST_ROWS_OF_KEY:
            self._check_sizes(given)
        store.set_down_made(self.table, walked(walk, given), list(walk.tables.values()), KEPT, walk.sums)
        for name in walk.sums:
            store.hold(DECLARED[name], walk.merged(name, list(store.rows_of(name, DECLARED[name]))), kept=name in KEPT)

    def _check_sizes(self, given: Mapping[str, DataFrame]) -> None:
        """Raises InputError if a key has more rows than one worker holds."""
        keys = [frame.select(*self._key) for frame in given.values()]
        counts = reduce(DataFrame.unionByName, keys).groupBy(*self._key).count().orderBy(F.desc("count")).limit(1)
        for row in counts.collect():
            if row["count"] > MOST_ROWS_OF_KEY:
                named = "-".join(str(row[name]) for name in self._key)
                kind = "node" if self._key == ("node_id",) else "partition"
                raise InputError(
                    f"{kind} {named} has {row['count']:,} rows, and one worker holds {MOST_ROWS_OF_KEY:,} of one {kind}: "
                    f"analyze a shorter time (--since, --until), or set {KEY_SETTING} for workers with 1.3 KB a row"
                )


class Runnable(Protocol):
    """The interface of the stages that the scheduler runs."""

    @property
    def table(self) -> str: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def reads(self) -> tuple[str, ...]: ...

    def listed(self) -> Iterator[Listed]: ...

    def run(self, tables: Mapping[str, Any], store: Any) -> dict[str, Any]: ...


def run(
    stages: Sequence[Runnable],
    given: Mapping[str, Any],
    store: AnyStore,
    begins: Mapping[str, str] | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    read_later: Collection[str] = (),
) -> dict[str, Any]:
    """Every table of `stages` by name, and the `given` ones.

    Of several stages with complete inputs, the first in the list runs first. A table leaves memory after its last
    reader, unless it is in `read_later`. `begins` names the table with which a step begins, and the text for
    `on_step`. Raises the errors of a stage; SchemaError for a table that no stage makes, and for stages that depend
    on each other.
    """
    tables, waiting = dict(given), list(stages)
    made = {name for stage in stages for name in stage.names} | set(given)
    for stage in stages:
        if missing := [name for name in stage.reads if name not in made]:
            raise SchemaError(f"{stage.table} reads {missing[0]}, which no stage makes")
    while waiting:
        stage = next((one for one in waiting if all(name in tables for name in one.reads)), waiting[0])
        if missing := [name for name in stage.reads if name not in tables]:
            raise SchemaError(f"{stage.table} waits for {missing[0]}, which waits for it")
        waiting.remove(stage)
        for name in stage.names:
            if begins and name in begins:
                on_step(begins[name])
        tables |= stage.run(tables, store)
        in_use = {name for one in waiting if not isinstance(one, Lookup) for name in one.reads}
        store.forget({*stage.reads} - in_use - {*read_later})
    return tables
