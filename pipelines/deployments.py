"""Finds the evidence of a deployment: a host with systemd, Docker Compose, or Kubernetes (Strimzi), each through its
own tools.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from pipelines.evidence_files import (
    CHECKPOINTS,
    Archive,
    checkpoint_place,
    folder_names,
    is_checkpoint,
    is_crash_report,
    is_log,
    masked,
    node_id_of,
    stamp,
)
from pipelines.host_evidence import (
    container_states,
    crash_reports,
    docker_events,
    host_journal,
    machines_and_events,
    operator_log,
    pod_states,
    without_environment,
)
from pipelines.saved_tails import (
    Truncated,
    Wanted,
    of_container,
    of_host,
    pod_directories,
    save,
    truncated_in,
    truncated_in_files,
)
from pipelines.tools import ODD, Printed, Running, Stopped, asked, is_name, must, must_json, noted, tool
from replay.errors import InputError

OnStep = Callable[[str], None]

_IN_IMAGES = (
    "/var/lib/kafka/data",
    "/bitnami/kafka/data",
    "/tmp/kraft-combined-logs",
    "/tmp/kafka-logs",
    "/kafka",
)  # where the known images keep their data
_NO_KAFKA = (
    "no running Kafka, and no systemd unit for it: give --config /path/to/server.properties, or --logs and --data"
)
_OF_UNITS = "ExecStart,Environment,WorkingDirectory"
_LONGEST_PATH = 4_096
_MOST_OF_A_REPORT = 16 << 20  # bytes of a crash report, or of a checkpoint file
_LOGS_IN_IMAGES = ("/opt/kafka/logs", "/opt/bitnami/kafka/logs", "/var/log/kafka")


def host(
    archive: Archive,
    *,
    unit: str | None,
    configs: Sequence[Path],
    logs: Sequence[Path],
    data: Sequence[Path],
    node: int | None,
    since: str,
    on_step: OnStep,
    tails: Wanted | None = None,
) -> None:
    """Collect the evidence of the Kafka on this host: from the given paths, else from its running process or its systemd
    unit; and the host's own logs starting at `since`. Raises InputError if neither names the files.
    """
    process = "" if configs or logs or data else _of_process() + (_of_unit(unit, archive) if unit else "")
    configs = list(configs) or _existing(re.findall(r"(?<![^\s;=])(/[^\s;=]{1,4000}\.properties)", process))
    settings = [config.read_text(encoding="utf-8", errors="replace") for config in configs if config.is_file()]
    data = list(data) or _log_dirs(settings)
    logs = list(logs) or _existing(
        [*re.findall(r"-Dkafka\.logs\.dir=(\S+)", process), *re.findall(r"LOG_DIR=(\S+)", process), "/var/log/kafka"]
    )
    if not data and not logs:
        raise InputError(_NO_KAFKA)
    node = _node_of_host(data, settings) if node is None else node
    name, when = f"node-{node}", stamp()
    _add_checkpoints(archive, name, when, data, on_step)
    if tails is not None:
        own_logs = [file for folder in logs for file in _files(str(folder), is_log, archive)]
        truncated = truncated_in_files(own_logs, tails.truncated_hours)
        found = [of_host(archive, folder, short, truncated) for folder, short in folder_names(map(str, data))]
        for step in save(archive, name, when, found, tails):
            on_step(step)
    _add_logs(archive, name, logs, on_step)
    if unit and shutil.which("journalctl") and not any(is_log(str(t["name"])) for t in archive.taken):
        _add_journal(archive, name, unit)
    on_step(f"The host of node {node}")
    host_journal(archive, f"{name}/{when}/host", unit, since)
    works_in = _existing(re.findall(_WORKS_IN, process))
    crash_reports(archive, f"{name}/host", [*logs, *works_in, *_works_in(), Path("/tmp")])
    for config in configs:
        archive.add(f"{name}/config/{config.name}", masked(config.read_text(errors="replace")).encode(), str(config))


def _add_journal(archive: Archive, name: str, unit: str) -> None:
    """Add what a unit printed: only the messages, because otherwise the journal's timestamp and name precede Kafka's own."""
    journal = asked(["journalctl", f"--unit={unit}", "--output", "cat", "--no-pager"], archive)
    _add_printed(archive, f"{name}/journal/server.log", journal, f"journalctl --unit {unit}")


def _add_printed(archive: Archive, name: str, printed: Printed | None, source: str) -> None:
    if printed is not None and printed.size:
        archive.add_stream(name, printed.stream(), printed.size, source)


def _log_dirs(settings: Iterable[str]) -> list[Path]:
    """The existing log directories of a server.properties."""
    named = (found for text in settings for found in re.findall(r"(?m)^[ \t]*+log\.dirs?[ \t]*+=[ \t]*+(.+)$", text))
    return _existing(part.strip() for value in named for part in value.split(","))


def _node_of_host(data: Iterable[Path], settings: Iterable[str]) -> int:
    """The node id in meta.properties, else in the settings. Raises InputError without one."""
    metas = [folder / "meta.properties" for folder in data]
    texts = [*(meta.read_text(errors="replace") for meta in metas if meta.is_file()), *settings]
    node = next((id_ for id_ in map(node_id_of, texts) if id_ is not None), None)
    if node is None:
        raise InputError("neither meta.properties nor the settings name this node's id: give --node N")
    return node


def _add_checkpoints(archive: Archive, name: str, when: str, data: Iterable[Path], on_step: OnStep) -> None:
    """Add a host's checkpoint files."""
    on_step(f"Checkpoint files of {name.replace('-', ' ')}")
    for folder, short in folder_names(map(str, data)):
        for file in _files(folder, is_checkpoint, archive, depth=1):
            archive.add_file(checkpoint_place(name, when, short, str(file.relative_to(folder))), file)


