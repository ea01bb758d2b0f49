"""`kafka-replay check`: verdicts as JUnit test cases."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from pipelines.cli import main_group
from pipelines.commands.check import check
from replay.errors import OutputError
from replay.invariants.rules import INVARIANTS
from tests.answers.small_result import write

LOSS = {
    "topic": "orders",
    "partition": 0,
    "leader_epoch": 2,
    "loss_class": "committed",
    "from_offset": 5,
    "premise": "why",
}
LOSSES = [
    LOSS | {"verdict": "PROVEN_LOSS", "to_offset_low": 9, "to_offset_high": 9, "evidence": ["n:1"]},
    LOSS | {"partition": 1, "verdict": "UNDETERMINED"},
    LOSS | {"partition": 2, "verdict": "NO_LOSS_OBSERVED"},
]
VIOLATIONS = [
    {"invariant": "I14", "topic": "orders", "partition": 0, "verdict": "violated", "detail": "cut \x1b below", "evidence": ["n:7"]},
    {"invariant": "I3", "topic": "orders", "partition": 0, "verdict": "unknown", "detail": "a gap in partition epochs", "evidence": []},
]  # fmt: skip


def result(tmp_path: Path, **tables: list) -> Path:
    return write(tmp_path / "result", **({"losses": LOSSES, "violations": VIOLATIONS} | tables))


def suites(junit: Path) -> dict[str, dict[str, str]]:
    """The state of each case: passed, failure or skipped."""
    return {
        suite.get("name"): {case.get("name"): (case[0].tag if len(case) else "passed") for case in suite}
        for suite in ET.parse(junit).getroot()
    }


def test_each_invariant_partition_and_root_cause_is_a_case(tmp_path: Path):
    lines, failed = check([str(result(tmp_path))], tmp_path / "out.xml")
    found = suites(tmp_path / "out.xml")
    assert found["loss"] == {"orders-0": "failure", "orders-1": "skipped", "orders-2": "passed"}
    assert len(found["invariant"]) == len(INVARIANTS)
    states = {name.split()[0]: state for name, state in found["invariant"].items()}
    assert (states["I14"], states["I3"], states["I1"]) == ("failure", "skipped", "passed")
    assert found["root-cause"] == {"F01 Broker 1 crashed": "failure"}
    assert failed
    assert lines[-1].endswith(
        f"{len(INVARIANTS) + 4} cases: 3 failed, 2 cannot be decided, {len(INVARIANTS) - 1} passed."
    )
    counts = ET.parse(tmp_path / "out.xml").getroot()[1].attrib
    assert (counts["tests"], counts["failures"], counts["skipped"]) == ("3", "1", "1")


def test_a_control_character_of_a_log_does_not_break_the_file(tmp_path: Path):
    check([str(result(tmp_path))], tmp_path / "out.xml")
    assert "cut \ufffd below" in (tmp_path / "out.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "status"),
    [([], 1), (["--fail-on", "loss"], 1), (["--fail-on", "nothing"], 0)],
)
def test_the_exit_status_follows_fail_on(tmp_path: Path, options: list[str], status: int):
    given = ["check", str(result(tmp_path)), "--junit", str(tmp_path / "out.xml"), *options]
    assert CliRunner().invoke(main_group, given).exit_code == status


def test_only_undecided_losses_fail_nothing(tmp_path: Path):
    quiet = result(tmp_path, losses=LOSSES[1:], violations=[], findings=[])
    assert check([str(quiet)], tmp_path / "out.xml")[1] is False


def test_an_existing_file_stays(tmp_path: Path):
    (tmp_path / "out.xml").write_text("mine")
    with pytest.raises(OutputError, match="exists; give another --junit, or --overwrite"):
        check([str(result(tmp_path))], tmp_path / "out.xml")
    assert (tmp_path / "out.xml").read_text() == "mine"
