"""When each partition took writes, and when it did not: what clients felt, as far as the brokers' logs tell.

Claims (`claims`) say each one reason for which a partition took no writes for a while: its leader was gone, it had
none, a member of its ISR kept acks=all waiting, its ISR was too small. Laid over each other (`spans`) they are the
table `availability`; summed over the incidents (`harm`) they are what these cost. All of it is thought through for one
partition at a time, beside what is known of the cluster (`cluster`), in one fold over all partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from pyspark.sql import DataFrame

from replay.availability.blame import with_faults
from replay.availability.claims import every_claim
from replay.availability.cluster import Cluster
from replay.availability.harm import (
    blocked_times,
    by_incident,
    harm_spans,
    harm_sums,
    incident_harm,
    known_partition,
    partition_harm,
    topic_down,
)
from replay.availability.outages import node_outages
from replay.availability.spans import laid_end_to_end
from replay.availability.tenures import tenures
from replay.availability.words import brokers_words
from replay.facts.window import ALL_TIME, TimeWindow
from replay.histories.fold import History, made
from replay.tables.availability import (
    AVAILABILITY,
    BLOCKED_TIMES,
    FAULT_VERTICES,
    PARTITION_HARM,
    FaultVertice,
    NodeOutage,
    ServiceSpan,
)
from replay.tables.brokers import BrokerSession, Controller, NodeRelease, NodeTimings
from replay.tables.causes import RootSpan
from replay.tables.faults import Fault
from replay.tables.partitions import IsrSpan, LeaderEpoch, TopicSetting
from replay.tables.reading import FileCoverage
from replay.tables.row import Row, UntypedRow

__all__ = ["availability", "brokers_words", "incident_harm", "node_outages"]

KEY = ("topic", "partition")  # availability goes on where a topic is created anew under its name
MAKES = (AVAILABILITY, PARTITION_HARM, BLOCKED_TIMES)


def service_histories(
    node_outages: Iterable[NodeOutage],
    broker_sessions: Iterable[BrokerSession],
    releases: Sequence[NodeRelease],
    timings: Iterable[NodeTimings],
    faults: Iterable[Fault],
    topic_settings: Sequence[TopicSetting],
    controllers: Iterable[Controller],
    coverage: Iterable[FileCoverage],
    root_spans: Iterable[RootSpan],
    fault_vertices: Iterable[FaultVertice],
    window: TimeWindow = ALL_TIME,
) -> History:
    """When a partition took writes, and what the incidents cost it: a function of one partition's rows."""
    cluster = Cluster.of(
        node_outages,
        broker_sessions,
        releases,
        timings,
        faults,
        topic_settings,
        controllers,
        coverage,
        root_spans,
        fault_vertices,
        window,
    )
    return partial(service_history, cluster)


def service_history(cluster: Cluster, own: Mapping[str, Sequence[UntypedRow]]) -> dict[str, list[UntypedRow]]:
    """Of one partition the rows of the tables of `MAKES`."""
    leader_epochs, isr_spans, words = own["leader_epochs"], own["isr_spans"], own["brokers_words"]
    available = availability_of(leader_epochs, isr_spans, words, cluster)
    spans = harm_spans(available, leader_epochs, isr_spans, cluster)
    incident_ids = frozenset(vertex.incident_id for vertex in own["vertices"] if vertex.incident_id is not None)
    placed = by_incident(spans, incident_ids, cluster)
    harm = list(partition_harm(placed))
    if leader_epochs:
        harm += known_partition(leader_epochs[0].topic, leader_epochs[0].partition)
    return {
        AVAILABILITY.name: available,
        PARTITION_HARM.name: harm,
        BLOCKED_TIMES.name: list(blocked_times(placed)),
    }


def availability_of(
    leader_epochs: Sequence[LeaderEpoch], isr_spans: Sequence[IsrSpan], words: Sequence[UntypedRow], cluster: Cluster
) -> list[ServiceSpan]:
    """For each kind of producer the times in which one partition took writes, did not, or it is not known. Rows of
    `AVAILABILITY`.
    """
    led = tenures(leader_epochs, words)
    claims = list(with_faults(every_claim(led, words, isr_spans, cluster), cluster))
    return list(laid_end_to_end(claims, led, cluster.logs_begin_ts))


def availability(service_histories: DataFrame) -> DataFrame:
    """Returns `AVAILABILITY`."""
    return made(service_histories, AVAILABILITY)


def sums_of_harm(service_histories: DataFrame) -> DataFrame:
    """What the incidents cost all partitions. Returns `HARM_SUMS`."""
    return harm_sums(made(service_histories, PARTITION_HARM))


def down_by_topic(service_histories: DataFrame) -> DataFrame:
    """How long topics were down by the clock. Returns `TOPIC_DOWN`."""
    return topic_down(made(service_histories, BLOCKED_TIMES))


def fault_vertices(vertices: DataFrame) -> DataFrame:
    """The faults of the graph with their incidents. Returns `FAULT_VERTICES`."""
    return FAULT_VERTICES.of(vertices.where("code is not null and incident_id is not null"))
