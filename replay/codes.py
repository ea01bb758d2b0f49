"""What a code is: of faults (F), rules of cause and effect (R), ways to lose records (S)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """A code that several records may share: its name, and what it means to somebody who never met it."""

    code: str
    name: str
    means: str
