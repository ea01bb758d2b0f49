"""Kafka's logs as a data source of Spark."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from pipelines import kafka_log
from pipelines.inputs import gather
from pipelines.reading import records_here
from tests.golden import TRACES, inputs_of

TRACE = TRACES / "leader-epochs-by-hand"


@pytest.fixture(scope="module")
def registered(spark):
    kafka_log.register(spark)
    return spark


def _plainly(path: Path, work: Path) -> list[tuple]:
    """The rows as the plain reader tells them, without Spark."""
    return [
        (
            record.node_id,
            record.micros,
            record.level,
            record.logger,
            record.template_id,
            record.kind,
            {
                name: _text(value)
                for name, value in {**record.columns, **(record.details or {})}.items()
                if value is not None
            },
            record.message,
            record.source_file,
            record.line_number,
        )
        for record in records_here(gather([path], {}, work))
    ]


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def test_the_data_source_reads_what_the_plain_reader_reads(registered, tmp_path):
    read = registered.read.format("kafka_log").load(str(inputs_of(TRACE)))
    columns = "node_id ts level logger template_id kind fields message source_file line_number"
    assert read.columns == columns.split()
    rows = [tuple(row) for row in read.selectExpr("node_id", "unix_micros(ts) as ts", *read.columns[2:]).collect()]
    expected = _plainly(inputs_of(TRACE), tmp_path / "work")
    assert len(expected) > 30 and sum(row[4] is not None for row in expected) > 20
    assert sorted(rows, key=lambda row: row[-2:]) == sorted(expected, key=lambda row: row[-2:])
    files = {row[-2] for row in expected}
    assert read.rdd.getNumPartitions() == len(files) > 2


def test_a_file_that_grew_is_read_again(registered, tmp_path):
    log = tmp_path / "node-1" / "server.log"
    log.parent.mkdir()
    line = "[2026-11-21 05:38:34,080] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n"
    log.write_text(line)
    read = registered.read.format("kafka_log").load(str(tmp_path))
    assert [(row.node_id, row.kind) for row in read.collect()] == [(1, "broker_started")]
    log.write_text(line * 2)
    assert [row.line_number for row in registered.read.format("kafka_log").load(str(tmp_path)).collect()] == [1, 2]


def test_a_path_that_cannot_be_read_is_refused(registered, tmp_path):
    for path, reason in ((str(tmp_path / "none"), "no such file or folder"), ("s3a://bucket/logs", "not URLs")):
        with pytest.raises(Exception, match=reason):
            registered.read.format("kafka_log").load(path).collect()


def test_what_others_put_into_a_shared_folder_is_never_run_or_believed(tmp_path):
    reader = kafka_log._Reader(str(inputs_of(TRACE)), None, tmp_path)
    pieces = [(piece.path, piece.file) for piece in reader.partitions()]
    (kept,) = (file for file in tmp_path.iterdir() if file.is_file())
    assert pieces == [(piece.path, piece.file) for piece in reader.partitions()]
    assert len(list(tmp_path.iterdir())) == 2  # the second query found what the first one wrote
    planted = kept.read_text().replace(pieces[0][0], "/etc/passwd")
    for content, mode in ((planted.encode(), 0o646), (pickle.dumps([1]), 0o644), (b"[5]", 0o644), (b"", 0o644)):
        kept.write_bytes(content)
        kept.chmod(mode)
        assert [piece.file for piece in reader.partitions()] == [file for _, file in pieces]
        kept.unlink()
        kept.symlink_to(tmp_path / "elsewhere")
        assert [piece.file for piece in reader.partitions()] == [file for _, file in pieces]
