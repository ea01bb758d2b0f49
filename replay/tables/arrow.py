"""Converts rows of plain Python to and from Arrow, the format in which Spark and Parquet files exchange them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import repeat
from typing import Any

import pyarrow as pa
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from replay.tables.row import Row
from replay.tables.table import Table

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SIMPLE = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "string": pa.string(),
    "binary": pa.binary(),
}


def arrow_type(type_: DataType) -> pa.DataType:
    """The Arrow type of a Spark type. (Spark's own function for this takes different arguments in each release.)"""
    if isinstance(type_, ArrayType):
        return pa.list_(arrow_type(type_.elementType))
    if isinstance(type_, MapType):
        return pa.map_(arrow_type(type_.keyType), arrow_type(type_.valueType))
    if isinstance(type_, StructType):
        return pa.struct([pa.field(f.name, arrow_type(f.dataType)) for f in type_.fields])
    return _SIMPLE[type_.simpleString()]


def arrow_schema(schema: StructType) -> pa.Schema:
    """The Arrow schema of a frame."""
    return pa.schema([pa.field(f.name, arrow_type(f.dataType)) for f in schema.fields])


def to_arrow(table: Table, rows: Sequence[Row]) -> pa.Table:
    """The rows of a table as Arrow columns, built from lists."""
    schema = arrow_schema(table.schema)
    return pa.table(arrays(table, rows), schema=schema)


def arrays(table: Table, rows: Sequence[Row]) -> list[pa.Array]:
    """The columns of a table, from its rows."""
    schema = arrow_schema(table.schema)
    columns = zip(*map(table.row_class._values, rows), strict=True) if rows else repeat((), len(schema))
    return [_array(values, field.type) for values, field in zip(columns, schema, strict=False)]


def _array(values: Sequence[Any], type_: pa.DataType) -> pa.Array:
    """A column of values. A number that the type cannot hold (from a damaged line) becomes null."""
    try:
        return pa.array(values, type_)
    except (OverflowError, pa.ArrowInvalid):
        numbers = type_.value_type if pa.types.is_list(type_) else type_
        if not pa.types.is_integer(numbers):
            raise
        limit = 1 << (numbers.bit_width - 1)
        return pa.array([_held(value, limit) for value in values], type_)


def _held(value: Any, limit: int) -> Any:
    """The number, or None if it is out of range; a list with a number out of range becomes None as a whole."""
    if isinstance(value, int):
        return value if -limit <= value < limit else None
    if isinstance(value, (list, tuple)):
        return value if all(_held(one, limit) == one for one in value) else None
    return value


def from_arrow(table: Table, read: pa.Table | pa.RecordBatch) -> list[Any]:
    """The rows of a table; undeclared columns are dropped, missing columns are None.

    Maps and structs become dicts.
    """
    there = set(read.schema.names)
    columns = [
        plain_column(read.column(name)) if name in there else repeat(None, read.num_rows) for name in table.schema.names
    ]
    return list(map(table.row_class, *columns))


def plain_column(column: pa.Array | pa.ChunkedArray) -> Iterable[object]:
    """The values of a column as Python objects; maps as dicts, times as datetimes in UTC."""
    if pa.types.is_timestamp(column.type):
        return [*map(_instant, column.cast(pa.timestamp("us")).cast(pa.int64()).to_pylist())]
    if pa.types.is_string(column.type):
        return _shared(column)
    if pa.types.is_map(column.type):
        return [one for chunk in _chunks(column) for one in _maps(chunk)]
    in_utc = _with_times_in_utc(column.type)
    values: list[Any] = (column if in_utc == column.type else column.cast(in_utc)).to_pylist()
    return _alike(values) if pa.types.is_list(column.type) and pa.types.is_primitive(column.type.value_type) else values


def _chunks(column: pa.Array | pa.ChunkedArray) -> Sequence[Any]:
    return column.chunks if isinstance(column, pa.ChunkedArray) else (column,)


def _maps(column: pa.MapArray) -> Iterator[dict[object, object] | None]:
    """The maps of a column as dicts that share the strings of keys and values."""
    offsets = column.offsets.to_pylist()
    first, end = offsets[0], offsets[-1]
    keys = list(plain_column(column.keys.slice(first, end - first)))
    items = list(plain_column(column.items.slice(first, end - first)))
    for is_there, begin, stop in zip(column.is_valid().to_pylist(), offsets, offsets[1:], strict=False):
        at, to = begin - first, stop - first
        yield dict(zip(keys[at:to], items[at:to], strict=True)) if is_there else None


def _alike(lists: list[list[object] | None]) -> list[list[object] | None]:
    """The lists of a column; equal lists share one object to save memory."""
    seen: dict[tuple[object, ...], list[object]] = {}
    return [None if one is None else seen.setdefault(tuple(one), one) for one in lists]


def _shared(column: pa.Array | pa.ChunkedArray) -> list[str | None]:
    """The strings of a column; equal strings share one object to save memory."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    encoded = column.dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    return [None if at is None else texts[at] for at in encoded.indices.to_pylist()]


def _instant(micros: int | None) -> datetime | None:
    """The time of microseconds since 1970. (Arrow's own conversion looks up the time zone by name for each value.)"""
    return None if micros is None else _EPOCH + timedelta(microseconds=micros)


def _with_times_in_utc(type_: pa.DataType) -> pa.DataType:
    """The type with its timestamps in UTC; the Parquet files that Spark writes have timestamps without a zone."""
    if pa.types.is_timestamp(type_):
        return _SIMPLE["timestamp"]
    if pa.types.is_list(type_):
        return pa.list_(_with_times_in_utc(type_.value_type))
    if pa.types.is_struct(type_):
        return pa.struct([pa.field(field.name, _with_times_in_utc(field.type)) for field in type_])
    return type_


def with_column(batch: pa.RecordBatch, name: str, values: pa.Array) -> pa.RecordBatch:
    """`batch` with one column replaced. (`RecordBatch.set_column` needs a later pyarrow than the minimum version.)"""
    arrays = [values if field.name == name else column for field, column in zip(batch.schema, batch.columns)]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)
