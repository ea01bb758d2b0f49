"""Files beside the logs that testify: checkpoint files, properties, dumps and descriptions by Kafka's own tools and
by ZooKeeper's, the JVM's GC logs.

Each of their lines becomes a row like a log record's, so that later stages read one table and evidence names file and
line for them too. A checkpoint's time is that of its folder's name (`as_of_ts`), if it has one; a dump carries its
own. Source of the formats: kafka-log-formats §6, JEP 158 (unified logging of the JVM).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.catalogue.fields import COLUMNS, TOPIC
from replay.reading.parse import event_id
from replay.reading.secrets import MASK, count_hidden, hidden, is_secret_name
from replay.tables import EVENTS

_CHECKPOINTS = {
    "replication-offset-checkpoint": "checkpoint_high_watermark",
    "log-start-offset-checkpoint": "checkpoint_log_start_offset",
    "recovery-point-offset-checkpoint": "checkpoint_recovery_point",
    "cleaner-offset-checkpoint": "checkpoint_cleaner_offset",
}
_PARTITION_FOLDER = rf"(?:^|/)({TOPIC})-(\d+)(?:\.[0-9a-f]{{32}}-delete|-future|-stray)?/[^/]+$"
_PROPERTIES = ("meta.properties", "quorum-state", "partition.metadata")
DUMP, ZNODES, ZOOKEEPER_TRANSACTIONS = "kafka-dump-log", "zookeeper-get", "zookeeper-transactions"
STATE_WITNESSES = (DUMP, ZNODES, ZOOKEEPER_TRANSACTIONS)  # what the cluster itself kept of partitions' states
WITNESS_LAYOUTS = (
    *_CHECKPOINTS,
    "leader-epoch-checkpoint",
    *_PROPERTIES,
    "server.properties",
    *STATE_WITNESSES,
    "topics-describe",
    "quorum-describe",
    "consumer-groups-describe",
    "get-offsets",
    "log-dirs-describe",
    "gc-log",
)
_WHOLE = (
    "topics-describe",
    "consumer-groups-describe",
    "get-offsets",
    "log-dirs-describe",
)  # cut short if the last line is no entry

# `kafka-topics --describe`, `kafka-consumer-groups --describe`, `kafka-get-offsets`, `kafka-log-dirs --describe`.
_DESCRIBED_PARTITION = (
    r"^\s+Topic: ?(\S+)\s+Partition: ?(\d+)\s+Leader: ?(-?\d+|none)\s+Replicas: ?([\d,]*)\s+Isr: ?([\d,]*)"
)
_DESCRIBED_TOPIC = r"^Topic: ?(\S+)\s"
_GROUP_HEAD = r"^(?:GROUP\s+)?TOPIC\s+PARTITION\s+CURRENT-OFFSET\s+LOG-END-OFFSET\s+LAG\b"
_GROUP_ENTRY = rf"^(?:(\S+)\s+)??({TOPIC})\s+(\d+)\s+(\d+|-)\s+(\d+|-)\s+(\d+|-)(?:\s|$)"
_GROUP_TALK = r"^(?:Consumer group '|Error: |Warning: |Note: |GROUP\s|TOPIC\s|\[?\d{4}-\d\d-\d\d)"
_GIVEN_OFFSET = rf"^({TOPIC}):(\d+):(-?\d*)\s*$"
_LOG_DIRS = r'^\{(?=.{0,80}"brokers":\[)(?=.{0,400}"logDirs":\[)'
_LOG_DIRS_TALK = r"^(?:Querying brokers for log directories|Received log directory information)"

_BROKER_SETTING = (
    r"^(?:broker\.id|node\.id|process\.roles|zookeeper\.connect|log\.dirs?|listeners|advertised\.listeners|controller\.listener\.names|num\.network\.threads"
    r"|controller\.quorum\.(?:voters|bootstrap\.servers)|inter\.broker\.[a-z.]+|offsets\.topic\.replication\.factor)\s*="
)

# A line of the JVM's unified log: decorations in brackets, of which time, uptime and tags are told; then the message.
_GC_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3}[+-]\d{4}"
_GC_DECORATED = rf"^(?:\[(?:{_GC_TIME}|\d+(?:[.,]\d+)?(?:s|ms|ns)|\d+|\w+ *|(?:\w+,)+\w+ *)\])+ "
_GC_TAGGED = r"\[(?:gc|safepoint)(?:,\w+)* *\]"
_GC_PAUSE = r"GC\((\d+)\) (?:\w: )?(Pause .*?)(?: (\d+[KMGT])B?->(\d+[KMGT])B?\(\d+[KMGT]B?\))? (\d+[.,]\d+)ms\s*$"
_GC_SAFEPOINT = r'Safepoint "(\w+)", .*Total: +(\d+) ns'
# Java 8: `time: uptime: [GC pause (G1 Evacuation Pause) (young), 0.0123456 secs]`, other collectors with sizes in
# between.
_GC_PAUSE_8 = (
    rf"^(?:({_GC_TIME}): )?(\d+[.,]\d+): \[((?:Full )?GC(?: ?\([^()]*(?:\(\))?\)| pause)*).*?(\d+[.,]\d+) secs\]"
)

# A partition's state in ZooKeeper, as text and in the hexadecimal that its older tools print.
_ZNODE = rf"/brokers/topics/({TOPIC})/partitions/(\d+)/state"
_ZNODE_STATE = r'(\{[^{}]*"leader_epoch":[^{}]*\})'
_HEX = "(?:[2-7][0-9a-f])+?"
_HEX_ZNODE = f"({b'/brokers/topics/'.hex()}{_HEX}{b'/state'.hex()})"
_HEX_STATE = f"#?({b'{'.hex()}{_HEX}{b'leader_epoch'.hex()}{_HEX}{b'}'.hex()})"
_TRANSACTION = r" session 0x[0-9a-f]+ cxid 0x[0-9a-f]+ zxid 0x([0-9a-f]+) (\w+)"
_STAT = r"^(cZxid|ctime|mZxid|mtime|pZxid|cversion|dataVersion|aclVersion|ephemeralOwner|dataLength|numChildren) = (.*?)\s*$"


def witness_layout(file_name: str, head: str) -> str | None:
    """Which kind of witness file this is, by its name or its first lines; None for a log."""
    for name in (*_CHECKPOINTS, "leader-epoch-checkpoint", *_PROPERTIES):
        if file_name == name:
            return name
    if re.search(r"^(?:Dumping \S|baseOffset: \d+ lastOffset: \d+)", head, re.MULTILINE):
        return DUMP
    if re.search(r"^Topic: ?\S+\s.*(?:PartitionCount|ReplicationFactor): ?\d+", head, re.MULTILINE):
        return "topics-describe"
    if re.search(_GROUP_HEAD, head, re.MULTILINE):
        return "consumer-groups-describe"
    if re.search(_LOG_DIRS, head, re.MULTILINE):
        return "log-dirs-describe"
    if (first := [line for line in head.splitlines() if line.strip()][:20]) and all(
        re.match(_GIVEN_OFFSET, line) for line in first[: 1 if len(first) == 1 else -1]
    ):
        return "get-offsets"
    if re.search(r"^(?:ClusterId:\s+\S+\s*$|NodeId\s+(?:DirectoryId\s+)?LogEndOffset\s)", head, re.MULTILINE):
        return "quorum-describe"
    if re.search(rf"^(?:ZooKeeper Transactional Log File with dbid|\S.*{_TRANSACTION})", head, re.MULTILINE):
        return ZOOKEEPER_TRANSACTIONS
    if re.search(_ZNODE, head) and re.search(rf"^(?:\S*{_ZNODE}:?\s*)?{_ZNODE_STATE}\s*$", head, re.MULTILINE):
        return ZNODES
    if len(re.findall(_BROKER_SETTING, head, re.MULTILINE)) >= 2 and len(
        re.findall(r"^(?:#.*|[\w.-]+\s*=.*|\s*)$", head, re.MULTILINE)
    ) * 2 > head.count("\n"):
        return "server.properties"
    if re.search(rf"(?:{_GC_DECORATED})(?:GC\(\d+\) |Using |Version: )", head, re.MULTILINE) and re.search(
        rf"{_GC_TAGGED} |\] GC\(", head
    ):
        return "gc-log"
    return "gc-log" if re.search(_GC_PAUSE_8, head, re.MULTILINE) else None


def witness_fault(layout: str, source_file: str, text: str) -> str | None:
    """Why a witness file must not be believed: it was cut short, is damaged, or does not say whose it is. None if it
    can be.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    if layout in (*_CHECKPOINTS, "leader-epoch-checkpoint"):
        if layout == "leader-epoch-checkpoint" and not re.search(_PARTITION_FOLDER, f"/{source_file}"):
            return "stands in no folder of a partition (topic-0): whose leader epochs it holds is not known"
        if len(lines) < 2 or not lines[0].isdigit() or not lines[1].isdigit():
            return "is no checkpoint: the first two lines are a version and the number of entries"
        entries = lines[2:]
        if int(lines[1]) != len(entries):
            return f"says {int(lines[1]):,} entries and holds {len(entries):,}: cut short or mixed up, not believed"
        entry = r"\d+ \d+" if layout == "leader-epoch-checkpoint" else rf"{TOPIC} \d+ -?\d+"
        wrong = next((number for number, line in enumerate(entries, start=3) if not re.fullmatch(entry, line)), None)
        if wrong is not None:
            return f"line {wrong:,} is no entry: damaged, not believed"
        if layout == "leader-epoch-checkpoint":
            epochs = [tuple(map(int, line.split())) for line in entries]
            if any(later[0] <= earlier[0] or later[1] < earlier[1] for earlier, later in pairwise(epochs)):
                return "its leader epochs or their start offsets do not grow: damaged, not believed"
        elif len({tuple(line.split()[:2]) for line in entries}) != len(entries):
            return "holds a partition twice: damaged, not believed"
    elif layout in _WHOLE:
        return _cut_short(layout, [line for line in text.splitlines() if line.strip()])
    elif layout == "quorum-state":
        try:
            json.loads(text)
        except ValueError:
            return "is not whole: cut short, not believed"
    elif layout == "meta.properties" and not re.search(
        r"^(?:broker|node)\.id=\d+\s*$|^cluster\.id=\S+", text, re.MULTILINE
    ):
        return "names neither node nor cluster: cut short, not believed"
    elif layout == "partition.metadata" and not (
        re.search(r"^topic_id: \S{22}\s*$", text, re.MULTILINE) and re.search(_PARTITION_FOLDER, f"/{source_file}")
    ):
        return "has no whole topic id, or stands in no folder of a partition: not believed"
    return None


