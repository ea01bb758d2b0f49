"""The metadata log: I8, I29."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import AT_MOST
from replay.columns.windows import before, so_far
from replay.facts.reads import gathers
from replay.invariants.shape import SEVERITIES
from replay.tables import VIOLATIONS

_SPOKEN = ("raft_hw_regressed", "raft_fetch_offset_non_monotonic")  # by voters


@gathers("dump_metadata_record", *_SPOKEN)
def metadata_disagrees(events: DataFrame) -> DataFrame:
    """I8 and I29 from `kafka-dump-log` text of the metadata log, and I29 from what voters print of lost metadata. Returns
    `VIOLATIONS`.

    Records of one offset and Raft epoch are one record; of two Raft epochs the higher stands. Registrations and ISRs
    are laid out by broker, in the order of the log.
    """
    by_broker = _by_broker(_by_offset(_records(events)))
    in_log = Window.partitionBy("broker_id").orderBy("metadata_offset")
    away = F.when(F.col("_away").isNotNull(), F.struct("_away", "metadata_offset", "_record.event_id"))
    rows = by_broker.withColumn("_last", F.last(away, ignorenulls=True).over(before(in_log)))
    found = F.array(_absent_broker_in_isr(), _two_contents_of_one_offset(), _voter_lost_metadata())
    one = F.explode(F.filter(found, lambda breach: breach.isNotNull())).alias("_one")
    told = rows.select("topic", "partition", one).select("topic", "partition", "_one.*")
    return VIOLATIONS.of(
        told.groupBy("invariant", "severity", "topic", "partition", "verdict", "detail").agg(
            F.slice(F.array_distinct(F.flatten(F.array_sort(F.collect_list("evidence")))), 1, AT_MOST).alias("evidence")
        )
    )


def _records(events: DataFrame) -> DataFrame:
    """The records of dumps, each with the Raft epoch of its batch; and what voters print of lost metadata."""
    kind = F.col("kind")
    in_file = Window.partitionBy("source_file").orderBy("line_number")
    of_batch = F.when(kind == "dump_batch", F.col("controller_epoch"))
    return (
        events.where(kind.isin("dump_metadata_record", "dump_batch", *_SPOKEN))
        .select(
            "kind",
            "event_id",
            "message",
            detail("offset").try_cast("bigint").alias("metadata_offset"),
            detail("type").alias("type"),
            F.last(of_batch, ignorenulls=True).over(so_far(in_file)).alias("raft_epoch"),
        )
        .where(kind != "dump_batch")
    )


def _by_offset(records: DataFrame) -> DataFrame:
    """A row an offset: the record of the highest Raft epoch, and all that stands there. What a voter prints is a row
    of its own (`_spoken`).
    """
    spoken = F.when(F.col("kind") != "dump_metadata_record", F.col("event_id"))
    side = F.struct("raft_epoch", "message", "event_id")
    return records.groupBy("metadata_offset", spoken.alias("_spoken")).agg(
        F.max(side).alias("_record"),
        F.array_sort(F.collect_set(side)).alias("_sides"),
        F.max("type").alias("type"),
        F.max("kind").alias("_kind"),
    )


def _by_broker(by_offset: DataFrame) -> DataFrame:
    """A row for each broker that a record is about (-1: none): whether it went `_away`, or the `isr` that it is in;
    and whether the offset has two contents (`_apart`).
    """
    text = F.col("_record.message")
    away = _goes_away(text)
    isr = F.split(F.nullif(F.regexp_extract(text, r'"isr":\[([\d,]+)\]', 1), F.lit("")), ",").try_cast("array<int>")
    broker = F.regexp_extract(text, r'"(?:brokerId|id)":(\d+)', 1).try_cast("int")
    about = F.when(away.isNotNull(), F.array(broker)).when(
        F.col("type").isin("PARTITION_RECORD", "PARTITION_CHANGE_RECORD") & (F.size(isr) > 1), isr
    )
    in_epoch = F.filter("_sides", lambda s: s["raft_epoch"] == F.col("_record.raft_epoch"))
    contents = F.array_distinct(F.transform(in_epoch, lambda s: s["message"]))
    topic_id = F.nullif(F.regexp_extract(text, r'"topicId":"([^"]+)"', 1), F.lit(""))
    name = F.when(F.col("type") == "TOPIC_RECORD", F.regexp_extract(text, r'"name":"([^"]+)"', 1))
    return by_offset.select(
        "metadata_offset",
        "_spoken",
        "_kind",
        "_record",
        "_sides",
        away.alias("_away"),
        isr.alias("isr"),
        (F.size(contents) > 1).alias("_apart"),
        in_epoch.alias("_same"),
        F.regexp_extract(text, r'"partitionId":(\d+)', 1).try_cast("int").alias("partition"),
        F.max(name).over(Window.partitionBy(topic_id)).alias("topic"),
        F.explode(F.coalesce(about, F.array(F.lit(-1)))).alias("broker_id"),
        F.coalesce(F.get(about, F.lit(0)), F.lit(-1)).alias("_first"),
    )


def _goes_away(record: Column) -> Column:
    """Whether a record fences a broker or lets it shut down (true), or takes that back (false); null for others.
    Metadata versions before 3.3 do not count: they have records of their own for both.
    """
    changed = F.col("type") == "BROKER_REGISTRATION_CHANGE_RECORD"
    registered = F.col("type") == "REGISTER_BROKER_RECORD"
    before_3_3 = F.col("type").isin("FENCE_BROKER_RECORD", "UNFENCE_BROKER_RECORD", "UNREGISTER_BROKER_RECORD")
    return (
        F.when(changed & record.rlike(r'"fenced":1|"inControlledShutdown":1'), True)
        .when(changed & record.rlike(r'"fenced":-1'), False)
        .when(registered, ~record.rlike(r'"fenced":false'))
        .when(before_3_3, False)
    )


def _absent_broker_in_isr() -> Column:
    return _broken(
        "I8",
        (F.col("broker_id") >= 0) & F.col("_away").isNull() & F.col("_last._away"),
        F.format_string(
            "ISR %s written at metadata offset %d has broker %d, which is fenced or shutting down since offset %d",
            _shown("isr"),
            "metadata_offset",
            "broker_id",
            "_last.metadata_offset",
        ),
        F.col("_last.event_id"),
        F.col("_record.event_id"),
    )


def _two_contents_of_one_offset() -> Column:
    return _broken(
        "I29",
        F.col("_spoken").isNull() & F.col("_apart") & (F.col("broker_id") == F.col("_first")),
        F.format_string(
            "the metadata log has two contents at offset %d in Raft epoch %d", "metadata_offset", "_record.raft_epoch"
        ),
        F.get("_same", F.lit(0))["event_id"],
        F.get("_same", F.size("_same") - 1)["event_id"],
    )


def _voter_lost_metadata() -> Column:
    """Where the set of voters may change (KIP-853) a larger or smaller majority may be behind it."""
    text = F.col("_record.message")
    voters_may_change = F.contains(text, F.lit("when voter set membership changes"))
    sure = (F.col("_kind") == "raft_hw_regressed") & ~voters_may_change
    return _broken(
        "I29",
        F.col("_spoken").isNotNull(),
        text,
        F.col("_spoken"),
        verdict=F.when(sure, "violated").otherwise("unknown"),
    )


def _broken(invariant: str, when: Column, told: Column, *events: Column, verdict: Column | str = "violated") -> Column:
    """The breach of `invariant` where `when` is true, else null."""
    return F.when(
        when,
        F.struct(
            F.lit(invariant).alias("invariant"),
            F.lit(SEVERITIES[invariant]).alias("severity"),
            (F.lit(verdict) if isinstance(verdict, str) else verdict).alias("verdict"),
            told.alias("detail"),
            F.filter(F.array(*events), lambda event: event.isNotNull()).alias("evidence"),
        ),
    )


def _shown(ids: str) -> Column:
    return F.concat(F.lit("["), F.array_join(F.col(ids).cast("array<string>"), ", "), F.lit("]"))
