"""The changes between two analyses of growing logs: a summary of each analysis, and the lines that state the
differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from replay.tables import OPEN_VERDICTS
from viz.phrases import at_most, counted, number

TABLES: Mapping[str, Sequence[str] | None] = {  # and the columns of each; None: all
    "findings": None,
    "isr_spans": ("topic", "partition", "isr", "replicas", "end_ts"),
    "losses": None,
}
_OF_FAULTS = ("root_cause", "contributing")
_SAME = pd.Timedelta(minutes=1)  # a better clock estimate moves the start of a fault by at most this
_MOST_NAMED = 6
_VERDICT_TEXTS = {
    "PROVEN_LOSS": "proven lost",
    "POSSIBLE_LOSS": "possibly lost",
    "UNDETERMINED": "unknown whether lost",
    "NO_LOSS_OBSERVED": "no loss observed",
    "NO_COMMITTED_LOSS_BY_PROTOCOL": "no committed loss, by protocol",
    "": "resolved",  # the row is gone
}


@dataclass(frozen=True)
class Fault:
    """A reported fault. `lasts`: no line shows its end. `wording`: the name of the sentence in its title."""

    code: str
    brokers: tuple[int, ...]
    began: pd.Timestamp | None
    ended: pd.Timestamp | None
    lasts: bool
    severity: str
    wording: str
    title: str
    finding_id: str


@dataclass(frozen=True)
class Verdict:
    """The verdict on one change of leader or restart; `least` and `most`: the number of offsets, None if unknown."""

    verdict: str
    least: int | None = None
    most: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether records are lost, or may be lost."""
        return self.verdict in OPEN_VERDICTS and self.most != 0


_Ledger = tuple[str, int, int | None, str]  # topic, partition, leader epoch, class of loss
_Partition = tuple[str, int]


