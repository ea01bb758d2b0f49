"""The stages from log lines to the causality graph, in order, one table per line. The packages in `replay` implement
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from pipelines.found_files import Inputs
from pipelines.lent_session import has_graphframes
from pipelines.memory_store import MemoryStore
from pipelines.node_tables import NODES
from pipelines.reading import batches_here, records_of, with_earlier
from pipelines.redaction import Redaction
from pipelines.samples import SAMPLE_FILES, ChosenSamples, SampleFiles, sample_files
from pipelines.stages import (
    ColumnStage,
    DriverStage,
    From,
    Laid,
    Lookup,
    Pass,
    Runnable,
    SparkRounds,
    SparkStage,
    is_large,
    run,
)
from pipelines.store import Store
from replay import availability, invariants
from replay.catalogue.kinds import HOST_KINDS
from replay.causes import (
    effects,
    happenings,
    incident_metrics,
    incidents,
    partition_causes,
    preferred_leaders,
    proof,
    stale_leaders,
    trouble,
    unanswered_writes,
    walks,
)
from replay.causes.edges import edges_of_cluster
from replay.causes.findings import conclusions, findings
from replay.causes.partition_times import merge_partition_times, partition_times
from replay.causes.sequence_gaps import sequence_gaps
from replay.clocks.correction import Correction, corrected
from replay.clocks.happened_before import KINDS
from replay.clocks.message_keys import keyed_stamps
from replay.clocks.node_clocks import node_clocks
from replay.clocks.offsets import clock_offsets, clock_windows
from replay.clocks.ordered_pairs import bounds_of_key, merged_bounds
from replay.clocks.stamps import GivenZones
from replay.clocks.steps import clock_steps
from replay.clocks.zones import zone_named
from replay.closing.close import closed_conclusions
from replay.closing.known import Known
from replay.coverage.covered import Covered
from replay.coverage.limits import limits
from replay.coverage.rotations import rotation_gaps
from replay.coverage.spans import coverage_spans
from replay.errors import InputError
from replay.facts import node_lines, recorded_members
from replay.facts.controllers import controllers
from replay.facts.features import feature_levels, supported_features
from replay.facts.metadata_log import metadata_log
from replay.facts.processes import processes
from replay.facts.releases import releases
from replay.facts.runs import FactQuotas
from replay.facts.sessions import recorded_sessions
from replay.facts.timings import timings
from replay.facts.voters import voter_sets
from replay.facts.window import ALL_TIME, KafkaEvents, TimeWindow
from replay.facts.witnesses import kafka_files, witnesses
from replay.faults import all_faults, nodes_without_logs, partition_lines, pauses, unreachable, written_lines
from replay.faults.broker_returns import all_broker_returns, broker_returns
from replay.faults.jumped_log_starts import jumped_log_starts
from replay.faults.late_isr_changes import all_late_isr_changes, late_isr_changes
from replay.faults.outages import outages
from replay.faults.process_ends import process_ends
from replay.faults.refused_isr_writes import refused_isr_writes
from replay.faults.witnessed import witnessed
from replay.histories import epoch_caches, shortened
from replay.histories.cluster import Cluster
from replay.histories.epoch_files import epoch_files
from replay.histories.ledger import ledger
from replay.histories.truncations import truncations
from replay.invariants.cluster import known_of
from replay.invariants.metadata import violations_of_metadata
from replay.invariants.tenure_lines import tenure_lines
from replay.metrics.measures import measures
from replay.metrics.statements import incidents_with_causes, metric_statements
from replay.offsets import commit_bands, high_watermarks
from replay.offsets.deleted_records import all_deleted_records, deleted_records
from replay.offsets.epoch_lines import epoch_lines
from replay.offsets.follower_rules import follower_rules
from replay.offsets.log_directories import log_directories
from replay.offsets.log_starts import log_starts
from replay.offsets.remote_logs import remote_logs
from replay.partitions import elected_from, elections, isr_spans, state_report_rows, topic_lives, topic_settings
from replay.partitions.absences import Absences
from replay.partitions.assignments import KINDS as KINDS_OF_ASSIGNMENTS
from replay.partitions.assignments import assignments
from replay.partitions.broker_moves import REASSIGNMENT_COMPLETED, BrokerMoves
from replay.partitions.failovers import SessionsOfBrokers, failovers, learnt_leader_epochs
from replay.partitions.fetchers import ISR_INTENTS, ISR_UPDATED
from replay.partitions.kept_states import kept_states
from replay.partitions.leader_epochs import dated_leader_epochs
from replay.partitions.learnt_offline import MetadataUpdates
from replay.partitions.listed_assignments import ListedAssignments
from replay.partitions.lives import TopicLives
from replay.partitions.observed_states import eligible_leaders, partition_states
from replay.partitions.replica_changes import replica_changes
from replay.partitions.role_lines import role_lines
from replay.partitions.second_witness import second_witness
from replay.partitions.state_reports import partition_state_reports
from replay.partitions.unnumbered_epochs import UNAVAILABLE
from replay.passes import Sum
from replay.questions import blind_spots, told_offsets, unlogged_epochs
from replay.questions.all_clear import all_clear
from replay.questions.broker_sessions import broker_sessions
from replay.questions.deposed_leaders import broker_stops, deposed_leaders
from replay.questions.isr_drops import isr_drops
from replay.questions.replicas import all_trusted, brokers_up, replicas, trusted
from replay.reading.counts import Counts, counted
from replay.reading.owners import Owners, SecondProcesses
from replay.tables import COVERAGE, EVENTS, SETTINGS, UNMATCHED
from replay.tables.clocks import CLOCK_OFFSETS, CLOCK_STEPS, CLOCK_WINDOWS, ClockWindow
from replay.tables.reading import PRINTED
from replay.tables.weighing import DOUBTFUL_LINES
from replay.timelines import folds, high_watermark_curves, leader_epochs
from replay.timelines import isr_spans as timelines_of_isrs
from replay.weighing.file_order import FileOrder
from replay.weighing.remarks import remarks
from replay.weighing.weighed import Weighing

_IN_TIME = ("ts", "source_file", "line_number")
Progress = Callable[[str], None]
READING, COMPARING = "Reading and understanding lines", "Comparing the nodes' clocks"  # the steps of `parsed`


@dataclass(frozen=True)
class Zones:
    """The time zones that the user gives: for all nodes, and for single ones. Raises InputError for an invalid one."""

    all: str | None = None
    by_node: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.given()

    def given(self) -> GivenZones:
        """The time zones by name, in one notation. Raises InputError for a zone that does not exist."""
        by_node = {node: zone_named(name) for node, name in self.by_node.items()}
        return GivenZones(None if self.all is None else zone_named(self.all), by_node)

    def check(self, inputs: Inputs) -> None:
        """Raises InputError if a zone is given for a node without files."""
        nodes = {source.node_id for source in inputs.sources if source.node_id is not None}
        for node in self.by_node:
            if node not in nodes:
                raise InputError(
                    f"--node-timezone {node}: no file is of node {node}; there are files of {', '.join(map(str, sorted(nodes))) or 'no known node'}"
                )


@dataclass(frozen=True)
class Understood:
    """What the parsed lines contain: `events` in corrected time, the settings of the nodes, the steps of their
    clocks, the content of each file, the wordings without a template, whether the cluster's own record of
    partition states is included, the number of events of each kind per node, the time range for which every line is
    included, remarks about files with doubtful lines, these lines (the first of each block), and the samples of metrics.
    """

    events: Laid
    settings: Laid
    clock_steps: Laid
    clock_offsets: Laid
    coverage: Laid
    unmatched: Laid
    line_counts: Mapping[tuple[int | None, str], int]
    window: TimeWindow = ALL_TIME
    remarks: Sequence[tuple[str, str]] = ()
    doubtful: frozenset[str] = frozenset()
    samples: SampleFiles = field(default_factory=SampleFiles)


def parsed(
    spark: SparkSession,
    inputs: Inputs,
    work: Path,
    store: Store,
    zones: Zones,
    on_step: Progress,
    redaction: Redaction | None = None,
    here: Callable[[], Iterable[pa.RecordBatch]] | None = None,
) -> Understood:
    """Parses lines into events. Keeps `events`, `coverage`, `unmatched`, `clock_offsets`, and for `append` the
    records as read.

    With `redaction`, names in the records are replaced as soon as they are read, and the original records are not
    kept. `here` returns the records of a small input, which this process has read.
    """
    zones.check(inputs)
    on_step(READING)
    _printed(spark, inputs, work, store, redaction, here)
    if redaction is not None:
        inputs = redaction.inputs(inputs)
    samples = sample_files(spark, inputs, work, hides_names=redaction is not None)
    return replace(_understood("printed", inputs, store, zones, on_step), samples=samples)


def parsed_here(inputs: Inputs, store: MemoryStore, zones: Zones) -> Understood:
    """Parses lines into events in this process, without Spark. Keeps what `parsed` keeps."""
    zones.check(inputs)
    store.write_batches("read", PRINTED, batches_here(inputs))
    understood = _understood(_with_owners("read", inputs, store), inputs, store, zones, lambda step: None)
    return replace(understood, samples=sample_files(None, inputs, None))


def _understood(laid: str, inputs: Inputs, store: Store | MemoryStore, zones: Zones, on_step: Progress) -> Understood:
    """What the records under the name `laid` contain, in the time of the reference clock."""
    window = inputs.window
    if inputs.contested:
        second = SecondProcesses(store.batches(laid, SecondProcesses.COLUMNS))
        store.write_batches("printed_by_nodes", PRINTED, second.batches(store.batches(laid)))
        laid = "printed_by_nodes"
    on_step(COMPARING)
    files = FileOrder(store.batches(laid, FileOrder.COLUMNS))
    doubtful = files.doubtful(store.batches(laid, FileOrder.COLUMNS))
    if files.changes:
        store.write_batches("printed_once", PRINTED, files.batches(store.batches(laid)))
        laid = "printed_once"
    given = {laid: Laid(laid), "zones": zones.given(), "disorder": files.disorder}
    clocks = run(clock_stages(laid), given, store, read_later=("clock_windows",))
    _check_zones(store.rows("clock_windows", CLOCK_WINDOWS), window)
    counts = _corrected(laid, clocks["correction"], window, store)
    weighing = Weighing(lambda: store.batches("records", Weighing.COLUMNS))
    _keep_weighed(weighing, counts, inputs, store)
    doubtful += weighing.rows
    store.hold(DOUBTFUL_LINES, doubtful, kept=True)
    return Understood(
        Laid(EVENTS.name),
        Laid(SETTINGS.name),
        Laid(CLOCK_STEPS.name),
        Laid(CLOCK_OFFSETS.name),
        Laid(COVERAGE.name),
        Laid(UNMATCHED.name),
        store.counted("events", ("node_id", "kind")),
        window,
        [*files.remarks, *remarks(doubtful)],
        frozenset(row.event_id for row in doubtful),
    )


def _with_owners(laid: str, inputs: Inputs, store: Store | MemoryStore) -> str:
    """The name of the records `laid` after those with an unknown node were given to their owners."""
    if all(source.node_id is not None for source in inputs.to_read() if not source.is_witness):
        return laid
    owners = Owners(store.batches(laid, Owners.COLUMNS))
    store.write_batches("read_of_owners", PRINTED, owners.batches(store.batches(laid)))
    return "read_of_owners"


def _keep_weighed(weighing: Weighing, counts: Counts, inputs: Inputs, store: Store | MemoryStore) -> None:
    """Writes the events without doubtful lines, and what else comes of reading. No file is of a node that is of another
    cluster.
    """
    if weighing.rows:
        store.change_batches("records", PRINTED, weighing.without)
        store.change_batches("events", EVENTS, weighing.without)
    coverage = [
        file.but(node_id=None) if file.node_id in weighing.nodes else file for file in counts.coverage(inputs.files())
    ]
    steps = [step for step in store.rows("clock_steps", CLOCK_STEPS) if step.node_id not in weighing.nodes]
    settings = [one for one in counts.settings() if not weighing.is_doubtful(one.node_id, one.ts, one.event_id)]
    store.hold(CLOCK_STEPS, steps)
    store.hold(COVERAGE, coverage, kept=True)
    store.hold(UNMATCHED, counts.unmatched(), kept=True)
    store.hold(SETTINGS, settings, kept=True)


def _printed(
    spark: SparkSession,
    inputs: Inputs,
    work: Path,
    store: Store,
    redaction: Redaction | None,
    here: Callable[[], Iterable[pa.RecordBatch]] | None,
) -> None:
    """Writes the records as read, under the name `printed`: next to the tables of the result, unless their names were
    replaced.
    """
    read = None if here is not None else records_of(spark, inputs, work)
    if here is not None:
        store.write_batches("read", PRINTED, here())
    elif read is not None and any(source.node_id is None for source in inputs.to_read() if not source.is_witness):
        store.set_down("read", read)
    laid = _with_owners("read", inputs, store)
    if redaction is None and here is not None and inputs.earlier is None:
        store.keep_laid("printed", laid)
        return
    read = store.frame(laid) if read is None or laid != "read" else read
    if redaction is None:
        store.keep_read("printed", with_earlier(spark, inputs, "printed", read))
    else:
        store.set_down_changed("printed", read, redaction.records)


def clock_stages(printed: str) -> tuple[Runnable, ...]:
    """What the records under the name `printed` show about the nodes' clocks, and the correction of their
    timestamps.
    """
    return (
        ColumnStage("node_clocks", node_clocks, From("dated_lines", of=printed), ("node_id",)),
        Pass(
            "clocks",
            ("node_id",),
            {"ordered_lines": From("ordered_lines", of=printed, kinds=frozenset(KINDS))},
            {"keyed_stamps": keyed_stamps},
            has_null_keys=True,
        ),
        Pass(
            "pairs_of_clocks",
            ("rule", "key"),
            {"keyed_stamps": From("keyed_stamps")},
            {"clock_bounds": Sum(bounds_of_key, merged_bounds)},
        ),
        DriverStage("clock_windows", clock_windows),
        DriverStage("clock_offsets", clock_offsets),
        DriverStage("clock_steps", clock_steps),
        DriverStage("correction", Correction),
    )


def _corrected(laid: str, correction: Correction, window: TimeWindow, store: Store | MemoryStore) -> Counts:
    """Writes the records with corrected timestamps (`records`) and the events among them. Returns their counts.

    Records of evidence files outside the window are left out. Of few records, this process changes one batch at a time;
    of many, Spark's workers do.
    """
    if isinstance(store, Store) and is_large(store, laid):
        return _corrected_in_spark(laid, correction, window, store)
    counts = Counts(window)
    with store.writer(PRINTED, "records") as records, store.writer(EVENTS, "events", kept=True) as events:
        for batch in window.without_other_times(correction.batches(store.batches(laid))):
            records.write(batch)
            events.write(batch.filter(batch.column("kind").is_valid()))
            counts.add(batch)
    return counts


def _corrected_in_spark(laid: str, correction: Correction, window: TimeWindow, store: Store) -> Counts:
    """The same on Spark's workers: no record passes through this process."""
    records = store.set_down("records", corrected(store.frame(laid), correction, window))
    store.keep("events", EVENTS.of(records.where("kind is not null")))
    tables = (COVERAGE, UNMATCHED, SETTINGS)
    store.set_down_made("counts", counted(records, window), tables, (), ())
    counts = Counts(window)
    counts.merge(*[list(store.rows_of(table.name, table)) for table in tables])
    return counts


