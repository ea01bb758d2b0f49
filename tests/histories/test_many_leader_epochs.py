"""A partition whose leader changes thousands of times: its caches are rebuilt without a look at every pair of entries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from replay.histories.epoch_caches import Entry, _displaced_ts, _end, _Loss
from tests.each import for_each

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def at(second: int) -> datetime:
    return NOON + timedelta(seconds=second)


def entry(leader_epoch: int, start: int, second: int, told_by: str = "append") -> Entry:
    return Entry(1, leader_epoch, start, at(second), told_by, None, since=at(second))


def ends(own: list[Entry], *losses: _Loss, equals_stay: bool = False) -> list[int | None]:
    _end(own, losses, equals_stay)
    return [None if one.end_ts is None else int((one.end_ts - NOON).total_seconds()) for one in own]


@for_each(
    ("own", "expected"),
    [
        pytest.param([entry(1, 10, 0), entry(2, 20, 5)], [None, None], id="a later start leaves it"),
        pytest.param([entry(1, 10, 0), entry(2, 5, 5)], [5, None], id="an earlier start replaces it"),
        pytest.param([entry(2, 10, 0), entry(1, 5, 3, "leader")], [3, None], id="the leader fell back"),
        pytest.param([entry(2, 10, 0), entry(1, 5, 3)], [None, None], id="a copied record is no fall back"),
        pytest.param([entry(1, 10, 0), entry(1, 10, 2), entry(2, 5, 5)], [5, 5, None], id="shown twice, gone once"),
        pytest.param(
            [entry(1, 10, 0), entry(2, 5, 5), entry(1, 10, 8)], [5, None, None], id="it came again and stayed"
        ),
    ],
)
def test_what_replaces_an_entry(own, expected):
    assert ends(own) == expected


def test_a_truncation_ends_an_entry_until_it_comes_again():
    cut = _Loss(at(4), "truncated", cut_to=10)
    assert ends([entry(1, 10, 0), entry(1, 10, 3), entry(1, 10, 6)], cut) == [4, 4, None]


def test_an_entry_that_stands_is_looked_up_once(monkeypatch):
    looked_up = []
    monkeypatch.setattr(
        "replay.histories.epoch_caches._displaced_ts",
        lambda one, *more: looked_up.append(one) or _displaced_ts(one, *more),
    )
    ends([entry(epoch, 10 * epoch, second) for second in range(50) for epoch in range(20)])
    assert len(looked_up) == 20
