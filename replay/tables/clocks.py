"""The nodes' clocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from pyspark.sql.types import ArrayType, StructField, StructType

from replay.tables.columns import END, LEADER_EPOCH, START
from replay.tables.row import MaybeNone, Row
from replay.tables.table import DOUBLE, LONG, STRING, STRINGS, Long, column, row, table_of


@row("clock_offsets", key=("node_id", "start_ts"))
class ClockOffset(Row):
    """One node's clock in one window."""

    node_id: int | MaybeNone = column("The node.")
    start_ts: datetime | MaybeNone = START
    end_ts: datetime | MaybeNone = END
    zone: str | MaybeNone = column("Time zone of its timestamps.")
    offset_low_ms: float | MaybeNone = column("Its clock is ahead of the reference by at least this (after the zone).")
    offset_high_ms: float | MaybeNone = column("Its clock is ahead of the reference by at most this.")
    correction_ms: float | MaybeNone = column("The correction of its timestamps.")
    reference_node_id: int | MaybeNone = column("The node whose clock is the reference.")


@row("clock_steps", key=("node_id", "ts"))
class ClockStep(Row):
    """One time at which a node's clock was set while it ran."""

    node_id: int = column("The node.")
    last_ts: datetime | MaybeNone = column("Its last line that is certainly from before.")
    ts: datetime = column("Its first line after.")
    step_ms: float | MaybeNone = column("By how much: forward, or back if negative.")
    offset_low_ms: float | MaybeNone = column("Then it was ahead of the reference by at least this.")
    offset_high_ms: float | MaybeNone = column("Its clock is ahead of the reference by at most this.")
    cause: str | MaybeNone = column("`daylight_saving` for a step of whole half hours, else `clock_set`.")
    zone: str | MaybeNone = column("Time zone that its stamps are read in.")
    right_ts: datetime | MaybeNone = column("Its first line after a later step that set the clock right again.")
    off_at_last_ms: float | MaybeNone = column(
        "How far ahead of the reference its clock still was at the end of the logs, behind if negative; null if it was right."
    )
    evidence: Sequence[str] = column("The lines that show it.")


@row("dated_lines")
class DatedLine(Row):
    """One record with its timestamp as printed, and its place: all that shows that a clock was set."""

    node_id: int | MaybeNone = column("The node.")
    source_file: str | MaybeNone = column("Its file.")
    line_number: Long | MaybeNone = column("Line in its file.")
    event_id: str = column("The line.")
    level: str | MaybeNone = column("Log level.")
    template_id: str | MaybeNone = column("Template that knows it.")
    raw_ts: datetime | MaybeNone = column("Its timestamp, read as if it were UTC.")
    zone_known: bool | MaybeNone = column("It prints the zone of its timestamp: `raw_ts` is the instant.")


@row("ordered_lines")
class OrderedLine(DatedLine):
    """One record of a kind that a rule about the order of two nodes' lines reads."""

    kind: str | MaybeNone = column("Kind of event.")
    topic: str | MaybeNone = column("Topic it names.")
    topic_id: str | MaybeNone = column("Topic id it names.")
    partition: int | MaybeNone = column("Partition it names.")
    broker_id: int | MaybeNone = column("Broker it names.")
    leader_id: int | MaybeNone = column("Leader it names.")
    leader_epoch: int | MaybeNone = LEADER_EPOCH
    partition_epoch: int | MaybeNone = column("Partition epoch it names.")
    controller_id: int | MaybeNone = column("Controller in the line.")
    controller_epoch: int | MaybeNone = column("Controller epoch in the line.")
    broker_epoch: Long | MaybeNone = column("Broker epoch in the line.")
    details: Mapping[str, str] | MaybeNone = column("Fields without their own column.")
    message: str | MaybeNone = column("Its text.")


@row("stamped_lines", key=("event_id",))
class StampedLine(OrderedLine):
    """One line that may come before or after another node's, with its timestamp as a number."""

    base: str | MaybeNone = column("Letter of its clock (`replay.clocks.constraints`).")
    turn: int | MaybeNone = column("How often that clock was set back before.")
    wall: Long | MaybeNone = column("Its stamp, milliseconds since 1970.")


