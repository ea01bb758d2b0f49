"""Uniform frames, whether Arrow or Spark read them: naive UTC times, nullable integers, lists as tuples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

_TEXTS = ("string", "empty")


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """`frame` with naive UTC times, nullable integers instead of whole floats, lists as tuples, and a fresh index."""
    return pd.DataFrame({name: _even(frame[name]) for name in frame.columns}).reset_index(drop=True)


def rows(frame: pd.DataFrame) -> list[Any]:
    """The frame's rows as named tuples, with every null as None."""
    return list(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name="Row"))


def standing_at(frame: pd.DataFrame, moment: pd.Timestamp) -> pd.DataFrame:
    """The rows whose span [start_ts, end_ts) contains `moment`."""
    return frame[(frame.start_ts <= moment) & (frame.end_ts.isna() | (moment < frame.end_ts))]


def within(frame: pd.DataFrame, since: pd.Timestamp, until: pd.Timestamp, ts: str = "ts") -> pd.DataFrame:
    """The rows at or after `since` and before `until`."""
    return frame[(frame[ts] >= since) & (frame[ts] < until)]


def first_lines(evidence: Iterable[Iterable[str] | None]) -> list[str]:
    """All events that rows name as evidence, without duplicates, in order."""
    return list(dict.fromkeys(event for lines in evidence for event in lines or ()))


def _even(series: pd.Series) -> pd.Series:
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        return series.dt.tz_convert("UTC").dt.tz_localize(None).astype("datetime64[ns]")
    if pd.api.types.is_datetime64_dtype(series.dtype):
        return series.astype("datetime64[ns]")
    if series.dtype == object and pd.api.types.infer_dtype(series, skipna=True) in _TEXTS:
        return series
    if series.dtype == object and any(
        hasattr(value, "__iter__") and not isinstance(value, (str, dict)) for value in series
    ):
        return series.map(lambda value: None if value is None else tuple(value))
    return series
