"""`kafka-replay acks`: what producers with acks=0, 1 and all received from a partition, and when. Without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipelines.answers.partition import named
from pipelines.answers.times import Clock, iso, zone
from pipelines.result import Result
from pipelines.terminal import json_line
from replay.errors import InputError
from viz.acks_told import ProducerAnswers, answer_spans
from viz.frames import rows, tidy

_LABELS = (("acks=0", "zero"), ("acks=1", "one"), ("acks=all", "all"))


def acks(result: Path, partitions: Sequence[str], *, tz: str | None = None, as_json: bool = False) -> Iterator[str]:
    """For each of `partitions` (`orders-0`), what producers received from one change to the next, as lines of text
    or JSON.

    Raises InputError for a folder that `analyze` did not write, a partition without known write availability, and an
    invalid zone.
    """
    read, clock = Result(result), Clock(zone(tz))
    for name in partitions:
        spans = of_partition(read, name)
        yield from map(_json, spans) if as_json else _text(name, spans, clock)


def of_partition(read: Result, name: str) -> list[ProducerAnswers]:
    """The spans of one partition. Raises InputError if none is known."""
    topic, number = named(name)
    of_partition = [("topic", "==", topic), ("partition", "==", number)]
    spans = answer_spans(
        *(rows(tidy(read.table(name, where=of_partition), name)) for name in ("availability", "losses"))
    )
    if not spans:
        raise InputError(f"{name}: {read.folder} does not show when it accepted writes")
    return spans


def _text(name: str, spans: Sequence[ProducerAnswers], clock: Clock) -> Iterator[str]:
    yield f"{name}: what producers received, by their acks ({clock.name})"
    for span in spans:
        proof = f"  [{span.evidence[0]}]" if span.evidence else ""
        yield f"  {clock.span(span.start, span.end)}{proof}"
        yield from (f"      {label:<9} {getattr(span, of)}" for label, of in _LABELS)
    yield "For losses see `kafka-replay partition`."


def _json(span: ProducerAnswers) -> str:
    return json_line(
        {
            "topic": span.topic,
            "partition": span.partition,
            "start_ts": iso(span.start),
            "end_ts": iso(span.end),
            **{of: getattr(span, of) for _, of in _LABELS},
            **{f"{of}_state": getattr(span, f"{of}_state") for _, of in _LABELS},
            "evidence": list(span.evidence),
        }
    )
