"""Claims that name no fault -> the fault of one of their suspects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from replay.availability.cluster import Cluster
from replay.facts.times import first_known, plus_millis
from replay.tables.availability import Claim
from replay.tables.faults import Fault

FORESEEN_MS = 1_000  # a stop's effects may be told this shortly before its own first line
REMEMBERED_MS = 120_000  # a broker's fault explains missing lines for this long after its end


def with_faults(claims: Iterable[Claim], cluster: Cluster) -> Iterator[Claim]:
    """The claims with their faults.

    One that names none goes back to the latest fault of its suspects that had begun by then and was not long over.
    """
    for claim in claims:
        if claim.fault_id is not None or not claim.suspects:
            yield claim
            continue
        suspected = [
            fault
            for broker_id in claim.suspects
            for fault in cluster.faults.get(broker_id, ())
            if _may_explain(fault, claim.start_ts)
        ]
        latest = max(suspected, key=_by_begin, default=None)
        yield claim if latest is None else claim.but(fault_id=latest.fault_id)


def _may_explain(fault: Fault, ts: datetime) -> bool:
    """It had begun by then, and was not long over."""
    begun_by = plus_millis(ts, FORESEEN_MS)
    if fault.began_high is None or begun_by is None or fault.began_high > begun_by:
        return False
    remembered_ts = plus_millis(_ended_ts(fault), REMEMBERED_MS)
    return remembered_ts is None or remembered_ts >= ts


def _ended_ts(fault: Fault) -> datetime | None:
    return first_known(fault.ended_high, fault.end_ts)


def _by_begin(fault: Fault) -> tuple[Any, ...]:
    return fault.began_high, fault.fault_id
