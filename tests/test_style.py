"""Functions are short, the formatter decides where code wraps, and names are those of the field."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import replay.tables  # noqa: F401  declares them
from replay.tables.table import declared_tables

ROOT = Path(__file__).parent.parent
ROOMS = ("kafka_replay", "replay", "pipelines", "viz")
MOST_LINES = 44  # of a function's statements
# Words that hide what a variable holds or what a function returns.
HIDES = re.compile(
    r"(?:^|_)(?:told|tells?|telling|untold|said|say|saying|spells?|befell|whose|whom|heard?|testif\w+|calmer|thought)(?:_|$)",
    re.IGNORECASE,
)
PUBLISHED = {column.name for table in declared_tables() for column in table.columns} | {
    table.name for table in declared_tables()
}


def _modules(*rooms: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each module."""
    for file in sorted(path for room in rooms for path in (ROOT / room).rglob("*.py")):
        yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def _nodes(*rooms: str) -> Iterator[tuple[str, ast.AST]]:
    """Every node of the syntax trees, with the name of its module."""
    for name, text in _modules(*rooms):
        yield from ((name, node) for node in ast.walk(ast.parse(text)))


def _lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function's statements. Its parameters and its docstring do not count."""
    statements = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - statements[0].lineno + 1 if statements else 0


def test_the_statements_of_a_function_are_fewer_than_45_lines():
    long = [
        f"{name}:{node.lineno} {node.name}: {_lines_of(node)} lines"
        for name, node in _nodes(*ROOMS)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _lines_of(node) > MOST_LINES
    ]
    assert not long


def test_the_formatter_formats_every_line():
    assert not [name for name, text in _modules(*ROOMS) if "# fmt: " in text]


def test_json_of_strangers_is_read_in_one_place_which_no_nesting_ends():
    assert not [
        name
        for name, text in _modules("replay")
        if "json.loads" in text and name not in ("replay/json_text.py", "replay/reading/wrappers.py")
    ]


def _defined(node: ast.AST) -> str | None:
    """The name that a function, a class, a parameter or a variable gets here; None for columns and tables of a result."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return None if name in PUBLISHED else name
        case ast.arg(arg=name):
            return name
        case ast.Name(id=name, ctx=ast.Store()):
            return None if name.isupper() and name.lower() in PUBLISHED else name
    return None


def _fields(*rooms: str) -> set[tuple[str, int]]:
    """The places of the fields of classes: columns, and what JSON or a page's template names."""
    return {
        (module, field.target.lineno)
        for module, node in _nodes(*rooms)
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign)
    }


def test_names_are_what_they_hold():
    fields = _fields(*ROOMS)
    hiding = {
        f"{module}:{node.lineno} {name}"
        for module, node in _nodes(*ROOMS)
        if (name := _defined(node)) is not None and HIDES.search(name) and (module, node.lineno) not in fields
    }
    assert not hiding
