"""From records to the answer: each message once, consequences under their causes, harmless ones separately."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from replay.catalogue.recorded import recorded_in
from replay.facts.groups import by_key
from replay.knowledge.analyzed import GOES_ON, Findings, Found
from replay.knowledge.answer import Answer, ExplainedMessage, LooksLike, Unknown
from replay.knowledge.choosing import (
    EXCEPTIONS,
    OF_CLIENTS,
    SIGNS,
    WARN,
    WORDINGS,
    Read,
    cause_of,
    is_foreign,
    wording_of,
)
from replay.knowledge.exceptions import CONNECTOR_EXCEPTION, EXCEPTION_OF_ANOTHER
from replay.knowledge.joins import (
    asked_there,
    attempts,
    being_created,
    bootstraps_once,
    both_sides,
    closed_when_idle,
    echoes,
    fenced_before,
    heap_of_the_cleaner,
    logins_once,
    recovered,
    with_socket_errors,
    without_effect,
)
from replay.knowledge.libraries import CLOUDS, CONNECT_ERRORS, LOCAL_ERRORS, TLS_ERRORS
from replay.knowledge.lost_batches import after_lost_batches
from replay.knowledge.matching_issues import MOST_TEXTS, Match, matches, release_of, unsearched_texts
from replay.knowledge.meaning import (
    ENDED,
    HARMLESS,
    PASSING,
    READ_ON,
    RECORDED,
    STOPPED,
    TROUBLE,
    UNSEEN,
    WEIGHTS,
    Meaning,
    filled,
    places_in,
)
from replay.knowledge.naming import (
    Subjects,
    is_nameless,
    is_no_broker,
    nodes_named,
    rows_about_others,
    subjects,
    values_of,
)
from replay.knowledge.narration import in_order, narrated, unrecognized
from replay.knowledge.others import PEER_OF_ZOOKEEPER
from replay.knowledge.refusals import REPLICAS_OF_INTERNAL_TOPICS
from replay.knowledge.stories import Story, stories
from replay.knowledge.text_lines import NO_LEVEL, Line
from replay.knowledge.together import downgraded, missing, notes_on, together
from replay.lists import listed
from replay.reading.pasted import OTHERS, SETTING, TYPED, UNKNOWN

_LISTED = (
    "tp",
    "leader",
    "peer",
    "dir",
    "group_id",
    "member",
    "topic",
    "file",
    "host",
    "error",
    "me",
    "gone",
    "stopping",
    "fenced",
    "epoch",
    "pod",
    "what",
    "unheard",
)
_ADDRESSES = (
    "clients",
    "client_address",
    "address",
    "peer",
    "me",
    "follower",
    "Follower",
    "removed_are",
    "connection_id",
)
_MOST_PARTS = 8
_AT_MOST = 3
_STALLED_MS = 60_000
STARTS = (
    "process_start_line",
    "process_signal_registered",
    "controller_process_starting",
    "broker_starting",
)  # as in replay.facts.lives, which loads Spark
_STARTS_WITHIN = timedelta(seconds=60)
_BEFORE = "Before the first finding"
_FILE_OF_A_DIRECTORY = re.compile(
    r"(?P<dir>(?:/|[A-Z]:\\).*?)[\\/](?:[\w.-]+-\d+[\\/](?:leader-epoch-checkpoint|partition\.metadata)|[\w-]*offset-checkpoint|meta\.properties)(?:\.tmp)?$"
)
_EXCEPTION_BEHIND = re.compile(r": (?:[a-z]\w*\.)+[A-Z]")
_CLIENT_AT = re.compile(r"/?((?=[\w.:-]*\d)[\w.:-]++)(?: \(channelId|$)")
_OWN_FRAME = re.compile(r"\bat ((?:org\.apache\.)?kafka\.[\w.$]+)\(")
_SHOW_WHICH_END = (
    "connection-refused",
    "connection-timed-out",
    "connection-not-permitted",
    "connection-rejected-here",
    "no-route",
)
TAIL = "The end of a stack trace, whose exception stands above these lines"
_FRAMES_ALONE = (
    "These are only the frames of a stack trace: the lines above them, with the name of the exception, are missing."
)
# The part of Kafka that a stack frame belongs to.
_PARTS = (
    ("LogCleaner", "the log cleaner was at work: "),
    ("ReplicaFetcherThread", "a replica fetcher was at work: "),
    ("LogLoader", "a log was being loaded: "),
    ("LogManager.loadLog", "logs were being loaded: "),
    ("KafkaRequestHandler", "a request was being handled: "),
    ("kafka.network.Processor", "a connection was being served: "),
    ("SnappyLoader", "the native library of snappy was being loaded: "),
    ("com.github.luben.zstd.util.Native", "the native library of zstd was being loaded: "),
)
_INNER_CLIENT = re.compile(r"\bconnector-(consumer|producer)-")
_OF_ANY_PROGRAM = (
    "host-unknown",
    "zookeeper-host-unknown",
    "own-host-name",
    "connection-refused",
    "connection-timed-out",
    "no-route",
    "tls-certificate-expired",
    "tls-name-differs",
    "tls-not-trusted",
    "zk-tls-not-set-up",
)
_EITHER_FIRST = timedelta(seconds=2)  # if two lines of a client are this close, either can be the cause
_UNHEARD = re.compile(
    r"(?<![\w.])(\d{1,10})=(?:UNRECORDED|VoterState\(replicaKey=ReplicaKey\([^()]{0,120}\), state=UNRECORDED\))"
)
_QUOTED = 200  # characters of a message that the summary quotes
_CLASS_FILE_OF_JAVA = 44  # class file version 61 is Java 17's
_RETENTION = re.compile(r"retention time (\d{1,20})ms breach")
_TEXT = "plain text"
_BEGINS_HTTP = (b"GET ", b"POST", b"PUT ", b"HEAD", b"DELE", b"OPTI", b"PATC", b"CONN", b"TRAC", b"HTTP", b"PRI ")
_FIRST_BYTE_ZERO = 2**24 - 1  # neither TLS nor a text begins with a byte of 0
_OWN_PORT = re.compile(r"channelId=[^\s()-]{1,253}:(\d{1,5})-")
_DESTINATION = re.compile(r"\bdestination(?:Id)?=(\d{1,10})\b")
_LOOPBACK = re.compile(r"(?:^|//)(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?):\d")
_OWN_HOST_IN = re.compile(r"(?<![\w.:>-])((?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?):\d{1,5})(?!->)\b")
# Both ends of a connection as Go prints them: the client's end, with a new port each time, comes first.
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
# librdkafka's broker names end with the id from metadata, or with the word `bootstrap`.
_PEER_OF_RDKAFKA = re.compile(r"(?:[a-z_]+://)?(?P<address>[\w.-]+:\d+)/(?P<id>\d{1,9}|bootstrap)")
_OWN_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?)(?![\w.-])")
_PREFIX = re.compile(r"^(?:\[[^\]\n]{1,300}\]:? ?){1,3}")
_QUANTITY = re.compile(r"(?:offset|epoch|ms|seconds|bytes|size|count)$|^(?:number|count)_", re.IGNORECASE)
_DOES_NOT_HEAL = re.compile(r"no\b(?! need)")
_NAME = re.compile(r"[\w@-]+\.service|(?:systemd|ksqlDB)\b")  # never with a capital
_COMMAND = re.compile(r"(?:kafka-|kubectl |getent |nc |ss |openssl )")


def explained(
    lines: Sequence[Line],
    releases: Mapping[str, str] | None = None,
    nodes: Mapping[str, int] | None = None,
    found: Sequence[Found] = (),
    *,
    proofs: Collection[str] = (),
    is_complete: bool = True,
) -> Answer:
    """What `lines` mean, whether from one node or several. `releases` and `nodes` give the release and the node of a
    file, if known from elsewhere. `found`: the findings of an analysis, which explain many lines, except their
    `proofs`, which say why. `is_complete`:
    include quiet lines and all that several lines mean together.
    """
    if nodes is not None:
        lines = [line if line.node is not None else replace(line, node=nodes.get(line.source)) for line in lines]
    elsewhere = rows_about_others(lines)
    lines = with_socket_errors([line for line in lines if line.kind not in (TYPED, SETTING)])
    kafkas = _to_explain(lines)
    brokers = [line for line in kafkas if not line.is_clients]
    names = subjects(kafkas, nodes, elsewhere)
    read = asked_there([_read(line, names) for line in kafkas])
    own = stories(in_order(read), is_complete=is_complete)
    findings = Findings([*found, *(story.found for story in own if story.found is not None)])
    in_stories = {where for story in own for where in story.instead_of}
    sides, same = both_sides(recovered(downgraded(after_lost_batches(_joined(read), findings), findings)))
    known = [(one, None if one.line.where in proofs else findings.explaining(one)) for one in sides if one.is_known]
    known = [(one, why) for one, why in known if one.line.where not in in_stories]
    unexplained = _groups_by_phase((one for one, why in known if why is None), findings.begin)
    messages = _with_consequences([*map(_message_of_story, own), *map(_message_of, unexplained)])
    messages = sorted(_with_phases(messages, lines, findings.begin), key=_order)
    explained_lines = {one.line.where for one, why in known if why is not None} | in_stories
    crashed = [line for line in brokers if line.kind != "jvm_no_memory"]  # which has its own meaning
    bugs, situations = _issues(crashed, names, releases or {}, explained_lines)
    apart = [one for one in read if one.line.where not in in_stories]
    serious = tuple(one for one in messages if not one.is_harmless)
    harmless = tuple(one for one in messages if one.is_harmless)
    ours = {line.where for line in kafkas}
    aside = sum(line.kind is None and line.severity >= WARN and line.where not in ours for line in lines)
    unknown = _unknown_lines(one.line for one in apart if not one.is_known and one.line.severity >= WARN)
    answer = Answer(
        summary="",
        together=(*same, *together(apart, reports_stops=is_complete and not _asked(findings.all)), *situations),
        told=serious,
        looks_like=bugs,
        harmless=harmless,
        consequences=tuple(_following(known, findings.all)),
        unknown=unknown,
        events=tuple(narrated(read, in_stories)) if is_complete else (),
        not_recognized=tuple(_not_recognized(lines, apart)) if is_complete else (),
        notes=(*notes_on(lines, kafkas, brokers), *_not_searched(kafkas, names)),
        missing=tuple(missing(serious, harmless, kafkas, names.here)),
        records=len(lines),
        foreign=len(lines) - len(kafkas),
        releases=_releases(kafkas, names, releases or {}),
    )
    strange = next((line for line in lines if line.where not in ours and _FAILS_ANYWHERE.search(line.message)), None)
    return replace(answer, summary=_summary(answer, kafkas, aside, strange))


def _joined(read: Sequence[Read]) -> list[Read]:
    """`read` with one line for each event that several lines report, and with the meanings that nearby lines change."""
    once = bootstraps_once(logins_once(heap_of_the_cleaner(echoes(read))))
    return being_created(fenced_before(without_effect(attempts(closed_when_idle(once)))))


def _to_explain(lines: Sequence[Line]) -> list[Line]:
    """The lines of Kafka and its users; if there are none, lines of other programs whose exception means the same in
    any program.
    """
    with_logger = {line.source for line in lines if line.template is not None and line.logger is not None}
    kafkas = [line for line in lines if not is_foreign(line, line.source in with_logger)]
    return kafkas or [line for line in lines if _fails_like_any_program(line)]


def _fails_like_any_program(line: Line) -> bool:
    """Whether a line of another program prints an exception that means the same in any program."""
    cause = cause_of(line) if line.severity >= WARN and not line.writer else None
    return cause is not None and cause[0].key in _OF_ANY_PROGRAM


def _asked(found: Sequence[Found]) -> bool:
    """Whether an analysis found something; it then reports stops, leaders and controllers itself."""
    return any(what.code for what in found)


def _not_recognized(lines: Sequence[Line], read: Sequence[Read]) -> list[Unknown]:
    """The unrecognized lines below WARN and the lines without a layout, each text once."""
    quiet = [line for line in unrecognized(read) if line.severity < WARN]
    strange = [line for line in lines if line.kind == UNKNOWN or (line.kind == OTHERS and line.severity >= WARN)]
    return list(_unknown_lines(line for line in (*strange, *quiet) if line.message.strip()))


def _following(known: Sequence[tuple[Read, Found | None]], found: Sequence[Found]) -> Iterator[ExplainedMessage]:
    """The consequences of each finding, in the order in which the findings began."""
    following: dict[int, list[Read]] = {}
    for one, why in known:
        following.setdefault(id(why), []).append(one)
    for what in sorted(found, key=lambda what: (what.since, what.code)):
        groups = _groups(following.get(id(what), ()))
        messages = [replace(_with_reason(_message_of(group)), follows=what.description) for group in groups]
        yield from sorted(messages, key=lambda one: (-_when(one.first), one.key))


def _with_reason(one: ExplainedMessage) -> ExplainedMessage:
    """The message of a failed connection, with the end that refused it if its exception shows that."""
    return replace(one, says=f"{one.says} {one.because}") if one.cause in _SHOW_WHICH_END and one.because else one


def _read(line: Line, names: Subjects) -> Read:
    wording, cause = wording_of(line), cause_of(line)
    values = values_of(line, names.of(line), names)
    if wording is not None and id(wording[0]) in OF_CLIENTS and is_nameless(values["me"]):
        values["me"] = "this client"
    if wording is not None and wording[0].alone:
        cause = None
    if cause is not None and cause[0].key == "other-exception":
        if _is_connectors(line, cause[1]):
            cause = CONNECTOR_EXCEPTION, cause[1]
        elif _is_another_programs(line, cause[1]):
            cause = EXCEPTION_OF_ANOTHER, cause[1]
    for found in (wording, cause):
        if found is not None:
            values.update(_with_its_partition({name: value for name, value in found[1].items() if value}))
    if line.is_clients and (process := _process_of(line)):
        values["process"] = process
    if resource := _RESOURCE.search(line.text[:2000]):
        values["resource"] = _RESOURCES[resource[0][:5].lower()]
        if values["resource"] == "the cluster" and is_no_broker(values["me"]):
            values["on_cluster"] = (
                "on Cluster Describe to list brokers or log directories, DescribeConfigs for their settings, Create"
                " for topics, Alter for ACLs; "
            )
    if cause is not None and cause[0].key == "replication-factor-refused":
        asked = f"{line.logger or ''} {line.text[:2000]}"
        if "available brokers: 0" in asked:
            values["no_broker"] = (
                "No broker at all was known there: none runs, or none has registered in that ZooKeeper (and chroot) or"
                " with that controller. "
            )
        values["its_setting"] = next((name for text, name in REPLICAS_OF_INTERNAL_TOPICS if text in asked), "")
    if unheard := _UNHEARD.findall(line.message[:_LONG]):
        values["unheard"] = _listed([f"voter {voter}" for voter in unheard])
    if "org.apache.zookeeper.ClientCnxn" in line.trace:
        values["other_end"] = "ZooKeeper"
    if frame := _OWN_FRAME.search(line.trace):
        values["frame"] = frame[1]
    known = wording[0] if wording else None
    if known is None and cause is None and line.severity >= WARN:
        known = _named_situation(line)
    return Read(line, known, cause[0] if cause else None, _more(values))


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


def _more(values: dict[str, str]) -> dict[str, str]:
    """`values` with those that follow from them."""
    for rule in (_names, _files, _connections, _numbers, _states):
        rule(values)
    return values


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
    if advice := next((do for text, do in PEER_OF_ZOOKEEPER if re.search(text, reached)), None):
        values["peer_next"] = advice
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
        values["loopback"] = _loopback(values["peer"])
    if "address" in values and is_no_broker(values["me"]):
        _from_where(values, values["address"], "peer_id" in values)
    elif (known := _PEER_OF_RDKAFKA.fullmatch(values.get("peer", ""))) is not None:
        _from_where(values, known["address"], known["id"].isdecimal())
    if _OF_DOCKERS_BRIDGE.search(values.get("peer", "")):
        values["docker"] = (
            f" {values['peer']} looks like an address of Docker's own bridge, which other hosts do not reach: then"
            " advertised.listeners must name the host and the published port."
        )
    if inner := _INNER_CLIENT.search(values["me"]):
        values["inner"] = (
            f" This is the inner {inner[1]} of a connector: it takes the worker's bootstrap.servers, but of its security"
            f" settings only those with the prefix {inner[1]}. (such as {inner[1]}.security.protocol and"
            f" {inner[1]}.sasl.jaas.config; Docker: CONNECT_{inner[1].upper()}_SECURITY_PROTOCOL), or"
            f" {inner[1]}.override. in the connector's own configuration."
        )
    reason = values.get("reason", "")
    if advice := next((do for error, do in CONNECT_ERRORS if error.search(reason)), None):
        values["connect_next"] = advice
    if cloud := next((do for host, do in CLOUDS if host.search(f"{values.get('peer', '')} {reason}")), None):
        values["cloud"] = f" {cloud}"
    if own := _OWN_HOST_IN.search(reason):
        values.setdefault("loopback", _loopback(own[1]))
    if _SOCKETS.search(reason):
        values["reason"] = _SOCKETS.sub(lambda end: f"{_TOWARDS[end[1]]} {end[2]}", reason)
    if texts := next((texts for error, texts in LOCAL_ERRORS.items() if reason.startswith(error)), None):
        values["local"], values["local_next"] = texts
    if values.get("tls_error") in TLS_ERRORS:
        values["tls"], values["tls_next"] = TLS_ERRORS[values["tls_error"]]
    if re.fullmatch(r"-?\d{1,20}", values.get("size", "")):
        _first_bytes(values)


def _first_bytes(values: dict[str, str]) -> None:
    """Adds the protocol of a connection whose first bytes were read as a length."""
    port = found[1] if (found := _OWN_PORT.search(values.get("desc", ""))) else ""
    values["at_port"] = f" (port {port})" if port else ""
    if greeting := _greeting(int(values["size"])):
        protocol, values["greeting"] = greeting
        who = values.get("client", "Something")
        values["speaks"] = (
            f"{who} sent {_TEXT} to {values['me']}{values['at_port']}, which no client of Kafka does"
            if protocol == _TEXT
            else f"{who} speaks {protocol} to a listener of {values['me']}{values['at_port']} that does not"
        )
        values["compare"] = (
            "Compare the protocol of that client (security.protocol, or its library's TLS setting) with that of the listener."
            if protocol == "TLS"
            else f"Find what sends {protocol} there: a health check, a monitor, a scanner, or a person."
        )
    elif _is_a_request(values):
        who = values.get("client", "A client")
        values["speaks"] = f"{who} sent {values['me']} a request that is too large, or does not speak Kafka"
    elif "client" in values:
        values["speaks"] = (
            f"{values['client']} does not speak Kafka to {values['me']}{values['at_port']}, or speaks TLS to a listener without it (or the reverse)"
        )


def _loopback(address: str) -> str:
    return (
        f" {address} is the client's own host: if the broker runs elsewhere, bootstrap.servers or"
        " the advertised.listeners of that broker name the wrong address."
    )


def _from_where(values: dict[str, str], address: str, is_of_metadata: bool) -> None:
    """Adds where the client got the address from. If a broker advertises the client's own host, that comes first."""
    values["origin"] = _origin(address, is_of_metadata)
    if not is_of_metadata:
        values["listens"] = ", and listens there"
    if is_of_metadata and _OWN_HOST.match(address):
        values["own_host"] = address
        values["advertised"] = f"A broker advertises {address}, which is the client's own host for each client: "
        values.pop("loopback", None)


