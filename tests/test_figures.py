"""Figures: a small frame in, what is drawn out. Tests read `figure.data` and `figure.layout`; how it looks is for the eye."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from replay.tables import TABLES
from tests.each import for_each
from tests.frames import at, frame, whole
from viz import overview
from viz import phrases as words
from viz.availability import availability_figure, closed_spans, ends_of_waits, writes_by_topic
from viz.brokers import brokers_figure
from viz.by_severity import SEVERITIES
from viz.causality import (
    MOST_IN_A_RANK,
    card_label,
    card_when,
    causality_figure,
    layered,
    of_incident,
    passing,
    with_sums,
)
from viz.charts import shades
from viz.findings import Finding
from viz.frames import COLUMNS, rows, tidy
from viz.high_watermarks import high_watermarks_figure, most_informative
from viz.isr import isr_figure, out_of_sync, spans_with_gaps, steps_of, sync_spans
from viz.leader_epochs import MOST_ROWS, absences, busiest, leader_epochs_figure
from viz.markup import source
from viz.preferred_leaders import off_preferred, preferred_leaders_figure
from viz.theme import (
    BROKER_COLOURS,
    DANGER,
    NIGHT,
    PAPER,
    BrokerColours,
    luminance,
)
from viz.timeline import Shade, over_time, part_of

END = at("10:01:00")
NASTY = "<script>alert(1)</script><b>&"


def traces(figure, meta):
    return [trace for trace in figure.data if trace.meta == meta]


def nothing(table):
    return pd.DataFrame(columns=list(COLUMNS[table]))


def notes(figure):
    return [note.text for note in figure.layout.annotations]


# --- frames ------------------------------------------------------------------------------------------------------------------------


def test_a_frame_reads_the_same_whatever_it_came_from():
    plain = whole(
        "isr_spans",
        pd.DataFrame(
            {"start_ts": [pd.Timestamp("2024-05-01 10:00:00")], "topic": ["orders"], "partition": [3], "isr": [[1, 2]]}
        ),
    )
    other = whole(
        "isr_spans",
        pd.DataFrame(
            {
                "extra": ["x"],
                "isr": [np.array([1, 2], dtype="int32")],
                "partition": [3.0],
                "topic": ["orders"],
                "start_ts": pd.to_datetime(["2024-05-01 12:00:00+02:00"]),
                "leader_id": [float("nan")],
            }
        ),
    )
    text = whole(
        "isr_spans",
        pd.DataFrame({"start_ts": ["2024-05-01T10:00:00Z"], "topic": ["orders"], "partition": [3], "isr": [(1, 2)]}),
    )
    one, two, three = (rows(tidy(f, "isr_spans")) for f in (plain, other, text))
    assert one == two == three
    assert (one[0].partition, one[0].isr, one[0].start_ts, one[0].leader_id, one[0].evidence) == (
        3,
        (1, 2),
        pd.Timestamp("2024-05-01 10:00:00"),
        None,
        (),
    )


def test_rows_that_lack_a_column_are_an_error_and_no_nulls():
    with pytest.raises(KeyError, match="isr_spans: no column replicas"):
        tidy(nothing("isr_spans").drop(columns="replicas").assign(topic=["orders"]), "isr_spans")


def test_rows_are_put_in_one_order():
    spans = frame(
        "isr_spans",
        """
        topic  | partition | start_ts | isr
        orders | 1         | 10:00:00 | 1,2
        orders | 0         | 10:00:05 | 1
        clicks | 2         | 10:00:00 | 2
        orders | 0         | 10:00:00 | 2,1 """,
    )
    assert [(r.topic, r.partition, r.isr) for r in rows(tidy(spans, "isr_spans"))] == [
        ("clicks", 2, (2,)),
        ("orders", 0, (2, 1)),
        ("orders", 0, (1,)),
        ("orders", 1, (1, 2)),
    ]
    pd.testing.assert_frame_equal(tidy(spans, "isr_spans"), tidy(spans.iloc[::-1], "isr_spans"))


def test_frames_put_together_keep_each_row_once():
    one = frame("truncations", "topic | partition | ts | node_id\n orders | 0 | 10:00:00 | 1")
    assert [r.node_id for r in rows(tidy(pd.concat([one, one.assign(node_id=2)]), "truncations"))] == [1, 2]


@for_each("table", sorted(COLUMNS))
def test_an_empty_table_has_all_columns(table):
    for given in (None, pd.DataFrame(), nothing(table)):
        assert list(tidy(given, table).columns) == list(COLUMNS[table])
        assert rows(tidy(given, table)) == []


def test_the_columns_read_are_those_of_the_contract():
    contract = {t.name: {c.name for c in t.columns} for t in TABLES}
    given_besides = {("isr_spans", "min_isr"), ("violations", "states"), ("violations", "means"), ("violations", "act")}
    given_besides |= {("findings", f"{what}_{end}") for what in ("began", "ended") for end in ("low", "high")}
    given_besides |= {("incidents", f"blocked_{a}_{end}_ms") for a in ("all", "one") for end in ("min", "max")}
    # Cuts of events, how much was cut, and what nodes, topics and the program say of themselves.
    made = {"evidence", "context", "totals", "node_facts", "topic_settings", "glossary"}
    may_be_missing = {"availability"}
    for table, columns in COLUMNS.items():
        if table not in made and not (table in may_be_missing and table not in contract):
            assert {(table, c) for c in columns} - {(table, c) for c in contract[table]} <= given_besides
    assert set(COLUMNS["evidence"]) - {"tells"} <= contract["events"]


# --- theme -------------------------------------------------------------------------------------------------------------------------

SIGHTS = {  # Machado, Oliveira and Fernandes 2009, severity 1
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(colour, sight):
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    ]
    red, green, blue = (min(1, max(0, sum(a * b for a, b in zip(line, linear, strict=True)))) for line in SIGHTS[sight])
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("sight", SIGHTS)
def test_broker_colours_differ_for_every_sight(sight):
    for one, other in combinations([*BROKER_COLOURS, DANGER], 2):
        assert math.dist(lab(one, sight), lab(other, sight)) >= 14, (one, other)


@pytest.mark.parametrize("ids", [[1, 2, 3], [0, 100, 200, 300], [1001, 1002, 1003], [8, 16, 24], list(range(40))])
def test_every_broker_of_a_cluster_has_its_own_look(ids):
    colours = BrokerColours.of(ids)
    looks = {(colours.fill(b), colours.pattern(b)) for b in ids}
    assert len(looks) == len(ids)
    assert colours == BrokerColours.of([*reversed(ids), *ids, -1])


def test_a_small_broker_id_has_the_same_colour_on_every_page():
    assert BrokerColours.of([1, 2, 3]).fill(2) == BrokerColours.of([2, 5, 7]).fill(2) == BrokerColours().fill(2)


def test_words_on_a_bar_can_be_read():
    colours = BrokerColours.of(range(8))
    for broker in range(8):
        light, dark = sorted((luminance(colours.fill(broker)), luminance(colours.ink(broker))), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, broker


def test_every_severity_has_a_colour_and_both_papers_the_same_parts():
    light, dark = source("report.css").split("color-scheme: dark", 1)
    for style, is_dark in ((light, False), (dark, True)):
        shades = [re.search(rf"--{severity}: (#\w{{6}})", style)[1] for severity in SEVERITIES]
        assert shades == sorted(set(shades), key=luminance, reverse=is_dark)
        assert all(max(rgb) - min(rgb) < 32 for rgb in (bytes.fromhex(shade[1:]) for shade in shades))  # gray
    assert PAPER.to_plotly_json()["layout"].keys() == NIGHT.to_plotly_json()["layout"].keys()


# --- leader epochs -----------------------------------------------------------------------------------------------------------------

EPOCHS = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts   | epoch_start_offset | elected_from | reason     | confidence | evidence
    orders | 0         | 0            | 1         | 10:00:00 | 10:00:20 | 0                  |              | created    | observed   | s:1
    orders | 0         | 1            | -1        | 10:00:20 | 10:00:24 |                    |              | leaderless | observed   | s:2
    orders | 0         | 2            | 2         | 10:00:24 |          | 293                | any_replica  | election   | observed   | s:3
    orders | 1         | 0            | 2         | 10:00:00 |          | 0                  |              | created    | inferred   | s:4 """
ELECTED = """
    topic  | partition | leader_epoch | ts       | old_leader_id | new_leader_id | elected_from | trigger        | leaderless_ms | evidence
    orders | 0         | 2            | 10:00:24 | 1             | 2             | any_replica  | broker_failure | 4000          | s:3 """


def led(**kwargs):
    return leader_epochs_figure(frame("leader_epochs", EPOCHS), frame("elections", ELECTED), trace_end=END, **kwargs)


