"""Writes what people and programs read first, `report.html` and `findings.json`, from the tables of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines.about import product_version
from pipelines.answers import broker
from pipelines.answers.frames import rows
from pipelines.answers.incidents import title
from pipelines.collect import cut_short, frames
from pipelines.findings_json import findings_json
from pipelines.found_files import Inputs
from pipelines.result import Result
from pipelines.result_folders import rows_in
from pipelines.store import write_json
from replay.knowledge.answer import Answer
from replay.reading.set_aside import SET_ASIDE
from viz.broker_stories import History
from viz.cluster import broker_ids
from viz.frames import even
from viz.phrases import counted
from viz.report import report

_MOST_ROWS = 200_000  # of leader epochs and ISR spans, once for each broker


def written(result: Path, found: Inputs, shown: Sequence[str], answer: Answer | None) -> dict[str, pd.DataFrame]:
    """The tables of `result` as small frames, after writing `report.html` and `findings.json` next to them.

    `shown` names the inputs, `answer` is the meaning of their lines.
    """
    small = frames(Result(result).read)
    notes = [f"{name}: {what}" for name, what in found.remarks] + _set_aside(found.set_aside) + cut_short(small)
    notes += _hidden(small["coverage"]) + _not_understood(small["unmatched"])
    tables = {folder.name: held for folder in (result / "tables").iterdir() if (held := rows_in(folder)) is not None}
    findings = findings_json(small, shown, notes, product_version(), answer, found.window, tables)
    write_json(result / "findings.json", findings)
    page = _page(small, shown, notes, None if answer is None else answer.as_json())
    (result / "report.html").write_text(page, encoding="utf-8")
    return small


def with_records(folder: Path, records: Mapping[str, Any]) -> str:
    """The report of a result, with the section about the records that a user brought (`reconciliation.summary`)."""
    result = Result(folder)
    stored = result.findings()
    lines = stored.get("lines")
    answer = None if lines is None else {**lines, "looks_like": stored.get("known_issues") or []}
    return _page(frames(result.read), stored.get("inputs") or [], stored.get("notes") or [], answer, records)


def _page(
    small: Mapping[str, pd.DataFrame],
    shown: Sequence[str],
    notes: Sequence[str],
    lines: dict[str, Any] | None,
    records: Mapping[str, Any] | None = None,
) -> str:
    return report(
        small,
        title=title(small, lines),
        inputs=shown,
        notes=notes,
        incident_id=None,
        version=product_version(),
        answer=lines,
        records=records,
        histories=_histories(small),
    )


def _histories(tables: Mapping[str, pd.DataFrame]) -> list[History]:
    """The history of each broker, as `kafka-replay broker` prints it; none where that takes more than seconds."""
    histories: list[History] = []
    ids = broker_ids(even(tables))
    if len(ids) * (len(tables["leader_epochs"]) + len(tables["isr_spans"])) > _MOST_ROWS:
        return histories
    for broker_id in ids:
        answer = broker.restart(tables, broker_id)
        steps = rows(broker.story(tables, broker_id))
        histories.append(
            History(broker_id, broker.in_short(tables, broker_id), f"{answer.answer}: {answer.because}", steps)
        )
    return histories


def _hidden(coverage: pd.DataFrame) -> list[str]:
    """How many secrets were hidden, and in which files."""
    held = coverage[coverage.secrets_hidden > 0].sort_values(["secrets_hidden", "source_file"], ascending=[False, True])
    if held.empty:
        return []
    named = ", ".join(f"{row.source_file} ({row.secrets_hidden:,})" for row in held.head(3).itertuples())
    more = f" and {counted(len(held) - 3, 'more file')}" if len(held) > 3 else ""
    count = counted(int(held.secrets_hidden.sum()), "secret")
    return [f"{count} (passwords, keys and the like) hidden here and in the tables: {named}{more}"]


def _not_understood(unmatched: pd.DataFrame) -> list[str]:
    """How many records hold values that Kafka never prints, and where the first of them is."""
    held = unmatched[unmatched.example.fillna("").str.startswith(SET_ASIDE)]
    if held.empty:
        return []
    records = counted(int(held["count"].sum()), "record")
    return [
        f"{records} set aside, because they hold values that Kafka cannot print; the first is {held.evidence.iloc[0][0]}"
    ]


def _set_aside(files: Sequence[tuple[str, str]]) -> list[str]:
    """The files that were not read and why; many files with one reason share a note."""
    by_reason: dict[str, list[str]] = {}
    for name, why in files:
        by_reason.setdefault(why, []).append(name)
    notes = []
    for why, names in by_reason.items():
        notes += (
            [f"{name}: set aside: {why}" for name in names]
            if len(names) <= 3
            else [f"{len(names)} files set aside: {why}; the first is {names[0]}"]
        )
    return notes
