"""Conclusions: what the root causes were, what contributed, what followed, what was routine; each with its proof and its doubts."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.causes.edges import epoch_id, loss_id
from replay.columns.evidence import evidence_of_rows
from replay.columns.phrases import capital, counted, listed, named, some, times
from replay.columns.times import millis, plus_millis
from replay.faults.taxonomy import (
    ALTERNATIVES,
    HAPPENED,
    HAPPENED_BY_KIND,
    NOT_ROUTINE,
    ORDERED_STOPS,
    ROUTINE,
    TITLES,
    TITLES_BY_KIND,
)
from replay.tables import FINDINGS, OPEN_VERDICTS

_SCENARIO_CODES = {"S4": "F16", "S5": "F24", "S1": "F31", "S2": "F31", "S6": "F24"}


def _named(table: dict[str, str], key: Column, otherwise: Column) -> Column:
    return F.coalesce(F.create_map(*[F.lit(part) for pair in table.items() for part in pair])[key], otherwise)


def _is_routine() -> Column:
    """Whether a fault, by its `code` and `kind`, is routine work."""
    return F.col("code").isin(*ROUTINE) & ~F.col("kind").isin(*NOT_ROUTINE)


def _faulty(spans: DataFrame) -> DataFrame:
    """`incident_id, _faulty`: how many of an incident's roots are no routine work."""
    return spans.groupBy("incident_id").agg(F.count_if(~_is_routine()).alias("_faulty"))


def findings(
    faults: DataFrame,
    edges: DataFrame,
    roots: DataFrame,
    spans: DataFrame,
    vertices: DataFrame,
    leader_epochs: DataFrame,
    elections: DataFrame,
    losses: DataFrame,
) -> DataFrame:
    """Every conclusion. Returns `FINDINGS`.

    A fault without an accepted cause is a root; routine work (`ROUTINE`) stays `info` or `low` and is `benign` beside another
    root. What follows from a root is an `effect`; what made it worse, `contributing`.
    """
    rows = _from_faults(faults, edges, roots, spans, vertices, leader_epochs)
    for more in (
        _rolling_restarts(faults, spans),
        _unclean_elections(vertices, elections),
        _losses(losses, _causes(roots, faults), spans),
        _leaderless(leader_epochs, vertices, _causes(roots, faults), spans),
        _refused_writes(vertices),
        _damaged_logs(vertices),
        _controller_changes(vertices, roots, faults),
        _preferred_elections(elections, vertices),
        _unexplained(vertices, roots, faults),
    ):
        rows = rows.unionByName(more)
    return rows


def _causes(roots: DataFrame, faults: DataFrame) -> DataFrame:
    """`id, _cause`: the code of the fault that each happening follows from, not of routine work where it follows from a fault as well."""
    told = roots.join(faults.select(F.col("fault_id").alias("root_id"), "code", "kind"), "root_id")
    return told.groupBy("id").agg(F.min_by("code", F.struct(_is_routine(), "distance", "root_id")).alias("_cause"))


def _first_fault() -> Column:
    """An aggregate over an incident's `spans`: the code of the first root that is no routine work."""
    return F.min_by("code", F.struct(_is_routine(), "ts"))


def _gone(vertices: DataFrame) -> DataFrame:
    """`incident_id, _proven, _possible`: losses of committed records in each incident."""
    return (
        vertices.where((F.col("kind") == "loss") & F.col("incident_id").isNotNull())
        .groupBy("incident_id")
        .agg(
            F.count_if(F.startswith("label", F.lit("PROVEN_LOSS"))).alias("_proven"),
            F.count_if(F.startswith("label", F.lit("POSSIBLE_LOSS committed"))).alias("_possible"),
        )
    )


def _brokers(leader_epochs: DataFrame, vertices: DataFrame) -> DataFrame:
    """`broker_id, _is_broker`: nodes that led a partition or had a broker's session; of the others some may be controllers alone."""
    led = leader_epochs.where(F.col("leader_id") >= 0).select(F.col("leader_id").alias("broker_id"))
    had_a_session = vertices.where(F.col("kind") == "detected").select(F.col("node_id").alias("broker_id"))
    return led.unionByName(had_a_session).distinct().withColumn("_is_broker", F.lit(True))


