"""Signs of trouble in the samples of one node: times in which a resource was at its limit, against its own past and its peers.

The limits are in docs/metrics.md. A sign alone proves no cause: `replay.metrics.statements` holds it against what the log lines prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

from replay.metrics.evidence import Point, Run, at_that_time, runs, usual
from replay.metrics.series import OF_BROKERS, OF_HOSTS, Series
from replay.metrics.values import (
    cleaning,
    collecting,
    connecting,
    controller_queue,
    idle,
    moved_in,
    moved_out,
    network_idle,
    queued,
    read_times,
    sent_again,
    throttled,
    throughput,
    write_times,
)

DISK_FULL, DISK, MEMORY, PROCESSOR = "disk_full", "disk", "memory", "processor"
NETWORK, PROCESS, UNREACHABLE = "network", "process", "unreachable"
SILENT, FLUSHES = "silent", "flushes"
HANDLERS, NETWORK_THREADS, CACHE, CLIENTS = "handlers", "network_threads", "cache", "clients"
REASSIGNMENT, CONTROLLER, CLEANER = "reassignment", "controller", "cleaner"
OVERLOADED, REQUEST_QUEUE = "overloaded", "request_queue"
# The deepest first: a slow disk keeps handlers busy, a reader of old records makes a disk slow by its load, and a process without processor
# time answers nobody.
DEPTH = (
    DISK_FULL,
    DISK,
    MEMORY,
    PROCESSOR,
    CLEANER,
    CACHE,
    REASSIGNMENT,
    OVERLOADED,
    NETWORK,
    FLUSHES,
    HANDLERS,
    NETWORK_THREADS,
    CLIENTS,
    CONTROLLER,
    PROCESS,
    UNREACHABLE,
    REQUEST_QUEUE,
    SILENT,
)
SLOW_WRITE_S, FAST_WRITE_S = 0.05, 0.02
FLUSH_MS = FETCH_MS = 100.0
QUEUED_MS, QUEUED = 500.0, 5  # of a request in the queue, and requests in it at a scrape
LEAST_BYTES, MOVED_BYTES = 1e5, 1e6  # for each second
THROTTLED, STOLEN_PERCENT = 0.5, 30.0
COLLECTING = 0.2
SENT_AGAIN = 0.05
BUSY_IDLE, CALM_IDLE = 0.1, 0.3
TIMES_USUAL, TIMES_PEERS, TIMES_MOVED = 5.0, 3.0, 3.0
FULL = 0.01
OFTEN, MOSTLY = 0.05, 0.8  # shares of scrapes without an answer, and with one


@dataclass(frozen=True)
class Sign:
    """A resource of a node at its limit. `worst`: the worst value; `usual`: the usual one before."""

    subject: str
    node: int
    run: Run
    worst: float
    usual: float | None = None
    device: str | None = None
    is_overload: bool = False  # of a disk: it moved many times its usual bytes, so what moves them is deeper
    is_source: bool = False  # of a reassignment

    @property
    def depth(self) -> int:
        """Its place among causes, the deepest first."""
        return DEPTH.index(OVERLOADED if self.is_overload else self.subject)


@dataclass(frozen=True)
class Limit:
    """When a value is bad: at least `least`, `times_usual` the usual value and `times_peers` that of the peers then."""

    least: float
    usual: float | None = None
    peers: Sequence[Sequence[Point]] = ()

    def __call__(self, point: Point) -> bool:
        if point.value < self.least or (self.usual is not None and point.value < TIMES_USUAL * self.usual):
            return False
        others = [value for points in self.peers for value in at_that_time(points, point)]
        return not others or point.value >= TIMES_PEERS * median(others)


def signs(series: Series, begin: datetime) -> list[Sign]:
    """The signs of all nodes with samples; `begin`: before it, values are usual."""
    found = [sign for node in series.nodes for find in _FINDERS for sign in find(series, node, begin)]
    return sorted(found, key=lambda sign: (sign.depth, sign.run.began_high))


def _disk(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """Slow writes of a device, and slow flushes or appends of the broker at the same time. A busy device (%util) alone is no
    sign: an SSD can serve many requests at once.
    """
    others = [points for peer in series.nodes if peer != node for points in write_times(series, peer).values()]
    in_broker = list(_slow_in_broker(series, node, begin))
    moved = throughput(series, node)
    for device, points in write_times(series, node).items():
        past = usual(points, begin)
        for run in runs(points, Limit(SLOW_WRITE_S, past, others)):
            if any(_overlap(run, other) for other in in_broker):
                is_overload = _has_risen(moved.get(device, ()), run, begin)
                yield Sign(DISK, node, run, run.worst, past, device, is_overload)


def _has_risen(points: Sequence[Point], run: Run, begin: datetime) -> bool:
    """Whether a device moved several times its usual bytes in a time. One that is slow of itself moves no more than usual."""
    past = usual(points, min(begin, run.points[0].since))
    during = [one.value for one in points if one.ts in {bad.ts for bad in run.points}]
    return past is not None and bool(during) and median(during) >= max(TIMES_MOVED * past, LEAST_BYTES)


def _cleaner(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """A disk that is overloaded while the log cleaner compacts."""
    spans = cleaning(series, node)
    for sign in _disk(series, node, begin):
        cleaned = [
            (low, high) for low, high in spans if low <= sign.run.points[-1].ts and high >= sign.run.points[0].since
        ]
        if sign.is_overload and cleaned:
            longest = max((high - low).total_seconds() for low, high in cleaned)
            yield Sign(CLEANER, node, sign.run, longest, None, sign.device)


def _flushes(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """Slow flushes of the log of a broker without a sample of its devices: its disk or its processor was slow."""
    if any(write_times(series, node).values()):
        return
    peers = [series.one(peer, "log_flush_ms") for peer in series.nodes if peer != node]
    points = series.one(node, "log_flush_ms")
    past = usual(points, begin)
    for run in runs(points, Limit(FLUSH_MS, past, peers)):
        yield Sign(FLUSHES, node, run, run.worst, past)


def _slow_in_broker(series: Series, node: int, begin: datetime) -> Iterator[Run]:
    """Times in which flushes of the log, or appends, took long."""
    for metric in ("log_flush_ms", "produce_local_ms"):
        peers = [series.one(peer, metric) for peer in series.nodes if peer != node]
        points = series.one(node, metric)
        yield from runs(points, Limit(FLUSH_MS, usual(points, begin), peers))


def _overlap(one: Run, other: Run) -> bool:
    """Whether two times can be the same."""
    first, last = one.points[0].since, one.points[-1].ts
    return other.points[0].since <= last and first <= other.points[-1].ts


def _above(subject: str, least: float, values: Callable[[Series, int], list[Point]]) -> Callable[..., Iterator[Sign]]:
    """A finder of values above a limit, the usual value and the peers."""

    def find(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
        points = values(series, node)
        past = usual(points, begin)
        peers = [values(series, peer) for peer in series.nodes if peer != node]
        for run in runs(points, Limit(least, past, peers)):
            yield Sign(subject, node, run, run.worst, past)

    return find


def _saturated(subject: str, values: Callable[[Series, int], list[Point]]) -> Callable[..., Iterator[Sign]]:
    """A finder of threads that were hardly idle."""

    def find(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
        points = values(series, node)
        past = usual(points, begin)
        if past is not None and past < CALM_IDLE:
            return  # it is always like that
        for run in runs(points, lambda point: point.value <= BUSY_IDLE):
            yield Sign(subject, node, run, min(point.value for point in run.points), past)

    return find


def _full(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """File systems with hardly any space left."""
    sizes = series.all(node, "disk_size_bytes")
    for labels, points in series.all(node, "disk_free_bytes").items():
        size = max((one.value for one in sizes.get(labels, ())), default=0.0)
        if size:
            for run in runs(points, lambda point, size=size: point.value <= FULL * size):  # type: ignore[misc]
                yield Sign(DISK_FULL, node, run, min(point.value for point in run.points) / size)


def _standing(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """Times in which the exporter inside a broker did not answer and those of other brokers did: the process, if the exporter of its
    host answered, else its host or the network to it. An exporter that is often silent is no sign.
    """
    hosts = series.targets(node, OF_HOSTS)
    others = [points for peer in series.nodes if peer != node for points in series.targets(peer, OF_BROKERS)]
    for points in map(_since_first_answer, series.targets(node, OF_BROKERS)):
        past = [point.value for point in points if point.ts < begin]
        if past.count(0) > max(1, OFTEN * len(past)):
            continue
        for run in runs(points, lambda point: point.value == 0):
            of_others = [value for up in others for value in _during(up, run)]
            if run.began_low is None or (others and sum(of_others) < MOSTLY * max(1, len(of_others))):
                continue
            answered = [value for up in hosts for value in _during(up, run)]
            subject = SILENT if not answered else PROCESS if max(answered) == 1 else UNREACHABLE
            yield Sign(subject, node, run, 0.0)


def _since_first_answer(points: Sequence[Point]) -> list[Point]:
    """The scrapes of a target from its first answer on: before it, the process was not started."""
    first = next((number for number, point in enumerate(points) if point.value == 1), len(points))
    return list(points[first:])


def _during(points: Iterable[Point], run: Run) -> list[float]:
    first, last = run.points[0].ts, run.points[-1].ts
    return [one.value for one in points if first <= one.ts <= last]


def _cache(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """Slow reads of a device that reads many times its usual bytes, while fetches of consumers take long: a reader of old records, which are
    not in the page cache. The network thread that sends them waits for the disk, so mostly the time to send is long.
    """
    slow = [
        run
        for metric in ("fetch_consumer_local_ms", "fetch_consumer_response_send_ms")
        for points in series.all(node, metric).values()
        for run in runs(points, Limit(FETCH_MS, usual(points, begin)))
    ]
    read = throughput(series, node, ["read"])
    others = [points for peer in series.nodes if peer != node for points in read_times(series, peer).values()]
    for device, points in read_times(series, node).items():
        past = usual(points, begin)
        for run in runs(points, Limit(SLOW_WRITE_S, past, others)):
            if any(_overlap(run, other) for other in slow) and _has_risen(read.get(device, ()), run, begin):
                yield Sign(CACHE, node, run, run.worst, past, device)


def _reassignment(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """A reassignment that makes up most of what a broker sends to others, or takes from them."""
    for values in (moved_out, moved_in):
        points = values(series, node)
        for run in runs(points, Limit(MOVED_BYTES, usual(points, begin))):
            yield Sign(REASSIGNMENT, node, run, run.worst, usual(points, begin), is_source=values is moved_out)


def _queue(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """Requests that waited long for a request handler; where the length of the queue was sampled, the scrapes in a row at which it was long date it."""
    slow = list(_above(REQUEST_QUEUE, QUEUED_MS, queued)(series, node, begin))
    lengths = series.one(node, "request_queue")
    if not lengths:
        yield from slow
    for run in runs(lengths, Limit(QUEUED, usual(lengths, begin))):
        of_run = [sign for sign in slow if _overlap(run, sign.run)]
        if of_run and len(run.points) > 1:
            yield replace(of_run[0], run=run)


_FINDERS: tuple[Callable[[Series, int, datetime], Iterator[Sign]], ...] = (
    _full,
    _disk,
    _flushes,
    _above(MEMORY, COLLECTING, collecting),
    _above(PROCESSOR, THROTTLED, throttled),
    _above(PROCESSOR, STOLEN_PERCENT, lambda series, node: series.one(node, "cpu_steal_percent")),
    _above(NETWORK, SENT_AGAIN, sent_again),
    _cleaner,
    _cache,
    _reassignment,
    _saturated(HANDLERS, idle),
    _saturated(NETWORK_THREADS, network_idle),
    _above(CLIENTS, 50.0, connecting),
    _above(CONTROLLER, 1_000.0, controller_queue),
    _queue,
    _standing,
)
