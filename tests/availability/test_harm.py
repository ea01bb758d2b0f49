"""What incidents cost: every time in one incident, as long as it is."""

from __future__ import annotations

import pytest

from replay.availability.harm import attributed, harm_spans, incident_harm
from replay.tables import EVENTS, ISR_SPANS, LEADER_EPOCHS
from replay.tables.availability import AVAILABILITY, HARM_SPANS, INCIDENT_HARM
from replay.tables.causes import ROOT_SPANS, VERTICES
from tests.availability.frames import RELEASES
from tests.tables import same, table

INCIDENTS = (
    "incident_id string, start_ts timestamp, end_ts timestamp, fault_ids array<string>, partitions array<string>"
)
TWO = """
    incident_id | start_ts | end_ts   | fault_ids | partitions
    one         | 10:00:00 | 10:00:40 | died      | orders-0
    two         | 10:05:00 | 10:05:40 | froze     | orders-0,orders-1 """
BLOCKED = """
    topic  | partition | acks | start_ts | end_ts   | state   | reason                 | fault_id
    orders | 0         | all  | 10:00:01 | 10:00:09 | closed  | leader_dead            | died
    orders | 0         | all  | 10:00:00 | 10:00:01 | unknown | leader_dead            | died
    orders | 1         | all  | 10:00:01 | 10:00:08 | closed  | waiting_for_isr_member | died
    orders | 0         | 1    | 10:00:01 | 10:00:09 | closed  | leader_dead            | died
    orders | 1         | 1    | 10:00:00 |          | open    |                        |
    __consumer_offsets | 7 | all | 10:00:01 | 10:00:05 | closed | leader_dead         | died """
LEADERS = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts
    orders | 0         | 4            | 1         | 09:00:00 | 10:00:08
    orders | 0         | 5            | -1        | 10:00:08 | 10:00:09
    orders | 0         | 6            | 2         | 10:00:09 |
    orders | 1         | 1            | 2         | 09:00:00 |          """
ISRS = """
    topic  | partition | leader_epoch | leader_id | isr | replicas | min_isr | start_ts | end_ts
    orders | 0         | 6            | 2         | 2   | 1,2      | 2       | 10:00:09 | 10:01:40
    orders | 1         | 1            | 2         | 1,2 | 1,2      | 2       | 09:00:00 |
    alone  | 0         | 1            | 2         | 2   | 2        | 2       | 09:00:00 |          """
ROOTS = """
    root_id | incident_id | ts       | end_ts
    died    | one         | 10:00:00 | 10:00:40
    froze   | two         | 10:05:00 | 10:05:40 """
GRAPH = """
    id    | incident_id | topic  | partition
    died  | one         |        |
    froze | two         |        |
    x     | one         | orders | 0
    y     | two         | orders | 0 """
LAST_LINE = "ts\n 10:10:00"
OLD = "node_id | version_low | version_high\n 1 | 20802 | 20802"


@pytest.fixture
def frames(spark):
    def of(blocked=BLOCKED, leaders=LEADERS, isrs=ISRS, releases=OLD):
        return {
            "availability": table(spark, AVAILABILITY, blocked),
            "leader_epochs": table(spark, LEADER_EPOCHS, leaders),
            "isr_spans": table(spark, ISR_SPANS, isrs),
            "releases": table(spark, RELEASES, releases),
            "events": table(spark, EVENTS, LAST_LINE),
        }

    return of


@pytest.fixture
def graph(spark):
    return {"root_spans": table(spark, ROOT_SPANS, ROOTS), "vertices": table(spark, VERTICES, GRAPH)}


def test_times_are_summed_as_long_as_they_are_and_internal_topics_apart(frames, graph):
    """Also where they outlast the incident: the ISR was whole again a minute after it."""
    same(
        incident_harm(**frames(), **graph),
        INCIDENT_HARM,
        """
        incident_id | blocked_all_min_ms | blocked_all_max_ms | blocked_one_min_ms | blocked_one_max_ms | worst_partition | worst_partition_ms | partitions_blocked | partitions_known | leaderless_ms | under_min_isr_ms | single_copy_ms | internal_blocked_all_min_ms | is_open
        one         | 15000              | 16000              | 8000               | 8000               | orders-0        | 8000               | 2                  | 2                | 1000          | 91000            | 91000          | 4000                        | false
        two         | 0                  | 0                  | 0                  | 0                  |                 |                    | 0                  | 2                | 0             | 0                | 0              | 0                           | false   """,
    )


def test_a_time_that_did_not_end_counts_to_the_last_line_and_is_at_least(frames, graph):
    still = "topic | partition | leader_epoch | leader_id | start_ts | end_ts\n orders | 0 | 5 | -1 | 10:00:08 |"
    same(
        incident_harm(**frames(blocked="topic", leaders=still, isrs="topic"), **graph).where("is_open"),
        INCIDENT_HARM,
        """
        incident_id | leaderless_ms
        one         | 592000        """,
    )


def test_a_partition_that_went_with_its_topic_missed_no_leader(frames):
    deleted = (
        "topic | partition | leader_epoch | leader_id | start_ts | end_ts\n orders | 0 | 5 | -1 | 10:00:08 | 10:00:09"
    )
    assert harm_spans(**frames(blocked="topic", leaders=deleted, isrs="topic")).isEmpty()


def test_from_4_0_on_a_partition_without_a_leader_has_an_empty_isr(frames):
    new = "node_id | version_low | version_high\n 1 | 40101 | 40101"
    got = harm_spans(**frames(releases=new)).where("kind = 'under_min_isr' and end_ts = timestamp'2024-05-01 10:00:09'")
    same(
        got,
        HARM_SPANS,
        """
        name     | start_ts | ms
        orders-0 | 10:00:08 | 1000 """,
    )


def test_each_time_is_of_one_incident(spark):
    spans = """
        kind       | name     | fault_id | start_ts | end_ts
        by_fault   | orders-0 | died     | 10:06:00 | 10:06:01
        by_time    | orders-1 |          | 10:05:10 | 10:05:11
        before_all | orders-1 |          | 09:00:00 | 09:00:01
        nearer_one | orders-9 | unheard  | 10:01:00 | 10:01:10 """
    same(
        attributed(table(spark, HARM_SPANS, spans), table(spark, INCIDENTS, TWO)),
        "kind string, incident_id string",
        """
        kind       | incident_id
        by_fault   | one
        by_time    | two
        before_all | one
        nearer_one | one         """,
    )


def test_the_sums_of_the_incidents_are_the_sums_of_the_times(frames, graph):
    spans = {
        row.kind: row.ms
        for row in harm_spans(**frames()).groupBy("kind").agg({"ms": "sum"}).toDF("kind", "ms").collect()
    }
    harm = incident_harm(**frames(), **graph).toPandas()
    assert harm.leaderless_ms.sum() == spans["leaderless"]
    assert harm.under_min_isr_ms.sum() == spans["under_min_isr"]
    assert harm.single_copy_ms.sum() == spans["single_copy"]
    blocked = harm.blocked_all_max_ms + harm.blocked_one_max_ms + harm.internal_blocked_all_max_ms
    assert blocked.sum() == spans["blocked"]
