"""Steps of replicas' offsets: a value where lines tell it, bounds where they do not, nothing where an offset may have fallen."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest

from replay.tables.arrow import to_arrow
from replay.tables.offsets import HIGH_WATERMARK_CURVES, HIGH_WATERMARKS
from replay.timelines import folds
from tests.frames import at, frame
from tests.tables import rows
from tests.true_offsets import known_share
from viz import frames
from viz.high_watermarks import high_watermarks_figure, replication_lag_figure
from viz.offset_curves import HIGH_WATERMARK, LOG_END, Lag, Piece, lags, pieces, thinned, widened
from viz.theme import BrokerColours

END = at("10:01:00")

# A leader at DEBUG, a follower at TRACE.
FETCHING = """
    topic  | partition | node_id | ts           | leader_epoch | role     | source               | high_watermark | previous_high_watermark | log_end_offset
    orders | 0         | 1       | 10:00:00     | 8            | leader   | leader_start         | 100            |                         | 100
    orders | 0         | 1       | 10:00:01.000 | 8            | leader   | hw_updated           | 101            | 100                     |
    orders | 0         | 1       | 10:00:02.000 | 8            | leader   | hw_updated           | 103            | 101                     |
    orders | 0         | 2       | 10:00:00.100 | 8            | follower | follower_hw_received | 100            |                         |
    orders | 0         | 2       | 10:00:01.500 | 8            | follower | follower_hw_received | 101            |                         |
    orders | 0         | 2       | 10:00:02.502 | 8            | follower | follower_hw_received | 103            |                         | """


def anchors(text):
    return frames.rows(frames.tidy(frame("high_watermarks", text), "high_watermarks"))


def pieces_of(text, column=HIGH_WATERMARK, cuts=()):
    return [
        (p.node_id, p.start.strftime("%M:%S"), p.end.strftime("%M:%S"), p.low, p.high)
        for p in pieces(anchors(text), cuts, column)
    ]


def test_where_each_update_is_reported_the_high_watermark_has_a_value_at_every_moment():
    assert pieces_of(FETCHING) == [
        (1, "00:00", "00:01", 100, 100),
        (1, "00:01", "00:02", 101, 101),
        (2, "00:00", "00:01", 100, 100),
        (2, "00:01", "00:02", 101, 101),
    ]
    assert (
        known_share(
            [p for p in pieces(anchors(FETCHING), (), HIGH_WATERMARK) if p.node_id == 1], at("10:00:00"), at("10:00:04")
        )
        == 0.5
    )


def test_a_missing_update_leaves_bounds_and_equal_values_a_value():
    """An update that begins at another value than the last one ended shows that lines are missing."""
    assert pieces_of("""
    node_id | ts       | source      | high_watermark | previous_high_watermark
    1       | 10:00:00 | hw_updated  | 100            | 99
    1       | 10:00:05 | hw_updated  | 109            | 104
    1       | 10:00:09 | isr_shrink  | 120            |
    1       | 10:00:12 | isr_shrink  | 120            | """) == [
        (1, "00:00", "00:05", 100, 104),
        (1, "00:05", "00:09", 109, 120),
        (1, "00:09", "00:12", 120, 120),
    ]


def test_behind_a_start_a_cut_or_another_leader_nothing_is_known_until_the_next_line():
    text = """
    node_id | ts       | source               | high_watermark | log_end_offset
    1       | 10:00:00 | leader_start         | 100            | 100
    1       | 10:00:05 | isr_shrink           | 140            | 150
    1       | 10:00:09 | log_load_completed   |                | 148
    1       | 10:00:10 | partition_log_loaded | 139            |
    1       | 10:00:11 | follower_start       | 139            | 148
    1       | 10:00:12 | log_truncated_to     |                | 145
    1       | 10:00:20 | isr_shrink           | 150            | 160 """
    assert pieces_of(text) == [(1, "00:00", "00:05", 100, 140), (1, "00:10", "00:11", 139, 139)]
    assert pieces_of(text, LOG_END) == [
        (1, "00:00", "00:05", 100, 150),
        (1, "00:12", "00:20", 145, 160),
    ]


def test_a_cut_that_the_table_of_cuts_alone_shows_breaks_the_line():
    cuts = frames.rows(
        frames.tidy(frame("truncations", "node_id | ts | truncation_offset\n 1 | 10:00:03 | 90"), "truncations")
    )
    text = "node_id | ts | source | high_watermark\n 1 | 10:00:00 | log_hw_set | 100\n 1 | 10:00:05 | log_hw_set | 110"
    assert pieces_of(text) == [(1, "00:00", "00:05", 100, 100)]
    assert pieces_of(text, cuts=cuts) == []


EPOCHS = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts
    orders | 0         | 8            | 1         | 10:00:00 | 10:00:40
    orders | 0         | 9            | -1        | 10:00:40 |          """