def _cut_short(layout: str, lines: list[str]) -> str | None:
    """Why the output of one of Kafka's tools is not whole; None if it is, as far as its last line tells."""
    if layout == "log-dirs-describe":
        try:
            json.loads(next(line for line in lines if re.match(_LOG_DIRS, line)))
        except ValueError:
            return "its JSON is not whole: cut short, not believed"
        return None
    whole = {
        "topics-describe": rf"{_DESCRIBED_PARTITION}|{_DESCRIBED_TOPIC}.*ReplicationFactor: ?\d+",
        "consumer-groups-describe": rf"{_GROUP_ENTRY}|{_GROUP_TALK}",
        "get-offsets": _GIVEN_OFFSET,
    }[layout]
    if lines and not re.match(whole, lines[-1]):
        return f"line {len(lines):,}, its last, is no entry: cut short, not believed"
    if layout == "topics-describe":
        listed = Counter(found[1] for line in lines if (found := re.match(_DESCRIBED_PARTITION, line)))
        for line in lines:
            said = re.match(rf"{_DESCRIBED_TOPIC}.*PartitionCount: ?(\d+)", line)
            if said and listed[said[1]] < int(said[2]):
                return f"says {int(said[2]):,} partitions of {said[1]} and lists {listed[said[1]]:,}: cut short, not believed"
    return None


