"""The voters of the metadata quorum in each node's lines (KIP-853).

A node prints them at its start, when it reads their record in the metadata log, when a leader learns the directories of
static voters, and, up to 3.8, with each transition. The next leader truncates an uncommitted record, and the voters
before it hold again. Source: KafkaRaftClient, KRaftControlRecordStateMachine, UpdateVoterHandler, VoterSet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from replay.facts.groups import grouped
from replay.facts.lines import number_in
from replay.facts.order import at_most
from replay.facts.reads import reads, reads_each
from replay.facts.times import greatest
from replay.tables.control_plane import VoterSet
from replay.tables.reading import Fact

_STARTS, _SETS, _TRANSITION = "raft_startup", "raft_voter_set", "raft_transition"
_CUT = "raft_log_truncated"
_LEADS = "Completed transition to Leader"
_NODE = re.compile(r"voterKey=ReplicaKey\(id=(\d+), directoryId=(?:Optional\[)?([\w-]{22}|\S)")
_OF_LINE = re.compile(r"(Starting voters are|Latest set of voters is|Updated in-memory voters from) (.*)")
_TO = " to VoterSet("  # an update names the earlier voters, too
_IDS = re.compile(r"\bvoters=\[(\d+(?:, \d+)*)\]", re.ASCII)
_DIRECTORY_ID = 22  # letters of one
_IN_SNAPSHOT = -1  # the offset of the records in the snapshot that formatting a disk creates
_EVIDENCE = 4
_GREATEST_ID = 2**31 - 1

Voters = Mapping[int, str | None]


@dataclass(frozen=True)
class VotersReport:
    """One line with the voters, and each voter's directory if it prints one.

    `offset`: of the record in the metadata log or of the snapshot that holds it; -1: the bootstrap snapshot. `dynamic`:
    the voters come from that log, not from a setting.
    """

    node_id: int
    ts: datetime
    voters: Voters
    offset: int | None
    dynamic: bool | None
    event_id: str

    @property
    def is_placed(self) -> bool:
        """Whether its offset in the log is known."""
        return self.offset is not None and self.offset != _IN_SNAPSHOT


@dataclass(frozen=True)
class Cut:
    """A truncation of a node's metadata log: records from `offset` on are gone."""

    ts: datetime
    offset: int
    event_id: str


@reads_each(_CUT)
def _cuts(facts: Iterable[Fact]) -> dict[int, list[Cut]]:
    """By node, in the order of time, the truncations of its metadata log."""
    lines = sorted(
        (fact for fact in facts if fact.kind == _CUT and fact.ts is not None and fact.truncation_offset is not None),
        key=lambda fact: (fact.ts, fact.event_id),
    )
    return {
        node: [Cut(line.ts, line.truncation_offset, line.event_id) for line in own]
        for node, own in grouped(lines, lambda line: line.node_id).items()
    }


def voters_kept(facts: Sequence[Fact]) -> list[VotersReport]:
    """The lines with voters, without those about records that their writer later truncated."""
    cuts = _cuts(facts)
    return [one for one in voters_reports(facts) if not _cut_by(one, cuts.get(one.node_id, ()))]


def _cut_by(one: VotersReport, cuts: Iterable[Cut]) -> bool:
    return one.is_placed and any(one.ts < cut.ts and at_most(cut.offset, one.offset) for cut in cuts)


@reads_each(_STARTS, _SETS)
@reads(_TRANSITION)
def voters_reports(facts: Iterable[Fact]) -> list[VotersReport]:
    """Every line with voters, in the order of time."""
    lines = [fact for fact in facts if fact.kind in (_STARTS, _SETS, _TRANSITION)]
    reports = [one for line in lines if line.node_id is not None and line.ts is not None for one in _reports_in(line)]
    # A damaged line may name an id that no node has: its set is unknown.
    possible = (one for one in reports if max(one.voters) <= _GREATEST_ID)
    return sorted(possible, key=lambda one: (one.ts, one.event_id))


class Leads:
    """When nodes led the metadata quorum, by their transitions.

    A node reads its log before it can lead, so a leader's lines about the log are about new records.
    """

    @reads(_TRANSITION)
    def __init__(self, facts: Iterable[Fact]) -> None:
        completed = (f for f in facts if f.kind == _TRANSITION and "Completed transition" in (f.message or ""))
        lines = [fact for fact in completed if fact.ts is not None]
        self._of_node = {
            node: sorted((line.ts, line.event_id, _LEADS in line.message) for line in own)
            for node, own in grouped(lines, lambda line: line.node_id).items()
        }

    def hold(self, node: int, ts: datetime) -> bool:
        """Whether lines show that `node` led at `ts`."""
        before = [leads for at, _, leads in self._of_node.get(node, ()) if at <= ts]
        return bool(before) and before[-1]


