"""What a recorder knew of leaders' high watermarks (`truth/high_watermarks.csv.gz`, from DEBUG lines), against what is drawn of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from viz import frames, offset_curves
from viz.offset_curves import HIGH_WATERMARK

_ROUNDED = pd.Timedelta(milliseconds=2)  # stamps have milliseconds, corrected times microseconds


def true_high_watermarks(trace: Path) -> pd.DataFrame:
    """`topic, partition, node_id, ts, previous_high_watermark, high_watermark`; empty where the release does not print them."""
    known = pd.read_csv(trace / "truth" / "high_watermarks.csv.gz")
    return known.assign(ts=pd.to_datetime(known.time_ms, unit="ms"))


def outside(knew: pd.DataFrame, tables: Mapping[str, pd.DataFrame]) -> tuple[list[str], int]:
    """The true high watermarks that lie on no drawn step, between no two, or outside the commit band behind them; and how many were compared.

    `tables` are `high_watermarks`, `truncations` and `commit_bands`. A moment at which nothing is drawn is not compared.
    """
    told = {name: frames.tidy(tables[name], name) for name in ("high_watermarks", "truncations", "commit_bands")}
    wrong, compared = [], 0
    for (topic, partition), true in knew.groupby(["topic", "partition"]):
        here = {name: offset_curves.of_partition(frame, topic, partition) for name, frame in told.items()}
        anchors = [a for a in here["high_watermarks"] if a.ts is not None]
        drawn = offset_curves.pieces(anchors, here["truncations"], HIGH_WATERMARK)
        for node_id, own in true.groupby("node_id"):
            pieces = [p for p in drawn if p.node_id == node_id]
            for row in own.itertuples():
                for p in (p for p in pieces if p.start + _ROUNDED < row.ts < p.end - _ROUNDED):
                    compared += 1
                    if not p.low <= row.high_watermark <= p.high:
                        wrong.append(f"{topic}-{partition} broker {node_id} {row.ts}: {row.high_watermark} not in {p}")
        for band in here["commit_bands"]:
            low, end = band.committed_low or 0, band.end_ts or pd.Timestamp.max
            inside = true[(true.ts > band.start_ts + _ROUNDED) & (true.ts < end - _ROUNDED)]
            compared += len(inside)
            if band.committed_high is not None:
                for row in inside[inside.high_watermark > band.committed_high].itertuples():
                    wrong.append(
                        f"{topic}-{partition} {row.ts}: {row.high_watermark} above the band {low}-{band.committed_high}"
                    )
    return wrong, compared
