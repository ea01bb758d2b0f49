"""ISRs that a broker had left, and that it stayed out of because its next start failed."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping

from replay.causes.crash_loops import FAILED_STARTS
from replay.facts.order import less
from replay.faults.kinds import CRASHES, ORDERED_STOPS
from replay.tables.faults import Fault


def kept_out_of(
    fault: Fault, faults: Iterable[Fault], shrunk: Mapping[str, Collection[str]], followed: Container[str]
) -> int | None:
    """How many ISRs its broker had left at the end of the process before; None if that end is unknown, or left none. Of
    several failed starts in a row, at the end before the first one. `shrunk`: the partitions whose ISRs each fault shrank;
    `followed`: the faults that follow from others.
    """
    if fault.kind not in FAILED_STARTS:
        return None
    ends = [
        one
        for one in faults
        if one.broker_id == fault.broker_id and one.kind in (*ORDERED_STOPS, *CRASHES) and less(one.ts, fault.ts)
    ]
    for end in sorted(ends, key=lambda one: one.ts, reverse=True):
        if shrunk.get(end.fault_id):
            return len(shrunk[end.fault_id])
        if end.fault_id not in followed:
            return None
    return None
