"""A result's tables -> the small frames that the page and `findings.json` take, read without Spark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from pipelines.glossary import glossary
from pipelines.result import Read, frame_of
from replay.catalogue import TEMPLATES
from replay.catalogue.kinds import tells
from replay.invariants.rules import INVARIANTS
from replay.tables import OPEN_VERDICTS

MOST_DRAWN = 100_000  # rows of a table that is drawn: ten seconds of a page
MOST_PARTITIONS = 60  # of tables larger than that: those of which there is most to tell
MOST_ROWS = 200_000  # rows of any other table
TOPIC_SETTINGS = ("unclean.leader.election.enable", "min.insync.replicas")
_DRAWN = (
    ("leader_epochs", "isr_spans"),
    ("commit_bands", "high_watermarks", "follower_positions"),
)  # side by side, so of the same partitions
_WHOLE = (
    "coverage",
    "unmatched",
    "elections",
    "losses",
    "truncations",
    "broker_sessions",
    "controllers",
    "voter_sets",
    "feature_levels",
    "isr_drops",
    "deposed_leaders",
    "replicas",
    "failovers",
    "epoch_files",
    "log_starts",
    "log_directories",
    "remote_logs",
    "told_offsets",
    "described_partitions",
    "findings",
    "incidents",
    "vertices",
    "edges",
    "clock_offsets",
    "second_witness",
    "blind_spots",
    "violations",
)
_WITH_EVIDENCE = (
    "findings",
    "losses",
    "elections",
    "edges",
    "vertices",
    "truncations",
    "broker_sessions",
    "controllers",
    "voter_sets",
    "feature_levels",
    "isr_drops",
    "deposed_leaders",
    "replicas",
    "failovers",
    "epoch_files",
    "log_starts",
    "log_directories",
    "remote_logs",
    "told_offsets",
    "described_partitions",
    "leader_epochs",
    "isr_spans",
    "high_watermarks",
    "follower_positions",
    "availability",
    "blind_spots",
    "violations",
)

_MOST_LINES = 24  # of a row's evidence: as many as the page shows
_MOST_TOLD = 20_000  # rows of the settings and names that nodes tell
_LONGEST_LINE = 600  # characters of a line that is quoted

_KEY = ["topic", "partition"]
_MEANINGS = pd.DataFrame([{"invariant": i.id, "states": i.states, "means": i.means, "act": i.act} for i in INVARIANTS])
_OF_NODES, _OF_TOPICS = ("cluster_id", "kafka_version"), ("configs", "config")
_TOPIC_TOLD = ("described_topic", "log_created")
_NODE_TOLD = tuple({t.kind: None for t in TEMPLATES if any(f"{{{name}}}" in t.text for name in _OF_NODES)})


def frames(read: Read) -> dict[str, pd.DataFrame]:
    """The tables of a result as pandas frames, bounded in size; `evidence`: the events that they name; `totals`: how
    many partitions the tables have of which but some were taken.
    """
    small = {name: frame_of(read(name)) for name in _WHOLE}
    small["losses"] = _open_first(small["losses"])
    small["log_directories"] = _moved(small["log_directories"])
    small["remote_logs"] = _last_told(small["remote_logs"])
    small["violations"] = small["violations"].merge(_MEANINGS, on="invariant", how="left")
    drawn, small["totals"] = _drawn(read, small)
    small = {name: table.head(MOST_ROWS) for name, table in small.items()} | drawn
    availability = frame_of(read("availability"))
    small["availability"] = availability.sort_values(["start_ts", *_KEY]).head(MOST_DRAWN)
    small["node_facts"], small["topic_settings"] = _told(read)
    settings = frame_of(read("settings", ["node_id", "name", "value", "event_id"]))
    small["settings"] = (
        settings.groupby(["node_id", "name", "value"], dropna=False).event_id.min().reset_index().head(_MOST_TOLD)
    )
    small["glossary"] = glossary()
    small["evidence"] = _evidence(read, small)
    return small


def _drawn(read: Read, small: Mapping[str, pd.DataFrame]) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """The tables that are drawn, those that are too large of the partitions to which most happened; and of these how
    many partitions there are in all.
    """
    keys = {name: frame_of(read(name, _KEY)) for beside in _DRAWN for name in beside}
    too_large = [name for beside in _DRAWN if any(len(keys[name]) > MOST_DRAWN for name in beside) for name in beside]
    taken = {name: frame_of(read(name)) for name in keys if name not in too_large}
    if too_large:
        chosen = _chosen(keys["leader_epochs"], small["vertices"], small["losses"])
        of_topics = [("topic", "in", sorted(set(chosen.topic)))]
        for name in too_large:
            taken[name] = frame_of(read(name, where=of_topics)).merge(chosen, on=_KEY).head(MOST_ROWS)
    totals = [(name, len(keys[name].drop_duplicates())) for name in too_large]
    return taken, pd.DataFrame(totals, columns=["table", "partitions"])


def _open_first(losses: pd.DataFrame) -> pd.DataFrame:
    """Losses that are proven or possible, then the others."""
    is_open = losses.verdict.isin(OPEN_VERDICTS)
    return pd.concat([losses[is_open], losses[~is_open]], ignore_index=True)


def _moved(directories: pd.DataFrame) -> pd.DataFrame:
    """Of the replicas that moved between log directories, or were copied to another, where they lay."""
    replica = ["node_id", *_KEY]
    moved = directories[directories.change.isin(["moved", "copying"])][replica].drop_duplicates()
    return directories.merge(moved, on=replica)


def _last_told(remote: pd.DataFrame) -> pd.DataFrame:
    """What each new leader found of a remote log, and of what goes on all the time the last of each broker."""
    is_taken_over = remote.change.isin(["found_log_start", "found_remote_end", "epochs_rebuilt"])
    in_order = remote[~is_taken_over].sort_values(["ts", "evidence"], na_position="first")
    last = in_order.groupby([*_KEY, "node_id", "change"], dropna=False).tail(1)
    return pd.concat([remote[is_taken_over], last], ignore_index=True)


def _told(read: Read) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What nodes and topics say of themselves, each with the first event that says it: `node_facts` and
    `topic_settings`.
    """
    told = read(
        "events", ["node_id", "topic", "kind", "event_id", "details"], [("kind", "in", _NODE_TOLD + _TOPIC_TOLD)]
    )
    rows = frame_of(told.drop_columns("details")).sort_values("event_id")
    for name in (*_OF_NODES, *_OF_TOPICS):
        rows[name] = pc.map_lookup(told["details"], name, "first").to_pandas()
    facts = [
        (row.node_id, name, getattr(row, name), row.event_id)
        for row in rows[rows.node_id.notna()].itertuples()
        for name in _OF_NODES
        if getattr(row, name)
    ]
    of_topics = rows[rows.kind.isin(_TOPIC_TOLD) & rows.topic.notna()]
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
    """The settings of a topic that verdicts rest on, in the text that a line prints of its configuration."""
    found = {
        name: re.search(rf"(?:^|[,{{\s]){re.escape(name)}\s*(?:=|->)\s*([^,}}\s]+)", configs) for name in TOPIC_SETTINGS
    }
    return [(name, match[1]) for name, match in found.items() if match]


