"""Each invariant stays silent on a history that keeps it and names the lines of one that does not (facts §2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from replay.facts.metadata_log import merged_metadata_records, metadata_records
from replay.facts.window import ALL_TIME
from replay.invariants import of_cluster, of_partition
from replay.invariants.checkpoints import lineages_disagree
from replay.invariants.cluster import known_of
from replay.invariants.controllers import controllers_disagree
from replay.invariants.metadata import violations_of_metadata
from replay.invariants.rules import INVARIANTS
from replay.invariants.tenure_lines import tenure_lines
from replay.offsets.epoch_lines import epoch_lines
from replay.tables import BROKER_SESSIONS, EVENTS, HIGH_WATERMARKS, SETTINGS, VIOLATIONS
from replay.tables.brokers import PROCESSES
from replay.tables.invariants import TENURE_LINES
from replay.tables.losses import LEDGER
from replay.tables.offsets import EPOCH_LINES, TRUNCATIONS
from replay.tables.partitions import COMMITTED_ISRS, LEADER_EPOCHS, PARTITION_STATE_REPORTS, TOPIC_SETTINGS
from replay.tables.row import Row
from replay.tables.table import Table
from tests.each import for_each
from tests.histories.test_ledger import together
from tests.tables import facts, of_each_partition, rows, same_rows

BROKEN = "invariant | verdict | detail | evidence"


@dataclass(frozen=True)
class Case:
    """What is known of one topic's partition 0, as tables, and what is broken in it. Each case is a topic, so that one run checks all."""

    name: str
    broken: str = BROKEN
    observations: str = "ts"
    judged: str = "start_ts"
    isrs: str = "start_ts"
    marks: str = "ts"
    cuts: str = "ts"
    events: str = "ts"
    ledger: str = "ts"

    def with_(self, name: str, broken: str, **changes: tuple[str, str]) -> Case:
        """The same history with one thing changed, and what that breaks."""
        for part, (old, _) in changes.items():
            text = getattr(self, part)
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {part} of {self.name}"
        return replace(
            self,
            name=name,
            broken=broken,
            **{part: getattr(self, part).replace(old, new) for part, (old, new) in changes.items()},
        )


# Brokers 1, 2, 3 run 3.9.1 with replica.lag.time.max.ms 10 s. Broker 1 died at 10:10, came back at 10:20 and found no mark of a clean stop.
RELEASE = "\n".join(f"09:00:00 | process_version | {node} | v{node} | kafka_version=3.9.1" for node in (1, 2, 3))
LAGS = "node_id | ts | name | value\n" + "\n".join(
    f"{node} | 09:00:00 | replica.lag.time.max.ms | 10000" for node in (1, 2, 3)
)
DEATHS = """
    node_id | life | last_ts  | ended  | next_start_ts | recovered_event
    1       | 0    | 10:10:00 | killed | 10:20:00      | recovered """

