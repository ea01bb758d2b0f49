"""What of the events comes over to plain Python."""

from __future__ import annotations

from datetime import timedelta

import pytest

from replay.facts import runs
from replay.facts.reads import reads, reads_each
from replay.facts.runs import FactQuotas, facts
from replay.tables.reading import EVENTS, FACTS, Event
from tests.nodes import by_node, of_nodes
from tests.tables import rows, same_rows


@reads("broker_started", "checkpoint_hw", "fetch_send_error", "node_inflight_cancelled")
def _some_rule() -> None:
    """A rule that reads some kinds."""


def test_only_what_a_rule_reads_comes_over_and_nothing_that_hosts_say():
    told = rows(
        EVENTS,
        """
        ts       | kind            | node_id | topic  | partition
        10:00:00 | broker_started  | 1       |        |
        10:00:01 | any             | 1       |        |
        10:00:02 | broker_started  | 1       |        |
                 | checkpoint_hw   | 1       | orders | 0        """,
    )
    told[2] = told[2].but(kind="kernel_oom_kill")
    same_rows(
        of_nodes(facts, told, FactQuotas({1: 2})),
        FACTS,
        """
        ts       | kind           | node_id | count | last_ts  | event_id | last_event_id
        10:00:00 | broker_started | 1       | 1     | 10:00:00 | e1       | e1
                 | checkpoint_hw  | 1       | 1     |          | e4       | e4      """,
    )


@reads_each("process_signal")
def _some_rule_of_lives() -> None:
    """A rule that needs every line of a kind."""


MANY = """
    ts           | kind                    | node_id | leader_id | topic  | partition
    10:00:00     | fetch_send_error        | 1       | 2         |        |
    10:00:00.500 | fetch_send_error        | 1       | 2         |        |
    10:00:00.600 | fetch_send_error        | 1       | 3         |        |
    10:00:01     | fetch_send_error        | 1       | 2         |        |
    10:00:01     | node_inflight_cancelled | 1       | 2         |        |
    10:00:01     | node_inflight_cancelled | 1       | 2         |        |
    10:00:02     | process_signal          | 1       |           |        |
    10:00:02.100 | process_signal          | 1       |           |        |
                 | checkpoint_hw           | 1       |           | orders | 0
                 | checkpoint_hw           | 1       |           | orders | 0     """


def test_beyond_a_nodes_quota_lines_that_say_the_same_are_runs():
    same_rows(
        facts(by_node(rows(EVENTS, MANY))[1], FactQuotas({1: 10}, at_most=9)),
        FACTS,
        """
        ts           | kind                    | node_id | leader_id | count | last_ts      | event_id | last_event_id
        10:00:00     | fetch_send_error        | 1       | 2         | 2     | 10:00:00.500 | e1       | e2
        10:00:00.600 | fetch_send_error        | 1       | 3         | 1     | 10:00:00.600 | e3       | e3
        10:00:01     | fetch_send_error        | 1       | 2         | 1     | 10:00:01     | e4       | e4
        10:00:01     | node_inflight_cancelled | 1       | 2         | 1     | 10:00:01     | e5       | e5
        10:00:01     | node_inflight_cancelled | 1       | 2         | 1     | 10:00:01     | e6       | e6
        10:00:02     | process_signal          | 1       |           | 1     | 10:00:02     | e7       | e7
        10:00:02.100 | process_signal          | 1       |           | 1     | 10:00:02.100 | e8       | e8
                     | checkpoint_hw           | 1       |           | 1     |              | e9       | e9
                     | checkpoint_hw           | 1       |           | 1     |              | e10      | e10""",
    )


def test_up_to_its_quota_each_line_is_a_row_of_its_own():
    assert [fact.count for fact in facts(by_node(rows(EVENTS, MANY))[1], FactQuotas({1: 10}, at_most=10))] == [1] * 10


def test_runs_are_as_long_as_they_must_be():
    found = facts(by_node(rows(EVENTS, MANY))[1], FactQuotas({1: 10}, at_most=4))
    assert [fact.count for fact in found if fact.kind == "fetch_send_error" and fact.leader_id == 2] == [3]


def _tries(lines: int) -> list[Event]:
    """A follower that cannot reach three leaders tries again all day, of each of 500 partitions."""
    (first,) = rows(
        EVENTS, "ts | kind | node_id | topic | source_file\n 00:00:00 | fetch_send_error | 1 | orders | a.log"
    )
    step = timedelta(days=1) / lines
    return [
        first.but(ts=first.ts + n * step, leader_id=n % 3 + 2, partition=n % 500, event_id=f"a.log:{n}")
        for n in range(lines)
    ]


@pytest.mark.parametrize("at_most", [20_000, 4_000, 300, 10])
def test_a_day_of_lines_comes_over_as_few_enough_rows_and_none_is_lost(at_most):
    found = facts(_tries(20_001), FactQuotas({1: 20_001}, at_most))
    assert len(found) <= at_most
    assert sum(fact.count for fact in found) == 20_001
    assert {fact.leader_id for fact in found} == {2, 3, 4}


def test_lines_that_stand_apart_leave_half_of_the_quota_to_the_times_of_the_others():
    """A hundred equal nodes: each logs 600 errors in half an hour, beside more cancelled requests than its quota."""
    errors = [line.but(leader_id=2, partition=None) for line in _tries(28_800)[:600]]
    cancelled = [line.but(kind="node_inflight_cancelled", event_id=f"b.log:{n}") for n, line in enumerate(errors * 4)]
    quotas = FactQuotas(dict.fromkeys(range(100), 3000))
    assert quotas.of(1) == 2_000 < len(cancelled)
    found = facts([*errors, *cancelled], quotas)
    assert len([fact for fact in found if fact.kind == "fetch_send_error"]) == 600


def test_nodes_with_few_lines_have_a_row_for_each_and_the_others_share_what_is_left():
    quotas = FactQuotas({1: 10, 2: 5_000, 3: 90, None: 9_000}, at_most=1_000)
    assert [quotas.of(node) for node in (1, 3, 2, None, 7)] == [10, 90, 450, 450, 0]
    assert FactQuotas({}).of(1) == 0


def test_only_the_kinds_that_are_read_count_towards_a_quota():
    quotas = FactQuotas.by_kind({(1, "fetch_send_error"): 3, (1, "any"): 7, (2, "broker_started"): 2, (2, "any"): 9})
    assert (quotas.of(1), quotas.of(2)) == (3, 2)


def test_what_hosts_and_java_say_testifies():
    told = rows(
        EVENTS,
        """
        ts       | kind                | node_id
        10:00:00 | broker_started      | 1
        10:00:01 | any                 | 1
        10:00:02 | jvm_crash_announced | 2 """,
    )
    told[1] = told[1].but(kind="kernel_oom_kill")
    assert [row.event_id for row in of_nodes(runs.witness_statements, told)] == ["e2", "e3"]
