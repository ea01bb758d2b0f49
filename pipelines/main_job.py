"""The main job: files in, a result folder out."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from pipelines.about import product_version
from pipelines.collect import findings_json, frames
from pipelines.incident import Zones, parsed, replayed
from pipelines.inputs import Inputs, gather
from pipelines.session import session
from pipelines.store import Store, result_folder, write_json
from viz.report import report


@dataclass
class Outcome:
    """What a run found, and where its time went (seconds by step)."""

    out: Path
    tables: Mapping[str, pd.DataFrame]
    inputs: Inputs
    seconds: dict[str, float] = field(default_factory=dict)


def analyze(
    inputs: Sequence[str],
    out: Path,
    *,
    nodes: Mapping[int, Path] | None = None,
    overwrite: bool = False,
    layout: str | None = None,
    timezone: str | None = None,
    node_timezones: Mapping[int, str] | None = None,
    graphframes: str | None = None,
    say: Callable[[str], None] = lambda step: None,
) -> Outcome:
    """Analyse the files under `inputs` into the folder `out`: `tables/`, `findings.json`, `report.html`.

    Raises InputError, OutputError or SetupError for what the user can mend; nothing is left half-written.
    """
    clock = _Clock(say)
    with tempfile.TemporaryDirectory(prefix="kafka-replay-") as name, result_folder(out, overwrite) as result:
        work = Path(name)
        clock.begin("Looking at the files")
        urls = [path for path in inputs if "://" in path or path.startswith("dbfs:/")]
        spark = session(graphframes) if urls else None
        found = gather([path if path in urls else Path(path) for path in inputs], dict(nodes or {}), work, layout=layout, spark=spark)
        clock.begin("Starting Spark")
        spark = spark or session(graphframes, input_bytes=sum(source.path.stat().st_size for source in found.sources))
        store = Store(spark, result, work)
        understood = parsed(spark, found, work, store, Zones(timezone, dict(node_timezones or {})), clock.begin)
        replayed(spark, understood, store, clock.begin)
        clock.begin("Writing the report")
        small = frames(spark, result)
        notes = [f"{name}: {what}" for name, what in found.remarks] + _set_aside(found.set_aside)
        title = _title(small)
        shown = [str(path) for path in inputs]
        write_json(result / "findings.json", findings_json(small, shown, notes, product_version()))
        page = report(small, title=title, inputs=shown, notes=notes, incident_id=None, version=product_version())
        (result / "report.html").write_text(page, encoding="utf-8")
        _tidy(result / "tables")
        clock.end()
    return Outcome(out, small, found, clock.seconds)


def _title(small: Mapping[str, pd.DataFrame]) -> str:
    incidents = small["incidents"]
    if incidents.empty:
        return "No incident found"
    return str(incidents.sort_values(["start_ts", "incident_id"]).iloc[0]["title"]) if len(incidents) == 1 else f"{len(incidents)} incidents"


def _set_aside(files: Sequence[tuple[str, str]]) -> list[str]:
    """What was not read and why; many files for one reason are one note."""
    by_reason: dict[str, list[str]] = {}
    for name, why in files:
        by_reason.setdefault(why, []).append(name)
    notes = []
    for why, names in by_reason.items():
        notes += [f"{name}: set aside: {why}" for name in names] if len(names) <= 3 else [f"{len(names)} files set aside: {why}; the first is {names[0]}"]
    return notes


def _tidy(tables: Path) -> None:
    """Leave data alone: no marks of how Spark wrote it."""
    for extra in (*tables.rglob("_SUCCESS"), *tables.rglob(".*.crc")):
        extra.unlink()


class _Clock:
    """Tells each step as it begins, and keeps how long it took."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.seconds: dict[str, float] = {}
        self._say, self._step, self._since = say, "", 0.0

    def begin(self, step: str) -> None:
        self.end()
        self._step, self._since = step, time.monotonic()
        self._say(step)

    def end(self) -> None:
        if self._step:
            self.seconds[self._step] = round(time.monotonic() - self._since, 1)
        self._step = ""
