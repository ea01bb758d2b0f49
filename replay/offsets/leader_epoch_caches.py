"""Which leader epochs each replica's log holds and where they start, and the offset at which two logs part.

A replica's leader-epoch cache (the file `leader-epoch-checkpoint`) is rebuilt from what enters it and what leaves it:
epochs a leader begins, epochs that come with a leader's records, cuts of the log, and copies of the file itself. What
an entry does to those before it depends on the release (`LeaderEpochFileCache.assign`); a file that was read outranks
every rule. Where a follower will cut its log depends on its release too: each rule is a function of two lineages.
Source: facts §1.4, §1.5, §3.5.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.releases import broker_versions, version_number
from replay.columns.events import detail
from replay.columns.evidence import AT_MOST
from replay.columns.times import plus_millis
from replay.columns.windows import PARTITION_KEY, ordered
from replay.offsets.epoch_arrivals import arrivals, beginnings
from replay.partitions.topics import with_life
from replay.tables import LEADER_EPOCH_CACHES

ENTRY = "struct<leader_epoch:int,epoch_start_offset:bigint>"
LINEAGE = f"array<{ENTRY}>"
_REPLICA = (*PARTITION_KEY, "node_id")
_ENTRY = (*_REPLICA, "leader_epoch", "epoch_start_offset", "_told_by", "event_id")
_RENAMED = " is renamed to "  # a replica's folder, before it is deleted

# What a follower does when it begins to follow, by release and inter-broker protocol (facts §1.5).
BY_HIGH_WATERMARK = "high_watermark"  # up to 0.10.2, and later with messages or a protocol of before 0.11: cut to the own high watermark
ONE_ROUND = "one_round"  # KIP-101, 0.11-1.1: ask the leader once where the own last leader epoch ends
ITERATIVE_2_0_0 = "iterative_2_0_0"  # KIP-279 as in 2.0.0: a leader whose first leader epoch is higher gives no answer
ITERATIVE = "iterative"  # KIP-279, from 2.0.1: ask until a leader epoch that both know is found
IN_FETCH = "in_fetch"  # from 2.8 with protocol 2.7-IV1: the leader says in its fetch response where the logs part
RULES = (BY_HIGH_WATERMARK, ONE_ROUND, ITERATIVE_2_0_0, ITERATIVE, IN_FETCH)

# When a leader's own entry enters its cache, and what then leaves it, by release alone (KAFKA-7415).
WITH_FIRST_RECORD = "with_first_record"  # 0.11-2.0.0; an entry of an equal start stays
AS_IT_BEGINS = "as_it_begins"  # from 2.0.1, even if nothing is ever appended; entries of an equal start leave

_TRUNCATED = ("log_truncated_to", "truncation_below_hw", "log_recovery_truncated", "log_truncated_fully")
_STARTED = ("log_start_offset_incremented", "checkpoint_log_start_offset")


def follower_rules(events: DataFrame, settings: DataFrame) -> DataFrame:
    """`node_id, rule, is_told, entry_rule`: one of `RULES` for each node whose release and protocol leave one, and
    `WITH_FIRST_RECORD` or `AS_IT_BEGINS`; null where they leave several.

    `settings` is `replay.reading.accounts.settings`. A node without a printed protocol is taken to use the newest of its
    release; `is_told` is false where an older one, or messages of before 0.11, would be another rule.
    """
    said = settings.where(
        F.col("name").isin("inter.broker.protocol.version", "log.message.format.version") & F.col("node_id").isNotNull()
    )
    parts = F.split(F.regexp_extract("value", r"^(\d+(?:\.\d+)*)", 1), r"\.")
    major, minor, patch = (F.coalesce(F.get(parts, F.lit(n)).try_cast("int"), F.lit(0)) for n in range(3))
    # A protocol as a number: release, then its internal version (IV), of which the plain release has the last.
    iv = F.coalesce(F.regexp_extract("value", r"-IV(\d+)", 1).try_cast("int"), F.lit(9))
    number = (major * 10_000 + minor * 100 + F.when(major == 0, patch).otherwise(0)) * 10 + iv
    protocols = said.groupBy("node_id").agg(
        F.min(F.when(F.col("name") == "inter.broker.protocol.version", number)).alias("_low"),
        F.max(F.when(F.col("name") == "inter.broker.protocol.version", number)).alias("_high"),
        F.min(F.when(F.col("name") == "log.message.format.version", number)).alias("_format_low"),
        F.max(F.when(F.col("name") == "log.message.format.version", number)).alias("_format_high"),
    )

    def since(release: str, internal: int = 0) -> int:
        return version_number(release) * 10 + internal

    def rule(version: Column, protocol: Column, messages: Column) -> Column:
        old = (version < version_number("0.11.0")) | (protocol < since("0.11.0", 2)) | (messages < since("0.11.0"))
        return (
            F.when(F.coalesce(old, F.lit(False)), BY_HIGH_WATERMARK)
            .when((version < version_number("2.0.0")) | F.coalesce(protocol < since("2.0.0"), F.lit(False)), ONE_ROUND)
            .when(version < version_number("2.0.1"), ITERATIVE_2_0_0)
            .when(
                (version < version_number("2.8.0")) | F.coalesce(protocol < since("2.7.0", 1), F.lit(False)), ITERATIVE
            )
            .otherwise(IN_FETCH)
        )

    known = broker_versions(events).join(protocols, "node_id", "left")
    lowest = rule(F.col("version_low"), F.col("_low"), F.col("_format_low"))
    highest = rule(F.col("version_high"), F.col("_high"), F.col("_format_high"))
    of_release = (F.col("version_low") >= version_number("3.0.0")) | (F.col("version_high") < version_number("0.11.0"))
    is_told = of_release | (F.col("_low").isNotNull() & F.col("_format_low").isNotNull())
    entries = F.when(F.col("version_low") >= version_number("2.0.1"), AS_IT_BEGINS).when(
        F.col("version_high") < version_number("2.0.1"), WITH_FIRST_RECORD
    )
    return known.select(
        "node_id",
        F.when(lowest == highest, lowest).alias("rule"),
        is_told.alias("is_told"),
        entries.alias("entry_rule"),
    )


def epoch_lines(events: DataFrame, lives: DataFrame, rules: DataFrame) -> DataFrame:
    """The lines that tell of replicas' leader-epoch caches, with what each release's rule makes of them."""
    kind = F.col("kind")
    removed = (kind == "log_deleted") & F.contains("message", F.lit(_RENAMED))
    told = events.where(
        (kind.isin("leader_start", "epoch_cache_assigned", "checkpoint_leader_epoch", *_TRUNCATED, *_STARTED) | removed)
        & F.col("topic").isNotNull()
        & F.col("node_id").isNotNull()
    ).select(
        "topic",
        "partition",
        "node_id",
        "ts",
        "line_number",
        "kind",
        "source_file",
        "event_id",
        "truncation_offset",
        "log_start_offset",
        F.coalesce(
            "leader_epoch",
            F.regexp_extract(F.coalesce(detail("epoch_entry"), F.lit("")), r"epoch=(\d+)", 1).try_cast("int"),
        ).alias("leader_epoch"),
        F.coalesce(
            "epoch_start_offset",
            F.regexp_extract(F.coalesce(detail("epoch_entry"), F.lit("")), r"startOffset=(\d+)", 1).try_cast("bigint"),
        ).alias("epoch_start_offset"),
        detail("previous_leader_epoch").try_cast("int").alias("_previous"),
    )
    return _with_leader_epochs(with_life(told, lives), rules)


def epoch_entries(
    epoch_lines: DataFrame,
    leader_epochs: DataFrame,
    isr_spans: DataFrame,
    high_watermarks: DataFrame,
    lives: DataFrame,
    rules: DataFrame,
) -> DataFrame:
    """Every entry that a replica's cache was given, by lines, copied records and files."""
    begun = beginnings(epoch_lines, leader_epochs)
    came = _with_leader_epochs(arrivals(begun, high_watermarks, isr_spans, lives), rules)
    told_already = F.col("is_own") & F.coalesce(F.col("entry_rule") == AS_IT_BEGINS, F.lit(False))
    return (
        _entry(begun.where(F.col("entry_rule") == AS_IT_BEGINS), "leader")
        .unionByName(_copied(epoch_lines))
        .unionByName(_entry(came.where(~told_already), "append"))
        .unionByName(_filed(epoch_lines))
    )


