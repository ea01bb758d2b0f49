"""What happened to the node of each fault, in one predicate: the title of its finding and the reasons of its effects state
the same mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from replay.facts.order import less
from replay.faults.kinds import BY_NAME, CUT_OFF, LEFT_DAMAGE, LOST_ITS_END
from replay.faults.shape import peers_of
from replay.sentences.findings import PREDICATES
from replay.sentences.statement import Statement, statement
from replay.tables.faults import Fault, WitnessedFault
from replay.tables.offsets import ShortenedLog


def shortened_by_death(shortened_logs: Iterable[ShortenedLog], faults: Sequence[Fault]) -> dict[str, ShortenedLog]:
    """The logs that came back shorter, by the last death of their broker before the start."""
    found = {}
    for row in shortened_logs:
        deaths = [
            fault
            for fault in faults
            if fault.kind == "killed" and fault.broker_id == row.node_id and less(fault.ts, row.start_ts)
        ]
        last = max(deaths, key=lambda fault: (fault.ts, fault.fault_id), default=None)
        if last is not None:
            found[last.fault_id] = row
    return found


def predicates(
    faults: Sequence[Fault],
    shortened_logs: Iterable[ShortenedLog] = (),
    witnessed: Iterable[WitnessedFault] = (),
) -> dict[str, str]:
    """The predicates of the faults of single nodes, by fault id."""
    shortened = shortened_by_death(shortened_logs, faults)
    by_witness = {row.fault_id: row.predicate for row in witnessed}
    found = ((one.fault_id, predicate_of(one, shortened, by_witness.get(one.fault_id))) for one in faults)
    return {fault_id: predicate for fault_id, predicate in found if predicate}


def predicate_of(fault: Fault, shortened: Mapping[str, ShortenedLog], by_witness: str | None) -> str:
    """What witnesses outside Kafka give; or else what its kind gives, with the brokers that a cut-off node did not reach.

    A killed process leaves its writes in the page cache: one whose logs came back shorter, or damaged, died with
    its machine or disk.
    """
    if by_witness is not None:
        return by_witness
    own = BY_NAME[fault.kind].predicate
    if fault.kind == "killed" and fault.fault_id in shortened:
        return LOST_ITS_END if shortened[fault.fault_id].held_offset is not None else LEFT_DAMAGE
    named = _named(fault, own)
    return own if named is None else PREDICATES.render(named.reason, named.arguments) or own


def _named(fault: Fault, own: str) -> Statement | None:
    """The predicate with what the fault names: whom a node did not reach, which session was active, or that its process
    lived on; None if nothing.
    """
    arguments = fault.arguments or {}
    sessions = {name: True for name in ("heartbeats", "zookeeper") if name in arguments}
    if fault.kind == "registration_refused" and sessions:
        return statement("restart_rejected", **sessions)
    if fault.kind == "silent" and "kept" in arguments:
        return statement("was_frozen_or_cut_off")
    if fault.kind == "silent" and "at_anew" in arguments:
        return statement("was_cut_off_frozen_or_dead")
    if fault.kind not in CUT_OFF:
        return None
    peers = peers_of(fault)
    if fault.kind == "link_cut":
        return statement("cut_from_one_peer", peer=fault.peers[0]) if fault.peers else None
    if not peers:
        return None
    if fault.kind == "cut_from_peers":
        return statement("cut_from_peers", all_peers=peers)
    how = "all_others" if fault.kind == "cut_from_controllers" else "all_unreached"
    return statement("cut_off", predicate=own, **{how: peers})
