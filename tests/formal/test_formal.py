"""KafkaReplication.tla: its invariants hold, rebuilt histories are behaviours of it, and impossible steps are named."""

from __future__ import annotations

import io
import os

import pandas as pd
import pytest

from tests.formal.__main__ import tables_of, verdicts
from tests.formal.acceptor import accept
from tests.formal.history import History, histories
from tests.formal.specification import Bounds, diverges, search, truncation_offset
from tests.formal.tlc import check, in_order, module, verdict
from tests.recordings import TRACES

GOLDEN = [
    pytest.param(trace, id=trace.name)
    for trace in sorted(TRACES.iterdir())
    if (trace / "expected" / "isr_spans.csv").exists()
]


def test_every_behaviour_within_small_bounds_keeps_the_invariants():
    states, behaviour = search(Bounds(replicas=2, max_epoch=2, max_log=1))
    assert behaviour == [] and states > 1_000


@pytest.mark.nightly
@pytest.mark.parametrize("bounds", [Bounds(2, 2, 2), Bounds(2, 3, 2), Bounds(3, 2, 1), Bounds(2, 3, 2, unclean=True)])
def test_every_behaviour_within_larger_bounds_keeps_the_invariants(bounds):
    assert search(bounds, most_states=600_000)[1] == []


def test_what_a_follower_shares_with_its_leader():
    """KIP-279: the follower has epochs 1, 3; the leader 1, 2, 4: both know the record of epoch 1 alone."""
    assert diverges((1, 3, 3), (1, 2, 4)) and truncation_offset((1, 3, 3), (1, 2, 4)) == 1
    assert diverges((1, 1, 1), (1, 1, 2)) and truncation_offset((1, 1, 1), (1, 1, 2)) == 2
    assert not diverges((1, 1), (1, 1, 2))


@pytest.mark.parametrize("trace", GOLDEN)
def test_the_golden_history_of_a_trace_is_a_behaviour(trace):
    found = verdicts(tables_of(trace / "expected"))
    assert found and {partition: verdict for partition, verdict in found.items() if verdict.rejected} == {}


STATES = """
leader_epoch partition_epoch leader_id isr     start_ts
0            0               1         1,2,3   10:00:00
1            1               2         2,3     10:01:00
1            2               2         1,2,3   10:03:00
"""
EPOCHS = """
leader_epoch leader_id epoch_start_offset start_ts elected_from
0            1         0                  10:00:00
1            2         100                10:01:00 isr
"""
SESSIONS = """
broker_id start_ts end_ts   ended_by
1         09:59:00 10:00:50 crash
1         10:02:50
2         09:59:00
3         09:59:00
"""
CUTS = """
node_id ts       log_end_offset truncation_offset
1       10:02:55 102            100
"""
BANDS = """
start_ts committed_low
10:00:30 40
10:02:00 180
"""
HISTORY = {
    "isr_spans": STATES,
    "leader_epochs": EPOCHS,
    "broker_sessions": SESSIONS,
    "truncations": CUTS,
    "commit_bands": BANDS,
}


def history(**changes: tuple[str, str]) -> History:
    """The history of orders-0 once a text of a table is another."""
    texts = {name: text.replace(*changes[name]) if name in changes else text for name, text in HISTORY.items()}
    assert all(texts[name] != HISTORY[name] for name in changes), "nothing was changed"
    ((_, found),) = histories({name: frame(text) for name, text in texts.items()})
    return found


def rejected(**changes: tuple[str, str]) -> str | None:
    """The step that the acceptor does not explain once a text of a table is another."""
    return accept(history(**changes)).rejected


def frame(text: str) -> pd.DataFrame:
    """A table about orders-0 on one day; a cell at the end of a row may be missing."""
    header, *lines = text.strip().splitlines()
    rows = [dict(zip(header.split(), line.split())) for line in lines]
    for row in rows:
        row |= {name: f"2026-11-21T{value}Z" for name, value in row.items() if name.endswith("ts")}
        row |= {name: value.replace(",", " ") for name, value in row.items() if name == "isr"}
    read = pd.DataFrame(rows, columns=header.split()).fillna("")
    read = pd.read_csv(io.StringIO(read.to_csv(index=False)), dtype=str, keep_default_na=False)
    return read.assign(topic="orders", partition=0)


def test_a_possible_history_is_accepted():
    assert rejected() is None


def test_a_member_of_the_isr_that_never_fetched_is_rejected():
    """Broker 1 is down from 10:00:50 on, and another history lets it stay down."""
    why = rejected(broker_sessions=("1         10:02:50\n", ""))
    assert why is not None
    assert "ExpandIsr(1): broker 1 joins the ISR and never fetched in leader epoch 1: it did not run" in why


