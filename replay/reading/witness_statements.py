"""Reads the statements of a witness file (`replay.reading.witnesses` distinguishes such files from logs).

Each line becomes a record like a log's, so that later stages read one table and evidence names file and line. The time
of a checkpoint is that in its folder's name (`as_of`), if it has one; dumps contain their own times.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from replay.json_text import value_of_json
from replay.reading import witnesses as w
from replay.reading.crash_reports import crash_statements
from replay.reading.docker import event_statements as docker_events
from replay.reading.docker import inspect_statements, listed_statements
from replay.reading.host_logs import host_statements
from replay.reading.kubernetes import described_statements, json_statements
from replay.reading.kubernetes import event_statements as kubernetes_events
from replay.reading.matching import integer, integers
from replay.reading.operator_logs import operator_statements
from replay.reading.parsed_witness import ParsedWitness
from replay.reading.processor_times import stolen_time_statements
from replay.reading.records import Record
from replay.reading.secrets import MASK, hidden_and_counted, hidden_lines, hidden_text, is_secret_name
from replay.reading.set_aside import IMPOSSIBLE_NUMBER, SET_ASIDE, reason, whole_text
from replay.reading.stamps import micros_at, micros_of, millis_of, second_of

_GC_PAUSE = re.compile(
    r"GC\((\d+)\) (?:\w: )?(Pause .{0,200}?)(?: (\d+[KMGT])B?->(\d+[KMGT])B?\(\d+[KMGT]B?\))? (\d+[.,]\d+)ms\s*$"
)
_GC_SAFEPOINT = re.compile(r'Safepoint "(\w+)", .{0,400}Total: +(\d+) ns')
_GC_PAUSE_8 = re.compile(w.GC_PAUSE_8)
_GC_STOPPED = re.compile(w.GC_STOPPED)
_GC_UPTIME = re.compile(r"^(?:\[[^\]]*\])*?\[(\d+[.,]\d+)s\]")
_GC_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3})([+-]\d{4})")  # time and time zone of `GC_TIME`
_GC_AROUND = re.compile(
    rf"{w.GC_DECORATED}|^\s|^\}}|^\{{|^(?:Heap|Memory:|CommandLine flags:|(?:\S+: )*Application time: |(?:Java|OpenJDK) HotSpot|OpenJDK 64-Bit)"
)

_HEX = "(?:[2-7][0-9a-f]){1,600}?"
_HEX_ZNODE = f"({b'/brokers/topics/'.hex()}{_HEX}{b'/state'.hex()})"
_HEX_STATE = f"#?({b'{'.hex()}{_HEX}{b'leader_epoch'.hex()}{_HEX}{b'}'.hex()})"
_STAT = r"^(cZxid|ctime|mZxid|mtime|pZxid|cversion|dataVersion|aclVersion|ephemeralOwner|dataLength|numChildren) = (\S*+(?:[^\S\n]++\S++)*+)\s*$"


class _Place(NamedTuple):
    """The position of a line."""

    source_file: str
    line_number: int


Reading = Callable[[str, _Place], ParsedWitness | None]


def witness_records_of(
    text: str,
    *,
    source_file: str,
    node_id: int | None = None,
    layout: str,
    first_line: int = 1,
    as_of: datetime | None = None,
) -> Iterator[Record]:
    """The lines of a witness file as records; `kind` is None for an unknown line.

    The records of a GC log are its pauses (the time is the end of the pause, details `duration_ms`); the JVM's lines
    around a pause belong to it. For files of hosts, containers and operators, only known statements become records,
    each with the node that it is about, or `node_id`.
    """
    file_micros = micros_at(as_of)
    parts: Counter[int] = Counter()  # JSON may have several entries on one line
    for number, line, statement in _statements(text, layout, source_file, first_line, as_of):
        micros = statement.micros if statement.dated else file_micros
        yield Record(
            source_file,
            statement.node_id if statement.node_id is not None else node_id,
            layout,
            number,
            parts[number],
            micros,
            micros is not None and statement.zone_known,
            None,
            None,
            None,
            line if statement.message is None else statement.message,
            statement.secrets_hidden,
            statement.kind,
            None,
            statement.columns,
            statement.details,
        )
        parts[number] += 1


def _statements(
    text: str, layout: str, source_file: str, first_line: int, as_of: datetime | None
) -> Iterator[tuple[int, str, ParsedWitness]]:
    """The statements of a witness file, each with line number and text; secrets are hidden."""
    if layout in _ENTRIES:
        for number, statement in _until_unreadable(_ENTRIES[layout](text, first_line, as_of), first_line):
            message, secrets = hidden_and_counted(statement.message or "")
            hidden = {name: hidden_text(value) if value else value for name, value in (statement.details or {}).items()}
            yield number, message, statement._replace(message=message, details=hidden, secrets_hidden=secrets)
        return
    read = _READINGS[layout]
    for number, whole in enumerate(hidden_lines(text).split("\n"), first_line):
        line, secrets = hidden_and_counted(whole)
        statement_of_line = _guarded(read, line, _Place(source_file, number)) if line.strip(" ") else None
        if statement_of_line is not None:
            yield number, line, statement_of_line._replace(secrets_hidden=secrets + statement_of_line.secrets_hidden)


def _guarded(read: Callable[[str, _Place], ParsedWitness | None], line: str, at: _Place) -> ParsedWitness | None:
    """The statement of a line; only its text if reading it fails."""
    if IMPOSSIBLE_NUMBER.search(line):
        return ParsedWitness(None, message=f"{SET_ASIDE} (a number of more than 19 digits): {line}")
    try:
        return read(line, at)
    except Exception as error:  # whatever a line contains, the lines after it are read
        return ParsedWitness(None, message=f"{SET_ASIDE} ({reason(error)}): {whole_text(line)}")


def _until_unreadable(
    entries: Iterator[tuple[int, ParsedWitness]], first_line: int
) -> Iterator[tuple[int, ParsedWitness]]:
    """The entries of a file that is read as a whole, up to one that cannot be read, whose record holds the reason."""
    number = first_line
    try:
        for number, statement in entries:
            yield number, statement
    except Exception as error:  # whatever a file contains, the other files are read
        yield number, ParsedWitness(None, message=f"{SET_ASIDE} ({reason(error)}): the rest of this file")


def _int(text: str | None, type_: str = "int") -> int | None:
    return integer(text, type_) if text else None


def _long(text: str | None) -> int | None:
    return _int(text, "bigint")


def _group(pattern: str, line: str) -> str | None:
    found = re.search(pattern, line)
    return (found[1] or None) if found else None


def _offsets(kind: str, line: str, at: _Place) -> ParsedWitness:
    entry = re.match(rf"({w.TOPIC}) (\d+) (-?\d+)$", line)
    if entry is None:
        return ParsedWitness(_checkpoint_header(line, at))
    columns: dict[str, Any] = {"topic": entry[1], "partition": _int(entry[2])}
    filled = {"checkpoint_high_watermark": "high_watermark", "checkpoint_log_start_offset": "log_start_offset"}.get(
        kind
    )
    if filled:
        columns[filled] = _long(entry[3])
    return ParsedWitness(kind, columns, {"offset": entry[3]})


def _checkpoint_header(line: str, at: _Place) -> str | None:
    return "checkpoint_header" if at.line_number <= 2 and re.match(r"\d+$", line) else None


def _partition_of(source_file: str) -> dict[str, Any]:
    """The partition whose folder contains a file."""
    folder = re.search(w.PARTITION_FOLDER, source_file)
    return {"topic": folder[1], "partition": _int(folder[2])} if folder else {}


def _leader_epochs(line: str, at: _Place) -> ParsedWitness:
    columns, entry = _partition_of(at.source_file), re.match(r"(\d+) (\d+)$", line)
    if entry is None:
        return ParsedWitness(_checkpoint_header(line, at), columns)
    epoch = {"leader_epoch": _int(entry[1]), "epoch_start_offset": _long(entry[2])}
    return ParsedWitness("checkpoint_leader_epoch", columns | epoch)


def _properties(layout: str, line: str, at: _Place) -> ParsedWitness:
    columns = {
        "topic_id": _group(r"^topic_id: (\S+)$", line),
        "broker_id": _int(_group(r"^(?:broker|node)\.id=(\d+)", line)),
        "controller_id": _int(_group(r'"leaderId":(-?\d+)', line)),
        "controller_epoch": _int(_group(r'"leaderEpoch":(\d+)', line)),
    }
    if layout == "partition.metadata":
        columns["topic"] = _partition_of(at.source_file).get("topic")
    return ParsedWitness(layout.replace(".", "_").replace("-", "_"), columns)


_BATCH = re.compile(
    r"baseOffset: (\d+) lastOffset: (\d+) (?>.*?partitionLeaderEpoch: (-?\d+) )(?>.*?CreateTime: (-?\d+))"
)
_DUMPED = re.compile(r"\| offset: (\d+) ")
_METADATA = re.compile(r"\| offset: (\d+) (?>.*?CreateTime: (-?\d+) )(?>.*?payload: (?=\{))(\{.*\})\s*+$")
_CONTROL = re.compile(
    r"\| offset: (\d+) (?>.*?CreateTime: (-?\d+) ).*(?:controlType: (\w+)|payload: |(SnapshotHeader|SnapshotFooter|KRaftVersion|KRaftVoters))"
)
_PAYLOAD_TYPE = re.compile(r'payload: \{"type":"(\w+)"')
_DUMP_HEADER = re.compile(
    r"(?:Dumping |Starting offset: |Log starting offset: |Snapshot end offset: |KRaft bootstrap|Found \d+ invalid bytes)"
)


def _dump(line: str, at: _Place) -> ParsedWitness:
    """`kafka-dump-log` text: batches, and records of the metadata log with their JSON payload as `message`."""
    if batch := _BATCH.match(line):
        offsets = {"offset": batch[1], "last_offset": batch[2]}
        return ParsedWitness("dump_batch", {"controller_epoch": _int(batch[3])}, offsets, True, millis_of(batch[4]))
    if _DUMPED.match(line):
        return _dumped_record(line)
    if _DUMP_HEADER.match(line):
        name = _group(r"^Dumping (\S+)", line)
        return ParsedWitness("dump_header", {}, {"dumped": name} if name else {}, True)
    return ParsedWitness(None, {}, {}, True)


def _dumped_record(line: str) -> ParsedWitness:
    metadata, control = _METADATA.match(line), _CONTROL.match(line)
    found = metadata or control or _DUMPED.match(line)
    assert found is not None
    payload = _PAYLOAD_TYPE.search(line)
    type_ = payload[1] if payload else (control[3] or control[4]) if control else None
    details = {"offset": found[1], "type": type_} if type_ else {"offset": found[1]}
    micros = millis_of(found[2]) if metadata or control else None
    if metadata is None:
        return ParsedWitness("dump_record", {}, details, True, micros)
    return ParsedWitness("dump_metadata_record", {}, details, True, micros, metadata[3])


def _state_of(znode: str | None) -> dict[str, Any]:
    """The columns that a partition's state in ZooKeeper fills."""
    state = value_of_json(znode or "")
    if not isinstance(state, dict):
        return {}
    return {
        "leader_id": _whole(state.get("leader")),
        "leader_epoch": _whole(state.get("leader_epoch")),
        "isr": [_whole(id_) for id_ in state["isr"]] if isinstance(state.get("isr"), list) else None,
        "controller_epoch": _whole(state.get("controller_epoch")),
    }


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and abs(value) < 1 << 31 else None


