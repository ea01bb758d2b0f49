"""Causes joined to effects by facts they share, within the time that the mechanism allows; look-alikes are not joined (facts §6.1).

A case a rule: what happened, and what follows from what. `about` names whom a happening is about: the node at fault, the
broker whose session ended, the leader before, the replica that left the ISR.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from replay.causes.edges import Causes, edges_of_cluster, edges_to
from replay.causes.rules import RULES
from replay.facts.times import iso_stamp, known
from replay.facts.timings import Timings
from replay.faults.kinds import BY_NAME
from replay.tables.brokers import TIMINGS
from replay.tables.causes import EDGES, HAPPENINGS
from replay.tables.row import Row
from tests.each import for_each
from tests.tables import rows, same_rows

DEFAULT_TIMINGS = """
    replica_lag_ms | zookeeper_session_ms | broker_session_ms | imbalance_check_ms
    30000          | 18000                | 9000              | 300000             """

CASES: dict[str, tuple[str, str]] = {
    # Sessions.
    "a fault ends the session of its own broker alone, and one that leaves it a session ends none": (
        """
        id           | kind          | about | begin_ts | began_low | ts       | over_ts  | by
        kill         | killed        | 1     | 09:59:58 | 09:59:58  | 10:00:00 | 10:05:00 |
        pause        | paused        | 2     | 10:00:10 | 10:00:10  | 10:00:10 | 10:00:40 |
        slow         | slow_follower | 3     | 10:00:00 |           | 10:00:00 | 10:00:40 |
        lost-1       | detected      | 1     | 10:00:04 |           | 10:00:06 |          | crash
        lost-1-again | detected      | 1     | 10:06:00 |           | 10:06:00 |          | unknown
        lost-2       | detected      | 2     | 10:00:20 |           | 10:00:20 |          | session_timeout
        lost-3       | detected      | 3     | 10:00:20 |           | 10:00:20 |          | unknown         """,
        """
        src   | dst    | relation | rank | confidence | delay_ms | delay_high_ms | because
        kill  | lost-1 | R2       | 1    | 0.9        | 6000     | 8000          | broker 1 crashed or was killed; its session ended at 10:00:06.000
        pause | lost-2 | R3       | 1    | 0.9        | 10000    | 10000         | broker 2 froze; its session had expired by 10:00:20.000 """,
    ),
    "how a session ended must agree with what is said to have ended it": (
        """
        id      | kind     | about | ts       | over_ts  | by
        kill    | killed   | 1     | 10:00:00 | 10:05:00 |
        granted | detected | 1     | 10:00:02 |          | controlled_shutdown
        stop    | stopped  | 2     | 10:00:00 | 10:00:30 |
        unheard | detected | 2     | 10:00:09 |          | session_timeout
        given   | detected | 2     | 10:00:02 |          | controlled_shutdown """,
        """
        src  | dst   | relation | rank | confidence | because
        stop | given | R2       | 1    | 0.9        | broker 2 was shut down cleanly; its session ended at 10:00:02.000 """,
    ),
    "a broker that was started with other voters does not find the leader, another one has other reasons": (
        """
        id     | kind                 | about | ts       | over_ts
        voters | static_voters_differ | 1     | 10:00:00 |
        one    | controllers_unreached | 1    | 10:00:08 | 10:04:08
        other  | controllers_unreached | 2    | 10:00:08 | 10:04:08 """,
        """
        src    | dst | relation | rank | confidence | because
        voters | one | R17      | 1    | 0.8        | broker 1 was started with a different controller.quorum.voters than other nodes, and registers only with a leader that its own setting names """,
    ),
    "voters of another cluster refuse a broker's requests, in the start whose disk they refuse and not in a later one": (
        """
        id     | kind                  | about | ts       | over_ts
        refuse | disk_refused          | 1     | 10:00:00 | 10:01:06
        one    | controllers_unreached | 1     | 10:00:01 | 10:01:06
        later  | controllers_unreached | 1     | 10:05:00 | 10:06:00
        other  | controllers_unreached | 2     | 10:00:01 | 10:01:06 """,
        """
        src    | dst | relation | rank | confidence | because
        refuse | one | R17      | 1    | 0.9        | the voters refuse each request of broker 1: its directory belongs to another cluster, so it never learns who leads the quorum """,
    ),
    "of two faults that could each have ended a session the likelier is accepted, and the other stays beside it": (
        """
        id    | kind                 | about | ts       | over_ts  | by
        kill  | killed               | 1     | 10:00:00 | 10:00:40 |
        cut   | cut_from_controllers | 1     | 10:00:02 | 10:00:40 |
        lost  | detected             | 1     | 10:00:09 |          | unknown """,
        """
        src  | dst  | relation | aspect  | rank
        cut  | lost | R3       | session | 1
        kill | lost | R2       | session | 2    """,
    ),
    # Leaders.
    # Between the leader that is told and the time without one another led: any member of the ISR.
    "a time without a leader whose last leader is untold follows from the ends of those in the ISR": (
        """
        id     | kind       | about | begin_ts | ts       | over_ts  | name | leader_epoch | by
        lost-2 | detected   | 2     | 10:00:04 | 10:00:06 |          |      |              | crash
        lost-4 | detected   | 4     | 10:00:04 | 10:00:06 |          |      |              | crash
        gone-0 | leaderless | 1,2,3 |          | 10:00:07 | 10:00:30 | p0   | 5            | untold """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        lost-2 | gone-0 | R4       | 1    | 0.9        |          | broker 2 was in the ISR of p0 when its session ended """,
    ),
    # p1 had another leader; p2 moved minutes later; p3 had been without a leader before it was elected one.
    "the end of a session takes leaders from what its broker led": (
        """
        id     | kind       | about | begin_ts | ts       | over_ts  | name | leader_epoch | leader_id | new_leader_id | by
        lost-1 | detected   | 1     | 10:00:04 | 10:00:06 |          |      |              |           |               | crash
        gone-3 | leaderless | 1     |          | 10:00:07 | 10:00:30 | p3   | 5            |           |               |
        vote-0 | election   | 1     |          | 10:00:07 |          | p0   | 4            | 1         | 2             | broker_failure
        vote-1 | election   | 3     |          | 10:00:07 |          | p1   | 4            | 3         | 2             | broker_failure
        vote-2 | election   | 1     |          | 10:02:10 |          | p2   | 4            | 1         | 2             | broker_failure
        vote-3 | election   |       |          | 10:00:30 |          | p3   | 6            | 1         | 2             | broker_failure """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        lost-1 | vote-0 | R4       | 1    | 0.95       |          | broker 1 led p0 when its session ended
        lost-1 | gone-3 | R4       | 1    | 0.95       |          | broker 1 led p3 when its session ended
        gone-3 | vote-3 | R4       | 1    | 1.0        |          | p3 had been without a leader since leader epoch 5 """,
    ),
    # The session ends when the broker leads nothing any more; a crash is noticed first, and only clocks make its effects seem earlier.
    "what moves before a controlled shutdown ends follows from the stop": (
        """
        id      | kind       | about | begin_ts     | ts           | over_ts  | name | leader_epoch | leader_id | new_leader_id | by
        stop    | stopped    | 1     |              | 10:00:00     | 10:00:30 |      |              |           |               |
        stopped | detected   | 1     | 10:00:02     | 10:00:02     |          |      |              |           |               | controlled_shutdown
        crashed | detected   | 2     | 10:00:00     | 10:00:02     |          |      |              |           |               | crash
        vote-0  | election   | 1     |              | 10:00:00.500 |          | p0   | 4            | 1         | 3             | controlled_shutdown
        vote-1  | election   | 1     |              | 10:00:03     |          | p1   | 4            | 1         | 3             | unknown
        vote-2  | election   | 2     |              | 10:00:01.900 |          | p2   | 4            | 2         | 3             | broker_failure
        vote-3  | election   | 1     |              | 10:01:00     |          | p3   | 4            | 1         | 3             | preferred
        early   | isr_shrink | 1     |              | 10:00:00.700 |          | p0   | 4            | 3         |               |
        late    | isr_shrink | 1     |              | 10:00:02.500 |          | p1   | 4            | 3         |               |
        skew    | isr_shrink | 2     |              | 10:00:01.900 |          | p2   | 4            | 3         |               | """,
        """
        src     | dst     | relation | rank | confidence | delay_ms | because
        stop    | stopped | R2       | 1    | 0.9        | 2000     | broker 1 was shut down cleanly; its session ended at 10:00:02.000
        stop    | vote-0  | R4       | 1    | 0.9        |          | broker 1 led p0 until it was shut down cleanly
        stopped | vote-1  | R4       | 1    | 0.95       |          | broker 1 led p1 when its session ended
        crashed | vote-2  | R4       | 1    | 0.95       |          | broker 2 led p2 when its session ended
        stop    | early   | R4       | 1    | 0.8        |          | broker 1 was shut down cleanly, so it left the ISR of p0
        stopped | late    | R4       | 1    | 0.9        |          | broker 1 was in the ISR of p1 when its session ended
        stop    | late    | R4       | 2    | 0.8        |          | broker 1 was shut down cleanly, so it left the ISR of p1
        crashed | skew    | R4       | 1    | 0.9        |          | broker 2 was in the ISR of p2 when its session ended """,
    ),
    "what a broker does itself moves what it led if the trigger agrees, and not for ever": (
        """
        id     | kind           | about | ts       | over_ts  | name | leader_epoch | new_leader_id | by
        stop   | stopped        | 1     | 10:00:00 | 10:00:30 |      |              |               |
        disk   | log_dir_failed | 2     | 10:00:00 | 10:00:30 |      |              |               |
        kill   | killed         | 3     | 10:00:00 | 10:00:30 |      |              |               |
        vote-0 | election       | 1     | 10:00:01 |          | p0   | 4            | 2             | controlled_shutdown
        vote-1 | election       | 2     | 10:00:01 |          | p1   | 4            | 1             | log_dir_failure
        vote-2 | election       | 3     | 10:00:06 |          | p2   | 4            | 1             | broker_failure
        vote-3 | election       | 1     | 10:00:01 |          | p3   | 4            | 2             | preferred
        vote-4 | election       | 3     | 10:00:01 |          | p4   | 4            | 2             | controlled_shutdown
        vote-5 | election       | 1     | 10:01:00 |          | p5   | 4            | 2             | controlled_shutdown """,
        """
        src  | dst    | relation | rank | confidence | delay_ms | because
        stop | vote-0 | R4       | 1    | 0.9        |          | broker 1 led p0 until it was shut down cleanly
        disk | vote-1 | R21      | 1    | 0.9        |          | broker 2 led p1 until it lost a log directory
        kill | vote-2 | R2       | 1    | 0.7        |          | broker 3 led p2 until it crashed or was killed """,
    ),
    # A KRaft controller elects a dead member of the ISR while its session lasts.
    "a broker that was named leader after its crash did not lead until then": (
        """
        id      | kind     | about | began_high | ts       | over_ts  | name | leader_epoch | led_since    | new_leader_id | by
        kill    | killed   | 3     | 10:00:00   | 10:00:00 | 10:00:30 |      |              |              |               |
        named   | election | 3     |            | 10:00:09 |          | p0   | 4            | 10:00:00.900 | 1             | broker_failure
        led     | election | 3     |            | 10:00:09 |          | p1   | 4            | 09:59:00     | 1             | broker_failure
        unknown | election | 3     |            | 10:00:09 |          | p2   | 4            |              | 1             | broker_failure """,
        """
        src  | dst     | relation | rank | confidence | delay_ms | because
        kill | named   | R2       | 1    | 0.7        |          | the controller named broker 3 leader of p0 only after it crashed or was killed, because its session had not ended
        kill | led     | R2       | 1    | 0.7        |          | broker 3 led p1 until it crashed or was killed
        kill | unknown | R2       | 1    | 0.7        |          | broker 3 led p2 until it crashed or was killed """,
    ),
    # The line of the directory names p0: what moves and shrinks of p1 has another cause, in the same second or later.
    "a directory that failed takes the partitions that its line names, and none of a later stop": (
        """
        id      | kind           | about | names | ts       | over_ts  | name | leader_epoch | leader_id | new_leader_id | by
        disk    | log_dir_failed | 2     | p0    | 10:00:00 |          |      |              |           |               |
        vote-0  | election       | 2     |       | 10:00:01 |          | p0   | 4            | 2         | 1             | log_dir_failure
        vote-1  | election       | 2     |       | 10:00:01 |          | p1   | 4            | 2         | 1             | log_dir_failure
        left-0  | isr_shrink     | 2     |       | 10:00:01 |          | p0   | 4            | 1         |               |
        left-1  | isr_shrink     | 2     |       | 10:00:01 |          | p1   | 4            | 1         |               |
        stop    | stopped        | 2     |       | 10:03:20 | 10:03:40 |      |              |           |               |
        later-1 | isr_shrink     | 2     |       | 10:03:21 |          | p1   | 4            | 1         |               | """,
        """
        src  | dst     | relation | rank
        disk | vote-0  | R21      | 1
        disk | left-0  | R21      | 1
        stop | later-1 | R4       | 1    """,
    ),
    # Not by one of another partition, nor by one long after the partition had a leader again.
    "a partition without a leader is given one by the next election": (
        """
        id     | kind       | ts       | over_ts  | name | leader_epoch | new_leader_id
        old-0  | leaderless | 09:00:00 | 09:00:10 | p0   | 2            |
        gone-0 | leaderless | 10:00:07 | 10:00:30 | p0   | 5            |
        vote-0 | election   | 10:00:30 |          | p0   | 6            | 1
        next-0 | election   | 10:01:00 |          | p0   | 7            | 2
        vote-1 | election   | 10:00:30 |          | p1   | 6            | 2             """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        gone-0 | vote-0 | R4       | 1    | 1.0        |          | p0 had been without a leader since leader epoch 5 """,
    ),
    # Not one that was never away, nor while it is away, nor one of which no line tells that it came back.
    "a preferred leader that came back leads again": (
        """
        id     | kind     | about | ts       | over_ts  | name | leader_epoch | leader_id | new_leader_id | by
        kill   | killed   | 1     | 10:00:00 | 10:05:00 |      |              |           |               |
        gone   | killed   | 5     | 10:00:00 |          |      |              |           |               |
        vote-0 | election | 2     | 10:09:00 |          | p0   | 4            | 2         | 1             | preferred
        vote-1 | election | 2     | 10:19:00 |          | p1   | 4            | 2         | 5             | preferred
        vote-2 | election | 2     | 10:09:00 |          | p2   | 4            | 2         | 3             | preferred
        vote-3 | election | 2     | 10:04:00 |          | p3   | 4            | 2         | 1             | preferred
        vote-4 | election | 2     | 10:09:00 |          | p4   | 4            | 2         | 1             | broker_failure
        vote-5 | election | 2     | 10:21:00 |          | p5   | 4            | 2         | 1             | preferred """,
        """
        src  | dst    | relation | rank | confidence | delay_ms | because
        kill | vote-0 | R23      | 1    | 0.8        |          | broker 1, the preferred leader of p0, was back """,
    ),
    # The stop took its leadership. The failed starts after it took none, and only the last was followed by a return.
    "a preferred leader leads again after the fault that ended its leadership, however long its starts failed": (
        """
        id     | kind     | about | ts       | over_ts  | name | leader_epoch | leader_id | new_leader_id | by        | led_until
        stop   | stopped  | 1     | 10:00:00 | 10:00:10 |      |              |           |               |           |
        fail-1 | halted   | 1     | 10:01:00 | 10:01:05 |      |              |           |               |           |
        fail-2 | halted   | 1     | 10:19:00 | 10:19:05 |      |              |           |               |           |
        vote-0 | election | 2     | 10:20:00 |          | p0   | 4            | 2         | 1             | preferred | 10:00:01
        vote-1 | election | 2     | 10:20:00 |          | p1   | 4            | 2         | 1             | preferred |          """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        stop   | vote-0 | R23      | 1    | 0.8        |          | broker 1, the preferred leader of p0, was back
        fail-2 | vote-1 | R23      | 1    | 0.8        |          | broker 1, the preferred leader of p1, was back """,
    ),
    # It led until long after its stop was over, or before its death began: something else took its leadership.
    "a fault that was over while the preferred leader still led, or began after, is no reason that it leads again": (
        """
        id     | kind     | about | ts       | over_ts  | name | leader_epoch | leader_id | new_leader_id | by        | led_until
        stop   | stopped  | 1     | 10:00:00 | 10:00:10 |      |              |           |               |           |
        kill   | killed   | 1     | 10:10:00 | 10:10:10 |      |              |           |               |           |
        vote-0 | election | 2     | 10:12:00 |          | p0   | 4            | 2         | 1             | preferred | 10:05:00
        vote-1 | election | 2     | 10:12:00 |          | p1   | 4            | 2         | 1             | preferred | 10:10:09 """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        kill   | vote-1 | R23      | 1    | 0.8        |          | broker 1, the preferred leader of p1, was back """,
    ),
    "a reassignment moves the partitions it names": (
        """
        id    | kind       | names | ts       | over_ts  | name | leader_epoch | leader_id | by
        moved | reassigned | p0,p1 | 10:00:00 | 10:00:10 |      |              |           |
        vote  | election   |       | 10:00:20 |          | p0   | 4            | 1         | reassignment
        other | election   |       | 10:00:20 |          | p2   | 4            | 1         | reassignment
        crash | election   |       | 10:00:20 |          | p1   | 4            | 1         | broker_failure
        out   | isr_shrink |       | 10:00:20 |          | p1   | 4            | 1         |
        apart | isr_shrink |       | 10:00:20 |          | p2   | 4            | 1         |                """,
        """
        src   | dst  | relation | rank | confidence | delay_ms | because
        moved | vote | R28      | 1    | 0.7        |          | p0 was being reassigned
        moved | out  | R28      | 1    | 0.7        |          | p1 was being reassigned """,
    ),
    "a reassignment makes other replicas the preferred leaders of the partitions it names": (
        """
        id     | kind                       | about | names | ts       | over_ts  | name | leader_epoch | leader_id | new_leader_id | by
        fewer  | replication_factor_lowered |       | p0,p2 | 10:00:00 | 10:00:01 |      |              |           |               |
        killed | killed                     | 2     |       | 09:55:00 | 09:58:00 |      |              |           |               |
        vote-0 | election                   |       |       | 10:00:20 |          | p0   | 4            | 1         | 3             | preferred
        vote-1 | election                   |       |       | 10:00:20 |          | p1   | 4            | 1         | 3             | preferred
        vote-2 | election                   |       |       | 10:00:20 |          | p2   | 4            | 1         | 2             | preferred
        late   | election                   |       |       | 10:30:00 |          | p0   | 5            | 1         | 3             | preferred """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        fewer  | vote-0 | R28      | 1    | 0.7        |          | p0 had been reassigned, and broker 3 is its preferred leader
        killed | vote-2 | R23      | 1    | 0.8        |          | broker 2, the preferred leader of p2, was back
        fewer  | vote-2 | R28      | 2    | 0.7        |          | p2 had been reassigned, and broker 2 is its preferred leader """,
    ),
    # ISRs.
    # Broker 1 was not overlapping by the reassignment that it writes of, nor anybody by what happened to broker 5.
    "a replica leaves the ISR for what befell it or its leader, while that lasts": (
        """
        id      | kind           | about | names   | begin_ts | ts       | over_ts  | name | leader_id | by
        slow    | slow_follower  | 3     |         | 10:00:00 | 10:00:30 | 10:01:00 |      |           |
        cut     | cut_from_peers | 2     |         | 10:00:00 | 10:00:00 | 10:00:40 |      |           |
        moved   | reassigned     | 1     | q7      | 10:00:00 | 10:00:00 | 10:01:00 |      |           |
        other   | killed         | 5     |         | 10:00:00 | 10:00:00 | 10:01:00 |      |           |
        lost-4  | detected       | 4     |         | 10:00:07 | 10:00:09 |          |      |           | session_timeout
        lag     | isr_shrink     | 3     |         |          | 10:00:30 |          | p0   | 1         |
        alone   | isr_shrink     | 1     |         |          | 10:00:45 |          | p1   | 2         |
        expired | isr_shrink     | 4     |         |          | 10:00:10 |          | p2   | 1         |
        later   | isr_shrink     | 3     |         |          | 10:05:00 |          | p3   | 1         |         """,
        """
        src    | dst     | relation | rank | confidence | delay_ms | because
        lost-4 | expired | R4       | 1    | 0.9        |          | broker 4 was in the ISR of p2 when its session ended
        slow   | lag     | R13      | 1    | 0.8        |          | broker 3 fell behind as a follower and did not keep up with the leader of p0, so it left the ISR
        cut    | alone   | R3       | 1    | 0.7        |          | the leader of p1, broker 2, was cut off from its peers and received no fetches from its followers """,
    ),
    # The leader's own line tells that it dropped the follower, seconds before the session ended; of p1 no leader tells anything.
    "who stops a broker with a failed directory moves its leaders; what recovery cuts, the directory lost": (
        """
        id   | kind              | about | names | ts       | over_ts  | name | leader_id | new_leader_id | leader_epoch | by
        disk | disk_full         | 1     | p1,p2 | 10:00:00 | 10:01:00 |      |           |               |              |
        stop | stopped_uncleanly | 1     |       | 10:00:50 | 10:01:00 |      |           |               |              |
        gone | isr_shrink        | 1     |       | 10:00:01 |          | p2   | 2         |               | 4            |
        vote | election          | 1     |       | 10:00:51 |          | p0   | 1         | 2             | 4            | controlled_shutdown
        out  | isr_shrink        | 1     |       | 10:00:51 |          | p0   | 2         |               | 4            |
        cut  | recovery_cut      | 1     |       | 10:01:02 |          | p1   |           |               |              |                     """,
        """
        src  | dst  | relation | rank | confidence
        disk | gone | R21      | 1    | 0.92
        stop | vote | R4       | 1    | 0.9
        stop | out  | R4       | 1    | 0.8
        disk | cut  | R22      | 1    | 0.85
        stop | cut  | R22      | 2    | 0.8        """,
    ),
    "who removed a replica is read from the line that did it: the leader for lag, or the controller as a session ended": (
        """
        id      | kind       | about | begin_ts | ts       | over_ts  | name | leader_id | by
        pause   | paused     | 3     | 10:00:00 | 10:00:00 | 10:01:00 |      |           |
        lost-3  | detected   | 3     | 10:00:28 | 10:00:30 |          |      |           | session_timeout
        dropped | isr_shrink | 3     |          | 10:00:29 |          | p0   | 1         | leader
        fenced  | isr_shrink | 3     |          | 10:00:31 |          | p1   | 1         |         """,
        """
        src    | dst     | relation | rank | confidence | because
        pause  | lost-3  | R3       | 1    | 0.9        | broker 3 froze; its session had expired by 10:00:30.000
        pause  | dropped | R13      | 1    | 0.8        | broker 3 froze and did not keep up with the leader of p0, so it left the ISR
        lost-3 | fenced  | R4       | 1    | 0.9        | broker 3 was in the ISR of p1 when its session ended """,
    ),
    # replica.lag.time.max.ms is 30 s: who came back at 10:00:30 without catching up is dropped by 10:01:20. Broker 4 lost its
    # session after the leader had dropped it; broker 5 lagged for no known reason.
    "a replica that came back and did not catch up is dropped for lag, not by the session that ended later": (
        """
        id      | kind       | about | begin_ts | ts       | over_ts  | name | leader_id | by
        kill    | killed     | 3     | 10:00:00 | 10:00:00 | 10:00:30 |      |           |
        lost-3  | detected   | 3     | 10:01:11 | 10:01:13 |          |      |           | crash
        lost-5  | detected   | 5     | 10:01:11 | 10:01:13 |          |      |           | crash
        dropped | isr_shrink | 3     |          | 10:01:12 |          | p0   | 1         | leader
        fenced  | isr_shrink | 3     |          | 10:01:14 |          | p1   | 1         |
        unknown | isr_shrink | 5     |          | 10:01:12 |          | p2   | 1         | leader
        late    | isr_shrink | 3     |          | 10:01:25 |          | p3   | 1         | leader """,
        """
        src    | dst     | relation | rank | confidence | because
        kill   | lost-3  | R2       | 1    | 0.9        | broker 3 crashed or was killed; its session ended at 10:01:13.000
        kill   | dropped | R13      | 1    | 0.8        | broker 3 crashed or was killed and did not keep up with the leader of p0, so it left the ISR
        lost-3 | fenced  | R4       | 1    | 0.9        | broker 3 was in the ISR of p1 when its session ended
        lost-3 | late    | R4       | 1    | 0.9        | broker 3 was in the ISR of p3 when its session ended """,
    ),
    # Broker 3 died 4 s before its leader dropped it for 30 s without catching up: the cut before that stalled it. Nothing
    # else stalled broker 5, and nobody says who removed broker 3 from p2.
    "a replica that is dropped for lag had been stalled for replica.lag.time.max.ms": (
        """
        id      | kind           | about | begin_ts | ts       | over_ts  | name | leader_id | by
        cut     | cut_from_peers | 3     | 10:00:00 | 10:00:00 | 10:00:50 |      |           |
        kill-3  | killed         | 3     | 10:00:38 | 10:00:39 | 10:01:00 |      |           |
        kill-5  | killed         | 5     | 10:00:38 | 10:00:39 | 10:01:00 |      |           |
        dropped | isr_shrink     | 3     |          | 10:00:42 |          | p0   | 1         | leader
        alone   | isr_shrink     | 5     |          | 10:00:42 |          | p1   | 1         | leader
        unsaid  | isr_shrink     | 3     |          | 10:00:42 |          | p2   | 1         |        """,
        """
        src    | dst     | relation | rank | confidence
        cut    | dropped | R13      | 1    | 0.8
        kill-5 | alone   | R13      | 1    | 0.8
        kill-3 | unsaid  | R13      | 1    | 0.4
        cut    | unsaid  | R13      | 2    | 0.4        """,
    ),
    "a restart that was refused because the old session ran takes no leadership: the end of that session did": (
        """
        id      | kind                 | about | begin_ts | ts       | over_ts  | name | leader_id | new_leader_id | by
        refused | registration_refused | 1     |          | 10:00:15 | 10:00:16 |      |           |               |
        lost    | detected             | 1     | 10:00:14 | 10:00:16 |          |      |           |               | crash
        vote    | election             | 1     |          | 10:00:17 |          | p0   | 1         | 2             | broker_failure
        gone    | leaderless           | 1     |          | 10:00:17 | 10:00:18 | p1   | 1         |               |                """,
        """
        src  | dst  | relation | rank
        lost | vote | R4       | 1
        lost | gone | R4       | 1    """,
    ),
    "a leader that was away itself did not remove the replica that the controller fenced": (
        """
        id      | kind          | about | begin_ts | ts       | over_ts  | name | leader_id | by
        clock   | clock_stepped | 1     | 10:00:20 | 10:00:20 | 10:00:20 |      |           |
        lost-2  | detected      | 2     | 10:00:30 | 10:00:30 |          |      |           | session_timeout
        fenced  | isr_shrink    | 2     |          | 10:00:31 |          | p0   | 1         |
        dropped | isr_shrink    | 3     |          | 10:00:31 |          | p1   | 1         | leader  """,
        """
        src    | dst     | relation | rank | confidence
        clock  | dropped | R3       | 1    | 0.7
        lost-2 | fenced  | R4       | 1    | 0.9        """,
    ),
    "each broker that left an ISR at the same time has a cause of its own": (
        """
        id    | kind           | about | ts       | over_ts  | name | leader_id
        slow  | slow_follower  | 3     | 10:00:00 | 10:01:00 |      |
        pause | paused         | 2     | 10:00:00 | 10:01:00 |      |
        left  | isr_shrink     | 2,3   | 10:00:10 |          | p0   | 1         """,
        """
        src   | dst  | relation | rank | because
        slow  | left | R13      | 1    | broker 3 fell behind as a follower and did not keep up with the leader of p0, so it left the ISR
        pause | left | R13      | 1    | broker 2 froze and did not keep up with the leader of p0, so it left the ISR """,
    ),
    "a follower that fell behind in the partitions that a line names left no others": (
        """
        id    | kind          | about | names | ts       | over_ts  | name | leader_id
        slow  | slow_follower | 3     | p0,p1 | 10:00:00 | 10:01:00 |      |
        left  | isr_shrink    | 3     |       | 10:00:10 |          | p1   | 1
        other | isr_shrink    | 3     |       | 10:00:10 |          | p2   | 1         """,
        """
        src  | dst  | relation | rank
        slow | left | R13      | 1    """,
    ),
    "a controlled shutdown 53 s after a pause is not its effect": (
        """
        id    | kind       | about | ts       | over_ts  | name | leader_id | new_leader_id | leader_epoch | by
        pause | paused     | 2     | 10:00:00 | 10:00:26 |      |           |               |              |
        stop  | stopped    | 2     | 10:01:19 | 10:01:40 |      |           |               |              |
        left  | isr_shrink | 2     | 10:01:20 |          | p0   | 1         |               | 4            |
        vote  | election   | 2     | 10:01:20 |          | p1   | 2         | 1             | 4            | controlled_shutdown
        given | detected   | 2     | 10:01:21 |          |      |           |               |              | controlled_shutdown """,
        """
        src   | dst   | relation | rank
        stop  | left  | R4       | 1
        stop  | vote  | R4       | 1
        stop  | given | R2       | 1    """,
    ),
    "damaged records take followers out of the ISRs of their partitions alone": (
        """
        id      | kind            | about | names | ts       | over_ts  | name | leader_id
        rot     | records_damaged | 1     | p0    | 10:00:00 | 10:05:00 |      |
        behind  | isr_shrink      | 3     |       | 10:00:30 |          | p0   | 1
        other   | isr_shrink      | 3     |       | 10:00:30 |          | p1   | 1
        earlier | isr_shrink      | 2     |       | 09:50:00 |          | p0   | 1         """,
        """
        src | dst    | relation | rank | confidence | delay_ms | because
        rot | behind | R13      | 1    | 0.8        |          | the log of broker 1, the leader of p0, holds damaged records, and broker 3 could not fetch past them """,
    ),
    # Broker 3 left it too, in another partition; broker 2 left that one after its election; of several leaves the last counts.
    "a replica elected from outside the ISR had left it": (
        """
        id      | kind             | about | ts       | name | leader_id | leader_epoch | new_leader_id
        before  | isr_shrink       | 2     | 09:00:00 | p0   | 1         | 2            |
        left    | isr_shrink       | 2     | 10:00:00 | p0   | 1         | 3            |
        other   | isr_shrink       | 3     | 10:00:05 | p0   | 1         | 3            |
        after   | isr_shrink       | 2     | 10:00:40 | p1   | 1         | 4            |
        vote-0  | unclean_election | 1     | 10:00:30 | p0   | 1         | 4            | 2
        vote-1  | unclean_election | 1     | 10:00:30 | p1   | 1         | 4            | 2
        clean-0 | election         | 2     | 10:00:50 | p0   | 2         | 5            | 3             """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        left   | vote-0 | R29      | 1    | 1.0        |          | broker 2 had left the ISR of p0 and was not back in it when it was elected
        before | vote-0 | R29      | 2    | 1.0        |          | broker 2 had left the ISR of p0 and was not back in it when it was elected """,
    ),
    # Controllers.
    # Node 2 froze as well, but it is the end of node 1 that explains controller epoch 8; nothing else explains 9 than node 2.
    "the loss of the active controller makes another; a node that did not hear it calls elections": (
        """
        id      | kind              | about | node_id | ts       | over_ts
        kill    | killed            | 1     | 1       | 10:00:00 | 10:05:00
        sleep   | paused            | 2     | 2       | 10:00:00 | 10:00:20
        slow    | slow_follower     | 3     | 3       | 10:00:00 | 10:05:00
        epoch-8 | controller_change | 1     | 3       | 10:00:06 |
        epoch-9 | controller_change | 3     | 4       | 10:00:25 |
        last    | controller_change | 4     | 3       | 10:00:50 |          """,
        """
        src   | dst     | relation | rank | confidence | delay_ms | because
        kill  | epoch-8 | R18      | 1    | 0.8        | 6000     | node 1, the active controller, crashed or was killed; node 3 took over
        sleep | epoch-8 | R26      | 2    | 0.5        | 6000     | node 2 froze and lost contact with the active controller; a voter without contact asks the others for an election
        sleep | epoch-9 | R26      | 1    | 0.5        | 25000    | node 2 froze and lost contact with the active controller; a voter without contact asks the others for an election """,
    ),
    "a controller that only others name took over an unknown time before that": (
        """
        id      | kind              | about | node_id | ts       | over_ts  | began_high
        kill    | killed            | 1     | 1       | 10:00:00 | 10:05:00 |
        epoch-8 | controller_change | 1     | 3       | 10:00:36 |          | 10:00:36 """,
        """
        src   | dst     | relation | rank | confidence | delay_ms | because
        kill  | epoch-8 | R18      | 1    | 0.8        |          | node 1, the active controller, crashed or was killed; node 3 took over """,
    ),
    # Node 2 was cut off at the same time and deposed nobody; the controller of epoch 17 followed another one.
    "the voter that deposed the active controller explains the next one, and no other that was away does": (
        """
        id       | kind              | about | node_id | ts       | over_ts  | called_by | arguments
        sleep    | paused            | 1     | 1       | 10:00:00 | 10:00:35 |           |
        cut      | cut_from_peers    | 2     | 2       | 10:00:00 | 10:00:35 |           |
        epoch-7  | controller_change | 2     | 3       | 10:00:36 |          | 1         | old=2
        epoch-17 | controller_change | 3     | 2       | 10:01:10 |          | 1         | old=3 """,
        """
        src   | dst     | relation | rank | confidence | delay_ms | because
        cut   | epoch-7 | R18      | 2    | 0.8        | 36000    | node 2, the active controller, was cut off from its peers; node 3 took over
        sleep | epoch-7 | R26      | 1    | 0.9        | 36000    | node 1 froze and did not hear from the active controller, so it stood for election; node 2, the active controller, gave up its leadership for the later Raft epoch """,
    ),
    # Logs, and what they lost.
    # The election of leader epoch 7 came later; vote-9 is another partition's; a leader does not cut for its own election.
    "a follower cuts its log for the leader epoch it follows": (
        """
        id     | kind       | about | node_id | ts       | name | leader_epoch | new_leader_id | arguments
        vote-5 | election   |       |         | 10:00:00 | p0   | 5            | 3             |
        vote-6 | election   |       |         | 10:00:10 | p0   | 6            | 2             |
        vote-7 | election   |       |         | 10:30:00 | p0   | 7            | 3             |
        vote-9 | election   |       |         | 10:00:10 | p1   | 6            | 2             |
        cut-1  | truncation | 1     | 1       | 10:20:00 | p0   | 6            |               | to=135
        cut-2  | truncation | 2     | 2       | 10:20:00 | p0   |              |               | to=0      """,
        """
        src    | dst   | relation | rank | confidence | delay_ms | because
        vote-6 | cut-1 | R10      | 1    | 0.9        | 1190000  | broker 1 follows leader epoch 6 of p0; the two logs agree up to 135
        vote-5 | cut-2 | R10      | 1    | 0.9        | 1200000  | broker 2 follows leader epoch 5 of p0; the two logs agree up to 0 """,
    ),
    "what recovery cuts comes of the broker's unclean end and of no leader": (
        """
        id      | kind         | about | node_id | ts       | over_ts  | name | leader_epoch | new_leader_id | arguments
        earlier | killed       | 2     | 2       | 09:00:01 | 09:10:00 |      |              |               |
        kill    | killed       | 2     | 2       | 10:19:01 | 10:19:30 |      |              |               |
        other   | killed       | 3     | 3       | 10:19:11 | 10:19:50 |      |              |               |
        stop    | stopped      | 2     | 2       | 10:19:20 | 10:19:30 |      |              |               |
        vote    | election     |       |         | 10:00:10 |          | p0   | 6            | 3             |
        cut     | recovery_cut | 2     | 2       | 10:20:00 |          | p0   |              |               | to=118 """,
        """
        src  | dst | relation | rank | confidence | delay_ms | because
        kill | cut | R22      | 1    | 0.8        | 59000    | broker 2 crashed or was killed; at its restart, log recovery found the log of p0 damaged from 118 """,
    ),
    # The last replica's loss is not its election's fault, nor that of an end long before.
    "a loss comes of its election, or of the end of the last replica": (
        """
        id     | kind     | about | ts       | over_ts  | name | leader_epoch | new_leader_id | by | arguments
        before | killed   | 1     | 09:00:00 | 09:10:00 |      |              |               |    |
        kill   | killed   | 1     | 10:10:00 | 10:20:00 |      |              |               |    |
        other  | killed   | 2     | 10:10:00 | 10:20:00 |      |              |               |    |
        vote-0 | election |       | 10:10:00 |          | p0   | 4            | 2             |    |
        vote-1 | election |       | 10:20:05 |          | p1   | 6            | 1             |    |
        loss-0 | loss     | 1     | 10:10:00 |          | p0   | 4            |               | S4 | from_offset=135;old=1;new=2
        loss-1 | loss     | 1     | 10:20:05 |          | p1   | 6            |               | S5 | from_offset=30;old=1;new=1 """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        vote-0 | loss-0 | R29      | 1    | 1.0        | 0        | broker 2 leads p0 from a log that lacks records from 135 on, which broker 1 held
        kill   | loss-1 | R22      | 1    | 0.8        | 605000   | broker 1 crashed or was killed while it was alone in the ISR of p1, and came back with a log that ends at 30 """,
    ),
    # The successor was not behind: the old leader stored more than it had replicated, or led on.
    "records that only the old leader had are lost by what that stored": (
        """
        id     | kind     | about | ts       | name | leader_epoch | new_leader_id | by | arguments
        vote-0 | election |       | 10:10:00 | p0   | 4            | 2             |    |
        vote-1 | election |       | 10:10:00 | p1   | 4            | 2             |     |
        loss-0 | loss     | 1     | 10:10:30 | p0   | 4            |               | S10 | from_offset=135;old=1;new=2
        loss-1 | loss     | 1     | 10:10:30 | p1   | 4            |               | S7  | from_offset=140;old=1;new=2 """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        vote-0 | loss-0 | R29      | 1    | 1.0        | 30000    | broker 1 stored records of p0 from offset 135 on that its successor, broker 2, never had: it had not replicated them yet, or still acted as the leader
        vote-1 | loss-1 | R29      | 1    | 1.0        | 30000    | broker 1 kept writing after broker 2 was elected: it stored records of p1 from offset 140 on that its successor never had, some of them after the election """,
    ),
    # All replicas in sync stopped: the loss comes of the stop of the one that leads next, whichever led before, and of no election.
    "a loss of all replicas in sync comes of the end of the next leader": (
        """
        id     | kind     | about | ts       | over_ts  | name | leader_epoch | new_leader_id | by | arguments
        kill-1 | killed   | 1     | 10:10:00 | 10:20:00 |      |              |               |    |
        kill-2 | killed   | 2     | 10:10:00 | 10:20:01 |      |              |               |    |
        vote-0 | election |       | 10:20:05 |          | p0   | 4            | 2             |    |
        loss-0 | loss     | 1     | 10:20:05 |          | p0   | 4            | 2             | S6 | from_offset=312;old=1;new=2
        loss-1 | loss     | 1     | 10:20:04 |          | p1   | 4            | 1             | S6 | from_offset=313;old=1;new=1 """,
        """
        src    | dst    | relation | rank | confidence | delay_ms | because
        kill-2 | loss-0 | R22      | 1    | 0.8        | 605000   | broker 2 crashed or was killed as a member of the ISR of p0, and then leads it from a log that ends at 312
        kill-1 | loss-1 | R22      | 1    | 0.8        | 604000   | broker 1 crashed or was killed as a member of the ISR of p1, and then leads it from a log that ends at 313 """,
    ),
    "writes are refused while the ISR is too small": (
        """
        id      | kind           | about | ts       | over_ts  | name | leader_id | arguments
        small   | isr_shrink     | 2,3   | 10:00:00 | 10:00:30 | p0   | 1         | isr=1
        over    | isr_shrink     | 2     | 09:00:00 | 09:30:00 | p0   | 1         | isr=1,3
        other   | isr_shrink     | 2     | 10:00:00 | 10:00:30 | p1   | 1         | isr=1
        refused | writes_refused |       | 10:00:10 |          | p0   | 1         |         """,
        """
        src   | dst     | relation | rank | confidence | delay_ms | because
        small | refused | R15      | 1    | 0.9        | 10000    | the ISR of p0 had shrunk to [1] """,
    ),
    "an ISR that still has the required members rejects no write": (
        """
        id      | kind           | about | ts       | over_ts  | name | leader_id | arguments
        two     | isr_shrink     | 1     | 10:00:00 | 10:00:30 | p0   | 3         | isr=2,3
        one     | isr_shrink     | 2     | 10:00:05 | 10:00:30 | p0   | 3         | isr=3
        refused | writes_refused |       | 10:00:06 |          | p0   | 3         | min_isr=2 """,
        """
        src | dst     | relation | rank | confidence | delay_ms | because
        one | refused | R15      | 1    | 0.9        | 1000     | the ISR of p0 had shrunk to [3]
        two | refused | R15      | 1    | 0.8        | 6000     | broker 1 had left the ISR of p0 before and was not back in it """,
    ),
    "a member that left again, or was back, did not contribute by its earlier departure": (
        """
        id      | kind           | about | ts       | over_ts  | end_ts   | name | leader_id | arguments
        back    | isr_shrink     | 1     | 09:00:00 | 09:00:30 | 09:00:40 | p0   | 3         | isr=2,3
        early   | isr_shrink     | 1     | 10:00:00 | 10:00:10 |          | p0   | 3         | isr=2,3,4
        again   | isr_shrink     | 1     | 10:00:20 | 10:00:25 |          | p0   | 3         | isr=2,3,4
        fetched | isr_shrink     | 4     | 10:00:25 | 10:00:28 |          | p0   | 3         | isr=2,3
        one     | isr_shrink     | 2     | 10:00:30 | 10:00:50 |          | p0   | 3         | isr=3,4
        refused | writes_refused |       | 10:00:31 |          |          | p0   | 3         | min_isr=3 """,
        """
        src   | dst     | relation | rank | confidence | delay_ms | because
        one   | refused | R15      | 1    | 0.9        | 1000     | the ISR of p0 had shrunk to [3,4]
        again | refused | R15      | 1    | 0.8        | 11000    | broker 1 had left the ISR of p0 before and was not back in it """,
    ),
    # Faults from faults.
    "a fault may follow from another of the same broker": (
        """
        id      | kind                 | about | ts       | over_ts
        disk    | log_dir_failed       | 1     | 10:00:00 | 10:05:00
        halt    | halted               | 1     | 10:00:02 | 10:05:00
        kill    | killed               | 2     | 10:00:00 | 10:00:10
        refused | registration_refused | 2     | 10:00:12 | 10:00:14
        other   | registration_refused | 3     | 10:00:12 | 10:00:14 """,
        """
        src  | dst     | relation | aspect | rank | confidence | delay_ms | because
        disk | halt    | R1       | fault  | 1    | 0.8        | 2000     | broker 1 lost a log directory and stopped itself
        kill | refused | R17      | fault  | 1    | 0.8        | 12000    | broker 2 crashed or was killed: its previous session was still active when it came back """,
    ),
    # Each voter that was missing as the quorum was lost is a cause; a fault of a node that is no voter is none, nor is one
    # that was over.
    "a quorum is lost with its voters": (
        """
        id     | kind          | about | begin_ts | ts       | over_ts
        kill   | killed        | 102   | 10:00:00 | 10:00:00 | 10:05:00
        cut    | voter_cut_off | 103   | 10:00:10 | 10:00:10 | 10:00:50
        slow   | slow_follower | 1     | 10:00:00 | 10:00:00 | 10:05:00
        before | killed        | 101   | 09:00:00 | 09:00:00 | 09:10:00
        back   | killed        | 101   | 09:59:30 | 09:59:30 | 10:00:10
        broker | killed        | 1     | 10:00:14 | 10:00:14 | 10:05:00
        quorum | quorum_lost   | 101,102,103 | 10:00:15 | 10:00:20 | 10:01:00 """,
        """
        src  | dst    | relation | rank | confidence | delay_ms | because
        cut  | quorum | R26      | 1    | 0.6        | 10000    | controller 103 was cut off from the other voters, and controller 102 crashed or was killed: the remaining voters were not a majority
        kill | quorum | R26      | 1    | 0.6        | 20000    | controller 102 crashed or was killed, and controller 103 was cut off from the other voters: the remaining voters were not a majority
        back | quorum | R26      | 3    | 0.6        | 50000    | controller 101 crashed or was killed: the remaining voters were not a majority """,
    ),
    # A link has two ends: each leader lost the other end, and no third member because of it.
    "a link that was cut keeps each of its two ends from the other, and nobody else": (
        """
        id     | kind       | about | begin_ts | ts       | over_ts  | names | name | leader_id | by
        link   | link_cut   | 2,3   | 10:00:00 | 10:00:05 | 10:00:44 | p0,p1 |      |           |
        first  | isr_shrink | 3     |          | 10:00:15 |          |       | p0   | 2         | leader
        second | isr_shrink | 2     |          | 10:00:16 |          |       | p1   | 3         | leader
        third  | isr_shrink | 1     |          | 10:00:17 |          |       | p1   | 3         | leader """,
        """
        src  | dst    | relation | rank | because
        link | first  | R13      | 1    | broker 3 was cut off from broker 2 and did not keep up with the leader of p0, so it left the ISR
        link | first  | R3       | 2    | the leader of p0, broker 2, was cut off from broker 3 and received no more fetches from broker 3
        link | second | R13      | 1    | broker 2 was cut off from broker 3 and did not keep up with the leader of p1, so it left the ISR
        link | second | R3       | 2    | the leader of p1, broker 3, was cut off from broker 2 and received no more fetches from broker 2 """,
    ),
    # Two brokers without a link between them are two voters: with a third that froze, nobody had a majority.
    "a quorum is lost with a voter and a link between the others": (
        """
        id     | kind          | about | begin_ts | ts       | over_ts
        pause  | paused        | 1     | 10:00:00 | 10:00:00 | 10:00:30
        link   | link_cut      | 2,3   | 10:00:14 | 10:00:18 | 10:00:44
        quorum | quorum_lost   | 1,2,3 | 10:00:15 | 10:00:20 | 10:00:30 """,
        """
        src    | dst    | relation | rank | because
        link   | quorum | R26      | 1    | controller 2 was cut off from broker 3, and controller 1 froze: the remaining voters were not a majority
        pause  | quorum | R26      | 1    | controller 1 froze, and controller 2 was cut off from one peer: the remaining voters were not a majority """,
    ),
    "one voter of three does not lose a quorum": (
        """
        id     | kind        | about | begin_ts | ts       | over_ts
        pause  | paused      | 1     | 10:00:00 | 10:00:00 | 10:00:30
        quorum | quorum_lost | 1,2,3 | 10:00:15 | 10:00:20 | 10:00:30 """,
        """
        src   | dst    | relation | rank | because
        pause | quorum | R26      | 1    | controller 1 froze; the other 2 of 3 voters were enough for a majority, so something else kept them from electing a leader """,
    ),
    # As recorded of 1.0.2: broker 3 froze, controller and leader dropped it within seconds. A fault long before explains nothing.
    "a leader's ISR writes are refused as the controller dropped the same broker": (
        """
        id      | kind                | about | begin_ts | ts       | over_ts
        before  | killed              | 1     | 09:58:00 | 09:58:00 | 10:01:00
        pause   | paused              | 3     | 10:00:02 | 10:00:10 | 10:00:29
        refused | isr_updates_refused | 2     | 10:00:13 | 10:00:13 | 10:00:28
        later   | isr_updates_refused | 2     | 10:20:13 | 10:20:13 | 10:20:28 """,
        """
        src   | dst     | relation | rank | confidence | because
        pause | refused | R3       | 1    | 0.6        | broker 3 froze: the controller and broker 2 both removed it from ISRs, and broker 2 received the controller's change late """,
    ),
    # As recorded of 2.5.1: broker 3 was stopped while the controller, broker 2, could not reach the leader, broker 1. A cut of
    # another link keeps no change of the controller from it; where no line shows the controller, either end may be it.
    "a leader's ISR writes are refused as it missed what the controller changed": (
        """
        id      | kind                | about | node_id | leader_id | begin_ts | ts       | over_ts
        link    | link_cut            | 1,2   | 1       |           | 10:00:00 | 10:00:05 | 10:00:40
        other   | link_cut            | 1,3   | 1       |           | 10:00:00 | 10:00:05 | 10:00:40
        stop    | stopped             | 3     | 3       |           | 10:00:22 | 10:00:22 | 10:00:47
        refused | isr_updates_refused | 1     | 1       | 2         | 10:00:37 | 10:00:37 | 10:00:47
        unknown | isr_updates_refused | 1     | 1       |           | 10:00:38 | 10:00:38 | 10:00:47
        later   | isr_updates_refused | 1     | 1       | 2         | 10:20:13 | 10:20:13 | 10:20:28 """,
        """
        src   | dst     | relation | rank | confidence | because
        link  | refused | R3       | 1    | 0.8        | broker 2 was cut off from broker 1: broker 1 led with partition states that the controller had changed, and had not received the change
        stop  | refused | R3       | 2    | 0.6        | broker 3 was shut down cleanly: the controller removed it from ISRs, and broker 1 received the controller's change late
        link  | unknown | R3       | 1    | 0.4        | broker 1 was cut off from broker 2: broker 1 led with partition states that the controller had changed, and had not received the change
        other | unknown | R3       | 2    | 0.4        | broker 1 was cut off from broker 3: broker 1 led with partition states that the controller had changed, and had not received the change
        stop  | unknown | R3       | 3    | 0.6        | broker 3 was shut down cleanly: the controller removed it from ISRs, and broker 1 received the controller's change late """,
    ),
    "a leader's ISR writes are refused as the controller removed a broker that stopped": (
        """
        id      | kind                | about | node_id | leader_id | begin_ts | ts       | over_ts
        stop    | stopped             | 3     | 3       |           | 10:00:22 | 10:00:22 | 10:00:47
        refused | isr_updates_refused | 1     | 1       | 2         | 10:00:37 | 10:00:37 | 10:00:47 """,
        """
        src   | dst     | relation | rank | confidence | because
        stop  | refused | R3       | 1    | 0.6        | broker 3 was shut down cleanly: the controller removed it from ISRs, and broker 1 received the controller's change late """,
    ),
    "a ZooKeeper that was away is the cause of what each broker lost by it": (
        """
        id     | kind               | about | begin_ts | ts       | over_ts
        away   | zookeeper_away     |       | 10:00:00 | 10:00:04 | 10:00:40
        first  | zookeeper_lost     | 1     | 10:00:00 | 10:00:04 | 10:00:39
        second | cut_from_zookeeper | 2     | 10:00:01 | 10:00:05 | 10:00:40
        later  | zookeeper_lost     | 2     | 10:20:00 | 10:20:04 | 10:20:40 """,
        """
        src  | dst    | relation | rank | confidence | because
        away | first  | R3       | 1    | 0.8        | no broker could reach ZooKeeper at that time
        away | second | R3       | 1    | 0.8        | no broker could reach ZooKeeper at that time """,
    ),
    "brokers whose heartbeats no quorum answered were fenced for it and did not cause it": (
        """
        id     | kind         | about | begin_ts | ts       | over_ts
        kill   | killed       | 102   | 10:00:00 | 10:00:00 | 10:01:00
        quorum | quorum_lost  |       | 10:00:00 | 10:00:00 | 10:01:00
        fenced | fenced_alive | 1     | 10:00:05 | 10:00:14 | 10:01:05
        later  | fenced_alive | 2     | 10:30:05 | 10:30:14 | 10:31:05 """,
        """
        src    | dst    | relation | rank | confidence | because
        kill   | quorum | R26      | 1    | 0.6        | controller 102 crashed or was killed: the remaining voters were not a majority
        quorum | fenced | R26      | 1    | 0.8        | the remaining voters were not a majority, and the heartbeats of broker 1 failed """,
    ),
    # Rivals.
    # The confidence of the rule is shared by those that come under it; the nearest is accepted.
    "of equally good causes no more than three are kept": (
        """
        id     | kind     | about | ts       | over_ts  | by
        kill-1 | killed   | 1     | 10:00:00 | 10:05:00 |
        kill-2 | killed   | 1     | 10:00:01 | 10:05:00 |
        kill-3 | killed   | 1     | 10:00:02 | 10:05:00 |
        kill-4 | killed   | 1     | 10:00:03 | 10:05:00 |
        lost   | detected | 1     | 10:00:06 |          | crash """,
        """
        src    | dst  | relation | rank | confidence
        kill-4 | lost | R2       | 1    | 0.225
        kill-3 | lost | R2       | 2    | 0.225
        kill-2 | lost | R2       | 3    | 0.225      """,
    ),
    "a topic made again under its name is another topic": (
        """
        id     | kind       | ts       | over_ts  | name | life | leader_epoch | new_leader_id
        gone   | leaderless | 10:00:07 | 10:00:30 | p0   | 0    | 1            |
        vote   | election   | 10:00:20 |          | p0   | 1    | 2            | 1             """,
        "src",
    ),
    "nothing is its own cause": (
        """
        id    | kind           | about | ts       | over_ts
        no-zk | zookeeper_lost | 1     | 10:00:00 | 10:00:30 """,
        "src",
    ),
}


