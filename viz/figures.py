"""Every figure of the page by the name that it has there, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from viz import frames
from viz.causality import causality_figure
from viz.high_watermarks import MOST_PARTITIONS, high_watermarks_figure, most_telling
from viz.isr import isr_figure
from viz.leader_epochs import leader_epochs_figure
from viz.report import _colours, _shades, _shown
from viz.summary import chosen

NAMES = ("leader-epochs", "isr", "high-watermarks", "causality")


def figures(tables: Mapping[str, pd.DataFrame], incident_id: str | None = None) -> dict[str, go.Figure]:
    """The figures for which there is something to draw, by name; `tables` as `viz.report.report` takes them.

    `incident_id` chooses the incident that is shown first; None takes the worst. Raises KeyError for one that is not
    there.
    """
    even = {name: frames.tidy(tables.get(name), name) for name in frames.COLUMNS}
    incident = chosen(even["incidents"], incident_id)
    told, colours = frames.recorded(even), _colours(even)
    end, shades, shown = told[1] if told else None, _shades(even["findings"], incident), _shown(told, incident)
    made = {}
    if not even["leader_epochs"].empty:
        made["leader-epochs"] = leader_epochs_figure(
            even["leader_epochs"],
            even["elections"],
            trace_end=end,
            shades=shades,
            colours=colours,
            shown=shown,
            partitions=frames.partitions(even, "leader_epochs")[1],
        )
    if not even["isr_spans"].empty:
        made["isr"] = isr_figure(
            even["isr_spans"],
            trace_end=end,
            shades=shades,
            shown=shown,
            partitions=frames.partitions(even, "isr_spans")[1],
        )
    telling, _ = most_telling(even["commit_bands"], even["losses"], even["truncations"], MOST_PARTITIONS)
    if telling:
        made["high-watermarks"] = high_watermarks_figure(
            even["commit_bands"],
            even["high_watermarks"],
            even["truncations"],
            even["losses"],
            telling,
            trace_end=end,
            shades=shades,
            colours=colours,
            shown=shown,
        )
    vertices = even["vertices"]
    own = vertices if incident is None else vertices[vertices.incident_id == incident.incident_id]
    if not own.empty:
        edges = even["edges"][even["edges"].src.isin(own.id) & even["edges"].dst.isin(own.id)]
        root = even["findings"][even["findings"].finding_id == (incident.root_finding_id if incident else None)]
        made["causality"] = causality_figure(own, edges, root_evidence=root.evidence.iloc[0] if len(root) else ())
    return made
