"""Nobody's session ended, ISRs shrank: cut from its peers (F05), or slow (F13)."""

from __future__ import annotations

from datetime import timedelta
from time import process_time

import pytest

from replay.faults import lag as stage
from replay.tables import EVENTS
from replay.tables.faults import FAULTS, LAG_SHRINKS
from tests.faults.given import facts, first_lines, known, lag_shrinks, timings
from tests.tables import rows, same_rows

THREE_NODES = """
        ts       | kind       | node_id | topic  | partition | isr   | details
        09:00:00 | any        | 1       |        |           |       |
        09:00:00 | any        | 2       |        |           |       |
        09:00:00 | any        | 3       |        |           |       | """


@pytest.fixture
def lagging():
    """What follows from these lines beside these faults."""

    def found(text, known_faults=(), stated=()):
        told = facts(text)
        return stage.lagging(lag_shrinks(told), first_lines(told), known_faults, stated, timings())

    return found


def test_a_follower_that_leaders_drop_while_all_else_is_well_is_slow(lagging):
    same_rows(
        lagging(
            """
        ts       | kind       | node_id | topic  | partition | isr | details
        09:00:00 | any        | 1       |        |           |     |
        09:00:00 | any        | 2       |        |           |     |
        09:00:00 | any        | 3       |        |           |     |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3
        10:00:12 | isr_shrink | 2       | orders | 1         | 1,2 | old_isr=1,2,3 """
        ),
        FAULTS,
        """
        kind          | code | broker_id | ts       | end_ts   | partitions        | evidence
        slow_follower | F13  | 3         | 10:00:10 | 10:00:12 | orders-0,orders-1 | e4,e5    """,
    )


@pytest.mark.parametrize("own", ["", "10:00:30 | any | 3 | | | |"], ids=["no line of it", "its files begin later"])
def test_why_leaders_drop_a_follower_is_not_known_without_its_own_lines(lagging, said, own):
    """It may have been cut off, frozen or slow: only its own lines would tell."""
    found = lagging(
        f"""
        ts       | kind       | node_id | topic  | partition | isr | details
        09:00:00 | any        | 1       |        |           |     |
        09:00:00 | any        | 2       |        |           |     |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3
        10:00:12 | isr_shrink | 2       | orders | 1         | 1,2 | old_isr=1,2,3
        {own} """
    )
    same_rows(found, FAULTS, "kind | code | broker_id | unknowns\ndropped_unseen | F00 | 3 | what_befell_it")
    assert "its own lines from that time are not in the input" in said(found)[0]


@pytest.mark.parametrize(("first", "slow"), [("any", False), ("process_start_line", True)])
def test_what_a_leader_does_as_its_files_begin_may_follow_from_what_went_before(lagging, first, slow):
    found = lagging(
        f"""
        ts       | kind       | node_id | topic  | partition | isr | details
        09:00:00 | any        | 3       |        |           |     |
        10:00:00 | {first}    | 1       |        |           |     |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3 """
    )
    assert [row.code for row in found] == ["F13"] * slow


@pytest.mark.parametrize(
    ("stopped", "end", "slow"),
    [(3, "10:00:30", []), (3, "10:00:05", ["F13"]), (1, "10:00:30", ["F13"])],
    ids=["away", "back for long", "it dropped another"],
)
def test_a_broker_that_was_stopped_is_not_slow_while_it_is_away(lagging, stopped, end, slow):
    """A leader that still had it in the ISR drops it after it went (recorded anew: 1.0.2)."""
    found = lagging(
        """
        ts       | kind       | node_id | topic  | partition | isr | details
        09:00:00 | any        | 1       |        |           |     |
        09:00:00 | any        | 3       |        |           |     |
        10:00:25 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3 """,
        known(f"""
        kind    | broker_id | began_low   | ts       | end_ts
        stopped | {stopped} | 10:00:00 | 10:00:00 | {end} """),
        known(),
    )
    assert [row.code for row in found] == slow


def test_a_leader_that_drops_all_while_others_drop_it_is_cut_from_its_peers(lagging):
    same_rows(
        lagging(
            """
        ts       | kind       | node_id | topic  | partition | isr | details
        09:00:00 | any        | 1       |        |           |     |
        09:00:00 | any        | 2       |        |           |     |
        09:00:00 | any        | 3       |        |           |     |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1   | old_isr=1,2,3
        10:00:11 | isr_shrink | 2       | orders | 1         | 2,3 | old_isr=1,2,3
        10:00:12 | isr_shrink | 3       | orders | 2         | 2,3 | old_isr=1,2,3 """
        ),
        FAULTS,
        """
        kind           | code | broker_id
        cut_from_peers | F05  | 1         """,
    )


