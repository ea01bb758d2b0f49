"""The loss ledger: no range is called lost without its proof, and none is called safe without its premise (facts §3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from replay.histories.cluster import Cluster
from replay.histories.ledger import _without_unseen
from replay.histories.ledger import ledger as losses_of_partition
from replay.tables.brokers import PROCESSES, RELEASES
from replay.tables.faults import FAULTS
from replay.tables.losses import LEDGER
from replay.tables.offsets import EPOCH_LINES, FETCH_POSITIONS, FOLLOWER_RULES, HIGH_WATERMARKS, TRUNCATIONS
from replay.tables.partitions import COMMITTED_ISRS, LEADER_EPOCHS, ROLE_LINES, TOPIC_LIVES, TOPIC_SETTINGS
from tests.each import for_each
from tests.tables import of_each_partition, rows, same_rows


@dataclass(frozen=True)
class Case:
    """What is known of one topic's partition 0, as tables, and the verdicts that it carries. Each case is a topic, so that one run judges all."""

    name: str
    verdicts: str
    changes: str = "start_ts"  # leader epochs, judged
    marks: str = "ts"  # high watermarks and log ends
    cuts: str = "ts"  # truncations
    roles: str = "ts"  # events in which brokers take on leader epochs
    isrs: str = "start_ts"
    fetches: str = "ts"  # positions in fetches of followers that failed
    min_isr: int | None = None
    deleted: str | None = None  # when a topic of this name was deleted and followed by another


# Brokers 1, 2, 3 run a release in which the high watermark of a leader that is alone follows its log end, brokers 4, 5, 6 one in
# which it waits for min.insync.replicas (facts §1.3). 1, 4 and 6 are killed at 10:10 and start again at 10:20, 6 dies once more at 10:30.
# The lines of 5 are there from 9:00 to 10:30.
VERSIONS = "node_id | version_low | version_high\n" + "\n".join(
    f"{node} | 20802 | 20802" if node < 4 else f"{node} | 30901 | 30901" for node in range(8)
)
# Broker 7 keeps messages without leader epochs; what broker 0 keeps no line tells; of brokers 8 and 9 there are no lines.
OF_BROKERS = "node_id | rule | is_told\n" + "\n".join(
    f"{node} | {'high_watermark' if node == 7 else 'in_fetch'} | {'false' if node == 0 else 'true'}"
    for node in range(8)
)
KILLS = """
    node_id | life | first_ts | last_ts  | ended   | next_start_ts | recovered_event
    1       | 0    |          | 10:10:00 | killed  | 10:20:00      | recovered
    4       | 0    |          | 10:10:00 | killed  | 10:20:00      | recovered
    3       | 0    |          | 10:10:00 | stopped | 10:20:00      |
    5       | 0    | 09:00:00 | 10:30:00 |         |               |
    6       | 0    |          | 10:10:00 | killed  | 10:20:00      | recovered
    6       | 1    |          | 10:30:00 | killed  | 10:40:00      | recovered     """

# Broker 2 is elected at 135 from outside the ISR of leader 1 alone; 1 comes back, its log ending at 170, and cuts it (facts §3.4).
UNCLEAN = """
    leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | isr_before_evidence | replicas | evidence
    4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | any_replica  | 1          | alone               | 1,2,3    | elected """
RETURN = """
    ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
    10:09:00.000 | 1       | 3            | 140            | 141            | isr_shrink           | shrink
    10:20:00.000 | 1       | 3            |                | 170            | log_load_completed   | load
    10:20:01.000 | 1       | 3            | 150            |                | partition_log_loaded | start """
CUT = """
    ts           | node_id | leader_epoch | truncation_offset | log_end_offset | evidence
    10:20:02.000 | 1       | 4            | 135               | 170            | cut"""
ROLES = """
    ts           | kind            | node_id | leader_epoch
    10:10:30.000 | leader_start    | 2       | 4
    10:20:01.500 | follower_start  | 1       | 4 """


def _of_broker_4(text: str) -> str:
    """The same of broker 4 in place of 1."""
    return re.sub(r"\| 1(?= *(?:\||$))", "| 4", text, flags=re.MULTILINE).replace("| 1,2,3 ", "| 4,2,3 ")


# 2 led from 8, without what 1 had above; 3 comes back with 17 records of 1's, is called to follow 2, and leads.
BRANCH = """
    leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
    0            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 1,2,3    | l0
    5            | 2         |                | 8                  | 10:01:00 | 10:01:00  | any_replica  | 1          | 1,2,3    | l5
    6            | 2         |                | 20                 | 10:02:00 | 10:02:00  |              |            | 1,2,3    | l6
    7            | 3         | 2              | 17                 | 10:10:30 | 10:10:30  | any_replica  | 2          | 1,2,3    | elected """
# A new replica's empty log is "truncated to local high watermark 0" by leader epochs as well: no sign that it follows without them.
BRANCH_MARKS = """
    ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
    10:00:00.000 | 1       | 0            |                | 0              | leader_start       | a
    10:00:00.000 | 2       | 0            |                | 0              | follower_start     | b
    10:00:00.010 | 2       | 0            | 0              |                | truncation_to_hw   | empty
    10:00:00.000 | 3       | 0            |                | 0              | follower_start     | c
    10:01:00.000 | 2       | 5            |                | 8              | leader_start       | d
    10:02:00.000 | 2       | 6            |                | 20             | leader_start       | e
    10:03:00.000 | 3       | 0            |                | 17             | log_load_completed | f
    10:03:01.000 | 3       | 6            |                | 17             | follower_start     | g"""

# Broker 1 led, 2 leads from 329, then again in leader epoch 5 from 394; of the time in between no line of broker 1 is here. It comes back with
# 393 and cuts nothing: it had followed leader epoch 4.
UNSEEN = dict(
    changes="""
    leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | isr_before_evidence | replicas | evidence
    4            | 2         | 1              | 329                | 10:10:30 | 10:10:30  | isr          | 1,2        | both                | 1,2,3    | elected """,
    marks="""
    ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
    10:09:00.000 | 1       | 3            | 268            | 268            | leader_start       | led
    10:20:00.000 | 1       | 3            |                | 393            | log_load_completed | load
    10:20:01.000 | 1       | 5            | 393            | 393            | follower_start     | follow """,
    roles="""
    ts           | kind           | node_id | leader_epoch
    10:09:00.000 | leader_start   | 1       | 3
    10:10:30.000 | leader_start   | 2       | 4
    10:20:01.000 | follower_start | 1       | 5 """,
)

# Broker 1, alone in the ISR, leads again from 901; COPIED: its checkpoint was copied before.
LAST_REPLICA = dict(
    isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        5            | 1         | 1   | 10:00:00 | 10:20:05 | alone """,
    changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        5            | 1         |                | 100                | 10:00:00 | 10:00:00  |              |            | 1,2,3    | led
        6            | 1         | 1              | 901                | 10:20:05 | 10:20:06  | isr          | 1          | 1,2,3    | again """,
)
COPIED = """
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source                    | evidence
        10:09:56.000 | 1       | 5            | 1229           |                | checkpoint_high_watermark | copy
        10:20:03.000 | 1       | 5            |                | 901            | log_load_completed        | load
        10:20:04.000 | 1       | 5            | 901            |                | partition_log_loaded      | start """
BEGAN_LONGER = """
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:00:00.000 | 1       | 5            | 100            | 1229           | leader_start         | led
        10:20:03.000 | 1       | 5            |                | 901            | log_load_completed   | load
        10:20:04.000 | 1       | 5            | 901            |                | partition_log_loaded | start """
SHRUNK_LATER = """
        leader_epoch | leader_id | isr   | start_ts | end_ts   | evidence
        5            | 1         | 1,2,3 | 10:00:00 | 10:05:00 | all
        5            | 1         | 1     | 10:05:00 | 10:20:05 | alone """
BEGAN_ALONE = """
        scenario | verdict     | from_offset | to_offset_low | to_offset_high | discarded_to_offset | premise
        S5       | PROVEN_LOSS | 901         | 1229          |                | 1229                | broker 1 was alone in the ISR when it died; its log had reached at least 1229 before, and ended at 901 when it came back; a leader alone in the ISR commits all that it stores """
NOT_ALONE = """
        scenario | verdict       | from_offset | to_offset_low | to_offset_high | discarded_to_offset
        S5       | POSSIBLE_LOSS | 901         | 901           |                | 1229                """

# Broker 2 takes over from 135 as preferred leader; 5, whose release prints no log end as it begins to follow, says of its log that
# there is nothing to cut: the line names its last offset.
MOVED = dict(
    changes="""
    leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
    3            | 5         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 5,2,3    | led
    4            | 2         | 5              | 135                | 10:30:30 | 10:30:30  | isr          | 5,2,3      | 5,2,3    | moved """,
    roles="""
    ts           | kind           | node_id | leader_epoch
    10:30:30.000 | leader_start   | 2       | 4
    10:30:30.100 | follower_start | 5       | 4 """,
)
NOTHING_TO_CUT = """
    ts           | node_id | leader_epoch | log_end_offset | source              | evidence
    10:30:30.200 | 5       | 4            | 135            | log_truncation_noop | whole """

# Leader 1 and its followers lose power; 2 and 3 had fetched up to 433 and 434. The log of 1 comes back with 313, and 1 leads again.
POWER_LOST = dict(
    isrs="""
    leader_epoch | leader_id | isr   | start_ts | end_ts   | evidence
    5            | 1         | 1,2,3 | 10:00:00 | 10:20:05 | all """,
    changes="""
    leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
    5            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 1,2,3    | led
    6            | 1         | 1              | 313                | 10:20:05 | 10:20:06  | isr          | 1,2,3      | 1,2,3    | again """,
    marks="""
    ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
    10:20:03.000 | 1       | 5            |                | 313            | log_load_completed   | load
    10:20:04.000 | 1       | 5            | 313            |                | partition_log_loaded | start """,
    fetches="""
    ts           | node_id | leader_id | leader_epoch | log_end_offset | event_id
    10:10:01.000 | 2       | 1         | 5            | 433            | f2
    10:10:01.200 | 3       | 1         | 5            | 434            | f3 """,
)

# Brokers 1 and 4 are in the ISR and crash together; 4 leads first, with what its disk kept.
CRASHED_TOO = dict(
    changes="""
    leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
    3            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 1,4      | led
    4            | 4         | 1              | 135                | 10:20:30 | 10:20:30  | isr          | 1,4        | 1,4      | elected """,
    isrs="""
    leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
    3            | 1         | 1,4 | 10:00:00 | 10:20:30 | both """,
    roles="""
    ts           | kind           | node_id | leader_epoch
    10:00:00.000 | leader_start   | 1       | 3
    10:20:30.000 | leader_start   | 4       | 4 """,
)
RECOVERED = """
    ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
    10:20:03.000 | 4       | 3            |                | 135            | log_load_completed   | load
    10:20:04.000 | 4       | 3            | 135            |                | partition_log_loaded | start """

