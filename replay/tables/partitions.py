"""Partitions: leaders, ISRs, elections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.columns import CONFIDENCE, END, EVIDENCE, LEADER_EPOCH, LIFE, PARTITION, START, TOPIC, TOPIC_ID
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    Long,
    column,
    row,
    table_of,
)


@row("dated_leader_epochs", key=("topic", "life", "partition", "leader_epoch"))
class DatedLeaderEpoch(Row):
    """One leader epoch of one partition, in order with the others, before its election is classified."""

    topic: str = TOPIC
    life: int = LIFE
    partition: int = PARTITION
    leader_epoch: int = LEADER_EPOCH
    topic_id: str | MaybeNone = TOPIC_ID
    leader_id: int | MaybeNone = column("Leader; -1 none; null if only its log end is logged.")
    epoch_start_offset: Long | MaybeNone = column("Log end offset of the leader when it began to lead.")
    leader_ts: datetime | MaybeNone = column("Start of the leader epoch in the leader's own line.")
    start_ts: datetime | MaybeNone = START
    confidence: str | MaybeNone = CONFIDENCE
    evidence: Sequence[str] = EVIDENCE
    end_ts: datetime | MaybeNone = END
    next_leader_epoch: int | MaybeNone = column("The next leader epoch in any line.")
    next_witness: str | MaybeNone = column("The most trusted kind of line that shows it.")
    may_lead_next: int | MaybeNone = column(
        "A follower that stopped fetching at `end_ts`, before leader epochs that no line names: it may have led then. Null if "
        "the next leader epoch is named, or no such line is there."
    )
    begun_before: bool | MaybeNone = column(
        "It had begun before `start_ts`, the first line that shows it: no line shows when. Null if a line shows its begin."
    )


@row("stated_leader_epochs")
class StatedLeaderEpoch(DatedLeaderEpoch):
    """One leader epoch of one partition, as the lines that name the partition show it."""


@row("leader_epochs")
class LeaderEpoch(DatedLeaderEpoch):
    """One leader epoch of one partition, and how its leader was elected."""

    old_leader_id: int | MaybeNone = column("Leader of the leader epoch before; -1 none.")
    last_leader_id: int | MaybeNone = column("The last leader before.")
    isr_before: Sequence[int] | MaybeNone = column("The ISR just before.")
    isr_before_evidence: Sequence[str] | MaybeNone = column("The lines that show it.")
    replicas: Sequence[int] | MaybeNone = column("Assigned replicas; null if no line shows them.")
    untold_epochs: int | MaybeNone = column("Unlogged leader epochs since the last one with a leader.")
    elected_from: str | MaybeNone = column(
        "Where the leader came from: `isr`, `elr` (clean), `last_known_leader`, `any_replica` (unclean); null if it "
        "led before or the previous ISR is unknown."
    )
    reason: str | MaybeNone = column("What began the epoch: created, election, leaderless, isr_change, unknown.")
    leaderless_ms: Long | MaybeNone = column("Time without a leader before.")


@row("committed_isrs", key=("topic", "life", "partition", "leader_epoch", "state_order"))
class CommittedIsr(Row):
    """One committed ISR of one partition; with KIP-966 it may be empty."""

    topic: str = TOPIC
    life: int = LIFE
    partition: int = PARTITION
    topic_id: str | MaybeNone = TOPIC_ID
    leader_epoch: int = LEADER_EPOCH
    partition_epoch: int | MaybeNone = column("Partition epoch; null if no line prints it.")
    state_order: int = column("Its position in its leader epoch.")
    leader_id: int | MaybeNone = column("Leader; -1 none.")
    isr: Sequence[int] | MaybeNone = column("In-sync replicas, ascending.")
    replicas: Sequence[int] | MaybeNone = column("Assigned replicas; null if no line prints them.")
    min_isr: int | MaybeNone = column("min.insync.replicas of the topic; null if no line shows it.")
    elr: Sequence[int] | MaybeNone = column("Eligible leader replicas; null if no line prints them.")
    recovering: bool | MaybeNone = column("The leader is recovering from an unclean election.")
    untold_after: Long | MaybeNone = column(
        "States of the partition, by their partition epochs, between this ISR and the next that no line shows: this one can have "
        "ended earlier; null if there are none, or no line prints partition epochs."
    )
    ts: datetime | MaybeNone = column("When it was first reported.")
    confidence: str | MaybeNone = CONFIDENCE
    evidence: Sequence[str] = EVIDENCE
    begun_before: bool | MaybeNone = column(
        "It had begun before `start_ts`, the first line that shows it; null if a line shows its begin."
    )
    ended_before: bool | MaybeNone = column(
        "It may have ended before `end_ts`: only then does a line show the next state; null if not."
    )
    start_ts: datetime | MaybeNone = START
    end_ts: datetime | MaybeNone = END


@row("isr_states", key=("topic", "life", "partition", "place"))
class IsrState(CommittedIsr):
    """One state of a partition with an ISR, from the lines or inferred, before repetitions are dropped and ends are set."""

    place: int = column("Its place among the states of the partition: by leader epoch, partition epoch and time.")
    epoch_start_ts: datetime | MaybeNone = column("Start of its leader epoch; null if no line shows one.")
    epoch_end_ts: datetime | MaybeNone = column("End of its leader epoch; null while open, or if no line shows one.")
    reaches_epoch: int | MaybeNone = column("The next leader epoch in any line, with which this one ends.")
    is_kept: bool | MaybeNone = column(
        "The ISR of a time without a leader, known from the leader that was elected next: a line may show it for any time."
    )


@row("laid_isrs", key=("topic", "life", "partition", "leader_epoch", "state_order"))
class LaidIsr(CommittedIsr):
    """One ISR of one partition from its first line to the next state, before settings and assignments are added."""


@row("isr_spans")
class IsrSpan(CommittedIsr):
    """One committed ISR of one partition that has members; an empty one commits nothing and has no row."""


@row("eligible_leaders", key=("topic", "topic_id", "partition", "leader_epoch", "partition_epoch", "start_ts"))
class EligibleLeader(Row):
    """The eligible leader replicas of one partition (KIP-966), from the line or record that shows them to the next
    known state.
    """

    topic: str = TOPIC
    topic_id: str | MaybeNone = TOPIC_ID
    partition: int = PARTITION
    leader_epoch: int = LEADER_EPOCH
    partition_epoch: int | MaybeNone = column("Partition epoch of the state; null if no line prints it.")
    leader_id: int | MaybeNone = column("Leader at that time; -1 none.")
    isr: Sequence[int] | MaybeNone = column("In-sync replicas, ascending; it may be empty.")
    elr: Sequence[int] | MaybeNone = column(
        "Replicas that hold all committed records without being in sync, and can be elected cleanly; null if unknown."
    )
    last_known_elr: Sequence[int] | MaybeNone = column(
        "The last known ELR: replicas that left the ELR by an unclean stop, or led last; null if unknown."
    )
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = END
    evidence: Sequence[str] = EVIDENCE


@row("elections", key=("topic", "life", "partition", "leader_epoch", "ts"))
class Election(Row):
    """One change of leader to a broker."""

    topic: str = TOPIC
    partition: int = PARTITION
    leader_epoch: int = LEADER_EPOCH
    ts: datetime = column("When the new leader epoch began.")
    begun_before: bool | MaybeNone = column(
        "The new leader epoch had begun before `ts`, the first line that shows it: the election came earlier; null if not."
    )
    old_leader_id: int | MaybeNone = column("Broker that led before; null if unknown.")
    new_leader_id: int | MaybeNone = column("Broker that leads now.")
    elected_from: str | MaybeNone = column(
        "`isr`, `elr`, `last_known_leader`, `any_replica`; null if the state before is not known."
    )
    trigger: str | MaybeNone = column(
        "`broker_failure`, `controlled_shutdown`, `unfenced` (KRaft: the new leader), `preferred`, `reassignment`, `admin`, "
        "`log_dir_failure`, `left_isr` (the controller removed the old leader from the ISR, as it does with a broker that stops or "
        "whose session ended), `unknown`."
    )
    leaderless_ms: Long | MaybeNone = column(
        "Time without a leader before, as the controller recorded it; 0 if there was none."
    )
    evidence: Sequence[str] = EVIDENCE
    life: int = LIFE
    isr_before: Sequence[int] | MaybeNone = column("ISR just before the election; null if unknown.")
    replicas: Sequence[int] | MaybeNone = column("Assigned replicas; null if no line prints them.")


@row("failovers", key=("topic", "partition", "leader_epoch", "ts", "broker_id"))
class Failover(Row):
    """One replica in one change of leader: why it was elected or was not, when it learned of it, and its truncation."""

    topic: str = TOPIC
    partition: int = PARTITION
    leader_epoch: int = LEADER_EPOCH
    ts: datetime = column("When the new leader epoch began.")
    broker_id: int = column("The replica's broker.")
    place: int | MaybeNone = column(
        "Its position in the assignment; 1 is the preferred leader; null if it is not in the assignment, or the assignment is unknown."
    )
    in_isr: bool | MaybeNone = column("It was in the ISR just before; null if that is not known.")
    is_alive: bool | MaybeNone = column("The controller considered it alive then; null if no line shows its sessions.")
    was_taken: bool | MaybeNone = column("It leads from then on.")
    reason: str | MaybeNone = column(
        "Why it was taken: `preferred_and_in_isr`, `in_isr`, `in_elr`, "
        "`last_known_leader`, `any_replica` (unclean), `state_before_not_known`. Why it was not: `being_stopped`, `directory_failed`, "
        "`not_alive`, `not_in_isr`, `later_in_assignment`, `moved_by_reassignment`, `not_known`."
    )
    learnt_ts: datetime | MaybeNone = column(
        "When its own lines first name the new leader epoch, or, for a replica in a failed log directory, when the broker learned of the new leader; null if no line shows it."
    )
    lag_ms: Long | MaybeNone = column(
        "How long after the beginning of the leader epoch that was; 0 for a clock that is behind."
    )
    log_end_offset: Long | MaybeNone = column(
        "End of its log when it took its role: the start of the leader epoch for the leader; null if no line shows it."
    )
    truncation_offset: Long | MaybeNone = column(
        "The offset of its first truncation as a follower; null if no line shows one."
    )
    evidence: Sequence[str] = EVIDENCE


@row("second_witness", key=("topic", "partition", "leader_epoch", "partition_epoch"))
class WitnessedState(Row):
    """One committed state of a partition: the cluster's own record (a dump of the metadata log, ZooKeeper's state) and
    the nodes' logs; empty if there are only logs.
    """

    topic: str = TOPIC
    topic_id: str | MaybeNone = TOPIC_ID
    partition: int = PARTITION
    leader_epoch: int = LEADER_EPOCH
    partition_epoch: int | MaybeNone = column("Partition epoch of the state; null if only logs show it and print none.")
    leader_id: int | MaybeNone = column("Its leader in the cluster's own record, or else in the logs.")
    isr: Sequence[int] | MaybeNone = column("Its ISR in the cluster's own record.")
    ts: datetime | MaybeNone = column("When the controller wrote it, or else when a log first shows it.")
    verdict: str | MaybeNone = column(
        "`confirmed`: both agree; `refined`: logs have the leader epoch, the metadata log or ZooKeeper the rest; "
        "`added`: no log shows it; `contradicted`; `beyond_dump`: only logs show it, and the cluster's own record "
        "does not reach that far."
    )
    told: str | MaybeNone = column("Both sides, as a sentence.")
    log_evidence: Sequence[str] | MaybeNone = column("The state in the nodes' logs.")
    record_evidence: Sequence[str] | MaybeNone = column("The state in the metadata log or ZooKeeper.")


@row("topic_ids", key=("topic", "topic_id"))
class SeenTopicId(Row):
    """One id under which lines name a topic."""

    topic: str = TOPIC
    topic_id: str = column("Topic id.")
    first_ts: datetime = column("The first line that names both.")
    last_ts: datetime = column("The last.")


@row("topic_removals", key=("topic", "topic_id", "removed_ts"))
class TopicRemoval(Row):
    """One time at which a line says that a topic was deleted."""

    topic: str = TOPIC
    topic_id: str | MaybeNone = TOPIC_ID
    removed_ts: datetime | MaybeNone = column("When.")


@row("topic_lives", key=("topic",))
class TopicLife(Row):
    """A name that several topics have had, or whose topic was deleted."""

    topic: str = column("The name.")
    boundaries: Sequence[datetime] | MaybeNone = column("When each successor of the first topic began.")
    ends: Sequence[datetime] | MaybeNone = column("When each topic of the name ended; null for one that still exists.")


@row("named_partitions", key=("node_id", "topic", "partition"))
class NamedPartition(Row):
    """One partition that a line of a node names."""

    node_id: int | MaybeNone = column("The node.")
    topic: str = column("The topic.")
    partition: int = column("The partition.")


@row("topics_named", key=("topic",))
class NamedTopic(Row):
    """One topic that lines name, with its last known settings; without a name: the settings of all topics."""

    topic: str | MaybeNone = column("The topic; null: the cluster's own settings, which hold for all of them.")
    min_isr: int | MaybeNone = column("min.insync.replicas, as last logged; null if it was at its default then.")
    min_isr_ts: datetime | MaybeNone = column("When that was logged; null if by a line without time, the last of all.")
    min_isr_event: str | MaybeNone = column("The line that shows it; null if none does.")
    unclean_allowed: bool | MaybeNone = column("unclean.leader.election.enable, likewise.")
    unclean_ts: datetime | MaybeNone = column("When that was logged, likewise.")
    unclean_event: str | MaybeNone = column("The line that shows it; null if none does.")
    setting_ts: datetime | MaybeNone = column("When one of the two was last logged, likewise.")
    setting_event: str | MaybeNone = column("The line that shows it; null if none does.")
    off_ts: datetime | MaybeNone = column("When a line last showed that unclean elections are not allowed.")
    set_ts: Sequence[datetime] | MaybeNone = column("When later lines showed that they are allowed, in order.")
    set_events: Sequence[str] | MaybeNone = column("Those lines.")


@row("topic_settings", key=("topic",))
class TopicSetting(Row):
    """The settings of one topic that verdicts rest on: its own, else the cluster's, else its brokers' defaults."""

    topic: str = TOPIC
    min_isr: int | MaybeNone = column("min.insync.replicas; null if no line shows it.")
    unclean_allowed: bool | MaybeNone = column("unclean.leader.election.enable; null if no line shows it.")
    setting_event: str | MaybeNone = column("The line with the topic's own value.")
    unclean_set_ts: datetime | MaybeNone = column(
        "When a line first showed that unclean elections are allowed for the topic, after one that showed that they were not."
    )
    unclean_set_event: str | MaybeNone = column("That line.")


@row("assignments", key=("topic", "partition"))
class Assignment(Row):
    """The first known assignment of one partition."""

    topic: str = TOPIC
    partition: int = PARTITION
    assigned: Sequence[int] | MaybeNone = column("Its replicas, in order of preference.")
    described: Sequence[int] | MaybeNone = column(
        "Its replicas as they are described at the end; null if they are not."
    )
    moved_ts: datetime | MaybeNone = column("From when on it may have other replicas; null if nothing says so.")


@row("replica_changes", key=("topic", "partition", "ts"))
class ReplicaChange(Row):
    """One time at which a partition got other replicas."""

    topic: str = TOPIC
    partition: int = PARTITION
    ts: datetime = column("The first line that shows it.")
    last_ts: datetime | MaybeNone = column("The last.")
    before: Sequence[int] = column("The replicas before, in order of preference.")
    after: Sequence[int] = column("The replicas since.")
    deleted_on: Sequence[int] = column("Brokers that deleted their logs of the partition.")
    evidence: Sequence[str] = EVIDENCE


@row("partition_state_reports", key=("event_id", "topic", "partition", "leader_epoch", "source"))
class PartitionStateReport(Row):
    """One state observation of a partition, from any node."""

    topic: str = TOPIC
    life: int | MaybeNone = LIFE
    topic_id: str | MaybeNone = column("Topic id, where printed.")
    partition: int = PARTITION
    leader_epoch: int = LEADER_EPOCH
    partition_epoch: int | MaybeNone = column("Partition epoch it names.")
    leader_id: int | MaybeNone = column("Leader in the line; -1 for none.")
    isr: Sequence[int] | MaybeNone = column("In-sync replicas it names, ascending.")
    replicas: Sequence[int] | MaybeNone = column("Assigned replicas it names.")
    elr: Sequence[int] | MaybeNone = column("Eligible leader replicas it names (KIP-966).")
    last_known_elr: Sequence[int] | MaybeNone = column("Last known eligible leader replicas it names.")
    recovering: bool | MaybeNone = column("The leader is recovering from an unclean election (KIP-704).")
    epoch_start_offset: Long | MaybeNone = column("Log end offset with which the leader begins.")
    ts: datetime | MaybeNone = column("When it was logged; null for a file without time.")
    node_id: int | MaybeNone = column("Node that logged it.")
    witness: str | MaybeNone = column(
        "Who says it: `record`, `znode`, `decision`, `commit`, `leader`, `follower`, `request`, `intent`."
    )
    born: bool | MaybeNone = column("It was logged when the leader epoch began, and is not a repetition.")
    event_id: str = column("The line.")
    kind: str | MaybeNone = column("The line's kind; null for the cluster's own record.")
    visit: int | MaybeNone = column(
        "How many ISRs the leader had announced by then in this leader epoch, if only an announcement shows it."
    )


@row("kept_states")
class KeptState(PartitionStateReport):
    """One state of a partition that the cluster itself stored: in its metadata log, or in ZooKeeper."""


@row("zookeeper_states")
class ZookeeperState(PartitionStateReport):
    """One state of a partition that ZooKeeper stored: in a znode, or in its transaction log."""


@row("partition_states", key=("topic", "life", "partition", "leader_epoch", "state_order"))
class PartitionState(Row):
    """One distinct state of a partition from the observations, whole or in part."""

    topic: str = TOPIC
    life: int = LIFE
    partition: int = PARTITION
    leader_epoch: int = LEADER_EPOCH
    partition_epoch: int | MaybeNone = column("Partition epoch; null if no line prints it.")
    isr: Sequence[int] | MaybeNone = column("In-sync replicas.")
    topic_id: str | MaybeNone = TOPIC_ID
    leader_id: int | MaybeNone = column("Leader; -1 none.")
    replicas: Sequence[int] | MaybeNone = column("Assigned replicas; null if no line prints them.")
    elr: Sequence[int] | MaybeNone = column("Eligible leader replicas; null if no line prints them.")
    last_known_elr: Sequence[int] | MaybeNone = column(
        "Last known eligible leader replicas; null if no line prints them."
    )
    recovering: bool | MaybeNone = column("The leader is recovering from an unclean election.")
    witness: str | MaybeNone = column("The best of its observers.")
    ts: datetime | MaybeNone = column("When it was first reported.")
    evidence: Sequence[str] = EVIDENCE
    state_order: int = column("Its place in its leader epoch: the partition epoch, or that of the state before.")


@row("isr_shrinks", key=("id",))
class IsrShrink(CommittedIsr):
    """One time at which a partition's committed ISR lost members while it had a leader."""

    isr_was: Sequence[int] | MaybeNone = column("The ISR before.")
    removed: Sequence[int] | MaybeNone = column("The members that left.")
    by: str | MaybeNone = column(
        "`leader`: its leader dropped them for lag, by its own line; `controller`: one of them led before, and no leader drops "
        "itself; null if no line shows it."
    )
    id: str = column("Name of its vertex.")


