"""What of a large result is taken to the page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from pipelines import collect
from pipelines.places import Place, rows_below
from pipelines.result import Result
from viz.frames import tidy

UNCLEAN = Path(__file__).parent.parent / "traces" / "unclean-election-zk-2.8.2"


def table(result: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(result / "tables" / name)


def partitions(frame: pd.DataFrame) -> set[tuple[str, int]]:
    return set(zip(frame.topic, frame.partition, strict=True))


def test_tables_that_are_small_are_taken_whole(result_of):
    result = result_of(UNCLEAN)
    small = collect.frames(Result(result).read)
    for name in (
        "leader_epochs",
        "isr_spans",
        "commit_bands",
        "high_watermarks",
        "truncations",
        "losses",
        "findings",
        "incidents",
        "coverage",
    ):
        assert len(small[name]) == len(table(result, name)) > 0, name
    assert collect.cut_short(small) == []


def test_of_large_ones_the_partitions_that_lost_most_are_taken_whole_and_all_are_counted(result_of, monkeypatch):
    result = result_of(UNCLEAN)
    large = ("leader_epochs", "isr_spans")
    rows_of = {name: table(result, name) for name in large}
    room = max(frame.groupby(["topic", "partition"]).size().max() for frame in rows_of.values()) * 2
    monkeypatch.setattr(collect, "MOST_ROWS", int(room))
    monkeypatch.setattr(collect, "MOST_PARTITIONS", 2)
    small = collect.frames(Result(result).read)
    losses = table(result, "losses")
    committed = losses[(losses.loss_class == "committed") & (losses.verdict == "PROVEN_LOSS")]
    lost = (committed.to_offset_low - committed.from_offset).groupby([committed.topic, committed.partition]).sum()
    most = sorted(lost.index, key=lambda key: (-lost[key], key))[:2]
    totals = small["totals"].set_index("table")
    for name, every in rows_of.items():
        assert partitions(small[name]) == set(most), name
        assert len(small[name]) == len(every[[key in most for key in zip(every.topic, every.partition, strict=True)]])
        assert (totals.partitions[name], totals.rows[name]) == (len(partitions(every)), len(every))


def test_of_a_table_that_is_cut_what_is_lost_stays_and_the_cut_is_reported(result_of, monkeypatch):
    """Partitions are shown whole, those that lost most first."""
    result = result_of(UNCLEAN)
    monkeypatch.setattr(collect, "MOST_ROWS", 3)
    small = collect.frames(Result(result).read)
    every = table(result, "losses")
    taken = partitions(small["losses"])
    whole = [key in taken for key in zip(every.topic, every.partition, strict=True)]
    assert 0 < len(small["losses"]) == sum(whole) < len(every)
    assert "PROVEN_LOSS" in set(small["losses"].verdict)
    assert any(line.startswith("losses: ") for line in collect.cut_short(small))


def test_what_nodes_and_topics_say_of_themselves_is_taken_with_its_line(result_of):
    small = collect.frames(Result(result_of(UNCLEAN)).read)
    facts = {(f.node_id, f.name): f.value for f in small["node_facts"].itertuples()}
    assert {value for (_, name), value in facts.items() if name == "kafka_version"} == {"2.8.2"}
    assert len({value for (_, name), value in facts.items() if name == "cluster_id"}) == 1
    unclean = small["topic_settings"][small["topic_settings"].name == "unclean.leader.election.enable"]
    assert dict(zip(unclean.topic, unclean.value, strict=True)) == {"orders": "true", "clicks": "true"}
    lines = set(small["evidence"].event_id)
    assert {*small["node_facts"].event_id, *small["topic_settings"].event_id} <= lines
    assert small["evidence"].tells.notna().all()
    assert {"F01", "R2", "S4", "I6"} <= set(small["glossary"].code)
    assert {"open", "closed"} <= set(small["availability"].state)


def test_a_result_at_a_url_is_read_through_spark_and_gives_the_same_frames(spark, result_of):
    result = result_of(UNCLEAN)
    on_disk = collect.frames(Result(result).read)
    at_url = collect.frames(rows_below(spark, Place(f"file:{result}")))
    for name, frame in on_disk.items():
        assert tidy(frame, name).equals(tidy(at_url[name], name)), name


def test_of_what_a_remote_log_repeats_the_last_stays_and_what_leaders_found_stays_whole():
    remote = pd.DataFrame(
        [
            ("copied", 1, "a"),
            ("copied", 2, "b"),
            ("copied", 2, "c"),
            ("found_log_start", 1, "d"),
            ("found_log_start", 2, "e"),
        ],
        columns=["change", "ts", "line"],
    ).assign(topic="orders", partition=0, node_id=1, evidence=lambda rows: rows.line.map(lambda line: (line,)))
    assert sorted(collect._last_remote_states(remote).line) == ["c", "d", "e"]


@pytest.mark.parametrize(
    ("raw_ts", "told"),
    [
        ("12:21:54.457", "The process starts; printed at 12:21:54.457 by its own clock"),
        ("12:20:24.417", "The process starts"),  # too near to mislead a reader
        ("14:20:24.457", "The process starts"),  # in another time zone
        (None, "The process starts"),
    ],
)
def test_a_line_of_a_wrong_clock_shows_its_stamp_as_printed(raw_ts, told):
    printed = None if raw_ts is None else pd.Timestamp(f"2026-11-27 {raw_ts}")
    assert collect.gloss("process_start_line", pd.Timestamp("2026-11-27 12:20:24.434"), printed) == told


def test_the_largest_tables_of_partitions_are_cut_until_all_others_fit_together(monkeypatch):
    monkeypatch.setattr(collect, "MOST_ROWS", 100)
    monkeypatch.setattr(collect, "MOST_ROWS_TOGETHER", 230)
    assert collect._too_large({"losses": 101, "edges": 95, "elections": 60, "isr_spans": 80}) == ["losses", "isr_spans"]
    assert collect._too_large({"losses": 100, "edges": 50, "isr_spans": 80}) == []
