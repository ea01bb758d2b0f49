"""What the tests of all faults take: events, sessions and known faults as small tables."""

from __future__ import annotations

import pytest

from replay.tables import BROKER_SESSIONS, EVENTS
from tests.partitions.test_elections import FAULTS
from tests.tables import table


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
