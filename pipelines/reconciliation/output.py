"""Writes verdicts: CSV, JSON lines or Parquet, by the name of the file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from pipelines.terminal import json_line
from replay.errors import OutputError

_SUFFIXES = (".csv", ".jsonl", ".json", ".parquet")
PAGE = (".html",)


def check_out(out: Path, result: Path, overwrite: bool, suffixes: Sequence[str] = _SUFFIXES) -> None:
    """Raises OutputError if the verdicts, or the page, cannot be written there."""
    if out.suffix not in suffixes:
        raise OutputError(
            f"{out}: is a page; end its name in .html"
            if suffixes == PAGE
            else f"{out}: the name decides the format; end it in .csv, .jsonl or .parquet"
        )
    if out.exists() and not overwrite:
        raise OutputError(f"{out}: exists; give --overwrite to replace it, or name another file")
    if out.is_dir():
        raise OutputError(f"{out}: is a folder; name a file")
    if not out.resolve().parent.is_dir() or not os.access(out.resolve().parent, os.W_OK):
        raise OutputError(f"{out}: its folder does not exist or is not writable")
    if result.resolve() in out.resolve().parents:
        raise OutputError(f"{out}: lies in the result, which a later run replaces; name a file outside {result}")


def with_verdicts(rows: pa.Table, columns: Mapping[str, pa.Array]) -> pa.Table:
    """The records with the columns of their verdicts."""
    for name, values in columns.items():
        rows = rows.append_column(name, values)
    return rows


def write(table: pa.Table, out: Path) -> None:
    """Write a table in one step: the file is complete or not there. Raises OutputError."""
    part = out.with_name(f".{out.name}.part")
    try:
        if out.suffix == ".parquet":
            pq.write_table(table, part)
        elif out.suffix == ".csv":
            pa.csv.write_csv(_plain(table), part, pa.csv.WriteOptions(quoting_style="needed"))
        else:
            with part.open("w", encoding="utf-8") as file:
                for batch in table.to_batches(max_chunksize=10_000):
                    file.writelines(f"{json_line(row)}\n" for row in batch.to_pylist())
        part.replace(out)
    except (OSError, pa.ArrowException) as error:
        part.unlink(missing_ok=True)
        raise OutputError(f"{out}: cannot be written ({str(error).splitlines()[0][:120]})") from error


def write_text(text: str, out: Path) -> None:
    """Write a page in one step: the file is complete or not there. Raises OutputError."""
    part = out.with_name(f".{out.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(out)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OutputError(f"{out}: cannot be written ({str(error)[:120]})") from error


def _plain(table: pa.Table) -> pa.Table:
    """The table with nested columns as text, for CSV."""
    for n, field in enumerate(table.schema):
        if pa.types.is_nested(field.type):
            texts = [None if value is None else json_line(value) for value in table.column(n).to_pylist()]
            table = table.set_column(n, field.name, pa.array(texts, pa.string()))
    return table
