"""`kafka-replay index`: one page of many results, which shows the trend from week to week. Without Spark."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pipelines.about import product_version
from pipelines.answers import incidents
from pipelines.answers.frames import rows
from pipelines.findings_json import SCHEMA_VERSION
from pipelines.glossary import glossary
from pipelines.result import Result
from replay.errors import InputError, OutputError
from replay.faults.kinds import BY_NAME
from viz import frames
from viz.all_clear import names_none
from viz.index_page import Fault, LeftOut, Listed, index_page
from viz.phrases import counted, listed
from viz.summary import chosen

_MOST_SEEN = 10
_MADE_BY_US = 'content="kafka-replay index '


def index(folders: Sequence[Path], out: Path, *, by: str | None = None) -> Iterator[str]:
    """Write the page of all results under `folders`, each a result or a folder of results, and print what it contains.

    `by` is the width of a column: `day`, `week` or `month` (none: by the length of the time range). A result that
    cannot be read is named. Raises InputError if none can be read, OutputError if the output path holds another file.
    """
    found: list[Listed] = []
    left_out: list[LeftOut] = []
    for folder, is_named in _candidates(folders):
        if is_named is not None:
            left_out.append(LeftOut(str(folder), is_named))
            continue
        try:
            found.append(_listed(folder, out))
        except InputError as error:
            left_out.append(LeftOut(str(folder), str(error).removeprefix(f"{folder}: ")))
    if not found:
        reasons = "; ".join(f"{one.name}: {one.why}" for one in left_out[:3])
        raise InputError(f"no result that can be read: {reasons}{' …' if len(left_out) > 3 else ''}")
    names = dict(glossary()[["code", "name"]].itertuples(index=False))
    elsewhere = [LeftOut(_from(out, Path(one.name)), one.why) for one in left_out]
    _put(out, index_page(_with_versions(found), elsewhere, names=names, version=product_version(), by=by))
    clusters = {one.cluster for one in found if one.cluster}
    yield f"{out}: {counted(len(found), 'result')}" + (f" of {counted(len(clusters), 'cluster')}" if clusters else "")
    yield from seen_again(found, names)
    yield from (f"Not counted: {one.name}: {one.why}" for one in left_out)


def seen_again(found: Sequence[Listed], names: Mapping[str, str]) -> Iterator[str]:
    """A line for each kind of fault that one broker of one cluster had on several days, the most days first."""
    days: dict[tuple[str, str, int], dict[str, str]] = defaultdict(dict)
    for result in sorted(found, key=lambda one: (one.began is None, one.began or 0, one.name)):
        for fault in result.faults:
            if not fault.is_routine and fault.broker_id is not None:
                of_broker = days[result.cluster or "", fault.code, fault.broker_id]
                of_broker.setdefault(f"{fault.ts:%Y-%m-%d}", result.name)
    again = sorted(((key, on) for key, on in days.items() if len(on) > 1), key=lambda one: (-len(one[1]), one[0]))
    clusters = {key[0] for key, _ in again}
    for (cluster, code, broker_id), on in again[:_MOST_SEEN]:
        which = f" of cluster {cluster}" if len(clusters) > 1 and cluster else ""
        results = listed([f"{day} ({name})" for day, name in sorted(on.items())])
        yield f"Seen before: {code} {names.get(code, '')}, broker {broker_id}{which}: {counted(len(on), 'day')}: {results}"
    if len(again) > _MOST_SEEN:
        yield f"{counted(len(again) - _MOST_SEEN, 'more fault')} seen on several days: on the page."


def _candidates(folders: Sequence[Path]) -> Iterator[tuple[Path, str | None]]:
    """Each folder that may be a result, once, and None; or a given folder that is not a result, and the reason."""
    seen: set[Path] = set()
    for named in folders:
        if not named.is_dir():
            yield named, "no such folder"
            continue
        inside = [named] if _may_be(named) else [child for child in sorted(named.iterdir()) if _may_be(child)]
        if not inside:
            yield named, "neither a result of `kafka-replay analyze` nor a folder of results"
        for folder in inside:
            if folder.resolve() not in seen:
                seen.add(folder.resolve())
                yield folder, None


def _may_be(folder: Path) -> bool:
    """Whether a run wrote something there; an unfinished one begins with a dot."""
    has_part = (folder / "tables").is_dir() or (folder / "findings.json").is_file()
    return has_part and not folder.name.startswith(".")


def _listed(folder: Path, out: Path) -> Listed:
    """A result as the page lists it. Raises InputError if it cannot be read or has another schema version."""
    result, content = Result(folder), _findings(folder)
    version = str(content.get("product", {}).get("version", "of an unknown version"))
    if content.get("schema_version") != SCHEMA_VERSION:
        raise InputError(
            f"made by kafka-replay {version}, with another schema version ({content.get('schema_version')}, not "
            f"{SCHEMA_VERSION}): analyze its logs again"
        )
    if lacks := result.lacks(*incidents.NEEDED, "faults"):
        raise InputError(lacks)
    try:
        tables = incidents.tables_of(result) | result.tables("faults")
    except InputError as error:
        raise InputError(
            f"made by kafka-replay {version}, its tables cannot be read: analyze its logs again"
        ) from error
    files, cases = tables["coverage"], frames.rows(frames.tidy(tables["incidents"], "incidents"))
    worst = chosen(frames.tidy(tables["incidents"], "incidents"), None)
    times = files[["first_ts", "last_ts"]].dropna()
    report = folder / "report.html"
    return Listed(
        name=_from(out, folder),
        link=quote(_from(out, report)) if report.is_file() else None,
        began=times.first_ts.min() if len(times) else None,
        ended=times.last_ts.max() if len(times) else None,
        cluster=listed(content["cluster"]["cluster_ids"]) or None,
        is_redacted=any(note.startswith("Names: ") for note in content["notes"]),
        told=incidents.title(tables, content["lines"]),
        severity=worst and worst.severity,
        incidents=len(cases),
        lost=_lost(cases),
        version=version,
        faults=tuple(_faults(tables)),
        notes=() if report.is_file() else ("its report.html is not there",),
    )


def _findings(folder: Path) -> dict[str, Any]:
    """The content of `findings.json`. Raises InputError if it cannot be read."""
    try:
        content = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("findings.json is not there") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"findings.json cannot be read ({str(error)[:80]})") from error
    if not isinstance(content, dict):
        raise InputError("findings.json is not from `kafka-replay analyze`")
    return content


def _faults(tables: Mapping[str, Any]) -> Iterator[Fault]:
    """The faults of a result, with the severity of the finding, or else that of the kind."""
    found = tables["findings"]
    severity = dict(zip(found.finding_id, found.severity, strict=True)) if len(found) else {}
    for fault in rows(tables["faults"]):
        kind = BY_NAME.get(fault.kind)
        worst = severity.get(fault.fault_id) or (kind.severity if kind else "medium")
        yield Fault(fault.fault_id, fault.code, fault.broker_id, fault.ts, worst, bool(kind and kind.routine))


def _lost(cases: Sequence[Any]) -> str:
    """The lost committed records, in the words of the incidents; a dash if there are none."""
    if not cases:
        return "–"
    losses = list(dict.fromkeys(case.lost_committed or "not known" for case in cases))
    return "; ".join(text for text in losses if not names_none(text)) or losses[0]


def _with_versions(found: Sequence[Listed]) -> list[Listed]:
    """The results. Those of another version than most get a note: it may find more or less in the same logs."""
    usual = Counter(one.version for one in found).most_common(1)[0][0]
    odd = "another version than most, which may find more or less"
    return [one if one.version == usual else replace(one, notes=(odd, *one.notes)) for one in found]


def _from(page: Path, there: Path) -> str:
    """A path relative to the page, so that both can be moved together and the page contains no path of this machine."""
    try:
        return Path(os.path.relpath(there.resolve(), page.resolve().parent)).as_posix()
    except ValueError:  # on another drive of Windows
        return there.resolve().as_posix()


def _put(out: Path, page: str) -> None:
    """Write the page in one step. Raises OutputError if another kind of file is in the way, or if it cannot be
    written.
    """
    beside = out.parent / f".{out.name}.part"
    try:
        if out.exists() and (not out.is_file() or _MADE_BY_US not in out.read_text("utf-8", "replace")[:2_000]):
            raise OutputError(f"{out}: exists, and is no page of `kafka-replay index`; give another place")
        beside.write_text(page, encoding="utf-8")
        beside.replace(out)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise OutputError(f"{out}: cannot be written ({error.strerror or error})") from error
