"""The values that a line names, its meaning, and the meaning of its exception."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

from replay.knowledge.certificates import refused_certificate
from replay.knowledge.choosing import WARN, Read, cause_of, wording_of
from replay.knowledge.code_tables import row_of, rows_of
from replay.knowledge.matching_issues import matches
from replay.knowledge.meaning import Meaning, filled
from replay.knowledge.meanings import CLIENTS, meaning
from replay.knowledge.naming import Subjects, is_nameless, is_no_broker, values_of
from replay.knowledge.reasons import kind_of_reason
from replay.knowledge.releases import between, release
from replay.lists import listed, some
from replay.reading.printed_line import Line

_OF_NO_ENTRY = ("other-exception", "exception-of-another")
_OF_PARTITIONS = ("fetcher_partitions_added", "leader_start", "follower_start", "broker_become_follower_skipped")
_PARTITIONS = re.compile(r"(?<![\w.-])([A-Za-z_][\w.-]{0,249}-\d{1,10})\b")
_FETCHED_FROM = re.compile(r" -> InitialFetchState\([^\n]{0,400}?\),\s?\d+,\s?(\d+)")
_EPOCHS_OF_A_CANDIDATE = re.compile(
    r"(?:candidate|replica)Epoch=(?P<epoch>\d{1,10}), [^\n]{0,300}?lastOffsetEpoch=(?P<last>\d{1,10})"
)
_SEGMENT_TIMES = re.compile(
    r"lastModifiedTime=(?P<modified>\d{10,13})(?:, largest(?:RecordTimestamp|Time)=(?:Some\()?(?P<largest>\d{10,13}\b|0\b|-1|None))?"
)
_STALLED_MS = 60_000
_FILE_OF_A_DIRECTORY = re.compile(
    r"(?P<dir>(?:/|[A-Z]:\\).*?)[\\/](?:[\w.-]+-\d+[\\/](?:leader-epoch-checkpoint|partition\.metadata)|[\w-]*offset-checkpoint|meta\.properties)(?:\.tmp)?$"
)
_EXCEPTION_BEHIND = re.compile(r": (?:[a-z]\w*\.)+[A-Z]")
_CLIENT_AT = re.compile(r"/?((?=[\w.:-]*\d)[\w.:-]++)(?: \(channelId|$)")
_OWN_FRAME = re.compile(r"\bat ((?:org\.apache\.)?kafka\.[\w.$]+)\(")
_ANONYMOUS = re.compile(
    r"\${1,4}anonfun\$|\$adapted\b|\$\d{1,4}\b|\${1,4}(?=\.)"
)  # what the Scala compiler adds to a name
_FRAME = re.compile(
    r"\bat (?:[\w.]{1,60}/)?(?!(?:javax?|jdk|sun|scala)\.)(?:[a-z]\w{0,60}\.){1,12}(?P<name>[A-Z][\w$]{0,200}\.[\w$<>]{1,120})\("
)
_INNER_CLIENT = re.compile(r"\bconnector-(consumer|producer)-")
_UNHEARD = re.compile(
    r"(?<![\w.])(\d{1,10})=(?:UNRECORDED|VoterState\(replicaKey=ReplicaKey\([^()]{0,120}\), state=UNRECORDED\))"
)
_CLASS_FILE_OF_JAVA = 44  # class file version 61 is Java 17's
_RETENTION = re.compile(r"retention time (\d{1,20})ms breach")
_PRINTS_THE_LOG_END = between("2.7", "3.4.0")  # KAFKA-14704
_TEXT = "plain text"
_BEGINS_HTTP = (b"GET ", b"POST", b"PUT ", b"HEAD", b"DELE", b"OPTI", b"PATC", b"CONN", b"TRAC", b"HTTP", b"PRI ")
_FIRST_BYTE_ZERO = 2**24 - 1  # neither TLS nor a text begins with a byte of 0
_OWN_PORT = re.compile(r"channelId=[^\s()-]{1,253}:(\d{1,5})-")
_DESTINATION = re.compile(r"\bdestination(?:Id)?=(\d{1,10})\b")
_LOOPBACK = re.compile(r"(?:^|//)(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?):\d")
_OWN_HOST_IN = re.compile(r"(?<![\w.:>-])((?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?):\d{1,5})(?!->)\b")
_TOWARDS = {"read": "read from", "write": "write to"}
_SOCKETS = re.compile(r"\b(read|write) tcp \S{3,60}:\d{1,5}->(\S{3,60}:\d{1,5})(?=: )")
_RESOURCE = re.compile(
    r"(?<=authorized to access this )(?:topic|group)\b|\b(?:Cluster|Topic|Group|Transactional ?Id)(?:Authorization| authorization)|\b(?:CLUSTER|TOPIC|GROUP|TRANSACTIONAL_ID)_AUTHORIZATION"
)
_OF_A_CONNECTOR = re.compile(
    r"\[[\w.-]{1,200}\|task-\d|\bWorker(?:Sink|Source)Task\b|\bkafka\.connect\.(?:errors|source|sink)\.|\bio\.debezium\."
)
_CLASS = re.compile(r"(?<![\w.$])(?:[a-z][\w$]{0,60}\.){1,12}(?P<name>[A-Z][\w$]{0,160})(?![\w.$])")
_THROWING_FRAME = re.compile(r"\sat (?:[\w.]{1,60}/)?((?!(?:javax?|jdk|sun|scala)\.)(?:[a-z]\w{0,60}\.){1,12}[A-Z])")
_LONG = 20_000  # only this much of a record is searched
_OF_KAFKA_OR_JAVA = re.compile(
    r"(?:org\.apache\.(?:kafka|zookeeper)|kafka|io\.confluent|org\.I0Itec|javax?|jdk|sun|com\.sun|scala|org\.rocksdb)\."
)
_NOT_A_CONNECTORS = re.compile(r"(?:org\.apache\.kafka|javax?|jdk|sun|scala)\.")
_SYSTEMS = {
    "sql": "A database (JDBC)",
    "postgresql": "PostgreSQL",
    "mysql": "MySQL",
    "mariadb": "MariaDB",
    "mongodb": "MongoDB",
    "sqlserver": "SQL Server",
    "amazonaws": "AWS",
    "awssdk": "AWS",
    "cloud": "Google Cloud",
    "api": "Google Cloud",
    "snowflake": "Snowflake",
    "azure": "Azure",
    "elasticsearch": "Elasticsearch",
    "opensearch": "OpenSearch",
    "neo4j": "Neo4j",
    "couchbase": "Couchbase",
    "datastax": "Cassandra",
    "clickhouse": "ClickHouse",
    "jdbc": "Oracle",
    "net": "Oracle",
}
_RESOURCES = {"clust": "the cluster", "topic": "a topic", "group": "a group", "trans": "a transactional id"}
_OF_DOCKERS_BRIDGE = re.compile(r"(?:^|//)172\.1[789]\.\d{1,3}\.\d{1,3}:\d")
_PEER_OF_RDKAFKA = re.compile(r"(?:[a-z_]+://)?(?P<address>[\w.-]+:\d+)/(?P<id>\d{1,9}|bootstrap)")
_OWN_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?)(?![\w.-])")
_LOCAL_HOST = re.compile(r"(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?):")


def read_line(line: Line, names: Subjects) -> Read:
    """The line with the meaning of its wording, the meaning of its exception, and its values."""
    wording, cause = wording_of(line), cause_of(line)
    values = values_of(line, names.of(line), names)
    if wording is not None and wording[0].written_by == CLIENTS and is_nameless(values["me"]):
        values["me"] = "this client"
    if wording is not None and wording[0].alone:
        cause = None
    if cause is not None and cause[0].key == "other-exception":
        if _is_connectors(line, cause[1]):
            cause = meaning("connector-exception"), cause[1]
        elif _is_another_programs(line, cause[1]):
            cause = meaning("exception-of-another"), cause[1]
    if cause is not None and cause[0].key in _OF_NO_ENTRY:
        cause = _with_its_kind(*cause), cause[1]
    for found in (wording, cause):
        if found is not None:
            values.update(_with_its_partition({name: value for name, value in found[1].items() if value}))
    if line.is_clients and (process := _process_of(line)):
        values["process"] = process
    if resource := _RESOURCE.search(line.text[:2000]):
        values["resource"] = _RESOURCES[resource[0][:5].lower()]
        if values["resource"] == "the cluster" and is_no_broker(values["me"]):
            values["on_cluster"] = _text_named("on_cluster")
    if cause is not None and cause[0].key == "replication-factor-refused":
        asked = f"{line.logger or ''} {line.text[:2000]}"
        if "available brokers: 0" in asked:
            values["no_broker"] = _text_named("no_broker")
        values["its_setting"] = setting.says if (setting := row_of("internal-topics", asked)) else ""
    if cause is not None and cause[0].key == "tls-certificate-expired":
        values.update(refused_certificate(line))
    if unheard := _UNHEARD.findall(line.message[:_LONG]):
        values["unheard"] = some([f"voter {voter}" for voter in unheard])
    if "org.apache.zookeeper.ClientCnxn" in line.trace:
        values["other_end"] = "ZooKeeper"
    if frame := _OWN_FRAME.search(line.trace):
        values["frame"] = _ANONYMOUS.sub("", frame[1])
    if cause is not None and not values.get("reason") and (callers := _callers(line.trace)):
        values["callers"] = callers
    known = wording[0] if wording else None
    if known is None and cause is None and line.severity >= WARN:
        known = _named_situation(line)
    return Read(line, known, cause[0] if cause else None, _more(line, values))


def _callers(trace: str) -> str:
    """The methods of two other classes that led to the method that threw, the nearest first; empty without them."""
    names = [_ANONYMOUS.sub("", frame["name"]) for frame in _FRAME.finditer(trace[:_LONG])]
    of_class = {name.partition(".")[0].partition("$")[0]: name for name in reversed(names)}
    return listed([*reversed(of_class.values())][1:3])


def _with_its_kind(meaning_of_it: Meaning, values: Mapping[str, str]) -> Meaning:
    """An exception that no entry knows, with what to do about the kind of reason that it names."""
    kind = kind_of_reason(f"{values.get('exception', '')}: {values.get('reason', '')}")
    if kind is None or kind.is_any:
        return meaning_of_it
    return replace(meaning_of_it, says=f"{meaning_of_it.says} {kind.says.removeprefix('{told} ')}", next=kind.next)


def _with_its_partition(values: dict[str, str]) -> dict[str, str]:
    """The values of a pattern; its own topic and partition take precedence over any similar pair in the line."""
    return (
        {"tp": f"{values['topic']}-{values['partition']}", **values}
        if {"topic", "partition"} <= set(values)
        else values
    )


def _is_connectors(line: Line, values: Mapping[str, str]) -> bool:
    """Whether a Kafka Connect task reports an exception that its connector threw, or one whose class belongs to
    another program.
    """
    text = line.text[:_LONG]
    if _OF_A_CONNECTOR.search(text) is None:
        return False
    named = _class_of_the_exception(line, values)
    if named is not None and _NOT_A_CONNECTORS.match(named) is None:
        return True
    threw = next(
        (found[1] for part in reversed(text.split("Caused by: ")) if (found := _THROWING_FRAME.search(part))), ""
    )
    return threw != "" and _NOT_A_CONNECTORS.match(threw) is None


def _is_another_programs(line: Line, values: Mapping[str, str]) -> bool:
    """Whether the class of the exception belongs to neither Kafka nor Java."""
    named = _class_of_the_exception(line, values)
    return named is not None and _OF_KAFKA_OR_JAVA.match(named) is None


def _class_of_the_exception(line: Line, values: Mapping[str, str]) -> str | None:
    """The class of the exception with its package; None if the line prints only its name."""
    classes = _CLASS.finditer(line.text[:_LONG])
    return next((one[0] for one in classes if one["name"] == values["exception"]), None)


def _process_of(line: Line) -> str | None:
    text = f"{line.logger or ''} {line.message[:300]}"
    if re.search(r"\.connect\.|o\.a\.k\.c\.r\.|\bWorker\w*\{id=|\[Worker ", text):
        return "Connect worker"
    return "Streams application" if re.search(r"\.streams\.|stream-(?:thread|client) \[", text) else None


def _named_situation(line: Line) -> Meaning | None:
    """The situation or known bug that an unrecognized line shows."""
    match = next((one for one in matches([line]) if one.is_reported_as_bug or not one.issue.is_bug), None)
    if match is None:
        return None
    issue = match.issue
    return Meaning(
        issue.key,
        f"{issue.title}.",
        "Kafka's own bug" if issue.is_bug else "see the action",
        effect=issue.consequence,
        heals=issue.heals,
        next=issue.advice,
    )


def _more(line: Line, values: dict[str, str]) -> dict[str, str]:
    """`values` with those that follow from them."""
    for rule in (_names, _files, _connections, _numbers, _states):
        rule(values)
    if line.kind in _OF_PARTITIONS:
        named = _PARTITIONS.findall(line.message[:_LONG])
        values["partitions_in"] = ",".join(dict.fromkeys(named))
        fetched = _FETCHED_FROM.findall(line.message[:_LONG])
        if len(fetched) == 1:
            values["fetch_offset"] = fetched[0]
    if line.kind == "isr_expand":
        old, new = (re.findall(r"\d+", values.get(name, "")) for name in ("old_isr", "isr"))
        values["added"] = ",".join(node for node in new if node not in old)
    if values.get("removed", "").isdecimal():
        values["removed_one"] = values["removed"]
    if line.kind == "kraft_partition_changed_unclean":
        _unclean_change(values)
    if own := line.own:
        values["own_id"] = own[1]
    if line.kind == "raft_vote_decision" and (asked := _EPOCHS_OF_A_CANDIDATE.search(line.message)):
        values["behind_epochs"] = str(int(asked["epoch"]) - int(asked["last"]))
    if line.kind in ("log_retention_delete", "log_segment_deleted"):
        _old_records(line, values)
    return values


def _unclean_change(values: dict[str, str]) -> None:
    """Adds whether the leader of a change that the controller calls unclean was an eligible leader replica, or was
    outside of the ISR, and which ISR that was.
    """
    leader = values.get("leader_id", "")
    isr, elr = (re.findall(r"\d+", values.get(name, "")) for name in ("previous_isr", "previous_elr"))
    if leader in elr:
        values["from_elr"] = ", ".join(elr)
    elif leader.isdecimal() and leader not in isr and {"previous_isr", "previous_elr"} & values.keys():
        who = f"{'broker' if len(isr) == 1 else 'brokers'} {listed(isr)}{' alone' if len(isr) == 1 else ''}"
        eligible = f" and broker {listed(elr)} the eligible leader" if elr else ""
        values["outside_isr"] = who if isr else f"empty{eligible}"


def _old_records(line: Line, values: dict[str, str]) -> None:
    """Adds how much older than their write the newest records of a removed segment are, in words and in percent of the
    retention time.
    """
    times = segment_times(line)
    limit = values.get("retention_ms", "")
    if times is None or not limit.isdecimal() or int(limit) == 0:
        return
    written, stamped = times
    old = written - stamped
    values["written"], values["stamped"] = (f"{ts:%Y-%m-%d %H:%M:%S} UTC" for ts in times)
    values["old"] = f"{old.days} days" if old.days > 1 else f"{old.total_seconds() / 3600:.1f} hours"
    if old > timedelta(minutes=5):
        values["old_percent"] = f"{old.total_seconds() * 100_000 / int(limit):.0f}"


def segment_times(line: Line) -> tuple[datetime, datetime] | None:
    """When a segment was last written, and the largest timestamp of its records."""
    found = _SEGMENT_TIMES.search(line.message)
    if found is None or not (found["largest"] or "").isdecimal():
        return None
    return _of_millis(found["modified"]), _of_millis(found["largest"])


def _of_millis(text: str) -> datetime:
    number = int(text)
    return datetime(1970, 1, 1, tzinfo=UTC) + (
        timedelta(milliseconds=number) if len(text) > 10 else timedelta(seconds=number)
    )


def _names(values: dict[str, str]) -> None:
    """Adds the names of partitions, replicas and leaders."""
    if "topic" in values and "partition" in values and "tp" not in values:
        values["tp"] = f"{values['topic']}-{values['partition']}"
    if "replica_id" not in values and (found := re.search(r"\d+", values.get("replica_key", ""))):
        values["replica_id"] = found[0]
    if "leader_id" in values and "leader" not in values:
        values["leader"] = f"leader {values['leader_id']}"
    if "topic_name" in values and "tp" not in values:
        named = f"{values['topic_name']}-{values.get('partition')}"
        values["tp"] = named if "partition" in values else f"topic {values['topic_name']}"
    if "other_id" in values:
        values["other"] = f"node {values['other_id']}"
    if values.get("server", "").isdecimal():
        values["server"] = f"server {values['server']}"
    reached = f"{values.get('address', '')} {values.get('reason', '')}"
    if advice := row_of("zookeeper-peer", reached):
        values["peer_next"] = advice.next
    if "fenced_id" in values:
        values["fenced"] = f"broker {values['fenced_id']}"
    if "peer" not in values and (to := _DESTINATION.search(values.get("request") or values.get("error", ""))):
        values["peer"], values["peer_id"] = f"node {to[1]}", to[1]


def _files(values: dict[str, str]) -> None:
    """Adds directories."""
    if "log_dirs" in values:
        values.setdefault("dirs", values["log_dirs"])
    if "dir" not in values and (found := _FILE_OF_A_DIRECTORY.match(values.get("path", ""))):
        values["dir"] = found["dir"]
    if "dir" in values:  # some layouts print the exception after the message
        values["dir"] = _EXCEPTION_BEHIND.split(values["dir"])[0]


def _connections(values: dict[str, str]) -> None:
    """Adds who connected and which protocol they use."""
    if client := _CLIENT_AT.match(values.get("desc", "")):
        values["client"] = client[1]
    if _LOOPBACK.search(values.get("peer", "")):
        values["loopback"] = _text_named("loopback", {"address": values["peer"]})
    if "address" in values:
        host, _, values["peer_port"] = values["address"].rpartition(":")
        values["peer_hosts"] = host.replace("/", ",")
    if "address" in values and is_no_broker(values["me"]):
        _from_where(values, values["address"], "peer_id" in values)
    elif (known := _PEER_OF_RDKAFKA.fullmatch(values.get("peer", ""))) is not None:
        _from_where(values, known["address"], known["id"].isdecimal())
    if _OF_DOCKERS_BRIDGE.search(values.get("peer", "")):
        values["docker"] = _text_named("docker", values)
    if inner := _INNER_CLIENT.search(values["me"]):
        values["inner"] = _text_named("inner", {"client": inner[1], "CLIENT": inner[1].upper()})
    reason = values.get("reason", "")
    if advice := row_of("connect-errors", reason):
        values["connect_next"] = advice.next
    if cloud := row_of("clouds", f"{values.get('peer', '')} {reason}"):
        values["cloud"] = f" {cloud.next}"
    if own := _OWN_HOST_IN.search(reason):
        values.setdefault("loopback", _text_named("loopback", {"address": own[1]}))
    if _SOCKETS.search(reason):
        values["reason"] = _SOCKETS.sub(lambda end: f"{_TOWARDS[end[1]]} {end[2]}", reason)
    if local := row_of("local-errors", reason):
        values["local"], values["local_next"] = local.says, local.next
    if tls := row_of("tls-errors", values.get("tls_error", "")):
        values["tls"], values["tls_next"] = tls.says, tls.next
    if re.fullmatch(r"-?\d{1,20}", values.get("size", "")):
        _first_bytes(values)


def _first_bytes(values: dict[str, str]) -> None:
    """Adds the protocol of a connection whose first bytes were read as a length."""
    port = found[1] if (found := _OWN_PORT.search(values.get("desc", ""))) else ""
    values["at_port"] = f" (port {port})" if port else ""
    shown = {**values, "who": values.get("client", "Something")}
    if greeting := _greeting(int(values["size"])):
        shown["protocol"], values["greeting"] = greeting
        values["speaks"] = _text_named("speaks_text" if greeting[0] == _TEXT else "speaks", shown)
        values["compare"] = _text_named("compare_tls" if greeting[0] == "TLS" else "compare", shown)
    elif _is_a_request(values):
        values["speaks"] = _text_named("speaks_too_much", {**shown, "who": values.get("client", "A client")})
    elif "client" in values:
        values["speaks"] = _text_named("speaks_no_kafka", shown)


def _from_where(values: dict[str, str], address: str, is_of_metadata: bool) -> None:
    """Adds where the client got the address from. If a broker advertises the client's own host, that comes first."""
    from_where = "from_metadata" if is_of_metadata else "from_bootstrap"
    values["origin"] = _text_named(f"{from_where}_here" if _OWN_HOST.match(address) else from_where)
    if not is_of_metadata:
        values["listens"] = ", and listens there"
    if is_of_metadata and _OWN_HOST.match(address):
        values["own_host"] = address
        values["advertised"] = f"A broker advertises {address}, which is the client's own host for each client: "
        values.pop("loopback", None)


