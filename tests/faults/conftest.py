"""What the tests of all faults take: events, sessions and known faults as small tables."""

from __future__ import annotations

import pytest

from replay.facts.sessions import broker_sessions
from replay.tables import EVENTS
from replay.tables.brokers import TIMINGS
from tests.heard import processes_of
from tests.stages import plain
from tests.tables import table


@pytest.fixture
def lives():
    """The lives of the processes that these lines tell."""
    return processes_of


@pytest.fixture
def lived():
    """The sessions of brokers that these lines tell."""
    return lambda told: broker_sessions(told, [], processes_of(told))


@pytest.fixture
def events(spark):
    """Events of `server.log`s; a line without logger is a file's that has no time."""
    return lambda text: table(spark, EVENTS, text).fillna(
        {"logger": "kafka.server.KafkaServer", "source_file": "server.log", "message": ""}
    )


@pytest.fixture
def gathered(events):
    """What Spark gathers of lines, as rows: `gathered(lag_shrinks, text)`."""
    return lambda gather, text, *more: plain(gather(events(text), *more), gather.__name__)


@pytest.fixture
def timings(spark):
    """The defaults of a new release, at every node."""
    return lambda **given: table(
        spark,
        TIMINGS,
        f"""
        replica_lag_ms | zookeeper_session_ms | broker_session_ms | heartbeat_ms | replica_socket_ms | controller_socket_ms | fetch_wait_ms
        {given.get("lag", 30_000)} | {given.get("session", 18_000)} | 9000 | 2000 | 30000 | 30000 | 500 """,
    ).fillna({"checkpoint_ms": 5_000})
