"""Faults, and operators' requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from pyspark.sql.types import ArrayType, StructField, StructType

from replay.sentences.statement import STATEMENT
from replay.tables.columns import EVIDENCE
from replay.tables.reading import Event
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    STRING,
    TIMESTAMP,
    Long,
    column,
    row,
    table_of,
)

LINE = StructType([StructField("ts", TIMESTAMP), StructField("event_id", STRING)])


@row("faults", key=("fault_id",))
class Fault(Row):
    """One thing that went wrong on a broker, a disk, the network or a clock, or that an operator asked for."""

    fault_id: str = column("Kind, node and time of its first proof.")
    kind: str | MaybeNone = column("What it was (`replay.faults.kinds`).")
    code: str | MaybeNone = column("Its code, F01 …")
    broker_id: int | MaybeNone = column("Node at fault; null if there is no single one.")
    peers: Sequence[int] | MaybeNone = column(
        "Other nodes concerned: the other end of a link, the voters of a quorum that was lost."
    )
    partitions: Sequence[str] | MaybeNone = column(
        "Affected partitions, `topic-partition`; empty if the whole node is affected."
    )
    ts: datetime | MaybeNone = column(
        "The first proof of it, or the nearest moment between `began_low` and `began_high`: a line may report it long after it began."
    )
    end_ts: datetime | MaybeNone = column("The first proof that it was over; null if these logs have none.")
    began_low: datetime | MaybeNone = column("Earliest possible begin: the last proof of health; null without one.")
    began_high: datetime | MaybeNone = column("It began no later than this.")
    ended_low: datetime | MaybeNone = column("Earliest possible end: the last proof of it.")
    ended_high: datetime | MaybeNone = column("Latest possible end; null if these logs show no end.")
    confidence: float | MaybeNone = column("How sure, 0 to 1.")
    reason: str | MaybeNone = column("Name of the sentence about the evidence (`replay.sentences.faults`).")
    arguments: Mapping[str, str] | MaybeNone = column("Arguments of that sentence.")
    unknowns: Sequence[str] | MaybeNone = column(
        "What the logs do not show about it, by the names of `replay.sentences.faults`."
    )
    evidence: Sequence[str] = EVIDENCE


@row("known_outages")
class KnownOutage(Fault):
    """One outage, or one time in which a node could not reach ZooKeeper or its peers."""


@row("stated_faults")
class StatedFault(Fault):
    """One fault that lines state directly, one setting of a clock, or one request of an operator."""


@row("lag_shrinks", key=("leader_id", "dropped_id", "removed", "woke", "ts"))
class LagShrink(Row):
    """Lines of one second with which one leader drops one follower from ISRs."""

    leader_id: int = column("The leader.")
    dropped_id: int = column("The follower.")
    removed: Sequence[int] = column("All followers that each of those lines drops.")
    woke: bool = column("Its leader dropped all followers of a partition then, and added them all back at once.")
    ts: datetime = column("The first of them.")
    last_ts: datetime | MaybeNone = column("The last.")
    event_id: str | MaybeNone = column("The first line.")
    drops: Long | MaybeNone = column("From how many ISRs.")
    left_alone: Long | MaybeNone = column("How many of those ISRs were left with the leader alone.")
    caught_up_ms: Long | MaybeNone = column(
        "When the follower had last caught up, in epoch ms, as lines print from 3.6 on; null if that is only when the leader "
        "began, which counts its in-sync followers as caught up."
    )
    first_back_ts: datetime | MaybeNone = column(
        "When the leader first had all that it dropped back in one of those ISRs."
    )
    back_ts: datetime | MaybeNone = column("When it had them back in all of those ISRs; null if it had not.")
    names: Sequence[str] | MaybeNone = column("The partitions, `topic-partition`.")
    lines: Annotated[Sequence[Any], ArrayType(LINE)] | MaybeNone = column("The first lines, with their times.")


@row("broker_returns", key=("broker_id", "how", "away_ts", "ts"))
class BrokerReturn(Row):
    """One return of a broker to ISRs, or to leadership, in lines of any node: the first in each second."""

    broker_id: int = column("The broker.")
    how: str = column("`in_isr`: it joined the ISR. `leads`: it began to lead.")
    away_ts: datetime = column("The begin of the state before, without it.")
    ts: datetime = column("The begin of the state with it.")
    evidence: Sequence[str] = EVIDENCE


@row("late_isr_changes", key=("leader_id", "ts", "answered_ts"))
class LateIsrChange(Row):
    """ISR changes that one leader asked for in one second, and whose confirmation came late, in one second."""

    leader_id: int = column("The leader.")
    to_zookeeper: bool = column("It wrote to ZooKeeper itself instead of asking the controller.")
    ts: datetime = column("The first request.")
    last_ts: datetime | MaybeNone = column("The last.")
    answered_ts: datetime = column("The first confirmation.")
    last_answered_ts: datetime | MaybeNone = column("The last.")
    stored_ts: datetime | MaybeNone = column("When the controller first logged that it stored one of them.")
    shortest_ms: Long | MaybeNone = column("The shortest wait for a confirmation.")
    longest_ms: Long | MaybeNone = column("The longest.")
    removed: Sequence[int] = column("The members that these changes remove.")
    names: Sequence[str] | MaybeNone = column("The partitions, `topic-partition`.")
    lines: Annotated[Sequence[Any], ArrayType(LINE)] | MaybeNone = column("The first lines, with their times.")


@row("refused_isr_writes", key=("node_id", "ts"))
class RefusedIsrWrite(Row):
    """One burst in which ZooKeeper refused a leader's ISR writes for the same partitions repeatedly."""

    node_id: int = column("The leader.")
    ts: datetime = column("The first.")
    last_ts: datetime | MaybeNone = column("The last.")
    count: Long | MaybeNone = column("How many.")
    period_ms: Long | MaybeNone = column("The time between two attempts of a write.")
    partitions: Sequence[str] | MaybeNone = column("The partitions, `topic-partition`.")
    evidence: Sequence[str] = EVIDENCE


