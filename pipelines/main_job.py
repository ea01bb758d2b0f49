"""The main job: reads files and writes a result folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pipelines import delta
from pipelines.answers.first_facts import as_lines, first_facts
from pipelines.answers.found_faults import faults_found
from pipelines.answers.lines import of_run, of_small_run
from pipelines.found_files import Inputs
from pipelines.incident import COMPARING, READING, STEPS, Zones, parsed, replayed
from pipelines.inputs import gather
from pipelines.kept_records import Kept, keep, keep_none
from pipelines.memory import give_back
from pipelines.progress import Step, seconds_left
from pipelines.reading import LOOKING, STARTING, batches_here, gathered, is_small
from pipelines.redaction import Redaction
from pipelines.scratch import work_folder
from pipelines.store import Store, result_folder
from replay.garbage import rarely_collected
from replay.knowledge.answer import Answer, ExplainedMessage
from replay.reading.secrets import hidden_text

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import SparkSession


PARQUET, DELTA = "parquet", "delta"
_WRITING, _WRITING_DELTA = "Writing the report", "Writing the tables as Delta"


# Seconds that a step needs for any input, and for each MB of it, on two cores.
COSTS: Mapping[str, tuple[float, float]] = {
    LOOKING: (0.8, 0.015),
    STARTING: (3.5, 0.02),
    READING: (1.5, 0.17),
    COMPARING: (0.5, 0.1),
    STEPS["topic_lives"]: (6.0, 0.07),
    STEPS["ledger"]: (0.5, 0.42),
    STEPS["cluster_roots"]: (2.5, 0.18),
    _WRITING: (4.0, 0.25),
}


@dataclass
class Outcome:
    """The findings of a run, and its duration (seconds per step)."""

    out: Path
    tables: Mapping[str, pd.DataFrame]
    inputs: Inputs
    lines: Answer | None = None
    first_facts: Sequence[ExplainedMessage] = ()
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
    redact: bool = False,
    format: str = PARQUET,
    since: str | None = None,
    until: str | None = None,
    tz: str | None = None,
    shared: Path | None = None,
    spark: SparkSession | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    on_facts: Callable[[Sequence[str]], None] | None = None,
) -> Outcome:
    """Analyze the files under `inputs` into the folder `out`: `tables/`, `findings.json`, `report.html`, and in
    `records/` the data for `append`.

    `since`, `until`: limit the analysis to this time range, without `until` itself; of earlier lines only the needed
    ones are read (`replay.facts.needed_before`). A time without a zone is in `tz` (UTC by default). `format`: the
    format of the tables, `parquet` or `delta`. `redact`: replace the names of topics, hosts, clients, users and ids
    (`replay.reading.redaction`). `shared`: a folder for intermediate files that Spark's workers can read. `spark`: a
    session to work in, with the settings of `pipelines.lent_session.for_a_run`; by default a new one. Raises
    InputError, OutputError or SetupError for problems that the user can fix; no partial result remains.
    """
    zones = Zones(timezone, dict(node_timezones or {}))
    job = Job(inputs, out, nodes, layout, zones, None, overwrite, Redaction() if redact else None, format, shared)
    found_in = gather if since is None and until is None else _in_window(since, until, tz, zones)
    return made(job, gather=found_in, graphframes=graphframes, spark=spark, on_step=on_step, on_facts=on_facts)


@dataclass(frozen=True)
class Job:
    """What to analyze, how, and the path of the result. `before` is the earlier result that it extends and replaces."""

    inputs: Sequence[str]
    out: Path
    nodes: Mapping[int, Path] | None
    layout: str | None
    zones: Zones
    before: Kept | None = None
    overwrite: bool = False
    redaction: Redaction | None = None
    format: str = PARQUET
    shared: Path | None = None

    def folder(self) -> AbstractContextManager[Path]:
        """The folder of the result, which is moved to `out` when it is complete."""
        before = self.before
        unchanged = None if before is None else (before.file, before.stored)
        replaces = self.overwrite or before is not None
        return result_folder(self.out, replaces, unchanged, shared=self.shared is not None)

    def gathered(self, work: Path, **session: Any) -> tuple[SparkSession, Inputs]:
        """A session that can write the format, and the files."""
        is_delta = self.format == DELTA
        spark, found = gathered(
            self.inputs, work, nodes=self.nodes, layout=self.layout, writes_delta=is_delta, **session
        )
        if is_delta:
            delta.check(spark, work)
        return spark, found

    def recorded(self, result: Path, found: Inputs) -> tuple[Inputs, list[str]]:
        """The files and the inputs as the page shows them. The data for `append` is kept, unless names are replaced."""
        changes = found.watch.changes(but=(self.out, result))
        found.remarks += changes
        shown = [hidden_text(str(path)) for path in self.inputs]
        if self.redaction is not None:
            keep_none(result)
            found, shown = self.redaction.inputs(found), [self.redaction.redacted.path(path) for path in shown]
            found.remarks.insert(0, ("Names", self.redaction.remark()))
            return found, shown
        found.taken.remarks += changes
        shown = list(dict.fromkeys([*(self.before.shown if self.before else ()), *shown]))
        keep(result, found, shown, self.layout, self.zones)
        return found, shown


def made(
    job: Job,
    *,
    gather: Callable[..., Inputs] = gather,
    graphframes: str | None,
    spark: SparkSession | None,
    on_step: Callable[[str], None],
    on_facts: Callable[[Sequence[str]], None] | None = None,
    seal: Callable[[Path], None] = lambda result: None,
) -> Outcome:
    """The result of all files that `gather` finds for `job`, moved to its place.

    `on_facts` gets first facts while Spark starts; with redaction there are none, because they quote names. `seal`
    gets the complete result, just before it is moved to its place.
    """
    clock = _Clock(on_step, steps_of(job.format))
    with rarely_collected(), job.folder() as result, work_folder(job.shared) as work, ThreadPoolExecutor(3) as beside:
        early = _WhileSparkStarts(beside, clock, on_facts if job.redaction is None else None)
        pages = beside.submit(_later_rooms)
        spark, found = job.gathered(
            work, graphframes=graphframes, spark=spark, on_step=clock.begin, gather=gather, show=early.look
        )
        store = Store(spark, result, work)
        events = parsed(spark, found, work, store, job.zones, clock.begin, job.redaction, early.records)
        replayed(spark, events, store, clock.begin)
        clock.begin(_WRITING)
        lines = None if job.redaction is not None else _explained(store, found, events.doubtful)
        found, shown = job.recorded(result, found)
        found.remarks += events.remarks
        tables = pages.result().written(result, found, shown, lines)
        if job.format == DELTA:
            clock.begin(_WRITING_DELTA)
            delta.rewritten(spark, result / "tables")
        _tidy(result)
        seal(result)
        clock.end()
    return Outcome(job.out, tables, found, lines, early.first_facts(), clock.seconds)


class _WhileSparkStarts:
    """Work on the found files while Java starts: reads a small input, and prints the first facts."""

    def __init__(
        self, beside: ThreadPoolExecutor, clock: _Clock, on_facts: Callable[[Sequence[str]], None] | None
    ) -> None:
        self._beside, self._clock, self._on_facts = beside, clock, on_facts
        self._facts: Future[Sequence[ExplainedMessage]] | None = None
        self.records: Callable[[], Sequence[pa.RecordBatch]] | None = None  # returns them, for a small input

    def look(self, found: Inputs) -> None:
        self._clock.size_mb = sum(source.size for source in found.to_read()) / 1e6
        if is_small(found):
            self.records = self._beside.submit(batches_here, found).result
        if self._on_facts is not None:
            self._facts = self._beside.submit(_print_first_facts, found, self._on_facts)

    def first_facts(self) -> Sequence[ExplainedMessage]:
        return () if self._facts is None else self._facts.result()


def _explained(store: Store, found: Inputs, doubtful: Collection[str]) -> Answer:
    """The meaning of the lines of the run, as `explain` shows it, without those that are doubtful."""
    faults = faults_found(store)
    answer = None if doubtful else of_small_run(found.sources, faults)
    return of_run(store, faults) if answer is None else answer


def _in_window(since: str | None, until: str | None, tz: str | None, zones: Zones) -> Callable[..., Inputs]:
    """`gather`, reading only what a time window needs."""
    from pipelines.window import Asked, in_window  # pandas, which only times that were typed need before Java starts

    return in_window(gather, Asked(since, until, tz), zones)


def _print_first_facts(found: Inputs, on_facts: Callable[[Sequence[str]], None]) -> Sequence[ExplainedMessage]:
    """Print the first facts of the logs."""
    facts = first_facts(found.sources)
    on_facts(list(as_lines(facts)))
    return facts


def _later_rooms() -> ModuleType:
    """Load slow modules (GraphFrames, pandas, Plotly, the page's templates) while Java starts; returns the module
    that writes the page.
    """
    import_module("replay.causes.graph")
    pages = import_module("pipelines.pages")
    import_module("viz.markup").load_templates()
    return pages


def _tidy(result: Path) -> None:
    """Remove Spark's marker and checksum files, so that only data remains."""
    for extra in (*result.rglob("_SUCCESS"), *result.rglob(".*.crc")):
        extra.unlink()


def format_of(out: Path) -> str:
    """The format of the tables of a result."""
    return DELTA if delta.is_delta(out / "tables" / "events") else PARQUET


def steps_of(format: str) -> tuple[str, ...]:
    """The steps of a run, in order. A run in a given session has no step that starts Spark."""
    last = (_WRITING, _WRITING_DELTA) if format == DELTA else (_WRITING,)
    return (LOOKING, STARTING, READING, COMPARING, *STEPS.values(), *last)


def numbered(step: str, steps: Sequence[str]) -> str:
    """A step with its number: `5/8 Rebuilding …`. The step may add words to its name."""
    number = next((place for place, name in enumerate(steps, 1) if step.startswith(name)), None)
    return step if number is None else f"{number}/{len(steps)} {step}"


class _Clock:
    """Reports each step with its number when it begins, and records its duration. The memory that the step before has freed
    is given back. `size_mb`: the size of the input, once known.
    """

    def __init__(self, on_step: Callable[[str], None], steps: Sequence[str]) -> None:
        self.seconds: dict[str, float] = {}
        self.size_mb: float | None = None
        self._steps = steps
        self._on_step, self._step, self._since = on_step, "", 0.0

    def begin(self, step: str) -> None:
        self.end()
        give_back()
        self._step, self._since = step, time.monotonic()
        announced = Step(numbered(step, self._steps))
        announced.left = seconds_left(COSTS, self.seconds, self.size_mb)
        self._on_step(announced)

    def end(self) -> None:
        if self._step:
            name = next((name for name in self._steps if self._step.startswith(name)), self._step)
            self.seconds[name] = round(time.monotonic() - self._since, 1)
        self._step = ""
