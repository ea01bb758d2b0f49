"""The verdict of each record in Spark: broadcast joins with the cells of each partition.

No record is shuffled, but those whose order decides: these come to the driver, by time, offset and cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.reconciliation.order import JITTER
from pipelines.reconciliation.partition_logs import Key
from pipelines.reconciliation.questions import CellTable, Clocks, Kind, Logs, clocks
from pipelines.reconciliation.records import columns_of
from pipelines.reconciliation.settle import Contest, Seen, by_order, contests, ends, kept_in_cells, retried_to
from replay.reconcile.cells import DUPLICATE, GONE, KEPT, REWRITTEN, UNDECIDED
from replay.reconcile.clocks import Anchor, anchors
from replay.reconcile.words import OF_FIRST, OF_FIRST_KEY, reason_by_order, reason_of, reason_without_cell

_P = "_reconcile_"  # columns of this join
_OF_KIND = tuple(_P + name for name in Kind._fields)
_TOPIC, _PARTITION, _CLIENT = _OF_KIND[:3]
_OFFSET, _TS, _CELL = _P + "offset", _P + "ts", _P + "cell"
_SEQUENCE = tuple(_P + name for name in ("producer_id", "producer_epoch", "sequence"))
_KEY = _P + "key"
_BOX = ("from_offset", "to_offset", "from_ts", "to_ts")
_KIND_TYPES = (pa.string(), pa.int32(), pa.string(), pa.int32(), pa.bool_(), pa.bool_())
_CELLS = pa.schema(
    [
        *(pa.field(f"{_P}of_{name}", kind) for name, kind in zip(Kind._fields, _KIND_TYPES, strict=True)),
        *(pa.field(_P + name, pa.int64()) for name in _BOX),
        pa.field(_CELL, pa.int32()),
    ]
)
_CONTESTS = pa.schema(
    [
        ("contest", pa.int32()),
        ("its_topic", pa.string()),
        ("its_partition", pa.int32()),
        ("its_client", pa.string()),
        *((name, pa.int64()) for name in ("low", "high", "lowest", "highest", "since", "until")),
    ]
)
_POINTS = pa.schema(
    [
        ("its_cell", pa.int32()),
        ("its_offset", pa.int64()),
        ("its_ts", pa.int64()),
        ("told", pa.string()),
    ]
)


def verdicts(
    records: DataFrame,
    logs: Logs,
    columns: Mapping[str, str],
    *,
    time_is: str = "acknowledged",
    clock_error: int | None = None,
    keys_are_unique: bool = False,
) -> DataFrame:
    """The records with the columns of their verdicts. `columns` maps topic, partition, offset, time, leader_epoch, acks,
    client, producer_id, producer_epoch, sequence and key to the columns of `records`, where they have other names.

    The first pass bounds the clocks of the applications, the second finds what the verdicts of others decide, the last
    joins. Raises InputError for missing columns.
    """
    spark = records.sparkSession
    used = columns_of(records.columns, columns, "the records", keys_are_unique=keys_are_unique)
    standard = records.select("*", *(of.alias(_P + name) for name, of in _standard(records, used).items()))
    table, boundaries = _cells(standard, logs, time_is, clock_error)
    located = _located(standard, spark.createDataFrame(boundaries))
    seen = _seen(located, table)
    points = _points(spark, located, table, contests(table, logs, seen), logs)
    kept = [*kept_in_cells(table, seen), *_kept(table, points)]
    texts = _texts(table, ends(logs, kept), retried_to(table, logs, seen))
    judged = _judged(standard, spark.createDataFrame(_beside(boundaries, texts)), points)
    if set(_SEQUENCE) <= set(standard.columns):
        judged = _marked(judged, _SEQUENCE, OF_FIRST)
    if keys_are_unique:
        judged = _marked(judged, (_KEY,), OF_FIRST_KEY)
    return judged.select(*records.columns, "verdict", "epoch_low", "epoch_high", "reason", "evidence")


def _standard(records: DataFrame, used: Mapping[str, str]) -> dict[str, Column]:
    """The columns that verdicts read."""
    kind = dict(records.dtypes)
    ts = _micros(used["time"], kind[used["time"]]) if "time" in used else F.lit(None).cast("long")
    acks = F.lower(F.trim(F.col(used["acks"]).cast("string"))).isin("all", "-1") if "acks" in used else F.lit(None)

    def whole(name: str, to: str = "long") -> Column:
        return F.coalesce(_whole(used[name], kind[used[name]], to), F.lit(-1)) if name in used else F.lit(-1)

    found = {
        "topic": F.col(used["topic"]).cast("string"),
        "partition": _whole(used["partition"], kind[used["partition"]], "int"),
        "client": F.coalesce(F.col(used["client"]).cast("string"), F.lit("")) if "client" in used else F.lit(""),
        "leader_epoch": whole("leader_epoch", "int"),
        "acks_all": F.coalesce(acks, F.lit(False)),
        "is_timed": ts.isNotNull(),
        "offset": _whole(used["offset"], kind[used["offset"]]),
        "ts": ts,
    }
    if {"producer_id", "producer_epoch", "sequence"} <= set(used):
        found |= {name: whole(name) for name in ("producer_id", "producer_epoch", "sequence")}
    return found | ({"key": F.col(used["key"]).cast("string")} if "key" in used else {})


def _cast(column: str, kind: str) -> Column:
    """A column as another type; null where a value is none of it."""
    return F.col(column).try_cast(kind)


def _whole(column: str, of: str, kind: str = "long") -> Column:
    """A column of the type `of` as whole numbers; null where a value is none."""
    cast = _cast(column, kind)
    return F.when(F.col(column) == cast, cast) if of.startswith(("double", "float", "decimal")) else cast


def _micros(column: str, kind: str) -> Column:
    """A time in microseconds: a timestamp, or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds."""
    if kind.startswith("timestamp") or kind == "date":
        return F.unix_micros(F.col(column).cast("timestamp"))
    number = _cast(column, "double") if kind == "string" else F.col(column)
    factor = F.when(number < 1e11, 1e6).when(number < 1e14, 1e3).when(number < 1e17, 1.0).otherwise(1e-3)
    micros = F.when((number > 0) & (number * factor < 253_402_300_800_000_000), F.round(number * factor)).cast("long")
    return F.coalesce(micros, F.unix_micros(F.try_to_timestamp(F.col(column)))) if kind == "string" else micros


def _cells(standard: DataFrame, logs: Logs, time_is: str, error: int | None) -> tuple[CellTable, pa.Table]:
    """The cells of the records, and the same as rows with the kind of record that each is for."""
    spots = [spot for log in logs.values() for spot in anchors(log)]
    rows = _first_and_last(standard, spots)
    found = [
        (row[_CLIENT], spots[row.anchor], row.first, row.latest)
        for row in rows
        if row.anchor is not None and row.first is not None
    ]
    last: dict[str, int] = {}
    for row in rows:
        if row.latest is not None:
            last[row[_CLIENT]] = max(last.get(row[_CLIENT], row.latest), row.latest)
    known = clocks(found, last, time_is, error)
    kinds = sorted({Kind(*(row[name] for name in _OF_KIND)) for row in rows})
    return _of_kinds(kinds, logs, known)


def _of_kinds(kinds: Sequence[Kind], logs: Logs, known: Clocks) -> tuple[CellTable, pa.Table]:
    table = CellTable()
    boundaries: list[tuple[Any, ...]] = []
    for kind in kinds:
        log = logs.get((kind.topic, kind.partition))
        for cell in () if log is None else table.add(kind, log, known):
            boundaries.append((*kind, *(getattr(cell, name) for name in _BOX), len(boundaries)))
    return table, _rows(boundaries, _CELLS)


def _first_and_last(standard: DataFrame, spots: Sequence[Anchor]) -> list[Any]:
    """The first and the last time of each kind of record in each anchor."""
    rows = [(spot.topic, spot.partition, spot.from_offset, spot.to_offset, n) for n, spot in enumerate(spots)]
    kinds = pa.schema(
        [("t", pa.string()), ("p", pa.int32()), ("lo", pa.int64()), ("hi", pa.int64()), ("anchor", pa.int32())]
    )
    boundaries = standard.sparkSession.createDataFrame(_rows(rows, kinds))
    inside = (F.col(_TOPIC) == F.col("t")) & (F.col(_PARTITION) == F.col("p"))
    inside = inside & (F.col(_OFFSET) >= F.col("lo")) & (F.col(_OFFSET) < F.col("hi"))
    readable = standard.where((F.col(_OFFSET) >= 0) & (F.col(_PARTITION) >= 0) & F.col(_TOPIC).isNotNull())
    named = readable.select(*_OF_KIND, _OFFSET, _TS).join(F.broadcast(boundaries), inside, "left")
    times = F.min(_TS).alias("first"), F.max(_TS).alias("latest")
    return named.groupBy(*_OF_KIND, "anchor").agg(*times).collect()


def _located(records: DataFrame, cells: DataFrame) -> DataFrame:
    """The records with the columns of their cell; nulls for those without."""
    same = [F.col(name) == F.col(_P + "of_" + name.removeprefix(_P)) for name in _OF_KIND]
    box = [F.col(_P + name) for name in _BOX]
    time = F.coalesce(F.col(_TS), F.lit(0))
    inside = [F.col(_OFFSET) >= box[0], F.col(_OFFSET) < box[1], time >= box[2], time < box[3]]
    return records.join(F.broadcast(cells), [*same, *inside], "left")


def _seen(located: DataFrame, table: CellTable) -> dict[int, Seen]:
    """What the records of each cell reach; nothing if no verdict depends on it."""
    if not any(cell.is_contested or cell.verdict == GONE for cell in table.cells):
        return {}
    reach = [F.min(_OFFSET), F.max(_OFFSET), F.min(_TS), F.max(_TS)]
    rows = located.where(F.col(_CELL).isNotNull()).groupBy(_CELL).agg(*reach).collect()
    return {row[0]: Seen(*row[1:]) for row in rows}


def _points(
    spark: SparkSession, located: DataFrame, table: CellTable, found: Sequence[Contest], logs: Logs
) -> pa.Table:
    """The records that the order of their client's records decides, with their verdicts."""
    if not found:
        return _POINTS.empty_table()
    near = _near(spark, located, found)
    contest_of = np.asarray(near["contest"])
    tables = []
    for n, contest in enumerate(found):
        cell, offset, ts = _in_order(near.filter(pa.array(contest_of == n)), contest)
        places, settled = by_order(logs[contest.topic, contest.partition], table.cells, ts, offset, cell)
        tables.append(
            pa.table([cell[places], offset[places], ts[places], pa.array(settled, pa.string())], schema=_POINTS)
        )
    return pa.concat_tables(tables).combine_chunks()  # Spark takes the first chunk of a table only