def _origin(address: str, is_of_metadata: bool) -> str:
    """Where a client got an address from: bootstrap.servers, or metadata (only metadata gives nodes their ids)."""
    is_own_host = _OWN_HOST.match(address) is not None
    if not is_of_metadata:
        return " It is an address of bootstrap.servers" + (
            ", and the client's own host: in a container, name the host or container of the broker."
            if is_own_host
            else "."
        )
    got = " The client got this address from the cluster's metadata (advertised.listeners of that broker), so a broker had answered it before."
    if is_own_host:
        return f"{got} It is the client's own host: unless the broker runs there, let it advertise an address that its clients reach."
    return f"{got} If that broker runs, this client does not reach the address that it advertises; if its name resolves to another address now (a pod that was created again), restart the client."


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
    if values.get("position", "").isdecimal():
        values["from_end"] = str(2**31 - int(values["position"]))
    if values.get("elapsed_ms", "").isdecimal() and int(values["elapsed_ms"]) >= _STALLED_MS:
        values["stall"] = (
            " That is far beyond any session timeout: the process or its host was paused (sleep, a suspended machine, swapping)."
        )


def _states(values: dict[str, str]) -> None:
    """Adds replicas, ISRs, requests and errors in words."""
    if "assigned_replicas" in values or ("replica_id" in values and "replicas" in values):
        values["assigned"] = values.get("assigned_replicas") or values["replicas"]
    stood = re.findall(r"brokerId: (\d+), endOffset: (-?\d+)", values.get("out_of_sync_replicas", ""))
    if stood and "log_end_offset" in values:
        ends = " and ".join(f"broker {node} at {offset}" for node, offset in stood)
        values["stood"] = f"{ends}; the leader's log ends at {values['log_end_offset']}"
    if values.get("isr", "").strip().isdecimal() and "old_isr" in values:
        values["alone_is"] = f"Broker {values['isr'].strip()} is then alone in sync."
    if values.get("api_name") in _BETWEEN_NODES:
        values["of_a_node"] = (
            f"This is a request of another node{' as ' + values['principal'] if 'principal' in values else ''}. The exception below the line has the"
            " reason. If it is ClusterAuthorizationException, put that principal into super.users on every node, also on the controllers."
        )
    if "partitions" in values:
        named = re.findall(r"([A-Za-z_][\w.-]{0,249}-\d{1,10})\b(?! ?:)", values["partitions"])
        values["partitions"] = _listed(named) if named else values["partitions"]
    if values.get("api_key") in _REQUESTS and not values.get("api_name"):
        values["api_name"] = f" ({_REQUESTS[values['api_key']]})"
    if "package" in values:
        values["system"] = _SYSTEMS.get(values["package"].rpartition(".")[2], "The system that is read or written")
    if "error" in values and "broker" in values["error"] and ":" in values["error"]:
        values["error"] = values["error"].rsplit(":", 1)[-1].strip()


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


