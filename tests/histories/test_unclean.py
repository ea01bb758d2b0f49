"""What an election that Kafka logs as unclean can lose."""

from __future__ import annotations

import pytest

from replay.histories.partition import scenario_of_unclean
from replay.tables.partitions import LeaderEpoch


@pytest.mark.parametrize(
    ("elected_from", "scenario"),
    [("any_replica", "S4"), ("last_known_leader", "S5"), ("elr", None), ("isr", None), (None, None)],
)
def test_the_last_known_leader_can_only_lack_what_its_own_disk_lost(elected_from, scenario):
    """KIP-966: nobody else held committed records, so it is no election from outside the ISR that another setting prevents."""
    assert scenario_of_unclean(LeaderEpoch(elected_from=elected_from)) == scenario