def test_a_leader_epoch_is_a_bar_in_its_leaders_colour():
    figure = led()
    bars = {trace.name: trace for trace in traces(figure, "leader")}
    assert list(bars) == ["broker 1", "broker 2"]
    assert [(b, x, y) for t in bars.values() for b, x, y in zip(t.base, t.x, t.y, strict=True)] == [
        ("2024-05-01 10:00:00.000", 20_000, 0),
        ("2024-05-01 10:00:24.000", 36_000, 0),  # open: runs to the end of the trace
        ("2024-05-01 10:00:00.000", 60_000, 1),
    ]
    assert bars["broker 1"].marker.color == BrokerColours.of([1, 2]).fill(1) != bars["broker 2"].marker.color
    assert list(figure.layout.yaxis.ticktext) == ["orders-0", "orders-1"]


def test_an_epochs_hover_shows_its_numbers_and_its_line():
    told = traces(led(), "leader")[1].hovertext[0]
    for part in (
        "orders-0",
        "broker 2",
        "leader epoch 2",
        "10:00:24.000",
        "starts at offset 293",
        "from outside the ISR (unclean)",
        "s:3",
    ):
        assert part in told


def test_time_without_a_leader_is_hatched_and_marked():
    bar, mark = traces(led(), "leaderless")
    assert (bar.marker.pattern.shape, bar.marker.color, list(bar.x)) == ("/", DANGER, [4_000])
    assert list(mark.x) == list(bar.base) == ["2024-05-01 10:00:20.000"]


def test_an_unclean_election_bears_a_mark():
    figure = led()
    (mark,) = traces(figure, "unclean_election")
    assert (list(mark.x), list(mark.y), mark.marker.symbol) == (["2024-05-01 10:00:24.000"], [0], "diamond")
    assert "unclean election at leader epoch 2" in mark.hovertext[0]
    assert "broker 1 → broker 2" in mark.hovertext[0]
    assert traces(figure, "election") == []


def test_of_many_partitions_those_in_trouble_are_drawn_and_the_rest_counted():
    calm = [("calm", p, 0, 1, at("10:00:00"), None) for p in range(300)]
    hurt = [
        ("hurt", 7, e, leader, at(f"10:00:{e:02d}"), at(f"10:00:{e + 1:02d}")) for e, leader in enumerate([1, -1, 2])
    ]
    epochs = whole(
        "leader_epochs",
        pd.DataFrame(calm + hurt, columns=["topic", "partition", "leader_epoch", "leader_id", "start_ts", "end_ts"]),
    )
    epochs["start_ts"] += pd.to_timedelta(range(len(epochs)), unit="ms")  # no two have the same history
    figure = leader_epochs_figure(epochs, nothing("elections"), trace_end=END)
    assert len(figure.layout.yaxis.ticktext) == MOST_ROWS
    assert figure.layout.yaxis.ticktext[0] == "hurt-7"  # the topic in trouble comes first
    assert part_of(figure) == "Drawn: 40 of 301 partitions, those with the most events."
    more = leader_epochs_figure(epochs, nothing("elections"), trace_end=END, partitions=1_000)
    assert part_of(more) == "Drawn: 40 of 1,000 partitions, those with the most events."


def test_of_many_partitions_those_with_the_same_history_share_a_row():
    rows = [("calm", p, 0, 1 + p % 2, at("10:00:00"), None) for p in range(300)] + [
        ("hurt", 7, 0, -1, at("10:00:00"), None)
    ]
    epochs = whole(
        "leader_epochs",
        pd.DataFrame(rows, columns=["topic", "partition", "leader_epoch", "leader_id", "start_ts", "end_ts"]),
    )
    figure = leader_epochs_figure(epochs, nothing("elections"), trace_end=END)
    assert list(figure.layout.yaxis.ticktext) == ["hurt-7", "calm-0 and 149 alike", "calm-1 and 149 alike"]
    assert part_of(figure) == ""


def test_a_bar_is_cut_where_the_first_range_begins_so_that_its_words_are_in_sight():
    (first, *_) = traces(led(shown=(at("10:00:10"), at("10:00:30"))), "leader")
    assert list(zip(first.base, first.x, strict=True)) == [
        ("2024-05-01 10:00:00.000", 10_000),
        ("2024-05-01 10:00:10.000", 10_000),
    ]
    assert set(first.text) == {"broker 1"}


def test_nothing_to_draw_is_said():
    assert notes(leader_epochs_figure(nothing("leader_epochs"), nothing("elections"), trace_end=None)) == [
        "These logs show no leader epoch."
    ]


def test_text_from_logs_is_escaped_in_every_figure():
    def nasty(table, text):
        return frame(table, text).assign(topic=NASTY, evidence=[[NASTY]])

    epochs = nasty("leader_epochs", "partition | leader_epoch | leader_id | start_ts\n 0 | 0 | 1 | 10:00:00").assign(
        reason=NASTY
    )
    spans = nasty("isr_spans", "partition | leader_epoch | start_ts | isr\n 0 | 0 | 10:00:00 | 1,2").assign(
        confidence=NASTY
    )
    bands = frame(
        "commit_bands", "partition | start_ts | committed_low | committed_high\n 0 | 10:00:00 | 1 | 2"
    ).assign(topic=NASTY, low_evidence=[[NASTY]])
    anchors = nasty("high_watermarks", "partition | node_id | ts | high_watermark\n 0 | 1 | 10:00:00 | 1").assign(
        source=NASTY
    )
    lost = nasty(
        "losses",
        "partition | ts | from_offset | to_offset_low | to_offset_high | verdict\n 0 | 10:00:01 | 1 | 2 | 2 | PROVEN_LOSS",
    ).assign(premise=NASTY)
    cuts = nasty(
        "truncations", "partition | node_id | ts | log_end_offset | truncation_offset\n 0 | 1 | 10:00:00 | 2 | 1"
    )
    vertices = whole(
        "vertices",
        pd.DataFrame(
            {"id": ["a", "b"], "ts": [at("10:00:00")] * 2, "label": NASTY, "kind": NASTY, "evidence": [[NASTY], []]}
        ),
    )
    edges = whole(
        "edges",
        pd.DataFrame(
            {"src": ["a"], "dst": ["b"], "relation": [NASTY], "because": [NASTY], "confidence": [1.0], "delay_ms": [5]}
        ),
    )
    shades = [Shade(at("10:00:00"), None, NASTY, DANGER)]
    for figure in (
        leader_epochs_figure(epochs, nothing("elections"), trace_end=END, shades=shades),
        drawn_isr(spans, shades=shades),
        high_watermarks_figure(bands, anchors, cuts, lost, [(NASTY, 0)], trace_end=END, shades=shades),
        causality_figure(vertices, edges),
    ):
        bare = json.loads(figure.to_json())
        bare["layout"].pop("meta", None)  # what a filter knows rows by, and what a mark opens: never drawn
        for trace in bare["data"]:
            trace.pop("customdata", None)
        drawn = json.dumps(bare).replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u002f", "/")
        assert "<script" not in drawn
        assert "&lt;script&gt;" in drawn


# --- faults ------------------------------------------------------------------------------------------------------------------------


def time_figures(shades):
    spans = frame("isr_spans", "topic | partition | leader_epoch | start_ts | isr\n orders | 0 | 0 | 10:00:00 | 1,2")
    bands = frame(
        "commit_bands", "topic | partition | start_ts | committed_low | committed_high\n orders | 0 | 10:00:00 | 1 | 2"
    )
    rest = [nothing(t) for t in ("high_watermarks", "truncations", "losses")]
    shown = (at("09:59:00"), at("10:02:00"))
    return [
        led(shades=shades, shown=shown),
        drawn_isr(spans, shades=shades, shown=shown),
        high_watermarks_figure(bands, *rest, [("orders", 0)], trace_end=END, shades=shades, shown=shown),
    ]


