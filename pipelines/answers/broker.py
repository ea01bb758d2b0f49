"""The history of one broker: its sessions, what it led, what it truncated and lost, its faults, and whether a restart
is safe as the logs end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from pipelines.answers.frames import plain, rows
from pipelines.answers.quoted import Quoted
from pipelines.answers.times import Clock
from replay.tables.losses import OPEN_VERDICTS
from viz.cluster import keeps_registrations
from viz.phrases import clock as time_of_day
from viz.phrases import counted, duration, lasted, listed, lost_offsets

TABLES = (
    "broker_sessions",
    "controllers",
    "leader_epochs",
    "isr_spans",
    "eligible_leaders",
    "truncations",
    "losses",
    "findings",
    "isr_drops",
    "clock_offsets",
    "coverage",
    "settings",
    "described_partitions",
    "limits",
)
_COLUMNS = ["ts", "what", "told", "evidence"]
_ORDER = ("session", "fault", "leads", "isr", "cut", "loss")
_NAMED = 4  # partitions that a sentence names


class Restart(NamedTuple):
    """Whether a restart of the broker is safe as the logs end: `yes`, `no`, `unknown` or `down`; and why."""

    answer: str
    because: str
    evidence: Sequence[str] = ()


def story(tables: Mapping[str, pd.DataFrame], broker_id: int) -> pd.DataFrame:
    """`ts, what, told, evidence`: what happened to the broker, in order of time.

    `what` is `session`, `fault`, `leads`, `isr`, `cut` or `loss`. Changes of several partitions by the same cause
    within a second are one row.
    """
    made = [row for steps in _STEPS for row in steps(tables, broker_id)]
    frame = pd.DataFrame(made, columns=_COLUMNS)
    order = frame.what.map(_ORDER.index)
    kept = frame.assign(_order=order).sort_values(["ts", "_order"], na_position="last", kind="stable")
    return plain(kept[_COLUMNS])


def with_restart(tables: Mapping[str, pd.DataFrame], broker_id: int) -> list[Any]:
    """The rows of `story`, and as the last one whether a restart is safe."""
    answer = restart(tables, broker_id)
    last = _row(None, "restart", f"{answer.answer}: {answer.because}", answer.evidence)
    return [*rows(story(tables, broker_id)), *rows(plain(pd.DataFrame([last], columns=_COLUMNS)))]


def as_text(
    tables: Mapping[str, pd.DataFrame],
    broker_id: int,
    messages: Mapping[str, Mapping[str, Any]],
    clock: Clock,
    *,
    with_lines: bool = False,
) -> Iterator[str]:
    """The history as text, with the proof at the end of each line; first whether a restart is safe."""
    answer = restart(tables, broker_id)
    yield f"Broker {broker_id}: {in_short(tables, broker_id)}"
    yield f"Safe to restart as the logs end: {answer.answer}: {answer.because}"
    yield from _files(tables, broker_id, clock)
    yield ""
    day = None
    for row in rows(story(tables, broker_id)):
        stamp = clock.stamp(row.ts)
        if row.ts is not None and stamp[:10] != day:
            day = stamp[:10]
            yield f"{day} ({clock.name})"
        proof = row.evidence[0] if row.evidence else ""
        time = clock.time(row.ts) if row.ts is not None else "time unknown"
        yield f"  {time:<12}  {row.what:<7}  {row.told}" + (f"  [{proof}]" if proof else "")
        if with_lines and proof in messages:
            yield Quoted(f"{'':25}{messages[proof]['message']}")


def is_known(tables: Mapping[str, pd.DataFrame], broker_id: int) -> bool:
    """Whether any row is about the broker."""
    isrs = tables["isr_spans"]
    return (
        not story(tables, broker_id).empty
        or any(broker_id in (row.replicas or ()) for row in rows(isrs))
        or bool((tables["coverage"].node_id == broker_id).any())
    )


# --- Whether a restart is safe


def restart(tables: Mapping[str, pd.DataFrame], broker_id: int) -> Restart:
    """Whether the broker can be restarted without harm, from the last states in the logs."""
    described = _as_described(tables)
    last = _with_described(_last_isrs(tables["isr_spans"]), described)
    hosted = [row for row in last if broker_id in (row.replicas or row.isr or ())]
    if _is_down(tables, broker_id):
        return _start(tables, broker_id, hosted)
    if not hosted:
        return Restart(
            "unknown", "no line shows an ISR of its partitions; `kafka-topics --describe` shows them as they are now"
        )
    alone = [row for row in hosted if list(row.isr or ()) == [broker_id]]
    if alone:
        return Restart(
            "no", f"it is the only in-sync replica of {_partitions(alone)}: nobody else could lead", _proof(alone)
        )
    unseen = _without_isr(tables, broker_id, last)
    if unseen:
        return Restart("unknown", f"no line shows an ISR of {_partitions(unseen)}", _proof(unseen))
    epochs = _epochs_at_end(tables["leader_epochs"])
    hidden = [row for row in hosted if row.isr is None or row.untold_after or _is_of_earlier(row, epochs)]
    if hidden:
        return Restart("unknown", f"the ISR of {_partitions(hidden)} is not known as the logs end", _proof(hidden))
    low = [row for row in hosted if row.min_isr is not None and _left(row, broker_id) < row.min_isr]
    if low:
        return Restart(
            "no",
            f"{_partitions(low)} would fall below min.insync.replicas: acks=all writes would be refused",
            _proof(low),
        )
    unset = [row for row in hosted if row.min_isr is None and _left(row, broker_id) < 2]
    if unset:
        return Restart(
            "unknown",
            f"no line shows min.insync.replicas of {_partitions(unset)}, which one other replica would hold alone",
            _proof(unset),
        )
    return _safe(hosted, [row for row in hosted if (row.topic, row.partition) in described])


def _safe(hosted: Sequence[Any], by_tool: Sequence[Any]) -> Restart:
    """That a restart is safe; `by_tool`: the partitions whose ISR only the output of `kafka-topics --describe` shows."""
    because = (
        f"each of its {counted(len(hosted), 'partition')} keeps an in-sync replica and min.insync.replicas without it"
    )
    source = f"; for {counted(len(by_tool), 'partition')} by `kafka-topics --describe`" if by_tool else ""
    return Restart("yes", f"{because}{source}", _proof(by_tool))


def _as_described(tables: Mapping[str, pd.DataFrame]) -> dict[tuple[str, int], Any]:
    """The partitions whose ISR only the output of `kafka-topics --describe` shows. No line shows the ISR of their last leader
    epoch, and the output is from that epoch: the printed leader led in no earlier one, or the output lists a topic that was
    created later.
    """
    if "described_partitions" not in tables or not len(tables["described_partitions"]):
        return {}
    epochs = rows(tables["leader_epochs"])
    printed = [row for row in rows(tables["described_partitions"]) if row.set_aside is None and row.isr]
    created = {
        (row.topic, row.partition): row.start_ts for row in epochs if row.leader_epoch == 0 and not row.begun_before
    }
    since = max((created[key] for row in printed if (key := (row.topic, row.partition)) in created), default=None)
    leads = {(row.topic, row.partition): row for row in epochs if pd.isna(row.end_ts)}
    led_before = {(row.topic, row.partition, row.leader_id) for row in epochs if not pd.isna(row.end_ts)}
    shown = {(row.topic, row.partition, row.leader_epoch) for row in rows(tables["isr_spans"])}
    found = {}
    for row in printed:
        epoch = leads.get((row.topic, row.partition))
        if epoch is None or row.leader_id != epoch.leader_id or (row.topic, row.partition, epoch.leader_epoch) in shown:
            continue
        is_new = (row.topic, row.partition, row.leader_id) not in led_before
        if is_new or (since is not None and epoch.start_ts <= since):
            found[row.topic, row.partition] = row
    return found


def _with_described(last: Sequence[Any], described: Mapping[tuple[str, int], Any]) -> list[Any]:
    """The last ISRs, with those that only the output of the tool shows."""
    kept = [row for row in last if (row.topic, row.partition) not in described]
    min_isr = {row.topic: row.min_isr for row in last}
    made = (
        _Described(row.topic, row.partition, row.replicas, row.isr, min_isr.get(row.topic), row.evidence)
        for row in described.values()
    )
    return [*kept, *made]


def _epochs_at_end(leader_epochs: pd.DataFrame) -> dict[tuple[str, int], int]:
    """The leader epoch of each partition as the logs end."""
    lasting = (row for row in rows(leader_epochs) if pd.isna(row.end_ts))
    in_order = sorted(lasting, key=lambda row: row.leader_epoch)
    return {(row.topic, row.partition): row.leader_epoch for row in in_order}


def _is_of_earlier(row: Any, epochs_at_end: Mapping[tuple[str, int], int]) -> bool:
    """Whether an ISR ended, and no line shows the ISR of the leader epoch that followed."""
    return not pd.isna(row.end_ts) and epochs_at_end.get((row.topic, row.partition), -1) > row.leader_epoch


class _Described(NamedTuple):
    """A partition's ISR as `kafka-topics --describe` printed it."""

    topic: str
    partition: int
    replicas: Sequence[int] | None
    isr: Sequence[int]
    min_isr: int | None
    evidence: Sequence[str]
    untold_after: int | None = None
    end_ts: pd.Timestamp | None = None


