"""What the tests of all faults take: events, sessions and known faults as small tables."""

from __future__ import annotations

import pytest

from replay.sentences.faults import UNKNOWNS
from replay.tables import BROKER_SESSIONS, EVENTS
from replay.tables.brokers import TIMINGS
from replay.tables.clocks import CLOCK_STEPS
from replay.tables.faults import FAULTS
from tests.stages import plain
from tests.tables import table


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
def steps(spark):
    """Times at which clocks were set; none where no text is given."""
    return lambda text="node_id": table(spark, CLOCK_STEPS, text)


@pytest.fixture
def unknown():
    """What no line tells of the first fault, as a person reads it."""
    return lambda faults: [UNKNOWNS.texts[name] for name in faults.first().unknowns]
