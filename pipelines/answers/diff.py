"""The changes between two moments of one history, and the differences between two results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pipelines.answers import at as at_a_time
from pipelines.answers.at import at
from pipelines.answers.frames import first_lines, rows, standing_at, within
from pipelines.answers.times import Clock
from viz import bounds
from viz.control_plane import levels_at, named, voters_at
from viz.phrases import at_least, at_most, broker, counted, duration, no_more_than, number

TABLES = (*at_a_time.TABLES, "elections")
COMPARED = ("incidents", "findings", "elections", "losses", "settings", "coverage", "unmatched")
_KEY = ["topic", "partition"]
_MOST_NAMED = 8
_MANY = 40  # partitions that fit a screen
_METRICS = (
    ("elections", "changes of leader", False),
    ("unclean_elections", "unclean elections", False),
    ("partitions_affected", "partitions affected", False),
    ("leaderless_ms", "partition-time without a leader", True),
    ("unserved_min_ms", "partition-time without a live leader, at least", True),
    ("unserved_max_ms", "partition-time without a live leader, at most", True),
    ("under_min_isr_ms", "partition-time under min ISR", True),
    ("blocked_all_min_ms", "partition-time closed to acks=all, at least", True),
    ("blocked_all_max_ms", "partition-time closed to acks=all, at most", True),
    ("lost_offsets_min", "offsets of committed records lost, at least", False),
    ("lost_offsets_max", "offsets of committed records lost, at most", False),
    ("acked_possible_max", "offsets lost to acks=1, at most", False),
    ("detected_high_ms", "longest time to the end of a session, at most", True),
    ("leaders_high_ms", "longest time to leaders everywhere, at most", True),
    ("isr_full_high_ms", "longest time to full ISRs, at most", True),
)
# Of several incidents the longest counts, not the sum; incidents without this field are ignored.
_LONGEST = frozenset(("detected_high_ms", "leaders_high_ms", "isr_full_high_ms"))


def changed(tables: Mapping[str, pd.DataFrame], since: pd.Timestamp, until: pd.Timestamp) -> pd.DataFrame:
    """A row for each partition that differs between `since` and `until`, or changed in between.

    `leader_id, leader_epoch, isr, elr` before (`…_since`) and after (`…_until`), and the number of changes of leader
    in between.
    """
    before, after = (
        at(tables, moment)[[*_KEY, "leader_id", "leader_epoch", "isr", "elr"]] for moment in (since, until)
    )
    both = before.merge(after, on=_KEY, how="outer", suffixes=("_since", "_until"))
    elected = tables["elections"]
    moves = (
        within(elected, since, until).groupby(_KEY).size().rename("elections").reset_index()
        if len(elected)
        else pd.DataFrame(columns=[*_KEY, "elections"])
    )
    whole = both.merge(moves, on=_KEY, how="left")
    whole["elections"] = whole.elections.astype("Int64").fillna(0).astype(int)
    whole = whole.astype(object).where(whole.notna(), None)
    same = [
        all(
            getattr(row, f"{name}_since") == getattr(row, f"{name}_until")
            for name in ("leader_id", "leader_epoch", "isr", "elr")
        )
        and not row.elections
        for row in whole.itertuples()
    ]
    return whole[[not s for s in same]].reset_index(drop=True)


def as_text(
    tables: Mapping[str, pd.DataFrame],
    since: pd.Timestamp,
    until: pd.Timestamp,
    clock: Clock,
    *,
    is_whole: bool = False,
) -> Iterator[str]:
    """What changed, as text: brokers, controller, partitions; no more than a screen of them, unless `is_whole`."""
    yield f"From {clock.stamp(since)} to {clock.stamp(until)} {clock.name}"
    news = [
        *_brokers(tables["broker_sessions"], since, until),
        *_controllers(tables["controllers"], since, until),
        *_voters(tables["voter_sets"], since, until),
        *_features(tables["feature_levels"], since, until),
        *_directories(tables["log_directories"], since, until, clock),
    ]
    partitions = changed(tables, since, until)
    moved = [line for row in rows(partitions) for line in [_partition(row)] if line]
    if not news and not moved:
        yield "Nothing changed, as far as these logs show."
        return
    yield from news
    yield f"{counted(len(partitions), 'partition')} changed."
    part = bounds.first(moved, len(moved) if is_whole else _MANY)
    yield from part.shown
    if part.left_out:
        yield f"{counted(part.left_out, 'more partition')}: `--all` shows them, `--topic` those of one topic."


def evidence(tables: Mapping[str, pd.DataFrame], since: pd.Timestamp, until: pd.Timestamp) -> Iterator[str]:
    """The events that show the changes, in order of time: sessions, controllers, leaders and ISRs that began or ended."""
    lists = []
    for name, columns in (
        ("broker_sessions", ("end_ts", "start_ts")),
        ("controllers", ("start_ts",)),
        ("elections", ("ts",)),
        ("isr_spans", ("start_ts",)),
    ):
        for column in columns if len(tables[name]) else ():
            lists += [(getattr(row, column), row) for row in rows(within(tables[name], since, until, column))]
    lists.sort(key=lambda one: one[0])
    yield from first_lines((getattr(row, "evidence", None) or ())[:1] for _, row in lists)


def _brokers(sessions: pd.DataFrame, since: pd.Timestamp, until: pd.Timestamp) -> Iterator[str]:
    if sessions.empty:
        return
    before, after = ({int(b) for b in standing_at(sessions, t).broker_id} for t in (since, until))
    between = sessions[(sessions.end_ts >= since) & (sessions.end_ts < until)]
    for id_ in sorted(before - after):
        ends = rows(between[between.broker_id == id_].sort_values("end_ts"))
        why = f" ({ends[-1].ended_by.replace('_', ' ')})" if ends and ends[-1].ended_by else ""
        yield f"Gone: {broker(id_)}{why}"
    for id_ in sorted(after - before):
        yield f"New: {broker(id_)}"
    for id_ in sorted(before & after):
        times = int((between.broker_id == id_).sum())
        if times:
            yield f"Away in between and back: {broker(id_)}{'' if times == 1 else f', {times} times'}"


def _controllers(tenures: pd.DataFrame, since: pd.Timestamp, until: pd.Timestamp) -> Iterator[str]:
    if tenures.empty:
        return
    before, after = (rows(standing_at(tenures, t).sort_values("start_ts"))[-1:] for t in (since, until))
    named = [f"{t[0].controller_id} (epoch {t[0].controller_epoch})" if t else "none known" for t in (before, after)]
    if named[0] != named[1]:
        yield f"Controller: {named[0]} -> {named[1]}"


def _voters(sets: pd.DataFrame, since: pd.Timestamp, until: pd.Timestamp) -> Iterator[str]:
    before, after = (voters_at(sets, moment) for moment in (since, until))
    if before is not None and after is not None and named(before) != named(after):
        yield f"Voters: {named(before)} -> {named(after)}"


def _features(levels: pd.DataFrame, since: pd.Timestamp, until: pd.Timestamp) -> Iterator[str]:
    before, after = (levels_at(levels, moment) for moment in (since, until))
    for feature in sorted(before.keys() & after.keys()):
        if before[feature] != after[feature]:
            yield f"Feature {feature}: {before[feature]} -> {after[feature]}"


def _directories(directories: pd.DataFrame, since: pd.Timestamp, until: pd.Timestamp, clock: Clock) -> Iterator[str]:
    moves = directories[directories.change == "moved"] if len(directories) else directories
    for row in rows(within(moves, since, until, "start_ts").sort_values("start_ts")) if len(moves) else ():
        place = f"{row.before} -> {row.log_dir}" if row.before else f"to {row.log_dir}"
        yield f"Log directory of {row.topic}-{row.partition} on {broker(row.node_id)}: {place} at {clock.time(row.start_ts)}"


def _partition(row: Any) -> str:
    name = f"{row.topic}-{row.partition}"
    if row.leader_id_since is None and row.leader_epoch_since is None:
        return f"  {name}: new, {_led(row.leader_id_until)}, ISR {_isr(row.isr_until)}"
    if row.leader_id_until is None and row.leader_epoch_until is None:
        return f"  {name}: gone (deleted, or no longer in the logs)"
    parts = []
    if row.leader_id_since != row.leader_id_until:
        parts.append(f"{_led(row.leader_id_since)} -> {_led(row.leader_id_until)}")
    elif row.elections:
        parts.append(f"{_led(row.leader_id_until)} again")
    if row.leader_epoch_since != row.leader_epoch_until:
        parts.append(f"leader epoch {row.leader_epoch_since} -> {row.leader_epoch_until}")
    if row.isr_since != row.isr_until:
        parts.append(f"ISR {_isr(row.isr_since)} -> {_isr(row.isr_until)}")
    if row.elr_since != row.elr_until:
        parts.append(f"ELR {_isr(row.elr_since or ())} -> {_isr(row.elr_until or ())}")
    if row.elections:
        parts.append(counted(row.elections, "change of leader", "changes of leader"))
    return f"  {name}: {'; '.join(parts)}"


def _led(leader: int | None) -> str:
    return "leader not known" if leader is None else "no leader" if leader < 0 else f"leader {leader}"


def _isr(isr: tuple[int, ...] | None) -> str:
    return "unknown" if isr is None else ",".join(map(str, isr)) or "empty"


@dataclass(frozen=True)
class Difference:
    """One value in the results A and B; null if only the other result has it."""

    what: str
    a: str | None
    b: str | None

    def __str__(self) -> str:
        if self.a is None or self.b is None:
            return f"  only in {'B' if self.a is None else 'A'}: {self.what}: {self.b if self.a is None else self.a}"
        return f"  {self.what:<64} {self.a:>10} {self.b:>10}"


def _of_one(what: str, side: str, text: str) -> Difference:
    return Difference(what, text if side == "A" else None, text if side == "B" else None)


def compared(
    first: Mapping[str, pd.DataFrame],
    second: Mapping[str, pd.DataFrame],
    names: tuple[str, str],
    windows: tuple[str | None, str | None] = (None, None),
) -> Iterator[Difference]:
    """The differences between two results: incidents and their harm, findings, losses, settings, what was read, and
    the `windows` of the logs if these differ. `names` are the names of the two results.
    """
    yield Difference("result", *names)
    if windows[0] != windows[1]:
        yield Difference("window", *(window or "all of the logs" for window in windows))
    both = (first, second)
    yield Difference("incidents", *(number(len(t["incidents"])) for t in both))
    for side, tables in zip("AB", both, strict=True):
        for row in rows(
            tables["incidents"].sort_values("start_ts") if len(tables["incidents"]) else tables["incidents"]
        ):
            yield _of_one("incident", side, f"{row.severity} {row.title}: {row.told}")
    for metric, label, is_time in _METRICS:
        yield from _metric(metric, label, is_time, first["incidents"], second["incidents"])
    yield from _findings(first["findings"], second["findings"])
    yield from _settings(first["settings"], second["settings"])
    yield Difference("records read", *(number(_sum(t["coverage"], "log_records")) for t in both))
    yield Difference("records not recognized", *(number(_sum(t["coverage"], "unmatched")) for t in both))
    yield from _wordings(first["unmatched"], second["unmatched"])


def _metric(name: str, label: str, is_time: bool, first: pd.DataFrame, second: pd.DataFrame) -> Iterator[Difference]:
    """One metric, summed over the incidents (the longest for a duration); unknown if it is unknown for one of them."""
    if name not in first and name not in second:
        return
    sums = []
    for frame in (first, second):
        values = frame[name].dropna() if name in frame and name in _LONGEST else frame.get(name)
        if values is None or (len(values) and values.isna().any()):
            sums.append("unknown")
        else:
            total = float(0 if values.empty else values.max() if name in _LONGEST else values.sum())
            sums.append(_written(label)(total) if is_time else number(total))
    yield Difference(label, *sums)


def _written(label: str) -> Callable[[float], str]:
    """How a metric is written: a bound is rounded so that it remains true."""
    return at_least if label.endswith("at least") else no_more_than if label.endswith("at most") else duration


def _findings(first: pd.DataFrame, second: pd.DataFrame) -> Iterator[Difference]:
    """The kinds of findings that only one of the two has, and those that occur more often in one."""
    counts = [
        frame.groupby(["role", "code", "title"]).size() if len(frame) else pd.Series(dtype=int)
        for frame in (first, second)
    ]
    for role, code, title in sorted(set(counts[0].index) | set(counts[1].index)):
        a, b = (int(count.get((role, code, title), 0)) for count in counts)
        if a != b:
            yield Difference(f"{role.replace('_', ' ')} {code} {title}", number(a), number(b))


def _settings(first: pd.DataFrame, second: pd.DataFrame) -> Iterator[Difference]:
    """Settings of the nodes that differ between the two."""
    values = [
        {name: tuple(sorted({str(v) for v in some.value})) for name, some in frame.groupby("name")}
        if len(frame)
        else {}
        for frame in (first, second)
    ]
    for name in sorted(set(values[0]) & set(values[1])):
        a, b = values[0][name], values[1][name]
        if a != b and not name.startswith(_PLACES):
            yield Difference(f"setting {name}", at_most(a, 3), at_most(b, 3))


def _wordings(first: pd.DataFrame, second: pd.DataFrame) -> Iterator[Difference]:
    """Warnings and errors without a template that only one of the two has."""
    severe = [
        {row.normalized for row in rows(frame[frame.level.isin(["WARN", "ERROR", "FATAL"])])} if len(frame) else set()
        for frame in (first, second)
    ]
    for side, only in (("A", severe[0] - severe[1]), ("B", severe[1] - severe[0])):
        part = bounds.first(sorted(only), _MOST_NAMED)
        for wording in part.shown:
            yield _of_one("message that was not recognized", side, wording[:140])
        if part.left_out:
            yield _of_one(
                "messages that were not recognized", side, f"{number(part.left_out)} more of {number(part.total)}"
            )


def _sum(frame: pd.DataFrame, column: str) -> int:
    return int(frame[column].sum()) if len(frame) else 0


_PLACES = ("broker.id", "node.id", "listeners", "advertised", "log.dir", "host", "port", "zookeeper.connect")
"""Settings that differ from node to node by nature."""
