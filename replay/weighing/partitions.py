"""Lines about partitions that the cluster does not have, or whose other lines contradict them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

from replay.weighing.doubts import Doubt
from replay.weighing.evidence import DELETED, SECOND, SHRINK, STARTS, Evidence, Line
from replay.weighing.reasons import EPOCH_GOES_ON, ISR_GOES_ON, TOPIC_GOES_ON, UNKNOWN_PARTITION
from replay.weighing.states import ROLES

_CREATED = ("kraft_topic_created", "controller_new_topic_creation", "partition_state_new", "log_created", "log_deleted")
_CLOCKS = 5 * SECOND
_AROUND = (
    45 * SECOND
)  # followers that fall behind leave the ISRs of all partitions within replica.lag.time.max.ms and a half
_ANSWERED_WITHIN = 10 * SECOND
_FAR = 3  # leader epochs that one line is ahead of the next one that begins
_SHOWS_A_TOPIC = (
    *(*ROLES, "isr_expand", "isr_updated", "partition_state_online_with_leader", "replica_removed_from_isr"),
    *("leader_transition_skipped", "follower_transition_skipped", "kraft_partition_changed"),
)


def deleted_topics(evidence: Evidence) -> Iterator[Doubt]:
    """Deletions of topics that go on afterwards without being created again."""
    creations = evidence.of(*_CREATED)
    for line in evidence.of(DELETED):
        if line.topic is None:
            continue
        created = min((one.at for one in creations if one.at >= line.at - _CLOCKS and _is_of(one, line)), default=inf)
        later = [
            row
            for row in evidence.of_topic(line.topic)
            if row["kind"] in _SHOWS_A_TOPIC and line.at + _CLOCKS < (row["at"] or 0) < created
        ]
        if later:
            because = f"Topic {line.topic} goes on after it, and no line creates it again."
            yield Doubt(line, TOPIC_GOES_ON, because, [later[0]["event_id"]])


def _is_of(line: Line, other: Line) -> bool:
    """Whether a line is about the topic of another, as far as it names one."""
    names = {line.topic, line.details.get("name"), line.details.get("new_topics")}
    return names == {None} or any(name is not None and (other.topic or "") in name for name in names)


def unknown_partitions(evidence: Evidence) -> Iterator[Doubt]:
    """Lines about a partition that no other line of any node names, although the node's start and the logs of the other
    replicas are there.
    """
    for line in evidence.of(SHRINK):
        if (line.topic, line.partition) in evidence.states.rarely_named:
            yield from _unknown(evidence, line, _members(line))
    for topic, partition in sorted(evidence.states.rarely_named, key=str):
        for row in evidence.of_partition(topic, partition) if topic is not None and partition is not None else ():
            if row["kind"] in ROLES and row["leader_epoch"] is not None:
                yield from _unknown(evidence, _line_of(row), set(row["isr"] or ()) | set(row["replicas"] or ()))


def unknown_epochs(evidence: Evidence) -> Iterator[Doubt]:
    """Lines in which a replica takes a role in a leader epoch that nothing else names and that a later, lower one
    contradicts.
    """
    for topic, partition, epoch, at, lower_at in evidence.states.odd_epochs:
        if lower_at > at + _CLOCKS:
            own = evidence.of_partition(topic, partition)
            for row in own:
                if row["leader_epoch"] == epoch and row["kind"] in ROLES:
                    yield from _epoch_of_another(_line_of(row), own)


def _line_of(row: dict[str, Any]) -> Line:
    file, _, number = row["event_id"].rpartition(":")
    names = ("topic", "partition", "leader_id", "leader_epoch", "isr", "replicas")
    some = {name: row[name] for name in names}
    rest = dict.fromkeys(("topic_id", "broker_id", "controller_id", "controller_epoch", "message"))
    return Line(
        event_id=row["event_id"],
        ts=row["at"],
        node_id=row["node_id"],
        source_file=file,
        line_number=int(number.partition(".")[0]),  # one line can have several events: file:1.2
        kind=row["kind"],
        details={},
        **some,
        **rest,
    )


def _epoch_of_another(line: Line, own: Sequence[dict[str, Any]]) -> Iterator[Doubt]:
    """The line, if it alone names its leader epoch and the same replica, or two others, later begin a lower one."""
    epoch = line.leader_epoch or 0
    named = [row for row in own if row["leader_epoch"] == epoch and row["event_id"] != line.event_id]
    lower = [
        row
        for row in own
        if row["kind"] in ROLES
        and row["leader_epoch"] is not None
        and row["leader_epoch"] < epoch
        and (row["at"] or 0) > line.at + _CLOCKS
    ]
    first = {row["leader_epoch"]: row["at"] or 0 for row in reversed(own) if row["leader_epoch"] is not None}
    begun = [row for row in lower if first[row["leader_epoch"]] > line.at + _CLOCKS]
    nodes = {row["node_id"] for row in begun}
    far = bool(begun) and epoch - begun[0]["leader_epoch"] >= _FAR
    if not named and begun and (line.node_id in nodes or len(nodes) > 1 or far):
        because = f"Leader epoch {begun[0]['leader_epoch']} of {line.topic}-{line.partition} begins after it."
        yield Doubt(line, EPOCH_GOES_ON, because, [row["event_id"] for row in begun[:2]])


def _members(line: Line) -> set[int]:
    old = line.details.get("old_isr", "")
    return {int(one) for one in old.split(",") if one.strip().isdigit()} | set(line.isr or ())


def _unknown(evidence: Evidence, line: Line, members: set[int]) -> Iterator[Doubt]:
    """The line, if no other line of any node or description names its partition."""
    topic, partition = line.topic, line.partition
    if topic is None or topic.startswith("__"):
        return
    rows = evidence.of_partition(topic, partition)
    if any(row["node_id"] != line.node_id or abs((row["at"] or 0) - line.at) > SECOND for row in rows):
        return
    # A replica that led before with other members has others, even if the line names only itself.
    had_others = line.kind == "leader_start" and (line.leader_epoch or 0) > 0
    peers = (set(evidence.nodes) if had_others else members & set(evidence.nodes)) - {line.node_id}
    started = [one for one in evidence.of(*STARTS, node=line.node_id) if one.at < line.at]
    is_covered = started and evidence.running(line.node_id, line.at, inf)
    if (
        is_covered
        and any(evidence.span(node)[0] <= line.at for node in peers)
        and {*evidence.states.topics_of_roles.get(line.node_id, ())} - {topic}
    ):
        because = f"No other line of any node names {topic}-{partition}, and node {line.node_id} began without it."
        yield Doubt(line, UNKNOWN_PARTITION, because, [started[0].event_id])


def lone_shrinks(evidence: Evidence) -> Iterator[Doubt]:
    """A shrunk ISR that the controller never confirms and that no other partition of the leader shares, although the leader
    goes on and has the same followers in other partitions.
    """
    answers = evidence.states.answered
    for line in _alone(evidence.of(SHRINK)):
        running = evidence.running(line.node_id, line.at + _ANSWERED_WITHIN, line.at + _AROUND)
        starts = [one for one in evidence.of(*STARTS, node=line.node_id) if line.at < one.at < line.at + _AROUND]
        gone = _members(line) - set(line.isr or ())
        if answers.get((line.topic, line.partition), 0) >= line.at - SECOND or starts or not running or not gone:
            continue
        full = evidence.states.first_lead(line.node_id, gone, (line.topic, line.partition), line.at)
        if full is not None:
            because = (
                f"No controller confirms it, and no other partition that broker {line.node_id} leads drops "
                f"{'broker' if len(gone) == 1 else 'brokers'} {' and '.join(map(str, sorted(gone)))}."
            )
            yield Doubt(line, ISR_GOES_ON, because, [full, *running])


def _alone(shrinks: Sequence[Line]) -> Iterator[Line]:
    """The lines, in the order of time, around which the node shrinks the ISR of no other partition."""
    by_node: dict[int | None, list[Line]] = {}
    for line in shrinks:
        by_node.setdefault(line.node_id, []).append(line)
    for lines in by_node.values():
        for at, line in enumerate(lines):
            around = (*lines[max(0, at - 1) : at], *lines[at + 1 : at + 2])
            if all(abs(one.at - line.at) > _AROUND for one in around):
                yield line
