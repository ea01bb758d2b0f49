"""Attributes claims without a fault to a fault of one of their suspects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from replay.availability.cluster import Cluster
from replay.facts.times import plus_millis
from replay.tables.availability import Claim

FORESEEN_MS = 1_000  # the effects of a stop may be logged this long before its first line


def with_faults(claims: Iterable[Claim], cluster: Cluster) -> Iterator[Claim]:
    """The claims with their faults.

    A claim without a fault gets the latest fault of its suspects that had begun by then and had not ended long
    before.
    """
    for claim in claims:
        if claim.fault_id is not None or not claim.suspects:
            yield claim
            continue
        begun_by = plus_millis(claim.start_ts, FORESEEN_MS)
        of_each = (cluster.remembered.lasting(id_, begun_by, claim.start_ts) for id_ in claim.suspects)
        latest = max(chain.from_iterable(of_each), key=lambda one: (one.began_high, one.fault_id), default=None)
        yield claim if latest is None else claim.but(fault_id=latest.fault_id)
