"""What the rules of faults need of every line of one node."""

from __future__ import annotations

import random
from datetime import timedelta
from itertools import chain, permutations

import pytest

from replay.facts.window import ALL_TIME, TimeWindow
from replay.faults import node_lines as stage
from replay.faults.written_lines import written_lines, written_runs
from replay.tables import EVENTS
from replay.tables.faults import (
    ASKED_TIMES,
    FIRST_LINES,
    FIRST_MENTIONS,
    MEMORY_ERRORS,
    PAUSE_SIGNS,
    SILENCES,
    WRITTEN_LINES,
    AskedTime,
)
from tests.each import for_each
from tests.faults import given
from tests.nodes import of_nodes
from tests.tables import rows, same_rows

LINES = """
    ts           | kind                 | logger | node_id | leader_id | isr | topic_id | partition | leader_epoch | partition_epoch | source_file | details            | message
    09:59:59.000 | dump_partition       |        |         | 7         |     |          |           |              |                 | dump.txt    |                    |
                 | checkpoint_hw        |        | 1       |           |     |          |           |              |                 | checkpoint  |                    |
    10:00:00.000 | any                  | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:00.000 | broker_starting      | kafka  | 2       |           |     |          |           |              |                 | server.log  |                    |
    10:00:01.000 | zk_client_timeout    | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:09.000 | isr_updated          | kafka  | 1       | 1         | 1,2 |          |           |              |                 | server.log  |                    |
    10:00:09.500 | zk_session_connected | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:10.000 | leader_start         | kafka  | 1       | 1         |     | t1       | 0         | 4            | 9               | server.log  |                    |
    10:00:12.000 | gc_pause             |        | 1       |           |     |          |           |              |                 | gc.log      | duration_ms=31.2   |
    10:00:12.000 | gc_pause             |        | 1       |           |     |          |           |              |                 | gc.log      | duration_ms=3100.7 |
    10:00:15.000 | any                  | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    | java.lang.OutOfMemoryError: Java heap space
    10:00:16.100 | isr_shrink           | kafka  | 1       |           | 1,2 |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:16.200 | isr_shrink           | kafka  | 1       |           | 1,3 |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:16.900 | isr_shrink           | kafka  | 1       |           | 2,1 |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:17.000 | isr_shrink           | kafka  | 1       |           | 1,2 |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:18.000 | isr_shrink           | kafka  | 1       |           | 1   |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:19.000 | isr_shrink           | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:20.000 | fetch_fenced_epoch   | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:41.000 | follower_start       | kafka  | 2       | 1         |     | t1       | 0         | 4            | 9               | server.log  |                    |
    10:01:00.000 | broker_starting      | kafka  | 2       |           |     |          |           |              |                 | server.log  |                    |
"""


def test_the_first_of_a_nodes_lines_and_its_first_start():
    same_rows(
        given.first_lines(rows(EVENTS, LINES)),
        FIRST_LINES,
        """
        node_id | told_ts  | first_ts | first_event | start_ts
                | 09:59:59 |          |             |
        1       | 10:00:00 | 10:00:00 | e3          |
        2       | 10:00:00 | 10:00:00 | e4          | 10:00:00 """,
    )


def test_silences_within_one_life_with_what_was_last_heard_of_zookeeper():
    same_rows(
        given.silences(rows(EVENTS, LINES)),
        SILENCES,
        """
        node_id | from_ts      | to_ts        | from_event | to_event | without_zookeeper
        1       | 10:00:01.000 | 10:00:09.000 | e5         | e6       | true
        1       | 10:00:10.000 | 10:00:15.000 | e8         | e11      | false
        2       | 10:00:00.000 | 10:00:41.000 | e4         | e19      | false  """,
    )


def test_of_many_silences_the_longest(monkeypatch):
    monkeypatch.setattr(stage, "MOST_SILENCES", 1)
    assert [(one.from_event, one.to_event) for one in given.silences(rows(EVENTS, LINES))] == [
        ("e5", "e6"),
        ("e4", "e19"),
    ]


def test_what_a_node_that_stood_still_may_be_known_by_those_of_one_second_together():
    found = given.pause_signs(rows(EVENTS, LINES))
    same_rows(
        found,
        PAUSE_SIGNS,
        """
        kind               | node_id | told_by | ts           | elapsed_ms
        gc_pause           | 1       | 1       | 10:00:12.000 | 3100
        isr_shrink         | 3       | 1       | 10:00:16.100 |
        isr_shrink         | 2       | 1       | 10:00:16.200 |
        isr_shrink         | 3       | 1       | 10:00:17.000 |
        fetch_fenced_epoch | 1       | 1       | 10:00:20.000 |  """,
    )
    assert [line["event_id"] for line in found[1].lines] == ["e12", "e14"]


def test_when_each_broker_is_first_named_in_the_lines_of_all_nodes():
    told = LINES + "09:00:00 | isr_updated | kafka | 2 | 3 | 9 | | | | | server.log | |"
    partial = [of_nodes(stage.first_mentions, [line], ALL_TIME) for line in rows(EVENTS, told)]
    for merged in (
        given.first_mentions(rows(EVENTS, told)),
        stage.earliest_mentions(chain.from_iterable(reversed(partial))),
    ):
        same_rows(
            merged,
            FIRST_MENTIONS,
            """
            broker_id | member_ts
            1         | 10:00:09.000
            2         | 10:00:09.000
            3         | 09:00:00
            7         | 09:59:59.000
            9         | 09:00:00 """,
        )