@dataclass(frozen=True)
class _Reading:
    """How the lines of some layouts are understood: the kind of event (null: not understood), the columns it fills,
    its time if not the file's.
    """

    layouts: tuple[str, ...]
    kind: Column
    columns: dict[str, Column]
    details: Column | None = None
    ts: Column | None = None
    message: Column | None = None
    is_record: Column | None = None
    hidden: Column | None = None  # secrets that are hidden by the name before them


def witness_records(lines: DataFrame) -> DataFrame:
    """The lines of witness files as `EVENTS` rows with `layout`, `zone_known` and `secrets_hidden`; `kind` is null
    for a line that is not understood.

    `lines` are those of `replay.reading.parse.lines`, of files whose layout is one of `WITNESS_LAYOUTS`. Of a GC log
    the pauses are records (`ts` is the pause's end, details `duration_ms`); what the JVM prints around them belongs
    to them.
    """
    readings = (
        *(_offsets(layout, kind) for layout, kind in _CHECKPOINTS.items()),
        _leader_epochs(),
        _properties(),
        _settings(),
        _dump(),
        _znodes(),
        _zookeeper_transactions(),
        _topics(),
        _quorum(),
        _groups(),
        _given_offsets(),
        _log_dirs(),
        _gc(),
    )

    def told(column: Callable[[_Reading], Column | None], otherwise: Column) -> Column:
        """What the reading of a line's layout says; one pass over the lines for all of them."""
        for reading in readings:
            said = column(reading)
            if said is not None:
                otherwise = F.when(F.col("layout").isin(*reading.layouts), said).otherwise(otherwise)
        return otherwise

    def named(name: str, type_: str) -> Callable[[_Reading], Column | None]:
        return lambda reading: reading.columns[name].cast(type_) if name in reading.columns else None

    shown = lines.withColumns({"_said": F.col("text"), "_shown": hidden(F.col("text"))}).withColumn(
        "text", F.col("_shown")
    )
    return (
        shown.where((F.length(F.trim("text")) > 0) & told(lambda r: r.is_record, F.lit(True)))
        .select(
            event_id().alias("event_id"),
            told(lambda r: r.ts, F.col("as_of_ts")).alias("ts"),
            "node_id",
            "source_file",
            "line_number",
            F.lit(None).cast("string").alias("level"),
            F.lit(None).cast("string").alias("logger"),
            told(lambda r: r.kind, F.lit(None)).cast("string").alias("kind"),
            F.lit(None).cast("string").alias("template_id"),
            *[told(named(name, type_), F.lit(None).cast(type_)).alias(name) for name, type_ in COLUMNS.items()],
            told(lambda r: r.details, F.lit(None).cast("map<string,string>")).alias("details"),
            told(lambda r: r.message, F.col("text")).alias("message"),
            "layout",
            (count_hidden(F.col("_said"), F.col("_shown")) + told(lambda r: r.hidden, F.lit(0))).alias(
                "secrets_hidden"
            ),
        )
        .withColumns({"raw_ts": F.col("ts"), "zone_known": F.col("ts").isNotNull()})
        .select(*EVENTS.schema.fieldNames(), "layout", "zone_known", "secrets_hidden")
    )


