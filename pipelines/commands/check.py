"""`kafka-replay check`: the verdicts of an analysis as JUnit test cases, for CI and chaos tests."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from pipelines.answers.frames import rows
from pipelines.result import Result
from pipelines.result_folders import is_result
from pipelines.scratch import work_folder
from replay.errors import InputError, OutputError
from replay.invariants.rules import INVARIANTS
from viz.phrases import at_most, counted

KINDS = ("invariant", "loss", "root-cause")
"""What fails a check: a violated invariant, a proven loss, a root cause."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CLEAN = ("NO_LOSS_OBSERVED", "NO_COMMITTED_LOSS_BY_PROTOCOL")


@dataclass(frozen=True)
class Case:
    """One test case. `failure`: what is wrong; `skipped`: why it cannot be decided; without both it passes."""

    kind: str
    name: str
    failure: str | None = None
    skipped: str | None = None
    evidence: Sequence[str] = ()


def check(
    inputs: Sequence[str], junit: Path, *, fail_on: Collection[str] = KINDS, overwrite: bool = False, **options: Any
) -> tuple[list[str], bool]:
    """The lines to print, and whether a case of a kind in `fail_on` failed; writes the cases to `junit`.

    `inputs` are logs, or one folder that `analyze` wrote; logs are analyzed with `options` and the result is not kept.
    Raises InputError for inputs that cannot be analyzed, OutputError if `junit` cannot be written.
    """
    if junit.exists() and not overwrite:
        raise OutputError(f"{junit} exists; give another --junit, or --overwrite")
    if len(inputs) == 1 and is_result(Path(inputs[0])):
        found = list(cases(Result(Path(inputs[0]))))
    elif any(is_result(Path(one)) for one in inputs):
        raise InputError("give logs, or one folder that `analyze` wrote, not both")
    else:
        from pipelines.main_job import analyze

        with work_folder() as work:
            analyze(inputs, work / "result", **options)
            found = list(cases(Result(work / "result")))
    _write(junit, found)
    return list(_report(found, junit)), any(one.failure is not None and one.kind in fail_on for one in found)


def cases(source: Result) -> Iterator[Case]:
    """One case for each invariant, each judged partition, and each root cause."""
    limits = [row.statement or row.would_tell for row in rows(source.table("limits"))]
    yield from _invariants(source)
    yield from _losses(source, limits)
    yield from _root_causes(source, limits)


def _invariants(source: Result) -> Iterator[Case]:
    by_invariant: dict[str, list[Any]] = defaultdict(list)
    for row in rows(source.table("violations")):
        by_invariant[row.invariant].append(row)
    for rule in INVARIANTS:
        name = f"{rule.id} {rule.name}"
        broken = [row for row in by_invariant[rule.id] if row.verdict == "violated"]
        unknown = [row for row in by_invariant[rule.id] if row.verdict != "violated"]
        if broken:
            yield Case("invariant", name, failure=at_most(map(_violation, broken), 5), evidence=_evidence(broken))
        elif unknown:
            yield Case("invariant", name, skipped=at_most(map(_violation, unknown), 5), evidence=_evidence(unknown))
        else:
            yield Case("invariant", name)


def _violation(row: Any) -> str:
    where = "" if row.topic is None else f"{row.topic}-{row.partition}: "
    return f"{where}{row.detail}"


def _losses(source: Result, limits: Sequence[str]) -> Iterator[Case]:
    by_partition: dict[str, list[Any]] = defaultdict(list)
    for row in rows(source.table("losses").sort_values(["topic", "partition", "ts", "from_offset"])):
        by_partition[f"{row.topic}-{row.partition}"].append(row)
    for name, judged in by_partition.items():
        proven = [row for row in judged if row.verdict == "PROVEN_LOSS"]
        undecided = [row for row in judged if row.verdict not in (*_CLEAN, "PROVEN_LOSS")]
        if proven:
            yield Case("loss", name, failure=at_most(map(_lost, proven), 5), evidence=_evidence(proven))
        elif undecided:
            yield Case("loss", name, skipped=at_most(map(_lost, undecided), 5), evidence=_evidence(undecided))
        else:
            yield Case("loss", name)
    if not by_partition:
        yield Case("loss", "no partition was judged", skipped=limits[0] if limits else None)


def _lost(row: Any) -> str:
    ends = ["unknown" if end is None else str(end) for end in (row.to_offset_low, row.to_offset_high)]
    return (
        f"{row.verdict} in leader epoch {row.leader_epoch}: from offset {row.from_offset} to at least {ends[0]}, at most {ends[1]}"
        f" ({row.loss_class}): {row.premise or 'no premise'}"
    )


def _root_causes(source: Result, limits: Sequence[str]) -> Iterator[Case]:
    roots = [row for row in rows(source.table("findings")) if row.role == "root_cause"]
    for row in roots:
        yield Case(
            "root-cause", f"{row.code} {row.title}", failure=row.summary or row.title, evidence=row.evidence or ()
        )
    if not roots:
        yield Case("root-cause", "no root cause was found", skipped=limits[0] if limits else None)


def _evidence(found: Sequence[Any]) -> Sequence[str]:
    return tuple(dict.fromkeys(one for row in found for one in (row.evidence or ())))[:10]


def _write(junit: Path, found: Sequence[Case]) -> None:
    """The cases as JUnit XML, written in one step."""
    root = ET.Element("testsuites", name="kafka-replay")
    for kind in KINDS:
        own = [one for one in found if one.kind == kind]
        suite = ET.SubElement(
            root,
            "testsuite",
            name=kind,
            tests=str(len(own)),
            failures=str(sum(one.failure is not None for one in own)),
            errors="0",
            skipped=str(sum(one.failure is None and one.skipped is not None for one in own)),
        )
        for one in own:
            case = ET.SubElement(suite, "testcase", classname=f"kafka-replay.{kind}", name=_xml(one.name))
            if one.failure is not None:
                failure = ET.SubElement(case, "failure", message=_xml(one.failure))
                failure.text = _xml("\n".join(one.evidence))
            elif one.skipped is not None:
                ET.SubElement(case, "skipped", message=_xml(one.skipped))
    beside = junit.with_name(f".{junit.name}-kafka-replay")
    try:
        ET.ElementTree(root).write(beside, encoding="utf-8", xml_declaration=True)
        os.replace(beside, junit)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise OutputError(f"{junit}: cannot be written ({error.strerror})") from error


def _xml(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _NOT_XML.sub("\ufffd", text)


def _report(found: Sequence[Case], junit: Path) -> Iterator[str]:
    for one in found:
        if one.failure is not None:
            proof = f"  [{one.evidence[0]}]" if one.evidence else ""
            yield f"FAILED   {one.kind}  {one.name}: {one.failure.splitlines()[0][:200]}{proof}"
    failed = sum(one.failure is not None for one in found)
    skipped = sum(one.failure is None and one.skipped is not None for one in found)
    yield f"{junit}: {counted(len(found), 'case')}: {failed} failed, {skipped} cannot be decided, {len(found) - failed - skipped} passed."
