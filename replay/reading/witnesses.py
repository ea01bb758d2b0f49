"""Recognizes witness files, the files beside the logs: checkpoint files, properties, output of Kafka's and ZooKeeper's
tools, the JVM's GC logs; and checks whether they can be trusted.

`replay.reading.witness_statements` reads their lines. Source of the formats: kafka-log-formats §6, JEP 158 (unified
logging of the JVM).
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from replay.catalogue.fields import TOPIC
from replay.json_text import value_of_json
from replay.reading import crash_reports, docker, kubernetes, operator_logs, processor_times

CHECKPOINTS = {
    "replication-offset-checkpoint": "checkpoint_high_watermark",
    "log-start-offset-checkpoint": "checkpoint_log_start_offset",
    "recovery-point-offset-checkpoint": "checkpoint_recovery_point",
    "cleaner-offset-checkpoint": "checkpoint_cleaner_offset",
}
PARTITION_FOLDER = rf"(?:^|/)({TOPIC})-(\d+)(?:\.[0-9a-f]{{32}}-delete|-future|-stray)?/[^/]+$"
PROPERTIES = ("meta.properties", "quorum-state", "partition.metadata")
DUMP, ZNODES, ZOOKEEPER_TRANSACTIONS = "kafka-dump-log", "zookeeper-get", "zookeeper-transactions"
STATE_WITNESSES = (DUMP, ZNODES, ZOOKEEPER_TRANSACTIONS)  # partition states that the cluster itself stored
HOST_LOG, CRASH_REPORT = "host-log", "hs-err"
DOCKER_INSPECT, DOCKER_EVENTS, DOCKER_LIST = "docker-inspect", "docker-events", "docker-ps"
KUBERNETES_JSON, KUBERNETES_EVENTS, KUBERNETES_DESCRIBED = "kubernetes-json", "kubernetes-events", "kubernetes-describe"
KUBERNETES_YAML = "kubernetes-yaml"  # recognized only to tell the user how else to provide it
OPERATOR_LOG = "strimzi-operator-log"
OF_CLUSTER = (
    DOCKER_INSPECT,
    DOCKER_EVENTS,
    DOCKER_LIST,
    KUBERNETES_JSON,
    KUBERNETES_EVENTS,
    KUBERNETES_DESCRIBED,
    OPERATOR_LOG,
)
"""Files about several nodes: an entry that names no node has none, whatever folder the file is in, unless the user assigns the file to a node."""
PROCESSOR_TIMES = "sar"
HOST_WITNESSES = (HOST_LOG, CRASH_REPORT, PROCESSOR_TIMES, *OF_CLUSTER)
"""Statements about a node's process from sources other than Kafka, in the time of its host's clock."""
GROWING = ("gc-log", HOST_LOG, DOCKER_EVENTS, OPERATOR_LOG)  # files that are appended to; others are rewritten
WITNESS_LAYOUTS = (
    *CHECKPOINTS,
    "leader-epoch-checkpoint",
    *PROPERTIES,
    "server.properties",
    *STATE_WITNESSES,
    "topics-describe",
    "quorum-describe",
    "consumer-groups-describe",
    "get-offsets",
    "log-dirs-describe",
    "gc-log",
    *HOST_WITNESSES,
)
_WHOLE = (
    "topics-describe",
    "consumer-groups-describe",
    "get-offsets",
    "log-dirs-describe",
)  # truncated if the last line is not an entry

# `kafka-topics --describe`, `kafka-consumer-groups --describe`, `kafka-get-offsets`, `kafka-log-dirs --describe`.
DESCRIBED_PARTITION = (
    r"^\s+Topic: ?(\S+)\s+Partition: ?(\d+)\s+Leader: ?(-?\d+|none)\s+Replicas: ?([\d,]*)\s+Isr: ?([\d,]*)"
)
DESCRIBED_TOPIC = r"^Topic: ?(\S+)\s"
_GROUP_HEAD = r"^(?:GROUP\s+)?TOPIC\s+PARTITION\s+CURRENT-OFFSET\s+LOG-END-OFFSET\s+LAG\b"
GROUP_ENTRY = rf"^(?:(\S+)\s+)??({TOPIC})\s+(\d+)\s+(\d+|-)\s+(\d+|-)\s+(\d+|-)(?:\s|$)"
GROUP_TALK = r"^(?:Consumer group '|Error: |Warning: |Note: |GROUP\s|TOPIC\s|\[?\d{4}-\d\d-\d\d)"
GIVEN_OFFSET = rf"^({TOPIC}):(\d+):(-?\d*)\s*$"
LOG_DIRS = r'^\{(?=.{0,80}"brokers":\[)(?=.{0,400}"logDirs":\[)'

_BROKER_SETTING = (
    r"^(?:broker\.id|node\.id|process\.roles|zookeeper\.connect|log\.dirs?|listeners|advertised\.listeners|controller\.listener\.names|num\.network\.threads"
    r"|controller\.quorum\.(?:voters|bootstrap\.servers)|inter\.broker\.[a-z.]+|offsets\.topic\.replication\.factor)\s*="
)

# A line of the JVM's unified log: decorations in brackets (time, uptime and tags are read), then the message.
GC_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3}[+-]\d{4}"
GC_DECORATED = rf"^(?:\[(?:{GC_TIME}|\d+\.\d+[mn]?s|\w+(?:,\w+)* *)\])+ "
_GC_TAGGED = r"\[(?:gc|safepoint)(?:,\w+)* *\]"
# Java 8: `time: uptime: [GC pause (G1 Evacuation Pause) (young), 0.0123456 secs]`, other collectors with sizes in
# between.
GC_PAUSE_8 = rf"^(?:({GC_TIME}): )?(\d+[.,]\d+): \[((?:Full )?GC(?: ?\([^()]*(?:\(\))?\)| pause)*+).*?(?<!\d)(\d++[.,]\d++) secs\]"
GC_STOPPED = r"\bTotal time for which application threads were stopped: (\d+[.,]\d+) seconds"  # Java 8 to 12

# A partition's state in ZooKeeper, as text and in the hexadecimal of its older tools.
ZNODE = rf"/brokers/topics/({TOPIC})/partitions/(\d+)/state"
ZNODE_STATE = r'(\{[^{}]{0,400}"leader_epoch":[^{}]{0,400}\})'
TRANSACTION = r" session 0x[0-9a-f]+ cxid 0x[0-9a-f]+ zxid 0x([0-9a-f]+) (\w+)"


def witness_layout(file_name: str, head: str) -> str | None:
    """The kind of a witness file, by its name or its first lines; None for a log."""
    for name in (*CHECKPOINTS, "leader-epoch-checkpoint", *PROPERTIES):
        if file_name == name:
            return name
    if re.search(r"^(?:Dumping \S|baseOffset: \d+ lastOffset: \d+)", head, re.MULTILINE):
        return DUMP
    if re.search(r"^Topic: ?\S+\s.*(?:PartitionCount|ReplicationFactor): ?\d+", head, re.MULTILINE):
        return "topics-describe"
    if re.search(_GROUP_HEAD, head, re.MULTILINE):
        return "consumer-groups-describe"
    if re.search(LOG_DIRS, head, re.MULTILINE):
        return "log-dirs-describe"
    if (first := [line for line in head.splitlines() if line.strip()][:20]) and all(
        re.match(GIVEN_OFFSET, line) for line in first[: 1 if len(first) == 1 else -1]
    ):
        return "get-offsets"
    if re.search(r"^(?:ClusterId:\s+\S+\s*$|NodeId\s+(?:DirectoryId\s+)?LogEndOffset\s)", head, re.MULTILINE):
        return "quorum-describe"
    if re.search(rf"^(?:ZooKeeper Transactional Log File with dbid|\S.*{TRANSACTION})", head, re.MULTILINE):
        return ZOOKEEPER_TRANSACTIONS
    if re.search(ZNODE, head) and re.search(rf"^(?:\S*{ZNODE}:?\s*)?{ZNODE_STATE}\s*$", head, re.MULTILINE):
        return ZNODES
    if len(re.findall(_BROKER_SETTING, head, re.MULTILINE)) >= 2 and len(
        re.findall(r"^(?:#.*|[\w.-]+[^\S\n]*=.*|[^\S\n]*)$", head, re.MULTILINE)
    ) * 2 > head.count("\n"):
        return "server.properties"
    if re.search(rf"(?:{GC_DECORATED})(?:GC\(\d+\) |Using |Version: )", head, re.MULTILINE) and re.search(
        rf"{_GC_TAGGED} |\] GC\(", head
    ):
        return "gc-log"
    of_java_8 = re.search(rf"{GC_PAUSE_8}|^(?:{GC_TIME}: )?\d+[.,]\d+: {GC_STOPPED}", head, re.MULTILINE)
    return "gc-log" if of_java_8 else _host_witness(head)


def _host_witness(head: str) -> str | None:
    """The kind of a file from a host, container or operator. A host's own log is recognized by its lines
    (`replay.reading.host_logs`).
    """
    if re.search(crash_reports.BEGINS, head):
        return CRASH_REPORT
    if re.match(r"\s*(?:\[\s*)?\{", head):
        if re.search(docker.JSON_EVENT, head, re.MULTILINE):
            return DOCKER_EVENTS
        if re.search(docker.INSPECT, head):
            return DOCKER_INSPECT
        return KUBERNETES_JSON if re.search(kubernetes.JSON, head) else None
    if re.search(docker.EVENT, head, re.MULTILINE):
        return DOCKER_EVENTS
    if re.search(docker.LISTED, head, re.MULTILINE):
        return DOCKER_LIST
    if re.search(processor_times.HEAD, head, re.MULTILINE):
        return PROCESSOR_TIMES
    if re.search(kubernetes.EVENTS_HEAD, head, re.MULTILINE):
        return KUBERNETES_EVENTS
    if re.search(kubernetes.YAML, head):
        return KUBERNETES_YAML
    if re.search(kubernetes.DESCRIBED, head):
        return KUBERNETES_DESCRIBED
    return OPERATOR_LOG if re.search(operator_logs.MARK, head) else None


def witness_fault(layout: str, source_file: str, text: str) -> str | None:
    """Why a witness file cannot be trusted: it is truncated or damaged, or does not say whose it is. None if it can."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if layout in (*CHECKPOINTS, "leader-epoch-checkpoint"):
        if layout == "leader-epoch-checkpoint" and not re.search(PARTITION_FOLDER, f"/{source_file}"):
            return "stands in no folder of a partition (topic-0): whose leader epochs it holds is not known"
        if len(lines) < 2 or not all(re.fullmatch(r"[0-9]{1,9}", line) for line in lines[:2]):
            return "is no checkpoint: the first two lines are a version and the number of entries"
        entries = lines[2:]
        if int(lines[1]) != len(entries):
            return f"says {int(lines[1]):,} entries and holds {len(entries):,}: cut short or mixed up, not believed"
        entry = r"\d{1,10} \d{1,19}" if layout == "leader-epoch-checkpoint" else rf"{TOPIC} \d{{1,10}} -?\d{{1,19}}"
        wrong = next((number for number, line in enumerate(entries, start=3) if not re.fullmatch(entry, line)), None)
        if wrong is not None:
            return f"line {wrong:,} is no entry: damaged, not believed"
        if layout == "leader-epoch-checkpoint":
            epochs = [tuple(map(int, line.split())) for line in entries]
            if any(later[0] <= earlier[0] or later[1] < earlier[1] for earlier, later in pairwise(epochs)):
                return "its leader epochs or their start offsets do not grow: damaged, not believed"
        elif len({tuple(line.split()[:2]) for line in entries}) != len(entries):
            return "holds a partition twice: damaged, not believed"
    elif layout == KUBERNETES_YAML:
        return "is YAML of Kubernetes: give it as JSON, with `-o json`"
    elif layout in _WHOLE:
        return _cut_short(layout, [line for line in text.splitlines() if line.strip()])
    elif layout == "quorum-state":
        if value_of_json(text) is None:
            return "is not whole: cut short, not believed"
    elif layout == "meta.properties" and not re.search(
        r"^(?:broker|node)\.id=\d+\s*$|^cluster\.id=\S+", text, re.MULTILINE
    ):
        return "names neither node nor cluster: cut short, not believed"
    elif layout == "partition.metadata" and not (
        re.search(r"^topic_id: \S{22}\s*$", text, re.MULTILINE) and re.search(PARTITION_FOLDER, f"/{source_file}")
    ):
        return "has no whole topic id, or stands in no folder of a partition: not believed"
    return None