@row("given_up_partitions", key=("node_id", "error_ts", "dropped_ts"))
class GivenUpPartition(Row):
    """Partitions that a fetcher stopped fetching because of errors in one second, and whose leaders dropped its broker
    in one second.
    """

    node_id: int = column("The broker of the fetcher.")
    error_ts: datetime = column("The first of the errors.")
    last_error_ts: datetime | MaybeNone = column("The last of them.")
    failed_ts: datetime | MaybeNone = column("When the first partition was marked as failed.")
    dropped_ts: datetime = column("When the first leader dropped the broker.")
    last_dropped_ts: datetime | MaybeNone = column("When the last one did.")
    errors: Annotated[Sequence[Any], ArrayType(LINE)] | MaybeNone = column("The first errors, with their times.")
    drops: Annotated[Sequence[Any], ArrayType(LINE)] | MaybeNone = column(
        "The first lines of the shrinking ISRs, with their times."
    )


@row("emptied_log_dirs", key=("event_id",))
class EmptiedLogDir(Row):
    """One start at which a broker found no log, though it was assigned partitions again that it had held."""

    node_id: int | MaybeNone = column("The broker.")
    ts: datetime | MaybeNone = column("When it had found no log.")
    event_id: str = column("The line that shows it.")
    partitions: Sequence[str] | MaybeNone = column(
        "The partitions that it had held and was given again, `topic-partition`."
    )
    held_event: str | MaybeNone = column("A line of one that it held before.")
    again_event: str | MaybeNone = column("A line of one that it was given again.")


@row("damaged_partitions", key=("name", "burst", "leader_id"))
class DamagedPartition(Row):
    """One partition whose followers found the same records damaged, fetch after fetch, in one burst."""

    name: str = column("The partition, `topic-partition`.")
    burst: Long = column("Number of the burst, of this partition.")
    leader_id: int = column("Its leader.")
    isr: Sequence[int] | MaybeNone = column("Its last known ISR before.")
    ts: datetime | MaybeNone = column("The first such fetch.")
    last_ts: datetime | MaybeNone = column("The last.")
    attempts: Long | MaybeNone = column("How many.")
    fetch_offset: Long | MaybeNone = column("From which offset on.")
    followers: Sequence[int] | MaybeNone = column("Who fetched.")
    error: str | MaybeNone = column("The first error.")
    evidence: Sequence[str] = EVIDENCE


