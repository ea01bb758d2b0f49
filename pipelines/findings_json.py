"""`findings.json`: the result for programs. docs/findings.schema.json publishes its form, made from the same
declarations (`pipelines.findings_schema`).

Each log line occurs once, under `log_lines`, by the event id that evidence names. Partitions with the same history
share one row that lists them. The history of each partition, row by row, is in the tables of the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StructType,
    TimestampType,
)

from replay.facts.window import ALL_TIME, TimeWindow
from replay.knowledge.answer import Answer
from replay.tables import (
    ALL_CLEAR,
    BLIND_SPOTS,
    BROKER_SESSIONS,
    CONTROLLERS,
    FINDINGS,
    INCIDENTS,
    LIMITS,
    LOSSES,
    METRIC_STATEMENTS,
    OPEN_VERDICTS,
    VIOLATIONS,
    Table,
)
from viz.by_severity import worst_first
from viz.frames import rows, tidy
from viz.frames import second as second_of
from viz.phrases import number

SCHEMA_VERSION = 4
"""Grows when a field is taken away or changes its meaning; new fields alone do not change it."""

MOST_IDS = 24  # of a row's evidence
MOST_LINES = 2_000  # log lines with their text; with more the file is too large to send

# Settings that affect elections, committed records, and how soon a failure is detected.
SETTINGS_THAT_MATTER = (
    "auto.leader.rebalance.enable",
    "broker.heartbeat.interval.ms",
    "broker.session.timeout.ms",
    "controlled.shutdown.enable",
    "controller.quorum.election.timeout.ms",
    "controller.quorum.fetch.timeout.ms",
    "default.replication.factor",
    "inter.broker.protocol.version",
    "log.dir.failure.timeout.ms",
    "log.flush.interval.messages",
    "log.message.format.version",
    "metadata.version",
    "min.insync.replicas",
    "process.roles",
    "replica.lag.time.max.ms",
    "replica.socket.timeout.ms",
    "unclean.leader.election.enable",
    "zookeeper.session.timeout.ms",
)

# The parts that are rows of a table, in their order.
ROWS: Mapping[str, tuple[Table, tuple[str, ...]]] = {
    "incidents": (INCIDENTS, ("start_ts", "incident_id")),
    "findings": (FINDINGS, ("start_ts", "finding_id")),
    "controllers": (CONTROLLERS, ("start_ts", "controller_epoch")),
    "broker_sessions": (BROKER_SESSIONS, ("start_ts", "broker_id")),
    "blind_spots": (BLIND_SPOTS, ("kind", "node_id", "what")),
    "limits": (LIMITS, ("kind", "start_ts", "statement")),
    "all_clear": (ALL_CLEAR, ("verdict",)),
    "metric_statements": (METRIC_STATEMENTS, ("incident_id", "statement_id")),
}
# The parts about partitions: rows that differ only in partition and evidence are merged.
OF_PARTITIONS: Mapping[str, tuple[Table, tuple[str, ...]]] = {
    "losses": (LOSSES, ("ts", "loss_class", "topic", "partition")),
    "violations": (VIOLATIONS, ("invariant", "topic", "partition", "detail")),
}
PARTITION = ("topic", "partition")


def findings_json(
    small: Mapping[str, pd.DataFrame],
    inputs: Sequence[str],
    notes: Sequence[str],
    version: str,
    answer: Answer | None = None,
    window: TimeWindow = ALL_TIME,
    tables: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """The content of `findings.json`, from the small frames of a result (`pipelines.collect.frames`), the meaning of
    its lines, and the number of rows of each of its tables.
    """
    explained = None if answer is None else answer.as_json()
    parts = {
        name: [_row(table, row) for row in _in_order(name, small.get(name), order)]
        for name, (table, order) in ROWS.items()
    }
    of_partitions = dict(small, losses=small["losses"][small["losses"].verdict.isin(OPEN_VERDICTS)])
    parts |= {
        name: list(_shared(table, _sorted(of_partitions.get(name), order)))
        for name, (table, order) in OF_PARTITIONS.items()
    } | {"elections": list(_elections(small["elections"]))}
    log_lines, left_out = _quoted(_named(parts), small["evidence"])
    coverage = small["coverage"]
    return {
        "schema_version": SCHEMA_VERSION,
        "product": {"name": "kafka-replay", "version": version},
        "inputs": list(inputs),
        "window": None if window.is_open else {"since": _time(window.since), "until": _time(window.until)},
        "cluster": _cluster(small, parts["controllers"]),
        "settings": _settings(small),
        **parts,
        "coverage": {
            "files": len(coverage),
            **{name: int(coverage[name].sum()) for name in ("log_records", "matched", "unmatched", "foreign")},
            "first_ts": _time(coverage.first_ts.min()),
            "last_ts": _time(coverage.last_ts.max()),
        },
        "lines": None if explained is None else {k: v for k, v in explained.items() if k != "looks_like"},
        "known_issues": [] if explained is None else explained["looks_like"],
        "notes": [*notes, *left_out],
        "tables": dict(sorted((tables or {}).items())),
        "log_lines": log_lines,
    }


def _shared(table: Table, rows: Iterable[Mapping[Any, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of a table about partitions. Rows that differ only in partition and evidence become one row with the
    evidence of the first.
    """
    alike: dict[str, tuple[dict[str, Any], list[tuple[str, int]]]] = {}
    for values in rows:
        row = _row(table, values)
        topic, partition = row.pop("topic"), row.pop("partition")
        key = str([value for name, value in row.items() if not name.startswith("evidence")])
        alike.setdefault(key, (row, []))[1].extend([] if topic is None else [(topic, partition)])
    for row, partitions in alike.values():
        yield {"partitions": _by_topic(partitions), "partitions_total": len(set(partitions)), **row}