def _groups(read: Iterable[Read]) -> list[list[Read]]:
    """Groups of records with the same meaning from the same process."""
    groups: dict[tuple[object, ...], list[Read]] = defaultdict(list)
    for one in read:
        cause = one.cause.key if one.cause else None
        wording = one.wording.key if one.wording is not None and not _includes(one.cause, one.wording) else None
        groups[(one.values["me"], wording, cause)].append(one)
    parts = [part for group in groups.values() for part in _apart(group)]
    return _without_cut(parts)


def _without_cut(parts: list[list[Read]]) -> list[list[Read]]:
    """`parts` with each truncated record merged into the complete records of the same meaning: the last record of a
    paste may lack its exception, the first one its message.
    """
    for part in [part for part in parts if len(part) == 1]:
        one = part[0]
        lacks_end = one.wording is not None and one.cause is None and not one.line.trace
        lacks_begin = one.wording is None and one.line.number == 1 and one.line.ts is None and one.line.logger is None
        same = [
            other
            for other in parts
            if other is not part
            and other[0].wording is not None
            and other[0].cause is not None
            and all(_is_whole(whole, one) for whole in other)
            and ((lacks_end and other[0].wording is one.wording) or (lacks_begin and other[0].cause is one.cause))
        ]
        if len(same) == 1:
            same[0].append(one)
            parts = [other for other in parts if other is not part]
    return parts


