"""What brokers say of single partitions that tells whether these took writes: one small Spark stage."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.tables.availability import BROKERS_WORDS

REFUSES = "writes_refused"
LEADERS_LINES = ("leader_start", "leader_transition_skipped", "isr_updated")
ROLES_TAKEN = ("leader_start", "follower_start")
BACKS_OFF = (  # a follower knows a leader epoch that its leader does not know yet, or got no answer on where to cut
    "fetch_fenced_epoch_stale_leader_view",
    "epoch_request_retry",
)


def brokers_words(events: DataFrame, refused_writes: DataFrame) -> DataFrame:
    """The lines with which brokers take up partitions, tell ISRs that they lead with or put off their next fetch, and
    their first refusals of acks=all. Returns `BROKERS_WORDS`.
    """
    kinds = sorted({*LEADERS_LINES, *ROLES_TAKEN, *BACKS_OFF})
    told = events.where(F.col("kind").isin(*kinds) & F.col("topic").isNotNull() & F.col("ts").isNotNull())
    refusals = refused_writes.where(F.col("topic").isNotNull())
    return BROKERS_WORDS.rows(told).unionByName(BROKERS_WORDS.rows(refusals, kind=F.lit(REFUSES)))
