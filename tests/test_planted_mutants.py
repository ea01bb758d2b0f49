"""Mistakes, planted one at a time in a copy of the program: the named tests fail with each of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

_PROJECT = Path(__file__).parents[1]
_COPIED = ("replay", "pipelines", "viz", "tests", "docs", "pyproject.toml")


@dataclass(frozen=True)
class Mutant:
    """A text that stands once in a file of `replay`, the mistake in its place, and the tests that fail with it."""

    file: str
    text: str
    mistake: str
    caught_by: str


MUTANTS = [
    # How a follower truncates.
    Mutant(
        "offsets/follower_rules.py",
        "return version is not None and version < other",
        "return version is not None and version <= other",
        "offsets/test_follower_rules.py",
    ),
    Mutant("histories/lineages.py", "least(follower_high_watermark, log.end)", "log.end", "histories/test_lineages.py"),
    Mutant(
        "histories/lineages.py",
        "log.entries if epoch <= answer.leader_epoch), default=None)",
        "log.entries if epoch < answer.leader_epoch), default=None)",
        "histories/test_lineages.py",
    ),
    Mutant("histories/lineages.py", "if start < to]", "if start <= to]", "histories/test_lineages.py"),
    Mutant("histories/lineages.py", "if higher > asked)", "if higher >= asked)", "histories/test_lineages.py"),
    Mutant(
        "histories/truncations.py",
        "if number <= cut.leader_epoch]",
        "if number < cut.leader_epoch]",
        "histories/test_truncations.py",
    ),
    Mutant(
        "histories/truncations.py",
        "cut.high_watermark <= cut.truncation_offset",
        "cut.high_watermark < cut.truncation_offset",
        "histories/test_truncations.py",
    ),
    # Which records are lost.
    Mutant(
        "histories/divergence.py",
        "least(ends, first_known(cut, apart))",
        "first_known(cut, apart)",
        "histories/test_ledger.py",
    ),
    Mutant("histories/verdicts.py", "start if low is None else max(start, low)", "start", "histories/test_ledger.py"),
    Mutant(
        "histories/last_replicas.py",
        "return len(self.isr.isr) <= 1",
        "return len(self.isr.isr) <= 2",
        "histories/test_ledger.py",
    ),
    # High watermarks and leader-epoch checkpoints.
    Mutant(
        "offsets/commit_bands.py", "min(moment.high, bound)", "max(moment.high, bound)", "offsets/test_commit_bands.py"
    ),
    Mutant(
        "offsets/commit_bands.py", "max(moment.low, bound)", "min(moment.low, bound)", "offsets/test_commit_bands.py"
    ),
    Mutant(
        "offsets/commit_bands.py",
        "before.leader_epoch < epoch.leader_epoch - 1",
        "before.leader_epoch < epoch.leader_epoch",
        "offsets/test_commit_bands.py",
    ),
    Mutant(
        "offsets/high_watermarks.py",
        "end = None if last is None else last + 1",
        "end = last",
        "offsets/test_high_watermarks.py",
    ),
    Mutant(
        "histories/epoch_caches.py",
        "self.cut_to <= entry.epoch_start_offset",
        "self.cut_to < entry.epoch_start_offset",
        "histories/test_epoch_caches.py",
    ),
    Mutant(
        "histories/epoch_caches.py",
        "self.log_start >= next_start",
        "self.log_start > next_start",
        "histories/test_epoch_caches.py",
    ),
    # Leader epochs, ISRs, elections.
    Mutant(
        "timelines/folds.py",
        "max(next_one - own - 1, 0)",
        "max(next_one - own, 0)",
        "partitions/test_timelines.py",
    ),
    Mutant(
        "partitions/elected_from.py",
        "old is not None and new != old",
        "old is not None and new == old",
        "partitions/test_elections.py",
    ),
    Mutant(
        "invariants/states.py",
        "state.leader_epoch - earlier.leader_epoch > state",
        "state.leader_epoch - earlier.leader_epoch >= state",
        "invariants/test_invariants.py",
    ),
    Mutant(
        "invariants/leaders.py",
        "one.log_end_offset >= 0 and less(one.log_end_offset, role",
        "less(one.log_end_offset, role",
        "invariants/test_invariants.py",
    ),
    # Clocks, sessions, faults.
    Mutant(
        "clocks/constraints.py", "if there + onward < row[b]", "if there + onward > row[b]", "clocks/test_clocks.py"
    ),
    Mutant("clocks/offsets.py", "<= -window.jump <= HOUR_MS", "<= window.jump <= HOUR_MS", "clocks/test_clocks.py"),
    Mutant("facts/sessions.py", "abs(late_ms) <= _SKEW_MS", "abs(late_ms) > _SKEW_MS", "facts/test_sessions.py"),
    Mutant("faults/pauses.py", "leap.last_ts <= sign.ts <= until", "leap.last_ts >= sign.ts", "faults/test_pauses.py"),
    Mutant("faults/quorum.py", "or 0) >= ELECTION_TAKES_MS", "or 0) >= 0", "faults/test_quorum.py"),
    # Incidents and harm.
    Mutant(
        "causes/incidents.py",
        "if from_ts <= other_to and other_from <= to_ts",
        "if from_ts <= other_to",
        "causes/test_incidents.py",
    ),
    Mutant("causes/incidents.py", "or 0) > AT_ONCE_MS:", "or 0) > 60_000:", "causes/test_incidents.py"),
    Mutant("causes/stale_leaders.py", ">= LED_ON_MS]", ">= 0]", "causes/test_stale_leaders.py"),
    Mutant(
        "causes/auto_rebalance.py",
        "is_on and not is_kraft, percentage",
        "is_on, percentage",
        "causes/test_auto_rebalance.py",
    ),
    Mutant(
        "facts/intervals.py",
        "(joined[-1][0], max(end_ts, joined[-1][1]))",
        "(joined[-1][0], end_ts)",
        "availability/test_harm.py",
    ),
]

# Of the packs, and of the engine that reads and applies them.
MUTANTS_OF_PACKS = [
    Mutant(
        "knowledge/pack.py",
        "if len(tables) > MOST_ENTRIES:",
        "if len(tables) > 10 * MOST_ENTRIES:",
        "knowledge/test_packs.py",
    ),
    Mutant("knowledge/pack.py", "len(part) > LONGEST_TEXT", "len(part) > 2 * LONGEST_TEXT", "knowledge/test_packs.py"),
    Mutant(
        "knowledge/pack.py", "if len(found) < len(keys):", "if len(found) < len(keys) - 5:", "knowledge/test_packs.py"
    ),
    Mutant("knowledge/pack.py", "if not was_inside:", "if True:", "knowledge/test_packs.py"),
    Mutant("knowledge/pack.py", "fields.keys() - shape.keys()", "set()", "knowledge/test_packs.py"),
    Mutant(
        "knowledge/pack.py",
        'elif value == "" and shape is str:',
        'elif value == " " and shape is str:',
        "knowledge/test_packs.py",
    ),
    Mutant(
        "knowledge/meanings.py",
        'is_quiet=on.get("quiet", False)',
        'is_quiet=on.get("login", False)',
        "knowledge/test_packs.py",
    ),
    Mutant(
        "knowledge/meanings.py",
        'wording=on.get("text", "")',
        'wording=on.get("exception", "")',
        "knowledge/test_packs.py",
    ),
    Mutant(
        "knowledge/meanings.py",
        'refines=tuple(fields.get("refines", ()))',
        'refines=tuple(fields.get("follows", ()))',
        "knowledge/test_packs.py",
    ),
    Mutant(
        "knowledge/meanings.py", 'is_fallback=on.get("fallback", False)', "is_fallback=False", "knowledge/test_packs.py"
    ),
    Mutant("knowledge/meanings.py", "seen=seen_of(entry)", 'seen="recorded"', "knowledge/test_packs.py"),
    Mutant(
        "knowledge/known_issues.py", "if not is_release(release):", "if is_release(release):", "knowledge/test_packs.py"
    ),
    Mutant("knowledge/closed.py", '", or ".join(', '" and ".join(', "knowledge/test_packs.py"),
    Mutant(
        "knowledge/closed.py", "return str(how or HEALS[heals])", "return str(HEALS[heals])", "knowledge/test_packs.py"
    ),
    Mutant(
        "knowledge/closed.py", "if _CLAUSE.match(how) else", "if not _CLAUSE.match(how) else", "knowledge/test_packs.py"
    ),
    Mutant("knowledge/library.py", "(*meanings, *_OWN.meanings)", "_OWN.meanings", "knowledge/test_packs_of_users.py"),
    Mutant(
        "knowledge/library.py",
        "Library((*meanings, *_OWN.meanings), correlations)",
        "Library((*meanings, *_OWN.meanings))",
        "knowledge/test_packs_of_users.py",
    ),
    Mutant("knowledge/library.py", "_CURRENT.reset(token)", "pass", "knowledge/test_packs_of_users.py"),
    Mutant(
        "knowledge/pack_checks.py", "if steps > MOST_STEPS:", "if steps > 10**13:", "knowledge/test_packs_of_users.py"
    ),
    Mutant(
        "knowledge/pack_checks.py",
        "if not fixed_texts(pattern):",
        "if not pattern:",
        "knowledge/test_packs_of_users.py",
    ),
    Mutant(
        "knowledge/pack_checks.py",
        "if entry.key in own:",
        "if entry.key in keys and not own:",
        "knowledge/test_packs_of_users.py",
    ),
    Mutant(
        "knowledge/pack_checks.py",
        "if name not in known and name not in added:",
        "if name not in known and name in added:",
        "knowledge/test_packs_of_users.py",
    ),
    Mutant(
        "knowledge/pack_checks.py",
        "if example and entry.key not in (keys",
        "if not example and entry.key not in (keys",
        "knowledge/test_packs_of_users.py",
    ),
    Mutant(
        "knowledge/correlations.py",
        "abs(away) <= condition.within",
        "abs(away) < condition.within",
        "knowledge/test_correlations.py",
    ),
    Mutant(
        "knowledge/correlations.py",
        "return many >= condition.count",
        "return many > condition.count",
        "knowledge/test_correlations.py",
    ),
    Mutant(
        "knowledge/correlations.py",
        "matches[-1 if condition.last else 0]",
        "matches[0]",
        "knowledge/test_correlations.py",
    ),
    Mutant("knowledge/pack.py", "header = _header_in(row)", "header = None", "knowledge/test_packs.py"),
    Mutant(
        "knowledge/packs/exceptions-starts-1.toml",
        "holds the lock of {dir|a log directory}.",
        "holds the lock of {dirr|a log directory}.",
        "knowledge/test_packs.py",
    ),
    Mutant(
        "knowledge/packs/known-bugs-both-1.toml",
        'before = ["KAFKA-20036", "KAFKA-9826"]\n',
        "",
        "knowledge/test_packs.py",
    ),
    Mutant(
        "knowledge/packs/exceptions-starts-1.toml",
        "on.exception = 'Failed to acquire lock on file",
        "on.exception = 'Failed to get lock on file",
        "knowledge/test_exceptions.py",
    ),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program and its tests; the traces are those of the project."""
    folder = tmp_path_factory.mktemp("mutants")
    for name in _COPIED:
        if (_PROJECT / name).is_dir():
            shutil.copytree(_PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(_PROJECT / name, folder / name)
    (folder / "traces").symlink_to(_PROJECT / "traces")
    return folder


def test_there_are_thirty_and_each_text_stands_once():
    for mutants in (MUTANTS, MUTANTS_OF_PACKS):
        assert len({(mutant.file, mutant.text) for mutant in mutants}) == len(mutants) == 30
    texts = {mutant.file: (_PROJECT / "replay" / mutant.file).read_text(encoding="utf-8") for mutant in MUTANTS}
    assert [mutant for mutant in MUTANTS if texts[mutant.file].count(mutant.text) != 1] == []


@pytest.mark.nightly
@pytest.mark.parametrize("mutant", [*MUTANTS, *MUTANTS_OF_PACKS], ids=lambda mutant: f"{mutant.file}: {mutant.mistake}")
def test_the_tests_catch(mutant: Mutant, copy: Path) -> None:
    path = copy / "replay" / mutant.file
    right = path.read_text(encoding="utf-8")
    path.write_text(right.replace(mutant.text, mutant.mistake), encoding="utf-8")
    try:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"tests/{mutant.caught_by}"],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.write_text(right, encoding="utf-8")
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout[-2_000:]
    assert "\nFAILED tests/" in run.stdout
