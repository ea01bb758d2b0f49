"""What happened in one partition, and what each of it follows from, in one fold over all partitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from pyspark.sql import DataFrame

from replay.causes.edges import Causes, edges
from replay.causes.happenings import Span, deletions, of_partition
from replay.causes.unserved import down, unserved
from replay.facts.timings import Timings
from replay.histories.fold import History, Own, made
from replay.tables.brokers import NodeTimings
from replay.tables.causes import EDGES, HAPPENINGS, UNSERVED, ClusterHappening
from replay.tables.faults import Fault
from replay.tables.row import UntypedRow

MAKES = (HAPPENINGS, EDGES, UNSERVED)


def partition_causes(
    faults: Sequence[Fault], cluster_happenings: Iterable[ClusterHappening], timings: Iterable[NodeTimings]
) -> History:
    """What happened in a partition, and why, beside what is known of its cluster: a function of one partition's
    rows.
    """
    waits = Timings(timings)
    return partial(_of_partition, Causes(cluster_happenings, waits), waits, deletions(faults), down(faults))


def _of_partition(
    of_cluster: Causes,
    timings: Timings,
    deletions: Sequence[Span],
    down: Mapping[int, Sequence[UntypedRow]],
    own: Own,
) -> dict[str, Iterable[UntypedRow]]:
    happened = of_partition(own, deletions)
    return {
        HAPPENINGS.name: happened,
        EDGES.name: edges(happened, of_cluster, Causes(happened, timings)),
        UNSERVED.name: unserved(own["judged_leader_epochs"], down, deletions),
    }


def all_happenings(cluster_happenings: DataFrame, partition_causes: DataFrame) -> DataFrame:
    """Everything that has causes or effects. Returns `HAPPENINGS`."""
    return HAPPENINGS.of(cluster_happenings).unionByName(made(partition_causes, HAPPENINGS))


def all_edges(cluster_edges: DataFrame, partition_causes: DataFrame) -> DataFrame:
    """Every cause and its effect that the rules accept, and its likeliest rivals. Returns `EDGES`."""
    return EDGES.of(cluster_edges).unionByName(made(partition_causes, EDGES))


def all_unserved(partition_causes: DataFrame) -> DataFrame:
    """The times in which nobody served a partition. Returns `UNSERVED`."""
    return made(partition_causes, UNSERVED)
