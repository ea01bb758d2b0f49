"""A node of whose lines rules read a part says so."""

from __future__ import annotations

from datetime import timedelta

import pytest

from replay.facts.runs import FactQuotas, facts
from replay.questions import condensed
from replay.tables.faults import SILENCES
from replay.tables.questions import BLIND_SPOTS
from tests.facts.test_runs import _tries
from tests.tables import rows, same_rows


@pytest.mark.parametrize(
    ("at_most", "runs", "unit"),
    [(20_001, None, None), (20_000, "4,320", "minute"), (300, "72", "hour"), (10, "3", "day")],
)
def test_lines_that_count_as_runs_are_a_blind_spot_of_their_node(at_most, runs, unit):
    found = list(condensed.condensed(facts(_tries(20_001), FactQuotas({1: 20_001}, at_most)), ()))
    if runs is None:
        assert found == []
        return
    (spot,) = found
    assert (spot.kind, spot.node_id, spot.end_ts - spot.start_ts < timedelta(days=1)) == ("condensed", 1, True)
    assert f"equal lines count as {runs} runs within a {unit}" in spot.what
    assert spot.questions == [f"when each of these lines was logged within its {unit}"]


def test_silences_that_are_left_out_are_a_blind_spot(monkeypatch):
    found = rows(
        SILENCES,
        "node_id | from_ts | to_ts\n1 | 10:00:00 | 10:00:04\n1 | 10:01:00 | 10:01:03.500\n2 | 10:00:00 | 10:00:09",
    )
    assert list(condensed.condensed((), found)) == []
    monkeypatch.setattr(condensed, "MOST_SILENCES", 2)
    same_rows(
        list(condensed.condensed((), found)),
        BLIND_SPOTS,
        """
        kind      | node_id | start_ts | end_ts
        condensed | 1       | 10:00:00 | 10:01:03.500 """,
    )
    assert (
        "the 2 longest times without a line are examined, each of 3.5 s or more"
        in next(condensed.condensed((), found)).what
    )