# 1 leads, 3 leaves the ISR, 1 dies, 2 is elected from the ISR; 1 joins again.
CLEAN = Case(
    "clean",
    observations="""
    ts       | witness  | event_id | leader_epoch | partition_epoch | leader_id | isr   | replicas | elr
    10:00:00 | decision | s1       | 0            | 0               | 1         | 1,2,3 | 1,2,3    |
    10:01:00 | leader   | s2       | 0            | 1               | 1         | 1,2   | 1,2,3    |
    10:01:00 | commit   | s3       | 7            | 1               | 1         | 1,2   |          |
    10:10:00 | decision | s4       | 1            | 2               | 2         | 2     | 1,2,3    | 1
    10:10:01 | follower | s5       | 1            |                 | 2         |       |          |
    10:20:00 | commit   | s6       | 1            | 3               | 2         | 1,2   |          |    """,
    judged="""
    leader_epoch | leader_id | last_leader_id | epoch_start_offset | start_ts | elected_from | isr_before | isr_before_evidence | evidence
    0            | 1         |                | 0                  | 10:00:00 |              |            |                     | j0
    1            | 2         | 1              | 135                | 10:10:00 | isr          | 1,2        | b1                  | j1
    2            | 2         | 2              | 150                | 10:30:00 |              | 2          | b2                  | j2          """,
    marks="""
    ts       | node_id | leader_epoch | role     | source                       | high_watermark | log_end_offset | log_start_offset | evidence
    10:00:00 | 1       | 0            | leader   | leader_start                 | 0              | 0              |                  | m1
    10:01:00 | 1       | 0            | leader   | isr_shrink                   | 130            | 140            |                  | m2
    10:10:00 | 2       | 1            | leader   | leader_start                 | 128            | 135            |                  | m3
    10:12:00 | 2       | 1            |          | log_start_offset_incremented |                |                | 20               | m4
    10:13:00 | 2       | 1            |          | log_start_offset_incremented |                |                | 40               | m5         """,
    cuts="""
    ts       | node_id | leader_epoch | truncation_offset | log_end_offset | high_watermark | evidence
    10:20:01 | 1       | 1            | 135               | 140            | 130            | c1 """,
    events="""
    ts       | raw_ts   | kind                      | node_id | event_id | leader_epoch | isr   | replicas | high_watermark | log_end_offset | epoch_start_offset | source_file | line_number | details
    10:00:00 |          | leader_start              | 1       | e1       | 0            | 1,2   | 1,2,3    | 0              |                | 0                  | log1        | 1           | previous_leader_epoch=-1
    10:00:00 |          | follower_start            | 2       | e2       | 0            |       |          | 0              | 0              |                    | log2        | 1           | previous_leader_epoch=-1
    10:00:30 |          | isr_updated               | 1       | e3       |              | 1,2,3 |          |                |                |                    | log1        | 2           |
    10:01:00 | 10:01:00 | isr_shrink                | 1       | e4       |              | 1,2   |          | 130            | 140            |                    | log1        | 3           | old_isr=1,2,3; out_of_sync_replicas=(brokerId: 3, endOffset: 130, lastCaughtUpTimeMs: 1714557648000)
    10:01:00 |          | isr_updated               | 1       | e5       |              | 1,2   |          |                |                |                    | log1        | 4           |
    10:10:00 |          | leader_start              | 2       | e6       | 1            | 2,3   | 1,2,3    | 128            |                | 135                | log2        | 2           | previous_leader_epoch=0
    10:10:00 |          | follower_start            | 3       | e7       | 1            |       |          | 128            | 128            |                    | log3        | 1           | previous_leader_epoch=0
    10:12:00 |          | leader_transition_skipped | 2       | e8       | 1            | 2,3   | 1,2,3    | 140            |                |                    | log2        | 3           | adding_replicas=
             |          | checkpoint_leader_epoch   | 1       | f1       | 0            |       |          |                |                | 0                  | a/x-0/lec   | 3           |
             |          | checkpoint_leader_epoch   | 1       | f2       | 1            |       |          |                |                | 135                | a/x-0/lec   | 4           |
             |          | checkpoint_leader_epoch   | 2       | f3       | 0            |       |          |                |                | 20                 | b/x-0/lec   | 3           |
             |          | checkpoint_leader_epoch   | 2       | f4       | 1            |       |          |                |                | 135                | b/x-0/lec   | 4           | """,
)
UNCLEAN = CLEAN.with_(
    "unclean",
    judged=("| isr          | 1,2 ", "| any_replica  | 1   "),
    broken="""
    invariant | verdict  | detail                                                | evidence
    I6        | violated | broker 2 leads in leader epoch 1; the ISR before was [1] | j1,b1 """,
)
UNSURE = CLEAN.with_(
    "unsure",
    judged=("| isr          | 1,2 ", "|              | 1   "),
    broken="""
    invariant | verdict | detail                                                                              | evidence
    I6        | unknown | broker 2 leads in leader epoch 1; no line shows for certain whether it was in the ISR or the ELR just before | j1 """,
)
LOST = Case(
    "lost",
    ledger="""
    leader_epoch | ts       | scenario | loss_class     | verdict       | from_offset | to_offset_low | premise | evidence
    1            | 10:10:00 | S5       | committed      | PROVEN_LOSS   | 120         | 130           | why     | l1,l2
    2            | 10:11:00 | S4       | committed      | POSSIBLE_LOSS | 120         | 120           | why     | l3
    2            | 10:11:00 | S7       | acked_possible | POSSIBLE_LOSS | 120         | 120           | why     | l4    """,
    broken="""
    invariant | verdict  | detail                                                                      | evidence
    I13       | violated | offsets [120, 130) were committed and are gone in leader epoch 1: why | l1,l2 """,
)

