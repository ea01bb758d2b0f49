"""The facts about the cluster that the history of a partition needs."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replay.facts.controllers import KRAFT
from replay.facts.groups import grouped
from replay.facts.order import at_most
from replay.facts.releases import version_number
from replay.facts.times import greatest, least
from replay.facts.timings import Timings
from replay.facts.window import ALL_TIME, TimeWindow
from replay.faults.kinds import CRASHES
from replay.faults.log_dirs import offline_since
from replay.offsets.follower_rules import BY_HIGH_WATERMARK
from replay.partitions.lives import TopicLives
from replay.tables.brokers import Controller, NodeRelease, NodeTimings, ProcessLife
from replay.tables.faults import ProcessEnd, Silence
from replay.tables.offsets import FollowerRule
from replay.tables.partitions import TopicLife, TopicSetting
from replay.tables.reading import Fact

UNCLEAN_ENDS = ("killed", "fatal")  # ends of a process without a clean shutdown


@dataclass(frozen=True, slots=True)
class Restart:
    """The end of one process, and the start of the next on the same node. `gone_ts`: the process had ended by then.
    `host_ran`: its host's kernel ran after it, so its log kept what it had written.
    """

    last_ts: datetime
    next_start_ts: datetime
    ended: str | None
    recovered_event: str | None
    gone_ts: datetime | None = None
    host_ran: bool = False


@dataclass(frozen=True, slots=True)
class Broker:
    """How a broker follows: its lowest and highest possible release, and whether it truncates its log to its own high
    watermark when it begins to follow (None: unknown; `rule_is_logged`: lines show it).
    """

    version_low: int | None = None
    version_high: int | None = None
    by_high_watermark: bool | None = None
    rule_is_logged: bool | None = None

    def runs_before(self, release: str) -> bool:
        return self.version_high is not None and self.version_high < version_number(release)

    def runs_since(self, release: str) -> bool:
        return self.version_low is not None and self.version_low >= version_number(release)


UNKNOWN_BROKER = Broker()


@dataclass(frozen=True)
class Cluster:
    """The restarts of each node in order, the brokers, min.insync.replicas of each topic, the topics that have shared a
    name, the row of `follower_rules` of each broker, how long each waits for what, and when it printed nothing.
    `offline`: by broker and partition, when the broker had stopped a replica whose log directory had failed.
    `quorum_epochs`: when the leader of each epoch of the metadata log was elected, if a line of the election shows it.
    `lines`: from when to when each node's own lines are there.
    """

    restarts: Mapping[int, Sequence[Restart]] = field(default_factory=dict)
    brokers: Mapping[int, Broker] = field(default_factory=dict)
    min_isr: Mapping[str, int | None] = field(default_factory=dict)
    lives: TopicLives = field(default_factory=TopicLives)
    follower_rules: Mapping[int, FollowerRule] = field(default_factory=dict)
    waits: Timings = field(default_factory=lambda: Timings(()))
    silences: Mapping[int, Sequence[Silence]] = field(default_factory=dict)
    offline: Mapping[tuple[int, str], Sequence[datetime]] = field(default_factory=dict)
    quorum_epochs: Mapping[int, datetime] = field(default_factory=dict)
    lines: Mapping[int, tuple[datetime | None, datetime | None]] = field(default_factory=dict)

    @staticmethod
    def of(
        processes: Iterable[ProcessLife],
        releases: Iterable[NodeRelease],
        follower_rules: Iterable[FollowerRule],
        topic_settings: Iterable[TopicSetting],
        topic_lives: Iterable[TopicLife],
        process_ends: Iterable[ProcessEnd] = (),
        timings: Iterable[NodeTimings] = (),
        silences: Iterable[Silence] = (),
        facts: Iterable[Fact] = (),
        controllers: Iterable[Controller] = (),
        window: TimeWindow = ALL_TIME,
    ) -> Cluster:
        """The cluster, from rows of the tables of these names."""
        restarts = defaultdict(list)
        deaths = {(one.broker_id, one.end_ts): one for one in process_ends if one.kind in CRASHES}
        lines: dict[int, tuple[datetime | None, datetime | None]] = {}
        for process in processes:
            first_ts, last_ts = lines.get(process.node_id, (None, None))
            first_ts = greatest(least(first_ts, process.first_ts), window.since)
            lines[process.node_id] = first_ts, greatest(last_ts, process.last_ts)
            if process.next_start_ts is not None:
                death = deaths.get((process.node_id, process.next_start_ts))
                gone_ts = least(None if death is None else death.began_high, process.next_start_ts)
                end = process.last_ts, process.next_start_ts, process.ended, process.recovered_event, gone_ts
                host_ran = death is not None and "host_ran" in (death.arguments or {})
                restarts[process.node_id].append(Restart(*end, host_ran))
        rules = {row.node_id: row for row in follower_rules}
        return Cluster(
            {node: sorted(own, key=lambda restart: restart.next_start_ts) for node, own in restarts.items()},
            {row.node_id: _broker(row, rules.get(row.node_id)) for row in releases},
            {row.topic: row.min_isr for row in topic_settings},
            TopicLives(topic_lives),
            rules,
            Timings(timings),
            grouped(silences, lambda one: one.node_id),
            offline_since(facts),
            dict(_elected(controllers)),
            lines,
        )

    def broker(self, node_id: int) -> Broker:
        return self.brokers.get(node_id, UNKNOWN_BROKER)

    def gate_open(self, node_id: int, topic: str, replicas: Sequence[int] | None) -> bool:
        """Whether the high watermark of a leader that is alone in the ISR follows its log end (facts §1.3)."""
        if self.broker(node_id).runs_before("3.7.0"):
            return True
        return least(self.min_isr.get(topic), None if replicas is None else len(replicas)) == 1

    def any_by_high_watermark(self) -> bool:
        return any(broker.by_high_watermark for broker in self.brokers.values())

    def any_rule_is_logged(self) -> bool:
        return any(broker.rule_is_logged for broker in self.brokers.values())

    def last_restart(self, node_id: int, ts: datetime) -> Restart | None:
        """The restart that began the process which wrote a node's line of this time."""
        own = self.restarts.get(node_id, ())
        at = bisect_right(own, ts, key=lambda restart: restart.next_start_ts)
        return own[at - 1] if at else None

    def restarts_within(self, node_id: int, start_ts: datetime, end_ts: datetime) -> Iterator[Restart]:
        """The restarts of a node whose earlier process ended after `start_ts`, and whose later one began before
        `end_ts`.
        """
        own = self.restarts.get(node_id, ())
        for restart in own[bisect_right(own, start_ts, key=lambda restart: restart.next_start_ts) :]:
            if restart.next_start_ts >= end_ts:
                return
            if restart.last_ts > start_ts:
                yield restart

    def has_lines(self, node_id: int, start_ts: datetime | None, end_ts: datetime | None) -> bool:
        """Whether the lines of a node begin before one time and end after another."""
        first_ts, last_ts = self.lines.get(node_id, (None, None))
        return at_most(first_ts, start_ts) and at_most(end_ts, last_ts)

    def unclean_ends(self, node_id: int) -> list[Restart]:
        return [restart for restart in self.restarts.get(node_id, ()) if restart.ended in UNCLEAN_ENDS]


def _elected(controllers: Iterable[Controller]) -> Iterator[tuple[int, datetime]]:
    """When the leaders of the metadata log were elected. A tenure that begins as the node becomes active, or as another node learns
    of it, shows no election.
    """
    for tenure in controllers:
        shows_election = tenure.start_ts != tenure.ready_ts and not tenure.begun_before
        if tenure.mode == KRAFT and tenure.start_ts is not None and shows_election:
            yield tenure.controller_epoch, tenure.start_ts


def _broker(release: NodeRelease, rule: FollowerRule | None) -> Broker:
    if rule is None:
        return Broker(release.version_low, release.version_high)
    by_high_watermark = None if rule.rule is None else rule.rule == BY_HIGH_WATERMARK
    return Broker(release.version_low, release.version_high, by_high_watermark, rule.is_told)