def _elections(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The changes of leader after a partition's creation. Changes between the same brokers for the same reason
    within a second become one row with the evidence of the first.
    """
    kept = _sorted(frame[frame.trigger != "creation"], ("ts", *PARTITION)) if len(frame) else []
    alike: dict[tuple[object, ...], list[Mapping[Any, Any]]] = defaultdict(list)
    for e in kept:
        second = None if pd.isna(e["ts"]) else second_of(pd.Timestamp(e["ts"]))
        brokers = (_whole(e["old_leader_id"]), _whole(e["new_leader_id"]))
        alike[second, *brokers, _text(e["elected_from"]), _text(e["trigger"])].append(e)
    for (_, old, new, elected_from, trigger), some in alike.items():
        epochs = [epoch for e in some if (epoch := _whole(e["leader_epoch"])) is not None]
        waited = [ms for e in some if (ms := _whole(e["leaderless_ms"])) is not None]
        partitions = [(str(e["topic"]), int(e["partition"])) for e in some]
        yield {
            "partitions": _by_topic(partitions),
            "partitions_total": len(set(partitions)),
            "first_ts": _time(some[0]["ts"]),
            "last_ts": _time(some[-1]["ts"]),
            "old_leader_id": old,
            "new_leader_id": new,
            "elected_from": elected_from,
            "trigger": trigger,
            "elections": len(some),
            "leader_epoch_low": min(epochs, default=None),
            "leader_epoch_high": max(epochs, default=None),
            "leaderless_low_ms": min(waited, default=None),
            "leaderless_high_ms": max(waited, default=None),
            **_evidence(some[0]["evidence"]),
        }


def _named(parts: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """The events that the rows name, the most important first."""
    proof = [one["event_id"] for incident in parts["incidents"] for one in incident["proof"]]
    roots = [f for f in parts["findings"] if f["role"] == "root_cause"]
    others = [f for f in parts["findings"] if f["role"] != "root_cause"]
    rest = [row for name, rows in parts.items() if name not in ("incidents", "findings", "losses") for row in rows]
    rows = [*roots, *parts["losses"], *others, *rest]
    return list(dict.fromkeys([*proof, *(event for row in rows for event in row["evidence"])]))


def _quoted(named: Sequence[str], evidence: pd.DataFrame) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The lines of these events (only the first ones if there are very many), and a note about omitted lines."""
    held = evidence.set_index("event_id")
    quoted = [event for event in named if event in held.index]
    lines = {str(row["event_id"]): _line(row) for row in held.loc[quoted[:MOST_LINES]].reset_index().to_dict("records")}
    if len(quoted) <= MOST_LINES:
        return lines, []
    return lines, [
        f"log_lines: {number(MOST_LINES)} of the {number(len(quoted))} lines that evidence here names have their text; "
        "all are in the table events"
    ]


def _line(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        "file": str(row["source_file"]),
        "line": _whole(row["line_number"]),
        "time": _time(row["ts"]),
        "node_id": _whole(row["node_id"]),
        "level": _text(row["level"]),
        "text": _text(row["message"]) or "",
    }


def _cluster(small: Mapping[str, pd.DataFrame], controllers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The cluster: its ids and releases as nodes print them, its mode, and its brokers."""
    facts = small.get("node_facts", pd.DataFrame(columns=["node_id", "name", "value"]))
    modes = list(dict.fromkeys(row["mode"] for row in controllers))
    brokers = small["broker_sessions"].broker_id.dropna() if len(small["broker_sessions"]) else pd.Series(dtype=int)
    releases = facts[(facts.name == "kafka_version") & facts.node_id.notna()]
    nodes = {int(node) for node in small["coverage"].node_id.dropna()}
    return {
        "cluster_ids": _values(facts, "cluster_id"),
        "releases": _values(facts, "kafka_version"),
        "modes": [{"zk": "zookeeper"}.get(mode, mode) for mode in modes],
        "brokers": sorted({int(b) for b in brokers}),
        "nodes_with_files": sorted(nodes),
        "releases_by_node": [
            {"node_id": int(row.node_id), "release": str(row.value)}
            for row in releases.sort_values(["node_id", "value"]).itertuples()
        ],
    }


def _values(facts: pd.DataFrame, name: str) -> list[str]:
    return sorted({str(value) for value in facts[facts.name == name].value})


def _settings(small: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """The settings that verdicts depend on, from the lines of nodes and topics."""
    settings: dict[tuple[str, str, str], dict[str, Any]] = {}
    of_nodes, of_topics = small.get("settings", pd.DataFrame()), small.get("topic_settings", pd.DataFrame())
    for row in [*of_nodes.to_dict("records"), *of_topics.to_dict("records")]:
        if row["name"] not in SETTINGS_THAT_MATTER:
            continue
        topic, event = _text(row.get("topic")), _text(row.get("event_id"))
        made = settings.setdefault(
            (row["name"], topic or "", str(row["value"])),
            {"name": row["name"], "value": str(row["value"]), "node_ids": [], "topic": topic, "event_id": event},
        )
        if topic is None and _whole(row["node_id"]) not in made["node_ids"]:
            made["node_ids"].append(_whole(row["node_id"]))
        made["event_id"] = min(e for e in (made["event_id"], event) if e is not None) if event else made["event_id"]
    for made in settings.values():
        made["node_ids"].sort()
    return [settings[key] for key in sorted(settings)]


def _in_order(name: str, frame: pd.DataFrame | None, order: Sequence[str]) -> list[dict[Any, Any]]:
    """The rows of a part: incidents and findings as the page has them."""
    if frame is None or frame.empty:
        return []
    if name == "incidents":
        return _worst_first(frame)
    if name == "findings" and "role" in frame:
        return _sorted(_with_place(frame), ("_after", "_is_effect", *order))
    return _sorted(frame, order)


def _sorted(frame: pd.DataFrame | None, order: Sequence[str]) -> list[dict[Any, Any]]:
    if frame is None or frame.empty:
        return []
    found: list[dict[Any, Any]] = frame.sort_values(list(order), kind="stable").to_dict("records")
    return found


def _worst_first(incidents: pd.DataFrame) -> list[dict[Any, Any]]:
    """The incidents in the order of the page."""
    place = {one.incident_id: at for at, one in enumerate(worst_first(rows(tidy(incidents, "incidents"))))}
    found: list[dict[Any, Any]] = incidents.to_dict("records")
    return sorted(found, key=lambda row: place[row["incident_id"]])


def _with_place(findings: pd.DataFrame) -> pd.DataFrame:
    """Findings with the columns that put an effect after the first root cause of its incident: bounds of a root's beginning
    can reach past the first line of an effect.
    """
    is_effect = findings.role == "effect"
    roots = findings[findings.role == "root_cause"].groupby("incident_id").start_ts.min()
    first_root = findings.incident_id.map(roots)
    after = findings.start_ts.where(~(is_effect & (first_root > findings.start_ts)), first_root)
    return findings.assign(_after=after, _is_effect=is_effect)


def _row(table: Table, values: Mapping[Any, Any]) -> dict[str, Any]:
    """A row with each column in its declared type, partitions by topic, and evidence by event id."""
    made = {c.name: _typed(values.get(c.name), c.type) for c in table.columns if c.name in values}
    if "evidence" in made:
        made |= _evidence(made["evidence"])
    if table is FINDINGS:
        partitions = [_partition(name) for name in made["partitions"] or ()]
        made |= {"partitions": _by_topic(partitions), "partitions_total": len(set(partitions))}
    if table is INCIDENTS:
        made["proof"] = made["proof"] or []
    return made


def _evidence(events: Iterable[str] | None) -> dict[str, Any]:
    """The number of events that prove a row, and the first of them."""
    named = [] if events is None or isinstance(events, float) else list(dict.fromkeys(events))
    return {"evidence": named[:MOST_IDS], "evidence_total": len(named)}


def _partition(name: str) -> tuple[str, int]:
    topic, _, partition = name.rpartition("-")
    return topic, int(partition)


def _by_topic(partitions: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    """Partitions as a list of topics, each with the numbers of its partitions."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for topic, partition in sorted(set(partitions)):
        numbers[topic].append(partition)
    return [{"topic": topic, "partitions": some} for topic, some in numbers.items()]


def _typed(value: Any, kind: DataType) -> Any:
    if isinstance(kind, ArrayType):
        return None if value is None or isinstance(value, float) else [_typed(item, kind.elementType) for item in value]
    if isinstance(kind, StructType):
        return {field.name: _typed(value[field.name], field.dataType) for field in kind.fields}
    if isinstance(kind, MapType):
        return None if value is None else {key: _typed(one, kind.valueType) for key, one in dict(value).items()}
    if isinstance(kind, TimestampType):
        return _time(value)
    if isinstance(kind, (IntegerType, LongType)):
        return _whole(value)
    if isinstance(kind, DoubleType):
        return None if pd.isna(value) else float(value)
    if isinstance(kind, BooleanType):
        return None if pd.isna(value) else bool(value)
    return _text(value)


def _whole(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def _text(value: Any) -> str | None:
    return None if value is None or (isinstance(value, float) and value != value) else str(value)


def _time(value: Any) -> str | None:
    """ISO 8601 in UTC."""
    if value is None or pd.isna(value):
        return None
    stamp = pd.Timestamp(value)
    text: str = (stamp if stamp.tzinfo is None else stamp.tz_convert("UTC").tz_localize(None)).isoformat() + "Z"
    return text
