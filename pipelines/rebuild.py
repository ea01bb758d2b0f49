"""`analyze --rebuild`: makes a result again from its kept records, for example after an upgrade, without the old
text.

The templates of this release match the lines again; the rest is the same as in any other run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.found_files import Earlier, Inputs, checked
from pipelines.kept_records import kept
from pipelines.main_job import Job, Outcome, format_of, made
from pipelines.store import put_back

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def rebuild(
    out: Path,
    *,
    graphframes: str | None = None,
    spark: SparkSession | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> Outcome:
    """Make the result `out` again from its own records, with its own options. The new one replaces it in one step.

    Raises InputError for a result that keeps no records, OutputError or SetupError for problems that the user can fix;
    `out` is then unchanged.
    """
    put_back(out)
    before = kept(out, of_any_release=True)

    def gather(paths: Sequence[str], nodes: object, work: Path, **options: Any) -> Inputs:
        (work / "files").mkdir(parents=True)
        found = checked(before.taken, str(out))
        return replace(found, earlier=Earlier(before.folder, is_read_again=True), window=before.window)

    job = Job((), out, None, before.layout, before.zones, before, format=format_of(out))
    return made(job, gather=gather, graphframes=graphframes, spark=spark, on_step=on_step)
