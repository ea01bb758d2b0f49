"""Tables -> happenings: what has causes or effects, each with the facts that the rules of causality join by."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.causes.rules import CLOCKS_DIFFER_MS, MEMORY_MS
from replay.columns.events import detail
from replay.columns.evidence import evidence_of
from replay.columns.partitions import partition_in, partition_name, topic_in
from replay.columns.times import iso_stamp, plus_millis
from replay.columns.windows import after, by_leader_epoch, by_state, from_here
from replay.faults.kinds import ASKED_FOR, is_kind
from replay.partitions.elections import is_unclean
from replay.sentences import statement
from replay.sentences.causes import LABELS
from replay.tables.causes import HAPPENINGS, REFUSED_WRITES, VERTICES
from replay.tables.losses import GONE_VERDICTS
from replay.tables.partitions import ISR_SHRINKS

DELETED_BEFORE_MS = 2_000  # a topic's partitions lose their leaders this shortly before its deletion is told
PASSING_MS = 1_000  # a leaderless state shorter than this is one controller action in two writes (facts §8, trap 22)


def isr_shrinks(committed_isrs: DataFrame) -> DataFrame:
    """Each time a partition's committed ISR lost members while it had a leader. Returns `ISR_SHRINKS`."""
    isr_was = F.lag("isr").over(by_state())
    before = F.coalesce(isr_was, F.array().cast("array<int>"))
    changes = committed_isrs.withColumns({"isr_was": isr_was, "removed": F.array_except(before, "isr")})
    shrinks = changes.where((F.size("removed") > 0) & (F.col("leader_id") >= 0))
    name = F.concat_ws(
        "/", F.lit("isr_shrink"), partition_name(), F.col("leader_epoch").cast("string"), iso_stamp("start_ts")
    )
    return ISR_SHRINKS.rows(shrinks, id=name)


def leaderless_epochs(leader_epochs: DataFrame, faults: DataFrame) -> DataFrame:
    """The leader epochs without a leader, but those with which a partition went as its topic was deleted: nobody
    missed a leader there (facts §5, F19).
    """
    from_now_on = from_here(by_leader_epoch)
    is_last = F.max("leader_id").over(from_now_on) < 0
    gone_ts = F.when(is_last, F.first("end_ts").over(from_now_on))
    deleted = faults.where(is_kind("topic_deleted")).select(
        plus_millis("ts", -DELETED_BEFORE_MS).alias("_asked_ts"), F.coalesce("end_ts", "ts").alias("_deleted_ts")
    )
    with_its_topic = F.col("_gone_ts").isNotNull() & F.col("start_ts").between(F.col("_asked_ts"), F.col("_deleted_ts"))
    without = leader_epochs.withColumn("_gone_ts", gone_ts).where(F.col("leader_id") == -1)
    return without.join(F.broadcast(deleted), with_its_topic, "left_anti").drop("_gone_ts")


def refused_writes(events: DataFrame) -> DataFrame:
    """Writes with acks=all that a leader refused for too few in-sync replicas. Returns `REFUSED_WRITES`."""
    exception = F.coalesce(detail("exception"), F.lit(""))
    refused = events.where(
        (F.col("kind") == "produce_append_error") & F.contains(exception, F.lit("NotEnoughReplicas"))
    )
    in_text = F.nullif(F.regexp_extract("message", r"on partition (?:\S{22}:)?(\S+-\d+)", 1), F.lit(""))
    named = refused.withColumn("name", F.coalesce(partition_name(), in_text)).where(F.col("name").isNotNull())
    minutes = named.groupBy("node_id", "name", F.date_trunc("minute", "ts").alias("_minute")).agg(
        F.min("ts").alias("ts"),
        F.max("ts").alias("end_ts"),
        F.count("*").alias("count"),
        evidence_of().alias("evidence"),
    )
    id_ = F.concat_ws("/", F.lit("writes_refused"), "name", F.col("node_id").cast("string"), iso_stamp())
    return REFUSED_WRITES.rows(minutes, id=id_, topic=topic_in("name"), partition=partition_in("name"))


def happenings(
    faults: DataFrame,
    broker_sessions: DataFrame,
    controllers: DataFrame,
    leader_epochs: DataFrame,
    elections: DataFrame,
    isr_shrinks: DataFrame,
    committed_isrs: DataFrame,
    log_cuts: DataFrame,
    losses: DataFrame,
    refused_writes: DataFrame,
) -> DataFrame:
    """Everything that has causes or effects. Returns `HAPPENINGS`."""
    return reduce(
        DataFrame.unionByName,
        (
            _faults(faults),
            _ended_sessions(broker_sessions),
            _controller_changes(controllers),
            _leaderless(leaderless_epochs(leader_epochs, faults)),
            _elections(elections),
            _shrinks(isr_shrinks, committed_isrs),
            _cuts(log_cuts),
            _losses(losses),
            _refusals(refused_writes),
        ),
    )


