"""The progress of a run: what a terminal shows, and the lines that go into a pipe or a file."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pipelines.main_job import DELTA, PARQUET, numbered, steps_of
from pipelines.progress import Running, minutes, progress


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_pipe_has_one_line_a_step_with_the_time_so_far():
    clock, out = Clock(), io.StringIO()
    with progress(Console(file=out, width=20), clock) as say:
        say("1/8 Looking at the files")
        clock.now += 125.4
        say("2/8 Starting Spark with 4g of [memory]")
    assert out.getvalue() == "[+0:00] 1/8 Looking at the files\n[+2:05] 2/8 Starting Spark with 4g of [memory]\n"


def test_a_terminal_shows_the_step_with_times_that_go_on():
    clock, out = Clock(), io.StringIO()
    console = Console(file=out, width=100, force_terminal=True)
    with progress(console, clock) as say:
        say("1/8 Looking at the files")
        clock.now += 148
        say("7/8 Walking causes")
        clock.now += 42
    assert "7/8 Walking causes … 0:42 · 3:10 so far" in out.getvalue()


def test_the_times_are_those_of_the_moment_of_drawing():
    clock = Clock()
    running = Running(clock)
    running.begin("3/8 Reading")
    clock.now += 5
    assert running.__rich__().plain == "3/8 Reading … 0:05 · 0:05 so far"
    clock.now += 60
    assert running.__rich__().plain == "3/8 Reading … 1:05 · 1:05 so far"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_quiet_run_shows_none(is_terminal):
    out = io.StringIO()
    with progress(Console(file=out, quiet=True, force_terminal=is_terminal)) as say:
        say("1/8 Looking at the files")
    assert out.getvalue() == ""


@pytest.mark.parametrize(("seconds", "told"), [(0.9, "0:00"), (42, "0:42"), (725.9, "12:05"), (3_723, "1:02:03")])
def test_times_are_written_as_on_a_clock(seconds, told):
    assert minutes(seconds) == told


def test_every_step_has_its_number():
    steps = steps_of(PARQUET)
    assert [numbered(step, steps).split(" ")[0] for step in steps] == [f"{n}/8" for n in range(1, 9)]
    assert numbered("Starting Spark with 4g of memory", steps) == "2/8 Starting Spark with 4g of memory"
    assert numbered(steps_of(DELTA)[-1], steps_of(DELTA)) == "9/9 Writing the tables as Delta"
    assert numbered("Something else", steps) == "Something else"