def test_a_leader_with_a_lower_epoch_is_rejected():
    why = rejected(isr_spans=("1            2               2 ", "0            2               1 "))
    assert why is not None and "Controller raises the leader epoch, and it was 1 before" in why


def test_two_leaders_of_one_epoch_are_rejected():
    why = rejected(isr_spans=("1            2               2 ", "1            2               3 "))
    assert why is not None and "OneLeaderPerEpoch: 2 leads in leader epoch 1" in why


def test_a_leader_from_outside_the_isr_is_rejected_unless_the_history_calls_its_election_unclean():
    gone = ("0            0               1         1,2,3 ", "0            0               1         1,3   ")
    why = rejected(isr_spans=gone)
    assert why is not None and "ElectClean: broker 2 is not in the ISR [1, 3], and ElectUnclean is not named" in why
    unclean = ("10:01:00 isr", "10:01:00 any_replica")
    assert rejected(isr_spans=gone, leader_epochs=unclean) is None


def test_a_leader_that_starts_below_what_was_committed_is_rejected():
    why = rejected(commit_bands=("40", "140"))
    assert why is not None and "BecomeLeader(2) in epoch 1 from 100" in why
    assert "CommittedInLeader: 140 was committed" in why


def test_a_replica_that_cuts_to_behind_its_log_end_is_rejected():
    why = rejected(truncations=("102            100", "98             100"))
    assert why is not None and "Truncate(1) to 100" in why and "the log ended at 98" in why


def test_a_history_is_written_as_steps_for_tlc():
    text, configuration = module(history())
    written = [line.strip(" [],>") for line in text.splitlines()[3:-1]]
    bounds = [dict(part.split(" |-> ") for part in line.split(", kind")[0].split(", ")) for line in written]
    assert [line[line.index("kind") :] for line in written] == [
        'kind |-> "state", epoch |-> 1, leader |-> 1, isr |-> {1, 2, 3}',
        'kind |-> "start", epoch |-> 1, leader |-> 1, offset |-> 0',
        'kind |-> "committed", offset |-> 1',
        'kind |-> "state", epoch |-> 2, leader |-> 2, isr |-> {2, 3}',
        'kind |-> "start", epoch |-> 2, leader |-> 2, offset |-> 2',
        'kind |-> "committed", offset |-> 4',
        'kind |-> "cut", replica |-> 1, end |-> 3, offset |-> 2, recovery |-> FALSE',
        'kind |-> "state", epoch |-> 2, leader |-> 2, isr |-> {1, 2, 3}',
    ]
    assert [one["down"] for one in bounds] == ["{}", "{}", "{}", "{}", "{1}", "{1}", "{}", "{}"]
    assert [one["stops"] for one in bounds] == ["{}", "{1}", "{1}", "{1}", "{1}", "{1}", "{}", "{}"]
    assert [one["highest"] for one in bounds] == ["4"] * 6 + ["0"] * 2
    assert "MaxLog = 4" in configuration and "AllowUnclean = FALSE" in configuration


def test_what_tlc_prints_names_the_step_that_is_not_explained():
    steps = in_order(history().steps)
    assert verdict("Error: Invariant NotAccepted is violated.", steps).rejected is None
    stuck = verdict('<<"furthest", 8>>\nModel checking completed. No error has been found.', steps)
    assert stuck.explained == 7 and stuck.rejected.startswith("state with leader epoch 1, leader 2, ISR [1, 2, 3]")
    assert verdict("Exception in thread main", steps).undecided is not None


PLANTED = {
    "an ISR member that never fetched": {"broker_sessions": ("1         10:02:50\n", "")},
    "a lower leader epoch": {"isr_spans": ("1            2               2 ", "0            2               1 ")},
    "two leaders of an epoch": {"isr_spans": ("1            2               2 ", "1            2               3 ")},
    "a leader below what was committed": {"commit_bands": ("40", "140")},
    "a truncation behind the log end": {"truncations": ("102            100", "98             100")},
}


@pytest.mark.nightly
@pytest.mark.skipif("TLA2TOOLS" not in os.environ, reason="TLA2TOOLS names no tla2tools.jar")
def test_tlc_accepts_the_possible_history_and_rejects_each_planted_step():
    jar = os.environ["TLA2TOOLS"]
    assert check(jar, history(), 120).explained == 8
    for what, changes in PLANTED.items():
        assert check(jar, history(**changes), 120).rejected, what


@pytest.mark.parametrize("changes", PLANTED.values(), ids=PLANTED)
def test_the_acceptor_rejects_each_planted_step(changes):
    assert rejected(**changes) is not None