def _add_logs(archive: Archive, name: str, logs: Iterable[Path], on_step: OnStep) -> None:
    """Add a host's logs."""
    on_step(f"Logs of {name.replace('-', ' ')}")
    for folder, short in folder_names(map(str, logs)):
        for file in _files(folder, is_log, archive):
            archive.add_file(f"{name}/{short}/{file.name}", file)


def _files(folder: str, wanted: Callable[[str], bool], archive: Archive, depth: int = 0) -> Iterator[Path]:
    """The wanted files of a folder and of the folders in it, `depth` levels deep. A folder that cannot be read, and a
    link that leads out of the folder, become notes: another user may have put it there.
    """
    try:
        entries = sorted(Path(folder).iterdir())
    except OSError as error:
        archive.miss(f"{folder}: {error.strerror or error}")
        return
    for entry in entries:
        if depth and entry.is_dir() and not entry.is_symlink():
            yield from _files(str(entry), wanted, archive, depth - 1)
        elif wanted(entry.name) and entry.is_file():
            if entry.is_symlink() and entry.resolve().parent != Path(folder).resolve():
                archive.miss(f"{entry}: a link to {entry.resolve()}, which is elsewhere; name that folder with --logs")
            else:
                yield entry


def compose(
    archive: Archive,
    *,
    files: Sequence[Path],
    project: str | None,
    services: Sequence[str],
    data: Sequence[str],
    since: str,
    on_step: OnStep,
    tails: Wanted | None = None,
) -> None:
    """Collect the evidence of a project's Kafka containers, including stopped ones. Raises InputError if there are
    none.
    """
    docker = tool("docker")
    base = [docker, "compose", *(word for file in files for word in ("--file", str(file)))]
    base += ["--project-name", project] if project else []
    found = list(_kafka_containers(docker, must([*base, "ps", "--all", "--format", "json"]), services, archive))
    if not found:
        raise InputError(
            "no Kafka container in this project: name the services with --service, or the file with --file"
            + "".join(f"; {what}" for what in archive.missing[:2])
        )
    when = stamp()
    folders = {one.name: list(folder_names(data or one.log_dirs or _IN_IMAGES)) for one in found}
    checkpoints: dict[tuple[str, str], dict[str, str]] = {}
    for one in found:
        on_step(f"Checkpoint files of {one.name}")
        for folder, short in folders[one.name]:
            files_of = _copied(docker, one.name, folder, is_checkpoint, archive, quiet=not data)
            checkpoints[one.name, folder] = _add_copied(archive, one, when, folder, short, files_of)
    for one in found if tails is not None else ():
        directories = {short: (folder, checkpoints[one.name, folder]) for folder, short in folders[one.name]}
        for step in _container_tails(docker, one, directories, archive, when, tails or Wanted()):
            on_step(step)
    on_step("States and events of the containers")
    with noted(archive, "docker inspect"):
        container_states(archive, f"docker/{when}", [one.state for one in found])
    docker_events(archive, f"docker/{when}", docker, {one.name: one.place for one in found}, since)
    on_step("The host of the containers")
    host_journal(archive, f"docker/{when}/host", None, since, quiet=True)
    for one in found:
        on_step(f"Logs of {one.name}")
        _add_container_logs(archive, docker, one)


