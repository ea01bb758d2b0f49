"""The cluster at one moment, in the shape of `kafka-topics --describe`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from pipelines.answers.frames import first_lines, rows, standing_at
from pipelines.answers.times import Clock
from viz.control_plane import levels_at, named, voters_at
from viz.phrases import counted, listed, number

TABLES = (
    "leader_epochs",
    "isr_spans",
    "eligible_leaders",
    "log_directories",
    "commit_bands",
    "broker_sessions",
    "controllers",
    "voter_sets",
    "feature_levels",
    "availability",
)
_KEY = ["topic", "partition"]
_MOST_ENDS = 4
_COLUMNS = [
    *_KEY,
    "leader_id",
    "leader_epoch",
    "replicas",
    "isr",
    "isr_is_last_known",
    "elr",
    "log_dirs",
    "min_isr",
    "committed_low",
    "committed_high",
    "writes",
    "state",
]

_MANY = 40  # partitions that a person can review


def at(tables: Mapping[str, pd.DataFrame], moment: pd.Timestamp, topics: Sequence[str] = ()) -> pd.DataFrame:
    """A row for each partition that is known at `moment`: leader, leader epoch, replicas, ISR, commit point, writes.

    `leader_id`: -1 means no leader, null unknown. `isr_is_last_known`: no line confirms the ISR at that time. `elr`:
    the eligible leader replicas, null if no line or dump shows them. `log_dirs`: the directory of each broker's
    replica, `/d0 -> /d1` during a copy to another one; null if no line shows moves between directories. `state`
    names the problem: `no leader`, `leader not known`, `under min ISR`, `under-replicated`. `writes`: whether the
    partition accepted writes with acks=all; null if no table shows it.
    """
    led = _latest(_of(tables["leader_epochs"], topics), moment, ["leader_id", "leader_epoch"])
    synced = _latest(
        _of(tables["isr_spans"], topics), moment, ["isr", "replicas", "min_isr", "leader_epoch", "leader_id"]
    )
    eligible = _latest(_of(tables["eligible_leaders"], topics), moment, ["elr"])
    bands = _latest(_of(tables["commit_bands"], topics), moment, ["committed_low", "committed_high"])
    if led.empty and synced.empty:
        return pd.DataFrame(columns=_COLUMNS)
    both = led.merge(synced, on=_KEY, how="outer", suffixes=("", "_of_isr"))
    for name in ("leader_id", "leader_epoch"):
        both[name] = both[name].fillna(both[f"{name}_of_isr"])
    # A controller that writes "no leader" prints no ISR: the previous one still applies, and is marked as last known.
    before = _last_begun(_of(tables["isr_spans"], topics), moment)
    both = both.merge(before, on=_KEY, how="left")
    both["isr_is_last_known"] = both.isr.isna() & both.isr_before.notna()
    both["isr"] = both.isr.where(both.isr.notna(), both.isr_before)
    both["replicas"] = both.replicas.where(both.replicas.notna(), both.replicas_before)
    both["min_isr"] = both.min_isr.where(both.min_isr.notna(), both.min_isr_before)
    both = both.merge(eligible, on=_KEY, how="left").merge(bands, on=_KEY, how="left")
    both = both.merge(_log_dirs(tables["log_directories"], moment, topics), on=_KEY, how="left")
    whole = both.merge(_writes(tables, moment, topics), on=_KEY, how="left")
    whole = whole.astype(object).where(whole.notna(), None)
    whole["state"] = [_state(row) for row in whole.itertuples()]
    internal = whole.topic.str.startswith("__")
    return whole.assign(_internal=internal).sort_values(["_internal", *_KEY])[_COLUMNS].reset_index(drop=True)


def as_text(
    tables: Mapping[str, pd.DataFrame],
    moment: pd.Timestamp,
    clock: Clock,
    topics: Sequence[str] = (),
    *,
    is_whole: bool = False,
) -> Iterator[str]:
    """The result of `at` as text: controller and brokers first, then a line per topic and a line per partition. Of many
    partitions, those with a problem first and no more than a screen, unless `is_whole`.
    """
    yield f"The cluster at {clock.stamp(moment)} {clock.name}"
    yield f"Controller: {_controller(tables['controllers'], moment)}"
    yield f"Brokers: {_brokers(tables['broker_sessions'], moment, clock)}"
    yield from _control_plane(tables, moment)
    found = at(tables, moment, topics)
    if found.empty:
        what = f"partition of {listed(topics)}" if topics else "partition"
        yield f"No {what} is known at that time."
    hidden, sizes = 0, found.groupby("topic").size()
    if len(found) > _MANY:
        yield f"Partitions: {', '.join(_totals(found))}; `--topic` shows those of one topic"
        if not is_whole:
            worst = found.assign(_calm=found.state == "").sort_values("_calm", kind="stable")
            hidden, found = len(found) - _MANY, worst.head(_MANY).drop(columns="_calm").sort_index()
    for name, partitions in found.groupby("topic", sort=False):
        some = rows(partitions)
        factor = max((len(p.replicas) for p in some if p.replicas), default=None)
        settings = {p.min_isr for p in some if p.min_isr is not None}
        yield "\t".join(
            [
                f"Topic: {name}",
                f"PartitionCount: {sizes[name]}",
                f"ReplicationFactor: {'unknown' if factor is None else factor}",
                f"Configs: {f'min.insync.replicas={settings.pop()}' if len(settings) == 1 else ''}",
            ]
        )
        yield from (_described(p) for p in some)
    if hidden:
        yield f"{counted(hidden, 'more partition')}, none in a worse state: `--all` shows them."
    later = _not_yet(tables["leader_epochs"], moment, topics)
    if later:
        yield f"{counted(later, 'partition')} first seen after that time: not shown."


def evidence(tables: Mapping[str, pd.DataFrame], moment: pd.Timestamp, topics: Sequence[str] = ()) -> Iterator[str]:
    """The events that show the answer: those of the controller, of brokers that were gone, and of the leader and the
    ISR of each partition; partitions with a problem first.
    """
    wrong = {(p.topic, p.partition) for p in rows(at(tables, moment, topics)) if p.state}
    gone = tables["broker_sessions"]
    ended = gone[gone.end_ts.notna() & (gone.end_ts <= moment)].sort_values("end_ts") if len(gone) else gone
    of_cluster = [*rows(_standing(tables["controllers"], moment)), *rows(ended)[-_MOST_ENDS:]]
    of_partitions = [
        row for name in ("leader_epochs", "isr_spans") for row in rows(_standing(_of(tables[name], topics), moment))
    ]
    of_partitions.sort(key=lambda row: ((row.topic, row.partition) not in wrong, row.topic.startswith("__")))
    lists = [getattr(row, "evidence", None) or () for row in (*of_cluster, *of_partitions)]
    yield from first_lines(events[:1] for events in lists)


def _standing(frame: pd.DataFrame, moment: pd.Timestamp) -> pd.DataFrame:
    return standing_at(frame, moment) if len(frame) else frame


def _totals(found: pd.DataFrame) -> Iterator[str]:
    """How many partitions there are, and how many have each problem."""
    yield f"{counted(len(found), 'partition')} of {counted(found.topic.nunique(), 'topic')}"
    for state, some in found[found.state != ""].groupby("state"):
        yield f"{number(len(some))} {state}"


def _described(p: Any) -> str:
    cells = [
        f"\tTopic: {p.topic}",
        f"Partition: {p.partition}",
        f"Leader: {'unknown' if p.leader_id is None else 'none' if p.leader_id < 0 else p.leader_id}",
        f"Replicas: {_ids(p.replicas)}",
        f"Isr: {_ids(p.isr)}{' (last known)' if p.isr_is_last_known else ''}",
        *([f"Elr: {_ids(p.elr)}"] if p.elr else []),
        *([f"LogDirs: {', '.join(f'{id_}:{place}' for id_, place in p.log_dirs.items())}"] if p.log_dirs else []),
        f"LeaderEpoch: {'unknown' if p.leader_epoch is None else p.leader_epoch}",
        f"Committed: {_band(p.committed_low, p.committed_high)}",
    ]
    if p.writes is not None:
        cells.append(f"Writes: {p.writes}")
    if p.state:
        cells.append(f"State: {p.state}")
    return "\t".join(cells)


def _state(row: Any) -> str:
    wrong = []
    if row.leader_id is None:
        wrong.append("leader not known")
    elif row.leader_id < 0:
        wrong.append("no leader")
    if row.isr is not None and row.min_isr is not None and len(row.isr) < row.min_isr:
        wrong.append("under min ISR")
    if row.isr is not None and row.replicas is not None and len(row.isr) < len(row.replicas):
        wrong.append("under-replicated")
    return ", ".join(wrong)


def _log_dirs(lain: pd.DataFrame, moment: pd.Timestamp, topics: Sequence[str]) -> pd.DataFrame:
    """The directory of each partition's replica on each broker, and the target of a copy."""
    if lain.empty:
        return pd.DataFrame(columns=[*_KEY, "log_dirs"])
    places: dict[tuple[str, int], dict[int, list[str]]] = {}
    now = standing_at(_of(lain, topics), moment)
    # `copying` sorts last: the directory of a replica comes before the target of its copy.
    for row in rows(now.assign(is_copy=now.change == "copying").sort_values(["node_id", "is_copy", "start_ts"])):
        of_broker = places.setdefault((row.topic, row.partition), {}).setdefault(row.node_id, [])
        if row.is_copy and not of_broker:
            of_broker.append("unknown")
        of_broker.append(row.log_dir)
    return pd.DataFrame(
        [
            (*key, {node: " -> ".join(moves) for node, moves in of_brokers.items()})
            for key, of_brokers in places.items()
        ],
        columns=[*_KEY, "log_dirs"],
    )


