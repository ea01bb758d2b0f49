"""`findings.json`: what programs read of a result. Its form is published as docs/findings.schema.json, made from the
same declarations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    BLIND_SPOTS,
    BROKER_SESSIONS,
    CONTROLLERS,
    ELECTIONS,
    FINDINGS,
    INCIDENTS,
    LOSSES,
    OPEN_VERDICTS,
    VIOLATIONS,
    Table,
)

SCHEMA_VERSION = 4
"""Grows when a field is taken away or changes its meaning; new fields alone do not change it."""

MOST_ELECTIONS = 10_000
_MOST_LINES = 24  # of a row's evidence
_NAME = "https://json-schema.org/draft/2020-12/schema"

# Settings that decide who leads, what is committed, and how soon something is noticed.
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

# The parts that are rows of a table: their order, and what is left out of each.
_ROWS: Mapping[str, tuple[Table, tuple[str, ...]]] = {
    "incidents": (INCIDENTS, ("start_ts", "incident_id")),
    "findings": (FINDINGS, ("start_ts", "finding_id")),
    "elections": (ELECTIONS, ("ts", "topic", "partition")),
    "losses": (LOSSES, ("ts", "topic", "partition", "loss_class")),
    "controllers": (CONTROLLERS, ("start_ts", "controller_epoch")),
    "broker_sessions": (BROKER_SESSIONS, ("start_ts", "broker_id")),
    "violations": (VIOLATIONS, ("invariant", "topic", "partition", "detail")),
    "blind_spots": (BLIND_SPOTS, ("kind", "node_id", "what")),
}


def findings_json(
    small: Mapping[str, pd.DataFrame],
    inputs: Sequence[str],
    notes: Sequence[str],
    version: str,
    said: Answer | None = None,
    window: TimeWindow = ALL_TIME,
) -> dict[str, Any]:
    """What `findings.json` holds, from the small frames of a result (`pipelines.collect.frames`) and what its lines say."""
    explained = None if said is None else said.as_json()
    lines = _lines(small["evidence"])
    parts = {
        name: [_row(table, values, lines) for values in _sorted(small.get(name), order)]
        for name, (table, order) in _ROWS.items()
    }
    parts["elections"] = [row for row in parts["elections"] if row["trigger"] != "creation"][:MOST_ELECTIONS]
    parts["losses"] = [row for row in parts["losses"] if row["verdict"] in OPEN_VERDICTS]
    coverage = small["coverage"]
    return {
        "schema_version": SCHEMA_VERSION,
        "product": {"name": "kafka-replay", "version": version},
        "inputs": list(inputs),
        "window": None if window.is_open else {"since": _time(window.since), "until": _time(window.until)},
        "cluster": _cluster(small, parts["controllers"]),
        "settings": _settings(small),
        **parts,
        "availability": _availability(small.get("availability"), lines),
        "coverage": {
            "files": len(coverage),
            **{name: int(coverage[name].sum()) for name in ("log_records", "matched", "unmatched", "foreign")},
            "first_ts": _time(coverage.first_ts.min()),
            "last_ts": _time(coverage.last_ts.max()),
        },
        "lines": None if explained is None else {k: v for k, v in explained.items() if k != "looks_like"},
        "known_issues": [] if explained is None else explained["looks_like"],
        "notes": list(notes),
    }


def _cluster(small: Mapping[str, pd.DataFrame], controllers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Which cluster it is: ids and releases as nodes print them, the mode, and who its brokers are."""
    facts = small.get("node_facts", pd.DataFrame(columns=["node_id", "name", "value"]))
    modes = list(dict.fromkeys(row["mode"] for row in controllers))
    brokers = small["broker_sessions"].broker_id if len(small["broker_sessions"]) else pd.Series(dtype=int)
    nodes = {int(node) for node in small["coverage"].node_id.dropna()}
    return {
        "cluster_ids": _values(facts, "cluster_id"),
        "releases": _values(facts, "kafka_version"),
        "modes": [{"zk": "zookeeper"}.get(mode, mode) for mode in modes],
        "brokers": sorted({int(b) for b in brokers}),
        "nodes_with_files": sorted(nodes),
        "releases_by_node": [
            {"node_id": int(row.node_id), "release": str(row.value)}
            for row in facts[facts.name == "kafka_version"].sort_values(["node_id", "value"]).itertuples()
        ],
    }


def _values(facts: pd.DataFrame, name: str) -> list[str]:
    return sorted({str(value) for value in facts[facts.name == name].value})


