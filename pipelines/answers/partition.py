"""The history of one partition: leaders, ISRs, offsets, truncations, losses and the faults of its brokers, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any

import pandas as pd

from pipelines.answers.frames import plain, rows
from pipelines.answers.quoted import Quoted
from pipelines.answers.times import Clock
from replay.errors import InputError
from replay.tables.losses import gone_ts
from viz.phrases import began_with, broker, counted, duration, end_of_wait, listed, number, trigger, why_no_writes

TABLES = (
    "leader_epochs",
    "isr_spans",
    "elections",
    "truncations",
    "losses",
    "availability",
    "high_watermarks",
    "log_directories",
)
_LONGEST = 10  # digits of a number of 32 bits
_ORDER = ("leader", "isr", "election", "writes", "offsets", "cut", "loss", "directory")
_COLUMNS = ["ts", "what", "told", "evidence"]


def named(name: str) -> tuple[str, int]:
    """Topic and partition number of `orders-0` (also `orders,0` and `[orders,0]`). Raises InputError for any other
    form.
    """
    topic, dash, number = name.strip("[] ").replace(",", "-").rpartition("-")
    if not dash or not topic or not is_int(number):
        raise InputError(f"{name}: not a partition; give topic and number, as orders-0")
    return topic.strip(), int(number)


def is_int(number: str) -> bool:
    """Whether a text is the number of a partition or of a node: Kafka's are of 32 bits."""
    return number.strip().isdecimal() and len(number.strip()) <= _LONGEST and int(number) < 1 << 31