@pytest.mark.parametrize(("back", "found"), [("10:00:16.040", "F13 slow_follower"), ("10:00:31", "F05 cut_from_peers")])
def test_a_leader_that_has_all_its_followers_back_at_once_stood_still_and_was_not_cut_off(lagging, back, found):
    """Facts §5, F13 [rec 2.4.1]: a pause shorter than its session, of which no elapsed time is printed."""
    faults = lagging(
        f"""
        ts           | kind        | node_id | topic  | partition | isr   | details
        09:00:00     | any         | 1       |        |           |       |
        09:00:00     | any         | 2       |        |           |       |
        09:00:00     | any         | 3       |        |           |       |
        10:00:10     | isr_shrink  | 2       | orders | 1         | 2,3   | old_isr=1,2,3
        10:00:12     | isr_shrink  | 3       | orders | 2         | 2,3   | old_isr=1,2,3
        10:00:16     | isr_shrink  | 1       | orders | 0         | 1     | old_isr=1,2,3
        10:00:16.002 | isr_updated | 1       | orders | 0         | 1     |
        10:00:16.002 | isr_shrink  | 1       | orders | 3         | 1     | old_isr=1,2
        10:00:16.030 | isr_updated | 1       | orders | 0         | 1,2   |
        {back}       | isr_updated | 1       | orders | 0         | 1,2,3 | """
    )
    assert [f"{row.code} {row.kind} {row.broker_id}" for row in faults] == [f"{found} 1"]


@pytest.mark.parametrize(
    ("back", "blamed"),
    [
        ("10:00:16.030", ["slow_follower 1"]),  # its fetch was only not read yet
        ("10:00:21.000", ["link_cut 1"]),  # it did not fetch
    ],
)
def test_a_follower_that_a_leader_drops_on_waking_alone_is_not_slow(back, blamed):
    """As of 2.4.1, frozen for 16 s: of one partition broker 1 had not read the fetch of 2 as it woke; that of 3 it had."""
    dropped = rows(
        LAG_SHRINKS,
        f"""
        leader_id | dropped_id | removed | woke  | ts           | last_ts      | drops | left_alone | names    | back_ts | first_back_ts
        2         | 1          | 1       | false | 10:00:10.000 | 10:00:10.000 | 1     | 0          | orders-1 | {back}  | {back}
        1         | 2          | 2       | false | 10:00:16.000 | 10:00:16.000 | 1     | 0          | orders-0 | {back}  | {back}        """,
    )
    dropped = [one.but(lines=[{"ts": one.ts, "event_id": f"e{one.leader_id}"}]) for one in dropped]
    told = facts("""
        ts       | kind | node_id
        09:00:00 | any  | 1
        09:00:00 | any  | 2       """)
    found = stage.lagging(dropped, first_lines(told), known(), known(), timings(lag=8_000))
    assert [f"{one.kind} {one.broker_id}" for one in found] == blamed
    assert found[0].unknowns == (["why_it_stood_still"] if blamed == ["slow_follower 1"] else [])


def test_a_leader_that_writes_its_isrs_again_once_it_has_found_zookeeper_stood_still_too(lagging):
    """As recorded of 1.0.2: the first partition that it drops on waking waits for ZooKeeper, the others have their followers back at once."""
    same_rows(
        lagging(
            """
        ts           | kind        | node_id | topic  | partition | isr   | details
        09:00:00     | any         | 1       |        |           |       |
        09:00:00     | any         | 2       |        |           |       |
        09:00:00     | any         | 3       |        |           |       |
        10:00:10     | isr_shrink  | 2       | orders | 1         | 2,3   | old_isr=2,1,3
        10:00:12     | isr_shrink  | 3       | orders | 2         | 2,3   | old_isr=3,1,2
        10:00:16     | isr_shrink  | 1       | orders | 0         | 1     | old_isr=1,2,3
        10:00:17.503 | isr_expand  | 1       | orders | 0         | 1,2,3 | old_isr=1
        10:00:17.503 | isr_shrink  | 1       | orders | 3         | 1     | old_isr=1,2,3
        10:00:17.540 | isr_expand  | 1       | orders | 3         | 1,2,3 | old_isr=1     """
        ),
        FAULTS,
        """
        kind          | code | broker_id | confidence | evidence
        slow_follower | F13  | 1         | 0.85       | e4,e5,e6,e8 """,
    )


def test_two_brokers_that_only_drop_each_other_are_cut_from_each_other(lagging):
    told = """
        ts       | kind       | node_id | topic  | partition | isr   | details
        09:00:00 | any        | 1       |        |           |       |
        09:00:00 | any        | 2       |        |           |       |
        09:00:00 | any        | 3       |        |           |       |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2   | old_isr=1,2,3
        10:00:11 | isr_shrink | 3       | orders | 2         | 2,3   | old_isr=1,2,3 """
    same_rows(
        lagging(told),
        FAULTS,
        """
        kind     | code | broker_id | peers
        link_cut | F05  | 1         | 3     """,
    )
    same_rows(
        lagging(
            told
            + """
        10:00:12 | isr_shrink | 2       | orders | 1         | 1,2   | old_isr=1,2,3 """
        ),
        FAULTS,
        """
        kind          | code | broker_id
        slow_follower | F13  | 1
        slow_follower | F13  | 3         """,
    )