def leader_epoch_caches(epoch_lines: DataFrame, epoch_entries: DataFrame, leader_epochs: DataFrame) -> DataFrame:
    """Every leader epoch in every replica's cache. Returns `LEADER_EPOCH_CACHES` and `life`.

    A follower has an entry only when a record of that leader epoch has arrived (facts §1.4); nodes that cut by high
    watermark have none. `leader_epochs` has `life`, `leader_ts` and `confidence`.
    """
    entered, cuts = epoch_entries, _cuts(epoch_lines)
    # Of an entry that is told without a time too, a line that tells it after it can first have come says when it was
    # there.
    same_entry = Window.partitionBy(*_REPLICA, "leader_epoch", "epoch_start_offset")
    told_then = F.array_min(F.filter("_told_ts", lambda ts: ts >= F.coalesce(F.col("_after_ts"), ts)))
    dated = (
        entered.join(_earliest(cuts, entered, leader_epochs), list(_ENTRY), "left")
        .withColumn("_told_ts", F.collect_list("ts").over(same_entry))
        .withColumn("_since", F.coalesce(F.col("ts"), told_then, F.col("_after_ts")))
    )
    standing = dated.join(_removals(cuts, dated), list(_ENTRY), "left")
    # The same entry, told several times before it left, is one row.
    return (
        standing.groupBy(
            *_REPLICA,
            "leader_epoch",
            "end_ts",
            F.when(F.col("_clipped"), None).otherwise(F.col("epoch_start_offset")).alias("_start"),
        )
        .agg(
            F.min("epoch_start_offset").alias("epoch_start_offset"),
            F.min("_since").alias("start_ts"),
            F.bool_and("_clipped").alias("clipped"),
            F.array_sort(F.collect_set("_told_by")).alias("told_by"),
            F.slice(F.array_sort(F.collect_set("event_id")), 1, AT_MOST).alias("evidence"),
        )
        .transform(_without_clipped_twins)
        .select("life", *LEADER_EPOCH_CACHES.schema.fieldNames())
    )


