"""The lives of each node's process, as its own files tell: when it started, when it was last heard of, and how it
ended.

An ordered stop announces itself; a kill, an out-of-memory kill and a power loss leave nothing but the next start
(kafka-log-formats §8.12).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from replay.brokers.second_processes import refused_by_controllers
from replay.columns.events import detail
from replay.columns.times import millis, plus_millis
from replay.columns.windows import before, so_far

STARTS = ("process_start_line", "process_signal_registered", "controller_process_starting", "broker_starting")
_FIRST_LINES = (
    "process_start_line",
    "process_signal_registered",
)  # from 1.1 on the other lines of a start come after one of these
STOPS = (
    "process_signal",
    "broker_shutdown_begin",
    "broker_shutting_down",
    "controller_process_shutdown_begin",
    "broker_controlled_shutdown_begin",
)
STOPPED = ("broker_shutdown_done",)
GAVE_UP = ("broker_controlled_shutdown_gave_up",)
FATAL = (
    "process_fatal_exit",
    "process_startup_failed",
    "log_dirs_all_failed",
    "broker_halt_io_error",
    "broker_halt_dir_offline",
    "log_dir_failure_fatal",
    "fetch_truncation_not_allowed",
    "fault_fatal",
    "broker_offline_dir_unreported",
)
UNCLEAN_START = ("log_dir_unclean_shutdown",)
CLEAN_START = ("log_dir_clean_shutdown",)
# Lines that only a starting process prints, some time after its first ones: where these are missing they show that it
# started anew.
_SHOWS_A_START = (*UNCLEAN_START, *CLEAN_START)
STARTED = ("broker_started",)  # the last line of a start, however long it took
STOP_GRANTED = ("controller_controlled_shutdown_begin", "kraft_controlled_shutdown_granted")
# What the shipped configuration writes to files of its own: it goes on as it was, or is silent, whatever becomes of
# the process (kafka-log-formats §2).
_IN_OTHER_FILES = r"^(kafka\.controller\.|org\.apache\.kafka\.controller\.|state\.change\.logger|kafka\.request\.logger|kafka\.authorizer\.logger|(kafka\.log|org\.apache\.kafka\.storage\.internals\.log)\.LogCleaner)"
# Lines of a ZooKeeper that writes into the broker's file, and of a client that asks for ZooKeeper before the broker
# is started, as container images do.
_OF_ZOOKEEPER = r"^zookeeper_"
_OF_ANY_CLIENT = r"^(zookeeper|zk|process|gc|jvm|housekeeping)_|^config_(dump|deprecated|warning)"
_SHOWN_WITHIN_MS = 60_000
_STOP_LASTS_MS = 600_000
_GRANTED_AFTER_LAST_LINE_MS = 1_000  # clocks differ: the last line may stand this much after the grant
_START_LASTS_MS = 30_000  # the lines of one start stand within this
_STOPS_ITSELF_MS = 60_000  # the steps of a shutdown that a fatal error begins are no ordered stop
# A start that gave up for one of these found another process in its place: it says nothing of the end of the life
# before it, which may go on.
_HELD_BY_ANOTHER = r"Failed to acquire lock on file \.lock|Address already in use|DUPLICATE_BROKER_REGISTRATION"
_RESTART_TAKES_MS = 1_000  # a line that stands twice within this was written to two files


def _said() -> Column:
    """The message of a line, the exception under it, and the innermost cause of that."""
    caused_by = F.concat(F.lit("caused by "), detail("caused_by"))
    return F.concat_ws("; ", F.concat_ws(": ", "message", detail("exception")), caused_by)


def processes(events: DataFrame, missing_lines: DataFrame | None = None) -> DataFrame:
    """One row a life of a node's process:

    - `node_id, life`
    - `start_ts, start_event`: null if it ran before the files begin
    - `last_ts, last_event`: its last line
    - `stop_ts, stop_event`: a clean shutdown was begun
    - `ended`: `stopped`; `stopped_unseen` (the next life found the mark of a clean shutdown, but no line of it is here);
      `fatal`; `killed`; or null. Null means that it runs at the end of its files, that they end and nothing tells why,
      or that the next start found another process in its place.
    - `fatal_event, fatal_said`: its message and exception
    - `next_start_ts, next_start_event`, `recovered_event` (the next life found no such mark), `clean_event`

    A life whose end lies where lines of its node are missing (`replay.brokers.missing_lines`) may have been stopped
    in them: unless the next one finds that it was not, nobody knows. Nor does the start of a broker of another cluster
    tell how this one's ended. What only a ZooKeeper client or server prints
    before the first start is no life: container images ask for ZooKeeper first. Lines of no known node are in no
    life: where several nodes wrote into one file, what stands between two lines of a node may be another's. A life
    begins with a line of `STARTS`. The others that follow at once belong to it, but the same line again begins the
    next life: a process may be killed as it starts, over and over. Where the lines of a start are missing, what only
    a starting process prints shows it; files that begin amid the lines of a start hold no life before it. A node of
    which no line of server.log is here has no row: neither a start nor an end of it is in its other files. A stop is
    also told by the controller that granted it.
    """
    lives = _in_lives(_own_lines(events))
    ends = _with_gaps(_with_stops_granted(_each_life(lives), events), missing_lines)
    return _with_next_life(ends).drop("_granted", "_holes", "_next_start", "_cluster")


def _own_lines(events: DataFrame) -> DataFrame:
    """The lines of nodes of which some of server.log are here, with whether the first lines of starts are printed."""
    printing = F.broadcast(
        events.agg(F.coalesce(F.bool_or(F.col("kind").isin(*_FIRST_LINES)), F.lit(False)).alias("_prints_first_lines"))
    )
    own = events.where(
        F.col("node_id").isNotNull()
        & F.col("ts").isNotNull()
        & F.col("logger").isNotNull()
        & ~F.col("kind").rlike(_OF_ZOOKEEPER)
    ).crossJoin(printing)
    serves = F.max(~F.col("logger").rlike(_IN_OTHER_FILES)).over(Window.partitionBy("node_id"))
    return own.withColumn("_serves", serves).where("_serves").drop("_serves")


def _lines_of_node() -> WindowSpec:
    return Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")


def _starting() -> Column:
    return F.col("kind").isin(*STARTS)


def _stopping() -> Column:
    """A broker that is the controller grants its own stop."""
    own_grant = F.col("kind").isin(*STOP_GRANTED) & F.coalesce(F.col("broker_id") == F.col("node_id"), F.lit(False))
    return F.col("kind").isin(*STOPS) | own_grant


def _in_lives(own: DataFrame) -> DataFrame:
    """Each line with the life that it belongs to."""
    node = _lines_of_node()
    last_start = F.max(F.when(_starting(), F.col("ts"))).over(before(node))
    stop_since = F.max(F.when(_stopping(), F.col("ts"))).over(before(node))
    since_start = millis(F.col("ts"), last_start)
    first_start = last_start.isNull() & ~F.coalesce(_amid_a_start(), F.lit(False))
    apart = F.coalesce(_started_unseen(), F.lit(False)) | _starting() & F.coalesce(
        first_start | (since_start > _START_LASTS_MS) | (stop_since > last_start), F.lit(False)
    )
    first_line = F.last(F.when(F.col("_apart"), F.col("kind")), ignorenulls=True).over(before(node))
    at_first = F.coalesce(F.col("kind") == first_line, F.col("kind").isin(*_FIRST_LINES))
    again = _starting() & F.coalesce(at_first & (F.col("_since_start") > _RESTART_TAKES_MS), F.lit(False))
    return (
        own.withColumns({"_apart": apart, "_since_start": since_start, "_said": _said()})
        .withColumn("_new", F.col("_apart") | again)
        .withColumn("life", F.count_if("_new").over(so_far(node)).cast("int"))
    )


def _started_unseen() -> Column:
    """The line shows a start of which the first lines are missing.

    In a file that several nodes share only some lines of a start name their node: after a stop, or a start that was
    done, the end of a start is another one's.
    """
    node = _lines_of_node()
    shown = F.coalesce(F.col("kind").isin(*_SHOWS_A_START) | refused_by_controllers(), F.lit(False))
    shown_before = F.max(F.when(_starting() | shown, F.col("ts"))).over(before(node))
    is_done = F.col("kind").isin(*STARTED)
    step = F.when(_starting() | shown, F.lit("begun")).when(is_done, F.lit("done"))
    last_step = F.last(F.when(_stopping(), F.lit("stopping")).otherwise(step), ignorenulls=True).over(before(node))
    last_done = F.max(F.when(is_done, F.col("ts"))).over(before(node))
    done_anew = (
        is_done
        & last_step.isin("done", "stopping")
        & (last_done.isNull() | (millis(F.col("ts"), last_done) > _RESTART_TAKES_MS))
    )
    since_shown = millis(F.col("ts"), F.coalesce(shown_before, F.min("ts").over(before(node))))
    return done_anew | (shown & (since_shown > _SHOWN_WITHIN_MS))


def _amid_a_start() -> Column:
    """The files begin amid the lines of a start: its first ones are not here."""
    first_ts = F.min("ts").over(before(_lines_of_node()))
    return (
        F.col("_prints_first_lines")
        & ~F.col("kind").isin(*_FIRST_LINES)
        & (millis(F.col("ts"), first_ts) <= _START_LASTS_MS)
    )


def _each_life(lives: DataFrame) -> DataFrame:
    """A row a life, with its first and last lines, and those of its start and its end."""

    def first(which: tuple[str, ...] | Column, value: str | Column) -> Column:
        chosen = F.col("kind").isin(*which) if isinstance(which, tuple) else which
        return F.min_by(value, F.when(chosen, F.struct("ts", "line_number")))

    recovery = (F.col("kind") == "log_segment_recovery") & ~F.col("topic").eqNullSafe("__cluster_metadata")
    told = lives.groupBy("node_id", "life").agg(
        F.min(F.when(F.col("_new"), F.col("ts"))).alias("start_ts"),
        F.min_by("event_id", F.when(F.col("_new"), F.col("ts"))).alias("start_event"),
        F.min("ts").alias("first_ts"),
        F.max("ts").alias("last_ts"),
        F.max_by("event_id", F.struct("ts", "line_number")).alias("last_event"),
        F.bool_or(~F.col("kind").rlike(_OF_ANY_CLIENT)).alias("_of_kafka"),
        first(_stopping(), "ts").alias("stop_ts"),
        first(_stopping(), "event_id").alias("stop_event"),
        first(STOPPED, "event_id").alias("stopped_event"),
        first(GAVE_UP, "event_id").alias("gave_up_event"),
        first(FATAL, "event_id").alias("fatal_event"),
        first(FATAL, "ts").alias("fatal_ts"),
        first(FATAL, "_said").alias("fatal_said"),
        first(UNCLEAN_START, "event_id").alias("unclean_start_event"),
        first(CLEAN_START, "event_id").alias("clean_start_event"),
        F.max(F.when(recovery, F.col("event_id"))).alias("recovery_event"),
        first(("cluster_id",), detail("cluster_id")).alias("_cluster"),
    )
    return told.where(F.col("start_event").isNotNull() | F.col("_of_kafka")).drop("_of_kafka")


def _with_stops_granted(lives: DataFrame, events: DataFrame) -> DataFrame:
    """Each life with the times at which a controller granted a stop to its broker."""
    granted = (
        events.where(
            F.col("kind").isin(*STOP_GRANTED)
            & F.col("broker_id").isNotNull()
            & (F.col("broker_id") != F.col("node_id"))
        )
        .groupBy(F.col("broker_id").alias("node_id"))
        .agg(F.sort_array(F.collect_list("ts")).alias("_granted"))
    )
    return lives.join(F.broadcast(granted), "node_id", "left")


def _with_gaps(lives: DataFrame, missing_lines: DataFrame | None) -> DataFrame:
    """Each life with the times of which lines of its node are missing."""
    if missing_lines is None:
        return lives.withColumn("_holes", F.array().cast("array<struct<start_ts:timestamp,end_ts:timestamp>>"))
    holes = missing_lines.groupBy("node_id").agg(F.collect_list(F.struct("start_ts", "end_ts")).alias("_holes"))
    return lives.join(F.broadcast(holes), "node_id", "left")


def _of_next_life(column: str) -> Column:
    return F.lead(column).over(Window.partitionBy("node_id").orderBy("life"))


def _with_next_life(lives: DataFrame) -> DataFrame:
    """Each life with what the next one found, and how it ended."""
    recovered = F.coalesce(_of_next_life("unclean_start_event"), _of_next_life("recovery_event"))
    return lives.withColumn("_next_start", _of_next_life("start_ts")).withColumns(
        {
            "next_start_ts": _of_next_life("start_ts"),
            "next_start_event": _of_next_life("start_event"),
            "recovered_event": recovered,
            "clean_event": _of_next_life("clean_start_event"),
            "ended": _ended(recovered),
        }
    )


def _ended(recovered: Column) -> Column:
    """How a life ended; `recovered`: an event that shows that the next one found no mark of a clean stop."""
    fatal = F.col("fatal_event").isNotNull() & (
        F.col("stop_event").isNull() | millis("stop_ts", "fatal_ts").between(0, _STOPS_ITSELF_MS)
    )
    marked_clean = _of_next_life("clean_start_event").isNotNull() & recovered.isNull()
    until = F.coalesce(_of_next_life("start_ts"), plus_millis("last_ts", _STOP_LASTS_MS))
    stop_was_granted = recovered.isNull() & F.exists(
        "_granted", lambda ts: ts.between(plus_millis("last_ts", -_GRANTED_AFTER_LAST_LINE_MS), until)
    )
    in_a_gap = F.exists(
        "_holes", lambda hole: (hole["start_ts"] < F.col("_next_start")) & (hole["end_ts"] > F.col("last_ts"))
    )
    end_unseen = recovered.isNull() & F.coalesce(in_a_gap, F.lit(False))
    found_another = F.coalesce(_of_next_life("fatal_said").rlike(_HELD_BY_ANOTHER), F.lit(False))
    of_another_cluster = F.coalesce(_of_next_life("_cluster") != F.col("_cluster"), F.lit(False))
    return (
        F.when(fatal, "fatal")
        .when(F.col("stop_event").isNotNull(), "stopped")
        .when(marked_clean, "stopped_unseen")
        .when(stop_was_granted, "stopped_unseen")
        .when(_of_next_life("start_ts").isNotNull() & ~end_unseen & ~found_another & ~of_another_cluster, "killed")
    )
