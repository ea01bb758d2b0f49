"""The verdicts of records in SQL: `SELECT * FROM reconcile(TABLE(acked))`.

The function reads all rows in one worker, because the records themselves bound the clocks of the applications and their
order decides; for many records `Replay.reconcile` is the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
from pyspark.sql import Row, SparkSession
from pyspark.sql.functions import udtf
from pyspark.sql.types import IntegerType, StringType, StructField, StructType, TimestampNTZType
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult

from pipelines.package import hand_to_workers
from pipelines.reconciliation.questions import Logs
from pipelines.reconciliation.records import VERDICT_COLUMNS, columns_given, columns_of, records_of
from pipelines.reconciliation.without_spark import verdicts

_VERDICT = [StructField(name, IntegerType() if "epoch" in name else StringType()) for name in VERDICT_COLUMNS]
_EPOCH = date(1970, 1, 1)


@dataclass
class Asked(AnalyzeResult):
    """What one call asks: where the columns are, and how the times are to be read."""

    used: Mapping[str, int] = None  # type: ignore[assignment]  # the place of each column, by its meaning
    utc: bool = False
    time_is: str = "acknowledged"
    clock_error: float | None = None  # seconds


def register(spark: SparkSession, name: str, logs: Logs) -> None:
    """Register the table function in a session, for the logs of one result."""
    hand_to_workers(spark)

    class Reconcile(_Reconcile):
        @staticmethod
        def analyze(
            records: AnalyzeArgument,
            columns: AnalyzeArgument | None = None,
            time_is: AnalyzeArgument | None = None,
            clock_error: AnalyzeArgument | None = None,
        ) -> Asked:
            """The columns of the records and of their verdicts."""
            return _asked(records, *(None if one is None else one.value for one in (columns, time_is, clock_error)))

        def __init__(self, asked: Asked) -> None:
            super().__init__(asked, logs)

    spark.udtf.register(name, udtf(Reconcile))  # type: ignore[arg-type]


def _asked(records: AnalyzeArgument, columns: str | None, time_is: str | None, clock_error: float | None) -> Asked:
    schema = records.dataType
    assert isinstance(schema, StructType)
    used = columns_of(schema.names, columns_given(columns or ""), "the table")
    result = StructType([*schema.fields, *_VERDICT])
    utc = "time" in used and isinstance(schema[used["time"]].dataType, TimestampNTZType)
    places = {name: schema.names.index(column) for name, column in used.items()}
    error = None if clock_error is None else float(clock_error)
    return Asked(result, True, used=places, utc=utc, time_is=time_is or "acknowledged", clock_error=error)


class _Reconcile:
    """All records, then each with its verdict."""

    def __init__(self, asked: Asked, logs: Logs) -> None:
        self._asked, self._logs = asked, logs
        self._rows: list[tuple[Any, ...]] = []

    def eval(self, records: Row, **_options: object) -> None:
        """Keep one record."""
        self._rows.append(tuple(records))

    def terminate(self) -> Iterator[tuple[Any, ...]]:
        """The records with their verdicts."""
        if not self._rows:
            return
        asked = self._asked
        named = {name: self._column(name, place) for name, place in asked.used.items()}
        records = records_of(pa.table(named), "the table", "sql", {}, None, asked.time_is, None)
        error = None if asked.clock_error is None else round(asked.clock_error * 1_000_000)
        added = verdicts(records, self._logs, error).columns()
        columns = [values.to_pylist() for values in added.values()]
        for row, *values in zip(self._rows, *columns, strict=True):
            yield (*row, *values)

    def _column(self, name: str, place: int) -> pa.Array:
        values = [row[place] for row in self._rows]
        return pa.array([_micros(one, utc=self._asked.utc) for one in values] if name == "time" else values)


def _micros(value: Any, *, utc: bool) -> Any:
    """A time as microseconds since 1970; a number or a text as it is. Spark gives the times of most columns in this
    machine's zone.
    """
    if isinstance(value, datetime):
        return round((value.replace(tzinfo=UTC) if utc else value.astimezone(UTC)).timestamp() * 1_000_000)
    return (value - _EPOCH).days * 86_400_000_000 if isinstance(value, date) else value
