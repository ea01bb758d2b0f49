"""Groups that rebalance again and again (F36), coordinators that cannot load (F37), transactions left open (F38)."""

from __future__ import annotations

import pytest

from replay.faults import coordinators as stage
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables.faults import FAULTS
from tests.faults.given import facts
from tests.tables import same_rows


def generations(count: int, failed: int, group: str = "cart") -> str:
    """A group whose generations follow each other, a minute apart, and its members that fell silent."""
    member = "rdkafka-0277f672-8477-4c27-9e95-ec37f664f576"
    head = "ts | kind | node_id | details"
    begun = [
        f"10:{n:02}:00 | group_rebalance_begun | 1 | group_id={group};reason=removing member {member} on heartbeat expiration."
        for n in range(count)
    ]
    stable = [f"10:{n:02}:03 | group_generation | 1 | group_id={group};generation={n + 1}" for n in range(count)]
    silent = [f"10:{n:02}:01 | group_member_failed | 1 | group_id={group};member_id={member}" for n in range(failed)]
    return "\n".join([head, *begun, *stable, *silent])


def said(found) -> list[str]:
    return [HOW_IT_IS_KNOWN.render(one.reason, one.arguments) or "" for one in found]


def test_a_group_that_is_assigned_again_again_and_again_while_members_fall_silent():
    found = stage.groups_rebalanced(facts(generations(6, 4)))
    same_rows(
        found,
        FAULTS,
        """
        kind             | code | broker_id | ts       | end_ts
        group_rebalanced | F36  |           | 10:00:03 | 10:05:03 """,
    )
    (text,) = said(found)
    assert "group cart had 6 new generations" in text and "it removed members 4 times for missed heartbeats" in text
    assert text.endswith("its rebalances began for: removing member on heartbeat expiration (6 times)")


def test_a_deployment_and_a_few_rebalances_are_none():
    assert not stage.groups_rebalanced(facts(generations(9, 0)))
    assert not stage.groups_rebalanced(facts(generations(4, 4)))


def test_generations_of_several_groups_are_not_added_up():
    two = generations(3, 2) + "\n" + generations(3, 2, "orders").partition("\n")[2]
    assert not stage.groups_rebalanced(facts(two))


def test_lines_that_stand_for_several_are_not_counted():
    runs = [fact.but(count=7) for fact in facts(generations(6, 4))]
    assert not stage.groups_rebalanced(runs)


LOADS = """
    ts       | kind                    | node_id | topic              | partition | details
    10:00:00 | coordinator_load_failed | 2       | __consumer_offsets | 6         | exception={thrown}
    {later}  | coordinator_load_done   | {node}  | __consumer_offsets | 6         | """


def test_a_coordinator_that_cannot_load():
    damaged = "org.apache.kafka.common.errors.CorruptRecordException: x"
    found = stage.coordinators_not_loaded(facts(LOADS.format(thrown=damaged, later="10:05:00", node=3)))
    same_rows(
        found,
        FAULTS,
        """
        kind                   | code | broker_id | ts       | partitions
        coordinator_not_loaded | F37  | 2         | 10:00:00 | __consumer_offsets-6 """,
    )
    assert f"could not load __consumer_offsets-6 ({damaged})" in said(found)[0]
    moved = "org.apache.kafka.common.errors.NotLeaderOrFollowerException: x"
    for told in (
        LOADS.format(thrown=damaged, later="10:00:20", node=2),
        LOADS.format(thrown=moved, later="10:05:00", node=3),
    ):
        assert not stage.coordinators_not_loaded(facts(told))


FAILED = "Failed to initialize the share partition: pickers-orders-0."


@pytest.mark.parametrize(
    ("last", "message", "thrown", "found"),
    [
        ("10:01:30", FAILED, "java.lang.IllegalStateException: x", True),
        # the share coordinator was back within a minute
        ("10:00:55", FAILED, "java.lang.IllegalStateException: x", False),
        ("10:01:30", FAILED, "org.apache.kafka.common.errors.NotCoordinatorException: x", False),
        # the coordinator's own line
        ("10:01:30", "Read on uninitialized share partition pickers:orders:0", "", False),
    ],
)
def test_share_partitions_that_cannot_be_initialised_however_often_it_is_tried(last, message, thrown, found):
    same_rows(
        stage.share_partitions_not_loaded(
            facts(f"""
            ts       | kind                   | node_id | message   | details
            10:00:00 | share_partition_failed | 3       | {message} | group_id=pickers;exception={thrown}
            10:00:50 | share_partition_failed | 3       | {message} | group_id=pickers;exception={thrown}
            {last}   | share_partition_failed | 3       | {message} | group_id=pickers;exception={thrown} """)
        ),
        FAULTS,
        f"""
        kind                       | code | broker_id | ts       | end_ts
        {"share_partition_not_loaded | F37  | 3         | 10:00:00 | " + last if found else ""} """,
    )


def test_a_transaction_that_is_ended_by_its_timeout():
    found = stage.transactions_left_open(
        facts("""
        ts       | kind                        | node_id | details
        10:00:00 | transaction_aborted_timeout | 1       | transactional_id=billing-9 """)
    )
    same_rows(
        found,
        FAULTS,
        """
        kind                  | code | broker_id | ts
        transaction_left_open | F38  |           | 10:00:00 """,
    )
    assert said(found) == [
        "broker 1, the coordinator, rolled back 1 transaction that its producer had not ended in time (transactional "
        "id billing-9), at 10:00:00.000: until then read_committed consumers could not read past the first record of "
        "it"
    ]


RETRIED = """
    ts       | kind                     | node_id | topic  | partition | details
    10:00:00 | transaction_marker_retry | 1       | orders | 3         | transactional_id=billing-9;error=NOT_ENOUGH_REPLICAS
    10:00:40 | transaction_marker_retry | 1       | orders | 3         | transactional_id=billing-9;error=NOT_ENOUGH_REPLICAS
    {last}   | transaction_marker_retry | 1       | orders | 3         | transactional_id=billing-9;error=NOT_ENOUGH_REPLICAS
    10:00:30 | transaction_marker_retry | 1       | clicks | 0         | transactional_id=billing-9;error=NOT_LEADER_OR_FOLLOWER """


def test_a_transaction_whose_end_a_partition_does_not_take_holds_readers_there():
    found = stage.transaction_ends_not_written(facts(RETRIED.format(last="10:01:30")))
    same_rows(
        found,
        FAULTS,
        """
        kind                        | code | broker_id | ts       | end_ts   | partitions | peers
        transaction_end_not_written | F38  |           | 10:00:00 | 10:01:30 | orders-3   | 1 """,
    )
    assert said(found) == [
        "broker 1, the coordinator, could not write the marker that ends a transaction (transactional id billing-9) "
        "to orders-3 from 10:00:00.000 to 10:01:30.000 (NOT_ENOUGH_REPLICAS): until the marker is written, "
        "read_committed consumers cannot read past the first record of that transaction in it"
    ]


def test_a_marker_that_waits_for_a_leader_to_move_is_written_soon():
    assert stage.transaction_ends_not_written(facts(RETRIED.format(last="10:00:55"))) == []