def _znode_in(line: str) -> dict[str, Any]:
    found = re.search(w.ZNODE, line)
    return {"topic": found[1], "partition": _int(found[2])} if found else {}


def _znodes(line: str, at: _Place) -> ParsedWitness:
    """`get -s /brokers/topics/T/partitions/P/state` of `zookeeper-shell`: path, state and stat, each on its line
    (`replay.partitions.kept_states`).
    """
    path, state, stat = _znode_in(line), _group(w.ZNODE_STATE, line), re.match(_STAT, line)
    if state:
        return ParsedWitness("znode_state", path | _state_of(state))
    if path:
        return ParsedWitness("znode_path", path)
    if stat:
        return ParsedWitness("znode_stat", {}, {stat[1]: stat[2] or None})
    if re.match(r"(?:\[zk: .*\] *)?(?:get|ls|stat|/)", line):  # belongs to another znode
        return ParsedWitness("zookeeper_command")
    talks = re.match(r"(?:\[zk: |Connecting to |WATCHER::|WatchedEvent |Welcome to ZooKeeper|JLine support )", line)
    return ParsedWitness("zookeeper_talk" if talks else None)


def _zookeeper_transactions(line: str, at: _Place) -> ParsedWitness:
    """The partition states in ZooKeeper's transaction log, as `TxnLogToolkit` or `LogFormatter` prints it. A created
    znode has version 0; for several writes in one transaction the older tools print the bytes, the newer ones no
    version.
    """
    transaction = re.search(w.TRANSACTION, line)
    micros = _time_of_transaction(line)
    path = _group(f"({w.ZNODE})", line) or _decoded(_group(_HEX_ZNODE, line))
    state = _group(w.ZNODE_STATE, line) or _decoded(_group(_HEX_STATE, line))
    columns = _znode_in(path or "") | _state_of(state)
    if state:
        columns["partition_epoch"] = _version_written(line)
    if transaction:
        kind = "zookeeper_state_written" if state else "zookeeper_transaction"
        return ParsedWitness(kind, columns, {"zxid": transaction[1], "operation": transaction[2]}, True, micros)
    talks = re.match(r"(?:ZooKeeper Transactional Log File|EOF reached after|CRC )", line)
    return ParsedWitness("zookeeper_talk" if talks else None, columns, None, True, micros)


