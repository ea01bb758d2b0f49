"""Faults as conclusions: root, contributing, effect or benign; and stops that were one rolling restart (F03)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.causes.conclusions import conclusion
from replay.columns.evidence import evidence_of_rows
from replay.columns.partitions import partition_name
from replay.columns.times import millis
from replay.columns.values import looked_up
from replay.faults.kinds import KINDS, ORDERED_STOPS, ROUTINE, is_kind
from replay.sentences import statement
from replay.sentences.findings import EFFECTS

HARMFUL_DISCARD = 100  # offsets above the commit point: as many are no longer the few that any move of a leader costs


def is_routine() -> Column:
    """Whether a row is of routine work, by its `kind`."""
    return is_kind(*ROUTINE)


def faults_of_incidents(root_spans: DataFrame) -> DataFrame:
    """`incident_id, faulty`: how many of an incident's roots are no routine work."""
    return root_spans.groupBy("incident_id").agg(F.count_if(~is_routine()).alias("faulty"))


def conclusions_of_faults(
    faults: DataFrame,
    edges: DataFrame,
    roots: DataFrame,
    root_spans: DataFrame,
    vertices: DataFrame,
    leader_epochs: DataFrame,
    rivals: DataFrame,
) -> DataFrame:
    """One conclusion a fault. Returns `CONCLUSIONS`.

    A fault without an accepted cause is a root; routine work stays `info` or `low` and is `benign` beside another root.
    """
    of_incident = vertices.select(F.col("id").alias("fault_id"), "incident_id")
    placed = (
        faults.join(of_incident, "fault_id", "left")
        .join(_why_it_followed(edges), "fault_id", "left")
        .join(_effects_of(roots, vertices), "fault_id", "left")
        .join(_losses_of(roots, vertices), "fault_id", "left")
        .join(_rival_of(rivals, faults), "fault_id", "left")
        .join(faults_of_incidents(root_spans), "incident_id", "left")
        .join(_brokers(leader_epochs, vertices), "broker_id", "left")
        .fillna(0, [*_COUNTED, *_LOST, "faulty"])
    )
    return _as_conclusions(_with_role(placed))


_COUNTED = ("elections", "unclean", "leaderless", "shrinks", "rejected", "controllers", "quorum")
_LOST = ("proven", "possible", "discarded")


def _why_it_followed(edges: DataFrame) -> DataFrame:
    """`fault_id, why`: the likeliest cause of each fault that has one, as a sentence."""
    causes = edges.where(F.col("rank") == 1)
    return causes.groupBy(F.col("dst").alias("fault_id")).agg(F.max_by("because", "confidence").alias("why"))


def _effects_of(roots: DataFrame, vertices: DataFrame) -> DataFrame:
    """One row a root with how many happenings of each kind follow from it, and in which partitions."""
    effects = roots.where(F.col("id") != F.col("root_id")).join(
        vertices.select("id", "kind", "topic", "partition"), "id"
    )
    named = F.when(F.col("topic").isNotNull(), partition_name())

    def count_of(*kinds: str) -> Column:
        return F.count_if(F.col("kind").isin(*kinds))

    return effects.groupBy(F.col("root_id").alias("fault_id")).agg(
        count_of("election", "unclean_election").alias("elections"),
        count_of("unclean_election").alias("unclean"),
        F.size(F.collect_set(F.when(F.col("kind") == "leaderless", named))).cast("bigint").alias("leaderless"),
        count_of("isr_shrink").alias("shrinks"),
        count_of("writes_refused").alias("rejected"),
        count_of("controller_change").alias("controllers"),
        count_of("quorum_lost").alias("quorum"),
        F.array_sort(F.collect_set(named)).alias("touched"),
    )


