"""The progress of a run: what a terminal shows, and the lines that go into a pipe or a file."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pipelines.main_job import COSTS, DELTA, PARQUET, numbered, steps_of
from pipelines.progress import Running, Step, minutes, progress, seconds_left


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
    assert "7/8 Walking causes … 0:42 · 3:10 elapsed" in out.getvalue()


def test_the_times_are_those_of_the_moment_of_drawing():
    clock = Clock()
    running = Running(clock)
    running.begin("3/8 Reading")
    clock.now += 5
    assert running.__rich__().plain == "3/8 Reading … 0:05 · 0:05 elapsed"
    clock.now += 60
    assert running.__rich__().plain == "3/8 Reading … 1:05 · 1:05 elapsed"


def test_an_estimate_runs_down_and_goes_once_it_has_run_out():
    clock = Clock()
    running, step = Running(clock), Step("5/8 Judging")
    step.left = 88.0
    running.begin(step)
    assert running.line() == "[+0:00] 5/8 Judging, about 1:30 left"
    clock.now += 30
    assert running.__rich__().plain == "5/8 Judging … 0:30 · 0:30 elapsed · about 1:00 left"
    clock.now += 60
    assert running.__rich__().plain == "5/8 Judging … 1:30 · 1:30 elapsed"


def test_the_estimate_follows_the_size_and_the_speed_of_the_steps_that_are_done():
    costs = {"look": (1.0, 0.0), "start": (3.0, 0.0), "read": (0.0, 1.0), "judge": (2.0, 2.0), "write": (0.0, 0.5)}
    done = {"look": 2.0, "start": 6.0, "read": 20.0}
    assert seconds_left(costs, done, 10.0) == pytest.approx(2.0 * (2 + 20 + 5))  # a machine half as fast
    assert seconds_left(costs, done | {"judge": 44.0}, 10.0) == pytest.approx(2.0 * 5)
    assert seconds_left(costs, done, None) is None
    assert seconds_left(costs, {"look": 2.0, "start": 6.0}, 10.0) is None


# Whole runs on two cores: the MB of the input, and the seconds of each step as the clock of the run had them.
RECORDED = {
    "the demo, on a busy machine": (0.55, (2.4, 11.1, 0.8, 2.1, 13.1, 0.3, 4.6, 5.0)),
    "one fetch later, 3.9.1": (1.82, (0.9, 5.9, 0.7, 1.0, 5.0, 0.2, 4.9, 7.3)),
    "3,600 partitions, on a busy machine": (50.68, (3.5, 8.0, 37.6, 22.6, 31.2, 44.8, 36.5, 34.1)),
}


@pytest.mark.parametrize("run", RECORDED)
def test_after_the_third_step_the_estimate_of_a_recorded_run_is_within_a_factor_of_two(run):
    size_mb, seconds = RECORDED[run]
    steps = steps_of(PARQUET)
    for done in range(3, 7):
        told = seconds_left(COSTS, dict(zip(steps[:done], seconds[:done], strict=True)), size_mb)
        assert 0.5 <= told / sum(seconds[done:]) <= 2.0, (done, told, sum(seconds[done:]))


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
