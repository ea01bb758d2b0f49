"""Where nothing is told there is no fault."""

from __future__ import annotations

from replay.faults import lag, pauses
from replay.faults.process_ends import process_ends
from tests.faults import given
from tests.partitions.test_elections import FAULTS
from tests.tables import table


def test_in_silence_there_is_no_fault():
    assert process_ends([], [], []) == []
    assert pauses.paused([], [], [], [], [], [], given.timings(), []) == []


def test_in_silence_nobody_lags(spark, events, timings):
    nothing = events("ts")
    none = table(spark, FAULTS, "kind")
    shrinks = lag.lag_shrinks(nothing, timings())
    assert lag.lagging(lag.lag_drops(shrinks, nothing, none, none, timings()), shrinks).isEmpty()
