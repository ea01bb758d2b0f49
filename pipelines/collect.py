"""Reads the tables of a result into the small frames for the page and `findings.json`, without Spark."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.answers.context import runs
from pipelines.glossary import glossary
from pipelines.memory import give_back
from pipelines.result import Read, frame_of
from replay.catalogue import TEMPLATES
from replay.catalogue.kinds import phrase_of
from replay.clocks.constraints import STEP_MS
from replay.invariants.rules import INVARIANTS
from replay.tables import DECLARED, OPEN_VERDICTS
from viz.bounds import most
from viz.conclusions import concluded
from viz.frames import COLUMNS, SORTED_BY, Tables

MOST_ROWS = 100_000  # of a table; a larger one keeps the partitions with the most happenings
MOST_ROWS_TOGETHER = 300_000  # of all tables that are not cut: a row needs 1 to 2 KB while the page is made
MOST_PARTITIONS = 60  # of a table with more rows than that
TOPIC_SETTINGS = ("unclean.leader.election.enable", "min.insync.replicas")
_WHOLE = (
    "coverage",
    "findings",
    "incidents",
    "clock_offsets",
    "blind_spots",
    "limits",
    "all_clear",
)  # needed by every other table
_TABLES = (*_WHOLE, *(name for name in SORTED_BY if name not in (*_WHOLE, "leader_epoch_caches")))
_MOST_LINES = 24  # events of a row's evidence, as many as the page shows
_STEP = pd.Timedelta(milliseconds=STEP_MS)
_LONGEST_LINE = 600  # characters of a quoted line
_AROUND = 3  # records before and after a line
_MOST_AROUND = 120  # lines that have these
_OF_A_FINDING = 6  # of its lines
_LONGEST_AROUND = 300  # characters of such a record

_KEY = ["topic", "partition"]
_MEANINGS = pd.DataFrame([{"invariant": i.id, "states": i.states, "means": i.means, "act": i.act} for i in INVARIANTS])
_OF_NODES, _OF_TOPICS = ("cluster_id", "kafka_version"), ("configs", "config")
_KINDS_WITH_TOPIC = ("described_topic", "log_created")
_KINDS_WITH_NODE = tuple({t.kind: None for t in TEMPLATES if any(f"{{{name}}}" in t.text for name in _OF_NODES)})


def frames(read: Read) -> Tables:
    """The tables of a result as pandas frames.

    A very large table keeps only some partitions, each with all of its rows; `totals` states how many. Conclusions
    about the table are computed from all rows before. `evidence`: the events that the rows name.
    """
    adjusted = {name: adjust(frame_of(read(name))) for name, adjust in _ADJUSTED.items()}
    rows = {name: len(adjusted[name]) if name in adjusted else _count(read, name) for name in _TABLES}
    too_large = _too_large({name: count for name, count in rows.items() if name not in _WHOLE})

    def load(name: str) -> pd.DataFrame | None:
        return adjusted[name] if name in adjusted else frame_of(read(name)) if name in rows else None

    conclusions = concluded(load) if too_large else {}  # before other tables are in memory
    give_back()
    small = Tables({name: load(name) for name in _TABLES if name not in too_large})
    small.concluded |= conclusions
    small["node_facts"], small["topic_settings"] = _stated_offsets(read)
    settings = frame_of(read("settings", ["node_id", "name", "value", "event_id"]))
    small["settings"] = settings.groupby(["node_id", "name", "value"], dropna=False).event_id.min().reset_index()
    small["glossary"] = glossary()
    _cut(small, too_large, adjusted, read)
    small["evidence"] = _evidence(read, small)
    small["context"] = _context(read, small)
    give_back()
    return small


def _too_large(rows: Mapping[str, int]) -> list[str]:
    """The tables that have too many rows, and the largest tables of partitions until all that are left fit together."""
    found = [name for name, count in rows.items() if count > most(MOST_ROWS)]
    by_size = sorted((name for name in rows if _has_partitions(name)), key=lambda name: rows[name])
    left = {name: count for name, count in rows.items() if name not in found}
    while sum(left.values()) > MOST_ROWS_TOGETHER and by_size:
        largest = by_size.pop()
        if left.pop(largest, None) is not None:
            found.append(largest)
    return [name for name in rows if name in found]


def _has_partitions(name: str) -> bool:
    return {*_KEY} <= {*DECLARED[name].schema.names}


def _count(read: Read, name: str) -> int:
    return int(read(name, DECLARED[name].schema.names[:1]).num_rows)


def _cut(small: Tables, too_large: Sequence[str], adjusted: Mapping[str, pd.DataFrame], read: Read) -> None:
    """Reads the tables that have too many rows for a page in part. `totals` counts shown and existing partitions."""
    chosen = _chosen(read) if too_large else None
    totals = []
    for name in too_large:
        every = adjusted[name] if name in adjusted else read(name)
        has_topic = chosen is not None and _has_partitions(name)
        keys = (every[_KEY] if isinstance(every, pd.DataFrame) else frame_of(every.select(_KEY))) if has_topic else None
        is_kept = _are_of(keys, chosen) if keys is not None else np.arange(len(every)) < most(MOST_ROWS)
        small[name] = every[is_kept] if isinstance(every, pd.DataFrame) else frame_of(every.filter(pa.array(is_kept)))
        counts = [0, 0] if keys is None else [len(some.drop_duplicates()) for some in (keys[is_kept], keys)]
        totals.append((name, int(is_kept.sum()), len(every), *counts))
    small["totals"] = pd.DataFrame(totals, columns=list(COLUMNS["totals"]))


def _are_of(keys: pd.DataFrame, chosen: pd.DataFrame) -> np.ndarray:
    """Which rows are kept, by their topics and partitions: all of as many of the `chosen` partitions as fit, in their
    order, at least one. Rows without a partition come first.
    """
    keyed = keys.merge(chosen.assign(place=range(len(chosen))), on=_KEY, how="left")
    of_none = keys.topic.isna().to_numpy()
    sizes = keyed.groupby("place").size().sort_index()
    room = max(0, most(MOST_ROWS) - int(of_none.sum()))
    fits = sizes.cumsum() <= room
    fits.iloc[:1] = True
    taken = keyed.place.isin(sizes.index[fits][: most(MOST_PARTITIONS)]).to_numpy()
    return np.asarray(taken | (of_none & (of_none.cumsum() <= most(MOST_ROWS))))


def _moved(directories: pd.DataFrame) -> pd.DataFrame:
    """The log directories of replicas that moved to another directory, or were being copied to one."""
    replica = ["node_id", *_KEY]
    moved = directories[directories.change.isin(["moved", "copying"])][replica].drop_duplicates()
    return directories.merge(moved, on=replica)


def _last_remote_states(remote: pd.DataFrame) -> pd.DataFrame:
    """The remote log state that each new leader found, and the last routine operation of each kind on each broker."""
    is_taken_over = remote.change.isin(["found_log_start", "found_remote_end", "epochs_rebuilt"])
    in_order = remote[~is_taken_over].sort_values(["ts", "evidence"], na_position="first")
    last = in_order.groupby([*_KEY, "node_id", "change"], dropna=False).tail(1)
    return pd.concat([remote[is_taken_over], last], ignore_index=True)


_ADJUSTED: Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "log_directories": _moved,
    "remote_logs": _last_remote_states,
    "violations": lambda violations: violations.merge(_MEANINGS, on="invariant", how="left"),
}  # tables of which the page reads only some rows, or more columns


def _stated_offsets(read: Read) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The settings of nodes and topics, each with the first event that shows it: `node_facts` and `topic_settings`."""
    lists = read(
        "events",
        ["node_id", "topic", "kind", "event_id", "details"],
        [("kind", "in", _KINDS_WITH_NODE + _KINDS_WITH_TOPIC)],
    )
    rows = frame_of(lists.drop_columns("details")).sort_values("event_id")
    for name in (*_OF_NODES, *_OF_TOPICS):
        rows[name] = pc.map_lookup(lists["details"], name, "first").to_pandas()
    facts = [
        (row.node_id, name, getattr(row, name), row.event_id)
        for row in rows[rows.node_id.notna()].itertuples()
        for name in _OF_NODES
        if getattr(row, name)
    ]
    of_topics = rows[rows.kind.isin(_KINDS_WITH_TOPIC) & rows.topic.notna()]
    settings = [
        (row.topic, name, value, row.event_id)
        for row in of_topics.itertuples()
        for name, value in _settings_in(row.configs or row.config or "")
    ]
    return (
        _first_of(pd.DataFrame(facts, columns=["node_id", "name", "value", "event_id"])),
        _first_of(pd.DataFrame(settings, columns=["topic", "name", "value", "event_id"])),
    )