def test_a_fault_is_shaded_in_every_chart_at_the_same_place():
    shades = [
        Shade(at("10:00:05"), at("10:00:30"), "Broker 1 was killed", "#C2500A"),
        Shade(at("10:00:20"), None, "Broker 2 was killed", DANGER),
    ]
    for figure in time_figures(shades):
        tints = [s for s in figure.layout.shapes if s.type == "rect" and (s.y0, s.y1) == (0, 1)]
        assert [(s.x0, s.x1) for s in tints] == [
            ("2024-05-01 10:00:05.000", "2024-05-01 10:00:30.000"),
            ("2024-05-01 10:00:20.000", "2024-05-01 10:01:00.000"),  # goes on: to the end of the trace
        ]
        assert {"Broker 1 was killed", "Broker 2 was killed"} <= set(notes(figure))
        margins = figure.layout.margin
        assert (margins.l, margins.r, list(figure.layout.xaxis.range)) == (
            208,
            22,
            ["2024-05-01 09:59:00.000", "2024-05-01 10:02:00.000"],
        )


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (
            ("10:00:05", "10:00:10", "10:00:20", "10:00:30"),
            [("10:00:05", "10:00:30", 0.3), ("10:00:10", "10:00:20", 0.85)],
        ),
        (("10:00:05", "10:00:15", "10:00:15", "10:00:15"), [("10:00:05", "10:00:15", 0.3)]),
        (("10:00:05", "10:00:25", "10:00:15", "10:00:35"), [("10:00:05", "10:00:35", 0.3)]),
        (("10:00:05", "10:00:10", "10:00:20", None), [("10:00:05", "10:01:00", 0.3), ("10:00:10", "10:00:20", 0.85)]),
        (("10:00:05", "10:00:10", None, None), [("10:00:05", "10:01:00", 0.3), ("10:00:10", "10:01:00", 0.85)]),
        (("10:00:05", "10:00:05", "10:00:20", "10:00:20"), [("10:00:05", "10:00:20", 0.85)]),
        ((None, None, None, None), [("10:00:12", "10:00:18", 0.85)]),
    ],
    ids=[
        "both bounded",
        "known by the next start",
        "no time is certain",
        "no end shown",
        "it lasts",
        "exact",
        "no bounds",
    ],
)
def test_a_fault_is_drawn_between_its_bounds_and_solid_only_where_it_is_certain(bounds, expected):
    """The hover text, the strip, the tint behind the rows and the small timeline have the same times."""
    low, high, end_low, end_high = bounds
    start, end = (high or "10:00:12"), (end_high or ("" if high else "10:00:18"))
    text = f"""
        finding_id | role       | severity | code | title         | broker_ids | start_ts | end_ts | began_low    | began_high   | ended_low       | ended_high
        a          | root_cause | high     | F06  | Broker 3 died | 3          | {start}  | {end}  | {low or ""}  | {high or ""} | {end_low or ""} | {end_high or ""}"""
    found = tidy(frame("findings", text), "findings")
    (shade,) = shades({"findings": found, "glossary": nothing("glossary")}, None).shown
    figure = over_time(go.Figure(), plot_height=100, trace_end=END, shades=[shade])
    bars = [s for s in figure.layout.shapes if s.type == "rect" and s.y0 > 1]
    assert [(s.x0[11:19], s.x1[11:19], float(s.fillcolor.split(",")[3][:-1])) for s in bars] == expected
    tints = [s for s in figure.layout.shapes if s.type == "rect" and (s.y0, s.y1) == (0, 1)]
    assert [(s.x0, s.x1) for s in tints] == [(s.x0, s.x1) for s in bars]
    (name,) = [note.hovertext for note in figure.layout.annotations]
    assert all(known in name for known in bounds if known)
    minute = (at("10:00:00"), END)
    told = overview.of_incident({name: nothing(name) for name in COLUMNS}, rows(found), minute, "#{}".format)
    seconds = [(round(m.left * 0.6), round((m.left + m.width) * 0.6), "perhaps" in m.look) for m in told.lanes[0].marks]
    assert seconds == [(int(s[-2:]), int(e[-2:]) or 60, fill < 0.5) for s, e, fill in expected]


def test_a_fault_that_only_its_restart_shows_began_by_then():
    """Recorded (3.9.1, logs from after the faults): the first line after a kill is not the time of the kill."""
    text = """
        finding_id | role       | severity | code | title         | broker_ids | start_ts | end_ts   | began_low | began_high | ended_low | ended_high
        killed/3/x | root_cause | high     | F01  | Broker 3 died | 3          | 10:00:08 | 10:00:08 |           | 10:00:08   | 10:00:08  | 10:00:08   """
    found = tidy(frame("findings", text), "findings")
    (shade,) = shades({"findings": found, "glossary": nothing("glossary")}, None).shown
    figure = over_time(go.Figure(), plot_height=100, trace_end=END, shades=[shade])
    (name,) = [note.hovertext for note in figure.layout.annotations]
    assert "began by 2024-05-01 10:00:08.000" in name and "its process had started again by 10:00:08.000" in name


def test_more_faults_than_lanes_are_all_shaded_and_the_rest_counted():
    shades = [Shade(at(f"10:00:{i:02d}"), at("10:00:50"), f"fault {i}", DANGER) for i in range(9)]
    for figure in time_figures(shades):
        assert len([s for s in figure.layout.shapes if (s.y0, s.y1) == (0, 1) and s.type == "rect"]) == 9
        assert "3 more faults shaded, not named" in notes(figure)


def test_faults_of_one_name_share_a_lane():
    shades = [Shade(at(f"10:00:{i}0"), at(f"10:00:{i}5"), "Pause, broker 1", DANGER) for i in range(4)]
    shades.append(Shade(at("10:00:20"), None, "Broker 2 was killed", DANGER))
    for figure in time_figures(shades):
        bars = [s for s in figure.layout.shapes if s.type == "rect" and s.y0 > 1]
        assert len(bars) == 5 and len({s.y0 for s in bars}) == 2
        assert [n for n in notes(figure) if n in ("Pause, broker 1", "Broker 2 was killed")].count(
            "Pause, broker 1"
        ) == 1


# --- ISR ---------------------------------------------------------------------------------------------------------------------------


def isr(text):
    return drawn_isr(frame("isr_spans", text))


def drawn_isr(spans, **given):
    held = rows(tidy(spans, "isr_spans").dropna(subset=["start_ts", "topic", "partition"]))
    return isr_figure(spans, steps_of(held, END), trace_end=END, **given)


def states(figure):
    """State of each bar, by row and start."""
    return {
        (figure.layout.yaxis2.ticktext[y], base[11:19]): trace.name
        for trace in traces(figure, "spans")
        for y, base in zip(trace.y, trace.base, strict=True)
    }


def test_a_span_shows_how_many_replicas_are_in_sync():
    figure = isr("""
        topic  | partition | leader_epoch | start_ts | end_ts   | isr   | replicas
        orders | 0         | 0            | 10:00:00 | 10:00:10 | 1,2,3 | 1,2,3
        orders | 0         | 0            | 10:00:10 | 10:00:20 | 1,3   | 1,2,3
        orders | 0         | 0            | 10:00:20 |          | 1     | 1,2,3 """)
    assert states(figure) == {
        ("orders-0", "10:00:00"): "all in sync",
        ("orders-0", "10:00:10"): "some missing",
        ("orders-0", "10:00:20"): "one in-sync replica",
    }
    assert [text for trace in traces(figure, "spans") for text in trace.text] == [
        "3 of 3 [1,2,3]",
        "2 of 3 [1,3]",
        "1 of 3 [1]",
    ]
    assert "not in it: 2" in traces(figure, "spans")[1].hovertext[0]


def test_one_copy_is_counted_as_such_also_where_it_breaks_min_isr():
    figure = isr("""
        topic  | partition | leader_epoch | start_ts | end_ts   | isr   | min_isr
        orders | 0         | 0            | 10:00:00 | 10:00:10 | 1,2,3 | 2
        orders | 0         | 0            | 10:00:10 | 10:00:20 | 1     | 2
        clicks | 0         | 0            | 10:00:00 | 10:00:10 | 1,2,3 | 3
        clicks | 0         | 0            | 10:00:10 | 10:00:20 | 1,2   | 3 """)
    assert {trace.name: max(trace.y) for trace in traces(figure, "steps")} == {
        "under-replicated": 2,
        "with one in-sync replica or none": 1,
        "below min.insync.replicas": 2,
    }


def test_min_isr_is_judged_only_where_it_is_known():
    figure = isr("""
        topic  | partition | leader_epoch | start_ts | end_ts   | isr   | min_isr
        orders | 0         | 0            | 10:00:00 | 10:00:10 | 1,2,3 | 2
        orders | 0         | 0            | 10:00:10 |          | 1     | 2
        clicks | 0         | 0            | 10:00:00 | 10:00:10 | 1,2,3 |
        clicks | 0         | 0            | 10:00:10 | 10:00:20 | 1     |
        clicks | 0         | 0            | 10:00:20 |          | []    |
        single | 0         | 0            | 10:00:00 |          | 1     | 2 """)
    assert states(figure) == {
        ("orders-0", "10:00:00"): "all in sync",
        ("orders-0", "10:00:10"): "below min.insync.replicas",
        ("clicks-0", "10:00:00"): "all in sync",
        ("clicks-0", "10:00:10"): "one in-sync replica",
        ("clicks-0", "10:00:20"): "below min.insync.replicas",  # an empty ISR is below any setting
        ("single-0", "10:00:00"): "all in sync",  # one replica: the setting counts at most the replicas
    }
    (breach,) = (t for t in traces(figure, "spans") if t.name == "below min.insync.replicas")
    assert (breach.marker.pattern.shape, breach.marker.color) == ("/", DANGER)


