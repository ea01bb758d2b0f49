"""Whose clock wrote a stamp, and how far it was off: zones, skew and steps, from what the lines themselves prove.

A message sent from one node to another is printed by the sender before the receiver can print what it did with it; epoch
milliseconds inside a line were taken before it was printed. `clock_evidence` finds such pairs in the logs (Spark),
`clock_offsets` solves them (`replay.clock_network`, a few hundred numbers), `corrected` moves the stamps. Nothing is averaged, and
a stamp is moved only where its bounds exclude that its clock was right. Source: facts §6.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DoubleType, IntegerType, LongType, StringType, StructField, StructType, TimestampType

from replay.clock_network import MARGIN_MS, STEP_MS, Bound, Clock, Set, Solution, solved
from replay.errors import InputError
from replay.evidence import detail
from replay.schema import CLOCK_OFFSETS
from replay.windows import so_far

_HOUR_MS = 3_600_000
_LONGEST_STEP_MS = 2 * _HOUR_MS  # a jump back by more is an older file joined to a newer one
_SUMMER_GAP_MS = 300_000  # a jump back by an hour less so much is the end of daylight saving and a while without lines
_PROMPT_MS = 60_000  # `startTimeMs` and `lastFetchTimestamp` are printed at most this long after they were taken
_LINGER_MS = 25  # a record's CreateTime is that of its batch, which stays open so long (BatchAccumulator)
_SPAN_MS = 60_000  # pairs of so long a time are told by their two tightest


@dataclass(frozen=True)
class _Rule:
    """Why one line cannot have been printed before another: `causes` and `effects` name a line, the key that joins them, and its stamp.

    Keys and stamps are those of `_keys` and `_stamps`; `own` is the line's own stamp. `counts` says which of several lines of
    one clock with one key is taken: `first` (the key names one happening, whose effects may be printed again after a restart),
    `answer` (all causes came before the one effect: the last of them), `once` (the key may come again, as a topic's name does: none of
    several), `any` (no order: the last cause and the first effect).
    """

    name: str
    counts: str
    causes: tuple[tuple[str, str, str], ...]
    effects: tuple[tuple[str, str, str], ...]


_TOLD = ("leader_start", "follower_start", "leader_transition_skipped", "follower_transition_skipped", "isr_updated")
_REGISTERED = ("kraft_broker_registered", "kraft_broker_registered_new_incarnation")
_DECIDED = ("partition_state_online_with_leader", "replica_removed_from_isr")

_RULES = (
    # A node's own epoch milliseconds are taken before the line that prints them, some of them just before.
    _Rule("time_printed", "first",
          tuple((k, "event", "printed") for k in ("process_start_time", "raft_leader_hw_first", "isr_shrink")),
          tuple((k, "event", "own") for k in ("process_start_time", "raft_leader_hw_first", "isr_shrink"))),
    _Rule("time_printed_at_once", "first",
          tuple((k, "event", "own") for k in ("process_start_time", "raft_leader_hw_first")),
          tuple((k, "event", "printed_at_once") for k in ("process_start_time", "raft_leader_hw_first"))),
    # Releases that print no start time log that meta.properties is missing, then write it with the date.
    _Rule("meta_properties_written", "any", (("meta_properties", "node", "own"),), (("meta_properties_missing", "node", "own"),)),
    # A broker learns where the controller is, then registers; the controller's record and replay come before the answer.
    _Rule("registration_sent", "first", (("broker_registered", "own_incarnation", "registering"),),
          (("kraft_broker_registering", "incarnation", "own"), ("kraft_broker_registering_new_incarnation", "incarnation", "own"),
           *((prefix + k, "incarnation", "own") for k in _REGISTERED for prefix in ("", "active ")), ("record REGISTER_BROKER_RECORD", "incarnation", "written"))),
    _Rule("registration_answered", "first",
          (*(("active " + k, "incarnation", "own") for k in _REGISTERED), ("record REGISTER_BROKER_RECORD", "incarnation", "own")),
          (("broker_registered", "own_incarnation", "own"),)),
    _Rule("unfence_asked", "first", (("broker_unfenced", "own_session", "recovering"),),
          (("kraft_broker_unfence_granted", "session", "own"), ("record unfenced", "session", "written"))),
    _Rule("unfence_granted", "first", (("kraft_broker_unfence_granted", "session", "own"), ("record unfenced", "session", "own")),
          (("broker_unfenced", "own_session", "own"),)),
    _Rule("controller_registration_sent", "first", (("controller_acknowledged", "incarnation", "sending"),),
          (("kraft_controller_registered", "incarnation", "own"), ("active kraft_controller_registered", "incarnation", "own"),
           ("record REGISTER_CONTROLLER_RECORD", "incarnation", "written"))),
    _Rule("controller_registration_answered", "first",
          (("active kraft_controller_registered", "incarnation", "own"), ("record REGISTER_CONTROLLER_RECORD", "incarnation", "own")),
          (("controller_acknowledged", "incarnation", "own"),)),
    # Raft: a candidate asks for votes, its voters answer, the leader tells, its followers follow, the leader counts them.
    _Rule("raft_vote_asked", "first", (("raft Candidate", "raft_epoch_node", "own"),), (("raft_vote_decision", "vote", "own"),)),
    _Rule("raft_leader_known", "first", (("raft Leader", "raft_epoch", "own"),), (("raft Follower", "raft_epoch", "own"),)),
    _Rule("raft_leader_followed", "first", (("raft Follower", "raft_epoch_node", "own"),), (("raft_leader_hw_first", "votes_counted", "own"),)),
    # Not an order but an identity: whose clock the records of a Raft epoch carry.
    _Rule("raft_term", "any", (("record batch", "raft_epoch", "offset"),), (("raft Leader", "raft_epoch", "own"),)),
    # The active controller replays what it appends, before anyone can read it; brokers apply it later.
    _Rule("partition_created", "first", (("active kraft_partition_created", "partition_id", "own"),),
          (("kraft_partition_created", "partition_id", "own"), ("broker_partition_created", "partition_id", "own"))),
    _Rule("partition_recorded", "first", (("record partition", "state", "own"),),
          (("broker_partition_created", "first_state", "own"), *((k, "state", "own") for k in _TOLD))),
    _Rule("isr_recorded", "first", (("isr_updated", "state", "changing"),), (("record partition", "state", "written"), *((k, "state", "own") for k in _TOLD))),
    # ZooKeeper mode: a leader asks the controller for an ISR change; the controller decides, brokers hear of it, answer.
    _Rule("isr_asked", "once", (("isr_updated", "named_state", "changing"),), (("alter_partition_isr_updated", "named_state", "own"),)),
    _Rule("isr_written", "once", (("alter_partition_isr_updated", "named_state", "own"),), (("isr_updated", "named_state", "own"),)),
    _Rule("leader_decided", "once", tuple((k, "term", "own") for k in _DECIDED), (("leader_start", "term", "own"), ("follower_start", "term", "own"))),
    _Rule("leader_received", "once", tuple((k, "term", "own") for k in _DECIDED), (("broker_leader_and_isr_received", "term", "own"),)),
    _Rule("request_answered", "answer", (("broker_become_leader_done", "request", "own"), ("broker_become_follower_done", "request", "own")),
          (("controller_response_received", "response", "own"),)),
    # ZooKeeper: sessions by their id, znodes by their czxid, which is a broker's epoch too; their ctime is the server's clock.
    _Rule("session_asked", "first", (("zk_session_connected", "zk_session", "connecting"),), (("zookeeper_session_established", "zk_session", "own"),)),
    _Rule("session_granted", "first", (("zookeeper_session_established", "zk_session", "own"),), (("zk_session_connected", "zk_session", "own"),)),
    _Rule("session_refused", "first", (("zookeeper_session_invalid", "zk_session", "own"),), (("zk_session_expired", "zk_session", "own"),)),
    _Rule("znode_asked", "first", (("zk_znode_stat", "czxid", "creating"),), (("zk_znode_stat", "czxid", "ctime"),)),
    _Rule("znode_written", "first", (("zk_znode_stat", "czxid", "ctime"),), (("zk_znode_stat", "czxid", "own"),)),
    _Rule("broker_epoch_listed", "first", (("zk_znode_stat", "broker_epoch", "creating"),), (("controller_broker_epochs", "broker_epochs", "own"),)),
    _Rule("broker_listed", "once", (("zk_znode_created", "broker_created", "creating"),), (("controller_broker_change", "broker_added", "own"),)),
)  # fmt: skip

_KINDS = (
    "alter_partition_isr_updated", "broker_become_follower_done", "broker_become_leader_done", "broker_incarnation", "broker_leader_and_isr_received",
    "broker_partition_created", "broker_recovery", "broker_registered", "broker_unfenced", "broker_waiting_unfence", "controller_broker_change",
    "controller_broker_epochs", "controller_recorded", "controller_response_received", "dump_batch", "dump_metadata_record", "follower_start",
    "follower_transition_skipped", "isr_expand", "isr_shrink", "isr_updated", "kraft_broker_registered", "kraft_broker_registered_new_incarnation",
    "kraft_broker_registering", "kraft_broker_registering_new_incarnation", "kraft_broker_unfence_granted", "kraft_controller_registered",
    "kraft_controller_registration", "kraft_partition_created", "leader_start", "leader_transition_skipped", "meta_properties", "meta_properties_missing",
    "partition_state_online_with_leader", "process_start_time", "raft_leader_hw_first", "raft_transition", "raft_vote_decision", "replica_removed_from_isr",
    "zk_client_progress", "zk_connecting", "zk_session_connected", "zk_session_expired", "zk_znode_created", "zk_znode_stat",
    "zookeeper_session_established", "zookeeper_session_invalid",
)  # fmt: skip

_PARTITION_RECORDS = ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")
_RECORD = "type string, data struct<topicId:string, partitionId:int, partitionEpoch:int, incarnationId:string, brokerId:int, brokerEpoch:bigint, fenced:string>"

# Abbreviations that mean one offset only, in minutes, as `Date.toString` writes them into meta.properties.
_ABBREVIATIONS = {"UTC": 0, "GMT": 0, "WET": 0, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180, "MSK": 180, "JST": 540, "KST": 540, "EST": -300,
                  "EDT": -240, "CDT": -300, "MDT": -360, "MST": -420, "PDT": -420, "PST": -480}  # fmt: skip


def zone_named(text: str) -> str:
    """A time zone as Spark takes it: `UTC`, `+09:00` or a name of the IANA database; raises InputError for anything else."""
    said = text.strip()
    if said.upper() in ("Z", "UTC", "GMT"):
        return "UTC"
    offset = re.fullmatch(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?", said)
    if offset and int(offset[2]) <= 18 and int(offset[3] or 0) < 60:
        return f"{offset[1]}{int(offset[2]):02d}:{offset[3] or '00'}"
    try:
        return ZoneInfo(said).key
    except (KeyError, ValueError, OSError):
        raise InputError(f"{text}: no such time zone; give an offset like +09:00 or a name like Europe/Berlin") from None


# What `corrected` and `steps` need besides CLOCK_OFFSETS. `clock`: `lines` for a node's log lines, `records` for the CreateTime of the
# metadata records that it wrote as controller from `first_offset` on. `zone_from`: `given`, `printed` (by the node), `others` (as they
# have it), `assumed` (UTC). `last_ts`: the last line that is surely of the window before. A window but the first begins at `first_lines` of the files that show its begin, elsewhere after stamp `before`.
_FIRST_LINES = ArrayType(StructType([StructField("source_file", StringType()), StructField("line_number", LongType())]))
OFFSETS = StructType(
    [
        *CLOCK_OFFSETS.schema.fields,
        StructField("clock", StringType()),
        StructField("zone_from", StringType()),
        StructField("window", IntegerType()),
        StructField("before", LongType()),
        StructField("first_lines", _FIRST_LINES),
        StructField("first_offset", LongType()),
        StructField("step_ms", DoubleType()),
        StructField("last_ts", TimestampType()),
        StructField("evidence", ArrayType(StringType())),
    ]
)


def clock_evidence(events: DataFrame, timezone: str | None = None, node_timezones: Mapping[int, str] | None = None) -> DataFrame:
    """What the logs prove of their nodes' clocks: a few rows, for `clock_offsets`.

    `timezone` and `node_timezones` are zones that are known, by name or offset; else they are found. Raises InputError for no zone.
    """
    stamped = _stamped(events, timezone, node_timezones or {})
    lines = stamped.where(F.col("base").isin("n", "g"))
    turns = _turns(lines)
    bounds = _bounds(_pairs(_facts(_with_turn(stamped.where(F.col("kind").isin(*_KINDS)), turns))))
    files = lines.groupBy("node_id", "base", "source_file").agg(F.min_by("wall", "line_number").alias("first"), F.max("zone").alias("zone"))
    nodes = files.groupBy("node_id", "base").agg(F.min("first").alias("first"), F.max("zone").alias("zone")).join(turns, ["node_id", "base"], "left")
    return bounds.unionByName(nodes, allowMissingColumns=True)


# Lines and their turns.


def _is_log_line() -> Column:
    return F.col("template_id").isNotNull() | F.col("level").isNotNull()


def _zone_known(frame: DataFrame) -> Column:
    return F.coalesce(F.col("zone_known"), F.lit(False)) if "zone_known" in frame.columns else F.lit(False)


def _stamped(events: DataFrame, timezone: str | None, node_timezones: Mapping[int, str]) -> DataFrame:
    """The log lines, records and dates, with `base` (the letter of their clock), `zone` where it is known, and `wall`: epoch milliseconds.

    A stamp without a known zone is read as UTC; the missing zone is then part of its clock's offset.
    """
    zone = F.lit(zone_named(timezone) if timezone else None).cast("string")
    for node, name in node_timezones.items():
        zone = F.when(F.col("node_id") == node, F.lit(zone_named(name))).otherwise(zone)
    zone = F.when(_zone_known(events), F.lit("UTC")).otherwise(zone)
    base = F.when(_is_log_line(), F.when(zone.isNull(), "n").otherwise("g")).when(F.col("kind").startswith("dump_"), "r").when(F.col("kind") == "meta_properties", "m")
    stamp = F.when(F.col("base") == "g", F.to_utc_timestamp("raw_ts", F.coalesce("zone", F.lit("UTC")))).otherwise(F.col("raw_ts"))
    return (
        events.withColumns({"base": base, "zone": zone})
        .withColumn("wall", F.when(F.col("base") == "m", _date_written()).otherwise(F.unix_millis(stamp)))
        .where(F.col("base").isNotNull() & F.col("wall").isNotNull())
        .select(
            "node_id", "source_file", "line_number", "event_id", "kind", "topic", "topic_id", "partition", "broker_id", "leader_id", "leader_epoch",
            "partition_epoch", "controller_id", "controller_epoch", "broker_epoch", "details", "message", "raw_ts", "base", "zone", "wall",
        )
    )  # fmt: skip


def _date_written() -> Column:
    """The date in meta.properties, as epoch milliseconds: `#Sat Nov 21 07:01:50 UTC 2026`."""
    date = r"^#\w{3} (\w{3}) (\d\d) (\d\d:\d\d:\d\d) (\w+) (\d{4})$"
    minutes = F.from_json(F.lit(json.dumps(_ABBREVIATIONS)), "map<string,int>")
    local = F.try_to_timestamp(F.regexp_replace("message", date, "$5 $1 $2 $3"), F.lit("yyyy MMM dd HH:mm:ss"))
    return F.unix_millis(local) - minutes[F.regexp_extract("message", date, 4)] * 60_000


def _turns(lines: DataFrame) -> DataFrame:
    """`node_id, base, turns`: the times at which a node's clock was set back, as the order of the lines in its files shows.

    A line that stands too late, or one that came from the future, is told by the lines around it; an older file joined to a
    newer one by its size and by its end, which lies before the file's begin.
    """
    in_file = Window.partitionBy("source_file", "node_id", "base").orderBy("line_number")
    around = {
        "_last": F.lag("wall").over(in_file),
        "_one_before": F.lag("wall", 2).over(in_file),
        "_next": F.lead("wall").over(in_file),
        "_first": F.first("wall").over(in_file),
        "_end": F.last("wall").over(in_file.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)),
        "_last_event": F.lag("event_id").over(in_file),
    }
    back = (
        (F.col("_last") - F.col("wall")).between(STEP_MS, _LONGEST_STEP_MS)
        & (F.col("_last") - F.col("_next") >= STEP_MS)
        & (F.coalesce("_one_before", "_last") - F.col("wall") >= STEP_MS)
        & (F.col("_end") > F.col("_first"))
    )
    again = F.when((F.col("base") == "g") & _repeated(F.col("raw_ts"), F.col("zone")), _HOUR_MS).otherwise(0)
    jumps = (
        lines.select("node_id", "base", "source_file", "line_number", "wall", "event_id", "raw_ts", "zone")
        .withColumns(around)
        .where(back)
        .withColumn("_after", F.col("wall") + again)
    )
    by_node = Window.partitionBy("node_id", "base").orderBy("_last")
    new = F.coalesce(F.col("wall") > F.max("_last").over(by_node.rowsBetween(Window.unboundedPreceding, -1)), F.lit(True))
    return (
        jumps.withColumn("_new", F.when(new, 1).otherwise(0))
        .withColumn("_turn", F.sum("_new").over(so_far(by_node)))
        .groupBy("node_id", "base", "_turn")
        .agg(
            F.struct(
                F.max("_last").alias("before"),
                F.min("_after").alias("after"),
                F.sort_array(F.collect_list(F.struct("source_file", "line_number"))).alias("first_lines"),
                F.min_by(F.array("_last_event", "event_id"), "wall").alias("evidence"),
            ).alias("_turns")
        )
        .groupBy("node_id", "base")
        .agg(F.sort_array(F.collect_list("_turns")).alias("turns"))
    )


def _passed(turn: Column, source_file: Column, line_number: Column, wall: Column) -> Column:
    """Whether a line stands after a turn: by its place in a file that shows the turn, else by a stamp that only later lines have."""
    shown = F.array_min(F.filter(turn["first_lines"], lambda line: line["source_file"] == source_file))
    return F.coalesce(line_number >= shown["line_number"], wall > turn["before"])


def _with_turn(lines: DataFrame, turns: DataFrame) -> DataFrame:
    """`lines` with `turn`, how often their clock was set back before, and `own`: clock, time and name of the line.

    In a zone with a name, the hour that daylight saving repeats is read as its second pass after the turn.
    """
    source_file, line_number, wall = F.col("source_file"), F.col("line_number"), F.col("wall")
    passed = F.size(F.filter(F.col("turns"), lambda t: _passed(t, source_file, line_number, wall)))
    with_turn = lines.join(F.broadcast(turns), ["node_id", "base"], "left").withColumn("turn", F.when(F.col("turns").isNull(), 0).otherwise(passed))
    later = F.when((F.col("turn") > 0) & _repeated(F.col("raw_ts"), F.col("zone")), _HOUR_MS).otherwise(0)
    return with_turn.withColumn("wall", wall + later).withColumn(
        "own", F.struct(_clock("base", "node_id", "turn").alias("clock"), F.col("wall").alias("wall"), F.col("event_id").alias("event_id"))
    )


def _clock(base: str, node: str, turn: str) -> Column:
    return F.concat(F.col(base), F.col(node), F.lit("."), F.col(turn))


def _repeated(local: Column, zone: Column) -> Column:
    """Whether the local time comes twice in the zone, because its clocks are set back there; false where the zone is null."""
    named = F.coalesce(zone, F.lit("UTC"))
    an_hour_later = F.timestamp_micros(F.unix_micros(F.to_utc_timestamp(local, named)) + _HOUR_MS * 1000)
    return F.from_utc_timestamp(an_hour_later, named) == local


# Facts: who printed what first.


def _stamp(clock: Column, wall: Column) -> Column:
    return F.struct(clock.alias("clock"), wall.alias("wall"), F.col("event_id").alias("event_id"))


def _said(pattern: str, group: int = 1) -> Column:
    return F.nullif(F.regexp_extract("message", pattern, group), F.lit(""))


def _is(*kinds: str) -> Column:
    return F.col("kind").isin(*kinds)


def _facts(lines: DataFrame) -> DataFrame:
    """What the lines tell of causes and effects: `rule, key, cause, clock, wall, event_id`."""
    keys, stamps = _keys(), _stamps()
    names = {name: place for place, name in enumerate(keys)}, {name: place for place, name in enumerate(stamps)}
    uses: dict[str, list[dict[str, object]]] = {}
    for rule in _RULES:
        for side, cause in ((rule.causes, True), (rule.effects, False)):
            for what, key, stamp in side:
                uses.setdefault(what, []).append({"rule": rule.name, "cause": cause, "key": names[0][key], "stamp": names[1][stamp]})
    known = F.from_json(F.lit(json.dumps(uses)), "map<string,array<struct<rule:string,cause:boolean,key:int,stamp:int>>>")
    return (
        _with_memory(lines)
        .withColumns({"_uses": known[_what()], "_keys": F.array(*keys.values()), "_stamps": F.array(*stamps.values())})
        .select(F.explode("_uses").alias("_use"), "_keys", "_stamps")
        .select("_use.rule", "_use.cause", F.get("_keys", F.col("_use.key")).alias("key"), F.get("_stamps", F.col("_use.stamp")).alias("_stamp"))
        .where(F.col("key").isNotNull() & F.col("_stamp.wall").isNotNull())
        .select("rule", "cause", F.explode(F.split("key", " ")).alias("key"), "_stamp.*")
    )


def _with_memory(lines: DataFrame) -> DataFrame:
    """`lines` with what their node printed before, in its own order: it names what later lines leave out."""
    order = ("turn", "wall", "source_file", "line_number")
    own, by_node = F.col("own"), so_far(Window.partitionBy("node_id").orderBy(*order))
    by_partition = Window.partitionBy("node_id", "topic", "partition").orderBy(*order)

    def latest(when: Column, value: Column) -> Column:
        return F.last(F.when(when, value), ignorenulls=True).over(by_node)

    nothing = F.expr("named_struct('clock', cast(null as string), 'wall', cast(null as bigint), 'event_id', cast(null as string))")
    changing = F.when(_is("isr_shrink", "isr_expand"), own).when(_is("isr_updated", "leader_start", "follower_start"), nothing)
    connects = _is("zk_connecting", "zk_client_progress") & F.col("message").rlike("^(Opening socket connection|Socket connection established)")
    nth = F.count_if(F.col("record.type").isin(*_PARTITION_RECORDS)).over(so_far(by_partition))
    created = F.when(F.col("record.type") == "PARTITION_RECORD", F.coalesce("record.data.partitionEpoch", F.lit(0)) - F.col("_nth"))
    return (
        lines.withColumns(
            {
                "state": F.when(_is("raft_transition"), F.coalesce(detail("new_state"), detail("state"))),
                "record": F.when(_is("dump_metadata_record"), F.from_json("message", _RECORD)),
            }
        )
        .withColumns({"topic": F.coalesce("record.data.topicId", "topic"), "partition": F.coalesce("record.data.partitionId", "partition")})
        .withColumns(
            {
                "own_incarnation": latest(_is("broker_incarnation"), detail("incarnation_id")),
                # A request goes out after its channel has learnt where the controller is.
                "registering": latest(_is("broker_incarnation") | (_is("controller_recorded") & F.contains("message", F.lit("heartbeat"))), own),
                "registered": latest(_is("broker_registered"), F.col("broker_epoch")),
                "recovering": latest(_is("broker_recovery", "broker_waiting_unfence"), own),
                "leads": latest(_is("raft_transition"), F.startswith("state", F.lit("Leader"))),
                "sending": latest(_is("kraft_controller_registration") & F.contains("message", F.lit("attempting to send")), own),
                "connecting": latest(connects, own),
                "creating": latest(_is("zk_znode_created") & F.startswith("message", F.lit("Creating")), F.struct(detail("path").alias("path"), own.alias("own"))),
                "raft_epoch": latest(_is("dump_batch"), F.col("controller_epoch")),
                "uuid": F.last("topic_id", ignorenulls=True).over(so_far(by_partition)),
                "changing": F.last(changing, ignorenulls=True).over(by_partition.rowsBetween(Window.unboundedPreceding, -1)),
                "_nth": nth,
            }
        )
        .withColumn("record_epoch", F.last(created, ignorenulls=True).over(so_far(by_partition)) + F.col("_nth"))
    )


def _what() -> Column:
    """The kind of a line, told apart where its text or its writer's role makes a difference."""
    kind, type_ = F.col("kind"), F.col("record.type")
    unfenced = (type_ == "BROKER_REGISTRATION_CHANGE_RECORD") & (F.col("record.data.fenced") == "-1")
    return (
        F.when(_is("raft_transition"), F.concat(F.lit("raft "), F.regexp_extract("state", "^(Leader|Follower|Candidate)", 1)))
        .when(_is("dump_batch"), "record batch")
        .when(_is("dump_metadata_record"), F.concat(F.lit("record "), F.when(type_.isin(*_PARTITION_RECORDS), "partition").when(unfenced, "unfenced").otherwise(type_)))
        .when(_is("kraft_controller_registration"), F.when(F.contains("message", F.lit("acknowledged")), "controller_acknowledged"))
        .when(_is(*_REGISTERED, "kraft_controller_registered", "kraft_partition_created") & F.col("leads"), F.concat(F.lit("active "), kind))
        .otherwise(kind)
    )