def _check_zones(clock_windows: Sequence[ClockWindow], window: TimeWindow) -> None:
    """Raises InputError if a window was applied to timestamps of a non-UTC zone that the user did not give."""
    if window.is_open:
        return
    zones = {clock.node_id: str(clock.zone) for clock in clock_windows if clock.clock == "lines"}
    given = {clock.node_id for clock in clock_windows if clock.zone_from == "given"}
    other = {node: zone for node, zone in zones.items() if zone != "UTC" and node not in given}
    if other:
        node, zone = min(other.items())
        option = f"--timezone {zone}" if set(zones.values()) == {zone} else f"--node-timezone {node}={zone}"
        raise InputError(
            f"the stamps of node {node} are in the zone {zone}: give {option}, for a window is cut by them"
        )


def replayed(spark: SparkSession, understood: Understood, store: Store, on_step: Progress) -> None:
    """Computes every other table of the result from the events."""
    given = _given(understood)
    if HOST_KINDS.keys() & given["kinds"] or not understood.window.is_open:
        given["events"] = given["kafka_events"].frame(store.frame("events"))
    wanted = [stage for stage in stages(has_graphframes(spark)) if not given.keys() >= set(stage.names)]
    run(wanted, given, store, STEPS, on_step, read_later=("shortened_logs", "witnessed", "timings"))


