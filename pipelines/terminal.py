"""Output for terminals: control characters in logs and file names are escaped, and every locale works."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import sys

from rich.markup import escape as rich_escape

from replay.reading.secrets import hidden_text

# C0 except the tab, DEL, C1, characters that change the direction of text or have no width, line ends of Unicode, halves
# of characters.
_ACTS = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_PLAIN = dict(zip("–—‘’“”·•−×", "--''\"\".*-x", strict=True)) | {"…": "...", "→": "->", "≥": ">=", "≤": "<="}
_LONGEST_PATH = 300  # characters


def shown(text: str) -> str:
    """`text` in a form that is safe for a terminal: `\\x1b[31m` replaces the bytes that would turn it red."""
    return _ACTS.sub(lambda found: _written(found.group()), text)


def shown_markup(text: str) -> str:
    """`shown`, with rich's markup escaped too."""
    return rich_escape(shown(text))


def plain_line(text: str) -> str:
    """A user's text within a message of this program: printable, on one line, secrets hidden."""
    return shown(hidden_text(" ".join(text.split())))


def json_line(value: object) -> str:
    """`value` as JSON on one line, with JSON escapes for control characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _ACTS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _written(character: str) -> str:
    number = ord(character)
    if character in "\r\n":
        return {"\r": "\\r", "\n": "\\n"}[character]
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def open_streams() -> None:
    """Open each standard stream that the caller closed, to nowhere: no file that the program opens gets its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            stream = io.FileIO(number, "r" if number == 0 else "w", closefd=False)
            buffered = io.BufferedReader(stream) if number == 0 else io.BufferedWriter(stream)
            setattr(sys, name, io.TextIOWrapper(buffered, encoding="utf-8"))


def any_locale() -> None:
    """Make the standard streams accept every character: one that the locale's encoding lacks, and bytes that are no
    text, are replaced, without an error.
    """
    codecs.register_error("kafka-replay", _plainer)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="kafka-replay")


def _plainer(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_PLAIN.get(c, _written(c) if ord(c) < 0x10000 else "?") for c in text), error.end


def short_path(path: str) -> str:
    """The path as a message names it: no more than its first 300 characters."""
    return path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}…"
