"""Tables -> the causality graph: what happened (`vertices`) and what led to what (`edges`), one function a relation.

An edge rests on facts the two share (broker, partition, leader epoch, set of replicas) and on a delay that the mechanism
allows; of several possible causes of one effect under one relation the nearest before it is kept. Source: facts §6.1.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import evidence_of
from replay.columns.phrases import clock, counted, listed
from replay.columns.times import millis, plus_millis
from replay.columns.windows import PARTITION_KEY, by_leader_epoch, by_state, from_here
from replay.faults.quorum import LEADER_BACK_MS
from replay.faults.taxonomy import ORDERED_STOPS
from replay.partitions.elections import is_unclean
from replay.tables import EDGES, VERTICES

# What befell a broker, as a sentence says it.
_BEFELL = {
    "killed": "was killed",
    "halted": "stopped itself",
    "stopped": "was stopped in order",
    "stop_cut_short": "was killed while it stopped in order",
    "paused": "stood still",
    "silent": "fell silent",
    "cut_off": "was cut off",
    "cut_from_peers": "was cut from its peers",
    "slow_follower": "was slow",
    "log_dir_failed": "lost a log directory",
    "out_of_memory": "ran out of memory",
    "authentication_failed": "could not authenticate",
    "fetcher_died": "lost a replica fetcher",
    "registration_refused": "was refused at its start",
    "second_process": "shares its id with a second process",
    "isr_updates_refused": "had its ISR writes refused",
    "clock_stepped": "had its clock set",
    "zookeeper_lost": "lost touch with ZooKeeper",
    "log_dirs_empty": "came back with empty log directories",
    "voter_cut_off": "was cut from the other voters",
    "link_cut": "lost its link to a peer",
    "protocol_refused": "could not read what newer peers asked of it",
    "records_damaged": "holds damaged records",
}
# Requests: the node that tells of them is not the one they befell.
_REQUESTED = ("reassigned", "topic_deleted", "metadata_version_changed", "migrated", "migration_stuck")


def _befell(kind: str) -> Column:
    return F.coalesce(
        F.create_map(*[F.lit(part) for pair in _BEFELL.items() for part in pair])[F.col(kind)],
        F.replace(F.col(kind), F.lit("_"), F.lit(" ")),
    )


def _partition_name() -> Column:
    return F.concat_ws("-", "topic", "partition")


def _stamp(ts: str = "ts") -> Column:
    return F.date_format(ts, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")


def _isr_text(isr: str) -> Column:
    return F.concat(F.lit("["), listed(isr), F.lit("]"))


def isr_shrinks(isr_spans: DataFrame) -> DataFrame:
    """Each time a partition's committed ISR lost members while it had a leader: the columns of the span, `isr_was`, `removed`, `id`."""
    was = F.lag("isr").over(by_state())
    return (
        isr_spans.withColumns(
            {"isr_was": was, "removed": F.array_except(F.coalesce(was, F.array().cast("array<int>")), "isr")}
        )
        .where((F.size("removed") > 0) & (F.col("leader_id") >= 0))
        .withColumn(
            "id",
            F.concat_ws(
                "/", F.lit("isr_shrink"), _partition_name(), F.col("leader_epoch").cast("string"), _stamp("start_ts")
            ),
        )
    )


def leaderless(leader_epochs: DataFrame, faults: DataFrame) -> DataFrame:
    """The leader epochs without a leader, but those with which a partition went as its topic was deleted: nobody missed a leader there (facts, F19)."""
    from_now_on = from_here(by_leader_epoch())
    led_again, gone_ts = F.max("leader_id").over(from_now_on) >= 0, F.last("end_ts").over(from_now_on)
    deleted = faults.where(F.col("kind") == "topic_deleted").select(
        plus_millis("ts", -2_000).alias("_asked_ts"), F.coalesce("end_ts", "ts").alias("_deleted_ts")
    )
    with_its_topic = (
        ~F.col("_led_again")
        & F.col("_gone_ts").isNotNull()
        & F.col("start_ts").between(F.col("_asked_ts"), F.col("_deleted_ts"))
    )
    without = leader_epochs.withColumns({"_led_again": led_again, "_gone_ts": gone_ts}).where(F.col("leader_id") == -1)
    return without.join(F.broadcast(deleted), with_its_topic, "left_anti").drop("_led_again", "_gone_ts")


