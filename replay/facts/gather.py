"""What of the events comes over to plain Python, as rows of `FACTS`."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.facts.reads import READ
from replay.tables.reading import FACTS


def facts(events: DataFrame) -> DataFrame:
    """The events of the kinds that plain Python reads. Returns `FACTS`."""
    read = events.where(F.col("kind").isin(sorted(READ)))
    return FACTS.rows(read, count=F.lit(1), last_ts=F.col("ts"), last_event_id=F.col("event_id"))
