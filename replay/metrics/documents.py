"""JSON documents with samples: answers of Prometheus, of CloudWatch, and `sadf -j`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from math import gcd
from typing import Any

from replay.json_text import value_of_json
from replay.metrics.raw import LOOKBACK_MS, RawSample
from replay.reading.stamps import micros_of

_SELECTOR = re.compile(r"^[a-zA-Z_:{][^()]*\[\w+\]$")
_BROKER = re.compile(r"(?:^|[^\w.])(?:[Bb]roker(?: ?ID)?[ :=_-]*)?(\d{1,9})(?=$|[^\w.%])")


def prometheus(text: str) -> Iterator[RawSample]:
    """The samples in an answer of Prometheus (`query`, `query_range`). A series without a name is the result of an
    expression: its name is `(expression)`.

    A range selector (`metric[2h]`) is answered with the scrapes themselves. Any other answer has values that may be old.
    """
    document = _object(value_of_json(text))
    series = _objects(_object(document.get("data")).get("result"))
    age = 0 if _are_scrapes(document, series) else LOOKBACK_MS
    position = 0
    for one in series:
        labels = {str(key): str(value) for key, value in _object(one.get("metric")).items()}
        name = labels.pop("__name__", "(expression)")
        for pair in _list(one.get("values")) or [one.get("value")]:
            position += 1
            sample = _sample(position, name, labels, pair, age)
            if sample is not None:
                yield sample


def _sample(position: int, name: str, labels: Mapping[str, str], pair: Any, age: int) -> RawSample | None:
    try:
        return RawSample(position, name, labels, round(float(pair[0]) * 1_000_000), float(pair[1]), None, age)
    except (TypeError, ValueError, IndexError, KeyError, OverflowError):
        return None


def _are_scrapes(document: Mapping[str, Any], series: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the values are the scrapes themselves: the query says so, or the times are on no common grid, as those of
    `query_range` always are.
    """
    query = document.get("query")
    if isinstance(query, str):
        return _SELECTOR.match(query.strip()) is not None
    times = sorted({_millis(pair) for one in series for pair in _list(one.get("values"))})
    steps = [later - earlier for earlier, later in itertools.pairwise(times)]
    return len(times) > 2 and reduce(gcd, steps) < 1_000


def _millis(pair: Any) -> int:
    try:
        return round(float(pair[0]) * 1000)
    except (TypeError, ValueError, IndexError, KeyError, OverflowError):
        return 0


def cloudwatch(text: str) -> Iterator[RawSample]:
    """The samples of `aws cloudwatch get-metric-data`, or of `get-metric-statistics`. CloudWatch dates a value by the
    begin of its period; a sample here has the time of the end.
    """
    position = 0
    for result in _results(_object(value_of_json(text))):
        points = [
            (micros_of_iso(str(at)), value) for at, value in zip(*map(_list, (result["Timestamps"], result["Values"])))
        ]
        period = period_of([at for at, _ in points if at is not None])
        name, labels = named(str(result.get("Label") or result.get("Id") or ""))
        for at, value in points:
            position += 1
            if at is not None and isinstance(value, int | float):
                yield RawSample(position, name, labels, at + period * 1000, float(value), period)


def _results(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for result in _objects(document.get("MetricDataResults")):
        yield {"Timestamps": [], "Values": [], **result}
    points = _objects(document.get("Datapoints"))
    if points:
        statistic = next((name for name in ("Average", "Maximum", "Sum", "Minimum") if name in points[0]), "Average")
        times, values = [one.get("Timestamp") for one in points], [one.get(statistic) for one in points]
        yield {"Label": document.get("Label"), "Timestamps": times, "Values": values}


def named(label: str) -> tuple[str, dict[str, str]]:
    """The metric and the labels in a label of CloudWatch: the metric's name and the values of its dimensions, in any
    order (`BytesInPerSec Broker 1`).
    """
    words = re.findall(r"[A-Za-z][A-Za-z0-9]*", label)
    name = next((word for word in words if re.match(r"(?:[A-Z][a-z]+){2,}|(?:BwIn|BwOut)", word)), label)
    broker = _BROKER.search(label)
    return name, {"broker_id": broker[1]} if broker else {}


def period_of(times: Iterable[int]) -> int:
    """The period of a series in milliseconds: the least distance of its times; a minute if there is one alone."""
    in_order = sorted(set(times))
    return min((later - earlier for earlier, later in itertools.pairwise(in_order)), default=60_000_000) // 1000


def micros_of_iso(text: str) -> int | None:
    """The microseconds of a time with its zone (`2026-11-29T00:10:01+00:00`, `…Z`); one without a zone is UTC."""
    found = re.fullmatch(
        r"(\d{4}[-/]\d\d[-/]\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|UTC|[+-]\d\d:?\d\d)?", text.strip()
    )
    if found is None:
        return None
    zone = found[3] if found[3] and found[3][0] in "+-" else "UTC"
    return micros_of(f"{found[1].replace('/', '-')} {found[2]}", zone if len(zone) != 5 else f"{zone[:3]}:{zone[3:]}")


def sadf(text: str) -> Iterator[RawSample]:
    """The samples of `sadf -j`: each value is a mean over the interval before its time."""
    hosts = _object(_object(value_of_json(text)).get("sysstat")).get("hosts")
    position = 0
    for host in _objects(hosts):
        target = {"instance": str(host.get("nodename"))}
        for one in _objects(host.get("statistics")):
            at, interval = _time_of(_object(one.get("timestamp")), str(host.get("timezone") or "UTC"))
            for name, labels, value in _values(one):
                position += 1
                if at is not None:
                    yield RawSample(position, name, {**target, **labels}, at, value, interval)


def _time_of(stamp: Mapping[str, Any], zone: str) -> tuple[int | None, int | None]:
    local = "UTC" if stamp.get("utc") else zone
    at = micros_of(f"{stamp.get('date')} {stamp.get('time')}", local)
    interval = stamp.get("interval")
    return at, interval * 1000 if isinstance(interval, int) else None


def _values(statistics: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str], float]]:
    """The numbers of one time, each with its name and the device or processor that it is about."""
    parts = {"cpu-load": statistics.get("cpu-load"), "disk": statistics.get("disk")}
    parts["net-dev"] = _object(statistics.get("network")).get("net-dev")
    for part, entries in parts.items():
        for entry in _objects(entries):
            labels = {key: str(value) for key, value in entry.items() if isinstance(value, str)}
            for key, value in entry.items():
                if isinstance(value, int | float):
                    yield f"sadf:{part}.{key}", labels, float(value)


def _object(value: Any) -> Mapping[str, Any]:
    """A JSON object; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> Sequence[Any]:
    """A JSON list; an empty one for any other value."""
    return value if isinstance(value, list) else []


def _objects(value: Any) -> Sequence[Mapping[str, Any]]:
    """The objects of a JSON list."""
    return [one for one in _list(value) if isinstance(one, dict)]
