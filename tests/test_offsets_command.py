"""`kafka-replay offsets`: which offset is which, with the partition's own numbers."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pandas as pd
import pytest

from pipelines.cli import main
from pipelines.commands.offsets import READ, offsets
from replay.errors import InputError
from replay.tables import DECLARED
from tests.frames import frame
from viz.which_offset import which_offset

TOLD = """
    topic  | partition | ts       | tool                  | what             | value | group   | set_aside     | evidence
    orders | 0         | 10:52:54 | kafka-consumer-groups | committed        | 3979  | billing |               | g.txt:3
    orders | 0         | 10:52:54 | kafka-consumer-groups | high_watermark   | 4605  |         |               | g.txt:3
    orders | 0         |          | kafka-get-offsets     | log_start_offset | 4394  |         |               | s.txt:9
    bills  | 0         | 10:52:54 | kafka-get-offsets     | high_watermark   | 7     |         | other_cluster | x.txt:1 """
MARKS = """
    topic  | partition | node_id | ts       | source     | log_end_offset
    orders | 0         | 1       | 10:52:20 | log_rolled | 4560 """


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("result")
    rows = {"told_offsets": frame("told_offsets", TOLD), "high_watermarks": frame("high_watermarks", MARKS)}
    for name in READ:
        (folder / "tables" / name).mkdir(parents=True)
        table = rows.get(name, pd.DataFrame())
        table = table.assign(**{c.name: None for c in DECLARED[name].columns if c.name not in table})
        table.to_parquet(folder / "tables" / name / "part-0.parquet")
    (folder / "tables" / "events").mkdir()
    return folder


def test_the_offsets_of_a_partition_from_low_to_high(result):
    told = list(offsets(result, ["orders-0"]))
    assert [line.strip() for line in told if not line.startswith("                ")] == [
        "orders-0",
        "4394  log start offset (kafka-get-offsets)",
        "3979  committed offset of group billing (kafka-consumer-groups, 2024-05-01 10:52:54.000)",
        "unknown  last stable offset",
        "4605  high watermark (kafka-consumer-groups, 2024-05-01 10:52:54.000)",
        "4560  log end offset of broker 1 (line (it began a new log segment), 2024-05-01 10:52:20.000)",
        "x.txt: set aside: from another cluster: these logs contain none of its topics",
    ]
    assert "Lag: 626" in "".join(told) and "415 offsets that it did not read are deleted" in "".join(told)


def test_as_json(result):
    told = [json.loads(line) for line in offsets(result, ["orders-0"], as_json=True)]
    assert {one["name"]: one["value"] for one in told}["high watermark"] == 4605
    assert told[0]["evidence"] == ["s.txt:9"]


@pytest.mark.parametrize(
    ("name", "says"), [("orders", "not a partition"), ("orders-7", "no line of these logs and no tool output has it")]
)
def test_what_is_not_there_is_said_in_one_line(result, name, says, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["kafka-replay", "offsets", str(result), name])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err.strip()
    assert says in said and "\n" not in said


def test_a_folder_that_is_no_result_is_refused(tmp_path):
    with pytest.raises(InputError, match="no result of `kafka-replay analyze`"):
        list(offsets(tmp_path, ["orders-0"]))


def test_the_checkpoint_files_have_a_high_watermark_without_a_time():
    marks = [
        SimpleNamespace(
            node_id=node, ts=None, source=source, high_watermark=1640, log_end_offset=None, evidence=("f:1",)
        )
        for node, source in ((2, "checkpoint_high_watermark"), (1, "checkpoint_high_watermark"), (1, "leader_start"))
    ]
    found = [one for one in which_offset([], marks, [], []) if one.value is not None]
    assert [(one.name, one.value, one.told_by, one.ts) for one in found] == [
        (f"high watermark in the checkpoint file of broker {node}", 1640, "file without a time", None)
        for node in (1, 2)
    ]
    assert "can be from before or after the last line" in found[0].means