CASES = (
    Case("nothing"),
    CLEAN,
    # I1-I5, I7, I26: states against themselves and each other
    CLEAN.with_(
        "two-leaders",
        observations=(
            "10:10:01 | follower | s5       | 1            |                 | 2 ",
            "10:10:01 | follower | s5       | 1            |                 | 3 ",
        ),
        broken="""
    invariant | verdict  | detail                                 | evidence
    I1        | violated | leader epoch 1 has the leaders [2, 3] | s4,s5 """,
    ),
    CLEAN.with_(
        "leader-epoch-falls",
        observations=("s4       | 1            | 2 ", "s4       | 1            | 0 "),
        broken="""
    invariant | verdict  | evidence
    I3        | violated | s1,s4
    I2        | violated | s4,s2 """,
    ),
    CLEAN.with_(
        "one-partition-epoch-two-isrs",
        observations=(
            "10:01:00 | leader   | s2       | 0            | 1               | 1         | 1,2   ",
            "10:01:00 | leader   | s2       | 0            | 1               | 1         | 1,3   ",
        ),
        broken="""
    invariant | verdict  | detail                                                                                                                      | evidence
    I3        | violated | partition epoch 1 has two contents: leader epoch null, leader 1, ISR [1, 2]; leader epoch 0, leader 1, ISR [1, 3] | s3,s2 """,
    ),
    CLEAN.with_(
        "against-the-metadata-log",
        observations=(
            "10:01:00 | leader   | s2       | 0            | 1               | 1         | 1,2   ",
            "10:01:00 | record   | s2       | 0            | 1               | 1         | 1,3   ",
        ),
        broken="""
    invariant | verdict  | evidence
    I29       | violated | s3,s2 """,
    ),
    CLEAN.with_(
        "leader-epoch-leaps",
        observations=("s4       | 1            | 2 ", "s4       | 4            | 2 "),
        broken="""
    invariant | verdict  | detail                                                          | evidence
    I4        | violated | leader epoch 0 -> 4 while the partition epoch went 1 -> 2 | s2,s4 """,
    ),
    CLEAN.with_(
        "leader-outside-its-isr",
        observations=("| 2         | 2     | 1,2,3    | 1", "| 2         | 3     | 1,2,3    | 1"),
        broken="""
    invariant | verdict  | detail                                                       | evidence
    I5        | violated | leader epoch 1: leader 2, ISR [3]; the leader is not in it | s4 """,
    ),
    CLEAN.with_(
        "isr-beyond-the-replicas",
        observations=("| 1         | 1,2,3 | 1,2,3    |", "| 1         | 1,2,3 | 1,2      |"),
        broken="""
    invariant | verdict  | detail                                                                       | evidence
    I7        | violated | ISR [1, 2, 3] has brokers that are no replicas: assigned are [1, 2] | s1 """,
    ),
    CLEAN.with_(
        "isr-with-a-broker-twice",
        observations=("| 1         | 1,2,3 | 1,2,3    |", "| 1         | 1,1,2 | 1,2,3    |"),
        broken="""
    invariant | verdict  | detail                              | evidence
    I7        | violated | ISR [1, 1, 2] names a broker twice | s1 """,
    ),
    CLEAN.with_(
        "empty-isr",
        observations=("| 1         | 1,2,3 | 1,2,3    |", "| 1         | []    | 1,2,3    |"),
        broken="""
    invariant | verdict  | detail                                     | evidence
    I7        | violated | leader 1 has an empty ISR in leader epoch 0 | s1 """,
    ),
    CLEAN.with_(
        "elr-in-the-isr",
        observations=("| 2         | 2     | 1,2,3    | 1", "| 2         | 2     | 1,2,3    | 2"),
        broken="""
    invariant | verdict  | detail                                      | evidence
    I26       | violated | ISR [2] and ELR [2] have a broker in common | s4 """,
    ),
    CLEAN.with_(
        "elr-beyond-the-replicas",
        observations=("| 2         | 2     | 1,2,3    | 1", "| 2         | 2     | 1,2,3    | 9"),
        broken="""
    invariant | verdict  | evidence
    I26       | violated | s4 """,
    ),
    # I6, I13, I18, I32: elections and what they took back
    UNCLEAN,
    UNSURE,
    LOST,
    replace(LOST, name="lost-by-an-unclean-election", ledger=LOST.ledger.replace("S5 ", "S4 "), broken=BROKEN),
    replace(
        LOST,
        name="lost-by-an-election-of-which-nobody-knows-whether-it-was-clean",
        ledger=LOST.ledger.replace("S5 ", "   "),
        broken="""
    invariant | verdict | detail                                                                                                                                       | evidence
    I13       | unknown | offsets [120, 130) were committed and are gone in leader epoch 1: why; no line shows whether that leader was elected cleanly | l1,l2 """,
    ),
    replace(
        LOST,
        name="overwritten",
        marks="""
    ts       | node_id | leader_epoch | role   | source       | high_watermark | evidence
    10:10:00 | 2       | 1            | leader | leader_start | 110            | m1
    10:12:00 | 2       | 2            | leader | isr_shrink   | 125            | m2 """,
        broken="""
    invariant | verdict  | detail                                                                                              | evidence
    I13       | violated | offsets [120, 130) were committed and are gone in leader epoch 1: why                        | l1,l2
    I32       | violated | offsets [120, 125) were committed before leader epoch 1 and again, as other records, after it | l1,l2,m2 """,
    ),
    CLEAN.with_(
        "commit-taken-back",
        judged=("| 135                | 10:10:00", "| 129                | 10:10:00"),
        broken="""
    invariant | verdict  | detail                                                                                            | evidence
    I18       | violated | an earlier leader printed high watermark 130; broker 2 leads from offset 129 in leader epoch 1 | m2,j1 """,
    ),
    replace(UNCLEAN, name="a-new-lineage-starts-below", judged=UNCLEAN.judged.replace("| 135 ", "| 120 ")),
    # I14, I20, I21: single replicas
    CLEAN.with_(
        "cut-below-its-high-watermark",
        cuts=("| 130            | c1", "| 138            | c1"),
        broken="""
    invariant | verdict  | detail                                                        | evidence
    I14       | violated | broker 1 cut its log to 135, below its own high watermark 138 | c1 """,
    ),
    CLEAN.with_(
        "high-watermark-past-the-end",
        marks=("| 130            | 140 ", "| 141            | 140 "),
        broken="""
    invariant | verdict  | detail                                                   | evidence
    I20       | violated | broker 1: high watermark 141 above log end 140 (as it removed a replica from the ISR) | m2
    I18       | violated | an earlier leader printed high watermark 141; broker 2 leads from offset 135 in leader epoch 1 | m2,j1 """,
    ),
    CLEAN.with_(
        "log-start-falls",
        marks=("| 40               | m5", "| 15               | m5"),
        broken="""
    invariant | verdict  | detail                               | evidence
    I21       | violated | broker 2: log start 15, after 20 | m4,m5 """,
    ),
    CLEAN.with_(
        "log-made-anew",
        marks=("| 40               | m5", "| 0                | m5"),
        broken="""
    invariant | verdict | evidence
    I21       | unknown | m4,m5 """,
    ),
    # I10-I12, I19, I22-I24, I31: what leaders and followers print
    CLEAN.with_(
        "stale-leader-epoch",
        events=(
            "log2        | 2           | previous_leader_epoch=0",
            "log2        | 2           | previous_leader_epoch=4",
        ),
        broken="""
    invariant | verdict  | detail                                             | evidence
    I10       | violated | broker 2 took on leader epoch 1 while it had 4 | e6 """,
    ),
    CLEAN.with_(
        "past-an-isr-member",
        events=("endOffset: 130,", "endOffset: 129,"),
        broken="""
    invariant | verdict  | detail                                                                           | evidence
    I11       | violated | leader 1 had high watermark 130 while broker 3 of its ISR had reached 129 | e4 """,
    ),
    CLEAN.with_("follower-not-fetched-yet", events=("endOffset: 130,", "endOffset: -1,"), broken=BROKEN),
    CLEAN.with_(
        "isr-member-behind",
        events=("| 128            | 128            |", "| 120            | 120            |"),
        broken="""
    invariant | verdict  | detail                                                                                                             | evidence
    I12       | violated | broker 3 is in the ISR with which leader epoch 1 began; the leader had high watermark 128 then, its own log ends at 120 | e6,e7 """,
    ),
    CLEAN.with_(
        "tenure-falls",
        events=(
            "| 140            |                |                    | log2",
            "| 127            |                |                    | log2",
        ),
        broken="""
    invariant | verdict  | detail                                                     | evidence
    I19       | violated | leader 2 in leader epoch 1: high watermark 127, after 128 | e6,e8 """,
    ),
    replace(
        CLEAN,
        name="joined-too-early",
        events=CLEAN.events.replace(
            "| 0              |                | 0                  | log1",
            "| 0              |                | 131                | log1",
        ).replace("| 0                  | a/x-0", "| 131                | a/x-0"),
        broken="""
    invariant | verdict  | detail                                                                                          | evidence
    I22       | violated | broker 3 joined the ISR in leader epoch 0, which starts at 131, and had only reached 130 | e1,e4 """,
    ),
    CLEAN.with_(
        "shrunk-late",
        events=("1714557648000", "1714557618000"),
        broken="""
    invariant | verdict  | detail                                                                                                                      | evidence
    I23       | unknown  | leader 1 took a follower out of the ISR 42000 ms after it was last caught up; replica.lag.time.max.ms is 10000: it was frozen, or had no record that the follower lacked until then | e4 """,
    ),
    CLEAN.with_(
        "shrunk-early",
        events=("1714557648000", "1714557655000"),
        broken="""
    invariant | verdict  | detail                                                                                                                      | evidence
    I23       | violated | leader 1 took a follower out of the ISR 5000 ms after it was last caught up; replica.lag.time.max.ms is 10000 | e4 """,
    ),
    CLEAN.with_("shrunk-in-another-zone", events=("| 10:01:00 | isr_shrink", "| 19:01:00 | isr_shrink"), broken=BROKEN),
    Case(
        "gate-open-below-min-isr",
        events="""
    ts       | raw_ts   | kind         | node_id | event_id | leader_epoch | isr | replicas | high_watermark | epoch_start_offset | line_number | details
    10:00:00 |          | leader_start | 1       | g1       | 1            | 1   | 1,2,3    | 100            | 110                | 1           | previous_leader_epoch=0
    10:01:00 | 10:01:00 | isr_shrink   | 1       | g2       |              | 1   |          | 105            |                    | 2           | old_isr=1 """,
        broken="""
    invariant | verdict  | detail                                                                              | evidence
    I24       | violated | leader 1: high watermark 100 -> 105 with ISR [1], below min.insync.replicas 2 | g1,g2 """,
    ),
    CLEAN.with_(
        "still-moving",
        events=("| adding_replicas=", "| adding_replicas=4"),
        broken="""
    invariant | verdict | detail                                                           | evidence
    I31       | unknown | replicas 4 are still being moved when the files of leader 2 end | e8 """,
    ),
    CLEAN.with_(
        "moved-says-the-controller",
        events=(
            "| adding_replicas=",
            """| adding_replicas=4
    10:12:05 |          | alter_partition_completed_reassignment_leader_change | 101 | e9 | | | | | | | logc | 1 | """,
        ),
        broken=BROKEN,
    ),
    CLEAN.with_(
        "moved-and-led-by-another",
        events=(
            "| adding_replicas=",
            """| adding_replicas=4
    10:13:00 |          | leader_start | 3 | e9 | 2 | 2,3 | 1,2,3 | 150 | | 150 | log3 | 2 | previous_leader_epoch=1 """,
        ),
        broken=BROKEN,
    ),
    # I15-I17: lineages
    CLEAN.with_(
        "two-epochs-at-one-offset",
        events=("| 135                | b/x-0", "| 20                 | b/x-0"),
        broken="""
    invariant | verdict  | detail                                                                                       | evidence
    I15       | unknown  | broker 2: leader epochs 0 and 1 both start at offset 20                                  | f3,f4
    I16       | violated | leader epoch 1 starts at 20 on broker 2 and at 135 on broker 1                           | f4,f2
    I17       | violated | broker 2 said leader epoch 1 starts at 135; its leader-epoch-checkpoint says 20 | e6,f4 """,
    ),
    CLEAN.with_(
        "copied-late",
        events=("| 135                | a/x-0", "| 137                | a/x-0"),
        broken="""
    invariant | verdict | detail                                                              | evidence
    I16       | unknown | leader epoch 1 starts at 135 on broker 2 and at 137 on broker 1 | f4,f2 """,
    ),
    # I28, I30: members that should not be
    Case(
        "unclean-member",
        isrs="""
    start_ts | end_ts   | leader_epoch | partition_epoch | state_order | leader_id | isr   | replicas | evidence
    10:00:00 | 10:30:00 | 0            | 3               | 3           | 2         | 1,2   | 2,1,3    | i1
    10:30:00 | 10:31:00 | 0            | 4               | 4           | 2         | 1,2,3 | 2,1,3    | i2 """,
        broken="""
    invariant | verdict  | detail                                                                                                             | evidence
    I28       | violated | broker 1 died and came back without a clean stop, and stayed in ISR [1, 2] (partition epochs 3 and 4) | i1,recovered,i2 """,
    ),
    Case(
        "left-unseen",
        isrs="""
    start_ts | end_ts   | leader_epoch | partition_epoch | state_order | leader_id | isr   | replicas | evidence
    10:00:00 | 10:30:00 | 0            | 3               | 3           | 2         | 1,2   | 2,1,3    | i1
    10:30:00 | 10:31:00 | 0            | 6               | 6           | 2         | 1,2,3 | 2,1,3    | i2 """,
    ),
    Case(
        "never-preferred",
        isrs="""
    start_ts | end_ts   | leader_epoch | partition_epoch | state_order | leader_id | isr   | replicas | evidence
    10:11:00 | 10:18:00 | 0            | 3               | 3           | 2         | 2,3   | 3,2,1    | i1 """,
        broken="""
    invariant | verdict | detail                                                                               | evidence
    I30       | unknown | broker 3, the preferred replica, was in ISR [2, 3] for 420 s while broker 2 led | i1 """,
    ),
)


