"""Who printed what: the keys that join two lines of one happening, and the stamps they bear."""

from __future__ import annotations

import json

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.clocks.happened_before import REGISTERED, RULES
from replay.columns.events import detail
from replay.columns.windows import so_far

_PROMPT_MS = 60_000  # `startTimeMs` and `lastFetchTimestamp` are printed at most this long after they were taken
_LINGER_MS = 25  # a record's CreateTime is that of its batch, which stays open so long (BatchAccumulator)
_PARTITION_RECORDS = ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")
_RECORD = "type string, data struct<topicId:string, partitionId:int, partitionEpoch:int, incarnationId:string, brokerId:int, brokerEpoch:bigint, fenced:string>"


def _stamp(clock: Column, wall: Column) -> Column:
    return F.struct(clock.alias("clock"), wall.alias("wall"), F.col("event_id").alias("event_id"))


def _said(pattern: str, group: int = 1) -> Column:
    return F.nullif(F.regexp_extract("message", pattern, group), F.lit(""))


def _is(*kinds: str) -> Column:
    return F.col("kind").isin(*kinds)


def facts_of(lines: DataFrame) -> DataFrame:
    """What the lines tell of causes and effects: `rule, key, cause, clock, wall, event_id`."""
    keys, stamps = keys_by_name(), stamps_by_name()
    names = {name: place for place, name in enumerate(keys)}, {name: place for place, name in enumerate(stamps)}
    uses: dict[str, list[dict[str, object]]] = {}
    for rule in RULES:
        for side, cause in ((rule.causes, True), (rule.effects, False)):
            for what, key, stamp in side:
                uses.setdefault(what, []).append(
                    {"rule": rule.name, "cause": cause, "key": names[0][key], "stamp": names[1][stamp]}
                )
    known = F.from_json(
        F.lit(json.dumps(uses)), "map<string,array<struct<rule:string,cause:boolean,key:int,stamp:int>>>"
    )
    return (
        _with_memory(lines)
        .withColumns({"_uses": known[_what()], "_keys": F.array(*keys.values()), "_stamps": F.array(*stamps.values())})
        .select(F.explode("_uses").alias("_use"), "_keys", "_stamps")
        .select(
            "_use.rule",
            "_use.cause",
            F.get("_keys", F.col("_use.key")).alias("key"),
            F.get("_stamps", F.col("_use.stamp")).alias("_stamp"),
        )
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

    nothing = F.expr(
        "named_struct('clock', cast(null as string), 'wall', cast(null as bigint), 'event_id', cast(null as string))"
    )
    changing = F.when(_is("isr_shrink", "isr_expand"), own).when(
        _is("isr_updated", "leader_start", "follower_start"), nothing
    )
    connects = _is("zk_connecting", "zk_client_progress") & F.col("message").rlike(
        "^(Opening socket connection|Socket connection established)"
    )
    nth = F.count_if(F.col("record.type").isin(*_PARTITION_RECORDS)).over(so_far(by_partition))
    created = F.when(
        F.col("record.type") == "PARTITION_RECORD", F.coalesce("record.data.partitionEpoch", F.lit(0)) - F.col("_nth")
    )
    return (
        lines.withColumns(
            {
                "state": F.when(_is("raft_transition"), F.coalesce(detail("new_state"), detail("state"))),
                "record": F.when(_is("dump_metadata_record"), F.from_json("message", _RECORD)),
            }
        )
        .withColumns(
            {
                "topic": F.coalesce("record.data.topicId", "topic"),
                "partition": F.coalesce("record.data.partitionId", "partition"),
            }
        )
        .withColumns(
            {
                "own_incarnation": latest(_is("broker_incarnation"), detail("incarnation_id")),
                # A request goes out after its channel has learnt where the controller is.
                "registering": latest(
                    _is("broker_incarnation")
                    | (_is("controller_recorded") & F.contains("message", F.lit("heartbeat"))),
                    own,
                ),
                "registered": latest(_is("broker_registered"), F.col("broker_epoch")),
                "recovering": latest(_is("broker_recovery", "broker_waiting_unfence"), own),
                "leads": latest(_is("raft_transition"), F.startswith("state", F.lit("Leader"))),
                "sending": latest(
                    _is("kraft_controller_registration") & F.contains("message", F.lit("attempting to send")), own
                ),
                "connecting": latest(connects, own),
                "creating": latest(
                    _is("zk_znode_created") & F.startswith("message", F.lit("Creating")),
                    F.struct(detail("path").alias("path"), own.alias("own")),
                ),
                "raft_epoch": latest(_is("dump_batch"), F.col("controller_epoch")),
                "uuid": F.last("topic_id", ignorenulls=True).over(so_far(by_partition)),
                "changing": F.last(changing, ignorenulls=True).over(
                    by_partition.rowsBetween(Window.unboundedPreceding, -1)
                ),
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
        F.when(
            _is("raft_transition"),
            F.concat(F.lit("raft "), F.regexp_extract("state", "^(Leader|Follower|Candidate)", 1)),
        )
        .when(_is("dump_batch"), "record batch")
        .when(
            _is("dump_metadata_record"),
            F.concat(
                F.lit("record "),
                F.when(type_.isin(*_PARTITION_RECORDS), "partition").when(unfenced, "unfenced").otherwise(type_),
            ),
        )
        .when(
            _is("kraft_controller_registration"),
            F.when(F.contains("message", F.lit("acknowledged")), "controller_acknowledged"),
        )
        .when(
            _is(*REGISTERED, "kraft_controller_registered", "kraft_partition_created") & F.col("leads"),
            F.concat(F.lit("active "), kind),
        )
        .otherwise(kind)
    )


def keys_by_name() -> dict[str, Column]:
    """What joins causes and effects; null where the line does not have it, several with blanks between."""
    path_told = F.col("creating.path") == detail("path")
    broker = F.nullif(F.regexp_extract(detail("path"), r"^/brokers/ids/(\d+)$", 1), F.lit(""))
    czxid = F.when(_is("zk_znode_stat") & path_told, F.get(F.split(detail("stat"), ","), F.lit(0)))
    state = F.col("state")
    raft_epoch = F.coalesce(
        F.nullif(F.regexp_extract(state, r"\bepoch=(\d+)", 1), F.lit("")),
        F.when(_is("dump_batch"), F.col("controller_epoch").cast("string")),
    )
    acknowledged = (
        r"ReplicaState\((?:nodeId=|replicaKey=ReplicaKey\(id=)(\d+)(?:(?!ReplicaState).)*?hasAcknowledgedLeader=true"
    )
    counted = F.when(
        _is("raft_leader_hw_first"),
        F.transform(F.regexp_extract_all("message", F.lit(acknowledged)), lambda voter: _key(detail("epoch"), voter)),
    )
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
            F.when(_is(*REGISTERED, "kraft_controller_registered"), _said(r"incarnationId=([\w-]+)")),
        ),
        "own_session": _key("node_id", "registered"),
        "session": F.coalesce(
            _key("broker_id", detail("register_broker_record_offset")),
            _key("record.data.brokerId", "record.data.brokerEpoch"),
        ),
        "raft_epoch": raft_epoch,
        "raft_epoch_node": _key(raft_epoch, "node_id"),
        "vote": F.when(
            _is("raft_vote_decision") & (detail("vote_result") == "granted"),
            _key(detail("candidate_epoch"), _said(r"candidateId=(\d+)")),
        ),
        "votes_counted": F.array_join(counted, " "),
        "partition_id": F.when(_is("kraft_partition_created"), _key(_said(created, 2), _said(created, 1))).otherwise(
            _key("topic_id", "partition")
        ),
        "first_state": _key("topic_id", "partition", F.lit(0)),
        "state": _key(own_uuid, "partition", F.coalesce("record_epoch", "partition_epoch")),
        "named_state": _key("topic", "partition", "partition_epoch"),
        "term": F.when(F.coalesce(F.col("leader_id") >= 0, F.lit(True)), _key("topic", "partition", "leader_epoch")),
        "request": _key("controller_id", "controller_epoch", "node_id", detail("correlation_id")),
        "response": F.when(
            of_leader_and_isr,
            _key(
                "controller_id",
                "controller_epoch",
                F.regexp_extract(detail("broker_node"), r"id: (\d+)", 1),
                detail("correlation_id"),
            ),
        ),
        "zk_session": F.lower(detail("session_id")),
        "czxid": czxid,
        "broker_epoch": _key(broker, czxid),
        "broker_epochs": F.array_join(
            F.transform(
                F.regexp_extract_all(detail("broker_epochs"), F.lit(r"(\d+ -> \d+)")),
                lambda e: F.replace(e, F.lit(" -> "), F.lit(":")),
            ),
            " ",
        ),
        "broker_created": F.when(
            F.startswith("message", F.lit("Result of znode creation")) & (detail("code") == "OK") & path_told, broker
        ),
        "broker_added": F.when(added.rlike(r"^\d+$"), added),
    }


def _key(*parts: Column | str) -> Column:
    """The parts with `:` between them; null if one is."""
    columns = [F.col(p) if isinstance(p, str) else p for p in parts]
    return F.concat(*[part for c in columns for part in (c.cast("string"), F.lit(":"))][:-1])


def stamps_by_name() -> dict[str, Column]:
    """The times that a line tells of: its own, of its node's line before it, or one that its text prints."""
    own = (
        F.when(F.col("base") == "r", _stamp(F.concat(F.lit("r"), "raft_epoch"), F.col("wall")))
        .when(F.col("base") == "m", _stamp(F.concat(F.lit("m"), "node_id"), F.col("wall")))
        .otherwise(F.col("own"))
    )

    def newest(name: str) -> Column:
        return F.array_max(
            F.transform(F.regexp_extract_all("message", F.lit(name + r"[:=] ?(\d{13})")), lambda ms: ms.cast("bigint"))
        )

    at_once = F.when(_is("process_start_time"), detail("start_time_ms").try_cast("bigint")).when(
        _is("raft_leader_hw_first"), newest("lastFetchTimestamp")
    )
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
