"""The solution, laid out by node and time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from pyspark.sql import Row
from pyspark.sql.types import (
    ArrayType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from replay.clocks.constraints import MARGIN_MS, Bound, Clock, Set, Solution, solved
from replay.clocks.zones import HOUR_MS
from replay.tables import CLOCK_OFFSETS
from replay.tables.clocks import ClockOffset

_SUMMER_GAP_MS = 300_000  # a jump back by an hour less so much is the end of daylight saving and a while without lines

# What `corrected` and `steps` need besides CLOCK_OFFSETS. `clock`: `lines` for a node's log lines, `records` for the
# CreateTime of the metadata records that it wrote as controller from `first_offset` on. `zone_from`: `given`,
# `printed` (by the node), `others` (as they have it), `assumed` (UTC). `last_ts`: the last line that is surely of the
# window before. A window but the first begins at `first_lines` of the files that show its begin, elsewhere after
# stamp `before`.
_FIRST_LINES = ArrayType(StructType([StructField("source_file", StringType()), StructField("line_number", LongType())]))

OFFSETS = StructType(
    [
        *CLOCK_OFFSETS.schema.fields,
        StructField("clock", StringType()),
        StructField("zone_from", StringType()),
        StructField("window", IntegerType()),
        StructField("before", LongType()),
        StructField("first_lines", _FIRST_LINES),
        StructField("first_offset", LongType()),
        StructField("step_ms", DoubleType()),
        StructField("last_ts", TimestampType()),
        StructField("evidence", ArrayType(StringType())),
    ]
)


def clock_offsets(evidence: Iterable[Row]) -> list[dict[str, object]]:
    """Rows of `OFFSETS`: each clock between two times it was set, its zone, its bounds against the reference, and
    what is taken off its stamps.

    `evidence` is the collected `clock_evidence`. Where no pair tells of the time after a clock was set back, the jump
    in its file is all that is known of it. A window begins at its first stamp, by the reference clock.
    """
    rows = list(evidence)
    terms = {row["a"]: ("r" + _owner(row["b"]), -row["at"]["a_wall"]) for row in rows if row["same"]}
    told = [row for row in rows if row["same"] is False]
    coarse = {
        ends
        for ends in {(row["a"], row["b"]) for row in told}
        if not any(row["fraction"] for row in told if (row["a"], row["b"]) == ends)
    }
    solution = solved(
        _bound(row, {clock: owner for clock, (owner, _) in terms.items()}, (row["a"], row["b"]) in coarse)
        for row in told
    )
    reference = int(_owner(solution.reference)) if solution.reference else None
    offsets = []
    for node in (row for row in rows if row["base"] is not None):
        offsets += _laid_out(_windows(node, solution.sets), node, solution, reference)
    for owner, first_offset in sorted(terms.values(), key=lambda term: term[1]):
        clock = solution.clocks.get(owner, Clock(0.0, "printed", None, None))
        offsets.append(
            _offset(int(_owner(owner)), "records", "UTC", clock, _correction(clock), reference)
            | {"window": 0, "first_offset": first_offset}
        )
    return offsets


def offsets_of_lines(offsets: Iterable[Mapping[str, object]]) -> list[ClockOffset]:
    """Those of `clock_offsets` that are of nodes' log lines. Returns `CLOCK_OFFSETS`."""
    return [
        CLOCK_OFFSETS.row_class(**{name: offset.get(name) for name in CLOCK_OFFSETS.schema.names})
        for offset in offsets
        if offset["clock"] == "lines"
    ]


def _owner(clock: str) -> str:
    return re.sub(r"^[a-z](-?\d*).*$", r"\1", clock)


def _bound(row: Row, owners: Mapping[str, str], coarse: bool) -> Bound:
    """A row of the evidence; where all stamps of the effect are whole seconds, they may have been cut to seconds."""
    at = row["at"]
    tightest = tuple(delay + (999 if coarse else 0) for delay in row["tightest"])
    a, b = owners.get(row["a"], row["a"]), owners.get(row["b"], row["b"])
    return Bound(a, b, tightest, row["pairs"], row["sure"], at["a_wall"], at["b_wall"], at["a_event"], at["b_event"])


