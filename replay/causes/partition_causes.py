"""What happened in one partition, what each of it follows from, and from which faults in the end.

The causes of what happens in a partition are its own happenings, or the cluster's: no rule leads from a partition back to
the cluster. So the roots of a partition's happenings are those of their causes, and the graph of the cluster is walked
once, for all partitions.

The happenings of the cluster come as rows without a partition: in their call they are handed on, so that the tables hold
every vertex and edge.
"""

from __future__ import annotations

from collections import ChainMap, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from replay.causes.edges import Causes, delays, edges_to
from replay.causes.happenings import Span, deletions, of_partition
from replay.causes.kept_from_copying import contributions, may_keep
from replay.causes.walks import rivals_among, root_rows
from replay.facts.groups import by_key
from replay.facts.timings import Timings
from replay.faults.kinds import ASKED_FOR
from replay.tables.brokers import NodeTimings
from replay.tables.causes import ClusterHappening, Edge, Happening, RefusedWrite, Rival, Root
from replay.tables.faults import Fault
from replay.tables.losses import Loss
from replay.tables.offsets import Truncation
from replay.tables.partitions import CommittedIsr, Election, IsrShrink, LeaderEpoch


@dataclass(frozen=True)
class ClusterGraph:
    """The cluster's happenings for use in partitions: possible causes, their kinds and their roots with distances;
    times of topic deletions, the unrequested faults, and those that may keep a follower from copying records, with the
    predicates of faults.
    """

    causes: Causes
    waits: Timings
    kinds: dict[str, str]
    roots: Mapping[str, Mapping[str, int]]
    deletions: Sequence[Span]
    not_asked_for: frozenset[str]
    may_keep: Sequence[Fault]
    predicates: Mapping[str, str]


def cluster_graph(
    cluster_happenings: Sequence[ClusterHappening],
    cluster_roots: Iterable[Root],
    faults: Sequence[Fault],
    timings: Iterable[NodeTimings],
) -> ClusterGraph:
    """The graph of the cluster, to look up."""
    waits = Timings(timings)
    return ClusterGraph(
        Causes(cluster_happenings, waits),
        waits,
        {happening.id: happening.kind for happening in cluster_happenings},
        {row.id: dict(zip(row.root_ids, row.distances, strict=True)) for row in cluster_roots},
        deletions(faults),
        frozenset(fault.fault_id for fault in faults if fault.kind not in ASKED_FOR),
        [fault for fault in faults if may_keep(fault)],
        {one.id: (one.arguments or {}).get("predicate", "") for one in cluster_happenings if one.code is not None},
    )


def happenings(
    cluster_happenings: Iterable[ClusterHappening],
    leader_epochs: Sequence[LeaderEpoch],
    elections: Iterable[Election],
    isr_shrinks: Sequence[IsrShrink],
    committed_isrs: Sequence[CommittedIsr],
    truncations: Iterable[Truncation],
    ledger: Iterable[Loss],
    refused_writes: Iterable[RefusedWrite],
    cluster_graph: ClusterGraph,
) -> list[Happening]:
    """Everything that has causes or effects."""
    of_this = of_partition(
        leader_epochs,
        elections,
        isr_shrinks,
        committed_isrs,
        truncations,
        ledger,
        refused_writes,
        cluster_graph.deletions,
    )
    return [*cluster_happenings, *of_this]


def edges(happenings: Sequence[Happening], cluster_graph: ClusterGraph, ledger: Sequence[Loss] = ()) -> list[Edge]:
    """Every cause and its effect that the rules accept, its likeliest rivals, and what contributed to losses."""
    own = [happening for happening in happenings if happening.id not in cluster_graph.kinds]
    found = edges_to(happenings, cluster_graph.causes, Causes(own, cluster_graph.waits))
    late = delays([one for one in happenings if one.id in cluster_graph.kinds], found)
    return [*found, *late, *_contributions(ledger, found, cluster_graph)]


def _contributions(ledger: Sequence[Loss], edges: Iterable[Edge], cluster_graph: ClusterGraph) -> Iterator[Edge]:
    """What contributed to the losses of one partition."""
    if not ledger or not cluster_graph.may_keep:
        return iter(())
    causes = by_key((edge for edge in edges if edge.rank == 1), lambda edge: edge.dst, lambda edge: edge.src)
    before: Mapping[str, Iterable[str]] = ChainMap(
        dict(causes),
        cluster_graph.roots,  # type: ignore[arg-type]  # only read
    )  # of the cluster's happenings the roots are enough
    return contributions(ledger, cluster_graph.may_keep, before, cluster_graph.predicates)


def roots(happenings: Sequence[Happening], edges: Iterable[Edge], cluster_graph: ClusterGraph) -> list[Root]:
    """For each happening of a partition the roots of its causes, each one step further; itself if it has no cause."""
    effects: dict[str, list[str]] = defaultdict(list)
    causes: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        if edge.rank == 1:
            effects[edge.src].append(edge.dst)
            causes[edge.dst].append(edge.src)
    found: dict[str, dict[str, int]] = {}
    for happening in happenings:
        if happening.id in cluster_graph.kinds:
            found[happening.id] = dict(cluster_graph.roots.get(happening.id, {}))
        elif happening.id in causes:
            found[happening.id] = _one_further(cluster_graph.roots.get(cause, {}) for cause in causes[happening.id])
        else:
            found[happening.id] = {happening.id: 0}
    _spread(found, effects)
    places = {happening.id: (happening.topic, happening.partition) for happening in happenings}
    return root_rows(found, places)


def _one_further(of_causes: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The roots of some causes, each with one step more than from the nearest."""
    nearest: dict[str, int] = {}
    for of_cause in of_causes:
        for root, distance in of_cause.items():
            nearest[root] = min(distance + 1, nearest.get(root, distance + 1))
    return nearest


def _spread(found: dict[str, dict[str, int]], effects: Mapping[str, Iterable[str]]) -> None:
    """Hands the roots of each happening on to its effects, until no effect gets a new root or a nearer one."""
    waiting = deque(id_ for id_ in found if id_ in effects)
    while waiting:
        id_ = waiting.popleft()
        further = _one_further([found[id_]])
        for effect in effects.get(id_, ()):
            known = found[effect]
            news = {root: distance for root, distance in further.items() if distance < known.get(root, distance + 1)}
            if news:
                known.update(news)
                if effect in effects:
                    waiting.append(effect)


def rivals(happenings: Iterable[Happening], edges: Iterable[Edge], cluster_graph: ClusterGraph) -> list[Rival]:
    """Faults that could each have caused the same effects in one partition and cannot be distinguished."""
    kinds = {happening.id: happening.kind for happening in happenings}
    of_partition = [edge for edge in edges if edge.dst not in cluster_graph.kinds]
    return rivals_among(ChainMap(kinds, cluster_graph.kinds), of_partition)
