"""What went wrong, and what operators asked for."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, IntegerType, LongType, MapType, StringType, StructField, StructType

from replay.tables.columns import EVIDENCE
from replay.tables.table import BOOLEAN, DOUBLE, INT, INTS, LONG, STRING, STRINGS, TIMESTAMP, Table, column

LINE = StructType([StructField("ts", TIMESTAMP), StructField("event_id", STRING)])

FAULTS = Table(
    name="faults",
    row="One thing that went wrong on a broker, a disk, the network or a clock, or that an operator asked for.",
    key=("fault_id",),
    columns=(
        column("fault_id", STRING, "Kind, node and time of its first proof."),
        column("kind", STRING, "What it was (`replay.faults.kinds`)."),
        column("code", STRING, "Its code, F01 …"),
        column("broker_id", INT, "Node at fault; null where no one node is."),
        column("peers", INTS, "Other nodes concerned: the other end of a link, the voters that were down."),
        column(
            "partitions", STRINGS, "Partitions that it befell, `topic-partition`; empty where it befell the whole node."
        ),
        column("ts", TIMESTAMP, "The first proof of it."),
        column("end_ts", TIMESTAMP, "The first proof that it was over; null where these logs have none."),
        column(
            "began_low",
            TIMESTAMP,
            "It began no earlier than this: the last proof that all was well; null if there is none.",
        ),
        column("began_high", TIMESTAMP, "It began no later than this."),
        column("ended_low", TIMESTAMP, "It ended no earlier than this: the last proof of it."),
        column("ended_high", TIMESTAMP, "It ended no later than this; null where these logs have no end of it."),
        column("confidence", DOUBLE, "How sure, 0 to 1."),
        column("reason", STRING, "How it is known (`replay.sentences.faults`)."),
        column("arguments", MapType(StringType(), StringType()), "What that sentence names."),
        column("unknowns", STRINGS, "What no line tells of it, by the names of `replay.sentences.faults`."),
        EVIDENCE,
    ),
)

LAG_SHRINKS = Table(
    name="lag_shrinks",
    row="One line about a leader that shrinks an ISR.",
    key=("event_id",),
    columns=(
        column("leader_id", INT, "The leader."),
        column("name", STRING, "The partition, `topic-partition`."),
        column("ts", TIMESTAMP, "When."),
        column("event_id", STRING, "The line."),
        column("removed", INTS, "The followers that it drops."),
        column("alone", BOOLEAN, "It leaves the leader alone in the ISR."),
        column("several", BOOLEAN, "It drops several."),
        column(
            "caught_up",
            MapType(IntegerType(), LongType()),
            "When each follower had last caught up, in epoch ms, from 3.6 on.",
        ),
        column("back_ts", TIMESTAMP, "When the leader had all of them back; null if no line tells."),
        column("woke", BOOLEAN, "Its leader dropped all followers of a partition then, and had them all back at once."),
        column("replica_lag_ms", LONG, "The leader's replica.lag.time.max.ms."),
        column("fetch_wait_ms", LONG, "replica.fetch.wait.max.ms."),
    ),
)

LAG_DROPS = Table(
    name="lag_drops",
    row="One leader that dropped one follower for lag, within one spell of such drops in the cluster.",
    key=("spell", "leader_id", "dropped_id"),
    columns=(
        column("spell", LONG, "Number of the spell: drops with no more than replica.lag.time.max.ms between them."),
        column("leader_id", INT, "The leader."),
        column("dropped_id", INT, "The follower."),
        column("drops", LONG, "From how many ISRs."),
        column("left_alone", LONG, "How many of those ISRs were left with the leader alone."),
        column("at_once", LONG, "In how many of those others were dropped with it."),
        column("ts", TIMESTAMP, "The first."),
        column("last_ts", TIMESTAMP, "The last."),
        column("began_low", TIMESTAMP, "The follower had last caught up no earlier than this."),
        column("began_high", TIMESTAMP, "It would have fetched again by this."),
        column("told", BOOLEAN, "A line tells when the follower had last caught up (from 3.6 on)."),
        column("first_back_ts", TIMESTAMP, "When it was first back in one of those ISRs."),
        column("back_ts", TIMESTAMP, "When it was back in all of them; null if it was not."),
        column("replica_lag_ms", LONG, "The leader's replica.lag.time.max.ms."),
        column("names", STRINGS, "The partitions, `topic-partition`."),
        column("lines", ArrayType(LINE), "The lines, with their times."),
    ),
)
