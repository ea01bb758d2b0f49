"""Columns that many tables share."""

from __future__ import annotations

from replay.tables.table import INT, STRING, STRINGS, TIMESTAMP, column

TOPIC = column("topic", STRING, "Topic of the partition.")
TOPIC_ID = column("topic_id", STRING, "Topic id, where known.")
PARTITION = column("partition", INT, "Number of the partition in its topic.")
LEADER_EPOCH = column(
    "leader_epoch", INT, "Number the controller gave this leadership; only ever grows while the topic lives."
)
EVIDENCE = column("evidence", STRINGS, "Events that prove the row (`events.event_id`, which reads file:line).")
CONFIDENCE = column("confidence", STRING, "`observed`: a line states it; `inferred`: concluded from other lines.")
START = column("start_ts", TIMESTAMP, "When it began.")
END = column("end_ts", TIMESTAMP, "When it ended; null while it is still open at the end of the logs.")
LIFE = column("life", INT, "Which topic of its name: 0 the first, 1 the next that was created under it.")
