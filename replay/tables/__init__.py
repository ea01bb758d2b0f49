"""The declarations of all tables, by room; `TABLES` are those of a result folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from replay.tables.availability import AVAILABILITY
from replay.tables.brokers import BROKER_SESSIONS, CONTROLLERS, SETTINGS
from replay.tables.causes import EDGES, FINDINGS, INCIDENTS, VERTICES
from replay.tables.clocks import CLOCK_OFFSETS
from replay.tables.control_plane import FEATURE_LEVELS, SUPPORTED_FEATURES, VOTER_SETS
from replay.tables.coverage import COVERAGE_SPANS, LIMITS
from replay.tables.faults import FAULTS
from replay.tables.invariants import VIOLATIONS
from replay.tables.losses import ALL_CLEAR, LEDGER, LOSSES, OPEN_VERDICTS, PLACED_LOSSES
from replay.tables.metrics import MEASURES, METRIC_NAMES, METRIC_STATEMENTS, SAMPLES
from replay.tables.offsets import (
    COMMIT_BANDS,
    EPOCH_FILES,
    FOLLOWER_POSITIONS,
    HIGH_WATERMARK_CURVES,
    HIGH_WATERMARKS,
    LEADER_EPOCH_CACHES,
    LOG_DIRECTORIES,
    LOG_STARTS,
    REMOTE_LOGS,
    TRUNCATIONS,
)
from replay.tables.partitions import ELECTIONS, ELIGIBLE_LEADERS, FAILOVERS, ISR_SPANS, LEADER_EPOCHS, SECOND_WITNESS
from replay.tables.questions import (
    BLIND_SPOTS,
    DEPOSED_LEADERS,
    DESCRIBED_PARTITIONS,
    ISR_DROPS,
    REPLICAS,
    TOLD_OFFSETS,
    WHAT_IFS,
)
from replay.tables.reading import COVERAGE, EVENTS, UNMATCHED
from replay.tables.table import (
    BOOLEAN,
    DOUBLE,
    INT,
    INTS,
    LONG,
    STRING,
    STRINGS,
    TIMESTAMP,
    Table,
    TableColumn,
    column,
    declared_tables,
)
from replay.tables.weighing import DOUBTFUL_LINES

TABLES: tuple[Table, ...] = (
    COVERAGE,
    COVERAGE_SPANS,
    LIMITS,
    EVENTS,
    UNMATCHED,
    DOUBTFUL_LINES,
    LEADER_EPOCHS,
    ISR_SPANS,
    ELIGIBLE_LEADERS,
    ELECTIONS,
    FAILOVERS,
    HIGH_WATERMARKS,
    HIGH_WATERMARK_CURVES,
    FOLLOWER_POSITIONS,
    LOG_STARTS,
    REMOTE_LOGS,
    LOG_DIRECTORIES,
    COMMIT_BANDS,
    TRUNCATIONS,
    LEADER_EPOCH_CACHES,
    EPOCH_FILES,
    LOSSES,
    ALL_CLEAR,
    BROKER_SESSIONS,
    CONTROLLERS,
    VOTER_SETS,
    FEATURE_LEVELS,
    SUPPORTED_FEATURES,
    FAULTS,
    AVAILABILITY,
    ISR_DROPS,
    DEPOSED_LEADERS,
    REPLICAS,
    TOLD_OFFSETS,
    DESCRIBED_PARTITIONS,
    FINDINGS,
    INCIDENTS,
    VERTICES,
    EDGES,
    CLOCK_OFFSETS,
    SETTINGS,
    SECOND_WITNESS,
    BLIND_SPOTS,
    VIOLATIONS,
    SAMPLES,
    METRIC_NAMES,
    MEASURES,
    METRIC_STATEMENTS,
)


for _room in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_room.name}")

# Every declared table by name, including those between stages.
DECLARED: Mapping[str, Table] = {one.name: one for one in (*declared_tables(), LEDGER, PLACED_LOSSES)}
