"""How a derived row keeps the events that prove it."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

AT_MOST = 8  # more events of one fact add length, not proof


def evidence_of(event_id: str = "event_id", ts: str = "ts") -> Column:
    """An aggregate: the earliest events of a group, at most `AT_MOST`, each once."""
    told = F.array_sort(
        F.collect_set(F.when(F.col(event_id).isNotNull(), F.struct(F.col(ts).alias("ts"), F.col(event_id).alias("id"))))
    )
    return F.slice(F.array_distinct(F.transform(told, lambda e: e["id"])), 1, AT_MOST)


def one_event(event_id: str = "event_id") -> Column:
    """The evidence of a row that one event tells."""
    return F.array(F.col(event_id))


def joined(*evidence: Column | str) -> Column:
    """The evidence of a row concluded from several others: all of theirs, in that order, nulls left out."""
    arrays = [F.coalesce(F.col(e) if isinstance(e, str) else e, F.array().cast("array<string>")) for e in evidence]
    return F.slice(F.array_compact(F.array_distinct(F.concat(*arrays))), 1, 3 * AT_MOST)
