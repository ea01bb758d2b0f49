"""The stages in their order, from lines to the causality graph; a table a line. What a stage does is in `replay`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.inputs import Inputs
from pipelines.reading import layouts_of, lines_of
from pipelines.store import Store
from replay import clocks, faults, invariants, losses
from replay.brokers import processes, sessions
from replay.brokers.releases import broker_versions
from replay.brokers.second_processes import without_second_processes
from replay.causes import edges as causality
from replay.causes import incidents
from replay.causes.findings import findings
from replay.errors import InputError
from replay.offsets import commit_bands as commits
from replay.offsets import epoch_files, high_watermarks, truncations
from replay.offsets import leader_epoch_caches as lineage
from replay.partitions import elections, failovers, timelines, topics
from replay.partitions import state_reports as sightings
from replay.partitions.assignments import assignments, with_assignments
from replay.partitions.second_witness import second_witness
from replay.questions import blind_spots
from replay.questions import operator_tables as answers
from replay.reading import parse
from replay.reading.witnesses import STATE_WITNESSES, witness_records
from replay.tables import CLOCK_OFFSETS, CONTROLLERS, COVERAGE, SECOND_WITNESS
from replay.tables.literal_table import literal_table

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Zones:
    """The time zones that the user gives: of every node, and of single ones. Raises InputError for one that is none."""

    all: str | None = None
    by_node: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (self.all, *self.by_node.values()):
            if name is not None:
                clocks.zone_named(name)

    def check(self, inputs: Inputs) -> None:
        """Raises InputError if one is of a node that wrote none of the files."""
        nodes = {source.node_id for source in inputs.sources}
        for node in self.by_node:
            if node not in nodes:
                raise InputError(
                    f"--node-timezone {node}: no file is of node {node}; there are files of {', '.join(map(str, sorted(nodes - {None}))) or 'no known node'}"
                )


@dataclass(frozen=True)
class Understood:
    """What the lines say: `events` in corrected time, the nodes' settings, the steps of their clocks, what each file held; and whether the cluster's own record of partitions' states is among them."""

    events: DataFrame
    settings: DataFrame
    steps: DataFrame
    coverage: DataFrame
    has_second_witness: bool


def parsed(spark: SparkSession, inputs: Inputs, work: Path, store: Store, zones: Zones, say: Progress) -> Understood:
    """Lines -> what they say; keeps `events`, `coverage`, `unmatched`, `clock_offsets`."""
    zones.check(inputs)
    say("Reading and understanding lines")
    logs, witnesses = lines_of(spark, inputs, work)
    layouts = layouts_of(inputs)
    read = witness_records(witnesses)
    if layouts:
        known = parse.with_exceptions(parse.matched(parse.records(logs, layouts)), logs)
        read = known.unionByName(read, allowMissingColumns=True)
    printed = store.set_down("printed", read)
    if inputs.contested:
        printed = store.set_down("printed_by_nodes", without_second_processes(printed))
    say("Comparing the nodes' clocks")
    known = printed.where(F.col("kind").isNotNull() | F.col("raw_ts").isNotNull())
    evidence = clocks.clock_evidence(known, zones.all, zones.by_node).collect()
    offsets = literal_table(spark, clocks.clock_offsets(evidence), clocks.OFFSETS)
    store.keep("clock_offsets", CLOCK_OFFSETS.of(offsets.where(F.col("clock") == "lines")))
    records = store.set_down("records", clocks.corrected(printed, offsets))
    nothing = {"log_records": 0, "matched": 0, "unmatched": 0, "foreign": 0}
    silent = [{"source_file": name, "layout": "set aside", **nothing} for name, _ in inputs.set_aside]

    def accounts() -> DataFrame:
        store.keep("unmatched", parse.unmatched(records))
        return store.keep(
            "coverage", parse.coverage(records).unionByName(literal_table(spark, silent, COVERAGE.schema))
        )

    with ThreadPoolExecutor(1) as beside:
        accounted = beside.submit(accounts)
        events = store.keep("events", parse.events(records))
        settings = store.keep("settings", parse.settings(logs, events))
        coverage = accounted.result()
    return Understood(
        events,
        settings,
        clocks.steps(offsets),
        coverage,
        any(source.layout in STATE_WITNESSES for source in inputs.sources),
    )


