"""Lines about members of the cluster and about controllers that the lines of these members contradict."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from replay.weighing.doubts import Doubt
from replay.weighing.evidence import (
    BROKERS_CHANGED,
    DIRECTORY_FAILS,
    ELECTED,
    FENCED,
    SECOND,
    STARTS,
    Evidence,
    Line,
    Named,
)
from replay.weighing.reasons import BROKER_GOES_ON, UNKNOWN_DIRECTORY

_LATE = 10 * SECOND  # a controller that takes out a broker changes its partitions within this
_GOES_ON_WITHIN = 60 * SECOND
_CLOCKS = 5 * SECOND
_MOST_LINES = 3
_LEAST_NAMED = 10  # lines that name log directories: a broker that starts names each several times


def removed_brokers(evidence: Evidence) -> Iterator[Doubt]:
    """Lines of a controller that takes a broker out of the cluster, of which neither the broker nor any partition takes
    notice.
    """
    for line in evidence.of(FENCED, BROKERS_CHANGED):
        brokers = [line.broker_id] if line.kind == FENCED else _deleted(line)
        if not brokers or any(broker is None for broker in brokers):
            continue
        if evidence.states.change_within(line.at - SECOND, line.at + _LATE, brokers):
            continue
        running = [_goes_on(evidence, broker, line) for broker in brokers]
        if all(running):
            names = " and ".join(f"broker {broker}" for broker in brokers)
            because = f"The log of {names} goes on without a start, and no partition changes its leader or its ISR."
            yield Doubt(line, BROKER_GOES_ON, because, [one for own in running for one in own])


def _deleted(line: Line) -> list[int | None]:
    return [int(number) for number in re.findall(r"\d+", line.details.get("dead_brokers", ""))]


def _goes_on(evidence: Evidence, broker: int | None, line: Line) -> list[str]:
    """Lines of a broker that goes on after a line and has replicas; empty without one."""
    start = next((one for one in evidence.of(*STARTS, node=broker) if one.at > line.at - _CLOCKS), None)
    if start is not None and start.at < line.at + _GOES_ON_WITHIN:
        return []
    before = evidence.running(broker, line.at - _GOES_ON_WITHIN, line.at)
    after = evidence.running(broker, line.at + SECOND, line.at + _GOES_ON_WITHIN)
    return after if before or after else []


def unknown_directories(evidence: Evidence) -> Iterator[Doubt]:
    """Lines about the failure of a directory that no other line of the node names."""
    for line in evidence.of(DIRECTORY_FAILS):
        known = evidence.directories.get(line.node_id, Counter())
        dir = line.details.get("dir")
        has_start = any(one.at < line.at for one in evidence.of(*STARTS, node=line.node_id))
        if dir is not None and has_start and known.total() >= _LEAST_NAMED and dir not in known:
            because = (
                f"Node {line.node_id} has no log directory {dir}: its other lines name {', '.join(sorted(known)[:3])}."
            )
            yield Doubt(line, UNKNOWN_DIRECTORY, because, [])


def unknown_controllers(evidence: Evidence) -> Iterator[tuple[Named, str, list[str]]]:
    """Controller epochs that only single lines of one node name although that node was never elected in them, and an
    earlier epoch goes on. Each with what contradicts it.
    """
    elected = {line.controller_epoch for line in evidence.of(*ELECTED)}
    own = [one for one in evidence.epochs if one.key[0] == one.node_id]
    for one in own:
        epoch = one.key[1]
        others = [other for other in evidence.epochs if other.key[1] == epoch and other != one]
        earlier = [other for other in own if other.key[1] < epoch and other.last > one.last + _CLOCKS]
        elects = evidence.of(*ELECTED) and evidence.running(one.node_id, 0, one.first)
        if one.lines <= _MOST_LINES and not others and earlier and epoch not in elected and elects:
            controller = max(earlier, key=lambda other: other.last)
            because = (
                f"No line shows that controller {one.key[0]} was elected in epoch {epoch}, and controller {controller.key[0]} "
                f"goes on in epoch {controller.key[1]}."
            )
            yield one, because, [controller.event_id]
