"""What an incident cost (facts §7): one history of several incidents, measured once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import time

import pytest

from replay.availability.times_without_leader import times_of_partition
from replay.causes.happenings import deletions
from replay.causes.incident_metrics import incidents
from replay.causes.incidents import Incidents
from replay.causes.partition_times import _new_epochs, merge_partition_times, partition_times
from replay.closing.known import NOTHING_KNOWN
from replay.tables import INCIDENTS
from replay.tables.availability import INCIDENT_HARM, TOPIC_DOWN
from replay.tables.brokers import CONTROLLERS
from replay.tables.causes import (
    CONCLUSIONS,
    LEADERSHIP_AT_LAST,
    PARTITION_TIMES,
    ROOT_SPANS,
    ROOTS,
    TIMES_WITHOUT_LEADER,
    VERTICES,
)
from replay.tables.faults import FAULTS
from replay.tables.losses import PLACED_LOSSES
from replay.tables.partitions import COMMITTED_ISRS, ELECTIONS, ISR_SHRINKS, LEADER_EPOCHS
from replay.tables.row import Row
from replay.tables.table import STRING
from tests.availability.frames import Case
from tests.causes.frames import effects_of, open_losses_of
from tests.closing.given import known
from tests.tables import rows, same_rows, table_of_test

# death: orders has three replicas and min.insync.replicas 2, of clicks neither is known. calm: nothing happens to any partition.
# storm: a leader epoch of which no line names the leader before. open: still going on at the end of the logs.

ROOTED = """
    root_id | kind    | code | broker_id | ts       | end_ts   | incident_id
    kill    | killed  | F01  | 1         | 10:00:00 | 10:01:00 | death
    pause   | paused  | F04  | 2         | 11:00:00 | 11:01:00 | calm
    stop    | stopped | F02  | 1         | 12:00:00 | 12:01:00 | storm
    kill-2  | killed  | F01  | 2         | 13:00:00 | 13:01:00 | open """
FOUND = """
    fault_id | kind           | broker_id | began_low | ts           | end_ts | began_high   | ended_high
    kill     | killed         | 1         | 09:59:58  | 10:00:00.500 | 10:01:00 | 10:00:00.500 | 10:01:00
    stop-9   | stopped        | 9         |           | 09:59:59     | 10:00:30 | 09:59:59     | 10:00:30
    pause    | paused         | 2         |           | 11:00:00     | 11:00:10 | 11:00:00     | 11:00:10
    pause-b  | paused         | 2         |           | 11:00:20     | 11:00:30 | 11:00:20     | 11:00:30
    pause-c  | paused         | 2         |           | 11:00:40     | 11:00:50 | 11:00:40     | 11:00:50
    stop     | stopped        | 1         |           | 12:00:00     | 12:01:00 | 12:00:00     | 12:01:00
    kill-2   | killed         | 2         | 12:59:00  | 13:00:00     | 13:00:20 | 13:00:00     | 13:00:20
    kill-3   | killed         | 3         |           | 13:00:10     | 13:01:00 | 13:00:10     | 13:01:00
    kill-1   | killed         | 1         |           | 13:00:20     | 13:01:00 | 13:00:20     | 13:01:00
    kill-2b  | killed         | 2         |           | 13:00:30     | 13:01:00 | 13:00:30     | 13:01:00
    disk     | log_dir_failed | 3         |           | 13:00:05     | 13:01:00 | 13:00:05     | 13:01:00
    slow     | slow_follower  | 3         |           | 13:00:06     | 13:01:00 | 13:00:06     | 13:01:00
    quorum   | quorum_lost    |           |           | 13:00:15     | 13:01:00 | 13:00:15     | 13:01:00 """
CONCLUDED = """
    finding_id | incident_id | code | role       | severity | title                              | broker_ids | is_broker | start_ts     | began_low | began_high   | end_ts
    kill       | death       | F01  | root_cause | high     | Broker 1 crashed or was killed     | 1          | true      | 10:00:00.500 | 09:59:58  | 10:00:00.500 |
    loss       | death       | F16  | effect     | critical | 35 committed offsets lost          | 1          |           | 10:00:10     |           |              |
    stop-9     | death       | F02  | benign     | info     | Broker 9 was shut down cleanly     | 9          | true      | 09:59:59     | 09:59:59  | 09:59:59     |
    pause      | calm        | F04  | root_cause | medium   | Broker 2 froze                     | 2          | true      | 11:00:00     |           | 11:00:00     |
    pause-b    | calm        | F04  | root_cause | medium   | Broker 2 froze                     | 2          | true      | 11:00:20     |           | 11:00:20     |
    pause-c    | calm        | F04  | root_cause | medium   | Broker 2 froze                     | 2          | true      | 11:00:40     |           | 11:00:40     | 11:01:00
    stop       | storm       | F02  | root_cause | low      | Broker 1 was shut down cleanly     | 1          | true      | 12:00:00     | 12:00:00  | 12:00:00     | 12:01:00
    kill-2     | open        | F01  | root_cause | high     | Broker 2 crashed or was killed     | 2          | true      | 13:00:00     | 12:59:00  | 13:00:00     |
    kill-3     | open        | F01  | root_cause | high     | Broker 3 crashed or was killed     | 3          | true      | 13:00:10     |           | 13:00:10     |
    kill-1     | open        | F01  | root_cause | high     | Broker 1 crashed or was killed     | 1          | true      | 13:00:20     |           | 13:00:20     | 13:01:00
    kill-2b    | open        | F01  | root_cause | high     | Broker 2 crashed or was killed     | 2          | true      | 13:00:30     |           | 13:00:30     |
    disk       | open        | F14  | root_cause | high     | Broker 3 lost a log directory      | 3          | true      | 13:00:05     |           | 13:00:05     |
    slow       | open        | F13  | root_cause | medium   | Broker 3 fell behind as a follower | 3          | true      | 13:00:06     |           | 13:00:06     |
    quorum     | open        | F11  | effect     | high     | Metadata quorum lost               | []         |           | 13:00:15     |           | 13:00:15     |
    elsewhere  |             | F00  | effect     | medium   | Leaders changed                    | []         |           | 15:00:00     |           |              |          """
HAPPENED = """
    id                    | kind              | ts           | topic  | partition | incident_id | end_ts
    detected              | detected          | 10:00:06.500 |        |           | death       |
    controller/8          | controller_change | 10:00:09     |        |           | death       |
    leaderless/orders-0/5 | leaderless        | 10:00:07     | orders | 0         | death       | 10:00:12
    election/orders-0/6   | unclean_election  | 10:00:12     | orders | 0         | death       |
    election/orders-1/6   | election          | 10:00:07     | orders | 1         | death       |
    election/orders-1/7   | election          | 10:00:50     | orders | 1         | death       |
    election/orders-0/7   | election          | 10:00:55     | orders | 0         | death       |
    shrink-1              | isr_shrink        | 10:00:05     | orders | 0         | death       |
    shrink-2              | isr_shrink        | 10:00:10     | orders | 0         | death       |
    shrink-3              | isr_shrink        | 10:00:14     | clicks | 0         | death       |
    shrink-4              | isr_shrink        | 13:00:05     | orders | 0         | open        |
    leaderless/orders-0/9 | leaderless        | 13:00:10     | orders | 0         | open        |
    elsewhere             | election          | 15:00:00     | clicks | 0         |            |  """
RULED = """
    mode | controller_id | controller_epoch | start_ts | ready_ts     | end_ts
    zk   | 1             | 7                | 09:00:00 | 09:00:01     | 10:00:09
    zk   | 3             | 8                | 10:00:09 | 10:00:09.500 |          """
DOWN = """
    incident_id | topic  | what     | low_ms | high_ms | lows_ms   | highs_ms  | partitions        | is_open | may_partitions
    death       | orders | acks_all | 5000   | 6500    | 4800,4900 | 6000,6500 | orders-0,orders-5 | false | orders-0,orders-5
    death       | orders | reads    | 5000   | 6500    | 5000      | 6500      | orders-0          | false | orders-0
    death       | clicks | acks_all | 0      | 1500    | 0         | 1500      | []                | false | clicks-0
    open        | orders | acks_all | 50000  | 50000   | 50000     | 50000     | orders-0          | true | orders-0"""
EPOCHS = """
    topic  | partition | leader_epoch | leader_id | last_leader_id | reason     | start_ts | end_ts
    orders | 0         | 5            | -1        | 1              | leaderless | 10:00:07 | 10:00:12
    orders | 0         | 6            | 2         | 1              | election   | 10:00:12 | 10:00:20
    orders | 0         | 7            | 2         | 2              | isr_change | 10:00:20 | 13:00:10
    orders | 1         | 5            | 1         | 1              | isr_change | 09:00:00 | 10:00:30
    orders | 0         | 9            | -1        | 1              | leaderless | 13:00:10 |
    clicks | 4         | 3            | 2         |                |            | 12:00:10 |
    clicks | 5         | 0            | 2         |                | created    | 12:00:10 |           """
MOVED = """
    topic  | partition | leader_epoch | ts       | old_leader_id | new_leader_id | elected_from | trigger
    orders | 0         | 6            | 10:00:12 | 1             | 2             | any_replica  | broker_failure
    orders | 1         | 6            | 10:00:07 | 1             | 3             | isr          | broker_failure
    orders | 1         | 7            | 10:00:50 | 3             | 1             | isr          | preferred
    orders | 0         | 7            | 10:00:55 | 2             | 2             | isr          | unknown
    clicks | 0         | 7            | 15:00:00 | 2             | 3             | any_replica  | unknown        """
SYNCED = """
    topic  | partition | leader_epoch | state_order | leader_id | isr   | replicas | ts       | start_ts | end_ts
    orders | 0         | 4            | 1           | 1         | 1,2,3 | 1,2,3    | 09:00:00 | 09:00:00 | 10:00:05
    orders | 0         | 4            | 2           | 1         | 1,3   | 1,2,3    | 10:00:05 | 10:00:05 | 10:00:10
    orders | 0         | 4            | 3           | 1         | 1     | 1,2,3    | 10:00:10 | 10:00:10 | 10:00:12
    orders | 0         | 6            | 4           | 2         | 2     | 1,2,3    | 10:00:12 | 10:00:12 | 10:00:20
    orders | 0         | 7            | 5           | 2         | 1,2   | 1,2,3    | 10:00:20 | 10:00:20 | 10:01:10
    orders | 0         | 7            | 6           | 2         | 2,1   | 1,2,3    | 10:01:10 | 10:01:10 | 10:01:30
    orders | 0         | 8            | 7           | 1         | 1,2,3 | 1,2,3    | 10:01:30 | 10:01:30 | 13:00:05
    orders | 0         | 8            | 8           | 1         | 1     | 1,2,3    | 13:00:05 | 13:00:05 |
    orders | 1         | 5            | 1           | 1         | 1     | 1        | 10:00:08 | 10:00:08 | 11:30:00
    clicks | 0         | 6            | 1           | 2         | 2,3   |          | 10:00:10 | 10:00:10 | 10:00:14
    clicks | 0         | 6            | 2           | 2         | 2     |          | 10:00:14 | 10:00:14 | 10:00:15 """
SHRUNK = """
    id       | topic  | partition | leader_epoch | state_order
    shrink-1 | orders | 0         | 4            | 2
    shrink-2 | orders | 0         | 4            | 3
    shrink-3 | clicks | 0         | 6            | 2
    shrink-4 | orders | 0         | 8            | 8           """
LOST = """
    topic  | partition | leader_epoch | ts       | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | incident_id
    orders | 0         | 6            | 10:00:12 | committed      | PROVEN_LOSS                   | 135         | 170           | 170 | death
    orders | 1         | 6            | 10:00:07 | committed      | POSSIBLE_LOSS                 | 20          |               | 25 | death
    orders | 1         | 6            | 10:00:07 | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 20          |               | | death
    orders | 1         | 6            | 10:00:07 | acked_possible | POSSIBLE_LOSS                 | 25          |               | 29 | death
    orders | 3         | 6            | 13:00:30 | committed      | PROVEN_LOSS                   | 10          | 11            | | open
    orders | 4         | 6            | 13:00:30 | committed      | UNDETERMINED                  | 10          |               | | open
    orders | 4         | 7            | 13:00:30 | acked_possible | UNDETERMINED                  | 10          |               | | open
    orders | 9         | 7            | 15:00:00 | committed      | PROVEN_LOSS                   | 10          | 99            | 99 |              """
TIMES = """
    incident_id | leader_epoch_bumps | leaders_untold | under_replicated_ms | full_ts  | short_at_last
    death       | 1                  | 0              | 85000               | 10:01:30 | 0
    calm        |                    |                |                     |          |
    storm       | 0                  | 1              |                     |          |
    open        |                    |                | 55000               |          | 1 """
HARMED = """
    incident_id | blocked_all_min_ms | leaderless_ms | under_min_isr_ms | single_copy_ms
    death       | 12000              | 5000          | 10000            | 5403000
    calm        | 0                  | 0             | 0                | 0
    storm       | 0                  | 0             | 0                | 0
    open        | 55000              | 50000         | 55000            | 55000          """


def measured_of(
    found,
    spans,
    concluded,
    vertices="id",
    elections="ts",
    losses="ts",
    times="incident_id",
    harm="incident_id",
    down="incident_id",
    controllers="controller_id",
    led="leader_id",
    roots="id",
    facts=NOTHING_KNOWN,
):
    """The incidents of these tables; an epoch's end stands in its vertex."""
    happened, lost = rows(VERTICES, vertices), rows(PLACED_LOSSES, losses)
    return incidents(
        rows(TITLED, concluded),
        rows(TITLED, concluded),
        rows(ROOT_SPANS, spans),
        effects_of(happened, rows(ROOTS, roots), rows(ELECTIONS, elections)),
        open_losses_of(lost, happened),
        rows(FAULTS, found),
        rows(PARTITION_TIMES, times),
        rows(INCIDENT_HARM, harm),
        rows(TOPIC_DOWN, down),
        rows(CONTROLLERS, controllers),
        [],
        [],
        [],
        leadership_at_last=rows(LEADERSHIP_AT_LAST, led),
        known_facts=facts,
    )