def _keys() -> dict[str, Column]:
    """What joins causes and effects; null where the line does not have it, several with blanks between."""
    path_told = F.col("creating.path") == detail("path")
    broker = F.nullif(F.regexp_extract(detail("path"), r"^/brokers/ids/(\d+)$", 1), F.lit(""))
    czxid = F.when(_is("zk_znode_stat") & path_told, F.get(F.split(detail("stat"), ","), F.lit(0)))
    state = F.col("state")
    raft_epoch = F.coalesce(F.nullif(F.regexp_extract(state, r"\bepoch=(\d+)", 1), F.lit("")), F.when(_is("dump_batch"), F.col("controller_epoch").cast("string")))
    acknowledged = r"ReplicaState\((?:nodeId=|replicaKey=ReplicaKey\(id=)(\d+)(?:(?!ReplicaState).)*?hasAcknowledgedLeader=true"
    counted = F.when(_is("raft_leader_hw_first"), F.transform(F.regexp_extract_all("message", F.lit(acknowledged)), lambda voter: _key(detail("epoch"), voter)))
    created = r"-(\d+) with topic ID ([\w-]{22})"
    own_uuid = F.coalesce(F.when(F.col("base") == "r", F.col("topic")), F.col("uuid"))
    of_leader_and_isr = F.upper(F.replace(detail("api"), F.lit("_"), F.lit(""))).contains("LEADERANDISR")
    added = detail("new_brokers")
    return {
        "event": F.col("event_id"),
        "node": F.col("node_id").cast("string"),
        "own_incarnation": F.col("own_incarnation"),
        "incarnation": F.coalesce(
            detail("incarnation_id"),
            F.col("record.data.incarnationId"),
            F.when(_is(*_REGISTERED, "kraft_controller_registered"), _said(r"incarnationId=([\w-]+)")),
        ),
        "own_session": _key("node_id", "registered"),
        "session": F.coalesce(_key("broker_id", detail("register_broker_record_offset")), _key("record.data.brokerId", "record.data.brokerEpoch")),
        "raft_epoch": raft_epoch,
        "raft_epoch_node": _key(raft_epoch, "node_id"),
        "vote": F.when(_is("raft_vote_decision") & (detail("vote_result") == "granted"), _key(detail("candidate_epoch"), _said(r"candidateId=(\d+)"))),
        "votes_counted": F.array_join(counted, " "),
        "partition_id": F.when(_is("kraft_partition_created"), _key(_said(created, 2), _said(created, 1))).otherwise(_key("topic_id", "partition")),
        "first_state": _key("topic_id", "partition", F.lit(0)),
        "state": _key(own_uuid, "partition", F.coalesce("record_epoch", "partition_epoch")),
        "named_state": _key("topic", "partition", "partition_epoch"),
        "term": F.when(F.coalesce(F.col("leader_id") >= 0, F.lit(True)), _key("topic", "partition", "leader_epoch")),
        "request": _key("controller_id", "controller_epoch", "node_id", detail("correlation_id")),
        "response": F.when(
            of_leader_and_isr, _key("controller_id", "controller_epoch", F.regexp_extract(detail("broker_node"), r"id: (\d+)", 1), detail("correlation_id"))
        ),
        "zk_session": F.lower(detail("session_id")),
        "czxid": czxid,
        "broker_epoch": _key(broker, czxid),
        "broker_epochs": F.array_join(F.transform(F.regexp_extract_all(detail("broker_epochs"), F.lit(r"(\d+ -> \d+)")), lambda e: F.replace(e, F.lit(" -> "), F.lit(":"))), " "),
        "broker_created": F.when(F.startswith("message", F.lit("Result of znode creation")) & (detail("code") == "OK") & path_told, broker),
        "broker_added": F.when(added.rlike(r"^\d+$"), added),
    }


