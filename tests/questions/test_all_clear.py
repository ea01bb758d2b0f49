"""Who may say that nothing was lost, and who must not."""

from __future__ import annotations

import pytest

from replay.questions.all_clear import all_clear
from replay.tables.brokers import PROCESSES
from replay.tables.coverage import LIMITS
from replay.tables.invariants import VIOLATIONS
from replay.tables.losses import LOSSES
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


@pytest.mark.parametrize(
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
        read(LOSSES, losses), read(LIMITS, limits), read(VIOLATIONS, violations), read(PROCESSES, processes)
    )
    assert row.verdict == verdict
    assert (row.statement is None) == (verdict == "open")


def test_a_doubt_is_named():
    [row] = all_clear([], rows(LIMITS, NO_NODE), rows(VIOLATIONS, VIOLATED), [])
    assert row.statement == (
        "These logs show no loss of committed records, but do not rule one out. No logs of node 3. "
        "Invariant I14 is violated, for example in orders-0."
    )
