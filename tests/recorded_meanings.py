"""The entries of packs that lines of recordings have: `python -m tests.recorded_meanings FOLDER...` prints the key, the
recording and a line of each entry that is not marked as recorded; `--write` marks them in their packs.

A folder holds recordings, one folder each. An entry counts if an engine that reads the line by itself gives it this
meaning, or this meaning to its exception.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from replay.knowledge.line_values import read_line
from replay.knowledge.meaning import RECORDED
from replay.knowledge.meanings import MEANINGS
from replay.knowledge.naming import subjects
from replay.reading.printed_line import Line
from replay.reading.texts import lines_of

PACKS = Path(__file__).parent.parent / "replay" / "knowledge" / "packs"
TRACES = Path(__file__).parent.parent / "traces"
# A line of Kafka, of librdkafka, or of JSON.
_BEGINS = re.compile(r"(?m)^(?=\[\d{4}-\d\d-\d\d[ T]|\d{4}-\d\d-\d\d[ T]\d\d:|%[0-7]\||\{\")")
_DIGITS = str.maketrans("123456789", "000000000")
_AT_ONCE = 400  # records
_LONGEST = 20_000  # characters of a record
_LARGEST = 64 * 2**20  # bytes of a file


def places_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """The log files below a folder, each with what it is a recording of."""
    for file in sorted(folder.rglob("*")):
        is_log = re.search(r"\.log(?:[.-][\w.-]+)?$|\.out$|\.txt$", file.name) is not None
        if not is_log or not file.is_file() or file.stat().st_size > _LARGEST:
            continue
        name = file.relative_to(folder).parts[0] if file.parent != folder else folder.name
        if "__" in name:
            of = f"github.com/{name.replace('__', '/', 1)}"
        elif name.startswith("unnamed"):
            of = "a public log"
        else:
            of = f"traces/{name}" if (TRACES / name).is_dir() else f"a recording of {name}"
        yield of, file


def records_in(files: Iterable[tuple[str, Path]]) -> Iterator[tuple[str, Line]]:
    """One record of each wording, with its place."""
    known: set[str] = set()
    for place, file in files:
        text = (gzip.open if file.suffix == ".gz" else open)(file, "rb").read().decode("utf-8", "replace")
        fresh = []
        for record in _BEGINS.split(text):
            wording = record[26:400].translate(_DIGITS)
            if wording.strip() and wording not in known:
                known.add(wording)
                fresh.append(record[:_LONGEST])
        for begin in range(0, len(fresh), _AT_ONCE):
            for line in lines_of("".join(fresh[begin : begin + _AT_ONCE]), file.name):
                yield place, line


def found_in(folders: Iterable[Path]) -> dict[str, tuple[str, str]]:
    """For each entry that is not recorded: the first recording with its line, and the line."""
    waiting = {one.key for one in MEANINGS if one.seen != RECORDED}
    found: dict[str, tuple[str, str]] = {}
    for place, line in records_in(one for folder in folders for one in places_of(folder)):
        read = read_line(line, subjects([line]))
        for meaning in (read.wording, read.cause):
            if meaning is not None and meaning.key in waiting:
                found.setdefault(meaning.key, (place, line.text[:300].replace("\n", " ")))
    return found


def mark(found: dict[str, tuple[str, str]]) -> None:
    """Marks the entries as recorded in their packs."""
    for pack in PACKS.glob("*.toml"):
        parts = re.split(r"(?m)^(?=\[[\w.-]+\]$)", pack.read_text(encoding="utf-8"))
        pack.write_text("".join(_marked(part, found) for part in parts), encoding="utf-8")


def _marked(part: str, found: dict[str, tuple[str, str]]) -> str:
    key = part.partition("]")[0].removeprefix("[")
    is_bug = re.search(r"(?m)^title = ", part) is not None  # a known bug can have the key of a meaning
    if key not in found or is_bug:
        return part
    place = found[key][0]
    cited = re.search(r'(?m)^seen_in = "([^"\n]*)"\n', part)
    where = f'seen_in = "{place}{f"; {cited[1]}" if cited else ""}"\n'
    part = re.sub(r'(?m)^seen_in = "[^"\n]*"\n', "", part)
    return re.sub(r'(?m)^seen = "(?:unseen|quoted)"\n', f'seen = "{RECORDED}"\n{where}', part)


if __name__ == "__main__":
    entries = found_in([Path(name) for name in sys.argv[1:] if not name.startswith("--")])
    for key, (place, line) in sorted(entries.items()):
        print(f"{key}\t{place}\t{line}")
    if "--write" in sys.argv:
        mark(entries)
