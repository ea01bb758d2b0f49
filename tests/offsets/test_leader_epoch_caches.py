"""Leader-epoch caches rebuilt, and the offset at which two logs part, against the rules of the facts as plain Python (facts §1.5, §3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F

from replay.offsets.high_watermarks import high_watermarks
from replay.offsets.leader_epoch_caches import (
    AS_IT_BEGINS,
    BY_HIGH_WATERMARK,
    IN_FETCH,
    ITERATIVE,
    ITERATIVE_2_0_0,
    LINEAGE,
    ONE_ROUND,
    RULES,
    WITH_FIRST_RECORD,
    divergence,
    follower_rules,
    lineages_at,
)
from replay.tables import EVENTS
from tests.partitions.test_topics import LIVES, SETTINGS
from tests.stages import caches_of
from tests.tables import same, table

Lineage = list[tuple[int, int]]


@dataclass(frozen=True)
class Log:
    """A replica's log as far as its leader epochs go."""

    entries: Lineage  # (leader epoch, start offset), oldest first
    end: int
    high_watermark: int


def end_offset_for(log: Log, asked: int, below_all_is_known: bool) -> tuple[int, int] | None:
    """`LeaderEpochFileCache.endOffsetFor`: the largest leader epoch up to the one asked for, and where it ends; None if undefined."""
    if not log.entries or asked > log.entries[-1][0]:
        return None
    if asked == log.entries[-1][0]:
        return asked, log.end
    higher = next(start for epoch, start in log.entries if epoch > asked)
    floor = [epoch for epoch, _ in log.entries if epoch <= asked]
    if not floor:
        return (asked, higher) if below_all_is_known else None
    return floor[-1], higher


def cut_to(leader: Log, follower: Log, rule: str) -> int:
    """Where the follower's log ends when it agrees with the leader's: facts §3.5, and for each rule what its releases do.

    A follower whose leader epochs are all higher than the leader's answer cuts no later than at its own first entry: it looks its own
    end up by the same function as the leader.
    """
    if rule == BY_HIGH_WATERMARK:
        return min(follower.high_watermark, follower.end)
    entries, end = list(follower.entries), follower.end
    if not entries:
        return min(follower.high_watermark, end)
    if rule == ONE_ROUND:
        answer = end_offset_for(leader, entries[-1][0], below_all_is_known=False)
        return min(follower.high_watermark, end) if answer is None else min(answer[1], end)
    while True:
        if not entries:
            return min(end, leader.end) if rule == IN_FETCH else min(follower.high_watermark, end)
        last = entries[-1][0]
        answer = end_offset_for(leader, last, below_all_is_known=rule != ITERATIVE_2_0_0)
        if answer is None:  # from 2.8 on the fetch is out of range, and the follower goes on at the leader's end
            return min(end, leader.end) if rule == IN_FETCH else min(follower.high_watermark, end)
        epoch, offset = answer
        if rule == IN_FETCH and epoch == last and offset >= end:
            return end
        own_epoch = next((e for e, _ in reversed(entries) if e <= epoch), None)
        own_end = next((start for e, start in entries if e > epoch), end)
        found = own_epoch is None or own_epoch == epoch
        end = min(own_end, offset, end) if found else min(own_end, end)
        entries = [(e, start) for e, start in entries if start < end]
        if found and rule != IN_FETCH:
            return end


@st.composite
def logs(draw) -> Log:
    """Any log: growing leader epochs at growing offsets (some leader epochs empty), an end past them, a high watermark within."""
    epochs = sorted(draw(st.sets(st.integers(0, 9), max_size=5)))
    starts = sorted(draw(st.lists(st.integers(0, 40), min_size=len(epochs), max_size=len(epochs), unique=True)))
    end = draw(st.integers(starts[-1] if starts else 0, 50))
    return Log(list(zip(epochs, starts, strict=True)), end, draw(st.integers(0, end)))