def _decoded(hexadecimal: str | None) -> str | None:
    return None if hexadecimal is None else bytes.fromhex(hexadecimal).decode("utf-8", "replace")


def _version_written(line: str) -> int | None:
    if re.search(
        rf" zxid 0x[0-9a-f]+ create\w* |\bcreate\w{{0,20}}:[^;]{{0,400}}{w.ZNODE}|\bs\{{1,#[^}}]{{0,400}}{_HEX_ZNODE}",
        line,
    ):
        return 0
    printed = _int(_group(r"(?:\}|7d),(\d+)\s*$", line))
    in_bytes = re.search(rf"{_HEX_STATE}000([0-9a-f]{{1,2}})\}}", line)
    return printed if printed is not None or in_bytes is None else int(in_bytes[2], 16)


_TRANSACTION_TIME = re.compile(
    r"(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4}),?[ \u202f](\d{1,2}):(\d\d):(\d\d)(?:[ \u202f]([AP]M))?[ \u202f]([A-Z]\S+) session"
)


def _time_of_transaction(line: str) -> int | None:
    """Java's short date and long time in the tool's locale: whole seconds, day first unless a 12-hour clock or a year
    indicates otherwise.
    """
    found = _TRANSACTION_TIME.match(line)
    if found is None:
        return None
    first, second, third, hour, minute, second_, half, zone = found.groups()
    if len(first) == 4:
        year, month, day = first, second, third
    elif half:
        month, day, year = first, second, third
    else:
        day, month, year = first, second, third
    hours = int(hour) % 12 + (12 if half == "PM" else 0) if half else int(hour)
    full_year = f"20{year}" if len(year) == 2 else year
    return second_of(f"{full_year}-{month}-{day} {hours}:{minute}:{second_}", zone)


