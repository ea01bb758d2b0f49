"""The table function `reconcile` gives each row the verdict of `Replay.reconcile`."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import pytest
from pyspark.errors import PySparkException

from kafka_replay import Replay
from tests.recordings import TRACES


@pytest.fixture
def replay(spark, result_of):
    """The result of a recording in which a deposed leader acknowledged records."""
    return Replay.load(spark, str(result_of(TRACES / "zombie-leader-by-hand")))


def _acked(spark, replay) -> int:
    """A view of records with names of its own: before, at and after the begin of each leader epoch."""
    epochs = replay.tables["leader_epochs"].toPandas()
    rows = []
    for row in epochs.itertuples():
        begin = pd.Timestamp(row.start_ts).tz_localize(None).to_pydatetime().replace(tzinfo=UTC)
        start = 0 if pd.isna(row.epoch_start_offset) else int(row.epoch_start_offset)
        for offset, seconds in ((max(0, start - 1), -2), (start, 1), (start + 1, 2)):
            stamp = datetime.fromtimestamp(begin.timestamp() + seconds, UTC)
            rows.append((row.topic, int(row.partition), offset, stamp, ["a note"]))
    frame = spark.createDataFrame(rows, "t string, p int, kafka_offset long, acked_at timestamp, notes array<string>")
    frame.createOrReplaceTempView("acked")
    return len(rows)


def test_sql_gives_the_verdicts_of_the_method(spark, replay):
    count = _acked(spark, replay)
    assert replay.sql_reconcile() == "reconcile"
    told = spark.sql("SELECT * FROM reconcile(TABLE(acked), columns => 'topic=t,partition=p')")
    columns = {"topic": "t", "partition": "p"}
    right = replay.reconcile(spark.table("acked"), columns=columns)
    assert told.columns == right.columns
    found = [sorted(map(str, frame.collect())) for frame in (told, right)]
    assert found[0] == found[1] and len(found[0]) == count
    assert {row.verdict for row in told.collect()} == {"kept", "gone_possible"}


def test_a_call_that_cannot_be_answered_is_one_line(spark, replay):
    replay.sql_reconcile("verdicts_of")
    spark.createDataFrame([("orders", 1)], "topic string, o long").createOrReplaceTempView("short")
    with pytest.raises(PySparkException, match="no column for partition"):
        spark.sql("SELECT * FROM verdicts_of(TABLE(short), columns => 'offset=o')").collect()
