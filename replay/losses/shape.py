"""The one shape of a row of the ledger."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.tables import LOSSES


def ledger_rows(rows: DataFrame) -> DataFrame:
    """`LOSSES` and `life`, each column in its type."""
    return rows.select("life", *[F.col(c.name).cast(c.type).alias(c.name) for c in LOSSES.columns])