def replayed(spark: SparkSession, said: Understood, store: Store, say: Progress) -> None:
    """Events -> every other table of the result."""
    events, settings, steps = said.events, said.settings, said.steps

    def leaders_and_isrs() -> tuple[DataFrame, ...]:
        lives = store.set_down("lives", topics.topic_lives(events))
        seen = store.set_down("sightings", sightings.sightings(events, lives))
        states = store.set_down("states", timelines.partition_states(seen))
        told = timelines.ended_with_topic(timelines.leader_epochs(seen), lives)
        epochs = store.set_down("epochs", timelines.dated_by_others(told, events))
        assigned = store.set_down("assignments", assignments(events))
        isrs = store.set_down(
            "isrs", with_assignments(timelines.isr_spans(states, epochs, broker_versions(events)), assigned)
        )
        judged = store.set_down("judged", elections.judged(epochs, isrs, assigned))
        return lives, isrs, judged

    def brokers_and_faults() -> tuple[DataFrame, ...]:
        lived = store.set_down("processes", processes.processes(events))
        stating = both.submit(lambda: store.set_down("stated", faults.stated(events, lived, steps)))
        sessions_ = store.keep("broker_sessions", sessions.broker_sessions(events, lived))
        pauses = store.set_down("pauses", faults.paused(events, sessions_, steps))
        ended = store.set_down("outages", faults.outages(events, lived, sessions_, pauses, store.set_down))
        down = ended.unionByName(store.set_down("without_zookeeper", faults.without_zookeeper(events, ended)))
        stated = stating.result()
        known = down.unionByName(store.set_down("lagging", faults.lagging(events, down, stated)))
        all_of_them = (
            known.unionByName(faults.out_of_quorum(events, known))
            .unionByName(stated)
            .unionByName(faults.without_majority(events, ended, stated))
        )
        found = store.set_down("faults", faults.fenced_without_quorum(all_of_them))
        return lived, sessions_, found

    say("Rebuilding leader epochs, ISRs, offsets and brokers' lives")
    with ThreadPoolExecutor(3) as both:
        epochs_done, faults_done = both.submit(leaders_and_isrs), both.submit(brokers_and_faults)
        marks_done = both.submit(lambda: store.keep("high_watermarks", high_watermarks.high_watermarks(events)))
        cuts_done = both.submit(lambda: store.set_down("cuts", truncations.truncations(events)))
        tenures_done = both.submit(lambda: store.keep("controllers", CONTROLLERS.of(sessions.controllers(events))))
        nodes_done = both.submit(lambda: store.set_down("nodes", blind_spots.nodes_heard(events, said.coverage)))
        settings_done = both.submit(lambda: store.set_down("topic_settings", topics.topic_settings(events, settings)))
        refused_done = both.submit(lambda: store.set_down("refused", causality.refused_writes(events)))
        rules_done = both.submit(lambda: store.set_down("follower_rules", lineage.follower_rules(events, settings)))
        lives, isrs, judged = epochs_done.result()
        marks, cuts, tenures = marks_done.result(), cuts_done.result(), tenures_done.result()
        nodes, topic_settings, refused, rules = (
            nodes_done.result(),
            settings_done.result(),
            refused_done.result(),
            rules_done.result(),
        )
        lived, sessions_, found = faults_done.result()

    def spots() -> DataFrame:
        untold = store.set_down("untold", blind_spots.untold(events, nodes, judged))
        return store.keep(
            "blind_spots",
            blind_spots.blind_spots(events, said.coverage, lived, judged, isrs, tenures, found, nodes, untold),
        )

    def states() -> None:
        led = store.keep("leader_epochs", elections.leader_epochs_table(judged))
        store.keep("deposed_leaders", answers.deposed_leaders(led, marks, sessions_))
        store.keep("isr_spans", timelines.isr_spans_table(isrs, topic_settings))
        store.keep("isr_drops", answers.isr_drops(shrinks_done.result(), sessions_))
        store.keep("replicas", answers.replicas(judged, isrs, marks, sessions_, lives))
        store.keep(
            "second_witness",
            second_witness(store.read("sightings")) if said.has_second_witness else SECOND_WITNESS.empty(spark),
        )

    def partings() -> None:
        caches = store.set_down(
            "caches", lineage.leader_epoch_caches(events, lives, rules, judged, isrs, marks, store.set_down)
        )
        store.keep("leader_epoch_caches", lineage.caches_table(caches))
        store.keep("epoch_files", epoch_files.epoch_files(caches, marks, lives))
        store.keep("follower_positions", high_watermarks.follower_positions(events))
        store.keep("truncations", truncations.explained(cuts, judged, caches, rules, lives))

    def offsets() -> None:
        lineages = store.set_down("lineages", commits.lineages(judged, ledger))
        store.keep(
            "commit_bands",
            commits.commit_bands(
                commits.lower_bounds(marks, lives, lineages), commits.upper_bounds(marks, judged, lives, lineages)
            ),
        )
        said_of_states = {
            "events": events,
            "sightings": store.read("sightings"),
            "settings": settings,
            "topic_settings": topic_settings,
            "lives": lives,
        }
        said_of_offsets = {"high_watermarks": marks, "truncations": cuts, "losses": ledger}
        store.keep("losses", losses.losses_table(blind_spots.losses_with_blind_spots(ledger, spots_done.result())))
        store.keep(
            "violations",
            invariants.violations(
                **said_of_states, **said_of_offsets, judged=judged, isrs=isrs, sessions=sessions_, processes=lived
            ),
        )

    def causes() -> None:
        from replay.causes import (
            graph,
        )  # late: GraphFrames brings pyspark.ml and pandas along, a second that Java's start can hide

        happened, led_to = store.set_down("happenings", causality.vertices(*told)), edges_done.result()
        roots = store.set_down("roots", graph.roots_of(happened, led_to, rest=store.set_down))
        spans = store.set_down("roots_in_time", incidents.incident_of(incidents.root_spans(found, happened, roots)))
        placed = store.keep("vertices", incidents.assigned(happened, roots, spans))
        concluded = findings(found, led_to, roots, spans, placed, judged, elected, ledger)
        concluded = store.keep("findings", blind_spots.findings_with_blind_spots(concluded, spots_done.result()))
        store.keep(
            "incidents",
            incidents.incidents(concluded, spans, placed, led_to, judged, isrs, elected, ledger, topic_settings, found),
        )

    # What the graph waits for comes first; what nothing waits for fills the gaps.
    with ThreadPoolExecutor(3) as both:
        say("Judging elections and losses")
        ledger_done = both.submit(
            lambda: store.set_down(
                "ledger",
                losses.losses(judged, isrs, marks, cuts, lived, events, lives, topic_settings, rules, store.set_down),
            )
        )
        elected_done = both.submit(
            lambda: store.set_down("elected", elections.elections(judged, events, sessions_, found))
        )
        shrinks_done = both.submit(lambda: store.set_down("shrinks", causality.isr_shrinks(isrs)))
        spots_done, states_done = both.submit(spots), both.submit(states)
        partings_done = both.submit(partings)
        ledger, elected, shrinks = ledger_done.result(), elected_done.result(), shrinks_done.result()
        say("Walking causes in the graph")
        told = (found, sessions_, tenures, judged, elected, shrinks, cuts, ledger, refused)
        edges_done = both.submit(lambda: store.keep("edges", causality.edges(*told)))
        causes_done, offsets_done = both.submit(causes), both.submit(offsets)
        elections_done = both.submit(lambda: store.keep("elections", elections.elections_table(elected)))
        steps_done = both.submit(
            lambda: store.keep("failovers", failovers.failovers(elected, sessions_, events, cuts, lives))
        )
        for part in (states_done, partings_done, causes_done, offsets_done, elections_done, steps_done):
            part.result()
