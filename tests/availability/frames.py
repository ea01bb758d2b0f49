"""Small tables for the tests of availability, with what they nearly all share."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from replay.availability import (
    availability,
    claims,
    leaders_words,
    node_outages,
    roles_taken_up,
    tenures,
)
from replay.causes.happenings import refused_writes
from replay.tables import BROKER_SESSIONS, EVENTS, ISR_SPANS, LEADER_EPOCHS
from replay.tables.brokers import PROCESSES
from replay.tables.faults import FAULTS
from tests.tables import table

ORDERS = {"topic": "orders", "partition": 0}
RELEASES = "node_id int, version_low int, version_high int"
TIMINGS = "node_id int, replica_socket_ms bigint"
SEEN = "acks string, start_ts timestamp, end_ts timestamp, state string, reason string, fault_id string"

ONE_LEADER = """
    leader_epoch | leader_id | start_ts | end_ts
    4            | 1         | 10:00:00 |       """
FAILOVER = """
    leader_epoch | leader_id | start_ts     | end_ts
    4            | 1         | 10:00:00     | 10:10:08
    5            | 2         | 10:10:08     |       """
FAILOVER_ISRS = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
    4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:10:08
    5            | 2         | 2,3   | 1,2,3    | 2       | 10:10:08 |         """
FULL_ISR = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
    4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 |       """


def seen(
    spark: SparkSession,
    *,
    leader_epochs: str = ONE_LEADER,
    isr_spans: str = FULL_ISR,
    faults: str = "fault_id",
    events: str = "ts",
    processes: str = "node_id",
    sessions: str = "broker_id",
    releases: str = "node_id | version_low | version_high\n 1 | 20802 | 20802",
    timings: str = "node_id | replica_socket_ms\n 1 | 30000\n 2 | 30000\n 3 | 30000",
) -> DataFrame:
    """The table `availability` of partition orders-0."""
    epochs = table(spark, LEADER_EPOCHS, leader_epochs).fillna(ORDERS)
    told = table(spark, EVENTS, events).fillna(ORDERS)
    happened = table(spark, FAULTS, faults)
    roles = roles_taken_up(told)
    led = tenures(epochs, roles)
    outages = node_outages(happened, table(spark, PROCESSES, processes), told, table(spark, TIMINGS, timings))
    found = claims(
        led,
        roles,
        leaders_words(told, refused_writes(told)),
        table(spark, ISR_SPANS, isr_spans).fillna(ORDERS),
        outages,
        table(spark, BROKER_SESSIONS, sessions),
        table(spark, RELEASES, releases),
        happened,
    )
    return availability(found, led)