def _numbers(values: dict[str, str]) -> None:
    """Adds differences between offsets and between versions, retention times and pauses."""
    ends = values.get("log_end_offset", ""), values.get("leader_end_offset", "")
    if all(end.isdecimal() for end in ends):
        values["missing"] = f"{int(ends[0]) - int(ends[1]):,}"
    if breach := _RETENTION.search(values.get("reason", "")):
        values.setdefault("retention_ms", breach[1])
    for java, class_file in (("needed_java", "built_for"), ("running_java", "up_to")):
        if values.get(class_file, "").isdecimal():
            values[java] = str(int(values[class_file]) - _CLASS_FILE_OF_JAVA)
    if all(values.get(name, "").isdecimal() for name in ("incoming", "current")):
        _sequence(values, int(values["incoming"]), int(values["current"]))
    if values.get("up", "").isdecimal():
        seconds = int(values["up"]) // 1000
        values["known_up"] = " "
        values["up_for"] = (
            f"{round(seconds / 60)} minutes" if seconds >= 120 else f"{seconds} s" if seconds else f"{values['up']} ms"
        )
    if values.get("position", "").isdecimal():
        values["from_end"] = str(2**31 - int(values["position"]))
    if values.get("elapsed_ms", "").isdecimal() and int(values["elapsed_ms"]) >= _STALLED_MS:
        values["stall"] = _text_named("stall")


