"""Whose ZooKeeper session an id is, as any line with the id shows."""

from __future__ import annotations

import pytest

from replay.facts.zookeeper_sessions import zookeeper_sessions
from tests.faults.given import facts

EXPIRED = "10:00:20 | zookeeper_session_expired | 0 | session_id=0x1000a | "


def expired(text: str) -> list[tuple[int, str]]:
    """The broker and the line of each session that ZooKeeper expired."""
    found = zookeeper_sessions(facts(f"ts | kind | node_id | details | message\n{text}\n{EXPIRED}"))
    return [(one.node_id, one.expired.kind) for one in found if one.expired is not None]


@pytest.mark.parametrize(
    "line",
    [
        "10:00:00 | zk_session_connected  | 2 | session_id=0x1000a |",
        "10:00:15 | zk_client_timeout     | 2 | session_id=0x1000a;elapsed_ms=12001 |",
        "10:00:25 | zk_session_expired    | 2 | session_id=0x1000a |",
        "10:00:10 | zookeeper_user_error  | 0 | session_id=0x1000a;path=/brokers/ids/2 |",
        "10:00:10 | zk_ephemeral_conflict | 2 | path=/brokers/ids/2;ephemeral_owner=65546;session_id=65547 | owner '65546'",
        "10:00:10 | zk_ephemeral_conflict | 2 | path=/brokers/ids/2;ephemeral_owner=1000a;session_id=1000b | owner '0x1000a'",
        "10:00:10 | zk_ephemeral_recreate | 2 | path=/brokers/ids/2;ephemeral_owner=1000b;session_id=1000a | owner '0x1000b'",
    ],
)
def test_any_line_with_the_id_shows_whose_session_expired(line):
    assert expired(line) == [(2, "zookeeper_session_expired")]


@pytest.mark.parametrize(
    "line",
    [
        "10:00:00 | zk_session_connected | 2 | session_id=0x1000b |",
        "10:00:00 | zk_client_timeout    | 2 | session_id=0x0 |",
        "10:00:10 | zookeeper_user_error | 0 | session_id=0x1000a;path=/config/topics |",
        "10:00:00 | zk_session_connected | 2 | session_id=0x1000a |\n10:00:01 | zk_client_timeout | 3 | session_id=0x1000a |",
    ],
)
def test_without_such_a_line_the_broker_is_unknown(line):
    assert expired(line) == []