TITLED = table_of_test("titled", {"title": STRING}, extends=CONCLUSIONS)


@pytest.fixture(scope="module")
def measured():
    return measured_of(FOUND, ROOTED, CONCLUDED, HAPPENED, MOVED, LOST, TIMES, HARMED, DOWN, RULED)


def unserved_of(epochs: str, faults: str) -> list[Row]:
    """The times in which nobody served the partitions of these leader epochs."""
    found, of_partition = rows(FAULTS, faults), defaultdict(list)
    for epoch in rows(LEADER_EPOCHS, epochs):
        of_partition[epoch.topic, epoch.partition].append(epoch.but(life=epoch.life or 0))
    case = Case(faults=faults)
    return [
        span
        for own in of_partition.values()
        for span in times_of_partition(own, deletions(found), case.words(), case.cluster())
    ]


def times_of(
    epochs: str, isrs: str, shrinks: str, without_leader: Iterable[Row], spans: str, vertices: str
) -> list[Row]:
    """What partitions went through, by incident: made for each partition, and added up."""
    of_partition = defaultdict(lambda: ([], [], [], []))
    given = (
        rows(LEADER_EPOCHS, epochs),
        without_leader,
        rows(COMMITTED_ISRS, isrs),
        rows(ISR_SHRINKS, shrinks),
    )
    for place, told in enumerate(given):
        for row in told:
            of_partition[row.topic, row.partition][place].append(row.but(life=row.life or 0))
    index, happened = Incidents(rows(ROOT_SPANS, spans)), rows(VERTICES, vertices)
    return merge_partition_times(one for own in of_partition.values() for one in partition_times(*own, happened, index))