def _near(spark: SparkSession, located: DataFrame, found: Sequence[Contest]) -> pa.Table:
    """The records that are near the contested ones in time or offset, without repetitions; for those of each cell that
    are far, without offset and time, the highest offset before and the lowest after.
    """
    rows = [
        (n, one.topic, one.partition, one.client, one.from_offset, one.to_offset, *one.seen[:2], *_around(one))
        for n, one in enumerate(found)
    ]
    of = {name: F.col(name) for name in _CONTESTS.names}
    cell, offset, ts = F.col(_CELL), F.col(_OFFSET), F.col(_TS)
    same = [
        F.col(_TOPIC) == of["its_topic"],
        F.col(_PARTITION) == of["its_partition"],
        F.col(_CLIENT) == of["its_client"],
    ]
    within = [offset >= of["low"], offset < of["high"], ts.isNotNull(), cell.isNotNull()]
    mine = located.join(F.broadcast(spark.createDataFrame(_rows(rows, _CONTESTS))), [*same, *within])
    is_near = ts.between(of["since"], of["until"]) | offset.between(of["lowest"], of["highest"])
    keys = F.when(is_near, offset).alias("offset"), F.when(is_near, ts).alias("ts")
    before = F.max(F.when(ts < of["since"], offset)).alias("before")
    after = F.min(F.when(ts > of["until"], offset)).alias("after")
    return mine.groupBy("contest", cell.alias("cell"), *keys).agg(before, after).toArrow()


