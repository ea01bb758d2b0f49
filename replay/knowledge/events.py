"""What quiet lines say, in order of time: a sentence each, with the effect on the data, from `packs/steps.toml`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from replay.catalogue.kinds import CLIENT_KINDS, HOST_KINDS, KINDS
from replay.knowledge.answer import Event, sentence
from replay.knowledge.choosing import WARN, Read, routine_of, step_of
from replay.knowledge.line_values import fetched, step_values
from replay.knowledge.meaning import HARMLESS, filled
from replay.reading.printed_line import OTHERS, SETTING, TYPED, UNKNOWN

MOST_LINES = 40  # with more events, each distinct one appears once
_MANY = 1_000  # lines
_NARRATED_EACH = ("log_truncated_to", "isr_shrink", "kraft_broker_session_timeout", "raft_transition")
_EACH_IS_READ = (None, *_NARRATED_EACH, "fetcher_partitions_added")  # another line has the log end offset
_NOT_TAKEN = ("isr-stale-version", "isr-write-refused")
_REFUSED = "isr_change_refused"
_QUOTES = "{Me}: '{said}'."
_SCALA = re.compile(r"\b(?:Hash|Tree)?(?:Set|List)\(([^()]{0,400})\)")


def events_of(read: Sequence[Read], settled: Collection[str] = ()) -> list[Event]:
    """The recognized lines in order of time, as events. Of many lines, each distinct event appears once, with its count, and
    most kinds once for each process. `settled`: the locations of lines that other lines make less serious.
    """
    lines = in_order([one for one in read if one.line.kind not in (TYPED, SETTING, UNKNOWN, OTHERS)])
    refused = _refused(lines)
    ends: dict[tuple[str, str], str] = {}
    events: list[Event] = []
    at: dict[tuple[str, str | None, bool], int] = {}
    for one in lines:
        key = (one.values["me"], one.line.kind, one.line.where in refused)
        if len(lines) > _MANY and one.line.kind not in _EACH_IS_READ and key in at:
            events[at[key]] = replace(events[at[key]], count=events[at[key]].count + 1)
        elif (event := _event(one, ends, one.line.where in settled, one.line.where in refused)) is not None:
            at.setdefault(key, len(events))
            events.append(event)
    events = _merged(events, is_near=True)
    return events if len(lines) <= _MANY and len(events) <= MOST_LINES else _merged(events)


def in_order(read: Sequence[Read]) -> list[Read]:
    """`read` in order of time; a line without a time keeps its position in its file."""
    known: dict[str, datetime] = {}
    keys: list[tuple[datetime, bool, int]] = []
    first = min((one.line.ts for one in read if one.line.ts is not None), default=datetime.min.replace(tzinfo=UTC))
    for at, one in enumerate(read):
        ts = one.line.ts or known.get(one.line.source, first)
        known[one.line.source] = ts
        # `systemctl status` prints above the journal how the service ended
        keys.append((ts, one.line.kind == "systemd_exited" and "host" not in one.line.fields, at))
    return [read[at] for *_, at in sorted(keys)]


def _refused(lines: Sequence[Read]) -> frozenset[str]:
    """The locations of ISR changes that the next line of the same file and partition rejects."""
    last: dict[tuple[str, str], Read] = {}
    refused: set[str] = set()
    for one in lines:
        partition = (one.line.source, one.values.get("tp", ""))
        if one.line.kind in ("isr_expand", "isr_shrink"):
            last[partition] = one
        elif one.wording is not None and one.wording.key in _NOT_TAKEN and partition in last:
            refused.add(last.pop(partition).line.where)
    return frozenset(refused)


def _event(one: Read, ends: dict[tuple[str, str], str], is_settled: bool, is_refused: bool) -> Event | None:
    """The event of a line; `ends`: where each log ended when its broker began to fetch, for a later truncation."""
    line, values = one.line, step_values(one)
    for tp, offset in fetched(line):
        ends[values["me"], tp] = offset
    if line.kind == "log_truncated_to" and (end := ends.pop((values["me"], values.get("tp", "")), None)) is not None:
        values["cut_from"] = end
    text = step_of(line, _REFUSED if is_refused else line.kind or "")
    if one.wording is not None and not is_settled and (text is None or line.severity >= WARN):
        is_excused = one.cause is not None and one.cause.alone and one.cause.weight == HARMLESS
        text = one.cause.says if one.cause is not None and is_excused else one.wording.says
    if text is None and (routine := routine_of(line)) is not None:
        text, values = routine[0], values | routine[1]
    if text is None:
        if line.kind not in KINDS and line.kind not in HOST_KINDS and line.kind not in CLIENT_KINDS:
            return None
        text = _QUOTES
    says = _SCALA.sub(lambda found: found[1] or "none", sentence(filled(text, values)))
    says = says.replace(" 1 partitions", " 1 partition")
    return Event(line.ts, line.where, values["me"], line.kind or "", says, clock=line.clock)


def _merged(events: Sequence[Event], *, is_near: bool = False) -> list[Event]:
    """Equal events as one, with their count: those side by side, or each kind of a process, whatever numbers and names."""
    merged: list[Event] = []
    at: dict[tuple[str, str, str], int] = {}
    for event in events:
        says = event.says if is_near else re.sub(r"\d+", "#", event.says) if event.kind in _NARRATED_EACH else ""
        key = (event.subject, "" if is_near else event.kind, says)
        at = {key: at[key]} if is_near and key in at else {} if is_near else at
        if key in at:
            merged[at[key]] = replace(merged[at[key]], count=merged[at[key]].count + event.count)
        else:
            at[key] = len(merged)
            merged.append(event)
    return merged
