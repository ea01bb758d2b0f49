"""The voters of the metadata quorum, as each node tells them (KIP-853).

A node prints them as it starts, when it reads a record of them in the metadata log, when a leader learns the directories
of static voters, and before all that (up to 3.8) with each transition. Source: KafkaRaftClient,
KRaftControlRecordStateMachine, UpdateVoterHandler, VoterSet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from replay.facts.lines import number_in
from replay.facts.reads import reads, reads_each
from replay.facts.times import first_known
from replay.tables.control_plane import VOTER_SETS
from replay.tables.row import Row

_STARTS, _SETS, _TRANSITION = "raft_startup", "raft_voter_set", "raft_transition"
_NODE = re.compile(r"voterKey=ReplicaKey\(id=(\d+), directoryId=(?:Optional\[)?([\w-]{22}|\S)")
_OF_LINE = re.compile(
    r"(Starting voters are|Latest set of voters is|Updated in-memory voters from .* to) (VoterSet\(.*)"
)
_IDS = re.compile(r"\bvoters=\[([0-9, ]+)\]")
_DIRECTORY_ID = 22  # letters of one
_EVIDENCE = 4

VoterSet = VOTER_SETS.row_class
Voters = Mapping[int, str | None]


@dataclass(frozen=True)
class Told:
    """One line that tells the voters: of each the directory, where it is told.

    `offset`: the place of the record in the metadata log. `dynamic`: they come of that log, not of a setting.
    """

    node_id: int
    ts: datetime
    voters: Voters
    offset: int | None
    dynamic: bool | None
    event_id: str


@reads_each(_STARTS, _SETS)
@reads(_TRANSITION)
def voters_told(facts: Iterable[Row]) -> list[Told]:
    """Every line that tells voters, in the order of time."""
    lines = [fact for fact in facts if fact.kind in (_STARTS, _SETS, _TRANSITION)]
    told = [one for line in lines if line.node_id is not None and line.ts is not None for one in _told(line)]
    return sorted(told, key=lambda one: (one.ts, one.event_id))


def _told(line: Row) -> Iterator[Told]:
    message = line.message or ""
    found = _OF_LINE.search(message)
    if found:
        voters = {
            int(node): directory if len(directory) == _DIRECTORY_ID else None
            for node, directory in _NODE.findall(found[2])
        }
        is_record = found[1].startswith("Latest")
        # Who is to join a dynamic quorum starts without a voter, until it reads of them.
        if voters:
            offset = number_in(message, r" at offset (\d+)\s*$") if is_record else None
            dynamic = True if is_record else _is_dynamic(found[1], voters)
            yield Told(line.node_id, line.ts, voters, offset, dynamic, line.event_id)
    elif line.kind == _TRANSITION and "Completed transition" in message:
        ids = _IDS.search(message.partition(" from ")[0])
        if ids:
            voters = {int(node): None for node in ids[1].split(", ")}
            yield Told(line.node_id, line.ts, voters, None, None, line.event_id)


def _is_dynamic(said: str, voters: Voters) -> bool | None:
    """Static voters have no directories as a node starts; a leader learns them, and tells that they are in memory."""
    return False if said.startswith("Updated") else any(voters.values())


def voter_sets(facts: Iterable[Row]) -> list[Row]:
    """What each node told of the voters. Returns `VOTER_SETS`.

    A node that starts reads the metadata log again: a record at an offset that it told already, or before that, is
    not told again.
    """
    by_node: dict[int, list[Told]] = {}
    for one in voters_told(facts):
        by_node.setdefault(one.node_id, []).append(one)
    return [row for node in sorted(by_node) for row in _history(by_node[node])]


def _history(told: Iterable[Told]) -> Iterator[Row]:
    """The sets that one node told, one after the other."""
    held: Told | None = None
    before: Voters = {}
    evidence: list[str] = []
    highest = -1
    for one in told:
        if one.offset is not None and one.offset <= highest:
            continue
        highest = max(highest, first_known(one.offset, -1) or -1)
        if held is not None and _same(held, one):
            if _tells_more(held, one):
                held, evidence = _both(held, one), [*evidence, one.event_id]
            continue
        if held is not None:
            yield _row(held, one.ts, before, evidence)
            before = held.voters
        held, evidence = one, [one.event_id]
    if held is not None:
        yield _row(held, None, before, evidence)


def _same(held: Told, one: Told) -> bool:
    """The same voters: no other id, and no other directory."""
    return held.voters.keys() == one.voters.keys() and not any(
        directory and held.voters[node] and directory != held.voters[node] for node, directory in one.voters.items()
    )


def _tells_more(held: Told, one: Told) -> bool:
    return (held.offset is None and one.offset is not None) or any(
        directory and not held.voters[node] for node, directory in one.voters.items()
    )


def _both(held: Told, one: Told) -> Told:
    return replace(
        held,
        voters={node: directory or held.voters[node] for node, directory in one.voters.items()},
        offset=first_known(held.offset, one.offset),
        dynamic=one.dynamic or held.dynamic if held.dynamic is not None else one.dynamic,
    )


def _row(held: Told, end_ts: datetime | None, before: Voters, evidence: list[str]) -> Row:
    ids = sorted(held.voters)
    return VoterSet(
        node_id=held.node_id,
        start_ts=held.ts,
        end_ts=end_ts,
        voters=ids,
        directory_ids=[held.voters[node] for node in ids],
        dynamic=held.dynamic,
        metadata_offset=held.offset,
        added=joined_by(before, held.voters) if before else [],
        removed=joined_by(held.voters, before) if before else [],
        evidence=evidence[:_EVIDENCE],
    )


def joined_by(before: Voters, after: Voters) -> list[int]:
    """Who of `after` was not among `before`, or not with that directory; ascending."""
    return sorted(
        node
        for node, directory in after.items()
        if node not in before or (directory and before[node] and directory != before[node])
    )