def caches_table(caches: DataFrame) -> DataFrame:
    """Returns `LEADER_EPOCH_CACHES`."""
    return LEADER_EPOCH_CACHES.of(caches)


def _entry(rows: DataFrame, told_by: str, clipped: Column | bool = False) -> DataFrame:
    return rows.select(
        *_REPLICA,
        "leader_epoch",
        "epoch_start_offset",
        "ts",
        F.lit(told_by).alias("_told_by"),
        (F.lit(clipped) if isinstance(clipped, bool) else clipped).alias("_clipped"),
        "event_id",
        "entry_rule",
    )


def _with_leader_epochs(rows: DataFrame, rules: DataFrame) -> DataFrame:
    """`rows` of nodes that keep leader epochs, or may, with the rules of their release."""
    known = rows.join(F.broadcast(rules.select("node_id", "rule", "entry_rule")), "node_id", "left")
    return known.where(~F.coalesce(F.col("rule") == BY_HIGH_WATERMARK, F.lit(False)))


def _copied(known: DataFrame) -> DataFrame:
    return _entry(
        known.where((F.col("kind") == "epoch_cache_assigned") & F.col("epoch_start_offset").isNotNull()), "cache"
    )


def _filed(known: DataFrame) -> DataFrame:
    """The entries of the files, the first of each marked: its offset may be the log start (facts §8 trap 11)."""
    in_file = Window.partitionBy(*_REPLICA, "source_file").orderBy("line_number")
    files = known.where(
        (F.col("kind") == "checkpoint_leader_epoch") & ~F.col("source_file").rlike("-(?:delete|stray)/")
    )
    return _entry(files.withColumn("_nth", F.row_number().over(in_file)), "file", F.col("_nth") == 1)


