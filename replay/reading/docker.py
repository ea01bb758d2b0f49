"""Reads the output of `docker inspect`, `docker events` and `docker ps -a`.

Sources: the manuals, the types `State` and `events.Message` of Docker's API, and Podman's variants of the same output;
public samples.

The flag OOMKilled and the event `oom` concern any process of the container, such as a health check, and the flag stays
set. They explain the end of the container only if the main process ended by SIGKILL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from replay.json_text import value_of_json
from replay.reading.container_names import node_of_environment, node_of_labels, node_of_name
from replay.reading.parsed_witness import ParsedWitness, known_details
from replay.reading.stamps import micros_at, micros_of

INSPECT = r'"OOMKilled":\s*(?:true|false)'
_STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?"
_ZONED = re.compile(rf"^({_STAMP})(Z|[+-]\d\d:\d\d)$")
_NEVER = "0001-01-01T"
SIGKILLED = "137"  # 128 plus the number of the signal
_OOM_BEFORE_MICROS = 10_000_000  # Docker reports the kill and the end in either order
# Podman: `2019-03-02 10:33:47.883089370 -0600 CST container died 34503c19… (image=…, name=…)`.
EVENT = rf"^(?P<time>{_STAMP.replace('T', '[T ]')}) ?(?P<zone>Z|[+-]\d\d:?\d\d)(?: [A-Z0-9+-]+)? container (?P<action>[a-z_]+)(?:: (?P<status>[^(\n]{{0,200}}?))? (?P<id>[0-9a-f]{{12,64}}) \((?P<attributes>.*)\)\s*$"
_EVENT = re.compile(EVENT)
JSON_EVENT = r'^\{(?=.*"Type":"container")(?:(?=.*"Action":")(?=.*"Actor":\{)|(?=.*"Status":")(?=.*"Time":"))'
LISTED = r"^CONTAINER ID +IMAGE +COMMAND +CREATED +STATUS +(?:PORTS +)?NAMES\s*$"
_EXITED = re.compile(
    r"^(?P<id>[0-9a-f]{12}) (?>.* (?:Exited|Restarting) \((?P<status>\d{1,3})\) )(?P<age>\S.{0,40}?) ago\b(?:.* )?(?<= )(?P<name>\S+)\s*$"
)
# Docker rounds ages below an hour down (`units.HumanDuration` of docker/go-units); longer ones are too coarse to date
# an end.
_AGE = re.compile(r"(?:(Less than a second)|(About a minute)|(\d+) (second|minute)s?)$")
_PAIR = re.compile(r"(?:^|, )([\w.-]+)=((?:(?!, [\w.-]+=).)*)")
_KINDS = {
    "die": "container_exited",
    "died": "container_exited",
    "oom": "container_oom",
    "kill": "container_signalled",
    "stop": "container_stopped",
    "start": "container_started",
    "restart": "container_restarted",
    "pause": "container_paused",
    "unpause": "container_unpaused",
    "health_status": "container_health",
}


def instant(stamp: str | None) -> int | None:
    """The microseconds of `2026-11-21T05:37:33.123456789Z`; None for other text and for Go's zero time (year 1)."""
    found = _ZONED.match(stamp or "")
    if found is None or (stamp or "").startswith(_NEVER):
        return None
    return micros_of(found[1], found[2])


def line_of(text: str, *marks: str) -> int:
    """The number of the line, from 1, that contains the last of `marks`; each mark is searched for after the previous
    one.
    """
    at = 0
    for mark in marks:
        found = text.find(mark, at)
        at = found if found >= 0 else at
    return text.count("\n", 0, at) + 1


def inspect_statements(text: str) -> Iterator[tuple[int, ParsedWitness]]:
    """How each container of `docker inspect` last ended, if it ever did. For a container that runs again, only the
    time is known: a start resets the exit status and the OOM flag.
    """
    for container in _objects(text):
        state = container.get("State")
        if not isinstance(state, dict):
            continue
        name = str(container.get("Name") or "").lstrip("/")
        config = container.get("Config") or {}
        environment = dict(str(pair).partition("=")[::2] for pair in config.get("Env") or ())
        service = (config.get("Labels") or {}).get("com.docker.compose.service")
        ended = instant(state.get("FinishedAt"))
        if ended is None:
            continue
        runs = state.get("Running") is True and state.get("Restarting") is not True
        oom_killed, status = state.get("OOMKilled") is True and not runs, None if runs else state.get("ExitCode")
        yield (
            line_of(text, str(container.get("Id") or ""), str(state["FinishedAt"])),
            ParsedWitness(
                ended_as(oom_killed, status),
                {},
                known_details(
                    container=name,
                    oom="yes" if oom_killed else None,
                    container_id=container.get("Id"),
                    exit_code=status,
                    error=state.get("Error"),
                    started_at=state.get("StartedAt"),
                    running="yes" if runs else None,
                    restarts=container.get("RestartCount"),
                ),
                True,
                ended,
                f"{name}: {_shown(state)}",
                node_id=_first(
                    node_of_labels(config.get("Labels")),
                    node_of_environment(environment),
                    node_of_name(service),
                    node_of_name(name),
                ),
            ),
        )