def replayed_here(understood: Understood, store: MemoryStore) -> None:
    """Computes the same tables in this process, without Spark."""
    given = _given(understood)
    wanted = [stage for stage in stages(in_process=True) if not given.keys() >= set(stage.names)]
    run(wanted, given, store)


def _given(understood: Understood) -> dict[str, Any]:
    """What the stages read beside the tables that they make."""
    return {
        "events": understood.events,
        "window": understood.window,
        "settings": understood.settings,
        "clock_steps": understood.clock_steps,
        "clock_offsets": understood.clock_offsets,
        "coverage": understood.coverage,
        "unmatched": understood.unmatched,
        "line_counts": understood.line_counts,
        "kinds": frozenset(kind for _, kind in understood.line_counts),
        "kafka_events": KafkaEvents(understood.window),
        SAMPLE_FILES: understood.samples,
    }


KEY = ("topic", "partition")  # the pass separates topics that had the same name


# The first table of each reported step.
STEPS = {
    "topic_lives": "Rebuilding leader epochs, ISRs, offsets and brokers' lives",
    "ledger": "Judging elections and losses",
    "cluster_roots": "Walking causes in the graph",
}


def _walked(with_graphframes: bool) -> tuple[Runnable, ...]:
    """The walk through the graph of cluster-wide happenings: with GraphFrames, or in plain Python."""
    if not with_graphframes:
        return DriverStage("cluster_roots", walks.cluster_roots), DriverStage("cluster_rivals", walks.cluster_rivals)
    # Imported late: GraphFrames imports pyspark.ml and pandas, which takes a second while Java starts.
    from replay.causes import graph

    return (
        SparkRounds(
            "cluster_roots", graph.first_paths, "cluster_happenings", step=graph.paths_doubled, ends_as=graph.roots
        ),
        SparkStage("cluster_rivals", graph.rivals, "cluster_edges"),
    )