def _sequence(values: dict[str, str], incoming: int, current: int) -> None:
    """Adds the sequence numbers that a producer left out, or that it sent an older one."""
    if incoming > current + 1:
        is_one = incoming == current + 2
        values["gap"] = (
            f"sequence number {current + 1} is missing"
            if is_one
            else f"sequence numbers {current + 1} to {incoming - 1} are missing"
        )
    elif incoming <= current:
        values["gap"] = "an older batch came again"


def _states(values: dict[str, str]) -> None:
    """Adds replicas, ISRs, requests and errors in words."""
    if "assigned_replicas" in values or ("replica_id" in values and "replicas" in values):
        values["assigned"] = values.get("assigned_replicas") or values["replicas"]
    if "in_sync" in values and "assigned" in values:
        in_sync = values["in_sync"].split(",")
        values["missing"] = ", ".join(node for node in values["assigned"].split(",") if node not in in_sync)
    stood = re.findall(r"brokerId: (\d+), endOffset: (-?\d+)", values.get("out_of_sync_replicas", ""))
    if stood and "log_end_offset" in values:
        ends = " and ".join(f"broker {node} at {offset}" for node, offset in stood)
        values["stood"] = f"{ends}; the leader's log ends at {values['log_end_offset']}"
    if values.get("isr", "").strip().isdecimal() and "old_isr" in values:
        values["alone_is"] = f"Broker {values['isr'].strip()} is then alone in sync."
    if values.get("api_name") in _BETWEEN_NODES:
        values["of_a_node"] = _text_named("of_a_node", values)
    if "partitions" in values:
        named = re.findall(r"([A-Za-z_][\w.-]{0,249}-\d{1,10})\b(?! ?:)", values["partitions"])
        values["partitions"] = some(named) if named else values["partitions"]
    if values.get("api_key") in _REQUESTS and not values.get("api_name"):
        values["api_name"] = f" ({_REQUESTS[values['api_key']]})"
    if "package" in values:
        values["system"] = _SYSTEMS.get(values["package"].rpartition(".")[2], "The system that is read or written")
    if "error" in values and "broker" in values["error"] and ":" in values["error"]:
        values["error"] = values["error"].rsplit(":", 1)[-1].strip()


