"""Results made in one process, without Java: the tables, `findings.json` and the page of small logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow.parquet as pq

from pipelines import pages
from pipelines.answers.found_faults import faults_found
from pipelines.answers.lines import of_run, of_small_run
from pipelines.found_files import Inputs
from pipelines.incident import Zones, parsed_here, replayed_here
from pipelines.inputs import gather
from pipelines.memory_store import MemoryStore
from pipelines.scratch import work_folder
from pipelines.window import Asked, in_window
from replay.tables import DECLARED


def result_here(inputs: Sequence[Path], out: Path, since: str | None = None) -> Path:
    """The result of these files in the folder `out`, as `analyze` writes it, without the data for `append`."""
    zones = Zones()
    found_in: Callable[..., Inputs] = gather if since is None else in_window(gather, Asked(since, None, None), zones)
    with work_folder() as work:
        found = found_in(list(inputs), {}, work)
        store = MemoryStore()
        understood = parsed_here(found, store, zones)
        replayed_here(understood, store)
        for name in sorted(DECLARED):
            if store.holds(name):
                folder = out / "tables" / name
                folder.mkdir(parents=True)
                pq.write_table(store.columns(name), folder / "part-0.parquet")
        faults = faults_found(store)
        answer = None if understood.doubtful else of_small_run(found.sources, faults)
        found.remarks += understood.remarks
        pages.written(out, found, [str(one) for one in inputs], answer or of_run(store, faults))
    return out