def _start(tables: Mapping[str, pd.DataFrame], broker_id: int, hosted: Sequence[Any]) -> Restart:
    held = [row for row in rows(tables["losses"]) if row.verdict in OPEN_VERDICTS and row.old_leader_id == broker_id]
    uncut = [row for row in held if broker_id not in (row.cut_by or ())]
    if uncut:
        return Restart(
            "down",
            f"its disk can hold lost records of {_partitions(uncut)}: save the ends of its logs before you start it "
            "(`kafka-replay collect … --tails`)",
            _proof(uncut),
        )
    waiting = [row for row in hosted if list(row.isr or ()) == [broker_id]]
    if waiting:
        return Restart(
            "down", f"{_partitions(waiting)} wait for it: it is their only in-sync replica; start it", _proof(waiting)
        )
    return Restart("down", "it does not run as the logs end; no partition loses records by its start")


def _is_down(tables: Mapping[str, pd.DataFrame], broker_id: int) -> bool:
    sessions = [row for row in rows(tables["broker_sessions"]) if row.broker_id == broker_id]
    return bool(sessions) and all(row.end_ts is not None for row in sessions)


def _last_isrs(isr_spans: pd.DataFrame) -> list[Any]:
    """The last state of each partition of the last topic of its name."""
    if isr_spans.empty:
        return []
    life = pd.to_numeric(isr_spans.life) if "life" in isr_spans else 0
    last = isr_spans.assign(life=life)
    last = last.sort_values(["life", "start_ts"], na_position="first", kind="stable")
    return rows(plain(last.groupby(["topic", "partition"], sort=True).tail(1)))


