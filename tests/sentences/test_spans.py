"""How long: between two bounds where both are known, the same in sentences and on the page. Bounds are rounded so that
they remain true."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from replay.sentences.spans import duration, rounded_down, rounded_up, span
from replay.sentences.wording import Wordings
from tests.each import for_each
from viz.phrases import UNKNOWN, at_least, bounds, delay, no_more_than

SAID = [
    (10_200, 11_800, "10.2 to 11.8 s"),
    (10_210, 10_240, "10.2 to 10.3 s"),
    (10_240, 10_240, "10.2 s"),
    (None, 11_810, "up to 11.9 s"),
    (0, 11_800, "up to 11.8 s"),
    (53, 6_101, "53 ms to 6.2 s"),
    (24_999, 60_001, "24.9 s to 1 min 01 s"),
    (61_999, 124_001, "1 min 01 s to 2 min 05 s"),
    (10_299, None, "at least 10.2 s"),
    (26_388, None, "at least 26.3 s"),
]


@for_each(("low", "high", "said"), SAID)
def test_a_duration_is_said_by_its_bounds(low, high, said):
    assert span(low, high) == bounds(low, high) == said


def test_what_is_not_known_and_what_took_no_time():
    assert (span(None, None), bounds(None, None), bounds(0, 0)) == ("", UNKNOWN, "0")


@for_each(
    ("ms", "down", "nearest", "up"),
    [
        (999, "999 ms", "999 ms", "999 ms"),
        (999.4, "999 ms", "999 ms", "1.0 s"),
        (1_656, "1.6 s", "1.7 s", "1.7 s"),
        (26_388, "26.3 s", "26.4 s", "26.4 s"),
        (59_949, "59.9 s", "59.9 s", "1 min 00 s"),
        (59_950, "59.9 s", "1 min 00 s", "1 min 00 s"),
        (3_599_001, "59 min 59 s", "59 min 59 s", "1 h 00 min"),
        (7_290_000, "2 h 01 min", "2 h 02 min", "2 h 02 min"),
        (172_799_999, "47 h 59 min", "2 d 0 h", "2 d 0 h"),
        (-1_560, "−1.6 s", "−1.6 s", "−1.5 s"),
    ],
)
def test_a_lower_bound_is_rounded_down_and_an_upper_one_up(ms, down, nearest, up):
    assert (rounded_down(ms), duration(ms), rounded_up(ms)) == (down, nearest, up)
    assert (at_least(ms), no_more_than(ms)) == (down, up)


_UNITS = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


def _ms(said: str) -> int:
    parts = said.split()
    return round(sum(float(n) * _UNITS[unit] for n, unit in zip(parts[::2], parts[1::2], strict=True)))


def test_the_written_bounds_enclose_every_duration():
    chosen = random.Random(54)
    for ms in (round(10 ** chosen.uniform(0, 9)) for _ in range(2_000)):
        assert _ms(rounded_down(ms)) <= ms <= _ms(rounded_up(ms)), ms


@pytest.mark.parametrize(
    ("bounds_ms", "text"),
    [
        ([(1_656, 2_000), (26_388, 26_388)], "1.6 to 26.4 s"),
        ([(1_656, None), (26_388, 26_388)], "at least 1.6 s"),
        ([(None, 2_000), (26_388, 26_388)], "up to 26.4 s"),
        ([(None, 2_000), (26_388, None)], UNKNOWN),
    ],
)
def test_a_bound_of_several_delays_holds_for_each_of_them(bounds_ms, text):
    assert delay([SimpleNamespace(delay_ms=low, delay_high_ms=high) for low, high in bounds_ms]) == text


def test_a_sentence_rounds_its_bounds_too():
    worded = Wordings({"it": "at least {ms:seconds down}, at most {ms:seconds up}, {ms:seconds}"})
    assert worded.render("it", {"ms": "1656"}) == "at least 1.6 s, at most 1.7 s, 1.7 s"
    assert worded.render("it", {"ms": "1600"}) == "at least 1.6 s, at most 1.6 s, 1.6 s"
