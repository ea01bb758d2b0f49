"""What blind spots need of every line and every leader epoch, gathered by Spark: few rows, whatever the input."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.evidence import evidence_of
from replay.columns.times import millis, plus_millis
from replay.facts.window import ALL_TIME, TimeWindow
from replay.tables.questions import EPOCHS_TOLD, EPOCHS_WITHOUT_LINE, NODES_HEARD, NODES_NAMED, QUIET_TIMES

_GAP_MS = 3_000  # a node that takes on roles prints more often than this
_QUIET_MS = 10_000  # a broker in a cluster whose leaders change prints within this, as a rule
_SKEW_MS = (
    500  # and what is nearer to the ends of a silence may be told there: a line is late, and clocks differ a little
)
_EDGE_MS = 1_000  # what happens this close to the first or last line of a file may have been printed outside it
_EPOCH = ("topic", "partition", "leader_epoch")
_ROLE_TAKEN = ("leader_start", "follower_start")
_OF_CONTROLLERS = r"^(?:kafka\.controller\.|org\.apache\.kafka\.controller\.|k\.controller\.)|^(?:KafkaController|QuorumController|ReplicationControlManager)$"


def nodes_heard(events: DataFrame) -> DataFrame:
    """What the lines of each node tell of. Returns `NODES_HEARD`."""
    kind = F.col("kind")

    def any_line(holds: Column) -> Column:
        return F.count_if(holds) > 0

    copied = F.array_sort(F.collect_set(F.when(kind == "checkpoint_high_watermark", F.col("ts"))))
    return NODES_HEARD.of(
        events.groupBy("node_id").agg(
            any_line(~kind.rlike("^(?:zookeeper|zk|process|gc|jvm)_")).alias("is_kafka"),
            any_line(kind.isin(*_ROLE_TAKEN)).alias("takes_roles"),
            any_line(F.col("logger").rlike(_OF_CONTROLLERS)).alias("controls"),
            any_line(kind.startswith("raft_") | kind.startswith("kraft_")).alias("has_kraft"),
            any_line(kind.startswith("dump_")).alias("has_dump"),
            copied.alias("checkpoints_copied"),
        )
    )


def nodes_named(events: DataFrame) -> DataFrame:
    """The nodes that lines name in replica sets and ISRs, as leaders and as controllers. Returns `NODES_NAMED`."""
    named = F.concat(
        F.coalesce("isr", F.array()), F.coalesce("replicas", F.array()), F.array("leader_id", "controller_id")
    )
    each = F.explode(F.array_distinct(F.filter(named, lambda node: node >= 0)))
    lines = events.select(each.alias("node_id"), "ts", "event_id")
    return NODES_NAMED.of(lines.groupBy("node_id").agg(F.count("*").alias("lines"), evidence_of().alias("evidence")))


def epochs_without_line(
    events: DataFrame, coverage: DataFrame, leader_epochs: DataFrame, window: TimeWindow = ALL_TIME
) -> DataFrame:
    """Leader epochs begun in the window of which a node's running files say nothing, though it led them, or prints of that partition's
    epochs before and after. Returns `EPOCHS_WITHOUT_LINE`.
    """
    roles = events.where(F.col("kind").isin(*_ROLE_TAKEN) & F.col("leader_epoch").isNotNull())
    said = roles.select("node_id", *_EPOCH).distinct()
    around = roles.groupBy("node_id", "topic", "partition").agg(F.min("ts").alias("_first"), F.max("ts").alias("_last"))
    begun = window.begun_in(leader_epochs).where((F.col("reason") != "isr_change") & (F.col("leader_id") >= 0))
    led = begun.select(F.col("leader_id").alias("node_id"), *_EPOCH, "start_ts")
    followed = (
        begun.join(F.broadcast(around), ["topic", "partition"])
        .where((F.col("start_ts") > F.col("_first")) & (F.col("start_ts") < F.col("_last")))
        .select("node_id", *_EPOCH, "start_ts")
    )
    files = coverage.groupBy("node_id").agg(F.min("first_ts").alias("_from"), F.max("last_ts").alias("_to"))
    while_it_runs = F.col("start_ts").between(plus_millis("_from", _EDGE_MS), plus_millis("_to", -_EDGE_MS))
    expected = led.unionByName(followed).distinct().join(F.broadcast(files), "node_id").where(while_it_runs)
    return EPOCHS_WITHOUT_LINE.of(expected.join(said, ["node_id", *_EPOCH], "left_anti"))


def epochs_told(
    leader_epochs: DataFrame, isrs: DataFrame, without_line: DataFrame, window: TimeWindow = ALL_TIME
) -> DataFrame:
    """How many leader epochs each node began in the window, and of how many of them lines are missing. Returns `EPOCHS_TOLD`."""
    isr_told = isrs.select(*_EPOCH, F.lit(True).alias("_told")).distinct()
    begun = window.begun_in(leader_epochs).where(F.col("reason") != "isr_change").join(isr_told, [*_EPOCH], "left")
    by_leader = begun.groupBy(F.col("leader_id").alias("node_id")).agg(
        F.count("*").alias("begun"),
        F.min("start_ts").alias("begun_ts"),
        F.count_if(F.col("_told").isNull()).alias("without_isr"),
    )
    missing = without_line.groupBy("node_id").agg(
        F.count("*").alias("without_line"), F.min("start_ts").alias("without_line_ts")
    )
    return EPOCHS_TOLD.of(by_leader.join(missing, "node_id", "full"))


def quiet_times(events: DataFrame, leader_epochs: DataFrame, without_line: DataFrame) -> DataFrame:
    """Times in which all files of a node are silent though leader epochs began: of some of which its lines are
    missing, or long ones while leaders changed elsewhere. Returns `QUIET_TIMES`.
    """
    own = events.where(F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull())
    node = Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")
    silent = own.select(
        "node_id",
        F.lag("ts").over(node).alias("start_ts"),
        F.col("ts").alias("end_ts"),
        F.array(F.lag("event_id").over(node), F.col("event_id")).alias("evidence"),
    ).where(millis("end_ts", "start_ts") >= _GAP_MS)
    own_epochs = without_line.select(F.col("node_id").alias("_node"), F.col("start_ts").alias("_began"))
    changes = leader_epochs.where(F.col("reason").isin("election", "leaderless")).select("start_ts").distinct()
    anywhere = changes.select(F.lit(None).cast("int").alias("_node"), F.col("start_ts").alias("_began"))
    inside = F.coalesce(F.col("node_id") == F.col("_node"), F.lit(True)) & F.col("_began").between(
        plus_millis("start_ts", _SKEW_MS), plus_millis("end_ts", -_SKEW_MS)
    )
    found = (
        silent.join(own_epochs.unionByName(anywhere), inside)
        .groupBy("node_id", "start_ts", "end_ts", "evidence")
        .agg(F.count("_node").alias("without_line"))
    )
    return QUIET_TIMES.of(found.where((F.col("without_line") > 0) | (millis("end_ts", "start_ts") >= _QUIET_MS)))