def _writes(tables: Mapping[str, pd.DataFrame], moment: pd.Timestamp, topics: Sequence[str]) -> pd.DataFrame:
    """Whether each partition accepted writes with acks=all; no row if no table shows it."""
    spans = tables.get("availability", pd.DataFrame())
    if spans.empty:
        return pd.DataFrame(columns=[*_KEY, "writes"])
    now = standing_at(_of(spans[spans.acks == "all"], topics), moment)
    words = [row.state + (f" ({row.reason.replace('_', ' ')})" if row.reason else "") for row in rows(now)]
    return now[_KEY].assign(writes=words).drop_duplicates(_KEY)


def _latest(frame: pd.DataFrame, moment: pd.Timestamp, columns: list[str]) -> pd.DataFrame:
    """The current row of each partition at `moment`. Of several rows, the one with the highest leader epoch, then
    the latest start.
    """
    for name in ("topic", "partition", "start_ts", "end_ts", *columns):
        if name not in frame:
            frame = frame.assign(**{name: None})
    now = standing_at(frame, moment)
    by = [name for name in ("leader_epoch", "start_ts") if name in now]
    return now.sort_values(by, na_position="first").drop_duplicates(_KEY, keep="last")[[*_KEY, *columns]]


def _last_begun(frame: pd.DataFrame, moment: pd.Timestamp) -> pd.DataFrame:
    """ISR, replicas and min.insync.replicas as last known at `moment`, however long ago."""
    columns = ["isr", "replicas", "min_isr"]
    before = frame[frame.start_ts <= moment] if len(frame) else pd.DataFrame(columns=[*_KEY, *columns])
    if len(before):
        before = before.sort_values(["leader_epoch", "start_ts"], na_position="first").drop_duplicates(
            _KEY, keep="last"
        )
    for name in columns:
        if name not in before:
            before = before.assign(**{name: None})
    return before[[*_KEY, *columns]].rename(columns={name: f"{name}_before" for name in columns})


