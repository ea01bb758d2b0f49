"""Spark and the path without it give each record the same verdict."""

from __future__ import annotations

import csv

import pytest

from pipelines.reconciliation import with_spark
from pipelines.reconciliation.records import read_records
from pipelines.reconciliation.without_spark import verdicts
from replay.errors import InputError
from tests.reconcile.frames import cut, deposed, epoch, log_of, us

ZOMBIE = log_of(
    [epoch(0, 1, 0, 0), epoch(1, 2, 60, 20)],
    truncations=[cut(1, 70, 60, 40)],
    deposed_leaders=[deposed(1, 0, 20, 40)],
)
ACKED = [(59, 19.0), *((60 + n, 20 + n * 0.5) for n in range(10)), *((60 + n, 26 + n * 0.5) for n in range(15))]


def test_both_give_each_record_the_same_verdict(spark, tmp_path):
    rows = [("orders", 0, offset, us(seconds) // 1000) for offset, seconds in ACKED] + [("clicks", 0, 1, us(1) // 1000)]
    file = tmp_path / "acked.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([("topic", "partition", "offset", "time"), *rows])
    logs = {("orders", 0): ZOMBIE}
    without = {name: values.to_pylist() for name, values in verdicts(read_records(file, {}), logs).columns().items()}
    frame = spark.createDataFrame(rows, "topic string, partition int, offset long, time long")
    found = {(row.topic, row.offset, row.time): row for row in with_spark.verdicts(frame, logs, {}).collect()}
    for place, (topic, _, offset, time) in enumerate(rows):
        row = found[topic, offset, time]
        assert (row.verdict, row.reason) == (without["verdict"][place], without["reason"][place])
    assert len(found) == len(rows)


def test_a_missing_column_is_one_line(spark):
    frame = spark.createDataFrame([("orders", 1)], "topic string, o long")
    with pytest.raises(InputError, match="no column for partition"):
        with_spark.verdicts(frame, {}, {"offset": "o"})
