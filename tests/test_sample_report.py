"""The sample report and the README's picture are of the page that this version writes."""

from __future__ import annotations

import struct
import tempfile
import zlib

import pytest

from tests.sample_report import (
    PICTURE,
    ROOT,
    SAMPLE,
    current_page,
    described,
    first_screen,
    sections,
    with_description,
)

ANEW = "run `python -m tests.sample_report`, which writes the sample report and the picture anew"
BLANK = b"\x89PNG\r\n\x1a\n" + b"".join(
    struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    for kind, data in (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\0")),
        (b"IEND", b""),
    )
)


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    return current_page(tmp_path_factory.mktemp("sample")).read_text(encoding="utf-8")


def test_the_sample_has_the_first_screen_and_the_sections_of_the_current_page(page):
    sample = SAMPLE.read_text(encoding="utf-8")
    assert first_screen(sample) == first_screen(page), ANEW
    assert sections(sample) == sections(page) and len(sections(page)) > 10, ANEW


def test_the_sample_is_small_and_names_no_folder_of_this_machine():
    sample = SAMPLE.read_text(encoding="utf-8")
    assert len(sample.encode()) < 2_000_000
    assert str(ROOT) not in sample and tempfile.gettempdir() + "/" not in sample


def test_the_picture_shows_the_first_screen_of_the_current_page(page):
    assert described(PICTURE.read_bytes()) == first_screen(page), ANEW


def test_the_readme_shows_the_picture_and_names_the_sample():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](docs/report.png)" in readme and "](docs/sample-report.html)" in readme


def test_a_picture_carries_any_text():
    assert described(BLANK) is None
    assert (
        described(with_description(BLANK, "Lost: 8,390 offsets … [293, 1162)")) == "Lost: 8,390 offsets … [293, 1162)"
    )