def vertices(happenings: DataFrame) -> DataFrame:
    """The happenings as vertices of the graph, without their incidents. Returns `VERTICES`."""
    return VERTICES.rows(happenings, label=LABELS.text(F.struct("reason", "arguments")))


def _happening(rows: DataFrame, kind: str | Column, *, said: Column, **given: Column) -> DataFrame:
    """Rows of `HAPPENINGS`: what is not `given` is a column of `rows`, or null; `begin_ts` is `ts` where none is
    given.
    """
    no_ids, no_names = F.array().cast("array<int>"), F.array().cast("array<string>")
    whole = HAPPENINGS.rows(
        rows.withColumn("_said", said),
        **{
            "kind": F.lit(kind) if isinstance(kind, str) else kind,
            "reason": F.col("_said.reason"),
            "arguments": F.col("_said.arguments"),
            "name": partition_name() if "topic" in rows.columns else F.lit(None),
            **given,
        },
    )
    return whole.withColumns(
        {
            "begin_ts": F.coalesce("begin_ts", "ts"),
            "about": F.array_compact(F.coalesce("about", no_ids)),
            "names": F.coalesce("names", no_names),
        }
    )


def _faults(faults: DataFrame) -> DataFrame:
    node = F.when(~is_kind(*ASKED_FOR), F.col("broker_id"))
    said = statement("fault", code="code", what=F.replace(F.col("kind"), F.lit("_"), F.lit(" ")), node=node)
    return _happening(
        faults,
        F.col("kind"),
        said=said,
        id=F.col("fault_id"),
        node_id=F.col("broker_id"),
        begin_ts=F.coalesce("began_low", "ts"),
        over_ts=F.col("end_ts"),
        end_ts=F.col("end_ts"),
        about=F.when(F.col("broker_id").isNotNull(), F.array("broker_id")),
        names=F.col("partitions"),
    )


def _ended_sessions(sessions: DataFrame) -> DataFrame:
    """The ends of brokers' sessions. In a controlled shutdown leaders and ISRs move first, at the broker's request:
    what precedes the end follows from the stop.
    """
    in_time = Window.partitionBy("broker_id").orderBy(F.coalesce("start_ts", "end_ts"))
    ended = sessions.withColumn("back_ts", F.lead("start_ts").over(in_time)).where(F.col("end_ts").isNotNull())
    earliest = F.when(F.col("ended_by") == "controlled_shutdown", F.col("end_ts")).otherwise(
        plus_millis("end_ts", -CLOCKS_DIFFER_MS)
    )
    return _happening(
        ended.select(
            "broker_id", "ended_by", "evidence", "back_ts", F.col("end_ts").alias("ts"), earliest.alias("begin_ts")
        ),
        "detected",
        said=statement(
            "session_ended", broker="broker_id", by=F.replace(F.col("ended_by"), F.lit("_"), F.lit(" ")), at_end="ts"
        ),
        id=F.concat_ws("/", F.lit("detected"), F.col("broker_id").cast("string"), iso_stamp("ts")),
        over_ts=F.col("back_ts"),
        node_id=F.col("broker_id"),
        about=F.array("broker_id"),
        by=F.col("ended_by"),
    )


def _controller_changes(controllers: DataFrame) -> DataFrame:
    by_raft = F.col("mode").eqNullSafe("kraft")
    in_order = Window.orderBy(by_raft, "controller_epoch")
    changes = controllers.withColumns({"_old": F.lag("controller_id").over(in_order), "ts": F.col("start_ts")})
    epoch = F.col("controller_epoch").cast("string")
    return _happening(
        changes.where(F.col("_old").isNotNull()).drop("end_ts"),
        "controller_change",
        said=statement("became_controller", node="controller_id", old="_old", controller_epoch="controller_epoch"),
        id=F.concat_ws("/", F.lit("controller"), F.when(by_raft, "kraft"), epoch),
        node_id=F.col("controller_id"),
        about=F.array("_old"),
        by=F.col("mode"),
    )


def _leaderless(without_leader: DataFrame) -> DataFrame:
    name = partition_name()
    return _happening(
        without_leader,
        "leaderless",
        said=statement("without_leader", partition=name, leader_epoch="leader_epoch", old="last_leader_id"),
        id=epoch_id("leaderless"),
        ts=F.col("start_ts"),
        over_ts=F.coalesce("end_ts", plus_millis("start_ts", MEMORY_MS)),
        node_id=F.lit(None),
        about=F.array("last_leader_id"),
        leader_id=F.lit(None),
    )