@pytest.fixture(scope="module")
def found():
    """What is broken in all cases."""

    def of(columns: Table, part: str) -> list[Row]:
        has_life = "life" in columns.schema.names
        return rows(columns, together({case.name: getattr(case, part) for case in CASES}, life=has_life))

    events = of(EVENTS, "events")
    own = (
        of(PARTITION_STATE_REPORTS, "observations"),
        of(LEADER_EPOCHS, "judged"),
        of(COMMITTED_ISRS, "isrs"),
        of(HIGH_WATERMARKS, "marks"),
        of(TRUNCATIONS, "cuts"),
        of_each_partition(tenure_lines, events),
        of_each_partition(epoch_lines, events),
        of(LEDGER, "ledger"),
    )
    cluster = known_of(
        facts("ts | kind | node_id | event_id | details\n" + RELEASE),
        rows(SETTINGS, LAGS),
        rows(PROCESSES, DEATHS),
        rows(TOPIC_SETTINGS, "topic | min_isr\n" + "\n".join(f"{case.name} | 2" for case in CASES)),
        [],
    )
    return of_each_partition(of_partition, *own, invariants_cluster=cluster)


@for_each("case", CASES, ids=lambda case: case.name)
def test_what_is_broken_is_reported_with_its_lines_and_nothing_else(found, case):
    same_rows([row for row in found if row.topic == case.name], VIOLATIONS, case.broken)