@pytest.fixture(scope="module")
def times():
    return times_of(EPOCHS, SYNCED, SHRUNK, unserved_of(EPOCHS, FOUND), ROOTED, HAPPENED)


def test_an_incident_begins_with_its_first_root_and_is_as_grave_as_the_worst_of_it(measured):
    """Routine work before it is not what it began with."""
    same_rows(
        measured,
        INCIDENTS,
        """
        incident_id | root_finding_id | severity | start_ts | end_ts   | t0_low   | t0_high
        death       | kill            | critical | 09:59:58 | 10:01:30 | 09:59:58 | 10:00:00.500
        calm        | pause           | medium   | 11:00:00 | 11:01:00 |          | 11:00:00
        storm       | stop            | low      | 12:00:00 | 12:01:00 | 12:00:00 | 12:00:00
        open        | kill-2          | high     | 12:59:00 | 13:01:00 | 12:59:00 | 13:00:00     """,
    )


def test_the_end_of_a_process_is_over_when_its_broker_is_back_and_its_isrs_are_full():
    """As recorded of 3.9.1: cut off, the broker had left its ISRs; it was killed, and started again. Its first line is not the end
    of that: the controller unfences it later, and the ISRs that the cut had shrunk are full after that.
    """
    found = """
        fault_id | kind                 | broker_id | began_low | ts       | began_high | end_ts   | ended_high
        cut      | cut_from_controllers | 3         | 10:00:07  | 10:00:08 | 10:00:08   | 10:00:53 | 10:00:53
        kill     | killed               | 3         | 10:00:38  | 10:00:48 | 10:00:48   | 10:00:48 | 10:00:48 """
    spans = """
        root_id | kind                 | code | broker_id | ts       | end_ts   | incident_id
        cut     | cut_from_controllers | F06  | 3         | 10:00:08 | 10:00:53 | first
        kill    | killed               | F01  | 3         | 10:00:48 | 10:00:48 | second """
    concluded = """
        finding_id | incident_id | code | role       | severity | title                | broker_ids | start_ts | began_low | began_high | end_ts
        cut        | first       | F06  | root_cause | high     | Broker 3 was cut off | 3          | 10:00:08 | 10:00:07  | 10:00:08   | 10:00:53
        kill       | second      | F01  | root_cause | medium   | Broker 3 crashed     | 3          | 10:00:48 | 10:00:38  | 10:00:48   | 10:00:48 """
    full = "incident_id | full_ts | under_replicated_ms\n first | {} | 40000"
    sessions = """
        broker_id | start_ts | live_ts  | end_ts
        3         | 09:00:00 | 09:00:01 | 10:00:16
        3         | 10:00:52 | 10:00:53 |
        3         | 11:00:00 | 11:00:01 |          """
    processes = "node_id | start_ts\n 3 | 09:00:00\n 3 | {}\n 3 | 10:59:00"
    expected = "incident_id | end_ts | lasted_low_ms | lasted_high_ms\n second | {} | {} | {}"
    for full_ts, started, end in (
        ("10:00:54", "10:00:48", "10:00:54 | 6000 | 16000"),
        ("10:00:50", "10:00:48", "10:00:53 | 5000 | 15000"),
        ("10:00:54", "10:00:47", "10:00:48 | 0 | 10000"),  # no session is known to be of the process that started then
    ):
        facts = known(sessions=sessions, processes=processes.format(started))
        measured = measured_of(found, spans, concluded, times=full.format(full_ts), facts=facts)
        same_rows(
            [row for row in measured if row.incident_id == "second"], INCIDENTS, expected.format(*end.split(" | "))
        )


