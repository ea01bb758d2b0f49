"""The records of logs that are in no result yet, streamed through Spark, because they may not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from pathlib import Path

import pandas as pd
from pyspark.sql import Column, Row, Window
from pyspark.sql import functions as F

from pipelines.answers.record_lines import LEVELS, Filter, names_partition
from pipelines.answers.times import Clock, moment
from pipelines.incident import Zones, parsed
from pipelines.reading import gathered
from pipelines.scratch import work_folder
from pipelines.store import Store
from replay.columns.windows import so_far


def records(
    inputs: Sequence[str],
    wanted: Filter,
    since: str | None,
    until: str | None,
    clock: Clock,
    nodes: Mapping[int, Path] | None,
    layout: str | None,
    timezone: str | None,
    node_timezones: Mapping[int, str],
    on_step: Callable[[str], None],
) -> Iterator[tuple[Row, str]]:
    """Each record of the logs under `inputs` that passes `wanted`, in order, with its corrected time as text."""
    zones = Zones(timezone, dict(node_timezones))
    with work_folder() as work:
        spark, found = gathered(inputs, work, nodes=nodes, layout=layout, on_step=on_step)
        store = Store(spark, work / "result", work)
        parsed(spark, found, work, store, zones, on_step)
        on_step("Putting the records in order")
        read = store.frame("records")
        ends = read.agg(F.unix_micros(F.min("ts")), F.unix_micros(F.max("ts"))).collect()[0]
        recorded = None if ends[0] is None else (_at(ends[0]), _at(ends[1]))
        start, end = (None if text is None else moment(text, clock.here, recorded) for text in (since, until))
        in_file = Window.partitionBy("source_file").orderBy("line_number", "event_id")
        ordered = read.where(F.col("level").isNotNull() | F.col("raw_ts").isNotNull()).withColumn(
            "_turn", F.max("ts").over(so_far(in_file))
        )
        kept = ordered.where(_filter(wanted, start, end)).orderBy(
            "_turn", "node_id", "source_file", "line_number", "event_id"
        )
        # Spark returns times in this machine's zone, but their microseconds count from UTC.
        for row in kept.withColumn("_micros", F.unix_micros("ts")).toLocalIterator():
            yield row, clock.iso(None if row["_micros"] is None else _at(row["_micros"]))


def _at(micros: int) -> pd.Timestamp:
    return pd.Timestamp(micros, unit="us")


def _filter(wanted: Filter, start: pd.Timestamp | None, end: pd.Timestamp | None) -> Column:
    chosen, partitions = F.lit(True), list(wanted.partitions)
    if wanted.topics:
        named = F.col("message").rlike(names_partition(wanted.topics, partitions))
        of_topics = F.col("topic").isin(list(wanted.topics))
        typed = of_topics & (F.col("partition").isin(partitions) if partitions else F.lit(True))
        chosen &= F.coalesce(typed, F.lit(False)) | named
    elif partitions:
        chosen &= F.coalesce(F.col("partition").isin(partitions), F.lit(False))
    if wanted.brokers:
        about = [
            F.coalesce(F.col(column).isin(list(wanted.brokers)), F.lit(False))
            for column in ("node_id", "broker_id", "leader_id")
        ]
        chosen &= about[0] | about[1] | about[2]
    if wanted.kinds:
        chosen &= F.coalesce(F.col("kind").isin(list(wanted.kinds)), F.lit(False))
    if wanted.level is not None:
        levels = list(LEVELS[LEVELS.index(wanted.level.upper()) :])
        chosen &= F.coalesce(F.col("level").isin(levels), F.lit(False))
    if start is not None:
        chosen &= F.col("ts") >= F.lit(start.tz_localize(UTC).to_pydatetime())
    if end is not None:
        chosen &= F.col("ts") < F.lit(end.tz_localize(UTC).to_pydatetime())
    return chosen
