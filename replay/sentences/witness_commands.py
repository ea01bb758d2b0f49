"""The commands that show who ended or froze a node, depending on how it is deployed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

BEFORE, AFTER = timedelta(minutes=2), timedelta(minutes=1)
NEEDS_WITNESS = {"killed": "end", "halted": "end", "silent": "silence", "paused": "freeze"}
"""The kinds of faults whose cause Kafka's own logs do not show, and what a witness could show."""
KUBERNETES, DOCKER, HOST = "kubernetes", "docker", "host"
_OF_KUBERNETES = re.compile(r"(?:^|\+)(?:kubectl|stern|cri)\+|^kubernetes-|^strimzi-")
_OF_DOCKER = re.compile(r"(?:^|\+)(?:compose|docker-json|docker-stamps)\+|^docker-")

_KERNEL = "`journalctl _TRANSPORT=kernel --since '{since} UTC' --until '{until} UTC'`"
_COMMANDS = {
    KUBERNETES: "Run `kubectl get pod POD -o json` for its pod (lastState), `kubectl get events --all-namespaces -o "
    f"json` within an hour, and {_KERNEL} on its machine",
    DOCKER: f"Run `docker inspect CONTAINER` for its container (State), `docker events --since {{since_iso}}Z --until "
    f"{{until_iso}}Z --filter type=container`, and {_KERNEL} on the host",
    HOST: "Run `journalctl _TRANSPORT=kernel + UNIT=kafka.service --since '{since} UTC' --until '{until} UTC'` on its "
    "host (without a journal: `dmesg -T`)",
}
_OF_JVM = ", and look for a file hs_err_pid*.log in its working directory"  # the JVM writes one as it crashes
_OF_KERNEL_ALONE = f"Run {_KERNEL} on its host (without a journal: `dmesg -T`)"


def deployment_of(layouts: Iterable[str | None]) -> str:
    """How the nodes are deployed, by the layouts of their files: `kubernetes`, `docker`, or otherwise `host`."""
    known = [layout for layout in layouts if isinstance(layout, str)]
    if any(_OF_KUBERNETES.search(layout) for layout in known):
        return KUBERNETES
    return DOCKER if any(_OF_DOCKER.search(layout) for layout in known) else HOST


def witness_command(
    deployment: str, first: datetime, last: datetime, *, of_kernel: bool = False, ended: bool = True
) -> str:
    """The commands that show what happened to a node between `first` and `last` (UTC).

    `of_kernel`: only the commands for the kernel's log. `ended`: the process ended, so the JVM may have left a
    report.
    """
    since, until = first - BEFORE, last + AFTER
    of_jvm = _OF_JVM if ended and deployment == HOST and not of_kernel else ""
    return (_OF_KERNEL_ALONE if of_kernel else _COMMANDS[deployment] + of_jvm).format(
        since=f"{since:%Y-%m-%d %H:%M:%S}",
        until=f"{until:%Y-%m-%d %H:%M:%S}",
        since_iso=f"{since:%Y-%m-%dT%H:%M:%S}",
        until_iso=f"{until:%Y-%m-%dT%H:%M:%S}",
    )
