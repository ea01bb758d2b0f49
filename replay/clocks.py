"""Whose clock wrote a stamp, and how far it was off: zones, skew and steps, from what the lines themselves prove.

A message sent from one node to another is printed by the sender before the receiver can print what it did with it. So every
such pair of lines bounds the difference of two clocks from one side, and the shortest paths over all pairs are the tightest
bounds that hold. A zone is an offset like any other; the epoch milliseconds that some lines print tell it apart. Nothing is
averaged, and a stamp is moved only where the bounds exclude that its clock was right. Source: facts §6.2.

A clock is named by a letter and its owner: `n3.0` the stamps of node 3 as printed, before its clock was first set back (`n3.1`
after), `g3.0` the same where the zone is known, `r3` the CreateTime of metadata records that controller 3 wrote, `z` the
ZooKeeper leader's stamps in znodes, `e3` the epoch milliseconds that node 3 prints in its lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from replay.errors import InputError
from replay.evidence import detail
from replay.windows import so_far

_QUARTER_MS = 900_000  # zones differ by multiples of 15 minutes
_HOUR_MS = 3_600_000
_MARGIN_MS = 100  # synchronised clocks differ by less; a smaller excess is no ground to move a stamp
_STEP_MS = 1_000  # threads may print out of order by less
_LONGEST_STEP_MS = 2 * _HOUR_MS  # a jump back by more is an older file joined to a newer one
_PROMPT_MS = 60_000  # `startTimeMs` and `lastFetchTimestamp` are printed at most this long after they were taken
_LINGER_MS = 25  # a record's CreateTime is that of its batch, which stays open so long (BatchAccumulator)
_MANY = 4  # of so many pairs the second tightest is taken, so that one wrong pair proves nothing


@dataclass(frozen=True)
class _Rule:
    """Why one line cannot have been printed before another: `causes` and `effects` name a line, the key that joins them, and its stamp.

    Keys and stamps are those of `_keys` and `_stamps`; `own` is the line's own stamp. `counts` says which of several lines of
    one clock with one key is taken: `first` (the key names one happening, whose effects may be printed again after a restart),
    `last` (every line with the key was printed before the answer), `once` (the key may come again, as a topic's name does: none).
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
    _Rule("meta_properties_written", "last", (("meta_properties", "node", "own"),), (("meta_properties_missing", "node", "own"),)),
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
    _Rule("raft_term", "last", (("record batch", "raft_epoch", "offset"),), (("raft Leader", "raft_epoch", "own"),)),
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
    _Rule("request_answered", "last", (("broker_become_leader_done", "request", "own"), ("broker_become_follower_done", "request", "own")),
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

_TURN = "before bigint, after bigint, first_lines array<struct<source_file:string,line_number:bigint>>, evidence array<string>"
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


def clock_offsets(events: DataFrame, timezone: str | None = None, node_timezones: Mapping[int, str] | None = None) -> DataFrame:
    """One row a clock and window: `CLOCK_OFFSETS`, and what `corrected` and `steps` need besides.

    `clock` is `lines` for a node's log lines, `records` for the CreateTime of the metadata records it wrote as controller;
    `zone_from` says how the zone is known (`given`, `printed`, `others`, `assumed`). Offsets are after the zone.
    """
    stamped = _stamped(events, timezone, node_timezones or {})
    lines = stamped.where(F.col("base").isin("n", "g"))
    turns = _turns(lines)
    told = _with_turn(stamped.where(F.col("kind").isin(*_KINDS)), turns)
    return _windows(lines, turns, _solved(_edges(_pairs(_facts(told)))))


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

    A jump back is told from one line out of order by the two lines on each side, and from an older file joined to a newer one
    by its size and by where it leads.
    """
    in_file = Window.partitionBy("source_file", "node_id", "base").orderBy("line_number")
    around = {
        "_before": F.least(F.lag("wall", 1).over(in_file), F.coalesce(F.lag("wall", 2).over(in_file), F.lag("wall", 1).over(in_file))),
        "_after": F.greatest("wall", F.coalesce(F.lead("wall").over(in_file), F.col("wall"))),
        "_last": F.lag("wall").over(in_file),
        "_first": F.first("wall").over(in_file),
        "_last_event": F.lag("event_id").over(in_file),
    }
    back = (F.col("_before") - F.col("_after")).between(_STEP_MS, _LONGEST_STEP_MS) & (F.col("wall") > F.col("_first"))
    jumps = lines.select("node_id", "base", "source_file", "line_number", "wall", "event_id").withColumns(around).where(back)
    by_node = Window.partitionBy("node_id", "base").orderBy("_last")
    new = F.coalesce(F.col("wall") > F.max("_last").over(by_node.rowsBetween(Window.unboundedPreceding, -1)), F.lit(True))
    return (
        jumps.withColumn("_new", F.when(new, 1).otherwise(0))
        .withColumn("_turn", F.sum("_new").over(so_far(by_node)))
        .groupBy("node_id", "base", "_turn")
        .agg(
            F.struct(
                F.max("_last").alias("before"),
                F.min("wall").alias("after"),
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
        .where((counts != "once") | (F.col("_times") == 1))
        .withColumn("_stamp", F.when((counts == "last") & F.col("cause"), F.col("_last")).otherwise(F.col("_first")))
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


def _edges(pairs: DataFrame) -> DataFrame:
    """The tightest bound of each direction between two clocks: `a, b, delay, pairs`, and `same` where a pair says whose clock a is.

    Of many pairs the second tightest counts; a few whose keys may come again count only if the other direction has some too.
    """
    by_id = F.col("rule").isin(*[rule.name for rule in _RULES if rule.counts != "once"])
    return (
        pairs.groupBy((F.col("rule") == "raft_term").alias("same"), "a", "b")
        .agg(F.slice(F.sort_array(F.collect_list("delay")), 1, 2).alias("_tightest"), F.count("*").alias("pairs"), F.bool_or(by_id).alias("sure"), (-F.max("a_wall")).alias("first_offset"))
        .select("same", "first_offset", "a", "b", F.get("_tightest", F.when(F.col("pairs") >= _MANY, 1).otherwise(0)).cast("double").alias("delay"), "pairs", "sure")
    )


# One expression a line; `i` and `j` are places in `ids`, an offset is clock j − clock i, and infinity stands for no bound.
_SOLUTION = (
    ("terms", "transform(filter(edges, e -> e.same), e -> struct(e.first_offset as first_offset, e.a as a, "
              "concat('r', regexp_extract(e.b, '([0-9]+)', 1)) as owner))"),
    ("edges", "transform(filter(edges, e -> not e.same), e -> struct(coalesce(get(filter(terms, t -> t.a = e.a), 0).owner, e.a) as a, "
              "coalesce(get(filter(terms, t -> t.a = e.b), 0).owner, e.b) as b, e.delay as delay, e.pairs as pairs, e.sure as sure))"),
    ("printed", "filter(edges, e -> left(e.a, 1) in ('e', 'm') or left(e.b, 1) in ('e', 'm'))"),
    ("edges", "filter(edges, e -> left(e.a, 1) not in ('e', 'm') and left(e.b, 1) not in ('e', 'm'))"),
    ("edges", "filter(edges, e -> e.sure or e.pairs > 2 or exists(edges, f -> f.a = e.b and f.b = e.a))"),
    ("ids", "array_sort(array_distinct(concat(transform(edges, e -> e.a), transform(edges, e -> e.b), "
            "transform(filter(printed, e -> left(e.b, 1) not in ('e', 'm')), e -> e.b))))"),
    ("places", "transform(ids, (id, i) -> i)"),
    ("bounds", "transform(ids, a -> transform(ids, b -> if(a = b, 0D, "
               "coalesce(array_min(transform(filter(edges, e -> e.a = a and e.b = b), e -> e.delay)), double('infinity')))))"),
    # Floyd and Warshall: each clock in turn as the way between two others.
    ("bounds", "aggregate(places, bounds, (d, k) -> transform(d, row -> zip_with(row, d[k], (direct, rest) -> least(direct, row[k] + rest))))"),
    ("sound", "transform(places, i -> bounds[i][i] > -{margin})"),
    ("zones", "transform(ids, id -> if(left(id, 1) in ('g', 'r', 'z'), 0D, round(coalesce("
              "array_min(transform(filter(printed, e -> e.b = id and left(e.a, 1) = 'e'), e -> e.delay)), "
              "array_min(transform(filter(printed, e -> e.b = id and left(e.a, 1) = 'm'), e -> e.delay))) / {quarter}) * {quarter}))"),
    ("common_zone", "array_max(transform(array_distinct(filter(zones, (z, i) -> z is not null and left(ids[i], 1) = 'n')), "
                    "z -> struct(size(filter(zones, (y, i) -> y = z and left(ids[i], 1) = 'n')) as times, z as zone))).zone"),
    ("by_others", "transform(places, j -> array_min(transform(filter(places, i -> zones[i] is not null and sound[i] and sound[j] "
                  "and bounds[i][j] + bounds[j][i] < {quarter}), i -> struct(bounds[i][j] + bounds[j][i] as width, "
                  "round(((bounds[i][j] - bounds[j][i]) / 2 + zones[i]) / {quarter}) * {quarter} as zone))).zone)"),
    ("zone_of", "transform(places, i -> coalesce(zones[i], by_others[i], get(zones, array_position(ids, regexp_replace(ids[i], '[.].*', '.0')) - 1), common_zone, 0D))"),
    ("skews", "transform(places, i -> transform(places, j -> bounds[i][j] - zone_of[j] + zone_of[i]))"),
    ("two_sided", "transform(places, i -> filter(places, j -> i <> j and sound[i] and sound[j] and skews[i][j] < double('infinity') and skews[j][i] < double('infinity')))"),
    ("agree", "transform(places, i -> size(filter(two_sided[i], j -> skews[i][j] >= -{margin} and skews[j][i] >= -{margin})))"),
    # The reference is the clock that most others agree with.
    ("reference", "array_max(transform(filter(places, i -> left(ids[i], 1) <> 'z'), i -> struct(zones[i] is not null and sound[i] as known, agree[i] as agree, "
                  "size(two_sided[i]) as two_sided, left(ids[i], 1) = 'r' as record, "
                  "aggregate(filter(edges, e -> e.a = ids[i] or e.b = ids[i]), 0L, (n, e) -> n + e.pairs) as pairs, -i as place)))"),
    ("reference", "-reference.place"),
    ("solved", "transform(places, i -> struct(ids[i] as clock, zone_of[i] as zone_ms, "
               "if(left(ids[i], 1) = 'g', 'given', if(zones[i] is not null, 'printed', 'others')) as zone_from, "
               "if(sound[i] and skews[i][reference] < double('infinity'), -skews[i][reference], null) as low, "
               "if(sound[i] and skews[reference][i] < double('infinity'), skews[reference][i], null) as high, "
               "cast(regexp_extract(ids[reference], '([0-9]+)', 1) as int) as reference_node_id))"),
)  # fmt: skip


def _solved(edges: DataFrame) -> DataFrame:
    """One row: `solved`, each clock's zone and its bounds against the reference, `terms`, where each controller's records begin, and
    `common_zone`, that of most nodes (milliseconds)."""
    one = edges.agg(F.collect_list(F.struct("same", "first_offset", "a", "b", "delay", "pairs", "sure")).alias("edges"))
    for name, expression in _SOLUTION:
        one = one.withColumn(name, F.expr(expression.format(margin=_MARGIN_MS, quarter=_QUARTER_MS)))
    return one.select("solved", "terms", "common_zone")


def _windows(lines: DataFrame, turns: DataFrame, solved: DataFrame) -> DataFrame:
    """One row a clock between two turns, with its zone and bounds, `CLOCK_OFFSETS` and more."""
    nodes = lines.groupBy("node_id", "base").agg(F.min("wall").alias("_first"), F.max("zone").alias("_zone")).join(turns, ["node_id", "base"], "left")
    unturned = F.expr(f"from_json('{{}}', '{_TURN}')")
    of_lines = (
        nodes.select("*", F.posexplode(F.concat(F.array(unturned), F.coalesce("turns", F.slice(F.array(unturned), 1, 0)))).alias("turn", "_turn"))
        .withColumns({"clock": F.lit("lines"), "_start": F.coalesce("_turn.after", "_first"), "_id": _clock("base", "node_id", "turn"), "first_offset": F.lit(None).cast("bigint")})
        .select("node_id", "clock", "turn", "_start", "_turn.*", "_zone", "_id", "first_offset")
    )
    of_records = f"transform(array_sort(terms), (t, k) -> named_struct('node_id', cast(substr(t.owner, 2) as int), 'clock', 'records', 'turn', k, " \
        f"'_start', cast(null as bigint), '_turn', from_json('{{}}', '{_TURN}'), '_zone', 'UTC', '_id', t.owner, 'first_offset', t.first_offset))"
    whole = F.struct("node_id", "clock", "turn", "_start", F.struct("before", "after", "first_lines", "evidence").alias("_turn"), "_zone", "_id", "first_offset")
    rows = of_lines.agg(F.collect_list(whole).alias("_lines")).crossJoin(F.broadcast(solved)).select(
        F.explode(F.concat("_lines", F.expr(of_records))).alias("_w"), "solved", "common_zone"
    )
    found = F.get(F.filter("solved", lambda s: s["clock"] == F.col("_w._id")), F.lit(0))
    return _laid_out(
        rows.withColumn("_s", found).select(
            "_w.*", "_s.low", "_s.high", "_s.zone_ms", "_s.zone_from", F.get("solved", F.lit(0))["reference_node_id"].alias("reference_node_id"), "common_zone"
        ).select("*", "_turn.*")
    )


def _laid_out(rows: DataFrame) -> DataFrame:
    """Corrections, and each window from its turn to the next.

    Where no pair tells of the time after a turn, the jump in the file is all that is known of it.
    """
    by_clock = Window.partitionBy("node_id", "clock", "_base").orderBy("turn")
    told = F.col("low").isNotNull() & F.col("high").isNotNull()
    sure = told | (F.col("turn") == 0) | (F.col("clock") == "records")
    low, high = (F.when(told, bound("low", "high")).otherwise(F.col(side)) + 0.0 for side, bound in (("low", F.least), ("high", F.greatest)))
    bound = F.when(told, (low + high) / 2).otherwise(F.coalesce(low, high))
    off = F.coalesce(low > _MARGIN_MS, F.lit(False)) | F.coalesce(high < -_MARGIN_MS, F.lit(False))
    jumps = F.sum(F.coalesce(F.col("after") - F.col("before"), F.lit(0)).cast("double")).over(so_far(by_clock))
    zone_ms = F.when(F.col("_base") == "g", 0.0).otherwise(F.coalesce("zone_ms", "common_zone", F.lit(0.0)))
    return (
        rows.withColumn("_base", F.left("_id", F.lit(1)))
        .withColumns(
            {
                "zone_ms": zone_ms,
                "zone_from": F.when(F.col("_base") == "g", "given").otherwise(F.coalesce("zone_from", F.when(F.col("common_zone").isNotNull(), "others"), F.lit("assumed"))),
                "_point": F.when(off, bound).otherwise(0.0),
                "_jumps": jumps,
            }
        )
        .withColumn("_known", F.last(F.when(sure, F.col("_point") + F.col("zone_ms") - F.col("_jumps")), ignorenulls=True).over(so_far(by_clock)))
        .withColumn("correction_ms", F.when(sure, F.col("_point")).otherwise(F.col("_known") + F.col("_jumps") - F.col("zone_ms")))
        .withColumn("start_ts", F.timestamp_millis((F.col("_start") - F.col("zone_ms") - F.col("correction_ms")).cast("bigint")))
        .withColumns(
            {
                "end_ts": F.lead("start_ts").over(by_clock),
                "zone": F.coalesce("_zone", _zone_text(F.col("zone_ms"))),
                "offset_low_ms": low,
                "offset_high_ms": high,
                "step_ms": F.col("correction_ms") + F.col("zone_ms") - F.lag(F.col("correction_ms") + F.col("zone_ms")).over(by_clock),
            }
        )
        .select(
            "node_id", "start_ts", "end_ts", "zone", "offset_low_ms", "offset_high_ms", "correction_ms", "reference_node_id",
            "clock", "zone_from", "turn", "before", "first_lines", "first_offset", "step_ms", "evidence",
        )
    )  # fmt: skip


def _zone_text(ms: Column) -> Column:
    minutes = F.round(F.abs(ms) / 60_000).cast("int")
    return F.when(ms == 0, "UTC").otherwise(F.format_string("%s%02d:%02d", F.when(ms < 0, "-").otherwise("+"), F.floor(minutes / 60).cast("int"), minutes % 60))


def corrected(events: DataFrame, offsets: DataFrame) -> DataFrame:
    """`events` with `ts` in UTC by the reference clock; `raw_ts` stays as printed.

    `offsets` is what `clock_offsets` returned. A line of an unknown node is read in the zone of most nodes; a metadata record is
    moved by what its controller's clock was off; checkpoint files have no clock.
    """
    window = F.struct("turn", "before", "first_lines", "zone", "correction_ms", (F.col("zone_from") == "given").alias("given"))
    by_node = offsets.where(F.col("clock") == "lines").groupBy("node_id").agg(F.sort_array(F.collect_list(window)).alias("_windows"))
    of_all = offsets.agg(
        F.sort_array(F.collect_list(F.when(F.col("clock") == "records", F.struct("first_offset", "correction_ms")))).alias("_terms"),
        F.mode(F.when(F.col("clock") == "lines", F.col("zone")), deterministic=True).alias("_most"),
    )
    known, source_file, line_number = _zone_known(events), F.col("source_file"), F.col("line_number")
    zone = F.when(known, "UTC").otherwise(F.when(F.get("_windows", F.lit(0))["given"], F.get("_windows", F.lit(0))["zone"]))
    wall = F.unix_millis(F.when(zone.isNull(), F.col("raw_ts")).otherwise(F.to_utc_timestamp("raw_ts", F.coalesce(zone, F.lit("UTC")))))
    passed = F.filter("_windows", lambda w: (w["turn"] == 0) | _passed(w, source_file, line_number, wall))
    said = F.when(known, "UTC").otherwise(F.coalesce("_window.zone", "_most", F.lit("UTC")))
    again = F.when((F.col("_window.turn") > 0) & _repeated(F.col("raw_ts"), said), _HOUR_MS * 1000).otherwise(0)
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
    """The times at which a clock was set: `node_id, ts, step_ms, cause, zone, evidence` (F21), `step_ms` below 0 where it was set back.

    `cause` is `daylight_saving` for a step of whole half hours, else `clock_set`. `offsets` is what `clock_offsets` returned.
    """
    half_hours = F.round(F.col("step_ms") / (_HOUR_MS / 2))
    by_rule = (half_hours != 0) & (F.abs(F.col("step_ms") - half_hours * (_HOUR_MS / 2)) <= 2 * _STEP_MS)
    return offsets.where((F.col("clock") == "lines") & (F.abs("step_ms") >= _STEP_MS)).select(
        "node_id", F.col("start_ts").alias("ts"), "step_ms", F.when(by_rule, "daylight_saving").otherwise("clock_set").alias("cause"), "zone", "evidence"
    )