def refused_writes(events: DataFrame) -> DataFrame:
    """Writes with acks=all that a leader refused for want of in-sync replicas: one row a partition and minute of it, with `id`."""
    exception = F.coalesce(detail("exception"), F.lit(""))
    refused = events.where(
        (F.col("kind") == "produce_append_error") & F.contains(exception, F.lit("NotEnoughReplicas"))
    )
    tp = F.coalesce(
        _partition_name_if_known(),
        F.nullif(F.regexp_extract("message", r"on partition (?:\S{22}:)?(\S+-\d+)", 1), F.lit("")),
    )
    named = refused.select("node_id", "ts", "event_id", tp.alias("name")).where(F.col("name").isNotNull())
    return (
        named.groupBy("node_id", "name", F.date_trunc("minute", "ts").alias("_minute"))
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("count"),
            evidence_of().alias("evidence"),
        )
        .select(
            F.concat_ws("/", F.lit("writes_refused"), "name", F.col("node_id").cast("string"), _stamp()).alias("id"),
            "node_id",
            F.regexp_extract("name", r"^(.*)-\d+$", 1).alias("topic"),
            F.regexp_extract("name", r"-(\d+)$", 1).cast("int").alias("partition"),
            "ts",
            "end_ts",
            "count",
            "evidence",
        )
    )


def _partition_name_if_known() -> Column:
    return F.when(F.col("topic").isNotNull() & F.col("partition").isNotNull(), _partition_name())


def vertices(
    faults: DataFrame,
    sessions: DataFrame,
    controllers: DataFrame,
    leader_epochs: DataFrame,
    elections: DataFrame,
    shrinks: DataFrame,
    truncations: DataFrame,
    losses: DataFrame,
    refused: DataFrame,
) -> DataFrame:
    """Every happening that has causes or effects. Returns `VERTICES` without incidents."""
    rows = [
        _vertices(
            faults,
            F.col("kind"),
            id="fault_id",
            node_id="broker_id",
            label=F.concat(
                F.col("code"),
                F.lit(" "),
                F.replace(F.col("kind"), F.lit("_"), F.lit(" ")),
                F.coalesce(
                    F.concat(
                        F.lit(": broker "), F.when(~F.col("kind").isin(*_REQUESTED), F.col("broker_id").cast("string"))
                    ),
                    F.lit(""),
                ),
            ),
        ),
        _vertices(
            _detections(sessions),
            "detected",
            id="id",
            node_id="broker_id",
            label=F.format_string("broker %d left the cluster", "broker_id"),
        ),
        _vertices(
            _controller_changes(controllers),
            "controller_change",
            id="id",
            node_id="controller_id",
            label=F.format_string(
                "node %d became controller (controller epoch %d)", "controller_id", "controller_epoch"
            ),
        ),
        _vertices(
            leaderless(leader_epochs, faults).withColumns({"ts": F.col("start_ts"), "id": epoch_id("leaderless")}),
            "leaderless",
            id="id",
            label=F.format_string("%s without a leader from leader epoch %d", _partition_name(), F.col("leader_epoch")),
        ),
        _vertices(
            elections.withColumn("id", epoch_id("election")),
            F.when(is_unclean(), "unclean_election").otherwise("election"),
            id="id",
            node_id="new_leader_id",
            label=F.format_string(
                "%s: leader %d, then %d (leader epoch %d)",
                _partition_name(),
                F.col("old_leader_id"),
                F.col("new_leader_id"),
                F.col("leader_epoch"),
            ),
        ),
        _vertices(
            shrinks.withColumn("ts", F.col("start_ts")),
            "isr_shrink",
            id="id",
            node_id="leader_id",
            label=F.format_string("%s: ISR %s, was %s", _partition_name(), _isr_text("isr"), _isr_text("isr_was")),
        ),
        _vertices(
            truncations.withColumn("id", _truncation_id()),
            F.when(F.col("by_recovery"), "recovery_cut").otherwise("truncation"),
            id="id",
            label=F.concat(
                F.when(F.col("by_recovery"), "recovery of ").otherwise(""),
                F.format_string(
                    "broker %d cut %s to %d", F.col("node_id"), _partition_name(), F.col("truncation_offset")
                ),
                F.when(
                    F.col("log_end_offset").isNotNull(), F.format_string(" from %d", F.col("log_end_offset"))
                ).otherwise(""),
            ),
        ),
        _vertices(
            _told_losses(losses),
            "loss",
            id="id",
            label=F.concat(
                F.col("verdict"),
                F.lit(" "),
                F.col("loss_class"),
                F.lit(" "),
                _partition_name(),
                F.format_string(
                    " [%d, %s)", F.col("from_offset"), F.coalesce(F.col("to_offset_high").cast("string"), F.lit("?"))
                ),
            ),
        ),
        _vertices(
            refused,
            "writes_refused",
            id="id",
            label=F.concat(
                counted("count", "write"),
                F.format_string(" to %s refused for want of in-sync replicas", _partition_name()),
            ),
        ),
    ]
    whole = rows[0]
    for more in rows[1:]:
        whole = whole.unionByName(more)
    return whole


