"""What another session timeout, no controlled shutdown, acks=all, fewer replicas or eligible leaders would have changed."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipelines.answers import what_if as asked
from pipelines.answers.frames import plain
from replay.errors import InputError
from replay.tables import TABLES
from tests.tables import arrow_table

CONTRACTS = {table.name: table for table in TABLES}


def ask(name: str, value: str, **texts: str) -> list[dict[str, Any]]:
    """The answers about orders-0 from these tables; the others are empty."""
    tables = {}
    for table in asked.TABLES:
        frame = pd.DataFrame(columns=CONTRACTS[table].schema.names)
        if table in texts:
            read = plain(arrow_table(CONTRACTS[table], texts[table]).to_pandas())
            every = {"topic": "orders", "partition": 0}
            frame = read.assign(**{key: one for key, one in every.items() if key in read})
        tables[table] = frame
    return [found.row() for found in asked.question(name, value)(tables)]


def in_short(rows: list[dict[str, Any]]) -> list[tuple[str, str, str | None]]:
    """Effect, begin and end of each answer, to the second."""
    return [(row["effect"], row["start_ts"][11:19], row["end_ts"] and row["end_ts"][11:19]) for row in rows]


KRAFT = """
    node_id | name                      | value
    1       | process.roles             | [broker]
    1       | broker.session.timeout.ms | 9000     """
ZOOKEEPER = """
    node_id | name                         | value
    1       | zookeeper.session.timeout.ms | 6000  """
DIED = """
    leader_epoch | ts       | old_leader_id | trigger        | evidence
    1            | 10:00:10 | 1             | broker_failure | e1       """
CRASHED = """
    broker_id | start_ts | end_ts   | ended_by
    1         | 09:00:00 | 10:00:10 | crash
    1         | 10:05:00 |          |          """


def test_a_longer_session_moves_the_election_by_the_difference():
    found = ask("broker.session.timeout.ms", "18000", elections=DIED, broker_sessions=CRASHED, settings=KRAFT)
    assert in_short(found) == [("election_moved", "10:00:17", "10:00:21")]
    assert "between 10:00:17.000 and 10:00:21.000, not at 10:00:10.000" in found[0]["told"]
    found = ask("zookeeper.session.timeout.ms", "18000", elections=DIED, broker_sessions=CRASHED, settings=ZOOKEEPER)
    assert in_short(found) == [("election_moved", "10:00:20", "10:00:24")]


def test_a_broker_that_is_back_before_the_longer_timeout_may_lead_on():
    back = CRASHED.replace("10:05:00", "10:00:12")
    found = ask("broker.session.timeout.ms", "18000", elections=DIED, broker_sessions=back, settings=KRAFT)
    assert [row["effect"] for row in found] == ["election_unknown"]


def test_a_shorter_session_says_what_it_takes_for_granted():
    (row,) = ask("broker.session.timeout.ms", "6000", elections=DIED, broker_sessions=CRASHED, settings=KRAFT)
    assert any("silent for longer than the shorter limit" in one for one in row["assumptions"])


def test_the_other_mode_has_another_setting():
    with pytest.raises(InputError, match=r"ask for broker\.session\.timeout\.ms"):
        ask("zookeeper.session.timeout.ms", "18000", elections=DIED, broker_sessions=CRASHED, settings=KRAFT)


SHUT_DOWN = """
    leader_epoch | ts       | old_leader_id | trigger             | evidence
    1            | 10:00:08 | 1             | controlled_shutdown | e1       
    2            | 10:09:00 | 2             | preferred           | e2       """
STOPPED = """
    broker_id | start_ts | end_ts   | ended_by
    1         | 09:00:00 | 10:00:10 | controlled_shutdown """


def test_without_a_controlled_shutdown_a_broker_that_is_gone_leads_until_its_session_ends():
    found = ask("controlled.shutdown.enable", "false", elections=SHUT_DOWN, broker_sessions=STOPPED, settings=KRAFT)
    assert in_short(found) == [("leader_dead", "10:00:08", "10:00:19")]
    assert "for 7.0 to 11.0 s" in found[0]["told"]
    in_zookeeper = ask(
        "controlled.shutdown.enable", "false", elections=SHUT_DOWN, broker_sessions=STOPPED, settings=ZOOKEEPER
    )
    assert in_short(in_zookeeper) == [("leader_dead", "10:00:08", "10:00:12")]


def test_acks_all_saves_what_only_the_leader_had_and_makes_writes_wait():
    losses = """
        leader_epoch | ts       | loss_class     | verdict     | from_offset | to_offset_low | to_offset_high | evidence
        1            | 10:00:10 | acked_possible | PROVEN_LOSS | 100         | 140           | 140            | e1
        2            | 10:09:00 | committed      | PROVEN_LOSS | 150         | 160           | 160            | e2      """
    availability = """
        acks | start_ts | end_ts   | state  | reason                 | evidence
        all  | 10:00:00 | 10:00:05 | closed | waiting_for_isr_member | e3
        all  | 10:00:20 | 10:00:30 | closed | no_leader              | e4
        1    | 10:00:20 | 10:00:30 | closed | no_leader              | e4       """
    found = ask("acks", "all", losses=losses, availability=availability)
    assert [(row["effect"], row["from_offset"], row["to_offset"]) for row in found] == [
        ("range_sent_again", 100, 140),
        ("range_still_lost", 150, 160),
        ("writes_wait", None, None),
    ]
    assert in_short(found)[2] == ("writes_wait", "10:00:00", "10:00:05")
    with pytest.raises(InputError, match="only all can be asked for"):
        ask("acks", "1", losses=losses)


SPANS = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts   | evidence
    0            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:01:00 | e1
    0            | 1         | 1,3   | 1,2,3    | 2       | 10:01:00 | 10:02:00 | e2
    0            | 1         | 1     | 1,2,3    | 2       | 10:02:00 | 10:03:00 | e3
    1            | -1        | 1     | 1,2,3    | 2       | 10:03:00 | 10:05:00 | e4
    2            | 1         | 1     | 1,2,3    | 2       | 10:05:00 |          | e5       """