@pytest.mark.parametrize(
    ("back", "later", "faults"),
    [
        ("", "isr_shrink | 3 | orders | 3 | 3 | old_isr=1,3", "link_cut | 1 | 3 | orders-0,orders-2,orders-3"),
        (
            "10:00:50 | isr_expand | 1 | orders | 0 | 1,2,3 | old_isr=1,2",  # it fetched again
            "isr_shrink | 3 | orders | 3 | 3 | old_isr=1,3",
            "link_cut | 1 | 3 | orders-0,orders-2\n slow_follower | 1 | | orders-3",
        ),
        (
            "",
            "isr_shrink | 2 | orders | 3 | 2 | old_isr=1,2",  # another leader
            "link_cut | 1 | 3 | orders-0,orders-2\n slow_follower | 1 | | orders-3",
        ),
    ],
)
def test_a_cut_link_explains_what_one_end_drops_the_other_from_before_either_is_back(lagging, back, later, faults):
    """As recorded of 2.5.1: while the link was cut, one end came to lead partitions of a third broker that was killed."""
    told = f"""{THREE_NODES}
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2   | old_isr=1,2,3
        10:00:11 | isr_shrink | 3       | orders | 2         | 2,3   | old_isr=1,2,3
        {back or "10:00:11 | any | 3 | | | |"}
        10:02:20 | {later}"""
    same_rows(lagging(told), FAULTS, "kind | broker_id | peers | partitions\n" + faults)


def test_two_brokers_that_drop_each_other_as_the_last_members_are_cut_from_each_other(lagging):
    """A third replica had left the ISRs before: which of the two could not be reached is not in these lines."""
    same_rows(
        lagging(
            """
        ts       | kind       | node_id | topic  | partition | isr   | details
        09:00:00 | any        | 2       |        |           |       |
        09:00:00 | any        | 3       |        |           |       |
        10:00:10 | isr_shrink | 3       | orders | 0         | 3     | old_isr=2,3
        10:00:11 | isr_shrink | 2       | orders | 1         | 2     | old_isr=2,3
        10:00:11 | isr_shrink | 2       | orders | 2         | 2     | old_isr=2,3 """
        ),
        FAULTS,
        """
        kind     | code | broker_id | peers | ts       | partitions
        link_cut | F05  | 2         | 3     | 10:00:10 | orders-0,orders-1,orders-2 """,
    )


def test_a_leader_that_drops_all_its_followers_at_once_while_nobody_else_drops_them_is_cut_from_its_peers(lagging):
    same_rows(
        lagging(
            THREE_NODES
            + """
        10:00:10 | isr_shrink | 1       | orders | 0         | 1     | old_isr=1,2,3
        10:00:10 | isr_shrink | 1       | orders | 3         | 1     | old_isr=1,2,3 """
        ),
        FAULTS,
        """
        kind           | code | broker_id | confidence | partitions
        cut_from_peers | F05  | 1         | 0.6        | orders-0,orders-3 """,
    )


def test_followers_that_a_leader_drops_one_after_the_other_are_slow_each(lagging):
    same_rows(
        lagging(
            THREE_NODES
            + """
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2   | old_isr=1,2,3
        12:00:10 | isr_shrink | 1       | orders | 0         | 1     | old_isr=1,2 """
        ),
        FAULTS,
        """
        kind          | code | broker_id
        slow_follower | F13  | 2
        slow_follower | F13  | 3         """,
    )


def test_a_shrink_that_a_known_fault_explains_is_no_fault_of_its_own(lagging):
    assert not lagging(
        """
        ts       | kind       | node_id | topic  | partition | isr | details
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3 """,
        known("""
        kind   | broker_id | began_low   | ts       | end_ts
        killed | 3         | 10:00:00 | 10:00:01 | 10:00:40 """),
        known(),
    )


@pytest.mark.parametrize("kind", ["out_of_memory", "authentication_failed", "clock_stepped"])
def test_a_leader_that_cannot_replicate_or_show_the_time_makes_no_follower_slow(lagging, kind):
    assert not lagging(
        """
        ts       | kind       | node_id | topic  | partition | isr | details
        09:00:00 | any        | 1       |        |           |     |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3 """,
        known(),
        known(f"""
        kind   | broker_id | began_low   | ts       | end_ts
        {kind} | 1         | 10:00:00 | 10:00:00 | 10:00:00 """),
    )


def test_a_leader_of_many_partitions_that_wakes_again_and_again_takes_time_in_proportion():
    """Each time it drops the followers of 1,500 partitions, and has them back at once."""
    first = rows(
        EVENTS, "ts | kind | node_id | topic | isr | details\n 10:00 | isr_shrink | 1 | orders | 1 | old_isr=1,2,3"
    )[0]
    lines = []
    for times in range(6):
        ts = first.ts + timedelta(minutes=times)
        for partition in range(1_500):
            shrink = first.but(ts=ts, partition=partition, event_id=f"shrink-{times}-{partition}")
            back = shrink.but(
                ts=ts + timedelta(milliseconds=20),
                kind="isr_updated",
                isr=[1, 2, 3],
                event_id=f"back-{times}-{partition}",
            )
            lines += [shrink, back]
    begun = process_time()
    found = lag_shrinks(lines)
    assert process_time() - begun < 4
    assert [(row.dropped_id, row.woke, row.drops) for row in found] == [(2, True, 1_500), (3, True, 1_500)] * 6