def _vertices(rows: DataFrame, kind: str | Column, *, id: str, label: Column, node_id: str = "node_id") -> DataFrame:
    kind = F.lit(kind) if isinstance(kind, str) else kind
    given = {
        "id": F.col(id),
        "kind": kind,
        "label": label,
        "incident_id": F.lit(None),
        "node_id": F.col(node_id) if node_id in rows.columns else F.lit(None),
    }
    return rows.select(
        *[
            given.get(c.name, F.col(c.name) if c.name in rows.columns else F.lit(None)).cast(c.type).alias(c.name)
            for c in VERTICES.columns
        ]
    )


def epoch_id(kind: str) -> Column:
    """The id of the vertex of a leader epoch: `election/orders-0/5`, `leaderless/orders-0/5`; of a later topic of the name `election/orders-0/life-1/5`."""
    later_life = F.when(F.col("life") > 0, F.concat(F.lit("life-"), F.col("life").cast("string")))
    return F.concat_ws("/", F.lit(kind), _partition_name(), later_life, F.col("leader_epoch").cast("string"))


def loss_id() -> Column:
    """The id of the vertex of a row of the ledger."""
    return F.concat_ws("/", epoch_id("loss"), "loss_class", "scenario")


def _truncation_id() -> Column:
    return F.concat_ws("/", F.lit("truncation"), _partition_name(), F.col("node_id").cast("string"), _stamp())


def _told_losses(losses: DataFrame) -> DataFrame:
    """The rows of the ledger that say that something is or may be gone."""
    return losses.where(F.col("verdict").isin("PROVEN_LOSS", "POSSIBLE_LOSS")).withColumn("id", loss_id())


def _detections(sessions: DataFrame) -> DataFrame:
    return sessions.where(F.col("end_ts").isNotNull()).select(
        F.concat_ws("/", F.lit("detected"), F.col("broker_id").cast("string"), _stamp("end_ts")).alias("id"),
        "broker_id",
        F.col("end_ts").alias("ts"),
        "ended_by",
        "evidence",
    )


def _controller_changes(controllers: DataFrame) -> DataFrame:
    by_raft = F.col("mode").eqNullSafe("kraft")
    in_order = Window.orderBy(by_raft, "controller_epoch")
    return (
        controllers.withColumns({"_old": F.lag("controller_id").over(in_order), "ts": F.col("start_ts")})
        .where(F.col("_old").isNotNull())
        .withColumn(
            "id",
            F.concat_ws("/", F.lit("controller"), F.when(by_raft, "kraft"), F.col("controller_epoch").cast("string")),
        )
    )


def edges(
    faults: DataFrame,
    sessions: DataFrame,
    controllers: DataFrame,
    leader_epochs: DataFrame,
    elections: DataFrame,
    shrinks: DataFrame,
    truncations: DataFrame,
    losses: DataFrame,
    refused: DataFrame,
) -> DataFrame:
    """Every cause and its effect that the rules accept. Returns `EDGES`."""
    detections = _detections(sessions)
    rows = [
        fault_to_detection(faults, detections),
        detection_to_leader_change(detections, leaderless(leader_epochs, faults), elections),
        stop_to_election(faults, elections),
        leaderless_to_election(leader_epochs, elections),
        fault_to_shrink(faults, detections, shrinks),
        shrink_to_unclean_election(shrinks, elections),
        fault_to_controller_change(faults, controllers),
        return_to_preferred_election(faults, elections),
        reassignment_to_change(faults, elections, shrinks),
        fault_to_fault(faults),
        election_to_truncation(elections, truncations),
        fault_to_recovery_cut(faults, truncations),
        to_loss(elections, faults, losses),
        shrink_to_refused_write(shrinks, refused),
    ]
    whole = rows[0]
    for more in rows[1:]:
        whole = whole.unionByName(more)
    nearest = Window.partitionBy("dst", "relation").orderBy(F.desc("confidence"), F.abs("delay_ms"), "src")
    return EDGES.of(
        whole.withColumn("_nth", F.row_number().over(nearest)).where(
            (F.col("_nth") == 1) & (F.col("src") != F.col("dst"))
        )
    )


def _edges(
    rows: DataFrame,
    src: str,
    dst: str,
    relation: str | Column,
    because: Column,
    confidence: float | Column,
    delay_ms: Column,
) -> DataFrame:
    return rows.select(
        F.col(src).alias("src"),
        F.col(dst).alias("dst"),
        (F.lit(relation) if isinstance(relation, str) else relation).alias("relation"),
        because.alias("because"),
        (F.lit(confidence) if isinstance(confidence, float) else confidence).cast("double").alias("confidence"),
        delay_ms.cast("bigint").alias("delay_ms"),
    )