def stages(with_graphframes: bool = True, *, in_process: bool = False) -> tuple[Runnable, ...]:
    """Every table in an order in which it can be computed: its name, the function that computes it, its inputs.

    `with_graphframes`: whether the session has GraphFrames' classes. `in_process`: no stage needs Spark.
    """
    return (
        *_of_nodes(),
        *_of_partitions(in_process),
        *_of_faults(),
        *_of_losses(),
        *_of_causes(with_graphframes and not in_process),
        *_of_blind_spots(),
        *_of_clients(),
        *_of_conclusions(),
        *_of_metrics(),
        *_of_the_rest(),
        *_of_invariants(),
    )


def _of_nodes() -> tuple[Runnable, ...]:
    """Observations about nodes: witnesses, releases, processes, sessions, controllers."""
    return (
        # The event columns for plain Python.
        DriverStage("fact_quotas", FactQuotas.by_kind),
        DriverStage("shared_logs", node_lines.shared_logs),
        DriverStage("kafka_files", kafka_files),
        DriverStage("rotation_gaps", rotation_gaps),
        Pass("nodes", ("node_id",), {"node_events": From("events", _IN_TIME)}, NODES, has_null_keys=True),
        # Evidence about nodes from sources other than Kafka.
        DriverStage("witnesses", witnesses),
        # Brokers.
        DriverStage("releases", releases),
        DriverStage("processes", processes),
        DriverStage("topic_lives", topic_lives.topic_lives),
        DriverStage("timings", timings),
        DriverStage("metadata_log", metadata_log),
        DriverStage("recorded_membership", recorded_members.recorded_membership),
        DriverStage("kept_states", kept_states),
        DriverStage("recorded_sessions", recorded_sessions),
        DriverStage("controllers", controllers),
        DriverStage("voter_sets", voter_sets),
        DriverStage("feature_levels", feature_levels),
        DriverStage("supported_features", supported_features),
    )