@st.composite
def histories(draw) -> tuple[Log, Log]:
    """Two replicas of one partition: a shared beginning, then leaders that did not know of each other."""
    shared = draw(logs())
    offset, epoch = shared.end, count(shared.entries[-1][0] + 1 if shared.entries else 0)

    def gone_on() -> Log:
        entries, end = list(shared.entries), offset
        for _ in range(draw(st.integers(0, 3))):
            entries, end = [*entries, (next(epoch), end)], end + draw(st.integers(1, 6))
        return Log(entries, end, draw(st.integers(0, end)))

    return gone_on(), gone_on()


CUTS = "number int, leader array<struct<leader_epoch:int,epoch_start_offset:bigint>>, leader_end bigint, follower array<struct<leader_epoch:int,epoch_start_offset:bigint>>, follower_end bigint, high_watermark bigint, rule string"


def cuts(spark, cases: list[tuple[Log, Log, str]]) -> list[int]:
    """What `divergence` says of all cases, in one run."""
    entry = pa.list_(pa.struct([("leader_epoch", pa.int32()), ("epoch_start_offset", pa.int64())]))

    def lineage(of: list[Log]) -> pa.Array:
        return pa.array(
            [[{"leader_epoch": e, "epoch_start_offset": start} for e, start in log.entries] for log in of], entry
        )

    leaders, followers = [case[0] for case in cases], [case[1] for case in cases]
    frame = pa.table(
        {
            "number": pa.array(range(len(cases)), pa.int32()),
            "leader": lineage(leaders),
            "leader_end": pa.array([log.end for log in leaders], pa.int64()),
            "follower": lineage(followers),
            "follower_end": pa.array([log.end for log in followers], pa.int64()),
            "high_watermark": pa.array([log.high_watermark for log in followers], pa.int64()),
            "rule": [case[2] for case in cases],
        }
    )
    to = divergence(
        F.col("leader"),
        F.col("leader_end"),
        F.col("follower"),
        F.col("follower_end"),
        F.col("high_watermark"),
        F.col("rule"),
    )
    return [
        row.to
        for row in spark.createDataFrame(frame, CUTS).select("number", to.alias("to")).orderBy("number").collect()
    ]


@settings(max_examples=6, deadline=None, derandomize=True, database=None)
@given(
    st.lists(
        st.tuples(st.one_of(st.tuples(logs(), logs()), histories()), st.sampled_from(RULES)), min_size=120, max_size=200
    )
)
def test_the_follower_cuts_where_the_rule_of_its_release_says(spark, cases):
    pairs = [(leader, follower, rule) for (leader, follower), rule in cases]
    assert cuts(spark, pairs) == [cut_to(leader, follower, rule) for leader, follower, rule in pairs]


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(histories())
def test_histories_part_where_their_last_common_record_ends(pair):
    """The rule itself, on logs that some run of Kafka can make: nothing that both hold alike is cut, nothing else is kept."""
    leader, follower = pair

    def epoch_at(log: Log, offset: int) -> int | None:
        return next((e for e, start in reversed(log.entries) if start <= offset), None) if offset < log.end else None

    common = next((o for o in range(follower.end) if epoch_at(follower, o) != epoch_at(leader, o)), follower.end)
    if (
        follower.entries
        and leader.entries
        and follower.entries[-1][0] <= leader.entries[-1][0]
        and leader.entries[0] == follower.entries[0]
    ):
        assert cut_to(leader, follower, ITERATIVE) == cut_to(leader, follower, IN_FETCH) == common