def _row(
    rows: DataFrame,
    *,
    id: Column,
    code: str | Column,
    role: str | Column,
    severity: str | Column,
    summary: Column,
    title: Column | None = None,
    **given: Column,
) -> DataFrame:
    code = F.lit(code) if isinstance(code, str) else code
    columns = {
        "finding_id": id,
        "code": code,
        "role": F.lit(role) if isinstance(role, str) else role,
        "severity": F.lit(severity) if isinstance(severity, str) else severity,
        "title": _named(TITLES, code, code) if title is None else title,
        "summary": summary,
        **given,
    }
    return rows.select(
        *[
            columns.get(c.name, F.col(c.name) if c.name in rows.columns else F.lit(None)).cast(c.type).alias(c.name)
            for c in FINDINGS.columns
        ]
    )


def _from_faults(
    faults: DataFrame,
    edges: DataFrame,
    roots: DataFrame,
    spans: DataFrame,
    vertices: DataFrame,
    leader_epochs: DataFrame,
) -> DataFrame:
    caused = edges.groupBy(F.col("dst").alias("fault_id")).agg(F.max_by("because", "confidence").alias("_why"))
    did = (
        roots.where(F.col("id") != F.col("root_id"))
        .join(vertices.select("id", "kind", "topic", "partition"), "id")
        .groupBy(F.col("root_id").alias("fault_id"))
        .agg(
            F.count_if(F.col("kind").isin("election", "unclean_election")).alias("_elections"),
            F.count_if(F.col("kind") == "unclean_election").alias("_unclean"),
            F.size(F.collect_set(F.when(F.col("kind") == "leaderless", F.concat_ws("-", "topic", "partition")))).alias(
                "_leaderless"
            ),
            F.count_if(F.col("kind") == "isr_shrink").alias("_shrinks"),
            F.count_if(F.col("kind") == "writes_refused").alias("_refused"),
            F.count_if(F.col("kind") == "controller_change").alias("_controllers"),
            F.count_if(F.col("kind") == "quorum_lost").alias("_quorum"),
            F.array_sort(
                F.collect_set(F.when(F.col("topic").isNotNull(), F.concat_ws("-", "topic", "partition")))
            ).alias("_touched"),
        )
    )
    placed = (
        faults.join(F.broadcast(spans.select(F.col("root_id").alias("fault_id"), "incident_id")), "fault_id", "left")
        .join(
            F.broadcast(vertices.select(F.col("id").alias("fault_id"), F.col("incident_id").alias("_assigned"))),
            "fault_id",
            "left",
        )
        .withColumn("incident_id", F.coalesce("incident_id", "_assigned"))
        .join(caused, "fault_id", "left")
        .join(did, "fault_id", "left")
        .join(F.broadcast(_gone(vertices)), "incident_id", "left")
        .join(F.broadcast(_faulty(spans)), "incident_id", "left")
        .join(F.broadcast(_brokers(leader_epochs, vertices)), "broker_id", "left")
    )
    routine, effect = _is_routine(), F.col("_why").isNotNull()
    hurt = F.coalesce(
        (F.col("_leaderless") > 0) | (F.col("_refused") > 0) | (F.col("_unclean") > 0) | (F.col("_quorum") > 0),
        F.lit(False),
    )
    beside_a_fault, moved_nothing = (
        F.col("_faulty") > 0,
        F.coalesce("_elections", F.lit(0)) + F.coalesce("_shrinks", F.lit(0)) == 0,
    )
    role = (
        F.when(effect, "effect")
        .when(routine & beside_a_fault & hurt, "contributing")
        .when(routine & (beside_a_fault | moved_nothing), "benign")
        .otherwise("root_cause")
    )
    severity = (
        F.when(routine, F.when(F.coalesce(F.col("_elections") > 0, F.lit(False)), "low").otherwise("info"))
        .when(F.col("kind") == "records_damaged", "high")  # one copy less, and who reads there from its leader stops
        .when(
            F.col("code") == "F11", "high"
        )  # without a quorum no leader is elected and no ISR changes, whatever took it
        .when(effect, "low")
        .when(F.coalesce(F.col("_proven") > 0, F.lit(False)), "critical")
        .when(hurt | F.coalesce(F.col("_possible") > 0, F.lit(False)), "high")
        .otherwise("medium")
    )
    touched = F.concat_ws(
        ", ",
        F.when(
            F.col("_elections") > 0,
            F.concat(
                counted("_elections", "change of leader", "changes of leader"),
                F.when(F.col("_unclean") > 0, F.format_string(" (%d unclean)", "_unclean")).otherwise(""),
            ),
        ),
        F.when(
            F.col("_leaderless") > 0,
            counted("_leaderless", "partition without a leader", "partitions without a leader"),
        ),
        F.when(F.col("_shrinks") > 0, counted("_shrinks", "ISR shrunk", "ISRs shrunk")),
        F.when(F.col("_refused") > 0, "writes with acks=all refused"),
    )
    led_to = F.concat_ws(
        ", ",
        F.nullif(touched, F.lit("")),
        F.when(
            F.col("_controllers") > 0,
            counted("_controllers", "change of the active controller", "changes of the active controller"),
        ),
        F.when(F.col("_quorum") > 0, "the loss of the metadata quorum"),
    )
    summary = F.concat(
        capital("because"),
        F.lit("."),
        F.when(effect, F.concat(F.lit(" It follows from another fault: "), F.col("_why"), F.lit("."))).otherwise(""),
        F.when(led_to != "", F.concat(F.lit(" It led to: "), led_to, F.lit("."))).otherwise(""),
        F.when(
            (touched == "") & ~effect & ~routine & (F.col("kind") != "records_damaged"),
            " No partition's leader or ISR changed for it.",
        ).otherwise(""),
        F.when(
            ~effect & (F.col("kind") != "halted"), F.concat(F.lit(" "), _named(ALTERNATIVES, F.col("code"), F.lit("")))
        ).otherwise(""),
    )
    happened = _named(HAPPENED_BY_KIND, F.col("kind"), _named(HAPPENED, F.col("code"), F.lit("")))
    one_link = F.when(
        F.col("kind") == "link_cut", F.format_string("was cut from broker %d alone", F.get("nodes", F.lit(0)))
    )
    befell = F.format_string(
        "%s %d %s",
        F.when(F.col("_is_broker"), "Broker").otherwise("Node"),
        F.col("broker_id"),
        F.coalesce(one_link, happened),
    )
    title = F.when((happened != "") & F.col("broker_id").isNotNull(), befell).otherwise(
        _named(TITLES_BY_KIND, F.col("kind"), _named(TITLES, F.col("code"), F.col("code")))
    )
    return _row(
        placed,
        id=F.col("fault_id"),
        code=F.col("code"),
        role=role,
        severity=severity,
        title=title,
        summary=F.rtrim(summary),
        start_ts=F.col("ts"),
        end_ts=F.coalesce("end_ts", "ts"),
        broker_ids=F.when(F.col("broker_id").isNotNull(), F.array("broker_id"))
        .when(role == "root_cause", F.coalesce("nodes", F.array().cast("array<int>")))
        .otherwise(F.array().cast("array<int>")),
        partitions=F.coalesce(
            F.when(F.size("partitions") > 0, F.col("partitions")), F.col("_touched"), F.array().cast("array<string>")
        ),
    )