# The distinct states of each partition, and its leader epochs dated by lines about brokers.
_STATES = Pass(
    "states",
    KEY,
    {
        "partition_events": From(
            "events",
            select="kafka_events",
            kinds=KINDS_OF_ASSIGNMENTS | {*REASSIGNMENT_COMPLETED, ISR_UPDATED, *ISR_INTENTS, UNAVAILABLE},
        ),
        "named_partitions": From("named_partitions"),
        "partition_state_reports": From("partition_state_reports"),
        "stated_leader_epochs": From("stated_leader_epochs"),
        "fetcher_stops": From("fetcher_stops"),
    },
    {
        "partition_states": partition_states,
        "dated_leader_epochs": dated_leader_epochs,
        "assignments": assignments,
        "isr_states": isr_spans.isr_states,
    },
)
# The conclusions from the timelines of each partition.
_PARTITIONS = Pass(
    "partitions",
    KEY,
    {
        "partition_events": From("events", select="kafka_events"),
        **{
            name: From(name)
            for name in (
                "partition_state_reports",
                "partition_states",
                "dated_leader_epochs",
                "assignments",
                "laid_isrs",
                "fetch_positions",
                "fetcher_starts",
            )
        },
    },
    {
        "committed_isrs": isr_spans.committed_isrs,
        "isr_spans": isr_spans.non_empty_isrs,
        "leader_epochs": elected_from.leader_epochs,
        "eligible_leaders": eligible_leaders,
        "learnt_leader_epochs": learnt_leader_epochs,
        "role_lines": role_lines,
        "replica_changes": replica_changes,
        "second_witness": second_witness,
        "isr_shrinks": happenings.isr_shrinks,
        "broker_returns": Sum(broker_returns, all_broker_returns),
        "refused_writes": happenings.refused_writes,
        "sequence_gaps": sequence_gaps,
        "brokers_words": availability.brokers_words,
        "high_watermarks": high_watermarks.high_watermarks,
        "follower_positions": high_watermarks.follower_positions,
        "log_starts": log_starts,
        "remote_logs": remote_logs,
        "log_directories": log_directories,
        "epoch_lines": epoch_lines,
        "tenure_lines": tenure_lines,
        "ledger": ledger,
        "replica_epochs": epoch_caches.replica_epochs,
        "leader_epoch_caches": epoch_caches.leader_epoch_caches,
        "epoch_files": epoch_files,
        "truncations": truncations,
        "lineages": commit_bands.lineages,
        "commit_bands": commit_bands.commit_bands,
        "violations_of_partitions": invariants.of_partition,
        "late_roles": Sum(partition_lines.late_roles, partition_lines.all_late_roles),
        "late_isr_changes": Sum(late_isr_changes, all_late_isr_changes),
        "given_up_partitions": Sum(partition_lines.given_up_partitions, partition_lines.all_given_up_partitions),
        "damaged_partitions": partition_lines.damaged_partitions,
        "jumped_log_starts": jumped_log_starts,
        "deleted_records": Sum(deleted_records, all_deleted_records),
        "shortened_logs": Sum(shortened.shortened_logs, shortened.all_shortened_logs),
        "epochs_without_line": unlogged_epochs.epochs_without_line,
        "epoch_counts": Sum(unlogged_epochs.epoch_counts, unlogged_epochs.all_epoch_counts),
        "leader_changes": Sum(unlogged_epochs.leader_changes, unlogged_epochs.all_leader_changes),
        "replicas": replicas,
        "trusted": Sum(trusted, all_trusted),
        "deposed_leaders": deposed_leaders,
        "contradicted_files": Sum(told_offsets.contradicted_files, told_offsets.all_contradicted_files),
    },
)