def _spans(faults: DataFrame, *kinds: str) -> DataFrame:
    """The faults with the time in which their effects begin: `_fault, _kind, _broker, _fault_ts, _from, _to`."""
    chosen = faults.where(F.col("kind").isin(*kinds)) if kinds else faults
    return chosen.select(
        F.col("fault_id").alias("_fault"),
        F.col("kind").alias("_kind"),
        F.col("broker_id").alias("_broker"),
        F.col("ts").alias("_fault_ts"),
        F.coalesce("t0_low", "ts").alias("_from"),
        F.coalesce("end_ts", F.expr("ts + interval 600 seconds")).alias("_to"),
    )


_BROKER_FAULTS = (
    "killed",
    "halted",
    *ORDERED_STOPS,
    "paused",
    "silent",
    "cut_off",
    "out_of_memory",
    "authentication_failed",
)


def fault_to_detection(faults: DataFrame, detections: DataFrame) -> DataFrame:
    """R2, R3: a broker's fault -> the end of its session."""
    near = detections.join(_spans(faults, *_BROKER_FAULTS), F.col("broker_id") == F.col("_broker")).where(
        F.col("ts").between(plus_millis("_from", -2_000), plus_millis("_to", 30_000))
    )
    relation = F.when(F.col("_kind").isin("paused", "silent"), "R3").otherwise("R2")
    because = F.format_string(
        "broker %d %s; its session ended at %s (%s)",
        F.col("broker_id"),
        _befell("_kind"),
        clock("ts"),
        F.replace(F.col("ended_by"), F.lit("_"), F.lit(" ")),
    )
    return _edges(
        near,
        "_fault",
        "id",
        relation,
        because,
        F.when(F.col("ended_by") == "unknown", 0.6).otherwise(0.9),
        millis("ts", "_fault_ts"),
    )


def _earliest_effect() -> Column:
    """From when on a change may follow from the end of a session: what two clocks may still differ by, taken as 2 s, before it.

    In a controlled shutdown leaders and ISRs move first, at the broker's request, and its session ends when it has none left:
    what precedes that end follows from the stop.
    """
    return (
        F.when(F.col("ended_by") == "controlled_shutdown", F.col("ts"))
        .otherwise(plus_millis("ts", -2_000))
        .alias("_earliest_ts")
    )


def detection_to_leader_change(detections: DataFrame, without_leader: DataFrame, elections: DataFrame) -> DataFrame:
    """R4: the end of a broker's session -> new leaders, or none, for what it led; not what was asked for while it was back."""
    lost = detections.select(
        F.col("id").alias("_detection"),
        F.col("broker_id").alias("_broker"),
        F.col("ts").alias("_lost_ts"),
        _earliest_effect(),
    )
    without = without_leader.select(
        epoch_id("leaderless").alias("id"),
        F.col("last_leader_id").alias("_old"),
        F.col("start_ts").alias("ts"),
        _partition_name().alias("_name"),
    )
    unasked = ~F.coalesce(F.col("trigger"), F.lit("")).isin("preferred", "reassignment", "admin")
    changed = elections.where((F.coalesce(F.col("leaderless_ms"), F.lit(0)) == 0) & unasked).select(
        epoch_id("election").alias("id"), F.col("old_leader_id").alias("_old"), "ts", _partition_name().alias("_name")
    )
    near = (
        without.unionByName(changed)
        .join(lost, F.col("_old") == F.col("_broker"))
        .where(F.col("ts").between(F.col("_earliest_ts"), plus_millis("_lost_ts", 120_000)))
    )
    because = F.format_string("broker %d led %s when its session ended", "_broker", "_name")
    return _edges(near, "_detection", "id", "R4", because, 0.95, millis("ts", "_lost_ts"))


def stop_to_election(faults: DataFrame, elections: DataFrame) -> DataFrame:
    """R4 in a controlled shutdown, R21 for a failed log directory: the broker's own doing -> new leaders for what it led."""
    moved = elections.where(
        F.col("trigger").isin("controlled_shutdown", "log_dir_failure", "broker_failure")
    ).withColumn("id", epoch_id("election"))
    near = moved.join(
        _spans(faults, *ORDERED_STOPS, "log_dir_failed", "halted", "killed", "registration_refused"),
        F.col("old_leader_id") == F.col("_broker"),
    ).where(
        F.col("ts").between(plus_millis("_from", -2_000), plus_millis("_to", 5_000))
        & (
            (F.col("_kind").isin(*ORDERED_STOPS) & (F.col("trigger") == "controlled_shutdown"))
            | ((F.col("_kind") == "log_dir_failed") & (F.col("trigger") == "log_dir_failure"))
            | (~F.col("_kind").isin("stopped", "log_dir_failed") & (F.col("trigger") == "broker_failure"))
        )
    )
    relation = (
        F.when(F.col("_kind") == "log_dir_failed", "R21")
        .when(F.col("_kind").isin(*ORDERED_STOPS), "R4")
        .otherwise("R2")
    )
    because = F.format_string("broker %d led %s until it %s", F.col("_broker"), _partition_name(), _befell("_kind"))
    return _edges(
        near, "_fault", "id", relation, because, F.when(relation == "R2", 0.7).otherwise(0.9), millis("ts", "_fault_ts")
    )


