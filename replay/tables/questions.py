"""Operators' questions, and unanswerable ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.columns import END, EVIDENCE, PARTITION, START, TOPIC
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    Long,
    column,
    row,
    table_of,
)


@row("blind_spots", key=("kind", "node_id", "what"))
class BlindSpot(Row):
    """One gap in the logs, and the questions that it leaves open."""

    kind: str = column(
        "`outside_window`, `no_file`, `shared_file`, `gap`, `quiet`, `begins_late`, `level_too_high`, `no_metadata_log`, `no_copy_of_checkpoints`, `condensed` (equal lines of a node count as runs)."
    )
    node_id: int | MaybeNone = column("Node whose lines are missing; null if it is not about a node.")
    start_ts: datetime | MaybeNone = START
    end_ts: datetime | MaybeNone = END
    what: str = column("What is missing, as a sentence.")
    questions: Sequence[str] | MaybeNone = column("Questions that cannot be answered for it.")
    would_tell: str | MaybeNone = column("The files, or the logger's setting, that would answer them.")
    evidence: Sequence[str] = EVIDENCE


@row("node_subjects", key=("node_id",))
class NodeSubjects(Row):
    """The subjects of one node's lines; without a node: those of no known node."""

    node_id: int = column("The node.")
    is_kafka: bool | MaybeNone = column("Some are of Kafka, not of ZooKeeper or Java alone.")
    takes_roles: bool | MaybeNone = column("It takes on roles in partitions.")
    controls: bool | MaybeNone = column("Some are of the controller's own loggers.")
    has_kraft: bool | MaybeNone = column("It is in KRaft mode.")
    has_dump: bool | MaybeNone = column("A dump of its metadata log is among them.")
    dates_preferred: bool | MaybeNone = column(
        "It prints when its periodic tasks change something, as preferred leaders."
    )
    checkpoints_copied: Sequence[datetime] | MaybeNone = column(
        "When its checkpoint files were copied that are among them."
    )


@row("nodes_named", key=("node_id",))
class NamedNode(Row):
    """One node that lines name in a replica set or an ISR, as a leader or as a controller."""

    node_id: int = column("The node.")
    lines: Long | MaybeNone = column("How many lines name it.")
    evidence: Sequence[str] = EVIDENCE
    evidence_times: Sequence[datetime] | MaybeNone = column("When each of these events was.")


@row("epochs_without_line", key=("node_id", "topic", "partition", "leader_epoch", "start_ts"))
class EpochWithoutLine(Row):
    """One leader epoch that is missing in a node's files, though the node took part in it."""

    node_id: int = column("The node.")
    topic: str = TOPIC
    partition: int = PARTITION
    leader_epoch: int = column("The leader epoch.")
    start_ts: datetime = column("When it began.")


@row("epoch_counts", key=("node_id",))
class EpochCounts(Row):
    """How many leader epochs one node began, and for how many of them lines are missing."""

    node_id: int = column("The node.")
    begun: Long | MaybeNone = column("Leader epochs that it began as the leader; null if none.")
    begun_ts: datetime | MaybeNone = column("The first of them.")
    without_isr: Long | MaybeNone = column("For how many of them no line shows an ISR.")
    without_line: Long | MaybeNone = column(
        "Leader epochs in which it took part and that are missing in its files; null if none."
    )
    without_line_ts: datetime | MaybeNone = column("The first of these.")
    was_alone: bool | MaybeNone = column("It was alone in an ISR at some time; null if no line shows that.")


@row("line_gaps", key=("node_id", "start_ts", "end_ts"))
class LineGap(Row):
    """A time of some seconds between two lines that follow each other in all files of one node."""

    node_id: int = column("The node.")
    start_ts: datetime = column("The line before.")
    end_ts: datetime = column("The line after.")
    start_event: str = column("The line before, by event.")
    end_event: str = column("The line after, by event.")


@row("leader_changes", key=("start_ts",))
class LeaderChange(Row):
    """A time at which a leader epoch of any partition began with another leader, or without one."""

    start_ts: datetime = column("When.")


@row("quiet_times", key=("node_id", "start_ts", "end_ts"))
class QuietTime(Row):
    """A time in which all files of one node are silent though leader epochs began."""

    node_id: int = column("The node.")
    start_ts: datetime = column("The last line before.")
    end_ts: datetime = column("The first line after.")
    without_line: Long | MaybeNone = column(
        "In how many of these leader epochs it took part; 0: leaders changed elsewhere."
    )
    evidence: Sequence[str] = EVIDENCE


