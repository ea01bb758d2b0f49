"""The causality graph, held in a GraphFrame: which roots each happening goes back to. The only file that imports graphframes."""

from __future__ import annotations

from graphframes import GraphFrame
from graphframes.lib import AggregateMessages
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.resting import Rest, going_on

FURTHEST = 4  # fault, end of session, leaderless, election, loss or truncation: no chain of causes here is longer


def roots_of(vertices: DataFrame, edges: DataFrame, furthest: int = FURTHEST, rest: Rest = going_on) -> DataFrame:
    """`id, root_id, distance`: for each vertex the vertices without a cause from which edges lead to it, itself if it has none.

    Message passing along the edges: in each round a vertex tells its effects the roots it knows of. A round takes the one before it up five times, so
    each may `rest`.
    """
    caused = edges.select(F.col("dst").alias("id")).distinct().withColumn("_caused", F.lit(True))
    nowhere = F.array().cast("array<struct<root_id:string,distance:int>>")
    itself = F.array(F.struct(F.col("id").alias("root_id"), F.lit(0).alias("distance")))
    state = (
        vertices.select("id")
        .join(caused, "id", "left")
        .select("id", F.when(F.col("_caused"), nowhere).otherwise(itself).alias("roots"))
    )
    messages = edges.select("src", "dst").distinct()
    for step in range(furthest):
        heard = GraphFrame(state, messages).aggregateMessages(
            F.flatten(F.collect_set(AggregateMessages.msg)).alias("heard"),
            sendToDst=F.transform(
                AggregateMessages.src["roots"],
                lambda r: F.struct(r["root_id"].alias("root_id"), (r["distance"] + 1).alias("distance")),
            ),
        )
        state = rest(
            f"roots_after_{step + 1}",
            state.join(heard, "id", "left").select(
                "id", F.array_distinct(F.concat("roots", F.coalesce("heard", nowhere))).alias("roots")
            ),
        )
    return (
        state.select("id", F.explode("roots").alias("root"))
        .groupBy("id", F.col("root.root_id").alias("root_id"))
        .agg(F.min("root.distance").alias("distance"))
    )