def _removals(cuts: DataFrame, dated: DataFrame) -> DataFrame:
    """When each entry left: the log was cut at or below its start, a conflicting entry came, the log start passed the
    next one, or a later file lacks it.

    That an entry has come by now does not tell that it came now: only what it takes the place of is gone by then.
    """
    comes = dated.where(F.col("_since").isNotNull() & ((F.col("_told_by") != "file") | F.col("ts").isNull())).select(
        *_REPLICA,
        F.col("_since").alias("_at"),
        F.col("leader_epoch").alias("_new_epoch"),
        F.col("epoch_start_offset").alias("_new_start"),
        F.col("_told_by").isin("append", "file").alias("_came_before"),
        (F.col("entry_rule") == WITH_FIRST_RECORD).alias("_equals_stay"),
    )
    happened = cuts.unionByName(comes, allowMissingColumns=True).unionByName(_read(dated), allowMissingColumns=True)
    later = ordered(_REPLICA, "leader_epoch")(newest_first=True).rangeBetween(Window.unboundedPreceding, -1)
    following = F.min("epoch_start_offset").over(later)
    entry = dated.withColumn("_next_start", following).where(F.col("ts").isNotNull())
    start, epoch = F.col("epoch_start_offset"), F.col("leader_epoch")
    displaced = (F.col("_new_epoch") > epoch) & (
        (F.col("_new_start") < start)
        | ((F.col("_new_start") == start) & ~F.coalesce(F.col("_equals_stay"), F.lit(False)))
    )
    fell_back = (F.col("_new_epoch") < epoch) & (F.col("_at") > F.col("ts")) & ~F.col("_came_before")
    gone = (
        (F.col("_cut_to") <= start)
        | displaced
        | fell_back
        | (F.col("_first") >= F.col("_next_start"))
        | ~F.array_contains("_file", epoch)
    )
    return (
        entry.join(happened, list(_REPLICA))
        .where((F.col("_at") >= F.col("ts")) & F.coalesce(gone, F.lit(False)))
        .groupBy(*_ENTRY)
        .agg(F.min("_at").alias("end_ts"))
    )


def _cuts(known: DataFrame) -> DataFrame:
    """`_REPLICA`, `_at`, and what was cut off: all from `_cut_to` on (-1: all), or all before `_first`."""
    kind = F.col("kind")
    all_of_it = kind.isin("log_truncated_fully", "log_deleted")
    return known.where(kind.isin(*_TRUNCATED, *_STARTED, "log_deleted") & F.col("ts").isNotNull()).select(
        *_REPLICA,
        F.col("ts").alias("_at"),
        F.when(all_of_it, F.lit(-1))
        .when(kind.isin(*_TRUNCATED), F.col("truncation_offset"))
        .cast("bigint")
        .alias("_cut_to"),
        F.when(kind.isin(*_STARTED), F.col("log_start_offset")).alias("_first"),
    )


def _read(entered: DataFrame) -> DataFrame:
    """The files with a time: `_REPLICA`, `_at`, and the leader epochs in them."""
    return (
        entered.where((F.col("_told_by") == "file") & F.col("ts").isNotNull())
        .groupBy(*_REPLICA, F.col("ts").alias("_at"))
        .agg(F.collect_set("leader_epoch").alias("_file"))
    )


