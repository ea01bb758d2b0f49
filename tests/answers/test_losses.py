"""`kafka-replay losses`: the losses of a result as text, CSV and JSON."""

import csv
import json

import pytest

from pipelines.commands.losses import losses
from replay.errors import InputError
from tests.answers.test_questions import write

LOSSES = [
    {"topic": "orders", "partition": 1, "leader_epoch": 4, "ts": "07:33", "loss_class": "committed", "verdict": "PROVEN_LOSS", "from_offset": 10, "to_offset_low": 12, "to_offset_high": 15, "written_high": "07:32:59", "cut_ts": "07:33:01", "cut_by": [1], "cut_times": ["2026-11-21T07:33:01"], "recoverable_from": [2, 3], "evidence": ["n1:7", "n2:9"]},
    {"topic": "clicks, all", "partition": 0, "leader_epoch": 4, "ts": "07:33", "loss_class": "acked_possible", "verdict": "UNDETERMINED", "from_offset": 3, "evidence": []},
    {"topic": "orders", "partition": 0, "leader_epoch": 4, "ts": "07:33", "loss_class": "committed", "verdict": "NO_LOSS_OBSERVED", "from_offset": 10, "evidence": []},
]  # fmt: skip


def test_open_losses_are_listed_by_topic_and_those_without_loss_are_not(tmp_path):
    result = write(tmp_path / "r", losses=LOSSES)
    assert [line.split("  ")[0] for line in losses(result)] == [
        "clicks, all-0",
        "orders-1",
        "2 losses that these logs prove, allow or cannot decide.",
    ]
    orders = next(losses(result, ["orders"]))
    assert (
        "PROVEN_LOSS  committed  at most [10, 15), certainly [10, 12)  written before 2026-11-21T07:32:59.000Z"
        in orders
    )
    assert orders.endswith("truncated at 2026-11-21T07:33:01.000Z  [n1:7]")


def test_each_broker_that_truncated_them_is_named_with_its_time(tmp_path):
    row = LOSSES[0] | {"cut_by": [3, 1], "cut_times": ["2026-11-21T07:32:58", "2026-11-21T07:33:01"]}
    (line, _) = losses(write(tmp_path / "r", losses=[row]))
    assert "truncated by broker 3 at 2026-11-21T07:32:58.000Z and by broker 1 at 2026-11-21T07:33:01.000Z" in line


def test_csv_quotes_names_and_leaves_unknown_bounds_empty(tmp_path):
    rows = list(csv.DictReader(losses(write(tmp_path / "r", losses=LOSSES), as_csv=True)))
    assert [row["topic"] for row in rows] == ["clicks, all", "orders"]
    assert rows[0]["to_offset_high"] == "" and rows[1]["recoverable_from"] == "2 3"


def test_json_has_one_object_per_loss(tmp_path):
    told = [json.loads(line) for line in losses(write(tmp_path / "r", losses=LOSSES), ["orders"], as_json=True)]
    assert [(one["partition"], one["to_offset_high"], one["evidence"]) for one in told] == [(1, 15, ["n1:7", "n2:9"])]


def test_records_are_counted_before_and_after_the_election(tmp_path):
    row = LOSSES[0] | {
        "loss_class": "acked_possible",
        "before_low": 2,
        "before_high": 4,
        "after_low": 0,
        "after_high": 3,
    }
    (told,) = map(json.loads, list(losses(write(tmp_path / "r", losses=[row]), as_json=True))[:1])
    assert [told[name] for name in ("before_low", "before_high", "after_low", "after_high")] == [2, 4, 0, 3]


def test_offsets_that_were_certainly_discarded_are_no_certain_loss(tmp_path):
    row = LOSSES[0] | {
        "verdict": "POSSIBLE_LOSS",
        "to_offset_low": 10,
        "to_offset_high": None,
        "discarded_to_offset": 14,
    }
    (line, _) = losses(write(tmp_path / "r", losses=[row]))
    assert "certainly [10, 10), certainly discarded [10, 14)" in line


def test_an_unknown_topic_is_an_error_not_an_all_clear(tmp_path):
    with pytest.raises(InputError, match=r"order: these logs have no line about this topic; did you mean orders"):
        list(losses(write(tmp_path / "r", losses=LOSSES), ["order"]))


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("07:00", "07:30", ["clicks, all-0", "orders-1"]),  # orders-1: no line shows that they were written later
        ("07:32:59", None, ["clicks, all-0", "orders-1"]),
        ("07:33", None, ["clicks, all-0"]),  # written before 07:32:59
        (None, "07:10", ["clicks, all-0", "orders-1"]),
    ],
)
def test_losses_of_records_that_can_have_been_written_in_a_time(tmp_path, since, until, expected):
    result = write(tmp_path / "r", losses=LOSSES)
    assert [line.split("  ")[0] for line in losses(result, since=since, until=until)][:-1] == expected


def test_records_written_after_the_time_are_left_out(tmp_path):
    row = LOSSES[0] | {"written_low": "07:32:10"}
    assert len(list(losses(write(tmp_path / "r", losses=[row]), until="07:32"))) == 1
    assert len(list(losses(write(tmp_path / "r2", losses=[row]), until="07:33"))) == 2


def test_losses_are_listed_by_owner(tmp_path):
    (tmp_path / "topics.csv").write_text("topic,owner\norders,a-team\n")
    result = write(tmp_path / "r", losses=LOSSES)
    lines = [line.split("  ")[0] for line in losses(result, owners=tmp_path / "topics.csv")]
    assert lines[:2] == ["a-team: orders-1", "clicks, all-0"]
    (tmp_path / "wrong.csv").write_text("name\norders\n")
    with pytest.raises(InputError, match="needs a header with the columns topic and owner"):
        list(losses(result, owners=tmp_path / "wrong.csv"))


@pytest.mark.parametrize(("since", "until"), [("07:40", "07:50"), ("07:40", None), (None, "07:20")])
def test_a_time_outside_the_logs_is_no_time_without_losses(tmp_path, since, until):
    covered = [{"node_id": 1, "source_file": "n1", "first_ts": "07:30", "last_ts": "07:34"}]
    result = write(tmp_path / "r", losses=LOSSES, coverage=covered)
    with pytest.raises(
        InputError, match=r"outside these logs, which reach from 2026-11-21 07:30:00\.000 to 2026-11-21 07:34"
    ):
        list(losses(result, since=since, until=until))
