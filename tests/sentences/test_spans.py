"""How long: between two bounds where both are known, the same in sentences and on the page."""

from __future__ import annotations

import pytest

from replay.sentences.spans import span
from viz.phrases import UNKNOWN, bounds

SAID = [
    (10_200, 11_800, "10.2 to 11.8 s"),
    (10_210, 10_240, "10.2 s"),
    (None, 11_800, "up to 11.8 s"),
    (0, 11_800, "up to 11.8 s"),
    (53, 6_100, "53 ms to 6.1 s"),
    (24_900, 61_000, "24.9 s to 1 min 01 s"),
    (61_000, 125_000, "1 min 01 s to 2 min 05 s"),
    (10_200, None, "at least 10.2 s"),
]


@pytest.mark.parametrize(("low", "high", "said"), SAID)
def test_a_duration_is_said_by_its_bounds(low, high, said):
    assert span(low, high) == bounds(low, high) == said


def test_what_is_not_known_and_what_took_no_time():
    assert (span(None, None), bounds(None, None), bounds(0, 0)) == ("", UNKNOWN, "0")
