"""Broken invariants."""

from __future__ import annotations

from replay.tables.columns import EVIDENCE, PARTITION, TOPIC
from replay.tables.table import STRING, Table, column

VIOLATIONS = Table(
    name="violations",
    row="One broken invariant.",
    key=("invariant", "topic", "partition", "detail"),
    columns=(
        column("invariant", STRING, "I1-I32 of the facts, §2."),
        TOPIC,
        PARTITION,
        column("severity", STRING, "`critical`, `high`, `medium`, `low`, `info`."),
        column("verdict", STRING, "`violated`, or `unknown` where the evidence is incomplete."),
        column("detail", STRING, "What was seen against what was expected."),
        EVIDENCE,
    ),
)