def _settings_in(configs: str) -> list[tuple[str, str]]:
    """The settings in a topic's printed configuration that verdicts depend on."""
    found = {
        name: re.search(rf"(?:^|[,{{\s]){re.escape(name)}\s*(?:=|->)\s*([^,}}\s]+)", configs) for name in TOPIC_SETTINGS
    }
    return [(name, match[1]) for name, match in found.items() if match]


def _first_of(values: pd.DataFrame) -> pd.DataFrame:
    """Each value once, with the first event that shows it."""
    return values.drop_duplicates([name for name in values if name != "event_id"])


def _chosen(read: Read) -> pd.DataFrame:
    """The partitions by importance: those that lost most, then those with the most events."""
    sizes = {name: _sizes(read, name) for name in _TABLES if _has_partitions(name)}
    rows_by_key = pd.DataFrame(index=pd.concat(sizes.values()).index.unique())
    losses = frame_of(
        read("losses", [*_KEY, "loss_class", "verdict", "from_offset", "to_offset_low", "to_offset_high"])
    )
    rows_by_key["epochs"], rows_by_key["happenings"] = sizes["leader_epochs"], sizes["vertices"]
    is_committed = losses.loss_class == "committed"
    open_ = losses.verdict.isin(OPEN_VERDICTS)
    rows_by_key["lost"] = _lost(losses[open_ & is_committed], "to_offset_low")
    rows_by_key["lost_at_most"] = _lost(losses[open_ & is_committed], "to_offset_high")
    rows_by_key["uncommitted"] = _lost(losses[open_ & ~is_committed], "to_offset_high")
    order = ["lost", "lost_at_most", "uncommitted", "happenings", "epochs"]
    table = rows_by_key.fillna(-1).reset_index()
    table["internal"] = table.topic.str.startswith("__")
    ranked = table.sort_values([*order, "internal", *_KEY], ascending=[False] * len(order) + [True] * 3)
    return ranked[_KEY]