def happenings(text: str) -> list[Row]:
    """What a text leaves out, as `replay.causes.happenings` would fill it in; the arguments of labels are named as there."""
    return [_filled(row) for row in rows(HAPPENINGS, text)]


def _filled(row: Row) -> Row:
    node = row.about[0] if row.about else None
    told = {
        "node": node if row.node_id is None else row.node_id,
        "broker": node,
        "partition": row.name,
        "leader_epoch": row.leader_epoch,
        "new_leader": row.new_leader_id,
        "at_end": iso_stamp(row.ts),
        "predicate": (BY_NAME[row.kind].predicate or None) if row.kind in BY_NAME else None,
    }
    arguments = {name: str(value) for name, value in told.items() if value is not None}
    return row.but(
        life=row.life or 0,
        arguments=arguments | (row.arguments or {}),
        begin_ts=row.begin_ts or row.ts,
        about=known(row.about or []),
        names=row.names or [],
    )


def edges_between(happened: Iterable[Row], timings: str = DEFAULT_TIMINGS) -> list[Row]:
    """The edges of the cluster, and those of each partition, as the stages find them."""
    waits = rows(TIMINGS, timings)
    of_partition = defaultdict(list)
    for happening in happened:
        of_partition[happening.name].append(happening)
    of_cluster = of_partition.pop(None, [])
    found = edges_of_cluster(of_cluster, waits)
    for own in of_partition.values():
        found += edges_to(own, Causes(of_cluster, Timings(waits)), Causes(own, Timings(waits)))
    return found


