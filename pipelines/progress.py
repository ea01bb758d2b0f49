"""The progress of a run on standard error: the step, its time, and the time so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from pipelines.terminal import shown


@contextmanager
def progress(console: Console, clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[str], None]]:
    """What a run calls when each step begins. A terminal shows the running step with a running clock; a pipe or a file
    gets one line per step.
    """
    running = Running(clock)
    if not console.is_terminal:

        def told(step: str) -> None:
            running.begin(step)
            console.print(running.line(), markup=False, soft_wrap=True)

        yield told
        return
    with console.status(running):  # drawn again at each refresh
        yield running.begin


class Running:
    """The step that runs, and how long it and the whole run have taken."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._step = clock, ""
        self._began = self._step_began = clock()

    def begin(self, step: str) -> None:
        self._step, self._step_began = shown(step), self._clock()

    def line(self) -> str:
        """`[+2:05] 7/8 Walking causes`: the time so far as the step begins."""
        return f"[+{minutes(self._step_began - self._began)}] {self._step}"

    def __rich__(self) -> Text:
        """`7/8 Walking causes … 0:42 · 3:10 so far`, as of now."""
        if not self._step:
            return Text("Starting …")
        now = self._clock()
        return Text(
            f"{self._step} … {minutes(now - self._step_began)} · {minutes(now - self._began)} so far",
            overflow="ellipsis",
            no_wrap=True,
        )


def minutes(seconds: float) -> str:
    """`0:42`, `12:05`, `1:02:03`."""
    whole = int(seconds)
    if whole < 3_600:
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