def test_with_two_replicas_the_third_of_the_assignment_is_not_there():
    """ISR [1, 3] without 3 is one short of min.insync.replicas; where writes were refused in any case nothing is new."""
    found = ask("replication.factor", "2", isr_spans=SPANS)
    assert in_short(found) == [("writes_refused", "10:01:00", "10:02:00")]
    with pytest.raises(InputError, match="no partition of these logs is known to have more replicas"):
        ask("replication.factor", "3", isr_spans=SPANS)


def test_an_eligible_replica_leads_as_soon_as_it_is_back_from_a_clean_stop():
    sessions = """
        broker_id | start_ts | end_ts   | ended_by
        2         | 09:00:00 | 10:01:00 | controlled_shutdown
        3         | 09:00:00 | 10:02:00 | controlled_shutdown
        3         | 10:04:00 |          |                     """
    found = ask("eligible.leader.replicas.version", "1", isr_spans=SPANS, broker_sessions=sessions)
    assert in_short(found) == [("leader_sooner", "10:04:00", "10:05:00")]
    assert "broker 3 lacked nothing that was committed" in found[0]["told"]


def test_a_time_without_a_leader_that_no_log_shows_is_a_gap_before_a_new_leader_epoch():
    sessions = """
        broker_id | start_ts | end_ts   | ended_by
        3         | 09:00:00 | 10:02:00 | controlled_shutdown
        3         | 10:04:00 |          |                     """
    unseen = "\n".join(line for line in SPANS.splitlines() if "| -1 " not in line)
    found = ask("eligible.leader.replicas.version", "1", isr_spans=unseen, broker_sessions=sessions)
    assert in_short(found) == [("leader_sooner", "10:04:00", "10:05:00")]


def test_a_replica_that_was_killed_is_not_eligible_when_it_comes_back():
    sessions = """
        broker_id | start_ts | end_ts   | ended_by
        3         | 09:00:00 | 10:02:00 | crash
        3         | 10:04:00 |          |          """
    assert ask("eligible.leader.replicas.version", "1", isr_spans=SPANS, broker_sessions=sessions) == []