@for_each("case", CASES)
def test_what_follows_from_what(case):
    happened, expected = CASES[case]
    same_rows(edges_between(happenings(happened)), EDGES, expected)


@for_each("case", CASES)
def test_one_effect_has_one_accepted_cause_of_each_aspect(case):
    joint = {rule.reason for rule in RULES if rule.jointly}
    found = [edge for edge in edges_between(happenings(CASES[case][0])) if edge.reason not in joint]
    accepted = [(edge.dst, edge.aspect) for edge in found if edge.rank == 1 and edge.aspect != "member"]
    assert len(accepted) == len(set(accepted))


LATE = """
    id   | kind              | node_id | about | begin_ts | ts         | over_ts  | began_high | by
    dead | killed            | 1       | 1     | 10:00:10 | 10:00:10   |          | {died}     |
    lost | quorum_lost       |         |       | 10:00:00 | 10:00:00   | 10:00:30 | 10:00:00   |
    next | controller_change | 103     | 101   | {next}   | {next}     |          | {next}     | {mode}
    gone | detected          | 1       | 1     | {gone}   | {gone}     |          | {gone}     | {how} """


@for_each(
    ("died", "next_one", "mode", "gone", "how", "delayed"),
    [
        ("10:00:10", "10:00:31", "kraft", "10:00:40", "session_timeout", ["gone", "next"]),
        ("10:00:10", "10:00:31", "kraft", "10:00:40", "controlled_shutdown", ["next"]),
        (
            "10:00:32",
            "10:00:31",
            "kraft",
            "10:00:40",
            "session_timeout",
            ["next"],
        ),  # it died when a controller was active
        ("10:00:10", "10:05:00", "kraft", "10:05:09", "session_timeout", []),  # long after the quorum was back
        ("10:00:10", "10:00:31", "zookeeper", "10:00:40", "session_timeout", []),
        ("10:00:10", "10:00:31", "kraft", "10:00:29", "session_timeout", ["next"]),  # before the next controller
    ],
)
def test_a_lost_quorum_delays_the_next_controller_and_what_only_that_one_could_do(
    died, next_one, mode, gone, how, delayed
):
    happened = happenings(LATE.format(died=died, next=next_one, mode=mode, gone=gone, how=how))
    found = [edge for edge in edges_of_cluster(happened, rows(TIMINGS, DEFAULT_TIMINGS)) if edge.aspect == "delayed"]
    assert sorted(edge.dst for edge in found) == delayed
    assert {(edge.src, edge.rank) for edge in found} <= {("lost", None)}


