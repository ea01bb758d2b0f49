"""What the lines of all nodes show about single lines that could be of another cluster or of another process."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from replay.facts.node_lines import series
from replay.facts.times import EPOCH

SECOND = 1_000_000  # times here are microseconds since 1970

# Lines about the state of a partition, of any node; `ROLES` are those of a replica itself.
ROLES = ("leader_start", "follower_start")
ISR_ANSWERS = (
    *("isr_updated", "isr_updated_zk", "isr_update_zk_version_conflict", "isr_update_rejected_fenced_epoch"),
    *("isr_update_rejected_invalid", "isr_update_rejected_reset", "isr_update_rejected_unknown_topic"),
    *("isr_update_rejected_version", "isr_update_failure_ignored", "isr_update_retry", "isr_write_zk_submit"),
    *("isr_update_submitted", "alter_partition_handled", "alter_partition_isr_updated", "alter_partition_error"),
)
STATES = (
    *(*ROLES, *ISR_ANSWERS, "leader_transition_skipped", "follower_transition_skipped", "isr_shrink", "isr_expand"),
    *("partition_state_new", "partition_state_online_with_leader", "partition_state_changed", "controller_isr_changed"),
    *(
        "replica_removed_from_isr",
        "kraft_partition_created",
        "kraft_partition_changed",
        "kraft_partition_changed_unclean",
    ),
    *("broker_partition_created", "log_created", "partition_log_loaded", "log_load_completed", "described_partition"),
    *("broker_leader_and_isr_received", "broker_metadata_cached", "kraft_leader_isr_updates_summary"),
)
# Lines with which a process starts; a line of one of them shows that another process began, however many are missing.
STARTS = (
    *("process_start_line", "process_signal_registered", "controller_process_starting", "broker_starting"),
    *("process_start_time", "config_dump", "cluster_id", "broker_incarnation", "broker_started", "broker_registered"),
    *("broker_registered_zk", "log_manager_load_begin", "log_manager_load_done", "kraft_controller_created"),
    *("log_dir_unclean_shutdown", "log_dir_clean_shutdown"),
)
SIGNALS = ("process_signal", "broker_shutdown_begin", "broker_shutting_down", "controller_process_shutdown_begin")
FAILURES = ("process_startup_failed", "process_fatal_exit")
ENDED = ("broker_shutdown_done", "process_fatal_exit")
STEPS = (
    *("broker_controlled_shutdown_begin", "broker_controlled_shutdown_done", "broker_controlled_shutdown_error"),
    *("broker_controlled_shutdown_kraft", "broker_controlled_shutdown_gave_up", "broker_controlled_shutdown_retry"),
    *("broker_controlled_shutdown_waiting", "broker_shutdown_step", "socket_server_shutdown", "broker_shutdown_fatal"),
    *("replica_manager_shutdown_begin", "log_manager_shutdown_begin", "request_handlers_shutdown"),
    *("process_app_unregistered", "fetcher_manager_shutdown", "coordinator_service_shutdown", "broker_shutdown_done"),
)
CLUSTERS = ("cluster_id", "broker_incarnation", "kraft_controller_created")
ELECTED = ("controller_elected", "controller_epoch_incremented", "controller_epoch_incrementing")
FENCED, BROKERS_CHANGED = "kraft_broker_session_timeout", "controller_broker_change"
DIRECTORY_FAILS, DELETED, REMOVED = "log_dir_failure_begin", "topic_deletion_completed", "kraft_topic_removed"
SHRINK = "isr_shrink"
FEW_LINES = 3
_FEW = frozenset(
    (
        *(*STARTS, *SIGNALS, *FAILURES, *STEPS, *CLUSTERS, *ELECTED, *ISR_ANSWERS, FENCED, BROKERS_CHANGED),
        *(DIRECTORY_FAILS, DELETED, REMOVED, SHRINK, "isr_expand", "described_partition", "described_topic"),
        *("log_deleted", "kraft_topic_created", "controller_new_topic_creation", "partition_state_new"),
    )
)
# Lines that a broker or a controller prints while it runs, none of which a starting process prints in another's place.
_RUNNING = (
    *("leader_", "follower_", "isr_", "partition_", "kraft_partition", "coordinator_", "group_", "truncation_"),
    *("fetch_", "fetcher_partitions", "log_rolled", "log_segment_deleted", "log_truncat", "controller_", "kraft_"),
    *("broker_become_", "broker_leader_and_isr", "broker_metadata_", "replica_", "log_start", "local_log_start"),
    *("alter_partition", "producer_snapshot", "topic_", "transaction_", "raft_follower_hw", "raft_leader_hw"),
    *("node_", "epoch_request", "log_cleaned", "housekeeping"),
)
_STOPPING = frozenset((*SIGNALS, *FAILURES, *STEPS, *STARTS, "controller_process_starting", "controller_stopped"))
_COLUMNS = (
    *("event_id", "ts", "node_id", "source_file", "line_number", "kind", "topic", "topic_id", "partition"),
    *("broker_id", "leader_id", "leader_epoch", "controller_id", "controller_epoch", "isr", "replicas", "details"),
    "message",
)


class Line(NamedTuple):
    """One event, with its time in microseconds since 1970; None without one."""

    event_id: str
    ts: int | None
    node_id: int | None
    source_file: str
    line_number: int
    kind: str
    topic: str | None
    topic_id: str | None
    partition: int | None
    broker_id: int | None
    leader_id: int | None
    leader_epoch: int | None
    controller_id: int | None
    controller_epoch: int | None
    isr: Sequence[int] | None
    replicas: Sequence[int] | None
    details: Mapping[str, str]
    message: str | None

    @property
    def at(self) -> int:
        """Its time; 0 without one."""
        return self.ts or 0


def moment(micros: int | None) -> datetime | None:
    """A time of `Line` as a timestamp."""
    return None if micros is None else EPOCH + timedelta(microseconds=micros)


@cache
def is_running(kind: str) -> bool:
    """Whether only a process that runs prints lines of this kind."""
    return kind.startswith(_RUNNING) and kind not in _STOPPING


class Evidence:
    """What the events of all nodes show, from batches of `PRINTED` with corrected times and the columns `COLUMNS`."""

    COLUMNS = (*_COLUMNS, "level")

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self.lines: dict[str, list[Line]] = defaultdict(list)
        self._usual: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
        states, named, epochs, directories = [], [], [], []
        for batch in batches:
            events = batch.filter(pc.and_(batch.column("kind").is_valid(), batch.column("node_id").is_valid()))
            events = pa.concat_tables([pa.Table.from_batches([events]), _described(batch)]).combine_chunks()
            for line in _lines(_of_kinds(events, _FEW)):
                self.lines[line.kind].append(line)
            states.append(_of_kinds(events, STATES).select(_STATE_COLUMNS))
            named.append(_named(events))
            epochs.append(_epochs(events))
            directories.append(_directories(events))
            self._see_usual(events)
        self.states = _whole(states)
        self.ids = _sums(_whole(named), ("topic", "topic_id", "node_id"))
        self.epochs = _sums(_whole(epochs), ("controller_id", "controller_epoch", "node_id"))
        self.directories: dict[int | None, Counter[str]] = defaultdict(Counter)
        for row in _whole(directories).group_by(["node_id", "dir", "kind"]).aggregate([([], "count_all")]).to_pylist():
            if row["kind"] != DIRECTORY_FAILS:
                self.directories[row["node_id"]][row["dir"]] += row["count_all"]
        for lines in self.lines.values():
            lines.sort(key=lambda line: (line.at, line.source_file, line.line_number))
        for usual in self._usual.values():
            usual.sort()

    def _see_usual(self, events: pa.Table) -> None:
        kinds = pc.unique(events["kind"]).to_pylist()
        running = pa.array([kind for kind in kinds if is_running(kind)], pa.string())
        some = events.filter(pc.and_(pc.is_in(events["kind"], running), events["level"].is_valid()))
        columns = (some[name].to_pylist() for name in ("node_id", "source_file", "line_number"))
        for node, file, number, ts in zip(*columns, _micros(some["ts"]), strict=True):
            if ts is not None and node is not None:
                self._usual[node].append((ts, file, number))

    def of(self, *kinds: str, node: int | None = None) -> list[Line]:
        """The lines of these kinds in the order of time, of one node or of all."""
        found = [line for kind in kinds for line in self.lines.get(kind, ()) if node is None or line.node_id == node]
        return (
            sorted(found, key=lambda line: (line.at, line.source_file, line.line_number)) if len(kinds) > 1 else found
        )

    def running(self, node: int | None, since: float, until: float, log: str | None = None) -> list[str]:
        """The first and the last line that a node printed while it ran in a time, in any of its files or in one log; empty
        without one.
        """
        if node is None or node not in self._usual:
            return []
        usual = self._usual[node]
        first, last = bisect_right(usual, (since, "￿", 0)), bisect_left(usual, (until, "", 0))
        if log is not None:
            own = [f"{file}:{number}" for _, file, number in usual[first:last] if series(file) == log]
            return sorted({*own[:1], *own[-1:]})
        return [f"{file}:{number}" for _, file, number in sorted({*usual[first:last][:1], *usual[first:last][-1:]})]

    @property
    def nodes(self) -> Collection[int]:
        """The nodes with lines that a running process prints."""
        return self._usual.keys()

    def span(self, node: int) -> tuple[int, int]:
        """The times of the first and the last line that a node printed while it ran."""
        usual = self._usual[node]
        return usual[0][0], usual[-1][0]

    def of_partition(self, topic: str, partition: int | None) -> list[dict[str, Any]]:
        """The lines about the state of a partition, in the order of time."""
        rows = self.states.filter(
            pc.and_(pc.equal(self.states["topic"], topic), pc.equal(self.states["partition"], partition))
        )
        return _in_order(rows)

    def of_topic(self, topic: str) -> list[dict[str, Any]]:
        """The lines about the states of a topic's partitions, in the order of time."""
        return _in_order(self.states.filter(pc.equal(self.states["topic"], topic)))

    @cached_property
    def rarely_named(self) -> frozenset[tuple[str, int]]:
        """The partitions that only a few lines name."""
        sums = self.states.group_by(["topic", "partition"]).aggregate([([], "count_all")])
        few = sums.filter(pc.less_equal(sums["count_all"], FEW_LINES))
        return frozenset(zip(few["topic"].to_pylist(), few["partition"].to_pylist(), strict=True))

    def leader_epochs(self) -> Iterator[tuple[str, int, list[tuple[int, int, int]]]]:
        """For each partition with several leader epochs: each epoch, how many lines name it, and when the first does."""
        named = self.states.filter(self.states["leader_epoch"].is_valid())
        sums = named.group_by(["topic", "partition", "leader_epoch"]).aggregate([([], "count_all"), ("at", "min")])
        found: dict[tuple[str, int], list[tuple[int, int, int]]] = defaultdict(list)
        for row in sums.to_pylist():
            found[row["topic"], row["partition"]].append((row["leader_epoch"], row["count_all"], row["at_min"] or 0))
        for (topic, partition), epochs in sorted(found.items(), key=lambda one: (one[0][0] or "", one[0][1] or 0)):
            if len(epochs) > 1 and topic is not None and partition is not None:
                yield topic, partition, sorted(epochs)

    @cached_property
    def led(self) -> dict[int | None, list[dict[str, Any]]]:
        """The lines with which each node begins to lead a partition."""
        leads = self.states.filter(pc.equal(self.states["kind"], "leader_start"))
        found: dict[int | None, list[dict[str, Any]]] = defaultdict(list)
        for row in leads.to_pylist():
            found[row["node_id"]].append(row)
        return found

    def roles_of(self, node: int | None) -> set[str]:
        """The topics of the partitions in which a node has roles."""
        is_role = pc.is_in(self.states["kind"], pa.array(ROLES))
        own = self.states.filter(pc.and_(is_role, pc.fill_null(pc.equal(self.states["node_id"], node), False)))
        return set(pc.unique(own["topic"]).to_pylist())

    def states_within(self, since: int, until: int) -> list[dict[str, Any]]:
        """The lines about the state of any partition in a time."""
        at = self.states["at"]
        return _in_order(self.states.filter(pc.and_(pc.greater_equal(at, since), pc.less_equal(at, until))))


