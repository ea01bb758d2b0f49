"""Results of many incidents in one schema of a catalog: a managed Delta table for each table of a result.

Every table has the column `incident` and is clustered by it. A run replaces the rows of its incident in one
transaction per table.
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.store import FILES, RECORDS
from pipelines.volumes import spark_path
from replay.errors import InputError, OutputError
from replay.tables import DECLARED, TABLES
from replay.tables.reading import PRINTED
from replay.tables.results import STORED_RESULTS
from replay.tables.table import Table, without_rows

INCIDENT = "incident"
_INCIDENT = "Name of the incident, as the run was given it."
_SCHEMA = re.compile(r"[\w-]+(\.[\w-]+)?")
_AT_ONCE = 4  # tables: a commit is mostly waiting for the catalog and the storage
# What every table of the schema holds, newest incident first.
ALL_INCIDENTS = """\
SELECT r.incident, i.severity, i.title, i.start_ts, i.end_ts, i.is_over, i.lost_committed, r.analyzed_ts, r.inputs
FROM {schema}.results AS r LEFT JOIN {schema}.incidents AS i ON i.incident = r.incident
ORDER BY coalesce(i.start_ts, r.analyzed_ts) DESC, r.incident"""


class IncidentTables:
    """The tables of a schema (`ops.incidents`: a catalog and its schema, or a schema of the session's catalog). Raises
    InputError for an invalid name.
    """

    def __init__(self, spark: SparkSession, schema: str) -> None:
        if _SCHEMA.fullmatch(schema) is None:
            raise InputError(f"{schema}: name a schema, or a catalog and its schema, as in ops.incidents")
        self.spark, self.schema = spark, schema
        self._quoted = ".".join(f"`{part}`" for part in schema.split("."))

    def prepare(self) -> None:
        """Create the schema and the table of results if they do not exist. Raises OutputError if that is refused."""
        try:
            if not self.spark.catalog.databaseExists(self.schema):
                self.spark.sql(f"CREATE SCHEMA IF NOT EXISTS {self._quoted}")
            self._create(STORED_RESULTS)
        except (PySparkException, Py4JError) as error:
            raise OutputError(
                f"{self.schema}: Delta tables cannot be made in this schema: {_first_line(error)}"
            ) from error

    def write(self, result: Path, incident: str, *, was: datetime | None = None) -> None:
        """Replace the rows of `incident` by those of the result in the folder `result`, the table of results last.

        `was`: the time of the result that files were added to. Raises OutputError if another run has replaced that
        result, or if a table cannot be written.
        """
        try:
            if was is not None and self.analyzed(incident) != was:
                raise OutputError(f"{self.schema}: another run replaced the incident {incident!r} meanwhile")
            with ThreadPoolExecutor(_AT_ONCE) as several:
                list(several.map(lambda table: self._replace(table, result, incident), _ALL))
            self._overwrite(STORED_RESULTS, _stored(self.spark, result), incident)
        except (PySparkException, Py4JError, OSError) as error:
            raise OutputError(f"{self.schema}: the tables cannot be written: {_first_line(error)}") from error

    def analyzed(self, incident: str) -> datetime | None:
        """When the result of an incident was written; None if the schema holds none."""
        if not self._is_there(STORED_RESULTS.name):
            return None
        row = self.rows_of(STORED_RESULTS.name, incident).select(F.unix_micros("analyzed_ts")).first()
        return None if row is None else datetime.fromtimestamp(row[0] / 1_000_000, UTC)

    def incidents(self) -> DataFrame:
        """The incidents that the schema holds, the newest first."""
        if not self._is_there(STORED_RESULTS.name):
            raise InputError(
                f"{self.schema}: holds no incidents; write one with Replay.analyze(…, catalog_schema=…, incident=…)"
            )
        return self.spark.sql(ALL_INCIDENTS.format(schema=self._quoted))

    def of(self, incident: str) -> StoredIncident:
        """One incident. Raises InputError if the schema does not hold it."""
        if self.analyzed(incident) is None:
            ids = [str(row[0]) for row in self.incidents().select(INCIDENT).distinct().limit(10).collect()]
            raise InputError(f"{self.schema}: holds no incident {incident!r}; it holds {', '.join(ids) or 'none'}")
        return StoredIncident(self, incident)

    def rows_of(self, table: str, incident: str) -> DataFrame:
        """The rows of an incident, with the columns that the table declares."""
        rows = self.spark.table(self._name(table)).where(F.col(INCIDENT) == F.lit(incident))
        declared = DECLARED[table]
        return declared.of(rows) if set(declared.schema.names) <= set(rows.columns) else declared.rows(rows)

    def names(self) -> frozenset[str]:
        """The tables of the schema."""
        return frozenset(row.tableName for row in self.spark.sql(f"SHOW TABLES IN {self._quoted}").collect())

    def _name(self, table: str) -> str:
        return f"{self._quoted}.`{table}`"

    def _is_there(self, table: str) -> bool:
        return self.spark.catalog.tableExists(self._name(table))

    def _create(self, table: Table) -> None:
        columns = [(INCIDENT, "STRING NOT NULL", _INCIDENT)]
        columns += [(one.name, one.type.simpleString(), one.meaning) for one in table.columns]
        declared = ", ".join(f"`{name}` {kind} COMMENT {_literal(meaning)}" for name, kind, meaning in columns)
        self.spark.sql(
            f"CREATE TABLE IF NOT EXISTS {self._name(table.name)} ({declared}) USING delta "
            f"CLUSTER BY (`{INCIDENT}`) COMMENT {_literal(table.row)}"
        )

    def _replace(self, table: Table, result: Path, incident: str) -> None:
        """Replace the rows of `incident`; a new table only gets rows."""
        folder = result / (RECORDS if table is PRINTED else "tables") / table.name
        is_new = not self._is_there(table.name)
        if is_new:
            self._create(table)
        if folder.is_dir():
            rows = self.spark.read.schema(table.schema).parquet(spark_path(folder))
            if not (is_new and _is_empty(folder)):
                self._overwrite(table, rows, incident)
        elif not is_new:
            self._overwrite(table, without_rows(self.spark, table.schema), incident)

    def _overwrite(self, table: Table, rows: DataFrame, incident: str) -> None:
        named = rows.select(F.lit(incident).alias(INCIDENT), *rows.columns)
        # A newer release may have more columns than the one that created the table.
        writer = named.writeTo(self._name(table.name)).option("mergeSchema", "true")
        writer.overwrite(F.col(INCIDENT) == F.lit(incident))


class StoredIncident:
    """One incident of a schema, as `Replay` reads it."""

    def __init__(self, tables: IncidentTables, incident: str) -> None:
        self._tables, self.incident = tables, incident

    def __str__(self) -> str:
        return f"{self._tables.schema}, incident {self.incident}"

    def frame(self, name: str) -> DataFrame:
        """A table of the incident; empty if the release that wrote the incident did not have it."""
        if name not in self._there:
            return DECLARED[name].empty(self._tables.spark)
        return self._tables.rows_of(name, self.incident)

    @cached_property
    def _there(self) -> frozenset[str]:
        return self._tables.names()

    def page(self) -> str:
        """The page."""
        return str(self._one("report_html"))

    def laid_down(self, folder: Path) -> None:
        """Write what `append` starts from into `folder`, in the form of a result. Raises InputError if the incident
        kept nothing for that.
        """
        stored = self._one("files_json")
        if stored is None:
            raise InputError(f"{self}: keeps no records, because names are replaced in it; analyze all files together")
        for name in ("events", "findings"):
            (folder / "tables" / name).mkdir(parents=True)
        self.frame(PRINTED.name).write.parquet(spark_path(folder / RECORDS / PRINTED.name))
        (folder / RECORDS / FILES).write_text(str(stored), encoding="utf-8")

    def _one(self, column: str) -> object:
        row = self.frame(STORED_RESULTS.name).select(column).first()
        if row is None:
            raise InputError(f"{self}: is not there any more")
        return row[0]


_ALL = (*TABLES, PRINTED)


def _is_empty(folder: Path) -> bool:
    return not any(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))


def _stored(spark: SparkSession, result: Path) -> DataFrame:
    files = (result / RECORDS / FILES).read_text(encoding="utf-8")
    content = json.loads(files)
    page, findings = ((result / name).read_text(encoding="utf-8") for name in ("report.html", "findings.json"))
    kept = None if content.get("redacted") else files
    row = (datetime.now(UTC), content["release"], list(content.get("inputs", [])), page, findings, kept)
    return spark.createDataFrame([row], STORED_RESULTS.schema)


def _literal(text: str) -> str:
    """`text` as a string of SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]