def _key(*parts: Column | str) -> Column:
    """The parts with `:` between them; null if one is."""
    columns = [F.col(p) if isinstance(p, str) else p for p in parts]
    return F.concat(*[part for c in columns for part in (c.cast("string"), F.lit(":"))][:-1])


def _stamps() -> dict[str, Column]:
    """The times that a line tells of: its own, of its node's line before it, or one that its text prints."""
    own = F.when(F.col("base") == "r", _stamp(F.concat(F.lit("r"), "raft_epoch"), F.col("wall"))).when(
        F.col("base") == "m", _stamp(F.concat(F.lit("m"), "node_id"), F.col("wall"))).otherwise(F.col("own"))  # fmt: skip

    def newest(name: str) -> Column:
        return F.array_max(F.transform(F.regexp_extract_all("message", F.lit(name + r"[:=] ?(\d{13})")), lambda ms: ms.cast("bigint")))

    at_once = F.when(_is("process_start_time"), detail("start_time_ms").try_cast("bigint")).when(_is("raft_leader_hw_first"), newest("lastFetchTimestamp"))
    printed = F.coalesce(at_once, F.when(_is("isr_shrink"), newest("lastCaughtUpTimeMs")))
    by_itself = F.concat(F.lit("e"), "node_id")
    return {
        "own": own,
        "registering": F.col("registering"),
        "recovering": F.col("recovering"),
        "sending": F.col("sending"),
        "connecting": F.col("connecting"),
        "creating": F.col("creating.own"),
        "changing": F.col("changing"),
        "printed": _stamp(by_itself, F.when(printed > 0, printed)),
        "printed_at_once": _stamp(by_itself, F.when(at_once > 0, at_once + _PROMPT_MS)),
        "ctime": _stamp(F.lit("z"), F.get(F.split(detail("stat"), ","), F.lit(2)).try_cast("bigint")),
        # In place of a time minus the offset, so that the last of a term is its first offset.
        "offset": _stamp(F.concat(F.lit("r"), "raft_epoch"), -detail("offset").try_cast("bigint")),
        "written": _stamp(F.concat(F.lit("r"), "raft_epoch"), F.col("wall") + _LINGER_MS),
    }


