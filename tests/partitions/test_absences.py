"""What a broker learns as it is back from a freeze or a cut happened at some time since that began."""

from __future__ import annotations

import pytest

from replay.facts.window import ALL_TIME
from replay.partitions.absences import Absences
from replay.partitions.broker_moves import BrokerMoves
from replay.partitions.isr_spans import committed_isrs, isr_states
from replay.partitions.leader_epochs import dated_leader_epochs
from replay.partitions.lives import TopicLives
from replay.partitions.observed_states import partition_states
from replay.tables.faults import FAULTS
from replay.tables.partitions import REBUILT_LEADER_EPOCHS
from replay.timelines import folds
from tests.partitions.reports import reports
from tests.tables import facts, rows, same_rows

FROZEN = """
    kind   | broker_id | ts       | began_low | end_ts   | ended_high
    paused | 3         | 10:00:10 | 10:00:09  | 10:00:35 | 10:00:35   """


def dated(told: str, faults: str = FROZEN, lines: str = "ts"):
    """Leader epochs of orders-3 from these reports, with broker 3 frozen."""
    seen = [one.but(event_id=f"s{at}") for at, one in enumerate(reports(told, topic="orders", partition=3, life=0))]
    moves = BrokerMoves.of(facts(lines))
    return dated_leader_epochs(
        folds.leader_epochs(seen),
        partition_states(seen, moves),
        [],
        TopicLives(),
        moves,
        ALL_TIME,
        seen,
        absences=Absences.of(rows(FAULTS, faults), []),
    )


@pytest.mark.parametrize(
    ("told", "begun_before"),
    [
        pytest.param("10:00:36 | 3 | follower | 2 | true", "true", id="as it wakes"),
        pytest.param("10:00:36 | 3 | request  | 2 | true", "true", id="from the request that it gets then"),
        pytest.param("10:00:36 | 3 | leader   | 3 | true", "true", id="that it leads itself"),
        pytest.param("10:00:36 | 3 | decision | 2 | true", "", id="as the controller, which decides then"),
        pytest.param("10:00:45 | 3 | follower | 2 | true", "", id="long after it is back"),
        pytest.param("10:00:36 | 2 | leader   | 2 | true", "", id="of another broker, which was not away"),
        pytest.param(
            "10:00:36 | 3 | follower | 2 | true\n10:00:37 | 1 | follower | 2 | true", "", id="and of one that was there"
        ),
    ],
)
def test_a_leader_epoch_in_the_first_lines_after_a_freeze_had_begun_before(told, begun_before):
    found = dated(f"""
        ts       | node_id | witness  | leader_id | born | leader_epoch
        10:00:01 | 3       | leader   | 3         | true | 0
        {chr(10).join(f"{line} | 1" for line in told.splitlines())} """)
    same_rows(found, REBUILT_LEADER_EPOCHS, f"leader_epoch | begun_before\n0 |\n1 | {begun_before}")


def test_a_broker_that_is_let_in_again_and_leads_was_elected_then():
    found = dated(
        """
        ts           | node_id | witness | leader_id | born | leader_epoch
        10:00:01     | 3       | leader  | 3         | true | 0
        10:00:36.500 | 3       | leader  | 3         | true | 1 """,
        lines="ts | kind | node_id\n10:00:36 | broker_unfenced | 3",
    )
    same_rows(found, REBUILT_LEADER_EPOCHS, "leader_epoch | begun_before\n0 |\n1 |")


@pytest.mark.parametrize(
    ("node", "ended_before", "begun_before"),
    [
        pytest.param(3, True, True, id="only a broker that was frozen shows the next ISR"),
        pytest.param(2, None, None, id="a broker that was there shows it"),
    ],
)
def test_an_isr_in_the_first_lines_after_a_freeze_had_begun_before(node, ended_before, begun_before):
    told = f"""
        ts       | node_id | witness  | leader_epoch | partition_epoch | leader_id | isr   | born | kind
        10:00:01 | 2       | decision | 0            | 0               | 2         | 1,2,3 | true | created
        10:00:36 | {node}  | follower | 0            | 1               | 2         | 1,2   | true | follower_start """
    seen = [one.but(event_id=f"s{at}") for at, one in enumerate(reports(told, topic="orders", partition=3, life=0))]
    absences, moves = Absences.of(rows(FAULTS, FROZEN), []), BrokerMoves()
    states = partition_states(seen, moves)
    epochs = dated_leader_epochs(
        folds.leader_epochs(seen), states, [], TopicLives(), moves, ALL_TIME, seen, absences=absences
    )
    laid = folds.isr_spans(isr_states(states, epochs, [], [], [], []))
    found = committed_isrs(laid, epochs, [], [], TopicLives(), {}, ALL_TIME, seen, absences, moves)
    assert [(one.isr, one.begun_before, one.ended_before) for one in found] == [
        ([1, 2, 3], None, ended_before),
        ([1, 2], begun_before, None),
    ]