CASES = (
    Case(
        "a-member-of-the-isr-that-crashed-too-may-have-lost-committed-records",
        **CRASHED_TOO,
        marks=RECOVERED,
        verdicts="""
        loss_class     | scenario | verdict       | from_offset | to_offset_low | to_offset_high
        committed      | S6       | POSSIBLE_LOSS | 135         | 135           |
        acked_possible | S10      | UNDETERMINED  | 135         | 135           |                """,
    ),
    Case(
        "a-member-of-the-isr-that-crashed-too-and-kept-more-than-it-had-checkpointed",
        **CRASHED_TOO,
        marks=RECOVERED.replace(
            "| 135            |                | partition", "| 120            |                | partition"
        ),
        verdicts="""
        loss_class     | scenario | verdict          | from_offset | to_offset_low | to_offset_high
        committed      | S6       | NO_LOSS_OBSERVED | 135         | 135           | 135
        acked_possible | S10      | UNDETERMINED     | 135         | 135           |                """,
    ),
    Case(
        "a-member-of-the-isr-that-crashed-too-without-a-line-about-its-log",
        **CRASHED_TOO,
        marks="ts",
        verdicts="""
        loss_class     | scenario | verdict      | from_offset | to_offset_low | to_offset_high
        committed      | S6       | UNDETERMINED | 135         | 135           |
        acked_possible | S10      | UNDETERMINED | 135         | 135           |                """,
    ),
    Case(
        "a-member-of-the-isr-that-crashed-and-then-followed-its-leader-again",
        **CRASHED_TOO,
        marks=RECOVERED
        + """
    10:20:05.000 | 4       | 3            |                | 135            | follower_start       | follows """,
        verdicts="""
        loss_class     | scenario | verdict                       | from_offset | to_offset_low | to_offset_high
        committed      |          | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135
        acked_possible | S10      | UNDETERMINED                  | 135         | 135           |                """,
    ),
    Case(  # as leader of its old leader epoch it takes records before the next one begins
        "a-leader-that-crashed-and-took-records-again-before-its-next-leader-epoch",
        isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        5            | 1         | 1,2 | 10:00:00 | 10:20:05 | both """,
        changes=LAST_REPLICA["changes"].replace("| 1          | 1,2,3    | again", "| 1,2        | 1,2,3    | again"),
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:20:03.000 | 1       | 5            |                | 700            | log_load_completed   | load
        10:20:04.000 | 1       | 5            | 700            |                | partition_log_loaded | start """,
        verdicts="""
        leader_epoch | loss_class | scenario | verdict       | from_offset | to_offset_low | to_offset_high
        6            | committed  | S6       | POSSIBLE_LOSS | 700         | 700           |                """,
    ),
    Case(
        "an-old-leader-with-nothing-to-cut-held-no-more-than-the-new-one",
        **MOVED,
        marks=NOTHING_TO_CUT,
        verdicts="""
        loss_class | verdict          | from_offset | to_offset_low | to_offset_high | premise
        committed  | NO_LOSS_OBSERVED | 135         | 135           | 135            | the old leader's log ended at 135 and the new leader starts at 135: nothing was discarded """,
    ),
    Case(
        "without-that-line-nobody-knows-what-it-held-above",
        **MOVED,
        marks="ts",
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135
        acked_possible | UNDETERMINED                  | 135         | 135           |                """,
    ),
    Case(  # by then it may have fetched what the new leader took
        "an-old-leader-with-nothing-to-cut-that-goes-on-past-the-new-ones-begin",
        **MOVED,
        marks=NOTHING_TO_CUT.replace("135", "160"),
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135
        acked_possible | UNDETERMINED                  | 135         | 135           |                """,
    ),
    Case(
        "an-old-leader-that-cuts-its-log-and-then-has-nothing-to-cut",
        **MOVED,
        marks=NOTHING_TO_CUT,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | log_end_offset | evidence
        10:30:30.150 | 5       | 4            | 135               |                | cut """,
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | discarded_to_offset
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135            |
        acked_possible | POSSIBLE_LOSS                 | 135         | 135           |                | 136                 """,
    ),
    Case(  # the line stands after "has no effect" of the same leader epoch: it cut what it had copied since
        "an-old-leader-that-had-nothing-to-cut-and-cuts-later",
        **MOVED,
        marks=NOTHING_TO_CUT,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | log_end_offset | evidence
        10:30:45.000 | 5       | 4            | 135               |                | cut """,
        verdicts="""
        loss_class     | verdict          | from_offset | to_offset_low | to_offset_high | discarded_to_offset
        committed      | NO_LOSS_OBSERVED | 135         | 135           | 135            |                     """,
    ),
    Case(  # up to 0.10 the line stands before the log is compared: it may have had nothing to cut
        "an-old-leader-of-0-10-that-cuts-its-log",
        changes=MOVED["changes"].replace("| 5 ", "| 9 ").replace("| 5,", "| 9,"),
        roles=MOVED["roles"].replace("| 5 ", "| 9 "),
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | log_end_offset | evidence
        10:30:30.150 | 9       | 4            | 135               |                | cut """,
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | discarded_to_offset
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135            |
        acked_possible | UNDETERMINED                  | 135         | 135           |                |                     """,
    ),
    Case(  # its machine may have lost power, and its disk the end of the log
        "an-old-leader-that-died-and-then-has-nothing-to-cut",
        changes=MOVED["changes"].replace("10:30:30", "10:10:30").replace("| 5 ", "| 1 ").replace("| 5,", "| 1,"),
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:10:30.000 | leader_start   | 2       | 4
        10:20:30.100 | follower_start | 1       | 4 """,
        marks=NOTHING_TO_CUT.replace("10:30", "10:20").replace("| 5 ", "| 1 "),
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135
        acked_possible | UNDETERMINED                  | 135         | 135           |                """,
    ),
    Case(
        "what-a-leader-says-that-may-have-followed-its-successor-unseen-proves-nothing",
        **UNSEEN,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        4            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 329         | 329           | 329
        4            | acked_possible | UNDETERMINED                  | 329         | 329           |                """,
    ),
    Case(  # broker 9 may have cut its log to its own high watermark before it led, as broker 7 would have (KIP-101, scenario 1)
        "a-leader-of-which-no-line-tells-in-a-cluster-that-follows-without-leader-epochs",
        changes="""
        leader_epoch | leader_id | last_leader_id | start_ts | elected_from | isr_before | replicas | evidence
        2            | 9         | 8              | 10:10:30 | isr          | 8,9        | 7,8,9    | elected """,
        verdicts="""
        loss_class | verdict      | from_offset | to_offset_high
        committed  | UNDETERMINED | 0           |                """,
    ),
    Case(  # it may keep messages of before 0.11
        "a-leader-that-told-neither-its-settings-nor-where-it-began",
        changes="""
        leader_epoch | leader_id | last_leader_id | start_ts | elected_from | isr_before | replicas | evidence
        2            | 0         | 8              | 10:10:30 | isr          | 0,8        | 0,8,9    | elected """,
        verdicts="""
        loss_class | verdict      | from_offset | to_offset_high | premise
        committed  | UNDETERMINED | 0           |                | broker 0 was in the ISR, but whether its messages carry leader epochs, by which it would hold every committed record (KIP-101), is not logged; no line shows where the old leader's log ended; no line shows where the new leader began """,
    ),
    Case(  # 2's log grew past 394, where 1 began leader epoch 3: it followed 1 then, in lines that are missing
        "a-follower-whose-lines-of-the-last-leader-epoch-are-missing",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        2            | 1         |                | 267                | 10:01:00 | 10:01:00  |              |            | 1,2,3    | led
        3            | 1         | 1              | 394                | 10:02:00 | 10:02:00  |              | 1,2,3      | 1,2,3    | l3
        4            | 2         | 1              | 447                | 10:03:00 | 10:03:00  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:01:00.000 | 1       | 2            | 267            | 267            | leader_start   | a
        10:01:00.010 | 2       | 2            | 267            | 267            | follower_start | b
        10:02:00.000 | 1       | 3            | 393            | 394            | leader_start   | c
        10:03:00.000 | 2       | 4            | 446            | 447            | leader_start   | d
        10:03:00.010 | 1       | 4            | 447            | 447            | follower_start | e """,
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:01:00.000 | leader_start   | 1       | 2
        10:01:00.010 | follower_start | 2       | 2
        10:02:00.000 | leader_start   | 1       | 3
        10:03:00.000 | leader_start   | 2       | 4
        10:03:00.010 | follower_start | 1       | 4 """,
        verdicts="""
        leader_epoch | loss_class | verdict
        4            | committed  | NO_COMMITTED_LOSS_BY_PROTOCOL """,
    ),
    Case(  # 2 led in leader epoch 5, in lines that are missing; what it says later is not of the log that 1 took over at 387
        "an-old-leader-that-led-again-unheard",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | untold_epochs | replicas | evidence
        1            | 2         |                | 149                | 10:01:00 | 10:01:00  |              |            |               | 1,2,3    | led
        3            | 1         | 2              | 387                | 10:02:00 | 10:02:00  | isr          | 1,2,3      | 0             | 1,2,3    | l3
        5            | 2         | 1              |                    | 10:03:00 |           |              | 1,2,3      | 1             | 1,2,3    | l5
        7            | 1         | 2              | 858                | 10:04:00 | 10:04:00  | isr          | 1,2,3      | 0             | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:01:00.000 | 2       | 1            | 148            | 149            | leader_start   | a
        10:01:06.000 | 1       | 1            | 148            | 149            | follower_start | f
        10:02:00.000 | 1       | 3            | 386            | 387            | leader_start   | b
        10:04:00.000 | 1       | 7            | 858            | 858            | leader_start   | c
        10:04:20.000 | 2       | 7            | 858            | 859            | follower_start | d """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | log_end_offset | evidence
        10:04:20.010 | 2       | 7            | 858               | 859            | cut """,
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:01:00.000 | leader_start   | 2       | 1
        10:01:06.000 | follower_start | 1       | 1
        10:02:00.000 | leader_start   | 1       | 3
        10:03:00.000 | follower_start | 1       | 5
        10:04:00.000 | leader_start   | 1       | 7
        10:04:20.000 | follower_start | 2       | 7 """,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_high
        3            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 387         | 387
        3            | acked_possible | UNDETERMINED                  | 387         |
        5            | committed      | UNDETERMINED                  | 0           |
        7            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 858         | 858
        7            | acked_possible | POSSIBLE_LOSS                 | 858         | 859            """,
    ),
    Case(  # 2 led in leader epoch 1, and again in 5; that it followed 3 in between its missing lines would tell
        "an-old-leader-that-leads-again-from-a-log-that-grew-unheard",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | untold_epochs | replicas | evidence
        1            | 2         |                | 149                | 10:01:00 | 10:01:00  |              |            |               | 1,2,3    | led
        3            | 3         | 2              | 385                | 10:02:00 | 10:02:00  | isr          | 1,2,3      | 0             | 1,2,3    | l3
        4            | 3         | 3              | 620                | 10:03:00 | 10:03:00  |              | 1,2,3      | 0             | 1,2,3    | l4
        5            | 2         | 3              | 732                | 10:03:05 | 10:03:05  | isr          | 2,3        | 0             | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:01:00.000 | 2       | 1            | 148            | 149            | leader_start   | a
        10:01:00.100 | 3       | 1            | 148            | 149            | follower_start | b
        10:02:00.000 | 3       | 3            | 385            | 385            | leader_start   | c
        10:03:00.000 | 3       | 4            | 619            | 620            | leader_start   | d
        10:03:05.000 | 2       | 5            | 732            | 732            | leader_start   | e
        10:03:05.010 | 3       | 5            | 732            | 732            | follower_start | f """,
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:01:00.000 | leader_start   | 2       | 1
        10:01:00.100 | follower_start | 3       | 1
        10:02:00.000 | leader_start   | 3       | 3
        10:03:00.000 | leader_start   | 3       | 4
        10:03:05.000 | leader_start   | 2       | 5
        10:03:05.010 | follower_start | 3       | 5 """,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_high
        3            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 385         | 385
        3            | acked_possible | UNDETERMINED                  | 385         |
        5            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 385         | 385            """,
    ),
    # What a replica says is of the history that its log holds, no more
    Case(  # the checkpoint of before the first recovery was past the log's end, and still is after the second
        "a-high-watermark-cut-to-the-log-once-more",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        5            | 2         | 6              | 60                 | 10:35:00 | 10:35:00  | any_replica  | 3,6        | 2,3,6    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:20:00.000 | 6       |              |                | 68             | log_load_completed   | a
        10:20:01.000 | 6       |              | 68             |                | partition_log_loaded | b
        10:20:02.000 | 6       | 3            | 68             | 68             | leader_start         | c
        10:40:00.000 | 6       | 3            |                | 71             | log_load_completed   | d
        10:40:01.000 | 6       | 3            | 71             |                | partition_log_loaded | e
        10:40:02.000 | 6       | 5            | 71             | 71             | follower_start       | f """,
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:20:02.000 | leader_start   | 6       | 3
        10:35:00.000 | leader_start   | 2       | 5
        10:40:02.000 | follower_start | 6       | 5 """,
        verdicts="""
        leader_epoch | loss_class | verdict     | from_offset | to_offset_low | to_offset_high
        5            | committed  | PROVEN_LOSS | 60          | 68            | 71             """,
    ),
    Case(  # broker 3 followed leader epoch 4, was stopped, and starts again within seconds
        "a-high-watermark-that-a-later-life-loads",
        changes=UNCLEAN.replace("any_replica", "isr        ").replace("| 1          |", "| 1,2,3      |"),
        cuts=CUT,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | source               | evidence
        10:20:01.000 | 3       | 4            | 150            | partition_log_loaded | load """,
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:10:30.000 | leader_start   | 2       | 4
        10:19:58.000 | follower_start | 3       | 4
        10:20:01.500 | follower_start | 1       | 4 """,
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135
        acked_possible | POSSIBLE_LOSS                 | 135         | 135           | 170            """,
    ),
    Case(  # broker 3 had cut its log to follow leader epoch 3: what it discarded below its high watermark is another loss
        "a-high-watermark-that-its-replica-cut-away",
        min_isr=2,
        changes=_of_broker_4(UNCLEAN),
        marks=_of_broker_4(RETURN).replace("150 ", "    ").replace("140 ", "    ")
        + """
        10:05:00.000 | 3       | 3            | 160            | 165            | follower_start       | told """,
        cuts=_of_broker_4(CUT)
        + """
        10:05:01.000 | 3       | 3            | 20             | 165            | away""",
        roles=_of_broker_4(ROLES),
        verdicts="""
        leader_epoch | loss_class | verdict       | from_offset | to_offset_low | to_offset_high
        3            | committed  | PROVEN_LOSS   | 20          | 160           |
        4            | committed  | POSSIBLE_LOSS | 135         | 135           | 170            """,
    ),
    # What tells where the old leader's log had ended
    Case(  # 1 comes back with its log cut by its own recovery: how much more it had held nobody knows
        "a-log-that-recovery-found-damaged",
        changes=UNCLEAN.replace("any_replica", "isr        ").replace("| 1          |", "| 1,2,3      |"),
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source                 | evidence
        10:09:00.000 | 1       | 3            | 100            | 100            | leader_start           | led
        10:20:00.000 | 1       | 3            |                | 118            | log_recovery_truncated | found
        10:20:00.100 | 1       | 3            |                | 118            | log_load_completed     | load
        10:20:01.500 | 1       | 4            | 118            | 118            | follower_start         | follow """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | by_recovery | evidence
        10:20:00.000 | 1       |              | 118               | true        | found """,
        roles=ROLES,
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | premise
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135            | broker 2 was in the ISR, which holds every committed record (KIP-101, KIP-279), and no high watermark above its log was seen
        acked_possible | UNDETERMINED                  | 135         | 135           |                | where the log of broker 1 ended when it lost its role is not logged: its recovery found the log damaged and cut it to 118 """,
    ),
    Case(
        "a-cut-after-it-led-again",
        changes=UNCLEAN,
        cuts=CUT,
        roles=ROLES.replace(
            "10:20:01.500 | follower_start  | 1       | 4 ", "10:20:01.500 | leader_start    | 1       | 6 "
        ),
        verdicts="""
        loss_class | verdict      | from_offset | to_offset_low | to_offset_high | evidence
        committed  | UNDETERMINED | 135         | 135           |                | elected,alone """,
    ),
    Case(
        "a-cut-for-a-later-leader",
        changes=UNCLEAN,
        cuts=CUT,
        roles=ROLES.replace("10:20:01.500", "10:20:00.500")
        + """
        10:20:01.000    | follower_start  | 1       | 5 """,
        verdicts="""
        loss_class | verdict      | from_offset | to_offset_low | to_offset_high | evidence
        committed  | UNDETERMINED | 135         | 135           |                | elected,cut,alone """,
    ),
    Case(  # broker 1 leads from its own log of leader epoch 0; that it took on leader epoch 3, which had no leader, says nothing of its log
        "a-leader-epoch-without-a-leader-is-followed-by-nobody",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        0            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 1,2,3    | l0
        1            | 2         | 1              | 0                  | 10:01:00 | 10:01:00  | isr          | 1,2,3      | 1,2,3    | l1
        2            | 3         | 2              | 12                 | 10:02:00 | 10:02:00  | isr          | 2,3        | 1,2,3    | l2
        3            | -1        | 3              |                    | 10:03:00 |           |              |            | 1,2,3    | l3
        4            | 1         | 3              | 66                 | 10:04:00 | 10:04:00  | any_replica  | 3          | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:00:00.000 | 1       | 0            | 0              | 0              | leader_start       | a
        10:01:00.000 | 2       | 1            | 0              | 0              | leader_start       | b
        10:01:01.000 | 3       | 1            |                | 0              | log_truncated_to   | c
        10:02:00.000 | 3       | 2            | 12             | 12             | leader_start       | d
        10:03:30.000 | 1       | 0            |                | 66             | log_load_completed | e
        10:03:31.000 | 1       | 3            |                | 66             | follower_start     | f
        10:04:00.000 | 1       | 4            | 0              | 66             | leader_start       | g
        10:30:00.000 | 3       | 2            |                | 15             | log_load_completed | h """,
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:00:00.000 | leader_start   | 1       | 0
        10:01:00.000 | leader_start   | 2       | 1
        10:01:00.500 | follower_start | 3       | 1
        10:02:00.000 | leader_start   | 3       | 2
        10:04:00.000 | leader_start   | 1       | 4
        10:30:01.000 | follower_start | 3       | 4 """,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        1            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 0           | 0             | 0
        1            | acked_possible | UNDETERMINED                  | 0           | 0             |
        2            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 12          | 12            | 12
        2            | acked_possible | UNDETERMINED                  | 12          | 12            |
        4            | committed      | POSSIBLE_LOSS                 | 0           | 0             | 15             """,
    ),
    # An unclean election: S4
    Case(  # T4: up to 3.6 its high watermark is its log end
        "the-isr-was-the-old-leader-alone",
        changes=UNCLEAN,
        marks=RETURN,
        cuts=CUT,
        roles=ROLES,
        verdicts="""
        leader_epoch | ts       | scenario | loss_class | verdict     | from_offset | to_offset_low | to_offset_high | old_leader_id | new_leader_id | recoverable_from | evidence
        4            | 10:10:30 | S4       | committed  | PROVEN_LOSS | 135         | 170           | 170            | 1             | 2             | []               | elected,start,load,cut,alone """,
    ),
    Case(
        "from-3-7-on-it-waits-for-min-isr",
        min_isr=2,
        changes=_of_broker_4(UNCLEAN),
        marks=_of_broker_4(RETURN),
        cuts=_of_broker_4(CUT),
        roles=_of_broker_4(ROLES),
        verdicts="""
        leader_epoch | scenario | loss_class | verdict     | from_offset | to_offset_low | to_offset_high | old_leader_id | premise
        4            | S4       | committed  | PROVEN_LOSS | 135         | 150           | 170            | 4             | broker 4 logged high watermark 150 as it loaded its log, but broker 2 leads from offset 135 """,
    ),
    Case(
        "unless-min-isr-is-one",
        min_isr=1,
        changes=_of_broker_4(UNCLEAN),
        marks=_of_broker_4(RETURN),
        cuts=_of_broker_4(CUT),
        roles=_of_broker_4(ROLES),
        verdicts="""
        loss_class | verdict     | from_offset | to_offset_low | to_offset_high
        committed  | PROVEN_LOSS | 135         | 170           | 170            """,
    ),
    Case(
        "min-isr-is-not-known",
        changes=_of_broker_4(UNCLEAN),
        marks=_of_broker_4(RETURN),
        cuts=_of_broker_4(CUT),
        roles=_of_broker_4(ROLES),
        verdicts="""
        loss_class | verdict     | from_offset | to_offset_low | to_offset_high
        committed  | PROVEN_LOSS | 135         | 150           | 170            """,
    ),
    Case(
        "the-old-leader-was-not-alone",
        changes=UNCLEAN.replace("| 1          |", "| 1,3        |"),
        marks=RETURN,
        cuts=CUT,
        roles=ROLES,
        verdicts="""
        loss_class | verdict     | from_offset | to_offset_low | to_offset_high
        committed  | PROVEN_LOSS | 135         | 150           | 170            """,
    ),
    Case(  # up to 2.3 no other line at INFO tells when a broker began to follow
        "a-fetcher-tells-whom-the-old-leader-followed",
        changes=UNCLEAN.replace("| 1          |", "| 1,3        |"),
        marks=RETURN,
        cuts=CUT,
        roles="""
        ts           | kind                     | node_id | leader_epoch
        10:10:30.000 | leader_start             | 2       | 4
        10:20:01.500 | fetcher_partitions_added | 1       | 4            """,
        verdicts="""
        loss_class | verdict     | from_offset | to_offset_low | to_offset_high
        committed  | PROVEN_LOSS | 135         | 150           | 170            """,
    ),
    Case(  # nothing that was not in the old leader's log can have been lost of it
        "a-high-watermark-past-the-end-of-the-log",
        changes=UNCLEAN.replace("| 1          |", "| 1,3        |"),
        marks=RETURN.replace("150 ", "180 "),
        cuts=CUT,
        roles=ROLES,
        verdicts="""
        loss_class | verdict     | from_offset | to_offset_low | to_offset_high
        committed  | PROVEN_LOSS | 135         | 170           | 170            """,
    ),
    Case(
        "no-high-watermark-is-known",
        changes=UNCLEAN.replace("| 1          |", "| 1,3        |"),
        cuts=CUT,
        roles=ROLES,
        verdicts="""
        scenario | loss_class | verdict       | from_offset | to_offset_low | to_offset_high | evidence
        S4       | committed  | POSSIBLE_LOSS | 135         | 135           | 170            | elected,cut,alone """,
    ),
    Case(  # the evidence includes the line that shows the log end
        "the-start-of-a-fetcher-shows-the-old-leaders-log-end",
        changes=UNCLEAN.replace("any_replica", "isr        ").replace("| 1          |", "| 1,2        |"),
        cuts=CUT.replace("cut", "cut,added"),
        roles=ROLES,
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | evidence
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135            | elected,cut,added,alone
        acked_possible | POSSIBLE_LOSS                 | 135         | 135           | 170            | elected,cut,added,alone """,
    ),
    Case(
        "the-old-log-was-no-longer",
        changes=UNCLEAN,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:20:00.000 | 1       | 3            |                | 135            | log_load_completed | load """,
        roles=ROLES,
        verdicts="""
        loss_class | verdict          | from_offset | to_offset_low | to_offset_high | recoverable_from | premise
        committed  | NO_LOSS_OBSERVED | 135         | 135           | 135            | []               | the old leader's log ended at 135 and the new leader starts at 135: nothing was discarded; its log end offset was logged after the restart: it is exact if only the process died, and can be too low if the host lost power """,
    ),
    Case(  # it had committed 140, so its log was longer before it died
        "the-old-log-came-back-shorter-than-what-it-had-committed",
        changes=UNCLEAN,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:09:00.000 | 1       | 3            | 140            | 141            | isr_shrink         | shrink
        10:20:00.000 | 1       | 3            |                | 135            | log_load_completed | load """,
        roles=ROLES,
        verdicts="""
        loss_class | verdict      | from_offset | to_offset_low | to_offset_high | premise
        committed  | PROVEN_LOSS  | 135         | 140           |                | broker 1 logged high watermark 140 as it removed a replica from the ISR, but the log of broker 1 ended at 135 when it came back, so it lost records that it had held, and broker 2 leads from offset 135: how much more was lost is not logged """,
    ),
    Case(  # what was committed is in the new leader's log only if it was in the ISR, and nobody knows: 135 is no bound
        "the-old-log-came-back-shorter-and-the-election-may-have-been-clean",
        changes=UNCLEAN.replace("any_replica", "           ").replace("| 135   ", "| 145   "),
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:09:00.000 | 1       | 3            | 140            | 141            | isr_shrink         | shrink
        10:20:00.000 | 1       | 3            |                | 135            | log_load_completed | load """,
        roles=ROLES,
        verdicts="""
        loss_class | verdict      | from_offset | to_offset_low | to_offset_high | premise
        committed  | UNDETERMINED | 135         | 135           |                | broker 1 logged high watermark 140 as it removed a replica from the ISR, but the log of broker 1 ended at 135 when it came back, so it lost records that it had held, and broker 2 leads from offset 145: how much was lost is not logged """,
    ),
    Case(  # but what was committed was in the new leader's log too
        "the-old-log-came-back-shorter-and-the-new-leader-was-in-sync",
        changes=UNCLEAN.replace("any_replica", "isr        ")
        .replace("| 135   ", "| 145   ")
        .replace("| 1          |", "| 1,2        |"),
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:09:00.000 | 1       | 3            | 140            | 141            | isr_shrink         | shrink
        10:20:00.000 | 1       | 3            |                | 135            | log_load_completed | load """,
        roles=ROLES,
        verdicts="""
        loss_class | verdict                       | from_offset | to_offset_low | to_offset_high
        committed  | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135            """,
    ),
    Case(  # the controller took broker 3 out when 1 led no more: 1 never heard of it, and its high watermark waited for 3
        "the-isr-became-the-old-leader-alone-after-it-was-given-up",
        isrs="""
        leader_epoch | partition_epoch | leader_id | isr | start_ts | end_ts   | evidence
        1            | 1               | 1         | 1,3 | 10:00:00 | 10:10:10 | two
        2            | 2               | -1        | 1,3 | 10:10:10 | 10:10:20 | none
        3            | 3               | -1        | 1   | 10:10:20 | 10:10:30 | alone
        4            | 4               | 2         | 2   | 10:10:30 |          | elected """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | isr_before_evidence | replicas | evidence
        1            | 1         |                | 41                 | 10:00:00 | 10:00:00  |              |            |                     | 1,2,3    | led
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | any_replica  | 1          | alone               | 1,2,3    | elected """,
        marks=RETURN.replace("| 3            |", "| 1            |"),
        cuts=CUT,
        roles=ROLES,
        verdicts="""
        leader_epoch | scenario | loss_class | verdict     | from_offset | to_offset_low | to_offset_high
        4            | S4       | committed  | PROVEN_LOSS | 135         | 150           | 170            """,
    ),
    *(
        Case(  # with eligible leader replicas (KIP-966); the ISR that it knew says what it waited for
            f"the-isr-emptied-after-it-was-{isr.replace(',', '-and-')}",
            min_isr=1,
            isrs=f"""
            leader_epoch | partition_epoch | leader_id | isr   | start_ts | end_ts   | evidence
            1            | 1               | 1         | {isr} | 10:00:00 | 10:10:10 | last
            2            | 2               | -1        | []    | 10:10:10 | 10:10:30 | none
            4            | 4               | 2         | 2     | 10:10:30 |          | elected """,
            changes="""
            leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | isr_before_evidence | replicas | evidence
            1            | 1         |                | 41                 | 10:00:00 | 10:00:00  |              |            |                     | 1,2,3    | led
            4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | any_replica  | []         | none                | 1,2,3    | elected """,
            marks=RETURN.replace("| 3            |", "| 1            |"),
            cuts=CUT,
            roles=ROLES,
            verdicts=f"""
            leader_epoch | scenario | loss_class | verdict     | from_offset | to_offset_low | to_offset_high
            4            | S4       | committed  | PROVEN_LOSS | 135         | {proven}      | 170            """,
        )
        for isr, proven in (("1", 170), ("1,3", 150))
    ),
    Case(
        "the-old-leader-does-not-come-back",
        changes=UNCLEAN,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source     | evidence
        10:09:00.000 | 1       | 3            | 140            | 141            | isr_shrink | shrink """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:30.000 | leader_start    | 2       | 4           """,
        verdicts="""
        loss_class | verdict     | from_offset | to_offset_low | to_offset_high | recoverable_from
        committed  | PROVEN_LOSS | 135         | 140           |                | 1                """,
    ),
    *(
        Case(  # broker 1 cuts its log for broker 3, who may hold less than broker 2 did: where 2 began, whose files are missing, is not told by that
            f"a-cut-that-a-later-leader-asked-for-who-was-elected-from-{by.strip() or 'nobody-knows-where'}",
            changes=f"""
            leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
            4            | 2         | 1              |                    | 10:10:30 |           | isr          | 1,2        | 1,2,3    | elected
            5            | 3         | 2              | 135                | 10:15:00 | 10:15:00  | {by}         |            | 1,2,3    | again   """,
            marks="""
            ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
            10:20:01.000 | 1       | 5            | 150            | 170            | follower_start | follows """,
            cuts="""
            ts           | node_id | leader_epoch | truncation_offset | evidence
            10:20:02.000 | 1       | 5            | 135               | cut """,
            roles="""
            ts           | kind           | node_id | leader_epoch
            10:15:00.000 | leader_start   | 3       | 5
            10:20:01.000 | follower_start | 1       | 5 """,
            verdicts=f"""
            leader_epoch | scenario   | loss_class     | verdict                       | from_offset | to_offset_low
            4            |            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 150         | 150
            4            | S10        | acked_possible | UNDETERMINED                  | 150         | 150
            5            | {scenario} | committed      | PROVEN_LOSS                   | 135         | 150           """,
        )
        for by, scenario in (("any_replica", "S4"), ("", ""))
    ),
    Case(  # the same leader in another leader epoch holds what it held: with its start in no line the cut tells where the logs part
        "a-cut-that-the-same-leader-asked-for-in-a-later-leader-epoch",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              |                    | 10:10:30 |           | isr          | 1,2        | 1,2,3    | elected
        5            | 2         | 2              |                    | 10:15:00 |           |              |            | 1,2,3    | again   """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:20:01.000 | 1       | 5            | 130            | 170            | follower_start | follows """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | evidence
        10:20:02.000 | 1       | 5            | 135               | cut """,
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:20:01.000 | follower_start | 1       | 5 """,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        4            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135
        4            | acked_possible | POSSIBLE_LOSS                 | 135         | 135           | 170            """,
    ),
    # A clean election without leader epochs: a replica cuts its log to its own high watermark as it begins to follow (KIP-101, scenario 1)
    *(
        Case(
            f"a-new-leader-that-led-{name}",
            changes="""
            leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
            4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
            marks=f"""
            ts           | node_id | leader_epoch | high_watermark | log_end_offset | source           | evidence
            10:10:10.000 | 2       | 3            | {hw}           |                | truncation_to_hw | own
            {end} """,
            cuts="""
            ts           | node_id | leader_epoch | truncation_offset | evidence
            10:10:11.000 | 2       |              | 135               | cut """,
            roles="""
            ts           | kind           | node_id | leader_epoch
            10:10:30.000 | leader_start   | 2       | 4
            10:20:01.000 | follower_start | 1       | 4 """,
            verdicts=f"""
            leader_epoch | scenario | loss_class | verdict | from_offset | to_offset_low | to_offset_high
            4            | {verdict} """,
        )
        for name, hw, end, verdict in (
            ("before-it-had-fetched-anything-again", 135, "", "S1 | committed | POSSIBLE_LOSS | 135 | 135 | "),
            (
                "so-and-the-old-log-is-known",
                135,
                "10:20:01.000 | 1 | 4 | 130 | 170 | follower_start | follows",
                "S1 | committed | POSSIBLE_LOSS | 135 | 135 | 170",
            ),
            (
                "so-and-the-old-log-ends-there-too",
                135,
                "10:20:01.000 | 1 | 4 | 130 | 135 | follower_start | follows",
                "| committed | NO_LOSS_OBSERVED | 135 | 135 | 135",
            ),
        )
    ),
    Case(
        "a-new-leader-that-cut-its-log-as-leader-epochs-say",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:20:01.000 | 1       | 4            | 130            | 170            | follower_start | follows """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | evidence
        10:10:11.000 | 2       |              | 135               | cut """,
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:10:30.000 | leader_start   | 2       | 4
        10:20:01.000 | follower_start | 1       | 4 """,
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135
        acked_possible | POSSIBLE_LOSS                 | 135         | 135           | 170            """,
    ),
    *(
        Case(  # broker 3 tells that replicas follow without leader epochs; of broker 2, who leads, there may be no line
            f"a-new-leader-of-which-there-is-{'a' if seen else 'no'}-line-where-replicas-follow-without-leader-epochs",
            changes="""
            leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
            4            | 2         | 1              |                    | 10:10:30 |           | isr          | 1,2        | 1,2,3    | elected """,
            marks="""
            ts           | node_id | leader_epoch | high_watermark | source           | evidence
            10:10:31.000 | 3       | 4            | 118            | truncation_to_hw | other """,
            roles="""
            ts           | kind                          | node_id | leader_epoch
            10:10:30.000 | broker_leader_and_isr_received | 2      | 4 """
            if seen
            else "ts | kind | node_id | leader_epoch",
            verdicts=f"""
            loss_class     | verdict
            {verdicts} """,
        )
        for seen, verdicts in (
            (True, "committed | NO_COMMITTED_LOSS_BY_PROTOCOL\n acked_possible | UNDETERMINED"),
            (False, "committed | UNDETERMINED"),
        )
    ),
    # What was truncated where the leader before is unknown
    Case(  # the logs begin in the middle: 2 cuts what it knew to be committed, so its leader lacks that
        "a-cut-below-its-own-high-watermark-after-a-leader-that-no-line-names",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | confidence | replicas | evidence
        4            | 3         |                | 293                | 10:10:30 | 10:10:30  | observed   | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:20:01.000 | 2       | 4            | 2784           | 2870           | follower_start | follows """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | log_end_offset | rule     | evidence
        10:20:02.000 | 2       | 4            | 293               | 2870           | in_fetch | cut """,
        verdicts="""
        leader_epoch | verdict     | from_offset | to_offset_low | to_offset_high | discarded_to_offset | cut_by | evidence            | premise
        4            | PROVEN_LOSS | 293         | 2784          |                | 2870                | 2      | cut,follows,elected | broker 2 logged high watermark 2784 as it became a follower: the records below it were committed. Broker 2 truncated its log from 2870 to 293 to follow a leader that no line names in leader epoch 4, and a follower truncates only what its leader's log lacks """,
    ),
    Case(  # the leader epochs in both logs show that the leader's log has all of this: the line is of another partition or cluster
        "a-cut-that-the-leader-epochs-of-both-logs-refute",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | confidence | replicas | evidence
        0            | 3         |                | 0                  | 10:00:00 | 10:00:00  | observed   | 1,2,3    | created
        1            | 3         | 3              | 342                | 10:10:30 | 10:10:30  | observed   | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:10:31.000 | 2       | 1            | 142            | 184            | follower_start | follows """,
        cuts="""
        ts           | node_id | leader_epoch | leader_id | truncation_offset | log_end_offset | expected_offset | rule     | evidence
        10:20:02.000 | 2       | 1            | 3         | 60                | 184            | 184             | in_fetch | cut """,
        verdicts="verdict",
    ),
    *(
        Case(
            name,
            changes="""
            leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | confidence | replicas | evidence
            0            | 5         |                | 0                  | 10:00:00 | 10:00:00  | observed   | 2,3,5    | created """,
            cuts=f"""
            ts           | node_id | truncation_offset | rule     | evidence
            {cut_ts} | 5       | 60                | in_fetch | cut """,
            roles="""
            ts           | kind         | node_id | leader_epoch
            10:00:00.000 | leader_start | 5       | 0 """,
            verdicts=verdicts,
        )
        for name, cut_ts, verdicts in (
            ("a-cut-of-a-replica-that-leads", "10:20:02.000", "verdict"),
            # The file of its roles can end before: it may follow by then.
            ("a-cut-in-the-last-line-of-a-replica-that-led", "10:29:58.000", "verdict\n UNDETERMINED"),
        )
    ),
    Case(  # nothing that was committed: only the range is known
        "a-cut-above-its-own-high-watermark-after-a-leader-that-no-line-names",
        cuts="""
        ts           | node_id | leader_epoch | leader_id | truncation_offset | log_end_offset | high_watermark | rule     | evidence
        10:20:02.000 | 3       | 12           | 2         | 88123             | 88177          | 88100          | in_fetch | cut """,
        verdicts="""
        leader_epoch | verdict      | from_offset | to_offset_low | to_offset_high | discarded_to_offset | cut_by | premise
        12           | UNDETERMINED | 88123       | 88123         |                | 88177               | 3      | broker 3 truncated its log from 88177 to 88123 to follow broker 2 in leader epoch 12; which broker led before, and whether the truncated records were committed or acknowledged, is not logged """,
    ),
    Case(  # it fetches from a complete leader what it cut: to its own high watermark is no proof (I14)
        "a-cut-to-its-own-stale-high-watermark-after-a-leader-that-no-line-names",
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source           | evidence
        10:09:00.000 | 7       | 3            | 160            |                | follower_start   | told
        10:20:01.000 | 7       | 4            | 140            |                | truncation_to_hw | own """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | log_end_offset | rule           | evidence
        10:20:01.000 | 7       | 4            | 140               | 165            | high_watermark | cut """,
        verdicts="""
        verdict      | from_offset | to_offset_low | to_offset_high | discarded_to_offset
        UNDETERMINED | 140         | 140           |                | 165                 """,
    ),
    Case(  # the last replica comes back before the logs begin, or its files are missing: what it lost is in no line
        "a-leader-that-leads-again-after-a-time-without-one-and-whose-lines-are-missing",
        changes="""
        leader_epoch | leader_id | last_leader_id | old_leader_id | epoch_start_offset | start_ts | leader_ts | confidence | elected_from | isr_before | replicas | evidence
        1            | 8         |                |               | 100                | 10:00:00 | 10:00:00  | inferred   |              |            | 8,2,3    | led
        2            | -1        | 8              | 8             |                    | 10:10:00 |           | observed   |              | 8          | 8,2,3    | none
        3            | 8         | 8              | -1            | 899                | 10:20:00 | 10:20:00  | observed   | isr          | 8          | 8,2,3    | again """,
        verdicts="""
        leader_epoch | verdict      | from_offset | to_offset_low | to_offset_high | premise
        3            | UNDETERMINED | 899         | 899           |                | broker 8 leads from offset 899 in leader epoch 3, as it did before a time without a leader; its files do not cover that time, so whether it came back with all of its log is not logged """,
    ),
    Case(  # server.log alone: leader epochs 1 to 3 are in no line
        "a-leader-that-leads-again-after-leader-epochs-that-no-line-names",
        changes="""
        leader_epoch | leader_id | last_leader_id | untold_epochs | start_ts | confidence | replicas | evidence
        0            | 2         |                |               | 10:00:00 | inferred   | 1,2,3    | led
        4            | 2         | 2              | 3             | 10:10:00 | inferred   | 1,2,3    | again """,
        verdicts="""
        leader_epoch | verdict      | from_offset | to_offset_low | to_offset_high
        4            | UNDETERMINED | 0           | 0             |                """,
    ),
    Case(  # its recovery found a damaged log, and no line of that time names a leader
        "a-damaged-log-of-a-time-without-any-known-leader",
        cuts="""
        ts           | node_id | truncation_offset | by_recovery | evidence
        10:20:02.000 | 2       | 899               | true        | cut """,
        verdicts="""
        leader_epoch | verdict      | from_offset | to_offset_low | to_offset_high
        -1           | UNDETERMINED | 899         | 899           |                """,
    ),
    Case(  # the last lines of server.log alone: which leader's log lacked this, and in which leader epoch, is in no line
        "a-cut-in-a-fetch-from-a-leader-in-a-leader-epoch-that-no-line-names",
        cuts="""
        ts           | node_id | truncation_offset | rule     | evidence
        10:20:02.000 | 2       | 244               | in_fetch | cut """,
        verdicts="""
        leader_epoch | verdict      | from_offset | to_offset_low | to_offset_high | cut_by | premise
        -1           | UNDETERMINED | 244         | 244           |                | 2      | broker 2 truncated its log to 244 to follow a leader that no line names; which broker led before, and whether the truncated records were committed or acknowledged, is not logged """,
    ),
    Case(  # server.log alone: the new leader followed the old one again, which led from the log with which it had died
        "a-new-leader-whose-log-held-all-of-the-old-leaders-log",
        changes="""
        leader_epoch | leader_id | last_leader_id | untold_epochs | start_ts | confidence | replicas | evidence
        0            | 1         |                |               | 10:00:00 | inferred   | 1,2,3    | led
        1            | 2         | 1              | 0             | 10:10:30 | inferred   | 1,2,3    | elected
        4            | 1         |                |               | 10:20:30 | inferred   | 1,2,3    | again """,
        marks="""
        ts           | node_id | leader_epoch | log_end_offset | source             | evidence
        10:20:01.000 | 1       |              | 279            | log_load_completed | loaded """,
        cuts="""
        ts           | node_id | leader_id | leader_epoch | truncation_offset | log_end_offset | rule     | evidence
        10:21:00.000 | 2       | 1         | 4            | 279               | 553            | in_fetch | cut """,
        verdicts="""
        leader_epoch | verdict          | from_offset | to_offset_low | to_offset_high
        1            | NO_LOSS_OBSERVED | 279         | 279           | 279
        4            | UNDETERMINED     | 279         | 279           |                """,
    ),
    Case(  # the same, but it truncated to less than the old leader held: the rest was not in its log
        "a-new-leader-whose-log-held-less-than-the-old-leaders-log",
        changes="""
        leader_epoch | leader_id | last_leader_id | untold_epochs | start_ts | confidence | replicas | evidence
        0            | 1         |                |               | 10:00:00 | inferred   | 1,2,3    | led
        1            | 2         | 1              | 0             | 10:10:30 | inferred   | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | log_end_offset | source             | evidence
        10:20:01.000 | 1       |              | 279            | log_load_completed | loaded """,
        cuts="""
        ts           | node_id | leader_id | leader_epoch | truncation_offset | log_end_offset | rule     | evidence
        10:21:00.000 | 2       | 1         | 4            | 270               | 553            | in_fetch | cut """,
        verdicts="""
        leader_epoch | verdict      | from_offset | to_offset_low
        1            | UNDETERMINED | 0           | 0
        4            | UNDETERMINED | 270         | 270           """,
    ),
    Case(  # the leader epoch of a new topic, and one that began before the logs, are no change of leader
        "a-leader-epoch-that-began-before-the-logs",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | confidence | replicas | evidence
        7            | 3         |                |                    | 10:10:30 |           | inferred   | 1,2,3    | led """,
        verdicts="verdict",
    ),
    # A clean election
    Case(
        "what-a-deposed-leader-held-above",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:10:30.000 | 2       | 4            | 133            | 135            | leader_start   | leads
        10:10:31.000 | 1       | 4            | 134            | 170            | follower_start | follows """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:30.000 | leader_start    | 2       | 4
        10:10:31.000 | follower_start  | 1       | 4           """,
        verdicts="""
        leader_epoch | scenario | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | recoverable_from | evidence
        4            |          | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135            | []               | elected,follows
        4            | S10      | acked_possible | POSSIBLE_LOSS                 | 135         | 135           | 170            | []               | elected,follows """,
    ),
    Case(
        "both-logs-end-alike",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 170                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:10:31.000 | 1       | 4            | 168            | 170            | follower_start | follows """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:31.000 | follower_start  | 1       | 4           """,
        verdicts="""
        loss_class | verdict          | from_offset | to_offset_low | to_offset_high | premise
        committed  | NO_LOSS_OBSERVED | 170         | 170           | 170            | the old leader's log ended at 170 and the new leader starts at 170: nothing was discarded """,
    ),
    Case(
        "where-its-log-ended-is-in-no-line",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        verdicts="""
        scenario | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | recoverable_from | premise
                 | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135            | []               | broker 2 was in the ISR, which holds every committed record (KIP-101, KIP-279), and no high watermark above its log was seen
        S10      | acked_possible | UNDETERMINED                  | 135         | 135           |                | 1                | where the log of broker 1 ended when it lost its role is not logged: it does not follow a later leader in these logs """,
    ),
    Case(
        "an-empty-log-came-back-empty",
        isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        5            | 1         | 1   | 10:00:00 | 10:20:05 | alone """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        5            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 1,2      | led
        6            | 1         | 1              | 0                  | 10:20:05 | 10:20:06  | isr          | 1          | 1,2      | again """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source                    | evidence
        10:20:03.000 | 1       | 5            |                | 0              | log_load_completed        | load
        10:20:04.000 | 1       | 5            | 0              |                | partition_log_loaded      | start
                     | 1       |              | 0              |                | checkpoint_high_watermark | end
                     | 2       |              | 0              |                | checkpoint_high_watermark | end """,
        verdicts="""
        scenario | verdict          | from_offset | to_offset_low | to_offset_high | premise
        S5       | NO_LOSS_OBSERVED | 0           | 0             | 0              | broker 1 came back with an empty log; the checkpoints of all replicas have the high watermark 0, and no line shows that the partition ever held a record """,
    ),
    Case(
        "it-came-back-into-the-isr-without-a-line-of-its-own",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        3            | 1         | 1,2 | 10:00:00 | 10:10:30 | before
        4            | 2         | 2   | 10:10:30 | 10:21:00 | alone
        4            | 2         | 1,2 | 10:21:00 |          | again """,
        verdicts="""
        loss_class     | verdict                       | recoverable_from | premise
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | []               | broker 2 was in the ISR, which holds every committed record (KIP-101, KIP-279), and no high watermark above its log was seen
        acked_possible | UNDETERMINED                  | []               | where the log of broker 1 ended when it lost its role is not logged: it came back into the ISR of a later leader, so it had truncated what that leader's log lacked """,
    ),
    Case(  # up to 2.5 a leader that becomes a follower does not say where its log ends
        "it-said-as-leader-how-far-it-had-come",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        3            | 1         |                | 20                 | 10:00:00 | 10:00:00  | isr          | 1,2        | 1,2,3    | before
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source     | evidence
        10:10:58.000 | 1       | 3            | 134            | 170            | isr_shrink | stale """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | by_recovery | evidence
        10:11:00.000 | 1       | 4            | 135               | false       | cut """,
        roles="""
        ts           | kind           | node_id | leader_epoch
        10:10:30.000 | leader_start   | 2       | 4
        10:10:59.000 | follower_start | 1       | 4           """,
        verdicts="""
        leader_epoch | scenario | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | evidence          | premise
        4            |          | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135            | elected,stale,cut | broker 2 was in the ISR, which holds every committed record (KIP-101, KIP-279), and no high watermark above its log was seen
        4            | S10      | acked_possible | POSSIBLE_LOSS                 | 135         | 135           |                | elected,stale,cut | the log of broker 1 reached at least 170 while it led, and the new leader starts at 135: the rest was discarded, and how far the log went in the end is not logged; only a producer with acks=1 can have received an acknowledgement for it """,
    ),
    Case(
        "it-was-reassigned-away",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 2,3      | elected """,
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | recoverable_from | premise
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         | 135           | 135            | []               | broker 2 was in the ISR, which holds every committed record (KIP-101, KIP-279), and no high watermark above its log was seen
        acked_possible | UNDETERMINED                  | 135         | 135           |                | []               | where the log of broker 1 ended when it lost its role is not logged: it was reassigned away and its log deleted """,
    ),
    Case(  # a follower that has something to cut says so
        "it-follows-and-cuts-nothing",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source     | evidence
        10:10:40.000 | 1       | 4            | 137            |                | hw_updated | later """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:31.000 | follower_start  | 1       | 4           """,
        verdicts="""
        loss_class | verdict                       | from_offset
        committed  | NO_COMMITTED_LOSS_BY_PROTOCOL | 135         """,
    ),
    Case(
        "the-new-leaders-start-is-in-no-line",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              |                    | 10:10:30 | isr          | 1,2        | 1,2,3    | elected """,
        verdicts="""
        loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high | premise
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 0           | 0             | 0              | broker 2 was in the ISR, which holds every committed record (KIP-101, KIP-279), and no high watermark above its log was seen; the offset it started from is not in these logs
        acked_possible | UNDETERMINED                  | 0           | 0             |                | no line shows from which offset broker 2 leads, so whether the end of the log of broker 1 was discarded is not logged; only a producer with acks=1 can have received an acknowledgement for it """,
    ),
    # Several changes in a row, after which the two logs part deeper than the new leader's start (KIP-279)
    Case(  # 2 led epoch 1 to 35, 3 went on from 21 without it and 1 after 3; 2 began to follow 1 but never reached it
        "the-new-leader-comes-from-an-older-branch",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        0            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 1,2,3    | l0
        1            | 2         |                | 8                  | 10:01:00 | 10:01:00  |              |            | 1,2,3    | l1
        2            | 3         |                | 21                 | 10:02:00 | 10:02:00  | any_replica  | 2          | 1,2,3    | l2
        3            | 1         |                | 52                 | 10:03:00 | 10:03:00  |              |            | 1,2,3    | l3
        4            | 2         | 1              | 35                 | 10:10:30 | 10:10:30  | any_replica  | 1          | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | log_end_offset | source             | evidence
        10:00:00.000 | 1       | 0            | 0              | leader_start       | a
        10:00:00.000 | 2       | 0            | 0              | follower_start     | b
        10:00:00.000 | 3       | 0            | 0              | follower_start     | c
        10:01:00.000 | 1       | 1            | 8              | follower_start     | d
        10:01:00.000 | 2       | 1            | 8              | leader_start       | e
        10:01:00.000 | 3       | 1            | 3              | follower_start     | f
        10:02:00.000 | 3       | 2            | 21             | leader_start       | g
        10:02:01.000 | 1       | 2            | 8              | follower_start     | h
        10:03:00.000 | 1       | 3            | 52             | leader_start       | i
        10:04:00.000 | 2       | 1            | 35             | log_load_completed | j
        10:04:01.000 | 2       | 3            | 35             | follower_start     | k
        10:10:30.000 | 2       | 4            | 35             | leader_start       | l
        10:20:00.000 | 1       | 3            | 67             | log_load_completed | m """,
        verdicts="""
        leader_epoch | scenario | loss_class | verdict     | from_offset | to_offset_low | to_offset_high | evidence      | premise
        4            | S4       | committed  | PROVEN_LOSS | 21          | 67            | 67             | elected,m,l2  | broker 1 was alone in the ISR, so its high watermark was its log end offset: all of its log up to 67 was committed, and broker 2, outside that ISR, leads from 35; their logs diverge at 21 already; its log end offset was logged after the restart: it is exact if only the process died, and can be too low if the host lost power """,
    ),
    Case(  # 2 took in seven records that nobody had copied and died; their producers sent them to 3, which committed them
        "the-new-leaders-own-records-may-be-those-that-were-sent-again",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        0            | 2         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 1,2,3    | l0
        1            | 3         |                | 227                | 10:01:00 | 10:01:00  | isr          | 1,2,3      | 1,2,3    | l1
        2            | 1         |                | 512                | 10:02:00 | 10:02:00  | isr          | 1,3        | 1,2,3    | l2
        4            | 2         | 1              | 234                | 10:10:30 | 10:10:30  | any_replica  | 1          | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | log_end_offset | source             | evidence
        10:00:00.000 | 1       | 0            | 0              | follower_start     | a
        10:00:00.000 | 2       | 0            | 0              | leader_start       | b
        10:01:00.000 | 1       | 1            | 227            | follower_start     | c
        10:01:00.000 | 3       | 1            | 227            | leader_start       | d
        10:02:00.000 | 1       | 2            | 512            | leader_start       | e
        10:10:30.000 | 2       | 4            | 234            | leader_start       | f
        10:20:00.000 | 1       | 4            | 1089           | follower_start     | g """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | log_end_offset | evidence
        10:20:00.100 | 1       | 4            | 227               | 1089           | cut """,
        verdicts="""
        leader_epoch | scenario | loss_class | verdict       | from_offset | to_offset_low | to_offset_high | discarded_to_offset
        4            | S4       | committed  | POSSIBLE_LOSS | 227         | 227           | 234            | 234
        4            | S4       | committed  | PROVEN_LOSS   | 234         | 1089          | 1089           | 1089                """,
    ),
    Case(  # 2 led from 8, without what 1 had above; 3 returns with 17 records of 1's and leads before it reached 2
        "the-old-leaders-branch-began-below-the-new-leaders-end",
        changes=BRANCH,
        marks=BRANCH_MARKS
        + """
        10:10:30.000 | 3       | 7            |                | 17             | leader_start       | h
        10:20:00.000 | 2       | 6            |                | 37             | log_load_completed | i """,
        verdicts="""
        leader_epoch | scenario | loss_class | verdict     | from_offset | to_offset_low | to_offset_high
        7            | S4       | committed  | PROVEN_LOSS | 8           | 37            | 37             """,
    ),
    Case(  # the same, but it reached 2, cut its log and copied nine records of it
        "the-new-leader-had-cut-its-log-to-follow",
        changes=BRANCH,
        marks=BRANCH_MARKS
        + """
        10:03:02.000 | 3       | 6            |                | 8              | log_truncated_to   | h
        10:10:30.000 | 3       | 7            |                | 17             | leader_start       | i
        10:20:00.000 | 2       | 6            |                | 37             | log_load_completed | j """,
        verdicts="""
        leader_epoch | scenario | loss_class | verdict     | from_offset | to_offset_low | to_offset_high
        7            | S4       | committed  | PROVEN_LOSS | 17          | 37            | 37             """,
    ),
    Case(  # the controller may have taken it out when it died, as far as these logs tell
        "the-new-leader-started-anew-since-it-was-seen-in-the-isr",
        isrs="""
        leader_epoch | partition_epoch | leader_id | isr   | start_ts | end_ts   | evidence
        0            | 7               | 1         | 1,2,3 | 10:01:00 | 10:10:30 | isr
        1            | 10              | 3         | 3     | 10:10:30 |          | elected """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | isr_before_evidence | replicas | evidence
        1            | 3         | 1              | 67                 | 10:10:30 | 10:10:30  | isr          | 1,2,3      | isr                 | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:05:00.000 | 3       | 0            |                | 67             | log_load_completed | load
        10:20:00.000 | 1       | 1            | 41             | 91             | follower_start     | follows """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:30.000 | leader_start    | 3       | 1
        10:20:00.000 | follower_start  | 1       | 1           """,
        verdicts="""
        leader_epoch | loss_class | verdict      | from_offset | to_offset_low | to_offset_high | premise
        1            | committed  | UNDETERMINED | 67          | 67            | 91             | broker 3 started anew after the last state that shows it in the ISR (partition epoch 7), and changes of the ISR since then are not logged """,
    ),
    Case(  # its leader announced the ISR before any line shows a leader epoch
        "the-new-leader-started-anew-since-it-was-seen-in-an-isr-without-a-leader-epoch",
        isrs="""
        leader_epoch | partition_epoch | leader_id | isr   | start_ts | end_ts   | evidence
                     | 5               | 1         | 1,2   | 10:00:30 | 10:00:40 | shrink
                     | 7               | 1         | 1,2,3 | 10:01:00 | 10:10:30 | isr
        2            | 10              | 3         | 3     | 10:10:30 |          | elected """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | isr_before_evidence | replicas | evidence
        2            | 3         | 1              | 67                 | 10:10:30 | 10:10:30  | isr          | 1,2,3      | isr                 | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:05:00.000 | 3       | 0            |                | 67             | log_load_completed | load
        10:20:00.000 | 1       | 2            | 41             | 91             | follower_start     | follows """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:30.000 | leader_start    | 3       | 2
        10:20:00.000 | follower_start  | 1       | 2           """,
        verdicts="""
        leader_epoch | loss_class | verdict      | from_offset | to_offset_low | to_offset_high | premise
        2            | committed  | UNDETERMINED | 67          | 67            | 91             | broker 3 started anew after the last state that shows it in the ISR (partition epoch 7), and changes of the ISR since then are not logged """,
    ),
    Case(
        "but-it-was-seen-there-again",
        isrs="""
        leader_epoch | partition_epoch | leader_id | isr   | start_ts | end_ts   | evidence
        0            | 7               | 1         | 1,2,3 | 10:06:00 | 10:10:30 | isr
        1            | 10              | 3         | 3     | 10:10:30 |          | elected """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | isr_before_evidence | replicas | evidence
        1            | 3         | 1              | 67                 | 10:10:30 | 10:10:30  | isr          | 1,2,3      | isr                 | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:05:00.000 | 3       | 0            |                | 67             | log_load_completed | load
        10:20:00.000 | 1       | 1            | 41             | 91             | follower_start     | follows """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:30.000 | leader_start    | 3       | 1
        10:20:00.000 | follower_start  | 1       | 1           """,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        1            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 67          | 67            | 67
        1            | acked_possible | POSSIBLE_LOSS                 | 67          | 67            | 91             """,
    ),
    # KIP-101: S1
    Case(  # [rec 2.3.1] broker 3 cut its log to its own high watermark and led before it could fetch again
        "a-follower-that-cut-to-its-high-watermark-leads",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | isr_before_evidence | replicas | evidence
        2            | 3         | 1              | 319                | 10:10:30 | 10:10:30  | isr          | 1,3        | isr                 | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:20:00.000 | 1       | 1            |                | 419            | log_load_completed   | load
        10:20:01.000 | 1       | 1            | 334            |                | partition_log_loaded | start """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | log_end_offset | evidence
        10:10:28.000 | 3       | 1            | 319               | 345            | own-cut
        10:20:02.000 | 1       | 2            | 334               | 419            | cut """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:30.000 | leader_start    | 3       | 2
        10:20:01.500 | follower_start  | 1       | 2           """,
        verdicts="""
        leader_epoch | scenario | loss_class     | verdict       | from_offset | to_offset_low | to_offset_high | old_leader_id | new_leader_id | evidence                           | premise
        2            | S1       | committed      | PROVEN_LOSS   | 319         | 334           | 334            | 1             | 3             | elected,start,load,cut,own-cut,isr | broker 1 logged high watermark 334 as it loaded its log, but broker 3 leads from offset 319
        2            | S10      | acked_possible | POSSIBLE_LOSS | 334         | 334           | 419            | 1             | 3             | elected,start,load,cut,own-cut,isr | the log of broker 1 ended at 419 and the new leader starts at 319: what it held above the high watermark 334 was discarded too; only a producer with acks=1 can have received an acknowledgement for it """,
    ),
    Case(
        "its-high-watermark-was-all-that-was-committed",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        2            | 3         | 1              | 319                | 10:10:30 | 10:10:30  | isr          | 1,3        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:20:00.000 | 1       | 1            |                | 419            | log_load_completed   | load
        10:20:01.000 | 1       | 1            | 319            |                | partition_log_loaded | start """,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | log_end_offset | evidence
        10:10:28.000 | 3       | 1            | 319               | 345            | own-cut """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:20:01.500 | follower_start  | 1       | 2           """,
        verdicts="""
        scenario | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
                 | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 319         | 319           | 319
        S10      | acked_possible | POSSIBLE_LOSS                 | 319         | 319           | 419            """,
    ),
    # Whose word counts
    Case(
        "what-the-new-leader-commits-afterwards",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:10:31.000 | 1       | 4            | 134            | 135            | follower_start | follows
        10:11:00.000 | 2       | 4            | 500            | 510            | isr_shrink     | later
        10:11:00.000 | 1       | 4            | 500            |                | hw_updated     | later-too """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:30.000 | leader_start    | 2       | 4
        10:10:31.000 | follower_start  | 1       | 4           """,
        verdicts="""
        loss_class | verdict          | from_offset | to_offset_high
        committed  | NO_LOSS_OBSERVED | 135         | 135            """,
    ),
    Case(  # clocks of two nodes do not order what is this close
        "a-third-nodes-word-of-a-second-before",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2      | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | source     | evidence
        10:10:29.000 | 3       | 3            | 140            | hw_updated | near """,
        verdicts="""
        loss_class     | verdict                       | from_offset
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135
        acked_possible | UNDETERMINED                  | 135         """,
    ),
    Case(
        "a-third-nodes-word-of-a-minute-before",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2      | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | source     | evidence
        10:09:30.000 | 3       | 3            | 140            | hw_updated | far  """,
        verdicts="""
        loss_class     | verdict      | from_offset | to_offset_low | to_offset_high
        committed      | PROVEN_LOSS  | 135         | 140           | 140
        acked_possible | UNDETERMINED | 140         | 140           |                """,
    ),
    Case(  # `Completed load … highWatermark=` is a default (facts §8, trap 9)
        "a-value-that-is-no-anchor",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2      | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:09:30.000 | 3       | 3            | 140            | 140            | log_load_completed | load """,
        verdicts="""
        loss_class     | verdict                       | from_offset
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135
        acked_possible | UNDETERMINED                  | 135         """,
    ),
    Case(  # 2784 was given up with epoch 4; of the time since then only 160 is known
        "after-an-unclean-election-the-old-history-does-not-count",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 3              | 135                | 10:05:00 | 10:05:00  | any_replica  | 3          | 1,2,3    | unclean
        5            | 1         | 2              | 170                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:04:00.000 | 3       | 3            | 2784           |                | hw_updated     | old
        10:06:00.000 | 3       | 3            | 2784           |                | hw_updated     | returned
        10:07:00.000 | 3       | 4            | 160            |                | hw_updated     | new
        10:10:31.000 | 2       | 5            | 160            | 172            | follower_start | follows """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:05:00.000 | leader_start    | 2       | 4
        10:06:30.000 | follower_start  | 3       | 4
        10:10:31.000 | follower_start  | 2       | 5           """,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        4            | committed      | PROVEN_LOSS                   | 135         | 2784          |
        5            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 170         | 170           | 170
        5            | acked_possible | POSSIBLE_LOSS                 | 170         | 170           | 172            """,
    ),
    Case(
        "after-an-unclean-election-the-new-history-counts",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 2         | 3              | 135                | 10:05:00 | 10:05:00  | any_replica  | 3          | 1,2,3    | unclean
        5            | 1         | 2              | 150                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:04:00.000 | 3       | 3            | 2784           |                | hw_updated     | old
        10:07:00.000 | 3       | 4            | 160            |                | hw_updated     | new
        10:10:31.000 | 2       | 5            | 160            | 172            | follower_start | follows """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:06:30.000 | follower_start  | 3       | 4
        10:10:31.000 | follower_start  | 2       | 5           """,
        verdicts="""
        leader_epoch | loss_class     | verdict       | from_offset | to_offset_low | to_offset_high
        4            | committed      | PROVEN_LOSS   | 135         | 2784          |
        5            | committed      | PROVEN_LOSS   | 150         | 160           | 160
        5            | acked_possible | POSSIBLE_LOSS | 160         | 160           | 172            """,
    ),
    Case(  # 334 proves the loss of [319, 334) at epoch 2; the records that stand there since are others
        "what-was-lost-once-is-not-lost-again",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        2            | 3         | 1              | 319                | 10:05:00 | 10:05:00  | isr          | 1,3        | 1,2,3    | first
        3            | 2         | 3              | 325                | 10:10:30 | 10:10:30  | isr          | 2,3        | 1,2,3    | second """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:04:00.000 | 1       | 1            | 334            | 334            | isr_shrink     | told
        10:10:31.000 | 3       | 3            | 324            | 327            | follower_start | follows """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:31.000 | follower_start  | 3       | 3           """,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        2            | committed      | PROVEN_LOSS                   | 319         | 334           | 334
        2            | acked_possible | UNDETERMINED                  | 334         | 334           |
        3            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 325         | 325           | 325
        3            | acked_possible | POSSIBLE_LOSS                 | 325         | 325           | 327            """,
    ),
    Case(  # broker 3 was away since before 319 was given up: what it says at its return proves nothing of epoch 4
        "what-was-lost-while-it-was-away-is-not-lost-again",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        1            | 1         |                | 300                | 10:00:00 | 10:00:00  |              |            | 1,2,3    | led
        2            | 1         |                | 312                | 10:04:00 | 10:04:00  |              |            | 1,2,3    | again
        4            | 2         | 1              | 316                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:00:00.000 | 3       | 1            | 300            | 300            | follower_start | follows
        10:07:00.000 | 3       | 3            | 319            | 320            | follower_start | returned
        10:10:31.000 | 1       | 4            | 314            | 318            | follower_start | deposed """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:07:00.000 | follower_start  | 3       | 3
        10:10:31.000 | follower_start  | 1       | 4           """,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        4            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 316         | 316           | 316
        4            | acked_possible | POSSIBLE_LOSS                 | 316         | 316           | 318            """,
    ),
    Case(  # broker 3 leads a history of its own, from outside the ISR, after the change that is judged
        "what-a-later-leader-says-of-another-history",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        5            | 1         |                | 25                 | 10:05:00 | 10:05:00  | any_replica  | 2          | 1,2,3    | unclean
        6            | 2         | 1              | 33                 | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2,3    | elected
        8            | 3         |                | 118                | 10:30:00 | 10:30:00  | any_replica  | 2          | 1,2,3    | last """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:10:31.000 | 1       | 6            | 33             | 55             | follower_start | deposed
        10:30:00.000 | 3       | 8            | 103            | 118            | leader_start   | other """,
        roles="""
        ts           | kind            | node_id | leader_epoch
        10:10:31.000 | follower_start  | 1       | 6
        10:30:00.000 | leader_start    | 3       | 8           """,
        verdicts="""
        leader_epoch | loss_class     | verdict                       | from_offset | to_offset_low | to_offset_high
        6            | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 33          | 33            | 33
        6            | acked_possible | POSSIBLE_LOSS                 | 33          | 33            | 55             """,
    ),
    Case(
        "a-topic-of-the-same-name-before",
        deleted="10:08:00",
        changes="""
        life | leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        1    | 4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  | isr          | 1,2        | 1,2      | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | source     | evidence
        10:07:00.000 | 1       | 9            | 9000           | hw_updated | gone """,
        verdicts="""
        loss_class     | verdict                       | from_offset
        committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 135
        acked_possible | UNDETERMINED                  | 135         """,
    ),
    # What cannot be told
    Case(
        "nobody-says-anything",
        changes="""
        leader_epoch | leader_id | last_leader_id | start_ts | evidence
        4            | 2         | 1              | 10:10:30 | elected """,
        verdicts="""
        scenario | loss_class | verdict      | from_offset | to_offset_low | to_offset_high | premise
                 | committed  | UNDETERMINED | 0           | 0             |                | whether the new leader was in the ISR is not known; no line shows where the old leader's log ended; no line shows where the new leader began """,
    ),
    Case(  # the old leader's log alone does not tell how much of it is gone
        "the-unclean-leaders-start-is-in-no-line",
        changes=UNCLEAN.replace("| 135   ", "|       "),
        marks=RETURN,
        roles=ROLES,
        verdicts="""
        scenario | loss_class | verdict      | from_offset | to_offset_low | to_offset_high | premise
        S4       | committed  | UNDETERMINED | 0           | 0             | 170            | the new leader was outside the ISR; no line shows where the new leader began """,
    ),
    Case(
        "but-the-old-leaders-cut-tells-it",
        changes=UNCLEAN.replace("| 135   ", "|       "),
        marks=RETURN,
        cuts=CUT,
        roles=ROLES,
        verdicts="""
        scenario | loss_class | verdict      | from_offset | to_offset_low | to_offset_high
        S4       | committed  | PROVEN_LOSS  | 135         | 170           | 170            """,
    ),
    Case(
        "no-change-to-another-broker",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        0            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 1,2,3    | created
        1            | 1         | 1              | 10                 | 10:01:00 | 10:01:00  |              | 1,2,3      | 1,2,3    | shrunk
        2            | -1        | 1              |                    | 10:02:00 |           |              | 1          | 1,2,3    | none """,
        verdicts="verdict",
    ),
    # The last replica standing, killed at 10:10 and back at 10:20: S5
    Case(
        "a-last-replica-whose-high-watermark-was-cut-to-its-log",
        **LAST_REPLICA,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:20:03.000 | 1       | 5            |                | 901            | log_load_completed   | load
        10:20:04.000 | 1       | 5            | 901            |                | partition_log_loaded | start """,
        verdicts="""
        leader_epoch | ts       | scenario | loss_class | verdict       | from_offset | to_offset_low | to_offset_high | old_leader_id | new_leader_id | recoverable_from | evidence | premise
        6            | 10:20:06 | S5       | committed  | POSSIBLE_LOSS | 901         | 901           |                | 1             | 1             | []               | recovered,load,start,again,alone | broker 1 was alone in the ISR when it died; it came back with log end 901 and lowered its high watermark to that; no line shows how far it had committed (a copy of replication-offset-checkpoint from before the restart would show a lower bound) """,
    ),
    Case(  # nothing shows that it ever held a record, so nothing was cut to the log's end
        "a-last-replica-whose-log-came-back-empty",
        **LAST_REPLICA,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:20:03.000 | 1       | 5            |                | 0              | log_load_completed   | load
        10:20:04.000 | 1       | 5            | 0              |                | partition_log_loaded | start """,
        verdicts="""
        leader_epoch | scenario | verdict       | premise
        6            | S5       | POSSIBLE_LOSS | broker 1 was alone in the ISR when it died; it came back with an empty log; no line shows how far it had committed (a copy of replication-offset-checkpoint from before the restart would show a lower bound) """,
    ),
    Case(  # others may have led between 5 and 8, and what they committed would be gone
        "a-leader-that-leads-again-after-leader-epochs-that-no-line-tells",
        isrs=LAST_REPLICA["isrs"],
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | untold_epochs | replicas | evidence
        5            | 1         |                | 100                | 10:00:00 | 10:00:00  |              |               | 1,2,3    | led
        8            | 1         | 1              | 901                | 10:20:05 | 10:20:06  |              | 2             | 1,2,3    | again """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:20:03.000 | 1       | 5            |                | 901            | log_load_completed   | load
        10:20:04.000 | 1       | 5            | 880            |                | partition_log_loaded | start """,
        verdicts="""
        leader_epoch | scenario | verdict      | from_offset | to_offset_low | to_offset_high | premise
        8            | S5       | UNDETERMINED | 901         | 901           |                | broker 1 led when it died, and leads again from offset 901; who led between leader epochs 5 and 8 is not logged """,
    ),
    Case(  # the log of 1, who led before that, ended where 2 begins: another may have led, and its records be gone
        "a-successor-of-a-leader-that-no-line-tells",
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | untold_epochs | replicas | evidence
        1            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |               | 1,2,3    | led
        4            | 2         | 1              | 135                | 10:10:30 | 10:10:30  |              | 2             | 1,2,3    | elected """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:20:00.000 | 1       | 1            |                | 135            | log_load_completed | load """,
        roles=ROLES,
        verdicts="""
        leader_epoch | verdict      | from_offset | to_offset_low | to_offset_high | premise
        4            | UNDETERMINED | 135         | 135           |                | whether the new leader was in the ISR is not known; who led between leader epochs 1 and 4 is not logged """,
    ),
    Case(  # as recorded of 0.11.0: acknowledged [313, 433), all of it lost
        "all-replicas-in-sync-had-fetched-more-than-the-leader-came-back-with",
        **POWER_LOST,
        verdicts="""
        leader_epoch | scenario | loss_class | verdict     | from_offset | to_offset_low | to_offset_high | discarded_to_offset | evidence                                | premise
        6            | S6       | committed  | PROVEN_LOSS | 313         | 433           |                | 434                 | f2,f3,recovered,load,start,again,all | every in-sync replica held the records below 433, so they were committed: leader 1 and brokers 2 and 3, which had fetched to that offset when their fetches failed; the log of broker 1 ended at 313 when it came back """,
    ),
    Case(  # its process was killed, and the page cache kept all that it had written
        "all-that-replicas-in-sync-had-fetched-came-back",
        **{
            **POWER_LOST,
            "changes": POWER_LOST["changes"].replace("| 313 ", "| 440 "),
            "marks": POWER_LOST["marks"].replace("| 313            | log", "| 440            | log"),
        },
        verdicts="""
        leader_epoch | scenario | verdict          | from_offset | to_offset_low | to_offset_high | discarded_to_offset
        6            | S6       | NO_LOSS_OBSERVED | 440         | 440           | 440            |                     """,
    ),
    *(
        Case(  # 3 may have had less: what is gone was discarded for certain, and committed perhaps
            f"one-replica-{name}",
            **{**POWER_LOST, "fetches": fetches},
            verdicts=f"""
            leader_epoch | scenario | loss_class | verdict       | from_offset | to_offset_low | to_offset_high | discarded_to_offset | premise
            6            | S6       | committed  | POSSIBLE_LOSS | 313         | 313           |                | {reached}                 | broker 1 led when it died, and is named leader again; its log had reached at least {reached} before, and ended at 313 when it came back: the offsets in between are gone; how many of them all in-sync replicas held is not logged """,
        )
        for name, reached, fetches in (
            ("may-have-fetched-less", 433, POWER_LOST["fetches"].rsplit("\n", 1)[0]),
            ("had-failed-long-before", 434, POWER_LOST["fetches"].replace("10:10:01.000", "10:09:01.000")),
        )
    ),
    Case(  # from 1.0 to 2.0 a request names no leader epoch: leader 1 had begun just before, perhaps after the request
        "fetches-from-a-leader-that-has-only-just-begun",
        **{
            **POWER_LOST,
            "changes": POWER_LOST["changes"].replace("10:00:00", "10:10:00"),
            "fetches": POWER_LOST["fetches"].replace("| 5            |", "|              |"),
        },
        verdicts="""
        leader_epoch | scenario | verdict       | from_offset | to_offset_low | discarded_to_offset
        6            | S6       | POSSIBLE_LOSS | 313         | 313           |                     """,
    ),
    Case(
        "fetches-without-a-leader-epoch",
        **{**POWER_LOST, "fetches": POWER_LOST["fetches"].replace("| 5            |", "|              |")},
        verdicts="""
        leader_epoch | scenario | verdict     | from_offset | to_offset_low | discarded_to_offset
        6            | S6       | PROVEN_LOSS | 313         | 433           | 434                 """,
    ),
    Case(  # nobody wrote before the next leader epoch: the line only shows that it read what it had led
        "a-leader-that-names-its-old-leader-epoch-and-takes-nothing",
        **{
            **POWER_LOST,
            "marks": POWER_LOST["marks"] + "\n    10:20:04.500 | 1 | 5 | | 313 | leader_start | on",
        },
        verdicts="""
        leader_epoch | ts       | verdict     | from_offset | to_offset_low | evidence
        6            | 10:20:06 | PROVEN_LOSS | 313         | 433           | f2,f3,recovered,load,start,again,all """,
    ),
    Case(  # it stored 350 before the next leader epoch: offsets are used again from 10:20:04.5 on
        "a-leader-that-leads-on-in-its-old-leader-epoch",
        **{
            **POWER_LOST,
            "changes": POWER_LOST["changes"].replace("| 313 ", "| 350 "),
            "marks": POWER_LOST["marks"] + "\n    10:20:04.500 | 1 | 5 | | 313 | leader_start | on",
        },
        verdicts="""
        leader_epoch | ts           | verdict     | from_offset | to_offset_low | evidence
        6            | 10:20:04.500 | PROVEN_LOSS | 313         | 433           | f2,f3,recovered,load,start,on,again,all """,
    ),
    Case(  # 1 has just started again: its followers still ask for what it had before, which an earlier death may have taken
        "followers-that-have-not-reached-their-leader-since-it-started",
        **{
            **POWER_LOST,
            "fetches": POWER_LOST["fetches"].replace("10:10:01", "10:20:02"),
            "isrs": POWER_LOST["isrs"].replace("10:20:05", "10:20:01"),
        },
        verdicts="""
        leader_epoch | scenario | verdict       | from_offset | to_offset_low | to_offset_high | discarded_to_offset
        6            | S6       | POSSIBLE_LOSS | 313         | 313           |                |                     """,
    ),
    Case(  # another broker may have led from 440 in between, with all of it
        "a-leader-that-may-have-copied-what-it-lacked",
        **{
            **POWER_LOST,
            "changes": """
            leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | untold_epochs | replicas | evidence
            5            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |               | 1,2,3    | led
            8            | 1         | 1              | 440                | 10:20:05 | 10:20:06  |              | 2             | 1,2,3    | again """,
        },
        verdicts="""
        leader_epoch | scenario | verdict      | from_offset | to_offset_low | to_offset_high | discarded_to_offset
        8            | S6       | UNDETERMINED | 313         | 313           |                |                     """,
    ),
    *(
        Case(  # 2 lost the end of its log as well, or did not
            f"another-replica-leads-from-{start}-after-all-had-fetched-more",
            **{
                **POWER_LOST,
                "changes": f"""
                leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
                5            | 1         |                | 0                  | 10:00:00 | 10:00:00  |              |            | 1,2,3    | led
                6            | 2         | 1              | {start}                | 10:10:30 | 10:10:30  | isr          | 1,2,3      | 1,2,3    | elected """,
            },
            verdicts=f"""
            leader_epoch | scenario | loss_class | verdict                       | from_offset | to_offset_low | to_offset_high
            {verdicts} """,
        )
        for start, verdicts in (
            (300, "6 | S6 | committed | PROVEN_LOSS | 300 | 433 | "),
            (433, "6 |    | committed | NO_COMMITTED_LOSS_BY_PROTOCOL | 313 | 313 | 313 "),
        )
    ),
    *(  # a leader that begins alone commits its log at once, unless min.insync.replicas of 3.7 and later forbids that
        Case(
            f"a-last-replica-that-began-its-leader-epoch-from-a-longer-log-{name}",
            isrs=of(isrs),
            changes=of(LAST_REPLICA["changes"]),
            marks=of(BEGAN_LONGER),
            min_isr=min_isr,
            verdicts=verdicts,
        )
        for name, of, isrs, min_isr, verdicts in (
            ("alone", str, LAST_REPLICA["isrs"], 2, BEGAN_ALONE),
            ("alone-at-min-isr-1", _of_broker_4, LAST_REPLICA["isrs"], 1, BEGAN_ALONE.replace("broker 1", "broker 4")),
            ("below-min-isr", _of_broker_4, LAST_REPLICA["isrs"], 2, NOT_ALONE.replace("broker 1", "broker 4")),
            ("with-others", str, SHRUNK_LATER, 2, NOT_ALONE),
        )
    ),
    Case(  # it lost them in the crash before: since then its log has not been longer
        "a-last-replica-that-crashed-again-after-its-log-came-back-shorter",
        **{
            key: text.replace("| 1 ", "| 6 ").replace("1,2,3", "6,2,3").replace("10:20:0", "10:40:0")
            for key, text in LAST_REPLICA.items()
        },
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:00:00.000 | 6       | 5            | 100            | 1229           | leader_start         | led
        10:20:03.000 | 6       | 5            |                | 870            | log_load_completed   | shorter
        10:20:04.000 | 6       | 5            | 870            |                | partition_log_loaded | lower
        10:40:03.000 | 6       | 5            |                | 901            | log_load_completed   | load
        10:40:04.000 | 6       | 5            | 880            |                | partition_log_loaded | start """,
        min_isr=1,
        verdicts="""
        scenario | verdict          | from_offset | to_offset_low | to_offset_high
        S5       | PROVEN_LOSS      | 870         | 1229          |
        S5       | NO_LOSS_OBSERVED | 901         | 901           | 901            """,
    ),
    Case(
        "a-copy-of-its-checkpoint-from-before",
        **LAST_REPLICA,
        marks=COPIED,
        verdicts="""
        scenario | verdict     | from_offset | to_offset_low | to_offset_high | premise
        S5       | PROVEN_LOSS | 901         | 1229          |                | broker 1 had the high watermark 1229 before it died (broker 1, in a checkpoint of high watermarks) and its log ended at 901 when it came back """,
    ),
    Case(  # the recovery cut it, not a later leader: what it followed last is long past
        "a-copy-of-the-checkpoint-of-a-log-that-its-recovery-cut",
        **LAST_REPLICA,
        marks=COPIED,
        cuts="""
        ts           | node_id | leader_epoch | truncation_offset | by_recovery | evidence
        10:20:02.000 | 1       | 4            | 901               | true        | shorter """,
        verdicts="""
        scenario | verdict     | from_offset | to_offset_low | to_offset_high | premise
        S5       | PROVEN_LOSS | 901         | 1229          |                | broker 1 had the high watermark 1229 before it died (broker 1, in a checkpoint of high watermarks) and its log ended at 901 when it came back """,
    ),
    Case(
        "its-log-reaches-past-its-checkpoint",
        isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        5            | 1         | 1   | 10:00:00 | 10:20:05 | alone """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        6            | 1         | 1              | 901                | 10:20:05 | 10:20:06  | isr          | 1          | 1,2,3    | again """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:20:03.000 | 1       | 5            |                | 901            | log_load_completed   | load
        10:20:04.000 | 1       | 5            | 850            |                | partition_log_loaded | start """,
        verdicts="""
        scenario | verdict          | from_offset | to_offset_low | to_offset_high
        S5       | NO_LOSS_OBSERVED | 901         | 901           | 901            """,
    ),
    Case(
        "what-it-had-checkpointed-is-in-no-line",
        isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        5            | 1         | 1   | 10:00:00 | 10:20:05 | alone """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        6            | 1         | 1              | 901                | 10:20:05 | 10:20:06  | isr          | 1          | 1,2,3    | again """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source             | evidence
        10:20:03.000 | 1       | 5            |                | 901            | log_load_completed | load """,
        verdicts="""
        scenario | verdict      | from_offset | to_offset_low | to_offset_high | premise
        S5       | UNDETERMINED | 901         | 901           |                | broker 1 was alone in the ISR when it died; it came back with log end 901, and no line shows the high watermark it had checkpointed """,
    ),
    Case(
        "a-last-replica-that-was-stopped-in-order",
        isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        5            | 3         | 3   | 10:00:00 | 10:20:05 | alone """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        6            | 3         | 3              | 901                | 10:20:05 | 10:20:06  | isr          | 3          | 1,2,3    | again """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:20:03.000 | 3       | 5            |                | 901            | log_load_completed   | load
        10:20:04.000 | 3       | 5            | 901            |                | partition_log_loaded | start """,
        verdicts="verdict",
    ),
    Case(  # then it is an unclean election like any other
        "another-broker-leads-in-place-of-the-last-replica",
        isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        5            | 1         | 1   | 10:00:00 | 10:10:30 | alone """,
        changes=UNCLEAN.replace("    4            |", "    6            |"),
        marks=RETURN,
        cuts=CUT.replace("| 4 ", "| 6 "),
        roles=ROLES.replace("| 4", "| 6"),
        verdicts="""
        leader_epoch | scenario | verdict     | from_offset | to_offset_low | to_offset_high
        6            | S4       | PROVEN_LOSS | 135         | 170           | 170            """,
    ),
    Case(  # 2784 went with the unclean election that made it leader; what it committed since is not known
        "a-last-replica-that-came-from-outside-the-isr",
        isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        5            | 1         | 1   | 10:00:00 | 10:20:05 | alone """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 3         |                | 50                 | 09:00:00 | 09:00:00  |              |            | 1,2,3    | first
        5            | 1         | 3              | 293                | 10:00:00 | 10:00:00  | any_replica  | 3          | 1,2,3    | unclean
        6            | 1         | 1              | 300                | 10:20:05 | 10:20:06  | isr          | 1          | 1,2,3    | again """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        09:50:00.000 | 3       | 4            | 2784           |                | hw_updated           | old
        10:20:03.000 | 1       | 5            |                | 300            | log_load_completed   | load
        10:20:04.000 | 1       | 5            | 300            |                | partition_log_loaded | start """,
        verdicts="""
        leader_epoch | scenario | verdict       | from_offset | to_offset_low | to_offset_high
        5            | S4       | PROVEN_LOSS   | 293         | 2784          |
        6            | S5       | POSSIBLE_LOSS | 300         | 300           |                """,
    ),
    Case(  # 290 is of the history before the unclean election: it does not show that 1 lost records of its own
        "a-last-replica-whose-log-ends-before-its-unclean-election-began",
        isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts   | evidence
        5            | 1         | 1   | 10:00:00 | 10:20:05 | alone """,
        changes="""
        leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | leader_ts | elected_from | isr_before | replicas | evidence
        4            | 3         |                | 50                 | 09:00:00 | 09:00:00  |              |            | 1,2,3    | first
        5            | 1         | 3              | 293                | 10:00:00 | 10:00:00  | any_replica  | 3          | 1,2,3    | unclean
        6            | 1         | 1              | 280                | 10:20:05 | 10:20:06  | isr          | 1          | 1,2,3    | again """,
        marks="""
        ts           | node_id | leader_epoch | high_watermark | log_end_offset | source               | evidence
        09:50:00.000 | 3       | 4            | 290            |                | hw_updated           | old
        10:20:03.000 | 1       | 5            |                | 280            | log_load_completed   | load
        10:20:04.000 | 1       | 5            | 280            |                | partition_log_loaded | start """,
        verdicts="""
        leader_epoch | scenario | verdict       | from_offset | to_offset_low | to_offset_high
        5            | S4       | UNDETERMINED  | 293         | 293           |
        6            | S5       | POSSIBLE_LOSS | 280         | 280           |                """,
    ),
)


