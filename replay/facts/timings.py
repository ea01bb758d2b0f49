"""The timeouts and intervals of each node: its own settings, else the defaults of its release; looked up by node and
time. Every time window in a rule comes from here: in a cluster with sessions of 60 s a rule uses 60 s.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from replay.facts.groups import grouped
from replay.facts.lines import detail_number, whole_number
from replay.facts.order import nulls_first
from replay.facts.reads import reads
from replay.facts.releases import version_number
from replay.facts.times import first_known, greatest
from replay.tables.brokers import NodeRelease, NodeTimings, Setting
from replay.tables.reading import Fact


@dataclass(frozen=True)
class Timing:
    """One timing: its column in `TIMINGS`, Kafka's setting, and the default, which may differ in older releases."""

    column: str
    setting: str
    default_ms: int
    until: str | None = None
    default_until_ms: int | None = None
    unit_ms: int = 1

    def default_of(self, version_high: int | None) -> int | None:
        """The default in a release, as a number of `version_number`; an unknown release counts as the newest."""
        if self.until is not None and version_high is not None and version_high < version_number(self.until):
            return self.default_until_ms
        return self.default_ms


TIMED = (
    Timing("replica_lag_ms", "replica.lag.time.max.ms", 30_000, until="2.5.0", default_until_ms=10_000),  # KIP-537
    Timing("zookeeper_session_ms", "zookeeper.session.timeout.ms", 18_000, until="2.5.0", default_until_ms=6_000),
    Timing("broker_session_ms", "broker.session.timeout.ms", 9_000),  # KIP-631, and the next
    Timing("heartbeat_ms", "broker.heartbeat.interval.ms", 2_000),
    Timing("replica_socket_ms", "replica.socket.timeout.ms", 30_000),
    Timing("controller_socket_ms", "controller.socket.timeout.ms", 30_000),
    Timing("fetch_wait_ms", "replica.fetch.wait.max.ms", 500),
    Timing("fetch_backoff_ms", "replica.fetch.backoff.ms", 1_000),
    Timing("checkpoint_ms", "replica.high.watermark.checkpoint.interval.ms", 5_000),
    Timing("quorum_fetch_ms", "controller.quorum.fetch.timeout.ms", 2_000),  # KIP-595, and the next
    Timing("quorum_election_ms", "controller.quorum.election.timeout.ms", 1_000),
    Timing("imbalance_check_ms", "leader.imbalance.check.interval.seconds", 300_000, unit_ms=1_000),
)
_OF_CONTROLLERS = ("broker_session_ms",)  # what the controllers' setting decides, whatever a broker's own says
_ROLES = "process.roles"
_GRANTED = "zk_session_connected"


class Timings:
    """The rows of `TIMINGS`, to look up: `timings.at(node, ts).replica_lag_ms`."""

    def __init__(self, rows: Iterable[NodeTimings]) -> None:
        in_order = sorted(rows, key=lambda row: nulls_first(row.start_ts))
        self._of_node = grouped(in_order, lambda row: row.node_id)
        self._of_any_other = next((row for row in in_order if row.node_id is None), NodeTimings())

    def at(self, node_id: int | None, ts: datetime | None) -> NodeTimings:
        """The timings of a node at a time, or those of another node if it has none."""
        own = self._of_node.get(node_id, []) if node_id is not None else []
        at = bisect_right(own, nulls_first(ts), key=lambda row: nulls_first(row.start_ts)) - 1
        return own[at] if at >= 0 and _holds_at(own[at], ts) else self._of_any_other


def _holds_at(row: NodeTimings, ts: datetime | None) -> bool:
    if ts is None:
        return row.start_ts is None and row.end_ts is None
    return (row.start_ts is None or row.start_ts <= ts) and (row.end_ts is None or row.end_ts > ts)