def _losses_of(roots: DataFrame, vertices: DataFrame) -> DataFrame:
    """One row a root with the losses that follow from it: committed ones `proven` and `possible`, offsets `discarded`
    above the commit point.
    """
    lost = vertices.where(F.col("kind") == "loss").select(
        "id",
        F.col("arguments")["verdict"].alias("verdict"),
        F.col("arguments")["loss_class"].alias("loss_class"),
        (F.col("arguments")["to"].try_cast("bigint") - F.col("arguments")["from_offset"].try_cast("bigint")).alias("n"),
    )
    committed = F.col("loss_class") == "committed"
    return (
        roots.join(lost, "id")
        .groupBy(F.col("root_id").alias("fault_id"))
        .agg(
            F.count_if(committed & (F.col("verdict") == "PROVEN_LOSS")).alias("proven"),
            F.count_if(committed & (F.col("verdict") == "POSSIBLE_LOSS")).alias("possible"),
            F.coalesce(F.sum(F.when(~committed, F.col("n"))), F.lit(0)).alias("discarded"),
        )
    )


def _rival_of(rivals: DataFrame, faults: DataFrame) -> DataFrame:
    """`fault_id, rival`: another fault that could have caused the same, in words."""
    befell = looked_up({kind.name: kind.befell for kind in KINDS}, F.col("kind"))
    others = faults.select(
        F.col("fault_id").alias("rival_id"), F.format_string("node %d %s", "broker_id", befell).alias("rival")
    )
    return rivals.join(others, "rival_id").groupBy("fault_id").agg(F.max_by("rival", "effects").alias("rival"))


def _brokers(leader_epochs: DataFrame, vertices: DataFrame) -> DataFrame:
    """`broker_id, is_broker`: nodes that led a partition or had a broker's session; of the others some may be
    controllers alone.
    """
    led = leader_epochs.where(F.col("leader_id") >= 0).select(F.col("leader_id").alias("broker_id"))
    had_session = vertices.where(F.col("kind") == "detected").select(F.col("node_id").alias("broker_id"))
    return led.unionByName(had_session).distinct().withColumn("is_broker", F.lit(True))


def _with_role(placed: DataFrame) -> DataFrame:
    followed, beside_a_fault = F.col("why").isNotNull(), F.col("faulty") > 0
    hurt = (F.col("leaderless") > 0) | (F.col("rejected") > 0) | (F.col("unclean") > 0) | (F.col("quorum") > 0)
    moved_nothing = F.col("elections") + F.col("shrinks") == 0
    role = (
        F.when(followed, "effect")
        .when(is_routine() & beside_a_fault & hurt, "contributing")
        .when(is_routine() & (beside_a_fault | moved_nothing), "benign")
        .otherwise("root_cause")
    )
    own = looked_up({kind.name: kind.severity for kind in KINDS}, F.col("kind"))
    cost_records = (F.col("possible") > 0) | (F.col("discarded") >= HARMFUL_DISCARD)
    severity = (
        F.when(is_routine(), F.when(F.col("elections") > 0, "low").otherwise("info"))
        .when(own == "high", own)
        .when(followed, "low")
        .when(F.col("proven") > 0, "critical")
        .when(hurt | cost_records, "high")
        .otherwise(own)
    )
    return placed.withColumns({"role": role, "severity": severity, "followed": followed})


def _as_conclusions(placed: DataFrame) -> DataFrame:
    rival = looked_up({kind.name: kind.rival for kind in KINDS if kind.rival}, F.col("kind"))
    touched = F.coalesce(F.size("touched"), F.lit(0)) > 0
    no_effect = ~touched & ~F.col("followed") & ~is_routine() & ~is_kind("records_damaged")
    effects = _effects_in_words()
    own_partitions = F.when(F.size("partitions") > 0, F.col("partitions"))
    no_ids = F.array().cast("array<int>")
    nothing = F.create_map().cast("map<string,string>")
    unknowns = F.transform("unknowns", lambda name: F.struct(name.alias("reason"), nothing.alias("arguments")))
    return conclusion(
        placed,
        id=F.col("fault_id"),
        code=F.col("code"),
        role=F.col("role"),
        severity=F.col("severity"),
        title=_title(),
        said=[
            F.struct("reason", "arguments"),
            statement(F.when(F.col("followed"), "follows_from_another_fault"), why="why"),
            statement(F.when(F.size(effects) > 0, "led_to"), all_effects=effects),
            statement(F.when(no_effect, "changed_nothing")),
            statement(F.when(F.col("rival").isNotNull(), "may_be_another_fault"), rival="rival"),
            statement(F.when(~F.col("followed") & rival.isNotNull(), "rival"), rival=rival),
        ],
        start_ts=F.col("ts"),
        end_ts=F.coalesce("end_ts", "ts"),
        broker_ids=F.when(F.col("broker_id").isNotNull(), F.array("broker_id")).otherwise(
            F.when(F.col("role") == "root_cause", F.coalesce("peers", no_ids)).otherwise(no_ids)
        ),
        partitions=F.coalesce(own_partitions, F.col("touched")),
        not_logged=unknowns,
    )


