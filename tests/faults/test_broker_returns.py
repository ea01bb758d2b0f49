"""What other nodes' lines show of a broker that came back: it joins an ISR, or leads, after a state without it."""

from __future__ import annotations

import pytest

from replay.faults.broker_returns import all_broker_returns, broker_returns, ended_by_returns
from replay.faults.outages import outages
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables.faults import BROKER_RETURNS, FAULTS
from replay.tables.partitions import COMMITTED_ISRS, LEADER_EPOCHS
from tests.faults.given import known, sessions
from tests.tables import rows, same_rows

EPOCHS = """
    life:int | leader_epoch | leader_id | start_ts | begun_before | evidence
    0        | 4            | 1         | 10:00:00 |              | led
    0        | 5            | 2         | 10:01:00 |              | moved
    0        | 6            | 1         | 10:02:00 |              | back
    0        | 7            | 3         | 10:03:00 | true         | late """
ISRS = """
    life | leader_epoch | state_order | leader_id | isr   | start_ts | evidence
    0    | 4            | 0           | 1         | 1,2,3 | 10:00:00 | all
    0    | 5            | 0           | 2         | 2,3   | 10:01:00 | left
    0    | 5            | 1           | 2         | 1,2,3 | 10:01:30 | joined
    1    | 0            | 0           | 2         | 2,4   | 10:02:00 | anew """
OUTAGE = """
    kind   | broker_id | ts       | began_low | began_high | reason                  | arguments                           | evidence
    killed | 1         | 10:00:50 | 10:00:50  | 10:00:51   | ended_without_shutdown  | node=1;at_last=2024-05-01T10:00:50+00:00;gone=true | died """


@pytest.fixture
def returned():
    return broker_returns(rows(COMMITTED_ISRS, ISRS), rows(LEADER_EPOCHS, EPOCHS))


def test_a_broker_returns_as_it_joins_an_isr_or_leads_after_another_one(returned):
    """A topic that was created anew, and a leader epoch that had begun before its first line, show no return."""
    same_rows(
        returned,
        BROKER_RETURNS,
        """
        broker_id | how    | away_ts  | ts       | evidence
        1         | in_isr | 10:01:00 | 10:01:30 | joined
        1         | leads  | 10:01:00 | 10:02:00 | back
        2         | leads  | 10:00:00 | 10:01:00 | moved """,
    )


def test_returns_of_one_second_are_one(returned):
    assert all_broker_returns([*returned, *returned]) == returned


def test_an_outage_without_an_end_ends_with_the_first_return(returned):
    ended = ended_by_returns(known(OUTAGE), returned, sessions("broker_id | end_ts\n1 | 10:00:59"))
    same_rows(
        ended,
        FAULTS,
        """
        broker_id | began_high | ended_low | end_ts   | ended_high | evidence
        1         | 10:00:51   | 10:00:59  | 10:01:30 | 10:01:30   | died,joined """,
    )
    text = HOW_IT_IS_KNOWN.render(ended[0].reason, ended[0].arguments)
    assert "it did not come back" not in text
    assert "; lines of other nodes show it in an ISR again at 10:01:30.000, so it was back by then" in text


@pytest.mark.parametrize(
    ("was", "is_"),
    [
        ("10:00:50 | 10:00:50  | 10:00:51", "10:01:20 | 10:01:20  | 10:01:21"),  # it left the ISR before this outage
        (
            "10:00:50 | 10:00:50  | 10:00:51",
            "10:01:26 | 10:00:50  | 10:01:26",
        ),  # clocks: it may have died after its return
        ("killed | 1", "killed | 4"),  # another broker
    ],
)
def test_a_return_that_may_be_of_another_time_ends_no_outage(was, is_, returned):
    returned = [one for one in returned if one.how == "in_isr"]
    (outage,) = ended_by_returns(known(OUTAGE.replace(was, is_)), returned, [])
    assert outage.end_ts is None


def test_an_end_that_lines_of_the_broker_show_stays(returned):
    shown = known(OUTAGE.replace("evidence", "evidence | end_ts").replace("died", "died | 10:01:10"))
    assert ended_by_returns(shown, returned, []) == shown


def test_outages_end_with_the_returns_that_other_nodes_show(returned):
    process_end = known(OUTAGE)
    assert [one.end_ts for one in outages([], process_end, [], [])] == [None]
    (ended,) = outages([], process_end, [], [], broker_returns=returned)
    assert ended.end_ts == returned[0].ts
