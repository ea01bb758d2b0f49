"""Collects the evidence of why a broker ended: the host's journal, Java's crash reports, states and events of
containers, the operator's log.

From the description of a container or a pod it keeps only the fields that the analysis reads, because its settings
and environment hold secrets.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipelines.evidence_files import Archive
from pipelines.tools import ODD, Printed, asked, is_name, noted
from replay.reading.container_names import NODE_LABEL
from replay.reading.host_logs import host_statements
from replay.reading.secrets import hidden_text

_STAMPED = ("--output", "short-iso-precise", "--no-pager")
_OTHERS = (
    "systemd-logind",
    "systemd-oomd",
    "chronyd",
    "ntpd",
    "systemd-timesyncd",
)  # stops of the host, kills for memory, clocks
_ENVIRONMENT = re.compile(r"(?ms)^Environment Variables:\n(?:(?!\n\n).)*+(?:\n\n)?")
_MOST_REPORTS = 20
_CLUSTER_LABELS = ("strimzi.io/cluster", "app.kubernetes.io/instance")
_NUMBERED = re.compile(r"(?:-kafka)?(?:-(?:broker|controller)s?)?-\d+$")
_PROJECT = "com.docker.compose.project"
_OPERATORS = "name=strimzi-cluster-operator"


def host_journal(archive: Archive, place: str, unit: str | None, since: str, *, quiet: bool = False) -> None:
    """Collects the lines of the kernel and systemd since `since`, shutdowns of the host, steps of its clock, and
    commands about Kafka; `dmesg` if there is no journal.
    """
    kernel = None
    if shutil.which("journalctl"):
        kernel = _journal(["_TRANSPORT=kernel"], since, archive)
        if unit:
            name = unit if "." in unit else f"{unit}.service"
            printed = _journal([f"UNIT={name}"], since, archive)
            if printed:
                archive.add_stream(f"{place}/systemd.log", printed.stream(), printed.size, f"journalctl UNIT={name}")
        commands = _understood(_journal(["SYSLOG_IDENTIFIER=sudo"], since, archive))
        if commands:
            archive.add(f"{place}/commands.log", commands, "journalctl SYSLOG_IDENTIFIER=sudo, commands that end Kafka")
        others = _understood(_journal([f"SYSLOG_IDENTIFIER={name}" for name in _OTHERS], since, archive))
        if others:
            archive.add(
                f"{place}/others.log",
                others,
                f"journalctl of {', '.join(_OTHERS)}, lines about the host's end or clock",
            )
    if kernel:
        archive.add_stream(f"{place}/kernel.log", kernel.stream(), kernel.size, "journalctl _TRANSPORT=kernel")
    elif shutil.which("dmesg"):
        printed = asked(["dmesg", "--time-format", "iso"], archive, quiet=quiet)
        if printed and printed.size:
            archive.add_stream(f"{place}/kernel.log", printed.stream(), printed.size, "dmesg --time-format iso")


def _journal(matches: Sequence[str], since: str, archive: Archive) -> Printed | None:
    printed = asked(["journalctl", *matches, "--since", since, *_STAMPED], archive, quiet=True)
    return None if printed is None or not printed.size or b"-- No entries --" in printed.head() else printed


def _understood(printed: Printed | None) -> bytes:
    """The lines that are evidence, from programs that also print much else."""
    lines = () if printed is None else printed.lines()
    return b"".join(line for line in lines if next(host_statements(line.decode(errors="replace"), 1, None), None))


def crash_reports(archive: Archive, place: str, folders: Iterable[Path]) -> None:
    """Java's crash reports in their usual places: its working directory, the log folder, `/tmp`."""
    seen: set[Path] = set()
    for folder in folders:
        for file in sorted(folder.glob("hs_err*.log"))[-_MOST_REPORTS:] if folder.is_dir() else ():
            if file.resolve() not in seen and file.is_file():
                seen.add(file.resolve())
                archive.add(f"{place}/{file.name}", without_environment(file.read_bytes()), str(file))


def without_environment(report: bytes) -> bytes:
    """A crash report without the environment of its process, and with the secrets of its command line hidden."""
    text = _ENVIRONMENT.sub("", report.decode("utf-8", "replace"))
    return "\n".join(map(hidden_text, text.split("\n"))).encode()


def container_states(archive: Archive, place: str, inspected: Sequence[Mapping[str, Any]]) -> None:
    """Collects how each container runs or ended, from the output of `docker inspect`, each with its node (`node`)."""
    projects = (((one.get("Config") or {}).get("Labels") or {}).get(_PROJECT) for one in inspected)
    archive.owners_names |= {str(project) for project in projects if project}
    kept = [
        {
            "Id": one.get("Id"),
            "Name": one.get("Name"),
            "RestartCount": one.get("RestartCount"),
            "State": {name: value for name, value in (one.get("State") or {}).items() if name != "Health"},
            "Config": {"Labels": {NODE_LABEL: str(one["node"])}},
        }
        for one in inspected
    ]
    archive.add(f"{place}/inspect.json", json.dumps(kept, indent=1).encode(), "docker inspect")