def test_out_of_memory_lines_of_one_second_together_but_not_javas_last_words():
    told = """
        ts           | kind                   | node_id | message                    | details
        10:00:15.900 | any                    | 1       |                            | exception=java.lang.OutOfMemoryError: Java heap space
        10:00:15.100 | any                    | 1       | java.lang.OutOfMemoryError |
        10:00:16.100 | any                    | 1       | java.lang.OutOfMemoryError |
        10:00:16.200 | jvm_out_of_memory_exit | 1       | java.lang.OutOfMemoryError |
        10:00:16.300 | any                    |         | java.lang.OutOfMemoryError |
                     | any                    | 1       | java.lang.OutOfMemoryError | """
    same_rows(
        given.memory_errors(rows(EVENTS, told)),
        MEMORY_ERRORS,
        """
        node_id | ts           | last_ts      | event_id | count | evidence
        1       | 10:00:15.100 | 10:00:15.900 | e2       | 2     | e2,e1
        1       | 10:00:16.100 | 10:00:16.100 | e3       | 1     | e3
        1       |              |              | e6       | 1     | e6 """,
    )


@pytest.mark.parametrize(
    ("make", "kinds"),
    [(stage.silences, 2), (stage.first_lines, 1)],
)
def test_of_a_window_only_lines_count_between_which_every_line_was_read(make, kinds):
    told = rows(EVENTS, LINES)
    window = TimeWindow(since=told[5].ts, until=told[10].ts)  # from 10:00:09 to 10:00:15
    found = [row for row in of_nodes(make, told, window) if row.node_id == 1]
    assert len(found) == kinds and all("e3" not in (getattr(row, "from_event", ""),) for row in found)


ASKED = """
    node_id | from_ts      | to_ts
    1       | 10:00:00     | 10:00:10
    2       |              | 10:00:30
    2       | 10:00:50     | 10:01:10
            | 10:00:09.200 | 10:00:41
    3       |              | 10:05:00 """


def test_what_was_written_in_the_times_that_rules_ask_of():
    lines = LINES + "10:00:20.000 | broker_leader_and_isr_request | kafka | 2 | | | | | | | server.log | |"
    same_rows(
        given.written_lines(rows(EVENTS, lines), rows(ASKED_TIMES, ASKED)),
        WRITTEN_LINES,
        """
        node_id | from_ts      | to_ts    | logs | starts | takes_role | handled_ts
        1       | 10:00:00     | 10:00:10 | true | false  | true       |
        2       |              | 10:00:30 | true | true   | false      | 10:00:20.000
        2       | 10:00:50     | 10:01:10 | true | true   | false      |
        1       | 10:00:09.200 | 10:00:41 | true | false  | true       |
        2       | 10:00:09.200 | 10:00:41 | true | false  | true       | 10:00:20.000 """,
    )


@for_each("seed", range(20))
def test_runs_of_lines_show_of_any_time_what_the_lines_tell(seed):
    """Of a time within a run shorter than a second they may know of no line; of handled requests they know one at most
    100 ms before the last, or none that comes before the time.
    """
    chance = random.Random(seed)
    (first,) = rows(EVENTS, "ts | kind | node_id | source_file\n 10:00:00 | any | 1 | a.log")
    kinds = ("any", "any", "leader_start", "broker_starting", "broker_leader_and_isr_request")
    told = [
        first.but(
            ts=first.ts
            + timedelta(milliseconds=chance.choice((1, 40, 990, 1_001, 5_000)) + 700 * chance.randrange(90)),
            kind=chance.choice(kinds),
            logger=chance.choice((None, "kafka")),
            line_number=n,
        )
        for n in range(60)
    ]
    times = [first.ts + timedelta(milliseconds=chance.randrange(70_000)) for _ in range(60)]
    asked = [AskedTime(1, *sorted(chance.sample(times, 2))) for _ in range(40)] + [AskedTime(None, None, times[0])]
    known = {(row.from_ts, row.to_ts): row for row in written_lines(of_nodes(written_runs, told, ALL_TIME), asked)}
    for one in asked:
        inside = [line for line in told if (one.from_ts or line.ts) <= line.ts <= one.to_ts]
        row = known.get((one.from_ts, one.to_ts))
        is_short = one.from_ts is not None and one.to_ts - one.from_ts < timedelta(seconds=1)
        assert (row is not None) == bool(inside) or (is_short and row is None)
        if row is None:
            continue
        for known_of, holds in (
            (row.logs, [line for line in inside if line.logger is not None]),
            (row.starts, [line for line in inside if line.kind == "broker_starting"]),
            (row.takes_role, [line for line in inside if line.kind == "leader_start"]),
        ):
            assert known_of == bool(holds) or (is_short and not known_of)
        handled = [line.ts for line in inside if line.kind == "broker_leader_and_isr_request"]
        if row.handled_ts is not None:
            assert row.handled_ts in handled
        elif handled:
            assert one.from_ts is not None and max(handled) - one.from_ts < timedelta(milliseconds=1_500)


def test_the_order_in_which_nodes_are_put_together_changes_no_first_mention():
    told = rows(EVENTS, LINES)
    partial = of_nodes(stage.first_mentions, told, ALL_TIME)
    merged = {tuple(stage.earliest_mentions(some)) for some in permutations(partial[:5])}
    assert len(merged) == 1
