"""Reports about partitions as Spark's windows hand them over, from a text."""

from __future__ import annotations

from replay.tables.partitions import PARTITION_STATE_REPORTS
from replay.tables.row import Row
from tests.tables import rows


def reports(text: str, **named) -> list[Row]:
    """The reports of a text, each followed by the next leader epoch that the text names of its topic's life."""
    read = [report.but(**named) for report in rows(PARTITION_STATE_REPORTS, text)]
    epochs = {(report.life, report.leader_epoch) for report in read if report.ts is not None}

    def following(report: Row) -> int | None:
        return min(
            (epoch for life, epoch in epochs if life == report.life and epoch > report.leader_epoch), default=None
        )

    return [report.but(next_leader_epoch=following(report)) for report in read]
