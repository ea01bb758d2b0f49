"""The levels of the cluster's features, and the levels that each broker supports (KIP-584, KIP-1022). Controllers print
each record of a level when they read it, and read all of them again when they start. Brokers print what they support
when they register. Source: FeatureControlManager, KRaftControlRecordStateMachine, ClusterControlManager.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from replay.facts.groups import by_key, grouped
from replay.facts.lines import detail, number_in
from replay.facts.order import at_most, less
from replay.facts.reads import reads_each
from replay.facts.releases import version_number
from replay.facts.times import greatest, millis
from replay.tables.brokers import NodeRelease, ProcessLife
from replay.tables.control_plane import FeatureLevel, SupportedFeature
from replay.tables.reading import Fact

STARTING_MS = 120_000  # what a node prints about the metadata log this soon after its start is about the past
METADATA_VERSION, KRAFT_VERSION = "metadata.version", "kraft.version"
ELIGIBLE_LEADERS = "eligible.leader.replicas.version"
_ELIGIBLE_LEADERS_FROM = version_number("4.0.0")
_REPLAYED, _METADATA_REPLAYED, _QUORUM = (
    "kraft_feature_replayed",
    "kraft_metadata_version_replayed",
    "raft_voter_set",
)
_REGISTERED = ("kraft_broker_registered", "kraft_broker_registered_new_incarnation")
_RANGE = re.compile(r"BrokerFeature\(name='([\w.]+)', minSupportedVersion=(-?\d+), maxSupportedVersion=(-?\d+)\)")


def empties_isrs(releases: Iterable[NodeRelease], feature_levels: Iterable[FeatureLevel]) -> bool | None:
    """Whether eligible leader replicas are on (KIP-966), so that a partition without a leader has an empty ISR; None if no line
    shows it. A controller that starts logs the level of every feature that is on, so a missing one is off.
    """
    levels, highest = list(feature_levels), greatest(*(row.version_high for row in releases))
    if any(row.feature == ELIGIBLE_LEADERS and row.level not in (None, "0") for row in levels):
        return True
    is_missing = any(row.feature == METADATA_VERSION and row.changed is False for row in levels)
    return False if is_missing or less(highest, _ELIGIBLE_LEADERS_FROM) else None


class Starts:
    """The starts of nodes: soon after a start a node reads the metadata log from its beginning, so its lines about old
    records are not new.
    """

    def __init__(self, processes: Iterable[ProcessLife]) -> None:
        started = grouped(
            (process for process in processes if process.start_ts is not None), lambda process: process.node_id
        )
        self._of_node: dict[int | None, list[datetime]] = {
            node: sorted(process.start_ts for process in own) for node, own in started.items()
        }

    def last(self, node: int | None, ts: datetime | None) -> datetime | None:
        """The last logged start of `node` up to `ts`; None without one."""
        return greatest(*(start for start in self._of_node.get(node, ()) if at_most(start, ts)))

    def hold(self, node: int | None, ts: datetime | None) -> bool:
        """Whether `node` was reading the metadata log after a start at `ts`."""
        return at_most(millis(ts, self.last(node, ts)), STARTING_MS)


@dataclass(frozen=True)
class LevelReport:
    """One line with the level of a feature. `start_ts`: the start of its node; `at_start`: the node was reading the
    metadata log from its beginning, so the record may be old.
    """

    node_id: int
    ts: datetime
    feature: str
    level: str
    start_ts: datetime | None
    at_start: bool
    event_id: str


def feature_levels(facts: Iterable[Fact], processes: Iterable[ProcessLife]) -> list[FeatureLevel]:
    """The feature levels that each node reported."""
    by_feature = by_key(level_reports(facts, processes), lambda one: (one.node_id, one.feature))
    return [row for key in sorted(by_feature) for row in _history(by_feature[key])]


@reads_each(_REPLAYED, _METADATA_REPLAYED, _QUORUM)
def level_reports(facts: Iterable[Fact], processes: Iterable[ProcessLife]) -> list[LevelReport]:
    """Every line with the level of a feature, in the order of time.

    A starting controller reads the records only after a leader sends it the high watermark, which may take long. Its
    first lines about them, and those soon after, belong to its start.
    """
    starts = Starts(processes)
    lines = [
        fact
        for fact in facts
        if fact.kind in (_REPLAYED, _METADATA_REPLAYED, _QUORUM) and fact.node_id is not None and fact.ts is not None
    ]
    first_read: dict[tuple[int, datetime | None, bool], datetime] = {}
    reports = []
    for line in sorted(lines, key=lambda one: (one.ts, one.event_id)):
        start_ts = starts.last(line.node_id, line.ts)
        for feature, level in _levels_in(line):
            first_ts = first_read.setdefault((line.node_id, start_ts, line.kind == _QUORUM), line.ts)
            at_start = start_ts is not None and at_most(millis(line.ts, first_ts), STARTING_MS)
            reports.append(LevelReport(line.node_id, line.ts, feature, level, start_ts, at_start, line.event_id))
    return reports


def _levels_in(line: Fact) -> Iterator[tuple[str, str]]:
    """The feature and its level in a line."""
    if line.kind == _METADATA_REPLAYED:
        level = detail(line, "metadata_version") or detail(line, "feature_level")
        if level:
            yield METADATA_VERSION, level
    elif line.kind == _REPLAYED:
        feature = detail(line, "name")
        if feature:
            yield feature, detail(line, "feature_level") or "0"
    else:
        level_of_quorum = number_in(line.message, r"Latest kraft\.version is (?:KRAFT_VERSION_)?(\d+) at offset")
        if level_of_quorum is not None:
            yield KRAFT_VERSION, str(level_of_quorum)


def _history(reports: list[LevelReport]) -> Iterator[FeatureLevel]:
    """The levels of one feature that one node reported; of one start only the last level counts."""
    held: LevelReport | None = None
    before: str | None = None
    for one, later in zip(reports, [*reports[1:], None], strict=True):
        read_on = later is not None and later.at_start and later.start_ts == one.start_ts
        if read_on or (held is not None and held.level == one.level):
            continue
        if held is not None:
            yield _row(held, before, one.ts)
            before = held.level
        held = one
    if held is not None:
        yield _row(held, before, None)


def _row(one: LevelReport, before: str | None, end_ts: datetime | None) -> FeatureLevel:
    return FeatureLevel(
        node_id=one.node_id,
        feature=one.feature,
        level=one.level,
        before=before,
        start_ts=one.ts,
        end_ts=end_ts,
        changed=not one.at_start and (before is not None or one.start_ts is not None),
        evidence=[one.event_id],
    )


@reads_each(*_REGISTERED)
def supported_features(facts: Iterable[Fact]) -> list[SupportedFeature]:
    """The levels that brokers registered with. Returns `SUPPORTED_FEATURES`: a row for each registration that differs
    from the broker's previous one. A starting controller reads old registrations again. A registration logged after one
    with a higher broker epoch is a repetition, or has no known time.
    """
    lines = sorted(
        (fact for fact in facts if fact.kind in _REGISTERED and fact.ts is not None),
        key=lambda one: (one.ts, one.event_id),
    )
    newest: dict[int, int] = {}
    held: dict[tuple[int, str], tuple[int, int]] = {}
    rows = []
    for line in lines:
        broker, epoch = (number_in(line.message, rf"\b{name}=(\d+)") for name in ("brokerId", "brokerEpoch"))
        if broker is None or less(epoch, newest.get(broker)):
            continue
        if epoch is not None:
            newest[broker] = epoch
        for feature, lowest, highest in _RANGE.findall(line.message or ""):
            levels = int(lowest), int(highest)
            if held.get((broker, feature)) != levels:
                held[broker, feature] = levels
                rows.append(
                    SupportedFeature(
                        broker_id=broker,
                        feature=feature,
                        lowest=levels[0],
                        highest=levels[1],
                        ts=line.ts,
                        evidence=[line.event_id],
                    )
                )
    return rows