def leaderless_to_election(leader_epochs: DataFrame, elections: DataFrame) -> DataFrame:
    """R4: a partition without a leader -> the election that ended it."""
    without = leader_epochs.where(F.col("leader_id") == -1).select(
        *PARTITION_KEY,
        F.col("leader_epoch").alias("_without"),
        F.col("start_ts").alias("_since"),
        epoch_id("leaderless").alias("_leaderless"),
    )
    ended = (
        elections.where(F.col("leaderless_ms") > 0)
        .withColumn("id", epoch_id("election"))
        .join(without, list(PARTITION_KEY))
        .where(F.col("_without") < F.col("leader_epoch"))
    )
    last = (
        ended.groupBy("id", "ts", "topic", "partition", "leader_epoch")
        .agg(F.max(F.struct("_without", "_leaderless", "_since")).alias("_w"))
        .select("*", F.col("_w._leaderless").alias("_src"))
    )
    because = F.format_string("%s had no leader from leader epoch %d on", _partition_name(), F.col("_w._without"))
    return _edges(last, "_src", "id", "R4", because, 1.0, millis(F.col("ts"), F.col("_w._since")))


def fault_to_shrink(faults: DataFrame, detections: DataFrame, shrinks: DataFrame) -> DataFrame:
    """R4, R13, R3: a lost session, or a broker that lags, sleeps or is cut off -> ISRs without it; a leader cut off or just awake -> ISRs of it alone."""
    gone = shrinks.select(
        "id",
        F.col("start_ts").alias("ts"),
        "leader_id",
        "removed",
        _partition_name().alias("_name"),
        F.explode("removed").alias("_gone"),
    )
    lost = detections.select(
        F.col("id").alias("_src"), F.col("broker_id").alias("_broker"), F.col("ts").alias("_since"), _earliest_effect()
    )
    by_controller = gone.join(lost, F.col("_gone") == F.col("_broker")).where(
        F.col("ts").between(F.col("_earliest_ts"), plus_millis("_since", 30_000))
    )
    spans = _spans(faults.where(~F.col("kind").isin(*_REQUESTED)))
    by_leader = gone.join(spans, F.col("_gone") == F.col("_broker")).where(
        F.col("ts").between(plus_millis("_from", -1_000), plus_millis("_to", 5_000))
    )
    by_itself = gone.join(
        spans.where(
            F.col("_kind").isin(
                "paused",
                "silent",
                "cut_off",
                "cut_from_peers",
                "link_cut",
                "authentication_failed",
                "out_of_memory",
                "clock_stepped",
                "protocol_refused",
            )
        ),
        F.col("leader_id") == F.col("_broker"),
    ).where(F.col("ts").between(plus_millis("_from", -1_000), plus_millis("_to", 15_000)))
    damaged = faults.where(F.col("kind") == "records_damaged").select(
        F.col("fault_id").alias("_fault"),
        F.col("broker_id").alias("leader_id"),
        F.col("ts").alias("_since"),
        "end_ts",
        F.explode("partitions").alias("_name"),
    )
    by_damage = gone.join(damaged, ["leader_id", "_name"]).where(
        F.col("ts").between(plus_millis("_since", -1_000), plus_millis("end_ts", 60_000))
    )
    return (
        _edges(
            by_controller,
            "_src",
            "id",
            "R4",
            F.format_string("broker %d was in the ISR of %s when its session ended", "_gone", "_name"),
            0.9,
            millis("ts", "_since"),
        )
        .unionByName(
            _edges(
                by_leader,
                "_fault",
                "id",
                F.when(F.col("_kind").isin(*ORDERED_STOPS), "R4").otherwise("R13"),
                F.format_string(
                    "broker %d %s, so it left the ISR of %s", F.col("_gone"), _befell("_kind"), F.col("_name")
                ),
                0.8,
                millis("ts", "_fault_ts"),
            )
        )
        .unionByName(
            _edges(
                by_itself,
                "_fault",
                "id",
                "R3",
                F.format_string(
                    "the leader of %s, broker %d, itself %s%s",
                    F.col("_name"),
                    F.col("_broker"),
                    _befell("_kind"),
                    F.when(F.col("_kind") == "clock_stepped", ", so its followers were late by it").otherwise(
                        " and heard nothing from its followers"
                    ),
                ),
                0.7,
                millis("ts", "_fault_ts"),
            )
        )
        .unionByName(
            _edges(
                by_damage,
                "_fault",
                "id",
                "R13",
                F.format_string(
                    "the log of broker %d, the leader of %s, holds damaged records, past which broker %d could not fetch",
                    "leader_id",
                    "_name",
                    "_gone",
                ),
                0.8,
                millis("ts", "_since"),
            )
        )
    )


