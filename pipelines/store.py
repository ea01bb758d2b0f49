"""Tables to and from Parquet. A result folder appears whole or not at all; what stood in its place is kept until then."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from replay.errors import OutputError

_OURS = {"tables", "findings.json", "report.html"}


class Store:
    """Where stages lay their tables down: `keep` for the result, `set_down` for what only later stages need."""

    def __init__(self, spark: SparkSession, result: Path, work: Path) -> None:
        self._spark, self._tables, self._between = spark, result / "tables", work / "between"
        self._one_partition = spark.conf.get("spark.sql.shuffle.partitions") == "1"

    def keep(self, name: str, frame: DataFrame) -> DataFrame:
        """`frame` as a table of the result, read back: later stages start from what was written."""
        return self._write(self._tables / name, frame)

    def set_down(self, name: str, frame: DataFrame) -> DataFrame:
        """`frame` in the work folder, read back."""
        return self._write(self._between / name, frame)

    def read(self, name: str) -> DataFrame:
        """What was set down under `name`."""
        return self._spark.read.parquet(_local(self._between / name))

    def _write(self, path: Path, frame: DataFrame) -> DataFrame:
        frame.write.parquet(_local(path))
        written = self._spark.read.schema(frame.schema).parquet(_local(path))
        # Spark shuffles what it does not know to be one partition, though there is one.
        return written.coalesce(1) if self._one_partition else written


def _local(path: Path) -> str:
    """`path` as Spark names it: the default file system of a notebook's session may be another than this machine's disk."""
    return f"file://{path.resolve()}"


@contextmanager
def result_folder(out: Path, overwrite: bool) -> Iterator[Path]:
    """A folder to write into that becomes `out` when the block ends well, and vanishes when it does not.

    Raises OutputError if `out` exists and may not be replaced, is no result of an earlier run, or cannot be written.
    """
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out}: is a file; give a folder for the result")
    there = set(os.listdir(out)) if out.is_dir() else set()
    if there and not overwrite:
        raise OutputError(
            f"{out}: exists and is not empty; give another folder, or --overwrite to replace an earlier result"
        )
    if there - _OURS:
        raise OutputError(f"{out}: holds {sorted(there - _OURS)[0]}, which no earlier run wrote; give another folder")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise OutputError(f"{out}: cannot be written ({error.strerror}); give a folder you may write to") from error
    try:
        yield partial
        _put_in_place(partial, out)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(
                f"{out}: {error.strerror}; free space, or give a folder on another disk (and TMPDIR for the work in between)"
            ) from error
        raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put_in_place(partial: Path, out: Path) -> None:
    partial.chmod(0o755)
    if not out.exists():
        partial.rename(out)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{out.name}-old-", dir=out.parent))
    out.rename(old / "result")
    try:
        partial.rename(out)
    except OSError:
        (old / "result").rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def write_json(path: Path, value: object) -> None:
    """`value` as JSON, the same bytes for the same value."""
    path.write_text(
        json.dumps(value, indent=1, sort_keys=False, ensure_ascii=False, default=str) + "\n", encoding="utf-8"
    )