WORKED = (
    # facts §3.4: leader 2 was elected uncleanly; 1 comes back with its longer log
    (Log([(0, 0), (3, 120), (4, 135)], 135, 135), Log([(0, 0), (3, 120)], 170, 150), ITERATIVE, 135),
    (Log([(0, 0), (3, 120), (4, 135)], 160, 135), Log([(0, 0), (3, 120)], 170, 150), IN_FETCH, 135),
    # KIP-101: cut to the high watermark, though the leader has all of it
    (Log([(0, 0)], 345, 345), Log([(0, 0)], 345, 319), BY_HIGH_WATERMARK, 319),
    (Log([(0, 0)], 345, 345), Log([(0, 0)], 345, 319), ONE_ROUND, 345),
    # KIP-279: a leader epoch that the new leader never saw; one round keeps what the leader does not hold
    (Log([(0, 0), (2, 10)], 20, 10), Log([(0, 0), (1, 8)], 15, 8), ONE_ROUND, 10),
    (Log([(0, 0), (2, 10)], 20, 10), Log([(0, 0), (1, 8)], 15, 8), ITERATIVE, 8),
    # the leader gives no answer: its leader epochs are all lower
    (Log([(0, 0)], 9, 9), Log([(3, 4)], 12, 5), ITERATIVE, 5),
    (Log([(0, 0)], 9, 9), Log([(3, 4)], 12, 5), IN_FETCH, 9),
    # the leader's first entry is clipped by retention: known from 2.0.1 on
    (Log([(5, 30)], 60, 50), Log([(4, 10)], 40, 20), ITERATIVE, 30),
    (Log([(5, 30)], 60, 50), Log([(4, 10)], 40, 20), ITERATIVE_2_0_0, 20),
    # an empty log, and no leader epochs at all
    (Log([(0, 0)], 9, 9), Log([], 0, 0), IN_FETCH, 0),
    (Log([(0, 0)], 9, 9), Log([], 7, 3), ITERATIVE, 3),
)


def test_the_worked_examples(spark):
    assert cuts(spark, [case[:3] for case in WORKED]) == [case[3] for case in WORKED]
    assert [cut_to(*case[:3]) for case in WORKED] == [case[3] for case in WORKED]


def test_what_is_not_known_gives_no_offset(spark):
    row = table(spark, f"leader {LINEAGE}, follower {LINEAGE}, end bigint", "end\n 9")
    known = F.array(F.struct(F.lit(0).alias("leader_epoch"), F.lit(0).cast("bigint").alias("epoch_start_offset"))).cast(
        LINEAGE
    )
    nothing, end = F.lit(None).cast("bigint"), F.col("end")
    asked = {
        "no leader end": divergence(known, nothing, known, end, end, IN_FETCH),
        "no follower end": divergence(known, end, known, nothing, end, ITERATIVE),
        "no high watermark": divergence(known, end, known, end, nothing, BY_HIGH_WATERMARK),
        "no rule": divergence(known, end, known, end, end, F.lit(None).cast("string")),
    }
    assert row.select(*[value.alias(name) for name, value in asked.items()]).collect()[0].asDict() == dict.fromkeys(
        asked
    )


RULED = "node_id int, rule string, is_told boolean, entry_rule string"


@pytest.mark.parametrize(
    ("version", "protocol", "messages", "rule", "is_told"),
    [
        ("0.10.2.2", "", "", BY_HIGH_WATERMARK, True),
        ("1.1.1", "1.1-IV0", "1.1-IV0", ONE_ROUND, True),
        ("1.1.1", "1.1-IV0", "0.10.2-IV0", BY_HIGH_WATERMARK, True),
        ("2.3.1", "0.10.2-IV0", "0.10.2-IV0", BY_HIGH_WATERMARK, True),
        ("2.3.1", "1.1-IV0", "1.1-IV0", ONE_ROUND, True),
        ("2.0.0", "2.0-IV1", "2.0-IV1", ITERATIVE_2_0_0, True),
        ("2.3.1", "2.3-IV1", "2.3-IV1", ITERATIVE, True),
        ("2.8.2", "2.8-IV1", "2.8-IV1", IN_FETCH, True),
        ("2.8.2", "2.7-IV0", "2.8-IV1", ITERATIVE, True),
        ("3.9.1", "", "", IN_FETCH, True),
        ("2.3.1", "", "", ITERATIVE, False),
        ("2.3.1", "2.3-IV1", "", ITERATIVE, False),
    ],
)
def test_release_and_protocol_give_the_rule(spark, version, protocol, messages, rule, is_told):
    events = table(
        spark, EVENTS, f"node_id | kind | template_id | details\n 1 | process_version | any | kafka_version={version}"
    )
    said = [
        f"1 | {name} | {value}"
        for name, value in (("inter.broker.protocol.version", protocol), ("log.message.format.version", messages))
        if value
    ]
    same(
        follower_rules(events, table(spark, SETTINGS, "\n".join(["node_id | name | value", *said]))),
        RULED,
        f"node_id | rule | is_told\n 1 | {rule} | {str(is_told).lower()}",
    )