@row("role_lines", key=("topic", "partition", "node_id", "leader_epoch", "ts", "kind"))
class RoleLine(Row):
    """One line in which a broker takes on a leader epoch of a partition."""

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("The broker.")
    leader_epoch: int = LEADER_EPOCH
    ts: datetime = column("When it says so.")
    kind: str = column("The line's kind.")


@row("learnt_leader_epochs", key=("topic", "life", "partition", "leader_epoch", "node_id"))
class LearntLeaderEpoch(Row):
    """When one broker first names a leader epoch of a partition, and where its log ended when it took its role in it."""

    topic: str = TOPIC
    life: int = LIFE
    partition: int = PARTITION
    leader_epoch: int = LEADER_EPOCH
    node_id: int = column("The broker.")
    ts: datetime = column(
        "When its own lines first name the leader epoch. For a replica in a failed log directory: when the broker learned of the leader."
    )
    event_id: str = column("That line.")
    log_end_offset: Long | MaybeNone = column("Where its log ended as it took its role; null if no line states it.")
    is_offline: bool | MaybeNone = column(
        "Whether its replica was in a failed log directory, so that it took no role; null if not."
    )


STATED_LEADER_EPOCHS = table_of(StatedLeaderEpoch)
REBUILT_LEADER_EPOCHS = table_of(DatedLeaderEpoch)
LAID_ISRS = table_of(LaidIsr)
LEADER_EPOCHS = table_of(LeaderEpoch)
COMMITTED_ISRS = table_of(CommittedIsr)
ISR_SPANS = table_of(IsrSpan)
ELIGIBLE_LEADERS = table_of(EligibleLeader)
ELECTIONS = table_of(Election)
FAILOVERS = table_of(Failover)
SECOND_WITNESS = table_of(WitnessedState)
TOPIC_IDS = table_of(SeenTopicId)
TOPIC_LIVES = table_of(TopicLife)
TOPIC_SETTINGS = table_of(TopicSetting)
ASSIGNMENTS = table_of(Assignment)
REPLICA_CHANGES = table_of(ReplicaChange)
PARTITION_STATE_REPORTS = table_of(PartitionStateReport)
KEPT_STATES = table_of(KeptState)
PARTITION_STATES = table_of(PartitionState)
ISR_SHRINKS = table_of(IsrShrink)
ROLE_LINES = table_of(RoleLine)
