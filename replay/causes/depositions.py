"""Active controllers that a voter deposed: the voter had lost contact and stood for election in a later Raft epoch, and the
controller gave up when it learned of that epoch.

A leader of the metadata quorum gives up for every request for votes in a later epoch, whoever wins (facts §5, F04 and F10).
From Kafka 4.0 on a voter asks first, with a pre-vote (KIP-996), and the others refuse it while they have a leader.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from replay.causes.names import joined
from replay.causes.rules import DEPOSED
from replay.facts.controllers import KRAFT, active_from
from replay.facts.order import at_most, less
from replay.facts.releases import version_number
from replay.facts.times import first_known, millis
from replay.faults.kinds import BY_NAME, Stops
from replay.sentences import Statement, statement
from replay.tables.brokers import Controller, NodeRelease
from replay.tables.causes import Edge
from replay.tables.faults import Fault

PRE_VOTES = version_number("4.0.0")  # the first release with pre-votes
SHORT_MS = 10_000  # a fetch timeout that outlasts a longer pause would leave a dead controller unnoticed for too long


@dataclass(frozen=True)
class Deposition:
    """One controller that a voter deposed, the next one, and the fault that had kept the voter away, if it is known."""

    old: Controller
    following: Controller
    fault: Fault | None
    predicate: str | None  # what had happened to the voter
    was_well: bool  # no fault of these logs had stopped the old controller
    asks_first: bool | None  # the voter's release has pre-votes; None if its release is unknown

    @property
    def candidate(self) -> int | None:
        return self.old.deposed_by

    @property
    def ts(self) -> datetime | None:
        return self.old.deposed_at

    @property
    def until(self) -> datetime | None:
        """When the next controller was active."""
        return active_from(self.following)

    @property
    def absent_ms(self) -> int:
        return max(millis(self.until, self.ts) or 0, 0)

    @property
    def as_statement(self) -> Statement:
        """Which node deposed which controller, when, and how long no controller was active."""
        return statement(
            "was_deposed",
            candidate=self.candidate,
            predicate=self.predicate,
            through=self.old.deposed_through,
            old=self.old.controller_id,
            well=self.was_well,
            at=self.ts,
            epoch=self.old.deposed_in,
            old_epoch=self.old.controller_epoch,
            no_pre_vote=self.asks_first is False,
            until=self.until,
            again=self.following.controller_id == self.old.controller_id,
            new=self.following.controller_id,
            absent_ms=self.absent_ms,
        )

    @property
    def of_candidate(self) -> Statement:
        """The same in the finding about the voter's own fault."""
        return statement(
            "deposed_controller",
            candidate=self.candidate,
            through=self.old.deposed_through,
            old=self.old.controller_id,
            well=self.was_well,
            at=self.ts,
            absent_ms=self.absent_ms,
        )

    @property
    def longest_pause_ms(self) -> int | None:
        """How long the voter was frozen at most, if a fetch timeout longer than that is an option."""
        if self.fault is None or self.fault.kind != "paused":
            return None
        away_ms = millis(
            first_known(self.fault.ended_high, self.fault.end_ts), first_known(self.fault.began_low, self.fault.ts)
        )
        return away_ms if away_ms is not None and away_ms <= SHORT_MS else None


def depositions(
    controllers: Iterable[Controller],
    cluster_edges: Iterable[Edge],
    faults: Sequence[Fault],
    releases: Iterable[NodeRelease] = (),
) -> list[Deposition]:
    """Every active controller that a voter deposed, in the order of the epochs."""
    by_id = {fault.fault_id: fault for fault in faults}
    accepted = {edge.dst: edge for edge in cluster_edges if edge.reason == DEPOSED and edge.rank == 1}
    of_node = {one.node_id: one for one in releases}
    in_order = sorted((one for one in controllers if one.mode == KRAFT), key=lambda one: one.controller_epoch)
    found = []
    for old, following in pairwise(in_order):
        if old.deposed_by is not None:
            why = accepted.get(joined("controller", KRAFT, following.controller_epoch))
            found.append(
                Deposition(
                    old,
                    following,
                    fault=None if why is None else by_id.get(why.src),
                    predicate=None if why is None else (why.arguments or {}).get("cause_predicate"),
                    was_well=not any(_stops(fault, old) for fault in faults),
                    asks_first=_asks_first(of_node.get(old.deposed_by)),
                )
            )
    return found


def _stops(fault: Fault, controller: Controller) -> bool:
    """Whether a fault stopped the controller as a voter when it gave up."""
    began, ended = first_known(fault.began_low, fault.ts), first_known(fault.ended_high, fault.end_ts)
    return (
        fault.broker_id == controller.controller_id
        and bool(BY_NAME[fault.kind].stops & Stops.VOTING)
        and at_most(began, controller.deposed_at)
        and not less(ended, controller.deposed_at)
    )


def _asks_first(release: NodeRelease | None) -> bool | None:
    if release is None:
        return None
    if release.version_high is not None and release.version_high < PRE_VOTES:
        return False
    return True if release.version_low is not None and release.version_low >= PRE_VOTES else None
