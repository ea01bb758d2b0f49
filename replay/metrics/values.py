"""The values of a node that signs and the page use, from its samples: of each interval, or at each scrape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from replay.metrics.evidence import Point, changes, rates, ratios, since_start
from replay.metrics.series import Labels, Series

WAITING_DISK = 0.9  # share of an interval in which a disk was busy without a finished write
CLEANER_RESTS_MS = 16_000.0  # a cleaner without work looks for some after 15 s (log.cleaner.backoff.ms)
Span = tuple[datetime, datetime]


def write_times(series: Series, node: int) -> Mapping[str, list[Point]]:
    """The mean seconds of a write on each device, for each interval; where no write finished and the disk was busy for all
    the interval, the length of the interval.
    """
    return _times_of(series, node, "write")


def read_times(series: Series, node: int) -> Mapping[str, list[Point]]:
    """The same of reads."""
    return _times_of(series, node, "read")


def _times_of(series: Series, node: int, what: str) -> Mapping[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    finished = series.all(node, f"disk_{what}s")
    busy = series.all(node, "disk_busy_time") if what == "write" else {}
    for labels, seconds in series.all(node, f"disk_{what}_time").items():
        times = ratios(seconds, finished.get(labels, ()))
        waiting = _waiting(busy.get(labels, ()), finished.get(labels, ()))
        found[dict(labels).get("device", "")] = sorted([*times, *waiting])
    for metric in (f"disk_{what}_await_ms", "disk_await_ms"):
        for labels, points in series.all(node, metric).items():
            found.setdefault(_device(labels), [point._replace(value=point.value / 1000) for point in points])
    return found


def _device(labels: Labels) -> str:
    return dict(labels).get("device") or dict(labels).get("disk-device") or ""


def _waiting(busy: Sequence[Point], writes: Sequence[Point]) -> list[Point]:
    finished = {(one.since, one.ts): one.value for one in changes(writes)}
    return [
        one._replace(value=(one.ts - one.since).total_seconds())
        for one in rates(busy)
        if one.value >= WAITING_DISK and finished.get((one.since, one.ts)) == 0
    ]


def throughput(series: Series, node: int, ways: Iterable[str] = ("written", "read")) -> Mapping[str, list[Point]]:
    """The bytes for each second that a device wrote and read."""
    found: dict[str, dict[datetime, Point]] = {}
    for way in ways:
        for labels, points in series.all(node, f"disk_{way}_bytes").items():
            of_device = found.setdefault(_device(labels), {})
            for one in rates(points):
                seen = of_device.get(one.ts)
                of_device[one.ts] = (
                    one if seen is None else one._replace(value=seen.value + one.value, ids=(*seen.ids, *one.ids))
                )
    return {device: sorted(points.values()) for device, points in found.items()}


def throttled(series: Series, node: int) -> list[Point]:
    """The share of time in which the container of a node waited for its quota of processor time."""
    return rates(series.one(node, "cpu_throttled_time"))


def collecting(series: Series, node: int) -> list[Point]:
    """The share of time in which Java's collectors ran, of the one that ran longest."""
    by_collector = [rates(points) for points in series.all(node, "gc_time").values()]
    return max(by_collector, key=lambda points: max((one.value for one in points), default=0.0), default=[])


def sent_again(series: Series, node: int) -> list[Point]:
    """The share of TCP segments that the host of a node sent again."""
    return ratios(series.one(node, "tcp_retransmits"), series.one(node, "tcp_segments"))


def idle(series: Series, node: int) -> list[Point]:
    """The idle share of a node's request handlers, with the greatest value that fits the samples.

    On a combined node the pools of broker and controller mark one meter, and 2 means that all handlers are idle. A value near 0 means that
    both are busy; one near 1 does not tell which.
    """
    points = rates(series.one(node, "handler_idle_time"))
    if not points and (started := series.one(node, "process_start")):
        start = datetime.fromtimestamp(started[-1].value, started[-1].ts.tzinfo)
        recovered = since_start(series.raw(node, "handler_idle_since_start"), start)
        points = [point._replace(value=high) for point, _, high in recovered]
    return points or series.one(node, "handler_idle")


def network_idle(series: Series, node: int) -> list[Point]:
    """The idle share of a node's network threads."""
    return series.one(node, "network_idle")


def connecting(series: Series, node: int) -> list[Point]:
    """New connections for each second."""
    return rates(series.one(node, "connections_made"))


def queued(series: Series, node: int) -> list[Point]:
    """How many milliseconds one in a hundred produce requests waited for a request handler. A mean of idle handlers since the start hardly moves."""
    of_99 = (
        points
        for labels, points in series.all(node, "produce_request_queue_ms").items()
        if dict(labels).get("quantile") == "0.99"
    )
    return next(of_99, [])


def moved_in(series: Series, node: int) -> list[Point]:
    """Bytes for each second that a reassignment brought to a node."""
    return rates(series.one(node, "reassignment_bytes_in"))


def moved_out(series: Series, node: int) -> list[Point]:
    """Bytes for each second that a reassignment took from a node."""
    return rates(series.one(node, "reassignment_bytes_out"))


def controller_queue(series: Series, node: int) -> list[Point]:
    """How long events waited in the controller's queue, in milliseconds."""
    return series.one(node, "controller_queue_ms")


def moved(series: Series, node: int) -> list[Point]:
    """The greater of what a reassignment brought to a node and took from it, where both were sampled."""
    pairs = zip(moved_in(series, node), moved_out(series, node), strict=False)
    return [max(one, other, key=lambda point: point.value) for one, other in pairs if one.ts == other.ts]


def read(series: Series, node: int) -> list[Point]:
    """The bytes for each second that the disks of a node read, of the one that read most."""
    devices = throughput(series, node, ["read"]).values()
    return max(devices, key=lambda points: max((one.value for one in points), default=0.0), default=[])


def cleaner_busy(series: Series, node: int) -> list[Point]:
    """For how many milliseconds the log cleaner of a node has asked for no other work; each value holds for that time."""
    return [
        one._replace(since=one.ts - timedelta(milliseconds=one.value))
        for one in series.one(node, "cleaner_since_run_ms")
    ]


def cleaning(series: Series, node: int) -> list[Span]:
    """Times in which the log cleaner of a node certainly compacted logs. It asked for no other work since a time, or a run that has ended took
    so long. A node with a dead cleaner thread has none.
    """
    if any(point.value > 0 for point in series.one(node, "cleaner_dead_threads")):
        return []
    found = [(one.since, one.ts) for one in cleaner_busy(series, node) if one.value >= CLEANER_RESTS_MS]
    for earlier, later in pairwise(series.one(node, "cleaner_run_s")):
        began = later.latest - timedelta(seconds=later.value)
        if later.value != earlier.value and began < earlier.ts:
            found.append((began, earlier.ts))
    return found
