"""The one-sentence answer of a what-if: what would have been lost, rejected or without a leader, and for how long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from replay.facts.groups import by_key
from replay.sentences.spans import rounded_up
from viz.phrases import counted, duration, listed, number

_HOUR_MS = 3_600_000


def concluded(rows: Iterable[Mapping[str, Any]], losses: int) -> str:
    """The conclusion from the rows of `what_ifs` for one setting; `losses` is how many committed ranges were lost.

    Times are ISO text in UTC, null if still open.
    """
    by = by_key(rows, lambda row: row["effect"])
    if not by:
        return "nothing would have been different, as far as these logs show"
    parts = [*_ranges(by, losses)]
    if "leaderless" in by:
        parts.append(_leaderless(by["leaderless"]))
    if "writes_refused" in by:
        parts.append(_refused(by["writes_refused"]))
    parts += [*_sessions(by), *_replicas(by)]
    shrinks = [len(by.get(f"shrink_{name}", ())) for name in ("avoided", "moved", "unknown")]
    if sum(shrinks):
        also = [f"{shrinks[1]} at another time"] if shrinks[1] else []
        also += [f"{shrinks[2]} unknown"] if shrinks[2] else []
        parts.append(
            f"{shrinks[0]} of {counted(sum(shrinks), 'ISR shrink')} for lag "
            f"avoided{', ' + listed(also) if also else ''}"
        )
    return "; ".join(parts)


def _ranges(by: Mapping[str, list[Mapping[str, Any]]], losses: int) -> list[str]:
    """What would have happened to the lost committed ranges."""
    kept, never = by.get("range_kept", []), by.get("range_never_acknowledged", [])
    lost, unclear = by.get("range_still_lost", []), by.get("range_partly_unknown", [])
    total = len(kept) + len(never) + len(lost) + len(unclear)
    if not total:
        return [] if losses else ["no committed offset was lost, and none would have been"]
    if total == len(kept) >= losses:
        return [f"nothing lost: {_offsets(kept)} kept"]
    if total == len(never) >= losses:
        return [
            f"no acknowledged offset lost: the {_offsets(never)} would have been refused to producers with acks=all"
        ]
    parts = [f"{_offsets(kept)} kept"] if kept else []
    parts += [f"{_offsets(never)} refused to producers with acks=all instead of lost"] if never else []
    parts += [f"{_offsets(lost)} still lost"] if lost else []
    parts += [f"whether {_offsets(unclear)} would have been saved is unknown"] if unclear else []
    return parts


def _sessions(by: Mapping[str, list[Mapping[str, Any]]]) -> list[str]:
    """How elections after the end of a session would have changed."""
    parts = []
    moved, unknown, dead = (by.get(name, []) for name in ("election_moved", "election_unknown", "leader_dead"))
    if moved:
        parts.append(f"{counted(len(moved), 'election')} at another time")
    if unknown:
        parts.append(f"{counted(len(unknown), 'election')} that may not have been needed")
    if dead:
        partitions = counted(len({(r["topic"], r["partition"]) for r in dead}), "partition")
        parts.append(f"{partitions} led by a broker that is gone for up to {rounded_up(max(map(_ms, dead)))}")
    return parts


def _replicas(by: Mapping[str, list[Mapping[str, Any]]]) -> list[str]:
    """What would have been sent again, would have waited, or would have had a leader sooner."""
    parts = []
    again, wait, sooner = (by.get(name, []) for name in ("range_sent_again", "writes_wait", "leader_sooner"))
    if again:
        parts.append(f"{_offsets(again)} not acknowledged, so sent again and not lost")
    if wait:
        whole = sum(_ms(r) for r in wait if r["end_ts"] is not None)
        parts.append(f"writes wait longer, {_summed(whole)} in all")
    if sooner:
        partitions = counted(len({(r["topic"], r["partition"]) for r in sooner}), "partition")
        most = max((_ms(r) for r in sooner if r["end_ts"] is not None), default=None)
        parts.append(f"{partitions} with a leader sooner{'' if most is None else f', by up to {rounded_up(most)}'}")
    return parts


def _leaderless(rows: list[Mapping[str, Any]]) -> str:
    partitions = counted(len({(r["topic"], r["partition"]) for r in rows}), "partition")
    if any(r["end_ts"] is None for r in rows):
        return f"{partitions} without a leader, some to the end of these logs"
    longest = max(_ms(r) for r in rows)
    same = len({round(_ms(r), -2) for r in rows}) == 1
    return f"{partitions} without a leader for {duration(longest) if same else f'up to {rounded_up(longest)}'}"


def _refused(rows: list[Mapping[str, Any]]) -> str:
    partitions = counted(len({(r["topic"], r["partition"]) for r in rows}), "partition")
    whole = sum(_ms(r) for r in rows if r["end_ts"] is not None)
    open_ = " and more, to the end of these logs" if any(r["end_ts"] is None for r in rows) else ""
    return f"writes with acks=all refused in {partitions}, {_summed(whole)} in all{open_}"


def _summed(ms: float) -> str:
    """A duration summed over partitions."""
    return f"{ms / 1000:,.1f} partition-seconds" if ms < _HOUR_MS else f"{ms / _HOUR_MS:,.1f} partition-hours"


def _offsets(rows: list[Mapping[str, Any]]) -> str:
    sizes = [
        None if r["from_offset"] is None or r["to_offset"] is None else r["to_offset"] - r["from_offset"] for r in rows
    ]
    if None in sizes:
        return counted(len(rows), "range of offsets", "ranges of offsets")
    return f"{number(sum(size or 0 for size in sizes))} offsets"


def _ms(row: Mapping[str, Any]) -> float:
    return (_time(row["end_ts"]) - _time(row["start_ts"])).total_seconds() * 1000


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
