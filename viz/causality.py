"""Why it happened: the causality graph of one incident, root at the left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from viz import frames
from viz import phrases as words
from viz.theme import DANGER, NEUTRAL, PAPER, lines, text
from viz.timeline import empty

MOST_IN_A_RANK = 12
_ROW, _EDGE = 84, 12  # pixels of a card with the space below it; points of a curve
_CARD = (164, 240)  # pixels of its width: minimum, maximum
_GAP = 62  # pixels between two columns of cards, for the labels of the arrows
_PASSING = 0.3  # the share of a row that an arrow needs to pass a column
_PAGE = 1236
_TOP, _FOOT = 28, 26
IMPLIED = ("redundant edge", "redundant edges")
_SEPARATOR = "\x00"  # does not occur in ids
_LABEL = (46, 26)  # pixels that the label of an arrow needs
_INK = "#1B2127"
_CARDS = {
    "root": ("#FBE9E7", DANGER, 2.5),
    "start": ("#FFFFFF", "#1B2127", 1.5),
    "harm": ("#FDF1DF", "#C2500A", 1.5),
    "step": ("#EDF1F4", "#9DAEBB", 1.0),
}
_LAST = ("leaderless", "writes_refused")  # these last for a time; a card of them ends with the last that ends
HARM = frozenset(("loss", "unclean_election", "leaderless", "truncation", "writes_refused"))


@dataclass(frozen=True)
class Card:
    """Happenings drawn as one card: same kind, broker and nearest cause."""

    key: str
    members: tuple[Any, ...]
    rank: int
    is_root: bool


@dataclass(frozen=True)
class Arrow:
    """The edges of one relation between two cards."""

    src: str
    dst: str
    relation: str
    edges: tuple[Any, ...]


@dataclass(frozen=True)
class Graph:
    """The drawn graph: cards by rank from top to bottom, the arrows between them, and how much is left out."""

    cards: Mapping[str, Card]
    arrows: tuple[Arrow, ...]
    columns: tuple[tuple[str, ...], ...]  # per rank, keys of cards and of the places where an arrow passes
    left_out: int  # happenings
    implied: int  # edges that a chain of arrows implies


_BELOW_RIGHT = dict(
    x=1, y=0, xref="paper", yref="paper", xanchor="right", yanchor="top", yshift=-4, showarrow=False, font_size=11
)
_LOOK = dict(
    margin=dict(l=4, r=4, t=_TOP, b=_FOOT), showlegend=False, hovermode="closest", hoverdistance=14, dragmode=False
)


def causality_figure(vertices: pd.DataFrame, edges: pd.DataFrame, *, root_evidence: Collection[str] = ()) -> go.Figure:
    """The graph of the given vertices, causes left of their effects; each arrow shows its rule and delay, its hover
    the reason.

    A vertex without a cause is a root; with `root_evidence` only the vertices that share a line with it are marked as
    root causes. Vertices without edges are left out if others have some; similar vertices of several partitions (same
    kind, broker, nearest cause) become one card; an edge that a chain of arrows implies is not drawn. The layout
    depends only on the rows: rank is the longest path from a root, order within a rank is by the position of
    neighbors, then time, then id.
    """
    graph = layered(vertices, edges)
    if not graph.cards:
        return empty("No chain of causes was found.")
    ranks, tallest = len(graph.columns), max(map(_height, graph.columns))
    card = min(_CARD[1], max(_CARD[0], (_PAGE - 40 - _GAP * (ranks - 1)) // ranks))
    step = card + max(_GAP, min(150, (_PAGE - 40 - card * ranks) // max(1, ranks - 1)))
    width, height = step * (ranks - 1) + card + 40, round(_ROW * tallest) + _TOP + _FOOT
    spot = places(graph)
    half = (card / 2 + 4) / step

    figure = go.Figure()
    for arrow in graph.arrows:
        _add_arrow(figure, _route(arrow, spot, half))
    _add_reasons(figure, graph, spot, half, step)
    for key, shown in graph.cards.items():
        _add_card(figure, shown, spot[key], card, root_evidence)
    omitted = [words.counted(n, *what) for n, what in ((graph.left_out, ("event",)), (graph.implied, IMPLIED)) if n]
    if omitted:
        figure.add_annotation(_BELOW_RIGHT, text=f"Not drawn: {words.listed(omitted)}")
    figure.update_layout(_LOOK, template=PAPER, width=width, height=height)
    figure.update_xaxes(visible=False, fixedrange=True, range=[-half - 12 / step, ranks - 1 + half + 12 / step])
    figure.update_yaxes(visible=False, fixedrange=True, range=[tallest - 0.5, -0.5])
    return figure


_SUMS = ("F03",)  # codes of findings that sum up several faults: the faults are happenings, the sum is none
PART = "part"  # the relation between such a finding and its faults


def with_sums(
    vertices: pd.DataFrame, edges: pd.DataFrame, findings: Iterable[Any]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The vertices and edges of one incident, with a vertex for each finding that sums up several of its faults, such as a
    rolling restart, and an edge to each of them. A fault is part of the sum if the sum's evidence holds its lines.
    """
    own = [v for v in frames.rows(frames.tidy(vertices, "vertices")) if v.code is not None]
    added, joined = [], []
    for finding in findings:
        parts = [v for v in own if v.evidence and set(v.evidence) & set(finding.evidence)]
        if finding.code not in _SUMS or len(parts) < 2 or finding.finding_id in set(vertices.id):
            continue
        added.append(
            {
                "id": finding.finding_id,
                "kind": "rolling_restart",
                "code": finding.code,
                "ts": finding.start_ts,
                "began_low": finding.began_low,
                "began_high": finding.began_high,
                "label": f"{finding.code} {finding.title}",
                "incident_id": finding.incident_id,
                "evidence": list(finding.evidence),
            }
        )
        joined += [
            {
                "src": finding.finding_id,
                "dst": v.id,
                "relation": PART,
                "because": f"{v.label or v.id} was part of it",
                "confidence": 1.0,
                "delay_ms": None if v.ts is None else max(round((v.ts - finding.start_ts).total_seconds() * 1000), 0),
            }
            for v in parts
        ]
    if not added:
        return vertices, edges
    return _appended(vertices, added), _appended(edges, joined)


