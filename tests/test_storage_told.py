"""Where replicas lie, and what of a log lies in the remote store, as page and `diff` tell them."""

from __future__ import annotations

import pandas as pd

from pipelines.answers.diff import _directories
from pipelines.answers.partition import story
from pipelines.answers.times import Clock, zone
from tests.frames import whole
from viz.markup import Evidence
from viz.storage import directories_grid, remote_grid


def at(time: str) -> pd.Timestamp:
    return pd.Timestamp(f"2024-05-01 {time}")


def lain(*rows: tuple) -> pd.DataFrame:
    names = ("change", "log_dir", "start_ts", "end_ts", "before")
    return whole(
        "log_directories",
        pd.DataFrame(
            [dict(zip(names, row, strict=True), topic="orders", partition=0, node_id=1, evidence=["e"]) for row in rows]
        ),
    )


MOVED = lain(
    ("created", "/d0", at("10:00:00"), at("10:05:00"), None),
    ("copying", "/d1", at("10:04:00"), at("10:05:00"), None),
    ("moved", "/d1", at("10:05:00"), None, "/d0"),
    ("copying", "/d2", at("10:20:00"), at("10:21:00"), None),
    ("copying", "/d0", at("10:30:00"), None, None),
)


def test_each_move_is_one_row_and_so_is_a_copy_that_took_no_place():
    grid = directories_grid(MOVED, Evidence(pd.DataFrame()))
    assert [(str(row[0]), row[1], row[2], row[3]) for row in grid.rows] == [
        ("orders-0", "broker 1", "/d0", "/d1"),
        ("orders-0", "broker 1", "/d1", "/d2"),
        ("orders-0", "broker 1", "/d1", "/d0"),
    ]
    assert [str(row[5]) for row in grid.rows[1:]] == ["canceled at 10:21:00.000", "not moved in these logs"]


def test_diff_names_the_directories_between_which_a_replica_moved():
    clock = Clock(zone("UTC"))
    told = list(_directories(MOVED, at("10:04:30"), at("10:06:00"), clock))
    assert told == ["Log directory of orders-0 on broker 1: /d0 -> /d1 at 10:05:00.000"]
    assert list(_directories(MOVED, at("10:06:00"), at("10:10:00"), clock)) == []


def test_the_story_of_a_partition_reports_its_moves():
    told = story({"log_directories": MOVED})
    assert list(told.what) == ["directory"] * 5
    assert list(told.told)[:3] == [
        "broker 1 has its log in /d0",
        "broker 1 began to copy its log to /d1",
        "broker 1 moved its log from /d0 to /d1",
    ]


def test_a_new_leader_shows_where_the_remote_log_ends_or_that_nothing_is_there():
    frame = whole(
        "remote_logs",
        pd.DataFrame(
            [
                dict(topic="orders", partition=2, ts=at(time), node_id=3, change=change, evidence=["e"], **offsets)
                for time, change, offsets in (
                    ("10:00:02", "found_log_start", {"log_start_offset": 0}),
                    ("10:00:03", "found_remote_end", {"remote_end_offset": 590, "leader_epoch": 4}),
                    ("10:00:04", "found_remote_end", {}),
                    ("10:09:00", "copied", {"segment_base_offset": 591}),
                )
            ]
        ),
    )
    assert [row[3] for row in remote_grid(frame, Evidence(pd.DataFrame())).rows] == [
        "Became leader: the log starts at offset 0",
        "Became leader: the remote log ends at offset 590, leader epoch 4",
        "Became leader: nothing found in the remote store",
        "Last segment copied: it begins at offset 591",
    ]
