"""The JSON Schema of `findings.json` (docs/findings.schema.json), from the declarations of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

from pipelines.findings_json import MOST_IDS, MOST_LINES, OF_PARTITIONS, PARTITION, ROWS, SCHEMA_VERSION
from replay.tables import FINDINGS, INCIDENTS, Table

SCHEMA_VERSION_MEANS = "Grows when a field is taken away or changes its meaning."
_NAME = "https://json-schema.org/draft/2020-12/schema"
_TEXT: dict[str, Any] = {"type": "string"}
_WHOLE: dict[str, Any] = {"type": "integer"}
_TIME: dict[str, Any] = {"type": "string", "format": "date-time"}
_STRINGS: dict[str, Any] = {"type": "array", "items": _TEXT}
_NUMBERS: dict[str, Any] = {"type": "array", "items": _WHOLE}
_EVIDENCE: dict[str, Any] = {
    "evidence": _STRINGS
    | {"description": f"The lines that prove it by event id, at most {MOST_IDS}; `log_lines` has their text."},
    "evidence_total": _WHOLE | {"description": "How many lines prove it; the table has all."},
}
_PARTITIONS: dict[str, Any] = {
    "partitions": {"type": "array", "items": {"$ref": "#/$defs/topic_partitions"}},
    "partitions_total": _WHOLE | {"description": "How many partitions these are."},
}


def schema() -> dict[str, Any]:
    """The JSON Schema of `findings.json`."""
    return {
        "$schema": _NAME,
        "$id": "findings.schema.json",
        "title": "findings.json of kafka-replay",
        "description": "Times are ISO 8601 in UTC. A null means that no line shows the value, never a guess. Spans "
        "end before end_ts. The history of each partition, row by row, is in the tables of the result.",
        "$defs": {
            "topic_partitions": _object({"topic": _TEXT, "partitions": _NUMBERS}, "Partitions of a topic."),
        },
        **_object(_of_run() | _of_rows() | _of_reading(), ""),
    }


def _of_run() -> dict[str, Any]:
    """What was analyzed."""
    return {
        "schema_version": {"const": SCHEMA_VERSION, "description": SCHEMA_VERSION_MEANS},
        "product": _object({"name": _TEXT, "version": _TEXT}, "What wrote the file."),
        "inputs": _STRINGS | {"description": "The folders, files and archives that were given."},
        "window": {
            **_object({"since": _or_null(_TEXT), "until": _or_null(_TEXT)}, ""),
            "type": ["object", "null"],
            "description": "The time range to which the analysis was limited (`--since`, `--until`), in UTC; null for all of it.",
        },
        "cluster": _object(
            {
                "cluster_ids": _STRINGS | {"description": "As nodes print it; several if the input holds several."},
                "releases": _STRINGS | {"description": "Kafka releases that nodes print as they start."},
                "modes": {"type": "array", "items": {"enum": ["kraft", "zookeeper"]}},
                "brokers": _NUMBERS | {"description": "Ids of the brokers that had a session."},
                "nodes_with_files": _NUMBERS | {"description": "Ids of the nodes that wrote an input file."},
                "releases_by_node": {"type": "array", "items": _object({"node_id": _WHOLE, "release": _TEXT}, "")},
            },
            "Which cluster it is.",
        ),
        "settings": {
            "type": "array",
            "description": "Settings that decide who leads, what is committed and how soon a failure is noticed.",
            "items": _object(
                {
                    "name": _TEXT,
                    "value": _TEXT,
                    "node_ids": _NUMBERS | {"description": "Nodes that print it; none for a topic's setting."},
                    "topic": _or_null(_TEXT),
                    "event_id": _or_null(_TEXT | {"description": "The first line that says so."}),
                },
                "Of nodes, or of a topic.",
            ),
        },
    }


def _of_rows() -> dict[str, Any]:
    """The parts that are made of tables."""
    return {
        **{name: {"type": "array", "items": _of_table(table)} for name, (table, _) in ROWS.items()},
        "incidents": {
            "type": "array",
            "description": "The worst first, then in the order of time.",
            "items": _of_table(INCIDENTS),
        },
        **{
            name: {
                "type": "array",
                "description": "Partitions that differ only in their evidence share a row; the evidence is that of the first.",
                "items": _of_table(table, shared=True),
            }
            for name, (table, _) in OF_PARTITIONS.items()
        },
        "elections": {
            "type": "array",
            "description": "Changes of leader after creation; those between the same brokers for the same reason in one second share a row.",
            "items": _object(
                _PARTITIONS
                | {"first_ts": _or_null(_TIME), "last_ts": _or_null(_TIME)}
                | dict.fromkeys(("old_leader_id", "new_leader_id"), _or_null(_WHOLE))
                | dict.fromkeys(("elected_from", "trigger"), _or_null(_TEXT))
                | {"elections": _WHOLE}
                | dict.fromkeys(
                    ("leader_epoch_low", "leader_epoch_high", "leaderless_low_ms", "leaderless_high_ms"),
                    _or_null(_WHOLE),
                )
                | _EVIDENCE,
                "",
            ),
        },
    }


def _of_reading() -> dict[str, Any]:
    """What was read, and the meaning of the lines."""
    line = _object(
        {
            "file": _TEXT,
            "line": _or_null(_WHOLE),
            "time": _or_null(_TIME),
            "node_id": _or_null(_WHOLE),
            "level": _or_null(_TEXT),
            "text": _TEXT,
        },
        "A line of a log.",
    )
    return {
        "coverage": _object(
            dict.fromkeys(("files", "log_records", "matched", "unmatched", "foreign"), _WHOLE)
            | {"first_ts": _or_null(_TIME), "last_ts": _or_null(_TIME)},
            "What was read: log_records = matched + unmatched.",
        ),
        "lines": {
            "type": ["object", "null"],
            "description": "The meaning of the lines, each message once: summary, together (what several lines mean "
            "only together), told (most serious first), consequences (of the analysis's findings), "
            "harmless, unknown (unrecognized wordings), notes, missing (what would decide more, as "
            "commands).",
        },
        "known_issues": {
            "type": "array",
            "description": "Known bugs of Kafka that the lines look like, with releases and the lines that show it.",
            "items": _of_issue(),
        },
        "notes": _STRINGS | {"description": "Peculiarities of the input, and what was left out."},
        "tables": {
            "type": "object",
            "description": "How many rows the analysis wrote to each table: fewer in its files means that some are lost.",
            "additionalProperties": _WHOLE,
        },
        "log_lines": {
            "type": "object",
            "description": f"The text of the lines that evidence names, by event id (file:line), at most {MOST_LINES}; a note says if there are more.",
            "additionalProperties": line,
        },
    }


def _of_issue() -> dict[str, Any]:
    return _object(
        dict.fromkeys(("key", "title", "says", "advice", "heals", "look_alike"), _TEXT)
        | {"confidence": {"enum": ["sure", "likely"]}}
        | dict.fromkeys(("fixed_in", "subject"), _TEXT)
        | {"lines": _STRINGS, "maturity": {"enum": ["recorded", "quoted", "unseen"]}},
        "",
    )


def _of_table(table: Table, *, shared: bool = False) -> dict[str, Any]:
    members: dict[str, Any] = dict(_PARTITIONS) if shared else {}
    for column in table.columns:
        if shared and column.name in PARTITION:
            continue
        if column.name == "evidence":
            members |= _EVIDENCE
        elif table is INCIDENTS and column.name == "proof":
            members[column.name] = _json_type(column.type) | {"description": column.meaning}
        elif table is FINDINGS and column.name == "partitions":
            members |= _PARTITIONS
        else:
            null = table.key != (column.name,)
            json_type = _json_type(column.type)
            members[column.name] = (_or_null(json_type) if null else json_type) | {"description": column.meaning}
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
        return _WHOLE
    if isinstance(kind, DoubleType):
        return {"type": "number"}
    return {"type": "boolean" if isinstance(kind, BooleanType) else "string"}


def _or_null(kind: Mapping[str, Any]) -> dict[str, Any]:
    return dict(kind, type=[kind["type"], "null"])


def _object(members: Mapping[str, Any], description: str) -> dict[str, Any]:
    schema = {"description": description} if description else {}
    return {"type": "object", **schema, "properties": dict(members), "required": list(members)}