# Pairs, edges, shortest paths.


def _pairs(facts: DataFrame) -> DataFrame:
    """One row a cause and an effect on two clocks: `rule, key, a, b, a_wall, b_wall, delay, a_event, b_event`.

    `delay` bounds clock b − clock a from above; a stamp is cut to its millisecond, so one is added.
    """
    counts = F.from_json(F.lit(json.dumps({rule.name: rule.counts for rule in _RULES})), "map<string,string>")[F.col("rule")]
    stamp = F.struct("wall", "clock", "event_id")
    alone = (counts == "once") | ((counts == "first") & F.col("cause"))
    one = (
        facts.repartition("key")
        .groupBy("rule", "key", "cause", "clock")
        .agg(F.min(stamp).alias("_first"), F.max(stamp).alias("_last"), F.count("*").alias("_times"))
        .where(~alone | (F.col("_first.wall") == F.col("_last.wall")))
        .where(counts.isin("first", "any") | (F.col("cause") & (counts == "answer")) | (F.col("_times") == 1))
        .withColumn("_stamp", F.when(counts.isin("answer", "any") & F.col("cause"), F.col("_last")).otherwise(F.col("_first")))
    )
    sides = one.groupBy("rule", "key").agg(
        F.collect_list(F.when(F.col("cause"), F.col("_stamp"))).alias("_causes"), F.collect_list(F.when(~F.col("cause"), F.col("_stamp"))).alias("_effects")
    )
    return (
        sides.where((F.size("_causes") == 1) | (counts != "once"))
        .select("rule", "key", F.explode("_causes").alias("_a"), "_effects")
        .select("rule", "key", "_a", F.explode("_effects").alias("_b"))
        .where(F.col("_a.clock") != F.col("_b.clock"))
        .select(
            "rule", "key", F.col("_a.clock").alias("a"), F.col("_b.clock").alias("b"), F.col("_a.wall").alias("a_wall"), F.col("_b.wall").alias("b_wall"),
            (F.col("_b.wall") - F.col("_a.wall") + 1).alias("delay"), F.col("_a.event_id").alias("a_event"), F.col("_b.event_id").alias("b_event"),
        )
    )  # fmt: skip


