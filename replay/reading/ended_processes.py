"""How a process ended, as `docker compose` and `systemctl status` print it between lines of Kafka."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

CONTEXT = ""  # the kind of a row that only belongs to the output of `systemctl status`
_EXITED = re.compile(
    r"^(?:dependency failed to start: )?(?:[Cc]ontainer )?(?P<container>[\w.-]{1,200}) exited (?:with code |\()(?P<status>\d{1,3})\)?(?: \(restarting\))?\s*$"
)
# A row of `docker-compose ps`: the container, its command, how it ended.
_LISTED = re.compile(r"^(?P<container>[\w.-]{1,200}) {2,}\S[^\n]{0,200}? {2,}Exit (?P<status>\d{1,3})\s*$")
_UNHEALTHY = re.compile(
    r"^(?:dependency failed to start: |ERROR: for (?P<waits>[\w.-]{1,200}) {1,4})?[Cc]ontainer \"?(?P<container>[\w.-]{1,200})\"? is unhealthy\.?\s*$"
)
_UNIT = re.compile(r"^\W{0,6}[●×○*] (?P<unit>[\w@.-]{1,200}\.service)\b")
_MAIN = re.compile(
    r"^\s{1,40}(?P<row>Process|Main PID): (?P<pid>\d{1,10}) (?:ExecStart=(?:[^\s/]{0,200}/){0,12}(?P<program>[\w.@-]{1,100}) )?[^\n]{0,1000}?\(code=(?P<code>\w{1,10}), (?:status=(?P<status>\d{1,3})(?:/(?P<name>[\w/]{1,20}))?|signal=(?P<signal>[A-Z\d]{1,10}))\)"
)
_OF_STATUS = re.compile(
    r"^\s{1,40}(?:Loaded|Active|Docs|Drop-In|Process|Main PID|Status|Tasks|Memory|CPU|CGroup|Invocation|Duration|TriggeredBy|Cntr\. PID): "
)

Ended = tuple[int, str, dict[str, str]]


def ended_processes(rows: Sequence[str]) -> Iterator[Ended]:
    """The number, from 0, the kind and the fields of each row that shows how a process ended."""
    unit = ""
    for at, row in enumerate(rows):
        if found := _EXITED.match(row) or _LISTED.match(row):
            yield at, "container_exited", found.groupdict()
        elif found := _UNHEALTHY.match(row):
            yield (
                at,
                "container_health",
                {
                    "container": found["container"],
                    "said": "Docker reports it as unhealthy",
                    **({"waits": found["waits"]} if found["waits"] else {}),
                },
            )
        elif found := _UNIT.match(row):
            unit = found["unit"]
            yield at, CONTEXT, {}
        elif (found := _MAIN.match(row)) is not None and found["row"] == "Process":
            unit = unit or found["program"]
            yield at, CONTEXT, {}
        elif unit and found is not None:
            named = {"code": found["code"], "status": found["status"], "name": found["signal"] or found["name"]}
            yield at, "systemd_exited", {"unit": unit, **{name: text for name, text in named.items() if text}}
        elif unit and _OF_STATUS.match(row):
            yield at, CONTEXT, {}
