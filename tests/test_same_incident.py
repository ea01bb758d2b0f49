"""However an incident was handed over, the same facts come out; where a part is missing, less is said and nothing wrong. `python -m tests.same_incident` does more."""

from __future__ import annotations

import random

import pandas as pd
import pytest

from tests.recordings import TRACES
from tests.rewriter import LAYOUTS, PACKAGES
from tests.same_incident import differences, facts, run, skew_errors

pytestmark = pytest.mark.nightly

TRACE = TRACES / "isolate-leader-from-followers-kraft-3.7.2"


@pytest.fixture(scope="module")
def as_it_is(result_of):
    return facts(result_of(TRACE))


@pytest.mark.parametrize("seed", [1, 2])
def test_another_layout_package_zone_and_clock_lead_to_the_same_facts(as_it_is, tmp_path, seed):
    r = random.Random(seed)
    variant = {
        "layout": r.choice(sorted(LAYOUTS)),
        "package": r.choice(sorted(PACKAGES)),
        "hours": r.choice([-7, 5.5, 9]),
        "clocks": {r.choice([1, 2, 3]): r.choice([-40.0, 3.7, 40.0])},
    }
    outcome = run(TRACE / "input", variant, tmp_path)
    assert differences(as_it_is, facts(outcome.out)) == [], variant
    assert all(line.endswith("inside") for line in skew_errors(outcome, variant["clocks"])), variant


def test_with_the_middle_of_a_nodes_files_missing_nothing_wrong_is_said_and_the_gap_is_named(as_it_is, tmp_path):
    outcome = run(TRACE / "input", {"missing": 1}, tmp_path)
    told = facts(outcome.out)
    who_led = {row[:4] for row in as_it_is["leader_epochs"]}
    assert {row[:4] for row in told["leader_epochs"]} <= who_led
    assert not [row for row in told["losses"] if row[5] == "PROVEN_LOSS"]
    true = {"F05", "F06"}  # what was done, as the recording's truth has it
    assert {code for code, _ in told["findings"]} <= true | {"F00"}
    spots = pd.read_parquet(outcome.out / "tables" / "blind_spots")
    assert spots[(spots.kind == "gap") & (spots.node_id == 1)].shape[0] == 1