def test_a_node_that_was_upgraded_has_no_one_rule(spark):
    events = table(
        spark,
        EVENTS,
        """
        node_id | kind            | template_id | details
        1       | process_version | any         | kafka_version=2.3.1
        1       | process_version | any         | kafka_version=3.9.1 """,
    )
    same(follower_rules(events, table(spark, SETTINGS, "node_id")), RULED, "node_id | rule\n 1 | ")


CACHES = "topic string, partition int, node_id int, leader_epoch int, epoch_start_offset bigint, start_ts timestamp, end_ts timestamp, clipped boolean, told_by array<string>, evidence array<string>"
EPOCHS = "topic string, life int, partition int, leader_epoch int, leader_id int, epoch_start_offset bigint, start_ts timestamp, leader_ts timestamp, confidence string"
ISRS = "topic string, life int, partition int, leader_epoch int, leader_id int, isr array<int>, start_ts timestamp, end_ts timestamp"


@pytest.fixture
def caches(spark):
    """The caches of orders-0 on nodes that run 3.9.1, node 3 one of 1.1.1, node 9 one with messages of before 0.11.

    The leader epochs are those that leaders' lines begin, unless told; ISRs are told or none.
    """

    def of(text: str, epochs: str | None = None, isrs: str = "topic"):
        rules = table(
            spark,
            RULED,
            f"""
            node_id | rule           | entry_rule
            1       | in_fetch       | {AS_IT_BEGINS}
            2       | in_fetch       | {AS_IT_BEGINS}
            3       | one_round      | {WITH_FIRST_RECORD}
            4       | one_round      | {WITH_FIRST_RECORD}
            9       | high_watermark | {AS_IT_BEGINS} """,
        )
        events = table(spark, EVENTS, text).fillna({"topic": "orders", "partition": 0, "source_file": "log"})
        begun = events.where("kind = 'leader_start'").select(
            "topic",
            F.lit(0).alias("life"),
            "partition",
            "leader_epoch",
            F.col("node_id").alias("leader_id"),
            "epoch_start_offset",
            F.col("ts").alias("start_ts"),
            F.col("ts").alias("leader_ts"),
            F.lit("inferred").alias("confidence"),
        )
        told = begun if epochs is None else _of_orders(table(spark, EPOCHS, epochs))
        return caches_of(
            events,
            table(spark, LIVES, "topic"),
            rules,
            told,
            _of_orders(table(spark, ISRS, isrs)),
            high_watermarks(events),
        )

    return of


def _of_orders(rows):
    return rows.fillna({"topic": "orders", "life": 0, "partition": 0})


def test_no_lines_no_caches(caches):
    assert caches("ts").isEmpty()


def test_a_leader_writes_where_it_begins_even_if_nothing_follows(caches):
    same(
        caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:00:00 | leader_start | 1       | 0            | 0                  | previous_leader_epoch=-1
        10:01:00 | leader_start | 2       | 1            | 1                  | previous_leader_epoch=0
        10:02:00 | leader_start | 1       | 2            | 1                  | previous_leader_epoch=1 """),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | clipped | told_by | evidence
        1       | 0            | 0                  | 10:00:00 |        | false   | leader  | e1
        2       | 1            | 1                  | 10:01:00 |        | false   | leader  | e2
        1       | 2            | 1                  | 10:02:00 |        | false   | leader  | e3 """,
    )


def test_empty_leader_epochs_collapse_to_the_last(caches):
    same(
        caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start | 2       | 1            | 7                  | previous_leader_epoch=0
        10:02:00 | leader_start | 2       | 2            | 7                  | previous_leader_epoch=1
        10:03:00 | leader_start | 2       | 5            | 9                  | previous_leader_epoch=2 """),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts
        2       | 1            | 7                  | 10:01:00 | 10:02:00
        2       | 2            | 7                  | 10:02:00 |
        2       | 5            | 9                  | 10:03:00 | """,
    )


