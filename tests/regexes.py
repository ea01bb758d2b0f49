"""Every regular expression of the program: those that modules hold, and those that stand in a call of `re` in the source."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_ROOT = Path(__file__).parent.parent
_AT_ONE_PLACE = {"match", "fullmatch"}
_CALLS = _AT_ONE_PLACE | {"compile", "search", "sub", "subn", "findall", "finditer", "split"}


class Regex(NamedTuple):
    """An expression with the file that has it; `searches`: tried at every place of a text."""

    file: str
    regex: str
    flags: int
    searches: bool


def _sources() -> Iterator[Path]:
    for package in ("replay", "pipelines"):
        yield from sorted((_ROOT / package).rglob("*.py"))


def _patterns(value: object) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _patterns([*value, *value.values()])
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _patterns(item)


def _text(regex: str | bytes) -> str:
    return regex.decode("latin-1") if isinstance(regex, bytes) else regex


def _is_searched(name: str, source: str) -> bool:
    """Whether the source calls anything but `match` and `fullmatch` of the pattern with this name."""
    uses = re.findall(rf"(?<![\w.]){re.escape(name)}\b(?!\s*[:=][^=])(?:\.(\w+))?", source)
    return not uses or not _AT_ONE_PLACE.issuperset(uses) or not name.startswith("_")


def _held(path: Path) -> Iterator[Regex]:
    source = path.read_text()
    if not re.search(r"\bre\b", source):
        return
    file = str(path.relative_to(_ROOT))
    module = importlib.import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    for name, value in vars(module).items():
        if re.search(rf"(?m)^{re.escape(name)}\b", source):
            for pattern in _patterns(value):
                yield Regex(file, _text(pattern.pattern), pattern.flags & ~re.UNICODE, _is_searched(name, source))


def _value(node: ast.expr, names: dict) -> object:
    try:
        return eval(compile(ast.Expression(node), "<regex>", "eval"), names)  # the own source of the program
    except Exception:  # built from what only a call knows
        return None


def _written(path: Path) -> Iterator[Regex]:
    source = path.read_text()
    if not re.search(r"\bre\.", source):
        return
    file = str(path.relative_to(_ROOT))
    names = vars(importlib.import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")))
    tree = ast.parse(source)
    of_a_name = {id(node.value) for node in tree.body if isinstance(node, ast.Assign)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        called = node.func
        if id(node) in of_a_name or not (isinstance(called.value, ast.Name) and called.value.id == "re"):
            continue
        regex = _value(node.args[0], names) if called.attr in _CALLS else None
        if isinstance(regex, (str, bytes)):
            last = [word.value for word in node.keywords if word.arg == "flags"] or node.args[-1:]
            flags = _value(last[0], names)
            flags = int(flags) if isinstance(flags, re.RegexFlag) else 0
            yield Regex(file, _text(regex), flags, called.attr not in _AT_ONE_PLACE)


def all_regexes() -> list[Regex]:
    """Each expression of `replay` and `pipelines` once; one that is searched for anywhere counts as searched for."""
    found: dict[tuple[str, str], Regex] = {}
    for path in _sources():
        for one in (*_held(path), *_written(path)):
            key = one.file, one.regex
            known = found.get(key)
            found[key] = one if known is None else one._replace(searches=one.searches or known.searches)
    return list(found.values())
