"""The tables of the page: losses, elections, truncations, sessions of brokers and controllers, ISRs, checks, coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any

import pandas as pd
from markupsafe import Markup, escape

from viz import frames
from viz import phrases as words
from viz.bounds import most
from viz.by_severity import rank
from viz.cluster import is_least
from viz.leader_epochs import UNCLEAN
from viz.loss_sizes import around_election, size_at_most, sum_at_least, sum_at_most
from viz.markup import (
    MOST_ROWS,
    Evidence,
    Grid,
    by,
    chip,
    code,
    columned,
    each_by_command,
    grid,
    keys,
    noted,
    severity,
    term,
    ticked,
    when,
    when_each,
)
from viz.summary import ABOVE, LOST, POSSIBLE, UNDETERMINED

_VERDICTS: Mapping[str, tuple[str, str]] = {
    LOST: ("lost", "bad"),
    POSSIBLE: ("possibly lost", "warn"),
    UNDETERMINED: ("unknown", "unknown"),
    "NO_COMMITTED_LOSS_BY_PROTOCOL": ("not lost: elected from the ISR", "good"),
    "NO_LOSS_OBSERVED": ("nothing discarded", "good"),
}
_CLASSES: Mapping[str | None, str] = {"committed": "committed", "acked_possible": "uncommitted"}
_LOGGED_WITHIN_MS = 50  # a logger may write a line this long after its event
_ORDER = list(_VERDICTS)
_ZOMBIE_MS = 1_000  # every change of leader takes some milliseconds to reach the old one


def losses(frame: pd.DataFrame, evidence: Evidence) -> tuple[Grid, Grid]:
    """The ledger of losses: lost, possibly lost and undetermined records, and the changes without loss."""
    rows = sorted(
        frames.rows(frame),
        key=lambda x: (
            frames.place(x.verdict, _ORDER),
            -(size_at_most(x) or 0),
            x.topic or "",
            x.partition or 0,
            x.leader_epoch or 0,
        ),
    )
    open_ = [x for x in rows if x.verdict in (LOST, POSSIBLE, UNDETERMINED)]
    closed = [x for x in rows if x.verdict not in (LOST, POSSIBLE, UNDETERMINED)]
    columns = _columns_of_losses(evidence, _overlaps(open_))
    lost, rest = [
        columned(
            caption,
            columns if some is open_ else {name: cell for name, cell in columns.items() if name != _HELD_BY},
            shown,
            wide=(6,),
            table="losses",
            keyed=[
                keys(
                    topics=[x.topic for x in alike if x.topic], brokers=(alike[0].old_leader_id, alike[0].new_leader_id)
                )
                for alike in shown
            ],
            count=len(some),
            hidden=_hidden(some, shown),
        )
        for caption, some in (("Confirmed, possible and unknown losses", open_), ("Checked, no loss", closed))
        for shown in [_alike(some, _same_loss if len(some) > _EACH_ON_A_ROW else _one_loss)]
    ]
    return each_by_command(lost), each_by_command(rest)


_HELD_BY = "Still held by"  # the lost records
_EACH_ON_A_ROW = 20  # losses; if there are more, those with the same offsets, verdict and basis share a row


def _one_loss(x: Any) -> tuple[object, ...]:
    return x.topic, x.partition, x.leader_epoch, x.loss_class, x.from_offset, x.scenario


def _same_loss(x: Any) -> tuple[object, ...]:
    offsets = x.from_offset, x.to_offset_low, x.to_offset_high
    brokers = x.old_leader_id, x.new_leader_id, tuple(x.recoverable_from or ())
    return x.leader_epoch, *offsets, x.loss_class, x.verdict, x.scenario, *brokers, x.premise


def loss_totals(tables: Mapping[str, pd.DataFrame]) -> Grid:
    """The totals of the ledger, a row per topic and kind of producer: offsets certainly lost and at most lost; the most
    first. Of many topics, those with equal figures share a row.
    """

    def made() -> list[Sequence[object]]:
        totals: dict[tuple[str, bool], list[Any]] = {}
        for x in frames.rows(tables["losses"]):
            if x.verdict in (LOST, POSSIBLE, UNDETERMINED):
                totals.setdefault((x.topic or "", x.loss_class == ABOVE), []).append(x)
        totals_of_topics = [_total(topic, above, some) for (topic, above), some in sorted(totals.items())]
        totals_of_topics.sort(key=lambda one: -one.least)
        if len(totals_of_topics) <= _EACH_ON_A_ROW:
            return [one.cells((one.topic,)) for one in totals_of_topics]
        alike = frames.by_key(totals_of_topics, lambda one: replace(one, topic=""), lambda one: one.topic)
        return [one.cells(topics) for one, topics in alike.items()]

    head = ("Topic", "Affects", "Partitions", "Lost at least", "At most", "Confirmed / possible / unknown")
    rows: list[Sequence[object]] = frames.conclusion(tables, "loss totals", made)
    return grid("Totals, in offsets", head, rows, numeric=(2, 3, 4), table="losses")


@dataclass(frozen=True)
class _Total:
    """The records of one class that one topic lost."""

    topic: str
    above: bool
    partitions: int
    least: int
    most: int | None
    verdicts: tuple[int, ...]

    def cells(self, topics: Sequence[str]) -> Sequence[object]:
        name = code(topics[0] or "–")
        return (
            Markup("{} and {} alike").format(name, words.counted(len(topics) - 1, "topic"))
            if len(topics) > 1
            else name,
            "acks=1 or acks=0 only" if self.above else "any producer, including acks=all",
            words.number(self.partitions),
            words.number(self.least),
            words.number(self.most),
            " / ".join(map(words.number, self.verdicts)),
        )


def _total(topic: str, above: bool, losses: Sequence[Any]) -> _Total:
    verdicts = Counter(x.verdict for x in losses)
    return _Total(
        topic,
        above,
        len({x.partition for x in losses}),
        sum_at_least(losses),
        sum_at_most(losses),
        tuple(verdicts[verdict] for verdict in (LOST, POSSIBLE, UNDETERMINED)),
    )


def _move(old_leader_id: int | None, new_leader_id: int | None) -> str:
    """The change of leader as text: from one broker to another."""
    return " → ".join("?" if b is None else "none" if b < 0 else str(b) for b in (old_leader_id, new_leader_id))


def _overlaps(losses: Sequence[Any]) -> Mapping[tuple[object, ...], str]:
    """For a loss whose offsets another loss of its partition has too: which one. A later leader gives the same offsets out
    again after the first loss, also to records that producers send again.
    """
    found = {}
    for rows in frames.by_key(losses, lambda x: (x.topic, x.partition)).values():
        for x in rows:
            others = [y for y in rows if y is not x and y.leader_epoch != x.leader_epoch and _is_overlap(x, y)]
            if others:
                epochs = words.listed([str(epoch) for epoch in sorted({y.leader_epoch for y in others})])
                found[_one_loss(x)] = (
                    f"the loss of leader epoch {epochs} has some of these offsets too: they were given out again, perhaps to "
                    "the same records, sent again"
                    if all(_is_bounded(y) for y in (x, *others))
                    else f"the range of leader epoch {epochs} may have some of these offsets too"
                )
    return found


def _is_bounded(x: Any) -> bool:
    """Whether lines show that offsets of this range were discarded, or where it ends."""
    return x.verdict != "UNDETERMINED" or x.to_offset_high is not None


def _is_overlap(x: Any, y: Any) -> bool:
    if None in (x.from_offset, y.from_offset, x.leader_epoch, y.leader_epoch):
        return False
    ends = [one.to_offset_high for one in (x, y) if one.to_offset_high is not None]
    return bool(max(x.from_offset, y.from_offset) < min(ends, default=1 << 62))


def _columns_of_losses(
    evidence: Evidence, overlaps: Mapping[tuple[object, ...], str]
) -> Mapping[str, Callable[[Any], object]]:
    """The columns for losses that share a row."""
    return {
        "Partition": _lost_partitions,
        "Offsets": lambda some: noted(_range(some[0]), overlaps.get(_one_loss(some[0]), "")),
        "Class": lambda some: _CLASSES.get(some[0].loss_class, "–"),
        "Verdict": lambda some: _verdict(some[0]),
        "Leader change or restart (UTC)": lambda some: noted(
            noted("by", when(some[0].ts)) if some[0].begun_before else when(some[0].ts),
            _written(some[0]) if len(some) == 1 else "the times are of the first",
        ),
        "Brokers": lambda some: _move(some[0].old_leader_id, some[0].new_leader_id),
        "Basis": lambda some: ticked(some[0].premise or "no premise given"),
        _HELD_BY: lambda some: words.brokers(some[0].recoverable_from) if some[0].recoverable_from else "none known",
        "Evidence": lambda some: evidence.proof(some[0].evidence),
    }


def _verdict(x: Any) -> Markup:
    chipped = chip(*_VERDICTS.get(x.verdict, (x.verdict or "not judged", "unknown")))
    parts = (x.verdict, term(x.scenario) if x.scenario else None)
    return noted(chipped, Markup(" · ").join(part for part in parts if part))


def _lost_partitions(alike: Sequence[Any]) -> Markup:
    x = alike[0]
    name, epoch = code(words.partition(x.topic, x.partition)), f"leader epoch {words.plain(x.leader_epoch)}"
    more = words.counted(len(alike) - 1, "partition")
    return noted(Markup("{} and {} alike").format(name, more) if len(alike) > 1 else name, epoch)


def _written(x: Any) -> str:
    """When the records were written, also by the election, and truncated, if known."""
    low, high = x.written_low, x.written_high
    parts = []
    if low is not None and high is not None:
        parts.append(f"written between {words.clock(low)} and {words.clock(high)}")
    elif low is not None or high is not None:
        parts.append(f"written after {words.clock(low)}" if low is not None else f"written before {words.clock(high)}")
    parts += [text] if (text := around_election(x)) else []
    if x.cut_ts is not None:
        cuts = [
            f"by {words.broker(broker)} at {words.clock(pd.Timestamp(ts))}"
            for broker, ts in zip(x.cut_by or (), x.cut_times or (), strict=True)
        ]
        parts.append("truncated " + (words.listed(cuts) if len(cuts) > 1 else f"at {words.clock(x.cut_ts)}"))
    return "; ".join(parts)


def _range(x: Any) -> Markup:
    low, high = (
        None if end is None or x.from_offset is None else end - x.from_offset
        for end in (x.to_offset_low, x.to_offset_high)
    )
    if x.verdict not in (LOST, POSSIBLE, UNDETERMINED):
        return noted(code(f"from {words.UNKNOWN if x.from_offset is None else x.from_offset}"), "none")
    if low is not None and low == high:
        return noted(code(words.offsets(x.from_offset, x.to_offset_low)), f"{words.counted(low, 'offset')}, exactly")
    gone = _discarded(x, low)
    if gone is not None and gone == high and not low:
        size = f"{words.counted(gone, 'offset')} discarded, and no line shows how many of them {_state(x)}"
        return noted(code(words.offsets(x.from_offset, x.to_offset_high)), size)
    sure = _sure(x, low)
    most = "number unknown" if high is None else f"{words.counted(high, 'offset')} at most"
    return noted(
        code(words.offsets(x.from_offset, x.to_offset_high)),
        f"{sure}; {most}" + (f"; at least {words.offsets(x.from_offset, x.to_offset_low)}" if low else ""),
    )


def _state(x: Any) -> str:
    return "had been acknowledged" if x.loss_class == ABOVE else "were committed"


def _discarded(x: Any, low: int | None) -> int | None:
    """How many offsets were certainly discarded, if that is more than were certainly lost."""
    gone = None if x.discarded_to_offset is None or x.from_offset is None else x.discarded_to_offset - x.from_offset
    return None if gone is None or gone <= (low or 0) else gone


def _sure(x: Any, low: int | None) -> str:
    """What was certainly lost, and what was certainly discarded if that is more."""
    gone = _discarded(x, low)
    if gone is None:
        return f"at least {words.counted(low, 'offset')}" if low else "at least none"
    discarded = (
        f"at least {words.counted(gone, 'offset')} discarded ({words.offsets(x.from_offset, x.discarded_to_offset)}), "
        f"and no line shows how many of {f'the other {words.number(gone - low)}' if low else 'them'} {_state(x)}"
    )
    return f"at least {words.counted(low, 'offset')} lost, {discarded}" if low else discarded


def elections(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """Every election, unclean ones first; similar ones within a second share a row with their partitions.

    The first leader of a partition replaced no other leader and is not listed.
    """
    every = sorted(frames.rows(frame), key=lambda e: e.elected_from not in UNCLEAN)
    shown = _alike(
        every,
        lambda e: (
            frames.second(e.ts),
            bool(e.begun_before),
            e.old_leader_id,
            e.new_leader_id,
            e.elected_from,
            e.trigger,
        ),
    )
    columns = {
        "When (UTC)": lambda some: (
            noted("by", when_each(e.ts for e in some)) if some[0].begun_before else when_each(e.ts for e in some)
        ),
        "Partitions": lambda some: partitions_cell([(e.topic, e.partition) for e in some]),
        "Leader epoch": lambda some: _range_of([e.leader_epoch for e in some]),
        "Brokers": lambda some: _move(some[0].old_leader_id, some[0].new_leader_id),
        "Elected from": lambda some: noted(
            chip(*_cleanness(some[0].elected_from)), words.elected_from(some[0].elected_from)
        ),
        "Trigger": lambda some: words.trigger(some[0].trigger),
        "Without a leader in the metadata": lambda some: words.durations(e.leaderless_ms for e in some),
        "Evidence": lambda some: evidence.proof(line for e in some for line in e.evidence),
    }
    keyed = [
        keys(topics=[e.topic for e in some if e.topic], brokers=(some[0].old_leader_id, some[0].new_leader_id))
        for some in shown
    ]
    count, hidden = len(every), _hidden(every, shown)
    return columned(
        "Elections", columns, shown, numeric=(6,), table="elections", keyed=keyed, count=count, hidden=hidden
    )


def eligible_leaders(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """Which replicas could have been elected cleanly without being in sync, as far as lines or a dump show; similar
    ones within a second share a row.
    """
    every = frames.rows(frame)
    shown = _alike(
        every,
        lambda e: (
            *(frames.second(e.start_ts), frames.second(e.end_ts), e.leader_id),
            *map(tuple, (e.isr, e.elr, e.last_known_elr)),
        ),
    )
    columns = {
        "From (UTC)": lambda some: when_each(e.start_ts for e in some),
        "To (UTC)": lambda some: when_each(e.end_ts for e in some) if some[0].end_ts is not None else "still open",
        "Partitions": lambda some: partitions_cell([(e.topic, e.partition) for e in some]),
        "Leader": lambda some: words.broker(some[0].leader_id),
        "ISR": lambda some: _ids(some[0].isr),
        "Eligible": lambda some: _ids(some[0].elr),
        "Last known": lambda some: _ids(some[0].last_known_elr),
        "Evidence": lambda some: evidence.proof(line for e in some for line in e.evidence),
    }
    keyed = [keys(topics=[e.topic for e in some if e.topic], brokers=some[0].elr) for some in shown]
    count, hidden = len(every), _hidden(every, shown)
    caption = "Eligible leader replicas (KIP-966)"
    return columned(caption, columns, shown, table="eligible_leaders", keyed=keyed, count=count, hidden=hidden)


def _ids(ids: Sequence[int]) -> str:
    return words.listed([*map(str, ids)]) or "–"


def _alike(every: Iterable[Any], key: Callable[[Any], tuple[object, ...]]) -> list[list[Any]]:
    """Rows that share a line of the page, for as many lines as are shown."""
    groups = frames.by_key(every, key)
    return list(groups.values())[: most(MOST_ROWS)]


def _hidden(every: Sequence[Any], shown: Iterable[Sequence[Any]]) -> int:
    """How many rows are not shown on any line."""
    return len(every) - sum(len(some) for some in shown)


def partitions_cell(partitions: Sequence[tuple[str | None, int | None]]) -> Markup:
    """One partition by name; for several, how many and the first of them."""
    names = [words.partition(*p) for p in sorted(set(partitions), key=lambda p: words.by_name((p[0] or "", p[1] or 0)))]
    if len(names) == 1:
        return code(names[0])
    return noted(words.counted(len(names), "partition"), words.at_most(names, 4))


def _range_of(numbers: Sequence[int | None]) -> str:
    values = sorted({n for n in numbers if n is not None})
    if not values:
        return words.UNKNOWN
    return words.number(values[0]) if len(values) == 1 else f"{words.number(values[0])} to {words.number(values[-1])}"


def _cleanness(elected_from: str | None) -> tuple[str, str]:
    return (
        ("not known", "unknown")
        if elected_from is None
        else ("unclean", "bad")
        if elected_from in UNCLEAN
        else ("clean", "good")
    )


def truncations(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """Every truncation of a log, the deepest first."""
    rows = sorted(frames.rows(frame), key=lambda t: -(_cut(t) or 0))
    columns = {
        "When (UTC)": lambda t: when(t.ts),
        "Partition": lambda t: code(words.partition(t.topic, t.partition)),
        "Broker": lambda t: words.broker(t.node_id),
        "Truncated from": _cut_from,
        "Truncated to": lambda t: noted(_offset(t.truncation_offset), _where_logs_part(t)),
        "Offsets": _how_many_cut,
        "High watermark before, at least": lambda t: noted(
            _offset(t.high_watermark), "truncated below it" if _below(t) else ""
        ),
        "Following leader epoch": _leader_of_cut,
        "Evidence": lambda t: evidence.proof(t.evidence),
    }
    return columned(
        "Log truncations",
        columns,
        rows[: most(MOST_ROWS)],
        count=len(rows),
        hidden=max(0, len(rows) - most(MOST_ROWS)),
        numeric=(3, 4, 5, 6, 7),
        table="truncations",
        keyed=[keys(topic=t.topic, brokers=(t.node_id, t.leader_id)) for t in rows],
    )


def _below(t: Any) -> bool:
    """Whether a log was truncated below its high watermark."""
    return None not in (t.high_watermark, t.truncation_offset) and t.truncation_offset < t.high_watermark


def _leader_of_cut(t: Any) -> object:
    leader = f"led by {words.broker(t.leader_id)}" if t.leader_id is not None else ""
    return "its own recovery" if t.by_recovery else noted(words.plain(t.leader_epoch), leader)


def _where_logs_part(t: Any) -> str:
    """Whether both logs have the same start offset of the leader epochs."""
    if t.expected_offset is None:
        return ""
    if t.expected_offset != t.truncation_offset:
        return f"the logs diverge at {_offset(t.expected_offset)} by {'high watermark' if t.rule == 'high_watermark' else 'leader epoch'}"
    return (
        "its own high watermark: it follows without leader epochs"
        if t.rule == "high_watermark"
        else "where the logs diverge"
    )


def _cut(t: Any) -> int | None:
    return None if t.log_end_offset is None or t.truncation_offset is None else t.log_end_offset - t.truncation_offset


def _cut_from(t: Any) -> object:
    """Where the log ended before a truncation: exactly, or at least."""
    if t.log_end_offset is None and t.log_end_offset_low is None and t.by_recovery and t.truncation_offset is not None:
        return noted(words.UNKNOWN, f"{t.truncation_offset} or later")
    if t.log_end_offset is not None or t.log_end_offset_low is None:
        return _offset(t.log_end_offset)
    return noted(f"at least {t.log_end_offset_low}", "before its process ended" if t.by_recovery else "")


def _how_many_cut(t: Any) -> str:
    if t.log_end_offset is not None or None in (t.log_end_offset_low, t.truncation_offset):
        return words.number(_cut(t))
    return f"at least {words.number(t.log_end_offset_low - t.truncation_offset)}"


def _offset(value: int | None) -> str:
    return words.UNKNOWN if value is None else str(value)


def _end_of_session(session: Any) -> Any:
    """When a session ended; "still open" only if a log in the input would show its end."""
    if session.end_ts is None:
        return "still open" if session.seen_ts is None else noted("not known after", when(session.seen_ts))
    return noted("by", when(session.end_ts)) if session.ended_before else when(session.end_ts)


def broker_sessions(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """Every session of every broker as the controller recorded it."""
    bad = {
        "crash": "bad",
        "process_ended": "bad",
        "session_timeout": "warn",
        "controlled_shutdown": "good",
        "unknown": "unknown",
    }
    ordered = sorted(
        frames.rows(frame),
        key=lambda s: (s.broker_id if s.broker_id is not None else -1, s.start_ts is None, s.start_ts or 0),
    )
    columns = {
        "Broker": lambda s: words.broker(s.broker_id),
        "From (UTC)": lambda s: when(s.start_ts),
        "Electable from (UTC)": lambda s: when(s.start_ts if s.live_ts is None else s.live_ts),
        "To (UTC)": _end_of_session,
        "Ended by": lambda s: (
            chip(words.end_of_session(s.ended_by), bad.get(s.ended_by, "unknown")) if s.ended_by else "–"
        ),
        "Last line (UTC)": lambda s: when(s.silent_ts) if s.silent_ts is not None else "–",
        "Broker epoch": lambda s: "–" if s.broker_epoch is None else str(s.broker_epoch),
        "Evidence": lambda s: evidence.proof(s.evidence),
    }
    return columned(
        "Broker sessions",
        columns,
        ordered,
        numeric=(6,),
        table="broker_sessions",
        keyed=[keys(brokers=(s.broker_id,)) for s in ordered],
    )


def controllers(frame: pd.DataFrame, evidence: Evidence, findings: pd.DataFrame) -> Grid:
    """Every tenure of an active controller, in the order of controller epochs, those elected through ZooKeeper
    first. A tenure ends when the controller's process dies.
    """
    crashes = [f for f in frames.rows(findings) if words.is_of_an_end(f) and f.began_high is not None]

    def until(c: Any) -> Any:
        deaths = [f.began_high for f in crashes if c.controller_id in (f.broker_ids or ())]
        own = [ts for ts in deaths if c.start_ts is not None and c.start_ts <= ts]
        return min([*own, *([] if c.end_ts is None else [c.end_ts])], default=None)

    columns = {
        "Controller epoch": lambda c: words.plain(c.controller_epoch),
        "Node": lambda c: f"node {c.controller_id}" if c.controller_id is not None else words.UNKNOWN,
        "Elected (UTC)": lambda c: noted("by", when(c.start_ts)) if c.begun_before else when(c.start_ts),
        "State read after": lambda c: words.duration(
            None if None in (c.ready_ts, c.start_ts) else words.milliseconds(c.ready_ts, c.start_ts)
        ),
        "Until, at the latest (UTC)": lambda c: "still open" if until(c) is None else when(until(c)),
        "Evidence": lambda c: evidence.proof(c.evidence),
    }
    return columned(
        "Active controllers",
        columns,
        sorted(
            frames.rows(frame), key=lambda c: (c.mode == "kraft", c.controller_epoch is None, c.controller_epoch or 0)
        ),
        numeric=(0, 3),
        table="controllers",
    )


def _reasons_of_drops(drop: Any) -> str:
    """Why a broker left ISRs, as far as something that happened to it explains it."""
    counts = (
        (drop.as_directory_failed, "because its log directory had failed"),
        (drop.as_session_ended, "within 30 s of the end of its session"),
    )
    return "; ".join(f"{_so_often(count, drop.drops)}{why}" for count, why in counts if count)


def _so_often(count: int, drops: int) -> str:
    if count < drops:
        return f"{words.number(count)} of them "
    return "each time " if drops > 1 else ""


def isr_drops(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """The replicas that left the ISRs of each leader, most frequent first, and the broker that this points to."""
    columns = {
        "Left the ISR": lambda d: words.broker(d.broker_id),
        "Leader afterwards": lambda d: (
            "nobody: the partition had no leader" if d.leader_id == -1 else words.broker(d.leader_id)
        ),
        "Times": lambda d: noted(
            words.number(d.drops),
            _reasons_of_drops(d),
        ),
        "Partitions": lambda d: words.number(d.partition_count),
        "Suspect": lambda d: "either" if d.suspect_id is None else words.broker(d.suspect_id),
        "First (UTC)": lambda d: when(d.first_ts),
        "Last (UTC)": lambda d: when(d.last_ts),
        "Evidence": lambda d: evidence.proof(d.evidence),
    }
    return columned(
        "Replicas that left ISRs, by leader",
        columns,
        sorted(frames.rows(frame), key=lambda d: (-(d.drops or 0), d.broker_id or 0, d.leader_id or 0)),
        numeric=(2, 3),
        table="isr_drops",
    )


def _zombies(late: Sequence[Any], losses: pd.DataFrame) -> list[Any]:
    """The leaders that learned late of their successor and either led on for long or lost records."""
    cost = {
        (x.topic, x.partition, x.old_leader_id)
        for x in frames.rows(losses)
        if x.verdict in (LOST, POSSIBLE) and x.to_offset_high != x.from_offset
    }
    return [
        d
        for d in late
        if (d.last_led_ts is not None and d.believed_ms >= _ZOMBIE_MS) or (d.topic, d.partition, d.broker_id) in cost
    ]


def _stored_after(deposed: Any) -> str:
    """What a stale leader stored after its last line as the leader."""
    if deposed.stored_after is None:
        return ""
    return f"{words.counted(deposed.stored_after, 'more offset')} stored by {words.clock(deposed.learnt_ts)}"


def _learned(deposed: Any) -> Markup | str:
    """When a stale leader learned of its successor, or that its process had ended before it did."""
    if deposed.ended_ts is None:
        return when(deposed.learnt_ts)
    return f"not by {words.clock(deposed.ended_ts)}, when its process had ended"


def _stale_for(deposed: Any) -> str:
    """How long a stale leader considered itself the leader, between its bounds; without an upper bound at least."""
    if deposed.learnt_ts is None and deposed.ended_ts is None:
        return words.bounds(deposed.believed_low_ms, None)
    return words.bounds(deposed.believed_low_ms, deposed.believed_ms)


def deposed_leaders(frame: pd.DataFrame, losses: pd.DataFrame, evidence: Evidence) -> Grid:
    """Brokers that acted as leader while another broker led, the longest first: for a second or more, because every
    change of leader takes some milliseconds, or for less if records that they accepted were dropped. A broker that
    only learned late and led nothing is left out.
    """
    late = [d for d in frames.rows(frame) if d.believed_ms is not None and d.believed_ms > 0]
    zombies = _zombies(late, losses)
    columns = {
        "Partition": lambda d: code(words.partition(d.topic, d.partition)),
        "Stale leader": lambda d: words.broker(d.broker_id),
        "In leader epoch": lambda d: words.plain(d.leader_epoch),
        "Deposed (UTC)": lambda d: when(d.deposed_ts),
        "Last line as the leader (UTC)": lambda d: noted(when(d.last_led_ts), _stored_after(d)),
        "Learned of its successor (UTC)": _learned,
        "Stale for": _stale_for,
        "Evidence": lambda d: evidence.proof(d.evidence),
    }
    caption = "Stale leaders: brokers that learned late about their successor"
    made = columned(
        caption,
        columns,
        sorted(zombies, key=lambda d: (-d.believed_ms, d.topic or "", d.partition or 0)),
        numeric=(2, 6),
        table="deposed_leaders",
    )
    shown = {id(d) for d in zombies}
    left_out = [d for d in late if id(d) not in shown]
    if not left_out or not zombies:
        return made
    return replace(made, more="; ".join(part for part in (made.more, _of_left_out(left_out)) if part))


def _of_left_out(late: Sequence[Any]) -> str:
    """What the table of stale leaders leaves out."""
    idle = [d for d in late if d.believed_ms >= _ZOMBIE_MS]
    parts = []
    if idle:
        longest = words.no_more_than(max(d.believed_ms for d in idle))
        more = words.counted(len(idle), "more leader")
        they = "it" if len(idle) == 1 else "they"
        parts.append(f"{more} learned of it after up to {longest}, and no line shows that {they} led meanwhile")
    if len(late) > len(idle):
        more = words.counted(len(late) - len(idle), "more leader")
        parts.append(f"{more} learned of it within {_ZOMBIE_MS // 1000} s, with no harm that the logs show")
    return "; ".join((*parts, "see tables/deposed_leaders"))


def leaderless_replicas(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """The remaining replicas of each partition that ends without a leader, the one to trust first on top."""
    left = [r for r in frames.rows(frame) if r.leader_id == -1]
    furthest: dict[tuple[str | None, int | None], int] = {}
    for r in left:
        if r.log_end_offset is not None:
            furthest[r.topic, r.partition] = max(r.log_end_offset, furthest.get((r.topic, r.partition), 0))
    columns = {
        "Partition": lambda r: code(words.partition(r.topic, r.partition)),
        "Trust": lambda r: words.number(r.trust),
        "Replica on": lambda r: words.broker(r.node_id),
        "In the last ISR": lambda r: chip("yes", "good") if r.in_isr else chip("no", "warn"),
        "Alive": lambda r: words.UNKNOWN if r.is_up is None else "yes" if r.is_up else "no",
        "Log end, as last logged": lambda r: _offset(r.log_end_offset),
        "Behind the furthest by": lambda r: (
            words.UNKNOWN
            if r.log_end_offset is None
            else words.number(furthest[r.topic, r.partition] - r.log_end_offset)
        ),
        "Time (UTC)": lambda r: when(r.told_ts) if r.told_ts is not None else "–",
        "Evidence": lambda r: evidence.proof(r.evidence),
    }
    return columned(
        "Partitions that end without a leader: which replica to trust first",
        columns,
        sorted(left, key=lambda r: (r.topic or "", r.partition or 0, r.trust or 0)),
        numeric=(1, 5, 6),
        table="replicas",
    )


def violations(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """Every violated invariant, the worst first; the partitions of one invariant share a row."""
    broken = sorted((v for v in frames.rows(frame) if v.verdict == "violated"), key=lambda v: rank(v.severity))
    alike = list(frames.by_key(broken, lambda v: (v.invariant, v.severity)).values())
    columns = {
        "Invariant": lambda some: noted(term(some[0].invariant), some[0].states or ""),
        "Severity": lambda some: severity(some[0].severity),
        "Partitions": lambda some: (
            "–" if some[0].topic is None else partitions_cell([(v.topic, v.partition) for v in some])
        ),
        "Observation": _seen,
        "What it means": lambda some: ticked(some[0].means or "–"),
        "What to do": lambda some: ticked(some[0].act or "–"),
        "Evidence": lambda some: evidence.proof(line for v in some for line in v.evidence),
    }
    keyed = [
        keys(topics=[v.topic for v in some if v.topic], code=some[0].invariant, severity=some[0].severity)
        for some in alike
    ]
    wide, count = (0, 3, 4, 5), len(broken)
    return columned("Violated invariants", columns, alike, wide=wide, table="violations", keyed=keyed, count=count)


def _seen(alike: Sequence[Any]) -> Markup:
    """The details of some violations: each detail once, the first three of them."""
    details = frames.by_key(alike, lambda v: v.detail or "–", lambda v: words.partition(v.topic, v.partition))
    shown = [
        Markup("{}{}").format(ticked(detail), f" ({words.at_most(where, 3)})" if len(alike) > 1 else "")
        for detail, where in list(details.items())[:3]
    ]
    if len(details) > 3:
        shown.append(escape(f"and {words.number(len(details) - 3)} more"))
    return Markup("<br>").join(shown)


def undecided(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Checks that were not possible, a sentence per invariant."""

    def made() -> list[str]:
        open_ = by((v for v in frames.rows(tables["violations"]) if v.verdict == "unknown"), "invariant")
        return [
            f"Invariant {invariant} could not be decided in {words.counted(len(some), 'case')}; the first one: "
            f"{_of_partition(some[0])}{some[0].detail or 'no detail given'}."
            for invariant, some in sorted(open_.items(), key=lambda item: str(item[0]))
        ]

    sentences: list[str] = frames.conclusion(tables, "undecided", made)
    return sentences