def test_up_to_2_0_0_an_entry_of_an_equal_start_stays(caches):
    """The classic example: (0 0)(1 0)(2 1)."""
    same(
        caches("""
        ts       | kind                 | node_id | leader_epoch | epoch_start_offset
        10:00:10 | epoch_cache_assigned | 3       | 0            | 0
        10:00:41 | epoch_cache_assigned | 3       | 1            | 0
        10:00:50 | epoch_cache_assigned | 3       | 2            | 1                  """),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | told_by
        3       | 0            | 0                  | 10:00:10 |        | cache
        3       | 1            | 0                  | 10:00:41 |        | cache
        3       | 2            | 1                  | 10:00:50 |        | cache """,
    )


def test_a_replica_that_is_removed_has_no_entries_left(caches):
    same(
        caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details                  | message
        10:00:00 | leader_start | 1       | 1            | 10                 | previous_leader_epoch=0  |
        10:05:00 | log_deleted  | 1       |              |                    |                          | Log for partition orders-0 is renamed to /d/orders-0.f3-delete and is scheduled for deletion
        10:05:30 | leader_start | 1       | 4            | 10                 | previous_leader_epoch=3  |
        10:06:00 | log_deleted  | 1       |              |                    |                          | Deleted log for partition orders-0 in /d/orders-0.f3-delete."""),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts
        1       | 1            | 10                 | 10:00:00 | 10:05:00
        1       | 4            | 10                 | 10:05:30 |          """,
    )


def test_a_leader_that_was_just_started_begins_a_leader_epoch_that_was_seen_to_begin(caches):
    same(
        caches(
            """
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start | 2       | 4            | 77                 | previous_leader_epoch=-1
        10:05:00 | leader_start | 1       | 5            | 90                 | previous_leader_epoch=-1 """,
            epochs="""
        leader_epoch | leader_id | epoch_start_offset | start_ts | leader_ts | confidence
        4            | 2         | 77                 | 10:00:59 | 10:01:00  | observed
        5            | 1         | 90                 | 10:02:00 | 10:05:00  | observed """,
        ),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts
        2       | 4            | 77                 | 10:01:00 """,
    )


def test_a_high_watermark_of_the_leader_tells_what_its_isr_holds(caches):
    """Broker 3 left the ISR before; the empty leader epoch 1 is in no follower's file."""
    same(
        caches(
            """
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | high_watermark | log_end_offset | details
        10:00:00 | leader_start | 1       | 0            | 0                  | 0              |                | previous_leader_epoch=-1
        10:01:00 | leader_start | 1       | 1            | 20                 | 18             |                | previous_leader_epoch=0
        10:02:00 | leader_start | 1       | 2            | 20                 | 20             |                | previous_leader_epoch=1
        10:09:00 | isr_shrink   | 1       |              |                    | 31             | 34             | """,
            isrs="""
        leader_epoch | leader_id | isr   | start_ts | end_ts
        2            | 1         | 1,2,3 | 10:02:00 | 10:03:00
        2            | 1         | 1,2   | 10:03:00 |          """,
        ).where("node_id <> 1"),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | told_by | evidence
        2       | 0            | 0                  | 10:02:00 |        | append  | e3,e4
        2       | 2            | 20                 | 10:09:00 |        | append  | e4
        3       | 0            | 0                  | 10:02:00 |        | append  | e3 """,
    )


def test_a_follower_s_own_lines_tell_how_far_its_log_has_grown(caches):
    """What it holds of before its cut is not told anew; what only a file without a time tells came after its leader epoch began."""
    same(
        caches("""
        ts       | kind                      | node_id | leader_epoch | epoch_start_offset | high_watermark | log_end_offset | truncation_offset | details
        10:00:00 | leader_start              | 1       | 3            | 40                 | 40             |                |                   | previous_leader_epoch=2
        10:00:01 | follower_start            | 2       | 3            |                    | 38             | 44             |                   |
        10:00:02 | log_truncated_to          | 2       |              |                    |                |                | 40                |
        10:00:09 | log_rolled                | 2       |              |                    |                | 61             |                   |
        10:05:00 | leader_start              | 1       | 4            | 90                 | 90             |                |                   | previous_leader_epoch=3
        10:05:01 | follower_start            | 2       | 4            |                    | 90             | 90             |                   |
                 | checkpoint_high_watermark | 2       |              |                    | 95             |                |                   | """).where(
            "node_id = 2"
        ),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | told_by
        2       | 3            | 40                 | 10:00:09 |        | append
        2       | 4            | 90                 | 10:05:00 |        | append """,
    )


