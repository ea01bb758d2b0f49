"""Hundreds of random histories with known truth: no band, no ledger row and no invariant says anything that is not so (facts §1.3, §2, §3).

`SIMULATED_HISTORIES=5000` plays more of them, `SIMULATED_HISTORIES=228,325` only these, `SIMULATED_SEED` others. Two kinds keep fewer promises, because no line tells what decides:
after a loss of power a log that comes back is shorter by nobody knows how much, and with messages of before 0.11 two logs can differ
below their high watermarks (facts §3.3, S2). Of both it is tested that nothing is proven that is not so, and that no invariant cries.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pyarrow as pa
import pytest

from replay.tables import EVENTS
from replay.tables.partitions import TOPIC_LIVES, TOPIC_SETTINGS
from tests.simulator import KRAFT, OLD_FORMAT, ZOOKEEPER, Change, History
from tests.stages import tables_of
from tests.tables import arrow_schema, table

CHOSEN = [int(number) for number in os.environ.get("SIMULATED_HISTORIES", "180").split(",")]
NUMBERS = CHOSEN if len(CHOSEN) > 1 else range(CHOSEN[0])
HISTORIES = len(NUMBERS)
SEED = int(os.environ.get("SIMULATED_SEED", "1"))
STEPS = 260
EPOCH = datetime(2024, 5, 1, 10, tzinfo=UTC)
# What a history may break that truly lost committed records, or elected from outside the ISR.
OF_LOSS = {"I6", "I12", "I13", "I14", "I18", "I32"}


def at(ms: int) -> datetime:
    return EPOCH + timedelta(milliseconds=ms)


def played(number: int) -> History:
    """The `number`-th history: releases, settings and faults in turn."""
    release = (ZOOKEEPER, KRAFT, OLD_FORMAT)[number % 3]
    return History(
        number, SEED, release, unclean=number // 3 % 2 == 0, power=number // 6 % 4 == 0, min_isr=1 + number // 24 % 2
    ).play(STEPS)


def events_of(spark, histories: list[History]):
    """What all brokers of all histories printed, as `EVENTS`."""
    schema = arrow_schema(EVENTS.schema)
    rows = [row | {"ts": at(row["ts"])} for history in histories for row in history.rows]
    columns = {name: [row.get(name) for row in rows] for name in EVENTS.schema.fieldNames()}
    columns["details"] = [list(details.items()) if details else None for details in columns["details"]]
    columns["message"] = [""] * len(rows)
    return spark.createDataFrame(
        pa.table({f.name: pa.array(columns[f.name], f.type) for f in schema}, schema=schema), EVENTS.schema
    )


@dataclass(frozen=True)
class Replayed:
    """The histories, and what the replay says of each (by topic)."""

    histories: list[History]
    bands: dict[str, list]
    losses: dict[str, list]
    violations: dict[str, list]


def replay(spark, histories: list[History], folder) -> Replayed:
    """The stages of the main job, on the histories' events."""
    settings = table(
        spark,
        TOPIC_SETTINGS,
        "topic | min_isr\n" + "\n".join(f"{h.topic} | {h.min_isr if h.number % 5 else ''}" for h in histories),
    )
    given = {
        "topic_lives": TOPIC_LIVES.empty(spark),
        "topic_settings": settings,
        "recorded_sessions": [],
    }
    made = tables_of(spark, folder, ("commit_bands", "ledger", "violations"), events_of(spark, histories), **given)

    def by_topic(rows) -> dict[str, list]:
        of_topics = defaultdict(list)
        for row in rows:
            of_topics[row.topic].append(row)
        return of_topics

    bands, losses, broken = (by_topic(made[name].collect()) for name in ("commit_bands", "ledger", "violations"))
    return Replayed(histories, bands, losses, broken)


@pytest.fixture(scope="module")
def replayed(spark, tmp_path_factory):
    return replay(spark, [played(number) for number in NUMBERS], tmp_path_factory.mktemp("simulated"))


def name(history: History) -> str:
    return f"history {history.number}, Kafka {history.release.version}{', unclean elections' * history.unclean_allowed}{', power losses' * history.power}, min ISR {history.min_isr}"


