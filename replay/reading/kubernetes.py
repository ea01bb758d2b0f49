"""Reads what Kubernetes reports on pods, containers and machines: `kubectl get … -o json`, `kubectl describe`, and
events in their formats.

Events and machines belong to the cluster: a statement that names no Kafka node has no node, whatever folder its file is
in. Ages ("2m13s") count back from the time at which the file was made, if its path has that time. Sources: the API
reference (PodStatus, ContainerStateTerminated, Event, NodeCondition), the reasons of pkg/kubelet/events and of the
controllers; public samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from replay.json_text import value_of_json
from replay.reading.container_names import (
    is_beside_kafka,
    node_of_environment,
    node_of_labels,
    node_of_name,
    node_of_pod,
)
from replay.reading.docker import ended_as, instant, line_of
from replay.reading.layouts import MONTHS
from replay.reading.parsed_witness import ParsedWitness, known_details
from replay.reading.stamps import micros_at, micros_of

JSON = r'"apiVersion":\s*"(?:v1|events\.k8s\.io/v1)"'
YAML = r"(?m)\AapiVersion: (?:v1|events\.k8s\.io/v1)$(?s:.*?)^(?:kind: (?:Pod|Event|Node)?(?:List)?|items:|metadata:)$"
EVENTS_HEAD = r"^(?:NAMESPACE +)?LAST SEEN +(?:FIRST SEEN +)?(?:COUNT +)?(?:NAME +KIND +(?:SUBOBJECT +)?)?TYPE +REASON ++.*MESSAGE"
DESCRIBED = r"(?m)\A(?>(?s:.*?)^Name: +\S+$)(?s:.*)^(?:Containers|Conditions):$"

# Why Strimzi's operator rolls a pod, by the reasons of its events (`RestartReason` of Strimzi 0.30 to 1.2).
_ROLLS = (
    "CaCertHasOldGeneration",
    "CaCertRemoved",
    "CaCertRenewed",
    "ClientCaCertKeyReplaced",
    "ClusterCaCertKeyReplaced",
    "ConfigChangeRequiresRestart",
    "CustomListenerCaCertChanged",
    "FileSystemResizeNeeded",
    "JbodVolumesChanged",
    "KafkaCertificatesChanged",
    "ManualRollingUpdate",
    "PodForceRestartOnError",
    "PodHasOldGeneration",
    "PodHasOldResourceRevision",
    "PodHasOldRevision",
    "PodResourcesChanged",
    "PodStuck",
    "PodUnresponsive",
)
# The kind of an event by its reason. Reasons of the kubelet, the node controller, the scheduler and the eviction API.
_REASONS = {
    "OOMKilling": "machine_oom_kill",
    "SystemOOM": "machine_oom_kill",
    "Evicted": "pod_evicted",
    "TaintManagerEviction": "pod_evicted",
    "NodeControllerEviction": "pod_evicted",
    "Preempted": "pod_evicted",
    "NodeNotReady": "machine_not_ready",
    "NodeReady": "machine_ready",
    "Rebooted": "machine_rebooted",
    "Unhealthy": "probe_failed",
    "ProbeWarning": "probe_failed",
    "Killing": "container_killing",
    "BackOff": "container_backed_off",
    "Started": "container_started",
    "FailedMount": "volume_not_mounted",
    "FailedAttachVolume": "volume_not_mounted",
    "FailedScheduling": "pod_not_scheduled",
    "FailedCreate": "pod_not_created",
    "Failed": "container_not_created",
    "FailedCreatePodSandBox": "container_not_created",
    "InspectFailed": "image_not_pulled",
    "ProvisioningFailed": "volume_not_mounted",
    "NodeHasDiskPressure": "machine_pressed",
    "NodeHasInsufficientMemory": "machine_pressed",
    **dict.fromkeys(_ROLLS, "operator_rolled_pod"),
}
_PULL = re.compile(r"Failed to pull image|Back-off pulling image|^Error: (?:Err)?ImagePull")
_VICTIM = re.compile(r"victim process: (?P<named>.{1,256}?), pid: \d+|Killed? process \d+ \((?P<killed>.{1,256}?)\)")
_CONTAINER = re.compile(r"^(?:Stopping container|Container|Killing container with id \w+://) ?([\w.-]+?)(?=[ :]|$)")
_PART = re.compile(r"spec\.\w*[cC]ontainers\{(.+?)\}$")
# The kubelet lost track of the container: exit code and time are its own.
_UNKNOWN_END = ("ContainerStatusUnknown", "Unknown")
_PRESSED = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1, "y": 31_536_000}
_AGE = re.compile(r"(?<!\d)(\d++)([ydhms])")
_SEEN = re.compile(r"^(?P<age>(?:\d+[ydhms])+|<unknown>|<invalid>)(?: \(x(?P<count>\d+) over (?P<over>\S+)\))?$")
_LONG_STAMP = re.compile(
    rf"[A-Z][a-z]{{2}}, (\d{{2}}) ({'|'.join(MONTHS)}) (\d{{4}}) (\d\d:\d\d:\d\d) ([+-]\d{{4}}|[A-Z]{{3,4}})"
)


def json_statements(text: str) -> Iterator[tuple[int, ParsedWitness]]:
    """The statements about pods, events and machines in a JSON text."""
    whole = value_of_json(text)
    if whole is None:
        return
    for item in _items(whole):
        kind = item.get("kind") or _kind_of_list(whole)
        metadata = item.get("metadata") or {}
        if kind == "Pod":
            for marks, statement in _pod(metadata, item.get("spec") or {}, item.get("status") or {}):
                yield line_of(text, f'"{metadata.get("name")}"', *marks), statement
        elif kind == "Event":
            for statement_of_event in _event(item, metadata):
                yield line_of(text, f'"{metadata.get("name")}"'), statement_of_event
        elif kind == "Node":
            for marks, statement in _machine(str(metadata.get("name") or ""), item.get("status") or {}):
                yield line_of(text, f'"{metadata.get("name")}"', *marks), statement


def _items(whole: object) -> Iterable[dict[str, Any]]:
    if not isinstance(whole, dict):
        return []
    items = whole.get("items") if str(whole.get("kind", "")).endswith("List") else [whole]
    return [item for item in items or () if isinstance(item, dict)]


def _kind_of_list(whole: Mapping[str, Any]) -> str:
    return str(whole.get("kind") or "").removesuffix("List")


def _pod(
    metadata: Mapping[str, Any], spec: Mapping[str, Any], status: Mapping[str, Any]
) -> Iterator[tuple[Sequence[str], ParsedWitness]]:
    """Where a pod runs, how its containers ended, and why it was evicted or deleted."""
    name, labels = str(metadata.get("name") or ""), metadata.get("labels") or {}
    node = node_of_pod(name, labels)
    for container in spec.get("containers") or ():
        environment = {one.get("name"): one.get("value") for one in container.get("env") or ()}
        named_node = node_of_environment(environment)
        node = named_node if named_node is not None else node
    if node is None:
        return
    if spec.get("nodeName"):
        placed = {"pod": name, "machine": str(spec["nodeName"])}
        yield (
            (),
            ParsedWitness("pod_placed", {}, placed, True, None, f"{name} runs on {spec['nodeName']}", node_id=node),
        )
    statuses = status.get("containerStatuses") or ()
    for container in statuses:
        if len(statuses) > 1 and is_beside_kafka(container.get("name")):
            continue
        for which in ("lastState", "state"):
            ended = (container.get(which) or {}).get("terminated")
            if ended and ended.get("reason") not in _UNKNOWN_END:
                yield _terminated(name, node, container, ended)
    if status.get("reason") in ("Evicted", "Preempting", "NodeLost", "Terminated", "NodeShutdown"):
        message = f"{status['reason']}: {status.get('message') or ''}"
        yield (f'"{status["reason"]}"',), _evicted(name, node, str(status["reason"]), message, None)
    for condition in status.get("conditions") or ():
        if condition.get("type") == "DisruptionTarget" and condition.get("status") == "True":
            message = f"{condition.get('reason')}: {condition.get('message') or ''}"
            when = condition.get("lastTransitionTime")
            yield ('"DisruptionTarget"',), _evicted(name, node, str(condition.get("reason")), message, when)


def _terminated(
    pod: str, node: int, container: Mapping[str, Any], ended: Mapping[str, Any]
) -> tuple[Sequence[str], ParsedWitness]:
    reason, when = ended.get("reason"), ended.get("finishedAt")
    parts = ("reason", "exitCode", "signal", "message", "startedAt", "finishedAt")
    shown = ", ".join(f"{part}: {ended[part]}" for part in parts if ended.get(part) not in (None, ""))
    return (
        (f'"{when}"',) if when else (),
        ParsedWitness(
            ended_as(reason == "OOMKilled", ended.get("exitCode")),
            {},
            known_details(
                pod=pod,
                oom="yes" if reason == "OOMKilled" else None,
                container=container.get("name"),
                container_id=str(ended.get("containerID") or "").rpartition("//")[2],
                exit_code=ended.get("exitCode"),
                signal=ended.get("signal"),
                reason=reason,
                started_at=ended.get("startedAt"),
                restarts=container.get("restartCount"),
                precise_ms="1000",
            ),
            True,
            instant(when),
            f"{pod}, container {container.get('name')}: {shown}",
            node_id=node,
        ),
    )


def _evicted(pod: str, node: int, reason: str, message: str, when: str | None) -> ParsedWitness:
    details = known_details(pod=pod, reason=reason, said=message, precise_ms="1000")
    return ParsedWitness("pod_evicted", {}, details, True, instant(when), f"{pod}: {message}", node_id=node)


def _machine(name: str, status: Mapping[str, Any]) -> Iterator[tuple[Sequence[str], ParsedWitness]]:
    for condition in status.get("conditions") or ():
        statement = _condition(name, condition, instant(condition.get("lastTransitionTime")))
        if statement is not None:
            yield (f'"{condition.get("type")}"',), statement


def _condition(machine: str, condition: Mapping[str, Any], micros: int | None) -> ParsedWitness | None:
    """The bad condition of a machine and its start; None for a good condition."""
    type_, holds = condition.get("type"), condition.get("status")
    if not ((type_ == "Ready" and holds != "True") or (type_ in _PRESSED and holds == "True")):
        return None
    shown = ", ".join(
        f"{part}: {condition[part]}"
        for part in ("type", "status", "reason", "message", "lastTransitionTime")
        if condition.get(part)
    )
    details = known_details(
        machine=machine, condition=type_, status=holds, reason=condition.get("reason"), precise_ms="1000"
    )
    kind = "machine_not_ready" if type_ == "Ready" else "machine_pressed"
    return ParsedWitness(kind, {}, details, True, micros, f"{machine}: {shown}")


def _event(event: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[ParsedWitness]:
    """The statements of an event: at its last time, and at its first time if it was repeated."""
    about = event.get("involvedObject") or event.get("regarding") or {}
    series = event.get("series") or {}
    when = (
        series.get("lastObservedTime")
        or event.get("lastTimestamp")
        or event.get("deprecatedLastTimestamp")
        or event.get("eventTime")
        or event.get("firstTimestamp")
        or metadata.get("creationTimestamp")
    )
    first = event.get("firstTimestamp") or event.get("deprecatedFirstTimestamp") or event.get("eventTime")
    count = series.get("count") or event.get("count") or event.get("deprecatedCount")
    for at in dict.fromkeys((first or when, when)):
        statement = _event_statement(
            str(event.get("reason") or ""),
            str(about.get("kind") or ""),
            str(about.get("name") or ""),
            str(event.get("message") or event.get("note") or ""),
            instant(at),
            node=node_of_labels(metadata.get("labels")),
            part=str(about.get("fieldPath") or ""),
            count=count,
            precise_ms=None if "." in str(at) else "1000",
        )
        if statement is not None:
            yield statement


def _event_statement(
    reason: str,
    about: str,
    name: str,
    message: str,
    micros: int | None,
    *,
    node: int | None = None,
    part: str = "",
    **more: object,
) -> ParsedWitness | None:
    """The statement of an event about a pod of Kafka or a machine. `part`: the container that it concerns
    (`spec.containers{kafka}`).
    """
    kind = kind_of_reason(reason, message)
    if kind is None or message.startswith("Cancelling deletion"):
        return None
    is_machine = about.lower() == "node"
    node = None if is_machine else node if node is not None else node_of_name(name)
    if node is None and not is_machine:
        return None
    if kind == "pod_evicted" and is_machine:
        return None
    container = _PART.match(part) or _CONTAINER.match(message)
    if (kind == "operator_rolled_pod" and is_machine) or (container is not None and is_beside_kafka(container[1])):
        return None
    probe = re.match(r"(Liveness|Readiness|Startup) probe (?:failed|errored|warning)", message, re.IGNORECASE)
    victim = _VICTIM.search(message)
    if kind == "machine_oom_kill" and "cgroup out of memory" in message:
        kind = "kernel_cgroup_oom_kill"
    details = known_details(
        **{"machine" if is_machine else "pod": name},
        reason=reason,
        said=message[:500],
        probe=probe[1].lower() if probe else None,
        process=(victim["named"] or victim["killed"]) if victim else None,
        why=message[:500] if kind == "operator_rolled_pod" else None,
        by_probe="yes" if ended_by_probe(message) else None,
        **more,
    )
    return ParsedWitness(
        kind, {}, details, True, micros, f"{reason} {about.lower()}/{name}: {message}"[:1_000], node_id=node
    )


def kind_of_reason(reason: str, message: str) -> str | None:
    """The kind of an event by its reason, and for an image that cannot be pulled by its message; None for a reason
    that concerns neither broker nor machine.
    """
    if reason in ("Failed", "BackOff") and _PULL.search(message):
        return "image_not_pulled"
    return _REASONS.get(reason)


def ended_by_probe(message: str) -> bool:
    """Whether the kubelet ends a container because its probe failed."""
    return re.search(r"failed (?:liveness|startup) probe", message) is not None


def event_statements(text: str, first_line: int, as_of: datetime | None) -> Iterator[tuple[int, ParsedWitness]]:
    """The statements in the table of `kubectl get events` or `kubectl events`; the head line gives the columns'
    positions.
    """
    columns: list[tuple[str, int]] = []
    for number, line in enumerate(text.split("\n"), first_line):
        if re.match(EVENTS_HEAD, line):
            columns = [(found[0].rstrip(), found.start()) for found in re.finditer(r"(?:LAST|FIRST) SEEN|[A-Z]+", line)]
            continue
        row = _row(line, columns)
        about, _, name = row.get("OBJECT", "").partition("/")
        if "KIND" in row:  # kubectl before 1.14 prints the event's own name, which starts with the name of its object
            about, name = row["KIND"], row["NAME"].rpartition(".")[0]
        if columns and name:
            seen = _seen(row.get("LAST SEEN", ""), as_of, row.get("FIRST SEEN", ""), row.get("COUNT"))
            part, message = row.get("SUBOBJECT", ""), row.get("MESSAGE", "")
            for statement in _each_time(seen, row.get("REASON", ""), about, name, message, part):
                yield number, statement


def _row(line: str, columns: Sequence[tuple[str, int]]) -> dict[str, str]:
    ends = [start for _, start in columns[1:]] + [len(line) + 1]
    last = len(columns) - 1
    return {
        name: line[start : None if at == last else end].strip()
        for at, ((name, start), end) in enumerate(zip(columns, ends))
    }


class _Seen(NamedTuple):
    """How often an event was seen, and when: last, and first if it was repeated; each with how much later it may have
    been at most.
    """

    times: Sequence[tuple[int | None, str | None]]
    times_seen: str | None


def _seen(text: str, as_of: datetime | None, first: str = "", count: str | None = None) -> _Seen:
    """The times of `35s (x2 over 40s)`, or of the columns for the last and the `first` time."""
    found = _SEEN.match(text)
    count = count or (found["count"] if found else None)
    first = first or (found["over"] if found else None) or ""
    ages = [found["age"] if found else "", *([first] if (count or "1") != "1" and first else [])]
    return _Seen(list(dict.fromkeys(_at_age(age, as_of) for age in ages)), count)


def _each_time(
    seen: _Seen, reason: str, about: str, name: str, message: str, part: str = ""
) -> Iterator[ParsedWitness]:
    """The statement of an event, once for each time at which the table says that it was seen."""
    for micros, precise in seen.times:
        statement = _event_statement(
            reason, about, name, message, micros, part=part, count=seen.times_seen, precise_ms=precise
        )
        if statement is not None:
            yield statement


def _at_age(age: str, as_of: datetime | None) -> tuple[int | None, str | None]:
    """The time that follows from an age, and by how many milliseconds it may have been later."""
    stood, parts = micros_at(as_of), _AGE.findall(age)
    if stood is None or not parts:
        return None, None
    seconds = sum(int(number) * _UNITS[unit] for number, unit in parts)
    coarse = _UNITS[parts[-1][1]]  # an age omits units smaller than its last one
    return stood - (seconds + coarse) * 1_000_000, str(1_000 * (coarse + 1))


# A condition in `kubectl describe node`: type, status, time of the last report, time of the last change.
_CONDITION = re.compile(
    rf"^ +(?P<type>\w+) +(?P<status>True|False|Unknown) +{_LONG_STAMP.pattern} +(?P<since>{_LONG_STAMP.pattern}) +(?P<reason>\w++) *+(?P<message>.*)$"
)
_TOP = re.compile(r"^(\w[\w -]*+): *+(.*)$")
_INNER = re.compile(r"^( +)(\w[\w -]*+): *+(.*)$")


def described_statements(text: str, first_line: int, as_of: datetime | None) -> Iterator[tuple[int, ParsedWitness]]:
    """The statements in `kubectl describe pod` and `describe node`: how containers ended, and the events."""
    description = _Description(as_of)
    for number, line in enumerate([*text.split("\n"), "Name: "], first_line):
        yield from description.read(number, line)


class _Description:
    """A reader of the output of `kubectl describe`, one line after the other."""

    def __init__(self, as_of: datetime | None) -> None:
        self._as_of = as_of
        self._name = self._about = self._section = self._container = ""
        self._ended: tuple[int, dict[str, str]] | None = None  # the state of a container, with the number of its line
        self._labels: dict[str, object] = {}
        self._columns: list[tuple[str, int]] = []

    def read(self, number: int, line: str) -> Iterator[tuple[int, ParsedWitness]]:
        top, inner = _TOP.match(line), _INNER.match(line)
        if self._ended is not None and (top or (inner and len(inner[1]) <= 4)):
            yield from self._end_of_container(*self._ended)
            self._ended = None
        if top:
            self._section = top[1]
            yield from self._head(number, top[2], line)
        if self._section == "Labels":
            key, equals, value = (line.partition(":")[2] if top else line).strip().partition("=")
            self._labels |= {key: value} if equals else {}
        elif self._section == "Conditions" and self._about == "node":
            condition = _CONDITION.match(line)
            if condition is not None:
                statement = _condition(self._name, condition.groupdict(), _long_instant(condition["since"]))
                yield from [] if statement is None else [(number, statement)]
        elif self._section == "Containers" and inner:
            self._of_container(number, len(inner[1]), inner[2], inner[3])
        elif self._section == "Events" and not top:
            yield from self._event(number, line)

    def _head(self, number: int, value: str, line: str) -> Iterator[tuple[int, ParsedWitness]]:
        if self._section == "Name":
            self._name, self._labels, self._columns, self._about = value, {}, [], "node"
        elif self._section == "Node":
            machine, self._about = value.partition("/")[0], "pod"
            node = node_of_pod(self._name, self._labels)
            if node is not None and machine:
                placed = {"pod": self._name, "machine": machine}
                yield number, ParsedWitness("pod_placed", {}, placed, True, None, line, node_id=node)
        elif self._section == "Containers":
            self._about = "pod"

    def _of_container(self, number: int, indent: int, key: str, value: str) -> None:
        if indent <= 2 and not value:
            self._container = key
        elif indent == 4 and key in ("State", "Last State") and value == "Terminated":
            self._ended = number, {}
        elif indent > 4 and self._ended is not None:
            self._ended[1][key] = value

    def _end_of_container(self, number: int, state: Mapping[str, str]) -> Iterator[tuple[int, ParsedWitness]]:
        node = node_of_pod(self._name, self._labels)
        statement = _described_end(self._name, node, self._container, state) if node is not None else None
        if statement is not None:
            yield number, statement

    def _event(self, number: int, line: str) -> Iterator[tuple[int, ParsedWitness]]:
        if re.match(r"^ +Type +Reason +Age", line):
            self._columns = [(found[0], found.start()) for found in re.finditer(r"[A-Z][a-z]+", line)]
        elif self._columns and not re.match(r"^ +-+ ", line):
            row = _row(line, self._columns)
            seen, reason = _seen(row.get("Age", ""), self._as_of), row.get("Reason", "")
            for statement in _each_time(seen, reason, self._about, self._name, row.get("Message", "")):
                yield number, statement


def _described_end(pod: str, node: int, container: str, state: Mapping[str, str]) -> ParsedWitness | None:
    micros = _long_instant(state.get("Finished", ""))
    reason = state.get("Reason")
    if is_beside_kafka(container) or reason in _UNKNOWN_END:
        return None
    shown = ", ".join(f"{key}: {value}" for key, value in state.items())
    return ParsedWitness(
        ended_as(reason == "OOMKilled", state.get("Exit Code")),
        {},
        known_details(
            pod=pod,
            oom="yes" if reason == "OOMKilled" else None,
            container=container,
            exit_code=state.get("Exit Code"),
            signal=state.get("Signal"),
            reason=reason,
            said=state.get("Message"),
            precise_ms="1000",
        ),
        True,
        micros,
        f"{pod}, container {container}: Terminated, {shown}",
        node_id=node,
    )


def _long_instant(text: str) -> int | None:
    """The microseconds of `Sat, 21 Nov 2026 11:37:33 +0600`."""
    found = _LONG_STAMP.search(text)
    if found is None:
        return None
    day, month, year, time, zone = found.groups()
    return micros_of(f"{year}-{MONTHS.index(month) + 1:02d}-{day} {time}", zone)
