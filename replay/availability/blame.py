"""Claims that name no fault -> the fault of one of their suspects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from replay.availability.cluster import Cluster
from replay.facts.times import plus_millis
from replay.tables.availability import Claim

FORESEEN_MS = 1_000  # how long before the first line of a stop its effects may be logged


def with_faults(claims: Iterable[Claim], cluster: Cluster) -> Iterator[Claim]:
    """The claims with their faults.

    One that names none goes back to the latest fault of its suspects that had begun by then and was not long over.
    """
    for claim in claims:
        if claim.fault_id is not None or not claim.suspects:
            yield claim
            continue
        begun_by = plus_millis(claim.start_ts, FORESEEN_MS)
        of_each = (cluster.remembered.lasting(id_, begun_by, claim.start_ts) for id_ in claim.suspects)
        latest = max(chain.from_iterable(of_each), key=lambda one: (one.began_high, one.fault_id), default=None)
        yield claim if latest is None else claim.but(fault_id=latest.fault_id)
