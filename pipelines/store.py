"""Tables to and from Parquet. A result folder appears whole or not at all; the old one stays until then."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import stat
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from pipelines.scratch import Owned, left_behind, raise_if_gone
from pipelines.volumes import move_folder, spark_path
from replay.errors import OutputError, SchemaError
from replay.passes import MADE_ROWS, of_stream, unpacked
from replay.tables.arrow import arrow_schema, from_arrow, to_arrow
from replay.tables.row import Row
from replay.tables.table import Table

RECORDS, FILES = "records", "files.json"  # the input of `append`: records as read, and their files
_OURS = (RECORDS, "tables", "findings.json", "report.html")
_EARLIER = "earlier"
_BATCH_ROWS, _OBJECT_ROWS = 65_536, 10_000  # rows held at once: as Arrow only, and as Python's objects too
_PASS_ROWS = 50  # rows of a pass that are read at once: each is the stream of a table's rows of up to 500 keys
_JOBS_AT_ONCE = 4  # small jobs of Spark
_OF_A_DISK = "lost+found"  # entries of a file system's root
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD, RENAME_EXCHANGE


class StoppedAfter(KeyboardInterrupt):
    """Raised if the run was asked to end after its result was put at `out`."""

    def __init__(self, out: Path) -> None:
        super().__init__()
        self.out = out


class _Writer:
    """Writes Arrow batches to a Parquet file, with its columns and types."""

    def __init__(self, file: pq.ParquetWriter) -> None:
        self._file = file

    def write(self, batch: pa.RecordBatch) -> None:
        schema = self._file.schema
        self._file.write_table(pa.Table.from_batches([batch.select(schema.names)]).cast(schema))


@dataclass(frozen=True)
class _Made:
    """The rows of one table that a pass made in Spark's workers: the folder of the pass, with a folder for each table."""

    folder: Path
    table: Table

    @property
    def place(self) -> Path:
        """The folder of the table."""
        return self.folder / f"table={self.table.name}"

    def parts(self) -> list[Path]:
        """The files with its rows; none if the pass made no row."""
        return sorted(self.place.glob("*.parquet"))

    def count(self) -> int:
        return sum(pc.sum(pq.read_table(part, columns=["count"])["count"]).as_py() or 0 for part in self.parts())

    def batches(self, columns: Sequence[str] | None, rows: int) -> Iterator[pa.RecordBatch]:
        """The rows as Arrow batches, with only these columns."""
        for part in self.parts():
            for batch in pq.ParquetFile(part).iter_batches(_PASS_ROWS, columns=["rows"]):
                for stream in batch.column("rows"):
                    some = of_stream(stream.as_buffer())
                    wanted = (
                        some
                        if columns is None
                        else some.select([name for name in columns if name in some.schema.names])
                    )
                    yield from wanted.to_batches(rows)


