"""Which command would tell who ended a node, where nothing among the files does: for the deployment that they show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from replay.reading.witnesses import HOST_WITNESSES

BEFORE, AFTER = pd.Timedelta(minutes=2), pd.Timedelta(minutes=1)
_OF_KUBERNETES = re.compile(r"(?:^|\+)(?:kubectl|stern|cri)\+|^kubernetes-|^strimzi-")
_OF_DOCKER = re.compile(r"(?:^|\+)(?:compose|docker-json|docker-stamps)\+|^docker-")
_ENDED, _SILENT, _FROZE = "F01", "F00", "F04"
_WHAT = {_ENDED: "end", _SILENT: "silence", _FROZE: "freeze"}

_COMMANDS = {
    "kubernetes": (
        "`kubectl get pod POD -o json` of its pod (lastState), `kubectl get events --all-namespaces -o json` within the "
        "hour, and on its machine `journalctl _TRANSPORT=kernel --since '{since} UTC' --until '{until} UTC'` would tell"
    ),
    "docker": (
        "`docker inspect CONTAINER` of its container (State), `docker events --since {since_iso}Z --until {until_iso}Z --filter "
        "type=container`, and on the host `journalctl _TRANSPORT=kernel --since '{since} UTC' --until '{until} UTC'` would tell"
    ),
    "host": (
        "`journalctl _TRANSPORT=kernel + UNIT=kafka.service --since '{since} UTC' --until '{until} UTC'` on its host would tell"
        " (without a journal: `dmesg -T`), and a file hs_err_pid*.log in its working directory"
    ),
}


def deployment_of(layouts: Iterable[str]) -> str:
    """What the files' layouts show: `kubernetes`, `docker`, or else `host`."""
    known = [layout for layout in layouts if isinstance(layout, str)]
    if any(_OF_KUBERNETES.search(layout) for layout in known):
        return "kubernetes"
    return "docker" if any(_OF_DOCKER.search(layout) for layout in known) else "host"


def next_witnesses(findings: pd.DataFrame, coverage: pd.DataFrame) -> Iterator[str]:
    """For each finding of an end, a silence or a freeze of which no witness tells: the command that would."""
    deployment = deployment_of(coverage.layout)
    told_by_others = set(coverage.source_file[coverage.layout.isin(HOST_WITNESSES)])
    for finding in rows(findings):
        if _lacks_witness(finding, told_by_others):
            for node in finding.broker_ids:
                yield f"No witness of node {node}'s {_WHAT[finding.code]}: {_command(deployment, finding)}"


def _lacks_witness(finding: Any, told_by_others: set[str]) -> bool:
    if finding.code not in _WHAT or finding.start_ts is None or finding.role not in ("root_cause", "contributing"):
        return False
    evidence = () if finding.evidence is None else finding.evidence
    files = {re.sub(r":\d+(?:\.\d+)?$", "", event) for event in evidence}
    return not files & told_by_others


def _command(deployment: str, finding: Any) -> str:
    since, until = finding.start_ts - BEFORE, finding.start_ts + AFTER
    return _COMMANDS[deployment].format(
        since=f"{since:%Y-%m-%d %H:%M:%S}",
        until=f"{until:%Y-%m-%d %H:%M:%S}",
        since_iso=f"{since:%Y-%m-%dT%H:%M:%S}",
        until_iso=f"{until:%Y-%m-%dT%H:%M:%S}",
    )
