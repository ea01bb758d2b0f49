"""Whatever happened to a line on its way, nothing that reads it raises."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import pytest

from replay.knowledge.explaining import explained
from replay.reading.heads import head_of
from replay.reading.proposals import proposed
from replay.reading.records import records_of
from replay.reading.texts import layout_of, lines_of
from replay.reading.witness_statements import witness_records_of
from replay.reading.witnesses import witness_fault, witness_layout
from replay.reading.writers import node_named
from tests.each import for_each
from tests.golden import TRACES

_NUMBERS = ("2147483648", "-1", "9" * 20, "9" * 5_000, "1e400", "NaN", "0" * 30, "18446744073709551616", "²", "٣", "")
_PUT_IN = (
    "\x00",
    "\x1b[31m",
    "\x85",
    "\u2028",
    "\r",
    "\u202e",
    "\ud800",
    "\ufeff",
    "\n",
    "\t",
    "\\ud800",
    "%00",
    "\x0b",
)
_LEFT_OUT = ("{}", "[]", "()", '"', ":=", "[", "}")


def _flipped(text: str, chance: random.Random, other: str) -> str:
    letters = bytearray(text.encode("utf-8", "replace"))
    for _ in range(chance.randint(1, 5) if letters else 0):
        letters[chance.randrange(len(letters))] ^= 1 << chance.randrange(8)
    return letters.decode("utf-8", "replace")


def _other_number(text: str, chance: random.Random, other: str) -> str:
    numbers = list(re.finditer(r"\d+", text))
    if not numbers:
        return text
    one = chance.choice(numbers)
    return text[: one.start()] + chance.choice(_NUMBERS) + text[one.end() :]


def _without(text: str, chance: random.Random, other: str) -> str:
    left_out = chance.choice(_LEFT_OUT)
    return "".join(letter for letter in text if letter not in left_out)


def _with(text: str, chance: random.Random, other: str) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice(_PUT_IN) + text[at:]


def _misread(text: str, chance: random.Random, other: str) -> str:
    written, read = chance.choice((("utf-8", "latin-1"), ("utf-16-le", "utf-8"), ("utf-16-be", "latin-1")))
    return text.encode(written, "replace").decode(read, "replace")


def _interleaved(text: str, chance: random.Random, other: str) -> str:
    return text[: chance.randint(0, len(text))] + other[chance.randint(0, len(other)) :]


def _cut(text: str, chance: random.Random, other: str) -> str:
    return text[: chance.randint(0, len(text))]


def _again(text: str, chance: random.Random, other: str) -> str:
    return text * chance.randint(2, 4)


_CHANGES: tuple[Callable[[str, random.Random, str], str], ...] = (
    _flipped,
    _other_number,
    _without,
    _with,
    _misread,
    _interleaved,
    _cut,
    _again,
)


def _files() -> Iterator[tuple[str, str]]:
    for path in sorted(TRACES.glob("*/input/**/*")):
        if path.is_file():
            with path.open(errors="replace") as file:
                yield path.name, file.read(20_000)


@pytest.fixture(scope="module")
def files() -> tuple[list[str], list[tuple[str, str, str]]]:
    """Lines of logs; and the layout, the name and the begin of each file beside them."""
    lines, witnesses = [], []
    for name, text in _files():
        layout = witness_layout(name, text)
        if layout is None:
            lines += [line for line in text.split("\n")[:60] if line]
        else:
            witnesses.append((layout, name, text[:3_000]))
    return sorted(set(lines)), witnesses


def _changed(text: str, chance: random.Random, lines: list[str]) -> str:
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(_CHANGES)(text, chance, chance.choice(lines))
    return text


@for_each("seed", range(8))
def test_a_mutated_line_is_read(files, seed):
    lines, _ = files
    chance = random.Random(seed)
    for _ in range(25):
        text = "\n".join(_changed(chance.choice(lines), chance, lines) for _ in range(chance.randint(1, 3)))
        layout = layout_of(text)
        heads = [head for line in text.split("\n") if (head := head_of(layout, line)) is not None]
        nodes = [node_named(head.message, head.thread) for head in heads]
        assert all(node is None or 0 <= node < 1 << 31 for node in nodes), text
        proposed(text.split("\n"))
        assert explained(list(lines_of(text, "pasted"))) is not None
        records = list(records_of(text, source_file="node-1/server.log", layout=layout))
        assert all(record.line_number >= 1 for record in records)


@for_each("seed", range(8))
def test_a_mutated_witness_is_read_or_refused(files, seed):
    lines, witnesses = files
    chance = random.Random(seed)
    for _ in range(25):
        layout, name, text = chance.choice(witnesses)
        rows = text.split("\n")
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(rows))
            rows[at] = _changed(rows[at], chance, lines)
        text = "\n".join(rows)
        assert witness_layout(name, text) != ""
        assert witness_fault(layout, f"node-1/orders-0/{name}", text) != ""
        for record in witness_records_of(text, source_file=f"node-1/orders-0/{name}", node_id=1, layout=layout):
            assert record.line_number >= 1