def _of_partition(row: Any) -> str:
    return "" if row.topic is None else f"{words.partition(row.topic, row.partition)}: "


def blind_spots(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """What is missing from the input, the questions that it leaves open, and what would answer them."""
    order = (
        "outside_window",
        "no_file",
        "gap",
        "quiet",
        "level_too_high",
        "begins_late",
        "no_copy_of_checkpoints",
        "no_metadata_log",
        "condensed",
    )
    columns = {
        "Node": lambda s: "–" if s.node_id is None else str(s.node_id),
        "Missing": lambda s: s.what or "–",
        "Cannot be answered": lambda s: "; ".join(str(q) for q in s.questions) or "–",
        "What would resolve it": lambda s: s.would_tell or "–",
        "Evidence": lambda s: evidence.proof(s.evidence),
    }
    return columned(
        "Unknowns, and what would resolve them",
        columns,
        sorted(
            frames.rows(frame),
            key=lambda s: (
                frames.place(s.kind, order),
                s.node_id is None,
                s.node_id or 0,
                s.what or "",
            ),
        ),
        wide=(1, 2, 3),
        table="blind_spots",
    )


def agreement(tables: Mapping[str, pd.DataFrame]) -> str:
    """How the cluster's own record (its metadata log, or ZooKeeper) and the nodes' logs agree, in a sentence."""
    relations: Counter[str] = frames.conclusion(
        tables, "second witness", lambda: Counter(tables["second_witness"].verdict.dropna())
    )
    words_of = {
        "confirmed": "confirmed",
        "refined": "refined",
        "added": "not logged",
        "contradicted": "contradicted",
        "beyond_dump": "beyond the dump",
    }
    counts = ", ".join(
        f"{words.number(relations[verdict])} {name}" for verdict, name in words_of.items() if relations[verdict]
    )
    return f"Committed states in the cluster's own record and in the nodes' logs: {counts}." if counts else ""


def contradictions(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """Every state for which the cluster's own record and the nodes' logs differ."""
    columns = {
        "When (UTC)": lambda w: when(w.ts),
        "Partition": lambda w: code(words.partition(w.topic, w.partition)),
        "Leader epoch": lambda w: words.plain(w.leader_epoch),
        "Partition epoch": lambda w: words.plain(w.partition_epoch),
        "The two statements": lambda w: w.told or "–",
        "Logs": lambda w: evidence.proof(w.log_evidence),
        "Metadata log or ZooKeeper": lambda w: evidence.proof(w.record_evidence),
    }
    return columned(
        "Contradictions between the cluster's own record and the logs",
        columns,
        [w for w in frames.rows(frame) if w.verdict == "contradicted"],
        numeric=(2, 3),
        wide=(4,),
        table="second_witness",
    )


def doubts(findings: pd.DataFrame) -> list[str]:
    """What the findings leave open, ordered by the number of findings that it affects."""
    count = Counter(spot for f in frames.rows(findings) for spot in dict.fromkeys(f.blind_spots))
    return [
        words.capitalized(
            words.ended(spot if n == 1 else f"{spot.rstrip('.')} (affects {words.counted(n, 'finding')})")
        )
        for spot, n in sorted(count.items(), key=lambda item: (-item[1], item[0]))
    ]


def coverage(frame: pd.DataFrame) -> Grid:
    """The files, with how much of each was recognized."""
    columns = {
        "Node": lambda c: words.UNKNOWN if c.node_id is None else str(c.node_id),
        "File": lambda c: code(c.source_file or "–"),
        "Layout": lambda c: c.layout or "–",
        "Records": lambda c: words.number(c.log_records or 0),
        "Matched": lambda c: words.number(c.matched or 0),
        "Unmatched": lambda c: noted(words.number(c.unmatched or 0), _share(c)),
        "Foreign": lambda c: words.number(c.foreign or 0),
        "First (UTC)": lambda c: when(c.first_ts) if c.first_ts is not None else "no time",
        "Last (UTC)": lambda c: when(c.last_ts) if c.last_ts is not None else "no time",
    }
    return columned(
        "Files read",
        columns,
        sorted(frames.rows(frame), key=lambda c: (c.node_id is None, c.node_id or 0, c.source_file or "")),
        numeric=(3, 4, 5, 6),
        table="coverage",
    )


def _share(c: Any) -> str:
    return f"{100 * c.unmatched / c.log_records:.1f} %" if c.log_records and c.unmatched else ""


def unmatched(frame: pd.DataFrame) -> tuple[Grid, Grid]:
    """Wordings without a template: of Kafka's own loggers, and of other loggers; the most frequent first."""
    rows = sorted(frames.rows(frame), key=lambda u: (-(u.count or 0), u.normalized or "", u.logger or ""))
    own, foreign = [[u for u in rows if bool(u.foreign) is wanted] for wanted in (False, True)]
    columns = {
        "Times": lambda u: words.number(u.count),
        "Level": lambda u: u.level or "–",
        "Message": lambda u: noted(
            code(u.normalized or "–"), f"e.g. {u.example}" if u.example and u.example != u.normalized else ""
        ),
        "Logger": lambda u: code(u.logger or "–"),
        "First (UTC)": lambda u: when(u.first_ts),
        "Last (UTC)": lambda u: when(u.last_ts),
    }
    of_kafka, of_others = "Unrecognized messages of Kafka's own loggers", "Messages of other loggers"
    return (
        columned(of_kafka, columns, own, numeric=(0,), wide=(2,), table="unmatched", limit=60),
        columned(of_others, columns, foreign, numeric=(0,), wide=(2,), table="unmatched", limit=30),
    )


def clock_offsets(frame: pd.DataFrame) -> Grid:
    """How far each node's clock was from the reference, and the correction of its timestamps."""
    columns = {
        "Node": lambda c: str(c.node_id),
        "From (UTC)": lambda c: when(c.start_ts) if c.start_ts is not None else "start of the logs",
        "To (UTC)": lambda c: when(c.end_ts) if c.end_ts is not None else "end of the logs",
        "Zone": lambda c: c.zone or "–",
        f"Ahead of the reference by (with {_LOGGED_WITHIN_MS} ms on each side for late logging)": lambda c: (
            "is the reference" if c.node_id == c.reference_node_id else _bounds(c.offset_low_ms, c.offset_high_ms)
        ),
        "Correction of its timestamps": _correction,
        "Reference": lambda c: "–" if c.reference_node_id is None else f"node {c.reference_node_id}",
    }
    return columned("Clocks", columns, frames.rows(frame), table="clock_offsets")


def _correction(c: Any) -> str:
    if not c.correction_ms:
        return "none"
    way = "added" if c.correction_ms < 0 else "subtracted"
    return f"{abs(c.correction_ms):,.0f} ms {way}{', the only bound' if is_least(c) else ''}"


def _bounds(low: float | None, high: float | None) -> str:
    """By how much a clock may be ahead. Lines are written up to `_LOGGED_WITHIN_MS` after the event that they
    report, and pairs of lines cannot distinguish that from a wrong clock.
    """
    if low is None and high is None:
        return "unknown: no pair of lines bounds it"
    low = None if low is None else low - _LOGGED_WITHIN_MS
    high = None if high is None else high + _LOGGED_WITHIN_MS
    return f"{'…' if low is None else f'{floor(low):,}'} to {'…' if high is None else f'{ceil(high):,}'} ms"