def _settings(small: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """The settings that verdicts rest on, as nodes and topics tell them."""
    told: dict[tuple[str, str, str], dict[str, Any]] = {}
    of_nodes, of_topics = small.get("settings", pd.DataFrame()), small.get("topic_settings", pd.DataFrame())
    for row in [*of_nodes.to_dict("records"), *of_topics.to_dict("records")]:
        if row["name"] not in SETTINGS_THAT_MATTER:
            continue
        topic, event = _text(row.get("topic")), _text(row.get("event_id"))
        made = told.setdefault(
            (row["name"], topic or "", str(row["value"])),
            {"name": row["name"], "value": str(row["value"]), "node_ids": [], "topic": topic, "event_id": event},
        )
        if topic is None and _whole(row["node_id"]) not in made["node_ids"]:
            made["node_ids"].append(_whole(row["node_id"]))
        made["event_id"] = min(e for e in (made["event_id"], event) if e is not None) if event else made["event_id"]
    for made in told.values():
        made["node_ids"].sort()
    return [told[key] for key in sorted(told)]


def _availability(frame: pd.DataFrame | None, lines: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]] | None:
    """The times in which a partition did not take writes, or may not have; null where the result has no such table."""
    if frame is None or not len(frame.columns):
        return None
    shut = frame[frame.state != "open"].sort_values(["start_ts", "topic", "partition", "acks"])
    return [
        {
            "topic": str(row["topic"]),
            "partition": int(row["partition"]),
            "acks": str(row["acks"]),
            "start_ts": _time(row["start_ts"]),
            "end_ts": _time(row["end_ts"]),
            "state": str(row["state"]),
            "reason": _text(row.get("reason")),
            "fault_id": _text(row.get("fault_id")),
            "evidence": _evidence(row.get("evidence"), lines),
        }
        for row in shut.to_dict("records")
    ]