@row("jumped_log_starts", key=("name", "node_id", "ts"))
class JumpedLogStart(Row):
    """One partition of a tiered topic whose new leader set the log start above segments in the remote store."""

    name: str = column("The partition, `topic-partition`.")
    node_id: int = column("The new leader.")
    ts: datetime = column("When it raised the log start.")
    event_id: str | MaybeNone = column("The line that shows it.")
    log_start_offset: Long | MaybeNone = column("Where the log starts from then on.")
    before: Long | MaybeNone = column("The highest log start in any line before; null if there is none.")
    first_offset: Long | MaybeNone = column("The first offset of the earliest segment that was copied and not deleted.")
    segments: Long | MaybeNone = column(
        "How many segments were copied there, and deleted by no line, that begin before the new start."
    )
    copied_ts: datetime | MaybeNone = column("When the last of them was copied.")
    deleted: Long | MaybeNone = column("How many segments were deleted for that log start afterwards.")
    evidence: Sequence[str] = EVIDENCE


@row("moved_partitions", key=("ts",))
class MovedPartition(Row):
    """The lines of one second about partitions that are moved to other replicas."""

    ts: datetime = column("The first of them.")
    last_ts: datetime | MaybeNone = column("The last.")
    event_id: str | MaybeNone = column("The first line.")
    node_id: int | MaybeNone = column("The node that wrote it.")
    names: Sequence[str] | MaybeNone = column("The partitions, `topic-partition`.")
    lines: Annotated[Sequence[Any], ArrayType(LINE)] | MaybeNone = column("The first lines, with their times.")


@row("asked_times", key=("node_id", "from_ts", "to_ts"))
class AskedTime(Row):
    """A time for which a rule of faults asks which lines were written."""

    node_id: int | MaybeNone = column("By this node; null: by every node.")
    from_ts: datetime | MaybeNone | MaybeNone = column("From when on; null: from the begin of the logs.")
    to_ts: datetime | MaybeNone = column("Until when.")


@row("written_runs", key=("node_id", "sort", "start_ts"))
class WrittenRun(Row):
    """Lines of one sort that one node wrote, each soon after the one before."""

    node_id: int = column("The node.")
    sort: str = column(
        "`line`: any line; `logged`: one of a logger; `start`: one of a process that starts; `role`: one of a part in a "
        "partition that it takes up; `handled`: one of a request of the controller that it handled (ZooKeeper)."
    )
    start_ts: datetime = column("The first of them.")
    end_ts: datetime = column("The last.")


@row("written_lines", key=("node_id", "from_ts", "to_ts"))
class WrittenLine(Row):
    """The lines of one node in a time that a rule of faults asks for."""

    node_id: int = column("The node.")
    from_ts: datetime | MaybeNone = column("The requested time (`asked_times`).")
    to_ts: datetime = column("Its end.")
    logs: bool | MaybeNone = column("It wrote lines of a logger, not only lines of other files.")
    starts: bool | MaybeNone = column("A process of it started.")
    takes_role: bool | MaybeNone = column("It took up a part in a partition.")
    handled_ts: datetime | MaybeNone = column("When it last handled a request of the controller (ZooKeeper).")


@row("pauses")
class Pause(Fault):
    """One time in which a process was frozen, or fell silent for an unknown reason."""


@row("process_ends")
class ProcessEnd(Fault):
    """One end of a process: unexpected, or an ordered stop."""


@row("sessions_lost_without_logs")
class SessionLostWithoutLogs(Fault):
    """One session that ended while its broker wrote no lines."""


@row("outages_without_logs")
class OutageWithoutLogs(Fault):
    """One outage of a node that wrote no lines at that time."""


@row("sessions_lost_alive")
class SessionLostAlive(Fault):
    """One session that timed out while its broker kept running."""


@row("outages")
class Outage(Fault):
    """One time in which a node was gone, frozen, or missed while it ran."""


@row("first_lines", key=("node_id",))
class FirstLine(Row):
    """Where the files of one node begin; without a node: the lines of no known node."""

    node_id: int = column("The node.")
    told_ts: datetime | MaybeNone = column(
        "The first time that any of its files names, also one without lines of a logger."
    )
    first_ts: datetime | MaybeNone = column("Its first line with a logger.")
    first_event: str | MaybeNone = column("That line.")
    start_ts: datetime | MaybeNone = column("Its first line that only a starting process prints.")


@row("silences", key=("node_id", "from_ts", "to_ts"))
class Silence(Row):
    """A time within one run of a process in which none of its node's files has a line."""

    node_id: int = column("The node.")
    from_ts: datetime | MaybeNone = column("The last line before.")
    to_ts: datetime = column("The first line after.")
    from_event: str | MaybeNone = column("The last line before; null if the files begin after the silence.")
    to_event: str | MaybeNone = column("The first line after.")
    without_zookeeper: bool | MaybeNone = column(
        "It had lost ZooKeeper as the silence began and not found it again: it ran, out of reach."
    )


