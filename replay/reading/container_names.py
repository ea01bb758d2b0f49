"""Maps the name of a container, pod or host to a node, and recognizes programs that are not Kafka brokers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from replay.reading.matching import integer

_NODE = re.compile(
    r"(?:^|[^A-Za-z0-9])(?:node|broker|kafka(?:-(?:controller|broker|server|node)s?)?)[-_]?(\d+)(?=$|[^A-Za-z0-9])(?!\.\d)"
)
_LAST_NUMBER = re.compile(r"-(\d+)$")
NODE_LABEL = "kafka-replay/node"  # as `collect` notes it
_IDS = ("KAFKA_NODE_ID", "KAFKA_BROKER_ID", "KAFKA_CFG_NODE_ID", "KAFKA_CFG_BROKER_ID")
_KAFKA = re.compile(r"(?i)kafka|confluent-(?:server|kraft)|^broker(?:\.service)?$|\bbroker[-_@]?\d+\b")
# Programs beside a broker, and other containers of its pod: when they end, the broker has not ended.
_BESIDE = re.compile(
    r"(?i)zookeeper|exporter|sidecar|mirror-?maker|schema|registry|ksql|cruise|filebeat|fluent-?(?:d|bit)|promtail|istio|linkerd|envoy|vault|jmx|metrics"
    r"|(?<![a-z])(?:connect|rest|ui|gui|manager|proxy|bridge|agent|lag|burrow|akhq|kafdrop|consumer|producer|client|streams|topics?|to|from|backup"
    r"|monitor|reloader|vector|otel|entity|init)s?(?![a-z])"
)
_CONTROLLERS = re.compile(r"(?:^|[^A-Za-z0-9])(?:kafka|kraft)\S{0,253}-controllers?[-_](\d+)(?=$|[^A-Za-z0-9])")


def node_of_name(name: str | None) -> int | None:
    """The node of `kafka-2`, `my-cluster-kafka-2`, `broker-2`, `project-kafka-2-1`; None if the name has no number."""
    if not name:
        return None
    found = _NODE.findall(name) or _CONTROLLERS.findall(name)
    return integer(found[-1]) if found else None


def node_of_pod(name: str | None, labels: Mapping[str, object]) -> int | None:
    """The node of a pod: Strimzi numbers Kafka pods by node id, in every pool."""
    if (collected := node_of_labels(labels)) is not None:
        return collected
    if labels.get("strimzi.io/kind") == "Kafka" and not str(labels.get("strimzi.io/name", "-kafka")).endswith("-kafka"):
        return None  # ZooKeeper, the exporter and others of the same cluster
    number = _LAST_NUMBER.search(name or "")
    if labels.get("strimzi.io/kind") == "Kafka" and number:
        return integer(number[1])
    return node_of_name(name)


def node_of_labels(labels: Mapping[str, object] | None) -> int | None:
    """The node that `kafka-replay collect` noted in the labels of a container or pod."""
    label = str((labels or {}).get(NODE_LABEL, ""))
    return integer(label) if label.isdecimal() else None


def node_of_environment(environment: Mapping[str, object]) -> int | None:
    """The node id in a container's environment, as the known images set it."""
    values = (str(environment.get(name, "")) for name in _IDS)
    return next((integer(id_) for id_ in values if id_.isdecimal()), None)


def is_beside_kafka(name: str | None) -> bool:
    """Whether a unit or container has the name of another program than a broker: an exporter, Kafka Connect, a
    sidecar.
    """
    return _BESIDE.search(name or "") is not None


def is_of_kafka(name: str) -> bool:
    """Whether the name of a unit, container or command is that of a Kafka broker, not of a program beside one."""
    return _KAFKA.search(name) is not None and not is_beside_kafka(name)