def story(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """`ts, what, told, evidence`: the events of the partition whose rows `tables` hold, in order of time.

    `what` is `leader`, `isr`, `election`, `writes`, `offsets`, `cut`, `loss` or `directory`.
    """
    made = [
        {"ts": ts, "what": what, "told": text, "evidence": row.evidence or ()}
        for name, what, ts_of, texts in _SENTENCES
        for row in rows(tables.get(name, pd.DataFrame()))
        for ts, text in ((ts_of(row), texts(row)),)
        if text
    ]
    texts = pd.DataFrame(made, columns=_COLUMNS)
    order = texts.what.map(_ORDER.index)
    kept = texts.assign(_order=order).sort_values(["ts", "_order"], na_position="last", kind="stable")
    return plain(kept[_COLUMNS])


def as_text(
    name: str,
    tables: Mapping[str, pd.DataFrame],
    messages: Mapping[str, Mapping[str, Any]],
    clock: Clock,
    *,
    with_lines: bool = False,
) -> Iterator[str]:
    """The history as text, with the proof at the end of each line, and below it the log line itself if `with_lines`."""
    happened = story(tables)
    yield f"{name}: {_in_short(tables)}"
    yield ""
    day = None
    for row in rows(happened):
        stamp = clock.stamp(row.ts)
        if row.ts is not None and stamp[:10] != day:
            day = stamp[:10]
            yield f"{day} ({clock.name})"
        proof = row.evidence[0] if row.evidence else ""
        yield f"  {clock.time(row.ts) if row.ts is not None else 'time unknown':<12}  {row.what:<8}  {row.told}" + (
            f"  [{proof}]" if proof else ""
        )
        if with_lines and proof in messages:
            yield Quoted(f"{'':26}{messages[proof]['message']}")


def _in_short(tables: Mapping[str, pd.DataFrame]) -> str:
    """One sentence: how many leaders there were, how long there was none, and what was lost."""
    epochs, losses = tables["leader_epochs"], tables["losses"]
    if epochs.empty:
        return "no leader epoch of it is in these logs"
    led = epochs[epochs.leader_id >= 0]
    leaders = [str(leader) for leader in dict.fromkeys(led.sort_values("leader_epoch").leader_id)]
    without = epochs[epochs.leader_id == -1]
    gone = sum((row.end_ts - row.start_ts).total_seconds() * 1000 for row in rows(without) if row.end_ts is not None)
    parts = [
        f"led by {f'broker {leaders[0]}' if len(leaders) == 1 else 'brokers ' + listed(leaders)}"
        if leaders
        else "never led"
    ]
    if len(without):
        open_ = without.end_ts.isna().any()
        parts.append(f"without a leader for {duration(gone)}" + (" and still so as the logs end" if open_ else ""))
    parts += [_lost(row) for row in rows(losses) if row.verdict in ("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED")]
    return "; ".join(parts) + "."


def _leader(row: Any) -> str:
    start = "" if row.epoch_start_offset is None else f" from offset {row.epoch_start_offset}"
    why = f" ({began_with(row.reason)})" if row.reason and row.reason != "unknown" else ""
    who = "no leader" if (row.leader_id or 0) < 0 else f"led by {broker(row.leader_id)}"
    guess = "" if row.confidence == "observed" else ", inferred"
    return f"leader epoch {row.leader_epoch}: {who}{start}{why}{guess}"


def _isr(row: Any) -> str:
    size = "" if not row.replicas else f" of {len(row.replicas)} replicas"
    least = ", below min.insync.replicas" if row.min_isr is not None and len(row.isr) < row.min_isr else ""
    epoch = "" if row.partition_epoch is None else f" (partition epoch {row.partition_epoch})"
    note = (
        f"; {counted(row.untold_after, 'later state')} not logged, so it can have ended earlier"
        if row.untold_after
        else ""
    )
    return f"ISR {listed([str(b) for b in row.isr])}{size}{least}{epoch}{note}"


def _election(row: Any) -> str:
    kind = {
        "any_replica": "unclean election",
        "last_known_leader": "unclean election of the last known leader",
        "isr": "clean election",
        "elr": "clean election from the ELR",
    }.get(row.elected_from, "election, clean or not unknown")
    old = "" if row.old_leader_id is None or row.old_leader_id < 0 else f" from {broker(row.old_leader_id)}"
    why = "" if row.trigger in (None, "unknown") else f"; trigger: {trigger(row.trigger)}"
    return f"{kind}{old} to {broker(row.new_leader_id)}{why}"


def _offsets(row: Any) -> str:
    parts = [
        f"{label} {value}"
        for label, value in (
            ("high watermark", row.high_watermark),
            ("log end", row.log_end_offset),
            ("log start", row.log_start_offset),
        )
        if value is not None
    ]
    return f"{broker(row.node_id)}: {listed(parts)}" if parts and row.ts is not None else ""


def _cut(row: Any) -> str:
    before = "" if row.log_end_offset is None else f" from {row.log_end_offset}"
    lost = "" if row.log_end_offset is None else f" ({row.log_end_offset - row.truncation_offset} offsets)"
    below = (
        ", below its high watermark"
        if row.high_watermark is not None and row.truncation_offset < row.high_watermark
        else ""
    )
    return f"{broker(row.node_id)} truncated its log{before} to {row.truncation_offset}{lost}{below}"


def _loss(row: Any) -> str:
    return f"{row.verdict}: {_lost(row)}; {row.premise or 'no premise told'}"


def _lost(row: Any) -> str:
    """What a change of leader lost, in one phrase."""
    kind = "committed records" if row.loss_class == "committed" else "records that not all in-sync replicas held"
    low = None if row.to_offset_low is None or row.from_offset is None else row.to_offset_low - row.from_offset
    high = None if row.to_offset_high is None or row.from_offset is None else row.to_offset_high - row.from_offset
    if row.verdict == "PROVEN_LOSS":
        least, most = number(low), number(high)
        amount = least if low == high else f"at least {least}" if high is None else f"{least} to {most}"
        return f"{amount} {kind} lost"
    if row.verdict == "POSSIBLE_LOSS":
        gone = None if row.discarded_to_offset is None else row.discarded_to_offset - row.from_offset
        if row.loss_class == "committed":
            sure = f"; at least {number(gone)} offsets were discarded" if gone else ""
            return f"{kind} possibly lost: {'how many is unknown' if high is None else f'at most {number(high)}'}{sure}"
        unknown = f"at least {number(gone)}" if gone else "an unknown number of"
        return f"{unknown if high is None else f'up to {number(high)}'} {kind} discarded"
    if row.verdict == "UNDETERMINED":
        return f"whether {kind} were lost is unknown"
    return f"no loss of {kind} found"


def _writes(row: Any) -> str:
    kind = f"acks={row.acks}"
    why = f" ({why_no_writes(row.reason)})" if row.reason else ""
    why += f", until {end_of_wait(row.ended_by)}" if getattr(row, "ended_by", None) else ""
    return {
        "open": f"writes with {kind} are taken",
        "closed": f"writes with {kind} are not taken{why}",
    }.get(row.state, f"whether writes with {kind} are taken is unknown{why}")


def _directory(row: Any) -> str:
    before = f" from {row.before}" if row.before else ""
    return {
        "moved": f"{broker(row.node_id)} moved its log{before} to {row.log_dir}",
        "copying": f"{broker(row.node_id)} began to copy its log to {row.log_dir}",
    }.get(row.change, f"{broker(row.node_id)} has its log in {row.log_dir}")


_Time = Callable[[Any], datetime | None]
_start, _at = attrgetter("start_ts"), attrgetter("ts")
_SENTENCES: tuple[tuple[str, str, _Time, Callable[[Any], str]], ...] = (
    ("leader_epochs", "leader", _start, _leader),
    ("isr_spans", "isr", _start, _isr),
    ("elections", "election", _at, _election),
    ("availability", "writes", _start, _writes),
    ("high_watermarks", "offsets", _at, _offsets),
    ("truncations", "cut", _at, _cut),
    ("losses", "loss", gone_ts, _loss),
    ("log_directories", "directory", _start, _directory),
)
