"""Conclusions: what the root causes were, what contributed, what followed, what was routine; each with its proof and its doubts."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.evidence import millis, plus_millis
from replay.incidents import ROUTINE
from replay.schema import FINDINGS

# What each fault is called (facts §5): what befell a broker, or a noun where no one broker is its subject.
HAPPENED = {
    "F01": "died without a shutdown", "F02": "was stopped in order", "F04": "stood still (a pause)", "F05": "was cut from its followers",
    "F06": "was cut from the controllers", "F07": "lost its ZooKeeper session while it ran", "F12": "was fenced while it lived",
    "F13": "fell behind as a follower", "F14": "lost a log directory", "F15": "ran out of disk space", "F21": "had its clock stepped",
    "F22": "had its ISR writes refused by ZooKeeper", "F25": "lost a replica fetcher", "F26": "ran out of memory",
    "F27": "failed to authenticate with its peers", "F29": "was refused at its start until its old session ended",
}  # fmt: skip
TITLES = {
    "F03": "Rolling restart", "F08": "Controller failover", "F09": "Controller moved again and again", "F10": "Metadata quorum elected another leader",
    "F11": "Metadata quorum lost", "F16": "Unclean election", "F17": "Preferred leaders took over", "F18": "Partitions reassigned", "F19": "Topic deleted",
    "F20": "Writes refused below min.insync.replicas", "F24": "Logs recovered after an unclean stop", "F28": "Metadata version changed",
    "F31": "Records cut by high-watermark truncation (KIP-101)", "F00": "Leaders or ISRs changed and no line tells why",
}  # fmt: skip

# What else a fault could be, and what would tell (facts §5.1).
ALTERNATIVES = {
    "F01": "A host or power failure looks the same from these logs; the host's own log would tell.",
    "F04": "A virtual machine's freeze, a stop signal and a long garbage collection look the same; the garbage-collection log or the host's log would tell.",
    "F05": "A leader whose disk or threads stall looks the same unless its followers print refused connections.",
    "F06": "An overloaded controller looks the same unless the broker prints its own heartbeat failures.",
    "F07": "An overloaded ZooKeeper looks the same; ZooKeeper's own log would tell.",
    "F12": "The broker or the controller may have been too slow; garbage-collection logs and the controller's event queue times would tell.",
    "F13": "Disk, throttle, load and repeated short pauses look the same; the broker's request metrics or garbage-collection log would tell.",
}
_SCENARIO_CODES = {"S4": "F16", "S5": "F24", "S1": "F31", "S2": "F31", "S6": "F24"}


def _named(table: dict[str, str], code: Column, otherwise: Column) -> Column:
    return F.coalesce(F.create_map(*[F.lit(part) for pair in table.items() for part in pair])[code], otherwise)


def _brokers(ids: Column) -> Column:
    return F.array_join(ids.cast("array<string>"), ", ")


def findings(faults: DataFrame, edges: DataFrame, roots: DataFrame, spans: DataFrame, vertices: DataFrame, leader_epochs: DataFrame, elections: DataFrame, losses: DataFrame) -> DataFrame:  # fmt: skip
    """Every conclusion. Returns `FINDINGS`.

    A fault without an accepted cause is a root; routine work (`ROUTINE`) stays `info` or `low` and is `benign` beside another
    root. What follows from a root is an `effect`; what made it worse, `contributing`.
    """
    by_incident = _effects(vertices, leader_epochs, elections, losses)
    rows = _from_faults(faults, edges, roots, spans, vertices, by_incident)
    for more in (
        _rolling_restarts(faults, spans),
        _unclean_elections(elections, vertices),
        _losses(losses, vertices, spans),
        _leaderless(leader_epochs, vertices, spans),
        _refused_writes(vertices),
        _controller_changes(vertices),
        _preferred_elections(elections, vertices),
        _unexplained(vertices, roots, faults, spans),
    ):
        rows = rows.unionByName(more)
    return rows


def _effects(vertices: DataFrame, leader_epochs: DataFrame, elections: DataFrame, losses: DataFrame) -> DataFrame:
    """What each incident did to partitions, as counts."""
    told = vertices.where(F.col("incident_id").isNotNull())
    return told.groupBy("incident_id").agg(
        F.count_if(F.col("kind").isin("election", "unclean_election")).alias("_elections"),
        F.count_if(F.col("kind") == "unclean_election").alias("_unclean"),
        F.count_if(F.col("kind") == "leaderless").alias("_leaderless"),
        F.count_if(F.col("kind") == "isr_shrink").alias("_shrinks"),
        F.count_if(F.col("kind") == "writes_refused").alias("_refused"),
        F.count_if((F.col("kind") == "loss") & F.startswith("label", F.lit("PROVEN_LOSS"))).alias("_proven"),
        F.count_if((F.col("kind") == "loss") & F.startswith("label", F.lit("POSSIBLE_LOSS committed"))).alias("_possible"),
        F.array_sort(F.collect_set(F.when(F.col("topic").isNotNull(), F.concat_ws("-", "topic", "partition")))).alias("_partitions"),
    )


def _row(rows: DataFrame, *, id: Column, code: str | Column, role: str | Column, severity: str | Column, summary: Column, title: Column | None = None, **given: Column) -> DataFrame:
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
    return rows.select(*[columns.get(c.name, F.col(c.name) if c.name in rows.columns else F.lit(None)).cast(c.type).alias(c.name) for c in FINDINGS.columns])


def _from_faults(faults: DataFrame, edges: DataFrame, roots: DataFrame, spans: DataFrame, vertices: DataFrame, by_incident: DataFrame) -> DataFrame:
    caused = edges.groupBy(F.col("dst").alias("fault_id")).agg(F.max_by("because", "confidence").alias("_why"))
    did = (
        roots.where(F.col("id") != F.col("root_id"))
        .join(vertices.select("id", "kind", "topic", "partition"), "id")
        .groupBy(F.col("root_id").alias("fault_id"))
        .agg(
            F.count_if(F.col("kind").isin("election", "unclean_election")).alias("_elections"),
            F.count_if(F.col("kind") == "unclean_election").alias("_unclean"),
            F.count_if(F.col("kind") == "leaderless").alias("_leaderless"),
            F.count_if(F.col("kind") == "isr_shrink").alias("_shrinks"),
            F.count_if(F.col("kind") == "writes_refused").alias("_refused"),
            F.array_sort(F.collect_set(F.when(F.col("topic").isNotNull(), F.concat_ws("-", "topic", "partition")))).alias("_touched"),
        )
    )
    placed = (
        faults.join(F.broadcast(spans.select(F.col("root_id").alias("fault_id"), "incident_id")), "fault_id", "left")
        .join(F.broadcast(vertices.select(F.col("id").alias("fault_id"), F.col("incident_id").alias("_assigned"))), "fault_id", "left")
        .withColumn("incident_id", F.coalesce("incident_id", "_assigned"))
        .join(caused, "fault_id", "left")
        .join(did, "fault_id", "left")
        .join(by_incident.select("incident_id", "_proven", "_possible"), "incident_id", "left")
        .join(spans.groupBy("incident_id").agg(F.count_if(~F.col("code").isin(*ROUTINE)).alias("_faulty")), "incident_id", "left")
    )
    routine, effect = F.col("code").isin(*ROUTINE), F.col("_why").isNotNull()
    role = F.when(effect, "effect").when(routine & (F.col("_faulty") > 0), "benign").when(routine & (F.coalesce("_elections", F.lit(0)) + F.coalesce("_shrinks", F.lit(0)) == 0), "benign").otherwise("root_cause")
    hurt = (F.col("_leaderless") > 0) | (F.col("_refused") > 0) | (F.col("_unclean") > 0)
    severity = (
        F.when(routine, F.when(F.coalesce(F.col("_elections") > 0, F.lit(False)), "low").otherwise("info"))
        .when(effect, "low")
        .when(F.coalesce(F.col("_proven") > 0, F.lit(False)), "critical")
        .when(F.coalesce(hurt | (F.col("_possible") > 0), F.lit(False)), "high")
        .otherwise("medium")
    )
    counts = F.concat_ws(
        ", ",
        F.when(F.col("_elections") > 0, F.format_string("%d changes of leader", "_elections")),
        F.when(F.col("_unclean") > 0, F.format_string("%d of them unclean", "_unclean")),
        F.when(F.col("_leaderless") > 0, F.format_string("%d partitions without a leader", "_leaderless")),
        F.when(F.col("_shrinks") > 0, F.format_string("%d ISRs shrunk", "_shrinks")),
        F.when(F.col("_refused") > 0, "writes with acks=all refused"),
    )
    summary = F.concat(
        _sentence("because"),
        F.when(effect, F.concat(F.lit(" It follows from another fault: "), F.col("_why"), F.lit("."))).otherwise(""),
        F.when(counts != "", F.concat(F.lit(" It led to: "), counts, F.lit("."))).when(~effect & ~routine, " No partition's leader or ISR changed for it.").otherwise(""),
        F.when(~effect, F.concat(F.lit(" "), _named(ALTERNATIVES, F.col("code"), F.lit("")))).otherwise(""),
    )
    befell = F.when(F.col("broker_id").isNotNull(), F.format_string("Broker %d %s", F.col("broker_id"), _named(HAPPENED, F.col("code"), F.lit(None).cast("string"))))
    title = F.coalesce(F.when(F.col("code").isin(*HAPPENED), befell), _named(TITLES, F.col("code"), F.col("code")))
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
        broker_ids=F.when(F.col("broker_id").isNotNull(), F.array("broker_id")).otherwise(F.array().cast("array<int>")),
        partitions=F.coalesce(F.when(F.size("partitions") > 0, F.col("partitions")), F.col("_touched"), F.array().cast("array<string>")),
    )


def _sentence(text: str) -> Column:
    return F.concat(F.upper(F.substring(text, 1, 1)), F.expr(f"substring({text}, 2)"), F.lit("."))


def _rolling_restarts(faults: DataFrame, spans: DataFrame) -> DataFrame:
    """F03: two or more brokers stopped in order and started again, one after the other."""
    stops = faults.where((F.col("kind") == "stopped") & F.col("end_ts").isNotNull()).join(F.broadcast(spans.select(F.col("root_id").alias("fault_id"), "incident_id")), "fault_id")
    runs = stops.groupBy("incident_id").agg(
        F.min("ts").alias("start_ts"), F.max("end_ts").alias("end_ts"), F.array_sort(F.collect_set("broker_id")).alias("broker_ids"), F.count("*").alias("_stops"),
        F.array_sort(F.collect_list(F.struct("ts", "end_ts"))).alias("_spans"), evidence_of_rows().alias("evidence"),
    )  # fmt: skip
    one_by_one = F.forall(F.sequence(F.lit(2), F.size("_spans")), lambda i: F.element_at("_spans", i)["ts"] >= F.element_at("_spans", i - 1)["end_ts"])
    rolling = runs.where(F.size("broker_ids") >= 2).where(one_by_one)
    return _row(
        rolling,
        id=F.concat_ws("/", F.lit("rolling_restart"), "incident_id"),
        code="F03",
        role="root_cause",
        severity="low",
        title=F.concat(F.lit(TITLES["F03"] + ": brokers "), _brokers(F.col("broker_ids"))),
        summary=F.format_string("Brokers %s were stopped in order and started again one after the other, %d stops in all; none was down while another was.", _brokers(F.col("broker_ids")), F.col("_stops")),
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
            F.min("ts").alias("start_ts"), F.max("ts").alias("end_ts"), F.count("*").alias("_count"), F.array_sort(F.collect_set("node_id")).alias("broker_ids"),
            F.array_sort(F.collect_set(F.when(F.col("topic").isNotNull(), F.concat_ws("-", "topic", "partition")))).alias("partitions"),
            evidence_of_rows(3).alias("evidence"),
        )
    )  # fmt: skip


def _id(kind: str) -> Column:
    return F.concat_ws("/", F.lit(kind), F.coalesce("incident_id", F.lit("no-incident")), F.date_format("start_ts", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"))


def _unclean_elections(elections: DataFrame, vertices: DataFrame) -> DataFrame:
    told = _told(vertices, "unclean_election")
    return _row(
        told,
        id=_id("unclean_elections"),
        code="F16",
        role="contributing",
        severity="critical",
        title=F.format_string("Unclean election of %d partitions: broker %s", F.col("_count"), _brokers(F.col("broker_ids"))),
        summary=F.format_string("%d partitions were given a leader from outside their in-sync replicas (%s): what only the old in-sync replicas held is given up. Judged by comparing leader and ISR, not by a word in the logs.", F.col("_count"), F.array_join(F.slice("partitions", 1, 12), ", ")),
        confidence=F.lit(0.98),
        blind_spots=F.array(),
    )


def _losses(losses: DataFrame, vertices: DataFrame, spans: DataFrame) -> DataFrame:
    """The ledger in findings: one an incident, class and scenario."""
    times = spans.groupBy("incident_id").agg(F.min("ts").alias("_from"), F.max("end_ts").alias("_to"), F.min_by("code", "ts").alias("_root_code"))
    asked = losses.where(F.col("verdict").isin("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED"))
    told = (
        asked.join(F.broadcast(times), asked["ts"].between(plus_millis("_from", -2_000), plus_millis("_to", 2_000)), "left")
        .groupBy("incident_id", "loss_class", "verdict", "scenario", "_root_code")
        .agg(
            F.min("ts").alias("start_ts"), F.max("ts").alias("end_ts"), F.count("*").alias("_count"),
            F.sum(F.col("to_offset_low") - F.col("from_offset")).alias("_low"),
            F.when(F.count_if(F.col("to_offset_high").isNull()) == 0, F.sum(F.col("to_offset_high") - F.col("from_offset"))).alias("_high"),
            F.array_sort(F.collect_set("old_leader_id")).alias("broker_ids"),
            F.array_sort(F.collect_set(F.concat_ws("-", "topic", "partition"))).alias("partitions"),
            F.array_sort(F.collect_set(F.concat(F.concat_ws("-", "topic", "partition"), F.format_string(" [%d, %s)", F.col("from_offset"), F.coalesce(F.col("to_offset_high").cast("string"), F.lit("unknown")))))).alias("_ranges"),
            F.min_by("premise", F.struct("ts", "topic", "partition")).alias("_premise"),
            evidence_of_rows(6).alias("evidence"),
        )
    )  # fmt: skip
    committed, proven, possible = F.col("loss_class") == "committed", F.col("verdict") == "PROVEN_LOSS", F.col("verdict") == "POSSIBLE_LOSS"
    most = F.coalesce(F.format_string("%d", F.col("_high")), F.lit("an unknown number"))
    title = (
        F.when(committed & proven, F.format_string("%d committed offsets lost in %d partitions", "_low", F.size("partitions")))
        .when(committed & possible, F.concat(F.lit("Committed records possibly lost in "), F.size("partitions").cast("string"), F.lit(" partitions: "), F.when(F.col("_high").isNull(), "how many is unknown").otherwise(F.concat(F.lit("at most "), most, F.lit(" offsets")))))
        .when(possible, F.concat(F.lit("At most "), most, F.lit(" offsets discarded above the commit point: lost only to producers with acks=1 or acks=0")))
        .otherwise(F.format_string("Whether records of %d partitions are gone cannot be told from these logs", F.size("partitions")))
    )
    severity = F.when(committed & proven, "critical").when(committed & possible, "high").when(committed, "medium").otherwise("low")
    summary = F.concat(
        F.array_join(F.slice("_ranges", 1, 12), ", "),
        F.when(F.size("_ranges") > 12, F.format_string(" and %d more", F.size("_ranges") - 12)).otherwise(""),
        F.lit(". Premise of the first: "), F.col("_premise"), F.lit("."),
        F.when(~committed, " No log line shows which records were acknowledged.").otherwise(""),
    )  # fmt: skip
    return _row(
        told,
        id=F.concat_ws("/", _id("loss"), "loss_class", "verdict", "scenario"),
        code=_named(_SCENARIO_CODES, F.coalesce("scenario", F.lit("")), F.coalesce("_root_code", F.lit("F00"))),
        role="effect",
        severity=severity,
        title=title,
        summary=summary,
        confidence=F.when(proven, 0.99).when(possible, 0.8).otherwise(0.5),
        blind_spots=F.when(F.col("verdict") == "UNDETERMINED", F.array("_premise")).otherwise(F.array()),
    )


def _leaderless(leader_epochs: DataFrame, vertices: DataFrame, spans: DataFrame) -> DataFrame:
    """Partitions that the controller's record leaves without a leader for longer than it passes through that state."""
    named = F.concat_ws("/", F.lit("leaderless"), F.concat_ws("-", "topic", "partition"), F.col("leader_epoch").cast("string"))
    without = leader_epochs.where(F.col("leader_id") == -1).select(named.alias("id"), millis(F.coalesce("end_ts", "start_ts"), "start_ts").alias("_ms"), F.col("end_ts").isNull().alias("_open"), F.col("end_ts").alias("_ended"))
    told = (
        vertices.where(F.col("kind") == "leaderless")
        .join(without, "id")
        .where((F.col("_ms") >= 1_000) | F.col("_open"))
        .groupBy("incident_id")
        .agg(
            F.min("ts").alias("start_ts"), F.max(F.coalesce("_ended", "ts")).alias("end_ts"), F.max("_ms").alias("_longest"), F.sum("_ms").alias("_sum"), F.count_if("_open").alias("_still"),
            F.array_sort(F.collect_set(F.concat_ws("-", "topic", "partition"))).alias("partitions"), evidence_of_rows().alias("evidence"),
        )
    )  # fmt: skip
    roots = spans.groupBy("incident_id").agg(F.min_by("code", "ts").alias("_root_code"))
    return _row(
        told.join(F.broadcast(roots), "incident_id", "left"),
        id=_id("leaderless"),
        code=F.coalesce("_root_code", F.lit("F00")),
        role="effect",
        severity="high",
        title=F.format_string("%d partitions without a leader, the longest for %.1f s", F.size("partitions"), F.col("_longest") / 1000),
        summary=F.concat(
            F.format_string("%s had no leader by the controller's record: %.1f partition-seconds in all", F.array_join(F.slice("partitions", 1, 12), ", "), F.col("_sum") / 1000),
            F.when(F.col("_still") > 0, F.format_string("; %d still had none at the end of these logs", "_still")).otherwise(""),
            F.lit(". Clients could neither write nor read there."),
        ),
        broker_ids=F.array(),
        confidence=F.lit(0.95),
        blind_spots=F.array(F.lit("when clients noticed is not in brokers' logs")),
    )