@row("isr_drops", key=("broker_id", "leader_id"))
class IsrDrop(Row):
    """One broker that left ISRs of one leader, or ISRs that became empty, and which of the two brokers the pattern points to."""

    broker_id: int = column("The broker that was dropped.")
    leader_id: int = column("The leader of the partitions after the change; -1 if the ISR became empty.")
    drops: Long | MaybeNone = column("How often.")
    as_directory_failed: Long | MaybeNone = column("How often its replica was in a log directory that had failed.")
    as_session_ended: Long | MaybeNone = column(
        "How often its session ended within 30 s of it, before or after, and its replica was not in a failed log directory: it was stopped, crashed, or lost contact with the controller."
    )
    partition_count: Long | MaybeNone = column("Number of partitions in whose ISRs it was.")
    suspect_id: int | MaybeNone = column(
        "The broker that this points at: one that several leaders dropped, whose sessions ended or whose log directory had failed, or a leader that alone dropped several; null if the two cannot be distinguished."
    )
    first_ts: datetime | MaybeNone = column("Time of the first one.")
    last_ts: datetime | MaybeNone = column("Time of the last one.")
    evidence: Sequence[str] = EVIDENCE


@row("deposed_leaders", key=("topic", "partition", "broker_id", "leader_epoch"))
class DeposedLeader(Row):
    """One deposed leader that continued to lead until it learned of its successor: for some milliseconds in every
    change of leader, for seconds a zombie.
    """

    topic: str = TOPIC
    partition: int = PARTITION
    broker_id: int = column("The broker that considered itself the leader.")
    leader_epoch: int = column("The leader epoch in which it had led.")
    deposed_ts: datetime | MaybeNone = column("When the next leader epoch began.")
    deposed_before: bool | MaybeNone = column(
        "That leader epoch had begun by `deposed_ts`, as in `leader_epochs.begun_before`; null if not."
    )
    last_led_ts: datetime | MaybeNone = column(
        "The last line after that in which it acts as the leader; null if there is none."
    )
    stored_after: Long | MaybeNone = column(
        "Offsets that it stored after that line, before it followed; null if no line shows any."
    )
    learnt_ts: datetime | MaybeNone = column("When its own lines first name a later leader epoch; null if none does.")
    ended_ts: datetime | MaybeNone = column(
        "When its process had ended, if it ended before a line shows that it learned: a later process of the broker learned then."
    )
    believed_low_ms: Long | MaybeNone = column(
        "How long it considered itself the leader at least: until it learned, or until its last line as the leader if its process "
        "ended before or no line shows that it learned; null without such a line."
    )
    believed_ms: Long | MaybeNone = column(
        "How long at most, as far as lines show: until it learned, or its process had ended; later truncations discarded acks=1 writes "
        "of that time; null if only the line with which it learned shows that it had been deposed."
    )
    evidence: Sequence[str] = EVIDENCE


@row("replicas", key=("topic", "partition", "node_id"))
class Replica(Row):
    """One replica of one existing partition in its last known state."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("Broker that holds the replica.")
    trust: int | MaybeNone = column(
        "Order in which to trust replicas if the partition has no leader: 1 is a member of the last ISR with the longest log."
    )
    leader_id: int | MaybeNone = column("Leader of the partition at the end of the logs; -1 none.")
    in_isr: bool | MaybeNone = column(
        "It was in the last committed ISR: it holds every committed record, if its disk does."
    )
    is_up: bool | MaybeNone = column(
        "The controller considered the broker alive at the end of the logs; null if no line shows it."
    )
    log_end_offset: Long | MaybeNone = column(
        "Its log reached at least here at its broker's last line about it; a running replica may have grown since. Null if no line shows it."
    )
    told_ts: datetime | MaybeNone = column("The time of that line.")
    high_watermark: Long | MaybeNone = column("The last high watermark that its broker logged.")
    evidence: Sequence[str] = EVIDENCE


@row("trusted", key=("broker_id",))
class TrustedReplica(Row):
    """One broker that holds the replica to trust of partitions that end without a leader."""

    broker_id: int = column("The broker.")
    partitions: Long | MaybeNone = column("Of how many of them.")
    out_of_isr: Long | MaybeNone = column(
        "In how many of them it had left the ISR: it lacks the records that only the last members held."
    )


@row("what_ifs", key=("setting", "topic", "partition", "effect", "start_ts", "from_offset"))
class WhatIf(Row):
    """One difference under another setting (`kafka-replay what-if`; not part of a result folder)."""

    setting: str = column("The changed setting.")
    value: str | MaybeNone = column("Its new value.")
    topic: str = TOPIC
    partition: int = PARTITION
    effect: str = column(
        "`writes_refused`, `range_never_acknowledged`, `range_still_lost`, `range_partly_unknown`, `leaderless`, `range_kept`, "
        "`shrink_avoided`, `shrink_moved`, `shrink_unknown`, `range_sent_again`, `writes_wait`, `election_moved`, "
        "`election_unknown`, `leader_dead`, `leader_sooner`."
    )
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = END
    from_offset: Long | MaybeNone = column("First affected offset; null if unknown.")
    to_offset: Long | MaybeNone = column("Offset after the last affected one; null if unknown.")
    told: str | MaybeNone = column("The difference, as a sentence.")
    assumptions: Sequence[str] | MaybeNone = column("The assumption of the answer.")
    evidence: Sequence[str] = EVIDENCE


_SET_ASIDE = column(
    "Why the file is set aside: `other_cluster` (the logs contain none of its topics), `other_time` (its time is not "
    "that of the logs, or of the hour after them), `contradicted` (the logs contradict it); null if it is used.",
)


@row("told_offsets", key=("topic", "partition", "tool", "what", "group", "node_id", "evidence"))
class ToolOffset(Row):
    """One offset of a partition from one of Kafka's tools."""

    topic: str = TOPIC
    partition: int = PARTITION
    ts: datetime | MaybeNone = column("When the tool was asked: the time in its folder's name; null without one.")
    tool: str = column("`kafka-consumer-groups`, `kafka-get-offsets`, `kafka-log-dirs`.")
    what: str = column(
        "`committed` (of a group), `high_watermark` (also what kafka-consumer-groups calls LOG-END-OFFSET), `log_start_offset`, `size` (bytes), "
        "`offset_lag` (how far the replica's log ends below the high watermark that its broker knows)."
    )
    value: Long | MaybeNone = column("The offset, or the number.")
    group: str | MaybeNone = column("The consumer group that committed; else null.")
    node_id: int | MaybeNone = column("The broker whose replica it is, of `size` and `offset_lag`; else null.")
    set_aside: str | MaybeNone = _SET_ASIDE
    evidence: Sequence[str] = EVIDENCE