def drawn(marks=FETCHING):
    nothing = {name: frame(name, "topic") for name in ("commit_bands", "truncations", "losses")}
    steps = folds.high_watermark_curves(rows(HIGH_WATERMARKS, marks))
    return high_watermarks_figure(
        nothing["commit_bands"],
        frame("high_watermarks", marks),
        nothing["truncations"],
        nothing["losses"],
        [("orders", 0)],
        trace_end=END,
        leader_epochs=frame("leader_epochs", EPOCHS),
        curves=to_arrow(HIGH_WATERMARK_CURVES, steps).to_pandas(),
    )


def of(figure, meta):
    return [trace for trace in figure.data if trace.meta == meta]


def test_the_steps_are_drawn_level_and_upright_and_say_how_late_the_follower_is():
    steps = {trace.name: trace for trace in of(drawn(), "high_watermark_steps")}
    assert list(steps) == ["broker 1 high watermark, each step", "broker 2 high watermark, each step"]
    for trace in steps.values():
        for (x0, y0), (x1, y1) in pairwise(zip(trace.x, trace.y, strict=True)):
            assert None in (x0, x1) or x0 == x1 or y0 == y1
    assert list(steps["broker 1 high watermark, each step"].y) == [100, 100, 101, 101]
    assert "learned 500 ms after broker 1 had set it" in steps["broker 2 high watermark, each step"].hovertext[2]


def test_leader_epochs_are_the_background():
    figure = drawn()
    tints = [s for s in figure.layout.shapes if s.yref == "y domain" and s.type == "rect"]
    assert [(s.x0[11:19], s.x1[11:19]) for s in tints] == [("10:00:00", "10:00:40"), ("10:00:40", "10:01:00")]
    assert [note.text for note in figure.layout.annotations if note.text.startswith("E")] == ["E8", "E9"]


def test_a_file_without_a_time_stands_at_the_edge_marked_so():
    (mark,) = of(
        drawn(
            "topic | partition | node_id | ts | source | high_watermark\n"
            "orders | 0 | 3 | | checkpoint_high_watermark | 164\n orders | 0 | 3 | 10:00:30 | isr_shrink | 150"
        ),
        "without_time",
    )
    assert (list(mark.y), mark.x[0][11:19]) == ([164], "10:01:00")
    assert "without a time" in mark.hovertext[0]


LOG_ENDS = """
    topic  | partition | node_id | ts       | source                | log_end_offset
    orders | 0         | 1       | 10:00:00 | leader_start          | 100
    orders | 0         | 1       | 10:00:10 | log_appended          | 110
    orders | 0         | 1       | 10:00:20 | log_appended          | 120
    orders | 0         | 2       | 10:00:10 | follower_after_append | 104
    orders | 0         | 2       | 10:00:30 | follower_after_append | 120 """
BEHIND = """
    topic  | partition | node_id | leader_id | ts       | log_end_offset | leader_log_end_offset | source
    orders | 0         | 3       | 1         | 10:00:15 | 12             | 112                   | isr_shrink
    orders | 0         | 2       | 1         | 10:00:16 | 104            |                       | follower_leo_recorded """


def test_how_far_a_follower_was_behind():
    rows = [
        frames.rows(frames.tidy(frame(table, text), table))
        for table, text in (
            ("high_watermarks", LOG_ENDS),
            ("truncations", "topic"),
            ("leader_epochs", EPOCHS),
            ("follower_positions", BEHIND),
        )
    ]
    assert [
        (lag.node_id, lag.start.strftime("%S"), lag.end and lag.end.strftime("%S"), lag.low, lag.high)
        for lag in lags(*rows)
    ] == [
        (2, "10", "20", 6, 6),
        (3, "15", None, 100, 100),
    ]


def test_a_leader_that_has_a_successor_does_not_show_how_far_followers_are_behind():
    texts = {
        "high_watermarks": "topic",
        "truncations": "topic",
        "leader_epochs": """
            topic  | partition | leader_epoch | leader_id | start_ts | end_ts
            orders | 0         | 4            | 1         | 10:00:00 | 10:00:20
            orders | 0         | 5            | 2         | 10:00:20 |        """,
        "follower_positions": """
            topic  | partition | node_id | leader_id | ts       | log_end_offset | leader_log_end_offset | source
            orders | 0         | 3       | 1         | 10:00:15 | 12             | 112                   | isr_shrink
            orders | 0         | 2       | 1         | 10:00:40 | 242            | 438                   | isr_shrink
            orders | 0         | 3       | 2         | 10:00:50 | 600            | 683                   | isr_shrink """,
    }
    found = lags(*(frames.rows(frames.tidy(frame(table, text), table)) for table, text in texts.items()))
    assert [(lag.leader_id, lag.node_id, lag.low) for lag in found] == [(1, 3, 100), (2, 3, 83)]


