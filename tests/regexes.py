"""Every regular expression of the program: those that modules hold, and those passed to calls in the source."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from replay.faults.control_plane import Identity
from replay.reading import names, secret_forms
from replay.reading.layouts import Header
from replay.reading.wrappers import Wrapper

_ROOT = Path(__file__).parent.parent
_AT_ONE_PLACE = {"match", "fullmatch"}
_CALLS = _AT_ONE_PLACE | {"compile", "search", "sub", "subn", "findall", "finditer", "split"}
_OF_SPARK = {  # where the expression stands among the arguments
    **dict.fromkeys(("regexp_extract", "regexp_extract_all", "regexp_replace", "regexp_like", "regexp", "split"), 1),
    **dict.fromkeys(("regexp_count", "regexp_substr", "regexp_instr"), 1),
    "rlike": 0,
}
_ELSEWHERE = {  # what they are made of is collected, or has a test of its own
    "self.pattern.regex": "replay/catalogue/template.py",
    "bounded(regex)": "replay/patterns.py",
    "self.find": "replay/reading",
    "self._parts": "replay/reading/layouts.py",
    "names_partition(": "pipelines/unread_logs.py",
    "self.words": "replay/closing/absolutes.py",
    "identity.pattern": "replay/faults/control_plane.py",
}


class Regex(NamedTuple):
    """An expression with its file; `searches`: whether it is tried at every position of a text."""

    file: str
    regex: str
    flags: int
    searches: bool


@cache
def _sources() -> dict[str, str]:
    paths = [path for package in ("replay", "pipelines", "viz") for path in sorted((_ROOT / package).rglob("*.py"))]
    return {str(path.relative_to(_ROOT)): path.read_text() for path in paths}


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse(_sources()[file])


def _module(file: str):
    return importlib.import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))


def _patterns(value: object) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (secret_forms.Form, names.Form, Wrapper)):
        yield re.compile(value.find)
    elif isinstance(value, Identity):
        yield re.compile(value.pattern)
    elif isinstance(value, Header):
        yield from (value._start, value._whole, value._cut)
    elif isinstance(value, dict):
        yield from _patterns([*value, *value.values()])
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _patterns(item)
    elif isinstance(value, type) and value.__module__.startswith(("replay", "pipelines", "viz")):
        yield from _patterns([item for name, item in vars(value).items() if not name.startswith("__")])


def _text(regex: str | bytes) -> str:
    return regex.decode("latin-1") if isinstance(regex, bytes) else regex


def _is_searched(name: str, source: str) -> bool:
    """Whether the source uses the pattern with this name in other ways than `match` and `fullmatch`."""
    uses = re.findall(rf"(?<![\w.]){re.escape(name)}\b(?!\s*[:=][^=])(?:\.(\w+))?", source)
    return not uses or not _AT_ONE_PLACE.issuperset(uses) or not name.startswith("_")


def _held(file: str) -> Iterator[Regex]:
    source = _sources()[file]
    if not re.search(r"\bre\b|Form\(|Wrapper\(|Header\(", source):
        return
    for name, value in vars(_module(file)).items():
        if re.search(rf"(?m)^(?:class )?{re.escape(name)}\b", source):
            anchored = isinstance(value, Header)
            for pattern in _patterns(value):
                searches = not anchored and _is_searched(name, source)
                yield Regex(file, _text(pattern.pattern), pattern.flags & ~re.UNICODE, searches)


class _Sample(dict):
    """A placeholder for a value that is known only at run time: any name."""

    def __init__(self, known: dict) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, name: str) -> str:
        if name in self._known or hasattr(builtins, name):
            raise KeyError(name)
        return "name"


_PURE = {"re.escape", "re.sub", "pattern_of", "map", "sorted", "len", "str", "tuple", "dict"}


def _value(node: ast.expr, known: dict) -> object:
    calls = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    if not all(ast.unparse(one) in _PURE or getattr(one, "attr", "") in ("join", "replace", "items") for one in calls):
        return None
    try:
        return eval(compile(ast.Expression(node), "<regex>", "eval"), known, _Sample(known))  # the program's own source
    except Exception:  # built from what only a call knows
        return None


def _values(node: ast.expr, file: str, scope: ast.AST | None) -> list[object]:
    """The possible values of an argument: its value, those of its branches, those that a loop or an assignment gives
    its name, or those that calls pass to the parameter.
    """
    known = vars(_module(file))
    if isinstance(node, ast.IfExp):
        return [*_values(node.body, file, scope), *_values(node.orelse, file, scope)]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
        return [value for one in node.value.values for value in _values(one, file, scope)]
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("F.lit", "lit"):
        return _values(node.args[0], file, scope)
    if not isinstance(node, ast.Name) or node.id in known:
        return [_value(node, known)]
    if isinstance(scope, ast.FunctionDef) and node.id in (names := [arg.arg for arg in scope.args.args]):
        return _handed(scope.name, names.index(node.id), is_method=names[0] == "self")
    return [*_looped(node.id, file, scope), *_assigned(node.id, file, scope)]


def _looped(name: str, file: str, scope: ast.AST | None) -> Iterator[object]:
    for loop in ast.walk(scope or _tree(file)):
        if isinstance(loop, (ast.For, ast.comprehension)):
            names = [one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)]
            items = _value(loop.iter, vars(_module(file))) if name in names else None
            for item in items if isinstance(items, (tuple, list, dict, type({}.items()))) else ():
                yield item[names.index(name)] if len(names) > 1 else item


def _assigned(name: str, file: str, scope: ast.AST | None) -> Iterator[object]:
    for line in ast.walk(scope or _tree(file)):
        if isinstance(line, ast.Assign) and name in [ast.unparse(target) for target in line.targets]:
            yield from _values(line.value, file, scope)


_BEING_LOOKED_AT: set[str] = set()  # a function that calls itself hands on what it was handed


@cache
def _handed(function: str, place: int, *, is_method: bool) -> list[object]:
    found: list[object] = []
    for file, source in _sources().items() if function not in _BEING_LOOKED_AT else ():
        _BEING_LOOKED_AT.add(function)
        for scope, call in _calls(file) if f"{function}(" in source else ():
            called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
            at = place - is_method
            if called == function and at < len(call.args):
                found.extend(_values(call.args[at], file, scope))
        _BEING_LOOKED_AT.discard(function)
    return found


@cache
def _calls(file: str) -> list[tuple[ast.AST | None, ast.Call]]:
    """Every call with its enclosing function."""
    found: list[tuple[ast.AST | None, ast.Call]] = []

    def look(node: ast.AST, scope: ast.AST | None) -> None:
        if isinstance(node, ast.Call):
            found.append((scope, node))
        for child in ast.iter_child_nodes(node):
            look(child, node if isinstance(node, ast.FunctionDef) else scope)

    look(_tree(file), None)
    return found


def _written(file: str) -> Iterator[tuple[ast.expr, list[Regex]]]:
    """Each argument of a call that is an expression, with the expressions that it can be."""
    source = _sources()[file]
    if not re.search(r"\bre\.|regexp|rlike|F\.split", source):
        return
    held = [node for node in _tree(file).body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    compiled = {
        id(call) for node in held for call in ast.walk(node) if ast.unparse(getattr(call, "func", node)) == "re.compile"
    }
    for scope, call in _calls(file):
        called = call.func
        if id(call) in compiled or not (isinstance(called, ast.Attribute) and call.args):
            continue
        is_python = isinstance(called.value, ast.Name) and called.value.id == "re" and called.attr in _CALLS
        is_spark = called.attr == "rlike" or (ast.unparse(called.value) == "F" and called.attr in _OF_SPARK)
        if not (is_python or is_spark):
            continue
        argument = call.args[0 if is_python else _OF_SPARK[called.attr]]
        last = [word.value for word in call.keywords if word.arg == "flags"] or call.args[-1:]
        flags = _value(last[0], vars(_module(file)))
        flags = int(flags) if isinstance(flags, re.RegexFlag) else 0
        searches = not is_python or called.attr not in _AT_ONE_PLACE
        texts = [value for value in _values(argument, file, scope) if isinstance(value, (str, bytes))]
        yield argument, [Regex(file, _text(text), flags, searches) for text in texts]


def unknown_regexes() -> list[str]:
    """Arguments that are regular expressions whose values the source does not show: their place and their source
    text.
    """
    return [
        f"{file}:{argument.lineno} {ast.unparse(argument)}"
        for file in _sources()
        for argument, regexes in _written(file)
        if not regexes
        and not any(part in ast.unparse(argument) and file.startswith(at) for part, at in _ELSEWHERE.items())
    ]


def all_regexes() -> list[Regex]:
    """Each expression once; it counts as searched for if it is searched for anywhere."""
    found: dict[tuple[str, str], Regex] = {}
    for file in _sources():
        for one in (*_held(file), *(regex for _, regexes in _written(file) for regex in regexes)):
            key = one.file, one.regex
            known = found.get(key)
            found[key] = one if known is None else one._replace(searches=one.searches or known.searches)
    return list(found.values())
