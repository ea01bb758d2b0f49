"""Node outages, leaders and ISRs -> claims: the single reasons for which a partition takes no writes, one rule a
function.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.availability.reasons import CLOSED, UNKNOWN
from replay.brokers.releases import version_number
from replay.columns.partitions import partition_name
from replay.tables.availability import CLAIMS

ACKS_ALL, ACKS_ONE = "all", "1"
BOTH_KINDS = (ACKS_ALL, ACKS_ONE)
CAPPED_FROM = "3.7.0"  # KAFKA-15583: from here on min.insync.replicas counts for no more than the replicas there are


def every_claim(
    tenures: DataFrame,
    roles: DataFrame,
    leaders_words: DataFrame,
    isr_spans: DataFrame,
    outages: DataFrame,
    broker_sessions: DataFrame,
    releases: DataFrame,
) -> DataFrame:
    """Every reason for which some partition took no writes, or perhaps took none. Returns `CLAIMS`."""
    return reduce(
        DataFrame.unionByName,
        (
            leader_out(tenures, outages, roles, broker_sessions),
            without_leader(tenures, outages),
            leader_not_started(tenures),
            waiting_for_members(isr_spans, outages, roles),
            below_min_isr(isr_spans, leaders_words, releases),
        ),
    )


def leader_out(tenures: DataFrame, outages: DataFrame, roles: DataFrame, broker_sessions: DataFrame) -> DataFrame:
    """The leader is dead, stands still or may not serve: until it is back, or the next one has taken up the partition.

    A process that was started anew leads again once it says so, and has a session. One that wakes may have been deposed
    meanwhile: whether it takes writes until the next leader starts is not known.
    """
    led = tenures.where(F.col("leader_id") >= 0).select(
        *("topic", "partition", "leader_id", "next_start_ts"),
        F.col("start_ts").alias("span_start_ts"),
        F.col("until_ts").alias("span_end_ts"),
    )
    hindered = outages.where(F.col("leads").isNotNull()).withColumnRenamed("node_id", "leader_id")
    out = _in_span(led.join(F.broadcast(hindered), "leader_id"))
    again = _with_session(_with_new_start(out, roles.where("leads_it"), "leader_id"), broker_sessions)
    deposed = F.coalesce(F.col("next_start_ts") <= F.coalesce("back_ts", "span_end_ts"), F.lit(False))
    until_new_start = F.col("again_ts")
    woke_deposed = F.when(deposed, F.col("span_end_ts")).otherwise(F.col("back_ts"))
    placed = again.withColumns(
        {
            "to_ts": F.when(F.col("must_start"), until_new_start).otherwise(F.col("to_ts")),
            "back_ts": F.when(F.col("must_start"), until_new_start).otherwise(woke_deposed),
            "then": F.when(deposed, "leader_deposed").otherwise(F.col("as_leader")),
        }
    )
    return _stages(placed, state="leads", reason="as_leader", then="then", kinds=BOTH_KINDS)


def _with_session(led: DataFrame, broker_sessions: DataFrame) -> DataFrame:
    """`led` whose leader is taken to lead `again_ts` only once it has a session again: before that it takes no
    requests of clients.
    """
    registered = broker_sessions.groupBy(F.col("broker_id").alias("leader_id")).agg(
        F.collect_set("start_ts").alias("_registered")
    )
    session_ts = F.array_min(F.filter("_registered", lambda ts: ts >= F.col("to_ts")))
    placed = led.join(F.broadcast(registered), "leader_id", "left")
    return placed.withColumn("again_ts", F.when(F.col("again_ts").isNotNull(), F.greatest("again_ts", session_ts)))


def without_leader(tenures: DataFrame, outages: DataFrame) -> DataFrame:
    """No leader, until one has taken up the partition. Where the last one may have lived on out of the controllers'
    reach, it may have taken writes.
    """
    without = tenures.where(F.col("leader_id") < 0)
    zombies = outages.where("may_lead_on").select(
        F.col("node_id").alias("_zombie"), F.col("low_ts").alias("_low_ts"), F.col("back_ts").alias("_back_ts")
    )
    lived = (F.col("_low_ts").isNull() | (F.col("_low_ts") <= F.col("start_ts"))) & (
        F.col("_back_ts").isNull() | (F.col("_back_ts") >= F.col("start_ts"))
    )
    placed = (
        without.join(F.broadcast(zombies), (F.col("_zombie") == F.col("last_leader_id")) & lived, "left")
        .groupBy(*without.columns)
        .agg(F.max("_zombie").alias("_zombie"))
        .withColumn("lives_on", F.col("_zombie").isNotNull())
    )
    return _claims(
        placed,
        BOTH_KINDS,
        end_ts=F.col("until_ts"),
        state=F.when(F.col("lives_on"), UNKNOWN).otherwise(CLOSED),
        reason=F.when(F.col("lives_on"), "leader_deposed").otherwise("no_leader"),
        suspects=F.array_compact(F.array("last_leader_id")),
        confidence=F.lit("observed"),
    )


def leader_not_started(tenures: DataFrame) -> DataFrame:
    """Another leader was chosen and has not taken up the partition yet: the one before may take writes until it
    learns of it.
    """
    moved = (F.col("last_leader_id") != F.col("leader_id")) & (F.col("serves_ts") > F.col("start_ts"))
    return _claims(
        tenures.where((F.col("leader_id") >= 0) & moved),
        BOTH_KINDS,
        end_ts=F.col("serves_ts"),
        state=F.lit(UNKNOWN),
        reason=F.lit("leader_deposed"),
        suspects=F.array_compact(F.array("last_leader_id")),
        confidence=F.lit("observed"),
    )


def waiting_for_members(isr_spans: DataFrame, outages: DataFrame, roles: DataFrame) -> DataFrame:
    """A member of the committed ISR does not fetch: acks=all waits until it is dropped, or fetches again (facts
    §1.3).
    """
    members = isr_spans.where(F.col("leader_id") >= 0).select(
        *("topic", "partition", "leader_id"),
        F.explode("isr").alias("member_id"),
        F.col("start_ts").alias("span_start_ts"),
        F.col("end_ts").alias("span_end_ts"),
    )
    followers = members.where(F.col("member_id") != F.col("leader_id"))
    stopped = outages.where(F.col("follows").isNotNull())
    by_member = followers.join(F.broadcast(stopped.withColumnRenamed("node_id", "member_id")), "member_id").where(
        F.col("peers").isNull() | F.array_contains("peers", F.col("leader_id"))
    )
    by_leader = followers.join(
        F.broadcast(stopped.where("is_cut").withColumnRenamed("node_id", "leader_id")), "leader_id"
    ).where(F.col("peers").isNull() | F.array_contains("peers", F.col("member_id")))
    out = _in_span(by_member.unionByName(by_leader))
    again = _with_new_start(out, roles, "member_id")
    back_ts = F.when(F.col("must_start"), F.col("again_ts")).otherwise(F.col("back_ts"))
    placed = again.withColumns({"back_ts": back_ts, "waits": F.lit("waiting_for_isr_member")})
    return _stages(placed, state="follows", reason="waits", then="waits", kinds=(ACKS_ALL,))


def below_min_isr(isr_spans: DataFrame, leaders_words: DataFrame, releases: DataFrame) -> DataFrame:
    """The committed ISR is smaller than min.insync.replicas: acks=all is refused (facts §1.6), once the leader knows.

    A controller's decision reaches a busy leader seconds later; until the leader itself tells the ISR, or refuses a
    write, nothing is sure. From 3.7 on the setting counts for no more than there are replicas: where that matters and
    the release or the replicas are not known, neither is the answer.
    """
    below = _below_min(isr_spans, releases)
    refused = {
        "end_ts": F.col("end_ts"),
        "reason": F.lit("below_min_isr"),
        "suspects": F.array_except("replicas", "isr"),
    }
    known = _with_leaders_word(below, leaders_words).withColumn("_sure_ts", F.when(F.col("is_sure"), F.col("word_ts")))
    until_sure = F.least("_sure_ts", "end_ts")
    unsure = known.where(F.col("_sure_ts").isNull() | (F.col("_sure_ts") > F.col("start_ts")))
    return _claims(
        known.where(F.col("_sure_ts").isNotNull()),
        (ACKS_ALL,),
        **refused,
        start_ts=F.col("_sure_ts"),
        state=F.lit(CLOSED),
    ).unionByName(_claims(unsure, (ACKS_ALL,), **(refused | {"end_ts": until_sure}), state=F.lit(UNKNOWN)))


def _below_min(isr_spans: DataFrame, releases: DataFrame) -> DataFrame:
    """The ISRs that are, or may be, below what is asked for; `is_sure` where they are."""
    range_ = releases.agg(F.min("version_low").alias("_low"), F.max("version_high").alias("_high"))
    size, replicas = F.size("isr"), F.size("replicas")
    caps = F.coalesce(F.col("_low") >= version_number(CAPPED_FROM), F.lit(False))
    never_caps = F.coalesce(F.col("_high") < version_number(CAPPED_FROM), F.lit(False))
    below_all = F.coalesce(size < F.least("min_isr", replicas), F.lit(False)) & F.col("replicas").isNotNull()
    not_below = caps & F.col("replicas").isNotNull() & ~below_all
    led = isr_spans.where((F.col("leader_id") >= 0) & (size < F.col("min_isr"))).crossJoin(F.broadcast(range_))
    return led.where(~not_below).withColumn("is_sure", never_caps | below_all)


def _with_leaders_word(spans: DataFrame, leaders_words: DataFrame) -> DataFrame:
    """`spans` with `word_ts`: when their leader first told that ISR itself, took up the leader epoch that began with
    it, or refused a write.
    """
    words = leaders_words.select(
        *("topic", "partition"),
        F.col("node_id").alias("leader_id"),
        F.col("leader_epoch").alias("_epoch"),
        F.array_sort("isr").alias("_isr"),
        F.col("ts").alias("_ts"),
        "refuses",
    )
    begins_epoch = F.col("start_ts") == F.min("start_ts").over(Window.partitionBy("topic", "partition", "leader_epoch"))
    placed = spans.withColumn("_begins_epoch", begins_epoch)
    inside = (F.col("_ts") >= F.col("start_ts")) & (F.col("end_ts").isNull() | (F.col("_ts") < F.col("end_ts")))
    tells = F.col("_isr") == F.array_sort("isr")
    takes_up = F.col("_isr").isNull() & (F.col("_epoch") == F.col("leader_epoch")) & F.col("_begins_epoch")
    word_ts = F.min(F.when(inside & F.coalesce(tells | takes_up | F.col("refuses"), F.lit(False)), F.col("_ts")))
    return (
        placed.join(words, ["topic", "partition", "leader_id"], "left")
        .groupBy(*placed.columns)
        .agg(word_ts.alias("word_ts"))
    )


def _in_span(rows: DataFrame) -> DataFrame:
    """The outages that concern the partition of the row, and fall into the row's span."""
    concerns = F.col("partitions").isNull() | F.array_contains("partitions", partition_name())
    until_ts = F.when(F.col("must_start"), None).otherwise(F.coalesce("back_ts", "to_ts"))
    begins_before_end = F.coalesce(F.col("low_ts") < F.col("span_end_ts"), F.lit(True))
    ends_after_begin = until_ts.isNull() | (until_ts > F.col("span_start_ts"))
    started_before = ~F.col("must_start") | F.coalesce(F.col("to_ts") > F.col("span_start_ts"), F.lit(True))
    return rows.where(concerns & begins_before_end & ends_after_begin & started_before)


