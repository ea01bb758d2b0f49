"""Passes and stages as data, and the one scheduler that runs them: what is ready runs, on a few workers.

A `Pass` makes every table of one key (a node, a partition) in one walk over its rows: in the driver when rows are few,
else inside Spark. A `DriverStage` makes one small table, or an object that others read, from whole tables. What each
reads are the parameters of its makers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Protocol

from pyspark.sql import DataFrame

from pipelines.store import Store
from replay.errors import SchemaError
from replay.facts.reads import may_have_rows
from replay.passes import Input, KeyWalk, Maker, Sum, in_order, parameters, reads_of, walked
from replay.tables import DECLARED, TABLES, Table
from replay.tables.table import without_rows

WORKERS = 3  # planning keeps one core busy, never two: while one stage is planned others run


SMALL_ROWS = (
    50_000  # a pass over at most so many rows runs in the driver: Spark needs a second to plan what takes less there
)
KEPT = frozenset(table.name for table in TABLES)


@dataclass(frozen=True)
class Laid:
    """A table that the store holds: as rows, or as Parquet."""

    name: str


@dataclass(frozen=True)
class Listed:
    """One table of the list, for the documentation: its name, its function, and what this reads."""

    name: str
    made_by: Callable[..., Any]
    reads: tuple[str, ...]


class Selection(Protocol):
    """Which rows of a table a pass sees, for Spark and for the driver."""

    def frame(self, rows: DataFrame) -> DataFrame: ...

    def keeps(self, row: Any) -> bool: ...


@dataclass(frozen=True)
class From:
    """Rows of a table as the input of a pass, in the order of the columns `order`; `select` names the object (a
    `Selection`) that says which, `laid` the name under which the store has them if that is another.
    """

    table: str
    order: tuple[str, ...] = ()
    select: str | None = None
    laid: str | None = None

    @property
    def name(self) -> str:
        """The name under which the store has the rows."""
        return self.laid or self.table

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.table,) if self.select is None else (self.table, self.select)

    def rows(self, tables: Mapping[str, Any], store: Store) -> Iterable[Any]:
        """The rows in the driver."""
        rows = store.rows(self.name, DECLARED[self.table])
        return rows if self.select is None else filter(tables[self.select].keeps, rows)

    def frame(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        """The rows in Spark."""
        frame = store.frame(self.name)
        selected: DataFrame = frame if self.select is None else tables[self.select].frame(frame)
        return selected


def framed(name: str, tables: Mapping[str, Any], store: Store) -> Any:
    """A table as Spark reads it; what is none stays what it is."""
    return store.frame(name) if isinstance(tables[name], Laid) else tables[name]


def in_driver(name: str, tables: Mapping[str, Any], store: Store) -> Any:
    """The rows of a table; what is none stays what it is."""
    given = tables[name]
    return store.rows(name, DECLARED.get(name)) if isinstance(given, DataFrame | Laid) else given


@dataclass(frozen=True)
class DriverStage:
    """One small table, or an object that makers read: `made_by` takes whole tables by the names of its parameters."""

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

    def run(self, tables: Mapping[str, Any], store: Store) -> dict[str, Any]:
        """The table, held by the store; an object as it is."""
        made = self.made_by(**{name: in_driver(name, tables, store) for name in self.reads})
        declared = DECLARED.get(self.table)
        if declared is None:
            return {self.table: made}
        store.hold(declared, list(made), kept=self.table in KEPT)
        return {self.table: Laid(self.table)}


@dataclass(frozen=True)
class Lookup:
    """The rows of `source` that others name: `made_by` gives their event ids, `select` names the object (a `Selection`)
    that says which of them count.
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

    def run(self, tables: Mapping[str, Any], store: Store) -> dict[str, Any]:
        """The rows, held by the store: few of many, so they are looked up in its files."""
        ids = self.made_by(**{name: in_driver(name, tables, store) for name in parameters(self.made_by)})
        found = store.rows_with(self.source, DECLARED[self.source], "event_id", ids)
        declared = DECLARED[self.table]
        names = declared.schema.names
        kept = filter(tables[self.select].keeps, found)
        store.hold(declared, [declared.row_class(*(getattr(row, name) for name in names)) for row in kept])
        return {self.table: Laid(self.table)}


@dataclass(frozen=True)
class SparkStage:
    """One table that Spark makes in one job: `made_by` takes frames by the names of its parameters."""

    table: str
    made_by: Callable[..., DataFrame]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.table,)

    @property
    def reads(self) -> tuple[str, ...]:
        return parameters(self.made_by)

    def listed(self) -> Iterator[Listed]:
        yield Listed(self.table, self.made_by, self.reads)

    def run(self, tables: Mapping[str, Any], store: Store) -> dict[str, Any]:
        """The table, written and read back."""
        made = self.made_by(**{name: framed(name, tables, store) for name in self.reads})
        return {self.table: (store.keep if self.table in KEPT else store.set_down)(self.table, made)}


