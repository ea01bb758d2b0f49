"""Cases of one partition each: what is told of it as text tables, and the availability that follows."""

from __future__ import annotations

from dataclasses import dataclass

from replay.availability import availability, node_outages
from replay.availability.cluster import Cluster
from replay.availability.words import KINDS
from replay.coverage.covered import Covered
from replay.tables import BROKER_SESSIONS, CLOCK_OFFSETS, ISR_SPANS, LEADER_EPOCHS, Table
from replay.tables.availability import BrokerStatement
from replay.tables.brokers import CONTROLLERS, PROCESSES, RELEASES, TIMINGS
from replay.tables.coverage import COVERAGE_SPANS
from replay.tables.faults import FAULTS
from replay.tables.offsets import FETCHER_STOPS
from replay.tables.partitions import ROLE_LINES
from replay.tables.row import Row
from tests.tables import facts, rows

OLD_RELEASE = "node_id | version_low | version_high\n 1 | 20802 | 20802"
WAITS = """
    node_id | replica_socket_ms | replica_lag_ms | fetch_backoff_ms | fetch_wait_ms
    1       | 30000             | 30000          | 1000             | 500
    2       | 30000             | 30000          | 1000             | 500
    3       | 30000             | 30000          | 1000             | 500           """
EVERYTHING = "node_id | log | start_ts | end_ts | roles | complete" + "".join(
    f"\n{node} | {log} | 00:00:00 | 23:59:59 | {roles} | true"
    for node in range(6)
    for log, roles in (("server", 0), ("state_change", 1))
)
PARTITION = {"topic": "orders", "partition": 0}


@dataclass(frozen=True)
class Case:
    """What is told of partition orders-0, as text tables; what is not given is what `Case()` says: a broker 1 that
    leads, and three in sync.
    """

    leader_epochs: str = """
        leader_epoch | leader_id | start_ts | end_ts
        4            | 1         | 10:00:00 |       """
    isr_spans: str = """
        leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
        4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 |       """
    faults: str = "fault_id"
    events: str = "ts"
    processes: str = "node_id"
    sessions: str = "broker_id"
    clocks: str = "node_id"
    coverage: str = EVERYTHING
    controllers: str = "mode"
    role_lines: str = "node_id"
    fetcher_stops: str = "node_id"

    def available(self, releases: str = OLD_RELEASE) -> list[Row]:
        """The table `availability` of the partition."""
        return availability(
            of_partition(LEADER_EPOCHS, self.leader_epochs),
            of_partition(ISR_SPANS, self.isr_spans),
            self.words(),
            [row.but(**PARTITION) for row in rows(ROLE_LINES, self.role_lines)],
            [row.but(**PARTITION) for row in rows(FETCHER_STOPS, self.fetcher_stops)],
            self.cluster(releases),
            Covered(rows(COVERAGE_SPANS, self.coverage), rows(CONTROLLERS, self.controllers)),
        )

    def words(self) -> list[Row]:
        """The brokers' lines about the partition."""
        told = [event for event in facts(self.events) if event.kind in KINDS]
        return [
            BrokerStatement(
                node_id=event.node_id,
                kind=event.kind,
                ts=event.ts,
                leader_id=event.leader_id,
                leader_epoch=event.leader_epoch,
                isr=event.isr,
                high_watermark=event.high_watermark,
                log_end_offset=event.log_end_offset,
                event_id=event.event_id,
            )
            for event in told
        ]

    def cluster(self, releases: str = OLD_RELEASE) -> Cluster:
        """The cluster."""
        faults = rows(FAULTS, self.faults)
        outages = node_outages(
            facts(self.events),
            faults,
            rows(PROCESSES, self.processes),
            rows(TIMINGS, WAITS),
            rows(CLOCK_OFFSETS, self.clocks),
        )
        return cluster(
            releases,
            node_outages=outages,
            faults=faults,
            recorded_sessions=rows(BROKER_SESSIONS, self.sessions),
            controllers=rows(CONTROLLERS, self.controllers),
        )


def of_partition(table: Table, text: str) -> list[Row]:
    """The rows of a text, of partition orders-0 where it names none; their evidence is empty where it names none."""
    return [
        row.but(**(PARTITION if row.topic is None else {}), evidence=row.evidence or []) for row in rows(table, text)
    ]


def cluster(releases: str = OLD_RELEASE, **told: list[Row]) -> Cluster:
    """A cluster of which nothing is told but what is given."""
    names = (
        "node_outages",
        "recorded_sessions",
        "faults",
        "topic_settings",
        "controllers",
        "kafka_files",
        "root_spans",
        "fault_vertices",
        "feature_levels",
    )
    given = {name: told.get(name, []) for name in names}
    return Cluster.of(releases=rows(RELEASES, releases), timings=rows(TIMINGS, WAITS), **given)
