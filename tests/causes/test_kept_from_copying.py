"""A fault that kept the next leader from copying records contributed to their loss; the loss counts for another one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from replay.causes.kept_from_copying import contributing, contributions, keepers
from replay.tables.faults import Fault
from replay.tables.losses import Loss
from tests.each import for_each

BEGUN = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGUN + timedelta(seconds=seconds)


def fault(kind: str, broker: int, begun: float, ended: float | None, **given: object) -> Fault:
    return Fault(
        fault_id=f"{kind}/{broker}",
        kind=kind,
        code="F05",
        broker_id=broker,
        ts=at(begun),
        began_low=at(begun - 1),
        began_high=at(begun),
        end_ts=None if ended is None else at(ended),
        ended_low=None if ended is None else at(ended),
        evidence=[],
    ).but(**given)


# Broker 3 wrote 755 offsets until it died at 40 s, and broker 1 became the leader without them.
LOSS = Loss(
    topic="clicks",
    partition=0,
    life=0,
    leader_epoch=1,
    ts=at(49),
    scenario="S10",
    loss_class="acked_possible",
    verdict="POSSIBLE_LOSS",
    from_offset=271,
    to_offset_low=271,
    to_offset_high=1026,
    old_leader_id=3,
    new_leader_id=1,
    written_low=at(0),
    written_high=at(40),
    evidence=[],
)
CUT = fault("cut_from_peers", 3, 0, 48).but(arguments={"all_peers": "1"})

CASES = {
    "the leader was cut off from the next one": (CUT, True),
    "the next leader was cut off from the old one": (
        fault("cut_from_peers", 1, 0, 48).but(arguments={"all_peers": "3"}),
        True,
    ),
    "a cut from another broker only": (CUT.but(arguments={"all_peers": "2"}), False),
    "a cut that was over before the last record": (CUT.but(end_ts=at(20), ended_low=at(20)), False),
    "a cut that may have begun after the last record": (CUT.but(began_high=at(41)), False),
    "a cut without an end": (CUT.but(end_ts=None, ended_low=None), True),
    "the next leader was frozen": (fault("paused", 1, 30, 45), True),
    "the old leader was frozen": (fault("paused", 3, 30, 45), False),
    "another follower was frozen": (fault("paused", 2, 30, 45), False),
    "the next leader did not keep up in another partition": (
        fault("slow_follower", 1, 30, 45).but(partitions=["orders-1"]),
        False,
    ),
    "the crash itself": (fault("killed", 3, 40, 60), False),
    "an earlier crash of the next leader": (fault("killed", 1, 0, 48), False),
}


@for_each(("one", "kept"), list(CASES.values()), ids=list(CASES))
def test_which_faults_kept_the_next_leader_from_copying(one, kept):
    assert [fault.fault_id for fault in keepers(LOSS, [one])] == [one.fault_id] * kept


@for_each(
    "loss",
    [
        LOSS.but(written_high=None),
        LOSS.but(loss_class="committed"),
        LOSS.but(verdict="NO_COMMITTED_LOSS_BY_PROTOCOL"),
        LOSS.but(new_leader_id=3),
        LOSS.but(new_leader_id=None),
    ],
    ids=[
        "no line shows by when they were written",
        "committed",
        "no loss",
        "the leader lost them itself",
        "no next leader known",
    ],
)
def test_nothing_contributed_that_no_line_shows(loss):
    assert keepers(loss, [CUT]) == []


def test_the_root_of_a_fault_contributes_unless_the_loss_follows_from_it():
    roots = {CUT.fault_id: ["cut_from_controllers/3"]}
    assert contributing(LOSS, [CUT], roots, ["killed/3"]) == ["cut_from_controllers/3"]
    assert contributing(LOSS, [CUT], roots, ["cut_from_controllers/3"]) == []
    assert contributing(LOSS, [CUT], {}, ["killed/3"]) == ["cut_from_peers/3"]


def test_an_edge_without_a_rank_joins_the_fault_and_the_loss():
    """No edge joins them where accepted edges lead from the fault to the loss already."""
    name, election = "loss/clicks-0/1/acked_possible/S10", "election/clicks-0/1"
    causes = {name: [election], election: ["killed/3"]}
    (edge,) = contributions([LOSS], [CUT], causes, {CUT.fault_id: "was cut off from broker 1"})
    assert (edge.src, edge.dst, edge.relation, edge.rank, edge.aspect) == (
        CUT.fault_id,
        name,
        "R29",
        None,
        "contributed",
    )
    assert edge.because == (
        "broker 3 was cut off from broker 1: broker 1 could not copy the records of clicks-0 from broker 3 while they were written"
    )
    assert not list(contributions([LOSS], [CUT], {**causes, election: [CUT.fault_id]}, {}))