def _first_of(told: pd.DataFrame) -> pd.DataFrame:
    """Each value once, with the first event that tells it."""
    return told.drop_duplicates([name for name in told if name != "event_id"]).head(_MOST_TOLD)


def _chosen(epochs: pd.DataFrame, vertices: pd.DataFrame, losses: pd.DataFrame) -> pd.DataFrame:
    """The `MOST_PARTITIONS` that lost most, then those to which most happened."""
    every = epochs.groupby(_KEY).size().rename("epochs").to_frame()
    every["happenings"] = vertices[vertices.topic.notna()].groupby(_KEY).size()
    is_committed = losses.loss_class == "committed"
    open_ = losses.verdict.isin(OPEN_VERDICTS)
    every["lost"] = _lost(losses[open_ & is_committed], "to_offset_low")
    every["lost_at_most"] = _lost(losses[open_ & is_committed], "to_offset_high")
    every["uncommitted"] = _lost(losses[open_ & ~is_committed], "to_offset_high")
    order = ["lost", "lost_at_most", "uncommitted", "happenings", "epochs"]
    table = every.fillna(-1).reset_index()
    table["internal"] = table.topic.str.startswith("__")
    ranked = table.sort_values([*order, "internal", *_KEY], ascending=[False] * len(order) + [True] * 3)
    return ranked.head(MOST_PARTITIONS)[_KEY]


def _lost(losses: pd.DataFrame, to: str) -> pd.Series:
    """How many offsets each partition lost, one without an end as if it were very many."""
    offsets = (losses[to] - losses.from_offset).astype("Float64").fillna(float(1 << 40))
    return offsets.groupby([losses.topic, losses.partition]).sum().astype("float64")


def cut_short(small: Mapping[str, pd.DataFrame]) -> list[str]:
    """What to say of tables of which `frames` took a part."""
    return [
        f"{name}: {MOST_ROWS:,} of its rows are told of here; the table of the result holds all"
        for name in _WHOLE
        if len(small[name]) == MOST_ROWS
    ]


def _evidence(read: Read, small: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The lines that rows name, each with what such a line tells."""
    lists: list[Any] = [small[name].get("evidence", ()) for name in _WITH_EVIDENCE] + [
        small["second_witness"].get(column, ()) for column in ("log_evidence", "record_evidence")
    ]
    single: list[Sequence[str]] = [small[name].event_id for name in ("node_facts", "topic_settings")]
    named = {event for column in lists for told in column for event in (told or ())[:_MOST_LINES]}
    named |= {event for column in single for event in column}
    columns = ["event_id", "ts", "node_id", "source_file", "line_number", "level", "logger", "kind", "message"]
    lines = frame_of(read("events", columns, [("event_id", "in", sorted(named))]))
    lines["message"] = lines.message.str.slice(0, _LONGEST_LINE)
    return lines.assign(tells=lines["kind"].map(tells, na_action=None)).drop(columns="kind")