def _bounds(pairs: DataFrame) -> DataFrame:
    """The pairs of each direction between two clocks, by spans of time: the two tightest, how many, and where they stand."""
    by_id = F.col("rule").isin(*[rule.name for rule in _RULES if rule.counts == "first"])
    return (
        pairs.withColumns({"same": F.col("rule") == "raft_term", "_span": F.floor(F.col("a_wall") / _SPAN_MS)})
        .groupBy("same", "a", "b", "_span")
        .agg(
            F.slice(F.sort_array(F.collect_list(F.col("delay").cast("double"))), 1, 2).alias("tightest"),
            F.count("*").alias("pairs"),
            F.bool_or(by_id).alias("sure"),
            F.max(F.col("b_wall") % 1_000).alias("fraction"),
            F.min(F.struct("delay", "a_wall", "b_wall", "a_event", "b_event")).alias("at"),
        )
        .drop("_span")
    )


# The solution, laid out by node and time.


def clock_offsets(evidence: Iterable[Row]) -> list[dict[str, object]]:
    """Rows of `OFFSETS`: each clock between two times it was set, its zone, its bounds against the reference, and what is taken off its stamps.

    `evidence` is the collected `clock_evidence`. Where no pair tells of the time after a clock was set back, the jump in its file is
    all that is known of it. A window begins at its first stamp, by the reference clock.
    """
    rows = list(evidence)
    terms = {row["a"]: ("r" + _owner(row["b"]), -row["at"]["a_wall"]) for row in rows if row["same"]}
    told = [row for row in rows if row["same"] is False]
    coarse = {ends for ends in {(row["a"], row["b"]) for row in told} if not any(row["fraction"] for row in told if (row["a"], row["b"]) == ends)}
    solution = solved(_bound(row, {clock: owner for clock, (owner, _) in terms.items()}, (row["a"], row["b"]) in coarse) for row in told)
    reference = int(_owner(solution.reference)) if solution.reference else None
    offsets = []
    for node in (row for row in rows if row["base"] is not None):
        offsets += _laid_out(_windows(node, solution.sets), node, solution, reference)
    for owner, first_offset in sorted(terms.values(), key=lambda term: term[1]):
        clock = solution.clocks.get(owner, Clock(0.0, "printed", None, None))
        offsets.append(_offset(int(_owner(owner)), "records", "UTC", clock, _correction(clock), reference) | {"window": 0, "first_offset": first_offset})
    return offsets


