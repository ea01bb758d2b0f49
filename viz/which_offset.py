"""Which offset is which, for one partition with its own numbers: log start, committed offsets of groups, last stable
offset, high watermark, log ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from viz import frames
from viz import phrases as words
from viz.markup import Evidence, Grid, chip, code, columned, grid, keys, noted, when

SET_ASIDE: Mapping[str, str] = {
    "other_cluster": "from another cluster: these logs contain none of its topics",
    "other_time": "from another time: before these logs begin, or more than an hour after they end",
    "contradicted": "these logs contradict it: another cluster, or another time than its folder's name",
}
_CONSUMER_LOG_END = "kafka-consumer-groups calls it LOG-END-OFFSET, but consumers never see the log end"


_OF_CHECKPOINT = "checkpoint_high_watermark"
_CHECKPOINT_MEANS = (
    "As the broker wrote it last; it writes every five seconds while it runs. The file has no time: it can be from before or after the "
    "last line."
)


@dataclass(frozen=True)
class Offset:
    """One offset of a partition: its name, its value (None: unknown), what it means here, its source and its time."""

    name: str
    value: int | None
    means: str
    told_by: str
    ts: pd.Timestamp | None
    evidence: tuple[str, ...]


def which_offset(
    offsets: Sequence[Any], marks: Sequence[Any], starts: Sequence[Any], bands: Sequence[Any]
) -> list[Offset]:
    """The latest known offsets of one partition, the log start first, the log ends last.

    `offsets` are its rows of `told_offsets`, `marks` of `high_watermarks`, `starts` of `log_starts`, `bands` of
    `commit_bands`.
    """
    printed = [t for t in offsets if t.set_aside is None]
    log_start = _log_start(printed, starts)
    return [
        *([log_start] if log_start is not None else []),
        *_committed(printed, None if log_start is None else log_start.value),
        _LAST_STABLE,
        *_high_watermark(printed, bands),
        *_in_checkpoints(marks),
        *_log_ends(marks),
        *map(_offset_lag, (t for t in printed if t.what == "offset_lag")),
    ]


_LAST_STABLE = Offset(
    "last stable offset",
    None,
    "No tool and no line shows it. Consumers with isolation.level=read_committed read up to it: it is the high "
    "watermark, or the first offset of the oldest open transaction if that is lower.",
    "",
    None,
    (),
)


def _log_start(printed: Sequence[Any], starts: Sequence[Any]) -> Offset | None:
    """The log start offset that a tool printed, else the one of the last line that shows it."""
    start = _last([t for t in printed if t.what == "log_start_offset"])
    if start is not None:
        return Offset("log start offset", start.value, _start_means(start.value), start.tool, start.ts, start.evidence)
    line = _last([s for s in starts if s.log_start_offset is not None and s.ts is not None])
    if line is None:
        return None
    value, source = line.log_start_offset, f"line of {words.broker(line.node_id)}"
    return Offset("log start offset", value, _start_means(value), source, line.ts, line.evidence)


def _committed(printed: Sequence[Any], log_start: int | None) -> Iterator[Offset]:
    """The latest committed offset of each consumer group."""
    high_watermarks = [t for t in printed if t.what == "high_watermark"]
    commits = [t for t in printed if t.what == "committed"]
    for group in sorted({t.group or "" for t in commits}):
        commit = max((t for t in commits if (t.group or "") == group), key=_stated_at)
        beside = _last([t for t in high_watermarks if t.ts == commit.ts]) or _last(high_watermarks)
        means = _group_means(commit.value, None if beside is None else beside.value, log_start)
        name = f"committed offset of group {group}" if group else "committed offset of the group"
        yield Offset(name, commit.value, means, commit.tool, commit.ts, commit.evidence)


def _high_watermark(printed: Sequence[Any], bands: Sequence[Any]) -> Iterator[Offset]:
    """The high watermark that a tool printed, else the commit band that is open at the end of the logs."""
    high = _last([t for t in printed if t.what == "high_watermark"])
    if high is not None:
        means = f"Every member of the ISR has all records before it, and consumers read up to it. {_CONSUMER_LOG_END}."
        yield Offset("high watermark", high.value, means, high.tool, high.ts, high.evidence)
    elif (band := max((b for b in bands if b.end_ts is None), key=lambda b: b.start_ts, default=None)) is not None:
        at_most = (
            "without an upper bound" if band.committed_high is None else f"at most {words.number(band.committed_high)}"
        )
        means = f"At the end of the logs it is at least this, {at_most}: the lines do not narrow it further."
        yield Offset("high watermark", band.committed_low or 0, means, "lines", None, tuple(band.low_evidence))


def _in_checkpoints(marks: Sequence[Any]) -> Iterator[Offset]:
    """The high watermark in the checkpoint file of each replica, which has no time."""
    for mark in sorted(
        (m for m in marks if m.source == _OF_CHECKPOINT and m.node_id is not None), key=lambda m: m.node_id
    ):
        name = f"high watermark in the checkpoint file of {words.broker(mark.node_id)}"
        yield Offset(name, mark.high_watermark, _CHECKPOINT_MEANS, "file without a time", None, mark.evidence)


def _log_ends(marks: Sequence[Any]) -> Iterator[Offset]:
    """The last known log end offset of each replica."""
    ends = [m for m in marks if m.log_end_offset is not None and m.ts is not None and m.node_id is not None]
    for node_id in sorted({m.node_id for m in ends}):
        mark = max((m for m in ends if m.node_id == node_id), key=_stated_at)
        means = "Where its log ended then; only followers see records above the high watermark."
        name = f"log end offset of {words.broker(node_id)}"
        yield Offset(name, mark.log_end_offset, means, f"line ({words.shown_by(mark.source)})", mark.ts, mark.evidence)


def _offset_lag(lag: Any) -> Offset:
    means = (
        "Its log ends at or above the high watermark that it knows."
        if lag.value == 0
        else f"Its log ends {words.number(lag.value)} below the high watermark that it knows: it is still catching up."
    )
    return Offset(f"offsetLag of {words.broker(lag.node_id)}", lag.value, means, lag.tool, lag.ts, lag.evidence)


def _last(rows: Sequence[Any]) -> Any | None:
    return max(rows, key=_stated_at, default=None)


def _stated_at(row: Any) -> tuple[bool, pd.Timestamp]:
    return row.ts is not None, row.ts or pd.Timestamp(0)


def _start_means(value: int) -> str:
    if not value:
        return "The log still has its beginning; compaction leaves gaps."
    return "Earlier records are deleted; a fetch below it returns OFFSET_OUT_OF_RANGE."


def _group_means(committed: int, high_watermark: int | None, log_start: int | None) -> str:
    sentences = ["The next record that the group reads after a restart."]
    if high_watermark is not None:
        behind = max(0, high_watermark - committed)
        sentences.append(
            f"Lag: {words.number(behind)}, the high watermark {words.number(high_watermark)} minus this offset."
        )
    if log_start is not None and committed < log_start:
        sentences.append(
            f"It is below the log start: {words.counted(log_start - committed, 'offset')} that it did not read are deleted; auto.offset.reset decides where it continues."
        )
    return " ".join(sentences)


def printed_offsets(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Grid:
    """The offsets of the partitions in the output of Kafka's own tools."""
    names = ("told_offsets", "high_watermarks", "log_starts", "commit_bands")
    by_partition: dict[str, dict[tuple[str, int], list[Any]]] = {}
    for name in names:
        held = by_partition.setdefault(name, {})
        for row in frames.table(tables, name):
            if row.topic is not None and row.partition is not None:
                held.setdefault((row.topic, row.partition), []).append(row)
    printed = by_partition["told_offsets"]
    named = {key for key, some in printed.items() if any(t.what != "size" and t.what != "offset_lag" for t in some)}
    rows, keyed = [], []
    for key in sorted(named, key=words.by_name):
        for o in which_offset(*(by_partition[name].get(key, []) for name in names)):
            if o.value is None:
                continue
            rows.append(
                (
                    code(words.partition(*key)),
                    o.name,
                    str(o.value),
                    o.means,
                    noted(o.told_by, "") if o.ts is None else Markup("{}<br>{}").format(o.told_by, when(o.ts)),
                    evidence.proof(o.evidence),
                )
            )
            keyed.append(keys(topic=key[0]))
    head = ("Partition", "Offset", "Value", "What it means here", "Source", "Evidence")
    return grid("Which offset is which", head, rows, numeric=(2,), wide=(3,), table="told_offsets", keyed=keyed)