def docker_events(archive: Archive, place: str, docker: str, nodes: Mapping[str, str], since: str) -> None:
    """Collects Docker's events of these containers: starts, signals, exits, out of memory."""
    filters = [word for name in nodes for word in ("--filter", f"container={name}")]
    command = [docker, "events", "--since", _docker_time(since), "--until", "0s", *filters, "--format", "{{json .}}"]
    printed = asked(command, archive, quiet=True)
    lines = []
    for line in () if printed is None else printed.lines():
        try:
            event = json.loads(line)
            attributes = dict(event["Actor"]["Attributes"])
        except ODD:
            continue
        kept = {name: attributes[name] for name in ("name", "exitCode", "signal") if name in attributes}
        kept[NODE_LABEL] = nodes.get(str(attributes.get("name")), "").removeprefix("node-")
        of_event = {name: event[name] for name in ("Type", "Action", "time", "timeNano") if name in event}
        lines.append(json.dumps(of_event | {"Actor": {"ID": event["Actor"].get("ID"), "Attributes": kept}}))
    if lines:
        text = "".join(f"{line}\n" for line in lines).replace('": ', '":')
        archive.add(f"{place}/docker-events.json", text.encode(), "docker events")


def _docker_time(since: str) -> str:
    """A time such as `7 days ago`, as journalctl accepts it, in Docker's format."""
    found = re.fullmatch(r"(\d+) days? ago", since.strip())
    return f"{24 * int(found[1])}h" if found else since.replace(" ", "T")


def pod_states(archive: Archive, place: str, pods: Sequence[Mapping[str, Any]], nodes: Mapping[str, str]) -> None:
    """Collects the machine of each pod, how its containers run and ended, and why it was evicted or deleted."""
    kept = []
    for pod in pods:
        name = pod["metadata"]["name"]
        labels = pod["metadata"].get("labels") or {}
        archive.owners_names.add(str(next(filter(None, map(labels.get, _CLUSTER_LABELS)), _NUMBERED.sub("", name))))
        of_status = ("phase", "reason", "message", "startTime", "conditions", "containerStatuses")
        kept.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "labels": {NODE_LABEL: nodes[name].removeprefix("node-")}},
                "spec": {"nodeName": pod["spec"].get("nodeName")},
                "status": {part: value for part, value in (pod.get("status") or {}).items() if part in of_status},
            }
        )
    listing = {"apiVersion": "v1", "kind": "List", "items": kept}
    archive.add(f"{place}/pods.json", json.dumps(listing, indent=1).encode(), "kubectl get pods")


def machines_and_events(
    archive: Archive,
    place: str,
    kubectl: Sequence[str],
    pods: Sequence[Mapping[str, Any]],
    nodes: Mapping[str, str],
) -> None:
    """Collects the events of these pods and of their machines, which Kubernetes deletes after an hour, and the
    machines' conditions.
    """
    archive.owners_names |= {str(pod["spec"]["nodeName"]) for pod in pods if pod["spec"].get("nodeName")}
    machines = sorted({pod["spec"]["nodeName"] for pod in pods if is_name(pod["spec"].get("nodeName"))})
    if machines:
        machines_listed = _items(kubectl, ["nodes", *machines], archive)
        kept = [
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": one["metadata"].get("name")},
                "status": {"conditions": (one.get("status") or {}).get("conditions")},
            }
            for one in machines_listed
        ]
        if kept:
            _add_list(archive, f"{place}/machines.json", kept, "kubectl get nodes")
    events = []
    for event in _items(kubectl, ["events"], archive):
        about = event.get("involvedObject") or event.get("regarding") or {}
        name = str(about.get("name"))
        if about.get("kind") == "Pod" and name in nodes:
            event["metadata"] = {"name": name, "labels": {NODE_LABEL: nodes[name].removeprefix("node-")}}
            events.append(event)
    for machine in machines:
        of_machine = ["--all-namespaces", "--field-selector", f"involvedObject.kind=Node,involvedObject.name={machine}"]
        events += _items(kubectl, ["events", *of_machine], archive)
    if events:
        _add_list(archive, f"{place}/events.json", events, "kubectl get events")


def _add_list(archive: Archive, name: str, items: Sequence[Mapping[str, Any]], source: str) -> None:
    listing = {"apiVersion": "v1", "kind": "List", "items": items}
    archive.add(name, json.dumps(listing, indent=1).encode(), source)


def _items(kubectl: Sequence[str], asks: Sequence[str], archive: Archive) -> list[dict[str, Any]]:
    """The objects that `kubectl get` lists, those with the fields that every object has."""
    printed = asked([*kubectl, "get", *asks, "--output", "json"], archive, quiet=True)
    items: list[Any] = []
    with noted(archive, f"kubectl get {' '.join(asks)}"):
        items = list(json.loads("{}" if printed is None else printed.text()).get("items") or [])
    objects = [item for item in items if isinstance(item, dict) and isinstance(item.get("metadata"), dict)]
    return [item | {"kind": item.get("kind") or "Event"} for item in objects]


def operator_log(archive: Archive, place: str, kubectl: Sequence[str]) -> None:
    """Collects the log of Strimzi's cluster operator, in any namespace."""
    for pod in _items(kubectl, ["pods", "--all-namespaces", "--selector", _OPERATORS], archive):
        name, namespace = pod["metadata"].get("name"), pod["metadata"].get("namespace") or "default"
        if not is_name(name) or not is_name(namespace):
            continue
        printed = asked([*kubectl, "--namespace", namespace, "logs", name], archive, quiet=True)
        if printed and printed.size:
            archive.add_stream(f"{place}/cluster-operator.log", printed.stream(), printed.size, f"kubectl logs {name}")
            return
