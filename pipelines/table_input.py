"""Writes log lines from a table to files that an analysis reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from replay.errors import InputError
from replay.reading.heads import head_of
from replay.reading.layouts import HEADERS, Layout, detect

TEXT, NODE, FILE, ORDER = "text", "node", "file", "order"
_SAMPLE = 2_000  # lines from which the layout of a file is known
_NUMBER = re.compile(r"\d+")


def laid_down(spark: SparkSession, table: str, columns: Mapping[str, str], folder: Path) -> None:
    """Write the lines of `table` into `folder`: `node-<id>/<file>` for each node and file.

    `columns` names the columns of the table. `text`: a line, or a record of several lines. `node` and `file`: the
    node that wrote it and the file. `order`: the sort key of the rows of a file, such as a line number or an offset.
    Without `order` each row must begin with a timestamp, by which rows are sorted. Raises InputError if a table or a
    column does not exist, and if the order of rows is unknown.
    """
    _check(columns)
    try:
        rows = spark.table(table)
        missing = next((name for name in columns.values() if name not in rows.columns), None)
        if missing is not None:
            raise InputError(f"{table}: has no column {missing}; it has {', '.join(rows.columns)}")
        for (node, file), lines in groupby(_sorted(rows, columns), lambda row: (row[NODE], row[FILE])):
            _write(folder / _path(node, file), lines, ORDER in columns, f"{table}, file {file}")
    except (PySparkException, Py4JError) as error:
        raise InputError(f"{table}: cannot be read: {str(error).strip().splitlines()[0][:200]}") from error
    if not folder.exists():
        raise InputError(f"{table}: has no rows")


def _check(columns: Mapping[str, str]) -> None:
    names = (TEXT, NODE, FILE, ORDER)
    unknown = next((name for name in columns if name not in names), None)
    if unknown is not None or TEXT not in columns:
        raise InputError(
            f"columns: {f'{unknown} is none of' if unknown else 'text is missing;'} {', '.join(names)}; "
            "text is needed, as in columns={'text': 'line', 'node': 'broker_id', 'file': 'path'}"
        )


def _sorted(rows: DataFrame, columns: Mapping[str, str]) -> Iterator[Any]:
    """The rows by node, file and order; a column that is not mapped is null."""
    wanted = {name: F.col(columns[name]) if name in columns else F.lit(None) for name in (TEXT, NODE, FILE)}
    selected = [column.cast("string").alias(name) for name, column in wanted.items()]
    order = F.col(columns[ORDER]) if ORDER in columns else F.lit(None).cast("string")
    in_order = (
        rows.where(F.col(columns[TEXT]).isNotNull()).select(*selected, order.alias(ORDER)).orderBy(NODE, FILE, ORDER)
    )
    yield from in_order.toLocalIterator()


def _path(node: str | None, file: str | None) -> PurePosixPath:
    """The path of the file for these lines. A name from the table cannot lead out of the folder."""
    parts = [part for part in (file or "server.log").split("/") if part not in ("", ".", "..")]
    if node is None:
        return PurePosixPath(*parts)
    return PurePosixPath(f"node-{node}" if _NUMBER.fullmatch(node) else node.replace("/", "_").strip("."), *parts)


def _write(path: Path, lines: Iterator[Any], is_in_order: bool, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    texts: Iterator[str] = (row[TEXT] for row in lines)
    with path.open("w", encoding="utf-8", newline="") as out:
        for text in texts if is_in_order else by_stamp(list(texts), name):
            out.write(text.removesuffix("\n") + "\n")


def by_stamp(texts: list[str], name: str) -> list[str]:
    """Records in the order of their timestamps. Raises InputError if one has none."""
    firsts = [text.partition("\n")[0] for text in texts]
    layout = detect(firsts[:_SAMPLE], HEADERS)
    stamps = [None if layout is None else _stamp(layout, first) for first in firsts]
    without = next((first for first, stamp in zip(firsts, stamps, strict=True) if stamp is None), None)
    if without is not None:
        raise InputError(
            f"{name}: the order of its rows is not known, because one has no time: {without[:80]!r}; name a column that "
            "sorts them, as in columns={…, 'order': 'line_number'}"
        )
    return [text for _, text in sorted(zip(stamps, texts, strict=True), key=lambda pair: pair[0] or 0)]


def _stamp(layout: Layout, line: str) -> int | None:
    head = head_of(layout, line)
    return None if head is None else head.micros
