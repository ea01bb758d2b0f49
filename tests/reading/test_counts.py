"""What became of the records: every one is accounted for; texts come out of Spark as they do out of plain Python."""

from __future__ import annotations

import time

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.facts.window import ALL_TIME, TimeWindow
from replay.reading.counts import COLUMNS, Counts, is_foreign, normalized
from replay.reading.shell import File, read, read_text
from replay.reading.witnesses import HOST_LOG
from replay.tables import COVERAGE, SETTINGS, UNMATCHED
from replay.tables.arrow import to_arrow
from replay.tables.reading import PRINTED
from tests.each import for_each
from tests.tables import rows, same_rows
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


def counted(frame: DataFrame, window: TimeWindow = ALL_TIME, rows_at_once: int = 1_000) -> Counts:
    """The records of a frame, counted in batches."""
    counts = Counts(window)
    for batch in frame.select(*COLUMNS).toArrow().to_batches(rows_at_once):
        counts.add(batch)
    return counts


def test_records_are_matched_or_unmatched(printed):
    found = [{"source_file": name, "node_id": None, "layout": "default"} for name in [*TEXTS, "silent.log"]]
    files = {row.source_file: row for row in counted(printed).coverage(found)}
    silent = files.pop("silent.log")
    assert (silent.log_records, silent.secrets_hidden, silent.layout) == (0, 0, "default")
    assert files.keys() == TEXTS.keys()
    assert all(row.log_records == row.matched + row.unmatched for row in files.values())
    assert all(files[name].log_records == len(SAID) for name in FIRST_LINES)


def test_what_a_host_says_is_counted_and_has_no_part_in_the_logs_times(spark):
    line = "2026-10-01T05:37:33+0000 kafka-1 kernel: EXT4-fs (dm-17): Remounting filesystem read-only\n"
    printed = read(
        spark.createDataFrame([("a", line), ("b", text_of(FIRST_LINES["default"]))], "path string, value string"),
        {"a": File("kernel.log", 1, HOST_LOG), "b": File("server.log", 1, "default")},
    ).withColumn("ts", F.col("raw_ts"))
    told = {row.source_file: row for row in counted(printed).coverage([])}
    assert (told["kernel.log"].log_records, told["kernel.log"].first_ts, told["kernel.log"].last_ts) == (2, None, None)
    assert told["server.log"].first_ts is not None


def test_settings_are_those_of_the_dump_under_a_record(printed):
    told = counted(printed.where("source_file = 'default'")).settings()
    assert {(row.name, row.value, row.event_id) for row in told} == {
        ("broker.id", "1", "default:7"),
        ("min.insync.replicas", "2", "default:7"),
    }


OF_TWO_FILES = """
    event_id | ts       | node_id | source_file  | line_number | level | logger  | kind           | message  | details
    a.log:1  | 10:00:00 | 1       | a.log        | 1           | WARN  | kafka.X | | Slow 7 | name=x
    a.log:2  | 10:00:01 | 1       | a.log        | 2           | WARN  | kafka.X | | Slow 8 | name=x
    a.log:3  | 10:00:02 | 1       | a.log        | 3           | INFO  | com.y.Y | | Odd    | name=x
    b.log:1  | 10:00:03 | 2       | b.log        | 1           | WARN  | kafka.X | | Slow 9 | name=x
    b.log:2  |          | 2       | b.log        | 2           |       |         | server_setting | min.insync.replicas=2 | name=min.insync.replicas,value=2 """


def test_counts_of_parts_are_merged_to_the_counts_of_all():
    """As Spark's workers count: each its own records, in any order."""
    *records, setting = rows(PRINTED, OF_TWO_FILES)
    records.append(setting.but(details={"name": "min.insync.replicas", "value": "2"}))

    def counts_of(some) -> Counts:
        counts = Counts()
        for batch in to_arrow(PRINTED, some).to_batches():
            counts.add(batch)
        return counts

    whole, merged = counts_of(records), Counts()
    for turn in (1, 0, 2):
        some = counts_of(records[turn::3])
        merged.merge(some.coverage(()), some.unmatched(), some.settings())
    for name in ("unmatched", "settings"):
        made, expected = (sorted(map(repr, getattr(counts, name)())) for counts in (merged, whole))
        assert made == expected != [], name
    assert sorted(map(repr, merged.coverage(()))) == sorted(map(repr, whole.coverage(())))
    assert [(one.count, one.example, one.evidence) for one in merged.unmatched() if "Slow" in one.example] == [
        (3, "Slow 7", ["a.log:1"])
    ]