def test_steps_count_the_partitions_out_of_full_sync():
    figure = isr("""
        topic  | partition | leader_epoch | start_ts | end_ts   | isr
        orders | 0         | 0            | 10:00:00 | 10:00:10 | 1,2
        orders | 0         | 0            | 10:00:10 | 10:00:30 | 1
        orders | 0         | 0            | 10:00:30 |          | 1,2
        orders | 1         | 0            | 10:00:00 | 10:00:20 | 1,2
        orders | 1         | 0            | 10:00:20 |          | 1    """)
    steps = {
        trace.name: [(x[11:19], y) for x, y in zip(trace.x, trace.y, strict=True)] for trace in traces(figure, "steps")
    }
    assert steps["under-replicated"] == [
        ("10:00:00", 0),
        ("10:00:10", 1),
        ("10:00:20", 2),
        ("10:00:30", 1),
        ("10:01:00", 0),
    ]
    assert steps["with one in-sync replica or none"] == steps["under-replicated"]
    assert {trace.line.shape for trace in traces(figure, "steps")} == {"hv"}


def test_the_gap_of_a_leader_change_is_no_recovery():
    figure = isr("""
        topic  | partition | leader_epoch | start_ts     | end_ts       | isr   | replicas
        orders | 0         | 0            | 10:00:00     | 10:00:10     | 1     | 1,2
        orders | 0         | 2            | 10:00:10.020 | 10:00:20     | 2     | 1,2
        orders | 0         | 4            | 10:00:25     |              | 2     | 1,2 """)
    (steps,) = (t for t in traces(figure, "steps") if t.name == "with one in-sync replica or none")
    assert [(x[11:], y) for x, y in zip(steps.x, steps.y, strict=True) if x[11:] > "10:00:00.000"] == [
        ("10:00:10.020", 1),
        ("10:00:20.000", 0),  # five seconds are no leader change
        ("10:00:25.000", 1),
        ("10:01:00.000", 0),
    ]


def test_the_smallest_isrs_are_drawn_of_many():
    spans = whole(
        "isr_spans",
        pd.DataFrame(
            [("t", p, 0, at("10:00:00"), [1, 2, 3][: 1 if p == 250 else 3], [1, 2, 3]) for p in range(300)],
            columns=["topic", "partition", "leader_epoch", "start_ts", "isr", "replicas"],
        ),
    )
    assert list(drawn_isr(spans).layout.yaxis2.ticktext) == ["t-0 and 298 alike", "t-250"]
    spans["start_ts"] += pd.to_timedelta(range(300), unit="ms")  # no two have the same history
    figure = drawn_isr(spans)
    assert "t-250" in figure.layout.yaxis2.ticktext
    assert part_of(figure) == "Drawn: 40 of 300 partitions, those with the most events."
    assert part_of(drawn_isr(spans, partitions=1_000)).startswith("Drawn: 40 of 1,000 partitions")


def test_a_time_without_a_leader_of_which_no_line_shows_the_isr_is_the_worst_state():
    """KIP-966: the last of the ISR was fenced, and no replica led until one was elected by hand."""
    told = {name: tidy(None, name) for name in COLUMNS}
    told["isr_spans"] = tidy(
        frame(
            "isr_spans",
            """
            topic  | partition | leader_epoch | start_ts | end_ts   | leader_id | isr   | replicas
            orders | 0         | 0            | 10:00:00 | 10:00:20 | 3         | 1,2,3 | 1,2,3
            orders | 0         | 0            | 10:00:20 | 10:00:30 | 3         | 3     | 1,2,3
            orders | 0         | 2            | 10:00:40 |          | 1         | 1     | 1,2,3 """,
        ),
        "isr_spans",
    )
    told["leader_epochs"] = tidy(
        frame(
            "leader_epochs",
            """
            topic  | partition | leader_epoch | start_ts | end_ts   | leader_id
            orders | 0         | 0            | 10:00:00 | 10:00:30 | 3
            orders | 0         | 1            | 10:00:30 | 10:00:40 | -1
            orders | 0         | 2            | 10:00:40 |          | 1 """,
        ),
        "leader_epochs",
    )
    spans = spans_with_gaps(told)
    figure = isr_figure(spans, out_of_sync(told, internal=False), trace_end=END)
    (none,) = (t for t in traces(figure, "spans") if t.name == "no leader, ISR empty or unknown")
    assert [(base[11:19], x) for base, x in zip(none.base, none.x, strict=True)] == [("10:00:30", 10_000)]
    (short,) = (t for t in traces(figure, "steps") if t.name == "under-replicated")
    assert set(short.y[1:-1]) == {1}  # not 0 while nobody leads
    assert [(look, f"{start:%M:%S}") for look, _, start, _ in sync_spans(told)] == [
        ("one", "00:20"),
        ("one", "00:40"),
        ("none", "00:30"),
    ]


# --- high watermarks ---------------------------------------------------------------------------------------------------------------

BANDS = """
    topic  | partition | start_ts | end_ts   | committed_low | committed_high | low_evidence
    orders | 0         | 10:00:00 | 10:00:10 | 0             | 600            | s:1
    orders | 0         | 10:00:10 | 10:00:20 | 293           | 2870           | s:2
    orders | 0         | 10:00:20 |          | 288           |                | s:3 """
ANCHORS = """
    topic  | partition | node_id | ts       | role   | high_watermark | log_end_offset | source       | evidence
    orders | 0         | 1       | 10:00:10 | leader | 293            | 600            | leader_start | s:2
    orders | 0         | 2       | 10:00:20 | leader | 288            |                | leader_start | s:3
    orders | 0         | 3       |          |        | 1640           |                | checkpoint   | s:9
    clicks | 0         | 3       | 10:00:20 |        | 7              |                | leader_start | s:8 """
CUTS = """
    topic  | partition | node_id | ts       | leader_epoch | log_end_offset | truncation_offset | evidence
    orders | 0         | 1       | 10:00:40 | 4            | 2870           | 293               | s:5 """
LOST = """
    topic  | partition | leader_epoch | ts       | loss_class     | verdict          | from_offset | to_offset_low | to_offset_high | premise   | evidence
    orders | 0         | 4            | 10:00:20 | committed      | PROVEN_LOSS      | 293         | 2784          | 2870           | alone     | s:3
    orders | 1         | 4            | 10:00:20 | committed      | POSSIBLE_LOSS    | 100         | 100           |                | unknown   | s:3
    orders | 2         | 4            | 10:00:55 | acked_possible | POSSIBLE_LOSS    | 145         | 145           | 313            | cut       | s:3
    clicks | 0         | 4            | 10:00:20 | committed      | NO_LOSS_OBSERVED | 570         | 570           | 570            | log ends  | s:3 """


def panels(*partitions):
    return high_watermarks_figure(
        frame("commit_bands", BANDS),
        frame("high_watermarks", ANCHORS),
        frame("truncations", CUTS),
        frame("losses", LOST),
        partitions,
        trace_end=END,
    )


def blocks(trace):
    """The rectangles of a trace: start, end, low, high."""
    corners = [[]]
    for x, y in zip(trace.x, trace.y, strict=True):
        if x is None:
            corners.append([])
        else:
            corners[-1].append((x, y))
    return [(c[0][0][11:19], c[1][0][11:19], c[0][1], c[2][1]) for c in corners if c], corners


def test_the_commit_band_is_drawn_in_blocks_and_never_sloped():
    figure = panels(("orders", 0))
    (band,), (unbounded,) = traces(figure, "band"), traces(figure, "unbounded")
    assert blocks(band)[0] == [("10:00:00", "10:00:10", 0, 600), ("10:00:10", "10:00:20", 293, 2870)]
    ((start, end, low, high),) = blocks(unbounded)[0]
    assert (start, end, low) == ("10:00:20", "10:01:00", 288)
    assert high > 2870  # above all that is known: no upper bound
    for trace in (
        band,
        unbounded,
        *traces(figure, "lost"),
        *traces(figure, "lost_at_most"),
        *traces(figure, "truncation"),
    ):
        for (x0, y0), (x1, y1) in pairwise(zip(trace.x, trace.y, strict=True)):
            assert None in (x0, x1) or x0 == x1 or y0 == y1


def test_what_replicas_logged_is_marked_in_their_colours():
    figure = panels(("orders", 0))
    told = {
        trace.name: list(zip(trace.x, trace.y, strict=True))
        for meta in ("high_watermark", "log_end_offset")
        for trace in traces(figure, meta)
    }
    assert told == {
        "broker 1 high watermark": [("2024-05-01 10:00:10.000", 293)],
        "broker 2 high watermark": [("2024-05-01 10:00:20.000", 288)],
        "broker 1 log end offset": [("2024-05-01 10:00:10.000", 600)],
    }  # broker 3's checkpoint has no time
    assert {t.name: t.marker.color for t in traces(figure, "high_watermark")}[
        "broker 2 high watermark"
    ] == BrokerColours.of([1, 2, 3]).fill(2)