def evidence_of_rows(each: int = 2) -> Column:
    """An aggregate: the first `each` events of every row's evidence, in the order of the rows' time."""
    in_time = F.array_sort(F.collect_list(F.struct("ts", F.slice("evidence", 1, each).alias("events"))))
    return F.slice(F.array_distinct(F.flatten(F.transform(in_time, lambda row: row["events"]))), 1, 24)


def _refused_writes(vertices: DataFrame) -> DataFrame:
    told = _told(vertices, "writes_refused")
    return _row(
        told,
        id=_id("writes_refused"),
        code="F20",
        role="effect",
        severity="high",
        title=F.format_string("Writes with acks=all to %d partitions refused for want of in-sync replicas", F.size("partitions")),
        summary=F.format_string("Leaders refused writes to %s: fewer replicas were in sync than min.insync.replicas asks for. Nothing of these was stored; producers were told so.", F.array_join(F.slice("partitions", 1, 12), ", ")),
        confidence=F.lit(0.97),
        blind_spots=F.array(F.lit("how many producers waited or gave up is not in brokers' logs")),
    )


def _controller_changes(vertices: DataFrame) -> DataFrame:
    """F08, F10 (effects), and F09 where the controller moved three times or more."""
    told = _told(vertices, "controller_change").where(F.col("incident_id").isNotNull())
    often = (F.col("_count") >= 3) & (F.size("broker_ids") >= 2) & (millis("end_ts", "start_ts") < 1_800_000)
    return _row(
        told,
        id=_id("controller_changes"),
        code=F.when(often, "F09").otherwise("F08"),
        role=F.when(often, "contributing").otherwise("effect"),
        severity=F.when(often, "medium").otherwise("low"),
        title=F.when(often, F.format_string("The controller moved %d times", "_count")).otherwise(F.format_string("Controller failover to node %s", _brokers(F.col("broker_ids")))),
        summary=F.format_string("%d changes of the active controller, to nodes %s. While there is none, no leader is elected and no ISR change is committed.", F.col("_count"), _brokers(F.col("broker_ids"))),
        partitions=F.array(),
        confidence=F.lit(0.95),
        blind_spots=F.array(),
    )


