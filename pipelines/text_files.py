"""Splits a text file into parts that Spark can read: UTF-8, uniform line ends, no line and no part too large. Counts
the changes.

A file that is already suitable is only moved. Lines keep their numbers.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

_CHUNK = 8 << 20
PART_BYTES = 32 << 20  # so that one large file keeps all cores busy
LINE_BYTES = 1 << 20  # no message of Kafka is longer; regular expressions could not handle much more
_HEAD_BYTES = 256 << 10
_BLOCK_BYTES = 16 << 10
_BLOCKS = 16

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = bytes(b for b in range(32) if b not in b"\t\n\r\f\x1b")
_NO_CONTROL = dict.fromkeys(_CONTROL)


@dataclass(frozen=True)
class Part:
    """A piece of a file as Spark reads it, and the number of its first line."""

    path: Path
    first_line: int


@dataclass
class Changes:
    """The changes that were needed to read a file."""

    encoding: str = "utf-8"
    control_bytes: int = 0
    undecodable: int = 0
    put_together: int = 0
    long_lines: list[tuple[int, int]] = field(default_factory=list)

    def remarks(self) -> Iterator[str]:
        """One line for each kind of change."""
        if self.encoding not in ("utf-8", "utf-8-sig"):
            yield f"is {self.encoding.upper()}: read as UTF-8"
        if self.control_bytes:
            yield f"holds {self.control_bytes:,} NUL or other control bytes: left out"
        if self.undecodable:
            yield f"holds {self.undecodable:,} bytes that are not UTF-8: replaced"
        if self.put_together:
            yield f"holds {self.put_together:,} lines that the container runtime had cut into pieces: put together"
        if self.long_lines:
            line, size = max(self.long_lines, key=lambda found: found[1])
            others = f", and {len(self.long_lines) - 1:,} more such lines" if len(self.long_lines) > 1 else ""
            yield f"line {line:,} is {size:,} bytes long: its first {LINE_BYTES:,} are read{others}"


@dataclass(frozen=True)
class Sample:
    """What a file looks like: its encoding, and lines from its head and from places spread over the rest."""

    encoding: str
    head: str
    lines: list[str]

    @property
    def is_text(self) -> bool:
        """Whether nearly all of it is text. NUL bytes do not count: a crash or a sparse copy leaves them in logs."""
        first = self.head[:65536]
        seen = first.replace("\0", "")
        strange = sum(1 for c in seen if c == "\ufffd" or (ord(c) < 32 and c not in "\t\n\r\f\x1b"))
        return bool(seen.strip()) and strange * 20 <= len(seen) and len(seen) * 2 >= len(first)


def sample(file: Path) -> Sample:
    """Sample lines of `file` to identify it. Raises OSError if it cannot be read."""
    with file.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
        size = os.fstat(stream.fileno()).st_size
        encoding = _encoding(head)
        blocks = []
        if size > _HEAD_BYTES:
            step = (size - _HEAD_BYTES) // _BLOCKS
            for number in range(_BLOCKS):
                stream.seek((_HEAD_BYTES + number * step) & ~3)
                blocks.append(stream.read(_BLOCK_BYTES))
    if encoding in ("utf-8", "utf-8-sig") and head[:_BLOCK_BYTES].count(0) == len(head[:_BLOCK_BYTES]) and blocks:
        head = next(
            (block.lstrip(b"\0") for block in blocks if block.strip(b"\0")), head
        )  # a sparse copy: logrotate's copytruncate
    text = _text(head, encoding)
    lines = text.translate(_NO_CONTROL).split("\n")
    if size > len(head) and len(lines) > 1:
        lines.pop()  # cut by us
    for block in blocks:
        lines += _text(block, encoding).translate(_NO_CONTROL).split("\n")[1:-1]
    return Sample(encoding, text, [line.rstrip("\r") for line in lines])


def _encoding(head: bytes) -> str:
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return encoding
    pairs = len(head) // 2
    if pairs > 8:
        for encoding, nuls in (("utf-16-le", head[1::2].count(0)), ("utf-16-be", head[0::2].count(0))):
            if nuls * 10 > pairs * 7 and head.count(0) < nuls * 1.3:
                return encoding
    return "utf-8"


def _text(raw: bytes, encoding: str) -> str:
    if encoding in ("utf-16", "utf-32") and not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding += "-le"
    return raw.decode(encoding, "replace").replace("\0", "" if encoding != "utf-8" else "\0")


def lay_down(
    file: Path,
    encoding: str,
    new_path: Callable[[], Path],
    begins: Callable[[str], bool],
    inside: Callable[[str], str] = str,
    pieces: str | None = None,
) -> tuple[list[Part], Changes]:
    """`file` in parts that Spark can read, each beginning where `begins` finds a record; and the changes.

    Lines at its head with nothing `inside` are skipped. `pieces` names the container runtime (a key of `RUNTIMES`)
    that may have split a long line into several pieces.
    """
    if (
        encoding == "utf-8"
        and file.stat().st_size <= PART_BYTES
        and _is_fit(file, inside)
        and not (pieces and _has_pieces(file, pieces))
    ):
        path = new_path()
        file.rename(path)
        return [Part(path, 1)], Changes()
    changes = Changes(encoding)
    parts = _Parts(new_path, begins, inside)
    for block in _whole_lines(_blocks(file, changes), pieces, changes):
        parts.write(block)
    return parts.close(), changes


def _is_fit(file: Path, inside: Callable[[str], str]) -> bool:
    """Whether Spark can read `file` unchanged."""
    check = codecs.getincrementaldecoder("utf-8")("strict")
    first = True
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            if (first and _blanks(chunk, inside)) or b"\r" in chunk or _has_control(chunk) or _has_long_line(chunk):
                return False
            first = False
            if not chunk.isascii():
                try:
                    check.decode(chunk)
                except UnicodeDecodeError:
                    return False
    return not check.getstate()[0]


def _blanks(block: bytes, inside: Callable[[str], str]) -> int:
    """How many bytes at the start of a block are lines with nothing inside."""
    at = 0
    while (end := block.find(b"\n", at)) >= 0 and not inside(
        block[at : min(end, at + 4_096)].decode("utf-8", "replace")
    ).strip():
        at = end + 1
    return at


def _has_control(chunk: bytes) -> bool:
    return len(chunk.translate(None, _CONTROL)) != len(chunk)


def _has_long_line(chunk: bytes) -> bool:
    """Whether a line may be longer than `LINE_BYTES`: some part of half that length has no line end."""
    step = LINE_BYTES // 2
    return any(chunk.find(b"\n", at, at + step) < 0 for at in range(0, len(chunk) - step, step))


def _blocks(file: Path, changes: Changes) -> Iterator[bytes]:
    """The lines of `file`, some MB at a time, repaired; every block ends with a line end."""
    carry = b""
    cut_bytes = 0  # of a line longer than the limit
    line_number = 1
    for chunk in _utf8(file, changes):
        clean = chunk.translate(None, _CONTROL)
        changes.control_bytes += len(chunk) - len(clean)
        data = carry + clean
        if data.endswith(b"\r"):  # its line end may be in the next chunk
            data, held = data[:-1], b"\r"
        else:
            held = b""
        if cut_bytes:
            end = data.find(b"\n")
            if end < 0:
                cut_bytes += len(data) - len(carry)
                carry = carry[:LINE_BYTES] + held
                continue
        end = data.rfind(b"\n") + 1
        block, carry = data[:end], data[end:] + held
        if block:
            block, line_number, cut_bytes = _mended(block, line_number, cut_bytes, changes)
            yield block
        if len(carry) > LINE_BYTES:
            cut_bytes += len(carry) - LINE_BYTES
            carry = carry[:LINE_BYTES]
    if carry.strip(b"\r"):
        yield _mended(carry.rstrip(b"\r") + b"\n", line_number, cut_bytes, changes)[0]


def _mended(block: bytes, line_number: int, cut_bytes: int, changes: Changes) -> tuple[bytes, int, int]:
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b" ")
    if cut_bytes or _has_long_line(block):
        lines = block.split(b"\n")
        for number, line in enumerate(lines):
            whole = len(line) + (cut_bytes if number == 0 else 0)
            if whole > LINE_BYTES:
                changes.long_lines.append((line_number + number, whole))
                lines[number] = line[:LINE_BYTES]
        block = b"\n".join(lines)
    if not block.isascii():
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            text = block.decode("utf-8", "replace")
            changes.undecodable += text.count("\ufffd") - block.count("\ufffd".encode())
            block = text.encode("utf-8")
    return block, line_number + block.count(b"\n"), 0


def _utf8(file: Path, changes: Changes) -> Iterator[bytes]:
    decoder = None if changes.encoding == "utf-8" else codecs.getincrementaldecoder(changes.encoding)("replace")
    only_returns: bool | None = None  # an old Mac's line ends
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            if decoder is not None:
                text = decoder.decode(chunk)
                changes.undecodable += text.count("\ufffd")
                chunk = text.encode("utf-8", "replace")
            if only_returns is None:
                only_returns = chunk.count(b"\r") > 1 and b"\n" not in chunk
            yield chunk.replace(b"\r", b"\n") if only_returns else chunk


def _cri_text(lines: list[bytes]) -> bytes:
    """`stamp stream P piece`, ..., `stamp stream F piece` as one line."""
    first = lines[0].split(b" ", 3)
    return b" ".join((*first[:2], b"F", b"".join(line.split(b" ", 3)[3] for line in lines)))


def _docker_text(lines: list[bytes]) -> bytes:
    """`{"log":"piece","stream":...}`, ... as one line."""
    objects = [json.loads(line) for line in lines]
    return json.dumps({**objects[0], "log": "".join(o["log"] for o in objects)}, separators=(",", ":")).encode()


# How a container runtime marks a piece that is not the last of its line, and how to join the pieces. Runtimes split
# at 16 KB.
RUNTIMES: dict[str, tuple[re.Pattern[bytes], Callable[[list[bytes]], bytes]]] = {
    "cri": (re.compile(rb"^\S+ (?:stdout|stderr) P [^\n]*$", re.MULTILINE), _cri_text),
    "docker-json": (re.compile(rb'^\{"log":"[^\n]*(?<!\\n)","stream":"[^\n]*', re.MULTILINE), _docker_text),
}


def _has_pieces(file: Path, runtime: str) -> bool:
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            if RUNTIMES[runtime][0].search(chunk):
                return True
    return False


def _whole_lines(blocks: Iterator[bytes], runtime: str | None, changes: Changes) -> Iterator[bytes]:
    """`blocks` with each line that a runtime had split joined again; blank lines replace its other pieces, so that
    later lines keep their numbers.
    """
    if runtime is None:
        yield from blocks
        return
    is_piece, text_of = RUNTIMES[runtime]
    held: list[bytes] = []
    for block in blocks:
        out: list[bytes] = []
        for line in block.split(b"\n")[:-1]:
            if is_piece.match(line):
                held.append(line)
            elif held:
                out += _put_together([*held, line], text_of, changes)
                held = []
            else:
                out.append(line)
        if out:
            yield b"\n".join(out) + b"\n"
    if held:
        yield b"\n".join(_put_together(held, text_of, changes)) + b"\n"


def _put_together(lines: list[bytes], text_of: Callable[[list[bytes]], bytes], changes: Changes) -> list[bytes]:
    try:
        whole = text_of(lines)
    except (ValueError, LookupError, TypeError):
        return lines  # not what it looked like
    changes.put_together += 1
    return [whole[:LINE_BYTES], *[b""] * (len(lines) - 1)]


class _Parts:
    """Writes blocks of lines to one part after the other."""

    def __init__(
        self, new_path: Callable[[], Path], begins: Callable[[str], bool], inside: Callable[[str], str]
    ) -> None:
        self._new_path, self._begins, self._inside = new_path, begins, inside
        self._parts: list[Part] = []
        self._line_number = 1
        self._out: BinaryIO | None = None
        self._size = 0

    def write(self, block: bytes) -> None:
        if self._out is None:
            blanks = _blanks(block, self._inside)
            self._line_number += block.count(b"\n", 0, blanks)
            block = block[blanks:]
        elif self._size >= PART_BYTES:
            at = self._record_start(block)
            if at is not None or self._size >= 4 * PART_BYTES:
                self._append(block[: at or 0])
                block = block[at or 0 :]
                self._out.close()
                self._out = None
        self._append(block)

    def skip_to(self, line_number: int) -> None:
        """Continue with line `line_number`; the lines in between belong to others."""
        if self._out is not None:
            self._append(b"\n" * (line_number - self._line_number))
        self._line_number = line_number

    def close(self) -> list[Part]:
        if self._out is not None:
            self._out.close()
        return self._parts

    def _append(self, block: bytes) -> None:
        if not block:
            return
        if self._out is None:
            path = self._new_path()
            self._parts.append(Part(path, self._line_number))
            self._out, self._size = path.open("wb"), 0
        self._out.write(block)
        self._size += len(block)
        self._line_number += block.count(b"\n")

    def _record_start(self, block: bytes) -> int | None:
        """The position of the last record that begins in `block`; None if none is found."""
        end = len(block) - 1
        for _ in range(2_000):
            start = block.rfind(b"\n", 0, end)
            if start < 0:
                return None
            if self._begins(block[start + 1 : min(end, start + 4_096)].decode("utf-8", "replace")):
                return start + 1
            end = start
        return None


def by_label(
    file: Path,
    encoding: str,
    new_path: Callable[[], Path],
    label: Callable[[str], str | None],
    begins: Callable[[str], bool],
    inside: Callable[[str], str] = str,
) -> tuple[dict[str | None, tuple[list[Part], list[str]]], Changes]:
    """A merged file, split by label: for each label its parts (lines of other labels are blank) and its first lines;
    and the changes.
    """
    changes = Changes(encoding)
    writers: dict[str | None, _Parts] = {}
    heads: dict[str | None, list[str]] = {}
    line_number = 1
    for block in _blocks(file, changes):
        mine: dict[str | None, list[tuple[int, bytes]]] = {}
        for line in block.split(b"\n")[:-1]:
            if line:
                text = line.decode("utf-8", "replace")
                who = label(text)
                mine.setdefault(who, []).append((line_number, line))
                head = heads.setdefault(who, [])
                if len(head) < 2_000:
                    head.append(text)
            line_number += 1
        for who, lines in mine.items():
            writer = writers.setdefault(who, _Parts(new_path, begins, inside))
            writer.skip_to(lines[0][0])
            writer.write(_with_gaps(lines))
    return {who: (writer.close(), heads[who]) for who, writer in writers.items()}, changes


def _with_gaps(lines: list[tuple[int, bytes]]) -> bytes:
    """Numbered lines as text, with a blank line for each missing number."""
    out = []
    after = lines[0][0]
    for number, line in lines:
        out.append(b"\n" * (number - after))
        out.append(line + b"\n")
        after = number + 1
    return b"".join(out)