@pytest.mark.parametrize(
    ("last", "regained", "missing"),
    [("1,2,3", time(10, 0, 40), 0), ("1,2", None, 1)],
    ids=["all members are back", "one is not"],
)
def test_isrs_that_shrank_have_their_members_again_though_no_line_shows_the_replicas(last, regained, missing):
    isrs = f"""
        topic  | partition | leader_epoch | state_order | leader_id | isr    | start_ts | end_ts
        orders | 0         | 0            | 1           | 1         | 1,2,3  | 10:00:00 | 10:00:20
        orders | 0         | 0            | 2           | 1         | 1      | 10:00:20 | 10:00:30
        orders | 0         | 0            | 3           | 1         | 1,3    | 10:00:30 | 10:00:40
        orders | 0         | 0            | 4           | 1         | {last} | 10:00:40 | """
    shrinks = """
        topic  | partition | leader_epoch | state_order | isr | isr_was | id
        orders | 0         | 0            | 2           | 1   | 1,2,3   | shrink"""
    spans = """
        root_id | kind | ts       | end_ts   | incident_id
        cut     | cut  | 10:00:10 | 10:01:00 | first """
    [row] = times_of("topic", isrs, shrinks, [], spans, "id | incident_id\n shrink | first")
    assert (row.regained_ts and row.regained_ts.time(), row.not_regained) == (regained, missing)


def test_what_may_have_been_without_a_leader_holds_what_surely_was():
    """A death is dated only when the next process misses it: it may have begun long before its incident does (recorded: all brokers
    killed at once). What may belong to two incidents is cut where the later one surely begins."""
    spans = """
        root_id | kind   | ts       | end_ts   | incident_id
        kill    | killed | 10:00:30 | 10:01:00 | first
        kill-2  | killed | 10:10:00 | 10:11:00 | second """
    without_leader = """
        topic  | partition | life | bound | start_ts | end_ts
        orders | 0         | 0    | most  | 10:00:00 | 10:11:00
        orders | 0         | 0    | least | 10:00:30 | 10:00:50
        orders | 0         | 0    | least | 10:10:00 | 10:10:40 """
    index = Incidents(rows(ROOT_SPANS, spans))
    same_rows(
        partition_times([], rows(TIMES_WITHOUT_LEADER, without_leader), [], [], [], index),
        PARTITION_TIMES,
        """
        incident_id | unserved_min_ms | unserved_max_ms
        first       | 20000           | 600000
        second      | 40000           | 60000           """,
    )


