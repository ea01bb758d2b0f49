"""Moves timestamps to the time of the reference clock."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from replay.clocks.stamps import has_passed, is_log_line, is_of_host
from replay.clocks.zones import HOUR_MS, local_micros, same_local_time
from replay.facts.lines import detail_number
from replay.facts.times import EPOCH, unix_micros
from replay.facts.window import TimeWindow
from replay.reading.witnesses import HOST_WITNESSES
from replay.tables.arrow import from_arrow, with_column
from replay.tables.clocks import ClockWindow
from replay.tables.reading import PRINTED, PrintedRecord

_NEEDED = (
    "node_id",
    "source_file",
    "line_number",
    "raw_ts",
    "zone_known",
    "template_id",
    "level",
    "layout",
    "kind",
    "ts",
)


class Correction:
    """Corrects timestamps by the windows of the clocks: `ts` is in UTC by the reference clock; `raw_ts` stays as
    logged.

    A line of an unknown node is read in the zone of most nodes. A metadata record is corrected by the offset of its
    controller's clock. Checkpoint files have no clock.
    """

    def __init__(self, clock_windows: Iterable[ClockWindow]) -> None:
        self._windows: dict[int, list[ClockWindow]] = defaultdict(list)
        zones: Counter[str] = Counter()
        self._terms: list[tuple[int, float]] = []
        for window in clock_windows:
            if window.clock == "records":
                self._terms.append((window.first_offset, window.correction_ms))
            else:
                zones[window.zone] += 1
                if window.node_id is not None:
                    self._windows[window.node_id].append(window)
        for windows in self._windows.values():
            windows.sort(key=lambda one: one.window)
        self._terms.sort()
        self._usual = min(zones, key=lambda zone: (-zones[zone], zone)) if zones else "UTC"

    def ts(self, record: PrintedRecord) -> datetime | None:
        """When the record was logged, by the reference clock."""
        if record.raw_ts is None:
            return record.ts
        if is_log_line(record) or is_of_host(record):
            return _moment(self._of_line(record, record.raw_ts))
        if (record.kind or "").startswith("dump_"):
            return _moment(unix_micros(record.raw_ts) - self._of_term(record) * 1_000)
        return record.ts

    def _of_line(self, record: PrintedRecord, raw_ts: datetime) -> float:
        window = self._window(record, raw_ts)
        zone = "UTC" if record.zone_known else self._usual if window is None else window.zone or self._usual
        micros = local_micros(raw_ts, zone)
        if window is None:
            return micros
        repeated = window.window > 0 and same_local_time(raw_ts, zone)
        return micros + (HOUR_MS * 1_000 if repeated else 0) - (window.correction_ms or 0.0) * 1_000

    def _window(self, record: PrintedRecord, raw_ts: datetime) -> ClockWindow | None:
        """The window of the node's clock in which the record was logged."""
        windows = self._windows.get(record.node_id, ())
        if len(windows) <= 1:
            return windows[0] if windows else None
        given = windows[0].zone if windows[0].zone_from == "given" else None
        zone = "UTC" if record.zone_known else given
        wall = (unix_micros(raw_ts) if zone is None else local_micros(raw_ts, zone)) // 1_000
        found = None
        for window in windows:
            turn = {"before": window.before, "first_lines": window.first_lines}
            if not window.window or has_passed(turn, record.source_file, record.line_number, wall):
                found = window
        return found

    def _of_term(self, record: PrintedRecord) -> float:
        offset = detail_number(record, "offset")
        passed = [correction for first, correction in self._terms if offset is not None and first <= offset]
        return passed[-1] or 0.0 if passed else 0.0

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches of `PRINTED` with `ts` corrected.

        If a single window in UTC holds for all lines of a node, corrects them all at once.
        """
        nodes = [node for node, own in self._windows.items() if len(own) == 1 and (own[0].zone or self._usual) == "UTC"]
        offsets = [(self._windows[node][0].correction_ms or 0.0) * 1_000 for node in nodes]
        of_node, off = pa.array(nodes, pa.int32()), pa.array(offsets, pa.float64())
        for batch in batches:
            raw, ts = batch.column("raw_ts"), batch.column("ts")
            is_line, is_dump = _lines_and_dumps(batch)
            there = pc.index_in(batch.column("node_id"), of_node)
            at_once = pc.and_(is_line, there.is_valid())
            micros = pc.subtract(raw.cast(pa.int64()).cast(pa.float64()), off.take(there))
            ts = pc.if_else(at_once, micros.cast(pa.int64(), safe=False).cast(ts.type), ts)
            one_by_one = pc.and_(pc.or_(is_line, is_dump), pc.invert(at_once))
            rows = from_arrow(PRINTED, batch.filter(one_by_one).select([*_NEEDED, "details"]))
            ts = pc.replace_with_mask(ts, one_by_one, pa.array([self.ts(row) for row in rows], ts.type))
            yield with_column(batch, "ts", ts)


def corrected(printed: DataFrame, correction: Correction, window: TimeWindow) -> DataFrame:
    """The records in the time of the reference clock, without witness lines outside the window. Returns `PRINTED`; Spark's
    workers change whole columns.
    """
    return PRINTED.rows(printed).mapInArrow(_InTime(correction, window), PRINTED.schema)


@dataclass(frozen=True)
class _InTime:
    """What `corrected` does with the batches of one task."""

    correction: Correction
    window: TimeWindow

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return self.window.without_other_times(self.correction.batches(batches))


def _lines_and_dumps(batch: pa.RecordBatch) -> tuple[pa.Array, pa.Array]:
    """Which records with a timestamp are lines of a log or a host, and which others are records of a log segment."""
    dated = batch.column("raw_ts").is_valid()
    of_host = pc.is_in(batch.column("layout"), pa.array(HOST_WITNESSES, pa.string()))
    is_line = pc.or_(pc.or_(batch.column("template_id").is_valid(), batch.column("level").is_valid()), of_host)
    is_dump = pc.fill_null(pc.starts_with(batch.column("kind"), "dump_"), False)
    return pc.and_(dated, is_line), pc.and_(pc.and_(dated, is_dump), pc.invert(is_line))


def _moment(micros: float) -> datetime:
    return EPOCH + timedelta(microseconds=int(micros))
