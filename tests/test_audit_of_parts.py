"""The audit finds nothing where logs are missing: parts of recordings, and histories played at random."""

from __future__ import annotations

import pytest

from tests.audit.checks import contradictions
from tests.audit.printed import of_story, read
from tests.golden import inputs_of, traces
from tests.parts_of_logs import KINDS, part_of
from tests.random_stories import story
from tests.recordings import TRACES
from tests.results_here import result_here
from tests.test_simulated_histories import played

# A story has no vertices, no elections and no coverage, and its faults begin at random.
NEED_MORE_TABLES = {
    "harm_of_a_fault_is_what_follows_from_it",
    "changes_of_leader_add_up",
    "changed_nothing_needs_a_log_of_roles",
    "effects_stand_after_the_first_root",
}
SOON = (
    ("kill-leader-kraft-4.1.1", "without"),
    ("kill-leader-kraft-4.1.1", "one"),
    ("unclean-election-zk-2.8.2", "server"),
)


def found(trace, kind, folder) -> list[str]:
    logs = part_of(inputs_of(trace), kind, folder / "logs")
    return [str(one) for one in contradictions(read(result_here([logs], folder / "result")))]


@pytest.mark.parametrize(("name", "kind"), SOON)
def test_the_audit_finds_nothing_on_a_part_of_a_trace(name, kind, tmp_path):
    assert found(TRACES / name, kind, tmp_path) == []


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("trace", traces(), ids=lambda trace: trace.name)
def test_the_audit_finds_nothing_on_any_part_of_a_trace(trace, kind, tmp_path):
    nodes = [folder for folder in inputs_of(trace).iterdir() if folder.is_dir()]
    if kind in ("one", "without") and len(nodes) < 2:
        pytest.skip("logs of one node have no such part")
    assert found(trace, kind, tmp_path) == []


@pytest.mark.parametrize(
    "first", [0, pytest.param(12, marks=pytest.mark.nightly), pytest.param(24, marks=pytest.mark.nightly)]
)
def test_the_audit_finds_nothing_on_histories_played_at_random(first):
    told = story([played(number) for number in range(first, first + 12)])
    made = of_story(told.tables, told.page, told.json)
    assert [str(one) for one in contradictions(made) if one.check not in NEED_MORE_TABLES] == []
