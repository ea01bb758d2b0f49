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
from replay.facts.order import at_most
from replay.facts.reads import reads, reads_each
from replay.facts.times import greatest
from replay.tables.control_plane import VOTER_SETS
from replay.tables.row import Row

_STARTS, _SETS, _TRANSITION = "raft_startup", "raft_voter_set", "raft_transition"
_NODE = re.compile(r"voterKey=ReplicaKey\(id=(\d+), directoryId=(?:Optional\[)?([\w-]{22}|\S)")
_OF_LINE = re.compile(
    r"(Starting voters are|Latest set of voters is|Updated in-memory voters from .* to) (VoterSet\(.*)"
)
_IDS = re.compile(r"\bvoters=\[([0-9, ]+)\]")
_DIRECTORY_ID = 22  # letters of one
_IN_SNAPSHOT = -1  # the offset of what stands in the snapshot with which a disk is formatted
_EVIDENCE = 4

VoterSet = VOTER_SETS.row_class
Voters = Mapping[int, str | None]


@dataclass(frozen=True)
class VotersTold:
    """One line that tells the voters: of each the directory, where it is told.

    `offset`: the place of the record in the metadata log, or of the snapshot that holds it: -1 of the one that the log
    begins with. `dynamic`: they come of that log, not of a setting.
    """

    node_id: int
    ts: datetime
    voters: Voters
    offset: int | None
    dynamic: bool | None
    event_id: str

    @property
    def is_placed(self) -> bool:
        """Its place in the log is told."""
        return self.offset is not None and self.offset != _IN_SNAPSHOT


@reads_each(_STARTS, _SETS)
@reads(_TRANSITION)
def voters_told(facts: Iterable[Row]) -> list[VotersTold]:
    """Every line that tells voters, in the order of time."""
    lines = [fact for fact in facts if fact.kind in (_STARTS, _SETS, _TRANSITION)]
    told = [one for line in lines if line.node_id is not None and line.ts is not None for one in _told(line)]
    return sorted(told, key=lambda one: (one.ts, one.event_id))


def _told(line: Row) -> Iterator[VotersTold]:
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
            offset = number_in(message, r" at offset (-?\d+)\s*$") if is_record else None
            dynamic = True if is_record else _is_dynamic(found[1], voters)
            yield VotersTold(line.node_id, line.ts, voters, offset, dynamic, line.event_id)
    elif line.kind == _TRANSITION and "Completed transition" in message:
        ids = _IDS.search(message.partition(" from ")[0])
        if ids:
            voters = {int(node): None for node in ids[1].split(", ")}
            yield VotersTold(line.node_id, line.ts, voters, None, None, line.event_id)


def _is_dynamic(said: str, voters: Voters) -> bool | None:
    """Static voters have no directories as a node starts; a leader learns them, and tells that they are in memory."""
    return False if said.startswith("Updated") else any(voters.values())


def voter_sets(facts: Iterable[Row]) -> list[Row]:
    """What each node told of the voters. Returns `VOTER_SETS`.

    A node that starts reads the metadata log again: a record at an offset that it told already, or before that, is
    not told again.
    """
    by_node: dict[int, list[VotersTold]] = {}
    for one in voters_told(facts):
        by_node.setdefault(one.node_id, []).append(one)
    return [row for node in sorted(by_node) for row in _history(by_node[node])]


def _history(told: Iterable[VotersTold]) -> Iterator[Row]:
    """The sets that one node told, one after the other."""
    held: VotersTold | None = None
    before: Voters = {}
    evidence: list[str] = []
    highest: int | None = None
    for one in told:
        if at_most(one.offset, highest):
            continue
        highest = greatest(highest, one.offset)
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


def _same(held: VotersTold, one: VotersTold) -> bool:
    """The same voters: no other id, no other directory, and not from a setting first and then from the metadata log."""
    became_dynamic = held.dynamic is False and one.dynamic is True
    return held.voters.keys() == one.voters.keys() and not joined_by(held.voters, one.voters) and not became_dynamic


def _tells_more(held: VotersTold, one: VotersTold) -> bool:
    return (not held.is_placed and one.is_placed) or any(
        directory and not held.voters[node] for node, directory in one.voters.items()
    )


def _both(held: VotersTold, one: VotersTold) -> VotersTold:
    return replace(
        held,
        voters={node: directory or held.voters[node] for node, directory in one.voters.items()},
        offset=held.offset if held.is_placed else one.offset,
        dynamic=one.dynamic if held.dynamic is None else held.dynamic,
    )


def _row(held: VotersTold, end_ts: datetime | None, before: Voters, evidence: list[str]) -> Row:
    ids = sorted(held.voters)
    return VoterSet(
        node_id=held.node_id,
        start_ts=held.ts,
        end_ts=end_ts,
        voters=ids,
        directory_ids=[held.voters[node] for node in ids],
        dynamic=held.dynamic,
        metadata_offset=held.offset if held.is_placed else None,
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
