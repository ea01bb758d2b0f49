"""The dashboard over the incidents of a schema: `python -m pipelines.databricks_dashboard ops.incidents` writes it for another
schema than that of the bundle.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipelines.databricks_wheel import ROOT

FILE = ROOT / "notebooks" / "incidents.lvdash.json"
SCHEMA = "ops.incidents"

# By name of a dataset: its query. `{schema}` is the catalog and the schema.
QUERIES: Mapping[str, str] = {
    "incidents": """\
SELECT r.incident, i.severity, i.title, i.start_ts, i.end_ts, i.is_over, i.lost_committed, r.analyzed_ts
FROM {schema}.results AS r LEFT JOIN {schema}.incidents AS i ON i.incident = r.incident
ORDER BY coalesce(i.start_ts, r.analyzed_ts) DESC""",
    "not_over": """\
SELECT count(*) AS incidents_not_over FROM {schema}.incidents WHERE NOT coalesce(is_over, false)""",
    "lost": """\
SELECT incident, topic, sum(to_offset_low - from_offset) AS lost_offsets, count(*) AS ranges
FROM {schema}.losses WHERE verdict = 'PROVEN_LOSS' AND loss_class = 'committed'
GROUP BY incident, topic ORDER BY lost_offsets DESC""",
    "blocked": """\
SELECT incident, one.topic AS topic, one.acks_all_low_ms / 1000 AS at_least_seconds, one.acks_all_high_ms / 1000 AS at_most_seconds
FROM {schema}.incidents LATERAL VIEW explode(down) AS one WHERE one.acks_all_high_ms > 0
ORDER BY at_most_seconds DESC""",
    "faults": """\
SELECT date_trunc('WEEK', start_ts) AS week, code, count(*) AS faults
FROM {schema}.findings WHERE role = 'root_cause' AND severity NOT IN ('low', 'info') AND start_ts IS NOT NULL
GROUP BY date_trunc('WEEK', start_ts), code ORDER BY week""",
    "limits": """\
SELECT incident, kind, statement FROM {schema}.limits ORDER BY incident, kind""",
}


def dashboard(schema: str) -> dict[str, Any]:
    """The dashboard as Databricks stores it."""
    return {
        "datasets": [
            {
                "name": name,
                "displayName": name.replace("_", " "),
                "queryLines": query.format(schema=schema).splitlines(keepends=True),
            }
            for name, query in QUERIES.items()
        ],
        "pages": [{"name": "incidents", "displayName": "Kafka incidents", "layout": _widgets()}],
    }


def _widgets() -> list[dict[str, Any]]:
    incidents = ("incident", "severity", "title", "start_ts", "end_ts", "is_over", "lost_committed", "analyzed_ts")
    return [
        _widget("not_over", "Incidents that are not over", _counter("incidents_not_over"), (0, 0, 2, 3)),
        _widget("faults", "Root causes by week and code", _bars("week", "faults", "code", "temporal"), (2, 0, 4, 6)),
        _widget("incidents", "Incidents, the newest first", _table(incidents), (0, 6, 6, 7)),
        _widget(
            "lost",
            "Lost committed offsets (retries count each time)",
            _bars("topic", "lost_offsets", "incident"),
            (0, 13, 3, 6),
        ),
        _widget(
            "blocked",
            "Writes with acks=all blocked, at most, in seconds",
            _bars("topic", "at_most_seconds", "incident"),
            (3, 13, 3, 6),
        ),
        _widget(
            "limits", "What the logs of each incident lack", _table(("incident", "kind", "statement")), (0, 19, 6, 5)
        ),
    ]


def _widget(dataset: str, title: str, spec: dict[str, Any], place: tuple[int, int, int, int]) -> dict[str, Any]:
    fields = [{"name": name, "expression": f"`{name}`"} for name in _fields(spec["encodings"])]
    query = {"datasetName": dataset, "fields": fields, "disaggregated": True}
    return {
        "widget": {
            "name": dataset,
            "queries": [{"name": "main_query", "query": query}],
            "spec": {**spec, "frame": {"showTitle": True, "title": title}},
        },
        "position": dict(zip(("x", "y", "width", "height"), place, strict=True)),
    }


def _fields(encodings: Mapping[str, Any]) -> list[str]:
    """The columns that a widget shows."""
    if "columns" in encodings:
        return [str(one["fieldName"]) for one in encodings["columns"]]
    return [str(one["fieldName"]) for one in encodings.values()]


def _counter(value: str) -> dict[str, Any]:
    return {"version": 2, "widgetType": "counter", "encodings": {"value": {"fieldName": value, "displayName": value}}}


def _table(columns: Sequence[str]) -> dict[str, Any]:
    shown = [{"fieldName": name, "displayName": name.replace("_", " ")} for name in columns]
    return {"version": 1, "widgetType": "table", "encodings": {"columns": shown}}


def _bars(x: str, y: str, color: str, scale: str = "categorical") -> dict[str, Any]:
    return {
        "version": 3,
        "widgetType": "bar",
        "encodings": {
            "x": {"fieldName": x, "scale": {"type": scale}, "displayName": x},
            "y": {"fieldName": y, "scale": {"type": "quantitative"}, "displayName": y.replace("_", " ")},
            "color": {"fieldName": color, "scale": {"type": "categorical"}, "displayName": color},
        },
    }


def written(schema: str, file: Path = FILE) -> Path:
    """Write the dashboard of a schema to `file`, which the bundle names."""
    file.write_text(json.dumps(dashboard(schema), indent=1) + "\n", encoding="utf-8")
    return file


if __name__ == "__main__":
    print(written(sys.argv[1] if len(sys.argv) > 1 else SCHEMA))
