"""What is packed is read up to the damage, and a full disk is no fault of the archive."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from functools import partial
from pathlib import Path

import pytest

from pipelines.archives import Limits, Unpacked, _Work, unpack
from pipelines.room import Room
from replay.errors import OutputError

_NUMBERS = random.Random(7)
TEXT = "".join(f"line {n:045d} {_NUMBERS.randrange(100_000):05d}\n" for n in range(12_000)).encode()
NAMES = {"gz": "gzip", "bz2": "bzip2", "xz": "xz"}
PACKED = {
    "gz": gzip.compress,
    "bz2": partial(bz2.compress, compresslevel=1),  # blocks of 100 KB, of which none is had before it is whole
    "xz": partial(lzma.compress, preset=0),
}


def unpacked(tmp_path: Path, name: str, packed: bytes) -> tuple[bytes, Unpacked]:
    """The bytes that came out of one packed file, and what was said of it."""
    (tmp_path / name).write_bytes(packed)
    found = unpack(tmp_path / name, name, tmp_path / "work")
    return b"".join(member.path.read_bytes() for member in found.members), found


@pytest.mark.parametrize("kind", PACKED)
def test_garbage_after_the_end_is_left_out_and_told(tmp_path, kind):
    text, found = unpacked(tmp_path, f"server.log.{kind}", PACKED[kind](TEXT) + b"no part of it")
    assert text == TEXT
    assert [what for _, what in found.remarks] == [f"has 13 bytes after its end that are not {NAMES[kind]}: left out"]


@pytest.mark.parametrize("kind", PACKED)
def test_what_stands_before_a_cut_is_read(tmp_path, kind):
    packed = PACKED[kind](TEXT)
    text, found = unpacked(tmp_path, f"server.log.{kind}", packed[: len(packed) * 9 // 10])
    assert TEXT.startswith(text)
    assert len(text) > len(TEXT) * (0.7 if kind == "bz2" else 0.85)
    assert [what for _, what in found.remarks] == [
        f"is cut short or damaged (it ends before its end mark): read up to the damage, {len(text):,} bytes"
    ]


@pytest.mark.parametrize("kind", PACKED)
def test_members_and_zeros_after_one_another_are_one_text(tmp_path, kind):
    pack = PACKED[kind]
    text, found = unpacked(tmp_path, f"server.log.{kind}", pack(TEXT) + b"\0" * 8 + pack(b"more\n") + b"\0" * 512)
    assert (text, found.remarks) == (TEXT + b"more\n", [])


def test_a_wrong_byte_costs_what_stands_after_it_only(tmp_path):
    packed = bytearray(gzip.compress(TEXT))
    packed[-8] ^= 0xFF  # of the check sum: every byte of the text is right
    text, found = unpacked(tmp_path, "server.log.gz", bytes(packed))
    assert TEXT.startswith(text)
    assert len(text) >= len(TEXT) - 300  # the last piece is had with its check or not at all
    assert "is cut short or damaged" in found.remarks[0][1]


def test_garbage_behind_a_packed_tar_is_reported(tmp_path):
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as file:
        member = tarfile.TarInfo("node-1/server.log")
        member.size = len(TEXT)
        file.addfile(member, io.BytesIO(TEXT))
    text, found = unpacked(tmp_path, "logs.tar.gz", gzip.compress(tar.getvalue()) + b"garbage")
    assert (text, [what for _, what in found.remarks]) == (
        TEXT,
        ["has 7 bytes after its end that are not gzip: left out"],
    )


@pytest.mark.parametrize("kind", ["gz", "tar", "zip"])
def test_a_disk_that_is_full_is_no_fault_of_the_archive(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(_Work, "next_path", lambda self: Path("/dev/full"))
    with pytest.raises(OutputError, match=r"No space left on device\); free space or set TMPDIR"):
        unpacked(tmp_path, f"logs.{kind}", _packed_as(kind))


def _packed_as(kind: str) -> bytes:
    out = io.BytesIO()
    if kind == "gz":
        return gzip.compress(TEXT)
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("server.log", TEXT)
        return out.getvalue()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        member = tarfile.TarInfo("server.log")
        member.size = len(TEXT)
        tar.addfile(member, io.BytesIO(TEXT))
    return out.getvalue()


def test_room_is_counted_over_all_archives_together(tmp_path, monkeypatch):
    megabytes_free = 100
    free = {"free": megabytes_free << 20}
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), free))
    (tmp_path / "server.log.gz").write_bytes(gzip.compress(bytes(9 << 20)))
    room = Room(tmp_path)

    def one_more(number: int) -> None:
        unpack(tmp_path / "server.log.gz", "server.log.gz", tmp_path / f"work-{number}", Limits(), room)
        free["free"] -= 9 << 20

    with pytest.raises(OutputError, match="too little space"):
        for number in range(11):
            one_more(number)
    assert 5 <= number <= 8  # more than half of what was free: as much again is needed for the tables
