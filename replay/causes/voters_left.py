"""How many voters of the metadata quorum were left while one was missing, if a majority needed all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.order import at_most
from replay.facts.times import first_known
from replay.faults.kinds import CRASHES
from replay.sentences import Statement, statement
from replay.tables.control_plane import VoterSet
from replay.tables.faults import Fault

_MISSING = (
    *CRASHES,
    "stopped_uncleanly",
    "stop_cut_short",
    "paused",
    "cut_from_peers",
    "voter_cut_off",
    "disk_refused",
)


def voters_left(fault: Fault, faults: Iterable[Fault], voter_sets: Sequence[VoterSet]) -> Statement | None:
    """The voters that were left while `fault` lasted, if they were the smallest majority; None if they were more or fewer."""
    voters = _voters_at(fault, voter_sets)
    if not _is_missing(fault) or fault.broker_id not in voters:
        return None
    missing = {one.broker_id for one in faults if _is_missing(one) and _overlap(one, fault)} & voters
    left = len(voters) - len(missing)
    return statement("one_voter_more", left=left, voters=len(voters)) if left == len(voters) // 2 + 1 else None


def _is_missing(fault: Fault) -> bool:
    """Whether a voter was missing. A node that was cut off from the controllers counts only if it could not connect
    at all.
    """
    is_cut = fault.kind == "cut_from_controllers" and "unconnected" in (fault.arguments or {})
    return fault.kind in _MISSING or is_cut


def _voters_at(fault: Fault, voter_sets: Sequence[VoterSet]) -> set[int]:
    """The voters that a node last reported before the fault, else those reported first."""
    in_time = sorted(
        (one for one in voter_sets if one.start_ts is not None and one.voters), key=lambda one: one.start_ts
    )
    before = [one for one in in_time if at_most(one.start_ts, fault.ts)]
    known_one = (before or in_time[:1])[-1:]
    return {voter for one in known_one for voter in one.voters or ()}


def _overlap(one: Fault, other: Fault) -> bool:
    return _begins_within(one, other) or _begins_within(other, one)


def _begins_within(one: Fault, other: Fault) -> bool:
    begin = first_known(one.began_low, one.ts)
    return at_most(first_known(other.began_low, other.ts), begin) and (
        other.end_ts is None or at_most(begin, other.end_ts)
    )
