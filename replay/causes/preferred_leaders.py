"""The leader of each partition at the end of the logs, and the incident that moved it from its preferred replica, the first
of its assignment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.causes.names import epoch_name
from replay.facts.groups import by_key
from replay.histories.partition import has_leader
from replay.tables.causes import LeadershipAtLast, Vertex
from replay.tables.partitions import LeaderEpoch


def leadership_at_last(leader_epochs: Sequence[LeaderEpoch], vertices: Iterable[Vertex]) -> list[LeadershipAtLast]:
    """The last leader of one partition: a row without an incident, and one for the incident that took leadership from
    its preferred replica, if that did not return.
    """
    if not leader_epochs:
        return []
    life = max(epoch.life for epoch in leader_epochs)
    epochs = sorted((epoch for epoch in leader_epochs if epoch.life == life), key=lambda epoch: epoch.leader_epoch)
    last = epochs[-1]
    if not has_leader(last) or last.end_ts is not None:
        return []
    leading = LeadershipAtLast(leader_id=last.leader_id, led=1, away=0, partitions=[])
    of_epochs = {vertex.id: vertex.incident_id for vertex in vertices}
    moved = [of_epochs.get(epoch_name("election", epoch)) for epoch in _since_preferred_led(epochs)]
    incident_id = next((name for name in moved if name is not None), None)
    if incident_id is None:
        return [leading]
    name = f"{last.topic}-{last.partition}"
    return [leading, leading.but(incident_id=incident_id, led=0, away=1, partitions=[name])]


def _since_preferred_led(epochs: Iterable[LeaderEpoch]) -> list[LeaderEpoch]:
    """The leader epochs with another leader after the preferred replica's last one; empty if the preferred replica
    leads.
    """
    away: list[LeaderEpoch] = []
    preferred = None
    for epoch in epochs:
        preferred = epoch.replicas[0] if epoch.replicas else preferred
        if preferred is None or epoch.leader_id == preferred:
            away = []
        elif has_leader(epoch):
            away.append(epoch)
    return away


def merge_leadership_at_last(leadership: Iterable[LeadershipAtLast]) -> list[LeadershipAtLast]:
    """One row for each leader, and for each incident and leader."""
    alike = by_key(leadership, lambda row: (row.incident_id or "", row.leader_id))
    return [
        rows[0].but(
            led=sum(row.led for row in rows),
            away=sum(row.away for row in rows),
            partitions=sorted({name for row in rows for name in row.partitions}),
        )
        for _, rows in sorted(alike.items())
    ]