def shrink_to_unclean_election(shrinks: DataFrame, elections: DataFrame) -> DataFrame:
    """R29: a replica that had left the ISR -> its election from outside it."""
    left = shrinks.select(
        *PARTITION_KEY,
        F.col("id").alias("_shrink"),
        F.col("start_ts").alias("_since"),
        F.col("leader_epoch").alias("_left_epoch"),
        F.explode("removed").alias("new_leader_id"),
    )
    near = (
        elections.where(is_unclean())
        .withColumn("id", epoch_id("election"))
        .join(left, [*PARTITION_KEY, "new_leader_id"])
        .where(F.col("_left_epoch") < F.col("leader_epoch"))
    )
    because = F.format_string(
        "broker %d had left the ISR of %s at %s and was not back in it when it was elected",
        F.col("new_leader_id"),
        _partition_name(),
        clock("_since"),
    )
    return _edges(near, "_shrink", "id", "R29", because, 1.0, millis("ts", "_since"))


def fault_to_controller_change(faults: DataFrame, controllers: DataFrame) -> DataFrame:
    """R18: the loss of the active controller -> the next one; R26, where none was lost: a voter that wakes or is cut off calls elections -> the next one."""
    changes = _controller_changes(controllers)
    lost = changes.join(
        _spans(faults, *_BROKER_FAULTS, "voter_cut_off", "zookeeper_lost"), F.col("_old") == F.col("_broker")
    ).where(F.col("ts").between(plus_millis("_from", -2_000), plus_millis("_to", 30_000)))
    because = F.format_string(
        "node %d, the active controller, %s; node %d followed it",
        F.col("_old"),
        _befell("_kind"),
        F.col("controller_id"),
    )
    called = (
        changes.join(_spans(faults, "paused", "silent", "cut_off", "cut_from_peers", "voter_cut_off"))
        .where(
            (F.col("_old") != F.col("_broker"))
            & F.col("ts").between(plus_millis("_from", 1_000), plus_millis("_to", 15_000))
        )
        .join(lost.select("id"), "id", "left_anti")
    )
    disturbed = F.format_string(
        "node %d %s, did not hear the active controller and called elections", F.col("_broker"), _befell("_kind")
    )
    return _edges(lost, "_fault", "id", "R18", because, 0.8, millis("ts", "_fault_ts")).unionByName(
        _edges(called, "_fault", "id", "R26", disturbed, 0.5, millis("ts", "_fault_ts"))
    )


def return_to_preferred_election(faults: DataFrame, elections: DataFrame) -> DataFrame:
    """R23: the preferred replica is back in the ISR -> it leads again."""
    moved = elections.where(F.col("trigger") == "preferred").withColumn("id", epoch_id("election"))
    near = moved.join(
        _spans(faults.where(F.col("end_ts").isNotNull()), *_BROKER_FAULTS), F.col("new_leader_id") == F.col("_broker")
    ).where(F.col("ts").between(F.col("_to"), plus_millis("_to", 900_000)))
    because = F.format_string(
        "broker %d, the preferred leader of %s, had come back", F.col("new_leader_id"), _partition_name()
    )
    return _edges(near, "_fault", "id", "R23", because, 0.8, millis("ts", "_to"))


def reassignment_to_change(faults: DataFrame, elections: DataFrame, shrinks: DataFrame) -> DataFrame:
    """R28: a reassignment -> leaders and ISRs that move with it."""
    spans = _spans(faults.where(F.size("partitions") > 0), "reassigned").join(
        faults.select(F.col("fault_id").alias("_fault"), F.col("partitions").alias("_named")), "_fault"
    )
    moved = elections.where(F.col("trigger").isin("reassignment", "preferred", "unknown")).select(
        epoch_id("election").alias("id"), "ts", _partition_name().alias("_name")
    )
    removed = shrinks.select("id", F.col("start_ts").alias("ts"), _partition_name().alias("_name"))
    near = (
        moved.unionByName(removed)
        .join(spans, F.array_contains("_named", F.col("_name")))
        .where(F.col("ts").between(plus_millis("_from", -2_000), plus_millis("_to", 600_000)))
    )
    return _edges(
        near,
        "_fault",
        "id",
        "R28",
        F.format_string("%s was being reassigned", F.col("_name")),
        0.7,
        millis("ts", "_fault_ts"),
    )


