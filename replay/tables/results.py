"""The catalog's summary of each incident, next to the tables of its result."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.row import MaybeNone, Row
from replay.tables.table import column, row, table_of


@row("results", key=("incident",))
class StoredResult(Row):
    """One incident whose result the tables of this schema hold. The row is written after all other tables."""

    analyzed_ts: datetime = column("When the result was written.")
    release: str = column("Release of Kafka Replay that made it.")
    inputs: Sequence[str] = column("Paths or tables that were analyzed.")
    report_html: str = column("The page.")
    findings_json: str = column("The conclusions as JSON (docs/findings.schema.json).")
    files_json: str | MaybeNone = column(
        "What was found of each file: with the table printed, what later files are added to."
    )


STORED_RESULTS = table_of(StoredResult)