def _lines(evidence: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The records that evidence names, as objects."""
    return {
        str(row["event_id"]): {
            "event_id": str(row["event_id"]),
            "file": str(row["source_file"]),
            "line": _whole(row["line_number"]),
            "time": _time(row["ts"]),
            "node_id": _whole(row["node_id"]),
            "level": _text(row["level"]),
            "text": _text(row["message"]) or "",
        }
        for row in evidence.to_dict("records")
    }


def _sorted(frame: pd.DataFrame | None, order: Sequence[str]) -> list[dict[Any, Any]]:
    if frame is None or frame.empty:
        return []
    rows: list[dict[Any, Any]] = frame.sort_values(list(order), kind="stable").to_dict("records")
    return rows


def _row(table: Table, values: Mapping[Any, Any], lines: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """A row with each column in its declared type, evidence and partitions as objects."""
    made = {c.name: _typed(values.get(c.name), c.type) for c in table.columns if c.name in values}
    if "evidence" in made:
        made["evidence"] = _evidence(made["evidence"], lines)
    if table is FINDINGS:
        made["partitions"] = [_partition(name) for name in made["partitions"] or ()]
    if table is INCIDENTS:
        made["proof"] = [
            {"proves": one["proves"], "finding_id": one["finding_id"], "line": lines[one["event_id"]]}
            for one in made["proof"] or ()
            if one["event_id"] in lines
        ]
    return made


def _evidence(events: Iterable[str] | None, lines: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    named = [] if events is None or isinstance(events, float) else list(events)
    return [lines[event] for event in named[:_MOST_LINES] if event in lines]


def _partition(name: str) -> dict[str, Any]:
    topic, _, number = name.rpartition("-")
    return {"topic": topic, "partition": int(number)}


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


def schema() -> dict[str, Any]:
    """The JSON Schema of `findings.json`, from the declarations of the tables."""
    text, whole = {"type": "string"}, {"type": "integer"}
    strings, numbers = {"type": "array", "items": text}, {"type": "array", "items": whole}
    required = {
        "schema_version": {"const": SCHEMA_VERSION, "description": SCHEMA_VERSION_MEANS},
        "product": _object({"name": text, "version": text}, "What wrote the file."),
        "inputs": strings | {"description": "The folders, files and archives that were given."},
        "window": {
            **_object({"since": _or_null(text), "until": _or_null(text)}, ""),
            "type": ["object", "null"],
            "description": "The time of which alone the logs were read (`--since`, `--until`), in UTC; null for all of it.",
        },
        "cluster": _object(
            {
                "cluster_ids": strings | {"description": "As nodes print it; several where the input holds several."},
                "releases": strings | {"description": "Kafka releases that nodes print as they start."},
                "modes": {"type": "array", "items": {"enum": ["kraft", "zookeeper"]}},
                "brokers": numbers | {"description": "Ids of the brokers that had a session."},
                "nodes_with_files": numbers | {"description": "Ids of the nodes that wrote an input file."},
                "releases_by_node": {"type": "array", "items": _object({"node_id": whole, "release": text}, "")},
            },
            "Which cluster it is.",
        ),
        "settings": {
            "type": "array",
            "description": "Settings that decide who leads, what is committed and how soon something is noticed.",
            "items": _object(
                {
                    "name": text,
                    "value": text,
                    "node_ids": numbers | {"description": "Nodes that print it; none for a topic's setting."},
                    "topic": _or_null(text),
                    "event_id": _or_null(text | {"description": "The first line that says so."}),
                },
                "Of nodes, or of a topic.",
            ),
        },
        **{name: {"type": "array", "items": _of_table(table)} for name, (table, _) in _ROWS.items()},
        "availability": {
            "type": ["array", "null"],
            "description": "Times in which a partition did not take writes, or may not have; null where that "
            "was not judged.",
            "items": _object(
                {
                    "topic": text,
                    "partition": whole,
                    "acks": {"enum": ["all", "1"]},
                    "start_ts": _or_null(_TIME),
                    "end_ts": _or_null(_TIME),
                    "state": {"enum": ["closed", "unknown"]},
                    "reason": _or_null(text),
                    "fault_id": _or_null(text),
                    "evidence": _LINES,
                },
                "",
            ),
        },
        "coverage": _object(
            dict.fromkeys(("files", "log_records", "matched", "unmatched", "foreign"), whole)
            | {"first_ts": _or_null(_TIME), "last_ts": _or_null(_TIME)},
            "What was read: log_records = matched + unmatched.",
        ),
        "lines": {
            "type": ["object", "null"],
            "description": "What the lines say, each message once: summary, together (what several say only together), told (most serious first), "
            "consequences (of what the analysis found), harmless, unknown (wordings that nothing is known of), notes, missing (what would "
            "decide more, as commands).",
        },
        "known_issues": {
            "type": "array",
            "description": "Known bugs of Kafka that the lines look like, with releases and the lines that show it.",
            "items": _object(
                {
                    "key": text,
                    "title": text,
                    "says": text,
                    "advice": text,
                    "heals": text,
                    "look_alike": text,
                    "confidence": {"enum": ["sure", "likely"]},
                    "fixed_in": text,
                    "subject": text,
                    "lines": strings,
                },
                "",
            ),
        },
        "notes": strings | {"description": "What is odd about the input, or was left out."},
    }
    return {
        "$schema": _NAME,
        "$id": "findings.schema.json",
        "title": "findings.json of kafka-replay",
        "description": "Times are ISO 8601 in UTC. A null says that no line tells, never a guess. Spans end "
        "before end_ts.",
        "$defs": {
            "line": _object(
                {
                    "event_id": text | {"description": "file:line"},
                    "file": text,
                    "line": _or_null(whole),
                    "time": _or_null(_TIME),
                    "node_id": _or_null(whole),
                    "level": _or_null(text),
                    "text": text,
                },
                "A log line that proves something.",
            ),
            "partition": _object({"topic": text, "partition": whole}, "A partition."),
        },
        **_object(required, ""),
    }


SCHEMA_VERSION_MEANS = "Grows when a field is taken away or changes its meaning."
_TIME: dict[str, Any] = {"type": "string", "format": "date-time"}
_LINES: dict[str, Any] = {"type": "array", "items": {"$ref": "#/$defs/line"}}


def _of_table(table: Table) -> dict[str, Any]:
    members = {}
    for column in table.columns:
        if column.name == "evidence":
            members[column.name] = dict(_LINES, description="The lines that prove it.")
        elif table is INCIDENTS and column.name == "proof":
            proven = {
                "proves": _or_null({"type": "string"}),
                "finding_id": {"type": "string"},
                "line": {"$ref": "#/$defs/line"},
            }
            members[column.name] = {"type": "array", "items": _object(proven, ""), "description": column.meaning}
        elif table is FINDINGS and column.name == "partitions":
            members[column.name] = {
                "type": "array",
                "items": {"$ref": "#/$defs/partition"},
                "description": column.meaning,
            }
        else:
            null = table.key != (column.name,)
            told = _json_type(column.type)
            members[column.name] = (_or_null(told) if null else told) | {"description": column.meaning}
    return _object(members, table.row)


def _json_type(kind: DataType) -> dict[str, Any]:
    if isinstance(kind, ArrayType):
        return {"type": "array", "items": _json_type(kind.elementType)}
    if isinstance(kind, StructType):
        return _object({field.name: _json_type(field.dataType) for field in kind.fields}, "")
    if isinstance(kind, MapType):
        return {"type": "object", "additionalProperties": _or_null(_json_type(kind.valueType))}
    if isinstance(kind, TimestampType):
        return _TIME
    if isinstance(kind, (IntegerType, LongType)):
        return {"type": "integer"}
    if isinstance(kind, DoubleType):
        return {"type": "number"}
    return {"type": "boolean" if isinstance(kind, BooleanType) else "string"}


def _or_null(kind: Mapping[str, Any]) -> dict[str, Any]:
    return dict(kind, type=[kind["type"], "null"])


def _object(members: Mapping[str, Any], description: str) -> dict[str, Any]:
    told = {"description": description} if description else {}
    return {"type": "object", **told, "properties": dict(members), "required": list(members)}
