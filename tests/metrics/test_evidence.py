"""What samples prove, held against every course of values that fits them."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from replay.metrics.evidence import (
    Point,
    at_that_time,
    changes,
    gaps,
    is_covered,
    overlapping_leaders,
    points_of,
    ratios,
    runs,
    since_start,
    summed,
)
from replay.tables.metrics import Sample

BEGIN = datetime(2026, 11, 29, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def point(seconds: float, value: float, window: float = 0) -> Point:
    return Point(at(seconds), at(seconds - window), value, (f"s:{seconds}",))


def sample(seconds: float, value: float | None, kind="instantaneous", window_ms=None, age_ms=0) -> Sample:
    return Sample(f"s:{seconds}", "s", 1, None, 1, "m", "m", {}, at(seconds), value, kind, window_ms, age_ms)


def bad(one: Point) -> bool:
    return one.value >= 1


def test_an_instantaneous_value_began_between_the_last_good_sample_and_the_first_bad_one():
    (run,) = runs([point(0, 0), point(15, 0), point(30, 1), point(45, 1), point(60, 0)], bad)
    assert (run.began_low, run.began_high) == (at(15), at(30))
    assert (run.ended_low, run.ended_high) == (at(45), at(60))


def test_a_scrape_reads_a_value_between_its_begin_and_its_end():
    """A process that stops while it is scraped fails the scrape that began before."""
    points = points_of([sample(0, 0), sample(15, 1), sample(30, 0)], lambda one: timedelta(seconds=5))
    (run,) = runs(points, bad)
    assert (run.began_low, run.began_high, run.ended_low, run.ended_high) == (at(0), at(20), at(15), at(35))


def test_a_value_that_is_bad_from_the_first_sample_on_has_no_earliest_begin():
    (run,) = runs([point(0, 1), point(15, 0)], bad)
    assert (run.began_low, run.began_high) == (None, at(0))


def test_a_mean_over_a_window_may_have_turned_bad_before_its_last_good_value():
    (run,) = runs([point(0, 0, 60), point(60, 0, 60), point(120, 1, 60)], bad)
    assert (run.began_low, run.began_high) == (at(0), at(120))


def test_an_answer_of_prometheus_is_up_to_five_minutes_old():
    good, later = points_of([sample(0, 0, age_ms=300_000), sample(15, 1, age_ms=300_000)])
    (run,) = runs([good, later], bad)
    assert (run.began_low, run.began_high) == (at(-300), at(15))


def test_nothing_is_carried_over_a_gap():
    points = [point(s, 1) for s in (0, 15, 30)] + [point(s, 1) for s in (600, 615)]
    first, second = runs(points, bad)
    assert first.ended_low == at(30) and first.ended_high == at(600)
    assert second.began_low == at(30) and second.began_high == at(600)
    assert not is_covered(points, at(15), at(605))
    assert is_covered(points, at(0), at(30)) and is_covered(points, at(600), at(615))


def test_a_series_that_ends_says_nothing_of_later_times():
    points = [point(0, 0), point(15, 0)]
    assert not is_covered(points, at(0), at(20))
    assert not is_covered([], at(0), at(20))


def test_a_counter_that_fell_was_reset_and_its_growth_is_unknown():
    grown = changes([point(0, 100), point(15, 160), point(30, 5), point(45, 25)])
    assert [(one.since, one.ts, one.value) for one in grown] == [(at(0), at(15), 60), (at(30), at(45), 20)]


def test_a_counter_over_a_gap_tells_of_the_whole_gap():
    grown = changes([point(0, 0), point(15, 1), point(30, 2), point(300, 90)])
    assert (grown[-1].since, grown[-1].ts, grown[-1].value) == (at(30), at(300), 88)


def test_the_mean_time_of_a_write_needs_both_counters_at_the_same_times_and_a_write():
    seconds = [point(0, 1.0), point(15, 1.5), point(30, 1.5), point(45, 9.5)]
    writes = [point(0, 100), point(15, 200), point(30, 200), point(45, 204)]
    assert [(one.ts, one.value) for one in ratios(seconds, writes)] == [(at(15), 0.005), (at(45), 2.0)]
    assert ratios(seconds, [point(1, 100), point(16, 200)]) == []


def test_nan_and_missing_values_are_no_points_and_one_time_counts_once():
    assert [one.value for one in points_of([sample(0, None), sample(15, 2.0), sample(15, 3.0)])] == [2.0]


def test_a_mean_since_the_start_is_left_out_as_a_value_of_its_time():
    assert points_of([sample(0, 0.9, "window", None)]) == []


def test_the_idle_share_of_an_interval_is_recovered_from_a_mean_since_the_start():
    """A broker is idle for a day, and busy for a minute: the mean since the start moves from 0.99 to 0.9893."""
    day = 86_400
    shown = [point(day, 0.99), point(day + 60, (0.99 * day + 0.02 * 60) / (day + 60))]
    ((one, low, high),) = since_start(shown, at(0))
    assert (one.since, one.ts) == (at(day), at(day + 60))
    assert low <= 0.02 + 1e-9 and high >= 0.02 - 1e-9 and high < 0.03


def test_recovered_means_hold_for_meters_that_begin_up_to_a_minute_after_the_process():
    chance = random.Random(3)
    for _ in range(300):
        delay, first, step = chance.uniform(0, 60), chance.uniform(200, 90_000), chance.uniform(1, 120)
        before, during = chance.random(), chance.random()
        mean = (before * (first - delay) + during * step) / (first + step - delay)
        ((_, low, high),) = since_start([point(first, before), point(first + step, mean)], at(0))
        assert low - 1e-6 <= during <= high + 1e-6


def test_two_active_controllers_for_one_scrape_each_are_a_normal_move():
    one = [point(0, 1), point(15, 1), point(30, 0)]
    other = [point(7, 0), point(22, 1), point(37, 1)]
    assert list(overlapping_leaders([(1, one), (2, other)])) == []


def test_two_active_controllers_at_two_scrapes_each_are_two():
    one = [point(0, 1), point(15, 1), point(30, 1), point(45, 1)]
    other = [point(7, 0), point(22, 1), point(37, 1)]
    assert {pair[:2] for pair in overlapping_leaders([(1, one), (2, other)])} == {(1, 2)}


def test_a_sum_without_a_dead_broker_is_no_recovery():
    alive, dead = [point(0, 3), point(15, 3)], [point(0, 5)]
    assert summed([alive, dead], at(0), timedelta(seconds=10)) == (8, 0)
    assert summed([alive, dead], at(15), timedelta(seconds=10)) == (3, 1)


def test_values_of_another_node_at_the_same_time_need_not_be_of_the_same_scrape():
    peers = [point(3, 7, 15), point(18, 8, 15), point(33, 9, 15)]
    assert at_that_time(peers, point(30, 0, 15)) == [8, 9]


def scrapes(chance: random.Random) -> list[float]:
    """The times of scrapes, every 15 s with some missing."""
    return [15.0 * n + chance.uniform(0, 1) for n in range(24) if chance.random() > 0.15]


def test_bounds_of_random_troubles_hold_for_instantaneous_values():
    """A trouble lasts from one time to another: the bounds of the run that shows it hold both."""
    chance, shown = random.Random(1), 0
    for _ in range(500):
        begin = chance.uniform(0, 250)
        end = begin + chance.uniform(5, 100)
        points = [point(s, float(begin <= s < end)) for s in scrapes(chance)]
        found = runs(points, bad)
        shown += bool(found)
        if found:
            first, last = found[0], found[-1]
            assert first.began_low is None or first.began_low <= at(begin)
            assert at(begin) <= first.began_high
            assert last.ended_low <= at(end)
            assert last.ended_high is None or at(end) <= last.ended_high
        else:
            assert not any(begin <= one.ts.timestamp() - BEGIN.timestamp() < end for one in points)
    assert shown > 300


def test_bounds_of_random_troubles_hold_for_means_over_windows_and_for_old_values():
    """The mean of the last minute of a trouble that is 1 while it lasts is at least one half, or is not; the value is old."""
    chance, shown = random.Random(2), 0
    for _ in range(500):
        begin, age, window = chance.uniform(60, 250), chance.uniform(0, 40), 60.0
        end = begin + chance.uniform(40, 100)
        points = []
        for s in scrapes(chance):
            to = s - chance.uniform(0, age)
            mean = max(0.0, min(end, to) - max(begin, to - window)) / window
            points.append(Point(at(s), at(s - window - age), mean, ("s",)))
        found = runs(points, lambda one: one.value >= 0.5)
        shown += bool(found)
        for run in found:
            assert at(begin) <= run.began_high
            assert run.ended_low <= at(end)
        if found:
            assert found[0].began_low is None or found[0].began_low <= at(begin)
    assert shown > 300


def test_gaps_are_seen_by_the_usual_distance():
    points = [point(s, 0) for s in (0, 15, 30, 45, 90, 105)]
    assert [(a.ts, b.ts) for a, b in gaps(points)] == [(at(45), at(90))]
