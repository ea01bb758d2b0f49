"""Where each replica's log starts, and why."""

from __future__ import annotations

import pandas as pd
import pytest

from replay.offsets.log_starts import log_starts
from replay.tables import EVENTS, LOG_STARTS
from replay.tables.arrow import to_arrow
from tests.recordings import TRACES, events_of
from tests.stages import plain
from tests.tables import of_each_partition, rows, same_rows

RECORDED = TRACES / "retention-kraft-3.9.1"


def log_starts_of(text: str):
    return of_each_partition(log_starts, rows(EVENTS, text))


def test_no_lines_no_log_starts():
    assert list(log_starts([])) == []


def test_a_copy_in_another_log_directory_is_not_the_log():
    assert not log_starts_of("""
        ts       | kind               | node_id | topic  | partition | log_start_offset | details
        10:00:00 | log_created        | 1       | orders | 0         |                  | log_dir=/d1/orders-0.eb64503abb0d40e0a12a8149ad15f666-future
        10:00:05 | log_load_completed | 1       | orders | 0         | 0                | loaded_log=Log(dir=/d1/orders-0.eb64503abb0d40e0a12a8149ad15f666-future, topic=orders)""")


def test_a_log_start_moves_for_the_reason_that_the_line_gives():
    same_rows(
        log_starts_of("""
        ts       | kind                         | node_id | topic  | partition | log_start_offset | details
        10:00:00 | log_created                  | 1       | orders | 0         |                  |
        10:00:01 | log_start_offset_incremented | 1       | orders | 0         | 317              | reason=segment deletion
        10:00:02 | log_start_offset_incremented | 2       | orders | 0         | 317              | reason=leader offset increment
        10:00:03 | log_start_offset_incremented | 1       | orders | 0         | 320              | reason=client delete records request
        10:00:04 | log_start_offset_incremented | 3       | clicks | 0         | 16               |
        10:00:05 | log_load_completed           | 3       | clicks | 0         | 16               | """),
        LOG_STARTS,
        """
        node_id | topic  | ts       | change             | log_start_offset | from_offset
        1       | orders | 10:00:00 | created            | 0                |
        1       | orders | 10:00:01 | moved_by_retention | 317              |
        2       | orders | 10:00:02 | moved_by_leader    | 317              |
        1       | orders | 10:00:03 | moved_by_request   | 320              |
        3       | clicks | 10:00:04 | moved              | 16               |
        3       | clicks | 10:00:05 | loaded             | 16               |             """,
    )


def test_segments_come_and_go():
    same_rows(
        log_starts_of("""
        ts       | kind                 | node_id | topic  | partition | log_end_offset | details
        10:00:00 | log_rolled           | 1       | orders | 0         | 317            |
        10:00:01 | log_retention_delete | 1       | orders | 0         |                | segment=LogSegment(baseOffset=0, size=9);retention_ms=20000
        10:00:02 | log_retention_delete | 1       | orders | 0         |                | segment=LogSegment(baseOffset=17, size=9);retention_size=400
        10:00:03 | log_cleaner_progress | 1       | my-topic | 3       |                | log_name=my-topic-3;from_offset=212;to_offset=413
        10:00:04 | log_cleaner_progress | 1       | my-topic | 3       |                | log_name=my-topic-3 """),
        LOG_STARTS,
        """
        topic    | partition | ts       | change         | from_offset | to_offset | log_start_offset
        orders   | 0         | 10:00:00 | rolled         | 317         |           |
        orders   | 0         | 10:00:01 | retention_time | 0           |           |
        orders   | 0         | 10:00:02 | retention_size | 17          |           |
        my-topic | 3         | 10:00:03 | compacted      | 212         | 413       |                 """,
    )


def test_a_segment_of_a_tiered_topic_that_goes_locally_is_distinguished():
    local = "due to local log retention time 12000ms breach"
    same_rows(
        log_starts_of(f"""
        ts       | kind                 | node_id | topic  | partition | message | details
        10:00:00 | log_retention_delete | 1       | orders | 0         | Deleting segment {local} | segment=LogSegment(baseOffset=0, size=9);retention_ms=12000
        10:00:01 | log_retention_delete | 1       | orders | 0         | Deleting segment due to local log retention size 9 breach. | segment=LogSegment(baseOffset=17, size=9);local_retention_size=9
        10:00:02 | log_retention_delete | 1       | orders | 0         | Deleting segment due to log retention time 9ms breach | segment=LogSegment(baseOffset=19, size=9);retention_ms=9 """),
        LOG_STARTS,
        """
        topic  | partition | ts       | change               | from_offset
        orders | 0         | 10:00:00 | local_retention_time | 0
        orders | 0         | 10:00:01 | local_retention_size | 17
        orders | 0         | 10:00:02 | retention_time       | 19          """,
    )