def _preferred_elections(elections: DataFrame, vertices: DataFrame) -> DataFrame:
    """F17, routine: leadership given back to the first replica."""
    named = F.concat_ws("/", F.lit("election"), F.concat_ws("-", "topic", "partition"), F.col("leader_epoch").cast("string"))
    moved = elections.where(F.col("trigger") == "preferred").select(named.alias("id"), "ts", "new_leader_id", F.concat_ws("-", "topic", "partition").alias("_name"), "evidence")
    told = (
        moved.join(vertices.select("id", "incident_id"), "id", "left")
        .groupBy("incident_id")
        .agg(
            F.min("ts").alias("start_ts"), F.max("ts").alias("end_ts"), F.count("*").alias("_count"), F.array_sort(F.collect_set("new_leader_id")).alias("broker_ids"),
            F.array_sort(F.collect_set("_name")).alias("partitions"), evidence_of_rows().alias("evidence"),
        )
    )  # fmt: skip
    return _row(
        told,
        id=_id("preferred_elections"),
        code="F17",
        role="benign",
        severity="info",
        summary=F.format_string("%d partitions were given back to their preferred leaders, brokers %s: routine, within the ISR.", F.col("_count"), _brokers(F.col("broker_ids"))),
        confidence=F.lit(0.9),
        blind_spots=F.array(),
    )


def _unexplained(vertices: DataFrame, roots: DataFrame, faults: DataFrame, spans: DataFrame) -> DataFrame:
    """Effects that clients could see and that no fault in these logs explains: said, not guessed."""
    explained = roots.join(faults.select(F.col("fault_id").alias("root_id")), "root_id").select("id").distinct()
    alone = vertices.where(F.col("kind").isin("leaderless", "isr_shrink", "unclean_election") & F.col("incident_id").isNull()).join(explained, "id", "left_anti")
    told = _told(alone, "leaderless", "isr_shrink", "unclean_election")
    return _row(
        told,
        id=_id("unexplained"),
        code="F00",
        role="effect",
        severity="medium",
        summary=F.format_string("%d changes in %s have no cause in these logs.", F.col("_count"), F.array_join(F.slice("partitions", 1, 12), ", ")),
        confidence=F.lit(0.5),
        blind_spots=F.array(F.lit("the cause: the files of the nodes concerned, the controllers' files or an earlier time may be missing here")),
    )
