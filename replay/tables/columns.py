"""Columns that many tables share."""

from __future__ import annotations

from replay.tables.table import column

TOPIC = column("Topic of the partition.")
TOPIC_ID = column("Topic id, where known.")
PARTITION = column("Number of the partition in its topic.")
LEADER_EPOCH = column("Leader epoch from the controller; it only grows while the topic exists.")
EVIDENCE = column("Events that prove the row (`events.event_id`, which reads file:line).")
CONFIDENCE = column("`observed`: a line states it; `inferred`: concluded from other lines.")
START = column("When it began.")
END = column("When it ended; null while it is still open at the end of the logs.")
LIFE = column("Number of the topic among those with this name: 0 for the first, 1 for the next one created.")
