"""Which Kafka a node runs: what it says at its start, else what its wordings leave possible."""

from __future__ import annotations

import re
from functools import cache

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from replay.catalogue import TEMPLATES
from replay.columns.events import detail
from replay.tables.literal_table import literal_table

NEWEST = 99_999
_RANGES = StructType(
    [StructField("template_id", StringType()), StructField("first", IntegerType()), StructField("last", IntegerType())]
)


def version_number(text: str) -> int:
    """`3.9.1` as 30901, for comparisons; `4.0-dev` stands between 3.9 and 4.0."""
    if text == "4.0-dev":
        return 39_999
    major, minor, patch = ([int(part) for part in re.findall(r"\d+", text)] + [0, 0, 0])[:3]
    return major * 10_000 + minor * 100 + patch


@cache
def _ranges() -> tuple[tuple[str, int, int], ...]:
    """For each template that one unbroken range of releases prints: id, first release, last release."""
    ranges = []
    for template in TEMPLATES:
        if " " not in template.seen:
            first, _, last = template.seen.replace("4.0-dev", "4.0~").partition("-")
            first, last = first.replace("4.0~", "4.0-dev"), (last or first).replace("4.0~", "4.0-dev")
            ranges.append((template.id, version_number(first), version_number(last)))
    return tuple(ranges)


def release_number(text: Column) -> Column:
    """The number of `version_number` of a release as a process prints it; null where it is none."""
    parts = F.split(F.regexp_extract(F.coalesce(text, F.lit("")), r"^(\d+\.\d+(?:\.\d+)?)", 1), r"\.")
    return (
        F.get(parts, F.lit(0)).try_cast("int") * 10_000
        + F.get(parts, F.lit(1)).try_cast("int") * 100
        + F.coalesce(F.get(parts, F.lit(2)).try_cast("int"), F.lit(0))
    )


def broker_versions(events: DataFrame) -> DataFrame:
    """`node_id, version_low, version_high` (numbers of `version_number`): equal where the node printed its version at
    a start.

    A node that was upgraded in the time of the logs has the range of what it ran.
    """
    known = [{"template_id": name, "first": first, "last": last} for name, first, last in _ranges()]
    ranges = literal_table(events.sparkSession, known, _RANGES)
    said = F.when(F.col("kind") == "process_version", release_number(detail("kafka_version")))
    return (
        events.where(F.col("node_id").isNotNull() & F.col("template_id").isNotNull())
        .select("node_id", "template_id", said.alias("said"))
        .distinct()
        .join(F.broadcast(ranges), "template_id", "left")
        .groupBy("node_id")
        .agg(
            F.coalesce(F.min("said"), F.max("first"), F.lit(0)).alias("version_low"),
            F.coalesce(F.max("said"), F.min("last"), F.lit(NEWEST)).alias("version_high"),
        )
    )


def before_version(release: str, version_high: str = "version_high") -> Column:
    """The node surely runs a release before `release` (needs the columns of `broker_versions`)."""
    return F.col(version_high) < version_number(release)


def from_version(release: str) -> Column:
    """The node surely runs `release` or a later one (needs the columns of `broker_versions`)."""
    return F.col("version_low") >= version_number(release)