def test_a_title_says_what_happened_to_whom_and_how_often(measured):
    same_rows(
        measured,
        INCIDENTS,
        """
        incident_id | title
        death       | Broker 1 crashed or was killed
        calm        | Broker 2 froze; 3 times in all
        storm       | Broker 1 was shut down cleanly
        open        | Broker 2 crashed or was killed; then brokers 3 and 1; 4 times in all; broker 3 lost a log directory; 1 other fault; the metadata quorum was lost """,
    )


def test_elections_are_changes_of_leader_and_bumps_keep_theirs(measured):
    """Elections of other incidents are not counted, nor the epoch that began before the incident; the first leader that is told
    of a partition may have been its leader before. That a preferred leader comes back is no harm; a partition that took no
    writes is affected though nothing of it changed."""
    same_rows(
        measured,
        INCIDENTS,
        """
        incident_id | elections | leaders_untold | unclean_elections | preferred_elections | leader_epoch_bumps | partitions_affected
        death       | 2         | 0              | 1                 | 1                   | 1                  | 4
        calm        | 0         | 0              | 0                 | 0                   | 0                  | 0
        storm       | 0         | 1              | 0                 | 0                   | 0                  | 0
        open        | 0         | 0              | 0                 | 0                   | 0                  | 1                   """,
    )


def test_times_are_counted_from_the_latest_begin_and_from_the_earliest(measured):
    """Preferred leaders that take over relieve leaders that are there; what never lost a leader tells no such time. Faults that
    began one after the other: from the last that had begun by then, and from the first. Without a proof of health before it
    nobody knows how long one lasted at most, nor where it is not over."""
    same_rows(
        measured,
        INCIDENTS,
        """
        incident_id | leaders_low_ms | leaders_high_ms | detected_low_ms | detected_high_ms | no_controller_low_ms | no_controller_high_ms | lasted_low_ms | lasted_high_ms
        death       | 54500          | 57000           | 6000            | 8500             | 8500                 | 11000                 | 89500         | 92000
        calm        |                |                 |                 |                  | 0                    | 0                     | 60000         |
        storm       |                |                 |                 |                  | 0                    | 0                     | 60000         | 60000
        open        |                |                 |                 |                  | 0                    | 0                     | 60000         |                """,
    )


def test_an_incident_lasts_from_its_first_harm_even_if_that_came_before_its_first_fault():
    """A stop that only contributed ended a session at 10:00:08 and refused writes from 10:00:09 on; the broker died between
    10:00:40 and 10:00:42, its session ended at 10:00:50."""
    (told,) = measured_of(
        "fault_id | kind | broker_id | began_high | ts | ended_high\n dead | killed | 3 | 10:00:42 | 10:00:42 | 10:01:30",
        "root_id | kind | ts | end_ts | incident_id\n dead | killed | 10:00:42 | 10:01:30 | death",
        """
        finding_id | incident_id | code | role       | severity | title                          | start_ts | end_ts   | began_low | began_high | is_broker | broker_ids
        dead       | death       | F01  | root_cause | high     | Broker 3 crashed or was killed | 10:00:42 | 10:01:30 | 10:00:40  | 10:00:42   | true      | 3
        refused    | death       | F20  | effect     | high     | Writes were refused            | 10:00:09 | 10:01:49 |           |            |           | 3 """,
        """
        id    | kind     | ts       | incident_id
        stop  | detected | 10:00:08 | death
        death | detected | 10:00:50 | death """,
    )
    assert (told.start_ts.second, told.lasted_low_ms, told.lasted_high_ms) == (9, 100_000, 100_000)
    assert (told.detected_low_ms, told.detected_high_ms) == (8_000, 10_000)


def test_what_begins_before_its_first_line_has_no_upper_bounds():
    (told,) = measured_of(
        "fault_id | kind | broker_id | began_high | ts | ended_high\n dead | killed | 3 | 10:00:42 | 10:00:42 | 10:01:30",
        "root_id | kind | ts | end_ts | incident_id\n dead | killed | 10:00:42 | 10:01:30 | death",
        """
        finding_id | incident_id | code | role       | severity | title                          | start_ts | end_ts   | began_low | began_high | is_broker | broker_ids
        dead       | death       | F01  | root_cause | high     | Broker 3 crashed or was killed | 10:00:42 | 10:01:30 |           | 10:00:42   | true      | 3 """,
        "id | kind | ts | incident_id\n ended | detected | 10:00:50 | death",
        roots="id | root_ids\n ended | dead",
    )
    assert (told.detected_low_ms, told.detected_high_ms) == (8_000, None)


@pytest.mark.parametrize(
    "roots, detected", [("stop", (None, None)), ("disk", (31_000, 37_000)), ("disk,stop", (31_000, 37_000))]
)
def test_a_session_that_an_ordered_stop_ended_does_not_detect_the_fault_before_it(roots, detected):
    (told,) = measured_of(
        """
        fault_id | kind      | broker_id | began_high | ts       | ended_high
        disk     | disk_full | 1         | 10:00:06   | 10:00:06 | 10:01:00
        stop     | stopped   | 1         | 10:00:36   | 10:00:36 | 10:01:00 """,
        """
        root_id | kind      | ts       | end_ts   | incident_id
        disk    | disk_full | 10:00:06 | 10:01:00 | full
        stop    | stopped   | 10:00:36 | 10:01:00 | full """,
        """
        finding_id | incident_id | code | role       | severity | title                         | start_ts | end_ts   | began_low | began_high | is_broker | broker_ids
        disk       | full        | F15  | root_cause | medium   | Broker 1 ran out of disk space | 10:00:06 | 10:01:00 | 10:00:00 | 10:00:06   | true      | 1
        stop       | full        | F02  | benign     | low      | Broker 1 was shut down         | 10:00:36 | 10:01:00 |          | 10:00:36   | true      | 1 """,
        "id | kind | ts | incident_id\n ended | detected | 10:00:37 | full",
        roots=f"id | root_ids\n ended | {roots}",
    )
    assert (told.detected_low_ms, told.detected_high_ms) == detected


