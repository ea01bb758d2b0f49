"""Facts about the cluster for rules about one partition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replay.facts.lines import whole_number
from replay.facts.reads import reads
from replay.facts.releases import RELEASE_STATED, stated_release
from replay.facts.times import greatest, known, least
from replay.histories.cluster import Cluster
from replay.tables.brokers import ProcessLife, Setting
from replay.tables.partitions import TopicLife, TopicSetting
from replay.tables.reading import Fact

_LAG, _INTERVAL, _REBALANCES = (
    "replica.lag.time.max.ms",
    "leader.imbalance.check.interval.seconds",
    "auto.leader.rebalance.enable",
)
_INTERVAL_SECONDS = 300  # Kafka's default


@dataclass(frozen=True, slots=True)
class Node:
    """The lowest release that a node's lines show, and its replica.lag.time.max.ms if that never changed."""

    version_low: int | None = None
    lag_ms: int | None = None


UNKNOWN_NODE = Node()


@dataclass(frozen=True)
class Known:
    """Facts about the cluster: `cluster` as histories use it, its nodes, whether and how often it checks for leaders
    that are not preferred, and its last line.
    """

    cluster: Cluster = field(default_factory=Cluster)
    nodes: Mapping[int, Node] = field(default_factory=dict)
    is_rebalanced: bool = True
    rebalance_seconds: int = _INTERVAL_SECONDS
    last_ts: datetime | None = None

    def node(self, node_id: int) -> Node:
        return self.nodes.get(node_id, UNKNOWN_NODE)


@reads(RELEASE_STATED)
def known_of(
    facts: Iterable[Fact],
    settings: Sequence[Setting],
    processes: Sequence[ProcessLife],
    topic_settings: Iterable[TopicSetting],
    topic_lives: Iterable[TopicLife],
) -> Known:
    """The cluster, from rows of the tables of these names."""
    stated: dict[int, list[int]] = defaultdict(list)
    for fact in facts:
        if fact.node_id is not None and (release := stated_release(fact)) is not None:
            stated[fact.node_id].append(release)
    values: dict[str, list[str | None]] = defaultdict(list)
    lags: dict[int, set[int | None]] = defaultdict(set)
    for setting in settings:
        values[setting.name].append(setting.value)
        if setting.name == _LAG and setting.node_id is not None:
            lags[setting.node_id].add(whole_number(setting.value))
    nodes = {node: Node(least(*stated.get(node, ())), _only(lags.get(node, ()))) for node in {*stated, *lags}}
    return Known(
        Cluster.of(processes, (), (), topic_settings, topic_lives),
        nodes,
        all((value or "").lower() != "false" for value in values[_REBALANCES]),
        greatest(*map(whole_number, values[_INTERVAL])) or _INTERVAL_SECONDS,
        greatest(*(process.last_ts for process in processes)),
    )


def _only(values: Iterable[int | None]) -> int | None:
    """The only known value; None without one or with several."""
    different = set(known(values))
    return different.pop() if len(different) == 1 else None