_FOLLOWS_FROM = (  # effect, its possible causes on the same broker, relation, why
    (
        "registration_refused",
        ("killed", "halted", *ORDERED_STOPS, "paused", "silent", "zookeeper_lost"),
        "R17",
        "its old session had not ended when it came back",
    ),
    (
        "isr_updates_refused",
        ("cut_off", "paused", "silent", "zookeeper_lost"),
        "R3",
        "its partitions had other states when it could reach ZooKeeper again",
    ),
    ("fetcher_died", ("log_dir_failed", "out_of_memory"), "R21", "its fetchers ended with it"),
    ("halted", ("log_dir_failed", "out_of_memory", "registration_refused"), "R21", "it stopped itself"),
    ("killed", ("out_of_memory", "log_dir_failed"), "R21", "it did not outlive it"),
    ("slow_follower", ("log_dir_failed", "authentication_failed", "out_of_memory"), "R13", "it could not replicate"),
)


def fault_to_fault(faults: DataFrame) -> DataFrame:
    """A fault -> another that follows from it: of the same broker, of the quorum, of a leader that had to do without it; of a ZooKeeper that was away, those of all brokers."""
    rules = F.array(
        *[
            F.struct(
                F.lit(e).alias("effect"),
                F.array(*map(F.lit, causes)).alias("causes"),
                F.lit(r).alias("relation"),
                F.lit(why).alias("why"),
            )
            for e, causes, r, why in _FOLLOWS_FROM
        ]
    )
    effects = faults.select("fault_id", "kind", "broker_id", "ts", F.explode(rules).alias("_rule")).where(
        F.col("kind") == F.col("_rule.effect")
    )
    told_by_others = F.when(F.col("kind") == "slow_follower", -2_000).otherwise(
        0
    )  # all else a broker tells of itself, in its own time
    near = effects.join(_spans(faults), F.col("broker_id") == F.col("_broker")).where(
        F.array_contains("_rule.causes", F.col("_kind"))
        & F.col("ts").between(plus_millis("_from", told_by_others), plus_millis("_to", 60_000))
        & (F.col("fault_id") != F.col("_fault"))
    )
    because = F.format_string("broker %d %s: %s", F.col("broker_id"), _befell("_kind"), F.col("_rule.why"))
    quorum = (
        faults.where(F.col("kind") == "quorum_lost")
        .select("fault_id", "ts")
        .join(_spans(faults.where(~F.col("code").eqNullSafe("F12")), *_BROKER_FAULTS))
        .where(F.col("ts").between(plus_millis("_from", -2_000), plus_millis("_from", 60_000)))
    )
    voter = F.format_string(
        "node %d %s: %s",
        F.col("_broker"),
        _befell("_kind"),
        F.when(F.col("_kind").isin("paused", "silent", "cut_off"), "it reached no majority of the voters").otherwise(
            "the voters left were no majority"
        ),
    )
    fenced = (
        faults.where(F.col("code") == "F12")
        .select("fault_id", "broker_id", "ts")
        .join(_spans(faults, "quorum_lost"))
        .where(F.col("ts").between(F.col("_from"), plus_millis("_to", LEADER_BACK_MS)))
    )
    # A leader that drops a broker which the controller has just dropped writes by a state that is no longer true, until it is told (KAFKA-2729).
    refused = (
        faults.where(F.col("kind") == "isr_updates_refused")
        .select("fault_id", "broker_id", "ts")
        .join(_spans(faults, "paused", "silent", "killed", "halted", "cut_off"))
        .where(
            (F.col("broker_id") != F.col("_broker"))
            & F.col("ts").between(F.col("_from"), plus_millis("_from", 60_000))
            & (F.col("ts") <= plus_millis("_to", 15_000))
        )
    )
    dropped_twice = F.format_string(
        "broker %d %s: the controller and broker %d both took it out of ISRs, and broker %d learned late of the controller's",
        "_broker",
        _befell("_kind"),
        "broker_id",
        "broker_id",
    )
    away = (
        faults.where((F.col("code") == "F07") & F.col("broker_id").isNotNull())
        .select("fault_id", "broker_id", "ts")
        .join(_spans(faults, "zookeeper_away"))
        .where(F.col("ts").between(F.col("_from"), F.col("_to")))
    )
    in_vain = F.format_string(
        "the voters left were no majority, and the heartbeats of broker %d were in vain", "broker_id"
    )
    return (
        _edges(near, "_fault", "fault_id", F.col("_rule.relation"), because, 0.8, millis("ts", "_fault_ts"))
        .unionByName(_edges(quorum, "_fault", "fault_id", "R26", voter, 0.6, millis("ts", "_fault_ts")))
        .unionByName(_edges(fenced, "_fault", "fault_id", "R26", in_vain, 0.8, millis("ts", "_fault_ts")))
        .unionByName(
            _edges(
                away,
                "_fault",
                "fault_id",
                "R3",
                F.lit("no broker could reach ZooKeeper then"),
                0.9,
                millis("ts", "_fault_ts"),
            )
        )
        .unionByName(_edges(refused, "_fault", "fault_id", "R3", dropped_twice, 0.6, millis("ts", "_fault_ts")))
    )


