"""The statements that the sources make, read from their text: each reason, with the names of its arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import replay

ROOT = Path(replay.__file__).parent


@dataclass(frozen=True)
class Made:
    """One call of `statement` or `said`: where, the reasons it may make, its arguments; `open`: more of them are handed on by name."""

    where: str
    reasons: frozenset[str]
    arguments: frozenset[str]
    open: bool


@cache
def statements() -> tuple[Made, ...]:
    """Every call of `statement` and `said` in `replay`, but in the room that declares it."""
    files = [path for path in sorted(ROOT.rglob("*.py")) if "sentences" not in path.parts]
    return tuple(made for path in files for made in _in_file(path))


@cache
def texts_of_code() -> set[str]:
    """Every text that stands in the sources outside the room of sentences."""
    trees = (ast.parse(path.read_text()) for path in ROOT.rglob("*.py") if "sentences" not in path.parts)
    return {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _in_file(path: Path) -> Iterator[Made]:
    tree = ast.parse(path.read_text())
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        for call in [node for node in ast.walk(function) if isinstance(node, ast.Call)]:
            if isinstance(call.func, ast.Name) and call.func.id == "statement":
                where = f"{path.relative_to(ROOT)}:{call.lineno}"
                given = _Reasons(tree, function, where)
                arguments, is_open = given.arguments(call)
                yield Made(where, frozenset(given.of(call.args[0])), arguments, is_open)


def _is_written_out(value: ast.expr) -> bool:
    """A dict of which every name stands in the source."""
    return isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys)


class _Reasons:
    """The texts that an expression of columns may have as its value."""

    def __init__(self, tree: ast.Module, function: ast.FunctionDef, where: str) -> None:
        self._scopes, self._tree, self._function, self._where = (function, tree), tree, function, where

    def arguments(self, call: ast.Call) -> tuple[frozenset[str], bool]:
        names = {keyword.arg for keyword in call.keywords if keyword.arg}
        handed_on = [keyword.value for keyword in call.keywords if not keyword.arg]
        known = [value for one in handed_on for value in self._values(one)]
        for value in known:
            if isinstance(value, ast.Dict):
                names |= {key.value for key in value.keys if isinstance(key, ast.Constant)}
        return frozenset(names), bool(handed_on) and not (known and all(map(_is_written_out, known)))

    def _values(self, handed_on: ast.expr) -> list[ast.expr]:
        """What a name is given, or a function of the same file returns."""
        match handed_on:
            case ast.Name():
                return self._assigned(handed_on.id)
            case ast.Call(func=ast.Name(id=function)):
                return self._returned(function)
        return [handed_on]

    def _returned(self, function: str) -> list[ast.expr]:
        own = [node for node in ast.walk(self._tree) if isinstance(node, ast.FunctionDef) and node.name == function]
        return [node.value for one in own for node in ast.walk(one) if isinstance(node, ast.Return) and node.value]

    def of(self, value: ast.expr) -> set[str]:
        match value:
            case ast.Constant(value=str(text)):
                return {text}
            case ast.Constant(value=None):
                return set()
            case ast.IfExp():
                return self.of(value.body) | self.of(value.orelse)
            case ast.Name():
                assigned = self._assigned(value.id)
                assert assigned, f"{self._where}: where {value.id} comes from is not seen"
                return {text for one in assigned for text in self.of(one)}
            case ast.Call(func=ast.Attribute(value=before, attr="when")):
                earlier = set() if isinstance(before, ast.Name) and before.id == "F" else self.of(before)
                return earlier | self.of(value.args[1])
            case ast.Call(func=ast.Attribute(value=before, attr="otherwise")):
                return self.of(before) | self.of(value.args[0])
            case ast.Call(func=ast.Attribute(attr="coalesce" | "lit")):
                return {text for one in value.args for text in self.of(one)}
            case ast.Call(func=ast.Attribute(attr="cast")):
                return set()
            case ast.Call(func=ast.Name(id="looked_up")) if isinstance(value.args[0], ast.Dict):
                return {text for one in value.args[0].values for text in self.of(one)}
            case ast.Subscript(value=ast.Name(id=name)):  # one of the values of a table of the file
                return {
                    text
                    for one in self._assigned(name)
                    if isinstance(one, ast.Dict)
                    for v in one.values
                    for text in self.of(v)
                }
            case ast.Call(func=ast.Name(id=function)) if self._returned(function):
                return {text for one in self._returned(function) for text in self.of(one)}
        raise AssertionError(f"{self._where}: {ast.unparse(value)} is no reason that can be read")

    def _assigned(self, name: str) -> list[ast.expr]:
        """What a name is given: by an assignment, as the key that a comprehension runs through, or by those that call the function."""
        if name in self._parameters():
            return self._from_callers(name)
        for scope in self._scopes:
            found: list[ast.expr] = []
            for node in ast.walk(scope):
                match node:
                    case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
                        found.append(node.value)
                    case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                        found += [
                            v for t, v in zip(targets, values, strict=True) if isinstance(t, ast.Name) and t.id == name
                        ]
                    case ast.comprehension(
                        target=ast.Tuple(elts=[ast.Name(id=key), *_]),
                        iter=ast.Call(func=ast.Attribute(attr="items", value=ast.Name(id=of))),
                    ) if key == name:
                        found += [
                            key for one in self._assigned(of) if isinstance(one, ast.Dict) for key in one.keys if key
                        ]
            if found:
                return found
        return []

    def _parameters(self) -> list[str]:
        return [argument.arg for argument in (*self._function.args.args, *self._function.args.kwonlyargs)]

    def _from_callers(self, name: str) -> list[ast.expr]:
        calls = [n for n in ast.walk(self._tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        given = []
        for call in calls:
            if call.func.id == self._function.name:
                by_place = dict(zip(self._parameters(), call.args, strict=False))
                given += [
                    value
                    for key, value in {**by_place, **{k.arg: k.value for k in call.keywords}}.items()
                    if key == name
                ]
        return given
