"""Each timeline as Spark windows is the timeline in plain Python: of random rows, of random histories, and of recordings."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from replay.partitions.observed_states import WITNESSES
from replay.tables import DECLARED
from replay.tables.arrow import to_arrow
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import IsrState, PartitionStateReport
from replay.timelines import folds
from replay.timelines.high_watermark_curves import ADOPTED, SET, high_watermark_curves
from replay.timelines.isr_spans import isr_spans
from replay.timelines.leader_epochs import leader_epochs
from tests.recordings import TRACES, events_of, recordings
from tests.stages import plain, tables_of
from tests.test_simulated_histories import events_of as events_of_histories
from tests.test_simulated_histories import played

BEGIN = datetime(2024, 5, 1, 10, tzinfo=UTC)
PARTITIONS = 150


@dataclass(frozen=True)
class Timeline:
    """A query, its twin in plain Python, and the names of their input and of what they make."""

    query: Callable[[DataFrame], DataFrame]
    fold: Callable[[Any], Sequence[Any]]
    reads: str
    makes: str


TIMELINES = [
    Timeline(leader_epochs, folds.leader_epochs, "partition_state_reports", "stated_leader_epochs"),
    Timeline(isr_spans, folds.isr_spans, "isr_states", "laid_isrs"),
    Timeline(high_watermark_curves, folds.high_watermark_curves, "high_watermarks", "high_watermark_curves"),
]


def in_order(rows) -> list[str]:
    return sorted(map(repr, rows))


def maybe(chance: random.Random, value: Any, share: float = 0.2) -> Any:
    return None if chance.random() < share else value


def moment(chance: random.Random) -> datetime:
    """One of few moments, so that many lines have the same; or any other."""
    return BEGIN + timedelta(microseconds=chance.choice((chance.randrange(8) * 500_000, chance.randrange(9_000_000))))


def isr(chance: random.Random) -> list[int]:
    return sorted(chance.sample((1, 2, 3), chance.randrange(4)))


def random_reports(chance: random.Random) -> list[PartitionStateReport]:
    """Lines about the states of many partitions, in no order. In one leader epoch, one broker leads."""
    return [
        PartitionStateReport(
            topic="orders",
            life=partition % 2,
            topic_id=maybe(chance, chance.choice("ab"), 0.5),
            partition=partition // 2,
            leader_epoch=epoch,
            leader_id=maybe(chance, (epoch or 0) % 4 - 1),
            epoch_start_offset=maybe(chance, chance.randrange(500), 0.7),
            ts=maybe(chance, moment(chance), 0.1),
            node_id=1,
            witness=chance.choice(WITNESSES),
            born=maybe(chance, chance.random() < 0.3, 0.1),
            event_id=f"server.log:{chance.randrange(40)}",
        )
        for partition in range(PARTITIONS)
        for epoch in [chance.choice((None, 0, 1, 2, 3, 5, 2**31 - 1)) for _ in range(chance.randrange(1, 16))]
    ]


def random_states(chance: random.Random) -> list[IsrState]:
    """States of many partitions, each with its leader epoch where that is known."""
    states = []
    for partition in range(PARTITIONS):
        epoch, number = 0, 0
        for place in range(chance.randrange(1, 12)):
            epoch += chance.choice((0, 0, 1, 3))
            number += chance.choice((0, 1, 1, 4))
            states.append(
                IsrState(
                    topic="orders",
                    life=partition % 2,
                    partition=partition // 2,
                    leader_epoch=epoch,
                    partition_epoch=maybe(chance, number),
                    state_order=number,
                    leader_id=maybe(chance, chance.choice((-1, 1, 2)), 0.1),
                    isr=isr(chance),
                    replicas=maybe(chance, [1, 2, 3][: chance.randrange(1, 4)], 0.6),
                    ts=moment(chance),
                    confidence=chance.choice(("observed", "inferred")),
                    evidence=[f"server.log:{place}"],
                    place=place,
                    epoch_start_ts=maybe(chance, moment(chance)),
                    epoch_end_ts=maybe(chance, moment(chance), 0.5),
                    reaches_epoch=maybe(chance, epoch + chance.choice((1, 2)), 0.4),
                    is_kept=chance.random() < 0.2,
                )
            )
    return states


def random_watermarks(chance: random.Random) -> list[HighWatermark]:
    """Lines about the offsets of the replicas of many partitions, in no order."""
    return [
        HighWatermark(
            topic="orders",
            partition=partition,
            node_id=chance.choice((1, 2, 3)),
            ts=maybe(chance, moment(chance), 0.1),
            leader_epoch=maybe(chance, chance.choice((4, 5)), 0.1),
            role=maybe(chance, "follower"),
            high_watermark=maybe(chance, chance.randrange(12), 0.1),
            source=chance.choice((SET, SET, *ADOPTED, "isr_shrink")),
            evidence=[f"server.log:{line}"],
        )
        for partition in range(PARTITIONS)
        for line in range(chance.randrange(1, 40))
    ]


RANDOM = {"partition_state_reports": random_reports, "isr_states": random_states, "high_watermarks": random_watermarks}


def frame(spark: SparkSession, name: str, rows: Sequence[Any]) -> DataFrame:
    table = DECLARED[name]
    return spark.createDataFrame(to_arrow(table, rows), table.schema)


@pytest.mark.parametrize("timeline", TIMELINES, ids=lambda timeline: timeline.makes)
def test_of_random_rows_the_windows_make_what_the_fold_makes(spark, timeline):
    rows = RANDOM[timeline.reads](random.Random(timeline.makes))
    made = plain(timeline.query(frame(spark, timeline.reads, rows)), timeline.makes)
    assert in_order(made) == in_order(timeline.fold(rows))
    assert len(made) > PARTITIONS


def differences(spark: SparkSession, folder, events: DataFrame) -> tuple[list[str], dict[str, int]]:
    """The timelines in which the run's windows and the folds differ for these events, and how many rows each has."""
    names = {name for timeline in TIMELINES for name in (timeline.reads, timeline.makes)}
    made = tables_of(spark, folder, names, events)
    rows = {name: plain(made[name], name) for name in names}
    wrong = [
        timeline.makes
        for timeline in TIMELINES
        if in_order(rows[timeline.makes]) != in_order(timeline.fold(rows[timeline.reads]))
    ]
    return wrong, {timeline.makes: len(rows[timeline.makes]) for timeline in TIMELINES}


def test_of_random_histories_they_are_the_same(spark, tmp_path):
    wrong, counts = differences(spark, tmp_path, events_of_histories(spark, [played(number) for number in range(24)]))
    assert wrong == []
    assert min(counts.values()) > 24, counts


def parts_of(events: DataFrame) -> dict[str, DataFrame]:
    """A recording as a whole, without one of its nodes, and from its middle on."""
    first = events.agg(F.min("node_id").alias("node")).first().node
    middle = events.agg(F.expr("percentile_approx(unix_micros(ts), 0.5)").alias("middle")).first().middle
    return {
        "whole": events,
        f"without node {first}": events.where(F.col("node_id") != first),
        "late": events.where(F.col("ts").isNull() | (F.unix_micros("ts") >= middle)),
    }


@pytest.mark.nightly
@pytest.mark.parametrize("trace", recordings(TRACES), ids=lambda trace: trace.name)
def test_of_recordings_and_of_parts_of_them_they_are_the_same(spark, tmp_path, trace):
    understood = events_of(spark, trace.name, tmp_path / "read").where(F.col("kind").isNotNull())
    for number, (part, events) in enumerate(parts_of(understood).items()):
        wrong, _ = differences(spark, tmp_path / str(number), events)
        assert wrong == [], part