def _sizes(read: Read, name: str) -> pd.Series:
    """How many rows of a table are about each partition."""
    sizes = frame_of(read(name, _KEY).group_by(_KEY).aggregate([([], "count_all")])).dropna(subset=_KEY)
    return sizes.set_index(_KEY)["count_all"]


def _lost(losses: pd.DataFrame, to: str) -> pd.Series:
    """How many offsets each partition lost; a loss without an upper bound counts as very large."""
    offsets = (losses[to] - losses.from_offset).astype("Float64").fillna(float(1 << 40))
    return offsets.groupby([losses.topic, losses.partition]).sum().astype("float64")


def cut_short(small: Mapping[str, pd.DataFrame]) -> list[str]:
    """The note about the tables of which `frames` has only a part."""
    return [
        f"{row.table}: page and findings.json list {row.shown:,} of its {row.rows:,} rows; sums and counts are of all, and "
        "the table of the result holds all"
        for row in small["totals"].itertuples()
    ]


def _shortened(texts: pd.Series, limit: int) -> pd.Series:
    """The texts; of a longer one its first `limit` characters and an ellipsis."""
    return texts.where(~(texts.str.len() > limit), texts.str.slice(0, limit) + "…")


def _first(events: Any) -> Sequence[str]:
    """The first of the lines that a cell names; a null cell of a column without lists is not a number."""
    return () if events is None or isinstance(events, float) else events[:_MOST_LINES]


def _evidence(read: Read, small: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The lines that the rows name as evidence, each with its meaning."""
    lists: list[Any] = [small[name].get("evidence", ()) for name in _TABLES if name != "unmatched"] + [
        small["second_witness"].get(column, ()) for column in ("log_evidence", "record_evidence")
    ]
    lists.append(small["availability"].get("end_evidence", ()))
    single: list[Sequence[str]] = [small[name].event_id for name in ("node_facts", "topic_settings")]
    named = {event for column in lists for events in column for event in _first(events)}
    named |= {event for column in single for event in column}
    columns = [
        "event_id",
        "ts",
        "raw_ts",
        "node_id",
        "source_file",
        "line_number",
        "level",
        "logger",
        "kind",
        "message",
    ]
    lines = frame_of(read("events", columns, [("event_id", "in", sorted(named))]))
    lines["message"] = _shortened(lines.message, _LONGEST_LINE)
    glosses = [gloss(*of_line) for of_line in zip(lines["kind"], lines["ts"], lines["raw_ts"], strict=True)]
    return lines.assign(tells=pd.Series(glosses, lines.index, object)).drop(columns=["kind", "raw_ts"])


def gloss(kind: str | None, ts: pd.Timestamp | None, raw_ts: pd.Timestamp | None) -> str:
    """The meaning of a line, and its timestamp as printed if its clock was corrected by more than a time zone."""
    off = None if ts is None or raw_ts is None else raw_ts - ts
    if off is None or pd.isna(off) or abs(off - off.round("15min")) < _STEP:
        return phrase_of(kind)
    assert raw_ts is not None
    return f"{phrase_of(kind)}; printed at {raw_ts:%H:%M:%S}.{raw_ts.microsecond // 1_000:03} by its own clock"


def _context(read: Read, small: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The records around the lines that prove incidents and findings, run by run; root causes come first."""
    findings = small["findings"].sort_values("role", key=lambda role: role != "root_cause", kind="stable")
    proof = [one["event_id"] for ids in small["incidents"].proof for one in (ids if ids is not None else ())]
    named = [*proof, *(event for ids in findings.evidence for event in (ids or ())[:_OF_A_FINDING])]
    chosen = list(dict.fromkeys(named))[: most(_MOST_AROUND)]
    near = runs(read, chosen, _AROUND)
    run_of = {event: number for number, run in enumerate(near) for event in run}
    columns = ["event_id", "ts", "source_file", "line_number", "level", "message"]
    lines = frame_of(read("events", columns, [("event_id", "in", sorted(run_of))]))
    message = _shortened(lines.message, _LONGEST_AROUND)
    return lines.assign(message=message, run=lines.event_id.map(run_of), is_named=lines.event_id.isin(chosen))