def _group(pattern: str, group: int, text: str = "text") -> Column:
    return F.nullif(F.regexp_extract(text, pattern, group), F.lit(""))


def _offsets(layout: str, kind: str) -> _Reading:
    entry = rf"^({TOPIC}) (\d+) (-?\d+)$"
    offset = _group(entry, 3).try_cast("bigint")
    filled = {"checkpoint_high_watermark": "high_watermark", "checkpoint_log_start_offset": "log_start_offset"}.get(
        kind
    )
    return _Reading(
        (layout,),
        F.when(F.col("text").rlike(entry), kind).when(
            F.col("text").rlike(r"^\d+$") & (F.col("line_number") <= 2), "checkpoint_header"
        ),
        {"topic": _group(entry, 1), "partition": _group(entry, 2).try_cast("int")}
        | ({filled: offset} if filled else {}),
        F.when(F.col("text").rlike(entry), F.create_map(F.lit("offset"), _group(entry, 3))),
    )


def _leader_epochs() -> _Reading:
    entry = r"^(\d+) (\d+)$"
    return _Reading(
        ("leader-epoch-checkpoint",),
        F.when(F.col("text").rlike(entry), "checkpoint_leader_epoch").when(
            F.col("text").rlike(r"^\d+$") & (F.col("line_number") <= 2), "checkpoint_header"
        ),
        {
            "topic": _group(_PARTITION_FOLDER, 1, "source_file"),
            "partition": _group(_PARTITION_FOLDER, 2, "source_file").try_cast("int"),
            "leader_epoch": _group(entry, 1).try_cast("int"),
            "epoch_start_offset": _group(entry, 2).try_cast("bigint"),
        },
    )


