"""What a result says about lost records that it does not name, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from replay.sentences.wording import enumerated

NONE_POSSIBLE = "Nothing in these logs could have lost committed records."
NONE_FOUND = "No loss of committed records was found."
_MOST = 2  # doubts


def not_ruled_out(doubts: Sequence[str]) -> str:
    """That the logs show no loss, and why they do not rule one out."""
    more = f" And {len(doubts) - _MOST} more." if len(doubts) > _MOST else ""
    return f"These logs show no loss of committed records, but do not rule one out. {' '.join(doubts[:_MOST])}{more}"


def violated(invariants: Sequence[tuple[str, str]]) -> str:
    """Which invariants are violated, of which partition; the partition of the first only."""
    names = sorted({name for name, _ in invariants})
    return f"{enumerated(names, 'Invariant', 'Invariants', 'Invariant')} {'is' if len(names) == 1 else 'are'} violated, for example in {invariants[0][1]}."