def _left(row: Any, broker_id: int) -> int:
    return sum(member != broker_id for member in row.isr)


# --- What happened to it


def _sessions(tables: Mapping[str, pd.DataFrame], broker_id: int) -> Iterator[dict[str, Any]]:
    """When it registered, when the controller could elect it, and the end of each session. A KRaft controller unfences a broker
    that stayed registered without a new registration.
    """
    is_kraft = keeps_registrations(tables["controllers"])
    for row in rows(tables["broker_sessions"]):
        if row.broker_id != broker_id:
            continue
        epoch = "" if row.broker_epoch is None else f" with broker epoch {row.broker_epoch}"
        if row.start_ts is not None:
            begun = "unfenced" if is_kraft and row.live_ts is None else "registered"
            yield _row(row.start_ts, "session", f"{begun}{epoch}", row.evidence)
        if row.live_ts is not None and is_kraft:
            yield _row(row.live_ts, "session", "unfenced", (row.evidence or ())[1:])
        if row.end_ts is not None:
            ended = _ENDED.get(row.ended_by or "", _NO_HEARTBEAT if is_kraft else _GONE)
            by = ", by then" if row.ended_before else ""
            yield _row(row.end_ts, "session", f"session{epoch} ended {ended}{by}", (row.evidence or ())[::-1])


_NO_HEARTBEAT = "because the controller no longer heard from it; why is not in these logs"
_GONE = "because it expired or was closed; why is not in these logs"
_ENDED = {
    "controlled_shutdown": "by a controlled shutdown",
    "crash": "because the process ended without a shutdown",
    "process_ended": "after its process had ended",
    "registered_anew": "before the broker registered anew",
    "session_timeout": "because it timed out, while the process still existed",
}