def _properties() -> _Reading:
    kind = F.replace(F.col("layout"), F.lit("."), F.lit("_"))
    kind = F.replace(kind, F.lit("-"), F.lit("_"))
    return _Reading(
        _PROPERTIES,
        kind,
        {
            "topic": F.when(F.col("layout") == "partition.metadata", _group(_PARTITION_FOLDER, 1, "source_file")),
            "topic_id": _group(r"^topic_id: (\S+)$", 1),
            "broker_id": _group(r"^(?:broker|node)\.id=(\d+)", 1).try_cast("int"),
            "controller_id": _group(r'"leaderId":(-?\d+)', 1).try_cast("int"),
            "controller_epoch": _group(r'"leaderEpoch":(\d+)', 1).try_cast("int"),
        },
    )


def _dump() -> _Reading:
    """`kafka-dump-log` text: batches, and records of the metadata log with their JSON payload as `message`."""
    batch = r"^baseOffset: (\d+) lastOffset: (\d+) .*partitionLeaderEpoch: (-?\d+) .*CreateTime: (-?\d+)"
    record = r"^\| offset: (\d+) (?:.*?)CreateTime: (-?\d+) .*payload: (\{.*\})\s*$"
    control = r"^\| offset: (\d+) (?:.*?)CreateTime: (-?\d+) .*(?:controlType: (\w+)|payload: |(SnapshotHeader|SnapshotFooter|KRaftVersion|KRaftVoters))"
    text = F.col("text")
    kind = (
        F.when(text.rlike(batch), "dump_batch")
        .when(text.rlike(record), "dump_metadata_record")
        .when(text.rlike(control), "dump_record")
        .when(text.rlike(r"^\| offset: \d+ "), "dump_record")
        .when(
            text.rlike(
                r"^(?:Dumping |Starting offset: |Log starting offset: |Snapshot end offset: |KRaft bootstrap|Found \d+ invalid bytes)"
            ),
            "dump_header",
        )
    )
    millis = F.coalesce(_group(batch, 4), _group(record, 2), _group(control, 2)).try_cast("bigint")
    details = F.map_filter(
        F.create_map(
            F.lit("offset"),
            F.coalesce(_group(batch, 1), _group(record, 1), _group(control, 1), _group(r"^\| offset: (\d+)", 1)),
            F.lit("last_offset"),
            _group(batch, 2),
            F.lit("type"),
            F.coalesce(_group(r'payload: \{"type":"(\w+)"', 1), _group(control, 3), _group(control, 4)),
            F.lit("dumped"),
            _group(r"^Dumping (\S+)", 1),
        ),
        lambda _, value: value.isNotNull(),
    )
    return _Reading(
        (DUMP,),
        kind,
        {"controller_epoch": F.when(text.rlike(batch), _group(batch, 3).try_cast("int"))},
        details,
        ts=F.when(millis > 0, F.timestamp_millis(millis)),
        message=F.coalesce(_group(record, 3), text),
    )


