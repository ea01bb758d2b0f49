"""Rows that the rooms before hand to the causes."""

from __future__ import annotations

from collections.abc import Iterable

from replay.causes.happenings import PASSING_MS
from replay.causes.names import epoch_name, loss_name
from replay.facts.times import first_known, millis
from replay.tables import LOSSES
from replay.tables.causes import Effect, OpenLoss, Root
from replay.tables.losses import OPEN_VERDICTS
from replay.tables.row import Row
from replay.tables.table import INT, STRING
from tests.tables import table_of_test

EACH_ROOT = table_of_test(
    "each_root", {"id": STRING, "root_id": STRING, "distance": INT}
)  # one vertex and one of its roots


def roots_of(each: Iterable[Row]) -> list[Row]:
    """`ROOTS` of rows of `EACH_ROOT`."""
    of_vertex: dict[str, list[tuple[int, str]]] = {}
    for row in each:
        of_vertex.setdefault(row.id, []).append((row.distance, row.root_id))
    return [
        Root(id=id_, root_ids=[root for _, root in sorted(own)], distances=[distance for distance, _ in sorted(own)])
        for id_, own in of_vertex.items()
    ]


def effects_of(vertices: Iterable[Row], roots: Iterable[Row] = (), elections: Iterable[Row] = ()) -> list[Row]:
    """`EFFECTS` of vertices, each a row of its own, as `replay.causes.effects` sums them."""
    root_ids = {root.id: root.root_ids for root in roots}
    elected = {epoch_name("election", election): election for election in elections}
    return [_effect(vertex, root_ids.get(vertex.id, []), elected.get(vertex.id)) for vertex in vertices]


def _effect(vertex: Row, root_ids: list[str], election: Row | None) -> Row:
    is_leaderless = vertex.kind == "leaderless"
    ms = millis(vertex.end_ts or vertex.ts, vertex.ts)
    lines = (vertex.evidence or [])[: 2 if vertex.kind in ("leaderless", "election") else 3]
    leaders = (None, None) if election is None else (election.old_leader_id, election.new_leader_id)
    return Effect(
        id=vertex.id if vertex.topic is None else None,
        kind=vertex.kind,
        by=None if election is None else election.trigger,
        node_id=vertex.node_id,
        incident_id=vertex.incident_id,
        root_ids=root_ids,
        elected_from=None if election is None else election.elected_from,
        is_other_leader=None if None in leaders else leaders[0] != leaders[1],
        is_return=None if election is None or election.trigger != "preferred" else True,
        is_open=is_leaderless and vertex.end_ts is None,
        is_passing=is_leaderless and vertex.end_ts is not None and ms < PASSING_MS,
        count=1,
        ts=vertex.ts,
        last_ts=vertex.ts,
        over_ts=vertex.end_ts,
        sum_ms=ms,
        longest_ms=ms,
        partitions=[] if vertex.topic is None else [f"{vertex.topic}-{vertex.partition}"],
        first_id=vertex.id,
        evidence=lines,
        evidence_ts=[vertex.ts for _ in lines],
    )


def open_losses_of(ledger: Iterable[Row], vertices: Iterable[Row], roots: Iterable[Row] = ()) -> list[Row]:
    """`OPEN_LOSSES` of rows of the ledger, as `replay.causes.effects` finds them."""
    root_ids = {root.id: root.root_ids for root in roots}
    incident_of = {vertex.id: vertex.incident_id for vertex in vertices if vertex.incident_id is not None}
    return [
        OpenLoss(
            **{name: getattr(row, name) for name in LOSSES.schema.names if name != "incident_id"},
            incident_id=first_known(
                row.incident_id, incident_of.get(loss_name(row)), incident_of.get(epoch_name("election", row))
            ),
            root_ids=root_ids.get(loss_name(row)),
            election_root_ids=root_ids.get(epoch_name("election", row)),
        )
        for row in ledger
        if row.verdict in OPEN_VERDICTS
    ]