def _topics(line: str, at: _Place) -> ParsedWitness:
    """`kafka-topics --describe` text; leader -1 for `none`."""
    if found := re.match(w.DESCRIBED_PARTITION, line):
        topic, partition, leader, replicas, isr = found.groups()
        return ParsedWitness(
            "described_partition",
            {
                "topic": topic,
                "topic_id": _group(r"TopicId: ?(\S+)", line),
                "partition": _int(partition),
                "leader_id": _int(leader.replace("none", "-1")),
                "replicas": integers(replicas) if replicas else None,
                "isr": integers(isr) if isr else None,
            },
        )
    columns = {"topic": _group(w.DESCRIBED_TOPIC, line), "topic_id": _group(r"TopicId: ?(\S+)", line)}
    if columns["topic"] is None:
        return ParsedWitness(None, columns)
    return ParsedWitness("described_topic", columns, {"configs": _group(r"Configs: ?(\S*)", line) or ""})


def _quorum(line: str, at: _Place) -> ParsedWitness:
    replica = re.match(
        r"(\d+)\s+(?:\S{22}\s+)?(\d+)\s+(\d+)\s+(-?\d+)\s+(-?\d+)\s+(Leader|Follower|Observer)\s*$", line
    )
    if replica:
        return ParsedWitness(
            "described_quorum_replica", {"broker_id": _int(replica[1]), "log_end_offset": _long(replica[2])}
        )
    if field := re.match(r"(\w+):\s+(\S.*)$", line):
        return ParsedWitness("described_quorum", {}, {field[1]: field[2]})
    return ParsedWitness("described_quorum" if re.match(r"NodeId\s", line) else None)