def _state_of(znode: Column) -> dict[str, Column]:
    """The columns that a partition's state in ZooKeeper fills."""
    state = F.from_json(znode, "leader int, leader_epoch int, isr array<int>, controller_epoch int")
    return {
        "leader_id": state["leader"],
        "leader_epoch": state["leader_epoch"],
        "isr": state["isr"],
        "controller_epoch": state["controller_epoch"],
    }


def _znodes() -> _Reading:
    """`get -s /brokers/topics/T/partitions/P/state` of `zookeeper-shell`: the path, the state, and its stat, each on
    its line (`replay.reading.znodes`).
    """
    text = F.col("text")
    kind = (
        F.when(text.rlike(_ZNODE_STATE), "znode_state")
        .when(text.rlike(_ZNODE), "znode_path")
        .when(text.rlike(_STAT), "znode_stat")
        .when(text.rlike(r"^(?:\[zk: .*\] *)?(?:get|ls|stat|/)"), "zookeeper_command")  # of another znode
        .when(
            text.rlike(r"^(?:\[zk: |Connecting to |WATCHER::|WatchedEvent |Welcome to ZooKeeper|JLine support )"),
            "zookeeper_talk",
        )
    )
    path = {"topic": _group(_ZNODE, 1), "partition": _group(_ZNODE, 2).try_cast("int")}
    return _Reading(
        (ZNODES,),
        kind,
        path | _state_of(_group(_ZNODE_STATE, 1)),
        F.when(text.rlike(_STAT), F.create_map(_group(_STAT, 1), _group(_STAT, 2))),
    )


def _zookeeper_transactions() -> _Reading:
    """ZooKeeper's transaction log as its `TxnLogToolkit` or `LogFormatter` prints it; of what it holds, partitions'
    states.

    A created znode has version 0; of several writes in one transaction the older tools print the bytes, the newer
    ones no version.
    """
    text = F.col("text")

    def plain(pattern: str, hexadecimal: str) -> Column:
        return F.coalesce(_group(pattern, 1), F.decode(F.unhex(_group(hexadecimal, 1)), "UTF-8"))

    path = plain(f"({_ZNODE})", _HEX_ZNODE)
    state = plain(_ZNODE_STATE, _HEX_STATE)
    creates = text.rlike(rf" zxid 0x[0-9a-f]+ create\w* |\bcreate\w*:[^;]*{_ZNODE}|\bs\{{1,#[^}}]*{_HEX_ZNODE}")
    version = F.when(creates, 0).otherwise(
        F.coalesce(
            _group(r"(?:\}|7d),(\d+)\s*$", 1).try_cast("int"),
            F.conv(_group(rf"{_HEX_STATE}000([0-9a-f]{{1,2}})\}}", 2), 16, 10).try_cast("int"),
        )
    )
    told = {
        "topic": F.regexp_extract(path, _ZNODE, 1),
        "partition": F.regexp_extract(path, _ZNODE, 2).try_cast("int"),
        "partition_epoch": F.when(state.isNotNull(), version),
    }
    is_transaction = text.rlike(_TRANSACTION)
    return _Reading(
        (ZOOKEEPER_TRANSACTIONS,),
        F.when(is_transaction & state.isNotNull(), "zookeeper_state_written")
        .when(is_transaction, "zookeeper_transaction")
        .when(text.rlike(r"^(?:ZooKeeper Transactional Log File|EOF reached after|CRC )"), "zookeeper_talk"),
        told | _state_of(state),
        F.when(
            is_transaction,
            F.create_map(F.lit("zxid"), _group(_TRANSACTION, 1), F.lit("operation"), _group(_TRANSACTION, 2)),
        ),
        ts=_time_of_transaction(),
    )


