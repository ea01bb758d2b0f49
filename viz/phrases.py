"""How numbers, times and names are written, the same in figures and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replay.sentences import shown_offsets, spans

if TYPE_CHECKING:
    import pandas as pd

_ENDED = ("killed/", "halted/")  # how the ids of findings about processes that ended without an order begin
_STOPPED = ("F02", "F03")
UNKNOWN = "not known"
TimeFormat = Callable[["pd.Timestamp | None"], str]  # how a time is written
_TRIGGERS = {
    "broker_failure": "end of the previous leader's session",
    "controlled_shutdown": "controlled shutdown of the previous leader",
    "unfenced": "unfencing of the new leader",
    "preferred": "preferred leader election",
    "reassignment": "reassignment",
    "admin": "administrator's request",
    "log_dir_failure": "failed log directory of the previous leader",
    "left_isr": "the controller removed the previous leader from the ISR: it stopped, or its session ended",
}
_NODES_FOLDER = re.compile(r"(?:node|broker|kafka|controller)-?\d+")
CANNOT_RULE_OUT = (
    "These logs cannot rule out a fault that crosses no timeout, because such a fault leaves no line. A slow network card, disk "
    "or broker that delays followers by less than replica.lag.time.max.ms blocks writes with acks=all, and a pause can be "
    "shorter than every timeout. To rule it out, check request latency (kafka.network RequestMetrics TotalTimeMs) and follower "
    "lag (ReplicaFetcherManager MaxLag) for that time."
)
"""The text if no fault was found."""


def stamp(ts: pd.Timestamp | None) -> str:
    """Date and time in UTC, to the millisecond."""
    return UNKNOWN if ts is None else ts.strftime("%Y-%m-%d %H:%M:%S.") + f"{ts.microsecond // 1000:03d}"


def second(ts: pd.Timestamp | None) -> str:
    """Time of day in UTC, to the second."""
    return UNKNOWN if ts is None else ts.strftime("%H:%M:%S")


def by_second(ts: pd.Timestamp | None) -> str:
    """The time of day in UTC by which something was true: to the second, rounded up."""
    return second(None if ts is None else ts.ceil("s"))


def trigger(name: str | None) -> str:
    """Why a leader changed (`elections.trigger`), in words."""
    return UNKNOWN if name is None else _TRIGGERS.get(name, UNKNOWN)


def local(ts: pd.Timestamp | None, zone: str | None) -> str | None:
    """Date and time in a zone, which is a name or an offset; None if that is UTC or there is no zone."""
    if ts is None or not zone:
        return None
    try:
        there = ts.tz_localize("UTC").tz_convert(f"UTC{zone}" if zone[0] in "+-" else zone)
    except (KeyError, ValueError, OSError):
        return None
    ahead = there.utcoffset()
    if ahead is None or not ahead:
        return None
    return str(there.strftime("%Y-%m-%d %H:%M:%S"))


def clock(ts: pd.Timestamp | None) -> str:
    """Time of day in UTC, to the millisecond."""
    return UNKNOWN if ts is None else stamp(ts)[11:]


def span(start: pd.Timestamp | None, end: pd.Timestamp | None) -> str:
    """From … to …, with the date once."""
    if start is None:
        return f"until {stamp(end)}" if end is not None else UNKNOWN
    if end is None:
        return f"{stamp(start)} to the end of the logs"
    return f"{stamp(start)} to {clock(end) if start.date() == end.date() else stamp(end)}"


def within(
    low: pd.Timestamp | None, high: pd.Timestamp | None, at: pd.Timestamp | None, shown: TimeFormat
) -> tuple[str, str]:
    """When something happened, as a preposition and times: between two times, by a time, or after one; `at` if there
    are no bounds, or if both bounds read the same.
    """
    if low is not None and high is not None and shown(low) != shown(high):
        is_same_day = shown is stamp and low.date() == high.date()
        latest = clock if is_same_day else by_second if shown is second else shown
        return "between", f"{shown(low)} and {latest(high)}"
    if high is not None and low is None:
        return "by", (by_second if shown is second else shown)(high)
    if high is not None:
        return "at", shown(high)
    return ("at", shown(at)) if low is None else ("after", shown(low))


def began(
    low: pd.Timestamp | None, high: pd.Timestamp | None, start: pd.Timestamp | None, shown: TimeFormat = second
) -> str:
    """When something began: a time, or its known bounds."""
    how, times = within(low, high, start, shown)
    return times if how == "at" else f"{how} {times}"


def is_of_an_end(f: Any) -> bool:
    """Whether a finding is about a process that ended without a stop order, for whatever reason."""
    return str(f.finding_id).startswith(_ENDED)


def over_at(f: Any, shown: TimeFormat) -> tuple[str, str]:
    """When a finding ended, in the form of `within`. A process that ended had been restarted before its first line."""
    how, times = within(f.ended_low, f.ended_high, f.end_ts, shown)
    starts = f.code in _STOPPED or is_of_an_end(f)
    return ("by" if how == "at" and starts else how), times


def span_of(incident: Any) -> str:
    """The time range of an incident, in UTC; if it is not over, to the end of the logs. One that its first line shows under way
    began before that.
    """
    if incident.t0_low is None and incident.t0_high is not None and incident.t0_high == incident.start_ts:
        end = "the end of the logs" if incident.is_over is False else f"{stamp(incident.end_ts)} UTC"
        return f"from before {stamp(incident.start_ts)} to {end}"
    if incident.is_over is False and incident.start_ts is not None:
        return f"{stamp(incident.start_ts)} UTC to the end of the logs"
    return f"{span(incident.start_ts, incident.end_ts)} UTC"


def lasted(f: Any, shown: TimeFormat = stamp) -> str:
    """When a finding began and ended, with the known bounds of both; the form of its begin can be given."""
    begin = began(f.began_low, f.began_high, f.start_ts, shown)
    if f.ended_high is None and f.began_high is not None:
        least = "" if f.ended_low is None else f"lasted at least until {clock(f.ended_low)}; "
        return f"began {begin}; {least}these logs do not show its end"
    is_end = is_of_an_end(f)
    if f.end_ts is None or (f.end_ts == f.start_ts and not is_end):
        return begin
    how, times = over_at(f, clock)
    over = "its process had started again" if is_end else "ended"
    return f"began {begin}; {over} {times if how == 'at' else f'{how} {times}'}"


def milliseconds(later: pd.Timestamp, earlier: pd.Timestamp) -> int:
    """later − earlier, rounded to milliseconds."""
    seconds: float = (later - earlier).total_seconds()
    return round(seconds * 1000)


def duration(ms: float | None) -> str:
    """Milliseconds in the form that a person reads: `420 ms`, `14.1 s`, `2 min 03 s`, `5 h 20 min`, `3 d 4 h`."""
    return UNKNOWN if ms is None else spans.duration(ms)


def at_least(ms: float | None) -> str:
    """A lower bound in the form of `duration`, rounded down."""
    return UNKNOWN if ms is None else spans.rounded_down(ms)


def no_more_than(ms: float | None) -> str:
    """An upper bound in the form of `duration`, rounded up."""
    return UNKNOWN if ms is None else spans.rounded_up(ms)


def durations(times_ms: Iterable[float | None]) -> str:
    """The shortest and the longest duration: `420 ms to 2.1 s`; only one if both read the same."""
    known = [ms for ms in times_ms if ms is not None]
    if not known:
        return UNKNOWN
    return _range(duration(min(known)), duration(max(known)))


def bounds(low_ms: float | None, high_ms: float | None) -> str:
    """A duration between two bounds: `10.2 to 11.8 s`, `up to 11.8 s`, `at least 10.2 s`, `11.8 s` if both bounds are
    the same.
    """
    return "0" if high_ms == 0 else spans.span(low_ms, high_ms) or UNKNOWN


def delay(edges: Iterable[Any]) -> str:
    """The bounds of the delays of some edges: from the shortest to the longest."""
    each = [(e.delay_ms, getattr(e, "delay_high_ms", None)) for e in edges]
    lows, highs = [low for low, _ in each if low is not None], [high for _, high in each if high is not None]
    return bounds(min(lows) if len(lows) == len(each) else None, max(highs) if len(highs) == len(each) else None)


def _range(low: str, high: str) -> str:
    """Two durations with their unit once: `10.2 to 11.8 s`; one if both read the same."""
    unit = high[high.index(" ") :]
    return high if low == high else f"{low.removesuffix(unit)} to {high}"


def plain(value: int | None) -> str:
    """An offset or an epoch in plain digits: it is a name to search for, not an amount."""
    return UNKNOWN if value is None else f"{value:.0f}"


_ENDS = {
    "leader_elected": "a new leader took over",
    "leader_back": "its leader led again",
    "isr_shrank": "the ISR shrank to the replicas that fetch",
    "isr_grew": "a replica rejoined the ISR",
    "member_back": "a follower fetched again",
    "fault_ended": "the fault of its broker ended",
    "topic_deleted": "the topic was deleted",
}


_ELECTED_FROM = {
    "isr": "the ISR",
    "elr": "the ELR",
    "last_known_leader": "the last known leader",
    "any_replica": "outside the ISR",
}


def elected_from(name: str | None) -> str:
    """Where a leader came from (`elections.elected_from`), in words."""
    return "ISR or ELR before it unknown" if name is None else _ELECTED_FROM.get(name, UNKNOWN)


_EPOCH_REASONS = {
    "created": "began as the partition was created",
    "election": "began with an election",
    "leaderless": "began without a leader",
    "isr_change": "began with a change of the ISR",
}


def began_with(reason: str | None) -> str:
    """What began a leader epoch (`leader_epochs.reason`), in words."""
    return _EPOCH_REASONS.get(reason or "", "what began it is unknown")


_NO_WRITES = {
    "leader_dead": "leader dead, or back and not leading yet",
    "leader_frozen": "leader frozen",
    "log_dir_offline": "log directory offline",
    "disk_full": "disk full",
    "no_leader": "no leader",
    "below_min_isr": "ISR below min.insync.replicas",
    "waiting_for_isr_member": "leader waits for a member of the ISR",
    "isr_member_backs_off": "a member of the ISR waits before it fetches again",
    "waiting_for_dropped_replica": "leader waits for a replica that left the ISR",
    "waiting_for_next_write": "leader answers with the next write after the ISR shrank",
    "leader_silent": "leader silent",
    "leader_cut_off": "leader cut off from its peers",
    "leader_deposed": "another leader elected",
    "leader_impaired": "leader with a fault",
    "leader_not_logged": "no line of its leader",
}


def why_no_writes(reason: str) -> str:
    """Why a partition accepts no writes (`availability.reason`), in few words."""
    return _NO_WRITES.get(reason, reason.replace("_", " "))


def end_of_session(name: str) -> str:
    """What ended a session (`broker_sessions.ended_by`), in words."""
    if name == "process_ended":
        return "its process had ended"
    if name == "registered_anew":
        return "the broker registered anew"
    return "cause not logged" if name == "unknown" else name.replace("_", " ")


def end_of_wait(by: str | None) -> str:
    """What ended a wait (`availability.ended_by`), in words."""
    return _ENDS.get(by or "", UNKNOWN)


def waited(one: Mapping[str, Any], what: str) -> str:
    """How long a topic was unavailable for `acks_all`, `acks_one` or `reads`, from a row of `incidents.down`: the bounds,
    whether that lasted as the logs ended, of how many separate times it is the sum, and how long clients waited that kept sending
    requests to a former leader, if that may be longer.
    """
    low_ms, high_ms = one[f"{what}_low_ms"], one[f"{what}_high_ms"]
    lasts, may_last = bool(one.get(f"{what}_is_open")), bool(one.get(f"{what}_may_last"))
    led_ms = high_ms if lasts or may_last else one.get(f"{what}_led_high_ms", high_ms)
    text = bounds(low_ms, None if (lasts or may_last) and low_ms else led_ms)
    times, sure = one.get(f"{what}_times") or 0, one.get(f"{what}_sure_times") or 0
    if times > 1:
        text += f" in {'' if times == sure else 'up to '}{number(times)} waits"
    if may_last and not lasts and not low_ms:
        return "an unknown time"
    if lasts:
        return f"{text}, to the end of the logs"
    if led_ms != high_ms:
        return f"{text}, up to {spans.rounded_up(high_ms)} for clients of a former leader"
    return f"{text}; no line shows for how long altogether" if may_last else text


_FEW_GROUPS = 3


def by_partition(one: Mapping[str, Any], what: str) -> str:
    """How long single partitions of a topic were unavailable, from a row of `incidents.down`, if that is less than the
    topic; empty if it is not, or if it lasts.
    """
    groups = one.get(f"{what}_alike")
    if groups is None or not len(groups) or one.get(f"{what}_is_open") or one.get(f"{what}_may_last"):
        return ""
    if len(groups) > _FEW_GROUPS:
        return f"single partitions for at least {spans.rounded_down(groups[-1]['low_ms'])}"
    parts = [f"{number(one['partitions'])} for {bounds(one['low_ms'], one['high_ms'])}" for one in groups]
    return f"by partition: {', '.join(parts)}"


def number(value: float | None) -> str:
    """A whole number in groups of three."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def counted(n: int, one: str, many: str | None = None) -> str:
    """`1 file`, `2 files`, `1,204 records`."""
    return f"{number(n)} {one if n == 1 else many or one + 's'}"


