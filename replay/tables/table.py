"""A table: the meaning of one row, its key, and every column with its type and meaning.

A table is declared once, as the class of its rows; `table_of` derives what Spark, the documentation and the checks
need:

    @row("leader_epochs", key=("topic", "partition", "leader_epoch"))
    class LeaderEpoch(Row):
        # its docstring: One leader epoch of one partition.
        leader_id: int | MaybeNone = column("Broker that leads; -1 while the partition has no leader.")

Timestamps are UTC instants, corrected for zone and clock skew. Spans are half-open, `end_ts` null while open. `-1`
leads = no leader.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
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
)

from replay.errors import SchemaError
from replay.tables.row import Row

INT, LONG, DOUBLE, STRING, BOOLEAN, TIMESTAMP = (
    IntegerType(),
    LongType(),
    DoubleType(),
    StringType(),
    BooleanType(),
    TimestampType(),
)
INTS, STRINGS, TIMESTAMPS = ArrayType(IntegerType()), ArrayType(StringType()), ArrayType(TimestampType())
Long = Annotated[int, LONG]  # a Python int whose column is 64 bits wide
Longs = Annotated[Sequence[int], ArrayType(LONG)]

_SPARK_TYPES: Mapping[Any, DataType] = {
    int: INT,
    float: DOUBLE,
    str: STRING,
    bool: BOOLEAN,
    datetime: TIMESTAMP,
    Sequence[int]: INTS,
    Sequence[str]: STRINGS,
    Sequence[datetime]: TIMESTAMPS,
    Mapping[str, str]: MapType(STRING, STRING),
}

R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class TableColumn:
    """A column with its meaning."""

    name: str
    type: DataType
    meaning: str


def column(meaning: str) -> Any:
    """A column of a row class with its meaning; the annotation gives its type."""
    return dataclasses.field(default=None, metadata={"meaning": meaning})


@dataclass_transform(frozen_default=True)
def row(table: str, key: Sequence[str] | None = None) -> Callable[[type[R]], type[R]]:
    """Declares a class as the rows of the table with this name; rows have slots and are immutable. Without `key`,
    the table has the key of the class that it extends.
    """

    def declared(cls: type[R]) -> type[R]:
        for name in inspect.get_annotations(cls):
            # Several tables may share a column; each class needs its own field.
            setattr(cls, name, column(vars(cls)[name].metadata["meaning"]))
        made = dataclasses.dataclass(slots=True, eq=False, repr=False, match_args=False)(cls)
        inherited: Table | None = next((_TABLES[base] for base in cls.__mro__ if base in _TABLES), None)
        own_key = tuple(key) if key is not None else inherited.key if inherited is not None else ()
        _TABLES[made] = Table(table, " ".join((cls.__doc__ or "").split()), own_key, made)
        return made

    return declared


def _columns(cls: Any) -> tuple[TableColumn, ...]:
    """The columns of a row class, those of its base class first."""
    hints = get_type_hints(cls, include_extras=True)
    return tuple(
        TableColumn(field.name, _spark_type(hints[field.name]), field.metadata["meaning"])
        for field in dataclasses.fields(cls)
    )


def _spark_type(hint: Any) -> DataType:
    """The Spark type of an annotation: `int`, `Long`, `Sequence[str] | MaybeNone`, `Annotated[…, <a Spark type>]`."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(one for one in get_args(hint) if one is not Any and one is not NoneType)
    if get_origin(hint) is Annotated:
        spark_type: DataType = get_args(hint)[1]
        return spark_type
    return _SPARK_TYPES[hint]


def declared_tables() -> Collection[Table]:
    """The tables of all row classes in the imported modules."""
    return _TABLES.values()


def table_of(cls: type[Row]) -> Table:
    """The table whose rows are instances of this class."""
    return _TABLES[cls]


@dataclass(frozen=True)
class Table:
    """The contract of a table."""

    name: str
    row: str
    key: tuple[str, ...]
    row_class: type[Any] = dataclasses.field(compare=False)

    def __getitem__(self, name: str) -> Any:
        """The declaration of a column, for reuse in another table."""
        return self.row_class.__dataclass_fields__[name]

    def renamed(self, name: str) -> Table:
        """The same rows at an earlier step, under a separate name."""
        return dataclasses.replace(self, name=name)

    @cached_property
    def columns(self) -> tuple[TableColumn, ...]:
        return _columns(self.row_class)

    @cached_property
    def schema(self) -> StructType:
        return StructType([StructField(c.name, c.type) for c in self.columns])

    def of(self, frame: DataFrame) -> DataFrame:
        """Exactly this table's columns of `frame`, in order, with their types; raises SchemaError if one is missing."""
        missing = [c.name for c in self.columns if c.name not in frame.columns]
        if missing:
            raise SchemaError(f"{self.name} lacks {', '.join(missing)}")
        return frame.select(*[F.col(c.name) for c in self.columns]).to(self.schema)

    def rows(self, frame: DataFrame, **given: Column) -> DataFrame:
        """This table's columns, cast to their types: those `given`, else those of `frame`, else null."""
        unknown = [name for name in given if name not in self.schema.names]
        if unknown:
            raise SchemaError(f"{self.name} has no {', '.join(unknown)}")
        there = set(frame.columns)
        values = {name: F.col(name) if name in there else F.lit(None) for name in self.schema.names} | given
        return frame.select(*[values[c.name].cast(c.type).alias(c.name) for c in self.columns])

    def empty(self, spark: SparkSession) -> DataFrame:
        """The table as an empty frame."""
        return without_rows(spark, self.schema)


def without_rows(spark: SparkSession, schema: StructType) -> DataFrame:
    """An empty frame with these columns."""
    return spark.range(0).select(*[F.lit(None).cast(field.dataType).alias(field.name) for field in schema])


_TABLES: dict[type[Any], Table] = {}
