"""Compares each `leader-epoch-checkpoint` among the inputs with the content that the replay states for that time."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

Entry = tuple[int, int]


@dataclass(frozen=True)
class File:
    """One file as it was read; `ts` is None if the time of the copy is unknown."""

    topic: str
    partition: int
    node_id: int
    ts: pd.Timestamp | None
    entries: tuple[Entry, ...]


def files_read(events: pd.DataFrame) -> list[File]:
    """The files, except those of replicas that are being deleted."""
    lines = events[(events.kind == "checkpoint_leader_epoch") & ~events.source_file.str.contains("-(?:delete|stray)/")]
    return [
        File(
            rows.topic.iloc[0],
            int(rows.partition.iloc[0]),
            int(rows.node_id.iloc[0]),
            None if pd.isna(rows.ts.iloc[0]) else _plain(rows.ts.iloc[0]),
            tuple(
                (int(r.leader_epoch), int(r.epoch_start_offset)) for r in rows.sort_values("line_number").itertuples()
            ),
        )
        for _, rows in lines.groupby(["source_file", "node_id", "topic", "partition"])
    ]


def contradicted(file: File, epoch_files: pd.DataFrame) -> list[str]:
    """The contradictions between a file and the replay; empty if they agree."""
    own = epoch_files[
        (epoch_files.topic == file.topic)
        & (epoch_files.partition == file.partition)
        & (epoch_files.node_id == file.node_id)
    ]
    if file.ts is None:
        then = own[own.end_ts.isna()]
    else:
        start, end = own.start_ts.map(_plain), own.end_ts.map(_plain)
        then = own[(start.isna() | (start <= file.ts)) & (end.isna() | (end > file.ts))]
    said = [
        tuple((int(e["leader_epoch"]), int(e["epoch_start_offset"])) for e in row.entries) for row in then.itertuples()
    ]
    if file.entries in said or (not file.entries and not said):
        return []
    place = f"{file.topic}-{file.partition} of node {file.node_id} at {file.ts or 'the end'}"
    return [f"{place}: the file has {file.entries}, the replay {said}"]


def _plain(ts: pd.Timestamp) -> pd.Timestamp:
    return ts if pd.isna(ts) or ts.tzinfo is None else ts.tz_convert("UTC").tz_localize(None)