def election_to_truncation(elections: DataFrame, truncations: DataFrame) -> DataFrame:
    """R10: a new leader -> the cut a follower's log had to make."""
    led = elections.select(
        "topic",
        "partition",
        F.col("leader_epoch").alias("_led_epoch"),
        F.col("ts").alias("_led_ts"),
        epoch_id("election").alias("_election"),
        "new_leader_id",
    )
    near = (
        truncations.where(~F.col("by_recovery"))
        .withColumn("id", _truncation_id())
        .join(led, ["topic", "partition"])
        .where(
            (F.col("node_id") != F.col("new_leader_id"))
            & F.when(F.col("leader_epoch").isNotNull(), F.col("_led_epoch") <= F.col("leader_epoch")).otherwise(
                F.col("_led_ts") <= F.col("ts")
            )
            & (F.col("_led_ts") <= plus_millis("ts", 2_000))
        )
    )
    latest = near.withColumn("_nth", F.row_number().over(Window.partitionBy("id").orderBy(F.desc("_led_epoch")))).where(
        F.col("_nth") == 1
    )
    because = F.format_string(
        "broker %d follows leader epoch %d of %s, whose log agrees with its own up to %d",
        F.col("node_id"),
        F.col("_led_epoch"),
        _partition_name(),
        F.col("truncation_offset"),
    )
    return _edges(latest, "_election", "id", "R10", because, 0.9, millis("ts", "_led_ts"))


def fault_to_recovery_cut(faults: DataFrame, truncations: DataFrame) -> DataFrame:
    """R22: a broker's unclean end -> the records that its recovery cut from a log found damaged."""
    cuts = truncations.where(F.col("by_recovery")).withColumn("id", _truncation_id())
    near = cuts.join(
        _spans(faults, "killed", "halted", "log_dir_failed", "out_of_memory", "silent"),
        F.col("node_id") == F.col("_broker"),
    ).where(F.col("_from") <= F.col("ts"))
    latest = near.withColumn("_nth", F.row_number().over(Window.partitionBy("id").orderBy(F.desc("_from")))).where(
        F.col("_nth") == 1
    )
    because = F.format_string(
        "broker %d %s; as it came back its recovery found the log of %s damaged from %d on",
        F.col("node_id"),
        _befell("_kind"),
        _partition_name(),
        F.col("truncation_offset"),
    )
    return _edges(latest, "_fault", "id", "R22", because, 0.8, millis("ts", "_fault_ts"))


def to_loss(elections: DataFrame, faults: DataFrame, losses: DataFrame) -> DataFrame:
    """R29: an election from a shorter log -> what was lost; R22: the unclean end of a last replica, or its empty disk -> what that did not keep."""
    told = _told_losses(losses)
    led = elections.select(
        "topic", "partition", "leader_epoch", epoch_id("election").alias("_election"), F.col("ts").alias("_led_ts")
    )
    by_election = told.where(~F.col("scenario").eqNullSafe("S5")).join(led, ["topic", "partition", "leader_epoch"])
    by_restart = (
        told.where(F.col("scenario") == "S5")
        .join(_spans(faults, "killed", "halted", "log_dirs_empty"), F.col("old_leader_id") == F.col("_broker"))
        .where(F.col("_from") <= F.col("ts"))
    )
    last = by_restart.withColumn(
        "_nth", F.row_number().over(Window.partitionBy("id").orderBy(F.desc("_fault_ts")))
    ).where(F.col("_nth") == 1)
    return _edges(by_election, "_election", "id", "R29", F.col("premise"), 1.0, millis("ts", "_led_ts")).unionByName(
        _edges(last, "_fault", "id", "R22", F.col("premise"), 0.8, millis("ts", "_fault_ts"))
    )


def shrink_to_refused_write(shrinks: DataFrame, refused: DataFrame) -> DataFrame:
    """R15: an ISR below min.insync.replicas -> writes with acks=all refused."""
    near = refused.join(
        shrinks.select(
            "topic",
            "partition",
            F.col("id").alias("_shrink"),
            F.col("start_ts").alias("_since"),
            F.coalesce("end_ts", F.expr("start_ts + interval 1 day")).alias("_until"),
            F.col("isr").alias("_isr"),
        ),
        ["topic", "partition"],
    ).where(F.col("ts").between(plus_millis("_since", -3_000), plus_millis("_until", 1_000)))
    because = F.format_string("the ISR of %s was %s", _partition_name(), _isr_text("_isr"))
    return _edges(near, "_shrink", "id", "R15", because, 0.9, millis("ts", "_since"))