@dataclass(frozen=True)
class Standing:
    """The findings of one analysis: faults, partitions whose last ISR lacks replicas or is full, and the verdicts on
    losses.
    """

    faults: Sequence[Fault] = ()
    short: frozenset[_Partition] = frozenset()
    full: frozenset[_Partition] = frozenset()
    losses: Mapping[_Ledger, Verdict] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """One difference from the previous analysis.

    `kind`: `fault`, `fault_over`, `fault_withdrawn`, `isr_short`, `isr_full`, `loss`, `verdict`. `ts`: when it
    happened according to the logs, naive in UTC; None if it has no single time.
    """

    kind: str
    told: str
    ts: pd.Timestamp | None = None
    severity: str | None = None
    code: str | None = None
    finding_id: str | None = None
    brokers: tuple[int, ...] = ()
    partitions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The change as an object for programs; times are ISO 8601 in UTC."""
        return {
            "kind": self.kind,
            "told": self.told,
            "ts": None if self.ts is None else f"{self.ts.isoformat()}Z",
            "severity": self.severity,
            "code": self.code,
            "finding_id": self.finding_id,
            "broker_ids": list(self.brokers),
            "partitions": list(self.partitions),
        }


def standing(tables: Mapping[str, pd.DataFrame]) -> Standing:
    """The state in the tables of a result (`TABLES`)."""
    spans = tables["isr_spans"]
    open_spans = rows(spans[spans.end_ts.isna()]) if len(spans) else []
    losses: dict[_Ledger, Verdict] = {}
    for row in rows(tables["losses"]):
        key = (row.topic, row.partition, row.leader_epoch, row.loss_class)
        verdict = Verdict(
            row.verdict, _span(row.from_offset, row.to_offset_low), _span(row.from_offset, row.to_offset_high)
        )
        losses[key] = _together(losses[key], verdict) if key in losses else verdict
    with_replicas = [(row, len(row.isr or ()), len(row.replicas)) for row in open_spans if row.replicas]
    return Standing(
        [_fault(row) for row in rows(tables["findings"]) if row.role in _OF_FAULTS],
        frozenset((row.topic, row.partition) for row, members, replicas in with_replicas if members < replicas),
        frozenset((row.topic, row.partition) for row, members, replicas in with_replicas if members >= replicas),
        losses,
    )


def _fault(row: Any) -> Fault:
    return Fault(
        row.code,
        tuple(row.broker_ids or ()),
        row.start_ts,
        row.ended_high,
        row.began_high is not None and row.ended_high is None,
        row.severity,
        row.reason,
        row.title,
        row.finding_id,
    )


def _together(one: Verdict, other: Verdict) -> Verdict:
    """Two verdicts on one leader epoch combined: the worse verdict, and the sum of their offsets."""
    worse = min((one.verdict, other.verdict), key=list(_VERDICT_TEXTS).index)
    least = [some for some in (one.least, other.least) if some is not None]
    is_known = one.most is not None and other.most is not None
    return Verdict(worse, sum(least) if least else None, (one.most or 0) + (other.most or 0) if is_known else None)


def _span(first: int | None, end: int | None) -> int | None:
    return None if first is None or end is None else max(0, end - first)


def changes(before: Standing, now: Standing) -> Iterator[Change]:
    """The differences between `before` and `now`: faults in order of time, then ISRs, then losses."""
    yield from _faults(before.faults, now.faults)
    short = now.short - before.short
    if short:
        yield _partitions("isr_short", "ISR not full", short)
    again = before.short & now.full
    if again:
        left = f"; not yet: {counted(len(now.short), 'partition')}" if now.short else ", everywhere"
        yield _partitions("isr_full", "ISR full again", again, left)
    yield from _losses(before.losses, now.losses)


def _faults(before: Sequence[Fault], now: Sequence[Fault]) -> list[Change]:
    """The changes of faults, in order of time."""
    ended = list(before)
    changes: list[Change] = []
    fresh: list[Fault] = []
    for fault in now:
        was = _taken(ended, fault, same_code=True)
        if was is None:
            fresh.append(fault)
            continue
        if was.wording != fault.wording:
            changes.append(_of(fault, "verdict", f"{was.title}: now {_lower(fault.title)}"))
        elif was.severity != fault.severity:
            changes.append(_of(fault, "verdict", f"{fault.title}: was {was.severity}, is {fault.severity}"))
        if was.lasts and not fault.lasts:
            changes.append(_of(fault, "fault_over", f"Over{_at(fault.ended)}: {fault.title}", fault.ended))
    for fault in fresh:
        was = _taken(ended, fault, same_code=False)
        if was is not None:
            changes.append(_of(fault, "verdict", f"{was.title}: now {_lower(fault.title)}"))
        else:
            over = "" if fault.lasts or fault.ended is None else f"; over{_at(fault.ended)}"
            changes.append(_of(fault, "fault", f"New, {fault.severity}{_at(fault.began)}: {fault.title}{over}"))
    changes += [_of(fault, "fault_withdrawn", f"No longer held: {fault.title}") for fault in ended]
    return sorted(changes, key=lambda change: (change.ts is None, change.ts or 0, change.told))


def _taken(faults: list[Fault], fault: Fault, same_code: bool) -> Fault | None:
    """The same fault in the previous analysis, removed from `faults`; None if there is none."""
    alike = [
        had
        for had in faults
        if had.brokers == fault.brokers
        and (had.code == fault.code if same_code else bool(fault.brokers))
        and (had.finding_id == fault.finding_id or _apart(had, fault) <= _SAME)
    ]
    if not alike:
        return None
    nearest = min(alike, key=lambda had: (had.wording != fault.wording, _apart(had, fault)))
    faults.remove(nearest)
    return nearest


def _apart(one: Fault, other: Fault) -> pd.Timedelta:
    if one.began is None or other.began is None:
        return pd.Timedelta(0) if one.began is other.began else _SAME * 2
    return abs(one.began - other.began)


def _of(fault: Fault, kind: str, text: str, ts: pd.Timestamp | None = None) -> Change:
    return Change(kind, text, ts or fault.began, fault.severity, fault.code, fault.finding_id, fault.brokers)


def _losses(before: Mapping[_Ledger, Verdict], now: Mapping[_Ledger, Verdict]) -> Iterator[Change]:
    """New rows with proven or possible losses, rows with more or less loss than reported before, and rows with
    another verdict. Similar rows share a line, with the total.
    """
    moved: dict[tuple[str, str], list[_Ledger]] = {}
    fresh: dict[tuple[str, str], list[_Ledger]] = {}
    became: dict[tuple[str, str, str], list[_Ledger]] = {}
    for key in sorted({*before, *now}, key=lambda key: tuple(map(str, key))):
        was, is_ = before.get(key), now.get(key)
        verdict = is_.verdict if is_ is not None else ""
        if was is None and is_ is not None and is_.is_open:
            fresh.setdefault((verdict, key[3]), []).append(key)
        elif was is not None and was.verdict != verdict and (was.is_open or (is_ is not None and is_.is_open)):
            became.setdefault((was.verdict, verdict, key[3]), []).append(key)
        elif was is not None and is_ is not None and is_.is_open and was != is_:
            moved.setdefault((verdict, key[3]), []).append(key)
    for (verdict, loss_class), keys in sorted(fresh.items()):
        names = _names(keys)
        text = f"Records {_VERDICT_TEXTS[verdict]}: {_amount([now[key] for key in keys])}{_acks_of(loss_class)}, {_of_names(names)}"
        total = _in_all(now, verdict, loss_class, keys)
        yield Change("loss", text + total, partitions=names, severity=_severity(verdict, loss_class))
    for (verdict, loss_class), keys in sorted(moved.items()):
        names = _names(keys)
        amounts = [_amount([side[key] for key in keys]) for side in (before, now)]
        text = f"Records {_VERDICT_TEXTS[verdict]}: now {amounts[1]}, were {amounts[0]}{_acks_of(loss_class)}, {_of_names(names)}"
        total = _in_all(now, verdict, loss_class, keys)
        yield Change("loss", text + total, partitions=names, severity=_severity(verdict, loss_class))
    for (previous, verdict, loss_class), keys in sorted(became.items()):
        names = _names(keys)
        amount = f" ({_amount([now[key] for key in keys])})" if verdict in OPEN_VERDICTS else ""
        text = f"Records {_VERDICT_TEXTS[previous]}: now {_VERDICT_TEXTS[verdict]}{amount}{_acks_of(loss_class)}, {_of_names(names)}"
        total = _in_all(now, verdict, loss_class, keys) if verdict in OPEN_VERDICTS else ""
        yield Change("verdict", text + total, partitions=names, severity=_severity(verdict, loss_class))


def _in_all(now: Mapping[_Ledger, Verdict], verdict: str, loss_class: str, keys: Sequence[_Ledger]) -> str:
    """The total of all rows with this verdict, as text; empty if `keys` are all of them."""
    every = {key: one for key, one in now.items() if (one.verdict, key[3]) == (verdict, loss_class) and one.is_open}
    if every.keys() <= set(keys):
        return ""
    return f"; in all {_VERDICT_TEXTS[verdict]}: {_amount(list(every.values()))}, {counted(len(_names(list(every))), 'partition')}"


def _acks_of(loss_class: str) -> str:
    return "" if loss_class == "committed" else " that only producers with acks=1 may have seen acknowledged"


def _severity(verdict: str, loss_class: str) -> str:
    if verdict not in OPEN_VERDICTS:
        return "info"
    return "low" if loss_class != "committed" else "critical" if verdict == "PROVEN_LOSS" else "high"


def _amount(verdicts: Sequence[Verdict]) -> str:
    least = sum(verdict.least or 0 for verdict in verdicts)
    if any(verdict.most is None for verdict in verdicts):
        return f"at least {number(least)} offsets" if least else "an unknown number of offsets"
    most = sum(verdict.most or 0 for verdict in verdicts)
    return f"{number(most)} offsets" if least == most else f"{number(least)} to {number(most)} offsets"


def _names(keys: Sequence[_Ledger]) -> tuple[str, ...]:
    return tuple(f"{topic}-{partition}" for topic, partition in sorted({key[:2] for key in keys}))


def _of_names(names: Sequence[str]) -> str:
    return f"{counted(len(names), 'partition')} ({at_most(names, _MOST_NAMED)})"


def _partitions(kind: str, text: str, some: frozenset[_Partition], more: str = "") -> Change:
    names = tuple(f"{topic}-{partition}" for topic, partition in sorted(some))
    return Change(kind, f"{text}: {_of_names(names)}{more}", partitions=names)


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]


def _at(ts: pd.Timestamp | None) -> str:
    return "" if ts is None else f" at {ts:%H:%M:%S}"
