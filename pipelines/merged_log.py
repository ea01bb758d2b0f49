"""The records of all nodes as one stream: corrected, in order, filtered. What Kafka's StateChangeLogMerger promised, for every log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipelines.incident import Zones, parsed
from pipelines.reading import gathered
from pipelines.scratch import work_folder
from pipelines.store import Store
from pipelines.terminal import json_line
from replay.columns.windows import so_far
from replay.errors import InputError

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")


def lines(
    inputs: Sequence[str],
    *,
    topic: str | None = None,
    partitions: Sequence[int] = (),
    brokers: Sequence[int] = (),
    kinds: Sequence[str] = (),
    level: str | None = None,
    start_time: str | None = None,
    end_time: str | None = None,
    nodes: Mapping[int, Path] | None = None,
    layout: str | None = None,
    zones: Zones = Zones(),
    as_json: bool = False,
) -> Iterator[str]:
    """Each record that passes all filters, as a line of text or JSON: `time node level message (logger) file:line`.

    `brokers` are those that wrote a record or that it is about; `level` is the least severe. Times are ISO 8601, UTC where they
    name no zone. Records of one file keep its order. Raises InputError for a time that is none, and as `gather` does.
    """
    start, end = _time(start_time), _time(end_time)
    with work_folder() as work:
        spark, found = gathered(inputs, work, nodes=nodes, layout=layout)
        store = Store(spark, work / "result", work)
        parsed(spark, found, work, store, zones, lambda step: None)
        chosen = _filter(topic, partitions, brokers, kinds, level, start, end)
        wanted = (
            _ordered(store.read("records"))
            .where(chosen)
            .orderBy("_turn", "node_id", "source_file", "line_number", "event_id")
        )
        # A time that leaves Spark is one of this machine's zone.
        for row in wanted.withColumn("_stamp", F.date_format("ts", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")).toLocalIterator():
            yield _json(row) if as_json else _text(row)


def _ordered(records: DataFrame) -> DataFrame:
    """Records of logs with `_turn`: their time, or the latest time before them in their file if that is later."""
    in_file = Window.partitionBy("source_file").orderBy("line_number", "event_id")
    return records.where(F.col("level").isNotNull() | F.col("raw_ts").isNotNull()).withColumn(
        "_turn", F.max("ts").over(so_far(in_file))
    )


def _filter(
    topic: str | None,
    partitions: Sequence[int],
    brokers: Sequence[int],
    kinds: Sequence[str],
    level: str | None,
    start: datetime | None,
    end: datetime | None,
) -> Column:
    chosen = F.lit(True)
    if topic is not None:
        name = re.escape(topic)
        numbers = "|".join(map(str, partitions)) or r"\d+"
        named = F.col("message").rlike(
            rf"(?<![\w.-]){name}(?:-(?:{numbers})(?!\d)"
            + ("" if partitions else r"|(?![\w.-])")
            + rf"|,(?:{numbers})\])"
        )
        typed = (F.col("topic") == topic) & (F.col("partition").isin(list(partitions)) if partitions else F.lit(True))
        chosen &= F.coalesce(typed, F.lit(False)) | named
    elif partitions:
        chosen &= F.coalesce(F.col("partition").isin(list(partitions)), F.lit(False))
    if brokers:
        about = [
            F.coalesce(F.col(column).isin(list(brokers)), F.lit(False))
            for column in ("node_id", "broker_id", "leader_id")
        ]
        chosen &= about[0] | about[1] | about[2]
    if kinds:
        chosen &= F.coalesce(F.col("kind").isin(list(kinds)), F.lit(False))
    if level is not None:
        chosen &= F.coalesce(F.col("level").isin(list(LEVELS[LEVELS.index(level) :])), F.lit(False))
    if start is not None:
        chosen &= F.col("ts") >= F.lit(start)
    if end is not None:
        chosen &= F.col("ts") < F.lit(end)
    return chosen


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        said = datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        raise InputError(
            f"{text}: not a time; give one like 2026-11-21T05:37:40 (UTC) or 2026-11-21T05:37:40+09:00"
        ) from None
    return said.replace(tzinfo=UTC) if said.tzinfo is None else said


def _text(row) -> str:
    node = "?" if row.node_id is None else row.node_id
    logger = f" ({row.logger})" if row.logger else ""
    return f"{row._stamp or '-'} {node} {row.level or '-'} {row.message}{logger} {row.source_file}:{row.line_number}"


def _json(row) -> str:
    columns = (
        "node_id",
        "level",
        "logger",
        "kind",
        "template_id",
        "topic",
        "partition",
        "leader_epoch",
        "message",
        "source_file",
        "line_number",
    )
    return json_line({"ts": row._stamp or "-", **{column: row[column] for column in columns}})
