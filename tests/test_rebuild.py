"""A result made anew from the records that it keeps: the same lines, understood by the templates of this release."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from pipelines.cli import main
from pipelines.inputs import gather
from pipelines.kept_records import keep_none, kept
from pipelines.rebuild import rebuild
from pipelines.store import RECORDS
from replay.errors import InputError
from replay.reading import shell
from replay.tables import TABLES
from replay.tables.arrow import arrow_schema
from replay.tables.reading import PRINTED
from tests.test_append import TRACE, _other_release, bytes_of, result_of, rows_of
from tests.test_inputs import LOG, laid

TEXT = LOG + (
    "[2026-11-21 05:40:00,000] ERROR [KafkaServer id=1] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
    "java.io.IOException: gone\n\tat kafka.Kafka.main(Kafka.scala)\n"
    "[2026-11-21 05:41:00,000] INFO Nothing that is known (kafka.server.KafkaServer)\n"
)


def batch_of(text: str, layout: str = "default") -> pa.RecordBatch:
    """The records of a text as they are kept."""
    columns = shell.printed_columns(list(shell.read_text(text, shell.File("node-1/server.log", 1, layout))))
    schema = arrow_schema(PRINTED.schema)
    return pa.RecordBatch.from_arrays([pa.array(columns[field.name], field.type) for field in schema], schema=schema)


def with_nothing_understood(batch: pa.RecordBatch, *dropped: str) -> pa.RecordBatch:
    """The batch as a release kept it that knew no template, and had not some of the columns."""
    names = [name for name in batch.schema.names if name not in dropped]
    lost = {
        name: pa.nulls(len(batch), batch.schema.field(name).type) for name in ("kind", "template_id", "leader_epoch")
    }
    columns = {name: lost.get(name, batch.column(name)) for name in names}
    return pa.RecordBatch.from_arrays(list(columns.values()), names=names)


def test_lines_are_understood_as_when_they_were_read():
    batch = batch_of(TEXT)
    for kept_ in (batch, with_nothing_understood(batch, "broker_epoch", "topic_id")):
        (again,) = shell._read_again([kept_])
        assert again.to_pylist() == batch.to_pylist()
    assert any(row["kind"] for row in batch.to_pylist()) and dict(batch.to_pylist()[-2]["details"])["exception"]


def test_lines_of_files_that_testify_stay_as_they_were():
    batch = batch_of("0\n1\norders 0 17\n", "replication-offset-checkpoint")
    (again,) = shell._read_again([batch])
    assert again.to_pylist() == batch.to_pylist() and len(batch) == 3


@pytest.fixture
def result(tmp_path) -> Path:
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG})
    return result_of(gather([folder], {}, tmp_path / "work"), tmp_path / "result")


def _no_records(out: Path) -> None:
    shutil.rmtree(out / RECORDS)


def _no_part(out: Path) -> None:
    (out / RECORDS / "printed" / "part.parquet").unlink()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            _no_records,
            "keeps no records: an earlier release made it, or it was copied without them; analyze the logs again",
        ),
        (_no_part, r"the records that it keeps cannot be read \(no printed\); analyze the logs again"),
        (
            keep_none,
            r"names are replaced in it \(--redact\), so it keeps no records; analyze the logs again, with --redact",
        ),
    ],
)
def test_a_result_without_its_records_is_refused_in_one_line_and_stays(result, change, why):
    change(result)
    before = bytes_of(result)
    with pytest.raises(InputError, match=f"^{result}: {why}$"):
        rebuild(result)
    assert bytes_of(result) == before


def test_one_of_another_release_can_be_made_again(result):
    _other_release(result)
    assert kept(result, of_any_release=True).taken.texts
    with pytest.raises(InputError, match="make it again with `analyze --rebuild"):
        kept(result)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rebuild", "nowhere"), "kafka-replay: nowhere: no result of `kafka-replay analyze`"),
        (("--rebuild", "nowhere", "logs"), "Error: --rebuild reads no logs: omit INPUTS"),
        (("--rebuild", "nowhere", "--since", "07:25"), "Error: --rebuild reads no logs: omit INPUTS"),
    ],
)
def test_the_command_refuses_in_one_line(monkeypatch, capsys, arguments, said):
    monkeypatch.setattr(sys, "argv", ["kafka-replay", "analyze", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(said)


def test_a_result_made_again_has_the_tables_that_it_had(spark, result_of, tmp_path):
    whole, out = result_of(TRACE), tmp_path / "out"
    shutil.copytree(whole, out)
    _other_release(out)
    rebuild(out, spark=spark)
    for table in TABLES:
        assert rows_of(out, table.name) == rows_of(whole, table.name), table.name
    assert kept(out).taken.texts == kept(whole).taken.texts