def _rolling_restarts(faults: DataFrame, spans: DataFrame) -> DataFrame:
    """F03: two or more brokers stopped in order and started again, one after the other."""
    stops = faults.where(F.col("kind").isin(*ORDERED_STOPS) & F.col("end_ts").isNotNull()).join(
        F.broadcast(spans.select(F.col("root_id").alias("fault_id"), "incident_id")), "fault_id"
    )
    runs = stops.groupBy("incident_id").agg(
        F.min("ts").alias("start_ts"),
        F.max("end_ts").alias("end_ts"),
        F.array_sort(F.collect_set("broker_id")).alias("broker_ids"),
        F.count("*").alias("_stops"),
        F.array_sort(F.collect_list(F.struct("ts", "end_ts"))).alias("_spans"),
        evidence_of_rows().alias("evidence"),
    )
    one_by_one = F.forall(
        F.sequence(F.lit(2), F.size("_spans")),
        lambda i: F.element_at("_spans", i)["ts"] >= F.element_at("_spans", i - 1)["end_ts"],
    )
    rolling = (
        runs.where(F.size("broker_ids") >= 2).where(one_by_one).join(F.broadcast(_faulty(spans)), "incident_id", "left")
    )
    return _row(
        rolling,
        id=F.concat_ws("/", F.lit("rolling_restart"), "incident_id"),
        code="F03",
        role=F.when(F.col("_faulty") > 0, "benign").otherwise("root_cause"),
        severity="low",
        title=F.concat(F.lit(TITLES["F03"] + ": "), named("broker_ids", "broker")),
        summary=F.concat(
            capital(named("broker_ids", "broker")),
            F.lit(" were told to stop and started again one after the other, "),
            counted("_stops", "stop"),
            F.lit(" in all; none was down while another was."),
        ),
        partitions=F.array(),
        confidence=F.lit(0.95),
        blind_spots=F.array(),
    )