class _Container(NamedTuple):
    """A Kafka container: its name, its place in the archive, the log directories in its environment, and the output
    of `docker inspect`, with its node.
    """

    name: str
    place: str
    log_dirs: Sequence[str]
    state: dict[str, Any]


def _add_copied(
    archive: Archive, one: _Container, when: str, folder: str, short: str, files: Iterable[tuple[str, Member]]
) -> dict[str, str]:
    """Add the checkpoint files of a container's folder. Returns their texts by name."""
    texts = {}
    for within, content in files:
        text = content.read()
        texts[within] = text.decode(errors="replace")
        archive.add(checkpoint_place(one.place, when, short, within), text, f"{one.name}:{folder}/{within}")
    return texts


def _add_container_logs(archive: Archive, docker: str, one: _Container) -> None:
    """Add what a container printed, and the logs and crash reports in it."""
    printed = asked([docker, "logs", one.name], archive, merge_stderr=True)
    _add_printed(archive, f"{one.place}/stdout/server.log", printed, f"docker logs {one.name}")
    for folder in _LOGS_IN_IMAGES:
        for within, content in _copied(docker, one.name, folder, _is_log_or_crash_report, archive, quiet=True):
            name, source = f"{one.place}/logs/{within}", f"{one.name}:{folder}/{within}"
            if is_crash_report(within):
                archive.add(name, without_environment(content.read(_MOST_OF_A_REPORT)), source)
            else:
                archive.add_stream(name, content.stream, content.size, source)


def _kafka_containers(docker: str, listed: str, services: Sequence[str], archive: Archive) -> Iterator[_Container]:
    """The Kafka containers, or those of `services`, in the output of `docker compose ps`: one JSON object per line,
    or one array. Raises InputError if it is something else.
    """
    try:
        lines = [json.loads(line) for line in listed.splitlines() if line.startswith("{")]
        containers = list(lines or json.loads(listed or "[]"))
    except ODD as error:
        raise InputError(f"docker compose ps printed no JSON: {listed[:80]!r}") from error
    for container in containers:
        with noted(archive, "docker compose ps"):
            if services and container.get("Service") not in services:
                continue
            name = container["Name"]
            if not is_name(name):
                raise ValueError(f"{name!r} is no name of a container")
            one = _of_inspected(must_json([docker, "inspect", name])[0], name, container.get("Service") or name)
            if one is not None or services:
                yield one or _Container(name, _place(name), [], {"Name": name, "node": name})


def _of_inspected(state: dict[str, Any], name: str, service: str) -> _Container | None:
    """The container that `docker inspect` describes; None if it does not look like Kafka's."""
    config = state["Config"] or {}
    env = dict(pair.partition("=")[::2] for pair in config.get("Env") or ())
    if "kafka" not in (config.get("Image") or "").lower() and not any(k.startswith("KAFKA_") for k in env):
        return None
    node = _id_in(env, service)
    folders = (env.get("KAFKA_LOG_DIRS") or env.get("KAFKA_CFG_LOG_DIRS") or "").split(",")
    log_dirs = [folder.strip() for folder in folders if folder.strip()]
    return _Container(name, _place(node), log_dirs, state | {"Name": state.get("Name") or name, "node": node})


def _place(node: str) -> str:
    """The folder of a node in the archive."""
    return "node-" + node.replace("/", "_")