def _appended(frame: pd.DataFrame, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The frame with more rows; their other columns are null."""
    more = pd.DataFrame(rows).reindex(columns=frame.columns).astype(object)
    return pd.concat([frame.astype(object), more.where(more.notna(), None)], ignore_index=True)


ELSEWHERE = "of another incident"  # in place of the name of an incident other than the drawn one


def of_incident(
    vertices: pd.DataFrame, edges: pd.DataFrame, incident_id: str | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The vertices and edges of one incident, with the edges that join it to other incidents and the other ends of these; all of
    them without an incident.
    """
    if incident_id is None:
        return vertices, edges
    inside = set(vertices.id[vertices.incident_id == incident_id])
    has_ends = edges.src.isin(vertices.id) & edges.dst.isin(vertices.id)
    own = edges[has_ends & (edges.src.isin(inside) | edges.dst.isin(inside))]
    shown = vertices[vertices.id.isin(inside.union(own.src, own.dst))]
    return shown.assign(incident_id=shown.incident_id.where(shown.id.isin(inside), ELSEWHERE)), own


def is_elsewhere(vertex: Any) -> bool:
    """Whether a vertex belongs to another incident than the drawn one."""
    return bool(vertex.incident_id == ELSEWHERE)


def layered(vertices: pd.DataFrame, edges: pd.DataFrame) -> Graph:
    """The graph in ranks: cycles opened, similar happenings joined, crowded ranks cut to `MOST_IN_A_RANK`, implied
    arrows left out.
    """
    found = {v.id: v for v in frames.rows(frames.tidy(vertices, "vertices"))}
    joined = [
        e for e in frames.rows(frames.tidy(edges, "edges")) if e.src in found and e.dst in found and e.src != e.dst
    ]
    touched = {end for e in joined for end in (e.src, e.dst)}
    kept = {key: v for key, v in found.items() if key in touched} or found
    rank = _ranks(kept, [(e.src, e.dst) for e in joined])
    card_of, cards = _cards(kept, joined, rank)
    cards, dropped = _thinned(cards, {(card_of[e.src], card_of[e.dst]) for e in joined})
    between: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
    for e in joined:
        src, dst = card_of[e.src], card_of[e.dst]
        if src in cards and dst in cards and cards[src].rank < cards[dst].rank:
            between[src, dst, e.relation or ""].append(e)
    needed = _reduced({(src, dst) for src, dst, _ in between}, cards)
    arrows = tuple(Arrow(*key, tuple(some)) for key, some in sorted(between.items()) if key[:2] in needed)
    implied = sum(len(some) for key, some in between.items() if key[:2] not in needed)
    return Graph(cards, arrows, _columns(cards, arrows), len(found) - len(kept) + dropped, implied)


def _ranks(kept: Mapping[str, Any], pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Longest path from a root; if a cycle leaves no root, the earliest happening counts as the root."""
    causes: dict[str, set[str]] = {key: set() for key in kept}
    effects: dict[str, set[str]] = defaultdict(set)
    for src, dst in pairs:
        causes[dst].add(src)
        effects[src].add(dst)
    without_rank = {key: len(before) for key, before in causes.items()}
    earliest_first = sorted(kept, key=lambda key: _when(kept[key]))
    rank: dict[str, int] = {}
    still = iter(earliest_first)
    ready = [key for key in earliest_first if not causes[key]]
    while len(rank) < len(kept):
        ready = ready or [next(key for key in still if key not in rank)]
        following = []
        for key in ready:
            rank[key] = max((rank[cause] + 1 for cause in causes[key] if cause in rank), default=0)
            for effect in effects[key]:
                without_rank[effect] -= 1
                if not without_rank[effect] and effect not in rank:
                    following.append(effect)
        ready = following
    return rank


def _cards(
    kept: Mapping[str, Any], joined: Sequence[Any], rank: Mapping[str, int]
) -> tuple[dict[str, str], dict[str, Card]]:
    causes: dict[str, list[Any]] = defaultdict(list)
    for e in joined:
        if rank[e.src] < rank[e.dst]:
            causes[e.dst].append(kept[e.src])
    card_of: dict[str, str] = {}
    cards: dict[str, Card] = {}
    for level in sorted(set(rank.values())):
        alike: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
        for key in sorted((k for k in kept if rank[k] == level), key=lambda k: _when(kept[k])):
            v = kept[key]
            nearest = card_of[max(causes[key], key=_when).id] if causes[key] else None
            alike[(v.kind, v.node_id, nearest, is_elsewhere(v)) if v.topic is not None else (key,)].append(v)
        for members in alike.values():
            name = members[0].id
            cards[name] = Card(name, tuple(members), level, not causes[name])
            card_of.update({v.id: name for v in members})
    return card_of, cards


def _thinned(cards: Mapping[str, Card], pairs: Collection[tuple[str, str]]) -> tuple[dict[str, Card], int]:
    """At most `MOST_IN_A_RANK` cards per rank: those with the most neighbors, then the earliest. And how many
    happenings are left out.
    """
    neighbours: dict[str, int] = defaultdict(int)
    for src, dst in pairs:
        neighbours[src] += 1
        neighbours[dst] += 1
    kept: dict[str, Card] = {}
    for level in sorted({card.rank for card in cards.values()}):
        here = sorted(
            (c for c in cards.values() if c.rank == level), key=lambda c: (-neighbours[c.key], *_when(c.members[0]))
        )[:MOST_IN_A_RANK]
        kept.update({card.key: card for card in sorted(here, key=lambda c: _when(c.members[0]))})
    return kept, sum(len(card.members) for key, card in cards.items() if key not in kept)


def _reduced(pairs: Collection[tuple[str, str]], cards: Mapping[str, Card]) -> set[tuple[str, str]]:
    """The pairs without those that a chain of others implies (the transitive reduction)."""
    effects: dict[str, set[str]] = defaultdict(set)
    reached: dict[str, set[str]] = {}
    for src, dst in pairs:
        effects[src].add(dst)
    for key in sorted(cards, key=lambda key: -cards[key].rank):
        reached[key] = set().union(*({dst} | reached[dst] for dst in effects[key]))
    return {
        (src, dst) for src, dst in pairs if not any(dst in reached[other] for other in effects[src] if other != dst)
    }


def _columns(cards: Mapping[str, Card], arrows: Sequence[Arrow]) -> tuple[tuple[str, ...], ...]:
    """Each rank's cards and passing places in an order with few crossings: sweeps to the mean position of the
    neighbors.
    """
    levels = sorted({card.rank for card in cards.values()})
    position = {level: i for i, level in enumerate(levels)}
    columns: list[list[str]] = [[card.key for card in cards.values() if card.rank == level] for level in levels]
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for src, dst in sorted({(a.src, a.dst) for a in arrows}):
        way = [src]
        for i in range(position[cards[src].rank] + 1, position[cards[dst].rank]):
            way.append(passing(src, dst, i))
            columns[i].append(way[-1])
        for left, right in zip(way, [*way[1:], dst], strict=True):
            after[left].append(right)
            before[right].append(left)
    for _ in range(6):
        for i in range(len(columns) - 2, -1, -1):
            columns[i] = _by_mean(columns[i], columns[i + 1], after)
        for i in range(1, len(columns)):
            columns[i] = _by_mean(columns[i], columns[i - 1], before)
    return tuple(tuple(column) for column in columns)


def passing(src: str, dst: str, column: int) -> str:
    """The name of the place where the arrow from `src` to `dst` passes a column."""
    return _SEPARATOR.join((src, dst, str(column)))


def _by_mean(column: list[str], beside: list[str], neighbours: Mapping[str, list[str]]) -> list[str]:
    place = {key: i / max(1, len(beside) - 1) if len(beside) > 1 else 0.5 for i, key in enumerate(beside)}
    own = {key: i / max(1, len(column) - 1) if len(column) > 1 else 0.5 for i, key in enumerate(column)}
    mean = {
        key: sum(place[n] for n in near) / len(near)
        if (near := [n for n in neighbours.get(key, []) if n in place])
        else own[key]
        for key in column
    }
    return sorted(column, key=lambda key: round(mean[key], 9))


def places(graph: Graph) -> dict[str, tuple[float, float]]:
    tallest = max(map(_height, graph.columns))
    places: dict[str, tuple[float, float]] = {}
    for x, column in enumerate(graph.columns):
        y = (tallest - _height(column)) / 2 - 0.5
        for key in column:
            places[key] = (x, round(y + _height([key]) / 2, 4))
            y += _height([key])
    return places


def _height(column: Sequence[str]) -> float:
    """The height of a column in rows: one per card, less for a passing arrow."""
    return sum(_PASSING if _SEPARATOR in key else 1.0 for key in column)


def _route(arrow: Arrow, spot: Mapping[str, tuple[float, float]], half: float) -> tuple[list[float], list[float]]:
    """A path from card edge to card edge through the passing places, level where it touches a card."""
    first, last = spot[arrow.src], spot[arrow.dst]
    stops = [(first[0] + half, first[1])]
    for column in range(int(first[0]) + 1, int(last[0])):
        x, y = spot[passing(arrow.src, arrow.dst, column)]
        stops += [(x - half, y), (x + half, y)]
    stops.append((last[0] - half, last[1]))
    xs, ys = [], []
    for (x0, y0), (x1, y1) in pairwise(stops):
        for i in range(_EDGE + 1):
            t = i / _EDGE
            xs.append(round(x0 + (x1 - x0) * t, 4))
            ys.append(round(y0 + (y1 - y0) * t * t * (3 - 2 * t), 4))
    return xs, ys


def _add_arrow(figure: go.Figure, route: tuple[list[float], list[float]]) -> None:
    xs, ys = route
    figure.add_scatter(
        x=xs,
        y=ys,
        mode="lines+markers",
        line=dict(color=NEUTRAL, width=1.4),
        hoverinfo="skip",
        meta="arrow",
        marker=dict(symbol="triangle-right", color=NEUTRAL, size=[0] * (len(xs) - 1) + [9], line_width=0),
    )


def _add_reasons(
    figure: go.Figure, graph: Graph, spot: Mapping[str, tuple[float, float]], half: float, step: int
) -> None:
    """One mark for all arrows between two cards, on the path to their first stop: rules and delay beside it, the
    reasons in its hover.
    """
    if not graph.arrows:
        return
    together = frames.by_key(graph.arrows, lambda arrow: (arrow.src, arrow.dst))
    taken: list[tuple[float, float]] = []
    label, reasons = [], []
    for (src, dst), some in together.items():
        column = int(spot[src][0]) + 1
        to = spot[dst] if column == int(spot[dst][0]) else spot[passing(src, dst, column)]
        taken.append(_free_place(spot[src], to, half, step, taken))
        rules = ", ".join(arrow.relation or "–" for arrow in some)
        delay = delay_text([e for arrow in some for e in arrow.edges])
        label.append("<br>".join(text(part) for part in (rules, delay) if part))
        reasons.append("<br>".join(_reason(arrow) for arrow in some))
    figure.add_scatter(
        x=[x for x, _ in taken],
        y=[y for _, y in taken],
        mode="markers+text",
        text=label,
        textposition="top center",
        textfont=dict(size=10, shadow="auto"),
        hoverinfo="text",
        hovertext=reasons,
        meta="reasons",
        cliponaxis=False,
        marker=dict(symbol="circle", size=6, color="#FFFFFF", line=dict(color=NEUTRAL, width=1.4)),
    )


def _free_place(
    src: tuple[float, float], to: tuple[float, float], half: float, step: int, taken: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    """A point on the curve between two columns at which the label overlaps no other, half-way if possible."""
    x0, x1 = src[0] + half, to[0] - half
    places = [
        (round(x0 + (x1 - x0) * t, 4), round(src[1] + (to[1] - src[1]) * t * t * (3 - 2 * t), 4))
        for t in (0.5, 0.65, 0.35, 0.8, 0.2)
    ]
    free = [
        (x, y)
        for x, y in places
        if all(abs(x - p) * step >= _LABEL[0] or abs(y - q) * _ROW >= _LABEL[1] for p, q in taken)
    ]
    return (free or places)[0]


def _reason(arrow: Arrow) -> str:
    sure = sorted(e.confidence for e in arrow.edges if e.confidence is not None)
    confidence = (
        "unknown" if not sure else f"{sure[0]:.2f}" if sure[0] == sure[-1] else f"{sure[0]:.2f} to {sure[-1]:.2f}"
    )
    return lines(
        f"{arrow.relation}: {words.counted(len(arrow.edges), 'edge')}",
        *[part for e in arrow.edges[:3] for part in words.wrapped(e.because or "no reason given", 96, 4)],
        f"and {words.counted(len(arrow.edges) - 3, 'more edge')}" if len(arrow.edges) > 3 else None,
        f"confidence {confidence}, delay {words.delay(arrow.edges)}",
    )


def arrow_text(arrow: Arrow) -> str:
    """One arrow in plain text: its rule, its number of edges, the first reasons, its confidence."""
    reasons = [e.because or "no reason given" for e in arrow.edges[:3]]
    more = f", and {words.counted(len(arrow.edges) - 3, 'more edge')}" if len(arrow.edges) > 3 else ""
    sure = sorted(e.confidence for e in arrow.edges if e.confidence is not None)
    sureness = f", confidence {sure[0]:.2f}" + (f" to {sure[-1]:.2f}" if sure[0] != sure[-1] else "") if sure else ""
    return f"{arrow.relation or 'no rule'}: {'; '.join(reasons)}{more} (delay {words.delay(arrow.edges)}{sureness})"


def delay_text(edges: Sequence[Any]) -> str:
    """The delay of an arrow; nothing if no bound is known."""
    known = words.delay(edges)
    return "" if known == words.UNKNOWN else known


def _add_card(
    figure: go.Figure, card: Card, spot: tuple[float, float], width: int, root_evidence: Collection[str]
) -> None:
    first = card.members[0]
    is_the_root = card.is_root and (
        not root_evidence or any(set(v.evidence) & set(root_evidence) for v in card.members)
    )
    look = "root" if is_the_root else "start" if card.is_root else "harm" if first.kind in HARM else "step"
    fill, border, line = _CARDS[look]
    title, *under = card_label(card)
    bold = [f"<b>{text(part)}</b>" for part in words.wrapped(title, round((width - 16) / 7), 3)]
    small = [f"<span style='font-size:10px'>{text(part)}</span>" for part in [*under, card_when(card)]]
    body = "<br>".join([*bold, *small])
    figure.add_annotation(
        x=spot[0],
        y=spot[1],
        text=body,
        showarrow=False,
        align="left",
        width=width - 16,
        bgcolor=fill,
        bordercolor=border,
        borderwidth=line,
        borderpad=6,
        font=dict(color=_INK, size=11),
        name=look,
        hovertext=_card_hover(card),
        captureevents=True,
    )


def card_when(card: Card) -> str:
    """When a card's happenings were; if no line dates the beginning of one, the times between which it began."""
    first = card.members[0]
    if len(card.members) == 1:
        return words.began(first.began_low, first.began_high, first.ts, words.clock)
    if first.kind in _LAST and any(v.end_ts is None for v in card.members):
        return f"from {words.clock(first.ts)} on"
    until = _until(card)
    return words.clock(first.ts) if first.ts == until else f"{words.clock(first.ts)} to {words.clock(until)}"


def _until(card: Card) -> pd.Timestamp:
    """The last end of a card's happenings that last for a time, and of others the last time."""
    last = [v.ts for v in card.members if v.ts is not None]
    if card.members[0].kind in _LAST:
        last += [v.end_ts for v in card.members if v.end_ts is not None]
    return max(last, default=None)


def card_label(card: Card) -> list[str]:
    """The text of a card: the label of its happening, or the kind, number and partitions of several."""
    first = card.members[0]
    what = (first.kind or "event").replace("_", " ").replace("isr", "ISR")
    of_another = [ELSEWHERE] if is_elsewhere(first) else []
    if len(card.members) == 1:
        return [first.label or what, *of_another]
    names = _partitions(card)
    where = [words.shortened(words.at_most(names, 1), 28)] + (
        [] if first.node_id is None else [words.broker(first.node_id)]
    )
    return [f"{what[:1].upper()}{what[1:]}, {words.counted(len(names), 'partition')}", ", ".join(where), *of_another]


def _partitions(card: Card) -> list[str]:
    return list(dict.fromkeys(words.partition(v.topic, v.partition) for v in card.members))


def _card_hover(card: Card) -> str:
    first = card.members[0]
    if len(card.members) == 1:
        return lines(
            *words.wrapped(first.label or first.kind or "", 96, 4),
            card_when(card),
            words.at_most(first.evidence, 3),
        )
    return lines(
        ", ".join(card_label(card)),
        words.span(first.ts, _until(card)),
        *words.wrapped(words.at_most(_partitions(card), 12), 96, 4),
        *[part for v in card.members[:4] for part in words.wrapped(f"{words.clock(v.ts)} {v.label or ''}", 96, 2)],
        words.at_most(first.evidence, 2),
    )


def _when(v: Any) -> tuple[bool, pd.Timestamp, str]:
    return (v.ts is None, v.ts or pd.Timestamp(0), v.id)
