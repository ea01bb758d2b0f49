"""Signs of trouble in the samples of one node: times in which a resource was at its limit, against its own past and its peers.

The limits are in docs/metrics.md. A sign alone proves no cause: `replay.metrics.statements` holds it against what the log lines prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from replay.metrics.evidence import Point, Run, at_that_time, changes, rates, ratios, runs, since_start, usual
from replay.metrics.series import OF_BROKERS, OF_HOSTS, Series

DISK_FULL, DISK, MEMORY, PROCESSOR = "disk_full", "disk", "memory", "processor"
NETWORK, PROCESS, UNREACHABLE = "network", "process", "unreachable"
SILENT, FLUSHES = "silent", "flushes"
HANDLERS, NETWORK_THREADS, CACHE, CLIENTS = "handlers", "network_threads", "cache", "clients"
REASSIGNMENT, CONTROLLER = "reassignment", "controller"
# The deepest first: a slow disk keeps handlers busy, and a process without processor time answers nobody.
DEPTH = (
    DISK_FULL,
    DISK,
    MEMORY,
    PROCESSOR,
    NETWORK,
    CACHE,
    REASSIGNMENT,
    FLUSHES,
    HANDLERS,
    NETWORK_THREADS,
    CLIENTS,
    CONTROLLER,
    PROCESS,
    UNREACHABLE,
    SILENT,
)
SLOW_WRITE_S, FAST_WRITE_S = 0.05, 0.02
FLUSH_MS = 100.0
WAITING_DISK = 0.9  # share of an interval in which a disk was busy without a finished write
THROTTLED, STOLEN_PERCENT = 0.5, 30.0
COLLECTING = 0.2
SENT_AGAIN = 0.05
BUSY_IDLE, CALM_IDLE = 0.1, 0.3
TIMES_USUAL, TIMES_PEERS = 5.0, 3.0
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
    return sorted(found, key=lambda sign: (DEPTH.index(sign.subject), sign.run.began_high))


def write_times(series: Series, node: int) -> Mapping[str, list[Point]]:
    """The mean seconds of a write on each device, for each interval; where no write finished and the disk was busy for all
    the interval, the length of the interval.
    """
    found: dict[str, list[Point]] = {}
    writes = series.all(node, "disk_writes")
    for labels, seconds in series.all(node, "disk_write_time").items():
        times = ratios(seconds, writes.get(labels, ()))
        waiting = _waiting(series.all(node, "disk_busy_time").get(labels, ()), writes.get(labels, ()))
        found[dict(labels).get("device", "")] = sorted([*times, *waiting])
    for metric in ("disk_write_await_ms", "disk_await_ms"):
        for labels, points in series.all(node, metric).items():
            device = dict(labels).get("device") or dict(labels).get("disk-device") or ""
            found.setdefault(device, [point._replace(value=point.value / 1000) for point in points])
    return found


def _waiting(busy: Sequence[Point], writes: Sequence[Point]) -> list[Point]:
    finished = {(one.since, one.ts): one.value for one in changes(writes)}
    return [
        one._replace(value=(one.ts - one.since).total_seconds())
        for one in rates(busy)
        if one.value >= WAITING_DISK and finished.get((one.since, one.ts)) == 0
    ]


def _disk(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """Slow writes of a device, and slow flushes or appends of the broker at the same time. A busy device (%util) alone is no
    sign: an SSD can serve many requests at once.
    """
    others = [points for peer in series.nodes if peer != node for points in write_times(series, peer).values()]
    in_broker = list(_slow_in_broker(series, node, begin))
    for device, points in write_times(series, node).items():
        past = usual(points, begin)
        for run in runs(points, Limit(SLOW_WRITE_S, past, others)):
            if any(_overlap(run, other) for other in in_broker):
                yield Sign(DISK, node, run, run.worst, past, device)


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


def network_idle(series: Series, node: int) -> list[Point]:
    """The idle share of a node's network threads."""
    return series.one(node, "network_idle")


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


def reading(series: Series, node: int) -> list[Point]:
    """The bytes for each second that the disks of a node read, of the one that read most."""
    by_device = [rates(points) for points in series.all(node, "disk_read_bytes").values()]
    return max(by_device, key=lambda points: max((one.value for one in points), default=0.0), default=[])


def _cache(series: Series, node: int, begin: datetime) -> Iterator[Sign]:
    """Reads from the disk while fetches of consumers take long: a reader of old records, which are not in the page cache."""
    local = series.one(node, "fetch_consumer_local_ms")
    slow = list(runs(local, Limit(FLUSH_MS, usual(local, begin))))
    points = reading(series, node)
    past = usual(points, begin)
    for run in runs(points, Limit(10e6, past)):
        if any(_overlap(run, other) for other in slow):
            yield Sign(CACHE, node, run, run.worst, past)


def connecting(series: Series, node: int) -> list[Point]:
    """New connections for each second."""
    return rates(series.one(node, "connections_made"))


def moving(series: Series, node: int) -> list[Point]:
    """Bytes for each second that a reassignment brought to a node."""
    return rates(series.one(node, "reassignment_bytes_in"))


def controller_queue(series: Series, node: int) -> list[Point]:
    """How long events waited in the controller's queue, in milliseconds."""
    return series.one(node, "controller_queue_ms")


_FINDERS: tuple[Callable[[Series, int, datetime], Iterator[Sign]], ...] = (
    _full,
    _disk,
    _flushes,
    _above(MEMORY, COLLECTING, collecting),
    _above(PROCESSOR, THROTTLED, throttled),
    _above(PROCESSOR, STOLEN_PERCENT, lambda series, node: series.one(node, "cpu_steal_percent")),
    _above(NETWORK, SENT_AGAIN, sent_again),
    _cache,
    _above(REASSIGNMENT, 1e6, moving),
    _saturated(HANDLERS, idle),
    _saturated(NETWORK_THREADS, network_idle),
    _above(CLIENTS, 50.0, connecting),
    _above(CONTROLLER, 1_000.0, controller_queue),
    _standing,
)
