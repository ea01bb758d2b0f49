"""What the page's ledgers say of single rows."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.frames import frame, whole
from viz.cluster import clocks
from viz.frames import tidy
from viz.ledgers import broker_sessions, clock_offsets, controllers, deposed_leaders, elections, losses, truncations
from viz.markup import Evidence


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (2, 16, "-48 to 66 ms"),  # on one host: a late line is no clock that is ahead
        (700, 730, "650 to 780 ms"),
        (None, 4, "… to 54 ms"),
        (None, None, "unknown: no pair of lines bounds it"),
    ],
)
def test_a_clock_is_ahead_by_no_less_than_a_line_may_be_late(low, high, said):
    frame = pd.DataFrame(
        {
            "node_id": [2],
            "start_ts": [None],
            "end_ts": [None],
            "zone": ["UTC"],
            "zone_from": [None],
            "offset_low_ms": [low],
            "offset_high_ms": [high],
            "correction_ms": [0],
            "reference_node_id": [1],
            "window": [0],
            "step_ms": [None],
            "evidence": [[]],
        }
    )
    assert clock_offsets(tidy(frame, "clock_offsets")).rows[0][4] == said
    of_itself = frame.assign(reference_node_id=2, offset_low_ms=0.0, offset_high_ms=0.0)
    assert clock_offsets(tidy(of_itself, "clock_offsets")).rows[0][4] == "is the reference"


@pytest.mark.parametrize(
    ("low", "high", "off", "in_table", "in_header"),
    [
        (89_940.0, None, 89_940.0, "89,940 ms subtracted, the only bound", "at least 89,940 ms ahead"),
        (None, -5_000.0, -5_000.0, "5,000 ms added, the only bound", "at least 5,000 ms behind"),
        (89_900.0, 90_100.0, 90_000.0, "90,000 ms subtracted", "90,000 ms ahead"),
    ],
)
def test_a_correction_by_the_only_bound_is_the_least(low, high, off, in_table, in_header):
    row = frame("clock_offsets", "node_id | zone\n 1 | UTC")
    bounds = row.assign(offset_low_ms=low, offset_high_ms=high, correction_ms=off)
    tables = {"clock_offsets": tidy(bounds, "clock_offsets")}
    assert clock_offsets(tables["clock_offsets"]).rows[0][5] == in_table
    assert clocks(tables) == f"corrected: node 1 was {in_header}"


@pytest.mark.parametrize(
    ("code", "kind", "node", "said"),
    [
        ("F01", "killed", 101, "10:00:29.770"),
        ("F26", "killed", 101, "10:00:29.770"),  # its heap ran out
        ("F01", "killed", 102, "10:01:07.527"),  # another node died
        ("F10", "voter_cut_off", 101, "10:01:07.527"),  # it may have led on
    ],
)
def test_a_controller_that_died_was_active_no_longer_than_it_lived(code, kind, node, said):
    tenures = frame(
        "controllers",
        """
        mode  | controller_id | controller_epoch | start_ts | end_ts
        kraft | 101           | 1                | 09:50:00 | 10:01:07.527 """,
    )
    found = frame(
        "findings",
        f"""
        finding_id | code   | broker_ids | began_low    | began_high
        {kind}/1   | {code} | {node}     | 10:00:28.770 | 10:00:29.770 """,
    )
    grid = controllers(whole("controllers", tenures), Evidence(tidy(None, "evidence")), whole("findings", found))
    assert said in str(grid.rows[0][4])


@pytest.mark.parametrize(
    ("second", "when"),
    [("10:00:10.606", "2024-05-01 10:00:10.424 to 10:00:10.606"), ("10:00:10.424", "10:00:10.424<br>")],
    ids=["two times", "one time"],
)
def test_elections_that_share_a_row_show_the_first_and_the_last_time(second, when):
    elected = frame(
        "elections",
        f"""
        topic  | partition | leader_epoch | ts           | old_leader_id | new_leader_id | elected_from
        orders | 0         | 1            | {second} | 1             | 2             | clean_isr
        orders | 1         | 1            | 10:00:10.424 | 1             | 2             | clean_isr """,
    )
    (row,) = elections(tidy(elected, "elections"), Evidence(tidy(None, "evidence"))).rows
    assert when in str(row[0])
    assert "orders-0, orders-1" in str(row[1])


def test_leaders_that_led_nothing_that_a_line_shows_are_counted_apart_from_those_that_learned_at_once():
    late = frame(
        "deposed_leaders",
        """
        topic  | partition | broker_id | leader_epoch | deposed_ts | last_led_ts | stored_after | learnt_ts | believed_ms
        orders | 0         | 1         | 0            | 10:00:00   | 10:00:05    | 9            | 10:00:22  | 22464
        orders | 1         | 1         | 0            | 10:00:00   |             |              | 10:00:22  | 22465
        orders | 2         | 1         | 0            | 10:00:00   |             |              | 10:00:22  | 22464
        orders | 3         | 1         | 0            | 10:00:00   |             |              | 10:00:00  | 24    """,
    )
    shown = deposed_leaders(tidy(late, "deposed_leaders"), tidy(None, "losses"), Evidence(tidy(None, "evidence")))
    assert [str(row[0]) for row in shown.rows] == ["<code>orders-0</code>"]
    assert "9 more offsets stored by 10:00:22.000" in str(shown.rows[0][4])
    assert shown.more == (
        "2 more leaders learned of it after up to 22.5 s, and no line shows that they led meanwhile; "
        "1 more leader learned of it within 1 s, with no harm that the logs show; see tables/deposed_leaders"
    )


@pytest.mark.parametrize(
    ("end", "least", "by_recovery", "cut_from", "count"),
    [
        (3146, "", True, "3146", "754"),
        ("", 3146, True, "at least 3146<br>", "at least 754"),
        ("", 3146, False, "at least 3146", "at least 754"),
        ("", "", True, "not known<br>", "not known"),
        ("", "", False, "not known", "not known"),
    ],
)
def test_a_truncation_states_its_log_end_or_the_least_that_lines_show(end, least, by_recovery, cut_from, count):
    """As recorded of 2.7.1: recovery truncated a log to 2392 that had begun a leader epoch at 3146."""
    row = f"topic | partition | node_id | ts | log_end_offset | log_end_offset_low | truncation_offset | by_recovery\n orders | 0 | 1 | 10:00:58 | {end} | {least} | 2392 | {str(by_recovery).lower()}"
    (cells,) = truncations(tidy(frame("truncations", row), "truncations"), Evidence(tidy(None, "evidence"))).rows
    assert str(cells[3]).startswith(cut_from) and cells[5] == count
    assert ("2392 or later" in str(cells[3])) == (by_recovery and not end and not least)


LOST = """
    topic  | partition | leader_epoch | ts       | scenario | loss_class     | verdict       | from_offset | to_offset_low | to_offset_high | before_low | before_high | after_low | after_high
    ledger | 0         | 1            | 10:00:16 | S10      | acked_possible | POSSIBLE_LOSS | 6           | 6             | 1190           | 1184       | 1184        | 0         | 0
    ledger | 0         | 2            | 10:00:26 | S7       | acked_possible | POSSIBLE_LOSS | {from_}           | 6             | 1858           | 40         | 1800        | 52        | 1812 """


def of_losses(begin):
    table = tidy(frame("losses", LOST.replace("{from_}", str(begin))), "losses")
    return [" ".join(str(cell) for cell in row) for row in losses(table, Evidence(tidy(None, "evidence")))[0].rows]


def test_losses_with_the_same_offsets_say_so_and_others_do_not():
    """As recorded of 2.3.1: two leaders in turn had their uncommitted ends truncated, which began at the same offset."""
    assert all("some of these offsets too: they were given out again" in text for text in of_losses(6))
    assert not any("given out again" in text for text in of_losses(1190))


def test_a_loss_without_a_known_end_has_the_offsets_of_another_perhaps():
    """Nothing shows that a leader gave its offsets out again."""
    lost = LOST.replace("S10      | acked_possible | POSSIBLE_LOSS", "         | committed | UNDETERMINED ")
    table = tidy(frame("losses", lost.replace("{from_}", "6").replace("| 1190 ", "| ")), "losses")
    texts = [" ".join(str(cell) for cell in row) for row in losses(table, Evidence(tidy(None, "evidence")))[0].rows]
    assert all("may have some of these offsets too" in text and "given out again" not in text for text in texts)


def test_a_loss_says_how_much_was_written_before_the_election_and_after_it():
    later, earlier = of_losses(6)
    assert "40 to 1,800 of them before the new leader was elected, 52 to 1,812 after" in later
    assert "all of them before the new leader was elected" in earlier


@pytest.mark.parametrize(("seen", "said"), [("", "still open"), ("10:05:00", "not known after")])
def test_a_session_whose_end_no_log_would_show_is_not_called_open(seen, said):
    made = frame("broker_sessions", f"broker_id | start_ts | seen_ts | evidence\n1 | 10:00:00 | {seen} | []")
    to = str(broker_sessions(tidy(made, "broker_sessions"), Evidence(tidy(None, "evidence"))).rows[0][3])
    assert to.startswith(said)
    assert ("10:05:00" in to) == bool(seen)
