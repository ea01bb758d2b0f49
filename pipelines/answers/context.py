"""The records before and after log lines in the same file."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from pipelines.result import Read, frame_of


def runs(read: Read, event_ids: Iterable[str], count: int) -> list[list[str]]:
    """Each of these records with `count` records before and after it in its file, as event ids in the order of the
    file.

    Overlapping or adjacent runs become one. Only recognized records count as neighbors, because a result keeps no
    others.
    """
    wanted = set(event_ids)
    held = frame_of(read("events", ["event_id", "source_file"], [("event_id", "in", sorted(wanted))]))
    files = sorted(set(held.source_file))
    columns = ["event_id", "source_file", "line_number", "level", "raw_ts"]
    every = frame_of(read("events", columns, [("source_file", "in", files)]))
    records = every[every.level.notna() | every.raw_ts.notna() | every.event_id.isin(wanted)]
    of_files: list[list[str]] = []
    for _, file in records.sort_values(["source_file", "line_number", "event_id"]).groupby("source_file", sort=False):
        of_files += _runs_of_file(file, wanted, count)
    return of_files


def _runs_of_file(file: pd.DataFrame, wanted: set[str], count: int) -> Iterable[list[str]]:
    """The runs of one file; its rows are in order."""
    ids = file.event_id.to_numpy()
    is_near = np.zeros(len(ids), dtype=bool)
    for place in np.flatnonzero(file.event_id.isin(wanted).to_numpy()):
        is_near[max(0, place - count) : place + count + 1] = True
    near = np.flatnonzero(is_near)
    for run in np.split(near, np.flatnonzero(np.diff(near) > 1) + 1):
        if len(run):
            yield [str(name) for name in ids[run]]
