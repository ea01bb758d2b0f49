"""Answers to questions about a finished result: commands print them, assistants receive them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pandas as pd

from pipelines.answers import at as standing
from pipelines.answers import broker as of_broker
from pipelines.answers import diff as differing
from pipelines.answers import explain as explaining
from pipelines.answers import explain_json
from pipelines.answers import partition as telling
from pipelines.answers.frames import first_lines, rows
from pipelines.answers.times import Clock, check_inside, iso, moment, zone
from pipelines.glossary import glossary
from pipelines.result import Result
from pipelines.terminal import json_line
from replay.errors import InputError

_OF_TOPICS = frozenset(
    (
        "leader_epochs",
        "isr_spans",
        "eligible_leaders",
        "log_directories",
        "commit_bands",
        "availability",
        "elections",
    )
)


@dataclass(frozen=True)
class Reply:
    """An answer: its lines, the events whose lines prove it if `lines` does not quote them, and its time range
    (None: all).
    """

    lines: Iterable[str]
    evidence: Iterable[str] = ()
    about: tuple[pd.Timestamp, pd.Timestamp] | None = None


def explain(result: Result, wanted: str | None, tz: str | None = None, *, as_json: bool = False) -> Reply:
    """Why findings were concluded: those that `wanted` names (an id, its beginning, an incident, a code), or every
    root cause; or what a code means. Raises InputError for anything else.
    """
    tables = {name: result.table(name, explaining.COLUMNS.get(name)) for name in explaining.TABLES}
    codes, clock = glossary(), Clock(zone(tz))
    findings = explaining.roots(tables) if wanted is None else explaining.found(tables, wanted)
    if not findings and wanted is None and not as_json:
        return Reply([f"{result.folder}: no root cause was found."])
    if not findings and wanted is not None:
        if not explaining.is_code(wanted, codes):
            ids = sorted(tables["findings"].finding_id) if len(tables["findings"]) else []
            named = f"; its findings are {', '.join(ids[:6])}{' …' if len(ids) > 6 else ''}"
            raise InputError(f"{wanted}: no finding of {result.folder}, and no code{named if ids else '; it has none'}")
        if as_json:
            return Reply([explain_json.of_meaning(wanted, explaining.meaning(wanted, codes))])
        return Reply([f"No finding of {result.folder} has this code.", "", *explaining.meaning(wanted, codes)])
    graph = explaining.Graph(tables)
    messages = result.lines(explaining.evidence_of(graph, findings))
    if as_json:
        return Reply([explain_json.of_findings(findings, graph, messages)])
    explanations = (explaining.explained(tables, graph, finding, messages, codes, clock) for finding in findings)
    texts = (["", "-" * 72, "", *text] if n else text for n, text in enumerate(explanations))
    return Reply(chain(_window_of(result), chain.from_iterable(texts)))


def at(
    result: Result,
    when: str,
    topics: Sequence[str] = (),
    tz: str | None = None,
    *,
    as_json: bool = False,
    is_whole: bool = True,
) -> Reply:
    """The cluster at one moment, or some topics of it; as JSON an object for each partition. Raises InputError for an
    invalid time, and for one outside the logs.
    """
    here, recorded = zone(tz), result.recorded()
    meant, clock = moment(when, here, recorded), Clock(here)
    check_inside(when, meant, meant, recorded, clock)
    tables = _of_topics(result, standing.TABLES, topics)
    if as_json:
        return Reply(map(_json, rows(standing.at(tables, meant, topics))))
    lines = standing.as_text(tables, meant, clock, topics, is_whole=is_whole)
    return Reply(chain(_window_of(result), lines), standing.evidence(tables, meant, topics), (meant, meant))


def diff(
    result: Result,
    since: str,
    until: str,
    topics: Sequence[str] = (),
    tz: str | None = None,
    *,
    as_json: bool = False,
    is_whole: bool = True,
) -> Reply:
    """What changed between two moments; as JSON an object for each partition. Raises InputError for an invalid time,
    and for an end that is not later.
    """
    here, recorded = zone(tz), result.recorded()
    start, end = moment(since, here, recorded), moment(until, here, recorded)
    if start >= end:
        raise InputError(f"{since} is not before {until}")
    check_inside(f"{since} to {until}", start, end, recorded, Clock(here))
    tables = _of_topics(result, differing.TABLES, topics)
    if as_json:
        return Reply(map(_json, rows(differing.changed(tables, start, end))))
    lines = differing.as_text(tables, start, end, Clock(here), is_whole=is_whole)
    return Reply(chain(_window_of(result), lines), differing.evidence(tables, start, end), (start, end))


def partition(
    result: Result, name: str, *, with_lines: bool = False, tz: str | None = None, as_json: bool = False
) -> Reply:
    """The history of a partition, `orders-0`; as JSON an object for each event. Raises InputError for a partition
    that no line mentions.
    """
    clock = Clock(zone(tz))
    topic, number = telling.named(name)
    tables = result.of_partition(telling.TABLES, topic, number)
    if all(table.empty for table in tables.values()):
        partitions = result.table("leader_epochs", ["topic", "partition"])
        topics = sorted(set(partitions.topic)) if len(partitions) else []
        raise InputError(f"{name}: these logs have no line about it; topics are {', '.join(topics[:8]) or 'none'}")
    if as_json:
        return Reply(map(_json, rows(telling.story(tables))))
    proof = first_lines(row[:1] for row in telling.story(tables).evidence) if with_lines else []
    story = telling.as_text(f"{topic}-{number}", tables, result.lines(proof), clock, with_lines=with_lines)
    return Reply(chain(_window_of(result), story))


def broker(
    result: Result, broker_id: int, *, with_lines: bool = False, tz: str | None = None, as_json: bool = False
) -> Reply:
    """The history of a broker, and whether a restart is safe; as JSON an object for each event. Raises InputError for
    a broker that no line mentions.
    """
    clock = Clock(zone(tz))
    tables = result.tables(*of_broker.TABLES)
    if not of_broker.is_known(tables, broker_id):
        known = sorted(set(tables["broker_sessions"].broker_id)) if len(tables["broker_sessions"]) else []
        raise InputError(
            f"{broker_id}: these logs have no line about this broker; brokers are {', '.join(map(str, known)) or 'none'}"
        )
    if as_json:
        return Reply(map(_json, of_broker.with_restart(tables, broker_id)))
    proof = first_lines(row[:1] for row in of_broker.story(tables, broker_id).evidence) if with_lines else []
    text = of_broker.as_text(tables, broker_id, result.lines(proof), clock, with_lines=with_lines)
    return Reply(chain(_window_of(result), text))


def _window_of(result: Result) -> list[str]:
    """A line about the time range to which the analysis was limited, if any."""
    window = result.window()
    return [] if window is None else [f"Of the logs only the time {window} was read."]


def _json(row: Any) -> str:
    return json_line(
        {n: iso(value) if isinstance(value, pd.Timestamp) else value for n, value in row._asdict().items()}
    )


def _of_topics(result: Result, names: Iterable[str], topics: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The tables, limited to `topics` if any are given. Tables without topics stay complete."""
    return {
        name: result.table(name, where=[("topic", "in", list(topics))] if topics and name in _OF_TOPICS else ())
        for name in names
    }
