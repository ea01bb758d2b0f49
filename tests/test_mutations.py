"""Damaged logs are read without a crash, and every line of them is accounted for. `python -m tests.mutations` does many more."""

from __future__ import annotations

import random

from tests.mutations import MUTATIONS, damaged, recorded_logs, rounds


def test_the_same_seed_gives_the_same_damage():
    logs = recorded_logs()[:3]
    assert [damaged(logs, seed) for seed in range(20)] == [damaged(logs, seed) for seed in range(20)]
    assert len({damaged(logs, seed) for seed in range(20)}) > 15


def test_every_kind_of_damage_changes_something():
    text = b"[2026-11-21 05:34:08,777] INFO one (kafka.A)\n[2026-11-21 05:34:09,777] INFO two (kafka.B)\n"
    for mutation in MUTATIONS:
        changed = False
        for seed in range(10):
            lines = text.splitlines(keepends=True)
            mutation(lines, random.Random(seed))
            changed |= lines != text.splitlines(keepends=True)
        assert changed, mutation.__name__


def test_damaged_files_are_read_and_every_line_is_accounted_for():
    (told,) = rounds(inputs=120, batch=120, seed=7)
    assert told.wrong == ()
    assert told.read + told.set_aside >= 120
    assert told.read > 80
    assert told.lines >= told.records > 1_000
