"""The faults of several rules."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame


def all_of(*faults: DataFrame) -> DataFrame:
    """The faults of several rules. Returns `FAULTS`."""
    return reduce(DataFrame.unionByName, faults)