def _owner(clock: str) -> str:
    return re.sub(r"^[a-z](-?\d*).*$", r"\1", clock)


def _bound(row: Row, owners: Mapping[str, str], coarse: bool) -> Bound:
    """A row of the evidence; where all stamps of the effect are whole seconds, they may have been cut to seconds."""
    at = row["at"]
    tightest = tuple(delay + (999 if coarse else 0) for delay in row["tightest"])
    a, b = owners.get(row["a"], row["a"]), owners.get(row["b"], row["b"])
    return Bound(a, b, tightest, row["pairs"], row["sure"], at["a_wall"], at["b_wall"], at["a_event"], at["b_event"])


@dataclass(frozen=True)
class _Window:
    """A clock between two times it was set: its name, its first stamp, the last one of before, and where it begins (nowhere special for the first)."""

    clock: str
    first: int
    last: int | None = None
    before: int | None = None
    first_lines: tuple[tuple[str, int], ...] | None = None
    jump: int = 0
    evidence: tuple[str, ...] = ()


def _windows(node: Row, sets: tuple[Set, ...]) -> list[_Window]:
    """The windows of one node: between the turns that its files show, and the sets that only other nodes' lines show."""
    name = f"{node['base']}{node['node_id']}"
    windows = [_Window(f"{name}.0", node["first"])]
    for number, turn in enumerate(node["turns"] or (), start=1):
        shown = tuple((line["source_file"], line["line_number"]) for line in turn["first_lines"])
        windows.append(_Window(f"{name}.{number}", turn["after"], turn["before"], turn["before"], shown, min(0, turn["after"] - turn["before"]), tuple(turn["evidence"])))
    whole = []
    for window in windows:
        later = sorted((s for s in sets if s.clock.partition("+")[0] == window.clock), key=lambda s: s.before)
        whole += [window, *(_Window(s.then, int(s.after), int(s.before), int((s.before + s.after) / 2), window.first_lines, 0, s.evidence) for s in later)]
    return whole


