"""What a recorder knew of leaders' high watermarks (`truth/high_watermarks.csv.gz`, from DEBUG lines), against what is drawn of them.

`python -m tests.true_offsets TRACE=RESULT …` prints for each trace how many true high watermarks were compared and lie outside, and the share of
time in which the leaders' high watermark has a value: as the trace was logged, and as if its leaders had logged at DEBUG.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from viz import frames, offset_curves
from viz.offset_curves import HIGH_WATERMARK, Piece

_ROUNDED = pd.Timedelta(milliseconds=2)  # stamps have milliseconds, corrected times microseconds


def known_share(exact: Sequence[Piece], start: pd.Timestamp, end: pd.Timestamp) -> float:
    """The share of a time range in which a replica's offset has a value; 0 for an empty range."""
    whole = (end - start).total_seconds()
    inside = sum(max(0.0, (min(p.end, end) - max(p.start, start)).total_seconds()) for p in exact if p.is_known)
    return inside / whole if whole > 0 else 0.0


def true_high_watermarks(trace: Path) -> pd.DataFrame:
    """`topic, partition, node_id, ts, previous_high_watermark, high_watermark`; empty if the release does not print
    them.
    """
    known = pd.read_csv(trace / "truth" / "high_watermarks.csv.gz")
    return known.assign(ts=pd.to_datetime(known.time_ms, unit="ms"))


def outside(knew: pd.DataFrame, tables: Mapping[str, pd.DataFrame]) -> tuple[list[str], int]:
    """The true high watermarks that contradict the drawn steps or the commit band, and how many were compared.

    `tables` are `high_watermarks`, `truncations` and `commit_bands`. Times at which nothing is drawn are not
    compared.
    """
    told = {name: frames.tidy(tables[name], name) for name in ("high_watermarks", "truncations", "commit_bands")}
    wrong, compared = [], 0
    for (topic, partition), true in knew.groupby(["topic", "partition"]):
        here = {name: offset_curves.of_partition(frame, topic, partition) for name, frame in told.items()}
        anchors = [a for a in here["high_watermarks"] if a.ts is not None]
        drawn = offset_curves.pieces(anchors, here["truncations"], HIGH_WATERMARK)
        for node_id, own in true.groupby("node_id"):
            pieces = [p for p in drawn if p.node_id == node_id]
            starts = [p.start for p in pieces]
            for row in own.itertuples():
                at = bisect_left(starts, row.ts - _ROUNDED) - 1  # pieces of one replica do not overlap
                if at < 0 or not row.ts < pieces[at].end - _ROUNDED:
                    continue
                compared += 1
                if not pieces[at].low <= row.high_watermark <= pieces[at].high:
                    wrong.append(
                        f"{topic}-{partition} broker {node_id} {row.ts}: {row.high_watermark} not in {pieces[at]}"
                    )
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


def led_share(tables: Mapping[str, pd.DataFrame], knew: pd.DataFrame | None = None) -> float:
    """The share of all time with a leader in which its high watermark has a value, over all partitions except
    Kafka's internal ones.

    With `knew`, its rows count as if leaders had logged them.
    """
    told = {name: frames.tidy(tables[name], name) for name in ("high_watermarks", "truncations", "leader_epochs")}
    marks, end = told["high_watermarks"], tables["coverage"].last_ts.max()
    if knew is not None:
        marks = pd.concat([marks, frames.tidy(knew.assign(source="hw_updated"), "high_watermarks")])
    known = whole = 0.0
    epochs = told["leader_epochs"][~told["leader_epochs"].topic.str.startswith("__")]
    for topic, partition in epochs[["topic", "partition"]].drop_duplicates().itertuples(index=False):
        here = {
            name: offset_curves.of_partition(frame, topic, partition)
            for name, frame in (("marks", marks), ("cuts", told["truncations"]), ("epochs", epochs))
        }
        drawn = offset_curves.pieces([a for a in here["marks"] if a.ts is not None], here["cuts"], HIGH_WATERMARK)
        for epoch in (e for e in here["epochs"] if (e.leader_id or -1) >= 0 and e.start_ts is not None):
            start, until = epoch.start_ts, epoch.end_ts or pd.Timestamp(end).tz_localize(None)
            lasted = max(0.0, (until - start).total_seconds())
            own = [p for p in drawn if p.node_id == epoch.leader_id]
            known, whole = known + known_share(own, start, until) * lasted, whole + lasted
    return known / whole if whole else 0.0


def main() -> None:
    for pair in sys.argv[1:]:
        trace, result = map(Path, pair.split("=", 1))
        names = ("high_watermarks", "truncations", "commit_bands", "leader_epochs", "coverage")
        tables = {name: pd.read_parquet(result / "tables" / name) for name in names}
        knew = true_high_watermarks(trace)
        wrong, compared = outside(knew, tables)
        shares = f"known {led_share(tables):.3f} as logged, {led_share(tables, knew):.3f} with DEBUG of leaders"
        print(
            f"{trace.name}: {len(knew):,} true high watermarks, {compared:,} compared, {len(wrong)} outside; {shares}"
        )
        for problem in wrong[:3]:
            print(f"    {problem}")


if __name__ == "__main__":
    main()
