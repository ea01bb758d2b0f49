"""What the controller does about leadership that did not return, from the settings that nodes print."""

from __future__ import annotations

import pytest

from replay.causes.auto_rebalance import AutoRebalance, auto_rebalance
from replay.tables.brokers import CONTROLLERS, SETTINGS
from tests.each import for_each
from tests.tables import rows

NAMES = {
    "auto": "auto.leader.rebalance.enable",
    "every": "leader.imbalance.check.interval.seconds",
    "percentage": "leader.imbalance.per.broker.percentage",
    "roles": "process.roles",
}
ZK, QUORUM = "zk | 1 | 5 | 10:00", "kraft | 1 | 5 | 10:00"


def rebalance_of(printed: str, controllers: str = "", version_low: int | None = 3_09_01):
    """Settings as `node time name=value …`."""
    lines = [
        f"{node} | {ts.replace('file', '')} | {NAMES[name]} | {value} | e"
        for node, ts, *values in map(str.split, filter(None, printed.split(";")))
        for name, _, value in (one.partition("=") for one in values)
    ]
    return auto_rebalance(
        rows(SETTINGS, "\n".join(["node_id | ts | name | value | event_id", *lines])),
        rows(CONTROLLERS, f"mode | controller_id | controller_epoch | start_ts\n{controllers}"),
        version_low,
    )


@for_each(
    ("printed", "controllers", "told"),
    [
        pytest.param("", "", None, id="no node prints it"),
        pytest.param("1 10:00 auto=true every=300 percentage=10", ZK, AutoRebalance(True, 300, True, 10), id="on"),
        pytest.param("1 10:00 auto=true roles=[]", ZK, AutoRebalance(True, None, True), id="no role is ZooKeeper mode"),
        pytest.param("1 10:00 auto=false every=300", ZK, AutoRebalance(False, 300), id="off"),
        pytest.param(
            "1 10:00 auto=true;2 10:00 auto=false", ZK, None, id="nodes differ: any can be the controller next"
        ),
        pytest.param("2 10:00 auto=true", ZK, None, id="the active controller does not print it"),
        pytest.param("1 10:00 auto=true;1 10:05 auto=false", ZK, AutoRebalance(False), id="the last start holds"),
        pytest.param("1 file auto=true;1 10:05 auto=false", ZK, AutoRebalance(False), id="a process, not its file"),
        pytest.param(
            "1 10:00 auto=true every=60;2 10:00 auto=true every=90",
            ZK,
            AutoRebalance(True, None, True),
            id="intervals differ",
        ),
        pytest.param(
            "1 10:00 auto=true every=60 percentage=10 roles=[controller];2 10:00 auto=false roles=[broker]",
            QUORUM,
            AutoRebalance(True, 60),
            id="brokers decide nothing in KRaft, and no percentage",
        ),
        pytest.param(
            "2 10:00 auto=true every=300 roles=[broker];3 10:00 auto=true roles=[broker]",
            QUORUM,
            AutoRebalance(None, of_brokers="true"),
            id="only brokers of KRaft print it",
        ),
        pytest.param("2 10:00 auto=true roles=[broker];3 10:00 auto=false roles=[broker]", "", None, id="and differ"),
        pytest.param("2 10:00 every=300 roles=[broker]", "", None, id="only brokers of KRaft, without the value"),
        pytest.param("1 10:00 auto=true", QUORUM, None, id="ZooKeeper brokers of a cluster that the quorum controls"),
    ],
)
def test_the_nodes_that_can_be_the_controller_decide(printed, controllers, told):
    assert rebalance_of(printed, controllers) == told


@pytest.mark.parametrize(("version_low", "told"), [(3_01_00, None), (None, None), (3_03_00, AutoRebalance(True))])
def test_early_releases_of_kraft_return_nothing(version_low, told):
    assert rebalance_of("1 10:00 auto=true roles=[broker,controller]", QUORUM, version_low) == told