def _laid_out(windows: list[_Window], node: Row, solution: Solution, reference: int | None) -> list[dict[str, object]]:
    given = node["base"] == "g"
    unknown = Clock(solution.common_zone_ms or 0.0, "assumed" if solution.common_zone_ms is None else "others", None, None)
    offsets: list[dict[str, object]] = []
    last = Clock(0.0, "", None, None)
    correction = off_before = 0.0
    for number, window in enumerate(windows):
        clock = solution.clocks.get(window.clock, unknown)
        clock = replace(clock, zone_ms=0.0, zone_from="given") if given else clock
        if not number or (clock.low is not None and clock.high is not None):
            correction = _correction(clock)
        elif _HOUR_MS - _SUMMER_GAP_MS <= -window.jump <= _HOUR_MS:
            clock = replace(clock, zone_ms=last.zone_ms - _HOUR_MS)
        else:
            correction = off_before + window.jump - clock.zone_ms
        last, off = clock, clock.zone_ms + correction
        start = _moment(window.first - off)
        if offsets:
            offsets[-1]["end_ts"] = start
        offsets.append(
            _offset(node["node_id"], "lines", node["zone"] if given else _zone_text(clock.zone_ms), clock, correction, reference)
            | {"start_ts": start, "window": number, "before": window.before, "first_lines": _lines(window), "evidence": list(window.evidence)}
            | {"step_ms": off - off_before if number else None, "last_ts": None if window.last is None else _moment(window.last - off_before)}
        )
        off_before = off
    return offsets


