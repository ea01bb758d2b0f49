"""The same history under other settings: what would have been refused, led by nobody, kept; and what the lines cannot say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest

from pipelines import what_if
from pipelines.answers import what_if as asked
from pipelines.answers.frames import plain
from pipelines.result import NULLABLE
from replay.tables import (
    BROKER_SESSIONS,
    COMMIT_BANDS,
    ELECTIONS,
    ISR_SPANS,
    LEADER_EPOCHS,
    LOSSES,
    SETTINGS,
    TABLES,
    WHAT_IFS,
    Table,
)
from tests.each import for_each
from tests.tables import arrow_table, same_rows

Rows = list[dict[str, Any]]


@pytest.fixture(params=["from a result", "from a session"])
def of(request):
    """A table about orders-0, as either reads it: whole numbers with nulls are nullable, or floats."""
    types = NULLABLE.get if request.param == "from a result" else None

    def read(contract: Table, text: str) -> pd.DataFrame:
        frame = arrow_table(contract, text).to_pandas(types_mapper=types)
        every = {"topic": "orders", "partition": 0}
        return plain(frame.assign(**{name: value for name, value in every.items() if name in frame}))

    return read


def answered(found) -> Rows:
    """The answers as rows of the table `what_ifs`."""
    stamps = ("start_ts", "end_ts")
    rows = [answer.row() for answer in found]
    return [row | {name: row[name] and _time(row[name]) for name in stamps} for row in rows]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def with_min_isr(spans, bands, losses, least) -> Rows:
    return answered(asked.with_min_isr({"isr_spans": spans, "commit_bands": bands, "losses": losses}, least))


def without_unclean_elections(elections, epochs, spans, sessions, losses) -> Rows:
    tables = {"elections": elections, "leader_epochs": epochs, "isr_spans": spans, "broker_sessions": sessions}
    return answered(asked.without_unclean_elections(tables | {"losses": losses}))


def with_lag_time(spans, sessions, settings, limit) -> Rows:
    return answered(asked.with_lag_time({"isr_spans": spans, "broker_sessions": sessions, "settings": settings}, limit))


SHRUNK = """
    leader_epoch | leader_id | isr   | replicas | start_ts | end_ts   | evidence
    3            | 1         | 1,2,3 | 1,2,3    | 10:00:00 | 10:00:10 | e1
    3            | 1         | 1     | 1,2,3    | 10:00:10 | 10:00:20 | e2
    4            | 1         | 1     | 1,2,3    | 10:00:20 | 10:00:30 | e3
    5            | -1        | 1     | 1,2,3    | 10:00:30 | 10:00:40 | e4
    6            | 2         | 2     | 1,2,3    | 10:00:40 |          | e5       """


def test_writes_that_two_in_sync_replicas_would_have_been_asked_for(of):
    """Spans that follow on each other are one; a partition without a leader refuses in any case."""
    found = with_min_isr(
        of(ISR_SPANS, SHRUNK),
        of(
            COMMIT_BANDS,
            """
        start_ts | end_ts   | committed_low | committed_high
        10:00:00 | 10:00:15 | 100           | 120
        10:00:15 | 10:00:35 | 140           | 170
        10:00:35 |          | 90            |                """,
        ),
        of(LOSSES, "ts"),
        2,
    )
    same_rows(
        found,
        WHAT_IFS,
        """
        setting             | value | effect         | start_ts | end_ts   | from_offset | to_offset | told                                                                                                       | evidence
        min.insync.replicas | 2     | writes_refused | 10:00:10 | 10:00:30 | 100         | 170       | writes with acks=all refused while the ISR was down to 1; 20 to 70 records were written in that time   | e2,e3
        min.insync.replicas | 2     | writes_refused | 10:00:40 |          | 90          |           | writes with acks=all refused while the ISR was down to 1; how many records that concerns is not logged | e5    """,
    )


def test_a_topic_that_had_the_setting_already_and_a_partition_with_one_replica_refuse_nothing_more(of):
    assert not with_min_isr(
        of(
            ISR_SPANS,
            """
        leader_epoch | leader_id | isr | replicas | min_isr | start_ts
        3            | 1         | 1   | 1,2,3    | 2       | 10:00:00
        4            | 1         | 1   | 1        |         | 10:10:00 """,
        ),
        of(COMMIT_BANDS, "start_ts"),
        of(LOSSES, "ts"),
        2,
    )


@for_each(
    ("bands", "effect"),
    [
        (
            "10:00:00 | 10:01:00 | 100 | 120",
            "range_never_acknowledged",
        ),  # lost from 120: all written after the ISR was alone
        ("10:00:00 | 10:01:00 | 150 | 160", "range_still_lost"),  # committed to 150 and more before
        ("10:00:00 | 10:01:00 | 100 | 130", "range_partly_unknown 120-130, range_never_acknowledged 130-150"),
        ("10:00:00 | 10:01:00 | 100 |", "range_partly_unknown"),
        (
            "10:00:00 | 10:00:40 | 100 | 120\n10:00:40 | | 90 |",
            "range_never_acknowledged",
        ),  # the election made the ISR small anew: that was not before the loss
    ],
)
def test_what_becomes_of_a_lost_range(of, bands, effect):
    lost = of(
        LOSSES,
        """
        leader_epoch | ts       | loss_class | verdict     | from_offset | to_offset_low | to_offset_high | evidence
        6            | 10:00:40 | committed  | PROVEN_LOSS | 120         | 150           | 150            | e5       """,
    )
    found = with_min_isr(
        of(ISR_SPANS, SHRUNK), of(COMMIT_BANDS, f"start_ts | end_ts | committed_low | committed_high\n{bands}"), lost, 2
    )
    ranges = [row for row in found if row["effect"].startswith("range")]
    whole_range = len(ranges) == 1 and (ranges[0]["from_offset"], ranges[0]["to_offset"]) == (120, 150)
    shown = [
        row["effect"] if whole_range else f"{row['effect']} {row['from_offset']}-{row['to_offset']}" for row in ranges
    ]
    assert ", ".join(shown) == effect
    assert all("is not logged" in row["told"] for row in ranges if row["effect"] == "range_partly_unknown")


UNCLEAN = """
    leader_epoch | ts       | old_leader_id | new_leader_id | elected_from | evidence
    6            | 10:00:40 | 1             | 2             | any_replica  | e9       """
EPOCHS = """
    leader_epoch | leader_id | start_ts
    4            | 1         | 10:00:20
    5            | -1        | 10:00:30
    6            | 2         | 10:00:40 """


def test_without_unclean_elections_a_partition_waits_for_its_last_isr(of):
    found = without_unclean_elections(
        of(ELECTIONS, UNCLEAN),
        of(LEADER_EPOCHS, EPOCHS),
        of(ISR_SPANS, SHRUNK),
        of(
            BROKER_SESSIONS,
            """
        broker_id | start_ts
        1         | 09:00:00
        2         | 10:00:38
        1         | 10:01:15 """,
        ),
        of(
            LOSSES,
            """
        leader_epoch | ts       | loss_class     | verdict       | from_offset | to_offset_low | to_offset_high | evidence
        6            | 10:00:40 | committed      | PROVEN_LOSS   | 120         | 150           | 150            | e9
        6            | 10:00:40 | acked_possible | POSSIBLE_LOSS | 150         | 150           | 160            | e9       """,
        ),
    )
    same_rows(
        found,
        WHAT_IFS,
        """
        effect      | start_ts | end_ts   | from_offset | to_offset | told
        leaderless  | 10:00:30 | 10:01:15 |             |           | without a leader until broker 1 of its last ISR (1) was back, 45.0 s, and neither written nor read in that time
        range_kept  | 10:00:40 |          | 120         | 150       | the replica that took over without these records would not have led: they would have stayed in the log of the last ISR """,
    )


def test_a_last_isr_that_never_comes_back(of):
    found = without_unclean_elections(
        of(ELECTIONS, UNCLEAN),
        of(LEADER_EPOCHS, EPOCHS),
        of(ISR_SPANS, SHRUNK),
        of(BROKER_SESSIONS, "start_ts"),
        of(LOSSES, "ts"),
    )
    same_rows(
        found,
        WHAT_IFS,
        """
        effect     | start_ts | end_ts | told
        leaderless | 10:00:30 |        | without a leader to the end of these logs: none of its last ISR (1) comes back in them """,
    )


def test_clean_elections_would_have_been_the_same(of):
    clean = UNCLEAN.replace("any_replica", "isr        ")
    assert not without_unclean_elections(
        of(ELECTIONS, clean),
        of(LEADER_EPOCHS, EPOCHS),
        of(ISR_SPANS, SHRUNK),
        of(BROKER_SESSIONS, "start_ts"),
        of(LOSSES, "ts"),
    )


LAGGED = """
    leader_epoch | leader_id | isr   | start_ts | end_ts   | evidence
    3            | 1         | 1,2,3 | 10:00:00 | 10:01:00 | e1
    3            | 1         | 1,3   | 10:01:00 | 10:01:20 | e2
    3            | 1         | 1,2,3 | 10:01:20 |          | e3       """


@for_each(
    ("limit", "effect", "told"),
    [
        # With 10 s it had caught up last between 10:00:45 and 10:00:50, and it was back at 10:01:20.
        (
            60_000,
            "shrink_avoided",
            "broker 2 left the ISR for lag; with this limit it would have stayed: it had caught up again before the limit was over",
        ),
        (
            5_000,
            "shrink_moved",
            "broker 2 left the ISR for lag; with this limit it would have left between 10:00:50.000 and 10:00:57.500",
        ),
        (
            30_000,
            "shrink_unknown",
            "broker 2 left the ISR for lag; with this limit it may have stayed: it caught up about when the limit was over",
        ),
    ],
)
def test_shrinks_for_lag_under_another_limit(of, limit, effect, told):
    settings = of(
        SETTINGS,
        """
        node_id | name                    | value
        1       | replica.lag.time.max.ms | 10000 """,
    )
    (row,) = with_lag_time(of(ISR_SPANS, LAGGED), of(BROKER_SESSIONS, "start_ts"), settings, limit)
    assert (row["effect"], row["told"], row["evidence"]) == (effect, told, ["e2"])
    assert row["assumptions"][1] == "the limit was 10000 ms"


def test_a_limit_that_no_line_prints_is_the_default_and_said_to_be(of):
    (row,) = with_lag_time(of(ISR_SPANS, LAGGED), of(BROKER_SESSIONS, "start_ts"), of(SETTINGS, "name"), 10_000)
    assert row["assumptions"][1] == "the limit was 30000 ms, the default since 2.5; no line prints it"


def test_a_broker_whose_session_ended_did_not_leave_for_lag(of):
    gone = of(
        BROKER_SESSIONS,
        """
        broker_id | start_ts | end_ts
        2         | 09:00:00 | 10:00:59 """,
    )
    assert not with_lag_time(of(ISR_SPANS, LAGGED), gone, of(SETTINGS, "name"), 5_000)


def test_a_setting_above_the_number_of_replicas_is_said_to_be_so(of):
    told = with_min_isr(of(ISR_SPANS, SHRUNK), of(COMMIT_BANDS, "start_ts"), of(LOSSES, "ts"), 9)
    assert {any("above the number of replicas" in assumption for assumption in row["assumptions"]) for row in told} == {
        True
    }
    told = with_min_isr(of(ISR_SPANS, SHRUNK), of(COMMIT_BANDS, "start_ts"), of(LOSSES, "ts"), 2)
    assert {any("above the number of replicas" in assumption for assumption in row["assumptions"]) for row in told} == {
        False
    }


def waiting(partitions: int) -> pd.DataFrame:
    """ISRs that were down to one of three replicas for a minute, of so many partitions."""
    spans = pd.DataFrame({"partition": range(partitions)}).assign(
        topic="orders", topic_id=None, leader_epoch=1, leader_id=1, min_isr=1, evidence=[("n:1",)] * partitions
    )
    spans["isr"], spans["replicas"] = [(1,)] * partitions, [(1, 2, 3)] * partitions
    return spans.assign(start_ts=pd.Timestamp("2026-11-21 07:00"), end_ts=pd.Timestamp("2026-11-21 07:01"))


class Wide:
    """A result of more partitions than text shows."""

    def __init__(self, _: object) -> None:
        pass

    def tables(self, *names: str) -> dict[str, pd.DataFrame]:
        empty = {table.name: pd.DataFrame(columns=[c.name for c in table.columns]) for table in TABLES}
        return {name: empty[name] for name in names} | {"isr_spans": waiting(12_000)}


def test_of_many_answers_text_shows_the_first_and_the_conclusion_is_of_all(monkeypatch):
    monkeypatch.setattr(what_if, "Result", Wide)
    changes = [("min.insync.replicas", "2")]
    told = list(what_if.what_if("result", changes))
    assert len(told) == 1 + 40 + 3
    assert told[-3] == "  writes refused: 11,960 more of 12,000: --json"
    assert "refused in 12,000 partitions, 200.0 partition-hours in all" in told[-1]
    assert len(list(what_if.what_if("result", changes, as_json=True))) == 12_000