def _shown(state: Mapping[str, object]) -> str:
    """The part of a container's state that is quoted as evidence."""
    parts = ("Status", "OOMKilled", "ExitCode", "Error", "StartedAt", "FinishedAt")
    return ", ".join(f"{part}: {json.dumps(state[part])}" for part in parts if state.get(part) not in ("", None))


def ended_as(oom_killed: bool, exit_code: object) -> str:
    """The kind of an end: an OOM kill only if the main process itself ended by SIGKILL."""
    return "container_oom_killed" if oom_killed and str(exit_code) == SIGKILLED else "container_exited"


def event_statements(text: str, first_line: int) -> Iterator[tuple[int, ParsedWitness]]:
    """The statements in the output of `docker events` and `podman events`, as text or JSON."""
    wanted_memory: dict[str | None, int] = {}  # when a process of each container was last OOM-killed
    for number, line in enumerate(text.split("\n"), first_line):
        statement = _event_of_json(line) if line.startswith("{") else _event_of_text(line)
        if statement is None:
            continue
        details = dict(statement.details or {})
        container = details.get("container_id")
        if statement.kind == "container_oom" and statement.micros is not None:
            wanted_memory[container] = statement.micros
        killed_at = wanted_memory.pop(container, None) if statement.kind == "container_exited" else None
        if (
            killed_at is not None
            and statement.micros is not None
            and statement.micros - killed_at <= _OOM_BEFORE_MICROS
        ):
            statement = statement._replace(
                kind=ended_as(True, details.get("exit_code")), details={**details, "oom": "yes"}
            )
        yield number, statement


def listed_statements(text: str, first_line: int, as_of: datetime | None) -> Iterator[tuple[int, ParsedWitness]]:
    """How the containers of `docker ps -a` ended; the time follows from the age if the time of the listing is known."""
    stood = micros_at(as_of)
    for number, line in enumerate(text.split("\n"), first_line):
        found = _EXITED.match(line)
        node = node_of_name(found["name"]) if found else None
        if found is None or node is None:
            continue
        aged = _aged(found["age"]) if stood is not None else None
        yield (
            number,
            ParsedWitness(
                "container_exited",
                {},
                known_details(
                    container=found["name"],
                    container_id=found["id"],
                    exit_code=found["status"],
                    precise_ms=None if aged is None else 1_000 * (aged[0] - aged[1]),
                ),
                True,
                None if stood is None or aged is None else stood - aged[0] * 1_000_000,
                line.rstrip(),
                node_id=node,
            ),
        )


def _aged(age: str) -> tuple[int, int] | None:
    """The minimum and maximum age in seconds, with one second for making the listing; None for an hour or more."""
    found = _AGE.match(age)
    if found is None:
        return None
    if found[1]:
        return 2, 0
    unit = 1 if found[4] == "second" else 60
    number = int(found[3] or 1)
    return (number + 1) * unit + 1, number * unit


def _event_of_text(line: str) -> ParsedWitness | None:
    found = _EVENT.match(line)
    if found is None:
        return None
    attributes = dict(_PAIR.findall(found["attributes"]))
    return _event(
        found["action"], found["status"], found["id"], attributes, micros_of(found["time"], found["zone"]), line
    )


def _event_of_json(line: str) -> ParsedWitness | None:
    event = value_of_json(line)
    if not isinstance(event, dict) or event.get("Type") != "container":
        return None
    if "Action" not in event:  # as Podman prints it
        attributes = {
            "name": event.get("Name"),
            "exitCode": event.get("ContainerExitCode"),
            **(event.get("Attributes") or {}),
        }
        return _event(
            str(event.get("Status")), None, str(event.get("ID") or ""), attributes, instant(event.get("Time")), line
        )
    action, _, status = str(event.get("Action") or "").partition(": ")
    actor = event.get("Actor") or {}
    nanos = event.get("timeNano")
    micros = nanos // 1_000 if isinstance(nanos, int) else None
    return _event(action, status, str(actor.get("ID") or ""), actor.get("Attributes") or {}, micros, line)


def _event(
    action: str, status: str | None, id_: str, attributes: Mapping[str, Any], micros: int | None, line: str
) -> ParsedWitness | None:
    kind = _KINDS.get(action)
    if kind is None:
        return None
    name, service = attributes.get("name"), attributes.get("com.docker.compose.service")
    return ParsedWitness(
        kind,
        {},
        known_details(
            container=name,
            container_id=id_,
            exit_code=attributes.get("exitCode"),
            signal=attributes.get("signal"),
            health=status,
        ),
        True,
        micros,
        line.rstrip(),
        node_id=_first(node_of_labels(attributes), node_of_name(service), node_of_name(name)),
    )


def _objects(text: str) -> Iterable[dict[str, Any]]:
    """The objects of a JSON text: one object, an array, or one object per line."""
    whole = value_of_json(text)
    if whole is None:
        whole = list(map(value_of_json, text.splitlines()))
    return [one for one in (whole if isinstance(whole, list) else [whole]) if isinstance(one, dict)]


def _first(*ids: int | None) -> int | None:
    return next((id_ for id_ in ids if id_ is not None), None)