def test_a_broker_epoch_that_falls():
    sessions = rows(
        BROKER_SESSIONS,
        """
        broker_id | broker_epoch | start_ts | evidence
        1         | 5            | 10:00:00 | r1
        1         | 9            | 10:20:00 | r2
        2         | 8            | 10:00:00 | r3
        2         | 7            | 10:30:00 | r4 """,
    )
    same_rows(
        of_cluster([], sessions),
        VIOLATIONS,
        """
        invariant | verdict  | severity | detail                                              | evidence
        I27       | violated | high     | broker 2 registered with broker epoch 7, after 8 | r3,r4 """,
    )


def test_each_row_has_proof_and_says_what_it_saw(found):
    for row in found:
        assert row.evidence and len(row.detail) > 20 and "None" not in row.detail, row
        assert row.severity is not None and row.verdict in ("violated", "unknown"), row


def test_a_controller_epoch_has_one_controller_and_grows():
    claims = facts(
        """
        ts       | kind               | node_id | controller_id | controller_epoch | line_number | event_id
        10:00:00 | controller_elected | 1       | 1             | 1                | 1           | e1
        10:01:00 | controller_elected | 2       | 2             | 2                | 1           | e2
        10:01:30 | controller_elected | 2       | 2             | 2                | 2           | e6
        10:02:00 | controller_elected | 1       | 1             | 3                | 2           | e3
        10:02:01 | controller_elected | 3       | 3             | 3                | 1           | e4
        10:03:00 | controller_elected | 2       | 2             | 1                | 2           | e5 """
    )
    same_rows(
        controllers_disagree(claims),
        VIOLATIONS,
        """
        invariant | verdict  | detail                                                  | evidence
        I9        | violated | controller epoch 3 has the controllers [1, 3]      | e3,e4
        I9        | violated | controller epoch 1 has the controllers [1, 2]      | e1,e5
        I9        | violated | broker 2 became controller in epoch 1 after epoch 2 | e6,e5 """,
    )