def test_a_line_told_again_after_a_restart_is_no_beginning(caches):
    assert caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start | 2       | 4            | 77                 | previous_leader_epoch=-1
        10:01:01 | leader_start | 2       | 0            | 77                 | previous_leader_epoch=-1 """).isEmpty()


def test_up_to_1_1_a_leader_writes_with_its_first_record_and_the_cache_says_so(caches):
    same(
        caches("""
        ts       | kind                 | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start         | 3       | 1            | 7                  | previous_leader_epoch=0
        10:02:00 | leader_start         | 3       | 2            | 7                  | previous_leader_epoch=1
        10:02:05 | epoch_cache_assigned | 3       | 2            | 7                  | """),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | told_by
        3       | 2            | 7                  | 10:02:05 | cache """,
    )


def test_messages_of_before_0_11_carry_no_leader_epochs(caches):
    assert caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start | 9       | 2            | 319                | previous_leader_epoch=1 """).isEmpty()


def test_a_follower_has_a_leader_epoch_only_once_records_came(caches):
    same(
        caches("""
        ts       | kind           | node_id | leader_epoch | epoch_start_offset | log_end_offset | details
        10:00:00 | leader_start   | 1       | 0            | 0                  |                | previous_leader_epoch=-1
        10:00:00 | follower_start | 2       | 0            |                    | 0              |
        10:01:00 | leader_start   | 1       | 1            | 16                 |                | previous_leader_epoch=0
        10:01:00 | follower_start | 2       | 1            |                    | 16             |
        10:02:00 | leader_start   | 1       | 2            | 16                 |                | previous_leader_epoch=1
        10:02:01 | follower_start | 2       | 2            |                    | 16             | """).where(
            "node_id = 2"
        ),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | told_by | evidence
        2       | 0            | 0                  | 10:01:00 | append  | e4 """,
    )


