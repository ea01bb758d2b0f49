"""When a partition took writes: single faults of one partition, and what its producers met."""

from __future__ import annotations

from datetime import UTC, datetime, time
from itertools import pairwise

import pytest

from replay.availability.claims import backing_off, below_min_isr, every_claim, new_leader_without_records
from replay.availability.harm import _blocked
from replay.availability.tenures import tenures
from replay.tables import BROKER_SESSIONS, ISR_SPANS, LEADER_EPOCHS
from replay.tables.availability import AVAILABILITY, BROKERS_WORDS, NODE_OUTAGES
from tests.availability.frames import Case, cluster, of_partition
from tests.each import for_each
from tests.tables import DAY, rows, same_rows

FAILOVER = """
    leader_epoch | leader_id | start_ts | end_ts
    4            | 1         | 10:00:00 | 10:10:08
    5            | 2         | 10:10:08 |          """
FAILOVER_ISRS = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
    4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:10:08
    5            | 2         | 2,3   | 1,2,3    | 2       | 10:10:08 |          """
ALONE = """
    leader_epoch | leader_id | isr | replicas | min_isr | start_ts | end_ts
    4            | 1         | 1   | 1,2,3    | 1       | 10:00:00 | 10:10:08
    5            | 2         | 2   | 1,2,3    | 1       | 10:10:08 |          """
STARTS = """
    ts           | kind         | node_id | leader_epoch
    10:10:08.200 | leader_start | 2       | 5            """
DIED = """
    fault_id | kind   | broker_id | began_low | began_high   | ended_low | ended_high | end_ts   | ts
    died     | killed | 1         | 10:10:00  | 10:10:00.100 | 10:10:40  | 10:10:40   | 10:10:40 | 10:10:00.100 """
PAUSED = """
    fault_id | kind   | broker_id | began_low | began_high | ended_low | ended_high | end_ts    | ts
    froze    | paused | 1         | 10:10:00  | 10:10:01   | 10:10:{0} | 10:10:{0}  | 10:10:{0} | 10:10:01 """
WITHOUT = """
    leader_epoch | leader_id | start_ts | end_ts
    4            | 1         | 10:00:00 | 10:10:08
    5            | -1        | 10:10:08 | 10:10:30
    6            | 2         | 10:10:30 |          """
BACK = STARTS.replace("10:10:08.200", "10:10:31").replace("| 5 ", "| 6 ")
LED_BY_2 = """
    leader_epoch | leader_id | start_ts
    4            | 2         | 10:00:00 """
DROPPED_TS = datetime.combine(DAY, time(10, 10, 16), UTC)
DROPPED_AT_16 = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
    4            | 2         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:10:16
    4            | 2         | 2,3   | 1,2,3    | 2       | 10:10:16 |          """
