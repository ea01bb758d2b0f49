"""Functions are short, and the formatter decides where code wraps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = ("kafka_replay", "replay", "pipelines", "viz")
MOST_LINES = 44  # of a function's statements


def _modules(*rooms: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each module."""
    for file in sorted(path for room in rooms for path in (ROOT / room).rglob("*.py")):
        yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def _lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function's statements. Its parameters and its docstring do not count."""
    statements = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - statements[0].lineno + 1 if statements else 0


def test_the_statements_of_a_function_are_fewer_than_45_lines():
    long = [
        f"{name}:{node.lineno} {node.name}: {_lines_of(node)} lines"
        for name, text in _modules(*ROOMS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _lines_of(node) > MOST_LINES
    ]
    assert not long


def test_the_formatter_formats_every_line():
    assert not [name for name, text in _modules(*ROOMS) if "# fmt: " in text]