def together(texts: dict[str, str], life: bool = True) -> str:
    """One table of those of several topics, whose texts may name different columns."""
    columns, lines_of_all = ["topic", "partition", *["life"] * life], []
    for topic, text in texts.items():
        header, *lines = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.strip()]
        columns += [name for name in header if name not in columns]
        lines_of_all += [
            {"topic": topic, "partition": "0", "life": "0"} | dict(zip(header, cells, strict=True)) for cells in lines
        ]
    return "\n".join(
        " | ".join(cells) for cells in [columns, *[[line.get(name, "") for name in columns] for line in lines_of_all]]
    )


@pytest.fixture(scope="module")
def ledger():
    """What is judged of all cases."""
    return judged()


def judged(process_ends: str = "kind"):
    def of(columns, part: str):
        text = together({case.name: getattr(case, part) for case in CASES}, life="life" in columns.schema.names)
        return rows(columns, text)

    lives = "topic | boundaries\n" + "\n".join(f"{case.name} | {case.deleted}" for case in CASES if case.deleted)
    settings = "topic | min_isr\n" + "\n".join(f"{case.name} | {case.min_isr or ''}" for case in CASES)
    return of_each_partition(
        losses_of_partition,
        of(LEADER_EPOCHS, "changes"),
        of(COMMITTED_ISRS, "isrs"),
        of(HIGH_WATERMARKS, "marks"),
        [cut.but(by_recovery=bool(cut.by_recovery)) for cut in of(TRUNCATIONS, "cuts")],
        of(ROLE_LINES, "roles"),
        of(FETCH_POSITIONS, "fetches"),
        [],
        [],
        [],
        histories_cluster=Cluster.of(
            rows(PROCESSES, KILLS),
            rows(RELEASES, VERSIONS),
            rows(FOLLOWER_RULES, OF_BROKERS),
            rows(TOPIC_SETTINGS, settings),
            rows(TOPIC_LIVES, lives),
            rows(FAULTS, process_ends),
        ),
    )