def test_a_loss_is_shaded_from_its_moment_on_what_is_sure_apart_from_what_may_be():
    figure = panels(("orders", 0), ("orders", 1), ("clicks", 0))
    assert [blocks(t)[0] for t in traces(figure, "lost")] == [[("10:00:20", "10:01:00", 293, 2784)]]
    first, second = (blocks(t)[0][0] for t in traces(figure, "lost_at_most"))
    assert first == ("10:00:20", "10:01:00", 2784, 2870)
    assert second[:3] == ("10:00:20", "10:01:00", 100)
    assert [note for note in notes(figure) if "lost" in note] == [
        "<b>[293, 2784) lost</b>",
        "<b>[100, not known) may be lost</b>",
    ]
    assert "offsets [293, 2784) lost, [2784, 2870) may be lost" in traces(figure, "lost")[0].hovertext[0]


def test_what_was_cut_above_the_commit_point_is_no_loss_of_committed_records():
    figure = panels(("orders", 2))
    assert [blocks(t)[0] for t in traces(figure, "discarded")] == [[("10:00:55", "10:01:00", 145, 313)]]
    assert traces(figure, "lost") == traces(figure, "lost_at_most") == []
    assert "<b>[145, 313) uncommitted, truncated</b>" in notes(figure)


def test_a_cut_goes_down_from_the_old_log_end_to_the_new():
    (cut,) = traces(panels(("orders", 0)), "truncation")
    assert list(cut.y) == [2870, 293, None]
    assert "broker 1 truncated its log from 2870 to 293" in cut.hovertext[0]


def test_each_mark_stands_in_the_legend_once():
    named = [trace.name for trace in panels(("orders", 0), ("orders", 1)).data if trace.showlegend]
    assert len(named) == len(set(named))


def test_topics_that_kafka_keeps_for_itself_come_after_others_alike():
    assert busiest({("__consumer_offsets", 0): (1.0,), ("orders", 1): (1.0,), ("orders", 0): (1.0,)}, 2) == {
        ("orders", 0): 0,
        ("orders", 1): 1,
    }
    assert list(busiest({("__consumer_offsets", 0): (2.0,), ("orders", 0): (1.0,)}, 2)) == [
        ("__consumer_offsets", 0),
        ("orders", 0),
    ]


def test_the_partitions_that_lost_most_come_first():
    assert most_informative(
        frame("commit_bands", BANDS), frame("losses", LOST), frame("truncations", CUTS), limit=3
    ) == (
        [("orders", 0), ("orders", 1), ("orders", 2)],
        1,
    )
    raft = frame("truncations", "topic | partition | ts | node_id\n __cluster_metadata | 0 | 10:00:00 | 1")
    assert most_informative(frame("commit_bands", BANDS), nothing("losses"), raft) == (
        [("orders", 0)],
        0,
    )  # no band, no loss: nothing to show


def test_a_panel_too_many_is_refused():
    with pytest.raises(ValueError, match="7 partitions in one figure"):
        panels(*[("orders", p) for p in range(7)])


# --- causality ---------------------------------------------------------------------------------------------------------------------


def graph(vertices, edges):
    return frame("vertices", vertices), frame("edges", edges)


CHAIN = graph(
    """
    id    | ts       | kind      | node_id | topic  | partition | label               | evidence
    crash | 10:00:00 | crash     | 1       |        |           | Broker 1 killed     | s:1
    seen  | 10:00:14 | detection | 2       |        |           | Broker 1 deleted    | s:2
    e0    | 10:00:15 | election  | 2       | orders | 0         | orders-0 led by 2   | s:3
    gone  | 10:00:15 | loss      | 2       | orders | 0         | orders-0 lost [1,9) | s:4
    other | 10:00:01 | warning   | 3       |        |           | unrelated           | s:5 """,
    """
    src   | dst  | relation | because                        | confidence | delay_ms
    crash | seen | R2       | its session expired            | 0.7        | 14000
    seen  | e0   | R4       | the controller was handling it | 0.95       | 17
    e0    | gone | R29      | the log ends before            | 1.0        | 0
    crash | gone | R22      | twice told                     | 0.5        | 15000 """,
)


def test_an_edge_between_two_incidents_is_drawn_in_both():
    """With its other end, which says that it belongs to another incident; a rank of its own keeps it from other cards."""
    vertices = frame(
        "vertices",
        """
        id    | kind           | node_id | ts       | incident_id | label
        cut   | cut_from_peers | 3       | 10:00:00 | one         | Cut
        drop  | isr_shrink     | 1       | 10:00:30 | one         | Shrink
        crash | killed         | 3       | 10:00:40 | two         | Crash
        loss  | loss           | 3       | 10:01:00 | two         | Loss
        apart | loss           | 3       | 10:01:00 |             | Apart """,
    )
    edges = frame(
        "edges",
        """
        src   | dst  | relation
        cut   | drop | R13
        cut   | loss | R29
        crash | loss | R29 """,
    )
    drawn = {name: of_incident(vertices, edges, name) for name in ("one", "two")}
    assert {name: list(own.id) for name, (own, _) in drawn.items()} == {
        "one": ["cut", "drop", "loss"],
        "two": ["cut", "crash", "loss"],
    }
    assert {name: list(zip(of.src, of.dst, strict=True)) for name, (_, of) in drawn.items()} == {
        "one": [("cut", "drop"), ("cut", "loss")],
        "two": [("cut", "loss"), ("crash", "loss")],
    }
    labels = {key: card_label(card) for key, card in layered(*drawn["two"]).cards.items()}
    assert labels == {"cut": ["Cut", "of another incident"], "crash": ["Crash"], "loss": ["Loss"]}


def test_causes_stand_left_of_their_effects():
    found = layered(*CHAIN)
    assert {key: card.rank for key, card in found.cards.items()} == {"crash": 0, "seen": 1, "e0": 2, "gone": 3}
    assert found.left_out == 1  # what touches no edge
    assert found.columns == (("crash",), ("seen",), ("e0",), ("gone",))
    cards = {
        note.text.split("</b>")[0].removeprefix("<b>"): note
        for note in causality_figure(*CHAIN).layout.annotations
        if note.name
    }
    assert cards["Broker 1 killed"].x < cards["Broker 1 deleted"].x < cards["orders-0 led by 2"].x
    assert (cards["Broker 1 killed"].name, cards["orders-0 lost [1,9)"].name, cards["Broker 1 deleted"].name) == (
        "root",
        "harm",
        "step",
    )


def test_a_rolling_restart_stands_before_its_stops_in_the_graph():
    """The stops are faults of their own; one of another cause is no part, and a finding about one fault adds nothing."""
    vertices, edges = graph(
        """
        id     | ts       | kind    | code | node_id | label        | evidence
        stop-1 | 10:00:00 | stopped | F02  | 1       | F02 stopped  | s:1
        stop-2 | 10:00:20 | stopped | F02  | 2       | F02 stopped  | s:2
        freeze | 10:00:30 | paused  | F04  | 3       | F04 paused   | s:3
        lost   | 10:00:01 | session |      | 1       | broker 1 left | s:1 """,
        "src | dst | relation | because\n stop-1 | lost | R2 | ended",
    )
    findings = frame(
        "findings",
        """
        finding_id | code | title           | start_ts | evidence
        rolling    | F03  | Rolling restart | 10:00:00 | s:1,s:2
        one        | F03  | One restart     | 10:00:30 | s:3
        freeze     | F04  | Froze           | 10:00:30 | s:1,s:2,s:3 """,
    )
    found = layered(*with_sums(vertices, edges, rows(findings)))
    assert {key: card.rank for key, card in found.cards.items()} == {"rolling": 0, "stop-1": 1, "stop-2": 1, "lost": 2}
    assert [(a.dst, a.edges[0].delay_ms) for a in found.arrows if a.src == "rolling"] == [
        ("stop-1", 0),
        ("stop-2", 20_000),
    ]
    assert causality_figure(*with_sums(vertices, edges, rows(findings))).data
    assert with_sums(vertices, edges, [])[1] is edges


def test_an_arrow_names_its_rule_and_shows_why():
    (reasons,) = traces(causality_figure(*CHAIN), "reasons")
    told = dict(zip(reasons.text, reasons.hovertext, strict=True))
    assert set(told) == {"R2<br>at least 14.0 s", "R4<br>at least 17 ms", "R29"}
    assert "its session expired" in told["R2<br>at least 14.0 s"]
    assert "confidence 0.70, delay at least 14.0 s" in told["R2<br>at least 14.0 s"]
    assert len(traces(causality_figure(*CHAIN), "arrow")) == 3


