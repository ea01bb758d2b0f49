"""The lines that other lines contradict."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.row import MaybeNone, Row
from replay.tables.table import Long, column, row, table_of


@row("doubtful_lines", key=("event_id", "reason"))
class DoubtfulLine(Row):
    """One line, or one block of lines, that other lines contradict. No table uses these lines: they cause no fault, no
    state and no loss.
    """

    event_id: str = column("The line; of a block the first one.")
    last_event_id: str | MaybeNone = column("The last line of the block.")
    lines: Long = column("How many lines the row stands for.")
    reason: str = column("Why they are doubtful (`replay.weighing.reasons`).")
    ts: datetime | MaybeNone = column("Time of the line, corrected; null where its time is what is wrong.")
    node_id: int | MaybeNone = column("Node whose file holds it.")
    source_file: str | MaybeNone = column("File.")
    line_number: Long | MaybeNone = column("Line in the file, from 1.")
    kind: str | MaybeNone = column("Kind of message.")
    topic: str | MaybeNone = column("Topic in the line.")
    partition: int | MaybeNone = column("Partition in the line.")
    message: str | MaybeNone = column("Message as printed (first line).")
    because: str = column("What contradicts it, in a sentence.")
    contradicted_by: Sequence[str] = column("The lines that contradict it.")


DOUBTFUL_LINES = table_of(DoubtfulLine)
