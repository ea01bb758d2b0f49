"""The lines before a window that an analysis of the window needs: each process's last start with its settings, the
active controller, and the last state of each partition. Plain Python; `MARKS` finds candidates in a long log by
their text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replay.facts.controllers import CLAIMED
from replay.facts.groups import grouped
from replay.facts.lives import BOUNDS, STARTED, STARTS, STOP_GRANTED
from replay.facts.processes import FATAL, GAVE_UP, UNREGISTERED
from replay.facts.sessions import SESSION_ENDED

_OF_A_START = (
    "config_dump",
    "process_version",
    "process_commit",
    "process_start_time",
    "cluster_id",
    "broker_registered",
    "broker_registered_zk",
)
_OF_A_SESSION = "zk_session_connected"  # its id, and the timeout that ZooKeeper grants
_OF_SETTINGS = (
    "log_created",
    "kraft_config_set",
    "kraft_create_topics_result",
    "topic_created",
    "broker_config_changed",
    "config_override_processed",
)  # of topics: min.insync.replicas, unclean elections
_OF_MEMBERS = ("kraft_broker_unfence_granted", *SESSION_ENDED)  # each names its broker
_OF_A_LIFE = (*BOUNDS, *STOP_GRANTED, *GAVE_UP, *FATAL, *UNREGISTERED)
_CREATED = "kraft_partition_created"  # a starting controller logs it again, so it does not show the epoch at that time
_IN_AN_EPOCH = (
    "leader_start",
    "follower_start",
    "partition_state_online_with_leader",
    _CREATED,
    "controller_isr_changed",
    "replica_removed_from_isr",
)
_OF_AN_ISR = (
    "isr_shrink",
    "isr_expand",
    "isr_updated",
    "alter_partition_isr_updated",
    "leader_transition_skipped",  # of a change that the controller made
)
_START_LASTS = 30_000_000  # microseconds: the first lines of one start are within this time
_STARTING_LASTS = 600_000_000  # one that prints no end of its start is done within this
_STALE = 60_000_000  # how long after a new leader epoch a broker that resumes may still log an old one

KINDS = frozenset(
    (*_OF_A_START, _OF_A_SESSION, *_OF_MEMBERS, *_OF_SETTINGS, *_OF_A_LIFE, *CLAIMED, *_IN_AN_EPOCH, *_OF_AN_ISR)
)
"""The kinds of event that may be needed."""

MARKS = (
    # Of a process.
    " values:",
    "Verifying properties",
    "Kafka version",
    "Kafka commitId",
    "Kafka startTimeMs",
    "Cluster ID = ",
    "Log4jController",
    "ignal",
    "tarting",
    "started",
    "hutdown",
    "hut down",
    "hutting down",
    "SHUTTING_DOWN",
    "recovery for all logs",
    "no clean shutdown",
    "egistered",
    "Unable to",
    "Exiting",
    "Halting",
    "Disk error",
    "fatal fault",
    "terminating action",
    "Session establishment",
    "Connected",
    # Of a controller.
    "elected as",
    "ncremented",
    "new controller",
    "controller epoch",
    "active controller",
    "been granted",
    "session has timed out",
    # Of a topic.
    "reated log",
    "onfiguration",
    "ConfigRecord",
    "broker-level",
    "cluster-level",
    "reateTopics result",
    "Topic creation",
    "Processing override",
    # Of a partition.
    "eader epoch",
    "eader Epoch",
    "ISR",
    "Skipped the become-leader",
    "hanged partition",
    "reated partition",
    "PartitionRecord for new partition",
)
"""Texts of which each line of these kinds holds one."""


@dataclass(frozen=True)
class NeededLine:
    """A line before the window: time (microseconds since 1970), writer, kind and fields; `place` is the caller's."""

    time: int
    node_id: int | None
    kind: str
    fields: Mapping[str, Any]
    place: Any = None

    @property
    def partition(self) -> tuple[Any, Any] | None:
        """The partition in the line."""
        topic = self.fields.get("topic")
        return None if topic is None else (topic, self.fields.get("partition"))

    def has_any(self, *names: str) -> bool:
        """Whether it has one of these fields."""
        return any(self.fields.get(name) is not None for name in names)


@dataclass(frozen=True)
class Needed:
    """The needed lines; how many process starts and partition states they contain, and whether one names the active
    controller.
    """

    lines: Sequence[NeededLine]
    starts: int = 0
    partitions: int = 0
    has_controller: bool = False