def _groups(line: str, at: _Place) -> ParsedWitness:
    """`kafka-consumer-groups --describe` text: details `group`, `committed`, `lag`. Its LOG-END-OFFSET is the offset up
    to which a consumer may read: the high watermark.
    """
    entry = re.match(w.GROUP_ENTRY, line)
    if entry is None:
        return ParsedWitness("described_group" if re.match(w.GROUP_TALK, line) else None)
    return ParsedWitness(
        "described_group_offset",
        {"topic": entry[2], "partition": _int(entry[3]), "high_watermark": _long(entry[5])},
        {"group": entry[1] or None, "committed": entry[4], "lag": entry[6]},
    )


def _given_offsets(line: str, at: _Place) -> ParsedWitness:
    """`kafka-get-offsets` text, details `offset`: the output does not say which offset was requested."""
    found = re.match(w.GIVEN_OFFSET, line)
    if found is None:
        return ParsedWitness()
    return ParsedWitness(
        "described_offset", {"topic": found[1], "partition": _int(found[2])}, {"offset": found[3] or None}
    )


def _log_dirs(line: str, at: _Place) -> ParsedWitness:
    """`kafka-log-dirs --describe` text: one line of JSON for all brokers, as `message`."""
    if re.match(w.LOG_DIRS, line):
        return ParsedWitness("described_log_dirs")
    talks = re.match(r"(?:Querying brokers for log directories|Received log directory information)", line)
    return ParsedWitness("described_log_dirs_talk" if talks else None)


def _settings(line: str, at: _Place) -> ParsedWitness | None:
    """The settings in a broker's properties file, details `name` and `value`; secrets are hidden."""
    if re.match(r"\s*[#!]", line):
        return None
    entry = re.match(r"\s*+([\w.-]++)\s*+[=:]\s*+(\S*+(?:[^\S\n]++\S++)*+)\s*$", line)
    if entry is None:
        return ParsedWitness()
    name, given = entry.groups()
    is_secret = is_secret_name(name)
    value = MASK if is_secret else given
    columns = {"broker_id": _int(value)} if name in ("broker.id", "node.id") else {}
    hidden = int(is_secret and given != "" and MASK not in given)
    return ParsedWitness(
        "server_setting", columns, {"name": name, "value": value}, message=f"{name}={value}", secrets_hidden=hidden
    )