def test_windows_are_those_of_the_cluster():
    """A preferred leader is given back at the third check of the imbalance at the latest, however seldom the cluster checks."""
    happened = happenings(
        """
        id     | kind     | about | ts       | over_ts  | name | leader_epoch | leader_id | new_leader_id | by
        kill   | killed   | 1     | 10:00:00 | 10:05:00 |      |              |           |               |
        vote-0 | election | 2     | 10:05:40 |          | p0   | 4            | 2         | 1             | preferred
        vote-1 | election | 2     | 10:21:00 |          | p1   | 4            | 2         | 1             | preferred """
    )
    seldom = """
        node_id | replica_lag_ms | zookeeper_session_ms | broker_session_ms | imbalance_check_ms
                | 30000          | 18000                | 9000              | 600000             """
    often = """
        1       | 30000          | 18000                | 9000              | 10000 """
    assert edges_between(happened, seldom + often) == []
    same_rows(
        edges_between(happened, seldom),
        EDGES,
        "src | dst | relation\n kill | vote-0 | R23\n kill | vote-1 | R23",
    )


@settings(max_examples=50)
@given(
    lasted=st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 600) | st.none()), min_size=1, max_size=12),
    asked=st.integers(-100, 4_000),
)
def test_the_causes_of_a_moment_are_those_that_each_alone_would_be(lasted, asked):
    """However they overlap, and in whatever order they are given: looked up among many, and each in a list of its own."""
    (kill,) = happenings("id | kind | about | ts\n kill | killed | 1 | 10:00:00")
    begins = [(kill.ts + timedelta(seconds=begin), seconds) for begin, seconds in lasted]
    kills = [
        kill.but(
            id=f"kill-{n}", ts=ts, begin_ts=ts, over_ts=None if seconds is None else ts + timedelta(seconds=seconds)
        )
        for n, (ts, seconds) in enumerate(begins)
    ]
    waits, moment = Timings(rows(TIMINGS, DEFAULT_TIMINGS)), kill.ts + timedelta(seconds=asked)
    for number in (number for number, rule in enumerate(RULES) if "killed" in rule.causes):
        among_many = {cause.happening.id for cause in Causes(kills, waits).at(number, (1,), moment)}
        assert among_many == {one.id for one in kills for _ in Causes([one], waits).at(number, (1,), moment)}
