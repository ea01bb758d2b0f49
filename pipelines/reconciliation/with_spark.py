"""The verdict of each record in Spark: a broadcast join with the cells of each partition.

Only the records around losses are brought together by partition, because their order decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.reconciliation.partition_logs import Key
from pipelines.reconciliation.records import VERDICT_COLUMNS
from replay.errors import InputError
from replay.reconcile.cells import KEPT, UNDECIDED, Asked, Cell, Clock, cells
from replay.reconcile.clocks import Anchor, anchors, by_client
from replay.reconcile.logs import UNBOUNDED, PartitionLog
from replay.reconcile.settle import range_to_settle, settled
from replay.reconcile.words import reason_by_order, reason_of, reason_without_cell

_DELIVERY = 120_000_000  # delivery.timeout.ms, in microseconds
_READ = ("topic", "partition", "offset", "ts", "leader_epoch", "client", "acks_all")
_P = "_reconcile_"  # columns of this join


def verdicts(
    records: DataFrame,
    logs: Mapping[Key, PartitionLog],
    columns: Mapping[str, str],
    *,
    time_is: str = "acknowledged",
    clock_error: int | None = None,
) -> DataFrame:
    """The records with the columns of their verdicts. `columns` maps topic, partition, offset, time, leader_epoch, acks and
    client to the columns of `records`, where they have other names.

    Two passes: the first bounds the clocks of the applications, the second joins. Raises InputError for missing columns.
    """
    spark = records.sparkSession
    standard = records.select("*", *(of.alias(_P + name) for name, of in _standard(records, columns).items()))
    delay = _DELIVERY if time_is == "created" else 0
    asked = _asked(spark, standard, logs, delay, clock_error)
    table: list[Cell] = []
    joined = []
    for (topic, partition, client, leader_epoch, acks_all), (question, _) in sorted(asked.items()):
        log = logs.get((topic, partition))
        for cell in () if log is None else cells(log, question):
            joined.append(
                (
                    topic,
                    partition,
                    client,
                    leader_epoch,
                    acks_all,
                    cell.from_offset,
                    cell.to_offset,
                    cell.from_ts,
                    cell.to_ts,
                    len(table),
                )
            )
            table.append(cell)
    found = _located(spark, standard, joined, table)
    near = _near(logs, table, asked)
    if not near:
        return found.drop(*(column for column in found.columns if column.startswith(_P)))
    return _settled(spark, found, near, table, logs)


def _standard(records: DataFrame, columns: Mapping[str, str]) -> dict[str, Column]:
    """The columns that verdicts read. Raises InputError for one that is missing."""
    used = {
        name: columns.get(name, name)
        for name in ("topic", "partition", "offset", "time", "leader_epoch", "acks", "client")
    }
    absent = [name for name in (*_READ[:3], *columns) if used.get(name) not in records.columns]
    if absent:
        raise InputError(
            f"the records have no column for {absent[0]}; name it, as in {absent[0]}='column'. Their columns: {', '.join(records.columns[:12])}"
        )
    clash = [name for name in VERDICT_COLUMNS if name in records.columns]
    if clash:
        raise InputError(f"the records have a column {clash[0]} already; drop it or rename it")
    has = {name: used[name] in records.columns for name in used}
    kind = dict(records.dtypes)
    return {
        "topic": F.col(used["topic"]).cast("string"),
        "partition": F.col(used["partition"]).cast("int"),
        "offset": F.col(used["offset"]).cast("long"),
        "ts": _micros(used["time"], kind[used["time"]]) if has["time"] else F.lit(None).cast("long"),
        "leader_epoch": F.coalesce(F.col(used["leader_epoch"]).cast("int"), F.lit(-1))
        if has["leader_epoch"]
        else F.lit(-1),
        "client": F.coalesce(F.col(used["client"]).cast("string"), F.lit("")) if has["client"] else F.lit(""),
        "acks_all": F.coalesce(F.lower(F.col(used["acks"]).cast("string")).isin("all", "-1"), F.lit(False))
        if has["acks"]
        else F.lit(False),
    }


def _micros(column: str, kind: str) -> Column:
    """A time in microseconds: a timestamp, or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds."""
    if kind.startswith("timestamp") or kind == "date":
        return F.unix_micros(F.col(column).cast("timestamp"))
    if kind == "string":
        return F.unix_micros(F.try_to_timestamp(F.col(column)))
    number = F.col(column)
    factor = F.when(number < 1e11, 1e6).when(number < 1e14, 1e3).when(number < 1e17, 1.0).otherwise(1e-3)
    return F.when(number > 0, F.round(number * factor)).cast("long")


def _asked(
    spark: SparkSession, standard: DataFrame, logs: Mapping[Key, PartitionLog], delay: int, error: int | None
) -> dict[tuple[Any, ...], tuple[Asked, int]]:
    """For each partition, client, leader epoch and acks: what is asked of its cells, and the last offset."""
    spots = [spot for log in logs.values() for spot in anchors(log)]
    rows = [(spot.topic, spot.partition, spot.from_offset, spot.to_offset, n) for n, spot in enumerate(spots)]
    boundaries = spark.createDataFrame(rows or [("", -1, 0, 0, -1)], "t string, p int, lo long, hi long, anchor int")
    at = {name: F.col(_P + name) for name in _READ}
    inside = (
        (at["topic"] == F.col("t"))
        & (at["partition"] == F.col("p"))
        & (at["offset"] >= F.col("lo"))
        & (at["offset"] < F.col("hi"))
    )
    keys = [_P + name for name in ("topic", "partition", "client", "leader_epoch", "acks_all")]
    sums = (
        standard.join(F.broadcast(boundaries), inside, "left")
        .groupBy(*keys, "anchor")
        .agg(F.min(at["ts"]).alias("first"), F.max(at["ts"]).alias("latest"), F.max(at["offset"]).alias("top"))
        .collect()
    )
    found: list[tuple[str, Anchor, int, int]] = [
        (row[keys[2]], spots[row.anchor], row.first, row.latest)
        for row in sums
        if row.anchor is not None and row.first is not None
    ]
    clocks = by_client(found, error, delay)
    usual = Clock() if error is None else Clock(-error, error)
    last: dict[str, int] = {}
    for row in sums:
        last[row[keys[2]]] = max(last.get(row[keys[2]], -UNBOUNDED), -UNBOUNDED if row.latest is None else row.latest)
    asked: dict[tuple[Any, ...], tuple[Asked, int]] = {}
    for row in sums:
        key = tuple(row[name] for name in keys)
        if None in key:
            continue
        question = Asked(clocks.get(key[2], usual), None if key[3] < 0 else key[3], key[4], last[key[2]], delay)
        asked[key] = (
            question,
            max(asked.get(key, (question, -1))[1], row.top if row.anchor is not None and row.top is not None else -1),
        )
    return asked


def _located(
    spark: SparkSession, standard: DataFrame, joined: Sequence[tuple[Any, ...]], table: Sequence[Cell]
) -> DataFrame:
    """The records with the verdict of their cell."""
    boundaries = spark.createDataFrame(
        list(joined) or [("", -1, "", -1, False, 0, 0, 0, 0, -1)],
        "t string, p int, c string, e int, a boolean, lo long, hi long, since long, until long, cell int",
    )
    texts = spark.createDataFrame(
        [
            (n, cell.verdict, cell.epoch_low, cell.epoch_high, reason_of(cell), " ".join(cell.evidence))
            for n, cell in enumerate(table)
        ]
        or [(-1, "", None, None, "", "")],
        "n int, verdict string, epoch_low int, epoch_high int, reason string, evidence string",
    )
    at = {name: F.col(_P + name) for name in _READ}
    time = F.coalesce(at["ts"], F.lit(0))
    same = (
        (at["topic"] == F.col("t"))
        & (at["partition"] == F.col("p"))
        & (at["client"] == F.col("c"))
        & (at["leader_epoch"] == F.col("e"))
    )
    same = same & (at["acks_all"] == F.col("a")) & (at["offset"] >= F.col("lo")) & (at["offset"] < F.col("hi"))
    same = same & (time >= F.col("since")) & (time < F.col("until"))
    found = standard.join(F.broadcast(boundaries.join(texts, F.col("cell") == F.col("n"))), same, "left")
    kept = [column for column in standard.columns if not column.startswith(_P)]
    is_readable = at["topic"].isNotNull() & (at["topic"] != "") & (at["partition"] >= 0) & (at["offset"] >= 0)
    nowhere = F.when(is_readable, F.lit(reason_without_cell("no_partition"))).otherwise(
        F.lit(reason_without_cell("unreadable"))
    )
    return found.select(
        *kept,
        F.coalesce("verdict", F.lit(UNDECIDED)).alias("verdict"),
        "epoch_low",
        "epoch_high",
        F.coalesce("reason", nowhere).alias("reason"),
        F.coalesce("evidence", F.lit("")).alias("evidence"),
        F.coalesce("cell", F.lit(-1)).alias(_P + "cell"),
        *(F.col(_P + name) for name in ("topic", "partition", "offset")),
        time.alias(_P + "ts"),
    )


def _near(
    logs: Mapping[Key, PartitionLog], table: Sequence[Cell], asked: Mapping[tuple[Any, ...], tuple[Asked, int]]
) -> dict[Key, tuple[int, int, int]]:
    """For each partition the offsets whose records are settled together, and how far the surviving log certainly reaches."""
    found: dict[Key, tuple[int, int, int]] = {}
    for key, own in groupby(
        sorted(table, key=lambda cell: (cell.topic, cell.partition)), lambda cell: (cell.topic, cell.partition)
    ):
        mine = list(own)
        near = range_to_settle(logs[key], mine)
        if near is None:
            continue
        top = max((offset for name, (_, offset) in asked.items() if name[:2] == key), default=-1)
        survives = any(
            cell.verdict == KEPT and set(cell.by_part) == {KEPT} and cell.from_offset <= top < cell.to_offset
            for cell in mine
        )
        found[key] = (*near, max(logs[key].known_end, top + 1 if survives and top >= near[1] else 0))
    return found


def _settled(
    spark: SparkSession,
    found: DataFrame,
    near: Mapping[Key, tuple[int, int, int]],
    table: Sequence[Cell],
    logs: Mapping[Key, PartitionLog],
) -> DataFrame:
    """The records, those around losses settled by partition."""
    ranges = spark.createDataFrame(
        [(*key, low, high) for key, (low, high, _) in near.items()], "t string, p int, lo long, hi long"
    )
    at = {name: F.col(_P + name) for name in ("topic", "partition", "offset")}
    inside = (
        (at["topic"] == F.col("t"))
        & (at["partition"] == F.col("p"))
        & (at["offset"] >= F.col("lo"))
        & (at["offset"] < F.col("hi"))
    )
    inside = inside & (F.col(_P + "cell") >= 0)
    marked = found.join(F.broadcast(ranges), inside, "left")
    columns = [column for column in found.columns if not column.startswith(_P)]
    far = marked.where(F.col("lo").isNull()).select(*columns)
    close = marked.where(F.col("lo").isNotNull()).select(*found.columns)
    by_partition = close.repartition(_P + "topic", _P + "partition").sortWithinPartitions(
        _P + "topic", _P + "partition", _P + "ts"
    )
    return far.unionByName(by_partition.mapInArrow(_Settle(table, logs, near, tuple(columns)), far.schema))


class _Settle:
    """Settles the records of whole partitions, in a worker."""

    def __init__(
        self,
        table: Sequence[Cell],
        logs: Mapping[Key, PartitionLog],
        near: Mapping[Key, tuple[int, int, int]],
        columns: tuple[str, ...],
    ) -> None:
        self._table, self._near, self._columns = table, near, columns
        self._logs = {key: logs[key] for key in near}

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held: list[pa.RecordBatch] = []
        key: Key | None = None
        for batch in batches:
            topics, numbers = (batch.column(_P + name).to_pylist() for name in ("topic", "partition"))
            begin = 0
            for own, places in groupby(zip(topics, numbers, strict=True)):
                count = sum(1 for _ in places)
                if key is not None and own != key:
                    yield from self._of(key, held)
                    held = []
                key = own
                held.append(batch.slice(begin, count))
                begin += count
        if key is not None:
            yield from self._of(key, held)

    def _of(self, key: Key, held: Sequence[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        own = pa.Table.from_batches(held)
        records = tuple(own.column(_P + name).to_pylist() for name in ("ts", "offset", "cell"))
        verdict, by_order = settled(self._logs[key], self._table, records, self._near[key][2])
        texts = own.column("reason").to_pylist()
        reasons = [reason_by_order(text) if order else text for text, order in zip(texts, by_order, strict=True)]
        for name, values in (("verdict", verdict), ("reason", reasons)):
            place = own.column_names.index(name)
            own = own.set_column(place, own.schema.field(name), pa.array(values, own.schema.field(name).type))
        yield from own.select(list(self._columns)).to_batches()
