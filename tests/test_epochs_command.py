"""`kafka-replay epochs`: files as people read them, where they part, and what a follower does about it."""

from __future__ import annotations

import json
import sys

import pandas as pd
import pytest

from pipelines.cli import main
from pipelines.commands.epochs import epochs
from replay.errors import InputError
from replay.tables import DECLARED
from tests.each import for_each
from viz.partings import of_releases, parting, what_it_does

CASES = {
    "the same": ([(0, 0), (3, 120)], [(0, 0), (3, 120)], True, None),
    "a follower lags": ([(12, 0), (13, 16)], [(12, 0)], True, None),
    "an unclean election": ([(0, 0), (3, 120), (4, 135)], [(0, 0), (3, 120)], True, None),
    "a leader epoch that the leader never saw": ([(0, 0), (2, 10)], [(0, 0), (1, 8)], False, 8),
    "the leader parts first": ([(0, 0), (2, 7)], [(0, 0), (1, 9)], False, 7),
    "the leader has nothing newer": ([(0, 0)], [(0, 0), (1, 8)], False, 8),
    "a first entry at the log start": ([(5, 30), (6, 44)], [(4, 10), (5, 28), (6, 44)], True, None),
    "one at the log start that differs after it": ([(5, 30), (6, 44)], [(5, 28), (7, 50)], False, 44),
    "an empty leader epoch": ([(1, 0), (2, 1)], [(0, 0), (1, 0), (2, 1)], True, None),
    "an empty leader epoch in the middle": ([(0, 0), (2, 10)], [(0, 0), (1, 10), (2, 10)], True, None),
    "a compacted log, copied": ([(0, 17), (1, 55), (2, 90), (4, 100)], [(0, 0), (1, 40), (2, 90)], True, None),
    "an empty file": ([(0, 0)], [], True, None),
}


@for_each(("leader", "follower", "is_behind", "offset"), CASES.values(), ids=CASES)
def test_where_two_files_part(leader, follower, is_behind, offset):
    found = parting(leader, follower)
    assert (found.is_behind, found.offset) == (is_behind, offset)


def test_what_a_follower_does_is_reported_by_release():
    does = what_it_does([(0, 0), (2, 10)], [(0, 0), (1, 8)])
    assert list(does) == ["up to 0.10.2", "0.11 to 1.1", "2.0 to 2.7", "2.8 and later"]
    assert (
        "truncates to 10 at most: its records from 8 to there differ from the leader's, and stay" in does["0.11 to 1.1"]
    )
    assert "truncates to 8 at most" in does["2.0 to 2.7"]
    assert "truncates to 8 at most" in does["2.8 and later"]
    unanswered = what_it_does([(0, 0)], [(0, 0), (3, 4)])
    assert "truncates to its own high watermark" in unanswered["0.11 to 1.1"]
    assert "continues at the leader's log end" in unanswered["2.8 and later"]
    assert "keeps its log up to 16" in what_it_does([(12, 0), (13, 16)], [(12, 0)])["0.11 and later"]
    assert "compares nothing before" in what_it_does([(0, 0), (2, 10)], [(0, 0), (1, 8), (2, 10)])["0.11 and later"]


