"""What the lines of all nodes show about single lines that could be of another cluster or of another process."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from replay.facts.node_lines import series
from replay.facts.times import EPOCH
from replay.weighing.states import States, Totals, rows_about

SECOND = 1_000_000  # times here are microseconds since 1970

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
    *("replica_manager_shutdown_done", "controller_channel_shutdown"),
)
CLUSTERS = ("cluster_id", "broker_incarnation", "kraft_controller_created")
ELECTED = ("controller_elected", "controller_epoch_incremented", "controller_epoch_incrementing")
FENCED, BROKERS_CHANGED = "kraft_broker_session_timeout", "controller_broker_change"
DIRECTORY_FAILS, DELETED, REMOVED = "log_dir_failure_begin", "topic_deletion_completed", "kraft_topic_removed"
SHRINK = "isr_shrink"
_FEW = frozenset(
    (
        *(*STARTS, *SIGNALS, *FAILURES, *STEPS, *CLUSTERS, *ELECTED, FENCED, BROKERS_CHANGED),
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
# Lines of a process that stops, and also of one that only gives up an office.
_RESIGNING = (
    *("controller_resign_begin", "controller_resigned", "controller_psm_stopped", "controller_rsm_stopped"),
    *("controller_process_shutdown_fatal", "controller_stopped", "coordinator_resigned"),
)
_STOPPING = frozenset((*SIGNALS, *FAILURES, *STEPS, *STARTS, *_RESIGNING))
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

    def __init__(self, batches: Callable[[], Iterable[pa.RecordBatch]]) -> None:
        self._batches = batches
        self.lines: dict[str, list[Line]] = defaultdict(list)
        self.states = States()
        usual = []
        sums = {"first": "min", "last": "max", "event_id": "min"}
        named, directories = Totals("topic", "topic_id", "node_id", **sums), Totals("node_id", "dir", "kind")
        epochs = Totals("controller_id", "controller_epoch", "node_id", **sums)
        for events in self._events():
            for line in _lines(_of_kinds(events, _FEW)):
                self.lines[line.kind].append(line)
            self.states.add(events)
            named.add(_with_ends(events, "topic", "topic_id"))
            epochs.add(_with_ends(events, "controller_id", "controller_epoch"))
            directories.add(_directories(events))
            usual.append(_usual(events))
        self._usual = _logs_of_nodes(usual)
        self.ids, self.epochs = _named(named, "topic", "topic_id"), _named(epochs, "controller_id", "controller_epoch")
        self.directories: dict[int | None, Counter[str]] = defaultdict(Counter)
        for row in directories.rows():
            if row["kind"] != DIRECTORY_FAILS:
                self.directories[row["node_id"]][row["dir"]] += row["lines"]
        for lines in self.lines.values():
            lines.sort(key=lambda line: (line.at, line.source_file, line.line_number))

    def _events(self) -> Iterator[pa.Table]:
        """The events of nodes, and the lines of descriptions of topics, which no node wrote."""
        for batch in self._batches():
            events = batch.filter(pc.and_(batch.column("kind").is_valid(), batch.column("node_id").is_valid()))
            yield pa.concat_tables([pa.Table.from_batches([events]), _described(batch)]).combine_chunks()

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
        logs = self._usual[node]
        ends = [end for name, own in logs.items() if log in (None, name) for end in own.ends_within(since, until)]
        if log is not None:
            return sorted({f"{file}:{number}" for _, file, number in ends})
        return [f"{file}:{number}" for _, file, number in sorted({*([min(ends), max(ends)] if ends else [])})]

    @property
    def nodes(self) -> Collection[int]:
        """The nodes with lines that a running process prints."""
        return self._usual.keys()

    def span(self, node: int) -> tuple[int, int]:
        """The times of the first and the last line that a node printed while it ran."""
        logs = self._usual[node].values()
        return min(log.times[0] for log in logs), max(log.times[-1] for log in logs)

    def of_partition(self, topic: str, partition: int | None) -> list[dict[str, Any]]:
        """The lines about the state of a partition that `states` names, in the order of time."""
        return [] if partition is None else self._asked.get((topic, partition), [])

    def of_topic(self, topic: str) -> list[dict[str, Any]]:
        """The lines about the states of the partitions of a deleted topic, in the order of time."""
        rows = (row for (name, _), rows in self._asked.items() if name == topic for row in rows)
        return sorted(rows, key=lambda row: (row["at"] or 0, row["event_id"]))

    @cached_property
    def _asked(self) -> Mapping[tuple[str | None, int | None], list[dict[str, Any]]]:
        """The lines about the states that rules look at one by one, by partition."""
        topics = {line.topic for line in self.of(DELETED) if line.topic is not None}
        odd = {(topic, partition) for topic, partition, *_ in self.states.odd_epochs}
        return rows_about(self._events, topics, self.states.rarely_named | odd)


_NO_TABLE = pa.table({})


def _micros(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())


class _Log(NamedTuple):
    """The lines of one log of a node in the order of time: their times, and the file and the number of each."""

    times: array[int]
    files: Sequence[str]
    file_of: array[int]
    numbers: array[int]

    def ends_within(self, since: float, until: float) -> list[tuple[int, str, int]]:
        """The first and the last line after one time and before another: time, file and number of each."""
        first, end = bisect_right(self.times, since), bisect_left(self.times, until)
        return [self._line(first), self._line(end - 1)] if first < end else []

    def _line(self, at: int) -> tuple[int, str, int]:
        return self.times[at], self.files[self.file_of[at]], self.numbers[at]


def _usual(events: pa.Table) -> pa.Table:
    """The lines that a running process prints: the node, file, number and time of each."""
    kinds = pc.unique(events["kind"]).to_pylist()
    running = pa.array([kind for kind in kinds if is_running(kind)], pa.string())
    is_one = pc.and_(pc.is_in(events["kind"], running), pc.and_(events["level"].is_valid(), events["ts"].is_valid()))
    some = events.filter(is_one)
    files = some["source_file"].combine_chunks().dictionary_encode()
    columns = {"node": some["node_id"], "number": some["line_number"], "at": _micros(some["ts"])}
    return pa.table({"file": files, **columns})


def _logs_of_nodes(tables: Sequence[pa.Table]) -> dict[int, dict[str, _Log]]:
    """The lines of each log of each node, from those that running processes print."""
    usual = pa.concat_tables(tables).unify_dictionaries().combine_chunks() if tables else _NO_TABLE
    found: dict[int, dict[str, _Log]] = defaultdict(dict)
    if not usual.num_rows:
        return found
    encoded = usual["file"].chunk(0)
    names = encoded.dictionary.to_pylist()
    files, logs = sorted(names), sorted({series(name) for name in names})
    numbers = {"log": (logs, map(series, names)), "file": (files, names)}
    for name, (known, of) in numbers.items():
        place = {one: number for number, one in enumerate(known)}
        number = pa.array([place[one] for one in of], pa.int32()).take(encoded.indices)
        usual = usual.drop_columns([name] if name in usual.column_names else []).append_column(name, number)
    ordered = usual.sort_by([(name, "ascending") for name in ("node", "log", "at", "file", "number")])
    begin = 0
    sums = ordered.group_by(["node", "log"]).aggregate([([], "count_all")])
    for row in sums.sort_by([("node", "ascending"), ("log", "ascending")]).to_pylist():
        own = ordered.slice(begin, row["count_all"])
        times, of_file, lines = (_integers(own[name]) for name in ("at", "file", "number"))
        found[row["node"]][logs[row["log"]]] = _Log(times, files, of_file, lines)
        begin += row["count_all"]
    return found


def _integers(column: pa.ChunkedArray) -> array[int]:
    """The numbers of a column without nulls, eight bytes each."""
    found = array("q")
    for chunk in column.cast(pa.int64()).chunks:
        found.frombytes(memoryview(chunk.buffers()[1])[8 * chunk.offset : 8 * (chunk.offset + len(chunk))])
    return found


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


def _with_ends(events: pa.Table, *key: str) -> pa.Table:
    """The events that name something, with the columns of its first and its last time."""
    there = events.filter(pc.and_(*(events[name].is_valid() for name in key)))
    at = _micros(there["ts"])
    return there.select([*key, "node_id", "event_id"]).append_column("first", at).append_column("last", at)


def _directories(events: pa.Table) -> pa.Table:
    """The log directories that lines name."""
    is_map = pa.types.is_map(events.schema.field("details").type)
    dirs = pc.map_lookup(events["details"].combine_chunks(), pa.scalar("dir"), "first") if is_map else pa.nulls(0)
    return events.select(["node_id", "kind"]).append_column("dir", dirs).filter(dirs.is_valid())


class Named(NamedTuple):
    """How often the lines of a node name something, when first and last, and the first line."""

    key: tuple[Any, ...]
    node_id: int | None
    lines: int
    first: int
    last: int
    event_id: str


def _named(totals: Totals, *key: str) -> list[Named]:
    return [
        Named(
            tuple(row[name] for name in key),
            row["node_id"],
            row["lines"],
            row["first"] or 0,
            row["last"] or 0,
            row["event_id"],
        )
        for row in totals.rows()
    ]
