"""The topics that had the same name, one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime

from replay.tables.partitions import TopicLife


class TopicLives:
    """The rows of `topic_lives`, to look up by topic and time."""

    def __init__(self, topic_lives: Iterable[TopicLife] = ()) -> None:
        self._rows = {row.topic: row for row in topic_lives}

    def life(self, topic: str, ts: datetime | None) -> int:
        """0 for the first topic of a name, 1 for the next …; a row without time belongs to the last."""
        row = self._rows.get(topic)
        boundaries = (row.boundaries or ()) if row is not None else ()
        return len(boundaries) if ts is None else bisect_right(boundaries, ts)

    def end(self, topic: str, life: int) -> datetime | None:
        """When a topic was deleted; None while it exists."""
        row = self._rows.get(topic)
        ends = (row.ends or ()) if row is not None else ()
        end: datetime | None = ends[life] if life < len(ends) else None
        return end


NO_LIVES = TopicLives()
