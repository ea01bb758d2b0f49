"""Where logs are missing less is said, and nothing that all logs contradict. `python -m tests.fewer_logs` does more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pytest

from pipelines.main_job import analyze
from tests.each import for_each
from tests.fewer_logs import contradictions, parts, tables
from tests.recordings import TRACES
from tests.rewriter import rewrite

TRACE = TRACES / "unclean-election-elr-kraft-4.2.0"
COLUMNS = {
    "leader_epochs": ["topic", "partition", "leader_epoch", "leader_id"],
    "isr_spans": ["topic", "partition", "leader_epoch", "isr"],
    "commit_bands": ["topic", "partition", "start_ts", "end_ts", "committed_low", "committed_high"],
    "losses": [
        "topic",
        "partition",
        "leader_epoch",
        "verdict",
        "loss_class",
        "from_offset",
        "to_offset_low",
        "to_offset_high",
    ],
    "findings": ["code", "broker_ids", "role", "severity"],
    "violations": ["invariant", "topic", "partition", "verdict"],
}


def tables_of(**rows: Sequence[tuple]) -> Mapping[str, pd.DataFrame]:
    return {name: pd.DataFrame(rows.get(name, []), columns=columns) for name, columns in COLUMNS.items()}


def at(second: int) -> pd.Timestamp:
    return pd.Timestamp("2024-05-01 10:00:00") + pd.Timedelta(seconds=second)


WHOLE = tables_of(
    leader_epochs=[("orders", 0, 4, 1), ("orders", 0, 5, -1), ("orders", 0, 6, None)],
    isr_spans=[("orders", 0, 4, [1, 2])],
    commit_bands=[("orders", 0, at(0), at(20), 100, 120)],
    losses=[
        ("orders", 0, 4, "PROVEN_LOSS", "committed", 100, 110, 110),
        ("orders", 0, 6, "POSSIBLE_LOSS", "committed", 50, 50, None),
    ],
    findings=[("F01", [2], "root_cause", "high"), ("F11", [], "root_cause", "high")],
    violations=[("I5", "orders", 0, "violated")],
)


@for_each(
    "fewer",
    [
        tables_of(),
        tables_of(
            leader_epochs=[("orders", 0, 4, None), ("orders", 0, 6, 3)]
        ),  # less, and what the whole does not know either
        tables_of(isr_spans=[("orders", 0, 4, [2, 1]), ("orders", 0, 4, None)]),
        tables_of(commit_bands=[("orders", 0, at(0), None, 0, 500)]),
        tables_of(commit_bands=[("orders", 0, at(19), None, 500, 600)]),  # no longer than two clocks may differ
        tables_of(
            losses=[
                ("orders", 0, 4, "UNDETERMINED", "committed", 90, 90, None),
                ("orders", 0, 6, "PROVEN_LOSS", "committed", 60, 70, 70),
            ]
        ),
        tables_of(losses=[("orders", 0, 4, "NO_LOSS_OBSERVED", "acked_possible", 110, 110, 110)]),
        tables_of(
            findings=[
                ("F00", [2], "root_cause", "medium"),
                ("F11", [1, 2, 3], "root_cause", "high"),
                ("F13", [3], "contributing", "high"),
                ("F02", [3], "root_cause", "info"),
            ]
        ),
        tables_of(violations=[("I5", "orders", 0, "violated"), ("I6", "orders", 0, "unknown")]),
    ],
)
def test_less_is_no_contradiction(fewer):
    assert list(contradictions(WHOLE, fewer)) == []


@for_each(
    ("fewer", "word"),
    [
        (tables_of(leader_epochs=[("orders", 0, 4, 2)]), "leader 2, in the whole 1"),
        (tables_of(leader_epochs=[("orders", 0, 7, 2)]), "epoch 7 of broker 2 is not in the whole"),
        (tables_of(isr_spans=[("orders", 0, 4, [1])]), r"the ISR \[1\] is not in the whole"),
        (tables_of(commit_bands=[("orders", 0, at(5), None, 121, None)]), r"\[121.*\], in the whole \[100, 120\]"),
        (tables_of(commit_bands=[("orders", 0, at(5), at(9), 0, 99)]), r"\[0, 99\], in the whole \[100, 120\]"),
        (
            tables_of(losses=[("orders", 0, 4, "PROVEN_LOSS", "committed", 100, 111, 111)]),
            r"PROVEN_LOSS of \[100, 111\), in the whole \['PROVEN_LOSS'\]",
        ),
        (
            tables_of(losses=[("orders", 0, 5, "PROVEN_LOSS", "committed", 100, 111, 111)]),
            r"PROVEN_LOSS of \[100, 111\), in the whole \[\]",
        ),
        (
            tables_of(losses=[("orders", 0, 4, "NO_LOSS_OBSERVED", "committed", 110, 110, 110)]),
            "NO_LOSS_OBSERVED .* in the whole .'PROVEN_LOSS'",
        ),
        (tables_of(findings=[("F01", [3], "root_cause", "high")]), r"root cause F01 of \[3\] is not in the whole"),
        (tables_of(findings=[("F04", [2], "root_cause", "high")]), r"root cause F04 of \[2\] is not in the whole"),
        (tables_of(violations=[("I5", "orders", 1, "violated")]), "I5 of orders-1 is not in the whole"),
    ],
)
def test_another_story_is_one(fewer, word):
    said = list(contradictions(WHOLE, fewer))
    assert len(said) == 1
    assert pd.Series(said).str.contains(word).all(), said


@pytest.mark.nightly
@pytest.mark.parametrize("part", ["without-node-3", "only-server-logs"])
def test_a_part_of_the_logs_shows_no_other_story(result_of, tmp_path, part):
    whole = result_of(TRACE)
    given = rewrite(TRACE / "input", tmp_path / "in", **parts(TRACE, whole)[part])
    fewer = analyze([str(given)], tmp_path / "out").out
    assert list(contradictions(tables(whole), tables(fewer))) == []
    assert len(pd.read_parquet(fewer / "tables" / "leader_epochs")) > 0