def test_a_follower_restarts_at_its_leaders_log_start_only_if_its_log_ends_before_it():
    """Up to 3.5 the line is also printed by a follower whose log reaches further: it deletes nothing."""
    same_rows(
        log_starts_of("""
        ts       | kind                               | node_id | topic  | partition | log_end_offset | details
        10:00:00 | fetch_offset_reset_to_leader_start | 1       | orders | 0         |                | replica_end_offset=1718;leader_start_offset=2731
        10:00:01 | fetch_offset_reset_to_leader_start | 1       | orders | 1         | 120            | leader_start_offset=130
        10:00:02 | fetch_offset_reset_to_leader_start | 1       | orders | 2         | 120            | leader_start_offset=16 """),
        LOG_STARTS,
        """
        partition | change              | log_start_offset | from_offset | to_offset
        0         | restarted_at_leader | 2731             | 1718        | 2731
        1         | restarted_at_leader | 130              | 120         | 130       """,
    )


@pytest.fixture(scope="module")
def recorded(spark, tmp_path_factory) -> pd.DataFrame:
    """What is told of a real cluster's log starts."""
    events = events_of(spark, RECORDED.name, tmp_path_factory.mktemp("retention"))
    lines = plain(EVENTS.of(events.where("kind is not null and topic is not null and partition is not null")), EVENTS)
    found = to_arrow(LOG_STARTS, of_each_partition(log_starts, lines)).to_pandas()
    return found.assign(ts=found.ts.dt.tz_localize(None))


def _true(source: str) -> pd.DataFrame:
    known = pd.read_csv(RECORDED / "truth" / "log_starts.csv")
    known = known[(known.source == source) & (known.log_start_offset > 0)]
    return known.assign(ts=pd.to_datetime(known.time_ms, unit="ms"))


def test_each_true_log_start_is_reported(recorded):
    """What a leader told a client, and where the first segment of a disk began, is where the log started by then."""
    starts = recorded[recorded.ts.notna() & recorded.log_start_offset.notna()]
    slack = pd.Timedelta(milliseconds=700)  # leaders and disks were asked a few times a second
    compared = 0
    for source in ("leader", "disk"):
        for row in _true(source).itertuples():
            log_starts_of = starts[(starts.topic == row.topic) & (starts.partition == row.partition)]
            # A compacted log, and one whose records were deleted by request, start within their first segment.
            if source == "disk":
                log_starts_of = log_starts_of[log_starts_of.node_id == row.node_id]
                if (row.topic, row.partition) in (("orders", 1), ("profiles", 0)):
                    continue
            held = log_starts_of[
                (log_starts_of.ts > log_starts_of[log_starts_of.ts <= row.ts - slack].ts.max() - slack)
                & (log_starts_of.ts <= row.ts + slack)
            ]
            assert row.log_start_offset in set(held.log_start_offset), row
            compared += 1
    assert compared > 100


def test_a_request_a_compaction_and_a_follower_that_came_too_late_are_reported(recorded):
    def ranges(change):
        some = recorded[recorded.change == change]
        return {
            (f"{r.topic}-{r.partition}", int(r.node_id), int(r.log_start_offset if pd.isna(r.from_offset) else r.from_offset), None if pd.isna(r.to_offset) else int(r.to_offset))
            for r in some.itertuples()
        }  # fmt: skip

    assert ranges("moved_by_request") == {("orders-1", 1, 1330, None)}
    assert ranges("restarted_at_leader") == {
        ("orders-0", 1, 1718, 2731),
        ("orders-1", 1, 1717, 2736),
        ("clicks-0", 1, 1714, 2703),
        ("clicks-1", 1, 1714, 2786),
    }
    assert {("profiles-0", node, 0, 212) for node in (1, 2, 3)} <= ranges("compacted")
    assert set(recorded[recorded.change == "retention_size"].topic) == {"clicks"}
    assert set(recorded[recorded.change == "retention_time"].topic) == {"orders"}
