"""Incidents of randomly simulated histories (`tests.simulator`), as rows, passed through the program's plain
functions for conclusions, findings and incidents. Without Spark.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd

from pipelines.findings_json import findings_json
from replay.causes.findings import conclusions, findings
from replay.causes.incident_metrics import incidents
from replay.facts.times import millis
from replay.faults.shape import fault
from replay.sentences.statement import statement
from replay.tables import COVERAGE, FINDINGS, INCIDENTS, LOSSES, Table
from replay.tables.availability import INCIDENT_HARM, IncidentHarm, TopicDowntime
from replay.tables.causes import (
    Effect,
    OpenLoss,
    PartitionTime,
    RootSpan,
)
from replay.tables.reading import FileCoverage
from replay.tables.row import Row
from tests.simulator import Change, History
from viz.frames import COLUMNS
from viz.report import report

EPOCH = datetime(2024, 5, 1, 10, tzinfo=UTC)
APART_MS = 40_000  # changes further apart are of two incidents
KINDS = ("killed", "paused", "cut_from_peers", "stopped")


@dataclass(frozen=True)
class Story:
    """The output for histories: their tables, `findings.json` and the page."""

    tables: Mapping[str, pd.DataFrame]
    json: Mapping[str, Any]
    page: str
    lost: int  # committed records that were surely lost, summed over the rows of all histories


def at(ms: float) -> datetime:
    return EPOCH + timedelta(milliseconds=int(ms))


def story(histories: Sequence[History]) -> Story:
    """The output for histories of one cluster, each with its own topic."""
    dice = random.Random(f"story/{[history.number for history in histories]}")
    given: dict[str, list[Row]] = {
        name: [] for name in ("faults", "root_spans", "effects", "open_losses", "partition_times", "harm", "down")
    }
    for history in histories:
        changes = [change for change in history.changes if change.old != change.new and change.old_log is not None]
        for number, some in enumerate(_apart(changes), 1):
            _tell(history, f"incident-{history.number}-{number}", some, dice, given)
    concluded = conclusions(
        given["faults"], [], given["root_spans"], given["effects"], given["open_losses"], [], [], [], []
    )
    found = findings(concluded, [])
    told = incidents(
        concluded,
        found,
        given["root_spans"],
        given["effects"],
        given["open_losses"],
        given["faults"],
        given["partition_times"],
        given["harm"],
        given["down"],
        [],
        [],
        [],
        [],
    )
    tables = {
        "incidents": _frame(INCIDENTS, told),
        "findings": _frame(FINDINGS, found),
        "losses": _frame(LOSSES, given["open_losses"]),
        "coverage": _frame(COVERAGE, [_file(histories)]),
    }
    tables = {name: pd.DataFrame(columns=list(columns)) for name, columns in COLUMNS.items()} | tables
    as_json = json.loads(json.dumps(findings_json(tables, ["logs"], [], "0")))
    page = report(tables, title="histories", inputs=["logs"], notes=[], incident_id=None, version="0")
    proven = [loss for loss in given["open_losses"] if loss.verdict == "PROVEN_LOSS"]
    return Story(tables, as_json, page, sum(loss.to_offset_low - loss.from_offset for loss in proven))


def _apart(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Groups of changes that are close in time, in order of time."""
    some: list[Change] = []
    for change in sorted(changes, key=lambda change: change.ts):
        if some and change.ts - some[-1].ts > APART_MS:
            yield some
            some = []
        some.append(change)
    if some:
        yield some


