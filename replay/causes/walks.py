"""Roots and rivals of a graph in plain Python: the same results as `replay.causes.graph`, for sessions without
GraphFrames' classes, and for the happenings of one partition.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from replay.causes.rules import INDISTINGUISHABLE
from replay.facts.groups import by_key
from replay.facts.order import nulls_first
from replay.tables.causes import (
    ClusterEdge,
    ClusterHappening,
    ClusterRival,
    Edge,
    Happening,
    PartitionRival,
    Rival,
    Root,
)


def roots(happenings: Sequence[Happening], edges: Iterable[Edge]) -> list[Root]:
    """For each vertex the vertices without a cause from which accepted edges lead to it; itself if it has none."""
    effects, caused = defaultdict(set), set()
    for edge in edges:
        if edge.rank == 1:
            effects[edge.src].add(edge.dst)
            caused.add(edge.dst)
    places = {happening.id: (happening.topic, happening.partition) for happening in happenings}
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for root in places.keys() - caused:
        for id_, distance in _distances(root, effects).items():
            found[id_][root] = distance
    return root_rows(found, places)


def root_rows(
    found: Mapping[str, Mapping[str, int]], places: Mapping[str, tuple[str | None, int | None]]
) -> list[Root]:
    """Rows of `ROOTS`: the roots of each vertex with their distances, the nearest first. `places`: topic and partition of
    each vertex. A vertex without a root has no row.
    """
    rows = []
    for id_, distances in found.items():
        if distances:
            nearest = sorted(distances, key=lambda root: (distances[root], root))
            topic, partition = places.get(id_, (None, None))
            rows.append(
                Root(
                    id=id_,
                    topic=topic,
                    partition=partition,
                    root_ids=nearest,
                    distances=[distances[root] for root in nearest],
                )
            )
    return rows


def _distances(root: str, effects: Mapping[str, set[str]]) -> dict[str, int]:
    """The least number of edges between a root and each vertex that follows from it."""
    distances, reached = {root: 0}, [root]
    for id_ in reached:
        for effect in effects.get(id_, set()) - distances.keys():
            distances[effect] = distances[id_] + 1
            reached.append(effect)
    return distances


def rivals(happenings: Sequence[Happening], edges: Iterable[Edge]) -> list[Rival]:
    """Pairs of faults that could each have caused the same effect and that a line would distinguish."""
    return rivals_among({happening.id: happening.kind for happening in happenings}, edges)


def cluster_roots(cluster_happenings: Sequence[ClusterHappening], cluster_edges: Iterable[ClusterEdge]) -> list[Root]:
    """The roots of the happenings of the cluster."""
    return roots(cluster_happenings, cluster_edges)


def cluster_rivals(cluster_happenings: Sequence[ClusterHappening], cluster_edges: Iterable[ClusterEdge]) -> list[Rival]:
    """The rivals among the causes of the cluster's happenings."""
    return rivals(cluster_happenings, cluster_edges)


def all_rivals(cluster_rivals: Iterable[ClusterRival], partition_rivals: Iterable[PartitionRival]) -> list[Rival]:
    """The rivals among the causes of the cluster's happenings and of those of partitions."""
    return merge_rivals([*cluster_rivals, *partition_rivals])


def rivals_among(kinds: Mapping[str, str], edges: Iterable[Edge]) -> list[Rival]:
    """The rivals among the causes of some effects, by the kinds of these causes. Rows of `RIVALS`."""
    of_effect = by_key(edges, lambda edge: (edge.dst, edge.aspect))
    return merge_rivals(
        Rival(fault_id=accepted.src, rival_id=other.src, effects=1, confidence=other.confidence)
        for alike in of_effect.values()
        for accepted in (edge for edge in alike if edge.rank == 1)
        for other in (edge for edge in alike if (edge.rank or 1) > 1 and edge.src != accepted.src)
        if tuple(sorted((kinds[accepted.src], kinds[other.src]))) in INDISTINGUISHABLE
    )


def merge_rivals(rivals: Iterable[Rival]) -> list[Rival]:
    """One row for each two faults, from rows about different effects."""
    effects: Counter[tuple[str, str]] = Counter()
    confidence: dict[tuple[str, str], float] = {}
    for one in rivals:
        pair = (one.fault_id, one.rival_id)
        effects[pair] += one.effects
        confidence[pair] = max(one.confidence, confidence.get(pair, one.confidence))
    return [
        Rival(fault_id=pair[0], rival_id=pair[1], effects=effects[pair], confidence=confidence[pair])
        for pair in sorted(effects, key=lambda pair: nulls_first(*pair))
    ]