def _faults(tables: Mapping[str, pd.DataFrame], broker_id: int) -> Iterator[dict[str, Any]]:
    """Each fault at its earliest possible begin, with the bounds of its begin and its end."""
    for row in rows(tables["findings"]):
        if broker_id in (row.broker_ids or ()):
            begun = row.began_low if row.began_high is not None and row.began_low is not None else row.start_ts
            sentence = f"{row.code} {row.title} ({row.role.replace('_', ' ')}{_when(row)})"
            yield _row(begun, "fault", sentence, row.evidence)


def _when(row: Any) -> str:
    """When it began and ended, if one of them is known between bounds only."""
    is_exact = row.began_low == row.began_high and row.ended_low in (None, row.ended_high)
    return "" if row.began_high is None or is_exact else f"; {lasted(row, time_of_day)}"


def _led(tables: Mapping[str, pd.DataFrame], broker_id: int) -> Iterator[dict[str, Any]]:
    gained, lost = [], []
    before: dict[tuple[str, int], Any] = {}
    for row in rows(tables["leader_epochs"].sort_values(["topic", "partition", "leader_epoch"])):
        key = (row.topic, row.partition)
        led = before.get(key)
        was_led = led is not None and led.leader_id == broker_id
        if row.leader_id == broker_id and not was_led:
            gained.append(row)
        if row.leader_id != broker_id and was_led:
            lost.append(row)
        before[key] = row
    found = [row for row in gained if row.begun_before]
    yield from _grouped([row for row in gained if not row.begun_before], "start_ts", "leads", "elected leader of {}")
    yield from _grouped(found, "start_ts", "leads", "led {} by then; since when is not logged")
    yield from _grouped(lost, "start_ts", "leads", "no longer leader of {}")


def _isrs(tables: Mapping[str, pd.DataFrame], broker_id: int) -> Iterator[dict[str, Any]]:
    left, joined, out = [], [], []
    before: dict[tuple[str, int], Any] = {}
    ever_in: set[tuple[str, int]] = set()
    emptied = [row for row in rows(tables["eligible_leaders"]) if row.leader_id == -1 and not row.isr]
    states = [*rows(tables["isr_spans"]), *emptied]
    for row in sorted(states, key=lambda row: (row.topic, row.partition, row.start_ts)):
        key = (row.topic, row.partition)
        was_in = key in before and broker_id in (before[key].isr or ())
        is_in = broker_id in (row.isr or ())
        if key in before and was_in and not is_in:
            left.append(row)
        if key in before and is_in and not was_in:
            joined.append(row)
            if key not in ever_in:
                out.append(before[key])
        if is_in:
            ever_in.add(key)
        before[key] = row
    yield from _grouped(out, "start_ts", "isr", "was not in the ISR of {}")
    yield from _grouped(left, "start_ts", "isr", "left the ISR of {}")
    yield from _grouped(joined, "start_ts", "isr", "joined the ISR of {}")


def _cuts(tables: Mapping[str, pd.DataFrame], broker_id: int) -> Iterator[dict[str, Any]]:
    for row in rows(tables["truncations"]):
        if row.node_id == broker_id:
            before = "" if row.log_end_offset is None else f" from {row.log_end_offset}"
            yield _row(
                row.ts, "cut", f"truncated {row.topic}-{row.partition}{before} to {row.truncation_offset}", row.evidence
            )


def _losses(tables: Mapping[str, pd.DataFrame], broker_id: int) -> Iterator[dict[str, Any]]:
    for row in rows(tables["losses"]):
        if row.verdict in OPEN_VERDICTS and broker_id in (row.old_leader_id, row.new_leader_id):
            role = "whose log held them" if row.old_leader_id == broker_id else "that leads from there"
            if row.verdict == "PROVEN_LOSS" and row.old_leader_id != broker_id:
                role = "that leads without them"
            sentence = f"{lost_offsets(row, f'{row.topic}-{row.partition}')}; it is the broker {role}"
            yield _row(row.ts, "loss", sentence, row.evidence)


_STEPS: tuple[Callable[[Mapping[str, pd.DataFrame], int], Iterator[dict[str, Any]]], ...] = (
    _sessions,
    _faults,
    _led,
    _isrs,
    _cuts,
    _losses,
)


