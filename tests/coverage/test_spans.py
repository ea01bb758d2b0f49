"""A log covers the time of its lines and the quiet time around them; only proven gaps are gaps."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from replay.coverage.log_runs import log_runs
from replay.coverage.rotations import rotation_gaps
from replay.coverage.spans import coverage_spans
from replay.facts import missing_lines as holes
from replay.facts import node_lines
from replay.facts.window import ALL_TIME, TimeWindow
from replay.questions import node_lines as heard
from replay.tables import COVERAGE, EVENTS, FAULTS
from replay.tables.coverage import COVERAGE_SPANS
from replay.tables.questions import EPOCHS_WITHOUT_LINE, QUIET_TIMES
from tests.tables import rows, same_rows

SERVER, ROLES = "kafka.server.ReplicaFetcherManager", "state.change.logger"


@pytest.fixture
def spans():
    """The coverage spans of node 1. Lines: time, file, kind."""

    def spans_(lines, *, files="node_id", quiet="node_id", lacking="node_id", faults="kind", window=ALL_TIME):
        told = [
            line.but(node_id=1, logger=ROLES if "state-change" in line.source_file else SERVER)
            for line in rows(EVENTS, lines)
        ]
        changes = node_lines.role_changes(told, frozenset(), window)
        alone = holes.unanswered(changes)
        missing = holes.missing_lines(alone, node_lines.silences_around(told, alone, window))
        rotated = rotation_gaps(rows(COVERAGE, files))
        runs = log_runs(told, heard.line_gaps(told, window), missing, rotated, window)
        return coverage_spans(
            runs,
            changes,
            missing,
            rotated,
            rows(QUIET_TIMES, quiet),
            rows(EPOCHS_WITHOUT_LINE, lacking),
            rows(FAULTS, faults),
            window,
        )

    return spans_


QUIET = """
    ts       | source_file      | kind
    10:00:00 | state-change.log | leader_start
    10:00:00 | server.log       | fetcher_partitions_removed
    10:30:00 | server.log       | isr_shrink
    11:00:00 | state-change.log | follower_start
    11:00:01 | server.log       | fetcher_partitions_added   """


def test_a_quiet_log_has_no_gap_and_reaches_to_the_nodes_last_line(spans):
    same_rows(
        spans(QUIET),
        COVERAGE_SPANS,
        """
        node_id | log          | start_ts | end_ts   | lines | roles | complete
        1       | server       | 10:00:00 | 11:00:01 | 3     | 0     | true
        1       | state_change | 10:00:00 | 11:00:01 | 2     | 2     | true     """,
    )


def test_a_log_that_lacks_its_head_begins_with_its_first_line(spans):
    found = spans("""
        ts       | source_file      | kind
        10:00:00 | server.log       | fetcher_partitions_removed
        10:10:00 | server.log       | fetcher_partitions_added
        10:20:00 | server.log       | isr_shrink
        10:30:00 | state-change.log | leader_start
        10:30:00 | server.log       | fetcher_partitions_removed """)
    assert [(span.log, span.start_ts.minute) for span in found] == [("server", 0), ("state_change", 30)]


def test_a_server_log_that_does_not_begin_with_a_process_covers_nothing_before_its_first_line(spans):
    found = spans("""
        ts       | source_file      | kind
        10:00:00 | state-change.log | topic_id_mismatch
        10:20:00 | server.log       | isr_shrink """)
    assert [(span.log, span.start_ts.minute) for span in found] == [("server", 20), ("state_change", 0)]


def test_a_silence_with_missing_leader_epochs_is_a_gap_unless_the_node_was_away(spans):
    lines = """
        ts       | source_file | kind
        10:00:00 | server.log  | isr_shrink
        10:20:00 | server.log  | isr_shrink """
    quiet = """
        node_id | start_ts | end_ts   | without_line
        1       | 10:00:00 | 10:20:00 | 3 """
    assert [(s.start_ts.minute, s.end_ts.minute) for s in spans(lines, quiet=quiet)] == [(0, 0), (20, 20)]
    killed = """
        kind   | broker_id | began_low | ts       | end_ts
        killed | 1         | 10:00:00  | 10:00:01 | 10:20:00 """
    assert [(s.start_ts.minute, s.end_ts.minute) for s in spans(lines, quiet=quiet, faults=killed)] == [(0, 20)]


def test_a_missing_rotated_file_is_a_gap(spans):
    files = """
        node_id | source_file  | first_ts | last_ts
        1       | server.log.3 | 10:00:00 | 10:10:00
        1       | server.log.1 | 10:20:00 | 10:30:00 """
    found = spans(
        """
        ts       | source_file  | kind
        10:00:00 | server.log.3 | isr_shrink
        10:10:00 | server.log.3 | isr_shrink
        10:20:00 | server.log.1 | isr_shrink
        10:30:00 | server.log.1 | isr_shrink """,
        files=files,
    )
    assert [(span.start_ts.minute, span.end_ts.minute, span.lines) for span in found] == [(0, 10, 2), (20, 30, 2)]


def test_a_log_without_the_lines_of_leader_epochs_is_incomplete(spans):
    lacking = """
        node_id | topic  | partition | leader_epoch | start_ts
        1       | orders | 0         | 4            | 10:10:00
        1       | orders | 1         | 4            | 10:12:00
        1       | orders | 2         | 5            | 10:40:00 """
    found = spans(QUIET, lacking=lacking)
    assert {span.log: span.complete for span in found} == {"server": True, "state_change": False}


def test_only_the_window_is_covered(spans):
    window = TimeWindow(since=datetime(2024, 5, 1, 10, 15, tzinfo=UTC))
    assert {span.start_ts.minute for span in spans(QUIET, window=window)} == {15}
