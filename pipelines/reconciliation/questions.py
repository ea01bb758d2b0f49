"""What is asked about the records: which records have the same cells, and the clocks that these rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipelines.reconciliation.partition_logs import Key
from replay.errors import InputError
from replay.reconcile.cells import Asked, Cell, Clock, cells
from replay.reconcile.clocks import Anchor, by_client
from replay.reconcile.logs import UNBOUNDED, PartitionLog

DELIVERY = 120_000_000  # delivery.timeout.ms of Kafka's producers, in microseconds
_BROKER_CLOCK = Clock(-1_000_000, 1_000_000)  # of a time that the broker wrote
Logs = Mapping[Key, PartitionLog]
_BEHIND = 10_000_000  # microseconds: a clock that seems further behind can be right, and the topic an earlier one
TIMES = ("acknowledged", "created", "appended")


class Kind(NamedTuple):
    """Records that have the same cells."""

    topic: str
    partition: int
    client: str
    leader_epoch: int  # -1: without one
    acks_all: bool
    is_timed: bool


@dataclass(frozen=True)
class Clocks:
    """By how much the clock of each client can be off, and the last of its times."""

    known: Mapping[str, Clock]
    usual: Clock
    last: Mapping[str, int]
    delay: int

    def asked(self, kind: Kind) -> Asked:
        """What the cells of these records depend on."""
        clock = self.known.get(kind.client, self.usual) if kind.is_timed else Clock()
        epoch = None if kind.leader_epoch < 0 else kind.leader_epoch
        is_behind = kind.is_timed and epoch is None and clock.high < -_BEHIND
        return Asked(clock, epoch, kind.acks_all, self.last.get(kind.client, -UNBOUNDED), is_behind, self.delay)


def clocks(
    found: Iterable[tuple[str, Anchor, int, int]], last: Mapping[str, int], time_is: str | None, error: int | None
) -> Clocks:
    """The clocks, from the first and the last of each client's times in each anchor. Raises InputError for an unknown kind
    of time.
    """
    if time_is is not None and time_is not in TIMES:
        raise InputError(f"time_is={time_is!r}: the kind of time is one of {', '.join(TIMES)}")
    delay = DELIVERY if time_is == "created" else 0
    if time_is == "appended":
        return Clocks({}, _BROKER_CLOCK, last, delay)
    usual = Clock() if error is None else Clock(-error, error)
    return Clocks(by_client(found, error, delay), usual, last, delay)


@dataclass
class CellTable:
    """The cells of several kinds of records; a record has the number of its cell."""

    cells: list[Cell] = field(default_factory=list)
    clients: list[str] = field(default_factory=list)  # of each cell

    def add(self, kind: Kind, log: PartitionLog, known: Clocks) -> Sequence[Cell]:
        """The cells of one more kind of records; the first of them has the number of cells so far."""
        mine = cells(log, known.asked(kind))
        self.cells += mine
        self.clients += [kind.client] * len(mine)
        return mine