_STATE_COLUMNS = (
    "event_id",
    "at",
    "node_id",
    "kind",
    "topic",
    "partition",
    "leader_id",
    "leader_epoch",
    "isr",
    "replicas",
)
_NO_TABLE = pa.table({})


def _micros(column: pa.ChunkedArray) -> list[int | None]:
    micros: list[int | None] = column.cast(pa.timestamp("us", tz="UTC")).cast(pa.int64()).to_pylist()
    return micros


def _described(batch: pa.RecordBatch) -> pa.Table:
    """The lines of a description of topics: no node wrote it."""
    is_described = pc.is_in(batch.column("kind"), pa.array(["described_partition", "described_topic"]))
    return pa.Table.from_batches([batch.filter(pc.and_(is_described, batch.column("node_id").is_null()))])


def _of_kinds(events: pa.Table, kinds: Collection[str]) -> pa.Table:
    found = events.filter(pc.is_in(events["kind"], pa.array(sorted(kinds), pa.string())))
    at = found["ts"].cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
    return found.append_column("at", at)


def _lines(events: pa.Table) -> Iterable[Line]:
    columns = {name: events[name].to_pylist() for name in _COLUMNS}
    columns["ts"] = events["at"].to_pylist()
    columns["details"] = [dict(one) if one else {} for one in columns["details"]]
    return map(Line, *columns.values())