def _text_named(name: str, values: Mapping[str, str] | None = None) -> str:
    """A text of the table of what meanings quote about addresses, protocols and pauses."""
    return filled(_texts()[name], values or {})


@cache
def _texts() -> dict[str, str]:
    return {row.text: row.says for row in rows_of("addresses-and-protocols")}


def _is_a_request(values: Mapping[str, str]) -> bool:
    """Whether the length can be that of a large request of a real client."""
    limit = values.get("limit", "")
    return limit.isdecimal() and int(limit) < int(values["size"]) <= max(4 * int(limit), _FIRST_BYTE_ZERO)


def _greeting(size: int) -> tuple[str, str] | None:
    """The protocol of a connection whose first four bytes were read as a length, and what those bytes are."""
    if not -(2**31) <= size < 2**32:
        return None
    begin = (size % 2**32).to_bytes(4, "big")
    if begin.startswith(b"\x16\x03"):
        return "TLS", "how TLS begins, on a port without TLS"
    if begin[0] == 0xFF and 0xFB <= begin[1] <= 0xFE:
        return "Telnet", "how Telnet begins"
    if begin == b"SSH-":
        return "SSH", "the text 'SSH-', as SSH sends it"
    if begin in _BEGINS_HTTP:
        return "HTTP", f"the text '{begin.decode().strip()}', as HTTP sends it"
    if begin.isascii() and begin.decode().strip().isalpha():
        return _TEXT, f"the text '{begin.decode().strip()}'"
    return None


