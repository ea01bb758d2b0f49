"""What of a large result is taken to the page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from pipelines import collect

UNCLEAN = Path(__file__).parent.parent / "traces" / "unclean-election-zk-2.8.2"


def table(result: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(result / "tables" / name)


def partitions(frame: pd.DataFrame) -> set[tuple[str, int]]:
    return set(zip(frame.topic, frame.partition, strict=True))


def test_tables_that_are_small_are_taken_whole(spark, result_of):
    result = result_of(UNCLEAN)
    small = collect.frames(spark, result)
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


def test_of_large_ones_the_partitions_that_lost_most_are_taken_and_all_are_counted(spark, result_of, monkeypatch):
    monkeypatch.setattr(collect, "MOST_DRAWN", 10)
    monkeypatch.setattr(collect, "MOST_PARTITIONS", 2)
    result = result_of(UNCLEAN)
    small = collect.frames(spark, result)
    losses = table(result, "losses")
    committed = losses[(losses.loss_class == "committed") & (losses.verdict == "PROVEN_LOSS")]
    lost = (committed.to_offset_low - committed.from_offset).groupby([committed.topic, committed.partition]).sum()
    most = sorted(lost.index, key=lambda key: (-lost[key], key))[:2]
    assert partitions(small["leader_epochs"]) == partitions(small["isr_spans"]) == set(most)
    assert small["totals"].set_index("table").partitions.to_dict() == {
        name: len(partitions(table(result, name)))
        for name in ("leader_epochs", "isr_spans", "commit_bands", "high_watermarks", "follower_positions")
    }


def test_figures_that_stand_alone_are_cut_alone(spark, result_of, monkeypatch):
    result = result_of(UNCLEAN)
    monkeypatch.setattr(collect, "MOST_DRAWN", max(len(table(result, name)) for name in ("leader_epochs", "isr_spans")))
    monkeypatch.setattr(collect, "MOST_PARTITIONS", 2)
    small = collect.frames(spark, result)
    assert len(small["isr_spans"]) == len(table(result, "isr_spans"))
    assert len(partitions(small["commit_bands"])) == len(partitions(small["high_watermarks"])) == 2


def test_of_a_table_that_is_cut_what_is_lost_stays_and_the_cut_is_told(spark, result_of, monkeypatch):
    monkeypatch.setattr(collect, "MOST_ROWS", 3)
    small = collect.frames(spark, result_of(UNCLEAN))
    assert list(small["losses"].verdict) == ["PROVEN_LOSS"] * 3
    assert "losses: 3 of its rows are told of here; the table of the result holds all" in collect.cut_short(small)


def test_what_nodes_and_topics_say_of_themselves_is_taken_with_its_line(spark, result_of):
    small = collect.frames(spark, result_of(UNCLEAN))
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
