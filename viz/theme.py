"""One look for all figures: neutrals for light and dark, the color of a broker, of a severity, of a state.

Color never carries a meaning alone: brokers and states are also named in bars, legends and hovers. Red, amber and green
mean states only; severities are shades of gray, brokers are blue to violet. The eight broker colors keep a distance of
14 and more (CIE76) from each other and from `DANGER` for normal sight and under deuteranopia, protanopia and tritanopia
(Machado, Oliveira and Fernandes 2009); test_figures.py measures it.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import plotly.graph_objects as go

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

DANGER = "#C4002F"
BROKER_COLOURS = ("#5F24B2", "#0072B2", "#CC8FAD", "#292966", "#56B4E9", "#882255", "#8453DE", "#5C2EE6")
_PATTERNS = ("", ".", "x", "+", "-", "|")
NEUTRAL = "#8C96A1"  # readable on both papers

IN_SYNC_COLOURS: Mapping[str, str] = {
    "all in sync": "#BCCBD6",
    "some missing": "#F0B94D",
    "one in-sync replica": "#D96A1C",
    "below min.insync.replicas": DANGER,
    "no leader, ISR empty or unknown": "#7A0019",
}


@dataclass(frozen=True)
class BrokerColours:
    """Which color belongs to which broker: by id, so that it is the same in every chart of a page and, for small ids,
    on every page.

    Ids with the same slot move on to the next free one; from the ninth broker on the colors repeat with a pattern.
    """

    slots: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, broker_ids: Iterable[int]) -> BrokerColours:
        """Colours for these brokers."""
        slots: dict[int, int] = {}
        n = len(BROKER_COLOURS)
        for broker_id in sorted({int(b) for b in broker_ids if b is not None and b >= 0}):
            start = len(slots) // n * n  # this round of colours
            free = [slot for slot in range(start, start + n) if slot not in slots.values()]
            slots[broker_id] = start + broker_id % n if start + broker_id % n in free else free[0]
        return cls(slots)

    def fill(self, broker_id: int | None) -> str:
        """The broker's color; `NEUTRAL` for an unknown one, `DANGER` for -1."""
        if broker_id is None:
            return NEUTRAL
        return DANGER if broker_id < 0 else BROKER_COLOURS[self.slots.get(broker_id, broker_id) % len(BROKER_COLOURS)]

    def pattern(self, broker_id: int | None) -> str:
        """The pattern over it: none for the first eight brokers, hatched for -1."""
        if broker_id is None:
            return ""
        return "/" if broker_id < 0 else _PATTERNS[self.slots.get(broker_id, 0) // len(BROKER_COLOURS) % len(_PATTERNS)]

    def ink(self, broker_id: int | None) -> str:
        """Black or white, whichever is more readable on the broker's color."""
        return ink_on(self.fill(broker_id))


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` (WCAG 2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink_on(colour: str) -> str:
    """Near-black or white, whichever has more contrast on `colour`."""
    light = luminance(colour)
    return "#FFFFFF" if 1.05 / (light + 0.05) > (light + 0.05) / 0.056 else "#14181D"


def tinted(colour: str, opacity: float) -> str:
    """`#rrggbb` as rgba."""
    return f"rgba({int(colour[1:3], 16)},{int(colour[3:5], 16)},{int(colour[5:7], 16)},{opacity:g})"


def text(value: object) -> str:
    """Any text for a figure, escaped: Plotly reads labels and hovers as HTML, and log text may contain anything."""
    return html.escape(str(value), quote=False).replace("\n", " ")


def lines(*parts: str | None) -> str:
    """A hover of several lines; parts are escaped, the first is bold, None is left out."""
    escaped = [text(part) for part in parts if part]
    return "<br>".join([f"<b>{escaped[0]}</b>", *escaped[1:]]) if escaped else ""


def _template(ink: str, quiet: str, grid: str, axis: str, paper: str) -> go.layout.Template:
    line = dict(
        gridcolor=grid,
        linecolor=axis,
        zerolinecolor=grid,
        tickcolor=axis,
        tickfont=dict(color=quiet, size=11),
        title=dict(font=dict(color=quiet, size=12)),
    )
    return go.layout.Template(
        layout=dict(
            font=dict(family=FONT, size=12, color=ink),
            paper_bgcolor="rgba(0,0,0,0)",
            plot_bgcolor="rgba(0,0,0,0)",
            colorway=list(BROKER_COLOURS),
            xaxis=line,
            yaxis=line,
            hoverlabel=dict(bgcolor=paper, bordercolor=axis, align="left", font=dict(family=FONT, size=12, color=ink)),
            legend=dict(font=dict(color=quiet, size=11), bgcolor="rgba(0,0,0,0)"),
            annotationdefaults=dict(font=dict(color=ink, size=11)),
            modebar=dict(bgcolor="rgba(0,0,0,0)", color=quiet, activecolor=ink),
        )
    )


PAPER = _template(ink="#1B2127", quiet="#56616C", grid="#E7EAED", axis="#C3CAD1", paper="#FFFFFF")
NIGHT = _template(ink="#E3E7EB", quiet="#A3ADB7", grid="#2C333A", axis="#48525C", paper="#20262C")
