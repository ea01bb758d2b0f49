"""What pasted lines or files say, at once and without Spark: `explain -`, `explain FILE`, `explain_lines`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from replay.errors import InputError
from replay.knowledge.answer import Answer
from replay.knowledge.answer_text import text_of
from replay.knowledge.explaining import explained
from replay.knowledge.text_lines import Line, lines_of
from replay.reading.secrets import hidden_text

if TYPE_CHECKING:
    from pipelines.found_files import Source

LARGEST = 32 * 2**20  # bytes; what is larger is `analyze`'s
SMALL = 4 * 2**20  # bytes of logs that an analysis explains line by line too
PASTED = "text"


def of_text(text: str) -> Answer:
    """What a text says: one line, or thousands, in any layout."""
    return of_texts({PASTED: text})


def of_texts(texts: Mapping[str, str]) -> Answer:
    """What the texts of some files say together."""
    return explained([line for name, text in texts.items() for line in lines_of(hidden_text(text), name)])


def of_files(paths: Sequence[Path]) -> Answer:
    """What some files, or the files of folders, say together. Raises InputError for what cannot be read."""
    files = [
        file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()
    ]
    if sum(file.stat().st_size for file in files) > LARGEST:
        raise InputError(f"more than {LARGEST // 2**20} MB: kafka-replay analyze reads logs of any size")
    return of_texts({file.name if len(files) == 1 else str(file): _read(file) for file in files})


def of_sources(sources: Sequence[Source]) -> Answer | None:
    """What the logs of a small analysis say line by line; null for larger ones, and where some text is not here."""
    logs = [source for source in sources if not source.is_witness]
    if any(source.is_earlier for source in sources) or sum(source.size for source in logs) > SMALL:
        return None
    lines: list[Line] = []
    of_nodes: dict[str, set[int | None]] = {}
    for source in logs:
        of_nodes.setdefault(source.source_file, set()).add(source.node_id)
        text = hidden_text(source.path.read_text(encoding="utf-8", errors="replace"))
        begin = source.first_line - 1
        lines += [replace(line, number=line.number + begin) for line in lines_of(text, source.source_file)]
    nodes = {file: node for file, of in of_nodes.items() if len(of) == 1 and (node := next(iter(of))) is not None}
    return explained(lines, nodes=nodes)


def _read(file: Path) -> str:
    try:
        raw = file.read_bytes()
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    except (OSError, EOFError) as error:
        raise InputError(f"{file}: {error}") from error
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return raw.decode(encoding, "replace")


def told(answer: Answer, *, as_json: bool = False) -> Iterator[str]:
    """The answer as lines for people, or as JSON."""
    if as_json:
        yield json.dumps(answer.as_json(), ensure_ascii=False, indent=2)
    else:
        yield from text_of(answer)
