"""The cluster's identity: id, release, mode, brokers, time zone and clocks, as pairs of a label and a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from viz import frames
from viz import phrases as words

_MODES = {("zk",): "ZooKeeper", ("kraft",): "KRaft", ("kraft", "zk"): "ZooKeeper and KRaft (migration)"}
METADATA_TOPIC = "__cluster_metadata"
_MOST = 8
_MOST_TOPICS = 3
_CORRECTED_MS = 1.0


def cluster_facts(tables: Mapping[str, pd.DataFrame]) -> list[tuple[str, str]]:
    """The facts that the files hold about the cluster; missing facts are left out."""
    node_facts = frames.table(tables, "node_facts")
    modes = tuple(sorted(set(tables["controllers"]["mode"].dropna())))
    facts = [
        ("Cluster", ", ".join(sorted({f.value for f in node_facts if f.name == "cluster_id" and f.value}))),
        (
            "Kafka",
            _by_node([(f.value, f.node_id) for f in node_facts if f.name == "kafka_version"], broker_ids(tables)),
        ),
        ("Mode", _MODES.get(modes, "")),
        ("Brokers", _ids(broker_ids(tables))),
        ("min.insync.replicas", _min_isr(tables)),
        ("Zone", _zones(tables)),
        ("Clocks", clocks(tables)),
    ]
    return [(label, value) for label, value in facts if value]


def _min_isr(tables: Mapping[str, pd.DataFrame]) -> str:
    """The last min.insync.replicas of the topics of users, or each value with its topics; topics of which no file shows it are
    named too if there are others.
    """
    spans = tables["isr_spans"]
    if spans.min_isr.isna().all():
        return ""
    last = spans.sort_values("start_ts").groupby("topic", as_index=False).min_isr.last()
    topics: dict[str, list[str]] = {}
    for topic, value in zip(last.topic, last.min_isr):
        if not topic.startswith("__"):
            topics.setdefault("unknown" if pd.isna(value) else str(int(value)), []).append(topic)
    if len(topics) <= 1:
        return next(iter(topics), "")
    return ", ".join(f"{value} ({words.at_most(sorted(some), _MOST_TOPICS)})" for value, some in sorted(topics.items()))


def broker_ids(tables: Mapping[str, pd.DataFrame]) -> list[int]:
    """The ids of brokers, from sessions, leaders and replicas."""

    def made() -> list[int]:
        named: set[int] = set()
        for table, column in (
            ("broker_sessions", "broker_id"),
            ("leader_epochs", "leader_id"),
            ("isr_spans", "leader_id"),
        ):
            named |= {int(b) for b in tables[table][column].dropna().unique()}
        for replicas in tables["isr_spans"].replicas:
            named |= set(replicas)
        return sorted(b for b in named if b >= 0)

    ids_found: list[int] = frames.conclusion(tables, "broker ids", made)
    return ids_found


def nodes_by_role(tables: Mapping[str, pd.DataFrame], ids: Iterable[int]) -> str:
    """Nodes by role: `brokers 1 and 2`, `controller 101`."""
    brokers, named = set(broker_ids(tables)), set(ids)
    if named <= brokers or not brokers:
        return words.brokers(named)
    return words.nodes(named, brokers, controller_ids(tables))


def controller_ids(tables: Mapping[str, pd.DataFrame]) -> set[int]:
    """The KRaft controllers: the voters and the active controllers."""

    def made() -> set[int]:
        active = (t.controller_id for t in frames.table(tables, "controllers") if t.mode == "kraft")
        voters = (voter for row in frames.table(tables, "voter_sets") for voter in row.voters or ())
        return {int(node) for node in (*active, *voters) if node is not None}

    ids_found: set[int] = frames.conclusion(tables, "controller ids", made)
    return ids_found


def _by_node(values: Iterable[tuple[str | None, int | None]], brokers: Iterable[int]) -> str:
    """One value for all nodes, or each with its nodes."""
    nodes_by: dict[str, set[int]] = {}
    for value, node_id in values:
        if value:
            nodes_by.setdefault(value, set()).update(() if node_id is None else (node_id,))
    if len(nodes_by) <= 1:
        return next(iter(nodes_by), "")
    return ", ".join(f"{value} ({words.nodes(nodes, brokers)})" for value, nodes in sorted(nodes_by.items()))


def _ids(ids: list[int]) -> str:
    return f"{len(ids)} ({words.at_most(map(str, ids), _MOST)})" if ids else ""


def _zones(tables: Mapping[str, pd.DataFrame]) -> str:
    """The time zones of the nodes if one is not UTC; the page itself uses UTC."""
    zones: dict[str, set[int]] = {}
    for c in frames.table(tables, "clock_offsets"):
        if c.zone and c.node_id is not None:
            zones.setdefault(c.zone, set()).add(c.node_id)
    if not zones or set(zones) == {"UTC"}:
        return ""
    if len(zones) == 1:
        return f"logs in {next(iter(zones))}"
    return "; ".join(f"{zone} ({words.nodes(nodes, ())})" for zone, nodes in sorted(zones.items()))


def clocks(tables: Mapping[str, pd.DataFrame]) -> str:
    """Which clocks were corrected, and by how much; empty if none was."""
    corrected: dict[int, list[Any]] = {}
    for c in frames.table(tables, "clock_offsets"):
        if c.node_id is not None and c.correction_ms is not None and abs(c.correction_ms) >= _CORRECTED_MS:
            corrected.setdefault(c.node_id, []).append(c)
    clocks_corrected = []
    for node_id, by in sorted(corrected.items()):
        amounts = words.listed(list(dict.fromkeys(map(_amount, by))))
        ways = {c.correction_ms > 0 for c in by}
        way = "" if len(ways) > 1 else " ahead" if True in ways else " behind"
        clocks_corrected.append(f"node {node_id} was {amounts}{way or ' off'}")
    return f"corrected: {words.at_most(clocks_corrected, 4)}" if clocks_corrected else ""


def _amount(c: Any) -> str:
    """By how much a clock was off; if the lines bound that from one side only, the correction is the least amount."""
    return f"{'at least ' if is_least(c) else ''}{abs(c.correction_ms):,.0f} ms"


def is_least(c: Any) -> bool:
    """Whether a correction is the only bound of the offset."""
    return c.correction_ms in (c.offset_low_ms, c.offset_high_ms) and None in (c.offset_low_ms, c.offset_high_ms)


def keeps_registrations(controllers: pd.DataFrame) -> bool:
    """Whether all controllers are of KRaft, where a registration outlasts its session."""
    modes = set(controllers["mode"].dropna()) if "mode" in controllers else set()
    return modes == {"kraft"}
