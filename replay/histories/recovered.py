"""A replica's log as its broker loaded it after a crash, beside the high watermark that it had checkpointed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from replay.facts.order import less, nulls_first
from replay.histories.cluster import Restart
from replay.histories.marks import Mark

LOGS_LOADED_WITHIN = timedelta(seconds=600)  # of a start: a large broker that recovers its logs takes minutes


@dataclass(frozen=True, slots=True)
class Recovered:
    """The marks of the log (`loaded`) and of its high watermark (`checkpointed`) at the start after a crash; None if no
    line shows them.
    """

    restart: Restart
    loaded: Mark | None
    checkpointed: Mark | None

    @property
    def end(self) -> int | None:
        """The end of the recovered log."""
        return None if self.loaded is None else self.loaded.log_end_offset

    @property
    def high_watermark(self) -> int | None:
        """The high watermark that the broker read at the start."""
        return None if self.checkpointed is None else self.checkpointed.high_watermark

    @property
    def events(self) -> list[str | None]:
        """The lines of the recovery, the log and the high watermark."""
        marks = (self.loaded, self.checkpointed)
        return [self.restart.recovered_event, *(None if mark is None else mark.event for mark in marks)]


def came_back(end: int | None) -> str:
    """How the log of a crashed replica came back, if its high watermark is no lower. An empty log shows nothing that was
    cut.
    """
    if end == 0:
        return "it came back with an empty log"
    return f"it came back with log end {end} and lowered its high watermark to that"


def recovered(own: Sequence[Mark], restart: Restart) -> Recovered:
    """The log of a replica at a start; `own` are its marks."""
    back_ts = restart.next_start_ts
    at_start = [mark for mark in own if back_ts <= mark.ts < back_ts + LOGS_LOADED_WITHIN]
    return Recovered(
        restart,
        _first(at_start, "log_load_completed", "log_end_offset"),
        _first(at_start, "partition_log_loaded", "high_watermark"),
    )


def crashed_in_isr(
    own: Sequence[Mark], ends: Sequence[Restart], held_ts: datetime | None, led_ts: datetime | None
) -> Recovered | None:
    """The new leader's log after its last crash, if it crashed (`ends`) as a member of the ISR since `held_ts` and led
    (`led_ts`) with what its disk kept. None if it did not crash, or followed a leader in between.
    """
    crashes = [one for one in ends if less(held_ts, one.last_ts) and less(one.next_start_ts, led_ts)]
    if not crashes:
        return None
    back_ts = crashes[-1].next_start_ts
    followed = any(mark.source == "follower_start" and back_ts <= mark.ts and less(mark.ts, led_ts) for mark in own)
    return None if followed else recovered(own, crashes[-1])


def _first(marks: Sequence[Mark], source: str, column: str) -> Mark | None:
    of_source = [mark for mark in marks if mark.source == source]
    return min(of_source, key=lambda mark: nulls_first(mark.ts, getattr(mark, column), mark.event), default=None)