def _is_whole(whole: Read, cut: Read) -> bool:
    """Whether `cut` can be a truncated record like `whole`: same file, same partition, and after `whole` or on the
    first row.
    """
    if whole.line.source != cut.line.source:
        return False
    same = {whole.values.get("tp"), cut.values.get("tp")} - {None}
    return len(same) < 2 and (cut.line.number > whole.line.number or cut.line.number == 1)


def _apart(group: list[Read]) -> list[list[Read]]:
    """Records of one meaning, split by what they name: operation, resource or reason. Numbers, addresses and
    partitions do not split them but are listed. If there are too many parts, they stay one group.
    """
    if all(one.line.ts is None and one.line.logger is None for one in group):
        return [group]  # a few bare lines of one failure
    parts: dict[tuple[str, ...], list[Read]] = defaultdict(list)
    names = _named_in(group[0])
    for one in group:
        parts[tuple(_kind_of(one.values.get(name, "")) for name in names)].append(one)
    return list(parts.values()) if len(parts) <= _MOST_PARTS else [group]


def _named_in(one: Read) -> list[str]:
    """The names of the values that distinguish records of one meaning: those in its sentences, except the listed
    ones.
    """
    texts = [meaning.says for meaning in (one.wording, one.cause) if meaning is not None]
    return [
        name for name in dict.fromkeys(places_in(" ".join(texts))) if name not in _LISTED and name not in _ADDRESSES
    ]


def _kind_of(value: str) -> str:
    """A value without its numbers: values that differ only in numbers stay together."""
    return re.sub(r"\d+", "#", value)


