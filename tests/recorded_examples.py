"""Which examples of the catalog occur verbatim in logs, and in which logs.

`python -m tests.recorded_examples FOLDER...` writes `replay/catalogue/recorded.py` again. Each folder in a FOLDER is
a recording or a public log and is searched completely. If an example occurs in several, the first counts; entries of
recordings that are not searched stay.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from replay.catalogue import TEMPLATES, recorded
from replay.catalogue.template import simple_name

TRACES = Path(__file__).parent.parent / "traces"
MODULE = Path(recorded.__file__)
_RECORD = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) ")
_LOGGER = re.compile(r" \(([\w.$]+)\)$")


def traces(folder: Path = TRACES) -> list[Path]:
    """The recordings of a folder, without those that were written by hand."""
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.endswith("-by-hand"))


def messages(folder: Path) -> Iterator[tuple[str, str]]:
    """The message of every record in the logs of a folder, with its logger's simple name; excludes the recorder's
    own files.
    """
    for place, _, names in os.walk(folder):
        if "truth" in Path(place).parts:
            continue
        for name in sorted(names):
            content = Path(place, name).read_bytes()
            if b"\0" not in content[:4_096]:
                yield from _of_text(content.decode("utf-8", "replace").splitlines())


def _of_text(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The messages and loggers of lines; a message of several lines ends with the line that names its logger."""
    held: list[str] = []
    for line in lines:
        head = _RECORD.match(line)
        held = [line[head.end() :]] if head else [*held, line] if held else []
        logger = _LOGGER.search(line) if held else None
        if logger:
            yield "\n".join(held)[: -len(logger[0])].rstrip(), simple_name(logger[1])
            held = []


def found(folders: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    """The templates whose examples occur in each folder, by the folder's name; each template once."""
    waiting = {t.id: (t.example.rstrip(), t.logger.split("|")) for t in TEMPLATES}
    where: dict[str, list[str]] = {}
    for name, folder in folders:
        printed: dict[str, set[str]] = {}
        for message, logger in messages(folder):
            printed.setdefault(message, set()).add(logger)
        here = [id for id, (example, loggers) in waiting.items() if printed.get(example, set()) & set(loggers)]
        if here:
            where[name] = sorted(here)
        for id in here:
            del waiting[id]
    return where


def written(where: Mapping[str, Iterable[str]]) -> str:
    """The source of the module that lists where examples were recorded."""
    head, _, _ = MODULE.read_text(encoding="utf-8").partition("RECORDED: ")
    lines = [f"{head}RECORDED: dict[str, str] = {{"]
    for name, ids in where.items():
        rows: list[str] = []
        row = ""
        for id in ids:
            if len(row) > 100:
                rows, row = [*rows, row], ""
            row += f"{id} "
        rows = [*rows, row]
        lines += [f'    "{name}":', *(f'        "{each}"' for each in rows[:-1]), f'        "{rows[-1].rstrip()}",']
    return "\n".join([*lines, "}\n"])


def with_others(where: Mapping[str, list[str]], searched: Iterable[str]) -> dict[str, list[str]]:
    """The new entries, and the module's entries for recordings that were not searched."""
    now = {template_id for ids in where.values() for template_id in ids}
    known = {name: [id for id in ids.split() if id not in now] for name, ids in recorded.RECORDED.items()}
    return {**where, **{name: ids for name, ids in known.items() if ids and name not in set(searched)}}


if __name__ == "__main__":
    given = [(folder.name.replace("__", "/"), folder) for each in sys.argv[1:] for folder in traces(Path(each))]
    MODULE.write_text(written(with_others(found(given), [name for name, _ in given])), encoding="utf-8")
