"""The progress of a run on standard error: the step, its time, and the time so far."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from pipelines.terminal import shown


class Step(str):
    """The name of a step. `left`: the estimated seconds from its begin to the end of the run, if known."""

    left: float | None = None


def seconds_left(
    costs: Mapping[str, tuple[float, float]], done: Mapping[str, float], size_mb: float | None
) -> float | None:
    """How many seconds the remaining steps need. None until three steps are done and the size of the input is known.

    `costs`: the seconds that each step needs for any input and for each MB, measured on two cores. The duration of
    the steps in `done` shows how much faster or slower this machine is.
    """
    if size_mb is None or len(done) < 3:
        return None
    expected = {step: fixed + each * size_mb for step, (fixed, each) in costs.items()}
    so_far = sum(expected[step] for step in done if step in expected)
    speed = sum(seconds for step, seconds in done.items() if step in expected) / so_far if so_far else 1.0
    return speed * sum(seconds for step, seconds in expected.items() if step not in done)


@contextmanager
def progress(console: Console, clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[str], None]]:
    """The function that a run calls when each step begins. A terminal shows the running step and its elapsed time; a
    pipe or a file gets one line per step.
    """
    running = Running(clock)
    if not console.is_terminal:

        def print_step(step: str) -> None:
            running.begin(step)
            console.print(running.line(), markup=False, soft_wrap=True)

        yield print_step
        return
    with console.status(running):  # drawn again at each refresh
        yield running.begin


class Running:
    """The running step, its elapsed time, and that of the whole run."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._step = clock, ""
        self._left: float | None = None
        self._began = self._step_began = clock()

    def begin(self, step: str) -> None:
        self._step, self._step_began = shown(step), self._clock()
        self._left = step.left if isinstance(step, Step) else None

    def line(self) -> str:
        """`[+2:05] 7/8 Walking causes, about 1:30 left`: the elapsed time when the step began."""
        return f"[+{minutes(self._step_began - self._began)}] {self._step}{self._about(', ', 0)}"

    def _about(self, before: str, since: float) -> str:
        """The estimate, rounded up to five seconds; empty without an estimate or once it has run out."""
        if self._left is None or self._left - since < 1:
            return ""
        return f"{before}about {minutes(5 * math.ceil((self._left - since) / 5))} left"

    def __rich__(self) -> Text:
        """`7/8 Walking causes … 0:42 · 3:10 elapsed · about 1:30 left`, as of now."""
        if not self._step:
            return Text("Starting …")
        now = self._clock()
        return Text(
            f"{self._step} … {minutes(now - self._step_began)} · {minutes(now - self._began)} elapsed"
            + self._about(" · ", now - self._step_began),
            overflow="ellipsis",
            no_wrap=True,
        )


def minutes(seconds: float) -> str:
    """`0:42`, `12:05`, `1:02:03`."""
    whole = int(seconds)
    if whole < 3_600:
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