def _timeline(
    table: str, query: Callable[..., DataFrame], fold: Callable[..., Any], reads: str, in_process: bool
) -> Runnable:
    """A timeline: a query of windows, or in one process the same in plain Python."""
    return DriverStage(table, fold) if in_process else SparkStage(table, query, reads)


def _of_partitions(in_process: bool) -> tuple[Runnable, ...]:
    """The state observations of each partition: leader epochs, ISRs, offsets, losses."""
    reports: Runnable = SparkStage("partition_state_reports", partition_state_reports)
    if in_process:
        reports = DriverStage("partition_state_reports", state_report_rows.partition_state_reports)
    return (
        reports,
        _timeline(
            "stated_leader_epochs",
            leader_epochs.leader_epochs,
            folds.leader_epochs,
            "partition_state_reports",
            in_process,
        ),
        DriverStage("lives", TopicLives),
        DriverStage("broker_moves", BrokerMoves.of),
        DriverStage("absences", Absences.of),
        DriverStage("listed_assignments", ListedAssignments),
        DriverStage("follower_rules", follower_rules),
        DriverStage("process_ends", process_ends),
        DriverStage("histories_cluster", Cluster.of),
        DriverStage("invariants_cluster", known_of),
        DriverStage("brokers_up", brokers_up),
        DriverStage("broker_stops", broker_stops),
        DriverStage("metadata_updates", MetadataUpdates),
        DriverStage("topic_settings", topic_settings.topic_settings),
        DriverStage("min_isr_of", topic_settings.min_isr_of),
        _STATES,
        _timeline("laid_isrs", timelines_of_isrs.isr_spans, folds.isr_spans, "isr_states", in_process),
        _PARTITIONS,
        _timeline(
            "high_watermark_curves",
            high_watermark_curves.high_watermark_curves,
            folds.high_watermark_curves,
            "high_watermarks",
            in_process,
        ),
    )


