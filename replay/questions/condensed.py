"""Where rules read a part of a node's lines, because a node has more than plain Python holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from replay.facts.groups import grouped
from replay.facts.times import greatest, least, millis
from replay.faults.node_lines import MOST_SILENCES
from replay.tables.faults import Silence
from replay.tables.questions import BlindSpot
from replay.tables.reading import Fact

KIND = "condensed"
_LONGEST = (("second", 1), ("minute", 60), ("hour", 3_600), ("day", 86_400))
_SHORTER_TIME = "an analysis of a shorter time (--since, --until)"


def condensed(facts: Iterable[Fact], silences: Iterable[Silence]) -> Iterator[BlindSpot]:
    """The nodes whose equal lines are combined into runs (`replay.facts.runs`), and those of whose silences only the
    longest are examined.
    """
    in_runs = [fact for fact in facts if (fact.count or 1) > 1]
    for node, own in sorted(grouped(in_runs, lambda fact: fact.node_id).items()):
        yield _runs_of_node(node, own)
    for node, found in sorted(grouped(silences, lambda silence: silence.node_id).items()):
        if len(found) >= MOST_SILENCES:
            yield _silences_of_node(node, found)


def _runs_of_node(node: int, runs: Sequence[Fact]) -> BlindSpot:
    lines = sum(run.count for run in runs)
    longest = max(run.last_ts - run.ts for run in runs)
    unit = next((name for name, seconds in _LONGEST if longest < timedelta(seconds=seconds)), _LONGEST[-1][0])
    return BlindSpot(
        kind=KIND,
        node_id=node,
        start_ts=least(*(run.ts for run in runs)),
        end_ts=greatest(*(run.last_ts for run in runs)),
        what=f"Node {node} logged more lines than rules read one by one: {lines:,} equal lines count as {len(runs):,} runs within a {unit}, "
        "each with the time of its first and its last line",
        questions=[f"when each of these lines was logged within its {unit}"],
        would_tell=_SHORTER_TIME,
        evidence=[run.event_id for run in runs[:2]],
    )


def _silences_of_node(node: int, silences: Sequence[Silence]) -> BlindSpot:
    shortest = min(millis(silence.to_ts, silence.from_ts) or 0 for silence in silences)
    return BlindSpot(
        kind=KIND,
        node_id=node,
        start_ts=least(*(silence.from_ts for silence in silences)),
        end_ts=greatest(*(silence.to_ts for silence in silences)),
        what=f"Node {node} was silent very often: only the {MOST_SILENCES:,} longest times without a line are examined, each of {shortest / 1000:.1f} s or more",
        questions=["whether it was paused for a shorter time"],
        would_tell=_SHORTER_TIME,
        evidence=[],
    )