def _includes(cause: Meaning | None, wording: Meaning | None) -> bool:
    """Whether the exception's meaning covers the wording's; not if only the wording reports the end of a process."""
    return cause is not None and (
        wording is None or (cause.alone and (cause.weight == ENDED or wording.weight != ENDED))
    )


def _values(group: Sequence[Read]) -> dict[str, str]:
    """The values of the first record; values that differ between records are listed."""
    values = dict(group[0].values)
    for name in _LISTED:
        different = list(dict.fromkeys(one.values[name] for one in group if one.values.get(name)))
        if len(different) > 1:
            values[name] = _listed(different)
    for name in _named_in(group[0]):
        different = list(dict.fromkeys(one.values[name] for one in group if one.values.get(name)))
        if len(different) > 1 and len({_kind_of(value) for value in different}) == 1:
            values[name] = _ranged(name, different)
    if len(group) > 1:  # they apply to one line
        values.pop("stood", None)
        values.pop("alone_is", None)
    removed = sorted({int(node) for one in group for node in one.values.get("removed", "").split(",") if node})
    if removed:
        values["removed_are"] = ("broker " if len(removed) == 1 else "brokers ") + _listed(
            [str(node) for node in removed], 5
        )
    values["clients"] = (
        _listed(
            [
                address.rsplit(":", 1)[0]
                for address in dict.fromkeys(
                    one.values["client_address"] for one in group if "client_address" in one.values
                )
            ],
            most=2,
        )
        or "address not logged"
    )
    return values


def _ranged(name: str, different: Sequence[str]) -> str:
    """Values that differ in their numbers: many quantities as a range, others listed."""
    if len(different) > 2 and _QUANTITY.search(name) and all(value.isdecimal() for value in different):
        return f"{min(different, key=int)} to {max(different, key=int)}"
    return _listed(different)


def _listed(different: Sequence[str], most: int = _AT_MOST) -> str:
    if len(different) > 1 and all(one.startswith("leader ") for one in different):
        return "leaders " + _listed([one.removeprefix("leader ") for one in different], 5)
    shown = list(dict.fromkeys(different))
    if len(shown) > most:
        return ", ".join(shown[:most]) + f" and {len(shown) - most} more"
    return listed(shown)


def _message_of(group: Sequence[Read]) -> ExplainedMessage:
    """One message for a group of records with the same meaning."""
    first, wording, cause = group[0], group[0].wording, group[0].cause
    main = cause if _includes(cause, wording) else wording
    assert main is not None
    other = cause if main is not cause else None
    ended = main.weight == ENDED and other is not None and other.weight != ENDED
    is_left_out = ended or main.weight == HARMLESS  # the exception does not have its usual effect here
    values = _values(group)
    times = sorted(one.line.ts for one in group if one.line.ts is not None)
    is_final = main.weight in (ENDED, STOPPED) and other is not None and other.weight in (PASSING, HARMLESS)
    rules = other if other is not None and not other.is_general and not is_final else main
    second = main if rules is other else other

    def stated(name: str) -> str:
        text = getattr(rules, name) or (getattr(second, name) if second is not None else "")
        return _sentence(filled(text, values))

    return ExplainedMessage(
        key=main.key,
        subject=values["me"],
        says=_sentence(filled(main.says, values)),
        whose=_fit(filled(rules.whose, values), values),
        weight=_weight(main, other),
        effect=_both(
            _sentence(filled(main.effect, values)),
            _sentence(filled(other.effect, values)) if other is not None and not is_left_out else "",
        ),
        data=stated("data"),
        heals=_fit(filled(_heals(main, main if ended else rules), values), values),
        next=_sentence(filled(other.next, values))
        if main.next == READ_ON and other is not None and not is_final and not _is_cut(first, other)
        else _fit(stated("next"), values),
        never=stated("never"),
        because=_because(main, other, values),
        cause=cause.key if cause is not None else "",
        count=len(group),
        first=times[0] if times else None,
        last=times[-1] if times else None,
        level=max((one.line for one in group), key=lambda line: line.severity).level,
        line=first.line.message[:500],
        where=first.line.where,
        nodes=tuple(sorted({node for one in group for node in nodes_named(one.line, one.values)})),
        maturity=_maturity(first),
        is_least=any(one.line.has_more for one in group),
    )


def _heals(main: Meaning, rules: Meaning) -> str:
    """Whether the problem recovers: what needs an action still needs it after its cause has passed."""
    stays = _DOES_NOT_HEAL.match(main.heals) is not None and _DOES_NOT_HEAL.match(rules.heals) is None
    return main.heals if stays else rules.heals or main.heals


def _is_cut(first: Read, other: Meaning) -> bool:
    """Whether the record shows only a wrapper exception without a known meaning: its cause was truncated."""
    return (
        other.key == "other-exception"
        and "Caused by: " not in first.line.trace
        and _WRAPS.search(first.line.text) is not None
    )


_WRAPS = re.compile(r"(?:Initialization|Connect|Streams|Runtime|Execution|Completion|Kafka)Exception: ")


def _because(main: Meaning, other: Meaning | None, values: Mapping[str, str]) -> str:
    """What the exception means, unless the message already says it."""
    if other is None:
        return ""
    is_in_reason = other.key == "other-exception" and values.get("reason") and "{reason" in main.says
    return "" if is_in_reason else _sentence(filled(other.says, values))


def _fit(text: str, values: Mapping[str, str]) -> str:
    """`text` with the name of the process that wrote the line, if no line shows that it is a broker."""
    if not is_no_broker(values["me"]):
        return text
    process = values.get("process", "client" if "client" in values["me"] else "process")
    return re.sub(
        r"\b([Rr])estart the broker\b", rf"\1estart the {process}", text.replace("this broker", f"this {process}")
    )


def _maturity(one: Read) -> str:
    """The maturity of the wording, or that of the exception if it covers the wording."""
    if _includes(one.cause, one.wording):
        return one.cause.maturity if one.cause is not None else UNSEEN
    if one.line.template in recorded_in():
        return RECORDED
    return one.wording.maturity if one.wording is not None else UNSEEN


