"""How long partitions had no live leader, whatever the controller's record shows (facts §7, leaderless time of the
data plane).

The controller notices a death or a pause only when the session ends. Until then its record names a dead leader. A
process that starts is not a leader until it has a session, takes up its partitions and accepts clients.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from replay.availability.claims import leads_again_ts
from replay.availability.cluster import Cluster
from replay.causes.happenings import Span, leaderless_epochs, of_each_life
from replay.facts.in_time import EVER, NEVER
from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, least
from replay.faults.kinds import CRASHES, DOWN
from replay.histories.partition import has_leader
from replay.tables.availability import BrokerStatement
from replay.tables.causes import TimeWithoutLeader
from replay.tables.faults import Fault
from replay.tables.partitions import LeaderEpoch


@dataclass(frozen=True, slots=True)
class Absence:
    """A time without a live leader. It begins between `well_ts` and `gone_ts`, and ends between `back_ts` and
    `over_ts` (None: the logs end first).
    """

    well_ts: datetime | None
    gone_ts: datetime | None
    back_ts: datetime | None
    over_ts: datetime | None


def times_of_partition(
    leader_epochs: Iterable[LeaderEpoch],
    deletions: Sequence[Span],
    words: Sequence[BrokerStatement],
    cluster: Cluster,
) -> Iterator[TimeWithoutLeader]:
    """The times in which one partition had no leader, or a dead or frozen one, until the next one leads. Rows of
    `TIMES_WITHOUT_LEADER`.

    Rows of one `bound` do not overlap: `least` spans the first to the last proof of absence, `most` the last proof of
    life before it to the first one after it. If no line shows when the next leader began, it may have led from the
    first proof of absence on.
    """
    for epochs in of_each_life(leader_epochs):
        absences = list(_absences(epochs, deletions, words, cluster))
        of: dict[str, Any] = {"topic": epochs[0].topic, "life": epochs[0].life, "partition": epochs[0].partition}
        most = [(absence.well_ts, absence.over_ts) for absence in absences if absence.well_ts]
        surely = [(absence.gone_ts, absence.back_ts) for absence in absences if absence.gone_ts]
        for bound, spans in (("most", most), ("least", surely)):
            for start_ts, end_ts in _apart(spans):
                yield TimeWithoutLeader(**of, bound=bound, start_ts=start_ts, end_ts=end_ts)


def _absences(
    epochs: Sequence[LeaderEpoch],
    deletions: Sequence[Span],
    words: Sequence[BrokerStatement],
    cluster: Cluster,
) -> Iterator[Absence]:
    """The times without a leader, and with a dead one, in the leader epochs of one partition; these are in order."""
    without_leader = {epoch.leader_epoch for epoch in leaderless_epochs(epochs, deletions)}
    log_roles = {word.node_id for word in words if word.kind == "leader_start"}
    for epoch, (next_ts, is_found) in zip(epochs, _next_leads(epochs), strict=True):
        if epoch.leader_epoch in without_leader:
            yield Absence(epoch.start_ts, epoch.start_ts, epoch.start_ts if is_found else next_ts, next_ts)
        away_ts = None  # when its leader is certainly gone for good
        for fault in [*cluster.down.lasting(epoch.leader_id, next_ts, epoch.start_ts)][::-1]:
            well_ts, gone_ts = first_known(fault.began_low, fault.ts), first_known(fault.began_high, fault.ts)
            if less(away_ts, well_ts):
                break
            if not at_most(next_ts, well_ts) and not at_most(fault.end_ts, epoch.start_ts):
                back_ts, over_ts = _leads_again(fault, fault.broker_id in log_roles, words, cluster)
                is_sure = fault.kind in DOWN
                if is_sure and back_ts is None and over_ts is None:
                    away_ts = greatest(gone_ts, epoch.start_ts)
                surely_gone_ts = greatest(gone_ts, epoch.start_ts)
                next_may_ts = (
                    epoch.end_ts if epoch.may_lead_next is not None else surely_gone_ts if is_found else next_ts
                )
                yield Absence(
                    greatest(well_ts, epoch.start_ts),
                    surely_gone_ts if is_sure else None,
                    least(next_may_ts, back_ts),
                    least(next_ts, over_ts),
                )


def _leads_again(
    fault: Fault, logs_roles: bool, words: Sequence[BrokerStatement], cluster: Cluster
) -> tuple[datetime | None, datetime | None]:
    """Until when the leader with this fault certainly did not lead, and from when on it certainly did; None if it
    never led again.

    A paused process leads again when it resumes. A restarted one leads when it logs this; releases that do not log
    this may lead from their first line on.
    """
    runs_ts = first_known(fault.ended_low, fault.end_ts)
    if fault.kind not in CRASHES:
        return runs_ts, fault.end_ts
    again = [
        leads_again_ts(outage, fault.broker_id, words, cluster)
        for outage in cluster.outages_of_fault.get(fault.fault_id, ())
        if outage.must_start
    ]
    again_ts = least(*again)
    return again_ts if logs_roles else runs_ts, again_ts


def _next_leads(epochs: Sequence[LeaderEpoch]) -> list[tuple[datetime | None, bool]]:
    """For each leader epoch, when the next leader logs that it leads, or when the last epoch ends; and whether that
    leader had begun to lead at an unknown time before.
    """
    next_ts, is_found, found = epochs[-1].end_ts, False, []
    for epoch in reversed(epochs):
        found.append((next_ts, is_found))
        if has_leader(epoch):
            next_ts, is_found = greatest(epoch.start_ts, epoch.leader_ts), bool(epoch.begun_before)
    return found[::-1]


def _apart(spans: Iterable[tuple[datetime, datetime | None]]) -> Iterator[tuple[datetime, datetime | None]]:
    """The spans in time order, each without the time that earlier spans cover."""
    covered_until = EVER
    for start_ts, end_ts in sorted(spans, key=lambda span: (span[0], span[1] or NEVER)):
        begin, over = max(start_ts, covered_until), end_ts or NEVER
        if begin < over:
            yield begin, end_ts
        covered_until = max(covered_until, over)
