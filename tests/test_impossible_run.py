"""A whole analysis of records that hold what no Kafka prints: it ends with a result, counts them, and the histories stay what they are."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import pipelines.reading
import pipelines.stages
from pipelines.main_job import analyze
from replay.catalogue import TEMPLATES
from replay.reading.set_aside import SET_ASIDE
from tests.recordings import TRACES
from tests.test_driver_and_spark import tables

INPUT = TRACES / "topic-made-again-by-hand" / "input"
HEAD = "[2019-11-07 10:01:30,030] INFO "  # the last record of the input
ABOUT_THE_INPUT = {"coverage", "unmatched", "wordings", "first_answer", "scorecard"}

_TOO_LARGE = st.one_of(
    st.sampled_from([2**63, 2**64, 10**19, 10**20, 10**30]).map(str),
    st.integers(20, 6_000).map(lambda length: "9" * length),
)
_NUMBER = st.one_of(
    st.sampled_from([0, -1, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1]).map(str),
    _TOO_LARGE,
)
_STAMP = st.sampled_from(
    [
        "[0001-01-01 00:00:00,000]",
        "[9999-12-31 23:59:59,999]",
        "[2026-02-30 05:34:44,123]",
        "[2026-11-21 23:59:60,123]",
        "[99999999999999999999]",
        "[2019-11-07 10:01:30,030]",
    ]
)
_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=60)
_FIELD = re.compile(r"(?<![\w.])-?\d+(?![\w.])")


def _filled(example: str, numbers: list[str]) -> str:
    """The example of a template, with other numbers in its fields."""
    at = iter(range(10_000))
    return _FIELD.sub(lambda found: numbers[next(at) % len(numbers)], example.split("\n")[0])


_BEYOND_64_BITS = st.builds(
    lambda template, number: f"{HEAD}{_filled(template.example, [number])} {number} (kafka.X)",
    st.sampled_from(TEMPLATES),
    st.integers(20, 6_000).map(lambda length: "9" * length),
)
_AT_A_LIMIT = st.builds(
    lambda stamp, template, numbers, text: f"{stamp} INFO {_filled(template.example, numbers)} {text} (kafka.X)",
    _STAMP,
    st.sampled_from(TEMPLATES),
    st.lists(_NUMBER, min_size=1, max_size=6),
    _TEXT,
)
_JSON = st.builds(
    lambda stamp, message, number, depth: (
        json.dumps({"timestamp": stamp, "level": "INFO", "logger": "k.X", "message": message, "n": number})[:-1]
        + (', "x": ' + "[" * depth + "]" * depth + "}")
    ),
    st.sampled_from(["2026-11-21T05:34:44.123Z", "99999999999999999999", "\ud800", ""]),
    st.sampled_from(["id \ud800", "\udfff\ud800", "[KafkaServer id=99999999999] started", "x"]),
    st.sampled_from([10**30, -1, 0]),
    st.sampled_from([1, 500, 3_000]),
)


def drawn(strategy: st.SearchStrategy[str], count: int) -> list[str]:
    """`count` different values, the same in every run."""
    found: dict[str, None] = {}

    @settings(
        max_examples=count * 2,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def keep(one: str) -> None:
        found[one] = None

    keep()
    return [*found][:count]


def with_records(folder: Path, log: list[str]) -> Path:
    """The input with `log` behind the records of one broker, so that their line numbers stay."""
    shutil.copytree(INPUT, folder)
    server = folder / "node-91" / "server.log"
    server.write_bytes("\n".join([*server.read_text().splitlines(), *log, ""]).encode("utf-8"))
    return folder


def notes_of(result: Path) -> str:
    """All text of the page."""
    return (result / "report.html").read_text(encoding="utf-8")


def check_that_histories_stay(spark, folder: Path) -> None:
    """Run with and without records that are set aside: they are counted, and tables about the cluster are the same."""
    aside = drawn(_BEYOND_64_BITS, 300)
    assert len(aside) > 200
    analyze([str(INPUT)], folder / "plain", spark=spark)
    analyze([str(with_records(folder / "in", aside))], folder / "mixed", spark=spark)
    plain, mixed = tables(folder / "plain"), tables(folder / "mixed")
    held = [row for row in mixed["unmatched"] if (row.example or "").startswith(SET_ASIDE)]
    assert sum(row.count for row in held) == len(aside)
    assert f"{len(aside)} records set aside" in notes_of(folder / "mixed")
    assert {name for name in plain if plain[name] != mixed[name]} <= ABOUT_THE_INPUT


def test_records_that_are_set_aside_change_no_history(spark, tmp_path):
    check_that_histories_stay(spark, tmp_path)


@pytest.mark.nightly
def test_records_that_are_set_aside_change_no_history_in_workers_of_spark(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(pipelines.reading, "SMALL_BYTES", -1)
    monkeypatch.setattr(pipelines.stages, "SMALL_ROWS", 0)
    check_that_histories_stay(spark, tmp_path)


def test_records_at_every_limit_end_in_a_result(spark, tmp_path):
    folder = with_records(tmp_path / "in", drawn(_AT_A_LIMIT, 300))
    (folder / "node-7").mkdir()
    (folder / "node-7" / "meta.properties").write_text("version=1\nnode.id=99999999999\ncluster.id=abc\n")
    (folder / "node-8").mkdir()
    (folder / "node-8" / "server.log").write_text("\n".join(drawn(_JSON, 100)) + "\n")
    with open(bytes(folder / "node-8") + b"/server-\xe9.log", "w") as log:
        log.write(f"{HEAD}[KafkaServer id=8] started (kafka.server.KafkaServer)\n")
    analyze([str(folder)], tmp_path / "out", spark=spark)
    made = tables(tmp_path / "out")
    assert len(made["coverage"]) >= 7
    assert any("server-" in row.source_file and "node-8" in row.source_file for row in made["coverage"])
    assert "records set aside" in notes_of(tmp_path / "out")