# What only brokers and controllers send.
_BETWEEN_NODES = (
    "VOTE",
    "BEGIN_QUORUM_EPOCH",
    "END_QUORUM_EPOCH",
    "FETCH_SNAPSHOT",
    "BROKER_REGISTRATION",
    "BROKER_HEARTBEAT",
    "CONTROLLER_REGISTRATION",
    "ALTER_PARTITION",
    "ASSIGN_REPLICAS_TO_DIRS",
    "ENVELOPE",
    "LEADER_AND_ISR",
    "STOP_REPLICA",
    "UPDATE_METADATA",
    "CONTROLLED_SHUTDOWN",
    "ALLOCATE_PRODUCER_IDS",
)
_REQUESTS = {
    "11": "join group",
    "12": "heartbeat",
    "17": "SaslHandshake",
    "18": "ApiVersions",
    "13": "leave group",
    "14": "sync group",
}


_BOOTSTRAP = re.compile(
    r"\[thrd:(?:[a-z_]{1,20}://)?(?P<at>[\w.-]{1,255}:\d{1,5})/bootstrap\]|[Bb]ootstrap broker (?P<at_2>[\w.-]{1,255}:\d{1,5})"
    r"|node_id=bootstrap[\w-]{0,20} host=(?P<at_3>[\w.-]{1,255}:\d{1,5})"
    r"|[Cc]onnection to node -\d{1,3} \((?P<host>[\w.-]{1,255})(?:/[\w.:]{0,60})?:(?P<port>\d{1,5})\)"
)
_RESOLVED = re.compile(r"/[\w.:]{0,60}(?=:\d{1,5}$)")  # Java prints the address behind the name
_LOOKED_AT = 2_000  # characters of a message