def _cut_short(layout: str, lines: list[str]) -> str | None:
    """Why the output of one of Kafka's tools is incomplete; None if its last line is complete."""
    if layout == "log-dirs-describe":
        if value_of_json(next((line for line in lines if re.match(LOG_DIRS, line)), "")) is None:
            return "its JSON is not whole: cut short, not believed"
        return None
    whole = {
        "topics-describe": rf"{DESCRIBED_PARTITION}|{DESCRIBED_TOPIC}.*ReplicationFactor: ?\d+",
        "consumer-groups-describe": rf"{GROUP_ENTRY}|{GROUP_TALK}",
        "get-offsets": GIVEN_OFFSET,
    }[layout]
    if lines and not re.match(whole, lines[-1]):
        return f"line {len(lines):,}, its last, is no entry: cut short, not believed"
    if layout == "topics-describe":
        listed = Counter(found[1] for line in lines if (found := re.match(DESCRIBED_PARTITION, line)))
        for line in lines:
            topic = re.match(rf"{DESCRIBED_TOPIC}.*PartitionCount: ?(\d{{1,9}})", line)
            if topic and listed[topic[1]] < int(topic[2]):
                return f"says {int(topic[2]):,} partitions of {topic[1]} and lists {listed[topic[1]]:,}: cut short, not believed"
    return None
