"""`kafka-replay reconcile`: records, groups and client logs against a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from pipelines.reconciliation.clients import as_objects, effects, form_of_clients, table_of
from pipelines.reconciliation.clients import as_text as clients_as_text
from pipelines.reconciliation.output import PAGE, check_out, with_verdicts, write, write_text
from pipelines.reconciliation.partition_logs import partition_logs
from pipelines.reconciliation.records import Records, columns_given, read_records
from pipelines.reconciliation.summary import as_text, summed
from pipelines.reconciliation.without_spark import verdicts
from pipelines.result import Result
from pipelines.terminal import json_line
from replay.errors import InputError
from replay.reconcile.cells import GONE, POSSIBLE, REWRITTEN, Clock
from replay.reconcile.readers import Effect

FAIL_ON = {"gone": (GONE, REWRITTEN), "possible": (GONE, REWRITTEN, POSSIBLE)}


@dataclass(frozen=True)
class Wanted:
    """How the records are read and judged."""

    columns: str = ""
    topic: str | None = None
    time_is: str | None = None
    acks: str | None = None
    clock_error: float | None = None  # seconds
    fail_on: str | None = None
    as_json: bool = False
    duplicates: str | None = None  # `key`: a key that is stored twice is one record
    page: Path | None = None  # a copy of the report with the section "Your records"


@dataclass
class Reconciled:
    """The verdicts of records, what consumers and producers did, and their sum."""

    table: pa.Table | None
    effects: list[Effect]
    summary: dict[str, Any]
    worst: frozenset[str] = field(default_factory=frozenset)

    def lines(self) -> Iterator[str]:
        """The summary, then each record with its verdict, for an answer without a file."""
        yield from as_text(self.summary)
        for row in [] if self.table is None else self.table.to_pylist():
            at = f" at {row['time']}" if row.get("time") else ""
            yield f"{row['topic']}-{row['partition']} offset {row['offset']}{at}: {row['verdict']}. {row['reason']}"


def reconciled(result: Path, files: Sequence[Path], wanted: Wanted) -> Reconciled:
    """The verdicts on some files. Raises InputError for what cannot be used."""
    read = Result(result)
    forms = {path: form_of_clients(path) for path in files}
    of_clients = [(path, form) for path, form in forms.items() if form is not None]
    columns = columns_given(wanted.columns)
    every = [
        read_records(path, columns, wanted.topic, wanted.time_is, wanted.acks)
        for path, form in forms.items()
        if form is None
    ]
    return judged(read, every, of_clients, wanted)


def judged(
    result: Result, every: Sequence[Records], of_clients: Sequence[tuple[Path, str]], wanted: Wanted
) -> Reconciled:
    """The verdict of each record, and what the clients in other files did."""
    topics = None if of_clients else {topic for one in every for topic in one.frame.topic.dropna().unique()}
    logs = partition_logs(result, topics)
    error = None if wanted.clock_error is None else round(wanted.clock_error * 1e6)
    tables, verdict_rows = [], []
    clocks: dict[str, Clock] = {}
    for one in every:
        if wanted.duplicates == "key" and "key" not in one.frame:
            raise InputError("--duplicates key: the records have no column for key; name it with --columns key=COLUMN")
        found = verdicts(one, logs, error, keys_are_unique=wanted.duplicates == "key")
        columns = found.columns()
        tables.append(with_verdicts(one.rows, columns))
        texts = {name: values.dictionary_encode().to_pandas() for name, values in columns.items()}
        verdict_rows.append(one.frame[["topic", "partition", "offset"]].assign(**texts))
        clocks |= found.clocks
    done = effects(of_clients, logs)
    every_one = (
        pd.concat(verdict_rows, ignore_index=True)
        if verdict_rows
        else pd.DataFrame(columns=["topic", "verdict", "reason"])
    )
    summary = summed(every_one, clocks, _until(result)) | {"clients": as_objects(done)}
    table = pa.concat_tables(tables, promote_options="permissive") if tables else None
    return Reconciled(table, done, summary, frozenset(every_one.verdict))


def _until(result: Result) -> str | None:
    recorded = result.recorded()
    return None if recorded is None else f"{recorded[1]:%Y-%m-%d %H:%M:%S} UTC"


def reconcile(
    result: Path, files: Sequence[Path], out: Path, wanted: Wanted, *, overwrite: bool = False
) -> tuple[Iterator[str], bool]:
    """The summary as lines, after writing the verdicts to `out`, and whether they reach what `wanted` fails on.

    Raises InputError and OutputError; nothing is half-written.
    """
    check_out(out, result, overwrite)
    if wanted.page is not None:
        check_out(wanted.page, result, overwrite, PAGE)
    if any(path.exists() and path.resolve() == out.resolve() for path in files):
        raise InputError(f"{out}: is one of the inputs; name another file with --out")
    found = reconciled(result, files, wanted)
    second = out.with_name(f"{out.stem}-clients{out.suffix}")
    if found.table is not None and found.effects:
        check_out(second, result, overwrite)
    page = None if wanted.page is None else _page(result, found)  # before any file is written: it can lack a table
    if found.table is not None:
        write(found.table, out)
    if found.effects or found.table is None:
        write(table_of(found.effects), second if found.table is not None else out)
    if wanted.page is not None and page is not None:
        write_text(page, wanted.page)
    fails = bool(found.worst & set(FAIL_ON.get(wanted.fail_on or "", ())))
    return _lines(found, out, second, wanted), fails


def _page(result: Path, found: Reconciled) -> str:
    """The report with the section "Your records"."""
    from pipelines.pages import with_records  # late: no other answer needs the page's code

    return with_records(result, found.summary)


def _lines(found: Reconciled, out: Path, second: Path, wanted: Wanted) -> Iterator[str]:
    if wanted.as_json:
        yield json_line(found.summary)
        return
    if found.table is not None:
        yield from as_text(found.summary)
        yield f"The verdict of each record is in {out}."
    if found.effects or found.table is None:
        yield "Groups and clients:"
        yield from clients_as_text(found.effects)
        yield f"The same as a table is in {second if found.table is not None else out}."
    if wanted.page is not None:
        yield f"{wanted.page} is the report with the section Your records."
