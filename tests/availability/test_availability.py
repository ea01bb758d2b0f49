"""When a partition took writes: single faults of one partition, orders-0, and what its producers met."""

from __future__ import annotations

from replay.tables.availability import AVAILABILITY
from tests.availability.frames import FAILOVER, FAILOVER_ISRS, seen
from tests.tables import same

STARTS = """
    ts           | kind         | node_id | leader_epoch
    10:10:08.200 | leader_start | 2       | 5            """
DIED = """
    fault_id | kind   | broker_id | began_low | began_high   | ended_low | ended_high | end_ts   | ts
    died     | killed | 1         | 10:10:00  | 10:10:00.100 | 10:10:40  | 10:10:40   | 10:10:40 | 10:10:00.100 """


def test_a_partition_whose_leader_and_isr_are_well_takes_writes_of_both_kinds(spark):
    same(
        seen(spark),
        AVAILABILITY,
        """
        topic  | partition | acks | start_ts | end_ts | state | reason
        orders | 0         | all  | 10:00:00 |        | open  |
        orders | 0         | 1    | 10:00:00 |        | open  |        """,
    )


def test_a_dead_leader_takes_no_writes_from_the_first_proof_of_its_death_to_the_next_leaders_first_word(spark):
    same(
        seen(spark, leader_epochs=FAILOVER, isr_spans=FAILOVER_ISRS, faults=DIED, events=STARTS),
        AVAILABILITY,
        """
        acks | start_ts     | end_ts       | state   | reason      | fault_id
        all  | 10:00:00     | 10:10:00     | open    |             |
        all  | 10:10:00     | 10:10:00.100 | unknown | leader_dead | died
        all  | 10:10:00.100 | 10:10:08.200 | closed  | leader_dead | died
        all  | 10:10:08.200 |              | open    |             |
        1    | 10:00:00     | 10:10:00     | open    |             |
        1    | 10:10:00     | 10:10:00.100 | unknown | leader_dead | died
        1    | 10:10:00.100 | 10:10:08.200 | closed  | leader_dead | died
        1    | 10:10:08.200 |              | open    |             |      """,
    )


def test_a_leader_that_is_started_anew_before_another_is_chosen_leads_again_once_it_says_so_and_has_a_session(spark):
    got = seen(
        spark,
        faults=DIED,
        events="""
        ts       | kind         | node_id | leader_epoch
        10:10:42 | leader_start | 1       | 4            """,
        sessions="""
        broker_id | start_ts
        1         | 09:00:00
        1         | 10:10:44 """,
    )
    same(
        got.where("acks = '1' and state != 'unknown'"),
        AVAILABILITY,
        """
        start_ts     | end_ts   | state  | reason
        10:00:00     | 10:10:00 | open   |
        10:10:00.100 | 10:10:44 | closed | leader_dead
        10:10:44     |          | open   |             """,
    )


def test_a_member_of_the_isr_that_died_keeps_acks_all_waiting_until_it_is_dropped(spark):
    """And acks=1 open: what leads is well."""
    got = seen(
        spark,
        isr_spans="""
        leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
        4            | 2         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:10:08
        4            | 2         | 2,3   | 1,2,3    | 2       | 10:10:08 |          """,
        leader_epochs="""
        leader_epoch | leader_id | start_ts
        4            | 2         | 10:00:00 """,
        faults=DIED,
    )
    same(
        got,
        AVAILABILITY,
        """
        acks | start_ts     | end_ts       | state   | reason                 | fault_id
        all  | 10:00:00     | 10:10:00     | open    |                        |
        all  | 10:10:00     | 10:10:00.100 | unknown | waiting_for_isr_member | died
        all  | 10:10:00.100 | 10:10:08     | closed  | waiting_for_isr_member | died
        all  | 10:10:08     |              | open    |                        |
        1    | 10:00:00     |              | open    |                        |      """,
    )


PAUSED = """
    fault_id | kind   | broker_id | began_low | began_high | ended_low | ended_high | end_ts   | ts
    froze    | paused | 1         | 10:10:00  | 10:10:01   | 10:10:{0} | 10:10:{0}  | 10:10:{0} | 10:10:01 """


