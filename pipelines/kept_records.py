"""The data that a result keeps so that files can be added without the old text: its records as read, and in
`records/files.json` the facts about each file and the options.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.about import product_version
from pipelines.found_files import Inputs, Source, Taken, Text, has_borders
from pipelines.incident import Zones
from pipelines.result_folders import is_result, rows_in
from pipelines.store import FILES, RECORDS, write_json
from replay.errors import InputError
from replay.facts.window import ALL_TIME, TimeWindow
from replay.tables.metrics import SAMPLES

_PRINTED = "printed"
_OF_A_SOURCE = ("source_file", "layout", "node_id", "first_line", "size", "digest", "is_nobodys")
_OF_A_TEXT = ("name", "place", "size", "digest")
_READ_AGAIN = (f"{RECORDS}/{_PRINTED}", f"tables/{SAMPLES.name}")  # the folders that `append` reads
TOGETHER = "analyze all files together"


@dataclass(frozen=True)
class Kept:
    """A result that accepts further files; `stored` is the content of its `records/files.json`.

    `read_as`: for each source with kept records, the node that they were read as, if known. `shown`: the inputs, as
    the page names them.
    """

    out: Path
    stored: bytes
    taken: Taken
    read_as: Mapping[str, int | None]
    shown: Sequence[str]
    layout: str | None
    zones: Zones
    window: TimeWindow = ALL_TIME

    @property
    def folder(self) -> Path:
        """The path of the records."""
        return self.out / RECORDS

    @property
    def file(self) -> Path:
        """The path of the file that holds `stored`."""
        return self.folder / FILES


def keep(result: Path, found: Inputs, shown: Sequence[str], layout: str | None, zones: Zones) -> None:
    """Record which files the kept records of `result` come from."""
    read_as = {source.name: source.node_id for source in found.sources}
    taken = found.taken
    content = {
        "release": product_version(),
        "inputs": list(shown),
        "layout": layout,
        "timezone": zones.all,
        "node_timezones": {str(node): zone for node, zone in sorted(zones.by_node.items())},
        "since": found.window.since and found.window.since.isoformat(),
        "until": found.window.until and found.window.until.isoformat(),
        "places": taken.places,
        "prefix": taken.prefix,
        "sources": [
            _row(source, _OF_A_SOURCE) | {"is_read": source.name in read_as, "read_as": read_as.get(source.name)}
            for source in taken.sources
        ],
        "samples": [_row(source, _OF_A_SOURCE) for source in taken.samples],
        "texts": [_row(text, _OF_A_TEXT) for text in taken.texts],
        "set_aside": taken.set_aside,
        "remarks": taken.remarks,
        "printed": taken.printed,
        "shared": {name: sorted(nodes) for name, nodes in taken.shared.items()},
        "clusters": taken.clusters,
        "rows": {name: rows_in(result / name) for name in _READ_AGAIN if (result / name).is_dir()},
    }
    _write(result, content)


def keep_none(result: Path) -> None:
    """Record that the result keeps no records, because its names are replaced."""
    _write(result, {"release": product_version(), "redacted": True})


def kept(out: Path, *, of_any_release: bool = False) -> Kept:
    """The result `out`, ready for more files, or, with `of_any_release`, for a rebuild. Raises InputError if the
    folder is not a result or keeps no records for that purpose.
    """
    instead = "analyze the logs again" if of_any_release else TOGETHER
    if not is_result(out):
        raise InputError(
            f"{out}: no result of `kafka-replay analyze` (it has no tables); give the folder that --out named"
        )
    file = out / RECORDS / FILES
    if not file.is_file():
        raise InputError(
            f"{out}: keeps no records: an earlier release made it, or it was copied without them; {instead}"
        )
    try:
        stored = file.read_bytes()
        content = json.loads(stored)
        release, is_redacted = content["release"], content.get("redacted", False)
        if (of_any_release or release == product_version()) and not is_redacted:
            found = _kept(out, stored, content)
            _check(out, content.get("rows", {}))
            return found
    except (OSError, ValueError, LookupError, TypeError, pa.ArrowException) as error:
        raise InputError(
            f"{out}: the records that it keeps cannot be read ({str(error).splitlines()[0][:120]}); {instead}"
        ) from error
    if is_redacted:
        why = "so it keeps no records" if of_any_release else "and would be by others with more files"
        raise InputError(f"{out}: names are replaced in it (--redact), {why}; {instead}, with --redact")
    raise InputError(
        f"{out}: was made by kafka-replay {release}; this is {product_version()}, which may read the same lines "
        f"differently; make it again with `analyze --rebuild {out}`, or {TOGETHER}"
    )


def _kept(out: Path, stored: bytes, content: Mapping[str, Any]) -> Kept:
    sources, read_as = [], {}
    for number, row in enumerate(content["sources"]):
        name = f"earlier-{number:06d}"
        sources.append(
            Source(name, Path(name), **{field: row[field] for field in _OF_A_SOURCE}, as_of=None, is_earlier=True)
        )
        if row["is_read"]:
            read_as[name] = row["read_as"]
    taken = Taken(
        sources=sources,
        texts=[Text(**row) for row in content["texts"]],
        set_aside=list(_pairs(content["set_aside"])),
        remarks=list(_pairs(content["remarks"])),
        printed=dict(content["printed"]),
        shared={name: set(nodes) for name, nodes in content["shared"].items()},
        clusters=[(name, cluster, node) for name, cluster, node in content["clusters"]],
        samples=[_earlier_samples(row) for row in content.get("samples", ())],
        places=list(content["places"]),
        prefix=content["prefix"],
    )
    zones = Zones(content["timezone"], {int(node): zone for node, zone in content["node_timezones"].items()})
    since, until = (time and datetime.fromisoformat(time) for time in (content.get("since"), content.get("until")))
    window = TimeWindow(since, until, has_borders(sources))
    return Kept(out, stored, taken, read_as, list(content["inputs"]), content["layout"], zones, window)


def _earlier_samples(row: Mapping[str, Any]) -> Source:
    """A file with samples of metrics; the result has those from about the times of its incidents."""
    return Source("earlier-samples", Path("earlier-samples"), **row, as_of=None, is_earlier=True)


def _pairs(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    yield from ((name, text) for name, text in rows)


def _check(out: Path, rows: Mapping[str, int]) -> None:
    """Raises OSError, ValueError or ArrowException if a Parquet file of what `append` reads is missing or damaged.
    `rows`: how many rows were written to each folder.
    """
    files = list((out / RECORDS / _PRINTED).glob("*.parquet"))
    if not files:
        raise FileNotFoundError(f"no {_PRINTED}")
    for file in files:
        pq.read_metadata(file)
    for name, written in rows.items():
        if (out / name).is_dir() and rows_in(out / name) not in (written, None):
            raise ValueError(f"files of {name} are missing, or are of another result")


def _row(of: Source | Text, names: Sequence[str]) -> dict[str, object]:
    return {field.name: getattr(of, field.name) for field in fields(of) if field.name in names}


def _write(result: Path, content: Mapping[str, object]) -> None:
    folder = result / RECORDS
    folder.mkdir(exist_ok=True)
    write_json(folder / FILES, content)