def described(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """Leaders and ISRs from the output of kafka-topics --describe; partitions off their preferred leader or out of
    sync first.
    """
    order = sorted(
        (d for d in frames.rows(frame) if d.set_aside is None),
        key=lambda d: (not d.out_of_isr, d.leader_id == d.preferred_id, words.by_name((d.topic, d.partition))),
    )
    columns = {
        "Partition": lambda d: code(words.partition(d.topic, d.partition)),
        "Leader": lambda d: "nobody" if d.leader_id == -1 else words.broker(d.leader_id),
        "Preferred": lambda d: (
            chip("yes", "good")
            if d.leader_id == d.preferred_id
            else chip(f"no, {words.broker(d.preferred_id)} is", "warn")
        ),
        "Assignment": lambda d: ", ".join(map(str, d.replicas)),
        "ISR": lambda d: ", ".join(map(str, d.isr)) or "none",
        "Out of sync": lambda d: ", ".join(map(str, d.out_of_isr)) or "–",
        "As of (UTC)": lambda d: when(d.ts) if d.ts is not None else "unknown",
        "Evidence": lambda d: evidence.proof(d.evidence),
    }
    caption = "Partitions in the output of kafka-topics --describe"
    return columned(caption, columns, order, table="described_partitions", keyed=[keys(topic=d.topic) for d in order])


def as_described(frame: pd.DataFrame) -> str:
    """The output of kafka-topics --describe as one sentence; empty without such a file."""
    rows = [d for d in frames.rows(frames.tidy(frame, "described_partitions")) if d.set_aside is None]
    if not rows:
        return ""
    off = sum(d.leader_id not in (d.preferred_id, -1) for d in rows)
    leaderless, short = sum(d.leader_id == -1 for d in rows), sum(bool(d.out_of_isr) for d in rows)
    as_of = max((d.ts for d in rows if d.ts is not None), default=None)
    at = f"as of {words.stamp(as_of)} UTC" if as_of is not None else "time unknown"
    return (
        f"kafka-topics --describe, {at}: {words.counted(len(rows), 'partition')}, {words.number(leaderless)} without a leader, "
        f"{words.number(off)} not led by the preferred replica, {words.number(short)} with a replica out of sync."
    )


def set_aside(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Which outputs of tools were set aside, and why, a sentence per file."""
    found: dict[str, str] = {}
    for name in ("told_offsets", "described_partitions"):
        for row in frames.table(tables, name):
            if row.set_aside is not None and row.evidence:
                found.setdefault(row.evidence[0].rsplit(":", 1)[0], row.set_aside)
    return [f"{file}: set aside: {SET_ASIDE.get(why, why)}" for file, why in sorted(found.items())]
