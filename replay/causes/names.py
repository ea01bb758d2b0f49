"""The names of vertices of leader epochs and losses."""

from __future__ import annotations

from typing import Any, Protocol

from replay.facts.times import known


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