@pytest.mark.parametrize("rows_at_once", [1, 2, 100])
def test_batches_of_any_size_are_counted_alike(rows_at_once):
    """The first record of a wording, by its place, is its example; a file keeps the times that lie in the window."""
    records = rows(
        PRINTED,
        """
        source_file | line_number | node_id | layout | ts       | kind           | level | logger       | message
        b.log       | 9           | 2       | json   | 10:00:09 |                | WARN  | kafka.Server | no 17 of orders-3
        a.log       | 7           | 1       | json   | 10:00:07 | broker_started | INFO  | kafka.Server | started
        a.log       | 4           | 1       | json   | 10:00:04 |                | WARN  | kafka.Server | no 5 of clicks-0
        a.log       | 2           | 1       | json   |          |                | WARN  | com.Shop     | sold out
        a.log       | 1           |         | json   | 10:00:01 |                |       |              | sold out
        x.props     | 1           | 1       | props  |          | server_setting |       |              | any """,
    )
    records[5] = records[5].but(details={"name": "min.insync.replicas", "value": "2"})
    counts = Counts(TimeWindow(since=records[2].ts, until=records[0].ts))
    for batch in to_arrow(PRINTED, records).select(COLUMNS).to_batches(rows_at_once):
        counts.add(batch)
    same_rows(
        counts.coverage([{"source_file": "gone.log", "node_id": 3, "layout": "default"}]),
        COVERAGE,
        """
        source_file | node_id | layout  | log_records | matched | unmatched | foreign | first_ts | last_ts
        b.log       | 2       | json    | 1           | 0       | 1         | 0       |          |
        a.log       | 1       | json    | 3           | 1       | 2         | 1       | 10:00:04 | 10:00:07
        a.log       |         | json    | 1           | 0       | 1         | 0       |          |
        x.props     | 1       | props   | 1           | 1       | 0         | 0       |          |
        gone.log    | 3       | default | 0           | 0       | 0         | 0       |          |     """,
    )
    same_rows(
        counts.unmatched(),
        UNMATCHED,
        """
        normalized | logger       | level | foreign | count | first_ts | last_ts  | example          | evidence
        no <n> of <…> | kafka.Server | WARN  | false | 2     | 10:00:04 | 10:00:09 | no 5 of clicks-0 | a.log:4
        sold out   | com.Shop     | WARN  | true    | 1     |          |          | sold out         | a.log:2
        sold out   |              |       | false   | 1     | 10:00:01 | 10:00:01 | sold out         | a.log:1 """,
    )
    same_rows(counts.settings(), SETTINGS, "node_id | ts | name | value\n 1 | | min.insync.replicas | 2")


@for_each(
    ("logger", "layout", "foreign"),
    [
        ("kafka.server.KafkaServer", "default", False),
        ("o.a.k.c.Metadata", "default", False),
        ("state.change.logger", "default", False),
        ("org.apache.zookeeper.ZooKeeper", "default", True),
        ("kafkaesque.Castle", "default", True),
        ("KafkaServer", "default", False),
        ("QuorumPeer", "zookeeper", True),
        ("logger", "default", False),
        ("main", "default", True),
        (None, "zookeeper", False),
        ("KafkaServer", None, False),
    ],
)
def test_a_class_without_package_is_kafkas_unless_zookeeper_prints_it(logger, layout, foreign):
    assert is_foreign(logger, layout) is foreign


@for_each(
    ("message", "wording"),
    [
        ("Created log for partition orders-0 in /data1", "Created log for partition <…> in /data<n>"),
        ("[Log dir=/d] took 17 ms (of '3' ms)", "<…> took <n> ms <…>"),
        ("kafka-producer-network-thread-12x at -5", "<…>x at -<n>"),
        ("a-1-b", "<…>-b"),
        ("-12 of --12", "-<n> of <…>"),
        ("x" * 400, "x" * 300),
    ],
)
def test_a_wording_is_a_message_without_its_names_and_numbers(message, wording):
    assert normalized(message) == wording


@for_each("part", ["a", "a-", "-", "[", "(", "'", "[(", "a.b_c-d ", "1-", "a-1-"])
def test_a_message_of_any_length_is_normalized_in_linear_time(part):
    began = time.process_time()
    normalized(part * 100_000)
    assert time.process_time() - began < 5
