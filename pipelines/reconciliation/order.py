"""Which leader epoch a record belongs to, from the order of the records around it.

Within one leader epoch offsets rise with time. Of two records whose offsets fall while the time rises, only one can
belong to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

JITTER = 500_000  # microseconds within which acknowledgements can arrive in any order
APART = 2 * JITTER  # times that are never taken for simultaneous
_ROUNDS = 8


def narrowed(
    ts: np.ndarray, offset: np.ndarray, possible: np.ndarray, offsets_of: Sequence[tuple[int, int]]
) -> np.ndarray:
    """The parts of the log that each record can belong to, given all the others.

    `possible` has a row for each record and a column for each part, oldest first; `offsets_of` has the offsets of each.
    """
    order = np.lexsort((offset, ts))
    ts, offset, now = ts[order], offset[order], possible[order]
    for _ in range(_ROUNDS):
        then = _round(ts, offset, now)
        if np.array_equal(then, now):
            break
        now = then
    now = _by_fall(ts, offset, now, offsets_of)
    result = np.empty_like(possible)
    result[order] = now
    return result


def _round(ts: np.ndarray, offset: np.ndarray, possible: np.ndarray) -> np.ndarray:
    """The parts that agree with the records that certainly belong to them; all of them where none agrees."""
    choices = possible.sum(axis=1)
    unsure = np.flatnonzero(choices > 1)
    left = possible[unsure]
    for part in range(possible.shape[1]):
        asked = np.flatnonzero(left[:, part])
        sure = np.flatnonzero((choices == 1) & possible[:, part])
        if len(asked) and len(sure):
            places = unsure[asked]
            left[asked, part] = _agrees((ts[sure], offset[sure]), ts[places], offset[places])
    none = ~left.any(axis=1)
    left[none] = possible[unsure[none]]
    found = possible.copy()
    found[unsure] = left
    return found


def _agrees(sure: tuple[np.ndarray, np.ndarray], ts: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Whether each record can belong to the part that the sure ones, in the order of time, belong to."""
    times, offsets = sure
    before = np.searchsorted(times, ts - JITTER, side="left")
    after = np.searchsorted(times, ts + JITTER, side="right")
    highest = np.concatenate(([-1], np.maximum.accumulate(offsets)))
    lowest = np.concatenate((np.minimum.accumulate(offsets[::-1])[::-1], [np.iinfo(np.int64).max]))
    agrees = (highest[before] <= offset) & (lowest[after] >= offset)
    known, first = np.unique(offsets, return_index=True)
    at = np.minimum(np.searchsorted(known, offset), len(known) - 1)
    is_taken = known[at] == offset  # by the same acknowledgement, or by another record
    return np.where(is_taken, times[first[at]] == ts, agrees)


def _by_fall(
    ts: np.ndarray, offset: np.ndarray, possible: np.ndarray, offsets_of: Sequence[tuple[int, int]]
) -> np.ndarray:
    """Where the offsets of the records that are left fall once while time rises, their producer, or their consumer, changed
    to the leader of the latest leader epoch: it does not return to that of an earlier one. The offsets of the earlier
    parts must rise, so that only this change lets them fall.
    """
    left = np.flatnonzero(possible.sum(axis=1) > 1)
    if not len(left):
        return possible
    mine = possible[left]
    last = mine.shape[1] - 1 - np.argmax(mine[:, ::-1], axis=1)
    earlier = [offsets_of[part] for part in np.flatnonzero(mine.any(axis=0)).tolist() if part != last[0]]
    if (last != last[0]).any() or any(then[0] < one[1] for one, then in pairwise(earlier)):
        return possible
    falls = np.flatnonzero((np.diff(offset[left]) <= 0) & (np.diff(ts[left]) > 0)) + 1
    if len(falls) != 1:
        return possible
    is_later = np.arange(len(left)) >= falls[0]
    mine[is_later] = False
    mine[:, last[0]] = is_later
    found = possible.copy()
    found[left] = mine
    return found


def matrix(parts_of: Mapping[int, Sequence[int]], at: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """For each record the parts that its cell leaves open, as `narrowed` reads them, and the number of each part."""
    parts = sorted({part for mine in parts_of.values() for part in mine})
    cells = np.array(sorted(parts_of))
    rows = np.array([[part in parts_of[cell] for part in parts] for cell in cells.tolist()], dtype=bool)
    return rows[np.searchsorted(cells, at)], parts