@pytest.mark.parametrize(
    ("releases", "expected"),
    [
        (["2.8.2"], "2.8 and later: c"),
        (["1.1.1", "2.0.0"], "0.11 to 1.1: a; 2.0 to 2.7: b"),  # an upgrade
        ([], "up to 0.10.2: z; 0.11 to 1.1: a; 2.0 to 2.7: b; 2.8 and later: c"),
        (["trunk"], "up to 0.10.2: z; 0.11 to 1.1: a; 2.0 to 2.7: b; 2.8 and later: c"),
    ],
)
def test_of_a_known_release_only_what_it_does_is_shown(releases, expected):
    actions = {"up to 0.10.2": "z", "0.11 to 1.1": "a", "2.0 to 2.7": "b", "2.8 and later": "c"}
    assert of_releases(actions, releases) == expected


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """A result of two partitions: broker 2 lags in visits-0, and has records of its own in orders-0."""
    folder = tmp_path_factory.mktemp("result")
    ts = pd.Timestamp

    def entry(*pairs):
        return [{"leader_epoch": e, "epoch_start_offset": s} for e, s in pairs]

    files = [
        (
            "visits",
            0,
            1,
            ts("2024-05-01T10:00:00"),
            None,
            entry((12, 0), (13, 16)),
            "(12 0)(13 16)",
            ["leader"],
            ["a:1"],
        ),
        ("visits", 0, 2, None, ts("2024-05-01T10:02:00"), entry((12, 0)), "(12 0)", ["file"], ["b:3"]),
        ("visits", 0, 2, ts("2024-05-01T10:02:00"), None, entry((12, 0), (13, 16)), "(12 0)(13 16)", ["append"], []),
        ("orders", 0, 1, None, None, entry((0, 0), (2, 10)), "(0 0)(2 10)", ["leader"], []),
        ("orders", 0, 2, None, None, entry((0, 0), (1, 8)), "(0 0)(1 8)", ["leader"], []),
    ]
    caches = [
        ("visits", 0, 2, 12, 0, None, None, False, ["file"], ["b:3"]),
        ("visits", 0, 2, 13, 16, ts("2024-05-01T10:02:00"), None, False, ["append"], ["b:9"]),
    ]
    led = [("visits", 0, 13, 1, ts("2024-05-01T10:00:00"), None), ("orders", 0, 2, 1, ts("2024-05-01T09:00:00"), None)]
    for name, rows, columns in (
        ("epoch_files", files, "topic partition node_id start_ts end_ts entries notation told_by evidence"),
        (
            "leader_epoch_caches",
            caches,
            "topic partition node_id leader_epoch epoch_start_offset start_ts end_ts clipped told_by evidence",
        ),
        ("leader_epochs", led, "topic partition leader_epoch leader_id start_ts end_ts"),
        ("coverage", [("a", ts("2024-05-01T09:00:00"), ts("2024-05-01T11:00:00"))], "source_file first_ts last_ts"),
    ):
        (folder / "tables" / name).mkdir(parents=True)
        table = pd.DataFrame(rows, columns=columns.split())
        for column in [name for name in table if name.endswith("_ts")]:
            table[column] = pd.to_datetime(table[column])
        table = table.assign(**{c.name: None for c in DECLARED[name].columns if c.name not in table})
        table.to_parquet(folder / "tables" / name / "part-0.parquet")
    for name in ("events", "findings"):
        (folder / "tables" / name).mkdir()
    return folder


def test_a_follower_that_lags_has_the_entry_once_the_first_record_came(result):
    before = list(epochs(result, ["visits-0"], at="2024-05-01T12:01:00+02:00"))
    assert before == [
        "visits-0 at 2024-05-01 10:01:00.000, leader epoch 13 led by broker 1",
        "  broker 1  (12 0)(13 16)",
        "  broker 2  (12 0)",
        "      (12 0)  since before the logs begin  read in its file  b:3",
        "  broker 2 has no entry (13 16) yet: a follower writes one with the first record of the leader epoch that it copies",
    ]
    after = list(epochs(result, ["visits-0"]))
    assert after[0] == "visits-0 at the end of the logs, leader epoch 13 led by broker 1"
    assert "  broker 2  (12 0)(13 16)" in after
    assert "      (13 16)  2024-05-01 10:02:00.000  a record had come by then  b:9" in after


def test_where_files_part_is_reported_with_what_follows_from_it(result):
    told = list(epochs(result, ["orders-0"]))
    assert (
        "  The files of brokers 1 and 2 diverge at offset 8: only the file of broker 2 has (1 8). As a follower of broker 1 it does this, by release:"
        in told
    )
    assert len([line for line in told if line.startswith("      ")]) == 4


def test_all_partitions_every_change_and_json(result):
    assert [line.split(" ")[0] for line in epochs(result) if not line.startswith(" ")] == ["orders-0", "visits-0"]
    assert list(epochs(result, ["visits-0"], history=True))[2:] == [
        "  broker 2  since before the logs begin  (12 0)  read in its file  b:3",
        "  broker 2  2024-05-01 10:02:00.000  (12 0)(13 16)  a record had come by then",
    ]
    told = [json.loads(line) for line in epochs(result, ["orders-0"], as_json=True)]
    assert [(row["node_id"], row["notation"], row["leader_id"], row["parts_at"]) for row in told] == [
        (1, "(0 0)(2 10)", 1, None),
        (2, "(0 0)(1 8)", 1, 8),
    ]
    assert told[1]["entries"][1] == {"leader_epoch": 1, "epoch_start_offset": 8}


@pytest.mark.parametrize(
    ("partition", "at", "said"),
    [
        ("orders", None, "orders: not a partition"),
        ("orders-7", None, "has no file of this partition; it has files of orders-0, visits-0"),
        ("orders-0", "yesterday-ish", "not a time"),
    ],
)
def test_what_cannot_be_answered_is_refused(result, partition, at, said):
    with pytest.raises(InputError, match=said):
        list(epochs(result, [partition], at=at))


def test_a_folder_without_a_result_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["kafka-replay", "epochs", str(tmp_path)])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert "no result of `kafka-replay analyze`" in capsys.readouterr().err