def _tell(history: History, name: str, changes: list[Change], dice: random.Random, given: dict[str, list[Row]]) -> None:
    """Adds the rows of one incident: a fault for each former leader, the effects, and the losses."""
    last = changes[-1].ts
    faults = [_fault(change, dice) for change in {change.old: change for change in changes[::-1]}.values()]
    roots = [one.fault_id for one in faults]
    given["faults"] += faults
    given["effects"] += [_as_vertex(one, name) for one in faults]
    given["root_spans"] += [
        RootSpan(one.fault_id, one.code, one.kind, one.broker_id, one.ts, at(last), len(changes), name)
        for one in faults
    ]
    for change in changes:
        given["effects"] += _effects(history, change, name, roots, dice)
        given["open_losses"] += _losses(history, change, name, roots, dice)
    lasted = millis(at(last), max(one.ts for one in faults)) or 0
    low, high = sorted(dice.sample(range(60_000), 2))
    low = min(low, lasted)
    is_open = dice.random() < 0.2
    given["down"] += [
        TopicDowntime(
            incident_id=name,
            topic=history.topic,
            what=what,
            low_ms=low // part,
            high_ms=high,
            partitions=[f"{history.topic}-0"] * (low > 0),
            may_partitions=[f"{history.topic}-0"],
            lows_ms=[low // part],
            highs_ms=[high],
            is_open=is_open,
        )
        for what, part in (("acks_all", 1), ("acks_one", 2), ("reads", 3))
    ]
    given["harm"].append(
        IncidentHarm(
            **dict.fromkeys(INCIDENT_HARM.schema.names, 0)
            | {
                "unended": [],
                "undated": [],
                "worst_partition": None,
                "worst_partition_ms": None,
                "is_open": is_open,
                "incident_id": name,
            }
            | {"blocked_all_min_ms": low, "blocked_all_max_ms": high, "partitions_blocked": int(low > 0)}
        )
    )
    short = dice.random() < 0.2
    given["partition_times"].append(
        PartitionTime(name, 0, 0, 0, 0, high, None if short else at(last + high), int(short))
    )


def _fault(change: Change, dice: random.Random) -> Row:
    high = change.ts - dice.randrange(50, 9_000)
    low = high - dice.randrange(30_000)
    ended = None if dice.random() < 0.2 else change.ts + dice.randrange(60_000)
    return fault(
        dice.choice(KINDS),
        statement("any"),
        broker_id=change.old,
        ts=at(high),
        began_low=at(low),
        end_ts=None if ended is None else at(ended),
        ended_low=None if ended is None else at(max(high, ended - dice.randrange(5_000))),
        confidence=0.9,
        evidence=[f"n:{change.ts}"],
    )


def _as_vertex(one: Row, name: str) -> Row:
    """The vertex of the fault itself, which is its own root."""
    return Effect(
        id=one.fault_id,
        kind=one.kind,
        node_id=one.broker_id,
        incident_id=name,
        root_ids=[one.fault_id],
        count=1,
        ts=one.ts,
        last_ts=one.ts,
        first_id=one.fault_id,
        partitions=[],
        evidence=["n:1"],
        evidence_ts=[one.ts],
    )


def _effects(history: History, change: Change, name: str, roots: list[str], dice: random.Random) -> Iterable[Row]:
    ts = at(change.ts)
    own = {
        "incident_id": name,
        "root_ids": roots,
        "partitions": [f"{history.topic}-0"],
        "count": 1,
        "first_id": f"{history.topic}-0/{change.epoch}",
        "evidence": ["n:1"],
    }
    yield Effect(
        kind="unclean_election" if change.unclean else "election",
        by=dice.choice(("broker_failure", "preferred", "controlled_shutdown")),
        elected_from="any_replica" if change.unclean else "isr",
        is_other_leader=True,
        ts=ts,
        last_ts=ts,
        evidence_ts=[ts],
        **own,
    )
    if dice.random() < 0.5:
        since = at(change.ts - dice.randrange(50))
        yield Effect(
            kind="leaderless",
            is_open=False,
            is_passing=False,
            ts=since,
            last_ts=since,
            over_ts=ts,
            sum_ms=100,
            longest_ms=100,
            evidence_ts=[since],
            **own,
        )


def _losses(history: History, change: Change, name: str, roots: list[str], dice: random.Random) -> Iterable[Row]:
    """The losses of the history; the committed part is stated as proven, as possible, or as undetermined."""
    (begin, end), (_, most) = change.lost, change.discarded
    own = {
        "topic": history.topic,
        "partition": 0,
        "leader_epoch": change.epoch,
        "ts": at(change.ts),
        "old_leader_id": change.old,
        "new_leader_id": change.new,
        "premise": "the history says so",
        "incident_id": name,
        "evidence": ["n:1"],
        "root_ids": roots,
        "election_root_ids": roots,
    }
    if begin < end:
        verdict = dice.choice(("PROVEN_LOSS", "PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED"))
        sure = dice.randrange(begin, end + 1) if verdict == "PROVEN_LOSS" else begin
        high = None if dice.random() < 0.1 else end
        yield OpenLoss(
            scenario="S4" if change.unclean else "S5",
            loss_class="committed",
            verdict=verdict,
            from_offset=begin,
            to_offset_low=sure,
            to_offset_high=high,
            **own,
        )
    if end < most:
        yield OpenLoss(
            scenario="S7",
            loss_class="acked_possible",
            verdict="POSSIBLE_LOSS",
            from_offset=end,
            to_offset_low=end,
            to_offset_high=most,
            **own,
        )


def _file(histories: Sequence[History]) -> Row:
    return FileCoverage(
        node_id=1,
        source_file="node-1/server.log",
        layout="default",
        log_records=10,
        matched=10,
        unmatched=0,
        foreign=0,
        first_ts=at(0),
        last_ts=at(max(history.now for history in histories)),
    )


def _frame(table: Table, rows: Sequence[Row]) -> pd.DataFrame:
    """The rows in the form that the page uses: times without a zone."""
    names = table.schema.names
    frame = pd.DataFrame([[getattr(row, name, None) for name in names] for row in rows], columns=names)
    for column in table.schema.fields:
        if column.dataType.simpleString() == "timestamp":
            frame[column.name] = pd.to_datetime(frame[column.name], utc=True).dt.tz_localize(None)
    return frame
