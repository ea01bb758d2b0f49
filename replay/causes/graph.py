"""The causality graph of the cluster's happenings, held in a GraphFrame: paths and rivals are motifs. The only file that
imports graphframes.

The search for paths is a first state and a step that doubles their length. It has no limit of steps: the caller repeats it
while a row changes. Three steps find every chain of up to seven edges.
"""

from __future__ import annotations

from graphframes import GraphFrame
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.causes.rules import INDISTINGUISHABLE
from replay.tables.causes import CLUSTER_RIVALS, CLUSTER_ROOTS


def first_paths(cluster_happenings: DataFrame, cluster_edges: DataFrame) -> DataFrame:
    """`src, dst, distance, longest, news`: the paths of at most one accepted edge. Each vertex has a path without an
    edge, to itself. `longest`: the maximum length of the paths in this state. A path of that length may continue, so
    its row has `news`.
    """
    to_itself = cluster_happenings.select(
        F.col("id").alias("src"), F.col("id").alias("dst"), F.lit(0).alias("distance")
    )
    accepted = cluster_edges.where(F.col("rank") == 1).select("src", "dst", F.lit(1).alias("distance"))
    return _shortest(to_itself.unionByName(accepted), F.lit(1))


def paths_doubled(paths: DataFrame, cluster_happenings: DataFrame, cluster_edges: DataFrame) -> DataFrame:
    """`paths` after one step: every two paths that meet become one path, of up to twice as many edges."""
    graph = GraphFrame(cluster_happenings.select("id"), paths.select("src", "dst", "distance", "longest"))
    joined = graph.find("(cause)-[one]->(between); (between)-[other]->(effect)").select(
        F.col("cause.id").alias("src"),
        F.col("effect.id").alias("dst"),
        (F.col("one.distance") + F.col("other.distance")).alias("distance"),
        F.col("one.longest").alias("longest"),
    )
    return _shortest(joined, F.max("longest") * 2)


def _shortest(paths: DataFrame, longest: Column) -> DataFrame:
    """The shortest path between every two vertices."""
    shortest = paths.groupBy("src", "dst").agg(F.min("distance").alias("distance"), longest.alias("longest"))
    return shortest.withColumn("news", F.col("distance") == F.col("longest"))


def roots(paths: DataFrame) -> DataFrame:
    """For each vertex the vertices without a cause from which accepted edges lead to it; itself if it has none.
    Returns `CLUSTER_ROOTS`.
    """
    caused = paths.where(F.col("distance") > 0).select(F.col("dst").alias("src")).distinct()
    of_roots = paths.join(caused, "src", "left_anti")
    nearest = F.array_sort(F.collect_list(F.struct("distance", "src")))
    each = of_roots.groupBy(F.col("dst").alias("id")).agg(nearest.alias("nearest"))
    return CLUSTER_ROOTS.rows(each, root_ids=F.col("nearest.src"), distances=F.col("nearest.distance"))


def rivals(cluster_happenings: DataFrame, cluster_edges: DataFrame) -> DataFrame:
    """Pairs of faults that could each have caused the same effect and that a line would distinguish. Returns
    `CLUSTER_RIVALS`.

    The motif `(likelier)-[taken]->(effect); (other)-[left]->(effect)`, of kinds that look alike (`INDISTINGUISHABLE`).
    """
    of_edges = ("src", "dst", "rank", "aspect", "confidence")
    graph = GraphFrame(cluster_happenings.select("id", "kind"), cluster_edges.select(*of_edges))
    pairs = graph.find("(likelier)-[taken]->(effect); (other)-[left]->(effect)").where(
        (F.col("taken.rank") == 1) & (F.col("left.rank") > 1) & (F.col("taken.aspect") == F.col("left.aspect"))
    )
    alike = F.array(*[F.array(*map(F.lit, pair)) for pair in INDISTINGUISHABLE])
    both = F.array_sort(F.array("likelier.kind", "other.kind"))
    of_two = pairs.where(F.array_contains(alike, both) & (F.col("likelier.id") != F.col("other.id")))
    return CLUSTER_RIVALS.of(
        of_two.groupBy(F.col("likelier.id").alias("fault_id"), F.col("other.id").alias("rival_id")).agg(
            F.count("*").alias("effects"), F.max("left.confidence").alias("confidence")
        )
    )