def last_start(lines: Iterable[NeededLine]) -> int | None:
    """When the last logged start of one node's process began; None without one."""
    begun: int | None = None
    for line in sorted((one for one in lines if one.kind in STARTS), key=lambda one: -one.time):
        if begun is not None and begun - line.time > _START_LASTS:
            break
        begun = line.time
    return begun


def needed(lines: Iterable[NeededLine]) -> Needed:
    """The lines before a window that its interpretation needs, in order of time.

    For each node: the lines of its process since its last start, its configuration, and its last ZooKeeper session. For
    the cluster: the last controller's lines about itself, and the last KRaft session of each broker. For each topic: its last settings. For each partition: each node's role in the last logged leader
    epoch, and the last logged ISR.
    """
    of_nodes = grouped((one for one in lines if one.kind in KINDS), lambda one: one.node_id)
    starts = {node: last_start(own) for node, own in of_nodes.items()}
    since_start = [one for node, own in of_nodes.items() for one in own if one.time >= (starts[node] or 0)]
    lives = [one for node, own in grouped(since_start, lambda one: one.node_id).items() for one in _of_life(own)]
    of_partitions = grouped((one for one in since_start if one.partition), lambda one: one.partition)
    states = [one for own in of_partitions.values() for one in _last_state(own)]
    claims = _of_the_controller(since_start)
    members = _last_sessions(one for own in of_nodes.values() for one in own)
    settings = _last_settings(one for own in of_nodes.values() for one in own)
    lines = sorted([*lives, *claims, *members, *settings, *states], key=lambda one: one.time)
    named = {one.partition for one in states}
    return Needed(lines, sum(start is not None for start in starts.values()), len(named), bool(claims))


def _of_life(own: Sequence[NeededLine]) -> list[NeededLine]:
    """The lines of one process since its start, with its settings and release at the start."""
    start = last_start(own)
    done = min((one.time for one in own if one.kind in STARTED), default=(start or 0) + _STARTING_LASTS)
    of_life = [
        one
        for one in own
        if one.kind in _OF_A_LIFE or (one.kind in _OF_A_START and start is not None and one.time <= done)
    ]
    return [
        *of_life,
        *_last_of_each_kind(one for one in own if one.kind == _OF_A_SESSION and one.has_any("session_id")),
    ]


def _of_the_controller(lines: Iterable[NeededLine]) -> list[NeededLine]:
    """The last controller's own lines about its election."""
    of_an_epoch = (one for one in lines if one.kind in CLAIMED and one.has_any("controller_epoch", "new_epoch"))
    claims = sorted(of_an_epoch, key=lambda one: one.time)
    return _last_of_each_kind(one for one in claims if one.node_id == claims[-1].node_id)


def _last_sessions(lines: Iterable[NeededLine]) -> list[NeededLine]:
    """The last begin and the last end of the session of each broker, as KRaft controllers logged them."""
    in_order = sorted((one for one in lines if one.kind in _OF_MEMBERS), key=lambda one: one.time)
    return list({(one.fields.get("broker_id"), one.kind in SESSION_ENDED): one for one in in_order}.values())


def _last_settings(lines: Iterable[NeededLine]) -> list[NeededLine]:
    """The last line of each kind about the settings of each topic; all lines that have no field with the topic."""
    in_order = sorted((one for one in lines if one.kind in _OF_SETTINGS), key=lambda one: one.time)
    return list({(one.kind, one.fields.get("topic") or number): one for number, one in enumerate(in_order)}.values())


def _last_of_each_kind(lines: Iterable[NeededLine]) -> list[NeededLine]:
    """The last line of each kind and node."""
    in_order = sorted(lines, key=lambda one: one.time)
    return list({(one.node_id, one.kind): one for one in in_order}.values())


def _last_state(lines: Iterable[NeededLine]) -> list[NeededLine]:
    """The lines about one partition in its last leader epoch."""
    in_order = sorted(lines, key=lambda one: one.time)
    epochs = [
        (one.time, one.fields["leader_epoch"])
        for one in in_order
        if one.kind != _CREATED and one.fields.get("leader_epoch") is not None
    ]
    if not epochs:
        return []
    last_time = epochs[-1][0]
    epoch = max(number for time, number in epochs if time >= last_time - _STALE)
    of_epoch = [one for one in in_order if one.fields.get("leader_epoch") == epoch and one.kind in _IN_AN_EPOCH]
    if not of_epoch:
        return []
    begun = of_epoch[0].time
    first = {(one.node_id, one.kind): one for one in reversed(of_epoch)}
    isrs = (one for one in in_order if one.kind in _OF_AN_ISR and one.time >= begun)
    return [*first.values(), *_last_of_each_kind(isrs)]
