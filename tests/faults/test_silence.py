"""Where nothing is told there is no fault."""

from __future__ import annotations

from replay.faults import lag, pauses
from replay.faults.process_ends import killed, stopped
from replay.tables import BROKER_SESSIONS
from tests.lives import processes
from tests.partitions.test_elections import FAULTS
from tests.tables import table


def test_in_silence_there_is_no_fault(spark, events, timings, steps):
    nothing = events("ts")
    lives = processes(nothing)
    sessions = table(spark, BROKER_SESSIONS, "broker_id")
    none = table(spark, FAULTS, "kind")
    shrinks = lag.lag_shrinks(nothing, timings())
    for found in (
        killed(nothing, lives, sessions),
        stopped(lives),
        pauses.paused(nothing, sessions, timings(), steps()),
        lag.lagging(lag.lag_drops(shrinks, nothing, none, none, timings()), shrinks),
    ):
        assert found.isEmpty()