def test_who_leads_instead_of_preferred_replicas_leads_all_if_no_other_leads_in_the_cluster():
    (row,) = measured_of(
        "fault_id | kind | broker_id | began_high | ts | ended_high\n dead | killed | 1 | 10:00:42 | 10:00:42 | 10:01:30",
        "root_id | kind | ts | end_ts | incident_id\n dead | killed | 10:00:42 | 10:01:30 | death",
        """
        finding_id | incident_id | code | role       | severity | title                          | start_ts | broker_ids
        dead       | death       | F01  | root_cause | high     | Broker 1 crashed or was killed | 10:00:42 | 1 """,
        led="""
        incident_id | leader_id | led | away | partitions
                    | 2         | 3   | 0    | []
        death       | 2         | 0   | 2    | orders-0,orders-1 """,
    )
    assert "broker 2 leads them instead; broker 2 leads all 3 partitions" in " ".join(row.afterwards)


def test_isrs_are_measured_against_replicas_where_they_are_known(times):
    """Each span whole, for the incident whose shrink it follows from. orders-1 has one replica: it is complete with one."""
    same_rows(
        [row for row in times if row.incident_id in ("death", "open")],
        PARTITION_TIMES,
        """
        incident_id | under_replicated_ms
        death       | 85000
        open        | 55000               """,
    )


def test_the_harm_of_an_incident_stands_in_its_row(measured):
    same_rows(measured, INCIDENTS, HARMED)


def test_isrs_are_full_when_the_last_is_even_after_the_incident(measured):
    same_rows(
        measured,
        INCIDENTS,
        """
        incident_id | isr_full_low_ms | isr_full_high_ms | end_ts
        death       | 89500           | 92000            | 10:01:30
        calm        |                 |                  | 11:01:00
        storm       |                 |                  | 12:01:00
        open        |                 |                  | 13:01:00 """,
    )


def test_losses_are_summed_and_an_unknown_end_makes_the_sum_unknown(measured):
    """A verdict that nothing is gone adds nothing, whatever its range; one that nobody can give leaves the sum unknown."""
    same_rows(
        measured,
        INCIDENTS,
        """
        incident_id | lost_offsets_min | lost_offsets_max | acked_possible_min | acked_possible_max | undetermined
        death       | 35               | 40               | 4                  | 4                  | 0
        calm        | 0                | 0                | 0                  | 0                  | 0
        storm       | 0                | 0                | 0                  | 0                  | 0
        open        | 1                |                  | 0                  |                    | 2            """,
    )


def test_what_an_incident_of_unknown_root_cost_is_reported_as_far_as_it_is_known():
    """Nodes that died at the same time are named together, whoever's lines come first."""
    told = measured_of(
        """
        fault_id | kind   | broker_id
        kill-1   | killed | 1
        kill-2   | killed | 2
        kill-3   | killed | 3
        kill-101 | killed | 101       """,
        """
        root_id | incident_id | ts       | end_ts
        kill    | told        | 10:00:00 | 10:01:00
        pause   | untold      | 11:00:00 | 11:01:00
        kill-1  | at-once     | 12:00:00 | 12:01:00 """,
        """
        finding_id | incident_id | code | role       | severity | title            | broker_ids | is_broker | is_controller | start_ts | began_low | began_high
        kill-1     | at-once     | F01  | root_cause | high     | Broker 1 crashed | 1          | true      | false             | 12:00:00 | 11:59:59  | 12:00:00
        kill-2     | at-once     | F01  | root_cause | high     | Broker 2 crashed | 2          | true      | false         | 12:00:02 | 11:59:59  | 12:00:02
        kill-3     | at-once     | F01  | root_cause | high     | Broker 3 crashed | 3          | true      | false         | 12:00:02 | 11:59:30  | 12:00:02
        kill-101   | at-once     | F01  | root_cause | high     | Controller 101 crashed | 101  | false     | true          | 12:00:09 | 12:00:05  | 12:00:09 """,
    )
    same_rows(
        told,
        INCIDENTS,
        """
        incident_id | title                                                                | severity | under_replicated_ms | leaders_low_ms
        told        | Incident of unknown cause                                            | info     |                     |
        untold      | Incident of unknown cause                                            | info     |                     |
        at-once     | Broker 1 crashed; broker 2 at the same time; broker 3 too; then controller 101 | high     |                     |                  """,
    )


def of_losses(*rows_of_losses: str, topics=("orders", "orders"), partitions=(0, 1)):
    head = "topic | partition | leader_epoch | ts | loss_class | verdict | scenario | from_offset | to_offset_low | to_offset_high | discarded_to_offset | incident_id"
    lost = "\n".join(
        [
            head,
            *(
                f"{topics[at]} | {partitions[at]} | 6 | 10:00:12 | {row} | death"
                for at, row in enumerate(rows_of_losses)
            ),
        ]
    )
    return next(
        row for row in measured_of(FOUND, ROOTED, CONCLUDED, HAPPENED, MOVED, lost) if row.incident_id == "death"
    )


