"""Tables in memory, for a run in one process without Java. Nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from replay.errors import SchemaError
from replay.tables.arrow import arrow_schema, from_arrow, to_arrow
from replay.tables.row import Row
from replay.tables.table import Table


class _Writer:
    """Collects Arrow batches with the columns and types of a table."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self.batches: list[pa.Table] = []

    def write(self, batch: pa.RecordBatch) -> None:
        self.batches.append(pa.Table.from_batches([batch.select(self._schema.names)]).cast(self._schema))

    def table(self) -> pa.Table:
        return pa.concat_tables(self.batches) if self.batches else self._schema.empty_table()


class MemoryStore:
    """What stages need of `pipelines.store.Store`, without files and without Spark: tables as rows, or as Arrow."""

    def __init__(self) -> None:
        self._rows: dict[str, Sequence[Row]] = {}
        self._tables_of: dict[str, Table] = {}
        self._arrow: dict[str, pa.Table] = {}

    def hold(self, table: Table, rows: Sequence[Row], *, kept: bool = False, name: str | None = None) -> None:
        """The rows of a table, under its name or another `name`."""
        named = name or table.name
        self._rows[named], self._tables_of[named] = rows, table

    def write_batches(self, name: str, table: Table, batches: Iterable[pa.RecordBatch], *, kept: bool = False) -> None:
        """Arrow batches with the columns of `table`, under `name`."""
        with self.writer(table, name, kept=kept) as writer:
            for batch in batches:
                writer.write(batch)

    @contextmanager
    def writer(self, table: Table, name: str, *, kept: bool = False) -> Iterator[_Writer]:
        """Takes Arrow batches with the columns of `table`, under `name`."""
        writer = _Writer(arrow_schema(table.schema))
        yield writer
        self._arrow[name], self._tables_of[name] = writer.table(), table

    def change_batches(
        self, name: str, table: Table, change: Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]
    ) -> None:
        """Replaces the rows under `name` by what `change` makes of them."""
        self.write_batches(name, table, list(change(list(self.batches(name)))))

    def columns(self, name: str) -> pa.Table:
        """The table held under `name`, as Arrow."""
        if name not in self._arrow:
            return to_arrow(self._tables_of[name], self._rows[name])
        return self._arrow[name]

    def batches(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The rows held under `name` as Arrow batches; only those of `columns` that exist."""
        held = self.columns(name)
        yield from (
            held if columns is None else held.select([one for one in columns if one in held.column_names])
        ).to_batches()

    def rows(self, name: str, table: Table | None) -> Sequence[Any]:
        """The rows held under `name`, in plain Python. Raises SchemaError for undeclared columns."""
        if table is None:
            raise SchemaError(f"{name} is not declared")
        if name not in self._rows:
            self._rows[name] = from_arrow(table, self._arrow[name])
        return self._rows[name]

    def rows_of(self, name: str, table: Table, kinds: Collection[str] | None = None) -> Iterator[Any]:
        """The rows held under `name` with only the columns of `table`; with `kinds`, only those of these kinds."""
        for batch in self.batches_of(name, table, kinds):
            yield from from_arrow(table, batch)

    def batches_of(self, name: str, table: Table, kinds: Collection[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The rows held under `name` as Arrow batches with only the columns of `table`; with `kinds`, only those of
        these kinds.
        """
        wanted = None if kinds is None else pa.array(sorted(kinds))
        for batch in self.batches(name, table.schema.names):
            yield batch if wanted is None else batch.filter(pc.is_in(batch.column("kind"), wanted))

    def holds(self, name: str) -> bool:
        """Whether a table is held under `name`."""
        return name in self._tables_of

    def count(self, name: str) -> int:
        """How many rows are held under `name`."""
        return len(self._rows[name]) if name in self._rows else self._arrow[name].num_rows

    def counted(self, name: str, columns: Sequence[str]) -> Mapping[tuple[Any, ...], int]:
        """The combinations of values in some columns of `name`, with the number of rows of each."""
        counts: Counter[tuple[Any, ...]] = Counter()
        for one in self.columns(name).group_by([*columns]).aggregate([([], "count_all")]).to_pylist():
            counts[tuple(one[column] for column in columns)] += one["count_all"]
        return counts

    def rows_with(self, name: str, table: Table, column: str, values: Collection[str]) -> Sequence[Any]:
        """The rows held under `name` that have one of these values in a column."""
        return [row for row in self.rows(name, table) if getattr(row, column) in values]

    def forget(self, names: Iterable[str]) -> None:
        """Nothing is forgotten: the input of a run in one process is small."""
