"""Who may say that nothing was lost, and who must not."""

from __future__ import annotations

from replay.facts.groups import by_key
from replay.offsets.deleted_records import all_deleted_records, deleted_records
from replay.questions.all_clear import all_clear
from replay.sentences.all_clear import not_counted
from replay.tables.brokers import PROCESSES
from replay.tables.coverage import LIMITS
from replay.tables.faults import FAULTS
from replay.tables.invariants import VIOLATIONS
from replay.tables.losses import LOSSES
from replay.tables.offsets import LOG_STARTS
from tests.each import for_each
from tests.tables import rows

NO_LOSS = "loss_class | verdict\n committed | NO_COMMITTED_LOSS_BY_PROTOCOL"
UNKNOWN = "loss_class | verdict\n committed | UNDETERMINED"
ABOVE = "loss_class | verdict\n committed | NO_LOSS_OBSERVED\n acked_possible | POSSIBLE_LOSS"
NO_NODE = "kind | unknown | statement\n no_node | losses,truncations | No logs of node 3."
LATE = "kind | unknown | statement\n begins_late | state_before | The logs begin late."
VIOLATED = "invariant | topic | partition | verdict\n I14 | orders | 0 | violated"
OPEN_CHECK = "invariant | topic | partition | verdict\n I14 | orders | 0 | unknown"
KILLED = "node_id | life | ended\n 1 | 0 | killed"
STOPPED = "node_id | life | ended\n 1 | 0 | stopped"


@for_each(
    ("losses", "limits", "violations", "processes", "verdict"),
    [
        ("", "", "", "", "none_possible"),
        ("", LATE, OPEN_CHECK, STOPPED, "none_possible"),
        ("", "", "", KILLED, "none_found"),
        (NO_LOSS, "", "", STOPPED, "none_found"),
        (ABOVE, "", "", "", "none_found"),
        (NO_LOSS, NO_NODE, "", "", "not_ruled_out"),
        ("", NO_NODE, "", "", "not_ruled_out"),
        (NO_LOSS, "", VIOLATED, "", "not_ruled_out"),
        (UNKNOWN, "", "", "", "open"),
        (UNKNOWN, NO_NODE, VIOLATED, KILLED, "open"),
    ],
)
def test_an_all_clear_needs_every_replica_covered_and_every_change_judged(
    losses, limits, violations, processes, verdict
):
    def read(table, text):
        return rows(table, text) if text else []

    [row] = all_clear(
        read(LOSSES, losses), read(LIMITS, limits), read(VIOLATIONS, violations), read(PROCESSES, processes), [], []
    )
    assert row.verdict == verdict
    assert (row.statement is None) == (verdict == "open")


def test_a_doubt_is_named():
    [row] = all_clear([], rows(LIMITS, NO_NODE), rows(VIOLATIONS, VIOLATED), [], [], [])
    assert row.statement == (
        "These logs show no loss of committed records, but do not rule one out. No logs of node 3. "
        "Invariant I14 is violated, for example in orders-0."
    )


def test_what_users_deleted_is_named_beside_the_all_clear():
    """A deletion is no loss of replication (S9), and the records are gone all the same."""
    deletion = "fault_id | kind | ts | arguments\n f | topic_deleted | 10:00:00 | topic=clicks"
    moved = """
        topic              | partition | node_id | ts       | change           | log_start_offset | evidence
        orders             | 0         | 1       | 10:01:00 | moved_by_request | 90               | line
        orders             | 0         | 1       | 10:02:00 | moved_by_request | 120              | later
        orders             | 0         | 2       | 10:02:00 | moved_by_leader  | 120              | follows
        orders             | 1         | 1       | 10:01:30 | moved_by_request | 80               | other
        visits             | 0         | 1       | 10:01:00 | retention_time   | 500              | old
        __consumer_offsets | 0         | 1       | 10:01:00 | moved_by_request | 7                | own """
    of_partitions = by_key(rows(LOG_STARTS, moved), lambda row: (row.topic, row.partition)).values()
    deleted = all_deleted_records([one for own in of_partitions for one in deleted_records(own)])
    [row] = all_clear([], [], [], [], rows(FAULTS, deletion), deleted)
    assert row.verdict == "none_possible"
    day = "2024-05-01"
    assert row.deletions == (
        f"Deleted by request, and not counted as lost: topic clicks with all its records at {day} 10:00:00 UTC; "
        f"records of 2 partitions of orders from {day} 10:01:00 UTC, for example those of orders-0 below offset 120."
    )
    assert not_counted([]) is None