def test_a_controller_that_logs_its_old_epoch_again_is_no_second_one():
    claims = facts(
        """
        ts       | kind                       | node_id | details     | line_number
        10:00:00 | kraft_controller_activated | 101     | new_epoch=2 | 1
        10:01:00 | kraft_controller_activated | 102     | new_epoch=3 | 1
        10:02:00 | kraft_controller_activated | 101     | new_epoch=2 | 2 """
    )
    assert list(controllers_disagree(claims)) == []


def test_what_lines_state_of_tenures():
    told = rows(
        EVENTS,
        """
        ts       | raw_ts   | kind         | topic  | partition | node_id | isr | high_watermark | line_number | event_id | details
        10:00:00 | 12:00:00 | isr_shrink   | orders | 0         | 1       | 1   | 130            | 3           | e1       | old_isr=1,2; out_of_sync_replicas=(brokerId: 2)
        10:01:00 |          | leader_start | orders | 0         | 2       | 1,2 |                | 4           | e2       | previous_leader_epoch=4; adding_replicas=3
        10:01:00 |          | leader_start | orders | 0         |         |     |                | 5           | e3       |
        10:02:00 |          | log_rolled   | orders | 0         | 1       |     |                | 6           | e4       |
        10:03:00 |          | alter_partition_completed_reassignment | orders | 0 | |  |            | 7           | e5       | """,
    )
    same_rows(
        tenure_lines(told),
        TENURE_LINES,
        """
        ts       | raw_ts   | kind         | node_id | isr | high_watermark | previous_leader_epoch | old_isr | adding_replicas | out_of_sync_replicas | event_id
        10:00:00 | 12:00:00 | isr_shrink   | 1       | 1   | 130            |                       | 1,2     |                 | (brokerId: 2)        | e1
        10:01:00 |          | leader_start | 2       | 1,2 |                | 4                     |         | 3               |                      | e2
        10:03:00 |          | alter_partition_completed_reassignment | | |              |                       |         |                 |                      | e5 """,
    )


