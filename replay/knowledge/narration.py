"""Quiet lines, in order: one plain sentence each, with the effect on the data, from the line's kind in the
catalogue (`packs/steps.toml`).

A line whose kind has no sentence there is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

from replay.catalogue.kinds import CLIENT_KINDS, HOST_KINDS, KINDS
from replay.knowledge.answer import Event
from replay.knowledge.choosing import WARN, Read
from replay.knowledge.code_tables import rows_of
from replay.knowledge.line_values import segment_times
from replay.knowledge.meaning import filled
from replay.lists import listed
from replay.reading.printed_line import OTHERS, SETTING, TYPED, UNKNOWN, Line

MOST_LINES = 40  # with more lines, each distinct event appears once
_SEGMENT_SIZE = re.compile(r"\bsize=(\d+)")
_SEGMENT = re.compile(r"baseOffset=\d+")
_SEGMENTS = ("to_delete", "segment", "deletable", "segments", "segments_to_delete")  # fields that hold segments
_STATE = re.compile(r"^(\w+)State\(|^(\w+)\(")
_EPOCH = re.compile(r"\bepoch=(\d+)")
_LED_BY = re.compile(r"leaderId=(?:OptionalInt\[)?(\d+)")
_FETCHED = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]{0,249}?-\d{1,10}) -> (?:InitialFetchState\((?:\S{1,300}, )?BrokerEndPoint\(id=\d+, host=[^)]{0,300}\),\s?(\d+),\s?(\d+)|\(offset=(\d+))"
)
_POSITION = re.compile(r"\boffset=(\d{1,20})\b")
_SCALA = re.compile(r"\b(?:Hash|Tree)?(?:Set|List)\(([^()]{0,400})\)")
_MEMBER = re.compile(r"(?:[Mm]ember|member with id) (?P<member>[\w.-]+)")
_UUID = re.compile(r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")

_NOT_TAKEN = ("isr-stale-version", "isr-write-refused")
_REFUSED_ISR = "{Me} tried to change the ISR of {tp} to {isr}; the change was rejected."
_WRITER = re.compile(r"^(?:\[[^\]]*\]:? |[a-z-]{3,24} \[[^\]]*\] ){1,3}")
_QUOTED = 110  # characters of a message that a sentence quotes
_ASIDE = (TYPED, SETTING)  # text that a person typed or pasted with the lines


@cache
def _steps() -> dict[str, str]:
    """The sentence for each kind of the catalogue."""
    return {row.text: row.says for row in rows_of("steps")}


def narrated(read: Sequence[Read], settled: Collection[str] = ()) -> list[Event]:
    """The recognized lines in order of time, as events. With more than `MOST_LINES` lines, each distinct event
    appears once, with its count. `settled`: the locations of lines that other lines make less serious.
    """
    lines = in_order([one for one in read if one.line.kind not in (*_ASIDE, UNKNOWN, OTHERS)])
    ends: dict[tuple[str, str], str] = {}
    refused = _refused(lines)
    if len(lines) > _MANY:
        return _of_many(lines, settled, refused)
    events = [event for one in lines if (event := _event(one, ends, one.line.where in settled, refused)) is not None]
    events = _runs(events)
    return events if len(events) <= MOST_LINES else _distinct(events)


def _of_many(lines: Sequence[Read], settled: Collection[str], refused: Collection[str]) -> list[Event]:
    """The distinct events of many lines. Most kinds appear once for each process, with its first line and a count."""
    ends: dict[tuple[str, str], str] = {}
    events: list[Event] = []
    at: dict[tuple[str, str | None, bool], int] = {}
    for one in lines:
        key = (one.values["me"], one.line.kind, one.line.where in refused)
        if one.line.kind in (None, *_EACH_IS_READ) or key not in at:
            event = _event(one, ends, one.line.where in settled, refused)
            if event is not None:
                at.setdefault(key, len(events))
                events.append(event)
        else:
            first = events[at[key]]
            events[at[key]] = replace(first, count=first.count + 1)
    return _distinct(events)


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


def _own_words(message: str) -> str:
    """A message shortened for quoting in a sentence, without the name of its writer."""
    text = _WRITER.sub("", message).strip().rstrip(".")
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED].rpartition(' ')[0]} …"


def _runs(events: Sequence[Event]) -> list[Event]:
    """`events` with adjacent equal ones merged."""
    out: list[Event] = []
    for event in events:
        if out and (out[-1].says, out[-1].subject) == (event.says, event.subject):
            out[-1] = replace(out[-1], count=out[-1].count + event.count)
        else:
            out.append(event)
    return out


def in_order(read: Sequence[Read]) -> list[Read]:
    """`read` in order of time; a line without a time keeps its position in its file."""
    known: dict[str, datetime] = {}
    keys: list[tuple[datetime, int]] = []
    first = min((one.line.ts for one in read if one.line.ts is not None), default=datetime.min.replace(tzinfo=UTC))
    for at, one in enumerate(read):
        ts = one.line.ts or known.get(one.line.source, first)
        known[one.line.source] = ts
        keys.append((ts, at))
    return [read[at] for _, at in sorted(keys)]


def is_understood(one: Read) -> bool:
    """Whether the line has a meaning, is in the catalogue, or was typed by a person."""
    if one.line.kind in (UNKNOWN, OTHERS):
        return False
    return one.is_known or one.line.kind is not None or one.line.template is not None or _routine(one.line) is not None


def _routine(line: Line) -> tuple[re.Match[str], str] | None:
    """The meaning of a quiet wording that is not in the catalogue."""
    if line.severity >= WARN:
        return None
    rows = rows_of("routine")
    return next(((found, row.says) for row in rows if (found := row.regex.match(line.message))), None)


def _event(one: Read, ends: dict[tuple[str, str], str], is_settled: bool, refused: Collection[str]) -> Event | None:
    line = one.line
    kind = line.kind or ""
    text = _steps().get(kind)
    values = _values(one, ends)
    if kind == "log_truncated_to" and values.get("truncation_offset", "").startswith("-"):
        text = "{Me} is to cut its log of {tp} at offset {truncation_offset}, which cannot be done."
    if kind == "client_position" and "Found no committed offset" in line.message:
        text = "{Me} found no committed offset of its group for {tp|a partition}: auto.offset.reset decides where it begins."
    if line.where in refused:
        text = _REFUSED_ISR
    if one.wording is not None and (text is None or line.severity >= WARN) and not is_settled:
        text = one.wording.says
    if text is None and (routine := _routine(line)) is not None:
        values |= {name: value for name, value in routine[0].groupdict().items() if value}
        text = routine[1]
    if text is None:
        if kind not in KINDS and kind not in HOST_KINDS and kind not in CLIENT_KINDS:
            return None
        text = "{Me}: '{said}'."
    sentence = re.sub(r" ([.,;:])(?=\s|$)", r"\1", " ".join(filled(text, values).split()))
    sentence = re.sub(r"[:;,]?([.!?])\.(?=\s|$)", r"\1", sentence).replace(" 1 partitions", " 1 partition")
    sentence = _SCALA.sub(lambda found: found[1] or "none", sentence)
    sentence = sentence if _NAME.match(sentence) else sentence[:1].upper() + sentence[1:]
    return Event(line.ts, line.where, values["me"], kind, sentence, clock=line.clock)


def _values(one: Read, ends: dict[tuple[str, str], str]) -> dict[str, str]:
    values = {name: value for name, value in one.values.items() if value}
    values["Me"] = values["me"][:1].upper() + values["me"][1:]
    values["said"] = _own_words(one.line.message)
    for name, make in _MADE.items():
        values[name] = make(one, values) or values.get(name, "")
    _log_ends(one, values, ends)
    return {name: value for name, value in values.items() if value or name in _OPTIONAL}


_NAME = re.compile(r"[\w@-]+\.service|systemd\b")  # never with a capital
_OPTIONAL = ("alone", "age", "was_offline")


def _log_ends(one: Read, values: dict[str, str], ends: dict[tuple[str, str], str]) -> None:
    """Records where each log ended when its broker began to fetch, and adds that offset to a later truncation."""
    for tp, offset in fetched(one.line):
        ends[values["me"], tp] = offset
    key = (values["me"], values.get("tp", ""))
    if one.line.kind == "log_truncated_to" and key in ends:
        values["cut_from"] = ends.pop(key)


def fetched(line: Line) -> list[tuple[str, str]]:
    """The partitions that a fetcher starts to fetch, with their start offsets."""
    if line.kind != "fetcher_partitions_added":
        return []
    return [(found[1], found[3] or found[4]) for found in _FETCHED.finditer(line.message) if found[3] or found[4]]


def ids(text: str) -> list[int]:
    """The broker ids of a list in any of Kafka's spellings."""
    return [int(found) for found in re.findall(r"\d+", text)]