def _with_new_start(rows: DataFrame, roles: DataFrame, node: str) -> DataFrame:
    """`rows` with `again_ts`: the first line after `to_ts` with which the node took up the partition."""
    lines = roles.groupBy("topic", "partition", F.col("node_id").alias(node)).agg(F.collect_set("ts").alias("_lines"))
    first_ts = F.array_min(F.filter("_lines", lambda ts: ts >= F.col("to_ts")))
    return rows.join(lines, ["topic", "partition", node], "left").withColumn("again_ts", first_ts)


def _stages(rows: DataFrame, *, state: str, reason: str, then: str, kinds: tuple[str, ...]) -> DataFrame:
    """The claims of outages within spans: `unknown` from the last proof of health, `state` from the first proof of
    the outage
    to the last, `unknown` again (`then`) to the first proof that it is over. A null bound lies outside the span.
    """
    begin_ts = F.greatest(F.coalesce("low_ts", "span_start_ts"), F.col("span_start_ts"))
    sure_ts = F.greatest("from_ts", F.col("span_start_ts"))
    sure_until_ts, over_ts = _earlier("to_ts"), _earlier("back_ts")
    stage = F.array(
        F.struct(
            begin_ts.alias("a"),
            F.least(sure_ts, "span_end_ts").alias("b"),
            F.lit(UNKNOWN).alias("s"),
            F.col(reason).alias("r"),
        ),
        F.struct(sure_ts.alias("a"), sure_until_ts.alias("b"), F.col(state).alias("s"), F.col(reason).alias("r")),
        F.struct(sure_until_ts.alias("a"), over_ts.alias("b"), F.lit(UNKNOWN).alias("s"), F.col(then).alias("r")),
    )
    parts = rows.select("topic", "partition", "fault_id", "evidence", F.explode(stage).alias("_part"))
    lasting = parts.where(
        F.col("_part.a").isNotNull() & (F.col("_part.b").isNull() | (F.col("_part.b") > F.col("_part.a")))
    )
    return _claims(
        lasting,
        kinds,
        start_ts=F.col("_part.a"),
        end_ts=F.col("_part.b"),
        state=F.col("_part.s"),
        reason=F.col("_part.r"),
        confidence=F.lit("inferred"),
    )


def _earlier(bound: str) -> Column:
    """A bound, or the end of the span where that comes first; null where neither comes."""
    return F.least(bound, "span_end_ts")


def _claims(rows: DataFrame, kinds: tuple[str, ...], **given: Column) -> DataFrame:
    """Rows of `CLAIMS`, one for each kind of producer."""
    kind = F.explode(F.array(*map(F.lit, kinds))).alias("_acks")
    return CLAIMS.rows(rows.select("*", kind), acks=F.col("_acks"), **given)
