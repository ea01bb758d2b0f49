"""The one shape of a breach: what was found, and the fewest events that show it."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

SHOWN = ("topic", "partition", "invariant", "verdict", "detail", "evidence")
SLACK_MS = 5_000  # scheduling, and the time in which lines of several nodes tell of one change


def broken(
    invariant: Column | str, when: Column, told: Column, *events: Column | str, verdict: Column | str = "violated"
) -> Column:
    """The breach of `invariant` where `when` is true, else null; `events` are event ids or arrays of them."""
    ids = [F.col(e) if isinstance(e, str) else e for e in events]
    return F.when(
        when,
        F.struct(
            (F.lit(invariant) if isinstance(invariant, str) else invariant).alias("invariant"),
            (F.lit(verdict) if isinstance(verdict, str) else verdict).alias("verdict"),
            told.alias("detail"),
            F.filter(F.array(*ids), lambda e: e.isNotNull()).alias("evidence"),
        ),
    )


def breaches(rows: DataFrame, *checks: Column) -> DataFrame:
    """`SHOWN` of every check that is not null, in one pass over `rows`."""
    one = F.explode(F.filter(F.array(*checks), lambda c: c.isNotNull())).alias("_one")
    return rows.select("topic", "partition", one).select("topic", "partition", "_one.*")


def shown(ids: Column | str) -> Column:
    ids = F.col(ids) if isinstance(ids, str) else ids
    return F.concat(F.lit("["), F.array_join(ids.cast("array<string>"), ", "), F.lit("]"))


def ends_of(sides: str) -> tuple[Column, ...]:
    """The events of the first and the last of several sides."""
    return F.get(F.col(sides), F.lit(0))["event_id"], F.element_at(F.col(sides), -1)["event_id"]