DUMP = """
    source_file | line_number | kind                 | event_id | controller_epoch | details                                            | message
    a           | 1           | dump_batch           | a1       | 1                | offset=10                                          |
    a           | 2           | dump_metadata_record | a2       |                  | offset=10;type=TOPIC_RECORD                        | {"type":"TOPIC_RECORD","data":{"name":"orders","topicId":"T"}}
    a           | 3           | dump_metadata_record | a3       |                  | offset=11;type=PARTITION_RECORD                    | {"type":"PARTITION_RECORD","data":{"partitionId":0,"topicId":"T","isr":[1,2]}}
    a           | 4           | dump_metadata_record | a4       |                  | offset=12;type=BROKER_REGISTRATION_CHANGE_RECORD   | {"type":"BROKER_REGISTRATION_CHANGE_RECORD","data":{"brokerId":1,"brokerEpoch":5,"fenced":1}}
    a           | 5           | dump_metadata_record | a5       |                  | offset=13;type=PARTITION_CHANGE_RECORD             | {"type":"PARTITION_CHANGE_RECORD","data":{"partitionId":0,"topicId":"T","isr":[2]}}
    a           | 6           | dump_metadata_record | a6       |                  | offset=14;type=PARTITION_CHANGE_RECORD             | {"type":"PARTITION_CHANGE_RECORD","data":{"partitionId":0,"topicId":"T","isr":[2,3]}}
    b           | 1           | dump_batch           | b1       | 1                | offset=10                                          |
    b           | 2           | dump_metadata_record | b2       |                  | offset=14;type=PARTITION_CHANGE_RECORD             | {"type":"PARTITION_CHANGE_RECORD","data":{"partitionId":0,"topicId":"T","isr":[2,3]}}
"""


def metadata(text: str) -> list:
    """What the dumps and the voters' lines of a text break; each file is of a node of its own."""
    of_file: dict[str, list] = {}
    for event in rows(EVENTS, text):
        of_file.setdefault(event.source_file, []).append(event)
    partial = [record for events in of_file.values() for record in metadata_records(events, ALL_TIME)]
    return violations_of_metadata(merged_metadata_records(partial), facts(text))