@dataclass(frozen=True)
class _Window:
    """A clock between two times it was set: its name, its first stamp, the last one of before, and where it begins
    (nowhere special for the first).
    """

    clock: str
    first: int
    last: int | None = None
    before: int | None = None
    first_lines: tuple[tuple[str, int], ...] | None = None
    jump: int = 0
    evidence: tuple[str, ...] = ()


def _windows(node: Row, sets: tuple[Set, ...]) -> list[_Window]:
    """The windows of one node: between the turns that its files show, and the sets that only other nodes' lines show."""
    name = f"{node['base']}{node['node_id']}"
    windows = [_Window(f"{name}.0", node["first"])]
    for number, turn in enumerate(node["turns"] or (), start=1):
        shown = tuple((line["source_file"], line["line_number"]) for line in turn["first_lines"])
        windows.append(
            _Window(
                f"{name}.{number}",
                turn["after"],
                turn["before"],
                turn["before"],
                shown,
                min(0, turn["after"] - turn["before"]),
                tuple(turn["evidence"]),
            )
        )
    whole = []
    for window in windows:
        later = sorted((s for s in sets if s.clock.partition("+")[0] == window.clock), key=lambda s: s.before)
        whole += [
            window,
            *(
                _Window(
                    s.then,
                    int(s.after),
                    int(s.before),
                    int((s.before + s.after) / 2),
                    window.first_lines,
                    0,
                    s.evidence,
                )
                for s in later
            ),
        ]
    return whole


def _laid_out(windows: list[_Window], node: Row, solution: Solution, reference: int | None) -> list[dict[str, object]]:
    given = node["base"] == "g"
    unknown = Clock(
        solution.common_zone_ms or 0.0, "assumed" if solution.common_zone_ms is None else "others", None, None
    )
    offsets: list[dict[str, object]] = []
    last = Clock(0.0, "", None, None)
    correction = off_before = 0.0
    for number, window in enumerate(windows):
        clock = solution.clocks.get(window.clock, unknown)
        clock = replace(clock, zone_ms=0.0, zone_from="given") if given else clock
        if not number or (clock.low is not None and clock.high is not None):
            correction = _correction(clock)
        elif HOUR_MS - _SUMMER_GAP_MS <= -window.jump <= HOUR_MS:
            clock = replace(clock, zone_ms=last.zone_ms - HOUR_MS)
        else:
            correction = off_before + window.jump - clock.zone_ms
        last, off = clock, clock.zone_ms + correction
        start = _moment(window.first - off)
        if offsets:
            offsets[-1]["end_ts"] = start
        offsets.append(
            _offset(
                node["node_id"],
                "lines",
                node["zone"] if given else _zone_text(clock.zone_ms),
                clock,
                correction,
                reference,
            )
            | {
                "start_ts": start,
                "window": number,
                "before": window.before,
                "first_lines": _lines(window),
                "evidence": list(window.evidence),
            }
            | {
                "step_ms": off - off_before if number else None,
                "last_ts": None if window.last is None else _moment(window.last - off_before),
            }
        )
        off_before = off
    return offsets


def _moment(ms: float) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=ms)


def _lines(window: _Window) -> list[dict[str, object]] | None:
    return (
        None
        if window.first_lines is None
        else [{"source_file": file, "line_number": line} for file, line in window.first_lines]
    )


def _correction(clock: Clock) -> float:
    """What to take off: the middle of the bounds, or the only one, if they exclude that the clock was right."""
    if not ((clock.low is not None and clock.low > MARGIN_MS) or (clock.high is not None and clock.high < -MARGIN_MS)):
        return 0.0
    return (
        (clock.low + clock.high) / 2
        if clock.low is not None and clock.high is not None
        else next(b for b in (clock.low, clock.high) if b is not None)
    )


def _offset(
    node_id: int | None, clock_of: str, zone: str, clock: Clock, correction: float, reference: int | None
) -> dict[str, object]:
    """A row of `OFFSETS`, but for its window."""
    return {
        "node_id": node_id,
        "clock": clock_of,
        "zone": zone,
        "zone_from": clock.zone_from,
        "offset_low_ms": clock.low,
        "offset_high_ms": clock.high,
        "correction_ms": correction,
        "reference_node_id": reference,
    }


def _zone_text(ms: float) -> str:
    minutes = round(abs(ms) / 60_000)
    return "UTC" if minutes == 0 else f"{'-' if ms < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