@for_each("case", CASES, ids=lambda case: case.name)
def test_each_verdict_goes_as_far_as_its_premise(ledger, case):
    same_rows([row for row in ledger if row.topic == case.name], LEDGER, case.verdicts)


def test_a_log_is_exact_if_the_host_of_the_dead_leader_kept_running(ledger):
    """A killed process leaves what it wrote in the page cache: only a host without power loses it."""
    name = "the-old-log-was-no-longer"
    ran = judged(
        "kind | broker_id | began_high | end_ts | arguments\n killed | 1 | 10:10:00 | 10:20:00 | node=1;host_ran=yes"
    )
    premises = [[row.premise for row in own if row.topic == name] for own in (ledger, ran)]
    assert [["host lost power" in premise for premise in own] for own in premises] == [[True], [False]]


def test_no_range_ends_before_it_begins_and_each_row_has_premise_and_proof(ledger):
    for row in ledger:
        assert row.from_offset <= row.to_offset_low, row
        assert row.to_offset_high is None or row.to_offset_low <= row.to_offset_high, row
        assert len(row.premise) > 20 and "None" not in row.premise, row
        assert row.evidence, row


FILES = """
    topic  | partition | node_id | kind                    | source_file                              | line_number | leader_epoch | epoch_start_offset | event_id
    orders | 0         | 1       | checkpoint_leader_epoch | n1/orders-0/leader-epoch-checkpoint      | 3           | 0            | 0                  | f1
    orders | 0         | 1       | checkpoint_leader_epoch | n1/orders-0/leader-epoch-checkpoint      | 4           | 1            | 232                | f2
    orders | 0         | 1       | checkpoint_leader_epoch | n1/orders-0/leader-epoch-checkpoint      | 5           | 2            | 464                | f3 """
