"""Where nothing is told there is no fault."""

from __future__ import annotations

from replay import faults as stage
from replay.brokers.processes import processes
from replay.tables import BROKER_SESSIONS
from tests.partitions.test_elections import FAULTS
from tests.tables import table


def test_in_silence_there_is_no_fault(spark, events):
    nothing = events("ts")
    lives = processes(nothing)
    sessions = table(spark, BROKER_SESSIONS, "broker_id")
    for found in (
        stage.killed(nothing, lives, sessions),
        stage.stopped(lives),
        stage.paused(nothing, sessions),
        stage.lagging(nothing, table(spark, FAULTS, "kind"), table(spark, FAULTS, "kind")),
    ):
        assert found.isEmpty()
