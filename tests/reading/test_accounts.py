"""What became of the records: every one is accounted for; texts come out of Spark as they do out of plain Python."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from replay.reading.accounts import FILES, coverage, is_foreign, settings
from replay.reading.shell import File, read, read_text
from replay.reading.witnesses import HOST_LOG
from tests.written import FIRST_LINES, SAID, WRAPPED, text_of, wrapped

TEXTS = {
    **{name: (name, text_of(first_line) + "[garbage") for name, first_line in FIRST_LINES.items()},
    **{
        f"{name}+default": (f"{name}+default", wrapped(text_of(FIRST_LINES["default"]), wrap))
        for name, wrap in WRAPPED.items()
    },
    "orders-0/leader-epoch-checkpoint": ("leader-epoch-checkpoint", "0\n1\n3 17\n"),
}
FILES_READ = {f"{number}.log": File(name, 1, layout) for number, (name, (layout, _)) in enumerate(TEXTS.items())}


@pytest.fixture(scope="module")
def printed(spark):
    texts = [(path, TEXTS[file.source_file][1]) for path, file in FILES_READ.items()]
    frame = read(spark.createDataFrame([*texts, ("other", "not asked for")], "path string, value string"), FILES_READ)
    return frame.localCheckpoint()


def test_spark_gives_what_plain_python_reads(printed):
    told = {row.event_id: row for row in printed.collect()}
    records = [r for file in FILES_READ.values() for r in read_text(TEXTS[file.source_file][1], file)]
    assert told.keys() == {record.event_id for record in records}
    for record in records:
        row = told[record.event_id]
        assert (row.message, row.kind, row.details, row.secrets_hidden) == (
            record.message,
            record.kind,
            record.details,
            record.secrets_hidden,
        )
        assert {name: row[name] for name in record.columns} == dict(record.columns)
        assert [tuple(setting) for setting in row.settings] == [tuple(setting) for setting in record.settings]
        assert (row.raw_ts is None) is (record.raw_ts is None)


def test_records_are_matched_or_unmatched(spark, printed):
    found = spark.createDataFrame([(name, None, "default") for name in [*TEXTS, "silent.log"]], FILES)
    counted = {row.source_file: row for row in coverage(printed, found).collect()}
    silent = counted.pop("silent.log")
    assert (silent.log_records, silent.secrets_hidden, silent.layout) == (0, 0, "default")
    assert counted.keys() == TEXTS.keys()
    assert all(row.log_records == row.matched + row.unmatched for row in counted.values())
    assert all(counted[name].log_records == len(SAID) for name in FIRST_LINES)


def test_what_a_host_says_is_counted_and_has_no_part_in_the_logs_times(spark):
    line = "2026-10-01T05:37:33+0000 kafka-1 kernel: EXT4-fs (dm-17): Remounting filesystem read-only\n"
    printed = read(
        spark.createDataFrame([("a", line), ("b", text_of(FIRST_LINES["default"]))], "path string, value string"),
        {"a": File("kernel.log", 1, HOST_LOG), "b": File("server.log", 1, "default")},
    ).withColumn("ts", F.col("raw_ts"))
    told = {row.source_file: row for row in coverage(printed, spark.createDataFrame([], FILES)).collect()}
    assert (told["kernel.log"].log_records, told["kernel.log"].first_ts, told["kernel.log"].last_ts) == (2, None, None)
    assert told["server.log"].first_ts is not None


def test_settings_are_those_of_the_dump_under_a_record(printed):
    told = settings(printed.where("source_file = 'default'")).collect()
    assert {(row.name, row.value, row.event_id) for row in told} == {
        ("broker.id", "1", "default:7"),
        ("min.insync.replicas", "2", "default:7"),
    }


def test_a_class_without_package_is_kafkas_unless_zookeeper_prints_it(printed):
    foreign = {row.source_file for row in printed.where(is_foreign()).select("source_file").distinct().collect()}
    assert foreign == {"zookeeper", "zookeeper-3.3"}