def _named(events: pa.Table) -> pa.Table:
    """The topic ids that lines name."""
    there = events.filter(pc.and_(events["topic"].is_valid(), events["topic_id"].is_valid()))
    return there.select(["topic", "topic_id", "node_id", "event_id", "ts"])


def _epochs(events: pa.Table) -> pa.Table:
    """The epochs of controllers that lines name."""
    there = events.filter(pc.and_(events["controller_id"].is_valid(), events["controller_epoch"].is_valid()))
    return there.select(["controller_id", "controller_epoch", "node_id", "event_id", "ts"])


def _directories(events: pa.Table) -> pa.Table:
    """The log directories that lines name."""
    is_map = pa.types.is_map(events.schema.field("details").type)
    dirs = pc.map_lookup(events["details"].combine_chunks(), pa.scalar("dir"), "first") if is_map else pa.nulls(0)
    return events.select(["node_id", "kind"]).append_column("dir", dirs).filter(dirs.is_valid())


def _whole(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).combine_chunks() if tables else _NO_TABLE


class Named(NamedTuple):
    """How often the lines of a node name something, when first and last, and the first line."""

    key: tuple[Any, ...]
    node_id: int | None
    lines: int
    first: int
    last: int
    event_id: str


def _sums(table: pa.Table, key: Sequence[str]) -> list[Named]:
    if not table.num_rows:
        return []
    at = table["ts"].cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
    sums = (
        table.append_column("at", at)
        .group_by([*key])
        .aggregate([([], "count_all"), ("at", "min"), ("at", "max"), ("event_id", "min")])
    )
    return [
        Named(
            tuple(row[name] for name in key[:-1]),
            row[key[-1]],
            row["count_all"],
            row["at_min"] or 0,
            row["at_max"] or 0,
            row["event_id_min"],
        )
        for row in sums.to_pylist()
    ]


def _in_order(rows: pa.Table) -> list[dict[str, Any]]:
    return sorted(rows.to_pylist(), key=lambda row: (row["at"] or 0, row["event_id"]))
