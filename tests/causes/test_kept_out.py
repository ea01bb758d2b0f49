"""ISRs that a broker stays out of because its next start failed."""

from __future__ import annotations

from replay.causes.kept_out import kept_out_of
from replay.tables.faults import FAULTS
from tests.each import for_each
from tests.tables import rows

FAULTS_OF_BROKERS = """
    fault_id | kind          | broker_id | ts
    stop     | stopped       | 1         | 10:00:00
    start-1  | disk_refused  | 1         | 10:00:10
    halt-1   | halted        | 1         | 10:01:00
    start-2  | disk_refused  | 1         | 10:01:10
    kill     | killed        | 2         | 10:02:00
    start-3  | disk_refused  | 2         | 10:02:10
    halt-3   | halted        | 2         | 10:03:00
    start-4  | disk_refused  | 2         | 10:03:10
    start-5  | disk_refused  | 3         | 10:04:10
    slow     | slow_follower | 1         | 10:05:00 """


@for_each(
    ("fault", "isrs"),
    [
        ("start-1", 2),
        ("start-2", 2),  # the end before it follows from the failed start before
        ("start-3", 1),
        ("start-4", None),  # the end before it is a fault of its own, and left no ISR
        ("start-5", None),  # no line shows an end before it
        ("slow", None),  # a broker that runs
    ],
)
def test_a_failed_start_keeps_its_broker_out_of_the_isrs_that_it_had_left_at_its_end(fault, isrs):
    faults = {one.fault_id: one for one in rows(FAULTS, FAULTS_OF_BROKERS)}
    shrunk = {"stop": {"orders-0", "orders-1"}, "kill": {"orders-2"}}
    assert kept_out_of(faults[fault], faults.values(), shrunk, {"halt-1"}) == isrs