def false_bands(history: History, bands: list) -> list[str]:
    """Bands that do not hold the true commit point at some moment between two of its steps."""
    steps = [*history.commits, (history.now, None)]
    wrong = []
    for (since, committed), (until, _) in pairwise(steps):
        if until - since < 2:
            continue
        for moment in (at(since) + timedelta(microseconds=500), at(until) - timedelta(microseconds=500)):
            band = next(
                (
                    b
                    for b in bands
                    if b.start_ts.replace(tzinfo=UTC) <= moment
                    and (b.end_ts is None or moment < b.end_ts.replace(tzinfo=UTC))
                ),
                None,
            )
            if band and not (
                band.committed_low <= committed and (band.committed_high is None or committed <= band.committed_high)
            ):
                wrong.append(
                    f"{name(history)}: {since}-{until} commit point {committed}, band [{band.committed_low}, {band.committed_high}] {band.low_evidence} {band.high_evidence}"
                )
    return wrong


def of_change(rows: list, change: Change) -> list:
    """The ledger rows about a change of leader."""
    return [row for row in rows if row.leader_epoch == change.epoch]


def within(offsets: Iterable[int], ranges: list[tuple[int, int | None]]) -> bool:
    """Every offset is in one of the ranges; an end of None is open."""
    return all(any(start <= offset and (end is None or offset < end) for start, end in ranges) for offset in offsets)


def gone(history: History, change: Change, offsets: tuple[int, int]) -> list[int]:
    """The offsets whose record no later leader brought back."""
    kept = history.kept.union(*[later.new_log for later in history.changes if later.epoch > change.epoch])
    return [offset for offset in range(*offsets) if offset >= len(change.old_log) or change.old_log[offset] not in kept]


def false_rows(history: History, rows: list) -> list[str]:
    """Ledger rows that claim a loss that was none, and losses that no row covers."""
    wrong = []
    for change in history.changes:
        is_logged = of_change(rows, change)
        where = f"{name(history)}: leader epoch {change.epoch}, {change.old} -> {change.new}, lost {change.lost}, discarded {change.discarded}"
        said = [
            (
                row.loss_class,
                row.verdict,
                row.from_offset,
                row.to_offset_low,
                row.to_offset_high,
                row.scenario,
                row.premise,
            )
            for row in is_logged
        ]
        committed = [row for row in is_logged if row.loss_class == "committed"]
        for row in committed:
            if row.verdict == "PROVEN_LOSS" and not within(range(row.from_offset, row.to_offset_low), [change.lost]):
                wrong.append(f"{where}: proven too much, {said}")
        if committed and not within(
            gone(history, change, change.lost), [(row.from_offset, row.to_offset_high) for row in committed]
        ):
            wrong.append(f"{where}: committed loss not covered, {said}")
        if (
            is_logged
            and change.old != change.new
            and not within(
                gone(history, change, change.discarded), [(row.from_offset, row.to_offset_high) for row in is_logged]
            )
        ):
            wrong.append(f"{where}: discarded records not covered, {said}")
        if not is_logged and change.old != change.new:
            wrong.append(f"{where}: not judged")
        if not is_logged and gone(history, change, change.lost):
            wrong.append(f"{where}: loss without a row")
    return wrong


def is_logged(history: History) -> bool:
    """The lines tell all that decides."""
    return not history.power and not history.release.cuts_to_high_watermark


def lossy(history: History) -> bool:
    return history.power or any(change.unclean or change.lost[0] < change.lost[1] for change in history.changes)


def test_the_simulator_keeps_the_protocol(replayed):
    """A clean election loses nothing, unless power was lost or logs are cut to the high watermark; and faults do happen."""
    assert [
        name(h)
        for h in replayed.histories
        if is_logged(h)
        for c in h.changes
        if not c.unclean and c.lost[0] < c.lost[1]
    ] == []
    changes = [c for h in replayed.histories for c in h.changes]
    assert len(changes) > HISTORIES
    assert sum(c.unclean for c in changes) > HISTORIES // 20
    assert sum(c.lost[0] < c.lost[1] for c in changes) > HISTORIES // 20
    assert sum(c.discarded[0] < c.discarded[1] for c in changes) > HISTORIES // 5


def test_every_band_holds_the_true_commit_point(replayed):
    assert [
        wrong for h in replayed.histories if is_logged(h) for wrong in false_bands(h, replayed.bands[h.topic])
    ] == []


def test_every_ledger_row_covers_what_was_truly_lost(replayed):
    assert [
        wrong for h in replayed.histories if is_logged(h) for wrong in false_rows(h, replayed.losses[h.topic])
    ] == []


def test_no_loss_is_proven_that_was_none(replayed):
    rows = [(h, row) for h in replayed.histories for row in replayed.losses[h.topic] if row.verdict == "PROVEN_LOSS"]
    assert len(rows) > HISTORIES // 10
    assert [
        f"{name(h)}: {row}"
        for h, row in rows
        if not any(
            within(range(row.from_offset, row.to_offset_low), [c.lost])
            for c in h.changes
            if c.epoch == row.leader_epoch
        )
    ] == []


