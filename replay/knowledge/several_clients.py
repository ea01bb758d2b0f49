"""Several clients that report the same trouble at one time: what they share is the place to look at."""

from __future__ import annotations

import re
from collections.abc import Sequence

from replay.knowledge.choosing import Read
from replay.lists import listed, some

_CLIENT = re.compile(r"clientId=(?P<java>[^,\]\s]{1,200})|\|(?P<rdkafka>[\w.-]{1,80}#(?:consumer|producer)-\d{1,6})\|")
_TOWARDS = re.compile(r"\b(?:[Bb]roker|[Nn]ode|[Cc]oordinator) (?:id[:=] ?)?(?P<id>\d{1,9})\b")
_TOGETHER_S = 60


def several_clients(group: Sequence[Read]) -> tuple[str, str]:
    """Where to look first and who is concerned, if several clients report one trouble at one time; else empty texts."""
    names = list(dict.fromkeys(filter(None, map(_client, group))))
    times = sorted(one.line.ts for one in group if one.line.ts is not None)
    lasted = (times[-1] - times[0]).total_seconds() if times else 0.0
    if len(names) < 2 or lasted > _TOGETHER_S:
        return "", ""
    nodes = dict.fromkeys(found["id"] for one in group if (found := _TOWARDS.search(one.line.message)))
    when = f" within {lasted:.0f} s" if lasted >= 1 else ""
    says = f"{len(names)} clients ({some(names)}) report it{when}"
    if len(nodes) == 1:
        return f"{says}, all of them of broker {next(iter(nodes))}: look first at that one.", ""
    towards = f", of {len(nodes)} brokers ({listed(list(nodes))})" if nodes else ""
    return (
        f"{says}{towards}: look first at what they share, their host and its network (paused, no CPU, cut off) or the whole cluster, not at one broker.",
        "what these clients share: their host, the network, or the whole cluster",
    )


def _client(one: Read) -> str:
    found = _CLIENT.search(one.line.message)
    name = (found["java"] or found["rdkafka"]) if found is not None else ""
    return f"{one.line.container} {name}".strip() if one.line.container and name else name