def brokers(of: Sequence[int]) -> str:
    """`broker 3`, `brokers 1 and 3`."""
    if not of:
        return ""
    return f"{'broker' if len(of) == 1 else 'brokers'} {listed([*map(str, of)])}"


def _gone(one: Read, values: Mapping[str, str]) -> str:
    old, new = ids(values.get("old_isr", "")), ids(values.get("isr", ""))
    return brokers([node for node in old if node not in new])


def _added(one: Read, values: Mapping[str, str]) -> str:
    old, new = ids(values.get("old_isr", "")), ids(values.get("isr", ""))
    return brokers([node for node in new if node not in old])


def _behind(one: Read, values: Mapping[str, str]) -> str:
    found = re.findall(r"brokerId: (\d+), endOffset: (-?\d+)", values.get("out_of_sync_replicas", ""))
    return " and ".join(f"broker {node} stood at {offset}" for node, offset in found)


def _alone(one: Read, values: Mapping[str, str]) -> str:
    members = ids(values.get("isr", "")) if "isr" in values else []
    if len(members) != 1:
        return ""
    return f" Broker {members[0]} alone is in sync."


def _was_offline(one: Read, values: Mapping[str, str]) -> str:
    return "; before, the partition had no leader" if values.get("from_state") == "OfflinePartition" else ""


