"""`watch`: analyzes growing logs again and again in one session.

A loop over `append`: new lines are added to the result, and the new result replaces the last one as a whole. Spark's
structured streaming does not fit: its file source reads a file once and ignores lines appended later. Every verdict
may depend on any earlier line, so all of them are computed again.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from pipelines.answers.changes import TABLES, Change, Standing, changes, standing
from pipelines.append import append
from pipelines.failures import failure
from pipelines.followed_files import Followed, News
from pipelines.incident import Zones
from pipelines.inputs import gather, is_url
from pipelines.kept_records import kept
from pipelines.lent_session import for_a_run, lent
from pipelines.main_job import Job, made
from pipelines.result import Result
from pipelines.result_folders import is_result
from pipelines.scratch import held_alone, work_folder
from pipelines.session import SMALL_BYTES, end_session, java_process, session
from pipelines.store import StoppedAfter, check_place, put_back, replace_text
from replay.errors import InputError, OutputError, ReplayError
from viz.watched import unwatched, watched

_PAGE = "report.html"


@dataclass(frozen=True)
class Look:
    """One analysis of the logs: its start and duration, the number of new bytes, the changes. `fault`: why it
    failed, in one line; the next one retries. `unread`: files that cannot be opened, and why.
    """

    as_of: datetime
    seconds: float
    size: int = 0
    changes: Sequence[Change] = ()
    fault: str | None = None
    unread: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ended:
    """How a watch ended: the time of the last result, if any, and how many later bytes it does not include."""

    as_of: datetime | None
    left: int = 0


@dataclass(frozen=True)
class Options:
    """How logs are read: as for `analyze`."""

    nodes: Mapping[int, Path]
    layout: str | None = None
    timezone: str | None = None
    node_timezones: Mapping[int, str] | None = None
    graphframes: str | None = None

    @property
    def zones(self) -> Zones:
        """The time zones of timestamps. Raises InputError for an invalid one."""
        return Zones(self.timezone, dict(self.node_timezones or {}))


def watch(
    inputs: Sequence[str],
    out: Path,
    options: Options,
    *,
    every: float,
    lasts: float | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    on_look: Callable[[Look], None] = lambda look: None,
) -> Ended:
    """Follow `inputs` and analyze the new lines at the given interval, or as soon as the previous analysis ends.
    Each analysis leaves a complete result in `out`, and is passed to `on_look`. Continues an existing result.

    Ends after `lasts` seconds, or when all inputs were pipes and have ended, with a last analysis that includes
    incomplete lines; and immediately on request. Raises InputError or OutputError at the start, if something cannot
    be followed or continued.
    """
    _check(inputs, out, options)
    with _alone(out), work_folder() as folder, _asked_to_end() as is_asked:
        followed = Followed([*map(str, options.nodes.values()), *inputs], folder, out)
        rounds = _Rounds(followed, inputs, out, options, every, on_step, is_asked)
        followed.start()
        until = None if lasts is None else time.monotonic() + lasts
        try:
            while True:
                began = time.monotonic()
                is_last = (until is not None and began >= until) or followed.is_over
                look = rounds.look(last=is_last)
                if look is not None:
                    on_look(look)
                if is_last:
                    return Ended(rounds.as_of)
                on_step("Waiting for more lines" if rounds.as_of is not None else "Waiting for the first line")
                wait = max(1.0, began + every - time.monotonic())
                _wait(wait if until is None else max(0.0, min(wait, until - time.monotonic())), followed)
        except KeyboardInterrupt as stop:
            return rounds.stopped(stop)
        finally:
            followed.close()
            rounds.end()


def _check(inputs: Sequence[str], out: Path, options: Options) -> None:
    """Raises InputError or OutputError before any file is followed."""
    url = next((path for path in inputs if is_url(path)), None)
    if url is not None:
        raise InputError(f"{url}: a URL cannot be followed; give files, folders or pipes of this machine")
    _ = options.zones
    put_back(out)
    if is_result(out):
        kept(out)
    else:
        check_place(out)


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Raises OutputError if another watch of this user writes to `out`: it would refuse each result of this one."""
    with held_alone(out) as is_held:
        if not is_held:
            raise OutputError(f"{out}: another watch writes there; give another --out, or end that watch first")
        yield


