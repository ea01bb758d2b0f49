"""What Kubernetes says of pods, their containers and the machines: `kubectl get … -o json`, `describe`, and events in their forms.

Events and machines are the cluster's, so what names no node of Kafka's is of none, whatever folder it lies in. Ages ("2m13s") are counted from the
time at which the file was made, if its path tells that. Sources: the API reference (PodStatus, ContainerStateTerminated, Event, NodeCondition), the
reasons of pkg/kubelet/events and of the controllers; public samples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from replay.reading.container_names import node_of_environment, node_of_labels, node_of_name, node_of_pod
from replay.reading.docker import instant, line_of
from replay.reading.layouts import MONTHS
from replay.reading.stamps import micros_at, micros_of
from replay.reading.told import Told, known_details

JSON = r'"apiVersion":\s*"(?:v1|events\.k8s\.io/v1)"'
EVENTS_HEAD = r"^(?:NAMESPACE +)?LAST SEEN +(?:FIRST SEEN +)?(?:COUNT +)?(?:NAME +KIND +)?TYPE +REASON +.*MESSAGE"
DESCRIBED = r"(?m)^Name: +\S+$(?s:.*)^(?:Containers|Conditions):$"

# What an event's reason says. Reasons of the kubelet, the node controller, the scheduler and the eviction API.
_REASONS = {
    "OOMKilling": "machine_oom_kill",
    "SystemOOM": "machine_oom_kill",
    "Evicted": "pod_evicted",
    "TaintManagerEviction": "pod_evicted",
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
    "NodeHasDiskPressure": "machine_pressed",
    "NodeHasInsufficientMemory": "machine_pressed",
}
_PRESSED = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1, "y": 31_536_000}
_AGE = re.compile(r"(\d+)([ydhms])")
_SEEN = re.compile(r"^(?P<age>(?:\d+[ydhms])+|<unknown>|<invalid>)(?: \(x(?P<count>\d+) over (?P<over>\S+)\))?$")
_LONG_STAMP = re.compile(
    rf"[A-Z][a-z]{{2}}, (\d{{2}}) ({'|'.join(MONTHS)}) (\d{{4}}) (\d\d:\d\d:\d\d) ([+-]\d{{4}}|[A-Z]{{3,4}})"
)


def json_testimonies(text: str) -> Iterator[tuple[int, Told]]:
    """What the pods, events and machines of a JSON text testify."""
    try:
        whole = json.loads(text)
    except ValueError:
        return
    for item in _items(whole):
        kind = item.get("kind") or _kind_of_list(whole)
        metadata = item.get("metadata") or {}
        if kind == "Pod":
            for marks, told in _pod(metadata, item.get("spec") or {}, item.get("status") or {}):
                yield line_of(text, f'"{metadata.get("name")}"', *marks), told
        elif kind == "Event":
            told_event = _event(item, metadata)
            if told_event is not None:
                yield line_of(text, f'"{metadata.get("name")}"'), told_event
        elif kind == "Node":
            for marks, told in _machine(str(metadata.get("name") or ""), item.get("status") or {}):
                yield line_of(text, f'"{metadata.get("name")}"', *marks), told


def _items(whole: object) -> Iterable[dict[str, Any]]:
    if not isinstance(whole, dict):
        return []
    items = whole.get("items") if str(whole.get("kind", "")).endswith("List") else [whole]
    return [item for item in items or () if isinstance(item, dict)]


def _kind_of_list(whole: Mapping[str, Any]) -> str:
    return str(whole.get("kind") or "").removesuffix("List")


def _pod(
    metadata: Mapping[str, Any], spec: Mapping[str, Any], status: Mapping[str, Any]
) -> Iterator[tuple[Sequence[str], Told]]:
    """Where a pod runs, how its containers ended, and why it was taken away."""
    name, labels = str(metadata.get("name") or ""), metadata.get("labels") or {}
    node = node_of_pod(name, labels)
    for container in spec.get("containers") or ():
        environment = {one.get("name"): one.get("value") for one in container.get("env") or ()}
        told_node = node_of_environment(environment)
        node = told_node if told_node is not None else node
    if node is None:
        return
    if spec.get("nodeName"):
        placed = {"pod": name, "machine": str(spec["nodeName"])}
        yield (), Told("pod_placed", {}, placed, True, None, f"{name} runs on {spec['nodeName']}", node_id=node)
    for container in status.get("containerStatuses") or ():
        for which in ("lastState", "state"):
            ended = (container.get(which) or {}).get("terminated")
            if ended:
                yield _terminated(name, node, container, ended)
    if status.get("reason") in ("Evicted", "Preempting", "NodeLost", "Terminated", "NodeShutdown"):
        said = f"{status['reason']}: {status.get('message') or ''}"
        yield (f'"{status["reason"]}"',), _evicted(name, node, str(status["reason"]), said, None)
    for condition in status.get("conditions") or ():
        if condition.get("type") == "DisruptionTarget" and condition.get("status") == "True":
            said = f"{condition.get('reason')}: {condition.get('message') or ''}"
            when = condition.get("lastTransitionTime")
            yield ('"DisruptionTarget"',), _evicted(name, node, str(condition.get("reason")), said, when)


def _terminated(
    pod: str, node: int, container: Mapping[str, Any], ended: Mapping[str, Any]
) -> tuple[Sequence[str], Told]:
    reason, when = ended.get("reason"), ended.get("finishedAt")
    parts = ("reason", "exitCode", "signal", "message", "startedAt", "finishedAt")
    said = ", ".join(f"{part}: {ended[part]}" for part in parts if ended.get(part) not in (None, ""))
    return (
        (f'"{when}"',) if when else (),
        Told(
            "container_oom_killed" if reason == "OOMKilled" else "container_exited",
            {},
            known_details(
                pod=pod,
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
            f"{pod}, container {container.get('name')}: {said}",
            node_id=node,
        ),
    )


def _evicted(pod: str, node: int, reason: str, said: str, when: str | None) -> Told:
    told = known_details(pod=pod, reason=reason, said=said, precise_ms="1000")
    return Told("pod_evicted", {}, told, True, instant(when), f"{pod}: {said}", node_id=node)


def _machine(name: str, status: Mapping[str, Any]) -> Iterator[tuple[Sequence[str], Told]]:
    for condition in status.get("conditions") or ():
        type_, holds, when = condition.get("type"), condition.get("status"), condition.get("lastTransitionTime")
        bad = (type_ == "Ready" and holds != "True") or (type_ in _PRESSED and holds == "True")
        if not bad:
            continue
        said = ", ".join(
            f"{part}: {condition[part]}"
            for part in ("type", "status", "reason", "message", "lastTransitionTime")
            if condition.get(part)
        )
        told = known_details(machine=name, condition=type_, reason=condition.get("reason"), precise_ms="1000")
        kind = "machine_not_ready" if type_ == "Ready" else "machine_pressed"
        yield (f'"{type_}"',), Told(kind, {}, told, True, instant(when), f"{name}: {said}")


def _event(event: Mapping[str, Any], metadata: Mapping[str, Any]) -> Told | None:
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
    return _told_event(
        str(event.get("reason") or ""),
        str(about.get("kind") or ""),
        str(about.get("name") or ""),
        str(event.get("message") or event.get("note") or ""),
        instant(when),
        node=node_of_labels(metadata.get("labels")),
        first_at=first if first != when else None,
        count=count,
        precise_ms=None if "." in str(when) else "1000",
    )


def _told_event(
    reason: str, about: str, name: str, message: str, micros: int | None, *, node: int | None = None, **more: object
) -> Told | None:
    kind = _REASONS.get(reason)
    if kind is None:
        return None
    is_machine = about.lower() == "node"
    node = None if is_machine else node if node is not None else node_of_name(name)
    if node is None and not is_machine:
        return None
    if kind == "pod_evicted" and is_machine:
        return None
    probe = re.match(r"(Liveness|Readiness|Startup) probe (?:failed|errored|warning)", message)
    told = known_details(
        **{"machine" if is_machine else "pod": name},
        reason=reason,
        said=message[:500],
        probe=probe[1].lower() if probe else None,
        by_probe="yes" if re.search(r"failed (?:liveness|startup) probe", message) else None,
        **more,
    )
    return Told(kind, {}, told, True, micros, f"{reason} {about.lower()}/{name}: {message}"[:1_000], node_id=node)


def event_testimonies(text: str, first_line: int, as_of: datetime | None) -> Iterator[tuple[int, Told]]:
    """What the table of `kubectl get events` or `kubectl events` says; its columns stand where its head has them."""
    columns: list[tuple[str, int]] = []
    for number, line in enumerate(text.split("\n"), first_line):
        if re.match(EVENTS_HEAD, line):
            columns = [(found[0].rstrip(), found.start()) for found in re.finditer(r"(?:LAST|FIRST) SEEN|[A-Z]+", line)]
            continue
        row = _row(line, columns)
        about, _, name = row.get("OBJECT", "").partition("/")
        if columns and name:
            micros, precise, count = _seen(row.get("LAST SEEN", ""), as_of)
            told = _told_event(
                row.get("REASON", ""),
                about,
                name,
                row.get("MESSAGE", ""),
                micros,
                count=row.get("COUNT") or count,
                precise_ms=precise,
            )
            if told is not None:
                yield number, told


def _row(line: str, columns: Sequence[tuple[str, int]]) -> dict[str, str]:
    ends = [start for _, start in columns[1:]] + [len(line) + 1]
    last = len(columns) - 1
    return {
        name: line[start : None if at == last else end].strip()
        for at, ((name, start), end) in enumerate(zip(columns, ends))
    }


def _seen(text: str, as_of: datetime | None) -> tuple[int | None, str | None, str | None]:
    """The time that an age tells, how much later it may have been at most, and how often: `35s (x2 over 40s)`."""
    found = _SEEN.match(text)
    stood = micros_at(as_of)
    if found is None or stood is None or not _AGE.search(found["age"]):
        return None, None, found["count"] if found else None
    parts = _AGE.findall(found["age"])
    seconds = sum(int(number) * _UNITS[unit] for number, unit in parts)
    coarse = _UNITS[parts[-1][1]]  # what is smaller than its last unit an age does not tell
    return stood - (seconds + coarse) * 1_000_000, str(1_000 * (coarse + 1)), found["count"]


_TOP = re.compile(r"^(\w[\w -]*): *(.*)$")
_INNER = re.compile(r"^( +)(\w[\w -]*): *(.*)$")


def described_testimonies(text: str, first_line: int, as_of: datetime | None) -> Iterator[tuple[int, Told]]:
    """What `kubectl describe pod` (and `describe node`) says: how containers ended, and the events below."""
    name = machine = about = ""
    section = container = ""
    state: tuple[int, dict[str, str]] | None = None
    labels: dict[str, object] = {}
    columns: list[tuple[str, int]] = []
    for number, line in enumerate([*text.split("\n"), "Name: "], first_line):
        top, inner = _TOP.match(line), _INNER.match(line)
        if state is not None and (top or (inner and len(inner[1]) <= 4)):
            node = node_of_pod(name, labels)
            told = _described_end(name, node, container, state[1]) if node is not None else None
            if told is not None:
                yield state[0], told
            state = None
        if top:
            section = top[1]
            if section == "Name":
                name, labels, columns, about = top[2], {}, [], "node"
            elif section == "Node":
                machine, about = top[2].partition("/")[0], "pod"
                node = node_of_pod(name, labels)
                if node is not None and machine:
                    placed = {"pod": name, "machine": machine}
                    yield number, Told("pod_placed", {}, placed, True, None, line, node_id=node)
            elif section == "Containers":
                about = "pod"
        if section == "Labels":
            pair = line.partition(":")[2].strip() if top else line.strip()
            key, equals, value = pair.partition("=")
            labels |= {key: value} if equals else {}
        elif section == "Containers" and inner:
            indent, key, value = len(inner[1]), inner[2], inner[3]
            if indent <= 2 and not value:
                container = key
            elif indent == 4 and key in ("State", "Last State") and value == "Terminated":
                state = number, {}
            elif indent > 4 and state is not None:
                state[1][key] = value
        elif section == "Events":
            if re.match(r"^ +Type +Reason +Age", line):
                columns = [(found[0], found.start()) for found in re.finditer(r"[A-Z][a-z]+", line)]
            elif columns and not re.match(r"^ +-+ ", line) and not top:
                row = _row(line, columns)
                micros, precise, count = _seen(row.get("Age", ""), as_of)
                told = _told_event(
                    row.get("Reason", ""), about, name, row.get("Message", ""), micros, count=count, precise_ms=precise
                )
                if told is not None:
                    yield number, told


def _described_end(pod: str, node: int, container: str, state: Mapping[str, str]) -> Told | None:
    found = _LONG_STAMP.search(state.get("Finished", ""))
    micros = None
    if found is not None:
        day, month, year, time, zone = found.groups()
        micros = micros_of(f"{year}-{MONTHS.index(month) + 1:02d}-{day} {time}", zone)
    reason = state.get("Reason")
    said = ", ".join(f"{key}: {value}" for key, value in state.items())
    return Told(
        "container_oom_killed" if reason == "OOMKilled" else "container_exited",
        {},
        known_details(
            pod=pod,
            container=container,
            exit_code=state.get("Exit Code"),
            signal=state.get("Signal"),
            reason=reason,
            said=state.get("Message"),
            precise_ms="1000",
        ),
        True,
        micros,
        f"{pod}, container {container}: Terminated, {said}",
        node_id=node,
    )
