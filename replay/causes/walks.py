"""The same roots and rivals as `replay.causes.graph` finds, in plain Python: for sessions without GraphFrames' classes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from replay.causes.rules import NOT_TOLD_APART
from replay.tables.causes import Edge, Happening, Rival, Root
from replay.tables.row import UntypedRow


def roots(happenings: Sequence[Happening], edges: Sequence[Edge]) -> list[Root]:
    """For each vertex the vertices without a cause from which accepted edges lead to it; itself if it has none.
    Returns `ROOTS`.
    """
    effects, caused = defaultdict(set), set()
    for edge in edges:
        if edge.rank == 1:
            effects[edge.src].add(edge.dst)
            caused.add(edge.dst)
    of_vertex: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for root in {happening.id for happening in happenings} - caused:
        for id_, distance in _distances(root, effects).items():
            of_vertex[id_].append((distance, root))
    return [
        Root(id_, [root for _, root in sorted(own)], [distance for distance, _ in sorted(own)])
        for id_, own in of_vertex.items()
    ]


def _distances(root: str, effects: dict[str, set[str]]) -> dict[str, int]:
    """How many edges lie between a root and each vertex that follows from it, at least."""
    distances, reached = {root: 0}, [root]
    for id_ in reached:
        for effect in effects.get(id_, set()) - distances.keys():
            distances[effect] = distances[id_] + 1
            reached.append(effect)
    return distances


def rivals(happenings: Sequence[Happening], edges: Sequence[Edge]) -> list[UntypedRow]:
    """Two faults that could each have caused one and the same effect, where a line would tell them apart. Returns
    `RIVALS`.
    """
    kinds = {happening.id: happening.kind for happening in happenings}
    of_effect: dict[tuple[str, str], list[UntypedRow]] = defaultdict(list)
    for edge in edges:
        of_effect[edge.dst, edge.aspect].append(edge)
    effects: Counter[tuple[str, str]] = Counter()
    confidence: dict[tuple[str, str], float] = {}
    for alike in of_effect.values():
        for taken in (edge for edge in alike if edge.rank == 1):
            for left in (edge for edge in alike if edge.rank > 1 and edge.src != taken.src):
                if tuple(sorted((kinds[taken.src], kinds[left.src]))) in NOT_TOLD_APART:
                    pair = (taken.src, left.src)
                    effects[pair] += 1
                    confidence[pair] = max(left.confidence, confidence.get(pair, 0.0))
    return [Rival(*pair, count, confidence[pair]) for pair, count in effects.items()]
