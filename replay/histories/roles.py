"""The leader epochs that each replica of a partition took on, and when."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replay.facts.order import nulls_first
from replay.facts.times import least
from replay.histories.partition import Partition, has_leader


@dataclass(frozen=True, slots=True)
class Role:
    """When a broker first took on a leader epoch (`taken_ts`), and as its leader (`leads_ts`).

    A leader that only others log took on its role as well (`is_logged` is false): its later lines belong to another
    history.
    """

    leader_epoch: int
    taken_ts: datetime | None
    leads_ts: datetime | None
    is_logged: bool


Roles = Mapping[int, Sequence[Role]]


@dataclass(slots=True)
class _TimesOfRole:
    """The times at which one broker took on one leader epoch, from its own lines and from those of others."""

    own: list[datetime | None] = field(default_factory=list)
    own_as_leader: list[datetime | None] = field(default_factory=list)
    of_others: list[datetime | None] = field(default_factory=list)


def roles_taken(partition: Partition) -> Roles:
    """The leader epochs with a leader that each broker took on, in order."""
    times: dict[tuple[int, int], _TimesOfRole] = defaultdict(_TimesOfRole)
    for line in partition.role_lines:
        own = times[line.node_id, line.leader_epoch]
        own.own.append(line.ts)
        if line.kind == "leader_start":
            own.own_as_leader.append(line.ts)
    for row in partition.leader_epochs:
        if has_leader(row):
            times[row.leader_id, row.leader_epoch].of_others.append(row.start_ts)
    roles = defaultdict(list)
    for (node_id, leader_epoch), one in sorted(times.items()):
        # The broker's own clock, if it logged the role itself.
        taken_ts = _first(one.own or one.of_others)
        leads_ts = _first(one.own_as_leader or one.of_others)
        roles[node_id].append(Role(leader_epoch, taken_ts, leads_ts, bool(one.own)))
    return roles


def _first(times: Iterable[datetime | None]) -> datetime | None:
    """An unknown time sorts before all others."""
    return min(times, key=nulls_first, default=None)


@dataclass(frozen=True, slots=True)
class AroundChange:
    """The roles of one replica around a change of leader.

    - `first`: the new leader epoch or a later one, whichever it took on first.
    - `last`: the last earlier one that it logged itself.
    - `left_ts`: when it took on the second one from the change on. `again_ts`: when it led again.
    """

    first: Role | None = None
    last: Role | None = None
    left_ts: datetime | None = None
    again_ts: datetime | None = None
    at_once: bool | None = None  # it took on exactly the new one; None if it took on none

    @property
    def cutoff(self) -> datetime | None:
        """When it took on the new leader epoch or a later one."""
        return None if self.first is None else self.first.taken_ts


NOTHING_TAKEN = AroundChange()


def around(roles: Sequence[Role], leader_epoch: int) -> AroundChange:
    """The roles of one replica around the change to `leader_epoch`."""
    at = bisect_left(roles, leader_epoch, key=lambda role: role.leader_epoch)
    later = roles[at:]
    first = min(later, key=lambda role: nulls_first(role.taken_ts, role.leader_epoch), default=None)
    return AroundChange(
        first,
        next((role for role in reversed(roles[:at]) if role.is_logged), None),
        later[1].taken_ts if len(later) > 1 else None,
        least(*[role.leads_ts for role in later if role.leader_epoch > leader_epoch]),
        None if first is None else first.leader_epoch == leader_epoch,
    )