def _time_of_transaction() -> Column:
    """Java's short date and long time, as the tool's locale writes them: whole seconds, day first unless a clock of
    twelve hours or a year says otherwise.
    """
    shape = r"^(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4}),?[ \u202f](\d{1,2}:\d\d:\d\d)(?:[ \u202f]([AP]M))?[ \u202f]([A-Z]\S+) session"
    first, second, third, clock, half, zone = (_group(shape, n) for n in range(1, 7))
    american, year_first = half.isNotNull(), F.length(first) == 4
    month, day = (
        F.when(american & ~year_first, first).otherwise(second),
        F.when(year_first, third).when(american, second).otherwise(first),
    )
    year = F.when(year_first, first).when(F.length(third) == 2, F.concat(F.lit("20"), third)).otherwise(third)
    date = F.concat_ws(" ", F.concat_ws("-", year, month, day), clock, F.coalesce(half, F.lit("")), zone)
    return F.coalesce(
        F.try_to_timestamp(date, F.lit("y-M-d h:mm:ss a z")), F.try_to_timestamp(date, F.lit("y-M-d H:mm:ss  z"))
    )


def _topics() -> _Reading:
    """`kafka-topics --describe` text; leader -1 for `none`."""
    partition, header = _DESCRIBED_PARTITION, _DESCRIBED_TOPIC
    text = F.col("text")
    leader = F.replace(_group(partition, 3), F.lit("none"), F.lit("-1")).try_cast("int")
    return _Reading(
        ("topics-describe",),
        F.when(text.rlike(partition), "described_partition").when(text.rlike(header), "described_topic"),
        {
            "topic": F.coalesce(_group(partition, 1), _group(header, 1)),
            "topic_id": _group(r"TopicId: ?(\S+)", 1),
            "partition": _group(partition, 2).try_cast("int"),
            "leader_id": leader,
            "replicas": F.split(_group(partition, 4), ",").try_cast("array<int>"),
            "isr": F.split(_group(partition, 5), ",").try_cast("array<int>"),
        },
        F.when(text.rlike(header), F.create_map(F.lit("configs"), F.regexp_extract(text, r"Configs: ?(\S*)", 1))),
    )


def _quorum() -> _Reading:
    said = r"^(\w+):\s+(\S.*)$"
    replica = r"^(\d+)\s+(?:\S{22}\s+)?(\d+)\s+(\d+)\s+(-?\d+)\s+(-?\d+)\s+(Leader|Follower|Observer)\s*$"
    text = F.col("text")
    return _Reading(
        ("quorum-describe",),
        F.when(text.rlike(replica), "described_quorum_replica")
        .when(text.rlike(said), "described_quorum")
        .when(text.rlike(r"^NodeId\s"), "described_quorum"),
        {"broker_id": _group(replica, 1).try_cast("int"), "log_end_offset": _group(replica, 2).try_cast("bigint")},
        F.when(text.rlike(said), F.create_map(_group(said, 1), _group(said, 2))),
    )


def _groups() -> _Reading:
    """`kafka-consumer-groups --describe` text: details `group`, `committed`, `lag`.

    What it calls LOG-END-OFFSET is what a consumer may read up to: the high watermark.
    """
    text = F.col("text")
    return _Reading(
        ("consumer-groups-describe",),
        F.when(text.rlike(_GROUP_ENTRY), "described_group_offset").when(text.rlike(_GROUP_TALK), "described_group"),
        {
            "topic": _group(_GROUP_ENTRY, 2),
            "partition": _group(_GROUP_ENTRY, 3).try_cast("int"),
            "high_watermark": _group(_GROUP_ENTRY, 5).try_cast("bigint"),
        },
        F.when(
            text.rlike(_GROUP_ENTRY),
            F.create_map(
                F.lit("group"),
                _group(_GROUP_ENTRY, 1),
                F.lit("committed"),
                _group(_GROUP_ENTRY, 4),
                F.lit("lag"),
                _group(_GROUP_ENTRY, 6),
            ),
        ),
    )


