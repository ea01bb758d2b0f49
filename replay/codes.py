"""The meaning of codes: of faults (F), rules of cause and effect (R), and ways to lose records (S)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """A code that several records may share: its name, and its meaning for somebody who does not know it."""

    code: str
    name: str
    means: str
