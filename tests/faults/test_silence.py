"""Where nothing is told there is no fault."""

from __future__ import annotations

from replay.brokers.processes import processes
from replay.faults import pauses
from replay.faults.all_faults import faults, known_outages, stated_faults
from replay.faults.process_ends import killed, stopped
from replay.tables import BROKER_SESSIONS
from tests.tables import table


def test_in_silence_there_is_no_fault(spark, events, timings, steps):
    nothing = events("ts")
    lives = processes(nothing)
    sessions = table(spark, BROKER_SESSIONS, "broker_id")
    for found in (
        killed(nothing, lives, sessions),
        stopped(lives),
        pauses.paused(nothing, sessions, timings(), steps()),
    ):
        assert found.isEmpty()


def test_nor_are_there_any_in_all():
    assert not known_outages([], [], []) and not stated_faults(*[[]] * 13) and not faults(*[[]] * 9)
