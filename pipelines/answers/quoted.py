"""Marks the lines of an answer that quote logs, to distinguish them from this program's own lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pipelines.answers.times import Clock


class Quoted(str):
    """A line of an answer that quotes a log. It prints like any other line; a caller can check for this type."""


def line_of(event: str, record: Mapping[str, Any], clock: Clock, pad: str = "  ") -> Quoted:
    """The record that evidence names: `time level message  [file:line]`."""
    ts = record["ts"]
    level = record["level"] if isinstance(record["level"], str) else "-"
    when = clock.time(None if pd.isna(ts) else ts)
    return Quoted(f"{pad}{when} {level} {str(record['message'])[:300]}  [{event}]")
