"""Whether the controller returns leadership to preferred replicas automatically, as the printed settings say (facts §1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from replay.facts.controllers import KRAFT
from replay.facts.order import nulls_first
from replay.facts.releases import version_number
from replay.tables.brokers import Controller, Setting

IN_KRAFT_SINCE = version_number("3.2.3")  # the first KRaft release that was read to return leadership
CHECKS_EVERY_S = 300  # the default
_ENABLED = "auto.leader.rebalance.enable"
_INTERVAL = "leader.imbalance.check.interval.seconds"
_PERCENTAGE = "leader.imbalance.per.broker.percentage"
_ROLES = "process.roles"


class AutoRebalance(NamedTuple):
    """What the controller does about partitions that their preferred replica does not lead."""

    is_on: bool | None  # None: these logs do not show the value of the node that decides
    check_s: int | None = None  # how often it checks
    by_broker: bool = False  # it acts only where a broker's imbalance is above `percentage` (ZooKeeper)
    percentage: int | None = None
    of_brokers: str | None = None  # the value of KRaft's brokers, which decides nothing, where no controller's is known


def auto_rebalance(
    settings: Iterable[Setting], controllers: Sequence[Controller], version_low: int | None
) -> AutoRebalance | None:
    """The last printed settings of the nodes that can be the controller; None if they differ, or if the active
    controller's settings are unknown and no KRaft broker shows its own.
    """
    of_nodes = _last_printed(settings)
    can_control = {node: values for node, values in of_nodes.items() if "controller" in (values.get(_ROLES) or "")}
    is_kraft = bool(can_control)
    if not is_kraft:
        if any((values.get(_ROLES) or "").strip("[] ") for values in of_nodes.values()):
            return _of_brokers(of_nodes.values())
        can_control = of_nodes
    enabled = {node: values[_ENABLED] for node, values in can_control.items() if values.get(_ENABLED)}
    if set(enabled.values()) not in ({"true"}, {"false"}) or not _is_of_the_active(enabled, controllers, is_kraft):
        return None
    is_on = "true" in enabled.values()
    if is_kraft and (version_low or 0) < IN_KRAFT_SINCE:
        return None
    deciding = [can_control[node] for node in enabled]
    percentage = None if is_kraft else _agreed(deciding, _PERCENTAGE)
    return AutoRebalance(is_on, _agreed(deciding, _INTERVAL), is_on and not is_kraft, percentage)


def _of_brokers(settings: Iterable[Mapping[str, str | None]]) -> AutoRebalance | None:
    values = {values[_ENABLED] for values in settings if values.get(_ENABLED)}
    return AutoRebalance(None, of_brokers=values.pop()) if len(values) == 1 else None


def _last_printed(settings: Iterable[Setting]) -> dict[int, dict[str, str | None]]:
    """By node and name; a value that a process prints supersedes one from a file."""
    printed: dict[int, dict[str, str | None]] = {}
    for one in sorted(settings, key=lambda one: nulls_first(one.ts)):
        if one.name in (_ENABLED, _INTERVAL, _PERCENTAGE, _ROLES) and one.node_id is not None:
            printed.setdefault(one.node_id, {})[one.name] = one.value
    return printed


def _is_of_the_active(enabled: Mapping[int, str | None], controllers: Sequence[Controller], is_kraft: bool) -> bool:
    """Whether the last active controller, as far as it is known, is one of these nodes."""
    last = max(controllers, key=lambda one: nulls_first(one.start_ts), default=None)
    if last is None:
        return True
    return (last.mode == KRAFT) == is_kraft and (last.controller_id is None or last.controller_id in enabled)


def _agreed(deciding: Sequence[Mapping[str, str | None]], name: str) -> int | None:
    """The number that all of them have; None if they differ."""
    values = {values.get(name) for values in deciding}
    value = values.pop() if len(values) == 1 else None
    return int(value) if value is not None and value.isdecimal() else None