def test_what_may_be_committed_can_hold_records_that_not_all_in_sync_replicas_held():
    """The logs of all replicas came back shorter: which of the offsets that are gone were committed is not known of all."""
    death = of_losses(
        "committed | PROVEN_LOSS | S6 | 313 | 433 | | 434", "committed | POSSIBLE_LOSS | S6 | 312 | 312 | | 435"
    )
    assert death.lost_committed.startswith(
        "at least 120 offsets of orders (retries count each time), could be any number"
    )
    assert death.lost_committed.endswith(
        "; at least 244 offsets discarded, and how many of these are such records is not logged"
    )
    assert death.lost_uncommitted == (
        "unknown: what may be lost of orders can include records that not all in-sync replicas held"
    )
    assert death.acked_possible_max is None


def test_a_possible_loss_below_a_proven_one_of_the_same_log_leaves_no_uncommitted_records_to_be_lost():
    """A high watermark commits all offsets below it: which of them the new leader has too is open, not their commit."""
    below, gone = (
        "committed | POSSIBLE_LOSS | S4 | 246 | 246 | 247 | 247",
        "committed | PROVEN_LOSS | S4 | 247 | 984 | 984 | 984",
    )
    death = of_losses(below, gone, partitions=(0, 0))
    assert (death.lost_uncommitted, death.acked_possible_max) == ("none found", 0)
    apart = of_losses(below, gone, topics=("orders", "clicks"))
    assert apart.lost_uncommitted.startswith("unknown: what may be lost of orders can include")


def test_a_lower_bound_of_what_is_lost_names_only_the_topics_of_the_records_that_are_lost():
    gone = "committed | PROVEN_LOSS | S4 | 193 | 823 | 823 | 823", "committed | POSSIBLE_LOSS | S5 | 0 | 0 | |"
    others = of_losses(*gone, topics=("orders", "clicks")).lost_committed
    assert others.startswith("at least 630 offsets of orders (retries count each time): ")
    assert others.endswith("elected from outside the ISR; any number of records of clicks, or none")
    assert of_losses(*gone).lost_committed.startswith(
        "at least 630 offsets of orders (retries count each time), could be any number: "
    )


def test_a_leader_alone_in_the_isr_and_an_exact_loss_leave_no_other_records_to_be_lost():
    for row in (
        "committed | POSSIBLE_LOSS | S5 | 901 | 901 | |",
        "committed | PROVEN_LOSS | S4 | 135 | 170 | 170 | 170",
    ):
        death = of_losses(row)
        assert (death.lost_uncommitted, death.acked_possible_max) == ("none found", 0)


def test_a_truncation_that_had_something_to_cut_discarded_one_offset_at_least():
    death = of_losses("acked_possible | POSSIBLE_LOSS | S7 | 158 | 158 | | 159")
    assert (death.acked_possible_min, death.acked_possible_max) == (1, None)
    assert death.lost_uncommitted == (
        "any number of records of orders, or none; at least 1 offset discarded, and how many of these are such records is "
        "not logged"
    )


def test_isrs_of_unknown_replicas_are_not_measured():
    isrs = """
        topic  | partition | life | leader_epoch | state_order | isr | ts       | start_ts | end_ts
        orders | 0         | 0    | 1            | 1           | 1   | 10:00:10 | 10:00:10 | 10:00:15
        orders | 0         | 0    | 1            | 2           | 1,2 | 10:00:15 | 10:00:15 | 10:00:20 """
    spans = "root_id | incident_id | ts | end_ts\nkill | told | 10:00:00 | 10:01:00"
    same_rows(
        times_of("start_ts", isrs, "id", [], spans, "id"), PARTITION_TIMES, "incident_id | under_replicated_ms\ntold |"
    )


def test_times_of_partitions_are_summed_by_incident(times):
    same_rows(times, PARTITION_TIMES, TIMES)


def test_the_order_in_which_times_of_partitions_are_added_up_does_not_matter(times):
    parts = [row.but(leader_epoch_bumps=n, full_ts=None) for n, row in enumerate([*times, *times])]
    at_once = merge_partition_times([*times, *parts])
    assert merge_partition_times([*merge_partition_times(parts[::-1]), *times[::-1]]) == at_once


def test_where_partitions_waited_differently_the_topic_has_its_wall_clock_time():
    unlike = DOWN.replace("4800,4900 | 6000", "1000,4900 | 1500")
    [death, *_] = measured_of(FOUND, ROOTED, CONCLUDED, HAPPENED, MOVED, LOST, TIMES, HARMED, unlike, RULED)
    assert (
        "2 partitions of orders were blocked for 5.0 to 6.5 s (counted while any partition of a topic was blocked; by partition: 1 for 4.9 to 6.5 s, 1 for 1.0 to 1.5 s); clients"
        in death.told
    )


