"""Where nothing is told there is no fault."""

from __future__ import annotations

from replay.faults import pauses
from replay.faults.all_faults import faults, known_outages, stated_faults
from replay.faults.process_ends import process_ends
from tests.faults import given


def test_in_silence_there_is_no_fault():
    assert process_ends([], [], [], []) == []
    assert pauses.paused([], [], [], [], [], [], [], given.timings(), []) == []


def test_nor_are_there_any_in_all():
    assert not known_outages([], [], []) and not stated_faults(*[[]] * 18) and not faults(*[[]] * 10)