def _reports_in(line: Fact) -> Iterator[VotersReport]:
    message = line.message or ""
    found = _OF_LINE.search(message)
    if found:
        voters = {
            int(node): directory if len(directory) == _DIRECTORY_ID else None
            for node, directory in _NODE.findall(found[2].rpartition(_TO)[2])
        }
        is_record = found[1].startswith("Latest")
        # A node that joins a dynamic quorum starts without voters until it reads them.
        if voters:
            offset = number_in(message, r" at offset (-?\d+)\s*$") if is_record else None
            dynamic = True if is_record else _is_dynamic(found[1], voters)
            yield VotersReport(line.node_id, line.ts, voters, offset, dynamic, line.event_id)
    elif line.kind == _TRANSITION and "Completed transition" in message:
        ids = _IDS.search(message.partition(" from ")[0])
        if ids:
            voters = {int(node): None for node in ids[1].split(", ")}
            yield VotersReport(line.node_id, line.ts, voters, None, None, line.event_id)


def _is_dynamic(stated: str, voters: Voters) -> bool | None:
    """Whether a line contains voters of a dynamic quorum; not if it only adds the directories of static voters, which a
    leader learns after its start and keeps in memory.
    """
    return False if stated.startswith("Updated") else any(voters.values())


def voter_sets(facts: Sequence[Fact]) -> list[VoterSet]:
    """The sets of voters that each node reported.

    A starting node reads the metadata log again. Ignores records at or below an offset that it already reported, unless
    its log was truncated there.
    """
    by_node, cuts = grouped(voters_reports(facts), lambda one: one.node_id), _cuts(facts)
    return [row for node in sorted(by_node) for row in _history(_with_cuts(by_node[node], cuts.get(node, ())))]


def _with_cuts(reports: Sequence[VotersReport], cuts: Iterable[Cut]) -> list[VotersReport | Cut]:
    """One node's reports in the order of time, with the truncations that removed a voters record, each followed by the
    set that holds again.
    """
    steps: list[VotersReport | Cut] = list(reports)
    for cut in cuts:
        gone = [one for one in reports if _cut_by(one, (cut,))]
        left = [one for one in reports if one.ts < cut.ts and one not in gone]
        if gone:
            steps += [cut, *(replace(one, ts=cut.ts, event_id=cut.event_id) for one in left[-1:])]
    return sorted(steps, key=lambda step: (step.ts, isinstance(step, VotersReport)))


def _history(reports: Iterable[VotersReport | Cut]) -> Iterator[VoterSet]:
    """The consecutive sets of voters that one node reported."""
    held: VotersReport | None = None
    before: Voters = {}
    evidence: list[str] = []
    highest: int | None = None
    for one in reports:
        if isinstance(one, Cut):
            highest = None
            continue
        if at_most(one.offset, highest):
            continue
        highest = greatest(highest, one.offset)
        if held is not None and _same(held, one):
            if _adds_to(held, one):
                held, evidence = _merged_report(held, one), [*evidence, one.event_id]
            continue
        if held is not None:
            yield _row(held, one.ts, before, evidence)
            before = held.voters
        held, evidence = one, [one.event_id]
    if held is not None:
        yield _row(held, None, before, evidence)


def _same(held: VotersReport, one: VotersReport) -> bool:
    """Whether two sets are the same: no other id, no other directory, and not a change from a setting to the
    metadata log.
    """
    became_dynamic = held.dynamic is False and one.dynamic is True
    return held.voters.keys() == one.voters.keys() and not joined_by(held.voters, one.voters) and not became_dynamic


def _adds_to(held: VotersReport, one: VotersReport) -> bool:
    return (not held.is_placed and one.is_placed) or any(
        directory and not held.voters[node] for node, directory in one.voters.items()
    )


def _merged_report(held: VotersReport, one: VotersReport) -> VotersReport:
    return replace(
        held,
        voters={node: directory or held.voters[node] for node, directory in one.voters.items()},
        offset=held.offset if held.is_placed else one.offset,
        dynamic=one.dynamic if held.dynamic is None else held.dynamic,
    )


def _row(held: VotersReport, end_ts: datetime | None, before: Voters, evidence: list[str]) -> VoterSet:
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
    """The voters of `after` that are not in `before` with the same directory; ascending."""
    return sorted(
        node
        for node, directory in after.items()
        if node not in before or (directory and before[node] and directory != before[node])
    )
