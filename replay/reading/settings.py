"""The settings that a node prints: which ones matter, and how a dump of them is read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from replay.reading.lines import Line

# The settings on which a verdict may depend (facts §1.2, §1.3, §1.6, §1.7, §5).
SETTINGS = (
    "broker.heartbeat.interval.ms",
    "broker.session.timeout.ms",
    "controller.quorum.election.timeout.ms",
    "controller.quorum.fetch.timeout.ms",
    "inter.broker.protocol.version",
    "log.message.format.version",
    "auto.leader.rebalance.enable",
    "leader.imbalance.check.interval.seconds",
    "leader.imbalance.per.broker.percentage",
    "min.insync.replicas",
    "node.id",
    "broker.id",
    "process.roles",
    "replica.high.watermark.checkpoint.interval.ms",
    "replica.lag.time.max.ms",
    "replica.socket.timeout.ms",
    "unclean.leader.election.enable",
    "zookeeper.session.timeout.ms",
    "log.dir.failure.timeout.ms",
    "num.replica.fetchers",
    "default.replication.factor",
    "controller.quorum.auto.join.enable",
    "controller.quorum.voters",
)
DIRECTORIES = ("log.dirs", "log.dir")  # identify the node of a log in a file that several nodes write
_READ = frozenset((*SETTINGS, *DIRECTORIES))
_ENTRY = re.compile(r"\t([a-z][a-z0-9.]+) = (\S*+(?:[^\S\n]++\S++)*+)\s*$")


class Setting(NamedTuple):
    """A line of a dump of settings; `value` is None for `null`."""

    line_number: int
    name: str
    value: str | None


def settings_under(under: Iterable[Line]) -> list[Setting]:
    """The lines of a dump of settings below a record, for the names that matter."""
    settings = []
    for number, _, line in under:
        found = _ENTRY.match(line) if line[0] == "\t" else None
        if found is not None and found[1] in _READ:
            settings.append(Setting(number, found[1], None if found[2] == "null" else found[2]))
    return settings
