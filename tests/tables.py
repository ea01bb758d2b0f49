"""Tables as text, so that a test shows its input and output.

    ts       | kind         | topic  | partition | isr | details | life:int
    10:00:01 | leader_start | orders | 3         | 1,2 | dir=/d1 | 0

The first line names the columns. Their types are the table's; a column that the table does not have names its type
after a colon. A blank cell is null, `[]` an empty array, `''` an empty string; a time without a date is on `DAY`, in
UTC.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time
from typing import Annotated, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
    _parse_datatype_string,
)

from replay.catalogue.kinds import KINDS
from replay.tables import EVENTS, STRING, Table, column
from replay.tables.arrow import arrow_schema, from_arrow
from replay.tables.reading import FACTS
from replay.tables.row import Row
from replay.tables.table import row, table_of

DAY = date(2024, 5, 1)
_OF_WITNESSES = r"(checkpoint|described|dump|gc|jvm|server_setting|meta_properties|quorum|znode|zookeeper)(_|$)"  # the kinds of `replay.reading.witnesses`

Columns = Table | StructType | str  # a table of the contract, or the columns of a frame inside a stage, also as DDL


def table(spark: SparkSession, columns: Columns, text: str) -> DataFrame:
    """The rows of `text` with all columns of the table; unnamed columns are null.

    Events without these columns are numbered: `event_id` is e1, e2 … and `line_number` 1, 2 … in the order of the
    text.
    """
    rows, whole = _rows(columns, text)
    return spark.createDataFrame(rows, whole)


def arrow_table(columns: Table, text: str) -> pa.Table:
    """The rows of `text` as they are read from a result, without Spark."""
    return _rows(columns, text)[0]


def _rows(columns: Columns, text: str) -> tuple[pa.Table, StructType]:
    schema = _schema(columns)
    header, rows = _read(text, schema)
    if columns in (EVENTS, FACTS):
        header, rows = _numbered(header, rows)
        _known_kinds(header, rows)
    types = {**{f.name: f.dataType for f in schema.fields}, **dict(header)}
    whole = StructType([StructField(name, type_) for name, type_ in types.items()])
    named = [name for name, _ in header]
    cells = {name: [row[named.index(name)] if name in named else None for row in rows] for name in types}
    arrow = arrow_schema(whole)
    return pa.table({f.name: pa.array(cells[f.name], f.type) for f in arrow}, schema=arrow), whole


def _known_kinds(header: list[tuple[str, DataType]], rows: list[tuple]) -> None:
    """Fails for a kind of event that nothing produces, because no stage would ever see it. `any` stands for a kind
    that no stage uses.
    """
    at = next((index for index, (name, _) in enumerate(header) if name == "kind"), None)
    unknown = (
        {
            row[at]
            for row in rows
            if row[at] is not None and row[at] not in KINDS and not re.match(_OF_WITNESSES, row[at])
        }
        if at is not None
        else set()
    )
    assert not unknown - {"any"}, f"no line is of kind {sorted(unknown)}"


def rows(columns: Columns, text: str) -> list[Row]:
    """The rows of `text` in plain Python, with all columns of the table; unnamed columns are None."""
    read, _ = _rows(columns, text)
    whole = columns if isinstance(columns, Table) else _undeclared(read)
    return from_arrow(with_columns(whole, read), read)


def facts(text: str) -> list[Row]:
    """The events of `text` as plain Python rows (`FACTS`), each a separate row."""
    return [
        event.but(count=event.count or 1, last_ts=event.last_ts or event.ts, last_event_id=event.event_id)
        for event in rows(FACTS, text)
    ]


def with_columns(table: Table, read: pa.Table) -> Table:
    """The table with the additional columns of a text."""
    more = {name: STRING for name in read.schema.names if name not in table.schema.names}
    return table_of_test(table.name, more, extends=table) if more else table


def _undeclared(read: pa.Table) -> Table:
    return table_of_test("rows", dict.fromkeys(read.schema.names, STRING))


def table_of_test(name: str, columns: Mapping[str, DataType], *, extends: Table | None = None) -> Table:
    """A table for a test: its columns by name, after those of the table that it `extends`."""
    members: dict[str, Any] = {one: column("Of this test.") for one in columns}
    members["__annotations__"] = {one: Annotated[Any, type_] for one, type_ in columns.items()}
    members["__doc__"] = "One row."
    return table_of(row(name)(type("RowOfTest", (Row if extends is None else extends.row_class,), members)))


def same(actual: DataFrame, columns: Columns, text: str) -> None:
    """Fails unless `actual` holds exactly the rows of `text`, in any order; only the columns that the text names are compared."""
    schema = _schema(columns)
    header, expected = _read(text, schema)
    for name, type_ in header:
        assert name in actual.columns, f"no column {name} in {actual.columns}"
        found, wanted = (
            actual.schema[name].dataType.simpleString(),
            type_.simpleString(),
        )  # whether it may contain nulls is not compared
        assert found == wanted, f"{name} is {found}, not {wanted}"
    names = [name for name, _ in header]
    rows = [tuple(row) for row in actual.select(*names).collect()]
    assert _shown(names, rows) == _shown(names, expected)


def same_rows(actual: Iterable[Mapping[str, Any] | Row], columns: Columns, text: str) -> None:
    """Fails unless `actual` are exactly the rows of `text`, in any order; only the columns that the text names are compared."""
    header, expected = _read(text, _schema(columns))
    names = [name for name, _ in header]
    found = [tuple(row[name] if isinstance(row, Mapping) else getattr(row, name) for name in names) for row in actual]
    assert _shown(names, found) == _shown(names, expected)


def of_each_partition(make: Callable[..., Iterable[Row]], *tables: Iterable[Row], **facts: Any) -> list[Row]:
    """The results of a function of the pass over partitions for the rows of each topic and partition; `facts` are
    the same for all.
    """
    own: dict[tuple[str, int], list[list[Row]]] = defaultdict(lambda: [[] for _ in tables])
    for at, of_table in enumerate(tables):
        for one in of_table:
            own[one.topic, one.partition][at].append(one)
    return [one for of_key in own.values() for one in make(*of_key, **facts)]


def in_orders_0(of_table: Iterable[Row]) -> list[Row]:
    """Rows without a partition, in partition 0 of topic `orders` (the first topic of that name)."""
    found = []
    for one in of_table:
        blank = {"topic": "orders", "partition": 0, "life": 0}
        names = [name for name in blank if hasattr(one, name) and getattr(one, name) is None]
        found.append(one.but(**{name: blank[name] for name in names}))
    return found


def _schema(columns: Columns) -> StructType:
    if isinstance(columns, Table):
        return columns.schema
    return columns if isinstance(columns, StructType) else _ddl(columns)


# Types that can be parsed without a session.
_SIMPLE: dict[str, DataType] = {
    "string": StringType(),
    "int": IntegerType(),
    "long": LongType(),
    "bigint": LongType(),
    "double": DoubleType(),
    "boolean": BooleanType(),
    "timestamp": TimestampType(),
}


def _ddl(text: str) -> Any:
    return _SIMPLE.get(text.strip()) or _parse_datatype_string(text)


def _read(text: str, schema: StructType) -> tuple[list[tuple[str, DataType]], list[tuple]]:
    """The columns that a text names, with their types, and its rows."""
    lines = [line for line in text.splitlines() if line.strip()]
    known = {field.name: field.dataType for field in schema.fields}
    header = []
    for word in lines[0].split("|"):
        name, _, type_ = word.strip().partition(":")
        assert type_ or name in known, f"no column {name!r} in the table; a column of its own says its type: {name}:int"
        header.append((name, _ddl(type_) if type_ else known[name]))
    rows = []
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.split("|")]
        assert len(cells) == len(header), f"{len(cells)} cells, {len(header)} columns: {line.strip()}"
        rows.append(tuple(_value(cell, type_) for cell, (_, type_) in zip(cells, header, strict=True)))
    return header, rows


def _numbered(header: list[tuple[str, DataType]], rows: list[tuple]) -> tuple[list[tuple[str, DataType]], list[tuple]]:
    named = {name for name, _ in header}
    for name, type_, numbers in (
        ("event_id", StringType(), [f"e{n + 1}" for n in range(len(rows))]),
        ("line_number", LongType(), range(1, len(rows) + 1)),
    ):
        if name not in named:
            header = [*header, (name, type_)]
            rows = [(*row, number) for row, number in zip(rows, numbers, strict=True)]
    return header, rows


def _value(cell: str, type_: DataType) -> Any:
    if cell == "":
        return None
    if isinstance(type_, ArrayType):
        return [] if cell == "[]" else [_value(item.strip(), type_.elementType) for item in cell.split(",")]
    if isinstance(type_, MapType):
        return {} if cell == "{}" else dict(entry.strip().split("=", 1) for entry in cell.split(";"))
    if isinstance(type_, TimestampType):
        return _time(cell)
    if isinstance(type_, BooleanType):
        return {"true": True, "false": False}[cell]
    if isinstance(type_, IntegerType | LongType):
        return int(cell)
    if isinstance(type_, DoubleType):
        return float(cell)
    assert isinstance(type_, StringType), f"no way to write a {type_.simpleString()}"
    return "" if cell == "''" else cell


def _time(cell: str) -> datetime:
    if "T" in cell:
        return datetime.fromisoformat(cell).replace(tzinfo=UTC)
    return datetime.combine(DAY, time.fromisoformat(cell), tzinfo=UTC)


def _shown(names: list[str], rows: list[tuple]) -> str:
    """Rows as aligned text in a fixed order, for comparison and for reading."""
    cells = [names, *sorted([[_cell(value) for value in row] for row in rows])]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    return "\n".join(
        " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        local = value.astimezone(UTC) if value.tzinfo else value.astimezone().astimezone(UTC)
        return local.time().isoformat() if local.date() == DAY else local.replace(tzinfo=None).isoformat()
    if isinstance(value, list):
        return ",".join(map(_cell, value)) or "[]"
    if isinstance(value, dict):
        return ";".join(f"{k}={v}" for k, v in sorted(value.items())) or "{}"
    if isinstance(value, bool):
        return str(value).lower()
    return "''" if value == "" else str(value)
