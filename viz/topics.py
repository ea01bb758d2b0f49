"""Every topic of a result with its losses and downtime: the answer of Find for a topic that no chart, row or card of
the page names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from viz import frames
from viz import phrases as words
from viz.loss_sizes import sum_at_least, sum_at_most
from viz.summary import ABOVE, LOST, POSSIBLE, UNDETERMINED

_NAMED = ("leader_epochs", "isr_spans", "availability", "elections", "losses", "truncations")


def topic_harms(tables: Mapping[str, pd.DataFrame]) -> Sequence[tuple[str, str]]:
    """The topics and their harm, those with the most harm first, Kafka's own last."""

    def made() -> Sequence[tuple[str, str]]:
        named = pd.concat([tables[name][["topic", "partition"]].dropna() for name in _NAMED]).drop_duplicates()
        partitions = named.groupby("topic").size().to_dict()
        losses: dict[str, list[Any]] = defaultdict(list)
        for loss in frames.rows(tables["losses"]):
            if loss.verdict in (LOST, POSSIBLE, UNDETERMINED) and loss.topic is not None:
                losses[loss.topic].append(loss)
        down: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        in_a_row: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for incident in frames.table(tables, "incidents"):
            for one in incident.down or ():
                down[one["topic"]].append(one)
            for one in incident.in_a_row or ():
                in_a_row[one["topic"]].append(one)
        order = sorted(
            partitions,
            key=lambda topic: (topic.startswith("__"), *_harm(losses[topic], down[topic]), words.by_name((topic, 0))),
        )
        return [(topic, _harm_of(partitions[topic], losses[topic], down[topic], in_a_row[topic])) for topic in order]

    topics: Sequence[tuple[str, str]] = frames.conclusion(tables, "topics", made)
    return topics


def _harm(losses: Sequence[Any], down: Sequence[Mapping[str, Any]]) -> tuple[float, ...]:
    committed = [loss for loss in losses if loss.loss_class != ABOVE]
    waited = max((one["acks_all_high_ms"] or 0 for one in down), default=0)
    return -sum_at_least(committed), -float(len(committed)), -float(len(losses)), -float(waited)


def _harm_of(
    partitions: int, losses: Sequence[Any], down: Sequence[Mapping[str, Any]], in_a_row: Sequence[Mapping[str, Any]]
) -> str:
    parts = [words.counted(partitions, "partition")]
    for what, some in (
        ("committed", [x for x in losses if x.loss_class != ABOVE]),
        ("uncommitted (acks=1 or 0 only)", [x for x in losses if x.loss_class == ABOVE]),
    ):
        if some:
            parts.append(f"lost, {what}: {_range(sum_at_least(some), sum_at_most(some))}")
    if not losses:
        parts.append("no loss found")
    if down:
        parts.append(f"writes with acks=all blocked {longest_wait(down, in_a_row)}")
    else:
        parts.append("no downtime found")
    return "; ".join(parts)


def longest_wait(down: Sequence[Mapping[str, Any]], in_a_row: Sequence[Mapping[str, Any]] = ()) -> str:
    """How long writes waited in the longest of some incidents, or without a break in several consecutive ones. The bounds are
    the largest lower and the largest upper bound, which can come from two different waits.
    """
    if in_a_row:
        return _longest_in_a_row(down, in_a_row)
    longest = max(down, key=lambda one: (one["acks_all_high_ms"] or 0, one["acks_all_low_ms"] or 0))
    if len(down) == 1:
        return words.waited(longest, "acks_all")
    low_ms = max(one["acks_all_low_ms"] or 0 for one in down)
    if low_ms <= (longest["acks_all_low_ms"] or 0):
        return f"{words.waited(longest, 'acks_all')}, the longest of {len(down)} times"
    high_ms = None if any(map(_may_be_longer, down)) else longest["acks_all_high_ms"]
    return f"{words.bounds(low_ms, high_ms)}, the longest of {len(down)} times"


def _longest_in_a_row(down: Sequence[Mapping[str, Any]], in_a_row: Sequence[Mapping[str, Any]]) -> str:
    """The longest wait without a break: in one incident, or in several consecutive ones."""
    waits = [(one["acks_all_low_ms"] or 0, one["acks_all_high_ms"] or 0, _may_be_longer(one)) for one in down]
    waits += [(one["low_ms"], one["high_ms"], bool(one["is_open"])) for one in in_a_row]
    lows, highs, are_open = zip(*waits, strict=True)
    return f"{words.bounds(max(lows), None if any(are_open) else max(highs))} in a row, the longest of these waits"


def _may_be_longer(down: Mapping[str, Any]) -> bool:
    """Whether no line shows the end of a wait."""
    return bool(down.get("acks_all_is_open") or down.get("acks_all_may_last"))


def _range(low: float, high: float | None) -> str:
    if high is None:
        return f"at least {words.counted(int(low), 'offset')}, at most unknown"
    if low == high:
        return words.counted(int(low), "offset")
    return f"{words.number(int(low))} to {words.counted(int(high), 'offset')}"