def _of_faults() -> tuple[Runnable, ...]:
    """Faults, after the stages that prepare their inputs from all lines."""
    return (
        DriverStage("refused_isr_writes", refused_isr_writes),
        DriverStage("pauses", pauses.paused),
        DriverStage("sessions_lost_without_logs", nodes_without_logs.sessions_lost_without_logs),
        DriverStage("outages_without_logs", nodes_without_logs.outages_without_logs),
        DriverStage("sessions_lost_alive", unreachable.sessions_lost_alive),
        DriverStage("outages", outages),
        DriverStage("known_outages", all_faults.known_outages),
        DriverStage("asked_times", all_faults.asked_times),
        DriverStage("written_lines", written_lines.written_lines),
        DriverStage("stated_faults", all_faults.stated_faults),
        DriverStage("faults", all_faults.faults),
        DriverStage("witnessed", witnessed),
        DriverStage("trouble", trouble.trouble),
        DriverStage("unrecognized_trouble", trouble.unrecognized_trouble),
    )


def _of_losses() -> tuple[Runnable, ...]:
    """Elections and losses."""
    return (
        DriverStage("triggers", elections.Triggers),
        DriverStage("sessions_of_brokers", SessionsOfBrokers),
    )


def _of_causes(with_graphframes: bool) -> tuple[Runnable, ...]:
    """Causes and effects, and the incidents."""
    return (
        DriverStage("cluster_happenings", happenings.of_cluster),
        DriverStage("cluster_edges", edges_of_cluster),
        *_walked(with_graphframes),
        DriverStage("cluster_graph", partition_causes.cluster_graph),
        _causes(),
        DriverStage("rivals", walks.all_rivals),
        DriverStage("all_root_spans", incidents.root_spans),
        DriverStage("incident_links", incidents.incident_links),
        DriverStage("incident_roots", incidents.incident_roots),
        DriverStage("root_spans", incidents.with_incidents),
        DriverStage("incident_index", incidents.Incidents),
    )


def _causes() -> Pass:
    """The happenings of each partition (its elections checked against all faults), their causes, and their root
    causes. Cluster-wide happenings are rows without a partition, handled in a separate call.
    """
    return Pass(
        "causes",
        KEY,
        {
            name: From(name)
            for name in (
                "cluster_happenings",
                "leader_epochs",
                "learnt_leader_epochs",
                "isr_shrinks",
                "committed_isrs",
                "truncations",
                "ledger",
                "refused_writes",
            )
        },
        {
            "elections": elections.elections,
            "failovers": failovers,
            "happenings": partition_causes.happenings,
            "edges": partition_causes.edges,
            "roots": partition_causes.roots,
            "partition_rivals": Sum(partition_causes.rivals, walks.merge_rivals),
            "reach": Sum(effects.reach, effects.merge_reach),
            "shared_harms": Sum(incidents.shared_harms, incidents.merge_shared_harms),
            "leading_brokers": Sum(effects.leading_brokers, effects.merge_leading_brokers),
        },
        has_null_keys=True,
    )


