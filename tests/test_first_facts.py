"""What lines state outright, told before Spark runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pipelines.answers.first_facts import as_lines, confirmed, first_facts
from pipelines.inputs import gather
from replay.knowledge.answer import Answer

FULL = "[2024-01-01 10:00:01,000] ERROR Error while writing to checkpoint file /data/0/x (kafka.server.LogDirFailureChannel)\njava.io.IOException: No space left on device\n\tat java.io.FileOutputStream.writeBytes(Native Method)\n"
QUIET = "[2024-01-01 10:00:00,000] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n"
ENDED = "[2024-01-01 10:00:02,000] FATAL Shutdown broker because all log dirs in /data/0 have failed (kafka.log.LogManager)\n"


def _sources(folder: Path, text: str):
    (folder / "in" / "node-1").mkdir(parents=True)
    (folder / "in" / "node-1" / "server.log").write_text(text)
    (folder / "work").mkdir()
    return gather([str(folder / "in")], {}, folder / "work").sources


def test_what_a_line_states_is_reported_with_its_place(tmp_path):
    facts = first_facts(_sources(tmp_path, QUIET * 200 + FULL + ENDED))
    told = list(as_lines(facts))
    assert len(told) >= 1
    assert any("log director" in line and line.endswith("node-1/server.log:204)") for line in told)


def test_a_calm_log_states_nothing(tmp_path):
    assert first_facts(_sources(tmp_path, QUIET * 1_000)) == ()


class Clock:
    """A clock on which each look takes a second."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return float(self.looks)


def test_no_more_time_is_spent_than_there_is(tmp_path, monkeypatch):
    clock = Clock()
    monkeypatch.setattr("pipelines.answers.first_facts.monotonic", clock)
    assert first_facts(_sources(tmp_path, QUIET * 10 + FULL) * 10_000, seconds=100) is not None
    assert clock.looks < 105


def test_nor_in_one_log(tmp_path, monkeypatch):
    clock = Clock()
    monkeypatch.setattr("pipelines.answers.first_facts.monotonic", clock)
    assert first_facts(_sources(tmp_path, FULL * 10_000), seconds=100)
    assert clock.looks < 105


def test_the_analysis_confirms_or_corrects(tmp_path):
    (fact, *_) = first_facts(_sources(tmp_path, QUIET + ENDED))
    assert list(confirmed([fact], Answer("", told=(fact,)), {fact.where})) == [
        "Of 1 first fact 1 is among the findings."
    ]
    later = replace(fact, key="other", where="node-1/server.log:9")
    assert list(confirmed([fact, later], Answer("", consequences=(later,)), {fact.where})) == [
        "Of 2 first facts 1 is among the findings and 1 follows from them."
    ]
    (said,) = confirmed([fact], Answer("", harmless=(fact,)), {fact.where})
    assert said == f"Corrected: seen with all lines this is harmless: {fact.says} ({fact.where})"
    assert list(confirmed([], Answer(""), ())) == []