def with_retention_times(read: Sequence[Read]) -> list[Read]:
    """`read` with the retention time in the lines that name removed segments: up to 2.6 the line before them has it."""
    limits: dict[str, str] = {}
    whole: list[Read] = []
    for one in read:
        tp = one.values.get("tp", "")
        if one.line.kind == "log_retention_delete" and "retention_ms" in one.values:
            limits[tp] = one.values["retention_ms"]
        elif one.line.kind == "log_segment_deleted" and tp in limits:
            one = replace(one, values={**one.values, "retention_ms": limits[tp]})
            _old_records(one.line, one.values)
        whole.append(one)
    return whole


def with_the_log_end(read: Iterable[Read], release_of: Callable[[Line], str | None]) -> list[Read]:
    """`read`, with a note where a high watermark was set back: in some releases, the first value can be the log end."""
    return [_with_the_log_end(one, release_of(one.line)) if one.means("hw-backwards") else one for one in read]


def _with_the_log_end(one: Read, named: str | None) -> Read:
    if named is not None and not _PRINTS_THE_LOG_END.has(release(named)):
        return one
    return replace(one, values={**one.values, "may_be_log_end": _text_named("may_be_log_end")})


def asked_there(read: Sequence[Read]) -> list[Read]:
    """`read` without the advertised address as a reason if the client's only bootstrap address is the same."""
    asked: dict[str, set[str]] = defaultdict(set)
    for one in read:
        if "bootstrap" in one.line.message or "node -" in one.line.message:
            for found in _BOOTSTRAP.finditer(one.line.message[:_LOOKED_AT]):
                named = found["at"] or found["at_2"] or found["at_3"] or f"{found['host']}:{found['port']}"
                asked[one.line.source].add(_local(named))
    return [
        replace(one, values=_of_a_local_broker(one.values))
        if "own_host" in one.values and asked[one.line.source] == {_local(one.values["own_host"])}
        else one
        for one in read
    ]


