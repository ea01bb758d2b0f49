"""Where the leader-epoch checkpoints of two replicas diverge, and what a follower does about it, by release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile

Entry = tuple[int, int]  # leader epoch, first offset

_NO_FILES, _WITH_FILES = "up to 0.10.2", "0.11 and later"
_ONE_ROUND, _ASKS_ON, _IN_FETCH = "0.11 to 1.1", "2.0 to 2.7", "2.8 and later"
_RELEASES = {
    _NO_FILES: ((0, 0), (0, 10)),
    _WITH_FILES: ((0, 11), (99, 0)),
    _ONE_ROUND: ((0, 11), (1, 1)),
    _ASKS_ON: ((2, 0), (2, 7)),
    _IN_FETCH: ((2, 8), (99, 0)),
}  # the first and the last minor release of each range


@dataclass(frozen=True)
class Parting:
    """Where a follower's checkpoint diverges from its leader's, based on the two files only."""

    is_behind: bool  # the leader has all entries of the follower
    missing: tuple[Entry, ...]  # what only the leader has
    own: tuple[Entry, ...]  # what only the follower has
    offset: int | None  # up to here both logs are the same; null if only log ends would show it


@lru_cache(10_000)
def entries(text: str | None) -> tuple[Entry, ...]:
    """The entries of a file in the notation `(0 0)(1 0)(2 1)`."""
    found = re.findall(r"\((\d+) (\d+)\)", text or "")
    return tuple((int(leader_epoch), int(start)) for leader_epoch, start in found)


def notation(entries: Sequence[Entry]) -> str:
    """`(0 0)(1 0)(2 1)`."""
    return "".join(f"({leader_epoch} {start})" for leader_epoch, start in entries)


def parting(leader: Sequence[Entry], follower: Sequence[Entry]) -> Parting:
    """The first leader epoch that one checkpoint has and the other does not.

    A leader epoch has one leader, so both checkpoints mean the same by a shared epoch. Its start offset may differ:
    a first entry moves up with the log start, and a follower that copies a compacted log begins with the first
    remaining record. An entry with the same start as the next one holds no record and is not compared.
    """
    in_leader, in_follower = _with_records(leader), _with_records(follower)
    if not in_leader or not in_follower:
        return Parting(not in_follower, tuple(in_leader), tuple(in_follower), None)
    # Retention in one log says nothing about the other log.
    begin = max(in_leader[0][0], in_follower[0][0])
    ours, theirs = _from(in_leader, begin), _from(in_follower, begin)

    shared = len(list(takewhile(lambda pair: pair[0][0] == pair[1][0], zip(ours, theirs, strict=False))))
    missing, own = tuple(ours[shared:]), tuple(theirs[shared:])
    starts = [rest[0][1] for rest in (missing, own) if rest]
    return Parting(not own, missing, own, min(starts) if own else None)


def _with_records(entries: Sequence[Entry]) -> list[Entry]:
    return [one for one, then in pairwise(entries) if then[1] > one[1]] + list(entries[-1:])


def _from(entries: Sequence[Entry], leader_epoch: int) -> list[Entry]:
    """The entries from the one on during which a record of `leader_epoch`, or of the next existing epoch, was written."""
    return [entry for entry in entries if entry[0] >= leader_epoch]


def what_it_does(leader: Sequence[Entry], follower: Sequence[Entry]) -> dict[str, str]:
    """What the follower does with its log when it becomes a follower, by release, if the two files show it (facts
    §1.5).
    """
    found = parting(leader, follower)
    actions = {_NO_FILES: "truncates its log to its own high watermark, whatever the files hold"}
    if not follower:
        return actions | {
            _WITH_FILES: "has no entry to ask with: it continues from its own high watermark, or its log end"
        }
    last = follower[-1][0]
    higher = [start for leader_epoch, start in leader if leader_epoch > last]
    lower = [leader_epoch for leader_epoch, _ in leader if leader_epoch <= last]
    if found.is_behind:
        if not higher:
            agreed = f"asks where leader epoch {last} ends, receives the leader's log end, and truncates only what is beyond it"
            return actions | {_WITH_FILES: agreed}
        return actions | {
            _WITH_FILES: f"keeps its log up to {higher[0]}, where the leader's leader epoch {last} ends, and truncates the rest"
        }
    unknown = (
        "gets no answer, because the leader knows no leader epoch that high, and truncates to its own high watermark"
    )
    if last in lower:
        return actions | {_WITH_FILES: f"finds leader epoch {last} in both files, and compares nothing before it"}
    in_one = (
        f"asks once where leader epoch {last} ends, and truncates to {higher[0]} at most"
        if higher and lower
        else unknown
    )
    if higher and lower and found.offset is not None and found.offset < higher[0]:
        in_one += f": its records from {found.offset} to there differ from the leader's, and stay (KIP-279)"
    on = f"asks for one leader epoch after the other until both know it, and truncates to {found.offset} at most"
    return actions | {
        _ONE_ROUND: in_one,
        _ASKS_ON: on if higher else unknown,
        _IN_FETCH: f"learns from a fetch response where the logs diverge, and truncates to {found.offset} at most"
        if higher
        else "fetches beyond the leader's log, and continues at the leader's log end",
    }


def of_releases(actions: Mapping[str, str], releases: Iterable[str]) -> str:
    """What the follower does in the releases that it ran, for example `2.8.2`; in each range of releases if these
    are unknown.
    """
    ran = {(int(found[1]), int(found[2])) for release in releases if (found := re.match(r"(\d+)\.(\d+)", release))}
    own = {
        name: does
        for name, does in actions.items()
        if any(_RELEASES[name][0] <= one <= _RELEASES[name][1] for one in ran)
    }
    return "; ".join(f"{name}: {does}" for name, does in (own or actions).items())