def _moment(ms: float) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=ms)


def _lines(window: _Window) -> list[dict[str, object]] | None:
    return None if window.first_lines is None else [{"source_file": file, "line_number": line} for file, line in window.first_lines]


def _correction(clock: Clock) -> float:
    """What to take off: the middle of the bounds, or the only one, if they exclude that the clock was right."""
    if not ((clock.low is not None and clock.low > MARGIN_MS) or (clock.high is not None and clock.high < -MARGIN_MS)):
        return 0.0
    return (clock.low + clock.high) / 2 if clock.low is not None and clock.high is not None else next(b for b in (clock.low, clock.high) if b is not None)


def _offset(node_id: int | None, clock_of: str, zone: str, clock: Clock, correction: float, reference: int | None) -> dict[str, object]:
    """A row of `OFFSETS`, but for its window."""
    return {
        "node_id": node_id, "clock": clock_of, "zone": zone, "zone_from": clock.zone_from, "offset_low_ms": clock.low, "offset_high_ms": clock.high,
        "correction_ms": correction, "reference_node_id": reference,
    }  # fmt: skip


def _zone_text(ms: float) -> str:
    minutes = round(abs(ms) / 60_000)
    return "UTC" if minutes == 0 else f"{'-' if ms < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def corrected(events: DataFrame, offsets: DataFrame) -> DataFrame:
    """`events` with `ts` in UTC by the reference clock; `raw_ts` stays as printed.

    `offsets` is what `clock_offsets` returned, as `OFFSETS`. A line of an unknown node is read in the zone of most nodes; a metadata record is
    moved by what its controller's clock was off; checkpoint files have no clock.
    """
    window = F.struct("window", "before", "first_lines", "zone", "correction_ms", (F.col("zone_from") == "given").alias("given"))
    by_node = offsets.where(F.col("clock") == "lines").groupBy("node_id").agg(F.sort_array(F.collect_list(window)).alias("_windows"))
    of_all = offsets.agg(
        F.sort_array(F.collect_list(F.when(F.col("clock") == "records", F.struct("first_offset", "correction_ms")))).alias("_terms"),
        F.mode(F.when(F.col("clock") == "lines", F.col("zone")), deterministic=True).alias("_most"),
    )
    known, source_file, line_number = _zone_known(events), F.col("source_file"), F.col("line_number")
    zone = F.when(known, "UTC").otherwise(F.when(F.get("_windows", F.lit(0))["given"], F.get("_windows", F.lit(0))["zone"]))
    wall = F.unix_millis(F.when(zone.isNull(), F.col("raw_ts")).otherwise(F.to_utc_timestamp("raw_ts", F.coalesce(zone, F.lit("UTC")))))
    passed = F.filter("_windows", lambda w: (w["window"] == 0) | _passed(w, source_file, line_number, wall))
    said = F.when(known, "UTC").otherwise(F.coalesce("_window.zone", "_most", F.lit("UTC")))
    again = F.when((F.col("_window.window") > 0) & _repeated(F.col("raw_ts"), said), _HOUR_MS * 1000).otherwise(0)
    of_line = F.unix_micros(F.to_utc_timestamp("raw_ts", said)) + again - F.coalesce(F.col("_window.correction_ms"), F.lit(0.0)) * 1000
    offset = detail("offset").try_cast("bigint")
    term = F.try_element_at(F.filter("_terms", lambda t: t["first_offset"] <= offset), F.lit(-1))
    of_record = F.unix_micros("raw_ts") - F.coalesce(term["correction_ms"], F.lit(0.0)) * 1000
    ts = F.when(_is_log_line(), of_line).when(F.startswith("kind", F.lit("dump_")), of_record)
    return (
        events.join(F.broadcast(by_node), "node_id", "left")
        .crossJoin(F.broadcast(of_all))
        .withColumn("_window", F.try_element_at(passed, F.lit(-1)))
        .withColumn("ts", F.coalesce(F.timestamp_micros(ts.cast("bigint")), "ts"))
        .select(*events.columns)
    )


def steps(offsets: DataFrame) -> DataFrame:
    """The times at which a clock was set: `node_id, last_ts, ts, step_ms, cause, zone, evidence` (F21), after `last_ts` and by `ts`; `step_ms` below 0 where it was set back.

    `cause` is `daylight_saving` for a step of whole half hours, else `clock_set`. `offsets` is what `clock_offsets` returned, as `OFFSETS`.
    """
    half_hours = F.round(F.col("step_ms") / (_HOUR_MS / 2))
    by_rule = (half_hours != 0) & (F.abs(F.col("step_ms") - half_hours * (_HOUR_MS / 2)) <= 2 * STEP_MS)
    return offsets.where((F.col("clock") == "lines") & (F.abs("step_ms") >= STEP_MS)).select(
        "node_id", "last_ts", F.col("start_ts").alias("ts"), "step_ms", F.when(by_rule, "daylight_saving").otherwise("clock_set").alias("cause"), "zone", "evidence"
    )
