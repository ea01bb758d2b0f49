"""The nodes' clocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from replay.tables.columns import END, LEADER_EPOCH, START
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    Long,
    column,
    row,
    table_of,
)


@row("clock_offsets", key=("node_id", "start_ts"))
class ClockOffset(Row):
    """One node's clock in one window."""

    node_id: int = column("The node.")
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = END
    zone: str | MaybeNone = column("Time zone its stamps are read in.")
    offset_low_ms: float | MaybeNone = column("Its clock is ahead of the reference by at least this (after the zone).")
    offset_high_ms: float | MaybeNone = column("… and at most this.")
    correction_ms: float | MaybeNone = column("What was taken off its stamps.")
    reference_node_id: int | MaybeNone = column("The node whose clock is the reference.")


CLOCK_OFFSETS = table_of(ClockOffset)


@row("clock_steps", key=("node_id", "ts"))
class ClockStep(Row):
    """One time at which a node's clock was set while it ran."""

    node_id: int = column("The node.")
    last_ts: datetime | MaybeNone = column("Its last line that is surely of before.")
    ts: datetime = column("Its first line after.")
    step_ms: float | MaybeNone = column("By how much: forward, or back if negative.")
    cause: str | MaybeNone = column("`daylight_saving` for a step of whole half hours, else `clock_set`.")
    zone: str | MaybeNone = column("Time zone that its stamps are read in.")
    evidence: Sequence[str] = column("The lines that show it.")


CLOCK_STEPS = table_of(ClockStep)


@row("stamped_lines", key=("event_id",))
class StampedLine(Row):
    """One line that may stand before or after another node's, with its stamp as a number."""

    node_id: int | MaybeNone = column("The node.")
    source_file: str | MaybeNone = column("Its file.")
    line_number: Long | MaybeNone = column("Line in its file.")
    event_id: str = column("The line.")
    kind: str | MaybeNone = column("Kind of event.")
    topic: str | MaybeNone = column("Topic it names.")
    topic_id: str | MaybeNone = column("Topic id it names.")
    partition: int | MaybeNone = column("Partition it names.")
    broker_id: int | MaybeNone = column("Broker it names.")
    leader_id: int | MaybeNone = column("Leader it names.")
    leader_epoch: int | MaybeNone = LEADER_EPOCH
    partition_epoch: int | MaybeNone = column("Partition epoch it names.")
    controller_id: int | MaybeNone = column("Controller it names.")
    controller_epoch: int | MaybeNone = column("Controller epoch it names.")
    broker_epoch: Long | MaybeNone = column("Broker epoch it names.")
    details: Mapping[str, str] | MaybeNone = column("Fields without a column of their own.")
    message: str | MaybeNone = column("Its text.")
    base: str | MaybeNone = column("Letter of its clock (`replay.clocks.constraints`).")
    turn: int | MaybeNone = column("How often that clock was set back before.")
    wall: Long | MaybeNone = column("Its stamp, milliseconds since 1970.")


STAMPED_LINES = table_of(StampedLine)


@row("keyed_stamps", key=("rule", "cause", "key", "event_id"))
class KeyedStamp(Row):
    """One line as the cause or the effect of a rule of `replay.clocks.happened_before`."""

    rule: str = column("The rule.")
    cause: bool = column("It is the cause, else the effect.")
    key: str = column("What cause and effect have in common.")
    clock: str | MaybeNone = column("Clock of the stamp.")
    wall: Long | MaybeNone = column("The stamp, milliseconds since 1970.")
    event_id: str = column("The line.")


KEYED_STAMPS = table_of(KeyedStamp)
