"""A time window: what its lines, and the few lines around it, allow to conclude. The input keeps some lines before the
window (`replay.facts.needed_before`) and each node's next line after it. These lines show the state; missing lines
among them prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.catalogue.kinds import HOST_KINDS
from replay.facts.groups import grouped
from replay.facts.order import at_most, less
from replay.facts.times import first_known, unix_micros
from replay.reading.witnesses import PROPERTIES, STATE_WITNESSES, WITNESS_LAYOUTS
from replay.tables.faults import Fault
from replay.tables.reading import Event

_HOLD_ALWAYS = (*PROPERTIES, "server.properties")
_DATED_LAYOUTS = pa.array([layout for layout in WITNESS_LAYOUTS if layout not in _HOLD_ALWAYS])
_STATES = pa.array(STATE_WITNESSES)
_UTC = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class TimeWindow:
    """The time from `since` up to, but without, `until`; None means unbounded.
    `has_borders`: the input contains each node's last line before the window and its next line after it.
    """

    since: datetime | None = None
    until: datetime | None = None
    has_borders: bool = True

    @property
    def is_open(self) -> bool:
        """Whether it is unbounded."""
        return self.since is None and self.until is None

    def holds(self, time: datetime) -> bool:
        """Whether a time lies in the window."""
        return (self.since is None or self.since <= time) and (self.until is None or time < self.until)

    def hold_each(self, times: pa.Array) -> pa.Array:
        """Whether each of some times lies in the window; an unknown time does not."""
        return pc.and_(self._begin_by(times), self._end_after(times))

    def _begin_by(self, times: pa.Array) -> pa.Array:
        if self.since is None:
            return times.is_valid()
        return pc.fill_null(pc.greater_equal(times.cast(_UTC), pa.scalar(self.since, _UTC)), False)

    def _end_after(self, times: pa.Array) -> pa.Array:
        if self.until is None:
            return times.is_valid()
        return pc.fill_null(pc.less(times.cast(_UTC), pa.scalar(self.until, _UTC)), False)

    def without_other_times(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches of `PRINTED` without witness lines of other times. The cluster's own records of partition states count
        up to the window's end.
        """
        for batch in batches:
            layout, ts = batch.column("layout"), batch.column("ts")
            of_time = pc.and_(pc.is_in(layout, _DATED_LAYOUTS), ts.is_valid())
            counts = pc.if_else(pc.is_in(layout, _STATES), self._end_after(ts), self.hold_each(ts))
            yield batch if self.is_open else batch.filter(pc.or_(pc.invert(of_time), counts))

    def events_by_end(self, events: Sequence[Event]) -> Sequence[Event]:
        """The events before its end, and those without a time."""
        until = self.until
        return events if until is None else [one for one in events if one.ts is None or one.ts < until]

    def unbroken_events(self, node_events: Sequence[Event]) -> Sequence[Event]:
        """The events of one node in the time without missing lines: from its last line before the window to its
        first one after it.
        """
        return self.unbroken_in(node_events, lambda _: "")

    def unbroken_in(self, node_events: Sequence[Event], log_of: Callable[[str], object]) -> Sequence[Event]:
        """The same for each log of the node by itself; `log_of`: the log of a file. A node that prints elsewhere may have
        had nothing to print there.
        """
        if self.is_open:
            return node_events
        boundaries: set[tuple[object, datetime]] = set()
        if self.has_borders:
            of_logs = grouped(
                (one for one in node_events if one.logger is not None and one.ts is not None),
                lambda one: log_of(one.source_file),
            )
            for log, lines in of_logs.items():
                before = max((one.ts for one in lines if less(one.ts, self.since)), default=None)
                after = min((one.ts for one in lines if at_most(self.until, one.ts)), default=None)
                boundaries |= {(log, ts) for ts in (before, after) if ts is not None}
        return [
            one
            for one in node_events
            if one.ts is None
            or self.holds(one.ts)
            or (one.logger is not None and (log_of(one.source_file), one.ts) in boundaries)
        ]

    def is_reached_by(self, end_ts: datetime | None) -> bool:
        """Whether a span with this end reaches into the window. Of spans that ended before it, lines may be missing."""
        return self.since is None or end_ts is None or end_ts > self.since

    def overlapping(self, faults: Iterable[Fault]) -> list[Fault]:
        """The faults, without those that ended before the window or began after it."""
        return [fault for fault in faults if not (self._is_over(fault) or self._is_to_come(fault))]

    def _is_over(self, fault: Fault) -> bool:
        return at_most(first_known(fault.end_ts, fault.ts), self.since)

    def _is_to_come(self, fault: Fault) -> bool:
        return at_most(self.until, first_known(fault.began_low, fault.ts))


@dataclass(frozen=True)
class KafkaEvents:
    """Kafka's own events up to the end of a window, without later ones and without those of hosts, containers and
    operators.
    """

    window: TimeWindow

    def frame(self, events: DataFrame) -> DataFrame:
        """These events in Spark."""
        own = F.col("kind").isNull() | ~F.col("kind").isin(sorted(HOST_KINDS))
        ts, until = F.col("ts"), self.window.until
        by_end = F.lit(True) if until is None else ts.isNull() | (ts < F.timestamp_micros(F.lit(unix_micros(until))))
        return events.where(own & by_end)

    def keeps(self, event: Event) -> bool:
        """Whether an event is one of them."""
        until = self.window.until
        return event.kind not in HOST_KINDS and (until is None or event.ts is None or event.ts < until)


ALL_TIME = TimeWindow()
"""Nothing is left out."""