def test_an_arrow_that_a_chain_implies_is_counted_and_a_long_one_has_its_way_past_the_cards():
    assert layered(*CHAIN).implied == 1  # crash -> gone
    assert "Not drawn: 1 event and 1 redundant edge" in notes(causality_figure(*CHAIN))
    vertices, edges = graph(
        "id | ts\n a | 10:00:00\n b | 10:00:01\n c | 10:00:02\n d | 10:00:03",
        "src | dst | relation\n a | b | R1\n b | c | R1\n d | c | R1\n d | x | R1\n a | d | R1",
    )
    assert layered(vertices, edges).implied == 0
    late = graph(
        "id | ts\n a | 10:00:00\n b | 10:00:01\n c | 10:00:02\n z | 10:00:00",
        "src | dst | relation\n a | b | R1\n b | c | R1\n z | c | R1",
    )
    found = layered(*late)
    assert set(found.columns[1]) == {"b", passing("z", "c", 1)}


def test_the_root_is_the_start_that_shares_a_line_with_the_finding():
    vertices, edges = graph(
        "id | ts | label | evidence\n a | 10:00:00 | first | s:1\n b | 10:00:01 | second | s:2\n c | 10:00:02 | effect | s:3",
        "src | dst | relation\n a | c | R1\n b | c | R1",
    )
    looks = {
        note.text.split("</b>")[0].removeprefix("<b>"): note.name
        for note in causality_figure(vertices, edges, root_evidence=["s:2"]).layout.annotations
    }
    assert looks == {"first": "start", "second": "root", "effect": "step"}


def test_many_alike_become_one_card():
    vertices = whole(
        "vertices",
        pd.DataFrame(
            [("seen", at("10:00:14"), "detection", 2, None, None, "seen")]
            + [(f"e{p}", at("10:00:15"), "election", 2, "orders", p, f"orders-{p} led by 2") for p in range(300)]
            + [(f"l{p}", at("10:00:16"), "loss", 2, "orders", p, f"orders-{p} lost") for p in range(300)],
            columns=["id", "ts", "kind", "node_id", "topic", "partition", "label"],
        ),
    )
    edges = whole(
        "edges",
        pd.DataFrame(
            [("seen", f"e{p}", "R4", "handling it", 0.9, 10 + p) for p in range(300)]
            + [(f"e{p}", f"l{p}", "R29", "ends before", 1.0, 0) for p in range(300)],
            columns=["src", "dst", "relation", "because", "confidence", "delay_ms"],
        ),
    )
    found = layered(vertices, edges)
    assert [len(card.members) for card in found.cards.values()] == [1, 300, 300]
    figure = causality_figure(vertices, edges)
    (reasons,) = traces(figure, "reasons")
    assert set(reasons.text) == {"R4<br>at least 10 ms", "R29"}
    assert any(
        "Election, 300 partitions, orders-0 and 299 more, broker 2" in (note.hovertext or "")
        for note in figure.layout.annotations
    )


def test_a_card_of_what_lasts_ends_with_the_last_that_ends():
    """Elections are moments: their card has the times of the first and the last. What lasts has an end of its own."""
    each = """
    id | kind   | ts       | end_ts   | topic  | partition
    a  | {kind} | 10:00:00 | 10:00:09 | orders | 0
    b  | {kind} | 10:00:02 | {end}    | orders | 1 """
    for kind, end, told in (
        ("writes_refused", "10:00:04", "10:00:00.000 to 10:00:09.000"),
        ("leaderless", "", "from 10:00:00.000 on"),
        ("election", "10:00:04", "10:00:00.000 to 10:00:02.000"),
    ):
        vertices, edges = graph(each.format(kind=kind, end=end), "src | dst | relation | because")
        (card,) = layered(vertices, edges).cards.values()
        assert card_when(card) == told, kind


def test_a_crowded_rank_is_cut_and_the_rest_counted():
    vertices = whole(
        "vertices",
        pd.DataFrame(
            [("root", "crash", None)] + [(f"v{i}", f"kind{i}", i) for i in range(40)], columns=["id", "kind", "node_id"]
        ),
    )
    edges = whole(
        "edges", pd.DataFrame([("root", f"v{i}", "R1") for i in range(40)], columns=["src", "dst", "relation"])
    )
    found = layered(vertices, edges)
    assert len(found.columns[1]) == MOST_IN_A_RANK
    assert found.left_out == 40 - MOST_IN_A_RANK
    assert f"Not drawn: {40 - MOST_IN_A_RANK} events" in notes(causality_figure(vertices, edges))


def test_a_cycle_is_opened_at_its_earliest_happening():
    vertices, edges = graph(
        "id | ts | label\n a | 10:00:00 | a\n b | 10:00:01 | b\n c | 10:00:02 | c",
        "src | dst | relation\n a | b | R1\n b | c | R1\n c | a | R1\n b | b | R1",
    )
    assert {key: card.rank for key, card in layered(vertices, edges).cards.items()} == {"a": 0, "b": 1, "c": 2}


def test_the_layout_does_not_depend_on_the_order_of_rows():
    vertices, edges = CHAIN
    assert (
        causality_figure(vertices, edges).to_json()
        == causality_figure(vertices.iloc[::-1], edges.sample(frac=1, random_state=1)).to_json()
    )


def test_the_words_at_arrows_do_not_run_into_each_other():
    vertices = whole(
        "vertices",
        pd.DataFrame([(f"{side}{i}", f"k{side}{i}") for side in "ab" for i in range(5)], columns=["id", "kind"]),
    )
    edges = whole(
        "edges", pd.DataFrame([(f"a{i}", f"b{4 - i}", "R1") for i in range(5)], columns=["src", "dst", "relation"])
    )
    (reasons,) = traces(causality_figure(vertices, edges), "reasons")
    places = list(zip(reasons.x, reasons.y, strict=True))
    assert len(set(places)) == len(places)


# --- words -------------------------------------------------------------------------------------------------------------------------


@for_each(
    ("ms", "said"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_000, "1.0 s"),
        (59_949, "59.9 s"),
        (59_999, "1 min 00 s"),
        (123_400, "2 min 03 s"),
        (3_599_600, "1 h 00 min"),
        (7_260_000, "2 h 01 min"),
        (273_600_000, "3 d 4 h"),
        (-1_500, "−1.5 s"),
        (None, "not known"),
    ],
)
def test_durations_are_said_as_a_person_says_them(ms, said):
    assert words.duration(ms) == said


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        ("18:55:09.566", "18:55:15.566", "between 18:55:09 and 18:55:16"),
        ("18:55:09.566", "18:55:15", "between 18:55:09 and 18:55:15"),
        ("18:55:09.566", "18:55:09.900", "18:55:09"),  # the same second
        (None, "18:55:15.566", "by 18:55:16"),
        ("18:55:09.566", None, "after 18:55:09"),
    ],
)
def test_an_upper_bound_of_a_begin_is_rounded_up_to_the_second(low, high, said):
    low_ts, high_ts = (None if at is None else pd.Timestamp(f"2026-11-27 {at}") for at in (low, high))
    assert words.began(low_ts, high_ts, None) == said


def test_words_of_names_and_ranges():
    assert words.offsets(293, 2870) == "[293, 2870)"
    assert words.offsets(901, None) == "[901, not known)"
    assert words.brokers([3, 1, 2, 1]) == "brokers 1, 2 and 3"
    assert words.shortened("a-very-long-name-12", 10) == "a-ve…me-12"
    assert words.tail("node-1/controller.log:4") == "node-1/controller.log:4"
    assert (
        words.tail("in/node-1/data/data0/clicks-2/leader-epoch-checkpoint:4")
        == "node-1/…/clicks-2/leader-epoch-checkpoint:4"
    )
    assert (
        words.tail("broker-2/data0/replication-offset-checkpoint:8") == "broker-2/data0/replication-offset-checkpoint:8"
    )
    assert words.tail("all/data0/replication-offset-checkpoint:8") == "data0/replication-offset-checkpoint:8"
    assert words.wrapped("one two three four", 9, 2) == ["one two", "three…"]
    assert words.span(at("10:00:00"), at("10:00:01.5")) == "2024-05-01 10:00:00.000 to 10:00:01.500"


# --- brokers, controllers, and whether topics could be written ---------------------------------------------------------------------

CRASHED = """
    finding_id | code | role       | title            | broker_ids | start_ts | end_ts   | began_low | began_high | ended_low | ended_high | evidence
    killed/1   | F01  | root_cause | Broker 1 crashed | 1          | 10:00:40 | 10:02:00 | 10:00:30  | 10:00:40   | 10:02:00  | 10:02:00   | s:9 """


def test_a_broker_is_absent_from_the_first_proof_and_perhaps_from_the_last_of_the_opposite():
    found = absences(tidy(frame("findings", CRASHED), "findings"), {"F01"})
    assert [(a.broker_id, a.start, a.end, a.sure) for a in found] == [
        (1, at("10:00:30"), at("10:00:40"), False),
        (1, at("10:00:40"), at("10:02:00"), True),
    ]


