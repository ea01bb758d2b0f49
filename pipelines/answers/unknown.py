"""The blind spots of a result: what its logs cannot show, and which files would show it."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from pipelines.answers.frames import rows


def as_text(spots: pd.DataFrame, about: tuple[pd.Timestamp, pd.Timestamp] | None = None) -> Iterator[str]:
    """The rows of `blind_spots` that overlap the time range `about` (None: all), as text: what is missing, what that
    leaves open, and what would answer it.
    """
    if spots.empty:
        yield "No blind spot of these logs was noticed."
        return
    touching = [spot for spot in rows(spots) if about is None or _touches(spot, about)]
    if not touching:
        yield "No blind spot of these logs that was noticed touches this time."
    for spot in touching:
        open_ = f"; unknown because of that: {'; '.join(spot.questions)}" if spot.questions else ""
        yield f"{spot.what}{open_}." + (f" Would tell: {spot.would_tell}." if spot.would_tell else "")


def _touches(spot: object, about: tuple[pd.Timestamp, pd.Timestamp]) -> bool:
    start, end = getattr(spot, "start_ts", None), getattr(spot, "end_ts", None)
    return (start is None or start <= about[1]) and (end is None or about[0] <= end)