def _isr(one: Read, values: Mapping[str, str]) -> str:
    members = values.get("isr", "")
    return ", ".join(re.findall(r"\d+", members)) if members else ""


def _segments_are(one: Read, values: Mapping[str, str]) -> str:
    text = next((values[name] for name in _SEGMENTS if name in values), "")
    many, sizes = len(_SEGMENT.findall(text)), [int(size) for size in _SEGMENT_SIZE.findall(text)]
    if not many:
        return ""
    return f"{'a segment' if many == 1 else f'{many} segments'} ({_size(sum(sizes))})"


def _size(count: int) -> str:
    for unit, power in (("GB", 30), ("MB", 20), ("kB", 10)):
        if count >= 2**power:
            return f"{count / 2**power:.0f} {unit}"
    return f"{count} bytes"


def _retention_is(one: Read, values: Mapping[str, str]) -> str:
    if "retention_ms" in values:
        return f"retention.ms ({_span(int(values['retention_ms']) / 1000)})"
    size = values.get("retention_size") or values.get("local_retention_size")
    return f"retention.bytes ({size})" if size else ""


def _age(one: Read, values: Mapping[str, str]) -> str:
    times = segment_times(one.line)
    if times is None or one.line.ts is None:
        return ""
    old = (one.line.ts - times[1]).total_seconds()
    return f" Its newest record is timestamped {_span(old)} before." if old > 0 else ""


def _span(seconds: float) -> str:
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1f} s"


def _fetched(one: Read, values: Mapping[str, str]) -> str:
    names = [f"{tp} (from offset {offset})" for tp, offset in fetched(one.line)]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _state_is(one: Read, values: Mapping[str, str]) -> str:
    state = values.get("state") or values.get("new_state") or ""
    name, epoch, leader = _STATE.match(state), _EPOCH.search(state), _LED_BY.search(state)
    kind = (name[1] or name[2]).removesuffix("State").lower() if name else state[:40]
    of = f" of node {leader[1]}" if leader and kind.startswith("follower") else ""
    return f"{kind}{of}" + (f" (epoch {epoch[1]})" if epoch else "")


def _let_it_finish(one: Read, values: Mapping[str, str]) -> str:
    loaded, logs = values.get("num_loaded", ""), values.get("num_logs", "")
    return " Let it finish." if loaded.isdecimal() and logs.isdecimal() and int(loaded) < int(logs) else ""


def _reason(one: Read, values: Mapping[str, str]) -> str:
    reason = values.get("reason", "")
    member = _MEMBER.search(reason)
    return reason.replace(member["member"], short_member(member["member"])) if member else reason


def short_member(member: str) -> str:
    """A member id without the random part after its client id."""
    return _UUID.sub("", member)


def _position_is(one: Read, values: Mapping[str, str]) -> str:
    position = values.get("position", "")
    printed = _POSITION.search(position)
    return printed[1] if printed else position if position.isdecimal() else ""


def _asker(one: Read, values: Mapping[str, str]) -> str:
    return "A health check or a tool" if "command" in values else "A health check, a tool or a refused client"


def _active_controller(one: Read, values: Mapping[str, str]) -> str:
    leader = values.get("new_leader_name", "")
    return f"node {leader} is the active controller" if leader.isdecimal() else "no active controller is known yet"


_MADE = {
    "active_controller": _active_controller,
    "asker": _asker,
    "position_is": _position_is,
    "gone": _gone,
    "added": _added,
    "behind": _behind,
    "alone": _alone,
    "was_offline": _was_offline,
    "segments_are": _segments_are,
    "retention_is": _retention_is,
    "age": _age,
    "fetched": _fetched,
    "state_is": _state_is,
    "reason": _reason,
    "let_it_finish": _let_it_finish,
    "isr": _isr,
}


def _distinct(events: Sequence[Event]) -> list[Event]:
    """Each kind of event once per process, ignoring numbers and names."""
    first: dict[tuple[str, str, str], Event] = {}
    counts: dict[tuple[str, str, str], int] = {}
    for event in events:
        key = (event.subject, event.kind, re.sub(r"\d+", "#", event.says) if event.kind in _NARRATED_EACH else "")
        first.setdefault(key, event)
        counts[key] = counts.get(key, 0) + event.count
    return [replace(event, count=counts[key]) for key, event in first.items()]


_MANY = 1_000  # lines
_NARRATED_EACH = ("log_truncated_to", "isr_shrink", "kraft_broker_session_timeout", "raft_transition")
_EACH_IS_READ = (*_NARRATED_EACH, "fetcher_partitions_added")  # another line has the log end offset


def unrecognized(read: Sequence[Read]) -> Iterator[Line]:
    """The unrecognized lines, including those below WARN."""
    for one in read:
        if not is_understood(one) and one.line.kind not in _ASIDE:
            yield one.line