@pytest.mark.parametrize(("finding_id", "is_gone"), [("killed/1", True), ("out_of_memory/1", False)])
def test_a_broker_whose_heap_ran_out_is_absent_only_if_its_process_ended(finding_id, is_gone):
    told = CRASHED.replace("killed/1  ", finding_id).replace("F01 ", "F26 ")
    assert bool(absences(tidy(frame("findings", told), "findings"), {"F01"})) is is_gone


def test_the_last_line_of_a_broker_is_no_proof_that_it_was_gone():
    without = frame("findings", CRASHED).assign(began_low=None, began_high=None, ended_low=None, ended_high=None)
    (gone,) = absences(tidy(without, "findings"), {"F01"})
    assert (gone.start, gone.sure) == (at("10:00:40"), True)


def test_a_dead_leaders_bar_is_hatched_from_the_proof_of_its_death():
    figure = leader_epochs_figure(
        frame(
            "leader_epochs",
            "topic | partition | leader_epoch | leader_id | start_ts | end_ts\n orders | 0 | 0 | 1 | 10:00:00 | 10:01:00",
        ),
        nothing("elections"),
        trace_end=END,
        absent=absences(tidy(frame("findings", CRASHED), "findings"), {"F01"}),
    )
    (hatched,), (dotted,) = traces(figure, "leader_absent"), traces(figure, "leader_unsure")
    assert (hatched.base, hatched.x) == (("2024-05-01 10:00:40.000",), (20_000,))
    assert (dotted.base, dotted.x) == (("2024-05-01 10:00:30.000",), (10_000,))
    assert hatched.marker.pattern.shape == "/" and hatched.marker.color == traces(figure, "leader")[0].marker.color
    assert "dead or frozen" in hatched.hovertext[0] and list(hatched.customdata[0]) == ["s:9"]


def test_brokers_and_controllers_have_lanes():
    figure = brokers_figure(
        frame(
            "broker_sessions",
            """
            broker_id | start_ts | end_ts   | ended_by | evidence
            1         | 10:00:00 | 10:00:50 | crash    | s:1
            1         | 10:02:10 |          |          | s:2
            2         | 10:00:00 |          |          | s:3 """,
        ),
        frame("controllers", "controller_id | controller_epoch | start_ts | end_ts\n 2 | 5 | 10:00:00 | "),
        trace_start=at("10:00:00"),
        trace_end=at("10:03:00"),
        absent=absences(tidy(frame("findings", CRASHED), "findings"), {"F01"}),
    )
    assert list(figure.layout.yaxis.ticktext) == ["broker 1", "broker 2", "active controller"]
    (gone,), (away,), (reign,) = traces(figure, "absent"), traces(figure, "away"), traces(figure, "controller")
    assert (gone.base, gone.x) == (("2024-05-01 10:00:40.000",), (80_000,))  # also without a session
    assert (away.base, away.x) == (("2024-05-01 10:00:50.000",), (80_000,))
    assert reign.text == ("node 2",) and reign.y == (2,)


@pytest.mark.parametrize(
    ("mode", "epochs", "state"),
    [("kraft", (7, 9), "fenced"), ("zk", (7, 9), "not registered"), ("zk", (7, 7), "fenced"), ("", (7, 7), "fenced")],
)
def test_a_broker_whose_registration_stayed_was_fenced(mode, epochs, state):
    """In KRaft every registration outlasts its session; elsewhere the same broker epoch before and after shows it."""
    figure = brokers_figure(
        frame(
            "broker_sessions",
            f"""
            broker_id | broker_epoch | start_ts | end_ts
            1         | {epochs[0]}  | 10:00:00 | 10:00:50
            1         | {epochs[1]}  | 10:02:10 |          """,
        ),
        frame("controllers", f"mode | controller_id | controller_epoch | start_ts\n {mode} | 2 | 5 | 10:00:00"),
        trace_start=at("10:00:00"),
        trace_end=at("10:03:00"),
    )
    ((bar,),) = [some for meta in ("away", "fenced") if (some := traces(figure, meta))]
    assert bar.name == state and state in bar.hovertext[0]


def test_a_controller_that_died_is_active_no_longer():
    """It is told as active until the next one is: 3.3 s after its death here, of which 10 s before are not sure."""
    figure = brokers_figure(
        frame("broker_sessions", "broker_id | start_ts\n 1 | 10:00:00"),
        frame(
            "controllers",
            """
            controller_id | controller_epoch | start_ts     | end_ts
            1             | 5                | 10:00:00.000 | 10:00:43.300
            2             | 6                | 10:00:43.300 |              """,
        ),
        trace_start=at("10:00:00"),
        trace_end=at("10:03:00"),
        absent=absences(tidy(frame("findings", CRASHED), "findings"), {"F01"}),
    )
    (sure,), (unsure,) = traces(figure, "controller"), traces(figure, "controller_unsure")
    assert (sure.base, sure.x) == (("2024-05-01 10:00:00.000", "2024-05-01 10:00:43.300"), (30_000, 136_700))
    assert (unsure.base, unsure.x) == (("2024-05-01 10:00:30.000",), (10_000,))
    assert "2024-05-01 10:00:00.000 to 10:00:40.000" in sure.hovertext[0]
    assert "the next controller was elected at 10:00:43.300" in sure.hovertext[0]


def drawn_writes(availability, end):
    files = frame("coverage", "source_file | first_ts | last_ts\n s | 10:00:00 | 10:00:00").assign(last_ts=end)
    told = {"availability": tidy(availability, "availability"), "coverage": tidy(files, "coverage")}
    return availability_figure(writes_by_topic(told), trace_end=end)


def test_topics_that_could_be_written_at_the_same_times_share_a_row_where_there_are_many():
    rows = [(f"t{n}", 0, "all", at("10:00:00"), at("10:00:10"), "closed" if n < 70 else "open") for n in range(100)]
    held = whole(
        "availability", pd.DataFrame(rows, columns=["topic", "partition", "acks", "start_ts", "end_ts", "state"])
    )
    figure = drawn_writes(held, at("10:00:10"))
    assert list(figure.layout.yaxis.ticktext) == ["t0 and 69 alike, acks=all", "t70 and 29 alike, acks=all"]
    assert part_of(figure) == ""


def test_a_topic_has_a_lane_of_when_it_could_be_written():
    figure = drawn_writes(
        frame(
            "availability",
            """
            topic  | partition | acks | start_ts | end_ts   | state   | reason      | evidence
            orders | 0         | all  | 10:00:00 | 10:01:00 | open    |             | []
            orders | 0         | all  | 10:01:00 | 10:01:10 | unknown | leader_dead | s:1
            orders | 0         | all  | 10:01:10 | 10:01:30 | closed  | leader_dead | s:2
            orders | 0         | all  | 10:01:30 |          | open    |             | []
            orders | 1         | all  | 10:00:00 |          | open    |             | []
            orders | 0         | 1    | 10:00:00 |          | closed  | no_leader   | s:3 """,
        ),
        end=at("10:03:00"),
    )
    assert list(figure.layout.yaxis.ticktext) == ["orders, acks=all", "orders, acks=1"]
    spans = {
        t.meta: [(y, base[11:19], x // 1000) for y, base, x in zip(t.y, t.base, t.x, strict=True)] for t in figure.data
    }
    assert spans == {
        "available": [(0, "10:00:00", 60), (0, "10:01:30", 90)],
        "unknown": [(0, "10:01:00", 10)],
        "partly unavailable": [(0, "10:01:10", 20)],
        "unavailable": [(1, "10:00:00", 180)],
    }
    (closed,) = traces(figure, "partly unavailable")
    assert (
        "1 partition available, 1 partition unavailable" in closed.hovertext[0]
        and "leader dead, or back and not leading yet (1)" in closed.hovertext[0]
    )
    assert list(closed.customdata[0]) == ["s:2"]


def test_a_partition_that_waits_for_two_reasons_in_turn_is_counted_once():
    """Where one reason ends and the next begins at the same moment, no more partitions are closed than there are."""
    turns = frame(
        "availability",
        """
        topic  | partition | acks | start_ts | end_ts   | state  | reason
        orders | 0         | all  | 10:00:01 | 10:00:05 | closed | leader_dead
        orders | 0         | all  | 10:00:05 | 10:00:09 | closed | no_leader
        orders | 1         | all  | 10:00:02 | 10:00:05 | closed | leader_dead
        orders | 1         | all  | 10:00:05 | 10:00:07 | closed | no_leader
        orders | 0         | all  | 10:00:20 |          | closed | no_leader """,
    )
    assert closed_spans({"availability": tidy(turns, "availability")}) == [
        (at("10:00:01"), at("10:00:09"), "closed", 2),
        (at("10:00:20"), None, "closed", 1),
    ]


@pytest.mark.parametrize(
    ("sure", "later", "by"),
    [
        ("waiting_for_isr_member | cut | isr_shrank", "waiting_for_next_write | cut | fault_ended", "isr_shrank"),
        ("waiting_for_isr_member | cut | fault_ended", "waiting_for_isr_member | cut | isr_shrank", "fault_ended"),
        ("waiting_for_isr_member | cut | fault_ended", "leader_cut_off | cut | isr_grew", "fault_ended"),
        ("leader_frozen | froze | fault_ended", "leader_deposed | froze | leader_elected", "leader_elected"),
        ("waiting_for_isr_member | cut | isr_shrank", "waiting_for_isr_member | died | member_back", "member_back"),
        ("waiting_for_isr_member | cut | ", "waiting_for_isr_member | cut | isr_shrank", "isr_shrank"),
    ],
    ids=[
        "the leader dropped the member, and then only the next write was missing",
        "the bounds of the end of the fault",
        "the leader may have been cut off a little longer",
        "it woke up and had been deposed",
        "another fault followed at once",
        "no line shows what ended the certain part",
    ],
)
def test_a_wait_ended_with_the_event_that_ended_what_it_waited_for(sure, later, by):
    turns = frame(
        "availability",
        f"""
        topic  | partition | acks | start_ts | end_ts   | state   | reason | fault_id | ended_by
        orders | 0         | all  | 10:00:00 | 10:00:01 | unknown | waiting_for_isr_member | cut |
        orders | 0         | all  | 10:00:01 | 10:00:12 | closed  | {sure}
        orders | 0         | all  | 10:00:12 | 10:00:40 | unknown | {later} """,
    )
    (wait,) = ends_of_waits({"availability": tidy(turns, "availability")})["orders"]
    assert wait[:3] == (at("10:00:00"), at("10:00:40"), by)


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("Broker 3 fell silent, cause not logged", "Broker 3 fell silent, cause not logged"),
        ("Broker 3 lost a log directory", "Broker 3 lost a log directory; cause not in these logs"),
    ],
)
def test_a_fault_without_a_known_cause_has_what_was_observed_as_its_name(title, label):
    silent = frame("findings", f"finding_id | code | title | broker_ids\n f | F00 | {title} | 3")
    (finding,) = rows(tidy(silent, "findings"))
    assert overview.fault_and_brokers({name: tidy(None, name) for name in COLUMNS}, finding) == label


