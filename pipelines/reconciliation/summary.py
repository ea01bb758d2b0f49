"""What the verdicts of records, groups and clients add up to, for the terminal, the page, notebooks and assistants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from replay.reconcile.cells import (
    COMPACTED,
    DUPLICATE,
    EXPIRED,
    GONE,
    KEPT,
    POSSIBLE,
    REWRITTEN,
    UNDECIDED,
    VERDICTS,
    Clock,
)
from replay.reconcile.logs import UNBOUNDED
from viz.phrases import counted, number, shortened

_ORDER = tuple(VERDICTS)
_WORST_FIRST = (GONE, REWRITTEN, POSSIBLE, UNDECIDED, EXPIRED, COMPACTED)
_ODD = 60  # seconds
_LONGEST_TOPIC = 249  # characters that Kafka allows in the name of a topic


def summed(verdict_rows: pd.DataFrame, clocks: Mapping[str, Clock], until: str | None) -> dict[str, Any]:
    """The verdicts by topic and by range, the reasons of what is not decided, the clocks that they rest on, and until
    when the logs show it. `verdict_rows` has topic, partition and offset of each record, and the columns of its verdict.
    """
    counts: dict[str, dict[str, int]] = {}
    by_verdict = verdict_rows.groupby(["topic", "verdict"], observed=True, dropna=False).size()
    for (topic, verdict), count in by_verdict.items():
        of_topic = counts.setdefault("(no topic)" if pd.isna(topic) else str(topic), dict.fromkeys(_ORDER, 0))
        of_topic[verdict] += int(count)
    topics = [{"topic": topic, **counts[topic]} for topic in sorted(counts)]
    open_ones = verdict_rows.reason[verdict_rows.verdict.isin([UNDECIDED, POSSIBLE])].value_counts()
    summary = {
        "records": len(verdict_rows),
        "topics": topics,
        "ranges": _ranges(verdict_rows),
        "undecided": [{"reason": str(reason), "records": int(count)} for reason, count in open_ones.items() if count],
        "clocks": [
            {"client": client, "behind_s": _seconds(-clock.low), "ahead_s": _seconds(clock.high)}
            for client, clock in sorted(clocks.items())
        ],
        "until": until,
    }
    return summary | {"told": list(headline(summary)), "limits": list(_limits(summary))}


def _ranges(verdict_rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The records that are not simply kept: a row for those of a partition with one verdict and one reason, with the
    first and the last of their offsets.
    """
    same = ["topic", "partition", "verdict", "epoch_low", "epoch_high", "reason", "evidence"]
    listed = verdict_rows[~verdict_rows.verdict.isin([KEPT, DUPLICATE]) & verdict_rows.topic.notna()]
    if listed.empty:
        return []
    groups = (
        listed.groupby(same, dropna=False, sort=False, observed=True).offset.agg(["size", "min", "max"]).reset_index()
    )
    groups = groups.assign(place=[_WORST_FIRST.index(verdict) for verdict in groups.verdict])
    groups = groups.sort_values(["place", "topic", "partition", "min"], kind="stable")
    return [
        {
            "topic": str(row.topic),
            "partition": int(row.partition),
            "verdict": row.verdict,
            "records": int(row.size_),
            "first_offset": int(row.first_),
            "last_offset": int(row.last_),
            "epoch_low": None if pd.isna(row.epoch_low) else int(row.epoch_low),
            "epoch_high": None if pd.isna(row.epoch_high) else int(row.epoch_high),
            "reason": row.reason,
            "evidence": row.evidence.split(),
        }
        for row in groups.rename(columns={"size": "size_", "min": "first_", "max": "last_"}).itertuples()
    ]


def _seconds(micros: int) -> float | None:
    return None if abs(micros) >= UNBOUNDED // 2 else round(micros / 1e6, 1)


def as_text(summary: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the summary on a terminal."""
    yield from summary["told"]
    for topic in summary["topics"]:
        parts = [f"{number(topic[name])} {name.replace('_', ' ')}" for name in _ORDER if topic[name]]
        yield f"  {shortened(topic['topic'], _LONGEST_TOPIC)}: {', '.join(parts)}"
    for open_one in summary["undecided"][:5]:
        yield f"  {counted(open_one['records'], 'record')} not decided: {open_one['reason']}"
    yield from summary["limits"]


def _limits(summary: Mapping[str, Any]) -> Iterator[str]:
    """What the verdicts rest on."""
    yield from _clocks(summary["clocks"])
    if summary["until"]:
        yield f"The verdicts are as of {summary['until']}, the last line of these logs."


def headline(summary: Mapping[str, Any]) -> Iterator[str]:
    """What is gone, first."""
    total = {name: sum(topic[name] for topic in summary["topics"]) for name in _ORDER}
    lost = total[GONE] + total[REWRITTEN]
    yield f"{number(lost)} of {counted(summary['records'], 'record')} gone."
    if total[REWRITTEN]:
        yield (
            f"At the offsets of {number(total[REWRITTEN])} of them another record exists now: a check whether the offset exists finds a "
            "record, but not the one that was acknowledged."
        )
    if total[POSSIBLE]:
        yield f"{counted(total[POSSIBLE], 'record')} may be gone{' too' if lost else ''}."
    if total[EXPIRED]:
        yield f"{counted(total[EXPIRED], 'record')} below the log start: deleted by retention or by request, not lost."


def _clocks(clocks: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for clock in clocks[:8]:
        name = f"of {clock['client']}" if clock["client"] else "of the application"
        yield f"The clock {name} {_bounds(clock['behind_s'], clock['ahead_s'])}, by its own records."
        if (
            _is_off(clock)
            and min(abs(clock[side]) for side in ("behind_s", "ahead_s") if clock[side] is not None) > _ODD
        ):
            yield "  A clock is rarely that wrong: check that these records are of this cluster and of this time."


def _is_off(clock: Mapping[str, Any]) -> bool:
    """Whether the clock is certainly ahead of the cluster's, or certainly behind it."""
    return (clock["behind_s"] is not None and clock["behind_s"] < 0) or (
        clock["ahead_s"] is not None and clock["ahead_s"] < 0
    )


def _bounds(behind: float | None, ahead: float | None) -> str:
    if behind is not None and behind < 0 and ahead is not None:
        return f"is {_plain(-behind)} to {_plain(ahead)} s ahead of the cluster's"
    if ahead is not None and ahead < 0 and behind is not None:
        return f"is {_plain(-ahead)} to {_plain(behind)} s behind the cluster's"
    bounds = [
        f"{_plain(value)} s {word}" for value, word in ((ahead, "ahead of"), (behind, "behind")) if value is not None
    ]
    return f"is at most {' or '.join(bounds)} the cluster's" if bounds else "is not bounded"


def _plain(seconds: float) -> str:
    """`41.9`, `1,541,840,000`."""
    return f"{seconds:,.1f}".removesuffix(".0")
