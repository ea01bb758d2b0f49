"""When no node was the active controller: between which moments it began, whoever leads next."""

from __future__ import annotations

from replay.causes.controller_absences import controller_absences
from replay.tables.brokers import CONTROLLERS
from replay.tables.faults import FAULTS
from replay.tables.table import LONG
from tests.each import for_each
from tests.tables import facts, rows, same_rows, table_of_test

ABSENT = table_of_test("absent", {"old_id": LONG, "new_id": LONG, "low_ms": LONG, "high_ms": LONG})


def test_a_frozen_controller_is_absent_from_within_its_pause():
    """Not from its last line, nor for the milliseconds that the election took."""
    told = controller_absences(
        rows(
            CONTROLLERS,
            """
            mode  | controller_id | controller_epoch | start_ts | ready_ts     | end_ts
            kraft | 1             | 4                | 09:00:00 | 09:00:01     | 10:00:03.656
            kraft | 2             | 5                | 10:00:03.656 | 10:00:03.700 | """,
        ),
        rows(
            FAULTS,
            """
            fault_id | kind          | broker_id | began_low | began_high | ts       | ended_high
            froze    | paused        | 1         | 10:00:00  | 10:00:01   | 10:00:00 | 10:00:20
            earlier  | paused        | 1         | 09:30:00  | 09:30:01   | 09:30:00 | 09:30:20
            another  | paused        | 3         | 10:00:02  | 10:00:02   | 10:00:02 | 10:00:20
            slow     | slow_follower | 1         | 10:00:03  | 10:00:03   | 10:00:03 |          """,
        ),
        [],
    )
    same_rows(told, ABSENT, "old_id | new_id | low_ms | high_ms\n 1 | 2 | 2700 | 3700")


def test_one_that_was_killed_is_absent_though_its_process_is_back_before_the_election():
    """Two of three voters died: only their return lets the third be elected. One that froze and woke is active again."""
    tenures = rows(
        CONTROLLERS,
        """
        mode  | controller_id | controller_epoch | start_ts | ready_ts | end_ts
        kraft | 101           | 1                | 09:00:00 | 09:00:00 | 10:00:44
        kraft | 103           | 2                | 10:00:44 | 10:00:44 |          """,
    )
    fault = """
        fault_id | kind | broker_id | began_low | began_high | ts       | ended_high
        fault    | {}   | 101       | 09:59:59  | 10:00:00   | 10:00:00 | 10:00:41 """
    told = controller_absences(tenures, rows(FAULTS, fault.format("killed")), [])
    same_rows(told, ABSENT, "old_id | new_id | low_ms | high_ms\n 101 | 103 | 44000 | 45000")
    assert controller_absences(tenures, rows(FAULTS, fault.format("paused")), []) == []


def test_an_absence_before_a_controller_that_only_others_name_may_have_been_short():
    """The next one was elected by the time of the first request that another node received from it."""
    tenures = rows(
        CONTROLLERS,
        """
        mode | controller_id | controller_epoch | start_ts | begun_before | end_ts
        zk   | 3             | 1                | 09:00:00 |              | 10:00:44
        zk   | 1             | 2                | 10:00:44 | true         |          """,
    )
    fault = """
        fault_id | kind   | broker_id | began_low | began_high | ts       | ended_high
        fault    | killed | 3         | 09:59:59  | 10:00:00   | 10:00:00 | 10:00:41 """
    same_rows(
        controller_absences(tenures, rows(FAULTS, fault), []),
        ABSENT,
        "old_id | new_id | low_ms | high_ms\n 3 | 1 | 0 | 45000",
    )
    resigned = facts("ts | kind | node_id\n 10:00:43 | controller_resigned | 3")
    assert controller_absences(tenures, [], resigned) == []  # it resigns when it learns of the next one


def test_one_that_renounces_is_absent_until_it_or_another_is_elected():
    """Node 3 is elected again: that is no change, and still nobody was there in between."""
    told = controller_absences(
        rows(
            CONTROLLERS,
            """
            mode  | controller_id | controller_epoch | start_ts     | ready_ts     | end_ts
            kraft | 3             | 4                | 09:00:00     | 09:00:00     | 10:00:01.100
            kraft | 3             | 6                | 10:00:01.100 | 10:00:01.100 | 11:00:00
            kraft | 1             | 7                | 11:00:00     | 11:00:00     |              """,
        ),
        [],
        facts(
            "ts | kind | node_id\n 10:00:00 | kraft_controller_renounced | 3\n 10:30:00 | kraft_controller_renounced | 2"
        ),
    )
    same_rows(told, ABSENT, "old_id | new_id | low_ms | high_ms\n 3 | 3 | 1100 | 1100")


def test_one_that_is_told_to_stop_stays_in_office_until_it_says_that_it_resigned():
    """Without that word it had left at the latest as the next one was elected."""
    tenures = rows(
        CONTROLLERS,
        """
        mode | controller_id | controller_epoch | start_ts     | ready_ts     | end_ts
        zk   | 3             | 1                | 09:00:00     | 09:00:00     | 10:00:00.265
        zk   | 2             | 2                | 10:00:00.265 | 10:00:00.433 |              """,
    )
    stop = rows(
        FAULTS,
        """
        fault_id | kind    | broker_id | began_low | began_high | ts       | ended_high
        stop     | stopped | 3         | 10:00:00  | 10:00:00   | 10:00:00 | 10:00:06   """,
    )
    resigned = facts("ts | kind | node_id\n 10:00:00.244 | controller_resigned | 3")
    head = "old_id | new_id | low_ms | high_ms\n"
    same_rows(controller_absences(tenures, stop, resigned), ABSENT, f"{head} 3 | 2 | 21 | 21")
    same_rows(controller_absences(tenures, stop, []), ABSENT, f"{head} 3 | 2 | 0 | 265")


@for_each(("resigned", "times"), [("10:00:21", [(0, 22_000)]), ("10:00:40", [])])
def test_a_controller_that_resigns_as_it_wakes_was_replaced_meanwhile(resigned, times):
    """As recorded of 2.8.2: frozen, and only its own log is there, in which the next one appears with its first request."""
    tenures = rows(
        CONTROLLERS,
        f"""
        mode | controller_id | controller_epoch | start_ts | begun_before | end_ts
        zk   | 3             | 1                | 09:00:00 |              | {resigned}
        zk   | 2             | 2                | 10:00:22 | true         |            """,
    )
    froze = """
        fault_id | kind   | broker_id | began_low | began_high | ts       | ended_high
        froze    | paused | 3         | 10:00:00  | 10:00:01   | 10:00:00 | 10:00:20 """
    told = facts(f"ts | kind | node_id\n {resigned} | controller_resigned | 3")
    found = controller_absences(tenures, rows(FAULTS, froze), told)
    assert [(one.low_ms, one.high_ms) for one in found] == times