@dataclass(frozen=True)
class Dump:
    """The settings that a node printed at one time, and the time range in which they apply."""

    node_id: int
    settings: tuple[Setting, ...] = ()
    start_ts: datetime | None = None
    end_ts: datetime | None = None

    @property
    def is_of_a_controller(self) -> bool:
        return any(one.name == _ROLES and "controller" in (one.value or "") for one in self.settings)

    def value_of(self, timing: Timing) -> int | None:
        """A timing of these settings, in milliseconds; None if missing or not a number."""
        stated = [whole_number(one.value) for one in self.settings if one.name == timing.setting]
        return greatest(*[None if value is None else value * timing.unit_ms for value in stated])


def timings(settings: Iterable[Setting], releases: Iterable[NodeRelease], facts: Iterable[Fact]) -> list[NodeTimings]:
    """Each node's timings, from each time at which it printed its settings; and a row for all other nodes. Returns
    `TIMINGS`. The ensemble's granted length of a ZooKeeper session applies. The row without a node has the maximum of
    each timing.
    """
    dumps, granted = _dumps(settings), _granted_sessions(facts)
    version_high = {row.node_id: row.version_high for row in releases}
    all_dumps = [dump for node in sorted({*dumps, *version_high}) for dump in dumps.get(node, [Dump(node)])]
    own = [_own_row(dump, version_high.get(dump.node_id), granted.get(dump.node_id)) for dump in all_dumps]
    of_controllers = [row for dump, row in zip(all_dumps, own, strict=True) if dump.is_of_a_controller]
    decided = {name: greatest(*[getattr(row, name) for row in of_controllers]) for name in _OF_CONTROLLERS}
    everywhere = [_decided_by_controllers(row, decided) for row in own]
    return [*everywhere, _of_any_other(everywhere)]


def _dumps(settings: Iterable[Setting]) -> dict[int, list[Dump]]:
    """By node, in the order of time. The first settings that a node printed also apply to the time before."""
    printed: dict[int, dict[datetime | None, list[Setting]]] = {}
    for one in settings:
        if one.node_id is not None:
            printed.setdefault(one.node_id, {}).setdefault(one.ts, []).append(one)
    return {node: list(_laid_end_to_end(node, at_times)) for node, at_times in printed.items()}


def _laid_end_to_end(node: int, at_times: dict[datetime | None, list[Setting]]) -> Iterator[Dump]:
    times = sorted(at_times, key=nulls_first)
    for ts, next_ts in zip(times, [*times[1:], None], strict=True):
        yield Dump(node, tuple(at_times[ts]), None if ts == times[0] else ts, next_ts)


@reads(_GRANTED)
def _granted_sessions(facts: Iterable[Fact]) -> dict[int | None, int | None]:
    """By node, the longest ZooKeeper session that the ensemble granted it."""
    granted: dict[int | None, int | None] = {}
    for fact in facts:
        if fact.kind == _GRANTED:
            granted[fact.node_id] = greatest(granted.get(fact.node_id), detail_number(fact, "timeout_ms"))
    return granted


def _own_row(dump: Dump, version_high: int | None, granted_ms: int | None) -> NodeTimings:
    row = NodeTimings(
        node_id=dump.node_id,
        start_ts=dump.start_ts,
        end_ts=dump.end_ts,
        **{timing.column: first_known(dump.value_of(timing), timing.default_of(version_high)) for timing in TIMED},
    )
    return row.but(zookeeper_session_ms=first_known(granted_ms, row.zookeeper_session_ms))


def _decided_by_controllers(row: NodeTimings, decided: dict[str, int | None]) -> NodeTimings:
    """A node's row with the controllers' values of the timings that controllers apply, if a controller printed its
    roles.
    """
    return row.but(**{name: value for name, value in decided.items() if value is not None})


def _of_any_other(own: list[NodeTimings]) -> NodeTimings:
    longest = {
        timing.column: first_known(greatest(*[getattr(row, timing.column) for row in own]), timing.default_ms)
        for timing in TIMED
    }
    return NodeTimings(**longest)