def test_a_follower_that_becomes_leader_had_the_leader_epochs_whose_records_came(caches):
    same(
        caches("""
        ts       | kind           | node_id | leader_epoch | epoch_start_offset | log_end_offset | details
        10:00:00 | leader_start   | 1       | 0            | 0                  |                | previous_leader_epoch=-1
        10:00:00 | follower_start | 2       | 0            |                    | 0              |
        10:01:00 | leader_start   | 2       | 1            | 16                 |                | previous_leader_epoch=0 """).where(
            "node_id = 2"
        ),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | told_by | evidence
        2       | 0            | 0                  | 10:01:00 | append  | e3
        2       | 1            | 16                 | 10:01:00 | leader  | e3 """,
    )


def test_a_follower_that_never_reached_its_leader_has_nothing_of_it(caches):
    """Broker 2 led leader epoch 1 to offset 35, away from broker 1's leader epoch 2; its log did not change while it was to follow."""
    same(
        caches("""
        ts       | kind             | node_id | leader_epoch | epoch_start_offset | log_end_offset | truncation_offset | details
        10:01:00 | leader_start     | 2       | 1            | 8                  |                |                   | previous_leader_epoch=0
        10:02:00 | leader_start     | 1       | 2            | 21                 |                |                   | previous_leader_epoch=1
        10:03:00 | follower_start   | 2       | 2            |                    | 35             |                   |
        10:04:00 | leader_start     | 2       | 3            | 35                 |                |                   | previous_leader_epoch=2
        10:05:00 | follower_start   | 1       | 3            |                    | 59             |                   |
        10:05:01 | log_truncated_to | 1       |              |                    |                | 21                |
        10:06:00 | leader_start     | 1       | 4            | 40                 |                |                   | previous_leader_epoch=3 """),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts   | told_by
        1       | 2            | 21                 | 10:02:00 | 10:05:01 | leader
        1       | 3            | 35                 | 10:06:00 |          | append
        1       | 4            | 40                 | 10:06:00 |          | leader
        2       | 1            | 8                  | 10:01:00 |          | leader
        2       | 3            | 35                 | 10:04:00 |          | leader """,
    )


def test_a_follower_whose_file_changes_when_data_arrive(caches):
    same(
        caches("""
        ts       | kind                    | node_id | source_file       | line_number | leader_epoch | epoch_start_offset
        10:00:00 | checkpoint_leader_epoch | 2       | t1/orders-0/file  | 3           | 12           | 0
        10:05:00 | checkpoint_leader_epoch | 2       | t2/orders-0/file  | 3           | 12           | 0
        10:05:00 | checkpoint_leader_epoch | 2       | t2/orders-0/file  | 4           | 13           | 16 """),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | clipped | told_by
        2       | 12           | 0                  | 10:00:00 |        | true    | file
        2       | 13           | 16                 | 10:05:00 |        | false   | file """,
    )


def test_the_first_entry_of_a_file_is_clipped_to_the_log_start(caches):
    same(
        caches("""
        ts       | kind                    | node_id | source_file     | line_number | leader_epoch | epoch_start_offset | details
        10:00:00 | leader_start            | 1       | log             | 1           | 3            | 16                 | previous_leader_epoch=2
                 | checkpoint_leader_epoch | 1       | end/orders-0/f  | 3           | 3            | 40                 |
                 | checkpoint_leader_epoch | 1       | end/orders-0/f  | 4           | 4            | 90                 | """),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | clipped | told_by
        1       | 3            | 16                 | 10:00:00 | false   | leader
        1       | 4            | 90                 |          | false   | file """,
    )


def test_a_cut_a_passing_log_start_and_a_later_file_take_entries_away(caches):
    same(
        caches("""
        ts       | kind                         | node_id | source_file | line_number | leader_epoch | epoch_start_offset | truncation_offset | log_start_offset | details
        10:00:00 | leader_start                 | 1       | log         | 1           | 1            | 10                 |                   |                  | previous_leader_epoch=0
        10:01:00 | leader_start                 | 1       | log         | 2           | 3            | 30                 |                   |                  | previous_leader_epoch=1
        10:02:00 | leader_start                 | 1       | log         | 3           | 5            | 50                 |                   |                  | previous_leader_epoch=3
        10:03:00 | log_truncated_to             | 1       | log         | 4           |              |                    | 50                |                  |
        10:04:00 | log_start_offset_incremented | 1       | log         | 5           |              |                    |                   | 35               |
        10:05:00 | leader_start                 | 1       | log         | 6           | 7            | 60                 |                   |                  | previous_leader_epoch=6
        10:06:00 | checkpoint_leader_epoch      | 1       | t/o-0/file  | 3           | 3            | 35                 |                   |                  | """),
        CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts
        1       | 1            | 10                 | 10:00:00 | 10:04:00
        1       | 3            | 30                 | 10:01:00 |
        1       | 5            | 50                 | 10:02:00 | 10:03:00
        1       | 7            | 60                 | 10:05:00 | 10:06:00 """,
    )


def test_what_a_replica_held_at_a_moment(spark, caches):
    held = caches("""
        ts       | kind             | node_id | leader_epoch | epoch_start_offset | truncation_offset | details
        10:00:00 | leader_start     | 1       | 1            | 10                 |                   | previous_leader_epoch=0
        10:02:00 | leader_start     | 1       | 3            | 30                 |                   | previous_leader_epoch=1
        10:04:00 | log_truncated_to | 1       |              |                    | 30                | """)
    moments = table(
        spark,
        "topic string, life int, partition int, node_id int, ts timestamp",
        """
        topic  | life | partition | node_id | ts
        orders | 0    | 0         | 1       | 09:00:00
        orders | 0    | 0         | 1       | 10:03:00
        orders | 0    | 0         | 1       | 10:05:00 """,
    )
    found = lineages_at(held, moments).select(
        "ts",
        F.transform("lineage", lambda e: F.concat_ws("@", e["leader_epoch"], e["epoch_start_offset"])).alias("lineage"),
    )
    same(
        found,
        "ts timestamp, lineage array<string>",
        """
        ts       | lineage
        09:00:00 | []
        10:03:00 | 1@10,3@30
        10:05:00 | 1@10 """,
    )