def _earliest(cuts: DataFrame, entered: DataFrame, leader_epochs: DataFrame) -> DataFrame:
    """From when an entry without a time can be, at the earliest.

    Its leader epoch had begun by then. The last cut at or below its start lay before, and so did every file that lacks
    it.
    """
    untimed = entered.where(F.col("ts").isNull())
    lacking = _read(entered).select(*_REPLICA, plus_millis("_at", 1).alias("_at"), "_file")
    without_it = (
        untimed.join(cuts.unionByName(lacking, allowMissingColumns=True), list(_REPLICA))
        .where(
            F.coalesce(
                (F.col("_cut_to") <= F.col("epoch_start_offset")) | ~F.array_contains("_file", F.col("leader_epoch")),
                F.lit(False),
            )
        )
        .select(*_ENTRY, "_at")
    )
    began = untimed.join(
        leader_epochs.select(*PARTITION_KEY, "leader_epoch", F.col("start_ts").alias("_at")),
        [*PARTITION_KEY, "leader_epoch"],
    ).select(*_ENTRY, "_at")
    return without_it.unionByName(began).groupBy(*_ENTRY).agg(F.max("_at").alias("_after_ts"))


def _without_clipped_twins(rows: DataFrame) -> DataFrame:
    """A clipped entry says less than the same leader epoch told whole."""
    same = Window.partitionBy(*_REPLICA, "leader_epoch")
    whole = F.min(F.when(~F.col("clipped"), F.lit(1))).over(same)
    return rows.withColumn("_whole", whole).where(~F.col("clipped") | F.col("_whole").isNull()).drop("_whole", "_start")


def lineages_at(caches: DataFrame, moments: DataFrame) -> DataFrame:
    """`moments` (`topic, life, partition, node_id, ts` and more) with `lineage`: the replica's entries at that time,
    oldest first, as `LINEAGE`.

    Entries of files without a time count from the beginning, or from the last cut that would have taken them away.
    They were there at the end, and nothing says that they came later than a moment of which the logs tell.
    """
    key = [*_REPLICA, "ts"]
    held = (
        moments.select(*key)
        .distinct()
        .join(caches, list(_REPLICA))
        .where(
            (F.col("start_ts").isNull() | (F.col("start_ts") <= F.col("ts")))
            & (F.col("end_ts").isNull() | (F.col("end_ts") > F.col("ts")))
        )
        .groupBy(*key)
        .agg(F.array_sort(F.collect_set(F.struct("leader_epoch", "epoch_start_offset"))).alias("lineage"))
    )
    return moments.join(held, key, "left").withColumn("lineage", F.coalesce("lineage", F.array().cast(LINEAGE)))


def divergence(
    leader: Column,
    leader_end: Column,
    follower: Column,
    follower_end: Column,
    follower_high_watermark: Column,
    rule: Column | str,
) -> Column:
    """The log end offset to which a follower cuts its log before it copies the leader's (long); null where what
    decides it is not known.

    `leader` and `follower` are lineages (`LINEAGE`, oldest first), the ends their log end offsets, `rule` one of
    `RULES`. Where the leader has no answer the follower falls back to its own high watermark. Source:
    `LeaderEpochFileCache.endOffsetFor`, `AbstractFetcherThread.getOffsetTruncationState`, facts §1.5 and §3.5.
    """
    rule = F.lit(rule) if isinstance(rule, str) else rule
    to_high_watermark = F.when(
        follower_high_watermark.isNotNull() & follower_end.isNotNull(), F.least(follower_high_watermark, follower_end)
    )
    rounds = _rounds(leader, leader_end, follower, follower_end, rule)
    to_leader_end = F.when(
        leader_end.isNotNull(), F.least(rounds["log_end_offset"], leader_end)
    )  # out of range: the fetcher starts at the leader's log end
    no_answer = F.when((rule == IN_FETCH) & (F.size(follower) > 0), to_leader_end).when(
        follower_high_watermark.isNotNull(), F.least(follower_high_watermark, rounds["log_end_offset"])
    )
    return F.when(rule == BY_HIGH_WATERMARK, to_high_watermark).when(
        rule.isin(*RULES), F.when(rounds["unanswered"], no_answer).otherwise(rounds["log_end_offset"])
    )


