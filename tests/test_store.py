"""Results appear whole or not at all."""

from __future__ import annotations

import os

import pytest

from pipelines.store import result_folder, write_json
from replay.errors import OutputError


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


def test_json_is_the_same_for_the_same_value(tmp_path):
    for name in ("a", "b"):
        write_json(tmp_path / name, {"z": [1, None], "a": "é"})
    assert (
        (tmp_path / "a").read_bytes()
        == (tmp_path / "b").read_bytes()
        == b'{\n "z": [\n  1,\n  null\n ],\n "a": "\xc3\xa9"\n}\n'
    )