def _local(address: str) -> str:
    """An address of the client's own host with one name for it."""
    return _LOCAL_HOST.sub("localhost:", _RESOLVED.sub("", address))


def _of_a_local_broker(values: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in values.items() if name not in ("advertised", "loopback")}
    return kept | {"origin": _text_named("from_there_before"), "listens": ", and listens there"}


_ZK_CONNECT = re.compile(r"^Unable to open socket to (?:\{\})?(?P<address>\S{1,300})$")
_ZK_ERROR = re.compile(r"^Socket error occurred: (?P<address>\S{1,300}): (?P<error>[^\n]{1,300})$")
_NEXT_LINES = 3  # another thread may log in between


def with_socket_errors(lines: Sequence[Line]) -> list[Line]:
    """The lines; the one in which ZooKeeper's client could not open a socket has the error that it logs in its next line, a
    quiet one (`ClientCnxnSocketNIO.connect`, `ClientCnxn.SendThread`).
    """
    joined: list[Line] = []
    waiting: dict[tuple[str, str], int] = {}
    for line in lines:
        opens, error = _ZK_CONNECT.match(line.message), _ZK_ERROR.match(line.message)
        if error is not None:
            at = waiting.pop((line.source, error["address"]), None)
            if at is not None and line.number - joined[at].number <= _NEXT_LINES:
                joined[at] = replace(joined[at], trace=f"java.net.SocketException: {error['error']}")
                continue
        elif opens is not None and not line.trace:
            waiting[line.source, opens["address"]] = len(joined)
        joined.append(line)
    return joined


# --- Quiet lines

