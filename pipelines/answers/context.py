"""The records before and after log lines in the same file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.result import Read, frame_of

_PLACE = ("source_file", "line_number")
_OF_A_RECORD = (*_PLACE, "event_id", "level", "raw_ts")
_MOST_LINES = 1 << 40  # more than a file has


def runs(read: Read, event_ids: Iterable[str], count: int) -> list[list[str]]:
    """Each of these records with `count` records before and after it in its file, as event ids in the order of the
    file.

    Overlapping or adjacent runs become one. Only recognized records count as neighbors, because a result keeps no
    others.
    """
    wanted = set(event_ids)
    places = read("events", _PLACE, [("event_id", "in", sorted(wanted))])
    files = sorted(set(places["source_file"].to_pylist()))
    one_more = count + 1  # the record after a run shows that the next run is another
    near = read("events", _OF_A_RECORD, [("source_file", "in", files)], _Near(wanted, places, files, one_more))
    of_files: list[list[str]] = []
    for _, file in frame_of(near).sort_values([*_PLACE, "event_id"]).groupby("source_file", sort=False):
        of_files += _runs_of_file(file, wanted, count)
    return of_files


class _Near:
    """Of some events the recognized records that can be among the `count` records before and after a wanted one: those
    that are so among these events.
    """

    def __init__(self, wanted: Collection[str], places: pa.Table, files: Sequence[str], count: int) -> None:
        self._wanted, self._count = pa.array(sorted(wanted), pa.string()), count
        self._files = pa.array(files, pa.string())
        self._places = self._numbered(places)

    def _numbered(self, events: pa.Table) -> np.ndarray:
        """A number for the place of each event, in the order of files and of their lines."""
        files = pc.index_in(events["source_file"], self._files).to_numpy().astype(np.int64)
        numbers: np.ndarray = files * _MOST_LINES + events["line_number"].to_numpy()
        return numbers

    def __call__(self, events: pa.Table) -> pa.Table:
        is_record = pc.or_(events["level"].is_valid(), events["raw_ts"].is_valid())
        records = events.filter(pc.or_(is_record, pc.is_in(events["event_id"], self._wanted)))
        numbers = self._numbered(records)
        order = np.argsort(numbers, kind="stable")
        first, end = (np.searchsorted(numbers[order], self._places, side) for side in ("left", "right"))
        is_near = np.zeros(len(order), dtype=bool)
        for begin, stop in {*zip(first.tolist(), end.tolist(), strict=True)}:
            is_near[order[max(0, begin - self._count) : stop + self._count]] = True
        return records.filter(pa.array(is_near))


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
