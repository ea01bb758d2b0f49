"""What the tests of all faults take: events, sessions and known faults as small tables."""

from __future__ import annotations

import pytest

from replay.brokers.processes import processes
from replay.brokers.sessions import broker_sessions
from replay.sentences.faults import UNKNOWNS
from replay.tables import BROKER_SESSIONS, EVENTS
from replay.tables.arrow import to_arrow
from replay.tables.brokers import PROCESSES, TIMINGS
from replay.tables.faults import FAULTS
from tests.stages import plain
from tests.tables import table


@pytest.fixture
def lives(spark):
    """The lives of the processes that these lines tell."""
    return lambda told: plain(processes(frame_of(spark, told)), PROCESSES)


@pytest.fixture
def lived(spark):
    """The sessions of brokers that these lines tell."""

    def sessions_of(told):
        lines = frame_of(spark, told)
        return plain(broker_sessions(lines, processes(lines)), BROKER_SESSIONS)

    return sessions_of


def frame_of(spark, told):
    return spark.createDataFrame(to_arrow(EVENTS, told), EVENTS.schema)


@pytest.fixture
def events(spark):
    """Events of `server.log`s; a line without logger is a file's that has no time."""
    return lambda text: table(spark, EVENTS, text).fillna(
        {"logger": "kafka.server.KafkaServer", "source_file": "server.log", "message": ""}
    )


@pytest.fixture
def sessions(spark):
    return lambda text="broker_id": table(spark, BROKER_SESSIONS, text)


@pytest.fixture
def known(spark):
    return lambda text="kind": table(spark, FAULTS, text)


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


@pytest.fixture
def unknown():
    """What no line tells of the first fault, as a person reads it."""
    return lambda faults: [UNKNOWNS.texts[name] for name in faults.first().unknowns]
