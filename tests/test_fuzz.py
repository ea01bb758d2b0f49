"""Damaged records go through the whole of `explain` in one process: reading, hiding, explaining, the folds of an
analysis and its closing. No text is a fault of the program.
"""

from __future__ import annotations

import json
import random

import pytest

from pipelines.answers.lines import as_text, of_text
from replay.reading.secrets import hidden_lines, hidden_text
from tests.mutations import damaged, recorded_logs

RECORDS = 10_000
LINE_OF_SEED = "seed of this run: {} (python -m pytest -m nightly tests/test_fuzz.py prints a new one each time)"


def through(seed: int, records: int) -> int:
    """The number of damaged texts that made up `records` lines; each went through everything, with seeds from `seed`
    on.
    """
    logs, done, texts = recorded_logs(), 0, 0
    while done < records:
        text = damaged(logs, seed + texts).decode("utf-8", "replace")
        texts, done = texts + 1, done + max(1, text.count("\n"))
        try:
            shown = hidden_lines(hidden_text(text))
            assert shown.count("\n") == text.count("\n")
            found = of_text(text)
            assert "".join(as_text(found))
            for line in as_text(found, as_json=True):
                json.loads(line)
        except Exception as error:
            raise AssertionError(f"damaged(recorded_logs(), {seed + texts - 1}): {error!r}") from error
    return texts


def test_some_damaged_records_go_through_everything():
    assert through(1, 300) > 1


@pytest.mark.parametrize("seed", [215])  # a partition that only the second event of a line names
def test_a_text_that_was_a_fault_goes_through_everything(seed):
    assert through(seed, 1) == 1


@pytest.mark.nightly
def test_many_damaged_records_go_through_everything_with_a_fixed_seed():
    assert through(1, RECORDS) > RECORDS // 200


@pytest.mark.nightly
def test_many_damaged_records_go_through_everything_with_a_new_seed(capsys):
    seed = random.SystemRandom().randrange(10**9)
    with capsys.disabled():
        print(LINE_OF_SEED.format(seed))
    assert through(seed, RECORDS) > RECORDS // 200
