"""What the logs at hand cannot tell, and what would: nodes without files, times that files leave out, lines that no
logger prints.

Found before anything is concluded; a finding and a verdict that touch a blind spot say so.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.evidence import evidence_of
from replay.columns.phrases import counted
from replay.columns.times import millis, plus_millis
from replay.facts import times
from replay.facts.evidence import once_each
from replay.facts.heard import series
from replay.faults.kinds import ORDERED_STOPS
from replay.reading.wrappers import WRAPPERS
from replay.tables import BLIND_SPOTS
from replay.tables.row import Row

_GAP_MS = 3_000  # a node that takes on roles prints more often than this
_SKEW_MS = 500  # what a clock may be off by after its correction, and a line late
_QUIET_MS = 10_000  # a broker in a cluster whose leaders change prints within this, as a rule
_AT_ONCE_MS = 60_000  # an operator copies files within this
_AWAY_AT_MOST_H = 1  # a fault without a known end explains silence for so long
_EDGE_MS = 1_000  # what happens this close to the first or last line of a file may have been printed outside it
MISSING_LINES = ("no_file", "gap", "level_too_high", "shared_file")  # kinds of blind spots of one node
_EPOCH = ("topic", "partition", "leader_epoch")
_ROLE_TAKEN = ("leader_start", "follower_start")
_LABELLED = r"(?:^|\+)(?:" + "|".join(wrapper.name for wrapper in WRAPPERS if wrapper.tells_label) + r")\+"
_ONE_HOUR = r"\.(\d{4}-\d\d-\d\d-\d\d)(?:\.(?:gz|bz2|xz|zip))?$"  # server.log.2026-11-21-05: Kafka's own rolling
_ONE_FILE = r"\.(\d{1,3})$"  # server.log.3: rotated by size

_STATE_CHANGE = "log4j.logger.state.change.logger=INFO, up to 2.5 TRACE (state-change.log)"
_CONTROLLER = "log4j.logger.kafka.controller=TRACE with ZooKeeper, log4j.logger.org.apache.kafka.controller=INFO with KRaft (controller.log)"


def nodes_heard(events: DataFrame, coverage: DataFrame) -> DataFrame:
    """What each node's files hold: `node_id, first_ts, last_ts, is_kafka, takes_roles, controls, has_kraft,
    has_dump`; a row without a node for files of none.
    """
    kind, logger = F.col("kind"), F.col("logger")
    own = logger.rlike(
        r"^(?:kafka\.controller\.|org\.apache\.kafka\.controller\.|k\.controller\.)|^(?:KafkaController|QuorumController|ReplicationControlManager)$"
    )
    said = events.groupBy("node_id").agg(
        F.count_if(~kind.rlike("^(?:zookeeper|zk|process|gc|jvm)_")).alias("_kafka"),
        F.count_if(kind.isin(*_ROLE_TAKEN)).alias("_roles"),
        F.count_if(own).alias("_own"),
        F.count_if(kind.startswith("raft_") | kind.startswith("kraft_")).alias("_kraft"),
        F.count_if(kind.startswith("dump_")).alias("_dump"),
    )
    files = (
        coverage.where(F.col("node_id").isNotNull() & F.col("first_ts").isNotNull())
        .groupBy("node_id")
        .agg(F.min("first_ts").alias("first_ts"), F.max("last_ts").alias("last_ts"))
    )
    flags = {
        "is_kafka": "_kafka",
        "takes_roles": "_roles",
        "controls": "_own",
        "has_kraft": "_kraft",
        "has_dump": "_dump",
    }
    return said.join(files, "node_id", "full").select(
        "node_id",
        "first_ts",
        "last_ts",
        *[(F.coalesce(count, F.lit(0)) > 0).alias(name) for name, count in flags.items()],
    )


def blind_spots(
    events: DataFrame,
    coverage: DataFrame,
    processes: DataFrame,
    leader_epochs: DataFrame,
    isrs: DataFrame,
    controllers: DataFrame,
    faults: DataFrame,
    nodes: DataFrame,
    untold: DataFrame,
    missing_lines: DataFrame,
) -> DataFrame:
    """Every blind spot of the input. Returns `BLIND_SPOTS`.

    `leader_epochs`, `isrs` and `controllers` are the rebuilt ones (`replay.partitions.elections.judged`,
    `replay.partitions.timelines.isr_spans`, `replay.facts.sessions.controllers`): a node that led, or was the
    active controller, at a time at which its files say nothing of it shows where lines are missing. `nodes` is
    `nodes_heard`, `untold` what its function returns, `missing_lines` what `replay.facts.missing_lines` returns.
    """
    rows = (
        _nodes_without_files(events, coverage),
        _shared_files(coverage),
        _gaps(events, nodes, leader_epochs, faults, untold, coverage),
        _holes(missing_lines),
        _missing_numbers(coverage),
        _missing_hours(coverage),
        _files_begin_late(nodes, processes),
        _roles_untold(nodes, untold),
        _isrs_untold(nodes, leader_epochs, isrs),
        _controllers_untold(nodes, controllers),
        _no_metadata_log(nodes),
        _died_without_a_copy(events, faults),
    )
    whole = rows[0]
    for more in rows[1:]:
        whole = whole.unionByName(more)
    return whole


def _row(
    rows: DataFrame, kind: str, what: Column, questions: Column, would_tell: str | Column, **given: Column
) -> DataFrame:
    told = {
        "kind": F.lit(kind),
        "what": what,
        "questions": questions,
        "would_tell": F.lit(would_tell) if isinstance(would_tell, str) else would_tell,
        **given,
    }
    return rows.select(
        *[
            told.get(c.name, F.col(c.name) if c.name in rows.columns else F.lit(None)).cast(c.type).alias(c.name)
            for c in BLIND_SPOTS.columns
        ]
    )


def _clock(ts: str) -> Column:
    return F.date_format(ts, "yyyy-MM-dd HH:mm:ss")


def _nodes_without_files(events: DataFrame, coverage: DataFrame) -> DataFrame:
    """Nodes in replica sets, ISRs and leaderships, and controllers, that gave no file with a record."""
    ids = F.array_distinct(
        F.filter(
            F.concat(
                F.coalesce("isr", F.array()), F.coalesce("replicas", F.array()), F.array("leader_id", "controller_id")
            ),
            lambda b: b >= 0,
        )
    )
    named = (
        events.select(F.explode(ids).alias("node_id"), "ts", "event_id")
        .groupBy("node_id")
        .agg(F.count("*").alias("_times"), evidence_of().alias("evidence"))
    )
    have = coverage.where(F.col("log_records") > 0).select("node_id").distinct()
    return _row(
        named.join(F.broadcast(have), "node_id", "left_anti"),
        "no_file",
        F.format_string(
            "Node %d is named by %s of others, but none of its files is here",
            F.col("node_id"),
            counted("_times", "line"),
        ),
        F.array(
            F.lit("when it started, stopped or froze"),
            F.lit("where its logs ended, and whether it cut them"),
            F.lit("what it could not reach"),
        ),
        F.format_string("server.log, state-change.log and controller.log of node %d", F.col("node_id")),
    )


def shared_files(coverage: DataFrame) -> DataFrame:
    """`source_file, node_id, _nobodys, _all`: the files into which several nodes wrote without a label, and those
    nodes; how many records name none of them.
    """
    several = (
        coverage.where(~F.col("layout").rlike(_LABELLED))
        .groupBy("source_file")
        .agg(
            F.collect_set("node_id").alias("_nodes"),
            F.sum(F.when(F.col("node_id").isNull(), F.col("log_records")).otherwise(0)).alias("_nobodys"),
            F.sum("log_records").alias("_all"),
        )
        .where((F.size("_nodes") > 0) & ((F.size("_nodes") > 1) | (F.col("_nobodys") > 0)))
    )
    return several.select("source_file", F.explode("_nodes").alias("node_id"), "_nobodys", "_all")


def _shared_files(coverage: DataFrame) -> DataFrame:
    """Files of several nodes: what the lines that name none of them tell, nobody can put down to one."""
    return _row(
        shared_files(coverage),
        "shared_file",
        F.format_string(
            "Node %d shares %s with other nodes: %d of its %d records name no node",
            F.col("node_id"),
            F.col("source_file"),
            F.col("_nobodys"),
            F.col("_all"),
        ),
        F.array(
            F.lit("when it started and stopped, where its own lines do not say"),
            F.lit("whether it was silent"),
            F.lit("whose errors those are that name no node"),
        ),
        "a folder of logs for each process (LOG_DIR, or -Dkafka.logs.dir)",
    )


def _holes(missing_lines: DataFrame) -> DataFrame:
    """Times of which one log of a node has no line, though the node's other logs tell of changes that it prints at
    all other times.
    """
    return _row(
        missing_lines,
        "gap",
        F.format_string(
            "%s of node %d has no line from %s to %s, though the node's other files tell of %s in that time: lines are missing",
            F.col("series"),
            F.col("node_id"),
            _clock("start_ts"),
            _clock("end_ts"),
            counted("told", "change of roles", "changes of roles"),
        ),
        F.array(
            F.lit("whether it stopped, froze or was cut off in that time"),
            F.lit("what it could not reach, and which ISR changes it made"),
        ),
        F.format_string("the rest of %s: rotated or compressed files", F.col("series")),
    )


def _missing_hours(coverage: DataFrame) -> DataFrame:
    """Logs that roll by the hour, of which an hour between two others is not here while another log of the node has
    that hour.
    """
    hour = F.to_timestamp(F.nullif(F.regexp_extract("source_file", _ONE_HOUR, 1), F.lit("")), "yyyy-MM-dd-HH")
    rolled = coverage.where(F.col("node_id").isNotNull()).select(
        "node_id",
        series().alias("_series"),
        hour.alias("_hour"),
        F.col("first_ts").alias("_first"),
        F.col("last_ts").alias("_last"),
    )
    rolled = rolled.where(F.col("_hour").isNotNull())
    in_order = Window.partitionBy("node_id", "_series").orderBy("_hour")
    holes = rolled.withColumns(
        {"_before": F.lag("_hour").over(in_order), "start_ts": F.lag("_last").over(in_order)}
    ).where(F.unix_timestamp("_hour") - F.unix_timestamp("_before") > 3_600)
    others = rolled.select(
        F.col("node_id").alias("_node"), F.col("_series").alias("_other"), F.col("_hour").alias("_told")
    )
    told = (
        holes.join(
            others,
            (F.col("_node") == F.col("node_id"))
            & (F.col("_other") != F.col("_series"))
            & (F.col("_told") > F.col("_before"))
            & (F.col("_told") < F.col("_hour")),
        )
        .groupBy("node_id", "_series", "start_ts", F.col("_first").alias("end_ts"))
        .agg(F.min("_told").alias("_told"), F.min_by("_other", "_told").alias("_other"))
    )
    stamp = F.date_format("_told", "yyyy-MM-dd-HH")
    return _row(
        told,
        "gap",
        F.format_string(
            "%s.%s is not here, though %s of that hour is: it was not copied, or had no line in that hour",
            F.col("_series"),
            stamp,
            F.col("_other"),
        ),
        F.array(F.lit("what the node printed in that time")),
        F.format_string("%s.%s", F.col("_series"), stamp),
    )


def _gaps(
    events: DataFrame,
    nodes: DataFrame,
    leader_epochs: DataFrame,
    faults: DataFrame,
    untold: DataFrame,
    coverage: DataFrame,
) -> DataFrame:
    """Times in which all files of a broker are silent although it took on roles in them that it prints at other
    times, or although leaders changed.
    """
    own = events.where(F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull())
    node = Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")
    silent = own.select(
        "node_id",
        F.lag("ts").over(node).alias("start_ts"),
        F.col("ts").alias("end_ts"),
        F.array(F.lag("event_id").over(node), F.col("event_id")).alias("evidence"),
    ).where(millis("end_ts", "start_ts") >= _GAP_MS)
    led = untold.select("_node", "_began", F.lit(1).alias("_own"))
    anywhere = leader_epochs.where(F.col("reason").isin("election", "leaderless")).select(
        F.lit(None).cast("int").alias("_node"), F.col("start_ts").alias("_began"), F.lit(0).alias("_own")
    )
    away = faults.where(F.col("kind").isin("killed", "halted", *ORDERED_STOPS, "paused", "cut_off", "silent")).select(
        F.col("broker_id").alias("_away"),
        F.coalesce("began_low", "ts").alias("_down"),
        F.coalesce("end_ts", F.expr(f"ts + interval {_AWAY_AT_MOST_H} hour")).alias("_up"),
    )
    shared = shared_files(coverage).select("node_id").distinct()  # what names no node there may be theirs
    brokers = nodes.where("takes_roles").select("node_id").join(shared, "node_id", "left_anti")
    inside = F.coalesce(F.col("node_id") == F.col("_node"), F.lit(True)) & F.col("_began").between(
        plus_millis("start_ts", _SKEW_MS), plus_millis("end_ts", -_SKEW_MS)
    )
    elsewhere = (
        (F.col("_away") == F.col("node_id")) & (F.col("_down") < F.col("end_ts")) & (F.col("_up") > F.col("start_ts"))
    )
    missing = (
        silent.join(brokers, "node_id", "left_semi")
        .join(led.unionByName(anywhere), inside)
        .groupBy("node_id", "start_ts", "end_ts")
        .agg(F.sum("_own").alias("_untold"), F.first("evidence").alias("evidence"))
        .where((F.col("_untold") > 0) | (millis("end_ts", "start_ts") >= _QUIET_MS))
        .join(away, elsewhere, "left_anti")
    )
    span = F.format_string(
        "No file of node %d has a line from %s to %s", F.col("node_id"), _clock("start_ts"), _clock("end_ts")
    )
    questions = F.array(
        F.lit("whether it stopped, froze or was cut off in that time"),
        F.lit("where the leader epochs that it began start"),
        F.lit("which ISR changes it made"),
    )
    would_tell = F.format_string(
        "the rest of the files of node %d: rotated or compressed ones, those of its earlier container", F.col("node_id")
    )
    took_part = F.concat(
        F.lit(", though it took part in "),
        counted("_untold", "leader epoch"),
        F.lit(" that began in that time: lines are missing"),
    )
    gaps = _row(missing.where(F.col("_untold") > 0), "gap", F.concat(span, took_part), questions, would_tell)
    nothing = F.lit(", while leaders changed elsewhere: it had nothing to print, or lines are missing")
    quiet = _row(missing.where(F.col("_untold") == 0), "quiet", F.concat(span, nothing), questions, would_tell)
    fell_silent = faults.where((F.col("kind") == "silent") & F.col("began_low").isNotNull()).select(
        F.col("broker_id").alias("node_id"), F.col("began_low").alias("start_ts"), "end_ts", "evidence"
    )
    to_the_end = F.format_string("No file of node %d has a line after %s", F.col("node_id"), _clock("start_ts"))
    went_on = F.lit(", and others went on without it: it froze, was cut off, or lines are missing")
    return gaps.unionByName(quiet).unionByName(
        _row(
            fell_silent,
            "gap",
            F.concat(F.when(F.col("end_ts").isNull(), to_the_end).otherwise(span), went_on),
            questions,
            would_tell,
        )
    )


def untold(events: DataFrame, nodes: DataFrame, leader_epochs: DataFrame) -> DataFrame:
    """`_node, leader_epoch, _began, _partition`: leader epochs of which a node's running files say nothing, though it
    led them, or prints of that partition's epochs before and after.
    """
    roles = events.where(F.col("kind").isin(*_ROLE_TAKEN) & F.col("leader_epoch").isNotNull()).select(
        F.col("node_id").alias("_node"), *_EPOCH, "ts"
    )
    said = roles.select("_node", *_EPOCH).distinct()
    around = roles.groupBy("_node", "topic", "partition").agg(F.min("ts").alias("_first"), F.max("ts").alias("_last"))
    began = leader_epochs.where(F.col("reason") != "isr_change").select(
        *_EPOCH, "leader_id", F.col("start_ts").alias("_began")
    )
    led = began.where(F.col("leader_id") >= 0).select(F.col("leader_id").alias("_node"), *_EPOCH, "_began")
    followed = (
        began.where(F.col("leader_id") >= 0)
        .join(F.broadcast(around), ["topic", "partition"])
        .where((F.col("_began") > F.col("_first")) & (F.col("_began") < F.col("_last")))
        .select("_node", *_EPOCH, "_began")
    )
    files = nodes.where(F.col("first_ts").isNotNull()).select(F.col("node_id").alias("_node"), "first_ts", "last_ts")
    run = (
        led.unionByName(followed)
        .distinct()
        .join(files, "_node")
        .where(F.col("_began").between(plus_millis("first_ts", _EDGE_MS), plus_millis("last_ts", -_EDGE_MS)))
    )
    return run.join(said, ["_node", *_EPOCH], "left_anti").select(
        "_node", "leader_epoch", "_began", F.concat_ws("-", "topic", "partition").alias("_partition")
    )


def _missing_numbers(coverage: DataFrame) -> DataFrame:
    """Files rotated by size of which one between two others is not here: server.log.1, server.log.3."""
    number = F.regexp_extract("source_file", _ONE_FILE, 1).try_cast("int")
    series = Window.partitionBy("node_id", "_series").orderBy("_number")
    numbered = coverage.withColumns(
        {"_number": number, "_series": F.regexp_replace("source_file", _ONE_FILE, "")}
    ).where(F.col("_number").isNotNull())
    holes = numbered.withColumns(
        {"_before": F.lag("_number").over(series), "_later_ts": F.lag("first_ts").over(series)}
    ).where(F.col("_number") - F.col("_before") > 1)
    return _row(
        holes,
        "gap",
        F.format_string(
            "%s.%d is not here, though files rotated before and after it are", F.col("_series"), F.col("_before") + 1
        ),
        F.array(F.lit("what the node printed in that time")),
        F.format_string("the missing files of %s", F.col("_series")),
        start_ts=F.col("last_ts"),
        end_ts=F.col("_later_ts"),
    )


def _files_begin_late(nodes: DataFrame, processes: DataFrame) -> DataFrame:
    """Kafka's nodes whose files begin in the middle of a life: the time before was rotated away, or not copied."""
    first = (
        processes.join(nodes.where("is_kafka").select("node_id"), "node_id", "left_semi")
        .groupBy("node_id")
        .agg(F.min_by("start_ts", "life").alias("_started"), F.min("first_ts").alias("_begin"))
    )
    return _row(
        first.where(F.col("_started").isNull()),
        "begins_late",
        F.format_string("The files of node %d begin at %s while it already ran", F.col("node_id"), _clock("_begin")),
        F.array(
            F.lit("how long the states that it then had had lasted"),
            F.lit("its settings, unless other lines print them"),
        ),
        F.format_string("the older files of node %d, back to its start", F.col("node_id")),
        end_ts=F.col("_begin"),
    )


def _roles_untold(nodes: DataFrame, untold: DataFrame) -> DataFrame:
    """Nodes that led and never print that they took on a role: the logger is off, or its file was not copied."""
    speaks = nodes.where("takes_roles").select(F.col("node_id").alias("_node"))
    silent = (
        untold.join(speaks, "_node", "left_anti")
        .groupBy(F.col("_node").alias("node_id"))
        .agg(F.count("*").alias("_untold"), F.min("_began").alias("start_ts"))
    )
    return _row(
        silent,
        "level_too_high",
        F.format_string(
            "Node %d began %s and no line of its files says so", F.col("node_id"), counted("_untold", "leader epoch")
        ),
        F.array(
            F.lit("where leader epochs start, and so which range of offsets a change of leader dropped"),
            F.lit("when brokers took on their roles"),
        ),
        _STATE_CHANGE,
    )


def _isrs_untold(nodes: DataFrame, leader_epochs: DataFrame, isrs: DataFrame) -> DataFrame:
    """Nodes that print their roles but of most of the leader epochs that they began no line tells an ISR: up to 2.5
    it is printed at TRACE.
    """
    led = leader_epochs.where(F.col("reason") != "isr_change").select(
        F.col("leader_id").alias("node_id"), *_EPOCH, "start_ts"
    )
    told = isrs.select(*_EPOCH, F.lit(True).alias("_told")).distinct()
    speaks = nodes.where("takes_roles").select("node_id")
    counts = (
        led.join(told, [*_EPOCH], "left")
        .join(speaks, "node_id", "left_semi")
        .groupBy("node_id")
        .agg(
            F.count_if(F.col("_told").isNull()).alias("_untold"),
            F.count("*").alias("_all"),
            F.min("start_ts").alias("start_ts"),
        )
    )
    return _row(
        counts.where(2 * F.col("_untold") > F.col("_all")),
        "level_too_high",
        F.format_string(
            "No line tells the ISR of %d of the %d leader epochs that node %d began",
            F.col("_untold"),
            F.col("_all"),
            F.col("node_id"),
        ),
        F.array(
            F.lit("which replicas were in sync as the leader changed, and so whether an election was clean"),
            F.lit("whether a replica that was out of sync held all that was committed"),
        ),
        _STATE_CHANGE,
    )


def _controllers_untold(nodes: DataFrame, controllers: DataFrame) -> DataFrame:
    """Active controllers whose files hold no line of the controller's own logger."""
    mute = nodes.where(~F.col("controls") & F.col("first_ts").isNotNull()).select("node_id")
    active = controllers.select(F.col("controller_id").alias("node_id"), "start_ts", "end_ts", "evidence")
    known = (
        active.join(mute, "node_id", "left_semi")
        .groupBy("node_id")
        .agg(
            F.min("start_ts").alias("start_ts"), F.max("end_ts").alias("end_ts"), F.first("evidence").alias("evidence")
        )
    )
    return _row(
        known,
        "level_too_high",
        F.format_string(
            "Node %d was the active controller and its files hold no line of the controller's logger", F.col("node_id")
        ),
        F.array(
            F.lit("why leaders were elected, and from which ISR"),
            F.lit("when the controller learned of a broker's end"),
        ),
        _CONTROLLER,
    )


def _no_metadata_log(nodes: DataFrame) -> DataFrame:
    """A KRaft cluster whose metadata log was not dumped: controllers print no change of a leader or an ISR (facts
    §1.8).
    """
    seen = nodes.agg(F.bool_or("has_kraft").alias("_kraft"), F.bool_or("has_dump").alias("_dump"))
    return _row(
        seen.where(F.col("_kraft") & ~F.col("_dump")),
        "no_metadata_log",
        F.lit("The metadata log of this KRaft cluster is not here"),
        F.array(
            F.lit("when the controllers decided: brokers print a change when they apply it, some 100 ms later"),
            F.lit("partition epochs, and states that no broker lived to print"),
        ),
        "kafka-dump-log.sh --cluster-metadata-decoder --files <metadata.log.dir>/__cluster_metadata-0/*.log, as text among the input",
    )


def _died_without_a_copy(events: DataFrame, faults: DataFrame) -> DataFrame:
    """Brokers that died and came back, without a copy of their checkpoint files from in between."""
    copies = (
        events.where(F.col("kind") == "checkpoint_high_watermark")
        .select(F.col("node_id").alias("_node"), F.col("ts").alias("_copied"))
        .where(F.col("_copied").isNotNull())
        .distinct()
    )
    back = faults.where(F.col("kind").isin("killed", "halted") & F.col("end_ts").isNotNull()).select(
        F.col("broker_id").alias("node_id"), F.coalesce("began_low", "ts").alias("start_ts"), "end_ts", "evidence"
    )
    in_between = (F.col("_node") == F.col("node_id")) & F.col("_copied").between(
        F.col("start_ts"), plus_millis("end_ts", _AT_ONCE_MS)
    )
    return _row(
        back.join(copies, in_between, "left_anti"),
        "no_copy_of_checkpoints",
        F.format_string(
            "Broker %d died and was started again, and its checkpoint files of the time in between are not here",
            F.col("node_id"),
        ),
        F.array(F.lit("how far it had committed when it died, if it was alone in an ISR")),
        "a copy of replication-offset-checkpoint and leader-epoch-checkpoint, made before a dead broker is started again",
    )


def with_blind_spots(findings: Iterable[Row], spots: Iterable[Row]) -> list[Row]:
    """The findings that name, among their `blind_spots`, what is missing of the files of the brokers they are about."""
    missing = sorted(
        (spot for spot in spots if spot.kind in MISSING_LINES and spot.node_id is not None),
        key=lambda spot: (spot.node_id, times.unix_micros(spot.start_ts) if spot.start_ts else -1, spot.what),
    )
    return [
        finding.but(
            blind_spots=once_each([*finding.blind_spots, *(spot.what for spot in missing if _touches(spot, finding))])
        )
        for finding in findings
    ]


def _touches(spot: Row, finding: Row) -> bool:
    begin = times.plus_millis(finding.start_ts, -_AT_ONCE_MS)
    end = times.plus_millis(finding.end_ts or finding.start_ts, _AT_ONCE_MS)
    is_after = spot.start_ts is not None and end is not None and spot.start_ts > end
    is_before = spot.end_ts is not None and begin is not None and spot.end_ts < begin
    return spot.node_id in finding.broker_ids and not is_after and not is_before


def losses_with_blind_spots(losses: DataFrame, spots: DataFrame) -> DataFrame:
    """`losses` whose premise says what is missing of the files of the two leaders, where it carries no proof."""
    around = _missing_of(
        F.array("old_leader_id", "new_leader_id"), plus_millis("ts", -_AT_ONCE_MS), plus_millis("ts", _AT_ONCE_MS)
    )
    beside = _beside(losses, spots).withColumn("_missing", around)
    open_ = (F.size("_missing") > 0) & (F.col("verdict") != "PROVEN_LOSS")
    said = F.concat(F.col("premise"), F.lit(". Blind spot: "), F.array_join("_missing", "; "))
    return beside.withColumn("premise", F.when(open_, said).otherwise(F.col("premise"))).drop("_spots", "_missing")


def _beside(rows: DataFrame, spots: DataFrame) -> DataFrame:
    """`rows`, each with `_spots`: all missing files and times, a handful."""
    missing = spots.where(F.col("kind").isin(*MISSING_LINES) & F.col("node_id").isNotNull())
    every = missing.agg(F.array_sort(F.collect_list(F.struct("node_id", "start_ts", "end_ts", "what"))).alias("_spots"))
    return rows.crossJoin(F.broadcast(every))


def _missing_of(nodes: Column, start: Column, end: Column) -> Column:
    """Of `_spots`, what concerns `nodes` between `start` and `end`."""
    touched = F.filter(
        "_spots",
        lambda s: (
            F.array_contains(nodes, s["node_id"])
            & F.coalesce(s["start_ts"] <= end, F.lit(True))
            & F.coalesce(s["end_ts"] >= start, F.lit(True))
        ),
    )
    return F.coalesce(F.transform(touched, lambda s: s["what"]), F.array().cast("array<string>"))