def times(n: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(n, f"{number(n)} times")


def lines(n: int) -> str:
    """The words before the location of the first of n lines: `line`, `6 lines, first`."""
    return "line" if n == 1 else f"{number(n)} lines, first"


def broker(broker_id: int | None) -> str:
    """`broker 2`; `no leader` for -1."""
    return UNKNOWN if broker_id is None else "no leader" if broker_id < 0 else f"broker {broker_id}"


def brokers(broker_ids: Iterable[int]) -> str:
    """`broker 2`, `brokers 1, 2 and 3`, or a dash."""
    ids = [str(b) for b in sorted(set(broker_ids))]
    return "–" if not ids else f"broker {ids[0]}" if len(ids) == 1 else f"brokers {listed(ids)}"


def nodes(node_ids: Iterable[int], broker_ids: Iterable[int], controller_ids: Iterable[int] = ()) -> str:
    """Nodes by their role: `broker 2`, also if it is a controller; `controller 101`; `node 4` if no line shows its role."""
    role = dict.fromkeys(controller_ids, "controller") | dict.fromkeys(broker_ids, "broker")
    return listed([f"{role.get(n, 'node')} {n}" for n in sorted(set(node_ids))]) or "–"


def sentence(text: str) -> str:
    """The text with a capital first letter and a full stop."""
    text = text.strip()
    return text and f"{text[0].upper()}{text[1:]}{'' if text[-1] in '.!?' else '.'}"


def ended(text: str) -> str:
    """The text with a full stop; its first letter stays, because it may begin a name."""
    text = text.strip()
    return text if text.endswith((".", "!", "?")) or not text else f"{text}."


def capitalized(text: str) -> str:
    """The text with a capital first letter, unless its first word may be a name: `orders-0`, `log.dirs`, `orders:`."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] if names else ""


def at_most(names: Iterable[str], limit: int) -> str:
    """The first names and how many more there are."""
    names = list(names)
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {number(more)} more" if more > 0 else "")


def by_name(partition: tuple[str, int]) -> tuple[bool, str, int]:
    """The sort key of (topic, partition) pairs: their names, Kafka's internal topics last."""
    topic, number = partition
    return topic.startswith("__"), topic, number


def partition(topic: str | None, number_: int | None) -> str:
    """`topic-partition`."""
    return "–" if topic is None else topic if number_ is None else f"{topic}-{number_}"


def shortened(text: str, limit: int) -> str:
    """The text without its middle if it is longer than `limit`: both ends of a name identify it."""
    if len(text) <= limit:
        return text
    tail = limit // 2
    return f"{text[: limit - tail - 1]}…{text[-tail:]}"


def tail(place: str) -> str:
    """The last two parts of a path, after the folder that names the node: each node has files of these names."""
    parts = place.split("/")
    above, last = parts[:-2], parts[-2:]
    nodes = [at for at, part in enumerate(above) if _NODES_FOLDER.fullmatch(part)]
    between = [above[nodes[0]], *(["…"] if nodes[0] < len(above) - 1 else [])] if nodes else []
    return "/".join([*between, *last])


def ends_of(place: str) -> str:
    """The first part of a path, which names the node of a file that has no lines of its own, and the last two parts."""
    first, *others = place.split("/")
    return "/".join([first, *(["…"] if len(others) > 2 else []), *others[-2:]]) if first else tail(place)


def offsets(low: int | None, high: int | None) -> str:
    """A half-open range of offsets in plain digits, ready to paste into a command; an unknown end is shown as unknown."""
    return f"[{UNKNOWN if low is None else low}, {UNKNOWN if high is None else high})"


def shown_by(source: str) -> str:
    """What a replica did in the line that shows its offsets, or the file, from `source` of `high_watermarks`."""
    return shown_offsets.shown_by(source)


def shown_as(source: str) -> str:
    """The same with its preposition: `as it loaded its log`."""
    return shown_offsets.shown_as(source)


HAPPENED = {"PROVEN_LOSS": "lost", "POSSIBLE_LOSS": "may be lost", "UNDETERMINED": "possibly lost, not determined"}


def lost_offsets(loss: Any, of: str = "") -> str:
    """What a row of `losses` says of its offsets: `committed offsets [10, 20) lost, [20, 25) may be lost`. `of`: the
    partition, if it has to be named.
    """
    low, high, of = loss.to_offset_low, loss.to_offset_high, f" of {of}" if of else ""
    if loss.loss_class != "committed":
        return f"offsets {offsets(loss.from_offset, high)}{of}, which not all in-sync replicas held, {HAPPENED[loss.verdict]}"
    if loss.verdict != "PROVEN_LOSS" or low is None or low == high:
        return f"committed offsets {offsets(loss.from_offset, high)}{of} {HAPPENED[loss.verdict]}"
    more = f"{offsets(low, high)} may be lost"
    return f"committed offsets {offsets(loss.from_offset, low)}{of} lost, {more}" if low > loss.from_offset else more


def wrapped(text: str, width: int, lines: int) -> list[str]:
    """The text in lines of at most `width`, broken at spaces (a longer word is cut), the last one ending in … if there
    was more.
    """
    out: list[str] = [""]
    for word in text.split():
        while len(word) > width:
            if out[-1]:
                out.append("")
            out[-1], word = word[:width], word[width:]
        if out[-1] and len(out[-1]) + 1 + len(word) > width:
            out.append(word)
        else:
            out[-1] = f"{out[-1]} {word}".strip()
    if len(out) > lines:
        out = out[:lines]
        out[-1] = out[-1][: width - 1].rstrip() + "…"
    return out
