"""What the input covers, by node and kind of log, and what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.columns import END, EVIDENCE, START
from replay.tables.row import MaybeNone, Row
from replay.tables.table import Long, column, row, table_of

_LOG = column("The kind of log, by the loggers of its lines: `server`, `controller`, `state_change`, `other`.")


@row("log_runs", key=("node_id", "log", "number"))
class LogRun(Row):
    """Lines of one node's log of one kind that follow each other without a time in which lines may be missing."""

    node_id: int = column("The node.")
    log: str = _LOG
    number: int = column("Number of the run, from 0.")
    start_ts: datetime = column("Its first line.")
    end_ts: datetime = column("Its last line.")
    start_event: str = column("Its first line, by event.")
    end_event: str = column("Its last line, by event.")
    lines: Long | MaybeNone = column("How many lines.")
    roles: Long | MaybeNone = column("How many of them show that the node became a leader or a follower.")
    series: Sequence[str] | MaybeNone = column("The logs that they are in, without the numbers of rotated files.")
    begins_process: bool | MaybeNone = column("Its first line is the first line of a starting process.")
    is_active: bool | MaybeNone = column("Its last line is in a file that is not rotated.")


@row("rotation_gaps", key=("node_id", "series", "start_ts"))
class RotationGap(Row):
    """Rotated files of one log that are missing between two others."""

    node_id: int | MaybeNone = column("The node; null if unknown.")
    series: str = column("The log, without the numbers of rotated files.")
    start_ts: datetime | MaybeNone = column("The last line of the file before.")
    end_ts: datetime | MaybeNone = column("The first line of the file after.")
    missing: str = column("The first missing file.")
    other: str | MaybeNone = column("Another log of the node that has this hour; null if numbers show the gap.")


@row("coverage_spans", key=("node_id", "log", "start_ts"))
class CoverageSpan(Row):
    """A time in which one node's log of one kind is there. Only then its silence proves anything."""

    node_id: int = column("The node.")
    log: str = _LOG
    start_ts: datetime = column("From when on the log is there.")
    end_ts: datetime = column(
        "Until when: its last line, or the node's last line if nothing shows that lines are missing. Later times are not covered."
    )
    lines: Long | MaybeNone = column("How many of its lines were understood.")
    roles: Long | MaybeNone = column("How many of these show that the node became a leader or a follower.")
    complete: bool | MaybeNone = column(
        "False: other lines show that single lines of this time are missing, so its silence proves nothing."
    )
    evidence: Sequence[str] = EVIDENCE


@row("limits", key=("kind", "statement"))
class Limit(Row):
    """One thing that the input lacks, and what is unknown because of it."""

    kind: str = column(
        "`server_log_only`, `no_state_change_log`, `no_controller_log`, `no_server_log`, `no_server_log_of_controller`, `no_node`, `begins_late`, `gap`, "
        "`lines_missing`, `window`."
    )
    node_ids: Sequence[int] = column("The nodes whose lines are missing.")
    start_ts: datetime | MaybeNone = START
    end_ts: datetime | MaybeNone = END
    unknown: Sequence[str] = column(
        "What is unknown or only a bound: `leader_changes`, `isr_changes`, `availability`, `losses`, `truncations`, "
        "`starts_and_stops`, `elections`, `state_before`."
    )
    would_tell: str = column("The files that would tell.")
    statement: str | MaybeNone = column("All of this as a sentence.")
    evidence: Sequence[str] = EVIDENCE


COVERAGE_SPANS = table_of(CoverageSpan)
LIMITS = table_of(Limit)
