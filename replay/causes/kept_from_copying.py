"""Faults that contributed to a loss: they kept the next leader from copying the records while the old leader wrote
them. The loss counts for the fault that ended the leadership; without the other one the next leader would have held
these records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from replay.causes.names import loss_name, partition_of
from replay.facts.order import at_most
from replay.facts.times import first_known, millis
from replay.faults.kinds import CRASHES, CUTS, DISKS, ORDERED_STOPS, Stops, stopping
from replay.faults.shape import peers_of
from replay.sentences.causes import BECAUSE
from replay.tables.causes import Edge
from replay.tables.faults import Fault
from replay.tables.losses import GONE_VERDICTS, Loss

ASPECT = "contributed"
_STALLS = tuple(
    kind for kind in stopping(Stops.FETCHING) if kind not in (*CRASHES, *ORDERED_STOPS, *DISKS, *CUTS, "clock_stepped")
)


def may_keep(fault: Fault) -> bool:
    """Whether it is of a kind that parts brokers from each other, or stalls a follower."""
    return fault.kind in CUTS or fault.kind in _STALLS


def keepers(loss: Loss, faults: Iterable[Fault]) -> list[Fault]:
    """The faults that certainly kept the next leader from copying the last of the lost records: each lasted when that
    record was written. Empty if no line shows by when the records were written, and for committed records, which all
    in-sync replicas had copied.
    """
    if loss.loss_class == "committed" or loss.verdict not in GONE_VERDICTS or loss.written_high is None:
        return []
    if loss.new_leader_id == loss.old_leader_id:
        return []
    return [fault for fault in faults if _lasted(fault, loss) and _stands_between(fault, loss)]


def _lasted(fault: Fault, loss: Loss) -> bool:
    """Whether the fault certainly lasted when the last of the records was written; an unknown end is after that."""
    ended = first_known(fault.ended_low, fault.end_ts)
    begun = first_known(fault.began_high, fault.ts)
    return at_most(begun, loss.written_high) and (ended is None or at_most(loss.written_high, ended))


def _stands_between(fault: Fault, loss: Loss) -> bool:
    """Whether the fault parts the old leader from the next one, or stalls the next one."""
    old, new = loss.old_leader_id, loss.new_leader_id
    if fault.partitions and partition_of(loss) not in fault.partitions and fault.kind not in CUTS:
        return False
    if fault.kind in CUTS:
        ends = {*peers_of(fault), *(fault.peers or ())}
        return (fault.broker_id == old and new in ends) or (fault.broker_id == new and old in ends)
    return fault.kind in _STALLS and fault.broker_id == new


def contributing(
    loss: Loss, faults: Iterable[Fault], roots: Mapping[str, Iterable[str]], own: Iterable[str]
) -> list[str]:
    """The roots of the faults that contributed to a loss, without its `own` roots. `roots`: those of each fault."""
    found = (root for fault in keepers(loss, faults) for root in roots.get(fault.fault_id, (fault.fault_id,)))
    return sorted(set(found) - {*own})


def contributions(
    losses: Iterable[Loss], faults: Sequence[Fault], causes: Mapping[str, Iterable[str]], predicates: Mapping[str, str]
) -> Iterator[Edge]:
    """An edge without a rank from each fault that contributed to a loss: the loss has a cause of its own. `causes`: the
    accepted causes of each happening.
    """
    found = {(fault.fault_id, loss_name(loss)): (fault, loss) for loss in losses for fault in keepers(loss, faults)}
    for (fault_id, name), (fault, loss) in found.items():
        if fault_id not in _all_before(name, causes):
            yield _edge(fault, loss, predicates)


def _all_before(id_: str, causes: Mapping[str, Iterable[str]]) -> set[str]:
    """The happenings from which accepted edges lead to this one."""
    found: set[str] = set()
    waiting = [id_]
    while waiting:
        new = set(causes.get(waiting.pop(), ())) - found
        found |= new
        waiting.extend(new)
    return found


def _edge(fault: Fault, loss: Loss, predicates: Mapping[str, str]) -> Edge:
    arguments = {
        "node": str(fault.broker_id),
        "predicate": predicates.get(fault.fault_id, ""),
        "new": str(loss.new_leader_id),
        "old": str(loss.old_leader_id),
        "partition": str(partition_of(loss)),
    }
    return Edge(
        src=fault.fault_id,
        dst=loss_name(loss),
        relation="R29",
        because=BECAUSE.render("kept_from_copying", arguments),
        reason="kept_from_copying",
        arguments=arguments,
        aspect=ASPECT,
        confidence=0.9,
        delay_ms=millis(first_known(loss.cut_ts, loss.ts), first_known(fault.began_high, fault.ts)),
        delay_high_ms=millis(first_known(loss.cut_ts, loss.ts), fault.began_low),
    )
