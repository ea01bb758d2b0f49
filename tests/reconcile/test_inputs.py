"""Files with records are recognized by themselves; what cannot be used ends in one line."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

from pipelines.reconciliation.clients import effects, form_of_clients
from pipelines.reconciliation.records import NO_TIME, columns_given, read_records
from pipelines.reconciliation.without_spark import verdicts
from replay.errors import InputError, ReplayError
from tests.reconcile.frames import epoch, log_of

DUMP = """Dumping /var/lib/kafka/orders-0/00000000000000000000.log
Starting offset: 0
baseOffset: 0 lastOffset: 3 count: 4 baseSequence: 0 lastSequence: 3 producerId: 7 producerEpoch: 0 partitionLeaderEpoch: 2 isTransactional: false isControl: false position: 0 CreateTime: 1795902348566 size: 95 magic: 2 compresscodec: NONE crc: 3748413492 isvalid: true
"""
CONSOLE = "CreateTime:1795902348415\tPartition:1\tOffset:12\tnull\tvalue\nProcessed a total of 1 messages\n"
PRODUCER = '{"timestamp":1795902368690,"name":"startup_complete"}\n{"timestamp":1795902369781,"name":"producer_send_success","key":null,"value":"0","offset":4,"topic":"orders","partition":1}\n'
KCAT = '{"topic":"orders","partition":0,"offset":9,"tstype":"create","ts":1795902348415,"broker":3,"key":null,"payload":"0"}\n'
TRANSACTIONS = (
    "Dumping /data/__transaction_state-0/00000000000000000000.log\n| offset: 1 CreateTime: 1795908631850 keySize: 14 valueSize: 53 sequence: -1 headerKeys: [] "
    "key: transaction_metadata::transactionalId=lab payload: producerId:0,producerEpoch:0,state=Ongoing,partitions=[orders-0],txnLastUpdateTimestamp=1795908631848,txnTimeoutMs=20000\n"
    '| offset: 2 CreateTime: 1795908769045 keySize: 14 valueSize: 37 sequence: -1 headerKeys: [] key: {"type":"0","data":{"transactionalId":"lab"}} payload: {"version":"0",'
    '"data":{"producerId":0,"producerEpoch":2,"transactionTimeoutMs":20000,"transactionStatus":4,"transactionPartitions":[{"topic":"orders","partitionIds":[0]}],'
    '"transactionLastUpdateTimestampMs":1795908769035,"transactionStartTimestampMs":1795908768623}}\n'
)
DESCRIBED = "GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG\ng  orders  0  31  32  1\n"
DECODED = "offset: 1 CreateTime: 1795902368257 key: offset_commit::group=g,partition=orders-0 payload: offset=375\n"
CLIENT = (
    "[2026-11-21 05:00:21,000] INFO [Consumer clientId=c-1, groupId=g] Resetting offset for partition orders-0 to offset 12.\n"
    "%4|1795237221.322|OFFSET|rd#consumer-1| [thrd:main]: orders [0]: offset reset (at offset 90 (leader epoch 0), broker 2) to offset BEGINNING\n"
)
CSV = "t;p;o;ts\norders;0;5;2026-11-21T05:00:00Z\n"


def _read(tmp_path: Path, text: str, **options: object) -> tuple[str, list[tuple[object, ...]]]:
    file = tmp_path / "records"
    file.write_text(text)
    found = read_records(file, **{"columns": {}, **options})  # type: ignore[arg-type]
    rows = found.frame[["topic", "partition", "offset", "ts", "leader_epoch"]]
    return found.form, [tuple(row) for row in rows.itertuples(index=False)]


def test_each_form_is_recognized_and_read(tmp_path):
    assert _read(tmp_path, DUMP) == ("kafka-dump-log", [("orders", 0, 0, 1795902348566000, 2)])
    assert _read(tmp_path, CONSOLE, topic="orders") == (
        "kafka-console-consumer",
        [("orders", 1, 12, 1795902348415000, -1)],
    )
    assert _read(tmp_path, PRODUCER)[1] == [("orders", 1, 4, 1795902369781000, -1)]
    assert _read(tmp_path, KCAT)[1] == [("orders", 0, 9, 1795902348415000, -1)]
    columns = {"topic": "t", "partition": "p", "offset": "o", "time": "ts"}
    assert _read(tmp_path, CSV, columns=columns) == ("csv", [("orders", 0, 5, 1795237200000000, -1)])
    pd.DataFrame({"topic": ["a"], "partition": [1], "offset": [2], "leader_epoch": [3]}).to_parquet(
        tmp_path / "f.parquet"
    )
    assert read_records(tmp_path / "f.parquet", {}).frame.leader_epoch.tolist() == [3]


@pytest.mark.parametrize("unit", [1, 1e3, 1e6, 1e9])
def test_times_are_read_in_any_unit(tmp_path, unit):
    text = f"topic,partition,offset,time\norders,0,5,{round(1795902348.5 * unit) if unit > 1 else 1795902348.5}\n"
    assert _read(tmp_path, text)[1][0][3] == 1795902348500000


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ("topic,partition\norders,0\n", "no column for offset"),
        ("topic,partition,offset\norders,0\n", "line 2 has 2 columns, its header 3"),
        ("topic,partition,offset\norders,zero,one\n", "no row has a topic, a partition and an offset"),
        ("topic,topic,offset,partition\na,b,1,2\n", "two columns topic"),
        (",".join(f"column{n}" for n in range(9_000)) + "\n", "its first line has more than 64 KB"),
        ("topic,partition,offset,verdict\norders,0,1,kept\n", "has a column verdict already"),
        (CONSOLE, "--topic NAME"),
        (
            '{"offsets":[{"partition":{"kafka_topic":"orders","kafka_partition":0},"offset":{"kafka_offset":4}}]}\n',
            "positions of a connector",
        ),
        ("a\0b", "is binary"),
        (
            '["inventory",{"server":"shop"}]\t{"ts_sec":1795902348,"file":"mysql-bin.000003","pos":154}\n',
            "positions in a source database (Debezium)",
        ),
    ],
)
def test_what_cannot_be_used_ends_in_one_line(tmp_path, text, problem):
    with pytest.raises(InputError) as error:
        _read(tmp_path, text)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("wrong", ["9" * 19, "9" * 400, "-1", "1e308", "inf", "nan"])
def test_a_number_that_is_no_time_is_an_unknown_time(tmp_path, wrong):
    rows = "".join(f"orders,0,{offset},{time}\n" for offset, time in enumerate((1763703280000, wrong, 1763703280000)))
    (tmp_path / "records.csv").write_text("topic,partition,offset,time\n" + rows)
    times = read_records(tmp_path / "records.csv", {}).frame.ts.tolist()
    assert times == [1763703280000000, NO_TIME, 1763703280000000]


def test_a_column_that_is_given_twice_is_named():
    with pytest.raises(InputError, match="topic=…: given twice"):
        columns_given("topic=a,topic=b")


def test_a_row_that_cannot_be_read_keeps_its_place(tmp_path):
    text = "topic,partition,offset\norders,0,1\n,0,2\norders,x,3\norders,0,-4\norders,0,99999999999999999999\n"
    file = tmp_path / "records.csv"
    file.write_text(text)
    assert read_records(file, {}).frame.is_readable.tolist() == [True, False, False, False, False]


def test_a_number_that_a_spreadsheet_rounded_is_no_offset_and_a_large_one_is_exact(tmp_path):
    text = "topic,partition,offset\norders,0,1.23457E+08\norders,0,\norders,0, 900719925474099301\norders,0,+7.0\n"
    assert [row[2] for row in _read(tmp_path, text)[1]] == [-1, -1, 900719925474099301, 7]


def test_the_reason_names_a_row_that_cannot_be_read(tmp_path):
    file = tmp_path / "records"
    file.write_text("topic,partition,offset\norders,0,1E+2\norders,0,7\n")
    columns = verdicts(read_records(file, {}), {}).columns()
    assert [reason.split(".")[0] for reason in columns["reason"].to_pylist()] == [
        "This row has no readable topic, partition and offset",
        "These logs have no line about this partition",
    ]


def test_damaged_files_end_in_one_line_or_are_read(tmp_path):
    rng = random.Random(5)
    of_records = (DUMP, CONSOLE, PRODUCER, KCAT, CSV, "topic,partition,offset\norders,0,1\n")
    for text in (*of_records, TRANSACTIONS, DESCRIBED, DECODED, CLIENT):
        for _ in range(60):
            bytes_ = bytearray(text.encode())
            for _ in range(rng.randint(1, 8)):
                place = rng.randrange(len(bytes_))
                bytes_[place : place + rng.randint(0, 3)] = bytes(rng.randrange(256) for _ in range(rng.randint(0, 4)))
            file = tmp_path / "damaged"
            file.write_bytes(bytes(bytes_))
            try:
                form = form_of_clients(file)
                if form is not None:
                    effects([(file, form)], {("orders", 0): log_of([epoch(0, 1, 0, 0), epoch(1, 2, 60, 20)])})
                else:
                    read_records(file, {}, topic="orders")
            except ReplayError as error:
                assert "\n" not in str(error)
