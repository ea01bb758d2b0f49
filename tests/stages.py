"""Runs the program's stages over small inputs: what a table needs is computed as `pipelines.incident` lists it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from pipelines.incident import stages
from pipelines.memory_store import MemoryStore
from pipelines.stages import Laid, Runnable, framed, run
from pipelines.store import Store
from replay.facts.window import ALL_TIME, KafkaEvents
from replay.tables import COVERAGE, DECLARED, SETTINGS, UNMATCHED, Table
from replay.tables.arrow import from_arrow
from replay.tables.clocks import CLOCK_OFFSETS, CLOCK_STEPS
from replay.tables.faults import WITNESSES
from replay.tables.row import Row


def tables_of(
    spark: SparkSession, folder: Path, wanted: Iterable[str], events: DataFrame, **given: DataFrame | Sequence[Row]
) -> Mapping[str, DataFrame]:
    """The tables `wanted`, computed from events by the program's own stages, except those that are `given`. By
    default, settings, clock steps, witnesses and similar inputs are empty.
    """
    known = {
        "settings": SETTINGS.empty(spark),
        "clock_steps": CLOCK_STEPS.empty(spark),
        "clock_offsets": CLOCK_OFFSETS.empty(spark),
        "coverage": COVERAGE.empty(spark),
        "unmatched": UNMATCHED.empty(spark),
        "witnesses": WITNESSES.empty(spark),
        **given,
    }
    store = Store(spark, folder / "result", folder / "work")
    down = {
        name: store.set_down(name, rows) if isinstance(rows, DataFrame) else rows
        for name, rows in {"events": events, **known}.items()
    }
    line_counts = store.counted("events", ("node_id", "kind"))
    made = run(
        _needed(set(wanted), down),
        {
            **down,
            "window": ALL_TIME,
            "line_counts": line_counts,
            "kinds": frozenset(kind for _, kind in line_counts),
            "kafka_events": KafkaEvents(ALL_TIME),
        },
        store,
        read_later=set(wanted),
    )
    return {name: framed(name, made, store) for name in wanted}


def _needed(wanted: set[str], given: Collection[str]) -> list[Runnable]:
    """The stages that make the wanted tables, and all tables that these need, in any order of the list."""
    listed, needed = stages(), set()
    waiting = wanted - set(given)
    while waiting:
        found = {n for n, stage in enumerate(listed) if waiting.intersection(stage.names)} - needed
        needed |= found
        made = {name for n in needed for name in listed[n].names}
        waiting = {name for n in found for name in listed[n].reads} - made - set(given)
    return [listed[n] for n in sorted(needed)]


def plain(frame: DataFrame, table: Table | str) -> list[Row]:
    """The rows of a frame in the form that plain Python functions get."""
    return from_arrow(DECLARED[table] if isinstance(table, str) else table, frame.toArrow())


def made_in_driver(stages: Sequence[Runnable], **given: Any) -> dict[str, Any]:
    """The results of passes and driver stages for the rows of tables (and objects) `given` by name, without Spark."""
    store = MemoryStore()
    for name, rows in given.items():
        if name in DECLARED:
            store.hold(DECLARED[name], rows)
    made = run(stages, {name: Laid(name) if name in DECLARED else one for name, one in given.items()}, store)
    return {name: store.rows(name, DECLARED[name]) if isinstance(one, Laid) else one for name, one in made.items()}