def test_a_metadata_log_on_which_all_agree():
    assert metadata(DUMP) == []


def test_a_fenced_broker_in_an_isr():
    same_rows(
        metadata(DUMP.replace('"isr":[2,3]', '"isr":[2,1]')),
        VIOLATIONS,
        """
        topic  | partition | invariant | verdict  | detail                                                                                                            | evidence
        orders | 0         | I8        | violated | ISR [2, 1] written at metadata offset 14 has broker 1, which is fenced or shutting down since offset 12 | a4,b2 """,
    )


def test_two_dumps_that_differ_at_one_offset():
    apart = DUMP[: DUMP.rindex("[2,3]")] + "[2,4]" + DUMP[DUMP.rindex("[2,3]") + 5 :]
    same_rows(
        metadata(apart),
        VIOLATIONS,
        """
        invariant | verdict  | detail                                                        | evidence
        I29       | violated | the metadata log has two contents at offset 14 in Raft epoch 1 | a6,b2 """,
    )


def test_the_tail_of_a_deposed_leader_is_no_contradiction():
    apart = DUMP[: DUMP.rindex("[2,3]")] + "[2,4]" + DUMP[DUMP.rindex("[2,3]") + 5 :]
    assert metadata(apart.replace("b1       | 1 ", "b1       | 2 ")) == []


def test_a_voter_that_lost_metadata():
    told = """
        source_file | line_number | kind                            | event_id | message
        a           | 1           | raft_hw_regressed               | r1       | The latest computed high watermark 4 is smaller than the current value 8
        a           | 2           | raft_fetch_offset_non_monotonic | r2       | Detected non-monotonic update of fetch offset from nodeId 3: 10 -> 4
        a           | 3           | raft_hw_regressed               | r3       | The latest computed high watermark 60 is smaller than the current value 61, which should only happen when voter set membership changes """
    same_rows(
        metadata(told),
        VIOLATIONS,
        """
        invariant | verdict  | detail                                                                      | evidence
        I29       | violated | The latest computed high watermark 4 is smaller than the current value 8 | r1
        I29       | unknown  | Detected non-monotonic update of fetch offset from nodeId 3: 10 -> 4    | r2
        I29       | unknown  | The latest computed high watermark 60 is smaller than the current value 61, which should only happen when voter set membership changes | r3 """,
    )


def test_every_invariant_is_reported_and_every_checked_one_is_seeded_here(found):
    assert [one.id for one in INVARIANTS] == [f"I{n}" for n in range(1, 33)]
    for one in INVARIANTS:
        assert one.name and one.states and one.means and one.act, one.id
        assert one.severity in ("critical", "high", "medium", "low"), one.id
    checked = {one.id for one in INVARIANTS if not one.never}
    seeded = {row.invariant for row in found} | {"I8", "I9", "I27", "I29"}
    assert checked == seeded


@pytest.mark.parametrize(
    ("leads_on", "detail", "evidence"),
    [
        (25, ", where its log ended when it continued to lead in this leader epoch after a restart", "e1,f2,e2"),
        (40, "", "e1,f2"),  # its line and its file differ
    ],
)
def test_a_file_that_says_where_a_leader_led_on_from_a_shorter_log(leads_on, detail, evidence):
    lines = f"""
        ts       | node_id | kind                    | line_number | source_file | event_id | leader_epoch | epoch_start_offset | previous_leader_epoch
        10:00:00 | 1       | leader_start            | 1           | log         | e1       | 2            | 40                 | 0
        10:20:00 | 1       | leader_start            | 2           | log         | e2       | 2            | {leads_on}         | -1
                 | 1       | checkpoint_leader_epoch | 3           | a/x-0/f     | f1       | 0            | 0                  |
                 | 1       | checkpoint_leader_epoch | 4           | a/x-0/f     | f2       | 2            | 25                 |    """
    same_rows(
        lineages_disagree(rows(EPOCH_LINES, lines)),
        VIOLATIONS,
        f"""
        invariant | verdict  | detail                                                                                    | evidence
        I17       | violated | broker 1 said leader epoch 2 starts at 40; its leader-epoch-checkpoint says 25{detail} | {evidence} """,
    )
