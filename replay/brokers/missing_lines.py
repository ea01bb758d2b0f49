"""Times in which lines of a node's files are missing, proven by what the node's other files tell of the same time.

A broker that takes on a role prints two things at once: the role (state-change.log from 2.6 on) and what its fetchers
do for it (server.log). Where one file tells of it and the other, which tells of it at all other times, is silent,
that file has a hole: it was cut, or one of its rolled files was not copied.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.times import millis, plus_millis
from replay.tables.brokers import MISSING_LINES

_ROLES = ("leader_start", "follower_start")
_FETCHERS = ("fetcher_partitions_removed", "fetcher_partitions_added")
_SILENT_MS = 3_000  # a file that prints less than this apart has no hole there
_AT_ONCE_MS = 1_000  # the lines of one change of roles stand within this
_OFTEN_ENOUGH = 3  # changes of roles that a file answers, before its silence at another one says something
_AS_A_RULE = 0.9
ROLLED = r"(?:\.\d{4}-\d\d-\d\d(?:-\d\d)?|\.\d{1,3})?(?:\.(?:gz|bz2|xz|zip))?$"


def series(source_file: str | Column = "source_file") -> Column:
    """The log that a file is a rolled part of: `node-1/server.log.2026-11-21-05.gz` is of `node-1/server.log`."""
    return F.regexp_replace(source_file, ROLLED, "")


def missing_lines(events: DataFrame) -> DataFrame:
    """Holes in one of a node's logs. Returns `MISSING_LINES`.

    A log that some lines without a node stand in has none that can be known: those may be the missing ones.
    """
    own = events.where(F.col("ts").isNotNull() & F.col("logger").isNotNull()).withColumn("_series", series())
    shared = own.where(F.col("node_id").isNull()).select("_series").distinct()
    known = own.where(F.col("node_id").isNotNull()).join(F.broadcast(shared), "_series", "left_anti")
    in_file = Window.partitionBy("node_id", "_series").orderBy("ts", "line_number")
    silent = known.select(
        "node_id",
        "_series",
        F.lag("ts").over(in_file).alias("start_ts"),
        F.col("ts").alias("end_ts"),
        F.lag("event_id").over(in_file).alias("_last"),
        F.col("event_id").alias("_first"),
    ).where(millis("end_ts", "start_ts") >= _SILENT_MS)
    holes = [_unanswered(known, silent, asked, answer) for asked, answer in ((_ROLES, _FETCHERS), (_FETCHERS, _ROLES))]
    found = (
        holes[0]
        .unionByName(holes[1])
        .groupBy("node_id", F.col("_series").alias("series"), "start_ts", "end_ts", "_last", "_first")
        .agg(F.max("told").alias("told"), F.min("_told_by").alias("_told_by"))
    )
    return MISSING_LINES.rows(found, evidence=F.array("_last", "_told_by", "_first"))


def _unanswered(known: DataFrame, silent: DataFrame, asked: tuple[str, ...], answer: tuple[str, ...]) -> DataFrame:
    """The silences of a log with lines of `answer` in which another log of the node has lines of `asked`."""
    bursts = (
        known.where(F.col("kind").isin(*asked))
        .groupBy("node_id", F.col("_series").alias("_other"), _second("ts").alias("_second"))
        .agg(F.min("ts").alias("_at"), F.min("event_id").alias("_told_by"))
    )
    answers = (
        known.where(F.col("kind").isin(*answer))
        .groupBy("node_id", "_series", _second("ts").alias("_second"))
        .agg(F.min("ts").alias("_first_ts"), F.max("ts").alias("_last_ts"))
    )
    speakers = answers.select("node_id", "_series").distinct()
    put = bursts.join(speakers, "node_id").where(F.col("_series") != F.col("_other"))
    placed = _in_silences(_met(put, answers), silent)
    once = placed.groupBy("node_id", "_series", "_at", "_told_by", "_met").agg(F.bool_or("_inside").alias("_inside"))
    rule = (
        once.where(F.col("_met") | ~F.col("_inside"))
        .groupBy("node_id", "_series")
        .agg(F.count_if("_met").alias("_answers"), F.count("*").alias("_bursts"))
        .where((F.col("_answers") >= _OFTEN_ENOUGH) & (F.col("_answers") >= F.col("_bursts") * F.lit(_AS_A_RULE)))
        .select("node_id", "_series")
    )
    return (
        placed.where(F.col("_inside") & ~F.col("_met"))
        .join(rule, ["node_id", "_series"], "left_semi")
        .groupBy("node_id", "_series", "start_ts", "end_ts", "_last", "_first")
        .agg(F.count_distinct("_at").alias("told"), F.min("_told_by").alias("_told_by"))
    )


def _second(ts: str | Column) -> Column:
    return F.date_trunc("second", ts)


def _met(put: DataFrame, answers: DataFrame) -> DataFrame:
    """`put` with whether a line of `answers` (`_first_ts` to `_last_ts` of each second) stands at once beside it."""
    earliest, latest = plus_millis("_at", -_AT_ONCE_MS), plus_millis("_at", 2 * _AT_ONCE_MS)
    seconds = F.sequence(_second(earliest), _second(latest), F.expr("interval 1 second"))
    beside = (F.col("_last_ts") >= earliest) & (F.col("_first_ts") <= latest)
    return (
        put.withColumn("_second", F.explode(seconds))
        .join(answers, ["node_id", "_series", "_second"], "left")
        .groupBy("node_id", "_series", "_other", "_at", "_told_by")
        .agg(F.coalesce(F.bool_or(beside), F.lit(False)).alias("_met"))
    )


def _in_silences(bursts: DataFrame, silent: DataFrame) -> DataFrame:
    """`bursts` with the silence of their log that they stand in: the last that had begun, for none overlap."""
    so_far = (
        Window.partitionBy("node_id", "_series")
        .orderBy("_ts")
        .rangeBetween(Window.unboundedPreceding, Window.currentRow)
    )
    silences = silent.select(
        "node_id",
        "_series",
        F.col("start_ts").alias("_ts"),
        F.struct("start_ts", "end_ts", "_last", "_first").alias("_own"),
    )
    placed = (
        bursts.withColumn("_ts", F.col("_at"))
        .unionByName(silences, allowMissingColumns=True)
        .withColumn("_silence", F.last("_own", ignorenulls=True).over(so_far))
        .where(F.col("_at").isNotNull())
    )
    inside = F.col("_at").between(plus_millis("start_ts", _AT_ONCE_MS), plus_millis("end_ts", -_AT_ONCE_MS))
    return placed.select("*", "_silence.*").withColumn("_inside", F.coalesce(inside, F.lit(False)))