def _message_of_story(story: Story) -> ExplainedMessage:
    """What several lines mean together, as one message."""
    meaning, values = story.meaning, story.values
    times = sorted(one.line.ts for one in story.lines if one.line.ts is not None)
    first = story.lines[0].line

    def filled_sentence(text: str) -> str:
        return _sentence(filled(text, values))

    return ExplainedMessage(
        key=meaning.key,
        subject=values["me"] if "me" in values else story.lines[0].values["me"],
        says=filled_sentence(meaning.says),
        whose=filled(meaning.whose, values),
        weight=meaning.weight,
        effect=filled_sentence(meaning.effect),
        data=filled_sentence(meaning.data),
        heals=filled(meaning.heals, values),
        next=filled_sentence(meaning.next),
        never=filled_sentence(meaning.never),
        because="",
        cause="",
        count=len(story.lines),
        first=times[0] if times else None,
        last=times[-1] if times else None,
        level=max((one.line for one in story.lines), key=lambda line: line.severity).level,
        line=first.message[:500],
        where=first.where,
        nodes=story.nodes,
        lines=tuple(dict.fromkeys(one.line.where for one in story.lines)),
        is_least=any(one.line.has_more for one in story.lines),
    )


def _both(effect: str, more: str) -> str:
    """Both sentences, or only the one that includes the other."""
    if set(re.findall(r"\w+", more)) <= set(re.findall(r"\w+", effect)):
        return effect
    return more if more.startswith(effect.rstrip(".")) else effect if more in effect else f"{effect} {more}"


def _weight(main: Meaning, other: Meaning | None) -> str:
    """The heavier weight of the two. A harmless wording stays harmless only with a light exception; a reason why a
    start failed does not end a running process.
    """
    if other is None or main.weight == ENDED:
        return main.weight
    if other.weight == ENDED:
        return TROUBLE if main.weight != STOPPED else STOPPED
    if main.weight == HARMLESS and other.weight in (ENDED, STOPPED):
        return TROUBLE
    if other.key == "other-exception":
        return main.weight
    if other.weight in (HARMLESS, PASSING):
        return main.weight if other.weight == PASSING and main.key != "kraft-not-controller" else other.weight
    return min(main.weight, other.weight, key=WEIGHTS.index)


_OF_SEVERAL = re.compile(r"\b([Bb]roker|[Nn]ode|[Cc]ontroller) (?=\d{1,10}(?:, \d{1,10}){0,8} and \d)")


def _sentence(text: str) -> str:
    text = _OF_SEVERAL.sub(r"\1s ", text)
    text = re.sub(r" ([,.;:](?:\s|$))", r"\1", " ".join(text.split()))
    text = re.sub(r"[:;]?([.!?…])\.(?=\s|$)|[,:;](\.)(?=\s|$)", r"\1\2", text)
    return text if _COMMAND.match(text) or _NAME.match(text) else text[:1].upper() + text[1:]


_SEEN_FROM_OUTSIDE = ("service-ended", "container-ended")  # the process itself says why it ended


def _order(one: ExplainedMessage) -> tuple[bool, bool, int, float, str]:
    """A sort key: causes before consequences, then problems that do not recover by themselves, then what came before the
    first finding after what came with it, then by time.
    """
    is_outside, weight = one.key in _SEEN_FROM_OUTSIDE, max(1, WEIGHTS.index(one.weight))
    is_before = weight > 1 and one.says.startswith(_BEFORE)
    return bool(one.follows) or is_outside, is_before, weight, -_when(one.first), one.key


def _groups_by_phase(read: Iterable[Read], begin: datetime | None) -> list[list[Read]]:
    """The groups of records; what came before the first finding of an analysis is apart from what came with it."""
    parts: tuple[list[Read], list[Read]] = ([], [])
    for one in read:
        parts[begin is None or one.line.ts is None or one.line.ts >= begin].append(one)
    return [group for part in parts for group in _groups(part)]


def _with_phases(
    messages: Iterable[ExplainedMessage], lines: Iterable[Line], begin: datetime | None
) -> list[ExplainedMessage]:
    """The messages; what came before the first finding of an analysis says so, and whether its nodes were starting then."""
    if begin is None:
        return list(messages)
    starts: dict[int | None, list[datetime]] = defaultdict(list)
    for line in lines:
        if line.kind in STARTS and line.ts is not None:
            starts[line.node].append(line.ts)
    every = [ts for own in starts.values() for ts in own]
    labeled = []
    for one in messages:
        if one.first is not None and one.last is not None and one.last < begin and not one.is_harmless:
            own = [ts for node in one.nodes for ts in starts.get(node, ())] if one.nodes else every
            started = any(ts - GOES_ON <= one.first and one.last <= ts + _STARTS_WITHIN for ts in own)
            one = replace(one, says=f"{_BEFORE}{', at startup' if started else ''}: {one.says}")
        labeled.append(one)
    return labeled


def _when(ts: datetime | None) -> float:
    return -ts.timestamp() if ts is not None else 0.0


def _with_consequences(messages: Sequence[ExplainedMessage]) -> list[ExplainedMessage]:
    """The messages, each with its cause if the same log has the cause and not later."""
    meanings = (*WORDINGS, *EXCEPTIONS, *SIGNS)
    follows = {meaning.key: meaning.follows for meaning in meanings}
    ends = {meaning.key for meaning in meanings if meaning.reason_before}
    out: list[ExplainedMessage] = []
    for one in messages:
        wanted = {*follows.get(one.key, ()), *follows.get(one.cause, ())} - {one.key, one.cause}
        cause = next(
            (
                c
                for c in messages
                if c is not one and (c.key in wanted or c.cause in wanted) and _same(c, one) and _not_after(c, one)
            ),
            None,
        )
        if cause is None and one.key in ends and not one.cause:
            earlier = [
                c
                for c in messages
                if c is not one
                and c.key not in ends
                and c.weight in (ENDED, STOPPED)
                and _same(c, one)
                and _not_after(c, one)
            ]
            cause = max(earlier, key=lambda c: -_when(c.first), default=None)
        if cause is None and one.key in _ENDS_OF_STREAMS and not one.cause:
            cause = next((c for c in messages if c.key not in _ENDS_OF_STREAMS and _UNCAUGHT.match(c.line)), None)
        if cause is not None:
            one = replace(one, follows=cause.says, next="" if one.next == READ_ON else one.next)
        out.append(one)
    return out


_ENDS_OF_STREAMS = ("streams-application-ended", "streams-thread-died")
_UNCAUGHT = re.compile(r'Exception in thread "[^"\n]{1,300}StreamThread-\d+"')


def _same(one: ExplainedMessage, other: ExplainedMessage) -> bool:
    """Whether both are about the same node: `controller 1` and `broker 1` are one node of a cluster."""
    return one.subject.rsplit(" ", 1)[-1] == other.subject.rsplit(" ", 1)[-1]


