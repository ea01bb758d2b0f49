"""The scheduler of stages: what is ready runs in the order of the list, a failure is told, a walk ends when nothing is new.

Tables are plain values here: the scheduler hands them on and never looks into them.
"""

from __future__ import annotations

import threading

import pytest

from pipelines.incident import STEPS, stages
from pipelines.stages import WORKERS, Stage, Walk, run
from replay.errors import SchemaError
from replay.facts.reads import gathers
from replay.tables import STRING, TABLES
from tests.tables import table_of_test


class Laid:
    """A store that keeps in memory what is laid down, and in which order."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.set: list[str] = []
        self.states: dict[str, object] = {}
        self.rows: dict[str, object] = {}

    def keep(self, name, frame):
        self.kept.append(name)
        return frame

    def set_down(self, name, frame):
        self.set.append(name)
        self.states[name] = frame
        return frame

    def is_empty(self, name):
        return False

    def is_any(self, name, column):
        assert column == "news"
        return any(number > 0 for number in self.states[name].numbers)

    def hold(self, table, rows, *, kept=False, name=None):
        (self.kept if kept else self.set).append(name or table.name)
        self.rows[name or table.name] = rows


class Numbers:
    """A frame of numbers, of which those above 0 are news."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers


def test_each_table_is_made_of_those_it_reads_whatever_their_order_in_the_list():
    store = Laid()
    made = run(
        [
            Stage("sum", lambda a, b: a + b, ("twice", "given")),
            Stage("twice", lambda given: 2 * given, ("given",), kept=True),
            Stage("alone", lambda: 7, ()),
        ],
        {"given": 5},
        store,
    )
    assert made == {"given": 5, "twice": 10, "sum": 15, "alone": 7}
    assert store.kept == ["twice"]
    assert set(store.set) == {"sum", "alone"}


def test_of_several_that_are_ready_the_first_of_the_list_begins_first():
    begun, gate = [], threading.Barrier(WORKERS)

    def of(name):
        def made():
            begun.append(name)
            if len(begun) <= WORKERS:
                gate.wait(10)  # none ends before so many run at the same time
            return name

        return Stage(name, made, ())

    names = [f"t{n}" for n in range(2 * WORKERS)]
    told = []
    run([of(name) for name in names], {}, Laid(), {name: name for name in names}, told.append)
    assert told == names
    assert set(begun[:WORKERS]) == set(names[:WORKERS])


def test_a_step_is_told_as_its_first_table_begins():
    told = []
    run(
        [Stage("b", lambda a: a, ("a",)), Stage("a", lambda: 1, ())],
        {},
        Laid(),
        {"a": "Reading", "b": "Judging"},
        told.append,
    )
    assert told == ["Reading", "Judging"]


def test_a_table_that_no_stage_makes_is_refused_before_anything_runs():
    store = Laid()
    with pytest.raises(ValueError, match="b reads missing, which no stage makes"):
        run([Stage("a", lambda: 1, ()), Stage("b", lambda x: x, ("missing",))], {}, store)
    assert store.set == []


def test_what_a_stage_raises_is_raised_after_those_that_run_have_ended():
    ended, failed = [], threading.Event()

    def fails():
        failed.set()
        raise RuntimeError("no such thing")

    def slow():
        assert failed.wait(10)
        ended.append("slow")
        return 1

    with pytest.raises(RuntimeError, match="no such thing"):
        run([Stage("fails", fails, ()), Stage("slow", slow, ()), Stage("after", lambda x: x, ("fails",))], {}, Laid())
    assert ended == ["slow"]


def _walk(first: Numbers, step, **more) -> Walk:
    return Walk("walk", lambda: first, (), step=step, **more)


def test_a_walk_goes_on_while_a_row_has_news_and_has_no_limit_of_rounds():
    store = Laid()
    walk = _walk(Numbers(7, 3), lambda state: Numbers(*(n - 1 for n in state.numbers)), ends_as=lambda s: s.numbers)
    made = run([walk, Stage("after", lambda walked: walked, ("walk",))], {}, store)
    assert made["after"] == (0, -4)
    assert store.set == [*(f"walk_{n}" for n in range(8)), "walk", "after"]


def test_a_walk_without_news_takes_no_step_and_is_kept_if_it_is_a_table_of_the_result():
    store = Laid()
    walk = Walk(
        "walk",
        lambda given: Numbers(given),
        ("given",),
        kept=True,
        step=lambda *_: pytest.fail("a step without news"),
    )
    assert run([walk], {"given": 0}, store)["walk"].numbers == (0,)
    assert (store.set, store.kept) == (["walk_0"], ["walk"])


def test_a_walk_gives_each_step_the_tables_that_it_reads():
    walk = Walk(
        "walk",
        lambda by: Numbers(10),
        ("by",),
        step=lambda state, by: Numbers(state.numbers[0] - by),
        ends_as=lambda state: state.numbers[0],
    )
    assert run([walk], {"by": 4}, Laid())["walk"] == -2


def test_what_is_gathered_of_kinds_that_do_not_occur_is_not_made():
    @gathers("isr_shrink")
    def shrinks(events):
        return Shrinks

    class Shrinks:
        columns = ("topic",)

    one = table_of_test("shrinks", {"topic": STRING})
    stage = Stage("shrinks", shrinks, ("events",), shape=one)
    store = Laid()
    run([stage], {"events": 1, "kinds": frozenset({"isr_expand"})}, store)
    assert store.rows["shrinks"] == []
    assert run([stage], {"events": 1, "kinds": frozenset({"isr_shrink"})}, Laid())["shrinks"] is Shrinks


READ = {
    *("events", "window", "told_events"),
    *("settings", "clock_steps", "coverage", "unmatched", "kinds", "line_counts"),
}


def test_the_stages_of_an_analysis_fit_together():
    """Each table is made once, from tables that others make or that reading gives; every table of a result is kept by one."""
    given = READ
    listed = stages()
    names = [name for stage in listed for name in stage.names]
    assert len(names) == len(set(names))
    assert {name for stage in listed for name in stage.reads} <= {*names, *given}
    assert set(STEPS) <= set(names)
    of_reading = {"coverage", "events", "unmatched", "clock_offsets", "settings"}
    assert {table.name for table in TABLES} - of_reading <= set(names)


def test_no_stage_waits_for_itself():
    ready = set(READ)
    waiting = list(stages())
    while now := [stage for stage in waiting if set(stage.reads) <= ready]:
        ready |= {name for stage in now for name in stage.names}
        waiting = [stage for stage in waiting if stage not in now]
    assert waiting == []


class Columns:
    """A frame of which only the columns matter."""

    columns = ("topic", "next_source")


def test_a_table_that_is_not_what_is_declared_of_it_is_refused():
    """What is declared stands in for a table that has no row: later stages would miss a column, in some inputs only."""
    shape = table_of_test("made", {"topic": STRING, "next_witness": STRING})
    with pytest.raises(SchemaError, match="made is not what is declared of it: next_source, next_witness"):
        run([Stage("made", Columns, (), shape=shape)], {}, Laid())