FULL_BY_2 = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
    4            | 2         | 1,2,3 | 1,2,3    | 2       | 10:00:00 |        """
LED_BEFORE_BY_2 = """
    ts       | kind         | node_id | leader_epoch | leader_id
    10:00:00 | leader_start | 2       | 4            |          """
FETCHES = """
    10:10:{0} | {1} | {2} |  | {3} """
BELOW = """
    leader_epoch | leader_id | isr | replicas | min_isr | start_ts | end_ts
    4            | 1         | 1,2 | 1,2,3    | 2       | 10:00:00 | 10:10:08
    4            | 1         | 1   | 1,2,3    | 2       | 10:10:08 | 10:10:20
    4            | 1         | 1,2 | 1,2,3    | 2       | 10:10:20 |          """
TOLD = """
    ts        | kind        | node_id | leader_epoch | isr
    10:10:{0} | isr_updated | 1       |              | 1
    10:10:20  | isr_updated | 1       |              | 1,2 """
CUT = """
    fault_id | kind | broker_id | peers | began_low | began_high | ended_low | ended_high | end_ts   | ts
    cut      | {0}  | 1         | {1}   | 10:10:00  | 10:10:01   | 10:10:12  | 10:10:12   | 10:10:12 | 10:10:01 """
FAILED = """
    ts        | kind             | node_id | message
    10:10:{0} | fetch_send_error | 1       | [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Error sending fetch request """
UNHEARD = """
    fault_id | kind   | broker_id | began_low | began_high | ended_low | ended_high | end_ts   | ts       | arguments        | evidence
    unheard  | silent | 1         | 10:10:00  | 10:10:01   | 10:10:09  | 10:10:50   | 10:10:50 | 10:10:01 | all_unanswered=2 | e1       """
GIVEN_UP = """
    ts           | kind                    | node_id | message
    10:10:16.200 | node_inflight_cancelled | 2       | [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Cancelled in-flight FETCH request """
CANCELLED = """
    ts       | kind                    | node_id | details                                         | message
    10:10:10 | node_inflight_cancelled | 3       | api_key=FETCH;time_elapsed_since_create_ms=7500 | [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Cancelled in-flight FETCH request """
REFUSED = """
    ts       | kind                | node_id | details                                                                                                                   | message
    10:10:05 | fetch_request_error | 3       | exception=org.apache.kafka.common.errors.FetchSessionTopicIdException: The fetch session encountered inconsistent topic ID | [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Error in response for fetch request (type=FetchRequest, fetchData={clicks-0=PartitionData(fetchOffset=3), orders-0=PartitionData(fetchOffset=7)}) """
BACKED_OFF = (
    STARTS
    + """
    10:10:08.100 | fetch_fenced_epoch_stale_leader_view | {0} | """
)
TAKEN_ANEW = (
    BACKED_OFF
    + """
    10:10:08.600 | follower_start | 3 | 5 """
)
DIED_TWICE = """
    fault_id | kind   | broker_id | began_low | began_high   | ended_low | ended_high | end_ts   | ts
    died     | killed | 1         | 10:10:00  | 10:10:00.100 | 10:10:05  | 10:10:05   | 10:10:05 | 10:10:00.100
    again    | halted | 1         | 10:10:12  | 10:10:12     |           |            |          | 10:10:12     """
LED_BEFORE = """
    ts       | kind         | node_id | leader_epoch
    10:00:00 | leader_start | 1       | 4            """
FOLLOWED_BEFORE = """
    ts       | kind           | node_id | leader_epoch
    10:00:01 | follower_start | 1       | 4            """
DISK = """
    fault_id | kind           | broker_id | partitions | began_low | began_high | ts
    disk     | log_dir_failed | 1         | orders-{0} | 10:10:00  | 10:10:02   | 10:10:02 """
DISK_OF_3 = """
    fault_id | kind           | broker_id | partitions | began_low | began_high | ts
    disk     | log_dir_failed | 3         | orders-0   | 10:10:00  | 10:10:02   | 10:10:02 """
TAKEN_OUT = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
    4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:10:03
    {0}          | 1         | 1,2   | 1,2,3    | 2       | 10:10:03 |          """
THEN_STOPPED = (
    DISK_OF_3
    + """
    stop     | stopped        | 3         |            | 10:10:20  | 10:10:20   | 10:10:20 """
)
STOPS = """
    fault_id | kind    | broker_id | began_low | began_high | ts       | end_ts   | ended_low | ended_high
    stop     | stopped | 1         | 10:10:07  | 10:10:07   | 10:10:07 | 10:10:50 | 10:10:50  | 10:10:50
    other    | stopped | 3         | 10:10:08  | 10:10:08   | 10:10:08 | 10:10:50 | 10:10:50  | 10:10:50   """
FENCED = """
    fault_id | kind         | broker_id | began_low | began_high | ts       | ended_low | ended_high | end_ts
    fenced   | fenced_alive | 1         | 10:10:00  | 10:10:08   | 10:10:08 | 10:10:29  | 10:10:29   | 10:10:29 """
STARTED_ANEW = """
    ts       | kind         | node_id | leader_epoch | message
    10:10:42 | leader_start | 1       | 4            | """
LETS_IN = """
    10:10:41 | socket_server_step | 1 | | [SocketServer listenerType=CONTROLLER, nodeId=1] Enabling request processing.
    10:10:47 | socket_server_step | 1 | | [SocketServer listenerType=BROKER, nodeId=1] Enabling request processing. """
STOPPED = """
    node_id | life | stop_ts  | last_ts  | stopped_event | next_start_ts
    1       | 0    | 10:10:07 | 10:10:12 | e9            | 10:10:50 """
STOPS_ITS_NETWORK = """
    10:10:07.500 | socket_server_shutdown | 1 | | [SocketServer listenerType=CONTROLLER, nodeId=1] Stopped socket server request processors
    10:10:08     | socket_server_shutdown | 1 | | [SocketServer listenerType=BROKER, nodeId=1] Stopping socket server request processors
    10:10:08.200 | socket_server_shutdown | 1 | | [SocketServer listenerType=BROKER, nodeId=1] Stopped socket server request processors
    10:10:11     | socket_server_shutdown | 1 | | [SocketServer listenerType=BROKER, nodeId=1] Shutdown completed """
STOPS_ITS_FETCHERS = """
    ts           | kind                     | node_id | message
    10:10:10     | fetcher_manager_shutdown | 1       | [ReplicaFetcherManager on broker 1] shutting down
    10:10:10.100 | fetcher_manager_shutdown | 1       | [ReplicaFetcherManager on broker 1] shutdown completed """
STOPS_A_FETCHER = (
    STOPS_ITS_FETCHERS
    + """
    10:00:00     | thread_starting            | 1 | [ReplicaFetcher replicaId=1, leaderId={0}, fetcherId=0] Starting
    10:10:08     | fetcher_partitions_removed | 1 | [ReplicaFetcherManager on broker 1] Removed fetcher for partitions Set(orders-0)
    10:10:08.100 | thread_shutdown_completed  | 1 | [ReplicaFetcher replicaId=1, leaderId={0}, fetcherId=0] Shutdown completed """
)
ANOTHER_FETCHER = """
    10:00:01     | thread_starting            | 1 | [ReplicaFetcherThread-1-2]: Starting """
SESSIONS = """
    broker_id | start_ts
    1         | 09:00:00
    1         | 10:10:44 """

ALL, SHUT = ("open", "closed", "unknown"), ("closed", "unknown")

failed_over = {"leader_epochs": FAILOVER, "isr_spans": FAILOVER_ISRS}
leaderless = {"leader_epochs": WITHOUT, "isr_spans": "leader_id", "events": BACK}
CASES = {
    "well": Case(),
    "leader_died": Case(**failed_over, faults=DIED, events=STARTS),
    "leader_started_anew": Case(faults=DIED, events=STARTED_ANEW, sessions=SESSIONS),
    "leader_lets_clients_in": Case(faults=DIED, events=STARTED_ANEW + LETS_IN),
    "stopped_uncleanly": Case(
        faults=STOPS.replace("| stopped |", "| stopped_uncleanly |"),
        processes=STOPPED,
        events=STARTED_ANEW.replace("10:10:42", "10:10:52"),
    ),
    "member_stopped_and_dropped_at_once": Case(
        leader_epochs=LED_BY_2,
        isr_spans=DROPPED_AT_16.replace("10:10:16", "10:10:08.400"),
        faults=STOPS.splitlines()[1] + "\n" + STOPS.splitlines()[2],
        processes=STOPPED.replace("life |", "life | start_ts |").replace("0    |", "0    | 09:59:59 |"),
        events=STOPS_A_FETCHER.format(2),
    ),
    "stopped_its_network": Case(
        faults=STOPS.replace("| stopped |", "| stopped_uncleanly |"),
        processes=STOPPED,
        events=STARTED_ANEW.replace("10:10:42", "10:10:52") + STOPS_ITS_NETWORK,
    ),
    **{
        name: Case(
            leader_epochs=LED_BY_2,
            isr_spans=DROPPED_AT_16,
            faults=STOPS,
            processes=STOPPED.replace("life |", "life | start_ts |").replace("0    |", "0    | 09:59:59 |"),
            events=events,
        )
        for name, events in (
            ("member_stopped", "ts"),
            ("member_stopped_its_fetchers", STOPS_ITS_FETCHERS),
            ("member_stopped_its_fetcher", STOPS_A_FETCHER.format(2)),
            ("member_stopped_the_fetcher_of_another", STOPS_A_FETCHER.format(3)),
            ("member_stopped_one_of_two_fetchers", STOPS_A_FETCHER.format(2) + ANOTHER_FETCHER),
        )
    },
    "member_died": Case(leader_epochs=LED_BY_2, isr_spans=DROPPED_AT_16, faults=DIED),
    "member_died_again": Case(
        leader_epochs=LED_BY_2, isr_spans=DROPPED_AT_16, faults=DIED_TWICE, events=FOLLOWED_BEFORE
    ),
    "member_prints_no_roles": Case(leader_epochs=LED_BY_2, isr_spans=DROPPED_AT_16, faults=DIED_TWICE),
    "froze": Case(faults=PAUSED.format(16)),
    "woke_deposed": Case(**failed_over, faults=PAUSED.format(12), events=STARTS.replace("10:10:08.200", "10:10:14")),
    "silent": Case(faults=PAUSED.format(16).replace("paused", "silent")),
    "unheard_member": Case(leader_epochs=LED_BY_2, isr_spans=DROPPED_AT_16, faults=UNHEARD, events=GIVEN_UP),
    "unheard_by_controllers_only": Case(
        leader_epochs=LED_BY_2,
        isr_spans=DROPPED_AT_16,
        faults=UNHEARD.replace("all_unanswered=2", "node=1"),
        events=GIVEN_UP,
    ),
    "leaderless_after_death": Case(**leaderless, faults=DIED),
    "leaderless_after_stop": Case(**leaderless, faults=STOPS),
    "leaderless_but_alive": Case(**leaderless, faults=FENCED),
    "moved": Case(leader_epochs=FAILOVER, isr_spans=ALONE, events=STARTS),
    "stays": Case(
        leader_epochs=FAILOVER.replace("| 2 ", "| 1 "),
        isr_spans=ALONE.replace("| 2 ", "| 1 "),
        events=STARTS.replace("| 2 ", "| 1 "),
    ),
    "below_told": Case(isr_spans=BELOW, events=TOLD.format("10")),
    "below_untold": Case(isr_spans=BELOW, events=TOLD.format("25")),
    "below_from_start": Case(
        leader_epochs=FAILOVER, isr_spans=FAILOVER_ISRS.replace("2,3   |", "2     |"), events=STARTS
    ),
    **{
        f"idle_member_{name}": Case(
            leader_epochs=LED_BY_2, isr_spans=FULL_BY_2, faults=DIED, events=LED_BEFORE_BY_2 + line.format(*who)
        )
        for name, line, who in (
            ("never_returns", "", ()),
            ("starts_a_fetcher", FETCHES, ("42", "broker_become_follower_fetcher_started", 1, 2)),
            ("becomes_follower", FETCHES, ("42", "broker_become_follower_done", 1, "")),
            ("cuts_its_log", FETCHES, ("42", "truncation_to_hw", 1, 2)),
            ("starts_to_follow", FETCHES, ("42", "follower_start", 1, 2)),
            ("follows_another", FETCHES, ("42", "broker_become_follower_fetcher_started", 1, 3)),
            ("followed_before", FETCHES, ("39", "broker_become_follower_fetcher_started", 1, 2)),
            ("stays_away_and_another_follows", FETCHES, ("42", "broker_become_follower_fetcher_started", 3, 2)),
        )
    },
    "link_to_member": Case(faults=CUT.format("link_cut", 3)),
    "link_to_member_for_long": Case(
        faults=CUT.format("link_cut", 3).replace("10:10:12", "10:11:12"), events=LED_BEFORE
    ),
    "link_to_member_while_written": Case(
        faults=CUT.format("link_cut", 3).replace("10:10:12", "10:11:12"),
        events=LED_BEFORE + "\n    10:10:40 | isr_shrink | 1 | ",
    ),
    "member_dropped_without_answer": Case(
        faults=CUT.format("cut_from_peers", "")
        .replace("| 1         |", "| 3         |")
        .replace("10:10:12", "10:12:12"),
        events=LED_BEFORE + "\n    10:10:40 | isr_shrink | 1 | ",
    ),
    "link_of_a_leader_without_lines": Case(faults=CUT.format("link_cut", 3).replace("10:10:12", "10:11:12")),
    "link_to_another": Case(faults=CUT.format("link_cut", 4)),
    "cut_from_peers": Case(faults=CUT.format("cut_from_peers", "")),
    "cut_with_peers": Case(
        leader_epochs=LED_BY_2,
        isr_spans=DROPPED_AT_16,
        faults=CUT.format("cut_from_zookeeper", ""),
        events=FAILED.format("30.600"),
    ),
    "cut_alone": Case(
        leader_epochs=LED_BY_2,
        isr_spans=DROPPED_AT_16,
        faults=CUT.format("cut_from_zookeeper", ""),
        events=FAILED.format("45.000"),
    ),
    "open_fetch": Case(events=CANCELLED),
    "refused_fetch": Case(events=REFUSED),
    "backs_off": Case(
        **failed_over, faults=STOPS.splitlines()[1] + "\n" + STOPS.splitlines()[2], events=BACKED_OFF.format(3)
    ),
    "backs_off_out_of_isr": Case(**failed_over, events=BACKED_OFF.format(1)),
    "backs_off_until_told": Case(**failed_over, events=TAKEN_ANEW.format(3)),
    "disk_of_it": Case(**failed_over, faults=DISK.format(0), events=STARTS),
    "full_disk": Case(**failed_over, faults=DISK.format(0).replace("log_dir_failed", "disk_full"), events=STARTS),
    "disk_of_another": Case(**failed_over, faults=DISK.format(1), events=STARTS),
    "taken_out": Case(isr_spans=TAKEN_OUT.format(4), faults=DISK_OF_3),
    "taken_out_and_stopped": Case(isr_spans=TAKEN_OUT.format(4), faults=THEN_STOPPED),
    "disk_failed_later": Case(
        isr_spans=TAKEN_OUT.format(4),
        faults=DISK_OF_3.replace("10:10:00", "10:20:00").replace("10:10:02", "10:20:02"),
    ),
    "taken_out_for_lag": Case(isr_spans=TAKEN_OUT.format(4).replace("10:10:03", "10:10:45"), faults=DISK_OF_3),
    "taken_out_in_a_new_epoch": Case(isr_spans=TAKEN_OUT.format(5), faults=DISK_OF_3),
    "ended_topic": Case(
        leader_epochs=FAILOVER.replace("10:10:08 |          ", "10:10:08 | 10:11:00"),
        isr_spans=FAILOVER_ISRS,
        faults=DIED + "\n    quiet | silent | 2 | 10:09:00 | 10:10:05 | 10:10:30 | 10:10:30 | 10:10:30 | 10:10:05",
        events=STARTS,
    ),
}


@pytest.fixture(scope="module")
def available():
    """The availability of the partition of every case."""
    return {name: case.available() for name, case in CASES.items()}


@pytest.fixture
def states(available):
    """Fails unless the times of a case, all or those of one kind of producer and these states, are the rows of a text."""

    def are(case: str, expected: str, acks: str | None = None, state: tuple[str, ...] = ALL) -> None:
        found = [row for row in available[case] if acks in (None, row.acks) and row.state in state]
        same_rows(found, AVAILABILITY, expected)

    return are


@pytest.fixture
def none_shut(available):
    def holds(case: str, *state: str) -> bool:
        return bool(available[case]) and not any(row.state in (state or SHUT) for row in available[case])

    return holds


def test_a_partition_whose_leader_and_isr_are_well_takes_writes_of_both_kinds(states):
    states(
        "well",
        """
        partition | acks | start_ts | end_ts | state | reason
        0         | all  | 10:00:00 |        | open  |
        0         | 1    | 10:00:00 |        | open  |        """,
    )


def test_a_dead_leader_takes_no_writes_from_the_first_proof_of_its_death_to_the_next_leaders_first_word(states):
    """A follower that asked the next one too early backs off: acks=all may wait that much longer."""
    states(
        "leader_died",
        """
        acks | start_ts     | end_ts       | state   | reason               | fault_id
        all  | 10:00:00     | 10:10:00     | open    |                      |
        all  | 10:10:00     | 10:10:00.100 | unknown | leader_dead          | died
        all  | 10:10:00.100 | 10:10:08.200 | closed  | leader_dead          | died
        all  | 10:10:08.200 | 10:10:09.700 | unknown | isr_member_backs_off | died
        all  | 10:10:09.700 |              | open    |                      |
        1    | 10:00:00     | 10:10:00     | open    |                      |
        1    | 10:10:00     | 10:10:00.100 | unknown | leader_dead          | died
        1    | 10:10:00.100 | 10:10:08.200 | closed  | leader_dead          | died
        1    | 10:10:08.200 |              | open    |                      |      """,
    )


def test_a_leader_that_is_started_again_before_another_is_chosen_leads_again_once_it_says_so_and_has_a_session(states):
    states(
        "leader_started_anew",
        """
        start_ts     | end_ts   | state  | reason
        10:00:00     | 10:10:00 | open   |
        10:10:00.100 | 10:10:44 | closed | leader_dead
        10:10:44     |          | open   |             """,
        "1",
        ("open", "closed"),
    )


def test_a_broker_that_leads_again_before_it_lets_clients_in_serves_nobody_until_then(states):
    """Started anew from old metadata, its registration refused: it says what it leads, and takes requests only once it is unfenced
    (recorded: all brokers killed at once, 3.9.1).
    """
    states(
        "leader_lets_clients_in",
        """
        start_ts     | end_ts   | state  | reason
        10:00:00     | 10:10:00 | open   |
        10:10:00.100 | 10:10:47 | closed | leader_dead
        10:10:47     |          | open   |             """,
        "1",
        ("open", "closed"),
    )


def test_a_leader_that_could_not_give_its_partitions_away_serves_nobody_from_its_last_line_on(states):
    states(
        "stopped_uncleanly",
        """
        start_ts | end_ts   | state  | reason
        10:10:12 | 10:10:52 | closed | leader_dead """,
        "1",
        ("closed",),
    )


def test_a_leader_that_stops_serves_nobody_from_the_end_of_its_network_on_not_only_from_its_last_line(states):
    states(
        "stopped_its_network",
        """
        start_ts     | end_ts       | state   | reason
        10:10:08     | 10:10:08.300 | unknown | leader_dead
        10:10:08.300 | 10:10:52     | closed  | leader_dead """,
        "1",
        SHUT,
    )


@pytest.mark.parametrize(
    ("case", "unsure_from", "sure_from"),
    [
        ("member_stopped", None, "10:10:12"),
        ("member_stopped_its_fetchers", "10:10:10", "10:10:10.120"),
        ("member_stopped_its_fetcher", "10:10:08", "10:10:08.120"),
        ("member_stopped_the_fetcher_of_another", "10:10:08", "10:10:10.120"),
        ("member_stopped_one_of_two_fetchers", "10:10:08", "10:10:10.120"),
    ],
)
def test_a_member_of_the_isr_that_stops_fetches_until_it_stops_its_fetchers(states, case, unsure_from, sure_from):
    unsure = f"\n{unsure_from} | {sure_from} | unknown | waiting_for_isr_member" if unsure_from else ""
    states(
        case,
        f"""
        start_ts | end_ts | state | reason{unsure}
        {sure_from} | 10:10:16 | closed | waiting_for_isr_member """,
        "all",
        SHUT,
    )


def test_acks_all_does_not_wait_for_a_member_that_its_leader_drops_as_it_stops(none_shut):
    assert none_shut("member_stopped_and_dropped_at_once")


def test_a_member_of_the_isr_that_died_keeps_acks_all_waiting_until_it_is_dropped(states):
    """And acks=1 open: what leads is well."""
    states(
        "member_died",
        """
        acks | start_ts     | end_ts       | state   | reason                 | fault_id
        all  | 10:00:00     | 10:10:00     | open    |                        |
        all  | 10:10:00     | 10:10:00.100 | unknown | waiting_for_isr_member | died
        all  | 10:10:00.100 | 10:10:16     | closed  | waiting_for_isr_member | died
        all  | 10:10:16     |              | open    |                        |
        1    | 10:00:00     |              | open    |                        |      """,
    )


@pytest.mark.parametrize(
    ("line", "is_open_again"),
    [
        ("10:10:02.200 | follower_start | 3 | 4 | 2", True),  # its replica was created in another directory (KIP-858)
        ("10:10:02.200 | follower_start | 1 | 4 | 2", False),  # another broker
        ("10:10:03     | follower_start | 3 | 4 | 2", False),  # after it joined
    ],
)
def test_acks_all_does_not_wait_for_a_member_that_joined_the_isr_while_its_disk_had_failed(line, is_open_again):
    of_disk = Case(
        leader_epochs=LED_BY_2,
        isr_spans="""
        leader_epoch | leader_id | isr   | replicas | min_isr | start_ts     | end_ts
        4            | 2         | 1,2,3 | 1,2,3    | 2       | 10:00:00     | 10:10:02.100
        4            | 2         | 1,2   | 1,2,3    | 2       | 10:10:02.100 | 10:10:02.500
        4            | 2         | 1,2,3 | 1,2,3    | 2       | 10:10:02.500 |              """,
        faults=DISK_OF_3,
        events=f"{LED_BEFORE_BY_2}\n    {line}",
    )
    last = [one for one in of_disk.available() if one.acks == "all"][-1]
    assert (last.state, last.reason) == (("open", None) if is_open_again else ("closed", "waiting_for_isr_member"))


@pytest.mark.parametrize(
    ("name", "returns"),
    [
        ("never_returns", False),
        ("starts_a_fetcher", True),
        ("becomes_follower", True),
        ("cuts_its_log", True),
        ("starts_to_follow", True),
        ("follows_another", False),
        ("followed_before", False),
        ("stays_away_and_another_follows", False),
    ],
)
def test_the_wait_for_a_member_of_an_idle_partition_ends_as_the_member_follows_again(states, name, returns):
    """Its ISR never changes. While the member stays away, no line shows an end."""
    states(
        f"idle_member_{name}",
        f"""
        start_ts     | end_ts       | state   | reason
        10:10:00     | 10:10:00.100 | unknown | waiting_for_isr_member
        10:10:00.100 | 10:10:{"42" if returns else "40"}     | closed  | waiting_for_isr_member
        {"" if returns else "10:10:40 | | unknown | waiting_for_isr_member"} """,
        "all",
        SHUT,
    )


@pytest.mark.parametrize(
    ("case", "is_sure"),
    [
        pytest.param("member_died_again", True, id="it printed the roles that it took before"),
        pytest.param("member_prints_no_roles", False, id="it never printed a role: it may have fetched"),
    ],
)
def test_a_member_that_died_again_without_having_taken_up_the_partition_never_fetched(states, case, is_sure):
    meanwhile = "10:10:05 | 10:10:12 | unknown | waiting_for_isr_member"
    states(
        case,
        f"""
        start_ts     | end_ts       | state   | reason
        10:10:00     | 10:10:00.100 | unknown | waiting_for_isr_member
        10:10:00.100 | 10:10:{"12" if is_sure else "05"} | closed | waiting_for_isr_member
        {"" if is_sure else meanwhile}
        10:10:12     | 10:10:16     | closed  | waiting_for_isr_member """,
        "all",
        SHUT,
    )


def test_a_frozen_leader_that_nobody_replaced_goes_on_as_it_wakes(states):
    states(
        "froze",
        """
        start_ts | end_ts   | state   | reason
        10:00:00 | 10:10:00 | open    |
        10:10:00 | 10:10:01 | unknown | leader_frozen
        10:10:01 | 10:10:16 | closed  | leader_frozen
        10:10:16 |          | open    |               """,
        "1",
    )


def test_a_frozen_leader_that_wakes_before_the_next_one_starts_may_take_writes_with_acks_1(states):
    states(
        "woke_deposed",
        """
        start_ts | end_ts   | state   | reason
        10:00:00 | 10:10:00 | open    |
        10:10:00 | 10:10:01 | unknown | leader_frozen
        10:10:01 | 10:10:12 | closed  | leader_frozen
        10:10:12 | 10:10:14 | unknown | leader_deposed
        10:10:14 |          | open    |                """,
        "1",
    )


def test_a_node_that_fell_silent_proves_nothing(states):
    states(
        "silent",
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:00 | 10:10:16 | unknown | leader_silent
        1    | 10:10:00 | 10:10:16 | unknown | leader_silent """,
        state=SHUT,
    )


def test_a_silent_member_that_left_fetches_unanswered_did_not_fetch_until_they_were_given_up(states):
    """Whether it was cut off, frozen or dead."""
    states(
        "unheard_member",
        """
        start_ts | end_ts   | state  | reason
        10:10:01 | 10:10:16 | closed | waiting_for_isr_member """,
        "all",
        ("closed",),
    )
    states("unheard_by_controllers_only", "start_ts | end_ts | state | reason", "all", ("closed",))


def test_without_a_leader_nothing_is_taken_until_one_has_taken_up_the_partition(states):
    states(
        "leaderless_after_death",
        """
        start_ts     | end_ts   | reason      | fault_id
        10:10:00.100 | 10:10:31 | leader_dead | died     """,
        "1",
        ("closed",),
    )


def test_a_time_without_a_leader_goes_back_to_the_fault_of_the_last_one(states):
    states(
        "leaderless_after_stop",
        """
        start_ts | end_ts   | reason    | fault_id | confidence
        10:10:08 | 10:10:31 | no_leader | stop     | observed   """,
        "1",
        ("closed",),
    )


def test_without_a_leader_by_the_controller_a_broker_that_lives_on_may_take_writes(states):
    states(
        "leaderless_but_alive",
        """
        start_ts | end_ts   | state   | reason         | fault_id
        10:00:00 | 10:10:08 | open    |                |
        10:10:08 | 10:10:31 | unknown | leader_deposed | fenced
        10:10:31 |          | open    |                |          """,
        "1",
    )


def test_between_the_choice_of_a_leader_and_its_first_word_the_one_before_may_take_writes(states):
    states(
        "moved",
        """
        acks | start_ts | end_ts       | state   | reason
        all  | 10:10:08 | 10:10:08.200 | unknown | leader_deposed
        1    | 10:10:08 | 10:10:08.200 | unknown | leader_deposed """,
        state=SHUT,
    )


def test_a_leader_that_stays_goes_on_through_a_new_leader_epoch(none_shut):
    assert none_shut("stays")


def test_an_isr_below_the_setting_refuses_acks_all_once_the_leader_knows(states):
    """A leader that is busy learns of the controller's decision late: until then it may take writes."""
    states(
        "below_told",
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:08 | 10:10:10 | unknown | below_min_isr
        all  | 10:10:10 | 10:10:20 | closed  | below_min_isr """,
        state=SHUT,
    )


def test_an_isr_that_no_line_of_the_leader_shows_proves_no_refusal(states):
    states(
        "below_untold",
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:08 | 10:10:20 | unknown | below_min_isr """,
        state=SHUT,
    )


def test_a_leader_epoch_that_begins_below_the_setting_refuses_from_the_leaders_start(states):
    """Releases before 2.6 print no ISR as a leader starts."""
    states(
        "below_from_start",
        """
        acks | start_ts     | end_ts | reason
        all  | 10:10:08.200 |        | below_min_isr """,
        state=("closed",),
    )


@pytest.mark.parametrize(
    ("low", "high", "states"), [(30602, 30602, ["closed"]), (30700, 30700, []), (30000, 99999, ["unknown"])]
)
def test_from_3_7_on_the_setting_counts_for_no_more_than_there_are_replicas(low, high, states):
    """A partition of one replica under a setting of 2 takes no acks=all before, and takes it from then on; of a
    release that is not known nobody can tell.
    """
    one_replica = """
        topic  | partition | leader_epoch | leader_id | isr | replicas | min_isr | start_ts
        orders | 0         | 4            | 1         | 1   | 1        | 2       | 10:00:00 """
    words = """
        topic  | partition | node_id | kind         | leader_epoch | isr | ts
        orders | 0         | 1       | leader_start | 4            |     | 10:00:00 """
    release = f"node_id | version_low | version_high\n 1 | {low} | {high}"
    got = below_min_isr(of_partition(ISR_SPANS, one_replica), rows(BROKERS_WORDS, words), cluster(release))
    assert [claim.state for claim in got] == states


def test_a_leader_that_is_cut_off_from_a_member_of_its_isr_keeps_acks_all_waiting(states):
    states(
        "link_to_member",
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:00 | 10:10:01 | unknown | waiting_for_isr_member
        all  | 10:10:01 | 10:10:12 | closed  | waiting_for_isr_member """,
        state=SHUT,
    )


@pytest.mark.parametrize(
    ("case", "sure_until"),
    [
        pytest.param("link_to_member_for_long", "10:10:30", id="no line drops the member: nobody wrote"),
        pytest.param("link_to_member_while_written", "10:11:12", id="the leader tries to drop it and cannot"),
        pytest.param(
            "member_dropped_without_answer", "10:10:40", id="the leader asked once, and no line shows the answer"
        ),
        pytest.param("link_of_a_leader_without_lines", "10:10:30", id="the leader may have dropped it without a line"),
    ],
)
def test_an_idle_partition_would_be_written_once_its_leader_drops_the_member(states, case, sure_until):
    """replica.lag.time.max.ms is 30 s: from 30 s after the last proof of health on, a write waits for the next check."""
    states(
        case,
        f"""
        start_ts | end_ts       | state  | reason
        10:10:01 | {sure_until} | closed | waiting_for_isr_member """,
        "all",
        ("closed",),
    )


def test_a_link_that_does_not_lead_to_a_member_of_the_isr_is_not_missed(none_shut):
    assert none_shut("link_to_another")


def test_a_leader_that_is_cut_off_from_all_its_peers_may_take_acks_1_of_whom_it_reaches(states):
    states(
        "cut_from_peers",
        """
        acks | start_ts | end_ts   | state   | reason
        all  | 10:10:01 | 10:10:12 | closed  | waiting_for_isr_member """,
        "all",
        ("closed",),
    )
    states(
        "cut_from_peers",
        """
        acks | start_ts | end_ts   | state   | reason
        1    | 10:10:00 | 10:10:12 | unknown | leader_cut_off         """,
        "1",
        SHUT,
    )


def test_a_cut_from_zookeeper_took_the_peers_along_where_fetches_fail_a_socket_timeout_after_it(states):
    states(
        "cut_with_peers",
        """
        acks | start_ts | end_ts   | state  | reason                 | fault_id
        all  | 10:10:01 | 10:10:16 | closed | waiting_for_isr_member | cut      """,
        state=("closed",),
    )


def test_a_broker_that_lost_zookeeper_alone_goes_on_fetching(none_shut):
    assert none_shut("cut_alone")


def test_a_follower_that_knew_the_new_leader_epoch_first_backs_off_and_acks_all_waits_for_it(states):
    """So it is after an orderly stop, too: that is why there was a new leader epoch."""
    states(
        "backs_off",
        """
        acks | start_ts     | end_ts       | state   | reason               | fault_id
        all  | 10:10:08     | 10:10:08.100 | unknown | leader_deposed       | stop
        all  | 10:10:08.100 | 10:10:08.120 | unknown | isr_member_backs_off | stop
        all  | 10:10:08.120 | 10:10:09.100 | closed  | isr_member_backs_off | stop
        all  | 10:10:09.100 | 10:10:09.700 | unknown | isr_member_backs_off | stop     """,
        "all",
        SHUT,
    )


@pytest.mark.parametrize(("version", "unsure"), [(20401, 1), (20500, 0)])
def test_before_2_5_no_line_shows_that_a_follower_backs_off_from_a_leader_that_stays(version, unsure):
    led = of_partition(LEADER_EPOCHS, FAILOVER.replace("| 2 ", "| 1 "))
    spans = of_partition(ISR_SPANS, FAILOVER_ISRS.replace("| 2         | 2,3 ", "| 1         | 1,3 "))
    release = f"node_id | version_low | version_high\n 1 | {version} | {version}"
    told = backing_off(tenures(led, []), spans, [], cluster(release))
    assert [(claim.start_ts.second, claim.state, claim.suspects) for claim in told] == [(8, "unknown", [2])] * unsure


@pytest.mark.parametrize(
    ("lines", "until"),
    [
        ("10:10:08.300 | epoch_cache_assigned | 3 | 5 |  | ", "10:10:08.320"),
        ("10:10:08.300 | epoch_cache_assigned | 3 | 4 |  | ", "10:10:09.700"),
        ("10:10:08.300 | epoch_cache_assigned | 2 | 5 |  | ", "10:10:09.700"),
        ("10:10:08.400 | leader_transition_skipped | 2 | 5 |  | 121", "10:10:08.400"),
        ("10:10:08.400 | leader_transition_skipped | 2 | 5 |  | 120", "10:10:09.700"),
        ("10:10:08.400 | follower_start | 3 | 5 |  | 121", "10:10:09.700"),
    ],
    ids=[
        "the first record that the other member fetched",
        "a record of the leader epoch before",
        "the leader's own record",
        "the high watermark passed the start: all members had fetched",
        "the high watermark stands at the start",
        "the high watermark of another broker",
    ],
)
def test_a_supposed_back_off_ends_when_all_members_have_fetched_in_the_leader_epoch(lines, until):
    head = "ts | kind | node_id | leader_epoch | log_end_offset | high_watermark"
    case = Case(**failed_over, events=f"{head}\n10:10:08.200 | leader_start | 2 | 5 | 120 | 118\n{lines}")
    (back_off,) = [row for row in case.available() if row.reason == "isr_member_backs_off"]
    assert f"{back_off.end_ts:%H:%M:%S.%f}"[:12] == until


BEGAN_TO_FOLLOW = "ts | kind | node_id | leader_epoch\n10:10:08.100 | follower_start | 3 | 5\n"


@pytest.mark.parametrize(
    ("version", "lines", "until"),
    [
        (40000, "10:10:09.200 | truncation_by_epoch | 3 | ", "10:10:10.700"),
        (40000, "10:10:08.900 | truncation_by_epoch | 3 | ", "10:10:09.500"),
        (40000, "10:10:09.800 | truncation_by_epoch | 3 | ", "10:10:09.500"),
        (40000, "10:10:09.200 | truncation_by_epoch | 1 | ", "10:10:09.500"),
        (30901, "10:10:09.200 | truncation_by_epoch | 3 | ", "10:10:09.500"),
    ],
    ids=[
        "a member truncates after its back-off, and backs off again",
        "a member that truncates this soon has not backed off",
        "a member that truncates later has fetched meanwhile",
        "a replica outside the ISR truncates",
        "up to 3.9 a back-off that is over stays over",
    ],
)
def test_a_member_that_truncates_after_its_back_off_backs_off_again(version, lines, until):
    words = Case(events=BEGAN_TO_FOLLOW + lines).words()
    led, spans = of_partition(LEADER_EPOCHS, FAILOVER), of_partition(ISR_SPANS, FAILOVER_ISRS)
    release = f"node_id | version_low | version_high\n 1 | {version} | {version}"
    (claim,) = backing_off(tenures(led, words), spans, words, cluster(release))
    assert (claim.state, f"{claim.end_ts:%H:%M:%S.%f}"[:12]) == ("unknown", until)


@for_each(
    ("version", "lines", "until"),
    [
        (30901, "10:10:08.300 | log_truncation_noop | 3 | ", "10:10:08.800"),
        (30901, "10:10:08.300 | log_truncated_to | 3 | ", "10:10:08.800"),
        (30901, "10:10:08.300 | log_truncation_noop | 2 | ", "10:10:09.500"),
        (30901, "10:10:08.290 | truncation_to_hw | 3 | \n10:10:08.300 | log_truncation_noop | 3 | ", "10:10:09.500"),
        (30901, "10:10:07.900 | log_truncation_noop | 3 | ", "10:10:09.500"),
        (40000, "10:10:08.300 | log_truncation_noop | 3 | ", "10:10:09.500"),
    ],
    ids=[
        "the leader answered where the log of the member ends: it fetches next",
        "the same with records to truncate",
        "another replica truncates",
        "a member without a leader epoch asks no leader",
        "a truncation in the leader epoch before",
        "from 4.0 on a truncation can begin another back-off",
    ],
)
def test_a_supposed_back_off_ends_when_the_member_truncates_as_its_leader_asks(version, lines, until):
    words = Case(events=BEGAN_TO_FOLLOW + lines).words()
    led, spans = of_partition(LEADER_EPOCHS, FAILOVER), of_partition(ISR_SPANS, FAILOVER_ISRS)
    release = f"node_id | version_low | version_high\n 1 | {version} | {version}"
    (claim,) = backing_off(tenures(led, words), spans, words, cluster(release))
    assert (claim.state, f"{claim.end_ts:%H:%M:%S.%f}"[:12]) == ("unknown", until)


EPOCH_ROSE = "\n".join(line.replace("| 1 ", "| 2 ") for line in FAILOVER.splitlines())
BEGUN = "ts | kind | node_id | leader_epoch\n10:10:08.{} | leader_start | 2 | 5\n10:10:08.{} | follower_start | 3 | 5\n"
FENCED_3 = "10:10:08.250 | fetch_fenced_epoch | 3 | "


@for_each(
    ("lines", "told"),
    [
        (BEGUN.format(300, 100), [("08.100", "09.800")]),
        (BEGUN.format(300, 100) + "10:10:08.350 | epoch_cache_assigned | 3 | 5", [("08.100", "08.370")]),
        (BEGUN.format(200, 600) + FENCED_3, [("08.200", "10.100")]),
        (BEGUN.format(200, 600), []),
        (BEGUN.format(200, 600) + FENCED_3.replace("| 3 |", "| 1 |"), []),
        (BEGUN.format(300, 100).replace("| 3 |", "| 1 |"), []),
    ],
    ids=[
        "the member begins first: the leader does not know the epoch yet",
        "the member appends a record of the new epoch at once",
        "the leader begins first and fences the member, which learns of the epoch later",
        "the leader begins first, and no line shows that it fenced the member",
        "the leader fences a replica that is not in the ISR",
        "a replica that is not in the ISR begins first",
    ],
)
def test_a_member_may_back_off_where_a_leader_that_stays_begins_its_new_leader_epoch_at_another_time(lines, told):
    spans = FAILOVER_ISRS.replace("4            | 1  ", "4            | 2  ")
    case = Case(leader_epochs=EPOCH_ROSE, isr_spans=spans, events=lines)
    found = [row for row in case.available() if row.reason == "isr_member_backs_off"]
    assert {row.state for row in found} <= {"unknown"}
    assert [(f"{row.start_ts:%S.%f}"[:6], f"{row.end_ts:%S.%f}"[:6]) for row in found] == told


def test_a_process_that_ends_after_it_was_fenced_does_not_keep_acks_all_waiting_until_its_next_start():
    spans = FAILOVER_ISRS.replace("4            | 1  ", "4            | 2  ")
    restarted = """
        fault_id | kind   | broker_id | began_low    | began_high   | ended_low    | ended_high   | end_ts       | ts
        died     | killed | 3         | 10:10:08.300 | 10:10:08.310 | 10:10:08.500 | 10:10:08.500 | 10:10:08.500 | 10:10:08.310 """
    case = Case(leader_epochs=EPOCH_ROSE, isr_spans=spans, events=BEGUN.format(200, 600) + FENCED_3, faults=restarted)
    assert not [row for row in case.available() if row.reason == "isr_member_backs_off"]


def test_a_role_that_is_taken_again_ends_the_back_off(states):
    states(
        "backs_off_until_told",
        """
        start_ts     | end_ts       | reason
        10:10:08.120 | 10:10:08.600 | isr_member_backs_off """,
        "all",
        ("closed",),
    )


def test_who_is_not_in_the_isr_may_back_off_as_long_as_it_likes(available):
    told = [row.state for row in available["backs_off_out_of_isr"] if row.reason == "isr_member_backs_off"]
    assert told == ["unknown"]  # a member of the ISR may have been too early, too


def test_a_fetch_that_was_open_for_long_took_over_nothing_meanwhile(states):
    states(
        "open_fetch",
        """
        acks | start_ts     | end_ts       | state   | reason                 | evidence
        all  | 10:10:02.500 | 10:10:03.020 | unknown | waiting_for_isr_member | e1
        all  | 10:10:03.020 | 10:10:10     | closed  | waiting_for_isr_member | e1       """,
        state=SHUT,
    )


def test_a_fetch_that_was_open_no_longer_than_an_idle_leader_lets_it_wait_proves_nothing():
    short = Case(events=CANCELLED.replace("create_ms=7500", "create_ms=510"))
    assert not any(row.state in SHUT for row in short.available())


def test_an_error_of_a_whole_fetch_response_makes_the_fetcher_back_off_for_its_partitions(states):
    states(
        "refused_fetch",
        """
        acks | start_ts     | end_ts       | state   | reason                 | evidence
        all  | 10:10:04.500 | 10:10:05     | unknown | waiting_for_isr_member | e1
        all  | 10:10:05     | 10:10:06     | closed  | waiting_for_isr_member | e1
        all  | 10:10:06     | 10:10:06.500 | unknown | waiting_for_isr_member | e1       """,
        state=SHUT,
    )


@pytest.mark.parametrize(
    "instead, of",
    [
        pytest.param("fetch_session_error", "fetch_request_error", id="a fetch session that is replaced at once"),
        pytest.param("orders-1=", "orders-0=", id="a fetch of other partitions"),
        pytest.param("leaderId=2", "leaderId=1", id="a fetch from a broker that does not lead the partition"),
    ],
)
def test_a_fetch_error_that_does_not_concern_the_partition_keeps_no_writer_waiting(instead, of):
    assert not any(row.state in SHUT for row in Case(events=REFUSED.replace(of, instead)).available())


def test_a_lost_log_directory_closes_the_partitions_that_its_broker_names(states):
    states(
        "disk_of_it",
        """
        start_ts | end_ts       | reason          | fault_id
        10:10:02 | 10:10:08.200 | log_dir_offline | disk     """,
        "1",
        ("closed",),
    )


@pytest.mark.parametrize(
    "case, may_have_failed_before", [("full_disk", []), ("disk_of_it", ["unknown 10:10:00 to 10:10:02"])]
)
def test_a_disk_may_hang_before_its_first_error_but_a_full_one_rejects_the_first_write(
    available, case, may_have_failed_before
):
    told = [row for row in available[case] if row.acks == "1" and row.fault_id == "disk"]
    before = [f"{row.state} {row.start_ts:%X} to {row.end_ts:%X}" for row in told if row.state == "unknown"]
    assert before == may_have_failed_before
    assert [f"{row.start_ts:%X}" for row in told if row.state == "closed"] == ["10:10:02"]


@pytest.mark.parametrize(
    ("partitions", "unknown_since", "closed_since"),
    [
        ("orders-0,orders-1", "10:10:02.000", "10:10:02.250"),  # of the directory that met the error
        ("orders-1", "10:10:02.700", "10:10:02.900"),  # the other directory, which failed later
    ],
)
def test_a_partition_of_a_failed_directory_is_closed_once_its_broker_says_so(partitions, unknown_since, closed_since):
    """Recorded (3.2.3, full disk): clicks-3 acknowledged 34 ms after the error of another partition of its directory."""
    lines = f"""
        ts           | kind                       | node_id | details
        10:10:02     | log_dir_failed             | 1       | dir=/data1;topic_partition=orders-1
        10:10:02.180 | log_dir_failure_begin      | 1       | dir=/data1
        10:10:02.250 | log_dir_failure_partitions | 1       | dir=/data1.;offline_partitions={partitions}
        10:10:02.700 | log_dir_failed             | 1       | dir=/data2
        10:10:02.900 | log_dir_failure_partitions | 1       | dir=/data2;offline_partitions=orders-0 """
    full = DISK.format(0).replace("log_dir_failed", "disk_full")
    states = [one for one in Case(faults=full, events=lines).available() if one.acks == "1"]
    assert [(row.state, f"{row.start_ts:%T.%f}"[:12]) for row in states[1:]] == [
        ("unknown", unknown_since),
        ("closed", closed_since),
    ]


def test_a_lost_log_directory_closes_no_other_partition(none_shut):
    assert none_shut("disk_of_another", "closed")


def test_a_leader_waits_for_a_replica_that_left_the_isr_while_its_broker_lives(states):
    """As recorded of 3.9.1 (KRaft): the ISRs shrank half a second after a directory failed, acks=all waited for 31 s."""
    states(
        "taken_out",
        """
        acks | start_ts | end_ts   | state   | reason                      | fault_id
        all  | 10:10:00 | 10:10:02 | unknown | waiting_for_isr_member      | disk
        all  | 10:10:02 | 10:10:03 | closed  | waiting_for_isr_member      | disk
        all  | 10:10:03 | 10:10:29 | closed  | waiting_for_dropped_replica | disk
        all  | 10:10:29 | 10:10:33 | unknown | waiting_for_dropped_replica | disk     """,
        state=SHUT,
    )


def test_a_broker_that_stops_meanwhile_may_be_waited_for_no_more(states):
    states(
        "taken_out_and_stopped",
        """
        start_ts | end_ts   | state   | reason
        10:10:02 | 10:10:03 | closed  | waiting_for_isr_member
        10:10:03 | 10:10:20 | closed  | waiting_for_dropped_replica """,
        "all",
        ("closed",),
    )


@pytest.mark.parametrize("case", ["taken_out_in_a_new_epoch", "disk_failed_later", "taken_out_for_lag"])
def test_a_replica_is_waited_for_only_in_its_epoch_after_its_directory_failed_and_until_it_lags(available, case):
    assert not any(row.reason == "waiting_for_dropped_replica" for row in available[case])


@pytest.mark.parametrize("acks", ["all", "1"])
def test_times_of_one_kind_follow_each_other_without_gap_or_overlap(available, acks):
    """Two faults at once, and a topic that ends."""
    times = sorted((row.start_ts, row.end_ts) for row in available["ended_topic"] if row.acks == acks)
    assert len(times) > 2
    assert all(end == start for (_, end), (start, _) in pairwise(times))
    assert (times[0][0].minute, times[-1][1].minute) == (0, 11)


def test_a_leader_waits_for_a_member_until_it_has_applied_the_decision_to_drop_it():
    """The controller decides at 10:10:16; broker 1, which stays the leader, logs that ISR half a second later."""
    case = Case(
        isr_spans="""
        leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
        4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:10:16
        4            | 1         | 1,2   | 1,2,3    | 2       | 10:10:16 |          """,
        faults="""
        fault_id | kind   | broker_id | began_low | began_high   | ts           | end_ts
        died     | killed | 3         | 10:10:00  | 10:10:00.100 | 10:10:00.100 |         """,
        events="""
        ts           | kind                      | node_id | leader_epoch | isr
        10:10:16.200 | leader_transition_skipped | 2       | 4            | 1,2
        10:10:16.550 | leader_transition_skipped | 1       | 4            | 1,2 """,
    )
    waited = [span for span in case.available() if span.acks == "all" and span.state == "closed"]
    same_rows(
        waited,
        AVAILABILITY,
        """
        start_ts     | end_ts       | reason
        10:10:00.100 | 10:10:16.550 | waiting_for_isr_member """,
    )


@pytest.mark.parametrize(
    ("clocks", "sure"),
    [
        ("", ("10:10:01", "10:10:12")),
        ("\n1 | 09:00:00 | | 89900 | 90110 | 90005", ("10:10:01.105", "10:10:11.895")),
        ("\n1 | 09:00:00 | | -90 | 110 | 0", ("10:10:01", "10:10:12")),  # it was not corrected
        ("\n1 | 09:00:00 | 10:09:00 | 89900 | 90110 | 90005", ("10:10:01", "10:10:12")),  # it was right by then
    ],
)
def test_what_the_correction_of_a_clock_leaves_open_is_not_sure(clocks, sure):
    """Stamps of a node that was ahead by 89.9 to 90.11 s may stand 105 ms off."""
    case = Case(
        faults="""
        fault_id | kind   | broker_id | began_low | began_high | ts       | end_ts   | ended_low | ended_high
        froze    | paused | 1         | 10:10:00  | 10:10:01   | 10:10:01 | 10:10:13 | 10:10:12  | 10:10:13 """,
        clocks="node_id | start_ts | end_ts | offset_low_ms | offset_high_ms | correction_ms" + clocks,
    )
    same_rows(
        [span for span in case.available() if span.acks == "1" and span.state == "closed"],
        AVAILABILITY,
        f"""
        start_ts  | end_ts    | reason
        {sure[0]} | {sure[1]} | leader_frozen """,
    )


LATE_ISRS = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
    4            | 2         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:10:16
    5            | 2         | 2,3   | 1,2,3    | 2       | 10:10:16 |          """
LATE_EPOCHS = """
    leader_epoch | leader_id | start_ts | end_ts
    4            | 2         | 10:00:00 | 10:10:16
    5            | 2         | 10:10:16 |          """


@pytest.mark.parametrize(
    ("line", "ends", "unsure_until"),
    [
        ("10:10:31 | leader_start              | 2 | 5 | ", "10:10:31", None),
        ("10:10:31 | broker_become_leader_done | 2 |   | ", "10:10:31", None),
        ("10:10:31 | epoch_cache_assigned      | 2 | 5 | ", "10:10:16", "10:10:31"),
        ("10:10:31 | follower_start            | 3 | 5 | ", "10:10:16", " "),
        ("10:10:31 | leader_start              | 2 | 4 | ", "10:10:16", " "),
    ],
    ids=[
        "its own line",
        "its own line, at TRACE",
        "its first record: it had applied the change by then",
        "a follower's line proves nothing about the leader",
        "a line about the epoch before proves nothing",
    ],
)
def test_a_leader_waits_until_its_own_line_shows_that_it_applied_a_smaller_isr(line, ends, unsure_until):
    """Broker 1 is dead from 10:10:00 to 10:10:40. The controller decided at 10:10:16 that leader 2 goes on without it."""
    events = f"ts | kind | node_id | leader_epoch | isr\n{line}"
    case = Case(leader_epochs=LATE_EPOCHS, isr_spans=LATE_ISRS, faults=DIED, events=events)
    waited = [row for row in case.available() if row.reason == "waiting_for_isr_member"]
    unsure = f"\n10:10:16 | {unsure_until} | unknown" if unsure_until else ""
    same_rows(
        waited,
        AVAILABILITY,
        f"""
        start_ts     | end_ts       | state
        10:10:00     | 10:10:00.100 | unknown
        10:10:00.100 | {ends}       | closed {unsure}""",
    )


@pytest.mark.parametrize(
    ("high_watermark", "unsure_until"), [(700, "10:10:18"), (500, None)], ids=["it has moved", "it stands still"]
)
def test_a_later_high_watermark_shows_that_a_leader_waits_no_longer(high_watermark, unsure_until):
    """Broker 2 asked for the smaller ISR at 10:10:15, and prints no line with which it applies it."""
    events = f"""
        ts       | kind       | node_id | leader_epoch | isr | high_watermark | log_end_offset
        10:10:15 | isr_shrink | 2       |              | 2,3 | 500            | 600
        10:10:18 | isr_shrink | 2       |              | 2   | {high_watermark} | 700 """
    case = Case(leader_epochs=LATE_EPOCHS, isr_spans=LATE_ISRS, faults=DIED.replace("10:10:40", ""), events=events)
    unsure = [row for row in case.available() if row.acks == "all" and row.state == "unknown"]
    ends = [row.end_ts and f"{row.end_ts:%H:%M:%S}" for row in unsure if row.reason == "waiting_for_isr_member"]
    assert ends[-1] == unsure_until


def test_a_leader_that_another_one_follows_waits_for_nobody_though_no_line_shows_what_it_applied():
    """Broker 2 died before it applied the change, and broker 3 leads from 10:10:20 on."""
    then = "\n 6 | 3 | 3 | 1,2,3 | 2 | 10:10:20 | "
    isrs = LATE_ISRS.replace("10:10:16 |          ", "10:10:16 | 10:10:20 ") + then
    epochs = LATE_EPOCHS.replace("10:10:16 |          ", "10:10:16 | 10:10:20 ") + "\n 6 | 3 | 10:10:20 | "
    case = Case(leader_epochs=epochs, isr_spans=isrs, faults=DIED)
    waited = [row.end_ts for row in case.available() if row.reason == "waiting_for_isr_member"]
    assert f"{max(waited):%H:%M:%S}" == "10:10:20"


CUT_OFF = """
    fault_id | node_id | may_lead_on | low_ts   | from_ts  | to_ts    | back_ts
    cut      | 1       | {0}         | 10:10:00 | 10:10:01 | 10:10:40 | 10:10:40 """
RECORDS = """
    topic  | partition | node_id | kind                   | leader_epoch | ts
    orders | 0         | 2       | leader_start           | 5            | 10:10:08.200
    orders | 0         | 3       | broker_metadata_cached | {cached}     | 10:10:31
    orders | 0         | {first} | epoch_cache_assigned   | 5            | 10:10:33
    orders | 0         | 1       | follower_start         | 5            | {learned} """


@for_each(
    ("release", "lives", "given", "isr", "expected"),
    [
        (10002, "true", {}, "1,2,3", "all 08-31 closed, all 31-33 unknown, 1 08-33 unknown"),
        (10002, "true", {"cached": 4}, "1,2,3", "all 08-33 unknown, 1 08-33 unknown"),
        (10002, "true", {}, "1,3", "all 08-33 unknown, 1 08-33 unknown"),
        (10002, "true", {"learned": "10:10:12"}, "1,2,3", "all 08-12 closed, 1 08-12 unknown"),
        (10002, "true", {"first": 3}, "1,2,3", ""),
        (10002, "false", {}, "1,2,3", ""),
        (20001, "true", {}, "1,2,3", ""),
    ],
    ids=[
        "the last leader waits for the new one, and no client can know of that",
        "no line shows when clients could know of the new leader",
        "the new leader was in no ISR of the last one, which does not wait for it",
        "the last leader learned of the new one before that had a record",
        "a follower's first record says nothing about the leader's",
        "the last leader was dead",
        "from 2.0.1 on the line comes without a record",
    ],
)
def test_a_new_leader_without_records_leaves_writers_to_the_last_one(release, lives, given, isr, expected):
    words = rows(BROKERS_WORDS, RECORDS.format(**({"cached": 5, "first": 2, "learned": "10:10:39"} | given)))
    spans = of_partition(
        ISR_SPANS, FAILOVER_ISRS.replace("1,2,3 | 1,2,3    | 2       | 10:00:00", f"{isr} | 1,2,3 | 2 | 10:00:00")
    )
    told = cluster(
        f"node_id | version_low | version_high\n 1 | {release} | {release}\n 0 | 30000 | 40301",
        node_outages=rows(NODE_OUTAGES, CUT_OFF.format(lives)),
        recorded_sessions=rows(BROKER_SESSIONS, "broker_id | start_ts\n 1 | 09:00:00"),
    )
    led = tenures(of_partition(LEADER_EPOCHS, FAILOVER), words)
    found = [
        f"{claim.acks} {claim.start_ts:%S}-{claim.end_ts:%S} {claim.state}"
        for claim in new_leader_without_records(led, spans, words, told)
    ]
    assert ", ".join(found) == expected


GREW = """
    ts           | kind         | node_id | leader_epoch | isr | high_watermark | log_end_offset
    10:00:00     | leader_start | 1       | 4            |     |                | 100
    10:10:08.200 | leader_start | 2       | 5            |     |                | 700
    {0}          | isr_shrink   | {1}     |              | 1   | 700            | {2} """


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        (("10:10:11", 1, 711), []),
        (("10:10:06", 1, 706), [("10:10:06", "10:10:08")]),
        (("10:10:11", 1, 701), [("10:10:00", "10:10:08")]),
        (("10:10:11", 3, 711), [("10:10:00", "10:10:08")]),
    ],
    ids=[
        "its log grew as before",
        "so far as its line shows",
        "one record came in when 11 were due",
        "another broker's log says nothing",
    ],
)
def test_a_leader_whose_log_grew_in_a_cut_took_acks_1(line, unknown):
    """Broker 1 stored a record a second for 10 minutes, and is cut off from its peers from 10:10:00 on."""
    case = Case(**failed_over, faults=CUT.format("cut_from_peers", ""), events=GREW.format(*line))
    found = [
        (f"{row.start_ts:%H:%M:%S}", f"{row.end_ts:%H:%M:%S}")
        for row in case.available()
        if row.acks == "1" and row.reason in ("leader_cut_off", "leader_deposed")
    ]
    merged = [(found[0][0], found[-1][1])] if found else []
    assert merged == unknown


def test_once_a_leader_is_dead_for_good_later_deaths_of_brokers_make_no_claims():
    """Many incidents follow in the logs of a long time. The first of them decides, so their number costs nothing."""
    deaths = "fault_id | kind | broker_id | began_low | began_high | ended_low | ended_high | end_ts | ts"
    made = []
    for count in (1, 40):
        faults = deaths
        for number in range(count):
            at, back = f"10:{number + 10}:00", f"10:{number + 10}:30"
            for broker in (1, 2, 3):
                faults += f"\n f{number}-{broker} | killed | {broker} | {at} | {at} | {back} | {back} | {back} | {at}"
        case = Case(faults=faults)
        led = tenures(of_partition(LEADER_EPOCHS, case.leader_epochs), [])
        made.append(list(every_claim(led, [], of_partition(ISR_SPANS, case.isr_spans), case.cluster())))
    assert made[0] == made[1]
    assert {(claim.reason, claim.state) for claim in made[0] if claim.acks == "1"} == {("leader_dead", "closed")}


@for_each(
    ("version", "lines", "open_from"),
    [
        (20802, "10:10:15.900 | isr_shrink | 2 | 2,3 | 98 | 99", "10:10:46"),
        (20802, "10:10:15.900 | isr_shrink | 2 | 2,3 | 98 | 99\n10:10:30 | isr_shrink | 2 | 2 | 99 | 99", "10:10:30"),
        (20802, "10:10:15.900 | isr_shrink | 2 | 2,3 | 99 | 99", "10:10:16"),
        (20802, "10:10:15.900 | leader_start | 3 | | 98 | 99", "10:10:16"),
        (20600, "10:10:15.900 | isr_shrink | 2 | 2,3 | 98 | 99", "10:10:16"),
        (30000, "10:10:15.900 | isr_shrink | 2 | 2,3 | 98 | 99", "10:10:16"),
    ],
    ids=[
        "no line shows when the high watermark moved: producers retry within 30 s",
        "a later line shows that it had moved",
        "no record waited",
        "the leader did not ask for the change",
        "up to 2.6 the leader itself writes the ISR",
        "from 3.0 on it moves with the change",
    ],
)
def test_the_high_watermark_may_wait_for_an_append_after_the_isr_has_shrunk(version, lines, open_from):
    case = Case(LED_BY_2, DROPPED_AT_16, DIED, f"ts | kind | node_id | isr | high_watermark | log_end_offset\n{lines}")
    release = f"node_id | version_low | version_high\n 1 | {version} | {version}"
    told = [row for row in case.available(release) if row.acks == "all" and row.start_ts >= DROPPED_TS]
    held = [] if open_from == "10:10:16" else [("unknown", "10:10:16")]
    assert [(row.state, f"{row.start_ts:%H:%M:%S}") for row in told] == [*held, ("open", open_from)]
    assert {row.reason for row in told} == ({"waiting_for_next_write", None} if held else {None})


RETURNED = """
    leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
    4            | {leader}  | 1,2,3 | 1,2,3    | 1       | 10:00:00 | {dropped}
    4            | {leader}  | {isr} | 1,2,3    | 1       | {dropped} | 10:10:14
    4            | {leader}  | 1,2,3 | 1,2,3    | 1       | 10:10:14 |          """


@pytest.mark.parametrize(
    ("leader", "isr", "dropped", "until"),
    [
        pytest.param(1, "1", "10:10:13", "10:10:14", id="its followers returned"),
        pytest.param(1, "1", "10:09:59", "10:10:20", id="it may have asked for their return before the cut"),
        pytest.param(1, "1,2", "10:10:13", "10:10:20", id="one of them had not left the ISR"),
        pytest.param(2, "2,3", "10:10:05", "10:10:05", id="its return to a leader begins no other wait"),
    ],
)
def test_a_cut_is_over_for_a_leader_once_the_followers_that_it_had_dropped_are_back(leader, isr, dropped, until):
    """Broker 1 is cut off from 10:10:01 to 10:10:12 for certain, and perhaps to 10:10:20. Only a follower that fetches
    returns to an ISR.
    """
    case = Case(
        leader_epochs=f"leader_epoch | leader_id | start_ts | end_ts\n4 | {leader} | 10:00:00 | ",
        isr_spans=RETURNED.format(leader=leader, isr=isr, dropped=dropped),
        faults=CUT.format("cut_from_peers", "").replace(
            "10:10:12  | 10:10:12   | 10:10:12", "10:10:12 | 10:10:20 | 10:10:12"
        ),
    )
    shut = [row for row in case.available() if row.state != "open"]
    assert f"{max(row.end_ts for row in shut):%H:%M:%S}" == until


LED_BY_THE_DEAD = """
    leader_epoch | leader_id | start_ts | end_ts   | begun_before
    4            | 1         | 10:10:08 | 10:10:09 | true
    5            | 2         | 10:10:09 |          |              """


@pytest.mark.parametrize(("low", "from_ts"), [("10:10:00", "10:10:00"), ("", "10:10:00.100")])
def test_the_leader_that_the_first_line_names_was_dead_before_it(low, from_ts):
    """As in a rotated log of 4.1.1: the first line about the partition is that of the successor, which names the dead leader. Writes
    may have been blocked since the death; since when the dead broker led is not known.
    """
    case = Case(
        leader_epochs=LED_BY_THE_DEAD,
        isr_spans="leader_epoch | leader_id | isr | replicas | min_isr | start_ts\n5 | 2 | 2,3 | 1,2,3 | 2 | 10:10:09",
        faults=DIED.replace("| 10:10:00  |", f"| {low:9} |"),
        events=STARTS,
    )
    found = [row for row in case.available() if row.acks == "1"]
    same_rows(
        found[:2],
        AVAILABILITY,
        f"""
        start_ts  | end_ts   | state   | reason
        {from_ts} | 10:10:08 | unknown | leader_dead
        10:10:08  | 10:10:09 | closed  | leader_dead """,
    )
    spans = list(_blocked(found, case.cluster(), {found[1].start_ts}))
    assert [bool(span.begun_before) for span in spans[:2]] == [False, not low]


FOLLOWS_ITS_SUCCESSOR = """
    ts           | kind           | node_id | leader_epoch
    10:10:08.200 | leader_start   | 2       | 5
    10:10:08.300 | follower_start | 3       | 5            """


@pytest.mark.parametrize("begins", ["10:10:05", "10:10:08.100"])
def test_a_log_of_roles_without_a_line_about_the_partition_shows_who_led_since_it_begins(begins):
    """Broker 3 prints the roles that it takes: it followed the dead leader since its log begins."""
    roles = f"node_id | log | start_ts | end_ts | roles | complete\n3 | state_change | {begins} | 23:59:59 | 1 | true"
    case = Case(
        leader_epochs=LED_BY_THE_DEAD,
        isr_spans="leader_epoch | leader_id | isr | replicas | min_isr | start_ts\n5 | 2 | 2,3 | 1,2,3 | 2 | 10:10:09",
        faults=DIED,
        events=FOLLOWS_ITS_SUCCESSOR,
        coverage=roles + f"\n3 | server | {begins} | 23:59:59 | 0 | true",
    )
    found = [(str(row.start_ts.time()), row.state) for row in case.available() if row.acks == "1"]
    assert found[0] == ("10:10:00", "unknown")
    assert (("10:10:05", "closed") in found) == (begins == "10:10:05")


def test_a_leader_that_died_after_the_first_line_about_its_leader_epoch_was_not_dead_before():
    case = Case(
        leader_epochs=LED_BY_THE_DEAD.replace(
            "4            | 1         | 10:10:08", "4            | 1         | 10:09:00"
        ),
        faults=DIED,
    )
    assert (
        min(row.start_ts for row in case.available())
        == rows(LEADER_EPOCHS, LED_BY_THE_DEAD.replace("10:10:08", "10:09:00"))[0].start_ts
    )
