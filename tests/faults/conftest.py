"""What the tests of all faults take: events, sessions and known faults as small tables."""

from __future__ import annotations

import pytest

from replay.facts.sessions import recorded_sessions
from tests.heard import processes_of


@pytest.fixture
def lives():
    """The lives of the processes that these lines tell."""
    return processes_of


@pytest.fixture
def lived():
    """The sessions of brokers that these lines tell."""
    return lambda told: recorded_sessions(told, [], processes_of(told))
