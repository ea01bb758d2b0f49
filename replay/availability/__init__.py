"""When each partition took writes, and when it did not: what clients felt, as far as the brokers' logs tell.

Claims (`claims`) say each one reason for which a partition took no writes for a while: its leader was gone, it had
none, a member of its ISR kept acks=all waiting, its ISR was too small. Laid over each other (`spans`) they are the
table `availability`; summed over the incidents (`harm`) they are what these cost.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from replay.availability.blame import with_faults
from replay.availability.claims import every_claim
from replay.availability.harm import incident_harm
from replay.availability.outages import node_outages
from replay.availability.spans import laid_end_to_end
from replay.availability.tenures import leaders_words, roles_taken_up, tenures

__all__ = ["availability", "claims", "incident_harm", "leaders_words", "node_outages", "roles_taken_up", "tenures"]


def claims(
    tenures: DataFrame,
    roles_taken_up: DataFrame,
    leaders_words: DataFrame,
    isr_spans: DataFrame,
    node_outages: DataFrame,
    broker_sessions: DataFrame,
    releases: DataFrame,
    faults: DataFrame,
) -> DataFrame:
    """Every reason for which some partition took no writes, or perhaps took none, with the fault behind it. Returns
    `CLAIMS`.
    """
    found = every_claim(tenures, roles_taken_up, leaders_words, isr_spans, node_outages, broker_sessions, releases)
    return with_faults(found, faults)


def availability(claims: DataFrame, tenures: DataFrame) -> DataFrame:
    """For every partition and kind of producer the times in which it took writes, did not, or it is not known.
    Returns `AVAILABILITY`.
    """
    return laid_end_to_end(claims, tenures)