def _wait(seconds: float, followed: Followed) -> None:
    """Wait this many seconds, or until no more text can come."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0 and not followed.is_over:
        time.sleep(min(left, 1.0))


class _Rounds:
    """The analyses of a watch, one after the other, and their session."""

    def __init__(
        self,
        followed: Followed,
        inputs: Sequence[str],
        out: Path,
        options: Options,
        every: float,
        on_step: Callable[[str], None],
        is_asked: threading.Event,
    ) -> None:
        self._followed, self._inputs, self._out, self._options = followed, inputs, out, options
        self._every, self._on_step, self._is_asked = every, on_step, is_asked
        self._spark: SparkSession | None = None
        self._sized_for, self._is_ours = 0, False
        self._before: Standing | None = None
        self._looked: datetime | None = None
        self._told_unread: set[str] = set()
        self._told_fault: str | None = None
        self.as_of: datetime | None = None  # of the current result

    def look(self, *, last: bool) -> Look | None:
        """Analyze the new lines; None if there are none. The returned look reports every failure."""
        as_of, began = datetime.now(UTC), time.monotonic()
        self._looked = as_of
        try:
            news = self._followed.news(last=last)
            if news is None:
                if self.as_of is not None:
                    self.as_of = as_of
                    self._mark(self._out, as_of)
                return None
            self._judge(news, as_of)
        except Exception as error:
            if self._is_asked.is_set():  # its Java was ended
                raise KeyboardInterrupt from None
            fault = str(error) if isinstance(error, ReplayError) else failure(error)[0]
            self._check_java()
            if fault == self._told_fault and not last:
                return None  # it was reported when it first occurred
            self._told_fault = fault
            return Look(as_of, time.monotonic() - began, fault=fault, unread=self._unread())
        news.taken()
        self._told_fault = None
        self.as_of = as_of
        now = _standing(self._out)
        changed = list(changes(self._before or Standing(), now))
        self._before = now
        return Look(as_of, time.monotonic() - began, news.size, changed, unread=self._unread())

    def _unread(self) -> dict[str, str]:
        """The files that cannot be opened and were not reported before."""
        fresh = {name: why for name, why in self._followed.unread.items() if name not in self._told_unread}
        self._told_unread |= fresh.keys()
        return fresh

    def stopped(self, stop: KeyboardInterrupt) -> Ended:
        """The end of the watch after a request; a result that was just completed belongs to this look."""
        if isinstance(stop, StoppedAfter):
            self.as_of = self._looked
        try:
            news = self._followed.news(last=True)
        except ReplayError:
            news = None
        return Ended(self.as_of, news.size if news is not None and not isinstance(stop, StoppedAfter) else 0)

    def _judge(self, news: News, as_of: datetime) -> None:
        put_back(self._out)
        options = self._options
        goes_on = is_result(self._out)
        if goes_on and self._before is None:
            self._before = _standing(self._out)
        spark = self._session(news.whole_size)
        with lent(spark, for_a_run(news.whole_size)):
            if goes_on:
                append(
                    self._out,
                    self._inputs,
                    nodes=options.nodes,
                    layout=options.layout,
                    timezone=options.timezone,
                    node_timezones=options.node_timezones,
                    spark=spark,
                    on_step=self._on_step,
                    news=news,
                    seal=partial(self._mark, as_of=as_of),
                )
            else:
                made(
                    Job(self._inputs, self._out, options.nodes, options.layout, options.zones),
                    gather=partial(gather, news=news),
                    graphframes=options.graphframes,
                    spark=spark,
                    on_step=self._on_step,
                    seal=partial(self._mark, as_of=as_of),
                )

    def _session(self, size: int) -> SparkSession:
        """The session; a new, larger one if the logs have outgrown the first."""
        if self._spark is not None and self._sized_for <= SMALL_BYTES < size:
            self._end_session()
        if self._spark is None:
            self._on_step("Starting Spark")
            self._is_ours = SparkSession.getActiveSession() is None
            self._spark, self._sized_for = session(self._options.graphframes, input_bytes=size, stays=True), size
        return self._spark

    def _check_java(self) -> None:
        """Drop a Java that has died: the next look starts another."""
        java = java_process()
        if java is not None and java.process.poll() is not None:
            self._end_session()

    def _end_session(self) -> None:
        if self._spark is not None and self._is_ours:
            end_session(self._spark)
        self._spark = None

    def _mark(self, result: Path, as_of: datetime) -> None:
        """Make the page show the time of its analysis, and reload itself."""
        replace_text(result, _PAGE, partial(watched, as_of=as_of, every_seconds=self._every))

    def end(self) -> None:
        """Stop the page's reloads, and end the session."""
        if self.as_of is not None:
            with suppress(OSError):
                replace_text(self._out, _PAGE, unwatched)
        self._end_session()


def _standing(out: Path) -> Standing:
    result = Result(out)
    return standing({name: result.table(name, columns) for name, columns in TABLES.items()})


@contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """An event that is set as soon as a signal asks this process to end, before any other handler runs."""
    asked = threading.Event()
    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if wanted := getattr(signal, name, None):  # Windows has no SIGHUP
                before[wanted] = signal.getsignal(wanted)

    def note(number: int, frame: object) -> None:
        asked.set()
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)  # type: ignore[arg-type]
        else:
            raise KeyboardInterrupt

    for name, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(name, note)
    try:
        yield asked
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
