"""The voters and the levels of features as page, `at` and `diff` tell them: what several nodes say, put together."""

from __future__ import annotations

import re

import pandas as pd

from tests.frames import whole
from viz.control_plane import level_history, levels_at, named, voter_history, voters_at
from viz.ledgers import eligible_leaders
from viz.markup import Evidence

A, B, C = "FsDYUZLpQlGZOvhGuwsRAA", "U7WZ3dplUV9ENbaBBpfaXw", "7YeAmIl4L8mdLTN4a_TkKA"


def at(time: str) -> pd.Timestamp:
    return pd.Timestamp(f"2024-05-01 {time}")


def sets(*rows: tuple) -> pd.DataFrame:
    names = ("node_id", "start_ts", "voters", "directory_ids", "metadata_offset", "added", "removed")
    return whole(
        "voter_sets",
        pd.DataFrame(
            [dict(zip(names, row, strict=True), dynamic=row[4] is not None, evidence=[f"n{row[0]}"]) for row in rows]
        ),
    )


def test_nodes_that_read_one_record_show_one_set():
    frame = sets(
        (101, at("10:00:00"), [101, 102], [A, B], 2, [], []),
        (102, at("10:00:02"), [101, 102], [A, B], 2, [], []),
        (102, at("10:30:00.100"), [101, 103], [A, C], 700, [103], [102]),
        (101, at("10:30:00"), [101, 103], [A, C], 700, [103], [102]),
        (7, at("10:40:00"), [101, 103], [A, C], 700, [], []),
    )
    first, second = voter_history(frame)
    assert (first.told_by, second.told_by) == ((101, 102), (7, 101, 102))
    assert (second.ts, second.added, second.removed) == (at("10:30:00"), (103,), (102,))
    assert named(second) == f"101 ({A}), 103 ({C})"
    assert voters_at(frame, at("10:10:00")) == first and voters_at(frame, at("09:00:00")) is None


def test_static_voters_are_one_set_though_only_the_leader_knows_directories():
    frame = sets(
        (101, at("10:00:00"), [101, 102], [A, B], None, [], []),
        (102, at("10:00:02"), [101, 102], [None, None], None, [], []),
        (103, at("10:00:03"), [101, 103], [None, None], None, [], []),
    )
    same, other = voter_history(frame)
    assert (same.told_by, named(same)) == ((101, 102), f"101 ({A}), 102 ({B})")
    assert (other.told_by, other.voters) == ((103,), (101, 103)), "a node that was given others"


def test_a_level_counts_once_and_what_a_later_start_reads_of_the_past_is_no_change():
    frame = whole(
        "feature_levels",
        pd.DataFrame(
            [
                dict(node_id=node, feature=feature, level=level, start_ts=at(time), changed=changed, evidence=["e"])
                for node, feature, level, time, changed in (
                    (101, "metadata.version", "4.0-IV3", "10:00:00", False),
                    (102, "metadata.version", "4.0-IV3", "10:00:01", False),
                    (101, "metadata.version", "4.4-IV2", "10:30:00", True),
                    (102, "metadata.version", "4.4-IV2", "10:30:01", True),
                    (103, "metadata.version", "4.0-IV3", "10:40:00", False),
                    (101, "group.version", "1", "10:00:00", False),
                )
            ]
        ),
    )
    told = [(one.feature, one.level, one.before) for one in level_history(frame)]
    assert told == [
        ("group.version", "1", None),
        ("metadata.version", "4.0-IV3", None),
        ("metadata.version", "4.4-IV2", "4.0-IV3"),
    ]
    assert levels_at(frame, at("10:10:00")) == {"group.version": "1", "metadata.version": "4.0-IV3"}


def test_those_who_could_be_elected_stand_in_one_row_for_all_partitions_alike():
    frame = whole("eligible_leaders", pd.DataFrame(
        [
            dict(topic="orders", partition=partition, leader_epoch=3, leader_id=-1, isr=[], elr=elr, last_known_elr=[3], start_ts=at("10:00:20"), end_ts=None, evidence=["e"])
            for partition, elr in ((0, [2, 3]), (1, [2, 3]), (2, [2]))
        ]
    ))  # fmt: skip
    told = eligible_leaders(frame, Evidence(pd.DataFrame()))
    assert [[text_of(cell) for cell in row[1:7]] for row in told.rows] == [
        ["still open", "2 partitions orders-0, orders-1", "no leader", "–", "2 and 3", "3"],
        ["still open", "orders-2", "no leader", "–", "2", "3"],
    ]
    assert (told.count, told.more) == (3, "")


def text_of(cell: object) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", str(cell)).split())