def _given_offsets() -> _Reading:
    """`kafka-get-offsets` text, details `offset`: which offset was asked for, it does not say."""
    text = F.col("text")
    return _Reading(
        ("get-offsets",),
        F.when(text.rlike(_GIVEN_OFFSET), "described_offset"),
        {"topic": _group(_GIVEN_OFFSET, 1), "partition": _group(_GIVEN_OFFSET, 2).try_cast("int")},
        F.when(text.rlike(_GIVEN_OFFSET), F.create_map(F.lit("offset"), _group(_GIVEN_OFFSET, 3))),
    )


def _log_dirs() -> _Reading:
    """`kafka-log-dirs --describe` text: one line of JSON for all brokers, as `message`."""
    text = F.col("text")
    return _Reading(
        ("log-dirs-describe",),
        F.when(text.rlike(_LOG_DIRS), "described_log_dirs").when(text.rlike(_LOG_DIRS_TALK), "described_log_dirs_talk"),
        {},
    )


def _settings() -> _Reading:
    """The settings of a broker's properties file, details `name` and `value`; what is secret is not repeated."""
    entry = r"^\s*([\w.-]+)\s*[=:]\s*(.*?)\s*$"
    text = F.col("text")
    name = _group(entry, 1)
    given = F.regexp_extract(text, entry, 2)
    value = F.when(is_secret_name(name), F.lit(MASK)).otherwise(given)
    is_setting = text.rlike(entry) & ~text.rlike(r"^\s*[#!]")
    return _Reading(
        ("server.properties",),
        F.when(is_setting, "server_setting"),
        {"broker_id": F.when(name.isin("broker.id", "node.id"), value.try_cast("int"))},
        F.when(is_setting, F.create_map(F.lit("name"), name, F.lit("value"), value)),
        message=F.when(is_setting, F.concat_ws("=", name, value)).otherwise(text),
        is_record=~text.rlike(r"^\s*[#!]"),
        hidden=F.when(
            is_setting & is_secret_name(name) & ~F.contains(given, F.lit(MASK)) & (given != ""), F.lit(1)
        ).otherwise(F.lit(0)),
    )


def _gc() -> _Reading:
    """Pauses of the JVM: `gc_pause`, and `jvm_safepoint` where the log tells of those."""
    text = F.col("text")
    kind = F.when(text.rlike(_GC_PAUSE) | text.rlike(_GC_PAUSE_8), "gc_pause").when(
        text.rlike(_GC_SAFEPOINT), "jvm_safepoint"
    )
    details = F.map_filter(
        F.create_map(
            F.lit("duration_ms"),
            F.coalesce(
                F.replace(_group(_GC_PAUSE, 5), F.lit(","), F.lit(".")),
                F.round(F.replace(_group(_GC_PAUSE_8, 4), F.lit(","), F.lit(".")).try_cast("double") * 1_000, 3).cast(
                    "string"
                ),
                F.round(_group(_GC_SAFEPOINT, 2).try_cast("double") / 1_000_000, 3).cast("string"),
            ),
            F.lit("pause"),
            F.coalesce(_group(_GC_PAUSE, 2), _group(_GC_PAUSE_8, 3), _group(_GC_SAFEPOINT, 1)),
            F.lit("gc_id"),
            _group(_GC_PAUSE, 1),
            F.lit("uptime_s"),
            F.coalesce(_group(r"^(?:\[[^\]]*\])*?\[(\d+[.,]\d+)s\]", 1), _group(_GC_PAUSE_8, 2)),
        ),
        lambda _, value: value.isNotNull(),
    )
    stamp = F.replace(_group(rf"({_GC_TIME})", 1), F.lit(","), F.lit("."))
    around = text.rlike(_GC_DECORATED) | text.rlike(
        r"^\s|^\}|^\{|^(?:Heap|Memory:|CommandLine flags:|(?:Java|OpenJDK) HotSpot|OpenJDK 64-Bit)"
    )
    return _Reading(
        ("gc-log",),
        kind,
        {},
        F.when(kind.isNotNull(), details),
        ts=stamp.try_cast("timestamp"),
        is_record=kind.isNotNull() | ~around,
    )
