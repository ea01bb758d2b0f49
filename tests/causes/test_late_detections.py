"""Brokers that were fenced late, as the session timeout began anew with a new active controller."""

from __future__ import annotations

import pytest

from replay.causes.late_detections import delayed_by, late_detections
from replay.sentences.findings import SUMMARIES
from replay.tables.brokers import CONTROLLERS
from replay.tables.causes import EFFECTS
from replay.tables.faults import FAULTS
from tests.tables import rows

FAULTY = """
    fault_id | kind        | broker_id | began_low    | began_high   | ts           | end_ts
    kill     | killed      | 1         | 05:34:25.210 | 05:34:25.589 | 05:34:25.589 | 05:34:58.006
    lost     | quorum_lost |           | 05:34:16.550 | 05:34:17.550 | 05:34:17.550 | 05:34:48.036
    before   | quorum_lost |           | 05:30:16.550 | 05:30:17.550 | 05:30:17.550 | 05:30:48.036 """
SESSION_ENDED = """
    kind     | by    | node_id | ts           | root_ids
    detected | {by} | 1       | {at} | {roots} """
TENURES = """
    mode   | controller_id | controller_epoch | start_ts     | ready_ts     | end_ts       | begun_before
    {mode} | 103           | 1                | 05:34:05.492 | 05:34:06.016 | 05:34:20.566 |
    {mode} | 103           | 14               | 05:34:48.036 | 05:34:48.075 |              | {begun_before} """


def late(mode="kraft", at="05:34:57.076", by="crash", roots="kill", begun_before="", begun_low="05:34:25.210"):
    return list(
        late_detections(
            rows(FAULTS, FAULTY.replace("05:34:25.210", begun_low)),
            rows(EFFECTS, SESSION_ENDED.format(at=at, by=by, roots=roots)),
            rows(CONTROLLERS, TENURES.format(mode=mode, begun_before=begun_before)),
        )
    )


def test_a_broker_that_died_without_an_active_controller_is_fenced_a_session_after_there_is_one():
    """As recorded of 3.8.0: 9.0 s of 31.5 s are its session, the rest is the time without an active controller."""
    (found,) = late()
    said = SUMMARIES.sentences([(found.as_statement.reason, found.as_statement.arguments)])
    assert said == (
        "Broker 1 was fenced 31.4 to 31.9 s after the fault began: 22.4 to 22.9 s until controller 103 became active at 05:34:48.075 and "
        "restarted all sessions, and 9.0 s until the session timed out."
    )
    _, lost, before = rows(FAULTS, FAULTY)
    assert [delayed_by(one, [found]) for one in (lost, before)] == [[1], []]


@pytest.mark.parametrize(
    "other",
    [
        {"mode": "zk"},  # ZooKeeper keeps the sessions, whoever is the controller
        {"at": "05:34:34.500"},  # fenced by the controller that was active as it died
        {"by": "controlled_shutdown"},
        {"roots": "lost"},
        {"begun_before": "true"},  # its first line shows that it was active before: the session did not begin anew then
    ],
)
def test_other_sessions_end_in_time(other):
    assert late(**other) == []


def test_a_fault_whose_begin_is_not_logged_has_only_a_lower_bound_before_the_fencing():
    (found,) = late(begun_low="")
    assert found.as_statement.arguments["whole"] == "at least 31.4 s"
    assert found.as_statement.arguments["waited"] == "at least 22.4 s"
