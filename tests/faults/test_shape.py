"""What several rules ask of lines, and of runs of lines alike."""

from __future__ import annotations

from replay.faults.shape import begin_of, bursts_of, count_of, end_of
from tests.faults.given import facts

RUNS = """
    ts       | last_ts  | count | kind | node_id
    10:00:00 | 10:05:00 | 300   | any  | 1
    10:01:00 |          | 1     | any  | 1
    10:05:30 |          | 1     | any  | 1
    10:07:00 |          | 1     | any  | 1 """


def test_a_session_lasts_as_long_as_the_lines_of_a_run():
    first, second = bursts_of(facts(RUNS), by=lambda fact: fact.node_id, gap_ms=60_000)
    assert [fact.event_id for fact in first] == ["e1", "e2", "e3"] and [fact.event_id for fact in second] == ["e4"]
    first_lines = facts(RUNS)[:2]
    assert (begin_of(first), end_of(first), count_of(first)) == (first[0].ts, first[2].ts, 302)
    assert end_of(first_lines) == first_lines[0].last_ts
