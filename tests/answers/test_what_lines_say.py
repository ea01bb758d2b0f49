"""What the records of a run say: from its Parquet files, redacted or not, few or many."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.answers import lines
from pipelines.memory_store import MemoryStore
from pipelines.redaction import Redaction
from replay.knowledge.library import library
from replay.reading.records import records_of
from replay.reading.shell import printed_columns
from replay.tables.arrow import arrow_schema
from replay.tables.reading import PRINTED

FAILS = """\
[2024-01-01 10:00:00,000] ERROR [ReplicaManager broker=1] Error processing append operation on partition payroll-0 (kafka.server.ReplicaManager)
java.net.UnknownHostException: vault.acme.example: vault.acme.example: Name or service not known
[2024-01-01 10:00:01,000] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)
"""


def laid_down(folder: Path, text: str) -> Path:
    columns = printed_columns(list(records_of(text, source_file="server.log", node_id=1, layout="default")))
    schema = arrow_schema(PRINTED.schema)
    folder.mkdir()
    pq.write_table(pa.table({f.name: pa.array(columns[f.name], f.type) for f in schema}), folder / "part-0.parquet")
    return folder


def store_of(folder: Path) -> MemoryStore:
    """The records of Parquet files, as a run holds them."""
    store = MemoryStore()
    batches = (batch for part in sorted(folder.glob("*")) for batch in pq.read_table(part).to_batches())
    store.write_batches("records", PRINTED, batches)
    return store


def test_records_of_a_run_are_explained_with_what_stands_under_them(tmp_path):
    answer = lines.of_run(store_of(laid_down(tmp_path / "records", FAILS)), [])
    (told,) = answer.told
    assert told.subject == "broker 1" and "vault.acme.example" in told.says + told.because
    assert (answer.records, told.where, told.first.isoformat()) == (2, "server.log:1", "2024-01-01T10:00:00+00:00")


def test_redacted_records_contain_no_name(tmp_path):
    Redaction().records(laid_down(tmp_path / "read", FAILS), tmp_path / "records")
    answer = lines.of_run(store_of(tmp_path / "records"), [])
    assert answer.told[0].subject == "broker 1"
    assert not any(name in str(answer.as_json()) for name in ("vault", "acme", "payroll"))


def test_in_redacted_records_the_settings_of_a_start_name_no_host(tmp_path):
    starts = (
        "[2024-01-01 10:00:00,000] INFO KafkaConfig values: \n"
        "\tcontroller.quorum.voters = [101@vault-1.acme.example:9093, 102@vault-2.acme.example:9093]\n"
        "\tprocess.roles = [broker]\n (kafka.server.KafkaConfig)\n"
    )
    Redaction().records(laid_down(tmp_path / "read", starts), tmp_path / "records")
    (settings,) = (
        row for row in pq.read_table(tmp_path / "records").column("settings").to_pylist() if row is not None and row
    )
    values = {one["name"]: one["value"] for one in settings}
    assert values["process.roles"] == "[broker]"
    assert values["controller.quorum.voters"].startswith("[101@") and "acme" not in values["controller.quorum.voters"]


def test_of_many_records_the_loud_ones_are_read_and_what_is_left_out_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_ALL", 100)
    monkeypatch.setattr(lines, "_FIRST_OF_A_FILE", 10)
    calm = "".join(
        f"[2024-01-01 09:{n // 60:02d}:{n % 60:02d},000] INFO said {n} (kafka.log.Log)\n" for n in range(300)
    )
    loud = "".join(
        f"[2024-01-01 10:{n // 60:02d}:{n % 60:02d},000] ERROR Error while accepting connection (kafka.network.Acceptor)\n"
        for n in range(250)
    )
    answer = lines.of_run(store_of(laid_down(tmp_path / "records", calm + loud + FAILS)), [])
    assert answer.records == 552
    assert {one.key: (one.count, one.is_least) for one in answer.told}["accept-failed"] == (200, True)
    assert [one.is_least for one in answer.told if one.key != "accept-failed"] == [False]
    assert any(note.startswith("50 more lines at WARN or above say the same") for note in answer.notes)
    assert any("vault" in one.says + one.because for one in answer.told)


def test_of_more_than_8000_records_every_sign_below_warn_is_read(tmp_path):
    calm = [
        f"[2024-01-01 09:{n // 60 % 60:02d}:{n % 60:02d},000] INFO said {n} (kafka.log.Log)\n" for n in range(8_300)
    ]
    examples = [sign.example for sign in library().signs if sign.example.startswith("INFO ")]
    signs = [f"[2024-01-01 12:00:00,000] {one}\n" for one in examples]
    heads = [*accumulate((one.count("\n") for one in signs), initial=len(calm) + 1)][:-1]
    store = store_of(laid_down(tmp_path / "records", "".join(calm + signs)))
    chosen, left_out, total = lines._to_explain(store)
    assert total == len(calm) + len(signs) > lines._ALL and len(signs) >= 20
    assert chosen.num_rows < 500 and left_out == 0
    kept = set(chosen["line_number"].to_pylist())
    assert {*range(1, lines._FIRST_OF_A_FILE + 1), *heads} <= kept


@pytest.mark.parametrize("text", ["", "\n", "[2024-01-01 10:00:01,000] INFO started (kafka.server.KafkaServer)\n"])
def test_records_without_trouble_show_none(tmp_path, text):
    records = text.strip()
    store = store_of(laid_down(tmp_path / "records", text) if records else tmp_path)
    assert not lines.of_run(store, []).is_trouble
