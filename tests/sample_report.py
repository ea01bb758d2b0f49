"""The sample report `docs/sample-report.html` and the README's picture of its first screen, `docs/report.png`.

`python -m tests.sample_report` writes both anew, of the demo's recording; the picture needs Chromium. The picture carries the text
that it shows, so a test without a browser sees whether it is of the current page.
"""

from __future__ import annotations

import base64
import contextlib
import html
import re
import struct
import tempfile
import zlib
from pathlib import Path

from tests.browser import CHROMIUM, DRIVER, browser
from tests.results_here import result_here

ROOT = Path(__file__).parent.parent
TRACE = Path("traces/unclean-election-zk-2.8.2")
SAMPLE, PICTURE = ROOT / "docs/sample-report.html", ROOT / "docs/report.png"
SIZE = (1440, 900)

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SHOWS = b"Description"  # the keyword of PNG for what a picture shows


def current_page(folder: Path) -> Path:
    """The page of the demo's recording, analyzed now."""
    with contextlib.chdir(ROOT):  # the page names its inputs as they were given
        return result_here([TRACE / "input"], folder / "result") / "report.html"


def first_screen(page: str) -> str:
    """The text of the first screen of a page: what its button copies."""
    copied = re.search(r'data-copy="([^"]*)"', page)
    assert copied is not None, "the page has no first screen to copy"
    return html.unescape(copied[1])


def sections(page: str) -> list[str]:
    """The ids of the parts of a page."""
    return re.findall(r'<(?:section|details)[^>]* id="([a-z-]+)"', page)


def described(picture: bytes) -> str | None:
    """The text that a picture carries; None if it has none."""
    at = len(_SIGNATURE)
    while at < len(picture):
        (size,) = struct.unpack(">I", picture[at : at + 4])
        kind, data = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + size]
        if kind == b"iTXt" and data.startswith(_SHOWS + b"\0"):
            return data.split(b"\0", 5)[5].decode("utf-8")
        at += size + 12
    return None


def with_description(picture: bytes, text: str) -> bytes:
    """The picture with a text, before its last chunk."""
    data = _SHOWS + b"\0\0\0\0\0" + text.encode("utf-8")
    chunk = struct.pack(">I", len(data)) + b"iTXt" + data + struct.pack(">I", zlib.crc32(b"iTXt" + data))
    return picture[:-12] + chunk + picture[-12:]


def pictured(page: Path, folder: Path) -> bytes:
    """The first screen of a page as a picture."""
    with browser(folder) as window:
        window.size(*SIZE)
        window.open(page)
        window.until("return document.fonts.status === 'loaded'")
        shot = base64.b64decode(window.devtools("Page.captureScreenshot", format="png")["data"])
    return with_description(shot, first_screen(page.read_text(encoding="utf-8")))


def main() -> None:
    """Write both files."""
    with tempfile.TemporaryDirectory() as folder:
        page = current_page(Path(folder))
        SAMPLE.write_bytes(page.read_bytes())
        if CHROMIUM is None or DRIVER is None:
            raise SystemExit(f"wrote {SAMPLE.name}; {PICTURE.name} needs chromium and chromedriver")
        PICTURE.write_bytes(pictured(page, Path(folder)))
        print(f"wrote {SAMPLE.name} and {PICTURE.name}")


if __name__ == "__main__":
    main()
