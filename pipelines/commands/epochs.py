"""`kafka-replay epochs`: the content of each replica's `leader-epoch-checkpoint`, in the notation of the file, and
where the files diverge. Without Spark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines.answers import times
from pipelines.answers.times import Clock, iso, zone
from pipelines.result import Result
from replay.errors import InputError
from viz.partings import Entry, notation, parting, what_it_does

READ = ("epoch_files", "leader_epoch_caches", "leader_epochs")
_COLUMNS = ("topic", "partition", "node_id", "start_ts", "end_ts", "notation", "entries", "told_by", "evidence")
_HOW = {
    "leader": "it began to lead",
    "cache": "its own line says so",
    "append": "a record had come by then",
    "file": "read in its file",
    "loaded": "entries left it: the broker loaded the log, which ended before them",
    "truncated": "entries left it: the log was truncated",
    "deleted": "entries left it: the log was deleted",
    "log_start": "entries left it: the log start moved",
}


def epochs(
    result: Path,
    partitions: Sequence[str] = (),
    *,
    at: str | None = None,
    history: bool = False,
    tz: str | None = None,
    as_json: bool = False,
) -> Iterator[str]:
    """The files of all replicas of `partitions` (`orders-0`; none: all) at a time (none: the end of the logs), as
    lines of text or JSON.

    With `history` every change of each file. Raises InputError for a folder that `analyze` did not write, an unknown
    partition, and an invalid time.
    """
    read, clock = Result(result), Clock(zone(tz))
    tables = read.tables(*READ)
    moment = None if at is None else times.moment(at, clock.here, read.recorded())
    there = sorted(
        {(row.topic, int(row.partition)) for row in tables["epoch_files"].itertuples()},
        key=lambda key: (key[0].startswith("__"), *key),
    )
    chosen = _chosen(partitions, there, result)
    if not chosen and not as_json:
        yield "No line and no file shows a leader epoch in a replica's file (before 0.11 there are none)."
    for topic, partition in chosen:
        own = {name: table[(table.topic == topic) & (table.partition == partition)] for name, table in tables.items()}
        if as_json:
            yield from _json(topic, partition, own, moment, history)
        else:
            yield from _text(topic, partition, own, moment, history, clock)


def _chosen(wanted: Sequence[str], there: Sequence[tuple[str, int]], result: Path) -> list[tuple[str, int]]:
    chosen = []
    for name in wanted:
        split = re.fullmatch(r"(.+)-(\d+)", name)
        if split is None:
            raise InputError(f"{name}: not a partition; give topic and number, like orders-0")
        key = (split[1], int(split[2]))
        if key not in there:
            names = ", ".join(f"{topic}-{partition}" for topic, partition in there[:6])
            raise InputError(
                f"{name}: {result} has no file of this partition; it has files of {names}{' …' if len(there) > 6 else ''}"
                if there
                else f"{name}: {result} has no file of any partition"
            )
        chosen.append(key)
    return chosen or list(there)


def _standing(table: pd.DataFrame, moment: pd.Timestamp | None) -> pd.DataFrame:
    """The rows that are valid at a time; without one, at the end of the logs."""
    if moment is None:
        return table[table.end_ts.isna()]
    return table[(table.start_ts.isna() | (table.start_ts <= moment)) & (table.end_ts.isna() | (table.end_ts > moment))]


def _entries(row: Any) -> list[Entry]:
    return [(int(entry["leader_epoch"]), int(entry["epoch_start_offset"])) for entry in row.entries]


def _leader(own: dict[str, pd.DataFrame], moment: pd.Timestamp | None) -> tuple[int | None, int | None]:
    """Leader and leader epoch at a time; the leader is None if there is none or it is unknown."""
    led = _standing(own["leader_epochs"], moment).sort_values("leader_epoch")
    if led.empty:
        return None, None
    last = led.iloc[-1]
    return (int(last.leader_id) if pd.notna(last.leader_id) and last.leader_id >= 0 else None), int(last.leader_epoch)


def _text(
    topic: str, partition: int, own: dict[str, pd.DataFrame], moment: pd.Timestamp | None, history: bool, clock: Clock
) -> Iterator[str]:
    if history:
        yield f"{topic}-{partition}: every change of its files"
        for row in own["epoch_files"].sort_values(["node_id", "start_ts"], na_position="first").itertuples():
            sources = ", ".join(_HOW[how] for how in row.told_by) or "entries left it"
            proof = f"  {row.evidence[0]}" if len(row.evidence) else ""
            yield f"  broker {row.node_id}  {_since(row.start_ts, clock)}  {row.notation or '(no entries)'}  {sources}{proof}"
        return
    leader_id, leader_epoch = _leader(own, moment)
    files = {int(row.node_id): row for row in _standing(own["epoch_files"], moment).itertuples()}
    led_by = (
        ""
        if leader_epoch is None
        else f", leader epoch {leader_epoch}"
        + (f" led by broker {leader_id}" if leader_id is not None else " without a leader")
    )
    yield f"{topic}-{partition} {'at the end of the logs' if moment is None else f'at {clock.stamp(moment)}'}{led_by}"
    for node_id, row in sorted(files.items()):
        yield f"  broker {node_id}  {row.notation or '(no entries)'}"
        for entry in (
            _standing(own["leader_epoch_caches"], moment)
            .query("node_id == @node_id")
            .sort_values(["leader_epoch", "epoch_start_offset"])
            .itertuples()
        ):
            how = " and ".join(_HOW[how] for how in entry.told_by)
            proof = f"  {entry.evidence[0]}" if len(entry.evidence) else ""
            yield f"      ({entry.leader_epoch} {entry.epoch_start_offset})  {_since(entry.start_ts, clock)}  {how}{proof}"
    if leader_id in files:
        leads = _entries(files[leader_id])
        for node_id, row in sorted(files.items()):
            if node_id != leader_id:
                yield from _divergence(node_id, leader_id, leads, _entries(row))


def _divergence(node_id: int, leader_id: int, leader: list[Entry], follower: list[Entry]) -> Iterator[str]:
    """How a follower's file differs from its leader's; empty if it does not."""
    found = parting(leader, follower)
    if found.is_behind:
        if found.missing:
            yield (
                f"  broker {node_id} has no entry {notation(found.missing)} yet: a follower writes one with the first record of the "
                "leader epoch that it copies"
            )
        return
    ends = "" if found.missing else f", or where the log of broker {leader_id} ends if that is before"
    yield (
        f"  The files of brokers {leader_id} and {node_id} diverge at offset {found.offset}{ends}: only the file of "
        f"broker {node_id} has {notation(found.own)}. As a follower of broker {leader_id} it does this, by release:"
    )
    for releases, does in what_it_does(leader, follower).items():
        yield f"      {releases}: {does}"


def columns(history: bool) -> list[str]:
    """The names of the fields of each file."""
    return [*_COLUMNS, *(() if history else ("leader_id", "parts_at"))]


def as_records(
    topic: str, partition: int, own: dict[str, pd.DataFrame], moment: pd.Timestamp | None, history: bool
) -> Iterator[dict[str, object]]:
    """The files of one partition as plain values: those at a time, or every change of them.

    `own` are its rows of `epoch_files`, `leader_epoch_caches` and `leader_epochs`.
    """
    leader_id, _ = _leader(own, moment)
    rows = own["epoch_files"] if history else _standing(own["epoch_files"], moment)
    files = {int(row.node_id): row for row in rows.itertuples()}
    for row in rows.sort_values(["node_id", "start_ts"], na_position="first").itertuples():
        record: dict[str, object] = {
            "topic": topic,
            "partition": partition,
            "node_id": int(row.node_id),
            "start_ts": row.start_ts,
            "end_ts": row.end_ts,
            "notation": row.notation,
            "entries": [{"leader_epoch": e, "epoch_start_offset": start} for e, start in _entries(row)],
            "told_by": list(row.told_by),
            "evidence": list(row.evidence),
        }
        if not history:
            follows = leader_id in files and row.node_id != leader_id
            found = parting(_entries(files[leader_id]), _entries(row)) if follows and leader_id is not None else None
            record |= {"leader_id": leader_id, "parts_at": None if found is None else found.offset}
        yield record


def _json(
    topic: str, partition: int, own: dict[str, pd.DataFrame], moment: pd.Timestamp | None, history: bool
) -> Iterator[str]:
    for record in as_records(topic, partition, own, moment, history):
        record |= {name: iso(record[name]) for name in ("start_ts", "end_ts")}
        yield json.dumps(record, ensure_ascii=False)


def _since(ts: pd.Timestamp, clock: Clock) -> str:
    return "since before the logs begin" if pd.isna(ts) else clock.stamp(ts)
