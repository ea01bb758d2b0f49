"""The output of `explain --json`, one JSON object, and its schema (docs/explain.schema.json).

`kind` names its subject: the `lines` of a paste or of files, the `findings` of a result, or the `meaning` of a code
or a known bug.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, Union, get_args, get_origin, get_type_hints

import pandas as pd

from pipelines.answers.explain import Graph, Step
from pipelines.terminal import json_line
from replay.knowledge.answer import Answer

_NAME = "https://json-schema.org/draft/2020-12/schema"
_TEXT: dict[str, Any] = {"type": "string"}
_TIME: dict[str, Any] = {"type": ["string", "null"], "format": "date-time"}
_STRINGS: dict[str, Any] = {"type": "array", "items": _TEXT}


def of_lines(answer: Answer) -> str:
    """The meaning of lines."""
    return json_line({"kind": "lines", **answer.as_json()})


def of_meaning(name: str, text: Iterable[str]) -> str:
    """The meaning of a code, or the description of a bug."""
    return json_line({"kind": "meaning", "name": name, "text": [line for line in text if line]})


def of_findings(findings: Iterable[Any], graph: Graph, messages: Mapping[str, Mapping[str, Any]]) -> str:
    """Findings with their evidence lines, their causes and their effects."""
    return json_line({"kind": "findings", "findings": [_finding(one, graph, messages) for one in findings]})


def _finding(finding: Any, graph: Graph, messages: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "finding_id": finding.finding_id,
        "code": finding.code,
        "title": finding.title,
        "summary": finding.summary,
        "severity": finding.severity,
        "role": finding.role,
        "confidence": finding.confidence,
        "incident_id": finding.incident_id,
        "start_ts": _instant(finding.start_ts),
        "end_ts": _instant(finding.end_ts),
        "partitions": list(finding.partitions or ()),
        "lines": [_line(event, messages[event]) for event in finding.evidence or () if event in messages],
        "causes": [_step(step) for step in graph.causes(finding)],
        "effects": [_step(step) for step in graph.effects(finding)],
        "missing": list(finding.blind_spots or ()),
    }


def _line(event: str, line: Mapping[str, Any]) -> dict[str, Any]:
    return {"event_id": event, "ts": _instant(line["ts"]), "message": str(line["message"])}


def _step(step: Step) -> dict[str, Any]:
    first = step.first
    return {
        "depth": step.depth,
        "says": first.label or first.kind,
        "count": step.count,
        "ts": _instant(first.ts),
        "rules": step.rules,
        "because": step.because,
        "confidence": step.confidence,
    }


def _instant(ts: Any) -> str | None:
    """A time of a result, in UTC."""
    return None if ts is None or pd.isna(ts) else f"{pd.Timestamp(ts).isoformat(timespec='milliseconds')}+00:00"


def schema() -> dict[str, Any]:
    """The JSON Schema of the output of `explain --json`."""
    return {
        "$schema": _NAME,
        "$id": "explain.schema.json",
        "title": "The output of kafka-replay explain --json",
        "description": "One object. Times are ISO 8601; those of lines without a zone are read as UTC. `where` is file:line.",
        "oneOf": [
            _with_kind("lines", _of(Answer)),
            _with_kind("findings", _object({"findings": {"type": "array", "items": _of_finding()}})),
            _with_kind("meaning", _object({"name": _TEXT, "text": _STRINGS})),
        ],
    }


def _with_kind(kind: str, schema_: dict[str, Any]) -> dict[str, Any]:
    properties = {"kind": {"const": kind}, **schema_["properties"]}
    return {**schema_, "properties": properties, "required": list(properties)}


def _of_finding() -> dict[str, Any]:
    number = {"type": ["number", "null"]}
    maybe = {"type": ["string", "null"]}
    integer = {"type": "integer"}
    step = {"depth": integer, "says": _TEXT, "count": integer, "ts": _TIME}
    step |= {"rules": _TEXT, "because": _TEXT, "confidence": number}
    steps = {"type": "array", "items": _object(step)}
    line = _object({"event_id": _TEXT, "ts": _TIME, "message": _TEXT})
    return _object(
        {
            "finding_id": _TEXT,
            "code": maybe,
            "title": _TEXT,
            "summary": _TEXT,
            "severity": _TEXT,
            "role": _TEXT,
            "confidence": number,
            "incident_id": maybe,
            "start_ts": _TIME,
            "end_ts": _TIME,
            "partitions": _STRINGS,
            "lines": {"type": "array", "items": line},
            "causes": steps,
            "effects": steps,
            "missing": _STRINGS,
        }
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _of(type_: Any) -> dict[str, Any]:
    """The schema of a declared type; for a dataclass, of every field."""
    origin = get_origin(type_)
    if is_dataclass(type_):
        hints = get_type_hints(type_)
        described = (type_.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip()
        return {
            **_object({one.name: _of(hints[one.name]) for one in fields(type_)}),
            "description": " ".join(described.split()),
        }
    if origin in (tuple, list):
        return {"type": "array", "items": _of(get_args(type_)[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(get_args(type_)[1])}
    if origin in (Union, types.UnionType):
        (one,) = (arg for arg in get_args(type_) if arg is not type(None))
        inner = _of(one)
        return {**inner, "type": [inner["type"], "null"]}
    if type_ is datetime:
        return {"type": "string", "format": "date-time"}
    return {"type": {str: "string", int: "integer", bool: "boolean", float: "number"}[type_]}
