"""`kafka-replay rescue`: counts, files, manifest, and one clear line for tails that cannot be used."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from pipelines.commands.rescue import rescue
from replay.errors import InputError, OutputError
from replay.record_batches.batches import Record
from tests.answers.test_questions import write
from tests.record_batches.segments import batch

# Broker 1 leads epoch 0 up to offset 15 and dies; broker 2, which stopped at 10, is elected uncleanly in epoch 2.
EPOCHS = [
    {"topic": "orders", "partition": 0, "leader_epoch": 0, "leader_id": 1, "epoch_start_offset": 0, "topic_id": "Ab_1"},
    {"topic": "orders", "partition": 0, "leader_epoch": 1, "leader_id": -1},
    {
        "topic": "orders",
        "partition": 0,
        "leader_epoch": 2,
        "leader_id": 2,
        "epoch_start_offset": 10,
        "topic_id": "Ab_1",
    },
]
LOSSES = [
    {"topic": "orders", "partition": 0, "leader_epoch": 2, "loss_class": "committed", "verdict": "PROVEN_LOSS", "from_offset": 10, "to_offset_low": 15, "to_offset_high": 15, "premise": "Broker 2 begins at 10."},
]  # fmt: skip


SPANS = [
    {
        "node_id": node,
        "log": "state_change",
        "start_ts": "07:00",
        "end_ts": "08:00",
        "lines": 9,
        "complete": True,
        "evidence": [],
    }
    for node in (1, 2)
]


@pytest.fixture
def result(tmp_path: Path) -> Path:
    return write(tmp_path / "result", leader_epochs=EPOCHS, losses=LOSSES, coverage_spans=SPANS)


def segment(first: int, last: int, epoch: int = 0, at: int = 1_700_000_000_000, key: bytes | None = b"k") -> bytes:
    records = [Record(n, at + n, key, b"value %d" % n, (("n", b"%d" % n),)) for n in range(first, last)]
    return batch(records, leader_epoch=epoch)


def save(folder: Path, name: str, content: bytes) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


DEAD = "node-1/data/orders-0/00000000000000000008.log"
CLEANED = "node-1/data/cleaner-offset-checkpoint"
LEADER = "node-2/data/orders-0/00000000000000000008.log"


def test_the_lost_records_of_a_dead_leader_are_listed_and_written_in_order(result: Path, tmp_path: Path):
    tails = tmp_path / "tails"
    save(tails, DEAD, segment(8, 12) + segment(12, 15))
    save(tails, LEADER, segment(8, 10) + segment(10, 13, epoch=2, at=1_800_000_000_000))
    lines = list(rescue(result, [tails], tmp_path / "out"))
    assert lines[0] == (
        "orders-0  5 lost records on node 1: offsets 10 to 14, written 2023-11-14T22:13:20.010Z to 2023-11-14T22:13:20.014Z"
    )
    assert lines[1] == "    PROVEN_LOSS: Broker 2 begins at 10."
    assert lines[-4].startswith("5 records in ") and "Nothing was produced" in lines[-4]
    written = (tmp_path / "out" / "orders-0.jsonl").read_bytes()
    rows = [json.loads(line) for line in written.splitlines()]
    assert [(row["offset"], row["leader_epoch"], row["timestamp"] % 100) for row in rows] == [
        (n, 0, n) for n in range(10, 15)
    ]
    assert base64.b64decode(rows[0]["value"]) == b"value 10"
    assert rows[0]["headers"] == [["n", base64.b64encode(b"10").decode()]]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    (file,) = manifest["files"]
    assert (file["records"], file["first_offset"], file["last_offset"], file["nodes"]) == (5, 10, 14, [1])
    assert file["sha256"] == hashlib.sha256(written).hexdigest()
    assert manifest["records_by_verdict"] == {"orders-0": {"survived": 5, "lost": 5}}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "out").iterdir()} == {0o600}
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700


def test_without_out_nothing_is_written_and_no_payload_is_printed(result: Path, tmp_path: Path):
    save(tmp_path / "tails", DEAD, segment(8, 15))
    before = sorted(tmp_path.rglob("*"))
    lines = "\n".join(rescue(result, [tmp_path / "tails"]))
    assert "5 records can be produced again. Write them with --out DIR; nothing was written." in lines
    assert sorted(tmp_path.rglob("*")) == before
    assert "value 1" not in lines


@pytest.mark.parametrize("time", [2**63 - 1_000, -(2**62), 253_402_300_800_000])
def test_a_time_that_only_a_producer_could_set_is_no_time_of_the_list(result: Path, tmp_path: Path, time: int):
    save(tmp_path / "tails", DEAD, segment(8, 15, at=time))
    assert "5 lost records on node 1: offsets 10 to 14, written - to -" in "\n".join(
        rescue(result, [tmp_path / "tails"])
    )


def test_an_archive_is_read_as_the_folder_is(result: Path, tmp_path: Path):
    save(tmp_path / "tails", DEAD, segment(8, 15))
    with tarfile.open(tmp_path / "tails.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "tails", "saved")
    assert list(rescue(result, [tmp_path / "tails.tar.gz"])) == list(rescue(result, [tmp_path / "tails"]))


def test_a_torn_last_batch_ends_the_list_with_its_offset(result: Path, tmp_path: Path):
    save(tmp_path / "tails", DEAD, segment(8, 12) + segment(12, 15)[:-3])
    lines = list(rescue(result, [tmp_path / "tails"]))
    assert lines[0].startswith("orders-0  2 lost records on node 1: offsets 10 to 11")
    assert "node 1: readable up to offset 12: the last batch is torn" in lines[3]


def test_a_hole_between_segments_ends_the_list(result: Path, tmp_path: Path):
    save(tmp_path / "tails", DEAD, segment(8, 11))
    save(tmp_path / "tails", "node-1/data/orders-0/00000000000000000013.log", segment(13, 15))
    lines = list(rescue(result, [tmp_path / "tails"]))
    assert lines[0].startswith("orders-0  1 lost record on node 1: offsets 10 to 10")
    assert "readable up to offset 11: offsets 11 to 12 are missing" in lines[3]


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({DEAD: segment(8, 10)}, "no record of these tails is lost; the tails end at offset 10"),
        ({DEAD: b""}, "no record of these tails is lost; the tails end at offset 8"),
        ({DEAD: segment(8, 15)[:-1]}, "no record of these tails is lost; the tails end at offset 8: the last batch is torn"),
        ({DEAD: segment(8, 15), "node-1/data/orders-0/partition.metadata": b"version: 0\ntopic_id: Zz_9\n"}, "node 1 saved the topic with the id Zz_9, the result knows Ab_1"),
        ({"node-1/data/__consumer_offsets-3/00000000000000000000.log": segment(0, 2)}, "Kafka's own topic"),
        ({"node-1/data/nosuch-3/00000000000000000000.log": segment(0, 2)}, "the result knows no leader epoch"),
        ({DEAD: segment(8, 15), CLEANED: b"0\n1\norders 0 9\n"}, "a compacted topic: give the tail of its current leader too"),
        ({DEAD: segment(8, 15), CLEANED: b"0\n1\norders 0 9\n", LEADER: segment(8, 10) + segment(10, 13, epoch=2, key=b"other")}, "5 lost records"),
        ({DEAD: segment(8, 15), CLEANED: b"0\n1\norders 0 9\n", LEADER.replace("08.log", "11.log"): segment(11, 13, epoch=2)}, "give the tail of its current leader that begins at or below offset 10 too"),
        ({DEAD: segment(8, 10) + segment(12, 15), CLEANED: b"0\n1\norders 0 9\n", LEADER: segment(8, 10) + segment(10, 13, epoch=2, key=b"other")}, "3 lost records"),
    ],
)  # fmt: skip
def test_tails_that_cannot_be_produced_again_are_refused_in_one_line(files, line: str, result: Path, tmp_path: Path):
    for name, content in files.items():
        save(tmp_path / "tails", name, content)
    first = next(rescue(result, [tmp_path / "tails"], tmp_path / "out"))
    assert line in first
    if "lost record" not in line:
        assert json.loads((tmp_path / "out" / "manifest.json").read_text())["files"] == []
        assert not list((tmp_path / "out").glob("*.jsonl"))


def test_transactions_without_a_marker_are_counted_and_left_out(result: Path, tmp_path: Path):
    records = [Record(n, 0, b"k", b"v") for n in range(10, 12)]
    save(
        tmp_path / "tails", DEAD, segment(8, 10) + batch(records, producer=(5, 0, 0), attributes=0x10) + segment(12, 15)
    )
    lines = list(rescue(result, [tmp_path / "tails"], tmp_path / "out"))
    assert lines[0].startswith("orders-0  3 lost records")
    assert any(line.strip().startswith("2  unfinished: part of a transaction without a marker") for line in lines)


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"node-1/server.log": b"text"}, "no log segment"),
        ({"data/orders-0/00000000000000000000.log": segment(0, 2)}, "which node's log is it?"),
    ],
)
def test_inputs_without_segments_or_node_are_one_line(files, line: str, result: Path, tmp_path: Path):
    for name, content in files.items():
        save(tmp_path / "tails", name, content)
    with pytest.raises(InputError, match=line.replace("?", r"\?")):
        list(rescue(result, [tmp_path / "tails"]))


def test_another_cluster_is_refused(result: Path, tmp_path: Path):
    (result / "findings.json").write_text(json.dumps({"cluster": {"cluster_ids": ["mine"]}}))
    save(tmp_path / "tails", DEAD, segment(8, 15))
    save(tmp_path / "tails", "node-1/data/meta.properties", b"cluster.id=other\nnode.id=1\n")
    with pytest.raises(InputError, match="is of cluster other, the result of mine"):
        list(rescue(result, [tmp_path / "tails"]))


def test_only_an_earlier_rescue_is_overwritten(result: Path, tmp_path: Path):
    save(tmp_path / "tails", DEAD, segment(8, 15))
    out = tmp_path / "out"
    list(rescue(result, [tmp_path / "tails"], out))
    with pytest.raises(OutputError, match="exists; give another --out, or --overwrite"):
        list(rescue(result, [tmp_path / "tails"], out))
    list(rescue(result, [tmp_path / "tails"], out, overwrite=True))
    (out / "mine.txt").write_text("keep")
    with pytest.raises(OutputError, match="not written by `rescue`"):
        list(rescue(result, [tmp_path / "tails"], out, overwrite=True))
    assert (out / "mine.txt").read_text() == "keep"


def test_without_a_tail_of_the_current_leader_copies_are_not_recognized_and_the_report_says_so(
    result: Path, tmp_path: Path
):
    save(tmp_path / "tails", DEAD, segment(8, 15))
    note = "no tail of the leader of epoch 2: records that it got again from their producers are listed too"
    assert note in "\n".join(rescue(result, [tmp_path / "tails"]))
    save(tmp_path / "tails", LEADER, segment(8, 10) + segment(10, 13, epoch=2, at=1_800_000_000_000))
    assert note not in "\n".join(rescue(result, [tmp_path / "tails"]))


def test_a_topic_that_is_said_to_be_compacted_is_read_over_its_holes(result: Path, tmp_path: Path):
    save(tmp_path / "tails", DEAD, segment(8, 11) + segment(13, 15))
    save(tmp_path / "tails", LEADER, segment(8, 10) + segment(10, 13, epoch=2, key=b"other"))
    assert next(rescue(result, [tmp_path / "tails"])).startswith("orders-0  1 lost record on")
    assert next(rescue(result, [tmp_path / "tails"], compacted=["orders"])).startswith("orders-0  3 lost records on")


def test_a_disk_that_cannot_be_read_ends_the_list_there(result: Path, tmp_path: Path, monkeypatch):
    save(tmp_path / "tails", DEAD, segment(8, 12))
    second = save(tmp_path / "tails", DEAD.replace("08.log", "12.log"), segment(12, 15))
    own = Path.open

    def broken(path: Path, mode: str = "r", *args, **more):
        if path == second and mode == "rb":
            raise OSError(5, "Input/output error", str(path))
        return own(path, mode, *args, **more)

    monkeypatch.setattr(Path, "open", broken)
    lines = list(rescue(result, [tmp_path / "tails"], tmp_path / "out"))
    assert lines[0].startswith("orders-0  2 lost records on node 1: offsets 10 to 11")
    assert "readable up to offset 12: 00000000000000000012.log cannot be read (Input/output error)" in "\n".join(lines)


def test_a_pipe_or_a_link_is_no_tail(result: Path, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="neither a folder nor a file"):
        list(rescue(result, [tmp_path / "pipe"]))
    save(tmp_path / "other", DEAD, segment(8, 15))
    folder = save(tmp_path / "tails", DEAD, b"").parent
    (folder / "00000000000000000008.log").unlink()
    (folder / "00000000000000000008.log").symlink_to(tmp_path / "other" / DEAD)
    os.mkfifo(folder / "00000000000000000009.log")
    (tmp_path / "tails" / "node-1" / "more").symlink_to(tmp_path / "other")
    with pytest.raises(InputError, match="no log segment"):
        list(rescue(result, [tmp_path / "tails"]))


def test_a_topic_without_tails_is_an_error(result: Path, tmp_path: Path):
    save(tmp_path / "tails", DEAD, segment(8, 15))
    with pytest.raises(InputError, match="nosuch: no log segment of this topic"):
        list(rescue(result, [tmp_path / "tails"], topics=["nosuch"]))


def test_the_producer_checks_the_files_first(result: Path, tmp_path: Path):
    save(tmp_path / "tails", DEAD, segment(8, 15))
    out = tmp_path / "out"
    list(rescue(result, [tmp_path / "tails"], out))
    check = [sys.executable, str(out / "produce.py"), "--bootstrap-servers", "127.0.0.1:1", "--dry-run"]
    assert subprocess.run(check, capture_output=True, text=True, check=True).stdout == "5 records in 1 files\n"
    with (out / "orders-0.jsonl").open("a") as stream:
        stream.write("{}\n")
    changed = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (changed.returncode, changed.stderr) == (1, "orders-0.jsonl: changed since it was written; make it again\n")


HEAD = "baseOffset: {0} lastOffset: {0} count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 isTransactional: false isControl: false position: 0 CreateTime: 1 size: 9 magic: 2 compresscodec: none crc: 3 isvalid: true"
RECORD = "| offset: {0} CreateTime: 17{0} keySize: -1 valueSize: 2 sequence: -1 headerKeys: [] payload: {0}"
DUMP = "\n".join(
    [
        "Dumping /var/lib/kafka/orders-0/00000000000000000000.log",
        "Log starting offset: 0",
        *(line.format(offset) for offset in range(10, 13) for line in (HEAD, RECORD)),
        "",
    ]
)


def test_the_text_of_kafka_dump_log_serves_as_a_tail(result: Path, tmp_path: Path):
    save(tmp_path / "tails", "node-1/orders-0.txt", DUMP.encode())
    lines = list(rescue(result, [tmp_path / "tails"], tmp_path / "out"))
    assert lines[0].startswith("orders-0  3 lost records on node 1: offsets 10 to 12")
    rows = [json.loads(line) for line in (tmp_path / "out" / "orders-0.jsonl").read_text().splitlines()]
    assert [base64.b64decode(row["value"]) for row in rows] == [b"10", b"11", b"12"]
    save(tmp_path / "tails", "node-1/orders-0.txt", DUMP.replace("headerKeys: []", "headerKeys: [h]").encode())
    lines = list(rescue(result, [tmp_path / "tails"], tmp_path / "out", overwrite=True))
    assert "3 lost records, and the dump prints no header values: give the log segments" in lines[0]
    assert not list((tmp_path / "out").glob("*.jsonl"))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda text: text + text.replace("orders-0", "clicks-3"), "the dump has clicks-3 too: give one file for each partition"),
        (lambda text: "\n".join(line for line in text.splitlines() if line[0] != "|"), "no record of these tails is lost"),
        (lambda text: text.replace("count: 1", "count: 2", 1), "the dump prints no records (--print-data-log) or not all"),
        (lambda text: text + text, "offset 10 follows 12"),
    ],
)  # fmt: skip
def test_a_dump_that_is_not_the_log_of_one_partition_is_refused(change, line: str, result: Path, tmp_path: Path):
    save(tmp_path / "tails", "node-1/orders-0.txt", change(DUMP).encode())
    lines = list(rescue(result, [tmp_path / "tails"], tmp_path / "out"))
    assert any(line in one for one in lines), lines