@row("stated_offsets")
class StatedOffset(ToolOffset):
    """One offset of a partition that one of Kafka's tools printed, whether or not its file is used."""

    source_file: str = column("The file.")


@row("described_partitions", key=("topic", "partition", "evidence"))
class DescribedPartition(Row):
    """One partition in the output of `kafka-topics --describe`."""

    topic: str = TOPIC
    partition: int = PARTITION
    ts: datetime | MaybeNone = column("When the tool was asked: the time in its folder's name; null without one.")
    leader_id: int | MaybeNone = column("Broker that led; -1 none.")
    preferred_id: int | MaybeNone = column("First of the assignment.")
    replicas: Sequence[int] | MaybeNone = column("The assignment.")
    isr: Sequence[int] | MaybeNone = column("In-sync replicas.")
    out_of_isr: Sequence[int] | MaybeNone = column("Replicas that were not in sync.")
    set_aside: str | MaybeNone = _SET_ASIDE
    evidence: Sequence[str] = EVIDENCE


@row("stated_partitions")
class StatedPartition(DescribedPartition):
    """One partition that `kafka-topics --describe` printed, whether or not its file is used."""

    source_file: str = column("The file.")


@row("stated_topic_ids", key=("source_file", "topic", "topic_id"))
class StatedTopicId(Row):
    """One topic id that `kafka-topics --describe` printed."""

    topic: str = TOPIC
    topic_id: str = column("The id.")
    source_file: str = column("The file.")


@row("logged_topics", key=("topic",))
class LoggedTopic(Row):
    """One topic that lines of logs name; without a topic: the time span of all these lines."""

    topic: str | MaybeNone = column("The topic; null: all lines of the logs.")
    topic_ids: Sequence[str] | MaybeNone = column("The ids by which the lines name it.")
    first_ts: datetime | MaybeNone = column("The first line of the logs; null for a topic.")
    last_ts: datetime | MaybeNone = column("The last line of the logs; null for a topic.")


@row("contradicted_files", key=("source_file",))
class ContradictedFile(Row):
    """One file of a tool that states a high watermark below what a replica's own line stated before."""

    source_file: str = column("The file.")


BLIND_SPOTS = table_of(BlindSpot)
NODE_SUBJECTS = table_of(NodeSubjects)
NODES_NAMED = table_of(NamedNode)
EPOCH_COUNTS = table_of(EpochCounts)
ISR_DROPS = table_of(IsrDrop)
DEPOSED_LEADERS = table_of(DeposedLeader)
REPLICAS = table_of(Replica)
QUIET_TIMES = table_of(QuietTime)
EPOCHS_WITHOUT_LINE = table_of(EpochWithoutLine)
TRUSTED = table_of(TrustedReplica)
WHAT_IFS = table_of(WhatIf)
TOLD_OFFSETS = table_of(ToolOffset)
DESCRIBED_PARTITIONS = table_of(DescribedPartition)
