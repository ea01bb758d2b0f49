"""Every figure of the page by its name on the page, and the causality graph as a figure, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from viz import frames
from viz.causality import causality_figure, of_incident, with_sums
from viz.charts import charts
from viz.markup import Evidence
from viz.summary import chosen

NAMES = (
    "brokers",
    "metrics",
    "availability",
    "leader-epochs",
    "leader-epochs-internal",
    "isr",
    "isr-internal",
    "preferred-leaders",
    "high-watermarks",
    "replication-lag",
    "causality",
)


def figures(tables: Mapping[str, pd.DataFrame], incident_id: str | None = None) -> dict[str, go.Figure]:
    """The figures with something to draw, by name; `tables` as in `viz.report.report`.

    `incident_id` chooses the incident to show first; None takes the worst. Raises KeyError for an unknown incident.
    """
    even = frames.even(tables)
    incident = chosen(even["incidents"], incident_id)
    made = {chart.name: chart.figure for chart in charts(even, incident, Evidence(even["evidence"]))}
    vertices = even["vertices"]
    own, edges = of_incident(vertices, even["edges"], incident.incident_id if incident else None)
    if not own.empty:
        inside = own.incident_id if incident is None else [incident.incident_id]
        own, edges = with_sums(own, edges, frames.rows(even["findings"][even["findings"].incident_id.isin(inside)]))
        root = even["findings"][even["findings"].finding_id == (incident.root_finding_id if incident else None)]
        made["causality"] = causality_figure(own, edges, root_evidence=root.evidence.iloc[0] if len(root) else ())
    return made
