"""Happenings -> the edges of the causality graph: every rule of `replay.causes.rules`, in one join.

Each happening is laid out once for every rule in which it may be a cause, with the times between which effects may
follow. It is laid out again for every rule in which it may be an effect. Both sides meet by rule and key.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.timings import with_timings
from replay.causes.rules import CLOCKS_DIFFER_MS, MEMBER, OPEN_MS, RULES, From, Key, Rule
from replay.columns.times import millis, plus_millis
from replay.columns.values import looked_up
from replay.faults.kinds import KINDS
from replay.sentences.causes import BECAUSE
from replay.tables.causes import EDGES

RIVALS_KEPT = 3  # so many causes of one aspect, with the accepted one

_CAUSE_SIDE = (
    "struct<rule:int,key:string,since:string,since_ms:bigint,until:string,until_ms:bigint,sessions:double,"
    "imbalance_checks:double>"
)
_EFFECT_SIDE = "struct<rule:int,key:string,by:array<string>,not_by:array<string>>"


def edges(happenings: DataFrame, timings: DataFrame) -> DataFrame:
    """Every cause and its effect that the rules accept, and its likeliest rivals. Returns `EDGES`."""
    candidates = _causes(happenings, timings).join(_effects(happenings), ["rule", "key"])
    return _with_sentences(_ranked(_accepted(candidates)))


def _causes(happenings: DataFrame, timings: DataFrame) -> DataFrame:
    """One row a happening, rule and key in which it may be a cause: with the times between which its effects may
    begin.
    """
    uses = {
        kind: [_as_cause(number, rule) for number, rule in enumerate(RULES) if kind in rule.causes] for kind in _kinds()
    }
    timed = with_timings(happenings, timings, F.get("about", F.lit(0)), "ts", *_TIMINGS)
    laid_out = _laid_out(timed, uses, _CAUSE_SIDE, _cause_keys())
    over_ts = F.coalesce("over_ts", plus_millis("begin_ts", OPEN_MS))

    def moment(name: str) -> Column:
        return F.when(F.col(f"use.{name}") == From.OVER.value, over_ts).otherwise(F.col("begin_ts"))

    session_ms = F.greatest("broker_session_ms", "zookeeper_session_ms")
    after_ms = (
        F.col("use.until_ms")
        + F.col("use.sessions") * session_ms
        + F.col("use.imbalance_checks") * F.col("imbalance_check_ms")
    )
    # What effects may begin only after it is over has none while it lasts.
    is_over = F.col("over_ts").isNotNull() | (F.col("use.since") != From.OVER.value)
    return laid_out.where(is_over).select(
        "rule",
        "key",
        F.col("id").alias("src"),
        F.col("kind").alias("src_kind"),
        F.col("ts").alias("src_ts"),
        F.get("about", F.lit(0)).alias("src_node"),
        F.col("leader_epoch").alias("src_leader_epoch"),
        F.col("arguments").alias("src_arguments"),
        F.col("begin_ts").alias("src_begin_ts"),
        over_ts.alias("src_over_ts"),
        plus_millis(moment("since"), F.col("use.since_ms")).alias("from_ts"),
        plus_millis(moment("until"), after_ms).alias("to_ts"),
    )


_TIMINGS = ("broker_session_ms", "zookeeper_session_ms", "imbalance_check_ms")


def _effects(happenings: DataFrame) -> DataFrame:
    """One row a happening, rule and key in which it may be an effect."""
    uses = {
        kind: [_as_effect(number, rule) for number, rule in enumerate(RULES) if kind in rule.effects]
        for kind in _kinds()
    }
    laid_out = _laid_out(happenings, uses, _EFFECT_SIDE, _effect_keys())
    asked = (F.size("use.by") == 0) | F.coalesce(F.array_contains("use.by", F.col("by")), F.lit(False))
    refused = F.coalesce(F.array_contains("use.not_by", F.col("by")), F.lit(False))
    return laid_out.where(asked & ~refused).select(
        "rule",
        "key",
        "member",
        F.col("id").alias("dst"),
        F.col("ts").alias("dst_ts"),
        F.get("about", F.lit(0)).alias("dst_node"),
        F.col("new_leader_id").alias("dst_new_leader"),
        F.col("node_id").alias("dst_writer"),
        F.col("leader_epoch").alias("dst_leader_epoch"),
        F.col("arguments").alias("dst_arguments"),
    )


def _kinds() -> list[str]:
    return sorted({kind for rule in RULES for kind in (*rule.causes, *rule.effects)})


def _as_cause(number: int, rule: Rule) -> dict[str, object]:
    until = rule.until
    return {
        "rule": number,
        "key": rule.key.value,
        "since": rule.since.value,
        "since_ms": rule.since_ms,
        "until": until.base.value,
        "until_ms": until.ms,
        "sessions": until.sessions,
        "imbalance_checks": until.imbalance_checks,
    }


def _as_effect(number: int, rule: Rule) -> dict[str, object]:
    return {"rule": number, "key": (rule.effect_key or rule.key).value, "by": rule.by, "not_by": rule.not_by}


def _laid_out(happenings: DataFrame, uses: dict[str, list[dict[str, object]]], type_: str, keys: Column) -> DataFrame:
    """`happenings`, one row a use and key: `use`, `rule`, `key`, and the `member` that the key is about."""
    by_kind = F.from_json(F.lit(json.dumps(uses)), f"map<string,array<{type_}>>")
    used = happenings.withColumns({"_keys": keys, "use": F.explode(by_kind[F.col("kind")])})
    each = used.withColumn("_key", F.explode(F.col("_keys")[F.col("use.key")])).where(F.col("_key.key").isNotNull())
    return each.withColumns({"rule": F.col("use.rule"), "key": F.col("_key.key"), "member": F.col("_key.member")}).drop(
        "_keys", "_key"
    )


def _text(column: Column | str) -> Column:
    return (F.col(column) if isinstance(column, str) else column).cast("string")


def _key(text: Column, member: Column | None = None) -> Column:
    of = F.lit(None) if member is None else member
    return F.struct(text.alias("key"), of.alias("member")).cast("struct<key:string,member:int>")


def _of_members(text: Column) -> Column:
    """One key for each broker that the happening is about; one for none where it is about no broker."""
    members = F.when(F.size("about") > 0, F.col("about")).otherwise(F.array(F.lit(None).cast("int")))
    return F.transform(members, lambda member: _key(text, member))


def _shared_keys() -> dict[Key, Column]:
    """The keys that a happening has in either role."""
    return {
        Key.ALL: F.array(_key(F.lit(""))),
        Key.NODE: F.transform("about", lambda node: _key(node.cast("string"), node)),
        Key.NEW_LEADER: F.array(_key(_text("new_leader_id"))),
        Key.PARTITION: F.array(_key(_partition())),
        Key.LEADER_EPOCH: F.array(_key(F.concat(_partition(), F.lit("/"), _text("leader_epoch")))),
    }


def _partition() -> Column:
    return F.when(F.col("name").isNotNull(), F.concat_ws("/", "name", _text("life")))


def _cause_keys() -> Column:
    """map(key, its values) of a cause: a fault that names partitions is a cause in those alone, one that names none
    in all of its node, but for a link: that befell none then.
    """
    node, names = _text(F.get("about", F.lit(0))), F.col("names")
    of_names = F.transform(names, lambda name: _key(F.concat(node, F.lit(" "), name)))
    of_all = F.array(_key(F.concat(node, F.lit(" *"))))
    return _as_map(
        _shared_keys()
        | {
            Key.NODE_AND_PARTITION: F.when((F.size(names) > 0) | (F.col("kind") == "link_cut"), of_names).otherwise(
                of_all
            ),
            Key.LEADER: F.array(_key(node)),
            Key.LEADER_AND_PARTITION: of_names,
            Key.NAMED: F.transform(names, _key),
            Key.MEMBER: F.transform(
                "about", lambda member: _key(F.concat(_partition(), F.lit(" "), member.cast("string")))
            ),
        }
    )


def _effect_keys() -> Column:
    """map(key, its values) of an effect."""

    def of_node(node: Column) -> Column:
        text = node.cast("string")
        of_partition = F.concat(text, F.lit(" "), F.coalesce("name", F.lit("")))
        return F.array(_key(of_partition, node), _key(F.concat(text, F.lit(" *")), node))

    return _as_map(
        _shared_keys()
        | {
            Key.NODE_AND_PARTITION: F.flatten(F.transform("about", of_node)),
            Key.LEADER: _of_members(_text("leader_id")),
            Key.LEADER_AND_PARTITION: _of_members(F.concat(_text("leader_id"), F.lit(" "), "name")),
            Key.NAMED: _of_members(F.col("name")),
            Key.MEMBER: F.array(_key(F.concat(_partition(), F.lit(" "), _text("new_leader_id")))),
        }
    )


def _as_map(keys: dict[Key, Column]) -> Column:
    return F.create_map(*[part for key, values in keys.items() for part in (F.lit(key.value), values)])


def _accepted(candidates: DataFrame) -> DataFrame:
    """The candidates whose effect lies in the window and fits what the rule asks of both."""
    in_window = F.col("dst_ts").between(F.col("from_ts"), F.col("to_ts"))
    later = ~_of_rule(lambda rule: rule.later_epoch) | (F.col("src_leader_epoch") < F.col("dst_leader_epoch"))
    another = ~_of_rule(lambda rule: rule.of_another) | ~F.col("src_node").eqNullSafe(F.col("dst_node"))
    followed = ~_of_rule(lambda rule: rule.reason == "followed_its_leader") | _is_followed()
    still_open = ~_of_rule(lambda rule: rule.while_open) | (
        F.col("dst_ts") <= plus_millis("src_over_ts", CLOCKS_DIFFER_MS)
    )
    fits = in_window & later & another & followed & still_open
    return candidates.where(fits & (F.col("src") != F.col("dst")))


def _is_followed() -> Column:
    """A replica follows the leader of its leader epoch, or of an earlier one, and never itself."""
    not_later = F.coalesce(F.col("src_leader_epoch") <= F.col("dst_leader_epoch"), F.lit(True))
    leads = F.col("src_arguments")["new_leader"].eqNullSafe(F.col("dst_writer").cast("string"))
    return not_later & ~leads


def _of_rule(holds: Callable[[Rule], bool]) -> Column:
    numbers = [number for number, rule in enumerate(RULES) if holds(rule)]
    return F.col("rule").isin(*numbers) if numbers else F.lit(False)


def _ranked(candidates: DataFrame) -> DataFrame:
    """The candidates with `aspect`, `confidence` and `rank`: 1 is accepted, the next are its rivals."""
    with_rule = candidates.withColumns(
        {
            "aspect": looked_up({number: rule.aspect for number, rule in enumerate(RULES)}, F.col("rule")),
            "_own": looked_up({number: rule.confidence for number, rule in enumerate(RULES)}, F.col("rule")),
            "delay_ms": millis("dst_ts", "src_ts"),
        }
    )
    # A shrink that took several brokers out has a cause for each.
    explained = with_rule.withColumn(
        "_what", F.concat_ws(" ", "aspect", F.when(F.col("aspect") == MEMBER, F.col("member").cast("string")))
    )
    during = F.col("dst_ts").between(F.col("src_begin_ts"), F.col("src_over_ts"))
    nearness = F.when(_of_rule(lambda rule: rule.latest), -F.unix_millis("src_ts")).otherwise(F.abs("delay_ms"))
    alike = Window.partitionBy("dst", "_what", "rule", during)
    of_aspect = Window.partitionBy("dst", "_what")
    best_first = of_aspect.orderBy(F.desc("confidence"), F.desc("_during"), "_nearness", "src")
    shares = F.when(_of_rule(lambda rule: rule.latest), 1).otherwise(F.count("*").over(alike))
    scored = explained.withColumns({"_during": during, "_nearness": nearness, "_share": shares})
    ranked = scored.withColumn("confidence", F.col("_own")).withColumn("rank", F.row_number().over(best_first))
    shared = F.round(F.col("_own") / F.col("_share"), 3)
    return ranked.where(F.col("rank") <= RIVALS_KEPT).withColumn("confidence", shared)


def _with_sentences(ranked: DataFrame) -> DataFrame:
    arguments = F.map_concat(
        F.transform_keys("src_arguments", lambda name, _: F.concat(F.lit("cause_"), name)),
        F.transform_keys("dst_arguments", lambda name, _: F.concat(F.lit("effect_"), name)),
        F.map_filter(
            F.create_map(
                F.lit("befell"),
                looked_up({kind.name: kind.befell for kind in KINDS}, F.col("src_kind")),
                F.lit("member"),
                F.col("member").cast("string"),
            ),
            lambda _, text: text.isNotNull(),
        ),
    )
    reasons = {number: rule.reason for number, rule in enumerate(RULES)}
    whole = ranked.withColumns(
        {
            "reason": looked_up(reasons, F.col("rule")),
            "arguments": arguments,
            "relation": looked_up({number: rule.number for number, rule in enumerate(RULES)}, F.col("rule")),
        }
    )
    one_each = Window.partitionBy("src", "dst", "relation").orderBy("rank", F.desc("confidence"), "key")
    distinct = whole.withColumn("_nth", F.row_number().over(one_each)).where(F.col("_nth") == 1)
    return EDGES.of(distinct.withColumn("because", BECAUSE.text(F.struct("reason", "arguments"))))