def _of_blind_spots() -> tuple[Runnable, ...]:
    """What the logs cannot show."""
    return (
        DriverStage("node_files", unlogged_epochs.NodeFiles),
        DriverStage("quiet_times", unlogged_epochs.quiet_times),
        DriverStage("coverage_spans", coverage_spans),
        DriverStage("covered", Covered),
        DriverStage("broker_sessions", broker_sessions),
        DriverStage("blind_spots", blind_spots.blind_spots),
        DriverStage("limits", limits),
    )


def _of_clients() -> tuple[Runnable, ...]:
    """The effect on clients, and the cost of each incident."""
    return (
        DriverStage("node_outages", availability.node_outages),
        DriverStage("fault_vertices", availability.fault_vertices),
        DriverStage("service_cluster", availability.Cluster.of),
        _costs(),
        DriverStage("effects", effects.effects),
        DriverStage("incident_harm", availability.incident_harm),
        DriverStage("topic_down", availability.topic_down),
    )


def _costs() -> Pass:
    """The cost of each incident per partition. This is a second walk, because happenings belong to incidents only
    after the first.
    """
    return Pass(
        "costs",
        KEY,
        {
            name: From(name)
            for name in (
                "happenings",
                "roots",
                "leader_epochs",
                "committed_isrs",
                "isr_shrinks",
                "ledger",
                "isr_spans",
                "brokers_words",
                "role_lines",
                "fetcher_stops",
                "high_watermarks",
                "deposed_leaders",
            )
        },
        {
            "vertices": incidents.vertices,
            "effect_sums": Sum(effects.effect_sums, effects.merge_effect_sums),
            "placed_losses": effects.placed_losses,
            "open_losses": effects.open_losses,
            "without_leader": availability.without_leader,
            "partition_times": Sum(partition_times, merge_partition_times),
            "leadership_at_last": Sum(preferred_leaders.leadership_at_last, preferred_leaders.merge_leadership_at_last),
            "stale_leaders": Sum(stale_leaders.stale_leaders, stale_leaders.merge_stale_leaders),
            "unanswered_writes": Sum(unanswered_writes.unanswered_writes, unanswered_writes.merge_unanswered_writes),
            "availability": availability.availability,
            "harm_spans": availability.harm_spans,
            "harm_sums": Sum(availability.harm_sums, availability.merge_harm_sums),
            "downtimes": Sum(availability.downtimes, availability.merge_downtimes),
            "waits_in_a_row": Sum(availability.waits_in_a_row, availability.merge_waits_in_a_row),
        },
        has_null_keys=True,
    )


def _of_conclusions() -> tuple[Runnable, ...]:
    """Conclusions, and the findings that report them."""
    return (
        DriverStage("known_facts", Known.of),
        DriverStage("drawn_conclusions", conclusions),
        DriverStage("conclusions", closed_conclusions),
        DriverStage("findings", findings),
        Lookup("fault_lines", "events", proof.lines_of_conclusions, "kafka_events"),
        DriverStage("judged_incidents", incident_metrics.incidents),
    )


def _of_metrics() -> tuple[Runnable, ...]:
    """What samples of metrics prove about the incidents."""
    return (
        ChosenSamples(),
        DriverStage("measures", measures),
        DriverStage("metric_statements", metric_statements),
        DriverStage("incidents", incidents_with_causes),
    )


def _of_the_rest() -> tuple[Runnable, ...]:
    """The rest of the result."""
    return (
        DriverStage("isr_drops", isr_drops),
        DriverStage("told_offsets", told_offsets.told_offsets),
        DriverStage("described_partitions", told_offsets.described_partitions),
        DriverStage("losses", blind_spots.losses),
    )


def _of_invariants() -> tuple[Runnable, ...]:
    """Invariants."""
    return (
        DriverStage("violations_of_cluster", invariants.of_cluster),
        DriverStage("violations_of_metadata", violations_of_metadata),
        DriverStage("violations", invariants.violations),
        DriverStage("all_clear", all_clear),
    )
