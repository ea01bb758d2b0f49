"""What a new release prints that this project does not know yet: `make learn RELEASE=4.5.0` (docs/new-release.md).

`python -m tests.learn RELEASE RECORDING... [--extend]` reads recordings of that release and prints

1. the wordings that no template knows, each as the draft of a template;
2. the templates that were read, whose releases end before this one;
3. what the nearest bundled recording has and none of these: wordings that may be gone;
4. what the analysis of each recording says against what the cluster itself knew.

With `--extend` it writes the release into the ranges of the templates of part 2, in replay/catalogue/templates.
"""

from __future__ import annotations

import csv
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from pipelines.catalogue import unmatched
from pipelines.inputs import gather
from pipelines.main_job import analyze
from pipelines.reading import records_here
from replay.catalogue import TEMPLATES
from replay.catalogue.template_files import templates_in, written
from tests.recordings import TRACES

_TEMPLATES = TRACES.parent / "replay" / "catalogue" / "templates"
_RELEASE = r"\d[\d.]*(?:-dev)?"
_LAST_RANGE = re.compile(rf"({_RELEASE})(?:-{_RELEASE})?$")
_ONCE = 60  # characters of a template's text, to know it by


def release_key(release: str) -> tuple[int, ...]:
    """A release as numbers, so that releases can be compared."""
    return tuple(map(int, release.split(".")))


def ends_before(seen: str, release: str) -> bool:
    """Whether all ranges of releases in which a template was read (`first-last first-last`) end before `release`."""
    return all(release_key(span.removesuffix("-dev").split("-")[-1]) < release_key(release) for span in seen.split())


def extended(table: str, ids: Collection[str], release: str) -> str:
    """A table of templates in which the last range of these templates ends with `release`."""
    return written(
        replace(template, seen=_LAST_RANGE.sub(rf"\1-{release}", template.seen)) if template.id in ids else template
        for template in templates_in(table, "the table")
    )


def read_templates(recordings: Iterable[Path]) -> Counter[str]:
    """How many records each template knows in the inputs of recordings."""
    found: Counter[str] = Counter()
    for recording in recordings:
        with tempfile.TemporaryDirectory() as work:
            records = records_here(gather([recording / "input"], {}, Path(work)))
            found.update(record.template_id for record in records if record.template_id)
    return found


def nearest(release: str, mode: str) -> list[Path]:
    """The bundled recordings of the latest release that is not newer than this one, in the same mode."""
    named = re.compile(rf".*-{mode}-([\d.]+)$")
    bundled = [(release_key(found[1]), path) for path in TRACES.iterdir() if (found := named.match(path.name))]
    latest = max((key for key, _ in bundled if key <= release_key(release)), default=None)
    return sorted(path for key, path in bundled if key == latest)


def read_and_older(read: Collection[str], release: str) -> list[str]:
    """The templates that were read and whose ranges of releases end before `release`."""
    return [template.id for template in TEMPLATES if template.id in read and ends_before(template.seen, release)]


def extend(release: str, recordings: Iterable[Path]) -> None:
    """Writes `release` into the ranges of the templates that were read and whose ranges end before it."""
    older = read_and_older(read_templates(recordings), release)
    for file in _TEMPLATES.glob("*.tsv"):
        table = file.read_text(encoding="utf-8")
        if (after := extended(table, older, release)) != table:
            file.write_text(after, encoding="utf-8")


def report(release: str, recordings: list[Path]) -> Iterator[str]:
    """The four parts, as text."""
    yield f"1. Wordings of {release} that no template knows"
    yield from unmatched([str(recording / "input") for recording in recordings])
    read = read_templates(recordings)
    mode = "zk" if any((recording / "input" / "node-0").exists() for recording in recordings) else "kraft"
    older = read_and_older(read, release)
    yield f"\n2. {len(older)} of {len(read)} templates that were read name no release from {release} on"
    yield f"   --extend writes {release} into their ranges: {' '.join(older)}"
    before = nearest(release, mode)
    yield f"\n3. Read in {', '.join(path.name for path in before) or 'no bundled recording'}, and in none of these"
    gone = read_templates(before) - Counter(dict.fromkeys(read, sys.maxsize))
    texts = {template.id: template.text for template in TEMPLATES}
    yield from (
        f"   {one}  {count:>5} times  {texts[one].splitlines()[0][:_ONCE]}" for one, count in gone.most_common()
    )
    yield "\n4. The analysis against what the cluster knew"
    for recording in recordings:
        yield f"   {recording.name}: {', '.join(held_against_truth(recording))}"


def held_against_truth(recording: Path) -> Iterator[str]:
    """Which leader epochs and ISRs of an analysis the cluster's own record has, and which it does not have."""
    with open(recording / "truth" / "partition_states.csv", newline="") as file:
        states = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as out:
        analyze([str(recording / "input")], Path(out) / "result")
        tables = Path(out) / "result" / "tables"
        epochs, spans = pd.read_parquet(tables / "leader_epochs"), pd.read_parquet(tables / "isr_spans")
    knew = {(s["topic"], int(s["partition"]), int(s["leader_epoch"]), int(s["leader_id"])) for s in states}
    columns = ["topic", "partition", "leader_epoch", "leader_id"]
    told = set(epochs[epochs.leader_id >= 0][columns].astype({"leader_id": int}).itertuples(index=False, name=None))
    yield _shares("leader epochs", told, {key for key in knew if key[3] >= 0})
    isrs = {(s["topic"], int(s["partition"]), frozenset(map(int, s["isr"].split()))) for s in states}
    known = spans[spans.isr.notna()]
    yield _shares("ISRs", {(s.topic, s.partition, frozenset(map(int, s.isr))) for s in known.itertuples()}, isrs)


def _shares(what: str, told: set[tuple[object, ...]], knew: set[tuple[object, ...]]) -> str:
    wrong = len({key for key in told if key[0] in {known[0] for known in knew}} - knew)
    return f"{len(told & knew)} of {len(knew)} {what} found, {wrong} wrong"


def main() -> None:
    """Prints the report, or extends the ranges."""
    arguments = [one for one in sys.argv[1:] if one != "--extend"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    release, recordings = arguments[0], [Path(name) for name in arguments[1:]]
    if "--extend" in sys.argv:
        extend(release, recordings)
        return
    for line in report(release, recordings):
        print(line)


if __name__ == "__main__":
    main()
