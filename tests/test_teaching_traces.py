"""The traces made by hand say what was worked out by hand (each folder's README.md), in one run: each has topic, brokers and a day of its own."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import functions as F

from pipelines.inputs import gather
from pipelines.reading import records_of
from replay.reading.counts import COLUMNS, Counts
from replay.tables import EVENTS, SETTINGS
from replay.tables.arrow import to_arrow
from tests.each import for_each
from tests.golden import BY_HAND, inputs_of, text_of
from tests.recordings import TRACES
from tests.stages import tables_of

TABLES = [
    pytest.param(trace, path.stem, id=f"{trace.name}/{path.stem}")
    for trace in BY_HAND
    for path in sorted((trace / "expected").glob("*.csv"))
]


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory) -> dict[str, pd.DataFrame]:
    """The tables of all traces together."""
    work = tmp_path_factory.mktemp("by-hand")
    inputs = gather([inputs_of(trace) for trace in BY_HAND], {}, work)
    records = records_of(spark, inputs, work).localCheckpoint()
    assert [row.message for row in records.where(F.col("kind").isNull()).select("message").collect()] == []
    events = EVENTS.of(records).localCheckpoint()
    names = sorted({param.values[1] for param in TABLES})
    counts = Counts()
    for batch in records.select(*COLUMNS).toArrow().to_batches():
        counts.add(batch)
    settings = spark.createDataFrame(to_arrow(SETTINGS, counts.settings()))
    made = tables_of(spark, work, names, events, settings=settings)
    return {name: made[name].toPandas() for name in names}


@for_each(("trace", "name"), TABLES)
def test_the_table_is_the_one_worked_out_by_hand(tables, trace, name):
    with open(trace / "expected" / f"{name}.csv", encoding="utf-8") as file:
        columns, *rows = csv.reader(file)
    table = tables[name]
    own = table[table.topic == _topic(trace)][columns]
    assert _lines(columns, own.map(text_of).values.tolist()) == _lines(columns, rows)


def _topic(trace: Path) -> str:
    with open(trace / "expected" / "leader_epochs.csv", encoding="utf-8") as file:
        return next(csv.DictReader(file))["topic"]


def _lines(columns: list[str], rows: list[list[str]]) -> str:
    return "\n".join([",".join(columns), *sorted(",".join(row) for row in rows)])


def test_each_trace_has_topic_brokers_and_day_of_its_own():
    """Otherwise they could not be read as one input."""
    topics = [_topic(trace) for trace in BY_HAND]
    nodes = [node.name for trace in BY_HAND for node in (trace / "input").glob("node-*")]
    days = [
        {line[1:11] for log in trace.rglob("*.log") for line in log.read_text().splitlines() if line.startswith("[2")}
        for trace in BY_HAND
    ]
    assert len(BY_HAND) >= 11
    assert len(set(topics)) == len(topics)
    assert len(set(nodes)) == len(nodes)
    assert [len(day) for day in days] == [1] * len(days)
    assert len(set.union(*days)) == len(days)


def test_a_follower_has_a_leader_epoch_only_when_a_record_of_it_has_come(tables):
    """Two copies of the follower's file, and what the replay makes of them."""
    caches = tables["leader_epoch_caches"]
    follower = caches[(caches.topic == "visits") & (caches.node_id == 52)].set_index("leader_epoch")
    before, after = (
        TRACES / f"follower-learns-leader-epoch-by-hand/input/node-52/20221103T{at}Z/visits-0/leader-epoch-checkpoint"
        for at in ("100040", "100130")
    )
    assert [file.read_text().split()[2:] for file in (before, after)] == [["12", "9"], ["12", "9", "13", "16"]]
    assert follower.start_ts[13] == pd.Timestamp("2022-11-03T10:01:30")
    assert pd.isna(follower.end_ts[12])
