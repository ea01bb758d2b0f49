"""What runs stages: each runs once its tables are there, a failure is raised, rounds end when nothing is new."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from pipelines import stages as engine
from pipelines.incident import STEPS, stages
from pipelines.memory_store import MemoryStore
from pipelines.stages import DriverStage, Laid, SparkRounds, SparkStage, run
from replay.errors import SchemaError
from replay.tables import DECLARED, TABLES


def test_each_object_is_made_of_those_it_reads_whatever_their_order_in_the_list():
    made = run(
        [
            DriverStage("sum", lambda twice, given: twice + given),
            DriverStage("twice", lambda given: 2 * given),
            DriverStage("alone", lambda: 7),
        ],
        {"given": 5},
        MemoryStore(),
    )
    assert made == {"given": 5, "twice": 10, "sum": 15, "alone": 7}


def test_of_several_that_are_ready_the_first_of_the_list_runs_first():
    ran: list[str] = []

    def named(name):
        return lambda: ran.append(name)

    run([DriverStage(name, named(name)) for name in "cab"], {}, MemoryStore())
    assert ran == ["c", "a", "b"]


def test_a_step_is_printed_as_its_first_table_begins():
    said: list[str] = []
    list_ = [DriverStage("b", lambda a: a), DriverStage("a", lambda: 1)]
    run(list_, {}, MemoryStore(), {"a": "Reading", "b": "Judging"}, said.append)
    assert said == ["Reading", "Judging"]


def test_a_table_that_no_stage_makes_and_stages_that_wait_for_each_other_are_refused():
    with pytest.raises(SchemaError, match="b reads missing, which no stage makes"):
        run([DriverStage("a", lambda: 1), DriverStage("b", lambda missing: missing)], {}, MemoryStore())
    with pytest.raises(SchemaError, match="waits for"):
        run([DriverStage("a", lambda b: b), DriverStage("b", lambda a: a)], {}, MemoryStore())


def test_what_a_stage_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        run([DriverStage("fails", lambda: 1 / 0), DriverStage("after", lambda fails: fails)], {}, MemoryStore())


@dataclass
class Laying:
    """A store of frames that only counts what is laid down."""

    states: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    held: list[str] = field(default_factory=list)

    def set_down(self, name, frame):
        self.states[name] = frame
        return frame

    def count(self, name):
        return self.counts[name]

    def is_any(self, name, column):
        assert column == "news"
        return any(number > 0 for number in self.states[name])

    def hold(self, table, rows, *, kept):
        self.held.append(table.name)

    def forget(self, names):
        """Keeps all: a test looks at them."""


def test_rounds_go_on_while_a_row_has_news_and_have_no_limit():
    rounds = SparkRounds("walk", lambda: [40, 3], step=lambda state: [number - 1 for number in state], ends_as=sorted)
    store = Laying()
    assert run([rounds], {}, store)["walk"] == [-37, 0]
    assert len(store.states) == 42


def test_each_step_of_rounds_is_given_the_tables_that_it_reads():
    rounds = SparkRounds("walk", lambda start, less: [start], step=lambda state, start, less: [state[0] - less])
    assert run([rounds], {"start": 5, "less": 2}, Laying())["walk"] == [-1]


def test_a_table_without_whose_rows_another_has_none_spares_its_plan(monkeypatch):
    name = TABLES[0].name
    stage = SparkStage(name, lambda: pytest.fail("planned"), "causes")
    store = Laying(counts={"causes": 0})
    assert run([stage], {}, store)[name] == Laid(name)
    assert store.held == [name]


READ = {
    *("events", "window", "kafka_events", "line_counts", "kinds"),
    *("settings", "clock_steps", "clock_offsets", "coverage", "unmatched", "sample_files"),
}


def test_the_stages_of_an_analysis_fit_together():
    """Each table is made once, from tables that others make or that reading gives; each table of a result is made."""
    listed = stages()
    names = [name for stage in listed for name in stage.names]
    assert len(names) == len(set(names))
    assert {name for stage in listed for name in stage.reads} <= {*names, *READ}
    assert set(STEPS) <= set(names)
    of_reading = {"coverage", "events", "unmatched", "doubtful_lines", "clock_offsets", "settings"}
    assert {table.name for table in TABLES} - of_reading <= set(names)
    assert set(names) >= engine.KEPT - of_reading
    assert set(names) & set(DECLARED)


def test_no_stage_waits_for_itself():
    ready = set(READ)
    waiting = list(stages())
    while now := [stage for stage in waiting if set(stage.reads) <= ready]:
        ready |= {name for stage in now for name in stage.names}
        waiting = [stage for stage in waiting if stage not in now]
    assert waiting == []