@row("keyed_stamps", key=("rule", "cause", "key", "event_id"))
class KeyedStamp(Row):
    """One line as the cause or the effect of a rule of `replay.clocks.happened_before`."""

    rule: str = column("The rule.")
    cause: bool = column("It is the cause, else the effect.")
    key: str = column("What cause and effect have in common.")
    clock: str | MaybeNone = column("Clock of the stamp.")
    wall: Long | MaybeNone = column("The stamp, milliseconds since 1970.")
    event_id: str = column("The line.")


_PLACE = StructType([StructField("source_file", STRING), StructField("line_number", LONG)])
_PAUSE = StructType([StructField("before", LONG), StructField("after", LONG), StructField("evidence", STRINGS)])
_TURN = StructType(
    [
        StructField("before", LONG),
        StructField("after", LONG),
        StructField("first_lines", ArrayType(_PLACE)),
        StructField("evidence", STRINGS),
    ]
)


@row("node_clocks", key=("node_id", "base"))
class NodeClock(Row):
    """One clock of one node, as its own files show it: `n` in an unknown time zone, `g` in a known one."""

    node_id: int | MaybeNone = column("The node.")
    base: str = column("Letter of the clock (`replay.clocks.constraints`).")
    first: Long = column("Its first stamp, milliseconds since 1970.")
    zone: str | MaybeNone = column("Its time zone, where that is known.")
    turns: Annotated[Sequence[Any], ArrayType(_TURN)] = column(
        "When the clock was set back: the last stamp before and the first after, the first lines of each file after it."
    )
    pauses: Annotated[Sequence[Any], ArrayType(_PAUSE)] | MaybeNone = column(
        "The longest times without a line: the stamps and the lines around each. A clock that was set forward leaves one."
    )


@row("clock_bounds", key=("same", "a", "b", "span"))
class ClockBound(Row):
    """What the pairs of lines of about a minute prove about the difference of two clocks: clock b − clock a is at most
    this.
    """

    same: bool = column(
        "Both are timestamps of one clock: a term of the metadata log and the controller that led in it."
    )
    counted: bool = column(
        "Correlation ids that were counted, not printed, join the pairs: a controller prints none with its requests, so a missing "
        "line shifts all later pairs."
    )
    a: str = column("The clock of the causes.")
    b: str = column("The clock of the effects.")
    span: Long = column("Which minute of clock a.")
    tightest: Annotated[Sequence[float], ArrayType(DOUBLE)] = column("The two least bounds, milliseconds.")
    pairs: Long = column("Number of pairs.")
    sure: bool = column("Some pair is joined by a key that names one happening only.")
    fraction: Long = column(
        "Greatest part of a second in the stamps of the effects; 0: they may have been cut to seconds."
    )
    delay: Long = column("The least bound, milliseconds.")
    a_wall: Long = column("Stamp of its cause, milliseconds since 1970.")
    b_wall: Long = column("Stamp of its effect.")
    a_event: str = column("Line of its cause.")
    b_event: str = column("Line of its effect.")


@row("clock_windows", key=("clock", "node_id", "window", "first_offset"))
class ClockWindow(ClockOffset):
    """One clock between two times at which it was set, with the data for correcting its timestamps."""

    clock: str = column(
        "`lines` for a node's log lines, `records` for the CreateTime of metadata records that it wrote as controller."
    )
    zone_from: str | MaybeNone = column(
        "The source of its zone: `given`, `printed` (by the node), `others` (as they have it), `assumed` (UTC)."
    )
    window: int | MaybeNone = column("Number of the window, from 0.")
    before: Long | MaybeNone = column("The window begins after this stamp in files that do not show its begin.")
    first_lines: Annotated[Sequence[Any], ArrayType(_PLACE)] | MaybeNone = column(
        "The first line of the window in each file that shows its begin."
    )
    first_offset: Long | MaybeNone = column("The first metadata offset of a controller's records.")
    step_ms: float | MaybeNone = column("By how much the clock was set; null in the first window.")
    last_ts: datetime | MaybeNone = column("The last line that is surely of the window before.")
    evidence: Sequence[str] | MaybeNone = column("The lines that show that it was set.")


CLOCK_OFFSETS = table_of(ClockOffset)
CLOCK_STEPS = table_of(ClockStep)
STAMPED_LINES = table_of(StampedLine)
KEYED_STAMPS = table_of(KeyedStamp)
CLOCK_BOUNDS = table_of(ClockBound)
CLOCK_WINDOWS = table_of(ClockWindow)
