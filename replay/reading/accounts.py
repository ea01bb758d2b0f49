"""Selects the events among the records."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.tables import EVENTS


def events(records: DataFrame) -> DataFrame:
    """The records that a template matches. Returns `EVENTS`."""
    return EVENTS.of(records.where(F.col("kind").isNotNull()))