def _told(vertices: DataFrame, *kinds: str) -> DataFrame:
    """The incidents' happenings of these kinds, one row an incident."""
    return (
        vertices.where(F.col("kind").isin(*kinds))
        .groupBy("incident_id")
        .agg(
            F.min("ts").alias("start_ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("_count"),
            F.array_sort(F.collect_set("node_id")).alias("broker_ids"),
            F.array_sort(
                F.collect_set(F.when(F.col("topic").isNotNull(), F.concat_ws("-", "topic", "partition")))
            ).alias("partitions"),
            evidence_of_rows(3).alias("evidence"),
        )
    )


def _id(kind: str) -> Column:
    return F.concat_ws(
        "/",
        F.lit(kind),
        F.coalesce("incident_id", F.lit("no-incident")),
        F.date_format("start_ts", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"),
    )


def _unclean_elections(vertices: DataFrame, elections: DataFrame) -> DataFrame:
    """F16, and apart from it the partitions that fell back to their last known leader (KIP-966)."""
    back = elections.where(F.col("elected_from") == "last_known_leader").select(epoch_id("election").alias("id"))
    elsewhere, fell_back = (
        _told(vertices.join(back, "id", "left_anti"), "unclean_election"),
        _told(vertices.join(back, "id", "left_semi"), "unclean_election"),
    )
    title = F.concat(
        F.lit("Unclean election of "),
        counted(F.size("partitions"), "partition"),
        F.lit(", to "),
        named("broker_ids", "broker"),
    )
    given_back = _row(
        fell_back,
        id=_id("last_known_leaders"),
        code="F16",
        role="contributing",
        severity="high",
        title=F.concat(
            title, F.lit(", the last known "), F.when(F.size("partitions") == 1, "leader").otherwise("leaders")
        ),
        summary=F.concat(
            counted(
                F.size("partitions"),
                "partition had no replica left in sync and was",
                "partitions had no replica left in sync and were",
            ),
            F.lit(" given back to the last known leader ("),
            some("partitions"),
            F.lit(
                "; KIP-966): it had held every committed record. Given up is what its disk did not keep; what is known of that is in the loss ledger."
            ),
        ),
        confidence=F.lit(0.98),
        blind_spots=F.array(),
    )
    return given_back.unionByName(
        _row(
            elsewhere,
            id=_id("unclean_elections"),
            code="F16",
            role="contributing",
            severity="critical",
            title=title,
            summary=F.concat(
                counted(
                    F.size("partitions"),
                    "partition was given a leader from outside its in-sync replicas",
                    "partitions were given a leader from outside their in-sync replicas",
                ),
                F.lit(" ("),
                some("partitions"),
                F.lit(
                    "): what only the old in-sync replicas held is given up. Judged by comparing the new leader with the replicas that were in sync before it."
                ),
            ),
            confidence=F.lit(0.98),
            blind_spots=F.array(),
        )
    )


def _losses(losses: DataFrame, causes: DataFrame, spans: DataFrame) -> DataFrame:
    """The ledger in findings: one an incident, class, scenario and cause, which is that of the loss, else of its election, else the incident's first fault."""
    times = spans.groupBy("incident_id").agg(
        F.min("ts").alias("_from"), F.max("end_ts").alias("_to"), _first_fault().alias("_root_code")
    )
    by_loss = causes.select(F.col("id").alias("_loss"), F.col("_cause").alias("_by_loss"))
    by_election = causes.select(F.col("id").alias("_election"), F.col("_cause").alias("_by_election"))
    asked = (
        losses.where(F.col("verdict").isin(*OPEN_VERDICTS))
        .withColumns({"_loss": loss_id(), "_election": epoch_id("election")})
        .join(by_loss, "_loss", "left")
        .join(by_election, "_election", "left")
    )
    told = (
        asked.join(
            F.broadcast(times), asked["ts"].between(plus_millis("_from", -2_000), plus_millis("_to", 2_000)), "left"
        )
        .withColumn("_cause", F.coalesce("_by_loss", "_by_election", "_root_code"))
        .groupBy("incident_id", "loss_class", "verdict", "scenario", "_cause")
        .agg(
            F.min("ts").alias("start_ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("_count"),
            F.sum(F.col("to_offset_low") - F.col("from_offset")).alias("_low"),
            F.when(
                F.count_if(F.col("to_offset_high").isNull()) == 0, F.sum(F.col("to_offset_high") - F.col("from_offset"))
            ).alias("_high"),
            F.array_sort(F.collect_set("old_leader_id")).alias("broker_ids"),
            F.array_sort(F.collect_set(F.concat_ws("-", "topic", "partition"))).alias("partitions"),
            F.array_sort(
                F.collect_set(
                    F.concat(
                        F.concat_ws("-", "topic", "partition"),
                        F.format_string(
                            " [%d, %s)",
                            F.col("from_offset"),
                            F.coalesce(F.col("to_offset_high").cast("string"), F.lit("unknown")),
                        ),
                    )
                )
            ).alias("_ranges"),
            F.min_by("premise", F.struct("ts", "topic", "partition")).alias("_premise"),
            evidence_of_rows(6).alias("evidence"),
        )
    )
    committed, proven, possible = (
        F.col("loss_class") == "committed",
        F.col("verdict") == "PROVEN_LOSS",
        F.col("verdict") == "POSSIBLE_LOSS",
    )
    partitions, unknown = counted(F.size("partitions"), "partition"), F.col("_high").isNull()
    discarded = F.when(unknown, "An unknown number of offsets").otherwise(
        F.concat(F.lit("At most "), counted("_high", "offset"))
    )
    title = (
        F.when(committed & proven, F.concat(counted("_low", "committed offset"), F.lit(" lost in "), partitions))
        .when(
            committed & possible,
            F.concat(
                F.lit("Committed records possibly lost in "),
                partitions,
                F.lit(": "),
                F.when(unknown, "how many is unknown").otherwise(
                    F.concat(F.lit("at most "), counted("_high", "offset"))
                ),
            ),
        )
        .when(
            possible,
            F.concat(
                discarded, F.lit(" discarded above the commit point: lost only to producers with acks=1 or acks=0")
            ),
        )
        .otherwise(
            F.concat(F.lit("Whether records of "), partitions, F.lit(" are gone cannot be told from these logs"))
        )
    )
    severity = (
        F.when(committed & proven, "critical")
        .when(committed & possible, "high")
        .when(committed, "medium")
        .otherwise("low")
    )
    summary = F.concat(
        some("_ranges"),
        F.when(F.size("_ranges") == 1, ". Premise: ").otherwise(". Premise of the first: "),
        F.col("_premise"),
        F.lit("."),
        F.when(~committed, " No log line shows which records were acknowledged.").otherwise(""),
    )
    return _row(
        told,
        id=F.concat_ws("/", _id("loss"), "loss_class", "verdict", "scenario", "_cause"),
        code=_named(_SCENARIO_CODES, F.coalesce("scenario", F.lit("")), F.coalesce("_cause", F.lit("F00"))),
        role="effect",
        severity=severity,
        title=title,
        summary=summary,
        confidence=F.when(proven, 0.99).when(possible, 0.8).otherwise(0.5),
        blind_spots=F.when(F.col("verdict") == "UNDETERMINED", F.array("_premise")).otherwise(F.array()),
    )


def _leaderless(leader_epochs: DataFrame, vertices: DataFrame, causes: DataFrame, spans: DataFrame) -> DataFrame:
    """Partitions that the controller's record leaves without a leader for longer than it passes through that state."""
    without = leader_epochs.where(F.col("leader_id") == -1).select(
        epoch_id("leaderless").alias("id"),
        millis(F.coalesce("end_ts", "start_ts"), "start_ts").alias("_ms"),
        F.col("end_ts").isNull().alias("_open"),
        F.col("end_ts").alias("_ended"),
    )
    told = (
        vertices.where(F.col("kind") == "leaderless")
        .join(without, "id")
        .where((F.col("_ms") >= 1_000) | F.col("_open"))
        .join(causes, "id", "left")
        .groupBy("incident_id")
        .agg(
            F.min_by(
                "_cause", F.when(F.col("_cause").isNotNull(), F.struct(F.col("_cause").isin(*ROUTINE), "ts", "id"))
            ).alias("_cause"),
            F.min("ts").alias("start_ts"),
            F.max(F.coalesce("_ended", "ts")).alias("end_ts"),
            F.max("_ms").alias("_longest"),
            F.sum("_ms").alias("_sum"),
            F.count_if("_open").alias("_still"),
            F.array_sort(F.collect_set(F.concat_ws("-", "topic", "partition"))).alias("partitions"),
            evidence_of_rows().alias("evidence"),
        )
    )
    roots = spans.groupBy("incident_id").agg(_first_fault().alias("_root_code"))
    return _row(
        told.join(F.broadcast(roots), "incident_id", "left"),
        id=_id("leaderless"),
        code=F.coalesce("_cause", "_root_code", F.lit("F00")),
        role="effect",
        severity="high",
        title=F.concat(
            counted(F.size("partitions"), "partition"),
            F.lit(" without a leader"),
            F.when((F.col("_still") > 0) & (F.size("partitions") == 1), " to the end of these logs")
            .when(
                F.col("_still") > 0,
                F.concat(F.lit(", "), F.col("_still").cast("string"), F.lit(" to the end of these logs")),
            )
            .otherwise(
                F.concat(
                    F.when(F.size("partitions") == 1, " for ").otherwise(", the longest for "),
                    F.format_string("%.1f s", F.col("_longest") / 1000),
                )
            ),
        ),
        summary=F.concat(
            some("partitions"),
            F.lit(" had no leader by the controller's record: "),
            F.when(F.col("_still") > 0, "at least ").otherwise(""),
            F.format_string("%.1f partition-seconds in all", F.col("_sum") / 1000),
            F.when(
                F.col("_still") > 0,
                F.concat(
                    F.lit("; "), F.col("_still").cast("string"), F.lit(" still had none at the end of these logs")
                ),
            ).otherwise(""),
            F.lit(". Clients could neither write nor read there."),
        ),
        broker_ids=F.array(),
        confidence=F.lit(0.95),
        blind_spots=F.array(F.lit("when clients noticed is not in brokers' logs")),
    )


def _refused_writes(vertices: DataFrame) -> DataFrame:
    told = _told(vertices, "writes_refused")
    return _row(
        told,
        id=_id("writes_refused"),
        code="F20",
        role="effect",
        severity="high",
        title=F.concat(
            F.lit("Writes with acks=all to "),
            counted(F.size("partitions"), "partition"),
            F.lit(" refused for want of in-sync replicas"),
        ),
        summary=F.concat(
            F.lit("Leaders refused writes to "),
            some("partitions"),
            F.lit(
                ": fewer replicas were in sync than min.insync.replicas asks for. Nothing of these was stored; producers were told so."
            ),
        ),
        confidence=F.lit(0.97),
        blind_spots=F.array(F.lit("how many producers waited or gave up is not in brokers' logs")),
    )


def _damaged_logs(vertices: DataFrame) -> DataFrame:
    """F24: logs that recovery found damaged at a restart, and cut."""
    told = _told(vertices, "recovery_cut")
    return _row(
        told,
        id=_id("damaged_logs"),
        code="F24",
        role="effect",
        severity="medium",
        title=F.concat(
            counted("_count", "log"),
            F.lit(" of "),
            named("broker_ids", "broker"),
            F.lit(" found damaged, and cut, at a restart"),
        ),
        summary=F.concat(
            F.lit("Recovery read "),
            some("partitions"),
            F.lit(
                " record by record and cut each log where records were no longer whole. What was cut is fetched again from the leader, if another replica holds it;"
            ),
            F.lit(" where the logs had ended is not known, and a disk that returns damaged data may do so again."),
        ),
        confidence=F.lit(0.97),
        blind_spots=F.array(
            F.lit(
                "what damaged the files (a loss of power, the disk, a file system) is in the host's log, not in these"
            )
        ),
    )


def _controller_changes(vertices: DataFrame, roots: DataFrame, faults: DataFrame) -> DataFrame:
    """F08, an effect, and F09 where the controller moved three times or more between nodes in half an hour and no ordered stop asked for it.

    It is an effect as well where known faults account for every move: the nodes that took over are not at fault.
    """
    of_faults = roots.join(
        faults.select(F.col("fault_id").alias("root_id"), F.col("kind").alias("_root_kind")), "root_id"
    )
    causes = of_faults.groupBy("id").agg(F.bool_or(F.col("_root_kind").isin(*ORDERED_STOPS)).alias("_asked"))
    in_order = F.array_sort(F.collect_list(F.struct("ts", "node_id")))
    told = (
        vertices.where((F.col("kind") == "controller_change") & F.col("incident_id").isNotNull())
        .join(F.broadcast(causes), "id", "left")
        .groupBy("incident_id")
        .agg(
            F.min("ts").alias("start_ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("_count"),
            F.count_if(~F.coalesce("_asked", F.lit(False))).alias("_unasked"),
            F.count_if(F.col("_asked").isNull()).alias("_unexplained"),
            F.array_sort(F.collect_set("node_id")).alias("broker_ids"),
            F.transform(in_order, lambda change: change["node_id"]).alias("_nodes"),
            evidence_of_rows(3).alias("evidence"),
        )
    )
    often = (F.col("_unasked") >= 3) & (F.size("broker_ids") >= 2) & (millis("end_ts", "start_ts") < 1_800_000)
    last = F.element_at("_nodes", -1).cast("string")
    return _row(
        told,
        id=_id("controller_changes"),
        code=F.when(often, "F09").otherwise("F08"),
        role=F.when(often & (F.col("_unexplained") > 0), "contributing").otherwise("effect"),
        severity=F.when(often, "medium").otherwise("low"),
        title=F.when(F.col("_count") == 1, F.concat(F.lit("Controller failover to node "), last)).otherwise(
            F.concat(F.lit("The controller moved "), times("_count"), F.lit(", last to node "), last)
        ),
        summary=F.concat(
            F.lit("The active controller changed "),
            times("_count"),
            F.when(F.col("_count") == 1, ", to node ").otherwise(": to nodes "),
            listed(F.slice("_nodes", 1, 12)),
            F.when(F.col("_count") > 12, " and so on").otherwise(""),
            F.lit(". While there is none, no leader is elected and no ISR change is committed."),
        ),
        partitions=F.array(),
        confidence=F.lit(0.95),
        blind_spots=F.array(),
    )


def _preferred_elections(elections: DataFrame, vertices: DataFrame) -> DataFrame:
    """F17, routine: leadership given back to the first replica; the root of what happened where no fault is near."""
    moved = elections.where(F.col("trigger") == "preferred").select(
        epoch_id("election").alias("id"),
        "ts",
        "new_leader_id",
        F.concat_ws("-", "topic", "partition").alias("_name"),
        "evidence",
    )
    told = (
        moved.join(vertices.select("id", "incident_id"), "id", "left")
        .groupBy("incident_id")
        .agg(
            F.min("ts").alias("start_ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("_count"),
            F.array_sort(F.collect_set("new_leader_id")).alias("broker_ids"),
            F.array_sort(F.collect_set("_name")).alias("partitions"),
            evidence_of_rows().alias("evidence"),
        )
    )
    return _row(
        told,
        id=_id("preferred_elections"),
        code="F17",
        role=F.when(F.col("incident_id").isNull(), "root_cause").otherwise("benign"),
        severity="info",
        summary=F.concat(
            counted(
                F.size("partitions"),
                "partition was given back to its preferred leader, ",
                "partitions were given back to their preferred leaders, ",
            ),
            named("broker_ids", "broker"),
            F.lit(": routine, within the ISR."),
        ),
        confidence=F.lit(0.9),
        blind_spots=F.array(),
    )


def _unexplained(vertices: DataFrame, roots: DataFrame, faults: DataFrame) -> DataFrame:
    """Effects that clients could see and that no fault in these logs explains: said, not guessed."""
    explained = roots.join(faults.select(F.col("fault_id").alias("root_id")), "root_id").select("id").distinct()
    alone = vertices.where(
        F.col("kind").isin("leaderless", "isr_shrink", "unclean_election") & F.col("incident_id").isNull()
    ).join(explained, "id", "left_anti")
    told = _told(alone, "leaderless", "isr_shrink", "unclean_election")
    return _row(
        told,
        id=_id("unexplained"),
        code="F00",
        role="effect",
        severity="medium",
        summary=F.concat(
            counted("_count", "change"),
            F.lit(" in "),
            some("partitions"),
            F.when(F.col("_count") == 1, " has").otherwise(" have"),
            F.lit(" no cause in these logs."),
        ),
        confidence=F.lit(0.5),
        blind_spots=F.array(
            F.lit(
                "the cause: the files of the nodes concerned, the controllers' files or an earlier time may be missing here"
            )
        ),
    )
