"""Reports about partitions as Spark's windows hand them over, from a text."""

from __future__ import annotations

from replay.tables.partitions import PARTITION_STATE_REPORTS
from replay.tables.row import Row
from tests.tables import rows


def reports(text: str, **named) -> list[Row]:
    """The reports of a text, each with the values `named`."""
    return [report.but(**named) for report in rows(PARTITION_STATE_REPORTS, text)]