@pytest.mark.parametrize(
    ("caught_up", "start"),
    [
        pytest.param("10:00:12", "12", id="before it the bounds say nothing"),
        pytest.param("", "05", id="no line states it"),
        pytest.param("10:00:03", "05", id="it was earlier"),
    ],
)
def test_bounds_that_say_nothing_begin_when_the_follower_had_last_caught_up(caught_up, start):
    texts = {
        "high_watermarks": """
            topic  | partition | node_id | ts       | source         | log_end_offset
            orders | 0         | 1       | 10:00:00 | leader_start   | 100
            orders | 0         | 1       | 10:00:20 | isr_shrink     | 120
            orders | 0         | 2       | 10:00:05 | follower_start | 100
            orders | 0         | 2       | 10:00:30 | follower_start | 120 """,
        "truncations": "topic",
        "leader_epochs": EPOCHS,
        "follower_positions": f"""
            topic  | partition | node_id | leader_id | ts       | log_end_offset | caught_up_ts | source
            orders | 0         | 2       | 1         | 10:00:20 | 112            | {caught_up}  | isr_shrink """,
    }
    (lag,) = lags(*(frames.rows(frames.tidy(frame(table, text), table)) for table, text in texts.items()))
    assert (lag.start.strftime("%S"), lag.low, lag.high) == (start, 0, 20)


def test_the_lag_is_drawn_where_it_is_reported_and_nowhere_else():
    figure = replication_lag_figure(
        frame("high_watermarks", LOG_ENDS),
        frame("follower_positions", BEHIND),
        frame("truncations", "topic"),
        frame("leader_epochs", EPOCHS),
        [("orders", 0), ("orders", 1)],
        trace_end=END,
    )
    (known,), (told_,) = of(figure, "lag"), of(figure, "lag_told")
    assert list(known.y) == [6, 6, None]
    assert list(told_.y) == [100, None]
    assert known.line.color == BrokerColours.of([2, 3]).fill(2)
    assert [note.text for note in figure.layout.annotations] == ["orders-0"]


def test_without_a_line_about_a_follower_the_chart_says_so():
    nothing = [frame(t, "topic") for t in ("high_watermarks", "follower_positions", "truncations", "leader_epochs")]
    figure = replication_lag_figure(*nothing, [("orders", 0)], trace_end=None)
    assert [note.text for note in figure.layout.annotations] == [
        "No line shows how far a follower was behind its leader."
    ]


def test_of_too_many_steps_every_so_many_stay_and_all_values_lie_on_or_between_them():
    every = [Piece(1, END + pd.Timedelta(seconds=n), END + pd.Timedelta(seconds=n + 1), n, n) for n in range(1_000)]
    kept = thinned(every, 100)
    assert len(kept) == 100
    assert sum(changes for _, changes in kept) == 1_000
    assert [p.end for p, _ in kept[:-1]] == [p.start for p, _ in kept[1:]]
    for piece in every:
        at_once, following = next((a, b) for (a, _), (b, _) in pairwise([*kept, kept[-1]]) if a.end > piece.start)
        assert at_once.low <= piece.low <= max(following.low, every[-1].low if following is at_once else 0)
    assert thinned(every[:5], 100) == [(p, 1) for p in every[:5]]


def test_steps_with_a_gap_between_them_stay_apart():
    apart = [Piece(1, END + pd.Timedelta(seconds=2 * n), END + pd.Timedelta(seconds=2 * n + 1), n, n) for n in range(9)]
    assert [changes for _, changes in thinned(apart, 3)] == [1] * 9


def test_of_too_many_lags_those_in_a_row_are_one_from_the_least_to_the_most():
    every = [
        Lag(2, 1, END + pd.Timedelta(seconds=n), END + pd.Timedelta(seconds=n + 1), n % 3, n % 3 + 1) for n in range(90)
    ]
    pieces_of = widened([*every, Lag(2, 1, END, None, 7, 7, "isr_shrink")], 10)
    assert (pieces_of[0].low, pieces_of[0].high, pieces_of[-1].end) == (0, 3, None)
    assert len(pieces_of) <= 11


def test_a_snapshot_that_recovery_writes_is_no_bound_for_the_time_before_the_crash():
    """Recovery cut the log before it wrote the snapshot: the log had been longer."""
    before = """
        topic  | partition | node_id | ts           | leader_epoch | source                    | log_end_offset
        orders | 0         | 3       | 10:00:00     | 8            | leader_start              | 512
        orders | 0         | 3       | 10:00:40.000 |              | producer_snapshot_written | 882            """
    recovery = """
        orders | 0         | 3       | 10:00:40.001 |              | log_recovery_truncated    | 882            """
    assert pieces_of(before + recovery, LOG_END) == []
    assert pieces_of(before, LOG_END) == [(3, "00:00", "00:40", 512, 882)]