@row("first_mentions", key=("broker_id",))
class FirstMention(Row):
    """A broker that lines name as a leader or in an ISR."""

    broker_id: int = column("The broker.")
    member_ts: datetime | MaybeNone = column("When it is first named.")


@row("memory_errors", key=("node_id", "ts"))
class MemoryError(Row):
    """The lines of one node and second that report an OutOfMemoryError."""

    node_id: int = column("The node.")
    ts: datetime = column("The first of them.")
    last_ts: datetime | MaybeNone = column("The last.")
    event_id: str | MaybeNone = column("The first line.")
    count: Long | MaybeNone = column("How many.")
    evidence: Sequence[str] = EVIDENCE


@row("pause_signs", key=("kind", "node_id", "told_by", "ts"))
class PauseSign(Row):
    """Frequent lines about a node that may have been frozen, those of one second as one row."""

    kind: str = column(
        "The kind of event: `isr_shrink` (its leader dropped only it), `fetch_fenced_epoch` (a leader epoch was new "
        "to it), `gc_pause`, `jvm_safepoint` (Java paused it)."
    )
    node_id: int = column("The node that they are about.")
    told_by: int = column("The node that wrote them.")
    ts: datetime = column("The first of them.")
    elapsed_ms: Long | MaybeNone = column("How long Java paused it, at most; null for other kinds.")
    lines: Annotated[Sequence[Any], ArrayType(LINE)] | MaybeNone = column("The first of the lines, with their times.")


@row("late_roles", key=("node_id", "first_ts", "ts"))
class LateRole(Row):
    """Parts in decisions of the KRaft controllers that a broker took up long after another one, of one second."""

    node_id: int = column("The broker.")
    first_ts: datetime = column("When the first broker took up its part.")
    first_event: str | MaybeNone = column("Its line.")
    ts: datetime = column("When this one did, first.")
    last_ts: datetime | MaybeNone = column("And last.")
    event_id: str | MaybeNone = column("One of its lines.")
    late_ms: Long | MaybeNone = column("How much later, at most.")
    names: Sequence[str] | MaybeNone = column("The partitions, `topic_id/partition`.")
    lines: Annotated[Sequence[Any], ArrayType(LINE)] | MaybeNone = column("The first lines, with their times.")


@row("witness_statements")
class WitnessStatement(Event):
    """One line of a host, of Java, of a container or of an operator that is evidence of a fault."""


@row("witnesses", key=("event_id", "node_id"))
class Witness(Row):
    """A statement of a host, of Java, of a container or of an operator about one node."""

    node_id: int = column("The node that it is about.")
    kind: str | MaybeNone = column("What kind of line it is (`replay/catalogue/host_kinds.tsv`).")
    ts: datetime | MaybeNone = column("When, at the earliest; null if the line does not show it.")
    latest_ts: datetime | MaybeNone = column(
        "When, at the latest: a stamp of whole seconds may be of any time within its second."
    )
    event_id: str = column("The line.")
    details: Mapping[str, str] | MaybeNone = column("Its subject.")
    message: str | MaybeNone = column("The line as displayed.")


@row("witnessed", key=("fault_id",))
class WitnessedFault(Row):
    """One fault that witnesses other than Kafka state."""

    fault_id: str = column("The fault.")
    by: str | MaybeNone = column("The statement, by the names of `replay.faults.witnessed`.")
    predicate: str | MaybeNone = column("What happened, for the title; null if the fault's own words apply.")
    is_dated: bool | MaybeNone = column("That ends with the time that is testified.")
    said: Annotated[Sequence[Any], ArrayType(STATEMENT)] | MaybeNone = column(
        "The statements, the contradictions, and what they rule out."
    )
    evidence: Sequence[str] = column("The lines.")


FAULTS = table_of(Fault)
BROKER_RETURNS = table_of(BrokerReturn)
LAG_SHRINKS = table_of(LagShrink)
ASKED_TIMES = table_of(AskedTime)
WRITTEN_LINES = table_of(WrittenLine)
FIRST_LINES = table_of(FirstLine)
SILENCES = table_of(Silence)
FIRST_MENTIONS = table_of(FirstMention)
MEMORY_ERRORS = table_of(MemoryError)
PAUSE_SIGNS = table_of(PauseSign)
WITNESS_STATEMENTS = table_of(WitnessStatement)
WITNESSES = table_of(Witness)
WITNESSED = table_of(WitnessedFault)