def _rounds(leader: Column, leader_end: Column, follower: Column, follower_end: Column, rule: Column) -> Column:
    """The questions and answers until the follower knows where to cut: struct(entries, log_end_offset, done,
    unanswered).
    """

    def state(entries: Column, end: Column, done: Column, unanswered: Column) -> Column:
        return F.struct(
            entries.alias("entries"),
            end.cast("bigint").alias("log_end_offset"),
            done.alias("done"),
            unanswered.alias("unanswered"),
        )

    def asked(now: Column) -> Column:
        return _let(
            _answer(leader, leader_end, F.element_at(now["entries"], -1)["leader_epoch"], rule),
            lambda answer: cut(now, answer),
        )

    def cut(now: Column, answer: Column) -> Column:
        end, offset, epoch = now["log_end_offset"], answer["end_offset"], answer["leader_epoch"]
        own = F.element_at(F.filter(F.concat(_none(), now["entries"]), lambda e: e["leader_epoch"] <= epoch), -1)
        own_end = F.coalesce(
            F.get(F.filter(now["entries"], lambda e: e["leader_epoch"] > epoch), F.lit(0))["epoch_start_offset"], end
        )
        known = own["leader_epoch"] >= 0
        found = ~known | (own["leader_epoch"] == epoch)
        to = (
            F.when(rule == ONE_ROUND, _least(offset, end))
            .when(found, _least(_least(own_end, offset), end))
            .otherwise(_least(own_end, end))
        )
        in_one = (rule == ONE_ROUND) | ((rule != IN_FETCH) & found)
        agrees = (rule == IN_FETCH) & (epoch == F.element_at(now["entries"], -1)["leader_epoch"]) & (offset >= end)
        return (
            F.when(offset.isNull(), state(now["entries"], end, F.lit(True), F.lit(True)))
            .when(agrees, state(now["entries"], end, F.lit(True), F.lit(False)))
            .otherwise(
                _let(
                    to,
                    lambda offset_: state(
                        F.filter(now["entries"], lambda e: e["epoch_start_offset"] < offset_),
                        offset_,
                        in_one,
                        F.lit(False),
                    ),
                )
            )
        )

    def turn(now: Column, _: Column) -> Column:
        return (
            F.when(now["done"], now)
            .when(F.size(now["entries"]) == 0, state(now["entries"], now["log_end_offset"], F.lit(True), F.lit(True)))
            .otherwise(asked(now))
        )

    begun = state(follower.cast(LINEAGE), follower_end, F.lit(False), F.lit(False))
    return F.aggregate(F.sequence(F.lit(0), F.size(follower) * 2 + 1), begun, turn)


def _answer(leader: Column, leader_end: Column, asked: Column, rule: Column) -> Column:
    """The leader's answer to OffsetsForLeaderEpoch(asked): struct(leader_epoch, end_offset); null offset: undefined."""
    latest = F.element_at(F.concat(_none(), leader), -1)["leader_epoch"]
    floor = F.element_at(F.filter(F.concat(_none(), leader), lambda e: e["leader_epoch"] <= asked), -1)["leader_epoch"]
    higher = F.get(F.filter(leader, lambda e: e["leader_epoch"] > asked), F.lit(0))["epoch_start_offset"]
    below_all_is_unknown = (floor < 0) & rule.isin(ONE_ROUND, ITERATIVE_2_0_0)
    return F.struct(
        F.when(floor >= 0, floor).otherwise(asked).alias("leader_epoch"),
        F.when(latest == asked, leader_end).when(~below_all_is_unknown, higher).cast("bigint").alias("end_offset"),
    )


def _none() -> Column:
    """A lineage of one entry that stands for none, so that the last entry of a filtered lineage always exists."""
    return F.array(
        F.struct(F.lit(-1).alias("leader_epoch"), F.lit(None).cast("bigint").alias("epoch_start_offset"))
    ).cast(LINEAGE)


def _least(one: Column, other: Column) -> Column:
    """The smaller of two; null if one is not known (`least` alone leaves nulls out)."""
    return F.when(one.isNotNull() & other.isNotNull(), F.least(one, other))


def _let(value: Column, body: Callable[[Column], Column]) -> Column:
    """`body` of `value`, which is worked out once."""
    return F.get(F.transform(F.array(value), body), F.lit(0))
