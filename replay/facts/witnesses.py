"""Statements of hosts, Java, containers and operators, each with its node and the bounds of its time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from replay.catalogue.kinds import HOST_KINDS
from replay.facts.lines import detail, detail_number
from replay.facts.times import plus_millis
from replay.reading.container_names import is_of_kafka, node_of_name
from replay.reading.witnesses import HOST_WITNESSES
from replay.tables.faults import Witness, WitnessStatement
from replay.tables.reading import FileCoverage

# The last lines of Java and of its shell are among Kafka's lines.
OF_JAVA = ("jvm_crash_announced", "jvm_heap_dumped", "jvm_out_of_memory_exit", "process_killed_told")
WITNESS_KINDS = frozenset((*HOST_KINDS, *OF_JAVA))  # the kinds of event that are read here

_STARTS_OTHERS = re.compile(
    r"(?i)supervisor|monit|runit|cron|sshd?|user@|docker|containerd|crio|podman|kubelet|nomad|lxc|agent"
)  # units that start other programs
_CONTAINER_ID = re.compile(r"[0-9a-f]{64}|(?<![0-9a-f])[0-9a-f]{12}(?![0-9a-f])")


def kafka_files(coverage: Iterable[FileCoverage]) -> list[FileCoverage]:
    """The coverage of Kafka's own files. A silent file of a witness is not a gap."""
    return [row for row in coverage if row.layout not in HOST_WITNESSES]


def witnesses(witness_statements: Iterable[WitnessStatement]) -> list[Witness]:
    """Each witness statement with the node that it concerns; one about a machine for every node on it. If it names no
    node, the node follows from its machine (by the pods that run there), its container or unit (by the cgroup of a
    process) or its host (by other lines of the host). Omits lines that concern no node of the cluster.
    """
    rows = list(witness_statements)
    places = _Places(rows)
    return [_testimony(row, node, places) for row in rows for node in places.nodes_of(row)]


def _testimony(row: WitnessStatement, node: int, places: _Places) -> Witness:
    details = dict(row.details or {})
    cgroup = places.cgroup_of(row)
    if cgroup is not None:
        details["cgroup"] = cgroup
    other = places.other_unit_of(row)
    if other is not None:
        details["other_unit"] = other
    return Witness(
        node_id=node,
        kind=row.kind,
        ts=row.ts,
        latest_ts=plus_millis(row.ts, detail_number(row, "precise_ms") or 0),
        event_id=row.event_id,
        details=details,
        message=row.message,
    )


class _Places:
    """The node of each machine, container and host, according to witness statements; and the cgroup of each process."""

    def __init__(self, rows: Iterable[WitnessStatement]) -> None:
        self._on_machine: dict[str, set[int]] = {}
        self._of_container: dict[str, int] = {}
        hosts: dict[str, set[int]] = {}
        self._cgroups: dict[tuple[str, str | None], str] = {}
        for row in rows:
            machine, host = detail(row, "machine"), detail(row, "host")
            container, cgroup = detail(row, "container_id"), detail(row, "cgroup")
            if row.node_id is not None and row.kind == "pod_placed" and machine:
                self._on_machine.setdefault(machine, set()).add(row.node_id)
            if row.node_id is not None and container:
                self._of_container[container[:12]] = row.node_id
            if row.node_id is not None and host:
                hosts.setdefault(host, set()).add(row.node_id)
            if row.kind == "kernel_oom_constraint" and cgroup:
                self._cgroups[_file(row), detail(row, "pid")] = cgroup
        self._of_host: Mapping[str, set[int]] = hosts

    def cgroup_of(self, row: WitnessStatement) -> str | None:
        """The cgroup of the process that the kernel killed, from the line before."""
        return self._cgroups.get((_file(row), detail(row, "pid"))) if row.kind.startswith("kernel_") else None

    def other_unit_of(self, row: WitnessStatement) -> str | None:
        """The unit of a process, if its name shows that it is another program than a broker."""
        cgroup = self.cgroup_of(row) or detail(row, "cgroup")
        if cgroup is None or self._node_of_cgroup(cgroup) is not None:
            return None
        unit = cgroup.rpartition("/")[2]
        if row.kind != "systemd_oomd_killed" and (not unit.endswith(".service") or _STARTS_OTHERS.search(unit)):
            return None
        return None if is_of_kafka(unit) else unit

    def _node_of_cgroup(self, cgroup: str | None) -> int | None:
        """The node of a container, by its id, or of a unit that is named after it: several brokers may share a host."""
        container = _CONTAINER_ID.search(cgroup or "")
        if container is not None:
            return self._of_container.get(container[0][:12])
        return node_of_name((cgroup or "").rpartition("/")[2])

    def nodes_of(self, row: WitnessStatement) -> list[int]:
        """The nodes that a witness statement concerns."""
        cgroup = self.cgroup_of(row) or detail(row, "cgroup")
        in_cgroup = self._node_of_cgroup(cgroup)
        if in_cgroup is not None:
            return [in_cgroup]
        if row.node_id is not None:
            return [row.node_id]
        machine, host = detail(row, "machine"), detail(row, "host")
        if machine is not None:
            return sorted(self._on_machine.get(machine, ()))
        return sorted(self._of_host.get(host, ())) if host is not None else []


def _file(row: WitnessStatement) -> str:
    file: str = row.event_id.rpartition(":")[0]
    return file
