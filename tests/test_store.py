"""Results appear whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.result import Result
from pipelines.scratch import work_folder
from pipelines.store import StoppedAfter, Store, result_folder, write_json
from replay.errors import OutputError

SESSION = SimpleNamespace(conf={"spark.sql.shuffle.partitions": "1"})  # a store needs no more of it to look for files


def test_a_result_appears_when_its_block_ends(tmp_path):
    with result_folder(tmp_path / "a" / "out", overwrite=False) as folder:
        (folder / "report.html").write_text("page")
        assert not (tmp_path / "a" / "out").exists()
    assert os.listdir(tmp_path / "a") == ["out"]
    assert (tmp_path / "a" / "out" / "report.html").read_text() == "page"


def test_nothing_stays_of_a_block_that_fails(tmp_path):
    with pytest.raises(ValueError), result_folder(tmp_path / "out", overwrite=False) as folder:
        (folder / "report.html").write_text("page")
        raise ValueError
    assert os.listdir(tmp_path) == []


def test_an_earlier_result_is_replaced_whole(tmp_path):
    for text in ("old", "new"):
        with result_folder(tmp_path / "out", overwrite=True) as folder:
            (folder / "findings.json").write_text(text)
            if text == "old":
                (folder / "report.html").write_text(text)
    assert os.listdir(tmp_path) == ["out"]
    assert os.listdir(tmp_path / "out") == ["findings.json"]
    assert (tmp_path / "out" / "findings.json").read_text() == "new"


def test_a_full_disk_is_an_output_error(tmp_path):
    with (
        pytest.raises(OutputError, match="No space left on device; free space"),
        result_folder(tmp_path / "out", overwrite=False),
    ):
        raise OSError(28, "No space left on device")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("place", [lambda path: result_folder(path / "out", overwrite=False), work_folder])
def test_a_folder_that_another_process_removes_is_named_in_one_line(tmp_path, place):
    with (
        pytest.raises(OutputError, match="another process removed this folder of the run in progress"),
        place(tmp_path) as folder,
    ):
        shutil.rmtree(folder)
        Store(SESSION, folder, folder).parts("events")
    assert os.listdir(tmp_path) == []


def test_json_is_the_same_for_the_same_value(tmp_path):
    for name in ("a", "b"):
        write_json(tmp_path / name, {"z": [1, {"y": None}], "a": "é", "o": {"n": [2, 3]}, "e": []})
    assert (
        (tmp_path / "a").read_bytes()
        == (tmp_path / "b").read_bytes()
        == b'{\n "z": [\n  1,\n  {"y": null}\n ],\n "a": "\xc3\xa9",\n "o": {\n  "n": [2, 3]\n },\n "e": []\n}\n'
    )


def test_what_another_run_put_there_meanwhile_stays(tmp_path):
    """As of two `append` at once: each starts from the same records, and the slower one knows nothing of the other's."""
    with result_folder(tmp_path / "out", overwrite=True) as folder:
        (folder / "findings.json").write_text("first")
    file = tmp_path / "out" / "findings.json"
    faster = pytest.raises(
        OutputError, match=r"out: another run replaced it at the same time; the result was made and lies in"
    )
    with faster as told, result_folder(tmp_path / "out", True, (file, b"first")) as folder:
        (folder / "findings.json").write_text("slower")
        with result_folder(tmp_path / "out", True, (file, b"first")) as other:
            (other / "findings.json").write_text("faster")
    assert file.read_text() == "faster"
    assert Path(str(told.value).rsplit(" ", 1)[1], "findings.json").read_text() == "slower"


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_result_replaces_another_with_and_without_an_exchange_in_one_step(tmp_path, monkeypatch, can_exchange):
    if not can_exchange:
        monkeypatch.setattr("pipelines.store.exchange", lambda one, other: False)
    for text in ("old", "new"):
        with result_folder(tmp_path / "out", overwrite=True) as folder:
            (folder / "report.html").write_text(text)
    assert os.listdir(tmp_path) == ["out"]
    assert (tmp_path / "out" / "report.html").read_text() == "new"


def test_the_current_folder_takes_a_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in ("old", "new"):
        with result_folder(Path("."), overwrite=True) as folder:
            (folder / "report.html").write_text(text)
            (folder / "tables" / text).mkdir(parents=True)
    assert sorted(os.listdir(tmp_path)) == ["report.html", "tables"]
    assert (os.listdir("tables"), Path("report.html").read_text()) == (["new"], "new")


def test_a_mount_point_takes_a_result(tmp_path, monkeypatch):
    (tmp_path / "out" / "lost+found").mkdir(parents=True)
    monkeypatch.setattr("os.path.ismount", lambda path: Path(path) == tmp_path / "out")
    inode = (tmp_path / "out").stat().st_ino
    with result_folder(tmp_path / "out", overwrite=False) as folder:
        (folder / "report.html").write_text("page")
    assert (tmp_path / "out").stat().st_ino == inode
    assert sorted(os.listdir(tmp_path / "out")) == ["lost+found", "report.html"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk" / "result")
    with result_folder(tmp_path / "out", overwrite=False) as folder:
        (folder / "report.html").write_text("page")
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "disk" / "result" / "report.html").read_text() == "page"