def kubernetes(
    archive: Archive,
    *,
    namespace: str | None,
    context: str | None,
    cluster: str | None,
    selector: str | None,
    container: str,
    data: Sequence[str],
    on_step: OnStep,
    tails: Wanted | None = None,
) -> None:
    """Collect the evidence of a Kafka cluster's pods, by default of Strimzi's. Raises InputError if there are none."""
    kubectl = [
        tool("kubectl"),
        *(["--context", context] if context else []),
        *(["--namespace", namespace] if namespace else []),
    ]
    labels = selector or "strimzi.io/kind=Kafka" + (f",strimzi.io/cluster={cluster}" if cluster else "")
    pods = _pods(kubectl, labels, container)
    nodes = {pod["metadata"]["name"]: _place_of_pod(pod["metadata"]["name"]) for pod in pods}
    when = stamp()
    in_pods = " ".join(f"'{folder}'" for folder in (data or ("/var/lib/kafka", *_IN_IMAGES[1:])))
    shells = {name: [*kubectl, "exec", name, "--container", container, "--", "sh", "-c"] for name in nodes}
    checkpoints: dict[str, dict[str, str]] = {}
    for name, place in nodes.items():
        on_step(f"Checkpoint files of {name}")
        checkpoints[name] = _add_pod_checkpoints(archive, name, place, when, shells[name], in_pods)
    for name, place in nodes.items() if tails is not None else ():
        wanted = tails or Wanted()
        truncated = _truncated([*kubectl, "logs", name, "--container", container], archive, wanted)
        pod = pod_directories(archive, name, shells[name], in_pods, wanted.hours, checkpoints[name], truncated)
        for step in save(archive, place, when, pod, wanted):
            on_step(step)
    on_step("States and events of the pods")
    with noted(archive, "kubectl get pods"):
        pod_states(archive, f"kubernetes/{when}", pods, nodes)
    with noted(archive, "kubectl get nodes, events"):
        machines_and_events(archive, f"kubernetes/{when}", kubectl, pods, nodes)
    for name, place in nodes.items():
        on_step(f"Logs of {name}")
        _add_pod_logs(archive, name, place, [*kubectl, "logs", name, "--container", container])
    with noted(archive, "the operator's log"):
        operator_log(archive, f"operator/{when}", kubectl)


def _add_pod_checkpoints(
    archive: Archive, name: str, place: str, when: str, shell: Sequence[str], folders: str
) -> dict[str, str]:
    """Add the checkpoint files of a pod. Returns their texts by path."""
    texts = {}
    names = " -o ".join(f"-name '{checkpoint}'" for checkpoint in CHECKPOINTS)
    printed = asked([*shell, _CAT % (folders, names)], archive)
    for path, content in () if printed is None else _parted(printed.stream()):
        texts[path] = content.decode(errors="replace")
        archive.add(checkpoint_place(place, when, *_below(path.strip("/").split("/"))), content, f"{name}:{path}")
    return texts


def _add_pod_logs(archive: Archive, name: str, place: str, logs: Sequence[str]) -> None:
    """Add what a pod's container printed, also before it was started again."""
    for which, file in (((), "server.log"), (("--previous",), "server.log.1")):
        printed = asked([*logs, *which], archive, quiet=bool(which))
        _add_printed(archive, f"{place}/stdout/{file}", printed, f"kubectl logs {name} {' '.join(which)}".strip())


def _container_tails(
    docker: str,
    one: _Container,
    directories: Mapping[str, tuple[str, Mapping[str, str]]],
    archive: Archive,
    when: str,
    tails: Wanted,
) -> Iterator[str]:
    """Adds the ends of the logs of a container. `directories`: by their short names, with their checkpoint files."""
    truncated = _truncated([docker, "logs", one.name], archive, tails)
    found = [
        of_container(
            archive,
            f"{one.name}:{folder}",
            short,
            partial(_streamed, docker, one.name, folder, archive),
            checkpoints,
            truncated,
        )
        for short, (folder, checkpoints) in directories.items()
    ]
    yield from save(archive, one.place, when, found, tails)


def _truncated(logs: Sequence[str], archive: Archive, tails: Wanted) -> dict[str, Truncated]:
    """What a broker lately truncated, by the output of the command that prints its log."""
    printed = asked(logs, archive, merge_stderr=True, quiet=True)
    lines = () if printed is None else (line.decode(errors="replace") for line in printed.lines())
    return truncated_in(lines, tails.truncated_hours)


def _pods(kubectl: Sequence[str], labels: str, container: str) -> list[dict[str, Any]]:
    """The pods with these labels and a container of this name. Raises InputError if there are none."""
    listed = must_json([*kubectl, "get", "pods", "--selector", labels, "--output", "json"])
    items = listed.get("items") if isinstance(listed, dict) else None
    pods = [pod for pod in items if _has(pod, container)] if isinstance(items, list) else []
    if not pods:
        raise InputError(
            f"no pod with the labels {labels} and a container {container!r}: give --namespace, --cluster, or "
            f"--selector and --container"
        )
    return pods


def _has(pod: Any, container: str) -> bool:
    """Whether kubectl described a pod that has a container of this name."""
    try:
        return is_name(pod["metadata"]["name"]) and any(c["name"] == container for c in pod["spec"]["containers"])
    except ODD:
        return False


def _place_of_pod(name: str) -> str:
    number = re.search(r"(?<!\d)(\d++)$", name)
    return _place(number[1] if number else name)


# Small images have no tar: prints the path, the size and the bytes of each file.
_CAT = """find %s \\( %s \\) -type f 2>/dev/null | sort -u | while read -r f; do
n=$(wc -c < "$f") && printf '%%s\\n%%d\\n' "$f" "$n" && head -c "$n" "$f"; done"""


