"""A finished result, read without Spark: the source of the answers of `explain`, `at`, `diff`, `compare`, `partition`
and `lines`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from pipelines import delta
from pipelines.answers.frames import plain
from pipelines.result_folders import is_result, rows_in
from replay.errors import InputError
from replay.tables import DECLARED
from replay.tables.arrow import arrow_schema

Where = Sequence[tuple[str, str, object]]  # conditions that a row meets: column, operator, value
Reduce = Callable[[pa.Table], pa.Table]  # the needed rows of some rows
_ROWS_AT_ONCE = 65_536  # that are read before those that meet no condition are dropped


class Read(Protocol):
    """Reads rows of a table of the result: all, or some columns, or the rows that meet every condition. `reduce` keeps the
    needed ones of some rows at a time, so that the others are never in memory together.
    """

    def __call__(
        self, name: str, columns: Sequence[str] | None = None, where: Where = (), reduce: Reduce | None = None
    ) -> pa.Table: ...


class Result:
    """A folder that `analyze` wrote. Raises InputError for any other."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._tables = folder, folder / "tables"
        if not is_result(folder):
            raise InputError(
                f"{folder}: no result of `kafka-replay analyze` (it has no tables); give the folder that --out named"
            )

    def lacks(self, *tables: str) -> str | None:
        """The first of `tables` that is missing or has lost rows, and what to do, as text; None if all are whole."""
        for name in tables:
            if not is_table(self._tables / name):
                return f"{self._made_by()}, without the table {name}: analyze its logs again"
            there, written = rows_in(self._tables / name), self.rows_written(name)
            if there is not None and written is not None and there != written:
                return (
                    f"{self._made_by()}, which wrote {written:,} rows of the table {name}, and its files hold {there:,}: "
                    "copy the whole result again, or analyze its logs again"
                )
        return None

    def rows_written(self, name: str) -> int | None:
        """How many rows the analysis wrote to a table; None if the result does not say so."""
        written = (self._findings_json("tables") or {}).get(name)
        return written if isinstance(written, int) else None

    def table(self, name: str, columns: Sequence[str] | None = None, where: Where = ()) -> pd.DataFrame:
        """The rows of a table that meet every condition of `where` (column, operator, value), as `plain` frames.

        No row meets a condition on a list without values. Raises InputError for a table that is missing, which is no
        empty one, or has lost rows, and for files that cannot be read.
        """
        return frame_of(self.read(name, columns, where))

    def read(
        self, name: str, columns: Sequence[str] | None = None, where: Where = (), reduce: Reduce | None = None
    ) -> pa.Table:
        """The same as `table`, as an Arrow table; of the rows that `reduce` keeps, if it is given."""
        if lacks := self.lacks(name):
            raise InputError(f"{self.folder}: {lacks}")
        if any(operator == "in" and not value for _, operator, value in where):
            declared = arrow_schema(DECLARED[name].schema).empty_table()
            return declared if columns is None else declared.select(list(columns))
        try:
            read = stored(self._tables / name, columns, where, reduce)
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            raise InputError(
                f"{self._tables / name}: cannot be read ({str(error).splitlines()[0][:120]}); analyze the logs again"
            ) from error
        missing = [c.name for c in DECLARED[name].columns if columns is None and c.name not in read.column_names]
        if missing:
            raise InputError(
                f"{self._tables / name}: has no column {missing[0]}: another release wrote it; analyze the logs again"
            )
        declared = arrow_schema(DECLARED[name].schema)
        odd = [field.name for field in read.schema if not _is_as_declared(field, declared)]
        if odd:
            raise InputError(
                f"{self._tables / name}: the column {odd[0]} has another type: another program wrote it; analyze the logs again"
            )
        return read

    def tables(self, *names: str) -> dict[str, pd.DataFrame]:
        """Several tables, whole."""
        return {name: self.table(name) for name in names}

    def of_partition(self, names: Iterable[str], topic: str, partition: int) -> dict[str, pd.DataFrame]:
        """The rows of several tables that are about one partition."""
        return {
            name: self.table(name, where=[("topic", "==", topic), ("partition", "==", partition)]) for name in names
        }

    def lines(self, event_ids: Iterable[str]) -> dict[str, Mapping[str, object]]:
        """The records that evidence names, by `event_id`."""
        wanted = sorted(set(event_ids))
        if not wanted:
            return {}
        columns = ["event_id", "ts", "node_id", "level", "logger", "message"]
        events = self.table("events", columns, [("event_id", "in", wanted)])
        return {str(row["event_id"]): row for row in events.to_dict("records")}

    def window(self) -> str | None:
        """The time range to which the analysis was limited (`--since`, `--until`), as text; None if it was not
        limited.
        """
        stored = self._findings_json("window")
        if stored is None:
            return None
        return span_of(*(stored[name] and datetime.fromisoformat(stored[name]) for name in ("since", "until")))

    def lines_answer(self) -> dict[str, Any] | None:
        """The meaning of the lines, from `findings.json`; None if that is missing or unreadable."""
        return self._findings_json("lines")

    def findings(self) -> Mapping[str, Any]:
        """The content of `findings.json`; empty if it is missing or unreadable."""
        return self._findings

    def _findings_json(self, member: str) -> dict[str, Any] | None:
        content = self._findings.get(member)
        return content if isinstance(content, dict) else None

    @cached_property
    def _findings(self) -> dict[str, Any]:
        """The content of `findings.json`; empty if it is missing or unreadable."""
        try:
            content = json.loads((self.folder / "findings.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    def _made_by(self) -> str:
        """`made by kafka-replay 0.1.0`."""
        product = self._findings_json("product") or {}
        return f"made by kafka-replay {product.get('version', 'of an unknown version')}"

    def cluster_ids(self) -> list[str]:
        """The ids of the cluster, as its nodes print them."""
        cluster = self._findings_json("cluster") or {}
        return [str(one) for one in cluster.get("cluster_ids") or ()]

    def recorded(self) -> tuple[pd.Timestamp, pd.Timestamp] | None:
        """The first and the last time in the files."""
        files = self.table("coverage", ["first_ts", "last_ts"])
        first, last = files.first_ts.min(), files.last_ts.max()
        return None if pd.isna(first) or pd.isna(last) else (first, last)


def span_of(since: datetime | None, until: datetime | None) -> str:
    """`from 2026-11-21 07:25:00 to 08:10:00 UTC`; times in UTC."""
    begin, end = (None if time is None else f"{time:%Y-%m-%d %H:%M:%S}" for time in (since, until))
    if begin and end and begin[:10] == end[:10]:
        end = end[11:]
    return " ".join([*([f"from {begin}"] if begin else []), *([f"to {end}"] if end else []), "UTC"])


def is_table(folder: Path) -> bool:
    """Whether the folder is a table that an analysis wrote, as Parquet or as Delta."""
    return delta.is_delta(folder) or any(folder.glob("*.parquet"))


def _is_as_declared(field: pa.Field, declared: pa.Schema) -> bool:
    """Whether a stored column has values of the declared sort; a column of nulls has any."""
    if field.name not in declared.names or pa.types.is_null(field.type):
        return True
    of = declared.field(field.name).type
    return any(is_one(field.type) and is_one(of) for is_one in _SORTS)


_SORTS = (
    pa.types.is_timestamp,
    lambda of: pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_dictionary(of),
    lambda of: pa.types.is_integer(of) or pa.types.is_floating(of),
    pa.types.is_boolean,
    lambda of: pa.types.is_list(of) or pa.types.is_large_list(of),
    pa.types.is_struct,
    pa.types.is_map,
)


def frame_of(read: pa.Table) -> pd.DataFrame:
    """An Arrow table as a `plain` frame."""
    lists = [
        field.name
        for field in read.schema
        if pa.types.is_list(field.type) and not pa.types.is_nested(field.type.value_type)
    ]
    frame = plain(read.drop_columns(lists).to_pandas(types_mapper=NULLABLE.get))
    columns = {name: pd.Series(list(_tuples(_naive(read.column(name)))), dtype=object) for name in lists}
    return pd.DataFrame({name: columns[name] if name in columns else frame[name] for name in read.column_names})


def _naive(lists: pa.ChunkedArray) -> pa.ChunkedArray:
    """The lists of a column, with naive UTC times like the columns of times."""
    of = lists.type.value_type
    return lists.cast(pa.list_(pa.timestamp(of.unit))) if pa.types.is_timestamp(of) and of.tz else lists


def _tuples(lists: pa.ChunkedArray) -> Iterator[tuple[object, ...] | None]:
    """The lists of a column as tuples; pandas would make an array of each first. Equal texts share one object, and so do
    equal lists.
    """
    known: dict[object, object] = {}
    seen: dict[tuple[object, ...], tuple[object, ...]] = {}
    for chunk in lists.chunks:
        values, ends = (
            _shared(chunk.flatten(), known),
            pc.cumulative_sum(pc.fill_null(pc.list_value_length(chunk), 0)).to_pylist(),
        )
        for is_there, begin, end in zip(chunk.is_valid().to_pylist(), [0, *ends], ends):
            one = tuple(values[begin:end])
            yield seen.setdefault(one, one) if is_there else None


def _shared(values: pa.Array, known: dict[object, object]) -> Sequence[object]:
    """The values as Python objects; equal texts are the same object as in `known`, which keeps them."""
    if not pa.types.is_string(values.type):
        return list(values.to_pylist())
    encoded = values.dictionary_encode()
    texts = [known.setdefault(text, text) for text in encoded.dictionary.to_pylist()]
    return [None if at is None else texts[at] for at in encoded.indices.to_pylist()]


def stored(
    folder: Path, columns: Sequence[str] | None = None, where: Where = (), reduce: Reduce | None = None
) -> pa.Table:
    """The rows of a table that meet every condition of `where`, as its files have them; those of them that `reduce` keeps.
    Raises InputError for a Delta table that other programs have changed.
    """
    if delta.is_delta(folder):
        rows = delta.rows(folder, columns, where)
        return rows if reduce is None else reduce(rows)
    files = sorted(folder.glob("*.parquet"))
    if not where and reduce is None:
        return pa.concat_tables([pq.read_table(file, columns=columns and list(columns)) for file in files])
    return pa.concat_tables([some for file in files for some in _some_of(file, columns, where, reduce)])


def _some_of(file: Path, columns: Sequence[str] | None, where: Where, reduce: Reduce | None) -> Iterator[pa.Table]:
    """The wanted rows of a file, some at a time; first a table without rows. Parts of the file in which no row can meet the
    conditions are not read.
    """
    condition = pq.filters_to_expression(list(where)) if where else ds.scalar(True)
    parts = [part.subset(condition) for part in ds.dataset(file).get_fragments(condition)]
    groups = [group.id for part in parts for group in part.row_groups]
    with pq.ParquetFile(file) as read:
        wanted = read.schema_arrow.names if columns is None else list(columns)
        every = [*wanted, *(name for name, _, _ in where if name not in wanted)]
        yield read.schema_arrow.empty_table().select(wanted)
        for batch in read.iter_batches(_ROWS_AT_ONCE, groups, every):
            found = pa.Table.from_batches([batch]).filter(condition).select(wanted)
            if found.num_rows:
                yield found if reduce is None else reduce(found)


NULLABLE = {
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}