def test_no_invariant_cries_on_a_legal_history(replayed):
    found = [
        (name(h), row.invariant, row.detail, row.evidence)
        for h in replayed.histories
        for row in replayed.violations[h.topic]
        if row.verdict == "violated"
        if row.invariant not in (OF_LOSS if lossy(h) else ())
    ]
    assert found == []


PARTS = ("without_a_node", "of_one_node", "late", "without_roles", "with_holes")
FEWER = range(1_000, 1_000 + (HISTORIES if len(CHOSEN) == 1 else 0))
ROLES = ("leader_start", "follower_start", "leader_transition_skipped")


def with_part_of_its_lines(history: History) -> History:
    """The history, with a part of its lines as operators have it: without a node, of one node, from a moment on, without
    state-change.log, or with every tenth line missing.
    """
    part, random = PARTS[history.number % len(PARTS)], Random(f"{SEED}/{history.number}")
    nodes = sorted({row["node_id"] for row in history.rows})
    node, begin = random.choice(nodes), random.randrange(history.now)
    keeps = {
        "without_a_node": lambda row: row["node_id"] != node,
        "of_one_node": lambda row: row["node_id"] == node,
        "late": lambda row: row["ts"] >= begin,
        "without_roles": lambda row: row["kind"] not in ROLES,
        "with_holes": lambda row: random.random() >= 0.1,
    }[part]
    history.rows = [row for row in history.rows if keeps(row)]
    return history


@dataclass(frozen=True)
class Fewer:
    """Histories of which a part of the lines is left, and by topic what the replay makes of that."""

    histories: list[History]
    losses: dict[str, list]
    touched: set[str]  # the topics in whose lines a leader changed, or a replica truncated its log


@pytest.fixture(scope="module")
def fewer(spark, tmp_path_factory):
    histories = [with_part_of_its_lines(played(number)) for number in FEWER]
    given = {
        "topic_lives": TOPIC_LIVES.empty(spark),
        "topic_settings": TOPIC_SETTINGS.empty(spark),
        "recorded_sessions": [],
    }
    wanted = ("ledger", "leader_epochs", "truncations")
    made = tables_of(spark, tmp_path_factory.mktemp("fewer"), wanted, events_of(spark, histories), **given)
    losses, leaders = defaultdict(list), defaultdict(set)
    for row in made["ledger"].collect():
        losses[row.topic].append(row)
    for row in made["leader_epochs"].collect():
        leaders[row.topic].add(row.leader_id)
    cut = {row.topic for row in made["truncations"].collect()}
    return Fewer(histories, losses, cut | {topic for topic, ids in leaders.items() if len(ids) > 1})


def test_no_lost_record_is_outside_every_row_where_a_part_of_the_lines_shows_a_change_of_leader(fewer):
    """With fewer lines a row may be wider or undecided, but none may be missing. Changes of before the first line are not judged."""
    wrong = []
    for history in fewer.histories:
        if history.topic not in fewer.touched or not is_logged(history):
            continue
        ranges = [(row.from_offset, row.to_offset_high) for row in fewer.losses[history.topic]]
        first = min((row["leader_epoch"] for row in history.rows if row.get("leader_epoch") is not None), default=0)
        for change in (one for one in history.changes if one.epoch >= first):
            hidden = [o for o in gone(history, change, change.lost) if not within([o], ranges)]
            if hidden:
                wrong.append(
                    f"{name(history)}, {PARTS[history.number % len(PARTS)]}: leader epoch {change.epoch}, {change.old} -> {change.new}: {hidden} of {change.lost} in none of {ranges}"
                )
    assert len(fewer.touched) > len(fewer.histories) // 2
    assert wrong == []


def test_no_loss_is_proven_that_was_none_where_lines_are_missing(fewer):
    wrong = []
    proven = 0
    for history in fewer.histories:
        truly = [change.lost for change in history.changes]
        for row in fewer.losses[history.topic]:
            if row.verdict == "PROVEN_LOSS":
                proven += 1
                if not all(any(a <= o < b for a, b in truly) for o in range(row.from_offset, row.to_offset_low)):
                    wrong.append(f"{name(history)}, {PARTS[history.number % len(PARTS)]}: {row}, lost {truly}")
    assert proven > len(fewer.histories) // 20
    assert wrong == []
