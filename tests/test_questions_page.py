"""docs/questions.md answers every question of operators with what is there: commands, codes, kinds, tables, cells of the notebook."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipelines.cli import main_group
from pipelines.glossary import glossary
from pipelines.notebook import Replay
from replay.catalogue.kinds import KINDS
from replay.tables import TABLES

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.splitlines()
    if re.match(r"\| \d", line)
]
CELLS = [
    line.removeprefix("# MAGIC ## ")
    for line in (ROOT / "notebooks" / "after_an_incident.py").read_text(encoding="utf-8").splitlines()
    if line.startswith("# MAGIC ## ")
]


def test_all_thirty_questions_are_answered_on_the_page_the_command_line_and_in_the_notebook():
    assert [int(row[0]) for row in ROWS] == list(range(1, 31))
    assert all(len(row) == 5 and all(row) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_what_a_row_names_is_there(row):
    commands, notebook = row[3], row[4]
    for code in re.findall(r"`([^`]+)`", commands):
        command = main_group.commands[code.split()[0]]
        options = {name for option in command.params for name in option.opts}
        assert {word for word in code.split() if word.startswith("--")} <= options, code
    assert set(re.findall(r"--kind (\w+)", commands)) <= set(KINDS)
    assert set(re.findall(r"\b[FRSI]\d+\b", " ".join(row))) <= set(glossary().code)
    for name in re.findall(r"`replay\.(\w+)", notebook):
        assert hasattr(Replay, name) or name in {table.name for table in TABLES}, name
    for cell in re.findall(r'; "([^"]+)"|^"([^"]+)"', notebook):
        words = [part.strip() for part in "".join(cell).split("…")]
        assert any(all(part in asked for part in words) for asked in CELLS), cell


def test_the_page_on_usage_names_every_command_and_no_other():
    usage = (ROOT / "docs" / "usage.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([a-z-]+)[ `]", usage, re.MULTILINE))
    assert named == set(main_group.commands)


def test_the_readme_is_of_a_screen_and_a_half():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 60
