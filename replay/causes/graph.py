"""The causality graph, held in a GraphFrame: roots by message passing, rivals by a motif. The only file that imports
graphframes.

The walk is a first state and a step; it has no limit of steps: whoever runs it goes on while a row has news.
"""

from __future__ import annotations

from graphframes import GraphFrame
from graphframes.lib import AggregateMessages
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.causes.rules import NOT_TOLD_APART
from replay.tables.causes import RIVALS, ROOTS

_ROOTS = "array<struct<root_id:string,distance:int>>"


def accepted(edges: DataFrame) -> DataFrame:
    """`src, dst`: each cause that is accepted and its effect."""
    return edges.where(F.col("rank") == 1).select("src", "dst").distinct()


def own_roots(happenings: DataFrame, edges: DataFrame) -> DataFrame:
    """`id, known, fresh, causes, news`: what each vertex knows of its roots at first: a vertex without a cause is its own
    root.

    `known` and `fresh` are arrays of `root_id, distance`; `fresh` is what a vertex has learned of last. `causes`: it has
    effects; one with fresh roots has `news` for them.
    """
    ends = F.array(
        F.struct(F.col("dst").alias("id"), F.lit(True).alias("caused"), F.lit(False).alias("causes")),
        F.struct(F.col("src").alias("id"), F.lit(False).alias("caused"), F.lit(True).alias("causes")),
    )
    linked = (
        edges.where(F.col("rank") == 1)
        .select(F.inline(ends))
        .groupBy("id")
        .agg(F.bool_or("caused").alias("caused"), F.bool_or("causes").alias("causes"))
    )
    itself = F.array(F.struct(F.col("id").alias("root_id"), F.lit(0).alias("distance"))).cast(_ROOTS)
    known = F.when(F.col("caused"), F.array().cast(_ROOTS)).otherwise(itself)
    causes = F.coalesce("causes", F.lit(False)).alias("causes")
    every = happenings.select("id").join(linked, "id", "left")
    return _with_news(every.select("id", known.alias("known"), known.alias("fresh"), causes))


def roots_told(state: DataFrame, happenings: DataFrame, edges: DataFrame) -> DataFrame:
    """`state` one step on: each vertex has told its effects the roots that it had just learned of."""
    one_further = F.transform(
        AggregateMessages.src["fresh"],
        lambda root: F.struct(root["root_id"].alias("root_id"), (root["distance"] + 1).alias("distance")),
    )
    told = GraphFrame(state, accepted(edges)).aggregateMessages(
        F.array_distinct(F.flatten(F.collect_list(AggregateMessages.msg))).alias("heard"), sendToDst=one_further
    )
    ids = F.transform("known", lambda root: root["root_id"])
    heard = F.coalesce("heard", F.array().cast(_ROOTS))
    fresh = F.filter(heard, lambda root: ~F.array_contains("_ids", root["root_id"]))
    further = (
        state.join(told, "id", "left")
        .withColumn("_ids", ids)
        .withColumn("fresh", fresh)
        .select("id", F.concat("known", "fresh").alias("known"), "fresh", "causes")
    )
    return _with_news(further)


def _with_news(state: DataFrame) -> DataFrame:
    return state.withColumn("news", F.col("causes") & (F.size("fresh") > 0))


def roots(state: DataFrame) -> DataFrame:
    """For each vertex the vertices without a cause from which accepted edges lead to it; itself if it has none.
    Returns `ROOTS`.
    """
    nearest_first = F.array_sort(F.transform("known", _by_distance))
    each = state.where(F.size("known") > 0).select("id", nearest_first.alias("nearest"))
    return ROOTS.of(
        each.select("id", F.col("nearest.root_id").alias("root_ids"), F.col("nearest.distance").alias("distances"))
    )


def _by_distance(root: Column) -> Column:
    return F.struct(root["distance"].alias("distance"), root["root_id"].alias("root_id"))


def rivals(happenings: DataFrame, edges: DataFrame) -> DataFrame:
    """Two faults that could each have caused one and the same effect, where a line would tell them apart. Returns
    `RIVALS`.

    The motif `(likelier)-[taken]->(effect); (other)-[left]->(effect)`, of kinds that look alike (`NOT_TOLD_APART`).
    """
    graph = GraphFrame(happenings.select("id", "kind"), edges.select("src", "dst", "rank", "aspect", "confidence"))
    pairs = graph.find("(likelier)-[taken]->(effect); (other)-[left]->(effect)").where(
        (F.col("taken.rank") == 1) & (F.col("left.rank") > 1) & (F.col("taken.aspect") == F.col("left.aspect"))
    )
    alike = F.array(*[F.array(*map(F.lit, pair)) for pair in NOT_TOLD_APART])
    both = F.array_sort(F.array("likelier.kind", "other.kind"))
    of_two = pairs.where(F.array_contains(alike, both) & (F.col("likelier.id") != F.col("other.id")))
    return RIVALS.of(
        of_two.groupBy(F.col("likelier.id").alias("fault_id"), F.col("other.id").alias("rival_id")).agg(
            F.count("*").alias("effects"), F.max("left.confidence").alias("confidence")
        )
    )