def _gc(line: str, at: _Place) -> ParsedWitness | None:
    """Pauses of the JVM: `gc_pause`, and `jvm_safepoint` if the log has safepoints."""
    pause, pause_8, safepoint = _GC_PAUSE.search(line), _GC_PAUSE_8.search(line), _GC_SAFEPOINT.search(line)
    stopped = _GC_STOPPED.search(line)
    stamp = _GC_STAMP.search(line)
    micros = micros_of(stamp[1].replace(",", "."), stamp[2]) if stamp else None
    uptime = _group(_GC_UPTIME.pattern, line)
    if pause:
        gc_id, what, _, _, duration = pause.groups()
        details = {"duration_ms": duration.replace(",", "."), "pause": what, "gc_id": gc_id, "uptime_s": uptime}
    elif pause_8:
        _, up, what, seconds = pause_8.groups()
        millis = str(round(float(seconds.replace(",", ".")) * 1_000, 3))
        details = {"duration_ms": millis, "pause": what, "uptime_s": uptime or up}
        if micros is not None:  # Java 8 prints the start of a pause
            micros += round(float(millis) * 1_000)
    elif stopped:
        millis = str(round(float(stopped[1].replace(",", ".")) * 1_000, 3))
        details = {"duration_ms": millis, "pause": "stopped", "uptime_s": uptime}
    elif safepoint:
        millis = str(round(int(safepoint[2]) / 1_000_000, 3))
        details = {"duration_ms": millis, "pause": safepoint[1], "uptime_s": uptime}
    else:
        return None if _GC_AROUND.search(line) else ParsedWitness(None, {}, None, True, micros)
    known = {name: text for name, text in details.items() if text}
    return ParsedWitness("gc_pause" if pause or pause_8 else "jvm_safepoint", {}, known, True, micros)


_READINGS: Mapping[str, Reading] = {
    **{layout: partial(_offsets, kind) for layout, kind in w.CHECKPOINTS.items()},
    "leader-epoch-checkpoint": _leader_epochs,
    **{layout: partial(_properties, layout) for layout in w.PROPERTIES},
    "server.properties": _settings,
    w.DUMP: _dump,
    w.ZNODES: _znodes,
    w.ZOOKEEPER_TRANSACTIONS: _zookeeper_transactions,
    "topics-describe": _topics,
    "quorum-describe": _quorum,
    "consumer-groups-describe": _groups,
    "get-offsets": _given_offsets,
    "log-dirs-describe": _log_dirs,
    "gc-log": _gc,
}

Entries = Callable[[str, int, datetime | None], Iterator[tuple[int, ParsedWitness]]]

# Layouts that are not read line by line, or in which most lines are not Kafka's.
_ENTRIES: Mapping[str, Entries] = {
    w.HOST_LOG: host_statements,
    w.CRASH_REPORT: lambda text, first_line, as_of: crash_statements(text),
    w.DOCKER_INSPECT: lambda text, first_line, as_of: inspect_statements(text),
    w.DOCKER_EVENTS: lambda text, first_line, as_of: docker_events(text, first_line),
    w.DOCKER_LIST: listed_statements,
    w.PROCESSOR_TIMES: lambda text, first_line, as_of: stolen_time_statements(text, first_line),
    w.KUBERNETES_JSON: lambda text, first_line, as_of: json_statements(text),
    w.KUBERNETES_EVENTS: kubernetes_events,
    w.KUBERNETES_DESCRIBED: described_statements,
    w.OPERATOR_LOG: lambda text, first_line, as_of: operator_statements(text, first_line),
}
