"""Parts of the logs of a recording, as operators' files lack them: single nodes, kinds of files, times, or lines missing."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

_STAMP = re.compile(r"^\[?(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]\d{3})")
_SHARE = 0.6  # of the lines with a time: a late part begins there
_TAIL = 400  # lines
_EVERY = 10  # one of so many lines is dropped


def part_of(logs: Path, kind: str, to: Path) -> Path:
    """The part `kind` (see `KINDS`) of a folder of logs, written to the folder `to`."""
    shutil.copytree(logs, to)
    _TAKEN[kind](to)
    return to


def _nodes(logs: Path) -> list[Path]:
    return sorted(folder for folder in logs.iterdir() if folder.is_dir())


def _of_one_node(logs: Path) -> None:
    for node in _nodes(logs)[1:]:
        shutil.rmtree(node)


def _without_a_node(logs: Path) -> None:
    shutil.rmtree(_nodes(logs)[0])


def _server_logs(logs: Path) -> None:
    for file in _files(logs):
        if not file.name.startswith("server.log"):
            file.unlink()


def _tails(logs: Path) -> None:
    _server_logs(logs)
    _rewritten(logs, lambda lines: lines[-_TAIL:])


def _with_lines_dropped(logs: Path) -> None:
    dice = random.Random(7)
    _rewritten(logs, lambda lines: [line for line in lines if dice.randrange(_EVERY)])


def _late(logs: Path) -> None:
    stamps = sorted(
        found[1].replace("T", " ") for file in _logs(logs) for found in map(_STAMP.match, _lines(file)) if found
    )
    since = stamps[int(len(stamps) * _SHARE)]
    _rewritten(logs, lambda lines: list(_from(lines, since)))


def _from(lines: Iterable[str], since: str) -> Iterator[str]:
    is_late = False
    for line in lines:
        found = _STAMP.match(line)
        is_late = found[1].replace("T", " ") >= since if found else is_late
        if is_late:
            yield line


def _files(logs: Path) -> list[Path]:
    return [file for file in sorted(logs.rglob("*")) if file.is_file()]


def _logs(logs: Path) -> list[Path]:
    return [file for file in _files(logs) if ".log" in file.name and "checkpoint" not in file.name]


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)


def _rewritten(logs: Path, kept: Callable[[list[str]], list[str]]) -> None:
    for file in _logs(logs):
        file.write_text("".join(kept(_lines(file))), encoding="utf-8")


_TAKEN: dict[str, Callable[[Path], None]] = {
    "one": _of_one_node,
    "without": _without_a_node,
    "server": _server_logs,
    "tail": _tails,
    "drop": _with_lines_dropped,
    "late": _late,
}
KINDS = tuple(_TAKEN)
