"""A result's tables -> what people and programs read first: `report.html` and `findings.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import shorten

import pandas as pd
from pyspark.sql import SparkSession

from pipelines.about import product_version
from pipelines.collect import cut_short, frames
from pipelines.findings_json import findings_json
from pipelines.found_files import Inputs
from pipelines.store import write_json
from replay.knowledge.answer import Answer
from viz.frames import tidy
from viz.phrases import counted
from viz.report import report
from viz.summary import UNKNOWN_CAUSE, chosen


def written(
    spark: SparkSession, result: Path, found: Inputs, shown: Sequence[str], said: Answer | None
) -> dict[str, pd.DataFrame]:
    """The tables of `result` as small frames, after `report.html` and `findings.json` were written beside them;
    `shown` names the inputs, `said` is what their lines say.
    """
    small = frames(spark, result)
    notes = [f"{name}: {what}" for name, what in found.remarks] + _set_aside(found.set_aside) + cut_short(small)
    notes += _hidden(small["coverage"])
    write_json(result / "findings.json", findings_json(small, shown, notes, product_version(), said, found.window))
    page = report(
        small,
        title=_title(small, said),
        inputs=shown,
        notes=notes,
        incident_id=None,
        version=product_version(),
        said=None if said is None else said.as_json(),
    )
    (result / "report.html").write_text(page, encoding="utf-8")
    return small


def _title(small: Mapping[str, pd.DataFrame], said: Answer | None) -> str:
    incidents, findings = small["incidents"], small["findings"]
    if incidents.empty and said is not None and (said.is_trouble or said.unknown):
        return shorten(said.summary, 120, placeholder=" …")
    if incidents.empty and not findings.empty and not findings.severity.isin(["low", "info"]).all():
        return "Something went wrong, cause unknown"
    if incidents.empty and not len(small["leader_epochs"]) and len(small.get("described_partitions", ())):
        return "Leaders and ISRs as kafka-topics told them"
    if incidents.empty:
        if not len(small["leader_epochs"]):
            return "Too little to tell"
        errors = not findings.empty and (findings.code == UNKNOWN_CAUSE).any()
        return "No incident found, but errors of unknown cause" if errors else "No incident found"
    first = chosen(tidy(incidents, "incidents"), None)
    worst = str(first and first.title)
    return worst if len(incidents) == 1 else f"{worst}, and {counted(len(incidents) - 1, 'more incident')}"


def _hidden(coverage: pd.DataFrame) -> list[str]:
    """How many secrets were hidden, and of which files."""
    held = coverage[coverage.secrets_hidden > 0].sort_values(["secrets_hidden", "source_file"], ascending=[False, True])
    if held.empty:
        return []
    named = ", ".join(f"{row.source_file} ({row.secrets_hidden:,})" for row in held.head(3).itertuples())
    more = f" and {counted(len(held) - 3, 'more file')}" if len(held) > 3 else ""
    count = counted(int(held.secrets_hidden.sum()), "secret")
    return [f"{count} (passwords, keys and the like) hidden here and in the tables: {named}{more}"]


def _set_aside(files: Sequence[tuple[str, str]]) -> list[str]:
    """What was not read and why; many files for one reason are one note."""
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