def _elections(elections: DataFrame) -> DataFrame:
    """Changes of leader; one that ended a time without a leader follows from that, and that from what befell the
    leader before.
    """
    had_leader = F.coalesce("leaderless_ms", F.lit(0)) == 0
    return _happening(
        elections,
        F.when(is_unclean(), "unclean_election").otherwise("election"),
        said=statement(
            "changed_leader",
            partition=partition_name(),
            old="old_leader_id",
            new_leader="new_leader_id",
            leader_epoch="leader_epoch",
            trigger="trigger",
        ),
        id=epoch_id("election"),
        node_id=F.col("new_leader_id"),
        about=F.when(had_leader | (F.col("trigger") == "preferred"), F.array("old_leader_id")),
        leader_id=F.col("old_leader_id"),
        by=F.col("trigger"),
    )


def _shrinks(isr_shrinks: DataFrame, committed_isrs: DataFrame) -> DataFrame:
    """ISRs that lost members; `end_ts` is when the ISR was full again."""
    is_full = F.size("isr") >= F.size("replicas")
    full_again = committed_isrs.select(
        "topic",
        "life",
        "partition",
        "leader_epoch",
        "state_order",
        F.min(F.when(is_full, F.col("start_ts"))).over(after(by_state)).alias("_full_ts"),
    )
    key = ["topic", "life", "partition", "leader_epoch", "state_order"]
    known = isr_shrinks.join(full_again, key, "left").withColumn("_span_end", F.col("end_ts")).drop("ts", "end_ts")
    return _happening(
        known,
        "isr_shrink",
        said=statement(
            "isr_shrank",
            partition=partition_name(),
            isr=F.array_join(F.col("isr").cast("array<string>"), ","),
            isr_was=F.array_join(F.col("isr_was").cast("array<string>"), ","),
            leader="leader_id",
        ),
        ts=F.col("start_ts"),
        end_ts=F.col("_full_ts"),
        over_ts=F.coalesce("_span_end", plus_millis("start_ts", MEMORY_MS)),
        node_id=F.col("leader_id"),
        about=F.col("removed"),
    )


def _cuts(log_cuts: DataFrame) -> DataFrame:
    is_recovery = F.col("by_recovery")
    return _happening(
        log_cuts.withColumn("life", F.lit(0)),
        F.when(is_recovery, "recovery_cut").otherwise("truncation"),
        said=statement(
            F.when(is_recovery, "recovery_cut_log").otherwise("cut_log"),
            broker="node_id",
            partition=partition_name(),
            to="truncation_offset",
            from_offset="log_end_offset",
        ),
        id=F.concat_ws("/", F.lit("truncation"), partition_name(), F.col("node_id").cast("string"), iso_stamp()),
        about=F.array("node_id"),
    )


def _losses(losses: DataFrame) -> DataFrame:
    """The rows of the ledger that say that something is or may be gone."""
    return _happening(
        losses.where(F.col("verdict").isin(*GONE_VERDICTS)).drop("end_ts"),
        "loss",
        said=statement(
            "lost_records",
            verdict="verdict",
            loss_class="loss_class",
            partition=partition_name(),
            from_offset="from_offset",
            to=F.coalesce(F.col("to_offset_high").cast("string"), F.lit("unknown")),
            old="old_leader_id",
            new="new_leader_id",
        ),
        id=loss_id(),
        node_id=F.lit(None),
        about=F.array("old_leader_id"),
        by=F.col("scenario"),
    )


def _refusals(refused_writes: DataFrame) -> DataFrame:
    return _happening(
        refused_writes.withColumn("life", F.lit(0)),
        "writes_refused",
        said=statement("refused_writes", count="count", partition=partition_name(), leader="node_id"),
        leader_id=F.col("node_id"),
    )


def epoch_id(kind: str) -> Column:
    """The id of the vertex of a leader epoch: `election/orders-0/5`; of a later topic of the name
    `election/orders-0/life-1/5`.
    """
    later_life = F.when(F.col("life") > 0, F.concat(F.lit("life-"), F.col("life").cast("string")))
    return F.concat_ws("/", F.lit(kind), partition_name(), later_life, F.col("leader_epoch").cast("string"))


def loss_id() -> Column:
    """The id of the vertex of a row of the ledger."""
    return F.concat_ws("/", epoch_id("loss"), "loss_class", "scenario")