@pytest.mark.parametrize(("brokers", "label"), [("[]", "F18"), ("1", "F18, broker 1")])
def test_a_fault_of_no_single_node_has_its_name_alone(brokers, label):
    moved = frame("findings", f"finding_id | code | broker_ids\n moved | F18 | {brokers}")
    tables = {name: tidy(None, name) for name in COLUMNS}
    (finding,) = rows(tidy(moved, "findings"))
    assert overview.fault_and_brokers(tables, finding) == label


def test_a_fault_is_drawn_from_its_latest_begin_to_its_earliest_end_within_the_time_it_may_have_lasted():
    """A cut of 40 s of which the first 6.5 are proven is no bar of 6.5 s."""
    cut = frame(
        "findings",
        """
        finding_id | code | role       | severity | title              | start_ts | end_ts   | broker_ids | began_low | began_high | ended_low    | ended_high
        cut        | F06  | root_cause | medium   | Broker 1 was cut   | 10:00:10 | 10:00:50 | 1          | 10:00:07  | 10:00:10   | 10:00:16.500 | 10:00:50 """,
    )
    tables = {name: tidy(None, name) for name in COLUMNS}
    told = overview.of_incident(tables, rows(tidy(cut, "findings")), (at("10:00:00"), at("10:01:40")), "#{}".format)
    marks = told.lanes[0].marks
    assert [(mark.left, mark.width, mark.look) for mark in marks] == [
        (7.0, 43.0, "sev-medium perhaps"),
        (10.0, 6.5, "sev-medium"),
    ]


def test_a_loss_too_small_for_the_axis_of_all_offsets_is_zoomed_to():
    def ranges(to_offset):
        losses = frame(
            "losses",
            f"topic | partition | ts | from_offset | to_offset_low | to_offset_high | verdict | loss_class\n orders | 0 | 10:00:10 | 9000 | {to_offset} | {to_offset} | PROVEN_LOSS | committed",
        )
        told = (nothing("commit_bands"), nothing("high_watermarks"), nothing("truncations"))
        figure = high_watermarks_figure(*told, losses, [("orders", 0)], trace_end=at("10:01:00"))
        return figure.layout.yaxis.range

    assert ranges(9034) == (8898, 9136)
    assert ranges(10_000) is None  # a tenth of the axis is seen


def test_faults_without_a_name_have_no_lane():
    named = Shade(at("10:00:00"), at("10:00:10"), "Broker 1 froze", "#000000")
    figure = over_time(go.Figure(), plot_height=100, trace_end=None, shades=[replace(named, label="")])
    assert not figure.layout.annotations and len(figure.layout.shapes) == 2


def test_of_very_many_changes_the_count_keeps_its_peaks():
    spans = [("orders", p, at("10:00:00") + pd.Timedelta(milliseconds=15 * p), [1], [1, 2]) for p in range(3000)]
    held = whole("isr_spans", pd.DataFrame(spans, columns=["topic", "partition", "start_ts", "isr", "replicas"]))
    steps = traces(drawn_isr(held), "steps")
    assert all(len(t.x) <= 1_300 for t in steps) and max(max(t.y) for t in steps) == 3000


def test_of_very_many_offsets_of_a_replica_some_are_points_and_the_legend_says_of_how_many():
    rows = [("orders", 0, 1, at("10:00:00") + pd.Timedelta(milliseconds=n), "told", n) for n in range(1_000)]
    marks = pd.DataFrame(rows, columns=["topic", "partition", "node_id", "ts", "source", "high_watermark"])
    told = (nothing("commit_bands"), whole("high_watermarks", marks), nothing("truncations"), nothing("losses"))
    figure = high_watermarks_figure(*told, [("orders", 0)], trace_end=END)
    (points,) = traces(figure, "high_watermark")
    assert (points.name, len(points.x)) == ("broker 1 high watermark (400 of 1,000)", 400)


def test_what_held_at_the_first_lines_counts_from_the_first_of_them():
    """A broker prints one after the other what held at one time; before that no count is known."""
    told = {
        "leader_epochs": tidy(
            frame(
                "leader_epochs",
                """
                topic  | partition | leader_epoch | start_ts     | leader_id | begun_before
                orders | 0         | 4            | 10:00:05.482 | 2         | true
                orders | 1         | 3            | 10:00:05.482 | 2         | true """,
            ),
            "leader_epochs",
        ),
        "isr_spans": tidy(
            frame(
                "isr_spans",
                """
                topic  | partition | leader_epoch | start_ts     | end_ts   | leader_id | isr | replicas
                orders | 0         | 4            | 10:00:06.542 | 10:00:12 | 2         | 2,3 | 1,2,3
                orders | 1         | 3            | 10:00:06.860 | 10:00:13 | 2         | 2,3 | 1,2,3 """,
            ),
            "isr_spans",
        ),
    }
    (changes, *_) = out_of_sync(told, internal=False).values()
    assert [(f"{ts:%H:%M:%S.%f}"[:-3], count) for ts, count in changes] == [
        ("10:00:06.542", 2),
        ("10:00:12.000", 1),
        ("10:00:13.000", 0),
    ]
    elected = tidy(frame("elections", "topic"), "elections")
    times = off_preferred(told["leader_epochs"], told["isr_spans"], elected)
    assert [trace.y[0] for trace in preferred_leaders_figure(times, trace_end=END).data] == [2]


@for_each(
    ("verdict", "bounds", "sentence"),
    [
        ("PROVEN_LOSS", (10, 25, 25), "committed offsets [10, 25) of orders-0 lost"),
        ("PROVEN_LOSS", (10, 20, 25), "committed offsets [10, 20) of orders-0 lost, [20, 25) may be lost"),
        ("PROVEN_LOSS", (10, 20, None), "committed offsets [10, 20) of orders-0 lost, [20, not known) may be lost"),
        ("POSSIBLE_LOSS", (10, 10, 25), "committed offsets [10, 25) of orders-0 may be lost"),
    ],
)
def test_only_the_offsets_that_are_proven_lost_are_said_to_be_lost(verdict, bounds, sentence):
    low, sure, high = bounds
    loss = SimpleNamespace(
        loss_class="committed", verdict=verdict, from_offset=low, to_offset_low=sure, to_offset_high=high
    )
    assert words.lost_offsets(loss, "orders-0") == sentence


def test_an_effect_without_a_code_of_its_own_is_an_effect_of_the_fault_whose_code_it_shows():
    def role_of(role: str | None, finding_id: str) -> str:
        row = SimpleNamespace(role=role, finding_id=finding_id)
        return Finding(row, "", "", "", "", [], [], 0, "", []).role

    assert role_of("effect", "leaderless/incident-1/2026-11-22T00:53:53.428Z") == "effect of"
    assert role_of("effect", "failover/incident-1") == "effect"
    assert role_of("root_cause", "killed/1") == "root cause"