def _not_after(cause: ExplainedMessage, one: ExplainedMessage) -> bool:
    if cause.first is None or one.last is None:
        return True
    return cause.first <= one.last + (_EITHER_FIRST if is_no_broker(one.subject) else timedelta())


def _unknown_lines(those: Iterable[Line]) -> tuple[Unknown, ...]:
    counts: dict[str, list[Line]] = defaultdict(list)
    for line in those:
        counts["".join("#" if letter.isdecimal() else letter for letter in line.message)].append(line)
    found = [
        Unknown(
            _shown(lines[0])[:300],
            lines[0].where,
            NO_LEVEL if _is_tail(lines[0]) else lines[0].level,
            len(lines),
            any(line.has_more for line in lines),
        )
        for lines in counts.values()
    ]
    return tuple(sorted(found, key=lambda one: -one.count))


def _is_tail(line: Line) -> bool:
    return line.message.startswith("at ")


def _shown(line: Line) -> str:
    """The message as shown; the end of a stack trace as such, with the part of Kafka that its frames belong to."""
    if not _is_tail(line):
        return line.message
    part = next((text for frames, text in _PARTS if frames in line.text), "")
    return f"{TAIL} ({part}{line.message})"


def _releases(lines: Sequence[Line], names: Subjects, given: Mapping[str, str]) -> dict[str, str]:
    by_source: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.message.startswith("Kafka version"):
            by_source[line.source].append(line)
    found = {names.files[source]: release for source, theirs in by_source.items() if (release := release_of(theirs))}
    return {**{names.files[source]: release for source, release in given.items() if source in names.files}, **found}


def _issues(
    lines: Sequence[Line], names: Subjects, given: Mapping[str, str], explained_lines: Collection[str]
) -> tuple[tuple[LooksLike, ...], tuple[str, ...]]:
    """Known bugs by node, and a sentence for each situation; only bugs that their lines identify, and none whose
    lines an analysis explains completely.
    """
    nodes = _by_node(lines, names)
    if len(nodes) > 1 and len(lines) <= 2000 and release_of(lines) is None:
        nodes["these brokers"] = list(lines)
    found: dict[str, LooksLike] = {}
    situations: dict[str, str] = {}
    for theirs in nodes.values():
        release = release_of(theirs) or next((given[line.source] for line in theirs if line.source in given), None)
        for match in matches(theirs, release):
            subject = names.files[match.lines[0].source]
            if all(line.where in explained_lines for line in match.lines):
                continue
            if match.is_reported_as_bug:
                found.setdefault(match.issue.key, _bug(match, subject))
            elif match.issue.is_more_specific:
                situations.setdefault(match.issue.key, _situation(match, subject))
    return tuple(found.values()), tuple(situations.values())


def _by_node(lines: Iterable[Line], names: Subjects) -> dict[str, list[Line]]:
    nodes: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        nodes[names.files[line.source].rsplit(" ", 1)[-1]].append(line)
    return nodes


def _not_searched(lines: Iterable[Line], names: Subjects) -> Iterator[str]:
    """The nodes with too many different texts to be searched for known bugs."""
    for theirs in _by_node(lines, names).values():
        texts = unsearched_texts(theirs)
        if texts is not None:
            subject = names.files[theirs[0].source]
            yield f"The lines of {subject} have {texts:,} different texts. Above {MOST_TEXTS:,}, known bugs are not looked for: give explain the lines of a shorter time."


def _situation(match: Match, subject: str) -> str:
    issue = match.issue
    first = match.lines[0].where
    return _sentence(f"{issue.title} ({subject}, {first}). {issue.consequence} {issue.advice}")


def _bug(match: Match, subject: str) -> LooksLike:
    issue = match.issue
    fixed = f"fixed in {issue.fixed_text}" if issue.fixed_in else "no fixed release is known"
    runs = (
        f"; {subject} runs {match.release}"
        if match.release
        else f"; affected {issue.affected_text}, the lines do not show the release"
    )
    return LooksLike(
        key=issue.key,
        title=issue.title,
        says=f"Looks like {issue.key}, a known bug of Kafka ({fixed}{runs}): {issue.title}. {issue.consequence}",
        advice=issue.advice,
        heals=issue.heals,
        look_alike=issue.look_alike,
        confidence="sure" if issue.is_sure else "likely",
        fixed_in=issue.fixed_text,
        subject=subject,
        lines=tuple(line.where for line in match.lines),
        maturity=issue.maturity,
    )


def _summary(answer: Answer, kafkas: Sequence[Line], aside: int, strange: Line | None) -> str:
    if not answer.records:
        return "There is nothing to read here."
    if not kafkas and not answer.events:
        return "None of these lines was recognized as a line of Kafka or of its clients."
    causes = [one for one in answer.told if not one.follows] or list(answer.told)
    grave = sorted(
        (one for one in causes if one.weight in (ENDED, STOPPED)),
        key=lambda one: (one.key in _SEEN_FROM_OUTSIDE, -_when(one.first)),
    )
    first = grave[0] if grave else causes[0] if causes else None
    if first is not None and first.key in _SEEN_FROM_OUTSIDE and causes[0].weight == TROUBLE:
        first = causes[0]  # what the process itself says comes first
    unread = _unread_reason(answer)
    if unread is not None and (first is None or first.next == READ_ON):
        begin = f"{first.says} " if first is not None else ""
        return (
            f"{begin}The reason is probably this line, which I do not know: '{_quoted(unread.line)}' ({unread.where})."
        )
    if first is not None and first.weight != PASSING:
        return f"{first.says} {first.because}".strip()
    if answer.together and (first is None or not first.lines):
        return answer.together[0]
    unknown = answer.unknown
    if unknown and all(one.line.startswith(TAIL) for one in unknown):
        return _FRAMES_ALONE
    if first is not None and not answer.consequences:
        return f"{first.says} {first.because}".strip()
    if unknown:
        return f"{_many(sum(one.count for one in unknown), 'line')} at WARN or above {'was' if sum(one.count for one in unknown) == 1 else 'were'} not recognized; nothing else here reports a fault."
    if strange is not None and not answer.consequences:
        return f"The lines of Kafka report no fault. If something is wrong, the reason is probably this line, which I do not know: '{_quoted(strange.message)}' ({strange.where})."
    if not aside:
        return _all_clear(answer, kafkas)
    others = f"{_many(aside, 'line')} of other programs at WARN or above {'was' if aside == 1 else 'were'} not read."
    return f"{_all_clear(answer, kafkas)} {others}"