def _of(frame: pd.DataFrame, topics: Sequence[str]) -> pd.DataFrame:
    return frame[frame.topic.isin(list(topics))] if topics and not frame.empty else frame


def _not_yet(epochs: pd.DataFrame, moment: pd.Timestamp, topics: Sequence[str]) -> int:
    if epochs.empty:
        return 0
    first = _of(epochs, topics).groupby(_KEY).start_ts.min()
    return int((first > moment).sum())


def _controller(tenures: pd.DataFrame, moment: pd.Timestamp) -> str:
    now = rows(standing_at(tenures, moment).sort_values("start_ts")) if len(tenures) else []
    if not now:
        return "none known"
    return f"{now[-1].controller_id} (controller epoch {now[-1].controller_epoch})"


def _control_plane(tables: Mapping[str, pd.DataFrame], moment: pd.Timestamp) -> Iterator[str]:
    """The voters of the metadata quorum and the levels of features, if known."""
    voters = voters_at(tables["voter_sets"], moment)
    if voters is not None:
        yield f"Voters: {named(voters)}"
    levels = levels_at(tables["feature_levels"], moment)
    if levels:
        yield f"Features: {', '.join(f'{feature}={level}' for feature, level in sorted(levels.items()))}"


def _brokers(sessions: pd.DataFrame, moment: pd.Timestamp, clock: Clock) -> str:
    """Which brokers were registered, and which were gone and how."""
    if sessions.empty:
        return "none known"
    standing = standing_at(sessions, moment)
    unseen = {int(b) for b in standing[standing.seen_ts.notna() & (standing.seen_ts < moment)].broker_id}
    up = sorted({int(b) for b in standing.broker_id} - unseen)
    ended = sessions[sessions.end_ts.notna() & (sessions.end_ts <= moment) & ~sessions.broker_id.isin([*up, *unseen])]
    gone = rows(ended.sort_values("end_ts").drop_duplicates("broker_id", keep="last").sort_values("broker_id"))
    parts = [listed([str(b) for b in up]) if up else "none"]
    parts += [
        f"gone: {g.broker_id} ({(g.ended_by or 'reason not known').replace('_', ' ')}, {clock.time(g.end_ts)})"
        for g in gone
    ]
    parts += [f"not known: {listed([str(b) for b in sorted(unseen)])}"] if unseen else []
    return "; ".join(parts)


def _ids(ids: tuple[int, ...] | None) -> str:
    return "unknown" if ids is None else ",".join(map(str, ids))


def _band(low: int | None, high: int | None) -> str:
    """The lower and upper bound of the commit point, as text."""
    if low is None and high is None:
        return "unknown"
    if low == high:
        return str(low)
    return f"{0 if low is None else low}..{'' if high is None else high}"