def _around(one: Contest) -> tuple[int, int]:
    """From when to when the exact times of records tell the order of the contested ones."""
    return (one.seen.first or 0) - JITTER, (one.seen.last or 0) + JITTER


def _in_order(near: pa.Table, contest: Contest) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cells, offsets and times of the records of one contest; two records stand for those of a cell that are far."""
    cell, offset, ts, before, after = (near[name] for name in ("cell", "offset", "ts", "before", "after"))
    since, until = _around(contest)
    far, is_near = pc.is_null(offset), pc.is_valid(offset)
    parts = [(is_near, offset, ts)]
    for bound, time in ((before, since - 1), (after, until + 1)):
        parts.append((pc.and_(far, pc.is_valid(bound)), bound, pa.chunked_array([np.full(len(near), time)])))
    cells, offsets, times = (
        [np.asarray(column.filter(mask)) for mask, column in pairs]
        for pairs in (
            [(mask, cell) for mask, _, _ in parts],
            [(mask, own) for mask, own, _ in parts],
            [(mask, time) for mask, _, time in parts],
        )
    )
    return np.concatenate(cells), np.concatenate(offsets), np.concatenate(times)


def _kept(table: CellTable, points: pa.Table) -> Iterator[tuple[Key, int]]:
    """The last offset of each cell that the order of its records keeps, with its partition."""
    kept = points.filter(pc.equal(points["told"], KEPT)).group_by("its_cell").aggregate([("its_offset", "max")])
    for row in kept.to_pylist():
        cell = table.cells[row["its_cell"]]
        yield (cell.topic, cell.partition), row["its_offset_max"]


def _texts(table: CellTable, reached: Mapping[Key, int], retried: Mapping[int, int]) -> dict[str, pa.Array]:
    """What the records of each cell have in common."""
    cells = table.cells
    reasons = [reason_of(cell) for cell in cells]
    return {
        "verdict": pa.array([cell.verdict for cell in cells], pa.string()),
        "epoch_low": pa.array([cell.epoch_low for cell in cells], pa.int32()),
        "epoch_high": pa.array([cell.epoch_high for cell in cells], pa.int32()),
        "reason": pa.array(reasons, pa.string()),
        "evidence": pa.array([" ".join(cell.evidence) for cell in cells], pa.string()),
        _P + "end": pa.array([reached[cell.topic, cell.partition] for cell in cells], pa.int64()),
        _P + "retried_to": pa.array([retried.get(n, 0) for n in range(len(cells))], pa.int64()),
        _P + "reason": pa.array([reason_by_order(text) for text in reasons], pa.string()),
        _P + "contested": pa.array([cell.is_contested for cell in cells], pa.bool_()),
    }


def _judged(standard: DataFrame, cells: DataFrame, points: pa.Table) -> DataFrame:
    """The records with the columns of their verdicts."""
    found = _located(standard, cells)
    verdict, reason = F.col("verdict"), F.col("reason")
    if points.num_rows:
        order = F.broadcast(standard.sparkSession.createDataFrame(points))
        cell = F.when(F.col(_P + "contested"), F.col(_CELL))  # null: no record of `order`, without a look
        found = found.join(
            order,
            [cell == F.col("its_cell"), F.col(_OFFSET) == F.col("its_offset"), F.col(_TS) == F.col("its_ts")],
            "left",
        )
        verdict = F.coalesce("told", verdict)
        reason = F.when(F.col("told").isNotNull(), F.col(_P + "reason")).otherwise(reason)
    is_readable = F.col(_TOPIC).isNotNull() & (F.col(_TOPIC) != "") & (F.col(_PARTITION) >= 0) & (F.col(_OFFSET) >= 0)
    unknown = F.when(is_readable, reason_without_cell("no_partition"))
    nowhere = unknown.otherwise(reason_without_cell("unreadable"))
    is_retried = (verdict == GONE) & (F.col(_OFFSET) < F.col(_P + "retried_to"))
    verdict = F.when(is_retried, UNDECIDED).otherwise(verdict)
    reason = F.when(is_retried, reason_without_cell("retried")).otherwise(reason)
    is_replaced = (verdict == GONE) & (F.col(_OFFSET) < F.col(_P + "end"))
    return found.withColumns(
        {
            "verdict": F.coalesce(F.when(is_replaced, REWRITTEN).otherwise(verdict), F.lit(UNDECIDED)),
            "reason": F.coalesce(reason, nowhere),
            "evidence": F.coalesce("evidence", F.lit("")),
        }
    )


def _marked(judged: DataFrame, same: Sequence[str], reason: str) -> DataFrame:
    """The records; those that the surviving log holds at a lower offset too, by the columns `same`, are duplicates."""
    is_known = F.lit(True)
    for name in same:
        is_known = is_known & ((F.col(name) >= 0) if same == _SEQUENCE else (F.col(name) != ""))
    is_kept = (F.col("verdict") == KEPT) & is_known
    keys = (_TOPIC, _PARTITION, *same)
    kept = judged.where(is_kept).groupBy(*(F.col(name).alias(f"{name}_of") for name in keys))
    first, last = F.min(_OFFSET).alias(_P + "first"), F.max(_OFFSET).alias(_P + "latest")
    twice = kept.agg(first, last).where(F.col(_P + "latest") > F.col(_P + "first"))
    matches = [F.when(is_kept, F.col(name)) == F.col(f"{name}_of") for name in keys]
    is_later = F.col(_OFFSET) > F.col(_P + "first")
    before, _, after = reason.partition("{offset}")
    text = F.concat(F.lit(before), F.col(_P + "first").cast("string"), F.lit(after))
    found = judged.join(twice, matches, "left").withColumns(
        {
            "reason": F.when(is_later, text).otherwise(F.col("reason")),
            "verdict": F.when(is_later, DUPLICATE).otherwise(F.col("verdict")),
        }
    )
    return found.select(*judged.columns)


def _beside(cells: pa.Table, texts: Mapping[str, pa.Array]) -> pa.Table:
    for name, values in texts.items():
        cells = cells.append_column(name, values)
    return cells


def _rows(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(values, of.type) for values, of in zip(columns, schema, strict=True)], schema=schema)
