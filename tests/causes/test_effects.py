"""Vertices of many partitions in few rows: what conclusions and metrics ask of them, however they are added up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from replay.causes.conclusions import Causes
from replay.causes.effect_conclusions import partitions_without_leader, rejected_writes, unexplained_changes
from replay.causes.effects import (
    LINES_KEPT,
    effect_sums,
    effects,
    leading_brokers,
    merge_effect_sums,
    merge_leading_brokers,
    merge_reach,
    open_losses,
    placed_losses,
    reach,
)
from replay.causes.happenings import _refusal
from replay.causes.incidents import Incidents
from replay.sentences.findings import SUMMARIES, TITLES
from replay.tables.causes import (
    EFFECTS,
    HAPPENINGS,
    LEADING_BROKERS,
    OPEN_LOSSES,
    REACH,
    ROOT_SPANS,
    ROOTS,
    VERTICES,
    Happening,
    RefusedWrite,
    Vertex,
)
from replay.tables.faults import FAULTS
from replay.tables.losses import LEDGER, PLACED_LOSSES
from replay.tables.partitions import LEADER_EPOCHS
from replay.tables.row import Row
from tests.each import for_each
from tests.tables import rows, same_rows

# Two partitions lost their leader 1 and have leader 2; the leader of the second was back after half a second.
HAPPENED = """
    id       | kind       | by             | ts       | end_ts       | topic  | partition | name     | node_id | leader_id | new_leader_id | evidence
    kill     | killed     |                | 10:00:00 | 10:01:00     |        |           |          | 1       |           |               | a
    gone-0   | leaderless |                | 10:00:07 | 10:00:09     | orders | 0         | orders-0 |         |           |               | c,b,d
    gone-1   | leaderless |                | 10:00:07 | 10:00:07.500 | orders | 1         | orders-1 |         |           |               | e
    vote-0   | election   | broker_failure | 10:00:09 |              | orders | 0         | orders-0 | 2       | 1         | 2             | f
    vote-1   | election   | broker_failure | 10:00:08 |              | orders | 1         | orders-1 | 2       | 1         | 2             | g
    back-1   | election   | preferred      | 10:05:00 |              | orders | 1         | orders-1 | 1       | 2         | 1             | h
    shrink-0 | isr_shrink |                | 10:00:07 |              | orders | 0         | orders-0 | 2       | 2         |               | []  """
ROOTED = """
    id       | root_ids    | distances
    kill     | kill        | 0
    gone-0   | kill        | 2
    gone-1   | kill        | 2
    vote-0   | kill        | 3
    vote-1   | kill        | 3
    back-1   | kill        | 2
    shrink-0 | pause,kill  | 1,2 """
PLACED = """
    id     | incident_id
    kill   | one
    gone-0 | one
    gone-1 | one
    vote-0 | one
    vote-1 | one """


def _sums() -> list[Row]:
    return list(effect_sums(rows(HAPPENINGS, HAPPENED), rows(VERTICES, PLACED), rows(ROOTS, ROOTED)))


def test_vertices_that_differ_only_in_partition_and_time_are_one_row():
    """A vertex that concerns no partition has a row of its own. Of each time without a leader, and of each election, two lines are kept."""
    same_rows(
        effects(merge_effect_sums(_sums())),
        EFFECTS,
        """
        id   | kind       | by             | node_id | incident_id | root_ids   | is_other_leader | is_open | is_passing | count | ts       | last_ts  | over_ts      | sum_ms | longest_ms | partitions        | first_id | evidence
        kill | killed     |                | 1       | one         | kill       |                 | false   | false      | 1     | 10:00:00 | 10:00:00 | 10:01:00     | 60000  | 60000      | []                | kill     | a
             | leaderless |                |         | one         | kill       |                 | false   | false      | 1     | 10:00:07 | 10:00:07 | 10:00:09     | 2000   | 2000       | orders-0          | gone-0   | c,b
             | leaderless |                |         | one         | kill       |                 | false   | true       | 1     | 10:00:07 | 10:00:07 | 10:00:07.500 | 500    | 500        | orders-1          | gone-1   | e
             | election   | broker_failure | 2       | one         | kill       | true            | false   | false      | 2     | 10:00:08 | 10:00:09 |              | 0      | 0          | orders-0,orders-1 | vote-1   | g,f
             | election   | preferred      | 1       |             | kill       | true            | false   | false      | 1     | 10:05:00 | 10:05:00 |              | 0      | 0          | orders-1          | back-1   | h
             | isr_shrink |                | 2       |             | pause,kill |                 | false   | false      | 1     | 10:00:07 | 10:00:07 |              | 0      | 0          | orders-0          | shrink-0 | []  """,
    )


@for_each("seed", range(30))
def test_the_order_in_which_vertices_are_added_up_does_not_matter(seed):
    """Many that happened at the same moment, of which some share lines: always the same lines are kept."""
    random, begin = Random(seed), datetime(2024, 5, 1, 10, tzinfo=UTC)
    happened = [
        Happening(
            id=f"vote-{n}",
            kind=random.choice(("election", "leaderless", "truncation")),
            topic="orders",
            partition=n,
            name=f"orders-{n}",
            ts=begin + timedelta(seconds=random.randint(0, 3)),
            evidence=[f"line-{random.randint(0, 30):02}" for _ in range(random.randint(0, 4))],
        )
        for n in range(60)
    ]
    each = list(effect_sums(happened, [Vertex(id=one.id) for one in happened], []))
    at_once = merge_effect_sums(each)
    random.shuffle(each)
    boundaries = sorted(random.sample(range(60), 3))
    parts = [each[low:high] for low, high in zip([0, *boundaries], [*boundaries, 60], strict=True)]
    merged = merge_effect_sums(row for part in reversed(parts) for row in merge_effect_sums(part))
    assert merged == at_once
    assert effects(merged) == effects(at_once)
    for row in effects(merged):
        assert len(row.evidence) == len(row.evidence_ts) <= LINES_KEPT
        assert list(row.evidence_ts) == sorted(row.evidence_ts)


def test_roots_reach_to_the_last_of_their_effects_but_not_to_a_leadership_that_is_given_back():
    parts = reach(rows(HAPPENINGS, HAPPENED), rows(ROOTS, ROOTED))
    again = "id | kind | ts | topic\n vote-9 | election | 10:00:30 | clicks"
    other = reach(rows(HAPPENINGS, again), rows(ROOTS, "id | root_ids\n vote-9 | kill"))
    same_rows(
        merge_reach([*other, *parts]),
        REACH,
        """
        root_ids   | last_ts  | count
        kill       | 10:00:30 | 7
        kill,pause | 10:00:07 | 1     """,
    )


def test_a_loss_belongs_to_its_incident_to_that_of_its_election_or_to_that_of_its_time():
    ledger = rows(
        LEDGER,
        """
        topic  | partition | life | leader_epoch | ts       | loss_class | scenario | verdict
        orders | 0         | 0    | 6            | 12:00:00 | committed  | S4       | PROVEN_LOSS
        orders | 0         | 0    | 7            | 12:00:00 | committed  | S4       | POSSIBLE_LOSS
        orders | 0         | 0    | 8            | 10:01:04 | committed  | S4       | UNDETERMINED
        orders | 0         | 0    | 9            | 12:00:00 | committed  |          | NO_LOSS_OBSERVED """,
    )
    vertices = rows(
        VERTICES,
        """
        id                           | kind             | incident_id
        loss/orders-0/6/committed/S4 | loss             | one
        election/orders-0/6          | unclean_election | two
        election/orders-0/7          | election         | two
        loss/orders-0/7/committed/S4 | loss             |      """,
    )
    index = Incidents(rows(ROOT_SPANS, "root_id | incident_id | ts | end_ts\n kill | three | 10:00:00 | 10:01:00"))
    placed = placed_losses(ledger, vertices, index, [])
    same_rows(placed, PLACED_LOSSES, "leader_epoch | incident_id\n 6 | one\n 7 | two\n 8 | three\n 9 | ")
    roots = rows(ROOTS, "id | root_ids\n loss/orders-0/6/committed/S4 | kill\n election/orders-0/7 | pause,kill")
    same_rows(
        open_losses(placed, roots),
        OPEN_LOSSES,
        """
        leader_epoch | root_ids | election_root_ids
        6            | kill     |
        7            |          | pause,kill
        8            |          |           """,
    )


CUT = """
    kind              | broker_id | began_low | ts       | ended_high | arguments
    cut_from_zookeeper | 1        | 10:05:00  | 10:05:02 | 10:06:00   | {peers} """


@pytest.mark.parametrize(
    ("loss_class", "peers", "low"),
    [
        pytest.param("acked_possible", "all_peers=2;at=10", "10:05:00", id="its followers had what it took before"),
        pytest.param("acked_possible", "all_peers=3;at=10", "10:00:00", id="it was not cut off from the new leader"),
        pytest.param("committed", "all_peers=2;at=10", "10:00:00", id="all in-sync replicas had had them"),
    ],
)
def test_what_a_leader_took_that_its_followers_lack_was_written_since_it_was_cut_off_from_them(loss_class, peers, low):
    ledger = rows(
        LEDGER,
        f"""
        topic  | partition | life | leader_epoch | ts       | loss_class   | old_leader_id | new_leader_id | written_low | written_high
        orders | 0         | 0    | 6            | 10:05:20 | {loss_class} | 1             | 2             | 10:00:00    | 10:05:58 """,
    )
    placed = placed_losses(ledger, [], Incidents([]), rows(FAULTS, CUT.format(peers=peers)))
    same_rows(placed, PLACED_LOSSES, f"written_low | written_high\n {low} | 10:05:58")


def test_a_broker_that_led_any_partition_is_a_leading_broker():
    parts = [
        leading_brokers(rows(LEADER_EPOCHS, text))
        for text in ("leader_id\n 1\n -1\n 1", "leader_id\n 2\n 1", "leader_epoch | leader_id\n 1 |")
    ]
    found = merge_leading_brokers(row for part in parts for row in part)
    same_rows(found, LEADING_BROKERS, "broker_id\n 1\n 2")


def test_refused_writes_are_counted_by_their_lines_and_other_effects_have_no_such_count():
    refusals = [
        RefusedWrite(
            id=f"refused-{minute}",
            node_id=1,
            topic="orders",
            partition=0,
            ts=datetime(2024, 5, 1, 10, minute, tzinfo=UTC),
            end_ts=datetime(2024, 5, 1, 10, minute, 30, tzinfo=UTC),
            count=lines,
            min_isr=2,
            evidence=[f"e{minute}"],
        )
        for minute, lines in ((0, 120), (1, 3))
    ]
    (summed,) = merge_effect_sums(effect_sums(map(_refusal, refusals), [], []))
    assert (summed.refused, summed.count) == (123, 2)
    (conclusion,) = rejected_writes([summed])
    (statement,) = conclusion.said
    assert SUMMARIES.sentences([(statement["reason"], statement["arguments"])]).startswith(
        "Leaders rejected 123 writes to orders-0 (retries count each time): fewer replicas were in sync"
    )


def test_a_time_without_a_leader_found_under_way_is_no_change_and_has_a_lower_bound_only():
    found = effects(
        effect_sums(
            rows(
                HAPPENINGS,
                """
        id     | kind       | by           | ts       | end_ts   | topic  | partition | name
        gone-0 | leaderless | begun_before | 10:00:05 | 10:00:11 | orders | 0         | orders-0
        gone-1 | leaderless |              | 10:00:05 | 10:00:09 | orders | 1         | orders-1 """,
            ),
            [],
            [],
        )
    )
    lost, under_way = partitions_without_leader(found, Causes({}), [])
    assert TITLES.render(lost.reason, lost.arguments) == "1 partition offline (no leader) for 4.0 s"
    assert TITLES.render(under_way.reason, under_way.arguments) == (
        "1 partition offline (no leader) for at least 6.0 s; since when is not logged"
    )
    assert (under_way.began_low, under_way.began_high) == (None, found[0].ts)
    (changed,) = unexplained_changes(found, Causes({}))
    assert changed.partitions == ["orders-1"]
