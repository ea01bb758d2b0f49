"""Restarts on another release of Kafka: an upgrade, or a return to the old release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.features import METADATA_VERSION
from replay.facts.order import at_most, less
from replay.facts.releases import version_number
from replay.facts.times import in_whole_seconds, known
from replay.sentences import Statement, statement
from replay.tables.brokers import ProcessLife, Setting
from replay.tables.control_plane import FeatureLevel
from replay.tables.faults import Fault

PROTOCOL = "inter.broker.protocol.version"
_MAJOR_AND_MINOR = re.compile(r"0\.\d+\.\d+|\d+\.\d+")


@dataclass(frozen=True)
class Move:
    """One node that was stopped on one release and started on another."""

    node_id: int
    before: str
    after: str
    stop_ts: datetime | None
    start_ts: datetime

    @property
    def is_upgrade(self) -> bool:
        return version_number(self.after) > version_number(self.before)


@dataclass(frozen=True)
class Releases:
    """The releases that nodes ran, and the cluster's protocol settings."""

    processes: Sequence[ProcessLife] = ()
    settings: Sequence[Setting] = ()
    feature_levels: Sequence[FeatureLevel] = ()

    def moves(self, stops: Iterable[Fault]) -> list[Move]:
        """The moves to another release after these stops, in the order of time."""
        by_start = {(life.node_id, life.next_start_ts): life for life in self.processes if life.next_start_ts}
        lives = known(by_start.get((stop.broker_id, stop.end_ts)) for stop in stops)
        moved = [_move(life) for life in lives if life.release and life.next_release not in (None, life.release)]
        return sorted(moved, key=lambda move: move.start_ts)

    def statements(self, moves: Sequence[Move], brokers: int) -> list[Statement]:
        """Which broker came back on which release and when, how long releases were mixed, and whether the protocol
        was raised.
        """
        protocol = self.protocol(moves)
        return [
            statement("moved_in_turn", all_starts=node_by_node(moves)),
            *mixed_releases(moves, brokers),
            *([protocol] if protocol else []),
        ]

    def protocol(self, moves: Sequence[Move]) -> Statement | None:
        """Whether the protocol between brokers stayed with the old release, was raised, or was not held back. ZooKeeper mode
        has `inter.broker.protocol.version`, KRaft `metadata.version`.
        """
        return self._metadata_version(moves) or self._inter_broker_protocol(moves)

    def _metadata_version(self, moves: Sequence[Move]) -> Statement | None:
        levels = sorted(
            (row for row in self.feature_levels if row.feature == METADATA_VERSION), key=lambda r: r.start_ts
        )
        if not levels:
            return None
        raised = [row for row in levels if row.changed and at_most(moves[0].start_ts, row.start_ts)]
        if raised:
            return statement(
                "metadata_version_raised", level=raised[-1].level, before=raised[-1].before, at=raised[0].start_ts
            )
        return (
            statement("metadata_version_stayed", level=levels[-1].level)
            if moves[-1].is_upgrade and _is_older(levels[-1].level, moves[-1].after)
            else None
        )

    def _inter_broker_protocol(self, moves: Sequence[Move]) -> Statement | None:
        """The protocol version that brokers print at their first start on a newer release."""
        upgrades = [move for move in moves if move.is_upgrade]
        set_protocols = [(move, value) for move in upgrades if (value := self._protocol_at_start(move)) is not None]
        if not set_protocols:
            return None
        ahead = [(move, value) for move, value in set_protocols if not _is_older(value, move.after)]
        if not ahead:
            return statement("protocol_pinned", value=set_protocols[-1][1], broker=set_protocols[-1][0].node_id)
        move, value = ahead[0]
        return statement("protocol_not_pinned", value=value, broker=move.node_id, before=move.before, at=move.start_ts)

    def _protocol_at_start(self, move: Move) -> str | None:
        """The first value that the node prints after its start: a later start may print the value to which it was
        raised.
        """
        printed = [
            row
            for row in self.settings
            if row.name == PROTOCOL and row.node_id == move.node_id and row.value and at_most(move.start_ts, row.ts)
        ]
        return min(printed, key=lambda row: row.ts).value if printed else None


NO_RELEASES = Releases()


def _move(life: ProcessLife) -> Move:
    return Move(life.node_id, life.release, life.next_release, life.stop_ts, life.next_start_ts)


def _is_older(level: str | None, release: str) -> bool:
    """Whether a level such as `3.9-IV0` belongs to an older line of releases than `4.1.1`."""
    line, own = _MAJOR_AND_MINOR.match(level or ""), _MAJOR_AND_MINOR.match(release)
    return line is not None and own is not None and version_number(line[0]) < version_number(own[0])


def moved_word(before: str, after: str) -> str:
    """The title's addition for a node that came back on another release."""
    return "upgraded" if version_number(after) > version_number(before) else "downgraded"


def what_move(moves: Iterable[Move]) -> str:
    """The title's addition for several nodes."""
    words = {"upgrade" if move.is_upgrade else "downgrade" for move in moves}
    return words.pop() if len(words) == 1 else "change of release"


def from_to(moves: Sequence[Move]) -> str | None:
    """`3.9.1 → 4.1.1` if all nodes moved from one release to one other; otherwise each move."""
    pairs = dict.fromkeys(f"{move.before} → {move.after}" for move in moves)
    return " and ".join(pairs) or None


def node_by_node(moves: Sequence[Move]) -> list[str]:
    """Which broker was started on the other release, and by when: its process is older than its first line."""
    return [f"broker {move.node_id} by {in_whole_seconds(move.start_ts):%H:%M:%S}" for move in moves]


def mixed_releases(moves: Sequence[Move], brokers: int) -> Iterator[Statement]:
    """From the first start on the new release to the last, brokers ran different releases; or they still do."""
    first, last = moves[0].start_ts, moves[-1].start_ts
    if len({move.node_id for move in moves}) < brokers:
        yield statement("releases_still_mixed", at_from=in_whole_seconds(first))
    elif less(first, last):
        yield statement("releases_mixed", at_from=in_whole_seconds(first), at_to=in_whole_seconds(last))
