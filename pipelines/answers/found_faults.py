"""The faults of a run that explain lines."""

from __future__ import annotations

from collections.abc import Collection

from pipelines.memory_store import MemoryStore
from pipelines.store import Store
from replay.causes.explained_lines import Found, found_of
from replay.tables.brokers import BROKER_SESSIONS, CONTROLLERS, TIMINGS
from replay.tables.causes import EDGES
from replay.tables.control_plane import VOTER_SETS
from replay.tables.faults import FAULTS, WITNESSED
from replay.tables.losses import LOSSES
from replay.tables.offsets import SHORTENED_LOGS
from replay.tables.partitions import ELECTIONS


def faults_found(store: Store | MemoryStore, without: Collection[str] = ()) -> list[Found]:
    """The faults of a run that explain lines; `without`: the names of others."""
    rows = store.rows
    return found_of(
        [fault for fault in rows("faults", FAULTS) if fault.fault_id not in without],
        rows("controllers", CONTROLLERS),
        rows("voter_sets", VOTER_SETS),
        rows("broker_sessions", BROKER_SESSIONS),
        rows("elections", ELECTIONS),
        rows("shortened_logs", SHORTENED_LOGS),
        rows("witnessed", WITNESSED),
        rows("losses", LOSSES),
        rows("edges", EDGES),
        rows("timings", TIMINGS),
    )