class Pass:
    """All tables of one key, made in one walk over its rows.

    `inputs` are the rows that each key is handed, `makes` the tables and the function of each (a `Sum` where rows of
    many keys are combined). Raises SchemaError for a cycle and for a table that is not declared.
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

    def run(self, tables: Mapping[str, Any], store: Store) -> dict[str, Any]:
        """The tables, held by the store: made in the driver of few rows, inside Spark of many."""
        facts = {name: in_driver(name, tables, store) for name in self._facts}
        inputs = [Input(name, DECLARED[one.table], one.order) for name, one in self._inputs.items()]
        walk = KeyWalk(self._key, inputs, self._made, DECLARED, facts, self._has_null_keys)
        if sum(store.count(one.name) for one in self._inputs.values()) <= SMALL_ROWS:
            made = walk.rows({name: one.rows(tables, store) for name, one in self._inputs.items()})
        else:
            made = self._in_spark(walk, tables, store)
        for name, rows in made.items():
            store.hold(DECLARED[name], rows, kept=name in KEPT)
        return {name: Laid(name) for name in self.names}

    def _in_spark(self, walk: KeyWalk, tables: Mapping[str, Any], store: Store) -> dict[str, Sequence[Any]]:
        """The tables laid down as Parquet; of the sums their rows."""
        store.set_down(self.table, walked(walk, {name: one.frame(tables, store) for name, one in self._inputs.items()}))
        partial = store.split(self.table, list(walk.tables.values()), KEPT, walk.sums)
        return {name: walk.merged(name, rows) for name, rows in partial.items()}


@dataclass(frozen=True)
class Stage:
    """One table: the function that makes it, and the tables that this reads, by name. `kept`: it is a table of the
    result.

    `rows_of`: each of its rows comes of a row of one of these tables: where they have none, it has none, and is not
    planned if its `shape` is declared. The same holds where no event is of a kind that `made_by` gathers.
    """

    table: str
    made_by: Callable[..., Any]
    reads: tuple[str, ...]
    kept: bool = False
    rows_of: tuple[str, ...] = ()
    shape: Table | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.table,)

    def listed(self) -> Iterator[Listed]:
        yield Listed(self.table, self.made_by, self.reads)

    def run(self, tables: Mapping[str, Any], store: Store) -> dict[str, Any]:
        """The table, by its name."""
        return {self.table: self._laid_down(tables, store)}

    def _laid_down(self, tables: Mapping[str, Any], store: Store) -> Any:
        """The table, written and read back."""
        lay_down = store.keep if self.kept else store.set_down
        if not self.has_no_rows(tables, store):
            return lay_down(self.table, self._checked(self.made(tables, store)))
        declared = self._declared()
        if declared is not None:
            store.hold(declared, [], kept=self.kept, name=self.table)
            return Laid(self.table)
        return lay_down(self.table, self.without_rows(tables, store))

    def _checked(self, made: DataFrame) -> DataFrame:
        """`made`. Raises SchemaError if its columns are not those declared, which stand in for it where it has no row."""
        declared = self._declared()
        if declared is not None and set(made.columns) != set(declared.schema.names):
            different = ", ".join(sorted(set(made.columns) ^ set(declared.schema.names)))
            raise SchemaError(f"{self.table} is not what is declared of it: {different}")
        return made

    def _declared(self) -> Table | None:
        return self.shape or DECLARED.get(self.table)

    def made(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        """The table, worked out."""
        made: DataFrame = self.made_by(*(framed(name, tables, store) for name in self.reads))
        return made

    def has_no_rows(self, tables: Mapping[str, Any], store: Store) -> bool:
        if not may_have_rows(self.made_by, tables.get("kinds")):
            return True
        return bool(self.rows_of) and all(store.is_empty(name) for name in self.rows_of)

    def without_rows(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        """The table without rows, where it is not declared."""
        spark = framed(self.reads[0], tables, store).sparkSession
        return without_rows(spark, self.made(tables, store).schema)


@dataclass(frozen=True)
class Walk(Stage):
    """A table that is made in rounds: `made_by` gives the first state, `step` the next one from it, while a row has
    `news` (a column that says so).
    """

    step: Callable[..., DataFrame] = lambda state, *_: state
    ends_as: Callable[[DataFrame], DataFrame] = lambda state: state

    def made(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        """The table once no row has news; the state of each round is laid down."""
        given = [framed(name, tables, store) for name in self.reads]
        state, rounds = store.set_down(f"{self.table}_0", self.made_by(*given)), 0
        while store.is_any(f"{self.table}_{rounds}", "news"):
            rounds += 1
            state = store.set_down(f"{self.table}_{rounds}", self.step(state, *given))
        return self.ends_as(state)


class Runnable(Protocol):
    """What the scheduler runs."""

    @property
    def table(self) -> str: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def reads(self) -> tuple[str, ...]: ...

    def listed(self) -> Iterator[Listed]: ...

    def run(self, tables: Mapping[str, Any], store: Store) -> dict[str, Any]: ...


def run(
    stages: Sequence[Runnable],
    given: Mapping[str, Any],
    store: Store,
    begins: Mapping[str, str] | None = None,
    say: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Every table of `stages` by name, beside those `given`. Of several that are ready the first of the list runs
    first.

    `begins` names the table with which a step begins, and what `say` is told then. Raises what a stage raises, after
    those that run have ended; ValueError for a table that no stage makes.
    """
    tables, waiting = dict(given), list(stages)
    made = {name for stage in stages for name in stage.names} | set(given)
    for stage in stages:
        if missing := [name for name in stage.reads if name not in made]:
            raise ValueError(f"{stage.table} reads {missing[0]}, which no stage makes")
    running: dict[Future[dict[str, Any]], Runnable] = {}
    with ThreadPoolExecutor(WORKERS) as workers:
        while waiting or running:
            for stage in [s for s in waiting if all(name in tables for name in s.reads)][: WORKERS - len(running)]:
                waiting.remove(stage)
                for begun in stage.names if begins else ():
                    if begins and begun in begins:
                        say(begins[begun])
                running[workers.submit(stage.run, tables, store)] = stage
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                running.pop(future)
                tables |= future.result()
    return tables