def _effects_in_words() -> Column:
    """What followed, as an array of texts."""
    counted = {
        "leaders_changed": F.col("elections"),
        "had_no_leader": F.col("leaderless"),
        "isrs_shrank": F.col("shrinks"),
        "writes_rejected": F.col("rejected"),
        "controller_changed": F.col("controllers"),
        "quorum_lost": F.col("quorum"),
    }
    unclean = F.when(F.col("unclean") > 0, F.col("unclean"))
    said = F.array(
        *[
            statement(
                F.when(count > 0, reason), count=count, unclean=unclean if reason == "leaders_changed" else F.lit(None)
            )
            for reason, count in counted.items()
        ]
    )
    return F.transform(F.filter(said, lambda one: one["reason"].isNotNull()), EFFECTS.text)


def _title() -> Column:
    """What happened to whom; of a fault of no one node its kind's own title; of one of a node that no line names, that
    it happened to one.
    """
    befell = looked_up({kind.name: kind.befell for kind in KINDS if kind.befell}, F.col("kind"))
    title = looked_up({kind.name: kind.title for kind in KINDS if kind.title}, F.col("kind"))
    of_node = befell.isNotNull() & F.col("broker_id").isNotNull()
    reason = F.when(is_kind("link_cut"), "cut_from_one_peer").when(of_node, "befell_node").otherwise("befell_cluster")
    return statement(
        reason,
        is_broker=F.when(F.coalesce("is_broker", F.lit(False)), F.lit("yes")),
        is_node=F.when(F.col("is_broker").isNull(), F.lit("yes")),
        node=F.when(of_node, F.col("broker_id")),
        befell=F.when(of_node, befell),
        froze_ms=F.when(is_kind("paused"), millis("end_ts", F.coalesce("began_low", "ts"))),
        peer=F.get("peers", F.lit(0)),
        title=F.coalesce(title, F.concat(F.lit("A node "), befell)),
    )


def rolling_restarts(faults: DataFrame, root_spans: DataFrame) -> DataFrame:
    """F03: two or more brokers shut down and started again, one after the other. Returns `CONCLUSIONS`."""
    of_incident = root_spans.select(F.col("root_id").alias("fault_id"), "incident_id")
    stops = faults.where(is_kind(*ORDERED_STOPS) & F.col("end_ts").isNotNull()).join(of_incident, "fault_id")
    runs = stops.groupBy("incident_id").agg(
        F.min("ts").alias("start_ts"),
        F.max("end_ts").alias("end_ts"),
        F.array_sort(F.collect_set("broker_id")).alias("broker_ids"),
        F.count("*").alias("stops"),
        F.array_sort(F.collect_list(F.struct("ts", "end_ts"))).alias("spans"),
        evidence_of_rows().alias("evidence"),
    )
    after_the_one_before = F.forall(
        F.sequence(F.lit(2), F.size("spans")),
        lambda i: F.element_at("spans", i)["ts"] >= F.element_at("spans", i - 1)["end_ts"],
    )
    in_turn = runs.where(F.size("broker_ids") >= 2).where(after_the_one_before)
    return conclusion(
        in_turn.join(faults_of_incidents(root_spans), "incident_id", "left"),
        id=F.concat_ws("/", F.lit("rolling_restart"), "incident_id"),
        code="F03",
        role=F.when(F.col("faulty") > 0, "benign").otherwise("root_cause"),
        severity="low",
        title=statement("rolling_restart", all_brokers="broker_ids"),
        said=[
            statement("restarted_in_turn", all_brokers="broker_ids", brokers=F.size("broker_ids"), stops="stops"),
        ],
        confidence=F.lit(0.95),
    )
