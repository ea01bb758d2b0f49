"""The names of vertices of leader epochs, losses and ends of sessions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Protocol

from replay.facts.times import iso_stamp, known


class OfPartition(Protocol):
    """A row about one partition."""

    @property
    def topic(self) -> Any: ...
    @property
    def partition(self) -> Any: ...


class OfLeaderEpoch(OfPartition, Protocol):
    """A row about one leader epoch of one partition."""

    @property
    def life(self) -> Any: ...
    @property
    def leader_epoch(self) -> Any: ...


class OfLoss(OfLeaderEpoch, Protocol):
    """A row of the ledger."""

    @property
    def loss_class(self) -> Any: ...
    @property
    def scenario(self) -> Any: ...


class OfEdge(Protocol):
    """A row of `edges`."""

    @property
    def dst(self) -> Any: ...
    @property
    def reason(self) -> Any: ...


def partition_of(row: OfPartition) -> str | None:
    """`orders-0`; None where topic or number is not known."""
    return None if row.topic is None or row.partition is None else f"{row.topic}-{row.partition}"


def joined(*parts: object) -> str:
    """The parts that are known, with slashes between."""
    return "/".join(map(str, known(parts)))


def epoch_name(kind: str, row: OfLeaderEpoch) -> str:
    """The name of the vertex of a leader epoch: `election/orders-0/5`; of a later topic of the name
    `election/orders-0/life-1/5`.
    """
    return joined(kind, partition_of(row), f"life-{row.life}" if row.life else None, row.leader_epoch)


def loss_name(row: OfLoss) -> str:
    """The name of the vertex of a row of the ledger."""
    return joined(epoch_name("loss", row), row.loss_class, row.scenario)


def session_end_name(broker: int | None, end_ts: datetime | None) -> str:
    """The name of the vertex of the end of a broker's session: `detected/1/2026-11-21T05:37:16.004Z`."""
    return joined("detected", broker, iso_stamp(end_ts))


def ended_with_process(edges: Iterable[OfEdge]) -> frozenset[str]:
    """The names of the ends of sessions whose broker's process had ended, as the graph links them."""
    return frozenset(edge.dst for edge in edges if edge.reason == "session_ended_with_process")
