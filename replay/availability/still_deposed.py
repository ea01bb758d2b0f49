"""Deposed leaders that had not learned of their successors when the logs ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from replay.availability.cluster import Cluster
from replay.availability.tenures import in_time
from replay.facts.groups import by_key
from replay.facts.order import less
from replay.facts.times import millis
from replay.histories.partition import has_leader
from replay.tables.availability import NodeOutage
from replay.tables.partitions import LeaderEpoch
from replay.tables.questions import DeposedLeader


@dataclass(frozen=True)
class Late:
    """A deposed leader, and whether it had not learned of its successor at its last line; then `believed_ms` is at least."""

    leader: DeposedLeader
    lasts: bool


def late_leaders(
    deposed_leaders: Iterable[DeposedLeader], leader_epochs: Sequence[LeaderEpoch], cluster: Cluster
) -> Iterator[Late]:
    """The leaders of one partition that considered themselves leader after another was elected.

    Lines show this only of a leader that acts or learns of its successor later. A leader that is still cut off when
    the logs end does neither: it considers itself leader from the election to its last line at least.
    """
    rows = {_key(row): row for row in deposed_leaders}
    at_last = {_key(row): row for row in _still_deposed(leader_epochs, cluster)}
    for key, row in rows.items():
        if row.learnt_ts is not None or key not in at_last:
            yield Late(row, False)
        else:
            still = at_last[key]
            yield Late(row.but(believed_low_ms=still.believed_low_ms, believed_ms=still.believed_ms), True)
    yield from (Late(row, True) for key, row in at_last.items() if key not in rows)


def _key(row: DeposedLeader) -> tuple[str, int, int, int]:
    return row.topic, row.partition, row.broker_id, row.leader_epoch


def _still_deposed(leader_epochs: Sequence[LeaderEpoch], cluster: Cluster) -> Iterator[DeposedLeader]:
    """The last leaders before the present one, where they run behind a cut that no line shows to end."""
    for epochs in by_key(in_time(leader_epochs), lambda epoch: epoch.life).values():
        led = [epoch for epoch in epochs if has_leader(epoch)]
        if epochs[-1].end_ts is not None:
            continue
        for epoch, then in list(pairwise(led))[-1:]:
            outage = _open_cut(epoch.leader_id, then, cluster) if epoch.leader_id != then.leader_id else None
            last_ts = cluster.last_lines.get(epoch.leader_id)
            if outage is not None and less(then.start_ts, last_ts):
                yield DeposedLeader(
                    topic=epoch.topic,
                    partition=epoch.partition,
                    broker_id=epoch.leader_id,
                    leader_epoch=epoch.leader_epoch,
                    deposed_ts=then.start_ts,
                    believed_low_ms=millis(last_ts, then.start_ts),
                    believed_ms=millis(last_ts, then.start_ts),
                    evidence=outage.evidence,
                )


def _open_cut(node_id: int, then: LeaderEpoch, cluster: Cluster) -> NodeOutage | None:
    """The outage that kept a running leader from learning of its successor, if the logs show no end of it."""
    open_cuts = (
        outage
        for outage in cluster.outages.lasting(node_id, then.start_ts, then.start_ts)
        if (outage.may_lead_on or outage.is_cut) and outage.to_ts is None and outage.back_ts is None
    )
    ended = (end for end in cluster.process_ends.get(node_id, ()) if less(then.start_ts, end.from_ts))
    return None if any(ended) else next(open_cuts, None)
