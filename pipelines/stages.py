"""Stages as data, and the one scheduler that runs them: what is ready runs, on a few workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from pipelines.store import Store
from replay.columns.windows import PARTITION_KEY
from replay.errors import SchemaError
from replay.facts.reads import may_have_rows
from replay.histories.fold import fold_schema, folded
from replay.tables import DECLARED, Table
from replay.tables.table import without_rows

WORKERS = 3  # planning keeps one core busy, never two: while one stage is planned others run


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

    def run(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        """The table, written and read back."""
        lay_down = store.keep if self.kept else store.set_down
        if not self.has_no_rows(tables, store):
            return lay_down(self.table, self._checked(self.made(tables, store)))
        declared = self._declared()
        if declared is not None:
            return store.write_rows(declared, [], kept=self.kept, name=self.table)
        return lay_down(self.table, self.without_rows(tables))

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
        made: DataFrame = self.made_by(*(tables[name] for name in self.reads))
        return made

    def has_no_rows(self, tables: Mapping[str, Any], store: Store) -> bool:
        if not may_have_rows(self.made_by, tables.get("kinds")):
            return True
        return bool(self.rows_of) and all(store.is_empty(name) for name in self.rows_of)

    def without_rows(self, tables: Mapping[str, Any]) -> DataFrame:
        """The table without rows, where it is not declared."""
        spark = tables[self.reads[0]].sparkSession
        return without_rows(spark, self.made_by(*(tables[name] for name in self.reads)).schema)


@dataclass(frozen=True)
class Thought(Stage):
    """A table that plain Python makes: `made_by` takes the rows of its tables (`Table.row_class`), and gives rows."""

    def run(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        """The table, written from Python and read back where Spark asks for it."""
        declared = self._declared()
        if declared is None:
            raise SchemaError(f"{self.table} is not declared")
        rows: Iterable[Any] = self.made_by(*(self._given(name, tables, store) for name in self.reads))
        return store.write_rows(declared, list(rows), kept=self.kept, name=self.table)

    def _given(self, name: str, tables: Mapping[str, Any], store: Store) -> Any:
        given = tables[name]
        return store.rows(name, DECLARED.get(name)) if isinstance(given, DataFrame) else given


@dataclass(frozen=True)
class Fold(Stage):
    """What plain Python makes of each partition, an array of rows for each table of `makes`.

    `made_by` takes the rows of `facts`, which tell of the cluster, and gives a function of one partition (one `key`);
    the rows of the other tables it reads are that partition's.
    """

    facts: tuple[str, ...] = ()
    makes: tuple[Table, ...] = ()
    key: tuple[str, ...] = PARTITION_KEY

    def made(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        history = self.made_by(*(store.rows(name, DECLARED.get(name)) for name in self.facts))
        frames = {DECLARED[name]: tables[name] for name in self._own()}
        return folded(frames, history, self.makes, self.key)

    def without_rows(self, tables: Mapping[str, Any]) -> DataFrame:
        return without_rows(
            tables[self.reads[0]].sparkSession, fold_schema(DECLARED[self._own()[0]], self.makes, self.key)
        )

    def _own(self) -> list[str]:
        return [name for name in self.reads if name not in self.facts]


@dataclass(frozen=True)
class Walk(Stage):
    """A table that is made in rounds: `made_by` gives the first state, `step` the next one from it, while a row has
    `news` (a column that says so).
    """

    step: Callable[..., DataFrame] = lambda state, *_: state
    ends_as: Callable[[DataFrame], DataFrame] = lambda state: state

    def made(self, tables: Mapping[str, Any], store: Store) -> DataFrame:
        """The table once no row has news; the state of each round is laid down."""
        given = [tables[name] for name in self.reads]
        state, rounds = store.set_down(f"{self.table}_0", self.made_by(*given)), 0
        while store.is_any(f"{self.table}_{rounds}", "news"):
            rounds += 1
            state = store.set_down(f"{self.table}_{rounds}", self.step(state, *given))
        return self.ends_as(state)


def run(
    stages: Sequence[Stage],
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
    made = {stage.table for stage in stages} | set(given)
    for stage in stages:
        if missing := [name for name in stage.reads if name not in made]:
            raise ValueError(f"{stage.table} reads {missing[0]}, which no stage makes")
    running: dict[Future[DataFrame], Stage] = {}
    with ThreadPoolExecutor(WORKERS) as workers:
        while waiting or running:
            for stage in [s for s in waiting if all(name in tables for name in s.reads)][: WORKERS - len(running)]:
                waiting.remove(stage)
                if begins and stage.table in begins:
                    say(begins[stage.table])
                running[workers.submit(stage.run, tables, store)] = stage
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                tables[running.pop(future).table] = future.result()
    return tables
