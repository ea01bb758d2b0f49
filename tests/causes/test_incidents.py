"""Which roots belong to one incident: what hangs together by shared effects or harm; time decides for what has no cause."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from replay.causes import incidents as stage
from replay.tables.causes import BONDS, HAPPENINGS, INCIDENT_ROOTS, ROOT_SPANS, ROOTS, VERTICES
from replay.tables.faults import FAULTS
from tests.causes.frames import named, of, together, worked_out
from tests.tables import same, table


def test_a_root_lasts_until_its_end_or_its_last_effect(spark):
    """What another fault caused is no root."""
    same(
        stage.root_spans(
            table(
                spark,
                FAULTS,
                """
        fault_id | kind                 | code | broker_id | ts       | end_ts
        kill     | killed               | F01  | 1         | 10:00:00 |
        pause    | paused               | F04  | 2         | 10:00:00 | 10:00:40
        refused  | registration_refused | F29  | 1         | 10:00:30 |          """,
            ),
            table(
                spark,
                HAPPENINGS,
                """
        id      | ts
        kill    | 10:00:00
        lost    | 10:00:06
        vote    | 10:00:07
        pause   | 10:00:00
        shrink  | 10:00:20
        refused | 10:00:30 """,
            ),
            table(
                spark,
                ROOTS,
                """
        id      | root_id | distance
        kill    | kill    | 0
        lost    | kill    | 1
        vote    | kill    | 2
        refused | kill    | 1
        pause   | pause   | 0
        shrink  | pause   | 1        """,
            ),
        ),
        ROOT_SPANS,
        """
        root_id | code | kind   | broker_id | ts       | end_ts   | effects
        kill    | F01  | killed | 1         | 10:00:00 | 10:00:30 | 3
        pause   | F04  | paused | 2         | 10:00:00 | 10:00:40 | 1       """,
    )


# Roots, what they did (`of` names the root), and which of them are bound to each other. Each case has a day of its own.
CASES = {
    "three kills at once": (
        """
        root_id | kind   | broker_id | ts       | end_ts
        kill-1  | killed | 1         | 10:00:00 | 10:05:00
        kill-2  | killed | 2         | 10:00:02 | 10:05:00
        kill-3  | killed | 3         | 10:00:04 | 10:05:00 """,
        "id",
        """
        src    | dst    | reason
        kill-1 | kill-2 | at_once
        kill-1 | kill-3 | at_once
        kill-2 | kill-3 | at_once """,
    ),
    # Their faults overlap in nothing: each was over before the next began.
    "six faults in twenty minutes": (
        """
        root_id | kind           | broker_id | ts       | end_ts
        cut-1   | cut_from_peers | 1         | 10:00:00 | 10:00:45
        kill    | killed         | 2         | 10:03:00 | 10:03:20
        pause-1 | paused         | 3         | 10:06:00 | 10:06:26
        cut-2   | cut_from_peers | 1         | 10:09:00 | 10:09:45
        pause-2 | paused         | 3         | 10:12:00 | 10:12:26
        slow    | slow_follower  | 2         | 10:18:00 | 10:19:00 """,
        """
        id       | kind       | root_id | ts       | end_ts   | topic  | partition
        shrink-1 | isr_shrink | cut-1   | 10:00:30 | 10:00:50 | orders | 0
        shrink-2 | isr_shrink | kill    | 10:03:10 | 10:03:25 | orders | 0
        shrink-3 | isr_shrink | pause-1 | 10:06:20 | 10:06:30 | orders | 0
        shrink-4 | isr_shrink | cut-2   | 10:09:30 | 10:09:50 | orders | 0
        shrink-5 | isr_shrink | pause-2 | 10:12:20 | 10:12:30 | orders | 0
        shrink-6 | isr_shrink | slow    | 10:18:30 | 10:19:00 | orders | 0 """,
        "src",
    ),
    "an effect of both": (
        """
        root_id | kind   | broker_id | ts       | end_ts
        kill    | killed | 1         | 10:00:00 | 10:05:00
        pause   | paused | 2         | 10:02:00 | 10:02:30 """,
        """
        id   | kind     | root_id | ts
        vote | election | kill    | 10:02:10
        vote | election | pause   | 10:02:10 """,
        """
        src  | dst   | reason
        kill | pause | shared_effect """,
    ),
    # The ISR that the kill shrank is not full again as the pause shrinks it further. A harm without an end lasts five seconds, for
    # incidents; clicks-0 is another partition; what was a leader's move only does no harm.
    "harm that overlaps": (
        """
        root_id | kind   | broker_id | ts       | end_ts
        kill    | killed | 1         | 10:00:00 | 10:05:00
        pause   | paused | 2         | 10:02:00 | 10:02:30
        late    | paused | 2         | 10:20:00 | 10:20:30
        other   | paused | 3         | 10:03:00 | 10:03:30
        moved   | paused | 4         | 10:04:00 | 10:04:30 """,
        """
        id       | kind       | root_id | ts       | end_ts   | topic  | partition
        shrink-1 | isr_shrink | kill    | 10:00:06 | 10:05:00 | orders | 0
        shrink-2 | isr_shrink | pause   | 10:02:20 |          | orders | 0
        gone-2   | leaderless | late    | 10:20:10 | 10:20:12 | orders | 0
        shrink-3 | isr_shrink | other   | 10:03:10 | 10:03:20 | clicks | 0
        vote-4   | election   | moved   | 10:04:10 |          | orders | 0         """,
        """
        src  | dst   | reason
        kill | pause | shared_harm """,
    ),
    # It hurts on purpose, and soon.
    "what an operator asked for beside a fault": (
        """
        root_id | kind       | broker_id | ts       | end_ts
        kill    | killed     | 1         | 10:00:00 | 10:05:00
        moved   | reassigned | 3         | 10:00:02 | 10:01:00 """,
        """
        id       | kind       | root_id | ts       | end_ts   | topic  | partition
        shrink-1 | isr_shrink | kill    | 10:00:06 | 10:05:00 | orders | 0
        shrink-2 | isr_shrink | moved   | 10:00:20 | 10:01:00 | orders | 0         """,
        "src",
    ),
    # A quarter of an hour from end to begin; the fourth comes a second too late.
    "ordered stops one after the other": (
        """
        root_id | kind    | broker_id | ts       | end_ts
        stop-1  | stopped | 1         | 10:00:00 | 10:01:00
        stop-2  | stopped | 2         | 10:01:10 | 10:02:00
        stop-3  | stopped | 3         | 10:17:00 | 10:18:00
        stop-4  | stopped | 1         | 10:33:01 | 10:34:00 """,
        "id",
        """
        src    | dst    | reason
        stop-1 | stop-2 | rolling
        stop-2 | stop-3 | rolling """,
    ),
    "a controlled shutdown 53 s after a pause": (
        """
        root_id | kind    | broker_id | ts       | end_ts
        pause   | paused  | 2         | 10:00:00 | 10:00:26
        stop    | stopped | 2         | 10:01:19 | 10:01:40 """,
        """
        id       | kind       | root_id | ts       | end_ts   | topic  | partition
        shrink-1 | isr_shrink | pause   | 10:00:20 | 10:00:30 | orders | 0
        shrink-2 | isr_shrink | stop    | 10:01:20 | 10:01:45 | orders | 0         """,
        "src",
    ),
    "a stop in the same second as a fault": (
        """
        root_id | kind    | broker_id | ts       | end_ts
        pause   | paused  | 2         | 10:00:00 | 10:00:26
        stop    | stopped | 1         | 10:00:01 | 10:00:40 """,
        "id",
        "src",
    ),
}
DID = HAPPENINGS.extended("did", "One happening and its root.", *[c for c in ROOTS.columns if c.name == "root_id"])


@pytest.fixture(scope="module")
def all_spans(spark):
    return together(
        spark,
        ROOT_SPANS,
        {name: case[0] for name, case in CASES.items()},
        lambda rows, case: named(rows, case, "root_id"),
    )


@pytest.fixture(scope="module")
def all_bonds(spark, all_spans):
    def with_ids(rows, case):
        # A partition of one case is none of another.
        told = named(rows, case, "id", "root_id")
        return told.withColumn("topic", F.when(F.col("topic").isNotNull(), F.concat(F.lit(f"{case} "), "topic")))

    did = together(spark, DID, {name: case[1] for name, case in CASES.items()}, with_ids)
    itself = all_spans.selectExpr("root_id id", "root_id", "0 distance")
    roots = did.selectExpr("id", "root_id", "1 distance").unionByName(itself)
    faults = all_spans.selectExpr("root_id id", "kind", "ts")
    happened = HAPPENINGS.rows(did).dropDuplicates(["id"]).unionByName(HAPPENINGS.rows(faults))
    return worked_out(spark, BONDS, stage.bonds(all_spans, happened, ROOTS.of(roots)))


@pytest.mark.parametrize("case", CASES)
def test_roots_are_bound_by_what_they_share_and_not_by_time_alone(all_bonds, case):
    found = of(all_bonds, case, "src", "dst")
    least_first = found.select(
        F.least("src", "dst").alias("src"), F.greatest("src", "dst").alias("dst"), "reason"
    )  # a bond has no direction
    same(least_first, BONDS, CASES[case][2])


def test_incidents_are_numbered_in_the_order_of_time(spark):
    """By their first root, whatever its name."""
    same(
        stage.with_incidents(
            table(
                spark,
                ROOT_SPANS,
                """
        root_id | kind   | ts       | end_ts
        a       | killed | 10:10:00 | 10:11:00
        b       | paused | 10:00:00 | 10:01:00
        c       | paused | 10:20:00 | 10:21:00
        d       | paused | 10:05:00 | 10:06:00 """,
            ),
            table(
                spark,
                INCIDENT_ROOTS,
                """
        id | first
        a  | a
        b  | b
        c  | b
        d  | d     """,
            ),
        ),
        ROOT_SPANS,
        """
        root_id | incident_id
        a       | incident-3
        b       | incident-1
        c       | incident-1
        d       | incident-2  """,
    )


def test_a_happening_belongs_to_its_nearest_root_else_to_its_time(spark):
    """Of two roots at one distance the earlier counts; what is neither rooted nor near in time belongs nowhere."""
    same(
        stage.vertices(
            table(
                spark,
                HAPPENINGS,
                """
        id       | ts       | kind     | reason         | arguments
        rooted   | 10:30:00 | election | session_ended  | broker=1
        torn     | 10:00:10 | election | session_ended  | broker=2
        even     | 10:00:10 | election | session_ended  | broker=3
        before   | 09:59:55 | election | session_ended  | broker=4
        after    | 10:01:29 | election | session_ended  | broker=5
        nowhere  | 10:02:00 | election | session_ended  | broker=6 """,
            ),
            table(
                spark,
                ROOTS,
                """
        id     | root_id | distance
        rooted | kill    | 4
        torn   | kill    | 3
        torn   | pause   | 1
        even   | pause   | 2
        even   | kill    | 2
        other  | unknown | 1        """,
            ),
            table(
                spark,
                ROOT_SPANS,
                """
        root_id | incident_id | ts       | end_ts
        kill    | incident-1  | 10:00:00 | 10:01:00
        pause   | incident-2  | 10:20:00 | 10:21:00 """,
            ),
        ),
        VERTICES,
        """
        id      | incident_id | kind     | label
        rooted  | incident-1  | election | broker 1 left the cluster
        torn    | incident-2  | election | broker 2 left the cluster
        even    | incident-1  | election | broker 3 left the cluster
        before  | incident-1  | election | broker 4 left the cluster
        after   | incident-1  | election | broker 5 left the cluster
        nowhere |             | election | broker 6 left the cluster """,
    )