BEFORE = """
    topic  | partition | life | leader_epoch | leader_id | last_leader_id | untold_epochs | start_ts | leader_ts | epoch_start_offset | elected_from | confidence | begun_before | replicas | evidence
    orders | 0         | 0    | 1            | 2         |                |               | 10:00:00 |           |                    |              | inferred   | true         | 1,2,3    | found
    orders | 0         | 0    | 2            | 3         | 2              | 0             | 10:00:01 | 10:00:01  | 464                | isr          | observed   |              | 1,2,3    | led """


@pytest.mark.parametrize(
    ("files", "confidence", "verdicts"),
    [
        (
            FILES,
            "inferred",
            """
            leader_epoch | verdict      | from_offset | to_offset_high | begun_before | new_leader_id
            1            | UNDETERMINED | 232         |                | true         | 2             """,
        ),
        # The first entry of a file is no change of leader: the log may begin there.
        ("\n".join(FILES.splitlines()[:2] + FILES.splitlines()[3:]), "inferred", ""),
        ("node_id", "inferred", ""),
        (  # its begin is logged; who led before it is not: that row begins at its own first offset
            FILES,
            "observed",
            """
            leader_epoch | verdict      | from_offset | to_offset_high | begun_before | new_leader_id
            1            | UNDETERMINED | 0           |                |              | 2             """,
        ),
    ],
)
def test_leader_epochs_that_only_files_show_leave_it_open_what_was_lost_before_the_logs(files, confidence, verdicts):
    found = losses_of_partition(
        rows(
            LEADER_EPOCHS,
            BEFORE.replace("inferred  ", confidence).replace(
                "| true  ", "| true  " if confidence == "inferred" else "|       "
            ),
        ),
        [],
        [],
        [],
        [],
        [],
        [],
        rows(EPOCH_LINES, files),
        [],
        Cluster(),
    )
    same_rows([row for row in found if row.leader_epoch == 1], LEDGER, verdicts or "leader_epoch")


def test_without_changes_of_leader_there_is_nothing_to_judge():
    assert list(losses_of_partition(*[[]] * 9, Cluster())) == []
    marks = rows(HIGH_WATERMARKS, "topic | partition | node_id\n orders | 0 | 1")
    assert list(losses_of_partition([], [], marks, *[[]] * 6, Cluster())) == []


@pytest.mark.parametrize(
    ("verdict", "lines", "held"),
    [
        ("UNDETERMINED", {2: (None, None)}, [2]),
        ("PROVEN_LOSS", {2: (None, None)}, [1, 2]),  # its records are on the disk of the leader that died
        ("UNDETERMINED", {}, [1, 2]),
    ],
)
def test_nothing_shows_what_a_broker_without_lines_kept_of_an_undecided_loss(verdict, lines, held):
    (loss,) = rows(
        LEDGER,
        f"topic | partition | leader_epoch | loss_class | verdict | recoverable_from\na | 0 | 2 | committed | {verdict} | 1,2",
    )
    assert _without_unseen(loss, Cluster(lines=lines)).recoverable_from == held