def _grouped(changes: Iterable[Any], time: str, what: str, sentence: str) -> Iterator[dict[str, Any]]:
    """One row for the changes of several partitions within a second."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for row in changes:
        ts = getattr(row, time)
        groups[None if ts is None else ts.floor("s")].append(row)
    for group in groups.values():
        group = sorted(group, key=lambda row: (getattr(row, time) is not None, getattr(row, time) or 0))
        first, last = getattr(group[0], time), getattr(group[-1], time)
        until = "" if first is None or time_of_day(first) == time_of_day(last) else f", the last at {time_of_day(last)}"
        yield _row(first, what, sentence.format(_partitions(group)) + until, _proof(group))


def _row(ts: Any, what: str, sentence: str, evidence: Sequence[str] | None) -> dict[str, Any]:
    return {"ts": ts, "what": what, "told": sentence, "evidence": list(evidence or ())}


def _without_isr(tables: Mapping[str, pd.DataFrame], broker_id: int, last: Sequence[Any]) -> list[Any]:
    """The leader epochs without an end of partitions of the broker without any ISR in these logs."""
    known = {(row.topic, row.partition) for row in last}
    return [
        row
        for row in rows(tables["leader_epochs"])
        if broker_id in (row.leader_id, *(row.replicas if row.replicas is not None else ()))
        and (row.topic, row.partition) not in known
        and pd.isna(row.end_ts)
    ]


def _partitions(found: Sequence[Any]) -> str:
    names = list(dict.fromkeys(f"{row.topic}-{row.partition}" for row in found))
    if len(names) <= _NAMED:
        return listed(names)
    return f"{len(names):,} partitions ({', '.join(names[: _NAMED - 1])} …)"


def _proof(found: Sequence[Any]) -> list[str]:
    return list(dict.fromkeys(one for row in found for one in (row.evidence or ())[:1]))[:_NAMED]


# --- In short


def in_short(tables: Mapping[str, pd.DataFrame], broker_id: int) -> str:
    sessions = [row for row in rows(tables["broker_sessions"]) if row.broker_id == broker_id]
    epochs = tables["leader_epochs"]
    led = epochs[epochs.leader_id == broker_id] if len(epochs) else epochs
    times = counted(len(led.groupby(["topic", "partition"])), "partition")
    is_logged = bool(len(led)) and bool((led.confidence == "observed").all())
    least = "at least " if any(row.seen_ts is not None for row in sessions) else ""
    parts = [
        *([f"{least}{counted(len(sessions), 'session')}"] if len(tables["broker_sessions"]) else []),
        f"led {times}" if is_logged or not len(led) else f"led at least {times}",
        *_dropped(tables, broker_id),
        *_clock(tables, broker_id),
    ]
    return "; ".join(parts) + "."


def _dropped(tables: Mapping[str, pd.DataFrame], broker_id: int) -> Iterator[str]:
    drops = sum(row.drops or 0 for row in rows(tables["isr_drops"]) if row.broker_id == broker_id)
    if drops:
        ended = sum(row.as_session_ended or 0 for row in rows(tables["isr_drops"]) if row.broker_id == broker_id)
        how_many = "each" if ended == drops else f"{ended:,}"
        least = "at least " if len(tables["limits"]) else ""  # leaders whose lines are missing may have dropped it, too
        yield f"left ISRs {least}{counted(drops, 'time')}" + (
            f", {how_many} within 30 s of the end of its session" if ended else ""
        )


def _clock(tables: Mapping[str, pd.DataFrame], broker_id: int) -> Iterator[str]:
    found = [row for row in rows(tables["clock_offsets"]) if row.node_id == broker_id]
    wrong = [row.correction_ms for row in found if row.correction_ms]
    if wrong:
        yield f"its clock was corrected by {duration(max(map(abs, wrong)))} at most"


def _files(tables: Mapping[str, pd.DataFrame], broker_id: int, clock: Clock) -> Iterator[str]:
    files = tables["coverage"]
    own = files[(files.node_id == broker_id) & (files.log_records > 0)] if len(files) else files
    if own.empty:
        yield "Its own log files are not among the inputs: other nodes' lines show what follows."
        return
    first, last = own.first_ts.min(), own.last_ts.max()
    between = "" if pd.isna(first) else f", {clock.stamp(first)} to {clock.stamp(last)}"
    yield f"Its log files: {counted(len(own), 'file')}, {counted(int(own.log_records.sum()), 'record')}{between}."
