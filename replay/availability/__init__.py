"""When each partition accepted writes and when it did not: what clients experienced, as far as the brokers' logs
show.

Each claim (`claims`) gives one reason for which a partition accepted no writes for a while: its leader was down, it
had no leader, an ISR member kept acks=all waiting, or its ISR was too small. Overlaid (`spans`), the claims become
the table `availability`; summed by incident (`harm`), they become its cost. One call gets the rows of one partition
and the known facts about the cluster (`cluster`). Between the deletion of a topic and the first leader of its
successor of the same name, a partition has no availability.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from replay.availability.before_first_lines import before_first_lines, in_order
from replay.availability.blame import with_faults
from replay.availability.claims import every_claim
from replay.availability.cluster import Cluster
from replay.availability.ends import with_ends
from replay.availability.harm import (
    downtimes,
    harm_of_partition,
    harm_sums,
    in_incidents,
    incident_harm,
    merge_downtimes,
    merge_harm_sums,
    topic_down,
    while_deposed,
)
from replay.availability.in_a_row import merge_waits_in_a_row, waits_in_a_row
from replay.availability.known_leaders import Lines, as_far_as_logged
from replay.availability.outages import node_outages
from replay.availability.spans import laid_end_to_end
from replay.availability.tenures import lifetimes, tenures
from replay.availability.times_without_leader import times_of_partition
from replay.availability.words import brokers_words
from replay.causes.incidents import Incidents
from replay.causes.incidents import vertices as vertices_of
from replay.causes.partition_causes import ClusterGraph
from replay.coverage.covered import Covered
from replay.offsets.never_written import never_written
from replay.tables.availability import BrokerStatement, FaultVertice, HarmSpan, ServiceSpan
from replay.tables.causes import ClusterHappening, ClusterRoot, Happening, TimeWithoutLeader, Vertex
from replay.tables.offsets import FetcherStop, HighWatermark
from replay.tables.partitions import IsrSpan, LeaderEpoch, RoleLine
from replay.tables.questions import DeposedLeader

__all__ = [
    "Cluster",
    "availability",
    "brokers_words",
    "downtimes",
    "fault_vertices",
    "harm_spans",
    "harm_sums",
    "incident_harm",
    "merge_downtimes",
    "merge_harm_sums",
    "merge_waits_in_a_row",
    "node_outages",
    "topic_down",
    "waits_in_a_row",
    "without_leader",
]


def availability(
    leader_epochs: Sequence[LeaderEpoch],
    isr_spans: Sequence[IsrSpan],
    brokers_words: Sequence[BrokerStatement],
    role_lines: Sequence[RoleLine],
    fetcher_stops: Sequence[FetcherStop],
    service_cluster: Cluster,
    covered: Covered,
) -> list[ServiceSpan]:
    """For each kind of producer, the times in which one partition accepted writes, did not, or may not have. Rows of
    `AVAILABILITY`.
    """
    led = tenures(leader_epochs, brokers_words)
    claims = list(with_faults(every_claim(led, brokers_words, isr_spans, service_cluster), service_cluster))
    lives = lifetimes(leader_epochs, brokers_words)
    laid = laid_end_to_end(claims, led, lives, service_cluster.logs_begin_ts)
    spans = as_far_as_logged(
        laid, led, Lines(brokers_words, role_lines, fetcher_stops), isr_spans, service_cluster, covered
    )
    before = before_first_lines(leader_epochs, brokers_words, service_cluster, covered)
    every = in_order([*before, *spans])
    deletions = {end_ts for _, end_ts in lives if end_ts is not None}
    return list(with_ends(every, led, brokers_words, isr_spans, service_cluster.outages_of_fault, deletions))


def without_leader(
    leader_epochs: Sequence[LeaderEpoch],
    brokers_words: Sequence[BrokerStatement],
    service_cluster: Cluster,
    cluster_graph: ClusterGraph,
) -> list[TimeWithoutLeader]:
    """The times in which a partition had no live leader."""
    return list(times_of_partition(leader_epochs, cluster_graph.deletions, brokers_words, service_cluster))


def harm_spans(
    availability: Sequence[ServiceSpan],
    leader_epochs: Sequence[LeaderEpoch],
    isr_spans: Sequence[IsrSpan],
    high_watermarks: Sequence[HighWatermark],
    deposed_leaders: Sequence[DeposedLeader],
    happenings: Iterable[Happening],
    vertices: Sequence[Vertex],
    service_cluster: Cluster,
) -> list[HarmSpan]:
    """All times of one partition that cost something, each with the incident in which it counts.

    A partition that never held a record had no producers or consumers to wait.
    """
    incident_ids = frozenset(vertex.incident_id for vertex in vertices if vertex.incident_id is not None)
    preferred = {one.id for one in happenings if one.kind == "election" and one.by == "preferred"}
    returns = {vertex.ts: vertex.incident_id for vertex in vertices if vertex.id in preferred and vertex.ts is not None}
    if never_written(high_watermarks, leader_epochs, isr_spans):
        availability, deposed_leaders = [], []
    spans = [
        *harm_of_partition(availability, leader_epochs, isr_spans, service_cluster),
        *while_deposed(deposed_leaders, leader_epochs, service_cluster),
    ]
    last_effects: dict[str, datetime] = {}
    for vertex in vertices:
        if vertex.incident_id is not None and vertex.ts is not None:
            last_effects[vertex.incident_id] = max(vertex.ts, last_effects.get(vertex.incident_id, vertex.ts))
    return list(in_incidents(spans, incident_ids, returns, service_cluster, last_effects))


def fault_vertices(
    cluster_happenings: Iterable[ClusterHappening], cluster_roots: Iterable[ClusterRoot], incident_index: Incidents
) -> list[FaultVertice]:
    """The faults of the graph, with their incidents."""
    found = vertices_of(cluster_happenings, cluster_roots, incident_index)
    return [
        FaultVertice(id=vertex.id, incident_id=vertex.incident_id)
        for vertex in found
        if vertex.code is not None and vertex.incident_id is not None
    ]