class Store:
    """Where stages write their tables: `keep` for tables of the result, `set_down` for tables that only later stages
    need.
    """

    def __init__(self, spark: SparkSession, result: Path, work: Path) -> None:
        self._spark, self._tables, self._between = spark, result / "tables", work / "between"
        self._records = result / RECORDS
        self._in_memory: dict[str, Sequence[Row]] = {}
        self._tables_of: dict[str, Table] = {}
        self._frames: dict[str, DataFrame] = {}
        self._made: dict[str, _Made] = {}
        self._framing = threading.Lock()
        self._one_partition = spark.conf.get("spark.sql.shuffle.partitions") == "1"

    def keep(self, name: str, frame: DataFrame) -> DataFrame:
        """`frame` as a table of the result, read back: later stages start from the written files."""
        return self._write(self._tables / name, frame)

    def keep_read(self, name: str, frame: DataFrame) -> DataFrame:
        """`frame` next to the tables of the result, for `append`; read back."""
        return self._write(self._records / name, frame)

    def keep_laid(self, name: str, laid: str) -> DataFrame:
        """The table `laid` of the work folder, moved next to the tables of the result; read back."""
        self._records.mkdir(parents=True, exist_ok=True)
        shutil.move(self._folder(laid), self._records / name)
        self._frames.pop(laid, None)
        self._tables_of[name] = self._tables_of[laid]
        return self.frame(name)

    def set_down(self, name: str, frame: DataFrame) -> DataFrame:
        """`frame` in the work folder, read back."""
        return self._write(self._between / name, frame)

    def set_down_changed(self, name: str, frame: DataFrame, change: Callable[[Path, Path], None]) -> DataFrame:
        """`frame` in the work folder, with its Parquet files changed by `change` (from, to), read back."""
        self._write(self._between / f"{name}-as-read", frame)
        change(self._between / f"{name}-as-read", self._between / name)
        shutil.rmtree(self._between / f"{name}-as-read")
        return self._reread(self._between / name, frame.schema)

    def hold(self, table: Table, rows: Sequence[Row], *, kept: bool = False, name: str | None = None) -> None:
        """Rows made in plain Python: written if they are `kept` in the result, else when Spark requests them."""
        named = name or table.name
        self._in_memory[named], self._tables_of[named] = rows, table
        if kept:
            self._write_rows(self._tables, named)

    def _write_rows(self, place: Path, name: str) -> None:
        folder = place / name
        folder.mkdir(parents=True)
        rows = to_arrow(self._tables_of[name], self._in_memory[name])
        pq.write_table(rows, folder / "part-00000.parquet", compression="snappy")

    def set_down_made(
        self, name: str, made: DataFrame, tables: Sequence[Table], kept: Collection[str], sums: Collection[str]
    ) -> None:
        """The tables that a pass made in Spark's workers (`MADE_ROWS`), written by them. Spark writes those in `kept` to
        the result; the rows of the others stay as the workers packed them.
        """
        folder = self._between / name
        made.write.partitionBy("table").parquet(spark_path(folder))
        self._made |= {table.name: _Made(folder, table) for table in tables}
        self._tables_of |= {table.name: table for table in tables}
        in_result = [table for table in tables if table.name in kept and table.name not in sums]
        with ThreadPoolExecutor(_JOBS_AT_ONCE) as jobs:
            list(jobs.map(self._write_made, in_result))

    def _write_made(self, table: Table) -> None:
        """Writes the rows that a pass made of a table of the result."""
        rows = self._unpacked(table.name)
        if rows is None:
            self._write_rows(self._tables, table.name)
        else:
            rows.select(*table.schema.names).write.parquet(spark_path(self._tables / table.name))

    def _unpacked(self, name: str) -> DataFrame | None:
        """The rows that a pass made of a table, as Spark unpacks them; None, and none in memory, if it made no row."""
        made = self._made[name]
        if not made.parts():
            self._in_memory[name] = []
            return None
        return unpacked(self._spark.read.schema(MADE_ROWS.schema).parquet(spark_path(made.place)), made.table)

    def batches(
        self, name: str, columns: Sequence[str] | None = None, rows: int = _BATCH_ROWS
    ) -> Iterator[pa.RecordBatch]:
        """The rows written under `name`, as Arrow batches of at most `rows` rows; only those of `columns` that
        exist.
        """
        if name in self._made and not self._is_written(name):
            yield from self._made[name].batches(columns, rows)
            return
        for part in self.parts(name):
            file = pq.ParquetFile(part, coerce_int96_timestamp_unit="us")
            there = file.schema_arrow.names
            wanted = None if columns is None else [name for name in columns if name in there]
            yield from file.iter_batches(rows, columns=wanted)

    def write_batches(self, name: str, table: Table, batches: Iterable[pa.RecordBatch], *, kept: bool = False) -> None:
        """Arrow batches with the columns of `table`, written under `name` (`kept`: as a table of the result)."""
        with self.writer(table, name, kept=kept) as writer:
            for batch in batches:
                writer.write(batch)

    def change_batches(
        self, name: str, table: Table, change: Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]
    ) -> None:
        """Writes the rows under `name` anew, changed by `change`."""
        folder, before = self._folder(name), f"{name}-before"
        shutil.move(folder, self._between / before)
        self._frames.pop(name, None)
        self.write_batches(name, table, change(self.batches(before)), kept=folder.parent == self._tables)

    @contextmanager
    def writer(self, table: Table, name: str, *, kept: bool = False) -> Iterator[_Writer]:
        """Writes Arrow batches with the columns of `table` under `name` (`kept`: as a table of the result)."""
        with self._file(table, name, kept) as file:
            yield _Writer(file)
        self._tables_of[name] = table

    def _file(self, table: Table, name: str, kept: bool) -> pq.ParquetWriter:
        folder = (self._tables if kept else self._between) / name
        folder.mkdir(parents=True)
        return pq.ParquetWriter(folder / "part-00000.parquet", arrow_schema(table.schema), compression="snappy")

    def frame(self, name: str) -> DataFrame:
        """The table held or written under `name`, as Spark reads it. Rows that a pass made in Spark's workers stay packed
        in its files: each reader unpacks them.
        """
        with self._framing:
            if name not in self._frames:
                is_packed = name in self._made and name not in self._in_memory and not self._is_written(name)
                packed = self._unpacked(name) if is_packed else None
                self._frames[name] = self._as_written(name) if packed is None else packed
            return self._frames[name]

    def _as_written(self, name: str) -> DataFrame:
        """The rows written under `name`; those in memory are written first."""
        if not self._is_written(name):
            self._write_rows(self._between, name)
        return self._reread(self._folder(name), self._tables_of[name].schema)

    def _places(self) -> tuple[Path, ...]:
        return self._tables, self._between, self._records

    def _is_written(self, name: str) -> bool:
        return any((place / name).is_dir() for place in self._places())

    def count(self, name: str) -> int:
        """How many rows were written under `name`."""
        if name in self._in_memory:
            return len(self._in_memory[name])
        if name in self._made and not self._is_written(name):
            return self._made[name].count()
        return sum(pq.read_metadata(part).num_rows for part in self.parts(name))

    def rows(self, name: str, table: Table | None) -> Sequence[Any]:
        """The rows written under `name`, in plain Python. Raises SchemaError for undeclared columns."""
        if table is None:
            raise SchemaError(f"{name} is not declared")
        if name not in self._in_memory:
            self._in_memory[name] = list(self.rows_of(name, table))
        return self._in_memory[name]

    def rows_of(self, name: str, table: Table, kinds: Collection[str] | None = None) -> Iterator[Any]:
        """The rows held or written under `name` with only the columns of `table`, one at a time; with `kinds`, only
        those of these kinds.
        """
        if name in self._in_memory:
            held = self._in_memory[name]
            yield from held if kinds is None else (row for row in held if row.kind in kinds)  # type: ignore[attr-defined]
            return
        wanted = None if kinds is None else pa.array(sorted(kinds))
        for batch in self.batches(name, table.schema.names, _OBJECT_ROWS):
            some = batch if wanted is None else batch.filter(pc.is_in(batch.column("kind"), wanted))
            yield from from_arrow(table, some)

    def batches_of(self, name: str, table: Table, kinds: Collection[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The rows held or written under `name` as Arrow batches with only the columns of `table`; with `kinds`,
        only those of these kinds.
        """
        columns = table.schema.names
        if name in self._in_memory:
            held = self._in_memory[name]
            some = (held[at : at + _BATCH_ROWS] for at in range(0, len(held), _BATCH_ROWS))
            batches: Iterable[Any] = (
                to_arrow(self._tables_of[name], rows).select(columns).to_batches()[0] for rows in some
            )
        else:
            batches = self.batches(name, columns)
        wanted = None if kinds is None else pa.array(sorted(kinds))
        for batch in batches:
            yield batch if wanted is None else batch.filter(pc.is_in(batch.column("kind"), wanted))

    def forget(self, names: Iterable[str]) -> None:
        """Remove the rows of these tables from memory. If files hold them, the next reader reads those."""
        for name in names:
            self._in_memory.pop(name, None)

    def parts(self, name: str) -> Sequence[Path]:
        """The Parquet files written under `name`."""
        return sorted(self._folder(name).glob("*.parquet"))

    def _folder(self, name: str) -> Path:
        return next(place / name for place in self._places() if (place / name).is_dir())

    def is_any(self, name: str, column: str) -> bool:
        """Whether this column is true in any row written under `name`."""
        return any(pc.any(pq.read_table(part, columns=[column])[column]).as_py() for part in self.parts(name))

    def counted(self, name: str, columns: Sequence[str]) -> Mapping[tuple[Any, ...], int]:
        """The combinations of values in some columns written under `name`, with the number of rows of each."""
        counts: Counter[tuple[Any, ...]] = Counter()
        for part in self.parts(name):
            read = pq.read_table(part, columns=[*columns])
            for one in read.group_by([*columns]).aggregate([([], "count_all")]).to_pylist():
                counts[tuple(one[column] for column in columns)] += one["count_all"]
        return counts

    def rows_with(self, name: str, table: Table, column: str, values: Collection[str]) -> Sequence[Any]:
        """The rows held or written under `name` that have one of these values in a column."""
        if name in self._in_memory:
            return [row for row in self._in_memory[name] if getattr(row, column) in values]
        chosen = pc.field(column).isin(pa.array(sorted(values), pa.string()))
        return [row for part in self.parts(name) for row in from_arrow(table, pq.read_table(part, filters=chosen))]

    def _write(self, path: Path, frame: DataFrame) -> DataFrame:
        frame.write.parquet(spark_path(path))
        written = self._frames[path.name] = self._reread(path, frame.schema)
        return written

    def _reread(self, path: Path, schema: StructType) -> DataFrame:
        written = self._spark.read.schema(schema).parquet(spark_path(path))
        # Spark shuffles a frame unless it knows that it has only one partition.
        return written.coalesce(1) if self._one_partition else written


def put_back(out: Path) -> None:
    """Restore the earlier result that a killed run had moved aside while it replaced `out`."""
    _Place(out, overwrite=True).clear_left_behind()


def check_place(out: Path) -> None:
    """Raises OutputError if no result may be written to `out`."""
    _Place(out, overwrite=False).check()


@contextmanager
def result_folder(
    out: Path, overwrite: bool, unchanged: tuple[Path, bytes] | None = None, *, shared: bool = False
) -> Iterator[Path]:
    """A folder that becomes `out` if the block succeeds, and is removed if it does not.

    `unchanged`: a file of `out` and its expected content. If the content differs when the block ends, another run
    was faster, and its result stays. `shared`: Spark's workers, which can be another user, write there too.

    A link is followed. If `out` cannot be replaced as a whole (a mount point, the current folder, a read-only
    parent), its entries are. Leftovers of killed runs are removed first. Raises OutputError if `out` exists and may
    not be replaced, holds files that no run wrote, or cannot be written; a finished result is never discarded.
    """
    place = _Place(out, overwrite, unchanged)
    place.check()
    place.clear_left_behind()
    try:
        partial = place.partial(shared)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written ({error.strerror}); give a folder you may write to") from error
    try:
        try:
            yield partial.path
            place.put(partial)
        except Exception as error:
            raise_if_gone(partial.path, error)
            raise
        finally:
            partial.remove()
    except KeyboardInterrupt as stop:
        if place.is_put:
            raise StoppedAfter(out) from stop
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(
                f"{out}: {error.strerror}; free space, or give a folder on another disk (and TMPDIR for the work in between)"
            ) from error
        raise


class _Place:
    """The path of a result."""

    def __init__(self, out: Path, overwrite: bool, unchanged: tuple[Path, bytes] | None = None) -> None:
        self._named, self._overwrite, self._unchanged = out, overwrite, unchanged
        self._out = Path(os.path.realpath(out))
        self._prefix = f".{self._out.name}-kafka-replay-"
        self.is_put = False

    def check(self) -> None:
        """Raises OutputError if the result must not be put there."""
        out, named = self._out, self._named
        if out.exists() and not out.is_dir():
            raise OutputError(f"{named}: is a file; give a folder for the result")
        if not out.is_dir():
            return
        there = sorted(name for name in os.listdir(out) if not name.startswith(self._prefix) and name != _OF_A_DISK)
        if there and not self._overwrite:
            raise OutputError(
                f"{named}: exists and is not empty; give another folder, or --overwrite to replace an earlier result"
            )
        stranger = next(_strangers(out, there), None)
        if stranger is not None:
            raise OutputError(f"{named}: holds {stranger}, which no earlier run wrote; give another folder")

    def _check_unchanged(self) -> None:
        if self._unchanged is not None:
            file, held = self._unchanged
            if not file.is_file() or file.read_bytes() != held:
                raise OutputError(f"{self._named}: another run replaced it at the same time")

    def partial(self, shared: bool = False) -> Owned:
        """A new folder for the result, on the same disk as its final path."""
        self._inside = self._is_fixed()
        if not self._inside:
            self._out.parent.mkdir(parents=True, exist_ok=True)
        return Owned(self._prefix, self._out if self._inside else self._out.parent, shared)

    def _is_fixed(self) -> bool:
        """Whether the folder itself must stay, so that only its entries are replaced."""
        out = self._out
        return out.is_dir() and (
            os.path.ismount(out)
            or _is_current(out)
            or not os.access(out.parent, os.W_OK | os.X_OK)
            or out.stat().st_dev != out.parent.stat().st_dev
        )

    def put(self, partial: Owned) -> None:
        """Move the result to its place, or leave it next to it and report where."""
        try:
            self.check()
            self._check_unchanged()
            with suppress(OSError):  # a volume has no modes
                shared_group = partial.path.stat().st_mode & stat.S_ISGID
                partial.path.chmod(0o777 & ~_umask() | shared_group)  # it was created with access for its owner only
            if self._inside:
                self._exchange_entries(partial)
            else:
                self._exchange(partial)
        except (OSError, OutputError) as error:
            why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            raise OutputError(f"{why}; the result was made and lies in {self._left_beside(partial)}") from error

    def _exchange(self, partial: Owned) -> None:
        """Replace the old folder by the new one, in one step if the system supports it."""
        out = self._out
        if not out.exists():
            move_folder(partial.path, out)
            self.is_put = True
        elif exchange(partial.path, out):
            self.is_put = True
            _emptied(partial.path, out)
        else:
            old = Owned(self._prefix, out.parent)
            move_folder(out, old.path / _EARLIER)
            try:
                move_folder(partial.path, out)
            except OSError:
                move_folder(old.path / _EARLIER, out)
                old.remove()
                raise
            self.is_put = True
            _emptied(old.path / _EARLIER, out)
            old.remove()

    def _exchange_entries(self, partial: Owned) -> None:
        """Replace each entry by the new one of the same name; the page last, because people open it.

        The data for `append` is replaced first: if the run is killed in between, the next `append` makes everything
        else from it.
        """
        old = partial.path / _EARLIER
        old.mkdir()
        for name in _OURS:
            there, new = self._out / name, partial.path / name
            if there.exists() and not (new.exists() and exchange(new, there)):
                there.rename(old / name)
            if new.exists() and not there.exists():
                new.rename(there)
        self.is_put = True

    def _left_beside(self, partial: Owned) -> Path:
        """Rename the folder to a name that stays; a full disk allows that. Returns its path, unchanged if even that
        fails.
        """
        made = partial.path
        parent = self._out if self._inside else self._out.parent
        kept = parent / f"{self._out.name or 'result'}-made-{made.name[-8:]}"
        try:
            made.rename(kept)
        except OSError:
            partial.keep()
            return made
        return kept

    def clear_left_behind(self) -> None:
        """Remove the leftovers of killed runs. Restores a result that one of them had just moved aside."""
        for parent in (self._out.parent, self._out):
            for left in left_behind(self._prefix, parent):
                earlier = left / _EARLIER
                if parent == self._out:
                    for name in _OURS:
                        if (earlier / name).exists() and not (parent / name).exists():
                            (earlier / name).rename(parent / name)
                elif earlier.is_dir() and not self._out.exists():
                    earlier.rename(self._out)
                shutil.rmtree(left, ignore_errors=True)


def _umask() -> int:
    """The permissions that the umask removes; they can only be read by setting them."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _is_current(folder: Path) -> bool:
    try:
        return Path.cwd().is_relative_to(folder)
    except OSError:  # another process removed it
        return False


def _strangers(out: Path, names: Iterable[str]) -> Iterator[str]:
    """Entries of a result that no run wrote: all except Parquet files and names that begin with a dot or an
    underscore.
    """
    for name in names:
        if name not in _OURS:
            yield name
    for place in (out / "tables", out / RECORDS):
        for folder, folders, files in os.walk(place):
            folders[:] = [name for name in folders if not name.startswith((".", "_"))]
            for name in sorted(files):
                there = Path(folder, name)
                if not name.startswith((".", "_")) and not name.endswith(".parquet") and there != out / RECORDS / FILES:
                    yield str(there.relative_to(out))


def _emptied(old: Path, out: Path) -> None:
    """Remove an earlier result. A file that another process put there at the last moment moves to the new result."""
    for stranger in list(_strangers(old, sorted(os.listdir(old)))):
        kept = out / stranger
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            (old / stranger).rename(kept)
    shutil.rmtree(old, ignore_errors=True)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two paths in one step, so that both exist at every moment. Returns whether the system supports it."""
    if sys.platform != "linux":
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def replace_text(out: Path, name: str, change: Callable[[str], str]) -> None:
    """Apply `change` to the text of a file of the result `out`, in one step."""
    file = out / name
    text = file.read_text(encoding="utf-8")
    changed = change(text)
    if changed != text:
        beside = out / f".{out.resolve().name}-kafka-replay-{name}"
        beside.write_text(changed, encoding="utf-8")
        beside.replace(file)


def write_json(path: Path, value: Mapping[str, object]) -> None:
    """Write `value` as JSON, the same bytes for the same value: each member begins a line, and so does each item of
    a list or an object in it.
    """

    def of(part: object) -> str:
        return json.dumps(part, ensure_ascii=False, default=str)

    members = []
    for name, part in value.items():
        if isinstance(part, list) and part:
            text = "[\n  " + ",\n  ".join(map(of, part)) + "\n ]"
        elif isinstance(part, dict) and part:
            text = "{\n  " + ",\n  ".join(f"{of(key)}: {of(one)}" for key, one in part.items()) + "\n }"
        else:
            text = of(part)
        members.append(f" {of(name)}: {text}")
    path.write_text("{\n" + ",\n".join(members) + "\n}\n", encoding="utf-8")
