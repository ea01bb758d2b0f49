"""The levels of the cluster's features, and what each broker can work with (KIP-584, KIP-1022).

Controllers print each record of a level as they read it, and read all of them again as they start. Brokers print what
they support as they register. Source: FeatureControlManager, KRaftControlRecordStateMachine, ClusterControlManager.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from replay.facts.lines import detail, number_in
from replay.facts.reads import reads_each
from replay.facts.times import millis
from replay.tables.control_plane import FEATURE_LEVELS, SUPPORTED_FEATURES
from replay.tables.row import Row

STARTING_MS = 120_000  # what a node prints of the metadata log this soon after its start tells the past
METADATA_VERSION, KRAFT_VERSION = "metadata.version", "kraft.version"
_REPLAYED, _METADATA_REPLAYED, _QUORUM = (
    "kraft_feature_replayed",
    "kraft_metadata_version_replayed",
    "raft_voter_set",
)
_REGISTERED = ("kraft_broker_registered", "kraft_broker_registered_new_incarnation")
_RANGE = re.compile(r"BrokerFeature\(name='([\w.]+)', minSupportedVersion=(-?\d+), maxSupportedVersion=(-?\d+)\)")

FeatureLevel = FEATURE_LEVELS.row_class
SupportedFeature = SUPPORTED_FEATURES.row_class


class Starts:
    """The times in which nodes start and read the metadata log from its begin: what they print of it is no news."""

    def __init__(self, processes: Iterable[Row]) -> None:
        self._of_node: dict[int | None, list[datetime]] = {}
        for process in processes:
            if process.start_ts is not None:
                self._of_node.setdefault(process.node_id, []).append(process.start_ts)

    def hold(self, node: int | None, ts: datetime | None) -> bool:
        """Whether `node` was starting at `ts`."""
        since = [millis(ts, start) for start in self._of_node.get(node, ())]
        return any(passed is not None and 0 <= passed <= STARTING_MS for passed in since)


@dataclass(frozen=True)
class LevelTold:
    """One line that tells the level of a feature; `at_start`: of a node that was starting, so that it may be an old record."""

    node_id: int
    ts: datetime
    feature: str
    level: str
    at_start: bool
    event_id: str


def feature_levels(facts: Iterable[Row], processes: Iterable[Row]) -> list[Row]:
    """What each node told of the features' levels. Returns `FEATURE_LEVELS`."""
    by_feature: dict[tuple[int, str], list[LevelTold]] = {}
    for one in levels_told(facts, processes):
        by_feature.setdefault((one.node_id, one.feature), []).append(one)
    return [row for key in sorted(by_feature) for row in _history(by_feature[key])]


@reads_each(_REPLAYED, _METADATA_REPLAYED, _QUORUM)
def levels_told(facts: Iterable[Row], processes: Iterable[Row]) -> list[LevelTold]:
    """Every line that tells the level of a feature, in the order of time."""
    starts = Starts(processes)
    lines = [fact for fact in facts if fact.kind in (_REPLAYED, _METADATA_REPLAYED, _QUORUM)]
    told = [
        LevelTold(line.node_id, line.ts, feature, level, starts.hold(line.node_id, line.ts), line.event_id)
        for line in lines
        if line.node_id is not None and line.ts is not None
        for feature, level in _told(line)
    ]
    return sorted(told, key=lambda one: (one.ts, one.event_id))


def _told(line: Row) -> Iterator[tuple[str, str]]:
    """The feature and its level that a line tells."""
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


def _history(told: list[LevelTold]) -> Iterator[Row]:
    """The levels of one feature that one node told: of those it read in one start only the last holds."""
    held: LevelTold | None = None
    for one, later in zip(told, [*told[1:], None], strict=True):
        read_in_one_start = later is not None and one.at_start and later.at_start
        if (read_in_one_start and later is not None and later.level != one.level and _is_one_start(one, later)) or (
            held is not None and held.level == one.level
        ):
            continue
        if held is not None:
            yield _row(held, one.ts)
        held = one
    if held is not None:
        yield _row(held, None)


def _is_one_start(one: LevelTold, later: LevelTold) -> bool:
    return (millis(later.ts, one.ts) or 0) <= STARTING_MS


def _row(one: LevelTold, end_ts: datetime | None) -> Row:
    return FeatureLevel(
        node_id=one.node_id,
        feature=one.feature,
        level=one.level,
        start_ts=one.ts,
        end_ts=end_ts,
        changed=not one.at_start,
        evidence=[one.event_id],
    )


@reads_each(*_REGISTERED)
def supported_features(facts: Iterable[Row]) -> list[Row]:
    """The levels that brokers registered with. Returns `SUPPORTED_FEATURES`: a row where they differ from what that broker told before."""
    last: dict[tuple[int, str], tuple[int, int]] = {}
    rows = []
    lines = [fact for fact in facts if fact.kind in _REGISTERED and fact.ts is not None]
    for line in sorted(lines, key=lambda one: (one.ts, one.event_id)):
        broker = number_in(line.message, r"\bbrokerId=(\d+)")
        if broker is None:
            continue
        for feature, lowest, highest in _RANGE.findall(line.message or ""):
            levels = int(lowest), int(highest)
            if last.get((broker, feature)) != levels:
                last[broker, feature] = levels
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
