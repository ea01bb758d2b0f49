"""The causality graph as an SVG of the page: it fits the width, follows the light or dark theme, and every card and
arrow is a link.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd
from markupsafe import Markup

from viz import phrases as words
from viz.causality import (
    HARM,
    IMPLIED,
    Card,
    Graph,
    arrow_text,
    card_label,
    card_when,
    delay_text,
    is_elsewhere,
    layered,
    passing,
    places,
)
from viz.frames import by_key
from viz.markup import Evidence, keys, render

_CARD, _GAP = 196, 74  # pixels: width of a card, room for an arrow and its label
_ROW = 96
_PAD = 10
_LINE = 15
_CHARACTERS = 27  # per line of a card
_LOOKS = {"root": "root cause", "start": "no cause found", "harm": "harm", "step": "effect"}


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    height: float
    look: str
    title: list[str]
    small: list[str]
    link: str
    label: str
    keys: str


@dataclass(frozen=True)
class _Way:
    path: str
    x: float
    y: float
    rules: str
    delay: str
    link: str
    label: str


def causality_drawing(
    vertices: pd.DataFrame,
    edges: pd.DataFrame,
    evidence: Evidence,
    *,
    roots: Collection[str],
    root_lines: Collection[str],
) -> Markup:
    """The graph as SVG, causes left of their effects. `roots` are the ids of root causes, `root_lines` the events that
    prove them.

    All root causes look the same; a start that is not a root cause is drawn as one without a cause in these logs.
    """
    graph = layered(vertices, edges)
    spot = places(graph)
    columns, tallest = len(graph.columns), max((y for _, y in spot.values()), default=0) + 1
    boxes = [_box(card, spot[key], evidence, roots, root_lines) for key, card in graph.cards.items()]
    omitted = [words.counted(n, *what) for n, what in ((graph.left_out, ("event",)), (graph.implied, IMPLIED)) if n]
    shown = dict.fromkeys(box.look for box in boxes)
    return render(
        "causality.html.j2",
        boxes=boxes,
        ways=_ways(graph, spot, evidence),
        card=_CARD,
        line=_LINE,
        width=columns * _CARD + (columns - 1) * _GAP + 2 * _PAD,
        height=round(tallest * _ROW + 2 * _PAD),
        legend=[(look, meaning) for look, meaning in _LOOKS.items() if look in shown],
        untold=f"Not drawn: {words.listed(omitted)}." if omitted else "",
        description=f"{words.counted(len(boxes), 'card')} and {words.counted(len(graph.arrows), 'arrow')}, causes left of effects",
    )


def _x(column: float) -> float:
    return _PAD + column * (_CARD + _GAP)


def _y(row: float) -> float:
    return round(_PAD + (row + 0.5) * _ROW, 1)


def _box(
    card: Card,
    spot: tuple[float, float],
    evidence: Evidence,
    roots: Collection[str],
    root_lines: Collection[str],
) -> _Box:
    first = card.members[0]
    is_root = any(v.id in roots for v in card.members) or (
        card.is_root and any(set(v.evidence) & set(root_lines) for v in card.members)
    )
    harmful = first.kind in HARM
    look = "root" if is_root else "start" if card.is_root and not is_elsewhere(first) else "harm" if harmful else "step"
    title, *under = card_label(card)
    wrapped = words.wrapped(title, _CHARACTERS, 3)
    small = [words.shortened(part, 34) for part in (*under, card_when(card))]
    height = 14 + _LINE * len(wrapped) + 13 * len(small)
    proof = [e for v in card.members[:3] for e in v.evidence]
    labels = "; ".join(dict.fromkeys(v.label or v.kind or v.id for v in card.members[:4]))
    more = f"; and {words.counted(len(card.members) - 4, 'more event')}" if len(card.members) > 4 else ""
    return _Box(
        _x(spot[0]),
        round(_y(spot[1]) - height / 2, 1),
        height,
        look,
        wrapped,
        small,
        evidence.link(proof),
        labels + more,
        keys(
            topics=sorted({v.topic for v in card.members if v.topic}),
            brokers=[v.node_id for v in card.members],
        ),
    )


def _ways(graph: Graph, spot: dict[str, tuple[float, float]], evidence: Evidence) -> list[_Way]:
    """One path between two cards, whatever the number of rules that join them."""
    together = by_key(graph.arrows, lambda arrow: (arrow.src, arrow.dst))
    taken: list[tuple[float, float]] = []
    ways = []
    for (src, dst), some in together.items():
        first, last = spot[src], spot[dst]
        stops = [(_x(first[0]) + _CARD, _y(first[1]))]
        for column in range(int(first[0]) + 1, int(last[0])):
            x, y = spot[passing(src, dst, column)]
            stops += [(_x(x), _y(y)), (_x(x) + _CARD, _y(y))]
        stops.append((_x(last[0]) - 6, _y(last[1])))
        path = f"M{stops[0][0]:g},{stops[0][1]:g}"
        for (x0, y0), (x1, y1) in pairwise(stops):
            middle = (x0 + x1) / 2
            path += f" C{middle:g},{y0:g} {middle:g},{y1:g} {x1:g},{y1:g}"
        spot_x, spot_y = _free(stops[0], stops[1], taken)
        taken.append((spot_x, spot_y))
        edges = [e for arrow in some for e in arrow.edges]
        proof = [e for key in (dst, src) for e in graph.cards[key].members[0].evidence[:3]]
        ways.append(
            _Way(
                path,
                spot_x,
                spot_y,
                ", ".join(arrow.relation or "–" for arrow in some),
                delay_text(edges),
                evidence.link(proof),
                "; ".join(arrow_text(arrow) for arrow in some),
            )
        )
    return ways


def _free(
    start: tuple[float, float], end: tuple[float, float], taken: list[tuple[float, float]]
) -> tuple[float, float]:
    """A point on the path at which the label overlaps no other, half-way if possible."""
    places_ = []
    for t in (0.5, 0.62, 0.38, 0.74, 0.26):
        x = start[0] + (end[0] - start[0]) * t
        y = start[1] + (end[1] - start[1]) * t * t * (3 - 2 * t)
        places_.append((round(x, 1), round(y, 1)))
    free = [p for p in places_ if all(abs(p[0] - x) >= 64 or abs(p[1] - y) >= 27 for x, y in taken)]
    return (free or places_)[0]