def test_a_frozen_leader_that_nobody_replaced_goes_on_as_it_wakes(spark):
    same(
        seen(spark, faults=PAUSED.format(16)).where("acks = '1'"),
        AVAILABILITY,
        """
        start_ts | end_ts   | state   | reason
        10:00:00 | 10:10:00 | open    |
        10:10:00 | 10:10:01 | unknown | leader_frozen
        10:10:01 | 10:10:16 | closed  | leader_frozen
        10:10:16 |          | open    |               """,
    )


def test_a_frozen_leader_that_wakes_before_the_next_one_starts_may_take_writes_with_acks_1(spark):
    late = STARTS.replace("10:10:08.200", "10:10:14")
    same(
        seen(spark, leader_epochs=FAILOVER, isr_spans=FAILOVER_ISRS, faults=PAUSED.format(12), events=late).where(
            "acks = '1'"
        ),
        AVAILABILITY,
        """
        start_ts | end_ts   | state   | reason
        10:00:00 | 10:10:00 | open    |
        10:10:00 | 10:10:01 | unknown | leader_frozen
        10:10:01 | 10:10:12 | closed  | leader_frozen
        10:10:12 | 10:10:14 | unknown | leader_deposed
        10:10:14 |          | open    |                """,
    )


def test_a_node_that_fell_silent_proves_nothing(spark):
    silent = PAUSED.format(16).replace("paused", "silent").replace("froze", "quiet")
    same(
        seen(spark, faults=silent).where("state != 'open'"),
        AVAILABILITY,
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:00 | 10:10:16 | unknown | leader_silent
        1    | 10:10:00 | 10:10:16 | unknown | leader_silent """,
    )


WITHOUT = """
    leader_epoch | leader_id | start_ts | end_ts
    4            | 1         | 10:00:00 | 10:10:08
    5            | -1        | 10:10:08 | 10:10:30
    6            | 2         | 10:10:30 |          """
BACK = STARTS.replace("10:10:08.200", "10:10:31").replace("| 5 ", "| 6 ")


def test_without_a_leader_nothing_is_taken_until_one_has_taken_up_the_partition(spark):
    got = seen(spark, leader_epochs=WITHOUT, isr_spans="topic", faults=DIED, events=BACK)
    same(
        got.where("state = 'closed' and acks = '1'"),
        AVAILABILITY,
        """
        start_ts     | end_ts   | reason      | fault_id
        10:10:00.100 | 10:10:31 | leader_dead | died     """,
    )


def test_a_time_without_a_leader_goes_back_to_the_fault_of_the_last_one(spark):
    stopped = """
        fault_id | kind    | broker_id | began_low | began_high | ts       | end_ts   | ended_low | ended_high
        stop     | stopped | 1         | 10:10:07  | 10:10:07   | 10:10:07 | 10:10:50 | 10:10:50  | 10:10:50
        other    | stopped | 3         | 10:10:08  | 10:10:08   | 10:10:08 | 10:10:50 | 10:10:50  | 10:10:50   """
    got = seen(spark, leader_epochs=WITHOUT, isr_spans="topic", faults=stopped, events=BACK)
    same(
        got.where("state = 'closed' and acks = '1'"),
        AVAILABILITY,
        """
        start_ts | end_ts   | reason    | fault_id | confidence
        10:10:08 | 10:10:31 | no_leader | stop     | observed   """,
    )


def test_without_a_leader_by_the_controller_a_broker_that_lives_on_may_take_writes(spark):
    fenced = """
        fault_id | kind         | broker_id | began_low | began_high | ts       | ended_low | ended_high | end_ts
        fenced   | fenced_alive | 1         | 10:10:00  | 10:10:08   | 10:10:08 | 10:10:29  | 10:10:29   | 10:10:29 """
    got = seen(spark, leader_epochs=WITHOUT, isr_spans="topic", faults=fenced, events=BACK)
    same(
        got.where("acks = '1'"),
        AVAILABILITY,
        """
        start_ts | end_ts   | state   | reason         | fault_id
        10:00:00 | 10:10:08 | open    |                |
        10:10:08 | 10:10:31 | unknown | leader_deposed | fenced
        10:10:31 |          | open    |                |          """,
    )


def test_between_the_choice_of_a_leader_and_its_first_word_the_one_before_may_take_writes(spark):
    got = seen(spark, leader_epochs=FAILOVER, isr_spans="topic", events=STARTS)
    same(
        got.where("state != 'open'"),
        AVAILABILITY,
        """
        acks | start_ts | end_ts       | state   | reason
        all  | 10:10:08 | 10:10:08.200 | unknown | leader_deposed
        1    | 10:10:08 | 10:10:08.200 | unknown | leader_deposed """,
    )


def test_a_leader_that_stays_goes_on_through_a_new_leader_epoch(spark):
    bumped = FAILOVER.replace("5            | 2 ", "5            | 1 ")
    late = STARTS.replace("| 2  ", "| 1  ")
    assert seen(spark, leader_epochs=bumped, isr_spans="topic", events=late).where("state != 'open'").isEmpty()


BELOW = """
    leader_epoch | leader_id | isr | replicas | min_isr | start_ts | end_ts
    4            | 1         | 1,2 | {0} | 2       | 10:00:00 | 10:10:08
    4            | 1         | 1   | {0} | 2       | 10:10:08 | 10:10:20
    4            | 1         | 1,2 | {0} | 2       | 10:10:20 |          """


TOLD = """
    ts       | kind        | node_id | leader_epoch | isr
    10:10:{0} | isr_updated | 1       |              | 1   """


def test_an_isr_below_the_setting_refuses_acks_all_once_the_leader_knows(spark):
    """A leader that is busy learns of the controller's decision late: until then it may take writes."""
    same(
        seen(spark, isr_spans=BELOW.format("1,2,3"), events=TOLD.format("10")).where("state != 'open'"),
        AVAILABILITY,
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:08 | 10:10:10 | unknown | below_min_isr
        all  | 10:10:10 | 10:10:20 | closed  | below_min_isr """,
    )


def test_an_isr_that_no_line_of_the_leader_tells_proves_no_refusal(spark):
    got = seen(spark, isr_spans=BELOW.format("1,2,3"), events=TOLD.format("25"))
    same(
        got.where("state != 'open'"),
        AVAILABILITY,
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:08 | 10:10:20 | unknown | below_min_isr """,
    )


def test_a_leader_epoch_that_begins_below_the_setting_refuses_from_the_leaders_start(spark):
    """Releases before 2.6 print no ISR as a leader starts."""
    below = FAILOVER_ISRS.replace("2,3   |", "2     |")
    got = seen(spark, leader_epochs=FAILOVER, isr_spans=below, events=STARTS)
    same(
        got.where("state = 'closed'"),
        AVAILABILITY,
        """
        acks | start_ts     | end_ts | reason
        all  | 10:10:08.200 |        | below_min_isr """,
    )


def test_from_3_7_on_the_setting_counts_for_no_more_than_there_are_replicas(spark):
    """A partition of one replica under a setting of 2 takes no acks=all before, and takes it from then on; of a release that is not known nobody can tell."""
    one_replica = """
        leader_epoch | leader_id | isr | replicas | min_isr | start_ts
        4            | 1         | 1   | 1        | 2       | 10:00:00 """
    start = "ts | kind | node_id | leader_epoch\n 10:00:00 | leader_start | 1 | 4"

    def state(low: int, high: int) -> list[str]:
        release = f"node_id | version_low | version_high\n 1 | {low} | {high}"
        got = seen(spark, isr_spans=one_replica, releases=release, events=start).where("acks = 'all'")
        return [row.state for row in got.collect()]

    assert state(30602, 30602) == ["closed"]
    assert state(30700, 30700) == ["open"]
    assert state(30000, 99999) == ["unknown"]


CUT = """
    fault_id | kind     | broker_id | peers | began_low | began_high | ended_low | ended_high | end_ts   | ts
    cut      | {0} | 1         | {1}   | 10:10:00  | 10:10:01   | 10:10:12  | 10:10:12   | 10:10:12 | 10:10:01 """


def test_a_leader_that_is_cut_off_from_a_member_of_its_isr_keeps_acks_all_waiting(spark):
    same(
        seen(spark, faults=CUT.format("link_cut", 3)).where("state != 'open'"),
        AVAILABILITY,
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:00 | 10:10:01 | unknown | waiting_for_isr_member
        all  | 10:10:01 | 10:10:12 | closed  | waiting_for_isr_member """,
    )


def test_a_link_that_does_not_lead_to_a_member_of_the_isr_is_not_missed(spark):
    assert seen(spark, faults=CUT.format("link_cut", 4)).where("state != 'open'").isEmpty()


def test_a_leader_that_is_cut_off_from_all_its_peers_may_take_acks_1_of_whom_it_reaches(spark):
    got = seen(spark, faults=CUT.format("cut_from_peers", ""))
    same(
        got.where("state != 'open' and start_ts > timestamp'2024-05-01 10:10:00'"),
        AVAILABILITY,
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:01 | 10:10:12 | closed  | waiting_for_isr_member """,
    )
    same(
        got.where("acks = '1' and state != 'open'"),
        AVAILABILITY,
        """
        start_ts | end_ts   | state   | reason
        10:10:00 | 10:10:12 | unknown | leader_cut_off """,
    )


FAILED = """
    ts           | kind             | node_id | message
    10:10:{0} | fetch_send_error | 1       | [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Error sending fetch request """
LED_BY_2 = """
    leader_epoch | leader_id | start_ts
    4            | 2         | 10:00:00 """
ISR_OF_2 = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
    4            | 2         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:10:16
    4            | 2         | 2,3   | 1,2,3    | 2       | 10:10:16 |          """


def test_a_cut_from_zookeeper_took_the_peers_along_where_fetches_fail_a_socket_timeout_after_it(spark):
    def shut(failed_at: str):
        got = seen(
            spark,
            leader_epochs=LED_BY_2,
            isr_spans=ISR_OF_2,
            faults=CUT.format("cut_from_zookeeper", ""),
            events=FAILED.format(failed_at),
        )
        return got.where("state = 'closed'")

    same(
        shut("30.600"),
        AVAILABILITY,
        """
        acks | start_ts | end_ts   | state  | reason                 | fault_id
        all  | 10:10:01 | 10:10:16 | closed | waiting_for_isr_member | cut      """,
    )
    assert shut("45.000").isEmpty()


def test_a_fetch_that_was_open_for_long_took_over_nothing_meanwhile(spark):
    cancelled = """
        ts       | kind                    | node_id | details                                              | message
        10:10:10 | node_inflight_cancelled | 3       | api_key=FETCH;time_elapsed_since_create_ms=7500 | [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Cancelled in-flight FETCH request """
    same(
        seen(spark, events=cancelled).where("state != 'open'"),
        AVAILABILITY,
        """
        acks | start_ts     | end_ts   | state  | reason                 | evidence
        all  | 10:10:02.500 | 10:10:10 | closed | waiting_for_isr_member | e1       """,
    )


def test_a_lost_log_directory_closes_the_partitions_that_its_broker_names(spark):
    def shut(partitions: str):
        fault = f"""
            fault_id | kind           | broker_id | partitions   | began_low | began_high | ts
            disk     | log_dir_failed | 1         | {partitions} | 10:10:00  | 10:10:02   | 10:10:02 """
        got = seen(spark, leader_epochs=FAILOVER, isr_spans=FAILOVER_ISRS, faults=fault, events=STARTS)
        return got.where("acks = '1' and state = 'closed'")

    same(
        shut("orders-0"),
        AVAILABILITY,
        """
        start_ts | end_ts       | reason          | fault_id
        10:10:02 | 10:10:08.200 | log_dir_offline | disk     """,
    )
    assert shut("orders-1").isEmpty()


def test_times_of_one_kind_follow_each_other_without_gap_or_overlap(spark):
    """Two faults at once, and a topic that ends."""
    both = DIED + "    quiet | silent | 2 | 10:09:00 | 10:10:05 | 10:10:30 | 10:10:30 | 10:10:30 | 10:10:05"
    ends = FAILOVER.replace("10:10:08     |       ", "10:10:08     | 10:11:00")
    rows = seen(spark, leader_epochs=ends, isr_spans=FAILOVER_ISRS, faults=both, events=STARTS).collect()
    for acks in ("all", "1"):
        times = sorted((row.start_ts, row.end_ts) for row in rows if row.acks == acks)
        assert all(end == start for (_, end), (start, _) in zip(times, times[1:], strict=False))
        assert (times[0][0].minute, times[-1][1].minute) == (0, 11)


def test_no_faults_no_partitions(spark):
    assert seen(spark, leader_epochs="topic", isr_spans="topic").isEmpty()