def _unread_reason(answer: Answer) -> Unknown | None:
    """The first unrecognized line that can be the reason: an error, or a line that names an exception or a refusal."""
    lines = (*answer.unknown, *answer.not_recognized)
    loud = (one for one in lines if one.level in ("ERROR", "FATAL") or _IS_A_REASON.search(one.line))
    return next((one for one in loud if not one.line.startswith(TAIL)), None)


def _all_clear(answer: Answer, kafkas: Sequence[Line]) -> str:
    """A sentence that no fault was found, and what it is based on."""
    missed = sum(one.count for one in answer.not_recognized)
    if answer.consequences:
        causes = dict.fromkeys(one.follows for one in answer.consequences)
        why = f"What these lines report follows from this: {'; '.join(islice(causes, _AT_MOST))}."
        passed = next((one.says for one in answer.harmless if one.lines), None)
        return f"No fault found: {passed[:1].lower()}{passed[1:]}" if passed and not missed else why
    passed = next((one.says for one in answer.harmless if one.lines), None)
    stopping = next((event for event in answer.events if event.kind in _STOPPING), None)
    if stopping is not None and passed is None and not any(event.kind in _AROUND_A_STOP for event in answer.events):
        return f"{stopping.subject[:1].upper()}{stopping.subject[1:]} shuts down in order. The lines do not show who or what stopped it: get the lines before them."
    explained_lines = {where for one in answer.harmless for where in (one.where, *one.lines)}
    failing = [line for line in kafkas if line.where not in explained_lines and _reports_failure(line)]
    failed = next((one for one in answer.not_recognized if _FAILS.search(one.line)), None)
    which = "It" if missed == 1 else "One of them"
    says = f" {which} says that something failed: '{_quoted(failed.line)}' ({failed.where})." if failed else ""
    if missed and missed >= answer.records and not failing:
        none = "The line was not" if missed == 1 else f"None of the {missed:,} lines was"
        return f"{none} recognized: this answer cannot say whether anything is wrong.{says}"
    unread = f"{missed:,} {'line was' if missed == 1 else 'lines were'} not recognized."
    if failing and passed is None:
        return f"{_failing_below_warn(failing)} {unread if missed else 'Nothing else here reports a fault.'}"
    if missed:
        return f"No fault in the recognized lines; {unread}{says}"
    waits = _waiting(kafkas)
    if passed is not None:
        return f"No fault found. {passed}{waits}"
    if answer.harmless:
        return f"No fault found: these lines are harmless.{waits}"
    return f"No fault found: {_all_read(answer.records - answer.foreign)}, and none reports trouble.{waits}"


def _waiting(kafkas: Sequence[Line]) -> str:
    """A sentence about what the process waits for, if the last line says so."""
    last = max(kafkas, key=lambda line: line.number, default=None)
    if last is None or _WAITS.search(last.message) is None:
        return ""
    return f" The last line waits: '{_quoted(last.message)}' ({last.where}). If nothing follows it in the log, see why that does not come."


_WAITS = re.compile(
    r"(?<![\w.:-])(?<!inished )(?<!Done )(?:[Ww]aiting (?:for|until|on|to)|[Aa]waiting (?!socket connections)|still catching up)\b"
)


def _reports_failure(line: Line) -> bool:
    """Whether a line below WARN says that something failed, except what a normal start prints."""
    is_quiet = line.severity < WARN and _FAILS.search(line.message) is not None
    return is_quiet and _AT_A_START.search(line.message) is None


def _failing_below_warn(failing: Sequence[Line]) -> str:
    """The first message with its count and location, and the number of other messages."""
    alike = by_key(failing, lambda line: _NUMBER.sub("0", line.message))
    first, *others = alike.values()
    says = "One line below WARN says" if len(first) == 1 else f"{len(first):,} lines below WARN say"
    sentence = f"{says} that something failed: '{_quoted(first[0].message)}' ({first[0].where})."
    if not others:
        return sentence
    who = "another message" if len(others) == 1 else f"{len(others):,} other messages"
    return f"{sentence} So {'does' if len(others) == 1 else 'do'} {who}, first '{_quoted(others[0][0].message)}' ({others[0][0].where})."


_FAILS_ANYWHERE = re.compile(
    r"(?<![\w.=-])(?:error|failed|failure|fatal|cannot|denied|refused|unable|no such|not found|killed)(?![\w.=-]*[\w-])",
    re.IGNORECASE,
)  # in a line of another program
_IS_A_REASON = re.compile(
    r"(?<![\w.])(?:[a-z]\w*\.)++[A-Z]\w{0,150}?(?:Exception|Error)\b|^Caused by: |^(?:Error|Exception|Traceback|fatal|panic)\b|exited? (?:with )?(?:code|status) [1-9]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,20}")
# Lines of a start until the node knows the metadata version, the broker epoch and the active controller.
_AT_A_START = re.compile(
    r"cannot register yet because the metadata[. ]version is (?:not known yet|still 3\.0-IV1)|Unable to read the broker epoch in |"
    r"registerBroker: (?:event )?failed with NotControllerException"
)
# Words that rule out an all-clear even in a line below WARN; not as parts of a name.
_FAILS = re.compile(
    r"(?<![\w.:-])(?:[Ff]ailed(?! due to MemberIdRequired)|[Ff]ailing|[Tt]imed out|[Cc]annot|[Cc]ould not|[Uu]nable to|[Rr]efused|[Dd]enied|[Cc]orrupt(?:ed)?|[Cc]rashed)(?![\w.:-]*[\w-])"
)


def _quoted(message: str) -> str:
    shown = message if len(message) <= _QUOTED else _PREFIX.sub("", message)
    shown = shown if len(shown) <= _QUOTED else f"{shown[:_QUOTED].rpartition(' ')[0]} …"
    return shown.rstrip(".")


_STOPPING = (
    "log_manager_shutdown_begin",
    "log_manager_shutdown_done",
    "broker_shutting_down",
    "broker_shutdown_begin",
    "broker_shutdown_done",
    "replica_manager_shutdown_done",
    "controller_channel_shutdown",
    "socket_server_shutdown",
)
_AROUND_A_STOP = ("process_signal", "process_start_line", "broker_started", "process_started", "broker_starting")


def _all_read(records: int) -> str:
    return "the one line was recognized" if records == 1 else f"all {records:,} lines were recognized"


def _many(count: int, noun: str) -> str:
    return f"One {noun}" if count == 1 else f"{count:,} {noun}s"