def _parted(stream: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """The path and the bytes of each file in the output of `_CAT`. It ends at what is no checkpoint file."""
    while path := stream.readline(_LONGEST_PATH):
        size = stream.readline(_LONGEST_PATH).strip()
        if not size.isdigit() or len(size) > 9 or int(size) > _MOST_OF_A_REPORT:
            return
        yield path.decode(errors="replace").rstrip("\n"), stream.read(int(size))


def _below(parts: list[str]) -> tuple[str, str]:
    """The short name of a data directory, and the path within it. Checkpoint files are in the directory or one
    folder below.
    """
    inner = 2 if parts[-1] in ("leader-epoch-checkpoint", "partition.metadata", "quorum-state") else 1
    inner = min(inner, len(parts) - 1)
    return "-".join(parts[:-inner][-2:]) or "data", "/".join(parts[-inner:])


def _is_log_or_crash_report(path: str) -> bool:
    return is_log(path) or is_crash_report(path)


def _streamed(
    docker: str, name: str, folder: str, archive: Archive, wanted: Callable[[str], bool]
) -> Iterator[tuple[str, Member]]:
    return _copied(docker, name, folder, wanted, archive, quiet=True)


def _copied(
    docker: str, name: str, folder: str, wanted: Callable[[str], bool], archive: Archive, *, quiet: bool
) -> Iterator[tuple[str, Member]]:
    """The wanted files of a folder of a container, running or stopped. Reads the stream of `docker cp` and skips the
    rest.
    """
    if name in archive.silent:
        return
    with Running([docker, "cp", f"{name}:{folder}/.", "-"]) as copied:
        try:
            with tarfile.open(fileobj=cast("IO[bytes]", copied), mode="r|") as stream:
                for member in stream:
                    held = stream.extractfile(member) if member.isfile() and wanted(member.name) else None
                    if held is not None:
                        yield str(PurePosixPath(member.name)), Member(held, member.size, member.mtime)
        except Stopped as stop:
            archive.miss(f"docker cp {name}:{folder}: {stop}; no other folder of this container was tried")
            archive.silent.add(name)
        except (tarfile.TarError, *ODD) as error:
            if not quiet:
                archive.miss(f"{name}:{folder}: {copied.reason or error}")


class Member(NamedTuple):
    """A file within the output of `docker cp`."""

    stream: IO[bytes]
    size: int
    written: float | None = None

    def read(self, most: int = -1) -> bytes:
        return self.stream.read(most)


_WORKS_IN = r"(?:(?m:^WorkingDirectory=)|-XX:ErrorFile=)(/[^\s%]*/?)"


def _works_in() -> list[Path]:
    """The working directories of Kafka's processes on this host: Java writes its crash report there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
            if re.search(rb"\0kafka\.(?:Kafka|server\.KafkaServer)\w*\0", words):
                found.append((process / "cwd").readlink())
        except OSError:
            continue
    return found


def _of_process() -> str:
    """The command lines of Kafka's processes on this host."""
    command_lines = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if re.search(r"\skafka\.(?:Kafka|server\.KafkaServer)\w*\s", words):
            command_lines.append(words)
    if len(command_lines) > 1:
        raise InputError(f"{len(command_lines)} Kafka processes run on this host: give --config of each in turn")
    return "\n".join(command_lines)


def _of_unit(unit: str, archive: Archive) -> str:
    """The command with which systemd starts a unit."""
    if shutil.which("systemctl") is None:
        return ""
    printed = asked(["systemctl", "show", f"--property={_OF_UNITS}", "--", unit], archive, quiet=True)
    with noted(archive, f"systemctl show {unit}"):
        return "" if printed is None else f"\n{printed.text()}"
    return ""


def _id_in(env: dict[str, str], service: str) -> str:
    """The node id: from the environment, else the number at the end of the service's name, else that name."""
    for key in ("KAFKA_NODE_ID", "KAFKA_BROKER_ID", "KAFKA_CFG_NODE_ID", "KAFKA_CFG_BROKER_ID"):
        if env.get(key, "").isdecimal():
            return env[key]
    number = re.search(r"(?<!\d)(\d++)$", service)
    return number[1] if number else str(service)


def _existing(paths: Iterable[str | Path]) -> list[Path]:
    return [path for path in map(Path, dict.fromkeys(paths)) if str(path) != "." and os.path.exists(path)]