def test_a_record_says_what_happened_what_was_lost_and_what_is_still_wrong(measured):
    """What is told is told of the same figures; what a broker alone has lost is not counted with what all had."""
    death, still_open = (next(row for row in measured if row.incident_id == name) for name in ("death", "open"))
    assert death.told == (
        "Lost: at least 35 and at most 40 offsets of orders (retries count each time). Broker 1 crashed or was killed (this began between 09:59:58 and 10:00:01). "
        "Writes with acks=all to 2 partitions of orders were blocked for 5.0 to 6.5 s; clients that retry may have waited longer."
    )
    assert (death.lost_committed, death.lost_uncommitted) == (
        "at least 35 and at most 40 offsets of orders (retries count each time)",
        "at most 4 offsets of orders (retries count each time)",
    )
    assert (death.broker_ids, death.is_over, death.still) == ([1], True, [])
    ends = ("_times", "is_open", "_may_last", "_alike")
    assert [{name: value for name, value in one.items() if not name.endswith(ends)} for one in death.down] == [
        {
            "topic": "orders",
            "acks_all_low_ms": 5000,
            "acks_all_high_ms": 6500,
            "acks_one_low_ms": 0,
            "acks_one_high_ms": 0,
            "reads_low_ms": 5000,
            "reads_high_ms": 6500,
            "acks_all_partitions": 2,
            "acks_one_partitions": 0,
            "reads_partitions": 1,
            "partitions": 2,
            "acks_all_may_partitions": 2,
            "acks_one_may_partitions": 0,
            "reads_may_partitions": 1,
            "may_partitions": 2,
            "acks_all_shown": False,
            "acks_all_led_high_ms": 6500,
        },
        {
            "topic": "clicks",
            "acks_all_low_ms": 0,
            "acks_all_high_ms": 1500,
            "acks_one_low_ms": 0,
            "acks_one_high_ms": 0,
            "reads_low_ms": 0,
            "reads_high_ms": 0,
            "acks_all_partitions": 1,
            "acks_one_partitions": 0,
            "reads_partitions": 0,
            "partitions": 0,
            "acks_all_may_partitions": 1,
            "acks_one_may_partitions": 0,
            "reads_may_partitions": 0,
            "may_partitions": 1,
            "acks_all_shown": False,
            "acks_all_led_high_ms": 1500,
        },
    ]
    assert not any(value for one in death.down for name, value in one.items() if name.endswith(ends))
    assert not still_open.is_over
    assert still_open.still == [
        "1 partition without a leader",
        "writes with acks=all to orders not accepted",
        "1 ISR not full",
    ]
    assert still_open.next_steps[0].startswith("Do not force an unclean election for the 1 partition without a leader")


@pytest.mark.parametrize(
    ("node", "of_stop", "of_clock"),
    [
        pytest.param(1, "2000", "0", id="the clock of the stopped controller was set after it had resigned"),
        pytest.param(3, "2000", "0", id="the clock of another node was set"),
    ],
)
def test_a_time_without_a_controller_belongs_to_the_fault_that_ended_its_tenure(node, of_stop, of_clock):
    told = measured_of(
        f"""
        fault_id | kind          | broker_id | began_low | began_high | ts       | end_ts   | ended_high
        stop     | stopped       | 1         | 10:00:00  | 10:00:00   | 10:00:00 | 10:00:05 | 10:00:05
        clock    | clock_stepped | {node}    | 10:00:04  | 10:00:05   | 10:00:05 | 10:00:05 | 10:00:05 """,
        f"""
        root_id | kind          | broker_id | ts       | end_ts   | incident_id
        stop    | stopped       | 1         | 10:00:00 | 10:00:05 | one
        clock   | clock_stepped | {node}    | 10:00:05 | 10:00:05 | two """,
        f"""
        finding_id | incident_id | code | role       | severity | title                          | start_ts | end_ts   | began_low | began_high | is_broker | broker_ids
        stop       | one         | F02  | root_cause | low      | Broker 1 was shut down         | 10:00:00 | 10:00:05 | 10:00:00  | 10:00:00   | true      | 1
        clock      | two         | F21  | root_cause | medium   | Broker {node} had its clock set | 10:00:05 | 10:00:05 | 10:00:04 | 10:00:05   | true      | {node} """,
        controllers="""
        mode | controller_id | controller_epoch | start_ts | ready_ts | end_ts
        zk   | 1             | 1                | 09:00:00 | 09:00:00 | 10:00:02
        zk   | 2             | 2                | 10:00:02 | 10:00:02 |          """,
    )
    high = {row.incident_id: row.no_controller_high_ms for row in told}
    assert high == {"one": int(of_stop), "two": int(of_clock)}


def test_a_leader_epoch_that_its_first_line_shows_under_way_is_no_change_of_leader_of_the_incident():
    """As in a rotated log: which leader came before is not known, and nor is that the change belongs to this incident."""
    epochs = """
        leader_epoch | leader_id | start_ts | reason  | begun_before
        1            | 2         | 10:00:10 | unknown | true
        3            | 1         | 10:00:20 | unknown |              """
    spans = rows(ROOT_SPANS, "root_id | incident_id | ts | end_ts\n kill | death | 10:00:00 | 10:01:00")
    found = list(_new_epochs(rows(LEADER_EPOCHS, epochs), Incidents(spans)))
    assert [(row.leaders_untold, row.leader_epoch_bumps) for row in found] == [(1, 0)]


def test_an_unclean_election_without_a_known_last_leader_is_counted_once():
    """It is one of the elections; a clean one of which no line shows who led before remains one more."""
    epochs = """
        leader_epoch | leader_id | old_leader_id | start_ts | reason   | elected_from
        3            | 1         | -1            | 10:00:20 | election | any_replica
        4            | 2         |               | 10:00:30 | election | any_replica """
    spans = rows(ROOT_SPANS, "root_id | incident_id | ts | end_ts\n kill | death | 10:00:00 | 10:01:00")
    found = list(_new_epochs(rows(LEADER_EPOCHS, epochs), Incidents(spans)))
    assert [row.leaders_untold for row in found] == [1]