@pytest.mark.parametrize("file", ["notes.txt", "tables/notes.txt"])
def test_a_file_that_appeared_meanwhile_is_kept_and_the_result_lies_beside(tmp_path, file):
    with (
        pytest.raises(OutputError, match=r"out: holds .*notes.txt, .*the result was made and lies in (\S+)") as told,
        result_folder(tmp_path / "out", overwrite=True) as folder,
    ):
        (folder / "report.html").write_text("page")
        (tmp_path / "out" / file).parent.mkdir(parents=True)
        (tmp_path / "out" / file).write_text("mine")
    beside = Path(str(told.value).rsplit(" ", 1)[1])
    assert (tmp_path / "out" / file).read_text() == "mine"
    assert (beside / "report.html").read_text() == "page"
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.parametrize("renames_nothing", [False, True])
def test_a_result_that_cannot_be_put_in_its_place_is_not_thrown_away(tmp_path, monkeypatch, renames_nothing):
    rename = Path.rename

    def refused(self, target):
        if renames_nothing or Path(target) == tmp_path / "out":
            raise OSError(errno.EBUSY, "Device or resource busy")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refused)
    busy = pytest.raises(OutputError, match="busy; the result was made and lies in")
    with busy as told, result_folder(tmp_path / "out", overwrite=False) as folder:
        (folder / "report.html").write_text("page")
    assert Path(str(told.value).rsplit(" ", 1)[1], "report.html").read_text() == "page"


def test_a_result_comes_to_its_place_without_renames_of_folders_modes_and_locks(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(Path, "rename", refused)
    monkeypatch.setattr(Path, "chmod", refused)
    monkeypatch.setattr("fcntl.flock", refused)
    monkeypatch.setattr("pipelines.store.exchange", lambda one, other: False)
    for page in ("earlier", "page"):
        with result_folder(tmp_path / "out", overwrite=True) as folder:
            (folder / "report.html").write_text(page)
        assert (tmp_path / "out" / "report.html").read_text() == page and os.listdir(tmp_path) == ["out"]


def test_what_a_killed_run_left_is_cleared_and_what_it_had_moved_aside_put_back(tmp_path):
    for name in (".out-kafka-replay-aaaaaaaa/tables", ".out-kafka-replay-bbbbbbbb/earlier"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / ".out-kafka-replay-bbbbbbbb/earlier/report.html").write_text("earlier")
    with pytest.raises(ValueError), result_folder(tmp_path / "out", overwrite=True):
        raise ValueError
    assert os.listdir(tmp_path) == ["out"]
    assert (tmp_path / "out" / "report.html").read_text() == "earlier"


@pytest.mark.parametrize("can_exchange", [True, False])
def test_who_is_asked_to_end_as_the_earlier_result_goes_has_the_new_one(tmp_path, monkeypatch, can_exchange):
    def stopped(old, out):
        raise KeyboardInterrupt

    with result_folder(tmp_path / "out", overwrite=True) as folder:
        (folder / "report.html").write_text("old")
    if not can_exchange:
        monkeypatch.setattr("pipelines.store.exchange", lambda one, other: False)
    monkeypatch.setattr("pipelines.store._emptied", stopped)
    with pytest.raises(StoppedAfter) as told, result_folder(tmp_path / "out", overwrite=True) as folder:
        (folder / "report.html").write_text("new")
    assert (told.value.out, (tmp_path / "out" / "report.html").read_text()) == (tmp_path / "out", "new")
    assert not can_exchange or os.listdir(tmp_path) == ["out"]


def test_who_is_asked_to_end_before_has_the_earlier_result_and_nothing_else(tmp_path):
    with result_folder(tmp_path / "out", overwrite=True) as folder:
        (folder / "report.html").write_text("old")
    with pytest.raises(KeyboardInterrupt) as told, result_folder(tmp_path / "out", overwrite=True):
        raise KeyboardInterrupt
    assert not isinstance(told.value, StoppedAfter)
    assert (os.listdir(tmp_path), (tmp_path / "out" / "report.html").read_text()) == (["out"], "old")


def test_nothing_is_in_a_list_without_values(tmp_path):
    for table in ("events", "findings"):
        (tmp_path / "tables" / table).mkdir(parents=True)
    pq.write_table(pa.table({"event_id": ["a:1"]}), tmp_path / "tables" / "events" / "part-0.parquet")
    read = partial(Result(tmp_path).read, "events", ["event_id"])
    assert (read([("event_id", "in", ["a:1"])]).num_rows, read([("event_id", "in", [])]).num_rows) == (1, 0)