_SEGMENT_SIZE = re.compile(r"\bsize=(\d+)")
_SEGMENTS = ("to_delete", "segment", "deletable", "segments", "segments_to_delete")  # fields that hold segments
_STATE = re.compile(r"^(\w+)State\(|^(\w+)\(")
_EPOCH = re.compile(r"\bepoch=(\d+)")
_LED_BY = re.compile(r"leaderId=(?:OptionalInt\[)?(\d+)")
_FETCHED = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]{0,249}?-\d{1,10}) -> (?:InitialFetchState\((?:\S{1,300}, )?BrokerEndPoint\(id=\d+, host=[^)]{0,300}\),\s?(\d+),\s?(\d+)|\(offset=(\d+))"
)
_POSITION = re.compile(r"\boffset=(\d{1,20})\b")
_MEMBER = re.compile(r"(?:[Mm]ember|member with id) (?P<member>[\w.-]+)")
_UUID = re.compile(r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_WRITER = re.compile(r"^(?:\[[^\]]*\]:? |[a-z-]{3,24} \[[^\]]*\] ){1,3}")
_QUOTED = 110  # characters of a message that a sentence quotes


def step_values(one: Read) -> dict[str, str]:
    """The values of a quiet line, as its sentence names them: those of the line, with lists, sizes and states in words."""
    values = {name: value for name, value in one.values.items() if value}
    isr, old_isr = (re.findall(r"\d+", values.get(name, "")) for name in ("isr", "old_isr"))
    stood = re.findall(r"brokerId: (\d+), endOffset: (-?\d+)", values.get("out_of_sync_replicas", ""))
    loaded, logs = values.get("num_loaded", ""), values.get("num_logs", "")
    leader, position = values.get("new_leader_name", ""), values.get("position", "")
    printed = _POSITION.search(position)
    is_loading = loaded.isdecimal() and logs.isdecimal() and int(loaded) < int(logs)
    made = {
        "Me": values["me"][:1].upper() + values["me"][1:],
        "said": _own_words(one.line.message),
        "active_controller": f"node {leader} is the active controller"
        if leader.isdecimal()
        else "no active controller is known yet",
        "asker": "A health check or a tool" if "command" in values else "A health check, a tool or a refused client",
        "position_is": printed[1] if printed else position if position.isdecimal() else "",
        "gone": _brokers([node for node in old_isr if node not in isr]),
        "added": _brokers([node for node in isr if node not in old_isr]),
        "behind": " and ".join(f"broker {node} stood at {offset}" for node, offset in stood),
        "alone": f" Broker {isr[0]} alone is in sync." if len(isr) == 1 else "",
        "isr": ", ".join(isr),
        "was_offline": "; before, the partition had no leader"
        if values.get("from_state") == "OfflinePartition"
        else "",
        "segments_are": _segments(values),
        "retention_is": _retention(values),
        "age": _age(one.line),
        "fetched": some([f"{tp} (from offset {offset})" for tp, offset in fetched(one.line)]),
        "state_is": _state(values.get("state") or values.get("new_state") or ""),
        "reason": _without_random_part(values.get("reason", "")),
        "let_it_finish": " Let it finish." if is_loading else "",
    }
    return values | {name: value for name, value in made.items() if value}


def fetched(line: Line) -> list[tuple[str, str]]:
    """The partitions that a fetcher starts to fetch, with their start offsets."""
    if line.kind != "fetcher_partitions_added":
        return []
    return [(found[1], found[3] or found[4]) for found in _FETCHED.finditer(line.message) if found[3] or found[4]]


def _own_words(message: str) -> str:
    """A message shortened for quoting in a sentence, without the name of its writer."""
    text = _WRITER.sub("", message).strip().rstrip(".")
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED].rpartition(' ')[0]} …"


def _brokers(of: Sequence[str]) -> str:
    return f"broker {listed(of)}" if of else ""


def _segments(values: Mapping[str, str]) -> str:
    text = next((values[name] for name in _SEGMENTS if name in values), "")
    many, size = text.count("baseOffset="), sum(map(int, _SEGMENT_SIZE.findall(text)))
    unit = next((f"{size / 2**power:.0f} {unit}" for unit, power in _SIZES if size >= 2**power), f"{size} bytes")
    return f"{'a segment' if many == 1 else f'{many} segments'} ({unit})" if many else ""


def _retention(values: Mapping[str, str]) -> str:
    if "retention_ms" in values:
        return f"retention.ms ({_span(int(values['retention_ms']) / 1000)})"
    size = values.get("retention_size") or values.get("local_retention_size")
    return f"retention.bytes ({size})" if size else ""


def _age(line: Line) -> str:
    times = segment_times(line)
    old = (line.ts - times[1]).total_seconds() if times is not None and line.ts is not None else 0
    return f" Its newest record is timestamped {_span(old)} before." if old > 0 else ""


def _span(seconds: float) -> str:
    return next((f"{seconds / size:.0f} {unit}" for unit, size in _UNITS if seconds >= 2 * size), f"{seconds:.1f} s")


def _state(state: str) -> str:
    """The state of a member of the quorum: `follower of node 3 (epoch 7)`."""
    name, epoch, leader = _STATE.match(state), _EPOCH.search(state), _LED_BY.search(state)
    kind = (name[1] or name[2]).removesuffix("State").lower() if name else state[:40]
    of = f" of node {leader[1]}" if leader and kind.startswith("follower") else ""
    return f"{kind}{of}" + (f" (epoch {epoch[1]})" if epoch else "")


def _without_random_part(reason: str) -> str:
    """A reason that names a member by its client id alone."""
    member = _MEMBER.search(reason)
    return reason.replace(member["member"], _UUID.sub("", member["member"])) if member else reason


_SIZES = (("GB", 30), ("MB", 20), ("kB", 10))
_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))
