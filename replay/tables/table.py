"""What a table is: the meaning of one row, its key, and every column with its type and what it tells.

The documentation (docs/tables.md), the empty tables and the checks at the end of each stage are made from these
declarations; nothing about a table is said twice. Timestamps are UTC instants, corrected for zone and clock skew. Spans
are half-open, `end_ts` null while open. `-1` leads = no leader.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from replay.errors import SchemaError
from replay.tables.row import Row, row_class

INT, LONG, DOUBLE, STRING, BOOLEAN, TIMESTAMP = (
    IntegerType(),
    LongType(),
    DoubleType(),
    StringType(),
    BooleanType(),
    TimestampType(),
)
INTS, STRINGS, TIMESTAMPS = ArrayType(IntegerType()), ArrayType(StringType()), ArrayType(TimestampType())


@dataclass(frozen=True)
class TableColumn:
    """A column with its meaning."""

    name: str
    type: DataType
    meaning: str


def column(name: str, type: DataType, meaning: str) -> TableColumn:
    """A column of a table: its name, its Spark type, and what it tells."""
    return TableColumn(name, type, meaning)


@dataclass(frozen=True)
class Table:
    """A table's contract."""

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[TableColumn, ...]

    @property
    def schema(self) -> StructType:
        return StructType([StructField(c.name, c.type) for c in self.columns])

    @cached_property
    def row_class(self) -> type[Row]:
        """The class of its rows in plain Python."""
        return row_class(self.name, [c.name for c in self.columns])

    def of(self, frame: DataFrame) -> DataFrame:
        """Exactly this table's columns of `frame`, in order, with their types; raises SchemaError if one is missing."""
        missing = [c.name for c in self.columns if c.name not in frame.columns]
        if missing:
            raise SchemaError(f"{self.name} lacks {', '.join(missing)}")
        return frame.select(*[F.col(c.name) for c in self.columns]).to(self.schema)

    def rows(self, frame: DataFrame, **given: Column) -> DataFrame:
        """This table's columns: those `given`, else those of `frame`, else null; each in its type."""
        unknown = [name for name in given if name not in self.schema.names]
        if unknown:
            raise SchemaError(f"{self.name} has no {', '.join(unknown)}")
        there = set(frame.columns)
        values = {name: F.col(name) if name in there else F.lit(None) for name in self.schema.names} | given
        return frame.select(*[values[c.name].cast(c.type).alias(c.name) for c in self.columns])

    def extended(self, name: str, row: str, *more: TableColumn, key: tuple[str, ...] | None = None) -> Table:
        """A table of another name with this one's columns and `more`."""
        return Table(name, row, key or self.key, (*self.columns, *more))

    def empty(self, spark: SparkSession) -> DataFrame:
        """The table without rows."""
        return without_rows(spark, self.schema)


def without_rows(spark: SparkSession, schema: StructType) -> DataFrame:
    """A frame of these columns that has no row."""
    return spark.range(0).select(*[F.lit(None).cast(field.dataType).alias(field.name) for field in schema])
